//! A chain of distance constraints with compliance, solved as one system.
//!
//! - Each link pulls two consecutive particles with a tension. A pass is a step of Newton's method
//!   for all tensions and displacements. Heavy loads on light chains need a few passes;
//!   Gauss-Seidel would need about as many passes as the ratio of the masses.
//! - The linear system couples each link only to its neighbours, so it is solved from one end to
//!   the other. A 3 by 3 matrix is the response of a particle, with the chain before it, to a
//!   push.
//! - A substep starts from the tensions of the last substep. From zero, Newton's method does not
//!   find those of short links under a heavy load that swings (test:
//!   `soft_ropes::no_load_stretches_a_rope_that_does_not_stretch`, carom-world).
//! - A tension acts along the direction of its link at the end of a substep, which damps a swing.
//!   So the next substep begins with a push: the tension times most of the change of that
//!   direction (test: `soft_ropes::a_wide_swing_loses_bounded_energy_and_gains_none`, in
//!   carom-world).
//! - A link under tension resists turning, with a stiffness of its tension over its length.
//!   Without this term light particles between heavy ones oscillate across the chain with growing
//!   amplitude.
//! - A rigid body that holds a particle adds to its mass, which is then a matrix.
//! - A step that does not bring the links nearer to their lengths is shortened. If that does not
//!   help, the links are solved one by one.
//!
//! Degenerate: two pinned ends do not move. Coincident particles separate in a fixed direction
//! that follows from their indices. A correction that leads out of the range of `f32` is skipped.
//!
//! Reference: C. Deul et al., Direct Position-Based Solver for Stiff Rods, 2018 (Newton's method
//! for all constraints of a rod); M. Tournier et al., Stable Constrained Dynamics, 2015 (the
//! stiffness of tensions); D. Baraff, Linear-Time Dynamics using Lagrange Multipliers, 1996.
//! Differs: held particles, the elimination by inverse masses, and the guard of the step.

use super::links::damp_link;
use super::{ConstraintError, HeldParticle, damped_part};
use crate::parting::parting;
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use core::ops::Range;
use glam::{DMat3, DVec3, Vec3};

/// The parts of a step that are tried, until one brings the links nearer to their lengths.
const PARTS: [f64; 3] = [1.0, 0.5, 0.25];

/// rounding: of the yield of a straight chain between two pinned ends, which is 0, in `f64`. It is
/// the least softness of a link, in inverse masses of its particles. So tensions are finite there.
const LEAST_SOFTNESS: f64 = 1e-9;

/// rounding: of `f32` positions, by the length of a link. Links within this part of their length
/// count as solved, and a step may make them worse.
const SOLVED: f64 = 1e-5;

/// The part of the difference of two directions that is given back. With 1 no wave across the
/// chain would decay, and Newton's method would need more passes.
const RETURNED_FRACTION: f64 = 0.9;

/// The difference of two unit vectors. A link that turns farther in a substep is not swung.
const MAX_SWING: f64 = 0.5;

/// A row of links between consecutive particles.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    particles: Range<usize>,
    links: Vec<ChainLink>,
    nodes: Vec<Node>,
}

/// A link from a particle to the next one.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChainLink {
    /// The distance at rest.
    rest: f64,
    /// Length per force; infinite if there is no link.
    compliance: f64,
    memory: LinkMemory,
    /// The force on the second particle, and against the first, that gives back what the direction
    /// at the end of the last substep took.
    lag: DVec3,
    /// The pull on both ends, in mass times length.
    tension: f64,
    /// From the second particle to the first, of unit length.
    unit: DVec3,
    length: f64,
    /// How much longer the link is than its tension makes it.
    error: f64,
    softness: f64,
    /// The resistance to turning: tension over length.
    stiffness: f64,
    /// The change of the tension.
    step: f64,
    /// After elimination: how the second particle yields to a push if the link only resists
    /// turning, the push of a unit of tension, its yield at both ends together, and the resistance
    /// of all before to a displacement of the second particle.
    yields: DMat3,
    pull: DVec3,
    give: f64,
    resistance: DMat3,
}

/// The state that a link keeps from substep to substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LinkMemory {
    /// The force that pulls both ends together.
    force: f64,
    /// Its direction, from the second particle to the first: after the last substep, and after that
    /// before. A unit vector, or 0 if it is unknown.
    unit: DVec3,
    unit_before: DVec3,
}

impl LinkMemory {
    /// A number that is not finite counts as 0.
    pub(super) fn from_array(numbers: [f64; 7]) -> LinkMemory {
        let [force, a, b, c, x, y, z] = numbers.map(|number| if number.is_finite() { number } else { 0.0 });
        LinkMemory { force, unit: DVec3::new(a, b, c), unit_before: DVec3::new(x, y, z) }
    }

    pub(super) fn to_array(self) -> [f64; 7] {
        let ([a, b, c], [x, y, z]) = (self.unit.to_array(), self.unit_before.to_array());
        [self.force, a, b, c, x, y, z]
    }

    /// Begins a substep. Returns the lag of the link.
    fn begin(&mut self) -> DVec3 {
        let turned = self.unit_before - self.unit;
        let is_known = self.unit != DVec3::ZERO && self.unit_before != DVec3::ZERO;
        self.unit_before = self.unit;
        if is_known && turned.length_squared() < MAX_SWING * MAX_SWING {
            turned * (RETURNED_FRACTION * self.force)
        } else {
            DVec3::ZERO
        }
    }
}

/// A particle of the chain.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    position: DVec3,
    moved: DVec3,
    inverse_mass: DMat3,
    /// The sum of the pushes in the substep, in mass times length.
    pushed: DVec3,
    /// The push that is still due because links have turned.
    residual: DVec3,
    /// The displacement without the links after it.
    alone: DVec3,
    /// The push of this step.
    push: DVec3,
}

impl ChainLink {
    pub(super) fn new(rest: f64, compliance: f64) -> ChainLink {
        let (zero, none) = (DVec3::ZERO, DMat3::ZERO);
        ChainLink {
            rest,
            compliance,
            memory: LinkMemory::default(),
            lag: zero,
            tension: 0.0,
            unit: zero,
            length: 0.0,
            error: 0.0,
            softness: 0.0,
            stiffness: 0.0,
            step: 0.0,
            yields: none,
            pull: zero,
            give: 0.0,
            resistance: none,
        }
    }

    fn is_there(&self) -> bool {
        self.compliance < f64::INFINITY
    }

    /// Finds direction, length and error from the positions of both particles. `number` is that of
    /// the link.
    fn measure(&mut self, [a, b]: [DVec3; 2], number: usize) {
        let along = a - b;
        self.length = sqrt(along.length_squared());
        self.unit = if 0.0 < self.length {
            along / self.length
        } else {
            parting(number as u32, number as u32 + 1).as_dvec3()
        };
        self.error = self.error_at(self.length, self.tension);
    }

    /// Returns how much longer a link of this length is than this tension makes it.
    fn error_at(&self, length: f64, tension: f64) -> f64 {
        length - self.rest - self.softness * tension
    }
}

impl Chain {
    /// Returns a chain; `links` has one element less than there are particles.
    pub(super) fn new(particles: Range<usize>, links: Vec<ChainLink>) -> Chain {
        let nodes = alloc::vec![Node::default(); particles.len()];
        Chain { particles, links, nodes }
    }

    pub(super) fn particles(&self) -> Range<usize> {
        self.particles.clone()
    }

    pub(super) fn move_to(&mut self, first: usize) {
        self.particles = first..first + self.particles.len();
    }

    pub(super) fn begin_step(&mut self) {
        self.links.iter_mut().for_each(|link| link.lag = link.memory.begin());
        self.nodes.iter_mut().for_each(|node| node.pushed = DVec3::ZERO);
    }

    /// Returns the tension of each link at the end of the last substep, a force, in their order. It
    /// is 0 if there is no link.
    pub(super) fn tensions(&self) -> impl Iterator<Item = f32> {
        self.links.iter().map(|link| link.memory.force as f32)
    }

    pub(super) fn memories(&self) -> impl Iterator<Item = LinkMemory> {
        self.links.iter().map(|link| link.memory)
    }

    /// Sets what each link keeps.
    pub(super) fn set_memories(
        &mut self,
        memories: impl ExactSizeIterator<Item = LinkMemory>,
    ) -> Result<(), ConstraintError> {
        let (expected, given) = (self.links.len(), memories.len());
        if expected != given {
            return Err(ConstraintError::WrongCount { expected, given });
        }
        self.links.iter_mut().zip(memories).for_each(|(link, memory)| link.memory = memory);
        Ok(())
    }

    /// Makes one pass. The caller has checked the numbers of positions and masses.
    pub(super) fn project(
        &mut self,
        positions: &mut [Vec3],
        inverse_masses: &[f32],
        held: &mut [HeldParticle],
        dt: f32,
    ) {
        let first = self.particles.start;
        for (node, particle) in self.nodes.iter_mut().zip(self.particles.clone()) {
            node.position = positions[particle].as_dvec3();
            node.inverse_mass = DMat3::from_diagonal(DVec3::splat(inverse_masses[particle].into()));
        }
        for held in held.iter() {
            self.nodes[held.particle - first].inverse_mass = held.inverse_mass.as_dmat3();
        }
        let time_sq = f64::from(dt) * f64::from(dt);
        self.links.iter_mut().for_each(|link| link.tension = link.memory.force * time_sq);
        let (before, solved) = self.measure(time_sq);
        if self.links.iter().all(|link| link.tension == 0.0) {
            // How much links resist turning is known once their tensions are.
            self.set_stiffness(|_| 0.0);
            self.find_steps();
            self.set_stiffness(|link| link.step);
        } else {
            self.set_stiffness(|link| link.tension);
        }
        self.find_steps();
        let limit = before.max(solved);
        if let Some(part) = PARTS.into_iter().find(|&part| self.apply(part) < limit) {
            self.links.iter_mut().for_each(|link| link.step *= part);
            self.nodes.iter_mut().for_each(|node| node.push *= part);
        } else {
            self.project_one_by_one();
        }
        for (j, link) in self.links.iter_mut().enumerate() {
            let [a, b] = pair(&mut self.nodes, j);
            let force = (link.tension + link.step) / time_sq;
            link.memory.force = if force.is_finite() { force } else { 0.0 };
            link.memory.unit = (a.moved - b.moved).try_normalize().unwrap_or(DVec3::ZERO);
        }
        self.nodes.iter_mut().for_each(|node| node.pushed += node.push);
        for held in held {
            held.push += self.nodes[held.particle - first].push.as_vec3();
        }
        for (node, particle) in self.nodes.iter().zip(self.particles.clone()) {
            positions[particle] = node.moved.as_vec3();
        }
    }

    /// Measures all links, and the pushes that are still due. Returns the sum of the squares of the
    /// errors, and that of links that count as solved.
    fn measure(&mut self, time_sq: f64) -> (f64, f64) {
        let (mut squares, mut solved) = (0.0, 0.0);
        self.nodes.iter_mut().for_each(|node| node.residual = -node.pushed);
        for j in 0..self.links.len() {
            let (link, [a, b]) = (&mut self.links[j], pair(&mut self.nodes, j));
            if !link.is_there() {
                continue;
            }
            let trace = |m: &DMat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
            let least = LEAST_SOFTNESS * trace(&a.inverse_mass).max(trace(&b.inverse_mass));
            link.softness = (link.compliance / time_sq).max(least);
            link.measure([a.position, b.position], j);
            let pull = link.unit * link.tension + link.lag * time_sq;
            (a.residual, b.residual) = (a.residual - pull, b.residual + pull);
            squares += link.error * link.error;
            solved += SOLVED * SOLVED * link.rest * link.rest;
        }
        (squares, solved)
    }

    fn set_stiffness(&mut self, tension: impl Fn(&ChainLink) -> f64) {
        for link in &mut self.links {
            // A pushed link would give way to a turn. As if it were pulled, the step is stable.
            let stiffness = tension(link).abs() / link.length.max(0.5 * link.rest);
            link.stiffness = if stiffness < f64::INFINITY { stiffness } else { 0.0 };
        }
    }

    /// Solves the system: finds the change of each tension, and the push on each particle.
    fn find_steps(&mut self) {
        let Some(first) = self.nodes.first_mut() else { return };
        // How all up to a particle yields to a push on it.
        let mut chain = first.inverse_mass;
        first.alone = chain * first.residual;
        for (j, link) in self.links.iter_mut().enumerate() {
            let [a, b] = pair(&mut self.nodes, j);
            (link.give, link.step) = (0.0, 0.0);
            if !link.is_there() {
                chain = b.inverse_mass;
                b.alone = chain * b.residual;
                continue;
            }
            let unit = link.unit;
            (link.pull, link.resistance, link.yields) = (unit, DMat3::ZERO, b.inverse_mass);
            if 0.0 < link.stiffness {
                let across = (DMat3::IDENTITY - outer(unit, unit)) * link.stiffness;
                let turned = (DMat3::IDENTITY + across * chain).inverse();
                let resistance = turned * across;
                let yields = (DMat3::IDENTITY + b.inverse_mass * resistance).inverse() * b.inverse_mass;
                if turned.is_finite() && yields.is_finite() {
                    (link.pull, link.resistance, link.yields) = (turned * unit, resistance, yields);
                }
            }
            let moves = link.yields * link.pull;
            link.give = unit.dot(chain * link.pull) + link.softness + link.pull.dot(moves);
            let alone = link.yields * (b.residual + link.resistance * a.alone);
            chain = link.yields;
            b.alone = alone;
            // Two pinned ends.
            if 0.0 < link.give {
                b.alone += moves * ((link.error + link.pull.dot(a.alone - alone)) / link.give);
                chain = link.yields - outer(moves, moves) * (1.0 / link.give);
            }
        }
        let mut after = DVec3::ZERO;
        for (j, link) in self.links.iter_mut().enumerate().rev() {
            let [a, b] = pair(&mut self.nodes, j);
            b.push = b.residual + after;
            after = DVec3::ZERO;
            if !link.is_there() {
                continue;
            }
            let mut displacement = link.yields * (b.push + link.resistance * a.alone);
            if 0.0 < link.give {
                link.step = (link.error + link.pull.dot(a.alone - displacement)) / link.give;
                displacement += link.yields * link.pull * link.step;
            }
            let push = link.pull * link.step + link.resistance * (a.alone - displacement);
            b.push += push;
            after = -push;
        }
        if let Some(first) = self.nodes.first_mut() {
            first.push = first.residual + after;
        }
    }

    /// Moves all particles by a part of the step. Returns the sum of the squares of the errors
    /// there; infinity if a position is out of range.
    fn apply(&mut self, part: f64) -> f64 {
        for node in &mut self.nodes {
            node.moved = node.position + node.inverse_mass * (node.push * part);
            if !is_in_range(node.moved) {
                return f64::INFINITY;
            }
        }
        let mut squares = 0.0;
        for (j, link) in self.links.iter().enumerate().filter(|(_, link)| link.is_there()) {
            let length = sqrt((self.nodes[j].moved - self.nodes[j + 1].moved).length_squared());
            let error = link.error_at(length, link.tension + part * link.step);
            squares += error * error;
        }
        squares
    }

    /// Solves one link after the other, from their places: first those with an even number.
    fn project_one_by_one(&mut self) {
        for node in &mut self.nodes {
            (node.moved, node.push) = (node.position, DVec3::ZERO);
        }
        for start in [0, 1] {
            for j in (start..self.links.len()).step_by(2) {
                let (link, [a, b]) = (&mut self.links[j], pair(&mut self.nodes, j));
                link.step = 0.0;
                if !link.is_there() {
                    continue;
                }
                link.measure([a.moved, b.moved], j);
                let yields = [a.inverse_mass * link.unit, b.inverse_mass * link.unit];
                let give = yields[0].dot(link.unit) + yields[1].dot(link.unit);
                let step = link.error / (give + link.softness);
                let ends = [a.moved - yields[0] * step, b.moved + yields[1] * step];
                // Both ends are pinned, or numbers are out of range.
                if !(0.0 < give && ends.iter().all(|end| is_in_range(*end))) {
                    continue;
                }
                link.step = step;
                [a.moved, b.moved] = ends;
                (a.push, b.push) = (a.push - link.unit * step, b.push + link.unit * step);
            }
        }
    }

    /// Damps the speeds along the links, at this rate per second. The caller has checked the
    /// numbers of particles.
    pub(super) fn damp(
        &self,
        positions: &[Vec3],
        velocities: &mut [Vec3],
        inverse_masses: &[f32],
        rate: f32,
        dt: f32,
    ) {
        let part = damped_part(rate, dt);
        if part == 0.0 {
            return;
        }
        for start in [0, 1] {
            for j in (start..self.links.len()).step_by(2).filter(|&j| self.links[j].is_there()) {
                let a = self.particles.start + j;
                damp_link([a, a + 1], positions, velocities, inverse_masses, part);
            }
        }
    }
}

/// The particles of a link.
fn pair(nodes: &mut [Node], link: usize) -> [&mut Node; 2] {
    let (before, after) = nodes.split_at_mut(link + 1);
    [&mut before[link], &mut after[0]]
}

/// Returns the matrix `a b^T`.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Whether a position fits in `f32`.
fn is_in_range(position: DVec3) -> bool {
    position.abs().max_element() <= f64::from(f32::MAX) && !position.is_nan()
}
