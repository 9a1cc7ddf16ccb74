//! Levels of brushes: points against the list of the brushes, and sweeps of bodies against the
//! exact Minkowski sums of brush and body.
//!
//! A sweep is late if the body, shrunk by eight tolerances, would have been stopped before. It is
//! early if it is stopped before the body grown by as much. Early sweeps are counted for each kind
//! of bevels, by how many units of the level they are early. Stops at nothing are counted too.
//!
//! Bodies are those of players of the game of the real levels. Half of the sweeps start at a
//! surface, as those of players do. Lengths are from 4 to 1,024 units, log-uniform.
//!
//! The same number of sweeps is aligned. They start on a face, an edge, a corner or the line of two
//! planes of neighbouring brushes, and go along these. Some start with the body just touching. Only
//! late ones are counted.
//!
//! For points the truth differs there, because shrunk brushes leave seams. A point is inside if
//! each of three small spheres about it is entirely in brushes.

use crate::Options;
use crate::work::in_chunks;
use carom_bsp::{
    Ball, Bevels, Body, Brush, BspSettings, BspTree, Contents, Cylinder, Point, Points, TraceHit, TraceStack,
};
use carom_testkit::oracle::brush::{self, BrushTruth, brush_depth, generated_level, real_level};
use carom_testkit::random::Random;
use glam::DVec3;
use std::time::Instant;

pub(crate) const LEVELS: [&str; 5] = ["start_e0", "slope", "lqdm13", "lq_e0m1", "lq_e1m1"];
const BEVELS: [Bevels; 3] = [Bevels::None, Bevels::Edges, Bevels::All];
const CHUNK: u64 = 1000;
/// The upper bounds of the columns of early sweeps, in units.
const STEPS: [f64; 5] = [0.1, 1.0, 4.0, 16.0, f64::INFINITY];

/// The counts for one kind of bevels.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    hits: u64,
    /// The number of sweeps within the tolerance.
    exact: u64,
    /// The number of early sweeps, by the columns of [`STEPS`].
    early: [u64; 5],
    /// The number of sweeps that were stopped at nothing.
    at_nothing: u64,
    late: u64,
    worst: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    sweeps: u64,
    /// The number of sweeps that truly hit something.
    hits: u64,
    starts_inside: u64,
    kinds: [Counts; 3],
}

impl Tally {
    fn add(mut self, other: &Tally) -> Tally {
        self.sweeps += other.sweeps;
        self.hits += other.hits;
        self.starts_inside += other.starts_inside;
        for (a, b) in self.kinds.iter_mut().zip(&other.kinds) {
            a.hits += b.hits;
            a.exact += b.exact;
            a.at_nothing += b.at_nothing;
            a.late += b.late;
            a.worst = a.worst.max(b.worst);
            for (a, b) in a.early.iter_mut().zip(b.early) {
                *a += b;
            }
        }
        self
    }
}

/// Runs all cases. Returns whether no point was on the wrong side and no sweep late.
pub(crate) fn run(options: &Options) -> bool {
    let n = options.count.unwrap_or(1_000_000);
    let mut is_right = true;
    let mut n_levels = 0;
    for name in LEVELS {
        let Some(brushes) = real_level(name) else { continue };
        n_levels += 1;
        is_right &= level(name, &brushes, n, options);
    }
    if n_levels == 0 {
        // Scaled to the units of players too.
        let brushes: Vec<Brush> = generated_level(1, 200)
            .iter()
            .filter_map(|brush| {
                let mut planes: Vec<_> = brush.faces().iter().map(|face| face.plane).collect();
                planes.iter_mut().for_each(|plane| plane.offset *= 64.0);
                Brush::from_planes(&planes, Contents::SOLID).ok()
            })
            .collect();
        is_right &= level("generated", &brushes, n, options);
    }
    is_right
}

fn level(name: &str, brushes: &[Brush], n: u64, options: &Options) -> bool {
    let mut trees = Vec::new();
    println!("{name}: {} brushes", brushes.len());
    for bevels in BEVELS {
        let start = Instant::now();
        match BspTree::from_brushes(brushes, &BspSettings::default().with_bevels(bevels)) {
            Ok(tree) => {
                println!(
                    "  bevels {bevels:?}: built in {:.0} ms, {:?}",
                    start.elapsed().as_secs_f64() * 1e3,
                    tree.report()
                );
                trees.push(tree);
            }
            Err(error) => {
                println!("  bevels {bevels:?}: {error}");
                return false;
            }
        }
    }
    let mut is_right = points(brushes, &trees[0], n, options);
    println!(
        "  {:>8} {:>6} {:>9} {:>9} {:>6} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "body",
        "bevels",
        "sweeps",
        "hits",
        "late",
        "stopped",
        "exact",
        "< 0.1",
        "< 1",
        "< 4",
        "< 16",
        "more",
        "nothing",
        "worst"
    );
    let hull = hull();
    let corners: Vec<DVec3> = (0..8)
        .map(|i| {
            let side = |bit: i32| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
            DVec3::new(16.0 * side(0), 16.0 * side(1), 28.0 + 28.0 * side(2))
        })
        .collect();
    let upright = Cylinder { axis: DVec3::Z, radius: 16.0, height: 56.0 };
    let test = LevelTest { brushes, trees: &trees, n: n.div_ceil(5), options };
    is_right &= test.seams();
    is_right &= test.sweeps("point", &Point, brush::Body::Point);
    is_right &= test.sweeps("ball", &Ball { radius: 16.0 }, brush::Body::Ball(16.0));
    is_right &= test.sweeps("cylinder", &upright, brush::Body::Upright { radius: 16.0, height: 56.0 });
    is_right &= test.sweeps("box", &Points(&corners), brush::Body::Hull(corners.clone()));
    is_right &= test.sweeps("hull", &Points(&hull), brush::Body::Hull(hull.clone()));
    is_right
}

/// Returns twelve points of an ellipsoid of the size of a player.
fn hull() -> Vec<DVec3> {
    let mut random = Random::new(77);
    (0..12)
        .map(|_| random.cube_point().normalize_or(DVec3::Z) * DVec3::new(16.0, 16.0, 28.0))
        .map(|p| p + DVec3::new(0.0, 0.0, 28.0))
        .collect()
}

fn points(brushes: &[Brush], tree: &BspTree, n: u64, options: &Options) -> bool {
    #[derive(Default)]
    struct PointTally {
        solid: u64,
        in_surfaces: u64,
        wrong: u64,
    }
    let (low, high) = tree.bounds();
    let near = 4.0 * tree.tolerance();
    let tallies = in_chunks(n.div_ceil(CHUNK), options, |chunk, tally: &mut PointTally| {
        let mut random = Random::new(options.seed << 40 ^ chunk);
        for _ in 0..CHUNK {
            let point = low + (high - low) * (random.cube_point() * 0.55 + 0.5);
            let most = brushes.iter().fold(f64::NEG_INFINITY, |most, b| most.max(brush_depth(b, point)));
            if most.abs() < near {
                tally.in_surfaces += 1;
                continue;
            }
            tally.solid += u64::from(0.0 < most);
            tally.wrong += u64::from((0.0 < most) != (tree.contents_at(point) == Contents::SOLID));
        }
    });
    let sum = |f: fn(&PointTally) -> u64| tallies.iter().map(f).sum::<u64>();
    let wrong = sum(|tally| tally.wrong);
    println!(
        "  {} points: {} solid, {} in surfaces, {wrong} wrong",
        n.div_ceil(CHUNK) * CHUNK,
        sum(|tally| tally.solid),
        sum(|tally| tally.in_surfaces)
    );
    wrong == 0
}

struct LevelTest<'a> {
    brushes: &'a [Brush],
    trees: &'a [BspTree],
    n: u64,
    options: &'a Options,
}

impl LevelTest<'_> {
    fn sweeps<B: Body + Sync>(&self, name: &str, body: &B, oracle: brush::Body) -> bool {
        let truth = BrushTruth::new(self.brushes, oracle);
        let tallies = in_chunks(self.n.div_ceil(CHUNK), self.options, |chunk, tally: &mut Tally| {
            let mut random = Random::new(self.options.seed << 40 ^ chunk ^ 1 << 32);
            let mut stack = TraceStack::new();
            for _ in 0..CHUNK {
                let (from, displacement) = self.random_sweep(&mut random);
                self.sweep(body, &truth, from, displacement, &mut stack, tally);
            }
        });
        let aligned = in_chunks(self.n.div_ceil(CHUNK), self.options, |chunk, tally: &mut Tally| {
            let mut random = Random::new(self.options.seed << 40 ^ chunk ^ 2 << 32);
            let mut stack = TraceStack::new();
            for _ in 0..CHUNK {
                let (from, displacement) = self.aligned(&mut random, body);
                self.sweep(body, &truth, from, displacement, &mut stack, tally);
            }
        });
        let aligned = aligned.iter().fold(Tally::default(), Tally::add);
        let all = tallies.iter().fold(Tally::default(), Tally::add);
        for (bevels, counts) in BEVELS.iter().zip(all.kinds) {
            println!(
                "  {name:>8} {:>6} {:>9} {:>9} {:>6} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8.2}",
                format!("{bevels:?}"),
                all.sweeps,
                all.hits,
                counts.late,
                counts.hits,
                counts.exact,
                counts.early[0],
                counts.early[1],
                counts.early[2],
                counts.early[3],
                counts.early[4],
                counts.at_nothing,
                counts.worst
            );
        }
        println!("  {name:>8}: {} more started inside", all.starts_inside);
        println!(
            "  {name:>8}: {} aligned sweeps, {} hits, {} more started inside: {:?} late",
            aligned.sweeps,
            aligned.hits,
            aligned.starts_inside,
            aligned.kinds.map(|counts| counts.late)
        );
        all.kinds.iter().chain(&aligned.kinds).all(|counts| counts.late == 0)
    }

    /// Tests aligned rays and their starts against the truth with seams. Returns whether none is
    /// late.
    fn seams(&self) -> bool {
        let thin = self.trees[0].tolerance();
        let truth = SeamTruth::new(self.brushes, thin);
        let tallies = in_chunks(self.n.div_ceil(CHUNK), self.options, |chunk, tally: &mut SeamTally| {
            let mut random = Random::new(self.options.seed << 40 ^ chunk ^ 3 << 32);
            let mut stack = TraceStack::new();
            for _ in 0..CHUNK {
                let (from, displacement) = self.aligned(&mut random, &Point);
                truth.ray(self.trees, from, displacement, &mut stack, tally);
            }
        });
        let all = tallies.iter().fold(SeamTally::default(), |sum, tally| SeamTally {
            rays: sum.rays + tally.rays,
            met: sum.met + tally.met,
            starts: sum.starts + tally.starts,
            late: sum.late + tally.late,
            at_nothing: sum.at_nothing + tally.at_nothing,
            wrong_starts: sum.wrong_starts + tally.wrong_starts,
        });
        println!(
            "  {} aligned rays: {} meet a seam or a brush, {} start in one; {} late or through, {} stopped at nothing, {} starts wrong",
            all.rays, all.met, all.starts, all.late, all.at_nothing, all.wrong_starts
        );
        all.late == 0 && all.wrong_starts == 0
    }

    /// Returns the start and the displacement of an aligned sweep: on a face, an edge, a corner or
    /// the line of two planes, and along it. The body is there or touches it.
    fn aligned(&self, random: &mut Random, body: &impl Body) -> (DVec3, DVec3) {
        let brush = &self.brushes[random.below(self.brushes.len())];
        let face = &brush.faces()[random.below(brush.faces().len())];
        let n = face.corners.len();
        let i = random.below(n);
        let [a, b, c] = [0, 1, 2].map(|k| face.corners[(i + k) % n]);
        let normal = face.plane.normal;
        let on_face = a + (b - a) * random.range(-0.5, 1.5) + (c - b) * random.range(-0.5, 1.5);
        let (mut from, mut along) = match random.below(4) {
            // In the plane of a face.
            0 => (on_face, (b - a) * random.range(-1.0, 1.0) + (c - b) * random.range(-1.0, 1.0)),
            // Along an edge.
            1 => (a + (b - a) * random.range(-1.0, 2.0), b - a),
            // From a corner.
            2 => (a, if random.below(2) == 0 { c - a } else { random.cube_point() }),
            // Along the line of the plane and one of a near brush.
            _ => {
                let near = |other: &&Brush| brush_depth(other, a).max(brush_depth(other, b)) > -1.0;
                let others = (0..64).map(|_| &self.brushes[random.below(self.brushes.len())]);
                let other = others.filter(near).last().unwrap_or(brush);
                let plane = other.faces()[random.below(other.faces().len())].plane;
                let line = normal.cross(plane.normal);
                let on = line.cross(normal);
                let rate = plane.normal.dot(on);
                if rate.abs() < 1e-3 {
                    (on_face, b - a)
                } else {
                    (on_face - on * (plane.height(on_face) / rate), line)
                }
            }
        };
        match random.below(4) {
            0 => from += normal * body.reach(-normal),
            1 => from -= normal * body.reach(normal),
            _ => {}
        }
        if random.below(2) == 0 {
            along = -along;
        }
        let along = along.normalize_or(DVec3::X) * 4.0 * random.range(0.0, 8.0).exp2();
        // Half of them start farther back, usually outside.
        if random.below(2) == 0 {
            from -= along * random.unit();
        }
        (from, along)
    }

    fn random_sweep(&self, random: &mut Random) -> (DVec3, DVec3) {
        let (low, high) = self.trees[0].bounds();
        let from = if random.below(2) == 0 {
            low + (high - low) * (random.cube_point() * 0.5 + 0.5)
        } else {
            let faces = self.brushes[random.below(self.brushes.len())].faces();
            let face = &faces[random.below(faces.len())];
            let i = random.below(face.corners.len() - 2);
            let [a, b, c] = [face.corners[0], face.corners[i + 1], face.corners[i + 2]];
            let (u, v) = (random.unit(), random.unit());
            let (u, v) = if u + v <= 1.0 { (u, v) } else { (1.0 - u, 1.0 - v) };
            a + (b - a) * u + (c - a) * v + face.plane.normal * (72.0 * random.unit())
        };
        let direction = random.cube_point().normalize_or(DVec3::X);
        (from, direction * 4.0 * random.range(0.0, 8.0).exp2())
    }

    fn sweep(
        &self,
        body: &impl Body,
        truth: &BrushTruth,
        from: DVec3,
        displacement: DVec3,
        stack: &mut TraceStack,
        tally: &mut Tally,
    ) {
        let (length, margin) = (displacement.length(), 8.0 * self.trees[0].tolerance());
        let t = truth.entry(0.0, from, displacement);
        if t == Some(0.0) {
            tally.starts_inside += 1;
            // Whether it must stop at once, and does not only touch.
            let is_deep = truth.entry(-margin, from, displacement) == Some(0.0);
            for (tree, counts) in self.trees.iter().zip(&mut tally.kinds) {
                let hit = tree.trace_with(body, from, displacement, Contents::SOLID, stack);
                counts.late += u64::from(is_deep && !hit.is_some_and(|hit| hit.starts_inside));
            }
            return;
        }
        tally.sweeps += 1;
        tally.hits += u64::from(t.is_some());
        let smaller = || truth.entry(-margin, from, displacement);
        let larger = || truth.entry(margin, from, displacement);
        for (tree, counts) in self.trees.iter().zip(&mut tally.kinds) {
            let hit: Option<TraceHit> = tree.trace_with(body, from, displacement, Contents::SOLID, stack);
            counts.hits += u64::from(hit.is_some());
            let Some(hit) = hit else {
                counts.late += u64::from(t.is_some() && smaller().is_some());
                continue;
            };
            let off = t.map(|t| (t - hit.t) * length);
            if off.is_some_and(|off| off.abs() <= margin) {
                counts.exact += 1;
            } else if off.is_some_and(|off| off < 0.0) {
                counts.late += u64::from(smaller().is_some_and(|smaller| smaller + 1e-12 < hit.t));
            } else if larger().is_some_and(|larger| larger <= hit.t + 1e-12) {
                counts.exact += 1;
            } else if let Some(off) = off {
                counts.worst = counts.worst.max(off);
                for (most, n) in STEPS.iter().zip(&mut counts.early) {
                    if off < *most {
                        *n += 1;
                        break;
                    }
                }
            } else {
                counts.at_nothing += 1;
            }
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct SeamTally {
    rays: u64,
    met: u64,
    starts: u64,
    late: u64,
    at_nothing: u64,
    wrong_starts: u64,
}

/// The inside of several brushes together: points about which some small spheres are entirely in
/// brushes.
struct SeamTruth<'a> {
    brushes: &'a [Brush],
    boxes: Vec<(DVec3, DVec3)>,
    around: Vec<DVec3>,
    thin: f64,
}

/// The side of a point, by small spheres.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    Inside,
    Free,
    /// Too near to a plane to decide.
    Near,
}

impl<'a> SeamTruth<'a> {
    /// The radius of the largest sphere, in tolerances.
    const FAR: f64 = 4096.0;

    fn new(brushes: &'a [Brush], thin: f64) -> SeamTruth<'a> {
        let mut random = Random::new(3);
        let directions: Vec<DVec3> = (0..48).map(|_| random.cube_point().normalize_or(DVec3::X)).collect();
        let radii = [64.0, 512.0, Self::FAR];
        let around = radii.iter().flat_map(|r| directions.iter().map(move |d| *d * *r * thin)).collect();
        let far = DVec3::splat(2.0 * Self::FAR * thin);
        let boxes = brushes
            .iter()
            .map(|brush| {
                let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
                let (low, high) = brush.corners().fold(none, |b, p| (b.0.min(p), b.1.max(p)));
                (low - far, high + far)
            })
            .collect();
        SeamTruth { brushes, boxes, around, thin }
    }

    /// Returns the brushes whose boxes meet that of a segment.
    fn near(&self, from: DVec3, to: DVec3) -> Vec<&'a Brush> {
        let (low, high) = (from.min(to), from.max(to));
        let meets = |b: &(DVec3, DVec3)| low.cmple(b.1).all() && b.0.cmple(high).all();
        self.brushes.iter().zip(&self.boxes).filter(|(_, b)| meets(b)).map(|(brush, _)| brush).collect()
    }

    fn side(&self, brushes: &[&Brush], position: DVec3) -> Side {
        let far = -2.0 * Self::FAR * self.thin;
        let near: Vec<&Brush> =
            brushes.iter().copied().filter(|brush| far < brush_depth(brush, position)).collect();
        // Planes very near to the point: coordinates of real levels are rounded by about the
        // tolerance.
        let hardly = 0.25 * self.thin..-far;
        let faces = || near.iter().flat_map(|brush| brush.faces()).map(|face| &face.plane);
        if faces().any(|plane| hardly.contains(&plane.height(position).abs())) {
            return Side::Near;
        }
        let is_in = |off: DVec3| near.iter().any(|brush| -self.thin < brush_depth(brush, position + off));
        // Random directions miss narrow wedges. Their middles are between the normals of two or
        // three faces.
        let out: Vec<DVec3> = faces()
            .filter(|plane| plane.height(position).abs() < self.thin)
            .map(|plane| plane.normal)
            .collect();
        let radius = Self::FAR * self.thin;
        let is_wedge_in = |sum: DVec3| sum.length() < 1e-6 || is_in(sum.normalize() * radius);
        let are_wedges_in = || {
            out.iter().enumerate().all(|(i, a)| {
                out[i..].iter().enumerate().all(|(j, b)| {
                    is_wedge_in(*a + *b) && out[i + j..].iter().all(|c| is_wedge_in(*a + *b + *c))
                })
            })
        };
        if self.around.iter().all(|off| is_in(*off)) && are_wedges_in() { Side::Inside } else { Side::Free }
    }

    fn ray(
        &self,
        trees: &[BspTree],
        from: DVec3,
        displacement: DVec3,
        stack: &mut TraceStack,
        tally: &mut SeamTally,
    ) {
        let length = displacement.length();
        let brushes = self.near(from, from + displacement);
        let mut times = vec![0.0, 1.0];
        for face in brushes.iter().flat_map(|brush| brush.faces()) {
            let (height, rate) = (face.plane.height(from), face.plane.normal.dot(displacement));
            let t = -height / rate;
            if 0.0 < t && t < 1.0 {
                times.push(t);
            }
        }
        times.sort_by(f64::total_cmp);
        // Shorter stretches are within the spheres.
        times.dedup_by(|b, a| (*b - *a) * length < 2.0 * Self::FAR * self.thin);
        let first = times
            .windows(2)
            .find(|w| self.side(&brushes, from + displacement * (0.5 * (w[0] + w[1]))) == Side::Inside)
            .map(|w| w[0] + 2.5 * Self::FAR * self.thin / length);
        let start = self.side(&brushes, from);
        tally.rays += 1;
        tally.met += u64::from(first.is_some());
        tally.starts += u64::from(start == Side::Inside);
        for tree in trees {
            let hit = tree.trace_with(&Point, from, displacement, Contents::SOLID, stack);
            let is_late = first.is_some_and(|first| !hit.is_some_and(|hit| hit.t < first));
            tally.late += u64::from(is_late);
            let is_within = tree.contents_within_with(&Point, from, stack) == Contents::SOLID;
            let is_in = tree.contents_at(from) == Contents::SOLID;
            let starts = [hit.is_some_and(|hit| hit.starts_inside), is_within, is_in];
            let wrong = match start {
                Side::Inside => starts != [true; 3],
                Side::Free => starts != [false; 3],
                Side::Near => is_within != is_in,
            };
            tally.wrong_starts += u64::from(wrong);
            if let Some(hit) =
                hit.filter(|hit| !hit.starts_inside && hit.normal.dot(displacement) < -0.01 * length)
            {
                // Slightly beyond the surface.
                let past = 4.0 * Self::FAR * self.thin / -hit.normal.dot(displacement);
                let position = from + displacement * (hit.t + past);
                tally.at_nothing +=
                    u64::from(self.side(&self.near(position, position), position) == Side::Free);
            }
        }
    }
}
