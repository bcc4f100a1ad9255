//! `Nested`: the values of source files as a tree whose shape is known only when it runs, and the
//! arguments of their functions.

use crate::function::Args;
use crate::tree::{IntoArrays, Key, Spec, Visit};
use crate::{Array, Tensor, Tree};
use std::fmt;
use std::sync::Arc;

/// A value or a tuple of nested values: what a function of a source file takes and returns.
#[derive(Clone, Debug, PartialEq)]
pub enum Nested<T> {
    /// One value.
    Leaf(T),
    /// A tuple.
    Tuple(Vec<Nested<T>>),
}

impl<T> Nested<T> {
    /// The same tree with each leaf replaced.
    pub fn map_with<U>(&self, f: &mut impl FnMut(&T) -> U) -> Nested<U> {
        match self {
            Nested::Leaf(leaf) => Nested::Leaf(f(leaf)),
            Nested::Tuple(parts) => Nested::Tuple(parts.iter().map(|p| p.map_with(f)).collect()),
        }
    }

    /// Its leaves, in order.
    #[must_use]
    pub fn values(&self) -> Vec<&T> {
        match self {
            Nested::Leaf(leaf) => vec![leaf],
            Nested::Tuple(parts) => parts.iter().flat_map(Nested::values).collect(),
        }
    }

    /// The part that a path leads to.
    pub(super) fn part(&self, path: &[usize]) -> Option<&Nested<T>> {
        match (path, self) {
            ([], _) => Some(self),
            ([i, rest @ ..], Nested::Tuple(parts)) => parts.get(*i)?.part(rest),
            (_, Nested::Leaf(_)) => None,
        }
    }

    /// Puts `value` in place of the part that a path leads to, if there is one.
    pub(super) fn replace(&mut self, path: &[usize], value: Nested<T>) {
        match (path, &mut *self) {
            ([], _) => *self = value,
            ([i, rest @ ..], Nested::Tuple(parts)) => {
                if let Some(part) = parts.get_mut(*i) {
                    part.replace(rest, value);
                }
            }
            (_, Nested::Leaf(_)) => {}
        }
    }

    fn n_leaves(&self) -> usize {
        match self {
            Nested::Leaf(_) => 1,
            Nested::Tuple(parts) => parts.iter().map(Nested::n_leaves).sum(),
        }
    }

    /// The number of the first leaf of the part that a path leads to.
    fn first_leaf(&self, path: &[usize]) -> usize {
        match (path, self) {
            ([i, rest @ ..], Nested::Tuple(parts)) => {
                let before: usize = parts.iter().take(*i).map(Nested::n_leaves).sum();
                before + parts.get(*i).map_or(0, |p| p.first_leaf(rest))
            }
            ([], _) | (_, Nested::Leaf(_)) => 0,
        }
    }
}

impl<T> Nested<Nested<T>> {
    /// The tree with the trees at its leaves grown into it.
    pub(super) fn flatten(self) -> Nested<T> {
        match self {
            Nested::Leaf(tree) => tree,
            Nested::Tuple(parts) => Nested::Tuple(parts.into_iter().map(Nested::flatten).collect()),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Nested<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Nested::Leaf(leaf) => leaf.fmt(f),
            Nested::Tuple(parts) => {
                f.write_str("(")?;
                for (i, part) in parts.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    part.fmt(f)?;
                }
                f.write_str(if parts.len() == 1 { ",)" } else { ")" })
            }
        }
    }
}

impl<A: Tree> Tree for Nested<A> {
    type Arrays = Nested<A::Arrays>;
    type Leaves<T: Tree> = Nested<A::Leaves<T>>;

    fn spec(&self) -> Spec {
        match self {
            Nested::Leaf(leaf) => leaf.spec(),
            Nested::Tuple(parts) => {
                Spec::Node(parts.iter().enumerate().map(|(i, p)| (Key::Tuple(i), p.spec())).collect())
            }
        }
    }
    fn map_leaves<T: Tree>(&self, f: &mut dyn FnMut(Tensor) -> T) -> Self::Leaves<T> {
        match self {
            Nested::Leaf(leaf) => Nested::Leaf(leaf.map_leaves(f)),
            Nested::Tuple(parts) => Nested::Tuple(parts.iter().map(|p| p.map_leaves(f)).collect()),
        }
    }
    fn map(&self, f: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
        self.map_with(&mut |leaf| leaf.map(f))
    }
    fn to_arrays(&self, f: &mut dyn FnMut(Tensor) -> Array) -> Self::Arrays {
        self.map_with(&mut |leaf| leaf.to_arrays(f))
    }
    fn from_arrays(arrays: &Self::Arrays, f: &mut dyn FnMut(&Array) -> Tensor) -> Self {
        arrays.map_with(&mut |leaf| A::from_arrays(leaf, f))
    }
    fn visit(arrays: &Self::Arrays, visit: &mut dyn Visit) {
        match arrays {
            Nested::Leaf(leaf) => {
                visit.number(0);
                A::visit(leaf, visit);
            }
            Nested::Tuple(parts) => {
                visit.number(1 + parts.len() as u64);
                for part in parts {
                    Nested::<A>::visit(part, visit);
                }
            }
        }
    }
    fn take(arrays: Self::Arrays, leaf: &mut dyn FnMut(Array)) {
        match arrays {
            Nested::Leaf(array) => A::take(array, leaf),
            Nested::Tuple(parts) => {
                for part in parts {
                    Nested::<A>::take(part, leaf);
                }
            }
        }
    }
}

/// The arguments of a function of a source file, each with the name of its parameter.
#[derive(Clone, Debug)]
pub(super) struct Params<T> {
    pub(super) names: Arc<[String]>,
    pub(super) values: Vec<Nested<T>>,
}

impl<T> Params<T> {
    fn map_with<U>(&self, f: &mut impl FnMut(&T) -> U) -> Params<U> {
        Params { names: self.names.clone(), values: self.values.iter().map(|v| v.map_with(f)).collect() }
    }

    /// The numbers of the leaves of a part of an argument, among all leaves.
    pub(super) fn leaf_range(&self, argument: usize, path: &[usize]) -> std::ops::Range<usize> {
        let before: usize = self.values.iter().take(argument).map(Nested::n_leaves).sum();
        let Some(value) = self.values.get(argument) else { return 0..0 };
        let start = before + value.first_leaf(path);
        start..start + value.part(path).map_or(0, Nested::n_leaves)
    }
}

impl Tree for Params<Tensor> {
    type Arrays = Params<Array>;
    type Leaves<T: Tree> = Vec<Nested<T>>;

    fn spec(&self) -> Spec {
        let each = self.names.iter().zip(&self.values);
        Spec::Node(each.map(|(name, value)| (Key::Entry(name.clone()), value.spec())).collect())
    }
    fn map_leaves<T: Tree>(&self, f: &mut dyn FnMut(Tensor) -> T) -> Vec<Nested<T>> {
        self.values.iter().map(|v| v.map_leaves(f)).collect()
    }
    fn map(&self, f: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
        self.map_with(&mut |&t| f(t))
    }
    fn to_arrays(&self, f: &mut dyn FnMut(Tensor) -> Array) -> Params<Array> {
        self.map_with(&mut |&t| f(t))
    }
    fn from_arrays(arrays: &Params<Array>, f: &mut dyn FnMut(&Array) -> Tensor) -> Self {
        arrays.map_with(&mut |a| f(a))
    }
    fn visit(arrays: &Params<Array>, visit: &mut dyn Visit) {
        visit.number(arrays.values.len() as u64);
        for (name, value) in arrays.names.iter().zip(&arrays.values) {
            visit.text(name);
            Nested::<Tensor>::visit(value, visit);
        }
    }
    fn take(arrays: Params<Array>, leaf: &mut dyn FnMut(Array)) {
        for value in arrays.values {
            Nested::<Tensor>::take(value, leaf);
        }
    }
}

/// The first argument of a function that has none.
static NO_ARGUMENT: Nested<Tensor> = Nested::Tuple(Vec::new());

impl Args for Params<Tensor> {
    type Boxed<'f, R: 'f> = Box<dyn Fn(Self) -> R + 'f>;
    type First = Nested<Tensor>;

    fn boxed<'f, R: 'f>(f: impl Fn(Self) -> R + 'f) -> Self::Boxed<'f, R>
    where
        Self: 'f,
    {
        Box::new(f)
    }
    fn first(&self) -> &Nested<Tensor> {
        self.values.first().unwrap_or(&NO_ARGUMENT)
    }
}

impl IntoArrays<Params<Tensor>> for Params<Array> {
    fn into_arrays(self) -> Params<Array> {
        self
    }
}
