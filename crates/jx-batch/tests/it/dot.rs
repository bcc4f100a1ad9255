//! Contractions, with the batch on either operand and on both.

use crate::check::check_prim;
use jx_ir::{DType, DotDims, Prim, TensorType};

struct Case {
    lhs: &'static [usize],
    rhs: &'static [usize],
    contracting: (&'static [usize], &'static [usize]),
    batch: (&'static [usize], &'static [usize]),
}

const CASES: &[Case] = &[
    Case { lhs: &[], rhs: &[], contracting: (&[], &[]), batch: (&[], &[]) },
    Case { lhs: &[3], rhs: &[3], contracting: (&[0], &[0]), batch: (&[], &[]) },
    Case { lhs: &[2], rhs: &[3], contracting: (&[], &[]), batch: (&[], &[]) },
    Case { lhs: &[2, 3], rhs: &[3], contracting: (&[1], &[0]), batch: (&[], &[]) },
    Case { lhs: &[3], rhs: &[3, 2], contracting: (&[0], &[0]), batch: (&[], &[]) },
    Case { lhs: &[2, 3], rhs: &[3, 4], contracting: (&[1], &[0]), batch: (&[], &[]) },
    Case { lhs: &[3, 2], rhs: &[4, 3], contracting: (&[0], &[1]), batch: (&[], &[]) },
    Case { lhs: &[3, 3], rhs: &[3, 3], contracting: (&[1, 0], &[0, 1]), batch: (&[], &[]) },
    Case { lhs: &[2, 2, 3], rhs: &[2, 3, 4], contracting: (&[2], &[1]), batch: (&[0], &[0]) },
    Case { lhs: &[4, 3, 2], rhs: &[3, 2, 3], contracting: (&[1], &[2]), batch: (&[2], &[1]) },
    Case { lhs: &[2, 3, 4, 2], rhs: &[3, 2, 2, 5], contracting: (&[3], &[2]), batch: (&[1, 0], &[0, 1]) },
    Case { lhs: &[3, 2], rhs: &[2, 3], contracting: (&[], &[]), batch: (&[0, 1], &[1, 0]) },
    Case { lhs: &[2, 0], rhs: &[0, 3], contracting: (&[1], &[0]), batch: (&[], &[]) },
];

#[test]
fn contractions_are_the_loop() {
    let dtypes = [
        (DType::F32, DType::F32),
        (DType::F64, DType::F64),
        (DType::F16, DType::F16),
        (DType::BF16, DType::F32),
        (DType::I8, DType::I32),
        (DType::U64, DType::U64),
    ];
    for case in CASES {
        for (dtype, out_dtype) in dtypes {
            let dims = DotDims {
                lhs_contracting: case.contracting.0.to_vec(),
                rhs_contracting: case.contracting.1.to_vec(),
                lhs_batch: case.batch.0.to_vec(),
                rhs_batch: case.batch.1.to_vec(),
            };
            let operands = [TensorType::new(dtype, case.lhs), TensorType::new(dtype, case.rhs)];
            check_prim(Prim::DotGeneral { dims, out_dtype }, &operands);
        }
    }
}
