//! Reductions: the same along the example's axes, which are one further on.

use super::shifted;
use jx_ir::{ArgReduceOp, CumulativeOp, DType, Prim, ReduceOp};

pub(super) fn reduce_batch(op: ReduceOp, axes: &[usize]) -> Prim {
    Prim::Reduce { op, axes: shifted(axes) }
}

pub(super) fn arg_reduce_batch(op: ArgReduceOp, axis: usize, index_dtype: DType) -> Prim {
    Prim::ArgReduce { op, axis: axis + 1, index_dtype }
}

pub(super) fn cumulative_batch(op: CumulativeOp, axis: usize, reverse: bool) -> Prim {
    Prim::Cumulative { op, axis: axis + 1, reverse }
}
