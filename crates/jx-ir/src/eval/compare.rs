//! The meaning of comparison, selection and clamping.

use super::value::{Value, any, number};
use super::{array, elements, zip};
use crate::{Array, CompareOp};

pub(super) fn compare(op: CompareOp, x: &Array, y: &Array) -> Array {
    any!(x.dtype(), T => {
        let holds: fn(&T, &T) -> bool = match op {
            CompareOp::Eq => |v, w| v == w,
            CompareOp::Ne => |v, w| v != w,
            CompareOp::Lt => |v, w| v < w,
            CompareOp::Le => |v, w| v <= w,
            CompareOp::Gt => |v, w| v > w,
            CompareOp::Ge => |v, w| v >= w,
        };
        zip(x, y, |v: T, w: T| holds(&v, &w))
    })
}

pub(super) fn select_n(which: &Array, cases: &[&Array]) -> Array {
    let last = cases.len() as i128 - 1;
    let chosen: Vec<usize> = any!(which.dtype(), T => {
        elements::<T>(which).iter().map(|&i| i.widen().to_int().clamp(0, last) as usize).collect()
    });
    any!(cases[0].dtype(), T => {
        let cases: Vec<&[T]> = cases.iter().map(|&case| elements(case)).collect();
        array(which.shape(), chosen.iter().enumerate().map(|(i, &c)| cases[c][i]).collect())
    })
}

pub(super) fn clamp(lo: &Array, x: &Array, hi: &Array) -> Array {
    number!(x.dtype(), T => {
        let at_least = zip::<T, T>(x, lo, <T as Value>::greater);
        zip::<T, T>(&at_least, hi, <T as Value>::lesser)
    })
}
