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
    check_jvp(
        SQUARED_ERROR,
        expect![[r#"
        func(%0: f32[], %1: f32[3], %2: f32[3], %3: f32[]) -> (f32[], f32[]) {
          %4: f32[3] = broadcast_in_dim[shape=[3], broadcast_dimensions=[]] %0
          %5: f32[3] = broadcast_in_dim[shape=[3], broadcast_dimensions=[]] %3
          %6: f32[3] = mul %4 %1
          %7: f32[3] = mul_no_nan %5 %1
          %8: f32[3] = sub %6 %2
          %9: f32[3] = square %8
          %10: f32[3] = add %8 %8
          %11: f32[3] = mul_no_nan %7 %10
          %12: f32[] = reduce_sum[axes=[0]] %9
          %13: f32[] = reduce_sum[axes=[0]] %11
          return %12 %13
        }"#]],
    );
}

#[test]
fn grad_of_squared_error() {
    check_grad(
        SQUARED_ERROR,
        expect![[r#"
        func(%0: f32[], %1: f32[3], %2: f32[3]) -> (f32[], f32[]) {
          %3: f32[3] = broadcast_in_dim[shape=[3], broadcast_dimensions=[]] %0
          %4: f32[3] = mul %3 %1
          %5: f32[3] = sub %4 %2
          %6: f32[3] = square %5
          %7: f32[3] = add %5 %5
          %8: f32[] = reduce_sum[axes=[0]] %6
          %9: f32[3] = mul_no_nan %7 %1
          %10: f32[] = reduce_sum[axes=[0]] %9
          return %8 %10
        }"#]],
    );
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
        expect![[r#"
            func(%0: f32[]) -> (f32[], f32[]) {
              %1: f32[] = full[value=1.0:f32, shape=[]]
              %2: bool[] = lt %0 %1
              %3: f32[] = sqrt %0
              %4: f32[] = full[value=0.5:f32, shape=[]]
              %5: f32[] = div %4 %3
              %6: f32[] = select_n %2 %3 %0
              %7: f32[] = full[value=1.0:f32, shape=[]]
              %8: f32[] = full[value=0.0:f32, shape=[]]
              %9: f32[] = select_n %2 %7 %8
              %10: f32[] = select_n %2 %8 %7
              %11: f32[] = mul_no_nan %9 %5
              %12: f32[] = add %10 %11
              return %6 %12
            }"#]],
    );
}

#[test]
fn grad_of_a_maximum() {
    check_grad(
        "func f(%0: f32[4]) -> (f32[]) {
  %1: f32[] = reduce_max[axes=[0]] %0
  return %1
}",
        expect![[r#"
            func(%0: f32[4]) -> (f32[], f32[4]) {
              %1: f32[] = reduce_max[axes=[0]] %0
              %2: f32[4] = broadcast_in_dim[shape=[4], broadcast_dimensions=[]] %1
              %3: bool[4] = eq %0 %2
              %4: i32[4] = convert_element_type[dtype=i32] %3
              %5: i32[] = reduce_sum[axes=[0]] %4
              %6: i32[] = full[value=1:i32, shape=[]]
              %7: i32[] = max %5 %6
              %8: f32[] = convert_element_type[dtype=f32] %7
              %9: f32[] = full[value=1.0:f32, shape=[]]
              %10: f32[] = div %9 %8
              %11: f32[4] = broadcast_in_dim[shape=[4], broadcast_dimensions=[]] %10
              %12: f32[4] = full[value=0.0:f32, shape=[4]]
              %13: f32[4] = select_n %3 %12 %11
              return %1 %13
            }"#]],
    );
}
