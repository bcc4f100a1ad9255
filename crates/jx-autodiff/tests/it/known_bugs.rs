//! Cases that other systems got wrong, by the numbers under which this project lists them: kinks, ties,
//! zeros and infinities.

use crate::support::{check, f64s, func_of, func1, grad_of_sum, jvp0, run, total, ty};
use jx_autodiff::{grad, jvp};
use jx_ir::{Array, Builder, CumulativeOp, Func, ReduceOp, UnaryOp, Var};

/// The Hessian of a scalar function of a vector, by forward over reverse mode.
fn hessian(func: &Func, x: &Array) -> Vec<Vec<f64>> {
    let second = jvp(&grad(func, &[0], false).unwrap(), &[0]).unwrap();
    let n = x.n_elements();
    (0..n)
        .map(|i| {
            let mut unit = vec![0.0; n];
            unit[i] = 1.0;
            run(&second, &[x.clone(), f64s(x.shape(), &unit)])[1].to_f64_vec()
        })
        .collect()
}

fn where_below_one(b: &mut Builder, x: Var, otherwise: impl FnOnce(&mut Builder, Var) -> Var) -> Var {
    let one = b.full_like(x, 1.0);
    let small = b.lt(x, one);
    let y = otherwise(b, x);
    b.select(small, x, y)
}

#[test]
fn a1_the_branch_not_taken_does_not_poison_the_gradient() {
    let x = f64s(&[3], &[0.0, 0.25, 4.0]);
    let func = func1(&[3], |b, x| where_below_one(b, x, Builder::sqrt));
    assert_eq!(grad_of_sum(&func, std::slice::from_ref(&x)), [1.0, 1.0, 0.25]);
    assert_eq!(jvp0(&func, std::slice::from_ref(&x), &f64s(&[3], &[1.0, 1.0, 1.0])), [1.0, 1.0, 0.25]);
    for op in [UnaryOp::Log, UnaryOp::Rsqrt, UnaryOp::Cbrt, UnaryOp::Lgamma, UnaryOp::Digamma] {
        let func = func1(&[2], |b, x| where_below_one(b, x, |b, x| b.unary(op, x)));
        assert_eq!(grad_of_sum(&func, &[f64s(&[2], &[0.0, -3.0])]), [1.0, 1.0], "{}", op.name());
    }
    let reciprocal = |b: &mut Builder, x| {
        let one = b.full_like(x, 1.0);
        b.div(one, x)
    };
    let func = func1(&[1], |b, x| where_below_one(b, x, reciprocal));
    assert_eq!(grad_of_sum(&func, &[f64s(&[1], &[0.0])]), [1.0]);
}

#[test]
fn a1_holds_for_second_derivatives_too() {
    let func = func1(&[2], |b, x| {
        let y = where_below_one(b, x, Builder::sqrt);
        total(b, y)
    });
    assert_eq!(hessian(&func, &f64s(&[2], &[0.0, 4.0])), [[0.0, 0.0], [0.0, -0.03125]]);
    let twice = grad_of_sum(&grad(&func, &[0], false).unwrap(), &[f64s(&[2], &[0.0, 4.0])]);
    assert_eq!(twice, [0.0, -0.03125]);
}

#[test]
fn a3_a_maximum_hides_the_infinite_slope_of_a_square_root_in_both_modes() {
    let func = func1(&[2], |b, x| {
        let squares = b.square(x);
        let s = b.reduce_sum(squares, &[0]);
        let r = b.sqrt(s);
        let floor = b.full_like(r, 1e-10);
        b.max(r, floor)
    });
    let origin = f64s(&[2], &[0.0, 0.0]);
    assert_eq!(grad_of_sum(&func, std::slice::from_ref(&origin)), [0.0, 0.0]);
    assert_eq!(jvp0(&func, &[origin], &f64s(&[2], &[1.0, 1.0])), [0.0]);
}

#[test]
fn a5_the_square_of_a_norm_has_gradient_zero_at_the_origin() {
    let norm = |b: &mut Builder, x| {
        let squares = b.square(x);
        let s = b.reduce_sum(squares, &[0]);
        b.sqrt(s)
    };
    let func = func1(&[2], |b, x| {
        let r = norm(b, x);
        b.square(r)
    });
    let origin = f64s(&[2], &[0.0, 0.0]);
    assert_eq!(grad_of_sum(&func, std::slice::from_ref(&origin)), [0.0, 0.0]);
    assert_eq!(grad_of_sum(&func1(&[2], norm), std::slice::from_ref(&origin)), [0.0, 0.0]);
    assert_eq!(jvp0(&func1(&[2], norm), &[origin], &f64s(&[2], &[1.0, 1.0])), [0.0]);
}

#[test]
fn a7_a_masked_sum_ignores_what_overflows() {
    let func = func1(&[2], |b, x| {
        let mask = b.constant(Array::from_vec([2], vec![true, false]).unwrap());
        let (e, zero) = (b.exp(x), b.full_like(x, 0.0));
        b.select(mask, e, zero)
    });
    let x = f64s(&[2], &[36.0, 10_000.0]);
    assert_eq!(grad_of_sum(&func, std::slice::from_ref(&x)), [36.0_f64.exp(), 0.0]);
    assert_eq!(jvp0(&func, &[x], &f64s(&[2], &[1.0, 1.0])), [36.0_f64.exp(), 0.0]);
}

#[test]
fn a9_a_polynomial_by_powers_has_the_right_slope_at_zero() {
    let float = func1(&[3], |b, x| {
        let p = b.constant(f64s(&[3], &[0.0, 1.0, 2.0]));
        b.pow(x, p)
    });
    let zeros = f64s(&[3], &[0.0, 0.0, 0.0]);
    assert_eq!(grad_of_sum(&float, std::slice::from_ref(&zeros)), [0.0, 1.0, 0.0]);
    assert_eq!(jvp0(&float, std::slice::from_ref(&zeros), &f64s(&[3], &[1.0, 1.0, 1.0])), [0.0, 1.0, 0.0]);
    let second = grad_of_sum(
        &grad(
            &func1(&[3], |b, x| {
                let p = b.constant(f64s(&[3], &[0.0, 1.0, 2.0]));
                let y = b.pow(x, p);
                total(b, y)
            }),
            &[0],
            false,
        )
        .unwrap(),
        std::slice::from_ref(&zeros),
    );
    assert_eq!(second, [0.0, 0.0, 2.0]);
    for (n, want) in [(0, 0.0), (1, 1.0), (2, 0.0), (3, 0.0)] {
        let integer = func1(&[3], |b, x| b.integer_pow(x, n));
        assert_eq!(grad_of_sum(&integer, std::slice::from_ref(&zeros)), [want; 3]);
    }
}

#[test]
fn a9_a_negative_base_has_no_nan_where_the_exponent_stands_still() {
    let func = func_of(&[ty(&[4]), ty(&[4])], |b, x| b.pow(x[0], x[1]));
    let inputs = [f64s(&[4], &[-2.0, 0.0, 0.0, 0.0]), f64s(&[4], &[3.0, 2.0, 0.0, 0.5])];
    let still =
        run(&jvp(&func, &[0, 1]).unwrap(), &[&inputs[..], &[f64s(&[4], &[1.0; 4]), f64s(&[4], &[0.0; 4])]].concat());
    assert_eq!(still[1].to_f64_vec(), [12.0, 0.0, 0.0, f64::INFINITY]);
    let exponent = run(&jvp(&func, &[1]).unwrap(), &[&inputs[..], &[f64s(&[4], &[0.0, 1.0, 1.0, 1.0])]].concat());
    assert_eq!(exponent[1].to_f64_vec(), [0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn a13_nan_data_that_is_masked_out_has_gradient_zero() {
    let x = f64s(&[3], &[f64::NAN, 1.0, 2.0]);
    let masked = |body: fn(&mut Builder, Var) -> Var| {
        func1(&[3], move |b, x| {
            let is_nan = b.ne(x, x);
            let (y, zero) = (body(b, x), b.full_like(x, 0.0));
            b.select(is_nan, zero, y)
        })
    };
    let want = [0.0, 2.0, 4.0];
    assert_eq!(grad_of_sum(&masked(|b, x| b.square(x)), std::slice::from_ref(&x)), want);
    assert_eq!(grad_of_sum(&masked(|b, x| b.mul(x, x)), std::slice::from_ref(&x)), want);
    assert_eq!(grad_of_sum(&masked(|b, x| b.integer_pow(x, 2)), std::slice::from_ref(&x)), want);
    assert_eq!(jvp0(&masked(|b, x| b.mul(x, x)), std::slice::from_ref(&x), &f64s(&[3], &[1.0; 3])), want);
    for op in [UnaryOp::Sin, UnaryOp::Exp, UnaryOp::Tanh, UnaryOp::Logistic, UnaryOp::Abs, UnaryOp::Asin] {
        let func = func1(&[3], |b, x| {
            let is_nan = b.ne(x, x);
            let (y, zero) = (b.unary(op, x), b.full_like(x, 0.0));
            b.select(is_nan, zero, y)
        });
        assert_eq!(grad_of_sum(&func, std::slice::from_ref(&x))[0], 0.0, "{}", op.name());
    }
}

#[test]
fn a15_the_angle_of_the_origin_has_gradient_zero() {
    let func = func_of(&[ty(&[3]), ty(&[3])], |b, x| b.binary(jx_ir::BinaryOp::Atan2, x[0], x[1]));
    let inputs = [f64s(&[3], &[0.0, 0.0, 3e-200]), f64s(&[3], &[0.0, 2.0, 4e-200])];
    assert_eq!(grad_of_sum(&func, &inputs)[..2], [0.0, 0.5]);
    // x/(x² + y²), where the squares underflow
    let got = grad_of_sum(&func, &inputs)[2];
    assert!((got / 1.6e199 - 1.0).abs() < 1e-15, "{got}");
    let swapped = func_of(&[ty(&[3]), ty(&[3])], |b, x| b.binary(jx_ir::BinaryOp::Atan2, x[1], x[0]));
    assert_eq!(grad_of_sum(&swapped, &[inputs[0].clone(), f64s(&[3], &[0.0, 2.0, 0.0])])[..2], [0.0, -0.5]);
}

#[test]
fn c1_ties_share_the_cotangent() {
    for op in [ReduceOp::Max, ReduceOp::Min] {
        let func = |n: usize| func1(&[n], move |b, x| b.reduce(op, x, &[0]));
        let sign = if op == ReduceOp::Max { 1.0 } else { -1.0 };
        let two = f64s(&[2], &[sign, sign]);
        assert_eq!(grad_of_sum(&func(2), std::slice::from_ref(&two)), [0.5, 0.5]);
        assert_eq!(jvp0(&func(2), &[two], &f64s(&[2], &[1.0, 0.0])), [0.5]);
        let third = 1.0 / 3.0;
        let four = f64s(&[4], &[sign, sign, 0.0, sign]);
        assert_eq!(grad_of_sum(&func(4), &[four]), [third, third, 0.0, third]);
        let all_nan = f64s(&[2], &[f64::NAN, 1.0]);
        assert_eq!(grad_of_sum(&func(2), &[all_nan]), [0.0, 0.0]);
    }
    let max = func_of(&[ty(&[3]), ty(&[3])], |b, x| b.max(x[0], x[1]));
    let inputs = [f64s(&[3], &[1.0, 2.0, 3.0]), f64s(&[3], &[2.0, 2.0, 2.0])];
    assert_eq!(grad_of_sum(&max, &inputs), [0.0, 0.5, 1.0]);
    let min = func_of(&[ty(&[3]), ty(&[3])], |b, x| b.min(x[1], x[0]));
    assert_eq!(grad_of_sum(&min, &inputs), [1.0, 0.5, 0.0]);
}

#[test]
fn c3_abs_has_slope_zero_at_both_zeros_and_its_square_has_curvature_two() {
    let abs = func1(&[4], |b, x| b.abs(x));
    assert_eq!(grad_of_sum(&abs, &[f64s(&[4], &[0.0, -0.0, 3.0, -3.0])]), [0.0, 0.0, 1.0, -1.0]);
    let bodies: [fn(&mut Builder, Var) -> Var; 3] =
        [|b, a| b.square(a), |b, a| b.mul(a, a), |b, a| b.integer_pow(a, 2)];
    for body in bodies {
        let func = func1(&[2], |b, x| {
            let a = b.abs(x);
            let y = body(b, a);
            total(b, y)
        });
        assert_eq!(hessian(&func, &f64s(&[2], &[0.0, -3.0])), [[2.0, 0.0], [0.0, 2.0]]);
    }
}

#[test]
fn c4_a_running_product_with_a_zero_has_a_gradient() {
    let func = func1(&[4], |b, x| b.cumulative(CumulativeOp::Prod, x, 0, false));
    assert_eq!(grad_of_sum(&func, &[f64s(&[4], &[2.0, 0.0, 3.0, 4.0])]), [1.0, 32.0, 0.0, 0.0]);
    let reverse = func1(&[4], |b, x| b.cumulative(CumulativeOp::Prod, x, 0, true));
    assert_eq!(grad_of_sum(&reverse, &[f64s(&[4], &[4.0, 3.0, 0.0, 2.0])]), [0.0, 0.0, 32.0, 1.0]);
    check("cumprod with a zero", &func, &[f64s(&[4], &[2.0, 0.0, 3.0, 4.0])], &[0]);
}

#[test]
fn c6_a_product_with_zeros_has_first_and_second_derivatives() {
    let func = |n: usize| func1(&[n], |b, x| b.reduce(ReduceOp::Prod, x, &[0]));
    assert_eq!(grad_of_sum(&func(3), &[f64s(&[3], &[3.0, 0.0, 2.0])]), [0.0, 6.0, 0.0]);
    assert_eq!(grad_of_sum(&func(3), &[f64s(&[3], &[3.0, 0.0, 0.0])]), [0.0, 0.0, 0.0]);
    let x = f64s(&[6], &[1.0, -2.0, 3.0, 5.0, 9.0, 6.0]);
    assert_eq!(run(&func(6), std::slice::from_ref(&x))[0].to_f64_vec(), [-1620.0]);
    assert_eq!(grad_of_sum(&func(6), &[x]), [-1620.0, 810.0, -540.0, -324.0, -180.0, -270.0]);
    assert_eq!(hessian(&func(2), &f64s(&[2], &[4.0, 0.0])), [[0.0, 1.0], [1.0, 0.0]]);
    let zeros = f64s(&[3], &[0.0, 0.0, 5.0]);
    assert_eq!(hessian(&func(3), &zeros), [[0.0, 5.0, 0.0], [5.0, 0.0, 0.0], [0.0, 0.0, 0.0]]);
}

#[test]
fn c14_a_value_that_is_read_twice_gets_the_sum_of_its_cotangents() {
    let func = func1(&[2], |b, x| {
        let repeated = b.concatenate(&[x, x], 0);
        let (r2, x2) = (b.square(repeated), b.square(x));
        let (r, s) = (total(b, r2), total(b, x2));
        b.add(r, s)
    });
    assert_eq!(grad_of_sum(&func, &[f64s(&[2], &[1.0, 2.0])]), [6.0, 12.0]);
}

#[test]
fn e6_an_input_that_is_an_output_and_a_residual_is_passed_on() {
    let (mut b, x) = Builder::with_inputs(&[ty(&[]), ty(&[])]);
    let e = b.exp(x[1]);
    let func = b.finish(&[x[0], e]);
    let inputs = [f64s(&[], &[0.0]), f64s(&[], &[1.0])];
    let out = run(&grad(&func, &[1], true).unwrap(), &inputs);
    assert_eq!(out[2].to_f64_vec(), [0.0]);
}

#[test]
fn a_running_maximum_sends_the_cotangent_to_the_first_record() {
    let func = func1(&[5], |b, x| b.cumulative(CumulativeOp::Max, x, 0, false));
    let inf = f64::NEG_INFINITY;
    assert_eq!(grad_of_sum(&func, &[f64s(&[5], &[inf, 1.0, 1.0, 0.0, 2.0])]), [1.0, 3.0, 0.0, 0.0, 1.0]);
    let reverse = func1(&[5], |b, x| b.cumulative(CumulativeOp::Min, x, 0, true));
    assert_eq!(grad_of_sum(&reverse, &[f64s(&[5], &[2.0, 1.0, 3.0, 1.0, 5.0])]), [0.0, 0.0, 0.0, 4.0, 1.0]);
    assert_eq!(grad_of_sum(&func, &[f64s(&[5], &[1.0, f64::NAN, 3.0, f64::NAN, 5.0])]), [1.0, 4.0, 0.0, 0.0, 0.0]);
}

#[test]
fn a_quotient_keeps_derivatives_that_are_representable() {
    let func = func_of(&[ty(&[2]), ty(&[2])], |b, x| b.div(x[1], x[0]));
    // -x/y² at (1, 1e-160) and (1e-200, 1e-180): y² underflows
    let got = grad_of_sum(&func, &[f64s(&[2], &[1e-150, 1e-180]), f64s(&[2], &[1.0, 1e-200])]);
    for (got, want) in got.iter().zip([-1e300, -1e160]) {
        assert!((got / want - 1.0).abs() < 1e-15, "{got} is not {want}");
    }
}
