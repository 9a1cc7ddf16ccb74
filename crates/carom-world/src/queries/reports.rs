//! Contacts and events of the last step.
//!
//! Reference: E. Catto, Box2D 3.1, `b2World_GetContactEvents` and its siblings, 2025.

use crate::bodies::id::ColliderSlot;
use crate::contacts::events::{ContactView, Event, ImpulseEvent};
use crate::contacts::pair_state::PairState;
use crate::contacts::rules::ResponseEvent;
use crate::joints::JointBroken;
use crate::{BodyId, ColliderId, World, WorldError};
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_geom::Manifold;
use carom_math::Vec3;

impl<B: BroadPhase> World<B> {
    /// Returns the pairs that touched or were near each other at the last detection, sorted by the
    /// numbers of their bodies. If a body has several colliders, these are pairs of colliders.
    ///
    /// After a step these are the contacts at its start, some of them recycled. [`World::detect`]
    /// finds them at the present poses. A manifold has at most four points, and points of the last
    /// detection are preferred: see [`carom_query::ManifoldCache`].
    pub fn contacts(&self) -> impl Iterator<Item = ContactView<'_>> {
        self.contacts.states.iter().flat_map(|state| self.views_of(state))
    }

    /// Returns the contacts of a pair of bodies.
    pub(crate) fn views_of(&self, state: &PairState) -> impl Iterator<Item = ContactView<'_>> + use<'_, B> {
        let is_near = 0 < state.n || state.is_touching || self.may_sense(state);
        let solids = self.bodies.solids([&[], &[]]);
        let is_composite = is_near && solids.is_composite(state.a.index as usize, state.b.index as usize);
        let several = if is_composite { self.collider_contacts(state) } else { Vec::new() };
        let one = (is_near && !is_composite).then(|| ContactView {
            a: state.a,
            b: state.b,
            collider_a: ColliderSlot::FIRST.on(state.a),
            collider_b: ColliderSlot::FIRST.on(state.b),
            is_touching: state.is_touching,
            is_sensor: state.is_sensor,
            manifolds: self.contacts.manifolds_of(state),
            impulses: self.solver.contact_impulses().get(state.solved_range()).unwrap_or(&[]),
        });
        one.into_iter().chain(several)
    }

    /// Whether sensors of a pair may touch although its pair state does not.
    fn may_sense(&self, state: &PairState) -> bool {
        let (a, b) = (state.a.index as usize, state.b.index as usize);
        !self.contacts.touches.is_empty()
            && !state.is_gap()
            && self.bodies.solids([&[], &[]]).is_composite(a, b)
    }

    /// Returns the contacts of a pair of bodies of which one has several colliders: those with
    /// manifolds, then those that only touch.
    fn collider_contacts(&self, state: &PairState) -> Vec<ContactView<'_>> {
        let (a, b, mut views) = (state.a, state.b, Vec::new());
        let solids = self.bodies.solids([&[], &[]]);
        let slots_of = |manifold: &Manifold| solids.slots_of([a.index as usize, b.index as usize], manifold);
        let key = (a, b);
        let touches = &self.contacts.touches;
        let first = touches.partition_point(|touch| (touch.a, touch.b) < key);
        let touches = touches[first..].iter().take_while(|touch| (touch.a, touch.b) == key);
        let mut impulses = self.solver.contact_impulses().get(state.solved_range()).unwrap_or(&[]);
        let view = |slots: [ColliderSlot; 2], manifolds, impulses, is_touching, is_sensor| {
            let (collider_a, collider_b) = (slots[0].on(a), slots[1].on(b));
            ContactView { a, b, collider_a, collider_b, is_touching, is_sensor, manifolds, impulses }
        };
        for manifolds in self.contacts.manifolds_of(state).chunk_by(|x, y| slots_of(x) == slots_of(y)) {
            let (own, rest) = impulses.split_at(manifolds.len().min(impulses.len()));
            impulses = rest;
            let slots = slots_of(&manifolds[0]);
            let is_touching = touches.clone().any(|touch| touch.slots == slots);
            views.push(view(slots, manifolds, own, is_touching, false));
        }
        for touch in touches {
            let is_known =
                |known: &ContactView<'_>| [known.collider_a.slot, known.collider_b.slot] == touch.slots;
            if !views.iter().any(is_known) {
                views.push(view(touch.slots, &[], &[], true, touch.is_sensor));
            }
        }
        views
    }

    /// Returns the contacts that began, persisted and ended at the last detection, sorted by the
    /// bodies. After a step they include impacts of fast bodies, and sensors that a body passed
    /// within the step.
    ///
    /// To change the world in a loop over them, use [`World::take_events`].
    pub fn events(&self) -> &[Event] {
        if self.contacts.are_events_taken { &[] } else { &self.contacts.events }
    }

    /// Moves the events of [`World::events`] to a list, whose old content is dropped. The list may
    /// be used again for the next step, so that nothing is allocated.
    ///
    /// The events are taken once: after this call there are none until the next step or detection.
    /// A snapshot has them, whether they were taken or not.
    ///
    /// ```
    /// use carom_query::Shape;
    /// use carom_world::{BodyDesc, EventKind, World};
    /// use carom_math::Vec3;
    ///
    /// // A coin is removed when the player touches it.
    /// let mut world = World::new();
    /// let player = world.insert(BodyDesc::kinematic(Shape::sphere(1.0)?))?;
    /// let coin = BodyDesc::fixed(Shape::sphere(0.2)?).with_sensor(true);
    /// let coin = world.insert(coin.with_position(Vec3::X))?;
    /// let mut events = Vec::new();
    /// world.step(1.0 / 60.0)?;
    /// world.take_events(&mut events);
    /// for event in events.iter().filter(|event| event.kind == EventKind::Began) {
    ///     if let Some(found) = event.other(player) {
    ///         assert_eq!(world.sensor_of(event).map(|sensor| sensor.body()), Some(coin));
    ///         world.remove(found)?;
    ///     }
    /// }
    /// assert_eq!(world.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take_events(&mut self, into: &mut Vec<Event>) {
        into.clear();
        into.extend_from_slice(self.events());
        self.contacts.are_events_taken = true;
    }

    /// Returns the sensor of an event, that of A if both colliders are sensors. `None` if neither
    /// is one, as for bodies that pass each other ([`Response::Pass`](crate::Response::Pass)), or
    /// if it was removed since.
    pub fn sensor_of(&self, event: &Event) -> Option<ColliderId> {
        let is_sensor = |id: &ColliderId| self.collider(*id).is_ok_and(|collider| collider.is_sensor());
        [event.collider_a(), event.collider_b()].into_iter().find(is_sensor)
    }

    /// Returns the pairs that pushed each other in the last step by more than a threshold, sorted
    /// by the bodies. They are not part of a snapshot.
    ///
    /// If continuous detection stops a fast body at an impact, the impulse acts in the next step.
    /// Sleeping bodies have no events. [`World::contact_force`] is the force between them.
    pub fn impulse_events(&self) -> &[ImpulseEvent] {
        &self.contacts.impulse_events
    }

    /// Returns the force with which body A pushes body B, friction included, in the world frame:
    /// mass times length per second squared. It is that of all contacts of the two bodies, in the
    /// last substep in which they were solved. So while both sleep, it is the force with which they
    /// came to rest (test: `contact_forces::sleeping_bodies_have_the_force_of_their_rest`).
    ///
    /// Zero if they do not touch. The force of an impact acts in a single substep. For its impulse
    /// see [`ContactView::impulses`].
    ///
    /// Errors: a stale handle.
    pub fn contact_force(&self, a: BodyId, b: BodyId) -> Result<Vec3, WorldError> {
        self.bodies.index_of(a)?;
        self.bodies.index_of(b)?;
        let mut states = self.contacts.states_of(a);
        let is_pair = |state: &&PairState| [state.a, state.b] == [a, b] || [state.a, state.b] == [b, a];
        let solved =
            states.find(is_pair).filter(|state| state.may_push() && 0 < state.n && !state.is_unsolved);
        Ok(solved.map_or(Vec3::ZERO, |_| self.solver.contact_force(a.index, b.index)))
    }

    /// Returns the events of responses other than a collision in the last step, sorted by the
    /// bodies. They are not part of a snapshot.
    pub fn responses(&self) -> &[ResponseEvent] {
        &self.contacts.responses
    }

    /// Returns the joints that broke in the last step, in the order of their insertion.
    pub fn broken_joints(&self) -> &[JointBroken] {
        &self.joints.broken
    }
}
