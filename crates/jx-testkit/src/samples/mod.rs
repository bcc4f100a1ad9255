//! Samples: for every op and every dtype that it accepts, a small program with inputs.
//!
//! One file a family, named as in `jx_ir`. The matches over op enums are exhaustive, so an op without
//! test data does not compile. Most samples are one equation.

mod binary;
mod compare;
mod convert;
mod dot;
mod indexing;
mod movement;
mod nodes;
mod random;
mod reduce;
mod sort;
mod unary;

pub use binary::domain as binary_domain;
pub use nodes::derivatives;
pub use unary::domain as unary_domain;

use jx_ir::{Array, Builder, DType, Func, Prim, TensorType};

/// The dtypes that the long lists of parameter settings run over; the others get a few settings each.
const CORE: [DType; 4] = [DType::F64, DType::F32, DType::I32, DType::Bool];

/// A family of primitives, as the files are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Elementwise functions of one operand.
    Unary,
    /// Elementwise functions of two operands.
    Binary,
    /// Comparison, selection, clamping.
    Compare,
    /// Conversion between dtypes, `stop_gradient`.
    Convert,
    /// The same elements in other places, and tensors made of nothing.
    Movement,
    /// Reads and writes at computed places.
    Indexing,
    /// Reductions, index-valued and cumulative ones included.
    Reduce,
    /// Contraction.
    Dot,
    /// Sorting.
    Sort,
    /// Random bits.
    Random,
    /// Nested programs.
    Nodes,
}

impl Family {
    /// Every family.
    pub const ALL: [Family; 11] = [
        Family::Unary,
        Family::Binary,
        Family::Compare,
        Family::Convert,
        Family::Movement,
        Family::Indexing,
        Family::Reduce,
        Family::Dot,
        Family::Sort,
        Family::Random,
        Family::Nodes,
    ];

    /// The family of a primitive.
    #[must_use]
    pub fn of(prim: &Prim) -> Family {
        match prim {
            Prim::Unary(_) | Prim::IntegerPow { .. } => Family::Unary,
            Prim::Binary(_) => Family::Binary,
            Prim::Compare(_) | Prim::SelectN | Prim::Clamp => Family::Compare,
            Prim::Convert { .. } | Prim::StopGradient => Family::Convert,
            Prim::Full { .. }
            | Prim::Constant(_)
            | Prim::Iota { .. }
            | Prim::Reshape { .. }
            | Prim::Transpose { .. }
            | Prim::BroadcastInDim { .. }
            | Prim::Slice { .. }
            | Prim::Pad { .. }
            | Prim::Concatenate { .. }
            | Prim::Rev { .. } => Family::Movement,
            Prim::DynamicSlice { .. } | Prim::DynamicUpdateSlice | Prim::Gather { .. } | Prim::Scatter { .. } => {
                Family::Indexing
            }
            Prim::Reduce { .. } | Prim::ArgReduce { .. } | Prim::Cumulative { .. } => Family::Reduce,
            Prim::DotGeneral { .. } => Family::Dot,
            Prim::Sort { .. } => Family::Sort,
            Prim::Threefry2x32 => Family::Random,
            Prim::Call { .. } | Prim::Vmap { .. } | Prim::Grad { .. } | Prim::Jvp { .. } => Family::Nodes,
        }
    }

    /// The samples of the family; each can be evaluated.
    #[must_use]
    pub fn samples(self) -> Vec<Sample> {
        match self {
            Family::Unary => unary::samples(),
            Family::Binary => binary::samples(),
            Family::Compare => compare::samples(),
            Family::Convert => convert::samples(),
            Family::Movement => movement::samples(),
            Family::Indexing => indexing::samples(),
            Family::Reduce => reduce::samples(),
            Family::Dot => dot::samples(),
            Family::Sort => sort::samples(),
            Family::Random => random::samples(),
            Family::Nodes => nodes::samples(),
        }
    }
}

/// A program with inputs to run it on.
#[derive(Clone, Debug)]
pub struct Sample {
    /// What it shows, in a few words: op, dtype, setting.
    pub name: String,
    /// The program.
    pub func: Func,
    /// Its inputs.
    pub inputs: Vec<Array>,
    /// Whether every float in it is `f64` and its derivative at these inputs is the limit of differences.
    pub smooth: bool,
    /// The family of the op that it is for.
    pub family: Family,
}

impl Sample {
    /// The one equation `prim(inputs)`, all results returned.
    ///
    /// # Panics
    /// If the primitive does not take such operands: a mistake in the sample.
    fn one(name: impl Into<String>, prim: Prim, inputs: Vec<Array>) -> Sample {
        let types: Vec<TensorType> = inputs.iter().map(Array::ty).collect();
        let (mut b, vars) = Builder::with_inputs(&types);
        let family = Family::of(&prim);
        let results = b.emit(prim, &vars);
        Sample { name: name.into(), func: b.finish(&results), inputs, smooth: false, family }
    }

    /// The same, with the claim that it is smooth if its floats are `f64`.
    fn smooth_if(mut self, claim: bool) -> Sample {
        let wide = |ty: &TensorType| !ty.dtype.is_float() || ty.dtype == DType::F64;
        self.smooth = claim && self.func.types().iter().all(wide);
        self
    }

    /// Whether it holds no transformation, so that the passes take it as it is.
    #[must_use]
    pub fn is_first_order(&self) -> bool {
        fn first_order(func: &Func) -> bool {
            func.eqns().iter().all(|eqn| {
                let transforms = matches!(eqn.prim, Prim::Vmap { .. } | Prim::Grad { .. } | Prim::Jvp { .. });
                !transforms && eqn.prim.nested().is_none_or(|nested| first_order(nested))
            })
        }
        first_order(&self.func)
    }
}

/// Every sample of every family; each can be evaluated.
#[must_use]
pub fn all() -> Vec<Sample> {
    Family::ALL.into_iter().flat_map(Family::samples).collect()
}

#[cfg(test)]
mod tests;
