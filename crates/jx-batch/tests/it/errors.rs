//! Axes and sizes that do not fit are refused with a typed error, as a `Prim::Vmap` node refuses them.

use crate::check::{build, ty};
use expect_test::{Expect, expect};
use jx_batch::vmap;
use jx_ir::{DType, Func};

fn product() -> Func {
    build(&[ty(DType::F32, [3]), ty(DType::F32, [3])], |b, x| vec![b.mul(x[0], x[1]), x[1]])
}

fn check_refusal(in_axes: &[Option<usize>], out_axes: &[Option<usize>], size: usize, want: Expect) {
    let why = vmap(&product(), in_axes, out_axes, size).expect_err("the axes do not fit");
    want.assert_eq(&why.to_string());
}

#[test]
fn axes_for_another_number_of_inputs_are_refused() {
    check_refusal(&[Some(0)], &[Some(0), Some(0)], 2, expect!["vmap: takes 2 operands, but 1 were given"]);
}

#[test]
fn axes_for_another_number_of_results_are_refused() {
    check_refusal(&[Some(0), None], &[Some(0)], 2, expect!["vmap: takes 2 operands, but 1 were given"]);
}

#[test]
fn an_input_axis_out_of_range_is_refused() {
    check_refusal(
        &[Some(2), None],
        &[Some(0), None],
        2,
        expect!["vmap: axis 2 is out of range for f32[2,3], whose axes are 0 to 1"],
    );
}

#[test]
fn a_result_axis_out_of_range_is_refused() {
    check_refusal(
        &[Some(0), None],
        &[Some(2), None],
        2,
        expect!["vmap: axis 2 is out of range for f32[2,3], whose axes are 0 to 1"],
    );
}

#[test]
fn a_result_that_differs_between_examples_needs_an_axis() {
    check_refusal(
        &[Some(0), None],
        &[None, None],
        2,
        expect![
            "vmap: out_axes = None does not fit f32[3]: an output that depends on a mapped input needs an axis in out_axes"
        ],
    );
}

#[test]
fn a_batch_too_large_to_address_is_refused() {
    check_refusal(
        &[Some(0), None],
        &[Some(0), None],
        usize::MAX / 2,
        expect!["vmap: the result's shape [9223372036854775807, 3] has too many elements to address"],
    );
}

#[test]
fn an_intermediate_too_large_to_address_is_refused() {
    let func = build(&[ty(DType::F32, [])], |b, x| {
        let wide = b.broadcast_scalar(x[0], &[1 << 30]);
        vec![b.reduce_sum(wide, &[0])]
    });
    let why = vmap(&func, &[Some(0)], &[Some(0)], 1 << 40).expect_err("2^70 elements");
    expect!["broadcast_in_dim: the result's shape [1099511627776, 1073741824] has too many elements to address"]
        .assert_eq(&why.to_string());
}
