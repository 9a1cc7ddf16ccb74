//! Worlds that drift and jitter, so that lists of candidates are narrowed and rebuilt over several
//! frames. Other changes happen meanwhile, and answers are compared with brute force.
//!
//! A few bytes make a world of some hundred boxes. With the settings here, it takes the steps that
//! usually need thousands of boxes.

use crate::broad::{aabb, filter};
use crate::bytes::Bytes;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{BroadPhase, BruteForce, Filter, Mobility, ProxyId, SpatialIndex};
use carom_broad_coherent::{FatIndex, VerletList, VerletListSettings};
use carom_broad_grid::CoherentGrid;
use carom_broad_tree::DynamicBvh;
use carom_testkit::random::Random;
use glam::Vec3;

/// The maximum number of frames of a script.
const FRAMES: usize = 160;

/// The pairs are those of brute force after each change during a rebuild, and the structure stays
/// consistent.
pub fn renewal(bytes: &[u8]) {
    play(bytes);
}

/// Does the same. Returns the number of lists that were rebuilt while another one was in use.
fn play(bytes: &[u8]) -> usize {
    let mut bytes = Bytes::new(bytes);
    let margin_frames = 1.0 + bytes.below(16) as f32;
    let settings = VerletListSettings::default().with_spread_from(32).with_margin_frames(margin_frames);
    if bytes.byte().is_multiple_of(2) {
        World::new(CoherentGrid::with_settings(settings)).play(&mut bytes)
    } else {
        World::new(DynamicBvh::with_settings(settings)).play(&mut bytes)
    }
}

/// A box: its initial place, its present place, and its velocity.
struct Body {
    id: ProxyId,
    home: Aabb,
    velocity: Vec3,
    is_static: bool,
}

struct World<I> {
    ours: VerletList<I>,
    brute: BruteForce,
    bodies: Vec<Body>,
    /// Handles that are stale.
    gone: Vec<ProxyId>,
    random: Random,
    n_frames: usize,
    n_adopted: usize,
}

impl<I: FatIndex> World<I> {
    fn new(ours: VerletList<I>) -> World<I> {
        World {
            ours,
            brute: BruteForce::new(),
            bodies: Vec::new(),
            gone: Vec::new(),
            random: Random::new(0),
            n_frames: 0,
            n_adopted: 0,
        }
    }

    fn insert(&mut self, boxes: &[(Aabb, Filter)]) {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        assert_eq!(self.ours.insert_batch(boxes, &mut ours), self.brute.insert_batch(boxes, &mut theirs));
        assert_eq!(ours, theirs);
        for (id, (aabb, filter)) in ours.into_iter().zip(boxes) {
            let velocity = self.random.cube_point().as_vec3();
            let is_static = filter.mobility == Mobility::Fixed;
            self.bodies.push(Body { id, home: *aabb, velocity, is_static });
        }
    }

    /// Inserts `n` boxes of size about 1, with about three neighbours each.
    fn crowd(&mut self, n: usize) {
        let side = ((self.bodies.len() + n) as f64).cbrt() * 0.8;
        let boxes: Vec<_> = (0..n)
            .map(|_| {
                let center = (self.random.cube_point() * side).as_vec3();
                let half = Vec3::splat(0.5) + 0.3 * self.random.cube_point().as_vec3();
                let is_static = self.random.below(8) == 0;
                let mobility = if is_static { Mobility::Fixed } else { Mobility::Dynamic };
                (Aabb { min: center - half, max: center + half }, Filter::new(mobility))
            })
            .collect();
        self.insert(&boxes);
    }

    /// Returns the indices of some bodies; an index may occur twice.
    fn some(&mut self, most: usize) -> Vec<usize> {
        let n = if self.bodies.is_empty() { 0 } else { self.random.below(most + 1) };
        (0..n).map(|_| self.random.below(self.bodies.len())).collect()
    }

    fn update(&mut self, moves: &[(ProxyId, Aabb)]) {
        assert_eq!(self.ours.update(moves), self.brute.update(moves));
    }

    /// Moves the bodies with these indices by a function.
    fn moved(&mut self, indices: &[usize], mut move_box: impl FnMut(&mut Random, &Body, Aabb) -> Aabb) {
        let World { brute, bodies, random, .. } = self;
        let moves: Vec<_> = indices
            .iter()
            .map(|&i| {
                let body = &bodies[i];
                (body.id, move_box(random, body, brute.aabb(body.id).unwrap()))
            })
            .collect();
        self.update(&moves);
    }

    fn not_static(&self) -> Vec<usize> {
        (0..self.bodies.len()).filter(|&i| !self.bodies[i].is_static).collect()
    }

    /// Makes a frame in which all bodies that are not static move by their velocity.
    fn drift(&mut self, step: f32) {
        let indices = self.not_static();
        self.moved(&indices, |_, body, aabb| shifted(aabb, body.velocity * step));
    }

    /// Makes a frame in which all bodies that are not static are near their places.
    fn jitter(&mut self, amplitude: f32) {
        let indices = self.not_static();
        self.moved(&indices, |random, body, _| shifted(body.home, amplitude * random.cube_point().as_vec3()));
    }

    /// Makes the present places the new places of rest.
    fn settle(&mut self) {
        for body in &mut self.bodies {
            body.home = self.brute.aabb(body.id).unwrap();
        }
    }

    fn compare(&mut self) {
        self.n_frames += 1;
        self.ours.validate().unwrap();
        let (was_renewing, rebuilds) = (self.ours.is_renewing(), self.ours.counters().rebuilds);
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        self.ours.pairs(&mut ours);
        self.brute.pairs(&mut theirs);
        assert_eq!(ours, theirs, "frame {}", self.n_frames);
        self.ours.validate().unwrap();
        let is_another = rebuilds < self.ours.counters().rebuilds;
        self.n_adopted += usize::from(was_renewing && is_another && !self.ours.is_renewing());
    }

    fn play(mut self, bytes: &mut Bytes<'_>) -> usize {
        self.random = Random::new(u64::from(bytes.byte()) | u64::from(bytes.byte()) << 8);
        let n = 40 + usize::from(bytes.byte());
        self.crowd(n);
        let (mut step, mut is_drifting) = (0.01, true);
        while !bytes.is_empty() && self.n_frames < FRAMES {
            let kind = bytes.byte();
            match kind % 24 {
                // Some calm frames. Most frames are calm, because otherwise no list lasts long
                // enough.
                0..=9 => {
                    for _ in 0..1 + kind / 24 {
                        if is_drifting {
                            self.drift(step)
                        } else {
                            self.jitter(step)
                        };
                        self.compare();
                    }
                    continue;
                }
                10 => {
                    step = [0.0, 0.001, 0.003, 0.01, 0.02, 0.05, 0.2][bytes.below(7)];
                    is_drifting = bytes.byte().is_multiple_of(2);
                    self.settle();
                }
                11 => self.crowd(1 + bytes.below(24)),
                12 => {
                    let batch: Vec<_> =
                        (0..1 + bytes.below(4)).map(|_| (aabb(bytes), filter(bytes))).collect();
                    self.insert(&batch);
                }
                13 => {
                    let mut indices = self.some(24);
                    indices.sort_unstable();
                    indices.dedup();
                    let ids: Vec<_> = indices.iter().map(|&i| self.bodies[i].id).collect();
                    assert_eq!(self.ours.remove_batch(&ids), self.brute.remove_batch(&ids));
                    for &i in indices.iter().rev() {
                        self.bodies.swap_remove(i);
                    }
                    self.gone.extend(ids);
                }
                14 => {
                    for i in self.some(6) {
                        let (id, filter) = (self.bodies[i].id, filter(bytes));
                        assert_eq!(self.ours.set_filter(id, filter), self.brute.set_filter(id, filter));
                        self.bodies[i].is_static = filter.mobility == Mobility::Fixed;
                    }
                }
                15 => {
                    // Static bodies may be among them.
                    let indices = self.some(12);
                    self.moved(&indices, |random, _, aabb| {
                        shifted(aabb, random.cube_point().as_vec3() * 4.0)
                    });
                }
                16 => {
                    let (target, indices) = (aabb(bytes), self.some(4));
                    if target.check().is_ok() {
                        self.moved(&indices, |_, _, _| target);
                    }
                }
                17 => {
                    let factor = [0.5, 0.9, 0.99, 1.01, 1.1, 1.5][bytes.below(6)];
                    let all: Vec<_> = (0..self.bodies.len()).collect();
                    self.moved(&all, |_, _, aabb| {
                        let (center, half) = (aabb.center(), aabb.half_extents() * factor);
                        let other = Aabb { min: center - half, max: center + half };
                        if other.check().is_ok() { other } else { aabb }
                    });
                }
                18 => self.drift(step * 8.0),
                19 => {
                    // One stale handle, or one bad box: nothing changes.
                    let mut moves: Vec<_> =
                        self.bodies.iter().map(|body| (body.id, shifted(body.home, Vec3::ONE))).collect();
                    let bad = (self.gone.last().copied(), aabb(bytes));
                    if let (Some(id), good) = bad {
                        moves.push((id, good));
                    } else if bad.1.check().is_err()
                        && let Some(last) = moves.last_mut()
                    {
                        last.1 = bad.1;
                    } else {
                        continue;
                    }
                    self.update(&moves);
                }
                20 => self.ours.refresh(),
                21 => {
                    let contents = self.ours.take_state();
                    self.ours.take_over(contents);
                }
                22 => {
                    let (mut ours, mut theirs) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
                    self.ours.events(&mut ours.0, &mut ours.1);
                    self.brute.events(&mut theirs.0, &mut theirs.1);
                    assert_eq!(ours, theirs);
                }
                _ => {
                    let query = aabb(bytes);
                    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
                    self.ours.overlapping(&query, &mut ours);
                    self.brute.overlapping(&query, &mut theirs);
                    assert_eq!(ours, theirs, "{query:?}");
                    let (point, limit) = (bytes.point_f32(), bytes.float() as f32);
                    assert_eq!(self.ours.nearest(point, limit), self.brute.nearest(point, limit));
                }
            }
            // Several things may happen in a frame.
            if kind < 160 {
                self.compare();
            }
        }
        self.n_adopted
    }
}

fn shifted(aabb: Aabb, step: Vec3) -> Aabb {
    let other = Aabb { min: aabb.min + step, max: aabb.max + step };
    if other.check().is_ok() { other } else { aabb }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random scripts replace lists while they are in use, which is the case to be tested.
    #[test]
    fn lists_are_replaced_while_they_serve() {
        let mut random = Random::new(5);
        let n_adopted: usize = (0..40)
            .map(|_| {
                let bytes: Vec<u8> = (0..100).map(|_| random.bits() as u8).collect();
                play(&bytes)
            })
            .sum();
        println!("{n_adopted} lists took over while another served");
        assert!(20 <= n_adopted);
    }
}
