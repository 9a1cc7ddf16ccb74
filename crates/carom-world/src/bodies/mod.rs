//! The bodies of a world, each at its number in a table for every thing that is known of it.
//!
//! - `body`: what a user describes, and handles.
//! - `movers`: who is awake, who moves in this step, and who sleeps together.
//! - `waking`: all that wakes a body.
//! - `placing`: the boxes of bodies.
//! - `deforming`: meshes that change their shape.
//!
//! Reference: R. Fabian, Data-Oriented Design, 2018, chapter 2 (tables with one key).

pub(crate) mod body;
pub(crate) mod deforming;
pub(crate) mod girth;
pub(crate) mod id;
pub(crate) mod movers;
pub(crate) mod placing;
pub(crate) mod size;
pub(crate) mod waking;

use crate::WorldError;
use crate::bodies::body::Traits;
use crate::bodies::deforming::Deforming;
use crate::bodies::girth::Girth;
use crate::bodies::id::BodyId;
use crate::bodies::movers::Movers;
use crate::bodies::size::Size;
#[cfg(feature = "parallel")]
use crate::par::{CARRIED, is_little};
use alloc::vec::Vec;
use carom_broad::ProxyId;
use carom_math::Pose;
use carom_query::Shape;
use carom_response::{Body, BodyKind};
#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// All bodies by number, and who of them moves.
#[derive(Default)]
pub(crate) struct BodySet {
    /// Odd for a number that a body has.
    pub(crate) generations: Vec<u32>,
    /// Numbers that no body has; the last one is given out first.
    pub(crate) free: Vec<u32>,
    /// The number of bodies.
    pub(crate) n_live: usize,
    pub(crate) shapes: Vec<Option<Shape>>,
    pub(crate) sizes: Vec<Size>,
    pub(crate) girths: Vec<Girth>,
    pub(crate) traits: Vec<Traits>,
    /// Mass, place and motion, as the response sees them.
    pub(crate) motions: Vec<Body>,
    pub(crate) proxies: Vec<Option<ProxyId>>,
    /// The pose or shape changed since the last detection.
    pub(crate) is_stale: Vec<bool>,
    /// It moved, or could, at the last detection: its manifolds are among those in motion.
    pub(crate) moved: Vec<bool>,
    /// Where it was at the last detection; `None` when it was put somewhere else since.
    pub(crate) seen: Vec<Option<Pose>>,
    /// Bodies that are surfaces.
    pub(crate) n_surfaces: usize,
    pub(crate) n_sensors: usize,
    pub(crate) deforming: Deforming,
    pub(crate) movers: Movers,
}

impl BodySet {
    /// The handle of the body that has a number, or had it last.
    pub(crate) fn id_at(&self, index: u32) -> BodyId {
        BodyId { index, generation: self.generations[index as usize] }
    }

    /// The body with a number, its shape and where it is; `None` if there is none.
    pub(crate) fn solid_at(&self, index: u32) -> Option<(BodyId, &Shape, &Pose)> {
        let shape = self.shapes.get(index as usize)?.as_ref()?;
        Some((self.id_at(index), shape, &self.motions[index as usize].pose))
    }

    /// The motion at a number; `None` beyond the last one.
    pub(crate) fn motion_at(&self, index: u32) -> Option<&Body> {
        self.motions.get(index as usize)
    }

    /// The handle's number, if it is live.
    pub(crate) fn index_of(&self, id: BodyId) -> Result<usize, WorldError> {
        let index = id.index as usize;
        let is_live = id.generation % 2 == 1 && self.generations.get(index) == Some(&id.generation);
        if is_live { Ok(index) } else { Err(WorldError::StaleBody(id)) }
    }

    /// Gives a number its shape, and what recycling and the guard know of it.
    pub(crate) fn put_shape(&mut self, index: usize, shape: Option<Shape>) {
        let had_surface = self.shapes[index].is_some() && self.girths[index].is_surface;
        let is_fast = self.traits[index].is_fast;
        self.sizes[index] = shape.as_ref().map_or(Size::Other, |shape| Size::of(shape, is_fast));
        let center = self.motions[index].center_of_mass;
        self.girths[index] = shape.as_ref().map_or(Girth::NONE, |shape| Girth::of(shape, center));
        self.n_surfaces += usize::from(self.girths[index].is_surface);
        self.n_surfaces -= usize::from(had_surface);
        self.shapes[index] = shape;
    }

    /// Wakes a body and those it fell asleep with.
    pub(crate) fn wake(&mut self, index: usize) {
        self.movers.wake(&mut self.motions, index);
    }

    /// Where the bodies are that moved, at this detection.
    pub(crate) fn note_seen(&mut self) {
        let n_seen = self.seen.len();
        self.seen.extend(self.motions[n_seen..].iter().map(|body| Some(body.pose)));
        let BodySet { is_stale, motions, seen, .. } = self;
        #[cfg(feature = "parallel")]
        note_seen_in_parts(is_stale, motions, seen);
        #[cfg(not(feature = "parallel"))]
        note_seen(is_stale, motions, seen);
    }

    /// Where the body was when the pairs of this step were looked at.
    pub(crate) fn start_of(&self, index: usize) -> Option<Pose> {
        self.seen.get(index).copied().flatten()
    }

    /// Whether a body moves now.
    pub(crate) fn are_moving(&self) -> bool {
        let is_moving = |&body: &u32| {
            let body = &self.motions[body as usize];
            match body.kind {
                BodyKind::Fixed => false,
                BodyKind::Kinematic => body.is_driven(),
                BodyKind::Dynamic => !body.is_sleeping,
            }
        };
        self.movers.list().iter().any(is_moving)
    }
}

/// Writes where the bodies are that moved to `seen`, and that they have not moved since; mostly none or nearly all have.
pub(crate) fn note_seen(is_stale: &mut [bool], bodies: &[Body], seen: &mut [Option<Pose>]) {
    for ((is_stale, bodies), seen) in is_stale.chunks_mut(64).zip(bodies.chunks(64)).zip(seen.chunks_mut(64))
    {
        if is_stale.contains(&true) {
            for ((is_stale, body), seen) in is_stale.iter_mut().zip(bodies).zip(seen) {
                if core::mem::take(is_stale) {
                    *seen = Some(body.pose);
                }
            }
        }
    }
}

/// As [`note_seen`], on several threads.
#[cfg(feature = "parallel")]
pub(crate) fn note_seen_in_parts(is_stale: &mut [bool], bodies: &[Body], seen: &mut [Option<Pose>]) {
    if is_little(bodies.len()) {
        return note_seen(is_stale, bodies, seen);
    }
    let rows = is_stale.par_chunks_mut(CARRIED).zip(bodies.par_chunks(CARRIED));
    rows.zip(seen.par_chunks_mut(CARRIED))
        .for_each(|((is_stale, bodies), seen)| note_seen(is_stale, bodies, seen));
}
