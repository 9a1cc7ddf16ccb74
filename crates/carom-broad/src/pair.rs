//! Pairs, and what changed between two lists of them.

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
    /// The pair of two indices, in either order.
    #[inline]
    pub const fn new(first: u32, second: u32) -> Pair {
        if first < second { Pair { a: first, b: second } } else { Pair { a: second, b: first } }
    }
}

/// What was reported last, so that the next report can say what begun and what ended.
///
/// Memory: 8 bytes per pair reported, 4 per proxy removed since.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    reported: Vec<Pair>,
    /// Indices freed since the last report: if one was given out again, the pair is another one.
    freed: Vec<u32>,
}

impl EventLog {
    /// Nothing was reported yet.
    pub const fn new() -> EventLog {
        EventLog { reported: Vec::new(), freed: Vec::new() }
    }

    /// An index was freed.
    #[inline]
    pub fn note_removed(&mut self, index: u32) {
        // Without a report there is nothing to tell apart.
        if !self.reported.is_empty() {
            self.freed.push(index);
        }
    }

    /// Appends what is in `current`, sorted, and was not in the last report to `begun`, and what is
    /// no longer to `ended`; a pair of which one index belongs to another body now is in both. Then
    /// `current` is the last report, and holds the storage of the one before.
    pub fn report(&mut self, current: &mut Vec<Pair>, begun: &mut Vec<Pair>, ended: &mut Vec<Pair>) {
        self.freed.sort_unstable();
        self.freed.dedup();
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
        core::mem::swap(&mut self.reported, current);
        self.freed.clear();
    }
}
