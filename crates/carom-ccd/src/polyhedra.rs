//! Two moving polyhedra, convex or not, by their features: vertices against faces, edges against
//! edges.
//!
//! - At the first contact of two surfaces, a vertex touches a face, or an edge touches an edge.
//! - Vertices of rotating bodies move on screws. Within a time interval each vertex is replaced by
//!   one on the chord.
//! - Features count as touching within the possible error of the chords. A clear result is then
//!   certain.
//! - The next interval begins at the safe time. An interval shrinks while it is too coarse: the
//!   error falls with the square of its length.
//!
//! Reference: J. van Waveren, Robust Continuous Collision Detection Between Arbitrary Polyhedra
//! Using Trajectory Parameterization of Polyhedral Features, 2005; Akenine-Moller et al., Real-Time
//! Rendering, 4th ed., 25.11.3.
//! Differs: chords with a bound, and a search with proofs, instead of roots of polynomials for
//! screws.

use crate::chord::UNIT;
use crate::element::{Element, ElementSettings};
use crate::search::undecided;
use crate::{Clear, Impact, ImpactSettings, Motion, Proof, TimeOfImpact};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use carom_geom::tri_distance::{point_triangle, segment_segment, segment_triangle};
use carom_geom::{FeatureId, ShapeError, check};
use carom_math::predicates::{orient2d_along, orient3d};
use carom_math::{scaling, tol};
use glam::DVec3;

/// The largest rotation in one interval, in radians, so that chords stay near their arcs.
const TURN: f64 = 0.5;

/// The number of times at which contact is tested. Each step is twice as long as the one before.
const PROBES: u32 = 10;

/// A rigid surface of triangles, in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyhedron {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
}

impl Polyhedron {
    /// Builds a surface from vertices and triangles of their indices. A side is no edge if the two
    /// triangles at it lie in one plane, on either side of it. Errors are an empty list, a vertex
    /// that is not finite, and an index without a vertex.
    pub fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Polyhedron, ShapeError> {
        for vertex in vertices {
            check::point("a vertex of the polyhedron", *vertex)?;
        }
        if vertices.is_empty() || triangles.is_empty() {
            return Err(ShapeError::Empty { what: "the polyhedron" });
        }
        let mut sides: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
        for (t, corners) in triangles.iter().enumerate() {
            if corners.iter().any(|&i| vertices.len() <= i as usize) {
                return Err(ShapeError::Empty { what: "a vertex that a triangle names" });
            }
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                sides.entry([a.min(b), a.max(b)]).or_default().push(t);
            }
        }
        let at = |i: u32| vertices[i as usize];
        // Decided exactly: in one plane, and on different sides of the line through the side. Equal
        // triangles, and others that overlap, end there.
        let is_flat = |side: [u32; 2], around: &[usize]| {
            let third = |t: &usize| triangles[*t].into_iter().find(|i| !side.contains(i)).map(at);
            let [Some(c), Some(d)] = [around.first().and_then(third), around.get(1).and_then(third)] else {
                return false;
            };
            let [a, b] = side.map(at);
            let is_between = |axis: usize| {
                let [x, y] = [orient2d_along(axis, a, b, c), orient2d_along(axis, a, b, d)];
                x.min(y) < 0.0 && 0.0 < x.max(y)
            };
            around.len() == 2 && orient3d(a, b, c, d) == 0.0 && (0..3).any(is_between)
        };
        let is_edge = |(side, around): &([u32; 2], Vec<usize>)| !is_flat(*side, around);
        let edges = sides.into_iter().filter(is_edge).map(|(side, _)| side).collect();
        Ok(Polyhedron { vertices: vertices.to_vec(), triangles: triangles.to_vec(), edges })
    }

    /// Returns the vertices.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Returns the triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns the edges: sides at which the surface bends or ends, the smaller index first.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// Returns the largest distance of a vertex from a point.
    fn reach(&self, from: DVec3) -> f64 {
        self.vertices.iter().fold(0.0, |most, v| most.max(scaling::length(*v - from)))
    }

    /// Returns the vertices at a time.
    fn at(&self, motion: &Motion, t: f64) -> Vec<DVec3> {
        let pose = motion.pose_at(t);
        self.vertices.iter().map(|v| pose.transform_point(*v)).collect()
    }
}

/// Two features at a time, and their nearest points.
struct Nearest {
    distance: f64,
    points: [DVec3; 2],
    features: [FeatureId; 2],
}

/// Returns the first time at which the surfaces of two moving polyhedra come within the target
/// distance.
///
/// All pairs of features are tested. Two boxes on screws take 280 times as long as with
/// [`crate::time_of_impact`] (bench `elements`). For large meshes use carom-query's `cast`, which
/// has trees.
///
/// Only surfaces count: a body inside the other does not touch it. Contact is proved by a
/// distance, so the target distance must be above 0. With 0 the answer is undecided if the
/// surfaces touch, unless they cross at the start. A hit names a vertex and a face, or two edges.
/// If surfaces cross at the start, it names an edge and a face. The normal is then that of the
/// face. The body with the edge counts as being on the side on which it reaches farther from the
/// face. The settings `wants_distance` and `stop_at_penetration` are not used.
pub fn polyhedra_time_of_impact(
    a: &Polyhedron,
    motion_a: &Motion,
    b: &Polyhedron,
    motion_b: &Motion,
    settings: &ImpactSettings,
) -> TimeOfImpact {
    let (reach_a, reach_b) = (a.reach(motion_a.local_center()), b.reach(motion_b.local_center()));
    let [ball_a, ball_b] = [(motion_a.local_center(), reach_a), (motion_b.local_center(), reach_b)];
    let settings = settings.until_departure(ball_a, motion_a, ball_b, motion_b);
    let target = settings.target_distance.max(0.0);
    let (turn_a, turn_b) = (scaling::length(motion_a.angular()), scaling::length(motion_b.angular()));
    let end = settings.max_time.max(settings.start_time);
    // The error of a position: of the pose, of the sum, and of the angle.
    let rounding =
        [motion_a, motion_b].into_iter().zip([reach_a, reach_b]).fold(0.0, |sum, (motion, reach)| {
            let far = [settings.start_time, end].map(|t| scaling::length(motion.center_at(t)));
            let spin = scaling::length(motion.angular()) * end.abs();
            sum + 32.0 * UNIT * (far[0].max(far[1]) + reach * (2.0 + spin))
        });
    // The distance of an arc from its chord is at most (rate h)^2 r / 8.
    let bend = (turn_a * turn_a * reach_a + turn_b * turn_b * reach_b) / 8.0;
    let speed = scaling::length(motion_a.linear() - motion_b.linear()) + turn_a * reach_a + turn_b * reach_b;
    let tolerance = settings.tolerance.max(tol::ELEMENT_GAP) * reach_a.min(reach_b);

    // Features touch before an edge passes through a face. At the start an edge may already do so.
    let bodies = [(a, motion_a), (b, motion_b)];
    if let Some(impact) = crossing(bodies, settings.start_time) {
        return TimeOfImpact::Hit(impact);
    }
    let fastest = turn_a.max(turn_b);
    let mut h = end - settings.start_time;
    if TURN < fastest * h {
        h = TURN / fastest;
    }
    let (mut safe, mut least) = (settings.start_time, f64::INFINITY);
    for _ in 0..settings.max_steps.max(1) {
        let to = (safe + h).min(end);
        let slack = bend * (to - safe) * (to - safe) * (1.0 + 16.0 * UNIT) + rounding;
        let (share, bound) = stretch(bodies, [safe, to], target + slack);
        if share == 1.0 {
            least = least.min(bound - slack);
            if to == end {
                return TimeOfImpact::Clear(Clear::new(least));
            }
            (safe, h) = (to, 2.0 * h);
            if TURN < fastest * h {
                h = TURN / fastest;
            }
            continue;
        }
        safe += (to - safe) * share * (1.0 - 16.0 * UNIT);
        let near = nearest(bodies, safe);
        let distance = near.distance + rounding;
        let normal = near.direction().unwrap_or_else(|| between_centers(bodies, safe));
        if distance <= target {
            return TimeOfImpact::Hit(impact([safe, safe], &near, normal, Proof::Within(distance)));
        }
        if distance <= target + tolerance + 2.0 * rounding && 0.0 < speed {
            // Close enough for the start of a bracket. Its end is the time at which the distance is
            // proved.
            let mut step = (distance - target + tolerance) / speed;
            for _ in 0..PROBES {
                let probe = (safe + step).min(end);
                let near = nearest(bodies, probe);
                let proved = near.distance + rounding;
                if proved <= target {
                    let normal = near.direction().unwrap_or(normal);
                    let proof = Proof::Within(proved);
                    return TimeOfImpact::Hit(impact([safe, probe], &near, normal, proof));
                }
                step *= 2.0;
            }
        }
        // Refine while the error of the chords is the limit.
        let finer = bend * h * h;
        if rounding < finer {
            h *= if share < 0.5 { 0.25 } else { 0.5 };
        } else if share == 0.0 {
            break;
        }
    }
    let upper = nearest(bodies, safe).distance + rounding;
    undecided(safe, upper, target, rounding)
}

/// Returns the share of an interval in which all features are certainly more than `apart` apart, on
/// their chords. If it is the whole interval, also returns their distance.
fn stretch(bodies: [(&Polyhedron, &Motion); 2], [from, to]: [f64; 2], apart: f64) -> (f64, f64) {
    let [(a, motion_a), (b, motion_b)] = bodies;
    let (a0, a1) = (a.at(motion_a, from), a.at(motion_a, to));
    let (b0, b1) = (b.at(motion_b, from), b.at(motion_b, to));
    let settings = ElementSettings::default().with_minimum_separation(apart);
    let (mut share, mut least) = (1.0_f64, f64::INFINITY);
    let mut update = |element: Result<Element, ShapeError>| match element.map(|e| e.time_of_impact(&settings))
    {
        Ok(TimeOfImpact::Clear(clear)) => least = least.min(clear.distance),
        Ok(found) => share = share.min(found.safe_until(1.0)),
        // Positions that are not finite: nothing is claimed.
        Err(_) => share = 0.0,
    };
    let mut faces =
        |(v0, v1): (&[DVec3], &[DVec3]), (w0, w1): (&[DVec3], &[DVec3]), triangles: &[[u32; 3]]| {
            for (p, q) in v0.iter().zip(v1) {
                for t in triangles {
                    let ([a, b, c], [d, e, f]) = (t.map(|i| w0[i as usize]), t.map(|i| w1[i as usize]));
                    update(Element::vertex_face([*p, a, b, c], [*q, d, e, f]));
                }
            }
        };
    faces((&a0, &a1), (&b0, &b1), &b.triangles);
    faces((&b0, &b1), (&a0, &a1), &a.triangles);
    for e in &a.edges {
        for f in &b.edges {
            let [[p, q], [r, s]] = [e.map(|i| a0[i as usize]), f.map(|i| b0[i as usize])];
            let [[t, u], [v, w]] = [e.map(|i| a1[i as usize]), f.map(|i| b1[i as usize])];
            update(Element::edge_edge([p, q, r, s], [t, u, v, w]));
        }
    }
    (share, least)
}

/// Returns the impact of an edge of one body that passes through a face of the other at a time.
fn crossing(bodies: [(&Polyhedron, &Motion); 2], t: f64) -> Option<Impact> {
    let [(a, motion_a), (b, motion_b)] = bodies;
    let (at_a, at_b) = (a.at(motion_a, t), b.at(motion_b, t));
    let through = |edges: &[[u32; 2]], ends: &[DVec3], faces: &[[u32; 3]], corners: &[DVec3]| {
        edges.iter().enumerate().find_map(|(i, e)| {
            let edge = e.map(|k| ends[k as usize]);
            faces.iter().enumerate().find_map(|(j, t)| {
                let face = t.map(|k| corners[k as usize]);
                let found = segment_triangle(&edge, &face);
                let features = [FeatureId::edge(i as u32), FeatureId::face(j as u32)];
                (found.distance == 0.0).then(|| (found.point_a, features, far_side(&face, ends)))
            })
        })
    };
    // From the face to the far side of the body that has the edge.
    let of_a = through(&a.edges, &at_a, &b.triangles, &at_b)
        .map(|(point, features, outwards)| (point, features, outwards.map(|n| -n)));
    let found = of_a.or_else(|| {
        through(&b.edges, &at_b, &a.triangles, &at_a)
            .map(|(point, [edge, face], outwards)| (point, [face, edge], outwards))
    });
    found.map(|(point, features, normal)| {
        let near = Nearest { distance: 0.0, points: [point; 2], features };
        let normal = normal.unwrap_or_else(|| between_centers(bodies, t));
        impact([t; 2], &near, normal, Proof::Overlap)
    })
}

/// Returns the unit normal of a face on the side of the point that is farthest from its plane.
/// `None` if the face is degenerate.
fn far_side(&[a, b, c]: &[DVec3; 3], points: &[DVec3]) -> Option<DVec3> {
    let normal = scaling::unit((b - a).cross(c - a))?;
    let heights = points.iter().map(|p| normal.dot(*p - a));
    let (low, high) = heights.fold((0.0_f64, 0.0_f64), |(low, high), h| (low.min(h), high.max(h)));
    Some(if high < -low { -normal } else { normal })
}

/// Returns the unit vector from the centre of A's motion to that of B's; x if they coincide.
fn between_centers([(_, a), (_, b)]: [(&Polyhedron, &Motion); 2], t: f64) -> DVec3 {
    scaling::unit(b.center_at(t) - a.center_at(t)).unwrap_or(DVec3::X)
}

/// Returns the nearest features at a time, by brute force.
fn nearest(bodies: [(&Polyhedron, &Motion); 2], t: f64) -> Nearest {
    let [(a, motion_a), (b, motion_b)] = bodies;
    let (at_a, at_b) = (a.at(motion_a, t), b.at(motion_b, t));
    let none =
        Nearest { distance: f64::INFINITY, points: [DVec3::ZERO; 2], features: [FeatureId::UNKNOWN; 2] };
    let mut best = none;
    let mut update = |distance: f64, points: [DVec3; 2], features: [FeatureId; 2]| {
        if distance < best.distance {
            best = Nearest { distance, points, features };
        }
    };
    for (i, v) in at_a.iter().enumerate() {
        for (j, t) in b.triangles.iter().enumerate() {
            let found = point_triangle(*v, &t.map(|k| at_b[k as usize]));
            let features = [FeatureId::vertex(i as u32), FeatureId::face(j as u32)];
            update(found.distance, [found.point_a, found.point_b], features);
        }
    }
    for (i, v) in at_b.iter().enumerate() {
        for (j, t) in a.triangles.iter().enumerate() {
            let found = point_triangle(*v, &t.map(|k| at_a[k as usize]));
            let features = [FeatureId::face(j as u32), FeatureId::vertex(i as u32)];
            update(found.distance, [found.point_b, found.point_a], features);
        }
    }
    for (i, e) in a.edges.iter().enumerate() {
        for (j, f) in b.edges.iter().enumerate() {
            let found = segment_segment(&e.map(|k| at_a[k as usize]), &f.map(|k| at_b[k as usize]));
            let features = [FeatureId::edge(i as u32), FeatureId::edge(j as u32)];
            update(found.distance, [found.point_a, found.point_b], features);
        }
    }
    best
}

impl Nearest {
    /// Returns the unit vector from the point of A to that of B, if they differ.
    fn direction(&self) -> Option<DVec3> {
        scaling::unit(self.points[1] - self.points[0])
    }
}

fn impact(bracket: [f64; 2], near: &Nearest, normal: DVec3, proof: Proof) -> Impact {
    let mut impact = Impact::new(bracket, near.points, normal, proof);
    [impact.feature_a, impact.feature_b] = near.features;
    impact
}
