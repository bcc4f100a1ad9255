//! Test data: arrays of generic points and of edge cases, and batches made of examples.

use jx_ir::{Array, DType, DTypeKind, Scalar, TensorType};

/// The golden ratio's fractional part: its multiples modulo 1 are spread evenly and never meet.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// An array of that type whose elements lie in `[lo, hi)` and, for floats wide enough, all differ and
/// are no special values. Another `salt` gives other elements.
#[must_use]
pub fn generic(ty: &TensorType, lo: f64, hi: f64, salt: u64) -> Array {
    let offset = (salt as f64 * 0.754_877_666_246_693 + 0.271_828).fract();
    let values = (0..ty.n_elements()).map(|i| {
        let unit = ((i + 1) as f64 * GOLDEN + offset).fract();
        match ty.dtype.kind() {
            DTypeKind::Bool => Scalar::from_i64(ty.dtype, i64::from(unit < 0.5)),
            DTypeKind::Signed => Scalar::from_i64(ty.dtype, (lo + (hi - lo) * unit).floor() as i64),
            DTypeKind::Unsigned => Scalar::from_i64(ty.dtype, (lo + (hi - lo) * unit).floor().abs() as i64),
            DTypeKind::Float => Scalar::from_f64(ty.dtype, lo + (hi - lo) * unit),
        }
    });
    from_scalars(ty, values)
}

/// The array of that type with these elements.
///
/// # Panics
/// If there are not as many as the type has: a mistake in a test.
pub fn from_scalars(ty: &TensorType, values: impl Iterator<Item = Scalar>) -> Array {
    match Array::from_scalars(ty, values) {
        Ok(array) => array,
        Err(why) => panic!("test data: {why}"),
    }
}

/// The array of that shape with these numbers, each rounded to the dtype (wrapped for integers).
///
/// # Panics
/// If there are not as many as the shape has: a mistake in a test.
#[must_use]
pub fn numbers(dtype: DType, shape: &[usize], values: &[f64]) -> Array {
    let scalar = |&v: &f64| match dtype.kind() {
        DTypeKind::Signed | DTypeKind::Unsigned => Scalar::from_i64(dtype, v as i64),
        DTypeKind::Bool | DTypeKind::Float => Scalar::from_f64(dtype, v),
    };
    from_scalars(&TensorType::new(dtype, shape), values.iter().map(scalar))
}

/// The values of a dtype at which implementations go wrong: zeros, ones, halves, extremes, NaN.
#[must_use]
pub fn edges(dtype: DType) -> Vec<Scalar> {
    match dtype.kind() {
        DTypeKind::Bool => vec![Scalar::zero(dtype), Scalar::one(dtype)],
        DTypeKind::Signed | DTypeKind::Unsigned => {
            let width = 8 * dtype.size_bytes() as i64;
            let small = [0, 1, 2, 3, 7, -1, -2, -7, width - 1, width].map(|v| Scalar::from_i64(dtype, v));
            let mut values: Vec<Scalar> = Vec::new();
            for v in small.into_iter().chain([Scalar::max_value(dtype), Scalar::min_value(dtype)]) {
                if !values.contains(&v) {
                    values.push(v);
                }
            }
            values
        }
        DTypeKind::Float => {
            let finite = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 3.0, 1e-3, -40.0, 100.0];
            let mut values = finite.map(|v| Scalar::from_f64(dtype, v)).to_vec();
            let infinity = Scalar::max_value(dtype);
            // The bits just below infinity are the greatest finite value, the bits 1 the least subnormal.
            values.extend([
                Scalar::from_f64(dtype, f64::NAN),
                infinity,
                Scalar::min_value(dtype),
                Scalar::from_bits(dtype, infinity.bits() - 1),
                Scalar::from_bits(dtype, 1),
            ]);
            values
        }
    }
}

/// The elements moved on by `k` places in row-major order, the last ones coming first: another example
/// of the same type from the same values.
#[must_use]
pub fn rolled(x: &Array, k: usize) -> Array {
    let n = x.n_elements();
    from_scalars(&x.ty(), (0..n).map(|i| x.get((i + n - k % n.max(1)) % n)))
}

/// The examples, of one type, as one array with a new axis at `axis` that counts them.
///
/// # Panics
/// If an example is not of type `ty` or the type has fewer than `axis` axes: a mistake in a test.
#[must_use]
pub fn stacked(ty: &TensorType, examples: &[Array], axis: usize) -> Array {
    assert!(examples.iter().all(|x| x.is_of(ty)), "examples are of one type");
    let inner: usize = ty.shape[axis..].iter().product();
    let mut shape = ty.shape.clone();
    shape.insert(axis, examples.len());
    let batched = ty.with_shape(shape);
    let n = batched.n_elements();
    let values = (0..n).map(|i| {
        let (rest, offset) = (i / inner, i % inner);
        let (outer, example) = (rest / examples.len(), rest % examples.len());
        examples[example].get(outer * inner + offset)
    });
    from_scalars(&batched, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_points_differ_and_stay_inside() {
        let mut values = generic(&TensorType::new(DType::F64, [5, 7]), -2.0, 3.0, 4).to_f64_vec();
        values.sort_by(f64::total_cmp);
        assert!(values.windows(2).all(|w| w[1] - w[0] > 1e-3));
        assert!(values[0] >= -2.0 && values[34] < 3.0);
    }

    #[test]
    fn stacking_puts_examples_along_the_axis() {
        let ty = TensorType::new(DType::I32, [2]);
        let examples = [numbers(DType::I32, &[2], &[1.0, 2.0]), numbers(DType::I32, &[2], &[3.0, 4.0])];
        assert_eq!(stacked(&ty, &examples, 0).to_string(), "[[1, 2], [3, 4]]");
        assert_eq!(stacked(&ty, &examples, 1).to_string(), "[[1, 3], [2, 4]]");
        assert_eq!(stacked(&ty, &[], 1).ty().to_string(), "i32[2,0]");
    }

    #[test]
    fn rolling_moves_the_last_elements_to_the_front() {
        let x = numbers(DType::I32, &[3], &[1.0, 2.0, 3.0]);
        assert_eq!(rolled(&x, 1).to_string(), "[3, 1, 2]");
        assert_eq!(rolled(&x, 3), x);
    }
}
