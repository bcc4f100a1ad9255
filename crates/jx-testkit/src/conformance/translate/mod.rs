//! A jaxpr as a `Func`: each equation becomes a primitive of jx or a composition of some.
//!
//! What jx has no primitive for is a [`TranslateError`] of its own, a hole; everything else that goes wrong
//! is the file's fault, and is said so. One file a family, named as in `jx-ir`.

mod bits;
mod dot;
mod elementwise;
mod indexing;
mod movement;
mod nodes;
mod random;
mod reduce;
mod sort;
mod window;

use super::params::Params;
use super::wire::{ArrayError, Atom, Jaxpr, JaxprEqn, dtype};
use jx_ir::{Builder, DType, Func, Prim, Scalar, TensorType, TypeError, Var};

/// How deep jaxprs may nest.
const MAX_DEPTH: usize = 64;

/// The dtype of a random key of JAX's default generator: two `u32` on a last axis.
const KEY: &str = "key<fry>";

/// Why a jaxpr has no translation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TranslateError {
    /// A primitive that jx has not and no composition gives.
    #[error("no primitive `{prim}`")]
    NoPrimitive {
        /// Its name.
        prim: String,
    },
    /// A case of a primitive that jx has not.
    #[error("`{prim}`: {why}")]
    Unsupported {
        /// Its name.
        prim: String,
        /// What is missing.
        why: &'static str,
    },
    /// An array that cannot be read, or a dtype that jx has not.
    #[error(transparent)]
    Array(#[from] ArrayError),
    /// A parameter that is absent or of another form.
    #[error("`{prim}`: the parameter {param} must be {expected}")]
    Param {
        /// The primitive's name.
        prim: String,
        /// The parameter's.
        param: String,
        /// What it must be.
        expected: &'static str,
    },
    /// The wrong number of operands or results.
    #[error("`{prim}`: {found} {what}, but {expected} were expected")]
    Arity {
        /// The primitive's name.
        prim: String,
        /// Operands or results.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// Operands that the primitive does not take.
    #[error("{0}")]
    Type(#[from] TypeError),
    /// A variable that is not declared, or not yet defined.
    #[error("variable {var} is not defined here")]
    Undefined {
        /// Its number.
        var: usize,
    },
    /// A value of another type than the jaxpr declares.
    #[error("`{prim}`: variable {var} is declared as {declared}, but its value is {found}")]
    Declared {
        /// The primitive's name.
        prim: String,
        /// The variable's number.
        var: usize,
        /// Its declared type.
        declared: TensorType,
        /// The value's type.
        found: TensorType,
    },
    /// Jaxprs nested too deep.
    #[error("jaxprs are nested more than {MAX_DEPTH} deep")]
    TooDeep,
}

impl TranslateError {
    /// Whether jx lacks something, as opposed to a malformed file.
    #[must_use]
    pub fn is_hole(&self) -> bool {
        match self {
            TranslateError::NoPrimitive { .. } | TranslateError::Unsupported { .. } => true,
            TranslateError::Array(why) => matches!(why, ArrayError::NoDType { .. }),
            TranslateError::Param { .. }
            | TranslateError::Arity { .. }
            | TranslateError::Type(_)
            | TranslateError::Undefined { .. }
            | TranslateError::Declared { .. }
            | TranslateError::TooDeep => false,
        }
    }
}

/// A jaxpr's program.
#[derive(Clone, Debug)]
pub struct Translated {
    /// The program.
    pub func: Func,
    /// What makes right results differ from JAX's.
    pub notes: Notes,
}

/// What makes right results differ from JAX's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// The jaxpr has a function with derivatives of its own, which the program has inlined: it is right
    /// as it is and under `vmap`, but its derivatives need not be those that JAX gives.
    pub custom_derivatives: bool,
    /// An unstable sort of so many keys carries other operands along: their order among equal keys is free.
    pub unstable_keys: Option<usize>,
    /// JAX orders NaNs by their sign, below or above everything; jx puts them above.
    pub total_order: bool,
}

/// The program of a jaxpr.
///
/// # Errors
/// If jx lacks a primitive or dtype, or the jaxpr is malformed.
pub fn translate(jaxpr: &Jaxpr) -> Result<Translated, TranslateError> {
    let mut b = Builder::new();
    let mut args = Vec::new();
    for &var in &jaxpr.inputs {
        let (ty, key) = declared(jaxpr, var)?;
        args.push(Val { var: b.input(ty), key });
    }
    let mut t = Translator { b, notes: Notes::default() };
    let outputs: Vec<Var> = t.run(jaxpr, &args, 0)?.into_iter().map(|v| v.var).collect();
    Ok(Translated { func: t.b.finish(&outputs), notes: t.notes })
}

/// A value of the program under construction; of a random key, its two words on a last axis.
#[derive(Clone, Copy, Debug)]
struct Val {
    var: Var,
    key: bool,
}

impl From<Var> for Val {
    fn from(var: Var) -> Val {
        Val { var, key: false }
    }
}

struct Translator {
    b: Builder,
    notes: Notes,
}

/// A variable's declared type, and whether it is a random key.
fn declared(jaxpr: &Jaxpr, var: usize) -> Result<(TensorType, bool), TranslateError> {
    let (name, shape) = jaxpr.vars.get(var).ok_or(TranslateError::Undefined { var })?;
    let key = name == KEY;
    let mut shape = shape.clone();
    if key {
        shape.push(2);
    }
    let ty = TensorType::new(if key { DType::U32 } else { dtype(name)? }, shape);
    // A type that no primitive could have would overflow whatever multiplies its extents.
    Prim::Full { value: Scalar::zero(ty.dtype), shape: ty.shape.clone() }.infer(&[])?;
    Ok((ty, key))
}

/// One equation of a jaxpr with its operands translated.
struct Equation<'a> {
    prim: &'a str,
    params: Params<'a>,
    inputs: &'a [Val],
    /// The declared dtype of the first result, if jx has it.
    out_dtype: Option<DType>,
    /// How deep the equation's jaxpr is nested.
    depth: usize,
}

impl Equation<'_> {
    /// The operands, if there are `N` of them.
    fn operands<const N: usize>(&self) -> Result<[Var; N], TranslateError> {
        let vars: Vec<Var> = self.inputs.iter().map(|v| v.var).collect();
        <[Var; N]>::try_from(vars).map_err(|_| self.arity("operands", N, self.inputs.len()))
    }

    /// The operands, if there are at least `N`: the first `N` and the others.
    fn leading<const N: usize>(&self) -> Result<([Var; N], Vec<Var>), TranslateError> {
        let vars: Vec<Var> = self.inputs.iter().map(|v| v.var).collect();
        match vars.split_first_chunk::<N>() {
            Some((first, rest)) => Ok((*first, rest.to_vec())),
            None => Err(self.arity("operands", N, vars.len())),
        }
    }

    fn arity(&self, what: &'static str, expected: usize, found: usize) -> TranslateError {
        TranslateError::Arity { prim: self.prim.to_owned(), what, expected, found }
    }

    fn unsupported(&self, why: &'static str) -> TranslateError {
        TranslateError::Unsupported { prim: self.prim.to_owned(), why }
    }
}

type Values = Result<Vec<Val>, TranslateError>;
/// The values of an equation, or nothing if the family has no primitive of its name.
type Attempt = Result<Option<Vec<Val>>, TranslateError>;

impl Translator {
    /// The outputs of a jaxpr on `args`.
    fn run(&mut self, jaxpr: &Jaxpr, args: &[Val], depth: usize) -> Values {
        if depth > MAX_DEPTH {
            return Err(TranslateError::TooDeep);
        }
        let mut env: Vec<Option<Val>> = vec![None; jaxpr.vars.len()];
        let arity = |what, expected: usize, found: usize| TranslateError::Arity {
            prim: "jaxpr".to_owned(),
            what,
            expected,
            found,
        };
        if args.len() != jaxpr.inputs.len() {
            return Err(arity("inputs", jaxpr.inputs.len(), args.len()));
        }
        for (&var, &arg) in jaxpr.inputs.iter().zip(args) {
            self.define(jaxpr, &mut env, "jaxpr", var, arg)?;
        }
        let constants = jaxpr.const_vals.as_deref().unwrap_or_default();
        if constants.len() != jaxpr.constants.len() {
            return Err(arity("values of constants", jaxpr.constants.len(), constants.len()));
        }
        for (&var, value) in jaxpr.constants.iter().zip(constants) {
            let value = self.b.constant(value.to_array()?);
            self.define(jaxpr, &mut env, "jaxpr", var, value.into())?;
        }
        for eqn in &jaxpr.eqns {
            let inputs = eqn.inputs.iter().map(|a| self.atom(&env, a)).collect::<Result<Vec<_>, _>>()?;
            let first = eqn.outputs.first().and_then(|&v| jaxpr.vars.get(v));
            let out_dtype = first.and_then(|(name, _)| DType::from_name(name));
            let outputs = self.equation(eqn, out_dtype, &inputs, depth)?;
            if outputs.len() != eqn.outputs.len() {
                let prim = eqn.prim.clone();
                return Err(TranslateError::Arity {
                    prim,
                    what: "results",
                    expected: eqn.outputs.len(),
                    found: outputs.len(),
                });
            }
            for (&var, &value) in eqn.outputs.iter().zip(&outputs) {
                self.define(jaxpr, &mut env, &eqn.prim, var, value)?;
            }
        }
        jaxpr.outputs.iter().map(|a| self.atom(&env, a)).collect()
    }

    fn define(
        &self,
        jaxpr: &Jaxpr,
        env: &mut [Option<Val>],
        prim: &str,
        var: usize,
        value: Val,
    ) -> Result<(), TranslateError> {
        let (declared, key) = declared(jaxpr, var)?;
        let found = self.b.ty(value.var);
        if declared != *found || key != value.key {
            return Err(TranslateError::Declared { prim: prim.to_owned(), var, declared, found: found.clone() });
        }
        env[var] = Some(value);
        Ok(())
    }

    fn atom(&mut self, env: &[Option<Val>], atom: &Atom) -> Result<Val, TranslateError> {
        match atom {
            Atom::Var(var) => env.get(*var).copied().flatten().ok_or(TranslateError::Undefined { var: *var }),
            Atom::Literal { lit } => Ok(self.b.constant(lit.to_array()?).into()),
        }
    }

    fn equation(&mut self, eqn: &JaxprEqn, out_dtype: Option<DType>, inputs: &[Val], depth: usize) -> Values {
        let eqn = Equation { prim: &eqn.prim, params: Params::of(eqn), inputs, out_dtype, depth };
        let families = [
            Translator::elementwise,
            Translator::movement,
            Translator::indexing,
            Translator::reduce,
            Translator::window,
            Translator::dot,
            Translator::sort,
            Translator::random,
            Translator::nodes,
        ];
        for family in families {
            if let Some(values) = family(self, &eqn)? {
                return Ok(values);
            }
        }
        Err(TranslateError::NoPrimitive { prim: eqn.prim.to_owned() })
    }

    /// The only result of a primitive; a type error is the file's.
    fn emit(&mut self, prim: Prim, inputs: &[Var]) -> Result<Var, TranslateError> {
        let results = self.b.try_emit(prim, inputs)?;
        Ok(results[0])
    }

    /// The only result of a primitive, as an equation's values.
    fn one(&mut self, prim: Prim, inputs: &[Var]) -> Attempt {
        Ok(Some(vec![self.emit(prim, inputs)?.into()]))
    }

    fn convert(&mut self, x: Var, dtype: DType) -> Result<Var, TranslateError> {
        if self.b.dtype(x) == dtype { Ok(x) } else { self.emit(Prim::Convert { dtype }, &[x]) }
    }

    /// A tensor of the type of `x` whose every element is `value`.
    fn full_like(&mut self, x: Var, value: Scalar) -> Result<Var, TranslateError> {
        let shape = self.b.shape(x).to_vec();
        self.emit(Prim::Full { value, shape }, &[])
    }

    /// `x` broadcast to a shape: a scalar spreads, extents of 1 stretch, as in JAX's elementwise primitives.
    fn broadcast_to(&mut self, x: Var, shape: &[usize]) -> Result<Var, TranslateError> {
        let ty = self.b.ty(x);
        if ty.shape == shape {
            return Ok(x);
        }
        let dims = if ty.rank() == 0 { Vec::new() } else { (0..shape.len()).collect() };
        self.emit(Prim::BroadcastInDim { shape: shape.to_vec(), broadcast_dimensions: dims }, &[x])
    }

    /// `x` broadcast to the shape of `like`.
    fn broadcast_like(&mut self, x: Var, like: Var) -> Result<Var, TranslateError> {
        let shape = self.b.shape(like).to_vec();
        self.broadcast_to(x, &shape)
    }

    /// The operands broadcast to their common shape.
    fn broadcast_together(&mut self, xs: &[Var]) -> Result<Vec<Var>, TranslateError> {
        let rank = xs.iter().map(|&x| self.b.ty(x).rank()).max().unwrap_or(0);
        let mut shape = vec![1; rank];
        for &x in xs {
            for (n, &m) in shape.iter_mut().zip(self.b.shape(x)) {
                if m != 1 {
                    *n = m;
                }
            }
        }
        xs.iter().map(|&x| self.broadcast_to(x, &shape)).collect()
    }
}
