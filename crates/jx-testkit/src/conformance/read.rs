//! Reading cases from disk, one at a time: a line of JSON and the tensors that it points to.

use super::variants::Kind;
use super::wire::{ArrayError, Jaxpr, dtype};
use jx_ir::{Array, TensorType};
use serde::Deserialize;
use serde_json::Value;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The longest line that is read, in bytes; a longer one is no case.
const MAX_LINE: u64 = 1 << 28;

/// Why cases cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// A file or folder that cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A folder without cases.
    #[error("{}: there are no cases (GROUP.jsonl) here or in its folder `cases`", path.display())]
    NoCases {
        /// Which.
        path: PathBuf,
    },
    /// A line longer than any case.
    #[error("{}:{line}: the line is longer than {limit} bytes", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The greatest length.
        limit: u64,
    },
    /// A line that is not a case.
    #[error("{}:{line}: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A case of another version of the format.
    #[error("{}:{line}: the format's version must be 1, but it is {}", path.display(), found.map_or("absent".to_owned(), |v| v.to_string()))]
    Version {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The version as given, if it is.
        found: Option<u64>,
    },
    /// A tensor's number that the case does not have.
    #[error("{case}: there is no tensor {index}; there are {n_tensors}")]
    NoTensor {
        /// The case.
        case: String,
        /// The number as given.
        index: usize,
        /// How many there are.
        n_tensors: usize,
    },
    /// A tensor whose bytes do not lie in the file of tensors.
    #[error("{case}: tensor {index} takes bytes {offset} to {offset} + {bytes}, and the file has {length}")]
    Outside {
        /// The case.
        case: String,
        /// The tensor.
        index: usize,
        /// Its first byte.
        offset: u64,
        /// How many bytes it takes.
        bytes: u64,
        /// The file's length.
        length: u64,
    },
    /// A tensor that has no value: a dtype that jx has not, or bytes that do not fit.
    #[error("{case}: tensor {index}: {source}")]
    Tensor {
        /// The case.
        case: String,
        /// The tensor.
        index: usize,
        /// Why not.
        source: ArrayError,
    },
}

/// One case: a program and what JAX gives for it and its transformations.
#[derive(Debug)]
pub struct Case {
    /// JAX's name of the harness.
    pub name: String,
    /// A short name that no other case has.
    pub id: String,
    /// The group, which is the file's name.
    pub group: String,
    /// The program and its transformations; the program itself comes first.
    pub variants: Vec<Variant>,
    tensors: Vec<(String, Vec<usize>, u64, u64)>,
}

/// One check of a case.
#[derive(Clone, Debug, Deserialize)]
pub struct Variant {
    /// Which transformation, with its parameters.
    #[serde(flatten)]
    pub kind: Kind,
    /// The tensors that go in.
    #[serde(rename = "in")]
    pub inputs: Vec<usize>,
    /// The tensors that must come out.
    #[serde(rename = "out")]
    pub outputs: Vec<usize>,
    /// The program, for the base variant.
    #[serde(default)]
    pub jaxpr: Option<Jaxpr>,
    /// Per output, how far it moves when every float input moves by a unit in the last place.
    #[serde(default)]
    pub noise: Vec<Option<f64>>,
    /// Why a right implementation may differ.
    #[serde(default)]
    pub unsure: Vec<String>,
}

#[derive(Deserialize)]
struct Line {
    name: String,
    id: String,
    group: String,
    tensors: Vec<(String, Vec<usize>, u64, u64)>,
    variants: Vec<Variant>,
}

/// The groups whose cases lie in a folder or in its folder `cases`, in order of name, with their files.
///
/// # Errors
/// If the folder cannot be read or has no cases.
pub fn groups(dir: &Path) -> Result<Vec<(String, PathBuf)>, ReadError> {
    let inner = dir.join("cases");
    let folder = if inner.is_dir() { inner } else { dir.to_owned() };
    let io = |source| ReadError::Io { path: folder.clone(), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if path.extension().is_some_and(|e| e == "jsonl")
            && let Some(name) = path.file_stem().and_then(|s| s.to_str())
        {
            found.push((name.to_owned(), path));
        }
    }
    if found.is_empty() {
        return Err(ReadError::NoCases { path: dir.to_owned() });
    }
    found.sort();
    Ok(found)
}

/// The cases of one group, in order; an iterator.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    lines: BufReader<File>,
    line: usize,
    done: bool,
    tensors: File,
    tensors_len: u64,
}

impl Reader {
    /// The cases of the file `GROUP.jsonl`, whose tensors lie in `GROUP.bin` beside it.
    ///
    /// # Errors
    /// If one of the two files cannot be read.
    pub fn open(path: &Path) -> Result<Reader, ReadError> {
        let bin = path.with_extension("bin");
        let open = |path: &Path| File::open(path).map_err(|source| ReadError::Io { path: path.to_owned(), source });
        let lines = BufReader::new(open(path)?);
        let tensors = open(&bin)?;
        let tensors_len = tensors.metadata().map_err(|source| ReadError::Io { path: bin, source })?.len();
        Ok(Reader { path: path.to_owned(), lines, line: 0, done: false, tensors, tensors_len })
    }

    fn parse(&self, text: &[u8]) -> Result<Case, ReadError> {
        let (path, line) = (self.path.clone(), self.line);
        // The version first: another version may have other fields.
        let json: Value = match serde_json::from_slice(text) {
            Ok(json) => json,
            Err(source) => return Err(ReadError::Json { path, line, source }),
        };
        let version = json.get("v").and_then(Value::as_u64);
        if version != Some(1) {
            return Err(ReadError::Version { path, line, found: version });
        }
        let Line { name, id, group, tensors, variants } =
            serde_json::from_value(json).map_err(|source| ReadError::Json { path, line, source })?;
        Ok(Case { name, id, group, variants, tensors })
    }

    /// A tensor of a case.
    ///
    /// # Errors
    /// If there is no such tensor, or its bytes are not there, or jx lacks its dtype.
    pub fn tensor(&mut self, case: &Case, index: usize) -> Result<Array, ReadError> {
        let name = || case.name.clone();
        let Some((dtype_name, shape, offset, bytes)) = case.tensors.get(index) else {
            return Err(ReadError::NoTensor { case: name(), index, n_tensors: case.tensors.len() });
        };
        let (offset, bytes) = (*offset, *bytes);
        let bad = |source: ArrayError| ReadError::Tensor { case: name(), index, source };
        let ty = TensorType::new(dtype(dtype_name).map_err(bad)?, shape.clone());
        let length = self.tensors_len;
        if offset.checked_add(bytes).is_none_or(|end| end > length) {
            return Err(ReadError::Outside { case: name(), index, offset, bytes, length });
        }
        let mut data = Vec::new();
        let read =
            self.tensors.seek(SeekFrom::Start(offset)).and_then(|_| (&self.tensors).take(bytes).read_to_end(&mut data));
        read.map_err(|source| ReadError::Io { path: self.path.with_extension("bin"), source })?;
        Array::from_le_bytes(&ty, &data).map_err(|why| bad(why.into()))
    }
}

impl Iterator for Reader {
    type Item = Result<Case, ReadError>;

    fn next(&mut self) -> Option<Result<Case, ReadError>> {
        while !self.done {
            let mut text = Vec::new();
            self.line += 1;
            match self.lines.by_ref().take(MAX_LINE).read_until(b'\n', &mut text) {
                Err(source) => {
                    self.done = true;
                    return Some(Err(ReadError::Io { path: self.path.clone(), source }));
                }
                Ok(0) => self.done = true,
                Ok(n) if n as u64 == MAX_LINE && !text.ends_with(b"\n") => {
                    // What follows is the rest of the same line, so reading ends here.
                    self.done = true;
                    return Some(Err(ReadError::TooLong { path: self.path.clone(), line: self.line, limit: MAX_LINE }));
                }
                Ok(_) if text.iter().all(u8::is_ascii_whitespace) => {}
                Ok(_) => return Some(self.parse(&text)),
            }
        }
        None
    }
}
