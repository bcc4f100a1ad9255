//! Reads and writes at computed places: dynamic slices, gather and scatter.

use super::op_enum;
use crate::error::dtype_error;
use crate::{DType, Scalar, TensorType, TypeError};
use serde::{Deserialize, Serialize};

op_enum! {
    /// What an index out of range does.
    IndexMode {
        /// It is clamped so that the window lies inside.
        Clip = "clip",
        /// A read gives the fill value; a write is dropped.
        FillOrDrop = "fill_or_drop",
        /// The caller's word that there is none; it acts as `clip` on a read and drops a write.
        PromiseInBounds = "promise_in_bounds",
    }
}

op_enum! {
    /// How an update joins the element that is there.
    ScatterOp {
        /// Replaces it; the last one wins.
        Set = "scatter",
        /// Adds to it.
        Add = "scatter_add",
        /// Multiplies it.
        Mul = "scatter_mul",
        /// The lesser stays.
        Min = "scatter_min",
        /// The greater stays.
        Max = "scatter_max",
    }
}

/// How axes of operand, indices and result correspond in a gather; as `jax.lax.GatherDimensionNumbers`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GatherDims {
    /// Result axes that are axes of the window.
    pub offset_dims: Vec<usize>,
    /// Operand axes of window extent 1 that the result does not have.
    pub collapsed_slice_dims: Vec<usize>,
    /// The operand axis that each component of an index vector moves along.
    pub start_index_map: Vec<usize>,
    /// Operand axes that are batch: the same index as on the paired axis of `indices`.
    pub operand_batching_dims: Vec<usize>,
    /// The axes of `indices` paired with `operand_batching_dims`.
    pub start_indices_batching_dims: Vec<usize>,
}

/// How axes of operand, indices and updates correspond in a scatter; as `jax.lax.ScatterDimensionNumbers`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ScatterDims {
    /// Axes of `updates` that are axes of the window.
    pub update_window_dims: Vec<usize>,
    /// Operand axes of window extent 1 that `updates` does not have.
    pub inserted_window_dims: Vec<usize>,
    /// The operand axis that each component of an index vector moves along.
    pub scatter_dims_to_operand_dims: Vec<usize>,
    /// Operand axes that are batch: the same index as on the paired axis of `indices`.
    pub operand_batching_dims: Vec<usize>,
    /// The axes of `indices` paired with `operand_batching_dims`.
    pub scatter_indices_batching_dims: Vec<usize>,
}

impl GatherDims {
    /// The dims of the scatter that writes where this gather reads, updates shaped as its result.
    #[must_use]
    pub fn to_scatter(&self) -> ScatterDims {
        ScatterDims {
            update_window_dims: self.offset_dims.clone(),
            inserted_window_dims: self.collapsed_slice_dims.clone(),
            scatter_dims_to_operand_dims: self.start_index_map.clone(),
            operand_batching_dims: self.operand_batching_dims.clone(),
            scatter_indices_batching_dims: self.start_indices_batching_dims.clone(),
        }
    }
}

impl ScatterDims {
    /// The dims of the gather that reads where this scatter writes, its result shaped as the updates.
    #[must_use]
    pub fn to_gather(&self) -> GatherDims {
        GatherDims {
            offset_dims: self.update_window_dims.clone(),
            collapsed_slice_dims: self.inserted_window_dims.clone(),
            start_index_map: self.scatter_dims_to_operand_dims.clone(),
            operand_batching_dims: self.operand_batching_dims.clone(),
            start_indices_batching_dims: self.scatter_indices_batching_dims.clone(),
        }
    }

    /// The extents of an update window per operand axis, from the types of operand and updates: 1 on
    /// inserted and batch axes.
    ///
    /// # Panics
    /// If the dims do not fit the types; [`Prim::infer`](crate::Prim::infer) refuses such scatters.
    #[must_use]
    pub fn window_sizes(&self, operand: &TensorType, updates: &TensorType) -> Vec<usize> {
        let mut window = self.update_window_dims.iter();
        (0..operand.rank())
            .map(|a| {
                if self.inserted_window_dims.contains(&a) || self.operand_batching_dims.contains(&a) {
                    1
                } else {
                    updates.shape[*window.next().expect("one update window axis for each kept operand axis")]
                }
            })
            .collect()
    }
}

impl IndexMode {
    /// The default fill value of mode `fill_or_drop`: NaN for floats, the least value for signed and
    /// the greatest for unsigned integers, `true` for `bool`.
    #[must_use]
    pub fn default_fill(dtype: DType) -> Scalar {
        match dtype {
            DType::Bool | DType::U8 | DType::U16 | DType::U32 | DType::U64 => Scalar::max_value(dtype),
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => Scalar::min_value(dtype),
            DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Scalar::from_f64(dtype, f64::NAN),
        }
    }
}

fn require_starts(prim: &'static str, rank: usize, n_before: usize, inputs: &[&TensorType]) -> Result<(), TypeError> {
    if inputs.len() != n_before + rank {
        return Err(TypeError::Arity { prim, expected: n_before + rank, found: inputs.len() });
    }
    for start in &inputs[n_before..] {
        TypeError::require_index(prim, start)?;
        if start.rank() != 0 {
            return Err(TypeError::Rank { prim, what: "a start index", expected: 0, found: (*start).clone() });
        }
    }
    Ok(())
}

pub(super) fn infer_dynamic_slice(slice_sizes: &[usize], inputs: &[&TensorType]) -> Result<TensorType, TypeError> {
    let prim = "dynamic_slice";
    let Some(x) = inputs.first() else {
        return Err(TypeError::Arity { prim, expected: 1, found: 0 });
    };
    require_starts(prim, x.rank(), 1, inputs)?;
    if slice_sizes.len() != x.rank() || slice_sizes.iter().zip(&x.shape).any(|(n, m)| n > m) {
        return Err(TypeError::Param {
            prim,
            param: "slice_sizes",
            found: format!("{slice_sizes:?}"),
            operand: (*x).clone(),
            rule: "it has one entry for each axis, none above the axis's extent",
        });
    }
    Ok(x.with_shape(slice_sizes))
}

pub(super) fn infer_dynamic_update_slice(inputs: &[&TensorType]) -> Result<TensorType, TypeError> {
    let prim = "dynamic_update_slice";
    let [x, update, ..] = inputs else {
        return Err(TypeError::Arity { prim, expected: 2, found: inputs.len() });
    };
    require_starts(prim, x.rank(), 2, inputs)?;
    let (lhs, rhs) = ((*x).clone(), (*update).clone());
    if x.dtype != update.dtype {
        return Err(TypeError::DTypeMismatch { prim, lhs, rhs });
    }
    if update.rank() != x.rank() || update.shape.iter().zip(&x.shape).any(|(n, m)| n > m) {
        return Err(TypeError::ShapeMismatch { prim, lhs, rhs });
    }
    Ok(lhs)
}

/// What gather and scatter ask alike of the axes that locate windows.
fn require_window_dims(
    prim: &'static str,
    dims: &GatherDims,
    x: &TensorType,
    indices: &TensorType,
) -> Result<(), TypeError> {
    TypeError::require_index(prim, indices)?;
    let bad = |param, found: &[usize], operand: &TensorType, rule| {
        Err(TypeError::Param { prim, param, found: format!("{found:?}"), operand: operand.clone(), rule })
    };
    let Some((&n_components, batch)) = indices.shape.split_last() else {
        return Err(TypeError::Rank { prim, what: "indices", expected: 1, found: indices.clone() });
    };
    TypeError::require_axes(prim, &[&dims.collapsed_slice_dims[..], &dims.operand_batching_dims].concat(), x)?;
    TypeError::require_axes(prim, &[&dims.start_index_map[..], &dims.operand_batching_dims].concat(), x)?;
    TypeError::require_axes(prim, &dims.start_indices_batching_dims, indices)?;
    if !dims.collapsed_slice_dims.is_sorted() {
        return bad("collapsed_slice_dims", &dims.collapsed_slice_dims, x, "its entries increase");
    }
    if !dims.operand_batching_dims.is_sorted() {
        return bad("operand_batching_dims", &dims.operand_batching_dims, x, "its entries increase");
    }
    if dims.start_index_map.len() != n_components {
        let rule = "it has one entry for each component of an index vector (the last axis of the indices)";
        return bad("start_index_map", &dims.start_index_map, indices, rule);
    }
    let pairs = dims.operand_batching_dims.iter().zip(&dims.start_indices_batching_dims);
    if dims.operand_batching_dims.len() != dims.start_indices_batching_dims.len()
        || pairs.into_iter().any(|(&a, &i)| i >= batch.len() || x.shape[a] != indices.shape[i])
    {
        let rule = "each pairs with a batch axis of the indices of equal extent";
        return bad("operand_batching_dims", &dims.operand_batching_dims, x, rule);
    }
    Ok(())
}

pub(super) fn infer_gather(
    dims: &GatherDims,
    slice_sizes: &[usize],
    fill_value: Option<Scalar>,
    x: &TensorType,
    indices: &TensorType,
) -> Result<TensorType, TypeError> {
    let prim = "gather";
    require_window_dims(prim, dims, x, indices)?;
    let bad = |param, found: String, rule| Err(TypeError::Param { prim, param, found, operand: x.clone(), rule });
    let dropped = |a: usize| dims.collapsed_slice_dims.contains(&a) || dims.operand_batching_dims.contains(&a);
    let fits = |(a, &n): (usize, &usize)| n <= x.shape[a] && (n <= 1 || !dropped(a));
    if slice_sizes.len() != x.rank() || !slice_sizes.iter().enumerate().all(fits) {
        let rule = "one entry for each axis, none above its extent, at most 1 on collapsed and batch axes";
        return bad("slice_sizes", format!("{slice_sizes:?}"), rule);
    }
    if fill_value.is_some_and(|v| v.dtype() != x.dtype) {
        return bad("fill_value", format!("{fill_value:?}"), "it has the operand's dtype");
    }
    let batch = &indices.shape[..indices.rank() - 1];
    let window: Vec<usize> = (0..x.rank()).filter(|&a| !dropped(a)).map(|a| slice_sizes[a]).collect();
    let rank = batch.len() + window.len();
    let offsets = &dims.offset_dims;
    if offsets.len() != window.len() || !offsets.is_sorted_by(|a, b| a < b) || offsets.iter().any(|&d| d >= rank) {
        let rule = "increasing axes of the result, one for each window axis that is kept";
        return bad("offset_dims", format!("{offsets:?}"), rule);
    }
    let (mut batch, mut window) = (batch.iter(), window.iter());
    let shape = (0..rank).filter_map(|d| if offsets.contains(&d) { window.next() } else { batch.next() });
    Ok(x.with_shape(shape.copied().collect::<Vec<_>>()))
}

pub(super) fn infer_scatter(
    op: ScatterOp,
    dims: &ScatterDims,
    x: &TensorType,
    indices: &TensorType,
    updates: &TensorType,
) -> Result<TensorType, TypeError> {
    let prim = op.name();
    require_window_dims(prim, &dims.to_gather(), x, indices)?;
    if x.dtype != updates.dtype {
        return Err(TypeError::DTypeMismatch { prim, lhs: x.clone(), rhs: updates.clone() });
    }
    let numeric = match op {
        ScatterOp::Add | ScatterOp::Mul => true,
        ScatterOp::Set | ScatterOp::Min | ScatterOp::Max => false,
    };
    if numeric && x.dtype == DType::Bool {
        return Err(dtype_error(prim, "numbers", x));
    }
    let bad = |param, found: String, rule| Err(TypeError::Param { prim, param, found, operand: updates.clone(), rule });
    let dropped = |a: usize| dims.inserted_window_dims.contains(&a) || dims.operand_batching_dims.contains(&a);
    let kept: Vec<usize> = (0..x.rank()).filter(|&a| !dropped(a)).collect();
    let window = &dims.update_window_dims;
    let batch = &indices.shape[..indices.rank() - 1];
    if window.len() != kept.len() || !window.is_sorted_by(|a, b| a < b) || window.iter().any(|&d| d >= updates.rank()) {
        let rule = "increasing axes of the updates, one for each operand axis that is not inserted or batch";
        return bad("update_window_dims", format!("{window:?}"), rule);
    }
    if window.iter().zip(&kept).any(|(&d, &a)| updates.shape[d] > x.shape[a]) {
        return bad("updates", updates.to_string(), "no window is larger than the operand");
    }
    let scattered = (0..updates.rank()).filter(|d| !window.contains(d)).map(|d| updates.shape[d]);
    if !scattered.eq(batch.iter().copied()) {
        let rule = "its axes that are not window axes are the batch axes of the indices";
        return bad("updates", updates.to_string(), rule);
    }
    Ok(x.clone())
}
