//! Samples of reductions, index-valued and cumulative ones included.

use super::{CORE, Sample};
use crate::arrays::{edges, from_scalars, generic, numbers, rolled};
use jx_ir::{ArgReduceOp, Array, CumulativeOp, DType, Prim, ReduceOp, TensorType};

/// Shapes and axes; the first setting is run in every dtype.
const SETTINGS: [(&[usize], &[usize]); 9] = [
    (&[2, 3, 2], &[1]),
    (&[2, 3, 2], &[0, 1, 2]),
    (&[2, 3, 2], &[2, 0]),
    (&[2, 3], &[]),
    (&[5], &[0]),
    (&[], &[]),
    (&[2, 0], &[1]),
    (&[0, 3], &[1]),
    (&[1, 3], &[0]),
];

fn reductions(samples: &mut Vec<Sample>) {
    for &op in ReduceOp::ALL {
        for dtype in DType::ALL.into_iter().filter(|&d| op.accepts(d)) {
            let n = if CORE.contains(&dtype) { SETTINGS.len() } else { 1 };
            for (shape, axes) in SETTINGS.into_iter().take(n) {
                let x = generic(&TensorType::new(dtype, shape), -2.0, 3.0, 1);
                let name = format!("{} {} over {axes:?}", op.name(), x.ty());
                let prim = Prim::Reduce { op, axes: axes.to_vec() };
                samples.push(Sample::one(name, prim, vec![x]).smooth_if(true));
            }
            let x = edge_rows(dtype);
            let prim = Prim::Reduce { op, axes: vec![1] };
            samples.push(Sample::one(format!("{} {dtype} at its edges", op.name()), prim, vec![x]));
        }
    }
    // A product of factors one or two of which are 0 is still a polynomial.
    let zeros = numbers(DType::F64, &[3, 3], &[3.0, 0.0, 2.0, 3.0, 0.0, 0.0, -1.5, 2.5, 4.0]);
    let prim = Prim::Reduce { op: ReduceOp::Prod, axes: vec![1] };
    samples.push(Sample::one("reduce_prod with zeros", prim, vec![zeros]).smooth_if(true));
    for op in [ReduceOp::Max, ReduceOp::Min] {
        let ties = numbers(DType::F64, &[2, 4], &[1.0, 1.0, 0.0, 1.0, 2.0, 2.0, 2.0, 2.0]);
        let prim = Prim::Reduce { op, axes: vec![1] };
        samples.push(Sample::one(format!("{} with ties", op.name()), prim, vec![ties]));
    }
}

/// A few rows that hold every edge of the dtype, at other places in each.
fn edge_rows(dtype: DType) -> Array {
    let row = edges(dtype);
    let ty = TensorType::new(dtype, [3, row.len()]);
    from_scalars(
        &ty,
        (0..3).flat_map(|k| {
            let mut row = row.clone();
            let n = row.len();
            row.rotate_right(5 * k % n);
            row
        }),
    )
}

fn arg_reductions(samples: &mut Vec<Sample>) {
    for &op in ArgReduceOp::ALL {
        for dtype in DType::ALL {
            for (shape, axis, index_dtype) in
                [(&[2, 5][..], 1, DType::I32), (&[3, 2, 2], 0, DType::I64), (&[4], 0, DType::U8)]
            {
                let x = generic(&TensorType::new(dtype, shape), -4.0, 5.0, 1);
                let name = format!("{} {} along {axis}", op.name(), x.ty());
                let prim = Prim::ArgReduce { op, axis, index_dtype };
                samples.push(Sample::one(name, prim, vec![x]).smooth_if(true));
            }
            let prim = Prim::ArgReduce { op, axis: 1, index_dtype: DType::I32 };
            let inputs = vec![edge_rows(dtype)];
            samples.push(Sample::one(format!("{} {dtype} at its edges", op.name()), prim, inputs));
        }
        for index_dtype in DType::ALL.into_iter().filter(|d| d.is_int()) {
            let ties = numbers(DType::F32, &[2, 3], &[1.0, 2.0, 2.0, 2.0, 1.0, 1.0]);
            let prim = Prim::ArgReduce { op, axis: 1, index_dtype };
            samples.push(Sample::one(format!("{} to {index_dtype} with ties", op.name()), prim, vec![ties]));
        }
    }
}

fn cumulations(samples: &mut Vec<Sample>) {
    for &op in CumulativeOp::ALL {
        for dtype in DType::ALL.into_iter().filter(|&d| op.accepts(d)) {
            for reverse in [false, true] {
                for (shape, axis) in [(&[2, 4][..], 1), (&[3, 2], 0), (&[1], 0), (&[2, 0], 1), (&[2, 2, 2], 1)] {
                    let x = generic(&TensorType::new(dtype, shape), -2.0, 2.0, 1);
                    let name = format!("{} {} along {axis} reverse={reverse}", op.name(), x.ty());
                    let prim = Prim::Cumulative { op, axis, reverse };
                    samples.push(Sample::one(name, prim, vec![x]).smooth_if(true));
                }
                let prim = Prim::Cumulative { op, axis: 1, reverse };
                let name = format!("{} {dtype} at its edges reverse={reverse}", op.name());
                samples.push(Sample::one(name, prim, vec![edge_rows(dtype)]));
            }
        }
    }
    for reverse in [false, true] {
        let zeros = numbers(DType::F64, &[5], &[2.0, 0.0, 3.0, 4.0, 0.0]);
        let prim = Prim::Cumulative { op: CumulativeOp::Prod, axis: 0, reverse };
        let name = format!("cumprod with zeros reverse={reverse}");
        samples.push(Sample::one(name, prim, vec![rolled(&zeros, 1)]).smooth_if(true));
    }
}

pub(super) fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    reductions(&mut samples);
    arg_reductions(&mut samples);
    cumulations(&mut samples);
    samples
}
