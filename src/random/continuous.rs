//! Continuous distributions.

use super::bits::random_bits;
use super::{Draw, Key, float_fault};
use crate::Tensor;
use crate::ops::numpy::{full, scalar};
use jx_ir::{DType, Scalar};

/// The bits of the mantissa of a float dtype, and the unsigned dtype that is drawn for it.
fn mantissa(dtype: DType) -> (u32, DType) {
    match dtype {
        DType::F16 => (10, DType::U16),
        DType::BF16 => (7, DType::U8),
        DType::F64 => (52, DType::U64),
        DType::F32
        | DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64 => (23, DType::U32),
    }
}

/// Floats in `[0, 1)`: the upper bits as a mantissa `m`, so `m / 2ᵏ`, which is exact.
#[track_caller]
fn unit(key: Tensor, shape: &[usize], dtype: DType) -> Tensor {
    let (n_mantissa, bits) = mantissa(dtype);
    let shift = 8 * bits.size_bytes() as u32 - n_mantissa;
    let m = random_bits(key, bits, shape) >> shift;
    m.astype(dtype) * 0.5_f64.powi(n_mantissa as i32)
}

/// Floats in `[lo, hi)`: `unit · (hi - lo) + lo` in the dtype's arithmetic, not below `lo`.
#[track_caller]
pub(super) fn between(key: Tensor, shape: &[usize], lo: Tensor, hi: Tensor) -> Tensor {
    let u = unit(key, shape, lo.dtype());
    (u * (hi - lo) + lo).maximum(lo)
}

#[track_caller]
fn between_numbers(key: Tensor, shape: &[usize], dtype: DType, lo: f64, hi: f64) -> Tensor {
    between(key, shape, scalar(dtype, lo), scalar(dtype, hi))
}

/// `-ln(-ln u)` for `u` in `[tiny, 1)`.
#[track_caller]
pub(super) fn gumbel_draw(key: Tensor, shape: &[usize], dtype: DType) -> Tensor {
    -(-between_numbers(key, shape, dtype, tiny(dtype), 1.0).log()).log()
}

/// The least positive normal number.
fn tiny(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2.0_f64.powi(-14),
        DType::F64 => f64::MIN_POSITIVE,
        DType::F32
        | DType::BF16
        | DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64 => f64::from(f32::MIN_POSITIVE),
    }
}

/// The value after `x` in the direction of `to`, both rounded to the dtype.
#[track_caller]
fn after(dtype: DType, x: f64, to: f64) -> Tensor {
    scalar(dtype, x).nextafter(to)
}

macro_rules! distribution {
    (
        $(#[$doc:meta])*
        $name:ident($($param:ident: $ty:ty),*) as $draw:ident,
        fault |$p:ident| $fault:expr;
        draw |$s:ident, $key:ident| $body:expr
    ) => {
        struct $draw {
            shape: Vec<usize>,
            dtype: DType,
            $($param: $ty,)*
        }

        impl Draw for $draw {
            type Output = Tensor;
            const NAME: &'static str = stringify!($name);
            fn fault(&self) -> Option<String> {
                let $p = self;
                float_fault(self.dtype).or_else(|| $fault)
            }
            #[track_caller]
            fn draw(&self, $key: Tensor) -> Tensor {
                let $s = self;
                $body
            }
            fn poisoned(&self) -> Tensor {
                Tensor::POISON
            }
        }

        $(#[$doc])*
        #[track_caller]
        pub fn $name<K: Key>(
            key: K,
            shape: impl Into<Vec<usize>>,
            dtype: DType,
            $($param: $ty,)*
        ) -> K::Out<Tensor> {
            key.draw($draw { shape: shape.into(), dtype, $($param),* })
        }
    };
}

distribution! {
    /// Uniform in `[0, 1)`.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let u = random::uniform(&random::key_array(0), [2], DType::F32)?;
    /// assert_eq!(u.to_vec::<f32>()?, [0.947667, 0.9785799]);
    /// # Ok::<(), jx::Error>(())
    /// ```
    uniform() as Uniform,
    fault |_p| None;
    draw |s, key| unit(key, &s.shape, s.dtype)
}

distribution! {
    /// Uniform in `[lo, hi)`, the bounds rounded to the dtype.
    uniform_between(lo: f64, hi: f64) as UniformBetween,
    fault |_p| None;
    draw |s, key| between_numbers(key, &s.shape, s.dtype, s.lo, s.hi)
}

distribution! {
    /// Normal with mean 0 and variance 1.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let f = jit(|key: Tensor| random::normal(key, [1000], DType::F32).mean());
    /// assert!(f.call(random::key_array(1))?.item::<f32>()?.abs() < 0.1);
    /// # Ok::<(), jx::Error>(())
    /// ```
    normal() as Normal,
    fault |_p| None;
    draw |s, key| {
        let u = between(key, &s.shape, after(s.dtype, -1.0, 0.0), scalar(s.dtype, 1.0));
        u.erf_inv() * std::f64::consts::SQRT_2
    }
}

distribution! {
    /// Exponential with rate 1.
    exponential() as Exponential,
    fault |_p| None;
    draw |s, key| -(-unit(key, &s.shape, s.dtype)).log1p()
}

distribution! {
    /// The standard Gumbel distribution.
    gumbel() as Gumbel,
    fault |_p| None;
    draw |s, key| gumbel_draw(key, &s.shape, s.dtype)
}

distribution! {
    /// Normal with mean 0 and variance 1 before truncation to `(lo, hi)`.
    truncated_normal(lo: f64, hi: f64) as TruncatedNormal,
    fault |p| (p.lo >= p.hi || p.lo.is_nan() || p.hi.is_nan())
        .then(|| format!("the bounds must ascend, but they are {} and {}", p.lo, p.hi));
    draw |s, key| {
        let root = scalar(s.dtype, std::f64::consts::SQRT_2);
        let (lo, hi) = (full(&[], s.dtype, s.lo), full(&[], s.dtype, s.hi));
        let u = between(key, &s.shape, (lo / root).erf(), (hi / root).erf());
        let lo = after(s.dtype, Scalar::from_f64(s.dtype, s.lo).as_f64(), f64::INFINITY);
        let hi = after(s.dtype, Scalar::from_f64(s.dtype, s.hi).as_f64(), f64::NEG_INFINITY);
        (u.erf_inv() * root).clip(lo, hi)
    }
}
