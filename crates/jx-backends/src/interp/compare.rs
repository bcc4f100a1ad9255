//! Comparison and selection.

use super::arg::{Arg, array, slice, zip_to};
use super::real::Real;
use jx_ir::{Array, CompareOp, Element};

/// `op(x, y)` for every pair of elements.
pub(super) fn apply<T: Real>(op: CompareOp, x: &Arg<'_>, y: &Arg<'_>) -> Array {
    match op {
        CompareOp::Eq => zip_to(x, y, |a: T, b: T| a == b),
        CompareOp::Ne => zip_to(x, y, |a: T, b: T| a != b),
        CompareOp::Lt => zip_to(x, y, |a: T, b: T| a < b),
        CompareOp::Le => zip_to(x, y, |a: T, b: T| a <= b),
        CompareOp::Gt => zip_to(x, y, |a: T, b: T| a > b),
        CompareOp::Ge => zip_to(x, y, |a: T, b: T| a >= b),
    }
}

/// `on_true` where `which`, else `on_false`; in place where nothing else shares a case.
pub(super) fn select<T: Element>(which: &Array, on_false: Arg<'_>, on_true: Arg<'_>) -> Array {
    let which_values = slice::<bool>(which);
    let on_false = match on_false {
        Arg::Own(mut x) => {
            if let Some(values) = x.as_unique_slice::<T>() {
                write_where(values, which_values, true, &on_true);
                return x;
            }
            Arg::Own(x)
        }
        x @ (Arg::Ref(_) | Arg::Splat(_)) => x,
    };
    let on_true = match on_true {
        Arg::Own(mut x) => {
            if let Some(values) = x.as_unique_slice::<T>() {
                write_where(values, which_values, false, &on_false);
                return x;
            }
            Arg::Own(x)
        }
        x @ (Arg::Ref(_) | Arg::Splat(_)) => x,
    };
    let mut values: Vec<T> = match &on_false {
        Arg::Splat(value) => vec![T::from_bits(value.bits()); which_values.len()],
        x @ (Arg::Own(_) | Arg::Ref(_)) => x.slice::<T>().to_vec(),
    };
    write_where(&mut values, which_values, true, &on_true);
    array(which.shape(), values)
}

/// Writes `case` over the elements where `which` is `when`.
fn write_where<T: Element>(values: &mut [T], which: &[bool], when: bool, case: &Arg<'_>) {
    match case {
        Arg::Splat(case) => {
            let case = T::from_bits(case.bits());
            for (v, &w) in values.iter_mut().zip(which) {
                *v = if w == when { case } else { *v };
            }
        }
        case @ (Arg::Own(_) | Arg::Ref(_)) => {
            for ((v, &w), &c) in values.iter_mut().zip(which).zip(case.slice::<T>()) {
                *v = if w == when { c } else { *v };
            }
        }
    }
}
