//! Nodes that hold a nested program: calls and transformations, kept as the user wrote them.

use crate::{Func, TensorType, TypeError};

/// The operands agree with the nested program's inputs.
fn require_inputs(prim: &'static str, func: &Func, inputs: &[&TensorType]) -> Result<(), TypeError> {
    if inputs.len() != func.n_inputs() {
        return Err(TypeError::Arity { prim, expected: func.n_inputs(), found: inputs.len() });
    }
    func.input_types().iter().zip(inputs).try_for_each(|(want, found)| TypeError::require_same(prim, want, found))
}

fn require_wrt(prim: &'static str, func: &Func, wrt: &[usize]) -> Result<(), TypeError> {
    for (i, &index) in wrt.iter().enumerate() {
        let Some(ty) = func.input_types().get(index) else {
            return Err(TypeError::Arity { prim, expected: index + 1, found: func.n_inputs() });
        };
        if !ty.dtype.is_float() {
            return Err(TypeError::WrtNotFloat { prim, index, found: ty.clone() });
        }
        if wrt[..i].contains(&index) {
            let operand = ty.clone();
            let rule = "each input is named once";
            return Err(TypeError::Param { prim, param: "wrt", found: format!("{wrt:?}"), operand, rule });
        }
    }
    Ok(())
}

pub(super) fn infer_call(func: &Func, inputs: &[&TensorType]) -> Result<Vec<TensorType>, TypeError> {
    require_inputs("call", func, inputs)?;
    Ok(func.output_types().cloned().collect())
}

pub(super) fn infer_vmap(
    func: &Func,
    in_axes: &[Option<usize>],
    out_axes: &[Option<usize>],
    size: usize,
    inputs: &[&TensorType],
) -> Result<Vec<TensorType>, TypeError> {
    let prim = "vmap";
    if inputs.len() != func.n_inputs() || in_axes.len() != inputs.len() {
        return Err(TypeError::Arity { prim, expected: func.n_inputs(), found: inputs.len().min(in_axes.len()) });
    }
    for (index, ((&axis, &outer), inner)) in in_axes.iter().zip(inputs).zip(func.input_types()).enumerate() {
        let mut example = outer.clone();
        if let Some(axis) = axis {
            TypeError::require_axes(prim, &[axis], outer)?;
            if outer.shape[axis] != size {
                return Err(TypeError::MapSize { index, found: outer.clone(), axis, size });
            }
            example.shape.remove(axis);
        }
        TypeError::require_same(prim, inner, &example)?;
    }
    if out_axes.len() != func.n_outputs() {
        return Err(TypeError::Arity { prim, expected: func.n_outputs(), found: out_axes.len() });
    }
    let depends = func.depends_on(|i| in_axes[i].is_some());
    let mut types = Vec::with_capacity(out_axes.len());
    for ((&axis, ty), depends) in out_axes.iter().zip(func.output_types()).zip(depends) {
        let mut ty = ty.clone();
        match axis {
            Some(axis) if axis > ty.rank() => return Err(TypeError::Axis { prim, axis, operand: ty.batched(size) }),
            Some(axis) => ty.shape.insert(axis, size),
            None if depends => {
                let rule = "an output that depends on a mapped input needs an axis in out_axes";
                return Err(TypeError::Param { prim, param: "out_axes", found: "None".to_owned(), operand: ty, rule });
            }
            None => {}
        }
        types.push(TypeError::require_size(prim, ty)?);
    }
    Ok(types)
}

pub(super) fn infer_grad(
    func: &Func,
    wrt: &[usize],
    value: bool,
    inputs: &[&TensorType],
) -> Result<Vec<TensorType>, TypeError> {
    require_inputs("grad", func, inputs)?;
    require_wrt("grad", func, wrt)?;
    let mut outputs = func.output_types().cloned();
    let first = match outputs.next() {
        Some(ty) if ty.rank() == 0 && ty.dtype.is_float() => ty,
        Some(ty) => return Err(TypeError::GradOfNonScalar { found: ty.to_string() }),
        None => return Err(TypeError::GradOfNonScalar { found: "nothing".to_owned() }),
    };
    let mut types = Vec::new();
    if value {
        types.push(first);
    }
    types.extend(outputs);
    types.extend(wrt.iter().map(|&i| func.input_types()[i].clone()));
    Ok(types)
}

pub(super) fn infer_jvp(func: &Func, wrt: &[usize], inputs: &[&TensorType]) -> Result<Vec<TensorType>, TypeError> {
    let prim = "jvp";
    let n = func.n_inputs();
    if inputs.len() != n + wrt.len() {
        return Err(TypeError::Arity { prim, expected: n + wrt.len(), found: inputs.len() });
    }
    require_inputs(prim, func, &inputs[..n])?;
    require_wrt(prim, func, wrt)?;
    for (&i, tangent) in wrt.iter().zip(&inputs[n..]) {
        TypeError::require_same(prim, &func.input_types()[i], tangent)?;
    }
    let tangents = func.output_types().filter(|ty| ty.dtype.is_float());
    Ok(func.output_types().chain(tangents).cloned().collect())
}
