//! The numbers by which Python names the things of a world: they count up, and those of removed
//! things are not used again.
//!
//! Memory is in proportion to the things that exist (test: `test_numbers_need_no_memory`). Events
//! name things that were removed, so the numbers of these are kept while an event may name them.

use crate::error;
use pyo3::PyResult;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The numbers of all things of one kind, by their handles `I`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(
    from = "Stored<I>",
    into = "Stored<I>",
    bound = "I: Clone + Ord + Serialize + for<'a> Deserialize<'a>"
)]
pub(crate) struct Numbers<I> {
    next: u32,
    /// The number that was next at the last step: no event names a thing of a later number.
    unseen: u32,
    handles: BTreeMap<u32, I>,
    numbers: BTreeMap<I, u32>,
    /// Those removed since the last step: the next step reports what ended with them.
    removed: BTreeMap<I, u32>,
    /// Those removed before the last step, which its events may name.
    reported: BTreeMap<I, u32>,
}

/// The form in which numbers are stored.
#[derive(Serialize, Deserialize)]
struct Stored<I> {
    next: u32,
    unseen: u32,
    handles: Vec<(u32, I)>,
    removed: Vec<(I, u32)>,
    reported: Vec<(I, u32)>,
}

impl<I: Clone + Ord> From<Stored<I>> for Numbers<I> {
    fn from(stored: Stored<I>) -> Numbers<I> {
        let handles: BTreeMap<u32, I> = stored.handles.into_iter().collect();
        let unused = handles.last_key_value().map_or(0, |(last, _)| last.saturating_add(1));
        Numbers {
            next: stored.next.max(unused),
            unseen: stored.unseen,
            numbers: handles.iter().map(|(number, handle)| (handle.clone(), *number)).collect(),
            handles,
            removed: stored.removed.into_iter().collect(),
            reported: stored.reported.into_iter().collect(),
        }
    }
}

impl<I> From<Numbers<I>> for Stored<I> {
    fn from(numbers: Numbers<I>) -> Stored<I> {
        Stored {
            next: numbers.next,
            unseen: numbers.unseen,
            handles: numbers.handles.into_iter().collect(),
            removed: numbers.removed.into_iter().collect(),
            reported: numbers.reported.into_iter().collect(),
        }
    }
}

impl<I: Copy + Ord> Numbers<I> {
    pub(crate) fn new() -> Numbers<I> {
        Numbers {
            next: 0,
            unseen: 0,
            handles: BTreeMap::new(),
            numbers: BTreeMap::new(),
            removed: BTreeMap::new(),
            reported: BTreeMap::new(),
        }
    }

    /// Returns the number of the next thing. An error if all numbers are used.
    pub(crate) fn next(&self, what: &str) -> PyResult<u32> {
        let is_left = self.next < u32::MAX;
        is_left.then_some(self.next).ok_or_else(|| error::world(format!("too many {what}")))
    }

    /// Notes a thing under the next number, which it returns.
    pub(crate) fn push(&mut self, handle: I) -> u32 {
        let number = self.next;
        self.next += 1;
        self.handles.insert(number, handle);
        self.numbers.insert(handle, number);
        number
    }

    /// Returns the handle of a number; `None` if no thing has it.
    pub(crate) fn handle(&self, number: u32) -> Option<I> {
        self.handles.get(&number).copied()
    }

    /// Returns the number of a thing, also of a removed one that an event names; -1 for others.
    pub(crate) fn number(&self, handle: I) -> i64 {
        let found =
            [&self.numbers, &self.removed, &self.reported].into_iter().find_map(|map| map.get(&handle));
        found.map_or(-1, |number| i64::from(*number))
    }

    /// Removes a thing.
    pub(crate) fn remove(&mut self, handle: I) {
        if let Some(number) = self.numbers.remove(&handle) {
            self.handles.remove(&number);
            if number < self.unseen {
                self.removed.insert(handle, number);
            }
        }
    }

    /// Returns the numbers and the handles, by ascending number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, I)> + '_ {
        self.handles.iter().map(|(number, handle)| (*number, *handle))
    }

    /// Removes the things that are gone without a call of `remove`.
    pub(crate) fn remove_all_but(&mut self, exists: impl Fn(I) -> bool) {
        let gone: Vec<I> = self.handles.values().copied().filter(|handle| !exists(*handle)).collect();
        gone.into_iter().for_each(|handle| self.remove(handle));
    }

    /// Follows a step or a detection, whose events name these handles: forgets the other removed
    /// things, but not yet those removed just before it.
    pub(crate) fn follow_step(&mut self, named: impl Iterator<Item = I>) {
        self.unseen = self.next;
        if self.removed.is_empty() && self.reported.is_empty() {
            return;
        }
        let mut reported = core::mem::take(&mut self.removed);
        for handle in named {
            if let Some(number) = self.reported.get(&handle) {
                reported.insert(handle, *number);
            }
        }
        self.reported = reported;
    }
}
