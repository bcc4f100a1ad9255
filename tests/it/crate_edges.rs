//! The architecture as a test: which crate may depend on which.

use std::collections::BTreeSet;
use std::process::Command;

/// Crate by crate, what it may name. `jx-testkit` stands below the passes so that each can use it in tests.
const ALLOWED: &[(&str, &[&str])] = &[
    ("jx-ir", &[]),
    ("jx-testkit", &["jx-ir"]),
    ("jx-autodiff", &["jx-ir"]),
    ("jx-batch", &["jx-ir"]),
    ("jx-opt", &["jx-ir", "jx-autodiff", "jx-batch"]),
    ("jx-backends", &["jx-ir"]),
    ("jx-derive", &[]),
    ("jx", &["jx-ir", "jx-opt", "jx-backends", "jx-derive"]),
    ("jx-cli", &["jx", "jx-ir", "jx-opt", "jx-backends", "jx-testkit"]),
];

/// Libraries that only one crate may name, so that no public signature elsewhere can show them.
const OWNED: &[(&str, &str)] = &[("egg", "jx-opt"), ("burn-", "jx-backends"), ("clap", "jx-cli"), ("npyz", "jx-cli")];

fn metadata() -> serde_json::Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Each package with its dependencies, those of tests left out unless asked for.
fn dependencies(with_dev: bool) -> Vec<(String, Vec<String>)> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    let name = |v: &serde_json::Value| v["name"].as_str().unwrap().to_owned();
    let of = |package: &serde_json::Value| {
        let all = package["dependencies"].as_array().unwrap().iter();
        all.filter(|d| with_dev || d["kind"].as_str() != Some("dev")).map(name).collect()
    };
    packages.iter().map(|p| (name(p), of(p))).collect()
}

#[test]
fn no_crate_depends_on_one_above_it() {
    let packages = dependencies(false);
    let members: BTreeSet<&str> = packages.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(members, ALLOWED.iter().map(|(name, _)| *name).collect(), "every crate has its row in ALLOWED");
    for (name, dependencies) in &packages {
        let allowed = ALLOWED.iter().find(|(n, _)| n == name).unwrap().1;
        for dependency in dependencies.iter().filter(|d| members.contains(d.as_str())) {
            assert!(allowed.contains(&dependency.as_str()), "{name} must not depend on {dependency}");
        }
    }
}

#[test]
fn a_library_that_one_crate_owns_is_named_by_no_other() {
    for (name, dependencies) in dependencies(false) {
        for (library, owner) in OWNED {
            let named = dependencies.iter().any(|d| d == library || (library.ends_with('-') && d.starts_with(library)));
            assert!(!named || name == *owner, "{name} names {library}, which belongs to {owner}");
        }
    }
}

#[test]
fn the_ir_does_not_use_the_testkit_in_its_own_tests() {
    // Cargo would build jx-ir twice, and the types of the two would differ.
    let packages = dependencies(true);
    let ir = &packages.iter().find(|(name, _)| name == "jx-ir").unwrap().1;
    assert!(!ir.contains(&"jx-testkit".to_owned()));
}
