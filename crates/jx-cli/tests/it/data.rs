//! Inputs from files and literals, and results as JSON.

use crate::{folder, jx, npy};
use expect_test::expect;

const LOSS: &[u8] = b"fn squared_error(w, b, x, y) = (w * x + b - y)^2\nfn twice(x) = 2 * x\nfn same(x) = x\n";

#[test]
fn a_function_is_transformed_and_applied_to_files_and_literals() {
    let x: Vec<u8> = [0.0_f32, 1.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let dir = folder(
        "loss",
        &[("loss.jx", LOSS), ("x.npy", &npy("<f4", false, "(2,)", &x)), ("xy.csv", b"x,y\n0,0.5\n1,3\n")],
    );
    let grads = "jit(vmap(grad(squared_error, wrt=(w, b)), in_axes=(None, None, 0, 0)))";
    let ran = jx(&dir, &["run", "loss.jx", grads, "w=2.0", "b=1.0", "x=@x.npy", "y=@xy.csv:y"]);
    expect![[r#"
        .0 f32[2] [0.0, 0.0]
        .1 f32[2] [1.0, 0.0]
        exit code 0
    "#]]
    .assert_eq(&ran.text());
    let ran = jx(&dir, &["run", "loss.jx", "twice", "x=@xy.csv"]);
    expect![[r#"
        f32[2,2] [[0.0, 1.0], [2.0, 6.0]]
        exit code 0
    "#]]
    .assert_eq(&ran.text());
    let ran = jx(&dir, &["run", "loss.jx", "twice", "x=[1, 2, 3]:i32", "--json"]);
    expect![[r#"
        {"label":null,"results":[{"dtype":"i32","path":"","shape":[3],"values":[2,4,6]}]}
        exit code 0
    "#]]
    .assert_eq(&ran.text());
    let ran = jx(&dir, &["run", "loss.jx", "twice(x) + n", "x=linspace(0, 1, 3)", "n=1"]);
    expect![[r#"
        f32[3] [1.0, 2.0, 3.0]
        exit code 0
    "#]]
    .assert_eq(&ran.text());
}

#[test]
fn infinities_and_nan_are_texts_in_json() {
    let dir = folder("json", &[("loss.jx", LOSS)]);
    let ran = jx(&dir, &["run", "loss.jx", "[1 / 0, -1 / 0, 0 / 0, 0.1]", "--json"]);
    expect![[r#"
        {"label":null,"results":[{"dtype":"f32","path":"","shape":[4],"values":["inf","-inf","nan",0.1]}]}
        exit code 0
    "#]]
    .assert_eq(&ran.text());
}

#[test]
fn every_dtype_is_read_from_npy_in_either_byte_order() {
    // The value 2 in each dtype, little-endian.
    let cases: [(&str, &str, &[u8]); 11] = [
        ("|i1", "i8", &[2]),
        ("<i2", "i16", &[2, 0]),
        ("<i4", "i32", &[2, 0, 0, 0]),
        ("<i8", "i64", &[2, 0, 0, 0, 0, 0, 0, 0]),
        ("|u1", "u8", &[2]),
        ("<u2", "u16", &[2, 0]),
        ("<u4", "u32", &[2, 0, 0, 0]),
        ("<u8", "u64", &[2, 0, 0, 0, 0, 0, 0, 0]),
        ("<f2", "f16", &[0, 0x40]),
        ("<f4", "f32", &[0, 0, 0, 0x40]),
        ("<f8", "f64", &[0, 0, 0, 0, 0, 0, 0, 0x40]),
    ];
    for (descr, dtype, bytes) in cases {
        let value = if dtype.starts_with('f') { "2.0" } else { "2" };
        let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
        let big = descr.replace('<', ">");
        let little_file = npy(descr, false, "()", bytes);
        let big_file = npy(&big, false, "()", &reversed);
        let dir = folder("dtypes", &[("loss.jx", LOSS), ("little.npy", &little_file), ("big.npy", &big_file)]);
        for file in ["x=@little.npy", "x=@big.npy"] {
            let ran = jx(&dir, &["run", "loss.jx", "same", file]);
            assert_eq!(ran.text(), format!("{dtype}[] {value}\nexit code 0\n"), "{descr} {file}");
        }
    }
}

#[test]
fn truth_values_and_fortran_order_are_read_from_npy() {
    let bools = npy("|b1", false, "(3,)", &[1, 0, 1]);
    let columns = npy("|u1", true, "(2, 3)", &[1, 4, 2, 5, 3, 6]);
    let dir = folder("fortran", &[("loss.jx", LOSS), ("bools.npy", &bools), ("columns.npy", &columns)]);
    assert_eq!(jx(&dir, &["run", "loss.jx", "same", "x=@bools.npy"]).stdout, "bool[3] [true, false, true]\n");
    assert_eq!(jx(&dir, &["run", "loss.jx", "same", "x=@columns.npy"]).stdout, "u8[2,3] [[1, 2, 3], [4, 5, 6]]\n");
}

#[test]
fn a_program_saved_by_the_library_runs_in_another_process() {
    use ::jx::prelude::*;
    let dir = folder("saved", &[]);
    let table = Array::from([10.0_f32, 20.0]);
    let program = jit(grad(move |x: Tensor| (tensor(&table) * x * x).sum())).lower([1.0_f32, 2.0]);
    program.and_then(|p| p.save(dir.join("grad.jxp"))).expect("the program is right and the folder is there");
    let ran = jx(&dir, &["run", "grad.jxp", "0=[3.0, 4.0]"]);
    expect![[r#"
        f32[2] [60.0, 160.0]
        exit code 0
    "#]]
    .assert_eq(&ran.text());
}

#[test]
fn an_array_is_chosen_from_an_archive() {
    use std::io::Write;
    let dir = folder("archive", &[("loss.jx", LOSS)]);
    let values = |xs: [f32; 2]| xs.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let mut archive = zip::ZipWriter::new(std::fs::File::create(dir.join("xs.npz")).expect("the folder is there"));
    let methods = [("x.npy", zip::CompressionMethod::Stored), ("y.npy", zip::CompressionMethod::Deflated)];
    for (k, (name, method)) in methods.into_iter().enumerate() {
        let options = zip::write::FileOptions::default().compression_method(method);
        archive.start_file(name, options).expect("the file can be written");
        let first = 2.0 * k as f32;
        archive.write_all(&npy("<f4", false, "(2,)", &values([first, first + 1.0]))).expect("the file can be written");
    }
    archive.finish().expect("the file can be written");
    let text = |name: &str| jx(&dir, &["run", "loss.jx", "twice", name]).text();
    assert_eq!(text("x=@xs.npz:x"), "f32[2] [0.0, 2.0]\nexit code 0\n");
    assert_eq!(text("x=@xs.npz:y"), "f32[2] [4.0, 6.0]\nexit code 0\n");
}
