//! Box against box: the faces that face each other, clipped.
//!
//! B's face most opposed to a face of A is clipped against A's rectangle. In A's axes, the height
//! of a point over a side of the rectangle is a difference of two coordinates. The feature ids of
//! a corner are those of the vertex, or of the two edges, that it comes from.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 4.4.1; D. Gregorius, Robust Contact
//! Creation for Physics Simulations, GDC 2015.

use crate::box_axes::{BoxPair, in_turn};
use crate::clip::{Candidates, edge_id};
use crate::clip_side::{Corner, clip_side};
use crate::reduce::Candidate;
use carom_geom::FeatureId;
use carom_math::tol;
use glam::DVec3;

/// The most corners of a quadrilateral clipped by four lines.
pub(crate) const MAX_CORNERS: usize = 8;

/// Clips B's face most opposed to a face of A (its axis and side) against A's rectangle. Candidates
/// are in A's frame.
#[inline]
pub(crate) fn clip_rectangle(
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
pub(crate) fn clip_slanted(
    pair: &BoxPair,
    normal: DVec3,
    prediction: f64,
    out: &mut Candidates<MAX_CORNERS>,
) {
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
    // Along A's axes from i1 on: x and y in the rectangle, z from A's centre to the face.
    let mut corners = [Corner::NONE; MAX_CORNERS];
    for (k, (s1, s2)) in QUAD.into_iter().enumerate() {
        corners[k] = Corner {
            point: DVec3::new(
                center[0] + e1[0] * s1 + e2[0] * s2,
                center[1] + e1[1] * s1 + e2[1] * s2,
                center[2] + e1[2] * s1 + e2[2] * s2,
            ),
            edge_in: (k as u8 + 3) % 4,
            edge_out: k as u8,
        };
        if let Some(n) = along {
            // Move the corner along the normal onto A's plane, and keep the travel in `z`: it is
            // half the extent of A plus the travel.
            let p = &mut corners[k].point;
            let travel = (p.z - half_a[i]) / (n[i] * sign);
            (p.x, p.y) = (p.x - n[i1] * travel, p.y - n[i2] * travel);
            p.z = half_a[i] + travel;
        }
    }
    let on_side = tol::CLIP_ON_PLANE * pair.size();
    // The extent of the four corners, to skip the sides that cut nothing: most of them.
    let [p, q, r, s, ..] = corners.map(|corner| corner.point);
    let most = |[a, b, c, d]: [f64; 4]| a.max(b).max(c.max(d));
    let (most_u, most_v) = (most([p.x, q.x, r.x, s.x]), most([p.y, q.y, r.y, s.y]));
    let (far_u, far_v) = (most([-p.x, -q.x, -r.x, -s.x]), most([-p.y, -q.y, -r.y, -s.y]));
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
        let height = |p: DVec3| p.x * u + p.y * v - half;
        if let Some(n_new) = clip_side(corners, n, 4 + side as u8, on_side, height, spare) {
            n = n_new;
            core::mem::swap(&mut corners, &mut spare);
        }
    }

    let ids = FaceIds { reference: (i, positive), incident: (j, b_positive) };
    for (k, corner) in corners[..n].iter().enumerate() {
        let Corner { point: p, .. } = *corner;
        let distance = p.z - half_a[i];
        if !(distance <= prediction) {
            continue;
        }
        let previous = &corners[if k == 0 { n - 1 } else { k - 1 }];
        if n > 1 && p == previous.point {
            continue; // A flat box: the same point twice.
        }
        let point = |w: f64| in_turn(i, w * sign, p.x, p.y);
        let (feature_a, feature_b) = ids.of(corner);
        let a = point(half_a[i]);
        let b = along.map_or_else(|| point(p.z), |n| a + n * distance);
        out.push(Candidate { a, b, distance, feature_a, feature_b });
    }
}

/// The corners around a face.
pub(crate) const QUAD: [(f64, f64); 4] = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];

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
pub(crate) fn face_id((axis, positive): (usize, bool)) -> FeatureId {
    FeatureId::face(2 * axis as u32 + u32::from(!positive))
}

fn vertex_id((axis, positive): (usize, bool), positive1: bool, positive2: bool) -> FeatureId {
    FeatureId::vertex(
        u32::from(!positive) << axis
            | u32::from(!positive1) << ((axis + 1) % 3)
            | u32::from(!positive2) << ((axis + 2) % 3),
    )
}

pub(crate) fn quad_vertex(face: (usize, bool), k: u8) -> FeatureId {
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
