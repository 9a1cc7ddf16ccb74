//! Points inside solids against the hulls of their decomposition: every point is in the hull of
//! its cell.
//!
//! - Generated solids are tetrahedra, so a point is inside if it is strictly inside one of them.
//! - For a real mesh, each triangle that a line along x crosses is found. A point of the line is
//!   inside if the signs of the crossings ahead do not add up to 0.
//! - Half of the points have coordinates of cell sides, which are the planes of the cuts.
//! - A hull contains a point if the point is on or below every face. Every sign is exact.

use crate::Options;
use crate::work::in_chunks;
use carom_benches::thread_ns;
use carom_geom::{ConvexHull, TriMesh};
use carom_math::predicates::{orient2d_along, orient3d};
use carom_simplify::{DecomposeSettings, Decomposition, decompose};
use carom_testkit::oracle::tetrahedra::Tetrahedra;
use carom_testkit::random::Random;
use carom_testkit::{data, meshes, solids};
use glam::DVec3;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The number of generated solids.
const N_SOLIDS: u64 = 1000;

/// The number of points that are tried on one line through a real mesh.
const POINTS_OF_LINE: u64 = 256;

/// The maximum number of vertices of a hull; such a hull has at most 32 triangles.
const MAX_VERTICES: usize = 18;

/// The number of tries for each point. Solids that are thin in their box have few points.
const MAX_TRIES: u64 = 64;

/// The counts of one mesh, or of the solids of one family.
#[derive(Clone, Copy, Default)]
struct Row {
    solids: u64,
    triangles: u64,
    hulls: u64,
    /// The time of one thread for the decomposition, in seconds.
    cut_s: f64,
    /// The time of one thread for the points, in seconds.
    points_s: f64,
    inside: u64,
    /// The number of points inside with a coordinate of a cell side.
    on_cuts: u64,
    left_out: u64,
}

#[derive(Default)]
struct Tally {
    rows: BTreeMap<(bool, String), Row>,
    wrong: Vec<String>,
}

/// Runs all points. Returns whether no point inside was left out.
pub(crate) fn run(options: &Options) -> bool {
    let real = closed_meshes();
    let n_real = real.len() as u64;
    let n_points = options.count.unwrap_or(10_000_000);
    // Half of the points are in real meshes, if there are any.
    let of_mesh = if n_real == 0 { 0 } else { (n_points / 2).div_ceil(n_real) };
    let of_solid = n_points.saturating_sub(of_mesh * n_real).div_ceil(N_SOLIDS);
    let tallies = in_chunks(n_real + N_SOLIDS, options, |chunk, tally: &mut Tally| {
        let seed = options.seed << 40 ^ chunk;
        match real.get(chunk as usize) {
            Some((name, mesh)) => in_mesh(name, mesh, seed, of_mesh, tally),
            None => in_solid(seed, of_solid, tally),
        }
    });
    let (mut rows, mut all) = (BTreeMap::<_, Row>::new(), Row::default());
    for (key, row) in tallies.iter().flat_map(|tally| &tally.rows) {
        add(rows.entry(key).or_default(), row);
        add(&mut all, row);
    }
    println!(
        "{:<28} {:>6} {:>9} {:>6} {:>8} {:>8} {:>9} {:>9} {:>8}",
        "", "solids", "triangles", "hulls", "cut s", "points s", "inside", "on cuts", "left out"
    );
    rows.iter().for_each(|((_, name), row)| print(name, row));
    print("all", &all);
    for wrong in tallies.iter().flat_map(|tally| &tally.wrong).take(20) {
        println!("  {wrong}");
    }
    all.left_out == 0 && 0 < all.inside && tallies.iter().all(|tally| tally.wrong.is_empty())
}

fn add(sum: &mut Row, row: &Row) {
    sum.solids += row.solids;
    sum.triangles += row.triangles;
    sum.hulls += row.hulls;
    sum.cut_s += row.cut_s;
    sum.points_s += row.points_s;
    sum.inside += row.inside;
    sum.on_cuts += row.on_cuts;
    sum.left_out += row.left_out;
}

fn print(name: &str, row: &Row) {
    let Row { solids, triangles, hulls, cut_s, points_s, inside, on_cuts, left_out } = row;
    println!(
        "{name:<28} {solids:>6} {triangles:>9} {hulls:>6} {cut_s:>8.3} {points_s:>8.3} {inside:>9} {on_cuts:>9} {left_out:>8}"
    );
}

/// Returns the names and meshes of the real data that enclose a solid.
fn closed_meshes() -> Vec<(String, TriMesh)> {
    let folders = ["meshes", "reports"].into_iter().filter_map(data::find);
    let mut files: Vec<PathBuf> = folders
        .flat_map(|folder| {
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
        })
        .filter(|file| file.extension().is_some_and(|e| e == "obj" || e == "ply"))
        .collect();
    files.sort();
    let closed = files.iter().filter_map(|file| {
        let read = meshes::read(file)?;
        let vertices = read.vertices.iter().map(|p| p.as_vec3()).collect();
        let (mesh, _) = TriMesh::new(vertices, read.indices).ok()?.oriented();
        let name = file.file_stem()?.to_string_lossy().into_owned();
        mesh.is_solid().then_some((name, mesh))
    });
    closed.collect()
}

/// A decomposition, and the counts of points inside.
struct Covered {
    found: Decomposition,
    row: Row,
    /// CPU time of the thread after the decomposition, in nanoseconds.
    start: f64,
}

impl Covered {
    /// Decomposes a mesh; `None` if it is not closed.
    fn new(mesh: &TriMesh, settings: &DecomposeSettings) -> Result<Option<Covered>, String> {
        let start = thread_ns();
        let found = decompose(mesh, settings).map_err(|e| e.to_string())?;
        let end = thread_ns();
        let (triangles, hulls) = (mesh.n_triangles() as u64, found.hulls.len() as u64);
        let row = Row { solids: 1, triangles, hulls, cut_s: (end - start) * 1e-9, ..Row::default() };
        Ok(found.is_solid.then_some(Covered { found, row, start: end }))
    }

    /// Returns a coordinate of a side of a random cell.
    fn side(&self, random: &mut Random, axis: usize) -> f64 {
        let cell = &self.found.cells[random.below(self.found.cells.len())];
        f64::from(if random.below(2) == 0 { cell.min[axis] } else { cell.max[axis] })
    }

    /// Counts a point inside. Returns it if it is left out.
    fn count(&mut self, p: DVec3, is_on_cut: bool) -> Option<DVec3> {
        self.row.inside += 1;
        self.row.on_cuts += u64::from(is_on_cut);
        let is_in_cell = |min: DVec3, max: DVec3| min.cmple(p).all() && p.cmple(max).all();
        let cells = self.found.cells.iter();
        let mut cells = cells.filter(|cell| is_in_cell(cell.min.as_dvec3(), cell.max.as_dvec3()));
        if cells.any(|cell| contains(&self.found.hulls[cell.hull], p)) {
            return None;
        }
        self.row.left_out += 1;
        Some(p)
    }

    /// Adds the counts to a tally.
    fn finish(mut self, key: (bool, String), wrong: Option<String>, tally: &mut Tally) {
        self.row.points_s = (thread_ns() - self.start) * 1e-9;
        add(tally.rows.entry(key).or_default(), &self.row);
        tally.wrong.extend(wrong);
    }
}

/// Whether the point is on or below every face.
fn contains(hull: &ConvexHull, p: DVec3) -> bool {
    let position_of = |v: u32| hull.vertices()[v as usize].as_dvec3();
    (0..hull.n_faces() as u32).all(|face| {
        let ring = hull.face_vertices(face);
        (2..ring.len())
            .all(|i| 0.0 <= orient3d(position_of(ring[0]), position_of(ring[i - 1]), position_of(ring[i]), p))
    })
}

fn in_solid(seed: u64, n_points: u64, tally: &mut Tally) {
    let (family, solid) = solids::solid(seed);
    let mut random = Random::new(!seed);
    let vertices = solid.vertices.iter().map(|p| p.as_vec3()).collect();
    let Ok(mesh) = TriMesh::new(vertices, solid.surface()) else { return };
    let settings = DecomposeSettings::default()
        .with_max_hulls([1, 3, 8, 16, 32][random.below(5)])
        .with_concavity([0.0, 0.02, 0.1][random.below(3)])
        .with_max_vertices([8, 16, 64][random.below(3)]);
    let key = (true, format!("generated {family:?}"));
    let mut covered = match Covered::new(&mesh, &settings) {
        Ok(Some(covered)) => covered,
        Ok(None) => return,
        Err(error) => {
            tally.wrong.push(format!("{seed}: {error}"));
            return;
        }
    };
    let mut wrong = None;
    for n in 0..n_points * MAX_TRIES {
        if covered.row.inside == n_points {
            break;
        }
        let cell = solid.cells[random.below(solid.cells.len())].map(|v| solid.vertices[v as usize]);
        let mut weights = [0; 4].map(|_| -random.unit().max(f64::MIN_POSITIVE).ln());
        // Near a face, an edge or a corner.
        if random.below(3) == 0 {
            weights[random.below(4)] *= 0.5_f64.powi(random.below(40) as i32);
        }
        let sum: f64 = weights.iter().sum();
        let mut p = (0..4).map(|i| cell[i] * (weights[i] / sum)).sum::<DVec3>();
        let is_on_cut = n % 2 == 0;
        if is_on_cut {
            let n_axes = 1 + random.below(3);
            let first = random.below(3);
            for axis in (first..first + n_axes).map(|k| k % 3) {
                p[axis] = covered.side(&mut random, axis);
            }
        }
        if is_strictly_in(&solid, p)
            && let Some(p) = covered.count(p, is_on_cut)
        {
            wrong.get_or_insert_with(|| format!("{seed}: {family:?} {settings:?}: {p} is left out"));
        }
    }
    covered.finish(key, wrong, tally);
}

/// Whether the point is strictly inside one of the tetrahedra.
fn is_strictly_in(solid: &Tetrahedra, p: DVec3) -> bool {
    solid.cells.iter().any(|cell| {
        let [a, b, c, d] = cell.map(|v| solid.vertices[v as usize]);
        [[a, b, c], [a, d, b], [b, d, c], [c, d, a]].iter().all(|[a, b, c]| 0.0 < orient3d(*a, *b, *c, p))
    })
}

/// Tests points inside of a mesh that encloses a solid.
fn in_mesh(name: &str, mesh: &TriMesh, seed: u64, n_points: u64, tally: &mut Tally) {
    let mut random = Random::new(seed);
    let settings = DecomposeSettings::default().with_max_vertices(MAX_VERTICES);
    let mut covered = match Covered::new(mesh, &settings) {
        Ok(Some(covered)) => covered,
        Ok(None) => {
            tally.wrong.push(format!("{name}: not taken for a solid"));
            return;
        }
        Err(error) => {
            tally.wrong.push(format!("{name}: {error}"));
            return;
        }
    };
    let corners: Vec<[DVec3; 3]> = mesh.iter_corners().collect();
    let (low, high) = mesh.wide_bounds();
    let mut wrong = None;
    for n in 0..(n_points * MAX_TRIES).div_ceil(POINTS_OF_LINE) {
        if n_points <= covered.row.inside {
            break;
        }
        let mut at = DVec3::ZERO;
        // Through the corner of a cell, near a vertex, or anywhere.
        let is_on_cut = n % 2 == 0;
        for axis in [1, 2] {
            at[axis] = match random.below(3) {
                0 if is_on_cut => covered.side(&mut random, axis),
                1 => corners[random.below(corners.len())][0][axis],
                _ => random.range(low[axis], high[axis]),
            };
        }
        let Some(crossed) = crossed(&corners, at) else { continue };
        if crossed.is_empty() {
            continue;
        }
        for _ in 0..POINTS_OF_LINE {
            let is_on_side = random.below(2) == 0;
            let mut p = at;
            p.x = if is_on_side { covered.side(&mut random, 0) } else { random.range(low.x, high.x) };
            if winding(&crossed, p).is_some_and(|winding| winding != 0)
                && let Some(p) = covered.count(p, is_on_side)
            {
                wrong.get_or_insert_with(|| format!("{name}: {p} is left out"));
            }
        }
    }
    covered.finish((false, name.to_owned()), wrong, tally);
}

/// A triangle, and whether it faces along x.
type Crossed = ([DVec3; 3], bool);

/// Returns the triangles that a line along x crosses; `None` if it meets an edge.
fn crossed(corners: &[[DVec3; 3]], at: DVec3) -> Option<Vec<Crossed>> {
    let mut crossed = Vec::new();
    for t in corners {
        let is_beside = |k: usize| t.iter().all(|p| p[k] < at[k]) || t.iter().all(|p| at[k] < p[k]);
        if is_beside(1) || is_beside(2) {
            continue;
        }
        let sides = [0, 1, 2].map(|i| orient2d_along(0, t[i], t[(i + 1) % 3], at));
        if sides.iter().all(|side| 0.0 < *side) {
            crossed.push((*t, true));
        } else if sides.iter().all(|side| *side < 0.0) {
            crossed.push((*t, false));
        } else if sides.iter().all(|side| 0.0 <= *side) || sides.iter().all(|side| *side <= 0.0) {
            return None;
        }
    }
    Some(crossed)
}

/// Returns the winding number of the surface around a point of the line; `None` on the surface.
fn winding(crossed: &[Crossed], p: DVec3) -> Option<i32> {
    let mut winding = 0;
    for ([a, b, c], is_leaving) in crossed {
        // Positive behind the triangle.
        let side = orient3d(*a, *b, *c, p);
        if side == 0.0 {
            return None;
        }
        winding += match (is_leaving, 0.0 < side) {
            (true, true) => 1,
            (false, false) => -1,
            _ => 0,
        };
    }
    Some(winding)
}
