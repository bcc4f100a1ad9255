//! Application: of functions, and of transformations to functions, on the facade's own `vmap`, `grad`, `jit`, ….

use super::ast::{Expr, ExprKind, Named};
use super::interpreter::{Argument, Evaluated, Interpreter, error, from_nested};
use super::nested::{Nested, Params};
use super::value::{Env, Function, Jacobian, ParamsOf, Transform, Value, Wrt};
use super::{SourceError, SourceFault};
use crate::error::ErrorKind;
use crate::trace::{self, located};
use crate::transform::gradient_of_leaves;
use crate::tree::AxisTree;
use crate::{MapAxes, Tensor};
use jx_ir::Loc;
use std::panic::Location;
use std::sync::Arc;

/// The transformations by name.
pub(super) const NAMES: [&str; 8] = ["vmap", "grad", "value_and_grad", "jvp", "jacfwd", "jacrev", "hessian", "jit"];

/// The value of `function(args, named)`.
pub(super) fn call(
    cx: &Interpreter,
    function: &Expr,
    args: &[Expr],
    named: &[Named],
    at: &Loc,
    env: &Env,
) -> Evaluated {
    if let Some(name) = transform_name(cx, function, env) {
        return transform(cx, name, &Given { name, args, named, at }, env);
    }
    let f = function_name(cx, function, env)?;
    let Value::Function(f) = f else { return error(SourceFault::NotAFunction { found: f.describe() }, at) };
    let args = args.iter().map(|e| Ok(Argument { value: cx.eval(e, env)?, at: e.at.clone() }));
    let args = args.collect::<Evaluated<Vec<_>>>()?;
    let named =
        named.iter().map(|n| Ok((n.name.clone(), Argument { value: cx.eval(&n.value, env)?, at: n.at.clone() })));
    let named = named.collect::<Evaluated<Vec<_>>>()?;
    apply(cx, &f, args, named, at)
}

/// The value of an expression that must be a function, for the sake of the message if it is an unknown name.
fn function_name(cx: &Interpreter, e: &Expr, env: &Env) -> Evaluated {
    cx.eval(e, env).or_else(|why| {
        if let (ExprKind::Name(name), SourceFault::Unknown { .. }) = (&e.kind, why.fault()) {
            return error(cx.unknown("function", name, env), &e.at);
        }
        Err(why)
    })
}

/// The transformation that an expression names, unless the file gives the name another meaning.
pub(super) fn transform_name(cx: &Interpreter, function: &Expr, env: &Env) -> Option<&'static str> {
    let ExprKind::Name(name) = &function.kind else { return None };
    let found = NAMES.into_iter().find(|n| n == name)?;
    (!cx.is_bound(name, env)).then_some(found)
}

/// The result of a function on arguments.
pub(super) fn apply(
    cx: &Interpreter,
    f: &Function,
    args: Vec<Argument>,
    named: Vec<(String, Argument)>,
    at: &Loc,
) -> Evaluated {
    match f {
        Function::Defined { definition, env } => {
            let args = arrange(f, args, named, at)?;
            cx.call_defined(definition, env, args.into_iter().map(|a| a.value).collect(), at)
        }
        Function::Builtin(builtin) => cx.call_builtin(builtin, args, named, at),
        Function::Transformed { transform, f: inner, at: place } => {
            let args = arrange(f, args, named, at)?;
            let values = args.iter().map(|a| cx.to_nested(&a.value, &a.at)).collect::<Evaluated<Vec<_>>>()?;
            let params = Params { names: parameter_names(f, values.len()), values };
            transformed(cx, transform, inner, params, place)
        }
    }
}

/// The arguments in the order of the parameters.
pub(super) fn arrange<T>(f: &Function, args: Vec<T>, named: Vec<(String, T)>, at: &Loc) -> Evaluated<Vec<T>> {
    let function = || f.name();
    let (names, least) = match f.params() {
        ParamsOf::Patterns(patterns) => {
            let names: Vec<String> = patterns.iter().map(|p| p.to_string()).collect();
            let least = names.len();
            (names, least)
        }
        ParamsOf::Builtin(builtin) => {
            let names: Vec<String> = builtin.params().map(|p| p.name.to_owned()).collect();
            (names, builtin.params().filter(|p| !p.optional).count())
        }
    };
    let bare = |name: &str| name.split(':').next().unwrap_or(name).to_owned();
    let most = names.len();
    let found = args.len() + named.len();
    if args.len() > most || (named.is_empty() && found < least) {
        return error(
            SourceFault::ArgumentCount { function: function(), least, most, signature: f.signature(), found },
            at,
        );
    }
    let mut slots: Vec<Option<T>> = args.into_iter().map(Some).collect();
    slots.resize_with(most, || None);
    for (name, value) in named {
        let Some(i) = names.iter().position(|n| bare(n) == name) else {
            let suggestions = super::Suggestions { closest: None, all: names.iter().map(|n| bare(n)).collect() };
            return error(SourceFault::Unknown { what: "argument", name, suggestions }, at);
        };
        if slots[i].replace(value).is_some() {
            return error(SourceFault::DuplicateArgument { function: function(), name }, at);
        }
    }
    let mut all = Vec::with_capacity(most);
    for (i, slot) in slots.into_iter().enumerate() {
        match slot {
            Some(value) => all.push(value),
            None if i >= least => break,
            None => {
                let (name, signature) = (bare(&names[i]), f.signature());
                return error(SourceFault::MissingArgument { function: function(), name, signature }, at);
            }
        }
    }
    Ok(all)
}

/// The names of the first `n` parameters.
pub(super) fn parameter_names(f: &Function, n: usize) -> Arc<[String]> {
    match f.params() {
        ParamsOf::Patterns(patterns) => patterns.iter().map(|p| untyped(&p.to_string())).collect(),
        ParamsOf::Builtin(builtin) => builtin.params().map(|p| p.name.to_owned()).take(n).collect(),
    }
}

/// A pattern as written, without types.
fn untyped(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(colon) = rest.find(": ") {
        out.push_str(&rest[..colon]);
        rest = rest[colon..].find(']').map_or("", |end| &rest[colon + end + 1..]);
    }
    out + rest
}

/// One of the file's functions as the facade takes them.
struct Callable<'c> {
    cx: &'c Interpreter,
    f: &'c Function,
    at: &'c Loc,
}

impl crate::Function<Params<Tensor>> for Callable<'_> {
    type Output = Nested<Tensor>;

    fn apply(&self, params: Params<Tensor>) -> Nested<Tensor> {
        recorded(on_params(self.cx, self.f, params, self.at))
    }
}

/// The result of a function on its parameters' values.
pub(super) fn on_params(cx: &Interpreter, f: &Function, params: Params<Tensor>, at: &Loc) -> Evaluated<Nested<Tensor>> {
    let args = params.values.iter().map(|v| Argument { value: from_nested(v), at: at.clone() }).collect();
    let value = apply(cx, f, args, Vec::new(), at)?;
    cx.to_nested(&value, at)
}

/// The value, or a poisoned one with the fault kept as the mistake of the open trace.
pub(super) fn recorded(result: Evaluated<Nested<Tensor>>) -> Nested<Tensor> {
    result.unwrap_or_else(|why| {
        trace::fail(ErrorKind::Source(Box::new(why)), Location::caller(), Vec::new());
        Nested::Leaf(Tensor::POISON)
    })
}

/// A function whose first result must be a scalar: what `grad` takes.
struct ScalarValued<'c> {
    inner: Callable<'c>,
    transform: &'static str,
    has_aux: bool,
}

impl crate::Function<Params<Tensor>> for ScalarValued<'_> {
    type Output = Nested<Tensor>;

    fn apply(&self, params: Params<Tensor>) -> Nested<Tensor> {
        let output = self.inner.apply(params);
        let fits = match &output {
            Nested::Leaf(_) => !self.has_aux || trace::has_error(),
            Nested::Tuple(parts) => self.has_aux && matches!(parts[..], [Nested::Leaf(_), _]),
        };
        if fits {
            return output;
        }
        let found = from_nested(&output).describe();
        recorded(error(SourceFault::GradResult { transform: self.transform, found }, self.inner.at))
    }
}

fn transformed(cx: &Interpreter, transform: &Transform, f: &Function, params: Params<Tensor>, at: &Loc) -> Evaluated {
    let callable = Callable { cx, f, at };
    let result = match transform {
        Transform::Vmap(axes) => located(at, || crate::vmap(callable, axes.clone())(params)),
        Transform::Jit => located(at, || crate::Function::apply(&crate::jit(callable), params)),
        Transform::Grad { value, wrt, has_aux } => {
            let chosen = choose(wrt, &params, transform.name(), f, at)?;
            let leaves = wrt.parts.iter().flat_map(|(i, path)| params.leaf_range(*i, path)).collect();
            let name = transform.name();
            let f = ScalarValued { inner: callable, transform: name, has_aux: *has_aux };
            let ((y, aux), g) = located(at, || {
                gradient_of_leaves(name, &f, &params, leaves, &chosen, Location::caller(), |output| {
                    let first = output.values().first().map_or(Tensor::POISON, |t| **t);
                    let aux = output.part(&[1]).cloned().unwrap_or(Nested::Tuple(Vec::new()));
                    (first, aux)
                })
            });
            match (value, has_aux) {
                (false, false) => g,
                (false, true) => Nested::Tuple(vec![g, aux]),
                (true, false) => Nested::Tuple(vec![Nested::Leaf(y), g]),
                (true, true) => Nested::Tuple(vec![Nested::Tuple(vec![Nested::Leaf(y), aux]), g]),
            }
        }
        Transform::Jacobian { kind, wrt } => {
            let chosen = choose(wrt, &params, transform.name(), f, at)?;
            let of_chosen = |chosen: Nested<Tensor>, mut rest: Params<Tensor>| {
                let parts = match (chosen, wrt.tuple) {
                    (Nested::Tuple(parts), true) => parts,
                    (chosen, _) => vec![chosen],
                };
                for ((i, path), part) in wrt.parts.iter().zip(parts) {
                    rest.values[*i].replace(path, part);
                }
                crate::Function::apply(&callable, rest)
            };
            located(at, || match kind {
                Jacobian::Forward => crate::jacfwd(of_chosen)(chosen, params).flatten(),
                Jacobian::Reverse => crate::jacrev(of_chosen)(chosen, params).flatten(),
                Jacobian::Hessian => crate::hessian(of_chosen)(chosen, params).flatten().flatten(),
            })
        }
    };
    Ok(from_nested(&result))
}

/// The differentiated parts of the arguments.
fn choose(
    wrt: &Wrt,
    params: &Params<Tensor>,
    transform: &'static str,
    f: &Function,
    at: &Loc,
) -> Evaluated<Nested<Tensor>> {
    let parts = wrt.parts.iter().map(|(i, path)| {
        let part = params.values.get(*i).and_then(|v| v.part(path)).cloned();
        part.ok_or_else(|| {
            let (name, function, parameters) = (format!("{i}"), f.name(), f.signature());
            SourceError::new(SourceFault::Wrt { transform, name, function, parameters }, at)
        })
    });
    let mut parts = parts.collect::<Evaluated<Vec<_>>>()?;
    Ok(if wrt.tuple { Nested::Tuple(parts) } else { parts.swap_remove(0) })
}

/// The arguments of a transformation, as written.
struct Given<'e> {
    name: &'static str,
    args: &'e [Expr],
    named: &'e [Named],
    at: &'e Loc,
}

impl<'e> Given<'e> {
    /// One expression for each name, those from `least` on optional.
    fn take<const N: usize>(&self, names: [&'static str; N], least: usize) -> Evaluated<[Option<&'e Expr>; N]> {
        let function = || self.name.to_owned();
        let shown = |(i, name): (usize, &&str)| if i < least { (*name).to_owned() } else { format!("{name}=…") };
        let signature = || names.iter().enumerate().map(shown).collect::<Vec<_>>().join(", ");
        let found = self.args.len() + self.named.len();
        if self.args.len() > N || found < least {
            let fault =
                SourceFault::ArgumentCount { function: function(), least, most: N, signature: signature(), found };
            return error(fault, self.at);
        }
        let mut slots = [None; N];
        for (slot, arg) in slots.iter_mut().zip(self.args) {
            *slot = Some(arg);
        }
        for named in self.named {
            // JAX's name of it is taken too.
            let name = if named.name == "argnums" { "wrt" } else { &named.name };
            let Some(i) = names.iter().position(|n| *n == name) else {
                let all = names.iter().map(|n| (*n).to_owned()).collect();
                let suggestions = super::Suggestions { closest: None, all };
                return error(
                    SourceFault::Unknown { what: "argument", name: named.name.clone(), suggestions },
                    &named.at,
                );
            };
            if slots[i].replace(&named.value).is_some() {
                return error(
                    SourceFault::DuplicateArgument { function: function(), name: name.to_owned() },
                    &named.at,
                );
            }
        }
        if let Some(i) = slots[..least].iter().position(Option::is_none) {
            let (name, signature) = (names[i].to_owned(), signature());
            return error(SourceFault::MissingArgument { function: function(), name, signature }, self.at);
        }
        Ok(slots)
    }

    fn kind_error<T>(&self, argument: &str, expected: &'static str, found: String, at: &Loc) -> Evaluated<T> {
        let (function, argument) = (self.name.to_owned(), format!("`{argument}`"));
        error(SourceFault::ArgumentKind { function, argument, expected, found }, at)
    }

    fn function(&self, cx: &Interpreter, e: Option<&Expr>, env: &Env) -> Evaluated<Arc<Function>> {
        let Some(e) = e else { return self.kind_error("f", "a function", "missing".to_owned(), self.at) };
        let value = function_name(cx, e, env)?;
        if let Value::Function(f) = value {
            return Ok(f);
        }
        self.kind_error("f", "a function", value.describe(), &e.at)
    }

    fn bool(&self, cx: &Interpreter, name: &str, e: Option<&Expr>, env: &Env) -> Evaluated<bool> {
        let Some(e) = e else { return Ok(false) };
        let value = cx.eval(e, env)?;
        if let Value::Bool(value) = value {
            return Ok(value);
        }
        self.kind_error(name, "true or false", value.describe(), &e.at)
    }

    fn axes(&self, cx: &Interpreter, name: &str, e: Option<&Expr>, env: &Env) -> Evaluated<AxisTree> {
        let Some(e) = e else { return Ok(AxisTree::Axis(0)) };
        let value = cx.eval(e, env)?;
        match axis_tree(&value) {
            Some(tree) => Ok(tree),
            None => self.kind_error(name, "an axis, None, or a tuple of these", value.describe(), &e.at),
        }
    }

    /// The parts of the arguments that `wrt` names: parameters by name or number, or names within one.
    fn wrt(&self, f: &Function, e: Option<&Expr>) -> Evaluated<Wrt> {
        let Some(e) = e else { return Ok(Wrt { parts: vec![(0, Vec::new())], tuple: false }) };
        if let ExprKind::Tuple(all) | ExprKind::List(all) = &e.kind
            && !all.is_empty()
        {
            let parts = all.iter().map(|e| self.wrt_part(f, e)).collect::<Evaluated<_>>()?;
            return Ok(Wrt { parts, tuple: true });
        }
        Ok(Wrt { parts: vec![self.wrt_part(f, e)?], tuple: false })
    }

    fn wrt_part(&self, f: &Function, e: &Expr) -> Evaluated<(usize, Vec<usize>)> {
        let unknown = |name: String| {
            let (transform, function, parameters) = (self.name, f.name(), f.signature());
            error(SourceFault::Wrt { transform, name, function, parameters }, &e.at)
        };
        if let ExprKind::Name(name) = &e.kind {
            let found = match f.params() {
                ParamsOf::Patterns(patterns) => patterns.iter().enumerate().find_map(|(i, pattern)| {
                    let mut names = pattern.names().into_iter();
                    names.find(|(n, _, _)| n == name).map(|(_, _, path)| (i, path))
                }),
                ParamsOf::Builtin(builtin) => builtin.params().position(|p| p.name == name).map(|i| (i, Vec::new())),
            };
            return found.map_or_else(|| unknown(name.clone()), Ok);
        }
        if let ExprKind::Number(n) = &e.kind {
            let arity = match f.params() {
                ParamsOf::Patterns(patterns) => patterns.len(),
                ParamsOf::Builtin(builtin) => builtin.params().count(),
            };
            let i = n.int.and_then(|i| usize::try_from(i).ok()).filter(|i| *i < arity);
            return i.map_or_else(|| unknown(n.to_string()), |i| Ok((i, Vec::new())));
        }
        let expected = "a parameter's name or number, or a tuple of these";
        self.kind_error("wrt", expected, "another expression".to_owned(), &e.at)
    }
}

/// A value as axes.
fn axis_tree(value: &Value) -> Option<AxisTree> {
    match value {
        Value::None => Some(AxisTree::Unmapped),
        Value::Number(n) => n.int.map(AxisTree::Axis),
        Value::Tuple(parts) | Value::List(parts) => {
            Some(AxisTree::Parts(parts.iter().map(axis_tree).collect::<Option<_>>()?))
        }
        Value::Tensor(_) | Value::Bool(_) | Value::Text(_) | Value::DType(_) | Value::Function(_) => None,
    }
}

/// The value of a transformation's call: a function, or for `jvp` its results.
fn transform(cx: &Interpreter, name: &'static str, given: &Given<'_>, env: &Env) -> Evaluated {
    if name == "jvp" {
        return jvp(cx, given, env);
    }
    let (f, transform) = match name {
        "vmap" => {
            let [f, in_axes, out_axes, size] = given.take(["f", "in_axes", "out_axes", "axis_size"], 1)?;
            let f = given.function(cx, f, env)?;
            let mut axes: MapAxes = crate::axes(given.axes(cx, "in_axes", in_axes, env)?);
            axes = axes.out(given.axes(cx, "out_axes", out_axes, env)?);
            if let Some(e) = size {
                let value = cx.eval(e, env)?;
                match super::builtins::as_int(&value).and_then(|n| usize::try_from(n).ok()) {
                    Some(n) => axes = axes.size(n),
                    None => return given.kind_error("axis_size", "a number of examples", value.describe(), &e.at),
                }
            }
            (f, Transform::Vmap(axes))
        }
        "grad" | "value_and_grad" => {
            let [f, wrt, has_aux] = given.take(["f", "wrt", "has_aux"], 1)?;
            let f = given.function(cx, f, env)?;
            let wrt = given.wrt(&f, wrt)?;
            let has_aux = given.bool(cx, "has_aux", has_aux, env)?;
            (f, Transform::Grad { value: name == "value_and_grad", wrt, has_aux })
        }
        "jit" => {
            let [f] = given.take(["f"], 1)?;
            (given.function(cx, f, env)?, Transform::Jit)
        }
        other => {
            let [f, wrt] = given.take(["f", "wrt"], 1)?;
            let f = given.function(cx, f, env)?;
            let wrt = given.wrt(&f, wrt)?;
            let kind = match other {
                "jacfwd" => Jacobian::Forward,
                "jacrev" => Jacobian::Reverse,
                _ => Jacobian::Hessian,
            };
            (f, Transform::Jacobian { kind, wrt })
        }
    };
    Ok(Value::Function(Arc::new(Function::Transformed { transform, f, at: given.at.clone() })))
}

/// `jvp(f, primals, tangents)`: the results of `f` and their tangents.
fn jvp(cx: &Interpreter, given: &Given<'_>, env: &Env) -> Evaluated {
    let [f, primals, tangents] = given.take(["f", "primals", "tangents"], 3)?;
    let f = given.function(cx, f, env)?;
    let side = |e: Option<&Expr>| -> Evaluated<Params<Tensor>> {
        let Some(e) = e else { return given.kind_error("primals", "a tuple", "missing".to_owned(), given.at) };
        let value = cx.eval(e, env)?;
        let parts = if let Value::Tuple(parts) = value { parts } else { vec![value] };
        let args = parts.into_iter().map(|value| Argument { value, at: e.at.clone() }).collect();
        let args = arrange(&f, args, Vec::new(), &e.at)?;
        let values = args.iter().map(|a| cx.to_nested(&a.value, &a.at)).collect::<Evaluated<Vec<_>>>()?;
        Ok(Params { names: parameter_names(&f, values.len()), values })
    };
    let (primals, tangents) = (side(primals)?, side(tangents)?);
    let callable = Callable { cx, f: &f, at: given.at };
    let (y, dy) = located(given.at, || crate::jvp(callable, primals, tangents));
    Ok(Value::Tuple(vec![from_nested(&y), from_nested(&dy)]))
}
