//! The same queries to carom in `f32` and to its `f64` twin: differences of decisions, and of
//! numbers.
//!
//! Every number of a query is an `f32`, so both get the same input. Decisions made in `f64` must be
//! equal, and the numbers must differ by at most one rounding. If a twin rounds on the way, as for
//! a ray in the frame of a shape, decisions may differ within that rounding.

mod double;
mod single;

use super::rounding;
use crate::random::Random;
use glam::{DQuat, DVec3};
use std::collections::BTreeMap;

/// A query: the family, and the shape.
pub type Family = (&'static str, &'static str);

/// The answer of a twin.
pub(super) struct Answer {
    family: Family,
    /// A decision or a count, which must be equal.
    decision: i64,
    /// Numbers, each with the unit of its difference.
    values: Vec<(f64, f64)>,
}

/// The kinds of shapes. A shape is about as large as its half extents.
pub(super) const SHAPES: [&str; 10] = [
    "sphere",
    "capsule",
    "tapered capsule",
    "cuboid",
    "cylinder",
    "cone",
    "ellipsoid",
    "hull",
    "rounded cuboid",
    "mesh",
];

/// A shape and its pose.
pub(super) struct Body {
    kind: usize,
    half: DVec3,
    /// Corners of a hull or a mesh.
    points: Vec<DVec3>,
    rotation: DQuat,
    translation: DVec3,
}

impl Body {
    /// Returns an upper bound of half the diagonal of a box around it.
    fn size(&self) -> f64 {
        self.points.iter().fold(2.0 * self.half.length(), |m, p| m.max(p.length()))
    }
}

/// The input of the queries to both twins. Every number is an `f32`.
pub(super) struct Case {
    a: Body,
    b: Body,
    triangles: [[DVec3; 3]; 2],
    point: DVec3,
    origin: DVec3,
    direction: DVec3,
}

fn single(v: DVec3) -> DVec3 {
    v.as_vec3().as_dvec3()
}

fn body(random: &mut Random) -> Body {
    let half = single(rounding::half_extents(random));
    let kind = random.below(SHAPES.len());
    let n_points = 4 + random.below(12);
    let points = match SHAPES[kind] {
        "hull" | "mesh" => (0..n_points).map(|_| single(random.cube_point() * half)).collect(),
        _ => Vec::new(),
    };
    let rotation = rounding::turn(random).as_quat().as_dquat();
    Body { kind, half, points, rotation, translation: DVec3::ZERO }
}

/// Returns a case in whole numbers: bodies touch, rays graze, points lie on surfaces.
fn case_in_whole_numbers(random: &mut Random) -> Case {
    let whole = |random: &mut Random, n: usize| random.grid_point(2 * n) - n as f64;
    let body = |random: &mut Random| {
        let kind = random.below(SHAPES.len());
        let n_points = if matches!(SHAPES[kind], "hull" | "mesh") { 4 + random.below(12) } else { 0 };
        let turns =
            [DQuat::IDENTITY, DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0), DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5)];
        let points = (0..n_points).map(|_| whole(random, 2)).collect();
        let half = random.grid_point(2) + 1.0;
        Body { kind, half, points, rotation: turns[random.below(3)], translation: whole(random, 5) }
    };
    let (a, b) = (body(random), body(random));
    let triangles = [0; 2].map(|_| [0; 3].map(|_| whole(random, 2)));
    let direction = loop {
        let direction = whole(random, 2);
        if direction != DVec3::ZERO {
            break direction;
        }
    };
    Case { a, b, triangles, point: whole(random, 3), origin: whole(random, 3) - direction * 4.0, direction }
}

fn case(random: &mut Random) -> Case {
    if random.below(3) == 0 {
        return case_in_whole_numbers(random);
    }
    let (mut a, mut b) = (body(random), body(random));
    let size = a.size() + b.size();
    let away = if random.below(4) == 0 { 1e5 * random.unit() } else { 1.0 };
    a.translation = single(random.cube_point() * size * away);
    b.translation = single(a.translation + random.cube_point() * size);
    let triangles = [0; 2].map(|_| [0; 3].map(|_| single(random.cube_point() * size)));
    let point = single(random.cube_point() * 2.0 * a.size());
    let direction = single(rounding::direction(random) * rounding::size(random));
    let ahead = random.range(0.0, 10.0) * a.size() / direction.length();
    let origin = single(random.cube_point() * a.size() - direction * ahead);
    Case { a, b, triangles, point, origin, direction }
}

/// The differences in one family.
#[derive(Clone, Copy, Debug, Default)]
pub struct Difference {
    /// Queries.
    pub n_cases: u64,
    /// Queries with different decisions.
    pub n_decisions: u64,
    /// The largest difference of numbers, in units of `f32::EPSILON` times the size.
    pub most: f64,
}

/// The differences of all families.
#[derive(Clone, Debug, Default)]
pub struct Differences(pub BTreeMap<Family, Difference>);

impl Differences {
    /// Sends `n_cases` random cases to both twins, and counts the differences.
    pub fn compare(&mut self, random: &mut Random, n_cases: u64) {
        for _ in 0..n_cases {
            let case = case(random);
            let (short, long) = (single::queries::answers(&case), double::queries::answers(&case));
            for (s, l) in short.iter().zip(&long) {
                let row = self.0.entry(s.family).or_default();
                row.n_cases += 1;
                if s.decision != l.decision || s.values.len() != l.values.len() || s.family != l.family {
                    row.n_decisions += 1;
                    continue;
                }
                for ((x, _), (y, unit)) in s.values.iter().zip(&l.values) {
                    // Equal infinities are equal.
                    let off = if x == y { 0.0 } else { (x - y).abs() / (unit * f64::from(f32::EPSILON)) };
                    row.most = row.most.max(if off.is_nan() { f64::INFINITY } else { off });
                }
            }
        }
    }

    /// Adds the differences of another.
    pub fn add(&mut self, other: &Differences) {
        for (family, difference) in &other.0 {
            let row = self.0.entry(*family).or_default();
            row.n_cases += difference.n_cases;
            row.n_decisions += difference.n_decisions;
            row.most = row.most.max(difference.most);
        }
    }
}
