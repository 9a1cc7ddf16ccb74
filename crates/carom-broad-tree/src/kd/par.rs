//! Searches a kd-tree on several threads, with bitwise the same result as on one.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5 (parallel traversal in
//! chunks).

use super::pack::Packed;
use super::planes::Planes;
use super::search::{self, Jobs, Work};
use alloc::vec::Vec;
use carom_broad::PairBuffer;
use rayon::prelude::*;

/// Like [`search::run`] with all jobs.
pub(crate) fn run_jobs(planes: &Planes, packed: &Packed, jobs: &Jobs, work: &mut Work, out: &mut PairBuffer) {
    if jobs.len() <= 1 || rayon::current_num_threads() == 1 {
        return search::run(planes, packed, jobs, 0..jobs.len(), work, out);
    }
    let found_by_job: Vec<PairBuffer> = (0..jobs.len())
        .into_par_iter()
        .map_init(Work::default, |work, job| {
            let mut found = PairBuffer::new();
            search::run(planes, packed, jobs, job..job + 1, work, &mut found);
            found
        })
        .collect();
    found_by_job.iter().for_each(|of_job| out.append(of_job));
}
