//! Samples of reads and writes at computed places.

use super::Sample;
use crate::arrays::{generic, numbers};
use jx_ir::{Array, DType, GatherDims, IndexMode, Prim, Scalar, ScatterOp, TensorType};

/// A setting of gather, and of the scatter that writes where it reads.
#[derive(Clone)]
struct Setting {
    what: &'static str,
    operand: &'static [usize],
    indices: (&'static [usize], &'static [i64]),
    dims: GatherDims,
    slice_sizes: &'static [usize],
}

/// Axes in the order of the fields of [`GatherDims`].
fn dims(offset: &[usize], collapsed: &[usize], map: &[usize], batch: &[usize], indices_batch: &[usize]) -> GatherDims {
    GatherDims {
        offset_dims: offset.to_vec(),
        collapsed_slice_dims: collapsed.to_vec(),
        start_index_map: map.to_vec(),
        operand_batching_dims: batch.to_vec(),
        start_indices_batching_dims: indices_batch.to_vec(),
    }
}

/// Every setting has an index out of range, negative or duplicate somewhere; the first is run in every dtype.
fn settings() -> Vec<Setting> {
    let setting = |what, operand, indices, dims, slice_sizes| Setting { what, operand, indices, dims, slice_sizes };
    vec![
        setting("rows", &[5, 3], (&[5, 1], &[4, 0, 4, 7, -1]), dims(&[1], &[0], &[0], &[], &[]), &[1, 3]),
        setting("elements", &[6], (&[2, 3, 1], &[5, 0, 3, 3, -2, 9]), dims(&[], &[0], &[0], &[], &[]), &[1]),
        setting("windows", &[5, 4], (&[3, 2], &[0, 1, 3, 1, 4, -1]), dims(&[1, 2], &[], &[0, 1], &[], &[]), &[2, 3]),
        setting("windows first", &[5, 4], (&[3, 1], &[0, 2, 4]), dims(&[0, 1], &[], &[1], &[], &[]), &[5, 2]),
        setting(
            "permuted index vector",
            &[4, 3],
            (&[3, 2], &[2, 1, 0, 3, 2, 1]),
            dims(&[0], &[1], &[1, 0], &[], &[]),
            &[2, 1],
        ),
        setting("one window", &[4, 3], (&[1], &[2]), dims(&[0, 1], &[], &[0], &[], &[]), &[2, 3]),
        setting("batching", &[2, 5], (&[2, 3, 1], &[0, 4, 4, 1, 7, -3]), dims(&[], &[1], &[1], &[0], &[0]), &[1, 1]),
        setting(
            "batching permuted",
            &[2, 3, 5],
            (&[3, 2, 1], &[0, 4, 4, 1, 7, 2]),
            dims(&[2], &[], &[2], &[0, 1], &[1, 0]),
            &[1, 1, 2],
        ),
        setting(
            "batching beside a batch axis",
            &[4, 2],
            (&[3, 2, 1], &[0, 3, 3, 1, 2, 2]),
            dims(&[0], &[], &[0], &[1], &[1]),
            &[2, 1],
        ),
        setting("no indices", &[5, 3], (&[0, 1], &[]), dims(&[1], &[0], &[0], &[], &[]), &[1, 3]),
        setting("no components", &[3, 2], (&[2, 0], &[]), dims(&[1, 2], &[], &[], &[], &[]), &[2, 2]),
        setting("empty windows", &[3, 2], (&[2, 1], &[1, 0]), dims(&[1, 2], &[], &[0], &[], &[]), &[0, 2]),
    ]
}

impl Setting {
    fn operand(&self, dtype: DType) -> Array {
        generic(&TensorType::new(dtype, self.operand), -2.0, 3.0, 1)
    }

    fn indices(&self, dtype: DType) -> Array {
        let values: Vec<f64> = self.indices.1.iter().map(|&i| i as f64).collect();
        numbers(dtype, self.indices.0, &values)
    }

    fn gather(&self, mode: IndexMode, fill_value: Option<Scalar>) -> Prim {
        Prim::Gather { dims: self.dims.clone(), slice_sizes: self.slice_sizes.to_vec(), mode, fill_value }
    }

    fn scatter(&self, op: ScatterOp, mode: IndexMode, unique_indices: bool) -> Prim {
        Prim::Scatter { op, dims: self.dims.to_scatter(), mode, unique_indices }
    }

    fn updates(&self, dtype: DType) -> Array {
        let (x, indices) = (self.operand(dtype).ty(), self.indices(DType::I32).ty());
        match self.gather(IndexMode::Clip, None).infer(&[&x, &indices]) {
            Ok(types) => generic(&types[0], -1.7, 2.9, 2),
            Err(why) => panic!("the setting `{}` is ill typed: {why}", self.what),
        }
    }
}

fn gathers(samples: &mut Vec<Sample>) {
    for (i, setting) in settings().into_iter().enumerate() {
        for &mode in IndexMode::ALL {
            // The default fill is NaN, which no difference quotient survives.
            let smooth = mode != IndexMode::FillOrDrop;
            let dtypes = if i == 0 { DType::ALL.to_vec() } else { vec![DType::F64, DType::I32] };
            for dtype in dtypes {
                let inputs = vec![setting.operand(dtype), setting.indices(DType::I32)];
                let name = format!("gather {dtype} {} {}", mode.name(), setting.what);
                samples.push(Sample::one(name, setting.gather(mode, None), inputs).smooth_if(smooth));
            }
        }
        for dtype in [DType::F64, DType::I32] {
            let fill = Some(Scalar::from_f64(dtype, 7.0));
            let inputs = vec![setting.operand(dtype), setting.indices(DType::I64)];
            let name = format!("gather {dtype} filled {}", setting.what);
            samples.push(Sample::one(name, setting.gather(IndexMode::FillOrDrop, fill), inputs).smooth_if(true));
        }
    }
    let rows = &settings()[0];
    for index_dtype in DType::ALL.into_iter().filter(|d| d.is_int()) {
        for &mode in IndexMode::ALL {
            let inputs = vec![rows.operand(DType::F32), rows.indices(index_dtype)];
            let name = format!("gather by {index_dtype} {}", mode.name());
            samples.push(Sample::one(name, rows.gather(mode, None), inputs));
        }
    }
}

fn scatters(samples: &mut Vec<Sample>) {
    for &op in ScatterOp::ALL {
        for (i, setting) in settings().into_iter().enumerate() {
            for &mode in IndexMode::ALL {
                let dtypes = if i == 0 { DType::ALL.to_vec() } else { vec![DType::F64, DType::I32] };
                for dtype in dtypes {
                    if dtype == DType::Bool && matches!(op, ScatterOp::Add | ScatterOp::Mul) {
                        continue;
                    }
                    let inputs = vec![setting.operand(dtype), setting.indices(DType::I32), setting.updates(dtype)];
                    let name = format!("{} {dtype} {} {}", op.name(), mode.name(), setting.what);
                    samples.push(Sample::one(name, setting.scatter(op, mode, false), inputs).smooth_if(true));
                }
            }
        }
        let unique = Setting { indices: (&[3, 1], &[2, 0, 4]), ..settings()[0].clone() };
        let inputs = vec![unique.operand(DType::F64), unique.indices(DType::I64), unique.updates(DType::F64)];
        let prim = unique.scatter(op, IndexMode::FillOrDrop, true);
        samples.push(Sample::one(format!("{} unique", op.name()), prim, inputs).smooth_if(true));
        let rows = &settings()[0];
        for index_dtype in DType::ALL.into_iter().filter(|d| d.is_int()) {
            let inputs = vec![rows.operand(DType::F32), rows.indices(index_dtype), rows.updates(DType::F32)];
            let prim = rows.scatter(op, IndexMode::FillOrDrop, false);
            samples.push(Sample::one(format!("{} by {index_dtype}", op.name()), prim, inputs));
        }
    }
    // Factors of 0 beside others at one place: the product rule must not divide.
    let elements = Setting { indices: (&[4, 1], &[1, 1, 1, 0]), ..settings()[1].clone() };
    let updates = numbers(DType::F64, &[4], &[0.0, 2.0, 3.0, 0.0]);
    let inputs = vec![elements.operand(DType::F64), elements.indices(DType::I32), updates];
    let prim = elements.scatter(ScatterOp::Mul, IndexMode::Clip, false);
    samples.push(Sample::one("scatter_mul by zeros", prim, inputs).smooth_if(true));
}

fn dynamic(samples: &mut Vec<Sample>) {
    let scalar = |dtype, v: i64| numbers(dtype, &[], &[v as f64]);
    let slice = |sizes: &[usize]| Prim::DynamicSlice { slice_sizes: sizes.to_vec() };
    for dtype in DType::ALL {
        let x = generic(&TensorType::new(dtype, [4, 3]), -2.0, 3.0, 1);
        let update = generic(&TensorType::new(dtype, [2, 2]), -2.0, 3.0, 2);
        for (i, j, what) in [(1, 0, "inside"), (3, 9, "clamped at the end"), (-1, -5, "clamped at the start")] {
            let starts = [scalar(DType::I32, i), scalar(DType::I32, j)];
            let inputs = [std::slice::from_ref(&x), &starts].concat();
            samples.push(Sample::one(format!("dynamic_slice {dtype} {what}"), slice(&[2, 2]), inputs).smooth_if(true));
            let inputs = [&[x.clone(), update.clone()], &starts[..]].concat();
            let name = format!("dynamic_update_slice {dtype} {what}");
            samples.push(Sample::one(name, Prim::DynamicUpdateSlice, inputs).smooth_if(true));
        }
    }
    let x = generic(&TensorType::new(DType::F64, [5]), -2.0, 3.0, 3);
    for index_dtype in DType::ALL.into_iter().filter(|d| d.is_int()) {
        for start in [2, -1, 100] {
            let inputs = vec![x.clone(), scalar(index_dtype, start)];
            let name = format!("dynamic_slice by {index_dtype} at {start}");
            samples.push(Sample::one(name, slice(&[2]), inputs).smooth_if(true));
        }
    }
    let whole = vec![x.clone(), scalar(DType::I32, 3)];
    samples.push(Sample::one("dynamic_slice of all", slice(&[5]), whole).smooth_if(true));
    let nothing = vec![x.clone(), scalar(DType::I32, 3)];
    samples.push(Sample::one("dynamic_slice of nothing", slice(&[0]), nothing).smooth_if(true));
    let nothing = vec![x, generic(&TensorType::new(DType::F64, [0]), 0.0, 1.0, 1), scalar(DType::I32, 2)];
    samples.push(Sample::one("dynamic_update_slice of nothing", Prim::DynamicUpdateSlice, nothing).smooth_if(true));
    let scalars = vec![numbers(DType::F64, &[], &[1.5])];
    samples.push(Sample::one("dynamic_slice of a scalar", slice(&[]), scalars).smooth_if(true));
    let scalars = vec![numbers(DType::F64, &[], &[1.5]), numbers(DType::F64, &[], &[2.5])];
    samples.push(Sample::one("dynamic_update_slice of a scalar", Prim::DynamicUpdateSlice, scalars).smooth_if(true));
}

pub(super) fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    gathers(&mut samples);
    scatters(&mut samples);
    dynamic(&mut samples);
    samples
}
