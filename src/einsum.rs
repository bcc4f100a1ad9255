//! `einsum`: sums of products named by labels, lowered to transposes, `dot_general` and reductions.

use crate::Tensor;
use crate::ops::dot::contract;
use crate::ops::{known, mistake};
use crate::tensor::require_one_dtype;
use crate::trace::{Place, emit1};
use jx_ir::{DotDims, Prim, TensorType};
use std::panic::Location;

/// An axis's name: a letter, or an axis of the ellipsis, counted from the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    /// Sorted so that the leftmost comes first.
    Ellipsis(std::cmp::Reverse<usize>),
    Letter(char),
}

/// A part of the specification: where it begins, for messages, and its letters with `...` as `None`.
struct Term {
    letters: Vec<(usize, Option<char>)>,
}

/// A specification that is well formed.
struct Spec {
    inputs: Vec<Term>,
    output: Option<Term>,
}

/// What is wrong with a specification, and at which byte of it.
struct Fault {
    at: Option<usize>,
    why: String,
}

impl Fault {
    fn new(at: impl Into<Option<usize>>, why: String) -> Fault {
        Fault { at: at.into(), why }
    }

    /// The message, with the specification and a mark under the place.
    fn message(&self, spec: &str) -> String {
        match self.at {
            Some(at) => {
                format!("{}\n    {spec}\n    {:>width$}", self.why, '^', width = spec[..at].chars().count() + 1)
            }
            None => format!("{} (in {spec:?})", self.why),
        }
    }
}

/// The sum of products that the labels name, as `numpy.einsum`: `"ij,jk->ik"` is a matrix product.
///
/// Labels are letters; one that the result does not have is summed over. Without `->` the result has the
/// labels that occur once, in alphabetical order. A label twice in one operand takes the diagonal. `...`
/// stands for any axes, which broadcast. Several operands are contracted from left to right.
///
/// # Errors
/// A specification that is malformed or does not fit the operands is shown with a mark at the label.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(|x: Tensor, y: Tensor| einsum("ij,kj->ik", [x, y]));
/// let (x, y) = (Array::from([[1.0_f32, 2.0]]), Array::from([[3.0_f32, 4.0], [5.0, 6.0]]));
/// assert_eq!(f.call((x, y))?.to_vec::<f32>()?, [11.0, 17.0]);
///
/// let trace = jit(|x: Tensor| einsum("ii", [x]));
/// assert_eq!(trace.call(Array::from([[1.0_f32, 2.0], [3.0, 4.0]]))?.item::<f32>()?, 5.0);
///
/// let error = f.call((Array::from([[1.0_f32, 2.0]]), Array::from([[1.0_f32, 2.0, 3.0]]))).unwrap_err();
/// assert!(error.to_string().contains("label `j` has extent 2 in operand 0, but 3 in operand 1"));
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
#[must_use]
pub fn einsum(spec: &str, operands: impl AsRef<[Tensor]>) -> Tensor {
    let place = Location::caller();
    let operands = operands.as_ref();
    let mut types = Vec::with_capacity(operands.len());
    for &x in operands {
        match known(x, place) {
            Some(ty) => types.push(ty),
            None => return Tensor::POISON,
        }
        if !require_one_dtype(operands[0], x, "einsum", place) {
            return Tensor::POISON;
        }
    }
    match plan(spec, &types) {
        Ok(plan) => plan.record(operands, place),
        Err(fault) => mistake("einsum", fault.message(spec), place, operands),
    }
}

fn parse(spec: &str) -> Result<Spec, Fault> {
    let (inputs, output) = match spec.find("->") {
        Some(arrow) => (&spec[..arrow], Some((arrow + 2, &spec[arrow + 2..]))),
        None => (spec, None),
    };
    let mut terms = Vec::new();
    let mut start = 0;
    for part in inputs.split(',') {
        terms.push(parse_term(part, start)?);
        start += part.len() + 1;
    }
    let output = output.map(|(start, part)| parse_term(part, start)).transpose()?;
    Ok(Spec { inputs: terms, output })
}

fn parse_term(part: &str, start: usize) -> Result<Term, Fault> {
    let mut letters: Vec<(usize, Option<char>)> = Vec::new();
    let mut rest = part.char_indices();
    while let Some((i, c)) = rest.next() {
        match c {
            ' ' => {}
            'a'..='z' | 'A'..='Z' => letters.push((start + i, Some(c))),
            '.' if part[i..].starts_with("...") => {
                if letters.iter().any(|l| l.1.is_none()) {
                    return Err(Fault::new(start + i, "`...` occurs twice in one operand".to_owned()));
                }
                letters.push((start + i, None));
                rest.nth(1);
            }
            other => {
                let why = format!("`{other}` is no label; labels are letters, and `...` stands for any axes");
                return Err(Fault::new(start + i, why));
            }
        }
    }
    Ok(Term { letters })
}

/// A specification fitted to operands.
struct Plan {
    /// The labels of each operand's axes.
    inputs: Vec<Vec<Label>>,
    output: Vec<Label>,
    extents: Vec<(Label, usize)>,
}

fn plan(spec: &str, types: &[TensorType]) -> Result<Plan, Fault> {
    let parsed = parse(spec)?;
    if parsed.inputs.len() != types.len() {
        let (n, m) = (parsed.inputs.len(), types.len());
        return Err(Fault::new(None, format!("the specification is of {n} operands, but {m} were given")));
    }
    let mut inputs = Vec::with_capacity(types.len());
    let mut widest = 0;
    // For each label its extent, with the operand and the byte of the specification that it is from.
    let mut found: Vec<(Label, usize, usize)> = Vec::new();
    for (operand, (term, ty)) in parsed.inputs.iter().zip(types).enumerate() {
        let named = term.letters.iter().filter(|l| l.1.is_some()).count();
        let has_ellipsis = named < term.letters.len();
        if named > ty.rank() || (named < ty.rank() && !has_ellipsis) {
            let at = term.letters.first().map(|l| l.0);
            return Err(Fault::new(at, format!("operand {operand} is {ty}, but {named} of its axes are labelled")));
        }
        let free = ty.rank() - named;
        widest = widest.max(if has_ellipsis { free } else { 0 });
        let mut labels = Vec::with_capacity(ty.rank());
        for &(at, letter) in &term.letters {
            let new = match letter {
                Some(c) => vec![Label::Letter(c)],
                None => (0..free).rev().map(|i| Label::Ellipsis(std::cmp::Reverse(i))).collect(),
            };
            for label in new {
                let extent = ty.shape[labels.len()];
                labels.push(label);
                match found.iter_mut().find(|f| f.0 == label) {
                    None => found.push((label, extent, operand)),
                    Some((_, n, from)) if *n == 1 => (*n, *from) = (extent, operand),
                    Some((_, n, _)) if extent == *n || extent == 1 => {}
                    Some((_, n, from)) => {
                        let shown = letter.map_or_else(|| "...".to_owned(), |c| c.to_string());
                        let why = format!(
                            "label `{shown}` has extent {n} in operand {from}, but {extent} in operand {operand}"
                        );
                        return Err(Fault::new(at, why));
                    }
                }
            }
        }
        inputs.push(labels);
    }
    let output = match &parsed.output {
        Some(term) => explicit_output(term, widest, &found)?,
        None => implicit_output(&inputs, widest),
    };
    let extents = found.into_iter().map(|(label, n, _)| (label, n)).collect();
    Ok(Plan { inputs, output, extents })
}

fn explicit_output(term: &Term, widest: usize, found: &[(Label, usize, usize)]) -> Result<Vec<Label>, Fault> {
    let mut output = Vec::new();
    for &(at, letter) in &term.letters {
        match letter {
            None => output.extend((0..widest).rev().map(|i| Label::Ellipsis(std::cmp::Reverse(i)))),
            Some(c) => {
                let label = Label::Letter(c);
                if output.contains(&label) {
                    return Err(Fault::new(at, format!("label `{c}` occurs twice in the result")));
                }
                if !found.iter().any(|f| f.0 == label) {
                    return Err(Fault::new(at, format!("label `{c}` of the result is in no operand")));
                }
                output.push(label);
            }
        }
    }
    if widest > 0 && term.letters.iter().all(|l| l.1.is_some()) {
        let why = "operands have axes under `...`, so the result needs a `...` too";
        return Err(Fault::new(None, why.to_owned()));
    }
    Ok(output)
}

/// The axes of the ellipsis, then the letters that occur once, in order.
fn implicit_output(inputs: &[Vec<Label>], widest: usize) -> Vec<Label> {
    let all: Vec<Label> = inputs.iter().flatten().copied().collect();
    let once = |label: &Label| matches!(label, Label::Letter(_)) && all.iter().filter(|l| *l == label).count() == 1;
    let mut letters: Vec<Label> = all.iter().copied().filter(|l| once(l)).collect();
    letters.sort_unstable();
    let mut output: Vec<Label> = (0..widest).rev().map(|i| Label::Ellipsis(std::cmp::Reverse(i))).collect();
    output.extend(letters);
    output
}

impl Plan {
    fn extent(&self, label: Label) -> usize {
        self.extents.iter().find(|e| e.0 == label).map_or(1, |e| e.1)
    }

    fn record(&self, operands: &[Tensor], place: Place) -> Tensor {
        let mut rest: Vec<(Tensor, Vec<Label>)> =
            operands.iter().zip(&self.inputs).map(|(&x, labels)| self.prepare(x, labels, place)).collect();
        let mut later = rest.split_off(1.min(rest.len()));
        let Some((mut x, mut labels)) = rest.pop() else { return Tensor::POISON };
        later.reverse();
        while let Some((y, y_labels)) = later.pop() {
            let needed = |l: &Label| self.output.contains(l) || later.iter().any(|t| t.1.contains(l));
            // What only one of the two has and nobody needs is summed before it is multiplied.
            let (x_kept, x_labels) = sum_out(x, &labels, |l| needed(l) || y_labels.contains(l), place);
            let (y, y_labels) = sum_out(y, &y_labels, |l| needed(l) || x_labels.contains(l), place);
            (x, labels) = product(x_kept, &x_labels, y, &y_labels, needed, place);
        }
        let (x, labels) = sum_out(x, &labels, |l| self.output.contains(l), place);
        let permutation: Vec<usize> = self.output.iter().filter_map(|l| labels.iter().position(|m| m == l)).collect();
        if permutation.is_sorted() { x } else { emit1(Prim::Transpose { permutation }, &[x], place) }
    }

    /// An operand with each label once: diagonals taken, and axes of extent 1 that broadcast dropped.
    fn prepare(&self, mut x: Tensor, labels: &[Label], place: Place) -> (Tensor, Vec<Label>) {
        let mut labels = labels.to_vec();
        let shape = x.shape();
        let stretched = |i: usize| shape.get(i) == Some(&1) && self.extent(labels[i]) != 1;
        let keep: Vec<usize> = (0..labels.len()).filter(|&i| !stretched(i)).collect();
        if keep.len() < labels.len() {
            let shape = keep.iter().filter_map(|&i| shape.get(i).copied()).collect();
            x = emit1(Prim::Reshape { shape }, &[x], place);
            labels = keep.iter().map(|&i| labels[i]).collect();
        }
        while let Some((first, second)) = repeated(&labels) {
            x = diagonal(x, first, second, place);
            labels.remove(second);
        }
        (x, labels)
    }
}

/// Two axes with one label.
fn repeated(labels: &[Label]) -> Option<(usize, usize)> {
    (0..labels.len()).find_map(|second| labels[..second].iter().position(|l| *l == labels[second]).map(|f| (f, second)))
}

/// The elements with equal places on two axes of one extent; the second axis goes away.
fn diagonal(x: Tensor, first: usize, second: usize, place: Place) -> Tensor {
    let Some(ty) = known(x, place) else { return Tensor::POISON };
    let index = TensorType::new(jx_ir::DType::I32, ty.shape.clone());
    let along = |dimension: usize| emit1(Prim::Iota { ty: index.clone(), dimension }, &[], place);
    let on = emit1(Prim::Compare(jx_ir::CompareOp::Eq), &[along(first), along(second)], place);
    let zero = emit1(Prim::Full { value: jx_ir::Scalar::zero(ty.dtype), shape: ty.shape.clone() }, &[], place);
    let masked = emit1(Prim::SelectN, &[on, zero, x], place);
    emit1(Prim::Reduce { op: jx_ir::ReduceOp::Sum, axes: vec![second] }, &[masked], place)
}

/// The tensor summed over the labels that are not kept.
fn sum_out(x: Tensor, labels: &[Label], keep: impl Fn(&Label) -> bool, place: Place) -> (Tensor, Vec<Label>) {
    let axes: Vec<usize> = (0..labels.len()).filter(|&i| !keep(&labels[i])).collect();
    let kept = labels.iter().copied().filter(|l| keep(l)).collect();
    if axes.is_empty() {
        return (x, kept);
    }
    (emit1(Prim::Reduce { op: jx_ir::ReduceOp::Sum, axes }, &[x], place), kept)
}

/// The product of two operands: labels of both are batch where they are needed, else contracted.
fn product(
    x: Tensor,
    x_labels: &[Label],
    y: Tensor,
    y_labels: &[Label],
    needed: impl Fn(&Label) -> bool,
    place: Place,
) -> (Tensor, Vec<Label>) {
    let mut dims = DotDims::default();
    let mut batch = Vec::new();
    for (i, label) in x_labels.iter().enumerate() {
        let Some(j) = y_labels.iter().position(|l| l == label) else { continue };
        if needed(label) {
            dims.lhs_batch.push(i);
            dims.rhs_batch.push(j);
            batch.push(*label);
        } else {
            dims.lhs_contracting.push(i);
            dims.rhs_contracting.push(j);
        }
    }
    let mut labels = batch;
    labels.extend(dims.lhs_free(x_labels.len()).into_iter().map(|i| x_labels[i]));
    labels.extend(dims.rhs_free(y_labels.len()).into_iter().map(|j| y_labels[j]));
    (contract(x, y, dims, place), labels)
}
