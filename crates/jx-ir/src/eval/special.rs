//! Special functions that neither std nor libm has, in `f64`.

use std::f64::consts::{FRAC_2_SQRT_PI, PI};

/// `1/(1 + e⁻ˣ)`, from the exponential that does not overflow.
pub(super) fn logistic(x: f64) -> f64 {
    if x < 0.0 {
        let e = x.exp();
        e / (1.0 + e)
    } else {
        1.0 / (1.0 + (-x).exp())
    }
}

/// `arcosh x`; NaN below 1.
pub(super) fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// The inverse of the error function: a start with two digits, then Halley's steps, each of which
/// trebles the digits. Near ±1 the residual is taken from `erfc`, where `erf` has lost it.
/// Source of the start: Winitzki, "A handy approximation for the error function and its inverse" (2008).
pub(super) fn erf_inv(x: f64) -> f64 {
    let magnitude = x.abs();
    if magnitude == 1.0 {
        return f64::INFINITY.copysign(x);
    }
    if x == 0.0 {
        return x;
    }
    if magnitude > 1.0 || x.is_nan() {
        return f64::NAN;
    }
    let a = 0.147;
    let log = (-x * x).ln_1p();
    let half = 2.0 / (PI * a) + log / 2.0;
    let root = (half * half - log / a).sqrt();
    // root - half, written without cancellation on each side.
    let squared = if half > 0.0 { (-log / a) / (root + half) } else { root - half };
    // A square that underflows leaves the first term of the series.
    let mut y = if magnitude < 1e-8 { magnitude / FRAC_2_SQRT_PI } else { squared.sqrt() };
    for _ in 0..3 {
        // 1 - |x| is exact above a half.
        let residual = if magnitude < 0.5 { libm::erf(y) - magnitude } else { (1.0 - magnitude) - libm::erfc(y) };
        // f = erf - |x|, f' = 2/√π e^(-y²), f'' = -2y f'.
        let newton = residual / (FRAC_2_SQRT_PI * (-y * y).exp());
        y -= newton / (1.0 + y * newton);
    }
    y.copysign(x)
}

/// The positive root of digamma, as the sum of two `f64`.
const ROOT: (f64, f64) = (1.461_632_144_968_362_2, 9.549_995_429_965_697e-17);

/// `B₂ₖ/(2k)` for k from 1, of the asymptotic series `ψ(x) ~ ln x - 1/(2x) - Σ B₂ₖ/(2k x²ᵏ)`.
const SERIES: [f64; 7] =
    [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0];

/// Above this the terms of the series that are left out are below the last place.
const ASYMPTOTIC: f64 = 12.0;

/// Below this the recurrence would cancel most of the logarithm.
const BY_ROOT: f64 = 4.0;

/// `d/dx ln Γ(x)`: reflection below 0, recurrence up to where the asymptotic series holds. As in JAX
/// 0.10.2 it is NaN at the poles 0, -1, -2, … and at -∞. About the positive root it is a sum of terms
/// that vanish there and have one sign; beside the negative roots its error is absolute.
/// Source: NIST Digital Library of Mathematical Functions, 5.5.2, 5.5.4, 5.7.6 and 5.11.2.
pub(super) fn digamma(x: f64) -> f64 {
    if x == f64::INFINITY {
        return x;
    }
    if x.is_nan() || (x <= 0.0 && x == x.floor()) {
        return f64::NAN;
    }
    if x < 0.0 {
        // ψ(x) = ψ(1 - x) - π cot πx, and cot has period 1: the distance to the nearest pole is exact.
        return digamma(1.0 - x) - PI / (PI * (x - x.round())).tan();
    }
    if x < BY_ROOT {
        return digamma_by_root(x);
    }
    let (mut z, mut recurrence) = (x, 0.0);
    while z < ASYMPTOTIC {
        // ψ(z) = ψ(z + 1) - 1/z
        recurrence += 1.0 / z;
        z += 1.0;
    }
    let inverse_square = 1.0 / (z * z);
    let series = SERIES.iter().rev().fold(0.0, |acc, c| (acc + c) * inverse_square);
    z.ln() - 0.5 / z - series - recurrence
}

/// `ψ(x) - ψ(root)`, each term of it a multiple of `d = x - root`.
fn digamma_by_root(x: f64) -> f64 {
    let d = (x - ROOT.0) - ROOT.1;
    let (mut z, mut z0, mut recurrence) = (x, ROOT.0, 0.0);
    while z0 < ASYMPTOTIC {
        // 1/z₀ - 1/z = d/(z z₀)
        recurrence += d / (z * z0);
        z += 1.0;
        z0 += 1.0;
    }
    let (a, a0) = (1.0 / (z * z), 1.0 / (z0 * z0));
    let step = -d * (z + z0) * a * a0;
    // aᵏ - a₀ᵏ = a₀ (aᵏ⁻¹ - a₀ᵏ⁻¹) + aᵏ⁻¹ (a - a₀)
    let (mut difference, mut power, mut series) = (0.0, 1.0, 0.0);
    for c in SERIES {
        difference = a0 * difference + power * step;
        power *= a;
        series += c * difference;
    }
    (d / z0).ln_1p() + d / (2.0 * z * z0) - series + recurrence
}
