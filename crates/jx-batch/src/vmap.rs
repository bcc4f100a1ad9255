//! `vmap` itself: what is batched, where its batch axis is, and the walk over the equations.
//!
//! Inside, a batched value carries its batch axis first, always. Inputs mapped along another axis are
//! transposed once on the way in, and results on the way out, so a rule deals with one layout only.

use crate::{BatchError, rules};
use jx_ir::{Builder, Eqn, Func, Prim, Scalar, TensorType, TypeError, Var};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The program of `size` examples from the program of one: its inputs and results are those of a
/// [`Prim::Vmap`] node with the same parameters.
///
/// Input `i` counts examples along axis `in_axes[i]`, or is shared by all of them where that is `None`;
/// result `j` counts examples along axis `out_axes[j]`, or is given once where that is `None`. Calls are
/// inlined.
///
/// # Errors
/// If the axes or the size do not fit the program, as a `Prim::Vmap` node would refuse them, if a batch
/// is too large to address, or if the program holds a transformation node.
///
/// ```
/// use jx_ir::{Builder, DType, TensorType};
/// let mut b = Builder::new();
/// let x = b.input(TensorType::scalar(DType::F32));
/// let y = b.sin(x);
/// let func = b.finish(&[y]);
/// let batched = jx_batch::vmap(&func, &[Some(0)], &[Some(0)], 3)?;
/// assert_eq!(batched.to_string(), "func(%0: f32[3]) -> (f32[3]) {\n  %1: f32[3] = sin %0\n  return %1\n}");
/// # Ok::<(), jx_batch::BatchError>(())
/// ```
pub fn vmap(
    func: &Func,
    in_axes: &[Option<usize>],
    out_axes: &[Option<usize>],
    size: usize,
) -> Result<Func, BatchError> {
    let input_types = input_types(func, in_axes, size)?;
    let node =
        Prim::Vmap { func: Arc::new(func.clone()), in_axes: in_axes.to_vec(), out_axes: out_axes.to_vec(), size };
    node.infer(&input_types.iter().collect::<Vec<_>>())?;

    let (builder, inputs) = Builder::with_inputs(&input_types);
    let mut cx = Batcher { builder, size, spread: BTreeMap::new() };
    let mut args = Vec::with_capacity(inputs.len());
    for (&input, &axis) in inputs.iter().zip(in_axes) {
        args.push(match axis {
            Some(axis) => Value::Batched(cx.move_axis(input, axis, 0)?),
            None => Value::Shared(input),
        });
    }
    let results = cx.func(func, args)?;
    let mut outputs = Vec::with_capacity(results.len());
    for (value, &axis) in results.into_iter().zip(out_axes) {
        outputs.push(match (value, axis) {
            (Value::Batched(var), Some(axis)) => cx.move_axis(var, 0, axis)?,
            (Value::Shared(var), Some(axis)) => cx.spread(var, axis)?,
            (Value::Shared(var), None) => var,
            (Value::Batched(_), None) => panic!("a result that depends on no mapped input was batched in\n{func}"),
        });
    }
    let mut batched = cx.builder.finish(&outputs);
    if let Some(name) = func.name() {
        batched = batched.with_name(name);
    }
    if cfg!(debug_assertions)
        && let Err(why) = jx_ir::verify(&batched)
    {
        panic!("vmap built an ill-formed program: {why}\n{batched}");
    }
    Ok(batched)
}

/// The types of the batched program's inputs.
fn input_types(func: &Func, in_axes: &[Option<usize>], size: usize) -> Result<Vec<TensorType>, TypeError> {
    let prim = "vmap";
    if in_axes.len() != func.n_inputs() {
        return Err(TypeError::Arity { prim, expected: func.n_inputs(), found: in_axes.len() });
    }
    let batched = func.input_types().iter().zip(in_axes).map(|(example, &axis)| {
        let mut ty = example.clone();
        match axis {
            None => return Ok(ty),
            Some(axis) if axis > ty.rank() => return Err(TypeError::Axis { prim, axis, operand: ty.batched(size) }),
            Some(axis) => ty.shape.insert(axis, size),
        }
        // Nothing has checked an input's extents yet, and their product is taken from here on.
        let bytes = ty.shape.iter().try_fold(ty.dtype.size_bytes(), |n, &d| n.checked_mul(d));
        if bytes.is_none_or(|n| isize::try_from(n).is_err()) {
            return Err(TypeError::TooLarge { prim, shape: ty.shape });
        }
        Ok(ty)
    });
    batched.collect()
}

/// What a variable of one example's program is in the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// One tensor that all examples share.
    Shared(Var),
    /// A tensor an example, stacked along a new axis 0.
    Batched(Var),
}

impl Value {
    pub(crate) fn is_batched(self) -> bool {
        match self {
            Value::Shared(_) => false,
            Value::Batched(_) => true,
        }
    }

    pub(crate) fn var(self) -> Var {
        match self {
            Value::Shared(var) | Value::Batched(var) => var,
        }
    }
}

/// The batched program under construction.
pub(crate) struct Batcher {
    builder: Builder,
    size: usize,
    /// For shared variables that were needed once an example: the stack of their copies.
    spread: BTreeMap<Var, Var>,
}

impl Batcher {
    /// How many examples there are.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The type of a value in one example.
    pub(crate) fn example_ty(&self, value: Value) -> TensorType {
        let mut ty = self.builder.ty(value.var()).clone();
        if value.is_batched() {
            ty.shape.remove(0);
        }
        ty
    }

    /// The results of one example's program on `args`.
    pub(crate) fn func(&mut self, func: &Func, args: Vec<Value>) -> Result<Vec<Value>, BatchError> {
        let mut values = args;
        values.reserve(func.n_vars() - values.len());
        for eqn in func.eqns() {
            // An equation of an inlined program without a place of its own has that of the call.
            let outer = eqn.origin.0.is_some().then(|| self.builder.set_origin(eqn.origin.clone()));
            let results = self.eqn(eqn, &values);
            if let Some(outer) = outer {
                self.builder.set_origin(outer);
            }
            values.extend(results?);
        }
        Ok(func.outputs().iter().map(|v| values[v.index()]).collect())
    }

    fn eqn(&mut self, eqn: &Eqn, values: &[Value]) -> Result<Vec<Value>, BatchError> {
        let inputs: Vec<Value> = eqn.inputs.iter().map(|v| values[v.index()]).collect();
        rules::batch(self, &eqn.prim, &inputs)
    }

    /// The results of a primitive on variables of the batched program.
    ///
    /// # Errors
    /// If a result is too large to address. Any other refusal is a bug of the calling rule, and panics.
    pub(crate) fn emit(&mut self, prim: Prim, inputs: &[Var]) -> Result<Vec<Var>, BatchError> {
        let name = prim.name();
        match self.builder.try_emit(prim, inputs) {
            Ok(outputs) => Ok(outputs),
            Err(why) if matches!(why, TypeError::TooLarge { .. }) => Err(why.into()),
            Err(why) => {
                panic!("the batching rule of {name} is wrong: {why}\nin {}", self.builder.clone().finish(inputs))
            }
        }
    }

    /// The only result of a primitive on variables of the batched program.
    ///
    /// # Errors
    /// As [`Batcher::emit`].
    pub(crate) fn emit1(&mut self, prim: Prim, inputs: &[Var]) -> Result<Var, BatchError> {
        let outputs = self.emit(prim, inputs)?;
        let [output] = outputs[..] else { panic!("one result was expected, not {}", outputs.len()) };
        Ok(output)
    }

    /// The results of a primitive on operands that all examples share: it is done once.
    pub(crate) fn emit_shared(&mut self, prim: Prim, inputs: &[Value]) -> Result<Vec<Value>, BatchError> {
        let inputs: Vec<Var> = inputs.iter().map(|v| v.var()).collect();
        Ok(self.emit(prim, &inputs)?.into_iter().map(Value::Shared).collect())
    }

    /// The results of a primitive that takes all operands with a batch axis first and gives its results so.
    pub(crate) fn emit_batched(&mut self, prim: Prim, inputs: &[Value]) -> Result<Vec<Value>, BatchError> {
        let inputs = inputs.iter().map(|&v| self.batched(v)).collect::<Result<Vec<Var>, _>>()?;
        Ok(self.emit(prim, &inputs)?.into_iter().map(Value::Batched).collect())
    }

    /// The value once an example, stacked along axis 0.
    pub(crate) fn batched(&mut self, value: Value) -> Result<Var, BatchError> {
        match value {
            Value::Batched(var) => Ok(var),
            Value::Shared(var) => {
                if let Some(&stack) = self.spread.get(&var) {
                    return Ok(stack);
                }
                let stack = self.spread(var, 0)?;
                self.spread.insert(var, stack);
                Ok(stack)
            }
        }
    }

    /// Copies of a shared variable, one an example, along a new axis.
    fn spread(&mut self, var: Var, axis: usize) -> Result<Var, BatchError> {
        let mut shape = self.builder.shape(var).to_vec();
        shape.insert(axis, self.size);
        let below = |d: usize| if d < axis { d } else { d + 1 };
        // What was itself made by repetition is repeated more often: no copy of a copy.
        match self.definition(var) {
            Some(Eqn { prim: Prim::Full { value, .. }, .. }) => {
                let value = *value;
                self.full(&shape, value)
            }
            Some(Eqn { prim: Prim::BroadcastInDim { broadcast_dimensions, .. }, inputs, .. }) => {
                let dims = broadcast_dimensions.iter().copied().map(below).collect();
                let source = inputs[0];
                self.broadcast_in_dim(source, shape, dims)
            }
            Some(_) | None => {
                let dims = (0..shape.len() - 1).map(below).collect();
                self.broadcast_in_dim(var, shape, dims)
            }
        }
    }

    /// The equation of the batched program that defines a variable; none for inputs.
    fn definition(&self, var: Var) -> Option<&Eqn> {
        // Results are numbered in order of equations, and every equation here has one.
        let after = self.builder.eqns().partition_point(|eqn| eqn.outputs.first() <= Some(&var));
        let eqn = &self.builder.eqns()[after.checked_sub(1)?];
        eqn.outputs.contains(&var).then_some(eqn)
    }

    /// A tensor of equal elements.
    pub(crate) fn full(&mut self, shape: &[usize], value: Scalar) -> Result<Var, BatchError> {
        self.emit1(Prim::Full { value, shape: shape.to_vec() }, &[])
    }

    /// `x` with its axes placed at `dims` of a shape.
    pub(crate) fn broadcast_in_dim(&mut self, x: Var, shape: Vec<usize>, dims: Vec<usize>) -> Result<Var, BatchError> {
        self.emit1(Prim::BroadcastInDim { shape, broadcast_dimensions: dims }, &[x])
    }

    /// `x` with axis `from` moved to place `to`, the others in order.
    pub(crate) fn move_axis(&mut self, x: Var, from: usize, to: usize) -> Result<Var, BatchError> {
        if from == to {
            return Ok(x);
        }
        let mut permutation: Vec<usize> = (0..self.builder.ty(x).rank()).filter(|&a| a != from).collect();
        permutation.insert(to, from);
        self.emit1(Prim::Transpose { permutation }, &[x])
    }
}
