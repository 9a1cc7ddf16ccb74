//! The view of a body for reading: [`World::body`](crate::World::body).
//!
//! Reference: E. Catto, Box2D 3.1, body.h, 2025 (which properties of a body can be read).

use crate::bodies::step_forces::StepForces;
use crate::bodies::weight::Weight;
use crate::contacts::events::ContactView;
use crate::contacts::pushes::Push;
use crate::contacts::surface_velocity::belt_at;
use crate::world::DefaultBroadPhase;
use crate::{ActiveHooks, BodyId, BodyMass, JointRef, World};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Groups, Mobility};
use carom_geom::MassProperties;
use carom_math::glam::DVec3;
use carom_math::{Mat3, Pose, Quat, Vec3, WidePose};
use carom_query::Shape;
use carom_response::{Body, BodyKind, CombineRule, LockedAxes, Response};

/// A view of a body, for reading. Each setter of [`BodyMut`](crate::BodyMut) has a getter here.
/// Properties of colliders, such as the material, are read from [`BodyRef::colliders`]. The view
/// consists of references, so copies are cheap.
pub struct BodyRef<'a, B: BroadPhase = DefaultBroadPhase> {
    pub(crate) world: &'a World<B>,
    pub(crate) id: BodyId,
    pub(crate) shape: &'a Shape,
    /// The box of the body in the broad phase.
    pub(crate) aabb: Aabb,
}

impl<B: BroadPhase> Clone for BodyRef<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B: BroadPhase> Copy for BodyRef<'_, B> {}

impl<B: BroadPhase> core::fmt::Debug for BodyRef<'_, B> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("BodyRef").field("id", &self.id).field("motion", self.motion()).finish_non_exhaustive()
    }
}

impl<'a, B: BroadPhase> BodyRef<'a, B> {
    fn index(&self) -> usize {
        self.id.index as usize
    }

    /// Returns the handle of the body.
    pub fn id(&self) -> BodyId {
        self.id
    }

    /// Returns whether the body is fixed, kinematic or dynamic.
    pub fn mobility(&self) -> Mobility {
        self.world.bodies.traits[self.index()].filter.mobility
    }

    /// Returns the body as the solver has it: mass, pose and motion.
    pub fn motion(&self) -> &'a Body {
        &self.world.bodies.motions[self.index()]
    }

    /// Returns the pose of the body's frame in the world.
    pub fn pose(&self) -> Pose {
        self.motion().pose
    }

    /// Returns the origin of the body's frame in the world.
    pub fn position(&self) -> Vec3 {
        self.motion().pose.translation
    }

    /// Returns the pose with the position in `f64`: see [`World::origin`].
    pub fn wide_pose(&self) -> WidePose {
        WidePose { translation: self.wide_position(), ..self.pose().wide() }
    }

    /// Returns the position of the body's frame in `f64`: see [`World::origin`].
    pub fn wide_position(&self) -> DVec3 {
        self.world.origin() + self.world.bodies.exact_position(self.index())
    }

    /// Returns the rotation from the body's frame to the world, a unit quaternion.
    pub fn rotation(&self) -> Quat {
        self.motion().pose.rotation
    }

    /// Returns the velocity of the centre of mass in the world frame, length per time.
    pub fn linear_velocity(&self) -> Vec3 {
        self.motion().linear_velocity
    }

    /// Returns the angular velocity about axes of the world, radians per time.
    pub fn angular_velocity(&self) -> Vec3 {
        self.motion().angular_velocity
    }

    /// Returns the velocity of the material point that is now at a point of the world, length per
    /// time.
    pub fn velocity_at(&self, point: Vec3) -> Vec3 {
        self.motion().velocity_at(point)
    }

    /// Returns the centre of mass in the world frame.
    pub fn center_of_mass(&self) -> Vec3 {
        self.motion().world_center()
    }

    /// Returns the mass; infinite if the body is not dynamic.
    pub fn mass(&self) -> f32 {
        self.motion().inverse_mass.recip()
    }

    /// Returns mass, centre of mass and inertia about it, in the frame of the body. For a body that
    /// is not dynamic these are the ones that were given to it, or zero.
    pub fn mass_properties(&self) -> MassProperties {
        let body = self.motion();
        match self.world.bodies.weights[self.index()] {
            Weight::Given(mass, _) => mass,
            _ if body.kind != BodyKind::Dynamic => MassProperties::ZERO,
            // A body that no torque turns has no inverse.
            _ => {
                let inverse = body.inverse_inertia.as_dmat3();
                let is_free = inverse.determinant() != 0.0;
                let inertia = if is_free { inverse.inverse().as_mat3() } else { Mat3::ZERO };
                MassProperties::new(self.mass(), body.center_of_mass, inertia)
            }
        }
    }

    /// Returns the source of the mass: [`BodyMass::Colliders`] if it follows the shapes and
    /// densities of the colliders, else [`BodyMass::Given`]. A total mass is distributed over the
    /// colliders when it is set. From then on it counts as given.
    ///
    /// After [`BodyMut::set_shape`](crate::BodyMut::set_shape), which leaves the mass, it follows
    /// the next change of a density or of the list of colliders.
    pub fn mass_source(&self) -> BodyMass {
        match self.world.bodies.weights[self.index()] {
            Weight::Given(mass, _) => BodyMass::Given(mass),
            Weight::Density(_) | Weight::Colliders | Weight::Kept(..) => BodyMass::Colliders,
        }
    }

    /// Returns the force on the centre of mass and the torque that act in each step, in the world
    /// frame: [`BodyMut::set_constant_force`](crate::BodyMut::set_constant_force).
    pub fn constant_force(&self) -> [Vec3; 2] {
        [self.motion().force, self.motion().torque]
    }

    /// Returns the target of a kinematic body for the next step, in the world frame, if there is
    /// one: [`BodyMut::move_to`](crate::BodyMut::move_to).
    pub fn target(&self) -> Option<Pose> {
        let targets = &self.world.bodies.steering.targets;
        let found = targets.binary_search_by_key(&self.id.index, |(body, _)| *body);
        found.ok().map(|place| targets[place].1)
    }

    /// Returns the linear and the angular damping, rates per unit of time.
    pub fn damping(&self) -> [f32; 2] {
        [self.motion().linear_damping, self.motion().angular_damping]
    }

    /// Returns the factor of gravity; 1 is full gravity.
    pub fn gravity_scale(&self) -> f32 {
        self.motion().gravity_scale
    }

    /// Returns the axes of the world that are locked for a dynamic body.
    pub fn locked_axes(&self) -> LockedAxes {
        self.motion().locked_axes
    }

    /// Returns the largest speeds of a dynamic body: linear in length per time, angular in radians
    /// per time. `f32::MAX` is no bound.
    pub fn max_speeds(&self) -> [f32; 2] {
        [self.motion().max_linear_speed, self.motion().max_angular_speed]
    }

    /// Whether the body is swept in each step (continuous detection): see
    /// [`BodyDesc::ccd`](crate::BodyDesc::ccd).
    pub fn ccd(&self) -> bool {
        self.world.bodies.traits[self.index()].is_fast
    }

    /// Whether the pushes on the body are recorded: see
    /// [`BodyDesc::records_pushes`](crate::BodyDesc::records_pushes).
    pub fn records_pushes(&self) -> bool {
        self.world.bodies.traits[self.index()].records_pushes
    }

    /// Whether the body may fall asleep.
    pub fn can_sleep(&self) -> bool {
        self.motion().can_sleep
    }

    /// Returns the kinetic energy, including rotation; 0 if the body is not dynamic.
    pub fn kinetic_energy(&self) -> f64 {
        self.motion().energy(Vec3::ZERO, 0.0).kinetic
    }

    /// Returns the shape, in the body's frame. For a body of several colliders it is a compound of
    /// all of them, solid ones first. For the shape of one see
    /// [`ColliderRef::shape`](crate::ColliderRef::shape).
    pub fn shape(&self) -> &'a Shape {
        self.shape
    }

    /// Returns the box of the body in the broad phase: that of its shape, expanded by half of the
    /// prediction. For a body that travels far in a step it is a box around its path.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// Returns the user data of the body. Each collider has its own:
    /// [`ColliderRef::user_data`](crate::ColliderRef::user_data).
    pub fn user_data(&self) -> u64 {
        self.world.bodies.traits[self.index()].user_data
    }

    /// Returns the union of the groups of its colliders, and the union of their masks.
    pub fn groups(&self) -> (Groups, Groups) {
        let filter = &self.world.bodies.traits[self.index()].filter;
        (filter.membership, filter.mask)
    }

    /// Returns the hooks that are called for pairs of one of its colliders.
    pub fn hooks(&self) -> ActiveHooks {
        self.world.bodies.traits[self.index()].hooks
    }

    /// Returns the lowest threshold of impulse events of its colliders, mass times speed.
    pub fn impulse_threshold(&self) -> f32 {
        self.world.bodies.traits[self.index()].impulse_threshold
    }

    /// Returns the common family of its colliders; 0 if they have none or different ones.
    pub fn family(&self) -> u32 {
        self.world.bodies.traits[self.index()].family
    }

    /// Whether all its colliders are sensors.
    pub fn is_sensor(&self) -> bool {
        self.world.bodies.traits[self.index()].is_sensor
    }

    /// Whether the body sleeps: steps do not move it until something wakes it.
    pub fn is_sleeping(&self) -> bool {
        self.motion().is_sleeping
    }

    /// Whether the body is enabled: see [`BodyMut::set_enabled`](crate::BodyMut::set_enabled).
    pub fn is_enabled(&self) -> bool {
        self.world.bodies.is_enabled(self.index())
    }

    /// Whether a budget left the body out of the last step. It keeps its pose and its velocity: see
    /// [`Shortfall::n_suspended`](crate::Shortfall::n_suspended).
    pub fn is_suspended(&self) -> bool {
        self.world.bodies.is_suspended(self.index())
    }

    /// Returns the surface velocity at the body's origin, and the surface spin, both relative to
    /// the body, in its frame:
    /// [`BodyMut::set_surface_velocity`](crate::BodyMut::set_surface_velocity). With several
    /// colliders, they are those of the first one whose surface moves.
    pub fn surface_velocity(&self) -> [Vec3; 2] {
        let pose_of = |body| self.world.composite(body)?.first_belt().map(|collider| collider.pose);
        let pose = pose_of(self.index()).unwrap_or(Pose::IDENTITY);
        let belt = self.world.contacts.belts.of(self.id.index);
        belt.map_or([Vec3::ZERO; 2], |belt| belt.at(&pose, Vec3::ZERO))
    }

    /// Returns the surface velocity at a point of the world, length per time, and the surface
    /// spin, radians per time. Both are relative to the body, in the world frame. Without a belt
    /// they are zero. The motion of a deforming mesh is not included.
    ///
    /// `part` is the index of the touched part among the parts of the body, as in a contact: see
    /// [`ColliderRef::first_part`](crate::ColliderRef::first_part). It selects the collider, and
    /// the material of the part if it has one.
    pub fn surface_velocity_at(&self, part: u32, point: Vec3) -> [Vec3; 2] {
        let tables = (&self.world.bodies.solids([&[], &[]]), &self.world.contacts.belts);
        belt_at(tables, (self.id.index, part), &self.pose(), point)
    }

    /// Returns the friction of a part of the body, Coulomb's coefficient, and its combine rule.
    /// `part` is its index among the parts of the body, as in a contact. It selects the collider,
    /// and the material of the part if it has one.
    pub fn friction_at(&self, part: u32) -> (f32, CombineRule) {
        let traits = self.world.bodies.solids([&[], &[]]).traits_at(self.index(), part);
        (traits.friction, traits.friction_rule)
    }

    /// Returns the response of the body to the bodies that it touches.
    pub fn response(&self) -> Response {
        self.world.contacts.rules.of_body(self.id.index)
    }

    /// Returns gravity and forces on the body in the next step, of length `dt`. They come from the
    /// settings, force fields, constant forces, and forces that were applied for that step. Forces
    /// of contacts and joints, and damping, are not among them. Forces have no effect on a body
    /// that is not dynamic.
    pub fn step_forces(&self, dt: f32) -> StepForces {
        self.world.step_forces_on(self.id.index, dt)
    }

    /// Returns the contacts of the body at the last detection, in the order of the pairs. These are
    /// pairs of colliders that touch or are near each other. The cost grows with their number, not
    /// with the size of the world (test:
    /// `touching::the_neighbours_of_a_body_cost_the_same_in_a_larger_world`).
    pub fn contacts(&self) -> impl Iterator<Item = ContactView<'a>> + 'a {
        let world = self.world;
        world.contacts.states_of(self.id).flat_map(move |state| world.views_of(state))
    }

    /// Returns the pushes on the body in the last step, sorted by the pairs. They are recorded for
    /// pairs of which one body has an impulse threshold below `f32::MAX` or
    /// [records pushes](crate::BodyDesc::records_pushes). An impulse that was applied to
    /// a kinematic body comes first, then the pushes of soft things on a body that records pushes.
    /// After [`World::detect`] there are none: [`BodyRef::recent_pushes`].
    pub fn pushes(&self) -> impl Iterator<Item = Push> + 'a {
        self.world.contacts.pushes.on(self.id, false)
    }

    /// Returns the pushes on the body in the last step. If one of the two bodies is kinematic, the
    /// list begins with the pushes of the 15 steps before, oldest first. Each call of
    /// [`World::detect`] counts as a step (test: `knocks::recent_pushes_are_kept_for_16_steps` of
    /// carom-character).
    ///
    /// Code that runs less often than steps takes them, and then removes them:
    /// [`BodyMut::clear_pushes`](crate::BodyMut::clear_pushes).
    pub fn recent_pushes(&self) -> impl Iterator<Item = Push> + 'a {
        self.world.contacts.pushes.on(self.id, true)
    }

    /// Returns the bodies that the body touched at the last detection, sensors included. Each is
    /// returned once, also if several colliders touch, in the order of their numbers. The cost is
    /// that of [`BodyRef::contacts`].
    pub fn touching(&self) -> impl Iterator<Item = BodyId> + 'a {
        let id = self.id;
        let touching = self.contacts().filter(|view| view.is_touching);
        let mut others: Vec<BodyId> =
            touching.map(|view| if view.a == id { view.b } else { view.a }).collect();
        // They are in the order of the pairs.
        others.dedup();
        others.into_iter()
    }

    /// Returns the joints of the body, in the order of their numbers.
    pub fn joints(&self) -> impl Iterator<Item = JointRef<'a>> + 'a {
        let world = self.world;
        world.joints.all_of(self.id.index).into_iter().filter_map(|id| world.joint(id).ok())
    }
}
