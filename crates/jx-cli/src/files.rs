//! Arrays from files: `.npy`, `.npz` and CSV.

use jx_ir::{Array, DType, TensorType};
use npyz::{Endianness, TypeChar, TypeStr};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use zip::ZipArchive;

/// Why a file holds no array that can be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DataError {
    /// The file cannot be opened or read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Not the format that the file's name says.
    #[error("{0}")]
    Format(&'static str),
    /// A header that cannot be understood.
    #[error("its header has no valid {0}; write it with numpy.save")]
    Header(&'static str),
    /// A dtype that jx does not have.
    #[error("its dtype {descr} is not supported: {advice}")]
    DType {
        /// The dtype as NumPy writes it.
        descr: String,
        /// What to do.
        advice: &'static str,
    },
    /// Fewer bytes than the shape says.
    #[error("it holds {found} bytes of values, but {ty} has {expected}; the file is cut off")]
    Short {
        /// The type by its header.
        ty: TensorType,
        /// The bytes of that type.
        expected: u64,
        /// The bytes that are there.
        found: u64,
    },
    /// A shape beyond memory.
    #[error("its shape {shape:?} has too many elements to address")]
    TooLarge {
        /// The shape.
        shape: Vec<u64>,
    },
    /// An archive without that array.
    #[error("it has no array {name:?}; it has {all}")]
    NoArray {
        /// The name asked for.
        name: String,
        /// The names that there are.
        all: String,
    },
    /// A file of several arrays or columns without a word on which.
    #[error("it holds several arrays; choose one as {example}, out of {all}")]
    Which {
        /// How to choose.
        example: String,
        /// The names.
        all: String,
    },
    /// A file name that says no format.
    #[error("the format is not known from the name; files end in .npy, .npz or .csv")]
    Extension,
    /// A cell of a CSV file that is no number.
    #[error("line {line}, column {column}: {text:?} is not a number")]
    Cell {
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: usize,
        /// The cell.
        text: String,
    },
    /// A row of another length.
    #[error("line {line} has {found} values, but the lines before have {expected}")]
    Row {
        /// The line, from 1.
        line: u64,
        /// Its length.
        found: usize,
        /// The length of the others.
        expected: usize,
    },
    /// A CSV file that cannot be split into cells.
    #[error("{0}")]
    Csv(#[from] csv::Error),
}

/// The array in a file, `name` choosing among several.
pub(crate) fn read(path: &str, name: Option<&str>) -> Result<Array, DataError> {
    let extension = Path::new(path).extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    match extension.as_deref() {
        Some("npy") => read_npy(&mut BufReader::new(File::open(path)?)),
        Some("npz") => read_npz(path, name),
        Some("csv") => read_csv(path, name),
        Some(_) | None => Err(DataError::Extension),
    }
}

fn read_npz(path: &str, name: Option<&str>) -> Result<Array, DataError> {
    let mut archive = ZipArchive::new(BufReader::new(File::open(path)?))
        .map_err(|_| DataError::Format("it is no .npz archive; write it with numpy.savez"))?;
    let mut names: Vec<String> =
        archive.file_names().filter_map(|f| f.strip_suffix(".npy")).map(str::to_owned).collect();
    names.sort();
    let all = names.join(", ");
    let name = match (name, &names[..]) {
        (Some(name), _) => name.to_owned(),
        (None, [only]) => only.clone(),
        (None, _) => return Err(DataError::Which { example: format!("@{path}:NAME"), all }),
    };
    if !names.contains(&name) {
        return Err(DataError::NoArray { name, all });
    }
    let mut entry = archive.by_name(&format!("{name}.npy")).map_err(|why| DataError::Io(std::io::Error::other(why)))?;
    read_npy(&mut entry)
}

/// What the header of a `.npy` file says.
struct Header {
    descr: String,
    fortran: bool,
    shape: Vec<u64>,
}

/// The array in a `.npy` file: any of jx's dtypes, either byte order, rows or columns first.
fn read_npy(file: &mut impl Read) -> Result<Array, DataError> {
    let not_npy = || DataError::Format("it is no .npy file; write it with numpy.save");
    let mut start = [0; 8];
    file.read_exact(&mut start).map_err(|_| not_npy())?;
    if &start[..6] != b"\x93NUMPY" {
        return Err(not_npy());
    }
    let length = if start[6] == 1 {
        let mut n = [0; 2];
        file.read_exact(&mut n).map_err(|_| not_npy())?;
        usize::from(u16::from_le_bytes(n))
    } else {
        let mut n = [0; 4];
        file.read_exact(&mut n).map_err(|_| not_npy())?;
        u32::from_le_bytes(n) as usize
    };
    // Headers are short; a longer one is not read into memory.
    if length > 1 << 20 {
        return Err(DataError::Header("length"));
    }
    let mut text = vec![0; length];
    file.read_exact(&mut text).map_err(|_| not_npy())?;
    let header = parse_header(&String::from_utf8_lossy(&text))?;
    let (dtype, big_endian) = dtype_of(&header.descr)?;
    let too_large = || DataError::TooLarge { shape: header.shape.clone() };
    let size = dtype.size_bytes() as u64;
    let expected = header.shape.iter().try_fold(size, |n, &d| n.checked_mul(d)).ok_or_else(too_large)?;
    let shape =
        header.shape.iter().map(|&d| usize::try_from(d)).collect::<Result<Vec<_>, _>>().map_err(|_| too_large())?;
    let ty = TensorType::new(dtype, shape);
    let mut bytes = Vec::new();
    let found = file.take(expected).read_to_end(&mut bytes)? as u64;
    if found < expected {
        return Err(DataError::Short { ty, expected, found });
    }
    if big_endian {
        bytes.chunks_exact_mut(dtype.size_bytes()).for_each(<[u8]>::reverse);
    }
    if header.fortran {
        bytes = rows_first(&bytes, &ty);
    }
    // The length was checked above.
    Array::from_le_bytes(&ty, &bytes).map_err(|_| DataError::Short { ty, expected, found })
}

/// `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }`.
fn parse_header(text: &str) -> Result<Header, DataError> {
    let after = |key: &'static str| {
        let from = text.find(&format!("'{key}':")).ok_or(DataError::Header(key))?;
        Ok::<&str, DataError>(text[from + key.len() + 3..].trim_start())
    };
    let descr = after("descr")?;
    let descr = match descr.strip_prefix('\'').and_then(|d| d.split_once('\'')) {
        Some((descr, _)) => descr.to_owned(),
        // A list of fields: shown up to its end, to be refused by name.
        None if descr.starts_with('[') => descr.split_inclusive(']').next().unwrap_or(descr).to_owned(),
        None => return Err(DataError::Header("descr")),
    };
    let fortran = match after("fortran_order")? {
        text if text.starts_with("True") => true,
        text if text.starts_with("False") => false,
        _ => return Err(DataError::Header("fortran_order")),
    };
    let shape = after("shape")?.strip_prefix('(').and_then(|s| s.split_once(')')).ok_or(DataError::Header("shape"))?.0;
    let extents = shape.split(',').map(str::trim).filter(|d| !d.is_empty());
    let shape = extents.map(|d| d.parse().map_err(|_| DataError::Header("shape"))).collect::<Result<_, _>>()?;
    Ok(Header { descr, fortran, shape })
}

/// The dtype of a NumPy type string, and whether its bytes are big-endian.
fn dtype_of(descr: &str) -> Result<(DType, bool), DataError> {
    let refuse = |advice| Err(DataError::DType { descr: descr.to_owned(), advice });
    let Ok(ty) = descr.parse::<TypeStr>() else { return refuse("save plain arrays of numbers, one for each field") };
    let dtype = match (ty.type_char(), ty.size_field()) {
        (TypeChar::Bool, _) => DType::Bool,
        (TypeChar::Int, 1) => DType::I8,
        (TypeChar::Int, 2) => DType::I16,
        (TypeChar::Int, 4) => DType::I32,
        (TypeChar::Int, 8) => DType::I64,
        (TypeChar::Uint, 1) => DType::U8,
        (TypeChar::Uint, 2) => DType::U16,
        (TypeChar::Uint, 4) => DType::U32,
        (TypeChar::Uint, 8) => DType::U64,
        (TypeChar::Float, 2) => DType::F16,
        (TypeChar::Float, 4) => DType::F32,
        (TypeChar::Float, 8) => DType::F64,
        (TypeChar::Float, _) => return refuse("convert it with .astype(numpy.float64) first"),
        (TypeChar::Complex, _) => return refuse("save the real and the imaginary part as two arrays"),
        (TypeChar::RawData, 2) => {
            return refuse("if it is bfloat16, convert it with .astype(numpy.float32) before saving");
        }
        (TypeChar::Object, _) => return refuse("it holds Python objects; convert it to an array of numbers first"),
        (TypeChar::UnicodeStr | TypeChar::ByteStr, _) => return refuse("it holds texts; convert it to numbers first"),
        (_, _) => return refuse("convert it to an array of numbers first"),
    };
    Ok((dtype, ty.endianness() == Endianness::Big))
}

/// Elements stored with the first axis fastest, reordered so that the last one is.
fn rows_first(bytes: &[u8], ty: &TensorType) -> Vec<u8> {
    let size = ty.dtype.size_bytes();
    let mut strides = vec![0; ty.rank()];
    let mut stride = 1;
    for (s, &extent) in strides.iter_mut().zip(&ty.shape) {
        *s = stride;
        stride *= extent;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = vec![0; ty.rank()];
    for _ in 0..ty.n_elements() {
        let from: usize = size * index.iter().zip(&strides).map(|(i, s)| i * s).sum::<usize>();
        out.extend_from_slice(&bytes[from..from + size]);
        for axis in (0..ty.rank()).rev() {
            index[axis] += 1;
            if index[axis] < ty.shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    out
}

/// The numbers of a CSV file as `f32`: `[rows, columns]`, or `[rows]` for one column or a named one. A
/// first line that holds anything but numbers names the columns.
fn read_csv(path: &str, column: Option<&str>) -> Result<Array, DataError> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_path(path)?;
    let mut names: Option<Vec<String>> = None;
    let mut width = None;
    let mut rows = 0;
    let mut values: Vec<f32> = Vec::new();
    for (i, record) in reader.records().enumerate() {
        let record = record?;
        let line = record.position().map_or(i as u64 + 1, csv::Position::line);
        if i == 0 && record.iter().any(|cell| cell.parse::<f32>().is_err()) {
            names = Some(record.iter().map(str::to_owned).collect());
            width = Some(record.len());
            continue;
        }
        let expected = *width.get_or_insert(record.len());
        if record.len() != expected {
            return Err(DataError::Row { line, found: record.len(), expected });
        }
        for (column, cell) in record.iter().enumerate() {
            let value = cell.parse();
            values.push(value.map_err(|_| DataError::Cell { line, column: column + 1, text: cell.to_owned() })?);
        }
        rows += 1;
    }
    let width = width.unwrap_or(0);
    let short = |_| DataError::Format("its rows do not make an array");
    if let Some(column) = column {
        let names = names.unwrap_or_default();
        let Some(k) = names.iter().position(|n| n == column) else {
            let all = if names.is_empty() { "no line of names".to_owned() } else { names.join(", ") };
            return Err(DataError::NoArray { name: column.to_owned(), all });
        };
        let one: Vec<f32> = values.chunks(width.max(1)).filter_map(|row| row.get(k).copied()).collect();
        return Array::from_vec([one.len()], one).map_err(short);
    }
    let shape = if width == 1 { vec![rows] } else { vec![rows, width] };
    Array::from_vec(shape, values).map_err(short)
}
