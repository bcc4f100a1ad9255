//! The meaning of conversion between dtypes.

use super::value::{Value, Wide, any};
use super::{array, elements};
use crate::{Array, DType};

pub(super) fn convert(dtype: DType, x: &Array) -> Array {
    if x.dtype() == dtype {
        return x.clone();
    }
    let wide: Vec<Wide> = any!(x.dtype(), T => elements::<T>(x).iter().map(|&v| v.widen()).collect());
    any!(dtype, T => array(x.shape(), wide.into_iter().map(<T as Value>::narrow).collect()))
}

#[cfg(test)]
mod tests {
    use crate::eval::testing::{assert_same, numbers, one, vector};
    use crate::{Array, DType, Prim, f16};

    fn to(dtype: DType, x: &Array) -> Array {
        one(&Prim::Convert { dtype }, &[x])
    }

    #[test]
    fn floats_truncate_and_saturate_with_nan_to_zero() {
        // JAX 0.10.2 on CPU for i32; for u8 it gives 255 0 0 255 (-1.9 wraps), here -1.9 saturates to 0.
        let x = vector(&[1e10, -1e10, f64::NAN, -1.9, 300.0]);
        assert_eq!(to(DType::I32, &x), vector(&[i32::MAX, i32::MIN, 0, -1, 300]));
        assert_eq!(to(DType::U8, &x), vector(&[255_u8, 0, 0, 0, 255]));
        let ends = vector(&[f32::INFINITY, f32::NEG_INFINITY, 1e20]);
        assert_eq!(to(DType::I64, &ends), vector(&[i64::MAX, i64::MIN, i64::MAX]));
        assert_eq!(to(DType::U64, &ends), vector(&[u64::MAX, 0, u64::MAX]));
        assert_eq!(to(DType::I8, &numbers(DType::F16, &[200.0, -200.0])), vector(&[127_i8, -128]));
        assert_eq!(to(DType::Bool, &vector(&[0.0, -0.0, f64::NAN, 0.1])), vector(&[false, false, true, true]));
    }

    #[test]
    fn integers_wrap() {
        assert_eq!(to(DType::I8, &vector(&[300, -1, 128])), vector(&[44_i8, -1, -128]));
        assert_eq!(to(DType::U64, &vector(&[-1_i8])), vector(&[u64::MAX]));
        assert_eq!(to(DType::I64, &vector(&[u64::MAX])), vector(&[-1_i64]));
        assert_eq!(to(DType::U16, &vector(&[true, false])), vector(&[1_u16, 0]));
        assert_eq!(to(DType::Bool, &vector(&[256_i32, 0])), vector(&[true, false]));
    }

    #[test]
    fn floats_are_rounded_once_to_nearest_even() {
        assert_eq!(to(DType::F32, &vector(&[i64::MAX, (1 << 24) + 1])), vector(&[9.223372e18_f32, 16777216.0]));
        // Through f32 this would be a tie, and round down.
        let x = vector(&[1.0 + 2f64.powi(-11) + 2f64.powi(-40)]);
        assert_eq!(to(DType::F16, &x).to_f64_vec(), [1.0009765625]);
        assert_eq!(to(DType::F16, &vector(&[65520_i32, 65519])), vector(&[f16::INFINITY, f16::MAX]));
        assert_eq!(to(DType::F32, &vector(&[1e-45_f64, 1e300])), vector(&[1e-45_f32, f32::INFINITY]));
    }

    #[test]
    fn small_integers_survive_every_round_trip() {
        for from in DType::ALL {
            for through in DType::ALL {
                let x = numbers(from, &[0.0, 1.0]);
                assert_same(&to(from, &to(through, &x)), &x);
            }
        }
    }
}
