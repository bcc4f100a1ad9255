//! Random equations of movement and indexing.

use super::{Gen, MAX_ELEMENTS};
use jx_ir::{DType, GatherDims, IndexMode, Prim, Scalar, ScatterDims, ScatterOp, TensorType, Var};

impl Gen<'_> {
    pub(super) fn movement(&mut self) -> Option<Var> {
        let x = self.var(|_| true)?;
        let shape = self.b.shape(x).to_vec();
        let rank = shape.len();
        match self.rng.below(6) {
            0 => {
                let to = self.other_shape(&shape);
                Some(self.b.reshape(x, &to))
            }
            1 => {
                let permutation = self.rng.shuffled((0..rank).collect());
                Some(self.b.emit1(Prim::Transpose { permutation }, &[x]))
            }
            2 => self.broadcast(x, &shape),
            3 => {
                let (mut start, mut limit, mut strides) = (Vec::new(), Vec::new(), Vec::new());
                for &n in &shape {
                    let lo = if self.rng.one_in(2) { 0 } else { self.rng.below(n) };
                    let hi = if self.rng.one_in(2) { n } else { self.rng.between(lo, n) };
                    start.push(lo);
                    limit.push(hi);
                    strides.push([1, 1, 2, 3][self.rng.below(4)]);
                }
                Some(self.b.slice(x, &start, &limit, &strides))
            }
            4 => self.pad(x),
            _ => {
                let dimensions: Vec<usize> = (0..rank).filter(|_| self.rng.one_in(2)).collect();
                Some(self.b.rev(x, &dimensions))
            }
        }
    }

    /// Another shape of as many elements.
    fn other_shape(&mut self, shape: &[usize]) -> Vec<usize> {
        let n: usize = shape.iter().product();
        let mut to = Vec::new();
        let mut rest = n;
        for _ in 0..self.rng.below(3) {
            let divisors: Vec<usize> = (1..=rest).filter(|d| rest.is_multiple_of(*d)).collect();
            let Some(d) = self.rng.pick(&divisors) else { break };
            to.push(d);
            rest /= d;
        }
        if rest != 1 || self.rng.one_in(2) {
            to.push(rest);
        }
        to
    }

    fn broadcast(&mut self, x: Var, shape: &[usize]) -> Option<Var> {
        let mut to = shape.to_vec();
        let mut dims: Vec<usize> = (0..shape.len()).collect();
        for n in &mut to {
            if *n == 1 && self.rng.one_in(2) {
                *n = self.rng.between(0, 3);
            }
        }
        for _ in 0..self.rng.between(0, 2) {
            let at = self.rng.between(0, to.len());
            to.insert(at, self.rng.between(1, 3));
            for d in dims.iter_mut().filter(|d| **d >= at) {
                *d += 1;
            }
        }
        let small = to.iter().product::<usize>() <= MAX_ELEMENTS && to.len() <= 5;
        small.then(|| {
            let prim = Prim::BroadcastInDim { shape: to, broadcast_dimensions: dims };
            self.b.emit1(prim, &[x])
        })
    }

    fn pad(&mut self, x: Var) -> Option<Var> {
        let ty = self.ty(x);
        let value = self.like(&TensorType::scalar(ty.dtype));
        let (mut low, mut high, mut interior) = (Vec::new(), Vec::new(), Vec::new());
        for _ in &ty.shape {
            low.push([0, 0, 1, 2, -1][self.rng.below(5)]);
            high.push([0, 0, 1, 2, -1][self.rng.below(5)]);
            interior.push([0, 0, 1][self.rng.below(3)]);
        }
        let prim = Prim::Pad { low, high, interior };
        let result = self.b.try_emit(prim, &[x, value]).ok()?;
        Some(result[0])
    }

    /// A concatenation.
    pub(super) fn joined(&mut self) -> Option<Var> {
        let x = self.var(|ty| ty.rank() > 0)?;
        let ty = self.ty(x);
        let dimension = self.rng.below(ty.rank());
        let mut operands = vec![x];
        for _ in 0..self.rng.between(1, 2) {
            let mut part = ty.clone();
            part.shape[dimension] = self.rng.between(0, 3);
            operands.push(self.like(&part));
        }
        let operands = self.rng.shuffled(operands);
        let n: usize = operands.iter().map(|&v| self.b.ty(v).n_elements()).sum();
        (n <= MAX_ELEMENTS).then(|| self.b.concatenate(&operands, dimension))
    }

    /// An integer scalar: an element of some integer tensor, or a constant.
    fn start(&mut self) -> Var {
        if let Some(v) = self.var(|ty| ty.dtype.is_int() && ty.rank() == 0) {
            return v;
        }
        let dtype = [DType::I32, DType::I64, DType::U8][self.rng.below(3)];
        let value = self.rng.below(5) as i64 - 1;
        self.b.full_scalar(&[], Scalar::from_i64(dtype, value))
    }

    /// A window read or written at a computed place.
    pub(super) fn dynamic(&mut self) -> Option<Var> {
        let x = self.var(|_| true)?;
        let ty = self.ty(x);
        let sizes: Vec<usize> = ty.shape.iter().map(|&n| self.rng.between(n.min(1), n)).collect();
        let starts: Vec<Var> = ty.shape.iter().map(|_| self.start()).collect();
        if self.rng.one_in(2) {
            return Some(self.b.dynamic_slice(x, &starts, &sizes));
        }
        let update = self.like(&ty.with_shape(sizes));
        Some(self.b.dynamic_update_slice(x, update, &starts))
    }

    /// Indices of that shape: integers from the program, or constants partly out of range.
    fn indices(&mut self, shape: &[usize]) -> Var {
        if self.rng.one_in(3)
            && let Some(v) = self.var(|ty| ty.dtype.is_int() && ty.shape == shape)
        {
            return v;
        }
        let dtype = [DType::I32, DType::I64][self.rng.below(2)];
        let salt = self.rng.bits() % 1000;
        self.b.constant(crate::arrays::generic(&TensorType::new(dtype, shape), -1.0, 5.0, salt))
    }

    /// Random dims of a gather from `ty`, the shape of its indices and its window.
    fn window_dims(&mut self, ty: &TensorType) -> Option<(GatherDims, Vec<usize>, Vec<usize>)> {
        let rank = ty.rank();
        let mut dims = GatherDims::default();
        let mut batch: Vec<usize> = (0..self.rng.below(3)).map(|_| self.rng.between(1, 3)).collect();
        let mut slice_sizes = Vec::new();
        for (axis, &n) in ty.shape.iter().enumerate() {
            match self.rng.below(6) {
                0 => {
                    dims.operand_batching_dims.push(axis);
                    slice_sizes.push(n.min(1));
                }
                1 | 2 => {
                    dims.collapsed_slice_dims.push(axis);
                    slice_sizes.push(1);
                    if self.rng.one_in(4) {
                        continue;
                    }
                    dims.start_index_map.push(axis);
                }
                _ => {
                    slice_sizes.push(self.rng.between(n.min(1), n));
                    if self.rng.one_in(2) {
                        dims.start_index_map.push(axis);
                    }
                }
            }
            if slice_sizes[axis] > n {
                return None;
            }
        }
        dims.start_index_map = self.rng.shuffled(std::mem::take(&mut dims.start_index_map));
        for (i, &axis) in dims.operand_batching_dims.iter().enumerate() {
            let at = self.rng.between(0, batch.len());
            batch.insert(at, ty.shape[axis]);
            for d in dims.start_indices_batching_dims.iter_mut().filter(|d| **d >= at) {
                *d += 1;
            }
            debug_assert_eq!(dims.start_indices_batching_dims.len(), i);
            dims.start_indices_batching_dims.push(at);
        }
        let n_window = rank - dims.collapsed_slice_dims.len() - dims.operand_batching_dims.len();
        let places = self.rng.shuffled((0..n_window + batch.len()).collect());
        dims.offset_dims = places[..n_window].to_vec();
        dims.offset_dims.sort_unstable();
        batch.push(dims.start_index_map.len());
        Some((dims, batch, slice_sizes))
    }

    pub(super) fn gather(&mut self) -> Option<Var> {
        let x = self.var(|_| true)?;
        let ty = self.ty(x);
        let (dims, indices_shape, slice_sizes) = self.window_dims(&ty)?;
        let indices = self.indices(&indices_shape);
        let mode = self.rng.pick(IndexMode::ALL)?;
        // A NaN from the default fill would hide all that follows.
        let filled = self.options.differentiable || self.rng.one_in(2);
        let fill_value = (mode == IndexMode::FillOrDrop && filled).then(|| Scalar::from_f64(ty.dtype, 0.5));
        let prim = Prim::Gather { dims, slice_sizes, mode, fill_value };
        let result = prim.infer(&[&ty, self.b.ty(indices)]).ok()?;
        (result[0].n_elements() <= MAX_ELEMENTS && result[0].rank() <= 5).then(|| self.b.emit1(prim, &[x, indices]))
    }

    pub(super) fn scatter(&mut self) -> Option<Var> {
        let op = self.rng.pick(ScatterOp::ALL)?;
        let x = self.var(|ty| ty.dtype != DType::Bool)?;
        let ty = self.ty(x);
        let (dims, indices_shape, slice_sizes) = self.window_dims(&ty)?;
        let indices = self.indices(&indices_shape);
        let gather = Prim::Gather { dims: dims.clone(), slice_sizes, mode: IndexMode::Clip, fill_value: None };
        let updates_ty = gather.infer(&[&ty, self.b.ty(indices)]).ok()?.remove(0);
        if updates_ty.n_elements() > MAX_ELEMENTS || updates_ty.rank() > 5 {
            return None;
        }
        let updates = self.like(&updates_ty);
        let smooth = self.options.differentiable && ty.dtype.is_float();
        let (x, updates) = match op {
            ScatterOp::Set | ScatterOp::Add => (x, updates),
            ScatterOp::Mul => (self.squashed(x, (-1.5, 1.5)), self.squashed(updates, (-1.3, 1.3))),
            // Half-way between the values that are kept off the integers there can be no tie with them,
            // but updates may still meet each other.
            ScatterOp::Min | ScatterOp::Max if smooth => return None,
            ScatterOp::Min | ScatterOp::Max => (x, updates),
        };
        let dims: ScatterDims = dims.to_scatter();
        let mode = self.rng.pick(IndexMode::ALL)?;
        let prim = Prim::Scatter { op, dims, mode, unique_indices: false };
        Some(self.b.emit1(prim, &[x, indices, updates]))
    }
}
