//! Tests of differentiation: laws on every op, cases of other systems' bugs, accuracy, texts.

mod accuracy;
mod elementwise;
mod errors;
mod indexing;
mod known_bugs;
mod laws;
mod structural;
mod structure;
mod support;
mod text;
