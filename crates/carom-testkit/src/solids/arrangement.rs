//! Pairs of solids: the placement of the second one, and the change of the coordinates.

use super::body::{Body, Family, body, cells_between};
use crate::oracle::tetrahedra::Tetrahedra;
use crate::random::Random;
use core::fmt;
use glam::{DMat3, DQuat, DVec3};

/// The placement of the second solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Arrangement {
    /// Boxes apart.
    Apart,
    /// Boxes flush on a side.
    Face,
    /// Boxes flush on two sides.
    Edge,
    /// Boxes flush on three sides.
    Corner,
    /// A vertex on a vertex.
    Vertex,
    /// A vertex in the middle of a triangle.
    OnTriangle,
    /// The middle of an edge on the middle of an edge.
    OnEdge,
    /// Anywhere in the box.
    Mixed,
    /// A small one inside the other.
    Inside,
    /// A small one in a gap, which may be a cavity.
    InGap,
    /// A small one in a gap, flush on some sides.
    FlushInGap,
    /// A box that fills a gap.
    Plug,
    /// The same solid.
    Same,
    /// The same solid, moved by whole numbers.
    Shifted,
}

impl Arrangement {
    /// All variants.
    pub const ALL: [Arrangement; 14] = [
        Arrangement::Apart,
        Arrangement::Face,
        Arrangement::Edge,
        Arrangement::Corner,
        Arrangement::Vertex,
        Arrangement::OnTriangle,
        Arrangement::OnEdge,
        Arrangement::Mixed,
        Arrangement::Inside,
        Arrangement::InGap,
        Arrangement::FlushInGap,
        Arrangement::Plug,
        Arrangement::Same,
        Arrangement::Shifted,
    ];
}

/// The change of the integer coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Numbers {
    /// The coordinates stay whole numbers.
    Whole,
    /// Tenths, rounded.
    Tenths,
    /// Both are sheared by whole numbers.
    Sheared,
    /// Both are turned together, and rounded.
    Turned,
    /// The second is turned about a vertex, and rounded.
    TurnedApart,
}

impl Numbers {
    /// All variants.
    pub const ALL: [Numbers; 5] =
        [Numbers::Whole, Numbers::Tenths, Numbers::Sheared, Numbers::Turned, Numbers::TurnedApart];
}

/// The final displacement of the second solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nudge {
    /// No displacement.
    None,
    /// Each coordinate along an axis to the next number.
    Ulp,
    /// 2^-40 along an axis.
    Tiny,
    /// 2^-20 along an axis.
    Millionth,
}

impl Nudge {
    /// All variants.
    pub const ALL: [Nudge; 4] = [Nudge::None, Nudge::Ulp, Nudge::Tiny, Nudge::Millionth];
}

/// Two solids.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The families.
    pub families: [Family; 2],
    /// The placement of the second one.
    pub arrangement: Arrangement,
    /// The change of the coordinates.
    pub numbers: Numbers,
    /// The final displacement of the second one.
    pub hair: Nudge,
    /// The solids.
    pub solids: [Tetrahedra; 2],
    /// Whether every coordinate is a number of `f32`.
    pub is_single: bool,
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pair { families: [a, b], arrangement, numbers, hair, .. } = self;
        write!(f, "{a:?} {b:?} {arrangement:?} {numbers:?} {hair:?}")
    }
}

fn bounds(solid: &Tetrahedra) -> (DVec3, DVec3) {
    let used = solid.cells.iter().flatten().map(|v| solid.vertices[*v as usize]);
    used.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
}

fn change(solid: &mut Tetrahedra, by: impl Fn(DVec3) -> DVec3) {
    for p in &mut solid.vertices {
        *p = by(*p);
    }
}

/// Returns any rotation, not uniformly.
fn rotation(random: &mut Random) -> DQuat {
    loop {
        let q = DQuat::from_vec4(random.cube_point().extend(random.range(-1.0, 1.0)));
        if 0.1 < q.length() {
            return q.normalize();
        }
    }
}

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len())]
}

/// Returns a random pair; `None` if the random numbers make none.
pub(super) fn pair(random: &mut Random) -> Option<Pair> {
    let arrangement = pick(random, &Arrangement::ALL);
    let with_gaps = [Family::LShape, Family::Frame, Family::SlottedPlate, Family::Cavity, Family::TwoShells];
    let mut a = match arrangement {
        Arrangement::InGap | Arrangement::FlushInGap | Arrangement::Plug => {
            let family = pick(random, &with_gaps);
            body(random, family)?
        }
        _ => {
            let family = pick(random, &Family::ALL);
            body(random, family)?
        }
    };
    let family = pick(random, &Family::ALL);
    let mut b = body(random, family)?;
    // Room for middles of edges and triangles, and for whole numbers between.
    let (step_a, step_b) = match arrangement {
        Arrangement::Inside | Arrangement::InGap | Arrangement::FlushInGap => (768.0, 6.0),
        _ => (24.0, 24.0),
    };
    change(&mut a.solid, |p| p * step_a);
    a.gaps.iter_mut().flatten().for_each(|p| *p *= step_a);
    change(&mut b.solid, |p| p * step_b);
    let anchor = put(random, &a, &mut b, arrangement)?;
    let [mut a, mut b] = [(a.family, a.solid), (b.family, b.solid)];
    if random.below(2) == 0 {
        (a, b) = (b, a);
    }
    let families = [a.0, b.0];
    let mut solids = [a.1, b.1];
    let numbers = pick(random, &Numbers::ALL);
    renumber(random, &mut solids, numbers, anchor);
    let hair = if random.below(2) == 0 { Nudge::None } else { pick(random, &Nudge::ALL) };
    let is_single = random.below(3) == 0;
    round(random, &mut solids, hair, is_single);
    let is_single = solids.iter().flat_map(|s| &s.vertices).all(|p| p.as_vec3().as_dvec3() == *p);
    let is_proper = solids.iter().all(Tetrahedra::is_proper);
    is_proper.then_some(Pair { families, arrangement, numbers, hair, solids, is_single })
}

/// Returns the random solid of a seed. Its coordinates are numbers of `f32`.
pub fn solid(seed: u64) -> (Family, Tetrahedra) {
    let mut random = Random::new(seed);
    loop {
        let family = pick(&mut random, &Family::ALL);
        let Some(body) = body(&mut random, family) else { continue };
        let mut solids = [body.solid, Tetrahedra::default()];
        let numbers = pick(&mut random, &Numbers::ALL);
        renumber(&mut random, &mut solids, numbers, DVec3::ZERO);
        let [mut solid, _] = solids;
        let scale = pick(&mut random, &[1.0 / 1024.0, 1.0, 64.0]);
        change(&mut solid, |p| (p * scale).as_vec3().as_dvec3());
        if solid.is_proper() {
            return (family, solid);
        }
    }
}

/// Places B. Returns a vertex that both share, exactly or nearly.
fn put(random: &mut Random, a: &Body, b: &mut Body, arrangement: Arrangement) -> Option<DVec3> {
    let surface = |solid: &Tetrahedra| solid.surface();
    let corner = |solid: &Tetrahedra, v: u32| solid.vertices[v as usize];
    let (low_a, high_a) = bounds(&a.solid);
    let (low_b, high_b) = bounds(&b.solid);
    let mut anywhere = DVec3::ZERO;
    for k in 0..3 {
        // With these steps, faces of both often lie in one plane.
        let (from, to) = (low_a[k] - high_b[k] + 24.0, high_a[k] - low_b[k] - 24.0);
        anywhere[k] = from + 24.0 * random.below((1.0 + (to - from).max(0.0) / 24.0) as usize) as f64;
    }
    let mut by = anywhere;
    let triangle = pick(random, &surface(&a.solid));
    let other = pick(random, &surface(&b.solid));
    let mut anchor = None;
    match arrangement {
        Arrangement::Apart | Arrangement::Face | Arrangement::Edge | Arrangement::Corner => {
            let n = match arrangement {
                Arrangement::Edge => 2,
                Arrangement::Corner => 3,
                _ => 1,
            };
            let first = random.below(3);
            for axis in (first..first + n).map(|k| k % 3) {
                let gap = if arrangement == Arrangement::Apart { 1.0 + random.below(30) as f64 } else { 0.0 };
                by[axis] = if random.below(2) == 0 {
                    high_a[axis] - low_b[axis] + gap
                } else {
                    low_a[axis] - high_b[axis] - gap
                };
            }
        }
        Arrangement::Vertex => by = corner(&a.solid, triangle[0]) - corner(&b.solid, other[0]),
        Arrangement::OnTriangle => {
            let [p, q, r] = triangle.map(|v| corner(&a.solid, v));
            by = (p + q + r) / 3.0 - corner(&b.solid, other[0]);
            anchor = Some((p + q + r) / 3.0);
        }
        Arrangement::OnEdge => {
            let [p, q, _] = triangle.map(|v| corner(&a.solid, v));
            let [r, s, _] = other.map(|v| corner(&b.solid, v));
            by = (p + q) * 0.5 - (r + s) * 0.5;
        }
        Arrangement::Mixed => {}
        Arrangement::Inside => {
            let cell = pick(random, &a.solid.cells);
            let middle = cell.iter().map(|v| corner(&a.solid, *v)).sum::<DVec3>() / 4.0;
            by = (middle - (low_b + high_b) * 0.5).round();
        }
        Arrangement::InGap | Arrangement::FlushInGap => {
            let [low, high] = *a.gaps.get(random.below(a.gaps.len()))?;
            let n_flush = if arrangement == Arrangement::InGap { 0 } else { 1 + random.below(3) };
            for k in 0..3 {
                by[k] = match (k < n_flush, random.below(2)) {
                    (true, 0) => low[k] - low_b[k],
                    (true, _) => high[k] - high_b[k],
                    _ => ((low[k] + high[k] - low_b[k] - high_b[k]) * 0.5).round(),
                };
            }
        }
        Arrangement::Plug => {
            let [low, high] = *a.gaps.get(random.below(a.gaps.len()))?;
            let planes = [0, 1, 2].map(|k| vec![low[k], high[k]]);
            b.family = Family::Box;
            b.solid = cells_between(random.below(8), &planes, |_| true).0;
            by = DVec3::ZERO;
        }
        Arrangement::Same | Arrangement::Shifted => {
            *b = a.clone();
            by = DVec3::ZERO;
            if arrangement == Arrangement::Shifted {
                by[random.below(3)] = 24.0 * (random.below(9) as f64 - 4.0);
                by[random.below(3)] = 24.0 * (random.below(9) as f64 - 4.0);
            }
        }
    }
    change(&mut b.solid, |p| p + by);
    Some(anchor.unwrap_or_else(|| corner(&b.solid, pick(random, &surface(&b.solid))[0])))
}

/// Changes the whole numbers of the coordinates to others.
fn renumber(random: &mut Random, solids: &mut [Tetrahedra; 2], numbers: Numbers, anchor: DVec3) {
    let turn = DMat3::from_quat(rotation(random));
    match numbers {
        Numbers::Whole => {}
        Numbers::Tenths => solids.iter_mut().for_each(|solid| change(solid, |p| p * 0.1)),
        Numbers::Sheared => {
            let mut column = || DVec3::from_array([0; 3].map(|_| random.below(5) as f64 - 2.0));
            let mut shear = DMat3::from_cols(column(), column(), column());
            if shear.determinant() < 0.0 {
                shear.x_axis = -shear.x_axis;
            }
            if shear.determinant() == 0.0 {
                shear = DMat3::from_cols(DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::new(-2.0, 1.0, 1.0));
            }
            solids.iter_mut().for_each(|solid| change(solid, |p| shear * p));
        }
        Numbers::Turned => solids.iter_mut().for_each(|solid| change(solid, |p| turn * p)),
        Numbers::TurnedApart => change(&mut solids[1], |p| anchor + turn * (p - anchor)),
    }
}

/// Rounds the coordinates, and moves the second solid by `hair`.
fn round(random: &mut Random, solids: &mut [Tetrahedra; 2], hair: Nudge, is_single: bool) {
    let far = if random.below(8) == 0 { DVec3::new(1e4, -3e3, 777.7) } else { DVec3::ZERO };
    let scale = pick(random, &[1.0 / 64.0, 1.0 / 1024.0, 1.0, 64.0]);
    let kind = random.below(3);
    let grid = scale * 0.5_f64.powi(18);
    let stored = |p: DVec3| match (is_single, kind) {
        (true, _) => p.as_vec3().as_dvec3(),
        // With fewer bits the oracle is faster.
        (false, 1 | 2) => (p / grid).round() * grid,
        _ => p,
    };
    solids.iter_mut().for_each(|solid| change(solid, |p| stored(p * scale + far)));
    let axis = random.below(3);
    let is_up = random.below(2) == 0;
    let step = match hair {
        Nudge::None => return,
        Nudge::Ulp => 0.0,
        Nudge::Tiny => 0.5_f64.powi(40),
        Nudge::Millionth => 0.5_f64.powi(20),
    };
    change(&mut solids[1], |mut p| {
        let x = &mut p[axis];
        *x = match (hair, is_single, is_up) {
            (Nudge::Ulp, true, true) => f64::from((*x as f32).next_up()),
            (Nudge::Ulp, true, false) => f64::from((*x as f32).next_down()),
            (Nudge::Ulp, false, true) => x.next_up(),
            (Nudge::Ulp, false, false) => x.next_down(),
            (_, _, true) => *x + step,
            _ => *x - step,
        };
        p
    });
}
