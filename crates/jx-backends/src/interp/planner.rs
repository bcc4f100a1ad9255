//! Makes the plan of a program: picks kernels, gives out slots, finds last uses, hoists constants.

use super::binary;
use super::dot::Dot;
use super::movement::Strided;
use super::plan::{Kernel, Operand, Plan, Step, Width};
use super::reduce::Reduce;
use crate::BackendError;
use jx_ir::{Array, DType, Eqn, Func, Prim, ReduceOp, Scalar, TensorType, Var, eval_prim};

/// Values up to this size that do not depend on the inputs are made once, when the program is
/// compiled; larger ones are made in each run and dropped again, so that a program does not hold them.
const HOIST_BYTES: usize = 1 << 20;

/// Where a variable is while the plan is made.
#[derive(Clone, Debug)]
enum Place {
    /// Not yet computed, or no longer needed.
    Nowhere,
    Slot(u32),
    Constant(u32),
    /// A `full`, made into an array only where a kernel needs one.
    Full(Scalar),
}

struct Planner<'a> {
    func: &'a Func,
    places: Vec<Place>,
    /// For each variable how many uses are left, outputs included.
    uses: Vec<usize>,
    free: Vec<u32>,
    plan: Plan,
}

impl Plan {
    /// The plan of a first-order program.
    ///
    /// # Errors
    /// If a call or a transformation is left in it, or a constant part of it has no value.
    pub(super) fn new(func: &Func) -> Result<Plan, BackendError> {
        if let Some(eqn) = func.eqns().iter().find(|eqn| eqn.prim.nested().is_some()) {
            return Err(BackendError::Unexpanded { prim: eqn.prim.name() });
        }
        let mut uses = vec![0; func.n_vars()];
        let read = func.eqns().iter().flat_map(|eqn| &eqn.inputs).chain(func.outputs());
        read.for_each(|v| uses[v.index()] += 1);
        let n_inputs = u32::try_from(func.n_inputs()).expect("variables are numbered in 32 bits");
        let mut places = vec![Place::Nowhere; func.n_vars()];
        (0..n_inputs).zip(&mut places).for_each(|(slot, place)| *place = Place::Slot(slot));
        let mut planner = Planner {
            func,
            places,
            free: (0..n_inputs).filter(|&i| uses[i as usize] == 0).collect(),
            uses,
            plan: Plan {
                input_types: func.input_types().to_vec(),
                constants: Vec::new(),
                n_slots: func.n_inputs(),
                steps: Vec::with_capacity(func.eqns().len()),
                outputs: Vec::with_capacity(func.n_outputs()),
            },
        };
        for eqn in func.eqns() {
            planner.equation(eqn)?;
        }
        for &var in func.outputs() {
            planner.uses[var.index()] -= 1;
            let last = planner.uses[var.index()] == 0;
            let operand = planner.operand(var, last, false);
            planner.plan.outputs.push(operand);
        }
        Ok(planner.plan)
    }
}

/// How a step treats its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    /// It reads arrays.
    Reads,
    /// It takes what nothing needs later, to write over or to pass on.
    Takes,
    /// As `Takes`, and one operand or two cases may be splats.
    TakesSplat,
}

impl Planner<'_> {
    fn equation(&mut self, eqn: &Eqn) -> Result<(), BackendError> {
        if let Prim::Full { value, .. } = eqn.prim {
            self.places[eqn.outputs[0].index()] = Place::Full(value);
            return Ok(());
        }
        if let Prim::Constant(array) = &eqn.prim {
            self.places[eqn.outputs[0].index()] = self.constant((**array).clone());
            return Ok(());
        }
        let is_hoisted = eqn.inputs.is_empty()
            && eqn.outputs.iter().map(|&v| size_bytes(self.func.ty(v))).sum::<usize>() <= HOIST_BYTES;
        if is_hoisted {
            for (value, out) in eval_prim(&eqn.prim, &[])?.into_iter().zip(&eqn.outputs) {
                self.places[out.index()] = self.constant(value);
            }
            return Ok(());
        }
        let (kernel, access) = self.kernel(eqn);
        let mut operands = Vec::with_capacity(eqn.inputs.len());
        let mut drops = Vec::new();
        let mut freed = Vec::new();
        let splats = match access {
            // Were all operands splats, none would have the shape: then the last is made an array.
            Access::TakesSplat => eqn.inputs.len() - 1,
            Access::Reads | Access::Takes => 0,
        };
        let mut splats_left = splats;
        for (i, &var) in eqn.inputs.iter().enumerate() {
            self.uses[var.index()] -= 1;
            let ends = self.uses[var.index()] == 0;
            let is_alone = eqn.inputs.iter().filter(|&&v| v == var).count() == 1;
            let last = ends && is_alone && access != Access::Reads;
            // The selector of a selection is read element by element.
            let may_splat = splats_left > 0 && !(matches!(kernel, Kernel::Select) && i == 0);
            let operand = self.operand(var, last, may_splat);
            match operand {
                Operand::Splat(_) => splats_left -= 1,
                Operand::Slot { slot, last: true } => freed.push(slot),
                Operand::Slot { slot, last: false } if ends => {
                    drops.push(slot);
                    freed.push(slot);
                }
                Operand::Slot { .. } | Operand::Constant(_) => {}
            }
            operands.push(operand);
        }
        self.free.extend(freed);
        let results = eqn.outputs.iter().map(|&out| (self.uses[out.index()] > 0).then(|| self.new_slot(out))).collect();
        self.plan.steps.push(Step { kernel, operands, results, drops });
        Ok(())
    }

    /// Where the variable is read from; a `full` becomes an array unless `may_splat`.
    fn operand(&mut self, var: Var, last: bool, may_splat: bool) -> Operand {
        match self.places[var.index()] {
            Place::Slot(slot) => Operand::Slot { slot, last },
            Place::Constant(index) => Operand::Constant(index),
            Place::Full(value) if may_splat => Operand::Splat(value),
            Place::Full(value) => {
                let ty = self.func.ty(var);
                if size_bytes(ty) <= HOIST_BYTES {
                    let place = self.constant(Array::full(ty.shape.clone(), value));
                    self.places[var.index()] = place;
                    return self.operand(var, last, may_splat);
                }
                let slot = self.new_slot_number();
                let kernel = Kernel::Full(value, ty.shape.clone());
                let step = Step { kernel, operands: Vec::new(), results: vec![Some(slot)], drops: Vec::new() };
                self.plan.steps.push(step);
                self.places[var.index()] = Place::Slot(slot);
                Operand::Slot { slot, last }
            }
            Place::Nowhere => panic!("{var} is read before it is computed in\n{}", self.func),
        }
    }

    fn constant(&mut self, array: Array) -> Place {
        let index = u32::try_from(self.plan.constants.len()).expect("fewer constants than variables");
        self.plan.constants.push(array);
        Place::Constant(index)
    }

    fn new_slot(&mut self, var: Var) -> u32 {
        let slot = self.new_slot_number();
        self.places[var.index()] = Place::Slot(slot);
        slot
    }

    fn new_slot_number(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.plan.n_slots += 1;
            u32::try_from(self.plan.n_slots - 1).expect("fewer slots than variables")
        })
    }

    /// The kernel of an equation, and what it may do with its operands.
    fn kernel(&self, eqn: &Eqn) -> (Kernel, Access) {
        let ty = |i: usize| self.func.ty(eqn.inputs[i]);
        let result = self.func.ty(eqn.outputs[0]);
        let eval = || (Kernel::Eval(eqn.prim.clone()), Access::Reads);
        let moved = |strided: Strided| {
            if strided.is_identity(ty(0)) {
                (Kernel::Reshape(result.shape.clone()), Access::Takes)
            } else {
                (Kernel::Move(strided), Access::Reads)
            }
        };
        match &eqn.prim {
            Prim::Unary(op) => match width(ty(0).dtype) {
                Some(width) => (Kernel::Unary(*op, width), Access::Takes),
                None => eval(),
            },
            Prim::IntegerPow { exponent } => match width(ty(0).dtype) {
                Some(width) => (Kernel::IntegerPow(*exponent, width), Access::Takes),
                None => eval(),
            },
            Prim::Binary(op) => match width(ty(0).dtype) {
                Some(width) if binary::takes_splat(*op) => (Kernel::Binary(*op, width), Access::TakesSplat),
                Some(_) | None => eval(),
            },
            Prim::Compare(op) => match width(ty(0).dtype) {
                Some(width) => (Kernel::Compare(*op, width), Access::TakesSplat),
                None => eval(),
            },
            Prim::SelectN if ty(0).dtype == DType::Bool && eqn.inputs.len() == 3 => {
                (Kernel::Select, Access::TakesSplat)
            }
            Prim::StopGradient => (Kernel::Reshape(result.shape.clone()), Access::Takes),
            Prim::Convert { dtype } if *dtype == ty(0).dtype => (Kernel::Reshape(result.shape.clone()), Access::Takes),
            Prim::Reshape { shape } => (Kernel::Reshape(shape.clone()), Access::Takes),
            Prim::Transpose { permutation } => moved(Strided::transpose(ty(0), permutation)),
            Prim::BroadcastInDim { shape, broadcast_dimensions } => {
                moved(Strided::broadcast_in_dim(ty(0), shape, broadcast_dimensions))
            }
            Prim::Slice { start, strides, .. } => moved(Strided::slice(ty(0), start, strides, result)),
            Prim::Rev { dimensions } => moved(Strided::rev(ty(0), dimensions)),
            Prim::Concatenate { dimension } => (Kernel::Concatenate(*dimension, result.clone()), Access::Reads),
            Prim::Reduce { op, axes } => {
                match width(ty(0).dtype).and_then(|width| Some((reduction(*op, axes, ty(0))?, width))) {
                    Some((reduce, width)) => (Kernel::Reduce(reduce, width), Access::Reads),
                    None => eval(),
                }
            }
            Prim::DotGeneral { dims, out_dtype } => match width(*out_dtype) {
                Some(width) if *out_dtype == ty(0).dtype => {
                    (Kernel::Dot(Dot::new(dims, ty(0), ty(1), result), width), Access::Reads)
                }
                Some(_) | None => eval(),
            },
            Prim::SelectN
            | Prim::Convert { .. }
            | Prim::Clamp
            | Prim::Full { .. }
            | Prim::Constant(_)
            | Prim::Iota { .. }
            | Prim::Pad { .. }
            | Prim::DynamicSlice { .. }
            | Prim::DynamicUpdateSlice
            | Prim::Gather { .. }
            | Prim::Scatter { .. }
            | Prim::ArgReduce { .. }
            | Prim::Cumulative { .. }
            | Prim::Sort { .. }
            | Prim::Threefry2x32 => eval(),
            Prim::Call { .. } | Prim::Vmap { .. } | Prim::Grad { .. } | Prim::Jvp { .. } => {
                panic!("nodes are refused before kernels are chosen:\n{}", self.func)
            }
        }
    }
}

/// A reduction along no axis is the operand itself, which the reference handles.
fn reduction(op: ReduceOp, axes: &[usize], x: &TensorType) -> Option<Reduce> {
    if axes.is_empty() { None } else { Reduce::new(op, axes, x) }
}

/// The float kernels' dtypes; the others go through `eval_prim`.
fn width(dtype: DType) -> Option<Width> {
    match dtype {
        DType::F32 => Some(Width::F32),
        DType::F64 => Some(Width::F64),
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::F16
        | DType::BF16 => None,
    }
}

fn size_bytes(ty: &TensorType) -> usize {
    ty.n_elements().saturating_mul(ty.dtype.size_bytes())
}
