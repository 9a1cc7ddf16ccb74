//! Graph colouring of constraints: those of the same colour have no particle in common.
//!
//! - Each constraint, in the given order, gets the lowest colour that none of its particles has
//!   yet. The result depends only on that order.
//! - A pass solves colour by colour (Gauss-Seidel). Within a colour the order does not matter, so
//!   any number of threads gives the same bits.
//! - A word of 64 bits for each particle holds its used colours. A constraint without a free
//!   colour is left for the next 64 colours. So a particle with many constraints needs no more
//!   memory.
//!
//! Reference: M. Fratarcangeli, V. Tibaldo, F. Pellacini, Vivace: a Practical Gauss-Seidel Method
//! for Stable Soft Body Dynamics, 2016, section 4. Differs: greedy in constraint order, not
//! randomised.

use super::points::Points;
use alloc::vec::Vec;
use core::cell::Cell;
use glam::Vec3;

/// Constraints, or batches of them, that a pass solves.
pub(crate) trait Solve: Sized + Send {
    /// Solves constraints that have no particle in common. `per_time_sq` is one over the squared
    /// time step.
    fn solve<P: Points + ?Sized>(
        constraints: &mut [Self],
        points: &P,
        inverse_masses: &[f32],
        per_time_sq: f32,
    );
}

/// Constraints in the order of their colours.
#[derive(Clone, Debug)]
pub(crate) struct Coloured<T> {
    constraints: Vec<T>,
    /// The end of each colour.
    ends: Vec<usize>,
    #[cfg(feature = "parallel")]
    shared: super::par::SharedPoints,
}

impl<T> Coloured<T> {
    /// Returns an empty set.
    pub(crate) fn empty() -> Coloured<T> {
        Coloured {
            constraints: Vec::new(),
            ends: Vec::new(),
            #[cfg(feature = "parallel")]
            shared: super::par::SharedPoints::default(),
        }
    }

    /// Ends a colour. The constraints added since the last end must have no particle in common.
    pub(crate) fn end_colour(&mut self) {
        self.ends.push(self.constraints.len());
    }

    pub(crate) fn push(&mut self, constraint: T) {
        self.constraints.push(constraint);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.constraints.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.constraints.iter_mut()
    }
}

impl<T: Solve> Coloured<T> {
    /// Makes one pass over all colours.
    pub(crate) fn solve(&mut self, positions: &mut [Vec3], inverse_masses: &[f32], dt: f32) {
        // If the square of the time step underflows, compliance has its largest effect.
        let per_time_sq = (1.0 / (dt * dt)).min(f32::MAX);
        #[cfg(feature = "parallel")]
        if super::par::pays_to_share(self.constraints.len()) {
            let Coloured { constraints, ends, shared } = self;
            super::par::solve_colours(constraints, ends, shared, positions, |some, points| {
                T::solve(some, points, inverse_masses, per_time_sq);
            });
            return;
        }
        let points = Cell::from_mut(positions).as_slice_of_cells();
        let mut start = 0;
        for &end in &self.ends {
            T::solve(&mut self.constraints[start..end], points, inverse_masses, per_time_sq);
            start = end;
        }
    }
}

/// Returns the constraints of each colour, ascending. `particles` returns the particles of a
/// constraint, all below `n_particles`.
pub(crate) fn colour<const N: usize>(
    n_particles: usize,
    n_constraints: usize,
    particles: impl Fn(usize) -> [u32; N],
) -> Vec<Vec<u32>> {
    let mut colours: Vec<Vec<u32>> = Vec::new();
    let mut waiting: Vec<u32> = (0..n_constraints as u32).collect();
    let mut taken = Vec::new();
    while !waiting.is_empty() {
        let first = colours.len();
        taken.clear();
        taken.resize(n_particles, 0_u64);
        waiting.retain(|&constraint| {
            let particles = particles(constraint as usize);
            let all = particles.iter().fold(0, |all, &particle| all | taken[particle as usize]);
            let free = (!all).trailing_zeros();
            if free == u64::BITS {
                return true;
            }
            particles.iter().for_each(|&particle| taken[particle as usize] |= 1 << free);
            let colour = first + free as usize;
            if colours.len() <= colour {
                colours.resize_with(colour + 1, Vec::new);
            }
            colours[colour].push(constraint);
            false
        });
    }
    colours
}
