//! Refusals: each names the op or input at fault and says what to do.

use crate::support::{func1, ty};
use jx_autodiff::{AutodiffError, grad, jvp, linearize, transpose, vjp};
use jx_ir::{BinaryOp, Builder, DType, Prim, TensorType, UnaryOp, Var};
use std::sync::Arc;

#[test]
fn an_integer_input_is_refused_by_index_and_dtype() {
    let mut b = Builder::new();
    let (x, n) = (b.input(ty(&[])), b.input(TensorType::new(DType::I32, [])));
    let func = b.finish(&[x, n]);
    for result in [jvp(&func, &[1]), vjp(&func, &[0, 1]), grad(&func, &[1], true)] {
        let text = result.unwrap_err().to_string();
        assert!(text.contains("input 1 is i32[]"), "{text}");
    }
    assert!(linearize(&func, &[0, 0]).unwrap_err().to_string().contains("each input is named once"));
    assert!(jvp(&func, &[2]).is_err());
}

#[test]
fn grad_of_a_function_that_is_no_scalar_says_so() {
    let func = func1(&[3], |b, x| b.sin(x));
    let text = grad(&func, &[0], false).unwrap_err().to_string();
    assert!(text.contains("f64[3]") && text.contains("reduce it"), "{text}");
    let nothing = Builder::with_inputs(&[ty(&[])]).0.finish(&[]);
    assert!(grad(&nothing, &[0], false).is_err());
}

#[test]
fn a_transformation_inside_is_refused_by_name() {
    let inner = Arc::new(func1(&[], |b, x| b.sin(x)));
    let nodes = [
        (Prim::Grad { func: inner.clone(), wrt: vec![0], value: false }, "grad"),
        (Prim::Vmap { func: inner, in_axes: vec![None], out_axes: vec![Some(0)], size: 2 }, "vmap"),
    ];
    for (node, name) in nodes {
        let func = func1(&[], |b, x| b.emit1(node.clone(), &[x]));
        let nested = func1(&[], |b, x| b.emit1(Prim::Call { func: Arc::new(func.clone()) }, &[x]));
        for func in [func, nested] {
            let why = jvp(&func, &[0]).unwrap_err();
            assert_eq!(why, AutodiffError::Unexpanded { pass: "jvp", prim: name });
            // Also where nothing moves through it.
            assert!(jvp(&func, &[]).is_err());
            let why = transpose(&func, 0).unwrap_err();
            assert_eq!(why, AutodiffError::Unexpanded { pass: "transpose", prim: name });
        }
    }
}

#[test]
fn transposing_what_is_not_linear_is_refused_by_name() {
    let refused = |body: fn(&mut Builder, Var) -> Var, name: &str| {
        let why = transpose(&func1(&[2], body), 0).unwrap_err();
        assert!(matches!(why, AutodiffError::NotLinear { prim } if prim == name), "{name}: {why}");
    };
    refused(|b, x| b.sin(x), "sin");
    refused(|b, x| b.mul(x, x), "mul");
    refused(|b, x| b.integer_pow(x, 2), "integer_pow");
    refused(|b, x| b.reduce(jx_ir::ReduceOp::Prod, x, &[0]), "reduce_prod");
    refused(|b, x| b.cumulative(jx_ir::CumulativeOp::Max, x, 0, false), "cummax");
    refused(|b, x| b.clamp(x, x, x), "clamp");
    refused(|b, x| b.sort(&[x], 0, 1)[0], "sort");
    refused(
        |b, x| {
            let dims = jx_ir::DotDims { lhs_contracting: vec![0], rhs_contracting: vec![0], ..Default::default() };
            b.dot_general(x, x, &dims, DType::F64)
        },
        "dot_general",
    );
    // Affine functions are not linear.
    refused(
        |b, x| {
            let one = b.full_like(x, 1.0);
            b.add(x, one)
        },
        "add",
    );
    // Of the elementwise functions of one operand only negation is linear.
    for &op in UnaryOp::ALL {
        if !op.accepts(DType::F64) || op == UnaryOp::IsFinite {
            continue;
        }
        assert_eq!(transpose(&func1(&[2], |b, x| b.unary(op, x)), 0).is_ok(), op == UnaryOp::Neg, "{}", op.name());
    }
    for &op in BinaryOp::ALL {
        if op.accepts(DType::F64) {
            let both = transpose(&func1(&[2], |b, x| b.binary(op, x, x)), 0).is_ok();
            assert_eq!(both, matches!(op, BinaryOp::Add | BinaryOp::Sub), "{}", op.name());
        }
    }
}

#[test]
fn more_known_inputs_than_inputs_are_refused() {
    let func = func1(&[2], |b, x| b.neg(x));
    assert_eq!(transpose(&func, 2).unwrap_err(), AutodiffError::KnownInputs { n_known: 2, n_inputs: 1 });
}
