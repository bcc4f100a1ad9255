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
    check(jit(|x: Tensor, y: Tensor| x + y).call((ones(&[3]), ones(&[4]))), expect![[""]]);
}

#[test]
fn both_operands_are_said_with_where_they_were_made() {
    check({
        let f = |x: Tensor, y: Tensor| {
            let z = y * 2.0;
            x - z
        };
        jit(f).call((ones(&[2, 3]), ones(&[4])))
    }, expect![[""]]);
}

#[test]
fn mapped_axes_are_hidden() {
    check(jit(vmap(|x: Tensor, y: Tensor| x + y, (0, 0))).call((ones(&[5, 3]), ones(&[5, 4]))), expect![[""]]);
}

#[test]
fn every_transformation_around_a_mistake_is_named() {
    check({
        let loss = |w: Tensor, x: Tensor| w.dot(x + tensor(&ones(&[4]))).sum();
        jit(vmap(grad(loss), (None, 0))).call((ones(&[3]), ones(&[5, 3])))
    }, expect![[""]]);
}

#[test]
fn dtypes_are_not_mixed_silently() {
    check(jit(|x: Tensor, y: Tensor| x * y).call((ones(&[3]), [1, 2, 3])), expect![[""]]);
}

#[test]
fn a_fraction_is_no_integer() {
    check(jit(|x: Tensor| x * 2.5).call([1, 2, 3]), expect![[""]]);
}

#[test]
fn a_number_beyond_the_dtype() {
    check(jit(|x: Tensor| x + 300).call([1_u8, 2]), expect![[""]]);
}

#[test]
fn floats_only() {
    check(jit(|x: Tensor| x.sin()).call([1, 2, 3]), expect![[""]]);
}

#[test]
fn truth_values_do_not_add() {
    check(jit(|x: Tensor| x + x).call([true, false]), expect![[""]]);
}

#[test]
fn an_axis_out_of_range() {
    check(jit(|x: Tensor| x.sum_axes(&[2])).call(ones(&[3, 2])), expect![[""]]);
}

#[test]
fn a_negative_axis_out_of_range() {
    check(jit(|x: Tensor| x.sum_axes(&[-3])).call(ones(&[3, 2])), expect![[""]]);
}

#[test]
fn an_axis_named_twice() {
    check(jit(|x: Tensor| x.sum_axes(&[0, 0])).call(ones(&[3, 2])), expect![[""]]);
}

#[test]
fn a_reshape_to_another_size() {
    check(jit(|x: Tensor| x.reshape(&[4, 2])).call(ones(&[3, 2])), expect![[""]]);
}

#[test]
fn a_contraction_of_different_extents() {
    check(jit(|x: Tensor, y: Tensor| x.matmul(y)).call((ones(&[3, 2]), ones(&[3, 2]))), expect![[""]]);
}

#[test]
fn concatenation_of_different_shapes() {
    check(jit(|x: Tensor, y: Tensor| jx::concatenate(&[x, y], 0)).call((ones(&[3, 2]), ones(&[3, 4]))), expect![[""]]);
}

#[test]
fn a_permutation_that_is_none() {
    check(jit(|x: Tensor| x.transpose(&[0, 0])).call(ones(&[3, 2])), expect![[""]]);
}

#[test]
fn argmax_of_nothing() {
    check(jit(|x: Tensor| x.argmax(0)).call(ones(&[0])), expect![[""]]);
}

#[test]
fn grad_of_a_vector() {
    check(jit(grad(identity)).call(ones(&[3])), expect![[""]]);
}

#[test]
fn grad_of_an_integer() {
    check(jit(grad(|x: Tensor| x.sum())).call([1, 2, 3]), expect![[""]]);
}

#[test]
fn grad_of_a_leaf_that_is_an_integer() {
    check(jit(grad(|(x, n): (Tensor, Tensor)| x.sum() + n.sum().astype(DType::F32))).call(((ones(&[2]), [1, 2]),)), expect![[""]]);
}

#[test]
fn map_sizes_that_differ() {
    check(jit(vmap(|x: Tensor, y: Tensor| x + y, (0, 0))).call((ones(&[10, 4]), ones(&[2, 4]))), expect![[""]]);
}

#[test]
fn map_sizes_that_differ_inside_a_tree() {
    check(jit(vmap(|p: (Tensor, Vec<Tensor>), x: Tensor| p.0 + p.1[1] + x, (0, 0))).call(((ones(&[3]), vec![ones(&[3]), ones(&[4])]), ones(&[3]))), expect![[""]]);
}

#[test]
fn a_mapped_axis_that_a_leaf_does_not_have() {
    check(jit(vmap(|x: Tensor, y: Tensor| x + y, (0, 1))).call((ones(&[3]), ones(&[3]))), expect![[""]]);
}

#[test]
fn axes_that_are_no_prefix() {
    check(jit(vmap(|x: Tensor, y: Tensor| x + y, (0, 0, 0))).call((ones(&[3]), ones(&[3]))), expect![[""]]);
}

#[test]
fn axes_for_the_parts_of_a_tensor() {
    check(jit(vmap(|x: Tensor, y: Tensor| x + y, ((0, 0), 0))).call((ones(&[3]), ones(&[3]))), expect![[""]]);
}

#[test]
fn nothing_mapped() {
    check(jit(vmap(identity, None)).call(ones(&[3])), expect![[""]]);
}

#[test]
fn an_out_axis_that_does_not_fit() {
    check(jit(vmap(identity, axes(0).out(2))).call(ones(&[3])), expect![[""]]);
}

#[test]
fn an_output_said_to_be_common_that_is_not() {
    check(jit(vmap(identity, axes(0).out(None))).call(ones(&[3])), expect![[""]]);
}

#[test]
fn a_size_that_is_not_that_of_the_axes() {
    check(jit(vmap(identity, axes(0).size(4))).call(ones(&[3])), expect![[""]]);
}

#[test]
fn a_leaked_tensor() {
    check({
        let kept = std::cell::Cell::new(None);
        let f = |x: Tensor| {
            vmap(|x: Tensor| { kept.set(Some(x)); x }, 0)(x);
            kept.get().map_or(x, |leaked| leaked + 1.0)
        };
        jit(f).call(ones(&[3]))
    }, expect![[""]]);
}

#[test]
fn a_call_inside_a_traced_function() {
    check({
        let inner = jit(|x: Tensor| x * 2.0);
        let message = std::cell::RefCell::new(None);
        jit(|x: Tensor| { *message.borrow_mut() = inner.call(1.0_f32).err(); x }).call(1.0_f32).unwrap();
        message.into_inner().map_or(Ok(()), Err)
    }, expect![[""]]);
}

#[test]
fn tangents_of_other_shapes() {
    check(jit(|x: Tensor, dx: Tensor| jvp(identity, (x,), (dx,)).1).call((ones(&[3]), ones(&[4]))), expect![[""]]);
}

#[test]
fn the_jacobian_of_an_integer() {
    check(jit(jacfwd(identity)).call([1, 2]), expect![[""]]);
}

#[test]
fn a_panic_after_a_mistake_is_that_mistake() {
    check(jit(|x: Tensor, y: Tensor| { let z = x + y; let n = z.shape()[0]; z * n }).call((ones(&[3]), ones(&[4]))), expect![[""]]);
}

#[test]
fn an_element_type_that_is_not_the_arrays() {
    check(jit(identity).call(ones(&[2])).unwrap().to_vec::<f64>(), expect![[""]]);
}

#[test]
fn an_item_of_many() {
    check(ones(&[2]).item::<f32>(), expect![[""]]);
}

#[test]
fn values_that_do_not_fill_a_shape() {
    check(Array::from_vec([2, 2], vec![1.0_f32; 3]), expect![[""]]);
}

#[test]
fn a_device_that_is_not_built_in() {
    check(jit(identity).on(Device::Cuda(0)).call(ones(&[2])), expect![[""]]);
}

#[test]
fn an_unknown_device() {
    check("tpu".parse::<Device>().map_err(jx::Error::from), expect![[""]]);
}

#[test]
fn a_file_that_is_not_there() {
    check(jx::Program::load("no/such/file.jxp"), expect![[""]]);
}

#[test]
fn a_file_that_is_no_program() {
    check(jx::Program::load("Cargo.toml"), expect![[""]]);
}

#[test]
fn inputs_of_another_type() {
    check(jit(identity).lower(ones(&[2])).unwrap().run(vec![ones(&[3])]), expect![[""]]);
}

#[test]
fn too_few_inputs() {
    check(jit(identity).lower(ones(&[2])).unwrap().run(Vec::new()), expect![[""]]);
}
