//! Scatter: where each gather reads, with every combiner, mode and choice of mapped operands. Samples
//! hold few different indices, so updates meet, and some indices out of range.

use crate::check::{check, check_on, of_prim, sample};
use crate::gather::{CASES, Case};
use jx_ir::{DType, Func, IndexMode, Prim, ScatterOp, TensorType};

fn scatter(case: &Case, op: ScatterOp, mode: IndexMode, dtype: DType, index: DType) -> Func {
    let operand = TensorType::new(dtype, case.operand);
    let indices = TensorType::new(index, case.indices);
    let gather = Prim::Gather { dims: case.dims(), slice_sizes: case.slice_sizes.to_vec(), mode, fill_value: None };
    let updates = gather.infer(&[&operand, &indices]).expect("the gather is well typed").remove(0);
    let prim = Prim::Scatter { op, dims: case.dims().to_scatter(), mode, unique_indices: false };
    of_prim(prim, &[operand, indices, updates])
}

#[test]
fn every_way_to_scatter_is_the_loop_in_every_mode() {
    for case in CASES {
        for &mode in IndexMode::ALL {
            for &op in ScatterOp::ALL {
                println!("{} {mode:?} {op:?}", case.what);
                check(&scatter(case, op, mode, DType::F32, DType::I32));
            }
        }
    }
}

#[test]
fn every_combiner_on_every_dtype_is_the_loop() {
    let lookup = CASES.iter().find(|case| case.what == "embedding lookup").unwrap();
    for &op in ScatterOp::ALL {
        for dtype in DType::ALL {
            let numeric = matches!(op, ScatterOp::Add | ScatterOp::Mul);
            if !(numeric && dtype == DType::Bool) {
                check(&scatter(lookup, op, IndexMode::FillOrDrop, dtype, DType::U16));
            }
        }
    }
}

#[test]
fn more_examples_than_the_index_dtype_counts_are_the_loop() {
    let size = 300;
    for case in CASES {
        let func = scatter(case, ScatterOp::Add, IndexMode::Clip, DType::F32, DType::I8);
        let inputs: Vec<_> = func.input_types().iter().zip(1..).map(|(ty, i)| sample(&ty.batched(size), i)).collect();
        check_on(&func, &[Some(0); 3], &[Some(0)], size, &inputs);
    }
}
