//! Box against box: fifteen axes, then the contacts that the two supporting faces share.
//!
//! The axis of least overlap, or of the largest gap, is found among the six face normals and the nine cross products
//! of edges, every overlap computed from the rotation matrix in `f64`. The cross products are not
//! normalised and their overlaps are compared by squares, so a nearly parallel pair of edges costs no accuracy. A face
//! axis is the reference: the other box's most opposed face is clipped against its rectangle. An edge axis gives the
//! crossing of the two edges, or, where both boxes also face each other nearly, the same clipping along the axis.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, SIGGRAPH 1996 (the axes); C. Ericson, Real-Time
//! Collision Detection, 2005, 4.4.1; D. Gregorius, Robust Contact Creation for Physics Simulations, GDC 2015.
//! Differs: the depth reported is the true minimum; faces win over edges only ties to rounding, and stability comes
//! from clipping faces along an edge axis instead of from preferring a deeper face axis.

use super::super::num::{Contact, Manifold, Pose, Real, Vec3, narrow, narrow_real, widen, widen_real};
use crate::clip::{Candidates, Face, clip, edge_id};
use crate::closest;
use crate::reduce::{Candidate, reduce};
use carom_geom::FeatureId;
use carom_math::{WidePose, ops::sqrt, scaling::length, scaling::unit, tol};
use glam::DVec3;

/// The axis of least overlap of two boxes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BoxSeparation {
    /// Unit vector from A to B, in A's frame.
    pub normal: Vec3,
    /// Negative: minus the penetration depth, the least distance that B must move, along `normal`, to come free;
    /// exact to rounding. Positive: the boxes are apart by at least this.
    pub distance: Real,
    /// Which of the fifteen axes: 0 to 2 faces of A, 3 to 5 faces of B, 6 + 3 i + j edge i of A and edge j of B.
    pub axis: u8,
}

/// The axis of least overlap, or, for boxes that are apart, of the largest gap.
///
/// Half extents not negative; zero is a flat box, a segment or a point. `b_in_a` is B's pose in A's frame. `None`
/// only for numbers that are not finite.
pub fn separation(half_a: Vec3, half_b: Vec3, b_in_a: &WidePose) -> Option<BoxSeparation> {
    let pair = BoxPair::new(half_a, half_b, b_in_a)?;
    let axis = pair.least_overlap(f64::INFINITY)?;
    Some(BoxSeparation {
        normal: narrow(axis.normal),
        distance: narrow_real(-axis.overlap),
        axis: axis.number,
    })
}

/// The contacts of two boxes that overlap, touch, or are apart by at most `prediction`; `None` when farther apart.
///
/// In A's frame, normal from A to B, points on the surfaces of both, one to four contacts, none farther than
/// `prediction`. The deepest contact's distance is minus the penetration depth; of boxes that are apart it may be more
/// than their distance where faces cover each other. Feature ids of
/// vertices (bits 0, 1, 2: negative x, y, z) and faces (2 axis + 1 for the negative side) are those of `Cuboid`.
pub fn manifold(half_a: Vec3, half_b: Vec3, b_in_a: &Pose, prediction: Real) -> Option<Manifold> {
    manifold_wide(half_a, half_b, &b_in_a.wide(), prediction)
}

/// [`manifold`] from a pose in `f64`, such as the difference of two poses far from the origin.
pub fn manifold_wide(half_a: Vec3, half_b: Vec3, b_in_a: &WidePose, prediction: Real) -> Option<Manifold> {
    let prediction = widen_real(prediction);
    let pair = BoxPair::new(half_a, half_b, b_in_a)?;
    let axis = pair.least_overlap(prediction)?;
    let mut candidates = Candidates::new();
    let mut normal = axis.normal;
    match axis.number {
        0..3 => {
            let face = (usize::from(axis.number), axis.positive);
            clip_rectangle(&pair, face, prediction, &mut candidates);
        }
        3..6 => {
            let other = pair.swapped();
            let face = (usize::from(axis.number - 3), axis.positive);
            clip_rectangle(&other, face, prediction, &mut candidates);
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
        _ => edge_contacts(&pair, &axis, prediction, &mut candidates),
    }
    if candidates.is_empty() {
        // The faces do not cover each other: apart and side by side, or a flat box lost to rounding.
        let (placed_a, placed_b) = (pair.own(), pair.placed_b());
        let supporting = |n: DVec3| (BoxFace::supporting(&placed_a, n), BoxFace::supporting(&placed_b, -n));
        let (mut face_a, mut face_b) = supporting(normal);
        let (mut a, mut b) = closest::closest_points(face_a.face().points, face_b.face().points);
        let mut distance = (b - a).dot(normal);
        if axis.overlap < 0.0 {
            // Closest in all where a slab as thick has room between the boxes; else it is other faces that are.
            if !pair.is_gap(b - a) {
                (a, b) = closest::closest_polygons(
                    (a, b),
                    |f| placed_a.for_each_face(f),
                    |f| placed_b.for_each_face(f),
                );
            }
            // Apart by rounding, the way from one to the other is noise, and the axis is not.
            distance = (b - a).dot(normal);
            if let Some(between) = unit(b - a)
                && tol::SAT_TIE * pair.size() < length(b - a)
            {
                normal = between;
                distance = length(b - a);
                (face_a, face_b) = supporting(normal);
            }
        }
        if !(distance <= prediction) {
            return None;
        }
        candidates.push(Candidate { a, b, distance, feature_a: face_a.id, feature_b: face_b.id });
    }
    let list = candidates.as_mut_slice();
    let n = reduce(list, normal);
    let mut manifold = Manifold::new(narrow(normal));
    for c in &list[..n] {
        manifold.push(
            Contact::new(narrow(c.a), narrow(c.b), narrow(normal), narrow_real(c.distance))
                .with_features(c.feature_a, c.feature_b),
        );
    }
    Some(manifold)
}

/// Two boxes in the frame of the first.
struct BoxPair {
    half_a: [f64; 3],
    half_b: [f64; 3],
    /// `r[i][j]`: axis j of B along axis i of A.
    r: [[f64; 3]; 3],
    t: [f64; 3],
}

/// 2^-800: the squared sine of an angle that turns no box by anything. Underflow takes the digits of much less.
const NO_ANGLE_SQ: f64 = f64::from_bits((1023 - 800) << 52);

struct Axis {
    /// From A to B.
    normal: DVec3,
    overlap: f64,
    number: u8,
    /// Of a face axis: the face on the positive side of its box looks at the other box.
    positive: bool,
}

impl BoxPair {
    fn new(half_a: Vec3, half_b: Vec3, b_in_a: &WidePose) -> Option<BoxPair> {
        let (half_a, half_b) = (widen(half_a), widen(half_b));
        let columns = b_in_a.rotation.to_cols_array_2d();
        let r = [0, 1, 2].map(|i| [columns[0][i], columns[1][i], columns[2][i]]);
        let finite = half_a.is_finite()
            && half_b.is_finite()
            && b_in_a.translation.is_finite()
            && b_in_a.rotation.is_finite();
        finite.then(|| BoxPair {
            half_a: half_a.to_array(),
            half_b: half_b.to_array(),
            r,
            t: b_in_a.translation.to_array(),
        })
    }

    /// The same pair in the frame of B.
    fn swapped(&self) -> BoxPair {
        let (r, t) = (&self.r, &self.t);
        BoxPair {
            half_a: self.half_b,
            half_b: self.half_a,
            r: [0, 1, 2].map(|j| [r[0][j], r[1][j], r[2][j]]),
            t: [0, 1, 2].map(|j| -(t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j])),
        }
    }

    fn own(&self) -> PlacedBox {
        PlacedBox { center: DVec3::ZERO, axes: [DVec3::X, DVec3::Y, DVec3::Z], half: self.half_a }
    }

    fn placed_b(&self) -> PlacedBox {
        PlacedBox {
            center: DVec3::from(self.t),
            axes: [self.axis_b(0), self.axis_b(1), self.axis_b(2)],
            half: self.half_b,
        }
    }

    fn axis_b(&self, j: usize) -> DVec3 {
        DVec3::new(self.r[0][j], self.r[1][j], self.r[2][j])
    }

    fn size(&self) -> f64 {
        let (a, b) = (&self.half_a, &self.half_b);
        a[0] + a[1] + a[2] + b[0] + b[1] + b[2]
    }

    /// The boxes leave room between them for a slab that is this thick and lies across this vector from A to B.
    fn is_gap(&self, between: DVec3) -> bool {
        let Some(normal) = unit(between) else { return false };
        let radius = |placed: &PlacedBox| {
            (0..3).fold(0.0, |sum, k| sum + placed.half[k] * placed.axes[k].dot(normal).abs())
        };
        let gap = DVec3::from(self.t).dot(normal) - radius(&self.own()) - radius(&self.placed_b());
        length(between) <= gap + tol::SAT_TIE * self.size()
    }

    /// `None` when some axis shows a gap larger than `prediction`.
    #[inline]
    fn least_overlap(&self, prediction: f64) -> Option<Axis> {
        let BoxPair { half_a, half_b, r, t } = self;
        let abs = r.map(|row| row.map(f64::abs));
        let tie = tol::SAT_TIE * self.size();

        let mut best = f64::INFINITY;
        let mut number = 0;
        for i in 0..3 {
            let radius_b = abs[i][0] * half_b[0] + abs[i][1] * half_b[1] + abs[i][2] * half_b[2];
            let overlap = half_a[i] + radius_b - t[i].abs();
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
            if overlap < -prediction {
                return None;
            }
            if overlap < best - tie {
                best = overlap;
                number = 3 + j;
            }
        }

        // Edge i of A and j of B: l = e_i x b_j, not normalised. Overlaps o / |l| are compared by o |o| / l^2.
        let limit = best - tie;
        let mut best_square = limit * limit.abs();
        let gap_square = if prediction < f64::INFINITY { prediction * prediction } else { f64::INFINITY };
        let mut best_edge = None;
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
                let (l1, l2) = (-r[i2][j], r[i1][j]); // Components of l along axes i1 and i2 of A.
                let length_sq = l1 * l1 + l2 * l2;
                let radius_a = half_a[i1] * l1.abs() + half_a[i2] * l2.abs();
                // l . b_j1 from the components, because r[i][j2] equals it only to rounding of 1, not of |l|.
                let radius_b = half_b[j1] * (l1 * r[i1][j1] + l2 * r[i2][j1]).abs()
                    + half_b[j2] * (l1 * r[i1][j2] + l2 * r[i2][j2]).abs();
                let overlap = radius_a + radius_b - (l1 * t[i1] + l2 * t[i2]).abs();
                let square = overlap * overlap.abs();
                if square < -gap_square * length_sq && NO_ANGLE_SQ <= length_sq {
                    return None;
                }
                // Parallel edges have no cross product: 0 < 0 is false.
                if square < best_square * length_sq && NO_ANGLE_SQ <= length_sq {
                    best_square = square / length_sq;
                    best_edge = Some((i, j, overlap, length_sq));
                }
            }
        }
        if let Some((i, j, overlap, length_sq)) = best_edge {
            let length = sqrt(length_sq);
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            let mut l = [0.0; 3];
            l[i1] = -r[i2][j] / length;
            l[i2] = r[i1][j] / length;
            let forward = l[i1] * t[i1] + l[i2] * t[i2];
            let normal = if forward < 0.0 { -DVec3::from(l) } else { DVec3::from(l) };
            return Some(Axis {
                normal,
                overlap: overlap / length,
                number: (6 + 3 * i + j) as u8,
                positive: true,
            });
        }
        let (normal, positive) = if number < 3 {
            let positive = 0.0 <= t[number];
            let mut e = [0.0; 3];
            e[number] = if positive { 1.0 } else { -1.0 };
            (DVec3::from(e), positive)
        } else {
            let positive = along_b[number - 3] < 0.0;
            let axis = self.axis_b(number - 3);
            (if positive { -axis } else { axis }, positive)
        };
        Some(Axis { normal, overlap: best, number: number as u8, positive })
    }
}

#[derive(Clone, Copy)]
struct Corner {
    u: f64,
    v: f64,
    w: f64,
    /// 0 to 3: edges of the incident face; 4 to 7: sides of the rectangle.
    edge_in: u8,
    edge_out: u8,
}

/// The most corners of a quadrilateral clipped by four lines.
const MAX_CORNERS: usize = 8;

/// B's face most opposed to a face of A (its axis and side), clipped against A's rectangle. Candidates in A's frame.
#[inline]
fn clip_rectangle(
    pair: &BoxPair,
    (i, positive): (usize, bool),
    prediction: f64,
    out: &mut Candidates<MAX_CORNERS>,
) {
    let BoxPair { half_a, half_b, r, t } = pair;
    let sign = if positive { 1.0 } else { -1.0 };
    let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
    let mut j = 0;
    for k in 1..3 {
        if r[i][j].abs() < r[i][k].abs() {
            j = k;
        }
    }
    let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
    // The side of B that looks against the normal.
    let b_positive = sign * r[i][j] < 0.0;
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
    }
    let on_side = tol::CLIP_ON_PLANE * pair.size();
    let mut n = 4;
    n = clip_side(&mut corners, n, 4, on_side, |c| c.u - half_a[i1]);
    n = clip_side(&mut corners, n, 5, on_side, |c| c.v - half_a[i2]);
    n = clip_side(&mut corners, n, 6, on_side, |c| -c.u - half_a[i1]);
    n = clip_side(&mut corners, n, 7, on_side, |c| -c.v - half_a[i2]);

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
        let point = |w: f64| {
            let mut p = [0.0; 3];
            (p[i1], p[i2], p[i]) = (corner.u, corner.v, w * sign);
            DVec3::from(p)
        };
        let (feature_a, feature_b) = ids.of(corner);
        out.push(Candidate { a: point(half_a[i]), b: point(corner.w), distance, feature_a, feature_b });
    }
}

/// Around a face.
const QUAD: [(f64, f64); 4] = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];

/// Clips the polygon to `height <= 0`, in place, and gives its new number of corners.
#[inline]
fn clip_side(
    corners: &mut [Corner; MAX_CORNERS],
    n: usize,
    plane: u8,
    on_side: f64,
    height: impl Fn(&Corner) -> f64,
) -> usize {
    let mut heights = [0.0; MAX_CORNERS];
    let mut any_outside = false;
    for k in 0..n {
        heights[k] = height(&corners[k]);
        if heights[k].abs() <= on_side {
            heights[k] = 0.0;
        }
        any_outside |= 0.0 < heights[k];
    }
    if !any_outside {
        return n;
    }
    let old = *corners;
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
    n_new
}

/// Names the corners of a clipped face.
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

/// A face is an axis and a side.
fn face_id((axis, positive): (usize, bool)) -> FeatureId {
    FeatureId::face(2 * axis as u32 + u32::from(!positive))
}

fn vertex_id((axis, positive): (usize, bool), positive1: bool, positive2: bool) -> FeatureId {
    FeatureId::vertex(
        u32::from(!positive) << axis
            | u32::from(!positive1) << ((axis + 1) % 3)
            | u32::from(!positive2) << ((axis + 2) % 3),
    )
}

fn quad_vertex(face: (usize, bool), k: u8) -> FeatureId {
    let (s1, s2) = QUAD[usize::from(k)];
    vertex_id(face, 0.0 < s1, 0.0 < s2)
}

fn quad_edge(face: (usize, bool), k: u8) -> FeatureId {
    edge_id(quad_vertex(face, k), quad_vertex(face, (k + 1) % 4))
}

/// Sides 0 to 3: +u, +v, -u, -v.
fn rectangle_edge(face: (usize, bool), side: u8) -> FeatureId {
    let corner = |s1: bool, s2: bool| vertex_id(face, s1, s2);
    match side {
        0 => edge_id(corner(true, false), corner(true, true)),
        1 => edge_id(corner(false, true), corner(true, true)),
        2 => edge_id(corner(false, false), corner(false, true)),
        _ => edge_id(corner(false, false), corner(true, false)),
    }
}

/// The vertex between two sides; two opposite sides, met only by a face without width, give one of their vertices.
fn rectangle_vertex(face: (usize, bool), side: u8, other: u8) -> FeatureId {
    let u = side == 0 || other == 0;
    let v = side == 1 || other == 1;
    vertex_id(face, u, v)
}

struct PlacedBox {
    center: DVec3,
    axes: [DVec3; 3],
    half: [f64; 3],
}

/// A face of a placed box, counter-clockwise seen from outside.
struct BoxFace {
    points: [DVec3; 4],
    ids: [FeatureId; 4],
    id: FeatureId,
    normal: DVec3,
    /// Cosine between the face's normal and the direction it was asked for.
    cosine: f64,
    /// 2 where the face has no width, 1 where it has no length either.
    n_points: usize,
}

impl PlacedBox {
    /// Gives the corners of each face; those of a face without width are its edge.
    fn for_each_face(&self, f: &mut dyn FnMut(&[DVec3])) {
        for axis in self.axes {
            for normal in [axis, -axis] {
                f(BoxFace::supporting(self, normal).face().points);
            }
        }
    }
}

impl BoxFace {
    fn supporting(placed: &PlacedBox, direction: DVec3) -> BoxFace {
        let along = placed.axes.map(|axis| axis.dot(direction));
        let mut axis = 0;
        for k in 1..3 {
            if along[axis].abs() < along[k].abs() {
                axis = k;
            }
        }
        let positive = 0.0 <= along[axis];
        let sign = if positive { 1.0 } else { -1.0 };
        let (k1, k2) = ((axis + 1) % 3, (axis + 2) % 3);
        let normal = placed.axes[axis] * sign;
        let center = placed.center + normal * placed.half[axis];
        let (e1, e2) = (placed.axes[k1] * placed.half[k1], placed.axes[k2] * placed.half[k2]);
        // Counter-clockwise; a face without width is the edge that is left of it.
        let (order, n_points) = match (placed.half[k1] == 0.0, placed.half[k2] == 0.0) {
            (false, false) if positive => ([0, 1, 2, 3], 4),
            (false, false) => ([3, 2, 1, 0], 4),
            (false, true) => ([0, 1, 2, 3], 2),
            (true, false) => ([0, 3, 1, 2], 2),
            (true, true) => ([0, 1, 2, 3], 1),
        };
        let face = (axis, positive);
        BoxFace {
            points: order.map(|k: usize| center + e1 * QUAD[k].0 + e2 * QUAD[k].1),
            ids: order.map(|k| quad_vertex(face, k as u8)),
            id: face_id(face),
            normal,
            cosine: along[axis].abs(),
            n_points,
        }
    }

    fn face(&self) -> Face<'_> {
        let n = self.n_points;
        Face::new(&self.points[..n], &self.ids[..n], self.id, self.normal, 0.0)
    }
}

/// The contacts of an edge axis.
fn edge_contacts(pair: &BoxPair, axis: &Axis, prediction: f64, out: &mut Candidates<MAX_CORNERS>) {
    let Axis { normal, overlap, number, .. } = *axis;
    let (a, b) = (pair.own(), pair.placed_b());
    let (face_a, face_b) = (BoxFace::supporting(&a, normal), BoxFace::supporting(&b, -normal));
    if tol::NEARLY_FACING < face_a.cosine && tol::NEARLY_FACING < face_b.cosine {
        clip(&face_a.face(), &face_b.face(), normal, out);
        let deepest = out.keep_within(-overlap - tol::SAT_TIE * pair.size(), prediction);
        let tie = tol::SAT_TIE * pair.size();
        if deepest <= tie - overlap {
            let mut contacts = out.as_mut_slice().iter().map(|c| (c.a, c.b, c.distance));
            if overlap < -tie && closest::is_nearest_beside(&mut contacts, tie) {
                *out = Candidates::new();
            }
            return;
        }
        // Boxes without width: their faces are lines, which clipping may lose.
        *out = Candidates::new();
    }
    let (i, j) = (usize::from(number - 6) / 3, usize::from(number - 6) % 3);
    let (start_a, end_a, id_a) = supporting_edge(&a, i, normal);
    let (start_b, end_b, id_b) = supporting_edge(&b, j, -normal);
    let (point_a, point_b, is_crossing) = closest::crossing(start_a, end_a, start_b, end_b, normal);
    let distance = (point_b - point_a).dot(normal);
    if overlap < 0.0 && !is_crossing {
        return; // Apart, and not nearest along this axis.
    }
    if distance <= prediction {
        out.push(Candidate { a: point_a, b: point_b, distance, feature_a: id_a, feature_b: id_b });
    }
}

/// The edge along `axis` that is farthest in `direction`.
fn supporting_edge(placed: &PlacedBox, axis: usize, direction: DVec3) -> (DVec3, DVec3, FeatureId) {
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
