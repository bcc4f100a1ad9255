//! Functions that move elements: shapes, axes, parts and joins.

use super::{Builtin, ok, tuple};
use crate::ops::numpy;

pub(super) static ALL: &[Builtin] = &[
    Builtin::new("reshape", "x, shape", |a| ok(a.tensor(0)?.reshape(a.ints(1)?.unwrap_or_default()))),
    Builtin::new("ravel", "x", |a| ok(a.tensor(0)?.ravel())),
    Builtin::new("transpose", "x, axes=None", |a| {
        let x = a.tensor(0)?;
        let reversed = || (0..x.rank() as i64).rev().collect();
        ok(x.transpose(a.ints(1)?.unwrap_or_else(reversed)))
    }),
    Builtin::new("swapaxes", "x, axis1, axis2", |a| ok(a.tensor(0)?.swapaxes(a.int(1, None)?, a.int(2, None)?))),
    Builtin::new("moveaxis", "x, source, destination", |a| {
        ok(a.tensor(0)?.moveaxis(a.ints(1)?.unwrap_or_default(), a.ints(2)?.unwrap_or_default()))
    }),
    Builtin::new("squeeze", "x, axis=None", |a| {
        let x = a.tensor(0)?;
        ok(a.ints(1)?.map_or_else(|| x.squeeze(), |axes| x.squeeze_axes(axes)))
    }),
    Builtin::new("expand_dims", "x, axis", |a| ok(a.tensor(0)?.expand_dims(a.ints(1)?.unwrap_or_default()))),
    Builtin::new("broadcast_to", "x, shape", |a| ok(a.tensor(0)?.broadcast_to(a.ints(1)?.unwrap_or_default()))),
    Builtin::new("flip", "x, axis=None", |a| {
        let x = a.tensor(0)?;
        ok(x.flip(a.ints(1)?.unwrap_or_else(|| (0..x.rank() as i64).collect())))
    }),
    Builtin::new("roll", "x, shift, axis", |a| ok(a.tensor(0)?.roll(a.int(1, None)?, a.int(2, None)?))),
    Builtin::new("tile", "x, reps", |a| ok(a.tensor(0)?.tile(a.ints(1)?.unwrap_or_default()))),
    Builtin::new("repeat", "x, repeats, axis=0", |a| ok(a.tensor(0)?.repeat(a.count(1, None)?, a.int(2, Some(0))?))),
    Builtin::new("split", "x, sections, axis=0", |a| tuple(a.tensor(0)?.split(a.count(1, None)?, a.int(2, Some(0))?))),
    Builtin::new("concatenate", "tensors, axis=0", |a| ok(numpy::concatenate(a.tensors(0)?, a.int(1, Some(0))?))),
    Builtin::new("stack", "tensors, axis=0", |a| ok(numpy::stack(a.tensors(0)?, a.int(1, Some(0))?))),
    Builtin::new("take", "x, indices, axis=0", |a| ok(a.tensor(0)?.take(a.tensor(1)?, a.int(2, Some(0))?))),
    Builtin::new("take_along_axis", "x, indices, axis", |a| {
        ok(a.tensor(0)?.take_along_axis(a.tensor(1)?, a.int(2, None)?))
    }),
    Builtin::new("diagonal", "x", |a| ok(a.tensor(0)?.diagonal())),
    Builtin::new("tril", "x, k=0", |a| ok(numpy::tril(a.tensor(0)?, a.int(1, Some(0))?))),
    Builtin::new("triu", "x, k=0", |a| ok(numpy::triu(a.tensor(0)?, a.int(1, Some(0))?))),
];
