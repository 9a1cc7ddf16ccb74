//! Parts of a mesh that cannot meet themselves, by a cone of normals and a test of their contour.
//!
//! A cone alone proves nothing: the normals of a spiral ramp are all alike. A part is proved to be
//! free if
//! - all its triangles, seen along a coordinate axis, have the same orientation, and none has area
//!   0 (the cone), and
//! - its contour, seen along this axis, is one closed polygon without double points (the contour
//!   test).
//!
//! Proof. The contour is the sum of the directed edges of all triangles, where opposite ones
//! cancel. Take a point that lies on no edge. The contour winds around it as often as triangles
//! cover it: once at most. Then the angles that triangles cover around any point x do not overlap.
//!
//! Let two triangles have x in common. Start at one of them and cross the edges through x that
//! cancel. Each leads to the adjacent triangle, which shares the vertex, or the edge, at x. This
//! continues until the full angle at x is covered, or all of it between the two contour edges
//! there. The contour passes there only once, so all beyond is outside. The other triangle covers
//! some angle, so the walk meets it: the two share a vertex. The proof assumes nothing of the
//! mesh: its edges may have any number of triangles.
//!
//! All signs are exact. The proof is about common points at the present time. It does not hold for
//! a distance above zero, because triangles near each other in one flat part are found then. It
//! does not hold for the times between two positions either. So only [`FeatureSearch::crossings`]
//! of one mesh uses it.
//!
//! Reference: P. Volino, N. Magnenat-Thalmann, Efficient Self-Collision Detection on Smoothly
//! Discretized Surface Animations using Geometrical Shape Regularity, 1994. Differs: coordinate
//! axes and exact signs; winding numbers, not discs.

use crate::counters::DeformCounters;
use crate::deformable::Features;
use crate::view::View;
use alloc::vec::Vec;
use carom_bvh::Child;
use carom_math::predicates::{orient2d, orient2d_along, project};
use glam::{DVec2, DVec3};

/// Whether searches for crossings leave out parts that are proved to be free of them. The answers
/// are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cones {
    /// No part is tested.
    #[default]
    Never,
    /// Parts are tested until that costs more tests than it saves. Then 1 search tests none; after
    /// further failures 2, 4, and so on, at most 64.
    Auto,
    /// Parts are tested in each search.
    Always,
}

/// The most searches for which [`Cones::Auto`] tests no part.
const MAX_REST: u32 = 64;

/// For a node or leaf that is in no free part.
const NONE: u32 = u32::MAX;

/// The memory of tests of parts.
#[derive(Debug, Default)]
pub(crate) struct ConeMemory {
    pub(crate) cones: Cones,
    /// The number of searches without tests after the last failure, and how many of them are left.
    rest: u32,
    rest_left: u32,
    /// By node: the axes along which all triangles below it have one orientation. Bits 0 to 2 are
    /// for counter-clockwise, bits 3 to 5 for clockwise.
    orientations: Vec<u8>,
    /// By node: the range of its contour in `contours`.
    ranges: Vec<[usize; 2]>,
    /// Directed edges, packed: see `packed`.
    contours: Vec<u64>,
    /// By node: the highest free node that contains it, or `NONE`.
    free: Vec<u32>,
    own: Vec<u64>,
    links: Vec<u64>,
    segments: Vec<Segment>,
    /// By leaf: the highest free node that contains it, or `NONE`.
    patches: Vec<u32>,
}

/// A directed edge of a contour, seen along an axis.
#[derive(Clone, Copy, Debug)]
struct Segment {
    vertices: [u32; 2],
    ends: [DVec2; 2],
}

impl ConeMemory {
    /// Removes the pairs of leaves that lie in one part without crossings.
    pub(crate) fn sift(
        &mut self,
        view: &View<'_>,
        leaf_pairs: &mut Vec<[u32; 2]>,
        counters: &mut DeformCounters,
    ) {
        if self.cones == Cones::Never {
            return;
        }
        if self.cones == Cones::Auto && 0 < self.rest_left {
            self.rest_left -= 1;
            return;
        }
        let tests = self.find_free_nodes(view);
        let (tree, before) = (view.trees[Features::Faces as usize].0, leaf_pairs.len());
        let mut saved = 0;
        leaf_pairs.retain(|&[a, b]| {
            let patch = self.patches[a as usize];
            let is_needed = patch == NONE || patch != self.patches[b as usize];
            saved += if is_needed { 0 } else { tree.leaf(a).primitives.len() as u64 };
            is_needed
        });
        counters.cone_tests += tests;
        counters.skipped_by_cones += (before - leaf_pairs.len()) as u64;
        self.rest = if saved < tests { (2 * self.rest).clamp(1, MAX_REST) } else { 0 };
        self.rest_left = self.rest;
    }

    /// Finds the largest free parts. Returns the number of triangles and pairs of edges tested.
    fn find_free_nodes(&mut self, view: &View<'_>) -> u64 {
        let tree = view.trees[Features::Faces as usize].0;
        let n_nodes = tree.n_nodes();
        let mut tests = 0;
        self.contours.clear();
        self.orientations.clear();
        self.orientations.resize(n_nodes, 0);
        self.ranges.clear();
        self.ranges.resize(n_nodes, [0; 2]);
        self.free.clear();
        self.free.resize(n_nodes, NONE);
        self.patches.clear();
        self.patches.resize(tree.n_leaves(), NONE);
        // Children have larger numbers than their parents.
        for node in (0..n_nodes).rev() {
            let mut orientations = 0b11_1111;
            for (_, child) in tree.children(node as u32) {
                match child {
                    Child::Node(inner) => orientations &= self.orientations[inner as usize],
                    Child::Leaf(leaf) => {
                        for &face in leaf.primitives {
                            if orientations != 0 {
                                orientations &=
                                    orientations_of(view.at(view.faces[face as usize]), orientations);
                                tests += 1;
                            }
                        }
                    }
                }
            }
            self.orientations[node] = orientations;
            if orientations == 0 {
                continue;
            }
            self.own.clear();
            for (_, child) in tree.children(node as u32) {
                match child {
                    Child::Node(inner) => {
                        let [begin, end] = self.ranges[inner as usize];
                        self.own.extend_from_slice(&self.contours[begin..end]);
                    }
                    Child::Leaf(leaf) => {
                        for &face in leaf.primitives {
                            let [a, b, c] = view.faces[face as usize];
                            self.own.extend([packed(a, b), packed(b, c), packed(c, a)]);
                        }
                    }
                }
            }
            self.own.sort_unstable();
            let begin = self.contours.len();
            for same in self.own.chunk_by(|e, f| e >> 1 == f >> 1) {
                // Forward edges come first. Pairs of opposite edges cancel.
                let n_forwards = same.partition_point(|edge| edge & 1 == 0);
                let n_opposite = n_forwards.min(same.len() - n_forwards);
                self.contours.extend_from_slice(&same[n_opposite..same.len() - n_opposite]);
            }
            self.ranges[node] = [begin, self.contours.len()];
        }
        // Top down, because the highest free node makes all below it free.
        for node in 0..n_nodes {
            if self.free[node] == NONE && self.is_free(view, node, &mut tests) {
                self.free[node] = node as u32;
            }
            let free = self.free[node];
            for (_, child) in tree.children(node as u32) {
                match child {
                    Child::Node(inner) if free != NONE => self.free[inner as usize] = free,
                    Child::Node(_) => {}
                    Child::Leaf(leaf) => self.patches[leaf.index as usize] = free,
                }
            }
        }
        tests
    }

    /// Whether a node has a cone, and a contour without double points.
    fn is_free(&mut self, view: &View<'_>, node: usize, tests: &mut u64) -> bool {
        let axes = self.orientations[node] | self.orientations[node] >> 3;
        (0..3).any(|axis| axes >> axis & 1 == 1 && self.is_simple(view, node, axis, tests))
    }

    /// Whether the contour of a node, seen along an axis, is one closed polygon without double
    /// points.
    fn is_simple(&mut self, view: &View<'_>, node: usize, axis: usize, tests: &mut u64) -> bool {
        let [begin, end] = self.ranges[node];
        self.links.clear();
        for &edge in &self.contours[begin..end] {
            let [v, w] = unpacked(edge);
            self.links.push(u64::from(v) << 32 | u64::from(w));
        }
        self.links.sort_unstable();
        let (links, n) = (&self.links, self.links.len());
        let Some(&first) = links.first() else { return false };
        // One edge leaves each vertex. So an edge that occurs twice is refused as well.
        if links.windows(2).any(|pair| pair[0] >> 32 == pair[1] >> 32) {
            return false;
        }
        // A single closed loop.
        self.segments.clear();
        let mut link = first;
        for _ in 0..n {
            let vertices = [(link >> 32) as u32, link as u32];
            let ends = vertices.map(|vertex| project(axis, view.after[vertex as usize].as_dvec3()));
            self.segments.push(Segment { vertices, ends });
            let next = links.partition_point(|other| other >> 32 < u64::from(vertices[1]));
            match links.get(next) {
                Some(&other) if other >> 32 == u64::from(vertices[1]) => link = other,
                _ => return false,
            }
            if link == first {
                break;
            }
        }
        if self.segments.len() != n {
            return false;
        }
        // Sort along the longer side: few segments overlap there, even on a long strip.
        let (min, max) = self
            .segments
            .iter()
            .fold((DVec2::MAX, DVec2::MIN), |(min, max), s| (min.min(s.ends[0]), max.max(s.ends[0])));
        let along = if max.x - min.x < max.y - min.y { 1 } else { 0 };
        let low = |s: &Segment| s.ends[0][along].min(s.ends[1][along]);
        self.segments.sort_unstable_by(|s, t| low(s).total_cmp(&low(t)).then(s.vertices.cmp(&t.vertices)));
        for (i, s) in self.segments.iter().enumerate() {
            let high = s.ends[0][along].max(s.ends[1][along]);
            for t in self.segments[i + 1..].iter().take_while(|t| low(t) <= high) {
                *tests += 1;
                if !are_apart(s, t) {
                    return false;
                }
            }
        }
        true
    }
}

/// Packs a directed edge into one number: the lower vertex, the higher one, and whether the edge
/// starts at the higher one. There are fewer than 2^31 vertices. Edges of triangles with area have
/// two different vertices.
fn packed(v: u32, w: u32) -> u64 {
    u64::from(v.min(w)) << 32 | u64::from(v.max(w)) << 1 | u64::from(w < v)
}

fn unpacked(edge: u64) -> [u32; 2] {
    let (low, high) = ((edge >> 32) as u32, edge as u32 >> 1);
    if edge & 1 == 0 { [low, high] } else { [high, low] }
}

/// Returns the wanted axes along which a triangle turns counter-clockwise; in the upper bits,
/// those along which it turns clockwise.
fn orientations_of([a, b, c]: [DVec3; 3], wanted: u8) -> u8 {
    let mut orientations = 0;
    for axis in (0..3).filter(|axis| (wanted | wanted >> 3) >> axis & 1 == 1) {
        let turn = orient2d_along(axis, a, b, c);
        orientations |= u8::from(0.0 < turn) << axis | u8::from(turn < 0.0) << (axis + 3);
    }
    orientations
}

/// Whether two segments of a contour have no point in common, except a shared vertex. Segments on
/// one line whose boxes touch count as touching.
fn are_apart(s: &Segment, t: &Segment) -> bool {
    let ([a, b], [c, d]) = (s.ends, t.ends);
    let follows = s.vertices[1] == t.vertices[0];
    if follows || t.vertices[1] == s.vertices[0] {
        // Consecutive edges may continue straight, but must not fold back. Edges with both ends in
        // common are not apart.
        let (p, q, r) = if follows { (a, b, d) } else { (c, d, b) };
        let is_between = |x: f64, y: f64, z: f64| (x < y && y < z) || (z < y && y < x);
        let is_ahead = is_between(p.x, q.x, r.x) || is_between(p.y, q.y, r.y);
        return is_ahead || orient2d(p, q, r) != 0.0;
    }
    let (low, high) = (a.min(b), a.max(b));
    if high.cmplt(c.min(d)).any() || c.max(d).cmplt(low).any() {
        return true;
    }
    let is_one_side = |x: f64, y: f64| (0.0 < x && 0.0 < y) || (x < 0.0 && y < 0.0);
    is_one_side(orient2d(a, b, c), orient2d(a, b, d)) || is_one_side(orient2d(c, d, a), orient2d(c, d, b))
}
