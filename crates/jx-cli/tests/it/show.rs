//! `jx show` and `jx devices`, and programs in text form.

use crate::{folder, jx};
use expect_test::expect;

const LOSS: &[u8] = b"fn loss(w, x, y) = (w * x - y)^2\n";

#[test]
fn a_program_is_shown_in_its_stages() {
    let dir = folder("show", &[("loss.jx", LOSS)]);
    let ran = jx(&dir, &["show", "loss.jx", "grad(loss)", "w:f32[]", "x:f32[]", "y:f32[]"]);
    expect![[r#"
        // source: 4 equations
        func(%0: f32[], %1: f32[], %2: f32[]) -> (f32[]) {
          %3: f32[] = grad[wrt=[0], value=false, func=(%0: f32[], %1: f32[], %2: f32[]) -> (f32[]) {
            %3: f32[] = mul %0 %1
            %4: f32[] = sub %3 %2
            %5: f32[] = integer_pow[exponent=2] %4
            return %5
          }] %0 %1 %2
          return %3
        }

        // expanded: 4 equations
        func(%0: f32[], %1: f32[], %2: f32[]) -> (f32[]) {
          %3: f32[] = mul %0 %1
          %4: f32[] = sub %3 %2
          %5: f32[] = add %4 %4
          %6: f32[] = mul_no_nan %5 %1
          return %6
        }

        // optimized: 4 equations
        func(%0: f32[], %1: f32[], %2: f32[]) -> (f32[]) {
          %3: f32[] = mul %0 %1
          %4: f32[] = sub %3 %2
          %5: f32[] = add %4 %4
          %6: f32[] = mul_no_nan %5 %1
          return %6
        }
        exit code 0
    "#]]
    .assert_eq(&ran.text());
    let ran = jx(
        &dir,
        &["show", "loss.jx", "vmap(loss, (None, 0, 0))", "w=2.0", "x:f32[5]", "y:f32[5]", "--stage", "optimized"],
    );
    expect![[r#"
        // optimized: 4 equations
        func(%0: f32[], %1: f32[5], %2: f32[5]) -> (f32[5]) {
          %3: f32[5] = broadcast_in_dim[shape=[5], broadcast_dimensions=[]] %0
          %4: f32[5] = mul %3 %1
          %5: f32[5] = sub %4 %2
          %6: f32[5] = integer_pow[exponent=2] %5
          return %6
        }
        exit code 0
    "#]]
    .assert_eq(&ran.text());
}

#[test]
fn what_is_shown_reads_back_and_runs() {
    let dir = folder("roundtrip", &[("loss.jx", LOSS)]);
    let shown = jx(&dir, &["show", "loss.jx", "grad(loss)", "w:f32[]", "x:f32[]", "y:f32[]", "--stage", "source"]);
    std::fs::write(dir.join("grad.jx"), shown.stdout).unwrap();
    let ran = jx(&dir, &["run", "grad.jx", "0=2.0", "1=3.0", "2=5.0"]);
    expect![[r#"
        f32[] 6.0
        exit code 0
    "#]]
    .assert_eq(&ran.text());
    let ran = jx(&dir, &["run", "grad.jx", "0=2.0", "3=5.0"]);
    expect![[r#"
        error: the program has no input 3 and no value for 1, 2; its inputs are 0: f32[], 1: f32[], 2: f32[]
        exit code 1
    "#]]
    .assert_eq(&ran.text());
}

#[test]
fn devices_are_listed() {
    let ran = jx(&folder("devices", &[]), &["devices"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.contains("interpreter"), "{}", ran.stdout);
    let ran = jx(&folder("devices", &[]), &["devices", "--json"]);
    assert!(ran.stdout.lines().all(|line| line.starts_with('{') && line.ends_with('}')), "{}", ran.stdout);
}
