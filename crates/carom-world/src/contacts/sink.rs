//! Where manifolds go, one behind the other.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 13.3 (memory in the order in which it is read).

use alloc::vec::Vec;
use carom_geom::{Contact, Manifold};
use carom_math::Vec3;

/// Where manifolds go, one behind the other.
pub(crate) trait Sink {
    /// How many there are.
    fn len(&self) -> usize;
    /// So many come next that stay together, or fewer.
    fn make_room(&mut self, n: usize);
    /// Appends a copy, and says where it is.
    fn push(&mut self, manifold: &Manifold) -> &mut Manifold;
    /// Appends what is found, and says what that is.
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

/// Contacts whose places or depth are beyond the largest number, of bodies at the end of the numbers, are none.
fn keep_within_numbers(out: &mut Vec<Manifold>, first: usize) {
    // One sum tells it of nearly all; where that is too large each number is looked at.
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
