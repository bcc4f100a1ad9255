//! Whether a result is the one that JAX gives: exactly for integers and truth values, within the tolerance
//! of the dtype and the measured noise for floats.

use jx_ir::{Array, DType, Scalar, TensorType};
use std::fmt;

/// The tolerance of a float dtype: relative to the wanted value, and absolute. JAX's own reference is
/// XLA's approximations, which are off by some units in the last place themselves.
fn tolerance(dtype: DType) -> (f64, f64) {
    match dtype {
        DType::F16 => (2e-3, 1e-4),
        DType::BF16 => (1.6e-2, 1e-3),
        DType::F32 => (2e-5, 2e-6),
        DType::F64 => (1e-12, 1e-13),
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64 => (0.0, 0.0),
    }
}

/// The most that noise may count for, as a multiple of the dtype's relative tolerance of the largest value
/// wanted: beyond it the program jumps, and its noise says nothing about rounding.
const NOISE_CAP: f64 = 32.0;

/// What a comparison of one output comes to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Verdict {
    /// They agree.
    Agree,
    /// They are of different types.
    Type {
        /// What came.
        got: TensorType,
        /// What was wanted.
        want: TensorType,
    },
    /// Elements differ.
    Differ(Vec<ElementMismatch>),
}

/// An element that differs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ElementMismatch {
    /// Its place in row-major order.
    pub(super) index: usize,
    /// What came.
    pub(super) got: Scalar,
    /// What was wanted.
    pub(super) want: Scalar,
}

impl fmt::Display for ElementMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "element {}: got {}, want {}", self.index, self.got, self.want)
    }
}

/// Compares an output with the wanted one.
pub(super) fn compare(got: &Array, want: &Array, noise: Option<f64>) -> Verdict {
    if got.ty() != want.ty() {
        return Verdict::Type { got: got.ty(), want: want.ty() };
    }
    let (relative, absolute) = tolerance(want.dtype());
    let slack = if want.dtype().is_float() {
        let largest = want.scalars().map(|s| s.as_f64().abs()).filter(|v| v.is_finite()).fold(0.0, f64::max);
        let noise = noise.filter(|n| n.is_finite()).unwrap_or(0.0).max(0.0);
        absolute + (4.0 * noise).min(NOISE_CAP * relative * largest)
    } else {
        0.0
    };
    let differing = got.scalars().zip(want.scalars()).enumerate();
    let differing: Vec<ElementMismatch> = differing
        .filter(|&(_, (g, w))| !agree(g, w, relative, slack))
        .map(|(index, (got, want))| ElementMismatch { index, got, want })
        .collect();
    if differing.is_empty() { Verdict::Agree } else { Verdict::Differ(differing) }
}

fn agree(got: Scalar, want: Scalar, relative: f64, slack: f64) -> bool {
    if got == want {
        return true;
    }
    if !want.dtype().is_float() {
        return false;
    }
    let (g, w) = (got.as_f64(), want.as_f64());
    if g.is_nan() || w.is_nan() || g.is_infinite() || w.is_infinite() {
        return (g.is_nan() && w.is_nan()) || g == w;
    }
    (g - w).abs() <= relative * w.abs() + slack
}
