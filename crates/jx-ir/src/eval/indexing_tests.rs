//! Tests of reads and writes at computed places. Values are those of JAX 0.10.2 (`jax.lax`, x64), but
//! where an index beyond `i64` wraps in JAX.

use crate::eval::testing::{assert_same, one, shaped, vector};
use crate::{Array, DType, Element, GatherDims, IndexMode, Prim, Scalar, ScatterDims, ScatterOp};

const NAN: f64 = f64::NAN;
const CLIP: IndexMode = IndexMode::Clip;
const FILL: IndexMode = IndexMode::FillOrDrop;

fn grid() -> Array {
    shaped(&[3, 4], &(0..12).map(f64::from).collect::<Vec<_>>())
}

fn dims(offset: &[usize], collapsed: &[usize], map: &[usize], batch: &[usize], index_batch: &[usize]) -> GatherDims {
    GatherDims {
        offset_dims: offset.to_vec(),
        collapsed_slice_dims: collapsed.to_vec(),
        start_index_map: map.to_vec(),
        operand_batching_dims: batch.to_vec(),
        start_indices_batching_dims: index_batch.to_vec(),
    }
}

fn gather(x: &Array, indices: &Array, dims: &GatherDims, sizes: &[usize], mode: IndexMode) -> Array {
    let prim = Prim::Gather { dims: dims.clone(), slice_sizes: sizes.to_vec(), mode, fill_value: None };
    one(&prim, &[x, indices])
}

fn scatter(op: ScatterOp, operands: [&Array; 3], dims: &GatherDims, mode: IndexMode) -> Array {
    let prim = Prim::Scatter { op, dims: dims.to_scatter(), mode, unique_indices: false };
    one(&prim, &operands)
}

/// Elements of a vector at index vectors of one component.
fn at() -> GatherDims {
    dims(&[], &[0], &[0], &[], &[])
}

fn starts() -> Array {
    shaped(&[5, 2], &[0_i32, 0, 2, 2, -1, 1, 2, 3, 9, 9])
}

#[test]
fn a_window_partly_outside_is_moved_or_filled_whole() {
    let dims = dims(&[1, 2], &[], &[0, 1], &[], &[]);
    let clipped = shaped(
        &[5, 2, 2],
        &[0.0, 1.0, 4.0, 5.0, 6.0, 7.0, 10.0, 11.0, 1.0, 2.0, 5.0, 6.0, 6.0, 7.0, 10.0, 11.0, 6.0, 7.0, 10.0, 11.0],
    );
    assert_eq!(gather(&grid(), &starts(), &dims, &[2, 2], CLIP), clipped);
    assert_eq!(gather(&grid(), &starts(), &dims, &[2, 2], IndexMode::PromiseInBounds), clipped);
    let mut filled = vec![NAN; 20];
    filled[..4].copy_from_slice(&[0.0, 1.0, 4.0, 5.0]);
    assert_same(&gather(&grid(), &starts(), &dims, &[2, 2], FILL), &shaped(&[5, 2, 2], &filled));
}

#[test]
fn window_axes_may_stand_before_batch_axes() {
    let indices = shaped(&[2, 1], &[2_i64, 0]);
    let y = gather(&grid(), &indices, &dims(&[0], &[0], &[0], &[], &[]), &[1, 4], FILL);
    assert_eq!(y, shaped(&[4, 2], &[8.0, 0.0, 9.0, 1.0, 10.0, 2.0, 11.0, 3.0]));
}

#[test]
fn batch_axes_pair_operand_and_indices() {
    let indices = shaped(&[3, 2, 1], &[1_i32, 3, 0, 0, 2, 7]);
    let y = gather(&grid(), &indices, &dims(&[], &[1], &[1], &[0], &[0]), &[1, 1], FILL);
    assert_same(&y, &shaped(&[3, 2], &[1.0, 3.0, 4.0, 4.0, 10.0, NAN]));
    let x = shaped(&[2, 3, 4], &(0..24).map(f64::from).collect::<Vec<_>>());
    let indices = shaped(&[3, 2, 1], &[0_i32, 1, 2, 0, 1, 1]);
    let y = gather(&x, &indices, &dims(&[1], &[1], &[1], &[0], &[1]), &[1, 1, 3], CLIP);
    assert_eq!(
        y,
        shaped(
            &[3, 3, 2],
            &[0.0, 16.0, 1.0, 17.0, 2.0, 18.0, 8.0, 12.0, 9.0, 13.0, 10.0, 14.0, 4.0, 16.0, 5.0, 17.0, 6.0, 18.0,]
        )
    );
}

#[test]
fn indices_of_any_dtype_are_taken_at_their_value() {
    fn read<T: Element>(n: usize, indices: [T; 2], mode: IndexMode) -> Array {
        let x = vector(&(0..n).map(|i| i as f64).collect::<Vec<_>>());
        gather(&x, &shaped(&[2, 1], &indices), &at(), &[1], mode)
    }
    assert_eq!(read(300, [255_u8, 3], FILL), vector(&[255.0, 3.0]));
    assert_eq!(read(300, [127_i8, -3], CLIP), vector(&[127.0, 0.0]));
    assert_same(&read(300, [127_i8, -1], FILL), &vector(&[127.0, NAN]));
    // JAX 0.10.2 wraps 2^63 + 1 to 1; here it is out of range.
    assert_same(&read(3, [(1_u64 << 63) + 1, 1], FILL), &vector(&[NAN, 1.0]));
    assert_eq!(read(3, [(1_u64 << 63) + 1, 1], CLIP), vector(&[2.0, 1.0]));
    assert_same(&read(3, [i64::MIN, i64::MAX], FILL), &vector(&[NAN, NAN]));
    assert_eq!(read(3, [i64::MIN, i64::MAX], CLIP), vector(&[0.0, 2.0]));
}

#[test]
fn the_default_fill_is_that_of_jax_in_every_dtype() {
    for dtype in DType::ALL {
        let x = Array::full([2], Scalar::one(dtype));
        let y = gather(&x, &shaped(&[1, 1], &[5_i32]), &at(), &[1], FILL);
        let want = match dtype {
            DType::Bool => Scalar::one(dtype),
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => Scalar::min_value(dtype),
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => Scalar::max_value(dtype),
            DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Scalar::from_f64(dtype, NAN),
        };
        assert_eq!(y.get(0), want, "{dtype}");
    }
    let fill_value = Some(Scalar::from_f64(DType::F64, -7.0));
    let prim = Prim::Gather { dims: at(), slice_sizes: vec![1], mode: FILL, fill_value };
    assert_eq!(one(&prim, &[&vector(&[1.0]), &shaped(&[2, 1], &[0_i32, 1])]), vector(&[1.0, -7.0]));
}

#[test]
fn windows_of_nothing_and_indices_without_components() {
    let y = gather(
        &shaped::<f64>(&[0, 3], &[]),
        &shaped(&[2, 1], &[0_i32, 0]),
        &dims(&[1, 2], &[], &[0], &[], &[]),
        &[0, 3],
        CLIP,
    );
    assert_eq!(y, shaped::<f64>(&[2, 0, 3], &[]));
    let y = gather(&vector(&[4.0, 5.0]), &shaped::<i32>(&[2, 0], &[]), &dims(&[1], &[], &[], &[], &[]), &[2], FILL);
    assert_eq!(y, shaped(&[2, 2], &[4.0, 5.0, 4.0, 5.0]));
    // A collapsed axis has an element of each window; an operand without one has no window inside.
    let y = gather(&vector::<f64>(&[]), &shaped(&[2, 1], &[0_i32, 0]), &at(), &[0], CLIP);
    assert_same(&y, &vector(&[NAN, NAN]));
}

#[test]
fn scattered_windows_are_moved_or_dropped_whole() {
    let dims = dims(&[1, 2], &[], &[0, 1], &[], &[]);
    let updates = shaped(&[5, 2, 2], &(1..=5).flat_map(|i| [f64::from(i); 4]).collect::<Vec<_>>());
    let zeros = shaped(&[3, 4], &[0.0; 12]);
    let add = |mode| scatter(ScatterOp::Add, [&zeros, &starts(), &updates], &dims, mode);
    let clipped = [1.0, 4.0, 3.0, 0.0, 1.0, 4.0, 14.0, 11.0, 0.0, 0.0, 11.0, 11.0];
    let dropped = [1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    assert_eq!(add(CLIP), shaped(&[3, 4], &clipped));
    assert_eq!(add(FILL), shaped(&[3, 4], &dropped));
    assert_eq!(add(IndexMode::PromiseInBounds), shaped(&[3, 4], &dropped));
}

#[test]
fn the_last_of_several_updates_stays() {
    let indices = shaped(&[3, 1], &[1_u8, 200, 1]);
    let y = scatter(ScatterOp::Set, [&vector(&[0.0; 3]), &indices, &vector(&[5.0, 6.0, 7.0])], &at(), FILL);
    assert_eq!(y, vector(&[0.0, 7.0, 0.0]));
}

#[test]
fn updates_combine_within_their_batch() {
    let indices = shaped(&[2, 2, 1], &[0_i32, 0, 2, 5]);
    let updates = shaped(&[2, 2], &[2.0, 3.0, 5.0, 7.0]);
    let ones = shaped(&[2, 3], &[1.0; 6]);
    let y = scatter(ScatterOp::Mul, [&ones, &indices, &updates], &dims(&[], &[1], &[1], &[0], &[0]), FILL);
    assert_eq!(y, shaped(&[2, 3], &[6.0, 1.0, 1.0, 1.0, 1.0, 5.0]));
}

#[test]
fn update_windows_may_stand_before_batch_axes() {
    let dims = ScatterDims {
        update_window_dims: vec![0],
        inserted_window_dims: vec![0],
        scatter_dims_to_operand_dims: vec![0],
        ..ScatterDims::default()
    };
    let prim = Prim::Scatter { op: ScatterOp::Set, dims, mode: CLIP, unique_indices: true };
    let updates = shaped(&[4, 2], &[1, 5, 2, 6, 3, 7, 4, 8]);
    let y = one(&prim, &[&shaped(&[2, 4], &[0; 8]), &shaped(&[2, 1], &[1_i32, 0]), &updates]);
    assert_eq!(y, shaped(&[2, 4], &[5, 6, 7, 8, 1, 2, 3, 4]));
}

#[test]
fn combiners_wrap_propagate_nan_and_round_once() {
    let indices = shaped(&[3, 1], &[0_i32, 1, 2]);
    let y = scatter(ScatterOp::Min, [&vector(&[1.0, 2.0, NAN]), &indices, &vector(&[NAN, 1.0, 0.0])], &at(), FILL);
    assert_same(&y, &vector(&[NAN, 1.0, NAN]));
    let same = shaped(&[3, 1], &[0_i32, 0, 0]);
    let add = |x: &Array, updates: &Array| scatter(ScatterOp::Add, [x, &same, updates], &at(), FILL);
    assert_eq!(add(&vector(&[100_i8]), &vector(&[100_i8, 1, 1])), vector(&[-54_i8]));
    // Rounded after each addition this would stay at 2^24.
    assert_eq!(add(&vector(&[16777216_f32]), &vector(&[1.0_f32, 1.0, 1.0])), vector(&[16777220_f32]));
    let y = scatter(ScatterOp::Max, [&vector(&[false]), &same, &vector(&[false, true, false])], &at(), FILL);
    assert_eq!(y, vector(&[true]));
}

#[test]
fn dynamic_starts_are_clamped_at_their_value() {
    fn slice<T: Element>(start: T) -> Array {
        let x = vector(&[0_i32, 1, 2, 3, 4]);
        one(&Prim::DynamicSlice { slice_sizes: vec![2] }, &[&x, &Array::scalar(start)])
    }
    // In lax a negative start does not count from the end; jax.lax.dynamic_slice adds that on top.
    assert_eq!(slice(-1_i32), vector(&[0, 1]));
    assert_eq!(slice(9_i32), vector(&[3, 4]));
    assert_eq!(slice(2_u8), vector(&[2, 3]));
    assert_eq!(slice((1_u64 << 63) + 5), vector(&[3, 4]));
    assert_eq!(slice(i64::MIN), vector(&[0, 1]));
}

#[test]
fn a_dynamic_update_is_clamped_too() {
    let x = shaped(&[2, 3], &[0_u8; 6]);
    let update = shaped(&[1, 2], &[7_u8, 8]);
    let y = one(&Prim::DynamicUpdateSlice, &[&x, &update, &Array::scalar(5_i8), &Array::scalar(5_u64)]);
    assert_eq!(y, shaped(&[2, 3], &[0_u8, 0, 0, 0, 7, 8]));
    let y = one(&Prim::DynamicUpdateSlice, &[&Array::scalar(1.0), &Array::scalar(2.0)]);
    assert_eq!(y, Array::scalar(2.0));
}
