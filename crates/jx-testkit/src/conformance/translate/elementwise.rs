//! Elementwise primitives: those of jx's unary, binary, compare and convert families.

use super::{Attempt, Equation, TranslateError, Translator};
use jx_ir::{BinaryOp, CompareOp, DType, DTypeKind, Prim, UnaryOp, Var};

impl Translator {
    pub(super) fn elementwise(&mut self, eqn: &Equation) -> Attempt {
        if eqn.prim == "round" {
            let [x] = eqn.operands()?;
            let op = match eqn.params.variant("rounding_method")? {
                "AWAY_FROM_ZERO" => UnaryOp::Round,
                "TO_NEAREST_EVEN" => UnaryOp::RoundEven,
                _ => return Err(eqn.unsupported("this rounding method")),
            };
            return self.one(Prim::Unary(op), &[x]);
        }
        if let Some(op) = UnaryOp::from_name(eqn.prim) {
            let [x] = eqn.operands()?;
            return self.one(Prim::Unary(op), &[x]);
        }
        if let Some(op) = BinaryOp::from_name(eqn.prim) {
            let [x, y] = eqn.operands()?;
            return self.binary(eqn, op, x, y).map(|v| Some(vec![v.into()]));
        }
        if let Some(op) = CompareOp::from_name(eqn.prim) {
            let [x, y] = eqn.operands()?;
            let xs = self.broadcast_together(&[x, y])?;
            return self.one(Prim::Compare(op), &xs);
        }
        match eqn.prim {
            "add_any" => {
                let [x, y] = eqn.operands()?;
                self.binary(eqn, BinaryOp::Add, x, y).map(|v| Some(vec![v.into()]))
            }
            "integer_pow" => {
                let [x] = eqn.operands()?;
                let exponent = i32::try_from(eqn.params.i64("y")?);
                let exponent = exponent.map_err(|_| eqn.unsupported("an exponent beyond 32 bits"))?;
                self.one(Prim::IntegerPow { exponent }, &[x])
            }
            "select_n" => {
                let (_, cases) = eqn.leading::<2>()?;
                let ([which, first], _) = eqn.leading::<2>()?;
                let which = self.broadcast_like(which, first)?;
                self.one(Prim::SelectN, &[&[which, first], &cases[..]].concat())
            }
            "clamp" => {
                let [lo, x, hi] = eqn.operands()?;
                let shape = self.b.shape(x).to_vec();
                let (lo, hi) = (self.broadcast_to(lo, &shape)?, self.broadcast_to(hi, &shape)?);
                self.one(Prim::Clamp, &[lo, x, hi])
            }
            "convert_element_type" => {
                let [x] = eqn.operands()?;
                let dtype = eqn.params.dtype("new_dtype")?;
                Ok(Some(vec![self.convert(x, dtype)?.into()]))
            }
            "bitcast_convert_type" => self.bitcast(eqn),
            "reduce_precision" => {
                let [x] = eqn.operands()?;
                let dtype = self.b.dtype(x);
                let through = match (eqn.params.usize("exponent_bits")?, eqn.params.usize("mantissa_bits")?) {
                    (5, 10) => DType::F16,
                    (8, 7) => DType::BF16,
                    (8, 23) => DType::F32,
                    (11, 52) => DType::F64,
                    _ => return Err(eqn.unsupported("a format that is no dtype's")),
                };
                // A format that has all that the dtype has changes nothing.
                if dtype == through || (dtype.size_bytes() < through.size_bytes()) {
                    return Ok(Some(vec![x.into()]));
                }
                let narrow = self.convert(x, through)?;
                Ok(Some(vec![self.convert(narrow, dtype)?.into()]))
            }
            "stop_gradient" => {
                let [x] = eqn.operands()?;
                self.one(Prim::StopGradient, &[x])
            }
            _ => Ok(None),
        }
    }

    fn binary(&mut self, eqn: &Equation, op: BinaryOp, x: Var, y: Var) -> Result<Var, TranslateError> {
        let mut xs = self.broadcast_together(&[x, y])?;
        let dtype = self.b.dtype(xs[0]);
        if op == BinaryOp::Pow {
            if !dtype.is_float() {
                return Err(eqn.unsupported("a base that is no float"));
            }
            if self.b.dtype(xs[1]).is_int() {
                xs[1] = self.convert(xs[1], dtype)?;
            }
        }
        if op == BinaryOp::Mul && eqn.params.get("out_dtype").is_some() {
            return Err(eqn.unsupported("a result of another dtype"));
        }
        let op = match (op, dtype.kind()) {
            // JAX's sum and product of truth values are "or" and "and".
            (BinaryOp::Add, DTypeKind::Bool) => BinaryOp::Or,
            (BinaryOp::Mul, DTypeKind::Bool) => BinaryOp::And,
            (op, _) => op,
        };
        self.emit(Prim::Binary(op), &xs)
    }
}
