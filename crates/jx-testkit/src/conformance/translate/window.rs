//! Reductions of sliding windows and convolutions, composed of slices: one for each place in the window.

use super::{Attempt, Equation, TranslateError, Translator};
use jx_ir::{BinaryOp, CompareOp, DType, DotDims, Prim, ReduceOp, Scalar, Var};

/// The most places that a window may have: each becomes equations.
const MAX_WINDOW: usize = 4096;

/// The windows of a padded and dilated tensor.
struct Windows {
    /// Per axis: padding before and after, and elements put between neighbours.
    low: Vec<i64>,
    high: Vec<i64>,
    interior: Vec<usize>,
    /// Per axis: the window's extent, the distance of its elements, the distance of windows.
    size: Vec<usize>,
    dilation: Vec<usize>,
    strides: Vec<usize>,
}

impl Windows {
    /// The windows of an equation; dilations that it does not have are 1.
    fn of(eqn: &Equation, rank: usize) -> Result<Windows, TranslateError> {
        let p = &eqn.params;
        let dilation = |name| if p.get(name).is_some() { p.usizes(name) } else { Ok(vec![1; rank]) };
        let (low, high) = paddings(eqn)?;
        Ok(Windows {
            low,
            high,
            interior: dilation("base_dilation")?.iter().map(|d| d.saturating_sub(1)).collect(),
            size: p.usizes("window_dimensions")?,
            dilation: dilation("window_dilation")?,
            strides: p.usizes("window_strides")?,
        })
    }

    /// Where the first window has its element of that place, in row-major order.
    fn start(&self, mut place: usize) -> Vec<usize> {
        let mut start = vec![0; self.size.len()];
        for (a, &n) in self.size.iter().enumerate().rev() {
            start[a] = (place % n).saturating_mul(self.dilation[a]);
            place /= n;
        }
        start
    }
}

impl Translator {
    pub(super) fn window(&mut self, eqn: &Equation) -> Attempt {
        let (op, x, init) = match eqn.prim {
            "conv_general_dilated" => return self.convolution(eqn),
            "select_and_gather_add" => return self.select_and_gather(eqn),
            "select_and_scatter_add" => return self.select_and_scatter(eqn),
            "reduce_window" => {
                let [x, init] = eqn.operands()?;
                (self.combiner_of(eqn, "jaxpr")?, x, init)
            }
            "reduce_window_sum" | "reduce_window_max" | "reduce_window_min" => {
                let [x] = eqn.operands()?;
                let (op, reduction) = match eqn.prim {
                    "reduce_window_sum" => (BinaryOp::Add, ReduceOp::Sum),
                    "reduce_window_max" => (BinaryOp::Max, ReduceOp::Max),
                    _ => (BinaryOp::Min, ReduceOp::Min),
                };
                let value = reduction.identity(self.b.dtype(x));
                (op, x, self.emit(Prim::Full { value, shape: Vec::new() }, &[])?)
            }
            _ => return Ok(None),
        };
        let mut total: Option<Var> = None;
        for part in self.places(eqn, x, init, &Windows::of(eqn, self.b.ty(x).rank())?)? {
            total = Some(match total {
                None => part,
                Some(total) => self.emit(Prim::Binary(op), &[total, part])?,
            });
        }
        let Some(total) = total else { return Err(eqn.unsupported("an empty window")) };
        let init = self.broadcast_like(init, total)?;
        self.one(Prim::Binary(op), &[init, total])
    }

    /// For each place in the window, in row-major order, the elements that the windows have there.
    fn places(&mut self, eqn: &Equation, x: Var, fill: Var, w: &Windows) -> Result<Vec<Var>, TranslateError> {
        let rank = self.b.ty(x).rank();
        let lengths = [w.low.len(), w.interior.len(), w.size.len(), w.dilation.len(), w.strides.len()];
        if let Some(&found) = lengths.iter().find(|&&n| n != rank) {
            return Err(eqn.arity("entries of a window's parameters", rank, found));
        }
        let count = w.size.iter().try_fold(1_usize, |n, &d| n.checked_mul(d)).filter(|&n| n <= MAX_WINDOW);
        let count = count.ok_or_else(|| eqn.unsupported("a window of more than 4,096 places"))?;
        if w.strides.contains(&0) || w.dilation.contains(&0) {
            return Err(eqn.unsupported("a stride or dilation of 0"));
        }
        let pad = Prim::Pad { low: w.low.clone(), high: w.high.clone(), interior: w.interior.clone() };
        let padded = self.emit(pad, &[x, fill])?;
        let extents = self.b.shape(padded).to_vec();
        // Overflow is out of the question: a tensor's extents were checked, and the window is small.
        let out: Vec<usize> = (0..rank)
            .map(|a| {
                let span = w.size[a].saturating_sub(1).saturating_mul(w.dilation[a]).saturating_add(1);
                if extents[a] < span { 0 } else { (extents[a] - span) / w.strides[a] + 1 }
            })
            .collect();
        let mut places = Vec::with_capacity(count);
        for place in 0..count {
            let start: Vec<usize> =
                w.start(place).iter().zip(&out).map(|(&s, &n)| if n == 0 { 0 } else { s }).collect();
            let limit =
                (0..rank).map(|a| if out[a] == 0 { 0 } else { start[a] + (out[a] - 1) * w.strides[a] + 1 }).collect();
            places.push(self.emit(Prim::Slice { start, limit, strides: w.strides.clone() }, &[padded])?);
        }
        Ok(places)
    }

    /// The op by which a window's element is selected, and what loses against every element.
    fn selector(&mut self, eqn: &Equation, operand: Var) -> Result<(CompareOp, Var), TranslateError> {
        let dtype = self.b.dtype(operand);
        let (op, value) = match eqn.params.get("select_prim").and_then(|v| v.get("prim")).and_then(|v| v.as_str()) {
            Some("ge") => (CompareOp::Ge, Scalar::min_value(dtype)),
            Some("le") => (CompareOp::Le, Scalar::max_value(dtype)),
            _ => return Err(eqn.unsupported("a selection other than by ge and le")),
        };
        Ok((op, self.emit(Prim::Full { value, shape: Vec::new() }, &[])?))
    }

    /// For each window of the second operand, the first one's element where the second one's is selected.
    fn select_and_gather(&mut self, eqn: &Equation) -> Attempt {
        let [tangents, operand] = eqn.operands()?;
        let windows = Windows::of(eqn, self.b.ty(operand).rank())?;
        let (op, loser) = self.selector(eqn, operand)?;
        let zero = self.emit(Prim::Full { value: Scalar::zero(self.b.dtype(tangents)), shape: Vec::new() }, &[])?;
        let values = self.places(eqn, operand, loser, &windows)?;
        let tangents = self.places(eqn, tangents, zero, &windows)?;
        let mut best: Option<(Var, Var)> = None;
        for (value, tangent) in values.into_iter().zip(tangents) {
            best = Some(match best {
                None => (value, tangent),
                Some((v, t)) => {
                    let stays = self.emit(Prim::Compare(op), &[v, value])?;
                    let pick = |this: &mut Translator, old, new| this.emit(Prim::SelectN, &[stays, new, old]);
                    (pick(self, v, value)?, pick(self, t, tangent)?)
                }
            });
        }
        let (_, tangent) = best.ok_or_else(|| eqn.unsupported("an empty window"))?;
        Ok(Some(vec![tangent.into()]))
    }

    /// For each window of the second operand, the first one's element added where the second one's is selected.
    fn select_and_scatter(&mut self, eqn: &Equation) -> Attempt {
        let [source, operand] = eqn.operands()?;
        let windows = Windows::of(eqn, self.b.ty(operand).rank())?;
        let (op, loser) = self.selector(eqn, operand)?;
        let values = self.places(eqn, operand, loser, &windows)?;
        let operand_shape = self.b.shape(operand).to_vec();
        let zeros = self.full_like(source, Scalar::zero(self.b.dtype(source)))?;
        let zero = self.emit(Prim::Full { value: Scalar::zero(self.b.dtype(source)), shape: Vec::new() }, &[])?;
        // Which place of its window is selected: the first among equals.
        let mut best: Option<(Var, Var)> = None;
        for (place, &value) in values.iter().enumerate() {
            let this = self.full_like(value, Scalar::from_i64(DType::I32, place as i64))?;
            best = Some(match best {
                None => (value, this),
                Some((v, p)) => {
                    let stays = self.emit(Prim::Compare(op), &[v, value])?;
                    (self.emit(Prim::SelectN, &[stays, value, v])?, self.emit(Prim::SelectN, &[stays, this, p])?)
                }
            });
        }
        let (_, selected) = best.ok_or_else(|| eqn.unsupported("an empty window"))?;
        let mut total =
            self.emit(Prim::Full { value: Scalar::zero(self.b.dtype(source)), shape: operand_shape.clone() }, &[])?;
        for place in 0..values.len() {
            let this = self.full_like(selected, Scalar::from_i64(DType::I32, place as i64))?;
            let here = self.emit(Prim::Compare(CompareOp::Eq), &[selected, this])?;
            let part = self.emit(Prim::SelectN, &[here, zeros, source])?;
            // Back to where the elements of this place were: the reverse of padding and slicing.
            let start = windows.start(place);
            let mut pad = (Vec::new(), Vec::new(), Vec::new());
            for (a, &first) in start.iter().enumerate() {
                let (n, stride) = (self.b.shape(part)[a], windows.strides[a]);
                let span = if n == 0 { 0 } else { (n - 1) * stride + 1 };
                let low = (first as i64).saturating_sub(windows.low[a]);
                pad.0.push(low);
                pad.1.push((operand_shape[a] as i64).saturating_sub(low).saturating_sub(span as i64));
                pad.2.push(stride - 1);
            }
            let spread = self.emit(Prim::Pad { low: pad.0, high: pad.1, interior: pad.2 }, &[part, zero])?;
            total = self.emit(Prim::Binary(BinaryOp::Add), &[total, spread])?;
        }
        Ok(Some(vec![total.into()]))
    }

    /// A convolution as one contraction: the patches under the kernel, side by side, with the kernel.
    fn convolution(&mut self, eqn: &Equation) -> Attempt {
        let [mut lhs, mut rhs] = eqn.operands()?;
        let p = &eqn.params;
        let spec = p.fields("dimension_numbers")?;
        let specs = [spec.usizes("lhs_spec")?, spec.usizes("rhs_spec")?, spec.usizes("out_spec")?];
        let rank = self.b.ty(lhs).rank();
        if rank < 2 || specs.iter().any(|s| s.len() != rank) {
            return Err(eqn.arity("axes in dimension_numbers", rank, specs[0].len()));
        }
        let n_spatial = rank - 2;
        let (l, r) = (self.b.dtype(lhs), self.b.dtype(rhs));
        let out_dtype = p.optional_dtype("preferred_element_type")?.or(eqn.out_dtype).unwrap_or(l);
        if l != r {
            (lhs, rhs) = (self.convert(lhs, out_dtype)?, self.convert(rhs, out_dtype)?);
        }
        // Canonical order: (N, C, spatial…) and (O, I, spatial…).
        lhs = self.emit(Prim::Transpose { permutation: specs[0].clone() }, &[lhs])?;
        rhs = self.emit(Prim::Transpose { permutation: specs[1].clone() }, &[rhs])?;
        let (low, high) = paddings(eqn)?;
        let kernel = self.b.shape(rhs)[2..].to_vec();
        let prepend = |mut front: Vec<usize>, rest: Vec<usize>| {
            front.extend(rest);
            front
        };
        let dilation = p.usizes("lhs_dilation")?.iter().map(|d| d.saturating_sub(1)).collect();
        let windows = Windows {
            low: [vec![0, 0], low].concat(),
            high: [vec![0, 0], high].concat(),
            interior: prepend(vec![0, 0], dilation),
            size: prepend(vec![1, 1], kernel),
            dilation: prepend(vec![1, 1], p.usizes("rhs_dilation")?),
            strides: prepend(vec![1, 1], p.usizes("window_strides")?),
        };
        let zero = self.emit(Prim::Full { value: Scalar::zero(self.b.dtype(lhs)), shape: Vec::new() }, &[])?;
        let places = self.places(eqn, lhs, zero, &windows)?;
        let Some(&first) = places.first() else { return Err(eqn.unsupported("an empty kernel")) };
        let [n, c, out @ ..] = &self.b.shape(first).to_vec()[..] else { return Err(eqn.arity("axes", rank, 0)) };
        let (n, c, k) = (*n, *c, places.len());
        // Patches side by side: (N, K, C, out…).
        let mut patches = Vec::new();
        for place in places {
            let shape = [&[n, 1, c], out].concat();
            patches.push(self.emit(Prim::Reshape { shape }, &[place])?);
        }
        let patches = self.emit(Prim::Concatenate { dimension: 1 }, &patches)?;
        // Groups of features or of examples become an axis: (N, K, G, C/G, out…) or (G, N/G, K, C, out…).
        let (features, examples) = (p.usize("feature_group_count")?, p.usize("batch_group_count")?);
        let groups = features.max(examples);
        let (o, i) = (self.b.shape(rhs)[0], self.b.shape(rhs)[1]);
        if features.min(examples) != 1 || [c % features, n % examples, o % groups] != [0; 3] {
            return Err(eqn.unsupported("groups that do not divide the axes"));
        }
        let by_feature = features > 1;
        let shape = if by_feature { vec![n, k, groups, c / groups] } else { vec![groups, n / groups, k, c] };
        let patches = self.emit(Prim::Reshape { shape: [&shape[..], out].concat() }, &[patches])?;
        let kernel = self.emit(Prim::Reshape { shape: vec![groups, o / groups, i, k] }, &[rhs])?;
        let (lhs_batch, lhs_contracting) = if by_feature { (vec![2], vec![1, 3]) } else { (vec![0], vec![2, 3]) };
        let dims = DotDims { lhs_contracting, rhs_contracting: vec![3, 2], lhs_batch, rhs_batch: vec![0] };
        let product = self.emit(Prim::DotGeneral { dims, out_dtype }, &[patches, kernel])?;
        // (G, N', out…, O/G) to (N', G, O/G, out…) to (N', O, out…) to the order asked for.
        let mut permutation = vec![1, 0, 2 + n_spatial];
        permutation.extend(2..2 + n_spatial);
        let product = self.emit(Prim::Transpose { permutation }, &[product])?;
        let n = self.b.shape(product)[0];
        let product = self.emit(Prim::Reshape { shape: [&[n, o], out].concat() }, &[product])?;
        let place = |axis: usize| specs[2].iter().position(|&s| s == axis).unwrap_or(rank);
        self.one(Prim::Transpose { permutation: (0..rank).map(place).collect() }, &[product])
    }
}

/// The padding before and after, per axis.
fn paddings(eqn: &Equation) -> Result<(Vec<i64>, Vec<i64>), TranslateError> {
    let mut sides = (Vec::new(), Vec::new());
    for pair in eqn.params.i64_lists("padding")? {
        let &[low, high] = &pair[..] else { return Err(eqn.arity("numbers for an axis", 2, pair.len())) };
        sides.0.push(low);
        sides.1.push(high);
    }
    Ok(sides)
}
