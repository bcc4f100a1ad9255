//! The laws that every pass and backend keeps, as functions that take the passes as closures.
//!
//! 1. [`vmap_equals_loop`]: a mapped program equals the loop over examples.
//! 2. [`jvp_matches_differences`], [`vjp_is_the_adjoint_of_jvp`], [`second_order_matches_differences`],
//!    [`grad_commutes_with_vmap`].
//! 3. [`text_round_trips`], and every pass returns what `verify` accepts: checked in all of them.
//! 4. [`optimised_equals_unoptimised`], bit for bit.
//! 5. [`backend_equals_eval`], within the table of [`tolerance`](crate::tolerance).
//!
//! A failure holds the smallest program found that still fails, as text to paste into a `.jx` file.

mod batching;
mod derivatives;
mod nodes;

pub use batching::{Maps, VmapPass, vmap_equals_loop, vmap_of_vmap_equals_loops};
pub use derivatives::{
    Passes, Verdict, WrtPass, grad_commutes_with_vmap, jvp_matches_differences, second_order_matches_differences,
    vjp_is_the_adjoint_of_jvp,
};
pub use nodes::{grad_node, jvp_node, vmap_node};

use crate::shrink::shrink;
use crate::tolerance::{Mismatch, OpClass, Tolerance, class_of, compare_all, epsilon, tolerance};
use jx_ir::{Array, DType, Eqn, Func, Param, eval, verify};
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Once};

/// Why a pass or a backend refused a program.
pub type PassError = Box<dyn std::error::Error + Send + Sync>;

/// A pass from one program to another.
pub type Pass<'a> = &'a dyn Fn(&Func) -> Result<Func, PassError>;

/// How a law is broken.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Fault {
    /// A pass or backend returned an error.
    #[error("{pass} refuses the program: {why}")]
    Refused {
        /// Which.
        pass: &'static str,
        /// Its message.
        why: String,
    },
    /// A pass returned what `verify` does not accept.
    #[error("{pass} returns an ill-formed program: {why}")]
    IllFormed {
        /// Which.
        pass: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// `eval` returned an error.
    #[error("{what} cannot be evaluated: {why}")]
    Eval {
        /// What was evaluated.
        what: &'static str,
        /// Its message.
        why: String,
    },
    /// Results differ.
    #[error("{what}: result {index}: {mismatch}")]
    Differ {
        /// What was compared, and in which setting.
        what: String,
        /// Which result, from 0.
        index: usize,
        /// How.
        mismatch: Mismatch,
    },
    /// The text form does not read back.
    #[error("the text form does not read back to the same program: {why}")]
    Text {
        /// The parser's message, or what it read.
        why: String,
    },
    /// Something panicked.
    #[error("panicked: {message}")]
    Panic {
        /// The panic's message.
        message: String,
    },
}

impl Fault {
    /// Whether the two are the same kind of fault, so that one program shows what the other showed.
    fn is_like(&self, other: &Fault) -> bool {
        let kind = std::mem::discriminant;
        kind(self) == kind(other)
    }
}

/// A law that a program breaks.
#[derive(Clone, Debug)]
pub struct LawFailure {
    /// The law's name.
    pub law: &'static str,
    /// How the shrunk program breaks it.
    pub fault: Box<Fault>,
    /// The seed of the program, if it was a random one.
    pub seed: Option<u64>,
    /// The smallest program found that breaks it in the same way.
    pub func: Box<Func>,
    /// Inputs with which it does.
    pub inputs: Vec<Array>,
}

impl LawFailure {
    /// The same, with the seed of the program that was tried.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> LawFailure {
        self.seed = Some(seed);
        self
    }
}

impl fmt::Display for LawFailure {
    /// Comments, then the program: a `.jx` file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "// broken law: {}", self.law)?;
        if let Some(seed) = self.seed {
            writeln!(f, "// seed: {seed}")?;
        }
        for line in self.fault.to_string().lines() {
            writeln!(f, "// {line}")?;
        }
        for (i, input) in self.inputs.iter().enumerate() {
            writeln!(f, "// input {i}: {}", literal(input))?;
        }
        write!(f, "{}", self.func)
    }
}

impl std::error::Error for LawFailure {}

/// The array in the text form, complete: `f32[2]{1.0, 2.0}`.
#[must_use]
pub fn literal(array: &Array) -> String {
    Param::Array(Arc::new(array.clone())).to_string()
}

/// A check of one program.
type Check<'a, T> = &'a dyn Fn(&Func, &[Array]) -> Result<T, Fault>;

thread_local! {
    /// Whether panics of this thread are caught and tried again, so that their messages would only be noise.
    static SHRINKING: Cell<bool> = const { Cell::new(false) };
}

/// Makes panics silent while a program is shrunk; all others report as before.
fn silence_shrinking() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !SHRINKING.get() {
                before(info);
            }
        }));
    });
}

/// The verdict of a check, panics caught; a program that fails is shrunk.
fn hold<T>(law: &'static str, func: &Func, inputs: &[Array], check: Check<T>) -> Result<T, LawFailure> {
    let caught = |func: &Func, inputs: &[Array]| {
        catch_unwind(AssertUnwindSafe(|| check(func, inputs))).unwrap_or_else(|panic| {
            let message = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
                .unwrap_or_default();
            Err(Fault::Panic { message })
        })
    };
    let first = match caught(func, inputs) {
        Ok(verdict) => return Ok(verdict),
        Err(fault) => fault,
    };
    silence_shrinking();
    SHRINKING.set(true);
    let (func, inputs) = shrink(func.clone(), inputs.to_vec(), &|func, inputs| {
        caught(func, inputs).is_err_and(|fault| fault.is_like(&first))
    });
    let fault = caught(&func, &inputs).err().unwrap_or(first);
    SHRINKING.set(false);
    Err(LawFailure { law, fault: Box::new(fault), seed: None, func: Box::new(func), inputs })
}

/// What a pass returned, if it is well formed.
fn well_formed(pass: &'static str, result: Result<Func, PassError>) -> Result<Func, Fault> {
    let func = result.map_err(|why| Fault::Refused { pass, why: why.to_string() })?;
    match verify(&func) {
        Ok(()) => Ok(func),
        Err(why) => Err(Fault::IllFormed { pass, why: format!("{why}\n{func}") }),
    }
}

fn evaluated(what: &'static str, func: &Func, inputs: &[Array]) -> Result<Vec<Array>, Fault> {
    eval(func, inputs).map_err(|why| Fault::Eval { what, why: why.to_string() })
}

fn agree(what: &str, got: &[Array], want: &[Array], class: OpClass) -> Result<(), Fault> {
    agree_within(what, got, want, &|dtype| tolerance(dtype, class))
}

fn agree_within(what: &str, got: &[Array], want: &[Array], tol: &dyn Fn(DType) -> Tolerance) -> Result<(), Fault> {
    compare_all(got, want, tol).map_err(|(index, mismatch)| Fault::Differ { what: what.to_owned(), index, mismatch })
}

/// The class of a program: that of its op if it has one only, else that of programs, unless all are exact.
#[must_use]
pub fn class_of_func(func: &Func) -> OpClass {
    let class = |eqn: &Eqn| eqn.prim.nested().map_or_else(|| class_of(&eqn.prim), |nested| class_of_func(nested));
    let classes: Vec<OpClass> = func.eqns().iter().map(class).collect();
    match classes[..] {
        [] => OpClass::Exact,
        [class] => class,
        [..] if classes.iter().all(|&c| c == OpClass::Exact) => OpClass::Exact,
        [..] => OpClass::Program,
    }
}

/// The float dtype of the program with the fewest digits: no result that passed through it has more.
fn coarsest(func: &Func) -> Option<DType> {
    let own = func.types().iter().map(|ty| ty.dtype).filter(|d| d.is_float());
    let nested = func.eqns().iter().filter_map(|eqn| eqn.prim.nested()).filter_map(|nested| coarsest(nested));
    own.chain(nested).max_by(|a, b| epsilon(*a).total_cmp(&epsilon(*b)))
}

/// Whether results of the program agree, within the tolerance of its class and of its coarsest float.
fn agree_as(func: &Func, what: &str, got: &[Array], want: &[Array]) -> Result<(), Fault> {
    let (class, coarsest) = (class_of_func(func), coarsest(func));
    agree_within(what, got, want, &|dtype| {
        let dtype = if dtype.is_float() { coarsest.unwrap_or(dtype) } else { dtype };
        tolerance(dtype, class)
    })
}

/// Law 3: the text form reads back to an equal program, and the program is well formed.
///
/// # Errors
/// If not; the failure holds the smallest such program found.
pub fn text_round_trips(func: &Func, inputs: &[Array]) -> Result<(), LawFailure> {
    hold("parse ∘ print = id", func, inputs, &|func, _| {
        well_formed("the generator", Ok(func.clone()))?;
        match func.to_string().parse::<Func>() {
            Ok(read) if read == *func => Ok(()),
            Ok(read) => Err(Fault::Text { why: format!("it reads as\n{read}") }),
            Err(why) => Err(Fault::Text { why: why.to_string() }),
        }
    })
}

/// Law 3: the pass takes the program and returns one that is well formed, of the same types, and whose
/// text form reads back.
///
/// # Errors
/// If not; the failure holds the smallest such program found.
pub fn pass_returns_well_formed(func: &Func, inputs: &[Array], pass: Pass) -> Result<(), LawFailure> {
    hold("a pass returns what verify accepts", func, inputs, &|func, _| {
        let result = well_formed("the pass", pass(func))?;
        let same = result.input_types() == func.input_types() && result.output_types().eq(func.output_types());
        if !same {
            return Err(Fault::IllFormed { pass: "the pass", why: format!("other types than before:\n{result}") });
        }
        match result.to_string().parse::<Func>() {
            Ok(read) if read == result => Ok(()),
            Ok(read) => Err(Fault::Text { why: format!("it reads as\n{read}") }),
            Err(why) => Err(Fault::Text { why: why.to_string() }),
        }
    })
}

/// Law 4: the optimised program gives the same bits (NaNs are alike).
///
/// # Errors
/// If not; the failure holds the smallest such program found.
pub fn optimised_equals_unoptimised(func: &Func, inputs: &[Array], optimise: Pass) -> Result<(), LawFailure> {
    hold("optimised equals unoptimised", func, inputs, &|func, inputs| {
        let want = evaluated("the program", func, inputs)?;
        let optimised = well_formed("the optimiser", optimise(func))?;
        let got = evaluated("the optimised program", &optimised, inputs)?;
        agree("optimised beside unoptimised", &got, &want, OpClass::Exact)
    })
}

/// What runs a program on a backend.
pub type Run<'a> = &'a dyn Fn(&Func, &[Array]) -> Result<Vec<Array>, PassError>;

/// Law 5: the backend gives what `eval` gives, within the tolerance of the program's class.
///
/// # Errors
/// If not; the failure holds the smallest such program found.
pub fn backend_equals_eval(func: &Func, inputs: &[Array], run: Run) -> Result<(), LawFailure> {
    hold("a backend equals eval", func, inputs, &|func, inputs| {
        let want = evaluated("the program", func, inputs)?;
        let got = run(func, inputs).map_err(|why| Fault::Refused { pass: "the backend", why: why.to_string() })?;
        agree_as(func, "backend beside eval", &got, &want)
    })
}
