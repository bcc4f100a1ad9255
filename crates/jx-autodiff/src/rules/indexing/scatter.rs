//! Derivatives and transposes of scatters: of sums, of writes where the last one wins, of products
//! and of extremes.

use super::super::reduce::{shift, strides};
use super::super::{Operand, equal_share, index_dtype, instantiate, keep_where, require_zero, scale, sum};
use super::gather_or_zero;
use crate::AutodiffError;
use jx_ir::{Builder, IndexMode, Prim, ScatterDims, ScatterOp, TensorType, Var};

/// Where a scatter writes.
struct Target<'a> {
    dims: &'a ScatterDims,
    mode: IndexMode,
    /// Whether no two updates meet.
    unique: bool,
    indices: Var,
    /// The types of operand and updates.
    x: TensorType,
    u: TensorType,
}

impl<'a> Target<'a> {
    fn new(b: &Builder, prim: &'a Prim, indices: Var, x: TensorType, u: TensorType) -> (ScatterOp, Target<'a>) {
        let Prim::Scatter { op, dims, mode, unique_indices } = prim else { panic!("{prim:?} is no scatter") };
        let (_, batch) = b.shape(indices).split_last().expect("indices have an axis of components");
        let unique = *unique_indices || batch.iter().product::<usize>() <= 1;
        (*op, Target { dims, mode: *mode, unique, indices, x, u })
    }

    /// `x` with `updates` written in.
    fn scatter(&self, b: &mut Builder, op: ScatterOp, x: Var, updates: Var) -> Var {
        let prim = Prim::Scatter { op, dims: self.dims.clone(), mode: self.mode, unique_indices: self.unique };
        b.emit1(prim, &[x, self.indices, updates])
    }

    /// `x` with the places that are written to set to 0.
    fn clear(&self, b: &mut Builder, x: Var) -> Var {
        let zeros = b.zeros(&self.u);
        self.scatter(b, ScatterOp::Set, x, zeros)
    }

    /// The elements of `x` where updates go; 0 where an update is dropped.
    fn read(&self, b: &mut Builder, x: Var) -> Var {
        if self.x.n_elements() == 0 || self.u.n_elements() == 0 {
            // Nothing is written; a gather would ask for windows that an empty operand does not have.
            return b.zeros(&self.u.with_dtype(b.dtype(x)));
        }
        let mode = match self.mode {
            // A promised index that is out of range is dropped by a write, but clamped by a read.
            IndexMode::FillOrDrop | IndexMode::PromiseInBounds => IndexMode::FillOrDrop,
            IndexMode::Clip => IndexMode::Clip,
        };
        let sizes = self.dims.window_sizes(&self.x, &self.u);
        gather_or_zero(b, x, self.indices, &self.dims.to_gather(), &sizes, mode)
    }

    /// Whether each element of the updates is the last one written to its place. Found by writing and
    /// reading back a number for each; as updates, equal places go to the last.
    fn last_writer(&self, b: &mut Builder) -> Var {
        let number = self.number_updates(b);
        let none = b.zeros(&self.x.with_dtype(b.dtype(number)));
        let written = self.scatter(b, ScatterOp::Set, none, number);
        let winner = self.read(b, written);
        b.eq(winner, number)
    }

    /// 1, 2, … for the elements of the updates.
    fn number_updates(&self, b: &mut Builder) -> Var {
        let n = self.u.n_elements();
        let index = TensorType::new(index_dtype(n + 1), [n]);
        let count = b.iota(&index, 0);
        let one = b.full_like(count, 1.0);
        let number = b.add(count, one);
        b.reshape(number, &self.u.shape)
    }

    /// For each element of the updates, the product of the others that go to the same place.
    ///
    /// The updates are sorted by place; within a run of equal places, products of those before and of
    /// those after are found by doubling, and sorted back.
    fn product_of_others(&self, b: &mut Builder, updates: Var) -> Var {
        let n = self.u.n_elements();
        let places = {
            let n_x = self.x.n_elements();
            let index = TensorType::new(index_dtype(n_x + 1), [n_x]);
            let count = b.iota(&index, 0);
            // From 1, for a dropped update reads 0. All of these run together, and are dropped again.
            let one = b.full_like(count, 1.0);
            let number = b.add(count, one);
            let grid = b.reshape(number, &self.x.shape);
            let read = self.read(b, grid);
            b.reshape(read, &[n])
        };
        let flat = b.reshape(updates, &[n]);
        let order = b.iota(&TensorType::new(index_dtype(n), [n]), 0);
        let sorted = b.sort(&[places, flat, order], 0, 1);
        let [places, flat, order] = sorted[..] else { panic!("a sort gives back its three operands") };
        let before = exclusive_products(b, places, flat, 1);
        let after = exclusive_products(b, places, flat, -1);
        let others = b.mul(before, after);
        let unsorted = b.sort(&[order, others], 0, 1);
        b.reshape(unsorted[1], &self.u.shape)
    }
}

/// For each element the product of those of the same key that stand before it (`direction` 1) or
/// after it (-1), in a sequence where equal keys are neighbours.
fn exclusive_products(b: &mut Builder, keys: Var, x: Var, direction: i64) -> Var {
    let one = b.full_like(x, 1.0);
    let previous = |b: &mut Builder, p: Var, s: usize| {
        let by = direction * s as i64;
        let (other, key) = (shift(b, p, 0, by, 1.0), shift(b, keys, 0, by, -1.0));
        let same = b.eq(key, keys);
        b.select(same, other, one)
    };
    let mut p = x;
    for s in strides(b.shape(x)[0]) {
        let q = previous(b, p, s);
        p = b.mul(p, q);
    }
    previous(b, p, 1)
}

/// The tangent of `y`, the operand `x` with `updates` combined into it.
pub(in super::super) fn scatter_jvp(
    b: &mut Builder,
    prim: &Prim,
    [x, indices, updates]: [Var; 3],
    y: Var,
    dx: Option<Var>,
    du: Option<Var>,
) -> Var {
    let (x_ty, u_ty) = (b.ty(x).clone(), b.ty(updates).clone());
    let (op, at) = Target::new(b, prim, indices, x_ty, u_ty);
    match op {
        ScatterOp::Add => match (dx, du) {
            (Some(dx), None) => dx,
            (dx, du) => {
                let (dx, du) = (instantiate(b, dx, x), instantiate(b, du, updates));
                at.scatter(b, op, dx, du)
            }
        },
        ScatterOp::Set => set_jvp(b, &at, x, dx, du),
        ScatterOp::Mul => {
            // ∂y/∂x is the product of the updates, and ∂y/∂u that of x and the other updates.
            let t0 = dx.map(|dx| at.scatter(b, op, dx, updates));
            let t1 = du.map(|du| {
                let mut d = at.read(b, x);
                if !at.unique {
                    let others = at.product_of_others(b, updates);
                    d = b.mul(d, others);
                }
                let t = scale(b, du, d);
                let zeros = b.zeros(&at.x);
                at.scatter(b, ScatterOp::Add, zeros, t)
            });
            sum(b, t0, t1).expect("a tangent that is not zero")
        }
        ScatterOp::Min | ScatterOp::Max => extreme_jvp(b, &at, [x, updates], y, dx, du),
    }
}

/// What is overwritten loses its tangent, to that of the last writer.
fn set_jvp(b: &mut Builder, at: &Target<'_>, x: Var, dx: Option<Var>, du: Option<Var>) -> Var {
    let rest = |b: &mut Builder| match dx {
        Some(dx) => at.clear(b, dx),
        None => b.zeros(&at.x),
    };
    match du {
        None => rest(b),
        Some(du) if at.unique => {
            let dx = instantiate(b, dx, x);
            at.scatter(b, ScatterOp::Set, dx, du)
        }
        Some(du) => {
            let last = at.last_writer(b);
            let won = keep_where(b, last, du);
            let rest = rest(b);
            at.scatter(b, ScatterOp::Add, rest, won)
        }
    }
}

/// The mean of the tangents of the winners at each place, the operand's element among the candidates.
fn extreme_jvp(
    b: &mut Builder,
    at: &Target<'_>,
    [x, updates]: [Var; 2],
    y: Var,
    dx: Option<Var>,
    du: Option<Var>,
) -> Var {
    let best = at.read(b, y);
    let (x_won, u_won) = (b.eq(x, y), b.eq(updates, best));
    let count_dtype = index_dtype(at.x.n_elements() + at.u.n_elements());
    let (x_count, u_count) = (b.convert(x_won, count_dtype), b.convert(u_won, count_dtype));
    let n_winners = at.scatter(b, ScatterOp::Add, x_count, u_count);
    let share = equal_share(b, n_winners, at.x.dtype);
    let won = match dx {
        Some(dx) => keep_where(b, x_won, dx),
        None => b.zeros(&at.x),
    };
    let total = match du {
        None => won,
        Some(du) => {
            let du = keep_where(b, u_won, du);
            at.scatter(b, ScatterOp::Add, won, du)
        }
    };
    // The share is in (0, 1], so a plain product is safe.
    b.mul(total, share)
}

/// The cotangents of operand and updates.
pub(in super::super) fn scatter_transpose(
    b: &mut Builder,
    prim: &Prim,
    [x, updates]: [Operand<'_>; 2],
    indices: Var,
    ct: Var,
) -> Result<Vec<Option<Var>>, AutodiffError> {
    let type_of = |b: &Builder, operand: &Operand<'_>| match operand {
        Operand::Known(v) => b.ty(*v).clone(),
        Operand::Linear(ty) => (*ty).clone(),
    };
    let (x_ty, u_ty) = (type_of(b, &x), type_of(b, &updates));
    let (op, at) = Target::new(b, prim, indices, x_ty, u_ty);
    match (op, x, updates) {
        (ScatterOp::Add, ..) => {
            require_zero(b, op.name(), &x)?;
            require_zero(b, op.name(), &updates)?;
            Ok(vec![Some(ct), None, Some(at.read(b, ct))])
        }
        (ScatterOp::Set, ..) => {
            require_zero(b, op.name(), &x)?;
            require_zero(b, op.name(), &updates)?;
            let read = at.read(b, ct);
            let ct_updates = if at.unique {
                read
            } else {
                let last = at.last_writer(b);
                keep_where(b, last, read)
            };
            Ok(vec![Some(at.clear(b, ct)), None, Some(ct_updates)])
        }
        // Each place is scaled by the product of its updates, which is its own transpose.
        (ScatterOp::Mul, Operand::Linear(_), Operand::Known(updates)) => {
            Ok(vec![Some(at.scatter(b, op, ct, updates)), None, None])
        }
        (ScatterOp::Mul | ScatterOp::Min | ScatterOp::Max, ..) => Err(AutodiffError::NotLinear { prim: op.name() }),
    }
}
