//! What loops on several threads have in common. The loops themselves stand beside the serial ones.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5.

/// Records or bodies per piece of what is only carried from place to place.
pub(crate) const CARRIED: usize = 512;

/// So much is only carried that it is not shared.
pub(crate) fn is_little(n: usize) -> bool {
    n <= CARRIED || rayon::current_num_threads() == 1
}

/// So many edits of a list are one piece of work: some 30 microseconds, if each moves its neighbours.
const EDITS: usize = 128;

/// Two pieces of work of so many edits each, neither of which waits for the other.
pub(crate) fn both(n_edits: usize, a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    if n_edits <= EDITS || rayon::current_num_threads() == 1 {
        a();
        b();
    } else {
        rayon::join(a, b);
    }
}

/// How many parts there are of so many records that are only carried.
pub(crate) fn n_parts(n: usize) -> usize {
    if is_little(n) { 1 } else { n.div_ceil(CARRIED) }
}
