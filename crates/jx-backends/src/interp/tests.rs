//! Tests of the interpreter: kernels at sizes that reach every path, plans, threads, refusals.

use super::Interpreter;
use super::plan::Plan;
use crate::{Backend, BackendError, Buffer, CompileOptions, Executable};
use jx_ir::{Array, Builder, DType, DotDims, Func, Prim, ReduceOp, TensorType, Var, eval};
use jx_testkit::arrays::generic;
use jx_testkit::tolerance::{OpClass, compare_all, tolerance};
use std::sync::Arc;

fn run(func: &Func, inputs: &[Array]) -> Vec<Array> {
    let exe = Interpreter.compile(func, &CompileOptions::default()).unwrap();
    let outputs = exe.run(inputs.iter().cloned().map(Buffer::Host).collect()).unwrap();
    outputs.into_iter().map(|out| out.into_host().unwrap()).collect()
}

/// The program that `body` writes, on generic inputs, beside `eval`.
fn check(types: &[TensorType], body: impl FnOnce(&mut Builder, &[Var]) -> Vec<Var>) {
    let (mut b, vars) = Builder::with_inputs(types);
    let outputs = body(&mut b, &vars);
    let func = b.finish(&outputs);
    let inputs: Vec<Array> = types.iter().zip(1..).map(|(ty, salt)| generic(ty, -1.0, 1.0, salt)).collect();
    let want = eval(&func, &inputs).unwrap();
    if let Err((i, why)) = compare_all(&run(&func, &inputs), &want, |d| tolerance(d, OpClass::Accumulated)) {
        panic!("output {i}: {why}\n{func}");
    }
}

fn ty(dtype: DType, shape: &[usize]) -> TensorType {
    TensorType::new(dtype, shape)
}

#[test]
fn sums_along_any_axes_equal_eval_beyond_one_block() {
    for dtype in [DType::F32, DType::F64] {
        for op in [ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min] {
            for axes in [&[0][..], &[1], &[2], &[0, 1], &[1, 2], &[0, 2], &[2, 0, 1]] {
                check(&[ty(dtype, &[3, 1100, 5])], |b, x| vec![b.reduce(op, x[0], axes)]);
            }
            check(&[ty(dtype, &[7, 600])], |b, x| vec![b.reduce(op, x[0], &[0])]);
            check(&[ty(dtype, &[0, 3])], |b, x| vec![b.reduce(op, x[0], &[0]), b.reduce(op, x[0], &[1])]);
        }
    }
}

#[test]
fn products_of_matrices_equal_eval_at_ragged_sizes() {
    let dims = DotDims { lhs_contracting: vec![1], rhs_contracting: vec![0], ..DotDims::default() };
    for dtype in [DType::F32, DType::F64] {
        for [m, k, n] in
            [[1, 1, 1], [4, 8, 8], [5, 300, 11], [1, 270, 9], [7, 13, 1], [2, 0, 3], [0, 2, 3], [9, 257, 33]]
        {
            check(&[ty(dtype, &[m, k]), ty(dtype, &[k, n])], |b, x| vec![b.dot_general(x[0], x[1], &dims, dtype)]);
        }
    }
}

#[test]
fn contractions_of_any_layout_equal_eval() {
    let dims =
        DotDims { lhs_contracting: vec![0, 3], rhs_contracting: vec![2, 0], lhs_batch: vec![2], rhs_batch: vec![3] };
    for dtype in [DType::F32, DType::F64] {
        let types = [ty(dtype, &[4, 5, 3, 2]), ty(dtype, &[2, 6, 4, 3])];
        check(&types, |b, x| vec![b.dot_general(x[0], x[1], &dims, dtype)]);
    }
}

#[test]
fn transposes_larger_than_a_tile_equal_eval() {
    for dtype in [DType::F32, DType::U8, DType::Bool] {
        check(&[ty(dtype, &[37, 53])], |b, x| vec![b.transpose(x[0], &[1, 0])]);
        for permutation in [[0, 2, 1], [2, 1, 0], [1, 2, 0], [2, 0, 1], [1, 0, 2]] {
            check(&[ty(dtype, &[18, 3, 40])], |b, x| vec![b.transpose(x[0], &permutation)]);
        }
    }
}

#[test]
fn moves_equal_eval() {
    check(&[ty(DType::F64, &[4, 5, 6])], |b, x| {
        vec![
            b.slice(x[0], &[1, 0, 2], &[4, 5, 5], &[2, 3, 1]),
            b.rev(x[0], &[0, 2]),
            b.broadcast_in_dim(x[0], &[4, 2, 5, 6, 3], &[0, 2, 3]),
            b.concatenate(&[x[0], x[0]], 1),
        ]
    });
    check(&[ty(DType::F32, &[1, 5])], |b, x| vec![b.broadcast_in_dim(x[0], &[4, 5], &[0, 1])]);
    check(&[ty(DType::F32, &[])], |b, x| vec![b.broadcast_scalar(x[0], &[3, 2])]);
}

#[test]
fn a_value_read_twice_by_its_last_reader_is_right() {
    check(&[ty(DType::F32, &[4])], |b, x| {
        let y = b.sin(x[0]);
        vec![b.mul(y, y)]
    });
    // Returned twice, and an input returned as it is.
    check(&[ty(DType::F32, &[4])], |b, x| {
        let y = b.neg(x[0]);
        vec![y, x[0], y]
    });
}

#[test]
fn equal_elements_take_part_without_an_array() {
    check(&[ty(DType::F64, &[6])], |b, x| {
        let two = b.full_like(x[0], 2.0);
        let zero = b.full_like(x[0], 0.0);
        let sum = b.add(two, two);
        let positive = b.gt(x[0], zero);
        let relu = b.select(positive, x[0], zero);
        let ratio = b.div(two, x[0]);
        let both = b.select(positive, two, zero);
        vec![b.sub(x[0], two), sum, relu, ratio, both, two]
    });
}

#[test]
fn inputs_that_are_shared_keep_their_values() {
    let mut b = Builder::new();
    let x = b.input(ty(DType::F32, &[3]));
    let y = b.neg(x);
    let func = b.finish(&[y]);
    let x = Array::from_vec([3], vec![1.0_f32, 2.0, 3.0]).unwrap();
    let out = run(&func, std::slice::from_ref(&x));
    assert_eq!(x.as_slice::<f32>().unwrap(), [1.0, 2.0, 3.0]);
    assert_eq!(out[0].as_slice::<f32>().unwrap(), [-1.0, -2.0, -3.0]);
}

#[test]
fn an_input_that_nothing_shares_is_written_over() {
    let mut b = Builder::new();
    let x = b.input(ty(DType::F32, &[1000]));
    let y = b.neg(x);
    let z = b.square(y);
    let plan = Plan::new(&b.finish(&[z])).unwrap();
    let x = generic(&ty(DType::F32, &[1000]), 0.0, 1.0, 1);
    let address = x.as_slice::<f32>().unwrap().as_ptr();
    let out = plan.run(vec![Buffer::Host(x)]).unwrap();
    let Buffer::Host(out) = &out[0] else { panic!("the interpreter's buffers are on the host") };
    assert_eq!(out.as_slice::<f32>().unwrap().as_ptr(), address);
}

#[test]
fn slots_are_reused_along_a_chain() {
    let mut b = Builder::new();
    let x = b.input(ty(DType::F32, &[2]));
    let y = (0..100).fold(x, |y, _| b.sin(y));
    assert_eq!(Plan::new(&b.finish(&[y])).unwrap().n_slots(), 1);
}

#[test]
fn one_program_runs_on_many_threads() {
    let mut b = Builder::new();
    let x = b.input(ty(DType::F32, &[64]));
    let y = b.sin(x);
    let total = b.reduce_sum(y, &[0]);
    let exe = Interpreter.compile(&b.finish(&[total]), &CompileOptions::default()).unwrap();
    let x = generic(&ty(DType::F32, &[64]), -1.0, 1.0, 3);
    let result = || exe.run(vec![Buffer::Host(x.clone())]).unwrap()[0].to_host().unwrap();
    let want = result();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| (0..50).all(|_| result() == want))).collect();
        assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
    });
}

#[test]
fn nodes_are_refused_by_name() {
    let mut b = Builder::new();
    let x = b.input(ty(DType::F32, &[]));
    let y = b.square(x);
    let func = Arc::new(b.finish(&[y]));
    let mut b = Builder::new();
    let x = b.input(ty(DType::F32, &[]));
    let y = b.emit1(Prim::Call { func }, &[x]);
    let refused = Interpreter.compile(&b.finish(&[y]), &CompileOptions::default());
    assert!(matches!(refused, Err(BackendError::Unexpanded { prim: "call" })));
}

#[test]
fn wrong_inputs_are_refused_with_both_types() {
    let mut b = Builder::new();
    let x = b.input(ty(DType::F32, &[3]));
    let exe = Interpreter.compile(&b.finish(&[x]), &CompileOptions::default()).unwrap();
    let none = exe.run(Vec::new()).unwrap_err();
    assert!(matches!(none, BackendError::InputCount { expected: 1, found: 0 }));
    let wrong = exe.run(vec![Buffer::Host(Array::scalar(1.0_f64))]).unwrap_err();
    assert!(wrong.to_string().starts_with("input 0 must be f32[3], but it is f64[]"), "{wrong}");
}
