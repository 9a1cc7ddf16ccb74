//! One stage over the contacts by several threads, with the bits of the serial answer.
//!
//! Contacts of one colour share no moving body, so whichever thread solves them, and in whatever order, each
//! body is read and written by one contact alone; the colours follow each other as they do without threads. The states
//! lie in atomic words meanwhile, which cost what plain words cost and need no promise that the compiler cannot check.
//!
//! Reference: E. Catto, Simulation Islands and Solver2D, box2d.org, 2023 and 2024 (graph colouring).

use crate::impulse::{Group, Pass, Stepper};
use crate::lane_vec::{Lanes, State, States};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering};
use rayon::prelude::*;

/// Fewer groups than this are not worth waking a thread for.
const GROUPS_PER_TASK: usize = 16;

/// The states of all bodies, for many threads at once.
#[derive(Debug, Default)]
pub(crate) struct SharedStates {
    motion: Vec<[AtomicU32; 8]>,
    delta: Vec<[AtomicU32; 8]>,
}

/// A workspace holds nothing between calls.
impl Clone for SharedStates {
    fn clone(&self) -> SharedStates {
        SharedStates::default()
    }
}

impl States for &SharedStates {
    #[inline(always)]
    fn motion(&self, body: u32) -> Lanes {
        load(&self.motion[body as usize])
    }
    #[inline(always)]
    fn delta(&self, body: u32) -> Lanes {
        load(&self.delta[body as usize])
    }
    #[inline(always)]
    fn set_motion(&mut self, body: u32, motion: &Lanes) {
        store(&self.motion[body as usize], motion);
    }
}

// A thread sees what another wrote in an earlier colour because rayon joins them in between.
#[inline(always)]
fn load(from: &[AtomicU32; 8]) -> Lanes {
    let mut lanes = [0.0; 8];
    let mut k = 0;
    while k < 8 {
        lanes[k] = f32::from_bits(from[k].load(Ordering::Relaxed));
        k += 1;
    }
    lanes
}

#[inline(always)]
fn store(to: &[AtomicU32; 8], lanes: &Lanes) {
    let mut k = 0;
    while k < 8 {
        to[k].store(lanes[k].to_bits(), Ordering::Relaxed);
        k += 1;
    }
}

/// Runs a stage over all colours, which begin in `groups` where `class_starts` says.
pub(crate) fn run(
    shared: &mut SharedStates,
    groups: &mut [Group],
    class_starts: &[u32],
    states: &mut [State],
    pass: &Pass,
) {
    let fresh = || core::array::from_fn(|_| AtomicU32::new(0));
    shared.motion.resize_with(states.len(), fresh);
    shared.delta.resize_with(states.len(), fresh);
    for (k, state) in states.iter().enumerate() {
        store(&shared.motion[k], &state.motion);
        store(&shared.delta[k], &state.delta);
    }
    let view: &SharedStates = shared;
    for class in class_starts.windows(2) {
        let groups = &mut groups[class[0] as usize..class[1] as usize];
        groups.par_chunks_mut(GROUPS_PER_TASK).for_each(|groups| {
            carom_lanes::dispatch(Stepper { groups, states: view, pass });
        });
    }
    for (state, motion) in states.iter_mut().zip(&shared.motion) {
        state.motion = load(motion);
    }
}

/// The work is large enough to be shared, and there is someone to share it with.
pub(crate) fn pays(n_groups: usize) -> bool {
    4 * GROUPS_PER_TASK <= n_groups && 1 < rayon::current_num_threads()
}
