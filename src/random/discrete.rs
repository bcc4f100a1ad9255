//! Discrete distributions, and random orders.

use super::bits::{random_bits, two_subkeys};
use super::continuous::gumbel_draw;
use super::{Draw, Key};
use crate::ops::numpy::{arange, sort_by_keys};
use crate::ops::{axis_of, mistake, require_float};
use crate::{Tensor, random};
use jx_ir::{DType, DTypeKind, Prim, Scalar};
use std::panic::Location;

struct Bernoulli {
    p: f64,
    shape: Vec<usize>,
}

impl Draw for Bernoulli {
    type Output = Tensor;
    const NAME: &'static str = "bernoulli";
    fn fault(&self) -> Option<String> {
        None
    }
    #[track_caller]
    fn draw(&self, key: Tensor) -> Tensor {
        random::uniform(key, self.shape.clone(), DType::F32).less(self.p)
    }
    fn poisoned(&self) -> Tensor {
        Tensor::POISON
    }
}

/// True with probability `p`, as `bool`; drawn in `f32`. For probabilities that are a tensor write
/// `random::uniform(..).less(p)`, which this is.
#[track_caller]
pub fn bernoulli<K: Key>(key: K, p: f64, shape: impl Into<Vec<usize>>) -> K::Out<Tensor> {
    key.draw(Bernoulli { p, shape: shape.into() })
}

struct RandInt {
    shape: Vec<usize>,
    minval: i64,
    maxval: i64,
    dtype: DType,
}

/// The unsigned dtype of equal width.
fn unsigned(dtype: DType) -> DType {
    match dtype.size_bytes() {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        _ => DType::U64,
    }
}

/// The least and the greatest value of an integer dtype.
fn bounds(dtype: DType) -> (i128, i128) {
    let value = |s: Scalar| match dtype.kind() {
        DTypeKind::Signed => i128::from(s.as_i64()),
        DTypeKind::Unsigned | DTypeKind::Bool | DTypeKind::Float => i128::from(s.bits()),
    };
    (value(Scalar::min_value(dtype)), value(Scalar::max_value(dtype)))
}

impl Draw for RandInt {
    type Output = Tensor;
    const NAME: &'static str = "randint";
    fn fault(&self) -> Option<String> {
        (!self.dtype.is_int()).then(|| format!("the dtype must be an integer, not {}", self.dtype))
    }
    #[track_caller]
    fn draw(&self, key: Tensor) -> Tensor {
        // Narrow integers are drawn in 32 bits, which keeps the bias small.
        let drawn = if self.dtype.size_bytes() < 4 { DType::I32 } else { self.dtype };
        let bits = unsigned(drawn);
        let (least, greatest) = bounds(self.dtype);
        let (minval, maxval) = (i128::from(self.minval), i128::from(self.maxval));
        let lo = minval.clamp(least, greatest);
        let beyond = maxval > greatest && drawn == self.dtype;
        let hi = maxval.clamp(least, if drawn == self.dtype { greatest } else { greatest + 1 });
        // The span of an empty range is 1, so that `minval` comes out. The whole range wraps to 0,
        // and a remainder by 0 changes nothing.
        let span = if hi <= lo { 1 } else { hi - lo + i128::from(beyond) };
        let number = |dtype: DType, value: i128| {
            let value = Scalar::from_bits(dtype, value as u64);
            crate::trace::emit1(Prim::Full { value, shape: Vec::new() }, &[], Location::caller())
        };
        // Twice as many bits as the dtype has make the bias small: (hi · 2ⁿ + lo) mod span.
        let half = 1_u128 << (4 * bits.size_bytes());
        let modulus = (span as u128) & (u128::MAX >> (128 - 8 * bits.size_bytes()));
        let rem = |x: u128| if modulus == 0 { x } else { x % modulus };
        let wrap = u128::MAX >> (128 - 8 * bits.size_bytes());
        let multiplier = rem((rem(half) * rem(half)) & wrap);
        let (k1, k2) = two_subkeys(key);
        let higher = random_bits(k1, bits, &self.shape);
        let lower = random_bits(k2, bits, &self.shape);
        let span = number(bits, modulus as i128);
        let offset = ((higher % span) * number(bits, multiplier as i128) + lower % span) % span;
        (offset.astype(drawn) + number(drawn, lo)).astype(self.dtype)
    }
    fn poisoned(&self) -> Tensor {
        Tensor::POISON
    }
}

/// Integers from `minval` up to but without `maxval`, equally likely up to a bias below 2⁻ⁿ for a dtype of n bits.
/// `minval` if there are none.
#[track_caller]
pub fn randint<K: Key>(key: K, shape: impl Into<Vec<usize>>, minval: i64, maxval: i64, dtype: DType) -> K::Out<Tensor> {
    key.draw(RandInt { shape: shape.into(), minval, maxval, dtype })
}

/// The vector in random order: sorted by random keys, as often as makes equal ones unlikely to matter.
#[track_caller]
fn shuffled(key: Tensor, x: Tensor, n: usize) -> Tensor {
    let rounds = (3.0 * (n.max(1) as f64).ln() / f64::from(u32::MAX).ln()).ceil() as usize;
    let (mut key, mut x) = (key, x);
    for _ in 0..rounds {
        let (next, subkey) = two_subkeys(key);
        key = next;
        let sorted = sort_by_keys([random_bits(subkey, DType::U32, &[n]), x], 0, 1);
        x = sorted.get(1).copied().unwrap_or(Tensor::POISON);
    }
    x
}

struct Permutation(usize);

impl Draw for Permutation {
    type Output = Tensor;
    const NAME: &'static str = "permutation";
    fn fault(&self) -> Option<String> {
        i32::try_from(self.0).is_err().then(|| format!("{} numbers do not fit i32", self.0))
    }
    #[track_caller]
    fn draw(&self, key: Tensor) -> Tensor {
        shuffled(key, arange(self.0, DType::I32), self.0)
    }
    fn poisoned(&self) -> Tensor {
        Tensor::POISON
    }
}

/// `0, 1, …, n - 1` in random order, as `i32`.
///
/// ```
/// use jx::prelude::*;
/// let mut order = random::permutation(&random::key_array(3), 10)?.to_vec::<i32>()?;
/// order.sort_unstable();
/// assert_eq!(order, (0..10).collect::<Vec<i32>>());
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
pub fn permutation<K: Key>(key: K, n: usize) -> K::Out<Tensor> {
    key.draw(Permutation(n))
}

/// A tensor with its slices along an axis in random order, the same for all of each slice; inside a
/// traced function.
#[track_caller]
#[must_use]
pub fn shuffle(key: Tensor, x: Tensor, axis: i64) -> Tensor {
    let place = Location::caller();
    let Some(from_zero) = axis_of("shuffle", axis, x, place) else { return Tensor::POISON };
    let n = x.shape()[from_zero];
    if x.rank() == 1 {
        return shuffled(key, x, n);
    }
    x.take(permutation(key, n), axis)
}

/// For each set of unnormalized log-probabilities along an axis the index of a draw, as `i32`. Several
/// independent draws come as the first axes, of extents `prefix`; inside a traced function.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(|logits: Tensor| random::categorical(random::key(0), logits, -1, &[]));
/// let never = f32::NEG_INFINITY;
/// assert_eq!(f.call(Array::from([[0.0_f32, never], [never, 0.0]]))?.to_vec::<i32>()?, [0, 1]);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
#[must_use]
pub fn categorical(key: Tensor, logits: Tensor, axis: i64, prefix: &[usize]) -> Tensor {
    let place = Location::caller();
    if !require_float("categorical", logits, place) {
        return Tensor::POISON;
    }
    let Some(axis) = axis_of("categorical", axis, logits, place) else { return Tensor::POISON };
    if key.shape() != [2] || key.dtype() != DType::U32 {
        let message = format!("a key is u32[2], made by `random::key(seed)`, but this is {}", key.ty());
        return mistake("categorical", message, place, &[key]);
    }
    let shape = [prefix, &logits.shape()].concat();
    (gumbel_draw(key, &shape, logits.dtype()) + logits).argmax((prefix.len() + axis) as i64)
}
