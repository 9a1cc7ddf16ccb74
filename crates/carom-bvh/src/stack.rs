//! A stack that lives in the function's frame and goes to the heap only when a tree is unusually deep.
//!
//! Reference: none needed.

use alloc::vec::Vec;

/// The first `N` entries are kept in place.
pub(crate) struct Stack<T, const N: usize> {
    near: [T; N],
    len: usize,
    far: Vec<T>,
}

impl<T: Copy, const N: usize> Stack<T, N> {
    /// An empty stack; `fill` is any value.
    #[inline(always)]
    pub(crate) fn new(fill: T) -> Stack<T, N> {
        Stack { near: [fill; N], len: 0, far: Vec::new() }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, entry: T) {
        if let Some(place) = self.near.get_mut(self.len) {
            *place = entry;
            self.len += 1;
        } else {
            self.spill(entry);
        }
    }

    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<T> {
        if !self.far.is_empty() {
            return self.far.pop();
        }
        self.len = self.len.checked_sub(1)?;
        self.near.get(self.len).copied()
    }

    #[cold]
    #[inline(never)]
    fn spill(&mut self, entry: T) {
        self.far.push(entry);
    }
}
