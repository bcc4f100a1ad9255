//! Reductions, running reductions, sorting, and functions along axes.

use super::{Bound, Builtin, ok, tuple};
use crate::Tensor;
use crate::ops::numpy;
use crate::source::interpreter::Evaluated;

/// A reduction over all axes or some, kept with extent 1 or not.
fn reduction(
    a: &Bound<'_>,
    all: fn(Tensor) -> Tensor,
    some: fn(Tensor, Vec<i64>) -> Tensor,
    keep: fn(Tensor, Vec<i64>) -> Tensor,
) -> Evaluated {
    let x = a.tensor(0)?;
    let keepdims = a.bool(2, false)?;
    ok(match a.ints(1)? {
        None if !keepdims => all(x),
        None => keep(x, (0..x.rank() as i64).collect()),
        Some(axes) if keepdims => keep(x, axes),
        Some(axes) => some(x, axes),
    })
}

macro_rules! table {
    (
        reductions { $($name:literal $f:ident $axes:ident $keep:ident;)* }
        along { $($along:literal $g:ident $default:literal;)* }
        other { $($other:tt)* }
    ) => {
        &[
            $(Builtin::new($name, "x, axis=None, keepdims=false", |a| {
                reduction(a, |x| x.$f(), |x, axes| x.$axes(axes), |x, axes| x.$keep(axes))
            }),)*
            $(Builtin::new($along, concat!("x, axis=", $default), |a| ok(a.tensor(0)?.$g(a.int(1, Some($default))?))),)*
            $($other)*
        ]
    };
}

pub(super) static ALL: &[Builtin] = table! {
    reductions {
        "sum" sum sum_axes sum_keepdims;
        "prod" prod prod_axes prod_keepdims;
        "mean" mean mean_axes mean_keepdims;
        "max" max max_axes max_keepdims;
        "min" min min_axes min_keepdims;
        "all" all all_axes all_keepdims;
        "any" any any_axes any_keepdims;
        "var" var var_axes var_keepdims;
        "std" std std_axes std_keepdims;
        "logsumexp" logsumexp logsumexp_axes logsumexp_keepdims;
    }
    along {
        "argmax" argmax -1;
        "argmin" argmin -1;
        "cumsum" cumsum -1;
        "cumprod" cumprod -1;
        "cummax" cummax -1;
        "cummin" cummin -1;
        "cumlogsumexp" cumlogsumexp -1;
        "sort" sort -1;
        "argsort" argsort -1;
        "median" median -1;
    }
    other {
        Builtin::new("softmax", "x, axis=-1", |a| ok(crate::nn::softmax(a.tensor(0)?, a.ints(1)?.unwrap_or(vec![-1])))),
        Builtin::new("log_softmax", "x, axis=-1", |a| ok(crate::nn::log_softmax(a.tensor(0)?, a.ints(1)?.unwrap_or(vec![-1])))),
        Builtin::new("nn.softmax", "x, axis=-1", |a| ok(crate::nn::softmax(a.tensor(0)?, a.ints(1)?.unwrap_or(vec![-1])))),
        Builtin::new("nn.log_softmax", "x, axis=-1", |a| ok(crate::nn::log_softmax(a.tensor(0)?, a.ints(1)?.unwrap_or(vec![-1])))),
        Builtin::new("nn.standardize", "x, axis=-1, epsilon=1e-5", |a| {
            ok(crate::nn::standardize(a.tensor(0)?, a.ints(1)?.unwrap_or(vec![-1]), a.float(2, Some(1e-5))?))
        }),
        Builtin::new("linalg.norm", "x, axis=None, keepdims=false", |a| {
            reduction(a, crate::linalg::norm, |x, axes| crate::linalg::norm_axes(x, axes), |x, axes| crate::linalg::norm_keepdims(x, axes))
        }),
        Builtin::new("top_k", "x, k", |a| tuple(<[Tensor; 2]>::from(numpy::top_k(a.tensor(0)?, a.count(1, None)?)))),
    }
};
