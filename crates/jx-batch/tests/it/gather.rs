//! Gather: the usual ways to index, in each mode, with the batch on operand, indices and both.

use crate::check::{check, check_on, of_prim, sample, ty};
use jx_ir::{DType, GatherDims, IndexMode, Prim, Scalar, TensorType};

/// A gather but for dtypes and mode.
pub(crate) struct Case {
    pub(crate) what: &'static str,
    pub(crate) operand: &'static [usize],
    pub(crate) indices: &'static [usize],
    pub(crate) slice_sizes: &'static [usize],
    offset: &'static [usize],
    collapsed: &'static [usize],
    index_map: &'static [usize],
    batching: (&'static [usize], &'static [usize]),
}

impl Case {
    pub(crate) fn dims(&self) -> GatherDims {
        GatherDims {
            offset_dims: self.offset.to_vec(),
            collapsed_slice_dims: self.collapsed.to_vec(),
            start_index_map: self.index_map.to_vec(),
            operand_batching_dims: self.batching.0.to_vec(),
            start_indices_batching_dims: self.batching.1.to_vec(),
        }
    }
}

#[rustfmt::skip]
pub(crate) const CASES: &[Case] = &[
    Case { what: "one element", operand: &[5], indices: &[1], slice_sizes: &[1], offset: &[], collapsed: &[0], index_map: &[0], batching: (&[], &[]) },
    Case { what: "elements of a vector", operand: &[5], indices: &[3, 1], slice_sizes: &[1], offset: &[], collapsed: &[0], index_map: &[0], batching: (&[], &[]) },
    Case { what: "embedding lookup", operand: &[4, 3], indices: &[5, 1], slice_sizes: &[1, 3], offset: &[1], collapsed: &[0], index_map: &[0], batching: (&[], &[]) },
    Case { what: "embedding lookup of a grid", operand: &[4, 3], indices: &[2, 3, 1], slice_sizes: &[1, 3], offset: &[2], collapsed: &[0], index_map: &[0], batching: (&[], &[]) },
    Case { what: "take along axis 1", operand: &[3, 4], indices: &[2, 1], slice_sizes: &[3, 1], offset: &[0], collapsed: &[1], index_map: &[1], batching: (&[], &[]) },
    Case { what: "take_along_axis by batch axes", operand: &[2, 4], indices: &[2, 3, 1], slice_sizes: &[1, 1], offset: &[], collapsed: &[1], index_map: &[1], batching: (&[0], &[0]) },
    Case { what: "take_along_axis by full indices", operand: &[3, 4], indices: &[3, 3, 2], slice_sizes: &[1, 1], offset: &[], collapsed: &[0, 1], index_map: &[0, 1], batching: (&[], &[]) },
    Case { what: "an index vector in another order", operand: &[3, 4], indices: &[5, 2], slice_sizes: &[1, 1], offset: &[], collapsed: &[0, 1], index_map: &[1, 0], batching: (&[], &[]) },
    Case { what: "windows", operand: &[4, 5], indices: &[3, 2], slice_sizes: &[2, 3], offset: &[1, 2], collapsed: &[], index_map: &[0, 1], batching: (&[], &[]) },
    Case { what: "windows with their axes first", operand: &[4, 5], indices: &[3, 2], slice_sizes: &[2, 3], offset: &[0, 1], collapsed: &[], index_map: &[0, 1], batching: (&[], &[]) },
    Case { what: "windows with their axes around", operand: &[4, 5], indices: &[3, 2], slice_sizes: &[2, 3], offset: &[0, 2], collapsed: &[], index_map: &[0, 1], batching: (&[], &[]) },
    Case { what: "windows that move along one axis", operand: &[3, 5], indices: &[3, 1], slice_sizes: &[3, 2], offset: &[1, 2], collapsed: &[], index_map: &[1], batching: (&[], &[]) },
    Case { what: "a collapsed axis that is not indexed", operand: &[1, 4], indices: &[3, 1], slice_sizes: &[1, 2], offset: &[1], collapsed: &[0], index_map: &[1], batching: (&[], &[]) },
    Case { what: "two batch axes, crosswise", operand: &[2, 3, 4], indices: &[3, 2, 1], slice_sizes: &[1, 1, 1], offset: &[], collapsed: &[2], index_map: &[2], batching: (&[0, 1], &[1, 0]) },
    Case { what: "a batch axis in the middle", operand: &[4, 2, 3], indices: &[3, 2, 1], slice_sizes: &[1, 1, 3], offset: &[2], collapsed: &[0], index_map: &[0], batching: (&[1], &[1]) },
    Case { what: "windows in batches", operand: &[3, 4, 5], indices: &[3, 2, 2], slice_sizes: &[1, 2, 3], offset: &[1, 3], collapsed: &[], index_map: &[2, 1], batching: (&[0], &[0]) },
    Case { what: "index vectors of no components", operand: &[4], indices: &[3, 0], slice_sizes: &[2], offset: &[1], collapsed: &[], index_map: &[], batching: (&[], &[]) },
    Case { what: "no indices", operand: &[4, 3], indices: &[0, 1], slice_sizes: &[1, 3], offset: &[1], collapsed: &[0], index_map: &[0], batching: (&[], &[]) },
    Case { what: "empty windows", operand: &[4, 3], indices: &[2, 1], slice_sizes: &[0, 3], offset: &[1, 2], collapsed: &[], index_map: &[0], batching: (&[], &[]) },
];

#[test]
fn every_way_to_gather_is_the_loop_in_every_mode() {
    for case in CASES {
        for &mode in IndexMode::ALL {
            for (dtype, index) in [(DType::F32, DType::I32), (DType::I16, DType::U8), (DType::Bool, DType::I64)] {
                println!("{} {mode:?} {dtype} {index}", case.what);
                let operands = [TensorType::new(dtype, case.operand), TensorType::new(index, case.indices)];
                for fill_value in [None, Some(Scalar::from_i64(dtype, 7))] {
                    let (dims, slice_sizes) = (case.dims(), case.slice_sizes.to_vec());
                    check(&of_prim(Prim::Gather { dims, slice_sizes, mode, fill_value }, &operands));
                }
            }
        }
    }
}

#[test]
fn more_examples_than_the_index_dtype_counts_are_the_loop() {
    let size = 300;
    for case in CASES {
        let operands = [TensorType::new(DType::F32, case.operand), TensorType::new(DType::I8, case.indices)];
        let (dims, slice_sizes) = (case.dims(), case.slice_sizes.to_vec());
        let prim = Prim::Gather { dims, slice_sizes, mode: IndexMode::FillOrDrop, fill_value: None };
        let inputs = [sample(&operands[0].batched(size), 1), sample(&operands[1].batched(size), 2)];
        check_on(&of_prim(prim, &operands), &[Some(0), Some(0)], &[Some(0)], size, &inputs);
    }
}

#[test]
fn a_gather_from_a_scalar_per_example_is_the_loop() {
    let prim = Prim::Gather {
        dims: GatherDims::default(),
        slice_sizes: vec![],
        mode: IndexMode::FillOrDrop,
        fill_value: None,
    };
    check(&of_prim(prim, &[ty(DType::F32, []), ty(DType::I32, [3, 0])]));
}
