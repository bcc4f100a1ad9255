//! Comparison, selection and clamping.

use super::binary::{float_binary, int_binary};
use super::numbers::{Float, array, by_dtype, by_kind, elements, zip};
use crate::{Array, BinaryOp, CompareOp, DType};

pub(super) fn compare(op: CompareOp, x: &Array, y: &Array) -> Array {
    by_dtype!(x.dtype(), T => zip::<T, bool>(x, y, |x, y| holds(op, x, y)))
}

fn holds<T: PartialOrd>(op: CompareOp, x: T, y: T) -> bool {
    match op {
        CompareOp::Eq => x == y,
        CompareOp::Ne => x != y,
        CompareOp::Lt => x < y,
        CompareOp::Le => x <= y,
        CompareOp::Gt => x > y,
        CompareOp::Ge => x >= y,
    }
}

pub(super) fn select_n(which: &Array, cases: &[&Array]) -> Array {
    let last = cases.len() - 1;
    let chosen: Vec<usize> = which
        .scalars()
        .map(|s| {
            let index = if which.dtype() == DType::U64 { i128::from(s.bits()) } else { i128::from(s.as_i64()) };
            usize::try_from(index.clamp(0, last as i128)).expect("clamped into range")
        })
        .collect();
    by_dtype!(cases[0].dtype(), T => {
        let cases: Vec<&[T]> = cases.iter().map(|c| elements::<T>(c)).collect();
        array(which.shape(), chosen.iter().enumerate().map(|(i, &c)| cases[c][i]).collect())
    })
}

pub(super) fn clamp(lo: &Array, x: &Array, hi: &Array) -> Array {
    by_kind!(x.dtype(),
    bool => unreachable!("the shape rule refuses bool for clamp"),
    int T => {
        let raised = zip::<T, T>(x, lo, |x, lo| int_binary(BinaryOp::Max, x, lo));
        zip::<T, T>(&raised, hi, |x, hi| int_binary(BinaryOp::Min, x, hi))
    },
    float T => {
        let of = |op, x: T, y: T| <T as Float>::from_f64(float_binary(op, Float::to_f64(x), Float::to_f64(y)));
        let raised = zip::<T, T>(x, lo, |x, lo| of(BinaryOp::Max, x, lo));
        zip::<T, T>(&raised, hi, |x, hi| of(BinaryOp::Min, x, hi))
    })
}
