//! Islands: moving bodies that contacts and joints connect, directly or through others.
//!
//! - Disjoint sets over the contacts and joints of active bodies. A body that cannot move connects
//!   nothing.
//! - An island *settles* if it is large and nothing drives it: its calm bodies are braked.
//! - The rest time of an island is the least rest time of its bodies.
//!   [`Sleepers`](crate::Sleepers) puts islands to sleep.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023; R. E. Tarjan, Efficiency of a Good But
//! Not Linear Set Union Algorithm, JACM 22(2), 1975.
//! Differs: the root of a set is its lowest index, so that the name of an island does not depend
//! on the order of contacts. The sets contain only bodies that move, by slot.

use crate::bodies::active::ActiveBodies;
use crate::bodies::body::Body;
use crate::contacts::summary::Summary;
use crate::contacts::surface::{SurfaceVelocity, find_carried};
use crate::joints::joint::{Joint, MovingJoints};
use crate::sleep::rest::Touch;
use alloc::vec::Vec;
use carom_math::Real;

/// The least number of bodies of an island that is braked. Smaller islands converge in a step, and
/// come to rest without braking.
const MANY_BODIES: u32 = 4;

/// A body that a step moved, with its island: the bodies that contacts and joints connect with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IslandMember {
    /// The index of the body.
    pub body: u32,
    /// The lowest index of a body of its island.
    pub island: u32,
    /// Time for which the whole island has been at rest.
    pub rest_time: Real,
}

/// Disjoint sets of the numbers from 0 on. The root of a set is its lowest number.
#[derive(Clone, Debug, Default)]
pub struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// Makes every number below `n` a set of its own.
    pub fn reset(&mut self, n: usize) {
        self.parent.clear();
        self.parent.extend(0..n as u32);
    }

    /// Returns the root of the set of a number.
    pub fn root(&mut self, number: u32) -> u32 {
        let mut at = number;
        while self.parent[at as usize] != at {
            // Path halving.
            self.parent[at as usize] = self.parent[self.parent[at as usize] as usize];
            at = self.parent[at as usize];
        }
        at
    }

    /// Joins the sets of two numbers.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        if a < b {
            self.parent[b as usize] = a;
        } else {
            self.parent[a as usize] = b;
        }
    }
}

/// The island of each active body, and what rest depends on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    sets: DisjointSets,
    /// By root: the number of bodies of the island.
    sizes: Vec<u32>,
    /// By root: whether a motor or a spring drives a body of the island. Such an island does not
    /// come to rest, however slow it is: a motor may take long to start a heavy train.
    is_powered: Vec<bool>,
    /// By root: the least rest time of the island.
    rest_times: Vec<Real>,
    /// By slot: whether the island of the body settles, and nothing disturbs the body.
    settles: Vec<bool>,
    /// By slot: how the body is supported.
    touches: Vec<Touch>,
    /// Indices of bodies that touch a moving kinematic body or are carried by a surface.
    disturbed: Vec<u32>,
    pub(crate) n_islands: usize,
    /// The number of bodies that forces move.
    pub(crate) n_awake: usize,
}

impl Islands {
    /// Makes a list without bodies.
    pub(crate) fn clear(&mut self) {
        self.sets.reset(0);
    }

    /// Finds the islands at the start of a step.
    pub(crate) fn find(
        &mut self,
        bodies: &[Body],
        joints: MovingJoints<'_>,
        contacts: &[Summary],
        surfaces: &[SurfaceVelocity],
        active: &ActiveBodies,
    ) {
        self.join(joints, contacts, active);
        find_carried(surfaces, contacts, bodies, &mut self.disturbed);
        self.count();
        self.find_powered(bodies, joints, active);
        let Islands { sets, sizes, is_powered, settles, disturbed, .. } = self;
        let roots = sets.parent.iter().map(|&root| root as usize);
        settles.clear();
        settles.extend(roots.map(|root| MANY_BODIES <= sizes[root] && !is_powered[root]));
        for slot in disturbed.iter().map(|&body| active.slot(body)) {
            if let Some(settles) = settles.get_mut(slot) {
                *settles = false;
            }
        }
    }

    /// Joins the islands of bodies that contacts or joints connect, and finds how each body is
    /// supported.
    fn join(&mut self, joints: MovingJoints<'_>, contacts: &[Summary], active: &ActiveBodies) {
        let Islands { sets, touches, disturbed, .. } = self;
        let (is_movable, n) = (active.is_movable(), active.len());
        disturbed.clear();
        sets.reset(n);
        touches.clear();
        touches.resize(n + 1, Touch::Apart);
        for (a, b, touch) in touching(contacts, joints) {
            let (i, j) = (active.slot(a), active.slot(b));
            for slot in [i, j] {
                let deepest = &mut touches[slot];
                *deepest = touch.max(*deepest);
            }
            let (a_moves, b_moves) = (is_movable[i], is_movable[j]);
            if a_moves && b_moves {
                sets.join(i as u32, j as u32);
            } else if i < n && !a_moves {
                disturbed.push(b);
            } else if j < n && !b_moves {
                disturbed.push(a);
            }
        }
    }

    /// Counts the bodies of the islands, after all joins.
    fn count(&mut self) {
        let n = self.sets.parent.len();
        self.sizes.clear();
        self.sizes.resize(n, 0);
        for index in 0..n as u32 {
            let root = self.sets.root(index);
            self.sets.parent[index as usize] = root;
            self.sizes[root as usize] += 1;
        }
    }

    /// Finds the islands that motors or springs drive.
    fn find_powered(&mut self, bodies: &[Body], joints: MovingJoints<'_>, active: &ActiveBodies) {
        self.is_powered.clear();
        self.is_powered.resize(self.sizes.len(), false);
        let is_powered = |joint: &&Joint| joint.has_turning_motor() || joint.has_turning_spring(bodies);
        for joint in joints.iter().filter(is_powered) {
            for slot in [joint.body_a, joint.body_b].map(|body| active.slot(body)) {
                if active.is_movable()[slot] {
                    self.is_powered[self.sets.parent[slot] as usize] = true;
                }
            }
        }
    }

    /// Resets the rest times of disturbed bodies.
    pub(crate) fn reset_disturbed(&self, bodies: &mut [Body]) {
        for &body in &self.disturbed {
            bodies[body as usize].rest.begin_anew();
        }
    }

    /// Returns the root of each slot.
    pub(crate) fn roots(&self) -> &[u32] {
        &self.sets.parent
    }

    /// Returns the number of bodies of the island of this root.
    pub(crate) fn size(&self, root: u32) -> usize {
        self.sizes[root as usize] as usize
    }

    /// Returns, by slot, whether the body is in a large island that comes to rest.
    pub(crate) fn settles(&self) -> &[bool] {
        &self.settles
    }

    /// Returns, by slot, how the body is supported.
    pub(crate) fn touches(&self) -> &[Touch] {
        &self.touches
    }

    /// Computes the rest time of each island at the end of a step. `rest_times` has, by slot, the
    /// rest times of the bodies that forces move.
    pub(crate) fn finish(&mut self, active: &ActiveBodies, rest_times: &[Real]) {
        let n = self.sets.parent.len();
        self.rest_times.clear();
        self.rest_times.resize(n, Real::INFINITY);
        self.n_islands = 0;
        self.n_awake = 0;
        for index in (0..n).filter(|&index| active.is_movable()[index]) {
            let root = self.sets.parent[index] as usize;
            self.n_islands += usize::from(root == index);
            self.n_awake += 1;
            let time = if self.is_powered[root] { 0.0 } else { rest_times[index] };
            let all = &mut self.rest_times[root];
            *all = all.min(time);
        }
    }

    /// Returns the bodies that forces moved in the last step, each with its island.
    pub(crate) fn members<'a>(&'a self, active: &'a ActiveBodies) -> impl Iterator<Item = IslandMember> + 'a {
        let members = active.indices().iter().zip(active.is_movable()).zip(self.roots());
        members.filter(|((_, is_movable), _)| **is_movable).map(|((&body, _), &root)| IslandMember {
            body,
            island: active.indices()[root as usize],
            rest_time: self.rest_times[root as usize],
        })
    }
}

/// Returns the pairs that contacts or joints connect, and how they touch.
fn touching(summaries: &[Summary], joints: MovingJoints<'_>) -> impl Iterator<Item = (u32, u32, Touch)> {
    let pairs = summaries.iter().filter(|summary| summary.touch != Touch::Apart);
    let pairs = pairs.map(|summary| (summary.key.body_a, summary.key.body_b, summary.touch));
    pairs.chain(joints.iter().map(|joint| (joint.body_a, joint.body_b, Touch::Touching)))
}
