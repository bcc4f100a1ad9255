//! The gradient of a mean loss with a `vmap` inside, and the mean of per-example gradients: one and the same.

use jx::prelude::*;

type Params = (Tensor, Tensor);

fn predict((w, b): Params, x: Tensor) -> Tensor {
    w * x + b
}

fn squared_error(params: Params, x: Tensor, y: Tensor) -> Tensor {
    (predict(params, x) - y).square()
}

fn mean_squared_error(params: Params, xs: Tensor, ys: Tensor) -> Tensor {
    let predictions = vmap(predict, (None, 0))(params, xs);
    (predictions - ys).square().mean()
}

/// `(dw, db)`.
pub type Gradients = (Array, Array);

/// The per-example gradients on `n` points of `y = 2.5x + 0.5` at `w = 2`, `b = 1`; the gradient of
/// their mean loss; and the mean of the former.
pub fn run(n: usize) -> Result<[Gradients; 3], jx::Error> {
    let xs = Array::linspace(0.0, 1.0, n, DType::F32)?;
    let ys = jit(|x: Tensor| 2.5 * x + 0.5).call(&xs)?;
    let params = (2.0_f32, 1.0_f32);
    let per_example = jit(vmap(grad(squared_error), (None, 0, 0))).call((params, &xs, &ys))?;
    let of_mean = jit(grad(mean_squared_error)).call((params, &xs, &ys))?;
    let mean = jit(|dw: Tensor, db: Tensor| (dw.mean(), db.mean())).call((&per_example.0, &per_example.1))?;
    Ok([per_example, of_mean, mean])
}

#[allow(dead_code, reason = "the tests use `run` alone")]
fn main() -> Result<(), jx::Error> {
    let [per_example, of_mean, mean] = run(5)?;
    println!("per example: dw {} db {}", per_example.0, per_example.1);
    println!("of the mean: dw {} db {}", of_mean.0, of_mean.1);
    println!("their mean:  dw {} db {}", mean.0, mean.1);
    Ok(())
}
