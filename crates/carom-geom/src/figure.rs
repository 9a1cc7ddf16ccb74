//! A convex body as the pair tests use it: corners, edges, faces and a radius, in `f64`.
//!
//! Points, segments and triangles are *thin*: with so few corners their distances are polynomials.
//! Solids have faces, each cut into triangles. An oriented box also keeps its centre, axes and half
//! extents. Its tests then use the axes of the pose as given, not corners that were rounded again.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.2.1 (projections of boxes and of
//! vertices on an axis).

use glam::{DMat3, DVec3};

/// A convex body: the hull of its corners, with a radius all around.
#[derive(Clone, Debug)]
pub struct Figure {
    corners: [DVec3; 8],
    n_corners: usize,
    edges: &'static [[usize; 2]],
    faces: &'static [[usize; 3]],
    frame: Option<Frame>,
    bounds: Option<[DVec3; 2]>,
    radius: f64,
}

/// All `center + sum of y_i axis_i` with `|y_i| <= half_i`, the axes as they are stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) center: DVec3,
    pub(crate) axes: DMat3,
    pub(crate) half: DVec3,
}

/// Edges of a segment, a triangle, a tetrahedron.
const SEGMENT_EDGES: &[[usize; 2]] = &[[0, 1]];
const TRIANGLE_EDGES: &[[usize; 2]] = &[[0, 1], [1, 2], [2, 0]];
const TETRAHEDRON_EDGES: &[[usize; 2]] = &[[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
/// One edge per direction; corner v is on the negative side of axis i if bit i is set.
const BOX_EDGES: &[[usize; 2]] = &[[0, 1], [0, 2], [0, 4]];
/// Edges of the far face, and edges between the two faces; the near face may be a point.
const FRUSTUM_EDGES: &[[usize; 2]] = &[[4, 5], [4, 6], [0, 4], [1, 5], [2, 6], [3, 7]];

const TETRAHEDRON_FACES: &[[usize; 3]] = &[[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
/// Two triangles a face, counter-clockwise seen from outside.
const BOX_FACES: &[[usize; 3]] = &[
    [0, 2, 6],
    [0, 6, 4],
    [1, 5, 7],
    [1, 7, 3],
    [0, 4, 5],
    [0, 5, 1],
    [2, 3, 7],
    [2, 7, 6],
    [0, 1, 3],
    [0, 3, 2],
    [4, 6, 7],
    [4, 7, 5],
];

impl Figure {
    /// Creates a point, a segment or a triangle, by one, two or three corners.
    pub(crate) fn thin(corners: &[DVec3], radius: f64) -> Figure {
        let edges: &'static [[usize; 2]] = match corners.len() {
            0 | 1 => &[],
            2 => SEGMENT_EDGES,
            _ => TRIANGLE_EDGES,
        };
        Figure::new(corners, edges, &[], radius)
    }

    /// Creates a tetrahedron with d above a, b, c as they appear counter-clockwise.
    pub(crate) fn tetrahedron(corners: &[DVec3; 4]) -> Figure {
        Figure::new(corners, TETRAHEDRON_EDGES, TETRAHEDRON_FACES, 0.0)
    }

    /// Creates the box along the axes between two corners.
    pub(crate) fn aabb(min: DVec3, max: DVec3) -> Figure {
        let at = |bit: usize, axis: usize, v: usize| if v & bit == 0 { max[axis] } else { min[axis] };
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|v| DVec3::new(at(1, 0, v), at(2, 1, v), at(4, 2, v)));
        Figure { bounds: Some([min, max]), ..Figure::new(&corners, BOX_EDGES, BOX_FACES, 0.0) }
    }

    /// Creates a box at an angle.
    pub(crate) fn oriented_box(frame: Frame) -> Figure {
        let Frame { center, axes, half } = frame;
        let sign = |bit: usize, v: usize, x: f64| if v & bit == 0 { x } else { -x };
        let corners = [0, 1, 2, 3, 4, 5, 6, 7]
            .map(|v| center + axes * DVec3::new(sign(1, v, half.x), sign(2, v, half.y), sign(4, v, half.z)));
        Figure { frame: Some(frame), ..Figure::new(&corners, BOX_EDGES, BOX_FACES, 0.0) }
    }

    /// Creates a frustum with its corners numbered as those of [`crate::Frustum`].
    pub(crate) fn frustum(corners: &[DVec3; 8]) -> Figure {
        Figure::new(corners, FRUSTUM_EDGES, BOX_FACES, 0.0)
    }

    fn new(
        corners: &[DVec3],
        edges: &'static [[usize; 2]],
        faces: &'static [[usize; 3]],
        radius: f64,
    ) -> Figure {
        let mut room = [DVec3::ZERO; 8];
        let n_corners = corners.len().min(8);
        room[..n_corners].copy_from_slice(&corners[..n_corners]);
        Figure { corners: room, n_corners, edges, faces, frame: None, bounds: None, radius }
    }

    /// Returns the corners; those of an oriented box are rounded.
    #[inline]
    pub(crate) fn corners(&self) -> &[DVec3] {
        &self.corners[..self.n_corners]
    }

    /// Returns pairs of corners: at least one edge of each direction.
    #[inline]
    pub(crate) fn edges(&self) -> impl Iterator<Item = [DVec3; 2]> + '_ {
        self.edges.iter().map(|e| e.map(|v| self.corners[v]))
    }

    /// Returns the triangles of the surface, counter-clockwise seen from outside; empty for thin
    /// bodies.
    #[inline]
    pub(crate) fn faces(&self) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        self.faces.iter().map(|f| f.map(|v| self.corners[v]))
    }

    /// Returns the centre, axes and half extents of an oriented box.
    #[inline]
    pub(crate) fn frame(&self) -> Option<&Frame> {
        self.frame.as_ref()
    }

    /// Returns the least and greatest coordinates of an axis-aligned box.
    #[inline]
    pub(crate) fn bounds(&self) -> Option<[DVec3; 2]> {
        self.bounds
    }

    /// Returns the radius all around.
    #[inline]
    pub(crate) fn radius(&self) -> f64 {
        self.radius
    }

    /// Whether it is a point, a segment or a triangle.
    #[inline]
    pub(crate) fn is_thin(&self) -> bool {
        self.n_corners <= 3
    }
}
