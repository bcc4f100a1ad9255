//! The integration tests of jx, in one binary.

mod api;
mod crate_edges;
mod source;
