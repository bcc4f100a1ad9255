//! The axes of a `vmap`: which axis of each argument and result counts the examples.

use crate::tree::AxisTree;
use std::collections::BTreeMap;

/// Axes as a user writes them: `0`, `-1`, `None`, a tuple of them, one for each part, or [`axes`] with options.
///
/// A single axis stands for every tensor below it, so axes are a prefix of the arguments' tree: for a
/// function of `(params, x)`, `(None, 0)` maps axis 0 of `x` and shares all of `params`.
pub trait IntoAxes {
    /// The axes as a tree.
    fn into_axes(self) -> AxisTree;
}

/// Everything that a `vmap` is told: see [`axes`].
pub trait IntoMapAxes {
    /// The axes with their options.
    fn into_map_axes(self) -> MapAxes;
}

/// The axes of a `vmap` with its options; made by [`axes`].
#[derive(Clone, Debug)]
pub struct MapAxes {
    pub(crate) inputs: AxisTree,
    pub(crate) outputs: AxisTree,
    pub(crate) size: Option<usize>,
}

/// Axes with options: `axes((None, 0)).out(1)`.
///
/// ```
/// use jx::prelude::*;
/// let columns = jit(|x: Tensor| vmap(|row: Tensor| row * 2.0, axes(0).out(1))(x));
/// let y = columns.call(Array::from_vec([2, 3], vec![1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0])?)?;
/// assert_eq!(y.shape(), [3, 2]);
/// # Ok::<(), jx::Error>(())
/// ```
pub fn axes(inputs: impl IntoAxes) -> MapAxes {
    MapAxes { inputs: inputs.into_axes(), outputs: AxisTree::Axis(0), size: None }
}

impl MapAxes {
    /// Where the axis of examples goes in the results; 0 by default. `None` is for results on which
    /// all examples agree.
    #[must_use]
    pub fn out(mut self, outputs: impl IntoAxes) -> MapAxes {
        self.outputs = outputs.into_axes();
        self
    }

    /// How many examples there are; by default the extent of the mapped axes, with which it must agree.
    #[must_use]
    pub fn size(mut self, size: usize) -> MapAxes {
        self.size = Some(size);
        self
    }
}

impl IntoMapAxes for MapAxes {
    fn into_map_axes(self) -> MapAxes {
        self
    }
}

impl<T: IntoAxes> IntoMapAxes for T {
    fn into_map_axes(self) -> MapAxes {
        axes(self)
    }
}

impl IntoAxes for AxisTree {
    fn into_axes(self) -> AxisTree {
        self
    }
}

impl IntoAxes for i64 {
    fn into_axes(self) -> AxisTree {
        AxisTree::Axis(self)
    }
}

impl IntoAxes for i32 {
    fn into_axes(self) -> AxisTree {
        AxisTree::Axis(i64::from(self))
    }
}

// The only impl for an `Option`, so that a bare `None` needs no annotation.
impl IntoAxes for Option<i32> {
    fn into_axes(self) -> AxisTree {
        self.map_or(AxisTree::Unmapped, |a| AxisTree::Axis(i64::from(a)))
    }
}

impl<T: IntoAxes> IntoAxes for Vec<T> {
    fn into_axes(self) -> AxisTree {
        AxisTree::Parts(self.into_iter().map(IntoAxes::into_axes).collect())
    }
}

impl<T: IntoAxes, const N: usize> IntoAxes for [T; N] {
    fn into_axes(self) -> AxisTree {
        AxisTree::Parts(self.into_iter().map(IntoAxes::into_axes).collect())
    }
}

impl<K: Into<String>, T: IntoAxes> IntoAxes for BTreeMap<K, T> {
    fn into_axes(self) -> AxisTree {
        AxisTree::Named(self.into_iter().map(|(k, a)| (k.into(), a.into_axes())).collect())
    }
}

macro_rules! tuple_axes {
    ($($name:ident $i:tt),*) => {
        impl<$($name: IntoAxes),*> IntoAxes for ($($name,)*) {
            fn into_axes(self) -> AxisTree {
                AxisTree::Parts(vec![$(self.$i.into_axes(),)*])
            }
        }
    };
}
tuple_axes!(A 0);
tuple_axes!(A 0, B 1);
tuple_axes!(A 0, B 1, C 2);
tuple_axes!(A 0, B 1, C 2, D 3);
tuple_axes!(A 0, B 1, C 2, D 3, E 4);
tuple_axes!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple_axes!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple_axes!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

/// Axes by name, for structs and maps; parts not named are not mapped.
///
/// ```
/// use jx::prelude::*;
/// #[derive(Tree, Clone)]
/// struct Batch<T> { x: T, scale: T }
///
/// let f = |b: Batch<Tensor>| b.x.sum() * b.scale;
/// let g = jit(vmap(f, (named([("x", 0)]),)));
/// let x = Array::from_vec([2, 2], vec![1.0_f32, 2.0, 3.0, 4.0])?;
/// let y = g.call(Batch { x, scale: Array::from(10.0_f32) })?;
/// assert_eq!(y.to_vec::<f32>()?, [30.0, 70.0]);
/// # Ok::<(), jx::Error>(())
/// ```
pub fn named<A: IntoAxes, const N: usize>(parts: [(&str, A); N]) -> AxisTree {
    AxisTree::Named(parts.into_iter().map(|(name, a)| (name.to_owned(), a.into_axes())).collect())
}
