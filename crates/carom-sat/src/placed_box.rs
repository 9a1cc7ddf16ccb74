//! A box as points and directions: its faces, and the face farthest along a direction.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 4.4 (a box as a centre, axes and
//! half sides).

use crate::box_clip::{QUAD, face_id, quad_vertex};
use crate::clip::{Face, edge_id};
use carom_geom::FeatureId;
use glam::DVec3;

/// A box with its pose in the frame of another.
pub(crate) struct PlacedBox {
    pub(crate) center: DVec3,
    pub(crate) axes: [DVec3; 3],
    pub(crate) half: [f64; 3],
}

/// A face of a placed box, counter-clockwise seen from outside.
pub(crate) struct BoxFace {
    points: [DVec3; 4],
    ids: [FeatureId; 4],
    pub(crate) id: FeatureId,
    normal: DVec3,
    /// The number of points: 4, or 2 if the face has no width, or 1 if it is a point.
    n_points: usize,
}

impl PlacedBox {
    /// Returns the cosine of the angle between a direction and the nearest axis.
    pub(crate) fn cosine(&self, direction: DVec3) -> f64 {
        let [x, y, z] = &self.axes;
        x.dot(direction).abs().max(y.dot(direction).abs()).max(z.dot(direction).abs())
    }

    /// Calls `f` with the corners of each face. A face without width is given as an edge.
    pub(crate) fn for_each_face(&self, f: &mut dyn FnMut(&[DVec3])) {
        for axis in self.axes {
            for normal in [axis, -axis] {
                f(BoxFace::supporting(self, normal).face().points);
            }
        }
    }
}

impl BoxFace {
    pub(crate) fn supporting(placed: &PlacedBox, direction: DVec3) -> BoxFace {
        let [x, y, z] = &placed.axes;
        let along = [x.dot(direction), y.dot(direction), z.dot(direction)];
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
        // Counter-clockwise. A face without width becomes an edge.
        let (order, n_points) = match (placed.half[k1] == 0.0, placed.half[k2] == 0.0) {
            (false, false) if positive => ([0, 1, 2, 3], 4),
            (false, false) => ([3, 2, 1, 0], 4),
            (false, true) => ([0, 1, 2, 3], 2),
            (true, false) => ([0, 3, 1, 2], 2),
            (true, true) => ([0, 1, 2, 3], 1),
        };
        let face = (axis, positive);
        let point = |k: usize| center + e1 * QUAD[k].0 + e2 * QUAD[k].1;
        let vertex = |k: usize| quad_vertex(face, k as u8);
        BoxFace {
            points: [point(order[0]), point(order[1]), point(order[2]), point(order[3])],
            ids: [vertex(order[0]), vertex(order[1]), vertex(order[2]), vertex(order[3])],
            id: face_id(face),
            normal,
            n_points,
        }
    }

    pub(crate) fn face(&self) -> Face<'_> {
        let n = self.n_points;
        Face::new(&self.points[..n], &self.ids[..n], self.id, self.normal, 0.0)
    }
}

/// Returns the edge along `axis` that is farthest in `direction`.
pub(crate) fn supporting_edge(
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
