//! Programs: a kernel for each equation, chosen once, and how they are run.

use super::tensor::{DeviceTensor, Value};
use super::{Target, binary, compare, convert, dot, indexing, movement, random, reduce, sort, unary};
use crate::{BackendError, Buffer, Executable, HostFallback};
use burn_backend::Backend;
use jx_ir::{Array, Eqn, Func, Prim, TensorType, eval_prim};
use std::sync::Arc;

/// What computes an equation's results from its operands on the device. A value whose last use this is
/// comes unshared, so that Burn may write over it.
pub(super) type Kernel<B> = Box<dyn Fn(&Target<B>, Vec<Value<B>>) -> Vec<Value<B>> + Send + Sync>;

/// A kernel, or why Burn has none that gives the right values.
pub(super) type Lowered<B> = Result<Kernel<B>, String>;

/// A kernel of one operand and one result.
pub(super) fn kernel1<B: Backend>(f: impl Fn(&Target<B>, Value<B>) -> Value<B> + Send + Sync + 'static) -> Lowered<B> {
    Ok(Box::new(move |target, operands| {
        let [x] = exactly(operands);
        vec![f(target, x)]
    }))
}

/// A kernel of two operands and one result.
pub(super) fn kernel2<B: Backend>(
    f: impl Fn(&Target<B>, Value<B>, Value<B>) -> Value<B> + Send + Sync + 'static,
) -> Lowered<B> {
    Ok(Box::new(move |target, operands| {
        let [x, y] = exactly(operands);
        vec![f(target, x, y)]
    }))
}

/// The operands as an array; the shape rule has counted them.
pub(super) fn exactly<B: Backend, const N: usize>(operands: Vec<Value<B>>) -> [Value<B>; N] {
    let found = operands.len();
    operands.try_into().unwrap_or_else(|_| panic!("a kernel of {N} operands was given {found}"))
}

/// A program ready to run on a device.
pub(super) struct Program<B: Backend> {
    target: Arc<Target<B>>,
    /// The type of each variable.
    types: Vec<TensorType>,
    n_inputs: usize,
    steps: Vec<Step<B>>,
    outputs: Vec<usize>,
}

/// One equation.
struct Step<B: Backend> {
    action: Action<B>,
    /// The operands' variables, and whether each is its variable's last use.
    operands: Vec<(usize, bool)>,
    /// The results' variables, and whether anything reads each.
    results: Vec<(usize, bool)>,
}

enum Action<B: Backend> {
    /// On the device.
    Kernel(Kernel<B>),
    /// On the host, by the reference meaning.
    Host { prim: Prim, reason: String },
    /// Known when the program was compiled.
    Constant(Value<B>),
}

impl<B: Backend> Program<B> {
    pub(super) fn new(target: &Arc<Target<B>>, func: &Func) -> Result<Program<B>, BackendError> {
        if let Some(eqn) = func.eqns().iter().find(|eqn| eqn.prim.nested().is_some()) {
            return Err(BackendError::Unexpanded { prim: eqn.prim.name() });
        }
        let n_eqns = func.eqns().len();
        let mut last_use = vec![None; func.n_vars()];
        for (i, eqn) in func.eqns().iter().enumerate() {
            eqn.inputs.iter().for_each(|v| last_use[v.index()] = Some(i));
        }
        func.outputs().iter().for_each(|v| last_use[v.index()] = Some(n_eqns));
        let steps = func.eqns().iter().enumerate().map(|(i, eqn)| {
            let operand = |(at, v): (usize, &jx_ir::Var)| {
                let again = eqn.inputs[at + 1..].contains(v);
                (v.index(), last_use[v.index()] == Some(i) && !again)
            };
            Step {
                action: action(target, func, eqn),
                operands: eqn.inputs.iter().enumerate().map(operand).collect(),
                results: eqn.outputs.iter().map(|v| (v.index(), last_use[v.index()].is_some())).collect(),
            }
        });
        Ok(Program {
            steps: steps.collect(),
            target: Arc::clone(target),
            types: func.types().to_vec(),
            n_inputs: func.n_inputs(),
            outputs: func.outputs().iter().map(|v| v.index()).collect(),
        })
    }

    fn execute(&self, inputs: Vec<Buffer>) -> Result<Vec<Buffer>, BackendError> {
        let mut values: Vec<Option<Value<B>>> = Vec::with_capacity(self.types.len());
        for buffer in inputs {
            values.push(Some(DeviceTensor::take(&self.target, buffer)?));
        }
        values.resize_with(self.types.len(), || None);
        for step in &self.steps {
            let mut operands = Vec::with_capacity(step.operands.len());
            for &(var, last) in &step.operands {
                let value = if last { values[var].take() } else { values[var].clone() };
                operands.push(value.expect("a value is there until its last use"));
            }
            let results = match &step.action {
                Action::Kernel(kernel) => kernel(&self.target, operands),
                Action::Constant(value) => vec![value.clone()],
                Action::Host { prim, .. } => self.on_host(prim, &step.operands, operands)?,
            };
            for (value, &(var, read)) in results.into_iter().zip(&step.results) {
                values[var] = read.then_some(value);
            }
        }
        let outputs = self.outputs.iter().map(|&var| {
            let value = values[var].clone().expect("an output is computed before the end");
            DeviceTensor::buffer(&self.target, self.types[var].clone(), value)
        });
        Ok(outputs.collect())
    }

    fn on_host(
        &self,
        prim: &Prim,
        vars: &[(usize, bool)],
        operands: Vec<Value<B>>,
    ) -> Result<Vec<Value<B>>, BackendError> {
        let arrays = operands.into_iter().zip(vars).map(|(x, &(var, _))| x.download(&self.target, &self.types[var]));
        let arrays: Vec<Array> = arrays.collect::<Result<_, _>>()?;
        let results = eval_prim(prim, &arrays.iter().collect::<Vec<_>>())?;
        Ok(results.into_iter().map(|array| Value::upload(&self.target, array)).collect())
    }
}

impl<B: Backend> Executable for Program<B> {
    fn run(&self, inputs: Vec<Buffer>) -> Result<Vec<Buffer>, BackendError> {
        if inputs.len() != self.n_inputs {
            return Err(BackendError::InputCount { expected: self.n_inputs, found: inputs.len() });
        }
        for (index, (buffer, ty)) in inputs.iter().zip(&self.types).enumerate() {
            if !buffer.is_of(ty) {
                return Err(BackendError::InputType { index, expected: ty.clone(), found: buffer.ty() });
            }
        }
        self.target.guarded(|| self.execute(inputs))
    }

    fn host_fallbacks(&self) -> Vec<HostFallback> {
        let fallback = |step: &Step<B>| match &step.action {
            Action::Host { prim, reason } => Some(HostFallback { prim: prim.name(), reason: reason.clone() }),
            Action::Kernel(_) | Action::Constant(_) => None,
        };
        self.steps.iter().filter_map(fallback).collect()
    }
}

fn action<B: Backend>(target: &Target<B>, func: &Func, eqn: &Eqn) -> Action<B> {
    if let Prim::Constant(array) = &eqn.prim {
        return Action::Constant(Value::upload(target, (**array).clone()));
    }
    let operands: Vec<&TensorType> = eqn.inputs.iter().map(|&v| func.ty(v)).collect();
    let results: Vec<&TensorType> = eqn.outputs.iter().map(|&v| func.ty(v)).collect();
    match lower(target, &eqn.prim, &operands, &results) {
        Ok(kernel) => Action::Kernel(kernel),
        Err(reason) => Action::Host { prim: eqn.prim.clone(), reason },
    }
}

/// The kernel of a primitive on operands of these types.
fn lower<B: Backend>(target: &Target<B>, prim: &Prim, operands: &[&TensorType], results: &[&TensorType]) -> Lowered<B> {
    if results.iter().all(|ty| ty.n_elements() == 0) {
        let empty: Vec<Array> = results.iter().map(|ty| Array::zeros(ty)).collect();
        return Ok(Box::new(move |_, _| empty.iter().cloned().map(Value::Host).collect()));
    }
    if let Some(ty) = operands.iter().chain(results).find(|ty| !target.has(ty.dtype)) {
        return Err(format!("{} has no {}", target.device, ty.dtype));
    }
    let result = results[0];
    match prim {
        Prim::Unary(op) => unary::unary(target, *op, operands[0]),
        Prim::IntegerPow { exponent } => unary::integer_pow(target, *exponent, operands[0]),
        Prim::Binary(op) => binary::binary(target, *op, operands[0]),
        Prim::Compare(op) => compare::compare(*op, operands[0]),
        Prim::SelectN => compare::select_n(operands),
        Prim::Clamp => compare::clamp(operands[0]),
        Prim::Convert { dtype } => convert::convert(target, operands[0].dtype, *dtype),
        Prim::StopGradient => kernel1::<B>(|_, x| x),
        Prim::Full { value, shape } => Ok(movement::full(target, *value, shape)),
        Prim::Constant(_) => panic!("constants are uploaded, not computed:\n{prim:?}"),
        Prim::Iota { ty, dimension } => movement::iota(ty, *dimension),
        Prim::Reshape { shape } => movement::reshape(target, shape),
        Prim::Transpose { permutation } => movement::transpose(target, permutation, operands[0]),
        Prim::BroadcastInDim { shape, broadcast_dimensions } => {
            movement::broadcast_in_dim(target, shape, broadcast_dimensions, operands[0])
        }
        Prim::Slice { start, limit, strides } => movement::slice(target, start, limit, strides),
        Prim::Pad { low, high: _, interior } => movement::pad(target, low, interior, operands[0], result),
        Prim::Concatenate { dimension } => movement::concatenate(target, *dimension, operands, result),
        Prim::Rev { dimensions } => movement::rev(target, dimensions, operands[0]),
        Prim::DynamicSlice { slice_sizes } => indexing::dynamic_slice(target, slice_sizes, operands),
        Prim::DynamicUpdateSlice => indexing::dynamic_update_slice(target, operands),
        Prim::Gather { dims, slice_sizes, mode, fill_value } => {
            indexing::gather(target, dims, slice_sizes, *mode, *fill_value, operands, result)
        }
        Prim::Scatter { op, dims, mode, unique_indices: _ } => indexing::scatter(target, *op, dims, *mode, operands),
        Prim::Reduce { op, axes } => reduce::reduce(target, *op, axes, operands[0], result),
        Prim::ArgReduce { op, axis, index_dtype } => {
            reduce::arg_reduce(target, *op, *axis, *index_dtype, operands[0], result)
        }
        Prim::Cumulative { op, axis, reverse } => reduce::cumulative(target, *op, *axis, *reverse, operands[0]),
        Prim::DotGeneral { dims, out_dtype } => dot::dot_general(target, dims, *out_dtype, operands, result),
        Prim::Sort { .. } => sort::sort(),
        Prim::Threefry2x32 => random::threefry2x32(target),
        Prim::Call { .. } | Prim::Vmap { .. } | Prim::Grad { .. } | Prim::Jvp { .. } => {
            panic!("nodes are refused before kernels are chosen:\n{prim:?}")
        }
    }
}
