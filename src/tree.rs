//! Trees: the arguments and results of a user's function, as nested containers whose leaves are tensors.

use crate::{Array, Tensor};
use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;

/// A container of tensors: a [`Tensor`], a tuple, `Vec`, array, `Option`, `BTreeMap<String, _>`, a struct
/// with `#[derive(Tree)]`, or a static value (`usize`, `bool`, `String`, …) that is part of the program.
///
/// Inside a function its leaves are tensors; at a call they are arrays: [`Tree::Arrays`] maps the one
/// to the other. Leaves are visited in one fixed order: fields and elements in order, map entries by key.
///
/// ```
/// use jx::prelude::*;
/// #[derive(Tree, Clone)]
/// struct Affine<T> { w: T, b: T }
///
/// let f = jit(|p: Affine<Tensor>, x: Tensor| p.w * x + p.b);
/// let y = f.call((Affine { w: Array::from(2.0_f32), b: Array::from(1.0_f32) }, 3.0_f32))?;
/// assert_eq!(y.item::<f32>()?, 7.0);
/// # Ok::<(), jx::Error>(())
/// ```
pub trait Tree: Clone {
    /// The same container with arrays at the leaves.
    type Arrays;
    /// The same container with another tree at each leaf.
    type Leaves<T: Tree>: Tree;

    /// Its structure: containers, keys and where the leaves are.
    fn spec(&self) -> Spec;
    /// The container with each leaf replaced, in order.
    fn map_leaves<T: Tree>(&self, f: &mut dyn FnMut(Tensor) -> T) -> Self::Leaves<T>;
    /// The container with each tensor replaced, in order.
    #[must_use]
    fn map(&self, f: &mut dyn FnMut(Tensor) -> Tensor) -> Self;
    /// The container of arrays with each leaf made from the tensor that stands there, in order.
    fn to_arrays(&self, f: &mut dyn FnMut(Tensor) -> Array) -> Self::Arrays;
    /// The container of tensors with each leaf made from the array that stands there, in order.
    fn from_arrays(arrays: &Self::Arrays, f: &mut dyn FnMut(&Array) -> Tensor) -> Self;
    /// Shows the leaves in order, and what else tells two structures of this type apart.
    fn visit(arrays: &Self::Arrays, visit: &mut dyn Visit);
    /// Takes the container apart into its leaves, in order.
    fn take(arrays: Self::Arrays, leaf: &mut dyn FnMut(Array));

    /// Its leaves, in order.
    fn leaves(&self) -> Vec<Tensor> {
        let mut leaves = Vec::new();
        let _ = self.map(&mut |t| {
            leaves.push(t);
            t
        });
        leaves
    }
}

/// Is shown the parts of a container of arrays; see [`Tree::visit`].
pub trait Visit {
    /// A leaf.
    fn leaf(&mut self, array: &Array);
    /// A number that is part of the structure: a length, a variant, a static value.
    fn number(&mut self, value: u64);
    /// A text that is part of the structure: a key.
    fn text(&mut self, value: &str);
}

/// The structure of a tree: which containers, with which keys, around which leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spec {
    /// A tensor.
    Leaf,
    /// A value that is part of the program.
    Static,
    /// A container: each child under its key.
    Node(Vec<(Key, Spec)>),
}

/// How a container names a child; prints as the step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// Element of a tuple: `.0`.
    Tuple(usize),
    /// Element of a list: `[0]`.
    Index(usize),
    /// Field of a struct: `.w`.
    Field(&'static str),
    /// Entry of a map: `["w"]`.
    Entry(String),
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Tuple(i) => write!(f, ".{i}"),
            Key::Index(i) => write!(f, "[{i}]"),
            Key::Field(name) => write!(f, ".{name}"),
            Key::Entry(name) => write!(f, "[{name:?}]"),
        }
    }
}

impl Spec {
    /// The path of each leaf below `root`, in order.
    #[must_use]
    pub fn paths(&self, root: &str) -> Vec<String> {
        let mut paths = Vec::new();
        let mut path = root.to_owned();
        self.walk(&mut path, &mut |p| paths.push(p.to_owned()));
        paths
    }

    /// The paths of the leaves of the arguments of a function: the first step is the argument's number,
    /// or its name where arguments have names.
    #[must_use]
    pub fn argument_paths(&self) -> Vec<String> {
        match self {
            Spec::Node(children) => {
                let each = children.iter().enumerate();
                let root = |i: usize, key: &Key| match key {
                    Key::Entry(name) => format!("argument {name}"),
                    Key::Tuple(_) | Key::Index(_) | Key::Field(_) => format!("argument {i}"),
                };
                each.flat_map(|(i, (key, spec))| spec.paths(&root(i, key))).collect()
            }
            Spec::Leaf | Spec::Static => self.paths("argument 0"),
        }
    }

    fn walk(&self, path: &mut String, f: &mut dyn FnMut(&str)) {
        match self {
            Spec::Leaf => f(path),
            Spec::Static => {}
            Spec::Node(children) => {
                for (key, child) in children {
                    let n = path.len();
                    // Writing to a string cannot fail.
                    let _ = write!(path, "{key}");
                    child.walk(path, f);
                    path.truncate(n);
                }
            }
        }
    }

    /// The number of leaves.
    #[must_use]
    pub fn n_leaves(&self) -> usize {
        match self {
            Spec::Leaf => 1,
            Spec::Static => 0,
            Spec::Node(children) => children.iter().map(|(_, c)| c.n_leaves()).sum(),
        }
    }
}

/// Axes as a prefix of a tree: one axis for a whole subtree, or one each for its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AxisTree {
    /// Not mapped, at every leaf below.
    Unmapped,
    /// This axis at every leaf below; negative ones count from the end.
    Axis(i64),
    /// One for each part of a tuple, list or struct, in order.
    Parts(Vec<AxisTree>),
    /// One for each named entry of a map or field of a struct; those not named are not mapped.
    Named(Vec<(String, AxisTree)>),
}

/// Where and why axes are no prefix of a tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrefixError {
    /// Another number of parts.
    #[error("{path}: {expected} parts, but {found} axes are given for them")]
    Parts {
        /// The container.
        path: String,
        /// Its number of parts.
        expected: usize,
        /// How many axes were given.
        found: usize,
    },
    /// Axes for parts of something that has none.
    #[error("{path} is a single tensor, but axes are given for its parts")]
    Leaf {
        /// The leaf.
        path: String,
    },
    /// A name that the container does not have.
    #[error("{path} has no part `{name}`")]
    NoPart {
        /// The container.
        path: String,
        /// The name.
        name: String,
    },
}

impl AxisTree {
    /// The axis of each leaf of a tree of this structure.
    pub(crate) fn spread(&self, spec: &Spec, root: &str) -> Result<Vec<Option<i64>>, PrefixError> {
        let mut axes = Vec::new();
        self.spread_into(spec, &mut root.to_owned(), &mut axes)?;
        Ok(axes)
    }

    fn spread_into(&self, spec: &Spec, path: &mut String, out: &mut Vec<Option<i64>>) -> Result<(), PrefixError> {
        let children = match (self, spec) {
            (AxisTree::Unmapped, _) => {
                out.resize(out.len() + spec.n_leaves(), None);
                return Ok(());
            }
            (AxisTree::Axis(axis), _) => {
                out.resize(out.len() + spec.n_leaves(), Some(*axis));
                return Ok(());
            }
            (AxisTree::Parts(_) | AxisTree::Named(_), Spec::Leaf | Spec::Static) => {
                return Err(PrefixError::Leaf { path: shown(path) });
            }
            (AxisTree::Parts(parts), Spec::Node(children)) => {
                if parts.len() != children.len() {
                    let (expected, found) = (children.len(), parts.len());
                    return Err(PrefixError::Parts { path: shown(path), expected, found });
                }
                parts.iter().zip(children).collect::<Vec<_>>()
            }
            (AxisTree::Named(parts), Spec::Node(children)) => {
                let is = |key: &Key, name: &str| match key {
                    Key::Field(field) => *field == name,
                    Key::Entry(entry) => entry == name,
                    Key::Tuple(_) | Key::Index(_) => false,
                };
                if let Some((name, _)) = parts.iter().find(|(n, _)| !children.iter().any(|(k, _)| is(k, n))) {
                    return Err(PrefixError::NoPart { path: shown(path), name: name.clone() });
                }
                let of = |key: &Key| parts.iter().find(|(n, _)| is(key, n)).map_or(&AxisTree::Unmapped, |(_, a)| a);
                children.iter().map(|child| (of(&child.0), child)).collect()
            }
        };
        for (axes, (key, child)) in children {
            let n = path.len();
            // Writing to a string cannot fail.
            let _ = write!(path, "{key}");
            axes.spread_into(child, path, out)?;
            path.truncate(n);
        }
        Ok(())
    }
}

/// The path below a function's arguments as the argument's own.
fn shown(path: &str) -> String {
    path.strip_prefix("the arguments.").map_or_else(|| path.to_owned(), |rest| format!("argument {rest}"))
}

impl Tree for Tensor {
    type Arrays = Array;
    type Leaves<T: Tree> = T;

    fn spec(&self) -> Spec {
        Spec::Leaf
    }
    fn map_leaves<T: Tree>(&self, f: &mut dyn FnMut(Tensor) -> T) -> T {
        f(*self)
    }
    fn map(&self, f: &mut dyn FnMut(Tensor) -> Tensor) -> Tensor {
        f(*self)
    }
    fn to_arrays(&self, f: &mut dyn FnMut(Tensor) -> Array) -> Array {
        f(*self)
    }
    fn from_arrays(arrays: &Array, f: &mut dyn FnMut(&Array) -> Tensor) -> Tensor {
        f(arrays)
    }
    fn visit(arrays: &Array, visit: &mut dyn Visit) {
        visit.leaf(arrays);
    }
    fn take(arrays: Array, leaf: &mut dyn FnMut(Array)) {
        leaf(arrays);
    }
}

macro_rules! tuple_tree {
    ($($name:ident $i:tt),*) => {
        #[allow(clippy::unused_unit, reason = "the tuple of none is one of these")]
        impl<$($name: Tree),*> Tree for ($($name,)*) {
            type Arrays = ($($name::Arrays,)*);
            type Leaves<T: Tree> = ($($name::Leaves<T>,)*);

            fn spec(&self) -> Spec {
                Spec::Node(vec![$((Key::Tuple($i), self.$i.spec()),)*])
            }
            fn map_leaves<T: Tree>(&self, _f: &mut dyn FnMut(Tensor) -> T) -> Self::Leaves<T> {
                ($(self.$i.map_leaves(_f),)*)
            }
            fn map(&self, _f: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
                ($(self.$i.map(_f),)*)
            }
            fn to_arrays(&self, _f: &mut dyn FnMut(Tensor) -> Array) -> Self::Arrays {
                ($(self.$i.to_arrays(_f),)*)
            }
            fn from_arrays(_arrays: &Self::Arrays, _f: &mut dyn FnMut(&Array) -> Tensor) -> Self {
                ($($name::from_arrays(&_arrays.$i, _f),)*)
            }
            fn visit(_arrays: &Self::Arrays, _visit: &mut dyn Visit) {
                $($name::visit(&_arrays.$i, _visit);)*
            }
            fn take(_arrays: Self::Arrays, _leaf: &mut dyn FnMut(Array)) {
                $($name::take(_arrays.$i, _leaf);)*
            }
        }
    };
}
tuple_tree!();
tuple_tree!(A 0);
tuple_tree!(A 0, B 1);
tuple_tree!(A 0, B 1, C 2);
tuple_tree!(A 0, B 1, C 2, D 3);
tuple_tree!(A 0, B 1, C 2, D 3, E 4);
tuple_tree!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple_tree!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple_tree!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

impl<A: Tree> Tree for Vec<A> {
    type Arrays = Vec<A::Arrays>;
    type Leaves<T: Tree> = Vec<A::Leaves<T>>;

    fn spec(&self) -> Spec {
        Spec::Node(self.iter().enumerate().map(|(i, a)| (Key::Index(i), a.spec())).collect())
    }
    fn map_leaves<T: Tree>(&self, f: &mut dyn FnMut(Tensor) -> T) -> Self::Leaves<T> {
        self.iter().map(|a| a.map_leaves(f)).collect()
    }
    fn map(&self, f: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
        self.iter().map(|a| a.map(f)).collect()
    }
    fn to_arrays(&self, f: &mut dyn FnMut(Tensor) -> Array) -> Self::Arrays {
        self.iter().map(|a| a.to_arrays(f)).collect()
    }
    fn from_arrays(arrays: &Self::Arrays, f: &mut dyn FnMut(&Array) -> Tensor) -> Self {
        arrays.iter().map(|a| A::from_arrays(a, f)).collect()
    }
    fn visit(arrays: &Self::Arrays, visit: &mut dyn Visit) {
        visit.number(arrays.len() as u64);
        for a in arrays {
            A::visit(a, visit);
        }
    }
    fn take(arrays: Self::Arrays, leaf: &mut dyn FnMut(Array)) {
        for a in arrays {
            A::take(a, leaf);
        }
    }
}

impl<A: Tree, const N: usize> Tree for [A; N] {
    type Arrays = [A::Arrays; N];
    type Leaves<T: Tree> = [A::Leaves<T>; N];

    fn spec(&self) -> Spec {
        Spec::Node(self.iter().enumerate().map(|(i, a)| (Key::Index(i), a.spec())).collect())
    }
    fn map_leaves<T: Tree>(&self, f: &mut dyn FnMut(Tensor) -> T) -> Self::Leaves<T> {
        self.each_ref().map(|a| a.map_leaves(f))
    }
    fn map(&self, f: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
        self.each_ref().map(|a| a.map(f))
    }
    fn to_arrays(&self, f: &mut dyn FnMut(Tensor) -> Array) -> Self::Arrays {
        self.each_ref().map(|a| a.to_arrays(f))
    }
    fn from_arrays(arrays: &Self::Arrays, f: &mut dyn FnMut(&Array) -> Tensor) -> Self {
        arrays.each_ref().map(|a| A::from_arrays(a, f))
    }
    fn visit(arrays: &Self::Arrays, visit: &mut dyn Visit) {
        for a in arrays {
            A::visit(a, visit);
        }
    }
    fn take(arrays: Self::Arrays, leaf: &mut dyn FnMut(Array)) {
        for a in arrays {
            A::take(a, leaf);
        }
    }
}

impl<A: Tree> Tree for Option<A> {
    type Arrays = Option<A::Arrays>;
    type Leaves<T: Tree> = Option<A::Leaves<T>>;

    fn spec(&self) -> Spec {
        self.as_ref().map_or(Spec::Node(Vec::new()), A::spec)
    }
    fn map_leaves<T: Tree>(&self, f: &mut dyn FnMut(Tensor) -> T) -> Self::Leaves<T> {
        self.as_ref().map(|a| a.map_leaves(f))
    }
    fn map(&self, f: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
        self.as_ref().map(|a| a.map(f))
    }
    fn to_arrays(&self, f: &mut dyn FnMut(Tensor) -> Array) -> Self::Arrays {
        self.as_ref().map(|a| a.to_arrays(f))
    }
    fn from_arrays(arrays: &Self::Arrays, f: &mut dyn FnMut(&Array) -> Tensor) -> Self {
        arrays.as_ref().map(|a| A::from_arrays(a, f))
    }
    fn visit(arrays: &Self::Arrays, visit: &mut dyn Visit) {
        visit.number(u64::from(arrays.is_some()));
        if let Some(a) = arrays {
            A::visit(a, visit);
        }
    }
    fn take(arrays: Self::Arrays, leaf: &mut dyn FnMut(Array)) {
        if let Some(a) = arrays {
            A::take(a, leaf);
        }
    }
}

impl<A: Tree> Tree for BTreeMap<String, A> {
    type Arrays = BTreeMap<String, A::Arrays>;
    type Leaves<T: Tree> = BTreeMap<String, A::Leaves<T>>;

    fn spec(&self) -> Spec {
        Spec::Node(self.iter().map(|(k, a)| (Key::Entry(k.clone()), a.spec())).collect())
    }
    fn map_leaves<T: Tree>(&self, f: &mut dyn FnMut(Tensor) -> T) -> Self::Leaves<T> {
        self.iter().map(|(k, a)| (k.clone(), a.map_leaves(f))).collect()
    }
    fn map(&self, f: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
        self.iter().map(|(k, a)| (k.clone(), a.map(f))).collect()
    }
    fn to_arrays(&self, f: &mut dyn FnMut(Tensor) -> Array) -> Self::Arrays {
        self.iter().map(|(k, a)| (k.clone(), a.to_arrays(f))).collect()
    }
    fn from_arrays(arrays: &Self::Arrays, f: &mut dyn FnMut(&Array) -> Tensor) -> Self {
        arrays.iter().map(|(k, a)| (k.clone(), A::from_arrays(a, f))).collect()
    }
    fn visit(arrays: &Self::Arrays, visit: &mut dyn Visit) {
        visit.number(arrays.len() as u64);
        for (k, a) in arrays {
            visit.text(k);
            A::visit(a, visit);
        }
    }
    fn take(arrays: Self::Arrays, leaf: &mut dyn FnMut(Array)) {
        for a in arrays.into_values() {
            A::take(a, leaf);
        }
    }
}

/// Values that are part of the program: no leaves, and another value is another structure.
macro_rules! static_tree {
    ($($t:ty: |$x:ident, $visit:ident| $key:expr;)*) => {$(
        impl Tree for $t {
            type Arrays = $t;
            type Leaves<T: Tree> = $t;

            fn spec(&self) -> Spec {
                Spec::Static
            }
            fn map_leaves<T: Tree>(&self, _: &mut dyn FnMut(Tensor) -> T) -> $t {
                self.clone()
            }
            fn map(&self, _: &mut dyn FnMut(Tensor) -> Tensor) -> $t {
                self.clone()
            }
            fn to_arrays(&self, _: &mut dyn FnMut(Tensor) -> Array) -> $t {
                self.clone()
            }
            fn from_arrays(arrays: &$t, _: &mut dyn FnMut(&Array) -> Tensor) -> $t {
                arrays.clone()
            }
            fn visit($x: &$t, $visit: &mut dyn Visit) {
                $key;
            }
            fn take(_: $t, _: &mut dyn FnMut(Array)) {}
        }
    )*};
}
static_tree! {
    bool: |x, visit| visit.number(u64::from(*x));
    char: |x, visit| visit.number(u64::from(*x));
    u8: |x, visit| visit.number(u64::from(*x));
    u32: |x, visit| visit.number(u64::from(*x));
    u64: |x, visit| visit.number(*x);
    usize: |x, visit| visit.number(*x as u64);
    i32: |x, visit| visit.number(*x as u64);
    i64: |x, visit| visit.number(*x as u64);
    f32: |x, visit| visit.number(u64::from(x.to_bits()));
    f64: |x, visit| visit.number(x.to_bits());
    String: |x, visit| visit.text(x);
    jx_ir::DType: |x, visit| visit.text(x.name());
}

/// What may stand for a tree's arrays at a call: arrays and references to them, and Rust numbers and
/// vectors of them in place of a leaf.
pub trait IntoArrays<T: Tree> {
    /// The tree's arrays.
    fn into_arrays(self) -> T::Arrays;
}

impl IntoArrays<Tensor> for Array {
    fn into_arrays(self) -> Array {
        self
    }
}

impl IntoArrays<Tensor> for &Array {
    fn into_arrays(self) -> Array {
        self.clone()
    }
}

macro_rules! leaf_into_arrays {
    ($($t:ty),*) => {$(
        impl IntoArrays<Tensor> for $t {
            fn into_arrays(self) -> Array {
                Array::from(self)
            }
        }
        impl IntoArrays<Tensor> for Vec<$t> {
            fn into_arrays(self) -> Array {
                Array::from(self)
            }
        }
        impl<const N: usize> IntoArrays<Tensor> for [$t; N] {
            fn into_arrays(self) -> Array {
                Array::from(self)
            }
        }
    )*};
}
leaf_into_arrays!(bool, i8, i16, i32, i64, u8, u16, u32, u64, jx_ir::f16, jx_ir::bf16, f32, f64);

macro_rules! static_into_arrays {
    ($($t:ty),*) => {$(
        impl IntoArrays<$t> for $t {
            fn into_arrays(self) -> $t {
                self
            }
        }
    )*};
}
static_into_arrays!(bool, char, u8, u32, u64, usize, i32, i64, f32, f64, String, jx_ir::DType);

macro_rules! tuple_into_arrays {
    ($($name:ident $x:ident $i:tt),*) => {
        impl<$($name: Tree, $x: IntoArrays<$name>),*> IntoArrays<($($name,)*)> for ($($x,)*) {
            fn into_arrays(self) -> ($($name::Arrays,)*) {
                ($(self.$i.into_arrays(),)*)
            }
        }
    };
}
tuple_into_arrays!(A XA 0);
tuple_into_arrays!(A XA 0, B XB 1);
tuple_into_arrays!(A XA 0, B XB 1, C XC 2);
tuple_into_arrays!(A XA 0, B XB 1, C XC 2, D XD 3);
tuple_into_arrays!(A XA 0, B XB 1, C XC 2, D XD 3, E XE 4);
tuple_into_arrays!(A XA 0, B XB 1, C XC 2, D XD 3, E XE 4, F XF 5);
tuple_into_arrays!(A XA 0, B XB 1, C XC 2, D XD 3, E XE 4, F XF 5, G XG 6);
tuple_into_arrays!(A XA 0, B XB 1, C XC 2, D XD 3, E XE 4, F XF 5, G XG 6, H XH 7);

impl IntoArrays<()> for () {
    fn into_arrays(self) {}
}

impl<A: Tree, X: IntoArrays<A>> IntoArrays<Vec<A>> for Vec<X> {
    fn into_arrays(self) -> Vec<A::Arrays> {
        self.into_iter().map(IntoArrays::into_arrays).collect()
    }
}

impl<A: Tree, X: IntoArrays<A>, const N: usize> IntoArrays<[A; N]> for [X; N] {
    fn into_arrays(self) -> [A::Arrays; N] {
        self.map(IntoArrays::into_arrays)
    }
}

impl<A: Tree, X: IntoArrays<A>> IntoArrays<Option<A>> for Option<X> {
    fn into_arrays(self) -> Option<A::Arrays> {
        self.map(IntoArrays::into_arrays)
    }
}

impl<A: Tree, X: IntoArrays<A>> IntoArrays<BTreeMap<String, A>> for BTreeMap<String, X> {
    fn into_arrays(self) -> BTreeMap<String, A::Arrays> {
        self.into_iter().map(|(k, x)| (k, x.into_arrays())).collect()
    }
}
