//! The boxes that a kept structure should hold, as its insertions and removals say.
//!
//! A live slot need not be a member: another finder may have taken over its box. So membership is
//! recorded here, and is not read from the table of proxies.

use alloc::vec::Vec;

/// The slots whose boxes are members, and those that changed since the last search.
///
/// Memory: 6 bytes per slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Members {
    is_member: Vec<bool>,
    is_changed: Vec<bool>,
    /// Each slot once, in the order of its first change.
    changed: Vec<u32>,
}

impl Members {
    /// Records that a box was inserted in this slot, or removed from it.
    pub(crate) fn set(&mut self, slot: u32, is_member: bool) {
        let n_slots = self.is_member.len().max(slot as usize + 1);
        self.is_member.resize(n_slots, false);
        self.is_changed.resize(n_slots, false);
        self.is_member[slot as usize] = is_member;
        self.note_change(slot);
    }

    /// Records a change of a slot in which a box was inserted before.
    pub(crate) fn note_change(&mut self, slot: u32) {
        if !core::mem::replace(&mut self.is_changed[slot as usize], true) {
            self.changed.push(slot);
        }
    }

    /// Whether the slot's box is a member.
    pub(crate) fn has(&self, slot: u32) -> bool {
        self.is_member.get(slot as usize).is_some_and(|&is_member| is_member)
    }

    /// Returns the changed slots.
    pub(crate) fn changed(&self) -> &[u32] {
        &self.changed
    }

    /// Sorts the changed slots.
    pub(crate) fn sort_changed(&mut self) {
        self.changed.sort_unstable();
    }

    /// Clears the list of changed slots.
    pub(crate) fn clear_changed(&mut self) {
        for slot in self.changed.drain(..) {
            self.is_changed[slot as usize] = false;
        }
    }

    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        let Members { is_member, is_changed, changed } = self;
        is_member.capacity() + is_changed.capacity() + 4 * changed.capacity()
    }
}
