//! The properties that a flight must have after each step.

use super::flight::{Flight, MAX_DRIFT, MAX_GAIN, POSITION_ROUNDING, STEP_ROUNDING};
use super::flyer::Flyer;
use carom_response::Body;
use carom_world::{BodyId, World};
use core::fmt::Write as _;
use glam::DVec3;

/// Mass, centre, momenta and energy of a body, in `f64`.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    mass: f64,
    center: DVec3,
    pub(super) velocity: DVec3,
    /// Angular momentum about the centre.
    angular_momentum: DVec3,
    kinetic: f64,
}

/// Returns the state of a body after a step with substeps of `substep` seconds.
fn state_of(body: &Body, gravity: DVec3, substep: f32) -> State {
    State {
        mass: 1.0 / f64::from(body.inverse_mass),
        center: body.pose.wide().transform_point(body.center_of_mass.as_dvec3()),
        velocity: body.linear_velocity.as_dvec3(),
        angular_momentum: body.angular_momentum(),
        kinetic: body.energy(gravity.as_vec3(), substep).kinetic,
    }
}

/// The outcome of one flight.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    pub(super) worst: f64,
    pub(super) gain_at: Option<u32>,
    /// Step, depth, and index of the body.
    pub(super) escape: Option<(u32, f64, usize)>,
    pub(super) momentum: Option<(u32, f64)>,
    pub(super) spin: Option<(u32, f64, &'static str)>,
    pub(super) error: Option<String>,
    pub(super) steps: u64,
}

fn kinetic(states: &[State]) -> f64 {
    states.iter().map(|s| s.kinetic).sum()
}

fn potential(states: &[State], gravity: DVec3) -> f64 {
    states.iter().map(|s| -s.mass * gravity.dot(s.center)).sum()
}

/// Returns the potential energy that rounding of positions can add, in this step and those before
/// it.
fn rounded(states: &[State], gravity: DVec3, step: u32) -> f64 {
    let of_steps = |s: &State| f64::from(step) * STEP_ROUNDING * s.center.length();
    let height = |s: &State| POSITION_ROUNDING * (1.0 + s.center.abs().max_element()) + of_steps(s);
    states.iter().map(|s| s.mass * gravity.length() * height(s)).sum()
}

/// Simulates one flight, and writes each step to `log`.
pub(super) fn run(mut flight: Flight, mut log: Option<&mut String>) -> Outcome {
    let substep = flight.dt / flight.world.settings().solver.substeps as f32;
    let gravity = flight.gravity;
    let states = |world: &World, movers: &[(BodyId, Flyer)]| -> Vec<State> {
        movers.iter().map(|(id, _)| state_of(world.body(*id).unwrap().motion(), gravity, substep)).collect()
    };
    let mut before = states(&flight.world, &flight.movers);
    let mut judge = Judge::new(before.clone());
    for step in 1..=flight.n_steps {
        flight.must_not_pass &= flight.holds(&before);
        if let Err(error) = flight.world.step(flight.dt) {
            judge.out.error = Some(format!("step {step}: {error}"));
            break;
        }
        judge.out.steps += 1;
        let now = states(&flight.world, &flight.movers);
        let is_finite =
            |s: &State| s.center.is_finite() && s.kinetic.is_finite() && s.angular_momentum.is_finite();
        if !now.iter().all(is_finite) {
            judge.out.error = Some(format!("step {step}: a number is not finite"));
            break;
        }
        let gain = judge.check_energy(&flight, step, &now);
        if flight.must_not_pass {
            judge.check_surface(&flight, step, &before, &now);
        }
        judge.check_spin(&flight, step, &before, &now);
        if flight.is_pair() {
            judge.check_momentum(&flight, step, &now);
        }
        if let Some(log) = log.as_deref_mut() {
            log_step(log, &flight, step, gain, &now);
        }
        before = now;
    }
    judge.out
}

/// The findings of a flight so far.
struct Judge {
    out: Outcome,
    first: Vec<State>,
    /// The largest energy so far: the rounding of a bounce appears at the top of the next arc, at
    /// which the kinetic energy is small.
    turned_over: f64,
    /// Whether the momentum of a pair is kept. A stopped body loses the energy of the height that
    /// it keeps, and the rest of a step of gravity. A body that is too fast is slowed down. Both
    /// change the momentum.
    is_kept: bool,
    /// The longest displacement of a body in a step.
    longest: f64,
}

impl Judge {
    fn new(first: Vec<State>) -> Judge {
        let out = Outcome { worst: 1.0, ..Outcome::default() };
        Judge { out, turned_over: kinetic(&first), first, is_kept: true, longest: 0.0 }
    }

    /// Compares the energy with that at the start and the work of gravity. Returns the energy, as
    /// a multiple of that of the start.
    fn check_energy(&mut self, flight: &Flight, step: u32, now: &[State]) -> f64 {
        let (first_kinetic, gravity) = (kinetic(&self.first), flight.gravity);
        let fallen = potential(&self.first, gravity) - potential(now, gravity);
        self.turned_over = self.turned_over.max(first_kinetic + fallen.abs());
        let gained = kinetic(now) - fallen - first_kinetic - rounded(now, gravity, step);
        let gain = 1.0 + gained / self.turned_over;
        if self.out.worst < gain {
            self.out.worst = gain;
        }
        if 1.0 + MAX_GAIN < gain && self.out.gain_at.is_none() {
            self.out.gain_at = Some(step);
        }
        gain
    }

    /// Tests on which side of the surface the bodies are.
    fn check_surface(&mut self, flight: &Flight, step: u32, before: &[State], now: &[State]) {
        let slop = f64::from(flight.world.settings().solver.slop);
        for (k, (_, flyer)) in flight.movers.iter().enumerate() {
            // A body about as thin as the slop may rest with its middle below the surface.
            let mut allowed = (2.0 * slop - flyer.thin).max(0.0);
            if flight.is_endless && !flight.is_fast {
                // A half-space has no far side: a body that enters it by the displacement of a
                // step comes out again.
                self.longest = self.longest.max((now[k].center - before[k].center).length());
                allowed += self.longest;
            }
            let beyond = flight.obstacle.beyond(&flight.frame, before[k].center, now[k].center, allowed);
            if let (Some(depth), None) = (beyond, self.out.escape) {
                self.out.escape = Some((step, depth, k));
            }
        }
    }

    /// Compares the angular momenta of free bodies, and those about the normal without friction.
    fn check_spin(&mut self, flight: &Flight, step: u32, before: &[State], now: &[State]) {
        let mut note = |off: f64, what| {
            if MAX_DRIFT < off && self.out.spin.is_none() {
                self.out.spin = Some((step, off, what));
            }
        };
        let scale_of = |s: &State| s.angular_momentum.length();
        let is_alone = flight.movers.len() == 1;
        if flight.world.stats().n_stopped == 0 && flight.world.contacts().next().is_none() {
            for (s, t) in before.iter().zip(now) {
                let whole = scale_of(s).max(1e-6 * s.mass * s.velocity.length());
                if 0.0 < whole {
                    note((t.angular_momentum - s.angular_momentum).length() / whole, "free spin");
                }
            }
        } else if is_alone && !flight.is_pair() && flight.obstacle.is_flat() && !flight.has_friction {
            let normal = flight.frame.transform_vector(DVec3::Y);
            let lever = flight.movers[0].1.radius;
            let whole = scale_of(&before[0]).max(1e-3 * before[0].mass * before[0].velocity.length() * lever);
            let off = (now[0].angular_momentum - before[0].angular_momentum).dot(normal).abs() / whole;
            note(0.2 * off, "spin about the normal, without friction");
        }
    }

    /// Compares the momentum of two bodies with that at the start and the work of gravity.
    fn check_momentum(&mut self, flight: &Flight, step: u32, now: &[State]) {
        let seconds = f64::from(flight.dt) * f64::from(step);
        let linear = |list: &[State]| list.iter().map(|s| s.velocity * s.mass).sum::<DVec3>();
        let whole: f64 = self.first.iter().map(|s| s.mass * s.velocity.length()).sum::<f64>()
            + flight.gravity.length() * f64::from(flight.dt) * f64::from(step) * now[0].mass.max(now[1].mass);
        let by_gravity = flight.gravity * (seconds * now.iter().map(|s| s.mass).sum::<f64>());
        let max_speed = f64::from(flight.world.settings().solver.max_speed);
        self.is_kept &= flight.world.stats().n_stopped == 0 || flight.gravity == DVec3::ZERO;
        self.is_kept &= now.iter().all(|s| s.velocity.length() < 0.9999 * max_speed);
        let off = (linear(now) - linear(&self.first) - by_gravity).length() / whole;
        if self.is_kept && MAX_DRIFT < off && self.out.momentum.is_none() {
            self.out.momentum = Some((step, off));
        }
    }
}

fn log_step(log: &mut String, flight: &Flight, step: u32, gain: f64, now: &[State]) {
    let n_stopped = flight.world.stats().n_stopped;
    let _ = writeln!(log, "step {step}: energy {gain:.6} of the start, {n_stopped} stopped");
    for (k, s) in now.iter().enumerate() {
        let [position, velocity] = [
            flight.frame.inverse_transform_point(s.center),
            flight.frame.inverse_transform_vector(s.velocity),
        ];
        let spin = flight.frame.inverse_transform_vector(s.angular_momentum);
        let body = flight.world.body(flight.movers[k].0).unwrap().motion();
        let omega = flight.frame.inverse_transform_vector(body.angular_velocity.as_dvec3());
        let _ = writeln!(
            log,
            "  body {k}: centre {position:.6}, velocity {velocity:.4}, spin {omega:.4}, angular momentum {spin:.8}, \
             kinetic energy {:.6e}, {}",
            s.kinetic,
            if body.is_sleeping { "asleep" } else { "awake" }
        );
    }
    for view in flight.world.contacts() {
        let contacts = view.manifolds.iter().flat_map(|m| m.contacts());
        for contact in contacts {
            let _ = writeln!(
                log,
                "  contact of {} and {}: distance {:.6}, point {:.5}",
                view.a.index(),
                view.b.index(),
                contact.distance,
                flight.frame.inverse_transform_point(contact.point_a.as_dvec3()),
            );
        }
    }
}

/// Returns the faults of a flight as text.
pub(super) fn describe(out: &Outcome, with_spins: bool) -> Option<String> {
    let mut said = Vec::new();
    if let Some(step) = out.gain_at {
        said.push(format!("energy {:.5} times that of the start, first in step {step}", out.worst));
    }
    if let Some((step, depth, body)) = out.escape {
        said.push(format!("centre of body {body} beyond the surface by {depth:.5} in step {step}"));
    }
    if let Some((step, off)) = out.momentum {
        said.push(format!("momentum of the two off by {off:.4} in step {step}"));
    }
    if let Some((step, off, what)) = out.spin
        && with_spins
    {
        said.push(format!("{what} off by {off:.4} in step {step}"));
    }
    said.extend(out.error.clone());
    (!said.is_empty()).then(|| said.join("; "))
}
