//! Source files for people: functions in expression form, loaded from `.jx` files.
//!
//! ```
//! use jx::source::Module;
//! use jx::{Device, source::Session};
//!
//! let module = Module::parse("fn squared_error(w, b, x, y) = (w * x + b - y)^2", "loss.jx")?;
//! let session = Session::new(&module, Device::default());
//! let dw = session.evaluate("grad(squared_error)(2.0, 1.0, 3.0, 5.0)")?;
//! assert_eq!(dw.to_string(), "12.0");
//! # Ok::<(), jx::source::SourceError>(())
//! ```
//!
//! # Grammar
//!
//! ```text
//! file     = { "fn" NAME "(" params ")" "=" expr
//!            | "let" pattern "=" expr
//!            | "run" ["time"] [TEXT] expr }                what `jx run FILE` computes and prints
//! params   = { param "," }
//! param    = NAME [":" type] | "(" params ")"              a tuple is taken apart
//! pattern  = NAME | "(" { pattern "," } ")"
//! type     = DTYPE "[" { EXTENT "," } "]"                  f32[3,2]; f32[] is a scalar
//! expr     = operators, weakest first:
//!            |    &    == != < <= > >=    + -    * / % @    - ! (before)    ^
//! operand  = NUMBER | TEXT | true | false | None | NAME
//!          | "(" expr ")" | "(" { expr "," } ")"           a tuple: (), (x,), (x, y)
//!          | "[" { expr "," } "]"                          an array, a shape, or axes
//!          | "|" params "|" expr                           a function without a name
//!          | "{" { "let" pattern "=" expr ";" } expr "}"
//!          | operand "(" { [NAME "="] expr "," } ")"       a call
//!          | operand "[" { expr | [expr] ":" [expr] [":" expr] "," } "]"
//!          | operand "." NUMBER | NAME "." NAME            part of a tuple; random.key
//!          | operand ":" DTYPE                             3:i32, [1, 2]:f64
//! comment  = "//" to the end of the line
//! ```
//!
//! # Meaning
//!
//! - A number has no dtype until it meets a tensor, whose dtype it takes; one that meets none is an `f32`,
//!   and so are lists of numbers and what `linspace`, `arange`, `zeros`, `ones` and `random` make, unless
//!   told otherwise (`2.0:f64`, `dtype=f64`).
//! - `x^2` with an integer is a repeated product; `@` is `matmul`; operators broadcast as in NumPy.
//! - Functions have their JAX names: `sum(x, axis=0)`, `where(c, x, y)`, `random.normal(key, [3])`,
//!   `nn.softmax(x)`. Shapes, axes and counts must be known while tracing.
//! - Transformations take functions and give functions, to any depth: `vmap(f, in_axes=0, out_axes=0)`,
//!   `grad(f, wrt=0, has_aux=false)`, `value_and_grad`, `jacfwd`, `jacrev`, `hessian` (each with `wrt`), `jit(f)`;
//!   `jvp(f, primals, tangents)` gives results and tangents. `wrt` is a parameter's name or number, or a
//!   tuple of these: the gradient then is a tuple too. A name inside a parameter that is taken apart
//!   serves as well.
//! - A function may be used before it is written; a function may not call itself.
//! - `run` and `let` compute operation by operation, but for the call of a `jit`: its arguments are computed,
//!   then the compiled function runs. With `time` the first and the second call are timed.

mod ast;
mod builtins;
mod error;
mod interpreter;
mod lexer;
mod literal;
mod nested;
mod parser;
mod session;
mod suggest;
mod text;
mod transforms;
mod value;

pub use error::{SourceError, SourceFault, Suggestions};
pub use nested::Nested;
pub use session::{Input, Prepared, Session};

use crate::TensorType;
use ast::File;
use std::path::Path;
use std::sync::Arc;
use text::SourceText;

/// A source file, parsed: functions, values and what to run.
#[derive(Clone, Debug)]
pub struct Module {
    file: Arc<File>,
    source: SourceText,
}

/// A `run` statement of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its label, or the expression as written.
    pub label: String,
    /// Whether its first and second call are to be timed.
    pub timed: bool,
}

impl Module {
    /// The file at a path.
    ///
    /// # Errors
    /// If it cannot be read, is not UTF-8, or does not parse.
    pub fn load(path: impl AsRef<Path>) -> Result<Module, SourceError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|why| {
            let (path, why) = (path.display().to_string(), why.to_string());
            SourceError::nowhere(SourceFault::File { path, why })
        })?;
        Module::parse(&text, &path.display().to_string())
    }

    /// The file that a text is; `name` stands for its path in messages.
    ///
    /// # Errors
    /// If it does not parse.
    pub fn parse(text: &str, name: &str) -> Result<Module, SourceError> {
        let source = SourceText::new(name, text);
        match parser::file(&source) {
            Ok(file) => Ok(Module { file: Arc::new(file), source }),
            Err(why) => Err(why.drawn([&source].into_iter())),
        }
    }

    /// Its functions as they are declared, in order: `squared_error(w, b, x, y)`.
    pub fn signatures(&self) -> impl Iterator<Item = String> {
        self.file.functions.iter().map(|f| {
            let params: Vec<String> = f.params.iter().map(ToString::to_string).collect();
            format!("{}({})", f.name(), params.join(", "))
        })
    }

    /// Its `run` statements, in order.
    pub fn runs(&self) -> impl ExactSizeIterator<Item = Run> {
        self.file.runs.iter().map(|run| {
            let label = run.label.clone().unwrap_or_else(|| run.text.clone());
            Run { label, timed: run.timed }
        })
    }
}

/// The tensor type that a text is: `f32[3,2]`.
///
/// # Errors
/// If it is none.
///
/// ```
/// assert_eq!(jx::source::parse_type("f32[3,2]")?.shape, [3, 2]);
/// # Ok::<(), jx::source::SourceError>(())
/// ```
pub fn parse_type(text: &str) -> Result<TensorType, SourceError> {
    let source = SourceText::new("<type>", text);
    parser::tensor_type(&source).map_err(|why| why.drawn([&source].into_iter()))
}
