//! Exact rules for elementwise primitives. Each keeps every bit for every operand, `-0.0`, infinities
//! and NaN included: so `x + 0` stays (it turns `-0.0` into `0.0`), while `x + (-0.0)` is `x`.

use super::fold::{Folder, Rewrite, full};
use jx_ir::{BinaryOp, DType, DTypeKind, Prim, Scalar, TensorType, UnaryOp, Var};

/// A simpler form of an elementwise equation, if a rule has one.
pub(super) fn rewrite(f: &Folder, prim: &Prim, inputs: &[Var], ty: &TensorType) -> Option<Rewrite> {
    match (prim, inputs) {
        (Prim::Unary(op), &[x]) => unary(f, *op, x),
        (Prim::IntegerPow { exponent: 1 }, &[x]) => Some(Rewrite::Var(x)),
        (Prim::Binary(op), &[x, y]) => binary(f, *op, [x, y], ty),
        (Prim::SelectN, [which, cases @ ..]) => select_n(f, *which, cases),
        (Prim::Convert { dtype }, &[x]) => convert(f, *dtype, x),
        // The derivative of either is zero.
        (Prim::StopGradient, &[x]) => match f.definition(x)? {
            (Prim::StopGradient | Prim::Constant(_) | Prim::Iota { .. }, _) => Some(Rewrite::Var(x)),
            (_, _) => None,
        },
        (_, _) => None,
    }
}

/// The operand of a unary op that defines a variable.
fn operand_of(f: &Folder, op: UnaryOp, x: Var) -> Option<Var> {
    match f.definition(x)? {
        (Prim::Unary(inner), &[y]) if *inner == op => Some(y),
        (_, _) => None,
    }
}

fn unary(f: &Folder, op: UnaryOp, x: Var) -> Option<Rewrite> {
    match op {
        // -(-x) = x and ¬¬x = x: each flips bits.
        UnaryOp::Neg | UnaryOp::Not => operand_of(f, op, x).map(Rewrite::Var),
        // ||x|| = |x|; ⌊⌊x⌋⌋ = ⌊x⌋ and its kin.
        UnaryOp::Abs | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round | UnaryOp::RoundEven => {
            operand_of(f, op, x).map(|_| Rewrite::Var(x))
        }
        UnaryOp::Sign
        | UnaryOp::IsFinite
        | UnaryOp::PopulationCount
        | UnaryOp::Clz
        | UnaryOp::Square
        | UnaryOp::Sqrt
        | UnaryOp::Rsqrt
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
        | UnaryOp::Logistic
        | UnaryOp::Erf
        | UnaryOp::Erfc
        | UnaryOp::ErfInv
        | UnaryOp::Lgamma
        | UnaryOp::Digamma => None,
    }
}

fn binary(f: &Folder, op: BinaryOp, [x, y]: [Var; 2], ty: &TensorType) -> Option<Rewrite> {
    let dtype = ty.dtype;
    let zero = Scalar::zero(dtype);
    let one = Scalar::one(dtype);
    let all_ones = Scalar::from_bits(dtype, u64::MAX);
    // What leaves every x as it is when added: for floats -0.0, since -0.0 + 0.0 is 0.0.
    let added_nothing = if dtype.is_float() { Scalar::from_f64(dtype, -0.0) } else { zero };
    let is = |v: Var, value: Scalar| f.full(v) == Some(value);
    let swapped = |op, a, b| Some(Rewrite::Prim(Prim::Binary(op), vec![a, b]));
    match op {
        BinaryOp::Add if is(y, added_nothing) => Some(Rewrite::Var(x)),
        BinaryOp::Add if is(x, added_nothing) => Some(Rewrite::Var(y)),
        // x + (-y) is x - y by definition.
        BinaryOp::Add => operand_of(f, UnaryOp::Neg, y).and_then(|y| swapped(BinaryOp::Sub, x, y)),
        // -0.0 - 0.0 is -0.0.
        BinaryOp::Sub if is(y, zero) => Some(Rewrite::Var(x)),
        BinaryOp::Sub => operand_of(f, UnaryOp::Neg, y).and_then(|y| swapped(BinaryOp::Add, x, y)),
        BinaryOp::Mul if is(y, one) => Some(Rewrite::Var(x)),
        BinaryOp::Mul if is(x, one) => Some(Rewrite::Var(y)),
        BinaryOp::Mul if dtype.is_int() && (is(x, zero) || is(y, zero)) => Some(full(zero, ty)),
        BinaryOp::Mul => {
            let (x, y) = (operand_of(f, UnaryOp::Neg, x)?, operand_of(f, UnaryOp::Neg, y)?);
            swapped(BinaryOp::Mul, x, y)
        }
        BinaryOp::MulNoNan => mul_no_nan(f, x, y),
        BinaryOp::Div if is(y, one) => Some(Rewrite::Var(x)),
        BinaryOp::And if x == y || is(y, all_ones) => Some(Rewrite::Var(x)),
        BinaryOp::And if is(x, all_ones) => Some(Rewrite::Var(y)),
        BinaryOp::And if is(x, zero) || is(y, zero) => Some(full(zero, ty)),
        BinaryOp::Or if x == y || is(y, zero) => Some(Rewrite::Var(x)),
        BinaryOp::Or if is(x, zero) => Some(Rewrite::Var(y)),
        BinaryOp::Or if is(x, all_ones) || is(y, all_ones) => Some(full(all_ones, ty)),
        BinaryOp::Xor if is(y, zero) => Some(Rewrite::Var(x)),
        BinaryOp::Xor if is(x, zero) => Some(Rewrite::Var(y)),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRightLogical | BinaryOp::ShiftRightArithmetic if is(y, zero) => {
            Some(Rewrite::Var(x))
        }
        BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Pow
        | BinaryOp::Max
        | BinaryOp::Min
        | BinaryOp::Atan2
        | BinaryOp::NextAfter
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightLogical
        | BinaryOp::ShiftRightArithmetic => None,
    }
}

/// The plain product where one operand is known to be finite and not 0: then the other decides alone.
fn mul_no_nan(f: &Folder, x: Var, y: Var) -> Option<Rewrite> {
    let decides = |v| f.full(v).is_some_and(|s| s.as_f64().is_finite() && s.as_f64() != 0.0);
    (decides(x) || decides(y)).then(|| Rewrite::Prim(Prim::Binary(BinaryOp::Mul), vec![x, y]))
}

fn select_n(f: &Folder, which: Var, cases: &[Var]) -> Option<Rewrite> {
    let first = *cases.first()?;
    if cases.iter().all(|&case| case == first) {
        return Some(Rewrite::Var(first));
    }
    if let Some(which) = f.full(which) {
        let last = cases.len() - 1;
        // An index out of range is clamped; a large u64 is no negative number.
        let index = match which.dtype().kind() {
            DTypeKind::Bool | DTypeKind::Unsigned => usize::try_from(which.bits()).map_or(last, |i| i.min(last)),
            DTypeKind::Signed => usize::try_from(which.as_i64().max(0)).map_or(last, |i| i.min(last)),
            DTypeKind::Float => return None,
        };
        return Some(Rewrite::Var(cases[index]));
    }
    if f.ty(which).dtype != DType::Bool {
        return None;
    }
    let negated = operand_of(f, UnaryOp::Not, which)?;
    let &[on_false, on_true] = cases else { return None };
    Some(Rewrite::Prim(Prim::SelectN, vec![negated, on_true, on_false]))
}

fn convert(f: &Folder, dtype: DType, x: Var) -> Option<Rewrite> {
    let between = f.ty(x).dtype;
    if between == dtype {
        return Some(Rewrite::Var(x));
    }
    let (Prim::Convert { .. }, &[source]) = f.definition(x)? else { return None };
    let from = f.ty(source).dtype;
    if !holds(between, from) {
        return None;
    }
    // Integers wrap into integers, but floats saturate into them: by way of a float the difference shows
    // unless every value fits.
    let to_int = dtype.is_int() && from.is_int();
    if between.is_float() && to_int && !holds(dtype, from) {
        return None;
    }
    if from == dtype { Some(Rewrite::Var(source)) } else { Some(Rewrite::Prim(Prim::Convert { dtype }, vec![source])) }
}

/// Whether `wide` has every value of `narrow`, `-0.0` included.
fn holds(wide: DType, narrow: DType) -> bool {
    if wide == narrow {
        return true;
    }
    let bits = |dtype: DType| 8 * dtype.size_bytes();
    match (narrow.kind(), wide.kind()) {
        (DTypeKind::Bool, _) => true,
        (_, DTypeKind::Bool) | (DTypeKind::Float, DTypeKind::Signed | DTypeKind::Unsigned) => false,
        (DTypeKind::Signed, DTypeKind::Unsigned) => false,
        (DTypeKind::Signed, DTypeKind::Signed) | (DTypeKind::Unsigned, DTypeKind::Unsigned | DTypeKind::Signed) => {
            bits(wide) > bits(narrow)
        }
        // The least signed integer is a power of two, so its sign takes no place in the significand.
        (DTypeKind::Signed, DTypeKind::Float) => significand_bits(wide) >= bits(narrow) - 1,
        (DTypeKind::Unsigned, DTypeKind::Float) => significand_bits(wide) >= bits(narrow),
        (DTypeKind::Float, DTypeKind::Float) => match (narrow, wide) {
            (DType::F16 | DType::BF16, DType::F32 | DType::F64) | (DType::F32, DType::F64) => true,
            (_, _) => false,
        },
    }
}

/// The bits of a float's significand, the leading one included; 0 for other dtypes.
fn significand_bits(dtype: DType) -> usize {
    match dtype {
        DType::F16 => 11,
        DType::BF16 => 8,
        DType::F32 => 24,
        DType::F64 => 53,
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64 => 0,
    }
}
