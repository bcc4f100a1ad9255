//! Special functions in `f64` that no library in use has.

use std::f64::consts::PI;

/// `1/(1 + e⁻ˣ)`, without overflow on either side.
pub(super) fn logistic(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        let e = x.exp();
        e / (1.0 + e)
    }
}

/// The inverse error function.
///
/// A rational start on the logarithm of the tail (Winitzki, 2008: relative error below 2·10⁻³) and
/// Halley steps on `erf` near 0, on `erfc` in the tails, where `1 - |x|` is exact.
pub(super) fn erf_inv(x: f64) -> f64 {
    if x.is_nan() || x.abs() > 1.0 {
        return f64::NAN;
    }
    if x.abs() == 1.0 {
        return x * f64::INFINITY;
    }
    // Where erf is linear to within rounding, so is its inverse.
    if x.abs() < 1e-8 {
        return x * (PI.sqrt() / 2.0);
    }
    let tail = (1.0 - x.abs()) * (1.0 + x.abs());
    let log = tail.ln();
    let a = 0.147;
    let half = 2.0 / (PI * a) + log / 2.0;
    let mut y = ((half * half - log / a).sqrt() - half).sqrt();
    for _ in 0..4 {
        let error = if x.abs() < 0.5 { libm::erf(y) - x.abs() } else { (1.0 - x.abs()) - libm::erfc(y) };
        // f = erf(y) - x, f' = 2/√π e^(-y²), f'' = -2y f': Halley's step.
        let step = error / (2.0 / PI.sqrt() * (-y * y).exp());
        y -= step / (1.0 + y * step);
    }
    y.copysign(x)
}

/// `d/dx ln Γ(x)`; NaN at 0 and the negative integers, as in JAX.
///
/// Reflection below 0, recurrence up to 10, then the asymptotic series.
/// Source: Abramowitz & Stegun, 6.3.5, 6.3.7, 6.3.18.
pub(super) fn digamma(x: f64) -> f64 {
    if x.is_nan() || x == f64::NEG_INFINITY || (x <= 0.0 && x == x.floor()) {
        return f64::NAN;
    }
    if x < 0.0 {
        // ψ(1 - x) = ψ(x) + π cot πx, with the argument reduced first: cot has period 1.
        let fraction = x - x.round();
        return digamma(1.0 - x) - PI / (PI * fraction).tan();
    }
    let (mut y, mut x) = (0.0, x);
    while x < 10.0 {
        y -= 1.0 / x;
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    // B₂ₙ/2n for n = 1, 2, …
    let series = r
        * (1.0 / 12.0
            - r * (1.0 / 120.0
                - r * (1.0 / 252.0
                    - r * (1.0 / 240.0 - r * (1.0 / 132.0 - r * (691.0 / 32760.0 - r * (1.0 / 12.0)))))));
    y + x.ln() - 0.5 / x - series
}
