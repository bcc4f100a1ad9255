//! `Program`: a traced function as data, to look at, save, load and run in another process.

use crate::error::{Error, ErrorKind};
use crate::{Array, Device};
use jx_backends::{Buffer, CompileOptions, Executable};
use jx_ir::Func;
use jx_opt::Optimizer;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

/// The first bytes of a program file; the last one counts formats.
const MAGIC: &[u8; 4] = b"JXP\x01";

/// A traced function: its program with the transformations still as nodes, and the arrays that it
/// closed over. Files of it end in `.jxp`.
///
/// ```
/// use jx::prelude::*;
/// let program = jit(grad(|x: Tensor| x * x)).lower(3.0_f32)?;
/// assert!(program.to_string().contains("grad[wrt=[0]"));
/// let path = std::env::temp_dir().join("square.jxp");
/// program.save(&path)?;
/// let outputs = jx::Program::load(&path)?.run(vec![Array::from(5.0_f32)])?;
/// assert_eq!(outputs[0].item::<f32>()?, 10.0);
/// # Ok::<(), jx::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    func: Func,
    captured: Vec<jx_ir::Array>,
    paths: Vec<String>,
}

impl Program {
    /// The program whose inputs are the arguments, of these paths, and then the captured arrays.
    pub(crate) fn new(func: Func, captured: Vec<Array>, paths: Vec<String>) -> Result<Program, Error> {
        let captured = captured.iter().map(Array::to_host).collect::<Result<_, _>>()?;
        Ok(Program { func, captured, paths })
    }

    /// The program as it was traced. Its inputs are the arguments' leaves, then the captured arrays.
    #[must_use]
    pub fn func(&self) -> &Func {
        &self.func
    }

    /// The paths of the arguments' leaves, in the order of [`Program::run`]'s inputs.
    #[must_use]
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// The program with every transformation expanded.
    ///
    /// # Errors
    /// If a transformation cannot be expanded.
    pub fn expanded(&self) -> Result<Func, Error> {
        Ok(jx_opt::expand(&self.func)?)
    }

    /// The program as it is compiled.
    ///
    /// # Errors
    /// If a transformation cannot be expanded.
    pub fn optimized(&self) -> Result<Func, Error> {
        Ok(Optimizer::new().run(&self.func)?)
    }

    /// Its results on these arguments' leaves, on the default device.
    ///
    /// # Errors
    /// If the arguments are not of the program's types, or the device fails.
    pub fn run(&self, inputs: Vec<Array>) -> Result<Vec<Array>, Error> {
        self.run_on(Device::default(), inputs)
    }

    /// Its results on these arguments' leaves, on a device.
    ///
    /// # Errors
    /// If the arguments are not of the program's types, or the device is not to be had or fails.
    pub fn run_on(&self, device: Device, inputs: Vec<Array>) -> Result<Vec<Array>, Error> {
        self.compile(device)?.call(inputs)
    }

    /// The program compiled for a device, to be called any number of times.
    ///
    /// # Errors
    /// If a transformation cannot be expanded, or the device is not to be had or refuses.
    pub fn compile(&self, device: Device) -> Result<CompiledProgram, Error> {
        let executable = jx_backends::backend(device)?.compile(&self.optimized()?, &CompileOptions::default())?;
        Ok(CompiledProgram { executable, captured: self.captured.iter().cloned().map(Buffer::Host).collect() })
    }

    /// Writes it to a file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let fail = |why: String| ErrorKind::File { path: path.as_ref().display().to_string(), why };
        let mut out = BufWriter::new(File::create(&path).map_err(|e| fail(e.to_string()))?);
        out.write_all(MAGIC).map_err(|e| fail(e.to_string()))?;
        ciborium::into_writer(self, &mut out).map_err(|e| fail(e.to_string()))?;
        out.flush().map_err(|e| fail(e.to_string()))?;
        Ok(())
    }

    /// Reads one from a file that [`Program::save`] wrote.
    ///
    /// # Errors
    /// If the file cannot be read or holds no valid program.
    pub fn load(path: impl AsRef<Path>) -> Result<Program, Error> {
        let fail = |why: String| ErrorKind::File { path: path.as_ref().display().to_string(), why };
        let mut file = BufReader::new(File::open(&path).map_err(|e| fail(e.to_string()))?);
        let mut magic = [0; 4];
        file.read_exact(&mut magic).map_err(|_| fail("this is no jx program: the file is too short".to_owned()))?;
        if &magic != MAGIC {
            let why = "this is no jx program of this version; files are written by `jit(f).lower(..)?.save(path)`";
            return Err(fail(why.to_owned()).into());
        }
        let program: Program = ciborium::from_reader(&mut file)
            .map_err(|e| fail(format!("it is damaged, or was written by another version of jx ({e})")))?;
        jx_ir::verify(&program.func).map_err(|e| fail(e.to_string()))?;
        let n = program.func.n_inputs();
        let types = program.func.input_types().iter().skip(program.paths.len());
        if program.paths.len() + program.captured.len() != n
            || !program.captured.iter().zip(types).all(|(array, ty)| array.is_of(ty))
        {
            return Err(fail("its captured arrays are not those that the program takes".to_owned()).into());
        }
        Ok(program)
    }
}

/// A [`Program`] compiled for a device.
pub struct CompiledProgram {
    executable: Box<dyn Executable>,
    captured: Vec<Buffer>,
}

impl CompiledProgram {
    /// Its results on these arguments' leaves.
    ///
    /// # Errors
    /// If the arguments are not of the program's types, or the device fails.
    pub fn call(&self, inputs: Vec<Array>) -> Result<Vec<Array>, Error> {
        let inputs = inputs.into_iter().map(|a| a.0).chain(self.captured.iter().cloned());
        Ok(self.executable.run(inputs.collect())?.into_iter().map(Array).collect())
    }
}

/// A program in its own right: its inputs are its arguments, by number.
impl From<Func> for Program {
    fn from(func: Func) -> Program {
        let paths = (0..func.n_inputs()).map(|i| format!("argument {i}")).collect();
        Program { func, captured: Vec::new(), paths }
    }
}

impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.func.fmt(f)
    }
}
