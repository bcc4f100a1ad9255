//! The interpreter: evaluates expressions while a program is traced, each operation at its place in the file.

use super::ast::{BinaryOp, Definition, Expr, ExprKind, File, Item, Number, Part, Pattern};
use super::builtins::{self, Builtin};
use super::literal::{flatten, fold, fold_bools, holds_tensor};
use super::nested::Nested;
use super::suggest::closest;
use super::transforms;
use super::value::{Env, Function, Value};
use super::{SourceError, SourceFault, Suggestions};
use crate::ops::slicing::Index;
use crate::tensor::number_like;
use crate::trace::{emit1, located};
use crate::{Array, DType, Tensor, TensorType};
use jx_ir::{Loc, Prim};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::Arc;

/// Calls of the file's functions nested deeper than this are taken for a recursion.
pub(super) const MAX_CALLS: usize = 48;
/// Evaluation nested deeper than this, calls included, is refused, so that no file exhausts the stack.
const MAX_DEPTH: usize = 512;

pub(super) type Evaluated<T = Value> = Result<T, SourceError>;

/// A value of the file, or an input, known outside any trace.
#[derive(Clone, Debug)]
pub(super) enum Global {
    Arrays(Nested<Array>),
    Static(Value),
}

/// An evaluated argument and its place.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub(super) value: Value,
    pub(super) at: Loc,
}

/// What a file's expressions mean: its functions, the values known so far, and the calls under way.
#[derive(Debug)]
pub(super) struct Interpreter {
    file: Arc<File>,
    pub(super) globals: RefCell<BTreeMap<String, Global>>,
    calls: RefCell<Vec<String>>,
    depth: Cell<usize>,
}

/// The names of dtypes and of constants.
const CONSTANTS: [(&str, f64); 3] = [("pi", std::f64::consts::PI), ("inf", f64::INFINITY), ("nan", f64::NAN)];

pub(super) fn error<T>(fault: SourceFault, at: &Loc) -> Evaluated<T> {
    Err(SourceError::new(fault, at))
}

impl Interpreter {
    pub(super) fn new(file: Arc<File>) -> Interpreter {
        Interpreter { file, globals: RefCell::default(), calls: RefCell::default(), depth: Cell::new(0) }
    }

    fn defined(&self, name: &str) -> Option<&Arc<Definition>> {
        self.file.functions.iter().find(|f| f.name.as_deref() == Some(name))
    }

    /// Whether the file or the expression gives `name` a meaning of its own.
    pub(super) fn is_bound(&self, name: &str, env: &Env) -> bool {
        env.get(name).is_some() || self.globals.borrow().contains_key(name) || self.defined(name).is_some()
    }

    /// The value of an expression.
    pub(super) fn eval(&self, expr: &Expr, env: &Env) -> Evaluated {
        let depth = self.depth.get();
        if depth >= MAX_DEPTH {
            return error(SourceFault::Depth { limit: MAX_DEPTH }, &expr.at);
        }
        self.depth.set(depth + 1);
        let value = self.eval_kind(expr, env);
        self.depth.set(depth);
        value
    }

    fn eval_kind(&self, expr: &Expr, env: &Env) -> Evaluated {
        let at = &expr.at;
        match &expr.kind {
            ExprKind::Number(number) => Ok(Value::Number(*number)),
            ExprKind::Text(text) => Ok(Value::Text(text.clone())),
            ExprKind::Bool(value) => Ok(Value::Bool(*value)),
            ExprKind::None => Ok(Value::None),
            ExprKind::Name(name) => self.name(name, at, env),
            ExprKind::Part { of, part } => self.part(of, part, at, env),
            ExprKind::Tuple(parts) => Ok(Value::Tuple(self.eval_all(parts, env)?)),
            ExprKind::List(items) => Ok(Value::List(self.eval_all(items, env)?)),
            ExprKind::Typed { value, dtype } => {
                let literal = self.eval(value, env)?;
                self.typed(&literal, *dtype, at)
            }
            ExprKind::Neg(operand) => {
                let value = self.eval(operand, env)?;
                if let Value::Number(Number { float, int }) = value {
                    return Ok(Value::Number(Number { float: -float, int: int.and_then(i64::checked_neg) }));
                }
                let x = self.tensor(&value, &operand.at)?;
                Ok(Value::Tensor(located(at, || -x)))
            }
            ExprKind::Not(operand) => {
                let value = self.eval(operand, env)?;
                if let Value::Bool(value) = value {
                    return Ok(Value::Bool(!value));
                }
                let x = self.tensor(&value, &operand.at)?;
                Ok(Value::Tensor(located(at, || !x)))
            }
            ExprKind::Binary { op, lhs, rhs } => {
                let (x, y) = (self.eval(lhs, env)?, self.eval(rhs, env)?);
                self.binary(*op, &x, &y, at, [&lhs.at, &rhs.at])
            }
            ExprKind::Call { function, args, named } => transforms::call(self, function, args, named, at, env),
            ExprKind::Index { of, items } => self.index(of, items, at, env),
            ExprKind::Lambda(definition) => {
                Ok(Value::Function(Arc::new(Function::Defined { definition: definition.clone(), env: env.clone() })))
            }
            ExprKind::Block { lets, result } => {
                let mut env = env.clone();
                for (pattern, value) in lets {
                    let value = self.eval(value, &env)?;
                    env = self.bind(pattern, value, env, None)?;
                }
                self.eval(result, &env)
            }
        }
    }

    fn eval_all(&self, all: &[Expr], env: &Env) -> Evaluated<Vec<Value>> {
        all.iter().map(|e| self.eval(e, env)).collect()
    }

    fn name(&self, name: &str, at: &Loc, env: &Env) -> Evaluated {
        if let Some(value) = env.get(name) {
            return Ok(value.clone());
        }
        if let Some(global) = self.globals.borrow().get(name) {
            return Ok(match global {
                Global::Arrays(arrays) => from_nested(&arrays.map_with(&mut |a| located(at, || crate::tensor(a)))),
                Global::Static(value) => value.clone(),
            });
        }
        if let Some(definition) = self.defined(name) {
            let f = Function::Defined { definition: definition.clone(), env: Env::default() };
            return Ok(Value::Function(Arc::new(f)));
        }
        if let Some(builtin) = builtins::find(name) {
            return Ok(Value::Function(Arc::new(Function::Builtin(builtin))));
        }
        if let Some(dtype) = DType::from_name(name) {
            return Ok(Value::DType(dtype));
        }
        if let Some((_, value)) = CONSTANTS.iter().find(|(constant, _)| *constant == name) {
            return Ok(Value::Number(Number::from_float(*value)));
        }
        error(self.unknown("value", name, env), at)
    }

    /// The fault of a name that nothing has, with the closest of those that something has.
    pub(super) fn unknown(&self, what: &'static str, name: &str, env: &Env) -> SourceFault {
        let own: Vec<String> = self.file.functions.iter().filter_map(|f| f.name.clone()).collect();
        let globals: Vec<String> = self.globals.borrow().keys().cloned().collect();
        let here: Vec<String> = env.names().map(str::to_owned).collect();
        let mut known: Vec<String> = [&here[..], &own[..], &globals[..]].concat();
        known.extend(builtins::all().map(|b| b.name.to_owned()));
        known.extend(transforms::NAMES.map(str::to_owned));
        let closest = closest(name, &known);
        let all = if what == "function" { own } else { Vec::new() };
        SourceFault::Unknown { what, name: name.to_owned(), suggestions: Suggestions { closest, all } }
    }

    fn part(&self, of: &Expr, part: &Part, at: &Loc, env: &Env) -> Evaluated {
        let index = match part {
            Part::Name(name) => {
                if let ExprKind::Name(space) = &of.kind
                    && !self.is_bound(space, env)
                {
                    let full = format!("{space}.{name}");
                    return match builtins::find(&full) {
                        Some(builtin) => Ok(Value::Function(Arc::new(Function::Builtin(builtin)))),
                        None => error(self.unknown("function", &full, env), at),
                    };
                }
                let found = self.eval(of, env)?.describe();
                return error(SourceFault::NoPart { found, part: name.clone() }, at);
            }
            Part::Number(index) => *index,
        };
        let value = self.eval(of, env)?;
        let found = value.describe();
        if let Value::Tuple(mut parts) = value
            && index < parts.len()
        {
            return Ok(parts.swap_remove(index));
        }
        error(SourceFault::NoPart { found, part: index.to_string() }, at)
    }

    /// The variables in scope and those that a pattern names in a value.
    ///
    /// `call` is the function whose parameter the pattern is, and the place of its call.
    pub(super) fn bind(&self, pattern: &Pattern, value: Value, env: Env, call: Option<(&str, &Loc)>) -> Evaluated<Env> {
        match pattern {
            Pattern::Name { name, ty: None, .. } => Ok(env.with(name, value)),
            Pattern::Name { name, ty: Some(declared), at } => {
                let at = call.map_or(at, |(_, at)| at);
                let tensor = if let Value::Number(_) | Value::List(_) = value {
                    self.literal(&value, declared.dtype, at)?
                } else {
                    self.tensor(&value, at)?
                };
                let found = tensor.ty();
                if found != *declared && !tensor.is_poison() {
                    let (function, parameter) = (call.map_or("let", |(f, _)| f).to_owned(), name.clone());
                    return error(
                        SourceFault::ArgumentType { function, parameter, declared: declared.clone(), found },
                        at,
                    );
                }
                Ok(env.with(name, Value::Tensor(tensor)))
            }
            Pattern::Tuple { parts, at } => {
                let at = call.map_or(at, |(_, at)| at);
                let found = value.describe();
                // A tensor comes apart along axis 0, as in Python.
                let value = if let Value::Tensor(t) = value
                    && t.shape().first() == Some(&parts.len())
                {
                    let rows = (0..parts.len() as i64).map(|i| Value::Tensor(located(at, || t.index(i))));
                    Value::Tuple(rows.collect())
                } else {
                    value
                };
                if let Value::Tuple(values) | Value::List(values) = value
                    && values.len() == parts.len()
                {
                    return parts.iter().zip(values).try_fold(env, |env, (p, v)| self.bind(p, v, env, call));
                }
                let (function, expected) = (call.map(|(f, _)| f.to_owned()), parts.len());
                error(SourceFault::Pattern { function, pattern: pattern.to_string(), expected, found }, at)
            }
        }
    }

    /// The result of one of the file's functions.
    pub(super) fn call_defined(&self, definition: &Definition, env: &Env, args: Vec<Value>, at: &Loc) -> Evaluated {
        let mut calls = self.calls.borrow_mut();
        if calls.len() >= MAX_CALLS {
            let last: Vec<&str> = calls[calls.len() - 3..].iter().map(String::as_str).collect();
            let chain = format!("… → {} → {}", last.join(" → "), definition.name());
            return error(SourceFault::Recursion { limit: MAX_CALLS, chain }, at);
        }
        calls.push(definition.name().to_owned());
        drop(calls);
        let mut env = env.clone();
        let result = (|| {
            for (pattern, value) in definition.params.iter().zip(args) {
                env = self.bind(pattern, value, std::mem::take(&mut env), Some((definition.name(), at)))?;
            }
            self.eval(&definition.body, &env)
        })();
        self.calls.borrow_mut().pop();
        result
    }

    /// A value as a tensor; numbers alone become `f32`.
    pub(super) fn tensor(&self, value: &Value, at: &Loc) -> Evaluated<Tensor> {
        match value {
            Value::Tensor(t) => Ok(*t),
            Value::Number(_) => self.literal(value, DType::F32, at),
            Value::Bool(_) => self.literal(value, DType::Bool, at),
            Value::List(items) => self.list(items, at),
            Value::Function(f) => error(SourceFault::Unapplied { function: f.name() }, at),
            Value::None | Value::Text(_) | Value::DType(_) | Value::Tuple(_) => {
                error(SourceFault::NotATensor { found: value.describe() }, at)
            }
        }
    }

    /// A value as a tensor that goes with `like`: a number takes its dtype.
    pub(super) fn tensor_like(&self, value: &Value, like: Tensor, op: &'static str, at: &Loc) -> Evaluated<Tensor> {
        if let Value::Number(n) = value {
            let place = Location::caller();
            return Ok(located(at, || number_like(like, n.float, n.int.map(i128::from), n.to_string(), op, place)));
        }
        self.tensor(value, at)
    }

    /// Two values as tensors of one dtype where one of them is a number.
    pub(super) fn pair(&self, x: &Value, y: &Value, op: &'static str, at: [&Loc; 2]) -> Evaluated<(Tensor, Tensor)> {
        if let (Value::Number(_), Value::Tensor(_) | Value::List(_)) = (x, y) {
            let y = self.tensor(y, at[1])?;
            return Ok((self.tensor_like(x, y, op, at[0])?, y));
        }
        let x = self.tensor(x, at[0])?;
        Ok((x, self.tensor_like(y, x, op, at[1])?))
    }

    /// A list as a tensor: an array of its numbers, or its tensors stacked.
    fn list(&self, items: &[Value], at: &Loc) -> Evaluated<Tensor> {
        if !items.iter().any(holds_tensor) {
            let dtype = if items.iter().any(|v| matches!(v, Value::Bool(_))) { DType::Bool } else { DType::F32 };
            return self.literal(&Value::List(items.to_vec()), dtype, at);
        }
        let first = items.iter().find_map(|v| if let Value::Tensor(t) = v { Some(*t) } else { None });
        let rows = items.iter().map(|v| match (v, first) {
            (Value::Number(_), Some(first)) => self.tensor_like(v, first, "stack", at),
            _ => self.tensor(v, at),
        });
        let rows = rows.collect::<Evaluated<Vec<Tensor>>>()?;
        Ok(located(at, || crate::ops::numpy::stack(rows, 0)))
    }

    /// A literal with a dtype said: `3:i32`.
    fn typed(&self, value: &Value, dtype: DType, at: &Loc) -> Evaluated {
        if let Value::Tensor(t) = value {
            return Ok(Value::Tensor(located(at, || t.astype(dtype))));
        }
        self.literal(value, dtype, at).map(Value::Tensor)
    }

    /// Numbers and lists of them as a tensor of that dtype.
    pub(super) fn literal(&self, value: &Value, dtype: DType, at: &Loc) -> Evaluated<Tensor> {
        let mut flat = Vec::new();
        let shape = flatten(value, dtype, at, &mut flat)?;
        let prim = match (&shape[..], &flat[..]) {
            ([], [value]) => Prim::Full { value: *value, shape: Vec::new() },
            _ => {
                let array = jx_ir::Array::from_scalars(&TensorType::new(dtype, shape), flat.into_iter());
                Prim::Constant(Arc::new(array.map_err(|_| SourceError::new(SourceFault::Ragged, at))?))
            }
        };
        Ok(located(at, || emit1(prim, &[], Location::caller())))
    }

    fn binary(&self, op: BinaryOp, x: &Value, y: &Value, at: &Loc, places: [&Loc; 2]) -> Evaluated {
        match (x, y) {
            (Value::Number(a), Value::Number(b)) => {
                if let Some(value) = fold(op, *a, *b) {
                    return Ok(value);
                }
            }
            (Value::Bool(a), Value::Bool(b)) => {
                if let Some(value) = fold_bools(op, *a, *b) {
                    return Ok(Value::Bool(value));
                }
            }
            (x, Value::Number(exponent)) if op == BinaryOp::Pow => {
                let x = self.tensor(x, places[0])?;
                return Ok(Value::Tensor(located(at, || match exponent.int.map(i32::try_from) {
                    Some(Ok(n)) => x.powi(n),
                    Some(Err(_)) | None => x.powf(exponent.float),
                })));
            }
            _ => {}
        }
        let (x, y) = self.pair(x, y, op.sign(), places)?;
        Ok(Value::Tensor(located(at, || match op {
            BinaryOp::Add => x + y,
            BinaryOp::Sub => x - y,
            BinaryOp::Mul => x * y,
            BinaryOp::Div => x / y,
            BinaryOp::Rem => x % y,
            BinaryOp::MatMul => x.matmul(y),
            BinaryOp::Pow => x.pow(y),
            BinaryOp::And => x & y,
            BinaryOp::Or => x | y,
            BinaryOp::Eq => x.equal(y),
            BinaryOp::Ne => x.not_equal(y),
            BinaryOp::Lt => x.less(y),
            BinaryOp::Le => x.less_equal(y),
            BinaryOp::Gt => x.greater(y),
            BinaryOp::Ge => x.greater_equal(y),
        })))
    }

    fn index(&self, of: &Expr, items: &[Item], at: &Loc, env: &Env) -> Evaluated {
        let value = self.eval(of, env)?;
        let bound = |e: &Option<Expr>| e.as_ref().map(|e| self.int(&self.eval(e, env)?, "an index", &e.at)).transpose();
        let mut indices = Vec::with_capacity(items.len());
        for item in items {
            indices.push(match item {
                Item::At(e) => {
                    let value = self.eval(e, env)?;
                    if let Value::Tensor(t) = value {
                        Index::Tensor(t)
                    } else if let Value::None = value {
                        Index::New
                    } else {
                        Index::At(self.int(&value, "an index", &e.at)?)
                    }
                }
                Item::Range { start, stop, step } => {
                    Index::Range { start: bound(start)?, stop: bound(stop)?, step: bound(step)?.unwrap_or(1) }
                }
            });
        }
        let x = self.tensor(&value, &of.at)?;
        Ok(Value::Tensor(located(at, || x.index(indices))))
    }

    /// A value that must be an integer known while tracing.
    fn int(&self, value: &Value, argument: &str, at: &Loc) -> Evaluated<i64> {
        builtins::as_int(value).ok_or_else(|| {
            let (function, argument) = ("[..]".to_owned(), argument.to_owned());
            let expected = "an integer or a range of integers";
            SourceError::new(SourceFault::ArgumentKind { function, argument, expected, found: value.describe() }, at)
        })
    }

    /// A value as the tree of tensors that a transformed function returns.
    pub(super) fn to_nested(&self, value: &Value, at: &Loc) -> Evaluated<Nested<Tensor>> {
        if let Value::Tuple(parts) = value {
            return Ok(Nested::Tuple(parts.iter().map(|p| self.to_nested(p, at)).collect::<Evaluated<_>>()?));
        }
        Ok(Nested::Leaf(self.tensor(value, at)?))
    }

    /// The result of a built-in function.
    pub(super) fn call_builtin(
        &self,
        builtin: &'static Builtin,
        args: Vec<Argument>,
        named: Vec<(String, Argument)>,
        at: &Loc,
    ) -> Evaluated {
        let bound = builtins::Bound::new(self, builtin, args, named, at)?;
        located(at, || (builtin.call)(&bound))
    }
}

/// The tree of a result as a value.
pub(super) fn from_nested(tree: &Nested<Tensor>) -> Value {
    match tree {
        Nested::Leaf(t) => Value::Tensor(*t),
        Nested::Tuple(parts) => Value::Tuple(parts.iter().map(from_nested).collect()),
    }
}
