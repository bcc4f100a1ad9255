//! Sorting.

use super::program::Lowered;
use burn_backend::Backend;

/// Burn's sort takes one operand, and neither keeps the order of equals nor puts NaN last.
pub(super) fn sort<B: Backend>() -> Lowered<B> {
    Err("Burn's sort is not stable and takes one operand".to_owned())
}
