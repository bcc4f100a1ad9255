//! What batched programs look like.

use crate::check::{build, ty};
use expect_test::{Expect, expect};
use jx_batch::vmap;
use jx_ir::{DType, DotDims, Func, GatherDims, IndexMode};

fn check(func: &Func, in_axes: &[Option<usize>], out_axes: &[Option<usize>], want: Expect) {
    let batched = vmap(func, in_axes, out_axes, 5).expect("the axes fit");
    want.assert_eq(&batched.to_string());
}

#[test]
fn a_shared_operand_is_spread_over_the_batch() {
    let func = build(&[ty(DType::F32, [3]), ty(DType::F32, [3])], |b, x| vec![b.mul(x[0], x[1])]);
    check(
        &func,
        &[Some(0), None],
        &[Some(0)],
        expect![[r#"
        func(%0: f32[5,3], %1: f32[3]) -> (f32[5,3]) {
          %2: f32[5,3] = broadcast_in_dim[shape=[5, 3], broadcast_dimensions=[1]] %1
          %3: f32[5,3] = mul %0 %2
          return %3
        }"#]],
    );
    check(
        &func,
        &[Some(1), Some(0)],
        &[Some(1)],
        expect![[r#"
        func(%0: f32[3,5], %1: f32[5,3]) -> (f32[3,5]) {
          %2: f32[5,3] = transpose[permutation=[1, 0]] %0
          %3: f32[5,3] = mul %2 %1
          %4: f32[3,5] = transpose[permutation=[1, 0]] %3
          return %4
        }"#]],
    );
}

#[test]
fn a_constant_operand_is_made_at_the_size_of_the_batch() {
    let func = build(&[ty(DType::F32, [3])], |b, x| {
        let two = b.full_like(x[0], 2.0);
        vec![b.mul(x[0], two)]
    });
    check(
        &func,
        &[Some(0)],
        &[Some(0)],
        expect![[r#"
        func(%0: f32[5,3]) -> (f32[5,3]) {
          %1: f32[3] = full[value=2.0:f32, shape=[3]]
          %2: f32[5,3] = full[value=2.0:f32, shape=[5, 3]]
          %3: f32[5,3] = mul %0 %2
          return %3
        }"#]],
    );
}

#[test]
fn a_matrix_product_gets_a_free_axis_or_a_batch_axis() {
    let dims = DotDims { lhs_contracting: vec![1], rhs_contracting: vec![0], ..DotDims::default() };
    let func = build(&[ty(DType::F32, [2, 3]), ty(DType::F32, [3, 4])], |b, x| {
        vec![b.dot_general(x[0], x[1], &dims, DType::F32)]
    });
    check(
        &func,
        &[Some(0), None],
        &[Some(0)],
        expect![[r#"
        func(%0: f32[5,2,3], %1: f32[3,4]) -> (f32[5,2,4]) {
          %2: f32[5,2,4] = dot_general[lhs_contracting=[2], rhs_contracting=[0], lhs_batch=[], rhs_batch=[], out_dtype=f32] %0 %1
          return %2
        }"#]],
    );
    check(
        &func,
        &[None, Some(0)],
        &[Some(0)],
        expect![[r#"
        func(%0: f32[2,3], %1: f32[5,3,4]) -> (f32[5,2,4]) {
          %2: f32[2,5,4] = dot_general[lhs_contracting=[1], rhs_contracting=[1], lhs_batch=[], rhs_batch=[], out_dtype=f32] %0 %1
          %3: f32[5,2,4] = transpose[permutation=[1, 0, 2]] %2
          return %3
        }"#]],
    );
    check(
        &func,
        &[Some(0), Some(0)],
        &[Some(0)],
        expect![[r#"
        func(%0: f32[5,2,3], %1: f32[5,3,4]) -> (f32[5,2,4]) {
          %2: f32[5,2,4] = dot_general[lhs_contracting=[2], rhs_contracting=[1], lhs_batch=[0], rhs_batch=[0], out_dtype=f32] %0 %1
          return %2
        }"#]],
    );
}

#[test]
fn a_lookup_pairs_the_batch_axes_of_table_and_indices() {
    let dims = GatherDims {
        offset_dims: vec![1],
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        ..GatherDims::default()
    };
    let func = build(&[ty(DType::F32, [7, 3]), ty(DType::I32, [2, 1])], |b, x| {
        vec![b.gather(x[0], x[1], &dims, &[1, 3], IndexMode::Clip)]
    });
    check(
        &func,
        &[Some(0), Some(0)],
        &[Some(0)],
        expect![[r#"
        func(%0: f32[5,7,3], %1: i32[5,2,1]) -> (f32[5,2,3]) {
          %2: f32[5,2,3] = gather[offset_dims=[2], collapsed_slice_dims=[1], start_index_map=[1], operand_batching_dims=[0], start_indices_batching_dims=[0], slice_sizes=[1, 1, 3], mode=clip] %0 %1
          return %2
        }"#]],
    );
}

#[test]
fn a_slice_at_mapped_starts_is_a_gather() {
    let func = build(&[ty(DType::F32, [7, 3]), ty(DType::I32, []), ty(DType::I32, [])], |b, x| {
        vec![b.dynamic_slice(x[0], &x[1..], &[2, 3])]
    });
    check(
        &func,
        &[Some(0), Some(0), Some(0)],
        &[Some(0)],
        expect![[r#"
            func(%0: f32[5,7,3], %1: i32[5], %2: i32[5]) -> (f32[5,2,3]) {
              %3: i32[5,1] = reshape[shape=[5, 1]] %1
              %4: f32[5,2,3] = gather[offset_dims=[1, 2], collapsed_slice_dims=[], start_index_map=[1], operand_batching_dims=[0], start_indices_batching_dims=[0], slice_sizes=[1, 2, 3], mode=clip] %0 %3
              return %4
            }"#]],
    );
    check(
        &func,
        &[Some(0), None, Some(0)],
        &[Some(0)],
        expect![[r#"
        func(%0: f32[5,7,3], %1: i32[], %2: i32[5]) -> (f32[5,2,3]) {
          %3: i32[] = full[value=0:i32, shape=[]]
          %4: i32[] = full[value=0:i32, shape=[]]
          %5: f32[5,2,3] = dynamic_slice[slice_sizes=[5, 2, 3]] %0 %4 %1 %3
          return %5
        }"#]],
    );
}

#[test]
fn a_padding_value_for_each_example_is_selected_where_padding_is() {
    let func = build(&[ty(DType::F32, [3]), ty(DType::F32, [])], |b, x| vec![b.pad(x[0], x[1], &[1], &[2], &[0])]);
    check(
        &func,
        &[None, Some(0)],
        &[Some(0)],
        expect![[r#"
        func(%0: f32[3], %1: f32[5]) -> (f32[5,6]) {
          %2: f32[] = full[value=0.0:f32, shape=[]]
          %3: f32[6] = pad[low=[1], high=[2], interior=[0]] %0 %2
          %4: bool[3] = full[value=false:bool, shape=[3]]
          %5: bool[] = full[value=true:bool, shape=[]]
          %6: bool[6] = pad[low=[1], high=[2], interior=[0]] %4 %5
          %7: f32[5,6] = broadcast_in_dim[shape=[5, 6], broadcast_dimensions=[0]] %1
          %8: bool[5,6] = broadcast_in_dim[shape=[5, 6], broadcast_dimensions=[1]] %6
          %9: f32[5,6] = broadcast_in_dim[shape=[5, 6], broadcast_dimensions=[1]] %3
          %10: f32[5,6] = select_n %8 %9 %7
          return %10
        }"#]],
    );
}
