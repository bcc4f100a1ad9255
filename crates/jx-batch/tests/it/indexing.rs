//! Dynamic slices and updates: starts shared, mapped or mixed, of every integer dtype.

use crate::check::{check_on, check_prim, of_prim, sample, ty};
use jx_ir::{Array, DType, DTypeKind, Prim, TensorType, eval};

fn integers() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|d| matches!(d.kind(), DTypeKind::Signed | DTypeKind::Unsigned))
}

fn dynamic_slice(sizes: &[usize]) -> Prim {
    Prim::DynamicSlice { slice_sizes: sizes.to_vec() }
}

#[test]
fn dynamic_slice_is_the_loop_for_every_index_dtype() {
    for index in integers() {
        for sizes in [[2, 2], [4, 1], [1, 3], [4, 3], [0, 2]] {
            check_prim(dynamic_slice(&sizes), &[ty(DType::F32, [4, 3]), ty(index, []), ty(index, [])]);
        }
    }
    for dtype in DType::ALL {
        check_prim(dynamic_slice(&[2]), &[ty(dtype, [5]), ty(DType::I32, [])]);
        check_prim(dynamic_slice(&[0]), &[ty(dtype, [0]), ty(DType::I32, [])]);
        check_prim(dynamic_slice(&[]), &[ty(dtype, [])]);
    }
}

#[test]
fn dynamic_update_slice_is_the_loop_for_every_index_dtype() {
    for index in integers() {
        for sizes in [[2, 2], [4, 1], [1, 3], [4, 3], [0, 2]] {
            let operands = [ty(DType::F32, [4, 3]), ty(DType::F32, sizes), ty(index, []), ty(index, [])];
            check_prim(Prim::DynamicUpdateSlice, &operands);
        }
    }
    for dtype in DType::ALL {
        check_prim(Prim::DynamicUpdateSlice, &[ty(dtype, [5]), ty(dtype, [2]), ty(DType::I32, [])]);
        check_prim(Prim::DynamicUpdateSlice, &[ty(dtype, []), ty(dtype, [])]);
    }
}

#[test]
fn starts_of_different_dtypes_are_the_loop() {
    for first in integers() {
        for second in integers() {
            let starts = [ty(first, []), ty(second, [])];
            let x = ty(DType::F32, [4, 5]);
            check_prim(dynamic_slice(&[2, 3]), &[std::slice::from_ref(&x), &starts[..]].concat());
            check_prim(Prim::DynamicUpdateSlice, &[&[x, ty(DType::F32, [2, 3])], &starts[..]].concat());
        }
    }
}

#[test]
fn a_start_beyond_every_signed_integer_is_after_the_end() {
    let func = of_prim(dynamic_slice(&[1, 1]), &[ty(DType::I32, [2, 2]), ty(DType::U64, []), ty(DType::I8, [])]);
    let batched = jx_batch::vmap(&func, &[None, Some(0), Some(0)], &[Some(0)], 4).unwrap();
    let x = Array::from_vec([2, 2], vec![0_i32, 1, 10, 11]).unwrap();
    let rows = Array::from_vec([4], vec![0_u64, 1, 1 << 63, u64::MAX]).unwrap();
    let columns = Array::from_vec([4], vec![-128_i8, 127, 0, -1]).unwrap();
    let got = eval(&batched, &[x, rows, columns]).unwrap();
    assert_eq!(got, [Array::from_vec([4, 1, 1], vec![0_i32, 11, 10, 10]).unwrap()]);
}

#[test]
fn more_examples_than_the_index_dtype_counts_are_the_loop() {
    let size = 300;
    let starts = sample(&ty(DType::I8, [size]), 5);
    let xs = sample(&ty(DType::F32, [size, 4]), 6);
    let updates = sample(&ty(DType::F32, [size, 2]), 7);
    let slice = of_prim(dynamic_slice(&[2]), &[ty(DType::F32, [4]), ty(DType::I8, [])]);
    check_on(&slice, &[Some(0), Some(0)], &[Some(0)], size, &[xs.clone(), starts.clone()]);
    let update = of_prim(Prim::DynamicUpdateSlice, &[ty(DType::F32, [4]), ty(DType::F32, [2]), ty(DType::I8, [])]);
    check_on(&update, &[Some(0); 3], &[Some(0)], size, &[xs, updates, starts]);
}

#[test]
fn an_axis_longer_than_the_index_dtype_counts_is_the_loop() {
    let x = Array::from_vec([300], (0..300_i32).collect()).unwrap();
    let starts = Array::from_vec([4], vec![255_u8, 0, 128, 200]).unwrap();
    let func = of_prim(dynamic_slice(&[2]), &[ty(DType::I32, [300]), TensorType::scalar(DType::U8)]);
    check_on(&func, &[None, Some(0)], &[Some(0)], 4, &[x, starts]);
}
