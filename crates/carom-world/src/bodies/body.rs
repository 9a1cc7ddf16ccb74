//! Descriptions of bodies, for insertion.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.9 (rigid bodies).

use crate::WorldError;
use crate::bodies::active_hooks::ActiveHooks;
use crate::bodies::checks::{
    check_damping, check_not_negative, check_number, check_response, check_velocity,
};
use crate::bodies::collider::ColliderDesc;
use crate::bodies::material::{Filter, Material};
use crate::bodies::weight::Weight;
use alloc::vec::Vec;
use carom_broad::{Groups, Mobility};
use carom_geom::MassProperties;
use carom_math::glam::DVec3;
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_response::{Body, CombineRule, LockedAxes, Response};

/// A description of a body, for [`World::insert`](crate::World::insert). Lengths, masses and times
/// are in the units of the world.
///
/// ```
/// use carom_geom::Sphere;
/// use carom_math::{Pose, Vec3};
/// use carom_query::Shape;
/// use carom_world::BodyDesc;
///
/// let ball = BodyDesc::dynamic(Shape::Sphere(Sphere::new(0.5)?))
///     .with_pose(Pose::from_translation(Vec3::new(0.0, 3.0, 0.0)))
///     .with_density(600.0)
///     .with_restitution(0.8);
/// # let _ = ball;
/// # Ok::<(), carom_geom::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BodyDesc {
    /// Its colliders: shapes with poses, materials and filters. Usually it is one. Default: those
    /// of the constructor.
    pub colliders: Vec<ColliderDesc>,
    /// Its pose in the world frame. Default: the identity.
    pub pose: Pose,
    /// Its position as `f64`, which replaces the translation of `pose`: see
    /// [`World::origin`](crate::World::origin). Default: `None`.
    pub wide_position: Option<DVec3>,
    /// Fixed, kinematic or dynamic. Default: that of the constructor.
    pub mobility: Mobility,
    /// Velocity of the centre of mass, or of the origin of a kinematic body, in the world frame.
    /// Length per time. Default: zero.
    pub linear_velocity: Vec3,
    /// Angular velocity about axes of the world, in radians per time. Default: zero.
    pub angular_velocity: Vec3,
    /// The source of its mass, centre of mass and inertia. Default: [`BodyMass::Colliders`].
    pub mass: BodyMass,
    /// Its response to the bodies that it touches:
    /// [`BodyMut::set_response`](crate::BodyMut::set_response). Default: [`Response::Collide`].
    pub response: Response,
    /// Whether the body is swept in each step (continuous detection), including rotation, like a
    /// bullet of Box2D. At its first impact it stops, or slides along the obstacle for the rest of
    /// the step. So a dynamic body without joints passes through no fixed body (test:
    /// `bullets::no_bullet_passes_a_wall_of_a_millimetre`). For a body with joints only a ball in
    /// its middle is swept. A fast body is tested against the whole path of another fast body,
    /// even if that one stops earlier. Default: false.
    ///
    /// It bounces along the normal at the time of impact (test:
    /// `impact_directions::a_ball_that_is_hit_leaves_along_the_line_of_centres`). A second impact
    /// in the same step uses the normal of the start of the step. The impacts of bodies without
    /// `ccd` do so too.
    pub ccd: bool,
    /// Whether the pushes on the body are recorded, whatever the impulse thresholds are: see
    /// [`BodyRef::recent_pushes`](crate::BodyRef::recent_pushes). A kinematic body also records
    /// the impulses that are applied to it. A character treats a kinematic body that records
    /// pushes as one that gives way, like the body of another character. Default: false.
    pub records_pushes: bool,
    /// Factor of gravity, finite; 1 is full gravity. Default: 1.
    pub gravity_scale: f32,
    /// Linear damping, a rate per unit of time: in a short time `t` the velocity loses the
    /// fraction `linear_damping * t`. Finite and not negative. Default: 0.
    pub linear_damping: f32,
    /// Angular damping, a rate per unit of time like the linear damping. Finite and not negative.
    /// Default: 0.
    pub angular_damping: f32,
    /// Axes of the world along which a dynamic body does not move, or about which it does not
    /// turn. [`LockedAxes::OUT_OF_XY`] makes a world of two dimensions. Default: none.
    pub locked_axes: LockedAxes,
    /// The largest speed of the centre of mass of a dynamic body, length per time. Not negative.
    /// Default: `f32::MAX`.
    pub max_linear_speed: f32,
    /// The largest angular speed of a dynamic body, in radians per time. Not negative. Default:
    /// `f32::MAX`.
    pub max_angular_speed: f32,
    /// Whether it may fall asleep. Default: true.
    pub can_sleep: bool,
    /// Whether a dynamic body sleeps from the start, at velocity zero: see
    /// [`BodyMut::sleep`](crate::BodyMut::sleep). A level that is inserted asleep costs nothing
    /// until something moves in it. A disabled body does not sleep: it is awake when it is
    /// enabled. Default: false.
    pub is_sleeping: bool,
    /// Whether the body takes part in the world: see
    /// [`BodyMut::set_enabled`](crate::BodyMut::set_enabled). Default: true.
    pub is_enabled: bool,
    /// User data of the body; the world does not use it. Each collider has its own:
    /// [`ColliderDesc::user_data`]. Default: 0.
    pub user_data: u64,
}

/// The source of the mass of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum BodyMass {
    /// The colliders, each with its own density.
    #[default]
    Colliders,
    /// This total mass, distributed over the colliders in proportion to density times volume. If
    /// all densities are 0, they count as equal. Positive and finite.
    Total(f32),
    /// Mass, centre and inertia in the body's frame.
    Given(MassProperties),
}

impl BodyDesc {
    /// Describes a dynamic body with this collider, at rest at the origin. A shape alone becomes a
    /// collider with density 1000 (water, in kg/m3), friction 0.5, and no restitution.
    pub fn dynamic(collider: impl Into<ColliderDesc>) -> BodyDesc {
        BodyDesc::empty(Mobility::Dynamic).with_collider(collider)
    }

    /// Describes a fixed (static) body with this collider, at the origin.
    pub fn fixed(collider: impl Into<ColliderDesc>) -> BodyDesc {
        BodyDesc::empty(Mobility::Fixed).with_collider(collider)
    }

    /// Describes a kinematic body with this collider: it moves at the velocities that the caller
    /// sets, and contacts do not change them.
    pub fn kinematic(collider: impl Into<ColliderDesc>) -> BodyDesc {
        BodyDesc::empty(Mobility::Kinematic).with_collider(collider)
    }

    /// Describes a body without a collider, at rest at the origin. It touches nothing until it
    /// gets one. A dynamic one needs a mass: [`BodyDesc::with_mass_properties`].
    pub const fn empty(mobility: Mobility) -> BodyDesc {
        BodyDesc {
            colliders: Vec::new(),
            pose: Pose::IDENTITY,
            wide_position: None,
            mobility,
            linear_velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            mass: BodyMass::Colliders,
            response: Response::Collide,
            ccd: false,
            records_pushes: false,
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            locked_axes: LockedAxes::empty(),
            max_linear_speed: f32::MAX,
            max_angular_speed: f32::MAX,
            can_sleep: true,
            is_sleeping: false,
            is_enabled: true,
            user_data: 0,
        }
    }

    /// Adds a collider. Methods that change colliders apply to those added so far.
    pub fn with_collider(mut self, collider: impl Into<ColliderDesc>) -> BodyDesc {
        self.colliders.push(collider.into());
        self
    }

    /// Changes each collider that was added so far.
    fn with_each(mut self, change: impl FnMut(&mut ColliderDesc)) -> BodyDesc {
        self.colliders.iter_mut().for_each(change);
        self
    }

    /// Sets the material of all colliders so far.
    pub fn with_material(self, material: Material) -> BodyDesc {
        self.with_each(|collider| collider.material = material)
    }

    /// Sets the filter of all colliders so far.
    pub fn with_filter(self, filter: Filter) -> BodyDesc {
        self.with_each(|collider| collider.filter = filter)
    }

    /// Sets whether the body is fixed, kinematic or dynamic.
    pub fn with_mobility(self, mobility: Mobility) -> BodyDesc {
        BodyDesc { mobility, ..self }
    }

    /// Sets the position as `f64`: see [`World::origin`](crate::World::origin).
    pub fn with_wide_position(self, position: DVec3) -> BodyDesc {
        BodyDesc { wide_position: Some(position), ..self }
    }

    /// Sets the pose in the world frame.
    pub fn with_pose(self, pose: Pose) -> BodyDesc {
        BodyDesc { pose, ..self }
    }

    /// Sets the position in the world frame. The rotation stays.
    pub fn with_position(self, position: Vec3) -> BodyDesc {
        let rotation = self.pose.rotation;
        self.with_pose(Pose::new(rotation, position))
    }

    /// Sets the rotation, a unit quaternion. The position stays.
    pub fn with_rotation(self, rotation: Quat) -> BodyDesc {
        let position = self.pose.translation;
        self.with_pose(Pose::new(rotation, position))
    }

    /// Sets the linear velocity in the world frame, length per time.
    pub fn with_linear_velocity(self, linear_velocity: Vec3) -> BodyDesc {
        BodyDesc { linear_velocity, ..self }
    }

    /// Sets the angular velocity about axes of the world, in radians per time.
    pub fn with_angular_velocity(self, angular_velocity: Vec3) -> BodyDesc {
        BodyDesc { angular_velocity, ..self }
    }

    /// Sets the density of all colliders so far, mass per volume.
    pub fn with_density(self, density: f32) -> BodyDesc {
        self.with_each(|collider| collider.density = density)
    }

    /// Sets the total mass, which is distributed as by [`BodyMass::Total`].
    pub fn with_mass(self, mass: f32) -> BodyDesc {
        BodyDesc { mass: BodyMass::Total(mass), ..self }
    }

    /// Sets mass, centre of mass and inertia, in the body's frame.
    pub fn with_mass_properties(self, mass: MassProperties) -> BodyDesc {
        BodyDesc { mass: BodyMass::Given(mass), ..self }
    }

    /// Sets the friction of all colliders so far, Coulomb's coefficient.
    pub fn with_friction(self, friction: f32) -> BodyDesc {
        self.with_each(|collider| collider.material.friction = friction)
    }

    /// Sets the restitution of all colliders so far: 0 does not bounce, 1 keeps the speed.
    pub fn with_restitution(self, restitution: f32) -> BodyDesc {
        self.with_each(|collider| collider.material.restitution = restitution)
    }

    /// Sets the combine rules of all colliders so far, for friction and restitution.
    pub fn with_combine_rules(self, friction_rule: CombineRule, restitution_rule: CombineRule) -> BodyDesc {
        self.with_each(|collider| {
            collider.material = collider.material.with_rules(friction_rule, restitution_rule);
        })
    }

    /// Sets the threshold of impulse events of all colliders so far, mass times speed.
    pub fn with_impulse_threshold(self, impulse_threshold: f32) -> BodyDesc {
        self.with_each(|collider| collider.impulse_threshold = impulse_threshold)
    }

    /// Puts all colliders so far into the groups `membership`. They collide with the groups of
    /// `mask`.
    pub fn with_groups(self, membership: Groups, mask: Groups) -> BodyDesc {
        self.with_each(|collider| (collider.filter.groups, collider.filter.mask) = (membership, mask))
    }

    /// Sets the family of all colliders so far. Colliders of one family, other than 0, do not
    /// collide.
    pub fn with_family(self, family: u32) -> BodyDesc {
        self.with_each(|collider| collider.filter.family = family)
    }

    /// Sets whether all colliders so far are sensors.
    pub fn with_sensor(self, is_sensor: bool) -> BodyDesc {
        self.with_each(|collider| collider.is_sensor = is_sensor)
    }

    /// Sets the response to the bodies that it touches.
    pub fn with_response(self, response: Response) -> BodyDesc {
        BodyDesc { response, ..self }
    }

    /// Sets the surface velocity and the surface spin of all colliders so far: see
    /// [`Material::surface_velocity`]. They are relative to the body, in the collider's frame.
    pub fn with_surface_velocity(self, surface_velocity: Vec3, surface_spin: Vec3) -> BodyDesc {
        self.with_each(|collider| {
            collider.material = collider.material.with_surface_velocity(surface_velocity, surface_spin);
        })
    }

    /// Sets whether the body is swept in each step: see [`BodyDesc::ccd`].
    pub fn with_ccd(self, ccd: bool) -> BodyDesc {
        BodyDesc { ccd, ..self }
    }

    /// Sets whether the pushes on the body are recorded: see [`BodyDesc::records_pushes`].
    pub fn with_recorded_pushes(self, records_pushes: bool) -> BodyDesc {
        BodyDesc { records_pushes, ..self }
    }

    /// Sets the hooks of all colliders so far.
    pub fn with_hooks(self, hooks: ActiveHooks) -> BodyDesc {
        self.with_each(|collider| collider.hooks = hooks)
    }

    /// Sets the linear and the angular damping, rates per unit of time.
    pub fn with_damping(self, linear_damping: f32, angular_damping: f32) -> BodyDesc {
        BodyDesc { linear_damping, angular_damping, ..self }
    }

    /// Sets the locked axes.
    pub fn with_locked_axes(self, locked_axes: LockedAxes) -> BodyDesc {
        BodyDesc { locked_axes, ..self }
    }

    /// Sets the largest linear speed and the largest angular speed.
    pub fn with_max_speeds(self, max_linear_speed: f32, max_angular_speed: f32) -> BodyDesc {
        BodyDesc { max_linear_speed, max_angular_speed, ..self }
    }

    /// Sets the factor of gravity; 1 is full gravity.
    pub fn with_gravity_scale(self, gravity_scale: f32) -> BodyDesc {
        BodyDesc { gravity_scale, ..self }
    }

    /// Sets whether the body may fall asleep.
    pub fn with_can_sleep(self, can_sleep: bool) -> BodyDesc {
        BodyDesc { can_sleep, ..self }
    }

    /// Sets whether a dynamic body sleeps from the start: see [`BodyDesc::is_sleeping`].
    pub fn with_sleeping(self, is_sleeping: bool) -> BodyDesc {
        BodyDesc { is_sleeping, ..self }
    }

    /// Sets whether the body takes part in the world: see
    /// [`BodyMut::set_enabled`](crate::BodyMut::set_enabled).
    pub fn with_enabled(self, is_enabled: bool) -> BodyDesc {
        BodyDesc { is_enabled, ..self }
    }

    /// Sets the user data of the body. Hooks see it as
    /// [`Side::body_data`](crate::Side::body_data).
    pub fn with_user_data(self, user_data: u64) -> BodyDesc {
        BodyDesc { user_data, ..self }
    }
}

/// Checks a description, and returns the body for the solver. `mass_of` computes its mass
/// properties from the source of its mass.
pub(crate) fn admit(
    desc: &BodyDesc,
    weight: Weight,
    origin: DVec3,
    mass_of: impl FnOnce(&Weight) -> Result<MassProperties, WorldError>,
) -> Result<Body, WorldError> {
    let translation =
        desc.wide_position.map_or(desc.pose.translation, |position| (position - origin).as_vec3());
    let pose = Pose::try_new(desc.pose.rotation, translation)?;
    check_velocity(desc.linear_velocity, desc.angular_velocity)?;
    check_damping(desc.linear_damping, desc.angular_damping)?;
    check_response(desc.response)?;
    check_number(desc.gravity_scale, "gravity scale")?;
    let mut body = match desc.mobility {
        Mobility::Fixed => Body::fixed(pose),
        Mobility::Kinematic => Body::kinematic(pose, desc.linear_velocity, desc.angular_velocity),
        Mobility::Dynamic => {
            let mass = mass_of(&weight)?;
            let mut body = Body::dynamic(pose, mass.mass, mass.center, mass.inertia);
            body.linear_velocity = desc.linear_velocity;
            body.angular_velocity = desc.angular_velocity;
            body
        }
    };
    weight.check()?;
    body.gravity_scale = desc.gravity_scale;
    body.linear_damping = desc.linear_damping;
    body.angular_damping = desc.angular_damping;
    check_not_negative(desc.max_linear_speed, "max linear speed")?;
    check_not_negative(desc.max_angular_speed, "max angular speed")?;
    body.locked_axes = desc.locked_axes;
    (body.max_linear_speed, body.max_angular_speed) = (desc.max_linear_speed, desc.max_angular_speed);
    body.can_sleep = desc.can_sleep;
    Ok(body)
}

/// Returns mass, centre of mass and inertia of a shape of uniform density, in its frame:
/// [`Shape::mass_properties`].
pub fn mass_of(shape: &Shape, density: f32) -> MassProperties {
    shape.mass_properties(density)
}
