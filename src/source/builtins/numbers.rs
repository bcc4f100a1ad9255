//! Functions that make tensors, products of tensors, and random numbers.

use super::{Builtin, ok};
use crate::ops::numpy;
use crate::{DType, random};

pub(super) static ALL: &[Builtin] = &[
    Builtin::new("zeros", "shape, dtype=f32", |a| ok(numpy::zeros(a.shape(0, None)?, a.dtype(1, DType::F32)?))),
    Builtin::new("ones", "shape, dtype=f32", |a| ok(numpy::ones(a.shape(0, None)?, a.dtype(1, DType::F32)?))),
    Builtin::new("full", "shape, value, dtype=f32", |a| {
        ok(crate::full(&a.shape(0, None)?, a.dtype(2, DType::F32)?, a.float(1, None)?))
    }),
    Builtin::new("zeros_like", "x", |a| ok(numpy::zeros_like(a.tensor(0)?))),
    Builtin::new("ones_like", "x", |a| ok(numpy::ones_like(a.tensor(0)?))),
    Builtin::new("full_like", "x, value", |a| ok(numpy::full_like(a.tensor(0)?, a.float(1, None)?))),
    Builtin::new("eye", "n, dtype=f32", |a| ok(numpy::eye(a.count(0, None)?, a.dtype(1, DType::F32)?))),
    // With one number, those below it; with two or three, from the first to below the second.
    Builtin::new("arange", "start, stop=None, step=1, dtype=f32", |a| {
        let first = a.float(0, None)?;
        let dtype = a.dtype(3, DType::F32)?;
        let (start, stop) = match a.float(1, Some(f64::NAN))? {
            stop if stop.is_nan() => (0.0, first),
            stop => (first, stop),
        };
        ok(numpy::arange_step(start, stop, a.float(2, Some(1.0))?, dtype))
    }),
    Builtin::new("linspace", "start, stop, num=50, dtype=f32", |a| {
        let (start, stop) = (a.float(0, None)?, a.float(1, None)?);
        ok(numpy::linspace(start, stop, a.count(2, Some(50))?, a.dtype(3, DType::F32)?))
    }),
    Builtin::new("nn.one_hot", "indices, num_classes, dtype=f32", |a| {
        ok(crate::nn::one_hot(a.tensor(0)?, a.count(1, None)?, a.dtype(2, DType::F32)?))
    }),
    Builtin::new("dot", "x, y", |a| ok(a.tensor(0)?.dot(a.tensor(1)?))),
    Builtin::new("matmul", "x, y", |a| ok(a.tensor(0)?.matmul(a.tensor(1)?))),
    Builtin::new("inner", "x, y", |a| ok(a.tensor(0)?.inner(a.tensor(1)?))),
    Builtin::new("outer", "x, y", |a| ok(a.tensor(0)?.outer(a.tensor(1)?))),
    Builtin::new("vdot", "x, y", |a| ok(a.tensor(0)?.vdot(a.tensor(1)?))),
    Builtin::new("tensordot", "x, y, axes=2", |a| ok(a.tensor(0)?.tensordot(a.tensor(1)?, a.count(2, Some(2))?))),
    Builtin::new("einsum", "subscripts, *operands", |a| ok(crate::einsum(a.text(0)?, a.rest()?))),
    Builtin::new("trace", "x", |a| ok(a.tensor(0)?.trace())),
    Builtin::new("random.key", "seed", |a| ok(random::key(a.count(0, None)? as u64))),
    Builtin::new("random.split", "key, num=2", |a| ok(random::split_n(a.tensor(0)?, a.count(1, Some(2))?))),
    Builtin::new("random.fold_in", "key, data", |a| ok(random::fold_in(a.tensor(0)?, a.count(1, None)? as u32))),
    Builtin::new("random.uniform", "key, shape=[], dtype=f32, minval=0.0, maxval=1.0", |a| {
        let (key, shape, dtype) = (a.tensor(0)?, a.shape(1, Some(&[]))?, a.dtype(2, DType::F32)?);
        ok(random::uniform_between(key, shape, dtype, a.float(3, Some(0.0))?, a.float(4, Some(1.0))?))
    }),
    Builtin::new("random.normal", "key, shape=[], dtype=f32", |a| {
        ok(random::normal(a.tensor(0)?, a.shape(1, Some(&[]))?, a.dtype(2, DType::F32)?))
    }),
    Builtin::new("random.exponential", "key, shape=[], dtype=f32", |a| {
        ok(random::exponential(a.tensor(0)?, a.shape(1, Some(&[]))?, a.dtype(2, DType::F32)?))
    }),
    Builtin::new("random.bernoulli", "key, p=0.5, shape=[]", |a| {
        ok(random::bernoulli(a.tensor(0)?, a.float(1, Some(0.5))?, a.shape(2, Some(&[]))?))
    }),
    Builtin::new("random.randint", "key, shape, minval, maxval, dtype=i32", |a| {
        let (key, shape, dtype) = (a.tensor(0)?, a.shape(1, None)?, a.dtype(4, DType::I32)?);
        ok(random::randint(key, shape, a.int(2, None)?, a.int(3, None)?, dtype))
    }),
    Builtin::new("random.permutation", "key, n", |a| ok(random::permutation(a.tensor(0)?, a.count(1, None)?))),
    Builtin::new("random.categorical", "key, logits, axis=-1", |a| {
        ok(random::categorical(a.tensor(0)?, a.tensor(1)?, a.int(2, Some(-1))?, &[]))
    }),
];
