//! The programs of `examples/seed`, run by the command. Numbers: JAX 0.10.2.

use crate::{jx, root};
use expect_test::{Expect, expect};

/// What a seed program prints, with times masked.
fn check(name: &str, expected: Expect) {
    let ran = jx(&root(), &["run", &format!("examples/seed/{name}.jx")]);
    assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)));
    let masked = ran.stdout.lines().map(|line| match line.trim_start().starts_with("first call") {
        true => "  first call …, second call …".to_owned(),
        false => line.to_owned(),
    });
    let mut masked = masked.collect::<Vec<_>>().join("\n");
    masked.push('\n');
    expected.assert_eq(&masked);
}

#[test]
fn predict_is_the_same_eager_and_compiled() {
    check(
        "predict",
        expect![[r#"
        vmap(predict)
          f32[10000] [1.0, 3.0, 5.0, …, 19995.0, 19997.0, 19999.0]
          first call …, second call …
        jit(vmap(predict))
          f32[10000] [1.0, 3.0, 5.0, …, 19995.0, 19997.0, 19999.0]
          first call …, second call …
        equal
          bool[] true
    "#]],
    );
}

#[test]
fn per_example_gradients_of_five_and_of_a_hundred_thousand() {
    check(
        "per_example_grads",
        expect![[r#"
        per-example gradients
          .0 f32[5] [0.0, 0.1875, 0.25, 0.1875, 0.0]
          .1 f32[5] [1.0, 0.75, 0.5, 0.25, 0.0]
        jit(vmap(grad)), 100,000 examples
          .0 f32[100000] [0.18484166, 0.16508825, 0.25265867, …, 0.30735588, 0.058397472, 0.23124564]
          .1 f32[100000] [0.34858632, 0.526829, 0.28025532, …, 0.41118097, 0.061674118, 0.9203901]
          first call …, second call …
    "#]],
    );
}

#[test]
fn the_gradient_of_the_mean_is_the_mean_of_the_gradients() {
    check(
        "mean_gradient",
        expect![[r#"
        gradient of the mean
          .0 f32[] 0.125
          .1 f32[] 0.5
        mean of the gradients
          .0 f32[] 0.125
          .1 f32[] 0.5
        equal
          bool[] true
    "#]],
    );
}

#[test]
fn matrices_times_vectors_pairwise() {
    check(
        "pairwise_matvec",
        expect![[r#"
        matrix i with vector i, (3,2,3) and (3,3)
          f32[3,2] [[5.0, 14.0], [86.0, 122.0], [275.0, 338.0]]
        all pairs, (3,2,3) and (4,3)
          f32[3,4,2] [[[5.0, 14.0], [14.0, 50.0], [23.0, 86.0], [32.0, 122.0]], [[23.0, 32.0], [86.0, 122.0], [149.0, 212.0], [212.0, 302.0]], [[41.0, 50.0], [158.0, 194.0], [275.0, 338.0], [392.0, 482.0]]]
        element [1, 2] equals the direct product
          bool[] true
    "#]],
    );
}

#[test]
fn distances_pairwise_and_their_gradient() {
    check(
        "pairwise_distance",
        expect![[r#"
        squared distances, 3 by 4
          f32[3,4] [[5.0, 1.0, 8.0, 16.0], [0.0, 2.0, 1.0, 13.0], [5.0, 9.0, 2.0, 2.0]]
        compiled gives the same
          bool[] true
        gradient of their sum by the first set
          f32[3,2] [[-14.0, -10.0], [-6.0, 6.0], [10.0, -2.0]]
    "#]],
    );
}
