//! The integration tests of jx, in one binary.

mod api;
mod conformance;
mod crate_edges;
mod errors;
mod filetests;
mod laws;
mod ops;
mod seeds;
mod source;
