//! Tracing: the stack of open traces on this thread, and the recording of equations.
//!
//! A trace is open while a user's function runs on tensors that stand for its arguments. Operations are
//! recorded in the innermost open trace; a tensor of an outer one is lifted into it as a captured
//! input, so that a finished program is closed. Nothing here panics on a user's mistake: the first
//! error is kept with its place, the operation returns a poisoned tensor, and `call` returns the error.

use crate::error::{Error, ErrorKind, Operand};
use crate::{Array, Tensor};
use jx_ir::{Builder, DType, Func, Loc, Origin, Prim, TensorType, Var};
use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::Location;
use std::sync::Arc;

/// The user's place in the source.
pub(crate) type Place = &'static Location<'static>;

/// Where something was written: in Rust, or in a file that jx itself reads.
#[derive(Clone, Debug)]
enum Site {
    Rust(Place),
    File(Loc),
}

impl Site {
    fn loc(&self) -> Loc {
        match self {
            Site::Rust(place) => Loc::from_caller(place),
            Site::File(loc) => loc.clone(),
        }
    }
}

/// How a value of a trace came to be, for messages.
#[derive(Clone, Debug)]
enum Source {
    /// An argument, by its path.
    Argument(Arc<str>),
    /// A tensor of the enclosing trace, by its index there.
    Capture(u32),
    /// An array that the function closed over, by its index among those.
    Array,
    /// A result of an operation.
    Op(&'static str, Site),
}

struct Value {
    ty: TensorType,
    source: Source,
}

struct Recorded {
    prim: Prim,
    inputs: Vec<u32>,
    first_output: u32,
    n_outputs: u32,
    site: Site,
}

/// Which function a trace runs, for messages: `grad` at a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope {
    pub(crate) transform: &'static str,
    pub(crate) place: Place,
}

/// One open trace.
struct Frame {
    id: u64,
    transform: &'static str,
    site: Site,
    values: Vec<Value>,
    /// Indices of the values that are inputs, arguments first, then captures in order of first use.
    inputs: Vec<u32>,
    captured: HashMap<u32, u32>,
    arrays: Vec<Array>,
    eqns: Vec<Recorded>,
}

#[derive(Default)]
struct Stack {
    frames: Vec<Frame>,
    next_id: u64,
    /// The first mistake of the outermost open trace.
    error: Option<Error>,
    /// What recently ended traces were, to name them when one of their tensors turns up.
    ended: HashMap<u64, (&'static str, Site)>,
    /// The place that stands for those of Rust while a source file is elaborated; see [`located`].
    loc: Option<Loc>,
}

impl Stack {
    fn site(&self, place: Place) -> Site {
        self.loc.clone().map_or(Site::Rust(place), Site::File)
    }
}

/// More ended traces than this are forgotten together; a leak is then still an error, only less exact.
const MAX_ENDED: usize = 4096;

thread_local! {
    static STACK: RefCell<Stack> = RefCell::new(Stack { next_id: 1, ..Stack::default() });
}

/// A finished trace: its closed program and what it captured.
pub(crate) struct Traced<R> {
    pub(crate) func: Func,
    /// Tensors of the enclosing trace that became inputs after the arguments.
    pub(crate) captures: Vec<Tensor>,
    /// Arrays that became inputs after the captures; only of an outermost trace.
    pub(crate) arrays: Vec<Array>,
    pub(crate) output: R,
}

/// An input of a trace to be opened: its type and its path among the arguments.
pub(crate) struct InputSpec {
    pub(crate) ty: TensorType,
    pub(crate) path: Arc<str>,
}

/// Runs `f` on tensors that stand for inputs of these types, recording what it does.
///
/// `leaves` lists the tensors of a result. If a mistake was recorded the program may be incomplete;
/// the caller looks at [`has_error`] or [`take_error`].
pub(crate) fn trace<R>(
    scope: Scope,
    inputs: Vec<InputSpec>,
    f: impl FnOnce(&[Tensor]) -> R,
    leaves: impl FnOnce(&R) -> Vec<Tensor>,
) -> Traced<R> {
    let guard = OpenFrame::new(scope, inputs);
    let arguments = guard.arguments.clone();
    let output = f(&arguments);
    let leaves = leaves(&output);
    let outputs: Vec<Option<u32>> = leaves.into_iter().map(|t| resolve(t, scope.transform, scope.place)).collect();
    let frame = guard.close();
    let (func, captures) = finish(&frame, &outputs);
    Traced { func, captures, arrays: frame.arrays, output }
}

/// Keeps the stack right if the user's function unwinds.
struct OpenFrame {
    id: u64,
    arguments: Vec<Tensor>,
    open: bool,
}

impl OpenFrame {
    fn new(scope: Scope, inputs: Vec<InputSpec>) -> OpenFrame {
        STACK.with_borrow_mut(|stack| {
            let id = stack.next_id;
            stack.next_id += 1;
            if stack.frames.is_empty() {
                stack.error = None;
            }
            let site = stack.site(scope.place);
            let n = inputs.len() as u32;
            let values = inputs.into_iter().map(|i| Value { ty: i.ty, source: Source::Argument(i.path) }).collect();
            stack.frames.push(Frame {
                id,
                transform: scope.transform,
                site,
                values,
                inputs: (0..n).collect(),
                captured: HashMap::new(),
                arrays: Vec::new(),
                eqns: Vec::new(),
            });
            OpenFrame { id, arguments: (0..n).map(|index| Tensor { trace: id, index }).collect(), open: true }
        })
    }

    fn close(mut self) -> Frame {
        self.open = false;
        pop(self.id).expect("the trace that was opened last is closed first")
    }
}

impl Drop for OpenFrame {
    fn drop(&mut self) {
        if self.open {
            pop(self.id);
        }
    }
}

fn pop(id: u64) -> Option<Frame> {
    STACK.with_borrow_mut(|stack| {
        let frame = stack.frames.pop_if(|f| f.id == id)?;
        if stack.ended.len() >= MAX_ENDED {
            stack.ended.clear();
        }
        stack.ended.insert(id, (frame.transform, frame.site.clone()));
        Some(frame)
    })
}

/// The closed program of a frame, and the enclosing trace's tensors that it captured.
fn finish(frame: &Frame, outputs: &[Option<u32>]) -> (Func, Vec<Tensor>) {
    let parent = STACK.with_borrow(|stack| stack.frames.last().map(|f| f.id));
    let types = frame.inputs.iter().map(|&i| &frame.values[i as usize].ty);
    let (mut b, vars) = Builder::with_inputs(types);
    let mut map: Vec<Option<Var>> = vec![None; frame.values.len()];
    let mut captures = Vec::new();
    for (&i, var) in frame.inputs.iter().zip(vars) {
        map[i as usize] = Some(var);
        if let (Source::Capture(index), Some(trace)) = (&frame.values[i as usize].source, parent) {
            captures.push(Tensor { trace, index: *index });
        }
    }
    for eqn in &frame.eqns {
        let inputs: Option<Vec<Var>> = eqn.inputs.iter().map(|&i| map[i as usize]).collect();
        let Some(inputs) = inputs else { continue };
        b.set_origin(Origin(Some(eqn.site.loc())));
        let results = b.emit(eqn.prim.clone(), &inputs);
        debug_assert_eq!(results.len(), eqn.n_outputs as usize);
        for (k, var) in results.into_iter().enumerate() {
            map[eqn.first_output as usize + k] = Some(var);
        }
    }
    let outputs: Vec<Var> = outputs.iter().filter_map(|o| o.and_then(|i| map[i as usize])).collect();
    (b.finish(&outputs), captures)
}

/// Records `prim` in the innermost open trace. On a mistake the first error is kept and every result
/// is poisoned.
pub(crate) fn emit(prim: Prim, inputs: &[Tensor], place: Place) -> Vec<Tensor> {
    let (op, n_inputs) = (prim.name(), inputs.len());
    let Some(inputs) = inputs.iter().map(|&t| resolve(t, op, place)).collect::<Option<Vec<u32>>>() else {
        return poisoned_results(&prim, n_inputs);
    };
    type Refused = Box<(ErrorKind, Vec<u32>)>;
    let result: Result<Vec<Tensor>, Refused> = STACK.with_borrow_mut(|stack| {
        let site = stack.site(place);
        let Some(frame) = stack.frames.last_mut() else { return Ok(poisoned_results(&prim, n_inputs)) };
        let types: Vec<&TensorType> = inputs.iter().map(|&i| &frame.values[i as usize].ty).collect();
        let types = prim.infer(&types).map_err(|why| Box::new((ErrorKind::Type(why), inputs.clone())))?;
        let first_output = frame.values.len() as u32;
        let n_outputs = types.len() as u32;
        frame.values.extend(types.into_iter().map(|ty| Value { ty, source: Source::Op(op, site.clone()) }));
        frame.eqns.push(Recorded { prim: prim.clone(), inputs, first_output, n_outputs, site });
        let trace = frame.id;
        Ok((first_output..first_output + n_outputs).map(|index| Tensor { trace, index }).collect())
    });
    match result {
        Ok(outputs) => outputs,
        Err(refused) => {
            let (kind, inputs) = *refused;
            let operands = STACK.with_borrow(|s| inputs.iter().map(|&i| describe(s, s.frames.len() - 1, i)).collect());
            fail(kind, place, operands);
            poisoned_results(&prim, n_inputs)
        }
    }
}

/// Records `prim`, which has one result.
pub(crate) fn emit1(prim: Prim, inputs: &[Tensor], place: Place) -> Tensor {
    emit(prim, inputs, place).first().copied().unwrap_or(Tensor::POISON)
}

/// As many poisoned tensors as the primitive has results on so many operands, or more.
fn poisoned_results(prim: &Prim, n_inputs: usize) -> Vec<Tensor> {
    let n = if let Prim::Grad { func, wrt, .. } = prim {
        func.n_outputs() + wrt.len()
    } else if let Prim::Jvp { func, .. } = prim {
        2 * func.n_outputs()
    } else if let Some(func) = prim.nested() {
        func.n_outputs()
    } else {
        // One, or for a sort one for each operand.
        n_inputs.max(1)
    };
    vec![Tensor::POISON; n]
}

/// Keeps the error of using a tensor that is poisoned or whose trace has ended; poison.
pub(crate) fn unusable(tensor: Tensor, op: &'static str, place: Place) -> Tensor {
    let index = resolve(tensor, op, place);
    debug_assert!(index.is_none(), "a tensor of an open trace is usable");
    Tensor::POISON
}

/// The index of a tensor in the innermost open trace, lifted through the traces between; `None`, with
/// the error kept, if it is poisoned or its trace has ended.
fn resolve(tensor: Tensor, op: &'static str, place: Place) -> Option<u32> {
    let outcome = STACK.with_borrow_mut(|stack| {
        if tensor.is_poison() {
            return if stack.error.is_some() || stack.frames.is_empty() {
                Ok(None)
            } else {
                Err(ErrorKind::Poisoned { op })
            };
        }
        let Some(depth) = stack.frames.iter().rposition(|f| f.id == tensor.trace) else {
            let ended = stack.ended.get(&tensor.trace).map(|(transform, site)| (*transform, site.loc()));
            return Err(ErrorKind::Leaked { op, ended });
        };
        let mut index = tensor.index;
        for k in depth + 1..stack.frames.len() {
            let ty = stack.frames[k - 1].values[index as usize].ty.clone();
            index = stack.frames[k].capture(index, ty);
        }
        Ok(Some(index))
    });
    match outcome {
        Ok(index) => index,
        Err(kind) => {
            fail(kind, place, Vec::new());
            None
        }
    }
}

impl Frame {
    fn capture(&mut self, outer: u32, ty: TensorType) -> u32 {
        if let Some(&index) = self.captured.get(&outer) {
            return index;
        }
        let index = self.values.len() as u32;
        self.values.push(Value { ty, source: Source::Capture(outer) });
        self.inputs.push(index);
        self.captured.insert(outer, index);
        index
    }
}

/// The array as a tensor of the innermost open trace: an input of the outermost one, lifted.
pub(crate) fn lift_array(array: &Array, place: Place) -> Tensor {
    if array.shape().is_empty()
        && let Ok(host) = array.to_host()
    {
        return emit1(Prim::Full { value: host.get(0), shape: Vec::new() }, &[], place);
    }
    let tensor = STACK.with_borrow_mut(|stack| {
        let root = stack.frames.first_mut()?;
        let known = root.arrays.iter().position(|a| a.is_same_storage(array));
        let index = match known {
            Some(k) => root.inputs[root.inputs.len() - root.arrays.len() + k],
            None => {
                let index = root.values.len() as u32;
                root.values.push(Value { ty: array.ty(), source: Source::Array });
                root.inputs.push(index);
                root.arrays.push(array.clone());
                index
            }
        };
        Some(Tensor { trace: root.id, index })
    });
    tensor.unwrap_or_else(|| {
        fail(ErrorKind::NoTrace { op: "tensor" }, place, Vec::new());
        Tensor::POISON
    })
}

/// The type of a tensor, if its trace is open.
pub(crate) fn type_of(tensor: Tensor) -> Option<TensorType> {
    if tensor.is_poison() {
        return None;
    }
    STACK.with_borrow(|stack| {
        let frame = stack.frames.iter().rfind(|f| f.id == tensor.trace)?;
        Some(frame.values[tensor.index as usize].ty.clone())
    })
}

/// The dtype of a tensor, if its trace is open.
pub(crate) fn dtype_of(tensor: Tensor) -> Option<DType> {
    type_of(tensor).map(|ty| ty.dtype)
}

/// Keeps a mistake, if it is the first of the outermost open trace.
pub(crate) fn fail(kind: ErrorKind, place: Place, operands: Vec<Operand>) {
    STACK.with_borrow_mut(|stack| {
        if stack.error.is_none() {
            let scopes = stack.frames.iter().map(|f| (f.transform, f.site.loc())).collect();
            stack.error = Some(Error::new(kind, Some(stack.site(place).loc()), operands, scopes));
        }
    });
}

/// Keeps a mistake about these tensors, if it is the first of the outermost open trace.
pub(crate) fn fail_on(kind: ErrorKind, place: Place, tensors: &[Tensor]) {
    let operands = STACK.with_borrow(|stack| {
        let known = tensors.iter().filter_map(|t| {
            let depth = stack.frames.iter().rposition(|f| f.id == t.trace)?;
            (!t.is_poison()).then(|| describe(stack, depth, t.index))
        });
        known.collect()
    });
    fail(kind, place, operands);
}

/// Runs `f` with every operation and transformation placed at `loc`, in a file that jx itself reads,
/// until an inner call says otherwise.
pub(crate) fn located<R>(loc: &Loc, f: impl FnOnce() -> R) -> R {
    /// Puts the place back, also if `f` unwinds.
    struct Restore(Option<Loc>);
    impl Drop for Restore {
        fn drop(&mut self) {
            STACK.with_borrow_mut(|stack| stack.loc = self.0.take());
        }
    }
    let _restore = Restore(STACK.with_borrow_mut(|stack| stack.loc.replace(loc.clone())));
    f()
}

/// The first mistake of the trace that has just ended or is open, taken out.
pub(crate) fn take_error() -> Option<Error> {
    STACK.with_borrow_mut(|stack| stack.error.take())
}

/// Whether a mistake was recorded in the open traces.
pub(crate) fn has_error() -> bool {
    STACK.with_borrow(|stack| stack.error.is_some())
}

/// Whether a trace is open on this thread.
pub(crate) fn is_tracing() -> bool {
    STACK.with_borrow(|stack| !stack.frames.is_empty())
}

/// What a value is and where it came from, followed outwards through captures.
fn describe(stack: &Stack, mut depth: usize, mut index: u32) -> Operand {
    loop {
        let value = &stack.frames[depth].values[index as usize];
        let ty = value.ty.clone();
        match &value.source {
            Source::Capture(outer) if depth > 0 => {
                index = *outer;
                depth -= 1;
            }
            Source::Capture(_) | Source::Array => {
                return Operand { ty, made_by: "a captured array".into(), place: None };
            }
            Source::Argument(path) => return Operand { ty, made_by: path.to_string(), place: None },
            Source::Op(op, site) => {
                return Operand { ty, made_by: format!("`{op}`"), place: Some(site.loc()) };
            }
        }
    }
}
