//! The parser of source files and expressions, by recursive descent with a limit on nesting.
//!
//! The grammar is in the documentation of the module above.

use super::ast::{
    BinaryOp, Definition, Expr, ExprKind, File, Item, LetStatement, Named, Number, PREFIX_STRENGTH, Part, Pattern,
    RunStatement,
};
use super::lexer::{Kind, Token, tokens};
use super::text::SourceText;
use super::{SourceError, SourceFault};
use crate::{DType, TensorType};
use jx_ir::Loc;
use std::collections::HashMap;
use std::sync::Arc;

/// Expressions nested deeper than this are refused, so that no input exhausts the stack.
pub(super) const MAX_NESTING: usize = 128;

const RESERVED: [&str; 6] = ["fn", "let", "run", "true", "false", "None"];

type Parsed<T> = Result<T, SourceError>;

/// The file that a text is.
pub(super) fn file(source: &SourceText) -> Parsed<File> {
    let mut p = Parser::new(source);
    let mut file = File::default();
    let mut defined = HashMap::new();
    while p.peek() != Kind::End {
        p.item(&mut file, &mut defined)?;
        while p.take_mark(";") {}
    }
    Ok(file)
}

/// The expression that a text is.
pub(super) fn expression(source: &SourceText) -> Parsed<Expr> {
    let mut p = Parser::new(source);
    let expr = p.expr()?;
    p.end("the end of the expression")?;
    Ok(expr)
}

/// The tensor type that a text is.
pub(super) fn tensor_type(source: &SourceText) -> Parsed<TensorType> {
    let mut p = Parser::new(source);
    let ty = p.ty()?;
    p.end("the end of the type")?;
    Ok(ty)
}

struct Parser<'a> {
    source: &'a SourceText,
    tokens: Vec<Token<'a>>,
    next: usize,
    nesting: usize,
}

impl<'a> Parser<'a> {
    fn new(source: &'a SourceText) -> Parser<'a> {
        Parser { source, tokens: tokens(source.text()), next: 0, nesting: 0 }
    }

    fn token(&self) -> Token<'a> {
        self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> Kind<'a> {
        self.token().kind
    }

    fn peek_after(&self, n: usize) -> Kind<'a> {
        self.tokens[(self.next + n).min(self.tokens.len() - 1)].kind
    }

    fn advance(&mut self) {
        self.next += 1;
    }

    fn loc(&self) -> Loc {
        // What is missing at the end is missing after the last token.
        let token = match self.next.checked_sub(1) {
            Some(last) if self.peek() == Kind::End => return self.source.loc(self.tokens[last].end),
            Some(_) | None => self.token(),
        };
        self.source.loc(token.start)
    }

    fn is_mark(&self, mark: &str) -> bool {
        matches!(self.peek(), Kind::Mark(m) if m == mark)
    }

    fn take_mark(&mut self, mark: &str) -> bool {
        let found = self.is_mark(mark);
        if found {
            self.advance();
        }
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Kind::Word(word);
        if found {
            self.advance();
        }
        found
    }

    fn want_mark(&mut self, mark: &'static str, expected: &'static str) -> Parsed<()> {
        if self.take_mark(mark) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn end(&self, expected: &'static str) -> Parsed<()> {
        if self.peek() == Kind::End { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn error(&self, fault: SourceFault) -> SourceError {
        SourceError::new(fault, &self.loc())
    }

    fn unexpected(&self, expected: &'static str) -> SourceError {
        let found = match self.peek() {
            Kind::Word(word) | Kind::Number(word) => format!("`{word}`"),
            Kind::Text(text) => format!("{text:?}"),
            Kind::Mark(mark) => format!("`{mark}`"),
            Kind::End => "the end".to_owned(),
            Kind::OpenText => return self.error(SourceFault::OpenText),
            Kind::Stray(found) => return self.error(SourceFault::Character { found }),
        };
        self.error(SourceFault::Expected { expected, found })
    }

    fn item(&mut self, file: &mut File, defined: &mut HashMap<String, Loc>) -> Parsed<()> {
        let mut define = |name: &str, at: &Loc| match defined.insert(name.to_owned(), at.clone()) {
            Some(first) => Err(SourceError::new(SourceFault::Redefined { name: name.to_owned(), first }, at)),
            None => Ok(()),
        };
        if self.take_word("fn") {
            let at = self.loc();
            let name = self.name("the function's name")?;
            define(&name, &at)?;
            self.want_mark("(", "`(` and the parameters")?;
            let params = self.list(")", "a parameter or `)`", |p| p.pattern(true))?;
            distinct(&params)?;
            self.want_mark("=", "`=` and the function's expression")?;
            let body = self.expr()?;
            file.functions.push(Arc::new(Definition { name: Some(name), at, params, body }));
        } else if self.take_word("let") {
            let pattern = self.pattern(false)?;
            for (name, at, _) in pattern.names() {
                define(name, at)?;
            }
            self.want_mark("=", "`=` and the value")?;
            file.lets.push(LetStatement { pattern, value: self.expr()? });
        } else if self.take_word("run") {
            let timed = self.take_word("time");
            let label = if let Kind::Text(text) = self.peek() {
                self.advance();
                Some(text.to_owned())
            } else {
                None
            };
            let start = self.token().start;
            let value = self.expr()?;
            let end = self.tokens[self.next - 1].end;
            let text = self.source.text()[start..end].split_whitespace().collect::<Vec<_>>().join(" ");
            file.runs.push(RunStatement { label, text, timed, value });
        } else {
            return Err(self.unexpected("`fn`, `let` or `run`"));
        }
        Ok(())
    }

    fn name(&mut self, expected: &'static str) -> Parsed<String> {
        if let Kind::Word(word) = self.peek()
            && !RESERVED.contains(&word)
        {
            self.advance();
            return Ok(word.to_owned());
        }
        Err(self.unexpected(expected))
    }

    /// What `each` reads, commas between and after, up to the closing mark.
    fn list<T>(
        &mut self,
        close: &'static str,
        expected: &'static str,
        mut each: impl FnMut(&mut Parser<'a>) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut all = Vec::new();
        loop {
            if self.take_mark(close) {
                return Ok(all);
            }
            if self.peek() == Kind::End {
                return Err(self.unexpected(expected));
            }
            all.push(each(self)?);
            if !self.take_mark(",") && !self.is_mark(close) {
                return Err(self.unexpected(match close {
                    ")" => "`,` or `)`",
                    "]" => "`,` or `]`",
                    _ => "`,` or `|`",
                }));
            }
        }
    }

    /// A name, with a type if it may have one, or a tuple of patterns.
    fn pattern(&mut self, typed: bool) -> Parsed<Pattern> {
        let at = self.loc();
        if self.take_mark("(") {
            return self.nested(|p| {
                let parts = p.list(")", "a name or `)`", |p| p.pattern(typed))?;
                Ok(Pattern::Tuple { parts, at })
            });
        }
        let name = self.name("a name, or names in parentheses")?;
        let ty = if typed && self.take_mark(":") { Some(self.ty()?) } else { None };
        Ok(Pattern::Name { name, at, ty })
    }

    /// `f32[3,2]`.
    fn ty(&mut self) -> Parsed<TensorType> {
        let expected = "a type, such as f32[3] or f32[]";
        let Some(dtype) = self.dtype() else { return Err(self.unexpected(expected)) };
        self.want_mark("[", "`[` and the shape: f32[3], or f32[] for a scalar")?;
        let shape = self.list("]", "an extent or `]`", |p| {
            let at = p.loc();
            let (Kind::Number(text), extent) = (p.peek(), p.number()) else { return Err(p.unexpected("an extent")) };
            let extent = extent?.int.and_then(|n| usize::try_from(n).ok());
            extent.ok_or_else(|| SourceError::new(SourceFault::Number { text: text.to_owned() }, &at))
        })?;
        Ok(TensorType { dtype, shape })
    }

    fn dtype(&mut self) -> Option<DType> {
        let Kind::Word(word) = self.peek() else { return None };
        let dtype = DType::from_name(word)?;
        self.advance();
        Some(dtype)
    }

    fn number(&mut self) -> Parsed<Number> {
        let Kind::Number(text) = self.peek() else { return Err(self.unexpected("a number")) };
        let plain = text.replace('_', "");
        let number = match plain.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16).ok().map(Number::from_int),
            None => match plain.parse::<i64>() {
                Ok(int) => Some(Number::from_int(int)),
                Err(_) => plain.parse::<f64>().ok().filter(|x| x.is_finite()).map(Number::from_float),
            },
        };
        let number = number.ok_or_else(|| self.error(SourceFault::Number { text: text.to_owned() }))?;
        self.advance();
        Ok(number)
    }

    /// What `f` reads, one level deeper.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Parser<'a>) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            return Err(self.error(SourceFault::Depth { limit: MAX_NESTING }));
        }
        self.nesting += 1;
        let result = f(self);
        self.nesting -= 1;
        result
    }

    fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|p| p.operators(0))
    }

    /// The expression, if it is not nested too deeply itself: a chain of operators nests without brackets.
    fn make(&self, kind: ExprKind, at: Loc) -> Parsed<Expr> {
        let depth = 1 + children(&kind).map(|e| e.depth).max().unwrap_or(0);
        if depth > 2 * MAX_NESTING {
            return Err(SourceError::new(SourceFault::Depth { limit: 2 * MAX_NESTING }, &at));
        }
        Ok(Expr { kind, at, depth })
    }

    /// An operand and what operators of at least this strength join to it.
    fn operators(&mut self, least: u8) -> Parsed<Expr> {
        let mut lhs = self.prefix()?;
        while let Some((op, strength)) = self.operator().filter(|(_, strength)| *strength >= least) {
            let at = self.loc();
            self.advance();
            // Powers group from the right, and the exponent may have a sign.
            let strength = if op == BinaryOp::Pow { strength } else { strength + 1 };
            let rhs = if op == BinaryOp::Pow && self.is_mark("-") {
                self.nested(Parser::prefix)?
            } else {
                self.nested(|p| p.operators(strength))?
            };
            lhs = self.make(ExprKind::Binary { op, lhs: Box::new(lhs), rhs: Box::new(rhs) }, at)?;
        }
        Ok(lhs)
    }

    fn operator(&self) -> Option<(BinaryOp, u8)> {
        let Kind::Mark(mark) = self.peek() else { return None };
        BinaryOp::TABLE.iter().find(|(sign, _, _)| *sign == mark).map(|(_, op, strength)| (*op, *strength))
    }

    fn prefix(&mut self) -> Parsed<Expr> {
        let at = self.loc();
        let wrap = if self.take_mark("-") {
            ExprKind::Neg
        } else if self.take_mark("!") {
            ExprKind::Not
        } else {
            return self.postfix();
        };
        let operand = self.nested(|p| p.operators(PREFIX_STRENGTH))?;
        self.make(wrap(Box::new(operand)), at)
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut expr = self.primary()?;
        loop {
            let at = self.loc();
            if self.take_mark("(") {
                expr = self.nested(|p| p.call(expr))?;
            } else if self.take_mark("[") {
                let items = self.nested(|p| p.list("]", "an index or `]`", Parser::index_item))?;
                expr = self.make(ExprKind::Index { of: Box::new(expr), items }, at)?;
            } else if self.is_mark(".") {
                self.advance();
                let at = self.loc();
                let parts = match self.peek() {
                    Kind::Word(name) => vec![Part::Name(name.to_owned())],
                    // `t.0.1` is read as `t`, `.` and the number `0.1`.
                    Kind::Number(digits) => {
                        let parts = digits.split('.').map(|i| i.parse().map(Part::Number));
                        let parts: Result<Vec<Part>, _> = parts.collect();
                        parts.map_err(|_| self.error(SourceFault::Number { text: digits.to_owned() }))?
                    }
                    Kind::Text(_) | Kind::Mark(_) | Kind::End | Kind::OpenText | Kind::Stray(_) => {
                        return Err(self.unexpected("the number or name of a part"));
                    }
                };
                self.advance();
                for part in parts {
                    expr = self.make(ExprKind::Part { of: Box::new(expr), part }, at.clone())?;
                }
            } else if let (Kind::Mark(":"), Kind::Word(word)) = (self.peek(), self.peek_after(1))
                && let Some(dtype) = DType::from_name(word)
                && !matches!(self.peek_after(2), Kind::Mark("["))
            {
                self.advance();
                self.advance();
                let at = expr.at.clone();
                expr = self.make(ExprKind::Typed { value: Box::new(expr), dtype }, at)?;
            } else {
                return Ok(expr);
            }
        }
    }

    fn call(&mut self, function: Expr) -> Parsed<Expr> {
        let at = function.at.clone();
        let mut args = Vec::new();
        let mut named = Vec::new();
        let all = self.list(")", "an argument or `)`", |p| {
            if let (Kind::Word(name), Kind::Mark("=")) = (p.peek(), p.peek_after(1)) {
                let at = p.loc();
                p.advance();
                p.advance();
                return Ok((Some((name.to_owned(), at)), p.expr()?));
            }
            Ok((None, p.expr()?))
        })?;
        for (name, value) in all {
            match name {
                Some((name, at)) => named.push(Named { name, at, value }),
                None if !named.is_empty() => {
                    let expected = "an argument with its name, since one before it has its name";
                    return Err(SourceError::new(
                        SourceFault::Expected { expected, found: "one without".to_owned() },
                        &value.at,
                    ));
                }
                None => args.push(value),
            }
        }
        self.make(ExprKind::Call { function: Box::new(function), args, named }, at)
    }

    fn index_item(&mut self) -> Parsed<Item> {
        let bound = |p: &mut Parser<'a>| {
            if let Kind::Mark(":" | "," | "]") = p.peek() { Ok(None) } else { p.expr().map(Some) }
        };
        let start = bound(self)?;
        if !self.take_mark(":") {
            return start.map(Item::At).ok_or_else(|| self.unexpected("an index"));
        }
        let stop = bound(self)?;
        let step = if self.take_mark(":") { bound(self)? } else { None };
        Ok(Item::Range { start, stop, step })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let at = self.loc();
        let kind = match self.peek() {
            Kind::Number(_) => ExprKind::Number(self.number()?),
            Kind::Text(text) => {
                self.advance();
                ExprKind::Text(text.to_owned())
            }
            Kind::Word("true") => self.constant(ExprKind::Bool(true)),
            Kind::Word("false") => self.constant(ExprKind::Bool(false)),
            Kind::Word("None") => self.constant(ExprKind::None),
            Kind::Word(_) => ExprKind::Name(self.name("an expression")?),
            Kind::Mark("(") => {
                self.advance();
                return self.nested(|p| p.parentheses(at));
            }
            Kind::Mark("[") => {
                self.advance();
                ExprKind::List(self.nested(|p| p.list("]", "an element or `]`", Parser::expr))?)
            }
            Kind::Mark("{") => {
                self.advance();
                return self.nested(|p| p.block(at));
            }
            Kind::Mark("|") => {
                self.advance();
                let params = self.list("|", "a parameter or `|`", |p| p.pattern(true))?;
                return self.lambda(at, params);
            }
            Kind::Mark("||") => {
                self.advance();
                return self.lambda(at, Vec::new());
            }
            Kind::Mark(_) | Kind::End | Kind::OpenText | Kind::Stray(_) => return Err(self.unexpected("an expression")),
        };
        self.make(kind, at)
    }

    /// The constant whose word is next.
    fn constant(&mut self, kind: ExprKind) -> ExprKind {
        self.advance();
        kind
    }

    fn lambda(&mut self, at: Loc, params: Vec<Pattern>) -> Parsed<Expr> {
        distinct(&params)?;
        let body = self.expr()?;
        let definition = Definition { name: None, at: at.clone(), params, body };
        self.make(ExprKind::Lambda(Arc::new(definition)), at)
    }

    /// A parenthesised expression, or a tuple: `()`, `(x,)`, `(x, y)`.
    fn parentheses(&mut self, at: Loc) -> Parsed<Expr> {
        if self.take_mark(")") {
            return self.make(ExprKind::Tuple(Vec::new()), at);
        }
        let first = self.expr()?;
        if self.take_mark(")") {
            return Ok(first);
        }
        self.want_mark(",", "`,` or `)`")?;
        let mut parts = vec![first];
        parts.extend(self.list(")", "an expression or `)`", Parser::expr)?);
        self.make(ExprKind::Tuple(parts), at)
    }

    fn block(&mut self, at: Loc) -> Parsed<Expr> {
        let mut lets = Vec::new();
        while self.take_word("let") {
            let pattern = self.pattern(false)?;
            self.want_mark("=", "`=` and the value")?;
            let value = self.expr()?;
            self.want_mark(";", "`;` after the value")?;
            lets.push((pattern, value));
        }
        let result = Box::new(self.expr()?);
        self.want_mark("}", "an operator, or `}` after the block's result")?;
        self.make(ExprKind::Block { lets, result }, at)
    }
}

/// That no two parameters have one name.
fn distinct(params: &[Pattern]) -> Parsed<()> {
    let mut seen: HashMap<&str, &Loc> = HashMap::new();
    for (name, at, _) in params.iter().flat_map(Pattern::names) {
        if name == "_" {
            continue;
        }
        if let Some(&first) = seen.get(name) {
            let fault = SourceFault::Redefined { name: name.to_owned(), first: first.clone() };
            return Err(SourceError::new(fault, at));
        }
        seen.insert(name, at);
    }
    Ok(())
}

/// The expressions directly below.
pub(super) fn children(kind: &ExprKind) -> Box<dyn Iterator<Item = &Expr> + '_> {
    match kind {
        ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Bool(_) | ExprKind::None | ExprKind::Name(_) => {
            Box::new(std::iter::empty())
        }
        ExprKind::Part { of, .. } | ExprKind::Typed { value: of, .. } | ExprKind::Neg(of) | ExprKind::Not(of) => {
            Box::new(std::iter::once(&**of))
        }
        ExprKind::Tuple(all) | ExprKind::List(all) => Box::new(all.iter()),
        ExprKind::Binary { lhs, rhs, .. } => Box::new([&**lhs, &**rhs].into_iter()),
        ExprKind::Call { function, args, named } => {
            Box::new(std::iter::once(&**function).chain(args).chain(named.iter().map(|n| &n.value)))
        }
        ExprKind::Index { of, items } => Box::new(std::iter::once(&**of).chain(items.iter().flat_map(item_parts))),
        ExprKind::Lambda(definition) => Box::new(std::iter::once(&definition.body)),
        ExprKind::Block { lets, result } => {
            Box::new(lets.iter().map(|(_, value)| value).chain(std::iter::once(&**result)))
        }
    }
}

fn item_parts(item: &Item) -> impl Iterator<Item = &Expr> {
    let parts = match item {
        Item::At(index) => [Some(index), None, None],
        Item::Range { start, stop, step } => [start.as_ref(), stop.as_ref(), step.as_ref()],
    };
    parts.into_iter().flatten()
}
