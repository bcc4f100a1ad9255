//! Operands at run time, and the elementwise loops over them.

use jx_ir::{Array, Element, Scalar};
use std::borrow::Cow;

/// An operand at run time.
pub(super) enum Arg<'a> {
    /// Its last use: the kernel may write over it.
    Own(Array),
    /// Needed again later.
    Ref(&'a Array),
    /// Every element is this; the shape is that of the other operands.
    Splat(Scalar),
}

impl Arg<'_> {
    /// The array.
    ///
    /// # Panics
    /// For a splat, which the plan gives only to kernels that take one.
    pub(super) fn array(&self) -> &Array {
        match self {
            Arg::Own(array) => array,
            Arg::Ref(array) => array,
            Arg::Splat(value) => panic!("the plan gave the splat {value:?} to a kernel that takes arrays"),
        }
    }

    /// Its elements.
    ///
    /// # Panics
    /// If they are of another dtype: the plan picks kernels by dtype.
    pub(super) fn slice<T: Element>(&self) -> &[T] {
        slice(self.array())
    }
}

/// An array's elements.
///
/// # Panics
/// If they are of another dtype: the plan picks kernels by dtype.
pub(super) fn slice<T: Element>(array: &Array) -> &[T] {
    array.as_slice().unwrap_or_else(|| panic!("a kernel for {} got {}", T::DTYPE, array.ty()))
}

/// The array of a shape that was computed for exactly these values.
pub(super) fn array<T: Element>(shape: &[usize], values: Vec<T>) -> Array {
    Array::from_vec(shape, values).expect("a kernel makes as many values as its result has")
}

/// `f(x)` for every element, in place where nothing else shares the operand.
pub(super) fn map<T: Element>(x: Arg<'_>, f: impl Fn(T) -> T) -> Array {
    let x = match x {
        Arg::Own(mut x) => {
            if let Some(values) = x.as_unique_slice::<T>() {
                for v in values {
                    *v = f(*v);
                }
                return x;
            }
            Cow::Owned(x)
        }
        Arg::Ref(x) => Cow::Borrowed(x),
        Arg::Splat(value) => panic!("the plan folds operations on the splat {value:?}"),
    };
    array(x.shape(), slice::<T>(&x).iter().map(|&v| f(v)).collect())
}

/// `f(x)` for every element, in another dtype.
pub(super) fn map_to<T: Element, U: Element>(x: &Arg<'_>, f: impl Fn(T) -> U) -> Array {
    array(x.array().shape(), x.slice::<T>().iter().map(|&v| f(v)).collect())
}

/// `f(x, y)` for every pair of elements, in place where nothing else shares an operand.
pub(super) fn zip<T: Element>(x: Arg<'_>, y: Arg<'_>, f: impl Fn(T, T) -> T) -> Array {
    let (x, y) = match (x, y) {
        (Arg::Splat(a), y) => {
            let a = T::from_bits(a.bits());
            return map(y, |b| f(a, b));
        }
        (x, Arg::Splat(b)) => {
            let b = T::from_bits(b.bits());
            return map(x, |a| f(a, b));
        }
        (Arg::Own(mut x), y) => {
            if let Some(values) = x.as_unique_slice::<T>() {
                for (a, &b) in values.iter_mut().zip(y.slice::<T>()) {
                    *a = f(*a, b);
                }
                return x;
            }
            (Arg::Own(x), y)
        }
        (x @ Arg::Ref(_), y) => (x, y),
    };
    let y = match y {
        Arg::Own(mut y) => {
            if let Some(values) = y.as_unique_slice::<T>() {
                for (&a, b) in x.slice::<T>().iter().zip(values) {
                    *b = f(a, *b);
                }
                return y;
            }
            Arg::Own(y)
        }
        y @ (Arg::Ref(_) | Arg::Splat(_)) => y,
    };
    let values = x.slice::<T>().iter().zip(y.slice::<T>()).map(|(&a, &b)| f(a, b)).collect();
    array(x.array().shape(), values)
}

/// `f(x, y)` for every pair of elements, in another dtype.
pub(super) fn zip_to<T: Element, U: Element>(x: &Arg<'_>, y: &Arg<'_>, f: impl Fn(T, T) -> U) -> Array {
    match (x, y) {
        (Arg::Splat(a), y) => {
            let a = T::from_bits(a.bits());
            map_to(y, |b| f(a, b))
        }
        (x, Arg::Splat(b)) => {
            let b = T::from_bits(b.bits());
            map_to(x, |a| f(a, b))
        }
        (x @ (Arg::Own(_) | Arg::Ref(_)), y @ (Arg::Own(_) | Arg::Ref(_))) => {
            let values = x.slice::<T>().iter().zip(y.slice::<T>()).map(|(&a, &b)| f(a, b)).collect();
            array(x.array().shape(), values)
        }
    }
}
