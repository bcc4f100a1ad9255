//! Partial evaluation: forward mode split into what does not depend on tangents and the linear rest.

use crate::AutodiffError;
use crate::error::require_wrt;
use crate::jvp::{float_outputs, jvp_of_outputs};
use crate::prune::{checked, copy, look_up, prune};
use jx_ir::{Builder, Func, Prim, Var};

/// A program and its derivative at the point where it is run, as a linear program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linearized {
    /// From the inputs to the outputs, then the residuals.
    pub primal: Func,
    /// From the residuals, then a tangent for each input of `wrt`, to a tangent for each float output.
    pub linear: Func,
    /// How many residuals there are.
    pub n_residuals: usize,
}

/// The program together with its linear part, which holds what the values leave of the tangents.
///
/// Residuals are distinct values that the linear part reads; literals and broadcasts are made anew there.
///
/// # Errors
/// As [`jvp`](crate::jvp).
pub fn linearize(func: &Func, wrt: &[usize]) -> Result<Linearized, AutodiffError> {
    require_wrt("linearize", func, wrt)?;
    linearize_outputs(func, wrt, &float_outputs(func))
}

/// As [`linearize`], but with tangents of the outputs numbered in `of` only.
pub(crate) fn linearize_outputs(func: &Func, wrt: &[usize], of: &[usize]) -> Result<Linearized, AutodiffError> {
    let both = jvp_of_outputs(func, wrt, of)?;
    Ok(partition(&both, func.n_inputs(), func.n_outputs()))
}

/// For each variable, whether it depends on an input from `n_known` on.
pub(crate) fn depends_on_linear(func: &Func, n_known: usize) -> Vec<bool> {
    let mut linear = vec![false; func.n_vars()];
    for v in func.inputs().skip(n_known) {
        linear[v.index()] = true;
    }
    for eqn in func.eqns() {
        if eqn.inputs.iter().any(|v| linear[v.index()]) {
            for v in &eqn.outputs {
                linear[v.index()] = true;
            }
        }
    }
    linear
}

/// Which known values the linear part reads, and which of them it makes itself.
struct Residuals<'a> {
    func: &'a Func,
    linear: &'a [bool],
    eqn_idx: Vec<Option<usize>>,
    seen: Vec<bool>,
    remade: Vec<bool>,
    residuals: Vec<Var>,
}

impl Residuals<'_> {
    /// Sees to it that the linear part has `var`.
    fn need(&mut self, var: Var) {
        let i = var.index();
        if self.linear[i] || std::mem::replace(&mut self.seen[i], true) {
            return;
        }
        let eqn = self.eqn_idx[i].map(|e| &self.func.eqns()[e]);
        match eqn.map(|e| (&e.prim, &e.inputs[..])) {
            Some((Prim::Full { .. } | Prim::Constant(_) | Prim::Iota { .. }, _)) => self.remade[i] = true,
            Some((Prim::BroadcastInDim { .. }, &[operand])) => {
                self.remade[i] = true;
                self.need(operand);
            }
            Some(_) | None => self.residuals.push(var),
        }
    }
}

/// A program of values and tangents, split by dependence on its inputs from `n_primal` on.
fn partition(both: &Func, n_primal: usize, n_outputs: usize) -> Linearized {
    let linear = depends_on_linear(both, n_primal);
    let mut eqn_idx = vec![None; both.n_vars()];
    for (i, eqn) in both.eqns().iter().enumerate() {
        for v in &eqn.outputs {
            eqn_idx[v.index()] = Some(i);
        }
    }
    let flags = vec![false; both.n_vars()];
    let mut needs =
        Residuals { func: both, linear: &linear, eqn_idx, seen: flags.clone(), remade: flags, residuals: Vec::new() };
    let (outputs, tangents) = both.outputs().split_at(n_outputs);
    let linear_eqns = both.eqns().iter().filter(|e| linear[e.outputs[0].index()]);
    for &v in linear_eqns.flat_map(|e| &e.inputs).chain(tangents) {
        needs.need(v);
    }
    let Residuals { remade, residuals, .. } = needs;

    let (mut b, args) = Builder::with_inputs(&both.input_types()[..n_primal]);
    let mut map: Vec<Option<Var>> = args.into_iter().map(Some).collect();
    map.resize(both.n_vars(), None);
    for eqn in both.eqns().iter().filter(|e| !linear[e.outputs[0].index()]) {
        copy(&mut b, eqn, &mut map);
    }
    let primal = prune(&b.finish(&look_up(&map, &[outputs, &residuals].concat())));

    let residual_types = residuals.iter().map(|&v| both.ty(v));
    let (mut b, args) = Builder::with_inputs(residual_types.chain(&both.input_types()[n_primal..]));
    let mut map = vec![None; both.n_vars()];
    for (v, arg) in residuals.iter().copied().chain(both.inputs().skip(n_primal)).zip(args) {
        map[v.index()] = Some(arg);
    }
    for eqn in both.eqns() {
        let out = eqn.outputs[0].index();
        if linear[out] || remade[out] {
            copy(&mut b, eqn, &mut map);
        }
    }
    let linear = checked(b.finish(&look_up(&map, tangents)));
    Linearized { primal, linear, n_residuals: residuals.len() }
}
