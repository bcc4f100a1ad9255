//! Derivative of sorting: tangents go where their values go.

use super::index_dtype;
use super::indexing::take_along_axis;
use jx_ir::{Builder, TensorType, Var};

/// The sorted operands and their tangents. The order is found by sorting an index along, which
/// changes nothing, for it is no key.
pub(super) fn jvp(
    b: &mut Builder,
    dimension: usize,
    num_keys: usize,
    x: &[Var],
    dx: &[Option<Var>],
) -> (Vec<Var>, Vec<Option<Var>>) {
    let shape = b.shape(x[0]).to_vec();
    let index = TensorType::new(index_dtype(shape[dimension]), shape);
    let index = b.iota(&index, dimension);
    let mut y = b.sort(&[x, &[index]].concat(), dimension, num_keys);
    let order = y.split_off(x.len())[0];
    let dy = dx.iter().map(|dx| dx.map(|dx| take_along_axis(b, dx, order, dimension))).collect();
    (y, dy)
}
