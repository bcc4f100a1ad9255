//! What source files are made of, as the parser leaves it: names are not resolved, nothing is typed.

use crate::{DType, TensorType};
use jx_ir::Loc;
use std::fmt;
use std::sync::Arc;

/// A number as written. It has no dtype of its own: it takes that of the tensor beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    pub(super) float: f64,
    /// The exact value, if it is an integer written as one.
    pub(super) int: Option<i64>,
}

impl Number {
    pub(super) fn from_int(int: i64) -> Number {
        Number { float: int as f64, int: Some(int) }
    }

    pub(super) fn from_float(float: f64) -> Number {
        Number { float, int: None }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.int {
            Some(int) => write!(f, "{int}"),
            None => write!(f, "{:?}", self.float),
        }
    }
}

/// An operator of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    MatMul,
    Pow,
    And,
    Or,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryOp {
    /// The operator's sign and its strength; stronger ones bind first.
    pub(super) const TABLE: [(&'static str, BinaryOp, u8); 17] = [
        ("|", BinaryOp::Or, 1),
        ("||", BinaryOp::Or, 1),
        ("&", BinaryOp::And, 2),
        ("&&", BinaryOp::And, 2),
        ("==", BinaryOp::Eq, 3),
        ("!=", BinaryOp::Ne, 3),
        ("<", BinaryOp::Lt, 3),
        ("<=", BinaryOp::Le, 3),
        (">", BinaryOp::Gt, 3),
        (">=", BinaryOp::Ge, 3),
        ("+", BinaryOp::Add, 4),
        ("-", BinaryOp::Sub, 4),
        ("*", BinaryOp::Mul, 5),
        ("/", BinaryOp::Div, 5),
        ("%", BinaryOp::Rem, 5),
        ("@", BinaryOp::MatMul, 5),
        ("^", BinaryOp::Pow, 7),
    ];

    pub(super) fn sign(self) -> &'static str {
        BinaryOp::TABLE.iter().find(|(_, op, _)| *op == self).map_or("", |(sign, _, _)| sign)
    }
}

/// How strongly `-x` and `!x` bind: more than a product, less than a power.
pub(super) const PREFIX_STRENGTH: u8 = 6;

/// An expression and the place of the token that names it: its operator, its function, or its first token.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) at: Loc,
    /// Levels of nesting, itself included.
    pub(super) depth: usize,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Number(Number),
    Text(String),
    Bool(bool),
    None,
    Name(String),
    /// `random.key`, `t.0`.
    Part {
        of: Box<Expr>,
        part: Part,
    },
    Tuple(Vec<Expr>),
    List(Vec<Expr>),
    /// `3:i32`.
    Typed {
        value: Box<Expr>,
        dtype: DType,
    },
    Neg(Box<Expr>),
    Not(Box<Expr>),
    Binary {
        op: BinaryOp,
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
    Call {
        function: Box<Expr>,
        args: Vec<Expr>,
        named: Vec<Named>,
    },
    Index {
        of: Box<Expr>,
        items: Vec<Item>,
    },
    Lambda(Arc<Definition>),
    Block {
        lets: Vec<(Pattern, Expr)>,
        result: Box<Expr>,
    },
}

/// What follows a dot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Number(usize),
    Name(String),
}

/// An argument by name.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) at: Loc,
    pub(super) value: Expr,
}

/// One of the indices in `x[..]`.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// `x[i]`.
    At(Expr),
    /// `x[a:b:step]`.
    Range { start: Option<Expr>, stop: Option<Expr>, step: Option<Expr> },
}

/// A parameter, or the left side of a `let`: a name or a tuple of patterns.
#[derive(Clone, Debug)]
pub(super) enum Pattern {
    Name { name: String, at: Loc, ty: Option<TensorType> },
    Tuple { parts: Vec<Pattern>, at: Loc },
}

impl Pattern {
    /// Every name in it, with its path: the numbers of the parts that lead to it.
    pub(super) fn names(&self) -> Vec<(&str, &Loc, Vec<usize>)> {
        match self {
            Pattern::Name { name, at, .. } => vec![(name, at, Vec::new())],
            Pattern::Tuple { parts, .. } => {
                let each = parts.iter().enumerate().flat_map(|(i, part)| {
                    part.names().into_iter().map(move |(name, at, mut path)| {
                        path.insert(0, i);
                        (name, at, path)
                    })
                });
                each.collect()
            }
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pattern::Name { name, ty: None, .. } => f.write_str(name),
            Pattern::Name { name, ty: Some(ty), .. } => write!(f, "{name}: {ty}"),
            Pattern::Tuple { parts, .. } => {
                let parts: Vec<String> = parts.iter().map(Pattern::to_string).collect();
                let comma = if parts.len() == 1 { "," } else { "" };
                write!(f, "({}{comma})", parts.join(", "))
            }
        }
    }
}

/// A function in expression form; without a name, `|x| x + 1`.
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) name: Option<String>,
    pub(super) at: Loc,
    pub(super) params: Vec<Pattern>,
    pub(super) body: Expr,
}

impl Definition {
    pub(super) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("|..|")
    }
}

/// What a file says to compute and print.
#[derive(Debug)]
pub(super) struct RunStatement {
    pub(super) label: Option<String>,
    /// The expression as written, on one line.
    pub(super) text: String,
    pub(super) timed: bool,
    pub(super) value: Expr,
}

/// A value that a file names: `let x = linspace(0, 1, 5)`.
#[derive(Debug)]
pub(super) struct LetStatement {
    pub(super) pattern: Pattern,
    pub(super) value: Expr,
}

/// A file, its definitions in order.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) functions: Vec<Arc<Definition>>,
    pub(super) lets: Vec<LetStatement>,
    pub(super) runs: Vec<RunStatement>,
}
