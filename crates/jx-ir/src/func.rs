//! `Func`: a closed program in single static assignment form, and its equations.

use crate::{Origin, Prim, TensorType};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A variable of one [`Func`], numbered in order of definition: inputs first, then results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Var(pub u32);

impl Var {
    /// Its number.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

/// One equation: `outputs = prim(inputs)`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Eqn {
    /// What is done.
    pub prim: Prim,
    /// Its operands.
    pub inputs: Vec<Var>,
    /// The variables that it defines, consecutive.
    pub outputs: Vec<Var>,
    /// Where the user wrote it; takes no part in equality.
    pub origin: Origin,
}

/// A closed program: inputs, equations in order, outputs. It refers to nothing outside itself.
///
/// Every variable has a static type. Variables are numbered densely in order of definition, so equal
/// programs have equal text. Equality is structural and ignores source places.
///
/// Every `Func` is well formed: a [`Builder`](crate::Builder) types each equation, the parser uses it,
/// and deserialising ends with [`verify`](crate::verify).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Func {
    pub(crate) name: Option<Arc<str>>,
    pub(crate) n_inputs: usize,
    pub(crate) types: Vec<TensorType>,
    pub(crate) eqns: Vec<Eqn>,
    pub(crate) outputs: Vec<Var>,
}

impl Func {
    /// The name that the user gave the function, if any.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The same program under another name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<Arc<str>>) -> Func {
        self.name = Some(name.into());
        self
    }

    /// How many inputs it takes.
    #[must_use]
    pub fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    /// How many outputs it returns.
    #[must_use]
    pub fn n_outputs(&self) -> usize {
        self.outputs.len()
    }

    /// How many variables it defines, inputs included.
    #[must_use]
    pub fn n_vars(&self) -> usize {
        self.types.len()
    }

    /// Its input variables, in order.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = Var> + use<> {
        (0..self.n_inputs as u32).map(Var)
    }

    /// The types of its inputs.
    #[must_use]
    pub fn input_types(&self) -> &[TensorType] {
        &self.types[..self.n_inputs]
    }

    /// Its equations, each after those that it reads.
    #[must_use]
    pub fn eqns(&self) -> &[Eqn] {
        &self.eqns
    }

    /// The variables that it returns.
    #[must_use]
    pub fn outputs(&self) -> &[Var] {
        &self.outputs
    }

    /// The types of its outputs.
    pub fn output_types(&self) -> impl ExactSizeIterator<Item = &TensorType> {
        self.outputs.iter().map(|&v| self.ty(v))
    }

    /// The type of a variable of this program.
    ///
    /// # Panics
    /// If `var` is not one of its variables.
    #[must_use]
    pub fn ty(&self, var: Var) -> &TensorType {
        &self.types[var.index()]
    }

    /// The types of all variables, by number.
    #[must_use]
    pub fn types(&self) -> &[TensorType] {
        &self.types
    }

    /// The number of equations, those of nested programs included.
    #[must_use]
    pub fn n_eqns_deep(&self) -> usize {
        self.eqns.iter().map(|e| 1 + e.prim.nested().map_or(0, |f| f.n_eqns_deep())).sum()
    }
}

impl Func {
    /// For each output, whether it depends on an input for which `mapped` holds.
    #[must_use]
    pub fn depends_on(&self, mapped: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut depends = vec![false; self.n_vars()];
        for (i, d) in depends.iter_mut().take(self.n_inputs).enumerate() {
            *d = mapped(i);
        }
        for eqn in &self.eqns {
            if !eqn.inputs.iter().any(|v| depends[v.index()]) {
                continue;
            }
            // A call's and a map's operands are their nested program's inputs, one for one, so the
            // question goes through; for the other nodes every result counts as dependent.
            let through = if let Prim::Call { func } | Prim::Vmap { func, .. } = &eqn.prim {
                // By `dyn`, or each level would instantiate the next without end.
                let mapped: &dyn Fn(usize) -> bool = &|i| depends[eqn.inputs[i].index()];
                Some(func.depends_on(mapped))
            } else {
                let differentiates = matches!(eqn.prim, Prim::Grad { .. } | Prim::Jvp { .. });
                debug_assert!(eqn.prim.nested().is_none() || differentiates);
                None
            };
            for (i, out) in eqn.outputs.iter().enumerate() {
                depends[out.index()] = through.as_ref().is_none_or(|t| t[i]);
            }
        }
        self.outputs.iter().map(|v| depends[v.index()]).collect()
    }
}
