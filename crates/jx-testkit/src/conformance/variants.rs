//! A variant of a case as a program: the transformation that it asks for, as a node around the base program.

use jx_ir::{Builder, Func, Prim, TypeError, Var};
use serde::Deserialize;
use std::fmt;
use std::sync::Arc;

/// Which transformation of the base program a check is of.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
    /// The program itself.
    Base,
    /// All inputs and outputs batched on axis 0.
    Vmap {
        /// How many examples.
        axis_size: usize,
    },
    /// Some inputs batched, all outputs batched on axis 0.
    VmapMixed {
        /// How many examples.
        axis_size: usize,
        /// For each input its batch axis; without it, only the first input is batched.
        #[serde(default)]
        in_axes: Option<Vec<Option<usize>>>,
    },
    /// All inputs and outputs batched on two leading axes.
    Vmap2 {
        /// How many examples of the outer and of the inner map.
        axis_sizes: (usize, usize),
    },
    /// Outputs and their tangents.
    Jvp {
        /// The inputs that move.
        tangent_of: Vec<usize>,
        /// The outputs whose tangents are wanted.
        out_tangent_of: Vec<usize>,
    },
    /// The cotangent of one input.
    Grad {
        /// Which input.
        wrt: usize,
        /// The outputs that have a cotangent.
        cotangent_of: Vec<usize>,
    },
    /// The cotangent of one input, for a batch.
    VmapGrad {
        /// How many examples.
        axis_size: usize,
        /// Which input.
        wrt: usize,
        /// The outputs that have a cotangent.
        cotangent_of: Vec<usize>,
    },
    /// The cotangent of one input, and its tangent along a tangent of that input.
    Hvp {
        /// Which input.
        wrt: usize,
        /// The outputs that have a cotangent.
        cotangent_of: Vec<usize>,
    },
}

impl Kind {
    /// Its name in the files.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Base => "base",
            Kind::Vmap { .. } => "vmap",
            Kind::VmapMixed { .. } => "vmap_mixed",
            Kind::Vmap2 { .. } => "vmap2",
            Kind::Jvp { .. } => "jvp",
            Kind::Grad { .. } => "grad",
            Kind::VmapGrad { .. } => "vmap_grad",
            Kind::Hvp { .. } => "hvp",
        }
    }

    /// Whether it holds a derivative.
    #[must_use]
    pub fn differentiates(&self) -> bool {
        match self {
            Kind::Base | Kind::Vmap { .. } | Kind::VmapMixed { .. } | Kind::Vmap2 { .. } => false,
            Kind::Jvp { .. } | Kind::Grad { .. } | Kind::VmapGrad { .. } | Kind::Hvp { .. } => true,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a variant's parameters do not fit its base program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VariantError {
    /// An output's number that the program does not have, or one that is not float.
    #[error("{kind}: output {index} of the program is not a float")]
    NoOutput {
        /// The variant.
        kind: &'static str,
        /// The number as given.
        index: usize,
    },
    /// Parameters that the transformation refuses.
    #[error("{kind}: {source}")]
    Type {
        /// The variant.
        kind: &'static str,
        /// Why.
        source: TypeError,
    },
}

/// The program of a variant: its inputs and outputs are those of the files.
///
/// # Errors
/// If the variant's parameters do not fit the program.
pub fn variant_func(base: &Func, kind: &Kind) -> Result<Func, VariantError> {
    let typed =
        |result: Result<Func, TypeError>| result.map_err(|source| VariantError::Type { kind: kind.name(), source });
    match kind {
        Kind::Base => Ok(base.clone()),
        Kind::Vmap { axis_size } => typed(mapped(base, &vec![Some(0); base.n_inputs()], *axis_size)),
        Kind::VmapMixed { axis_size, in_axes } => {
            let first_only = (0..base.n_inputs()).map(|i| (i == 0).then_some(0)).collect();
            typed(mapped(base, &in_axes.clone().unwrap_or(first_only), *axis_size))
        }
        Kind::Vmap2 { axis_sizes: (outer, inner) } => {
            let all = vec![Some(0); base.n_inputs()];
            typed(mapped(base, &all, *inner).and_then(|f| mapped(&f, &all, *outer)))
        }
        Kind::Jvp { tangent_of, out_tangent_of } => moved(base, tangent_of, out_tangent_of, kind.name()),
        Kind::Grad { wrt, cotangent_of } => cotangent(base, *wrt, cotangent_of, kind.name()),
        Kind::VmapGrad { axis_size, wrt, cotangent_of } => {
            let grad = cotangent(base, *wrt, cotangent_of, kind.name())?;
            typed(mapped(&grad, &vec![Some(0); grad.n_inputs()], *axis_size))
        }
        Kind::Hvp { wrt, cotangent_of } => {
            let grad = cotangent(base, *wrt, cotangent_of, kind.name())?;
            moved(&grad, &[*wrt], &[0], kind.name())
        }
    }
}

/// The map of a program, every output batched on axis 0.
fn mapped(func: &Func, in_axes: &[Option<usize>], size: usize) -> Result<Func, TypeError> {
    let mut b = Builder::new();
    let mut args = Vec::new();
    for (i, ty) in func.input_types().iter().enumerate() {
        let mut ty = ty.clone();
        if let Some(&Some(axis)) = in_axes.get(i) {
            ty.shape.insert(axis.min(ty.rank()), size);
        }
        args.push(b.input(ty));
    }
    let out_axes = vec![Some(0); func.n_outputs()];
    let prim = Prim::Vmap { func: Arc::new(func.clone()), in_axes: in_axes.to_vec(), out_axes, size };
    let outputs = b.try_emit(prim, &args)?;
    Ok(b.finish(&outputs))
}

/// A program's outputs and the tangents of some of them.
fn moved(func: &Func, wrt: &[usize], wanted: &[usize], kind: &'static str) -> Result<Func, VariantError> {
    let (mut b, mut args) = Builder::with_inputs(func.input_types());
    let tangents: Vec<Var> =
        wrt.iter().filter_map(|&i| func.input_types().get(i)).map(|ty| b.input(ty.clone())).collect();
    args.extend(tangents);
    let prim = Prim::Jvp { func: Arc::new(func.clone()), wrt: wrt.to_vec() };
    let results = b.try_emit(prim, &args).map_err(|source| VariantError::Type { kind, source })?;
    let mut tangents = results[func.n_outputs()..].iter();
    let of_output: Vec<Option<Var>> =
        func.output_types().map(|ty| if ty.dtype.is_float() { tangents.next().copied() } else { None }).collect();
    let mut outputs = results[..func.n_outputs()].to_vec();
    for &index in wanted {
        outputs.push(of_output.get(index).copied().flatten().ok_or(VariantError::NoOutput { kind, index })?);
    }
    Ok(b.finish(&outputs))
}

/// The cotangent of input `wrt`: the gradient of `Σ ⟨outᵢ, ctᵢ⟩`, whose derivative by `outᵢ` is `ctᵢ`.
fn cotangent(func: &Func, wrt: usize, cotangent_of: &[usize], kind: &'static str) -> Result<Func, VariantError> {
    let outputs: Vec<Var> = func.outputs().to_vec();
    let mut ct_types = Vec::new();
    for &index in cotangent_of {
        match outputs.get(index).map(|&v| func.ty(v)) {
            Some(ty) if ty.dtype.is_float() => ct_types.push(ty.clone()),
            Some(_) | None => return Err(VariantError::NoOutput { kind, index }),
        }
    }
    let inner = {
        let (mut b, args) = Builder::with_inputs(func.input_types().iter().chain(&ct_types));
        let (primal, cts) = args.split_at(func.n_inputs());
        let results = b.inline(func, primal);
        let mut total: Option<Var> = None;
        for (&index, &ct) in cotangent_of.iter().zip(cts) {
            let product = b.mul(results[index], ct);
            let axes: Vec<usize> = (0..b.ty(product).rank()).collect();
            let mut sum = b.reduce_sum(product, &axes);
            if let Some(total) = total {
                let dtype = b.dtype(total);
                if b.dtype(sum) != dtype {
                    sum = b.emit1(Prim::Convert { dtype }, &[sum]);
                }
                sum = b.add(total, sum);
            }
            total = Some(sum);
        }
        let total = total.ok_or(VariantError::NoOutput { kind, index: 0 })?;
        b.finish(&[total])
    };
    let (mut b, args) = Builder::with_inputs(inner.input_types());
    let prim = Prim::Grad { func: Arc::new(inner), wrt: vec![wrt], value: false };
    let results = b.try_emit(prim, &args).map_err(|source| VariantError::Type { kind, source })?;
    Ok(b.finish(&results))
}
