//! Sorting.

use crate::check::{check_prim, ty};
use jx_ir::{DType, Prim};

#[test]
fn sorting_every_dtype_is_the_loop() {
    for dtype in DType::ALL {
        for dimension in [0, 1] {
            check_prim(Prim::Sort { dimension, num_keys: 1 }, &[ty(dtype, [4, 3])]);
        }
    }
}

#[test]
fn operands_sorted_together_are_the_loop() {
    for num_keys in [1, 2, 3] {
        for dimension in [0, 1] {
            let operands = [ty(DType::I8, [3, 5]), ty(DType::F32, [3, 5]), ty(DType::Bool, [3, 5])];
            check_prim(Prim::Sort { dimension, num_keys }, &operands);
        }
    }
}
