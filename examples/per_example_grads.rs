//! `jit(vmap(grad(f)))` on many random examples: the gradients of each, first and second call timed.

use jx::prelude::*;
use jx::random;
use std::time::{Duration, Instant};

fn squared_error((w, b): (Tensor, Tensor), x: Tensor, y: Tensor) -> Tensor {
    (w * x + b - y).square()
}

/// What [`run`] found.
pub struct Report {
    /// The gradient with respect to `w`, of each example.
    pub dw: Array,
    /// The gradient with respect to `b`, of each example.
    pub db: Array,
    /// Time of the first and the second call.
    pub times: [Duration; 2],
}

/// Per-example gradients at `w = 2`, `b = 1` on `n` points of `y = 2.5x + 0.5` with noise, drawn from key 42.
pub fn run(n: usize) -> Result<Report, jx::Error> {
    let draw = jit(move || {
        let [for_x, for_noise] = random::split(random::key(42));
        let x = random::uniform(for_x, [n], DType::F32);
        let noise = random::normal(for_noise, [n], DType::F32);
        (x, 2.5 * x + 0.5 + 0.1 * noise)
    });
    let (xs, ys) = draw.call(())?;
    let f = jit(vmap(grad(squared_error), (None, 0, 0)));
    let mut times = [Duration::ZERO; 2];
    let mut gradients = None;
    for time in &mut times {
        let start = Instant::now();
        gradients = Some(f.call(((2.0_f32, 1.0_f32), &xs, &ys))?);
        *time = start.elapsed();
    }
    let (dw, db) = gradients.expect("the function was called");
    Ok(Report { dw, db, times })
}

#[allow(dead_code, reason = "the tests use `run` alone")]
fn main() -> Result<(), jx::Error> {
    let Report { dw, db, times: [first, second] } = run(100_000)?;
    println!("dw {dw}");
    println!("db {db}");
    println!("first call {first:?}, second call {second:?}");
    Ok(())
}
