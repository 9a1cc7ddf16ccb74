//! The pairs of bodies whose boxes touch, what is known of each, and what the last detection told.
//!
//! - `pairs`, `crowd`: the broad phase: which pairs there are, and in which of them something moves.
//! - `records`, `changes`: a record for each pair, kept in their order.
//! - `narrow`, `recycling`, `internal_edges`: the narrow phase: contacts of shapes.
//! - `rest`, `meetings`: contacts in which nothing moves; the pairs of a body.
//! - `events`, `responses`: what is told, and what bodies do that do not collide.
//! - `handed`: what the solver is given.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., figure 25.2 (what goes from phase to phase).

pub(crate) mod changes;
pub(crate) mod crowd;
pub(crate) mod events;
pub(crate) mod handed;
pub(crate) mod internal_edges;
pub(crate) mod meetings;
pub(crate) mod narrow;
pub(crate) mod pairs;
pub(crate) mod records;
pub(crate) mod recycling;
pub(crate) mod responses;
pub(crate) mod rest;

use crate::contacts::changes::{Changes, Gaps};
use crate::contacts::events::Event;
use crate::contacts::handed::Part;
use crate::contacts::meetings::Meetings;
use crate::contacts::narrow::Record;
use crate::contacts::records::Records;
use crate::contacts::responses::{ResponseEvent, Rules};
use crate::contacts::rest::Rest;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{Pair, ProxyId};
use carom_geom::Manifold;
use carom_response::ContactLink;

/// All pairs with their contacts.
#[derive(Default)]
pub(crate) struct ContactSet {
    /// In the order of the pairs.
    pub(crate) records: Records,
    /// The pairs of the records.
    pub(crate) pairs: Vec<Pair>,
    /// Which of them are nobody's, for those that come.
    pub(crate) gaps: Gaps,
    /// The records of which a body moves or moved, by place.
    pub(crate) busy: Vec<u32>,
    /// Something changed since the last detection.
    pub(crate) is_changed: bool,
    /// A record may have to be looked at though nothing in it moved; so all are.
    pub(crate) is_unsettled: bool,
    /// A number has passed to another body since pairs were looked for.
    pub(crate) is_renumbered: bool,
    /// The manifolds of the busy records, in their order, and perhaps room between them.
    pub(crate) manifolds: Vec<Manifold>,
    /// Those of the others.
    pub(crate) rest: Rest,
    /// Whom each body meets, as long as the records stay.
    pub(crate) meetings: Meetings,
    pub(crate) events: Vec<Event>,
    /// What bodies do when they touch, and what they did in the last step.
    pub(crate) rules: Rules,
    pub(crate) responses: Vec<ResponseEvent>,
    pub(crate) work: Work,
}

/// Vectors whose content does not outlive a call.
#[derive(Default)]
pub(crate) struct Work {
    pub(crate) pairs: Vec<Pair>,
    pub(crate) manifolds: Vec<Manifold>,
    pub(crate) counts: Vec<u32>,
    /// Busy records in a row.
    pub(crate) busy_records: Vec<Record>,
    pub(crate) contacts: Vec<ContactLink>,
    /// The places of the joints of who moves.
    pub(crate) joints: Vec<u32>,
    /// By number: the solver moves it.
    pub(crate) is_active: Vec<bool>,
    /// The places of the records that it is given, and how many those of parts of the busy ones are.
    pub(crate) solved: Vec<u32>,
    pub(crate) parts: Vec<Part>,
    /// By number: something of it moves or moved.
    pub(crate) is_busy: Vec<bool>,
    /// The events of the detection before.
    pub(crate) told: Vec<Event>,
    pub(crate) fresh: Vec<(Event, bool)>,
    pub(crate) changes: Changes,
    /// By piece of the busy records how many manifolds it had.
    #[cfg(feature = "parallel")]
    pub(crate) found_in: Vec<u32>,
    /// Memory: events of parts of the records.
    #[cfg(feature = "parallel")]
    pub(crate) event_parts: Vec<Vec<Event>>,
    /// Events of pairs that are gone.
    pub(crate) ended: Vec<Event>,
    pub(crate) moves: Vec<(ProxyId, Aabb)>,
}
