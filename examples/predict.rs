//! A linear model mapped over examples: eager and compiled, first and second call.

use jx::prelude::*;
use std::time::{Duration, Instant};

fn predict((w, b): (Tensor, Tensor), x: Tensor) -> Tensor {
    w * x + b
}

/// What [`run`] found.
pub struct Report {
    /// `predict` op by op.
    pub eager: Array,
    /// `predict` compiled.
    pub jitted: Array,
    /// Time of the eager call, and of the first and second compiled one.
    pub times: [Duration; 3],
}

/// `predict` with `w = 2`, `b = 1` on `0, 1, …, n - 1`.
pub fn run(n: usize) -> Result<Report, jx::Error> {
    let xs = Array::arange(n, DType::F32)?;
    let params = (2.0_f32, 1.0_f32);
    let timed = |f: &dyn Fn() -> Result<Array, jx::Error>| {
        let start = Instant::now();
        f().map(|y| (y, start.elapsed()))
    };
    let unoptimised = eager(vmap(predict, (None, 0)));
    let compiled = jit(vmap(predict, (None, 0)));
    let (eager, eager_time) = timed(&|| unoptimised.call((params, &xs)))?;
    let (_, first) = timed(&|| compiled.call((params, &xs)))?;
    let (jitted, second) = timed(&|| compiled.call((params, &xs)))?;
    Ok(Report { eager, jitted, times: [eager_time, first, second] })
}

#[allow(dead_code, reason = "the tests use `run` alone")]
fn main() -> Result<(), jx::Error> {
    let Report { eager, jitted, times: [eager_time, first, second] } = run(10_000)?;
    println!("predictions {jitted}");
    println!("eager and compiled agree: {}", eager == jitted);
    println!("eager {eager_time:?}; compiled: first call {first:?}, second call {second:?}");
    Ok(())
}
