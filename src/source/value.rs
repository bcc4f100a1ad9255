//! What expressions evaluate to while a program is traced: tensors, and what is known without running.

use super::ast::{Definition, Number, Pattern};
use super::builtins::Builtin;
use crate::{DType, MapAxes, Tensor};
use jx_ir::Loc;
use std::sync::Arc;

/// A value during tracing.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Tensor(Tensor),
    /// A number without a dtype yet.
    Number(Number),
    Bool(bool),
    None,
    Text(String),
    DType(DType),
    List(Vec<Value>),
    Tuple(Vec<Value>),
    Function(Arc<Function>),
}

impl Value {
    /// What it is, in words, for messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Value::Tensor(t) => format!("a tensor {}", t.ty()),
            Value::Number(n) => format!("the number {n}"),
            Value::Bool(b) => b.to_string(),
            Value::None => "None".to_owned(),
            Value::Text(text) => format!("the text {text:?}"),
            Value::DType(dtype) => format!("the dtype {dtype}"),
            Value::List(items) => format!("a list of {}", items.len()),
            Value::Tuple(parts) => format!("a tuple of {}", parts.len()),
            Value::Function(f) => format!("the function `{}`", f.name()),
        }
    }

    /// Whether it is known without running anything.
    pub(super) fn is_static(&self) -> bool {
        match self {
            Value::Tensor(_) => false,
            Value::Number(_) | Value::Bool(_) | Value::None | Value::Text(_) | Value::DType(_) => true,
            Value::List(parts) | Value::Tuple(parts) => parts.iter().all(Value::is_static),
            Value::Function(f) => f.is_static(),
        }
    }
}

/// The variables in scope: a list that grows by sharing.
#[derive(Clone, Debug, Default)]
pub(super) struct Env(Option<Arc<Binding>>);

#[derive(Debug)]
struct Binding {
    name: String,
    value: Value,
    outer: Env,
}

impl Env {
    pub(super) fn with(&self, name: &str, value: Value) -> Env {
        Env(Some(Arc::new(Binding { name: name.to_owned(), value, outer: self.clone() })))
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.iter().find(|b| b.name == name).map(|b| &b.value)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|b| b.name.as_str())
    }

    fn iter(&self) -> impl Iterator<Item = &Binding> {
        std::iter::successors(self.0.as_deref(), |b| b.outer.0.as_deref())
    }
}

/// A function during tracing.
#[derive(Clone, Debug)]
pub(super) enum Function {
    /// One of the file, or `|x| ..` with the variables around it.
    Defined {
        definition: Arc<Definition>,
        env: Env,
    },
    Builtin(&'static Builtin),
    /// A transformation of a function, and its place.
    Transformed {
        transform: Transform,
        f: Arc<Function>,
        at: Loc,
    },
}

/// What is done to a function.
#[derive(Clone, Debug)]
pub(super) enum Transform {
    Vmap(MapAxes),
    Grad { value: bool, wrt: Wrt, has_aux: bool },
    Jacobian { kind: Jacobian, wrt: Wrt },
    Jit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Jacobian {
    Forward,
    Reverse,
    Hessian,
}

/// What is differentiated: parts of the arguments.
#[derive(Clone, Debug)]
pub(super) struct Wrt {
    /// The number of the parameter, then the path within it.
    pub(super) parts: Vec<(usize, Vec<usize>)>,
    /// Whether they were written as a tuple: the gradient is then one too.
    pub(super) tuple: bool,
}

impl Transform {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Transform::Vmap(_) => "vmap",
            Transform::Grad { value: false, .. } => "grad",
            Transform::Grad { value: true, .. } => "value_and_grad",
            Transform::Jacobian { kind: Jacobian::Forward, .. } => "jacfwd",
            Transform::Jacobian { kind: Jacobian::Reverse, .. } => "jacrev",
            Transform::Jacobian { kind: Jacobian::Hessian, .. } => "hessian",
            Transform::Jit => "jit",
        }
    }
}

impl Function {
    /// The function as a short expression.
    pub(super) fn name(&self) -> String {
        match self {
            Function::Defined { definition, .. } => definition.name().to_owned(),
            Function::Builtin(builtin) => builtin.name.to_owned(),
            Function::Transformed { transform, f, .. } => format!("{}({})", transform.name(), f.name()),
        }
    }

    /// Its parameters; for a built-in function only their names.
    pub(super) fn params(&self) -> ParamsOf<'_> {
        match self {
            Function::Defined { definition, .. } => ParamsOf::Patterns(&definition.params),
            Function::Builtin(builtin) => ParamsOf::Builtin(builtin),
            Function::Transformed { f, .. } => f.params(),
        }
    }

    /// The parameters as they are written.
    pub(super) fn signature(&self) -> String {
        match self.params() {
            ParamsOf::Patterns(patterns) => patterns.iter().map(Pattern::to_string).collect::<Vec<_>>().join(", "),
            ParamsOf::Builtin(builtin) => builtin.signature(),
        }
    }

    fn is_static(&self) -> bool {
        match self {
            Function::Defined { env, .. } => env.iter().all(|b| b.value.is_static()),
            Function::Builtin(_) => true,
            Function::Transformed { f, .. } => f.is_static(),
        }
    }
}

/// The parameters of a function.
pub(super) enum ParamsOf<'f> {
    Patterns(&'f [Pattern]),
    Builtin(&'static Builtin),
}
