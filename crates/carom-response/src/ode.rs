//! The motion of bodies as one ordinary differential equation, y' = f(t, y), for a general solver.
//!
//! - The state of a body has 13 numbers: centre of mass, rotation, momentum, angular momentum.
//! - The caller adds forces and contacts for each derivative: [`RigidOde`]. Contacts are springs.
//! - The solver has fixed steps of fourth order, or adaptive steps by a pair of orders 5 and 4:
//!   [`Integrator`].
//!
//! Without forces both momenta are constant to the bit, because the state stores them. All numbers
//! are `f64`. A solver does not depend on bodies: [`Ode`] is any y' = f(t, y).
//!
//! A body of infinite mass keeps its velocities. A body that cannot turn keeps its angular
//! velocity.
//!
//! Reference: A. Witkin, D. Baraff, Physically Based Modeling, SIGGRAPH 2001 course 25 (the state
//! of rigid bodies); J. R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae, J.
//! Comp. Appl. Math. 6, 1980; E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential
//! Equations I, 1993, II.4 (control of the step).

use crate::bodies::body::{Body, BodyKind};
use crate::penalty::Penalty;
use alloc::vec::Vec;
use carom_math::glam::{DMat3, DQuat, DVec3};
use carom_math::{Pose, ops, rotation};

/// The numbers of one body: centre, rotation (x, y, z, w), momentum, angular momentum.
const BODY_NUMBERS: usize = 13;

/// An ordinary differential equation y' = f(t, y).
pub trait Ode {
    /// Writes the derivative of `y` at the time `t` to `slope`. Both slices have the same length,
    /// and every entry is written.
    fn derivative(&self, t: f64, y: &[f64], slope: &mut [f64]);
}

impl<F: Fn(f64, &[f64], &mut [f64])> Ode for F {
    fn derivative(&self, t: f64, y: &[f64], slope: &mut [f64]) {
        self(t, y, slope);
    }
}

/// Poses and momenta of bodies: the y of [`RigidOde`].
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    numbers: Vec<f64>,
}

/// One body of a [`State`], in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BodyState {
    /// The centre of mass.
    pub center: DVec3,
    /// Rotation from the body's frame to the world, a unit quaternion.
    pub rotation: DQuat,
    /// Momentum. It is zero for a body that forces do not move.
    pub momentum: DVec3,
    /// Angular momentum about the centre of mass. It is zero for a body that torques do not turn.
    pub angular_momentum: DVec3,
}

impl State {
    /// Returns the state of these bodies, in their order.
    pub fn of(bodies: &[Body]) -> State {
        let mut numbers = Vec::with_capacity(BODY_NUMBERS * bodies.len());
        for body in bodies {
            let wide = body.pose.wide();
            let momentum = match Inertia::of(body).velocity {
                Some(_) => DVec3::ZERO,
                None => body.linear_velocity.as_dvec3() / f64::from(body.inverse_mass),
            };
            numbers.extend_from_slice(&wide.transform_point(body.center_of_mass.as_dvec3()).to_array());
            numbers.extend_from_slice(&body.pose.rotation.as_dquat().normalize().to_array());
            numbers.extend_from_slice(&momentum.to_array());
            numbers.extend_from_slice(&body.angular_momentum().to_array());
        }
        State { numbers }
    }

    /// Returns the number of bodies.
    pub fn len(&self) -> usize {
        self.numbers.len() / BODY_NUMBERS
    }

    /// Whether there is no body.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Returns the state of a body. Panics if the index is out of range.
    pub fn body(&self, body: usize) -> BodyState {
        BodyState::read(&self.numbers, body)
    }

    /// Returns all numbers, for a solver.
    pub fn numbers_mut(&mut self) -> &mut [f64] {
        &mut self.numbers
    }
}

impl BodyState {
    fn read(numbers: &[f64], body: usize) -> BodyState {
        let own = &numbers[BODY_NUMBERS * body..][..BODY_NUMBERS];
        BodyState {
            center: DVec3::from_slice(&own[0..]),
            rotation: DQuat::from_slice(&own[3..]).normalize(),
            momentum: DVec3::from_slice(&own[7..]),
            angular_momentum: DVec3::from_slice(&own[10..]),
        }
    }
}

/// Mass and inertia of a body, or its velocities if forces do not change them.
#[derive(Clone, Copy, Debug)]
struct Inertia {
    inverse_mass: f64,
    inverse_inertia: DMat3,
    center_of_mass: DVec3,
    velocity: Option<DVec3>,
    angular_velocity: Option<DVec3>,
}

impl Inertia {
    fn of(body: &Body) -> Inertia {
        let is_dynamic = body.kind == BodyKind::Dynamic;
        let inverse_inertia = body.inverse_inertia.as_dmat3();
        let moves = |velocity: carom_math::Vec3| {
            if body.kind == BodyKind::Fixed { DVec3::ZERO } else { velocity.as_dvec3() }
        };
        let (is_movable, is_turnable) =
            (is_dynamic && 0.0 < body.inverse_mass, is_dynamic && inverse_inertia.determinant() != 0.0);
        Inertia {
            inverse_mass: f64::from(body.inverse_mass),
            inverse_inertia,
            center_of_mass: body.center_of_mass.as_dvec3(),
            velocity: (!is_movable).then(|| moves(body.linear_velocity)),
            angular_velocity: (!is_turnable).then(|| moves(body.angular_velocity)),
        }
    }

    fn velocity(&self, state: &BodyState) -> DVec3 {
        self.velocity.unwrap_or(state.momentum * self.inverse_mass)
    }

    fn angular_velocity(&self, state: &BodyState) -> DVec3 {
        let turning = || {
            let own = state.rotation.inverse() * state.angular_momentum;
            state.rotation * (self.inverse_inertia * own)
        };
        self.angular_velocity.unwrap_or_else(turning)
    }
}

/// The states of the bodies at one time, and the sum of the forces that were added so far.
pub struct Loads<'a> {
    inertias: &'a [Inertia],
    numbers: &'a [f64],
    /// Gets the changes of momentum and angular momentum per time.
    slope: &'a mut [f64],
}

impl Loads<'_> {
    /// Returns the state of a body. This method and the others panic if the index is out of range.
    pub fn body(&self, body: usize) -> BodyState {
        BodyState::read(self.numbers, body)
    }

    /// Returns the velocity of the material point of the body that is now at a point of the world.
    pub fn velocity_at(&self, body: usize, point: DVec3) -> DVec3 {
        let (state, inertia) = (self.body(body), &self.inertias[body]);
        inertia.velocity(&state) + inertia.angular_velocity(&state).cross(point - state.center)
    }

    /// Adds a force at a point of the world.
    pub fn push(&mut self, body: usize, force: DVec3, point: DVec3) {
        let torque = (point - self.body(body).center).cross(force);
        self.add(body, 7, force);
        self.add(body, 10, torque);
    }

    /// Adds gravity to all bodies, as an acceleration: length per time squared.
    pub fn accelerate(&mut self, gravity: DVec3) {
        for body in 0..self.inertias.len() {
            if self.inertias[body].velocity.is_none() {
                self.add(body, 7, gravity / self.inertias[body].inverse_mass);
            }
        }
    }

    /// Adds a contact at `point`: a spring and a damper that push the two bodies apart. `depth` is
    /// a vector along the normal from A to B, whose length is the overlap. B is pushed along it,
    /// and A the opposite way. The contact never pulls.
    ///
    /// Friction is a damper across the normal. It is at most the coefficient times the normal
    /// force.
    pub fn push_apart(&mut self, spring: &Penalty, [a, b]: [usize; 2], point: DVec3, depth: DVec3) {
        let length = ops::sqrt(depth.length_squared());
        if !(0.0 < length) {
            return;
        }
        let [stiffness, damping, friction] =
            [spring.stiffness, spring.damping, spring.friction].map(f64::from);
        let normal = depth / length;
        let velocity = self.velocity_at(b, point) - self.velocity_at(a, point);
        let leaving = velocity.dot(normal);
        let press = (stiffness * length - damping * leaving).max(0.0);
        let slide = velocity - normal * leaving;
        let speed = ops::sqrt(slide.length_squared());
        let brake =
            if 0.0 < speed { slide * ((damping * speed).min(friction * press) / speed) } else { slide };
        let force = normal * press - brake;
        self.push(a, -force, point);
        self.push(b, force, point);
    }

    /// Adds to three numbers of a body, unless it is held.
    fn add(&mut self, body: usize, first: usize, change: DVec3) {
        let inertia = &self.inertias[body];
        let is_held =
            if first == 7 { inertia.velocity.is_some() } else { inertia.angular_velocity.is_some() };
        if !is_held {
            let own = &mut self.slope[BODY_NUMBERS * body + first..][..3];
            own.iter_mut().zip(change.to_array()).for_each(|(sum, x)| *sum += x);
        }
    }
}

/// The equation of rigid bodies under forces and contacts.
///
/// `loads` is called for each derivative with the time. It adds all forces that act at the given
/// states of the bodies.
#[derive(Clone, Debug)]
pub struct RigidOde<F> {
    inertias: Vec<Inertia>,
    loads: F,
}

impl<F: Fn(f64, &mut Loads<'_>)> RigidOde<F> {
    /// Returns the equation of these bodies. Their own forces, dampings and gravity scales are
    /// ignored.
    pub fn new(bodies: &[Body], loads: F) -> RigidOde<F> {
        RigidOde { inertias: bodies.iter().map(Inertia::of).collect(), loads }
    }

    /// Writes poses and velocities of a state to its bodies, rounded to `f32`.
    pub fn store(&self, state: &State, bodies: &mut [Body]) {
        for (k, (inertia, body)) in self.inertias.iter().zip(bodies).enumerate() {
            let own = state.body(k);
            let origin = own.center - own.rotation * inertia.center_of_mass;
            body.pose = Pose::new(rotation::normalize(own.rotation.as_quat()), origin.as_vec3());
            body.linear_velocity = inertia.velocity(&own).as_vec3();
            body.angular_velocity = inertia.angular_velocity(&own).as_vec3();
        }
    }

    /// Returns the kinetic energy of the bodies that forces move and turn.
    pub fn kinetic_energy(&self, state: &State) -> f64 {
        let energy = |(k, inertia): (usize, &Inertia)| {
            let own = state.body(k);
            let turning = own.angular_momentum.dot(inertia.angular_velocity(&own));
            0.5 * (own.momentum.length_squared() * inertia.inverse_mass + turning)
        };
        self.inertias.iter().enumerate().map(energy).sum()
    }
}

impl<F: Fn(f64, &mut Loads<'_>)> Ode for RigidOde<F> {
    fn derivative(&self, t: f64, y: &[f64], slope: &mut [f64]) {
        for (k, inertia) in self.inertias.iter().enumerate() {
            let first = BODY_NUMBERS * k;
            let own = BodyState::read(y, k);
            let w = inertia.angular_velocity(&own);
            // The quaternion is not normalised here: its length has the error of the solver only.
            let turn = DQuat::from_xyzw(w.x, w.y, w.z, 0.0) * DQuat::from_slice(&y[first + 3..]) * 0.5;
            slope[first..first + 3].copy_from_slice(&inertia.velocity(&own).to_array());
            slope[first + 3..first + 7].copy_from_slice(&turn.to_array());
            slope[first + 7..first + BODY_NUMBERS].fill(0.0);
        }
        (self.loads)(t, &mut Loads { inertias: &self.inertias, numbers: y, slope });
    }
}

/// The method of a solver.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Method {
    /// The classical Runge-Kutta method of fourth order, in equal steps of at most this length.
    RungeKutta4 {
        /// In units of time. Positive.
        step: f64,
    },
    /// The pair of orders 5 and 4 of Dormand and Prince, with adaptive steps. The error of each
    /// number is below `tolerance` times 1 plus its absolute value.
    DormandPrince {
        /// From 1e-13 to 1. Other values are clamped.
        tolerance: f64,
    },
}

/// Counts of one call of [`Integrator::advance`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OdeStats {
    /// Accepted steps.
    pub n_steps: usize,
    /// Rejected steps: the error was too large, and a shorter step was tried.
    pub n_rejected: usize,
    /// Evaluations of the derivative.
    pub n_derivatives: usize,
}

/// The reason why a solver stopped. The state is then that of the time reached.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum OdeError {
    /// The step is not positive, or the end is before the start or not finite.
    BadStep,
    /// More steps than [`Integrator::MAX_STEPS`] were needed.
    TooManySteps {
        /// The time reached.
        t: f64,
    },
    /// A number overflowed, or no step is short enough for the tolerance.
    Diverged {
        /// The time reached.
        t: f64,
    },
}

impl core::fmt::Display for OdeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            OdeError::BadStep => write!(f, "the step is not positive, or the end is before the start"),
            OdeError::TooManySteps { t } => write!(f, "too many steps; the solver stopped at the time {t}"),
            OdeError::Diverged { t } => write!(f, "no step is short enough at the time {t}"),
        }
    }
}

impl core::error::Error for OdeError {}

/// A solver of y' = f(t, y), with its workspace. It may solve several equations in turn.
#[derive(Clone, Debug)]
pub struct Integrator {
    method: Method,
    /// The last step of the adaptive method, used by the next call.
    step: Option<f64>,
    slopes: [Vec<f64>; 7],
    at: Vec<f64>,
}

/// Stages of Dormand and Prince: the time, and the weights of the derivatives before.
const STAGES: [(f64, [f64; 6]); 6] = [
    (1.0 / 5.0, [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    (3.0 / 10.0, [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0]),
    (4.0 / 5.0, [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0]),
    (8.0 / 9.0, [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0]),
    (1.0, [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0]),
    // The result of fifth order. Its derivative is the first one of the next step.
    (1.0, [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0]),
];

/// The result of fifth order minus that of fourth order.
const ERROR: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339_200.0, 22.0 / 525.0, -1.0 / 40.0];

/// The least tolerance: a few hundred times the rounding of `f64`.
const MIN_TOLERANCE: f64 = 1e-13;

/// If the number of steps exceeds an integer by less than this, the excess is rounding.
const WHOLE: f64 = 1e-9;

/// Least and largest ratio of a step to the one before.
const STEP_RATIOS: [f64; 2] = [0.2, 5.0];

/// Factor of the step that the error allows, so that few steps are rejected.
const SAFETY: f64 = 0.9;

/// The least step, in units of the spacing of numbers at the time.
const MIN_STEP_ULPS: f64 = 16.0;

impl Integrator {
    /// The largest number of steps of one call.
    pub const MAX_STEPS: usize = 10_000_000;

    /// Returns a solver with this method.
    pub fn new(method: Method) -> Integrator {
        Integrator { method, step: None, slopes: Default::default(), at: Vec::new() }
    }

    /// Integrates `y` from the time `from` to the time `to`, which is not earlier.
    ///
    /// Errors: see [`OdeError`].
    pub fn advance(
        &mut self,
        ode: &impl Ode,
        y: &mut [f64],
        from: f64,
        to: f64,
    ) -> Result<OdeStats, OdeError> {
        let length = to - from;
        if !(0.0 <= length && length < f64::INFINITY) {
            return Err(OdeError::BadStep);
        }
        for memory in self.slopes.iter_mut().chain([&mut self.at]) {
            memory.clear();
            memory.resize(y.len(), 0.0);
        }
        match self.method {
            Method::RungeKutta4 { step } => self.advance_equally(ode, y, [from, length], step),
            Method::DormandPrince { tolerance } => {
                self.advance_adaptively(ode, y, [from, to], tolerance.clamp(MIN_TOLERANCE, 1.0))
            }
        }
    }

    fn advance_equally(
        &mut self,
        ode: &impl Ode,
        y: &mut [f64],
        [from, length]: [f64; 2],
        step: f64,
    ) -> Result<OdeStats, OdeError> {
        if !(0.0 < step) {
            return Err(OdeError::BadStep);
        }
        let n = (length / step - WHOLE).max(0.0);
        if !(n < Self::MAX_STEPS as f64) {
            return Err(OdeError::TooManySteps { t: from });
        }
        // The value is in range of the cast. Rounding above an integer adds no step.
        let n = n as usize + usize::from(0.0 < length);
        let h = length / n.max(1) as f64;
        for k in 0..n {
            self.runge_kutta(ode, y, from + h * k as f64, h);
            if !y.iter().all(|x| x.is_finite()) {
                return Err(OdeError::Diverged { t: from + h * k as f64 });
            }
        }
        Ok(OdeStats { n_steps: n, n_rejected: 0, n_derivatives: 4 * n })
    }

    fn runge_kutta(&mut self, ode: &impl Ode, y: &mut [f64], t: f64, h: f64) {
        let Integrator { slopes: [k1, k2, k3, k4, ..], at, .. } = self;
        let along = |at: &mut [f64], y: &[f64], slope: &[f64], h: f64| {
            at.iter_mut().zip(y).zip(slope).for_each(|((at, y), slope)| *at = y + h * slope);
        };
        ode.derivative(t, y, k1);
        along(at, y, k1, 0.5 * h);
        ode.derivative(t + 0.5 * h, at, k2);
        along(at, y, k2, 0.5 * h);
        ode.derivative(t + 0.5 * h, at, k3);
        along(at, y, k3, h);
        ode.derivative(t + h, at, k4);
        for (i, y) in y.iter_mut().enumerate() {
            *y += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
        }
    }

    fn advance_adaptively(
        &mut self,
        ode: &impl Ode,
        y: &mut [f64],
        [mut t, to]: [f64; 2],
        tolerance: f64,
    ) -> Result<OdeStats, OdeError> {
        let mut stats = OdeStats { n_derivatives: 1, ..OdeStats::default() };
        ode.derivative(t, y, &mut self.slopes[0]);
        let mut h = self.step.unwrap_or_else(|| first_step(y, &self.slopes[0], tolerance));
        while t < to {
            if Self::MAX_STEPS <= stats.n_steps + stats.n_rejected {
                return Err(OdeError::TooManySteps { t });
            }
            let is_last = to - t <= h;
            let tried = if is_last { to - t } else { h };
            if !(MIN_STEP_ULPS * f64::EPSILON * t.abs() < tried || is_last) {
                return Err(OdeError::Diverged { t });
            }
            let error = self.try_step(ode, y, t, tried, tolerance);
            stats.n_derivatives += 6;
            let ratio = (SAFETY * fifth_root(1.0 / error)).clamp(STEP_RATIOS[0], STEP_RATIOS[1]);
            if error <= 1.0 {
                stats.n_steps += 1;
                t = if is_last { to } else { t + tried };
                y.copy_from_slice(&self.at);
                self.slopes.swap(0, 6);
                // The last step is cut off by the end, so it does not limit the next step.
                h = if is_last { h.max(tried * ratio) } else { tried * ratio };
            } else {
                stats.n_rejected += 1;
                h = tried * ratio.min(1.0);
                if !(f64::MIN_POSITIVE < h) {
                    return Err(OdeError::Diverged { t });
                }
            }
        }
        self.step = Some(h);
        Ok(stats)
    }

    /// Writes the state after a step to `at`, and its derivative to the last of `slopes`. Returns
    /// the largest error divided by the allowed one.
    fn try_step(&mut self, ode: &impl Ode, y: &[f64], t: f64, h: f64, tolerance: f64) -> f64 {
        for (stage, (time, weights)) in STAGES.iter().enumerate() {
            for (i, at) in self.at.iter_mut().enumerate() {
                let slopes = self.slopes[..=stage].iter().zip(weights);
                *at = y[i] + h * slopes.map(|(slope, weight)| weight * slope[i]).sum::<f64>();
            }
            ode.derivative(t + time * h, &self.at, &mut self.slopes[stage + 1]);
        }
        let mut largest = 0.0_f64;
        for (i, at) in self.at.iter().enumerate() {
            let error =
                h * self.slopes.iter().zip(ERROR).map(|(slope, weight)| weight * slope[i]).sum::<f64>();
            let allowed = tolerance * (1.0 + y[i].abs().max(at.abs()));
            let ratio = error.abs() / allowed;
            // The condition also holds for NaN: a number overflowed.
            if !(ratio < f64::INFINITY) {
                return f64::INFINITY;
            }
            largest = largest.max(ratio);
        }
        largest
    }
}

/// Returns a step in which no number changes by much more than the tolerance allows.
fn first_step(y: &[f64], slope: &[f64], tolerance: f64) -> f64 {
    let ratios = y.iter().zip(slope).map(|(y, slope)| (1.0 + y.abs()) / slope.abs());
    let shortest = ratios.fold(1.0, f64::min);
    shortest * fifth_root(tolerance) * 0.1
}

/// Returns the fifth root of a number that is not negative.
fn fifth_root(x: f64) -> f64 {
    if x == f64::INFINITY {
        return x;
    }
    // Newton's method from above decreases until it converges. A factor of 32 is a factor of 2 of
    // the root.
    let (mut scaled, mut factor) = (x, 1.0);
    while 1.0 < scaled {
        (scaled, factor) = (scaled / 32.0, factor * 2.0);
    }
    while 0.0 < scaled && scaled < 1.0 / 32.0 {
        (scaled, factor) = (scaled * 32.0, factor * 0.5);
    }
    let mut root = 1.0;
    for _ in 0..12 {
        root = 0.8 * root + 0.2 * scaled / (root * root * root * root);
    }
    factor * root
}
