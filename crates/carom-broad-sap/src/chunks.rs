//! Divides work on a range into chunks for several threads, if there are any. The pairs are the
//! same, because they are sorted afterwards.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 (broad phases split by
//! region).

use crate::rows::Task;
use alloc::vec::Vec;
use carom_broad::PairBuffer;
use core::ops::Range;

/// Runs `work` on `0..n`, in chunks of about `chunk` if there are several threads.
pub(crate) fn work_on(
    n: usize,
    chunk: usize,
    tasks: &mut Vec<Task>,
    found: &mut PairBuffer,
    work: impl Fn(Range<usize>, &mut Vec<Task>, &mut PairBuffer) + Sync,
) {
    #[cfg(feature = "parallel")]
    if chunk < n && 1 < rayon::current_num_threads() {
        use rayon::prelude::*;
        let chunk = chunk.max(1);
        let all: Vec<PairBuffer> = (0..n.div_ceil(chunk))
            .into_par_iter()
            .map_init(Vec::new, |tasks, i| {
                let mut found = PairBuffer::new();
                work(i * chunk..n.min((i + 1) * chunk), tasks, &mut found);
                found
            })
            .collect();
        all.iter().for_each(|chunk| found.append(chunk));
        return;
    }
    let _ = chunk;
    work(0..n, tasks, found);
}
