//! Programs that are one transformation of a program: what the pass of that name must equal.

use jx_ir::{Builder, Func, Prim, TensorType};
use std::sync::Arc;

fn one_node(types: &[TensorType], prim: Prim) -> Func {
    let (mut b, vars) = Builder::with_inputs(types);
    let results = b.emit(prim, &vars);
    b.finish(&results)
}

/// The program `vmap(func)`, of batched inputs.
///
/// # Panics
/// If the axes do not fit the program.
#[must_use]
pub fn vmap_node(func: &Func, in_axes: &[Option<usize>], out_axes: &[Option<usize>], size: usize) -> Func {
    let batched = |(ty, axis): (&TensorType, &Option<usize>)| {
        let mut ty = ty.clone();
        if let Some(axis) = *axis {
            ty.shape.insert(axis, size);
        }
        ty
    };
    let types: Vec<TensorType> = func.input_types().iter().zip(in_axes).map(batched).collect();
    let func = Arc::new(func.clone());
    one_node(&types, Prim::Vmap { func, in_axes: in_axes.to_vec(), out_axes: out_axes.to_vec(), size })
}

/// The program `grad(func)`.
///
/// # Panics
/// If the program's first result is no float scalar, or an input of `wrt` no float.
#[must_use]
pub fn grad_node(func: &Func, wrt: &[usize], value: bool) -> Func {
    let prim = Prim::Grad { func: Arc::new(func.clone()), wrt: wrt.to_vec(), value };
    one_node(func.input_types(), prim)
}

/// The program `jvp(func)`: inputs, then tangents of those of `wrt`.
///
/// # Panics
/// If an input of `wrt` is no float.
#[must_use]
pub fn jvp_node(func: &Func, wrt: &[usize]) -> Func {
    let tangents = wrt.iter().map(|&i| func.input_types()[i].clone());
    let types: Vec<TensorType> = func.input_types().iter().cloned().chain(tangents).collect();
    one_node(&types, Prim::Jvp { func: Arc::new(func.clone()), wrt: wrt.to_vec() })
}
