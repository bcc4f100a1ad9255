//! What the programs look like: nothing computed twice, nothing kept that is not needed.

use crate::support::{func_of, func1, total, ty};
use jx_autodiff::{grad, jvp, linearize};
use jx_ir::{Builder, DType, DotDims, Func, Loc, Origin, Prim, UnaryOp};

fn count(func: &Func, prim: &Prim) -> usize {
    func.eqns().iter().filter(|e| e.prim == *prim).count()
}

#[test]
fn exp_reuses_its_primal_result() {
    let func = func1(&[3], |b, x| {
        let y = b.exp(x);
        total(b, y)
    });
    let exp = Prim::Unary(UnaryOp::Exp);
    assert_eq!(count(&jvp(&func, &[0]).unwrap(), &exp), 1);
    assert_eq!(count(&grad(&func, &[0], true).unwrap(), &exp), 1);
}

#[test]
fn the_forward_pass_of_a_gradient_is_not_repeated() {
    let dims = DotDims { lhs_contracting: vec![1], rhs_contracting: vec![0], ..DotDims::default() };
    let dot = Prim::DotGeneral { dims: dims.clone(), out_dtype: DType::F64 };
    let func = func_of(&[ty(&[3, 3]), ty(&[3, 3])], |b, x| {
        let mut h = x[1];
        for _ in 0..3 {
            h = b.dot_general(x[0], h, &dims, DType::F64);
            h = b.tanh(h);
        }
        total(b, h)
    });
    let gradient = grad(&func, &[0], true).unwrap();
    assert_eq!(count(&gradient, &dot), 3);
    assert_eq!(count(&gradient, &Prim::Unary(UnaryOp::Tanh)), 3);
    let n_dots = gradient.eqns().iter().filter(|e| matches!(e.prim, Prim::DotGeneral { .. })).count();
    // Three forward, three to the weights and two to the hidden layers before the last.
    assert_eq!(n_dots, 8);
}

#[test]
fn residuals_are_distinct_and_literals_are_made_anew() {
    let func = func1(&[3], |b, x| {
        let two = b.full_like(x, 2.0);
        let (y, z) = (b.mul(x, two), b.exp(x));
        let (p, q) = (b.mul(y, z), b.mul(z, y));
        b.add(p, q)
    });
    let lin = linearize(&func, &[0]).unwrap();
    // x·2 and eˣ, each once though each is read four times; not the literal 2.
    assert_eq!(lin.n_residuals, 2);
    assert_eq!(lin.primal.n_outputs(), 3);
    assert_eq!(lin.linear.n_inputs(), 3);
}

#[test]
fn what_is_broadcast_is_kept_in_its_small_form() {
    let func = func_of(&[ty(&[]), ty(&[100])], |b, x| {
        let scale = b.exp(x[0]);
        let scale = b.broadcast_scalar(scale, &[100]);
        b.mul(scale, x[1])
    });
    let lin = linearize(&func, &[1]).unwrap();
    assert_eq!(lin.n_residuals, 1);
    assert_eq!(lin.linear.input_types()[0].to_string(), "f64[]");
}

#[test]
fn a_linear_function_needs_nothing_of_its_values() {
    let func = func1(&[3], |b, x| {
        let y = b.neg(x);
        total(b, y)
    });
    let lin = linearize(&func, &[0]).unwrap();
    assert_eq!(lin.n_residuals, 0);
    let gradient = grad(&func, &[0], false).unwrap();
    assert_eq!(count(&gradient, &Prim::Unary(UnaryOp::Neg)), 1);
}

#[test]
fn outputs_that_no_gradient_needs_are_not_differentiated() {
    let mut b = Builder::new();
    let x = b.input(ty(&[]));
    let (y, z) = (b.square(x), b.sin(x));
    let func = b.finish(&[y, z]);
    let gradient = grad(&func, &[0], false).unwrap();
    assert_eq!(count(&gradient, &Prim::Unary(UnaryOp::Cos)), 0);
}

#[test]
fn equations_keep_the_place_where_the_user_wrote_them() {
    let place = |line| Origin(Some(Loc { file: "model.rs".into(), line, column: 1 }));
    let mut b = Builder::new();
    let x = b.input(ty(&[]));
    b.set_origin(place(10));
    let y = b.sin(x);
    b.set_origin(place(20));
    let z = b.exp(y);
    let func = b.finish(&[z]);
    let gradient = grad(&func, &[0], false).unwrap();
    let line = |op| {
        let eqn = gradient.eqns().iter().find(|e| e.prim == Prim::Unary(op)).unwrap();
        eqn.origin.0.as_ref().map(|loc| loc.line)
    };
    assert_eq!(line(UnaryOp::Exp), Some(20));
    assert_eq!(line(UnaryOp::Cos), Some(10));
    let last = gradient.eqns().last().unwrap();
    assert_eq!(last.origin.0.as_ref().map(|loc| loc.line), Some(10), "the backward equation of sin");
}

#[test]
fn the_size_of_a_gradient_is_linear_in_the_program() {
    let chain = |n: usize| {
        func1(&[], |b, x| {
            let mut y = x;
            for _ in 0..n {
                let s = b.sin(y);
                y = b.add(s, y);
            }
            y
        })
    };
    let size = |n| grad(&chain(n), &[0], false).unwrap().eqns().len();
    assert_eq!(size(400) - size(200), 2 * (size(200) - size(100)));
}
