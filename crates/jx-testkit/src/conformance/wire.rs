//! The JSON of a case: jaxprs, atoms and arrays, as they stand in the file.

use jx_ir::{Array, DType, DTypeKind, Scalar, TensorType};
use serde::Deserialize;
use serde_json::{Map, Value};

/// A program of JAX, in JSON.
#[derive(Clone, Debug, Deserialize)]
pub struct Jaxpr {
    /// The dtype and shape of every variable, by number.
    pub vars: Vec<(String, Vec<usize>)>,
    /// The input variables.
    #[serde(rename = "in")]
    pub inputs: Vec<usize>,
    /// The variables that hold constants.
    #[serde(rename = "const", default)]
    pub constants: Vec<usize>,
    /// The constants' values; absent where they come from elsewhere.
    #[serde(default)]
    pub const_vals: Option<Vec<JsonArray>>,
    /// The equations, in order.
    pub eqns: Vec<JaxprEqn>,
    /// What is returned.
    #[serde(rename = "out")]
    pub outputs: Vec<Atom>,
}

/// An equation of a jaxpr.
#[derive(Clone, Debug, Deserialize)]
pub struct JaxprEqn {
    /// The primitive's name.
    pub prim: String,
    /// Its operands.
    #[serde(rename = "in")]
    pub inputs: Vec<Atom>,
    /// The variables that it defines.
    #[serde(rename = "out")]
    pub outputs: Vec<usize>,
    /// Its parameters, by name.
    #[serde(default)]
    pub params: Map<String, Value>,
}

/// An operand of a jaxpr's equation.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Atom {
    /// A variable, by number.
    Var(usize),
    /// A value written in place.
    Literal {
        /// The value.
        lit: JsonArray,
    },
}

/// An array in JSON: dtype, shape, and a number, a truth value, a float's name or raw bytes in base 64.
#[derive(Clone, Debug, Deserialize)]
pub struct JsonArray(pub String, pub Vec<usize>, pub Value);

/// Why an array in JSON has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArrayError {
    /// A dtype that jx has not.
    #[error("no dtype {dtype}")]
    NoDType {
        /// Its name.
        dtype: String,
    },
    /// A value that is not one of the dtype's.
    #[error("{value} is no value of {ty}")]
    Value {
        /// The array's type.
        ty: TensorType,
        /// What stands there.
        value: String,
    },
    /// Text that is not base 64.
    #[error("the bytes of a {ty} are not base 64")]
    Base64 {
        /// The array's type.
        ty: TensorType,
    },
    /// Bytes that do not make the array.
    #[error(transparent)]
    Bytes(#[from] jx_ir::ArrayError),
}

/// The dtype of that name.
pub(super) fn dtype(name: &str) -> Result<DType, ArrayError> {
    DType::from_name(name).ok_or_else(|| ArrayError::NoDType { dtype: name.to_owned() })
}

impl JsonArray {
    /// The array.
    ///
    /// # Errors
    /// If jx lacks its dtype, or it is malformed.
    pub fn to_array(&self) -> Result<Array, ArrayError> {
        let JsonArray(name, shape, value) = self;
        let ty = TensorType::new(dtype(name)?, shape.clone());
        if let Some(text) = value.get("b64") {
            let bytes = text.as_str().and_then(decode_base64).ok_or_else(|| ArrayError::Base64 { ty: ty.clone() })?;
            return Ok(Array::from_le_bytes(&ty, &bytes)?);
        }
        match scalar(ty.dtype, value) {
            Some(s) if shape.is_empty() => Ok(Array::from_scalar(s)),
            Some(_) | None => Err(ArrayError::Value { ty, value: value.to_string() }),
        }
    }
}

/// The element of a dtype that a JSON value stands for.
pub(super) fn scalar(dtype: DType, value: &Value) -> Option<Scalar> {
    let named = value.get("float").unwrap_or(value);
    match dtype.kind() {
        DTypeKind::Bool => {
            named.as_bool().or_else(|| named.as_i64().map(|n| n != 0)).map(|b| Scalar::from_i64(dtype, i64::from(b)))
        }
        DTypeKind::Signed | DTypeKind::Unsigned => match (named.as_i64(), named.as_u64()) {
            (Some(n), _) => Some(Scalar::from_i64(dtype, n)),
            (None, Some(n)) => Some(Scalar::from_bits(dtype, n)),
            (None, None) => None,
        },
        DTypeKind::Float => match named.as_str() {
            Some("nan") => Some(Scalar::from_f64(dtype, f64::NAN)),
            Some("inf") => Some(Scalar::from_f64(dtype, f64::INFINITY)),
            Some("-inf") => Some(Scalar::from_f64(dtype, f64::NEG_INFINITY)),
            Some(_) => None,
            None => named.as_f64().map(|x| Scalar::from_f64(dtype, x)),
        },
    }
}

/// The bytes of text in base 64 (RFC 4648, padded).
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let digits = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    let (mut bits, mut n_bits) = (0_u32, 0);
    for &digit in digits {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            bytes.push((bits >> n_bits) as u8);
            bits &= (1 << n_bits) - 1;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_64_is_decoded_with_and_without_padding() {
        assert_eq!(decode_base64("AAECAw=="), Some(vec![0, 1, 2, 3]));
        assert_eq!(decode_base64("/+7d"), Some(vec![255, 238, 221]));
        assert_eq!(decode_base64("A"), None);
        assert_eq!(decode_base64("A*=="), None);
    }

    #[test]
    fn an_array_is_refused_with_its_reason() {
        let read = |text: &str| serde_json::from_str::<JsonArray>(text).unwrap().to_array();
        assert_eq!(read(r#"["f32",[],"nan"]"#).unwrap().get(0).to_string(), "nan");
        assert_eq!(read(r#"["u64",[],18446744073709551615]"#).unwrap().get(0).bits(), u64::MAX);
        assert_eq!(read(r#"["c64",[],1]"#), Err(ArrayError::NoDType { dtype: "c64".to_owned() }));
        assert!(matches!(read(r#"["f32",[2],1.0]"#), Err(ArrayError::Value { .. })));
        assert!(matches!(read(r#"["f32",[4294967296,4294967296,2],{"b64":"AAAA"}]"#), Err(ArrayError::Bytes(_))));
    }
}
