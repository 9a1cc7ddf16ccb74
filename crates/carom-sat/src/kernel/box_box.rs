//! Box against box: fifteen axes, then the contacts of the two supporting faces.
//!
//! - The axis of least overlap, or of the largest gap, is among the six face normals and nine cross
//!   products of edges. Overlaps come from the rotation matrix in `f64`.
//! - Cross products are not normalised, and overlaps are compared by squares. A nearly parallel
//!   pair of edges then loses no accuracy.
//! - With a face axis, the other box's most opposed face is clipped against the reference face.
//! - An edge axis gives the crossing of the two edges. If the boxes also face each other, their
//!   faces are clipped along the axis.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, SIGGRAPH 1996 (the axes); C. Ericson,
//! Real-Time Collision Detection, 2005, 4.4.1; D. Gregorius, Robust Contact Creation for Physics
//! Simulations, GDC 2015.
//! Differs: the reported depth is the true minimum, and faces win over edges only in ties. For
//! stability it clips faces along an edge axis instead of preferring a face axis. The edges are
//! skipped if the deepest corner proves the best face. Figures are in `benches/notes/carom-sat.md`.

use super::super::num::{Contact, Manifold, Pose, Real, Vec3, narrow, narrow_real, widen, widen_real};
use super::placed_box::{BoxFace, PlacedBox};
use crate::clip::{Candidates, clip, edge_id};
use crate::closest;
use crate::reduce::{Candidate, Chosen, reduce};
use crate::{Counters, Tally};
use carom_geom::FeatureId;
use carom_lanes::{Kernel, Simd, dispatch};
use carom_math::{WidePose, ops::sqrt, scaling::length, scaling::unit, tol};
use core::cell::Cell;
use glam::DVec3;

/// The axis of least overlap of two boxes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BoxSeparation {
    /// Unit vector from A to B, in A's frame.
    pub normal: Vec3,
    /// Negative: minus the penetration depth, exact to rounding. B comes free if it moves that far
    /// along `normal`. Positive: a lower bound of the distance of the boxes.
    pub distance: Real,
    /// The number of the axis. 0 to 2 are faces of A, 3 to 5 are faces of B. 6 + 3 i + j is edge i
    /// of A and edge j of B.
    pub axis: u8,
    /// The number of axes tested: 6, or 15 if a face alone does not prove the least overlap.
    pub n_axes: u32,
}

/// Returns the axis of least overlap, or of the largest gap if the boxes are apart.
///
/// Half extents are not negative. Zero gives a flat box, a segment or a point. `b_in_a` is B's pose
/// in A's frame. `None` only for numbers that are not finite.
pub fn separation(half_a: Vec3, half_b: Vec3, b_in_a: &WidePose) -> Option<BoxSeparation> {
    let pair = BoxPair::new(half_a, half_b, b_in_a)?;
    let counters = Cell::new(Counters::default());
    let axis = dispatch(LeastOverlap { pair: &pair, prediction: f64::INFINITY, tally: &counters })?;
    Some(BoxSeparation {
        normal: narrow(axis.normal),
        distance: narrow_real(-axis.overlap),
        axis: axis.number,
        n_axes: counters.get().axes,
    })
}

/// Returns the contacts of two boxes that overlap, touch, or are apart by at most `prediction`.
/// `None` if they are farther apart.
///
/// In A's frame, normal from A to B, points on both surfaces, one to four contacts, none farther
/// than `prediction`. If the boxes overlap, the deepest contact's distance is minus the penetration
/// depth. If they are apart, it may exceed their distance where faces overlap along the normal.
/// Feature ids are those of `Cuboid`. Vertices have bits 0, 1, 2 for negative x, y, z. A face has 2
/// axis + 1 on the negative side.
pub fn manifold(half_a: Vec3, half_b: Vec3, b_in_a: &Pose, prediction: Real) -> Option<Manifold> {
    manifold_wide(half_a, half_b, &b_in_a.wide(), prediction)
}

/// As [`manifold`], from a pose in `f64`, such as the difference of two poses far from the origin.
pub fn manifold_wide(half_a: Vec3, half_b: Vec3, b_in_a: &WidePose, prediction: Real) -> Option<Manifold> {
    let mut manifold = Manifold::new(Vec3::ZERO);
    write_manifold(half_a, half_b, b_in_a, prediction, &mut Chosen::new(), &mut manifold).then_some(manifold)
}

/// As [`manifold_wide`], but writes into a manifold without contacts, such as a new one at the end
/// of a list. This saves a copy. Returns false, and writes nothing, if there are no contacts.
pub fn write_manifold(
    half_a: Vec3,
    half_b: Vec3,
    b_in_a: &WidePose,
    prediction: Real,
    chosen: &mut Chosen,
    out: &mut Manifold,
) -> bool {
    write_manifold_counted(half_a, half_b, b_in_a, prediction, chosen, out, ())
}

/// As [`write_manifold`], and counts its work in `tally`.
#[inline]
pub fn write_manifold_counted(
    half_a: Vec3,
    half_b: Vec3,
    b_in_a: &WidePose,
    prediction: Real,
    chosen: &mut Chosen,
    out: &mut Manifold,
    tally: impl Tally,
) -> bool {
    let prediction = widen_real(prediction);
    let mut to = Written { prediction, chosen, out };
    let Some(pair) = BoxPair::new(half_a, half_b, b_in_a) else { return false };
    let Some(axis) = dispatch(LeastOverlap { pair: &pair, prediction, tally }) else { return false };
    if 6 <= axis.number {
        if write_edge_contacts(&pair, &axis, &mut to) {
            return true;
        }
    } else {
        let mut candidates = Candidates::new();
        if axis.number < 3 {
            let face = (usize::from(axis.number), axis.positive);
            clip_rectangle(&pair, face, prediction, &mut candidates);
        } else {
            let face = (usize::from(axis.number - 3), axis.positive);
            clip_rectangle(&pair.swapped(), face, prediction, &mut candidates);
            for c in candidates.as_mut_slice() {
                *c = Candidate {
                    a: b_in_a.transform_point(c.b),
                    b: b_in_a.transform_point(c.a),
                    distance: c.distance,
                    feature_a: c.feature_b,
                    feature_b: c.feature_a,
                };
            }
        }
        if !candidates.is_empty() {
            to.write(candidates.as_mut_slice(), axis.normal);
            return true;
        }
    }
    let Some((closest, normal)) = closest_contact(&pair, &axis, prediction) else { return false };
    to.write(&mut [closest], normal);
    true
}

/// The destination of the contacts.
struct Written<'a> {
    prediction: f64,
    chosen: &'a mut Chosen,
    out: &'a mut Manifold,
}

impl Written<'_> {
    /// Writes as many of the contacts as a manifold has room for.
    #[inline(always)]
    fn write(&mut self, contacts: &mut [Candidate], normal: DVec3) {
        let n = reduce(contacts, normal, self.prediction, self.chosen);
        let normal = narrow(normal);
        self.out.set_normal(normal);
        for c in &contacts[..n] {
            self.out.push(
                Contact::new(narrow(c.a), narrow(c.b), normal, narrow_real(c.distance))
                    .with_features(c.feature_a, c.feature_b),
            );
        }
    }
}

/// Returns the one contact, and its normal, of boxes whose faces do not overlap along it. The boxes
/// are apart and side by side, or a flat box was lost to rounding.
#[inline(never)]
fn closest_contact(pair: &BoxPair, axis: &Axis, prediction: f64) -> Option<(Candidate, DVec3)> {
    let mut normal = axis.normal;
    let (placed_a, placed_b) = (pair.own(), pair.placed_b());
    let supporting = |n: DVec3| (BoxFace::supporting(&placed_a, n), BoxFace::supporting(&placed_b, -n));
    let (mut face_a, mut face_b) = supporting(normal);
    let (mut a, mut b) = closest::closest_points(face_a.face().points, face_b.face().points);
    let mut distance = (b - a).dot(normal);
    if axis.overlap < 0.0 {
        // These are the closest points if a slab of that thickness fits between the boxes. Else
        // other faces are closer.
        if !pair.is_gap(b - a) {
            (a, b) = closest::closest_polygons(
                (a, b),
                |f| placed_a.for_each_face(f),
                |f| placed_b.for_each_face(f),
            );
        }
        // A gap within rounding: the direction between the points is noise, but the axis is
        // accurate.
        distance = (b - a).dot(normal);
        if let Some(between) = unit(b - a)
            && tol::SAT_TIE * pair.size() < length(b - a)
        {
            normal = between;
            distance = length(b - a);
            (face_a, face_b) = supporting(normal);
        }
    }
    let closest = Candidate { a, b, distance, feature_a: face_a.id, feature_b: face_b.id };
    (distance <= prediction).then_some((closest, normal))
}

/// Two boxes in the frame of the first.
pub(super) struct BoxPair {
    pub(super) half_a: [f64; 3],
    pub(super) half_b: [f64; 3],
    /// `r[i][j]`: axis j of B along axis i of A.
    pub(super) r: [[f64; 3]; 3],
    pub(super) t: [f64; 3],
}

/// 2^-800: the squared sine of an angle too small to rotate a box. Far smaller values lose digits
/// by underflow.
const NO_ANGLE_SQ: f64 = f64::from_bits((1023 - 800) << 52);

pub(super) struct Axis {
    /// From A to B.
    pub(super) normal: DVec3,
    pub(super) overlap: f64,
    pub(super) number: u8,
    /// For a face axis: whether the face on the positive side of its box faces the other box.
    pub(super) positive: bool,
}

/// [`BoxPair::least_overlap`] compiled for each instruction set.
pub(super) struct LeastOverlap<'k, T> {
    pub(super) pair: &'k BoxPair,
    pub(super) prediction: f64,
    pub(super) tally: T,
}

impl<T: Tally> Kernel for LeastOverlap<'_, T> {
    type Output = Option<Axis>;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Option<Axis> {
        self.pair.least_overlap(self.prediction, self.tally)
    }
}

impl BoxPair {
    pub(super) fn new(half_a: Vec3, half_b: Vec3, b_in_a: &WidePose) -> Option<BoxPair> {
        let (half_a, half_b, t) = (widen(half_a), widen(half_b), b_in_a.translation);
        let (x, y, z) = (b_in_a.rotation.x_axis, b_in_a.rotation.y_axis, b_in_a.rotation.z_axis);
        // A sum keeps infinities and NaN.
        let sum = (half_a + half_b) + t + (x + y + z);
        (sum.x + sum.y + sum.z).is_finite().then(|| BoxPair {
            half_a: half_a.to_array(),
            half_b: half_b.to_array(),
            r: [[x.x, y.x, z.x], [x.y, y.y, z.y], [x.z, y.z, z.z]],
            t: t.to_array(),
        })
    }

    /// Returns the same pair in the frame of B.
    pub(super) fn swapped(&self) -> BoxPair {
        let (r, t) = (&self.r, &self.t);
        BoxPair {
            half_a: self.half_b,
            half_b: self.half_a,
            r: [[r[0][0], r[1][0], r[2][0]], [r[0][1], r[1][1], r[2][1]], [r[0][2], r[1][2], r[2][2]]],
            t: [
                -(t[0] * r[0][0] + t[1] * r[1][0] + t[2] * r[2][0]),
                -(t[0] * r[0][1] + t[1] * r[1][1] + t[2] * r[2][1]),
                -(t[0] * r[0][2] + t[1] * r[1][2] + t[2] * r[2][2]),
            ],
        }
    }

    pub(super) fn own(&self) -> PlacedBox {
        PlacedBox { center: DVec3::ZERO, axes: [DVec3::X, DVec3::Y, DVec3::Z], half: self.half_a }
    }

    pub(super) fn placed_b(&self) -> PlacedBox {
        PlacedBox {
            center: DVec3::from(self.t),
            axes: [self.axis_b(0), self.axis_b(1), self.axis_b(2)],
            half: self.half_b,
        }
    }

    fn axis_b(&self, j: usize) -> DVec3 {
        DVec3::new(self.r[0][j], self.r[1][j], self.r[2][j])
    }

    pub(super) fn size(&self) -> f64 {
        let (a, b) = (&self.half_a, &self.half_b);
        a[0] + a[1] + a[2] + b[0] + b[1] + b[2]
    }

    /// Whether a slab fits between the boxes: as thick as the vector `between` from A to B is long,
    /// and normal to it.
    fn is_gap(&self, between: DVec3) -> bool {
        let Some(normal) = unit(between) else { return false };
        let radius = |placed: &PlacedBox| {
            (0..3).fold(0.0, |sum, k| sum + placed.half[k] * placed.axes[k].dot(normal).abs())
        };
        let gap = DVec3::from(self.t).dot(normal) - radius(&self.own()) - radius(&self.placed_b());
        length(between) <= gap + tol::SAT_TIE * self.size()
    }

    /// Returns the axis of least overlap, or `None` if an axis shows a gap larger than
    /// `prediction`.
    #[inline(always)]
    fn least_overlap(&self, prediction: f64, tally: impl Tally) -> Option<Axis> {
        let BoxPair { half_a, half_b, r, t } = self;
        let [x, y, z] = r;
        let abs = [
            [x[0].abs(), x[1].abs(), x[2].abs()],
            [y[0].abs(), y[1].abs(), y[2].abs()],
            [z[0].abs(), z[1].abs(), z[2].abs()],
        ];
        let tie = tol::SAT_TIE * self.size();

        let mut best = f64::INFINITY;
        let mut number = 0;
        for i in 0..3 {
            let radius_b = abs[i][0] * half_b[0] + abs[i][1] * half_b[1] + abs[i][2] * half_b[2];
            let overlap = half_a[i] + radius_b - t[i].abs();
            tally.count(|counters| counters.axes += 1);
            if overlap < -prediction {
                return None;
            }
            if overlap < best - tie {
                best = overlap;
                number = i;
            }
        }
        let mut along_b = [0.0; 3];
        for j in 0..3 {
            along_b[j] = t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j];
            let radius_a = abs[0][j] * half_a[0] + abs[1][j] * half_a[1] + abs[2][j] * half_a[2];
            let overlap = half_b[j] + radius_a - along_b[j].abs();
            tally.count(|counters| counters.axes += 1);
            if overlap < -prediction {
                return None;
            }
            if overlap < best - tie {
                best = overlap;
                number = 3 + j;
            }
        }

        if self.is_least_of_all(number, along_b, best) {
            return Some(self.face_axis(number, along_b, best));
        }
        // Edge i of A and j of B: l = e_i x b_j, not normalised. Overlaps o / |l| are compared by
        // their signed squares, o |o| / l^2.
        let limit = best - tie;
        let mut best_square = limit * limit.abs();
        let gap_square = if prediction < f64::INFINITY { prediction * prediction } else { f64::INFINITY };
        let mut best_edge = None;
        let rows = [self.edges_along::<0>(), self.edges_along::<1>(), self.edges_along::<2>()];
        tally.count(|counters| counters.axes += 9);
        let mut is_apart = [false; 4];
        for (i, (overlaps, lengths_sq)) in rows.iter().enumerate() {
            // All lanes first: few are better than the best face, and the best of those is found
            // below.
            let (mut squares, mut is_better) = ([0.0; 4], [false; 4]);
            for j in 0..4 {
                let (overlap, length_sq) = (overlaps[j], lengths_sq[j]);
                squares[j] = overlap * overlap.abs();
                // Parallel edges have no cross product: 0 < 0 is false.
                let has_angle = NO_ANGLE_SQ <= length_sq;
                is_apart[j] |= (squares[j] < -gap_square * length_sq) & has_angle;
                is_better[j] = (squares[j] < best_square * length_sq) & has_angle;
            }
            if is_better[0] | is_better[1] | is_better[2] {
                for j in 0..3 {
                    if is_better[j] && squares[j] < best_square * lengths_sq[j] {
                        best_square = squares[j] / lengths_sq[j];
                        best_edge = Some((i, j, overlaps[j], lengths_sq[j]));
                    }
                }
            }
        }
        if is_apart[0] | is_apart[1] | is_apart[2] {
            return None;
        }
        if let Some((i, j, overlap, length_sq)) = best_edge {
            let length = sqrt(length_sq);
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            let (l1, l2) = (-r[i2][j] / length, r[i1][j] / length);
            let normal = in_turn(i, 0.0, l1, l2);
            let forward = l1 * t[i1] + l2 * t[i2];
            let normal = if forward < 0.0 { -normal } else { normal };
            return Some(Axis {
                normal,
                overlap: overlap / length,
                number: (6 + 3 * i + j) as u8,
                positive: true,
            });
        }
        Some(self.face_axis(number, along_b, best))
    }

    /// Returns the overlaps along the cross products of A's axis `I` with the three of B. They are
    /// scaled by the lengths of the products, whose squares are returned too. Lanes of four; the
    /// last is unused.
    #[inline(always)]
    fn edges_along<const I: usize>(&self) -> ([f64; 4], [f64; 4]) {
        let BoxPair { half_a, half_b: h, r, t } = self;
        let (i1, i2) = ((I + 1) % 3, (I + 2) % 3);
        let (y, z) = (&r[i1], &r[i2]);
        let (half_1, half_2) = ([h[1], h[2], h[0], 0.0], [h[2], h[0], h[1], 0.0]);
        let (y, y_1, y_2) = ([y[0], y[1], y[2], 0.0], [y[1], y[2], y[0], 0.0], [y[2], y[0], y[1], 0.0]);
        let (z, z_1, z_2) = ([z[0], z[1], z[2], 0.0], [z[1], z[2], z[0], 0.0], [z[2], z[0], z[1], 0.0]);
        let (mut overlaps, mut lengths_sq) = ([0.0; 4], [0.0; 4]);
        for j in 0..4 {
            let (l1, l2) = (-z[j], y[j]); // Components of l along axes i1 and i2 of A.
            lengths_sq[j] = l1 * l1 + l2 * l2;
            let radius_a = half_a[i1] * l1.abs() + half_a[i2] * l2.abs();
            // l . b_j1 from the components: r[i][j2] equals it only to rounding of 1, not of |l|.
            let radius_b =
                half_1[j] * (l1 * y_1[j] + l2 * z_1[j]).abs() + half_2[j] * (l1 * y_2[j] + l2 * z_2[j]).abs();
            overlaps[j] = radius_a + radius_b - (l1 * t[i1] + l2 * t[i2]).abs();
        }
        (overlaps, lengths_sq)
    }

    /// Returns one of the six face normals as the answer. `along_b` is the centre of B along its
    /// own axes.
    #[inline(always)]
    fn face_axis(&self, number: usize, along_b: [f64; 3], overlap: f64) -> Axis {
        let (normal, positive) = if number < 3 {
            let positive = 0.0 <= self.t[number];
            (in_turn(number, if positive { 1.0 } else { -1.0 }, 0.0, 0.0), positive)
        } else {
            let positive = along_b[number - 3] < 0.0;
            let axis = self.axis_b(number - 3);
            (if positive { -axis } else { axis }, positive)
        };
        Axis { normal, overlap, number: number as u8, positive }
    }

    /// Whether no axis has less overlap than this face. It holds if the other box's deepest corner
    /// is inside, and this face is its nearest exit. The nine edge axes can then be skipped.
    #[inline(always)]
    fn is_least_of_all(&self, number: usize, along_b: [f64; 3], overlap: f64) -> bool {
        let BoxPair { half_a, half_b, r, t } = self;
        let room = overlap.max(0.0);
        let k = number % 3;
        let (m, n) = ((k + 1) % 3, (k + 2) % 3);
        let (own, x, y) = if number < 3 {
            // The corner farthest against the normal: its offset along each axis of B has the sign
            // of that axis along the normal.
            let offset = |j: usize| half_b[j].copysign(r[k][j] * t[k]);
            let (u, v, w) = (offset(0), offset(1), offset(2));
            let corner = |m: usize| t[m] - (r[m][0] * u + r[m][1] * v + r[m][2] * w);
            (half_a, corner(m), corner(n))
        } else {
            let offset = |i: usize| half_a[i].copysign(r[i][k] * along_b[k]);
            let (u, v, w) = (offset(0), offset(1), offset(2));
            let corner = |m: usize| along_b[m] - (r[0][m] * u + r[1][m] * v + r[2][m] * w);
            (half_b, corner(m), corner(n))
        };
        overlap <= own[k] && x.abs() + room <= own[m] && y.abs() + room <= own[n]
    }
}

/// Returns the vector with these components along an axis and the two that follow it cyclically. It
/// avoids an array: a vector load right after scalar stores stalls.
#[inline(always)]
pub(super) fn in_turn(axis: usize, own: f64, next: f64, last: f64) -> DVec3 {
    match axis {
        0 => DVec3::new(own, next, last),
        1 => DVec3::new(last, own, next),
        _ => DVec3::new(next, last, own),
    }
}

#[derive(Clone, Copy)]
struct Corner {
    u: f64,
    v: f64,
    w: f64,
    /// 0 to 3: edges of the incident face. 4 to 7: sides of the rectangle.
    edge_in: u8,
    edge_out: u8,
}

/// The most corners of a quadrilateral clipped by four lines.
pub(super) const MAX_CORNERS: usize = 8;

/// Clips B's face most opposed to a face of A (its axis and side) against A's rectangle. Candidates
/// are in A's frame.
#[inline]
pub(super) fn clip_rectangle(
    pair: &BoxPair,
    face: (usize, bool),
    prediction: f64,
    out: &mut Candidates<MAX_CORNERS>,
) {
    clip_along(pair, face, None, prediction, out);
}

/// Takes the faces of both boxes farthest along the unit normal. Projects B's along it onto the
/// plane of A's, and clips it against A's rectangle. Candidates are in A's frame, with distances
/// along the normal.
#[inline(never)]
fn clip_slanted(pair: &BoxPair, normal: DVec3, prediction: f64, out: &mut Candidates<MAX_CORNERS>) {
    let i = normal.abs().max_position();
    clip_along(pair, (i, 0.0 <= normal[i]), Some(normal), prediction, out);
}

/// As [`clip_rectangle`] along the normal of A's face, or as [`clip_slanted`] along another one.
#[inline(always)]
fn clip_along(
    pair: &BoxPair,
    (i, positive): (usize, bool),
    along: Option<DVec3>,
    prediction: f64,
    out: &mut Candidates<MAX_CORNERS>,
) {
    let BoxPair { half_a, half_b, r, t } = pair;
    let sign = if positive { 1.0 } else { -1.0 };
    let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
    let against = along.map_or(r[i], |n| [0, 1, 2].map(|k| sign * pair.axis_b(k).dot(n)));
    let mut j = 0;
    for k in 1..3 {
        if against[j].abs() < against[k].abs() {
            j = k;
        }
    }
    let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
    // The side of B that faces against the normal.
    let b_positive = sign * against[j] < 0.0;
    let b_sign = if b_positive { 1.0 } else { -1.0 };

    let column = |k: usize, scale: f64| [r[i1][k] * scale, r[i2][k] * scale, r[i][k] * scale * sign];
    let (c, e1, e2) = (column(j, b_sign * half_b[j]), column(j1, half_b[j1]), column(j2, half_b[j2]));
    let center = [t[i1] + c[0], t[i2] + c[1], t[i] * sign + c[2]];
    let mut corners = [Corner { u: 0.0, v: 0.0, w: 0.0, edge_in: 0, edge_out: 0 }; MAX_CORNERS];
    for (k, (s1, s2)) in QUAD.into_iter().enumerate() {
        corners[k] = Corner {
            u: center[0] + e1[0] * s1 + e2[0] * s2,
            v: center[1] + e1[1] * s1 + e2[1] * s2,
            w: center[2] + e1[2] * s1 + e2[2] * s2,
            edge_in: (k as u8 + 3) % 4,
            edge_out: k as u8,
        };
        if let Some(n) = along {
            // From here on `w` is the half extent plus the travel along the normal. `u` and `v` are
            // the position where that travel ends.
            let corner = &mut corners[k];
            let way = (corner.w - half_a[i]) / (n[i] * sign);
            (corner.u, corner.v) = (corner.u - n[i1] * way, corner.v - n[i2] * way);
            corner.w = half_a[i] + way;
        }
    }
    let on_side = tol::CLIP_ON_PLANE * pair.size();
    // The extent of the four corners: most sides cut nothing.
    let [p, q, r, s, ..] = &corners;
    let most = |[a, b, c, d]: [f64; 4]| a.max(b).max(c.max(d));
    let (most_u, most_v) = (most([p.u, q.u, r.u, s.u]), most([p.v, q.v, r.v, s.v]));
    let (far_u, far_v) = (most([-p.u, -q.u, -r.u, -s.u]), most([-p.v, -q.v, -r.v, -s.v]));
    let sides = [
        (most_u, 1.0, 0.0, half_a[i1]),
        (most_v, 0.0, 1.0, half_a[i2]),
        (far_u, -1.0, 0.0, half_a[i1]),
        (far_v, 0.0, -1.0, half_a[i2]),
    ];
    let mut n = 4;
    let mut spare = corners;
    let (mut corners, mut spare) = (&mut corners, &mut spare);
    for (side, (most, u, v, half)) in sides.into_iter().enumerate() {
        if most - half <= on_side {
            continue;
        }
        // One of u and v is 1, the other 0, so the height is exact.
        let height = |c: &Corner| c.u * u + c.v * v - half;
        if let Some(n_new) = clip_side(corners, n, 4 + side as u8, on_side, height, spare) {
            n = n_new;
            core::mem::swap(&mut corners, &mut spare);
        }
    }

    let ids = FaceIds { reference: (i, positive), incident: (j, b_positive) };
    for (k, corner) in corners[..n].iter().enumerate() {
        let distance = corner.w - half_a[i];
        if !(distance <= prediction) {
            continue;
        }
        let previous = &corners[if k == 0 { n - 1 } else { k - 1 }];
        if n > 1 && (corner.u, corner.v, corner.w) == (previous.u, previous.v, previous.w) {
            continue; // A flat box: the same point twice.
        }
        let point = |w: f64| in_turn(i, w * sign, corner.u, corner.v);
        let (feature_a, feature_b) = ids.of(corner);
        let a = point(half_a[i]);
        let b = along.map_or_else(|| point(corner.w), |n| a + n * distance);
        out.push(Candidate { a, b, distance, feature_a, feature_b });
    }
}

/// The corners around a face.
pub(super) const QUAD: [(f64, f64); 4] = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];

/// Clips the polygon to `height <= 0` and returns its new number of corners, or `None` if nothing
/// is cut off.
#[inline(always)]
fn clip_side(
    old: &[Corner; MAX_CORNERS],
    n: usize,
    plane: u8,
    on_side: f64,
    height: impl Fn(&Corner) -> f64,
    corners: &mut [Corner; MAX_CORNERS],
) -> Option<usize> {
    let mut heights = [0.0; MAX_CORNERS];
    let mut any_outside = false;
    for k in 0..n {
        heights[k] = height(&old[k]);
        if heights[k].abs() <= on_side {
            heights[k] = 0.0;
        }
        any_outside |= 0.0 < heights[k];
    }
    if !any_outside {
        return None;
    }
    let mut n_new = 0;
    let mut push = |corner: Corner| {
        if n_new < MAX_CORNERS {
            corners[n_new] = corner;
            n_new += 1;
        }
    };
    for k in 0..n {
        let m = if k + 1 == n { 0 } else { k + 1 };
        let (p, q) = (&old[k], &old[m]);
        if heights[k] <= 0.0 {
            push(*p);
        }
        if (heights[k] < 0.0 && 0.0 < heights[m]) || (0.0 < heights[k] && heights[m] < 0.0) {
            let s = heights[k] / (heights[k] - heights[m]);
            let (edge_in, edge_out) =
                if heights[k] < 0.0 { (p.edge_out, plane) } else { (plane, p.edge_out) };
            push(Corner {
                u: p.u + (q.u - p.u) * s,
                v: p.v + (q.v - p.v) * s,
                w: p.w + (q.w - p.w) * s,
                edge_in,
                edge_out,
            });
        }
    }
    Some(n_new)
}

/// The feature ids of the corners of a clipped face.
struct FaceIds {
    reference: (usize, bool),
    incident: (usize, bool),
}

impl FaceIds {
    fn of(&self, corner: &Corner) -> (FeatureId, FeatureId) {
        let (e_in, e_out) = (corner.edge_in, corner.edge_out);
        match (e_in < 4, e_out < 4) {
            (true, true) => (face_id(self.reference), quad_vertex(self.incident, e_out)),
            (true, false) => (rectangle_edge(self.reference, e_out - 4), quad_edge(self.incident, e_in)),
            (false, true) => (rectangle_edge(self.reference, e_in - 4), quad_edge(self.incident, e_out)),
            (false, false) => (rectangle_vertex(self.reference, e_in - 4, e_out - 4), face_id(self.incident)),
        }
    }
}

/// Returns the id of a face, given by an axis and a side.
pub(super) fn face_id((axis, positive): (usize, bool)) -> FeatureId {
    FeatureId::face(2 * axis as u32 + u32::from(!positive))
}

fn vertex_id((axis, positive): (usize, bool), positive1: bool, positive2: bool) -> FeatureId {
    FeatureId::vertex(
        u32::from(!positive) << axis
            | u32::from(!positive1) << ((axis + 1) % 3)
            | u32::from(!positive2) << ((axis + 2) % 3),
    )
}

pub(super) fn quad_vertex(face: (usize, bool), k: u8) -> FeatureId {
    let (s1, s2) = QUAD[usize::from(k)];
    vertex_id(face, 0.0 < s1, 0.0 < s2)
}

fn quad_edge(face: (usize, bool), k: u8) -> FeatureId {
    edge_id(quad_vertex(face, k), quad_vertex(face, (k + 1) % 4))
}

/// Returns the id of a side's edge. Sides 0 to 3: +u, +v, -u, -v.
fn rectangle_edge(face: (usize, bool), side: u8) -> FeatureId {
    let corner = |s1: bool, s2: bool| vertex_id(face, s1, s2);
    match side {
        0 => edge_id(corner(true, false), corner(true, true)),
        1 => edge_id(corner(false, true), corner(true, true)),
        2 => edge_id(corner(false, false), corner(false, true)),
        _ => edge_id(corner(false, false), corner(true, false)),
    }
}

/// Returns the vertex between two sides. Opposite sides meet only on a face without width, and give
/// one of their vertices.
fn rectangle_vertex(face: (usize, bool), side: u8, other: u8) -> FeatureId {
    let u = side == 0 || other == 0;
    let v = side == 1 || other == 1;
    vertex_id(face, u, v)
}

/// Writes the contacts of an edge axis. Returns false, and writes nothing, if there are none.
fn write_edge_contacts(pair: &BoxPair, axis: &Axis, to: &mut Written<'_>) -> bool {
    let Axis { normal, overlap, number, .. } = *axis;
    let (a, b) = (pair.own(), pair.placed_b());
    let facing = a.cosine(normal).min(b.cosine(normal));
    if tol::NEARLY_FACING < facing
        && let Some(is_written) = write_shared_face(pair, (&a, &b), axis, to)
    {
        return is_written;
    }
    let (i, j) = (usize::from(number - 6) / 3, usize::from(number - 6) % 3);
    let (start_a, end_a, id_a) = supporting_edge(&a, i, normal);
    let (start_b, end_b, id_b) = supporting_edge(&b, j, -normal);
    let (point_a, point_b, is_crossing) = closest::crossing(start_a, end_a, start_b, end_b, normal);
    let distance = (point_b - point_a).dot(normal);
    // The boxes are apart, and not nearest along this axis.
    let is_elsewhere = overlap < 0.0 && !is_crossing;
    let is_contact = !is_elsewhere && distance <= to.prediction;
    // One contact does not support a box that leans on the edge of another.
    if is_contact
        && 0.0 <= overlap
        && tol::FACING < facing
        && facing <= tol::NEARLY_FACING
        && write_slanted_face(pair, axis, to)
    {
        return true;
    }
    if is_contact {
        let crossing = Candidate { a: point_a, b: point_b, distance, feature_a: id_a, feature_b: id_b };
        to.write(&mut [crossing], normal);
    }
    is_contact
}

/// Writes the contacts of overlapping boxes whose faces lean against the axis. Returns false, and
/// writes nothing, if the faces are less deep than the boxes, such as those without width.
#[inline(always)]
fn write_slanted_face(pair: &BoxPair, axis: &Axis, to: &mut Written<'_>) -> bool {
    let mut shared = Candidates::<MAX_CORNERS>::new();
    clip_slanted(pair, axis.normal, to.prediction, &mut shared);
    let tie = tol::SAT_TIE * pair.size();
    let is_as_deep = shared.keep_within(-axis.overlap - tie, to.prediction) <= tie - axis.overlap;
    if is_as_deep {
        to.write(shared.as_mut_slice(), axis.normal);
    }
    is_as_deep
}

/// As [`write_slanted_face`], for boxes that nearly face each other along the axis. It clips their
/// faces. `None` if those are less deep than the boxes.
#[inline(never)]
fn write_shared_face(
    pair: &BoxPair,
    (a, b): (&PlacedBox, &PlacedBox),
    axis: &Axis,
    to: &mut Written<'_>,
) -> Option<bool> {
    let Axis { normal, overlap, .. } = *axis;
    let mut shared = Candidates::<MAX_CORNERS>::new();
    let (face_a, face_b) = (BoxFace::supporting(a, normal), BoxFace::supporting(b, -normal));
    clip(&face_a.face(), &face_b.face(), normal, &mut shared);
    let tie = tol::SAT_TIE * pair.size();
    let deepest = shared.keep_within(-overlap - tie, to.prediction);
    // Otherwise the boxes have no width: their faces are lines, which clipping may lose.
    (deepest <= tie - overlap).then(|| {
        let list = shared.as_mut_slice();
        let mut contacts = list.iter().map(|c| (c.a, c.b, c.distance));
        let is_beside = overlap < -tie && closest::is_nearest_beside(&mut contacts, tie);
        if !is_beside {
            to.write(list, normal);
        }
        !is_beside
    })
}

/// Returns the edge along `axis` that is farthest in `direction`.
pub(super) fn supporting_edge(
    placed: &PlacedBox,
    axis: usize,
    direction: DVec3,
) -> (DVec3, DVec3, FeatureId) {
    let (k1, k2) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut middle = placed.center;
    let mut bits = 0;
    for k in [k1, k2] {
        let positive = 0.0 <= placed.axes[k].dot(direction);
        middle += placed.axes[k] * if positive { placed.half[k] } else { -placed.half[k] };
        bits |= u32::from(!positive) << k;
    }
    let along = placed.axes[axis] * placed.half[axis];
    (middle - along, middle + along, edge_id(FeatureId::vertex(bits), FeatureId::vertex(bits | 1 << axis)))
}
