//! Common parts of the parallel loops. Each loop is next to its serial form.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5.

/// The number of pair states or bodies of a chunk, for loops that only copy.
pub(crate) const CHUNK_LENGTH: usize = 512;

/// Whether a loop that only copies `n` entries runs on one thread.
pub(crate) fn is_serial(n: usize) -> bool {
    n <= CHUNK_LENGTH || rayon::current_num_threads() == 1
}

/// The largest number of edits for which a single thread is used: about 30 microseconds, if each
/// edit moves its neighbours.
const MAX_SERIAL_EDITS: usize = 128;

/// Runs two tasks of `n_edits` edits each, on two threads if that is faster.
pub(crate) fn both(n_edits: usize, a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    if n_edits <= MAX_SERIAL_EDITS || rayon::current_num_threads() == 1 {
        a();
        b();
    } else {
        rayon::join(a, b);
    }
}

/// Returns the number of chunks, for loops that only copy.
pub(crate) fn n_chunks(n: usize) -> usize {
    if is_serial(n) { 1 } else { n.div_ceil(CHUNK_LENGTH) }
}
