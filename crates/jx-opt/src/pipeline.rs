//! `Optimizer`: the passes in order, and what each of them made.

use crate::simplify::{cse, dce, fold_final};
use crate::{OptError, expand};
use jx_ir::Func;

/// How much the optimiser does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Expansion only: every equation of the program is kept as it is.
    None,
    /// Expansion, then what shortens the program and keeps every bit of its results.
    #[default]
    Basic,
}

/// Makes first-order programs for backends. The result is not for differentiating again: it has
/// forgotten where gradients stop.
#[derive(Clone, Debug, Default)]
pub struct Optimizer {
    level: Level,
}

/// The name and the body of a pass.
type Pass = (&'static str, fn(&Func) -> Func);

impl Optimizer {
    /// The default optimiser: [`Level::Basic`].
    #[must_use]
    pub fn new() -> Optimizer {
        Optimizer::default()
    }

    /// The same optimiser at another level.
    #[must_use]
    pub fn level(mut self, level: Level) -> Optimizer {
        self.level = level;
        self
    }

    /// The first-order program that computes the same.
    ///
    /// # Errors
    /// As [`expand`].
    pub fn run(&self, func: &Func) -> Result<Func, OptError> {
        let expanded = expand(func)?;
        Ok(self.passes().iter().fold(expanded, |func, (_, pass)| pass(&func)))
    }

    /// What each pass makes of the program, in order, with the pass's name; the last is the result of
    /// [`Optimizer::run`].
    ///
    /// # Errors
    /// As [`expand`].
    pub fn trace(&self, func: &Func) -> Result<Vec<(&'static str, Func)>, OptError> {
        let mut func = expand(func)?;
        let mut steps = vec![("expand", func.clone())];
        for (name, pass) in self.passes() {
            func = pass(&func);
            steps.push((name, func.clone()));
        }
        Ok(steps)
    }

    fn passes(&self) -> &'static [Pass] {
        match self.level {
            Level::None => &[],
            // Folding makes equal what was not, and leaves behind what nothing reads.
            Level::Basic => &[("dce", dce), ("cse", cse), ("fold", fold_final), ("cse", cse), ("dce", dce)],
        }
    }
}
