//! Loops over slots, on one thread or on several, with the same bits.
//!
//! Reference: M. Macklin et al., Unified Particle Physics, 2014, 4 (Jacobi, by gathering).

use crate::solver::contact::Contact;
use core::ops::Range;

/// Fills `out`; `fill` gets slots and their part of `out`.
pub(crate) fn for_slots<T: Send>(out: &mut [T], fill: impl Fn(Range<usize>, &mut [T]) + Sync) {
    #[cfg(feature = "parallel")]
    if crate::par::pays(out.len()) {
        return crate::par::for_slots(out, fill);
    }
    fill(0..out.len(), out);
}

/// Changes items, each by itself.
pub(crate) fn for_each_chunk<T: Send>(items: &mut [T], change: impl Fn(&mut [T]) + Sync) {
    for_slots(items, |_, items| change(items));
}

/// Fills `out`; `fill` gets a slot, the contacts of slots from it on, and their part of `out`.
/// `starts` is where the contacts of each slot begin.
pub(crate) fn for_contacts<T: Send>(
    starts: &[u32],
    contacts: &mut [Contact],
    out: &mut [T],
    fill: impl Fn(usize, &mut [Contact], &mut [T]) + Sync,
) {
    #[cfg(feature = "parallel")]
    if crate::par::pays(out.len()) {
        return crate::par::for_contacts(starts, contacts, out, fill);
    }
    #[cfg(not(feature = "parallel"))]
    let _ = starts;
    fill(0, contacts, out);
}
