//! Sorting: each row along the same axis, one further on. Operands are reordered together, so a
//! shared one is spread and follows each example's keys.

use jx_ir::Prim;

pub(super) fn sort_batch(dimension: usize, num_keys: usize) -> Prim {
    Prim::Sort { dimension: dimension + 1, num_keys }
}
