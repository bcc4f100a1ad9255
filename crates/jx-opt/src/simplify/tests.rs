//! Tests of the exact passes: what they make of small programs, and that every bit stays.

use super::fold::Folder;
use super::{fold_final, simplify};
use expect_test::{Expect, expect};
use jx_ir::{Array, Builder, DType, Func, Prim, Scalar, TensorType, eval, verify};
use jx_testkit::arrays::edges;

fn parse(text: &str) -> Func {
    match text.parse() {
        Ok(func) => func,
        Err(why) => panic!("{why}\n{text}"),
    }
}

/// The simplified program is the expected one, well formed, and at a fixed point.
fn check(text: &str, expected: Expect) {
    let simple = simplify(&parse(text));
    verify(&simple).unwrap();
    expected.assert_eq(&simple.to_string());
    assert_eq!(simplify(&simple), simple, "simplifying again changes nothing");
}

#[test]
fn repeated_equations_are_computed_once() {
    check(
        "func(%0: f32[]) -> (f32[], f32[]) {
          %1: f32[] = sin %0
          %2: f32[] = sin %0
          %3: f32[] = exp %1
          %4: f32[] = exp %2
          return %3 %4
        }",
        expect![[r#"
            func(%0: f32[]) -> (f32[], f32[]) {
              %1: f32[] = sin %0
              %2: f32[] = exp %1
              return %2 %2
            }"#]],
    );
}

#[test]
fn what_nothing_reads_goes_and_inputs_stay() {
    check(
        "func f(%0: f32[], %1: f32[]) -> (f32[]) {
          %2: f32[] = sin %0
          %3: f32[] = exp %2
          %4: f32[] = cos %1
          return %4
        }",
        expect![[r#"
            func f(%0: f32[], %1: f32[]) -> (f32[]) {
              %2: f32[] = cos %1
              return %2
            }"#]],
    );
}

#[test]
fn adding_zero_stays_but_adding_minus_zero_goes() {
    check(
        "func(%0: f32[2]) -> (f32[2], f32[2], f32[2]) {
          %1: f32[2] = full[value=0.0:f32, shape=[2]]
          %2: f32[2] = full[value=-0.0:f32, shape=[2]]
          %3: f32[2] = add %0 %1
          %4: f32[2] = add %0 %2
          %5: f32[2] = sub %0 %1
          return %3 %4 %5
        }",
        expect![[r#"
            func(%0: f32[2]) -> (f32[2], f32[2], f32[2]) {
              %1: f32[2] = full[value=0.0:f32, shape=[2]]
              %2: f32[2] = add %0 %1
              return %2 %0 %0
            }"#]],
    );
}

#[test]
fn a_full_stays_a_full_however_large() {
    check(
        "func(%0: f32[]) -> (f32[1000000,1000000], f32[]) {
          %1: f32[1000000] = full[value=2.0:f32, shape=[1000000]]
          %2: f32[1000000] = square %1
          %3: f32[1000000,1000000] = broadcast_in_dim[shape=[1000000, 1000000], broadcast_dimensions=[1]] %2
          %4: f32[1000000,1000000] = transpose[permutation=[1, 0]] %3
          %5: f32[] = reduce_sum[axes=[0]] %1
          return %4 %5
        }",
        expect![[r#"
            func(%0: f32[]) -> (f32[1000000,1000000], f32[]) {
              %1: f32[1000000,1000000] = full[value=4.0:f32, shape=[1000000, 1000000]]
              %2: f32[] = full[value=2000000.0:f32, shape=[]]
              return %1 %2
            }"#]],
    );
}

#[test]
fn small_constants_fold_and_growing_ones_do_not() {
    check(
        "func() -> (f32[3], f32[3,3]) {
          %0: f32[3] = constant[value=f32[3]{1.0, 2.0, 3.0}]
          %1: f32[3] = full[value=2.0:f32, shape=[3]]
          %2: f32[3] = mul %0 %1
          %3: f32[3,3] = broadcast_in_dim[shape=[3, 3], broadcast_dimensions=[1]] %2
          return %2 %3
        }",
        expect![[r#"
            func() -> (f32[3], f32[3,3]) {
              %0: f32[3] = constant[value=f32[3]{2.0, 4.0, 6.0}]
              %1: f32[3,3] = broadcast_in_dim[shape=[3, 3], broadcast_dimensions=[1]] %0
              return %0 %1
            }"#]],
    );
}

#[test]
fn large_constants_are_not_computed_with() {
    let table = Array::full([100_000], Scalar::from_f64(DType::F32, 3.0));
    let mut b = Builder::new();
    let table = b.constant(table);
    let root = b.sqrt(table);
    let total = b.reduce_sum(root, &[0]);
    let func = b.finish(&[total]);
    assert_eq!(simplify(&func), func);
}

#[test]
fn chains_of_moves_become_one() {
    check(
        "func(%0: f32[4,6]) -> (f32[3,8], f32[4,6], f32[2,1], f32[5,4,6], f32[4,6]) {
          %1: f32[24] = reshape[shape=[24]] %0
          %2: f32[3,8] = reshape[shape=[3, 8]] %1
          %3: f32[6,4] = transpose[permutation=[1, 0]] %0
          %4: f32[4,6] = transpose[permutation=[1, 0]] %3
          %5: f32[2,3] = slice[start=[1, 0], limit=[4, 6], strides=[2, 2]] %0
          %6: f32[2,1] = slice[start=[0, 1], limit=[2, 2], strides=[1, 1]] %5
          %7: f32[1,4,6] = broadcast_in_dim[shape=[1, 4, 6], broadcast_dimensions=[1, 2]] %0
          %8: f32[5,4,6] = broadcast_in_dim[shape=[5, 4, 6], broadcast_dimensions=[0, 1, 2]] %7
          %9: f32[4,6] = rev[dimensions=[0, 1]] %0
          %10: f32[4,6] = rev[dimensions=[1]] %9
          return %2 %4 %6 %8 %10
        }",
        expect![[r#"
            func(%0: f32[4,6]) -> (f32[3,8], f32[4,6], f32[2,1], f32[5,4,6], f32[4,6]) {
              %1: f32[3,8] = reshape[shape=[3, 8]] %0
              %2: f32[2,1] = slice[start=[1, 2], limit=[4, 3], strides=[2, 1]] %0
              %3: f32[5,4,6] = broadcast_in_dim[shape=[5, 4, 6], broadcast_dimensions=[1, 2]] %0
              %4: f32[4,6] = rev[dimensions=[0]] %0
              return %1 %0 %2 %3 %4
            }"#]],
    );
}

#[test]
fn a_known_predicate_selects_and_a_negated_one_swaps() {
    check(
        "func(%0: f32[], %1: f32[], %2: bool[]) -> (f32[], f32[], f32[]) {
          %3: bool[] = full[value=true:bool, shape=[]]
          %4: f32[] = select_n %3 %0 %1
          %5: bool[] = not %2
          %6: f32[] = select_n %5 %0 %1
          %7: f32[] = select_n %2 %0 %0
          return %4 %6 %7
        }",
        expect![[r#"
            func(%0: f32[], %1: f32[], %2: bool[]) -> (f32[], f32[], f32[]) {
              %3: f32[] = select_n %2 %1 %0
              return %1 %3 %0
            }"#]],
    );
}

#[test]
fn conversions_there_and_back_go_only_if_nothing_is_lost() {
    check(
        "func(%0: f32[], %1: i32[], %2: u8[]) -> (f32[], i32[], i8[], i32[]) {
          %3: f64[] = convert_element_type[dtype=f64] %0
          %4: f32[] = convert_element_type[dtype=f32] %3
          %5: f32[] = convert_element_type[dtype=f32] %1
          %6: i32[] = convert_element_type[dtype=i32] %5
          %7: f32[] = convert_element_type[dtype=f32] %2
          %8: i8[] = convert_element_type[dtype=i8] %7
          %9: i32[] = convert_element_type[dtype=i32] %7
          return %4 %6 %8 %9
        }",
        expect![[r#"
            func(%0: f32[], %1: i32[], %2: u8[]) -> (f32[], i32[], i8[], i32[]) {
              %3: f32[] = convert_element_type[dtype=f32] %1
              %4: i32[] = convert_element_type[dtype=i32] %3
              %5: f32[] = convert_element_type[dtype=f32] %2
              %6: i8[] = convert_element_type[dtype=i8] %5
              %7: i32[] = convert_element_type[dtype=i32] %2
              return %0 %4 %6 %7
            }"#]],
    );
}

#[test]
fn zero_wins_products_are_plain_ones_where_a_factor_is_known() {
    check(
        "func(%0: f32[]) -> (f32[], f32[], f32[], f32[]) {
          %1: f32[] = full[value=1.0:f32, shape=[]]
          %2: f32[] = full[value=3.0:f32, shape=[]]
          %3: f32[] = full[value=-0.0:f32, shape=[]]
          %4: f32[] = mul_no_nan %1 %0
          %5: f32[] = mul_no_nan %2 %0
          %6: f32[] = mul_no_nan %3 %0
          %7: f32[] = mul_no_nan %0 %2
          return %4 %5 %6 %7
        }",
        expect![[r#"
            func(%0: f32[]) -> (f32[], f32[], f32[], f32[]) {
              %1: f32[] = full[value=3.0:f32, shape=[]]
              %2: f32[] = full[value=-0.0:f32, shape=[]]
              %3: f32[] = mul %1 %0
              %4: f32[] = mul_no_nan %2 %0
              %5: f32[] = mul %0 %1
              return %0 %3 %4 %5
            }"#]],
    );
}

#[test]
fn a_window_at_a_known_place_is_a_slice() {
    check(
        "func(%0: f32[4,5], %1: f32[4,5]) -> (f32[2,3], f32[4,5], f32[4,5]) {
          %2: i32[] = full[value=-7:i32, shape=[]]
          %3: i32[] = full[value=9:i32, shape=[]]
          %4: f32[2,3] = dynamic_slice[slice_sizes=[2, 3]] %0 %2 %3
          %5: f32[4,5] = dynamic_slice[slice_sizes=[4, 5]] %0 %3 %3
          %6: f32[4,5] = dynamic_update_slice %0 %1 %3 %3
          return %4 %5 %6
        }",
        expect![[r#"
            func(%0: f32[4,5], %1: f32[4,5]) -> (f32[2,3], f32[4,5], f32[4,5]) {
              %2: f32[2,3] = slice[start=[0, 2], limit=[2, 5], strides=[1, 1]] %0
              return %2 %0 %1
            }"#]],
    );
}

#[test]
fn gradients_stop_until_the_last_pass() {
    let func = parse(
        "func(%0: f32[]) -> (f32[]) {
          %1: f32[] = stop_gradient %0
          %2: f32[] = sin %1
          return %2
        }",
    );
    assert_eq!(simplify(&func), func);
    assert_eq!(fold_final(&func).eqns().len(), 1);
}

/// Every rule of algebra on every pair of edge values: the same bits, NaN for NaN.
#[test]
fn exact_rules_keep_every_bit_at_the_edges() {
    let rules = [
        "%2: T[N] = neg %0\n %3: T[N] = neg %2",
        "%2: T[N] = abs %0\n %3: T[N] = abs %2",
        "%2: T[N] = neg %1\n %3: T[N] = add %0 %2",
        "%2: T[N] = neg %1\n %3: T[N] = sub %0 %2",
        "%2: T[N] = full[value=0.0:T, shape=[N]]\n %3: T[N] = add %0 %2",
        "%2: T[N] = full[value=-0.0:T, shape=[N]]\n %3: T[N] = add %2 %0",
        "%2: T[N] = full[value=0.0:T, shape=[N]]\n %3: T[N] = sub %0 %2",
        "%2: T[N] = full[value=0.0:T, shape=[N]]\n %3: T[N] = sub %2 %0",
        "%2: T[N] = full[value=1.0:T, shape=[N]]\n %3: T[N] = mul %0 %2",
        "%2: T[N] = full[value=1.0:T, shape=[N]]\n %3: T[N] = div %0 %2",
        "%2: T[N] = full[value=0.0:T, shape=[N]]\n %3: T[N] = mul %0 %2",
        "%2: T[N] = full[value=1.0:T, shape=[N]]\n %3: T[N] = mul_no_nan %2 %0",
        "%2: T[N] = full[value=1.0:T, shape=[N]]\n %3: T[N] = mul_no_nan %0 %2",
        "%2: T[N] = full[value=-0.0:T, shape=[N]]\n %3: T[N] = mul_no_nan %2 %0",
        "%2: T[N] = full[value=nan:T, shape=[N]]\n %3: T[N] = mul_no_nan %2 %0",
        "%2: T[N] = integer_pow[exponent=1] %0\n %3: T[N] = add %2 %1",
    ];
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        let values = edges(dtype);
        let pairs = || values.iter().flat_map(|&x| values.iter().map(move |&y| [x, y]));
        let ty = TensorType::new(dtype, [values.len() * values.len()]);
        let inputs = [0, 1].map(|i| Array::from_scalars(&ty, pairs().map(|pair| pair[i])).unwrap());
        for rule in rules {
            let body = rule.replace("[N]", &format!("[{}]", ty.shape[0])).replace('T', dtype.name());
            let head = format!("func(%0: {ty}, %1: {ty}) -> ({ty})");
            let func = parse(&format!("{head} {{\n{body}\n return %3\n}}"));
            let (want, got) = (eval(&func, &inputs).unwrap(), eval(&simplify(&func), &inputs).unwrap());
            for (i, (want, got)) in want[0].scalars().zip(got[0].scalars()).enumerate() {
                let same = want == got || (want.as_f64().is_nan() && got.as_f64().is_nan());
                let (x, y) = (inputs[0].get(i), inputs[1].get(i));
                assert!(same, "at {x:?}, {y:?}: {got:?} instead of {want:?} for\n{func}");
            }
        }
    }
}

/// One equation costs a bounded number of rewrites, however long the chain that it ends.
#[test]
fn work_is_linear_in_the_program() {
    let chain = |n: usize| {
        let mut b = Builder::new();
        let x = b.input(TensorType::new(DType::F32, [2, 3]));
        let (one, mut y) = (b.full_like(x, 1.0), x);
        for _ in 0..n {
            y = b.emit1(Prim::Transpose { permutation: vec![1, 0] }, &[y]);
            y = b.emit1(Prim::Transpose { permutation: vec![1, 0] }, &[y]);
            y = b.sin(y);
            let z = b.neg(y);
            let z = b.neg(z);
            y = b.mul(z, one);
        }
        b.finish(&[y])
    };
    let rewrites = |n: usize| Folder::walk(&chain(n), false).1;
    assert_eq!(rewrites(1000), 10 * rewrites(100));
    // 6,000 equations become a thousand sines.
    assert_eq!(simplify(&chain(1000)).eqns().len(), 1000);
}
