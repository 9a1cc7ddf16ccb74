//! Proof that two convex bodies overlap: points of their difference B - A around a ball about the
//! origin.
//!
//! Where every point is known to within delta and the hull of the computed points holds the ball of
//! radius delta, the hull of the true ones holds the origin: a plane between them would cut the
//! ball. So no sign has to be exact. The four points that a search ends with are mostly enough.
//! Where they lie in one plane, as for boxes that meet face to face, a polytope is grown: always
//! beyond the face that is nearest to the origin, or has it outside.
//!
//! That the ball is inside needs no trust in the surface's shape. Its triangles are a sum of
//! triangles whose edges cancel, since a point is only ever added by taking triangles away and
//! closing the rim; each lies wholly beyond the ball in some direction, and turns the same way
//! about the origin, by exact signs. So the surface winds round the ball at least once.
//!
//! Reference: G. van den Bergen, Proximity Queries and Penetration Depth Computation on 3D Game
//! Objects, 2001, section 4 (the expanding polytope). Differs: it ends when the ball is inside, the
//! depth is not asked for; the proof by winding number.

use crate::Proposal;
use crate::body_pair::{BodyPair, Placed};
use carom_geom::SupportMap;
use carom_math::predicates::orient3d;
use carom_math::scaling::unit;
use glam::DVec3;

/// A common point of both bodies, and a direction in which they overlap little.
pub(crate) struct Overlap {
    /// From A's pivot.
    pub(crate) point: DVec3,
    /// Unit vector, in the sense from A to B.
    pub(crate) normal: DVec3,
}

/// A point of B - A and where it comes from, all from A's pivot.
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

/// Most that is proved is proved by the four points of a proposal: room for more is made where they
/// are not enough.
type Tetrahedron = Polytope<4, 4>;
type Grown = Polytope<MAX_CORNERS, MAX_FACES>;

/// Proves that the cores overlap by more than rounding, or says nothing.
pub(crate) fn overlap<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    pair: &BodyPair<'_, A, B>,
    placed: &Placed,
    proposal: &Proposal,
) -> Option<Overlap> {
    // Twice what a point may be off by.
    let ball = 2.0 * pair.rounding;
    let (to_a, to_b) = (placed.rotation_a.transpose(), placed.rotation_b.transpose());
    let support = |direction: DVec3| {
        let a = pair.place_a(placed, pair.a.farthest(-(to_a * direction)));
        Corner { w: pair.place_b(placed, pair.b.farthest(to_b * direction)) - a, a }
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
        // Nothing lies farther out: they overlap by less than the ball there, or not at all. Not so
        // for NaN.
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
    /// Unit, outwards.
    along: DVec3,
    /// The ball is below all triangles.
    holds: bool,
}

/// The tetrahedron of a proposal.
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
        let a = pair.place_a(placed, proposal.points_a[i]);
        Corner { w: pair.place_b(placed, proposal.points_b[i]) - a, a }
    });
    Tetrahedron::new(corners, ball)
}

/// Four points in general position, found by going as far as possible: along the line of the
/// centres, off the line, off the plane.
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
        // Flat to rounding: no ball fits.
        return None;
    }
    Tetrahedron::new([near, far, third.1, fourth.1], ball)
}

impl Tetrahedron {
    /// `None` for one that is flat.
    fn new(corners: [Corner; 4], ball: f64) -> Option<Tetrahedron> {
        let [x, y, z, w] = corners.map(|corner| corner.w);
        let height = unit((y - x).cross(z - x))?.dot(w - x);
        if !(ball < height.abs()) {
            return None;
        }
        // The fourth below the first three.
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
    /// `None` for a triangle that is at the origin.
    fn lowest(&self, ball: f64) -> Option<Lowest> {
        let mut lowest = Lowest { height: f64::INFINITY, along: DVec3::ZERO, holds: true };
        for &face in &self.faces[..self.n_faces] {
            let [x, y, z] = self.places(face);
            // A triangle without a normal is looked at from its middle.
            let along = unit((y - x).cross(z - x)).or_else(|| unit(x + y + z))?;
            let height = along.dot(x).min(along.dot(y)).min(along.dot(z));
            // Below the triangle lies the origin, or in its plane.
            lowest.holds &= ball < height && 0.0 <= orient3d(x, y, z, DVec3::ZERO);
            if height < lowest.height {
                (lowest.height, lowest.along) = (height, along);
            }
        }
        Some(lowest)
    }

    fn places(&self, face: [u8; 3]) -> [DVec3; 3] {
        face.map(|corner| self.corners[usize::from(corner)].w)
    }

    /// Takes away the triangles that see the corner and closes the rim with triangles to it; false
    /// where there is no room.
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
            let [x, y, z] = self.places(face);
            let is_seen = orient3d(x, y, z, corner.w) < 0.0;
            if !is_seen {
                self.faces[kept] = face;
                kept += 1;
                continue;
            }
            for edge in [[face[0], face[1]], [face[1], face[2]], [face[2], face[0]]] {
                // An edge that is passed both ways is none of the rim.
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

    /// Where on A the origin of the difference is, in A whatever rounding does: of the tetrahedra
    /// of the first corner and a triangle the one that has the origin most inside.
    fn point_a(&self) -> DVec3 {
        let first = self.corners[0];
        let mut best = (f64::NEG_INFINITY, first.a);
        for &face in &self.faces[..self.n_faces] {
            let [x, y, z] = self.places(face);
            let (yz, zx, xy) = (y.cross(z), z.cross(x), x.cross(y));
            // Volumes that the origin makes with each side of the tetrahedron.
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
