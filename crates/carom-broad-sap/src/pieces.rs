//! Divides work on a range into chunks for several threads, if there are any. The pairs are the
//! same, because they are sorted afterwards.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 (broad phases split by
//! region).

use crate::rows::Task;
use alloc::vec::Vec;
use carom_broad::PairBuffer;
use core::ops::Range;

/// Runs `work` on `0..n`, in chunks of about `piece` if there are several threads.
pub(crate) fn work_on(
    n: usize,
    piece: usize,
    tasks: &mut Vec<Task>,
    found: &mut PairBuffer,
    work: impl Fn(Range<usize>, &mut Vec<Task>, &mut PairBuffer) + Sync,
) {
    #[cfg(feature = "parallel")]
    if piece < n && 1 < rayon::current_num_threads() {
        use rayon::prelude::*;
        let piece = piece.max(1);
        let all: Vec<PairBuffer> = (0..n.div_ceil(piece))
            .into_par_iter()
            .map_init(Vec::new, |tasks, i| {
                let mut found = PairBuffer::new();
                work(i * piece..n.min((i + 1) * piece), tasks, &mut found);
                found
            })
            .collect();
        all.iter().for_each(|piece| found.append(piece));
        return;
    }
    let _ = piece;
    work(0..n, tasks, found);
}
