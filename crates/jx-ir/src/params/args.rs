//! Parameters on their way into a primitive: each taken once, of its kind, and none left over.

use super::{Param, ParamError};
use crate::{Array, DType, Func, IndexMode, Prim, Scalar, TensorType, print};
use std::sync::Arc;

/// Parameters on their way into a primitive.
pub(super) struct Args<'a> {
    prim: &'a str,
    given: Vec<(String, Param)>,
    asked: Vec<&'static str>,
}

impl<'a> Args<'a> {
    pub(super) fn new(prim: &'a str, given: Vec<(String, Param)>) -> Result<Args<'a>, ParamError> {
        for (i, (name, _)) in given.iter().enumerate() {
            // Not more than the parameters of one primitive are compared before an unknown one shows.
            if given[..i.min(16)].iter().any(|(earlier, _)| earlier == name) {
                return Err(ParamError::Repeated { prim: prim.to_owned(), param: name.clone() });
            }
        }
        Ok(Args { prim, given, asked: Vec::new() })
    }

    fn take(&mut self, param: &'static str) -> Option<Param> {
        self.asked.push(param);
        let at = self.given.iter().position(|(name, _)| name == param)?;
        Some(self.given.remove(at).1)
    }

    fn need(&mut self, param: &'static str) -> Result<Param, ParamError> {
        self.take(param).ok_or_else(|| ParamError::Missing { prim: self.prim.to_owned(), param })
    }

    pub(super) fn finish(self, prim: Prim) -> Result<Prim, ParamError> {
        match self.given.into_iter().next() {
            None => Ok(prim),
            Some((param, _)) => Err(ParamError::Unknown { prim: self.prim.to_owned(), param, known: self.asked }),
        }
    }

    fn refuse<T>(&self, param: &'static str, expected: &'static str, found: &Param) -> Result<T, ParamError> {
        let found = print::short_param(found);
        Err(ParamError::Value { prim: self.prim.to_owned(), param, expected, found })
    }

    fn integer<T: TryFrom<i128>>(&mut self, param: &'static str, expected: &'static str) -> Result<T, ParamError> {
        let found = self.need(param)?;
        let value = if let Param::Int(n) = found { T::try_from(n).ok() } else { None };
        value.map_or_else(|| self.refuse(param, expected, &found), Ok)
    }

    pub(super) fn size(&mut self, param: &'static str) -> Result<usize, ParamError> {
        self.integer(param, "an integer, not negative")
    }

    pub(super) fn exponent(&mut self, param: &'static str) -> Result<i32, ParamError> {
        self.integer(param, "a 32-bit integer")
    }

    fn list<T>(
        &self,
        param: &'static str,
        found: &Param,
        expected: &'static str,
        entry: impl Fn(Option<i128>) -> Option<T>,
    ) -> Result<Vec<T>, ParamError> {
        let list = if let Param::Ints(list) = found { list.iter().map(|&n| entry(n)).collect() } else { None };
        list.map_or_else(|| self.refuse(param, expected, found), Ok)
    }

    pub(super) fn sizes(&mut self, param: &'static str) -> Result<Vec<usize>, ParamError> {
        let found = self.need(param)?;
        self.list(param, &found, "a list of integers, none negative", |n| n.and_then(|n| usize::try_from(n).ok()))
    }

    pub(super) fn sizes_or_none(&mut self, param: &'static str) -> Result<Vec<usize>, ParamError> {
        let Some(found) = self.take(param) else { return Ok(Vec::new()) };
        self.list(param, &found, "a list of integers, none negative", |n| n.and_then(|n| usize::try_from(n).ok()))
    }

    pub(super) fn ints(&mut self, param: &'static str) -> Result<Vec<i64>, ParamError> {
        let found = self.need(param)?;
        self.list(param, &found, "a list of 64-bit integers", |n| n.and_then(|n| i64::try_from(n).ok()))
    }

    pub(super) fn axes(&mut self, param: &'static str) -> Result<Vec<Option<usize>>, ParamError> {
        let found = self.need(param)?;
        self.list(param, &found, "a list of axes, `_` for none", |n| match n {
            Some(n) => usize::try_from(n).ok().map(Some),
            None => Some(None),
        })
    }

    pub(super) fn flag(&mut self, param: &'static str) -> Result<bool, ParamError> {
        match self.take(param) {
            None => Ok(false),
            Some(Param::Bool(flag)) => Ok(flag),
            Some(found) => self.refuse(param, "true or false", &found),
        }
    }

    pub(super) fn dtype(&mut self, param: &'static str) -> Result<DType, ParamError> {
        let found = self.need(param)?;
        if let Param::DType(dtype) = found { Ok(dtype) } else { self.refuse(param, "a dtype, such as f32", &found) }
    }

    pub(super) fn ty(&mut self, param: &'static str) -> Result<TensorType, ParamError> {
        let found = self.need(param)?;
        if let Param::Type(ty) = found { Ok(ty) } else { self.refuse(param, "a type, such as f32[3,2]", &found) }
    }

    pub(super) fn scalar_or_none(&mut self, param: &'static str) -> Result<Option<Scalar>, ParamError> {
        match self.take(param) {
            None => Ok(None),
            Some(Param::Scalar(value)) => Ok(Some(value)),
            Some(found) => self.refuse(param, "a number with its dtype, such as 2.0:f32", &found),
        }
    }

    pub(super) fn scalar(&mut self, param: &'static str) -> Result<Scalar, ParamError> {
        self.scalar_or_none(param)?.ok_or_else(|| ParamError::Missing { prim: self.prim.to_owned(), param })
    }

    pub(super) fn array(&mut self, param: &'static str) -> Result<Arc<Array>, ParamError> {
        let found = self.need(param)?;
        if let Param::Array(array) = found {
            Ok(array)
        } else {
            self.refuse(param, "an array, such as f32[2]{1.0, 2.0}", &found)
        }
    }

    pub(super) fn func(&mut self, param: &'static str) -> Result<Arc<Func>, ParamError> {
        let found = self.need(param)?;
        if let Param::Func(func) = found { Ok(func) } else { self.refuse(param, "a function", &found) }
    }

    pub(super) fn mode(&mut self, param: &'static str) -> Result<IndexMode, ParamError> {
        let found = self.need(param)?;
        let mode = if let Param::Word(word) = &found { IndexMode::from_name(word) } else { None };
        mode.map_or_else(|| self.refuse(param, "one of clip, fill_or_drop and promise_in_bounds", &found), Ok)
    }
}
