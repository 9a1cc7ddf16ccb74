//! What is known of a pair of bodies whose boxes touch.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.2 (what is kept of a pair from frame to frame).

use crate::bodies::id::BodyId;
use carom_broad::Pair;

/// What is known of a pair of bodies whose boxes touch.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Record {
    pub(crate) a: BodyId,
    pub(crate) b: BodyId,
    /// Where its manifolds begin, and how many there are.
    pub(crate) first: u32,
    pub(crate) n: u32,
    /// Where its manifolds are in what the solver was given; `NOT_SOLVED` if they are not.
    pub(crate) first_solved: u32,
    /// The shapes are to be looked at.
    pub(crate) is_wanted: bool,
    pub(crate) is_sensor: bool,
    /// A hook left it out of the last step: its bodies pass each other.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) is_disabled: bool,
    pub(crate) is_touching: bool,
    pub(crate) was_touching: bool,
    /// The cache at its place is its own: its shapes were looked at.
    pub(crate) has_cache: bool,
    /// Not looked at yet.
    pub(crate) is_new: bool,
    /// Not given to the solver yet: what that keeps under its numbers is of bodies that had them before.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) is_unsolved: bool,
    /// Was to be looked at in the last detection, and was not.
    pub(crate) is_put_off: bool,
    /// Contacts were lost when it was put off: its bodies slid, rolled or parted.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) has_lost: bool,
    /// Is not to be looked at in this detection.
    pub(crate) is_skipped: bool,
    /// How far its bodies moved against each other since it was looked at: a length, or more.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) way: f32,
    /// Its manifolds are those put to rest.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) is_at_rest: bool,
}

/// Of a record that the solver was not given.
pub(crate) const NOT_SOLVED: u32 = u32::MAX;

impl Record {
    pub(crate) const fn new(a: BodyId, b: BodyId, is_wanted: bool, is_sensor: bool) -> Record {
        Record {
            a,
            b,
            first: 0,
            n: 0,
            first_solved: NOT_SOLVED,
            is_wanted,
            is_sensor,
            is_disabled: false,
            is_touching: false,
            was_touching: false,
            has_cache: false,
            is_new: true,
            is_unsolved: true,
            is_put_off: false,
            has_lost: false,
            is_skipped: false,
            way: 0.0,
            is_at_rest: false,
        }
    }

    /// Looked at as if for the first time; whether it touched is kept, for the events, and where its manifolds are.
    pub(crate) fn forget(&mut self) {
        self.has_cache = false;
        self.first_solved = NOT_SOLVED;
        self.is_new = true;
        self.is_put_off = false;
        self.is_skipped = false;
    }

    pub(crate) fn pair(&self) -> Pair {
        Pair { a: self.a.index, b: self.b.index }
    }

    /// Its manifolds in the list.
    pub(crate) fn range(&self) -> core::ops::Range<usize> {
        self.first as usize..self.first as usize + self.n as usize
    }
}

impl Record {
    /// At no place yet.
    pub(crate) const NOBODYS: Record = Record::gap(Pair { a: 0, b: 0 });

    /// Nobody's, at the place of a pair.
    pub(crate) const fn gap(pair: Pair) -> Record {
        // No handle of a body that lives has this generation.
        let (a, b) = (BodyId { index: pair.a, generation: 0 }, BodyId { index: pair.b, generation: 0 });
        let mut record = Record::new(a, b, false, false);
        record.is_new = false;
        record
    }

    /// It is nobody's.
    #[inline]
    pub(crate) fn is_gap(&self) -> bool {
        self.a.generation == 0
    }
}
