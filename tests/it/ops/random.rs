//! Random numbers against those of JAX 0.10.2 with `jax_threefry_partitionable=True` and key 42.

use super::assert_close;
use jx::prelude::*;

fn key() -> Array {
    random::key_array(42)
}

fn bits_of(x: &Array) -> Vec<u64> {
    x.to_host().expect("on the host").scalars().map(|s| s.bits()).collect()
}

#[test]
fn keys_split_and_fold_as_in_jax() {
    let [a, b] = random::split(&key()).expect("a key splits");
    assert_eq!(a.to_vec::<u32>().expect("u32"), [1832780943, 270669613]);
    assert_eq!(b.to_vec::<u32>().expect("u32"), [64467757, 2916123636]);
    let three = random::split_n(&key(), 3).expect("a key splits");
    let expected = [1832780943, 270669613, 64467757, 2916123636, 2465931498, 255383827];
    assert_eq!(three.to_vec::<u32>().expect("u32"), expected);
    let folded = |data| random::fold_in(&key(), data).expect("a key folds").to_vec::<u32>().expect("u32");
    assert_eq!(folded(7), [2547012911, 1371500959]);
    assert_eq!(folded(4_000_000_000), [4151844817, 2174040936]);
    assert_eq!(random::key_array((1 << 40) + 3).to_vec::<u32>().expect("u32"), [256, 3]);
}

#[test]
fn bits_are_jaxs() {
    let bits = |dtype| bits_of(&random::bits(&key(), [4], dtype).expect("bits"));
    assert_eq!(bits(DType::U8), [162, 217, 249, 215]);
    assert_eq!(bits(DType::U16), [5026, 12505, 63993, 49623]);
    assert_eq!(bits(DType::U32), [2098992034, 2919706841, 2646866425, 2409546199]);
    let wide = [7871734211187709741, 276886910877598708, 10591095138341673235, 13462782411356743825];
    assert_eq!(bits(DType::U64), wide);
}

#[test]
fn uniform_is_jaxs_bit_for_bit() {
    let uniform = |dtype| bits_of(&random::uniform(&key(), [4], dtype).expect("floats"));
    assert_eq!(uniform(DType::F16), [0x2ce0, 0x3218, 0x3bce, 0x3a0e]);
    assert_eq!(uniform(DType::BF16), [0x3f22, 0x3f58, 0x3f78, 0x3f56]);
    assert_eq!(uniform(DType::F32), [0x3efa3824, 0x3f2e0730, 0x3f1dc3f8, 0x3f0f9ec0]);
    let wide = [0x3fdb4f8123c40884, 0x3f8ebd996d6e8400, 0x3fe25f641d41e71a, 0x3fe75aad28c6a974];
    assert_eq!(uniform(DType::F64), wide);
    let between = random::uniform_between(&key(), [4], DType::F32, -3.0, 5.0).expect("floats");
    assert_eq!(bits_of(&between), [0x3f68e090, 0x401c0e60, 0x3ff70fe0, 0x3fbe7b00]);
    let scalar = random::uniform(&key(), [], DType::F32).expect("a float").item::<f32>().expect("one");
    assert_eq!(scalar, 0.488_709_57);
}

#[test]
fn normal_is_jaxs_up_to_the_last_places() {
    let x = random::normal(&key(), [6], DType::F32).expect("floats").to_vec::<f32>().expect("f32");
    let expected = [-0.028304616_f32, 0.46713185, 0.29570296, 0.15354592, -0.12403282, 0.21692315];
    for (a, b) in x.iter().zip(expected) {
        // JAX's own `erf_inv` is up to 2 units in the last place off here, and its product with √2 rounds.
        assert!(a.to_bits().abs_diff(b.to_bits()) <= 4, "{a} is not {b}");
    }
    let x = random::normal(&key(), [4], DType::F64).expect("floats");
    assert_close(&x, &[-0.18471174528191162, -2.169824560397754, 0.18693555179382582, 0.6122653570510959], "f64");
    let x = random::normal(&key(), [4], DType::BF16).expect("floats");
    assert_close(&x, &[0.34375, 1.015625, 1.890625, 0.984375], "bf16");
}

#[test]
fn discrete_draws_are_jaxs() {
    let heads = random::bernoulli(&key(), 0.3, [8]).expect("truth values").to_vec::<bool>().expect("bool");
    assert_eq!(heads, [false, false, false, false, false, false, true, false]);
    for dtype in [DType::I8, DType::U8, DType::I16, DType::I32, DType::U32] {
        let x = random::randint(&key(), [5], 3, 100, dtype).expect("integers");
        assert_close(&x, &[38.0, 79.0, 89.0, 54.0, 28.0], dtype.name());
    }
    for dtype in [DType::I64, DType::U64] {
        let x = random::randint(&key(), [5], 3, 100, dtype).expect("integers");
        assert_close(&x, &[34.0, 78.0, 93.0, 73.0, 60.0], dtype.name());
    }
    let all = random::randint(&key(), [5], 0, 256, DType::U8).expect("integers");
    assert_close(&all, &[196.0, 18.0, 183.0, 193.0, 141.0], "u8");
    let signed = random::randint(&key(), [5], -1000, 1000, DType::I32).expect("integers");
    assert_close(&signed, &[-356.0, -86.0, -929.0, -631.0, 709.0], "i32");
    let none = random::randint(&key(), [2], 5, 5, DType::I32).expect("integers");
    assert_close(&none, &[5.0, 5.0], "i32");
}

#[test]
fn orders_are_jaxs() {
    let order = random::permutation(&key(), 10).expect("an order").to_vec::<i32>().expect("i32");
    assert_eq!(order, [7, 4, 2, 5, 3, 6, 8, 9, 0, 1]);
    let order = random::permutation(&key(), 2000).expect("an order").to_vec::<i32>().expect("i32");
    assert_eq!(order[..8], [1474, 815, 539, 874, 1693, 84, 995, 1191]);
    let f = jit(|key: Tensor| random::shuffle(key, arange(12, DType::F64).reshape([3, 4]), 1));
    let x = f.call(key()).expect("an order");
    assert_close(&x, &[2.0, 3.0, 0.0, 1.0, 6.0, 7.0, 4.0, 5.0, 10.0, 11.0, 8.0, 9.0], "shuffle");
}

#[test]
fn further_distributions_are_jaxs() {
    let draw = |x: Result<Array, jx::Error>| x.expect("floats");
    let expected = [0.670817494392395, 1.1388006210327148, 0.9578199982643127, 0.8232924938201904];
    assert_close(&draw(random::exponential(&key(), [4], DType::F32)), &expected, "exponential");
    let expected = [0.3340933918952942, 0.952019453048706, 0.7255305647850037, 0.5481715202331543];
    assert_close(&draw(random::gumbel(&key(), [4], DType::F32)), &expected, "gumbel");
    let expected = [0.14770005643367767, 0.5684449076652527, 0.42102551460266113, 0.29997000098228455];
    assert_close(&draw(random::truncated_normal(&key(), [4], DType::F32, -1.0, 2.0)), &expected, "truncated");
    let f = jit(|key: Tensor, p: Tensor| random::categorical(key, p.log(), -1, &[4]));
    let p = Array::from([[0.1_f32, 0.2, 0.7], [0.5, 0.25, 0.25]]);
    assert_close(&f.call((key(), p)).expect("indices"), &[2.0, 0.0, 2.0, 0.0, 1.0, 0.0, 1.0, 2.0], "categorical");
}

#[test]
fn a_draw_is_the_same_inside_and_outside_a_function_and_under_vmap() {
    let outside = random::normal(&key(), [3], DType::F32).expect("floats");
    let inside = jit(|x: Tensor| random::normal(random::key(42), [3], DType::F32) + x);
    assert_eq!(inside.call(0.0_f32).expect("floats"), outside);
    let each = jit(|key: Tensor| {
        let keys = random::split_n(key, 3);
        (
            vmap(|k: Tensor| random::uniform(k, [2], DType::F32), 0)(keys),
            random::uniform(keys.index(1), [2], DType::F32),
        )
    });
    let (all, second) = each.call(key()).expect("floats");
    assert_eq!(all.to_vec::<f32>().expect("f32")[2..4], second.to_vec::<f32>().expect("f32")[..]);
}

#[test]
fn what_is_no_key_or_dtype_is_refused() {
    let error = random::uniform(Array::from([1_i32, 2]), [2], DType::F32).expect_err("no key");
    assert!(error.to_string().contains("a key is u32[2]"), "{error}");
    let error = random::normal(&key(), [2], DType::I32).expect_err("no float");
    assert!(error.to_string().contains("normal: the dtype must be a float, not i32"), "{error}");
    let error = jit(|x: Tensor| random::randint(x, [2], 0, 3, DType::I32)).call(1.0_f32).expect_err("no key");
    assert!(error.to_string().contains("randint: a key is u32[2]"), "{error}");
}
