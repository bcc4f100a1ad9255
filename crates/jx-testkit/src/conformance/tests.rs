//! Tests of reading and translating cases.
