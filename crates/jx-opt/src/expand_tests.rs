//! Tests of expansion: what is left, where it was written, what is shared, what is refused.

use super::{Expander, expand};
use crate::{Level, OptError, Optimizer};
use expect_test::{Expect, expect};
use jx_ir::{Array, Builder, DType, Func, Loc, MAX_NESTING, Origin, Prim, TensorType, eval, verify};
use std::sync::Arc;

fn scalar() -> TensorType {
    TensorType::scalar(DType::F32)
}

/// `x ↦ prim(x)` on a scalar.
fn wrapped(prim: Prim) -> Func {
    let mut b = Builder::new();
    let x = b.input(scalar());
    let out = b.emit(prim, &[x]);
    b.finish(&out)
}

fn sine() -> Arc<Func> {
    let mut b = Builder::new();
    let x = b.input(scalar());
    let y = b.sin(x);
    Arc::new(b.finish(&[y]))
}

fn grad(func: Arc<Func>) -> Prim {
    Prim::Grad { func, wrt: vec![0], value: false }
}

fn check(func: &Func, expected: Expect) {
    let optimised = Optimizer::new().run(func).unwrap();
    verify(&optimised).unwrap();
    expected.assert_eq(&optimised.to_string());
}

#[test]
fn a_call_is_inlined() {
    check(
        &wrapped(Prim::Call { func: sine() }),
        expect![[r#"
        func(%0: f32[]) -> (f32[]) {
          %1: f32[] = sin %0
          return %1
        }"#]],
    );
}

#[test]
fn the_gradient_of_a_sine_is_a_cosine() {
    check(
        &wrapped(grad(sine())),
        expect![[r#"
        func(%0: f32[]) -> (f32[]) {
          %1: f32[] = cos %0
          return %1
        }"#]],
    );
}

#[test]
fn a_second_derivative_is_expanded_from_the_inside_out() {
    check(
        &wrapped(grad(Arc::new(wrapped(grad(sine()))))),
        expect![[r#"
        func(%0: f32[]) -> (f32[]) {
          %1: f32[] = sin %0
          %2: f32[] = neg %1
          return %2
        }"#]],
    );
}

#[test]
fn per_example_gradients_have_no_nodes_left() {
    let mut b = Builder::new();
    let xs = b.input(TensorType::new(DType::F32, [5]));
    let func = Arc::new(wrapped(grad(sine())));
    let prim = Prim::Vmap { func, in_axes: vec![Some(0)], out_axes: vec![Some(0)], size: 5 };
    let out = b.emit(prim, &[xs]);
    check(
        &b.finish(&out),
        expect![[r#"
        func(%0: f32[5]) -> (f32[5]) {
          %1: f32[5] = cos %0
          return %1
        }"#]],
    );
}

#[test]
fn a_program_that_occurs_again_is_expanded_once() {
    let mut b = Builder::new();
    let x = b.input(scalar());
    let shared = sine();
    // The same in memory, then an equal one.
    let first = b.emit1(grad(Arc::clone(&shared)), &[x]);
    let second = b.emit1(grad(shared), &[first]);
    let third = b.emit1(grad(sine()), &[second]);
    let mut expander = Expander::new(100);
    expander.func(&b.finish(&[third]), 0).unwrap();
    assert_eq!(expander.done.values().map(Vec::len).sum::<usize>(), 1);
}

#[test]
fn equations_of_a_node_keep_its_place() {
    let place = Loc { file: "model.rs".into(), line: 7, column: 3 };
    let mut b = Builder::new();
    let x = b.input(scalar());
    b.set_origin(Origin(Some(place.clone())));
    let dx = b.emit1(grad(sine()), &[x]);
    let expanded = expand(&b.finish(&[dx])).unwrap();
    assert!(!expanded.eqns().is_empty());
    assert!(expanded.eqns().iter().all(|eqn| eqn.origin.0.as_ref() == Some(&place)));
}

#[test]
fn functions_nested_too_deep_are_refused() {
    let mut func = sine();
    for _ in 0..=MAX_NESTING {
        func = Arc::new(wrapped(Prim::Call { func }));
    }
    assert!(matches!(expand(&func), Err(OptError::TooDeep { limit: MAX_NESTING })));
}

#[test]
fn calls_that_double_at_each_level_are_refused_before_memory_is_full() {
    let mut func = sine();
    for _ in 0..40 {
        let mut b = Builder::new();
        let x = b.input(scalar());
        let once = b.emit1(Prim::Call { func: Arc::clone(&func) }, &[x]);
        let twice = b.emit1(Prim::Call { func }, &[once]);
        func = Arc::new(b.finish(&[twice]));
    }
    let refused = Expander::new(1000).func(&func, 0);
    assert!(matches!(refused, Err(OptError::TooLong { limit: 1000 })));
}

#[test]
fn a_trace_ends_with_the_optimised_program() {
    let func = wrapped(grad(sine()));
    let steps = Optimizer::new().trace(&func).unwrap();
    assert_eq!(steps[0], ("expand", expand(&func).unwrap()));
    assert_eq!(steps.last().unwrap().1, Optimizer::new().run(&func).unwrap());
    let only_expanded = Optimizer::new().level(Level::None).trace(&func).unwrap();
    assert_eq!(only_expanded.len(), 1);
}

/// Known-bugs C3: a first derivative that is zero at a point says nothing of the second there.
#[test]
fn the_second_derivative_of_a_square_is_two_everywhere() {
    let mut b = Builder::new();
    let x = b.input(scalar());
    let y = b.square(x);
    let twice = wrapped(grad(Arc::new(wrapped(grad(Arc::new(b.finish(&[y])))))));
    let expanded = expand(&twice).unwrap();
    for x in [0.0_f32, -0.0, 1.5] {
        assert_eq!(eval(&expanded, &[Array::scalar(x)]).unwrap(), [Array::scalar(2.0_f32)], "at {x} in\n{expanded}");
    }
}
