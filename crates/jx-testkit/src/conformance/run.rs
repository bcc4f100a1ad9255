//! Running cases: every variant of every case, compared and counted.

use super::compare::{Verdict, compare};
use super::evidence::Evidence;
use super::read::{Case, ReadError, Reader, Variant};
use super::report::{Failure, GroupReport};
use super::translate::{Translated, translate};
use super::variants::{Kind, variant_func};
use super::wire::ArrayError;
use jx_ir::{Array, Func};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Why a program has no results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// A known hole, such as a derivative that is not implemented: the check is skipped.
    #[error("{0}")]
    Unsupported(String),
    /// Anything else: the check fails.
    #[error("{0}")]
    Failed(String),
}

/// What expands, compiles and runs a program.
pub type Run<'a> = &'a (dyn Fn(&Func, &[Array]) -> Result<Vec<Array>, RunError> + Sync);

/// Runs cases by a closure that expands, compiles and runs a program.
pub struct Runner<'a> {
    run: Run<'a>,
}

/// What a check comes to.
enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
}

impl<'a> Runner<'a> {
    /// A runner of programs.
    #[must_use]
    pub fn new(run: Run<'a>) -> Runner<'a> {
        Runner { run }
    }

    /// What the cases of a group come to. A line that is no case is a failed check.
    ///
    /// # Errors
    /// If the group's files cannot be opened.
    pub fn group(&self, group: &str, path: &Path) -> Result<GroupReport, ReadError> {
        let mut reader = Reader::open(path)?;
        let mut report = GroupReport { group: group.to_owned(), ..GroupReport::default() };
        while let Some(case) = reader.next() {
            match case {
                Ok(case) => self.case(&mut reader, &case, &mut report),
                Err(why) => count(&mut report, "?", "base", Outcome::Failed(why.to_string())),
            }
        }
        Ok(report)
    }

    fn case(&self, reader: &mut Reader, case: &Case, report: &mut GroupReport) {
        let base = case.variants.iter().find_map(|v| v.jaxpr.as_ref());
        let translated = match base {
            None => Err(Outcome::Failed("the case has no program".to_owned())),
            Some(jaxpr) => match caught(|| translate(jaxpr)) {
                Ok(Ok(translated)) => Ok(translated),
                Ok(Err(why)) if why.is_hole() => Err(Outcome::Skipped(why.to_string())),
                Ok(Err(why)) => Err(Outcome::Failed(why.to_string())),
                Err(panic) => Err(Outcome::Failed(panic)),
            },
        };
        for variant in &case.variants {
            let outcome = match &translated {
                Ok(translated) => self.variant(reader, case, variant, translated),
                Err(Outcome::Failed(why)) => Outcome::Failed(why.clone()),
                Err(Outcome::Skipped(why)) => Outcome::Skipped(why.clone()),
                Err(Outcome::Passed) => Outcome::Passed,
            };
            count(report, &case.name, variant.kind.name(), outcome);
        }
    }

    fn variant(&self, reader: &mut Reader, case: &Case, variant: &Variant, base: &Translated) -> Outcome {
        if let Some(why) = variant.unsure.iter().find(|&why| why == "non-unique") {
            return Outcome::Skipped(format!("unsure: {why}"));
        }
        if base.notes.custom_derivatives && variant.kind.differentiates() {
            return Outcome::Skipped("derivatives of a function with derivatives of its own".to_owned());
        }
        let tensors = |reader: &mut Reader, of: &[usize]| {
            of.iter().map(|&i| reader.tensor(case, i)).collect::<Result<Vec<_>, _>>()
        };
        let (inputs, want) = match (tensors(reader, &variant.inputs), tensors(reader, &variant.outputs)) {
            (Ok(inputs), Ok(want)) => (inputs, want),
            (Err(ReadError::Tensor { source: why @ ArrayError::NoDType { .. }, .. }), _)
            | (_, Err(ReadError::Tensor { source: why @ ArrayError::NoDType { .. }, .. })) => {
                return Outcome::Skipped(why.to_string());
            }
            (Err(why), _) | (_, Err(why)) => return Outcome::Failed(why.to_string()),
        };
        let func = match variant_func(&base.func, &variant.kind) {
            Ok(func) => func,
            Err(why) => return Outcome::Failed(why.to_string()),
        };
        let got = match caught(|| (self.run)(&func, &inputs)) {
            Ok(Ok(got)) => got,
            Ok(Err(RunError::Unsupported(why))) => return Outcome::Skipped(why),
            Ok(Err(RunError::Failed(why))) => return Outcome::Failed(why),
            Err(panic) => return Outcome::Failed(panic),
        };
        if got.len() != want.len() {
            return Outcome::Failed(format!("{} results, but {} were wanted", got.len(), want.len()));
        }
        let base_want = case.variants.iter().find(|v| v.kind == Kind::Base && variant.inputs.starts_with(&v.inputs));
        let base_want = base_want.and_then(|v| tensors(reader, &v.outputs).ok());
        let evidence = Evidence {
            run: self.run,
            base,
            kind: &variant.kind,
            inputs: &inputs,
            got: &got,
            want: &want,
            base_want: base_want.as_deref(),
        };
        for i in 0..want.len() {
            let noise = variant.noise.get(i).copied().flatten();
            let elements = match compare(&got[i], &want[i], noise) {
                Verdict::Agree => continue,
                Verdict::Type { got, want } => {
                    return Outcome::Failed(format!("output {i} is {got}, but {want} was wanted"));
                }
                Verdict::Differ(elements) => elements,
            };
            // The evidence runs programs, which may panic as the first run may.
            let reason = caught(|| evidence.reason(i, &elements)).ok().flatten();
            return match (reason, variant.unsure.first()) {
                (Some(reason), _) => Outcome::Skipped(reason.to_owned()),
                (None, Some(unsure)) => Outcome::Skipped(format!("unsure: {unsure}")),
                (None, None) => {
                    let (n, first, ty) = (elements.len(), &elements[0], want[i].ty());
                    Outcome::Failed(format!(
                        "output {i} ({ty}), {n} of {} elements differ; {first}",
                        want[i].n_elements()
                    ))
                }
            };
        }
        Outcome::Passed
    }
}

fn count(report: &mut GroupReport, case: &str, kind: &'static str, outcome: Outcome) {
    let tally = report.by_kind.entry(kind).or_default();
    match outcome {
        Outcome::Passed => tally.passed += 1,
        Outcome::Failed(what) => {
            tally.failed += 1;
            report.failures.push(Failure { case: case.to_owned(), kind, what });
        }
        Outcome::Skipped(reason) => {
            tally.skipped += 1;
            *report.reasons.entry(reason).or_default() += 1;
        }
    }
}

/// The value of a closure, or its panic's message.
fn caught<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|payload: Box<dyn Any + Send>| {
        let message = payload.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        format!("panicked: {message}")
    })
}
