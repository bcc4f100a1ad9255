//! Values read as other values of the same bits, where arithmetic gives them exactly.

use super::{Attempt, Equation, TranslateError, Translator};
use jx_ir::{Array, BinaryOp, CompareOp, DType, GatherDims, IndexMode, Prim, Scalar, Var};

/// The layout of a float dtype.
struct Layout {
    /// The unsigned integers of its width.
    bits: DType,
    mantissa_bits: u32,
    exponent_bits: u32,
}

fn layout(dtype: DType) -> Option<Layout> {
    let (bits, mantissa_bits, exponent_bits) = match dtype {
        DType::F16 => (DType::U16, 10, 5),
        DType::BF16 => (DType::U16, 7, 8),
        DType::F32 => (DType::U32, 23, 8),
        DType::F64 => (DType::U64, 52, 11),
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64 => return None,
    };
    Some(Layout { bits, mantissa_bits, exponent_bits })
}

/// `2ᵏ`, for `k` from -1074 to 1023.
fn power_of_two(k: i32) -> f64 {
    let bits = if k < -1022 { 1 << (k + 1074) } else { ((k + 1023) as u64) << 52 };
    f64::from_bits(bits)
}

impl Translator {
    pub(super) fn bitcast(&mut self, eqn: &Equation) -> Attempt {
        let [x] = eqn.operands()?;
        let (from, to) = (self.b.dtype(x), eqn.params.dtype("new_dtype")?);
        if from == to {
            // In JAX it has no derivative, whatever the dtypes.
            return self.one(Prim::StopGradient, &[x]);
        }
        if from.size_bytes() == to.size_bytes() && from.is_int() {
            if to.is_int() {
                // Between integers of one width, conversion wraps, which keeps the bits.
                return Ok(Some(vec![self.convert(x, to)?.into()]));
            }
            if let Some(layout) = layout(to) {
                return Ok(Some(vec![self.float_of_bits(x, to, &layout)?.into()]));
            }
        }
        Err(eqn.unsupported("no primitive gives the bits of a float, or bits of another width"))
    }

    /// The float of the bits of an integer: `± m · 2ᵉ` from its fields, exact in `f64` at every step. A NaN
    /// loses its payload.
    fn float_of_bits(&mut self, x: Var, dtype: DType, layout: &Layout) -> Result<Var, TranslateError> {
        let Layout { bits, mantissa_bits, exponent_bits } = *layout;
        let x = self.convert(x, bits)?;
        let x = self.convert(x, DType::U64)?;
        let field = |t: &mut Translator, shift: u32, width: u32| -> Result<Var, TranslateError> {
            let by = t.full_like(x, Scalar::from_i64(DType::U64, i64::from(shift)))?;
            let shifted = t.emit(Prim::Binary(BinaryOp::ShiftRightLogical), &[x, by])?;
            let mask = t.full_like(x, Scalar::from_i64(DType::U64, (1 << width) - 1))?;
            t.emit(Prim::Binary(BinaryOp::And), &[shifted, mask])
        };
        let fraction = field(self, 0, mantissa_bits)?;
        let exponent = field(self, mantissa_bits, exponent_bits)?;
        let sign = field(self, mantissa_bits + exponent_bits, 1)?;
        let (zero, last) = (
            self.full_like(x, Scalar::zero(DType::U64))?,
            self.full_like(x, Scalar::from_i64(DType::U64, (1 << exponent_bits) - 1))?,
        );
        // A number that is not subnormal has a leading 1 before its fraction.
        let subnormal = self.emit(Prim::Compare(CompareOp::Eq), &[exponent, zero])?;
        let leading = self.full_like(x, Scalar::from_i64(DType::U64, 1 << mantissa_bits))?;
        let with_leading = self.emit(Prim::Binary(BinaryOp::Or), &[fraction, leading])?;
        let mantissa = self.emit(Prim::SelectN, &[subnormal, with_leading, fraction])?;
        let mantissa = self.convert(mantissa, DType::F64)?;
        // Powers of two from a table, subnormal ones included: `exp2` need not be exact everywhere.
        let bias = (1_i32 << (exponent_bits - 1)) - 1;
        let least = 1 - bias - mantissa_bits.cast_signed();
        let powers: Vec<f64> = (0..1_i32 << exponent_bits).map(|e| power_of_two(least + e.max(1) - 1)).collect();
        let table = Array::from_vec([powers.len()], powers).map_err(super::ArrayError::from)?;
        let table = self.b.constant(table);
        let mut index_shape = self.b.shape(exponent).to_vec();
        index_shape.push(1);
        let index = self.emit(Prim::Reshape { shape: index_shape }, &[exponent])?;
        let dims = GatherDims { collapsed_slice_dims: vec![0], start_index_map: vec![0], ..GatherDims::default() };
        let gather = Prim::Gather { dims, slice_sizes: vec![1], mode: IndexMode::Clip, fill_value: None };
        let power = self.emit(gather, &[table, index])?;
        let magnitude = self.emit(Prim::Binary(BinaryOp::Mul), &[mantissa, power])?;
        // The last exponent is that of infinity and, with a fraction, of NaN.
        let (infinity, nan) = (
            self.full_like(x, Scalar::max_value(DType::F64))?,
            self.full_like(x, Scalar::from_f64(DType::F64, f64::NAN))?,
        );
        let whole = self.emit(Prim::Compare(CompareOp::Eq), &[fraction, zero])?;
        let special = self.emit(Prim::SelectN, &[whole, nan, infinity])?;
        let is_special = self.emit(Prim::Compare(CompareOp::Eq), &[exponent, last])?;
        let magnitude = self.emit(Prim::SelectN, &[is_special, magnitude, special])?;
        let negated = self.emit(Prim::Unary(jx_ir::UnaryOp::Neg), &[magnitude])?;
        let positive = self.emit(Prim::Compare(CompareOp::Eq), &[sign, zero])?;
        let value = self.emit(Prim::SelectN, &[positive, negated, magnitude])?;
        self.convert(value, dtype)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_exact_to_both_ends() {
        assert_eq!(power_of_two(0), 1.0);
        assert_eq!(power_of_two(-1), 0.5);
        assert_eq!(power_of_two(-1074), f64::from_bits(1));
        assert_eq!(power_of_two(1023) * 1.999_999_999_999_999_8, f64::MAX);
    }
}
