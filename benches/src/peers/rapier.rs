//! rapier: a scene in its world, and its broad phase by itself.

use super::parry::{pose, vector};
use carom_bounds::Aabb;
use carom_math::{Pose, Quat};
use carom_scenes::scoreboard::{STEP, State};
use carom_scenes::{Drive, JointSpec, SceneSpec, ShapeSpec};
use carom_testkit::scoreboard::Engine;
use glam::Vec3;
use rapier3d::geometry::{BroadPhaseBvh, BroadPhasePairEvent};
use rapier3d::prelude::{
    ActiveHooks, ColliderBuilder, ColliderHandle, ColliderSet, ContactModificationContext, GenericJoint,
    IntegrationParameters, JointAxis, PairFilterContext, PhysicsHooks, PhysicsWorld, RevoluteJointBuilder,
    RigidBodyBuilder, RigidBodyHandle, RigidBodySet, RopeJointBuilder, SharedShape, SolverFlags,
    SphericalJointBuilder, TriMeshFlags,
};
use std::collections::BTreeSet;

/// A filter that leaves out pairs of one family, and the surfaces that move along themselves.
///
/// Both colliders of a family have its number as their user data.
#[derive(Default)]
struct Hooks {
    /// Belts, and the velocities of their surfaces in the world.
    belts: Vec<(ColliderHandle, Vec3)>,
}

impl PhysicsHooks for Hooks {
    fn modify_solver_contacts(&self, pair: &mut ContactModificationContext<'_>) {
        let velocity_of = |handle: ColliderHandle| {
            self.belts.iter().find(|(belt, _)| *belt == handle).map_or(Vec3::ZERO, |(_, velocity)| *velocity)
        };
        // The velocity of the second relative to the first at which friction is at rest.
        let velocity = vector(velocity_of(pair.collider1) - velocity_of(pair.collider2));
        for contact in pair.rigid_mut().into_iter().flat_map(|pair| pair.solver_contacts.iter_mut()) {
            contact.tangent_velocity = velocity;
        }
    }

    fn filter_contact_pair(&self, pair: &PairFilterContext<'_>) -> Option<SolverFlags> {
        let family = |handle: ColliderHandle| pair.colliders.get(handle).map_or(0, |c| c.user_data);
        let (a, b) = (family(pair.collider1), family(pair.collider2));
        (a == 0 || a != b).then_some(SolverFlags::COMPUTE_RIGID_IMPULSES)
    }
}

/// A world with the bodies and joints of a scene.
pub struct Scene {
    world: PhysicsWorld,
    hooks: Hooks,
    /// All bodies, in the order of the scene.
    all: Vec<RigidBodyHandle>,
    /// The bodies that move.
    bodies: Vec<RigidBodyHandle>,
}

impl Scene {
    /// Fills a world in which nothing sleeps; `step` is in seconds.
    pub fn new(scene: &SceneSpec, step: f32) -> Self {
        Self::fill(scene, step, false)
    }

    /// Fills a world with the default settings.
    pub fn by_default(scene: &SceneSpec) -> Self {
        Self::fill(scene, STEP as f32, true)
    }

    fn fill(scene: &SceneSpec, step: f32, can_sleep: bool) -> Self {
        let mut world = PhysicsWorld::new();
        if scene.is_weightless {
            world.gravity = vector(Vec3::ZERO);
        }
        world.integration_parameters.dt = step;
        let (mut all, mut bodies, mut hooks) = (Vec::new(), Vec::new(), Hooks::default());
        // Bodies of the same spec that follow each other share a shape.
        let mut last: Option<(&ShapeSpec, SharedShape)> = None;
        for body in &scene.bodies {
            let shape = match &last {
                Some((known, shape)) if *known == &body.shape => Some(shape.clone()),
                _ => shape_of(&body.shape),
            };
            let Some(shape) = shape else { continue };
            last = Some((&body.shape, shape.clone()));
            let builder = match (body.is_fixed(), body.is_kinematic) {
                (true, _) => RigidBodyBuilder::fixed(),
                (_, true) => RigidBodyBuilder::kinematic_velocity_based(),
                _ => RigidBodyBuilder::dynamic(),
            };
            let builder = builder
                .pose(pose(&body.pose))
                .linvel(vector(body.linear_velocity))
                .angvel(vector(body.angular_velocity))
                .angular_damping(body.angular_damping)
                .can_sleep(can_sleep);
            let collider = ColliderBuilder::new(shape)
                .friction(body.friction)
                .restitution(body.restitution)
                .density(body.density)
                .user_data(u128::from(body.family));
            let collider = match body.family {
                0 => collider,
                _ => collider.active_hooks(ActiveHooks::FILTER_CONTACT_PAIRS),
            };
            let is_belt = body.surface_velocity != Vec3::ZERO;
            let collider = match is_belt {
                true => collider.active_hooks(ActiveHooks::MODIFY_SOLVER_CONTACTS),
                false => collider,
            };
            let (handle, collider) = world.insert(builder, collider);
            if is_belt {
                hooks.belts.push((collider, body.pose.rotation * body.surface_velocity));
            }
            all.push(handle);
            if !body.is_fixed() {
                bodies.push(handle);
            }
        }
        for joint in &scene.joints {
            if let Some((a, b, mut joint)) = joint_of(joint) {
                joint.set_contacts_enabled(false);
                world.insert_impulse_joint(all[a], all[b], joint);
            }
        }
        Self { world, hooks, all, bodies }
    }

    /// Returns the mass of each body that moves.
    pub fn masses(&self) -> Vec<f32> {
        self.bodies.iter().map(|&handle| self.world.bodies[handle].mass()).collect()
    }

    /// Makes one step.
    pub fn step(&mut self) {
        self.world.step_with_events(&self.hooks, &());
    }

    /// Returns the position of each body that moves.
    pub fn positions(&self) -> Vec<Vec3> {
        let position_of = |&handle: &RigidBodyHandle| {
            let at = self.world.bodies[handle].translation();
            Vec3::new(at.x, at.y, at.z)
        };
        self.bodies.iter().map(position_of).collect()
    }

    /// Returns the least distance of the contacts for its solver; negative for an overlap.
    pub fn deepest(&self) -> f32 {
        let manifolds = self.world.narrow_phase.contact_pairs().flat_map(|pair| pair.manifolds().iter());
        manifolds.flat_map(|manifold| manifold.points.iter().map(|point| point.dist)).fold(0.0, f32::min)
    }
}

impl Engine for Scene {
    fn drive(&mut self, drive: &Drive) {
        if let Some(body) = self.world.bodies.get_mut(self.all[drive.body]) {
            body.set_linvel(vector(drive.linear_velocity), true);
            body.set_angvel(vector(drive.angular_velocity), true);
        }
    }

    fn step(&mut self) {
        Scene::step(self);
    }

    fn states(&self) -> Vec<State> {
        let state = |&handle: &RigidBodyHandle| {
            let body = &self.world.bodies[handle];
            let (at, q) = (body.translation(), body.rotation());
            let (v, w) = (body.linvel(), body.angvel());
            State {
                pose: Pose::new(Quat::from_xyzw(q.x, q.y, q.z, q.w), Vec3::new(at.x, at.y, at.z)),
                linear_velocity: Vec3::new(v.x, v.y, v.z),
                angular_velocity: Vec3::new(w.x, w.y, w.z),
                is_asleep: body.is_sleeping(),
            }
        };
        self.all.iter().map(state).collect()
    }
}

/// Returns the shape of a scene's body. Meshes have rapier's own fix for internal edges.
fn shape_of(spec: &ShapeSpec) -> Option<SharedShape> {
    Some(match spec {
        ShapeSpec::Sphere { radius } => SharedShape::ball(*radius),
        ShapeSpec::Capsule { half_height, radius } => SharedShape::capsule_y(*half_height, *radius),
        ShapeSpec::Cylinder { half_height, radius } => SharedShape::cylinder(*half_height, *radius),
        ShapeSpec::Cuboid { half_extents: half } => SharedShape::cuboid(half.x, half.y, half.z),
        ShapeSpec::HalfSpace { normal } => SharedShape::halfspace(vector(normal.normalize())),
        ShapeSpec::Hull { points } => {
            let points: Vec<_> = points.iter().map(|p| vector(*p)).collect();
            SharedShape::convex_hull(&points)?
        }
        ShapeSpec::Mesh { vertices, triangles } => {
            let vertices = vertices.iter().map(|v| vector(*v)).collect();
            let flags = TriMeshFlags::FIX_INTERNAL_EDGES;
            SharedShape::trimesh_with_flags(vertices, triangles.clone(), flags).ok()?
        }
        ShapeSpec::Compound { parts } => {
            let part = |(at, part): &(Pose, ShapeSpec)| Some((pose(at), shape_of(part)?));
            SharedShape::compound(parts.iter().map(part).collect::<Option<Vec<_>>>()?)
        }
        _ => return None,
    })
}

/// Returns the bodies of a joint, and the joint.
fn joint_of(joint: &JointSpec) -> Option<(usize, usize, GenericJoint)> {
    let frame = |anchor, axis| Pose::new(Quat::from_rotation_arc(Vec3::X, axis), anchor);
    Some(match *joint {
        JointSpec::Ball { a, b, anchor_a, anchor_b, cone, .. } if core::f32::consts::PI <= cone => {
            let joint = SphericalJointBuilder::new();
            let joint = joint.local_anchor1(vector(anchor_a)).local_anchor2(vector(anchor_b));
            (a, b, joint.build().into())
        }
        JointSpec::Ball { a, b, anchor_a, anchor_b, axis_a, axis_b, cone } => {
            let swing = [-cone, cone];
            let joint = SphericalJointBuilder::new()
                .local_frame1(pose(&frame(anchor_a, axis_a)))
                .local_frame2(pose(&frame(anchor_b, axis_b)))
                .limits(JointAxis::AngY, swing)
                .limits(JointAxis::AngZ, swing);
            (a, b, joint.build().into())
        }
        JointSpec::Hinge { a, b, anchor_a, anchor_b, axis_a, min, max, .. } => {
            let joint = RevoluteJointBuilder::new(vector(axis_a))
                .local_anchor1(vector(anchor_a))
                .local_anchor2(vector(anchor_b))
                .limits([min, max]);
            (a, b, joint.build().into())
        }
        JointSpec::Axle { a, b, anchor_a, anchor_b, axis_a, axis_b, motor } => {
            let mut joint: GenericJoint = RevoluteJointBuilder::new(vector(axis_a)).build().into();
            joint.set_local_frame1(pose(&frame(anchor_a, axis_a)));
            joint.set_local_frame2(pose(&frame(anchor_b, axis_b)));
            if let Some([speed, max_torque]) = motor {
                // Rate at which the motor corrects an error of the speed, per second.
                const STIFF: f32 = 100.0;
                joint.set_motor_velocity(JointAxis::AngX, speed, STIFF);
                joint.set_motor_max_force(JointAxis::AngX, max_torque);
            }
            (a, b, joint)
        }
        JointSpec::Rope { a, b, anchor_a, anchor_b, length } => {
            let joint = RopeJointBuilder::new(length);
            let joint = joint.local_anchor1(vector(anchor_a)).local_anchor2(vector(anchor_b));
            (a, b, joint.build().into())
        }
        _ => return None,
    })
}

/// rapier's broad phase, used as in its pipeline: the boxes of moved bodies are grown by half its
/// prediction and set, and one update follows. It grows them further internally, and reports only
/// changes.
pub struct BroadPhase {
    broad: BroadPhaseBvh,
    parameters: IntegrationParameters,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    handles: Vec<ColliderHandle>,
    events: Vec<BroadPhasePairEvent>,
    pairs: BTreeSet<(u32, u32)>,
}

impl BroadPhase {
    /// Returns a broad phase for `n` dynamic bodies, without boxes.
    pub fn new(n: usize) -> Self {
        let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
        let handles = (0..n)
            .map(|_| {
                let body = bodies.insert(RigidBodyBuilder::dynamic());
                colliders.insert_with_parent(ColliderBuilder::ball(0.5), body, &mut bodies)
            })
            .collect();
        Self {
            broad: BroadPhaseBvh::new(),
            parameters: IntegrationParameters::default(),
            bodies,
            colliders,
            handles,
            events: Vec::new(),
            pairs: BTreeSet::new(),
        }
    }

    /// Runs one frame. Returns the number of changes.
    pub fn frame(&mut self, boxes: &[Aabb], moved: &[u32]) -> usize {
        let margin = 0.5 * self.parameters.prediction_distance();
        for &i in moved {
            let Aabb { min, max } = boxes[i as usize];
            let aabb = Aabb { min: min - margin, max: max + margin };
            self.broad.set_aabb(&self.parameters, self.handles[i as usize], super::parry::aabb(&aabb));
        }
        self.events.clear();
        self.broad.update(&self.parameters, &self.colliders, &self.bodies, &[], &[], &mut self.events);
        self.events.len()
    }

    /// Returns the pairs after the changes of the last frame. It must be called after every frame,
    /// or after none.
    pub fn pairs(&mut self) -> &BTreeSet<(u32, u32)> {
        for event in &self.events {
            let (BroadPhasePairEvent::AddPair(pair) | BroadPhasePairEvent::DeletePair(pair)) = event;
            let (a, b) = (pair.collider1.into_raw_parts().0, pair.collider2.into_raw_parts().0);
            let pair = (a.min(b), a.max(b));
            match event {
                BroadPhasePairEvent::AddPair(_) => self.pairs.insert(pair),
                BroadPhasePairEvent::DeletePair(_) => self.pairs.remove(&pair),
            };
        }
        &self.pairs
    }

    /// Frees the list of [`BroadPhase::pairs`], which must not be called any more.
    pub fn forget(&mut self) {
        self.pairs = BTreeSet::new();
    }
}
