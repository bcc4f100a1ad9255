//! The user's API: transformations nested in any order, trees, axes, captures, devices.

use jx::prelude::*;
use std::collections::BTreeMap;

type Params = (Tensor, Tensor);

fn predict((w, b): Params, x: Tensor) -> Tensor {
    w * x + b
}

fn squared_error(params: Params, x: Tensor, y: Tensor) -> Tensor {
    let d = predict(params, x) - y;
    d * d
}

fn sum_of_squares(x: Tensor) -> Tensor {
    (x * x).sum()
}

fn vec64(array: &Array) -> Vec<f64> {
    array.to_vec::<f64>().unwrap()
}

fn matrix(shape: [usize; 2], values: &[f64]) -> Array {
    Array::from_vec(shape, values.to_vec()).unwrap()
}

fn close(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{got:?} is not {want:?}");
    for (g, w) in got.iter().zip(want) {
        assert!((g - w).abs() <= 1e-12 * w.abs().max(1.0), "{got:?} is not {want:?}");
    }
}

#[test]
fn per_example_gradients_have_the_tree_of_the_parameters() {
    let f = jit(vmap(grad(squared_error), (None, 0, 0)));
    let (dw, db) = f.call(((2.0, 1.0), [0.0, 0.5, 1.0], [0.5, 1.75, 3.0])).unwrap();
    assert_eq!(vec64(&dw), [0.0, 0.25, 0.0]);
    assert_eq!(vec64(&db), [1.0, 0.5, 0.0]);
}

#[test]
fn jit_traces_once_for_each_set_of_types() {
    let f = jit(sum_of_squares);
    f.call([1.0, 2.0]).unwrap();
    f.call([3.0, 4.0]).unwrap();
    assert_eq!(f.trace_count(), 1);
    f.call([1.0_f32, 2.0]).unwrap();
    f.call([1.0, 2.0, 3.0]).unwrap();
    assert_eq!(f.trace_count(), 3);
}

#[test]
fn a_list_of_another_length_is_another_program() {
    let f = jit(|xs: Vec<Tensor>| xs.into_iter().reduce(|a, b| a + b).unwrap());
    assert_eq!(vec64(&f.call(vec![1.0, 2.0]).unwrap()), [3.0]);
    assert_eq!(vec64(&f.call(vec![1.0, 2.0, 4.0]).unwrap()), [7.0]);
    assert_eq!(f.trace_count(), 2);
}

#[test]
fn the_order_of_jit_and_vmap_does_not_matter() {
    let f = |x: Tensor| (x * x).sin() + 1.0;
    let x = Array::from([0.1, 0.2, 0.3]);
    let outer = jit(vmap(f, 0)).call(&x).unwrap();
    let inner = jit(vmap(jit(f), 0)).call(&x).unwrap();
    let both = jit(jit(vmap(f, 0))).call(&x).unwrap();
    let unoptimised = eager(vmap(f, 0)).call(&x).unwrap();
    assert_eq!(outer, inner);
    assert_eq!(outer, both);
    close(&vec64(&outer), &vec64(&unoptimised));
}

#[test]
fn grad_nests_in_itself_and_in_vmap() {
    // d²/dx² sin(x²) = 2 cos x² - 4x² sin x²
    let second = |x: f64| 2.0 * (x * x).cos() - 4.0 * x * x * (x * x).sin();
    let f = |x: Tensor| (x * x).sin();
    let xs = [-1.5, -0.3, 0.0, 0.7, 2.0];
    close(&vec64(&jit(grad(grad(f))).call(0.7).unwrap()), &[second(0.7)]);
    close(&vec64(&jit(vmap(grad(grad(f)), 0)).call(xs).unwrap()), &xs.map(second));
    close(&vec64(&jit(grad(jit(grad(f)))).call(2.0).unwrap()), &[second(2.0)]);
}

#[test]
fn grad_goes_through_vmap_and_jit() {
    let f = |w: Tensor, x: Tensor| vmap(jit(|x: Tensor| (w * x).sin()), 0)(x).sum();
    let dw = jit(grad(f)).call((0.5, [1.0, 2.0, 3.0])).unwrap();
    let want: f64 = [1.0_f64, 2.0, 3.0].iter().map(|x| x * (0.5 * x).cos()).sum();
    close(&vec64(&dw), &[want]);
}

#[test]
fn a_gradient_may_flow_into_a_captured_tensor() {
    let f = |w: Tensor| {
        let inner = grad(|x: Tensor| w * x * x);
        inner(w)
    };
    // d/dw 2w·w = 4w
    close(&vec64(&jit(grad(f)).call(3.0).unwrap()), &[12.0]);
}

#[test]
fn three_nested_vmaps_give_every_triple() {
    let f = |a: Tensor, b: Tensor, c: Tensor| a * 100.0 + b * 10.0 + c;
    let inner = vmap(f, (None, None, 0));
    let all = jit(vmap(vmap(inner, (None, 0, None)), (0, None, None)));
    let y = all.call(([1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0])).unwrap();
    assert_eq!(y.shape(), [2, 3, 2]);
    assert_eq!(vec64(&y)[..4], [136.0, 137.0, 146.0, 147.0]);
    assert_eq!(vec64(&y)[11], 257.0);
}

#[test]
fn axes_may_be_negative_and_results_placed_anywhere() {
    let x = matrix([2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let sums = jit(vmap(|x: Tensor| x.sum(), -1)).call(&x).unwrap();
    assert_eq!(vec64(&sums), [5.0, 7.0, 9.0]);
    let doubled = jit(vmap(|x: Tensor| x * 2.0, axes(0).out(-1))).call(&x).unwrap();
    assert_eq!(doubled.shape(), [3, 2]);
    assert_eq!(vec64(&doubled), [2.0, 8.0, 4.0, 10.0, 6.0, 12.0]);
}

#[test]
fn scalar_times_vector_under_vmap_gives_rows_even_if_the_sizes_agree() {
    let f = jit(vmap(|x: Tensor, c: Tensor| x * c, (0, None)));
    let y = f.call(([1.0, 2.0, 3.0], [10.0, 20.0, 30.0])).unwrap();
    assert_eq!(y.shape(), [3, 3]);
    assert_eq!(vec64(&y)[3..6], [20.0, 40.0, 60.0]);
}

#[test]
fn an_output_common_to_all_examples_needs_no_axis() {
    let f = jit(vmap(|x: Tensor, c: Tensor| (x + c, c * 2.0), axes((0, None)).out((0, None))));
    let (y, c) = f.call(([1.0, 2.0], 10.0)).unwrap();
    assert_eq!(vec64(&y), [11.0, 12.0]);
    assert_eq!(c.shape(), [0; 0]);
}

#[test]
fn an_empty_batch_keeps_its_shape() {
    let x = matrix([0, 3], &[]);
    assert_eq!(jit(vmap(|x: Tensor| x * 2.0, 0)).call(&x).unwrap().shape(), [0, 3]);
    assert_eq!(jit(vmap(grad(sum_of_squares), 0)).call(&x).unwrap().shape(), [0, 3]);
}

#[test]
fn argnums_choose_the_arguments() {
    let f = |x: Tensor, y: Tensor, z: Tensor| x * y * z;
    let dy = jit(grad_argnums(f, Arg::<1>)).call((2.0, 3.0, 5.0)).unwrap();
    assert_eq!(vec64(&dy), [10.0]);
    let (dz, dx) = jit(grad_argnums(f, (Arg::<2>, Arg::<0>))).call((2.0, 3.0, 5.0)).unwrap();
    assert_eq!((vec64(&dz), vec64(&dx)), (vec![6.0], vec![15.0]));
    let (y, (dx,)) = jit(value_and_grad_argnums(f, (Arg::<0>,))).call((2.0, 3.0, 5.0)).unwrap();
    assert_eq!((vec64(&y), vec64(&dx)), (vec![30.0], vec![15.0]));
}

#[test]
fn auxiliary_results_come_beside_the_gradient() {
    let f = |x: Tensor| (x * x, vec![x + 1.0, x + 2.0]);
    let (g, aux) = jit(grad_aux(f)).call(3.0).unwrap();
    assert_eq!((vec64(&g), vec64(&aux[0]), vec64(&aux[1])), (vec![6.0], vec![4.0], vec![5.0]));
    let ((y, aux), g) = jit(value_and_grad_aux(f)).call(3.0).unwrap();
    assert_eq!((vec64(&y), aux.len(), vec64(&g)), (vec![9.0], 2, vec![6.0]));
}

#[test]
fn jvp_and_vjp_agree_with_each_other() {
    let f = |x: Tensor, y: Tensor| (x * y, x.sin());
    let forward = jit(move |x: Tensor, y: Tensor| jvp(f, (x, y), (x * 0.0 + 1.0, y * 0.0)).1);
    let (a, b) = forward.call((2.0, 3.0)).unwrap();
    close(&[vec64(&a)[0], vec64(&b)[0]], &[3.0, 2.0_f64.cos()]);
    let reverse = jit(move |x: Tensor, y: Tensor, ct: (Tensor, Tensor)| vjp(f, (x, y)).1(ct));
    let (dx, dy) = reverse.call((2.0, 3.0, (1.0, 10.0))).unwrap();
    close(&[vec64(&dx)[0], vec64(&dy)[0]], &[3.0 + 10.0 * 2.0_f64.cos(), 2.0]);
}

#[test]
fn a_linearized_function_is_applied_many_times() {
    let f = jit(|x: Tensor| {
        let (y, df) = linearize(|x: Tensor| x.exp() * x, (x,));
        let one = x * 0.0 + 1.0;
        (y, df(one), df(one * 2.0))
    });
    let (y, d1, d2) = f.call(1.0).unwrap();
    let e = std::f64::consts::E;
    close(&[vec64(&y)[0], vec64(&d1)[0], vec64(&d2)[0]], &[e, 2.0 * e, 4.0 * e]);
}

#[test]
fn jacobians_of_both_modes_agree_and_hold_trees() {
    let f = |p: Params, x: Tensor| (p.0 * x, p.1 * x * x);
    let args = ((2.0, 3.0), [1.0, 2.0]);
    let fwd = jit(jacfwd(f)).call(args).unwrap();
    let rev = jit(jacrev(f)).call(args).unwrap();
    assert_eq!(fwd, rev);
    let ((y0_w, y0_b), (y1_w, y1_b)) = fwd;
    assert_eq!((vec64(&y0_w), vec64(&y0_b)), (vec![1.0, 2.0], vec![0.0, 0.0]));
    assert_eq!((vec64(&y1_w), vec64(&y1_b)), (vec![0.0, 0.0], vec![1.0, 4.0]));
}

#[test]
fn a_jacobian_has_the_shape_of_result_then_argument() {
    let f = |x: Tensor| x.reshape([3, 2]).sum_axes([0]);
    for j in [jit(jacfwd(f)).call([1.0; 6]).unwrap(), jit(jacrev(f)).call([1.0; 6]).unwrap()] {
        assert_eq!(j.shape(), [2, 6]);
        assert_eq!(vec64(&j), [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
    }
}

#[test]
fn the_hessian_of_a_product() {
    let h = jit(hessian(|x: Tensor| x.prod())).call([4.0, 0.0]).unwrap();
    assert_eq!(vec64(&h), [0.0, 1.0, 1.0, 0.0]);
    let ((ww, wb), (bw, bb)) = jit(hessian(|(w, b): Params| w * w * b)).call(((3.0, 5.0),)).unwrap();
    assert_eq!([ww, wb, bw, bb].map(|a| vec64(&a)[0]), [10.0, 6.0, 6.0, 0.0]);
}

#[derive(Tree, Clone)]
struct Layer<T> {
    w: T,
    b: T,
}

#[derive(Tree, Clone)]
struct Mlp<T> {
    layers: Vec<Layer<T>>,
    scale: Option<T>,
    power: i32,
}

impl Mlp<Tensor> {
    fn apply(&self, x: Tensor) -> Tensor {
        let y = self.layers.iter().fold(x, |x, l| (x * l.w + l.b).tanh());
        let y = self.scale.map_or(y, |s| y * s);
        y.powi(self.power)
    }
}

#[test]
fn a_derived_tree_goes_in_and_its_gradient_comes_out() {
    let loss = |m: Mlp<Tensor>, x: Tensor| vmap(move |x: Tensor| m.apply(x), 0)(x).sum();
    let model = Mlp { layers: vec![Layer { w: 0.5, b: 0.1 }, Layer { w: -1.0, b: 0.2 }], scale: Some(2.0), power: 2 };
    let f = jit(value_and_grad(loss));
    let (y, g) = f.call((model.clone(), [0.3, 0.6])).unwrap();
    let value = |m: &Mlp<f64>| -> f64 {
        let one = |x: f64| {
            let y = m.layers.iter().fold(x, |x, l| (x * l.w + l.b).tanh());
            (y * m.scale.unwrap_or(1.0)).powi(m.power)
        };
        [0.3, 0.6].into_iter().map(one).sum()
    };
    close(&vec64(&y), &[value(&model)]);
    let h = 1e-6;
    let mut moved = model.clone();
    moved.layers[1].w += h;
    let up = value(&moved);
    moved.layers[1].w -= 2.0 * h;
    let slope = (up - value(&moved)) / (2.0 * h);
    assert!((vec64(&g.layers[1].w)[0] - slope).abs() < 1e-8);
    assert_eq!(g.power, 2);
    // Another static value is another program; an absent scale too.
    f.call((Mlp { power: 3, ..model.clone() }, [0.3, 0.6])).unwrap();
    f.call((Mlp { scale: None::<f64>, ..model }, [0.3, 0.6])).unwrap();
    assert_eq!(f.trace_count(), 3);
}

#[test]
fn maps_are_trees_and_axes_name_their_entries() {
    let f = |p: BTreeMap<String, Tensor>| p["x"] * p["w"];
    let args = BTreeMap::from([("x".to_owned(), Array::from([1.0, 2.0])), ("w".to_owned(), Array::from(3.0))]);
    let y = jit(vmap(f, (named([("x", 0)]),))).call(args).unwrap();
    assert_eq!(vec64(&y), [3.0, 6.0]);
}

#[test]
fn closures_capture_arrays_and_tensors_through_every_level() {
    let table = Array::from([10.0, 20.0, 30.0]);
    let f =
        jit(|scale: Tensor, xs: Tensor| vmap(|x: Tensor| vmap(|t: Tensor| t * x * scale, 0)(tensor(&table)), 0)(xs));
    let y = f.call((2.0, [1.0, 2.0])).unwrap();
    assert_eq!(vec64(&y), [20.0, 40.0, 60.0, 40.0, 80.0, 120.0]);
}

#[test]
fn numbers_stand_on_either_side_and_take_the_tensors_dtype() {
    let f = jit(|x: Tensor| (1 + x * 2.0, 2.0 - x, 6 / x, x - 1, -x, 7.0 % x));
    let (a, b, c, d, e, g) = f.call(4.0_f32).unwrap();
    let all = [a, b, c, d, e, g].map(|a| a.item::<f32>().unwrap());
    assert_eq!(all, [9.0, -2.0, 1.5, 3.0, -4.0, 3.0]);
    let f = jit(|x: Tensor| (2 * x + 1, x / 2.0, 7 - x, x % 3));
    let (a, b, c, d) = f.call(5_u8).unwrap();
    assert_eq!([a, b, c, d].map(|a| a.item::<u8>().unwrap()), [11, 2, 2, 2]);
}

#[test]
fn fan_out_accumulates() {
    let f = |x: Tensor| {
        let r = x * 2.0;
        (r * r).sum() + (x * x).sum()
    };
    assert_eq!(vec64(&jit(grad(f)).call([1.0, 2.0]).unwrap()), [10.0, 20.0]);
}

#[test]
fn a_program_is_saved_and_runs_elsewhere() {
    let table = Array::from([1.0, 2.0]);
    let program = jit(move |x: Tensor| (tensor(&table) * x).sum()).lower(3.0).unwrap();
    let path = std::env::temp_dir().join(format!("jx-api-{}.jxp", std::process::id()));
    program.save(&path).unwrap();
    let loaded = jx::Program::load(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(loaded, program);
    assert_eq!(loaded.run(vec![Array::from(3.0)]).unwrap(), [Array::from(9.0)]);
}

#[test]
fn a_compiled_function_is_called_from_many_threads() {
    let f = jit(sum_of_squares);
    std::thread::scope(|scope| {
        for i in 0..8 {
            let f = &f;
            scope.spawn(move || assert_eq!(vec64(&f.call([f64::from(i); 3]).unwrap()), [f64::from(3 * i * i)]));
        }
    });
}

#[test]
fn a_program_reads_as_it_was_written() {
    let f = jit(vmap(grad(squared_error), (None, 0, 0)));
    let text = f.lower(((2.0_f32, 1.0_f32), [0.0_f32; 3], [0.0_f32; 3])).unwrap().to_string();
    expect_test::expect![[r#"
        func(%0: f32[], %1: f32[], %2: f32[3], %3: f32[3]) -> (f32[3], f32[3]) {
          %4: f32[3], %5: f32[3] = vmap[in_axes=[_, _, 0, 0], out_axes=[0, 0], size=3, func=(%0: f32[], %1: f32[], %2: f32[], %3: f32[]) -> (f32[], f32[]) {
            %4: f32[], %5: f32[] = grad[wrt=[0, 1], value=false, func=(%0: f32[], %1: f32[], %2: f32[], %3: f32[]) -> (f32[]) {
              %4: f32[] = mul %0 %2
              %5: f32[] = add %4 %1
              %6: f32[] = sub %5 %3
              %7: f32[] = mul %6 %6
              return %7
            }] %0 %1 %2 %3
            return %4 %5
          }] %0 %1 %2 %3
          return %4 %5
        }"#]]
    .assert_eq(&text);
}
