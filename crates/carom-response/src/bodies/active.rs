//! The active bodies of a step, and their slots.
//!
//! - Active bodies are dynamic and awake, or kinematic with a velocity. The slot of an active body
//!   is its position in the lists of the step.
//! - All other bodies share one more slot, the last one.
//! - An active body is *movable* if forces and impulses move it. Kinematic bodies are not.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (the awake set).

use crate::bodies::body::{Body, BodyKind};
use crate::bodies::free::MotionKind;
use crate::settings::SolverError;
use alloc::vec::Vec;

/// The value in [`ActiveBodies::slots`] of a body that is not active.
const STILL: u32 = u32::MAX;

/// The active bodies of a step. After the step they are those of the last step.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActiveBodies {
    /// By slot: the index of the body. Ascending.
    indices: Vec<u32>,
    /// By body: its slot, or [`STILL`].
    slots: Vec<u32>,
    /// By slot: whether the body is movable. The last entry stands for bodies that are not active.
    is_movable: Vec<bool>,
    /// The kinds of motion of the bodies that the caller listed; workspace.
    kinds: Vec<MotionKind>,
}

impl ActiveBodies {
    /// Selects the active ones of all bodies.
    pub(crate) fn select_all(&mut self, bodies: &[Body]) {
        self.select(bodies.len(), (0..).zip(bodies.iter().map(MotionKind::of)));
    }

    /// Checks a list of bodies before [`ActiveBodies::select_listed`]: it is ascending, and all
    /// bodies exist and are finite.
    ///
    /// `classify` is [`classify`], or its parallel form.
    pub(crate) fn check_listed(
        &mut self,
        bodies: &[Body],
        listed: &[u32],
        classify: impl FnOnce(&[Body], &[u32], &mut [MotionKind]) -> bool,
    ) -> Result<(), SolverError> {
        let mut next = 0;
        for (index, &body) in listed.iter().enumerate() {
            if body < next || bodies.len() <= body as usize {
                return Err(SolverError::ActiveBody(index));
            }
            next = body + 1;
        }
        self.kinds.resize(listed.len(), MotionKind::Still);
        if !classify(bodies, listed, &mut self.kinds) {
            let bad = listed.iter().find(|&&body| !bodies[body as usize].is_finite());
            return Err(SolverError::BodyNotFinite(bad.map_or(0, |&body| body as usize)));
        }
        Ok(())
    }

    /// Selects the active ones of the bodies that were checked.
    pub(crate) fn select_listed(&mut self, n_bodies: usize, listed: &[u32]) {
        let kinds = core::mem::take(&mut self.kinds);
        self.select(n_bodies, listed.iter().copied().zip(kinds.iter().copied()));
        self.kinds = kinds;
    }

    fn select(&mut self, n_bodies: usize, bodies: impl Iterator<Item = (u32, MotionKind)>) {
        for &body in &self.indices {
            if let Some(slot) = self.slots.get_mut(body as usize) {
                *slot = STILL;
            }
        }
        self.indices.clear();
        self.is_movable.clear();
        for (body, kind) in bodies.filter(|(_, kind)| *kind != MotionKind::Still) {
            self.indices.push(body);
            self.is_movable.push(kind == MotionKind::Dynamic);
        }
        self.is_movable.push(false);
        self.slots.resize(n_bodies, STILL);
        for (slot, &body) in self.indices.iter().enumerate() {
            self.slots[body as usize] = slot as u32;
        }
    }

    /// Returns the number of active bodies, which is also the slot of all other bodies.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.indices.len()
    }

    /// Returns the indices of the active bodies, by slot. Ascending.
    #[inline]
    pub(crate) fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Returns the slot of a body.
    #[inline]
    pub(crate) fn slot(&self, body: u32) -> usize {
        self.slots[body as usize].min(self.indices.len() as u32) as usize
    }

    /// Returns the slot of a body if it was active in the last step.
    pub(crate) fn active_slot(&self, body: u32) -> Option<usize> {
        self.slots.get(body as usize).filter(|&&slot| slot != STILL).map(|&slot| slot as usize)
    }

    /// Returns, by slot, whether a body is movable. The last entry stands for bodies that are not
    /// active.
    #[inline]
    pub(crate) fn is_movable(&self) -> &[bool] {
        &self.is_movable
    }

    /// Whether forces and impulses move the body of this index.
    #[inline]
    pub(crate) fn moves(&self, body: u32) -> bool {
        self.is_movable[self.slot(body)]
    }

    /// Whether the body is dynamic, but does not take part in the step.
    pub(crate) fn is_left_out(&self, bodies: &[Body], body: u32) -> bool {
        let is_dynamic = bodies.get(body as usize).is_some_and(|body| body.kind == BodyKind::Dynamic);
        is_dynamic && !self.moves(body)
    }
}

/// Writes the kinds of motion of these bodies. Returns whether all their numbers are finite.
pub(crate) fn classify(bodies: &[Body], listed: &[u32], out: &mut [MotionKind]) -> bool {
    let mut are_finite = true;
    for (&body, out) in listed.iter().zip(out) {
        let body = &bodies[body as usize];
        are_finite &= body.is_finite();
        *out = MotionKind::of(body);
    }
    are_finite
}
