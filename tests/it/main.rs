//! The integration tests of jx, in one binary.

mod api;
