//! The programs of `examples/`, run at a small size with their values checked. Numbers are JAX 0.10.2's.

#![allow(unreachable_pub, reason = "the examples are programs of their own")]

#[path = "../../examples/mean_gradient.rs"]
mod mean_gradient;
#[path = "../../examples/pairwise.rs"]
mod pairwise;
#[path = "../../examples/per_example_grads.rs"]
mod per_example_grads;
#[path = "../../examples/predict.rs"]
mod predict;

use jx::prelude::*;

fn vec32(array: &Array) -> Vec<f32> {
    array.to_vec().unwrap()
}

#[test]
fn predictions_are_equal_eager_and_compiled() {
    let report = predict::run(10_000).unwrap();
    assert_eq!(report.eager, report.jitted);
    assert_eq!(vec32(&report.jitted)[..3], [1.0, 3.0, 5.0]);
    assert_eq!(vec32(&report.jitted)[9_999], 19_999.0);
    assert!(report.times.iter().all(|t| !t.is_zero()));
}

#[test]
fn the_gradient_of_the_mean_is_the_mean_of_the_gradients() {
    let [(dw, db), of_mean, mean] = mean_gradient::run(5).unwrap();
    assert_eq!(vec32(&dw), [0.0, 0.1875, 0.25, 0.1875, 0.0]);
    assert_eq!(vec32(&db), [1.0, 0.75, 0.5, 0.25, 0.0]);
    assert_eq!((vec32(&of_mean.0), vec32(&of_mean.1)), (vec![0.125], vec![0.5]));
    assert_eq!((vec32(&mean.0), vec32(&mean.1)), (vec![0.125], vec![0.5]));
}

#[test]
fn per_example_gradients_of_random_examples_are_jaxs() {
    let report = per_example_grads::run(100_000).unwrap();
    let want = |got: &Array, first: [f32; 3], mean: f64| {
        let got = vec32(got);
        assert_eq!(got.len(), 100_000);
        for (g, w) in got.iter().zip(first) {
            assert!((g - w).abs() < 2e-6, "{:?} is not {first:?}", &got[..3]);
        }
        let found = got.iter().map(|&g| f64::from(g)).sum::<f64>() / 1e5;
        assert!((found - mean).abs() < 1e-5, "the mean {found} is not {mean}");
    };
    want(&report.dw, [0.184_841_66, 0.165_088_25, 0.252_658_67], 0.166_625_56);
    want(&report.db, [0.348_586_32, 0.526_829, 0.280_255_32], 0.500_175_65);
    assert!(report.times.iter().all(|t| !t.is_zero()));
}

#[test]
fn matrices_times_vectors_pairwise_and_each_with_all() {
    let [pairs, all] = pairwise::run_matvec().unwrap();
    assert_eq!(pairs.shape(), [3, 2]);
    assert_eq!(vec32(&pairs), [5.0, 14.0, 86.0, 122.0, 275.0, 338.0]);
    assert_eq!(all.shape(), [3, 4, 2]);
    // Element [1, 2]: the second matrix times the third vector.
    assert_eq!(vec32(&all)[(4 + 2) * 2..][..2], [149.0, 212.0]);
}

#[test]
fn pairwise_distances_and_their_gradient() {
    let [matrix, gradient] = pairwise::run_distances().unwrap();
    assert_eq!(matrix.shape(), [3, 4]);
    assert_eq!(vec32(&matrix), [5.0, 0.0, 8.0, 26.0, 0.0, 5.0, 1.0, 17.0, 8.0, 25.0, 5.0, 13.0]);
    assert_eq!(gradient.shape(), [3, 2]);
    // Σⱼ 2(pᵢ - qⱼ)
    assert_eq!(vec32(&gradient), [-16.0, -10.0, -8.0, 6.0, 8.0, 22.0]);
}
