//! Elementwise primitives: unary, binary, compare, convert, random.

use crate::check::{build, check, check_on, check_prim, ty};
use jx_ir::{Array, BinaryOp, CompareOp, DType, Prim, UnaryOp};

#[test]
fn every_unary_op_on_every_dtype_is_the_loop() {
    for &op in UnaryOp::ALL {
        for dtype in DType::ALL.into_iter().filter(|&d| op.accepts(d)) {
            check_prim(Prim::Unary(op), &[ty(dtype, [2, 3])]);
            check_prim(Prim::Unary(op), &[ty(dtype, [])]);
        }
    }
}

#[test]
fn integer_powers_and_stop_gradient_are_the_loop() {
    for exponent in [-3, -1, 0, 1, 2, 5] {
        check_prim(Prim::IntegerPow { exponent }, &[ty(DType::F64, [2, 3])]);
    }
    check_prim(Prim::IntegerPow { exponent: 3 }, &[ty(DType::U8, [3])]);
    check_prim(Prim::StopGradient, &[ty(DType::F32, [2, 3])]);
}

#[test]
fn every_binary_op_on_every_dtype_is_the_loop() {
    for &op in BinaryOp::ALL {
        for dtype in DType::ALL.into_iter().filter(|&d| op.accepts(d)) {
            check_prim(Prim::Binary(op), &[ty(dtype, [2, 3]), ty(dtype, [2, 3])]);
            check_prim(Prim::Binary(op), &[ty(dtype, []), ty(dtype, [])]);
        }
    }
}

#[test]
fn every_comparison_on_every_dtype_is_the_loop() {
    for &op in CompareOp::ALL {
        for dtype in DType::ALL {
            check_prim(Prim::Compare(op), &[ty(dtype, [3, 2]), ty(dtype, [3, 2])]);
        }
    }
}

#[test]
fn selection_and_clamping_are_the_loop() {
    for dtype in DType::ALL {
        let case = ty(dtype, [2, 3]);
        check_prim(Prim::SelectN, &[ty(DType::Bool, [2, 3]), case.clone(), case.clone()]);
        if dtype != DType::Bool {
            check_prim(Prim::Clamp, &[case.clone(), case.clone(), case]);
        }
    }
    for which in [DType::I8, DType::I32, DType::U64] {
        let case = ty(DType::F32, [3]);
        check_prim(Prim::SelectN, &[ty(which, [3]), case.clone(), case.clone(), case]);
    }
}

#[test]
fn every_conversion_is_the_loop() {
    for from in DType::ALL {
        for dtype in DType::ALL {
            check_prim(Prim::Convert { dtype }, &[ty(from, [2, 3])]);
        }
    }
}

#[test]
fn threefry_is_the_loop() {
    let word = ty(DType::U32, [3]);
    check_prim(Prim::Threefry2x32, &[word.clone(), word.clone(), word.clone(), word]);
}

#[test]
fn a_mapped_scalar_times_a_shared_vector_gives_rows() {
    let func = build(&[ty(DType::F32, []), ty(DType::F32, [3])], |b, x| {
        let spread = b.broadcast_scalar(x[0], &[3]);
        vec![b.mul(spread, x[1])]
    });
    let xs = Array::from_vec([3], vec![1.0_f32, 2.0, 3.0]).unwrap();
    let c = Array::from_vec([3], vec![10.0_f32, 20.0, 30.0]).unwrap();
    check_on(&func, &[Some(0), None], &[Some(0)], 3, &[xs.clone(), c.clone()]);
    let batched = jx_batch::vmap(&func, &[Some(0), None], &[Some(0)], 3).unwrap();
    let rows = jx_ir::eval(&batched, &[xs, c]).unwrap();
    let want = vec![10.0_f32, 20.0, 30.0, 20.0, 40.0, 60.0, 30.0, 60.0, 90.0];
    assert_eq!(rows, [Array::from_vec([3, 3], want).unwrap()]);
}

#[test]
fn tensors_made_of_nothing_meet_mapped_ones() {
    let func = build(&[ty(DType::F32, [2, 3])], |b, x| {
        let full = b.full(&ty(DType::F32, [2, 3]), 2.5);
        let count = b.iota(&ty(DType::F32, [2, 3]), 1);
        let constant = b.constant(Array::from_vec([3], vec![1.0_f32, -2.0, 0.5]).unwrap());
        let rows = b.broadcast_in_dim(constant, &[2, 3], &[1]);
        let y = b.mul(x[0], full);
        let y = b.add(y, count);
        let y = b.sub(rows, y);
        vec![y, full, count, rows, constant]
    });
    check(&func);
}
