//! A coarser mesh by edge collapses, the cheapest first, with a proven bound on its difference from
//! the original.
//!
//! - An edge collapses to the point with the least sum of squared distances to planes. The planes
//!   are those of all triangles that were merged into it.
//! - To enclose the old solid, the new vertex is sought above the planes of the triangles that it
//!   replaces. It is taken only if exact predicates agree. Then the surface sweeps tetrahedra that
//!   all face outwards, and no point's winding number decreases. That holds for self-intersecting
//!   surfaces too.
//! - At the end `reach.rs` bounds both one-sided Hausdorff distances, independently of how the mesh
//!   was made.
//!
//! Reference: M. Garland, P. Heckbert, Surface Simplification Using Quadric Error Metrics, SIGGRAPH
//! 1997; P. Sander, X. Gu, S. Gortler, H. Hoppe, J. Snyder, Silhouette Clipping, SIGGRAPH 2000,
//! section 3 (progressive hulls).
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
    /// On both: as near as can be.
    #[default]
    Either,
    /// Outside: the new solid contains the old one. A body that does not touch the new one does not
    /// touch the old one.
    Outside,
    /// Inside: the old solid contains the new one.
    Inside,
}

/// The target of a simplification.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SimplifySettings {
    /// Stop at this many triangles; 0, the default, means as few as possible.
    pub max_triangles: usize,
    /// Both one-sided Hausdorff distances stay within this length, in the unit of the mesh;
    /// infinite by default.
    pub max_error: f64,
    /// The side of the old surface on which the new one is.
    pub side: Side,
}

impl Default for SimplifySettings {
    fn default() -> SimplifySettings {
        SimplifySettings { max_triangles: 0, max_error: f64::INFINITY, side: Side::Either }
    }
}

impl SimplifySettings {
    /// These settings with another number of triangles to stop at.
    #[must_use]
    pub fn with_max_triangles(self, max_triangles: usize) -> SimplifySettings {
        SimplifySettings { max_triangles, ..self }
    }

    /// These settings with another largest error, a length.
    #[must_use]
    pub fn with_max_error(self, max_error: f64) -> SimplifySettings {
        SimplifySettings { max_error, ..self }
    }

    /// These settings with another side.
    #[must_use]
    pub fn with_side(self, side: Side) -> SimplifySettings {
        SimplifySettings { side, ..self }
    }
}

/// A coarser mesh, with its proven bounds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Simplified {
    /// The coarser mesh; vertices of the old one with equal coordinates are one.
    pub mesh: TriMesh,
    /// No point of the new surface is farther than this from the old one, a length: an upper bound,
    /// and at most one per cent above the truth unless both are below rounding to `f32`.
    pub new_to_old: f64,
    /// No point of the old surface is farther than this from the new one; likewise.
    pub old_to_new: f64,
    /// Edges collapsed.
    pub n_collapses: usize,
    /// Vertices that could not move because their surroundings are no manifold surface.
    pub n_locked: usize,
}

impl Simplified {
    /// The larger of the two bounds: the Hausdorff distance of the surfaces is at most this.
    pub fn error(&self) -> f64 {
        self.new_to_old.max(self.old_to_new)
    }
}

/// Returns a coarser mesh. The same input gives the same mesh, and scaling the input by a power of
/// two scales it.
///
/// It stops at the number of triangles. It also stops if no further collapse keeps the largest
/// error, the side, and the shape of the surface. So the result may have more triangles than asked
/// for. [`Side::Outside`] and [`Side::Inside`] need a closed mesh that faces outwards. The new
/// surface may intersect itself, as the old one may.
pub fn simplify(mesh: &TriMesh, settings: &SimplifySettings) -> Result<Simplified, SimplifyError> {
    simplify_with(mesh, settings, &mut |_| ControlFlow::Continue(()))
}

/// [`simplify`], telling how far it has come; the callback may break off.
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

/// Returns the vertices of a polytope with about this many vertices that contains a hull; `None` if
/// there is none.
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

/// An edge in the queue: cost, its two vertices, and how often each had changed when the cost was
/// found.
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
        let mut quadrics = vec![Quadric::ZERO; patch.places.len()];
        for face in patch.alive() {
            let quadric = Quadric::of_triangle(&patch.corners(face));
            for v in patch.faces[face as usize] {
                quadrics[v as usize] = quadrics[v as usize] + quadric;
            }
        }
        let reach = patch.places.iter().fold(0.0_f64, |m, p| m.max(p.abs().max_element()));
        let n = patch.places.len();
        let (n_changes, is_touched, queue) = (vec![0; n], vec![true; n], BinaryHeap::new());
        Work { patch, unit, direction, cover, quadrics, n_changes, is_touched, queue, reach }
    }

    /// Collapses edges until there are few enough triangles or no edge can collapse. `None` if the
    /// callback cancelled.
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
                    // Its surroundings have changed meanwhile.
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
        let n = self.patch.places.len();
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
        let (at_a, at_b) = (patch.places[a as usize], patch.places[b as usize]);
        let quadric = self.quadrics[a as usize] + self.quadrics[b as usize];
        let onto_a = Collapse { keep: a, gone: b, place: at_a };
        let onto_b = Collapse { keep: b, gone: a, place: at_b };
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
                let place = quadric.least(home, tol::COLLAPSE_STIFFNESS, &planes, slack);
                if let Some(place) = place.and_then(|p| self.unit.leave(p)) {
                    choices.push(Collapse { keep: a, gone: b, place: self.unit.enter(place) });
                }
            }
        }
        // Longer edges wait, so that flat regions keep their triangles in shape.
        let waiting = tol::COLLAPSE_STIFFNESS * quadric.weight() * (at_a - at_b).length_squared();
        let mut best: Option<(u64, Collapse)> = None;
        for choice in choices {
            let cost = (quadric.at(choice.place) + waiting).to_bits();
            if best.as_ref().is_none_or(|other| cost < other.0)
                && self.direction.is_none_or(|direction| patch.is_beyond(&choice, direction))
            {
                best = Some((cost, choice));
            }
        }
        best
    }

    /// The planes that the new vertex must be above, a little outside the triangles about an edge,
    /// as unit normals and offsets.
    fn planes(&self, a: u32, b: u32) -> Vec<(DVec3, f64)> {
        let Some(direction) = self.direction else { return Vec::new() };
        let margin = tol::COLLAPSE_MARGIN * self.reach;
        let collapse = Collapse { keep: a, gone: b, place: DVec3::NAN };
        let plane = |face| {
            let t = self.patch.corners(face);
            let outward = unit_vector(normal(&t))?;
            let n = if direction == Direction::Outwards { outward } else { -outward };
            Some((n, n.dot(t[0]) + margin))
        };
        self.patch.changed(&collapse).filter_map(plane).collect()
    }

    /// The collapse harms nothing, and the proofs of the largest error that go with it.
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
            cover.accept(proofs);
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
        let mut number = vec![u32::MAX; self.patch.places.len()];
        let mut vertices = Vec::new();
        let mut indices = Vec::with_capacity(self.patch.n_alive);
        for face in self.patch.alive() {
            indices.push(self.patch.faces[face as usize].map(|v| {
                let new = &mut number[v as usize];
                if *new == u32::MAX {
                    *new = vertices.len() as u32;
                    vertices.push(self.unit.leave(self.patch.places[v as usize]).unwrap_or_default());
                }
                *new
            }));
        }
        TriMesh::new(vertices, indices).unwrap_or_else(|_| original.clone())
    }
}
