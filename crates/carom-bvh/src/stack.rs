//! A stack of walks that stores its first entries inline. It uses the heap only if a tree is
//! unusually deep.

use alloc::vec::Vec;

/// A stack whose first `N` entries are stored inline, the others on the heap.
pub(crate) struct Stack<T, const N: usize> {
    inline: [T; N],
    len: usize,
    heap: Vec<T>,
}

impl<T: Copy, const N: usize> Stack<T, N> {
    /// An empty stack; `fill` is any value.
    #[inline(always)]
    pub(crate) fn new(fill: T) -> Stack<T, N> {
        Stack { inline: [fill; N], len: 0, heap: Vec::new() }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, entry: T) {
        if let Some(slot) = self.inline.get_mut(self.len) {
            *slot = entry;
            self.len += 1;
        } else {
            self.spill(entry);
        }
    }

    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<T> {
        if !self.heap.is_empty() {
            return self.heap.pop();
        }
        self.len = self.len.checked_sub(1)?;
        self.inline.get(self.len).copied()
    }

    #[cold]
    #[inline(never)]
    fn spill(&mut self, entry: T) {
        self.heap.push(entry);
    }
}

/// Up to eight children, sorted on insertion by the distance at which they begin: the farthest
/// first.
pub(crate) struct FarFirst {
    order: [(u32, f32); 8],
    n: usize,
}

impl FarFirst {
    #[inline(always)]
    pub(crate) fn new() -> FarFirst {
        FarFirst { order: [(0, 0.0); 8], n: 0 }
    }

    /// Inserts a child at its position in the order; at most eight fit. A child as far as an
    /// earlier one goes behind it.
    #[inline(always)]
    pub(crate) fn insert(&mut self, child: u32, begins: f32) {
        let mut index = self.n;
        while 0 < index && self.order[index - 1].1 < begins {
            self.order[index] = self.order[index - 1];
            index -= 1;
        }
        self.order[index] = (child, begins);
        self.n += 1;
    }

    /// Pushes all children; the nearest is on top.
    #[inline(always)]
    pub(crate) fn push_onto<const N: usize>(&self, stack: &mut Stack<(u32, f32), N>) {
        for i in 0..self.n {
            stack.push(self.order[i & 7]);
        }
    }
}
