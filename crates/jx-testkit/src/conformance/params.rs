//! Typed access to the parameters of a jaxpr's equation.

use super::translate::TranslateError;
use super::wire::{Jaxpr, JaxprEqn, dtype};
use jx_ir::DType;
use serde_json::Value;

/// The parameters of one equation.
#[derive(Clone, Copy)]
pub(super) struct Params<'a> {
    prim: &'a str,
    /// The parameter, or the field of one, that holds the values.
    values: &'a serde_json::Map<String, Value>,
}

impl<'a> Params<'a> {
    pub(super) fn of(eqn: &'a JaxprEqn) -> Params<'a> {
        Params { prim: &eqn.prim, values: &eqn.params }
    }

    fn bad(&self, name: &str, expected: &'static str) -> TranslateError {
        TranslateError::Param { prim: self.prim.to_owned(), param: name.to_owned(), expected }
    }

    /// A parameter that may be absent or null.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.values.get(name).filter(|v| !v.is_null())
    }

    fn list(&self, name: &str, expected: &'static str) -> Result<&'a Vec<Value>, TranslateError> {
        self.get(name).and_then(Value::as_array).ok_or_else(|| self.bad(name, expected))
    }

    pub(super) fn usize(&self, name: &str) -> Result<usize, TranslateError> {
        let number = self.get(name).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        number.ok_or_else(|| self.bad(name, "a number that is not negative"))
    }

    pub(super) fn i64(&self, name: &str) -> Result<i64, TranslateError> {
        self.get(name).and_then(Value::as_i64).ok_or_else(|| self.bad(name, "an integer"))
    }

    pub(super) fn bool(&self, name: &str) -> Result<bool, TranslateError> {
        self.get(name).and_then(Value::as_bool).ok_or_else(|| self.bad(name, "true or false"))
    }

    pub(super) fn usizes(&self, name: &str) -> Result<Vec<usize>, TranslateError> {
        let expected = "a list of numbers that are not negative";
        usizes(self.list(name, expected)?).ok_or_else(|| self.bad(name, expected))
    }

    /// A list of lists of integers.
    pub(super) fn i64_lists(&self, name: &str) -> Result<Vec<Vec<i64>>, TranslateError> {
        let expected = "lists of integers";
        let lists = self.list(name, expected)?.iter().map(|v| v.as_array()?.iter().map(Value::as_i64).collect());
        lists.collect::<Option<_>>().ok_or_else(|| self.bad(name, expected))
    }

    /// A dtype that may be absent.
    pub(super) fn optional_dtype(&self, name: &str) -> Result<Option<DType>, TranslateError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let text = value.get("dtype").and_then(Value::as_str).ok_or_else(|| self.bad(name, "a dtype"))?;
        Ok(Some(dtype(text)?))
    }

    pub(super) fn dtype(&self, name: &str) -> Result<DType, TranslateError> {
        self.optional_dtype(name)?.ok_or_else(|| self.bad(name, "a dtype"))
    }

    /// The name of an enum's value.
    pub(super) fn variant(&self, name: &str) -> Result<&'a str, TranslateError> {
        let value = self.get(name).and_then(|v| v.get("value")).and_then(Value::as_str);
        value.ok_or_else(|| self.bad(name, "a value of an enum"))
    }

    /// The fields of a parameter that is a record.
    pub(super) fn fields(&self, name: &str) -> Result<Params<'a>, TranslateError> {
        let fields = self.get(name).and_then(|v| v.get("fields")).and_then(Value::as_object);
        fields.map(|values| Params { prim: self.prim, values }).ok_or_else(|| self.bad(name, "a record"))
    }

    /// A nested program.
    pub(super) fn jaxpr(&self, name: &str) -> Result<Jaxpr, TranslateError> {
        let value = self.get(name).and_then(|v| v.get("jaxpr")).ok_or_else(|| self.bad(name, "a jaxpr"))?;
        Jaxpr::deserialize_from(value).ok_or_else(|| self.bad(name, "a jaxpr"))
    }
}

impl Jaxpr {
    fn deserialize_from(value: &Value) -> Option<Jaxpr> {
        serde::Deserialize::deserialize(value).ok()
    }
}

fn usizes(values: &[Value]) -> Option<Vec<usize>> {
    values.iter().map(|v| v.as_u64().and_then(|n| usize::try_from(n).ok())).collect()
}
