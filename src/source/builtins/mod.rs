//! The functions that source files may call: the facade's operations under their JAX names, as tables.

mod elementwise;
mod numbers;
mod reduce;
mod shape;

use super::ast::Number;
use super::interpreter::{Argument, Evaluated, Interpreter, error};
use super::value::Value;
use super::{SourceFault, Suggestions};
use crate::{DType, Tensor};
use jx_ir::Loc;

/// A function of the facade as source files see it.
#[derive(Debug)]
pub(super) struct Builtin {
    pub(super) name: &'static str,
    /// Its parameters as written: `x, axis=None, *rest`; those with a default are optional.
    parameters: &'static str,
    pub(super) call: fn(&Bound<'_>) -> Evaluated,
}

/// A parameter of a [`Builtin`].
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) optional: bool,
    /// Takes all arguments that are left.
    rest: bool,
}

impl Builtin {
    const fn new(name: &'static str, parameters: &'static str, call: fn(&Bound<'_>) -> Evaluated) -> Builtin {
        Builtin { name, parameters, call }
    }

    pub(super) fn params(&self) -> impl Iterator<Item = Parameter> + use<> {
        self.parameters.split(", ").filter(|p| !p.is_empty()).map(|text| {
            let (name, default) = text.split_once('=').map_or((text, None), |(name, d)| (name, Some(d)));
            let rest = name.starts_with('*');
            Parameter { name: name.trim_start_matches('*'), optional: default.is_some() || rest, rest }
        })
    }

    pub(super) fn signature(&self) -> String {
        self.parameters.to_owned()
    }
}

/// Every built-in function.
pub(super) fn all() -> impl Iterator<Item = &'static Builtin> {
    [elementwise::ALL, reduce::ALL, shape::ALL, numbers::ALL].into_iter().flatten()
}

/// The built-in function of that name.
pub(super) fn find(name: &str) -> Option<&'static Builtin> {
    all().find(|b| b.name == name)
}

/// The arguments of a built-in function, each at its parameter.
pub(super) struct Bound<'a> {
    cx: &'a Interpreter,
    builtin: &'static Builtin,
    slots: Vec<Option<Argument>>,
    rest: Vec<Argument>,
    at: &'a Loc,
}

impl<'a> Bound<'a> {
    pub(super) fn new(
        cx: &'a Interpreter,
        builtin: &'static Builtin,
        args: Vec<Argument>,
        named: Vec<(String, Argument)>,
        at: &'a Loc,
    ) -> Evaluated<Bound<'a>> {
        let params: Vec<Parameter> = builtin.params().collect();
        let function = || builtin.name.to_owned();
        let has_rest = params.last().is_some_and(|p| p.rest);
        let most = params.len() - usize::from(has_rest);
        let least = params.iter().filter(|p| !p.optional).count();
        let found = args.len() + named.len();
        if (args.len() > most && !has_rest) || (named.is_empty() && found < least) {
            let signature = builtin.signature();
            return error(SourceFault::ArgumentCount { function: function(), least, most, signature, found }, at);
        }
        let mut args = args.into_iter();
        let mut slots: Vec<Option<Argument>> = args.by_ref().take(most).map(Some).collect();
        slots.resize_with(most, || None);
        for (name, argument) in named {
            let Some(i) = params[..most].iter().position(|p| p.name == name) else {
                let all = params.iter().map(|p| p.name.to_owned()).collect();
                let suggestions = Suggestions { closest: None, all };
                return error(SourceFault::Unknown { what: "argument", name, suggestions }, &argument.at);
            };
            let place = argument.at.clone();
            if slots[i].replace(argument).is_some() {
                return error(SourceFault::DuplicateArgument { function: function(), name }, &place);
            }
        }
        if let Some(i) = (0..most).find(|&i| slots[i].is_none() && !params[i].optional) {
            let (name, signature) = (params[i].name.to_owned(), builtin.signature());
            return error(SourceFault::MissingArgument { function: function(), name, signature }, at);
        }
        Ok(Bound { cx, builtin, slots, rest: args.collect(), at })
    }

    fn given(&self, i: usize) -> Option<&Argument> {
        self.slots.get(i)?.as_ref().filter(|a| !matches!(a.value, Value::None))
    }

    /// The fault of an argument that is not what it must be.
    fn wrong<T>(&self, i: usize, expected: &'static str) -> Evaluated<T> {
        let name = self.builtin.params().nth(i).map_or("?", |p| p.name);
        let (found, at) = match self.slots.get(i).and_then(Option::as_ref) {
            Some(a) => (a.value.describe(), &a.at),
            None => ("missing".to_owned(), self.at),
        };
        let (function, argument) = (self.builtin.name.to_owned(), format!("`{name}`"));
        error(SourceFault::ArgumentKind { function, argument, expected, found }, at)
    }

    /// A tensor; a number becomes an `f32`.
    fn tensor(&self, i: usize) -> Evaluated<Tensor> {
        match self.given(i) {
            Some(a) => self.cx.tensor(&a.value, &a.at),
            None => self.wrong(i, "a tensor"),
        }
    }

    /// Two tensors of one dtype, where either may be a number.
    fn pair(&self, i: usize, j: usize) -> Evaluated<(Tensor, Tensor)> {
        match (self.given(i), self.given(j)) {
            (Some(x), Some(y)) => self.cx.pair(&x.value, &y.value, self.builtin.name, [&x.at, &y.at]),
            (None, _) => self.wrong(i, "a tensor"),
            (_, None) => self.wrong(j, "a tensor"),
        }
    }

    /// A tensor that goes with another: a number takes its dtype.
    fn tensor_like(&self, i: usize, like: Tensor) -> Evaluated<Tensor> {
        match self.given(i) {
            Some(a) => self.cx.tensor_like(&a.value, like, self.builtin.name, &a.at),
            None => self.wrong(i, "a tensor"),
        }
    }

    /// Tensors in a list or tuple, or the axis-0 rows of one.
    fn tensors(&self, i: usize) -> Evaluated<Vec<Tensor>> {
        match self.given(i) {
            Some(Argument { value: Value::List(all) | Value::Tuple(all), at }) => {
                all.iter().map(|v| self.cx.tensor(v, at)).collect()
            }
            Some(_) | None => self.wrong(i, "a list or tuple of tensors"),
        }
    }

    /// The arguments after those with a parameter of their own.
    fn rest(&self) -> Evaluated<Vec<Tensor>> {
        self.rest.iter().map(|a| self.cx.tensor(&a.value, &a.at)).collect()
    }

    fn float(&self, i: usize, default: Option<f64>) -> Evaluated<f64> {
        match (self.given(i).map(|a| &a.value), default) {
            (Some(Value::Number(n)), _) => Ok(n.float),
            (None, Some(default)) => Ok(default),
            (Some(_), _) | (None, None) => self.wrong(i, "a number known while tracing"),
        }
    }

    fn int(&self, i: usize, default: Option<i64>) -> Evaluated<i64> {
        match (self.given(i), default) {
            (Some(a), _) => as_int(&a.value).map_or_else(|| self.wrong(i, "an integer known while tracing"), Ok),
            (None, Some(default)) => Ok(default),
            (None, None) => self.wrong(i, "an integer known while tracing"),
        }
    }

    fn count(&self, i: usize, default: Option<usize>) -> Evaluated<usize> {
        if let (None, Some(default)) = (self.given(i), default) {
            return Ok(default);
        }
        let count = usize::try_from(self.int(i, None)?);
        count.map_or_else(|_| self.wrong(i, "a whole number, 0 or more, known while tracing"), Ok)
    }

    fn bool(&self, i: usize, default: bool) -> Evaluated<bool> {
        match self.given(i).map(|a| &a.value) {
            Some(Value::Bool(value)) => Ok(*value),
            None => Ok(default),
            Some(_) => self.wrong(i, "true or false"),
        }
    }

    fn dtype(&self, i: usize, default: DType) -> Evaluated<DType> {
        match self.given(i).map(|a| &a.value) {
            Some(Value::DType(dtype)) => Ok(*dtype),
            None => Ok(default),
            Some(_) => self.wrong(i, "a dtype, such as f32"),
        }
    }

    fn text(&self, i: usize) -> Evaluated<&str> {
        match self.given(i).map(|a| &a.value) {
            Some(Value::Text(text)) => Ok(text),
            Some(_) | None => self.wrong(i, "a text between quotes"),
        }
    }

    /// One integer or several: axes or a permutation. `None` if it is not given.
    fn ints(&self, i: usize) -> Evaluated<Option<Vec<i64>>> {
        let Some(a) = self.given(i) else { return Ok(None) };
        match as_ints(&a.value) {
            Some(ints) => Ok(Some(ints)),
            None => self.wrong(i, "an integer, or a list or tuple of integers, known while tracing"),
        }
    }

    /// A shape, every extent known; `default` if it is not given.
    fn shape(&self, i: usize, default: Option<&[usize]>) -> Evaluated<Vec<usize>> {
        let expected = "a shape: a list of extents, known while tracing";
        match (self.ints(i)?, default) {
            (Some(ints), _) => {
                let shape = ints.into_iter().map(usize::try_from).collect::<Result<Vec<_>, _>>();
                shape.map_or_else(|_| self.wrong(i, expected), Ok)
            }
            (None, Some(default)) => Ok(default.to_vec()),
            (None, None) => self.wrong(i, expected),
        }
    }
}

/// An integer known while tracing.
pub(super) fn as_int(value: &Value) -> Option<i64> {
    let Value::Number(Number { float, int }) = value else { return None };
    int.or_else(|| (float.fract() == 0.0 && float.abs() < 2.0_f64.powi(53)).then_some(*float as i64))
}

fn as_ints(value: &Value) -> Option<Vec<i64>> {
    match value {
        Value::List(all) | Value::Tuple(all) => all.iter().map(as_int).collect(),
        Value::Number(_) => as_int(value).map(|i| vec![i]),
        Value::Tensor(_) | Value::Bool(_) | Value::None | Value::Text(_) | Value::DType(_) | Value::Function(_) => None,
    }
}

/// A tensor as the result of a built-in function.
fn ok(tensor: Tensor) -> Evaluated {
    Ok(Value::Tensor(tensor))
}

/// Tensors as the result of a built-in function.
fn tuple(tensors: impl IntoIterator<Item = Tensor>) -> Evaluated {
    Ok(Value::Tuple(tensors.into_iter().map(Value::Tensor).collect()))
}
