//! Bodies and joints: put in, taken out, asked and changed. Everything is checked here, at the door.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., figure 25.2 (what stands before the pipeline).

use crate::body::{self, BodyDesc, BodyId, Traits};
use crate::guard::Girth;
use crate::recycling::Size;
use crate::{JointId, World, WorldError};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Groups, Pair};
use carom_math::tol;
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_response::{Body, BodyKind, Energy, Joint, JointImpulse, JointKind, TorsionSpring, Winding};

impl<B: BroadPhase> World<B> {
    /// Adds a body. Numbers of removed bodies are given out again, the last one first.
    pub fn insert(&mut self, desc: BodyDesc) -> Result<BodyId, WorldError> {
        let (traits, body) = body::admit(&desc)?;
        let index = match self.free.last() {
            Some(&index) => index as usize,
            None => self.bodies.len(),
        };
        if u32::MAX as usize <= index {
            return Err(WorldError::Full);
        }
        if index == self.bodies.len() {
            self.generations.push(0);
            self.shapes.push(None);
            self.sizes.push(Size::Other);
            self.girths.push(Girth::NONE);
            self.traits.push(Traits::NONE);
            self.bodies.push(Body::fixed(Pose::IDENTITY));
            self.proxies.push(None);
            self.is_stale.push(false);
            self.free.push(index as u32);
        }
        self.traits[index] = traits;
        self.bodies[index] = body;
        self.girths[index] = Girth::of(&desc.shape, self.bodies[index].center_of_mass);
        let aabb = self.box_of(index, &desc.shape);
        let proxy = match self.broad.insert(aabb, traits.filter) {
            Ok(proxy) if proxy.index() as usize == index => proxy,
            // A broad phase whose numbers ran out before the world's did.
            refused => {
                self.traits[index] = Traits::NONE;
                self.bodies[index] = Body::fixed(Pose::IDENTITY);
                self.girths[index] = Girth::NONE;
                self.broad.remove(refused?)?;
                return Err(WorldError::Full);
            }
        };
        self.free.pop();
        self.generations[index] = self.generations[index].wrapping_add(1);
        self.put_shape(index, Some(desc.shape));
        self.proxies[index] = Some(proxy);
        self.is_stale[index] = true;
        self.is_changed = true;
        self.are_fast_known &= !self.traits[index].is_fast;
        if self.bodies[index].kind != BodyKind::Fixed {
            self.movers.add(index);
            self.bodies[index].is_halted =
                self.movers.has_halted() && self.bodies[index].kind == BodyKind::Dynamic;
        }
        self.n_bodies += 1;
        self.n_sensors += usize::from(desc.is_sensor);
        self.rules.set_body(index as u32, desc.response);
        Ok(self.id_at(index as u32))
    }

    /// Removes a body and its joints, and wakes what it touched.
    pub fn remove(&mut self, id: BodyId) -> Result<(), WorldError> {
        let index = self.check(id)?;
        self.wake_around(id);
        if let Some(proxy) = self.proxies[index].take() {
            self.broad.remove(proxy)?;
        }
        self.turns.are_rings_known &= !self.joints.remove_of(id.index);
        self.solver.forget(index);
        self.rules.forget(id.index);
        self.movers.unsettle();
        self.are_fast_known &= !self.traits[index].is_fast;
        self.put_shape(index, None);
        self.n_sensors -= usize::from(self.traits[index].is_sensor);
        self.traits[index] = Traits::NONE;
        self.bodies[index] = Body::fixed(Pose::IDENTITY);
        self.generations[index] = self.generations[index].wrapping_add(1);
        self.is_renumbered = true;
        self.free.push(id.index);
        self.is_changed = true;
        self.n_bodies -= 1;
        Ok(())
    }

    /// The number of bodies.
    pub fn len(&self) -> usize {
        self.n_bodies
    }

    /// There is no body.
    pub fn is_empty(&self) -> bool {
        self.n_bodies == 0
    }

    /// All bodies, in the order of their numbers.
    pub fn body_ids(&self) -> impl Iterator<Item = BodyId> + '_ {
        let is_live = |id: &BodyId| self.shapes[id.index as usize].is_some();
        (0..self.bodies.len() as u32).map(|index| self.id_at(index)).filter(is_live)
    }

    /// Returns the energy of all bodies after a step with substeps of `substep`: see [`Body::energy`].
    /// The potential energy counts springs too: see [`Joint::spring_energy`].
    pub fn energy(&self, substep: f32) -> Energy {
        let gravity = self.settings.solver.gravity;
        let energies = self.body_ids().map(|id| self.bodies[id.index as usize].energy(gravity, substep));
        let mut sum = energies.fold(Energy::default(), |sum, energy| sum + energy);
        for (_, joint) in self.joints.iter() {
            let [a, b] = [joint.body_a, joint.body_b].map(|body| &self.bodies[body as usize]);
            sum.potential += joint.spring_energy(a, b, substep);
        }
        sum
    }

    /// Where a body is.
    pub fn pose(&self, id: BodyId) -> Result<Pose, WorldError> {
        self.motion(id).map(|body| body.pose)
    }

    /// A body as the response sees it: mass, place and motion.
    pub fn motion(&self, id: BodyId) -> Result<&Body, WorldError> {
        self.check(id).map(|index| &self.bodies[index])
    }

    /// The shape of a body.
    pub fn shape(&self, id: BodyId) -> Result<&Shape, WorldError> {
        let index = self.check(id)?;
        self.shapes[index].as_ref().ok_or(WorldError::StaleBody(id))
    }

    /// The box of a body in the broad phase: its shape's, with half the prediction around.
    pub fn aabb(&self, id: BodyId) -> Result<Aabb, WorldError> {
        let index = self.check(id)?;
        let proxy = self.proxies[index].ok_or(WorldError::StaleBody(id))?;
        Ok(self.broad.aabb(proxy)?)
    }

    /// The caller's own number.
    pub fn user_data(&self, id: BodyId) -> Result<u64, WorldError> {
        self.check(id).map(|index| self.traits[index].user_data)
    }

    /// The body sleeps: it is not moved until something touches it.
    pub fn is_sleeping(&self, id: BodyId) -> Result<bool, WorldError> {
        self.motion(id).map(|body| body.is_sleeping)
    }

    /// Puts a body somewhere else, and wakes it and what it touched.
    pub fn set_pose(&mut self, id: BodyId, pose: Pose) -> Result<(), WorldError> {
        let index = self.check(id)?;
        let pose = Pose::try_new(pose.rotation, pose.translation)?;
        self.wake_around(id);
        self.bodies[index].pose = pose;
        // Contacts do not go with it.
        if let Some(seen) = self.seen.get_mut(index) {
            *seen = None;
        }
        self.refit(index);
        Ok(())
    }

    /// Gives a body another shape, and wakes it and what it touched; mass and inertia stay.
    pub fn set_shape(&mut self, id: BodyId, shape: Shape) -> Result<(), WorldError> {
        let index = self.check(id)?;
        self.wake_around(id);
        self.put_shape(index, Some(shape));
        // What was learned of the old shape is of no use.
        let World { meetings, pairs, records, .. } = self;
        meetings.visit(pairs, id.index, |place| {
            if records[place].a == id || records[place].b == id {
                records[place].forget();
            }
        });
        self.refit(index);
        Ok(())
    }

    /// Sets the velocities of a body, and wakes it.
    pub fn set_velocity(&mut self, id: BodyId, linear: Vec3, angular: Vec3) -> Result<(), WorldError> {
        let index = self.check(id)?;
        body::check_velocity(linear, angular)?;
        self.movers.wake(&mut self.bodies, index);
        let body = &mut self.bodies[index];
        body.linear_velocity = linear;
        body.angular_velocity = angular;
        self.is_stale[index] |= body.is_halted;
        self.foresee_way(index);
        Ok(())
    }

    /// Sets force and torque that act on a body from now on, and wakes it.
    pub fn set_force(&mut self, id: BodyId, force: Vec3, torque: Vec3) -> Result<(), WorldError> {
        let index = self.check(id)?;
        if !(force.is_finite() && torque.is_finite()) {
            return Err(WorldError::BadNumber("force"));
        }
        self.movers.wake(&mut self.bodies, index);
        let body = &mut self.bodies[index];
        (body.force, body.torque) = (force, torque);
        Ok(())
    }

    /// Changes the motion of a dynamic body by an impulse at a point of the world, and wakes it.
    pub fn apply_impulse(&mut self, id: BodyId, impulse: Vec3, point: Vec3) -> Result<(), WorldError> {
        let index = self.check(id)?;
        if !(impulse.is_finite() && point.is_finite()) {
            return Err(WorldError::BadNumber("impulse"));
        }
        let mut pushed = self.bodies[index];
        pushed.apply_impulse(impulse, point);
        body::check_velocity(pushed.linear_velocity, pushed.angular_velocity)?;
        self.movers.wake(&mut self.bodies, index);
        pushed.is_halted = self.bodies[index].is_halted;
        self.bodies[index] = pushed;
        self.is_stale[index] |= pushed.is_halted;
        self.foresee_way(index);
        Ok(())
    }

    /// Changes the groups of a body.
    pub fn set_groups(&mut self, id: BodyId, membership: Groups, mask: Groups) -> Result<(), WorldError> {
        let index = self.check(id)?;
        self.wake_around(id);
        let filter = self.traits[index].filter.with_groups(membership, mask);
        self.traits[index].filter = filter;
        if let Some(proxy) = self.proxies[index] {
            self.broad.set_filter(proxy, filter)?;
        }
        // Pairs may come though nothing moved.
        self.is_stale[index] = true;
        self.is_changed = true;
        Ok(())
    }

    /// Wakes a body and those it fell asleep with.
    pub fn wake(&mut self, id: BodyId) -> Result<(), WorldError> {
        let index = self.check(id)?;
        self.movers.wake(&mut self.bodies, index);
        Ok(())
    }

    /// Joins two bodies with frames given in the bodies' own frames. Bodies that are joined do not collide.
    pub fn insert_joint(
        &mut self,
        a: BodyId,
        b: BodyId,
        kind: JointKind,
        frame_a: Pose,
        frame_b: Pose,
    ) -> Result<JointId, WorldError> {
        let joint = Joint::at(kind, &self.bodies, a.index, b.index, Vec3::ZERO, Vec3::X);
        let mut joint = joint.ok_or(WorldError::BadJoint)?;
        joint.frame_a = Pose::try_new(frame_a.rotation, frame_a.translation)?;
        joint.frame_b = Pose::try_new(frame_b.rotation, frame_b.translation)?;
        self.admit_joint(a, b, joint)
    }

    /// Joins two bodies where they are now, at `point` of the world; the x axis of the joint is the unit vector `axis`.
    pub fn insert_joint_at(
        &mut self,
        a: BodyId,
        b: BodyId,
        kind: JointKind,
        point: Vec3,
        axis: Vec3,
    ) -> Result<JointId, WorldError> {
        if !(point.is_finite() && axis.is_finite() && (axis.length_squared() - 1.0).abs() < tol::AXIS_LENGTH)
        {
            return Err(WorldError::BadJoint);
        }
        let joint = Joint::at(kind, &self.bodies, a.index, b.index, point, axis);
        self.admit_joint(a, b, joint.ok_or(WorldError::BadJoint)?)
    }

    /// A joint.
    pub fn joint(&self, id: JointId) -> Result<&Joint, WorldError> {
        self.joints.get(id).ok_or(WorldError::StaleJoint(id))
    }

    /// Changes what a joint leaves free, for instance the speed of its motor, and wakes its bodies. A hinge that stays one
    /// keeps its spring.
    pub fn set_joint_kind(&mut self, id: JointId, kind: JointKind) -> Result<(), WorldError> {
        let joint = self.joints.get_mut(id).ok_or(WorldError::StaleJoint(id))?;
        check_kind(&kind)?;
        joint.kind = kind;
        joint.impulse = JointImpulse::default();
        if !matches!(kind, JointKind::Hinge { .. }) {
            joint.spring = None;
        }
        let ends = [joint.body_a, joint.body_b];
        ends.iter().for_each(|&body| self.movers.wake(&mut self.bodies, body as usize));
        Ok(())
    }

    /// Gives a hinge a spring about its axis, or takes it away, and wakes its bodies.
    ///
    /// Whole turns are counted from the first spring on; another spring goes on with the count. To wind a spring up, turn
    /// its bodies by a motor, or give it a rest angle of some turns.
    pub fn set_joint_spring(&mut self, id: JointId, spring: Option<TorsionSpring>) -> Result<(), WorldError> {
        let joint = self.joints.get_mut(id).ok_or(WorldError::StaleJoint(id))?;
        if !matches!(joint.kind, JointKind::Hinge { .. }) {
            return Err(WorldError::NoHinge(id));
        }
        if let Some(spring) = spring {
            spring.validate().map_err(WorldError::BadSpring)?;
        }
        if joint.spring.is_none() {
            joint.winding = Winding::default();
        }
        (joint.spring, joint.impulse.spring) = (spring, 0.0);
        let ends = [joint.body_a, joint.body_b];
        ends.iter().for_each(|&body| self.movers.wake(&mut self.bodies, body as usize));
        Ok(())
    }

    /// Returns the angle of a hinge in radians, with whole turns if it has a spring: see [`Joint::hinge_angle`].
    pub fn hinge_angle(&self, id: JointId) -> Result<f64, WorldError> {
        let joint = self.joint(id)?;
        let [a, b] = [joint.body_a, joint.body_b].map(|body| &self.bodies[body as usize]);
        joint.hinge_angle(a, b).ok_or(WorldError::NoHinge(id))
    }

    /// Removes a joint and wakes its bodies.
    pub fn remove_joint(&mut self, id: JointId) -> Result<(), WorldError> {
        let joint = self.joints.remove(id).ok_or(WorldError::StaleJoint(id))?;
        for body in [joint.body_a, joint.body_b] {
            self.movers.wake(&mut self.bodies, body as usize);
        }
        self.refilter(joint.body_a, joint.body_b);
        Ok(())
    }

    pub(crate) fn admit_joint(&mut self, a: BodyId, b: BodyId, joint: Joint) -> Result<JointId, WorldError> {
        let (index_a, index_b) = (self.check(a)?, self.check(b)?);
        if a == b || !(joint.frame_a.is_finite() && joint.frame_b.is_finite()) {
            return Err(WorldError::BadJoint);
        }
        check_kind(&joint.kind)?;
        self.movers.wake(&mut self.bodies, index_a);
        self.movers.wake(&mut self.bodies, index_b);
        let id = self.joints.insert(joint);
        self.refilter(a.index, b.index);
        Ok(id)
    }

    /// The handle's number, if it is live.
    pub(crate) fn check(&self, id: BodyId) -> Result<usize, WorldError> {
        let index = id.index as usize;
        let is_live = id.generation % 2 == 1 && self.generations.get(index) == Some(&id.generation);
        if is_live { Ok(index) } else { Err(WorldError::StaleBody(id)) }
    }

    /// Wakes the body and everything that touches it.
    pub(crate) fn wake_around(&mut self, id: BodyId) {
        let mut others = Vec::new();
        let World { meetings, pairs, records, .. } = self;
        meetings.visit(pairs, id.index, |place| {
            let record = &records[place];
            if record.is_touching && !record.is_sensor && (record.a == id || record.b == id) {
                others.push(if record.a == id { record.b } else { record.a });
            }
        });
        let joined = self.joints.of(id.index).iter().map(|&(other, _)| other);
        for body in others.into_iter().map(|other| other.index).chain(joined).chain([id.index]) {
            self.movers.wake(&mut self.bodies, body as usize);
        }
    }

    /// Gives a number its shape, and what recycling and the guard know of it.
    pub(crate) fn put_shape(&mut self, index: usize, shape: Option<Shape>) {
        let had_surface = self.shapes[index].is_some() && self.girths[index].is_surface;
        let is_fast = self.traits[index].is_fast;
        self.sizes[index] = shape.as_ref().map_or(Size::Other, |shape| Size::of(shape, is_fast));
        let center = self.bodies[index].center_of_mass;
        self.girths[index] = shape.as_ref().map_or(Girth::NONE, |shape| Girth::of(shape, center));
        self.n_surfaces += usize::from(self.girths[index].is_surface);
        self.n_surfaces -= usize::from(had_surface);
        self.shapes[index] = shape;
    }

    /// The box of one body anew.
    pub(crate) fn refit(&mut self, index: usize) {
        if let (Some(proxy), Some(shape)) = (self.proxies[index], &self.shapes[index]) {
            let updated = self.broad.update(&[(proxy, self.box_of(index, shape))]);
            debug_assert!(updated.is_ok(), "a box of the world was refused: {updated:?}");
        }
        self.is_stale[index] = true;
        self.is_changed = true;
    }

    /// Whether the pair of two bodies is wanted, anew: after a joint between them came or went.
    fn refilter(&mut self, a: u32, b: u32) {
        let is_wanted = self.is_wanted(Pair { a: a.min(b), b: a.max(b) });
        let ids = [a, b].map(|index| self.id_at(index));
        let World { meetings, pairs, records, bodies, is_stale, .. } = self;
        // Of two the one that can move is in fewer pairs.
        let rare = if bodies[a as usize].kind == BodyKind::Fixed { b } else { a };
        meetings.visit(pairs, rare, |place| {
            let record = &mut records[place];
            if ids.contains(&record.a) && ids.contains(&record.b) && is_wanted != record.is_wanted {
                record.is_wanted = is_wanted;
                record.forget();
                // Nobody may have moved.
                is_stale[rare as usize] = true;
            }
        });
        self.turns.are_rings_known = false;
        self.is_changed = true;
    }
}

fn check_kind(kind: &JointKind) -> Result<(), WorldError> {
    if kind.is_sound() { Ok(()) } else { Err(WorldError::BadJoint) }
}
