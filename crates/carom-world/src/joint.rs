//! Handles of joints, and which bodies hang together.

use crate::BodyId;
use alloc::vec::Vec;
use carom_response::Joint;

/// A handle of a joint; once the joint or one of its bodies is removed, an error wherever it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointId(pub(crate) u64);

impl JointId {
    /// Joints are numbered in the order of their insertion.
    #[inline]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// The joints in the order of insertion, as the solver takes them, and their handles beside.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Joints {
    pub(crate) list: Vec<Joint>,
    /// Increasing.
    pub(crate) ids: Vec<JointId>,
    next: u64,
    /// The bodies of each joint, the smaller number first, sorted.
    connected: Vec<(u32, u32)>,
}

impl Joints {
    pub(crate) fn insert(&mut self, joint: Joint) -> JointId {
        let id = JointId(self.next);
        self.next += 1;
        let pair = bodies_of(&joint);
        self.list.push(joint);
        self.ids.push(id);
        let place = self.connected.partition_point(|known| *known <= pair);
        self.connected.insert(place, pair);
        id
    }

    pub(crate) fn position(&self, id: JointId) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    pub(crate) fn remove(&mut self, position: usize) -> Joint {
        self.ids.remove(position);
        let joint = self.list.remove(position);
        if let Ok(place) = self.connected.binary_search(&bodies_of(&joint)) {
            self.connected.remove(place);
        }
        joint
    }

    /// Removes the joints of a body and says whether there were any.
    pub(crate) fn remove_of(&mut self, body: BodyId) -> bool {
        let is_of = |joint: &Joint| joint.body_a == body.index || joint.body_b == body.index;
        let n = self.list.len();
        let mut keep = self.list.iter().map(|joint| !is_of(joint));
        self.ids.retain(|_| keep.next().unwrap_or(true));
        self.list.retain(|joint| !is_of(joint));
        self.connected.retain(|pair| pair.0 != body.index && pair.1 != body.index);
        self.list.len() != n
    }

    /// The two bodies hang together.
    pub(crate) fn connects(&self, a: u32, b: u32) -> bool {
        !self.connected.is_empty() && self.connected.binary_search(&(a.min(b), a.max(b))).is_ok()
    }

    /// As many handles as joints, increasing, and all bodies below `n_bodies`.
    pub(crate) fn is_sound(&self, n_bodies: usize) -> bool {
        let is_body = |body: u32| (body as usize) < n_bodies;
        self.ids.len() == self.list.len()
            && self.ids.is_sorted_by(|a, b| a < b)
            && self.ids.last().is_none_or(|id| id.0 < self.next)
            && self.connected.len() == self.list.len()
            && self.connected.is_sorted()
            && self.list.iter().all(|j| j.body_a != j.body_b && is_body(j.body_a) && is_body(j.body_b))
    }
}

/// The smaller number first.
fn bodies_of(joint: &Joint) -> (u32, u32) {
    (joint.body_a.min(joint.body_b), joint.body_a.max(joint.body_b))
}
