//! Values in the text form: what stands after the `=` of a parameter, and the types of variables.

use super::lexer::Kind;
use super::{ParseError, ParseFault, Parser, shorten};
use crate::{Array, DType, Param, Scalar, TensorType, TypeError};
use std::borrow::Cow;
use std::sync::Arc;

impl<'a> Parser<'a> {
    /// The value of a parameter in a function at that depth. The form alone tells its kind.
    pub(super) fn value(&mut self, depth: usize) -> Result<Param, ParseError> {
        let (kind, next) = (self.now.kind, self.next.kind);
        if matches!(kind, Kind::OpenParen | Kind::Quoted(_))
            || (matches!(kind, Kind::Word(_)) && next == Kind::OpenParen)
        {
            return Ok(Param::Func(Arc::new(self.function(depth + 1)?)));
        }
        if kind == Kind::OpenBracket {
            return self.ints();
        }
        if matches!(kind, Kind::Number(_) | Kind::Word("true" | "false" | "nan" | "inf")) && next == Kind::Colon {
            return self.scalar();
        }
        if let Kind::Number(_) = kind {
            return self.int("an integer; a number of another kind has its dtype, as `2.0:f32`").map(Param::Int);
        }
        let Kind::Word(word) = kind else {
            return Err(self.unexpected("a value: a number, a list, a type, a word or a function"));
        };
        let dtype = DType::from_name(word);
        if dtype.is_some() && next == Kind::OpenBracket {
            return self.type_or_array();
        }
        self.advance();
        Ok(match (dtype, word) {
            (Some(dtype), _) => Param::DType(dtype),
            (None, "true") => Param::Bool(true),
            (None, "false") => Param::Bool(false),
            (None, word) => Param::Word(word.to_owned()),
        })
    }

    fn ints(&mut self) -> Result<Param, ParseError> {
        self.token(Kind::OpenBracket, "`[`")?;
        let mut list = Vec::new();
        self.list(Kind::CloseBracket, "`,` or `]` after an entry", |p| {
            let entry = if p.eat(Kind::Word("_")) { None } else { Some(p.int("an integer or `_`")?) };
            list.push(entry);
            Ok(())
        })?;
        Ok(Param::Ints(list))
    }

    fn int(&mut self, expected: &'static str) -> Result<i128, ParseError> {
        let Kind::Number(text) = self.now.kind else { return Err(self.unexpected(expected)) };
        let n = text.parse().map_err(|_| self.unexpected(expected))?;
        self.advance();
        Ok(n)
    }

    fn scalar(&mut self) -> Result<Param, ParseError> {
        let at = self.now.start;
        let text = self.literal()?;
        self.token(Kind::Colon, "`:` and the number's dtype")?;
        let dtype = self.dtype()?;
        self.element(dtype, &text, at).map(Param::Scalar)
    }

    /// The text of one element; a NaN takes its bits along.
    fn literal(&mut self) -> Result<Cow<'a, str>, ParseError> {
        if let Kind::Number(text) | Kind::Word(text @ ("true" | "false" | "inf")) = self.now.kind {
            self.advance();
            return Ok(Cow::Borrowed(text));
        }
        self.token(Kind::Word("nan"), "a number, `true`, `false`, `nan`, `inf` or `-inf`")?;
        if let (Kind::Colon, Kind::Number(bits)) = (self.now.kind, self.next.kind) {
            self.advance();
            self.advance();
            return Ok(Cow::Owned(format!("nan:{bits}")));
        }
        Ok(Cow::Borrowed("nan"))
    }

    fn element(&self, dtype: DType, text: &str, at: usize) -> Result<Scalar, ParseError> {
        let refuse = || self.fault(at, ParseFault::NotAValue { literal: shorten(text).into_owned(), dtype });
        Scalar::parse(dtype, text).ok_or_else(refuse)
    }

    fn dtype(&mut self) -> Result<DType, ParseError> {
        let expected = "a dtype: bool, i8 to i64, u8 to u64, f16, bf16, f32 or f64";
        let Kind::Word(word) = self.now.kind else { return Err(self.unexpected(expected)) };
        let dtype = DType::from_name(word).ok_or_else(|| self.unexpected(expected))?;
        self.advance();
        Ok(dtype)
    }

    pub(super) fn ty(&mut self) -> Result<TensorType, ParseError> {
        let at = self.now.start;
        let dtype = self.dtype()?;
        self.token(Kind::OpenBracket, "`[` and the extents of the type's axes")?;
        let mut shape = Vec::new();
        self.list(Kind::CloseBracket, "`,` or `]` after an extent", |p| {
            let expected = "the extent of an axis, an integer that is not negative";
            let Kind::Number(text) = p.now.kind else { return Err(p.unexpected(expected)) };
            shape.push(text.parse().map_err(|_| p.unexpected(expected))?);
            p.advance();
            Ok(())
        })?;
        let ty = TensorType::new(dtype, shape);
        TypeError::require_size("type", ty.clone()).map_err(|_| self.fault(at, ParseFault::TooLarge { ty }))
    }

    fn type_or_array(&mut self) -> Result<Param, ParseError> {
        let at = self.now.start;
        let ty = self.ty()?;
        if !self.eat(Kind::OpenBrace) {
            return Ok(Param::Type(ty));
        }
        // Memory goes to elements that are there, not to those that the type promises.
        let n_elements = ty.n_elements();
        let mut values = Vec::new();
        self.list(Kind::CloseBrace, "`,` or `}` after an element", |p| {
            let place = p.now.start;
            let text = p.literal()?;
            values.push(p.element(ty.dtype, &text, place)?);
            if values.len() > n_elements {
                return Err(p.fault(place, ParseFault::ElementCount { ty: ty.clone(), found: values.len() }));
            }
            Ok(())
        })?;
        let found = values.len();
        match Array::from_scalars(&ty, values.into_iter()) {
            Ok(array) => Ok(Param::Array(Arc::new(array))),
            Err(_) => Err(self.fault(at, ParseFault::ElementCount { ty, found })),
        }
    }
}
