//! Parameters by name: what stands between the brackets of an equation, out of a [`Prim`] and back.
//!
//! The names are those of the variants' fields. The printer, the parser and importers go through
//! these two functions, so none of them has a list of primitives of its own.

mod args;

use crate::print::{self, Style};
use crate::{
    ArgReduceOp, Array, BinaryOp, CompareOp, CumulativeOp, DType, DotDims, Func, GatherDims, Prim, ReduceOp, Scalar,
    ScatterDims, ScatterOp, TensorType, UnaryOp,
};
use args::Args;
use std::fmt;
use std::sync::Arc;

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Param {
    /// `true` or `false`.
    Bool(bool),
    /// `3`: an integer of any kind, sizes and axes included.
    Int(i128),
    /// `[0, _, 1]`: integers, `_` where there is none.
    Ints(Vec<Option<i128>>),
    /// `2.0:f32`: an element with its dtype.
    Scalar(Scalar),
    /// `f32`.
    DType(DType),
    /// `f32[3,2]`.
    Type(TensorType),
    /// `f32[2]{1.0, 2.0}`: a type and its elements in row-major order.
    Array(Arc<Array>),
    /// `clip`: one of a few names.
    Word(String),
    /// `name(%0: f32[]) -> (f32[]) { … }`: a nested program.
    Func(Arc<Func>),
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::write_param(f, self, 0, Style::PLAIN)
    }
}

/// Why a name and parameters do not make a primitive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    /// No primitive has that name.
    #[error("there is no operation `{name}`{}", nearest.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
    UnknownPrim {
        /// The name as given.
        name: String,
        /// The name most like it, if one is.
        nearest: Option<&'static str>,
    },
    /// A parameter that the primitive needs is not there.
    #[error("{prim}: the parameter `{param}` is missing")]
    Missing {
        /// The primitive's name.
        prim: String,
        /// The parameter's name.
        param: &'static str,
    },
    /// A parameter that the primitive does not have.
    #[error("{prim}: there is no parameter `{param}`; {}", known_params(known))]
    Unknown {
        /// The primitive's name.
        prim: String,
        /// The parameter's name.
        param: String,
        /// The parameters that it has.
        known: Vec<&'static str>,
    },
    /// A parameter given twice.
    #[error("{prim}: the parameter `{param}` is given twice")]
    Repeated {
        /// The primitive's name.
        prim: String,
        /// The parameter's name.
        param: String,
    },
    /// A value that is not of the parameter's kind, or out of its range.
    #[error("{prim}: the parameter `{param}` is {expected}, but {found} was given")]
    Value {
        /// The primitive's name.
        prim: String,
        /// The parameter's name.
        param: &'static str,
        /// What it must be, in words.
        expected: &'static str,
        /// The value, long ones cut short.
        found: String,
    },
}

impl ParamError {
    /// The parameter that is at fault, if one that was given is.
    #[must_use]
    pub fn param(&self) -> Option<&str> {
        match self {
            ParamError::Unknown { param, .. } | ParamError::Repeated { param, .. } => Some(param),
            ParamError::Value { param, .. } => Some(param),
            ParamError::UnknownPrim { .. } | ParamError::Missing { .. } => None,
        }
    }
}

fn known_params(known: &[&str]) -> String {
    if known.is_empty() { "it takes none".to_owned() } else { format!("it takes {}", known.join(", ")) }
}

fn int(n: impl Into<i128>) -> Param {
    Param::Int(n.into())
}

fn size(n: usize) -> Param {
    Param::Int(n as i128)
}

fn sizes(list: &[usize]) -> Param {
    Param::Ints(list.iter().map(|&n| Some(n as i128)).collect())
}

fn ints(list: &[i64]) -> Param {
    Param::Ints(list.iter().map(|&n| Some(i128::from(n))).collect())
}

fn axes(list: &[Option<usize>]) -> Param {
    Param::Ints(list.iter().map(|n| n.map(|n| n as i128)).collect())
}

impl Prim {
    /// Its parameters by name, in the order of the text form; a nested program comes last.
    #[must_use]
    pub fn params(&self) -> Vec<(&'static str, Param)> {
        match self {
            Prim::Unary(_)
            | Prim::Binary(_)
            | Prim::Compare(_)
            | Prim::SelectN
            | Prim::Clamp
            | Prim::StopGradient
            | Prim::DynamicUpdateSlice
            | Prim::Threefry2x32 => vec![],
            Prim::IntegerPow { exponent } => vec![("exponent", int(*exponent))],
            Prim::Convert { dtype } => vec![("dtype", Param::DType(*dtype))],
            Prim::Full { value, shape } => vec![("value", Param::Scalar(*value)), ("shape", sizes(shape))],
            Prim::Constant(array) => vec![("value", Param::Array(array.clone()))],
            Prim::Iota { ty, dimension } => vec![("ty", Param::Type(ty.clone())), ("dimension", size(*dimension))],
            Prim::Reshape { shape } => vec![("shape", sizes(shape))],
            Prim::Transpose { permutation } => vec![("permutation", sizes(permutation))],
            Prim::BroadcastInDim { shape, broadcast_dimensions } => {
                vec![("shape", sizes(shape)), ("broadcast_dimensions", sizes(broadcast_dimensions))]
            }
            Prim::Slice { start, limit, strides } => {
                vec![("start", sizes(start)), ("limit", sizes(limit)), ("strides", sizes(strides))]
            }
            Prim::Pad { low, high, interior } => {
                vec![("low", ints(low)), ("high", ints(high)), ("interior", sizes(interior))]
            }
            Prim::Concatenate { dimension } => vec![("dimension", size(*dimension))],
            Prim::Rev { dimensions } => vec![("dimensions", sizes(dimensions))],
            Prim::DynamicSlice { slice_sizes } => vec![("slice_sizes", sizes(slice_sizes))],
            Prim::Gather { dims, slice_sizes, mode, fill_value } => {
                let mut params = vec![
                    ("offset_dims", sizes(&dims.offset_dims)),
                    ("collapsed_slice_dims", sizes(&dims.collapsed_slice_dims)),
                    ("start_index_map", sizes(&dims.start_index_map)),
                    ("operand_batching_dims", sizes(&dims.operand_batching_dims)),
                    ("start_indices_batching_dims", sizes(&dims.start_indices_batching_dims)),
                    ("slice_sizes", sizes(slice_sizes)),
                    ("mode", Param::Word(mode.name().to_owned())),
                ];
                params.extend(fill_value.map(|v| ("fill_value", Param::Scalar(v))));
                params
            }
            Prim::Scatter { op: _, dims, mode, unique_indices } => vec![
                ("update_window_dims", sizes(&dims.update_window_dims)),
                ("inserted_window_dims", sizes(&dims.inserted_window_dims)),
                ("scatter_dims_to_operand_dims", sizes(&dims.scatter_dims_to_operand_dims)),
                ("operand_batching_dims", sizes(&dims.operand_batching_dims)),
                ("scatter_indices_batching_dims", sizes(&dims.scatter_indices_batching_dims)),
                ("mode", Param::Word(mode.name().to_owned())),
                ("unique_indices", Param::Bool(*unique_indices)),
            ],
            Prim::Reduce { op: _, axes } => vec![("axes", sizes(axes))],
            Prim::ArgReduce { op: _, axis, index_dtype } => {
                vec![("axis", size(*axis)), ("index_dtype", Param::DType(*index_dtype))]
            }
            Prim::Cumulative { op: _, axis, reverse } => {
                vec![("axis", size(*axis)), ("reverse", Param::Bool(*reverse))]
            }
            Prim::DotGeneral { dims, out_dtype } => vec![
                ("lhs_contracting", sizes(&dims.lhs_contracting)),
                ("rhs_contracting", sizes(&dims.rhs_contracting)),
                ("lhs_batch", sizes(&dims.lhs_batch)),
                ("rhs_batch", sizes(&dims.rhs_batch)),
                ("out_dtype", Param::DType(*out_dtype)),
            ],
            Prim::Sort { dimension, num_keys } => vec![("dimension", size(*dimension)), ("num_keys", size(*num_keys))],
            Prim::Call { func } => vec![("func", Param::Func(func.clone()))],
            Prim::Vmap { func, in_axes, out_axes, size: n } => vec![
                ("in_axes", axes(in_axes)),
                ("out_axes", axes(out_axes)),
                ("size", size(*n)),
                ("func", Param::Func(func.clone())),
            ],
            Prim::Grad { func, wrt, value } => {
                vec![("wrt", sizes(wrt)), ("value", Param::Bool(*value)), ("func", Param::Func(func.clone()))]
            }
            Prim::Jvp { func, wrt } => vec![("wrt", sizes(wrt)), ("func", Param::Func(func.clone()))],
        }
    }

    /// The primitive of that name with those parameters: the inverse of [`Prim::name`] and
    /// [`Prim::params`]. Batch axes and flags may be left out; they are then empty and false.
    ///
    /// # Errors
    /// If there is no such primitive, or it does not take such parameters.
    ///
    /// ```
    /// use jx_ir::{Param, Prim};
    /// let prim = Prim::from_params("concatenate", vec![("dimension".to_owned(), Param::Int(1))]);
    /// assert_eq!(prim, Ok(Prim::Concatenate { dimension: 1 }));
    /// ```
    pub fn from_params(name: &str, params: Vec<(String, Param)>) -> Result<Prim, ParamError> {
        let mut args = Args::new(name, params)?;
        let prim = match family_op(name) {
            Some(Op::Plain(prim)) => prim,
            Some(Op::Reduce(op)) => Prim::Reduce { op, axes: args.sizes("axes")? },
            Some(Op::ArgReduce(op)) => {
                Prim::ArgReduce { op, axis: args.size("axis")?, index_dtype: args.dtype("index_dtype")? }
            }
            Some(Op::Cumulative(op)) => {
                Prim::Cumulative { op, axis: args.size("axis")?, reverse: args.flag("reverse")? }
            }
            Some(Op::Scatter(op)) => {
                let dims = ScatterDims {
                    update_window_dims: args.sizes("update_window_dims")?,
                    inserted_window_dims: args.sizes("inserted_window_dims")?,
                    scatter_dims_to_operand_dims: args.sizes("scatter_dims_to_operand_dims")?,
                    operand_batching_dims: args.sizes_or_none("operand_batching_dims")?,
                    scatter_indices_batching_dims: args.sizes_or_none("scatter_indices_batching_dims")?,
                };
                Prim::Scatter { op, dims, mode: args.mode("mode")?, unique_indices: args.flag("unique_indices")? }
            }
            None => single(name, &mut args)?,
        };
        args.finish(prim)
    }
}

/// A member of an op family, by name.
enum Op {
    Plain(Prim),
    Reduce(ReduceOp),
    ArgReduce(ArgReduceOp),
    Cumulative(CumulativeOp),
    Scatter(ScatterOp),
}

fn family_op(name: &str) -> Option<Op> {
    (UnaryOp::from_name(name).map(|op| Op::Plain(Prim::Unary(op))))
        .or_else(|| BinaryOp::from_name(name).map(|op| Op::Plain(Prim::Binary(op))))
        .or_else(|| CompareOp::from_name(name).map(|op| Op::Plain(Prim::Compare(op))))
        .or_else(|| ReduceOp::from_name(name).map(Op::Reduce))
        .or_else(|| ArgReduceOp::from_name(name).map(Op::ArgReduce))
        .or_else(|| CumulativeOp::from_name(name).map(Op::Cumulative))
        .or_else(|| ScatterOp::from_name(name).map(Op::Scatter))
}

/// The names of the primitives that are no op family.
const SINGLE: [&str; 25] = [
    "integer_pow",
    "select_n",
    "clamp",
    "convert_element_type",
    "stop_gradient",
    "full",
    "constant",
    "iota",
    "reshape",
    "transpose",
    "broadcast_in_dim",
    "slice",
    "pad",
    "concatenate",
    "rev",
    "dynamic_slice",
    "dynamic_update_slice",
    "gather",
    "dot_general",
    "sort",
    "threefry2x32",
    "call",
    "vmap",
    "grad",
    "jvp",
];

fn single(name: &str, args: &mut Args<'_>) -> Result<Prim, ParamError> {
    Ok(match name {
        "integer_pow" => Prim::IntegerPow { exponent: args.exponent("exponent")? },
        "select_n" => Prim::SelectN,
        "clamp" => Prim::Clamp,
        "convert_element_type" => Prim::Convert { dtype: args.dtype("dtype")? },
        "stop_gradient" => Prim::StopGradient,
        "full" => Prim::Full { value: args.scalar("value")?, shape: args.sizes("shape")? },
        "constant" => Prim::Constant(args.array("value")?),
        "iota" => Prim::Iota { ty: args.ty("ty")?, dimension: args.size("dimension")? },
        "reshape" => Prim::Reshape { shape: args.sizes("shape")? },
        "transpose" => Prim::Transpose { permutation: args.sizes("permutation")? },
        "broadcast_in_dim" => Prim::BroadcastInDim {
            shape: args.sizes("shape")?,
            broadcast_dimensions: args.sizes("broadcast_dimensions")?,
        },
        "slice" => {
            Prim::Slice { start: args.sizes("start")?, limit: args.sizes("limit")?, strides: args.sizes("strides")? }
        }
        "pad" => Prim::Pad { low: args.ints("low")?, high: args.ints("high")?, interior: args.sizes("interior")? },
        "concatenate" => Prim::Concatenate { dimension: args.size("dimension")? },
        "rev" => Prim::Rev { dimensions: args.sizes("dimensions")? },
        "dynamic_slice" => Prim::DynamicSlice { slice_sizes: args.sizes("slice_sizes")? },
        "dynamic_update_slice" => Prim::DynamicUpdateSlice,
        "gather" => Prim::Gather {
            dims: GatherDims {
                offset_dims: args.sizes("offset_dims")?,
                collapsed_slice_dims: args.sizes("collapsed_slice_dims")?,
                start_index_map: args.sizes("start_index_map")?,
                operand_batching_dims: args.sizes_or_none("operand_batching_dims")?,
                start_indices_batching_dims: args.sizes_or_none("start_indices_batching_dims")?,
            },
            slice_sizes: args.sizes("slice_sizes")?,
            mode: args.mode("mode")?,
            fill_value: args.scalar_or_none("fill_value")?,
        },
        "dot_general" => Prim::DotGeneral {
            dims: DotDims {
                lhs_contracting: args.sizes("lhs_contracting")?,
                rhs_contracting: args.sizes("rhs_contracting")?,
                lhs_batch: args.sizes_or_none("lhs_batch")?,
                rhs_batch: args.sizes_or_none("rhs_batch")?,
            },
            out_dtype: args.dtype("out_dtype")?,
        },
        "sort" => Prim::Sort { dimension: args.size("dimension")?, num_keys: args.size("num_keys")? },
        "threefry2x32" => Prim::Threefry2x32,
        "call" => Prim::Call { func: args.func("func")? },
        "vmap" => Prim::Vmap {
            in_axes: args.axes("in_axes")?,
            out_axes: args.axes("out_axes")?,
            size: args.size("size")?,
            func: args.func("func")?,
        },
        "grad" => Prim::Grad { wrt: args.sizes("wrt")?, value: args.flag("value")?, func: args.func("func")? },
        "jvp" => Prim::Jvp { wrt: args.sizes("wrt")?, func: args.func("func")? },
        _ => return Err(ParamError::UnknownPrim { name: name.to_owned(), nearest: nearest(name) }),
    })
}

/// The primitive's name that is fewest edits away, if they are few for its length.
fn nearest(name: &str) -> Option<&'static str> {
    let families = (UnaryOp::ALL.iter().map(|op| op.name()))
        .chain(BinaryOp::ALL.iter().map(|op| op.name()))
        .chain(CompareOp::ALL.iter().map(|op| op.name()))
        .chain(ReduceOp::ALL.iter().map(|op| op.name()))
        .chain(ArgReduceOp::ALL.iter().map(|op| op.name()))
        .chain(CumulativeOp::ALL.iter().map(|op| op.name()))
        .chain(ScatterOp::ALL.iter().map(|op| op.name()));
    let limit = (name.len() / 3).max(1);
    (families.chain(SINGLE).filter(|known| known.len().abs_diff(name.len()) <= limit))
        // Among equals the one with the same first letter is more likely meant.
        .map(|known| (edits(known.as_bytes(), name.as_bytes()), known.get(..1) != name.get(..1), known))
        .filter(|&(n, ..)| n <= limit)
        .min()
        .map(|(.., known)| known)
}

/// Levenshtein's distance; the caller keeps both lengths alike, so a hostile length costs nothing.
fn edits(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_operation_is_told_the_nearest_name() {
        let why = Prim::from_params("mull", vec![]).unwrap_err();
        assert_eq!(why.to_string(), "there is no operation `mull`; did you mean `mul`?");
        let why = Prim::from_params("reduce_summ", vec![]).unwrap_err();
        assert_eq!(why.to_string(), "there is no operation `reduce_summ`; did you mean `reduce_sum`?");
        assert!(matches!(
            Prim::from_params("convolve_everything", vec![]),
            Err(ParamError::UnknownPrim { nearest: None, .. })
        ));
    }

    #[test]
    fn a_wrong_parameter_says_what_it_must_be() {
        let given = |name: &str, value| vec![(name.to_owned(), value)];
        let why = Prim::from_params("sort", given("dimension", Param::Int(-1))).unwrap_err();
        assert_eq!(why.to_string(), "sort: the parameter `dimension` is an integer, not negative, but -1 was given");
        let why = Prim::from_params("reduce_sum", given("axis", Param::Int(0))).unwrap_err();
        assert_eq!(why.to_string(), "reduce_sum: the parameter `axes` is missing");
        let why = Prim::from_params("sin", given("axis", Param::Int(0))).unwrap_err();
        assert_eq!(why.to_string(), "sin: there is no parameter `axis`; it takes none");
        let twice = [given("dimension", Param::Int(0)), given("dimension", Param::Int(0))].concat();
        assert!(matches!(Prim::from_params("rev", twice), Err(ParamError::Repeated { .. })));
    }
}
