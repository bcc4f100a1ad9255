//! The user's API: transformations nested in any order, trees, axes, captures.

use jx::prelude::*;

type Params = (Tensor, Tensor);

fn predict((w, b): Params, x: Tensor) -> Tensor {
    w * x + b
}

fn squared_error(params: Params, x: Tensor, y: Tensor) -> Tensor {
    let d = predict(params, x) - y;
    d * d
}

fn f64s(array: &Array) -> Vec<f64> {
    array.to_vec::<f64>().unwrap()
}

#[test]
fn per_example_gradients_have_the_tree_of_the_parameters() {
    let f = jit(vmap(grad(squared_error), (None, 0, 0)));
    let (dw, db) = f.call(((2.0, 1.0), [0.0, 0.5, 1.0], [0.5, 1.75, 3.0])).unwrap();
    assert_eq!(f64s(&dw), [0.0, 0.25, 0.0]);
    assert_eq!(f64s(&db), [1.0, 0.5, 0.0]);
}

