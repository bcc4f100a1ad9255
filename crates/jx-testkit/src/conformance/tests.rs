//! Tests of reading, translating, transforming and comparing cases, on cases written here.

use super::{Case, Kind, ReadError, Reader, RunError, Runner, TranslateError, groups, translate, variant_func};
use jx_ir::{Array, Func, eval};
use std::path::PathBuf;

/// A folder of its own with the group `g`.
fn folder(name: &str, lines: &str, bin: &[u8]) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("jx-conformance-{}-{name}", std::process::id()));
    std::fs::create_dir_all(dir.join("cases")).unwrap();
    std::fs::write(dir.join("cases/g.jsonl"), lines).unwrap();
    std::fs::write(dir.join("cases/g.bin"), bin).unwrap();
    dir
}

fn f32s(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// A case of one equation on `f32[2]`, its result called by the tensors of `variants`.
fn line(equation: &str, variants: &str, tensors: &str) -> String {
    let jaxpr = format!(
        r#"{{"in":[0],"const":[],"eqns":[{equation}],"out":[1],"vars":[["f32",[2]],["f32",[2]]],"const_vals":[]}}"#
    );
    let base = format!(r#"{{"kind":"base","in":[0],"out":[1],"jaxpr":{jaxpr}}}"#);
    let json = format!(
        r#"{{"v":1,"name":"one","id":"1","group":"g","split":"shared","variants":[{base}{variants}],"tensors":{tensors}}}"#
    );
    json + "\n"
}

const NEG: &str = r#"{"prim":"neg","in":[0],"out":[1],"params":{}}"#;
const PAIR: &str = r#"[["f32",[2],0,8],["f32",[2],8,8]]"#;

fn by_eval(func: &Func, inputs: &[Array]) -> Result<Vec<Array>, RunError> {
    eval(func, inputs).map_err(|why| RunError::Failed(why.to_string()))
}

fn read(name: &str, lines: &str, bin: &[u8]) -> Vec<Result<Case, ReadError>> {
    let dir = folder(name, lines, bin);
    let (_, path) = groups(&dir).unwrap().remove(0);
    Reader::open(&path).unwrap().collect()
}

#[test]
fn a_right_value_passes_and_a_wrong_one_says_where() {
    let run = |want: &[f32]| {
        let dir = folder("value", &line(NEG, "", PAIR), &f32s(&[&[1.0, 2.0], want].concat()));
        let (group, path) = groups(&dir).unwrap().remove(0);
        Runner::new(&by_eval).group(&group, &path).unwrap()
    };
    assert_eq!(run(&[-1.0, -2.0]).tally().passed, 1);
    let report = run(&[-1.0, -2.5]);
    assert_eq!(report.tally().failed, 1);
    let what = report.failures[0].to_string();
    assert_eq!(what, "one (base): output 0 (f32[2]), 1 of 2 elements differ; element 1: got -2.0, want -2.5");
}

#[test]
fn nan_equals_nan_and_a_panic_is_a_failure() {
    let bin = f32s(&[f32::NAN, 1.0, f32::NAN, -1.0]);
    let dir = folder("panic", &line(NEG, "", PAIR), &bin);
    let (group, path) = groups(&dir).unwrap().remove(0);
    assert_eq!(Runner::new(&by_eval).group(&group, &path).unwrap().tally().passed, 1);
    let report = Runner::new(&|_, _| panic!("on purpose")).group(&group, &path).unwrap();
    assert!(report.failures[0].what.contains("on purpose"));
}

#[test]
fn a_missing_primitive_or_dtype_is_a_counted_reason() {
    let dir = folder("hole", &line(r#"{"prim":"eigh","in":[0],"out":[1],"params":{}}"#, "", PAIR), &f32s(&[0.0; 4]));
    let (group, path) = groups(&dir).unwrap().remove(0);
    let report = Runner::new(&by_eval).group(&group, &path).unwrap();
    assert_eq!(report.reasons.iter().collect::<Vec<_>>(), [(&"no primitive `eigh`".to_owned(), &1)]);
    let dir = folder("dtype", &line(NEG, "", PAIR).replace("f32", "c64"), &f32s(&[0.0; 4]));
    let (group, path) = groups(&dir).unwrap().remove(0);
    let report = Runner::new(&by_eval).group(&group, &path).unwrap();
    assert_eq!(report.reasons.keys().collect::<Vec<_>>(), ["no dtype c64"]);
}

#[test]
fn malformed_files_give_typed_errors() {
    let bin = f32s(&[0.0; 4]);
    assert!(matches!(read("json", "{\"v\":1", &bin)[..], [Err(ReadError::Json { line: 1, .. })]));
    assert!(matches!(
        read("version", "\n{\"v\":2}\n", &bin)[..],
        [Err(ReadError::Version { line: 2, found: Some(2), .. })]
    ));
    assert!(matches!(read("bytes", "\u{0}\u{1}", &bin)[..], [Err(ReadError::Json { .. })]));
    let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
    assert!(matches!(read("deep", &deep, &bin)[..], [Err(ReadError::Json { .. })]));
    let dir = std::env::temp_dir().join(format!("jx-conformance-{}-none", std::process::id()));
    assert!(matches!(groups(&dir), Err(ReadError::Io { .. })));
}

#[test]
fn tensors_outside_the_file_give_typed_errors() {
    let tensors = r#"[["f32",[2],8,16],["f32",[2],18446744073709551615,8],["f32",[3],0,8],["f32",[4294967296,4294967296,4],0,8]]"#;
    let dir = folder("outside", &line(NEG, "", tensors), &f32s(&[0.0; 4]));
    let (_, path) = groups(&dir).unwrap().remove(0);
    let mut reader = Reader::open(&path).unwrap();
    let case = reader.next().unwrap().unwrap();
    assert!(matches!(reader.tensor(&case, 0), Err(ReadError::Outside { index: 0, length: 16, .. })));
    assert!(matches!(reader.tensor(&case, 1), Err(ReadError::Outside { index: 1, .. })));
    assert!(matches!(reader.tensor(&case, 2), Err(ReadError::Tensor { index: 2, .. })));
    assert!(matches!(reader.tensor(&case, 3), Err(ReadError::Tensor { index: 3, .. })));
    assert!(matches!(reader.tensor(&case, 9), Err(ReadError::NoTensor { index: 9, n_tensors: 4, .. })));
}

fn program(vars: &str, equations: &str, out: &str) -> Result<Func, TranslateError> {
    let json = format!(r#"{{"in":[0],"const":[],"eqns":[{equations}],"out":[{out}],"vars":[{vars}],"const_vals":[]}}"#);
    translate(&serde_json::from_str(&json).unwrap()).map(|t| t.func)
}

#[test]
fn hostile_jaxprs_give_typed_errors() {
    let f = |vars: &str, equations: &str, out: &str| program(vars, equations, out).unwrap_err();
    let neg = |x: usize, y: usize| format!(r#"{{"prim":"neg","in":[{x}],"out":[{y}],"params":{{}}}}"#);
    let two = r#"["f32",[2]],["f32",[2]]"#;
    assert_eq!(f(two, &neg(1, 1), "1"), TranslateError::Undefined { var: 1 });
    assert_eq!(f(two, &neg(0, 7), "1"), TranslateError::Undefined { var: 7 });
    assert_eq!(f(two, "", "1"), TranslateError::Undefined { var: 1 });
    assert!(matches!(f(r#"["f32",[2]],["f32",[3]]"#, &neg(0, 1), "1"), TranslateError::Declared { var: 1, .. }));
    let huge = r#"["f32",[4294967296,4294967296]],["f32",[4294967296,4294967296]]"#;
    assert!(matches!(f(huge, &neg(0, 1), "1"), TranslateError::Type(_)));
    let key = r#"["key<fry>",[9223372036854775807]],["f32",[2]]"#;
    assert!(matches!(f(key, &neg(0, 1), "1"), TranslateError::Type(_)));
    for params in [
        r#"{"dimensions":[0]}"#,
        r#"{"window_dimensions":[0],"window_strides":[0],"padding":[[0,0]]}"#,
        r#"{"window_dimensions":[2],"window_strides":[0],"padding":[[0,0]]}"#,
        r#"{"window_dimensions":[2],"window_strides":[1],"window_dilation":[18446744073709551615],"padding":[[0,0]]}"#,
        r#"{"window_dimensions":[2],"window_strides":[1],"padding":[[-9223372036854775808,9223372036854775807]]}"#,
        r#"{"window_dimensions":[99999999],"window_strides":[1],"padding":[[0,0]]}"#,
        r#"{"window_dimensions":[2,2],"window_strides":[1],"padding":[[0]]}"#,
    ] {
        let equation = format!(r#"{{"prim":"reduce_window_sum","in":[0],"out":[1],"params":{params}}}"#);
        let result = program(two, &equation, "1");
        assert!(result.is_err(), "{params}");
    }
}

#[test]
fn nested_jaxprs_are_inlined_and_their_depth_is_limited() {
    let inner = r#"{"in":[0],"const":[],"eqns":[{"prim":"neg","in":[0],"out":[1],"params":{}}],"out":[1],"vars":[["f32",[]],["f32",[]]]}"#;
    let call = |body: &str| format!(r#"{{"prim":"jit","in":[0],"out":[1],"params":{{"jaxpr":{{"jaxpr":{body}}}}}}}"#);
    let scalars = r#"["f32",[]],["f32",[]]"#;
    let func = program(scalars, &call(inner), "1").unwrap();
    assert_eq!(func.to_string(), "func(%0: f32[]) -> (f32[]) {\n  %1: f32[] = neg %0\n  return %1\n}");
}

#[test]
fn a_bitcast_to_a_float_is_exact_at_the_edges() {
    let bits: [u32; 9] =
        [0, 0x8000_0000, 1, 0x807f_ffff, 0x0080_0000, 0x3f80_0001, 0x7f7f_ffff, 0xff80_0000, 0x7fc0_0000];
    let equation = r#"{"prim":"bitcast_convert_type","in":[0],"out":[1],"params":{"new_dtype":{"dtype":"f32"}}}"#;
    let func = program(r#"["u32",[9]],["f32",[9]]"#, equation, "1").unwrap();
    let out = eval(&func, &[Array::from_vec([9], bits.to_vec()).unwrap()]).unwrap();
    let got: Vec<u32> = out[0].as_slice::<f32>().unwrap().iter().map(|x| x.to_bits()).collect();
    assert_eq!(got, bits);
}

#[test]
fn top_k_takes_nan_first_and_the_first_among_equals() {
    let equation = r#"{"prim":"top_k","in":[0],"out":[1,2],"params":{"k":3,"axis":-1}}"#;
    let func = program(r#"["f32",[5]],["f32",[3]],["i32",[3]]"#, equation, "1,2").unwrap();
    let x = Array::from_vec([5], vec![1.0_f32, 2.0, f32::NAN, 2.0, 0.0]).unwrap();
    let out = eval(&func, &[x]).unwrap();
    assert_eq!(out[1].as_slice::<i32>(), Some(&[2, 1, 3][..]));
}

#[test]
fn a_reference_is_overruled_only_by_difference_quotients() {
    let jvp = r#",{"kind":"jvp","tangent_of":[0],"out_tangent_of":[0],"in":[0,2],"out":[1,3]}"#;
    let tensors = r#"[["f32",[2],0,8],["f32",[2],8,8],["f32",[2],16,8],["f32",[2],24,8]]"#;
    let run = |got: [f32; 2], want: [f32; 2]| {
        let bin = f32s(&[&[1.0, 2.0, -1.0, -2.0, 0.5, 0.25], &want[..]].concat());
        let dir = folder(&format!("quotient-{want:?}-{got:?}"), &line(NEG, jvp, tensors), &bin);
        let (group, path) = groups(&dir).unwrap().remove(0);
        let by = |func: &Func, inputs: &[Array]| {
            if func.eqns().iter().all(|e| e.prim.nested().is_none()) {
                return by_eval(func, inputs);
            }
            let values = [vec![-1.0_f32, -2.0], got.to_vec()];
            Ok(values.into_iter().map(|v| Array::from_vec([2], v).unwrap()).collect())
        };
        Runner::new(&by).group(&group, &path).unwrap()
    };
    let (right, wrong) = ([-0.5, -0.25], [-0.5, 7.0]);
    assert_eq!(run(right, right).tally().passed, 2);
    let reasons = run(right, wrong).reasons;
    assert_eq!(
        reasons.keys().collect::<Vec<_>>(),
        ["difference quotients in f64 confirm the derivative, and not JAX's"]
    );
    assert_eq!(run(wrong, right).tally().failed, 1);
    assert_eq!(run(wrong, [-0.5, 8.0]).tally().failed, 1);
}

#[test]
fn a_mixed_map_batches_the_first_input_only() {
    let vars = r#"["f32",[]],["f32",[]],["f32",[]]"#;
    let json = format!(
        r#"{{"in":[0,1],"const":[],"eqns":[{{"prim":"mul","in":[0,1],"out":[2],"params":{{"out_dtype":null}}}}],"out":[2],"vars":[{vars}],"const_vals":[]}}"#
    );
    let base = translate(&serde_json::from_str(&json).unwrap()).unwrap().func;
    let kind: Kind = serde_json::from_str(r#"{"kind":"vmap_mixed","axis_size":2}"#).unwrap();
    let func = variant_func(&base, &kind).unwrap();
    let inputs = [Array::from_vec([2], vec![1.0_f32, 2.0]).unwrap(), Array::scalar(3.0_f32)];
    assert_eq!(eval(&func, &inputs).unwrap()[0].as_slice::<f32>(), Some(&[3.0, 6.0][..]));
    let kind: Kind = serde_json::from_str(r#"{"kind":"vmap2","axis_sizes":[2,1]}"#).unwrap();
    let types: Vec<String> =
        variant_func(&base, &kind).unwrap().input_types().iter().map(ToString::to_string).collect();
    assert_eq!(types, ["f32[2,1]", "f32[2,1]"]);
}

#[test]
fn a_gradient_node_has_the_cotangents_as_inputs() {
    let two = r#"["f32",[2]],["f32",[2]]"#;
    let base = program(two, NEG, "1").unwrap();
    let func = variant_func(&base, &Kind::Grad { wrt: 0, cotangent_of: vec![0] }).unwrap();
    assert_eq!(func.n_inputs(), 2);
    assert_eq!(func.eqns()[0].prim.name(), "grad");
    let why = variant_func(&base, &Kind::Grad { wrt: 0, cotangent_of: vec![3] }).unwrap_err();
    assert_eq!(why.to_string(), "grad: output 3 of the program is not a float");
}
