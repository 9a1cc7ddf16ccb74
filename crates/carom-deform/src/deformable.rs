//! A mesh of triangles, segments or tetrahedra whose vertices move. Only edits change its
//! elements.
//!
//! - It stores the present positions and the ones before. `set_positions` makes the present ones
//!   those before.
//! - Its features are the vertices, edges and faces of its surface. Each edge is listed once, and
//!   the element with the lowest number that has it is its owner. The surface of tetrahedra is the
//!   faces that only one tetrahedron has.
//! - Each kind of feature has a tree, which is brought up to date when a search needs it.
//! - Two features are neighbours if they share a vertex. On request, vertices with the same
//!   position count as one vertex in this test.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.7; S. Curtis, R. Tamstorf,
//! D. Manocha, Fast Collision Detection for Deformable Models using Representative-Triangles, 2008
//! (each feature has one owner).

mod edit;

pub use edit::AddedElements;

use crate::bounds::{Bounds, TimeSpan};
use crate::counters::TreeWork;
use crate::error::DeformError;
use crate::update::{AutoTree, FollowingTree};
use crate::view::View;
use alloc::vec;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use glam::Vec3;

/// The bounds of features. A macro, because a method would borrow the trees too.
macro_rules! bounds_of {
    ($mesh:expr, $features:expr, $over:expr, $margin:expr) => {{
        let (corners, n_corners) = match $features {
            Features::Vertices => (&$mesh.vertices[..], 1),
            Features::Edges => ($mesh.edges.as_flattened(), 2),
            Features::Faces => ($mesh.faces.as_flattened(), 3),
        };
        Bounds {
            before: &$mesh.before,
            after: &$mesh.after,
            corners,
            n_corners,
            over: $over,
            margin: $margin,
        }
    }};
}

/// The largest coordinate of a position, and the largest thickness: 2^98, a length. A tree accepts
/// boxes of this size with a margin.
pub const MAX_POSITION: f32 = f32::from_bits((127 + 98) << 23);

/// The most vertices, triangles, segments or tetrahedra: 2^26. A tree can then number all edges.
pub const MAX_ELEMENTS: usize = 1 << 26;

/// A mesh that changes its shape.
#[derive(Clone, Debug)]
pub struct DeformableMesh<T = AutoTree> {
    before: Vec<Vec3>,
    after: Vec<Vec3>,
    /// The vertices of the surface.
    vertices: Vec<u32>,
    edges: Vec<[u32; 2]>,
    edge_owners: Vec<u32>,
    faces: Vec<[u32; 3]>,
    inside: Elements,
    /// The vertex that each vertex counts as in the test for neighbours; empty if each counts as
    /// itself.
    stands_for: Vec<u32>,
    /// How often vertices got other numbers.
    n_renumberings: u32,
    /// The vertices that edits made as copies since then, ascending, each with its original.
    copies: Vec<[u32; 2]>,
    thickness: f32,
    /// For vertices, edges and faces.
    trees: [Tracked<T>; 3],
}

/// The elements of the mesh, which edits change.
#[derive(Clone, Debug)]
enum Elements {
    /// The faces.
    Triangles,
    /// Each is an edge; equal segments are one edge.
    Segments(Vec<[u32; 2]>),
    /// The faces are their surface.
    Tetrahedra(Vec<[u32; 4]>),
}

/// A kind of feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Features {
    /// The vertices of the surface.
    Vertices,
    /// The edges.
    Edges,
    /// The faces.
    Faces,
}

/// A tree, and the boxes to which it was fitted.
#[derive(Clone, Debug)]
struct Tracked<T> {
    tree: T,
    over: TimeSpan,
    margin: f32,
    /// The travel since the tree was fitted: the sum over steps of the largest move of a vertex
    /// along an axis.
    travel: f64,
    /// The travel of the last step.
    last: f64,
    is_new: bool,
    /// After edits: the number that each feature still has in the tree, or `ADDED`.
    origins: Option<Vec<u32>>,
}

impl DeformableMesh {
    /// Returns a mesh of triangles, given by the numbers of their vertices. The positions before
    /// are the same as the present ones. Triangles may be degenerate or doubled, and edges may
    /// have any number of triangles. An error names the first bad position or triangle.
    pub fn from_triangles(
        positions: &[Vec3],
        triangles: Vec<[u32; 3]>,
    ) -> Result<DeformableMesh, DeformError> {
        check_vertices(positions.len(), &triangles)?;
        let edges = edges_of(&triangles, triangle_edges)?;
        DeformableMesh::new(positions, Elements::Triangles, edges, triangles)
    }

    /// Returns a mesh of segments, such as ropes and hair, given by the numbers of their ends. The
    /// errors are those of [`DeformableMesh::from_triangles`].
    pub fn from_segments(positions: &[Vec3], segments: Vec<[u32; 2]>) -> Result<DeformableMesh, DeformError> {
        check_vertices(positions.len(), &segments)?;
        let edges = edges_of(&segments, |segment| [*segment])?;
        DeformableMesh::new(positions, Elements::Segments(segments), edges, Vec::new())
    }

    /// Returns a mesh of tetrahedra, given by the numbers of their vertices. Its features are
    /// those of the surface. Faces turn outwards if the tetrahedra have positive volumes. The
    /// errors are those of [`DeformableMesh::from_triangles`].
    pub fn from_tetrahedra(
        positions: &[Vec3],
        tetrahedra: &[[u32; 4]],
    ) -> Result<DeformableMesh, DeformError> {
        check_count(tetrahedra.len())?;
        check_vertices(positions.len(), tetrahedra)?;
        let faces = surface(tetrahedra);
        let edges = edges_of(&faces, triangle_edges)?;
        DeformableMesh::new(positions, Elements::Tetrahedra(tetrahedra.to_vec()), edges, faces)
    }

    fn new(
        positions: &[Vec3],
        inside: Elements,
        (edges, edge_owners): (Vec<[u32; 2]>, Vec<u32>),
        faces: Vec<[u32; 3]>,
    ) -> Result<DeformableMesh, DeformError> {
        check_count(positions.len())?;
        checked_travel(positions, positions)?;
        let vertices = vertices_of(&edges, &faces);
        let bounds = |corners, n_corners| Bounds {
            before: positions,
            after: positions,
            corners,
            n_corners,
            over: TimeSpan::Now,
            margin: 0.0,
        };
        let trees = [
            Tracked::new(&bounds(&vertices, 1)),
            Tracked::new(&bounds(edges.as_flattened(), 2)),
            Tracked::new(&bounds(faces.as_flattened(), 3)),
        ];
        Ok(DeformableMesh {
            before: positions.to_vec(),
            after: positions.to_vec(),
            vertices,
            edges,
            edge_owners,
            faces,
            inside,
            stands_for: Vec::new(),
            n_renumberings: 0,
            copies: Vec::new(),
            thickness: 0.0,
            trees,
        })
    }
}

impl<T: FollowingTree> DeformableMesh<T> {
    /// Returns the mesh with trees of another kind.
    #[must_use]
    pub fn with_trees<U: FollowingTree>(self) -> DeformableMesh<U> {
        let trees = [Features::Vertices, Features::Edges, Features::Faces]
            .map(|features| Tracked::new(&self.bounds(features, TimeSpan::Now, 0.0)));
        DeformableMesh {
            before: self.before,
            after: self.after,
            vertices: self.vertices,
            edges: self.edges,
            edge_owners: self.edge_owners,
            faces: self.faces,
            inside: self.inside,
            stands_for: self.stands_for,
            n_renumberings: self.n_renumberings,
            copies: self.copies,
            thickness: self.thickness,
            trees,
        }
    }

    /// Returns the mesh with a thickness: a length from 0, its default, to [`MAX_POSITION`]. Two
    /// features of the mesh touch if they are this far apart. Against another mesh half of each
    /// thickness counts.
    ///
    /// Errors: [`DeformError::BadThickness`] for a number out of this range.
    pub fn with_thickness(mut self, thickness: f32) -> Result<DeformableMesh<T>, DeformError> {
        self.set_thickness(thickness)?;
        Ok(self)
    }

    /// Sets the [thickness](DeformableMesh::with_thickness). On an error nothing changes.
    pub fn set_thickness(&mut self, thickness: f32) -> Result<(), DeformError> {
        if !(0.0 <= thickness && thickness <= MAX_POSITION) {
            return Err(DeformError::BadThickness { thickness });
        }
        self.thickness = thickness;
        Ok(())
    }

    /// Returns the mesh. In the test for neighbours, vertices with equal present positions count
    /// as one vertex. Use it for meshes with seams that are not welded. The vertices remain
    /// separate, and may move apart.
    #[must_use]
    pub fn with_neighbours_by_place(mut self) -> DeformableMesh<T> {
        // Adding 0 makes -0 and 0 one.
        let key = |vertex: u32| (self.after[vertex as usize] + Vec3::ZERO).to_array().map(f32::to_bits);
        let mut sorted: Vec<u32> = (0..self.after.len() as u32).collect();
        sorted.sort_unstable_by_key(|&vertex| (key(vertex), vertex));
        let mut stands_for: Vec<u32> = (0..self.after.len() as u32).collect();
        for same in sorted.chunk_by(|&v, &w| key(v) == key(w)) {
            for &vertex in same {
                stands_for[vertex as usize] = same[0];
            }
        }
        self.stands_for = stands_for;
        self
    }

    /// Sets the positions of all vertices; the present ones become those before. On an error
    /// nothing changes.
    pub fn set_positions(&mut self, positions: &[Vec3]) -> Result<(), DeformError> {
        let travel = checked_travel(&self.after, positions)?;
        core::mem::swap(&mut self.before, &mut self.after);
        self.after.copy_from_slice(positions);
        for tracked in &mut self.trees {
            tracked.travel = (tracked.travel + travel).next_up();
            tracked.last = travel;
            tracked.is_new = true;
        }
        Ok(())
    }

    /// How often vertices got other numbers, so that a memory by vertex is void.
    pub(crate) fn n_renumberings(&self) -> u32 {
        self.n_renumberings
    }

    /// The vertices that edits made as copies since vertices last got other numbers. They ascend,
    /// and each comes with its original.
    pub(crate) fn copies(&self) -> &[[u32; 2]] {
        &self.copies
    }

    /// The positions before the present ones.
    pub fn before(&self) -> &[Vec3] {
        &self.before
    }

    /// The present positions.
    pub fn positions(&self) -> &[Vec3] {
        &self.after
    }

    /// The vertices of the surface, in ascending order.
    pub fn surface_vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// The edges by their numbers: the two vertices, the lower one first. Each pair of vertices
    /// comes once.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// For each edge the lowest number of a triangle, a segment, or a face of the surface of
    /// tetrahedra that has it.
    pub fn edge_owners(&self) -> &[u32] {
        &self.edge_owners
    }

    /// The triangles, or the faces of the surface of tetrahedra, by their numbers.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The thickness: a length.
    pub fn thickness(&self) -> f32 {
        self.thickness
    }

    /// Adds the faces whose boxes touch the query to `out`, in ascending order. The boxes hold the
    /// present positions and are not grown by the thickness. A query without a point, whose `min`
    /// is above `max` or NaN, touches none.
    pub fn collect_faces_touching(&mut self, query: &Aabb, out: &mut Vec<u32>) {
        self.collect_touching(Features::Faces, query, out);
    }

    /// Adds the edges whose boxes touch the query to `out`, in ascending order; for segments.
    pub fn collect_edges_touching(&mut self, query: &Aabb, out: &mut Vec<u32>) {
        self.collect_touching(Features::Edges, query, out);
    }

    fn collect_touching(&mut self, features: Features, query: &Aabb, out: &mut Vec<u32>) {
        if !query.min.cmple(query.max).all() {
            return;
        }
        self.advance(features, TimeSpan::Now, 0.0);
        let bounds = bounds_of!(self, features, TimeSpan::Now, 0.0);
        self.trees[features as usize].tree.collect_touching(&bounds, query, out);
    }

    /// The work of the trees of vertices, edges and faces since they were built.
    pub fn tree_work(&self) -> [TreeWork; 3] {
        [0, 1, 2].map(|i: usize| self.trees[i].tree.work())
    }

    /// Calls `visit` with the box of each part of the tree of faces that was computed for the
    /// present positions: for drawing and tests. There are none before the first query or search.
    pub fn visit_fresh_boxes(&self, mut visit: impl FnMut(&Aabb)) {
        let tracked = &self.trees[Features::Faces as usize];
        if !tracked.is_new && tracked.origins.is_none() {
            tracked.tree.visit_fresh(&mut visit);
        }
    }

    fn bounds(&self, features: Features, over: TimeSpan, margin: f32) -> Bounds<'_> {
        bounds_of!(self, features, over, margin)
    }

    /// Updates a tree to the present positions, for boxes over this span and with this margin.
    fn advance(&mut self, features: Features, over: TimeSpan, margin: f32) {
        let bounds = bounds_of!(self, features, over, margin);
        let tracked = &mut self.trees[features as usize];
        if let Some(origins) = tracked.origins.take() {
            tracked.tree.renumber(&bounds, &origins);
            (tracked.over, tracked.margin, tracked.travel, tracked.is_new) = (over, margin, 0.0, false);
            return;
        }
        if !tracked.is_new && (tracked.over, tracked.margin) == (over, margin) {
            return;
        }
        let mut drift = tracked.travel;
        if tracked.margin < margin {
            drift = (drift + (f64::from(margin) - f64::from(tracked.margin)).next_up()).next_up();
        }
        // The box of a step reaches back by the last travel.
        if tracked.over == TimeSpan::Now && over == TimeSpan::Step && !tracked.is_new {
            drift = (drift + tracked.last).next_up();
        }
        let drift = if drift == 0.0 { 0.0 } else { carom_math::rounding::up(drift) };
        tracked.tree.advance(&bounds, drift);
        (tracked.over, tracked.margin, tracked.travel, tracked.is_new) = (over, margin, 0.0, false);
    }

    /// Brings all boxes of these trees up to date. Returns how many boxes were computed.
    pub(crate) fn complete(&mut self, kinds: &[Features], over: TimeSpan, margin: f32) -> u64 {
        let before: u64 = self.tree_work().iter().map(|work| work.updates).sum();
        for &features in kinds {
            self.advance(features, over, margin);
            let bounds = bounds_of!(self, features, over, margin);
            self.trees[features as usize].tree.complete(&bounds);
        }
        self.tree_work().iter().map(|work| work.updates).sum::<u64>() - before
    }

    /// The data of the mesh that a search reads.
    pub(crate) fn view(&self) -> View<'_> {
        View {
            before: &self.before,
            after: &self.after,
            vertices: &self.vertices,
            edges: &self.edges,
            faces: &self.faces,
            stands_for: &self.stands_for,
            trees: [0, 1, 2].map(|i: usize| (self.trees[i].tree.tree(), self.trees[i].tree.boxes())),
        }
    }
}

impl<T: FollowingTree> Tracked<T> {
    fn new(bounds: &Bounds<'_>) -> Tracked<T> {
        let (over, margin) = (bounds.over, bounds.margin);
        Tracked { tree: T::build(bounds), over, margin, travel: 0.0, last: 0.0, is_new: false, origins: None }
    }
}

fn check_count(n: usize) -> Result<(), DeformError> {
    if MAX_ELEMENTS < n { Err(DeformError::TooMany) } else { Ok(()) }
}

fn check_vertices<const N: usize>(n_vertices: usize, elements: &[[u32; N]]) -> Result<(), DeformError> {
    let is_vertex = |vertex: &u32| (*vertex as usize) < n_vertices;
    match elements.iter().position(|element| !element.iter().all(is_vertex)) {
        Some(element) => Err(DeformError::NoSuchVertex { element }),
        None => Ok(()),
    }
}

/// Checks new positions. Returns the largest move of a vertex along an axis, rounded up.
fn checked_travel(old: &[Vec3], new: &[Vec3]) -> Result<f64, DeformError> {
    if old.len() != new.len() {
        return Err(DeformError::WrongCount { expected: old.len(), given: new.len() });
    }
    // Four vertices are twelve numbers side by side, which the compiler takes eight or sixteen at
    // a time.
    let (mut travel, mut is_bad) = ([0.0_f32; 12], [false; 12]);
    let mut compare = |p: &[f32; 12], q: &[f32; 12]| {
        for k in 0..12 {
            let travelled = (q[k] - p[k]).abs();
            travel[k] = if travel[k] < travelled { travelled } else { travel[k] };
            is_bad[k] |= !(q[k].abs() <= MAX_POSITION);
        }
    };
    let ((p, p_rest), (q, q_rest)) = (old.as_chunks::<4>(), new.as_chunks::<4>());
    p.iter().zip(q).for_each(|(p, q)| compare(&numbers(p), &numbers(q)));
    let mut last = [[Vec3::ZERO; 4]; 2];
    last[0][..p_rest.len()].copy_from_slice(p_rest);
    last[1][..q_rest.len()].copy_from_slice(q_rest);
    compare(&numbers(&last[0]), &numbers(&last[1]));
    if is_bad != [false; 12] {
        for (vertex, position) in new.iter().enumerate() {
            if !position.is_finite() {
                return Err(DeformError::NotFinite { vertex });
            }
            if MAX_POSITION < position.abs().max_element() {
                return Err(DeformError::TooLarge { vertex });
            }
        }
    }
    let travel = travel.into_iter().fold(0.0, f32::max);
    // The difference rounds to the nearest number: the next one is above it.
    Ok(if travel == 0.0 { 0.0 } else { f64::from(travel.next_up()) })
}

#[inline(always)]
fn numbers(vertices: &[Vec3; 4]) -> [f32; 12] {
    let [[a, b, c], [d, e, f], [g, h, i], [j, k, l]] = vertices.map(|v| v.to_array());
    [a, b, c, d, e, f, g, h, i, j, k, l]
}

/// The vertices of features, in ascending order.
fn vertices_of(edges: &[[u32; 2]], faces: &[[u32; 3]]) -> Vec<u32> {
    let all = || edges.as_flattened().iter().chain(faces.as_flattened());
    let mut is_there = vec![false; all().max().map_or(0, |&last| last as usize + 1)];
    all().for_each(|&vertex| is_there[vertex as usize] = true);
    (0..).zip(is_there).filter(|(_, is_there)| *is_there).map(|(vertex, _)| vertex).collect()
}

/// Sorts lists by their first number, then by the rest. Uses buckets of the first number, which
/// are short.
fn sorted_lists<T: Copy + Ord>(lists: &[T], first: impl Fn(&T) -> u32) -> Vec<T> {
    let n = lists.iter().map(|list| first(list) as usize + 1).max().unwrap_or(0);
    let mut all = in_buckets(lists, n, &first);
    all.chunk_by_mut(|a, b| first(a) == first(b)).for_each(<[T]>::sort_unstable);
    all
}

/// Sorts items by their buckets, numbered below `n`. Items of one bucket keep their order.
fn in_buckets<T: Copy>(items: &[T], n: usize, bucket: impl Fn(&T) -> u32) -> Vec<T> {
    let mut indices = vec![0; n + 1];
    for item in items {
        indices[bucket(item) as usize + 1] += 1;
    }
    for i in 0..n {
        indices[i + 1] += indices[i];
    }
    let mut out = items.to_vec();
    for item in items {
        let entry: &mut usize = &mut indices[bucket(item) as usize];
        out[*entry] = *item;
        *entry += 1;
    }
    out
}

fn triangle_edges(&[a, b, c]: &[u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// Returns each edge once, with the lowest element that has it, sorted by that element.
fn edges_of<const N: usize, const M: usize>(
    elements: &[[u32; N]],
    edges: impl Fn(&[u32; N]) -> [[u32; 2]; M],
) -> Result<(Vec<[u32; 2]>, Vec<u32>), DeformError> {
    check_count(elements.len())?;
    let all: Vec<([u32; 2], u32)> = (0_u32..)
        .zip(elements)
        .flat_map(|(i, element)| edges(element).map(|[v, w]| ([v.min(w), v.max(w)], i)))
        // Degenerate triangles have edges without length.
        .filter(|([v, w], _)| v != w)
        .collect();
    let mut all = sorted_lists(&all, |(edge, _)| edge[0]);
    all.dedup_by_key(|(edge, _)| *edge);
    Ok(in_buckets(&all, elements.len(), |(_, owner)| *owner).into_iter().unzip())
}

/// The faces that one tetrahedron alone has, in the order of the tetrahedra.
fn surface(tetrahedra: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let faces = |[a, b, c, d]: [u32; 4]| [[a, c, b], [a, b, d], [a, d, c], [b, c, d]];
    let mut all: Vec<([u32; 3], u32, [u32; 3])> = (0_u32..)
        .zip(tetrahedra.iter().flat_map(|&t| faces(t)))
        .map(|(index, face)| {
            let mut key = face;
            key.sort_unstable();
            (key, index, face)
        })
        .collect();
    all.sort_unstable();
    let mut alone: Vec<(u32, [u32; 3])> = all
        .chunk_by(|f, g| f.0 == g.0)
        .filter_map(|same| if let [(_, index, face)] = same { Some((*index, *face)) } else { None })
        .collect();
    alone.sort_unstable();
    alone.into_iter().map(|(_, face)| face).collect()
}
