//! Random equations of the elementwise families, sources, reductions, contraction, sorting, random bits.

use super::{Gen, MAX_ELEMENTS};
use crate::samples::{binary_domain, unary_domain};
use jx_ir::{
    ArgReduceOp, BinaryOp, CompareOp, CumulativeOp, DType, DotDims, Prim, ReduceOp, Scalar, TensorType, UnaryOp, Var,
};

/// How a random differentiable program may use an elementwise op of one operand.
#[derive(PartialEq, Eq)]
enum Shape {
    Smooth,
    /// Kinks or jumps: operands are kept off them.
    Piecewise,
    /// Not on floats.
    Discrete,
}

fn unary_shape(op: UnaryOp) -> Shape {
    match op {
        UnaryOp::Abs
        | UnaryOp::Sign
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Round
        | UnaryOp::RoundEven
        | UnaryOp::IsFinite => Shape::Piecewise,
        UnaryOp::Not | UnaryOp::PopulationCount | UnaryOp::Clz => Shape::Discrete,
        UnaryOp::Neg
        | UnaryOp::Square
        | UnaryOp::Sqrt
        | UnaryOp::Rsqrt
        | UnaryOp::Cbrt
        | UnaryOp::Exp
        | UnaryOp::Exp2
        | UnaryOp::Expm1
        | UnaryOp::Log
        | UnaryOp::Log1p
        | UnaryOp::Sin
        | UnaryOp::Cos
        | UnaryOp::Tan
        | UnaryOp::Asin
        | UnaryOp::Acos
        | UnaryOp::Atan
        | UnaryOp::Sinh
        | UnaryOp::Cosh
        | UnaryOp::Tanh
        | UnaryOp::Asinh
        | UnaryOp::Acosh
        | UnaryOp::Atanh
        | UnaryOp::Logistic
        | UnaryOp::Erf
        | UnaryOp::Erfc
        | UnaryOp::ErfInv
        | UnaryOp::Lgamma
        | UnaryOp::Digamma => Shape::Smooth,
    }
}

fn binary_shape(op: BinaryOp) -> Shape {
    match op {
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::MulNoNan
        | BinaryOp::Div
        | BinaryOp::Pow
        | BinaryOp::Atan2 => Shape::Smooth,
        BinaryOp::Max | BinaryOp::Min => Shape::Piecewise,
        // The jumps of rem and the steps of nextafter are nowhere far off.
        BinaryOp::Rem
        | BinaryOp::NextAfter
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightLogical
        | BinaryOp::ShiftRightArithmetic => Shape::Discrete,
    }
}

impl Gen<'_> {
    fn is_smooth_float(&self, x: Var) -> bool {
        self.options.differentiable && self.b.dtype(x).is_float()
    }

    pub(super) fn unary(&mut self) -> Option<Var> {
        if self.rng.one_in(12) {
            return self.power();
        }
        let op = self.rng.pick(UnaryOp::ALL)?;
        let mut x = self.var(|ty| op.accepts(ty.dtype))?;
        if self.is_smooth_float(x) {
            x = match unary_shape(op) {
                Shape::Smooth => self.squashed(x, unary_domain(op)),
                Shape::Piecewise => self.separated(x),
                Shape::Discrete => return None,
            };
        }
        Some(self.b.unary(op, x))
    }

    fn power(&mut self) -> Option<Var> {
        let x = self.var(|ty| ty.dtype != DType::Bool)?;
        let float = self.b.dtype(x).is_float();
        let x = self.squashed(x, (0.5, 1.5));
        let exponent = [-2, -1, 0, 1, 2, 3, 5][self.rng.below(7)];
        Some(self.b.integer_pow(x, if float { exponent } else { exponent.abs() }))
    }

    pub(super) fn binary(&mut self) -> Option<Var> {
        let op = self.rng.pick(BinaryOp::ALL)?;
        let x = self.var(|ty| op.accepts(ty.dtype))?;
        let ty = self.ty(x);
        let y = self.like(&ty);
        if !self.is_smooth_float(x) {
            return Some(self.b.binary(op, x, y));
        }
        match binary_shape(op) {
            Shape::Smooth => {
                let [x_domain, y_domain] = binary_domain(op);
                // The angle is smooth off the origin and the negative axis.
                let (x_domain, y_domain) =
                    if op == BinaryOp::Atan2 { (x_domain, (0.5, 2.0)) } else { (x_domain, y_domain) };
                let (x, y) = (self.squashed(x, x_domain), self.squashed(y, y_domain));
                Some(self.b.binary(op, x, y))
            }
            Shape::Piecewise => {
                // Kept apart: y differs from x by more than 0.4 in every element.
                let x = self.separated(x);
                let side = if self.rng.one_in(2) { 1.0 } else { -1.0 };
                let step = self.b.full_like(x, side);
                let y = self.squashed(y, (-0.1, 0.1));
                let shifted = self.b.add(y, step);
                let s = self.b.unary(UnaryOp::Floor, x);
                let y = self.b.add(s, shifted);
                Some(if self.rng.one_in(2) { self.b.binary(op, x, y) } else { self.b.binary(op, y, x) })
            }
            Shape::Discrete => None,
        }
    }

    pub(super) fn compare(&mut self) -> Option<Var> {
        let op = self.rng.pick(CompareOp::ALL)?;
        let x = self.var(|_| true)?;
        let x = self.separated(x);
        let ty = self.ty(x);
        // Beside integers, values kept off the integers have no ties.
        let y = if self.is_smooth_float(x) { self.b.full(&ty, 1.0) } else { self.like(&ty) };
        Some(self.b.compare(op, x, y))
    }

    pub(super) fn select(&mut self) -> Option<Var> {
        if self.rng.one_in(4) {
            let x = self.var(|ty| ty.dtype != DType::Bool)?;
            let ty = self.ty(x);
            let (lo, hi) = (self.b.full(&ty, -1.0), self.b.full(&ty, 1.0));
            let x = self.separated(x);
            return Some(self.b.clamp(lo, x, hi));
        }
        let which = self.var(|ty| ty.dtype == DType::Bool || ty.dtype.is_int())?;
        let shape = self.b.shape(which).to_vec();
        let case = self.var(|ty| ty.shape == shape)?;
        let ty = self.ty(case);
        let n = if self.b.dtype(which) == DType::Bool { 2 } else { self.rng.between(1, 3) };
        let mut operands = vec![which, case];
        operands.extend((1..n).map(|_| self.like(&ty)));
        Some(self.b.emit1(Prim::SelectN, &operands))
    }

    pub(super) fn convert(&mut self) -> Option<Var> {
        if self.options.differentiable {
            // Floats stay f64; steps of a converted float are jumps, kept off by separation.
            let x = self.var(|_| true)?;
            let x = self.separated(x);
            let dtype = if self.b.dtype(x).is_float() || self.rng.one_in(3) { DType::I32 } else { DType::F64 };
            return Some(self.b.convert(x, dtype));
        }
        let x = self.var(|_| true)?;
        if self.rng.one_in(5) {
            return Some(self.b.stop_gradient(x));
        }
        let floats = [DType::F32, DType::F64, DType::F16, DType::BF16];
        let dtype = if self.rng.one_in(2) { self.rng.pick(&floats)? } else { self.rng.pick(&DType::ALL)? };
        Some(self.b.convert(x, dtype))
    }

    /// A tensor made of nothing.
    pub(super) fn source(&mut self) -> Option<Var> {
        let ty = super::random_type(self.rng, self.options, false);
        if ty.rank() > 0 && ty.dtype != DType::Bool && self.rng.one_in(2) {
            let dimension = self.rng.below(ty.rank());
            return Some(self.b.iota(&ty, dimension));
        }
        if self.rng.one_in(3) {
            let value = Scalar::from_f64(ty.dtype, self.rng.uniform(-2.0, 3.0));
            return Some(self.b.full_scalar(&ty.shape, value));
        }
        Some(self.constant(&ty))
    }

    pub(super) fn reduction(&mut self) -> Option<Var> {
        if self.rng.one_in(4) {
            return self.cumulative();
        }
        if self.rng.one_in(5) {
            let op = self.rng.pick(ArgReduceOp::ALL)?;
            let x = self.var(|ty| ty.rank() > 0 && !ty.shape.contains(&0))?;
            let x = self.separated(x);
            let axis = self.rng.below(self.b.shape(x).len());
            let index_dtype = [DType::I32, DType::I64, DType::U8][self.rng.below(3)];
            return Some(self.b.arg_reduce(op, x, axis, index_dtype));
        }
        let op = self.rng.pick(ReduceOp::ALL)?;
        let x = self.var(|ty| op.accepts(ty.dtype))?;
        let rank = self.b.shape(x).len();
        let axes: Vec<usize> = (0..rank).filter(|_| !self.rng.one_in(3)).collect();
        let axes = self.rng.shuffled(axes);
        // The extreme of nothing is infinite.
        if self.options.differentiable && axes.iter().any(|&a| self.b.shape(x)[a] == 0) {
            return None;
        }
        let x = match op {
            ReduceOp::Sum => x,
            ReduceOp::Prod => self.squashed(x, (0.6, 1.4)),
            ReduceOp::Max | ReduceOp::Min | ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => self.separated(x),
        };
        Some(self.b.emit1(Prim::Reduce { op, axes }, &[x]))
    }

    fn cumulative(&mut self) -> Option<Var> {
        let op = self.rng.pick(CumulativeOp::ALL)?;
        let x = self.var(|ty| ty.rank() > 0 && op.accepts(ty.dtype))?;
        let axis = self.rng.below(self.b.shape(x).len());
        let x = match op {
            CumulativeOp::Sum => x,
            CumulativeOp::Prod | CumulativeOp::LogSumExp => self.squashed(x, (-1.2, 1.2)),
            CumulativeOp::Max | CumulativeOp::Min => self.separated(x),
        };
        let reverse = self.rng.one_in(2);
        Some(self.b.cumulative(op, x, axis, reverse))
    }

    pub(super) fn dot(&mut self) -> Option<Var> {
        let lhs = self.var(|ty| ty.dtype != DType::Bool)?;
        let ty = self.ty(lhs);
        let rhs = self.var(|t| t.dtype == ty.dtype)?;
        let (lhs, rhs) = (self.squashed(lhs, (-1.0, 1.0)), self.squashed(rhs, (-1.0, 1.0)));
        let rhs_ty = self.ty(rhs);
        let mut dims = DotDims::default();
        let axes: Vec<usize> = (0..ty.rank()).collect();
        for l in self.rng.shuffled(axes) {
            let free: Vec<usize> = dims.rhs_free(rhs_ty.rank());
            let partner = self.rng.shuffled(free).into_iter().find(|&r| rhs_ty.shape[r] == ty.shape[l]);
            match (partner, self.rng.below(3)) {
                (Some(r), 0) => {
                    dims.lhs_batch.push(l);
                    dims.rhs_batch.push(r);
                }
                (Some(r), 1) => {
                    dims.lhs_contracting.push(l);
                    dims.rhs_contracting.push(r);
                }
                (Some(_) | None, _) => {}
            }
        }
        let prim = Prim::DotGeneral { dims, out_dtype: ty.dtype };
        let result = prim.infer(&[&ty, &rhs_ty]).ok()?;
        (result[0].n_elements() <= MAX_ELEMENTS && result[0].rank() <= 5).then(|| self.b.emit1(prim, &[lhs, rhs]))
    }

    pub(super) fn sorted_or_random(&mut self) -> Option<Vec<Var>> {
        if self.rng.one_in(3) {
            let bits = self.var(|ty| ty.dtype.is_int() || ty.dtype == DType::Bool)?;
            let x = self.b.convert(bits, DType::U32);
            let ty: TensorType = self.ty(x);
            let operands = [self.like(&ty), self.like(&ty), x, self.like(&ty)];
            return Some(self.b.emit(Prim::Threefry2x32, &operands));
        }
        let x = self.var(|ty| ty.rank() > 0)?;
        let shape = self.b.shape(x).to_vec();
        let dimension = self.rng.below(shape.len());
        let key = self.separated(x);
        let mut operands = vec![key];
        while operands.len() < 3 && self.rng.one_in(2) {
            let more = self.var(|ty| ty.shape == shape)?;
            operands.push(more);
        }
        let num_keys = if self.options.differentiable { 1 } else { self.rng.between(1, operands.len()) };
        Some(self.b.sort(&operands, dimension, num_keys))
    }
}
