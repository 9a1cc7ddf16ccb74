//! Bodies: the description that a user gives, the properties that the world keeps, and the mass.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.9 (rigid bodies).

use crate::WorldError;
use crate::bodies::active_hooks::ActiveHooks;
use crate::bodies::weight::Weight;
use carom_broad::{Filter, Groups, Mobility};
use carom_geom::MassProperties;
use carom_math::glam::DVec3;
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_response::{Body, CombineRule, LockedAxes, Response};

/// A body to be inserted.
///
/// ```
/// use carom_geom::Sphere;
/// use carom_math::{Pose, Vec3};
/// use carom_query::Shape;
/// use carom_world::BodyDesc;
///
/// let ball = BodyDesc::dynamic(Shape::Sphere(Sphere::new(0.5)?))
///     .with_pose(Pose::from_translation(Vec3::new(0.0, 3.0, 0.0)))
///     .with_density(1000.0)
///     .with_restitution(0.8);
/// # let _ = ball;
/// # Ok::<(), carom_geom::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BodyDesc {
    /// Its shape.
    pub shape: Shape,
    /// Its pose in the world frame.
    pub pose: Pose,
    /// The place of its frame in `f64`, instead of the translation of `pose`:
    /// [`World::origin`](crate::World::origin).
    pub wide_position: Option<DVec3>,
    /// Fixed, kinematic or dynamic.
    pub mobility: Mobility,
    /// Velocity of the centre of mass, or of the origin of a kinematic body. Length per time.
    pub linear_velocity: Vec3,
    /// Angular velocity, in radians per time.
    pub angular_velocity: Vec3,
    /// Mass per volume of a dynamic body.
    pub density: f32,
    /// Its mass, centre and inertia, if they are not those of its shape and density.
    pub mass: Option<MassProperties>,
    /// Coulomb's coefficient. Not negative.
    pub friction: f32,
    /// 0 does not bounce, 1 keeps the speed. Not negative.
    pub restitution: f32,
    /// How its friction and that of another body become one: by default their geometric mean.
    pub friction_rule: CombineRule,
    /// How its restitution and that of another body become one: by default the larger one.
    pub restitution_rule: CombineRule,
    /// Contacts whose normal impulses in a step sum up to more are reported:
    /// [`World::impulse_events`](crate::World::impulse_events). In mass times speed; not negative.
    /// The default is the largest number, which reports nothing.
    pub impulse_threshold: f32,
    /// The groups that it belongs to.
    pub membership: Groups,
    /// The groups that it collides with.
    pub mask: Groups,
    /// Bodies of the same family do not collide, such as the limbs of one figure. 0 is no family.
    pub family: u32,
    /// Reports the bodies that it touches, and pushes none.
    pub is_sensor: bool,
    /// Its response to the bodies that it touches:
    /// [`BodyMut::set_response`](crate::BodyMut::set_response).
    pub response: Response,
    /// Velocity of its surface against the body, at its origin and in its frame: a conveyor belt.
    /// Length per time: [`BodyMut::set_surface_velocity`](crate::BodyMut::set_surface_velocity).
    pub surface_velocity: Vec3,
    /// Angular velocity of its surface against the body, in its frame: a turntable, a curved belt.
    /// Radians per time.
    pub surface_spin: Vec3,
    /// Whether the body is swept in each step, rotation included, as a bullet of Box2D is. It stops
    /// at the first thing that it meets, until the next step. So a dynamic body passes through
    /// nothing (test: `bullets::no_bullet_passes_a_wall_of_a_millimetre`). A fast body is tested
    /// against the whole path of another fast body, even if that one stops earlier.
    pub ccd: bool,
    /// The hooks that are called for its pairs: [`Hooks`](crate::Hooks).
    pub hooks: ActiveHooks,
    /// Factor of gravity; 1 is all of it.
    pub gravity_scale: f32,
    /// Part of the velocity that is lost per unit of time. Not negative.
    pub linear_damping: f32,
    /// Part of the angular velocity that is lost per unit of time. Not negative.
    pub angular_damping: f32,
    /// Axes of the world along which it does not move, or about which it does not turn, if it is
    /// dynamic. [`LockedAxes::OUT_OF_XY`] makes a world of two dimensions.
    pub locked_axes: LockedAxes,
    /// The largest speed of the centre of mass of a dynamic body. Not negative; the default is the
    /// largest number.
    pub max_linear_speed: f32,
    /// The largest angular speed of a dynamic body, in radians per time. Not negative; the default
    /// is the largest number.
    pub max_angular_speed: f32,
    /// Whether it may fall asleep.
    pub can_sleep: bool,
    /// A number for the caller; the world does not use it.
    pub user_data: u64,
}

impl BodyDesc {
    /// A dynamic body at the origin, at rest, of density 1, friction 0.5, and no restitution.
    pub const fn dynamic(shape: Shape) -> BodyDesc {
        BodyDesc {
            shape,
            pose: Pose::IDENTITY,
            wide_position: None,
            mobility: Mobility::Dynamic,
            linear_velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            density: 1.0,
            mass: None,
            friction: 0.5,
            restitution: 0.0,
            friction_rule: CombineRule::GeometricMean,
            restitution_rule: CombineRule::Max,
            impulse_threshold: f32::MAX,
            membership: Groups::DEFAULT,
            mask: Groups::all(),
            family: 0,
            is_sensor: false,
            response: Response::Collide,
            surface_velocity: Vec3::ZERO,
            surface_spin: Vec3::ZERO,
            ccd: false,
            hooks: ActiveHooks::empty(),
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            locked_axes: LockedAxes::empty(),
            max_linear_speed: f32::MAX,
            max_angular_speed: f32::MAX,
            can_sleep: true,
            user_data: 0,
        }
    }

    /// A static body.
    pub fn fixed(shape: Shape) -> BodyDesc {
        BodyDesc { mobility: Mobility::Fixed, ..BodyDesc::dynamic(shape) }
    }

    /// A kinematic body: it moves with the velocities that the caller sets, whatever it meets.
    pub fn kinematic(shape: Shape) -> BodyDesc {
        BodyDesc { mobility: Mobility::Kinematic, ..BodyDesc::dynamic(shape) }
    }

    /// At this place in `f64`: [`World::origin`](crate::World::origin).
    pub fn with_wide_position(self, place: DVec3) -> BodyDesc {
        BodyDesc { wide_position: Some(place), ..self }
    }

    /// At this pose.
    pub fn with_pose(self, pose: Pose) -> BodyDesc {
        BodyDesc { pose, ..self }
    }

    /// At this position, without rotation.
    pub fn with_position(self, position: Vec3) -> BodyDesc {
        self.with_pose(Pose::from_translation(position))
    }

    /// With these velocities, linear and angular.
    pub fn with_velocity(self, linear_velocity: Vec3, angular_velocity: Vec3) -> BodyDesc {
        BodyDesc { linear_velocity, angular_velocity, ..self }
    }

    /// With this density.
    pub fn with_density(self, density: f32) -> BodyDesc {
        BodyDesc { density, ..self }
    }

    /// With this mass.
    pub fn with_mass(self, mass: MassProperties) -> BodyDesc {
        BodyDesc { mass: Some(mass), ..self }
    }

    /// With this friction.
    pub fn with_friction(self, friction: f32) -> BodyDesc {
        BodyDesc { friction, ..self }
    }

    /// With this restitution.
    pub fn with_restitution(self, restitution: f32) -> BodyDesc {
        BodyDesc { restitution, ..self }
    }

    /// With these rules for friction and restitution.
    pub fn with_combine_rules(self, friction_rule: CombineRule, restitution_rule: CombineRule) -> BodyDesc {
        BodyDesc { friction_rule, restitution_rule, ..self }
    }

    /// With this threshold of impulse events.
    pub fn with_impulse_threshold(self, impulse_threshold: f32) -> BodyDesc {
        BodyDesc { impulse_threshold, ..self }
    }

    /// In the groups `membership`, colliding with the groups `mask`.
    pub fn with_groups(self, membership: Groups, mask: Groups) -> BodyDesc {
        BodyDesc { membership, mask, ..self }
    }

    /// In this family.
    pub fn with_family(self, family: u32) -> BodyDesc {
        BodyDesc { family, ..self }
    }

    /// A sensor, or not.
    pub fn with_sensor(self, is_sensor: bool) -> BodyDesc {
        BodyDesc { is_sensor, ..self }
    }

    /// With this response to the bodies that it touches.
    pub fn with_response(self, response: Response) -> BodyDesc {
        BodyDesc { response, ..self }
    }

    /// With a surface that moves against it, in its frame: velocity at its origin, and spin.
    pub fn with_surface_velocity(self, surface_velocity: Vec3, surface_spin: Vec3) -> BodyDesc {
        BodyDesc { surface_velocity, surface_spin, ..self }
    }

    /// Swept in each step, or not.
    pub fn with_ccd(self, ccd: bool) -> BodyDesc {
        BodyDesc { ccd, ..self }
    }

    /// With these hooks.
    pub fn with_hooks(self, hooks: ActiveHooks) -> BodyDesc {
        BodyDesc { hooks, ..self }
    }

    /// With these dampings, linear and angular.
    pub fn with_damping(self, linear_damping: f32, angular_damping: f32) -> BodyDesc {
        BodyDesc { linear_damping, angular_damping, ..self }
    }

    /// With these axes locked.
    pub fn with_locked_axes(self, locked_axes: LockedAxes) -> BodyDesc {
        BodyDesc { locked_axes, ..self }
    }

    /// With these largest speeds, linear and angular.
    pub fn with_max_speeds(self, max_linear_speed: f32, max_angular_speed: f32) -> BodyDesc {
        BodyDesc { max_linear_speed, max_angular_speed, ..self }
    }

    /// With this share of gravity.
    pub fn with_gravity_scale(self, gravity_scale: f32) -> BodyDesc {
        BodyDesc { gravity_scale, ..self }
    }

    /// May fall asleep, or never does.
    pub fn with_can_sleep(self, can_sleep: bool) -> BodyDesc {
        BodyDesc { can_sleep, ..self }
    }

    /// What gives it its mass.
    pub(crate) fn weight(&self) -> Weight {
        self.mass.map_or(Weight::Density(self.density), Weight::Given)
    }

    /// With the caller's own number.
    pub fn with_user_data(self, user_data: u64) -> BodyDesc {
        BodyDesc { user_data, ..self }
    }
}

/// The properties of a body beside its motion and its shape.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Traits {
    pub(crate) filter: Filter,
    pub(crate) friction: f32,
    pub(crate) restitution: f32,
    pub(crate) friction_rule: CombineRule,
    pub(crate) restitution_rule: CombineRule,
    pub(crate) impulse_threshold: f32,
    pub(crate) family: u32,
    pub(crate) is_sensor: bool,
    pub(crate) is_fast: bool,
    pub(crate) hooks: ActiveHooks,
    pub(crate) user_data: u64,
}

impl Traits {
    /// For a number without a body.
    pub(crate) const NONE: Traits = Traits {
        filter: Filter::new(Mobility::Fixed),
        friction: 0.0,
        restitution: 0.0,
        friction_rule: CombineRule::GeometricMean,
        restitution_rule: CombineRule::Max,
        impulse_threshold: f32::MAX,
        family: 0,
        is_sensor: false,
        is_fast: false,
        hooks: ActiveHooks::empty(),
        user_data: 0,
    };
}

impl Traits {
    /// Returns friction and restitution of a pair, by the rules of both.
    pub(crate) fn mixed_with(&self, other: &Traits) -> [f32; 2] {
        let rules = [self.friction_rule, other.friction_rule];
        let friction = CombineRule::combine(rules, [self.friction, other.friction]);
        [friction, self.mixed_restitution(other)]
    }

    /// Returns the restitution of a pair.
    pub(crate) fn mixed_restitution(&self, other: &Traits) -> f32 {
        let rules = [self.restitution_rule, other.restitution_rule];
        CombineRule::combine(rules, [self.restitution, other.restitution])
    }

    /// Whether hooks are called for it.
    pub(crate) fn has_hooks(&self) -> bool {
        !self.hooks.is_empty()
    }

    /// Whether its impulse events are wanted.
    pub(crate) fn has_threshold(&self) -> bool {
        self.impulse_threshold < f32::MAX
    }
}

/// Checks a description, and turns it into what the world keeps.
pub(crate) fn admit(desc: &BodyDesc, origin: DVec3) -> Result<(Traits, Body), WorldError> {
    let translation = desc.wide_position.map_or(desc.pose.translation, |place| (place - origin).as_vec3());
    let pose = Pose::try_new(desc.pose.rotation, translation)?;
    check_velocity(desc.linear_velocity, desc.angular_velocity)?;
    check_not_negative(desc.friction, "friction")?;
    check_not_negative(desc.restitution, "restitution")?;
    check_not_negative(desc.impulse_threshold, "impulse threshold")?;
    check_damping(desc.linear_damping, desc.angular_damping)?;
    check_not_negative(desc.density, "density")?;
    check_response(desc.response)?;
    check_surface(desc.surface_velocity, desc.surface_spin)?;
    if !desc.gravity_scale.is_finite() {
        return Err(WorldError::BadNumber("gravity scale"));
    }
    let mut body = match desc.mobility {
        Mobility::Fixed => Body::fixed(pose),
        Mobility::Kinematic => Body::kinematic(pose, desc.linear_velocity, desc.angular_velocity),
        Mobility::Dynamic => {
            let mass = desc.weight().of(&desc.shape)?;
            let mut body = Body::dynamic(pose, mass.mass, mass.center, mass.inertia);
            body.linear_velocity = desc.linear_velocity;
            body.angular_velocity = desc.angular_velocity;
            body
        }
    };
    if !desc.weight().is_sound() {
        return Err(WorldError::BadNumber("mass"));
    }
    body.gravity_scale = desc.gravity_scale;
    body.linear_damping = desc.linear_damping;
    body.angular_damping = desc.angular_damping;
    check_not_negative(desc.max_linear_speed, "max linear speed")?;
    check_not_negative(desc.max_angular_speed, "max angular speed")?;
    body.locked_axes = desc.locked_axes;
    (body.max_linear_speed, body.max_angular_speed) = (desc.max_linear_speed, desc.max_angular_speed);
    body.can_sleep = desc.can_sleep;
    let traits = Traits {
        filter: Filter::new(desc.mobility).with_groups(desc.membership, desc.mask),
        friction: desc.friction,
        restitution: desc.restitution,
        friction_rule: desc.friction_rule,
        restitution_rule: desc.restitution_rule,
        impulse_threshold: desc.impulse_threshold,
        family: desc.family,
        is_sensor: desc.is_sensor,
        is_fast: desc.ccd,
        hooks: desc.hooks,
        user_data: desc.user_data,
    };
    Ok((traits, body))
}

/// Refuses velocities that are not finite.
pub(crate) fn check_velocity(linear: Vec3, angular: Vec3) -> Result<(), WorldError> {
    if linear.is_finite() && angular.is_finite() { Ok(()) } else { Err(WorldError::BadNumber("velocity")) }
}

/// A finite velocity of a surface.
pub(crate) fn check_surface(velocity: Vec3, spin: Vec3) -> Result<(), WorldError> {
    let is_finite = velocity.is_finite() && spin.is_finite();
    if is_finite { Ok(()) } else { Err(WorldError::BadNumber("surface velocity")) }
}

/// Dampings that are not negative, and finite.
pub(crate) fn check_damping(linear: f32, angular: f32) -> Result<(), WorldError> {
    check_not_negative(linear, "linear damping")?;
    check_not_negative(angular, "angular damping")
}

/// A number that is not negative, and finite.
pub(crate) fn check_not_negative(x: f32, what: &'static str) -> Result<(), WorldError> {
    if 0.0 <= x && x < f32::INFINITY { Ok(()) } else { Err(WorldError::BadNumber(what)) }
}

/// Mass, centre and inertia of a shape of uniform density: [`Shape::mass_properties`].
pub fn mass_of(shape: &Shape, density: f32) -> MassProperties {
    shape.mass_properties(density)
}

/// Refuses a response whose numbers are out of their range.
pub(crate) fn check_response(response: Response) -> Result<(), WorldError> {
    if response.is_sound() { Ok(()) } else { Err(WorldError::BadNumber("response")) }
}
