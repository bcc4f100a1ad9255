//! `jit` and `eager`: the only doors between arrays and tensors.

use crate::error::{Error, ErrorKind};
use crate::function::{Args, CallArgs, Function};
use crate::program::Program;
use crate::trace::{self, InputSpec, Place, Scope};
use crate::tree::Visit;
use crate::{Array, Tensor, Tree};
use jx_backends::{Backend, Buffer, CompileOptions, Device, Executable};
use jx_ir::{Func, Prim, TensorType};
use jx_opt::Optimizer;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// A function that compiles itself on its first call with arguments of given types; made by [`jit`].
///
/// It may be called from many threads, and transformed like any other function.
pub struct Jit<A: Args, F: Function<A>> {
    f: F,
    place: Place,
    device: Device,
    traces: AtomicUsize,
    compiled: RwLock<Vec<Arc<Compiled<F::Output>>>>,
    args: PhantomData<fn(A)>,
}

/// A function that runs operation by operation, unoptimised; made by [`eager`].
pub struct Eager<A: Args, F: Function<A>> {
    f: F,
    place: Place,
    device: Device,
    args: PhantomData<fn(A)>,
}

/// One compiled program and the arguments that it is for.
struct Compiled<R> {
    key: Key,
    executable: Box<dyn Executable>,
    captured: Vec<Buffer>,
    /// The result's tree; its tensors belong to a trace that has ended and only hold places.
    output: R,
}

/// What tells the arguments of two calls apart: leaf types and structure.
#[derive(Default, PartialEq, Eq)]
struct Key {
    leaves: Vec<TensorType>,
    structure: Vec<u64>,
}

/// The function compiled: traced, optimised and ready to run after its first call, which is cached by
/// the arguments' tree, shapes and dtypes.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(|x: Tensor| x.square().sum());
/// assert_eq!(f.call([1.0_f32, 2.0, 3.0])?.item::<f32>()?, 14.0);
/// assert_eq!(f.call([2.0_f32, 2.0, 2.0])?.item::<f32>()?, 12.0);
/// assert_eq!(f.trace_count(), 1);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
pub fn jit<A: Args, F: Function<A>>(f: F) -> Jit<A, F> {
    Jit {
        f,
        place: Location::caller(),
        device: Device::default(),
        traces: AtomicUsize::new(0),
        compiled: RwLock::new(Vec::new()),
        args: PhantomData,
    }
}

/// The function traced anew at each call and run operation by operation, with nothing optimised: for
/// debugging. Results are those of [`jit`] up to the order of sums.
///
/// ```
/// use jx::prelude::*;
/// let f = eager(|x: Tensor| x.square().sum());
/// assert_eq!(f.call([1.0_f32, 2.0, 3.0])?.item::<f32>()?, 14.0);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
pub fn eager<A: Args, F: Function<A>>(f: F) -> Eager<A, F> {
    Eager { f, place: Location::caller(), device: Device::default(), args: PhantomData }
}

impl<A: Args, F: Function<A>> Jit<A, F> {
    /// The result on these arguments; compiled first if none with such types came before.
    ///
    /// # Errors
    /// The first mistake made while tracing, with its place; or a failure of the device.
    pub fn call<X, Form>(&self, args: X) -> Result<<F::Output as Tree>::Arrays, Error>
    where
        X: CallArgs<A, Form>,
    {
        let arrays = args.into_call_args();
        let compiled = match self.find(&arrays) {
            Some(compiled) => compiled,
            None => self.compile(&arrays)?,
        };
        let mut inputs = Vec::with_capacity(compiled.key.leaves.len() + compiled.captured.len());
        A::take(arrays, &mut |array| inputs.push(array.0));
        inputs.extend_from_slice(&compiled.captured);
        let outputs = compiled.executable.run(inputs)?;
        rebuild_arrays(&compiled.output, outputs)
    }

    /// The same function on another device; nothing compiled is kept.
    #[must_use]
    pub fn on(self, device: Device) -> Jit<A, F> {
        Jit { device, compiled: RwLock::new(Vec::new()), ..self }
    }

    pub(crate) fn function(&self) -> &F {
        &self.f
    }

    /// How often the function was traced: once for each set of argument types.
    #[must_use]
    pub fn trace_count(&self) -> usize {
        self.traces.load(Ordering::Relaxed)
    }

    /// The program that a call with these arguments runs, to look at or to save.
    ///
    /// # Errors
    /// The first mistake made while tracing, with its place.
    pub fn lower<X, Form>(&self, args: X) -> Result<Program, Error>
    where
        X: CallArgs<A, Form>,
    {
        let traced = trace_root(&self.f, &args.into_call_args(), "jit", self.place)?;
        Program::new(traced.func, traced.arrays, traced.paths)
    }

    fn find(&self, arrays: &A::Arrays) -> Option<Arc<Compiled<F::Output>>> {
        let compiled = self.compiled.read().unwrap_or_else(PoisonError::into_inner);
        compiled.iter().rfind(|c| c.key.is_of::<A>(arrays)).cloned()
    }

    fn compile(&self, arrays: &A::Arrays) -> Result<Arc<Compiled<F::Output>>, Error> {
        let backend = jx_backends::backend(self.device)?;
        self.traces.fetch_add(1, Ordering::Relaxed);
        let traced = trace_root(&self.f, arrays, "jit", self.place)?;
        let func = Optimizer::new().run(&traced.func)?;
        let compiled = Arc::new(Compiled {
            key: Key::of::<A>(arrays),
            executable: backend.compile(&func, &CompileOptions::default())?,
            captured: traced.upload(backend.as_ref())?,
            output: traced.output,
        });
        self.compiled.write().unwrap_or_else(PoisonError::into_inner).push(compiled.clone());
        Ok(compiled)
    }
}

impl<A: Args, F: Function<A>> Eager<A, F> {
    /// The result on these arguments.
    ///
    /// # Errors
    /// The first mistake made while tracing, with its place; or a failure of the device.
    pub fn call<X, Form>(&self, args: X) -> Result<<F::Output as Tree>::Arrays, Error>
    where
        X: CallArgs<A, Form>,
    {
        let arrays = args.into_call_args();
        let backend = jx_backends::backend(self.device)?;
        let traced = trace_root(&self.f, &arrays, "eager", self.place)?;
        let func = jx_opt::expand(&traced.func)?;
        let executable = backend.compile(&func, &CompileOptions::default())?;
        let mut inputs = Vec::new();
        A::take(arrays, &mut |array| inputs.push(array.0));
        inputs.extend(traced.upload(backend.as_ref())?);
        rebuild_arrays(&traced.output, executable.run(inputs)?)
    }

    pub(crate) fn function(&self) -> &F {
        &self.f
    }

    /// The same function on another device.
    #[must_use]
    pub fn on(self, device: Device) -> Eager<A, F> {
        Eager { device, ..self }
    }
}

/// Inside a trace a compiled function is a call: its program stays one node until the whole is compiled.
impl<A: Args, F: Function<A>> Function<A> for Jit<A, F> {
    type Output = F::Output;

    fn apply(&self, args: A) -> F::Output {
        call_node(&self.f, &args, "jit", self.place)
    }
}

impl<A: Args, F: Function<A>> Function<A> for Eager<A, F> {
    type Output = F::Output;

    fn apply(&self, args: A) -> F::Output {
        call_node(&self.f, &args, "eager", self.place)
    }
}

fn call_node<A: Args, F: Function<A>>(f: &F, args: &A, transform: &'static str, place: Place) -> F::Output {
    let (body, poisoned) = crate::transform::trace_body(Scope { transform, place }, f, args, |_, ty| ty);
    let Some(body) = body else { return poisoned };
    let results = trace::emit(Prim::Call { func: body.func }, &body.operands, place);
    crate::transform::rebuild(&body.output, &results)
}

pub(crate) struct Root<R> {
    pub(crate) func: Func,
    pub(crate) arrays: Vec<Array>,
    pub(crate) paths: Vec<String>,
    output: R,
}

impl<R> Root<R> {
    fn upload(&self, backend: &dyn Backend) -> Result<Vec<Buffer>, Error> {
        self.arrays
            .iter()
            .map(|array| match &array.0 {
                Buffer::Host(host) => Ok(backend.upload(host.clone())?),
                Buffer::Device(_) => Ok(array.0.clone()),
            })
            .collect()
    }
}

/// Traces `f` as the outermost function on arguments of these arrays' types.
fn trace_root<A: Args, F: Function<A>>(
    f: &F,
    arrays: &A::Arrays,
    transform: &'static str,
    place: Place,
) -> Result<Root<F::Output>, Error> {
    let mut types = Vec::new();
    let args = A::from_arrays(arrays, &mut |array| {
        types.push(array.ty());
        Tensor::POISON
    });
    trace_on_types(f, &args, types, transform, place)
}

/// Traces `f` as the outermost function, on arguments whose leaves have these types. A panic of the
/// user's function that follows a mistake already recorded (an index into the shape of a failed
/// operation, say) is that mistake; another passes on.
pub(crate) fn trace_on_types<A: Args, F: Function<A>>(
    f: &F,
    args: &A,
    types: Vec<TensorType>,
    transform: &'static str,
    place: Place,
) -> Result<Root<F::Output>, Error> {
    if trace::is_tracing() {
        let message = "`call` takes arrays and cannot be used inside a traced function; call the function itself, \
                       as in `jit(f)` given to `vmap`, or `f(x)`";
        return Err(ErrorKind::Param { op: transform, message: message.to_owned() }.into());
    }
    let paths = args.spec().argument_paths();
    let inputs = types.into_iter().zip(&paths).map(|(ty, path)| InputSpec { ty, path: Arc::from(path.as_str()) });
    let inputs = inputs.collect();
    let run = || {
        trace::trace(
            Scope { transform, place },
            inputs,
            |arguments| {
                let mut next = arguments.iter().copied();
                f.apply(args.map(&mut |_| next.next().unwrap_or(Tensor::POISON)))
            },
            Tree::leaves,
        )
    };
    let traced = catch_unwind(AssertUnwindSafe(run));
    match (trace::take_error(), traced) {
        (Some(error), _) => Err(error),
        (None, Ok(traced)) => Ok(Root { func: traced.func, arrays: traced.arrays, paths, output: traced.output }),
        (None, Err(panic)) => resume_unwind(panic),
    }
}

fn rebuild_arrays<R: Tree>(output: &R, buffers: Vec<Buffer>) -> Result<R::Arrays, Error> {
    let mut buffers = buffers.into_iter().map(Array);
    let arrays = output
        .to_arrays(&mut |_| buffers.next().expect("a program returns as many arrays as its result's tree has leaves"));
    Ok(arrays)
}

impl Key {
    fn of<A: Tree>(arrays: &A::Arrays) -> Key {
        struct Collect(Key);
        impl Visit for Collect {
            fn leaf(&mut self, array: &Array) {
                self.0.leaves.push(array.ty());
            }
            fn number(&mut self, value: u64) {
                self.0.structure.push(value);
            }
            fn text(&mut self, value: &str) {
                self.0.structure.extend(text_parts(value));
            }
        }
        let mut collect = Collect(Key::default());
        A::visit(arrays, &mut collect);
        collect.0
    }

    /// Whether the arguments are of this key; no allocation.
    fn is_of<A: Tree>(&self, arrays: &A::Arrays) -> bool {
        struct Match<'k> {
            leaves: std::slice::Iter<'k, TensorType>,
            structure: std::slice::Iter<'k, u64>,
            same: bool,
        }
        impl Visit for Match<'_> {
            fn leaf(&mut self, array: &Array) {
                self.same = self.same && self.leaves.next().is_some_and(|ty| array.0.is_of(ty));
            }
            fn number(&mut self, value: u64) {
                self.same = self.same && self.structure.next() == Some(&value);
            }
            fn text(&mut self, value: &str) {
                for part in text_parts(value) {
                    self.number(part);
                }
            }
        }
        let mut matches = Match { leaves: self.leaves.iter(), structure: self.structure.iter(), same: true };
        A::visit(arrays, &mut matches);
        matches.same && matches.leaves.next().is_none() && matches.structure.next().is_none()
    }
}

/// A text as numbers, its length first, so that no two sequences of texts give the same ones.
fn text_parts(text: &str) -> impl Iterator<Item = u64> + '_ {
    std::iter::once(text.len() as u64).chain(text.bytes().map(u64::from))
}
