//! Makes a mesh coarser by edge collapses, the cheapest first, with a proven bound of the
//! difference from the original.
//!
//! - An edge collapses to the point with the least sum of squared distances to planes. The planes
//!   are those of all triangles that were merged into its two vertices.
//! - To enclose the old solid, the new vertex is sought above the planes of the triangles that
//!   change. It is taken only if exact predicates agree. Then the surface sweeps tetrahedra that
//!   all face outwards, and no point's winding number decreases. That holds for self-intersecting
//!   surfaces too.
//! - At the end `reach.rs` bounds both one-sided Hausdorff distances, independently of how the
//!   mesh was made.
//!
//! Reference: M. Garland, P. Heckbert, Surface Simplification Using Quadric Error Metrics,
//! SIGGRAPH 1997; P. Sander, X. Gu, S. Gortler, H. Hoppe, J. Snyder, Silhouette Clipping, SIGGRAPH
//! 2000, section 3 (progressive hulls).
//! Differs: the quadric, not the volume, is made least above the planes; signs are exact for the
//! rounded vertex.

use crate::cover::{Cover, Proofs};
use crate::patch::{Collapse, Direction, Patch, normal};
use crate::quadric::Quadric;
use crate::reach::{Goal, reach};
use crate::surface::{Surface, Unit};
use crate::{Progress, SimplifyError, Stage};
use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use carom_geom::{ConvexHull, MeshReport, TriMesh};
use carom_math::scaling::unit as unit_vector;
use carom_math::tol;
use core::cmp::Reverse;
use core::ops::ControlFlow;
use glam::{DVec3, Vec3};

/// The side of the old surface on which the new one is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Side {
    /// On both sides, as near as possible.
    #[default]
    Either,
    /// Outside: the new solid contains the old one. So a body that does not touch the new solid
    /// does not touch the old one.
    Outside,
    /// Inside: the old solid contains the new one.
    Inside,
}

/// The target of a simplification.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SimplifySettings {
    /// Stop at this many triangles; 0 means as few as possible. Default: 0.
    pub max_triangles: usize,
    /// The maximum of both one-sided Hausdorff distances, a length in the unit of the mesh, not
    /// negative. Default: infinite.
    pub max_error: f64,
    /// The side of the old surface on which the new one is. Default: [`Side::Either`].
    pub side: Side,
}

impl Default for SimplifySettings {
    fn default() -> SimplifySettings {
        SimplifySettings { max_triangles: 0, max_error: f64::INFINITY, side: Side::Either }
    }
}

impl SimplifySettings {
    /// Returns these settings with another number of triangles to stop at.
    #[must_use]
    pub fn with_max_triangles(self, max_triangles: usize) -> SimplifySettings {
        SimplifySettings { max_triangles, ..self }
    }

    /// Returns these settings with another largest error, a length.
    #[must_use]
    pub fn with_max_error(self, max_error: f64) -> SimplifySettings {
        SimplifySettings { max_error, ..self }
    }

    /// Returns these settings with another side.
    #[must_use]
    pub fn with_side(self, side: Side) -> SimplifySettings {
        SimplifySettings { side, ..self }
    }
}

/// A coarser mesh, with its proven bounds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Simplified {
    /// The coarser mesh. Vertices of the old mesh with equal coordinates are merged.
    pub mesh: TriMesh,
    /// An upper bound, a length, of the distance of the points of the new surface from the old
    /// one. It is at most one per cent above the true distance, except below the rounding of
    /// `f32`, or if the measurement reached its limit of work.
    pub new_to_old: f64,
    /// The same for the points of the old surface and the new surface.
    pub old_to_new: f64,
    /// The number of edges collapsed.
    pub n_collapses: usize,
    /// The number of vertices that could not move, because the triangles around them do not form
    /// one closed fan.
    pub n_locked: usize,
}

impl Simplified {
    /// The larger of the two bounds: the Hausdorff distance of the surfaces is at most this.
    pub fn error(&self) -> f64 {
        self.new_to_old.max(self.old_to_new)
    }
}

/// Returns a coarser mesh. The same input gives the same mesh, and scaling the input by a power of
/// two scales the result (test: `simplify::scale_and_repetition_change_nothing`).
///
/// A collapse must keep the maximum error, the side, and the shape of the surface. Edges are
/// collapsed until the number of triangles is reached, or until a pass over the edges collapses
/// none. So the result may have more triangles than requested. [`Side::Outside`] and
/// [`Side::Inside`] need a closed mesh that faces outwards. Both the old and the new surface may
/// intersect themselves. Errors: see [`SimplifyError`].
pub fn simplify(mesh: &TriMesh, settings: &SimplifySettings) -> Result<Simplified, SimplifyError> {
    simplify_with(mesh, settings, &mut |_| ControlFlow::Continue(()))
}

/// [`simplify`] with a progress callback, which may cancel it: [`SimplifyError::Cancelled`].
pub fn simplify_with(
    mesh: &TriMesh,
    settings: &SimplifySettings,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Simplified, SimplifyError> {
    if !(0.0 <= settings.max_error) {
        return Err(SimplifyError::BadMaxError);
    }
    let direction = match settings.side {
        Side::Either => None,
        Side::Outside => Some(Direction::Outwards),
        Side::Inside => Some(Direction::Inwards),
    };
    if direction.is_some() {
        let report = MeshReport::new(mesh);
        if !report.is_solid() {
            return Err(SimplifyError::NotClosed { n_edges: report.n_unbalanced_edges });
        }
        if !(0.0 < report.signed_volume) {
            return Err(SimplifyError::FacesInwards);
        }
    }
    let unit = Unit::of(mesh);
    let patch = Patch::new(mesh, unit);
    let original = Surface::new(mesh.iter_corners().map(|t| t.map(|p| unit.enter_wide(p))).collect());
    let limit = unit.enter_length(settings.max_error) * tol::ERROR_KEPT;
    let cover = (limit < f64::INFINITY).then(|| Cover::new(&original, &patch, limit));
    let n_locked = patch.is_locked.iter().filter(|&&locked| locked).count();
    let mut work = Work::new(patch, unit, direction, cover);
    let n_collapses = work.run(settings.max_triangles, progress).ok_or(SimplifyError::Cancelled)?;

    let mesh = work.mesh(mesh);
    let new = Surface::new(mesh.iter_corners().map(|t| t.map(|p| unit.enter_wide(p))).collect());
    let enough = tol::REACH_ENOUGH * original.diagonal();
    let goal = Goal { is_solid: false, enough, gap: tol::REACH_GAP, too_far: f64::INFINITY };
    let mut pause = || progress(&Progress::new(Stage::Measuring, mesh.n_triangles()));
    let mut measure = |from: &Surface, onto: &Surface| match reach(from.triangles(), onto, goal, &mut pause) {
        ControlFlow::Continue(bound) => Ok(unit.leave_length(bound)),
        ControlFlow::Break(()) => Err(SimplifyError::Cancelled),
    };
    let (new_to_old, old_to_new) = (measure(&new, &original)?, measure(&original, &new)?);
    Ok(Simplified { mesh, new_to_old, old_to_new, n_collapses, n_locked })
}

/// Returns the vertices of a solid that contains a hull, about `max_vertices` of them. `None` if
/// no mesh can be made of the hull.
pub(crate) fn outer_points(hull: &ConvexHull, max_vertices: usize) -> Option<Vec<Vec3>> {
    let fan = |face| {
        let ring = hull.face_vertices(face);
        ring[1..].windows(2).map(|pair| [ring[0], pair[0], pair[1]])
    };
    let faces = (0..hull.n_faces() as u32).flat_map(fan).collect();
    let mesh = TriMesh::new(hull.vertices().to_vec(), faces).ok()?;
    let unit = Unit::of(&mesh);
    let mut work = Work::new(Patch::new(&mesh, unit), unit, Some(Direction::Outwards), None);
    // Euler: a closed surface without holes has twice as many triangles as vertices, less four.
    work.run(max_vertices.saturating_mul(2).saturating_sub(4), &mut |_| ControlFlow::Continue(()))?;
    Some(work.mesh(&mesh).vertices().to_vec())
}

/// An edge in the queue: the bits of its cost, its two vertices, and the numbers of their changes
/// when the cost was computed.
type Entry = Reverse<(u64, u32, u32, u32, u32)>;

/// The state of a simplification.
struct Work<'a> {
    patch: Patch,
    unit: Unit,
    direction: Option<Direction>,
    cover: Option<Cover<'a>>,
    quadrics: Vec<Quadric>,
    n_changes: Vec<u32>,
    /// The vertices on whose edges an attempt may end otherwise than in the pass before.
    is_touched: Vec<bool>,
    queue: BinaryHeap<Entry>,
    /// The largest coordinate.
    reach: f64,
}

impl<'a> Work<'a> {
    fn new(patch: Patch, unit: Unit, direction: Option<Direction>, cover: Option<Cover<'a>>) -> Work<'a> {
        let mut quadrics = vec![Quadric::ZERO; patch.positions.len()];
        for face in patch.alive() {
            let quadric = Quadric::of_triangle(&patch.corners(face));
            for v in patch.faces[face as usize] {
                quadrics[v as usize] = quadrics[v as usize] + quadric;
            }
        }
        let reach = patch.positions.iter().fold(0.0_f64, |m, p| m.max(p.abs().max_element()));
        let n = patch.positions.len();
        let (n_changes, is_touched, queue) = (vec![0; n], vec![true; n], BinaryHeap::new());
        Work { patch, unit, direction, cover, quadrics, n_changes, is_touched, queue, reach }
    }

    /// Collapses edges until there are few enough triangles, or a pass collapses none. Returns the
    /// number of collapses; `None` if the callback cancelled.
    fn run(
        &mut self,
        max_triangles: usize,
        progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Option<usize> {
        let mut n_collapses = 0;
        // An edge that could not collapse may be able to once its surroundings have changed. Each
        // pass tries these edges again, until one collapses none.
        loop {
            let n_before = n_collapses;
            self.fill();
            let mut n_tries = 0_usize;
            while max_triangles < self.patch.n_alive
                && let Some(Reverse((cost, a, b, n_a, n_b))) = self.queue.pop()
            {
                if n_tries.is_multiple_of(256)
                    && progress(&Progress::new(Stage::Collapsing, self.patch.n_alive)).is_break()
                {
                    return None;
                }
                n_tries += 1;
                if self.n_changes[a as usize] != n_a || self.n_changes[b as usize] != n_b {
                    continue;
                }
                let Some((now, collapse)) = self.best(a, b) else { continue };
                if cost < now {
                    // The surroundings of the edge have changed meanwhile.
                    self.queue.push(Reverse((now, a, b, n_a, n_b)));
                    continue;
                }
                let Some(proofs) = self.check(&collapse) else { continue };
                self.apply(&collapse, proofs);
                n_collapses += 1;
            }
            if self.patch.n_alive <= max_triangles || n_collapses == n_before {
                return Some(n_collapses);
            }
        }
    }

    /// Puts all edges with a touched vertex into the queue.
    fn fill(&mut self) {
        self.queue.clear();
        let n = self.patch.positions.len();
        let is_touched = core::mem::replace(&mut self.is_touched, vec![false; n]);
        for (a, _) in (0..).zip(&is_touched).filter(|(_, is)| **is) {
            for b in self.patch.neighbours(a) {
                if a < b || !is_touched[b as usize] {
                    self.push(a.min(b), a.max(b));
                }
            }
        }
    }

    /// Touches a vertex: attempts on its edges may end otherwise.
    fn touch(&mut self, vertex: u32) {
        self.is_touched[vertex as usize] = true;
    }

    fn push(&mut self, a: u32, b: u32) {
        if let Some((cost, _)) = self.best(a, b) {
            self.queue.push(Reverse((cost, a, b, self.n_changes[a as usize], self.n_changes[b as usize])));
        }
    }

    /// Returns the cost of collapsing an edge, as bits ordered like the cost, and the collapse.
    fn best(&self, a: u32, b: u32) -> Option<(u64, Collapse)> {
        let patch = &self.patch;
        let (at_a, at_b) = (patch.positions[a as usize], patch.positions[b as usize]);
        let quadric = self.quadrics[a as usize] + self.quadrics[b as usize];
        let onto_a = Collapse { keep: a, gone: b, position: at_a };
        let onto_b = Collapse { keep: b, gone: a, position: at_b };
        let mut choices = Vec::with_capacity(3);
        match (patch.is_locked[a as usize], patch.is_locked[b as usize]) {
            (true, true) => return None,
            (true, false) => choices.push(onto_a),
            (false, true) => choices.push(onto_b),
            (false, false) => {
                choices.extend([onto_a, onto_b]);
                let planes = self.planes(a, b);
                let slack = tol::SURFACE_TOUCHES * self.reach;
                let home = (at_a + at_b) * 0.5;
                let position = quadric.least(home, tol::COLLAPSE_STIFFNESS, &planes, slack);
                if let Some(position) = position.and_then(|p| self.unit.leave(p)) {
                    choices.push(Collapse { keep: a, gone: b, position: self.unit.enter(position) });
                }
            }
        }
        // Longer edges cost more, so that triangles in flat regions do not become slivers.
        let waiting = tol::COLLAPSE_STIFFNESS * quadric.weight() * (at_a - at_b).length_squared();
        let mut best: Option<(u64, Collapse)> = None;
        for choice in choices {
            let cost = (quadric.at(choice.position) + waiting).to_bits();
            if best.as_ref().is_none_or(|other| cost < other.0)
                && self.direction.is_none_or(|direction| patch.is_beyond(&choice, direction))
            {
                best = Some((cost, choice));
            }
        }
        best
    }

    /// The planes that the new vertex must be above, as unit normals and offsets. They are those
    /// of the triangles at an edge, moved a little in the direction of the side.
    fn planes(&self, a: u32, b: u32) -> Vec<(DVec3, f64)> {
        let Some(direction) = self.direction else { return Vec::new() };
        let margin = tol::COLLAPSE_MARGIN * self.reach;
        let collapse = Collapse { keep: a, gone: b, position: DVec3::NAN };
        let plane = |face| {
            let t = self.patch.corners(face);
            let outward = unit_vector(normal(&t))?;
            let n = if direction == Direction::Outwards { outward } else { -outward };
            Some((n, n.dot(t[0]) + margin))
        };
        self.patch.changed(&collapse).filter_map(plane).collect()
    }

    /// Returns the proofs of the maximum error that a collapse changes. `None` if it breaks a fan,
    /// flips a face, or lacks a proof.
    fn check(&self, collapse: &Collapse) -> Option<Proofs> {
        if !(self.patch.keeps_fans(collapse) && self.patch.keeps_normals(collapse)) {
            return None;
        }
        match &self.cover {
            Some(cover) => cover.check(&self.patch, collapse),
            None => Some(Proofs::new()),
        }
    }

    fn apply(&mut self, collapse: &Collapse, proofs: Proofs) {
        self.patch.apply(collapse);
        if let Some(cover) = &mut self.cover {
            // An attempt depends on the proofs that the changed faces have a part in.
            let faces = proofs.iter().flat_map(|(number, faces)| cover.faces(*number).iter().chain(faces));
            for &face in faces {
                for v in self.patch.faces[face as usize] {
                    self.is_touched[v as usize] = true;
                }
            }
            cover.store_proofs(proofs);
        }
        let (keep, gone) = (collapse.keep as usize, collapse.gone as usize);
        self.quadrics[keep] = self.quadrics[keep] + self.quadrics[gone];
        self.n_changes[keep] += 1;
        self.n_changes[gone] += 1;
        self.touch(collapse.keep);
        for other in self.patch.neighbours(collapse.keep) {
            self.touch(other);
            self.push(collapse.keep.min(other), collapse.keep.max(other));
        }
    }

    /// Returns the remaining mesh, in the order of the vertices; the original mesh if nothing
    /// remains.
    fn mesh(&self, original: &TriMesh) -> TriMesh {
        let mut number = vec![u32::MAX; self.patch.positions.len()];
        let mut vertices = Vec::new();
        let mut indices = Vec::with_capacity(self.patch.n_alive);
        for face in self.patch.alive() {
            indices.push(self.patch.faces[face as usize].map(|v| {
                let new = &mut number[v as usize];
                if *new == u32::MAX {
                    *new = vertices.len() as u32;
                    vertices.push(self.unit.leave(self.patch.positions[v as usize]).unwrap_or_default());
                }
                *new
            }));
        }
        TriMesh::new(vertices, indices).unwrap_or_else(|_| original.clone())
    }
}
