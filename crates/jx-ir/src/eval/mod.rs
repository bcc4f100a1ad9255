//! `eval`: the meaning of programs, as an interpreter that is slow, obvious and right.
//!
//! It is the oracle: every pass and every backend is checked against it. One file a family holds the
//! meaning of that family's primitives; `value` says how elements are widened and rounded, `special`
//! has the special functions. Speed, fusion and memory are left to the backends.
//!
//! How floats are rounded: an elementwise op on `f16`, `bf16` or `f32` is computed in `f64` and rounded
//! once; sums and products are accumulated in `f64` from the identity (so an empty or negative-zero sum
//! is `+0.0`) and rounded once. Integers wrap.

mod binary;
mod compare;
mod convert;
mod dot;
mod indexing;
mod movement;
mod nodes;
mod random;
mod reduce;
mod sort;
mod special;
#[cfg(test)]
mod testing;
mod unary;
mod value;

use crate::{Array, Element, Func, MAX_NESTING, Prim, TensorType, TypeError};

/// Why a program has no value on some inputs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// Not as many inputs as the program takes.
    #[error("the program takes {expected} inputs, but {found} were given")]
    InputCount {
        /// How many it takes.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// An input of another type than the program's.
    #[error("input {index} must be {expected}, but it is {found}; convert or reshape it first")]
    InputType {
        /// Which input, from 0.
        index: usize,
        /// The type that the program takes.
        expected: TensorType,
        /// The type that came.
        found: TensorType,
    },
    /// A primitive that does not take operands of these types.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// A derivative node, whose value only the passes can give.
    #[error("{prim} has no value of its own; expand the program (jx_opt::expand) before it is evaluated")]
    Unexpanded {
        /// `grad` or `jvp`.
        prim: &'static str,
    },
    /// Functions nested deeper than [`MAX_NESTING`].
    #[error("functions are nested more than {limit} deep; inline some calls")]
    TooDeep {
        /// The greatest depth.
        limit: usize,
    },
    /// A result that this machine has no memory for.
    #[error("{prim}: there is no memory for a result of type {ty}")]
    OutOfMemory {
        /// The primitive's name.
        prim: &'static str,
        /// The result's type.
        ty: TensorType,
    },
}

/// The outputs of a program on `inputs`. Calls and maps inside it are evaluated, a map as the loop over
/// its examples; `grad` and `jvp` are not.
///
/// # Errors
/// If the inputs are not those that the program takes, or it holds a `grad` or `jvp`.
///
/// ```
/// use jx_ir::{Array, Builder, DType, TensorType, eval};
/// let mut b = Builder::new();
/// let x = b.input(TensorType::new(DType::F32, [3]));
/// let y = b.square(x);
/// let total = b.reduce_sum(y, &[0]);
/// let func = b.finish(&[total]);
/// let out = eval(&func, &[Array::from_vec([3], vec![1.0_f32, 2.0, 3.0])?])?;
/// assert_eq!(out, [Array::scalar(14.0_f32)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn eval(func: &Func, inputs: &[Array]) -> Result<Vec<Array>, EvalError> {
    if inputs.len() != func.n_inputs() {
        return Err(EvalError::InputCount { expected: func.n_inputs(), found: inputs.len() });
    }
    for (index, (input, expected)) in inputs.iter().zip(func.input_types()).enumerate() {
        if !input.is_of(expected) {
            return Err(EvalError::InputType { index, expected: expected.clone(), found: input.ty() });
        }
    }
    run(func, inputs.to_vec(), 1)
}

/// The results of one primitive on `inputs`.
///
/// # Errors
/// If it does not take operands of these types, or it is or holds a `grad` or `jvp`.
///
/// ```
/// use jx_ir::{Array, BinaryOp, Prim, eval_prim};
/// let (x, y) = (Array::scalar(7_i8), Array::scalar(0_i8));
/// assert_eq!(eval_prim(&Prim::Binary(BinaryOp::Div), &[&x, &y])?, [Array::scalar(-1_i8)]);
/// # Ok::<(), jx_ir::EvalError>(())
/// ```
pub fn eval_prim(prim: &Prim, inputs: &[&Array]) -> Result<Vec<Array>, EvalError> {
    let types: Vec<TensorType> = inputs.iter().map(|x| x.ty()).collect();
    let results = prim.infer(&types.iter().collect::<Vec<_>>())?;
    apply(prim, inputs, &results.iter().collect::<Vec<_>>(), 0)
}

/// The outputs of a program on inputs of its types. `depth` counts the functions around the equations.
fn run(func: &Func, inputs: Vec<Array>, depth: usize) -> Result<Vec<Array>, EvalError> {
    if depth > MAX_NESTING {
        return Err(EvalError::TooDeep { limit: MAX_NESTING });
    }
    let n_eqns = func.eqns().len();
    let mut last_use = vec![0; func.n_vars()];
    for (i, eqn) in func.eqns().iter().enumerate() {
        for v in &eqn.inputs {
            last_use[v.index()] = i;
        }
    }
    for v in func.outputs() {
        last_use[v.index()] = n_eqns;
    }
    let mut values: Vec<Option<Array>> = inputs.into_iter().map(Some).collect();
    for (i, eqn) in func.eqns().iter().enumerate() {
        let operands: Vec<&Array> = eqn.inputs.iter().map(|&v| value(&values, v, func)).collect();
        let types: Vec<&TensorType> = eqn.outputs.iter().map(|&v| func.ty(v)).collect();
        let results = apply(&eqn.prim, &operands, &types, depth)?;
        values.extend(results.into_iter().map(Some));
        for v in eqn.inputs.iter().filter(|v| last_use[v.index()] == i) {
            values[v.index()] = None;
        }
    }
    Ok(func.outputs().iter().map(|&v| value(&values, v, func).clone()).collect())
}

/// The value of a variable that is defined and still used.
fn value<'a>(values: &'a [Option<Array>], var: crate::Var, func: &Func) -> &'a Array {
    match values.get(var.index()) {
        Some(Some(value)) => value,
        Some(None) | None => panic!("{var} is read before its definition or after its last use in\n{func}"),
    }
}

/// The results, of these types, of a primitive on operands that it takes.
fn apply(prim: &Prim, inputs: &[&Array], types: &[&TensorType], depth: usize) -> Result<Vec<Array>, EvalError> {
    require_memory(prim, types)?;
    let results = match prim {
        Prim::Threefry2x32 => random::threefry2x32(inputs),
        Prim::Sort { dimension, num_keys } => sort::sort(*dimension, *num_keys, inputs),
        Prim::Call { func } => {
            let inputs = inputs.iter().map(|&x| x.clone()).collect();
            run(func, inputs, depth + 1)?
        }
        Prim::Vmap { func, in_axes, out_axes, size } => {
            nodes::vmap(&nodes::Map { func, in_axes, out_axes, size: *size }, inputs, types, depth + 1)?
        }
        Prim::Grad { .. } | Prim::Jvp { .. } => return Err(EvalError::Unexpanded { prim: prim.name() }),
        Prim::Unary(_)
        | Prim::IntegerPow { .. }
        | Prim::Binary(_)
        | Prim::Compare(_)
        | Prim::SelectN
        | Prim::Clamp
        | Prim::Convert { .. }
        | Prim::StopGradient
        | Prim::Full { .. }
        | Prim::Constant(_)
        | Prim::Iota { .. }
        | Prim::Reshape { .. }
        | Prim::Transpose { .. }
        | Prim::BroadcastInDim { .. }
        | Prim::Slice { .. }
        | Prim::Pad { .. }
        | Prim::Concatenate { .. }
        | Prim::Rev { .. }
        | Prim::DynamicSlice { .. }
        | Prim::DynamicUpdateSlice
        | Prim::Gather { .. }
        | Prim::Scatter { .. }
        | Prim::Reduce { .. }
        | Prim::ArgReduce { .. }
        | Prim::Cumulative { .. }
        | Prim::DotGeneral { .. } => vec![single(prim, inputs, types[0])],
    };
    let typed = results.len() == types.len() && results.iter().zip(types).all(|(x, ty)| x.is_of(ty));
    assert!(typed, "the results of {prim:?} are not of the types {types:?}");
    Ok(results)
}

/// The result, of type `ty`, of a primitive that has one.
fn single(prim: &Prim, inputs: &[&Array], ty: &TensorType) -> Array {
    match prim {
        Prim::Unary(op) => unary::unary(*op, inputs[0]),
        Prim::IntegerPow { exponent } => unary::integer_pow(*exponent, inputs[0]),
        Prim::Binary(op) => binary::binary(*op, inputs[0], inputs[1]),
        Prim::Compare(op) => compare::compare(*op, inputs[0], inputs[1]),
        Prim::SelectN => compare::select_n(inputs[0], &inputs[1..]),
        Prim::Clamp => compare::clamp(inputs[0], inputs[1], inputs[2]),
        Prim::Convert { dtype } => convert::convert(*dtype, inputs[0]),
        Prim::StopGradient => inputs[0].clone(),
        Prim::Full { value, shape } => Array::full(&shape[..], *value),
        Prim::Constant(array) => Array::clone(array),
        Prim::Iota { ty, dimension } => movement::iota(ty, *dimension),
        Prim::Reshape { shape } => movement::reshape(shape, inputs[0]),
        Prim::Transpose { permutation } => movement::transpose(permutation, inputs[0]),
        Prim::BroadcastInDim { shape, broadcast_dimensions } => {
            movement::broadcast_in_dim(shape, broadcast_dimensions, inputs[0])
        }
        Prim::Slice { start, strides, .. } => movement::slice(start, strides, inputs[0], ty),
        Prim::Pad { low, interior, .. } => movement::pad(low, interior, inputs[0], inputs[1], ty),
        Prim::Concatenate { dimension } => movement::concatenate(*dimension, inputs, ty),
        Prim::Rev { dimensions } => movement::rev(dimensions, inputs[0]),
        Prim::DynamicSlice { slice_sizes } => indexing::dynamic_slice(slice_sizes, inputs[0], &inputs[1..]),
        Prim::DynamicUpdateSlice => indexing::dynamic_update_slice(inputs[0], inputs[1], &inputs[2..]),
        Prim::Gather { dims, slice_sizes, mode, fill_value } => {
            indexing::gather(dims, slice_sizes, *mode, *fill_value, [inputs[0], inputs[1]], ty)
        }
        Prim::Scatter { op, dims, mode, unique_indices: _ } => {
            indexing::scatter(*op, dims, *mode, [inputs[0], inputs[1], inputs[2]])
        }
        Prim::Reduce { op, axes } => reduce::reduce(*op, axes, inputs[0], ty),
        Prim::ArgReduce { op, axis, .. } => reduce::arg_reduce(*op, *axis, inputs[0], ty),
        Prim::Cumulative { op, axis, reverse } => reduce::cumulative(*op, *axis, *reverse, inputs[0]),
        Prim::DotGeneral { dims, .. } => dot::dot_general(dims, inputs[0], inputs[1], ty),
        Prim::Threefry2x32
        | Prim::Sort { .. }
        | Prim::Call { .. }
        | Prim::Vmap { .. }
        | Prim::Grad { .. }
        | Prim::Jvp { .. } => panic!("{prim:?} has not exactly one result"),
    }
}

/// How many elements a result has before it is asked whether there is memory for it.
const LARGE: usize = 1 << 26;

/// How many bytes an element of a result takes while it is computed, at most: places, widened values
/// and the result itself.
const BYTES_PER_ELEMENT: usize = 64;

/// That there is memory for results. To run out of it would otherwise end the process.
fn require_memory(prim: &Prim, types: &[&TensorType]) -> Result<(), EvalError> {
    for &ty in types {
        let n = ty.n_elements();
        if n > LARGE && Vec::<u8>::new().try_reserve_exact(n.saturating_mul(BYTES_PER_ELEMENT)).is_err() {
            return Err(EvalError::OutOfMemory { prim: prim.name(), ty: ty.clone() });
        }
    }
    Ok(())
}

/// The elements of an array whose dtype has been dispatched on.
fn elements<T: Element>(x: &Array) -> &[T] {
    x.as_slice().unwrap_or_else(|| panic!("a {} array has no elements of type {}", x.dtype(), T::DTYPE))
}

/// The array of a shape that has as many elements as there are values.
fn array<T: Element>(shape: &[usize], values: Vec<T>) -> Array {
    Array::from_vec(shape, values).unwrap_or_else(|why| panic!("a primitive's result has the wrong size: {why}"))
}

/// `f` of each element.
fn map<T: Element, U: Element>(x: &Array, f: impl Fn(T) -> U) -> Array {
    array(x.shape(), elements(x).iter().map(|&v| f(v)).collect())
}

/// `f` of each pair of elements.
fn zip<T: Element, U: Element>(x: &Array, y: &Array, f: impl Fn(T, T) -> U) -> Array {
    array(x.shape(), elements(x).iter().zip(elements(y)).map(|(&v, &w)| f(v, w)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinaryOp, Builder, DType, UnaryOp, samples};

    fn f32s(shape: &[usize]) -> TensorType {
        TensorType::new(DType::F32, shape)
    }

    #[test]
    fn inputs_are_checked_before_anything_is_computed() {
        let func = samples::sum_of_squares("f");
        assert_eq!(eval(&func, &[]), Err(EvalError::InputCount { expected: 1, found: 0 }));
        let x = Array::from_vec([2], vec![1.0_f32, 2.0]).unwrap();
        let why = eval(&func, std::slice::from_ref(&x)).unwrap_err();
        assert_eq!(why, EvalError::InputType { index: 0, expected: f32s(&[3]), found: f32s(&[2]) });
        assert_eq!(why.to_string(), "input 0 must be f32[3], but it is f32[2]; convert or reshape it first");
    }

    #[test]
    fn a_primitive_refuses_operands_by_a_typed_error() {
        let x = Array::scalar(1.0_f32);
        let why = eval_prim(&Prim::Unary(UnaryOp::Not), &[&x]).unwrap_err();
        assert!(matches!(why, EvalError::Type(TypeError::DType { .. })), "{why:?}");
        let why = eval_prim(&Prim::Binary(BinaryOp::Add), &[&x]).unwrap_err();
        assert!(matches!(why, EvalError::Type(TypeError::Arity { .. })), "{why:?}");
    }

    #[test]
    fn an_output_may_be_an_input_or_repeated_or_missing() {
        let mut b = Builder::new();
        let x = b.input(f32s(&[]));
        let y = b.neg(x);
        let func = b.finish(&[y, x, y]);
        let (one, minus) = (Array::scalar(1.0_f32), Array::scalar(-1.0_f32));
        assert_eq!(eval(&func, std::slice::from_ref(&one)).unwrap(), [minus.clone(), one, minus]);
        assert_eq!(eval(&Builder::new().finish(&[]), &[]).unwrap(), []);
    }

    #[test]
    fn a_result_without_memory_is_an_error() {
        let shape = vec![1 << 58];
        let prim = Prim::Full { value: crate::Scalar::zero(DType::F32), shape: shape.clone() };
        assert_eq!(eval_prim(&prim, &[]), Err(EvalError::OutOfMemory { prim: "full", ty: f32s(&shape) }));
    }

    #[test]
    fn every_primitive_without_derivatives_evaluates() {
        // The program of samples holds grad and jvp nodes too, and ends with maps.
        let func = samples::every_prim();
        for eqn in func.eqns() {
            let inputs: Vec<Array> = eqn.inputs.iter().map(|&v| Array::zeros(func.ty(v))).collect();
            let results = eval_prim(&eqn.prim, &inputs.iter().collect::<Vec<_>>());
            if matches!(eqn.prim, Prim::Grad { .. } | Prim::Jvp { .. }) {
                assert_eq!(results, Err(EvalError::Unexpanded { prim: eqn.prim.name() }));
                continue;
            }
            let types: Vec<TensorType> = results.unwrap().iter().map(Array::ty).collect();
            let want: Vec<TensorType> = eqn.outputs.iter().map(|&v| func.ty(v).clone()).collect();
            assert_eq!(types, want, "{:?}", eqn.prim);
        }
    }
}
