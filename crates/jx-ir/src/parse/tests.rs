//! Text to program and back.

use crate::samples::{N_VARIANTS, every_prim, mapped_gradient, nested, scalars, variant};
use crate::{DType, Func, MAX_NESTING, ParseError, ParseFault, Scalar, verify};
use expect_test::{Expect, expect};
use proptest::prelude::*;

fn check_error(text: &str, expected: Expect) {
    let why = text.parse::<Func>().expect_err("the text is no program");
    expected.assert_eq(&why.to_string());
}

fn check_print(text: &str, expected: Expect) {
    let func: Func = text.parse().unwrap_or_else(|why: ParseError| panic!("{why}"));
    expected.assert_eq(&func.to_string());
}

fn assert_round_trip(func: &Func) {
    let text = func.to_string();
    let back: Func = text.parse().unwrap_or_else(|why: ParseError| panic!("{why}\n{text}"));
    assert_eq!(&back, func, "{text}");
    assert_eq!(back.to_string(), text);
    let with_origins = func.display_with_origins().to_string();
    assert_eq!(with_origins.parse::<Func>().as_ref(), Ok(func));
}

#[test]
fn the_sample_has_every_variant() {
    let func = every_prim();
    let mut seen = [false; N_VARIANTS];
    for eqn in func.eqns() {
        seen[variant(&eqn.prim)] = true;
    }
    assert_eq!(seen, [true; N_VARIANTS]);
    assert_eq!(verify(&func), Ok(()));
}

#[test]
fn a_program_of_every_primitive_round_trips() {
    assert_round_trip(&every_prim());
    assert_round_trip(&mapped_gradient());
}

#[test]
fn every_primitive_is_made_again_of_its_name_and_parameters() {
    for eqn in every_prim().eqns() {
        let params = eqn.prim.params().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        assert_eq!(crate::Prim::from_params(eqn.prim.name(), params).as_ref(), Ok(&eqn.prim));
    }
}

#[test]
fn every_scalar_reads_back_bit_for_bit() {
    for scalar in scalars() {
        assert_eq!(Scalar::parse(scalar.dtype(), &scalar.to_string()), Some(scalar));
    }
    for bits in 0..=u64::from(u16::MAX) {
        for dtype in [DType::F16, DType::BF16] {
            let scalar = Scalar::from_bits(dtype, bits);
            assert_eq!(Scalar::parse(dtype, &scalar.to_string()), Some(scalar));
        }
    }
}

#[test]
fn a_number_out_of_range_is_no_scalar() {
    let refused = [
        (DType::I8, "128"),
        (DType::U8, "-1"),
        (DType::U64, "18446744073709551616"),
        (DType::F32, "1e39"),
        (DType::F16, "65520.0"),
        (DType::F32, "infinity"),
        (DType::F32, "nan:0x7f800000"),
        (DType::F16, "nan:0x17e00"),
        (DType::Bool, "1"),
        (DType::I32, "2.0"),
        (DType::F32, ""),
    ];
    for (dtype, text) in refused {
        assert_eq!(Scalar::parse(dtype, text), None, "{text}:{dtype}");
    }
    assert_eq!(Scalar::parse(DType::U8, "0xff"), Some(Scalar::max_value(DType::U8)));
    assert_eq!(Scalar::parse(DType::F32, "2"), Some(Scalar::from_f64(DType::F32, 2.0)));
}

#[test]
fn nested_programs_print_indented() {
    expect![[r#"
        func per_example(%0: f32[3,5]) -> (f32[5], f32[3,5]) {
          %1: f32[5], %2: f32[3,5] = vmap[in_axes=[1], out_axes=[0, 1], size=5, func=(%0: f32[3]) -> (f32[], f32[3]) {
            %1: f32[], %2: f32[3] = grad[wrt=[0], value=true, func=loss(%0: f32[3]) -> (f32[]) {
              %1: f32[3] = square %0
              %2: f32[] = reduce_sum[axes=[0]] %1
              return %2
            }] %0
            return %1 %2
          }] %0
          return %1 %2
        }"#]]
    .assert_eq(&mapped_gradient().to_string());
}

#[test]
fn a_program_by_hand_is_numbered_and_typed() {
    check_print(
        r#"
        // A line, fitted.
        func "line of x"(%x: f32[2,3], %w: f32[3]) {
            %wx = dot_general[lhs_contracting=[1], rhs_contracting=[0], out_dtype=f32] %x %w
            %two = full[value=2:f32, shape=[]]; %twos = broadcast_in_dim[shape=[2], broadcast_dimensions=[]] %two
            %mask: bool[2] = constant[value=bool[2]{true, false}]
            %y = select_n %mask %wx %twos  // one of each
            %values, %order = sort[dimension=0, num_keys=1] %y %wx
            return %values %order
        }
        "#,
        expect![[r#"
            func "line of x"(%0: f32[2,3], %1: f32[3]) -> (f32[2], f32[2]) {
              %2: f32[2] = dot_general[lhs_contracting=[1], rhs_contracting=[0], lhs_batch=[], rhs_batch=[], out_dtype=f32] %0 %1
              %3: f32[] = full[value=2.0:f32, shape=[]]
              %4: f32[2] = broadcast_in_dim[shape=[2], broadcast_dimensions=[]] %3
              %5: bool[2] = constant[value=bool[2]{true, false}]
              %6: f32[2] = select_n %5 %2 %4
              %7: f32[2], %8: f32[2] = sort[dimension=0, num_keys=1] %6 %2
              return %7 %8
            }"#]],
    );
}

#[test]
fn unusual_values_keep_their_bits_in_print() {
    check_print(
        "func() { %c = constant[value=f32[2,3]{nan, nan:0xffc00001, -0.0, inf, 1e-45, 0.1}] return %c }",
        expect![[r#"
            func() -> (f32[2,3]) {
              %0: f32[2,3] = constant[value=f32[2,3]{nan, nan:0xffc00001, -0.0, inf, 1e-45, 0.1}]
              return %0
            }"#]],
    );
}

#[test]
fn origins_print_as_comments() {
    let text = every_prim().display_with_origins().to_string();
    let line = text.lines().find(|line| line.contains("= cos ")).expect("the program has a cosine");
    expect!["  %27: f32[2,3] = cos %0  // src/model.rs:7:5"].assert_eq(line);
}

#[test]
fn errors_point_at_the_place() {
    check_error(
        "func(%0: f32[3]) {\n  %1: f32[3] = mul %0 %7\n  return %1\n}",
        expect![[r#"
            line 2, column 23: %7 is not defined before this use; a function sees its own variables only
              2 |   %1: f32[3] = mul %0 %7
                |                       ^"#]],
    );
    check_error(
        "func(%0: f32[3]) {\n\t%1 = cosh[%0\n}",
        expect![[r#"
        line 2, column 12: expected a parameter, such as `axes=[0]`, found `%0`
          2 |  %1 = cosh[%0
            |            ^"#]],
    );
    check_error(
        "func(%0: f32[3]) { %1 = coss %0 return %1 }",
        expect![[r#"
        line 1, column 25: there is no operation `coss`; did you mean `cos`?
          1 | func(%0: f32[3]) { %1 = coss %0 return %1 }
            |                         ^"#]],
    );
    check_error(
        "func(%0: f32[3], %1: f32[4]) { %2 = add %0 %1 return %2 }",
        expect![[r#"
        line 1, column 37: add: operand shapes differ: f32[3] and f32[4]; broadcast or reshape one of them first
          1 | func(%0: f32[3], %1: f32[4]) { %2 = add %0 %1 return %2 }
            |                                     ^"#]],
    );
    check_error(
        "func(%0: f32[3]) { %1: f32[4] = sin %0 return %1 }",
        expect![[r#"
        line 1, column 20: %1 is declared f32[4], but sin gives f32[3]
          1 | func(%0: f32[3]) { %1: f32[4] = sin %0 return %1 }
            |                    ^"#]],
    );
    check_error(
        "func(%0: f32[3]) -> (f32[4]) { return %0 }",
        expect![[r#"
        line 1, column 32: the function is declared to return (f32[4]), but it returns (f32[3])
          1 | func(%0: f32[3]) -> (f32[4]) { return %0 }
            |                                ^"#]],
    );
    check_error(
        "func(%0: f32[3]) { %0 = sin %0 return %0 }",
        expect![[r#"
        line 1, column 20: %0 is defined already; each variable is defined once
          1 | func(%0: f32[3]) { %0 = sin %0 return %0 }
            |                    ^"#]],
    );
    check_error(
        "func(%0: f32[3]) { %1, %2 = sin %0 return %1 }",
        expect![[r#"
        line 1, column 20: sin gives 1 result, but 2 are named
          1 | func(%0: f32[3]) { %1, %2 = sin %0 return %1 }
            |                    ^"#]],
    );
    check_error(
        "func(%0: f32[3]) { sin %0 return %0 }",
        expect![[r#"
        line 1, column 20: sin gives 1 result, but 0 are named
          1 | func(%0: f32[3]) { sin %0 return %0 }
            |                    ^"#]],
    );
    check_error(
        "func(%0: f32[3]) { %1 = reduce_sum[axes=[-1]] %0 return %1 }",
        expect![[r#"
        line 1, column 36: reduce_sum: the parameter `axes` is a list of integers, none negative, but [-1] was given
          1 | func(%0: f32[3]) { %1 = reduce_sum[axes=[-1]] %0 return %1 }
            |                                    ^"#]],
    );
    check_error(
        "func(%0: f32[3]) { %1 = reduce_sum[axis=0, axes=[0]] %0 return %1 }",
        expect![[r#"
        line 1, column 36: reduce_sum: there is no parameter `axis`; it takes axes
          1 | func(%0: f32[3]) { %1 = reduce_sum[axis=0, axes=[0]] %0 return %1 }
            |                                    ^"#]],
    );
    check_error(
        "func() { %1 = full[value=300:u8, shape=[]] return %1 }",
        expect![[r#"
        line 1, column 26: 300 is not a value of u8
          1 | func() { %1 = full[value=300:u8, shape=[]] return %1 }
            |                          ^"#]],
    );
    check_error(
        "func() { %1 = full[value=2.5, shape=[]] return %1 }",
        expect![[r#"
        line 1, column 26: expected an integer; a number of another kind has its dtype, as `2.0:f32`, found `2.5`
          1 | func() { %1 = full[value=2.5, shape=[]] return %1 }
            |                          ^"#]],
    );
    check_error(
        "func() { %1 = constant[value=f32[3]{1.0, 2.0}] return %1 }",
        expect![[r#"
        line 1, column 30: f32[3] takes 3 elements, but 2 are given
          1 | func() { %1 = constant[value=f32[3]{1.0, 2.0}] return %1 }
            |                              ^"#]],
    );
    check_error(
        "func() { %1 = constant[value=f32[1]{1.0, 2.0}] return %1 }",
        expect![[r#"
        line 1, column 42: f32[1] takes 1 element, but more are given
          1 | func() { %1 = constant[value=f32[1]{1.0, 2.0}] return %1 }
            |                                          ^"#]],
    );
    check_error(
        "func(%0: f32[3]) { return %0 } func",
        expect![[r#"
        line 1, column 32: expected the end of the text after the program, found `func`
          1 | func(%0: f32[3]) { return %0 } func
            |                                ^"#]],
    );
    check_error(
        "func(%0: f32[3]) { %1 = sin %0",
        expect![[r#"
        line 1, column 31: expected an equation, such as `%y = sin %x`, or `return`, found the end of the text
          1 | func(%0: f32[3]) { %1 = sin %0
            |                               ^"#]],
    );
    check_error(
        "",
        expect![[r#"
        line 1, column 1: expected `func`, with which a program starts, found the end of the text
          1 | 
            | ^"#]],
    );
}

#[test]
fn the_drawn_line_is_cut_around_the_fault() {
    let entries = "1.0, ".repeat(1000);
    let text = format!("func() {{ %0 = constant[value=f32[1001]{{{entries}true}}] return %0 }}");
    let why = text.parse::<Func>().expect_err("true is no f32").to_string();
    expect![[r#"
        line 1, column 5040: true is not a value of f32
          1 | .0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, true}] return %0 }
            |                                                            ^"#]]
    .assert_eq(&why);
}

#[test]
fn a_shape_beyond_memory_is_refused_before_it_is_allocated() {
    for shape in ["18446744073709551615", "4294967296,4294967296,4294967296", "18446744073709551616", "-1"] {
        for text in [
            format!("func(%0: f32[{shape}]) {{ return %0 }}"),
            format!("func() {{ %0 = full[value=0.0:f32, shape=[{shape}]] return %0 }}"),
            format!("func() {{ %0 = iota[ty=f32[{shape}], dimension=0] return %0 }}"),
            format!("func() {{ %0 = constant[value=u8[{shape}]{{}}] return %0 }}"),
            format!("func(%x: f32[3]) {{ %0 = reshape[shape=[{shape}]] %x return %0 }}"),
            format!(
                "func(%x: f32[]) {{ %0 = broadcast_in_dim[shape=[{shape}], broadcast_dimensions=[]] %x return %0 }}"
            ),
        ] {
            let why = text.parse::<Func>().expect_err(&text);
            assert!(why.to_string().len() < 600, "{why}");
        }
    }
    // A promise of much that is addressable costs nothing until elements follow.
    let text = "func() { %0 = constant[value=u8[1000000000000]{1, 2}] return %0 }";
    assert!(matches!(*text.parse::<Func>().unwrap_err().fault, ParseFault::ElementCount { found: 2, .. }));
}

#[test]
fn nesting_to_the_limit_is_read_and_beyond_it_refused() {
    assert_round_trip(&nested(MAX_NESTING));
    let why = nested(MAX_NESTING + 1).to_string().parse::<Func>().unwrap_err();
    assert_eq!(*why.fault, ParseFault::TooDeep { limit: MAX_NESTING });
    for opening in
        ["func(", "func(%0: f32[", "func() { call[func=() { ", "func() { %0 = full[value=[[", "{", "[", "\"\\"]
    {
        assert!(opening.repeat(100_000).parse::<Func>().is_err());
        let body = format!("func() {{ {} return }}", "call[func=() { ".repeat(100_000));
        assert!(body.parse::<Func>().is_err());
    }
}

/// Pieces of the grammar, so that random texts get past the first token.
fn token() -> impl Strategy<Value = String> {
    let words = [
        "func",
        "return",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "->",
        ",",
        ":",
        ";",
        "=",
        "%0",
        "%1",
        "%x",
        "%",
        "f32",
        "i8",
        "bool",
        "f32[3]",
        "f32[2,3]",
        "mul",
        "sin",
        "full",
        "constant",
        "vmap",
        "grad",
        "call",
        "value",
        "shape",
        "axes",
        "in_axes",
        "size",
        "func=",
        "reduce_sum",
        "[0]",
        "[_, 1]",
        "true",
        "nan",
        "nan:0x7fc00001",
        "-inf",
        "inf",
        "1.5:f32",
        "-3",
        "18446744073709551615",
        "0x",
        "1e999",
        "\"a\\\"b\"",
        "\"",
        "// c\n",
        "\n",
        "_",
        "é",
    ];
    proptest::sample::select(words.to_vec()).prop_map(str::to_owned)
}

#[test]
fn a_long_program_round_trips_in_linear_time() {
    // Quadratic work would take minutes.
    let mut b = crate::Builder::new();
    let mut x = b.constant(crate::Array::full([100_000], Scalar::from_f64(DType::F32, 0.1)));
    for _ in 0..20_000 {
        x = b.sin(x);
    }
    assert_round_trip(&b.finish(&[x]));
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in any::<String>()) {
        let why = text.parse::<Func>().expect_err("no random text is a program");
        prop_assert!(!why.to_string().is_empty());
    }

    #[test]
    fn any_row_of_tokens_is_read_without_panic(tokens in proptest::collection::vec(token(), 0..60)) {
        for separator in ["", " "] {
            if let Err(why) = format!("func(%0: f32[2,3]) {{ {}", tokens.join(separator)).parse::<Func>() {
                prop_assert!(why.line >= 1 && why.column >= 1 && !why.to_string().is_empty());
            }
        }
    }

    /// What a damaged program still denotes is well formed and round-trips.
    #[test]
    fn a_damaged_program_is_refused_or_well_formed(
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), 0usize..12, token()), 1..4),
    ) {
        let mut chars: Vec<char> = mapped_gradient().to_string().chars().collect();
        for (at, len, put) in edits {
            let at = at.index(chars.len() + 1);
            let end = (at + len).min(chars.len());
            chars.splice(at..end, put.chars());
        }
        let text: String = chars.into_iter().collect();
        match text.parse::<Func>() {
            Ok(func) => {
                prop_assert_eq!(verify(&func), Ok(()));
                prop_assert_eq!(func.to_string().parse::<Func>(), Ok(func));
            }
            Err(why) => prop_assert!(!why.to_string().is_empty()),
        }
    }

    #[test]
    fn any_function_name_round_trips(name in any::<String>()) {
        let func = mapped_gradient().with_name(name);
        prop_assert_eq!(func.to_string().parse::<Func>(), Ok(func));
    }

    #[test]
    fn any_bits_of_any_dtype_round_trip(bits in any::<u64>()) {
        for dtype in DType::ALL {
            let scalar = Scalar::from_bits(dtype, bits);
            prop_assert_eq!(Scalar::parse(dtype, &scalar.to_string()), Some(scalar));
        }
    }

    /// One line of the program of every primitive is damaged: all operations' parameters are met.
    #[test]
    fn a_damaged_equation_is_refused_or_well_formed(
        line in any::<proptest::sample::Index>(),
        at in any::<proptest::sample::Index>(),
        len in 0usize..6,
        put in token(),
    ) {
        let text = every_prim().to_string();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let n = lines.len();
        let line = &mut lines[line.index(n)];
        let mut chars: Vec<char> = line.chars().collect();
        let at = at.index(chars.len() + 1);
        let end = (at + len).min(chars.len());
        chars.splice(at..end, put.chars());
        *line = chars.into_iter().collect();
        match lines.join("\n").parse::<Func>() {
            Ok(func) => prop_assert_eq!(verify(&func), Ok(())),
            Err(why) => prop_assert!(!why.to_string().is_empty()),
        }
    }
}
