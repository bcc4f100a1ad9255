//! The laws on every elementwise op.

use crate::support::{check, f64s, func_of, func1, ty};
use jx_ir::{BinaryOp, DType, Prim, TensorType, UnaryOp};

/// Points where the op is smooth and generic; `None` if it does not work on floats.
fn domain(op: UnaryOp) -> Option<&'static [f64]> {
    match op {
        UnaryOp::Neg
        | UnaryOp::Abs
        | UnaryOp::Sign
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Round
        | UnaryOp::RoundEven
        | UnaryOp::IsFinite
        | UnaryOp::Square
        | UnaryOp::Exp
        | UnaryOp::Exp2
        | UnaryOp::Expm1
        | UnaryOp::Sin
        | UnaryOp::Cos
        | UnaryOp::Atan
        | UnaryOp::Sinh
        | UnaryOp::Cosh
        | UnaryOp::Tanh
        | UnaryOp::Asinh
        | UnaryOp::Logistic
        | UnaryOp::Erf
        | UnaryOp::Erfc => Some(&[-2.2, -0.3, 0.1, 0.7, 1.8]),
        UnaryOp::Tan => Some(&[-1.1, -0.3, 0.1, 0.7, 1.2]),
        UnaryOp::Sqrt | UnaryOp::Rsqrt | UnaryOp::Log | UnaryOp::Lgamma | UnaryOp::Digamma => {
            Some(&[0.3, 0.8, 1.2, 3.4, 11.0])
        }
        UnaryOp::Cbrt => Some(&[-2.2, -0.3, 0.2, 0.7, 1.8]),
        UnaryOp::Log1p => Some(&[-0.7, -0.3, 0.1, 0.7, 1.8]),
        UnaryOp::Asin | UnaryOp::Acos | UnaryOp::Atanh | UnaryOp::ErfInv => Some(&[-0.8, -0.3, 0.1, 0.45, 0.6]),
        UnaryOp::Acosh => Some(&[1.2, 1.7, 2.4, 5.0, 11.0]),
        UnaryOp::Not | UnaryOp::PopulationCount | UnaryOp::Clz => None,
    }
}

#[test]
fn every_unary_op_obeys_the_laws() {
    for &op in UnaryOp::ALL {
        let Some(points) = domain(op) else { continue };
        let func = func1(&[points.len()], |b, x| {
            let y = b.unary(op, x);
            b.convert(y, DType::F64)
        });
        check(op.name(), &func, &[f64s(&[points.len()], points)], &[0]);
    }
}

/// Two operands at points where the op is smooth; `None` if it does not work on floats.
fn domain2(op: BinaryOp) -> Option<[[f64; 4]; 2]> {
    match op {
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::MulNoNan
        | BinaryOp::Div
        | BinaryOp::Max
        | BinaryOp::Min
        | BinaryOp::Atan2 => Some([[-1.3, 0.4, 2.2, 0.9], [0.7, -0.6, 1.9, 3.1]]),
        BinaryOp::Rem => Some([[-7.3, 5.4, 2.2, 9.1], [2.1, -1.6, 3.9, 0.8]]),
        BinaryOp::Pow => Some([[0.3, 1.4, 2.2, 0.9], [0.7, -1.6, 1.9, 3.1]]),
        // A step function of its direction, and the identity in x but for one unit in the last place.
        BinaryOp::NextAfter
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightLogical
        | BinaryOp::ShiftRightArithmetic => None,
    }
}

#[test]
fn every_binary_op_obeys_the_laws() {
    for &op in BinaryOp::ALL {
        let Some([x, y]) = domain2(op) else { continue };
        let func = func_of(&[ty(&[4]), ty(&[4])], |b, x| b.binary(op, x[0], x[1]));
        let inputs = [f64s(&[4], &x), f64s(&[4], &y)];
        for wrt in [&[0][..], &[1], &[0, 1], &[1, 0]] {
            check(op.name(), &func, &inputs, wrt);
        }
    }
}

#[test]
fn an_op_on_one_value_twice_obeys_the_laws() {
    for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Pow, BinaryOp::Atan2] {
        let func = func1(&[3], |b, x| b.binary(op, x, x));
        check(op.name(), &func, &[f64s(&[3], &[0.4, 1.3, 2.2])], &[0]);
    }
}

#[test]
fn integer_powers_obey_the_laws() {
    for exponent in [-3, -2, -1, 0, 1, 2, 3, 7] {
        let func = func1(&[4], |b, x| b.integer_pow(x, exponent));
        check(&format!("integer_pow {exponent}"), &func, &[f64s(&[4], &[-1.3, 0.4, 2.2, -0.9])], &[0]);
    }
}

#[test]
fn selection_clamping_and_conversion_obey_the_laws() {
    let types = [TensorType::new(DType::I32, [4]), ty(&[4]), ty(&[4]), ty(&[4])];
    let select = func_of(&types, |b, x| b.emit1(Prim::SelectN, x));
    let (x, y, z) =
        (f64s(&[4], &[-1.3, 0.4, 2.2, 0.9]), f64s(&[4], &[0.7, -0.6, 1.9, 3.1]), f64s(&[4], &[-5.0, -4.0, 5.0, 3.5]));
    let which = crate::support::i32s(&[4], &[0, 2, 1, 7]);
    check("select_n", &select, &[which, x.clone(), y.clone(), z.clone()], &[1, 2, 3]);

    let clamp = func_of(&[ty(&[4]), ty(&[4]), ty(&[4])], |b, x| b.clamp(x[0], x[1], x[2]));
    let (lo, hi) = (f64s(&[4], &[-1.0, -0.5, 1.0, 2.5]), f64s(&[4], &[1.0, 0.5, 2.0, 2.1]));
    check("clamp", &clamp, &[lo, x.clone(), hi], &[0, 1, 2]);

    let round_trip = func1(&[4], |b, x| {
        let n = b.convert(x, DType::I32);
        let n = b.convert(n, DType::F64);
        let s = b.sin(x);
        b.add(n, s)
    });
    check("convert", &round_trip, &[x], &[0]);
}

#[test]
fn stop_gradient_cuts_and_nextafter_passes_the_tangent() {
    let func = func1(&[2], |b, x| {
        let held = b.stop_gradient(x);
        b.mul(x, held)
    });
    assert_eq!(crate::support::grad_of_sum(&func, &[f64s(&[2], &[3.0, 5.0])]), [3.0, 5.0]);
    let next = func_of(&[ty(&[2]), ty(&[2])], |b, x| b.binary(BinaryOp::NextAfter, x[0], x[1]));
    let inputs = [f64s(&[2], &[3.0, 5.0]), f64s(&[2], &[4.0, 4.0])];
    assert_eq!(crate::support::grad_of_sum(&next, &inputs), [1.0, 1.0]);
}
