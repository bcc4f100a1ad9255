//! The plan of a program: which kernel makes each value, where it is kept, and when it is dropped; and
//! how it is run. [`planner`](super::planner) makes it.

use super::arg::Arg;
use super::dot::Dot;
use super::movement::{self, Strided};
use super::reduce::Reduce;
use super::{binary, compare, unary};
use crate::{BackendError, Buffer};
use jx_ir::{Array, BinaryOp, CompareOp, DType, EvalError, Prim, Scalar, TensorType, UnaryOp, bf16, eval_prim, f16};

/// A program ready to run.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) input_types: Vec<TensorType>,
    /// Values that do not depend on the inputs.
    pub(super) constants: Vec<Array>,
    pub(super) n_slots: usize,
    pub(super) steps: Vec<Step>,
    pub(super) outputs: Vec<Operand>,
}

/// One equation.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) kernel: Kernel,
    pub(super) operands: Vec<Operand>,
    /// The slot of each result; `None` for one that nothing reads.
    pub(super) results: Vec<Option<u32>>,
    /// Slots whose last use this is, though the kernel could not take them.
    pub(super) drops: Vec<u32>,
}

/// Where an operand comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    /// A slot; `last` if it may be emptied.
    Slot { slot: u32, last: bool },
    /// A value that does not depend on the inputs.
    Constant(u32),
    /// Every element is this.
    Splat(Scalar),
}

/// What a step does.
#[derive(Debug)]
pub(super) enum Kernel {
    Unary(UnaryOp, Width),
    IntegerPow(i32, Width),
    Binary(BinaryOp, Width),
    Compare(CompareOp, Width),
    /// Operands `which: bool, on_false, on_true`.
    Select,
    Reshape(Vec<usize>),
    Move(Strided),
    Concatenate(usize, TensorType),
    Reduce(Reduce, Width),
    Dot(Dot, Width),
    Full(Scalar, Vec<usize>),
    /// The reference meaning.
    Eval(Prim),
}

/// The dtype of a float kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    F32,
    F64,
}

/// Calls a kernel at the float type of a [`Width`].
macro_rules! at_width {
    ($width:expr, $T:ident => $call:expr) => {
        match $width {
            Width::F32 => {
                type $T = f32;
                $call
            }
            Width::F64 => {
                type $T = f64;
                $call
            }
        }
    };
}

impl Plan {
    pub(super) fn input_types(&self) -> &[TensorType] {
        &self.input_types
    }

    pub(super) fn n_slots(&self) -> usize {
        self.n_slots
    }

    /// The outputs; `slots` holds the inputs first, then nothing.
    pub(super) fn execute(&self, mut slots: Vec<Option<Array>>) -> Result<Vec<Buffer>, BackendError> {
        for step in &self.steps {
            self.step(step, &mut slots)?;
        }
        let output = |operand: &Operand| Buffer::Host(self.take_array(*operand, &mut slots));
        Ok(self.outputs.iter().map(output).collect())
    }

    fn step(&self, step: &Step, slots: &mut [Option<Array>]) -> Result<(), EvalError> {
        let result = match (&step.kernel, &step.operands[..]) {
            (Kernel::Unary(op, width), &[x]) => {
                let own = take(x, slots);
                let x = self.arg(x, own, slots);
                at_width!(*width, T => unary::apply::<T>(*op, x))?
            }
            (Kernel::IntegerPow(exponent, width), &[x]) => {
                let own = take(x, slots);
                let x = self.arg(x, own, slots);
                at_width!(*width, T => unary::integer_pow::<T>(*exponent, x))
            }
            (Kernel::Binary(op, width), &[x, y]) => {
                let (own_x, own_y) = (take(x, slots), take(y, slots));
                let (x, y) = (self.arg(x, own_x, slots), self.arg(y, own_y, slots));
                at_width!(*width, T => binary::apply::<T>(*op, x, y))?
            }
            (Kernel::Compare(op, width), &[x, y]) => {
                let (own_x, own_y) = (take(x, slots), take(y, slots));
                let (x, y) = (self.arg(x, own_x, slots), self.arg(y, own_y, slots));
                at_width!(*width, T => compare::apply::<T>(*op, &x, &y))
            }
            (Kernel::Select, &[which, x, y]) => {
                let own = [take(which, slots), take(x, slots), take(y, slots)];
                let [own_which, own_x, own_y] = own;
                let which = self.arg(which, own_which, slots);
                let (x, y) = (self.arg(x, own_x, slots), self.arg(y, own_y, slots));
                select(which.array(), x, y)
            }
            (Kernel::Reshape(shape), &[x]) => {
                let x = self.take_array(x, slots);
                x.reshaped(&shape[..]).expect("the shape rule keeps the number of elements")
            }
            (Kernel::Move(strided), &[x]) => strided.run(self.array(x, slots)),
            (Kernel::Concatenate(dimension, ty), operands) => {
                let xs: Vec<&Array> = operands.iter().map(|&x| self.array(x, slots)).collect();
                movement::concatenate(&xs, *dimension, ty)
            }
            (Kernel::Reduce(reduce, width), &[x]) => {
                let x = self.array(x, slots);
                at_width!(*width, T => reduce.run::<T>(x))
            }
            (Kernel::Dot(dot, width), &[x, y]) => {
                let (x, y) = (self.array(x, slots), self.array(y, slots));
                match width {
                    Width::F32 => dot.run::<f32, 8>(x, y),
                    Width::F64 => dot.run::<f64, 4>(x, y),
                }
            }
            (Kernel::Full(value, shape), &[]) => Array::full(&shape[..], *value),
            (Kernel::Eval(prim), operands) => {
                let xs: Vec<&Array> = operands.iter().map(|&x| self.array(x, slots)).collect();
                let values = eval_prim(prim, &xs)?;
                step.drops.iter().for_each(|&slot| slots[slot as usize] = None);
                for (value, result) in values.into_iter().zip(&step.results) {
                    if let Some(slot) = result {
                        slots[*slot as usize] = Some(value);
                    }
                }
                return Ok(());
            }
            (
                kernel @ (Kernel::Unary(..)
                | Kernel::IntegerPow(..)
                | Kernel::Binary(..)
                | Kernel::Compare(..)
                | Kernel::Select
                | Kernel::Reshape(_)
                | Kernel::Move(_)
                | Kernel::Reduce(..)
                | Kernel::Dot(..)
                | Kernel::Full(..)),
                operands,
            ) => panic!("the plan gave {} operands to {kernel:?}", operands.len()),
        };
        // A dropped slot may be the one that the result goes to, so it is emptied first.
        step.drops.iter().for_each(|&slot| slots[slot as usize] = None);
        if let [Some(slot)] = step.results[..] {
            slots[slot as usize] = Some(result);
        }
        Ok(())
    }

    /// The operand of a kernel that may write over it; `own` is what [`take`] gave.
    fn arg<'a>(&'a self, operand: Operand, own: Option<Array>, slots: &'a [Option<Array>]) -> Arg<'a> {
        match (own, operand) {
            (Some(array), _) => Arg::Own(array),
            (None, Operand::Splat(value)) => Arg::Splat(value),
            (None, operand @ (Operand::Slot { .. } | Operand::Constant(_))) => Arg::Ref(self.array(operand, slots)),
        }
    }

    /// The operand of a kernel that reads it.
    fn array<'a>(&'a self, operand: Operand, slots: &'a [Option<Array>]) -> &'a Array {
        match operand {
            Operand::Slot { slot, .. } => {
                slots[slot as usize].as_ref().expect("a value is in its slot until its last use")
            }
            Operand::Constant(index) => &self.constants[index as usize],
            Operand::Splat(value) => panic!("the plan gave the splat {value:?} to a kernel that takes arrays"),
        }
    }

    /// The operand itself, out of its slot if this is its last use.
    fn take_array(&self, operand: Operand, slots: &mut [Option<Array>]) -> Array {
        take(operand, slots).unwrap_or_else(|| self.array(operand, slots).clone())
    }
}

/// The value out of its slot, if this is its last use.
fn take(operand: Operand, slots: &mut [Option<Array>]) -> Option<Array> {
    match operand {
        Operand::Slot { slot, last: true } => slots[slot as usize].take(),
        Operand::Slot { last: false, .. } | Operand::Constant(_) | Operand::Splat(_) => None,
    }
}

/// Selection is by bits, so one kernel serves each dtype.
fn select(which: &Array, on_false: Arg<'_>, on_true: Arg<'_>) -> Array {
    let dtype = match (&on_false, &on_true) {
        (Arg::Splat(value), _) => value.dtype(),
        (x @ (Arg::Own(_) | Arg::Ref(_)), _) => x.array().dtype(),
    };
    match dtype {
        DType::Bool => compare::select::<bool>(which, on_false, on_true),
        DType::I8 => compare::select::<i8>(which, on_false, on_true),
        DType::I16 => compare::select::<i16>(which, on_false, on_true),
        DType::I32 => compare::select::<i32>(which, on_false, on_true),
        DType::I64 => compare::select::<i64>(which, on_false, on_true),
        DType::U8 => compare::select::<u8>(which, on_false, on_true),
        DType::U16 => compare::select::<u16>(which, on_false, on_true),
        DType::U32 => compare::select::<u32>(which, on_false, on_true),
        DType::U64 => compare::select::<u64>(which, on_false, on_true),
        DType::F16 => compare::select::<f16>(which, on_false, on_true),
        DType::BF16 => compare::select::<bf16>(which, on_false, on_true),
        DType::F32 => compare::select::<f32>(which, on_false, on_true),
        DType::F64 => compare::select::<f64>(which, on_false, on_true),
    }
}
