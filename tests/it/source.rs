//! Source files: the language, what it computes, and its messages with file, line and column.

use expect_test::{Expect, expect};
use jx::source::{Input, Module, Nested, Run, Session, SourceError, parse_type};
use jx::{Array, Device};

const FILE: &str = "\
// A line and its loss.
fn predict((w, b), x) = w * x + b
fn squared_error(w, b, x, y) = (w * x + b - y)^2
fn loss(params, x, y) = (predict(params, x) - y)^2
fn distance(a, b) = { let d = a - b; sum(d^2) }
fn twice(f, x) = f(f(x))
fn forever(x) = forever(x) + 1
fn spin(x) = jit(spin)(x)
fn typed(x: f32[3], n: i32[]) = sum(x) * astype(n, f32)
fn bad_shapes(x, y) = {
    let z = x + 1;
    z * y
}
fn with_aux(x) = (x^2, x + 1)
let xs = [1.0, 2.0, 3.0]
let n = 3
let (first, second) = (xs[0], 2 * xs)
run time \"mapped\" vmap(predict, in_axes=(None, 0))((2, 1), xs)
run sum(xs)
";

fn evaluate(file: &str, expr: &str) -> Result<Nested<Array>, SourceError> {
    let module = Module::parse(file, "model.jx")?;
    Session::new(&module, Device::default()).evaluate(expr)
}

/// The value of an expression of [`FILE`], printed.
fn check(expr: &str, expected: &str) {
    match evaluate(FILE, expr) {
        Ok(value) => assert_eq!(value.to_string(), expected, "{expr}"),
        Err(why) => panic!("{expr}: {why}"),
    }
}

/// The message of an expression of [`FILE`].
#[track_caller]
fn check_error(expr: &str, expected: Expect) {
    let why = evaluate(FILE, expr).expect_err(expr);
    expected.assert_eq(&why.to_string());
}

/// The message of a file that does not parse.
#[track_caller]
fn check_file_error(file: &str, expected: Expect) {
    let why = Module::parse(file, "model.jx").expect_err(file);
    expected.assert_eq(&why.to_string());
}

#[test]
fn operators_bind_as_in_mathematics() {
    check("1 + 2 * 3", "7.0");
    check("-2^2", "-4.0");
    check("2^-1", "0.5");
    check("2^3^2", "512.0");
    check("(1 + 2) * 3 - 4 / 2", "7.0");
    check("-xs * 2 + 1", "[-1.0, -3.0, -5.0]");
    check("xs < 2 | xs == 3", "[true, false, true]");
    check("!(xs < 2) & xs <= 3", "[false, true, true]");
    check("[[1, 2], [3, 4]] @ [1, 1]", "[3.0, 7.0]");
    check("7 % 4 + xs % 2", "[4.0, 3.0, 4.0]");
}

#[test]
fn a_number_takes_the_dtype_of_the_tensor_beside_it() {
    check("[1, 2]:i32 * 2 + 1", "[3, 5]");
    check("2 * [1, 2]:f64 / 3", "[0.6666666666666666, 1.3333333333333333]");
    check("maximum([1, 5]:u8, 3)", "[3, 5]");
    check("where([true, false], 1, [2, 3]:i64)", "[1, 3]");
    check("3", "3.0");
    check("true", "true");
}

#[test]
fn functions_blocks_and_lambdas_apply() {
    check("predict((2, 1), 3)", "7.0");
    check("distance(xs, 2)", "2.0");
    check("twice(|x| 2 * x, 3)", "12.0");
    check("squared_error(x=1, y=0, w=2, b=1)", "9.0");
    check("{ let k = 2; let f = |x| k * x; twice(f, xs) }", "[4.0, 8.0, 12.0]");
    check("typed(xs, 2:i32)", "12.0");
    check("(|(a, b), c| a + b * c)((1, 2), 3)", "7.0");
}

#[test]
fn tuples_lists_and_parts() {
    check("((1, 2), xs).0.1", "2.0");
    check("(1,)", "(1.0,)");
    check("(first, second)", "(1.0, [2.0, 4.0, 6.0])");
    check("[xs[0], 5, sum(xs)]", "[1.0, 5.0, 6.0]");
    check("{ let (a, b) = [[1, 2], [3, 4]]; a + b }", "[4.0, 6.0]");
}

#[test]
fn indices_select_as_in_numpy() {
    check("xs[-1]", "3.0");
    check("xs[1:]", "[2.0, 3.0]");
    check("xs[::2]", "[1.0, 3.0]");
    check("reshape(arange(6), [2, 3])[:, 1]", "[1.0, 4.0]");
    check("reshape(arange(6), [2, n])[1, 0:2]", "[3.0, 4.0]");
}

#[test]
fn operations_have_their_jax_names() {
    check("sum(reshape(arange(6), (2, 3)), axis=0)", "[3.0, 5.0, 7.0]");
    check("mean(reshape(arange(6), [2, 3]), axis=1, keepdims=true)", "[[1.0], [4.0]]");
    check("linspace(0, 1, 5)", "[0.0, 0.25, 0.5, 0.75, 1.0]");
    check("arange(1, 2, 0.5, dtype=f64)", "[1.0, 1.5]");
    check("zeros([2], i32)", "[0, 0]");
    check("transpose([[1, 2], [3, 4]])", "[[1.0, 3.0], [2.0, 4.0]]");
    check("concatenate([xs, ones([1])])", "[1.0, 2.0, 3.0, 1.0]");
    check("einsum(\"i,i->\", xs, xs)", "14.0");
    check("nn.relu([-1, 2])", "[0.0, 2.0]");
    check("sum(nn.softmax(xs))", "1.0");
    check("linalg.norm([3, 4])", "5.0");
    check("random.key(42)", "[0, 42]");
    check("sin(pi / 2)", "1.0");
}

// JAX 0.10.2: `jax.random.uniform(jax.random.key(42), (3,))`, and the parts of its `split`.
#[test]
fn random_numbers_are_jaxs() {
    check("random.uniform(random.key(42), [3])", "[0.48870957, 0.6797972, 0.6162715]");
    check("{ let (a, b) = random.split(random.key(42)); random.normal(b, []) }", "0.605764");
}

#[test]
fn transformations_nest() {
    check("grad(squared_error)(2, 1, 3, 5)", "12.0");
    check("grad(squared_error, wrt=(w, b))(2, 1, 3, 5)", "(12.0, 4.0)");
    check("grad(squared_error, wrt=1)(2, 1, 3, 5)", "4.0");
    check("grad(loss)((2, 1), 3, 5)", "(12.0, 4.0)");
    check("vmap(grad(loss), in_axes=(None, 0, 0))((2, 1), xs, xs)", "([4.0, 12.0, 24.0], [4.0, 6.0, 8.0])");
    check(
        "jit(vmap(jit(grad(squared_error, wrt=(w, b))), in_axes=(None, None, 0, 0)))(2, 1, xs, xs)",
        "([4.0, 12.0, 24.0], [4.0, 6.0, 8.0])",
    );
    check("value_and_grad(loss)((2, 1), 3, 5)", "(4.0, (12.0, 4.0))");
    check("grad(with_aux, has_aux=true)(3)", "(6.0, 4.0)");
    check("value_and_grad(with_aux, has_aux=true)(3)", "((9.0, 4.0), 6.0)");
    check("grad(grad(|x| x^3))(2)", "12.0");
    check("vmap(vmap(distance, (None, 0)), (0, None))([[0, 0], [1, 1]], [[1, 2]])", "[[5.0], [1.0]]");
    check(
        "vmap(|x| (x, 2 * x), out_axes=(0, 1))([[1, 2], [3, 4]])",
        "([[1.0, 2.0], [3.0, 4.0]], [[2.0, 6.0], [4.0, 8.0]])",
    );
    check("jvp(|x, y| x * y, (2, 3), (1, 0))", "(6.0, 3.0)");
    check("jacfwd(|x| x^2)([1, 2])", "[[2.0, 0.0], [0.0, 4.0]]");
    check("jacrev(|x, y| x * y, wrt=(x, y))([1, 2], 3)", "([[3.0, 0.0], [0.0, 3.0]], [1.0, 2.0])");
    check("hessian(|x| sum(x^3))([1, 2])", "[[6.0, 0.0], [0.0, 12.0]]");
    check("vmap(sum)([[1, 2], [3, 4]])", "[3.0, 7.0]");
}

#[test]
fn a_name_inside_a_parameter_can_be_differentiated() {
    check("grad(|(w, b), x| (w * x + b)^2, wrt=b)((2, 1), 3)", "14.0");
    check("grad(|(w, b), x| (w * x + b)^2, wrt=(x, w))((2, 1), 3)", "(28.0, 42.0)");
    check("jacfwd(|(w, b), x| w * x + b, wrt=w)((2, 1), [3, 4])", "[3.0, 4.0]");
}

#[test]
fn transformations_capture_what_is_around_them() {
    check("{ let k = sum(xs); grad(|x| k * x^2)(1) }", "12.0");
    check("vmap(|x| vmap(|y| x * y)(xs))(xs)[2]", "[3.0, 6.0, 9.0]");
}

#[test]
fn a_function_takes_its_inputs_by_name() {
    let module = Module::parse(FILE, "model.jx").unwrap();
    let session = Session::new(&module, Device::default());
    let input = |name: &str, value: f32| (name.to_owned(), Nested::Leaf(Input::Array(Array::from(value))));
    let inputs = [input("y", 5.0), input("x", 3.0), input("w", 2.0), input("b", 1.0)];
    let prepared = session.prepare("jit(grad(squared_error))", &inputs).unwrap();
    assert!(prepared.is_compiled());
    assert_eq!(prepared.call().unwrap().to_string(), "12.0");
    let prepared = session.prepare("predict", &inputs[1..]).unwrap();
    assert_eq!(prepared.call().unwrap().to_string(), "7.0");
    let prepared = session.prepare("w * x + n", &inputs[1..3]).unwrap();
    assert_eq!(prepared.call().unwrap().to_string(), "9.0");
    let why = session.prepare("squared_error", &[input("w", 1.0), input("z", 1.0)]).err().unwrap();
    expect![[r#"
        `squared_error` has no input `z`, and no value for `b`, `x`, `y`; its inputs are w, b, x, y
         --> <expression>:1:1
          |
        1 | squared_error
          | ^^^^^^^^^^^^^"#]]
    .assert_eq(&why.to_string());
}

#[test]
fn types_are_enough_to_look_at_a_program() {
    let module = Module::parse(FILE, "model.jx").unwrap();
    let session = Session::new(&module, Device::default());
    let input = |name: &str, ty: &str| (name.to_owned(), Nested::Leaf(Input::Type(parse_type(ty).unwrap())));
    let prepared = session.prepare("grad(distance)", &[input("a", "f32[2]"), input("b", "f32[2]")]).unwrap();
    expect![[r#"
        func(%0: f32[2], %1: f32[2]) -> (f32[2]) {
          %2: f32[2] = grad[wrt=[0], value=false, func=(%0: f32[2], %1: f32[2]) -> (f32[]) {
            %2: f32[2] = sub %0 %1
            %3: f32[2] = integer_pow[exponent=2] %2
            %4: f32[] = reduce_sum[axes=[0]] %3
            return %4
          }] %0 %1
          return %2
        }"#]]
    .assert_eq(&prepared.program().unwrap().to_string());
    assert_eq!(prepared.program().unwrap().paths(), ["argument a", "argument b"]);
    let why = prepared.call().unwrap_err();
    expect!["the input `a` has only a type, f32[2]; give it a value to run the program"].assert_eq(&why.to_string());
}

#[test]
fn a_files_run_statements_are_listed_and_run() {
    let module = Module::parse(FILE, "model.jx").unwrap();
    let runs: Vec<Run> = module.runs().collect();
    assert_eq!((runs[0].label.as_str(), runs[0].timed), ("mapped", true));
    assert_eq!((runs[1].label.as_str(), runs[1].timed), ("sum(xs)", false));
    let session = Session::new(&module, Device::default());
    assert_eq!(session.prepare_run(0).unwrap().call().unwrap().to_string(), "[3.0, 5.0, 7.0]");
    assert_eq!(session.prepare_run(1).unwrap().call().unwrap().to_string(), "6.0");
}

#[test]
fn equations_are_placed_in_the_source_file() {
    let module = Module::parse("fn f(x) = 2 *\n  sin(x)\n", "model.jx").unwrap();
    let session = Session::new(&module, Device::default());
    let x = ("x".to_owned(), Nested::Leaf(Input::Array(Array::from(1.0_f32))));
    let program = session.prepare("f", &[x]).unwrap().program().unwrap();
    let places: Vec<String> = program.func().eqns().iter().map(|e| e.origin.0.as_ref().unwrap().to_string()).collect();
    assert!(places.contains(&"model.jx:2:3".to_owned()), "{places:?}");
}

#[test]
fn unknown_names_are_told_with_what_may_have_been_meant() {
    check_error(
        "squared_eror(1, 2, 3, 4)",
        expect![[r#"
        there is no function `squared_eror`; did you mean `squared_error`?
         --> <expression>:1:1
          |
        1 | squared_eror(1, 2, 3, 4)
          | ^^^^^^^^^^^^"#]],
    );
    check_error(
        "vmap(predct)(xs)",
        expect![[r#"
        there is no function `predct`; did you mean `predict`?
         --> <expression>:1:6
          |
        1 | vmap(predct)(xs)
          |      ^^^^^^"#]],
    );
    check_error(
        "exq(xs)",
        expect![[r#"
        there is no function `exq`; did you mean `exp`?
         --> <expression>:1:1
          |
        1 | exq(xs)
          | ^^^"#]],
    );
    check_error(
        "xz + 1",
        expect![[r#"
        there is no value `xz`
         --> <expression>:1:1
          |
        1 | xz + 1
          | ^^"#]],
    );
    check_error(
        "random.unifrom(random.key(0))",
        expect![[r#"
        there is no function `random.unifrom`; did you mean `random.uniform`?
         --> <expression>:1:8
          |
        1 | random.unifrom(random.key(0))
          |        ^^^^^^^"#]],
    );
    check_error(
        "sum(xs, axes=0)",
        expect![[r#"
        there is no argument `axes`; there are x, axis, keepdims
         --> <expression>:1:9
          |
        1 | sum(xs, axes=0)
          |         ^^^^"#]],
    );
    check_error(
        "gard(loss)((1, 2), 3, 4)",
        expect![[r#"
        there is no function `gard`; did you mean `grad`?
         --> <expression>:1:1
          |
        1 | gard(loss)((1, 2), 3, 4)
          | ^^^^"#]],
    );
}

#[test]
fn wrong_arguments_are_told_with_the_parameters() {
    check_error(
        "squared_error(1, 2, 3)",
        expect![[r#"
        `squared_error` takes 4 arguments (w, b, x, y), but 3 are given
         --> <expression>:1:1
          |
        1 | squared_error(1, 2, 3)
          | ^^^^^^^^^^^^^"#]],
    );
    check_error(
        "predict(1, 2)",
        expect![[r#"
        `predict`: the pattern (w, b) has 2 parts, but the value is the number 1
         --> <expression>:1:1
          |
        1 | predict(1, 2)
          | ^^^^^^^"#]],
    );
    check_error(
        "squared_error(1, 2, 3, x=4)",
        expect![[r#"
        `squared_error` is given `x` twice
         --> <expression>:1:1
          |
        1 | squared_error(1, 2, 3, x=4)
          | ^^^^^^^^^^^^^"#]],
    );
    check_error(
        "exp()",
        expect![[r#"
        `exp` takes 1 argument (x), but 0 are given
         --> <expression>:1:1
          |
        1 | exp()
          | ^^^"#]],
    );
    check_error(
        "reshape(xs, axis)",
        expect![[r#"
        there is no value `axis`
         --> <expression>:1:13
          |
        1 | reshape(xs, axis)
          |             ^^^^"#]],
    );
    check_error(
        "reshape(xs, xs)",
        expect![[r#"
        reshape: f32[3] has 3 elements, but the shape [1, 2, 3] has 6
         --> <expression>:1:1
          |
        1 | reshape(xs, xs)
          | ^^^^^^^
          operand 0: f32[3], `constant` at <expression>:1:9
          in eager at <expression>:1:1"#]],
    );
    check_error(
        "typed(first, 2:i32)",
        expect![[r#"
        `typed` declares x: f32[3], but the argument is f32[]
         --> <expression>:1:1
          |
        1 | typed(first, 2:i32)
          | ^^^^^"#]],
    );
    check_error(
        "xs(1)",
        expect![[r#"
        this is a list of 3, not a function, and cannot be applied
         --> <expression>:1:1
          |
        1 | xs(1)
          | ^^"#]],
    );
    check_error(
        "predict",
        expect![[r#"
        `predict` has no value for `w`, `b`, `x`; its inputs are w, b, x
         --> <expression>:1:1
          |
        1 | predict
          | ^^^^^^^"#]],
    );
    check_error(
        "einsum(3, xs)",
        expect![[r#"
        `einsum`: `subscripts` must be a text between quotes, but it is the number 3
         --> <expression>:1:8
          |
        1 | einsum(3, xs)
          |        ^"#]],
    );
    check_error(
        "300:i8 + 1",
        expect![[r#"
        the number 300 is not a value of i8
         --> <expression>:1:1
          |
        1 | 300:i8 + 1
          | ^^^"#]],
    );
    check_error(
        "[[1, 2], [3]]",
        expect![[r#"
        the rows of this list differ in shape; an array has rows of one shape
         --> <expression>:1:1
          |
        1 | [[1, 2], [3]]
          | ^"#]],
    );
    check_error(
        "(1, 2) + 1",
        expect![[r#"
        this is a tuple of 2, and a tensor is needed here
         --> <expression>:1:1
          |
        1 | (1, 2) + 1
          | ^"#]],
    );
    check_error(
        "xs.x",
        expect![[r#"
        this is a list of 3, which has no part `.x`
         --> <expression>:1:4
          |
        1 | xs.x
          |    ^"#]],
    );
    check_error(
        "(1, 2).2",
        expect![[r#"
        this is a tuple of 2, which has no part `.2`
         --> <expression>:1:8
          |
        1 | (1, 2).2
          |        ^"#]],
    );
}

#[test]
fn mistakes_in_transformations_are_told_at_their_place() {
    check_error(
        "grad(squared_error, wrt=z)(1, 2, 3, 4)",
        expect![[r#"
        grad: `z` is no parameter of `squared_error`; its parameters are w, b, x, y
         --> <expression>:1:25
          |
        1 | grad(squared_error, wrt=z)(1, 2, 3, 4)
          |                         ^"#]],
    );
    check_error(
        "grad(predict)((1, 2), xs)",
        expect![[r#"
        grad: the function must return a float scalar, but it returns f32[3]; reduce it first (`.sum()`, `.mean()`), or use `jacrev`, `jacfwd` or `vjp`
         --> <expression>:1:1
          |
        1 | grad(predict)((1, 2), xs)
          | ^^^^
          in eager at <expression>:1:1"#]],
    );
    check_error(
        "grad(with_aux)(1)",
        expect![[r#"
        grad: the function must return one scalar, but it returns a tuple of 2; with has_aux=true it may return a tuple of a scalar and anything else
         --> <expression>:1:1
          |
        1 | grad(with_aux)(1)
          | ^^^^"#]],
    );
    check_error(
        "vmap(squared_error, in_axes=(0, None))(1, 2, 3, 4)",
        expect![[r#"
            vmap: in_axes does not fit: the arguments: 4 parts, but 2 axes are given for them
             --> <expression>:1:1
              |
            1 | vmap(squared_error, in_axes=(0, None))(1, 2, 3, 4)
              | ^^^^
              in eager at <expression>:1:1"#]],
    );
    check_error(
        "vmap(distance)(xs, [1, 2])",
        expect![[r#"
        vmap: mapped axes must have one size, but
          argument a: f32[3] (axis 0) has size 3
          argument b: f32[2] (axis 0) has size 2
         --> <expression>:1:1
          |
        1 | vmap(distance)(xs, [1, 2])
          | ^^^^
          in eager at <expression>:1:1"#]],
    );
    check_error(
        "grad(distance)([1, 2]:i32, [1, 2]:i32)",
        expect![[r#"
        grad: argument a is i32[2], and only floats have derivatives; convert it before the call, or leave it out with argnums
         --> <expression>:1:1
          |
        1 | grad(distance)([1, 2]:i32, [1, 2]:i32)
          | ^^^^
          in eager at <expression>:1:1"#]],
    );
    check_error(
        "vmap(3)(xs)",
        expect![[r#"
        `vmap`: `f` must be a function, but it is the number 3
         --> <expression>:1:6
          |
        1 | vmap(3)(xs)
          |      ^"#]],
    );
}

#[test]
fn shape_errors_point_into_the_file() {
    check_error(
        "bad_shapes(xs, [1, 2])",
        expect![[r#"
            mul: shapes f32[3] and f32[2] do not broadcast: axis 1 from the right has extents 3 and 2; extents must be equal or 1
              --> model.jx:12:7
               |
            12 |     z * y
               |       ^
              operand 0: f32[3], `add` at model.jx:11:15
              operand 1: f32[2], `constant` at model.jx:12:9
              in eager at <expression>:1:1"#]],
    );
    check_error(
        "vmap(bad_shapes, (0, None))([[1, 2], [3, 4]], xs)",
        expect![[r#"
            mul: shapes f32[2] and f32[3] do not broadcast: axis 1 from the right has extents 2 and 3; extents must be equal or 1
              --> model.jx:12:7
               |
            12 |     z * y
               |       ^
              operand 0: f32[2], `add` at model.jx:11:15
              operand 1: f32[3], argument y
              in vmap at <expression>:1:1
              in eager at <expression>:1:1"#]],
    );
    check_error(
        "xs + [1, 2, 3]:f64",
        expect![[r#"
        add: operands are f32[3] and f64[3]; jx does not convert between dtypes by itself: use `.astype(DType::F64)` on one of them
         --> <expression>:1:4
          |
        1 | xs + [1, 2, 3]:f64
          |    ^
          operand 0: f32[3], `constant` at <expression>:1:1
          operand 1: f64[3], `constant` at <expression>:1:6
          in eager at <expression>:1:4"#]],
    );
    check_error(
        "sum(xs, axis=1)",
        expect![[r#"
        sum: axis 1 is out of range for f32[3] (rank 1); axes go from -1 to 0
         --> <expression>:1:1
          |
        1 | sum(xs, axis=1)
          | ^^^
          operand 0: f32[3], `constant` at <expression>:1:5
          in eager at <expression>:1:1"#]],
    );
}

#[test]
fn recursion_ends_with_an_error() {
    check_error(
        "forever(1)",
        expect![[r#"
        calls are nested more than 48 deep (… → forever → forever → forever → forever); a function may not call itself, since there is nothing to end it
         --> model.jx:7:17
          |
        7 | fn forever(x) = forever(x) + 1
          |                 ^^^^^^^"#]],
    );
    check_error(
        "spin(1)",
        expect![[r#"
        calls are nested more than 48 deep (… → spin → spin → spin → spin); a function may not call itself, since there is nothing to end it
         --> model.jx:8:14
          |
        8 | fn spin(x) = jit(spin)(x)
          |              ^^^"#]],
    );
    check_error(
        "jit(vmap(forever))(xs)",
        expect![[r#"
        calls are nested more than 48 deep (… → forever → forever → forever → forever); a function may not call itself, since there is nothing to end it
         --> model.jx:7:17
          |
        7 | fn forever(x) = forever(x) + 1
          |                 ^^^^^^^"#]],
    );
}

#[test]
fn files_that_do_not_parse_are_drawn_at_the_place() {
    check_file_error(
        "fn f(x = x",
        expect![[r#"
        expected `,` or `)`, but found `=`
         --> model.jx:1:8
          |
        1 | fn f(x = x
          |        ^"#]],
    );
    check_file_error(
        "fn f(x) = x +\nfn g(x) = x",
        expect![[r#"
        expected an expression, but found `fn`
         --> model.jx:2:1
          |
        2 | fn g(x) = x
          | ^^"#]],
    );
    check_file_error(
        "fn f(x) = x\nfn f(y) = y",
        expect![[r#"
        `f` is defined twice; it was defined first at model.jx:1:4
         --> model.jx:2:4
          |
        2 | fn f(y) = y
          |    ^"#]],
    );
    check_file_error(
        "fn f(x, x) = x",
        expect![[r#"
        `x` is defined twice; it was defined first at model.jx:1:6
         --> model.jx:1:9
          |
        1 | fn f(x, x) = x
          |         ^"#]],
    );
    check_file_error(
        "let x = 2 $ 3",
        expect![[r#"
        the character '$' has no meaning here
         --> model.jx:1:11
          |
        1 | let x = 2 $ 3
          |           ^"#]],
    );
    check_file_error(
        "let x = \"open",
        expect![[r#"
        this text is never closed; a text is written in one line, between two `"`
         --> model.jx:1:9
          |
        1 | let x = "open
          |         ^"#]],
    );
    check_file_error(
        "f(x) = x",
        expect![[r#"
        expected `fn`, `let` or `run`, but found `f`
         --> model.jx:1:1
          |
        1 | f(x) = x
          | ^"#]],
    );
    check_file_error(
        "fn f(x: f32) = x",
        expect![[r#"
        expected `[` and the shape: f32[3], or f32[] for a scalar, but found `)`
         --> model.jx:1:12
          |
        1 | fn f(x: f32) = x
          |            ^"#]],
    );
    check_file_error(
        "fn f(x) = { let y = x y }",
        expect![[r#"
        expected `;` after the value, but found `y`
         --> model.jx:1:23
          |
        1 | fn f(x) = { let y = x y }
          |                       ^"#]],
    );
    check_file_error(
        "let x = 1e999",
        expect![[r#"
        1e999 is not a number that can be represented
         --> model.jx:1:9
          |
        1 | let x = 1e999
          |         ^^^^^"#]],
    );
    check_file_error(
        "run f(x=1, 2)",
        expect![[r#"
        expected an argument with its name, since one before it has its name, but found one without
         --> model.jx:1:12
          |
        1 | run f(x=1, 2)
          |            ^"#]],
    );
    let deep = format!("let x = {}1{}", "(".repeat(5000), ")".repeat(5000));
    let why = Module::parse(&deep, "model.jx").unwrap_err().to_string();
    assert!(why.starts_with("this is nested more than 128 levels deep"), "{why}");
    let long = format!("let x = 1{}", " + 1".repeat(5000));
    let why = Module::parse(&long, "model.jx").unwrap_err().to_string();
    assert!(why.starts_with("this is nested more than 256 levels deep"), "{why}");
}

#[test]
fn a_missing_file_is_an_error_without_a_place() {
    let why = Module::load("no/such/file.jx").unwrap_err();
    assert!(why.to_string().starts_with("cannot read no/such/file.jx: "), "{why}");
    assert!(why.place().is_none());
}

/// A generator of the tests' own: the same garbage on every run (Numerical Recipes' constants).
struct Garbage(u64);

impl Garbage {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

const PIECES: &[&str] = &[
    "fn ",
    "let ",
    "run ",
    "time ",
    "f",
    "x",
    "y",
    "sum",
    "vmap",
    "grad",
    "jit",
    "random",
    ".",
    "key",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    ";",
    "=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "@",
    "^",
    "<",
    ">",
    "!",
    "&",
    "|",
    "==",
    "1",
    "0",
    "2.5",
    "1e3",
    "0x",
    "\"",
    "\n",
    "//",
    "true",
    "None",
    "f32",
    "i8",
    "é",
    "\u{0}",
    "wrt=",
    "in_axes=",
    "axis=",
    "λ",
    ".5",
    "..",
    "99999999999999999999",
];

#[test]
fn no_text_makes_the_parser_panic() {
    let mut garbage = Garbage(42);
    for _ in 0..20_000 {
        let n = garbage.below(30);
        let text: String = (0..n).map(|_| PIECES[garbage.below(PIECES.len())]).collect();
        // An error must be drawable, too.
        if let Err(why) = Module::parse(&text, "garbage.jx") {
            assert!(!why.to_string().is_empty());
        }
    }
}

#[test]
fn no_change_to_an_expression_makes_it_panic() {
    let expressions = [
        "vmap(grad(loss), in_axes=(None, 0, 0))((2, 1), xs, xs)",
        "{ let (a, b) = random.split(random.key(2)); random.normal(b, [2]) }",
        "sum(reshape(arange(6), (2, 3)), axis=0)[1:2] + typed(xs, 2:i32) * n",
        "jacrev(|x, y| x * y, wrt=(x, y))([1, 2], 3)",
        "concatenate([xs, ones([1])], axis=0) @ where([true, false], 1, [2, 3]:i64)",
    ];
    let module = Module::parse(FILE, "model.jx").unwrap();
    let session = Session::new(&module, Device::default());
    let mut garbage = Garbage(7);
    let mut outcomes = [0, 0];
    for round in 0..400 {
        let expr = expressions[round % expressions.len()];
        // Whole tokens are exchanged, so that no number grows to a size that takes long.
        let mut tokens: Vec<&str> = expr.split_inclusive([' ', '(', ')', ',', '[', ']', '.', ':']).collect();
        for _ in 0..1 + garbage.below(2) {
            let (i, j) = (garbage.below(tokens.len()), garbage.below(tokens.len()));
            match garbage.below(3) {
                0 => tokens.swap(i, j),
                1 => tokens[i] = tokens[j],
                _ => {
                    tokens.remove(i);
                }
            }
        }
        match session.evaluate(&tokens.concat()) {
            Ok(_) => outcomes[0] += 1,
            Err(why) => {
                assert!(!why.to_string().is_empty());
                outcomes[1] += 1;
            }
        }
    }
    assert!(outcomes.iter().all(|&n| n > 10), "{outcomes:?}");
}
