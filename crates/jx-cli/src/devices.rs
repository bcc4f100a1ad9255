//! `jx devices`: what programs can run on.

use crate::error::CliError;
use clap::Args;
use jx::DType;
use serde_json::json;
use std::io::Write;

/// Options of `jx devices`.
#[derive(Args)]
pub(crate) struct DevicesArgs {
    /// Print one JSON object for each device.
    #[arg(long)]
    json: bool,
}

pub(crate) fn list(args: &DevicesArgs) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    for info in jx::devices() {
        let name = info.device.to_string();
        let dtypes: Vec<&str> = info.dtypes.iter().map(|d| d.name()).collect();
        let why = info.available.as_ref().err().map(ToString::to_string);
        if args.json {
            let line = json!({
                "device": name, "available": why.is_none(), "why": why, "dtypes": dtypes, "note": info.note,
            });
            writeln!(out, "{line}")?;
            continue;
        }
        writeln!(out, "{name:<12} {}", info.note)?;
        match why {
            None => writeln!(out, "{:12} available", "")?,
            Some(why) => writeln!(out, "{:12} {why}", "")?,
        }
        let dtypes = if dtypes.len() == DType::ALL.len() { "all".to_owned() } else { dtypes.join(", ") };
        writeln!(out, "{:12} dtypes: {dtypes}", "")?;
    }
    Ok(())
}
