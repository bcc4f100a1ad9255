//! Random keys and bits, composed of the Threefry cipher as JAX's default generator does.

use super::{Attempt, Equation, TranslateError, Translator, Val};
use jx_ir::{BinaryOp, DType, Prim, Scalar, TensorType, Var};

impl Translator {
    pub(super) fn random(&mut self, eqn: &Equation) -> Attempt {
        match eqn.prim {
            "random_seed" => {
                if eqn.params.get("impl").and_then(|v| v.get("prng")).and_then(|v| v.as_str()) != Some("threefry2x32") {
                    return Err(eqn.unsupported("a generator other than threefry2x32"));
                }
                let [seed] = eqn.operands()?;
                let var = self.seed(eqn, seed)?;
                Ok(Some(vec![Val { var, key: true }]))
            }
            "random_wrap" => {
                let [words] = eqn.operands()?;
                Ok(Some(vec![Val { var: words, key: true }]))
            }
            "random_unwrap" => {
                let [words] = eqn.operands()?;
                Ok(Some(vec![words.into()]))
            }
            "random_split" => {
                let [key] = eqn.operands()?;
                let counts = self.counts(&eqn.params.usizes("shape")?)?;
                let words = self.encrypt(eqn, key, counts)?;
                Ok(Some(vec![Val { var: self.stack(words)?, key: true }]))
            }
            "random_fold_in" => {
                let [key, data] = eqn.operands()?;
                let data = self.convert(data, DType::U32)?;
                let words = self.seed(eqn, data)?;
                let counts = [self.word(words, 0)?, self.word(words, 1)?];
                let words = self.encrypt(eqn, key, counts)?;
                Ok(Some(vec![Val { var: self.stack(words)?, key: true }]))
            }
            "random_bits" => self.random_bits(eqn),
            "threefry2x32" => {
                let (_, xs) = eqn.leading::<0>()?;
                let xs = self.broadcast_together(&xs)?;
                let words = self.b.try_emit(Prim::Threefry2x32, &xs)?;
                Ok(Some(words.into_iter().map(Val::from).collect()))
            }
            "iota_2x32_shape" => {
                let [high, low] = self.counts(&eqn.params.usizes("shape")?)?;
                Ok(Some(vec![high.into(), low.into()]))
            }
            _ => Ok(None),
        }
    }

    /// The words of a key: a seed's high and low 32 bits.
    fn seed(&mut self, eqn: &Equation, seed: Var) -> Result<Var, TranslateError> {
        let ty = self.b.ty(seed).clone();
        if ty.rank() != 0 || !ty.dtype.is_int() {
            return Err(eqn.unsupported("a seed that is no integer scalar"));
        }
        // The shift is by bits of the seed's own dtype, beyond whose width nothing is left.
        let shift = self.full_like(seed, Scalar::from_i64(ty.dtype, 32))?;
        let high = self.emit(Prim::Binary(BinaryOp::ShiftRightLogical), &[seed, shift])?;
        let (high, low) = (self.convert(high, DType::U32)?, self.convert(seed, DType::U32)?);
        self.stack([high, low])
    }

    /// The row-major count of every element of a shape, as its high and low 32 bits.
    fn counts(&mut self, shape: &[usize]) -> Result<[Var; 2], TranslateError> {
        let full = Prim::Full { value: Scalar::zero(DType::U64), shape: shape.to_vec() }.infer(&[])?;
        let n: usize = full.iter().map(TensorType::n_elements).sum();
        let count = self.emit(Prim::Iota { ty: TensorType::new(DType::U64, [n]), dimension: 0 }, &[])?;
        let count = self.emit(Prim::Reshape { shape: shape.to_vec() }, &[count])?;
        let shift = self.full_like(count, Scalar::from_i64(DType::U64, 32))?;
        let high = self.emit(Prim::Binary(BinaryOp::ShiftRightLogical), &[count, shift])?;
        Ok([self.convert(high, DType::U32)?, self.convert(count, DType::U32)?])
    }

    /// Two counts under a key's cipher.
    fn encrypt(&mut self, eqn: &Equation, key: Var, [high, low]: [Var; 2]) -> Result<[Var; 2], TranslateError> {
        if self.b.shape(key) != [2] {
            return Err(eqn.unsupported("several keys at once"));
        }
        let shape = self.b.shape(high).to_vec();
        let mut words = Vec::new();
        for i in 0..2 {
            let word = self.word(key, i)?;
            words.push(self.broadcast_to(word, &shape)?);
        }
        let out = self.b.try_emit(Prim::Threefry2x32, &[words[0], words[1], high, low])?;
        Ok([out[0], out[1]])
    }

    fn random_bits(&mut self, eqn: &Equation) -> Attempt {
        let [key] = eqn.operands()?;
        let (shape, width) = (eqn.params.usizes("shape")?, eqn.params.usize("bit_width")?);
        let counts = self.counts(&shape)?;
        let [high, low] = self.encrypt(eqn, key, counts)?;
        let dtype = match width {
            8 => DType::U8,
            16 => DType::U16,
            32 => DType::U32,
            64 => DType::U64,
            _ => return Err(eqn.unsupported("this width of bits")),
        };
        if dtype == DType::U64 {
            let (high, low) = (self.convert(high, dtype)?, self.convert(low, dtype)?);
            let shift = self.full_like(high, Scalar::from_i64(dtype, 32))?;
            let high = self.emit(Prim::Binary(BinaryOp::ShiftLeft), &[high, shift])?;
            return self.one(Prim::Binary(BinaryOp::Or), &[high, low]);
        }
        let bits = self.emit(Prim::Binary(BinaryOp::Xor), &[high, low])?;
        Ok(Some(vec![self.convert(bits, dtype)?.into()]))
    }

    /// Two tensors on a new last axis.
    fn stack(&mut self, words: [Var; 2]) -> Result<Var, TranslateError> {
        let mut shape = self.b.shape(words[0]).to_vec();
        let dimension = shape.len();
        shape.push(1);
        let mut parts = Vec::new();
        for word in words {
            parts.push(self.emit(Prim::Reshape { shape: shape.clone() }, &[word])?);
        }
        self.emit(Prim::Concatenate { dimension }, &parts)
    }

    /// A word of a single key, as a scalar.
    fn word(&mut self, key: Var, i: usize) -> Result<Var, TranslateError> {
        let one = self.emit(Prim::Slice { start: vec![i], limit: vec![i + 1], strides: vec![1] }, &[key])?;
        self.emit(Prim::Reshape { shape: Vec::new() }, &[one])
    }
}
