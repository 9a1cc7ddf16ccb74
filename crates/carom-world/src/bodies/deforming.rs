//! Deforming meshes: their vertices after the next step, and the state of their trees.
//!
//! - The caller sets the positions of the vertices after the next step. In the step each vertex
//!   moves there in a straight line.
//! - Contacts are found on the mesh at the start of the step, within the largest displacement of a
//!   vertex. They get the velocity of the vertices
//!   ([`surface_velocity`](crate::contacts::surface_velocity)), so the solver uses the motion of
//!   the surface.
//! - After the solver the new mesh replaces the old one. Two copies alternate, so that a step does
//!   not allocate.
//! - Trees are refitted. They are rebuilt when the cost of a ray has grown by the factor
//!   `MAX_COST_RATIO`.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, section 6.4.2 (refit of deforming
//! meshes).

use alloc::sync::Arc;
use alloc::vec::Vec;
use carom_geom::MeshError;
use carom_math::{Vec3, tol};
use carom_query::{MeshShape, Shape};
use carom_response::Inconsistency;

/// Trees are rebuilt when their cost exceeds that after the last build by this factor.
const MAX_COST_RATIO: f64 = 2.0;

/// The cost is measured once in this many deformations.
const COST_PERIOD: u32 = 16;

/// A body whose mesh was deformed.
#[derive(Debug)]
pub(crate) struct Sheet {
    pub(crate) body: u32,
    /// The mesh after the next step, if it differs from the present one.
    next: Option<Arc<MeshShape>>,
    /// Memory for the next mesh: the mesh before the last step.
    spare: Option<Arc<MeshShape>>,
    /// The largest displacement of a vertex in the next step.
    farthest: f32,
    /// The vertices for which its trees were built, if they were rebuilt since the first mesh.
    base: Option<Vec<Vec3>>,
    /// Cost of the trees when they were built, and deformations since.
    cost: f64,
    n_deformed: u32,
}

/// A sheet to be stored.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct StoredSheet {
    body: u32,
    positions: Vec<Vec3>,
    next: Option<Vec<Vec3>>,
    base: Option<Vec<Vec3>>,
    cost: f64,
    n_deformed: u32,
}

/// All bodies whose meshes were deformed, sorted. Most worlds have none.
#[derive(Debug, Default)]
pub(crate) struct Deforming {
    sheets: Vec<Sheet>,
    n_pending: usize,
    /// Bodies whose mesh has become the new one in this step, sorted.
    pub(crate) swapped: Vec<u32>,
}

impl Deforming {
    fn index_of(&self, body: u32) -> Result<usize, usize> {
        self.sheets.binary_search_by_key(&body, |sheet| sheet.body)
    }

    fn sheet(&self, body: u32) -> Option<&Sheet> {
        self.index_of(body).ok().map(|index| &self.sheets[index])
    }

    /// Whether a mesh will deform in the next step.
    pub(crate) fn is_pending(&self) -> bool {
        0 < self.n_pending
    }

    /// Returns the bodies whose meshes will deform in the next step.
    pub(crate) fn pending(&self) -> impl Iterator<Item = u32> + '_ {
        self.sheets.iter().filter(|sheet| sheet.next.is_some()).map(|sheet| sheet.body)
    }

    /// Returns the mesh that a body has after the next step, if it differs from the present one.
    pub(crate) fn next_of(&self, body: u32) -> Option<&Arc<MeshShape>> {
        self.sheet(body)?.next.as_ref()
    }

    /// Returns the mesh that a body had before the solver, if it has another one now.
    pub(crate) fn before(&self, body: u32) -> Option<&MeshShape> {
        self.sheet(body).filter(|_| self.is_swapped(body))?.spare.as_deref()
    }

    /// Whether the mesh of a body became another one in this step.
    pub(crate) fn is_swapped(&self, body: u32) -> bool {
        self.swapped.binary_search(&body).is_ok()
    }

    /// Returns an upper bound of the displacement of the surface of a body in the next step.
    pub(crate) fn farthest(&self, body: usize) -> f32 {
        if self.n_pending == 0 {
            return 0.0;
        }
        self.sheet(body as u32).map_or(0.0, |sheet| sheet.farthest)
    }

    /// Whether the mesh of a body was ever deformed. Then its contacts may not be moved along.
    pub(crate) fn has(&self, body: u32) -> bool {
        self.index_of(body).is_ok()
    }

    /// Forgets a body that is removed or has another shape.
    pub(crate) fn forget(&mut self, body: u32) {
        if let Ok(index) = self.index_of(body) {
            self.n_pending -= usize::from(self.sheets.remove(index).next.is_some());
        }
    }

    /// Sets the vertices after the next step, and finds their largest displacement. On an error
    /// nothing is changed.
    pub(crate) fn set_next(
        &mut self,
        body: u32,
        now: &Arc<MeshShape>,
        positions: &[Vec3],
    ) -> Result<f32, MeshError> {
        let index = match self.index_of(body) {
            Ok(index) => index,
            Err(index) => {
                let mut next = (**now).clone();
                next.set_vertices(positions)?;
                let cost = now.tree().quality().sah_cost;
                let sheet = Sheet {
                    body,
                    next: None,
                    spare: Some(Arc::new(next)),
                    farthest: 0.0,
                    base: None,
                    cost,
                    n_deformed: 0,
                };
                self.sheets.insert(index, sheet);
                index
            }
        };
        let sheet = &mut self.sheets[index];
        // A pending mesh is overwritten.
        let was_pending = sheet.next.is_some();
        let slot = if was_pending { &mut sheet.next } else { &mut sheet.spare };
        if slot.as_mut().is_none_or(|mesh| Arc::get_mut(mesh).is_none()) {
            // The mesh is shared with a snapshot or a renderer, or there is none.
            let mut other = (**now).clone();
            other.set_vertices(positions)?;
            *slot = Some(Arc::new(other));
        } else if let Some(mesh) = slot.as_mut().and_then(Arc::get_mut) {
            mesh.set_vertices(positions)?;
        }
        let next = slot.take();
        let old = now.mesh().vertices().iter();
        let farthest = old.zip(positions).map(|(old, new)| old.distance(*new)).fold(0.0, f32::max);
        self.n_pending -= usize::from(was_pending);
        sheet.farthest = farthest;
        if farthest == 0.0 {
            sheet.spare = next;
            return Ok(0.0);
        }
        sheet.next = next;
        self.n_pending += 1;
        Ok(farthest)
    }

    /// Returns the mesh after the step, which becomes that of the body. Keeps the old mesh for
    /// reuse.
    pub(crate) fn take_next(&mut self, body: u32, old: &Arc<MeshShape>) -> Option<Arc<MeshShape>> {
        let index = self.index_of(body).ok()?;
        let sheet = &mut self.sheets[index];
        let next = sheet.next.take()?;
        (sheet.spare, sheet.farthest) = (Some(old.clone()), 0.0);
        self.n_pending -= 1;
        Some(next)
    }

    /// Counts a deformation of a body, and returns its mesh with rebuilt trees, if these have
    /// become slow.
    pub(crate) fn watch(&mut self, body: u32, now: &MeshShape) -> Option<MeshShape> {
        let index = self.index_of(body).ok()?;
        self.sheets[index].watch(now)
    }

    pub(crate) fn stored(&self, shapes: &[Option<Shape>]) -> Vec<StoredSheet> {
        let vertices = |mesh: &MeshShape| mesh.mesh().vertices().to_vec();
        let of = |sheet: &Sheet| {
            let Some(Some(Shape::Mesh(now))) = shapes.get(sheet.body as usize) else { return None };
            Some(StoredSheet {
                body: sheet.body,
                positions: vertices(now),
                next: sheet.next.as_deref().map(vertices),
                base: sheet.base.clone(),
                cost: sheet.cost,
                n_deformed: sheet.n_deformed,
            })
        };
        self.sheets.iter().filter_map(of).collect()
    }

    /// Restores the stored sheet of a body, and returns its present shape. `given` is the mesh in
    /// any of its states.
    pub(crate) fn restore(&mut self, stored: &StoredSheet, given: &Shape) -> Option<Shape> {
        let Shape::Mesh(given) = given else { return None };
        let mut now = (**given).clone();
        if let Some(base) = &stored.base {
            now.set_vertices(base).ok()?;
            now.rebuild().ok()?;
        }
        now.set_vertices(&stored.positions).ok()?;
        let next = match &stored.next {
            None => None,
            Some(positions) => {
                let mut next = now.clone();
                next.set_vertices(positions).ok()?;
                Some(Arc::new(next))
            }
        };
        let largest_displacement = |next: &Arc<MeshShape>| {
            let ends = now.mesh().vertices().iter().zip(next.mesh().vertices());
            ends.map(|(old, new)| old.distance(*new)).fold(0.0, f32::max)
        };
        let farthest = next.as_ref().map_or(0.0, largest_displacement);
        self.n_pending += usize::from(next.is_some());
        let StoredSheet { body, cost, n_deformed, .. } = *stored;
        let base = stored.base.clone();
        self.sheets.push(Sheet { body, next, spare: None, farthest, base, cost, n_deformed });
        Some(Shape::Mesh(Arc::new(now)))
    }
}

impl Sheet {
    /// Counts a deformation, and returns the mesh with rebuilt trees, if these have become slow.
    fn watch(&mut self, now: &MeshShape) -> Option<MeshShape> {
        self.n_deformed = self.n_deformed.wrapping_add(1);
        let is_due = self.n_deformed.is_multiple_of(COST_PERIOD);
        if !(is_due && MAX_COST_RATIO * self.cost < now.tree().quality().sah_cost) {
            return None;
        }
        let mut mesh = now.clone();
        mesh.rebuild().ok()?;
        self.cost = mesh.tree().quality().sah_cost;
        self.base = Some(mesh.mesh().vertices().to_vec());
        // The trees of the spare mesh are the old ones.
        self.spare = None;
        Some(mesh)
    }
}

impl StoredSheet {
    pub(crate) fn body(&self) -> u32 {
        self.body
    }

    /// Checks that sheets are sorted and belong to living bodies. All states of a mesh must have
    /// the same number of vertices, all finite.
    pub(crate) fn check(list: &[StoredSheet], is_live: &[bool]) -> Result<(), Inconsistency> {
        let is_good = |slot: usize| {
            let sheet = &list[slot];
            let is_after = slot == 0 || list[slot - 1].body < sheet.body;
            let n = sheet.positions.len();
            let are_good = |list: &[Vec3]| list.len() == n && list.iter().all(|p| is_in_range(*p));
            is_after
                && is_live.get(sheet.body as usize) == Some(&true)
                && are_good(&sheet.positions)
                && sheet.next.as_deref().is_none_or(are_good)
                && sheet.base.as_deref().is_none_or(are_good)
                && sheet.cost.is_finite()
        };
        let bad = (0..list.len()).find(|&slot| !is_good(slot));
        bad.map_or(Ok(()), |index| Err(Inconsistency { what: "a deformed mesh", index }))
    }
}

fn is_in_range(p: Vec3) -> bool {
    f64::from(p.abs().max_element()) <= tol::MAX_LENGTH && p.is_finite()
}
