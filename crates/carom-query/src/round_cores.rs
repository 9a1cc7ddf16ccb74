//! Nearest or deepest points of balls, boxes and capsules, by closed forms.
//!
//! A ball is a point with a margin, a capsule a segment with a margin. The nearest points of point,
//! segment and box are found, then the margins are added. If a segment intersects a box, the depth
//! is the least overlap along the six axes that bound their difference.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.3 (point, box), 5.1.9 (segments)
//! and 5.5 (capsules); D. Eberly, Geometric Tools, Distance Between a Line Segment and an Oriented
//! Box, 2020 (box, segment).
//! Differs: the distance from a point of the segment to the box is convex with a piecewise linear
//! slope. Its breakpoints bracket the zero.

use crate::closest::Closest;
use carom_math::ops::sqrt;
use carom_math::{scaling, tol};
use glam::DVec3;

/// A capsule: half the length of its segment, and its radius.
#[derive(Clone, Copy)]
pub(crate) struct Stick {
    pub(crate) half: f64,
    pub(crate) margin: f64,
}

/// The nearest or deepest points of two cores, and their margins.
#[derive(Clone, Copy)]
pub(crate) struct Cores {
    /// Signed distance of the cores.
    distance: f64,
    /// On the core of A.
    pub(crate) a: DVec3,
    pub(crate) margin_a: f64,
    /// On the core of B.
    pub(crate) b: DVec3,
    pub(crate) margin_b: f64,
    /// A common point of both cores, if they overlap.
    common: DVec3,
    /// Unit vector from A to B.
    pub(crate) normal: DVec3,
}

impl Cores {
    #[inline]
    pub(crate) fn signed(&self) -> f64 {
        self.distance - (self.margin_a + self.margin_b)
    }

    #[inline]
    pub(crate) fn closest(self) -> Closest {
        let point_a = self.a + self.normal * self.margin_a;
        let point_b = self.b - self.normal * self.margin_b;
        Closest::new(self.signed(), point_a, point_b, self.normal)
    }

    /// Returns the contact with distance 0 and a common point if the shapes overlap.
    #[inline]
    pub(crate) fn distance(self) -> Closest {
        if 0.0 < self.signed() {
            return self.closest();
        }
        let common = if self.distance <= 0.0 {
            self.common
        } else {
            // Between the cores, within the margin of either.
            let from_a = (self.distance - self.margin_b).max(0.0);
            self.a + self.normal * (0.5 * (from_a + self.margin_a.min(self.distance)))
        };
        Closest::new(0.0, common, common, DVec3::ZERO)
    }
}

/// Returns the unit vector along `v` and its length; `otherwise` if `v` is at most `least` long.
#[inline(always)]
fn direction(v: DVec3, least: f64, otherwise: impl FnOnce() -> DVec3) -> (DVec3, f64) {
    // 2^-500: squares of smaller numbers lose digits to underflow.
    const MIN_LENGTH: f64 = f64::from_bits((1023 - 500) << 52);
    let length = sqrt(v.length_squared());
    if length < MIN_LENGTH {
        let (unit, length) = short_direction(v);
        return (unit.filter(|_| least < length).unwrap_or_else(otherwise), length);
    }
    if least < length { (v * (1.0 / length), length) } else { (otherwise(), length) }
}

#[cold]
#[inline(never)]
fn short_direction(v: DVec3) -> (Option<DVec3>, f64) {
    (scaling::unit(v), scaling::length(v))
}

#[inline(always)]
pub(crate) fn sphere_sphere(margin_a: f64, margin_b: f64, center: DVec3) -> Cores {
    // Concentric: any direction is valid.
    let (normal, length) = direction(center, 0.0, || DVec3::X);
    Cores { distance: length, a: DVec3::ZERO, margin_a, b: center, margin_b, common: center, normal }
}

#[inline(always)]
pub(crate) fn cuboid_sphere(half: DVec3, margin_b: f64, center: DVec3) -> Cores {
    let nearest = center.clamp(-half, half);
    let offset = center - nearest;
    if offset != DVec3::ZERO {
        let (normal, length) = direction(offset, 0.0, || axis_out_of(half, center).1);
        return Cores {
            distance: length,
            a: nearest,
            margin_a: 0.0,
            b: center,
            margin_b,
            common: center,
            normal,
        };
    }
    // The centre is in the box: the depth is that to the nearest face.
    let (depth, normal) = axis_out_of(half, center);
    Cores {
        distance: -depth,
        a: center + normal * depth,
        margin_a: 0.0,
        b: center,
        margin_b,
        common: center,
        normal,
    }
}

/// Returns the least depth of a point in a box, and its direction.
fn axis_out_of(half: DVec3, point: DVec3) -> (f64, DVec3) {
    let room = half - point.abs();
    let axis = if room.x <= room.y && room.x <= room.z {
        0
    } else if room.y <= room.z {
        1
    } else {
        2
    };
    (room[axis], DVec3::AXES[axis] * if point[axis] < 0.0 { -1.0 } else { 1.0 })
}

/// Returns the cores of a capsule centred on the origin and a ball, in any frame. `axis` and `side`
/// are the capsule's y and x.
#[inline(always)]
pub(crate) fn capsule_sphere(a: Stick, axis: DVec3, side: DVec3, margin_b: f64, center: DVec3) -> Cores {
    let Stick { half, margin: margin_a } = a;
    let along = center.dot(axis);
    let nearest = axis * within(along, half);
    let mut offset = center - nearest;
    if along.abs() <= half {
        // Near the segment the component along it is rounding, so only the perpendicular part is
        // kept.
        offset -= axis * offset.dot(axis);
    }
    // On the segment: any perpendicular direction.
    let (normal, length) = direction(offset, 0.0, || side);
    Cores { distance: length, a: nearest, margin_a, b: center, margin_b, common: center, normal }
}

/// Returns the cores of a capsule centred on the origin and of another capsule, in any frame.
/// `axis` and `side` are the y and x of A; `along` is the y of B.
#[inline(always)]
pub(crate) fn capsule_capsule(
    a: Stick,
    axis: DVec3,
    side: DVec3,
    b: Stick,
    center: DVec3,
    along: DVec3,
) -> Cores {
    let (half_a, half_b) = (a.half, b.half);
    // Squared sine of the angle between the axes, without cancellation.
    let cross = axis.cross(along);
    let (sine_sq, cosine, level) = (cross.length_squared(), axis.dot(along), center.dot(axis));
    let s = if 0.0 < sine_sq {
        level - cosine * axis.cross(center).dot(cross) / sine_sq
    } else {
        // Parallel: the middle of the common interval, or the nearer end.
        0.5 * ((level - half_b).max(-half_a) + (level + half_b).min(half_a))
    };
    // The first values of the parameters decide which ends are active. Later values would be
    // decided by rounding.
    let (mut s, mut is_inner_a) = (within(s, half_a), s.abs() < half_a);
    let t = s * cosine - center.dot(along);
    let (t, is_inner_b) = (within(t, half_b), t.abs() < half_b);
    if !is_inner_b {
        s = level + t * cosine;
        (s, is_inner_a) = (within(s, half_a), s.abs() < half_a);
    }
    let (point_a, point_b) = (axis * s, center + along * t);
    let (mut gap, reach) = (point_b - point_a, half_a + half_b + center.abs().max_element());
    let wide = tol::AXES_APART * reach;
    let (normal, length) = if wide * wide < gap.length_squared() {
        // Rounding is negligible here.
        direction(gap, 0.0, || side)
    } else {
        let noise = tol::GJK_TOUCHING * reach;
        // If the segments nearly intersect, the direction between them is rounding. The direction
        // perpendicular to both is used instead.
        let is_between = is_inner_a && is_inner_b;
        if is_inner_a {
            let side = if is_between { along - axis * cosine } else { DVec3::ZERO };
            gap = without_rounding_along(gap, axis, side, noise);
        } else if is_inner_b {
            gap = without_rounding_along(gap, along, DVec3::ZERO, noise);
        }
        let least = if is_between { noise.max(tol::CROSSING_AXES * reach * sqrt(sine_sq)) } else { noise };
        let toward = |gap: DVec3| if noise * noise < gap.length_squared() { gap } else { center };
        direction(gap, least, || across(cross, axis, side, toward(gap)))
    };
    let (margin_a, margin_b) = (a.margin, b.margin);
    Cores { distance: length, a: point_a, margin_a, b: point_b, margin_b, common: point_b, normal }
}

/// Clamps to `-half` and `half`. `f64::clamp` would be a call.
#[inline(always)]
fn within(x: f64, half: f64) -> f64 {
    let x = if x < -half { -half } else { x };
    if half < x { half } else { x }
}

/// Removes from the gap of two segments the rounding along segments whose nearest point is inside.
/// In a small gap that rounding is large, and it would be scaled by the distance of the ends. One
/// segment has the unit `axis`; `side` is the other direction's part perpendicular to it, or zero.
#[inline(always)]
fn without_rounding_along(gap: DVec3, axis: DVec3, side: DVec3, noise: f64) -> DVec3 {
    let gap = gap - axis * gap.dot(axis);
    let (along_side, side_sq) = (gap.dot(side), side.length_squared());
    // A larger component means that a nearest point is an end after all. For parallel segments the
    // first projection is enough.
    if 0.0 < side_sq && along_side * along_side <= noise * noise * side_sq {
        gap - side * (along_side / side_sq)
    } else {
        gap
    }
}

/// Returns the unit vector along plus or minus `normal`, on the side of `toward`, made
/// perpendicular to `axis`. Uses `otherwise` if there is none.
fn across(normal: DVec3, axis: DVec3, otherwise: DVec3, toward: DVec3) -> DVec3 {
    let (unit, _) = direction(normal, tol::GJK_TOUCHING, || otherwise);
    let (unit, _) = direction(unit - axis * unit.dot(axis), tol::GJK_TOUCHING, || otherwise);
    if unit.dot(toward) < 0.0 { -unit } else { unit }
}

/// Returns the cores of a box and a capsule with this centre and unit axis. `None` if numbers
/// overflow.
#[inline(always)]
pub(crate) fn cuboid_capsule(half: DVec3, b: Stick, center: DVec3, along: DVec3) -> Option<Cores> {
    let Stick { half: reach, margin: margin_b } = b;
    // The vector from the box to the segment's point at s, and half the slope of its squared
    // length.
    let offset = |s: f64| {
        let p = center + along * s;
        p - p.clamp(-half, half)
    };
    let slope = |s: f64| offset(s).dot(along);
    let (mut low, mut high) = (-reach, reach);
    let (mut slope_low, mut slope_high) = (slope(low), slope(high));
    let s = if 0.0 <= slope_low {
        low
    } else if slope_high <= 0.0 {
        high
    } else {
        // The slope is monotone, and linear between the points at which the segment crosses the
        // planes of the faces.
        for axis in 0..3 {
            for face in [-half[axis], half[axis]] {
                let s = (face - center[axis]) / along[axis];
                if low < s && s < high {
                    let slope_s = slope(s);
                    if slope_s <= 0.0 {
                        (low, slope_low) = (s, slope_s);
                    } else {
                        (high, slope_high) = (s, slope_s);
                    }
                }
            }
        }
        let rise = slope_high - slope_low;
        if 0.0 < rise { low - (high - low) * (slope_low / rise) } else { low }
    };
    let point_b = center + along * s;
    let point_a = point_b.clamp(-half, half);
    let size = half.max_element() + reach + center.abs().max_element();
    let noise = tol::GJK_TOUCHING * size;
    let gap = point_b - point_a;
    // If the segment runs along a face, the position on it is arbitrary up to rounding. That must
    // not turn the normal.
    let is_level = gap.abs().cmple(DVec3::splat(f64::EPSILON * size));
    let mut gap = DVec3::select(is_level, DVec3::ZERO, gap);
    if s.abs() < reach {
        // Made perpendicular to the segment, whose ends are far. Otherwise a small box below a long
        // tilted capsule would give its face normal, and the capsule's end would be off by the
        // tilt.
        gap = across_both(gap, along);
    }
    let length = sqrt(gap.length_squared());
    if !(noise < length) {
        return segment_in_box(half, center, along, reach).map(|cores| Cores {
            margin_b,
            common: point_a,
            ..cores
        });
    }
    let normal = gap * (1.0 / length);
    Some(Cores { distance: length, a: point_a, margin_a: 0.0, b: point_b, margin_b, common: point_b, normal })
}

/// Removes the rounding along the segment from the gap of a box and the inside of a segment. If the
/// segment crosses an edge of the box, the gap keeps its direction along that edge.
#[inline(always)]
fn across_both(gap: DVec3, along: DVec3) -> DVec3 {
    /// 2^-4. If less of the segment is perpendicular to the edge, the quotient exceeds the rounding
    /// that it is to remove.
    const ACROSS_SQ: f64 = f64::from_bits((1023 - 4) << 52);
    let is_level = gap.cmpeq(DVec3::ZERO);
    let side = DVec3::select(is_level, DVec3::ZERO, along);
    let side_sq = side.length_squared();
    if is_level.bitmask().count_ones() == 1 && ACROSS_SQ < side_sq {
        gap - side * (gap.dot(side) / side_sq)
    } else {
        gap - along * gap.dot(along)
    }
}

/// Returns the least depth of a segment in a box that it intersects. The segment has a centre, a
/// unit direction and half its length. The caller sets margins and the common point.
///
/// The Minkowski difference is bounded by the box's faces, and by its edges swept along the
/// segment: three axes of each kind.
fn segment_in_box(half: DVec3, center: DVec3, along: DVec3, reach: f64) -> Option<Cores> {
    let side = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
    let mut least = (f64::INFINITY, 0, false);
    for axis in 0..3 {
        let overlap = half[axis] + reach * along[axis].abs() - center[axis].abs();
        if overlap < least.0 {
            least = (overlap, axis, false);
        }
    }
    // An edge axis must be better by more than rounding: parallel to the segment it equals a face
    // axis.
    let tie = tol::SAT_TIE * (half.max_element() + reach);
    for axis in 0..3 {
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        // Components of the cross product of the edge's direction and the segment's.
        let (x, y) = (-along[k], along[j]);
        let room = half[j] * x.abs() + half[k] * y.abs() - (x * center[j] + y * center[k]).abs();
        let overlap = room / sqrt(x * x + y * y);
        // Parallel: NaN, so the comparison is false.
        if overlap < least.0 - tie {
            least = (overlap, axis, true);
        }
    }
    let (depth, axis, is_edge) = least;
    if !(depth < f64::INFINITY) {
        return None;
    }
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut normal = DVec3::ZERO;
    let s = if is_edge {
        let length = sqrt(along[j] * along[j] + along[k] * along[k]);
        (normal[j], normal[k]) = (-along[k] / length, along[j] / length);
        normal *= side(normal.dot(center));
        // The segment's point at the edge that is farthest out along the normal.
        let (edge_j, edge_k) = (half[j] * side(normal[j]), half[k] * side(normal[k]));
        let s = ((edge_j - center[j]) * along[j] + (edge_k - center[k]) * along[k]) / (length * length);
        s.clamp(-reach, reach)
    } else {
        normal[axis] = side(center[axis]);
        // The interval over the face. Its deepest end is the contact, or its middle if it is
        // parallel to the face.
        let (mut from, mut to) = (-reach, reach);
        for m in [j, k] {
            let (a, b) = ((-half[m] - center[m]) / along[m], (half[m] - center[m]) / along[m]);
            // Parallel to the side of the face: infinite or NaN, so there is no bound.
            if a.is_finite() && b.is_finite() {
                (from, to) = (from.max(a.min(b)), to.min(a.max(b)));
            }
        }
        let slope = normal[axis] * along[axis];
        if 0.0 < slope {
            from.min(to)
        } else if slope < 0.0 {
            to.max(from)
        } else {
            0.5 * (from + to)
        }
    };
    let point_b = center + along * s.clamp(-reach, reach);
    let point_a = point_b + normal * depth;
    Some(Cores {
        distance: -depth,
        a: point_a,
        margin_a: 0.0,
        b: point_b,
        margin_b: 0.0,
        common: point_b,
        normal,
    })
}
