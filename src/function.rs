//! What may be transformed: plain functions and closures of trees, and `jit`ted ones.

use crate::Tree;
use crate::tree::IntoArrays;

/// The arguments of a function, as a tuple of trees.
pub trait Args: Tree {
    /// A boxed closure that takes these arguments one by one and returns `R`.
    type Boxed<'f, R: 'f>
    where
        Self: 'f;
    /// The first argument: what `grad` differentiates.
    type First: Tree;

    /// The closure that takes the arguments one by one.
    fn boxed<'f, R: 'f>(f: impl Fn(Self) -> R + 'f) -> Self::Boxed<'f, R>
    where
        Self: 'f;
    /// The first argument.
    fn first(&self) -> &Self::First;
}

/// A function that the transformations take: any `Fn` of up to eight trees that returns a tree, or a
/// [`Jit`](crate::Jit).
pub trait Function<A: Args> {
    /// What it returns.
    type Output: Tree;

    /// The result on arguments of the innermost open trace.
    fn apply(&self, args: A) -> Self::Output;
}

macro_rules! arity {
    ($($name:ident $x:ident $i:tt),*; $first:ident) => {
        impl<$($name: Tree),*> Args for ($($name,)*) {
            type Boxed<'f, R_: 'f> = Box<dyn Fn($($name),*) -> R_ + 'f> where Self: 'f;
            type First = $first;

            fn boxed<'f, R_: 'f>(f: impl Fn(Self) -> R_ + 'f) -> Self::Boxed<'f, R_>
            where
                Self: 'f,
            {
                Box::new(move |$($x),*| f(($($x,)*)))
            }
            fn first(&self) -> &$first {
                &self.0
            }
        }

        impl<F_, R_: Tree, $($name: Tree),*> Function<($($name,)*)> for F_
        where
            F_: Fn($($name),*) -> R_,
        {
            type Output = R_;

            fn apply(&self, args: ($($name,)*)) -> R_ {
                let ($($x,)*) = args;
                self($($x),*)
            }
        }
    };
}
impl Args for () {
    type Boxed<'f, R: 'f> = Box<dyn Fn() -> R + 'f>;
    type First = ();

    fn boxed<'f, R: 'f>(f: impl Fn(()) -> R + 'f) -> Self::Boxed<'f, R> {
        Box::new(move || f(()))
    }
    fn first(&self) -> &() {
        self
    }
}

impl<F: Fn() -> R, R: Tree> Function<()> for F {
    type Output = R;

    fn apply(&self, (): ()) -> R {
        self()
    }
}

arity!(A a 0; A);
arity!(A a 0, B b 1; A);
arity!(A a 0, B b 1, C c 2; A);
arity!(A a 0, B b 1, C c 2, D d 3; A);
arity!(A a 0, B b 1, C c 2, D d 3, E e 4; A);
arity!(A a 0, B b 1, C c 2, D d 3, E e 4, F f 5; A);
arity!(A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6; A);
arity!(A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7; A);

/// Which arguments `grad_argnums` and its kin differentiate: `Arg::<1>`, or a tuple of them.
pub trait ArgNums<A: Args> {
    /// The tree of the chosen arguments.
    type Chosen: Tree;

    /// The chosen arguments.
    fn choose(args: &A) -> Self::Chosen;
    /// The numbers of the chosen arguments.
    fn numbers() -> Vec<usize>;
}

/// The argument of number `I`, from 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arg<const I: usize>;

macro_rules! argnum {
    ($i:tt of $($name:ident)*; $chosen:ident) => {
        impl<$($name: Tree),*> ArgNums<($($name,)*)> for Arg<$i> {
            type Chosen = $chosen;

            fn choose(args: &($($name,)*)) -> $chosen {
                args.$i.clone()
            }
            fn numbers() -> Vec<usize> {
                vec![$i]
            }
        }
    };
}
argnum!(0 of A; A);
argnum!(0 of A B; A);
argnum!(1 of A B; B);
argnum!(0 of A B C; A);
argnum!(1 of A B C; B);
argnum!(2 of A B C; C);
argnum!(0 of A B C D; A);
argnum!(1 of A B C D; B);
argnum!(2 of A B C D; C);
argnum!(3 of A B C D; D);
argnum!(0 of A B C D E; A);
argnum!(1 of A B C D E; B);
argnum!(2 of A B C D E; C);
argnum!(3 of A B C D E; D);
argnum!(4 of A B C D E; E);
argnum!(0 of A B C D E F; A);
argnum!(1 of A B C D E F; B);
argnum!(2 of A B C D E F; C);
argnum!(3 of A B C D E F; D);
argnum!(4 of A B C D E F; E);
argnum!(5 of A B C D E F; F);
argnum!(0 of A B C D E F G; A);
argnum!(1 of A B C D E F G; B);
argnum!(2 of A B C D E F G; C);
argnum!(3 of A B C D E F G; D);
argnum!(4 of A B C D E F G; E);
argnum!(5 of A B C D E F G; F);
argnum!(6 of A B C D E F G; G);
argnum!(0 of A B C D E F G H; A);
argnum!(1 of A B C D E F G H; B);
argnum!(2 of A B C D E F G H; C);
argnum!(3 of A B C D E F G H; D);
argnum!(4 of A B C D E F G H; E);
argnum!(5 of A B C D E F G H; F);
argnum!(6 of A B C D E F G H; G);
argnum!(7 of A B C D E F G H; H);

macro_rules! argnum_tuple {
    ($($n:ident),*) => {
        impl<A_: Args, $($n: ArgNums<A_>),*> ArgNums<A_> for ($($n,)*) {
            type Chosen = ($($n::Chosen,)*);

            fn choose(args: &A_) -> Self::Chosen {
                ($($n::choose(args),)*)
            }
            fn numbers() -> Vec<usize> {
                [$($n::numbers()),*].concat()
            }
        }
    };
}
argnum_tuple!(A);
argnum_tuple!(A, B);
argnum_tuple!(A, B, C);
argnum_tuple!(A, B, C, D);
argnum_tuple!(A, B, C, D, E);
argnum_tuple!(A, B, C, D, E, F);

/// How the arguments of a call are given; see [`CallArgs`].
pub mod form {
    /// As a tuple, one element an argument.
    #[derive(Debug)]
    pub struct Tuple;
    /// The only argument, not in a tuple.
    #[derive(Debug)]
    pub struct Bare;
}

/// What `call` takes for a function of arguments `A`: a tuple with one element an argument, or, for a
/// function of one argument, that argument alone. Elements are arrays, references to them, numbers,
/// or containers of these. `Form` is found by inference.
pub trait CallArgs<A: Args, Form> {
    /// The arguments as arrays.
    fn into_call_args(self) -> A::Arrays;
}

impl<A: Args, X: IntoArrays<A>> CallArgs<A, form::Tuple> for X {
    fn into_call_args(self) -> A::Arrays {
        self.into_arrays()
    }
}

impl<A: Tree, X: IntoArrays<A>> CallArgs<(A,), form::Bare> for X {
    fn into_call_args(self) -> (A::Arrays,) {
        (self.into_arrays(),)
    }
}
