//! The bodies of a world, each at its number in a table for every thing that is known of it.
//!
//! - `body`: what a user describes, and handles.
//! - `movers`: who is awake, who moves in this step, and who sleeps together.
//! - `waking`: all that wakes a body.
//! - `placing`: the boxes of bodies.
//!
//! Reference: R. Fabian, Data-Oriented Design, 2018, chapter 2 (tables with one key).

pub(crate) mod body;
pub(crate) mod movers;
pub(crate) mod placing;
pub(crate) mod waking;

use crate::bodies::body::Traits;
use crate::bodies::movers::Movers;
use crate::contacts::recycling::Size;
use crate::continuous::guard::Girth;
use alloc::vec::Vec;
use carom_broad::ProxyId;
use carom_math::Pose;
use carom_query::Shape;
use carom_response::Body;

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
    pub(crate) movers: Movers,
}
