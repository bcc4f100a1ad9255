//! `vmap` against the loop over examples, for every primitive, and what its programs look like.

mod check;
mod dot;
mod elementwise;
mod errors;
mod gather;
mod indexing;
mod movement;
mod nodes;
mod reduce;
mod scatter;
mod snapshots;
mod sort;
