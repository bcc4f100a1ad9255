//! The laws on movement, reductions, contraction and sorting.

use crate::support::{Numbers, check, f64s, func_of, func1, grad_of_sum, jvp0, total, ty};
use jx_autodiff::{grad, vjp};
use jx_ir::{Array, Builder, CumulativeOp, DType, DotDims, Func, Prim, ReduceOp, TensorType, Var};

fn numbers(shape: &[usize]) -> Array {
    Numbers::new(3).array(&ty(shape))
}

/// The laws on a movement, squared afterwards so that it has a second derivative.
#[track_caller]
fn check_movement(name: &str, shape: &[usize], body: impl FnOnce(&mut Builder, Var) -> Var) {
    let func = func1(shape, |b, x| {
        let y = body(b, x);
        b.square(y)
    });
    check(name, &func, &[numbers(shape)], &[0]);
}

#[test]
fn movement_obeys_the_laws() {
    check_movement("reshape", &[2, 3], |b, x| b.reshape(x, &[3, 2]));
    check_movement("transpose", &[2, 3, 4], |b, x| b.transpose(x, &[2, 0, 1]));
    check_movement("broadcast to new axes", &[3], |b, x| b.broadcast_in_dim(x, &[2, 3, 4], &[1]));
    check_movement("broadcast of a stretched axis", &[1, 3], |b, x| b.broadcast_in_dim(x, &[4, 2, 3], &[0, 2]));
    check_movement("broadcast of an axis of 1", &[1, 3], |b, x| b.broadcast_in_dim(x, &[1, 3, 2], &[0, 1]));
    check_movement("slice", &[7, 5], |b, x| b.slice(x, &[1, 0], &[6, 5], &[2, 3]));
    check_movement("empty slice", &[7], |b, x| b.slice(x, &[3], &[3], &[2]));
    check_movement("rev", &[3, 4], |b, x| b.rev(x, &[1]));
    check_movement("concatenate with itself", &[2, 3], |b, x| {
        let y = b.sin(x);
        let c = b.full(&ty(&[2, 2]), 3.0);
        b.concatenate(&[x, c, y, x], 1)
    });
}

#[test]
fn pad_obeys_the_laws_in_the_operand_and_the_value() {
    for (low, high, interior) in
        [([1, 2], [0, 3], [0, 0]), ([0, 1], [2, 0], [1, 2]), ([-1, 1], [-1, -2], [0, 1]), ([-2, 0], [1, 0], [1, 0])]
    {
        let func = func_of(&[ty(&[4, 3]), ty(&[])], |b, x| {
            let y = b.pad(x[0], x[1], &low, &high, &interior);
            b.square(y)
        });
        let inputs = [numbers(&[4, 3]), f64s(&[], &[0.7])];
        for wrt in [&[0][..], &[1], &[0, 1]] {
            check("pad", &func, &inputs, wrt);
        }
    }
}

#[test]
fn reductions_obey_the_laws() {
    for op in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min] {
        for axes in [&[0][..], &[2], &[0, 2], &[2, 1], &[0, 1, 2], &[]] {
            let func = func1(&[2, 3, 4], |b, x| {
                let y = b.emit1(Prim::Reduce { op, axes: axes.to_vec() }, &[x]);
                b.square(y)
            });
            check(op.name(), &func, &[numbers(&[2, 3, 4])], &[0]);
        }
        // Of nothing: the value may be infinite, but there is nothing that it depends on.
        let empty = func1(&[2, 0], |b, x| b.reduce(op, x, &[1]));
        assert_eq!(jvp0(&empty, &[f64s(&[2, 0], &[])], &f64s(&[2, 0], &[])), [0.0, 0.0], "{}", op.name());
        assert!(grad_of_sum(&empty, &[f64s(&[2, 0], &[])]).is_empty(), "{}", op.name());
        let no_rows = func1(&[0, 3], |b, x| b.reduce(op, x, &[1]));
        check(op.name(), &no_rows, &[f64s(&[0, 3], &[])], &[0]);
    }
}

#[test]
fn running_reductions_obey_the_laws() {
    for &op in CumulativeOp::ALL {
        for (axis, reverse) in [(0, false), (0, true), (1, false), (1, true)] {
            for shape in [[5, 3], [1, 4], [7, 1], [0, 2]] {
                let func = func1(&shape, |b, x| {
                    let y = b.cumulative(op, x, axis, reverse);
                    b.square(y)
                });
                check(&format!("{} {shape:?} {axis} {reverse}", op.name()), &func, &[numbers(&shape)], &[0]);
            }
        }
    }
}

fn dot_func(lhs: &[usize], rhs: &[usize], dims: &DotDims) -> Func {
    func_of(&[ty(lhs), ty(rhs)], |b, x| b.dot_general(x[0], x[1], dims, DType::F64))
}

#[test]
fn contraction_obeys_the_laws_for_every_order_of_axes() {
    let dims = |lc: &[usize], rc: &[usize], lb: &[usize], rb: &[usize]| DotDims {
        lhs_contracting: lc.to_vec(),
        rhs_contracting: rc.to_vec(),
        lhs_batch: lb.to_vec(),
        rhs_batch: rb.to_vec(),
    };
    let cases: [(&[usize], &[usize], DotDims); 6] = [
        (&[2, 3], &[3, 4], dims(&[1], &[0], &[], &[])),
        (&[3], &[3], dims(&[0], &[0], &[], &[])),
        (&[2, 3, 4], &[4, 5, 3], dims(&[2, 1], &[0, 2], &[], &[])),
        (&[2, 3, 4], &[4, 5, 3], dims(&[1, 2], &[2, 0], &[], &[])),
        (&[2, 3, 4, 5], &[6, 5, 2, 3], dims(&[3], &[1], &[1, 0], &[3, 2])),
        (&[2, 3], &[4], dims(&[], &[], &[], &[])),
    ];
    for (lhs, rhs, dims) in cases {
        let func = dot_func(lhs, rhs, &dims);
        let inputs = [numbers(lhs), Numbers::new(5).array(&ty(rhs))];
        for wrt in [&[0][..], &[1], &[0, 1]] {
            check(&format!("{dims:?}"), &func, &inputs, wrt);
        }
    }
}

#[test]
fn a_contraction_summed_in_a_wider_dtype_has_cotangents_in_the_narrow_one() {
    let half = TensorType::new(DType::F16, [2, 2]);
    let dims = DotDims { lhs_contracting: vec![1], rhs_contracting: vec![0], ..DotDims::default() };
    let func = func_of(&[half.clone(), half.clone()], |b, x| b.dot_general(x[0], x[1], &dims, DType::F32));
    let back = vjp(&func, &[0, 1]).unwrap();
    let types: Vec<String> = back.output_types().map(ToString::to_string).collect();
    assert_eq!(types, ["f32[2,2]", "f16[2,2]", "f16[2,2]"]);
    let array = |ty: &TensorType, x: [f64; 4]| {
        Array::from_scalars(ty, x.into_iter().map(|x| jx_ir::Scalar::from_f64(ty.dtype, x))).unwrap()
    };
    let (x, y) = (array(&half, [1.0, 2.0, 3.0, 4.0]), array(&half, [0.5, 0.0, 0.0, 0.25]));
    // A cotangent beyond the range of f16 must not overflow on its way to a result within it.
    let ct = array(&half.with_dtype(DType::F32), [1e5, 0.0, 0.0, 1e5]);
    let out = crate::support::run(&back, &[x, y, ct]);
    assert_eq!(out[1].to_f64_vec(), [49984.0, 0.0, 0.0, 24992.0]);
}

#[test]
fn sorting_moves_tangents_with_their_values() {
    let func = |num_keys: usize| {
        let types = [ty(&[2, 4]), TensorType::new(DType::I32, [2, 4]), ty(&[2, 4])];
        let (mut b, x) = Builder::with_inputs(&types);
        let y = b.sort(&x, 1, num_keys);
        let a = b.square(y[0]);
        let c = b.mul(y[0], y[2]);
        b.finish(&[a, y[1], c])
    };
    let inputs = [
        f64s(&[2, 4], &[0.3, -1.2, 0.7, 0.1, 2.0, 1.0, 4.0, 3.0]),
        crate::support::i32s(&[2, 4], &[4, 3, 2, 1, 1, 2, 3, 4]),
        numbers(&[2, 4]),
    ];
    for num_keys in 1..=3 {
        for wrt in [&[0][..], &[2], &[0, 2]] {
            check("sort", &func(num_keys), &inputs, wrt);
        }
    }
    let first_axis = func1(&[3, 2], |b, x| {
        let y = b.sort(&[x], 0, 1)[0];
        b.square(y)
    });
    check("sort of axis 0", &first_axis, &[numbers(&[3, 2])], &[0]);
    let empty = func1(&[0], |b, x| b.sort(&[x], 0, 1)[0]);
    check("sort of nothing", &empty, &[f64s(&[0], &[])], &[0]);
}

#[test]
fn an_index_of_an_extreme_has_no_derivative() {
    let func = func1(&[3], |b, x| {
        let i = b.arg_reduce(jx_ir::ArgReduceOp::Max, x, 0, DType::I32);
        let i = b.convert(i, DType::F64);
        let s = total(b, x);
        b.mul(i, s)
    });
    check("argmax", &func, &[f64s(&[3], &[0.1, 0.9, 0.3])], &[0]);
}

#[test]
fn calls_are_inlined_and_differentiated() {
    let inner = std::sync::Arc::new(func1(&[3], |b, x| b.sin(x)));
    let func = func1(&[3], |b, x| {
        let y = b.emit1(Prim::Call { func: inner.clone() }, &[x]);
        let z = b.emit1(Prim::Call { func: inner.clone() }, &[y]);
        b.mul(y, z)
    });
    check("call", &func, &[f64s(&[3], &[0.1, 0.9, 0.3])], &[0]);
}

#[test]
fn grad_returns_the_other_outputs_between_value_and_gradients() {
    let mut b = Builder::new();
    let (x, y) = (b.input(ty(&[])), b.input(ty(&[])));
    let (p, s) = (b.mul(x, y), b.add(x, y));
    let func = b.finish(&[p, s]);
    let inputs = [f64s(&[], &[3.0]), f64s(&[], &[5.0])];
    let out = crate::support::run(&grad(&func, &[1, 0], true).unwrap(), &inputs);
    let values: Vec<f64> = out.iter().flat_map(Array::to_f64_vec).collect();
    assert_eq!(values, [15.0, 8.0, 3.0, 5.0]);
    let out = crate::support::run(&grad(&func, &[], false).unwrap(), &inputs);
    assert_eq!(out.len(), 1);
}
