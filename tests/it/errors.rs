//! What a user is told: every mistake has its own message, with shapes as the user wrote them, the
//! place, and the transformations around it. Nothing panics.

use expect_test::{Expect, expect};
use jx::prelude::*;

/// The message with this file's line numbers taken out.
fn check<T>(result: Result<T, jx::Error>, want: Expect) {
    let Err(error) = result else { panic!("an error was expected") };
    let text: Vec<String> = error.to_string().lines().map(mask_place).collect();
    want.assert_eq(&text.join("\n"));
}

/// `tests/it/errors.rs:12:34` as `errors.rs:_`; a place in another file stays as it is.
fn mask_place(line: &str) -> String {
    match line.split_once("tests/it/errors.rs:") {
        Some((before, after)) => {
            let rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
            format!("{before}errors.rs:_{rest}")
        }
        None => line.to_owned(),
    }
}

fn ones(shape: &[usize]) -> Array {
    Array::full(shape, 1.0_f32)
}

fn identity(x: Tensor) -> Tensor {
    x
}

#[test]
fn shapes_that_do_not_broadcast() {
    check(
        jit(|x: Tensor, y: Tensor| x + y).call((ones(&[3]), ones(&[4]))),
        expect![[r#"
        add: shapes f32[3] and f32[4] do not broadcast: axis 1 from the right has extents 3 and 4; extents must be equal or 1
          at errors.rs:_
          operand 0: f32[3], argument 0
          operand 1: f32[4], argument 1
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn both_operands_are_said_with_where_they_were_made() {
    check(
        {
            let f = |x: Tensor, y: Tensor| {
                let z = y * 2.0;
                x - z
            };
            jit(f).call((ones(&[2, 3]), ones(&[4])))
        },
        expect![[r#"
        sub: shapes f32[2,3] and f32[4] do not broadcast: axis 1 from the right has extents 3 and 4; extents must be equal or 1
          at errors.rs:_
          operand 0: f32[2,3], argument 0
          operand 1: f32[4], `mul` at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn mapped_axes_are_hidden() {
    check(
        jit(vmap(|x: Tensor, y: Tensor| x + y, (0, 0))).call((ones(&[5, 3]), ones(&[5, 4]))),
        expect![[r#"
        add: shapes f32[3] and f32[4] do not broadcast: axis 1 from the right has extents 3 and 4; extents must be equal or 1
          at errors.rs:_
          operand 0: f32[3], argument 0
          operand 1: f32[4], argument 1
          in vmap at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn every_transformation_around_a_mistake_is_named() {
    check(
        {
            let loss = |w: Tensor, x: Tensor| w.dot(x + tensor(&ones(&[4]))).sum();
            jit(vmap(grad(loss), (None, 0))).call((ones(&[3]), ones(&[5, 3])))
        },
        expect![[r#"
        add: shapes f32[3] and f32[4] do not broadcast: axis 1 from the right has extents 3 and 4; extents must be equal or 1
          at errors.rs:_
          operand 0: f32[3], argument 1
          operand 1: f32[4], a captured array
          in grad at errors.rs:_
          in vmap at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn dtypes_are_not_mixed_silently() {
    check(
        jit(|x: Tensor, y: Tensor| x * y).call((ones(&[3]), [1, 2, 3])),
        expect![[r#"
        mul: operands are f32[3] and i32[3]; jx does not convert between dtypes by itself: use `.astype(DType::I32)` on one of them
          at errors.rs:_
          operand 0: f32[3], argument 0
          operand 1: i32[3], argument 1
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn a_fraction_is_no_integer() {
    check(
        jit(|x: Tensor| x * 2.5).call([1, 2, 3]),
        expect![[r#"
        mul: the number 2.5 is not a i32; convert the tensor with `.astype(..)` first
          at errors.rs:_
          operand 0: i32[3], argument 0
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn a_number_beyond_the_dtype() {
    check(
        jit(|x: Tensor| x + 300).call([1_u8, 2]),
        expect![[r#"
        add: the number 300 is not a u8; convert the tensor with `.astype(..)` first
          at errors.rs:_
          operand 0: u8[2], argument 0
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn floats_only() {
    check(
        jit(|x: Tensor| x.sin()).call([1, 2, 3]),
        expect![[r#"
        sin: works on floats, but the operand is i32[3]; convert it to a float dtype first, for example with astype(F32)
          at errors.rs:_
          operand 0: i32[3], argument 0
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn truth_values_do_not_add() {
    check(
        jit(|x: Tensor| x + x).call([true, false]),
        expect![[r#"
        add: works on numbers, but the operand is bool[2]; convert it first, for example with astype(F32) or astype(I32)
          at errors.rs:_
          operand 0: bool[2], argument 0
          operand 1: bool[2], argument 0
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn an_axis_out_of_range() {
    check(
        jit(|x: Tensor| x.sum_axes([2])).call(ones(&[3, 2])),
        expect![[r#"
        sum: axis 2 is out of range for f32[3,2] (rank 2); axes go from -2 to 1
          at errors.rs:_
          operand 0: f32[3,2], argument 0
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn a_negative_axis_out_of_range() {
    check(
        jit(|x: Tensor| x.sum_axes([-3])).call(ones(&[3, 2])),
        expect![[r#"
        sum: axis -3 is out of range for f32[3,2] (rank 2); axes go from -2 to 1
          at errors.rs:_
          operand 0: f32[3,2], argument 0
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn an_axis_named_twice() {
    check(
        jit(|x: Tensor| x.sum_axes([0, 0])).call(ones(&[3, 2])),
        expect![[r#"
        sum: axis 0 is named twice in [0, 0]
          at errors.rs:_
          operand 0: f32[3,2], argument 0
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn a_reshape_to_another_size() {
    check(
        jit(|x: Tensor| x.reshape([4, 2])).call(ones(&[3, 2])),
        expect![[r#"
        reshape: f32[3,2] has 6 elements, but the shape [4, 2] has 8
          at errors.rs:_
          operand 0: f32[3,2], argument 0
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn a_contraction_of_different_extents() {
    check(
        jit(|x: Tensor, y: Tensor| x.matmul(y)).call((ones(&[3, 2]), ones(&[3, 2]))),
        expect![[r#"
        matmul: axis 1 of f32[3,2] has extent 2, but axis 0 of f32[3,2], with which it is summed, has extent 3
          at errors.rs:_
          operand 0: f32[3,2], argument 0
          operand 1: f32[3,2], argument 1
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn concatenation_of_different_shapes() {
    check(
        jit(|x: Tensor, y: Tensor| jx::concatenate([x, y], 0)).call((ones(&[3, 2]), ones(&[3, 4]))),
        expect![[r#"
        concatenate: operand shapes differ: f32[3,2] and f32[3,4]; broadcast or reshape one of them first
          at errors.rs:_
          operand 0: f32[3,2], argument 0
          operand 1: f32[3,4], argument 1
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn a_permutation_that_is_none() {
    check(
        jit(|x: Tensor| x.transpose([0, 0])).call(ones(&[3, 2])),
        expect![[r#"
        transpose: axis 0 is named twice in [0, 0]
          at errors.rs:_
          operand 0: f32[3,2], argument 0
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn argmax_of_nothing() {
    check(
        jit(|x: Tensor| x.argmax(0)).call(ones(&[0])),
        expect![[r#"
        argmax: axis = 0 does not fit f32[0]: the axis has at least one element, for there is no extreme of nothing
          at errors.rs:_
          operand 0: f32[0], argument 0
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn grad_of_a_vector() {
    check(
        jit(grad(identity)).call(ones(&[3])),
        expect![[r#"
        grad: the function must return a float scalar, but it returns f32[3]; reduce it first (`.sum()`, `.mean()`), or use `jacrev`, `jacfwd` or `vjp`
          at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn grad_of_an_integer() {
    check(
        jit(grad(|x: Tensor| x.sum())).call([1, 2, 3]),
        expect![[r#"
        grad: argument 0 is i32[3], and only floats have derivatives; convert it before the call, or leave it out with argnums
          at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn grad_of_a_leaf_that_is_an_integer() {
    check(
        jit(grad(|(x, n): (Tensor, Tensor)| x.sum() + n.sum().astype(DType::F32))).call(((ones(&[2]), [1, 2]),)),
        expect![[r#"
        grad: argument 0.1 is i32[2], and only floats have derivatives; convert it before the call, or leave it out with argnums
          at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn map_sizes_that_differ() {
    check(
        jit(vmap(|x: Tensor, y: Tensor| x + y, (0, 0))).call((ones(&[10, 4]), ones(&[2, 4]))),
        expect![[r#"
        vmap: mapped axes must have one size, but
          argument 0: f32[10,4] (axis 0) has size 10
          argument 1: f32[2,4] (axis 0) has size 2
          at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn map_sizes_that_differ_inside_a_tree() {
    check(
        jit(vmap(|p: (Tensor, Vec<Tensor>), x: Tensor| p.0 + p.1[1] + x, (0, 0)))
            .call(((ones(&[3]), vec![ones(&[3]), ones(&[4])]), ones(&[3]))),
        expect![[r#"
        vmap: mapped axes must have one size, but
          argument 0.0: f32[3] (axis 0) has size 3
          argument 0.1[1]: f32[4] (axis 0) has size 4
          at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn a_mapped_axis_that_a_leaf_does_not_have() {
    check(
        jit(vmap(|x: Tensor, y: Tensor| x + y, (0, 1))).call((ones(&[3]), ones(&[3]))),
        expect![[r#"
        vmap: in_axes = 1 is out of range for argument 1, which is f32[3]
          at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn axes_that_are_no_prefix() {
    check(
        jit(vmap(|x: Tensor, y: Tensor| x + y, (0, 0, 0))).call((ones(&[3]), ones(&[3]))),
        expect![[r#"
        vmap: in_axes does not fit: the arguments: 2 parts, but 3 axes are given for them
          at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn axes_for_the_parts_of_a_tensor() {
    check(
        jit(vmap(|x: Tensor, y: Tensor| x + y, ((0, 0), 0))).call((ones(&[3]), ones(&[3]))),
        expect![[r#"
        vmap: in_axes does not fit: argument 0 is a single tensor, but axes are given for its parts
          at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn nothing_mapped() {
    check(
        jit(vmap(identity, None)).call(ones(&[3])),
        expect![[r#"
        vmap: no argument is mapped; give at least one leaf an axis in in_axes, or the size with `axes(..).size(n)`
          at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn an_out_axis_that_does_not_fit() {
    check(
        jit(vmap(identity, axes(0).out(2))).call(ones(&[3])),
        expect![[r#"
        vmap: out_axes = 2 is out of range for the result, which is f32[]
          at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn an_output_said_to_be_common_that_is_not() {
    check(
        jit(vmap(identity, axes(0).out(None))).call(ones(&[3])),
        expect![[r#"
        vmap: out_axes is None for the result, but it depends on a mapped argument; give it an axis
          at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn a_size_that_is_not_that_of_the_axes() {
    check(
        jit(vmap(identity, axes(0).size(4))).call(ones(&[3])),
        expect![[r#"
        vmap: mapped axes must have one size, but
          the size given to `axes(..).size(..)` (axis 0) has size 4
          argument 0: f32[3] (axis 0) has size 3
          at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn a_leaked_tensor() {
    check(
        {
            let kept = std::cell::Cell::new(None);
            let f = |x: Tensor| {
                vmap(
                    |x: Tensor| {
                        kept.set(Some(x));
                        x
                    },
                    0,
                )(x);
                kept.get().map_or(x, |leaked| leaked + 1.0)
            };
            jit(f).call(ones(&[3]))
        },
        expect![[r#"
        add: this tensor was made while tracing the `vmap` at errors.rs:_, which has ended; return it from that function instead of storing it
          at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn a_call_inside_a_traced_function() {
    check(
        {
            let inner = jit(|x: Tensor| x * 2.0);
            let message = std::cell::RefCell::new(None);
            jit(|x: Tensor| {
                *message.borrow_mut() = inner.call(1.0_f32).err();
                x
            })
            .call(1.0_f32)
            .unwrap();
            message.into_inner().map_or(Ok(()), Err)
        },
        expect![
            "jit: `call` takes arrays and cannot be used inside a traced function; call the function itself, as in `jit(f)` given to `vmap`, or `f(x)`"
        ],
    );
}

#[test]
fn tangents_of_other_shapes() {
    check(
        jit(|x: Tensor, dx: Tensor| jvp(identity, (x,), (dx,)).1).call((ones(&[3]), ones(&[4]))),
        expect![[r#"
        jvp: the primals and the tangents must have the same leaves, but argument 0 is f32[3] and its tangent is f32[4]
          at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn the_jacobian_of_an_integer() {
    check(
        jit(jacfwd(identity)).call([1, 2]),
        expect![[r#"
        jacfwd: argument 0 is i32[2], and only floats have derivatives; convert it before the call, or leave it out with argnums
          at errors.rs:_
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn a_panic_after_a_mistake_is_that_mistake() {
    check(
        jit(|x: Tensor, y: Tensor| {
            let z = x + y;
            let n = z.shape()[0];
            z * n
        })
        .call((ones(&[3]), ones(&[4]))),
        expect![[r#"
        add: shapes f32[3] and f32[4] do not broadcast: axis 1 from the right has extents 3 and 4; extents must be equal or 1
          at errors.rs:_
          operand 0: f32[3], argument 0
          operand 1: f32[4], argument 1
          in jit at errors.rs:_"#]],
    );
}

#[test]
fn an_element_type_that_is_not_the_arrays() {
    check(
        jit(identity).call(ones(&[2])).unwrap().to_vec::<f64>(),
        expect![
            "the array is f32[2], not f64; convert it inside a function with `.astype(..)`, or ask for the right type"
        ],
    );
}

#[test]
fn an_item_of_many() {
    check(ones(&[2]).item::<f32>(), expect!["item: the array f32[2] has 2 elements, not one"]);
}

#[test]
fn values_that_do_not_fill_a_shape() {
    check(Array::from_vec([2, 2], vec![1.0_f32; 3]), expect!["f32[2,2] has 4 elements, but 3 were given"]);
}

#[test]
fn a_device_that_is_not_built_in() {
    check(
        jit(identity).on(Device::Cuda(0)).call(ones(&[2])),
        expect![
            "the device cuda:0 is not available: this version of jx has no code for GPUs yet; use the interpreter, or ndarray with the cargo feature `ndarray`"
        ],
    );
}

#[test]
fn an_unknown_device() {
    check(
        "tpu".parse::<Device>().map_err(jx::Error::from),
        expect![[r#"there is no device "tpu"; the devices are interpreter, ndarray, wgpu, wgpu:N, cuda and cuda:N"#]],
    );
}

#[test]
fn a_file_that_is_not_there() {
    check(jx::Program::load("no/such/file.jxp"), expect!["no/such/file.jxp: No such file or directory (os error 2)"]);
}

#[test]
fn a_file_that_is_no_program() {
    check(
        jx::Program::load("Cargo.toml"),
        expect![
            "Cargo.toml: this is no jx program of this version; files are written by `jit(f).lower(..)?.save(path)`"
        ],
    );
}

#[test]
fn inputs_of_another_type() {
    check(
        jit(identity).lower(ones(&[2])).unwrap().run(vec![ones(&[3])]),
        expect!["input 0 must be f32[2], but it is f32[3]; compile the program for that type, or convert it"],
    );
}

#[test]
fn too_few_inputs() {
    check(
        jit(identity).lower(ones(&[2])).unwrap().run(Vec::new()),
        expect!["the program takes 1 inputs, but 0 were given"],
    );
}
