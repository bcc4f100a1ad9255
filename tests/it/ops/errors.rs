//! Mistakes: each is an error that names the operation, the shapes as the user wrote them, and the place.

use jx::prelude::*;

/// The message of the call that fails; its place is in this file.
#[track_caller]
fn message<R: jx::Tree>(f: impl Fn(Tensor) -> R, shape: &[usize], dtype: DType) -> String {
    let error = match jit(f).call(Array::zeros(shape, dtype)) {
        Ok(_) => panic!("the function was to be refused"),
        Err(error) => error,
    };
    let place = error.place().expect("the error has a place");
    assert!(place.to_string().contains("errors.rs"), "the place is {place}");
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

#[track_caller]
fn refuses<R: jx::Tree>(f: impl Fn(Tensor) -> R, expected: &str) {
    let found = message(f, &[2, 3], DType::F32);
    assert!(found.contains(expected), "the message is\n{found}\nwithout\n{expected}");
}

#[test]
fn shapes_and_axes_that_do_not_fit_are_named() {
    refuses(|x| x.sum_axes(2), "sum: axis 2 is out of range for f32[2,3]");
    refuses(|x| x.sum_axes([0, -2]), "sum: axis -2 is named twice");
    refuses(|x| x.reshape([4, -1]), "reshape: f32[2,3] has 6 elements");
    refuses(|x| x.reshape([7]), "reshape: f32[2,3] has 6 elements");
    refuses(|x| x.reshape([-1, -1]), "negative extent");
    refuses(|x| x.broadcast_to([3, 2]), "broadcast_to: f32[2,3] does not broadcast to [3, 2]");
    refuses(|x| x.squeeze_axes(0), "squeeze: axis 0 of f32[2,3] has extent 2");
    refuses(|x| x.expand_dims([0, 0]), "expand_dims: the new axes [0, 0]");
    refuses(|x| x.transpose([0]), "transpose");
    refuses(|x| x.split(2, 1), "split: f32[2,3] cannot be split into 2 equal parts along axis 1");
    refuses(|x| x.split_at(&[4], 1), "split_at: the places [4]");
    refuses(|x| stack([x, x.t()], 0), "stack: all tensors must have one shape, but there are f32[2,3] and f32[3,2]");
    refuses(|_| concatenate(Vec::<Tensor>::new(), 0), "concatenate: at least one tensor");
    refuses(|x| x.matmul(x), "matmul: axis 1 of f32[2,3] has extent 3, but axis 0 of f32[2,3]");
    refuses(|x| x.top_k(4), "top_k: k = 4");
    refuses(|x| x.slice(s![2..2, ..]).max(), "reduce_max: axis 0 of f32[0,3] is empty");
    refuses(|x| linalg::matrix_power(x, 2), "matrix_power: the matrix must be square, not f32[2,3]");
}

#[test]
fn indices_that_do_not_fit_are_named() {
    refuses(|x| x.index(2), "index: index 2 is out of range for axis 0 of f32[2,3], of extent 2");
    refuses(|x| x.index(s![0, -4]), "index: index -4 is out of range for axis 1");
    refuses(|x| x.index(s![0, 0, 0]), "index: 3 axes are indexed, but f32[2,3] has 2");
    refuses(|x| x.index(s![..., ...]), "at most one");
    refuses(|x| x.index(s![..;0]), "the step of axis 0 must not be 0");
    refuses(|x| x.index(x), "index: an index must be integers, not f32[2,3]");
    refuses(|x| x.index(x.gt(0.0)), "use `where_`");
    refuses(|x| x.at(0).set(zeros([2], DType::F32)), "broadcast_to: f32[2] does not broadcast to [3]");
    refuses(|x| x.take(zeros([1], DType::I32), 2), "take: axis 2 is out of range");
}

#[test]
fn dtypes_that_do_not_fit_are_named() {
    let found = message(|x| x.mean(), &[2], DType::I32);
    assert!(found.contains("mean: works on floats, but the operand is i32[2]"), "{found}");
    let found = message(|x| nn::softmax(x, 0), &[2], DType::I32);
    assert!(found.contains("softmax: works on floats"), "{found}");
    refuses(|x| x + x.astype(DType::F64), "operands are f32[2,3] and f64[2,3]");
    refuses(|x| x << 1, "shift_left: works on integers");
}

#[test]
fn einsum_shows_the_label_at_fault() {
    let error = jit(|x: Tensor| einsum("ij,jk->ik", [x, x])).call(Array::zeros([2, 3], DType::F32)).err();
    let text = error.expect("the extents differ").to_string();
    let head: Vec<&str> = text.lines().take(3).collect();
    let expected = ["einsum: label `j` has extent 3 in operand 0, but 2 in operand 1", "    ij,jk->ik", "       ^"];
    assert_eq!(head, expected);
    refuses(|x| einsum("ij->ik", [x]), "label `k` of the result is in no operand");
    refuses(|x| einsum("ij->ii", [x]), "label `i` occurs twice in the result");
    refuses(|x| einsum("ijk", [x]), "operand 0 is f32[2,3], but 3 of its axes are labelled");
    refuses(|x| einsum("i", [x]), "operand 0 is f32[2,3], but 1 of its axes are labelled");
    refuses(|x| einsum("ij,jk", [x]), "the specification is of 2 operands, but 1 were given");
    refuses(|x| einsum("i1", [x]), "`1` is no label");
    refuses(|x| einsum("i...->i", [x]), "the result needs a `...` too");
}

#[test]
fn a_poisoned_tensor_never_panics() {
    let f = jit(|x: Tensor| {
        let bad = x.reshape([7]);
        let i = bad.argmax(0);
        let all = [
            bad.slice(s![..;2]),
            bad.at(i).set(1.0),
            bad.take(i, 0),
            bad.sort(0),
            bad.matmul(x),
            einsum("i,i->", [bad, bad]),
            nn::softmax(bad, -1),
            linalg::norm(bad),
            bad.hypot(1.0),
            bad.median(0),
            jx::numpy::tril(bad, 0),
            bad.top_k(2).0,
            where_(bad.gt(0.0), bad, 0.0),
            random::categorical(random::key(0), bad, -1, &[]),
        ];
        all[0] + bad.split(3, 0)[2]
    });
    let error = f.call(Array::zeros([2, 3], DType::F32)).expect_err("the reshape is refused");
    assert!(error.to_string().starts_with("reshape: f32[2,3] has 6 elements"), "{error}");
}

#[test]
fn a_mistake_inside_vmap_shows_the_shapes_of_one_example() {
    let f = |x: Tensor| vmap(|row: Tensor| row.reshape([2, 2]), 0)(x);
    let found = message(f, &[2, 3], DType::F32);
    assert!(found.contains("reshape: f32[3] has 3 elements"), "{found}");
}
