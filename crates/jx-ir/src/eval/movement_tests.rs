//! Tests of movement. Values are those of JAX 0.10.2 or NumPy 2.4.6 where not evident.

use crate::eval::testing::{assert_same, one, shaped, vector};
use crate::{Array, DType, Prim, TensorType};

fn counting(shape: &[usize]) -> Array {
    shaped(shape, &(0..shape.iter().product::<usize>() as i32).collect::<Vec<_>>())
}

fn pad(x: &[f64], low: i64, high: i64, interior: usize) -> Vec<f64> {
    let prim = Prim::Pad { low: vec![low], high: vec![high], interior: vec![interior] };
    one(&prim, &[&vector(x), &Array::scalar(9.0)]).to_f64_vec()
}

#[test]
fn padding_may_cut_and_have_gaps() {
    let x = [0.0, 1.0, 2.0, 3.0, 4.0];
    assert_eq!(pad(&x, -1, 2, 1), [9.0, 1.0, 9.0, 2.0, 9.0, 3.0, 9.0, 4.0, 9.0, 9.0]);
    assert_eq!(pad(&x, -3, -2, 1), [9.0, 2.0, 9.0, 3.0]);
    assert_eq!(pad(&[], 1, 1, 3), [9.0, 9.0]);
    assert_eq!(pad(&x, 2, -4, 2), [9.0, 9.0, 0.0, 9.0, 9.0, 1.0, 9.0, 9.0, 2.0, 9.0, 9.0]);
    assert_eq!(pad(&x, -5, 0, 0), [0.0; 0]);
    // A cut from one end may go past all elements, if padding at the other end makes up for it.
    assert_eq!(pad(&[7.0], -3, 4, 0), [9.0, 9.0]);
    assert_eq!(pad(&[7.0], 0, 0, usize::MAX), [7.0]);
}

#[test]
fn padding_works_on_each_axis() {
    let prim = Prim::Pad { low: vec![1, 0], high: vec![0, -1], interior: vec![0, 1] };
    let y = one(&prim, &[&counting(&[2, 2]), &Array::scalar(-1_i32)]);
    assert_eq!(y, shaped(&[3, 2], &[-1, -1, 0, -1, 2, -1]));
    let empty = one(&prim, &[&counting(&[0, 2]), &Array::scalar(-1_i32)]);
    assert_eq!(empty, shaped(&[1, 2], &[-1, -1]));
}

#[test]
fn transposition_moves_axes() {
    let y = one(&Prim::Transpose { permutation: vec![2, 0, 1] }, &[&counting(&[2, 3, 2])]);
    assert_eq!(y, shaped(&[2, 2, 3], &[0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11]));
}

#[test]
fn extents_of_one_stretch() {
    let prim = Prim::BroadcastInDim { shape: vec![2, 2, 3], broadcast_dimensions: vec![0, 2] };
    let y = one(&prim, &[&shaped(&[2, 1], &[5_u8, 6])]);
    assert_eq!(y, shaped(&[2, 2, 3], &[5_u8, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6]));
    let none = Prim::BroadcastInDim { shape: vec![0, 3], broadcast_dimensions: vec![] };
    assert_eq!(one(&none, &[&Array::scalar(1.0_f32)]), shaped::<f32>(&[0, 3], &[]));
}

#[test]
fn slices_step_and_may_be_empty() {
    let x = counting(&[3, 5]);
    let slice = |start: [usize; 2], limit: [usize; 2], strides: [usize; 2]| {
        one(&Prim::Slice { start: start.into(), limit: limit.into(), strides: strides.into() }, &[&x])
    };
    assert_eq!(slice([1, 0], [3, 5], [1, 2]), shaped(&[2, 3], &[5, 7, 9, 10, 12, 14]));
    assert_eq!(slice([2, 1], [3, 5], [usize::MAX, 3]), shaped(&[1, 2], &[11, 14]));
    assert_eq!(slice([3, 5], [3, 5], [1, 1]), shaped::<i32>(&[0, 0], &[]));
}

#[test]
fn reversal_of_some_axes() {
    assert_eq!(one(&Prim::Rev { dimensions: vec![1] }, &[&counting(&[2, 3])]), shaped(&[2, 3], &[2, 1, 0, 5, 4, 3]));
    assert_eq!(one(&Prim::Rev { dimensions: vec![1, 0] }, &[&counting(&[2, 3])]), shaped(&[2, 3], &[5, 4, 3, 2, 1, 0]));
    assert_eq!(one(&Prim::Rev { dimensions: vec![0] }, &[&counting(&[0, 3])]), counting(&[0, 3]));
}

#[test]
fn concatenation_skips_empty_operands() {
    let (x, y, z) = (counting(&[2, 1]), shaped::<i32>(&[2, 0], &[]), shaped(&[2, 2], &[7, 8, 9, 10]));
    let y = one(&Prim::Concatenate { dimension: 1 }, &[&x, &y, &z]);
    assert_eq!(y, shaped(&[2, 3], &[0, 7, 8, 1, 9, 10]));
    let y = one(&Prim::Concatenate { dimension: 0 }, &[&x, &x]);
    assert_eq!(y, shaped(&[4, 1], &[0, 1, 0, 1]));
}

#[test]
fn counting_wraps_in_integers_and_rounds_in_floats() {
    let iota = |dtype, n| one(&Prim::Iota { ty: TensorType::new(dtype, [n]), dimension: 0 }, &[]).to_f64_vec();
    assert_eq!(iota(DType::I8, 130)[125..], [125.0, 126.0, 127.0, -128.0, -127.0]);
    assert_eq!(iota(DType::F16, 2050)[2046..], [2046.0, 2047.0, 2048.0, 2048.0]);
    // JAX 0.10.2 gives 256, 256, 258, 260, 260, 260 here too.
    assert_eq!(iota(DType::BF16, 262)[256..], [256.0, 256.0, 258.0, 260.0, 260.0, 260.0]);
    let y = one(&Prim::Iota { ty: TensorType::new(DType::U8, [2, 3]), dimension: 1 }, &[]);
    assert_eq!(y, shaped(&[2, 3], &[0_u8, 1, 2, 0, 1, 2]));
}

#[test]
fn movement_keeps_the_bits_of_nan() {
    let x = vector(&[f32::from_bits(0xffc0_0001), f32::from_bits(0x7fc0_1234)]);
    let y = one(&Prim::Rev { dimensions: vec![0] }, &[&x]);
    assert_eq!(one(&Prim::Rev { dimensions: vec![0] }, &[&y]), x);
    assert_eq!(y.get(0), x.get(1));
    assert_same(&one(&Prim::Reshape { shape: vec![1, 2] }, &[&x]), &shaped(&[1, 2], &[f32::NAN; 2]));
}
