//! The meaning of programs: slow, obvious and right. Passes and backends are checked against it.
//!
//! Every float op is computed in `f64` and rounded once to the dtype. Integers wrap. One file a family.

mod binary;
mod compare;
mod convert;
mod dot;
mod indexing;
mod movement;
mod nodes;
mod numbers;
mod random;
mod reduce;
mod sort;
mod special;
mod unary;

use crate::{Array, Func, Prim, TensorType, TypeError};

/// Why a program cannot be evaluated on these inputs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// The wrong number of inputs.
    #[error("the program takes {expected} inputs, but {found} were given")]
    InputCount {
        /// How many it takes.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// An input of another type.
    #[error("input {index} must be {expected}, but it is {found}")]
    InputType {
        /// Which input, from 0.
        index: usize,
        /// Its type in the program.
        expected: TensorType,
        /// The type that came.
        found: TensorType,
    },
    /// A primitive does not take such operands.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// The program holds a derivative that was not expanded.
    #[error("the program still holds a `{prim}` node; expand it first")]
    Unexpanded {
        /// The node's name: `grad` or `jvp`.
        prim: &'static str,
    },
}

/// The program's outputs on these inputs.
///
/// Calls are evaluated by recursion and maps as the loop over examples; derivatives must have been
/// expanded before.
///
/// # Errors
/// If the inputs are not of the program's types, or a `grad` or `jvp` node is left in it.
///
/// ```
/// use jx_ir::{Array, Builder, DType, TensorType, eval};
/// let mut b = Builder::new();
/// let x = b.input(TensorType::new(DType::F32, [3]));
/// let y = b.square(x);
/// let total = b.reduce_sum(y, &[0]);
/// let func = b.finish(&[total]);
/// let x = Array::from_vec([3], vec![1.0_f32, 2.0, 3.0])?;
/// assert_eq!(eval(&func, &[x])?, [Array::scalar(14.0_f32)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn eval(func: &Func, inputs: &[Array]) -> Result<Vec<Array>, EvalError> {
    if inputs.len() != func.n_inputs() {
        return Err(EvalError::InputCount { expected: func.n_inputs(), found: inputs.len() });
    }
    for (index, (array, ty)) in inputs.iter().zip(func.input_types()).enumerate() {
        if !array.is_of(ty) {
            return Err(EvalError::InputType { index, expected: ty.clone(), found: array.ty() });
        }
    }
    let mut values: Vec<Array> = inputs.to_vec();
    for eqn in func.eqns() {
        let operands: Vec<&Array> = eqn.inputs.iter().map(|v| &values[v.index()]).collect();
        let results = eval_checked(&eqn.prim, &operands)?;
        values.extend(results);
    }
    Ok(func.outputs().iter().map(|v| values[v.index()].clone()).collect())
}

/// The results of one primitive on these operands.
///
/// # Errors
/// If the primitive does not take such operands, or is or holds a `grad` or `jvp` node.
pub fn eval_prim(prim: &Prim, inputs: &[&Array]) -> Result<Vec<Array>, EvalError> {
    let types: Vec<TensorType> = inputs.iter().map(|a| a.ty()).collect();
    let expected = prim.infer(&types.iter().collect::<Vec<_>>())?;
    let results = eval_checked(prim, inputs)?;
    debug_assert!(
        results.iter().zip(&expected).all(|(a, ty)| a.is_of(ty)),
        "{prim:?}: {results:?} is not {expected:?}"
    );
    Ok(results)
}

/// The results on operands that the shape rule accepts.
fn eval_checked(prim: &Prim, inputs: &[&Array]) -> Result<Vec<Array>, EvalError> {
    let result = match prim {
        Prim::Unary(op) => unary::unary(*op, inputs[0]),
        Prim::IntegerPow { exponent } => unary::integer_pow(*exponent, inputs[0]),
        Prim::Binary(op) => binary::binary(*op, inputs[0], inputs[1]),
        Prim::Compare(op) => compare::compare(*op, inputs[0], inputs[1]),
        Prim::SelectN => compare::select_n(inputs[0], &inputs[1..]),
        Prim::Clamp => compare::clamp(inputs[0], inputs[1], inputs[2]),
        Prim::Convert { dtype } => convert::convert(inputs[0], *dtype),
        Prim::StopGradient => inputs[0].clone(),
        Prim::Full { value, shape } => Array::full(shape.clone(), *value),
        Prim::Constant(array) => (**array).clone(),
        Prim::Iota { ty, dimension } => movement::iota(ty, *dimension),
        Prim::Reshape { shape } => movement::reshape(inputs[0], shape),
        Prim::Transpose { permutation } => movement::transpose(inputs[0], permutation),
        Prim::BroadcastInDim { shape, broadcast_dimensions } => {
            movement::broadcast_in_dim(inputs[0], shape, broadcast_dimensions)
        }
        Prim::Slice { start, limit, strides } => movement::slice(inputs[0], start, limit, strides),
        Prim::Pad { low, high, interior } => movement::pad(inputs[0], inputs[1], low, high, interior),
        Prim::Concatenate { dimension } => movement::concatenate(inputs, *dimension),
        Prim::Rev { dimensions } => movement::rev(inputs[0], dimensions),
        Prim::DynamicSlice { slice_sizes } => indexing::dynamic_slice(inputs[0], &inputs[1..], slice_sizes),
        Prim::DynamicUpdateSlice => indexing::dynamic_update_slice(inputs[0], inputs[1], &inputs[2..]),
        Prim::Gather { dims, slice_sizes, mode, fill_value } => {
            indexing::gather(inputs[0], inputs[1], dims, slice_sizes, *mode, *fill_value)
        }
        Prim::Scatter { op, dims, mode, unique_indices: _ } => {
            indexing::scatter(*op, inputs[0], inputs[1], inputs[2], dims, *mode)
        }
        Prim::Reduce { op, axes } => reduce::reduce(*op, inputs[0], axes),
        Prim::ArgReduce { op, axis, index_dtype } => reduce::arg_reduce(*op, inputs[0], *axis, *index_dtype),
        Prim::Cumulative { op, axis, reverse } => reduce::cumulative(*op, inputs[0], *axis, *reverse),
        Prim::DotGeneral { dims, out_dtype } => dot::dot_general(inputs[0], inputs[1], dims, *out_dtype),
        Prim::Sort { dimension, num_keys } => return Ok(sort::sort(inputs, *dimension, *num_keys)),
        Prim::Threefry2x32 => return Ok(random::threefry2x32(inputs)),
        Prim::Call { func } => return nodes::call(func, inputs),
        Prim::Vmap { func, in_axes, out_axes, size } => return nodes::vmap(func, in_axes, out_axes, *size, inputs),
        Prim::Grad { .. } | Prim::Jvp { .. } => return Err(EvalError::Unexpanded { prim: prim.name() }),
    };
    Ok(vec![result])
}
