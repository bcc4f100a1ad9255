//! Random programs from a seed: well typed, of every family, with inputs to run them on.
//!
//! A seed and options name a program for ever. In `differentiable` programs every float is `f64`,
//! operands are squashed into the domains of the ops, and ops with kinks get operands that are kept
//! apart, so that difference quotients converge.

mod nodes;
mod ops;
mod structural;

use crate::arrays::generic;
use crate::rng::Rng;
use jx_ir::{Array, Builder, DType, Func, Scalar, TensorType, Var};

/// What programs are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenOptions {
    /// The least number of equations; a step may add a few more than it needs.
    pub min_eqns: usize,
    /// The greatest number of steps.
    pub max_eqns: usize,
    /// The greatest number of inputs.
    pub max_inputs: usize,
    /// The greatest number of outputs.
    pub max_outputs: usize,
    /// Whether difference quotients must converge: `f64`, bounded values, no kinks nearby.
    pub differentiable: bool,
    /// Whether `call` and `vmap` nodes may occur, nested ones too.
    pub nodes: bool,
    /// Whether `grad` and `jvp` nodes may occur; `eval` refuses such programs until they are expanded.
    /// Takes `differentiable`.
    pub derivatives: bool,
}

impl Default for GenOptions {
    fn default() -> GenOptions {
        GenOptions {
            min_eqns: 1,
            max_eqns: 20,
            max_inputs: 4,
            max_outputs: 3,
            differentiable: false,
            nodes: false,
            derivatives: false,
        }
    }
}

impl GenOptions {
    /// First-order programs whose difference quotients converge.
    #[must_use]
    pub fn smooth() -> GenOptions {
        GenOptions { differentiable: true, ..GenOptions::default() }
    }

    /// Programs with `call` and `vmap` nodes.
    #[must_use]
    pub fn with_nodes(self) -> GenOptions {
        GenOptions { nodes: true, ..self }
    }

    /// Smooth programs with every kind of node.
    #[must_use]
    pub fn with_derivatives() -> GenOptions {
        GenOptions { nodes: true, derivatives: true, ..GenOptions::smooth() }
    }
}

/// A random program and inputs for it.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The program.
    pub func: Func,
    /// Its inputs.
    pub inputs: Vec<Array>,
}

/// No tensor of a random program has more elements than this.
const MAX_ELEMENTS: usize = 200;

/// The program of a seed, and its inputs.
#[must_use]
pub fn random_func(seed: u64, options: &GenOptions) -> Generated {
    let mut rng = Rng::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5851_f42d);
    let n_inputs = rng.between(1, options.max_inputs.max(1));
    let types: Vec<TensorType> = (0..n_inputs).map(|i| random_type(&mut rng, options, i == 0)).collect();
    let inputs = types.iter().map(|ty| random_input(&mut rng, options, ty)).collect();
    let n_eqns = rng.between(options.min_eqns, options.max_eqns.max(options.min_eqns));
    let func = random_body(&mut rng, options, &types, n_eqns, 0);
    Generated { func, inputs }
}

fn random_shape(rng: &mut Rng) -> Vec<usize> {
    let rank = [0, 1, 1, 2, 2, 2, 3, 3, 4][rng.below(9)];
    let extent = |rng: &mut Rng| if rng.one_in(16) { 0 } else { [1, 2, 2, 3, 3, 4, 5][rng.below(7)] };
    let mut shape: Vec<usize> = (0..rank).map(|_| extent(rng)).collect();
    while shape.iter().product::<usize>() > 60 {
        shape.pop();
    }
    shape
}

fn random_type(rng: &mut Rng, options: &GenOptions, float: bool) -> TensorType {
    let dtype = if options.differentiable {
        if float || !rng.one_in(4) { DType::F64 } else { DType::I32 }
    } else if float || !rng.one_in(3) {
        [DType::F32, DType::F32, DType::F64, DType::F16, DType::BF16][rng.below(5)]
    } else {
        DType::ALL[rng.below(DType::ALL.len())]
    };
    TensorType { dtype, shape: random_shape(rng) }
}

fn random_input(rng: &mut Rng, options: &GenOptions, ty: &TensorType) -> Array {
    let salt = rng.bits() % 1000;
    let x = generic(ty, -3.0, 4.0, salt);
    if options.differentiable || !ty.dtype.is_float() {
        return x;
    }
    // Now and then a special value.
    let special = [0.0, -0.0, 1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e30, 1e-30];
    let values: Vec<Scalar> = x
        .scalars()
        .map(|s| if rng.one_in(25) { Scalar::from_f64(ty.dtype, special[rng.below(special.len())]) } else { s })
        .collect();
    crate::arrays::from_scalars(ty, values.into_iter())
}

/// A program of these inputs with about `n_eqns` equations.
fn random_body(rng: &mut Rng, options: &GenOptions, types: &[TensorType], n_eqns: usize, depth: usize) -> Func {
    let (b, vars) = Builder::with_inputs(types);
    let mut g = Gen { rng, b, pool: vars, options, depth };
    let mut attempts = 0;
    while g.b.eqns().len() < n_eqns && attempts < 20 * n_eqns + 20 {
        attempts += 1;
        if let Some(results) = g.step() {
            g.pool.extend(results);
        }
    }
    let outputs = g.choose_outputs();
    g.b.finish(&outputs)
}

/// A program under construction and what it may use.
struct Gen<'a> {
    rng: &'a mut Rng,
    b: Builder,
    /// The variables that later equations may read.
    pool: Vec<Var>,
    options: &'a GenOptions,
    /// How many programs this one is nested in.
    depth: usize,
}

impl Gen<'_> {
    /// The results of one more op, or `None` if the one that was drawn fits no operand.
    fn step(&mut self) -> Option<Vec<Var>> {
        if self.options.nodes && self.depth < 2 && self.rng.one_in(6) {
            return self.node();
        }
        let one = |v: Option<Var>| v.map(|v| vec![v]);
        match self.rng.below(20) {
            0..=3 => one(self.unary()),
            4..=6 => one(self.binary()),
            7 => one(self.compare()),
            8 => one(self.select()),
            9 => one(self.convert()),
            10 => one(self.source()),
            11 | 12 => one(self.movement()),
            13 => one(self.joined()),
            14 => one(self.dynamic()),
            15 => one(self.gather()),
            16 => one(self.scatter()),
            17 => one(self.reduction()),
            18 => one(self.dot()),
            _ => self.sorted_or_random(),
        }
    }

    fn ty(&self, v: Var) -> TensorType {
        self.b.ty(v).clone()
    }

    /// A variable for which `ok` holds; later ones are drawn more often.
    fn var(&mut self, ok: impl Fn(&TensorType) -> bool) -> Option<Var> {
        let fitting: Vec<Var> = self.pool.iter().copied().filter(|&v| ok(self.b.ty(v))).collect();
        let (i, j) = (self.rng.below(fitting.len()), self.rng.below(fitting.len()));
        fitting.get(i.max(j)).copied()
    }

    fn float(&mut self) -> Option<Var> {
        self.var(|ty| ty.dtype.is_float())
    }

    /// A variable of that type: one that there is, or one made of another of its dtype, or a constant.
    fn like(&mut self, ty: &TensorType) -> Var {
        if !self.rng.one_in(4)
            && let Some(v) = self.var(|t| t == ty)
        {
            return v;
        }
        // A shape that broadcasts to the wanted one, its axes lying at the end.
        let fits = |t: &TensorType| {
            t.dtype == ty.dtype
                && t.rank() <= ty.rank()
                && t.shape.iter().rev().zip(ty.shape.iter().rev()).all(|(&n, &m)| n == m || n == 1)
        };
        if let Some(v) = self.var(fits) {
            let first = ty.rank() - self.b.ty(v).rank();
            let dims: Vec<usize> = (first..ty.rank()).collect();
            return self.b.broadcast_in_dim(v, &ty.shape, &dims);
        }
        self.constant(ty)
    }

    /// A constant of that type: one value, or generic points.
    fn constant(&mut self, ty: &TensorType) -> Var {
        if self.rng.one_in(2) {
            let value = [0.5, 1.0, -1.0, 2.0, 0.0][self.rng.below(if self.options.differentiable { 4 } else { 5 })];
            return self.b.full(ty, value);
        }
        let salt = self.rng.bits() % 1000;
        self.b.constant(generic(ty, -2.0, 2.0, salt))
    }

    /// `x` brought into `(lo, hi)` by way of a sine, where values must stay bounded; else `x`.
    fn squashed(&mut self, x: Var, (lo, hi): (f64, f64)) -> Var {
        if !self.options.differentiable || !self.b.dtype(x).is_float() {
            return x;
        }
        let s = self.b.sin(x);
        let half = self.b.full_like(x, 0.5 * (hi - lo));
        let mid = self.b.full_like(x, 0.5 * (hi + lo));
        let scaled = self.b.mul(s, half);
        self.b.add(scaled, mid)
    }

    /// `x` made to depend on itself only a little around values that are far apart and far from
    /// integers, so that no kink, jump or tie is near; where that is not asked for, `x`.
    fn separated(&mut self, x: Var) -> Var {
        if !self.options.differentiable || !self.b.dtype(x).is_float() {
            return x;
        }
        let ty = self.ty(x);
        let order: Vec<usize> = (0..ty.n_elements()).collect();
        let values = self.rng.shuffled(order).into_iter();
        let middle = (ty.n_elements() / 2) as f64;
        let base = values.map(|k| Scalar::from_f64(ty.dtype, k as f64 - middle + 0.25));
        let base: Vec<Scalar> = base.collect();
        let base = self.b.constant(crate::arrays::from_scalars(&ty, base.into_iter()));
        let s = self.b.sin(x);
        // Fractional parts stay in [0.05, 0.45]: off the jumps of floor and of round.
        let fifth = self.b.full_like(x, 0.2);
        let small = self.b.mul(s, fifth);
        self.b.add(base, small)
    }

    /// One to `max_outputs` variables, late ones first; in differentiable programs the first is a float.
    fn choose_outputs(&mut self) -> Vec<Var> {
        let n = self.rng.between(1, self.options.max_outputs.max(1));
        let differentiable = self.options.differentiable;
        let first = if differentiable { self.float() } else { self.var(|_| true) };
        let mut outputs: Vec<Var> = first.into_iter().collect();
        while outputs.len() < n {
            match self.var(|_| true) {
                Some(v) => outputs.push(v),
                None => break,
            }
        }
        outputs
    }
}

#[cfg(test)]
mod tests;
