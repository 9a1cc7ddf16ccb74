//! EPA: the depth of the origin in the Minkowski difference C that contains it.
//!
//! - A polytope inside C is expanded at its face nearest to the origin.
//! - The distance of that face is a lower bound of the depth. The support plane over any unit
//!   normal gives an upper bound.
//! - If the nearest face cannot be expanded, the two bounds are equal. The depth is then the true
//!   minimum over all directions.
//! - The search also decides the sign if the distance search could not. A support plane with the
//!   origin outside separates the bodies.
//!
//! Reference: G. van den Bergen, Proximity Queries and Penetration Depth Computation on 3D Game
//! Objects, Game Developers Conference 2001, sections 4 and 5.
//! Differs: it starts from a simplex of any size, flat or not. Bounds are certified, and memory is
//! bounded.

use crate::gjk::Simplex;
use crate::minkowski::{Minkowski, Vertex};
use crate::polytope::{Face, Full, Polytope};
use crate::simplex::{inner_weights, nearest_of_all, normal_of, weights};
use crate::{Counters, GjkSettings};
use carom_geom::SupportMap;
use carom_lanes::{Kernel, Simd, dispatch};
use carom_math::{ops::sqrt, tol};
use glam::DVec3;

/// The depth of the cores, scaled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depth {
    /// Not below the depth. Negative if a separating direction was found.
    pub(crate) upper: f64,
    /// Not above the depth, except for rounding.
    pub(crate) lower: f64,
    /// Unit normal, from A to B.
    pub(crate) normal: DVec3,
    /// The deepest point of A, in A's frame.
    pub(crate) a: DVec3,
    /// The deepest point of B, in B's frame.
    pub(crate) b: DVec3,
}

// Room for vertices: for nearly all polytopes, for large hulls, and for curved shapes. A polytope
// of v vertices has 2 v - 4 faces.
const SMALL_ROOM: usize = 12;
const MEDIUM_ROOM: usize = 40;
const LARGE_ROOM: usize = 280;

/// Returns the depth of the origin in C. `simplex` contains the origin or nearly touches it.
pub(crate) fn depth<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    c: &Minkowski<'_, A, B>,
    simplex: &Simplex,
    settings: &GjkSettings,
    counters: &mut Counters,
) -> Depth {
    let mut vertices = [Vertex::BLANK; SMALL_ROOM];
    let mut faces = [Face::BLANK; 2 * SMALL_ROOM];
    let mut polytope = Polytope::new(&mut vertices, &mut faces);
    let is_started = simplex.n == 4
        && tol::EPA_THIN < polytope.set_tetrahedron([0, 1, 2, 3].map(|i| simplex.vertex(i)).each_ref());
    if !is_started && let Err(flat) = start(c, simplex, &mut polytope, counters) {
        return flat;
    }
    let mut state = State::new(settings.max_depth_iterations);
    match refine(c, &mut polytope, settings, &mut state, counters) {
        Ok(depth) => depth,
        Err(Full) => depth_medium(c, &polytope, settings, &mut state, counters),
    }
}

#[inline(never)]
fn depth_medium<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    c: &Minkowski<'_, A, B>,
    small: &Polytope<'_>,
    settings: &GjkSettings,
    state: &mut State,
    counters: &mut Counters,
) -> Depth {
    let mut vertices = [Vertex::BLANK; MEDIUM_ROOM];
    let mut faces = [Face::BLANK; 2 * MEDIUM_ROOM];
    let mut polytope = small.moved(&mut vertices, &mut faces);
    match refine(c, &mut polytope, settings, state, counters) {
        Ok(depth) => depth,
        Err(Full) => depth_large(c, &polytope, settings, state, counters),
    }
}

#[inline(never)]
fn depth_large<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    c: &Minkowski<'_, A, B>,
    medium: &Polytope<'_>,
    settings: &GjkSettings,
    state: &mut State,
    counters: &mut Counters,
) -> Depth {
    let mut vertices = [Vertex::BLANK; LARGE_ROOM];
    let mut faces = [Face::BLANK; 2 * LARGE_ROOM];
    let mut polytope = medium.moved(&mut vertices, &mut faces);
    match refine(c, &mut polytope, settings, state, counters) {
        Ok(depth) => depth,
        Err(Full) => give_up(c, &polytope, state),
    }
}

/// The state that is kept when the polytope moves to larger memory.
struct State {
    rounds_left: u32,
    /// The largest lower bound so far. A bound that was proved stays valid if rounding later dents
    /// the surface.
    lower: f64,
    /// The smallest upper bound so far, with its direction and support point.
    upper: f64,
    normal: DVec3,
    vertex: Vertex,
}

impl State {
    fn new(rounds_left: u32) -> State {
        State {
            rounds_left: rounds_left.max(1),
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            normal: DVec3::X,
            vertex: Vertex::NONE,
        }
    }

    /// Returns the largest lower bound. A bound within rounding proves nothing, as on a surface
    /// without volume.
    fn lower(&self) -> f64 {
        if tol::EPA_FLAT < self.lower { self.lower } else { f64::NEG_INFINITY }
    }
}

/// Expands the polytope until its nearest face lies on the surface of C.
#[inline(never)]
fn refine<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    c: &Minkowski<'_, A, B>,
    polytope: &mut Polytope<'_>,
    settings: &GjkSettings,
    state: &mut State,
    counters: &mut Counters,
) -> Result<Depth, Full> {
    dispatch(RefineKernel { c, polytope, settings, state, counters })
}

/// The loop compiled for each instruction set.
struct RefineKernel<'k, 's, 'm, A: ?Sized, B: ?Sized> {
    c: &'k Minkowski<'s, A, B>,
    polytope: &'k mut Polytope<'m>,
    settings: &'k GjkSettings,
    state: &'k mut State,
    counters: &'k mut Counters,
}

impl<A: SupportMap + ?Sized, B: SupportMap + ?Sized> Kernel for RefineKernel<'_, '_, '_, A, B> {
    type Output = Result<Depth, Full>;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Result<Depth, Full> {
        refine_here(self.c, self.polytope, self.settings, self.state, self.counters)
    }
}

#[inline(always)]
fn refine_here<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    c: &Minkowski<'_, A, B>,
    polytope: &mut Polytope<'_>,
    settings: &GjkSettings,
    state: &mut State,
    counters: &mut Counters,
) -> Result<Depth, Full> {
    loop {
        let k = polytope.nearest_face();
        let Face { normal, distance, is_final, .. } = polytope.faces[k];
        if is_final || state.rounds_left == 0 || !distance.is_finite() {
            return Ok(give_up(c, polytope, state));
        }
        if distance < 0.0 && state.upper - state.lower() <= tol::EPA_FLAT {
            // Normals of very thin triangles have turned a part of the surface over. The bounds
            // found before are as close as any.
            return Ok(give_up(c, polytope, state));
        }
        state.lower = state.lower.max(distance);
        state.rounds_left -= 1;
        counters.depth_iterations += 1;
        counters.supports += 1;
        let mut vertex = c.support(-normal);
        let mut height = normal.dot(vertex.w);
        let tolerance = (settings.depth_tolerance * height).max(tol::GJK_ROUNDING);
        let mut is_known = polytope.has_vertex(vertex.w);
        let mut is_exact = c.slack == 0.0;
        if !is_exact && (height <= 0.0 || height - distance <= tolerance + c.slack || is_known) {
            vertex = c.support_exact(-normal, &vertex);
            height = normal.dot(vertex.w);
            is_known = polytope.has_vertex(vertex.w);
            is_exact = true;
        }
        if is_exact && height < state.upper {
            (state.upper, state.normal, state.vertex) = (height, normal, vertex);
        }
        if height < 0.0 || height - distance <= tolerance {
            return Ok(on_face(polytope, k, height));
        }
        if is_known && polytope.corners(k).contains(&vertex.w) {
            // The normal is noise. The triangle gives no better bound than its true distance.
            let [x, y, z] = polytope.corners(k);
            let nearest = nearest_of_all(&[x, y, z, DVec3::ZERO], 3);
            polytope.faces[k].distance = sqrt(nearest.distance_sq);
            polytope.faces[k].is_final = true;
            continue;
        }
        // A known vertex beyond the face: rounding has left a dent, which is filled like any other.
        polytope.expand(k, vertex, tol::GJK_ROUNDING)?;
    }
}

/// Returns the result on a face. The depth is the height of its support plane, and the witness is
/// the projection of the origin. The projection lies on this face or on one in the same plane,
/// because a larger face of C is several triangles here.
#[inline(always)]
fn on_face(polytope: &Polytope<'_>, k: usize, height: f64) -> Depth {
    let Face { normal, distance, .. } = polytope.faces[k];
    // The projection nearly always lies on this face.
    let [x, y, z] = polytope.corners(k);
    match inner_weights(x, y, z) {
        Some(weights) => on_triangle(polytope, k, weights, normal, height, distance),
        None => on_plane(polytope, k, height),
    }
}

/// Returns the result on a face with others in the same plane.
#[cold]
#[inline(never)]
fn on_plane(polytope: &Polytope<'_>, k: usize, height: f64) -> Depth {
    let Face { normal, distance, .. } = polytope.faces[k];
    let same_plane = distance.max(height) + tol::EPA_FLAT;
    // Compares distances to the projection of the origin, not to the origin. Faces in other planes
    // may be as near to the origin.
    let foot = normal * height;
    let mut best = (k, [1.0, 0.0, 0.0]);
    let mut best_sq = f64::INFINITY;
    for (i, face) in polytope.faces[..polytope.n_faces].iter().enumerate() {
        // The second test excludes faces on the other side of a thin C.
        if face.distance <= same_plane && 0.5 < face.normal.dot(normal) {
            let [x, y, z] = polytope.corners(i).map(|corner| corner - foot);
            let points = [x, y, z, DVec3::ZERO];
            let nearest = nearest_of_all(&points, 3);
            if nearest.distance_sq < best_sq {
                let [wx, wy, wz, _] = weights(&points, nearest.keep);
                (best, best_sq) = ((i, [wx, wy, wz]), nearest.distance_sq);
            }
        }
    }
    on_triangle(polytope, best.0, best.1, normal, height, distance)
}

/// Returns the answer, with its witness on a triangle of the polytope.
#[inline(always)]
fn on_triangle(
    polytope: &Polytope<'_>,
    triangle: usize,
    weights: [f64; 3],
    normal: DVec3,
    height: f64,
    distance: f64,
) -> Depth {
    let (mut a, mut b) = (DVec3::ZERO, DVec3::ZERO);
    for (corner, weight) in polytope.faces[triangle].corners.iter().zip(weights) {
        let vertex = &polytope.vertices[usize::from(*corner)];
        a += vertex.a.point * weight;
        b += vertex.b.point * weight;
    }
    Depth { upper: height, lower: distance.min(height), normal, a, b }
}

/// Returns the best bounds so far, if the search cannot end.
#[cold]
fn give_up<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    c: &Minkowski<'_, A, B>,
    polytope: &Polytope<'_>,
    state: &mut State,
) -> Depth {
    let face = &polytope.faces[polytope.nearest_face()];
    // If all faces are slivers, there is no normal. Any direction bounds the depth from above.
    let is_unbounded = face.normal == DVec3::ZERO && !state.upper.is_finite();
    let direction = if is_unbounded { unit_or_x(-c.center) } else { face.normal };
    if direction != DVec3::ZERO {
        let fast = c.support(-direction);
        let vertex = c.support_exact(-direction, &fast);
        let height = direction.dot(vertex.w);
        if height < state.upper {
            (state.upper, state.normal, state.vertex) = (height, direction, vertex);
        }
    }
    // Slivers alone give no bound.
    let nearest = if face.distance.is_finite() { face.distance } else { f64::NEG_INFINITY };
    let lower = state.lower().max(nearest).min(state.upper);
    // The support point may lie anywhere on its plane. The witness is the point of the polytope
    // nearest to the projection of the origin on that plane.
    let foot = state.normal * state.upper;
    let (mut best, mut best_weights, mut best_sq) = (0, [1.0, 0.0, 0.0], f64::INFINITY);
    for i in 0..polytope.n_faces {
        let [x, y, z] = polytope.corners(i).map(|corner| corner - foot);
        let points = [x, y, z, DVec3::ZERO];
        let nearest = nearest_of_all(&points, 3);
        if nearest.distance_sq < best_sq {
            let [wx, wy, wz, _] = weights(&points, nearest.keep);
            (best, best_weights, best_sq) = (i, [wx, wy, wz], nearest.distance_sq);
        }
    }
    let mut depth = on_triangle(polytope, best, best_weights, state.normal, state.upper, lower);
    // The polytope lies inside C by the gap between the bounds. Each body takes half of it, along
    // the normal.
    let short = state.upper * c.unscale - depth.normal.dot(depth.a - c.b_in_a.transform_point(depth.b));
    depth.a += depth.normal * (0.5 * short);
    depth.b -= c.b_in_a.inverse_transform_vector(depth.normal) * (0.5 * short);
    depth
}

/// The faces of a tetrahedron.
const FACES: [[usize; 3]; 4] = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]];

/// Returns the corners of the tetrahedron's face that is nearest to the origin. Slivers are
/// skipped.
#[cold]
fn nearest_corners(v: &[Vertex; 4]) -> [Vertex; 3] {
    let mut nearest = f64::INFINITY;
    let mut corners = [v[0], v[1], v[2]];
    for [i, j, k] in FACES {
        let normal = normal_of(v[i].w, v[j].w, v[k].w);
        let length = sqrt(normal.length_squared());
        // NaN for a sliver, so the comparison is false.
        let distance = (normal.dot(v[i].w) / length).abs();
        if distance < nearest {
            nearest = distance;
            corners = [v[i], v[j], v[k]];
        }
    }
    corners
}

/// Builds the first polytope if the simplex is not a tetrahedron or has no volume. It contains or
/// touches the origin. If C has no volume, the error is the depth 0 along its flat direction.
#[cold]
#[inline(never)]
fn start<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    c: &Minkowski<'_, A, B>,
    simplex: &Simplex,
    polytope: &mut Polytope<'_>,
    counters: &mut Counters,
) -> Result<(), Depth> {
    let v: [Vertex; 4] =
        core::array::from_fn(|i| if i < simplex.n { simplex.vertex(i) } else { Vertex::NONE });
    let mut corners = [v[0], v[1], v[2]];
    let mut n = simplex.n.min(3);
    if simplex.n == 4 {
        corners = nearest_corners(&v);
        n = 3;
    }
    let mut probe = |direction: DVec3| {
        counters.supports += 1;
        let fast = c.support(-direction);
        if c.slack > 0.0 { c.support_exact(-direction, &fast) } else { fast }
    };
    let flat = |normal: DVec3| {
        // Take the side on which B's centre lies.
        let normal = if normal.dot(c.center) > 0.0 { -normal } else { normal };
        let (mut a, mut b) = (DVec3::ZERO, DVec3::ZERO);
        // In a tetrahedron without volume weights are noise. The origin lies on the nearest of its
        // faces.
        let faces = if simplex.n == 4 { &FACES[..] } else { &FACES[..1] };
        let mut least_sq = f64::INFINITY;
        for face in faces.iter().filter(|_| 0 < simplex.n) {
            let [x, y, z] = face.map(|i| simplex.points[i]);
            let points = [x, y, z, DVec3::ZERO];
            let nearest = nearest_of_all(&points, simplex.n.min(3));
            if nearest.distance_sq < least_sq {
                (least_sq, a, b) = (nearest.distance_sq, DVec3::ZERO, DVec3::ZERO);
                for (i, weight) in face.iter().zip(weights(&points, nearest.keep)) {
                    a += v[*i].a.point * weight;
                    b += v[*i].b.point * weight;
                }
            }
        }
        // The origin may lie outside C, at the distance of the simplex. Then nothing proves that
        // the bodies overlap.
        Depth { upper: 0.0, lower: -sqrt(simplex.nearest.distance_sq), normal, a, b }
    };
    if n == 3 {
        // The corners are on a line: keep its two ends.
        let span = |i: usize, j: usize| corners[i].w.distance(corners[j].w);
        let longest = [(0, 1), (1, 2), (0, 2)].into_iter().fold((0, 1), |best: (usize, usize), edge| {
            if span(best.0, best.1) < span(edge.0, edge.1) { edge } else { best }
        });
        let area = sqrt(normal_of(corners[0].w, corners[1].w, corners[2].w).length_squared());
        if area <= tol::EPA_FLAT * span(longest.0, longest.1) {
            corners = [corners[longest.0], corners[longest.1], corners[2]];
            n = 2;
        }
    }
    if n == 2 && corners[0].w.distance(corners[1].w) <= tol::EPA_FLAT {
        n = 1;
    }
    if n == 1 {
        // A point: go to the farthest of the supports along the axes.
        let from = corners[0].w;
        let mut farthest = tol::EPA_FLAT;
        for axis in DVec3::AXES {
            for direction in [axis, -axis] {
                let vertex = probe(direction);
                let distance = vertex.w.distance(from);
                if farthest < distance {
                    (farthest, corners[1], n) = (distance, vertex, 2);
                }
            }
        }
        if n == 1 {
            // C is a point.
            return Err(flat(unit_or_x(c.center)));
        }
    }
    if n == 2 {
        // A segment: go to the support farthest from its line.
        let from = corners[0].w;
        let along = unit_or_x(corners[1].w - from);
        let side = along.any_orthonormal_vector();
        let mut farthest = tol::EPA_FLAT;
        for direction in [side, -side, along.cross(side), -along.cross(side)] {
            let vertex = probe(direction);
            let offset = vertex.w - from;
            let distance = (offset - along * offset.dot(along)).length();
            if farthest < distance {
                (farthest, corners[2], n) = (distance, vertex, 3);
            }
        }
        if n == 2 {
            // C is a segment: take the direction across it that points most from A to B.
            let across = -(c.center - along * c.center.dot(along));
            let normal = if across.length() > tol::EPA_FLAT { across.normalize() } else { side };
            return Err(flat(normal));
        }
    }
    // A triangle: expand it on both sides.
    let [x, y, z] = [corners[0].w, corners[1].w, corners[2].w];
    let normal = unit_or_x(normal_of(x, y, z));
    // Orient the normal by the order of the corners.
    let normal = if normal.dot((y - x).cross(z - x)) < 0.0 { -normal } else { normal };
    let (above, below) = (probe(normal), probe(-normal));
    let rises = tol::EPA_FLAT < normal.dot(above.w - x);
    let falls = tol::EPA_FLAT < -normal.dot(below.w - x);
    match (rises, falls) {
        (true, true) => {
            polytope.set_tetrahedron([&corners[0], &corners[1], &corners[2], &above]);
            // There is always room for a fifth vertex.
            let _ = polytope.expand(0, below, tol::GJK_ROUNDING);
        }
        (true, false) => {
            polytope.set_tetrahedron([&corners[0], &corners[1], &corners[2], &above]);
        }
        (false, true) => {
            polytope.set_tetrahedron([&corners[0], &corners[1], &corners[2], &below]);
        }
        // C is flat.
        (false, false) => return Err(flat(normal)),
    }
    Ok(())
}

fn unit_or_x(v: DVec3) -> DVec3 {
    let largest = v.abs().max_element();
    if !(0.0 < largest) {
        return DVec3::X;
    }
    let v = v / largest;
    v / sqrt(v.length_squared())
}
