//! Results as text, elided where they are large, and as JSON, in full.

use crate::error::CliError;
use jx::source::Nested;
use jx::{Array, DType};
use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;

/// What a run gave.
pub(crate) struct Outcome {
    pub(crate) label: Option<String>,
    pub(crate) value: Nested<Array>,
    /// How long the first and the second call took, if they were timed.
    pub(crate) times: Option<(Duration, Duration)>,
}

/// The leaves of a result, each with its path: `.0`, `.1.0`.
fn leaves<'v>(value: &'v Nested<Array>, path: &str, out: &mut Vec<(String, &'v Array)>) {
    match value {
        Nested::Leaf(array) => out.push((path.to_owned(), array)),
        Nested::Tuple(parts) => {
            for (i, part) in parts.iter().enumerate() {
                leaves(part, &format!("{path}.{i}"), out);
            }
        }
    }
}

impl Outcome {
    /// Prints it for people.
    pub(crate) fn print(&self, out: &mut impl Write) -> Result<(), CliError> {
        let mut all = Vec::new();
        leaves(&self.value, "", &mut all);
        let indent = if let Some(label) = &self.label {
            writeln!(out, "{label}")?;
            "  "
        } else {
            ""
        };
        for (path, array) in all {
            let gap = if path.is_empty() { "" } else { " " };
            writeln!(out, "{indent}{path}{gap}{} {array}", array.ty())?;
        }
        if let Some((first, second)) = self.times {
            writeln!(out, "{indent}first call {}, second call {}", duration(first), duration(second))?;
        }
        Ok(())
    }

    /// Prints it as one line of JSON with every element.
    pub(crate) fn print_json(&self, out: &mut impl Write) -> Result<(), CliError> {
        let mut all = Vec::new();
        leaves(&self.value, "", &mut all);
        let results = all.into_iter().map(|(path, array)| {
            let host = array.to_host()?;
            let dtype = host.dtype();
            let values: Vec<Value> = host.scalars().map(|s| element(dtype, &s.to_string())).collect();
            Ok(json!({ "path": path, "dtype": dtype.name(), "shape": host.shape(), "values": values }))
        });
        let results = results.collect::<Result<Vec<Value>, CliError>>()?;
        let mut line = json!({ "label": self.label, "results": results });
        if let Some((first, second)) = self.times {
            line["first_call_ns"] = nanoseconds(first);
            line["second_call_ns"] = nanoseconds(second);
        }
        writeln!(out, "{line}")?;
        Ok(())
    }
}

fn nanoseconds(time: Duration) -> Value {
    json!(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

/// An element as JSON: its shortest text that reads back. JSON has no infinities and no NaN; these are texts.
fn element(dtype: DType, text: &str) -> Value {
    let number = serde_json::from_str::<Value>(text);
    match number {
        // Which NaN it is does not matter to a reader of JSON.
        Err(_) if text.starts_with("nan") => Value::String("nan".to_owned()),
        Ok(value) if value.is_number() || (dtype == DType::Bool && value.is_boolean()) => value,
        Ok(_) | Err(_) => Value::String(text.to_owned()),
    }
}

/// A time with three digits and a fitting unit.
pub(crate) fn duration(time: Duration) -> String {
    let ns = time.as_nanos() as f64;
    let (value, unit) = match ns {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "µs"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {unit}")
}
