//! The loops of a step over bodies and manifolds, each over a chunk of the data. A single thread
//! runs one chunk. Several threads share the chunks: see `par`, which has the same functions.
//!
//! No iteration of a loop reads what another one writes. So chunks may have any size and any order.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (the stages of a step).

pub(crate) use crate::bodies::active::classify;
pub(crate) use crate::bodies::advance::advance;
pub(crate) use crate::bodies::load::load_bodies;
pub(crate) use crate::bodies::store::store_bodies;
pub(crate) use crate::contacts::summary::summarize;
pub(crate) use crate::impulses::classes::Colors;
pub(crate) use crate::impulses::impulse_list::{match_cached, write_order};
pub(crate) use crate::impulses::results::{sort_reports, store_groups};
pub(crate) use crate::impulses::rows::load_groups;

/// Runs `work` inside the thread pool. Without threads, calls it.
pub(crate) fn inside<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Runs two independent tasks, in parallel if the number of bodies or manifolds is large.
pub(crate) fn both(_size: usize, a: impl FnOnce(), b: impl FnOnce()) {
    a();
    b();
}
