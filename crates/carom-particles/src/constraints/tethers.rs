//! Tethers limit the distance of a particle of a cloth from a pin to the length of cloth between
//! them.
//!
//! - Links transmit a push from particle to particle, so a heavy load needs many passes to reach
//!   the pins. A tether needs one.
//! - The length of a tether is the shortest path over the triangles at rest, plus some slack.
//!   Paths are unfolded across triangles, so on a flat cloth they are straight.
//! - A stiff cloth that stretches has longer tethers. Under a load of many times the mass of a
//!   particle its links reach only a part of their tension, by which they would stretch without
//!   end. The slack is the strain at which that part is small, so what links can bear is theirs.
//! - Pins are divided into four sides. A particle has a tether to the nearest pin of each side, so
//!   that tethers do not pull a cloth apart in the middle.
//! - The particles that tethers hold are listed. A body that lies on such a particle pushes the
//!   pin.
//!
//! Reference: T.-Y. Kim, N. Chentanez, M. Mueller, Long Range Attachments: A Method to Simulate
//! Inextensible Clothing in Computer Games, SCA 2012. M. Novotni, R. Klein, Computing Geodesic
//! Distances on Triangular Meshes, WSCG 2002 (unfolding).

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use core::cmp::Reverse;
use glam::Vec3;

/// A tether is longer than the cloth by this part. It is above the strain that links leave under
/// ordinary loads.
const SLACK: f64 = 0.1;

/// The slack of a cloth that stretches has this in addition, times the force that accelerates a
/// particle by a unit of length within a substep, over the stiffness.
///
/// A pass gives a link a tension of at most half of that force for each unit of length by which it
/// is too long. So this is the strain at which it takes eight passes to reach a tension.
const SLACK_PER_PASS: f32 = 4.0;

/// Without a particle that is farther from a pin than this part of its tether, no tether of a
/// cloth that stretches is projected in a substep.
const NEAR_PART: f32 = 0.9;

/// The largest number of tethers of a particle, and of sides of pins.
const MAX_TETHERS: usize = 4;

/// A particle that a tether holds: it gets no farther from a pin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TautParticle {
    /// The index of the particle in the arrays of all particles.
    pub particle: usize,
    /// The unit vector from the pin to it.
    pub outward: Vec3,
}

/// A limit of the distance of a particle from a pin.
#[derive(Clone, Copy, Debug)]
struct Tether {
    particle: u32,
    pin: u32,
    /// The length for a cloth that does not stretch.
    length: f32,
    /// The length in this substep.
    limit: f32,
}

/// The tethers of a cloth.
#[derive(Clone, Debug, Default)]
pub(super) struct Tethers {
    /// The pinned particles for which they were found, ascending.
    pins: Vec<u32>,
    tethers: Vec<Tether>,
    taut: Vec<TautParticle>,
    /// Whether they are projected in this substep.
    are_near: bool,
}

impl Tethers {
    /// Begins a substep of a cloth of this stiffness, whose particles are at `positions` now. Finds
    /// the tethers again if other particles are pinned: those with an inverse mass of 0.
    pub(super) fn begin(
        &mut self,
        (rest, triangles): (&[Vec3], &[[u32; 3]]),
        stiffness: f32,
        (positions, inverse_masses): (&[Vec3], &[f32]),
        dt: f32,
    ) {
        self.update(rest, triangles, inverse_masses);
        self.are_near = stiffness == f32::INFINITY;
        if self.are_near {
            self.tethers.iter_mut().for_each(|tether| tether.limit = tether.length);
            return;
        }
        let slack = SLACK_PER_PASS / (stiffness * dt * dt);
        for tether in &mut self.tethers {
            let [particle, pin] = [tether.particle, tether.pin].map(|index| index as usize);
            // Infinite without a stiffness: such a cloth has no tethers.
            tether.limit = tether.length * (1.0 + slack / inverse_masses[particle]);
            let near = tether.limit * NEAR_PART;
            self.are_near |= near * near < positions[particle].distance_squared(positions[pin]);
        }
    }

    fn update(&mut self, rest: &[Vec3], triangles: &[[u32; 3]], inverse_masses: &[f32]) {
        let pinned = (0..).zip(inverse_masses).filter(|(_, w)| **w == 0.0).map(|(particle, _)| particle);
        if !pinned.clone().eq(self.pins.iter().copied()) {
            self.pins = pinned.collect();
            self.tethers = find(&self.pins, rest, triangles);
        }
    }

    /// Brings particles back to the ends of their tethers. `first` is the index of the first one in
    /// the arrays of all particles.
    pub(super) fn project(&mut self, positions: &mut [Vec3], first: usize) {
        self.taut.clear();
        if !self.are_near {
            return;
        }
        for &Tether { particle, pin, limit, .. } in &self.tethers {
            let pin = positions[first + pin as usize];
            let position = &mut positions[first + particle as usize];
            let offset = *position - pin;
            let distance_sq = offset.length_squared();
            if limit * limit < distance_sq && distance_sq < f32::INFINITY {
                let outward = offset / sqrt(distance_sq);
                *position = pin + outward * limit;
                self.taut.push(TautParticle { particle: first + particle as usize, outward });
            }
        }
    }

    /// Returns the tethers that held in the last projection.
    pub(super) fn taut(&self) -> &[TautParticle] {
        &self.taut
    }
}

/// The nearest pin of a side, at a particle.
#[derive(Clone, Copy, Debug)]
struct Label {
    side: u32,
    pin: u32,
    distance: f64,
}

/// Finds the tethers to pins, by particle: Dijkstra's algorithm with several labels at a particle.
fn find(pins: &[u32], rest: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Tether> {
    let mut around: Vec<Vec<u32>> = alloc::vec![Vec::new(); rest.len()];
    for (number, triangle) in (0..).zip(triangles) {
        triangle.iter().for_each(|&vertex| around[vertex as usize].push(number));
    }
    let mut labels: Vec<Vec<Label>> = alloc::vec![Vec::new(); rest.len()];
    // Distances are not negative, so their bits are in order.
    let mut queue = BinaryHeap::new();
    for (&pin, side) in pins.iter().zip(sides(pins, rest)) {
        queue.push(Reverse((0_u64, pin, side, pin)));
    }
    while let Some(Reverse((bits, vertex, side, pin))) = queue.pop() {
        let known = &mut labels[vertex as usize];
        if known.iter().any(|label| label.side == side) {
            continue;
        }
        let distance = f64::from_bits(bits);
        known.push(Label { side, pin, distance });
        for &number in &around[vertex as usize] {
            let triangle = triangles[number as usize];
            let others = triangle.into_iter().filter(|&other| other != vertex);
            for other in others {
                let Some(third) = triangle.into_iter().find(|v| *v != vertex && *v != other) else {
                    continue;
                };
                let [own, other_at, third_at] = [vertex, other, third].map(|v| rest[v as usize]);
                let along = distance + f64::from(own.distance(other_at));
                let from_third = labels[third as usize].iter().find(|label| label.pin == pin);
                let across = from_third
                    .and_then(|from| unfolded([own, third_at, other_at], [distance, from.distance]));
                let nearest = across.map_or(along, |across| across.min(along));
                if nearest.is_finite() {
                    queue.push(Reverse((nearest.to_bits(), other, side, pin)));
                }
            }
        }
    }
    let mut tethers = Vec::new();
    for (particle, labels) in (0..).zip(&labels) {
        if pins.binary_search(&particle).is_ok() {
            continue;
        }
        // The nearest pin comes last: it wins if pins are pulled apart.
        for label in labels.iter().rev() {
            let length = (label.distance * (1.0 + SLACK)) as f32;
            tethers.push(Tether { particle, pin: label.pin, length, limit: length });
        }
    }
    tethers
}

/// Divides the pins into at most [`MAX_TETHERS`] sides by farthest-point clustering at rest.
/// Returns the side of each pin.
fn sides(pins: &[u32], rest: &[Vec3]) -> Vec<u32> {
    let mut sides = alloc::vec![0; pins.len()];
    let mut distances_sq = alloc::vec![f32::INFINITY; pins.len()];
    let mut seed = 0;
    for side in 0..MAX_TETHERS as u32 {
        let Some(&of_seed) = pins.get(seed) else { break };
        for (k, &pin) in pins.iter().enumerate() {
            let distance_sq = rest[pin as usize].distance_squared(rest[of_seed as usize]);
            if distance_sq < distances_sq[k] {
                (sides[k], distances_sq[k]) = (side, distance_sq);
            }
        }
        for k in 0..pins.len() {
            if distances_sq[seed] < distances_sq[k] {
                seed = k;
            }
        }
    }
    sides
}

/// Returns the distance from a source to the corner `c` of a triangle, straight through the side
/// `ab`, given the distances of `a` and `b`. `None` if the straight line misses the side.
fn unfolded([a, b, c]: [Vec3; 3], [from_a, from_b]: [f64; 2]) -> Option<f64> {
    let [a, b, c] = [a, b, c].map(|corner| corner.as_dvec3());
    let (side, to_c) = (b - a, c - a);
    let length = sqrt(side.length_squared());
    if !(0.0 < length) {
        return None;
    }
    // In the plane: `a` at the origin, `b` at (length, 0), `c` above, and the source below.
    let c_x = to_c.dot(side) / length;
    let c_y = sqrt((to_c.length_squared() - c_x * c_x).max(0.0));
    let x = (from_a * from_a - from_b * from_b + length * length) / (2.0 * length);
    let below = sqrt((from_a * from_a - x * x).max(0.0));
    let height = c_y + below;
    let crossing = if 0.0 < height { x + (c_x - x) * (below / height) } else { return None };
    (0.0..=length).contains(&crossing).then(|| sqrt((c_x - x) * (c_x - x) + height * height))
}
