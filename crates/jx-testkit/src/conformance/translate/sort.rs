//! Sorting, and the greatest few.

use super::{Attempt, Equation, Translator, Val};
use jx_ir::{DType, Prim, TensorType};

impl Translator {
    pub(super) fn sort(&mut self, eqn: &Equation) -> Attempt {
        match eqn.prim {
            "sort" => {
                let (_, xs) = eqn.leading::<0>()?;
                let (dimension, num_keys) = (eqn.params.usize("dimension")?, eqn.params.usize("num_keys")?);
                if num_keys < xs.len() && !eqn.params.bool("is_stable")? {
                    self.notes.unstable_keys = Some(num_keys);
                }
                let sorted = self.b.try_emit(Prim::Sort { dimension, num_keys }, &xs)?;
                Ok(Some(sorted.into_iter().map(Val::from).collect()))
            }
            "top_k" => self.top_k(eqn),
            "approx_top_k" => self.approx_top_k(eqn),
            _ => Ok(None),
        }
    }

    fn top_k(&mut self, eqn: &Equation) -> Attempt {
        let axis = if eqn.params.get("axis").is_some() { eqn.params.i64("axis")? } else { -1 };
        let k = eqn.params.usize("k")?;
        self.extremes(eqn, k, axis, true)
    }

    /// JAX's approximate search, found exactly; it may miss some, so a difference is no fault.
    fn approx_top_k(&mut self, eqn: &Equation) -> Attempt {
        if !eqn.params.bool("aggregate_to_topk")? {
            return Err(eqn.unsupported("more candidates than were asked for"));
        }
        let (k, axis) = (eqn.params.usize("k")?, eqn.params.i64("reduction_dimension")?);
        self.extremes(eqn, k, axis, eqn.params.bool("is_max_k")?)
    }

    /// The greatest `k` along an axis, descending, or the least, ascending, the first among equals first,
    /// and their indices. A stable ascending sort gives the least; that of the reversed axis, reversed,
    /// the greatest: NaN, which sorts last, then comes first.
    fn extremes(&mut self, eqn: &Equation, k: usize, axis: i64, greatest: bool) -> Attempt {
        let [mut x] = eqn.operands()?;
        self.notes.total_order = true;
        let shape = self.b.shape(x).to_vec();
        let axis = usize::try_from(if axis < 0 { axis.saturating_add_unsigned(shape.len() as u64) } else { axis });
        let axis = axis.ok().filter(|&a| a < shape.len()).ok_or_else(|| eqn.unsupported("an axis that is none"))?;
        let iota = Prim::Iota { ty: TensorType::new(DType::I32, shape.clone()), dimension: axis };
        let mut index = self.emit(iota, &[])?;
        let rev = Prim::Rev { dimensions: vec![axis] };
        if greatest {
            (x, index) = (self.emit(rev.clone(), &[x])?, self.emit(rev.clone(), &[index])?);
        }
        let sorted = self.b.try_emit(Prim::Sort { dimension: axis, num_keys: 1 }, &[x, index])?;
        let mut limit = shape.clone();
        limit[axis] = k;
        let mut results = Vec::new();
        for mut sorted in sorted {
            if greatest {
                sorted = self.emit(rev.clone(), &[sorted])?;
            }
            let (start, strides) = (vec![0; shape.len()], vec![1; shape.len()]);
            let head = Prim::Slice { start, limit: limit.clone(), strides };
            results.push(Val::from(self.emit(head, &[sorted])?));
        }
        Ok(Some(results))
    }
}
