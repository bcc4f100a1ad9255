//! Tests of elementwise functions of one operand. Unless noted, values are those of mpmath 1.4.1 at 50
//! digits, rounded to `f64`; conventions at edges are those of JAX 0.10.2 (`jax.lax`, x64).

use crate::eval::testing::{assert_near, assert_same, numbers, one, vector};
use crate::{Array, DType, DTypeKind, Element, Prim, UnaryOp};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

fn of_f64(op: UnaryOp, x: &[f64]) -> Vec<f64> {
    one(&Prim::Unary(op), &[&vector(x)]).to_f64_vec()
}

#[track_caller]
fn check(op: UnaryOp, x: &[f64], want: &[f64]) {
    assert_near(&of_f64(op, x), want, 4.0);
}

#[track_caller]
fn check_ints<T: Element>(op: UnaryOp, x: &[T], want: &[T]) {
    assert_eq!(one(&Prim::Unary(op), &[&vector(x)]), vector(want));
}

#[test]
fn digamma_is_accurate_at_its_root_at_its_poles_and_far_out() {
    let x = [
        1e-300,
        -1e-300,
        1e-30,
        0.1,
        0.5,
        1.0,
        1.25,
        1.4616321449683622,
        1.4616321449683625,
        1.46,
        1.5,
        1.7,
        2.5,
        9.9,
        10.0,
        100.0,
        1e10,
        1e300,
        -0.5,
        -1.5,
        -0.1,
        -3.75,
        -100.3,
    ];
    let want = [
        -1e300,
        1e300,
        -1e30,
        -10.423754940411076,
        -1.9635100260214235,
        -0.5772156649015329,
        -0.22745353337626542,
        -9.241265521729427e-17,
        1.2245374622004068e-16,
        -0.0015805619870834522,
        0.03648997397857652,
        0.2085478748734939,
        0.7031566406452432,
        2.2411803166063815,
        2.251752589066721,
        4.600161852738087,
        23.025850929890456,
        690.7755278982137,
    ];
    check(UnaryOp::Digamma, &x[..18], &want);
    // Beside a negative root the error is absolute.
    for (got, want) in of_f64(UnaryOp::Digamma, &x[18..]).into_iter().zip([
        0.03648997397857652,
        0.7031566406452432,
        9.245073050052948,
        -1.6923885983113303,
        6.895643124860435,
    ]) {
        assert!((got - want).abs() < 1e-14, "{got} for {want}");
    }
    check(UnaryOp::Digamma, &[0.0, -0.0, -1.0, -1e10, -INF, NAN, INF], &[NAN, NAN, NAN, NAN, NAN, NAN, INF]);
}

#[test]
fn erf_inv_is_accurate_from_tiny_values_to_the_ends() {
    let x =
        [1e-300, 1e-10, 1e-8, 2e-8, 0.1, 0.3, 0.4999, 0.5, 0.75, 0.9, 0.999, 0.9999999999, 0.9999999999999999, -0.7];
    let want = [
        8.86226925452758e-301,
        8.862269254527581e-11,
        8.86226925452758e-9,
        1.772453850905516e-8,
        0.08885599049425769,
        0.2724627147267543,
        0.4768250236254278,
        0.4769362762044699,
        0.8134198475976185,
        1.1630871536766743,
        2.3267537655135246,
        4.572824958544925,
        5.8635847487551676,
        -0.7328690779592167,
    ];
    check(UnaryOp::ErfInv, &x, &want);
    check(UnaryOp::ErfInv, &[0.0, -0.0, 1.0, -1.0, 1.1, -2.0, NAN], &[0.0, -0.0, INF, -INF, NAN, NAN, NAN]);
}

#[test]
fn the_error_function_undoes_its_inverse() {
    let x: Vec<f64> = (1..2000).map(|i| f64::from(i) / 1000.0 - 1.0).collect();
    assert_near(&of_f64(UnaryOp::Erf, &of_f64(UnaryOp::ErfInv, &x)), &x, 8.0);
}

#[test]
fn functions_keep_digits_where_naive_formulas_lose_them() {
    check(
        UnaryOp::Acosh,
        &[1.0 + 1e-10, 1.5, 10.0, 1e300],
        &[1.4142136208675862e-5, 0.9624236501192069, 2.993222846126381, 691.4686750787737],
    );
    check(UnaryOp::Acosh, &[0.5, 1.0, -1.0, -2.0, -1e5, INF], &[NAN, 0.0, NAN, NAN, NAN, INF]);
    check(UnaryOp::Asinh, &[1e-20, 0.5, 1e300, -0.0], &[1e-20, 0.48121182505960347, 691.4686750787737, -0.0]);
    check(UnaryOp::Atanh, &[1.0, -1.0, 2.0, -0.0, 1e-20], &[INF, -INF, NAN, -0.0, 1e-20]);
    check(
        UnaryOp::Logistic,
        &[-745.0, -740.0, -30.0, -1.0, 1.0, 40.0, -INF, INF, NAN],
        &[5e-324, 4.2e-322, 9.357622968839299e-14, 0.2689414213699951, 0.7310585786300049, 1.0, 0.0, 1.0, NAN],
    );
    check(
        UnaryOp::Erfc,
        &[26.0, 5.0, 0.5, -2.0],
        &[5.663192408856143e-296, 1.537459794428035e-12, 0.4795001221869535, 1.9953222650189528],
    );
    check(UnaryOp::Erf, &[1e-20, 0.5, 3.0], &[1.1283791670955125e-20, 0.5204998778130465, 0.9999779095030014]);
    check(UnaryOp::Expm1, &[1e-20, -40.0, 1.0], &[1e-20, -1.0, 1.7182818284590453]);
    check(UnaryOp::Log1p, &[1e-20, -0.5, -1.0, -1.5], &[1e-20, -std::f64::consts::LN_2, -INF, NAN]);
    check(UnaryOp::Cbrt, &[27.0, 2.0, 1e-300, -8.0], &[3.0, 1.2599210498948732, 1e-100, -2.0]);
    check(
        UnaryOp::Lgamma,
        &[1e-300, 0.5, 1.5, 3.0, 10.5, 1e10, -0.5, -1.5, 0.0, -0.0, -1.0, -INF],
        &[
            690.7755278982137,
            0.5723649429247001,
            -0.12078223763524522,
            std::f64::consts::LN_2,
            13.940625219403763,
            220258509288.81058,
            1.2655121234846454,
            0.860047015376481,
            INF,
            INF,
            INF,
            INF,
        ],
    );
}

#[test]
fn edges_are_those_of_jax() {
    check(UnaryOp::Sign, &[-0.0, 0.0, NAN, 3.0, -INF], &[-0.0, 0.0, NAN, 1.0, -1.0]);
    let x = [0.5, -0.5, 1.5, 2.5, -0.2, 0.49999999999999994, 4503599627370497.0];
    check(UnaryOp::Round, &x, &[1.0, -1.0, 2.0, 3.0, -0.0, 0.0, 4503599627370497.0]);
    check(UnaryOp::RoundEven, &x, &[0.0, -0.0, 2.0, 2.0, -0.0, 0.0, 4503599627370497.0]);
    check(UnaryOp::Floor, &[-0.5, -0.0, 1.5], &[-1.0, -0.0, 1.0]);
    check(UnaryOp::Ceil, &[-0.5, -0.0, 1.5], &[-0.0, -0.0, 2.0]);
    check(UnaryOp::Rsqrt, &[0.0, -0.0, -1.0, INF, 4.0], &[INF, -INF, NAN, 0.0, 0.5]);
    check(UnaryOp::Sqrt, &[-0.0, -1.0, 5e-324, INF], &[-0.0, NAN, 2.2227587494850775e-162, INF]);
    check(UnaryOp::Log, &[0.0, -0.0, -1.0, 5e-324], &[-INF, -INF, NAN, -744.4400719213812]);
    check(UnaryOp::Exp, &[-INF, 710.0, -745.0, 0.0], &[0.0, INF, 5e-324, 1.0]);
    check(UnaryOp::Exp2, &[-1074.0, 1023.0, 1024.0], &[5e-324, 8.98846567431158e307, INF]);
    check(UnaryOp::Neg, &[0.0, -0.0, INF], &[-0.0, 0.0, -INF]);
    check(UnaryOp::Abs, &[-0.0, -INF, -5e-324], &[0.0, INF, 5e-324]);
    let finite = one(&Prim::Unary(UnaryOp::IsFinite), &[&vector(&[1.0_f32, f32::INFINITY, f32::NAN, f32::MAX])]);
    assert_eq!(finite, vector(&[true, false, false, true]));
}

#[test]
fn narrow_floats_are_computed_wide_and_rounded_once() {
    // Each is the nearest value of the dtype to the true result (mpmath).
    let f32_of = |op, x: &[f32]| one(&Prim::Unary(op), &[&vector(x)]).into_vec::<f32>().unwrap();
    assert_eq!(f32_of(UnaryOp::Exp, &[1.0, -10.0, 88.0]), [2.7182817, 4.539993e-5, 1.6516363e38]);
    assert_eq!(f32_of(UnaryOp::Sin, &[1.0, 100.0, 1e10]), [0.84147096, -0.50636566, -0.48750603]);
    assert_eq!(f32_of(UnaryOp::Tanh, &[0.1, 5.0]), [0.099667996, 0.9999092]);
    // JAX 0.10.2: lax.exp of float16.
    let x = numbers(DType::F16, &[11.0, -9.0, 1.0]);
    assert_eq!(one(&Prim::Unary(UnaryOp::Exp), &[&x]).to_f64_vec(), [59872.0, 0.0001233816146850586, 2.71875]);
    let x = numbers(DType::BF16, &[1.0, 300.0]);
    assert_eq!(one(&Prim::Unary(UnaryOp::Square), &[&x]).to_f64_vec(), [1.0, 90112.0]);
}

#[test]
fn integers_wrap() {
    check_ints(UnaryOp::Neg, &[-128_i8, 5], &[-128, -5]);
    check_ints(UnaryOp::Neg, &[1_u8, 0], &[255, 0]);
    check_ints(UnaryOp::Abs, &[i64::MIN, -7], &[i64::MIN, 7]);
    check_ints(UnaryOp::Abs, &[u16::MAX], &[u16::MAX]);
    check_ints(UnaryOp::Sign, &[-9_i16, 0, 9], &[-1, 0, 1]);
    check_ints(UnaryOp::Sign, &[0_u32, 1, u32::MAX], &[0, 1, 1]);
    check_ints(UnaryOp::Square, &[16_i8, -3], &[0, 9]);
    check_ints(UnaryOp::Square, &[1_u64 << 32, u64::MAX], &[0, 1]);
    check_ints(UnaryOp::Not, &[0_i32, -1], &[-1, 0]);
    check_ints(UnaryOp::Not, &[true, false], &[false, true]);
    check_ints(UnaryOp::PopulationCount, &[-1_i8, 0, 5], &[8, 0, 2]);
    check_ints(UnaryOp::Clz, &[0_u16, 1, 0x8000], &[16, 15, 0]);
    check_ints(UnaryOp::Clz, &[-1_i64, 0], &[0, 64]);
}

#[test]
fn integer_powers_are_exact_or_wrap() {
    let power = |exponent, x: &Array| one(&Prim::IntegerPow { exponent }, &[x]);
    // JAX 0.10.2: lax.integer_pow.
    assert_eq!(power(5, &vector(&[3_i8, -3])), vector(&[-13_i8, 13]));
    assert_same(&power(-3, &vector(&[0.0, -0.0, 2.0])), &vector(&[INF, -INF, 0.125]));
    assert_same(&power(0, &vector(&[NAN, 0.0, INF])), &vector(&[1.0, 1.0, 1.0]));
    assert_eq!(power(0, &vector(&[0_u8])), vector(&[1_u8]));
    // 3^13 rounded once to bf16: 1594323 is nearest to 1597440.
    assert_eq!(power(13, &numbers(DType::BF16, &[3.0])).to_f64_vec(), [1597440.0]);
    // The powers on the way overflow an f32, the result does not.
    assert_eq!(power(-3, &vector(&[1e-13_f32, 1e13])).to_f64_vec()[1], f64::from(1e-39_f32));
    assert_same(&power(i32::MIN, &vector(&[1.0, -1.0, 2.0])), &vector(&[1.0, 1.0, 0.0]));
}

#[test]
fn every_op_works_on_every_dtype_that_it_accepts() {
    for &op in UnaryOp::ALL {
        for dtype in DType::ALL.into_iter().filter(|&d| op.accepts(d)) {
            let x = numbers(dtype, &[0.0, 1.0, 0.5, 3.0]);
            let y = one(&Prim::Unary(op), &[&x]);
            let want = if op == UnaryOp::IsFinite { DType::Bool } else { dtype };
            assert_eq!(y.dtype(), want, "{} of {dtype}", op.name());
            if dtype.kind() == DTypeKind::Float && want == dtype {
                let rounded = numbers(dtype, &of_f64(op, &[0.0, 1.0, 0.5, 3.0]));
                assert_same(&y, &rounded);
            }
        }
    }
}
