//! The text form of programs, read: `text.parse::<Func>()`.
//!
//! ```text
//! program   = "func" function
//! function  = [name] "(" [input {"," input}] ")" ["->" "(" [type {"," type}] ")"] "{" body "}"
//! input     = var ":" type
//! body      = {equation [";"]} "return" {var} [";"]
//! equation  = [result {"," result} "="] operation ["[" [param {"," param}] "]"] {var}
//! result    = var [":" type]
//! param     = word "=" value
//! value     = "true" | "false" | integer | "[" [entry {"," entry}] "]" | scalar
//!           | dtype | type | array | word | function
//! entry     = integer | "_"
//! scalar    = literal ":" dtype
//! array     = type "{" [literal {"," literal}] "}"
//! literal   = "true" | "false" | integer | decimal | "inf" | "-inf" | "nan" | "nan:" hexadecimal
//! type      = dtype "[" [integer {"," integer}] "]"
//! name      = word | '"' {character | '\"' | '\\' | '\u{' hexadecimal '}'} '"'
//! var       = "%" (letter | digit | "_") {letter | digit | "_"}
//! ```
//!
//! Operations, parameters and dtypes are named as [`Prim::name`], [`Prim::params`] and
//! [`DType::name`](crate::DType::name) say. Line ends are blanks; `//` starts a comment, to the end of the line.
//!
//! Printing is strict and reading is lenient. Printed variables are numbered in order of definition,
//! and every result has its type. By hand, variables may have any distinct names, result types may be
//! left out, and so may parameters that are mostly empty (batch axes, flags). What is written is
//! checked: each equation against its shape rule, each declared type against the inferred one.
//!
//! ```
//! use jx_ir::Func;
//! let func: Func = "func norm(%x: f32[3]) { %sq = square %x; %s = reduce_sum[axes=[0]] %sq; return %s }".parse()?;
//! let printed = "\
//! func norm(%0: f32[3]) -> (f32[]) {
//!   %1: f32[3] = square %0
//!   %2: f32[] = reduce_sum[axes=[0]] %1
//!   return %2
//! }";
//! assert_eq!(func.to_string(), printed);
//! # Ok::<(), jx_ir::ParseError>(())
//! ```

mod error;
mod lexer;
#[cfg(test)]
mod tests;
mod value;

pub use error::{ParseError, ParseFault};

use crate::{Builder, Func, MAX_NESTING, Prim, TensorType, Var};
use lexer::{Kind, Lexer, Token, unquote};
use std::borrow::Cow;
use std::collections::HashMap;
use std::str::FromStr;

impl FromStr for Func {
    type Err = ParseError;

    /// The program that the text denotes, as the module [`parse`](crate::parse) says. Comments are
    /// blanks, so the equations have no source places.
    fn from_str(text: &str) -> Result<Func, ParseError> {
        let mut parser = Parser::new(text);
        parser.word("func", "`func`, with which a program starts")?;
        let func = parser.function(1)?;
        parser.token(Kind::End, "the end of the text after the program")?;
        Ok(func)
    }
}

/// The variables of the function being read, by name.
type Scope<'a> = HashMap<&'a str, Var>;

/// A recursive-descent parser with one token of lookahead beyond the current one.
struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    now: Token<'a>,
    next: Token<'a>,
}

/// A result as it stands before an operation: its name, where, and its declared type.
struct Declared<'a> {
    name: &'a str,
    at: usize,
    ty: Option<TensorType>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parser<'a> {
        let mut lexer = Lexer::new(text);
        let now = lexer.next();
        let next = lexer.next();
        Parser { text, lexer, now, next }
    }

    // ---- tokens

    fn advance(&mut self) -> Token<'a> {
        let next = self.lexer.next();
        let now = std::mem::replace(&mut self.next, next);
        std::mem::replace(&mut self.now, now)
    }

    /// Takes the token if it is the current one.
    fn eat(&mut self, kind: Kind<'_>) -> bool {
        let is = self.now.kind == kind;
        if is {
            self.advance();
        }
        is
    }

    fn token(&mut self, kind: Kind<'_>, expected: &'static str) -> Result<(), ParseError> {
        if self.eat(kind) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn word(&mut self, word: &str, expected: &'static str) -> Result<(), ParseError> {
        self.token(Kind::Word(word), expected)
    }

    fn fault(&self, at: usize, fault: impl Into<ParseFault>) -> ParseError {
        ParseError::at(self.text, at, fault.into())
    }

    fn unexpected(&self, expected: &'static str) -> ParseError {
        let Token { kind, start, end } = self.now;
        let found = if kind == Kind::End {
            "the end of the text".to_owned()
        } else if kind == Kind::OpenQuote {
            "a quote that is not closed on its line".to_owned()
        } else if let Kind::Stray(c) = kind {
            format!("`{}`", c.escape_debug())
        } else {
            format!("`{}`", shorten(&self.text[start..end]))
        };
        self.fault(start, ParseFault::Expected { expected, found })
    }

    /// Items between brackets whose first is already taken, separated by commas, up to and with `close`.
    fn list(
        &mut self,
        close: Kind<'_>,
        expected: &'static str,
        mut item: impl FnMut(&mut Self) -> Result<(), ParseError>,
    ) -> Result<(), ParseError> {
        if self.eat(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.eat(close) {
                return Ok(());
            }
            self.token(Kind::Comma, expected)?;
        }
    }

    // ---- functions

    /// What follows the word `func`, or the `=` of a parameter.
    fn function(&mut self, depth: usize) -> Result<Func, ParseError> {
        if depth > MAX_NESTING {
            return Err(self.fault(self.now.start, ParseFault::TooDeep { limit: MAX_NESTING }));
        }
        let name = self.function_name()?;
        let (mut builder, mut scope) = (Builder::new(), Scope::new());
        self.token(Kind::OpenParen, "`(` and the function's inputs")?;
        self.list(Kind::CloseParen, "`,` or `)` after an input", |p| p.input(&mut builder, &mut scope))?;
        let declared = self.output_types()?;
        self.token(Kind::OpenBrace, "`{` and the function's equations")?;
        while self.now.kind != Kind::Word("return") {
            self.equation(depth, &mut builder, &mut scope)?;
        }
        let at = self.advance().start;
        let outputs = self.operands(&scope)?;
        self.eat(Kind::Semicolon);
        self.token(Kind::CloseBrace, "a variable, or `}` after the last output")?;
        let func = builder.finish(&outputs);
        if let Some(declared) = declared
            && !declared.iter().eq(func.output_types())
        {
            let fault = ParseFault::DeclaredOutputs {
                declared: join_types(declared.iter()),
                returned: join_types(func.output_types()),
            };
            return Err(self.fault(at, fault));
        }
        Ok(match name {
            Some(name) => func.with_name(name),
            None => func,
        })
    }

    fn function_name(&mut self) -> Result<Option<Cow<'a, str>>, ParseError> {
        let name = if let Kind::Word(name) = self.now.kind {
            Cow::Borrowed(name)
        } else if let Kind::Quoted(raw) = self.now.kind {
            let plain = "a quoted name with no escapes but `\\\"`, `\\\\` and `\\u{…}`";
            Cow::Owned(unquote(raw).ok_or_else(|| self.unexpected(plain))?)
        } else {
            return Ok(None);
        };
        self.advance();
        Ok(Some(name))
    }

    fn input(&mut self, builder: &mut Builder, scope: &mut Scope<'a>) -> Result<(), ParseError> {
        let (name, at) = self.var("an input, such as `%x: f32[3]`")?;
        self.token(Kind::Colon, "`:` and the input's type")?;
        let ty = self.ty()?;
        self.define(scope, name, at, builder.input(ty))
    }

    fn output_types(&mut self) -> Result<Option<Vec<TensorType>>, ParseError> {
        if !self.eat(Kind::Arrow) {
            return Ok(None);
        }
        let mut types = Vec::new();
        self.token(Kind::OpenParen, "`(` and the types of the outputs")?;
        self.list(Kind::CloseParen, "`,` or `)` after a type", |p| {
            types.push(p.ty()?);
            Ok(())
        })?;
        Ok(Some(types))
    }

    fn define(&self, scope: &mut Scope<'a>, name: &'a str, at: usize, var: Var) -> Result<(), ParseError> {
        match scope.insert(name, var) {
            None => Ok(()),
            Some(_) => Err(self.fault(at, ParseFault::Redefined { name: shorten(name).into_owned() })),
        }
    }

    // ---- equations

    fn equation(&mut self, depth: usize, builder: &mut Builder, scope: &mut Scope<'a>) -> Result<(), ParseError> {
        let start = self.now.start;
        let declared = self.results()?;
        let at = self.now.start;
        let prim = self.prim(depth)?;
        let inputs = self.operands(scope)?;
        self.eat(Kind::Semicolon);
        let name = prim.name();
        let outputs = builder.try_emit(prim, &inputs).map_err(|why| self.fault(at, why))?;
        if outputs.len() != declared.len() {
            let (expected, found) = (outputs.len(), declared.len());
            return Err(self.fault(start, ParseFault::ResultCount { prim: name, expected, found }));
        }
        for (Declared { name: var, at, ty }, output) in declared.into_iter().zip(outputs) {
            let inferred = builder.ty(output);
            if let Some(declared) = ty
                && declared != *inferred
            {
                let (var, inferred) = (shorten(var).into_owned(), inferred.clone());
                return Err(self.fault(at, ParseFault::DeclaredType { name: var, prim: name, declared, inferred }));
            }
            self.define(scope, var, at, output)?;
        }
        Ok(())
    }

    /// The results and the `=` after them; nothing where the equation starts with its operation.
    fn results(&mut self) -> Result<Vec<Declared<'a>>, ParseError> {
        let mut results = Vec::new();
        if let Kind::Word(_) = self.now.kind {
            return Ok(results);
        }
        loop {
            let (name, at) = self.var("an equation, such as `%y = sin %x`, or `return`")?;
            let ty = if self.eat(Kind::Colon) { Some(self.ty()?) } else { None };
            results.push(Declared { name, at, ty });
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.token(Kind::Equals, "`=` and an operation, or `,` and another result")?;
        Ok(results)
    }

    fn prim(&mut self, depth: usize) -> Result<Prim, ParseError> {
        let at = self.now.start;
        let Kind::Word(name) = self.now.kind else {
            return Err(self.unexpected("the name of an operation, such as `mul`"));
        };
        self.advance();
        let mut params = Vec::new();
        let mut places = HashMap::new();
        if self.eat(Kind::OpenBracket) {
            self.list(Kind::CloseBracket, "`,` or `]` after a parameter", |p| {
                let at = p.now.start;
                let Kind::Word(name) = p.now.kind else {
                    return Err(p.unexpected("a parameter, such as `axes=[0]`"));
                };
                p.advance();
                p.token(Kind::Equals, "`=` and the parameter's value")?;
                params.push((name.to_owned(), p.value(depth)?));
                places.insert(name, at);
                Ok(())
            })?;
        }
        Prim::from_params(name, params).map_err(|why| {
            let at = why.param().and_then(|param| places.get(param)).copied().unwrap_or(at);
            self.fault(at, why)
        })
    }

    /// Variables up to something else, or to one that starts the next equation.
    fn operands(&mut self, scope: &Scope<'a>) -> Result<Vec<Var>, ParseError> {
        let mut vars = Vec::new();
        while let Kind::Var(name) = self.now.kind {
            if matches!(self.next.kind, Kind::Colon | Kind::Equals | Kind::Comma) {
                break;
            }
            match scope.get(name) {
                Some(&var) => vars.push(var),
                None => {
                    let name = shorten(name).into_owned();
                    return Err(self.fault(self.now.start, ParseFault::Undefined { name }));
                }
            }
            self.advance();
        }
        Ok(vars)
    }

    fn var(&mut self, expected: &'static str) -> Result<(&'a str, usize), ParseError> {
        let Kind::Var(name) = self.now.kind else { return Err(self.unexpected(expected)) };
        Ok((name, self.advance().start))
    }
}

fn join_types<'t>(types: impl Iterator<Item = &'t TensorType>) -> String {
    types.map(TensorType::to_string).collect::<Vec<_>>().join(", ")
}

/// A piece of the text as a message shows it.
fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(40) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
