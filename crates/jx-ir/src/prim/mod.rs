//! The primitives: one closed enum of families, one file a family.
//!
//! A file holds a family's variants, their documentation, names and shape rule; `eval/<family>.rs`
//! holds its meaning. Semantics, names and parameters are those of `jax.lax`.

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
mod unary;

pub use binary::BinaryOp;
pub use compare::CompareOp;
pub use dot::DotDims;
pub use indexing::{GatherDims, IndexMode, ScatterDims, ScatterOp};
pub use reduce::{ArgReduceOp, CumulativeOp, ReduceOp};
pub use unary::UnaryOp;

use crate::{Array, DType, Func, Scalar, TensorType, TypeError};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What an equation does. Parameters are static; operands are tensors.
///
/// The IR has no implicit broadcasting and no implicit promotion: elementwise operands have one type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Prim {
    /// `op(x)`, elementwise.
    Unary(UnaryOp),
    /// `xⁿ` by repeated multiplication, elementwise; `1/x⁻ⁿ` for negative `n`, which needs a float.
    IntegerPow {
        /// The exponent.
        exponent: i32,
    },
    /// `op(x, y)`, elementwise.
    Binary(BinaryOp),
    /// `op(x, y)` as `bool`, elementwise.
    Compare(CompareOp),
    /// `cases[which]`, elementwise: operands `which, case₀, case₁, …`. With a `bool` `which` there
    /// are two cases, the first for `false`; an integer `which` is clamped into range.
    SelectN,
    /// `min(max(x, lo), hi)`, elementwise: operands `lo, x, hi`. NaN in any of them gives NaN.
    Clamp,
    /// The value in another dtype. Float to integer truncates and saturates, NaN to 0; integer to
    /// integer wraps; anything to `bool` is `x ≠ 0`; to a float rounds to nearest even.
    Convert {
        /// The result's dtype.
        dtype: DType,
    },
    /// The operand as it is, but with zero derivative.
    StopGradient,

    /// A tensor of equal elements; no operands.
    Full {
        /// Every element.
        value: Scalar,
        /// The result's shape.
        shape: Vec<usize>,
    },
    /// A tensor known when the program was built; no operands.
    Constant(Arc<Array>),
    /// `0, 1, 2, …` along one axis and equal along the others; no operands.
    Iota {
        /// The result's type.
        ty: TensorType,
        /// The axis that counts.
        dimension: usize,
    },

    /// The elements in row-major order under another shape.
    Reshape {
        /// The result's shape.
        shape: Vec<usize>,
    },
    /// Axis `i` of the result is axis `permutation[i]` of the operand.
    Transpose {
        /// A permutation of the operand's axes.
        permutation: Vec<usize>,
    },
    /// Axis `i` of the operand is axis `broadcast_dimensions[i]` of the result; extents of 1 stretch.
    BroadcastInDim {
        /// The result's shape.
        shape: Vec<usize>,
        /// For each operand axis its place in the result, strictly increasing.
        broadcast_dimensions: Vec<usize>,
    },
    /// Elements `start, start + stride, …` below `limit`, on every axis.
    Slice {
        /// First element, per axis.
        start: Vec<usize>,
        /// One past the last element that may be taken, per axis.
        limit: Vec<usize>,
        /// Step, at least 1, per axis.
        strides: Vec<usize>,
    },
    /// The operand with copies of a scalar before, after and between its elements; operands
    /// `x, padding_value`. Negative `low` and `high` cut elements off, after interior padding.
    Pad {
        /// Elements put before the first, per axis.
        low: Vec<i64>,
        /// Elements put after the last, per axis.
        high: Vec<i64>,
        /// Elements put between neighbours, per axis.
        interior: Vec<usize>,
    },
    /// The operands one after the other along an axis.
    Concatenate {
        /// The axis.
        dimension: usize,
    },
    /// The operand in reverse order along some axes.
    Rev {
        /// The axes.
        dimensions: Vec<usize>,
    },

    /// A window of the operand: operands `x, i₀, i₁, …` with one integer scalar an axis. A start is
    /// clamped so that the window lies inside.
    DynamicSlice {
        /// The window's extents.
        slice_sizes: Vec<usize>,
    },
    /// The operand with a window replaced: operands `x, update, i₀, i₁, …`. A start is clamped so
    /// that the window lies inside.
    DynamicUpdateSlice,
    /// Windows of the operand at computed places: operands `x, indices`; as `jax.lax.gather`, with
    /// the index vector on the last axis of `indices`.
    Gather {
        /// How axes of operand, indices and result correspond.
        dims: GatherDims,
        /// The extents of a window, per operand axis.
        slice_sizes: Vec<usize>,
        /// What an index out of range does.
        mode: IndexMode,
        /// The value of windows out of range in mode `fill`; by default NaN for floats, the least
        /// value for signed and the greatest for unsigned integers, `true` for `bool`.
        fill_value: Option<Scalar>,
    },
    /// The operand with windows combined into it at computed places: operands `x, indices, updates`;
    /// as `jax.lax.scatter`, with the index vector on the last axis of `indices`. Updates are applied
    /// in row-major order of `indices`.
    Scatter {
        /// How an update joins the element that is there.
        op: ScatterOp,
        /// How axes of operand, indices and updates correspond.
        dims: ScatterDims,
        /// What an index out of range does.
        mode: IndexMode,
        /// The caller's word that no two updates meet.
        unique_indices: bool,
    },

    /// The operand combined along some axes, which go away. An empty set of elements gives the op's identity.
    Reduce {
        /// The combiner.
        op: ReduceOp,
        /// The axes.
        axes: Vec<usize>,
    },
    /// The index of the extreme element along an axis, the first among equals; NaN counts as extreme.
    ArgReduce {
        /// Greatest or least.
        op: ArgReduceOp,
        /// The axis, not empty.
        axis: usize,
        /// The result's integer dtype.
        index_dtype: DType,
    },
    /// The running combination along an axis, each element included in its own result.
    Cumulative {
        /// The combiner.
        op: CumulativeOp,
        /// The axis.
        axis: usize,
        /// Whether to run from the end to the start.
        reverse: bool,
    },
    /// Sums of products over contracted axes, for every index of the batch axes; result axes are
    /// batch, then the lhs's free ones, then the rhs's.
    DotGeneral {
        /// Which axes are contracted and which are batch.
        dims: DotDims,
        /// The dtype that products are summed in and returned as (JAX's `preferred_element_type`).
        out_dtype: DType,
    },
    /// The operands, of equal shape, all reordered along an axis so that the first `num_keys` of them
    /// ascend lexicographically. NaN sorts last, `-0.0` and `0.0` are equal. Always stable.
    Sort {
        /// The axis.
        dimension: usize,
        /// How many operands are keys, from the first.
        num_keys: usize,
    },
    /// The Threefry-2x32 block cipher, elementwise on `u32`: operands `k₀, k₁, x₀, x₁`, two results.
    /// Source: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011 (20 rounds).
    Threefry2x32,

    /// The results of a nested program on the operands.
    Call {
        /// The program.
        func: Arc<Func>,
    },
    /// A nested program on each of `size` examples.
    Vmap {
        /// The program of one example.
        func: Arc<Func>,
        /// For each operand the axis that counts examples; `None` where all examples share it.
        in_axes: Vec<Option<usize>>,
        /// For each result the axis that counts examples; `None` where all examples agree by
        /// construction (the result depends on no mapped operand).
        out_axes: Vec<Option<usize>>,
        /// How many examples.
        size: usize,
    },
    /// The gradient of a nested program's first result, a float scalar, with respect to some of its
    /// inputs. Results: the value if `value`, the program's other results, then the gradients.
    Grad {
        /// The program.
        func: Arc<Func>,
        /// The inputs differentiated, in order of the gradients.
        wrt: Vec<usize>,
        /// Whether the value is a result.
        value: bool,
    },
    /// A nested program's results and their tangents: operands are its inputs, then a tangent for each
    /// input of `wrt`; results are its results, then a tangent for each float result.
    Jvp {
        /// The program.
        func: Arc<Func>,
        /// The inputs that move, in order of the tangents.
        wrt: Vec<usize>,
    },
}

impl Prim {
    /// The name in the text form, as in `jax.lax` where it has one.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Prim::Unary(op) => op.name(),
            Prim::IntegerPow { .. } => "integer_pow",
            Prim::Binary(op) => op.name(),
            Prim::Compare(op) => op.name(),
            Prim::SelectN => "select_n",
            Prim::Clamp => "clamp",
            Prim::Convert { .. } => "convert_element_type",
            Prim::StopGradient => "stop_gradient",
            Prim::Full { .. } => "full",
            Prim::Constant(_) => "constant",
            Prim::Iota { .. } => "iota",
            Prim::Reshape { .. } => "reshape",
            Prim::Transpose { .. } => "transpose",
            Prim::BroadcastInDim { .. } => "broadcast_in_dim",
            Prim::Slice { .. } => "slice",
            Prim::Pad { .. } => "pad",
            Prim::Concatenate { .. } => "concatenate",
            Prim::Rev { .. } => "rev",
            Prim::DynamicSlice { .. } => "dynamic_slice",
            Prim::DynamicUpdateSlice => "dynamic_update_slice",
            Prim::Gather { .. } => "gather",
            Prim::Scatter { op, .. } => op.name(),
            Prim::Reduce { op, .. } => op.name(),
            Prim::ArgReduce { op, .. } => op.name(),
            Prim::Cumulative { op, .. } => op.name(),
            Prim::DotGeneral { .. } => "dot_general",
            Prim::Sort { .. } => "sort",
            Prim::Threefry2x32 => "threefry2x32",
            Prim::Call { .. } => "call",
            Prim::Vmap { .. } => "vmap",
            Prim::Grad { .. } => "grad",
            Prim::Jvp { .. } => "jvp",
        }
    }

    /// The nested program, if the primitive has one.
    #[must_use]
    pub fn nested(&self) -> Option<&Arc<Func>> {
        match self {
            Prim::Call { func } | Prim::Vmap { func, .. } | Prim::Grad { func, .. } | Prim::Jvp { func, .. } => {
                Some(func)
            }
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
            | Prim::DotGeneral { .. }
            | Prim::Sort { .. }
            | Prim::Threefry2x32 => None,
        }
    }

    /// The types of the results on operands of these types: the shape rule.
    ///
    /// # Errors
    /// If the primitive does not take such operands.
    ///
    /// ```
    /// use jx_ir::{BinaryOp, DType, Prim, TensorType};
    /// let (x, y) = (TensorType::new(DType::F32, [3]), TensorType::new(DType::F32, [4]));
    /// let why = Prim::Binary(BinaryOp::Add).infer(&[&x, &y]).unwrap_err();
    /// assert!(why.to_string().starts_with("add: operand shapes differ: f32[3] and f32[4]"));
    /// ```
    pub fn infer(&self, inputs: &[&TensorType]) -> Result<Vec<TensorType>, TypeError> {
        let name = self.name();
        let one =
            |ty: Result<TensorType, TypeError>| ty.and_then(|ty| TypeError::require_size(name, ty)).map(|ty| vec![ty]);
        match self {
            Prim::Unary(op) => {
                let [x] = operands(name, inputs)?;
                one(unary::infer(*op, x))
            }
            Prim::IntegerPow { exponent } => {
                let [x] = operands(name, inputs)?;
                one(unary::infer_integer_pow(*exponent, x))
            }
            Prim::Binary(op) => {
                let [x, y] = operands(name, inputs)?;
                one(binary::infer(*op, x, y))
            }
            Prim::Compare(op) => {
                let [x, y] = operands(name, inputs)?;
                one(compare::infer(*op, x, y))
            }
            Prim::SelectN => one(compare::infer_select_n(inputs)),
            Prim::Clamp => {
                let [lo, x, hi] = operands(name, inputs)?;
                one(compare::infer_clamp(lo, x, hi))
            }
            Prim::Convert { dtype } => {
                let [x] = operands(name, inputs)?;
                one(convert::infer(*dtype, x))
            }
            Prim::StopGradient => {
                let [x] = operands(name, inputs)?;
                one(Ok(x.clone()))
            }
            Prim::Full { value, shape } => {
                let [] = operands(name, inputs)?;
                one(Ok(TensorType::new(value.dtype(), shape.clone())))
            }
            Prim::Constant(array) => {
                let [] = operands(name, inputs)?;
                one(Ok(array.ty()))
            }
            Prim::Iota { ty, dimension } => {
                let [] = operands(name, inputs)?;
                one(movement::infer_iota(ty, *dimension))
            }
            Prim::Reshape { shape } => {
                let [x] = operands(name, inputs)?;
                one(movement::infer_reshape(shape, x))
            }
            Prim::Transpose { permutation } => {
                let [x] = operands(name, inputs)?;
                one(movement::infer_transpose(permutation, x))
            }
            Prim::BroadcastInDim { shape, broadcast_dimensions } => {
                let [x] = operands(name, inputs)?;
                one(movement::infer_broadcast_in_dim(shape, broadcast_dimensions, x))
            }
            Prim::Slice { start, limit, strides } => {
                let [x] = operands(name, inputs)?;
                one(movement::infer_slice(start, limit, strides, x))
            }
            Prim::Pad { low, high, interior } => {
                let [x, value] = operands(name, inputs)?;
                one(movement::infer_pad(low, high, interior, x, value))
            }
            Prim::Concatenate { dimension } => one(movement::infer_concatenate(*dimension, inputs)),
            Prim::Rev { dimensions } => {
                let [x] = operands(name, inputs)?;
                TypeError::require_axes(name, dimensions, x)?;
                one(Ok(x.clone()))
            }
            Prim::DynamicSlice { slice_sizes } => one(indexing::infer_dynamic_slice(slice_sizes, inputs)),
            Prim::DynamicUpdateSlice => one(indexing::infer_dynamic_update_slice(inputs)),
            Prim::Gather { dims, slice_sizes, mode: _, fill_value } => {
                let [x, indices] = operands(name, inputs)?;
                one(indexing::infer_gather(dims, slice_sizes, *fill_value, x, indices))
            }
            Prim::Scatter { op, dims, .. } => {
                let [x, indices, updates] = operands(name, inputs)?;
                one(indexing::infer_scatter(*op, dims, x, indices, updates))
            }
            Prim::Reduce { op, axes } => {
                let [x] = operands(name, inputs)?;
                one(reduce::infer(*op, axes, x))
            }
            Prim::ArgReduce { op, axis, index_dtype } => {
                let [x] = operands(name, inputs)?;
                one(reduce::infer_arg_reduce(*op, *axis, *index_dtype, x))
            }
            Prim::Cumulative { op, axis, .. } => {
                let [x] = operands(name, inputs)?;
                one(reduce::infer_cumulative(*op, *axis, x))
            }
            Prim::DotGeneral { dims, out_dtype } => {
                let [lhs, rhs] = operands(name, inputs)?;
                one(dot::infer(dims, *out_dtype, lhs, rhs))
            }
            Prim::Sort { dimension, num_keys } => sort::infer(*dimension, *num_keys, inputs),
            Prim::Threefry2x32 => random::infer_threefry2x32(inputs),
            Prim::Call { func } => nodes::infer_call(func, inputs),
            Prim::Vmap { func, in_axes, out_axes, size } => nodes::infer_vmap(func, in_axes, out_axes, *size, inputs),
            Prim::Grad { func, wrt, value } => nodes::infer_grad(func, wrt, *value, inputs),
            Prim::Jvp { func, wrt } => nodes::infer_jvp(func, wrt, inputs),
        }
    }
}

/// The operands as an array of known length.
fn operands<'a, const N: usize>(
    prim: &'static str,
    inputs: &[&'a TensorType],
) -> Result<[&'a TensorType; N], TypeError> {
    inputs.try_into().map_err(|_| TypeError::Arity { prim, expected: N, found: inputs.len() })
}

/// Declares an op enum: one row an op, so that variants, names and `ALL` cannot drift apart.
macro_rules! op_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// Every op of the family, in order of declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// Its name in the text form.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// The op of that name, if the family has one.
            #[must_use]
            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }
        }
    };
}
pub(crate) use op_enum;
