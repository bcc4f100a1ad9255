//! Derivatives and transposes of the elementwise functions of two operands.

use super::{Operand, keep_where, require_zero, scale, sum};
use crate::{AutodiffError, literal};
use jx_ir::{BinaryOp, Builder, CompareOp, UnaryOp, Var};

/// The tangent of `z = op(x, y)`.
pub(super) fn jvp(b: &mut Builder, op: BinaryOp, [x, y]: [Var; 2], z: Var, [dx, dy]: [Option<Var>; 2]) -> Option<Var> {
    match op {
        // d(x + y) = dx + dy
        BinaryOp::Add => sum(b, dx, dy),
        // d(x - y) = dx - dy
        BinaryOp::Sub => match (dx, dy) {
            (Some(dx), Some(dy)) => Some(b.sub(dx, dy)),
            (None, Some(dy)) => Some(b.neg(dy)),
            (dx, None) => dx,
        },
        // d(x y) = dx y + dy x, and d(x x) = 2x dx
        BinaryOp::Mul => {
            if x == y {
                let d = b.add(x, x);
                return dx.map(|dx| scale(b, dx, d));
            }
            let t0 = dx.map(|dx| scale(b, dx, y));
            let t1 = dy.map(|dy| scale(b, dy, x));
            sum(b, t0, t1)
        }
        // As a product, but constant in y where x is 0, even if y moves infinitely fast: x stays first.
        BinaryOp::MulNoNan => {
            let t0 = dx.map(|dx| scale(b, dx, y));
            let t1 = dy.map(|dy| b.mul_no_nan(x, dy));
            sum(b, t0, t1)
        }
        // d(x/y) = dx/y - dy (x/y)/y: y² would overflow
        BinaryOp::Div => {
            let t0 = dx.map(|dx| divide(b, dx, y));
            let t1 = dy.map(|dy| {
                let q = b.div(z, y);
                let d = b.neg(q);
                scale(b, dy, d)
            });
            sum(b, t0, t1)
        }
        // x rem y = x - y trunc(x/y), where trunc(x/y) = (x - z)/y but for rounding
        BinaryOp::Rem => {
            let t1 = dy.map(|dy| {
                let multiple = b.sub(x, z);
                let q = b.div(multiple, y);
                let n = b.unary(UnaryOp::RoundEven, q);
                let d = b.neg(n);
                scale(b, dy, d)
            });
            sum(b, dx, t1)
        }
        BinaryOp::Pow => {
            let t0 = dx.map(|dx| {
                let d = pow_base_derivative(b, x, y);
                scale(b, dx, d)
            });
            let t1 = dy.map(|dy| {
                let d = pow_exponent_derivative(b, x, z);
                scale(b, dy, d)
            });
            sum(b, t0, t1)
        }
        BinaryOp::Max => extreme(b, CompareOp::Ge, [x, y], [dx, dy]),
        BinaryOp::Min => extreme(b, CompareOp::Le, [x, y], [dx, dy]),
        BinaryOp::Atan2 => atan2_jvp(b, [x, y], [dx, dy]),
        // A step to the neighbour of x moves with x; the direction only matters as it turns.
        BinaryOp::NextAfter => dx,
        // Of integers and truth values, which have no tangents.
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightLogical
        | BinaryOp::ShiftRightArithmetic => None,
    }
}

/// The cotangents of `x` and `y`, in the one that is linear.
pub(super) fn transpose(
    b: &mut Builder,
    op: BinaryOp,
    [x, y]: [Operand<'_>; 2],
    ct: Var,
) -> Result<Vec<Option<Var>>, AutodiffError> {
    let not_linear = Err(AutodiffError::NotLinear { prim: op.name() });
    match (op, x, y) {
        (BinaryOp::Add, ..) => {
            require_zero(b, op.name(), &x)?;
            require_zero(b, op.name(), &y)?;
            Ok(vec![Some(ct), Some(ct)])
        }
        (BinaryOp::Sub, _, Operand::Known(_)) => {
            require_zero(b, op.name(), &y)?;
            Ok(vec![Some(ct), None])
        }
        (BinaryOp::Sub, ..) => {
            require_zero(b, op.name(), &x)?;
            Ok(vec![Some(ct), Some(b.neg(ct))])
        }
        (BinaryOp::Mul | BinaryOp::MulNoNan, Operand::Linear(_), Operand::Known(y)) => {
            Ok(vec![Some(scale(b, ct, y)), None])
        }
        (BinaryOp::Mul, Operand::Known(x), Operand::Linear(_)) => Ok(vec![None, Some(scale(b, ct, x))]),
        // Where x is 0 the result does not depend on y, so x stays first.
        (BinaryOp::MulNoNan, Operand::Known(x), Operand::Linear(_)) => Ok(vec![None, Some(b.mul_no_nan(x, ct))]),
        (BinaryOp::Div, Operand::Linear(_), Operand::Known(y)) => Ok(vec![Some(divide(b, ct, y)), None]),
        (
            BinaryOp::Mul
            | BinaryOp::MulNoNan
            | BinaryOp::Div
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
            | BinaryOp::ShiftRightArithmetic,
            ..,
        ) => not_linear,
    }
}

/// `dx / y`, zero wherever `dx` is zero.
fn divide(b: &mut Builder, dx: Var, y: Var) -> Var {
    if literal::is_finite_divisor(b, y) {
        return b.div(dx, y);
    }
    let one = b.full_like(y, 1.0);
    let inverse = b.div(one, y);
    scale(b, dx, inverse)
}

/// ∂xʸ/∂x = y xʸ⁻¹, and 0 for y = 0, where xʸ is 1 even at 0.
fn pow_base_derivative(b: &mut Builder, x: Var, y: Var) -> Var {
    let (one, zero) = (b.full_like(y, 1.0), b.full_like(y, 0.0));
    let moves = b.ne(y, zero);
    let below = b.sub(y, one);
    let power = b.pow(x, below);
    let d = b.mul(y, power);
    keep_where(b, moves, d)
}

/// ∂xʸ/∂y = xʸ ln x, and 0 for x = 0 and y ≥ 0: there xʸ is 0 for y > 0, and y = 0 follows suit, as
/// in JAX. It is 0 too wherever xʸ is.
fn pow_exponent_derivative(b: &mut Builder, x: Var, z: Var) -> Var {
    let (one, zero) = (b.full_like(x, 1.0), b.full_like(x, 0.0));
    let at_zero = b.eq(x, zero);
    let base = b.select(at_zero, one, x);
    let log = b.log(base);
    b.mul_no_nan(z, log)
}

/// The tangents of the winners of `max` (`wins` is ≥) or `min` (≤); of two equal operands, half each.
fn extreme(b: &mut Builder, wins: CompareOp, [x, y]: [Var; 2], [dx, dy]: [Option<Var>; 2]) -> Option<Var> {
    let t0 = dx.map(|dx| {
        let won = b.compare(wins, x, y);
        keep_where(b, won, dx)
    });
    let t1 = dy.map(|dy| {
        let won = b.compare(wins, y, x);
        keep_where(b, won, dy)
    });
    let (half, one) = (b.full_like(x, 0.5), b.full_like(x, 1.0));
    let tie = b.eq(x, y);
    let share = b.select(tie, half, one);
    // The share is ½ or 1, so a plain product is safe.
    sum(b, t0, t1).map(|t| b.mul(t, share))
}

/// d atan2(y, x) = (x dy - y dx)/(x² + y²), and 0 at the origin.
///
/// With `s = max(|x|, |y|)`, `u = x/s` and `v = y/s`, the factors are `u/(u²+v²)/s` and `-v/(u²+v²)/s`, which
/// neither overflow nor underflow on the way. They do not depend on `s`, so its derivative is cut off.
fn atan2_jvp(b: &mut Builder, [y, x]: [Var; 2], [dy, dx]: [Option<Var>; 2]) -> Option<Var> {
    let (zero, one) = (b.full_like(x, 0.0), b.full_like(x, 1.0));
    let (abs_x, abs_y) = (b.abs(x), b.abs(y));
    let s = b.max(abs_x, abs_y);
    let at_origin = b.eq(s, zero);
    let s = b.select(at_origin, one, s);
    let s = b.stop_gradient(s);
    let (u, v) = (b.div(x, s), b.div(y, s));
    let (u2, v2) = (b.square(u), b.square(v));
    let n = b.add(u2, v2);
    let n = b.select(at_origin, one, n);
    let t0 = dy.map(|dy| {
        let d = b.div(u, n);
        let d = b.div(d, s);
        scale(b, dy, d)
    });
    let t1 = dx.map(|dx| {
        let d = b.div(v, n);
        let d = b.div(d, s);
        let d = b.neg(d);
        scale(b, dx, d)
    });
    sum(b, t0, t1)
}
