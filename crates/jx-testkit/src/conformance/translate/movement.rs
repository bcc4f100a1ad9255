//! Movement of elements: shapes, order, slices, padding.
//!
//! Random keys move too: their two words ride along on the last axis.

use super::{Attempt, Equation, Translator, Val};
use jx_ir::{Prim, TensorType};

impl Translator {
    pub(super) fn movement(&mut self, eqn: &Equation) -> Attempt {
        let p = &eqn.params;
        let key = eqn.inputs.first().is_some_and(|v| v.key);
        let prim = match eqn.prim {
            "reshape" => {
                if p.get("dimensions").is_some() {
                    return Err(eqn.unsupported("a permutation of the axes"));
                }
                Prim::Reshape { shape: with_words(p.usizes("new_sizes")?, key) }
            }
            "squeeze" | "expand_dims" => {
                let [x] = eqn.operands()?;
                let dims = p.usizes("dimensions")?;
                let shape = self.b.shape(x).to_vec();
                let shape = if eqn.prim == "squeeze" {
                    shape.iter().enumerate().filter(|(a, _)| !dims.contains(a)).map(|(_, &n)| n).collect()
                } else {
                    let mut rest = shape.iter();
                    let rank = shape.len() + dims.len();
                    (0..rank).filter_map(|a| if dims.contains(&a) { Some(1) } else { rest.next().copied() }).collect()
                };
                Prim::Reshape { shape }
            }
            "transpose" => {
                let mut permutation = p.usizes("permutation")?;
                if key {
                    permutation.push(permutation.len());
                }
                Prim::Transpose { permutation }
            }
            "broadcast_in_dim" => {
                let shape = with_words(p.usizes("shape")?, key);
                let mut broadcast_dimensions = p.usizes("broadcast_dimensions")?;
                if key {
                    broadcast_dimensions.push(shape.len() - 1);
                }
                Prim::BroadcastInDim { shape, broadcast_dimensions }
            }
            "slice" => {
                let mut start = p.usizes("start_indices")?;
                let limit = with_words(p.usizes("limit_indices")?, key);
                let mut strides = match p.get("strides") {
                    Some(_) => p.usizes("strides")?,
                    None => vec![1; start.len()],
                };
                if key {
                    start.push(0);
                    strides.push(1);
                }
                Prim::Slice { start, limit, strides }
            }
            "pad" if !key => {
                let (mut low, mut high, mut interior) = (Vec::new(), Vec::new(), Vec::new());
                for triple in p.i64_lists("padding_config")? {
                    let &[lo, hi, inner] = &triple[..] else {
                        return Err(eqn.arity("numbers for an axis", 3, triple.len()));
                    };
                    low.push(lo);
                    high.push(hi);
                    interior.push(usize::try_from(inner).map_err(|_| eqn.unsupported("interior padding below 0"))?);
                }
                Prim::Pad { low, high, interior }
            }
            "concatenate" => Prim::Concatenate { dimension: p.usize("dimension")? },
            "rev" => Prim::Rev { dimensions: p.usizes("dimensions")? },
            "iota" => {
                let ty = TensorType::new(p.dtype("dtype")?, p.usizes("shape")?);
                Prim::Iota { ty, dimension: p.usize("dimension")? }
            }
            "split" => return self.split(eqn),
            "copy" | "copy_p" | "device_put" | "optimization_barrier" | "sharding_constraint" => {
                return Ok(Some(eqn.inputs.to_vec()));
            }
            _ => return Ok(None),
        };
        let inputs: Vec<_> = eqn.inputs.iter().map(|v| v.var).collect();
        let var = self.emit(prim, &inputs)?;
        Ok(Some(vec![Val { var, key }]))
    }

    fn split(&mut self, eqn: &Equation) -> Attempt {
        let [x] = eqn.operands()?;
        let (sizes, axis) = (eqn.params.usizes("sizes")?, eqn.params.usize("axis")?);
        let shape = self.b.shape(x).to_vec();
        let mut parts = Vec::new();
        let mut at = 0_usize;
        for size in sizes {
            let (mut start, mut limit) = (vec![0; shape.len()], shape.clone());
            if let (Some(lo), Some(hi)) = (start.get_mut(axis), limit.get_mut(axis)) {
                *lo = at;
                at = at.saturating_add(size);
                *hi = at;
            }
            let part = self.emit(Prim::Slice { start, limit, strides: vec![1; shape.len()] }, &[x])?;
            parts.push(Val { var: part, key: eqn.inputs[0].key });
        }
        Ok(Some(parts))
    }
}

/// The shape of a key's words.
fn with_words(mut shape: Vec<usize>, key: bool) -> Vec<usize> {
    if key {
        shape.push(2);
    }
    shape
}
