//! Movement primitives.

use crate::check::{check_prim, ty};
use jx_ir::{DType, Prim};

const DTYPES: [DType; 4] = [DType::F32, DType::Bool, DType::I8, DType::BF16];

#[test]
fn reshape_is_the_loop() {
    for dtype in DTYPES {
        for (from, to) in [(vec![2, 3], vec![6]), (vec![6], vec![3, 1, 2]), (vec![], vec![1, 1]), (vec![3, 0], vec![0])]
        {
            check_prim(Prim::Reshape { shape: to }, &[jx_ir::TensorType::new(dtype, from)]);
        }
    }
}

#[test]
fn transpose_is_the_loop() {
    for dtype in DTYPES {
        for permutation in [vec![0, 1, 2], vec![2, 0, 1], vec![1, 2, 0], vec![2, 1, 0]] {
            check_prim(Prim::Transpose { permutation }, &[ty(dtype, [2, 3, 4])]);
        }
        check_prim(Prim::Transpose { permutation: vec![] }, &[ty(dtype, [])]);
    }
}

#[test]
fn broadcast_in_dim_is_the_loop() {
    let spread = |shape: &[usize], dims: &[usize]| Prim::BroadcastInDim {
        shape: shape.to_vec(),
        broadcast_dimensions: dims.to_vec(),
    };
    for dtype in DTYPES {
        check_prim(spread(&[2, 3], &[]), &[ty(dtype, [])]);
        check_prim(spread(&[3, 3], &[0]), &[ty(dtype, [3])]);
        check_prim(spread(&[3, 3], &[1]), &[ty(dtype, [3])]);
        check_prim(spread(&[3, 4, 2], &[0, 2]), &[ty(dtype, [3, 2])]);
        check_prim(spread(&[3, 4, 2], &[0, 1]), &[ty(dtype, [1, 4])]);
        check_prim(spread(&[0, 2], &[1]), &[ty(dtype, [1])]);
    }
}

#[test]
fn slice_is_the_loop() {
    let slice = |start: &[usize], limit: &[usize], strides: &[usize]| Prim::Slice {
        start: start.to_vec(),
        limit: limit.to_vec(),
        strides: strides.to_vec(),
    };
    for dtype in DTYPES {
        check_prim(slice(&[1, 0], &[4, 3], &[2, 1]), &[ty(dtype, [5, 3])]);
        check_prim(slice(&[2, 1], &[2, 3], &[1, 3]), &[ty(dtype, [3, 3])]);
        check_prim(slice(&[], &[], &[]), &[ty(dtype, [])]);
    }
}

#[test]
fn pad_is_the_loop_with_a_padding_value_for_each_example_too() {
    let pad = |low: &[i64], high: &[i64], interior: &[usize]| Prim::Pad {
        low: low.to_vec(),
        high: high.to_vec(),
        interior: interior.to_vec(),
    };
    for dtype in DType::ALL {
        check_prim(pad(&[1, 0], &[2, 1], &[0, 2]), &[ty(dtype, [2, 3]), ty(dtype, [])]);
        check_prim(pad(&[-1], &[3], &[1]), &[ty(dtype, [3]), ty(dtype, [])]);
        check_prim(pad(&[-1], &[-1], &[0]), &[ty(dtype, [3]), ty(dtype, [])]);
        check_prim(pad(&[2], &[1], &[3]), &[ty(dtype, [0]), ty(dtype, [])]);
        check_prim(pad(&[], &[], &[]), &[ty(dtype, []), ty(dtype, [])]);
    }
}

#[test]
fn concatenate_is_the_loop() {
    for dtype in DTYPES {
        let operands = [ty(dtype, [2, 3]), ty(dtype, [1, 3]), ty(dtype, [0, 3])];
        check_prim(Prim::Concatenate { dimension: 0 }, &operands);
        check_prim(Prim::Concatenate { dimension: 1 }, &[ty(dtype, [3, 3]), ty(dtype, [3, 2])]);
        check_prim(Prim::Concatenate { dimension: 0 }, &[ty(dtype, [3])]);
    }
}

#[test]
fn rev_is_the_loop() {
    for dtype in DTYPES {
        for dimensions in [vec![], vec![0], vec![1], vec![2, 0]] {
            check_prim(Prim::Rev { dimensions }, &[ty(dtype, [2, 3, 3])]);
        }
    }
}
