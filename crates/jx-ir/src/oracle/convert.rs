//! Conversion between dtypes.

use super::numbers::{Float, Int, by_kind, map};
use crate::{Array, DType};

pub(super) fn convert(x: &Array, dtype: DType) -> Array {
    by_kind!(dtype,
        bool => by_kind!(x.dtype(),
            bool => x.clone(),
            int S => map::<S, bool>(x, |x| x != S::ZERO),
            float S => map::<S, bool>(x, |x| Float::to_f64(x) != 0.0)),
        int T => by_kind!(x.dtype(),
            bool => map::<bool, T>(x, |x| if x { T::ONE } else { T::ZERO }),
            int S => map::<S, T>(x, |x| <T as Int>::wrapped(x.to_i128())),
            float S => map::<S, T>(x, |x| saturate::<T>(Float::to_f64(x)))),
        float T => by_kind!(x.dtype(),
            bool => map::<bool, T>(x, |x| <T as Float>::from_f64(f64::from(u8::from(x)))),
            int S => map::<S, T>(x, |x| int_to_float::<T>(x.to_i128())),
            float S => map::<S, T>(x, |x| <T as Float>::from_f64(Float::to_f64(x)))))
}

/// Truncated, then clamped into range; NaN gives 0.
fn saturate<T: Int>(x: f64) -> T {
    let (min, max) = (T::MIN.to_i128(), T::MIN.to_i128() + ((1_i128 << T::BITS) - 1));
    // A cast from float saturates at the 128-bit range and sends NaN to 0.
    T::wrapped((x as i128).clamp(min, max))
}

/// Rounded once: to nearest in the dtype, not to `f64` first where that could round twice.
fn int_to_float<T: Float>(x: i128) -> T {
    let rounded = x as f64;
    let back = rounded as i128;
    if back == x || T::DTYPE == DType::F64 {
        return T::from_f64(rounded);
    }
    // Round to odd: of the two neighbours that enclose x take the one with an odd last bit; rounding
    // that to a shorter format is rounding x.
    let odd = if rounded.to_bits() & 1 == 1 {
        rounded
    } else if (back < x) == (x > 0) {
        f64::from_bits(rounded.to_bits() + 1)
    } else {
        f64::from_bits(rounded.to_bits() - 1)
    };
    T::from_f64(odd)
}
