//! Ill-formed programs are told from well-formed ones, wherever they come from.

use crate::samples::{every_prim, f32s, mapped_gradient, nested, sum_of_squares};
use crate::{
    Array, BinaryOp, DType, Eqn, Func, MAX_NESTING, Origin, Param, Prim, Scalar, TensorType, UnaryOp, Var, VerifyFault,
    verify,
};
use expect_test::{Expect, expect};
use proptest::prelude::*;
use serde_json::Value;
use std::sync::Arc;

/// Five equations in a row, one of which a test breaks.
fn chain() -> Func {
    let text = "func chain(%0: f32[3], %1: f32[3]) {
        %2 = sin %0  %3 = mul %2 %1  %4 = exp %3  %5 = add %4 %1  %6 = reduce_sum[axes=[0]] %5
        return %6
    }";
    text.parse().expect("the text is a program")
}

fn check(damage: impl FnOnce(&mut Func), expected: Expect) {
    let mut func = chain();
    damage(&mut func);
    let why = verify(&func).expect_err("the program is damaged");
    expected.assert_eq(&why.to_string());
    // What verify refuses, deserialising refuses for the same reason.
    let json = serde_json::to_string(&func).expect("programs serialise");
    let refused = serde_json::from_str::<Func>(&json).expect_err("the program is damaged").to_string();
    assert!(refused.contains(&why.fault.to_string()), "{refused}");
}

#[test]
fn well_formed_programs_are_accepted() {
    for func in [chain(), every_prim(), mapped_gradient(), nested(MAX_NESTING)] {
        assert_eq!(verify(&func), Ok(()));
    }
}

#[test]
fn the_ill_typed_equation_is_shown_among_its_neighbours() {
    check(
        |f| f.types[1] = f32s(&[4]),
        expect![[r#"
        equation 1 (mul): mul: operand shapes differ: f32[3] and f32[4]; broadcast or reshape one of them first
          %2: f32[3] = sin %0
        > %3: f32[3] = mul %2 %1
          %4: f32[3] = exp %3
          %5: f32[3] = add %4 %1"#]],
    );
    check(
        |f| f.types[4] = TensorType::new(DType::F64, [3]),
        expect![[r#"
        equation 2 (exp): result %4 is stored as f64[3], but the primitive gives f32[3]
          %2: f32[3] = sin %0
          %3: f32[3] = mul %2 %1
        > %4: f64[3] = exp %3
          %5: f32[3] = add %4 %1
          %6: f32[] = reduce_sum[axes=[0]] %5"#]],
    );
    check(
        |f| f.eqns[1].prim = Prim::Unary(UnaryOp::Sin),
        expect![[r#"
        equation 1 (sin): sin: takes 1 operands, but 2 were given
          %2: f32[3] = sin %0
        > %3: f32[3] = sin %2 %1
          %4: f32[3] = exp %3
          %5: f32[3] = add %4 %1"#]],
    );
}

#[test]
fn variables_are_defined_in_order_before_their_use() {
    check(
        |f| f.eqns[2].inputs = vec![Var(5)],
        expect![[r#"
        equation 2 (exp): operand %5 is not defined before its use; 4 variables are, from %0 on
          %2: f32[3] = sin %0
          %3: f32[3] = mul %2 %1
        > %4: f32[3] = exp %5
          %5: f32[3] = add %4 %1
          %6: f32[] = reduce_sum[axes=[0]] %5"#]],
    );
    check(
        |f| f.eqns[2].inputs = vec![Var(u32::MAX)],
        expect![[r#"
        equation 2 (exp): operand %4294967295 is not defined before its use; 4 variables are, from %0 on
          %2: f32[3] = sin %0
          %3: f32[3] = mul %2 %1
        > %4: f32[3] = exp %4294967295
          %5: f32[3] = add %4 %1
          %6: f32[] = reduce_sum[axes=[0]] %5"#]],
    );
    check(
        |f| f.eqns[2].inputs = vec![Var(4)],
        expect![[r#"
        equation 2 (exp): operand %4 is not defined before its use; 4 variables are, from %0 on
          %2: f32[3] = sin %0
          %3: f32[3] = mul %2 %1
        > %4: f32[3] = exp %4
          %5: f32[3] = add %4 %1
          %6: f32[] = reduce_sum[axes=[0]] %5"#]],
    );
    check(
        |f| f.eqns[2].outputs = vec![Var(5)],
        expect![[r#"
        equation 2 (exp): result %5 should be %4: variables are numbered in order of definition
          %2: f32[3] = sin %0
          %3: f32[3] = mul %2 %1
        > %5: f32[3] = exp %3
          %5: f32[3] = add %4 %1
          %6: f32[] = reduce_sum[axes=[0]] %5"#]],
    );
    check(
        |f| f.eqns[2].outputs = vec![],
        expect![[r#"
        equation 2 (exp): the primitive has 1 results, but 0 variables are defined
          %2: f32[3] = sin %0
          %3: f32[3] = mul %2 %1
        > exp %3
          %5: f32[3] = add %4 %1
          %6: f32[] = reduce_sum[axes=[0]] %5"#]],
    );
    check(
        |f| f.eqns.swap(1, 2),
        expect![[r#"
        equation 1 (exp): operand %3 is not defined before its use; 3 variables are, from %0 on
          %2: f32[3] = sin %0
        > %4: f32[3] = exp %3
          %3: f32[3] = mul %2 %1
          %5: f32[3] = add %4 %1"#]],
    );
    check(|f| f.outputs = vec![Var(6), Var(7)], expect!["output 1 is %7, which is not defined"]);
}

#[test]
fn every_variable_has_one_type() {
    check(
        |f| f.n_inputs = usize::MAX,
        expect!["there are 18446744073709551615 inputs, but only 7 variables have a type"],
    );
    check(
        |f| f.types.truncate(4),
        expect![[r#"
        equation 2 (exp): result %4 has no type: the program has types for 4 variables only
          %2: f32[3] = sin %0
          %3: f32[3] = mul %2 %1
        > %4: ? = exp %3
          %5: ? = add %4 %1
          %6: ? = reduce_sum[axes=[0]] %5"#]],
    );
    check(|f| f.types.push(f32s(&[])), expect!["8 variables have a type, but only 7 are defined"]);
    check(
        |f| f.types[0] = f32s(&[usize::MAX, 2]),
        expect!["input %0 is f32[18446744073709551615,2], which has too many elements to address"],
    );
    check(|f| f.types.clear(), expect!["there are 2 inputs, but only 0 variables have a type"]);
}

fn wrap(func: Func, prim: impl FnOnce(Arc<Func>) -> Prim) -> Func {
    let types: Vec<TensorType> = vec![f32s(&[3]), f32s(&[])];
    let eqn = Eqn { prim: prim(Arc::new(func)), inputs: vec![Var(0)], outputs: vec![Var(1)], origin: Origin(None) };
    Func { name: None, n_inputs: 1, types, eqns: vec![eqn], outputs: vec![Var(1)] }
}

#[test]
fn a_fault_in_a_nested_program_has_its_path() {
    let mut bad = sum_of_squares("loss");
    bad.types[1] = f32s(&[4]);
    let called = wrap(bad, |func| Prim::Call { func });
    let gradient = wrap(called, |func| Prim::Jvp { func, wrt: vec![] });
    let why = verify(&gradient).expect_err("the innermost program is damaged");
    assert_eq!(why.path.iter().map(|place| place.prim).collect::<Vec<_>>(), ["jvp", "call"]);
    expect![[r#"
        equation 0 (square), in func of equation 0 (call), in func of equation 0 (jvp): result %1 is stored as f32[4], but the primitive gives f32[3]
        > %1: f32[4] = square %0
          %2: f32[] = reduce_sum[axes=[0]] %1"#]].assert_eq(&why.to_string());
}

#[test]
fn a_damaged_nested_program_is_shown_without_a_look_inside() {
    let mut bad = sum_of_squares("loss");
    bad.n_inputs = usize::MAX;
    let mut outer = wrap(bad, |func| Prim::Call { func });
    assert!(matches!(*verify(&outer).unwrap_err().fault, VerifyFault::Inputs { .. }));
    // The node is drawn as a neighbour of a fault before it, when it has not been verified yet.
    let types = vec![f32s(&[3]), f32s(&[4])];
    let sin =
        Eqn { prim: Prim::Unary(UnaryOp::Sin), inputs: vec![Var(0)], outputs: vec![Var(1)], origin: Origin(None) };
    outer.eqns.insert(0, sin);
    outer.types = types;
    expect![[r#"
        equation 0 (sin): result %1 is stored as f32[4], but the primitive gives f32[3]
        > %1: f32[4] = sin %0
          %1: f32[4] = call[func=loss(…) {…}] %0"#]]
    .assert_eq(&verify(&outer).unwrap_err().to_string());
}

#[test]
fn nesting_is_bounded() {
    let why = verify(&nested(MAX_NESTING + 1)).unwrap_err();
    assert_eq!(*why.fault, VerifyFault::TooDeep { limit: MAX_NESTING });
}

#[test]
fn a_program_shared_many_times_is_verified_once() {
    // As text this would be 2^60 equations.
    let mut func = sum_of_squares("loss");
    for _ in 0..60 {
        let shared = Arc::new(func);
        let eqn = |i: u32| Eqn {
            prim: Prim::Call { func: shared.clone() },
            inputs: vec![Var(0)],
            outputs: vec![Var(i)],
            origin: Origin(None),
        };
        let types = vec![f32s(&[3]), f32s(&[]), f32s(&[])];
        func = Func { name: None, n_inputs: 1, types, eqns: vec![eqn(1), eqn(2)], outputs: vec![Var(2)] };
    }
    assert_eq!(verify(&func), Ok(()));
}

#[test]
fn programs_round_trip_through_json() {
    for func in [chain(), every_prim(), mapped_gradient(), nested(20)] {
        let json = serde_json::to_string(&func).expect("programs serialise");
        let back: Func = serde_json::from_str(&json).expect("what was serialised is well formed");
        assert_eq!(back, func);
        assert_eq!(back.display_with_origins().to_string(), func.display_with_origins().to_string());
    }
}

#[test]
fn deserialising_bounds_the_nesting_itself() {
    // serde_json has a bound of its own; a format without one must not overflow the stack either.
    let mut value = serde_json::to_value(nested(1)).expect("programs serialise");
    for _ in 1..100 {
        let mut outer = serde_json::to_value(nested(2)).expect("programs serialise");
        outer["eqns"][0]["prim"]["Call"]["func"] = value;
        value = outer;
    }
    let why = serde_json::from_value::<Func>(value).expect_err("too deep");
    assert_eq!(why.to_string(), VerifyFault::TooDeep { limit: MAX_NESTING }.to_string());
    // The count starts anew afterwards.
    let value = serde_json::to_value(nested(MAX_NESTING)).expect("programs serialise");
    assert_eq!(serde_json::from_value::<Func>(value).expect("just not too deep"), nested(MAX_NESTING));
}

#[test]
fn a_primitive_alone_holds_a_verified_program_too() {
    let mut bad = sum_of_squares("loss");
    bad.types[1] = f32s(&[4]);
    let json = serde_json::to_string(&Prim::Call { func: Arc::new(bad) }).expect("primitives serialise");
    assert!(serde_json::from_str::<Prim>(&json).is_err());
}

#[test]
fn bits_that_a_dtype_does_not_have_are_refused() {
    for json in [r#"{"dtype":"Bool","bits":2}"#, r#"{"dtype":"F16","bits":65536}"#] {
        assert!(serde_json::from_str::<Scalar>(json).is_err());
    }
    let array = r#"{"ty":{"dtype":"F64","shape":[4294967296,4294967296]},"bytes":[1]}"#;
    let why = serde_json::from_str::<Array>(array).unwrap_err().to_string();
    assert!(why.contains("2^64 or more"), "{why}");
}

#[test]
fn an_array_without_elements_prints_at_once_whatever_its_shape() {
    let array = r#"{"ty":{"dtype":"Bool","shape":[4611686018427387904,0,8,8]},"bytes":[]}"#;
    let array: Array = serde_json::from_str(array).expect("no elements, no bytes");
    assert_eq!(array.to_string(), "[]");
    let long = Array::from_vec([2, 9], (0..18).collect::<Vec<i32>>()).expect("eighteen elements");
    expect!["[[0, 1, 2, …, 6, 7, 8], [9, 10, 11, …, 15, 16, 17]]"].assert_eq(&long.to_string());
}

#[test]
fn dependence_is_followed_through_nested_calls() {
    let text = "func(%a: f32[], %b: f32[]) {
        %c, %d = call[func=(%x: f32[], %y: f32[]) {
            %p, %q = call[func=(%x: f32[], %y: f32[]) { %s = sin %x return %s %y }] %x %y
            return %q %p
        }] %a %b
        return %c %d
    }";
    let func: Func = text.parse().expect("the text is a program");
    assert_eq!(func.depends_on(|i| i == 0), [false, true]);
    assert_eq!(func.depends_on(|i| i == 1), [true, false]);
}

#[test]
fn one_equation_prints_with_long_parameters_cut() {
    let mut b = crate::Builder::new();
    b.constant(Array::from_vec([20], (0..20).collect::<Vec<i32>>()).expect("twenty elements"));
    let func = b.finish(&[]);
    expect!["%0: i32[20] = constant[value=i32[20]{0, 1, 2, 3, 4, 5, 6, 7, …}]"]
        .assert_eq(&func.display_eqn(0).to_string());
    let per_example = mapped_gradient();
    expect!["%1: f32[5], %2: f32[3,5] = vmap[in_axes=[1], out_axes=[0, 1], size=5, func=(…) {…}] %0"]
        .assert_eq(&per_example.display_eqn(0).to_string());
    assert_eq!(Param::Ints(vec![Some(0), None]).to_string(), "[0, _]");
}

/// The places of a JSON value that hold no others, and the lists.
fn places(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Array(items) if items.is_empty() => vec![value],
        Value::Array(items) => items.iter_mut().flat_map(places).collect(),
        Value::Object(fields) => fields.values_mut().flat_map(places).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => vec![value],
    }
}

fn replacement() -> impl Strategy<Value = Value> {
    prop_oneof![
        proptest::sample::select(vec![0u64, 1, 2, 3, 5, 7, 1 << 31, u64::from(u32::MAX), 1 << 62, u64::MAX])
            .prop_map(Value::from),
        Just(Value::from(-1)),
        Just(Value::Null),
        Just(Value::from(true)),
        Just(Value::from(vec![0u64])),
        Just(Value::from(vec![u64::MAX, u64::MAX])),
        Just(Value::from("F64")),
        Just(Value::from("Bool")),
    ]
}

proptest! {
    /// A damaged file is an error, or a program that passes and printing may rely on.
    #[test]
    fn damaged_json_is_refused_or_well_formed(
        which in 0usize..3,
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), replacement()), 1..4),
    ) {
        let func = [chain, mapped_gradient, every_prim][which]();
        let mut value = serde_json::to_value(&func).expect("programs serialise");
        for (at, put) in edits {
            let mut places = places(&mut value);
            let n = places.len();
            *places[at.index(n)] = put;
        }
        match serde_json::from_value::<Func>(value) {
            Ok(func) => {
                prop_assert_eq!(verify(&func), Ok(()));
                prop_assert_eq!(func.to_string().parse::<Func>(), Ok(func));
            }
            Err(why) => prop_assert!(!why.to_string().is_empty()),
        }
    }

    #[test]
    fn random_equations_are_refused_or_well_formed(
        n_inputs in 0usize..4,
        shapes in proptest::collection::vec(proptest::collection::vec(0usize..3, 0..3), 0..6),
        eqns in proptest::collection::vec((0u32..7, 0u32..7, 0u32..7), 0..4),
        outputs in proptest::collection::vec((0u32..7).prop_map(Var), 0..3),
    ) {
        let add = |(x, y, z): (u32, u32, u32)| Eqn {
            prim: Prim::Binary(BinaryOp::Add),
            inputs: vec![Var(x), Var(y)],
            outputs: vec![Var(z)],
            origin: Origin(None),
        };
        let types = shapes.iter().map(|shape| f32s(shape)).collect();
        let func = Func { name: None, n_inputs, types, eqns: eqns.into_iter().map(add).collect(), outputs };
        match verify(&func) {
            Ok(()) => prop_assert_eq!(func.to_string().parse::<Func>(), Ok(func)),
            Err(why) => prop_assert!(!why.to_string().is_empty()),
        }
    }
}
