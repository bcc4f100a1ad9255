//! Random numbers from explicit keys, with JAX's algorithms and bit for bit its numbers
//! (`threefry2x32`, `jax_threefry_partitionable=True`).
//!
//! A key is a `u32[2]`. Every function takes one and gives the same numbers for the same key; [`split`] and
//! [`fold_in`] make new ones. Inside a function a key is a [`Tensor`], made by [`key`], and so are the
//! results. Outside a key is an [`Array`], made by [`key_array`], and the results are arrays.
//!
//! ```
//! use jx::prelude::*;
//! let [a, b] = random::split(&random::key_array(42))?;
//! let x = random::normal(&a, [100, 3], DType::F32)?;
//! assert_eq!(x.shape(), [100, 3]);
//!
//! let f = jit(|scale: Tensor| random::normal(random::key(0), [3], DType::F32) * scale);
//! assert_eq!(f.call(2.0_f32)?.shape(), [3]);
//! # let _ = b;
//! # Ok::<(), jx::Error>(())
//! ```

mod bits;
mod continuous;
mod discrete;

pub use bits::{bits, fold_in, key, key_array, split, split_n};
pub use continuous::{exponential, gumbel, normal, truncated_normal, uniform, uniform_between};
pub use discrete::{bernoulli, categorical, permutation, randint, shuffle};

use crate::error::{Error, ErrorKind};
use crate::ops::mistake;
use crate::trace::Place;
use crate::{Array, Tensor, Tree, eager};
use jx_ir::{DType, TensorType};
use std::panic::Location;

/// A key: a tensor inside a traced function, an array (or a reference to one) outside.
pub trait Key {
    /// What a function that gives `T` inside a traced function gives with this key: `T`, or for a key
    /// that is an array the arrays, or why there are none.
    type Out<T: Tree>;

    /// What is drawn with this key.
    #[doc(hidden)]
    #[track_caller]
    fn draw<D: Draw>(self, what: D) -> Self::Out<D::Output>;
}

/// Something that is drawn with a key.
#[doc(hidden)]
pub trait Draw {
    /// The tensors drawn.
    type Output: Tree;

    /// The name of the function, for messages.
    const NAME: &'static str;

    /// What does not fit in the parameters, if anything.
    fn fault(&self) -> Option<String>;

    /// The draw, with a key of type `u32[2]`.
    #[track_caller]
    fn draw(&self, key: Tensor) -> Self::Output;

    /// What stands for it after a mistake.
    fn poisoned(&self) -> Self::Output;
}

impl Key for Tensor {
    type Out<T: Tree> = T;

    #[track_caller]
    fn draw<D: Draw>(self, what: D) -> D::Output {
        let place: Place = Location::caller();
        let Some(ty) = crate::ops::known(self, place) else { return what.poisoned() };
        if let Some(message) = key_fault(&ty).or_else(|| what.fault()) {
            mistake(D::NAME, message, place, &[self]);
            return what.poisoned();
        }
        what.draw(self)
    }
}

impl Key for &Array {
    type Out<T: Tree> = Result<T::Arrays, Error>;

    #[track_caller]
    fn draw<D: Draw>(self, what: D) -> Result<<D::Output as Tree>::Arrays, Error> {
        if let Some(message) = key_fault(&self.ty()).or_else(|| what.fault()) {
            return Err(ErrorKind::Param { op: D::NAME, message }.into());
        }
        eager(|key: Tensor| what.draw(key)).call(self)
    }
}

impl Key for Array {
    type Out<T: Tree> = Result<T::Arrays, Error>;

    #[track_caller]
    fn draw<D: Draw>(self, what: D) -> Result<<D::Output as Tree>::Arrays, Error> {
        (&self).draw(what)
    }
}

fn key_fault(ty: &TensorType) -> Option<String> {
    (ty.dtype != DType::U32 || ty.shape != [2])
        .then(|| format!("a key is u32[2], made by `random::key(seed)`, but this is {ty}"))
}

fn float_fault(dtype: DType) -> Option<String> {
    (!dtype.is_float()).then(|| format!("the dtype must be a float, not {dtype}"))
}
