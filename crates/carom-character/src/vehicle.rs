//! A vehicle whose chassis is a body of a `carom_world::World`. Each wheel is a ray with a spring,
//! a damper and a tyre.
//!
//! - Before a step of the world the rays find the ground, and the forces of all wheels in the step
//!   are solved together (`wheel_solver.rs`). They act on the chassis, and the opposite forces on
//!   dynamic bodies under the wheels.
//! - Velocities are relative to the ground, so moving decks carry the vehicle.
//! - A tyre that sticks is a spring to an anchor point on the ground. So a parked vehicle stays,
//!   and its wheels do not work against each other.
//! - A body under a wheel may be supported by others, such as the floor. The support is expected
//!   to take the same fractions of the wheel's pushes as in the last step. There is one along the
//!   normal, one along the ground, and one in rotation. So a light box carries the vehicle if it
//!   lies on the floor.
//! - The grip of a tyre is that on ground of the default material. On other ground it changes as
//!   the friction of a contact does. So a car slips on ice.
//! - On a soft body a wheel is a load of a quarter of the mass on it, which the forces of spring
//!   and tyre press. So a bridge of light cloth sags and does not fly away. There, and on
//!   conveyor belts, the stretch of a tyre follows from its velocity alone.
//! - A spring pushes an unsupported body away no faster than the spring extends. A wheel rolls
//!   through bodies that are too light for it.
//!
//! Degenerate: a wheel in the air has no force. A vehicle on its roof lies on its chassis. Wheels
//! of a chassis that is not dynamic find the ground and roll, without forces.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.4 (rays as wheels); H.
//! Pacejka, Tire and Vehicle Dynamics, 3rd ed., 2012, 3.2 and 7 (stretch, relaxation length).

use crate::car::Controls;
use crate::settings::SettingsError;
#[cfg(feature = "soft")]
use crate::soft_surfaces::soft_body_of;
use crate::sweep::{RayHit, RaySweep};
use crate::wheel::{VehicleWheel, WheelDesc};
use crate::wheel_solver::{WheelBody, WheelRow, solve_wheels};
use crate::world_sweep::WorldSweep;
use alloc::vec;
use alloc::vec::Vec;
use carom_broad::{BroadPhase, Mobility, SpatialIndex};
use carom_math::{WidePose, ops, scaling};
#[cfg(feature = "soft")]
use carom_world::SoftLoad;
use carom_world::{BodyId, Filter, JointKind, QueryFilter, World, WorldError};
use core::f64::consts::TAU;
use core::iter;
use glam::{DMat3, DVec3};

/// The relaxation length in radii: over this distance, in short steps, a rolling tyre's lateral
/// stretch falls by a factor of e. Car tyres have about this one.
const RELAXATION_LENGTH: f64 = 0.5;

/// The largest distance of a tyre from its anchor, in steps at its speed, in addition to the
/// largest stretch. It is two steps, because the speed may change within a step.
const MAX_STRETCH_STEPS: f64 = 2.0;

/// The cosine of the largest angle between ground and chassis. A steeper face is a wall.
const MIN_GROUND_COSINE: f64 = 0.1;

/// The least mass of ground, relative to the mass that a wheel carries. A force that carries the
/// vehicle would throw a lighter body away in one step if it tips.
const MIN_GROUND_MASS: f64 = 0.05;

/// The mass that moves with a soft ground under a wheel, relative to the mass that the wheel
/// carries. It makes the spring of the wheel stable on light cloth.
#[cfg(feature = "soft")]
const UNSPRUNG_PART: f64 = 0.25;

/// The radius within which a soft ground bears a wheel, in radii of the wheel.
#[cfg(feature = "soft")]
const FOOTPRINT_RADII: f64 = 0.5;

/// A dynamic body under a wheel, after the last call.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct PushedBody {
    body: BodyId,
    /// The velocities after the step if only gravity and the wheels act on it.
    linear: DVec3,
    angular: DVec3,
    /// The changes of these since the start of the step.
    linear_change: DVec3,
    angular_change: DVec3,
}

/// Wheels on a dynamic body of a world. They roll through bodies lighter than a twentieth of the
/// mass that each wheel carries; the chassis collides with these.
///
/// It has no engine, gears, differentials or anti-roll bars, and the wheels have no mass. Each
/// wheel gets the throttle times its `max_drive_force`. A handbrake is a brake of the rear wheels
/// alone, by [`Vehicle::drive_each`].
///
/// A vehicle is plain data. A snapshot of the world does not contain it. A clone of it and the
/// snapshot continue a drive with the same bits (test: `vehicle_grounds::its_state_is_data`).
#[doc(alias = "DynamicRayCastVehicleController")]
#[doc(alias = "WheeledVehicle")]
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Vehicle {
    chassis: BodyId,
    filter: Filter,
    wheels: Vec<VehicleWheel>,
    pushed: Vec<PushedBody>,
    speed: f64,
}

/// The bodies of one solve.
struct Bodies {
    /// The chassis first.
    ids: Vec<BodyId>,
    /// The state before the step.
    start: Vec<WheelBody>,
    /// The state at the end of the step with gravity alone, and with support and wheels too.
    alone: Vec<WheelBody>,
    end: Vec<WheelBody>,
}

impl Vehicle {
    /// Returns a vehicle without wheels. Its chassis is this body, with x ahead, y up and z to the
    /// right.
    pub fn new(chassis: BodyId) -> Vehicle {
        let filter = Filter::default();
        Vehicle { chassis, filter, wheels: Vec::new(), pushed: Vec::new(), speed: 0.0 }
    }

    /// The same vehicle, with wheels that touch what a collider with this filter would touch,
    /// except the chassis. Bodies that the chassis passes are not touched: by
    /// [`Response::Pass`](carom_world::Response::Pass), or by a joint without contacts.
    #[must_use]
    pub fn with_filter(self, filter: Filter) -> Vehicle {
        Vehicle { filter, ..self }
    }

    /// Adds a wheel, and returns its index.
    ///
    /// Errors: the name of the first number that is out of its range.
    pub fn add_wheel(&mut self, desc: WheelDesc) -> Result<usize, SettingsError> {
        desc.check()?;
        self.wheels.push(VehicleWheel::new(desc));
        Ok(self.wheels.len() - 1)
    }

    /// Replaces the description of a wheel while the vehicle drives: grip, spring, brake and so
    /// on. The state of the wheel stays. So a worn tyre, a handbrake or a lowered spring changes
    /// one setting of the present description:
    /// `car.set_wheel(0, car.wheels()[0].desc.with_grip(1.1, 0.4))?`.
    ///
    /// Errors: the name of the first number that is out of its range, or `wheel` for an index
    /// without a wheel. Nothing is changed then.
    #[doc(alias = "set_grip")]
    #[doc(alias = "wheel_mut")]
    pub fn set_wheel(&mut self, wheel: usize, desc: WheelDesc) -> Result<(), SettingsError> {
        desc.check()?;
        self.wheels.get_mut(wheel).ok_or(SettingsError("wheel"))?.desc = desc;
        Ok(())
    }

    /// Returns the body of the chassis.
    pub fn chassis(&self) -> BodyId {
        self.chassis
    }

    /// Returns the wheels in the order of insertion, with their state after the last call of
    /// [`Vehicle::drive`].
    pub fn wheels(&self) -> &[VehicleWheel] {
        &self.wheels
    }

    /// Returns the speed of the chassis along its x axis at the last call of [`Vehicle::drive`],
    /// in length per second; below 0 backwards. It is that before the step.
    #[doc(alias = "current_vehicle_speed")]
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Applies the forces of springs and tyres for the next step of the world, which should take
    /// `dt` seconds. Call it before each step. It keeps the chassis and the dynamic bodies under
    /// the wheels awake. While the chassis is disabled, the wheels are in the air.
    ///
    /// Throttle is from -1 to 1, and brake from 0 to 1; other finite numbers are clamped. A wheel
    /// is steered to the left by `steer` radians, up to its largest angle.
    ///
    /// Errors: a removed chassis; a force beyond `f32`; [`WorldError::BadValue`]. The last is for
    /// controls with a NaN or an infinity, and for a `dt` that is not above 0.
    pub fn drive<B: BroadPhase + SpatialIndex>(
        &mut self,
        world: &mut World<B>,
        controls: &Controls,
        dt: f64,
    ) -> Result<(), WorldError> {
        let controls = limited(controls)?;
        self.drive_by(world, &|_| controls, dt)
    }

    /// Applies the forces as [`Vehicle::drive`], with controls for each wheel in the order of
    /// [`Vehicle::wheels`]. So a tracked vehicle turns on the spot: its left and right wheels are
    /// driven against each other (test: `vehicles::a_tracked_vehicle_turns_on_the_spot`).
    ///
    /// Errors: those of [`Vehicle::drive`]; another number of controls than of wheels.
    pub fn drive_each<B: BroadPhase + SpatialIndex>(
        &mut self,
        world: &mut World<B>,
        controls: &[Controls],
        dt: f64,
    ) -> Result<(), WorldError> {
        if controls.len() != self.wheels.len() {
            let value = controls.len() as f32;
            return Err(WorldError::BadValue { what: "number of controls", value });
        }
        let controls = controls.iter().map(limited).collect::<Result<Vec<_>, _>>()?;
        self.drive_by(world, &|number| controls[number], dt)
    }

    /// Applies the forces, with the controls of each wheel by its index.
    fn drive_by<B: BroadPhase + SpatialIndex>(
        &mut self,
        world: &mut World<B>,
        controls: &dyn Fn(usize) -> Controls,
        dt: f64,
    ) -> Result<(), WorldError> {
        if !(0.0 < dt && dt.is_finite()) {
            return Err(WorldError::BadValue { what: "time step", value: dt as f32 });
        }
        let pose = world.body(self.chassis)?.wide_pose();
        if !world.body(self.chassis)?.is_enabled() {
            self.pause();
            return Ok(());
        }
        let mut bodies = Bodies::new(world, self.chassis, dt)?;
        self.speed = bodies.start[0].linear.dot(pose.rotation.x_axis);
        let mut rows = Vec::with_capacity(self.wheels.len());
        let is_dynamic = 0.0 < bodies.start[0].inverse_mass;
        #[cfg(feature = "soft")]
        let unsprung_mass = if is_dynamic { UNSPRUNG_PART * self.mass_on_wheel(&bodies) } else { 0.0 };
        let min_mass = if is_dynamic { MIN_GROUND_MASS * self.mass_on_wheel(&bodies) } else { 0.0 };
        let chassis = self.chassis;
        let mounted: Vec<BodyId> = mounted_on(world, chassis)?;
        let filter = QueryFilter::SOLID.with_filter(self.filter).without(&mounted);
        let mut sweep = WorldSweep::new(world, filter).met_by(chassis).with_min_mass(min_mass);
        for number in 0..self.wheels.len() {
            let controls = controls(number);
            rows.extend(self.find_ground(world, &mut sweep, &mut bodies, &pose, &controls, (number, dt)));
        }
        self.expect_support(&mut bodies, &mut rows);
        if is_dynamic {
            solve_wheels(&mut bodies.end, &mut rows, pose.rotation.y_axis, dt);
        } else {
            for row in &mut rows {
                (row.drive, row.load, row.along, row.across) = (0.0, 0.0, 0.0, 0.0);
            }
        }
        self.store_pushed_ground(&mut bodies, &rows);
        for row in &rows {
            self.store_result(world, row, &bodies, dt);
            let wheel = &self.wheels[row.wheel];
            let force = (wheel.normal * wheel.load + wheel.traction).as_vec3();
            let point = world.to_local(wheel.point);
            world.body_mut(self.chassis)?.apply_force_at(force, point)?;
            if let Some(ground) = row.ground {
                world.body_mut(bodies.ids[ground])?.apply_force_at(-force, point)?;
            }
            #[cfg(feature = "soft")]
            self.load_soft(world, row, unsprung_mass)?;
        }
        Ok(())
    }

    /// Lifts all wheels.
    fn pause(&mut self) {
        self.speed = 0.0;
        self.pushed.clear();
        self.wheels.iter_mut().for_each(VehicleWheel::lift);
    }

    /// Puts a wheel that stands on a soft body there as a load for the next step: a mass that
    /// moves with the surface, and is pressed by the spring and the tyre.
    #[cfg(feature = "soft")]
    fn load_soft<B: BroadPhase>(
        &self,
        world: &mut World<B>,
        row: &WheelRow,
        mass: f64,
    ) -> Result<(), WorldError> {
        let wheel = &self.wheels[row.wheel];
        let Some(soft) = wheel.soft_ground.filter(|_| 0.0 < wheel.load) else { return Ok(()) };
        // The chassis has the weight of the wheel.
        let weight = world.settings().solver.gravity.as_dvec3() * mass;
        let force = -(wheel.normal * wheel.load + wheel.traction) - weight;
        let load = SoftLoad::new(self.chassis, row.object.1, world.to_local(wheel.point), mass as f32)
            .with_radius((FOOTPRINT_RADII * wheel.desc.radius) as f32)
            .with_velocity(row.surface.as_vec3())
            .with_force(force.as_vec3());
        world.soft_body_mut(soft)?.load(load)?;
        Ok(())
    }

    /// Returns the mass of the chassis that each wheel carries.
    fn mass_on_wheel(&self, bodies: &Bodies) -> f64 {
        1.0 / (bodies.start[0].inverse_mass * self.wheels.len() as f64)
    }

    /// Finds the ground under a wheel. Returns the row of the solver for it; `None` in the air.
    fn find_ground<B: BroadPhase + SpatialIndex>(
        &mut self,
        world: &World<B>,
        sweep: &mut WorldSweep<'_, B>,
        bodies: &mut Bodies,
        pose: &WidePose,
        controls: &Controls,
        (number, dt): (usize, f64),
    ) -> Option<WheelRow> {
        let mass = self.mass_on_wheel(bodies);
        let wheel = &mut self.wheels[number];
        let desc = wheel.desc;
        wheel.steer = controls.steer.clamp(-desc.max_steer, desc.max_steer);
        let up = pose.rotation.y_axis;
        let mount = pose.transform_point(desc.mount);
        let falling = (-bodies.end[0].velocity_at(mount).dot(up) * dt).max(0.0);
        let highest = start_of_ray(world, self.chassis, mount, up, &desc);
        let Some((hit, depth)) = cast(sweep, mount, up, &desc, (highest, falling)) else {
            wheel.lift();
            return None;
        };
        let ground = world.body_at(hit.object);
        let (sin, cos) = ops::sin_cos(wheel.steer);
        let ahead = pose.rotation.x_axis * cos - pose.rotation.z_axis * sin;
        let ahead = scaling::unit(ahead - hit.normal * ahead.dot(hit.normal)).unwrap_or(pose.rotation.x_axis);
        let aside = ahead.cross(hit.normal);
        let point = mount - up * (desc.radius - depth);
        let mut row = WheelRow::new(number, point, [hit.normal, ahead, aside]);
        #[cfg(feature = "soft")]
        {
            row.object = (hit.object, hit.part);
        }
        row.ground = ground.and_then(|ground| bodies.find_or_add(world, ground, dt));
        let rigid = row.ground.map_or(DVec3::ZERO, |ground| bodies.start[ground].velocity_at(point));
        row.surface = hit.velocity - rigid;
        let velocity = row.velocity(&bodies.start);
        let pulse = TAU * desc.frequency;
        row.compression = depth;
        row.travel = desc.travel;
        row.stiffness = mass * pulse * pulse;
        row.damping = 2.0 * desc.damping_ratio * mass * pulse;
        row.rolling = velocity.dot(ahead);
        row.start_speed = velocity.dot(hit.normal);
        row.stop_speed = desc.travel * pulse;
        let friction = sweep.relative_friction(hit.object, hit.part);
        row.grip = desc.grip.map(|grip| grip * friction);
        row.drive = controls.throttle * desc.max_drive_force * dt;
        row.brake = controls.brake;
        row.max_brake = (desc.max_brake_force * dt).min(f64::MAX);
        row.relaxation = (RELAXATION_LENGTH * desc.radius).max(f64::MIN_POSITIVE);
        row.stretch = wheel.stretch;
        row.ground_key = ground.and_then(|ground| {
            let is_fixed = world.body(ground).ok()?.mobility() == Mobility::Fixed;
            Some(if is_fixed { u32::MAX } else { ground.index() })
        });
        if ground.is_some() && wheel.ground == ground {
            row.load = wheel.load * dt;
            row.along = row.drive + wheel.braking * dt;
            row.across = wheel.traction.dot(aside) * dt;
            // Conveyor belts have no pose for an anchor, and keep the stretch.
            if let (Some(anchor), Some(pose)) = (wheel.anchor, sweep.pose_of(hit.object, hit.part)) {
                let stretch = point - pose.transform_point(anchor);
                // A vehicle that was moved has left its anchors.
                let most = row.max_stretch() + MAX_STRETCH_STEPS * scaling::length(velocity) * dt;
                let is_near = scaling::length(stretch) <= most;
                row.stretch = if is_near { [stretch.dot(ahead), stretch.dot(aside)] } else { [0.0; 2] };
            }
        } else {
            wheel.lift();
        }
        wheel.ground = ground;
        #[cfg(feature = "soft")]
        {
            wheel.soft_ground = soft_body_of(world, hit.object);
        }
        (wheel.point, wheel.normal, wheel.compression) = (point, hit.normal, depth.max(0.0));
        Some(row)
    }

    /// Holds the bodies under the wheels as others supported them in the last step, and limits the
    /// impulses of the springs accordingly.
    fn expect_support(&self, bodies: &mut Bodies, rows: &mut [WheelRow]) {
        let mut is_held = vec![false; bodies.ids.len()];
        for row in rows {
            let Some(k) = row.ground else { continue };
            let start = bodies.start[k];
            // Beyond the support, at most the impulse that drives the body away as fast as the
            // spring extends.
            row.max_load = row.stop_speed / start.compliance(row.point, row.normal);
            let Some(pushed) = self.pushed.iter().find(|pushed| pushed.body == bodies.ids[k]) else {
                continue;
            };
            let (change, missed) = (pushed.linear_change, pushed.linear - start.linear);
            let along = |v: DVec3| row.normal * v.dot(row.normal);
            let parts = [(along(change), along(missed)), (change - along(change), missed - along(missed))]
                .map(|(change, missed)| opposed_fraction(change, missed));
            row.max_load += parts[0].map_or(0.0, |(_, part)| part * row.load);
            if core::mem::replace(&mut is_held[k], true) {
                continue;
            }
            for (direction, part) in parts.into_iter().flatten() {
                bodies.end[k].hold(&start, direction, part);
            }
            if let Some((direction, part)) =
                opposed_fraction(pushed.angular_change, pushed.angular - start.angular)
            {
                bodies.end[k].hold_rotation(&start, direction, part);
            }
        }
    }

    fn store_pushed_ground(&mut self, bodies: &mut Bodies, rows: &[WheelRow]) {
        for row in rows {
            if let Some(ground) = row.ground {
                let impulse = row.normal * row.load + row.ahead * row.along + row.aside * row.across;
                bodies.alone[ground].apply(-impulse, row.point);
            }
        }
        self.pushed.clear();
        for k in 1..bodies.ids.len() {
            let (start, alone) = (&bodies.start[k], &bodies.alone[k]);
            self.pushed.push(PushedBody {
                body: bodies.ids[k],
                linear: alone.linear,
                angular: alone.angular,
                linear_change: alone.linear - start.linear,
                angular_change: alone.angular - start.angular,
            });
        }
    }

    /// Stores the result of a row in its wheel.
    fn store_result<B: BroadPhase + SpatialIndex>(
        &mut self,
        world: &World<B>,
        row: &WheelRow,
        bodies: &Bodies,
        dt: f64,
    ) {
        let wheel = &mut self.wheels[row.wheel];
        let desc = wheel.desc;
        let ahead_speed = row.velocity(&bodies.start).dot(row.ahead);
        let is_rolling = !row.is_held && !row.is_locked(row.load);
        if is_rolling {
            let turns = (wheel.rolled + ahead_speed * dt / desc.radius) / TAU;
            wheel.rolled = TAU * (turns - ops::floor(turns));
        }
        wheel.load = row.load / dt;
        wheel.traction = (row.ahead * row.along + row.aside * row.across) / dt;
        wheel.braking = (row.along - row.drive) / dt;
        wheel.is_sliding = row.is_sliding;
        let velocity = row.velocity(&bodies.end);
        wheel.stretch = row.end_stretch;
        // The anchor is where the stretch at the end of the step has it.
        let offset = |axis: DVec3, stretch: f64| axis * (velocity.dot(axis) * dt - stretch);
        let [along, across] = wheel.stretch;
        let anchor = row.point + offset(row.ahead, along) + offset(row.aside, across);
        let ground = wheel.ground.and_then(|ground| world.body(ground).ok());
        let anchor = ground.map(|body| body.wide_pose().inverse_transform_point(anchor));
        wheel.anchor = anchor.filter(|anchor| anchor.is_finite());
    }
}

/// Returns the dynamic bodies that joints without contacts mount on the chassis, such as a fender.
/// Ropes, rods and gears mount nothing, and bodies that are not dynamic are ground.
fn mounted_on<B: BroadPhase>(world: &World<B>, chassis: BodyId) -> Result<Vec<BodyId>, WorldError> {
    let mounts = |kind: JointKind| {
        !matches!(
            kind,
            JointKind::Distance { .. }
                | JointKind::Pulley { .. }
                | JointKind::Gear { .. }
                | JointKind::RackAndPinion { .. }
        )
    };
    let joints = world.body(chassis)?.joints();
    let joints =
        joints.filter(|joint| joint.is_enabled() && !joint.data().has_contacts && mounts(joint.kind()));
    let is_dynamic = |body: &BodyId| world.body(*body).is_ok_and(|body| body.mobility() == Mobility::Dynamic);
    Ok(joints.flat_map(|joint| joint.bodies()).filter(is_dynamic).collect())
}

/// Returns controls within their ranges.
fn limited(controls: &Controls) -> Result<Controls, WorldError> {
    let Controls { throttle, brake, steer } = *controls;
    for (value, what) in [(throttle, "throttle"), (brake, "brake"), (steer, "steer")] {
        if !value.is_finite() {
            return Err(WorldError::BadValue { what, value: value as f32 });
        }
    }
    Ok(Controls { throttle: throttle.clamp(-1.0, 1.0), brake: brake.clamp(0.0, 1.0), steer })
}

/// Returns the height over the mount at which the ray of a wheel starts. It is a radius above the
/// highest hub, so that a wheel in the ground finds it. The ray of a wheel below the chassis
/// starts on top of the chassis at most, so that a load on it is no ground.
fn start_of_ray<B: BroadPhase + SpatialIndex>(
    world: &World<B>,
    chassis: BodyId,
    mount: DVec3,
    up: DVec3,
    desc: &WheelDesc,
) -> f64 {
    let above = desc.travel + desc.radius;
    let length = above + desc.radius;
    let sweep = WorldSweep::new(world, QueryFilter::SOLID);
    let top = sweep.ray_body(chassis.index(), mount + up * above, -up * length);
    above - top.filter(|top| !top.starts_inside).map_or(0.0, |top| length * top.t)
}

/// Returns the ground under a wheel, and the compression of the spring there. The ray starts at
/// the height `highest` over the mount. Before the wheel touches, the compression is from -`below`
/// to 0.
///
/// If the start is in an object, such as a load, the ray starts lower.
fn cast(
    sweep: &mut impl RaySweep,
    mount: DVec3,
    up: DVec3,
    desc: &WheelDesc,
    (highest, below): (f64, f64),
) -> Option<(RayHit, f64)> {
    let lower = [desc.travel, 0.0].into_iter().filter(|above| *above < highest);
    for above in iter::once(highest).chain(lower) {
        let length = above + desc.radius + below;
        let hit = sweep.ray(mount + up * above, -up * length, None)?;
        if !hit.starts_inside {
            let is_ground = MIN_GROUND_COSINE < hit.normal.dot(up);
            return is_ground.then_some((hit, above + desc.radius - length * hit.t));
        }
    }
    None
}

/// Returns the direction of a push, and the fraction of it that others took, 0 to 1; `None`
/// without a push. `missed` is the expected change minus the actual one.
fn opposed_fraction(change: DVec3, missed: DVec3) -> Option<(DVec3, f64)> {
    let direction = scaling::unit(change)?;
    Some((direction, (missed.dot(direction) / change.dot(direction)).clamp(0.0, 1.0)))
}

impl Bodies {
    fn new<B: BroadPhase>(world: &World<B>, chassis: BodyId, dt: f64) -> Result<Bodies, WorldError> {
        let (start, end) = wheel_body(world, chassis, dt)?;
        Ok(Bodies { ids: [chassis].into(), start: [start].into(), alone: [end].into(), end: [end].into() })
    }

    /// Returns the index of a dynamic body, which may be new; `None` for other bodies.
    fn find_or_add<B: BroadPhase>(&mut self, world: &World<B>, id: BodyId, dt: f64) -> Option<usize> {
        if world.body(id).map(|body| body.mobility()) != Ok(Mobility::Dynamic) {
            return None;
        }
        if let Some(known) = self.ids.iter().position(|known| *known == id) {
            return Some(known);
        }
        let (start, end) = wheel_body(world, id, dt).ok()?;
        self.ids.push(id);
        self.start.push(start);
        self.alone.push(end);
        self.end.push(end);
        Some(self.ids.len() - 1)
    }
}

/// Returns a body at the start of a step, and at its end under gravity, force fields, its other
/// forces and damping.
fn wheel_body<B: BroadPhase>(
    world: &World<B>,
    id: BodyId,
    dt: f64,
) -> Result<(WheelBody, WheelBody), WorldError> {
    let view = world.body(id)?;
    let body = view.motion();
    let start = WheelBody {
        center: world.to_wide(body.world_center()),
        linear: body.linear_velocity.as_dvec3(),
        angular: body.angular_velocity.as_dvec3(),
        inverse_mass: f64::from(body.inverse_mass),
        inverse_inertia: body.world_inverse_inertia().as_dmat3(),
        response: [DMat3::ZERO; 2],
    }
    .freed();
    let forces = view.step_forces(dt as f32);
    let push = forces.gravity.as_dvec3() + forces.force.as_dvec3() * start.inverse_mass;
    let turn = start.inverse_inertia * forces.torque.as_dvec3();
    let [keep, keep_spin] =
        [body.linear_damping, body.angular_damping].map(|damping| 1.0 / (1.0 + f64::from(damping) * dt));
    let end = WheelBody {
        linear: (start.linear + push * dt) * keep,
        angular: (start.angular + turn * dt) * keep_spin,
        ..start
    };
    Ok((start, end))
}

#[cfg(test)]
mod tests;
