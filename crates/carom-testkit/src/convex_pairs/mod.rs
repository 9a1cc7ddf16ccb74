//! Random pairs of convex shapes, mostly degenerate ones. All of carom's queries for their distance
//! or depth, in both precisions, are judged by [`certificate`].
//!
//! Shapes are hulls of 4 to 512 vertices and every other convex shape. Sizes are from 1e-4 to 1e4,
//! with needles and plates, and distances up to 1e5. Pairs are anywhere, far away, concentric,
//! touching along any direction, or face to face in a rotated frame. Gaps go down to zero. Queries
//! and judge get the input as the precision stores it.
//!
//! `cargo xtask truth convex` tests millions of pairs, a test of carom-query a few thousand.

mod double;
mod single;

use crate::oracle::certificate::{self, Proof};
use crate::oracle::solid::{Difference, Solid};
use crate::random::Random;
use crate::tolerances::rounding;
use carom_gjk::Outcome;
use carom_math::WidePose;
use glam::{DMat3, DQuat, DVec3};
use std::collections::BTreeMap;

/// The shapes.
const KINDS: [&str; 13] = [
    "hull",
    "hull",
    "hull",
    "cuboid",
    "sphere",
    "capsule",
    "tapered capsule",
    "cylinder",
    "cone",
    "ellipsoid",
    "rounded cuboid",
    "triangle",
    "segment",
];

/// The description of a shape, in numbers of `f32`.
#[derive(Clone, Debug)]
struct Spec {
    kind: usize,
    half: DVec3,
    points: Vec<DVec3>,
}

/// A shape in one precision.
struct BuiltShape<S> {
    /// `None` if carom-query has no such shape.
    shape: Option<S>,
    map: Box<dyn carom_geom::SupportMap>,
    /// The solid for the judge.
    solid: Solid,
    /// The outward normals of flat faces, for placing shapes face to face.
    normals: Vec<DVec3>,
}

/// The pose of a shape.
#[derive(Clone, Copy, Debug)]
struct RelativePose {
    rotation: DQuat,
    translation: DVec3,
}

/// The statement of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Statement {
    /// The distance or minus the depth.
    Signed(f64),
    /// The distance, 0 if they meet.
    Distance(f64),
    /// Whether they share a point.
    Meets(bool),
    /// Minus the depth, or a lower bound of the distance, at least 0.
    Separation(f64),
}

/// One answer, in the frame of A or in the world.
#[derive(Clone, Debug, PartialEq)]
struct Answer {
    question: &'static str,
    says: Statement,
    outcome: Outcome,
    /// The lower and upper bound of the signed distance.
    bounds: [f64; 2],
    /// In the frame of A, from A to B.
    normal: Option<DVec3>,
    points: Option<[DVec3; 2]>,
    /// The allowed error, relative to the size.
    tolerance: f64,
}

impl Answer {
    fn new(question: &'static str, says: Statement, tolerance: f64) -> Answer {
        Answer {
            question,
            says,
            outcome: Outcome::Exact,
            bounds: [f64::NEG_INFINITY, f64::INFINITY],
            normal: None,
            points: None,
            tolerance,
        }
    }

    /// Returns the answer with all lengths times a power of two. Coordinates of points without a
    /// normal number of `f32` become 0.
    fn scaled(&self, s: f64) -> Answer {
        let above = |x: f64| if (x * s).abs() < f64::from(f32::MIN_POSITIVE) { 0.0 } else { x * s };
        Answer {
            says: match self.says {
                Statement::Signed(d) => Statement::Signed(d * s),
                Statement::Distance(d) => Statement::Distance(d * s),
                Statement::Separation(d) => Statement::Separation(d * s),
                Statement::Meets(meets) => Statement::Meets(meets),
            },
            outcome: match self.outcome {
                Outcome::Within(off) => Outcome::Within(off * s),
                other => other,
            },
            bounds: self.bounds.map(|b| b * s),
            points: self.points.map(|points| points.map(|p| DVec3::from_array(p.to_array().map(above)))),
            ..*self
        }
    }
}

/// The counts of one query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// Answers.
    pub n: u64,
    /// The number of answers for bodies proved to be apart by more than rounding.
    pub n_apart: u64,
    /// The number for bodies proved to overlap by more than rounding.
    pub n_together: u64,
    /// The number of answers for which the proof is less exact than the tolerance.
    pub n_loose: u64,
    /// [`Outcome::Undecided`].
    pub n_undecided: u64,
    /// [`Outcome::Within`].
    pub n_within: u64,
    /// The number of answers that report meeting for bodies apart, or the reverse.
    pub n_wrong_signs: u64,
    /// The number of wrong answers beyond the tolerance: a wrong value or bound, or a normal that
    /// does not separate or points elsewhere.
    pub n_wrong: u64,
    /// The largest error of the distance or the depth, beyond the answer's own bound, relative to
    /// the size.
    pub worst: f64,
    /// The largest shortfall of the separation along the normal, relative to the size.
    pub worst_normal: f64,
    /// The largest gap that is reported as touching, relative to the size.
    pub touching: f64,
    /// The largest error bound that an answer stated, relative to the size.
    pub widest: f64,
}

impl Row {
    fn add(&mut self, other: &Row) {
        self.n += other.n;
        self.n_apart += other.n_apart;
        self.n_together += other.n_together;
        self.n_loose += other.n_loose;
        self.n_undecided += other.n_undecided;
        self.n_within += other.n_within;
        self.n_wrong_signs += other.n_wrong_signs;
        self.n_wrong += other.n_wrong;
        self.worst = self.worst.max(other.worst);
        self.worst_normal = self.worst_normal.max(other.worst_normal);
        self.touching = self.touching.max(other.touching);
        self.widest = self.widest.max(other.widest);
    }
}

/// The counts of all queries.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// By query, and by the class of the two shapes.
    pub rows: BTreeMap<(&'static str, &'static str), Row>,
    /// The number of pairs in `f32` and in `f64`.
    pub n_pairs: [u64; 2],
    /// The number of pairs by kind of placement.
    pub n_placed: BTreeMap<&'static str, u64>,
    /// The number of queries that were repeated with all lengths times a power of two.
    pub n_scaled: u64,
    /// The number of those whose answers had other bits.
    pub n_other_bits: u64,
    /// The first wrong answers, with all details.
    pub wrong_samples: Vec<String>,
    /// The first undecided answers.
    pub undecided_samples: Vec<String>,
}

const MAX_PRINTED: usize = 20;

/// The class of pairs that are not both polytopes.
const ROUND: &str = "round";

impl Tally {
    /// Adds the counts of another tally.
    pub fn add(&mut self, other: &Tally) {
        for (key, row) in &other.rows {
            self.rows.entry(*key).or_default().add(row);
        }
        for (key, n) in &other.n_placed {
            *self.n_placed.entry(key).or_default() += n;
        }
        for (sum, n) in self.n_pairs.iter_mut().zip(other.n_pairs) {
            *sum += n;
        }
        self.n_scaled += other.n_scaled;
        self.n_other_bits += other.n_other_bits;
        for (samples, more) in [
            (&mut self.wrong_samples, &other.wrong_samples),
            (&mut self.undecided_samples, &other.undecided_samples),
        ] {
            let room = MAX_PRINTED.saturating_sub(samples.len());
            samples.extend(more.iter().take(room).cloned());
        }
    }

    /// Returns the sum of all rows.
    pub fn all(&self) -> Row {
        let mut sum = Row::default();
        self.rows.values().for_each(|row| sum.add(row));
        sum
    }

    /// Tests about `n_pairs` pairs in one precision, and counts the answers.
    pub fn test_pairs(&mut self, random: &mut Random, n_pairs: u64, is_single: bool) {
        let before = self.n_pairs[usize::from(!is_single)];
        while self.n_pairs[usize::from(!is_single)] - before < n_pairs {
            if is_single {
                single::queries::test_pair(self, random);
            } else {
                double::queries::test_pair(self, random);
            }
        }
    }

    fn record(&mut self, what: &str, context: impl Fn() -> String) {
        if self.wrong_samples.len() < MAX_PRINTED {
            self.wrong_samples.push(format!("{what}: {}", context()));
        }
    }

    /// Judges answers. Lengths are known to a fraction of the size at best.
    fn judge(
        &mut self,
        pair: &Difference<'_>,
        class: &'static str,
        answers: &[Answer],
        context: &dyn Fn() -> String,
    ) {
        let mut hints: Vec<DVec3> = answers.iter().filter_map(|a| a.normal).collect();
        hints.dedup();
        let truth = certificate::signed_distance(pair, &hints);
        for answer in answers {
            let mut row = Row::default();
            let full = || format!("{answer:?}\n{truth:?} size {:e}\n{}", pair.size, context());
            for wrong in row.judge(pair, &truth, answer, class == ROUND) {
                self.record(wrong, full);
            }
            if row.n_undecided != 0 && self.undecided_samples.len() < MAX_PRINTED {
                self.undecided_samples.push(full());
            }
            self.rows.entry((answer.question, class)).or_default().add(&row);
        }
    }
}

/// The distance, relative to the size, below which signs are rounding of the points.
const SIGN: f64 = carom_math::tol::GJK_TOUCHING;

impl Row {
    /// Counts one answer. Returns the fault, if it has one.
    fn judge(
        &mut self,
        pair: &Difference<'_>,
        truth: &Proof,
        answer: &Answer,
        is_round: bool,
    ) -> Vec<&'static str> {
        let mut wrong = Vec::new();
        let size = pair.size;
        let (lower, upper) = (truth.lower, truth.upper);
        self.n = 1;
        // The faces of a hull are off its vertices by the rounding of stored numbers.
        let sign = if matches!(answer.says, Statement::Separation(_)) { answer.tolerance } else { SIGN };
        let (is_apart, is_together) = (sign * size < lower, upper < -sign * size);
        self.n_apart = u64::from(is_apart);
        self.n_together = u64::from(is_together);
        self.n_loose = u64::from(answer.tolerance * size < upper - lower);
        let says_meet = match answer.says {
            Statement::Meets(meets) => meets,
            Statement::Signed(d) | Statement::Distance(d) | Statement::Separation(d) => d <= 0.0,
        };
        let allowed = match answer.outcome {
            Outcome::Exact => 0.0,
            Outcome::Within(off) => {
                self.n_within = 1;
                self.widest = off / size;
                off
            }
            _ => {
                self.n_undecided = 1;
                f64::INFINITY
            }
        };
        if allowed == f64::INFINITY {
            return wrong;
        }
        if (is_apart && says_meet && allowed < lower) || (is_together && !says_meet && allowed < -upper) {
            self.n_wrong_signs = 1;
            wrong.push("wrong sign");
        }
        if says_meet && 0.0 < lower {
            self.touching = lower / size;
        }
        // The distance of a number from the proved interval.
        let off = |d: f64, low: f64, high: f64| (low - d).max(d - high).max(0.0);
        let error = match answer.says {
            Statement::Signed(d) => off(d, lower, upper),
            Statement::Distance(d) => off(d, lower.max(0.0), upper.max(0.0)),
            Statement::Separation(d) if is_together => off(d, lower, upper),
            Statement::Separation(d) => (d - upper).max(0.0),
            Statement::Meets(_) => 0.0,
        };
        self.worst = (error - allowed).max(0.0) / size;
        let tolerance = answer.tolerance * size;
        let below = |x: f64, y: f64| x <= y + tolerance;
        if !below(answer.bounds[0], upper) || !below(lower, answer.bounds[1]) {
            wrong.push("bounds");
        }
        let signed = match answer.says {
            Statement::Signed(d) | Statement::Separation(d) => Some(d),
            Statement::Distance(d) if 0.0 < d => Some(d),
            _ => None,
        };
        if let (Some(normal), Some(d)) = (answer.normal, signed) {
            let separation = if matches!(answer.says, Statement::Separation(_)) { d.min(lower) } else { d };
            self.worst_normal = (separation - allowed - pair.room(normal)).max(0.0) / size;
        }
        // On a curved surface, a point is known to the square root of the error of the distance.
        let near =
            if is_round { 10.0 * (answer.tolerance + allowed / size).sqrt() * size } else { 2.0 * tolerance };
        if let (Some([a, b]), Some(d)) = (answer.points, signed)
            && !((a.distance(b) - d.abs()).abs() <= near + allowed)
        {
            wrong.push("points");
        }
        if !(self.worst <= answer.tolerance) {
            wrong.push("distance");
        }
        if !(self.worst_normal <= answer.tolerance) {
            wrong.push("normal");
        }
        self.n_wrong = u64::from(!wrong.is_empty());
        wrong
    }
}

fn single(v: DVec3) -> DVec3 {
    v.as_vec3().as_dvec3()
}

impl Spec {
    fn new(random: &mut Random) -> Spec {
        let half = single(rounding::half_extents(random));
        let kind = random.below(KINDS.len());
        let n = match KINDS[kind] {
            "hull" => [4, 5, 6, 8, 8, 12, 16, 20, 32, 64, 128, 256, 512][random.below(13)],
            "triangle" => 3,
            "segment" => 2,
            _ => 0,
        };
        let style = random.below(4);
        let points = (0..n).map(|i| {
            let p = match style {
                // On a grid, with faces of many corners and parallel faces and edges.
                0 => random.grid_point(4) * 0.5 - 1.0,
                // A prism.
                1 => {
                    let angle = core::f64::consts::TAU * (i / 2) as f64 / (n / 2).max(1) as f64;
                    DVec3::new(angle.cos(), if i % 2 == 0 { -1.0 } else { 1.0 }, angle.sin())
                }
                2 => random.cube_point(),
                _ => random.cube_point().normalize_or_zero(),
            };
            single(p * half)
        });
        Spec { kind, half, points: points.collect() }
    }

    fn scaled(&self, s: f64) -> Spec {
        Spec { kind: self.kind, half: self.half * s, points: self.points.iter().map(|p| *p * s).collect() }
    }

    fn class(a: &Spec, b: &Spec) -> &'static str {
        let is_flat = |s: &Spec| matches!(KINDS[s.kind], "hull" | "cuboid" | "triangle" | "segment");
        if is_flat(a) && is_flat(b) { "polytopes" } else { ROUND }
    }
}

/// Returns a random gap, relative to a size.
fn gap(random: &mut Random) -> f64 {
    let little = 10_f64.powf(random.range(-15.0, -1.0)) * if random.below(2) == 0 { 1.0 } else { -1.0 };
    [0.0, 0.0, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3, little, little][random.below(10)]
}

/// Returns the pose of B in the frame of A, and the kind of placement.
fn relative_pose<S>(
    a: &BuiltShape<S>,
    b: &BuiltShape<S>,
    random: &mut Random,
) -> (RelativePose, &'static str) {
    let reach = a.solid.reach() + b.solid.reach();
    let least = a.solid.reach().min(b.solid.reach());
    let mut rotation = rounding::turn(random);
    let at = |translation: DVec3, rotation: DQuat| RelativePose { rotation, translation };
    // B moved along a direction so that a gap is left.
    let touching = |n: DVec3, rotation: DQuat, aside: DVec3, gap: f64| {
        let pose = WidePose::from_quat(rotation, aside);
        let room = Difference::new(&a.solid, &b.solid, pose).room(n);
        at(aside + n * (gap - room), rotation)
    };
    match random.below(6) {
        0 => {
            let offset = rounding::direction(random) * reach * random.range(0.0, 1.5);
            (at(offset, rotation), "anywhere")
        }
        1 => {
            let away = 10_f64.powf(random.range(0.0, 5.0)).max(reach);
            (at(rounding::direction(random) * away.min(1e5), rotation), "far")
        }
        2 => {
            let little = [0.0, 1e-12, 1e-6, 0.01][random.below(4)];
            (at(rounding::direction(random) * (reach * little), rotation), "one centre")
        }
        3 => {
            let n = rounding::direction(random);
            let gap = gap(random) * if random.below(2) == 0 { reach } else { least };
            (touching(n, rotation, DVec3::ZERO, gap), "touching")
        }
        _ => {
            if a.normals.is_empty() || b.normals.is_empty() {
                let n = rounding::direction(random);
                return (touching(n, rotation, DVec3::ZERO, 0.0), "touching");
            }
            let n = a.normals[random.below(a.normals.len())];
            let m = b.normals[random.below(b.normals.len())];
            let spin = [0.0, core::f64::consts::FRAC_PI_4, random.range(0.0, 7.0)][random.below(3)];
            rotation = (DQuat::from_axis_angle(n, spin) * DQuat::from_rotation_arc(m, -n)).normalize();
            let aside = rounding::direction(random) * (least * random.unit());
            let gap = gap(random) * if random.below(2) == 0 { reach } else { least };
            (touching(n, rotation, aside - n * n.dot(aside), gap), "face to face")
        }
    }
}

/// Returns the pose of A in the world; half of the time the identity.
fn world(size: f64, random: &mut Random) -> RelativePose {
    if random.below(2) == 0 {
        return RelativePose { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };
    }
    RelativePose {
        rotation: rounding::turn(random),
        translation: random.cube_point() * size * random.range(0.0, 2.0),
    }
}

/// Returns the corners of a box.
fn box_points(half: DVec3) -> Vec<DVec3> {
    crate::oracle::sat::box_corners(half, |p| p)
}

/// Whether a matrix is a rotation, up to rounding.
fn is_rotation(m: &DMat3) -> bool {
    (*m * m.transpose()).abs_diff_eq(DMat3::IDENTITY, 1e-14)
}
