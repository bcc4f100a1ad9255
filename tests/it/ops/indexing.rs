//! Slices, reads at integer tensors, and functional updates.

use super::{NAN, check1, check2, count, f64s};
use jx::ir::IndexMode;
use jx::prelude::*;

#[test]
fn slices_are_pythons() {
    let x = count(&[5]);
    check1(|x| x.slice(s![1..3]), &x, &[1.0, 2.0]);
    check1(|x| x.slice(s![-2..]), &x, &[3.0, 4.0]);
    check1(|x| x.slice(s![..-3]), &x, &[0.0, 1.0]);
    check1(|x| x.slice(s![..;2]), &x, &[0.0, 2.0, 4.0]);
    check1(|x| x.slice(s![..;-1]), &x, &[4.0, 3.0, 2.0, 1.0, 0.0]);
    check1(|x| x.slice(s![..;-2]), &x, &[4.0, 2.0, 0.0]);
    check1(|x| x.slice(s![3..0;-1]), &x, &[3.0, 2.0, 1.0]);
    check1(|x| x.slice(s![-1..-5;-3]), &x, &[4.0, 1.0]);
    check1(|x| x.slice(s![..=2]), &x, &[0.0, 1.0, 2.0]);
    check1(|x| x.slice(s![3..=-1]), &x, &[3.0, 4.0]);
    check1(|x| x.slice(s![2..99]), &x, &[2.0, 3.0, 4.0]);
    check1(|x| x.slice(s![4..2]), &x, &[]);
    check1(|x| x.slice(s![0..3;-1]), &x, &[]);
    check1(|x| x.index(-2), &x, &[3.0]);
    let x = count(&[2, 3]);
    check1(|x| x.slice(s![.., 0]), &x, &[0.0, 3.0]);
    check1(|x| x.slice(s![..., 1..]), &x, &[1.0, 2.0, 4.0, 5.0]);
    check1(|x| x.slice(s![-1, ..;2]), &x, &[3.0, 5.0]);
    check1(|x| x.slice(s![NEW, ..., NEW]).reshape([3, 2]), &x, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn index_tensors_put_their_axes_where_numpy_does() {
    let x = count(&[2, 3, 4]);
    let shapes = jit(|x: Tensor, i: Tensor| {
        (
            x.index(s![.., i]),
            x.index(s![i, .., i]),
            x.index(s![.., i, i]),
            x.index(s![0, .., i]),
            x.index(s![NEW, i, .., 0..2]),
            x.index(i),
        )
    });
    let (a, b, c, d, e, f) = shapes.call((&x, Array::from([[0_i32, 1]]))).expect("the indices fit");
    let found = [a.shape(), b.shape(), c.shape(), d.shape(), e.shape(), f.shape()];
    let expected: [&[usize]; 6] = [&[2, 1, 2, 4], &[1, 2, 3], &[2, 1, 2], &[1, 2, 3], &[1, 1, 2, 3, 2], &[1, 2, 3, 4]];
    assert_eq!(found, expected);
    let i = Array::from([1_i32, 0]);
    check2(|x, i| x.index(s![i, .., i]), &count(&[2, 2, 2]), &i, &[5.0, 7.0, 0.0, 2.0]);
    check2(|x, i| x.index(s![.., i, i]), &count(&[2, 2, 2]), &i, &[3.0, 0.0, 7.0, 4.0]);
}

#[test]
fn reads_out_of_range_do_as_their_mode_says() {
    let (x, i) = (count(&[3]), Array::from([-1_i32, 5, -9]));
    check2(|x, i| x.index(i), &x, &i, &[2.0, 2.0, 0.0]);
    check2(|x, i| x.at(i).get(), &x, &i, &[2.0, 2.0, 0.0]);
    check2(|x, i| x.at(i).mode(IndexMode::FillOrDrop).get(), &x, &i, &[2.0, NAN, NAN]);
    check2(|x, i| x.take(i, 0), &x, &i, &[2.0, NAN, NAN]);
    check2(|x, i| x.take(i, 0), &x, &Array::from([u64::MAX, 1]), &[NAN, 1.0]);
    check2(|x, i| x.take(i, 0), &x, &Array::from([255_u8, 1]), &[NAN, 1.0]);
    check2(|x, i| x.take_along_axis(i, 0), &x, &i, &[2.0, NAN, NAN]);
    check2(
        |x, i| x.take_along_axis(i, 1),
        &count(&[2, 3]),
        &Array::from_vec([1, 2], vec![2_i64, 0]).expect("two"),
        &[2.0, 0.0, 5.0, 3.0],
    );
    check2(|x, i| x.take(i, 0), &count(&[0]), &Array::from(Vec::<i32>::new()), &[]);
}

#[test]
fn updates_write_where_reads_read() {
    let x = count(&[2, 3]);
    check1(|x| x.at(0).set(9.0), &x, &[9.0, 9.0, 9.0, 3.0, 4.0, 5.0]);
    check1(|x| x.at(s![.., -1]).add(1.0), &x, &[0.0, 1.0, 3.0, 3.0, 4.0, 6.0]);
    check1(|x| x.at(s![..;-1, ..;2]).mul(2.0), &x, &[0.0, 1.0, 4.0, 6.0, 4.0, 10.0]);
    check1(|x| x.at(s![..;-1, ..;2]).set(eye(2, DType::F64)), &x, &[0.0, 1.0, 1.0, 1.0, 4.0, 0.0]);
    check1(|x| x.at(s![1, 1..]).min(4.5), &x, &[0.0, 1.0, 2.0, 3.0, 4.0, 4.5]);
    check1(|x| x.at(s![...]).max(2.5), &x, &[2.5, 2.5, 2.5, 3.0, 4.0, 5.0]);
    check1(|x| x.at(s![2.., ..]).set(7.0), &x, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn updates_at_index_tensors_combine_and_drop() {
    let (x, i) = (f64s(&[0.0; 3]), Array::from([0_i32, 0, -1, 3]));
    let v = f64s(&[1.0, 2.0, 3.0, 4.0]);
    check1(move |i| f(i).0, &i, &[3.0, 0.0, 3.0]);
    check1(move |i| f(i).1, &i, &[3.0, 0.0, 7.0]);
    fn f(i: Tensor) -> (Tensor, Tensor) {
        let (x, v) = (zeros([3], DType::F64), arange(4, DType::F64) + 1.0);
        (x.at(i).add(v), x.at(i).mode(IndexMode::Clip).add(v))
    }
    let set = jit(|x: Tensor, i: Tensor, v: Tensor| x.at(i).set(v));
    let y = set.call((&x, &i, &v)).expect("the indices fit").to_vec::<f64>().expect("f64");
    assert_eq!(y, [2.0, 0.0, 3.0]);
    check2(
        |x, i| x.at(s![1.., i]).add(1.0),
        &f64s(&[0.0; 6]).reshape2(3, 2),
        &Array::from([1_i32, 1]),
        &[0.0, 0.0, 0.0, 2.0, 0.0, 2.0],
    );
    check2(|x, i| x.at(i).mul(3.0), &f64s(&[1.0, 1.0]), &Array::from([0_i32, 0]), &[9.0, 1.0]);
}

trait Reshape2 {
    fn reshape2(&self, n: usize, m: usize) -> Array;
}

impl Reshape2 for Array {
    fn reshape2(&self, n: usize, m: usize) -> Array {
        Array::from_vec([n, m], self.to_vec::<f64>().expect("f64")).expect("the shape fits")
    }
}

#[test]
fn gradients_of_reads_and_writes_are_duals() {
    let x = f64s(&[1.0, 2.0, 3.0]);
    check1(|x| grad(|x: Tensor| x.index(s![..;-2]).square().sum())(x), &x, &[2.0, 0.0, 6.0]);
    check2(
        |x, i| grad(|x: Tensor, i: Tensor| x.index(i).sum())(x, i),
        &x,
        &Array::from([5_i32, 0, 0]),
        &[2.0, 0.0, 1.0],
    );
    check1(|x| grad(|x: Tensor| x.at(1).set(0.0).square().sum())(x), &x, &[2.0, 0.0, 6.0]);
    check1(|x| grad(|v: Tensor| zeros([6], DType::F64).at(s![..;2]).add(v).square().sum())(x), &x, &[2.0, 4.0, 6.0]);
}

#[test]
fn vmapped_reads_and_writes_equal_the_loop() {
    let (x, i) = (count(&[2, 3]), Array::from([2_i32, 0]));
    check2(|x, i| vmap(|x: Tensor, i: Tensor| x.index(i), 0)(x, i), &x, &i, &[2.0, 3.0]);
    check2(|x, i| vmap(|x: Tensor, i: Tensor| x.at(i).set(9.0), 0)(x, i), &x, &i, &[0.0, 1.0, 9.0, 9.0, 4.0, 5.0]);
    check1(|x| vmap(|x: Tensor| x.take_along_axis(x.argsort(0), 0), 0)(x), &x, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}
