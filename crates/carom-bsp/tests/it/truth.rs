//! What is slow and obviously right: levels as lists of brushes, and Minkowski sums of brush and body.

use carom_bsp::{Brush, Contents, SplitPlane};
use carom_geom::f64::ConvexHull;
use carom_testkit::conform::dice::Dice;
use carom_testkit::oracle::convex::{point_segment, point_triangle_inside};
use glam::{DQuat, DVec3};

pub(crate) fn vector(dice: &mut Dice, half: f32) -> DVec3 {
    dice.point(half).as_dvec3()
}

pub(crate) fn rotation(dice: &mut Dice) -> DQuat {
    loop {
        let q = DQuat::from_vec4(vector(dice, 1.0).extend(f64::from(dice.range(-1.0, 1.0))));
        if q.length() > 0.1 {
            return q.normalize();
        }
    }
}

fn turned(planes: &mut [SplitPlane], rotation: DQuat, by: DVec3) {
    for plane in planes {
        plane.normal = rotation * plane.normal;
        plane.offset += plane.normal.dot(by);
    }
}

/// Boxes along the axes and turned, wedges, corners cut off, on a coarse grid so that many share planes, overlap and touch.
pub(crate) fn level(seed: u64, n: usize) -> Vec<Brush> {
    let mut dice = Dice::new(seed);
    let mut brushes = Vec::new();
    while brushes.len() < n {
        let half = DVec3::new(1.0, 1.0, 1.0) + (vector(&mut dice, 0.99) * 4.0).round().abs() * 0.5;
        let at = (vector(&mut dice, 12.0) * 2.0).round() * 0.5;
        let mut planes: Vec<SplitPlane> = [DVec3::X, DVec3::Y, DVec3::Z]
            .iter()
            .flat_map(|&n| [n, -n])
            .map(|normal| SplitPlane { normal, offset: normal.abs().dot(half) })
            .collect();
        match dice.below(4) {
            0 => {}
            1 => turned(&mut planes, rotation(&mut dice), DVec3::ZERO),
            2 => {
                // A ramp: two sides by one.
                planes.push(SplitPlane { normal: DVec3::new(1.0, 0.0, 2.0), offset: 0.0 });
            }
            _ => {
                let normal = vector(&mut dice, 1.0).normalize_or(DVec3::Z);
                planes.push(SplitPlane { normal, offset: 0.4 * normal.abs().dot(half) });
            }
        }
        turned(&mut planes, DQuat::IDENTITY, at);
        if let Ok(brush) = Brush::from_planes(&planes, Contents::SOLID) {
            brushes.push(brush);
        }
    }
    brushes
}

/// How deep inside a point is, or minus how far outside at least.
pub(crate) fn depth(brush: &Brush, point: DVec3) -> f64 {
    -brush.faces().iter().fold(f64::NEG_INFINITY, |most, face| most.max(face.plane.height(point)))
}

/// When a segment is first behind all planes, 0 where it starts so.
fn enters(planes: impl Iterator<Item = (DVec3, f64)>, from: DVec3, way: DVec3) -> Option<f64> {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for (normal, offset) in planes {
        let (height, rate) = (normal.dot(from) - offset, normal.dot(way));
        if rate < 0.0 {
            low = low.max(height / -rate);
        } else if 0.0 < rate {
            high = high.min(-height / rate);
        } else if 0.0 < height {
            return None;
        }
    }
    (low <= high).then_some(low)
}

/// When a point gets into the brush.
pub(crate) fn point_hit(brush: &Brush, from: DVec3, way: DVec3) -> Option<f64> {
    enters(brush.faces().iter().map(|face| (face.plane.normal, face.plane.offset)), from, way)
}

/// The sum of a brush and the mirrored body: the reference point is in it where the two touch.
pub(crate) fn sum(brush: &Brush, body: &[DVec3]) -> ConvexHull {
    let corners: Vec<DVec3> = brush.corners().flat_map(|v| body.iter().map(move |p| v - *p)).collect();
    ConvexHull::from_points(&corners).expect("a sum of solids is solid")
}

pub(crate) fn hull_hit(sum: &ConvexHull, from: DVec3, way: DVec3) -> Option<f64> {
    let planes = (0..sum.n_faces() as u32).map(|face| (sum.face_normal(face), sum.face_offset(face)));
    enters(planes, from, way)
}

/// How far a point is from a brush, 0 inside.
pub(crate) fn distance(brush: &Brush, point: DVec3) -> f64 {
    if depth(brush, point) >= 0.0 {
        return 0.0;
    }
    let mut least = f64::INFINITY;
    for face in brush.faces() {
        for i in 1..face.corners.len() - 1 {
            let [a, b, c] = [face.corners[0], face.corners[i], face.corners[i + 1]];
            let inside = point_triangle_inside(point, [a, b, c]);
            let sides = [[a, b], [b, c], [c, a]].map(|side| point_segment(point, side));
            least =
                sides.iter().chain(&inside).fold(least, |least, near| least.min((*near - point).length()));
        }
    }
    least
}

/// When a ball touches the brush first: the distance is convex along the segment.
pub(crate) fn ball_hit(brush: &Brush, radius: f64, from: DVec3, way: DVec3) -> Option<f64> {
    // Most are far off the way: farther from a plane than the radius all along.
    let is_far = |height: &dyn Fn(DVec3) -> f64| radius < height(from) && radius < height(from + way);
    if brush.faces().iter().any(|face| is_far(&|p| face.plane.height(p))) {
        return None;
    }
    let above = |t: f64| distance(brush, from + way * t) - radius;
    if above(0.0) <= 0.0 {
        return Some(0.0);
    }
    let (mut low, mut high) = (0.0, 1.0);
    let mut nearest = 1.0;
    for _ in 0..100 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        // One that touches will do: the first is looked for before it.
        nearest = if above(a) < above(b) { a } else { b };
        if above(nearest) <= 0.0 {
            break;
        }
        if nearest == a { high = b } else { low = a }
    }
    if above(nearest) > 0.0 && above(1.0) > 0.0 {
        return None;
    }
    if above(nearest) > 0.0 {
        nearest = 1.0;
    }
    let (mut free, mut touching) = (0.0, nearest);
    for _ in 0..60 {
        let middle = 0.5 * (free + touching);
        if above(middle) > 0.0 { free = middle } else { touching = middle }
    }
    Some(touching)
}

pub(crate) fn first(hits: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    hits.flatten().min_by(f64::total_cmp)
}
