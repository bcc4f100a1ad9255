//! The laws on reads and writes at computed places, out of range ones included.

use crate::support::{Numbers, check, f64s, func_of, grad_of_sum, i32s, jvp0, run, ty};
use jx_autodiff::vjp;
use jx_ir::{Array, DType, Func, GatherDims, IndexMode, Prim, Scalar, ScatterDims, ScatterOp, TensorType};

fn i32_ty(shape: &[usize]) -> TensorType {
    TensorType::new(DType::I32, shape)
}

fn numbers(seed: u64, shape: &[usize]) -> Array {
    Numbers::new(seed).array(&ty(shape))
}

/// Rows of a matrix.
fn rows() -> GatherDims {
    GatherDims {
        offset_dims: vec![1],
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        ..GatherDims::default()
    }
}

/// Elements of a vector.
fn elements() -> ScatterDims {
    ScatterDims { inserted_window_dims: vec![0], scatter_dims_to_operand_dims: vec![0], ..ScatterDims::default() }
}

fn gather_func(x: &[usize], indices: &[usize], dims: &GatherDims, sizes: &[usize], mode: IndexMode) -> Func {
    func_of(&[ty(x), i32_ty(indices)], |b, v| {
        let fill_value = (mode == IndexMode::FillOrDrop).then(|| Scalar::from_f64(DType::F64, 1.5));
        let prim = Prim::Gather { dims: dims.clone(), slice_sizes: sizes.to_vec(), mode, fill_value };
        let y = b.emit1(prim, v);
        b.square(y)
    })
}

#[test]
fn gather_obeys_the_laws_in_every_mode() {
    for &mode in IndexMode::ALL {
        // In range, twice the same, and out of range at either end.
        let indices = i32s(&[5, 1], &[2, 0, 2, 7, -9]);
        let func = gather_func(&[4, 3], &[5, 1], &rows(), &[1, 3], mode);
        check(mode.name(), &func, &[numbers(1, &[4, 3]), indices], &[0]);
    }
}

#[test]
fn gather_of_windows_and_batches_obeys_the_laws() {
    let windows = GatherDims { offset_dims: vec![1, 2], start_index_map: vec![1, 0], ..GatherDims::default() };
    for &mode in IndexMode::ALL {
        let func = gather_func(&[4, 5], &[3, 2], &windows, &[2, 3], mode);
        let indices = i32s(&[3, 2], &[0, 0, 1, 1, 4, 3]);
        check(mode.name(), &func, &[numbers(1, &[4, 5]), indices], &[0]);
    }
    let batched = GatherDims {
        collapsed_slice_dims: vec![1],
        start_index_map: vec![1],
        operand_batching_dims: vec![0],
        start_indices_batching_dims: vec![0],
        ..GatherDims::default()
    };
    let func = gather_func(&[2, 4], &[2, 3, 1], &batched, &[1, 1], IndexMode::Clip);
    check("batched", &func, &[numbers(1, &[2, 4]), i32s(&[2, 3, 1], &[0, 3, 3, 1, 2, 0])], &[0]);
}

fn scatter_func(op: ScatterOp, n: usize, updates: usize, mode: IndexMode) -> Func {
    func_of(&[ty(&[n]), i32_ty(&[updates, 1]), ty(&[updates])], |b, v| {
        let y = b.scatter(op, [v[0], v[1], v[2]], &elements(), mode);
        b.square(y)
    })
}

#[test]
fn every_scatter_obeys_the_laws_with_updates_that_meet() {
    for &op in ScatterOp::ALL {
        for &mode in IndexMode::ALL {
            let func = scatter_func(op, 4, 7, mode);
            let indices = i32s(&[7, 1], &[2, 0, 2, 9, 2, -3, 0]);
            let inputs = [numbers(1, &[4]), indices, numbers(2, &[7])];
            for wrt in [&[0][..], &[2], &[0, 2]] {
                check(&format!("{} {}", op.name(), mode.name()), &func, &inputs, wrt);
            }
        }
    }
}

#[test]
fn scatter_of_overlapping_windows_obeys_the_laws() {
    let dims =
        ScatterDims { update_window_dims: vec![1], scatter_dims_to_operand_dims: vec![0], ..ScatterDims::default() };
    for &op in ScatterOp::ALL {
        let func = func_of(&[ty(&[5]), i32_ty(&[3, 1]), ty(&[3, 2])], |b, v| {
            let y = b.scatter(op, [v[0], v[1], v[2]], &dims, IndexMode::FillOrDrop);
            b.square(y)
        });
        let inputs = [numbers(1, &[5]), i32s(&[3, 1], &[0, 1, 1]), numbers(2, &[3, 2])];
        check(op.name(), &func, &inputs, &[0, 2]);
    }
}

#[test]
fn a_scatter_that_promises_unique_indices_obeys_the_laws() {
    for &op in ScatterOp::ALL {
        let func = func_of(&[ty(&[4]), i32_ty(&[2, 1]), ty(&[2])], |b, v| {
            let prim = Prim::Scatter { op, dims: elements(), mode: IndexMode::FillOrDrop, unique_indices: true };
            let y = b.emit1(prim, v);
            b.square(y)
        });
        check(op.name(), &func, &[numbers(1, &[4]), i32s(&[2, 1], &[3, 1]), numbers(2, &[2])], &[0, 2]);
    }
}

#[test]
fn dynamic_slices_obey_the_laws_where_starts_are_clamped_too() {
    let types = [ty(&[4, 3]), i32_ty(&[]), i32_ty(&[]), ty(&[2, 2])];
    let read = func_of(&types, |b, v| {
        let y = b.dynamic_slice(v[0], &v[1..3], &[2, 2]);
        b.square(y)
    });
    let write = func_of(&types, |b, v| {
        let y = b.dynamic_update_slice(v[0], v[3], &v[1..3]);
        b.square(y)
    });
    for start in [[1, 0], [3, 2], [-5, 1]] {
        let inputs = [numbers(1, &[4, 3]), i32s(&[], &start[..1]), i32s(&[], &start[1..]), numbers(2, &[2, 2])];
        check("dynamic_slice", &read, &inputs, &[0]);
        for wrt in [&[0][..], &[3], &[0, 3]] {
            check("dynamic_update_slice", &write, &inputs, wrt);
        }
    }
}

#[test]
fn c9_updates_of_a_scatter_mul_that_meet_get_the_product_of_the_others() {
    let func = func_of(&[ty(&[2]), i32_ty(&[2, 1]), ty(&[2])], |b, v| {
        let y = b.scatter(ScatterOp::Mul, [v[0], v[1], v[2]], &elements(), IndexMode::FillOrDrop);
        b.reduce_sum(y, &[0])
    });
    let inputs = [f64s(&[2], &[1.0, 1.0]), i32s(&[2, 1], &[0, 0]), f64s(&[2], &[2.0, 3.0])];
    let out = run(&jx_autodiff::grad(&func, &[0, 2], false).unwrap(), &inputs);
    assert_eq!(out[0].to_f64_vec(), [6.0, 1.0]);
    assert_eq!(out[1].to_f64_vec(), [3.0, 2.0]);
    // Zeros are no exception.
    let inputs = [f64s(&[2], &[1.0, 1.0]), i32s(&[2, 1], &[1, 1]), f64s(&[2], &[0.0, 3.0])];
    let out = run(&jx_autodiff::grad(&func, &[0, 2], false).unwrap(), &inputs);
    assert_eq!(out[0].to_f64_vec(), [1.0, 0.0]);
    assert_eq!(out[1].to_f64_vec(), [3.0, 0.0]);
}

#[test]
fn c11_out_of_range_reads_and_their_gradients_are_duals() {
    let read =
        |mode| func_of(&[ty(&[3]), i32_ty(&[1, 1])], |b, v| b.gather(v[0], v[1], &elements().to_gather(), &[1], mode));
    let (x, far) = (f64s(&[3], &[0.0, 1.0, 2.0]), i32s(&[1, 1], &[5]));
    let inputs = [x.clone(), far.clone()];
    // A clamped read gives element 2 and sends the cotangent there; so does a promised one.
    for mode in [IndexMode::Clip, IndexMode::PromiseInBounds] {
        assert_eq!(run(&read(mode), &inputs)[0].to_f64_vec(), [2.0]);
        assert_eq!(jvp0(&read(mode), &inputs, &f64s(&[3], &[0.0, 0.0, 1.0])), [1.0]);
        assert_eq!(grad_of_sum(&read(mode), &inputs), [0.0, 0.0, 1.0]);
    }
    // A filled one reads nothing, so its tangent is 0 and not the fill value.
    let filled = read(IndexMode::FillOrDrop);
    assert_eq!(jvp0(&filled, &inputs, &f64s(&[3], &[1.0, 1.0, 1.0])), [0.0]);
    assert_eq!(grad_of_sum(&filled, &inputs), [0.0, 0.0, 0.0]);
    // A dropped update has a zero gradient.
    let write = func_of(&[ty(&[2]), i32_ty(&[2, 1]), ty(&[2])], |b, v| {
        b.scatter(ScatterOp::Add, [v[0], v[1], v[2]], &elements(), IndexMode::FillOrDrop)
    });
    let back = vjp(&write, &[0, 2]).unwrap();
    let ct = f64s(&[2], &[3.0, 5.0]);
    let out = run(&back, &[f64s(&[2], &[0.0, 0.0]), i32s(&[2, 1], &[1, 2]), f64s(&[2], &[1.0, 1.0]), ct]);
    assert_eq!(out[1].to_f64_vec(), [3.0, 5.0]);
    assert_eq!(out[2].to_f64_vec(), [5.0, 0.0]);
}

#[test]
fn the_last_of_the_updates_that_meet_takes_the_whole_cotangent() {
    let func = func_of(&[ty(&[2]), i32_ty(&[3, 1]), ty(&[3])], |b, v| {
        b.scatter(ScatterOp::Set, [v[0], v[1], v[2]], &elements(), IndexMode::FillOrDrop)
    });
    let back = vjp(&func, &[0, 2]).unwrap();
    // Equal values: which one was written is a matter of order, not of value.
    let updates = f64s(&[3], &[4.0, 4.0, 4.0]);
    let inputs = [f64s(&[2], &[1.0, 2.0]), i32s(&[3, 1], &[1, 1, 1]), updates, f64s(&[2], &[3.0, 5.0])];
    let out = run(&back, &inputs);
    assert_eq!(out[1].to_f64_vec(), [3.0, 0.0]);
    assert_eq!(out[2].to_f64_vec(), [0.0, 0.0, 5.0]);
}

#[test]
fn extremes_of_a_scatter_share_ties_with_the_operand() {
    let func = func_of(&[ty(&[2]), i32_ty(&[2, 1]), ty(&[2])], |b, v| {
        b.scatter(ScatterOp::Max, [v[0], v[1], v[2]], &elements(), IndexMode::FillOrDrop)
    });
    let back = vjp(&func, &[0, 2]).unwrap();
    let inputs = [f64s(&[2], &[1.0, 7.0]), i32s(&[2, 1], &[0, 0]), f64s(&[2], &[1.0, 1.0]), f64s(&[2], &[3.0, 5.0])];
    let out = run(&back, &inputs);
    assert_eq!(out[1].to_f64_vec(), [1.0, 5.0]);
    assert_eq!(out[2].to_f64_vec(), [1.0, 1.0]);
}
