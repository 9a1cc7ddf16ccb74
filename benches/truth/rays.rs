//! Rays against closed meshes in world space, under random poses, in both precisions. They aim at
//! every edge and every corner of the meshes of the real data, from inside and outside.
//!
//! - For each ray: it hits from inside; the crossings ahead match the known winding number of the
//!   origin; the first hit and all hits agree; the origin is classified correctly.
//! - For one ray in four: the segment to a point outside has the right crossings.
//! - For one ray in a thousand: the tree gives the same as all triangles.

mod double;
mod single;

use crate::{Options, work};
use carom_geom::ray_mesh::{self, HalfLine};
use carom_geom::tri_distance;
use carom_testkit::random::Random;
use carom_testkit::{data, meshes};
use glam::DVec3;
use std::time::Instant;

/// The number of rays in one chunk of the work, all against one mesh.
const CHUNK: u64 = 1 << 12;
/// One ray in this many is compared with all triangles.
const BRUTE: u64 = 1 << 10;
/// The number of interior points of each mesh.
const N_INSIDE: usize = 24;
const MAX_PRINTED: usize = 20;

/// A mesh that bounds a solid, with interior points. No rounding of a pose moves these to its
/// surface.
struct Closed {
    name: String,
    corners: Vec<[DVec3; 3]>,
    vertices: Vec<DVec3>,
    edges: Vec<[u32; 2]>,
    center: DVec3,
    radius: f64,
    /// Interior points with their winding numbers.
    inside: Vec<(DVec3, i32)>,
}

#[derive(Clone, Copy, Default)]
struct Count {
    from_inside: u64,
    from_outside: u64,
    at_corners: u64,
    brute: u64,
    escapes: u64,
    wrong: u64,
}

impl Count {
    fn add(&mut self, other: &Count) {
        self.from_inside += other.from_inside;
        self.from_outside += other.from_outside;
        self.at_corners += other.at_corners;
        self.brute += other.brute;
        self.escapes += other.escapes;
        self.wrong += other.wrong;
    }
}

#[derive(Default)]
struct Tally {
    /// By precision and mesh.
    counts: [Vec<Count>; 2],
    failures: Vec<String>,
}

/// Runs all rays. Returns whether no ray escaped and every number was right.
pub(crate) fn run(options: &Options) -> bool {
    let start = Instant::now();
    let (singles, doubles) = (single::bodies(), double::bodies());
    if singles.is_empty() || doubles.is_empty() {
        return true;
    }
    println!(
        "{} meshes in f32, {} in f64, after {:.1} s",
        singles.len(),
        doubles.len(),
        start.elapsed().as_secs_f64()
    );
    let n_chunks = options.count.unwrap_or(200_000).div_ceil(CHUNK).max(1);
    let tallies = work::in_chunks(n_chunks, options, |chunk, tally: &mut Tally| {
        tally.counts[0].resize(singles.len(), Count::default());
        tally.counts[1].resize(doubles.len(), Count::default());
        let mut random = Random::new(options.seed.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ chunk << 20);
        let index = (chunk / 2) as usize;
        if chunk % 2 == 0 {
            let mesh = index % singles.len();
            // Each chunk of a mesh continues where the one before ended.
            let first = (index / singles.len()) as u64 * CHUNK;
            single::run(&singles[mesh], first, &mut random, &mut tally.counts[0][mesh], &mut tally.failures);
        } else {
            let mesh = index % doubles.len();
            let first = (index / doubles.len()) as u64 * CHUNK;
            double::run(&doubles[mesh], first, &mut random, &mut tally.counts[1][mesh], &mut tally.failures);
        }
    });
    println!(
        "{:26} {:>9} {:>9} {:>9} {:>10} {:>7} {:>8} {:>6}",
        "", "targets", "inside", "outside", "at corners", "brute", "escapes", "wrong"
    );
    let mut sum = Count::default();
    let names = |precision: usize| -> Vec<(String, usize)> {
        let list: Vec<&Closed> = if precision == 0 {
            singles.iter().map(|body| &body.closed).collect()
        } else {
            doubles.iter().map(|body| &body.closed).collect()
        };
        list.iter().map(|closed| (closed.name.clone(), closed.edges.len() + closed.vertices.len())).collect()
    };
    for (precision, label) in ["f32", "f64"].into_iter().enumerate() {
        for (mesh, (name, n_targets)) in names(precision).into_iter().enumerate() {
            let mut count = Count::default();
            tallies.iter().filter_map(|tally| tally.counts[precision].get(mesh)).for_each(|c| count.add(c));
            line(&format!("{name} {label}"), n_targets, &count);
            sum.add(&count);
        }
    }
    line("all", 0, &sum);
    for failure in tallies.iter().flat_map(|tally| &tally.failures).take(MAX_PRINTED) {
        println!("{failure}");
    }
    let n_rays = sum.from_inside + sum.from_outside;
    println!(
        "{n_rays} rays, {} escapes, {} wrong, {:.1} s, seed {}",
        sum.escapes,
        sum.wrong,
        start.elapsed().as_secs_f64(),
        options.seed
    );
    sum.escapes == 0 && sum.wrong == 0 && n_rays == n_chunks * CHUNK
}

fn line(name: &str, n_targets: usize, count: &Count) {
    println!(
        "{name:26} {n_targets:>9} {:>9} {:>9} {:>10} {:>7} {:>8} {:>6}",
        count.from_inside, count.from_outside, count.at_corners, count.brute, count.escapes, count.wrong
    );
}

/// Returns the meshes of the real data with their names.
fn files() -> Vec<(String, meshes::MeshData)> {
    let Some(folder) = data::find("meshes") else { return Vec::new() };
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let named = |path: &std::path::PathBuf| {
        Some((path.file_stem()?.to_string_lossy().into_owned(), meshes::read(path)?))
    };
    paths.iter().filter_map(named).collect()
}

impl Closed {
    /// Prepares a mesh; `None` if no point lies well inside.
    fn new(
        name: String,
        corners: Vec<[DVec3; 3]>,
        vertices: Vec<DVec3>,
        indices: &[[u32; 3]],
    ) -> Option<Closed> {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for p in corners.iter().flatten() {
            (low, high) = (low.min(*p), high.max(*p));
        }
        let mut edges: Vec<[u32; 2]> = indices
            .iter()
            .flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]])
            .map(|[from, to]| [from.min(to), from.max(to)])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let (center, radius) = (low * 0.5 + high * 0.5, (high * 0.5 - low * 0.5).length());
        let mut random = Random::new(7);
        let mut inside = Vec::new();
        for round in 0..4000 {
            let p = if round % 2 == 0 {
                center + random.cube_point() * (high * 0.5 - low * 0.5)
            } else {
                // Behind a triangle.
                let [a, b, c] = corners[random.below(corners.len())];
                let middle = (a + b + c) / 3.0;
                let normal = (b - a).cross(c - a).normalize_or_zero();
                middle - normal * (radius * 0.5_f64.powi(1 + random.below(9) as i32))
            };
            let winding: Option<i32> = corners
                .iter()
                .map(|t| match ray_mesh::half_line(p, t) {
                    HalfLine::Crosses { is_back_face } => Some(if is_back_face { 1 } else { -1 }),
                    HalfLine::StartsIn => None,
                    HalfLine::Misses => Some(0),
                })
                .sum();
            let Some(winding) = winding.filter(|&n| n != 0) else { continue };
            let is_clear =
                corners.iter().all(|t| 2e-4 * radius < tri_distance::point_triangle(p, t).distance);
            if is_clear {
                inside.push((p, winding));
            }
            if inside.len() == N_INSIDE {
                break;
            }
        }
        (!inside.is_empty()).then_some(Closed { name, corners, vertices, edges, center, radius, inside })
    }

    /// Returns a point outside of the ball around the mesh.
    fn outside(&self, random: &mut Random) -> DVec3 {
        loop {
            let p = random.cube_point() * 4.0;
            if 1.5 < p.length() {
                return self.center + p * self.radius;
            }
        }
    }

    /// Returns a target, and whether it is a corner: the edges in order, at a random point of each,
    /// then the corners.
    fn target(&self, number: u64, random: &mut Random) -> (DVec3, bool) {
        let number = (number % (self.edges.len() + self.vertices.len()) as u64) as usize;
        match self.edges.get(number) {
            Some(&[from, to]) => {
                let (from, to) = (self.vertices[from as usize], self.vertices[to as usize]);
                (from + (to - from) * random.unit(), false)
            }
            None => (self.vertices[number - self.edges.len()], true),
        }
    }
}
