//! Pairs, and the changes between two lists of them.

use alloc::vec::Vec;

/// Two proxies whose boxes touch, by index, the smaller first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pair {
    /// The smaller index.
    pub a: u32,
    /// The larger index.
    pub b: u32,
}

impl Pair {
    /// Returns the pair of two indices, in either order.
    #[inline]
    pub const fn new(first: u32, second: u32) -> Pair {
        if first < second { Pair { a: first, b: second } } else { Pair { a: second, b: first } }
    }
}

/// The last report, so that the next one can list begun and ended pairs.
///
/// Memory: 8 bytes per pair of the last two reports, 4 to 16 per index freed since.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    reported: Vec<Pair>,
    /// Indices freed since the last report. If one is reused, its pair is a new pair.
    freed: Vec<u32>,
    /// The storage of the report before the last one.
    storage: Vec<Pair>,
}

impl EventLog {
    /// Returns a log without a report.
    pub const fn new() -> EventLog {
        EventLog { reported: Vec::new(), freed: Vec::new(), storage: Vec::new() }
    }

    /// Notes that an index was freed.
    #[inline]
    pub fn note_removed(&mut self, index: u32) {
        // Before the first report there is nothing to distinguish.
        if self.reported.is_empty() {
            return;
        }
        if self.freed.len() == self.freed.capacity() {
            // Without reports the same indices are freed again and again. Room for as many more
            // keeps this rare.
            self.sort_freed();
            self.freed.reserve(self.freed.len());
        }
        self.freed.push(index);
    }

    /// Sorts the freed indices, each once.
    fn sort_freed(&mut self) {
        self.freed.sort_unstable();
        self.freed.dedup();
    }

    /// Returns a vector for the pairs of the next report. It has the capacity of an earlier one.
    pub fn take_storage(&mut self) -> Vec<Pair> {
        core::mem::take(&mut self.storage)
    }

    /// Appends the new pairs of `current`, which is sorted, to `begun`, and those that it no
    /// longer has to `ended`. A pair with an index that now belongs to another body is in both.
    /// Then `current` becomes the last report.
    pub fn report(&mut self, current: Vec<Pair>, begun: &mut Vec<Pair>, ended: &mut Vec<Pair>) {
        self.sort_freed();
        let was_freed = |index: u32| self.freed.binary_search(&index).is_ok();
        let (mut old, mut new) = (self.reported.iter().peekable(), current.iter().peekable());
        loop {
            match (old.peek(), new.peek()) {
                (Some(&&o), Some(&&n)) if o == n => {
                    if !self.freed.is_empty() && (was_freed(o.a) || was_freed(o.b)) {
                        ended.push(o);
                        begun.push(n);
                    }
                    old.next();
                    new.next();
                }
                (Some(&&o), n) if n.is_none_or(|&&n| o < n) => {
                    ended.push(o);
                    old.next();
                }
                (_, Some(&&n)) => {
                    begun.push(n);
                    new.next();
                }
                (_, None) => break,
            }
        }
        self.storage = core::mem::replace(&mut self.reported, current);
        self.freed.clear();
    }
}
