//! Movement as strided copies: transpose, broadcast, slice and reverse are one loop nest.

use super::arg::{array, slice};
use jx_ir::{Array, DType, Element, TensorType, bf16, f16};

/// Result element `i` is operand element `offset + Σ strides·i`.
#[derive(Clone, Debug)]
pub(super) struct Strided {
    /// The result's shape.
    shape: Vec<usize>,
    /// The loop nest: extents above 1 with their strides, in elements, neighbours merged where possible.
    loops: Vec<(usize, isize)>,
    offset: usize,
}

/// The distance in elements between neighbours along each axis of a dense tensor.
fn dense_strides(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1isize; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis] as isize;
    }
    strides
}

impl Strided {
    fn new(shape: Vec<usize>, strides: &[isize], offset: usize) -> Strided {
        let mut loops: Vec<(usize, isize)> = Vec::with_capacity(shape.len());
        for (&n, &stride) in shape.iter().zip(strides).filter(|&(&n, _)| n != 1) {
            match loops.last_mut() {
                Some(outer) if outer.1 == stride * n as isize => *outer = (outer.0 * n, stride),
                Some(_) | None => loops.push((n, stride)),
            }
        }
        Strided { shape, loops, offset }
    }

    pub(super) fn transpose(x: &TensorType, permutation: &[usize]) -> Strided {
        let strides = dense_strides(&x.shape);
        let shape = permutation.iter().map(|&a| x.shape[a]).collect();
        Strided::new(shape, &permutation.iter().map(|&a| strides[a]).collect::<Vec<_>>(), 0)
    }

    pub(super) fn broadcast_in_dim(x: &TensorType, shape: &[usize], dims: &[usize]) -> Strided {
        let mut strides = vec![0; shape.len()];
        for ((&d, stride), &n) in dims.iter().zip(dense_strides(&x.shape)).zip(&x.shape) {
            if n != 1 {
                strides[d] = stride;
            }
        }
        Strided::new(shape.to_vec(), &strides, 0)
    }

    pub(super) fn slice(x: &TensorType, start: &[usize], steps: &[usize], result: &TensorType) -> Strided {
        let strides = dense_strides(&x.shape);
        let offset = start.iter().zip(&strides).map(|(&i, &s)| i * s as usize).sum();
        let steps: Vec<isize> = steps.iter().zip(&strides).map(|(&step, &s)| step as isize * s).collect();
        Strided::new(result.shape.clone(), &steps, offset)
    }

    pub(super) fn rev(x: &TensorType, dimensions: &[usize]) -> Strided {
        let mut strides = dense_strides(&x.shape);
        let mut offset = 0;
        for &axis in dimensions {
            offset += x.shape[axis].saturating_sub(1) * strides[axis] as usize;
            strides[axis] = -strides[axis];
        }
        Strided::new(x.shape.clone(), &strides, offset)
    }

    /// Whether the result has the operand's elements in the operand's order.
    pub(super) fn is_identity(&self, x: &TensorType) -> bool {
        let n: usize = self.shape.iter().product();
        n == x.n_elements() && self.offset == 0 && matches!(self.loops[..], [] | [(_, 1)])
    }

    /// The result.
    pub(super) fn run(&self, x: &Array) -> Array {
        match x.dtype() {
            DType::Bool => self.typed::<bool>(x),
            DType::I8 => self.typed::<i8>(x),
            DType::I16 => self.typed::<i16>(x),
            DType::I32 => self.typed::<i32>(x),
            DType::I64 => self.typed::<i64>(x),
            DType::U8 => self.typed::<u8>(x),
            DType::U16 => self.typed::<u16>(x),
            DType::U32 => self.typed::<u32>(x),
            DType::U64 => self.typed::<u64>(x),
            DType::F16 => self.typed::<f16>(x),
            DType::BF16 => self.typed::<bf16>(x),
            DType::F32 => self.typed::<f32>(x),
            DType::F64 => self.typed::<f64>(x),
        }
    }

    fn typed<T: Element>(&self, x: &Array) -> Array {
        array(&self.shape, self.copy(slice::<T>(x)))
    }

    /// The result's elements in row-major order.
    pub(super) fn copy<T: Element>(&self, x: &[T]) -> Vec<T> {
        let n: usize = self.shape.iter().product();
        if n == 0 {
            return Vec::new();
        }
        let Some((&(extent, stride), outer)) = self.loops.split_last() else {
            return vec![x[self.offset]; n];
        };
        // A transpose reads neighbours that lie far apart; where some outer loop reads along memory,
        // the two are walked in square tiles so that what a cache line brings is used before it goes.
        let along = outer.iter().position(|&(n, s)| s == 1 && n >= TILE);
        if let Some(along) = along.filter(|_| stride.unsigned_abs() > 1 && extent >= TILE) {
            return self.copy_tiled(x, along);
        }
        let mut values = Vec::with_capacity(n);
        for_each_offset(outer, self.offset as isize, |offset| {
            let start = offset as usize;
            match stride {
                1 => values.extend_from_slice(&x[start..start + extent]),
                0 => values.extend(std::iter::repeat_n(x[start], extent)),
                _ => values.extend((0..extent as isize).map(|i| x[(offset + i * stride) as usize])),
            }
        });
        values
    }

    fn copy_tiled<T: Element>(&self, x: &[T], along: usize) -> Vec<T> {
        let n: usize = self.shape.iter().product();
        let mut values = vec![T::default(); n];
        let mut tile = [[T::default(); TILE]; TILE];
        let last = self.loops.len() - 1;
        let (n_last, stride) = self.loops[last];
        let n_along = self.loops[along].0;
        let out_strides = dense_strides(&self.loops.iter().map(|l| l.0).collect::<Vec<_>>());
        let out_step = out_strides[along] as usize;
        let rest = |strides: &dyn Fn(usize) -> isize| -> Vec<(usize, isize)> {
            (0..last).filter(|&l| l != along).map(|l| (self.loops[l].0, strides(l))).collect()
        };
        let mut starts = Vec::new();
        for_each_offset(&rest(&|l| self.loops[l].1), self.offset as isize, |offset| starts.push(offset));
        let mut i = 0;
        for_each_offset(&rest(&|l| out_strides[l]), 0, |out| {
            let (from, to) = (starts[i], out as usize);
            i += 1;
            for row in (0..n_along).step_by(TILE) {
                for column in (0..n_last).step_by(TILE) {
                    // Lines that lie a power of two apart push each other out of the cache, so each is
                    // read once, and each written once.
                    let (height, width) = (TILE.min(n_along - row), TILE.min(n_last - column));
                    let line = |c: usize| {
                        let start = (from + row as isize + (column + c) as isize * stride) as usize;
                        &x[start..start + height]
                    };
                    for c in 0..width {
                        for (target, &v) in tile.iter_mut().zip(line(c)) {
                            target[c] = v;
                        }
                    }
                    for (r, line) in tile[..height].iter().enumerate() {
                        values[to + (row + r) * out_step + column..][..width].copy_from_slice(&line[..width]);
                    }
                }
            }
        });
        values
    }
}

/// The side of a transpose's tile, in elements.
const TILE: usize = 16;

/// Calls `body` with the offset of every step of a loop nest, the last loop innermost.
fn for_each_offset(loops: &[(usize, isize)], start: isize, mut body: impl FnMut(isize)) {
    let mut index = vec![0usize; loops.len()];
    let mut offset = start;
    loop {
        body(offset);
        let mut depth = loops.len();
        loop {
            let Some(l) = depth.checked_sub(1) else { return };
            let (extent, stride) = loops[l];
            index[l] += 1;
            offset += stride;
            if index[l] < extent {
                break;
            }
            offset -= stride * extent as isize;
            index[l] = 0;
            depth = l;
        }
    }
}

/// The operands one after the other along an axis.
pub(super) fn concatenate(xs: &[&Array], dimension: usize, result: &TensorType) -> Array {
    match result.dtype {
        DType::Bool => concatenate_typed::<bool>(xs, dimension, result),
        DType::I8 => concatenate_typed::<i8>(xs, dimension, result),
        DType::I16 => concatenate_typed::<i16>(xs, dimension, result),
        DType::I32 => concatenate_typed::<i32>(xs, dimension, result),
        DType::I64 => concatenate_typed::<i64>(xs, dimension, result),
        DType::U8 => concatenate_typed::<u8>(xs, dimension, result),
        DType::U16 => concatenate_typed::<u16>(xs, dimension, result),
        DType::U32 => concatenate_typed::<u32>(xs, dimension, result),
        DType::U64 => concatenate_typed::<u64>(xs, dimension, result),
        DType::F16 => concatenate_typed::<f16>(xs, dimension, result),
        DType::BF16 => concatenate_typed::<bf16>(xs, dimension, result),
        DType::F32 => concatenate_typed::<f32>(xs, dimension, result),
        DType::F64 => concatenate_typed::<f64>(xs, dimension, result),
    }
}

fn concatenate_typed<T: Element>(xs: &[&Array], dimension: usize, result: &TensorType) -> Array {
    let outer: usize = result.shape[..dimension].iter().product();
    let mut values = Vec::with_capacity(result.n_elements());
    for row in 0..outer {
        for x in xs {
            let n: usize = x.shape()[dimension..].iter().product();
            values.extend_from_slice(&slice::<T>(x)[row * n..][..n]);
        }
    }
    array(&result.shape, values)
}
