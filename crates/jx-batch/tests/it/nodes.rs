//! Nested programs, nested maps, and what `vmap` keeps of the program that it is given.

use crate::check::{build, check, looped, sample, ty};
use jx_batch::{BatchError, vmap};
use jx_ir::{Builder, DType, DotDims, Func, Loc, Origin, Prim, ReduceOp, eval};
use std::sync::Arc;

/// A dense layer and the sum of its squares: `w, b, x` to a vector and a scalar.
fn layer() -> Func {
    let inputs = [ty(DType::F32, [3, 2]), ty(DType::F32, [3]), ty(DType::F32, [2])];
    build(&inputs, |b, x| {
        let dims = DotDims { lhs_contracting: vec![1], rhs_contracting: vec![0], ..DotDims::default() };
        let y = b.dot_general(x[0], x[2], &dims, DType::F32);
        let y = b.add(y, x[1]);
        let y = b.tanh(y);
        let squares = b.square(y);
        let total = b.reduce_sum(squares, &[0]);
        vec![y, total]
    })
}

fn call(func: &Func) -> Func {
    build(func.input_types(), |b, x| b.emit(Prim::Call { func: Arc::new(func.clone()) }, x))
}

#[test]
fn a_program_of_several_equations_is_the_loop() {
    check(&layer());
}

#[test]
fn a_call_is_inlined() {
    let func = call(&call(&layer()));
    check(&func);
    let axes = [None, None, Some(1)];
    let of_call = vmap(&func, &axes, &[Some(0), Some(0)], 4).unwrap();
    assert_eq!(of_call, vmap(&layer(), &axes, &[Some(0), Some(0)], 4).unwrap());
}

#[test]
fn a_map_of_a_mapped_program_is_the_loop_of_loops() {
    let layer = layer();
    let (inner_in, inner_out) = ([Some(1), None, Some(0)], [Some(1), Some(0)]);
    for (inner, outer) in [(0, 2), (2, 0), (2, 3), (3, 3), (1, 1)] {
        let once = vmap(&layer, &inner_in, &inner_out, inner).unwrap();
        check(&once);
        for outer_in in [[None, Some(1), Some(2)], [Some(0), None, None], [Some(3), Some(0), Some(1)]] {
            let outer_in = outer_in.map(|a: Option<usize>| a.map(|a| a.min(2)));
            let outer_in = [outer_in[0], outer_in[1].map(|a| a.min(1)), outer_in[2]];
            let outer_out = [Some(2), Some(1)];
            let twice = vmap(&once, &outer_in, &outer_out, outer).unwrap();
            let loops = looped(&looped(&layer, &inner_in, &inner_out, inner), &outer_in, &outer_out, outer);
            assert_eq!(twice.input_types(), loops.input_types());
            let inputs: Vec<_> = twice.input_types().iter().zip(1..).map(|(ty, i)| sample(ty, i)).collect();
            assert_eq!(eval(&twice, &inputs), eval(&loops, &inputs));
        }
    }
}

#[test]
fn work_on_shared_inputs_is_done_once() {
    let inputs = [ty(DType::F32, [3]), ty(DType::F32, [3])];
    let func = build(&inputs, |b, x| {
        let shared = b.exp(x[0]);
        let shared = b.sin(shared);
        vec![b.mul(shared, x[1]), shared]
    });
    let batched = vmap(&func, &[None, Some(0)], &[Some(0), None], 5).unwrap();
    let shapes: Vec<String> =
        batched.eqns().iter().map(|e| format!("{} {}", e.prim.name(), batched.ty(e.outputs[0]))).collect();
    assert_eq!(shapes, ["exp f32[3]", "sin f32[3]", "broadcast_in_dim f32[5,3]", "mul f32[5,3]"]);
}

#[test]
fn a_shared_operand_is_spread_once_for_all_its_uses() {
    let func = build(&[ty(DType::F32, [3]), ty(DType::F32, [3])], |b, x| {
        let y = b.mul(x[0], x[1]);
        let y = b.add(y, x[0]);
        vec![b.sub(y, x[0])]
    });
    let batched = vmap(&func, &[None, Some(0)], &[Some(0)], 5).unwrap();
    let spreads = batched.eqns().iter().filter(|e| matches!(e.prim, Prim::BroadcastInDim { .. })).count();
    assert_eq!(spreads, 1);
}

#[test]
fn equations_keep_the_place_where_they_were_written() {
    let at = |line| Origin(Some(Loc { file: Arc::from("model.rs"), line, column: 1 }));
    let mut b = Builder::new();
    let x = b.input(ty(DType::F32, [3]));
    b.set_origin(at(1));
    let y = b.sin(x);
    b.set_origin(Origin(None));
    let nested = b.finish(&[y]);
    let mut b = Builder::new();
    let x = b.input(ty(DType::F32, [3]));
    b.set_origin(at(2));
    let y = b.emit1(Prim::Call { func: Arc::new(nested) }, &[x]);
    b.set_origin(at(3));
    let z = b.reduce(ReduceOp::Max, y, &[0]);
    let batched = vmap(&b.finish(&[z]), &[Some(0)], &[Some(0)], 2).unwrap();
    let lines: Vec<Option<u32>> = batched.eqns().iter().map(|e| e.origin.0.as_ref().map(|loc| loc.line)).collect();
    assert_eq!(lines, [Some(1), Some(3)]);
}

#[test]
fn a_transformation_inside_is_refused_by_name() {
    let sum = build(&[ty(DType::F32, [3])], |b, x| vec![b.reduce_sum(x[0], &[0])]);
    let func = Arc::new(sum);
    let grad = Prim::Grad { func: func.clone(), wrt: vec![0], value: false };
    let grad = build(&[ty(DType::F32, [3])], |b, x| b.emit(grad, x));
    let jvp = Prim::Jvp { func: func.clone(), wrt: vec![0] };
    let jvp = build(&[ty(DType::F32, [3])], |b, x| b.emit(jvp, &[x[0], x[0]]));
    let map = looped(&func, &[Some(0)], &[Some(0)], 3);
    for (func, prim) in [(&grad, "grad"), (&jvp, "jvp"), (&map, "vmap"), (&call(&grad), "grad")] {
        let out_axes = vec![Some(0); func.n_outputs()];
        assert_eq!(vmap(func, &[Some(0)], &out_axes, 3), Err(BatchError::Unexpanded { prim }));
    }
}
