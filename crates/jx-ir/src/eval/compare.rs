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

#[cfg(test)]
mod tests {
    use crate::eval::testing::{assert_same, numbers, one, vector};
    use crate::{Array, CompareOp, DType, Prim};

    #[test]
    fn comparisons_with_nan_are_false_but_ne() {
        let (x, y) = (vector(&[f64::NAN, 0.0, 1.0, 2.0]), vector(&[f64::NAN, -0.0, 2.0, 1.0]));
        for (op, want) in [
            (CompareOp::Eq, [false, true, false, false]),
            (CompareOp::Ne, [true, false, true, true]),
            (CompareOp::Lt, [false, false, true, false]),
            (CompareOp::Le, [false, true, true, false]),
            (CompareOp::Gt, [false, false, false, true]),
            (CompareOp::Ge, [false, true, false, true]),
        ] {
            assert_eq!(one(&Prim::Compare(op), &[&x, &y]), vector(&want), "{}", op.name());
        }
    }

    #[test]
    fn comparisons_are_of_the_dtype() {
        for dtype in DType::ALL {
            let less = one(&Prim::Compare(CompareOp::Lt), &[&numbers(dtype, &[0.0]), &numbers(dtype, &[1.0])]);
            assert_eq!(less, vector(&[true]), "{dtype}");
        }
        let (x, y) = (vector(&[u64::MAX]), vector(&[1_u64]));
        assert_eq!(one(&Prim::Compare(CompareOp::Gt), &[&x, &y]), vector(&[true]));
        // Beyond 2^53 neighbours differ still.
        let (x, y) = (vector(&[i64::MAX]), vector(&[i64::MAX - 1]));
        assert_eq!(one(&Prim::Compare(CompareOp::Eq), &[&x, &y]), vector(&[false]));
    }

    #[test]
    fn a_selector_out_of_range_is_clamped() {
        // JAX 0.10.2: lax.select_n(array([-1, 0, 1, 2, 9]), full(5, 0), full(5, 1), full(5, 2)).
        let cases = [vector(&[0_i8; 5]), vector(&[1_i8; 5]), vector(&[2_i8; 5])];
        let select = |which: &Array| one(&Prim::SelectN, &[which, &cases[0], &cases[1], &cases[2]]);
        assert_eq!(select(&vector(&[-1, 0, 1, 2, 9])), vector(&[0_i8, 0, 1, 2, 2]));
        assert_eq!(select(&vector(&[0, 1, 2, 1 << 63, u64::MAX])), vector(&[0_i8, 1, 2, 2, 2]));
        let which = vector(&[true, false]);
        let chosen = one(&Prim::SelectN, &[&which, &vector(&[1.0, 2.0]), &vector(&[f64::NAN, f64::NAN])]);
        assert_same(&chosen, &vector(&[f64::NAN, 2.0]));
    }

    #[test]
    fn clamp_takes_the_upper_bound_last_and_keeps_nan() {
        // JAX 0.10.2: lax.clamp.
        let nan = f32::NAN;
        let (lo, x, hi) = (
            vector(&[nan, 0.0, 0.0, 3.0, 0.0]),
            vector(&[1.0_f32, nan, 1.0, 1.0, 9.0]),
            vector(&[2.0, 2.0, nan, 2.0, 2.0]),
        );
        assert_same(&one(&Prim::Clamp, &[&lo, &x, &hi]), &vector(&[nan, nan, nan, 2.0, 2.0]));
        assert_eq!(one(&Prim::Clamp, &[&vector(&[3_u8]), &vector(&[1_u8]), &vector(&[2_u8])]), vector(&[2_u8]));
    }
}
