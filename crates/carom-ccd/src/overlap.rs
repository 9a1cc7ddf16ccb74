//! Proof that two convex bodies overlap: points of the difference B - A around a ball at the
//! origin.
//!
//! - Every point is known to within delta. If the hull of the computed points holds the ball of
//!   radius delta, the hull of the true points holds the origin. Otherwise a plane between them
//!   would cut the ball. So no sign has to be exact.
//! - The four points at the end of a search are usually enough.
//! - If these lie in one plane, as for boxes face to face, a polytope is grown. It expands beyond
//!   the face nearest to the origin, or the face with the origin farthest outside.
//!
//! The proof that the ball is inside does not rely on the surface's shape. A point is added by
//! removing triangles and closing the rim, so the edges of the triangles cancel. Each triangle lies
//! wholly beyond the ball in some direction, and has the same orientation about the origin, by
//! exact signs. So the surface winds around the ball at least once.
//!
//! Reference: G. van den Bergen, Proximity Queries and Penetration Depth Computation on 3D Game
//! Objects, 2001, section 4 (the expanding polytope).
//! Differs: it ends once the ball is inside, without a depth. The proof is by winding number.

use crate::Proposal;
use crate::body_pair::{BodyPair, Placed};
use carom_geom::SupportMap;
use carom_math::predicates::orient3d;
use carom_math::scaling::unit;
use glam::DVec3;

/// A common point of both bodies, and a direction of small overlap.
pub(crate) struct Overlap {
    /// From A's pivot.
    pub(crate) point: DVec3,
    /// Unit vector from A to B.
    pub(crate) normal: DVec3,
}

/// A point of B - A with its points on A and B, all from A's pivot.
#[derive(Clone, Copy)]
struct Corner {
    w: DVec3,
    a: DVec3,
}

const NO_CORNER: Corner = Corner { w: DVec3::ZERO, a: DVec3::ZERO };

const MAX_CORNERS: usize = 40;
const MAX_FACES: usize = 2 * MAX_CORNERS;

/// Triangles, counter-clockwise seen from outside.
struct Polytope<const CORNERS: usize, const FACES: usize> {
    corners: [Corner; CORNERS],
    n_corners: usize,
    faces: [[u8; 3]; FACES],
    n_faces: usize,
}

/// Nearly all proofs need only the four points of a proposal. The larger polytope is allocated only
/// if they are not enough.
type Tetrahedron = Polytope<4, 4>;
type Grown = Polytope<MAX_CORNERS, MAX_FACES>;

/// Proves that the cores overlap by more than rounding, or returns `None`.
pub(crate) fn overlap<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    pair: &BodyPair<'_, A, B>,
    placed: &Placed,
    proposal: &Proposal,
) -> Option<Overlap> {
    // Twice the error of a point.
    let ball = 2.0 * pair.rounding;
    let (to_a, to_b) = (placed.rotation_a.transpose(), placed.rotation_b.transpose());
    let support = |direction: DVec3| {
        let a = pair.offset_a(placed, pair.a.farthest(-(to_a * direction)));
        Corner { w: pair.offset_b(placed, pair.b.farthest(to_b * direction)) - a, a }
    };
    let tetrahedron =
        first(pair, placed, proposal, ball).or_else(|| start(ball, placed.between, &support))?;
    let mut lowest = tetrahedron.lowest(ball)?;
    if lowest.holds {
        return Some(Overlap { point: tetrahedron.point_a(), normal: -lowest.along });
    }
    let mut polytope = Grown::from(&tetrahedron);
    loop {
        let Lowest { height, along, .. } = lowest;
        let corner = support(along);
        let beyond = along.dot(corner.w);
        // No point lies farther out: the overlap there is less than the ball, or there is none.
        // False for NaN.
        if !(ball < beyond && height < beyond && polytope.add(corner)) {
            return None;
        }
        lowest = polytope.lowest(ball)?;
        if lowest.holds {
            return Some(Overlap { point: polytope.point_a(), normal: -lowest.along });
        }
    }
}

/// The triangle that is nearest to the origin, or has it farthest outside.
struct Lowest {
    height: f64,
    /// The outward unit normal.
    along: DVec3,
    /// Whether the ball is below all triangles.
    holds: bool,
}

/// Builds the tetrahedron of a proposal.
fn first<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    pair: &BodyPair<'_, A, B>,
    placed: &Placed,
    proposal: &Proposal,
    ball: f64,
) -> Option<Tetrahedron> {
    if proposal.n_points != 4 {
        return None;
    }
    let corners = core::array::from_fn(|i| {
        let a = pair.offset_a(placed, proposal.points_a[i]);
        Corner { w: pair.offset_b(placed, proposal.points_b[i]) - a, a }
    });
    Tetrahedron::new(corners, ball)
}

/// Finds four points in general position, each a farthest point: along the line of the centres, off
/// that line, and off the plane.
fn start(ball: f64, between: DVec3, support: &impl Fn(DVec3) -> Corner) -> Option<Tetrahedron> {
    let first = unit(between).unwrap_or(DVec3::X);
    let (near, far) = (support(-first), support(first));
    let line = unit(far.w - near.w)?;
    let side = line.any_orthonormal_vector();
    let mut third = (ball, NO_CORNER);
    for direction in [side, -side, line.cross(side), -line.cross(side)] {
        let corner = support(direction);
        let off = (corner.w - near.w).cross(line).length();
        if third.0 < off {
            third = (off, corner);
        }
    }
    let normal = unit((far.w - near.w).cross(third.1.w - near.w))?;
    let mut fourth = (ball, NO_CORNER);
    for direction in [normal, -normal] {
        let corner = support(direction);
        let off = (corner.w - near.w).dot(normal).abs();
        if fourth.0 < off {
            fourth = (off, corner);
        }
    }
    if third.0 <= ball || fourth.0 <= ball {
        // Flat within rounding: no ball fits inside.
        return None;
    }
    Tetrahedron::new([near, far, third.1, fourth.1], ball)
}

impl Tetrahedron {
    /// Returns `None` for a flat tetrahedron.
    fn new(corners: [Corner; 4], ball: f64) -> Option<Tetrahedron> {
        let [x, y, z, w] = corners.map(|corner| corner.w);
        let height = unit((y - x).cross(z - x))?.dot(w - x);
        if !(ball < height.abs()) {
            return None;
        }
        // Order the corners so that the fourth is below the first three.
        let order: [u8; 4] = if height < 0.0 { [0, 1, 2, 3] } else { [1, 0, 2, 3] };
        let faces = [[0, 1, 2], [3, 1, 0], [3, 2, 1], [3, 0, 2]].map(|face| face.map(|i: usize| order[i]));
        Some(Polytope { corners, n_corners: 4, faces, n_faces: 4 })
    }
}

impl From<&Tetrahedron> for Grown {
    fn from(tetrahedron: &Tetrahedron) -> Grown {
        let mut grown = Polytope {
            corners: [NO_CORNER; MAX_CORNERS],
            n_corners: 4,
            faces: [[0; 3]; MAX_FACES],
            n_faces: 4,
        };
        grown.corners[..4].copy_from_slice(&tetrahedron.corners);
        grown.faces[..4].copy_from_slice(&tetrahedron.faces);
        grown
    }
}

impl<const CORNERS: usize, const FACES: usize> Polytope<CORNERS, FACES> {
    /// Returns `None` if a triangle is at the origin.
    fn lowest(&self, ball: f64) -> Option<Lowest> {
        let mut lowest = Lowest { height: f64::INFINITY, along: DVec3::ZERO, holds: true };
        for &face in &self.faces[..self.n_faces] {
            let [x, y, z] = self.corners_of(face);
            // For a triangle without a normal, use the direction of its centre.
            let along = unit((y - x).cross(z - x)).or_else(|| unit(x + y + z))?;
            let height = along.dot(x).min(along.dot(y)).min(along.dot(z));
            // The origin is below the triangle, or in its plane.
            lowest.holds &= ball < height && 0.0 <= orient3d(x, y, z, DVec3::ZERO);
            if height < lowest.height {
                (lowest.height, lowest.along) = (height, along);
            }
        }
        Some(lowest)
    }

    fn corners_of(&self, face: [u8; 3]) -> [DVec3; 3] {
        face.map(|corner| self.corners[usize::from(corner)].w)
    }

    /// Removes the triangles that see the corner, and closes the rim with triangles to it. Returns
    /// false if there is no room.
    fn add(&mut self, corner: Corner) -> bool {
        if self.n_corners == CORNERS {
            return false;
        }
        let apex = self.n_corners as u8;
        self.corners[self.n_corners] = corner;
        self.n_corners += 1;
        let mut rim = [[0_u8; 2]; FACES];
        let mut n_rim = 0;
        let mut kept = 0;
        for i in 0..self.n_faces {
            let face = self.faces[i];
            let [x, y, z] = self.corners_of(face);
            let is_visible = orient3d(x, y, z, corner.w) < 0.0;
            if !is_visible {
                self.faces[kept] = face;
                kept += 1;
                continue;
            }
            for edge in [[face[0], face[1]], [face[1], face[2]], [face[2], face[0]]] {
                // An edge that occurs in both directions is not on the rim.
                if let Some(other) = rim[..n_rim].iter().position(|&old| old == [edge[1], edge[0]]) {
                    n_rim -= 1;
                    rim[other] = rim[n_rim];
                } else if n_rim < FACES {
                    rim[n_rim] = edge;
                    n_rim += 1;
                } else {
                    return false;
                }
            }
        }
        if kept + n_rim > FACES {
            return false;
        }
        for &[from, to] in &rim[..n_rim] {
            self.faces[kept] = [from, to, apex];
            kept += 1;
        }
        self.n_faces = kept;
        0 < n_rim
    }

    /// Returns the point of A that belongs to the origin of the difference. It is inside A for any
    /// rounding. The first corner and each triangle form a tetrahedron. The one with the origin
    /// deepest inside gives the weights.
    fn point_a(&self) -> DVec3 {
        let first = self.corners[0];
        let mut best = (f64::NEG_INFINITY, first.a);
        for &face in &self.faces[..self.n_faces] {
            let [x, y, z] = self.corners_of(face);
            let (yz, zx, xy) = (y.cross(z), z.cross(x), x.cross(y));
            // The volumes of the origin with each side of the tetrahedron.
            let parts = [x.dot(yz), -first.w.dot(yz), -first.w.dot(zx), -first.w.dot(xy)];
            let sum = parts[0] + parts[1] + parts[2] + parts[3];
            let least = parts.iter().fold(f64::INFINITY, |least, &part| least.min(part)) / sum;
            if 0.0 < sum && best.0 < least {
                let weights = parts.map(|part| part.max(0.0));
                let total = weights[0] + weights[1] + weights[2] + weights[3];
                let of = |corner: usize| self.corners[usize::from(face[corner])].a;
                let point =
                    first.a * weights[0] + of(0) * weights[1] + of(1) * weights[2] + of(2) * weights[3];
                best = (least, point / total);
            }
        }
        best.1
    }
}
