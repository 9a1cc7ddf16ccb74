//! The solver of the impulses of all wheels of a vehicle in one step.
//!
//! - Springs are implicit: the force uses the mean compression and the speed at the end of the
//!   step. So a step of any length adds no energy, even with stiff springs and light bodies.
//! - A tyre is a damped spring between its anchor on the ground and the wheel: aside, and along
//!   the wheel as far as the brake holds. Its force is within an ellipse of the grip times the
//!   load (Coulomb).
//! - Rolling takes up the stretch of the spring within the relaxation length. So in a steady curve
//!   a tyre slips sideways in proportion to its force.
//! - Tyres that stop on one ground may pull against each other. The part of their stretches that
//!   has no effect on the chassis relaxes. The rest holds: a parked vehicle stays.
//! - A locked tyre that slides pulls against its velocity, in any direction.
//! - Projected Gauss-Seidel over the wheels, warm started with the forces of the last step.
//!
//! Reference: E. Catto, Soft Constraints, GDC 2011 (implicit springs); Modeling and Solving
//! Constraints, GDC 2009 (accumulated impulses); H. Pacejka, Tire and Vehicle Dynamics, 3rd ed.,
//! 2012, 1.2 and 7 (slip angle, relaxation length). Differs: the spring acts by its mean
//! compression.

#[cfg(feature = "soft")]
use crate::sweep::NO_OBJECT;
use carom_math::scaling;
use glam::{DMat3, DVec3};

/// The number of sweeps over all wheels. A step starts with the result of the last one, so a
/// vehicle at rest is solved exactly.
const ITERATIONS: u32 = 24;

/// The tangent of the slip angle at which the grip of a rolling tyre is used up.
const PEAK_SLIP: f64 = 0.1;

/// The time of the damper of a tyre, in seconds: its force per speed over that per stretch. The
/// damping ratio of a car on wheels of usual size is then a little below 1.
const TYRE_DAMPING_TIME: f64 = 1.0 / 15.0;

/// The time in which tyres that pull against each other relax by a factor of e, in seconds.
const STRESS_RELAXATION_TIME: f64 = 0.5;

/// The stiffness that is added to that of all tyres on a ground, relative to it. It makes their
/// displacement unique if they leave one free. A parked vehicle creeps by this fraction of the
/// stretch in the relaxation time. It is far above the rounding of `f64`.
const RELATIVE_REGULARIZATION: f64 = 1e-9;

/// The fraction of a position error of the stop of a spring that is corrected in a step.
const CORRECTION: f64 = 0.2;

/// A body of the solver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WheelBody {
    pub(crate) center: DVec3,
    pub(crate) linear: DVec3,
    pub(crate) angular: DVec3,
    pub(crate) inverse_mass: f64,
    /// About the centre, in the world.
    pub(crate) inverse_inertia: DMat3,
    /// The change of the velocities per impulse, linear and angular. It is smaller in directions
    /// in which others support the body.
    pub(crate) response: [DMat3; 2],
}

impl WheelBody {
    pub(crate) fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.linear + self.angular.cross(point - self.center)
    }

    /// Returns the body without support.
    pub(crate) fn freed(self) -> WheelBody {
        let linear = DMat3::from_diagonal(DVec3::splat(self.inverse_mass));
        WheelBody { response: [linear, self.inverse_inertia], ..self }
    }

    /// Removes a fraction of the response, and of the velocity change since `start`, along a unit
    /// vector.
    pub(crate) fn hold(&mut self, start: &WheelBody, direction: DVec3, part: f64) {
        self.linear -= direction * (part * direction.dot(self.linear - start.linear));
        self.response[0] = held(self.response[0], direction, part);
    }

    /// Does the same for rotation.
    pub(crate) fn hold_rotation(&mut self, start: &WheelBody, direction: DVec3, part: f64) {
        self.angular -= direction * (part * direction.dot(self.angular - start.angular));
        self.response[1] = held(self.response[1], direction, part);
    }

    pub(crate) fn apply(&mut self, impulse: DVec3, point: DVec3) {
        self.linear += self.response[0] * impulse;
        self.angular += self.response[1] * (point - self.center).cross(impulse);
    }

    /// Returns the velocity change of a point along a unit vector, per impulse.
    pub(crate) fn compliance(&self, point: DVec3, direction: DVec3) -> f64 {
        let turn = (point - self.center).cross(direction);
        direction.dot(self.response[0] * direction) + turn.dot(self.response[1] * turn)
    }
}

/// Returns P `response` P, where P scales `direction` by 1 - `part`, with `part` from 0 to 1.
fn held(response: DMat3, direction: DVec3, part: f64) -> DMat3 {
    let scaled = direction * part;
    let outer = DMat3::from_cols(direction * scaled.x, direction * scaled.y, direction * scaled.z);
    let projection = DMat3::IDENTITY - outer;
    projection * response * projection
}

/// A wheel on the ground. Its impulses act on the chassis, and the opposite ones on the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WheelRow {
    /// The index of the wheel.
    pub(crate) wheel: usize,
    /// The index of the dynamic body under it, at least 1 because 0 is the chassis. `None` on
    /// other ground.
    pub(crate) ground: Option<usize>,
    /// The object of the world under it, and its part.
    #[cfg(feature = "soft")]
    pub(crate) object: (u32, u32),
    /// The velocity of the ground there, in addition to that of the dynamic body.
    pub(crate) surface: DVec3,
    pub(crate) point: DVec3,
    /// Out of the ground, along the wheel, and aside to the right: unit vectors.
    pub(crate) normal: DVec3,
    pub(crate) ahead: DVec3,
    pub(crate) aside: DVec3,
    /// The compression of the spring; below 0 before the wheel touches.
    pub(crate) compression: f64,
    pub(crate) travel: f64,
    /// Force per length, and force per speed.
    pub(crate) stiffness: f64,
    pub(crate) damping: f64,
    /// The speed along the wheel at the start of the step.
    pub(crate) rolling: f64,
    /// The separating speed at the start of the step.
    pub(crate) start_speed: f64,
    /// The largest speed at which the stop pushes the wheel out.
    pub(crate) stop_speed: f64,
    /// The largest impulse of the spring.
    pub(crate) max_load: f64,
    pub(crate) grip: [f64; 2],
    /// The impulse of the engine, the largest impulse of the brake, and the fraction of the grip
    /// that the brake may use.
    pub(crate) drive: f64,
    pub(crate) max_brake: f64,
    pub(crate) brake: f64,
    /// The vector from the anchor to the contact point, along the wheel and aside.
    pub(crate) stretch: [f64; 2],
    /// The length in which rolling takes up the stretch.
    pub(crate) relaxation: f64,
    /// The stretch at the end of the step.
    pub(crate) end_stretch: [f64; 2],
    /// A number for the ground. Grounds with the same one do not move against each other.
    pub(crate) ground_key: Option<u32>,
    /// Impulses: of the spring; of engine and brake along the wheel; of the tyre aside.
    pub(crate) load: f64,
    pub(crate) along: f64,
    pub(crate) across: f64,
    /// Whether the brake locks the wheel, and whether the grip is used up.
    pub(crate) is_held: bool,
    pub(crate) is_sliding: bool,
    /// The change of the relative velocity per impulse: along the normal, ahead, aside.
    compliance: [f64; 3],
}

impl WheelRow {
    /// Returns a row on the ground at a point, without a spring, a tyre and impulses.
    pub(crate) fn new(wheel: usize, point: DVec3, [normal, ahead, aside]: [DVec3; 3]) -> WheelRow {
        WheelRow {
            wheel,
            ground: None,
            #[cfg(feature = "soft")]
            object: (NO_OBJECT, 0),
            surface: DVec3::ZERO,
            point,
            normal,
            ahead,
            aside,
            compression: 0.0,
            travel: f64::MAX,
            stiffness: 0.0,
            damping: 0.0,
            rolling: 0.0,
            start_speed: 0.0,
            stop_speed: 0.0,
            max_load: f64::MAX,
            grip: [0.0; 2],
            drive: 0.0,
            max_brake: 0.0,
            brake: 0.0,
            stretch: [0.0; 2],
            relaxation: 0.0,
            end_stretch: [0.0; 2],
            ground_key: None,
            load: 0.0,
            along: 0.0,
            across: 0.0,
            is_held: false,
            is_sliding: false,
            compliance: [0.0; 3],
        }
    }

    /// Returns the velocity of the chassis relative to the ground.
    pub(crate) fn velocity(&self, bodies: &[WheelBody]) -> DVec3 {
        let ground = self.ground.map_or(DVec3::ZERO, |ground| bodies[ground].velocity_at(self.point));
        bodies[0].velocity_at(self.point) - ground - self.surface
    }

    fn apply(&self, bodies: &mut [WheelBody], impulse: DVec3) {
        bodies[0].apply(impulse, self.point);
        if let Some(ground) = self.ground {
            bodies[ground].apply(-impulse, self.point);
        }
    }

    fn find_compliance(&mut self, bodies: &[WheelBody]) {
        self.compliance = [self.normal, self.ahead, self.aside].map(|direction| {
            let ground = self.ground.map_or(0.0, |ground| bodies[ground].compliance(self.point, direction));
            bodies[0].compliance(self.point, direction) + ground
        });
    }

    /// Returns the impulse along the normal: that of the spring, or of the stop at its end.
    fn normal_impulse(&self, speed: f64, dt: f64) -> f64 {
        let w = self.compliance[0];
        let free = speed - w * self.load;
        let (k, c, v0) = (self.stiffness, self.damping, self.start_speed);
        // A wheel that touches during the step is in contact for a part of it only. The mean
        // compression in this part is half of that at the end.
        let closing = -0.5 * dt * (v0 + free);
        let (start, part) = if 0.0 <= self.compression {
            (self.compression, 1.0)
        } else if -self.compression < closing {
            (0.5 * self.compression, 1.0 + self.compression / closing)
        } else {
            return 0.0;
        };
        let force = k * (start - 0.25 * dt * (v0 + free)) - c * free;
        let spring = part * dt * force / (1.0 + part * w * dt * (0.25 * k * dt + c));
        let beyond = (self.compression - self.travel) / dt;
        let target = if beyond < 0.0 { beyond } else { (CORRECTION * beyond).min(self.stop_speed) };
        let stop = (target - free) / w;
        spring.max(stop).clamp(0.0, self.max_load)
    }

    fn solve(&mut self, bodies: &mut [WheelBody], dt: f64) {
        let load = self.normal_impulse(self.velocity(bodies).dot(self.normal), dt);
        self.apply(bodies, self.normal * (load - self.load));
        self.load = load;
        let velocity = self.velocity(bodies);
        let speeds = [self.ahead, self.aside].map(|axis| velocity.dot(axis));
        let [a, b] = self.grip.map(|grip| grip * load);
        let most_brake = self.brake * self.max_brake.min(a);
        let wanted = self.spring_impulse(0, self.along - self.drive, speeds[0], a, (0.0, dt));
        self.is_held = wanted.abs() < most_brake;
        if !self.is_held && self.is_locked(load) {
            return self.slide(bodies, load, speeds);
        }
        let along = self.drive + wanted.clamp(-most_brake, most_brake);
        let across = self.spring_impulse(1, self.across, speeds[1], b, (self.rolling_speed(), dt));
        // Limits the lateral force to its own grip, and both forces to the ellipse of the grip.
        // Without the first limit a tyre that slides aside would have no grip left for the engine.
        // A wheel that spins has little lateral grip.
        let aside = across.clamp(-b, b);
        // One of the directions may have no grip.
        let has_both = a != 0.0 && b != 0.0;
        let used = if has_both { scaling::hypot(along / a, aside / b) } else { f64::INFINITY };
        self.is_sliding = 1.0 < used || b < across.abs();
        let part = if 1.0 < used { 1.0 / used } else { 1.0 };
        let [along, across] =
            if has_both { [along * part, aside * part] } else { [along.clamp(-a, a), aside] };
        self.set_tyre(bodies, [along, across]);
    }

    /// Returns the speed at which the wheel rolls, at least 0; 0 if the brake holds it.
    fn rolling_speed(&self) -> f64 {
        if self.is_held { 0.0 } else { self.rolling.abs() }
    }

    /// Returns the largest stretch of the tyre, at which its grip is used up.
    pub(crate) fn max_stretch(&self) -> f64 {
        PEAK_SLIP * self.relaxation
    }

    /// Returns the next impulse of the spring of a tyre along an axis: 0 along the wheel, 1 aside.
    /// `impulse` is the present one, `speed` that of the contact point with it, and `most` the
    /// grip.
    ///
    /// The force is k (s + T s'), and s' is v - s V / L, with the stretch s, the velocity v, the
    /// speed of rolling V and the relaxation length L. Steps of s are implicit. Rolling fades the
    /// damper: its time T is 1 / (1 / `TYRE_DAMPING_TIME` + V / L).
    fn spring_impulse(
        &self,
        axis: usize,
        impulse: f64,
        speed: f64,
        most: f64,
        (rolling, dt): (f64, f64),
    ) -> f64 {
        if most == 0.0 {
            return 0.0;
        }
        let length = self.relaxation;
        let per_step = (length / dt).min(f64::MAX);
        let fading = length + rolling * TYRE_DAMPING_TIME;
        let damped = fading + TYRE_DAMPING_TIME * per_step;
        let softness = (PEAK_SLIP * (fading / damped) * (per_step + rolling) / most).min(f64::MAX);
        let missed = speed + self.stretch[axis] * (per_step / damped) + softness * impulse;
        impulse - missed / (self.compliance[1 + axis] + softness)
    }

    /// Returns the stretch of the tyre at the end of a step of `dt` seconds, along the wheel and
    /// aside. `velocity` is that of the contact point then.
    fn stretch_after(&self, velocity: DVec3, dt: f64) -> [f64; 2] {
        if self.load == 0.0 {
            return [0.0; 2];
        }
        let most = self.max_stretch();
        let [a, b] = self.grip.map(|grip| grip * self.load);
        // The part of the tyre that slides, or that the brake lets slip, has the stretch of its
        // force.
        let slipped = |impulse: f64, grip: f64| if grip == 0.0 { 0.0 } else { -impulse / grip * most };
        let moved = |axis: usize, direction: DVec3| {
            let travel = (velocity.dot(direction) * dt).clamp(-f64::MAX, f64::MAX);
            self.stretch[axis] + travel
        };
        let kept = self.relaxation / (self.relaxation + self.rolling_speed() * dt);
        let along = if self.is_held && !self.is_sliding {
            moved(0, self.ahead)
        } else {
            slipped(self.along - self.drive, a)
        };
        let across = if self.is_sliding { slipped(self.across, b) } else { kept * moved(1, self.aside) };
        let limited = |stretch: f64| if stretch.is_finite() { stretch.clamp(-most, most) } else { 0.0 };
        [along, across].map(limited)
    }

    /// Returns the directions in which the tyre sticks, each with the index of its stretch and the
    /// stiffness there, times a constant.
    fn sticking(&self) -> impl Iterator<Item = (usize, DVec3, f64)> {
        let axes = [(0, self.ahead, self.is_held), (1, self.aside, true)];
        let (grip, load) = (self.grip, self.load);
        let sticks = axes.into_iter().filter(move |axis| axis.2 && !self.is_sliding);
        sticks.map(move |(axis, direction, _)| (axis, direction, grip[axis] * load))
    }

    /// Whether the brake locks the wheel if its tyre slides under this load.
    pub(crate) fn is_locked(&self, load: f64) -> bool {
        1.0 <= self.brake && self.grip[0] * load <= self.max_brake
    }

    /// Applies the friction of a locked wheel that slides: against its velocity, within the
    /// ellipse. A tyre that slides ahead hardly resists a force aside, so the car turns if one side
    /// has less grip. `velocity` is along the wheel and aside.
    fn slide(&mut self, bodies: &mut [WheelBody], load: f64, velocity: [f64; 2]) {
        let [_, w_along, w_across] = self.compliance;
        // With one compliance for both directions, the force gets the direction of the velocity.
        let w = w_along.max(w_across);
        let (along, across) = (self.along - velocity[0] / w, self.across - velocity[1] / w);
        let [a, b] = self.grip.map(|grip| grip * load);
        self.is_sliding = true;
        let tyre = if a != 0.0 && b != 0.0 {
            let used = scaling::hypot(along / a, across / b).max(1.0);
            [along / used, across / used]
        } else {
            // One of the directions has no grip.
            [along.clamp(-a, a), across.clamp(-b, b)]
        };
        self.set_tyre(bodies, tyre);
    }

    /// Changes the impulses of the tyre, along the wheel and aside.
    fn set_tyre(&mut self, bodies: &mut [WheelBody], [along, across]: [f64; 2]) {
        self.apply(bodies, self.ahead * (along - self.along) + self.aside * (across - self.across));
        (self.along, self.across) = (along, across);
    }
}

/// Solves the impulses of all wheels in a step of `dt` seconds, starting from those in the rows.
/// Leaves the bodies with the velocities at its end, and the rows with their stretches then. `up`
/// is a unit vector, about the normal of the ground.
pub(crate) fn solve_wheels(bodies: &mut [WheelBody], rows: &mut [WheelRow], up: DVec3, dt: f64) {
    for row in &mut *rows {
        row.find_compliance(bodies);
        row.apply(bodies, row.normal * row.load + row.ahead * row.along + row.aside * row.across);
    }
    for _ in 0..ITERATIONS {
        for row in &mut *rows {
            row.solve(bodies, dt);
        }
    }
    for row in &mut *rows {
        row.end_stretch = row.stretch_after(row.velocity(bodies), dt);
    }
    for first in 0..rows.len() {
        let key = rows[first].ground_key;
        if key.is_some() && rows[..first].iter().all(|row| row.ground_key != key) {
            relax_stretches(&mut rows[first..], up, dt);
        }
    }
}

/// Relaxes the stretches of tyres on the ground of the first one. The displacement of the vehicle
/// that fits best to them, along the ground and about `up`, stays. With the stiffnesses as weights
/// the rest has no net force along the ground, and no net torque about `up`.
fn relax_stretches(rows: &mut [WheelRow], up: DVec3, dt: f64) {
    let (key, origin) = (rows[0].ground_key, rows[0].point);
    let (right, ahead) = up.any_orthonormal_pair();
    let on_ground = |row: &&mut WheelRow| row.ground_key == key;
    let distances = rows.iter_mut().filter(on_ground).map(|row| scaling::length(row.point - origin));
    let reach = distances.fold(0.0, f64::max);
    let reach = if 0.0 < reach { reach } else { 1.0 };
    // The effect of the three displacements on a stretch. That of the rotation is at the reach.
    let effect = |point: DVec3, direction: DVec3| {
        let turn = up.cross((point - origin) / reach);
        DVec3::new(direction.dot(right), direction.dot(ahead), direction.dot(turn))
    };
    let (mut stiffness, mut pull) = (DMat3::ZERO, DVec3::ZERO);
    for row in rows.iter_mut().filter(on_ground) {
        for (axis, direction, weight) in row.sticking() {
            let effect = effect(row.point, direction);
            let weighted = effect * weight;
            stiffness += DMat3::from_cols(weighted * effect.x, weighted * effect.y, weighted * effect.z);
            pull += weighted * row.end_stretch[axis];
        }
    }
    let size = stiffness.x_axis.x + stiffness.y_axis.y + stiffness.z_axis.z;
    if !(0.0 < size && size.is_finite()) {
        return;
    }
    let regularized = stiffness * (1.0 / size) + DMat3::from_diagonal(DVec3::splat(RELATIVE_REGULARIZATION));
    let displacement = regularized.inverse() * (pull / size);
    let part = dt / (STRESS_RELAXATION_TIME + dt);
    for row in rows.iter_mut().filter(on_ground) {
        let mut relaxed = row.end_stretch;
        for (axis, direction, _) in row.sticking() {
            relaxed[axis] += (effect(row.point, direction).dot(displacement) - relaxed[axis]) * part;
        }
        if relaxed.iter().all(|stretch| stretch.is_finite()) {
            row.end_stretch = relaxed;
        }
    }
}
