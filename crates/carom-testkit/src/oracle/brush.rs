//! The first contact of a body that moves along a segment with a brush, by the exact Minkowski sum:
//! for points, balls, upright cylinders and hulls.
//!
//! The body touches the brush if its reference point is in the sum of the brush and the mirrored
//! body. The sum is convex. For hulls it is a polytope, and its planes clip the segment. For a ball
//! its surface consists of parts of planes, cylinders and balls, and the first one that is entered
//! is the answer.
//!
//! For a cylinder, consider the part of the brush at the cylinder's height, seen from above. Its
//! distance from the axis is convex along the segment. So a search finds the minimum, and bisection
//! the crossing of the radius.
//!
//! Reference: T. Lozano-Perez, Spatial Planning: A Configuration Space Approach, 1983 (sums); A.
//! Andrew, Another Efficient Algorithm for Convex Hulls in Two Dimensions, 1979.

use super::convex::{point_segment, point_triangle_inside};
use crate::random::Random;
use carom_bsp::{Brush, Contents, SplitPlane};
use carom_geom::f64::ConvexHull;
use glam::{DQuat, DVec2, DVec3};

/// A body, relative to its reference point.
#[derive(Clone, Debug)]
pub enum Body {
    /// The reference point alone.
    Point,
    /// A ball of this radius about it.
    Ball(f64),
    /// A cylinder along z whose base is at the point.
    Upright {
        /// The radius of the cylinder.
        radius: f64,
        /// The height of the cylinder.
        height: f64,
    },
    /// The hull of points.
    Hull(Vec<DVec3>),
}

/// A brush and a body.
#[derive(Clone, Debug)]
struct Sum {
    /// The planes of a polytope around the sum, or of the sum itself if it is a polytope.
    planes: Vec<(DVec3, f64)>,
    faces: Vec<Vec<DVec3>>,
    low: DVec3,
    high: DVec3,
}

/// All brushes of a level, and one body.
#[derive(Clone, Debug)]
pub struct BrushTruth {
    body: Body,
    sums: Vec<Sum>,
}

/// Sides of the prism around a cylinder.
const N_SIDES: u32 = 16;

impl BrushTruth {
    /// Computes all sums, which is slow. Panics if a brush is so thin that its sum with a hull has
    /// no inside.
    pub fn new(brushes: &[Brush], body: Body) -> BrushTruth {
        let sums = brushes.iter().map(|brush| Sum::new(brush, &body)).collect();
        BrushTruth { body, sums }
    }

    /// Returns the first time, from 0 to 1, at which the body touches a brush on the path.
    /// Its surface is moved out by `margin`.
    pub fn entry(&self, margin: f64, from: DVec3, displacement: DVec3) -> Option<f64> {
        // The times at which the polytopes around the sums are entered. They are sorted, so that
        // few sums are tested exactly.
        let mut near: Vec<(f64, f64, &Sum)> = self
            .sums
            .iter()
            .filter(|sum| sum.may_be_met(margin, from, displacement))
            .filter_map(|sum| {
                let planes = sum.planes.iter().map(|(n, d)| (*n, d + 2.0 * margin.max(0.0)));
                let (low, high) = clip(planes, from, displacement)?;
                Some((low, high, sum))
            })
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut first: Option<f64> = None;
        for (low, high, sum) in near {
            if first.is_some_and(|first| first <= low) {
                break;
            }
            if let Some(t) = self.entry_to(sum, (low, high), margin, from, displacement) {
                first = Some(first.map_or(t, |first| first.min(t)));
            }
        }
        first
    }

    fn entry_to(
        &self,
        sum: &Sum,
        (low, high): (f64, f64),
        margin: f64,
        from: DVec3,
        displacement: DVec3,
    ) -> Option<f64> {
        match &self.body {
            Body::Point | Body::Hull(_) => {
                clip(sum.planes.iter().map(|(n, d)| (*n, d + margin)), from, displacement).map(|(low, _)| low)
            }
            // The body vanishes.
            Body::Ball(radius) | Body::Upright { radius, .. } if radius + margin < 0.0 => None,
            Body::Ball(radius) => rounded_entry(&sum.faces, radius + margin, from, displacement),
            Body::Upright { radius, height } => {
                let (radius, slab) = (radius + margin, (-margin, height + margin));
                first_below(low, high, |t| {
                    let position = from + displacement * t;
                    from_above(&sum.faces, (position.z + slab.0, position.z + slab.1), position.truncate())
                        - radius
                })
            }
        }
    }
}

impl Sum {
    fn new(brush: &Brush, body: &Body) -> Sum {
        let faces: Vec<Vec<DVec3>> = brush.faces().iter().map(|face| face.corners.clone()).collect();
        let own = |grown: f64| -> Vec<(DVec3, f64)> {
            brush.faces().iter().map(|face| (face.plane.normal, face.plane.offset + grown)).collect()
        };
        let (planes, least, most) = match body {
            Body::Point => (own(0.0), DVec3::ZERO, DVec3::ZERO),
            Body::Ball(radius) => (own(*radius), DVec3::splat(-radius), DVec3::splat(*radius)),
            Body::Upright { radius, height } => {
                let step = core::f64::consts::TAU / f64::from(N_SIDES);
                let rim = radius / (0.5 * step).cos();
                let points: Vec<DVec3> = (0..2 * N_SIDES)
                    .map(|i| DVec2::from_angle(f64::from(i) * step) * rim)
                    .enumerate()
                    .map(|(i, p)| p.extend(if i < N_SIDES as usize { 0.0 } else { *height }))
                    .collect();
                let least = DVec3::new(-rim, -rim, 0.0);
                (polytope(brush, &points), least, DVec3::new(rim, rim, *height))
            }
            Body::Hull(points) => {
                let (least, most) = bounds(points.iter().copied());
                (polytope(brush, points), least, most)
            }
        };
        let (low, high) = bounds(brush.corners());
        Sum { planes, faces, low: low - most, high: high - least }
    }

    /// Tests the boxes of both, which is fast.
    fn may_be_met(&self, margin: f64, from: DVec3, displacement: DVec3) -> bool {
        let grown = DVec3::splat(2.0 * margin.max(0.0));
        let (low, high) = (self.low - grown, self.high + grown);
        let to = from + displacement;
        if !(from.min(to).cmple(high).all() && low.cmple(from.max(to)).all()) {
            return false;
        }
        let (a, b) = ((low - from) / displacement, (high - from) / displacement);
        // If the path has no extent along an axis, the quotient is infinite or NaN and is ignored.
        let (enter, leave) = (a.min(b), a.max(b));
        let last = |v: DVec3, no: f64, f: fn(f64, f64) -> f64| {
            v.to_array().into_iter().filter(|x| !x.is_nan()).fold(no, f)
        };
        last(enter, 0.0, f64::max) <= last(leave, 1.0, f64::min) * (1.0 + 1e-9) + 1e-9
    }
}

fn bounds(points: impl Iterator<Item = DVec3>) -> (DVec3, DVec3) {
    points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
}

/// Returns the planes of the sum of a brush and the mirrored hull.
fn polytope(brush: &Brush, body: &[DVec3]) -> Vec<(DVec3, f64)> {
    let corners: Vec<DVec3> = brush.corners().flat_map(|v| body.iter().map(move |p| v - *p)).collect();
    let hull = ConvexHull::from_points(&corners).expect("a sum of solids is solid");
    (0..hull.n_faces() as u32).map(|face| (hull.face_normal(face), hull.face_offset(face))).collect()
}

/// Returns the part of a segment that is behind all planes.
fn clip(planes: impl Iterator<Item = (DVec3, f64)>, from: DVec3, displacement: DVec3) -> Option<(f64, f64)> {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for (normal, offset) in planes {
        let (height, rate) = (normal.dot(from) - offset, normal.dot(displacement));
        if rate < 0.0 {
            low = low.max(height / -rate);
        } else if 0.0 < rate {
            high = high.min(-height / rate);
        } else if 0.0 < height {
            return None;
        }
    }
    (low <= high).then_some((low, high))
}

/// Returns the first time at which a segment is within a radius of a polytope: it enters through a
/// face that is moved out, a cylinder about an edge, or a ball about a corner.
fn rounded_entry(faces: &[Vec<DVec3>], radius: f64, from: DVec3, displacement: DVec3) -> Option<f64> {
    if distance(faces, from) <= radius {
        return Some(0.0);
    }
    let mut first: Option<f64> = None;
    let mut offer = |t: f64| {
        if (0.0..=1.0).contains(&t) && first.is_none_or(|first| t < first) {
            first = Some(t);
        }
    };
    for corners in faces {
        let normal = unit_normal(corners);
        let rate = normal.dot(displacement);
        if rate < 0.0 {
            let t = (normal.dot(from - corners[0]) - radius) / -rate;
            let foot = from + displacement * t - normal * radius;
            if edges(corners).all(|[a, b]| 0.0 <= (b - a).cross(foot - a).dot(normal)) {
                offer(t);
            }
        }
        for [a, b] in edges(corners) {
            let along = (b - a).normalize();
            let (across, moved) = (from - a, displacement);
            let (across, moved) = (across - along * across.dot(along), moved - along * moved.dot(along));
            if let Some(t) = least_root(across, moved, radius) {
                let on = (from + displacement * t - a).dot(along);
                if (0.0..=(b - a).length()).contains(&on) {
                    offer(t);
                }
            }
            if let Some(t) = least_root(from - a, displacement, radius) {
                offer(t);
            }
        }
    }
    first
}

fn edges(corners: &[DVec3]) -> impl Iterator<Item = [DVec3; 2]> + '_ {
    (0..corners.len()).map(|i| [corners[i], corners[(i + 1) % corners.len()]])
}

fn unit_normal(corners: &[DVec3]) -> DVec3 {
    let fan = (2..corners.len()).map(|i| (corners[i - 1] - corners[0]).cross(corners[i] - corners[0]));
    fan.sum::<DVec3>().normalize()
}

/// Returns the first t at which `from + displacement * t` has this length.
fn least_root(from: DVec3, displacement: DVec3, length: f64) -> Option<f64> {
    let (a, half_b, c) =
        (displacement.length_squared(), from.dot(displacement), from.length_squared() - length * length);
    // The discriminant by Lagrange's identity, without the cancellation of squares.
    let across = from.cross(displacement).length_squared();
    let discriminant = a * length * length - across;
    if a == 0.0 || discriminant < 0.0 || 0.0 <= half_b {
        return None;
    }
    Some(c / (-half_b + discriminant.sqrt()))
}

/// Returns the distance of a point from a brush; 0 inside.
pub fn brush_distance(brush: &Brush, point: DVec3) -> f64 {
    let faces: Vec<Vec<DVec3>> = brush.faces().iter().map(|face| face.corners.clone()).collect();
    distance(&faces, point)
}

fn distance(faces: &[Vec<DVec3>], point: DVec3) -> f64 {
    if faces.iter().all(|corners| unit_normal(corners).dot(point - corners[0]) <= 0.0) {
        return 0.0;
    }
    let mut least = f64::INFINITY;
    for corners in faces {
        for i in 1..corners.len() - 1 {
            let [a, b, c] = [corners[0], corners[i], corners[i + 1]];
            let inside = point_triangle_inside(point, [a, b, c]);
            let sides = [[a, b], [b, c], [c, a]].map(|side| point_segment(point, side));
            least =
                sides.iter().chain(&inside).fold(least, |least, near| least.min((*near - point).length()));
        }
    }
    least
}

/// Returns the horizontal distance of a point from the part of a polytope between two heights;
/// infinite if there is no such part.
fn from_above(faces: &[Vec<DVec3>], (low, high): (f64, f64), point: DVec2) -> f64 {
    let mut shadow: Vec<DVec2> = Vec::with_capacity(32);
    for corners in faces {
        for [a, b] in edges(corners) {
            if (low..=high).contains(&a.z) {
                shadow.push(a.truncate());
            }
            for z in [low, high] {
                if (a.z < z && z < b.z) || (b.z < z && z < a.z) {
                    shadow.push((a + (b - a) * ((z - a.z) / (b.z - a.z))).truncate());
                }
            }
        }
    }
    if shadow.is_empty() {
        return f64::INFINITY;
    }
    let rim = hull_in_plane(shadow);
    let side = |a: DVec2, b: DVec2| (b - a).perp_dot(point - a);
    let n = rim.len();
    if 3 <= n && (0..n).all(|i| 0.0 <= side(rim[i], rim[(i + 1) % n])) {
        return 0.0;
    }
    (0..n).fold(f64::INFINITY, |least, i| {
        let near = point_segment(point.extend(0.0), [rim[i].extend(0.0), rim[(i + 1) % n].extend(0.0)]);
        least.min((near.truncate() - point).length())
    })
}

/// Returns the convex hull of points in the plane, counter-clockwise.
fn hull_in_plane(mut points: Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let mut hull: Vec<DVec2> = Vec::with_capacity(points.len() + 1);
    let half = |hull: &mut Vec<DVec2>, points: &mut dyn Iterator<Item = DVec2>| {
        let start = hull.len();
        for p in points {
            while hull.len() >= start + 2 {
                let (a, b) = (hull[hull.len() - 2], hull[hull.len() - 1]);
                if (b - a).perp_dot(p - b) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(p);
        }
        hull.pop();
    };
    half(&mut hull, &mut points.iter().copied());
    half(&mut hull, &mut points.iter().rev().copied());
    hull
}

/// Returns the first t in an interval at which a convex function is not above 0.
fn first_below(low: f64, high: f64, above: impl Fn(f64) -> f64) -> Option<f64> {
    if above(low) <= 0.0 {
        return Some(low);
    }
    let (mut a, mut b) = (low, high);
    let mut touching = (above(high) <= 0.0).then_some(high);
    // Golden section search: each step evaluates once.
    const PART: f64 = 0.618_033_988_749_894_9;
    let (mut x, mut y) = (b - PART * (b - a), a + PART * (b - a));
    let (mut at_x, mut at_y) = (above(x), above(y));
    for _ in 0..80 {
        if touching.is_some() || b - a <= 1e-15 {
            break;
        }
        if at_x <= 0.0 || at_y <= 0.0 {
            touching = Some(if at_x <= 0.0 { x } else { y });
        } else if at_x < at_y {
            (b, y, at_y) = (y, x, at_x);
            x = b - PART * (b - a);
            at_x = above(x);
        } else {
            (a, x, at_x) = (x, y, at_y);
            y = a + PART * (b - a);
            at_y = above(y);
        }
    }
    let mut touching = touching?;
    let mut free = low;
    for _ in 0..52 {
        let middle = 0.5 * (free + touching);
        if above(middle) > 0.0 { free = middle } else { touching = middle }
    }
    Some(touching)
}

/// Returns the faces of brushes as triangle fans. They overlap, hide each other and have
/// T-junctions.
pub fn soup(brushes: &[Brush]) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for face in brushes.iter().flat_map(|brush| brush.faces()) {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(&face.corners);
        triangles.extend((2..face.corners.len() as u32).map(|i| [first, first + i - 1, first + i]));
    }
    (vertices, triangles)
}

/// Returns the depth of a point inside a brush, or minus a lower bound of its distance outside.
pub fn brush_depth(brush: &Brush, point: DVec3) -> f64 {
    -brush.faces().iter().fold(f64::NEG_INFINITY, |most, face| most.max(face.plane.height(point)))
}

/// A level of the real data, in its own units, z up.
pub struct RealLevel {
    /// Its brushes, all solid, with the class of the entity that each belongs to.
    pub brushes: Vec<(String, Brush)>,
    /// The places of entities without brushes, with their classes.
    pub entities: Vec<(String, DVec3)>,
}

impl RealLevel {
    /// Reads `levels/<name>.brushes.txt`. Prints a line and returns `None` if it is not present.
    pub fn read(name: &str) -> Option<RealLevel> {
        let path = crate::data::find(&format!("levels/{name}.brushes.txt"))?;
        let text = std::fs::read_to_string(path).ok()?;
        let (mut classes, mut all): (Vec<String>, Vec<Vec<SplitPlane>>) = Default::default();
        let (mut class, mut entities) = (String::new(), Vec::new());
        for line in text.lines() {
            if let Some(entity) = line.strip_prefix("entity ") {
                let mut words = entity.split_whitespace().skip(1);
                class = words.next()?.to_owned();
                // Three numbers, or a dash.
                let at: Vec<f64> = words.next()?.split(',').filter_map(|word| word.parse().ok()).collect();
                if let [x, y, z] = at[..] {
                    entities.push((class.clone(), DVec3::new(x, y, z)));
                }
            } else if line.starts_with("brush ") {
                classes.push(class.clone());
                all.push(Vec::new());
            } else if let Some(plane) = line.strip_prefix("p ") {
                let numbers: Option<Vec<f64>> =
                    plane.split_whitespace().map(|word| word.parse().ok()).collect();
                let [x, y, z, offset] = numbers?.try_into().ok()?;
                all.last_mut()?.push(SplitPlane { normal: DVec3::new(x, y, z), offset });
            }
        }
        let brush = |(i, planes): (usize, &Vec<SplitPlane>)| {
            Brush::from_planes(planes, Contents::SOLID)
                .unwrap_or_else(|error| panic!("brush {i} of {name}: {error}"))
        };
        let brushes = classes.into_iter().zip(all.iter().enumerate().map(brush)).collect();
        Some(RealLevel { brushes, entities })
    }
}

/// Returns all brushes of a level of the real data. Prints a line and returns `None` if it is not
/// present.
pub fn real_level(name: &str) -> Option<Vec<Brush>> {
    Some(RealLevel::read(name)?.brushes.into_iter().map(|(_, brush)| brush).collect())
}

/// Returns axis-aligned and turned boxes, wedges, and boxes with a corner cut off, within about 15
/// of the origin. They are on a coarse grid, so that many share planes, overlap and touch.
pub fn generated_level(seed: u64, n: usize) -> Vec<Brush> {
    let mut random = Random::new(seed);
    let mut brushes = Vec::new();
    while brushes.len() < n {
        let half = DVec3::ONE + (random.cube_point() * 4.0).round().abs() * 0.5;
        let at = (random.cube_point() * 24.0).round() * 0.5;
        let mut planes: Vec<SplitPlane> = [DVec3::X, DVec3::Y, DVec3::Z]
            .iter()
            .flat_map(|&n| [n, -n])
            .map(|normal| SplitPlane { normal, offset: normal.abs().dot(half) })
            .collect();
        match random.below(4) {
            0 => {}
            1 => moved(&mut planes, rotation(&mut random), DVec3::ZERO),
            2 => {
                // A ramp: two sides by one.
                planes.push(SplitPlane { normal: DVec3::new(1.0, 0.0, 2.0), offset: 0.0 });
            }
            _ => {
                let normal = random.cube_point().normalize_or(DVec3::Z);
                planes.push(SplitPlane { normal, offset: 0.4 * normal.abs().dot(half) });
            }
        }
        moved(&mut planes, DQuat::IDENTITY, at);
        if let Ok(brush) = Brush::from_planes(&planes, Contents::SOLID) {
            brushes.push(brush);
        }
    }
    brushes
}

/// Returns a random rotation, not uniformly distributed.
pub fn rotation(random: &mut Random) -> DQuat {
    loop {
        let q = DQuat::from_vec4(random.cube_point().extend(random.range(-1.0, 1.0)));
        if q.length() > 0.1 {
            return q.normalize();
        }
    }
}

fn moved(planes: &mut [SplitPlane], rotation: DQuat, by: DVec3) {
    for plane in planes {
        plane.normal = rotation * plane.normal;
        plane.offset += plane.normal.dot(by);
    }
}
