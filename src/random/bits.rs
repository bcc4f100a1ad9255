//! Keys and raw bits.

use super::{Draw, Key};
use crate::ops::lax::threefry2x32;
use crate::ops::numpy::{concatenate, full, stack};
use crate::trace::{Place, emit1};
use crate::{Array, Tensor};
use jx_ir::{DType, Prim, TensorType};
use std::panic::Location;
use std::sync::Arc;

fn key_words(seed: u64) -> [u32; 2] {
    [(seed >> 32) as u32, seed as u32]
}

/// The key of a seed, inside a traced function.
#[track_caller]
#[must_use]
pub fn key(seed: u64) -> Tensor {
    let words = jx_ir::Array::from_vec([2], key_words(seed).to_vec()).expect("two words make a key");
    emit1(Prim::Constant(Arc::new(words)), &[], Location::caller())
}

/// The key of a seed, outside any traced function.
///
/// ```
/// use jx::prelude::*;
/// assert_eq!(random::key_array(42).to_vec::<u32>()?, [0, 42]);
/// # Ok::<(), jx::Error>(())
/// ```
#[must_use]
pub fn key_array(seed: u64) -> Array {
    Array::from(key_words(seed))
}

/// The two words of a key, as scalars.
#[track_caller]
fn words(key: Tensor) -> (Tensor, Tensor) {
    (key.index(0), key.index(1))
}

/// The place of each element in row-major order, as the upper and lower halves of a 64-bit number.
#[track_caller]
fn counts(shape: &[usize]) -> (Tensor, Tensor) {
    let place: Place = Location::caller();
    let n: usize = shape.iter().product();
    let count = |dtype: DType| {
        let flat = emit1(Prim::Iota { ty: TensorType::new(dtype, [n]), dimension: 0 }, &[], place);
        emit1(Prim::Reshape { shape: shape.to_vec() }, &[flat], place)
    };
    if u32::try_from(n).is_ok() {
        return (full(shape, DType::U32, 0.0), count(DType::U32));
    }
    let all = count(DType::U64);
    ((all >> 32_u64).astype(DType::U32), all.astype(DType::U32))
}

/// The cipher of each element's place.
#[track_caller]
fn blocks(key: Tensor, shape: &[usize]) -> (Tensor, Tensor) {
    let (k0, k1) = words(key);
    let (hi, lo) = counts(shape);
    threefry2x32(k0.broadcast_to(shape), k1.broadcast_to(shape), hi, lo)
}

/// Random bits as unsigned integers of `width` bits: 8, 16, 32 or 64.
#[track_caller]
pub(super) fn random_bits(key: Tensor, dtype: DType, shape: &[usize]) -> Tensor {
    let (a, b) = blocks(key, shape);
    if dtype == DType::U64 {
        return (a.astype(DType::U64) << 32_u64) | b.astype(DType::U64);
    }
    (a ^ b).astype(dtype)
}

/// A key for each index of a shape.
#[track_caller]
pub(super) fn subkeys(key: Tensor, shape: &[usize]) -> Tensor {
    let (a, b) = blocks(key, shape);
    stack([a, b], -1)
}

/// Two keys from one.
#[track_caller]
pub(super) fn two_subkeys(key: Tensor) -> (Tensor, Tensor) {
    let keys = subkeys(key, &[2]);
    (keys.index(0), keys.index(1))
}

struct Split<const N: usize>;

impl<const N: usize> Draw for Split<N> {
    type Output = [Tensor; N];
    const NAME: &'static str = "split";
    fn fault(&self) -> Option<String> {
        None
    }
    #[track_caller]
    fn draw(&self, key: Tensor) -> [Tensor; N] {
        let keys = subkeys(key, &[N]);
        let mut each = [Tensor::POISON; N];
        for (i, k) in each.iter_mut().enumerate() {
            *k = keys.index(i);
        }
        each
    }
    fn poisoned(&self) -> [Tensor; N] {
        [Tensor::POISON; N]
    }
}

/// `N` new keys from one, which should not be used again.
///
/// ```
/// use jx::prelude::*;
/// let [a, b] = random::split(&random::key_array(0))?;
/// assert_eq!(a.to_vec::<u32>()?, [1797259609, 2579123966]);
/// assert_eq!(b.to_vec::<u32>()?, [928981903, 3453687069]);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
pub fn split<K: Key, const N: usize>(key: K) -> K::Out<[Tensor; N]> {
    key.draw(Split::<N>)
}

struct SplitN(usize);

impl Draw for SplitN {
    type Output = Tensor;
    const NAME: &'static str = "split";
    fn fault(&self) -> Option<String> {
        None
    }
    #[track_caller]
    fn draw(&self, key: Tensor) -> Tensor {
        subkeys(key, &[self.0])
    }
    fn poisoned(&self) -> Tensor {
        Tensor::POISON
    }
}

/// `n` new keys from one, as a `u32[n,2]`: `vmap` a function over them.
#[track_caller]
pub fn split_n<K: Key>(key: K, n: usize) -> K::Out<Tensor> {
    key.draw(SplitN(n))
}

struct FoldIn(u32);

impl Draw for FoldIn {
    type Output = Tensor;
    const NAME: &'static str = "fold_in";
    fn fault(&self) -> Option<String> {
        None
    }
    #[track_caller]
    fn draw(&self, key: Tensor) -> Tensor {
        let (k0, k1) = words(key);
        let zero = full(&[], DType::U32, 0.0);
        let (a, b) = threefry2x32(k0, k1, zero, full(&[], DType::U32, f64::from(self.0)));
        concatenate([a.expand_dims(0), b.expand_dims(0)], 0)
    }
    fn poisoned(&self) -> Tensor {
        Tensor::POISON
    }
}

/// A new key from one and a number, such as a step.
#[track_caller]
pub fn fold_in<K: Key>(key: K, data: u32) -> K::Out<Tensor> {
    key.draw(FoldIn(data))
}

struct Bits {
    shape: Vec<usize>,
    dtype: DType,
}

impl Draw for Bits {
    type Output = Tensor;
    const NAME: &'static str = "bits";
    fn fault(&self) -> Option<String> {
        let unsigned = matches!(self.dtype, DType::U8 | DType::U16 | DType::U32 | DType::U64);
        (!unsigned).then(|| format!("the dtype must be u8, u16, u32 or u64, not {}", self.dtype))
    }
    #[track_caller]
    fn draw(&self, key: Tensor) -> Tensor {
        random_bits(key, self.dtype, &self.shape)
    }
    fn poisoned(&self) -> Tensor {
        Tensor::POISON
    }
}

/// Independent random bits, as unsigned integers.
#[track_caller]
pub fn bits<K: Key>(key: K, shape: impl Into<Vec<usize>>, dtype: DType) -> K::Out<Tensor> {
    key.draw(Bits { shape: shape.into(), dtype })
}
