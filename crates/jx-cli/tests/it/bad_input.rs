//! Wrong input of every kind: a message that says what to do, and the exit code.

use crate::{folder, jx, npy};
use expect_test::{Expect, expect};

const LOSS: &[u8] = b"fn squared_error(w, b, x, y) = (w * x + b - y)^2\nfn twice(x) = 2 * x\n";

/// The message and exit code of `jx run` in a folder with these files beside `loss.jx`.
fn check(test: &str, files: &[(&str, &[u8])], args: &[&str], expected: Expect) {
    let dir = folder(test, &[&[("loss.jx", LOSS)], files].concat());
    expected.assert_eq(&jx(&dir, &[&["run"], args].concat()).text());
}

#[test]
fn a_missing_file() {
    check(
        "missing",
        &[],
        &["none.jx"],
        expect![[r#"
        error: cannot read none.jx: No such file or directory (os error 2)
        exit code 1
    "#]],
    );
    check(
        "missing",
        &[],
        &["loss.jx", "twice", "x=@none.npy"],
        expect![[r#"
        error: x: cannot read none.npy: No such file or directory (os error 2)
        exit code 1
    "#]],
    );
}

#[test]
fn an_unknown_function() {
    check(
        "unknown",
        &[],
        &["loss.jx", "grad(squared_eror)", "w=1"],
        expect![[r#"
            error: there is no function `squared_eror`; did you mean `squared_error`?
             --> <expression>:1:6
              |
            1 | grad(squared_eror)
              |      ^^^^^^^^^^^^
            exit code 1
        "#]],
    );
}

#[test]
fn the_wrong_number_of_arguments() {
    check(
        "count",
        &[],
        &["loss.jx", "squared_error(1, 2)"],
        expect![[r#"
        error: `squared_error` takes 4 arguments (w, b, x, y), but 2 are given
         --> <expression>:1:1
          |
        1 | squared_error(1, 2)
          | ^^^^^^^^^^^^^
        exit code 1
    "#]],
    );
}

#[test]
fn misnamed_and_missing_inputs() {
    check(
        "inputs",
        &[],
        &["loss.jx", "squared_error", "w=1", "b=2", "x=3", "z=4"],
        expect![[r#"
            error: `squared_error` has no input `z`, and no value for `y`; its inputs are w, b, x, y
             --> <expression>:1:1
              |
            1 | squared_error
              | ^^^^^^^^^^^^^
            exit code 1
        "#]],
    );
    check(
        "inputs",
        &[],
        &["loss.jx", "twice"],
        expect![[r#"
        error: `twice` has no value for `x`; its inputs are x
         --> <expression>:1:1
          |
        1 | twice
          | ^^^^^
        exit code 1
    "#]],
    );
    check(
        "inputs",
        &[],
        &["loss.jx", "twice", "x:f32[3]"],
        expect![[r#"
        error: the input `x` has only a type, f32[3]; give it a value to run the program
        exit code 1
    "#]],
    );
    check(
        "inputs",
        &[],
        &["loss.jx", "twice", "x=1 +"],
        expect![[r#"
        error: input x: expected an expression, but found the end
         --> <expression>:1:4
          |
        1 | 1 +
          |    ^
        exit code 1
    "#]],
    );
}

#[test]
fn shapes_that_do_not_fit() {
    let args = ["loss.jx", "squared_error", "w=[1, 2]", "b=0", "x=[1, 2, 3]", "y=0"];
    check(
        "shapes",
        &[],
        &args,
        expect![[r#"
        error: mul: shapes f32[2] and f32[3] do not broadcast: axis 1 from the right has extents 2 and 3; extents must be equal or 1
         --> loss.jx:1:35
          |
        1 | fn squared_error(w, b, x, y) = (w * x + b - y)^2
          |                                   ^
          operand 0: f32[2], argument w
          operand 1: f32[3], argument x
          in eager at loss.jx:1:4
        exit code 1
    "#]],
    );
}

#[test]
fn files_of_values_that_are_none() {
    let args = |input| ["loss.jx", "twice", input];
    let short = npy("<f4", false, "(3,)", &[0; 8]);
    check(
        "npy",
        &[("short.npy", &short)],
        &args("x=@short.npy"),
        expect![[r#"
        error: x: cannot read short.npy: it holds 8 bytes of values, but f32[3] has 12; the file is cut off
        exit code 1
    "#]],
    );
    check(
        "npy",
        &[("text.npy", b"1, 2, 3")],
        &args("x=@text.npy"),
        expect![[r#"
        error: x: cannot read text.npy: it is no .npy file; write it with numpy.save
        exit code 1
    "#]],
    );
    check(
        "npy",
        &[("empty.npy", b"")],
        &args("x=@empty.npy"),
        expect![[r#"
        error: x: cannot read empty.npy: it is no .npy file; write it with numpy.save
        exit code 1
    "#]],
    );
    let complex = npy("<c8", false, "(1,)", &[0; 8]);
    check(
        "npy",
        &[("complex.npy", &complex)],
        &args("x=@complex.npy"),
        expect![[r#"
        error: x: cannot read complex.npy: its dtype <c8 is not supported: save the real and the imaginary part as two arrays
        exit code 1
    "#]],
    );
    let bfloat = npy("|V2", false, "(1,)", &[0; 2]);
    check(
        "npy",
        &[("bfloat.npy", &bfloat)],
        &args("x=@bfloat.npy"),
        expect![[r#"
        error: x: cannot read bfloat.npy: its dtype |V2 is not supported: if it is bfloat16, convert it with .astype(numpy.float32) before saving
        exit code 1
    "#]],
    );
    let huge = npy("<f4", false, "(9223372036854775807, 4)", &[]);
    check(
        "npy",
        &[("huge.npy", &huge)],
        &args("x=@huge.npy"),
        expect![[r#"
        error: x: cannot read huge.npy: its shape [9223372036854775807, 4] has too many elements to address
        exit code 1
    "#]],
    );
    let negative = npy("<f4", false, "(-1,)", &[]);
    check(
        "npy",
        &[("negative.npy", &negative)],
        &args("x=@negative.npy"),
        expect![[r#"
        error: x: cannot read negative.npy: its header has no valid shape; write it with numpy.save
        exit code 1
    "#]],
    );
    check(
        "npy",
        &[("x.npz", b"no archive")],
        &args("x=@x.npz"),
        expect![[r#"
        error: x: cannot read x.npz: it is no .npz archive; write it with numpy.savez
        exit code 1
    "#]],
    );
    check(
        "npy",
        &[("x.txt", b"1")],
        &args("x=@x.txt"),
        expect![[r#"
        error: x: cannot read x.txt: the format is not known from the name; files end in .npy, .npz or .csv
        exit code 1
    "#]],
    );
    check(
        "npy",
        &[("cell.csv", b"1,2\n3,x\n")],
        &args("x=@cell.csv"),
        expect![[r#"
        error: x: cannot read cell.csv: line 2, column 2: "x" is not a number
        exit code 1
    "#]],
    );
    check(
        "npy",
        &[("ragged.csv", b"1,2\n3\n")],
        &args("x=@ragged.csv"),
        expect![[r#"
        error: x: cannot read ragged.csv: line 2 has 1 values, but the lines before have 2
        exit code 1
    "#]],
    );
    check(
        "npy",
        &[("named.csv", b"a,b\n1,2\n")],
        &args("x=@named.csv:c"),
        expect![[r#"
        error: x: cannot read named.csv: it has no array "c"; it has a, b
        exit code 1
    "#]],
    );
}

#[test]
fn a_cut_off_npy_file_is_refused_at_every_length() {
    let whole = npy(">f8", true, "(2, 3)", &[7; 48]);
    for n in 0..whole.len() {
        let dir = folder("cut", &[("loss.jx", LOSS), ("x.npy", &whole[..n])]);
        // Every length would take long; the header's every length, and some of the values'.
        if n > 90 && n % 16 != 0 {
            continue;
        }
        let ran = jx(&dir, &["run", "loss.jx", "twice", "x=@x.npy"]);
        assert_eq!(ran.code, Some(1), "{n}: {}", ran.stderr);
        assert!(ran.stderr.starts_with("error: x: cannot read x.npy: "), "{n}: {}", ran.stderr);
    }
}

#[test]
fn programs_that_are_none() {
    check(
        "programs",
        &[("bad.jx", b"func(%0: f32[3]) -> (f32[3]) {\n  return %1\n}\n")],
        &["bad.jx"],
        expect![[r#"
        error: bad.jx: line 2, column 10: %1 is not defined before this use; a function sees its own variables only
          2 |   return %1
            |          ^
        exit code 1
    "#]],
    );
    check(
        "programs",
        &[("bad.jxp", b"JXP\x01nonsense")],
        &["bad.jxp"],
        expect![[r#"
            error: bad.jxp: it is damaged, or was written by another version of jx (Semantic(None, "invalid type: string, expected map"))
            exit code 1
        "#]],
    );
    check(
        "programs",
        &[("parse.jx", b"fn f(x) = (x\n")],
        &["parse.jx"],
        expect![[r#"
            error: expected `,` or `)`, but found the end
             --> parse.jx:1:13
              |
            1 | fn f(x) = (x
              |             ^
            exit code 1
        "#]],
    );
}

#[test]
fn a_wrong_command_line_exits_with_2() {
    check(
        "usage",
        &[],
        &["loss.jx"],
        expect![[r#"
        error: loss.jx says nothing to run; name one of its functions, or write an expression of them:
          squared_error(w, b, x, y)
          twice(x)
        exit code 2
    "#]],
    );
    check(
        "usage",
        &[],
        &["loss.jx", "twice", "x=1", "y"],
        expect![[r#"
        error: "y" is no input; write name=value, name=@file.npy or, to show a program, name:f32[3]
        exit code 2
    "#]],
    );
    for args in [&["run"][..], &["walk"], &["run", "loss.jx", "--device", "abacus"]] {
        assert_eq!(jx(&folder("usage", &[]), args).code, Some(2), "{args:?}");
    }
}

#[test]
fn an_unavailable_device_is_an_error() {
    check(
        "device",
        &[],
        &["loss.jx", "twice", "x=1", "--device", "cuda"],
        expect![[r#"
        error: input x: the device cuda:0 is not available: this version of jx has no code for GPUs yet; use the interpreter, or ndarray with the cargo feature `ndarray`
        exit code 1
    "#]],
    );
}
