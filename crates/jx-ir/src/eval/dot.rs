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
