//! The one table of tolerances, by dtype and class of op, and the comparison that applies it.

use jx_ir::{Array, DType, DTypeKind, Prim, Scalar, TensorType, UnaryOp};
use std::fmt;

/// How much freedom an implementation of an op has in its last bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OpClass {
    /// One right answer: movement, comparison, integers, and what IEEE 754 rounds correctly.
    Exact,
    /// An elementary function, evaluated in the dtype or wider.
    Elementary,
    /// A special function, or sums and products in any order.
    Accumulated,
    /// Whole programs: errors of many ops, one after the other.
    Program,
    /// A derivative beside a difference quotient, in `f64`.
    Differences,
}

/// How far apart two floats may be: within `relative` of the wanted value, or within `of_largest` of the
/// largest finite magnitude in the wanted array, or within `absolute`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Of the wanted value.
    pub relative: f64,
    /// Of the largest finite magnitude in the wanted array: what cancellation leaves of a sum.
    pub of_largest: f64,
    /// In the unit of the values.
    pub absolute: f64,
    /// Whether zeros of different sign differ.
    pub signed_zero: bool,
}

impl Tolerance {
    /// Nothing but the same bits will do (NaNs are alike).
    pub const BITS: Tolerance = Tolerance { relative: 0.0, of_largest: 0.0, absolute: 0.0, signed_zero: true };
}

/// The distance from 1 to the next float of the dtype; 0 for other dtypes.
#[must_use]
pub fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 9.765_625e-4,
        DType::BF16 => 7.812_5e-3,
        DType::F32 => f64::from(f32::EPSILON),
        DType::F64 => f64::EPSILON,
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64 => 0.0,
    }
}

/// The table. Units are those of the last place (`epsilon`), but for differences, whose error is the
/// quotient's own: about ε/h for a step of h = 1e-4.
#[must_use]
pub fn tolerance(dtype: DType, class: OpClass) -> Tolerance {
    let eps = epsilon(dtype);
    let ulps = |relative: f64, of_largest: f64| Tolerance {
        relative: relative * eps,
        of_largest: of_largest * eps,
        // A subnormal result may be flushed to zero on a device.
        absolute: match dtype {
            DType::F32 | DType::BF16 => f64::from(f32::MIN_POSITIVE),
            DType::F64 => f64::MIN_POSITIVE,
            DType::F16 => 6.2e-5,
            DType::Bool
            | DType::I8
            | DType::I16
            | DType::I32
            | DType::I64
            | DType::U8
            | DType::U16
            | DType::U32
            | DType::U64 => 0.0,
        },
        signed_zero: false,
    };
    match class {
        OpClass::Exact => Tolerance::BITS,
        OpClass::Elementary => ulps(4.0, 0.0),
        OpClass::Accumulated => ulps(32.0, 16.0),
        OpClass::Program => ulps(1024.0, 256.0),
        OpClass::Differences => Tolerance { relative: 1e-6, of_largest: 1e-7, absolute: 1e-8, signed_zero: false },
    }
}

/// The class of a primitive on floats; for other dtypes every op is exact.
#[must_use]
pub fn class_of(prim: &Prim) -> OpClass {
    match prim {
        Prim::Unary(op) => unary_class(*op),
        Prim::Binary(op) => binary_class(*op),
        Prim::Compare(_)
        | Prim::SelectN
        | Prim::Clamp
        | Prim::Convert { .. }
        | Prim::StopGradient
        | Prim::Full { .. }
        | Prim::Constant(_)
        | Prim::Iota { .. }
        | Prim::Reshape { .. }
        | Prim::Transpose { .. }
        | Prim::BroadcastInDim { .. }
        | Prim::Slice { .. }
        | Prim::Pad { .. }
        | Prim::Concatenate { .. }
        | Prim::Rev { .. }
        | Prim::DynamicSlice { .. }
        | Prim::DynamicUpdateSlice
        | Prim::Gather { .. }
        | Prim::ArgReduce { .. }
        | Prim::Sort { .. }
        | Prim::Threefry2x32 => OpClass::Exact,
        Prim::IntegerPow { .. }
        | Prim::Scatter { .. }
        | Prim::Reduce { .. }
        | Prim::Cumulative { .. }
        | Prim::DotGeneral { .. } => OpClass::Accumulated,
        Prim::Call { .. } | Prim::Vmap { .. } | Prim::Grad { .. } | Prim::Jvp { .. } => OpClass::Program,
    }
}

fn unary_class(op: UnaryOp) -> OpClass {
    match op {
        UnaryOp::Neg
        | UnaryOp::Abs
        | UnaryOp::Sign
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Round
        | UnaryOp::RoundEven
        | UnaryOp::IsFinite
        | UnaryOp::Not
        | UnaryOp::PopulationCount
        | UnaryOp::Clz
        | UnaryOp::Square
        | UnaryOp::Sqrt => OpClass::Exact,
        UnaryOp::Rsqrt
        | UnaryOp::Cbrt
        | UnaryOp::Exp
        | UnaryOp::Exp2
        | UnaryOp::Expm1
        | UnaryOp::Log
        | UnaryOp::Log1p
        | UnaryOp::Sin
        | UnaryOp::Cos
        | UnaryOp::Tan
        | UnaryOp::Asin
        | UnaryOp::Acos
        | UnaryOp::Atan
        | UnaryOp::Sinh
        | UnaryOp::Cosh
        | UnaryOp::Tanh
        | UnaryOp::Asinh
        | UnaryOp::Acosh
        | UnaryOp::Atanh
        | UnaryOp::Logistic => OpClass::Elementary,
        UnaryOp::Erf | UnaryOp::Erfc | UnaryOp::ErfInv | UnaryOp::Lgamma | UnaryOp::Digamma => OpClass::Accumulated,
    }
}

fn binary_class(op: jx_ir::BinaryOp) -> OpClass {
    use jx_ir::BinaryOp;
    match op {
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::MulNoNan
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Max
        | BinaryOp::Min
        | BinaryOp::NextAfter
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightLogical
        | BinaryOp::ShiftRightArithmetic => OpClass::Exact,
        BinaryOp::Pow | BinaryOp::Atan2 => OpClass::Elementary,
    }
}

/// Two results that differ.
#[derive(Clone, Debug, PartialEq)]
pub enum Mismatch {
    /// They are of different types.
    Type {
        /// What came.
        got: TensorType,
        /// What was wanted.
        want: TensorType,
    },
    /// There are not equally many.
    Count {
        /// How many came.
        got: usize,
        /// How many were wanted.
        want: usize,
    },
    /// An element differs; of several, the one that is furthest off.
    Element {
        /// Its index along each axis.
        index: Vec<usize>,
        /// What came.
        got: Scalar,
        /// What was wanted.
        want: Scalar,
        /// How many representable values lie between, if both are floats and no NaN.
        ulps: Option<u64>,
        /// How many elements differ.
        n_differ: usize,
        /// How many elements there are.
        n_elements: usize,
    },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Type { got, want } => write!(f, "the result is {got}, but {want} was wanted"),
            Mismatch::Count { got, want } => write!(f, "there are {got} results, but {want} were wanted"),
            Mismatch::Element { index, got, want, ulps, n_differ, n_elements } => {
                write!(f, "at {index:?} the result is {got}, but {want} was wanted")?;
                if let Some(ulps) = ulps {
                    write!(f, " ({ulps} ulps)")?;
                }
                write!(f, "; {n_differ} of {n_elements} elements differ")
            }
        }
    }
}

impl std::error::Error for Mismatch {}

/// How many representable values of the dtype lie between two floats; `None` with a NaN or no float.
#[must_use]
pub fn ulps_between(a: Scalar, b: Scalar) -> Option<u64> {
    let dtype = a.dtype();
    if dtype != b.dtype() || !dtype.is_float() || a.as_f64().is_nan() || b.as_f64().is_nan() {
        return None;
    }
    // Floats are ordered as sign and magnitude: mirrored below zero they are ordered as integers.
    let sign = 1_u64 << (8 * dtype.size_bytes() - 1);
    let ordered = |s: Scalar| -> i128 {
        let magnitude = i128::from(s.bits() & !sign);
        if s.bits() & sign == 0 { magnitude } else { -magnitude }
    };
    u64::try_from((ordered(a) - ordered(b)).abs()).ok()
}

/// Whether two arrays agree: types and non-floats exactly, NaN with NaN, floats within the tolerance.
///
/// # Errors
/// If they do not: the element that is furthest off.
pub fn compare(got: &Array, want: &Array, tol: Tolerance) -> Result<(), Mismatch> {
    if got.ty() != want.ty() {
        return Err(Mismatch::Type { got: got.ty(), want: want.ty() });
    }
    let largest = if tol.of_largest == 0.0 {
        0.0
    } else {
        want.scalars().map(|s| s.as_f64().abs()).filter(|v| v.is_finite()).fold(0.0, f64::max)
    };
    let (mut n_differ, mut worst, mut worst_at) = (0, -1.0, 0);
    for (i, (g, w)) in got.scalars().zip(want.scalars()).enumerate() {
        if let Some(distance) = distance(g, w, largest, tol) {
            n_differ += 1;
            if distance > worst {
                (worst, worst_at) = (distance, i);
            }
        }
    }
    if n_differ == 0 {
        return Ok(());
    }
    let (g, w) = (got.get(worst_at), want.get(worst_at));
    let index = unravel(want.shape(), worst_at);
    let ulps = ulps_between(g, w);
    Err(Mismatch::Element { index, got: g, want: w, ulps, n_differ, n_elements: want.n_elements() })
}

/// Whether all results agree; see [`compare`]. The tolerance is that of each result's dtype.
///
/// # Errors
/// The place of the first result that does not, and how it differs.
pub fn compare_all(got: &[Array], want: &[Array], tol: impl Fn(DType) -> Tolerance) -> Result<(), (usize, Mismatch)> {
    if got.len() != want.len() {
        return Err((0, Mismatch::Count { got: got.len(), want: want.len() }));
    }
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        compare(g, w, tol(w.dtype())).map_err(|m| (i, m))?;
    }
    Ok(())
}

/// How far apart the two are if that is too far.
fn distance(got: Scalar, want: Scalar, largest: f64, tol: Tolerance) -> Option<f64> {
    if got == want {
        return None;
    }
    if want.dtype().kind() != DTypeKind::Float {
        return Some((got.as_f64() - want.as_f64()).abs());
    }
    let (g, w) = (got.as_f64(), want.as_f64());
    if g.is_nan() && w.is_nan() {
        return None;
    }
    if !g.is_finite() || !w.is_finite() {
        return Some(f64::INFINITY);
    }
    if g == w {
        // Equal values of other bits are zeros of different sign.
        return tol.signed_zero.then_some(0.0);
    }
    let allowed = (tol.relative * w.abs()).max(tol.of_largest * largest).max(tol.absolute);
    let off = (g - w).abs();
    (off > allowed).then_some(off)
}

fn unravel(shape: &[usize], mut i: usize) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (place, &n) in index.iter_mut().zip(shape).rev() {
        *place = i % n;
        i /= n;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrays::numbers;

    fn f32s(values: &[f64]) -> Array {
        numbers(DType::F32, &[values.len()], values)
    }

    #[test]
    fn nan_equals_nan_and_nothing_else() {
        let x = f32s(&[f64::NAN, 1.0]);
        assert_eq!(compare(&x, &x, Tolerance::BITS), Ok(()));
        assert!(compare(&f32s(&[0.0, 1.0]), &x, tolerance(DType::F32, OpClass::Program)).is_err());
        assert!(compare(&x, &f32s(&[0.0, 1.0]), tolerance(DType::F32, OpClass::Program)).is_err());
    }

    #[test]
    fn a_message_names_the_worst_element_in_ulps() {
        let want = numbers(DType::F32, &[2, 2], &[1.0, 2.0, 3.0, 4.0]);
        let got = numbers(DType::F32, &[2, 2], &[1.0, 2.000_000_5, 3.0, 4.000_001]);
        let why = compare(&got, &want, Tolerance::BITS).unwrap_err().to_string();
        assert_eq!(why, "at [1, 1] the result is 4.000001, but 4.0 was wanted (2 ulps); 2 of 4 elements differ");
        assert_eq!(compare(&got, &want, tolerance(DType::F32, OpClass::Elementary)), Ok(()));
    }

    #[test]
    fn ulps_count_across_zero() {
        let tiny = Scalar::from_bits(DType::F32, 1);
        let minus_tiny = Scalar::from_bits(DType::F32, 0x8000_0001);
        assert_eq!(ulps_between(tiny, minus_tiny), Some(2));
        assert_eq!(ulps_between(Scalar::from_f64(DType::F64, -0.0), Scalar::zero(DType::F64)), Some(0));
    }

    #[test]
    fn signed_zeros_differ_in_bits_only() {
        let (got, want) = (f32s(&[-0.0]), f32s(&[0.0]));
        assert!(compare(&got, &want, Tolerance::BITS).is_err());
        assert_eq!(compare(&got, &want, tolerance(DType::F32, OpClass::Elementary)), Ok(()));
    }

    #[test]
    fn infinity_is_not_close_to_a_large_number() {
        let (got, want) = (f32s(&[f64::INFINITY]), f32s(&[3e38]));
        assert!(compare(&got, &want, tolerance(DType::F32, OpClass::Program)).is_err());
    }
}
