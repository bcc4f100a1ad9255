//! `Builder`: makes a `Func` equation by equation, each typed as it is added.
//!
//! [`Builder::try_emit`] is for programs that come from a user and may be wrong. The other methods
//! are for passes, which work on verified programs: there a type error is a bug of the pass, and they
//! panic with the program so far.

use crate::{
    ArgReduceOp, Array, BinaryOp, CompareOp, CumulativeOp, DType, DotDims, Eqn, Func, GatherDims, IndexMode, Loc,
    Origin, Prim, ReduceOp, Scalar, ScatterDims, ScatterOp, TensorType, TypeError, UnaryOp, Var,
};
use std::sync::Arc;

/// A program under construction.
///
/// ```
/// use jx_ir::{Builder, DType, TensorType};
/// let mut b = Builder::new();
/// let x = b.input(TensorType::new(DType::F32, [3]));
/// let y = b.square(x);
/// let total = b.reduce_sum(y, &[0]);
/// let func = b.finish(&[total]);
/// assert_eq!(func.output_types().next().unwrap().to_string(), "f32[]");
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    func: Func,
    origin: Origin,
}

impl Default for Builder {
    fn default() -> Builder {
        Builder::new()
    }
}

impl Builder {
    /// An empty program.
    #[must_use]
    pub fn new() -> Builder {
        let func = Func { name: None, n_inputs: 0, types: Vec::new(), eqns: Vec::new(), outputs: Vec::new() };
        Builder { func, origin: Origin(None) }
    }

    /// An empty program with inputs of these types, and their variables.
    #[must_use]
    pub fn with_inputs<'a>(types: impl IntoIterator<Item = &'a TensorType>) -> (Builder, Vec<Var>) {
        let mut b = Builder::new();
        let inputs = types.into_iter().map(|ty| b.input(ty.clone())).collect();
        (b, inputs)
    }

    /// A new input.
    ///
    /// # Panics
    /// If an equation was already added: inputs are numbered first.
    pub fn input(&mut self, ty: TensorType) -> Var {
        assert!(self.func.eqns.is_empty(), "inputs come before equations");
        self.func.n_inputs += 1;
        self.new_var(ty)
    }

    /// Where the equations added from now on were written; the former setting comes back.
    pub fn set_origin(&mut self, origin: Origin) -> Origin {
        std::mem::replace(&mut self.origin, origin)
    }

    /// The place given to equations added now.
    #[must_use]
    pub fn origin(&self) -> Option<&Loc> {
        self.origin.0.as_ref()
    }

    /// The type of a variable.
    #[must_use]
    pub fn ty(&self, var: Var) -> &TensorType {
        self.func.ty(var)
    }

    /// The dtype of a variable.
    #[must_use]
    pub fn dtype(&self, var: Var) -> DType {
        self.ty(var).dtype
    }

    /// The shape of a variable.
    #[must_use]
    pub fn shape(&self, var: Var) -> &[usize] {
        &self.ty(var).shape
    }

    /// The equations so far.
    #[must_use]
    pub fn eqns(&self) -> &[Eqn] {
        self.func.eqns()
    }

    /// How many variables there are so far.
    #[must_use]
    pub fn n_vars(&self) -> usize {
        self.func.n_vars()
    }

    /// The program that returns `outputs`.
    #[must_use]
    pub fn finish(mut self, outputs: &[Var]) -> Func {
        assert!(outputs.iter().all(|v| v.index() < self.func.n_vars()), "an output is a variable of the program");
        self.func.outputs = outputs.to_vec();
        self.func
    }

    /// The results of `prim` on `inputs`.
    ///
    /// # Errors
    /// If the primitive does not take operands of these types; nothing is added.
    pub fn try_emit(&mut self, prim: Prim, inputs: &[Var]) -> Result<Vec<Var>, TypeError> {
        let types: Vec<&TensorType> = inputs.iter().map(|&v| self.func.ty(v)).collect();
        let result = prim.infer(&types)?;
        Ok(self.push(prim, inputs, result))
    }

    /// The results of `prim` on `inputs`.
    ///
    /// # Panics
    /// If the primitive does not take operands of these types: a bug of the calling pass.
    pub fn emit(&mut self, prim: Prim, inputs: &[Var]) -> Vec<Var> {
        let types: Vec<&TensorType> = inputs.iter().map(|&v| self.func.ty(v)).collect();
        match prim.infer(&types) {
            Ok(result) => self.push(prim, inputs, result),
            Err(why) => panic!("a pass built an ill-typed equation: {why}\n{prim:?} {inputs:?}\nin {}", self.func),
        }
    }

    /// The only result of `prim` on `inputs`.
    ///
    /// # Panics
    /// As [`Builder::emit`], and if the primitive has not exactly one result.
    pub fn emit1(&mut self, prim: Prim, inputs: &[Var]) -> Var {
        let outputs = self.emit(prim, inputs);
        let [out] = outputs[..] else { panic!("one result was expected, not {}", outputs.len()) };
        out
    }

    /// The results of `func` on `args`, its equations copied in.
    ///
    /// # Panics
    /// If the arguments' types are not those of the inputs.
    pub fn inline(&mut self, func: &Func, args: &[Var]) -> Vec<Var> {
        assert_eq!(func.n_inputs(), args.len(), "as many arguments as inputs");
        let mut map: Vec<Var> = args.to_vec();
        for (&arg, ty) in args.iter().zip(func.input_types()) {
            assert_eq!(self.ty(arg), ty, "the types of arguments are those of the inputs");
        }
        for eqn in func.eqns() {
            let inputs: Vec<Var> = eqn.inputs.iter().map(|v| map[v.index()]).collect();
            let types = eqn.outputs.iter().map(|&v| func.ty(v).clone()).collect();
            let outer = self.set_origin(eqn.origin.clone());
            let outputs = self.push(eqn.prim.clone(), &inputs, types);
            self.set_origin(outer);
            map.extend(outputs);
        }
        func.outputs().iter().map(|v| map[v.index()]).collect()
    }

    fn new_var(&mut self, ty: TensorType) -> Var {
        let var = Var(u32::try_from(self.func.types.len()).expect("fewer than 2^32 variables"));
        self.func.types.push(ty);
        var
    }

    fn push(&mut self, prim: Prim, inputs: &[Var], types: Vec<TensorType>) -> Vec<Var> {
        let outputs: Vec<Var> = types.into_iter().map(|ty| self.new_var(ty)).collect();
        self.func.eqns.push(Eqn {
            prim,
            inputs: inputs.to_vec(),
            outputs: outputs.clone(),
            origin: self.origin.clone(),
        });
        outputs
    }
}

/// One method per op that takes no parameters.
macro_rules! elementwise {
    ($($(#[$doc:meta])* $name:ident($($x:ident),*) = $prim:expr;)*) => {
        impl Builder {
            $($(#[$doc])* pub fn $name(&mut self, $($x: Var),*) -> Var { self.emit1($prim, &[$($x),*]) })*
        }
    };
}

elementwise! {
    /// `-x`.
    neg(x) = Prim::Unary(UnaryOp::Neg);
    /// `|x|`.
    abs(x) = Prim::Unary(UnaryOp::Abs);
    /// The sign of `x`.
    sign(x) = Prim::Unary(UnaryOp::Sign);
    /// `x²`.
    square(x) = Prim::Unary(UnaryOp::Square);
    /// `√x`.
    sqrt(x) = Prim::Unary(UnaryOp::Sqrt);
    /// `1/√x`.
    rsqrt(x) = Prim::Unary(UnaryOp::Rsqrt);
    /// `eˣ`.
    exp(x) = Prim::Unary(UnaryOp::Exp);
    /// `eˣ - 1`.
    expm1(x) = Prim::Unary(UnaryOp::Expm1);
    /// `ln x`.
    log(x) = Prim::Unary(UnaryOp::Log);
    /// `ln(1 + x)`.
    log1p(x) = Prim::Unary(UnaryOp::Log1p);
    /// `sin x`.
    sin(x) = Prim::Unary(UnaryOp::Sin);
    /// `cos x`.
    cos(x) = Prim::Unary(UnaryOp::Cos);
    /// `tan x`.
    tan(x) = Prim::Unary(UnaryOp::Tan);
    /// `sinh x`.
    sinh(x) = Prim::Unary(UnaryOp::Sinh);
    /// `cosh x`.
    cosh(x) = Prim::Unary(UnaryOp::Cosh);
    /// `tanh x`.
    tanh(x) = Prim::Unary(UnaryOp::Tanh);
    /// `1/(1 + e⁻ˣ)`.
    logistic(x) = Prim::Unary(UnaryOp::Logistic);
    /// The complement of bits or of a truth value.
    not(x) = Prim::Unary(UnaryOp::Not);
    /// `x` with zero derivative.
    stop_gradient(x) = Prim::StopGradient;
    /// `x + y`.
    add(x, y) = Prim::Binary(BinaryOp::Add);
    /// `x - y`.
    sub(x, y) = Prim::Binary(BinaryOp::Sub);
    /// `x · y`.
    mul(x, y) = Prim::Binary(BinaryOp::Mul);
    /// `x · y`, 0 wherever either is 0.
    mul_no_nan(x, y) = Prim::Binary(BinaryOp::MulNoNan);
    /// `x / y`.
    div(x, y) = Prim::Binary(BinaryOp::Div);
    /// `x` rem `y`.
    rem(x, y) = Prim::Binary(BinaryOp::Rem);
    /// `xʸ`.
    pow(x, y) = Prim::Binary(BinaryOp::Pow);
    /// The greater.
    max(x, y) = Prim::Binary(BinaryOp::Max);
    /// The lesser.
    min(x, y) = Prim::Binary(BinaryOp::Min);
    /// `x and y`.
    and(x, y) = Prim::Binary(BinaryOp::And);
    /// `x or y`.
    or(x, y) = Prim::Binary(BinaryOp::Or);
    /// `x = y`.
    eq(x, y) = Prim::Compare(CompareOp::Eq);
    /// `x ≠ y`.
    ne(x, y) = Prim::Compare(CompareOp::Ne);
    /// `x < y`.
    lt(x, y) = Prim::Compare(CompareOp::Lt);
    /// `x ≤ y`.
    le(x, y) = Prim::Compare(CompareOp::Le);
    /// `x > y`.
    gt(x, y) = Prim::Compare(CompareOp::Gt);
    /// `x ≥ y`.
    ge(x, y) = Prim::Compare(CompareOp::Ge);
    /// `min(max(x, lo), hi)`.
    clamp(lo, x, hi) = Prim::Clamp;
}

impl Builder {
    /// `op(x)`.
    pub fn unary(&mut self, op: UnaryOp, x: Var) -> Var {
        self.emit1(Prim::Unary(op), &[x])
    }

    /// `op(x, y)`.
    pub fn binary(&mut self, op: BinaryOp, x: Var, y: Var) -> Var {
        self.emit1(Prim::Binary(op), &[x, y])
    }

    /// `op(x, y)` as `bool`.
    pub fn compare(&mut self, op: CompareOp, x: Var, y: Var) -> Var {
        self.emit1(Prim::Compare(op), &[x, y])
    }

    /// `xⁿ`.
    pub fn integer_pow(&mut self, x: Var, exponent: i32) -> Var {
        self.emit1(Prim::IntegerPow { exponent }, &[x])
    }

    /// `on_true` where `pred`, else `on_false`; `pred` is `bool` and of the same shape.
    pub fn select(&mut self, pred: Var, on_true: Var, on_false: Var) -> Var {
        self.emit1(Prim::SelectN, &[pred, on_false, on_true])
    }

    /// `x` in another dtype; `x` itself if it has it already.
    pub fn convert(&mut self, x: Var, dtype: DType) -> Var {
        if self.dtype(x) == dtype { x } else { self.emit1(Prim::Convert { dtype }, &[x]) }
    }

    /// A tensor of that type whose every element is `value`, rounded to the dtype.
    pub fn full(&mut self, ty: &TensorType, value: f64) -> Var {
        self.full_scalar(&ty.shape, Scalar::from_f64(ty.dtype, value))
    }

    /// A tensor of that shape whose every element is `value`.
    pub fn full_scalar(&mut self, shape: &[usize], value: Scalar) -> Var {
        self.emit1(Prim::Full { value, shape: shape.to_vec() }, &[])
    }

    /// A tensor of the type of `x` whose every element is `value`, rounded to the dtype.
    pub fn full_like(&mut self, x: Var, value: f64) -> Var {
        let ty = self.ty(x).clone();
        self.full(&ty, value)
    }

    /// The zeros of a type.
    pub fn zeros(&mut self, ty: &TensorType) -> Var {
        self.full_scalar(&ty.shape, Scalar::zero(ty.dtype))
    }

    /// The array as a tensor: a `full` if it is rank 0, else a constant.
    pub fn constant(&mut self, array: Array) -> Var {
        if array.shape().is_empty() {
            return self.full_scalar(&[], array.get(0));
        }
        self.emit1(Prim::Constant(Arc::new(array)), &[])
    }

    /// `0, 1, 2, …` along `dimension`.
    pub fn iota(&mut self, ty: &TensorType, dimension: usize) -> Var {
        self.emit1(Prim::Iota { ty: ty.clone(), dimension }, &[])
    }

    /// `x` under another shape; `x` itself if it has it already.
    pub fn reshape(&mut self, x: Var, shape: &[usize]) -> Var {
        if self.shape(x) == shape { x } else { self.emit1(Prim::Reshape { shape: shape.to_vec() }, &[x]) }
    }

    /// `x` with axis `i` taken from axis `permutation[i]`; `x` itself for the identity.
    pub fn transpose(&mut self, x: Var, permutation: &[usize]) -> Var {
        if permutation.iter().copied().eq(0..self.ty(x).rank()) {
            return x;
        }
        self.emit1(Prim::Transpose { permutation: permutation.to_vec() }, &[x])
    }

    /// `x` with axis `from` moved to place `to`, the others in order.
    pub fn move_axis(&mut self, x: Var, from: usize, to: usize) -> Var {
        let mut permutation: Vec<usize> = (0..self.ty(x).rank()).filter(|&a| a != from).collect();
        permutation.insert(to, from);
        self.transpose(x, &permutation)
    }

    /// `x` with its axes placed at `dims` of the shape; `x` itself if nothing changes.
    pub fn broadcast_in_dim(&mut self, x: Var, shape: &[usize], dims: &[usize]) -> Var {
        if self.shape(x) == shape && dims.iter().copied().eq(0..shape.len()) {
            return x;
        }
        let prim = Prim::BroadcastInDim { shape: shape.to_vec(), broadcast_dimensions: dims.to_vec() };
        self.emit1(prim, &[x])
    }

    /// A scalar spread over a shape.
    pub fn broadcast_scalar(&mut self, x: Var, shape: &[usize]) -> Var {
        self.broadcast_in_dim(x, shape, &[])
    }

    /// `x` with a new axis 0 of extent `size`, every row equal to `x`.
    pub fn broadcast_leading(&mut self, x: Var, size: usize) -> Var {
        let shape = self.ty(x).batched(size).shape;
        let dims: Vec<usize> = (1..shape.len()).collect();
        self.broadcast_in_dim(x, &shape, &dims)
    }

    /// A result of a reduction over `axes`, spread back over the reduced shape.
    pub fn broadcast_back(&mut self, x: Var, shape: &[usize], axes: &[usize]) -> Var {
        let dims: Vec<usize> = (0..shape.len()).filter(|a| !axes.contains(a)).collect();
        self.broadcast_in_dim(x, shape, &dims)
    }

    /// Elements `start`, `start + stride`, … below `limit`.
    pub fn slice(&mut self, x: Var, start: &[usize], limit: &[usize], strides: &[usize]) -> Var {
        let prim = Prim::Slice { start: start.to_vec(), limit: limit.to_vec(), strides: strides.to_vec() };
        self.emit1(prim, &[x])
    }

    /// Elements `start..limit` along one axis.
    pub fn slice_axis(&mut self, x: Var, axis: usize, start: usize, limit: usize) -> Var {
        let shape = self.shape(x).to_vec();
        let (mut lo, mut hi) = (vec![0; shape.len()], shape.clone());
        lo[axis] = start;
        hi[axis] = limit;
        self.slice(x, &lo, &hi, &vec![1; shape.len()])
    }

    /// `x` with copies of `value` before, after and between its elements.
    pub fn pad(&mut self, x: Var, value: Var, low: &[i64], high: &[i64], interior: &[usize]) -> Var {
        let prim = Prim::Pad { low: low.to_vec(), high: high.to_vec(), interior: interior.to_vec() };
        self.emit1(prim, &[x, value])
    }

    /// The operands one after the other.
    pub fn concatenate(&mut self, xs: &[Var], dimension: usize) -> Var {
        self.emit1(Prim::Concatenate { dimension }, xs)
    }

    /// `x` reversed along `dimensions`.
    pub fn rev(&mut self, x: Var, dimensions: &[usize]) -> Var {
        self.emit1(Prim::Rev { dimensions: dimensions.to_vec() }, &[x])
    }

    /// The window of `x` at `starts`.
    pub fn dynamic_slice(&mut self, x: Var, starts: &[Var], slice_sizes: &[usize]) -> Var {
        self.emit1(Prim::DynamicSlice { slice_sizes: slice_sizes.to_vec() }, &[&[x], starts].concat())
    }

    /// `x` with the window at `starts` replaced.
    pub fn dynamic_update_slice(&mut self, x: Var, update: Var, starts: &[Var]) -> Var {
        self.emit1(Prim::DynamicUpdateSlice, &[&[x, update], starts].concat())
    }

    /// The windows of `x` at `indices`.
    pub fn gather(&mut self, x: Var, indices: Var, dims: &GatherDims, slice_sizes: &[usize], mode: IndexMode) -> Var {
        let prim = Prim::Gather { dims: dims.clone(), slice_sizes: slice_sizes.to_vec(), mode, fill_value: None };
        self.emit1(prim, &[x, indices])
    }

    /// `x` with `updates` combined into it at `indices`.
    pub fn scatter(
        &mut self,
        op: ScatterOp,
        [x, indices, updates]: [Var; 3],
        dims: &ScatterDims,
        mode: IndexMode,
    ) -> Var {
        let prim = Prim::Scatter { op, dims: dims.clone(), mode, unique_indices: false };
        self.emit1(prim, &[x, indices, updates])
    }

    /// `x` combined along `axes`; `x` itself along none.
    pub fn reduce(&mut self, op: ReduceOp, x: Var, axes: &[usize]) -> Var {
        if axes.is_empty() { x } else { self.emit1(Prim::Reduce { op, axes: axes.to_vec() }, &[x]) }
    }

    /// The sum along `axes`.
    pub fn reduce_sum(&mut self, x: Var, axes: &[usize]) -> Var {
        self.reduce(ReduceOp::Sum, x, axes)
    }

    /// The greatest along `axes`.
    pub fn reduce_max(&mut self, x: Var, axes: &[usize]) -> Var {
        self.reduce(ReduceOp::Max, x, axes)
    }

    /// The index of the extreme along `axis`.
    pub fn arg_reduce(&mut self, op: ArgReduceOp, x: Var, axis: usize, index_dtype: DType) -> Var {
        self.emit1(Prim::ArgReduce { op, axis, index_dtype }, &[x])
    }

    /// The running combination along `axis`.
    pub fn cumulative(&mut self, op: CumulativeOp, x: Var, axis: usize, reverse: bool) -> Var {
        self.emit1(Prim::Cumulative { op, axis, reverse }, &[x])
    }

    /// The contraction of two tensors, summed and returned in `out_dtype`.
    pub fn dot_general(&mut self, lhs: Var, rhs: Var, dims: &DotDims, out_dtype: DType) -> Var {
        self.emit1(Prim::DotGeneral { dims: dims.clone(), out_dtype }, &[lhs, rhs])
    }

    /// The operands reordered so that the first `num_keys` ascend along `dimension`.
    pub fn sort(&mut self, xs: &[Var], dimension: usize, num_keys: usize) -> Vec<Var> {
        self.emit(Prim::Sort { dimension, num_keys }, xs)
    }
}
