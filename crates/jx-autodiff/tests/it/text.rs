//! The derivatives of small programs, as text.

use expect_test::{Expect, expect};
use jx_autodiff::{grad, jvp};
use jx_ir::Func;

fn parse(text: &str) -> Func {
    text.parse().unwrap_or_else(|why| panic!("{why}"))
}

fn check_jvp(program: &str, expected: Expect) {
    expected.assert_eq(&jvp(&parse(program), &[0]).unwrap().to_string());
}

fn check_grad(program: &str, expected: Expect) {
    expected.assert_eq(&grad(&parse(program), &[0], true).unwrap().to_string());
}

const SQUARED_ERROR: &str = "func squared_error(%0: f32[], %1: f32[3], %2: f32[3]) -> (f32[]) {
  %3: f32[3] = broadcast_in_dim[shape=[3], broadcast_dimensions=[]] %0
  %4: f32[3] = mul %3 %1
  %5: f32[3] = sub %4 %2
  %6: f32[3] = square %5
  %7: f32[] = reduce_sum[axes=[0]] %6
  return %7
}";

#[test]
fn jvp_of_squared_error() {
    check_jvp(SQUARED_ERROR, expect![[""]]);
}

#[test]
fn grad_of_squared_error() {
    check_grad(SQUARED_ERROR, expect![[""]]);
}

#[test]
fn grad_of_a_choice() {
    check_grad(
        "func f(%0: f32[]) -> (f32[]) {
  %1: f32[] = full[value=1.0:f32, shape=[]]
  %2: bool[] = lt %0 %1
  %3: f32[] = sqrt %0
  %4: f32[] = select_n %2 %3 %0
  return %4
}",
        expect![[""]],
    );
}

#[test]
fn grad_of_a_maximum() {
    check_grad(
        "func f(%0: f32[4]) -> (f32[]) {
  %1: f32[] = reduce_max[axes=[0]] %0
  return %1
}",
        expect![[""]],
    );
}
