//! Numbers beside tensors of every dtype, on either side.

use super::assert_close;
use jx::numpy as jnp;
use jx::prelude::*;

const FLOATS: [DType; 4] = [DType::F16, DType::BF16, DType::F32, DType::F64];
const INTEGERS: [DType; 8] =
    [DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64];

#[test]
fn a_number_takes_the_dtype_of_a_float_tensor_on_either_side() {
    for dtype in FLOATS {
        let f = jit(move |x: Tensor| {
            let x = x.astype(dtype);
            let sums = stack([x + 1.5, 1.5 + x, x - 1, 1_i32 - x, x * 2_u8, 2.0_f32 * x, x / 2.0, 8_i64 / x], 0);
            let others = stack(
                [
                    jnp::maximum(3, x),
                    x.minimum(1),
                    jnp::pow(2.0, x),
                    x.pow(2),
                    jnp::where_(x.gt(9), 0, x),
                    x % 3,
                    5 % x,
                ],
                0,
            );
            (sums, others)
        });
        let (sums, others) = f.call(4.0_f32).unwrap_or_else(|e| panic!("{dtype}: {e}"));
        assert_eq!((sums.dtype(), others.dtype()), (dtype, dtype));
        assert_close(&sums, &[5.5, 5.5, 3.0, -3.0, 8.0, 8.0, 2.0, 2.0], dtype.name());
        assert_close(&others, &[4.0, 1.0, 16.0, 16.0, 4.0, 1.0, 1.0], dtype.name());
    }
}

#[test]
fn a_number_takes_the_dtype_of_an_integer_tensor_on_either_side() {
    for dtype in INTEGERS {
        let f = jit(move |x: Tensor| {
            let x = x.astype(dtype);
            let parts = [
                x + 1,
                9 - x,
                x * 2_u64,
                9_i8 / x,
                9 % x,
                x % 3,
                x & 6,
                1 | x,
                x ^ 1_usize,
                x << 1,
                1 << x,
                32 >> x,
                x + 2.0,
            ];
            (stack(parts, 0), jnp::equal(4, x), x.less(5))
        });
        let (parts, equal, less) = f.call(4_i32).unwrap_or_else(|e| panic!("{dtype}: {e}"));
        assert_eq!(parts.dtype(), dtype);
        assert_close(&parts, &[5.0, 5.0, 8.0, 2.0, 1.0, 1.0, 4.0, 5.0, 5.0, 8.0, 16.0, 2.0, 6.0], dtype.name());
        assert!(equal.item::<bool>().expect("bool") && less.item::<bool>().expect("bool"));
    }
}

#[test]
fn a_number_that_the_dtype_cannot_hold_is_refused() {
    let half = jit(|x: Tensor| x + 0.5).call(1_i32).expect_err("0.5 is no i32");
    assert!(half.to_string().starts_with("add: the number 0.5 is not a i32"), "{half}");
    let large = jit(|x: Tensor| 300 * x).call(1_u8).expect_err("300 is no u8");
    assert!(large.to_string().starts_with("mul: the number 300 is not a u8"), "{large}");
    let truth = jit(|x: Tensor| where_(x.gt(0.0), true, x)).call(1.0_f32).expect_err("true is no f32");
    assert!(truth.to_string().starts_with("where_: the number true is not a f32"), "{truth}");
    let both = jit(|x: Tensor| where_(x.gt(0.0), 1.0, 0.0)).call(1.0_f32).expect_err("no dtype is given");
    assert!(both.to_string().contains("both operands are numbers"), "{both}");
}
