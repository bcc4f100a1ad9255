//! Running: a file with its values computed, and functions prepared to be called or looked at.

use super::ast::{Definition, Expr, ExprKind, Pattern};
use super::builtins;
use super::interpreter::{Evaluated, Global, Interpreter, error};
use super::nested::{Nested, Params};
use super::parser;
use super::text::SourceText;
use super::transforms::{self, recorded};
use super::value::{Env, Function, ParamsOf, Transform, Value};
use super::{Module, SourceError, SourceFault};
use crate::jit::trace_on_types;
use crate::trace::located;
use crate::{Array, Device, Eager, Jit, Program, Tensor, TensorType, eager, jit};
use jx_ir::Loc;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

/// What an input of a program is given as: values, or only a type, which is enough to look at the program.
#[derive(Clone, Debug)]
pub enum Input {
    /// Values.
    Array(Array),
    /// A type.
    Type(TensorType),
}

impl Input {
    fn ty(&self) -> TensorType {
        match self {
            Input::Array(array) => array.ty(),
            Input::Type(ty) => ty.clone(),
        }
    }
}

/// A file in use on a device: its `let` values are computed once, when something needs them.
pub struct Session<'m> {
    module: &'m Module,
    device: Device,
    cx: Rc<Interpreter>,
    /// The expressions given beside the file, for messages.
    texts: RefCell<Vec<SourceText>>,
}

impl<'m> Session<'m> {
    /// A session in which nothing is computed yet.
    #[must_use]
    pub fn new(module: &'m Module, device: Device) -> Session<'m> {
        Session { module, device, cx: Rc::new(Interpreter::new(module.file.clone())), texts: RefCell::default() }
    }

    /// An expression made ready to run on inputs. If it is a function it is applied to the inputs by the
    /// names of its parameters; otherwise the inputs are its free names.
    ///
    /// What is inside an outermost `jit` is compiled; all else runs operation by operation.
    ///
    /// # Errors
    /// If the expression does not parse, names nothing, or has other inputs than those given.
    pub fn prepare(&self, expr: &str, inputs: &[(String, Nested<Input>)]) -> Result<Prepared, SourceError> {
        let text = SourceText::new("<expression>", expr);
        self.texts.borrow_mut().push(text.clone());
        let result = parser::expression(&text).and_then(|expr| {
            self.compute_needed(&[&expr])?;
            self.prepare_expr(&expr, inputs)
        });
        self.drawn(result)
    }

    /// The value of an expression without inputs.
    ///
    /// # Errors
    /// If it does not parse, or cannot be computed.
    pub fn evaluate(&self, expr: &str) -> Result<Nested<Array>, SourceError> {
        self.prepare(expr, &[])?.call()
    }

    /// What the file's `run` statement of this number computes, made ready to run.
    ///
    /// # Errors
    /// If it names something unknown or cannot be computed.
    pub fn prepare_run(&self, number: usize) -> Result<Prepared, SourceError> {
        let Some(run) = self.module.file.runs.get(number) else {
            let what = "run statement";
            let name = number.to_string();
            return Err(SourceError::nowhere(SourceFault::Unknown {
                what,
                name,
                suggestions: super::Suggestions::default(),
            }));
        };
        let result = self.compute_needed(&[&run.value]).and_then(|()| self.prepare_expr(&run.value, &[]));
        self.drawn(result)
    }

    fn drawn<T>(&self, result: Evaluated<T>) -> Evaluated<T> {
        // The newest expression first: all have one name.
        result.map_err(|why| why.drawn(self.texts.borrow().iter().rev().chain([&self.module.source])))
    }

    /// Computes the `let` values that these expressions use, directly or through functions, and that are
    /// not known yet.
    fn compute_needed(&self, exprs: &[&Expr]) -> Evaluated<()> {
        let needed = self.module.names_below(exprs);
        for statement in &self.module.file.lets {
            let names = statement.pattern.names();
            let known = self.cx.globals.borrow();
            let wanted = names.iter().any(|(name, _, _)| needed.contains(*name) && !known.contains_key(*name));
            drop(known);
            if wanted {
                let value = self.compute(&statement.value)?;
                self.define(&statement.pattern, value)?;
            }
        }
        Ok(())
    }

    fn define(&self, pattern: &Pattern, value: Global) -> Evaluated<()> {
        match (pattern, value) {
            (Pattern::Name { name, .. }, value) => {
                self.cx.globals.borrow_mut().insert(name.clone(), value);
                Ok(())
            }
            (Pattern::Tuple { parts, .. }, Global::Arrays(Nested::Tuple(values))) if parts.len() == values.len() => {
                parts.iter().zip(values).try_for_each(|(p, v)| self.define(p, Global::Arrays(v)))
            }
            // A tensor comes apart along axis 0, as in Python.
            (Pattern::Tuple { parts, .. }, Global::Arrays(Nested::Leaf(array)))
                if array.shape().first() == Some(&parts.len()) =>
            {
                let rows = rows(&array).map_err(SourceError::from_run)?;
                parts.iter().zip(rows).try_for_each(|(p, row)| self.define(p, Global::Arrays(Nested::Leaf(row))))
            }
            (Pattern::Tuple { parts, .. }, Global::Static(Value::Tuple(values) | Value::List(values)))
                if parts.len() == values.len() =>
            {
                parts.iter().zip(values).try_for_each(|(p, v)| self.define(p, Global::Static(v)))
            }
            (Pattern::Tuple { parts, at }, value) => {
                let found = match value {
                    Global::Arrays(Nested::Leaf(array)) => format!("a tensor {}", array.ty()),
                    Global::Arrays(Nested::Tuple(parts)) => format!("a tuple of {}", parts.len()),
                    Global::Static(value) => value.describe(),
                };
                error(
                    SourceFault::Pattern { function: None, pattern: pattern.to_string(), expected: parts.len(), found },
                    at,
                )
            }
        }
    }

    /// The value of an expression: what is known while tracing stays as it is, tensors are computed.
    fn compute(&self, expr: &Expr) -> Evaluated<Global> {
        if let Some(f) = self.function_value(expr)? {
            return Ok(Global::Static(Value::Function(f)));
        }
        let known = Rc::new(RefCell::new(None));
        let prepared = self.prepare_value(expr, Some(known.clone()))?;
        let arrays = prepared.call()?;
        let known = known.borrow_mut().take();
        Ok(known.map_or(Global::Arrays(arrays), Global::Static))
    }

    /// The function that an expression is, if it is one on the face of it.
    fn function_value(&self, expr: &Expr) -> Evaluated<Option<Arc<Function>>> {
        let env = Env::default();
        let is_function = match &expr.kind {
            ExprKind::Lambda(_) | ExprKind::Part { .. } => true,
            ExprKind::Name(name) => self.cx.is_bound(name, &env) || builtins::find(name).is_some(),
            ExprKind::Call { function, .. } => {
                transforms::transform_name(&self.cx, function, &env).is_some_and(|name| name != "jvp")
            }
            ExprKind::Number(_)
            | ExprKind::Text(_)
            | ExprKind::Bool(_)
            | ExprKind::None
            | ExprKind::Tuple(_)
            | ExprKind::List(_)
            | ExprKind::Typed { .. }
            | ExprKind::Neg(_)
            | ExprKind::Not(_)
            | ExprKind::Binary { .. }
            | ExprKind::Index { .. }
            | ExprKind::Block { .. } => false,
        };
        if !is_function || self.names_a_value(expr) {
            return Ok(None);
        }
        match self.cx.eval(expr, &env)? {
            Value::Function(f) => Ok(Some(f)),
            Value::Tensor(_)
            | Value::Number(_)
            | Value::Bool(_)
            | Value::None
            | Value::Text(_)
            | Value::DType(_)
            | Value::List(_)
            | Value::Tuple(_) => Ok(None),
        }
    }

    /// Whether an expression is, or takes a part of, a computed value or a name that only a call can judge.
    fn names_a_value(&self, expr: &Expr) -> bool {
        if let ExprKind::Name(name) = &expr.kind {
            return matches!(self.cx.globals.borrow().get(name), Some(Global::Arrays(_)));
        }
        let ExprKind::Part { of, .. } = &expr.kind else { return false };
        if let ExprKind::Name(name) = &of.kind { self.cx.is_bound(name, &Env::default()) } else { true }
    }

    fn prepare_expr(&self, expr: &Expr, inputs: &[(String, Nested<Input>)]) -> Evaluated<Prepared> {
        // An input's name is not looked up among the functions.
        let is_input = matches!(&expr.kind, ExprKind::Name(name) if inputs.iter().any(|(n, _)| n == name));
        if !is_input && let Some(f) = self.function_value(expr)? {
            let params = match_inputs(&f, inputs, &expr.at)?;
            return Ok(self.prepared(&f, params, None));
        }
        if inputs.is_empty() {
            return self.prepare_value(expr, None);
        }
        let params = inputs.iter().map(|(name, _)| Pattern::Name { name: name.clone(), at: expr.at.clone(), ty: None });
        let definition = Definition { name: None, at: expr.at.clone(), params: params.collect(), body: expr.clone() };
        let f = Arc::new(Function::Defined { definition: Arc::new(definition), env: Env::default() });
        let names = inputs.iter().map(|(name, _)| name.clone()).collect();
        let params = Params { names, values: inputs.iter().map(|(_, v)| v.clone()).collect() };
        Ok(self.prepared(&f, params, None))
    }

    /// The value of an expression without inputs: a call of a compiled function, whose arguments are
    /// computed before, or anything else.
    fn prepare_value(&self, expr: &Expr, known: Option<Known>) -> Evaluated<Prepared> {
        if let ExprKind::Call { function, args, named } = &expr.kind
            && let Some(f) = self.function_value(function)?
            && matches!(*f, Function::Transformed { transform: Transform::Jit, .. })
        {
            let args = args.iter().map(|e| self.compute_array(e)).collect::<Evaluated<Vec<_>>>()?;
            let named = named.iter().map(|n| Ok((n.name.clone(), self.compute_array(&n.value)?)));
            let values = transforms::arrange(&f, args, named.collect::<Evaluated<Vec<_>>>()?, &expr.at)?;
            let params = Params { names: transforms::parameter_names(&f, values.len()), values };
            return Ok(self.prepared(&f, params, None));
        }
        let definition = Definition { name: None, at: expr.at.clone(), params: Vec::new(), body: expr.clone() };
        let f = Arc::new(Function::Defined { definition: Arc::new(definition), env: Env::default() });
        Ok(self.prepared(&f, Params { names: Arc::new([]), values: Vec::new() }, known))
    }

    fn compute_array(&self, expr: &Expr) -> Evaluated<Nested<Input>> {
        let arrays = self.prepare_value(expr, None)?.call()?;
        Ok(arrays.map_with(&mut |a| Input::Array(a.clone())))
    }

    /// A function with its arguments; what is inside an outermost `jit` is compiled.
    fn prepared(&self, f: &Arc<Function>, inputs: Params<Input>, known: Option<Known>) -> Prepared {
        let entry = |f: &Arc<Function>, at: Option<&Loc>| Entry {
            cx: self.cx.clone(),
            f: f.clone(),
            at: at.cloned().unwrap_or_else(|| self.module.source.loc(0)),
            known,
        };
        let runner = match &**f {
            Function::Transformed { transform: Transform::Jit, f: inner, at } => {
                Runner::Compiled(jit(entry(inner, Some(at))).on(self.device))
            }
            Function::Transformed { at, .. } => Runner::Eager(eager(entry(f, Some(at))).on(self.device)),
            Function::Defined { definition, .. } => {
                Runner::Eager(eager(entry(f, Some(&definition.at))).on(self.device))
            }
            Function::Builtin(_) => Runner::Eager(eager(entry(f, None)).on(self.device)),
        };
        let texts = self.texts.borrow().iter().rev().chain([&self.module.source]).cloned().collect();
        Prepared { runner, inputs, texts }
    }
}

impl Module {
    /// All names that these expressions mention, directly or through the file's functions and values.
    fn names_below(&self, exprs: &[&Expr]) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut pending: Vec<&Expr> = exprs.to_vec();
        while let Some(expr) = pending.pop() {
            pending.extend(parser::children(&expr.kind));
            let ExprKind::Name(name) = &expr.kind else { continue };
            if !names.insert(name.clone()) {
                continue;
            }
            pending.extend(self.file.functions.iter().filter(|f| f.name.as_ref() == Some(name)).map(|f| &f.body));
            let defines = |pattern: &Pattern| pattern.names().iter().any(|(n, _, _)| n == name);
            pending.extend(self.file.lets.iter().filter(|l| defines(&l.pattern)).map(|l| &l.value));
        }
        names
    }
}

/// The slices of an array of rank 1 or more along axis 0.
fn rows(array: &Array) -> Result<Vec<Array>, crate::Error> {
    let host = array.to_host()?;
    let (n, ty) = (host.shape()[0], host.ty());
    let row = ty.with_shape(&ty.shape[1..]);
    let bytes = host.to_le_bytes();
    let size = row.n_elements() * ty.dtype.size_bytes();
    (0..n).map(|i| Ok(jx_ir::Array::from_le_bytes(&row, &bytes[i * size..(i + 1) * size])?.into())).collect()
}

/// The inputs in the order of a function's parameters: by the names of the parameters, or by the names
/// within a parameter that is taken apart.
fn match_inputs(f: &Function, inputs: &[(String, Nested<Input>)], at: &Loc) -> Evaluated<Params<Input>> {
    let mut unknown: Vec<&str> = inputs.iter().map(|(name, _)| name.as_str()).collect();
    let mut missing = Vec::new();
    let mut all = Vec::new();
    let mut take = |name: &str| {
        all.push(name.to_owned());
        unknown.retain(|n| *n != name);
        let found = inputs.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
        if found.is_none() {
            missing.push(name.to_owned());
        }
        found
    };
    let values: Vec<Option<Nested<Input>>> = match f.params() {
        ParamsOf::Patterns(patterns) => patterns.iter().map(|p| take_pattern(p, &mut take)).collect(),
        ParamsOf::Builtin(builtin) => {
            let given = |p: &super::builtins::Parameter| !p.optional || inputs.iter().any(|(n, _)| n == p.name);
            builtin.params().filter(given).map(|p| take(p.name)).collect()
        }
    };
    match values.into_iter().collect::<Option<Vec<_>>>() {
        Some(values) if unknown.is_empty() => {
            Ok(Params { names: transforms::parameter_names(f, values.len()), values })
        }
        _ => {
            let unknown = unknown.into_iter().map(str::to_owned).collect();
            let parameters = if all.is_empty() { "none".to_owned() } else { all.join(", ") };
            error(SourceFault::Inputs { function: f.name(), missing, unknown, parameters }, at)
        }
    }
}

fn take_pattern(pattern: &Pattern, take: &mut impl FnMut(&str) -> Option<Nested<Input>>) -> Option<Nested<Input>> {
    match pattern {
        Pattern::Name { name, .. } => take(name),
        Pattern::Tuple { parts, .. } => {
            let parts: Vec<Option<Nested<Input>>> = parts.iter().map(|p| take_pattern(p, take)).collect();
            parts.into_iter().collect::<Option<_>>().map(Nested::Tuple)
        }
    }
}

/// Where a value that is known while tracing is left for `let`.
type Known = Rc<RefCell<Option<Value>>>;

/// The outermost function of a run.
struct Entry {
    cx: Rc<Interpreter>,
    f: Arc<Function>,
    at: Loc,
    known: Option<Known>,
}

impl crate::Function<Params<Tensor>> for Entry {
    type Output = Nested<Tensor>;

    fn apply(&self, params: Params<Tensor>) -> Nested<Tensor> {
        let Some(known) = &self.known else {
            return recorded(transforms::on_params(&self.cx, &self.f, params, &self.at));
        };
        recorded(transforms::apply(&self.cx, &self.f, Vec::new(), Vec::new(), &self.at).and_then(|value| {
            if value.is_static() {
                known.replace(Some(value));
                return Ok(Nested::Tuple(Vec::new()));
            }
            self.cx.to_nested(&value, &self.at)
        }))
    }
}

enum Runner {
    Compiled(Jit<Params<Tensor>, Entry>),
    Eager(Eager<Params<Tensor>, Entry>),
}

/// A function with its inputs, ready to be called any number of times.
pub struct Prepared {
    runner: Runner,
    inputs: Params<Input>,
    texts: Vec<SourceText>,
}

impl Prepared {
    /// The result. A compiled function is compiled at the first call.
    ///
    /// # Errors
    /// The first mistake found while tracing, drawn with its line; an input without a value; or a failure
    /// of the device.
    pub fn call(&self) -> Result<Nested<Array>, SourceError> {
        let mut arrays = Vec::new();
        for (name, value) in self.inputs.names.iter().zip(&self.inputs.values) {
            for leaf in value.values() {
                match leaf {
                    Input::Array(array) => arrays.push(array.clone()),
                    Input::Type(ty) => {
                        return Err(SourceError::nowhere(SourceFault::NoValue { name: name.clone(), ty: ty.clone() }));
                    }
                }
            }
        }
        let mut arrays = arrays.into_iter();
        // As many as there are leaves.
        let values = self
            .inputs
            .values
            .iter()
            .map(|v| v.map_with(&mut |_| arrays.next().unwrap_or_else(|| Array::zeros([0], crate::DType::F32))));
        let args = Params { names: self.inputs.names.clone(), values: values.collect() };
        let result = located(self.at(), || match &self.runner {
            Runner::Compiled(f) => f.call(args),
            Runner::Eager(f) => f.call(args),
        });
        result.map_err(|why| self.drawn(why))
    }

    /// The program, as traced: to look at in its stages, or to save.
    ///
    /// # Errors
    /// The first mistake found while tracing, drawn with its line.
    pub fn program(&self) -> Result<Program, SourceError> {
        let types = self.inputs.values.iter().flat_map(|v| v.values().into_iter().map(Input::ty)).collect();
        let values = self.inputs.values.iter().map(|v| v.map_with(&mut |_| Tensor::POISON)).collect();
        let args = Params { names: self.inputs.names.clone(), values };
        let place = Location::caller();
        let traced = located(self.at(), || match &self.runner {
            Runner::Compiled(f) => trace_on_types(f.function(), &args, types, "jit", place),
            Runner::Eager(f) => trace_on_types(f.function(), &args, types, "eager", place),
        });
        let program = traced.and_then(|root| Program::new(root.func, root.arrays, root.paths));
        program.map_err(|why| self.drawn(why))
    }

    /// Whether it is compiled, as what is inside an outermost `jit` is.
    #[must_use]
    pub fn is_compiled(&self) -> bool {
        matches!(self.runner, Runner::Compiled(_))
    }

    /// The place of the outermost function.
    fn at(&self) -> &Loc {
        match &self.runner {
            Runner::Compiled(f) => &f.function().at,
            Runner::Eager(f) => &f.function().at,
        }
    }

    fn drawn(&self, why: crate::Error) -> SourceError {
        SourceError::from_run(why).drawn(self.texts.iter())
    }
}
