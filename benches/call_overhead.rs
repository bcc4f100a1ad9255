//! What a compiled call costs beyond its arithmetic: `a·x + b` on scalars.

#![allow(missing_docs, reason = "`criterion_group!` makes a function without any")]

use criterion::{Criterion, criterion_group, criterion_main};
use jx::prelude::*;
use std::hint::black_box;

fn call_overhead(c: &mut Criterion) {
    let f = jit(|a: Tensor, x: Tensor, b: Tensor| a * x + b);
    let [a, x, b] = [2.0_f32, 3.0, 1.0].map(Array::from);
    f.call((&a, &x, &b)).expect("the program is right");
    c.bench_function("call_overhead/arrays", |bench| {
        bench.iter(|| f.call((black_box(&a), black_box(&x), black_box(&b))).expect("the program is right"));
    });
    c.bench_function("call_overhead/numbers", |bench| {
        bench.iter(|| {
            f.call((black_box(2.0_f32), black_box(3.0_f32), black_box(1.0_f32))).expect("the program is right")
        });
    });
}

criterion_group!(benches, call_overhead);
criterion_main!(benches);
