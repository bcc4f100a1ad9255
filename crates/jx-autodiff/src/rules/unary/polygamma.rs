//! The trigamma function, the derivative of `digamma`, as a composition, so that it can be
//! differentiated again.

use jx_ir::{Builder, CompareOp, UnaryOp, Var};
use std::f64::consts::PI;

/// How far the argument is moved up before the asymptotic series is used.
const SHIFT: u32 = 10;

/// `B₂ₖ`, the Bernoulli numbers, for k = 8 down to 1.
const BERNOULLI: [f64; 8] =
    [-3617.0 / 510.0, 7.0 / 6.0, -691.0 / 2730.0, 5.0 / 66.0, -1.0 / 30.0, 1.0 / 42.0, -1.0 / 30.0, 1.0 / 6.0];

/// `ψ₁(x)`, the second derivative of `ln Γ`.
///
/// `ψ₁(x) = Σ_{k<10} 1/(x+k)² + ψ₁(x+10)`, and from there the asymptotic series
/// `ψ₁(z) ~ 1/z + 1/(2z²) + Σ B₂ₖ/z²ᵏ⁺¹`, whose terms left out are below 1e-17 of the first.
/// Below ½ it is reflected: `ψ₁(x) = π²/sin²(πx) - ψ₁(1-x)`.
///
/// Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 6.4.6, 6.4.7 and 6.4.12.
pub(super) fn trigamma(b: &mut Builder, x: Var) -> Var {
    let (one, half) = (b.full_like(x, 1.0), b.full_like(x, 0.5));
    let reflected = b.compare(CompareOp::Lt, x, half);
    let mirrored = b.sub(one, x);
    let z = b.select(reflected, mirrored, x);
    let direct = right_half(b, z);

    // sin(πx) has the period and zeros of sin(π(x - round x)), whose argument is small.
    let nearest = b.unary(UnaryOp::RoundEven, x);
    let offset = b.sub(x, nearest);
    let pi = b.full_like(x, PI);
    let angle = b.mul(pi, offset);
    let sin = b.sin(angle);
    let ratio = b.div(pi, sin);
    let mirror = b.square(ratio);
    let left = b.sub(mirror, direct);
    b.select(reflected, left, direct)
}

/// `ψ₁(x)` for `x ≥ ½`.
fn right_half(b: &mut Builder, x: Var) -> Var {
    let one = b.full_like(x, 1.0);
    let z = {
        let shift = b.full_like(x, f64::from(SHIFT));
        b.add(x, shift)
    };
    let w = b.div(one, z);
    let w2 = b.square(w);
    let mut series = b.full_like(x, BERNOULLI[0]);
    for &coefficient in &BERNOULLI[1..] {
        let c = b.full_like(x, coefficient);
        series = b.mul(series, w2);
        series = b.add(series, c);
    }
    // 1/z + 1/(2z²) + B₂/z³ + … = w (1 + w (½ + w (B₂ + w² …)))
    let half = b.full_like(x, 0.5);
    let mut total = b.mul(series, w);
    for term in [half, one] {
        total = b.add(total, term);
        total = b.mul(total, w);
    }
    // The smallest terms first, so that they are not lost in the large one.
    for k in (0..SHIFT).rev() {
        let k = b.full_like(x, f64::from(k));
        let shifted = b.add(x, k);
        let inverse = b.div(one, shifted);
        let term = b.square(inverse);
        total = b.add(total, term);
    }
    total
}
