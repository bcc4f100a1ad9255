//! Reductions.

use crate::check::{check_prim, ty};
use jx_ir::{ArgReduceOp, CumulativeOp, DType, Prim, ReduceOp};

#[test]
fn every_reduction_on_every_dtype_is_the_loop() {
    for &op in ReduceOp::ALL {
        for dtype in DType::ALL.into_iter().filter(|&d| op.accepts(d)) {
            for axes in [vec![], vec![0], vec![1], vec![2, 0], vec![0, 1, 2]] {
                check_prim(Prim::Reduce { op, axes }, &[ty(dtype, [2, 3, 3])]);
            }
            check_prim(Prim::Reduce { op, axes: vec![1] }, &[ty(dtype, [3, 0])]);
        }
    }
}

#[test]
fn every_index_of_an_extreme_is_the_loop() {
    for &op in ArgReduceOp::ALL {
        for dtype in DType::ALL {
            for (axis, index_dtype) in [(0, DType::I32), (1, DType::U8), (1, DType::I64)] {
                check_prim(Prim::ArgReduce { op, axis, index_dtype }, &[ty(dtype, [3, 4])]);
            }
        }
    }
}

#[test]
fn every_running_reduction_is_the_loop() {
    for &op in CumulativeOp::ALL {
        for dtype in DType::ALL.into_iter().filter(|&d| op.accepts(d)) {
            for axis in [0, 1] {
                for reverse in [false, true] {
                    check_prim(Prim::Cumulative { op, axis, reverse }, &[ty(dtype, [3, 4])]);
                }
            }
        }
    }
}
