//! Proved bounds of the distance or the depth of two convex solids, by a search that shares no code
//! with carom's GJK and EPA.
//!
//! A direction proves a lower bound of the signed distance: the separation along it. Points of the
//! difference prove an upper bound. If the solids are apart, a convex combination of points is a
//! point of the difference. If they overlap, a closed surface of triangles that winds around the
//! origin encloses a ball. The proof does not depend on how directions, points and triangles were
//! found.
//!
//! Reference: E. G. Gilbert, D. W. Johnson, S. S. Keerthi, A Fast Procedure for Computing the
//! Distance Between Complex Objects in Three-Dimensional Space, 1988; G. van den Bergen, Proximity
//! Queries and Penetration Depth Computation on 3D Game Objects, 2001; A. van Oosterom, J.
//! Strackee, The Solid Angle of a Plane Triangle, IEEE Trans. Biomed. Eng. 30, 1983.
//! Differs: every corner, edge and triangle of a simplex is tried; the surface grows from any
//! tetrahedron, the origin inside or not.

use super::solid::Difference;
use carom_math::double_double::DoubleDoubleVec3;
use glam::DVec3;

/// Proved bounds of the signed distance of two solids, which is minus the depth if they overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proof {
    /// A lower bound, up to the rounding of a length.
    pub lower: f64,
    /// An upper bound, up to four roundings of [`Difference::size`].
    pub upper: f64,
    /// The direction, from A to B, that proves the lower bound.
    pub normal: DVec3,
}

const MAX_ROUNDS: usize = 200;
const MAX_CORNERS: usize = 300;

/// Returns the best bounds that it proves. The hints are directions to try, from A to B.
pub fn signed_distance(pair: &Difference<'_>, hints: &[DVec3]) -> Proof {
    let rounding = 4.0 * f64::EPSILON * pair.size;
    let mut normals = hints.to_vec();
    let (distance, found) = distance(pair, rounding);
    normals.extend(found);
    let mut upper = distance;
    let mut proof = best(pair, &normals);
    if upper - pair.radius - proof.lower > rounding {
        if let Some(depth) = depth(pair, rounding, &mut normals) {
            upper = upper.min(-depth);
        }
        proof = best(pair, &normals);
    }
    // The lower bound is the better proof.
    Proof { upper: (upper - pair.radius).max(proof.lower), ..proof }
}

fn best(pair: &Difference<'_>, normals: &[DVec3]) -> Proof {
    let mut proof = Proof { lower: f64::NEG_INFINITY, upper: f64::INFINITY, normal: DVec3::X };
    for &normal in normals {
        let room = pair.room(normal);
        if proof.lower < room {
            proof = Proof { lower: room, normal, ..proof };
        }
    }
    proof
}

/// Returns the convex combination of up to three points that is nearest to the origin, and the
/// indices of the points in it.
fn nearest_of(points: &[DVec3]) -> (DVec3, Vec<usize>) {
    let mut best = (DVec3::INFINITY, Vec::new());
    let mut least = f64::INFINITY;
    let mut offer = |mean: DVec3, keep: &[usize]| {
        let length = mean.length();
        if length < least {
            (least, best) = (length, (mean, keep.to_vec()));
        }
    };
    let n = points.len();
    for i in 0..n {
        offer(points[i], &[i]);
        for j in 0..i {
            let edge = points[j] - points[i];
            let t = -points[i].dot(edge) / edge.length_squared();
            if 0.0 < t && t < 1.0 {
                offer(points[i] * (1.0 - t) + points[j] * t, &[i, j]);
            }
            for k in 0..j {
                let [a, b, c] = [points[i], points[j], points[k]];
                let normal = (b - a).cross(c - a);
                let parts = [b.cross(c), c.cross(a), a.cross(b)].map(|part| part.dot(normal));
                let sum: f64 = parts.iter().sum();
                if parts.iter().all(|part| 0.0 < *part) && sum.is_finite() {
                    offer((a * parts[0] + b * parts[1] + c * parts[2]) / sum, &[i, j, k]);
                }
            }
        }
    }
    best
}

/// Whether the origin is inside of a tetrahedron: the volumes with the origin in place of each
/// corner have one sign, in 106 bits.
fn is_inside(p: &[DVec3]) -> bool {
    let p: Vec<DoubleDoubleVec3> = p.iter().map(|p| DoubleDoubleVec3::from(*p)).collect();
    let volume = |i: usize, j: usize, k: usize| p[i].cross(p[j]).dot(p[k]).to_f64();
    let volumes = [volume(1, 2, 3), -volume(0, 2, 3), volume(0, 1, 3), -volume(0, 1, 2)];
    volumes.iter().all(|v| 0.0 < *v) || volumes.iter().all(|v| *v < 0.0)
}

/// Returns the distance of the origin from a triangle. The test whether the foot of the
/// perpendicular is in the triangle has 106 bits, which matters for slivers.
fn triangle_distance(corners: [DVec3; 3]) -> f64 {
    let edges = [[0, 1], [1, 2], [2, 0]].map(|e| nearest_of(&e.map(|i| corners[i])).0.length());
    let nearest = edges.into_iter().fold(f64::INFINITY, f64::min);
    let [a, b, c] = corners.map(DoubleDoubleVec3::from);
    let normal = (b - a).cross(c - a);
    let parts = [b.cross(c), c.cross(a), a.cross(b)].map(|part| part.dot(normal).to_f64());
    let length = normal.dot(normal).to_f64().sqrt();
    if 0.0 < length && parts.iter().all(|part| 0.0 <= *part) {
        return nearest.min(normal.dot(a).to_f64().abs() / length);
    }
    nearest
}

/// Returns an upper bound of the distance of the cores, and the directions that the search tried.
fn distance(pair: &Difference<'_>, rounding: f64) -> (f64, Vec<DVec3>) {
    let mut simplex = vec![pair.lowest(DVec3::X)];
    let mut mean = simplex[0];
    let (mut upper, mut lower, mut normal) = (mean.length(), f64::NEG_INFINITY, DVec3::X);
    let mut n_stalls = 0;
    for _ in 0..MAX_ROUNDS {
        let Some(direction) = mean.try_normalize() else { return (0.0, vec![normal]) };
        let next = pair.lowest(direction);
        let room = next.dot(direction);
        if lower < room {
            (lower, normal) = (room, direction);
        }
        if upper - lower <= rounding || simplex.contains(&next) {
            break;
        }
        simplex.push(next);
        if simplex.len() == 4 && is_inside(&simplex) {
            return (0.0, vec![normal]);
        }
        let (nearest, keep) = nearest_of(&simplex);
        n_stalls += usize::from(upper <= nearest.length());
        if 4 < n_stalls {
            break;
        }
        mean = nearest;
        upper = upper.min(mean.length());
        simplex = keep.iter().map(|&i| simplex[i]).collect();
        if simplex.len() == 4 {
            break;
        }
    }
    (upper, vec![normal, mean])
}

/// A triangle of the surface that faces outwards.
#[derive(Clone, Copy)]
struct Face {
    corners: [usize; 3],
    /// The unit normal, or zero if there is none.
    normal: DVec3,
    /// The height of its plane along the normal; infinite if there is none.
    height: f64,
    is_final: bool,
}

fn face(points: &[DVec3], corners: [usize; 3]) -> Face {
    let [a, b, c] = corners.map(|i| points[i]);
    // The normal is the product of the two shortest edges.
    let (u, v, w) = (b - a, c - b, a - c);
    let longest = u.length_squared().max(v.length_squared()).max(w.length_squared());
    let cross = if longest == u.length_squared() {
        v.cross(w)
    } else if longest == v.length_squared() {
        w.cross(u)
    } else {
        u.cross(v)
    };
    match cross.try_normalize() {
        // rounding: a sliver, whose normal is noise.
        Some(normal) if cross.length() > 1e-14 * longest => {
            Face { corners, normal, height: normal.dot(a), is_final: false }
        }
        _ => Face { corners, normal: DVec3::ZERO, height: f64::INFINITY, is_final: true },
    }
}

fn edges([a, b, c]: [usize; 3]) -> [[usize; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// Returns four points of the difference that span a volume, or the directions along which it is
/// flat.
fn first(pair: &Difference<'_>, rounding: f64) -> Result<[DVec3; 4], Vec<DVec3>> {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z];
    let points = axes.map(|axis| pair.lowest(axis));
    let farthest = |key: &dyn Fn(DVec3) -> f64, points: &[DVec3]| {
        points
            .iter()
            .copied()
            .fold((0.0, DVec3::ZERO), |best, p| if best.0 < key(p) { (key(p), p) } else { best })
    };
    let a = points[0];
    let (length, b) = farthest(&|p| p.distance(a), &points);
    if length <= rounding {
        return Err(axes.to_vec());
    }
    let along = (b - a) / length;
    let side = along.any_orthonormal_vector();
    let sides = [side, -side, along.cross(side), -along.cross(side)];
    let more = sides.map(|n| pair.lowest(n));
    let from_line = |p: DVec3| (p - a).cross(along).length();
    let (width, c) = farthest(&from_line, &[&points[..], &more[..]].concat());
    if width <= rounding {
        return Err(sides.to_vec());
    }
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let (thickness, d) =
        farthest(&|p| (p - a).dot(normal).abs(), &[pair.lowest(normal), pair.lowest(-normal)]);
    if thickness <= rounding { Err(vec![normal, -normal]) } else { Ok([a, b, c, d]) }
}

/// Returns a lower bound of the depth of the cores, if the origin is proved to be inside. Adds
/// directions that bound the depth from above.
fn depth(pair: &Difference<'_>, rounding: f64, normals: &mut Vec<DVec3>) -> Option<f64> {
    let mut points = match first(pair, rounding) {
        Ok(points) => points.to_vec(),
        Err(flat) => {
            normals.extend(flat);
            return None;
        }
    };
    let is_turned = 0.0 < (points[1] - points[0]).cross(points[2] - points[0]).dot(points[3] - points[0]);
    let mut faces: Vec<Face> = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [0, 2, 3]]
        .map(|[i, j, k]| face(&points, if is_turned { [i, k, j] } else { [i, j, k] }))
        .to_vec();
    let mut least = (f64::INFINITY, DVec3::X);
    while points.len() < MAX_CORNERS && faces.len() < 4 * MAX_CORNERS {
        let Some(k) = (0..faces.len()).min_by(|&i, &j| faces[i].height.total_cmp(&faces[j].height)) else {
            break;
        };
        let Face { corners, normal, height, is_final } = faces[k];
        if is_final {
            break;
        }
        let next = pair.lowest(-normal);
        let top = next.dot(normal);
        if top < least.0 {
            least = (top, -normal);
        }
        if top < 0.0 || top - height <= 0.25 * rounding || least.0 - height <= 0.25 * rounding {
            break;
        }
        if corners.iter().any(|&i| points[i] == next) {
            faces[k].is_final = true;
            continue;
        }
        // The connected faces that the new point sees are removed. Each open edge gets a triangle
        // with the new point. So the surface stays closed even if rounding changes the choice.
        let mut visible: Vec<usize> = (0..faces.len())
            .filter(|&i| i != k && faces[i].height + rounding < faces[i].normal.dot(next))
            .collect();
        let mut gone = vec![k];
        let mut open = edges(corners).to_vec();
        while let Some(at) =
            visible.iter().position(|&i| edges(faces[i].corners).iter().any(|e| open.contains(&[e[1], e[0]])))
        {
            let i = visible.swap_remove(at);
            for edge in edges(faces[i].corners) {
                match open.iter().position(|e| *e == [edge[1], edge[0]]) {
                    Some(twin) => {
                        open.swap_remove(twin);
                    }
                    None => open.push(edge),
                }
            }
            gone.push(i);
        }
        gone.sort_unstable_by(|i, j| j.cmp(i));
        for i in gone {
            faces.swap_remove(i);
        }
        points.push(next);
        let apex = points.len() - 1;
        faces.extend(open.iter().map(|&[from, to]| face(&points, [from, to, apex])));
    }
    normals.push(least.1);
    let mut winding = 0.0;
    let mut inside = f64::INFINITY;
    for f in &faces {
        let corners = f.corners.map(|i| points[i]);
        winding += solid_angle(corners);
        inside = inside.min(triangle_distance(corners));
    }
    // The winding number, up to rounding: 1 if the surface goes around the origin once.
    (0.75 < (winding / (4.0 * core::f64::consts::PI)).abs()).then_some(inside)
}

/// Returns the solid angle of a triangle. Its sign is computed in 106 bits.
fn solid_angle([a, b, c]: [DVec3; 3]) -> f64 {
    let [p, q, r] = [a, b, c].map(DoubleDoubleVec3::from);
    let (x, y, z) = (a.length(), b.length(), c.length());
    let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
    2.0 * p.cross(q).dot(r).to_f64().atan2(below)
}
