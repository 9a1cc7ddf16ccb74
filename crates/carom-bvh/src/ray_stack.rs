//! The stack of a ray: children with the entry parameter of the ray, the nearest of a node on top.
//!
//! All met children of a node are pushed at once. The key is the entry parameter, with its last
//! three bits replaced by the lane. With AVX2, the keys of a forward ray are sorted in a register.
//! Then no branch depends on the number or the order of the children, which a processor cannot
//! predict. A batch takes 0.8 of the time of insertion sort, which is used otherwise: see
//! benches/notes.
//!
//! Reference: K. Batcher, Sorting Networks and their Applications, 1968 (the network).

use alloc::vec::Vec;
use carom_lanes::{F32Lanes, Level, MaskLanes, Simd, U32Lanes};

/// The capacity of the inline stack.
const CAPACITY: usize = 64;

/// The maximum number of entries beside which eight more fit.
const ROOM: usize = CAPACITY - 8;

/// The bits of a key that hold the lane.
const LANE: u32 = 7;

/// A stack of children with their entry parameters.
pub(crate) struct RayStack {
    children: [u32; CAPACITY],
    enters: [f32; CAPACITY],
    len: usize,
    /// The entries that do not fit inline, in an unusually deep tree; they are popped last.
    heap: Vec<(u32, f32)>,
}

impl RayStack {
    pub(crate) fn new() -> RayStack {
        RayStack { children: [0; CAPACITY], enters: [0.0; CAPACITY], len: 0, heap: Vec::new() }
    }

    /// Clears the stack; memory is kept.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.heap.clear();
    }

    /// The next child that the ray enters up to this t.
    #[inline(always)]
    pub(crate) fn pop(&mut self, t_max: f32) -> Option<u32> {
        let mut len = self.len;
        while 0 < len {
            len -= 1;
            if self.enters[len % CAPACITY] <= t_max {
                self.len = len;
                return Some(self.children[len % CAPACITY]);
            }
        }
        self.len = 0;
        if self.heap.is_empty() { None } else { self.pop_far(t_max) }
    }

    #[cold]
    #[inline(never)]
    fn pop_far(&mut self, t_max: f32) -> Option<u32> {
        while let Some((child, enters)) = self.heap.pop() {
            if enters <= t_max {
                return Some(child);
            }
        }
        None
    }

    /// The next result of [`RayStack::pop`], if it is inline and the ray enters it in time.
    #[inline(always)]
    pub(crate) fn top(&self) -> Option<u32> {
        let last = self.len.checked_sub(1)?;
        Some(self.children[last % CAPACITY])
    }

    /// Pushes the children of these lanes, the nearest on top. If the ray `is_forward`, entry
    /// parameters are clamped to 0. The stored key may be larger than `enters` by 7 ulps.
    #[inline(always)]
    pub(crate) fn push<S: Simd>(
        &mut self,
        simd: S,
        lanes: u32,
        children: S::U32x8,
        enters: S::F32x8,
        is_forward: bool,
    ) {
        let n = lanes.count_ones() as usize;
        // Numbers that are not negative are ordered as their bits are.
        let bits = enters.max(S::F32x8::splat(simd, 0.0)).to_bits();
        let keys = bits & S::U32x8::splat(simd, !LANE) | S::U32x8::iota(simd);
        let room = self.len..self.len + 8;
        if self.len <= ROOM
            && let Some(to) = self.children.get_mut(room.clone()).and_then(<[_]>::first_chunk_mut::<8>)
            && let Some(to_enters) = self.enters.get_mut(room).and_then(<[_]>::first_chunk_mut::<8>)
        {
            self.len += n;
            if S::LEVEL == Level::Avx2 && is_forward {
                // Children that are not met come last.
                let none = S::U32x8::splat(simd, 0);
                let keys = S::U32x8::select(S::Mask8::from_bits(simd, lanes), keys, none).sorted_down();
                children.permute(keys).store(to);
                keys.as_f32_bits().store(to_enters);
                return;
            }
            let enters = if is_forward { keys.as_f32_bits() } else { enters };
            insert(lanes, &children.to_array(), &enters.to_array(), to, to_enters);
            return;
        }
        let enters = if is_forward { keys.as_f32_bits() } else { enters };
        self.spill(lanes, &children.to_array(), &enters.to_array());
    }

    #[cold]
    #[inline(never)]
    fn spill(&mut self, lanes: u32, children: &[u32; 8], enters: &[f32; 8]) {
        let (mut to, mut to_enters) = ([0; 8], [0.0; 8]);
        insert(lanes, children, enters, &mut to, &mut to_enters);
        let n = lanes.count_ones() as usize;
        self.heap.extend(to.into_iter().zip(to_enters).take(n));
    }
}

/// Writes the children of these lanes, the farthest first, by insertion sort. Equal parameters
/// keep the order of the lanes.
#[inline(always)]
fn insert(lanes: u32, children: &[u32; 8], enters: &[f32; 8], to: &mut [u32; 8], to_enters: &mut [f32; 8]) {
    let (mut left, mut n) = (lanes & 255, 0_usize);
    while left != 0 {
        let lane = left.trailing_zeros() as usize & 7;
        left &= left - 1;
        let mut index = n;
        while 0 < index && to_enters[(index - 1) & 7].total_cmp(&enters[lane]).is_lt() {
            to[index & 7] = to[(index - 1) & 7];
            to_enters[index & 7] = to_enters[(index - 1) & 7];
            index -= 1;
        }
        (to[index & 7], to_enters[index & 7]) = (children[lane], enters[lane]);
        n += 1;
    }
}
