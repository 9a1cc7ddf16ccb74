//! Random pairs of solids: carom's answers are compared with exact ones from tetrahedra in whole
//! numbers.
//!
//! - The relation in either order is that of [`relation`].
//! - The translation that carom returns separates the solids, and its length is at most the upper
//!   bound.
//! - The depth of convex solids lies between the bounds.
//! - Random translations shorter than the lower bound leave every pair overlapping.
//!
//! A pair depends only on its seed.

mod arrangement;
mod body;
mod double;
mod single;

pub use arrangement::{Arrangement, Nudge, Numbers, Pair, solid};
pub use body::Family;

use crate::oracle::rational::exact;
use crate::oracle::tetrahedra::{Relation, Tetrahedra, depth_sq, relation};
use crate::oracle::triangle::to_f64;
use crate::random::Random;
use core::fmt::Write as _;
use glam::DVec3;
use num_rational::BigRational;
use std::collections::BTreeMap;

/// Random translations shorter than the lower bound, of each pair.
const N_TRANSLATIONS: usize = 3;

/// The largest excess of the upper bound of the depth of convex solids, relative to their size.
const EXACT_TO: f64 = 1e-12;

/// Tolerance of the depth of solids that are convex up to rounding, relative to their size.
const ROUNDED_TO: f64 = 1e-8;

/// The triangles of a solid, as input for carom.
struct Mesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

/// The answers of carom.
struct Answer {
    /// The relation of A and B, and that of B and A.
    relations: [Relation; 2],
    overlap: Option<Overlap>,
}

/// Carom's bounds of the depth.
struct Overlap {
    at_least: f64,
    at_most: f64,
    separation: DVec3,
    point: DVec3,
    is_exact: bool,
}

/// Counts of pairs of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// By [`Relation`].
    pub relations: [u64; 3],
    /// Pairs with a wrong answer.
    pub wrong: u64,
}

impl Row {
    /// Returns the number of pairs.
    pub fn pairs(&self) -> u64 {
        self.relations.iter().sum()
    }
}

/// Statistics of the bounds of depths.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Depths {
    /// Pairs.
    pub n: u64,
    /// Pairs whose lower bound is 0.
    pub n_without_lower: u64,
    /// The sum of logarithms of upper over lower bound, of the other pairs.
    pub sum_log_ratio: f64,
    /// The sum of upper bounds, each relative to the diagonal of the intersection of both boxes.
    pub sum_part: f64,
}

impl Depths {
    fn add(&mut self, other: &Depths) {
        self.n += other.n;
        self.n_without_lower += other.n_without_lower;
        self.sum_log_ratio += other.sum_log_ratio;
        self.sum_part += other.sum_part;
    }

    fn line(&self) -> String {
        let n_ratios = (self.n - self.n_without_lower).max(1) as f64;
        format!(
            "{} pairs, {} without a lower bound, upper over lower {:.4}, upper over common box {:.5}",
            self.n,
            self.n_without_lower,
            (self.sum_log_ratio / n_ratios).exp(),
            self.sum_part / self.n.max(1) as f64
        )
    }
}

/// The counts of all pairs.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// By heading and class.
    pub rows: BTreeMap<(u8, String), Row>,
    /// Depths that carom reports as exact.
    pub exact: Depths,
    /// The other depths.
    pub bounded: Depths,
    /// Pairs that are left out, because carom cannot distinguish inside from outside.
    pub ambiguous: u64,
    /// Seeds of pairs with wrong answers, and the faults.
    pub wrong: Vec<(u64, String)>,
}

impl Tally {
    /// Adds the counts of another tally.
    pub fn add(&mut self, other: &Tally) {
        for (key, row) in &other.rows {
            let sum = self.rows.entry(key.clone()).or_default();
            (0..3).for_each(|i| sum.relations[i] += row.relations[i]);
            sum.wrong += row.wrong;
        }
        self.exact.add(&other.exact);
        self.bounded.add(&other.bounded);
        self.ambiguous += other.ambiguous;
        self.wrong.extend(other.wrong.iter().cloned());
        self.wrong.sort();
    }

    /// Returns the counts of all pairs.
    pub fn total(&self) -> Row {
        self.rows.get(&(0, "all".to_owned())).copied().unwrap_or_default()
    }

    /// Returns the table of counts by class.
    pub fn table(&self) -> String {
        const HEADINGS: [&str; 5] = ["", "solid", "place", "numbers", "moved by"];
        let mut out = format!(
            "{:<10} {:<14} {:>8} {:>8} {:>9} {:>12} {:>6}\n",
            "", "class", "pairs", "clear", "touching", "overlapping", "wrong"
        );
        let mut last = 0;
        for ((heading, class), row) in &self.rows {
            let title = if *heading == last { "" } else { HEADINGS[usize::from(*heading)] };
            last = *heading;
            let [clear, touching, overlapping] = row.relations;
            let _ = writeln!(
                out,
                "{title:<10} {class:<14} {:>8} {clear:>8} {touching:>9} {overlapping:>12} {:>6}",
                row.pairs(),
                row.wrong
            );
        }
        let _ = writeln!(out, "exact depths: {}", self.exact.line());
        let _ = writeln!(out, "bounded depths: {}", self.bounded.line());
        out
    }
}

/// Returns the pair of a seed, and its meshes for carom.
fn pair_of(seed: u64) -> (Pair, [Mesh; 2], Random) {
    let mut random = Random::new(seed);
    loop {
        if let Some(pair) = arrangement::pair(&mut random) {
            let meshes = [0, 1].map(|i| mesh(&mut random, &pair.solids[i]));
            return (pair, meshes, random);
        }
    }
}

/// Returns the surface in a random order. In one of four meshes some triangles face inwards, and
/// one of sixteen has a vertex that no triangle uses.
fn mesh(random: &mut Random, solid: &Tetrahedra) -> Mesh {
    let mut triangles = solid.surface();
    for i in 1..triangles.len() {
        triangles.swap(i, random.below(i + 1));
    }
    if random.below(4) == 0 {
        triangles.iter_mut().filter(|_| random.below(3) == 0).for_each(|t| t.swap(1, 2));
    }
    let mut numbers = vec![u32::MAX; solid.vertices.len()];
    let mut vertices = Vec::new();
    if random.below(16) == 0 {
        vertices.push(DVec3::new(-1e5, 3e4, 2e5));
    }
    for v in triangles.iter_mut().flatten() {
        let number = &mut numbers[*v as usize];
        if *number == u32::MAX {
            *number = vertices.len() as u32;
            vertices.push(solid.vertices[*v as usize]);
        }
        *v = *number;
    }
    Mesh { vertices, triangles }
}

/// Judges carom's answers about the pair of a seed.
pub fn judge_pair(seed: u64, tally: &mut Tally) {
    let (pair, meshes, mut random) = pair_of(seed);
    let [a, b] = &pair.solids;
    let [mesh_a, mesh_b] = &meshes;
    let mut answers = vec![(double::queries::answer([mesh_a, mesh_b]), "f64")];
    if pair.is_single {
        answers.push((single::queries::answer([mesh_a, mesh_b]), "f32"));
    }
    if answers.iter().any(|answer| answer.0.is_none()) {
        tally.ambiguous += 1;
        return;
    }
    let truth = relation(a, b, DVec3::ZERO);
    let mut wrong = Vec::new();
    for (answer, precision) in answers {
        let Some(answer) = answer else { continue };
        if answer.relations != [truth; 2] {
            wrong.push(format!("{precision}: {truth:?}, not {:?}", answer.relations));
        }
        match (answer.overlap, truth) {
            (Some(found), Relation::Overlapping) => {
                judge_depth(&pair, &found, &mut random, precision, &mut wrong);
                if precision == "f64" {
                    let depths = if found.is_exact { &mut tally.exact } else { &mut tally.bounded };
                    count_depth(&pair, &found, depths);
                }
            }
            (None, Relation::Overlapping) => wrong.push(format!("{precision}: no depth")),
            (Some(_), _) => wrong.push(format!("{precision}: a depth, but {truth:?}")),
            (None, _) => {}
        }
    }
    let Pair { families, arrangement, numbers, hair, is_single, .. } = &pair;
    let mut classes = vec![(0, "all".to_owned())];
    if *is_single {
        classes.push((0, "f32 too".to_owned()));
    }
    classes.extend(families.iter().map(|family| (1, format!("{family:?}"))));
    classes.dedup();
    classes.push((2, format!("{arrangement:?}")));
    classes.push((3, format!("{numbers:?}")));
    classes.push((4, format!("{hair:?}")));
    for class in classes {
        let row = tally.rows.entry(class).or_default();
        row.relations[truth as usize] += 1;
        row.wrong += u64::from(!wrong.is_empty());
    }
    if !wrong.is_empty() {
        tally.wrong.push((seed, format!("{pair}: {}", wrong.join("; "))));
    }
}

fn square(v: DVec3) -> BigRational {
    v.to_array().map(|x| exact(x) * exact(x)).into_iter().sum()
}

fn judge_depth(pair: &Pair, found: &Overlap, random: &mut Random, precision: &str, wrong: &mut Vec<String>) {
    let [a, b] = &pair.solids;
    let mut complain = |what: String| wrong.push(format!("{precision}: {what}"));
    let &Overlap { at_least, at_most, separation, point, is_exact } = found;
    if !(0.0 <= at_least && at_least <= at_most && separation.is_finite() && point.is_finite()) {
        complain(format!("bounds {at_least} {at_most} {separation}"));
        return;
    }
    let squares = [at_least, at_most].map(|x| exact(x) * exact(x));
    if squares[1] < square(separation) {
        complain(format!("the translation {separation} is longer than {at_most}"));
    }
    if relation(a, b, separation) == Relation::Overlapping {
        complain(format!("the translation {separation} leaves an overlap"));
    }
    // A depth may be twice the largest coordinate, and rounds by its own unit.
    let largest = a.vertices.iter().chain(&b.vertices).fold(0.0_f64, |m, p| m.max(p.abs().max_element()));
    let size = 2.0 * largest;
    let unit = size * if precision == "f32" { f64::from(f32::EPSILON) } else { EXACT_TO };
    if [a, b].iter().any(|solid| unit < solid.distance_of(point)) {
        complain(format!("{point} is not in both"));
    }
    for i in 0..=N_TRANSLATIONS {
        // The direction that separates is tested, too.
        let direction = if i == 0 { separation } else { random.cube_point() }.normalize_or(DVec3::X);
        let by = direction * (at_least * (1.0 - 1e-6 * random.unit().powi(4)));
        if square(by) < squares[0] && relation(a, b, by) != Relation::Overlapping {
            complain(format!("{by} is shorter than {at_least} and parts them"));
        }
    }
    let are_convex = a.is_convex() && b.is_convex();
    if are_convex && !is_exact {
        complain("convex solids, and not exact".to_owned());
    }
    if is_exact {
        // If faces are flat up to rounding, the solids are nearly convex, and the depth is that of
        // the hulls.
        let depth = depth_sq(a, b);
        if depth < squares[0] {
            complain(format!("at least {at_least}, but the hulls are less deep"));
        }
        let slack = if are_convex { unit } else { unit.max(size * ROUNDED_TO) };
        let above = exact(at_least + slack);
        let below = exact((at_most - slack).max(0.0));
        if are_convex && squares[1] < depth {
            complain(format!("at most {at_most}, but they are deeper"));
        }
        if &above * &above < depth || depth < &below * &below {
            complain(format!("bounds {at_least} {at_most}, but depth {}", to_f64(&depth).sqrt()));
        }
    }
}

fn count_depth(pair: &Pair, found: &Overlap, depths: &mut Depths) {
    let ends = pair.solids.each_ref().map(|solid| {
        let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        solid.vertices.iter().fold(start, |(low, high), p| (low.min(*p), high.max(*p)))
    });
    let [(low_a, high_a), (low_b, high_b)] = ends;
    let common = (high_a.min(high_b) - low_a.max(low_b)).length();
    depths.n += 1;
    depths.sum_part += found.at_most / common;
    if 0.0 < found.at_least {
        depths.sum_log_ratio += (found.at_most / found.at_least).ln();
    } else {
        depths.n_without_lower += 1;
    }
}

/// Returns the fault of the pair of a seed, if there is one, and a description with its corners.
pub fn replay(seed: u64) -> (Option<String>, String) {
    let (pair, meshes, _) = pair_of(seed);
    let mut log = format!("{pair}\n");
    for Mesh { vertices, triangles } in &meshes {
        let _ = writeln!(log, "vertices {vertices:?}\ntriangles {triangles:?}");
    }
    if let Some(Overlap { at_least, at_most, separation, point, is_exact }) =
        double::queries::answer(meshes.each_ref()).and_then(|answer| answer.overlap)
    {
        let _ = writeln!(log, "{at_least} {at_most} {separation} {point} {is_exact}");
    }
    let mut tally = Tally::default();
    judge_pair(seed, &mut tally);
    (tally.wrong.pop().map(|(_, wrong)| wrong), log)
}
