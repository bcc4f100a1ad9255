//! The meaning of sorting.

use super::elements;
use super::movement::take;
use super::reduce::lines;
use super::value::{Value, any};
use crate::Array;

/// As in JAX 0.10.2, every NaN is last and equal to every other, whatever its sign; zeros are equal.
pub(super) fn sort(dimension: usize, num_keys: usize, inputs: &[&Array]) -> Vec<Array> {
    let key =
        |x: &&Array| -> Vec<u64> { any!(x.dtype(), T => elements::<T>(x).iter().map(|&v| v.sort_key()).collect()) };
    let keys: Vec<Vec<u64>> = inputs[..num_keys].iter().map(key).collect();
    let shape = inputs[0].shape();
    let mut sources: Vec<usize> = (0..inputs[0].n_elements()).collect();
    for line in lines(shape, dimension) {
        let mut sorted = line.clone();
        sorted.sort_by(|&a, &b| keys.iter().map(|k| k[a]).cmp(keys.iter().map(|k| k[b])));
        for (&to, from) in line.iter().zip(sorted) {
            sources[to] = from;
        }
    }
    inputs.iter().map(|&x| take(x, &sources, shape)).collect()
}

#[cfg(test)]
mod tests {
    use crate::eval::eval_prim;
    use crate::eval::testing::{assert_same, shaped, vector};
    use crate::{Array, Prim};

    const INF: f64 = f64::INFINITY;

    #[test]
    fn nan_is_last_and_zeros_keep_their_order() {
        // JAX 0.10.2: lax.sort((x, arange(10)), num_keys=1).
        let x = vector(&[f64::NAN, 1.0, -0.0, 0.0, -f64::NAN, -INF, INF, -1.0, 0.0, -0.0]);
        let order = vector(&[0_i32, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let sorted = eval_prim(&Prim::Sort { dimension: 0, num_keys: 1 }, &[&x, &order]).unwrap();
        assert_same(&sorted[0], &vector(&[-INF, -1.0, -0.0, 0.0, 0.0, -0.0, 1.0, INF, f64::NAN, f64::NAN]));
        assert_eq!(sorted[1], vector(&[5_i32, 7, 2, 3, 8, 9, 1, 6, 0, 4]));
    }

    #[test]
    fn later_keys_break_ties_and_other_operands_follow() {
        // JAX 0.10.2: lax.sort((x, y), num_keys=2) gives y = [1, 2, 1, 2].
        let (x, y) = (vector(&[f64::NAN, f64::NAN, -0.0, 0.0]), vector(&[2.0, 1.0, 2.0, 1.0]));
        let z = vector(&[0_u8, 1, 2, 3]);
        let sorted = eval_prim(&Prim::Sort { dimension: 0, num_keys: 2 }, &[&x, &y, &z]).unwrap();
        assert_same(&sorted[0], &vector(&[0.0, -0.0, f64::NAN, f64::NAN]));
        assert_eq!(sorted[1..], [vector(&[1.0, 2.0, 1.0, 2.0]), vector(&[3_u8, 2, 1, 0])]);
    }

    #[test]
    fn each_line_is_sorted_by_itself_in_every_dtype() {
        let sort = |dimension, x: &Array| eval_prim(&Prim::Sort { dimension, num_keys: 1 }, &[x]).unwrap().remove(0);
        let x = shaped(&[2, 3], &[3_i8, -128, 2, 0, 127, -1]);
        assert_eq!(sort(1, &x), shaped(&[2, 3], &[-128_i8, 2, 3, -1, 0, 127]));
        assert_eq!(sort(0, &x), shaped(&[2, 3], &[0_i8, -128, -1, 3, 127, 2]));
        assert_eq!(sort(0, &vector(&[u64::MAX, 0, 1 << 63])), vector(&[0, 1 << 63, u64::MAX]));
        assert_eq!(sort(0, &vector(&[i64::MAX, i64::MIN, -1])), vector(&[i64::MIN, -1, i64::MAX]));
        assert_eq!(sort(0, &vector(&[true, false, true])), vector(&[false, true, true]));
        assert_eq!(sort(1, &shaped::<f32>(&[3, 0], &[])), shaped::<f32>(&[3, 0], &[]));
    }
}
