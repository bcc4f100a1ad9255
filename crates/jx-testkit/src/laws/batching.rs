//! Law 1: a mapped program equals the loop over examples.

use super::{LawFailure, PassError, agree_as, evaluated, hold, vmap_node, well_formed};
use crate::arrays::{rolled, stacked};
use crate::rng::Rng;
use jx_ir::{Array, Func};

/// The pass `vmap(func, in_axes, out_axes, size)`.
pub type VmapPass<'a> = &'a dyn Fn(&Func, &[Option<usize>], &[Option<usize>], usize) -> Result<Func, PassError>;

/// Which maps of a program are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maps {
    /// Every choice of an axis or none for each input, up to 48 of them; sizes 0, 1 and 3 of each.
    All,
    /// A few choices, drawn by the seed, each of one size.
    Few {
        /// How many.
        n: usize,
        /// The seed.
        seed: u64,
    },
}

/// More choices of axes than this are sampled.
const MAX_CHOICES: usize = 48;

/// One way to map a program.
#[derive(Clone, Debug)]
struct Map {
    in_axes: Vec<Option<usize>>,
    size: usize,
}

fn maps(func: &Func, which: Maps) -> Vec<Map> {
    let ranks: Vec<usize> = func.input_types().iter().map(|ty| ty.rank()).collect();
    let sizes = [0, 1, 3];
    match which {
        Maps::All => {
            // For an input of rank r there are r + 1 places for the axis, and none.
            let n_choices = ranks.iter().try_fold(1_usize, |n, r| n.checked_mul(r + 2)).unwrap_or(usize::MAX);
            let choices: Vec<Vec<Option<usize>>> = if n_choices <= MAX_CHOICES {
                (0..n_choices).map(|k| decode(k, &ranks)).collect()
            } else {
                let mut rng = Rng::new(ranks.iter().fold(17, |h, &r| h * 31 + r as u64));
                let mut choices = vec![vec![None; ranks.len()], vec![Some(0); ranks.len()]];
                choices.push(ranks.iter().map(|&r| Some(r)).collect());
                choices.extend((2..MAX_CHOICES).map(|_| random_axes(&mut rng, &ranks)));
                choices
            };
            choices.into_iter().flat_map(|in_axes| sizes.map(|size| Map { in_axes: in_axes.clone(), size })).collect()
        }
        Maps::Few { n, seed } => {
            let mut rng = Rng::new(seed);
            let map = |rng: &mut Rng| Map { in_axes: random_axes(rng, &ranks), size: [0, 1, 2, 3, 3][rng.below(5)] };
            (0..n).map(|_| map(&mut rng)).collect()
        }
    }
}

fn decode(mut k: usize, ranks: &[usize]) -> Vec<Option<usize>> {
    ranks
        .iter()
        .map(|r| {
            let digit = k % (r + 2);
            k /= r + 2;
            digit.checked_sub(1)
        })
        .collect()
}

fn random_axes(rng: &mut Rng, ranks: &[usize]) -> Vec<Option<usize>> {
    ranks.iter().map(|&r| if rng.one_in(3) { None } else { Some(rng.below(r + 1)) }).collect()
}

/// Some place for each result's axis; none, now and then, where the result depends on no mapped input.
fn out_axes(func: &Func, in_axes: &[Option<usize>], turn: usize) -> Vec<Option<usize>> {
    let depends = func.depends_on(|i| in_axes[i].is_some());
    let place = |(i, (ty, depends)): (usize, (&jx_ir::TensorType, bool))| {
        let k = turn + i;
        if !depends && k % 2 == 1 { None } else { Some(k % (ty.rank() + 1)) }
    };
    func.output_types().zip(depends).enumerate().map(place).collect()
}

/// Inputs of the mapped program: the examples of an input are its values, moved on from one to the next.
fn batched(inputs: &[Array], map: &Map) -> Vec<Array> {
    let batch = |(x, axis): (&Array, &Option<usize>)| match *axis {
        None => x.clone(),
        Some(axis) => {
            let examples: Vec<Array> = (0..map.size).map(|k| rolled(x, k)).collect();
            stacked(&x.ty(), &examples, axis)
        }
    };
    inputs.iter().zip(&map.in_axes).map(batch).collect()
}

/// Law 1: the mapped program equals the loop, for choices of axes and sizes. The result is how many
/// maps were tried.
///
/// # Errors
/// If not; the failure holds the smallest such program found.
pub fn vmap_equals_loop(func: &Func, inputs: &[Array], which: Maps, vmap: VmapPass) -> Result<usize, LawFailure> {
    hold("vmap equals the loop", func, inputs, &|func, inputs| {
        let maps = maps(func, which);
        for (turn, map) in maps.iter().enumerate() {
            let out = out_axes(func, &map.in_axes, turn);
            let inputs = batched(inputs, map);
            let want = evaluated("the loop", &vmap_node(func, &map.in_axes, &out, map.size), &inputs)?;
            let mapped = well_formed("vmap", vmap(func, &map.in_axes, &out, map.size))?;
            let got = evaluated("the mapped program", &mapped, &inputs)?;
            agree_as(func, &describe(map, &out), &got, &want)?;
        }
        Ok(maps.len())
    })
}

fn describe(map: &Map, out: &[Option<usize>]) -> String {
    let list = |axes: &[Option<usize>]| {
        let words: Vec<String> = axes.iter().map(|a| a.map_or("_".to_owned(), |a| a.to_string())).collect();
        format!("[{}]", words.join(", "))
    };
    format!("vmap in_axes={} out_axes={} size={}", list(&map.in_axes), list(out), map.size)
}

/// Law 1, nested: a map of a map equals the loop of loops.
///
/// # Errors
/// If not; the failure holds the smallest such program found.
pub fn vmap_of_vmap_equals_loops(func: &Func, inputs: &[Array], seed: u64, vmap: VmapPass) -> Result<(), LawFailure> {
    hold("vmap of vmap equals the loops", func, inputs, &|func, inputs| {
        let mut rng = Rng::new(seed);
        let inner = &maps(func, Maps::Few { n: 1, seed: rng.bits() })[0];
        let inner_out = out_axes(func, &inner.in_axes, rng.below(4));
        let loops = vmap_node(func, &inner.in_axes, &inner_out, inner.size);
        let mapped = well_formed("vmap", vmap(func, &inner.in_axes, &inner_out, inner.size))?;
        let outer = &maps(&loops, Maps::Few { n: 1, seed: rng.bits() })[0];
        // By the loops' dependence: what a pass finds not to depend it may say less about.
        let outer_out = out_axes(&loops, &outer.in_axes, rng.below(4));
        let inputs = batched(&batched(inputs, inner), outer);
        let loops = vmap_node(&loops, &outer.in_axes, &outer_out, outer.size);
        let want = evaluated("the loops", &loops, &inputs)?;
        let mapped = well_formed("vmap", vmap(&mapped, &outer.in_axes, &outer_out, outer.size))?;
        let got = evaluated("the mapped program", &mapped, &inputs)?;
        let what = format!("{} in {}", describe(inner, &inner_out), describe(outer, &outer_out));
        agree_as(func, &what, &got, &want)
    })
}
