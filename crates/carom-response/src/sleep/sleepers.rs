//! Sleep: islands at rest are left out of steps until something wakes them.
//!
//! - **Rest** is measured by each step of the solver: the rules are in `rest.rs`.
//! - **Falling asleep**: an island falls asleep if all its bodies have been at rest for the delay
//!   of the settings. From then on it is a group, and contacts within it need not be detected.
//! - **Waking**: a group wakes as a whole, so that no awake body rests on a sleeping one.
//!
//! The solver itself changes no sleep state. The owner of the bodies calls these functions before
//! and after its steps.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (sleeping islands).

use crate::bodies::body::{Body, BodyKind};
use crate::contacts::contact::ContactPair;
use crate::joints::joint::Joint;
use crate::settings::SolverSettings;
use crate::solver::Solver;
use crate::step::validate::Inconsistency;
use alloc::vec::Vec;
use carom_math::Vec3;

/// The groups of bodies that fell asleep together. Indices of bodies are those of the solver.
///
/// ```
/// use carom_math::{Mat3, Pose, Vec3};
/// use carom_response::{Body, Sleepers, Solver, SolverSettings};
///
/// // It floats at rest, and no gravity pulls.
/// let mut bodies = [Body::dynamic(Pose::IDENTITY, 1.0, Vec3::ZERO, Mat3::IDENTITY)];
/// let mut solver = Solver::new(SolverSettings::default().with_gravity(Vec3::ZERO));
/// let mut sleepers = Sleepers::default();
/// for _ in 0..60 {
///     sleepers.wake_touched(&mut bodies, &[], &[], solver.settings());
///     solver.step(&mut bodies, &[], &mut [], 1.0 / 60.0)?;
///     sleepers.fall_asleep(&mut bodies, &solver);
/// }
/// assert!(bodies[0].is_sleeping);
/// sleepers.wake(&mut bodies, 0);
/// assert!(!bodies[0].is_sleeping);
/// # Ok::<(), carom_response::SolverError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sleepers {
    /// For each sleeping body, the next one of its group. A group is a circular list.
    next: Vec<u32>,
    /// Island and index of bodies that fall asleep; workspace.
    #[cfg_attr(feature = "serde", serde(skip))]
    fallen: Vec<(u32, u32)>,
}

impl Sleepers {
    /// Puts islands to sleep that have been at rest for the delay of the settings. Call it after
    /// each step. Returns how many bodies fell asleep.
    pub fn fall_asleep(&mut self, bodies: &mut [Body], solver: &Solver) -> usize {
        let &SolverSettings { sleep, sleep_delay, .. } = solver.settings();
        self.fallen.clear();
        if sleep {
            let at_rest = solver.islands().filter(|member| sleep_delay <= member.rest_time);
            self.fallen.extend(at_rest.map(|member| (member.island, member.body)));
        }
        for &(_, number) in &self.fallen {
            let body = &mut bodies[number as usize];
            body.is_sleeping = true;
            (body.linear_velocity, body.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
        }
        self.close_rings(bodies.len());
        self.fallen.len()
    }

    /// Puts a dynamic body to sleep at once, as a group of its own, and sets its velocities to
    /// zero. It has not been at rest: [`RestTimer::slow_time`](crate::RestTimer::slow_time) is 0
    /// while it sleeps. A body that sleeps already is not changed.
    pub fn put_to_sleep(&mut self, bodies: &mut [Body], body: usize) {
        let own = &mut bodies[body];
        if own.is_sleeping || own.kind != BodyKind::Dynamic {
            return;
        }
        own.is_sleeping = true;
        own.rest.begin_anew();
        (own.linear_velocity, own.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
        self.fallen.clear();
        self.fallen.push((0, body as u32));
        self.close_rings(bodies.len());
    }

    fn close_rings(&mut self, n_bodies: usize) {
        self.next.extend(self.next.len() as u32..n_bodies as u32);
        self.fallen.sort_unstable();
        for group in self.fallen.chunk_by(|x, y| x.0 == y.0) {
            for (own, following) in group.iter().zip(group.iter().skip(1).chain(group.first())) {
                self.next[own.1 as usize] = following.1;
            }
        }
    }

    /// Wakes a body and its group, and restarts the rest time of the body, even if it was awake.
    pub fn wake(&self, bodies: &mut [Body], body: usize) {
        self.wake_each(bodies, body, |_| ());
    }

    /// Wakes a body and its group like [`Sleepers::wake`], and calls `woken` with the index of
    /// each body that was asleep.
    pub fn wake_each(&self, bodies: &mut [Body], body: usize, mut woken: impl FnMut(usize)) {
        bodies[body].rest.begin_anew();
        let mut at = body;
        while bodies[at].is_sleeping {
            bodies[at].wake();
            woken(at);
            at = self.next.get(at).map_or(at, |&next| next as usize);
        }
    }

    /// Wakes every sleeping body that a moving one touches, directly or through others. Call it
    /// before each step.
    pub fn wake_touched(
        &self,
        bodies: &mut [Body],
        contacts: &[ContactPair],
        joints: &[Joint],
        settings: &SolverSettings,
    ) {
        let slop = settings.slop_length();
        let touches = |pair: &&ContactPair| pair.manifold.contacts().iter().any(|c| c.distance <= slop);
        let pairs = contacts.iter().filter(touches).map(|pair| (pair.body_a, pair.body_b));
        let pairs = pairs.chain(joints.iter().map(|joint| (joint.body_a, joint.body_b)));
        let pairs: Vec<(usize, usize)> = pairs.map(|(a, b)| (a as usize, b as usize)).collect();
        let mut is_woken = true;
        while core::mem::take(&mut is_woken) {
            for (own, other) in pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]) {
                let (Some(sleeper), Some(active)) = (bodies.get(own), bodies.get(other)) else { continue };
                let sleeps = sleeper.is_sleeping && sleeper.kind == BodyKind::Dynamic;
                if sleeps && (active.is_active() || active.is_moving_kinematic()) {
                    self.wake(bodies, own);
                    is_woken = true;
                }
            }
        }
    }

    /// Checks that each sleeping body belongs to one group of sleeping bodies. The error has the
    /// index of the first one that does not.
    pub fn validate(&self, bodies: &[Body]) -> Result<(), Inconsistency> {
        let mut is_named = alloc::vec![false; bodies.len()];
        for (index, _) in bodies.iter().enumerate().filter(|(_, body)| body.is_sleeping) {
            let next = self.next.get(index).map_or(index, |&next| next as usize);
            let is_next = bodies.get(next).is_some_and(|body| body.is_sleeping) && !is_named[next];
            if !is_next {
                return Err(Inconsistency { what: "a sleeping body that is in no group", index });
            }
            is_named[next] = true;
        }
        Ok(())
    }
}
