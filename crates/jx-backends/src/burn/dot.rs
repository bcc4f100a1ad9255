//! Contraction, as a product of matrices for every index of the batch axes.

use super::Target;
use super::convert::{is_narrow, widen, wrap};
use super::movement::{full, permuted};
use super::program::{Lowered, kernel2};
use super::tensor::{Value, float_dtype};
use burn_backend::Backend;
use jx_ir::{DType, DotDims, Scalar, TensorType};

pub(super) fn dot_general<B: Backend>(
    target: &Target<B>,
    dims: &DotDims,
    out_dtype: DType,
    operands: &[&TensorType],
    result: &TensorType,
) -> Lowered<B> {
    let (lhs, rhs) = (operands[0], operands[1]);
    if lhs.n_elements() == 0 || rhs.n_elements() == 0 {
        // The result has elements, so what is contracted has none.
        return Ok(full(target, Scalar::zero(out_dtype), &result.shape));
    }
    let dtype = lhs.dtype;
    if dtype.is_float() != out_dtype.is_float() {
        return Err("Burn's products are of floats or of integers throughout".to_owned());
    }
    // Products of 16 bits leave 31 bits for the sum.
    if dtype.is_int() && !(dtype.size_bytes() <= 2 && is_narrow(out_dtype) && target.has(DType::I64)) {
        return Err(format!("a sum of products of {dtype} may overflow, at which Burn panics"));
    }
    let (lhs_free, rhs_free) = (dims.lhs_free(lhs.rank()), dims.rhs_free(rhs.rank()));
    let lhs_order = [&dims.lhs_batch[..], &lhs_free, &dims.lhs_contracting].concat();
    let rhs_order = [&dims.rhs_batch[..], &dims.rhs_contracting, &rhs_free].concat();
    for order in [&lhs_order, &rhs_order] {
        if !order.is_sorted() && order.len() > target.max_rank {
            return Err(format!("{} permutes {} axes at most", target.device, target.max_rank));
        }
    }
    let size = |ty: &TensorType, axes: &[usize]| axes.iter().map(|&a| ty.shape[a]).product::<usize>();
    let (b, k) = (size(lhs, &dims.lhs_batch), size(lhs, &dims.lhs_contracting));
    let (m, n) = (size(lhs, &lhs_free), size(rhs, &rhs_free));
    let (lhs_shape, rhs_shape) = (lhs.shape.clone(), rhs.shape.clone());
    let physical = target.physical(&result.shape);
    kernel2::<B>(move |_, x, y| {
        let x = permuted(x, &lhs_order, &lhs_shape).reshape(&[b, m, k]);
        let y = permuted(y, &rhs_order, &rhs_shape).reshape(&[b, k, n]);
        let product = if out_dtype.is_float() {
            // Products are summed in the result's dtype, or in the operands' if that is wider.
            let wider = if out_dtype.size_bytes() > dtype.size_bytes() { out_dtype } else { dtype };
            let wide = |x: Value<B>| {
                if wider == dtype { x.float() } else { B::float_cast(x.float(), float_dtype(wider)) }
            };
            let product = B::float_matmul(wide(x), wide(y));
            Value::Float(if wider == out_dtype { product } else { B::float_cast(product, float_dtype(out_dtype)) })
        } else {
            Value::Int(wrap::<B>(B::int_matmul(widen::<B>(x.int()), widen::<B>(y.int())), out_dtype))
        };
        product.reshape(&physical)
    })
}
