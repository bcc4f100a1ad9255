//! The meaning of contraction.

use super::movement::{places, row_major};
use super::value::{Sum, Value, Wide, any, number};
use super::{array, elements};
use crate::{Array, DotDims, TensorType};

/// Where an operand's elements are: the places that its batch, free and contracted axes add up.
struct Places {
    batch: Vec<usize>,
    free: Vec<usize>,
    contracted: Vec<usize>,
}

impl Places {
    fn new(x: &Array, batch: &[usize], free: &[usize], contracted: &[usize]) -> Places {
        let strides = row_major(x.shape());
        let along = |axes: &[usize]| {
            let shape: Vec<usize> = axes.iter().map(|&a| x.shape()[a]).collect();
            let strides: Vec<usize> = axes.iter().map(|&a| strides[a]).collect();
            places(&shape, &strides, 0)
        };
        Places { batch: along(batch), free: along(free), contracted: along(contracted) }
    }
}

/// If operands and result are integers, all is done modulo 2^64 and the low bits are kept. Otherwise
/// the sum is taken in `f64` and rounded, for an integer result truncated, once.
pub(super) fn dot_general(dims: &DotDims, lhs: &Array, rhs: &Array, ty: &TensorType) -> Array {
    if ty.n_elements() == 0 {
        return Array::zeros(ty);
    }
    let l = Places::new(lhs, &dims.lhs_batch, &dims.lhs_free(lhs.shape().len()), &dims.lhs_contracting);
    let r = Places::new(rhs, &dims.rhs_batch, &dims.rhs_free(rhs.shape().len()), &dims.rhs_contracting);
    let sums: Vec<Wide> = if lhs.dtype().is_float() || ty.dtype.is_float() {
        sums(&l, &r, &widened(lhs, Wide::to_f64), &widened(rhs, Wide::to_f64), |products| {
            let mut sum = Sum::default();
            products.for_each(|(x, y)| sum.add(x * y));
            Wide::Float(sum.value())
        })
    } else {
        let low = |v: Wide| v.to_int() as i64;
        sums(&l, &r, &widened(lhs, low), &widened(rhs, low), |products| {
            Wide::Int(i128::from(products.fold(0_i64, |sum, (x, y)| sum.wrapping_add(x.wrapping_mul(y)))))
        })
    };
    number!(ty.dtype, T => array(&ty.shape, sums.into_iter().map(<T as Value>::narrow).collect()))
}

fn widened<W>(x: &Array, to: impl Fn(Wide) -> W) -> Vec<W> {
    any!(x.dtype(), T => elements::<T>(x).iter().map(|&v| to(v.widen())).collect())
}

/// `sum` of the pairs of factors, for every element of the result in order.
fn sums<W: Copy>(
    l: &Places,
    r: &Places,
    lhs: &[W],
    rhs: &[W],
    sum: impl Fn(&mut dyn Iterator<Item = (W, W)>) -> Wide,
) -> Vec<Wide> {
    let mut sums = Vec::with_capacity(l.batch.len() * l.free.len() * r.free.len());
    for (lb, rb) in l.batch.iter().zip(&r.batch) {
        for lf in &l.free {
            for rf in &r.free {
                let pairs = l.contracted.iter().zip(&r.contracted);
                sums.push(sum(&mut pairs.map(|(lc, rc)| (lhs[lb + lf + lc], rhs[rb + rf + rc]))));
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use crate::eval::testing::{numbers, one, shaped, vector};
    use crate::{Array, DType, DotDims, Prim};

    fn dot(dims: DotDims, out_dtype: DType, lhs: &Array, rhs: &Array) -> Array {
        one(&Prim::DotGeneral { dims, out_dtype }, &[lhs, rhs])
    }

    fn inner(out_dtype: DType, lhs: &Array, rhs: &Array) -> Array {
        let dims = DotDims { lhs_contracting: vec![0], rhs_contracting: vec![0], ..DotDims::default() };
        dot(dims, out_dtype, lhs, rhs)
    }

    #[test]
    fn result_axes_are_batch_then_free() {
        // NumPy 2.4.6: einsum("kbm,nkb->bmn", x, y).
        let x = shaped(&[3, 2, 2], &(0..12).map(f64::from).collect::<Vec<_>>());
        let y = shaped(&[2, 3, 2], &(0..12).map(f64::from).collect::<Vec<_>>());
        let dims =
            DotDims { lhs_contracting: vec![0], rhs_contracting: vec![1], lhs_batch: vec![1], rhs_batch: vec![2] };
        let want = [40.0, 112.0, 46.0, 136.0, 70.0, 178.0, 79.0, 205.0];
        assert_eq!(dot(dims, DType::F64, &x, &y), shaped(&[2, 2, 2], &want));
    }

    #[test]
    fn integers_wrap_in_the_result_dtype() {
        // JAX 0.10.2: lax.dot_general with and without preferred_element_type.
        let x = vector(&[100_i8, 100]);
        assert_eq!(inner(DType::I8, &x, &x), Array::scalar(32_i8));
        assert_eq!(inner(DType::I32, &x, &x), Array::scalar(20000_i32));
        assert_eq!(inner(DType::U64, &vector(&[u64::MAX]), &vector(&[u64::MAX])), Array::scalar(1_u64));
        assert_eq!(inner(DType::I64, &vector(&[-3_i8]), &vector(&[5_i8])), Array::scalar(-15_i64));
    }

    #[test]
    fn floats_are_summed_wide_and_rounded_once() {
        let (x, ones) = (vector(&[16777216_f32, 1.0, 1.0, 1.0]), vector(&[1_f32; 4]));
        assert_eq!(inner(DType::F32, &x, &ones), Array::scalar(16777220_f32));
        assert_eq!(inner(DType::F64, &x, &ones), Array::scalar(16777219.0));
        let x = numbers(DType::F16, &[300.0, 1.0]);
        assert_eq!(inner(DType::F32, &x, &x), Array::scalar(90001_f32));
        assert_eq!(inner(DType::F16, &x, &x).to_f64_vec(), [f64::INFINITY]);
        assert_eq!(inner(DType::F64, &vector(&[1e100, 1.0, -1e100]), &vector(&[1.0; 3])), Array::scalar(1.0));
    }

    #[test]
    fn kinds_may_differ_between_operands_and_result() {
        // JAX 0.10.2: lax.dot_general([1.5, 300], [2, 300], preferred_element_type=int32) is 90003.
        assert_eq!(inner(DType::I32, &vector(&[1.5_f32, 300.0]), &vector(&[2.0_f32, 300.0])), Array::scalar(90003));
        assert_eq!(inner(DType::F32, &vector(&[1_i32, 300]), &vector(&[2, 300])), Array::scalar(90002_f32));
    }

    #[test]
    fn a_contraction_of_nothing_is_zero() {
        let dims = DotDims { lhs_contracting: vec![1], rhs_contracting: vec![0], ..DotDims::default() };
        let (x, y) = (shaped::<f32>(&[2, 0], &[]), shaped::<f32>(&[0, 3], &[]));
        assert_eq!(dot(dims, DType::F32, &x, &y), shaped(&[2, 3], &[0_f32; 6]));
        let outer = dot(DotDims::default(), DType::U8, &vector(&[1_u8, 2]), &vector(&[3_u8, 4]));
        assert_eq!(outer, shaped(&[2, 2], &[3_u8, 4, 6, 8]));
        assert_eq!(dot(DotDims::default(), DType::F32, &x, &y), shaped::<f32>(&[2, 0, 0, 3], &[]));
    }
}
