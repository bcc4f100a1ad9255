//! What a run comes to: counts by group, by variant and by reason, and the failures.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt;

/// How many checks passed, failed and were skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Checks whose results are JAX's.
    pub passed: usize,
    /// Checks with a wrong result, an error or a panic.
    pub failed: usize,
    /// Checks that could not be made, for a reason that is counted.
    pub skipped: usize,
}

impl Tally {
    /// How many checks there are.
    #[must_use]
    pub fn total(&self) -> usize {
        self.passed + self.failed + self.skipped
    }

    fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// A check that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The case's name.
    pub case: String,
    /// The variant.
    pub kind: &'static str,
    /// What is wrong: the place, what came and what was wanted.
    pub what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.case, self.kind, self.what)
    }
}

/// What the checks of one group come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupReport {
    /// The group.
    pub group: String,
    /// Counts by variant.
    pub by_kind: BTreeMap<&'static str, Tally>,
    /// How often each reason to skip a check came up.
    pub reasons: BTreeMap<String, usize>,
    /// The checks that failed, in order.
    pub failures: Vec<Failure>,
}

impl GroupReport {
    /// The counts of all variants.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut all = Tally::default();
        for tally in self.by_kind.values() {
            all.add(*tally);
        }
        all
    }

    /// One JSON object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json_of(&self.group, self.tally(), &self.by_kind, &self.reasons)
    }
}

/// What the checks of all groups come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The groups, in order.
    pub groups: Vec<GroupReport>,
}

impl Report {
    /// The counts of all groups.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut all = Tally::default();
        for group in &self.groups {
            all.add(group.tally());
        }
        all
    }

    /// The counts of all groups, by variant.
    #[must_use]
    pub fn by_kind(&self) -> BTreeMap<&'static str, Tally> {
        let mut all: BTreeMap<&'static str, Tally> = BTreeMap::new();
        for (kind, tally) in self.groups.iter().flat_map(|g| &g.by_kind) {
            all.entry(kind).or_default().add(*tally);
        }
        all
    }

    /// How often each reason to skip a check came up, the most frequent first.
    #[must_use]
    pub fn reasons(&self) -> Vec<(String, usize)> {
        let mut all: BTreeMap<&str, usize> = BTreeMap::new();
        for (reason, n) in self.groups.iter().flat_map(|g| &g.reasons) {
            *all.entry(reason).or_default() += n;
        }
        let mut all: Vec<(String, usize)> = all.into_iter().map(|(r, n)| (r.to_owned(), n)).collect();
        all.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        all
    }

    /// The checks that failed, in order.
    pub fn failures(&self) -> impl Iterator<Item = &Failure> {
        self.groups.iter().flat_map(|g| &g.failures)
    }

    /// One JSON object for all groups.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json_of("total", self.tally(), &self.by_kind(), &self.reasons().into_iter().collect())
    }
}

fn json_of(
    group: &str,
    tally: Tally,
    by_kind: &BTreeMap<&'static str, Tally>,
    reasons: &BTreeMap<String, usize>,
) -> Value {
    let counts = |t: &Tally| json!({"passed": t.passed, "failed": t.failed, "skipped": t.skipped, "total": t.total()});
    let mut object = Map::new();
    object.insert("group".to_owned(), json!(group));
    if let Value::Object(all) = counts(&tally) {
        object.extend(all);
    }
    let variants: Map<String, Value> = by_kind.iter().map(|(k, t)| ((*k).to_owned(), counts(t))).collect();
    object.insert("variants".to_owned(), Value::Object(variants));
    object.insert("reasons".to_owned(), json!(reasons));
    Value::Object(object)
}

impl fmt::Display for Report {
    /// Tables: groups, variants, reasons.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |f: &mut fmt::Formatter<'_>, name: &str, t: Tally| {
            writeln!(f, "{name:<28} {:>6} {:>6} {:>7} {:>6}", t.passed, t.failed, t.skipped, t.total())
        };
        writeln!(f, "{:<28} {:>6} {:>6} {:>7} {:>6}", "group", "passed", "failed", "skipped", "total")?;
        for group in &self.groups {
            row(f, &group.group, group.tally())?;
        }
        writeln!(f)?;
        for (kind, tally) in self.by_kind() {
            row(f, kind, tally)?;
        }
        let total = self.tally();
        row(f, "total", total)?;
        let reasons = self.reasons();
        if !reasons.is_empty() {
            writeln!(f, "\nskipped because")?;
            for (reason, n) in reasons {
                writeln!(f, "{n:>6}  {reason}")?;
            }
        }
        let percent = if total.total() == 0 { 0.0 } else { 100.0 * total.passed as f64 / total.total() as f64 };
        writeln!(f, "\n{} of {} checks passed ({percent:.1} %), {} failed", total.passed, total.total(), total.failed)
    }
}
