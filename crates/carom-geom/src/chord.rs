//! Chords: the part of a line inside a convex set, for every primitive.
//!
//! A line, given by its origin `o` and its direction `d`, meets a convex set in one interval of t.
//! Each primitive returns its interval with the surface normals at both ends. Slabs, mantles and
//! balls combine by intersection, or by union if the union is convex. A ray cast then only selects
//! an end. All sets are closed: touching counts.
//!
//! Reference: T. Kay, J. Kajiya, Ray Tracing Complex Scenes, 1986 (slabs); E. Haines, J. Guenther,
//! T. Akenine-Moller, Precision Improvements for Ray/Sphere Intersection, Ray Tracing Gems, 2019;
//! D. Eberly, Intersection of a Line and a Cone, 2014.
//! Differs: ellipsoids and cones are mapped to the unit ball and the right-angled cone. The mapping
//! keeps t and the digits of needles. The cone's discriminant is a difference of squares of cross
//! products.

use crate::flat::strictly_apart;
use crate::normal::polygon_normal;
use crate::{FeatureId, FeatureKind, ray_mesh};
use carom_math::double_double::{DoubleDouble, DoubleDoubleVec3};
use carom_math::exact_number::{ExactNumber, ExactVec3};
use carom_math::ops::sqrt;
use carom_math::predicates::{difference_cross_signs, direction_side, line_side, orient3d, plane_side};
use carom_math::scaling::{balanced, hypot, length, scale_of, unit};
use glam::DVec3;

/// One end of a chord. An end at infinity has no normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) t: f64,
    /// Outward unit normal of the surface.
    pub(crate) normal: DVec3,
    pub(crate) feature: FeatureId,
}

/// The part of a line inside a convex set, from `enter` to `exit`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chord {
    pub(crate) enter: End,
    pub(crate) exit: End,
}

impl End {
    pub(crate) fn new(t: f64, normal: DVec3, feature: FeatureId) -> End {
        End { t, normal, feature }
    }
}

impl Chord {
    /// Returns the whole line.
    pub(crate) fn all() -> Chord {
        let end = |t| End::new(t, DVec3::ZERO, FeatureId::UNKNOWN);
        Chord { enter: end(f64::NEG_INFINITY), exit: end(f64::INFINITY) }
    }

    /// Returns one point of the line, on a sheet or thread with this normal.
    pub(crate) fn point(t: f64, normal: DVec3, feature: FeatureId) -> Chord {
        Chord { enter: End::new(t, normal, feature), exit: End::new(t, normal, feature) }
    }

    /// Returns the intersection of two sets.
    pub(crate) fn intersection(self, other: Chord) -> Option<Chord> {
        let enter = if self.enter.t < other.enter.t { other.enter } else { self.enter };
        let exit = if other.exit.t < self.exit.t { other.exit } else { self.exit };
        (enter.t <= exit.t).then_some(Chord { enter, exit })
    }

    /// Returns the union of two sets, which must be convex.
    pub(crate) fn union(a: Option<Chord>, b: Option<Chord>) -> Option<Chord> {
        let (Some(a), Some(b)) = (a, b) else { return a.or(b) };
        let enter = if b.enter.t < a.enter.t { b.enter } else { a.enter };
        let exit = if a.exit.t < b.exit.t { b.exit } else { a.exit };
        Some(Chord { enter, exit })
    }
}

/// Returns the chord in all x between `low` and `high` on one axis; `features` of the positive and
/// the negative face.
pub(crate) fn slab(
    o: DVec3,
    d: DVec3,
    axis: usize,
    [low, high]: [f64; 2],
    features: [FeatureId; 2],
) -> Option<Chord> {
    let (o, d) = (o[axis], d[axis]);
    if d == 0.0 {
        // Along the slab.
        return (low <= o && o <= high).then(Chord::all);
    }
    let up = End::new((high - o) / d, DVec3::AXES[axis], features[0]);
    let down = End::new((low - o) / d, -DVec3::AXES[axis], features[1]);
    let (enter, exit) = if d < 0.0 { (up, down) } else { (down, up) };
    (enter.t <= exit.t).then_some(Chord { enter, exit })
}

/// Returns the chord in the half-space of all x with `normal . x <= offset`.
pub(crate) fn half_space(
    o: DVec3,
    d: DVec3,
    normal: DVec3,
    offset: f64,
    feature: FeatureId,
) -> Option<Chord> {
    let above = normal.dot(o) - offset;
    let speed = normal.dot(d);
    if speed == 0.0 {
        // Parallel to the plane.
        return (above <= 0.0).then(Chord::all);
    }
    let end = End::new(-above / speed, normal, feature);
    let all = Chord::all();
    if !end.t.is_finite() {
        // Nearly parallel to the plane: t is not finite.
        return (above <= 0.0).then_some(all);
    }
    Some(if speed < 0.0 { Chord { enter: end, ..all } } else { Chord { exit: end, ..all } })
}

/// Returns the chord in the box between two corners; faces 2 i (positive) and 2 i + 1 (negative)
/// of axis i. Whether the line meets the box is exact.
pub(crate) fn aabb(o: DVec3, d: DVec3, min: DVec3, max: DVec3) -> Option<Chord> {
    let slab = |axis: usize| {
        let features = [0, 1].map(|side| FeatureId::face(2 * axis as u32 + side));
        slab(o, d, axis, [min[axis], max[axis]], features)
    };
    let slabs = [slab(0)?, slab(1)?, slab(2)?];
    let [mut enter, mut exit] = [slabs[0].enter, slabs[0].exit];
    for slab in &slabs[1..] {
        enter = if enter.t < slab.enter.t { slab.enter } else { enter };
        exit = if slab.exit.t < exit.t { slab.exit } else { exit };
    }
    // Each quotient has two roundings; an infinite quotient decides nothing.
    let over = enter.t - exit.t;
    let room = 4.0 * f64::EPSILON * (enter.t.abs() + exit.t.abs());
    if room < over && over < f64::INFINITY {
        return None;
    }
    if !(over < -room) {
        // Near an edge or a corner, or nearly parallel to a plane: exact arithmetic.
        if !slabs_meet_exactly(o, d, min, max) {
            return None;
        }
        exit.t = exit.t.max(enter.t);
    }
    Some(Chord { enter, exit })
}

/// Whether the line is between all slabs of a box at once: it enters every slab before it leaves
/// any.
#[cold]
fn slabs_meet_exactly(o: DVec3, d: DVec3, min: DVec3, max: DVec3) -> bool {
    let number = |x: f64| ExactNumber::from(x);
    // Distances to the plane of entry and the plane of exit on this axis, each times the other
    // speed.
    let (near, far) =
        (DVec3::select(d.cmplt(DVec3::ZERO), max, min), DVec3::select(d.cmplt(DVec3::ZERO), min, max));
    (0..3).filter(|&i| d[i] != 0.0).all(|i| {
        (0..3).filter(|&j| j != i && d[j] != 0.0).all(|j| {
            let comes = &(&number(near[i]) - &number(o[i])) * &number(d[j].abs());
            let goes = &(&number(far[j]) - &number(o[j])) * &number(d[i].abs());
            // t is the distance over the speed; a negative speed flips the sign.
            let sign = |x: f64, value: ExactNumber| if x < 0.0 { -value } else { value };
            (&sign(d[i], comes) - &sign(d[j], goes)).sign() <= 0.0
        })
    })
}

/// Returns the chord in the plane of all x with `normal . x + offset = 0` as a sheet. A line meets
/// face 0 against the normal, face 1 along it. Whether the line is parallel to the plane, and then
/// lies in it, is exact.
pub(crate) fn plane(o: DVec3, d: DVec3, normal: DVec3, offset: f64) -> Option<Chord> {
    let travel = plane_side(normal, 0.0, d);
    if travel == 0.0 {
        // Parallel: in the plane or off it.
        return (d != DVec3::ZERO && plane_side(normal, offset, o) == 0.0).then(Chord::all);
    }
    // In double-double arithmetic, because both sums may need the digits.
    let dot = |v: DVec3, rest: f64| {
        let (n, v) = (DoubleDoubleVec3::from(normal), DoubleDoubleVec3::from(v));
        (n.dot(v) + DoubleDouble::from(rest)).to_f64()
    };
    let t = -dot(o, offset) / dot(d, 0.0);
    let face = FeatureId::face(u32::from(0.0 < travel));
    t.is_finite().then(|| Chord::point(t, unit(normal).unwrap_or(DVec3::ZERO), face))
}

/// Returns the chord in a ball about a centre. Whether the line meets it is exact.
pub(crate) fn ball(o: DVec3, d: DVec3, center: DVec3, radius: f64, feature: FeatureId) -> Option<Chord> {
    let to_center = o - center;
    // A direction without its component along an axis may be short, and its square may underflow.
    let scale = scale_of(d.abs().max_element());
    let d = d * scale;
    let speed_sq = d.length_squared();
    if speed_sq == 0.0 {
        return (to_center.length_squared() <= radius * radius).then(Chord::all);
    }
    // From the point of the line that is closest to the centre, so that a far origin costs few
    // digits.
    let closest_t = -to_center.dot(d) / speed_sq;
    let closest = to_center + d * closest_t;
    let closest_sq = closest.length_squared();
    let rest = radius * radius - closest_sq;
    // The rounding of the closest point is about four units of its distance from the origin.
    let room =
        16.0 * f64::EPSILON * (radius * radius + closest_sq + sqrt(closest_sq * to_center.length_squared()));
    let is_near = rest.abs() <= room;
    if !(0.0 <= rest || is_near) || (is_near && !line_meets_ball_exactly(o, d, center, radius)) {
        return None;
    }
    let rest = rest.max(0.0);
    let half = sqrt(rest / speed_sq);
    // A ball without extent is hit against the direction.
    let end = |t: f64, displacement: DVec3| {
        let normal = unit(closest + d * t).or_else(|| unit(d * t)).or_else(|| unit(displacement));
        End::new((closest_t + t) * scale, normal.unwrap_or(DVec3::ZERO), feature)
    };
    Some(Chord { enter: end(-half, -d), exit: end(half, d) })
}

/// Whether the line meets a ball, exactly. Its distance from the centre is |w x d| / |d|, with w
/// from the centre to the origin of the line.
#[cold]
fn line_meets_ball_exactly(o: DVec3, d: DVec3, center: DVec3, radius: f64) -> bool {
    let (w, d) = (ExactVec3::difference(o, center), ExactVec3::from(d));
    let reach_sq = &ExactNumber::from(radius).squared() * &d.length_squared();
    (&w.cross(&d).length_squared() - &reach_sq).sign() <= 0.0
}

/// Returns the chord in the infinite cylinder about the y axis.
pub(crate) fn mantle(o: DVec3, d: DVec3, radius: f64, feature: FeatureId) -> Option<Chord> {
    let flat = |v: DVec3| DVec3::new(v.x, 0.0, v.z);
    if d.x == 0.0 && d.z == 0.0 {
        // Along the axis.
        return (hypot(o.x, o.z) <= radius).then(Chord::all);
    }
    ball(flat(o), flat(d), DVec3::ZERO, radius, feature)
}

/// Returns the chord in the cylinder about the y axis; faces 0 (upper), 1 (lower), 2 (mantle).
pub(crate) fn cylinder(o: DVec3, d: DVec3, half_height: f64, radius: f64) -> Option<Chord> {
    let caps = slab(o, d, 1, [-half_height, half_height], [FeatureId::face(0), FeatureId::face(1)])?;
    caps.intersection(mantle(o, d, radius, FeatureId::face(2))?)
}

/// Returns the chord in the capsule about the y axis; the mantle counts as edge 0, the caps as
/// vertices 0 (upper) and 1 (lower).
pub(crate) fn capsule(o: DVec3, d: DVec3, half_height: f64, radius: f64) -> Option<Chord> {
    let trunk = slab(o, d, 1, [-half_height, half_height], [FeatureId::vertex(0), FeatureId::vertex(1)])
        .and_then(|s| s.intersection(mantle(o, d, radius, FeatureId::edge(0))?));
    let up = DVec3::new(0.0, half_height, 0.0);
    let caps = Chord::union(
        ball(o, d, up, radius, FeatureId::vertex(0)),
        ball(o, d, -up, radius, FeatureId::vertex(1)),
    );
    // At the flat end of the trunk a cap continues the chord, or ends at the same t.
    Chord::union(caps, trunk)
}

/// Returns the chord in the cone with its apex at `half_height` and its base at -`half_height`;
/// faces 1 (base) and 2 (mantle).
pub(crate) fn cone(o: DVec3, d: DVec3, half_height: f64, radius: f64) -> Option<Chord> {
    if half_height == 0.0 {
        // A disc.
        let plane = slab(o, d, 1, [0.0; 2], [FeatureId::vertex(0), FeatureId::face(1)])?;
        return plane.intersection(mantle(o, d, radius, FeatureId::edge(1))?);
    }
    if radius == 0.0 {
        // A segment.
        let apex = DVec3::new(0.0, half_height, 0.0);
        return segment(o, d, apex, -apex);
    }
    let ends = [FeatureId::vertex(0), FeatureId::face(1)];
    trunk(o, d, [0.0, half_height], 0.5 * radius, radius / (2.0 * half_height), ends, FeatureId::face(2))
}

/// Returns the chord in the hull of two balls about (0, +-`half_height`, 0), neither of which
/// contains the other. Vertices are 0 (upper) and 1 (lower); edge 0 is the mantle. `slope` is the
/// sine and cosine of the mantle normal's upward slope.
pub(crate) fn tapered_capsule(
    o: DVec3,
    d: DVec3,
    half_height: f64,
    [upper, lower]: [f64; 2],
    (sine, cosine): (f64, f64),
) -> Option<Chord> {
    let center = DVec3::new(0.0, half_height, 0.0);
    if upper == 0.0 && lower == 0.0 {
        // No thickness: the segment of the centres.
        return segment(o, d, center, -center);
    }
    let caps = Chord::union(
        ball(o, d, center, upper, FeatureId::vertex(0)),
        ball(o, d, -center, lower, FeatureId::vertex(1)),
    );
    // The mantle between the circles of contact with the balls; w is the radius at each height.
    let (top, bottom) = (half_height + upper * sine, lower * sine - half_height);
    let heights = [0.5 * (top + bottom), 0.5 * (top - bottom)];
    let (radius, slope) = (0.5 * (upper + lower) * cosine, sine / cosine);
    let ends = [FeatureId::vertex(0), FeatureId::vertex(1)];
    let trunk = trunk(o, d, heights, radius, slope, ends, FeatureId::edge(0));
    Chord::union(caps, trunk)
}

/// Returns the chord in the part of a cone about the y axis from `half` below `middle` to `half`
/// above. Its radius is `radius` in the middle and falls by `slope` per unit of height.
fn trunk(
    o: DVec3,
    d: DVec3,
    [middle, half]: [f64; 2],
    radius: f64,
    slope: f64,
    ends: [FeatureId; 2],
    mantle: FeatureId,
) -> Option<Chord> {
    let o = o - DVec3::new(0.0, middle, 0.0);
    // The line's origin is moved along the line, because crossing a flat trunk takes less than a
    // rounding of t. It moves to the height of the middle if that is near, else to the point
    // closest to the middle.
    let closest = closest_to_zero(o, d);
    let level = -o.y / d.y;
    let reach = half + radius + slope.abs() * half;
    let near = o + d * closest;
    let room = 8.0 * f64::EPSILON * o.abs().max_element();
    if !(length(near) <= reach + room) {
        // The line misses the bounding ball.
        return None;
    }
    let (p, shift) = if (level - closest).abs() * d.abs().max_element() <= 4.0 * (reach + room) {
        let p = o + d * level;
        (DVec3::new(p.x, 0.0, p.z), level)
    } else if near.y.abs() <= 2.0 * half {
        (near, closest)
    } else {
        // Nearly horizontal: the line stays off the trunk's heights throughout the ball.
        return None;
    };
    let slab = slab(p, d, 1, [-half, half], ends)?;
    // With w, the radius at each height, it is x^2 + z^2 <= w^2, 0 <= w.
    let p = DVec3::new(p.x, radius - p.y * slope, p.z);
    let d = DVec3::new(d.x, -d.y * slope, d.z);
    let mut chord = slab.intersection(nappe(p, d, radius, slope, mantle)?)?;
    chord.enter.t += shift;
    chord.exit.t += shift;
    Some(chord)
}

/// Returns the chord in the cone x^2 + z^2 <= w^2, 0 <= w, in coordinates (x, w, z); outward
/// normals are in (x, y, z). w is minus the height times the slope. Digits are kept for lines near
/// w = `radius`. With slope 0, w is constant, and the cone is a cylinder.
///
/// If the line meets both nappes, the chord is the part in the upper one.
fn nappe(o: DVec3, d: DVec3, radius: f64, slope: f64, feature: FeatureId) -> Option<Chord> {
    // From the point of the line closest to the middle, to keep digits.
    let middle = DVec3::new(0.0, radius, 0.0);
    let shift = if d == DVec3::ZERO { 0.0 } else { -(o - middle).dot(d) / d.length_squared() };
    let shift = if shift.is_finite() { shift } else { 0.0 };
    let p = o + d * shift;
    // a t^2 + 2 b t + c <= 0.
    let radial_speed = hypot(d.x, d.z);
    let a = (radial_speed - d.y) * (radial_speed + d.y);
    let b = p.x * d.x + p.z * d.z - p.y * d.y;
    let radial = hypot(p.x, p.z);
    let c = (radial - p.y) * (radial + p.y);
    let (with_x, with_z) = (p.x * d.y - p.y * d.x, p.z * d.y - p.y * d.z);
    let (plus, minus) = (hypot(with_x, with_z), (p.x * d.z - p.z * d.x).abs());
    let discriminant = (plus - minus) * (plus + minus);
    let end = |t: f64| {
        let q = p + d * t;
        let normal = unit(DVec3::new(q.x, slope * q.y, q.z)).unwrap_or(DVec3::Y);
        End::new(t + shift, normal, feature)
    };
    let all = Chord::all();
    let chord = if a == 0.0 {
        // Parallel to a line of the mantle.
        if b == 0.0 {
            (c <= 0.0).then_some(all)?
        } else if 0.0 < b {
            // Inside towards minus infinity: this nappe, or its mirror image above the apex.
            (d.y < 0.0).then_some(Chord { exit: end(-c / (2.0 * b)), ..all })?
        } else {
            (0.0 < d.y).then_some(Chord { enter: end(-c / (2.0 * b)), ..all })?
        }
    } else {
        if !(0.0 <= discriminant || a < 0.0) {
            return None;
        }
        let root = sqrt(discriminant.max(0.0));
        let q = if b < 0.0 { root - b } else { -root - b };
        let (t0, t1) = if q == 0.0 { (0.0, 0.0) } else { (q / a, c / q) };
        let (low, high) = if t0 < t1 { (t0, t1) } else { (t1, t0) };
        if 0.0 < a {
            // Steeper than the mantle: the line enters and leaves through one nappe.
            (0.0 <= p.y + d.y * (0.5 * (low + high))).then_some(Chord { enter: end(low), exit: end(high) })?
        } else if 0.0 < d.y {
            Chord { enter: end(high), ..all }
        } else {
            Chord { exit: end(low), ..all }
        }
    };
    Some(chord)
}

/// Returns the chord in the ellipsoid along the axes.
pub(crate) fn ellipsoid(o: DVec3, d: DVec3, radii: DVec3) -> Option<Chord> {
    // Axes without extent are slabs. The others map to the unit ball, which keeps t.
    let mut chord = Chord::all();
    let least = radii.to_array().into_iter().filter(|r| 0.0 < *r).fold(f64::INFINITY, f64::min);
    if !(o / least).is_finite() {
        // The mapped origin is not finite: start from the line's closest point instead.
        let closest = closest_to_zero(o, d);
        let near = o + d * closest;
        if !(near / least).is_finite() {
            return None;
        }
        let mut chord = ellipsoid(near, d, radii)?;
        chord.enter.t += closest;
        chord.exit.t += closest;
        return Some(chord);
    }
    let (mut on_ball, mut along) = (DVec3::ZERO, DVec3::ZERO);
    for axis in 0..3 {
        if radii[axis] == 0.0 {
            chord = chord.intersection(slab(o, d, axis, [0.0; 2], [FeatureId::UNKNOWN; 2])?)?;
        } else {
            on_ball[axis] = o[axis] / radii[axis];
            along[axis] = d[axis] / radii[axis];
        }
    }
    let mut ball = ball(on_ball, along, DVec3::ZERO, 1.0, FeatureId::UNKNOWN)?;
    for end in [&mut ball.enter, &mut ball.exit] {
        // Normals map by the inverse again; axes without extent take no part.
        let inverse = DVec3::select(radii.cmpeq(DVec3::ZERO), DVec3::ZERO, 1.0 / radii);
        end.normal = unit(balanced(end.normal) * inverse).unwrap_or(end.normal);
    }
    chord.intersection(ball)
}

/// Returns the chord in the segment from a to b; whether the line meets it is exact.
pub(crate) fn segment(o: DVec3, d: DVec3, a: DVec3, b: DVec3) -> Option<Chord> {
    if line_side(o, d, a, b) != 0.0 {
        return None;
    }
    // In one plane. The ends are not strictly on one side of the line: their cross products with
    // the direction have no common sign.
    let (side_a, side_b) = (difference_cross_signs(a, o, d), difference_cross_signs(b, o, d));
    if (0..3).any(|i| 0.0 < side_a[i] * side_b[i]) || d == DVec3::ZERO {
        return None;
    }
    let against = unit(-d).unwrap_or(DVec3::ZERO);
    let normal = unit(b - a).map(|u| against - u * u.dot(against)).and_then(unit).unwrap_or(against);
    let end = |t: f64, number: u32| Chord::point(t, normal, FeatureId::vertex(number));
    let (is_a_on, is_b_on) = (side_a == [0.0; 3], side_b == [0.0; 3]);
    if is_a_on || is_b_on {
        // An end lies on the line, or both do.
        let on_a = is_a_on.then(|| end(parameter(o, d, a), 0));
        let mut chord = Chord::union(on_a, is_b_on.then(|| end(parameter(o, d, b), 1)));
        if let Some(Chord { enter, exit }) = &mut chord
            && enter.t < exit.t
        {
            // Along the segment: the line leaves at the far end.
            exit.normal = -exit.normal;
        }
        return chord;
    }
    Some(Chord::point(parameter(o, d, crossing(o, d, a, b)), normal, FeatureId::edge(0)))
}

/// Returns the chord in a convex polygon as a sheet, the fan of triangles about its first corner.
/// Faces are those of a triangle; edges have the number of their start corner. Whether the line
/// meets it is exact.
pub(crate) fn polygon(
    o: DVec3,
    d: DVec3,
    n_corners: usize,
    corner: impl Fn(usize) -> DVec3,
) -> Option<Chord> {
    let normal = if n_corners < 3 { None } else { polygon_normal(n_corners, &corner) };
    let mut chord = None;
    for i in 1..n_corners.saturating_sub(1).max(2) {
        // Fewer than three corners: a segment or a point.
        let numbers = [0, i % n_corners, (i + 1) % n_corners];
        let corners = numbers.map(&corner);
        if normal.is_some() && polygon_normal(3, |k| corners[k]).is_none() {
            // Collinear corners: this is a side of the next triangle.
            continue;
        }
        let Some(mut found) = triangle(o, d, &corners) else { continue };
        for end in [&mut found.enter, &mut found.exit] {
            end.feature = match end.feature.kind() {
                FeatureKind::Vertex(k) => FeatureId::vertex(numbers[k as usize % 3] as u32),
                FeatureKind::Edge(0) if 1 < i => FeatureId::face(0),
                FeatureKind::Edge(2) if i + 2 < n_corners => FeatureId::face(0),
                FeatureKind::Edge(k) => FeatureId::edge(numbers[k as usize % 3] as u32),
                _ => end.feature,
            };
        }
        if matches!(found.enter.feature.kind(), FeatureKind::Face(_)) && found.enter.t == found.exit.t {
            // Through the sheet. If the line crosses a shared side, the neighbour gives the same
            // point.
            let normal = normal.unwrap_or(found.enter.normal);
            return Some(Chord::point(found.enter.t, normal, found.enter.feature));
        }
        chord = Chord::union(chord, Some(found));
    }
    // In the plane of the polygon: normals come from its own sides. At a corner the side with the
    // steeper incidence counts.
    let (Some(mut chord), Some(normal)) = (chord, normal) else { return chord };
    for (end, displacement) in [(&mut chord.enter, -d), (&mut chord.exit, d)] {
        let outward =
            |i: usize| unit((corner((i + 1) % n_corners) - corner(i)).cross(normal)).unwrap_or(DVec3::ZERO);
        end.normal = match end.feature.kind() {
            FeatureKind::Vertex(i) => {
                let (next, before) = (outward(i as usize), outward((i as usize + n_corners - 1) % n_corners));
                if before.dot(displacement) < next.dot(displacement) { next } else { before }
            }
            FeatureKind::Edge(i) => outward(i as usize),
            _ => end.normal,
        };
    }
    Some(chord)
}

/// Returns the t of the line's point closest to the frame's origin, at any distance; 0 for a zero
/// direction.
fn closest_to_zero(o: DVec3, d: DVec3) -> f64 {
    // An eighth is exact, and its product with a direction of length 1 to 4 is finite.
    let t = -(o * 0.125).dot(d) / d.length_squared() * 8.0;
    if t.is_finite() { t } else { 0.0 }
}

/// Returns the t of the point of a line closest to `p`.
fn parameter(o: DVec3, d: DVec3, p: DVec3) -> f64 {
    (p - o).dot(d) / d.length_squared()
}

/// Returns the point where the segment from a to b crosses the line, if it does.
fn crossing(o: DVec3, d: DVec3, a: DVec3, b: DVec3) -> DVec3 {
    let to_a = sqrt((a - o).cross(d).length_squared());
    let to_b = sqrt((b - o).cross(d).length_squared());
    let sum = to_a + to_b;
    if sum == 0.0 { a } else { a + (b - a) * (to_a / sum) }
}

/// Returns the chord in the triangle as a sheet. Face 0 is the side from which a, b, c appear
/// counter-clockwise, face 1 the other. Whether the line meets it is exact.
pub(crate) fn triangle(o: DVec3, d: DVec3, corners: &[DVec3; 3]) -> Option<Chord> {
    let [a, b, c] = *corners;
    // The line misses if two edges lie on different sides of it. This also holds for a triangle
    // without area.
    let first = line_side(o, d, a, b);
    let second = line_side(o, d, b, c);
    if strictly_apart(first, second) {
        return None;
    }
    let third = line_side(o, d, c, a);
    if strictly_apart(first, third) || strictly_apart(second, third) {
        return None;
    }
    let Some(normal) = polygon_normal(3, |i| corners[i]) else {
        // No area: the segment that it is.
        let edges = [segment(o, d, a, b), segment(o, d, b, c), segment(o, d, c, a)];
        return edges.into_iter().fold(None, Chord::union);
    };
    let travel = direction_side(d, a, b, c);
    if travel == 0.0 {
        // Parallel to the plane: the line meets the triangle only in that plane.
        if d == DVec3::ZERO || orient3d(a, b, c, o) != 0.0 {
            return None;
        }
        // In two dimensions: drop an axis along which the triangle is not edge-on, and test the
        // sides of the corners.
        let along = normal.abs();
        let axis = (0..3).fold(0, |best, i| if along[best] < along[i] { i } else { best });
        let corner_sides = corners.map(|p| difference_cross_signs(p, o, d)[axis]);
        let mut chord = None;
        for i in 0..3 {
            let j = (i + 1) % 3;
            let (p, q) = (corners[i], corners[j]);
            let outward = unit((q - p).cross(normal)).unwrap_or(DVec3::ZERO);
            let point = |t: f64, feature: FeatureId| Some(Chord::point(t, outward, feature));
            let product = corner_sides[i] * corner_sides[j];
            if product < 0.0 {
                let t = parameter(o, d, crossing(o, d, p, q));
                chord = Chord::union(chord, point(t, FeatureId::edge(i as u32)));
            }
            if corner_sides[i] == 0.0 {
                chord = Chord::union(chord, point(parameter(o, d, p), FeatureId::vertex(i as u32)));
            }
        }
        return chord;
    }
    let t = ray_mesh::parameter(o, d, corners, 0.0 < travel);
    // The hit lies between the corners; a grazing quotient is clamped. The sign of t is exact.
    let at = corners.map(|p| parameter(o, d, p));
    let (first, last) = (at[0].min(at[1]).min(at[2]), at[0].max(at[1]).max(at[2]));
    let held = t.max(first).min(last);
    let t = if (0.0 < t && 0.0 < held) || (t < 0.0 && held < 0.0) { held } else { t };
    if !t.is_finite() {
        return None;
    }
    // A line against the normal meets the front.
    Some(Chord::point(t, normal, FeatureId::face(u32::from(0.0 < travel))))
}
