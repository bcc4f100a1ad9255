//! Nested `vmap`: every matrix with every vector, and every point's distance to every other.

use jx::prelude::*;

fn matvec(m: Tensor, v: Tensor) -> Tensor {
    m.matmul(v)
}

fn squared_distance(p: Tensor, q: Tensor) -> Tensor {
    (p - q).square().sum()
}

fn distances(ps: Tensor, qs: Tensor) -> Tensor {
    vmap(vmap(squared_distance, (None, 0)), (0, None))(ps, qs)
}

/// Matrices times vectors pairwise, and each with all.
pub fn run_matvec() -> Result<[Array; 2], jx::Error> {
    let count =
        |shape: &[usize]| Array::from_vec(shape, (0..shape.iter().product::<usize>()).map(|i| i as f32).collect());
    let (ms, vs, ws) = (count(&[3, 2, 3])?, count(&[3, 3])?, count(&[4, 3])?);
    let pairs = jit(vmap(matvec, (0, 0))).call((&ms, &vs))?;
    let all = jit(vmap(vmap(matvec, (None, 0)), (0, None))).call((&ms, &ws))?;
    Ok([pairs, all])
}

/// The matrix of squared distances, and the gradient of its sum with respect to the first points.
pub fn run_distances() -> Result<[Array; 2], jx::Error> {
    let ps = Array::from([[0.0_f32, 0.0], [1.0, 2.0], [3.0, 4.0]]);
    let qs = Array::from([[1.0_f32, 2.0], [0.0, 0.0], [2.0, 2.0], [5.0, 1.0]]);
    let matrix = jit(distances).call((&ps, &qs))?;
    let gradient = jit(grad(|ps: Tensor, qs: Tensor| distances(ps, qs).sum())).call((&ps, &qs))?;
    Ok([matrix, gradient])
}

#[allow(dead_code, reason = "the tests use the functions above alone")]
fn main() -> Result<(), jx::Error> {
    let [pairs, all] = run_matvec()?;
    println!("matrices times vectors, pairwise: {pairs}");
    println!("each matrix times each vector: {all}");
    let [matrix, gradient] = run_distances()?;
    println!("squared distances: {matrix}");
    println!("gradient of their sum: {gradient}");
    Ok(())
}
