//! An output for manifolds: the common list, or the room of a chunk in this list.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 13.3 (memory in the order in which
//! it is read).

use alloc::vec::Vec;
use carom_geom::{Contact, Manifold};
use carom_math::Vec3;

/// An output to which manifolds are appended.
pub(crate) trait Sink {
    /// Returns the index of the next manifold.
    fn len(&self) -> usize;
    /// Announces that up to `n` manifolds follow, which have to be contiguous.
    fn make_room(&mut self, n: usize);
    /// Appends a copy, and returns it.
    fn push(&mut self, manifold: &Manifold) -> &mut Manifold;
    /// Appends the manifolds that `find` writes, and returns them.
    fn find(&mut self, find: impl FnOnce(&mut Vec<Manifold>)) -> &[Manifold];
}

impl Sink for Vec<Manifold> {
    fn len(&self) -> usize {
        Vec::len(self)
    }
    fn make_room(&mut self, _: usize) {}
    #[inline]
    fn push(&mut self, manifold: &Manifold) -> &mut Manifold {
        let number = Vec::len(self);
        self.extend_from_slice(core::slice::from_ref(manifold));
        &mut self[number]
    }
    fn find(&mut self, find: impl FnOnce(&mut Vec<Manifold>)) -> &[Manifold] {
        let first = Vec::len(self);
        find(self);
        keep_within_numbers(self, first);
        &self[first..]
    }
}

/// Drops contacts whose points or distance are not finite, which happens at the end of the finite
/// range.
fn keep_within_numbers(out: &mut Vec<Manifold>, first: usize) {
    // Usually the sum is finite. If it is not, each number is tested.
    let is_small = |c: &Contact| (c.point_a + c.point_b + Vec3::splat(c.distance)).is_finite();
    if out[first..].iter().all(|manifold| manifold.contacts().iter().all(is_small)) {
        return;
    }
    let found = out.split_off(first);
    for manifold in found {
        let mut kept = Manifold::new(manifold.normal());
        for contact in manifold.contacts() {
            if contact.point_a.is_finite() && contact.point_b.is_finite() && contact.distance.is_finite() {
                kept.push(*contact);
            }
        }
        if !kept.is_empty() {
            out.push(kept);
        }
    }
}
