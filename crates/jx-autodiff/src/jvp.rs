//! Forward mode: a program run together with its tangents.
//!
//! Primal and tangent equations go into one program. A tangent is an `Option<Var>`: `None` is a zero
//! that nothing has to compute, made a tensor only where a result needs one.

use crate::error::require_wrt;
use crate::prune::prune;
use crate::{AutodiffError, rules};
use jx_ir::{BinaryOp, Builder, Eqn, Func, Prim, UnaryOp, Var};

/// The program of values and directional derivatives: inputs are `func`'s, then a tangent for each
/// input of `wrt`; outputs are `func`'s, then a tangent for each float output.
///
/// # Errors
/// If `wrt` names an input that is not float, or if the program holds a transformation node or an op
/// without derivative.
///
/// ```
/// use jx_ir::{Builder, DType, TensorType};
/// let mut b = Builder::new();
/// let x = b.input(TensorType::scalar(DType::F32));
/// let y = b.sin(x);
/// let tangents = jx_autodiff::jvp(&b.finish(&[y]), &[0])?;
/// assert_eq!((tangents.n_inputs(), tangents.n_outputs()), (2, 2));
/// # Ok::<(), jx_autodiff::AutodiffError>(())
/// ```
pub fn jvp(func: &Func, wrt: &[usize]) -> Result<Func, AutodiffError> {
    require_wrt("jvp", func, wrt)?;
    jvp_of_outputs(func, wrt, &float_outputs(func))
}

/// Which outputs are float, and so have tangents.
pub(crate) fn float_outputs(func: &Func) -> Vec<usize> {
    func.output_types().enumerate().filter(|(_, ty)| ty.dtype.is_float()).map(|(i, _)| i).collect()
}

/// As [`jvp`], but with tangents of the outputs numbered in `of` only.
pub(crate) fn jvp_of_outputs(func: &Func, wrt: &[usize], of: &[usize]) -> Result<Func, AutodiffError> {
    let moving = wrt.iter().map(|&i| &func.input_types()[i]);
    let (mut b, args) = Builder::with_inputs(func.input_types().iter().chain(moving));
    let (x, dx) = args.split_at(func.n_inputs());
    let mut tangents = vec![None; x.len()];
    for (&i, &t) in wrt.iter().zip(dx) {
        tangents[i] = Some(t);
    }
    let (mut outputs, dy) = jvp_into(&mut b, func, x, &tangents)?;
    for &i in of {
        let t = rules::instantiate(&mut b, dy[i], outputs[i]);
        outputs.push(t);
    }
    Ok(prune(&b.finish(&outputs)))
}

type Dual = (Vec<Var>, Vec<Option<Var>>);

/// The values and tangents of `func`'s outputs, its equations emitted into `b`.
fn jvp_into(b: &mut Builder, func: &Func, x: &[Var], dx: &[Option<Var>]) -> Result<Dual, AutodiffError> {
    let mut env = Env::new(func, x, dx);
    for (eqn_idx, eqn) in func.eqns().iter().enumerate() {
        let outer = b.set_origin(eqn.origin.clone());
        let (x, dx) = env.read(&eqn.inputs);
        let prim = &eqn.prim;
        let dual = if let Prim::Call { func: inner } = prim {
            jvp_into(b, inner, &x, &dx)
        } else if dx.iter().all(Option::is_none) && prim.nested().is_none() {
            Ok((b.emit(prim.clone(), &x), vec![None; eqn.outputs.len()]))
        } else if let Some(inside) = env.below_abs(eqn) {
            // The value is that of the operand as written, which the primal needs anyway.
            let y = b.emit(prim.clone(), &x);
            let (w, dw) = env.read(&vec![inside; x.len()]);
            rules::tangents(b, prim, &w, &dw, &y).map(|dy| (y, dy))
        } else {
            rules::jvp(b, prim, &x, &dx)
        };
        b.set_origin(outer);
        let (y, dy) = dual?;
        env.define(eqn_idx, eqn, y, dy);
    }
    Ok(env.read(func.outputs()))
}

/// What each variable of the program being differentiated became.
struct Env<'a> {
    func: &'a Func,
    value: Vec<Var>,
    tangent: Vec<Option<Var>>,
    /// The equation that defines each variable.
    eqn_idx: Vec<Option<usize>>,
}

impl<'a> Env<'a> {
    fn new(func: &'a Func, x: &[Var], dx: &[Option<Var>]) -> Env<'a> {
        Env { func, value: x.to_vec(), tangent: dx.to_vec(), eqn_idx: vec![None; x.len()] }
    }

    fn read(&self, vars: &[Var]) -> Dual {
        (vars.iter().map(|v| self.value[v.index()]).collect(), vars.iter().map(|v| self.tangent[v.index()]).collect())
    }

    fn define(&mut self, eqn_idx: usize, eqn: &Eqn, y: Vec<Var>, dy: Vec<Option<Var>>) {
        assert_eq!((y.len(), dy.len()), (eqn.outputs.len(), eqn.outputs.len()), "a rule gives each result once");
        self.eqn_idx.extend(y.iter().map(|_| Some(eqn_idx)));
        self.value.extend(y);
        self.tangent.extend(dy);
    }

    /// `w` if the equation is an even function of `|w|`, and so one of `w`. Differentiated through the
    /// kink of `|w|`, with derivative 0 there, `|w|²` would have second derivative 0 at 0 and not 2.
    fn below_abs(&self, eqn: &Eqn) -> Option<Var> {
        let &[x, ref rest @ ..] = &eqn.inputs[..] else { return None };
        let even = match eqn.prim {
            Prim::Unary(op) => matches!(op, UnaryOp::Square | UnaryOp::Abs | UnaryOp::Cos | UnaryOp::Cosh),
            Prim::IntegerPow { exponent } => exponent % 2 == 0,
            Prim::Binary(op) => op == BinaryOp::Mul,
            Prim::Compare(_)
            | Prim::SelectN
            | Prim::Clamp
            | Prim::Convert { .. }
            | Prim::StopGradient
            | Prim::Full { .. }
            | Prim::Constant(_)
            | Prim::Iota { .. }
            | Prim::Reshape { .. }
            | Prim::Transpose { .. }
            | Prim::BroadcastInDim { .. }
            | Prim::Slice { .. }
            | Prim::Pad { .. }
            | Prim::Concatenate { .. }
            | Prim::Rev { .. }
            | Prim::DynamicSlice { .. }
            | Prim::DynamicUpdateSlice
            | Prim::Gather { .. }
            | Prim::Scatter { .. }
            | Prim::Reduce { .. }
            | Prim::ArgReduce { .. }
            | Prim::Cumulative { .. }
            | Prim::DotGeneral { .. }
            | Prim::Sort { .. }
            | Prim::Threefry2x32
            | Prim::Call { .. }
            | Prim::Vmap { .. }
            | Prim::Grad { .. }
            | Prim::Jvp { .. } => false,
        };
        let source = &self.func.eqns()[self.eqn_idx[x.index()]?];
        (even && rest.iter().all(|&v| v == x) && source.prim == Prim::Unary(UnaryOp::Abs)).then(|| source.inputs[0])
    }
}
