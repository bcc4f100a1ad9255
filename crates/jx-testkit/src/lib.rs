//! What the tests of jx are made of: samples, random programs, laws, one table of tolerances.
//!
//! - [`samples`]: for every op and dtype a small program with inputs;
//! - [`generate`]: programs made from a seed; [`shrink`]: the smallest program that still fails;
//! - [`laws`]: what must hold of every pass and backend, the passes given as closures;
//! - [`tolerance`]: how far results may differ, and whether two do.
//!
//! It knows the programs of `jx-ir` only; what runs and transforms them comes from the caller.
//!
//! ```
//! use jx_testkit::{generate, laws};
//! let program = generate::random_func(7, &generate::GenOptions::default());
//! laws::text_round_trips(&program.func, &program.inputs).unwrap();
//! ```

pub mod arrays;
pub mod conformance;
pub mod generate;
pub mod laws;
pub mod rng;
pub mod samples;
pub mod shrink;
pub mod tolerance;

pub use generate::{GenOptions, Generated, random_func};
pub use samples::{Family, Sample};
