//! Snapshots: the state of a world, to be stored and restored. After a restore, later steps have
//! the same bits.
//!
//! Shapes are shared and may be large. A snapshot in memory has all of them. A serialised one has
//! those of a few numbers, and the caller supplies the others: `bodies/saved_shapes.rs`. The broad
//! phase of a restored world is rebuilt. Only its proxy numbers affect results, and these follow
//! from the order of insertion.
//!
//! Reference: G. Fiedler, Networked Physics: Deterministic Lockstep, gafferongames.com, 2014 (the
//! required state).

use crate::bodies::active_bodies::ActiveBodies;
use crate::bodies::active_hooks::ActiveHooks;
use crate::bodies::composites::{self, Composite, Slot};
use crate::bodies::deforming::StoredSheet;
use crate::bodies::exact_positions::ExactPositions;
use crate::bodies::force_fields::ForceFields;
use crate::bodies::girth::Girth;
use crate::bodies::id::{BodyId, ColliderSlot};
use crate::bodies::part_materials::PartMaterials;
use crate::bodies::roundness::Roundness;
use crate::bodies::saved_shapes::{SavedCollider, SavedShape};
use crate::bodies::size::Size;
use crate::bodies::solids::{ColliderPair, Part};
use crate::bodies::steering::Steering;
use crate::bodies::traits::Traits;
use crate::bodies::weight::Weight;
use crate::budget::round_robin::LAPS_OF_SLOW_BODIES;
use crate::budget::time_critical::MAX_DEFERRED_CALLS;
use crate::contacts::belts::Belts;
use crate::contacts::events::Event;
use crate::contacts::hooked::check_memory;
use crate::contacts::narrow::{self};
use crate::contacts::pair_state::PairState;
use crate::contacts::pair_states::PairStates;
use crate::contacts::pushes::{PairPush, Pushes};
use crate::contacts::rules::{Rules, check_list};
use crate::contacts::sleeping_manifolds::SleepingManifolds;
use crate::contacts::touches::{self, Touch};
use crate::joints::Joints;
use crate::{World, WorldError, WorldSettings};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter, Mobility, Pair};
use carom_geom::Manifold;
use carom_math::{Pose, Vec3};
use carom_query::{ManifoldCache, Shape};
use carom_response::{Body, BodyKind, Inconsistency, Sleepers, SolverMemory};

/// The state of a world: [`World::snapshot`](crate::World::snapshot).
///
/// With the feature `serde` it can be stored, as JSON for instance, and read in another process.
/// It has the shapes of a few numbers: balls, capsules, tapered ones, boxes, cylinders, cones,
/// ellipsoids, tori and half-spaces. It also has rounded ones of these, and compounds of all
/// these. Other shapes are supplied by the caller:
/// [`World::restore_with`](crate::World::restore_with). The vertices of meshes that were deformed
/// are stored: [`BodyMut::deform`](crate::BodyMut::deform).
///
/// A format must return the same floats: `serde_json` does with its feature `float_roundtrip`.
/// Otherwise some are off by a rounding, and later steps have other bits. Read a snapshot with the
/// version of carom that stored it: another one may refuse it, or have other bits.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Snapshot {
    settings: WorldSettings,
    /// The shape of each body, by its number. A program may take them out.
    #[cfg_attr(feature = "serde", serde(default))]
    shapes: Vec<SavedShape>,
    exact_positions: ExactPositions,
    /// The settings of the last step.
    settings_in_force: WorldSettings,
    generations: Vec<u32>,
    free: Vec<u32>,
    traits: Vec<Traits>,
    bodies: Vec<Body>,
    weights: Vec<Weight>,
    steering: Steering,
    force_fields: ForceFields,
    /// The groups of sleeping bodies.
    sleepers: Sleepers,
    /// The numbers of the suspended bodies, ascending.
    suspended: Vec<u32>,
    /// The numbers of the disabled bodies, ascending.
    disabled: Vec<u32>,
    is_stale: Vec<bool>,
    moved: Vec<bool>,
    detected_poses: Vec<Option<Pose>>,
    turn: [u32; 2],
    /// Round robin: the body with which the next selection begins, and the lap.
    round_robin: [u32; 2],
    is_unsettled: bool,
    /// The number of deferred calls in a row.
    n_deferred: u32,
    joints: Joints,
    rules: Rules,
    /// The memory of hooks, by pair.
    hook_memory: Vec<(ColliderPair, u32)>,
    /// Pairs of colliders that a hook rejected.
    hooks_apart: Vec<ColliderPair>,
    /// The colliders of bodies that have several, by body.
    colliders: Vec<(u32, Vec<Slot>)>,
    /// The user data of other colliders, by body.
    collider_data: Vec<(u32, u64)>,
    part_materials: PartMaterials,
    touches: Vec<Touch>,
    belts: Belts,
    /// Vertices of meshes that were deformed.
    deforming: Vec<StoredSheet>,
    states: Vec<PairState>,
    caches: Vec<ManifoldCache>,
    manifolds: Vec<Manifold>,
    events: Vec<Event>,
    /// Those of the last step, and those on kinematic bodies of the steps before.
    pushes: Vec<PairPush>,
    solver: SolverMemory,
    dt: f32,
    /// A snapshot that was stored without the feature has none.
    #[cfg(feature = "soft")]
    #[cfg_attr(feature = "serde", serde(default))]
    soft: crate::soft::stored::StoredSoft,
}

impl<B: BroadPhase> World<B> {
    /// Returns the present state of the world.
    pub fn snapshot(&self) -> Snapshot {
        // All manifolds, in the order of the pairs.
        let (mut states, mut manifolds) = (Vec::with_capacity(self.contacts.states.len()), Vec::new());
        let mut caches = Vec::with_capacity(self.contacts.states.len());
        let all = self.contacts.states.list.iter().zip(&self.contacts.states.caches);
        for (own, cache) in all.filter(|(state, _)| !state.is_gap()) {
            let mut state = *own;
            (state.first, state.is_at_rest) = (manifolds.len() as u32, false);
            states.push(state);
            caches.push(if state.has_cache { *cache } else { ManifoldCache::new() });
            manifolds.extend_from_slice(self.contacts.manifolds_of(own));
        }
        Snapshot {
            settings: self.settings,
            shapes: self.bodies.shapes.iter().map(SavedShape::of).collect(),
            exact_positions: self.bodies.exact_positions.clone(),
            settings_in_force: self.last.settings,
            generations: self.bodies.generations.clone(),
            free: self.bodies.free.clone(),
            traits: self.bodies.traits.clone(),
            bodies: self.bodies.motions.clone(),
            weights: self.bodies.weights.clone(),
            steering: self.bodies.steering.clone(),
            force_fields: self.bodies.force_fields.clone(),
            sleepers: self.bodies.active.sleepers().clone(),
            suspended: self.bodies.suspended().collect(),
            disabled: self.bodies.active.disabled().to_vec(),
            is_stale: self.bodies.is_stale.clone(),
            moved: self.bodies.moved.clone(),
            detected_poses: self.bodies.detected_poses.clone(),
            turn: [self.budget.next_pair.a, self.budget.next_pair.b],
            round_robin: [self.budget.round_robin.next, self.budget.round_robin.lap],
            is_unsettled: self.contacts.is_unsettled,
            n_deferred: self.budget.cost_model.n_deferred,
            joints: self.joints.stored(),
            rules: self.contacts.rules.clone(),
            hook_memory: self.contacts.hooked.memory.clone(),
            hooks_apart: self.contacts.hooked.apart.clone(),
            colliders: {
                let composites = self.bodies.composites.iter();
                composites.map(|(body, composite)| (body, composite.slots().to_vec())).collect()
            },
            collider_data: self.bodies.collider_data.clone(),
            part_materials: self.bodies.part_materials.clone(),
            touches: self.contacts.touches.clone(),
            belts: self.contacts.belts.clone(),
            deforming: self.bodies.deforming.stored(&self.bodies.shapes),
            states,
            caches,
            manifolds,
            events: self.contacts.events.clone(),
            pushes: self.contacts.pushes.stored(),
            solver: self.solver.memory(),
            dt: self.last.dt,
            #[cfg(feature = "soft")]
            soft: self.soft.stored(),
        }
    }

    /// Returns the shapes of all bodies, in the order of their numbers: see
    /// [`BodyRef::shape`](crate::BodyRef::shape).
    pub fn shapes(&self) -> impl Iterator<Item = (BodyId, &Shape)> + '_ {
        let shapes = self.bodies.shapes.iter().enumerate();
        shapes.filter_map(|(index, shape)| Some((self.bodies.id_at(index as u32), shape.as_ref()?)))
    }
}

impl<B: BroadPhase + Default> World<B> {
    /// Restores the state of a snapshot, with the same handles and the same bits in later steps
    /// (test: `snapshots::a_world_is_restored_in_place`). The broad phase is rebuilt.
    ///
    /// Errors: those of [`World::restore_with`]. A snapshot that was read from a file may lack
    /// shapes, which is an error too. On an error the world is not changed.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        self.restore_with(snapshot, |_| None)
    }

    /// Restores the state of a snapshot that was read from a file, in this process or another one.
    /// The handles and the bits of later steps are those of the saved world (test:
    /// `saves::a_world_is_loaded_from_text_and_assets`).
    ///
    /// `shape_of` is called once for each collider whose shape the snapshot does not have, such as
    /// a hull or a mesh: see [`Snapshot`]. It returns the shape that the collider had, as given in
    /// its description or by the last [`ColliderMut::set_shape`](crate::ColliderMut::set_shape). A
    /// mesh that was deformed may be given in any of its states. A program finds the shape by the
    /// handles, or by user data that it has set.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use carom_math::Vec3;
    /// use carom_query::Shape;
    /// use carom_world::{BodyDesc, ColliderDesc, World};
    ///
    /// let rock = Shape::hull(&[Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_ONE])?;
    /// let mut world = World::new();
    /// world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    /// let stone = ColliderDesc::new(rock.clone()).with_user_data(17);
    /// world.insert(BodyDesc::dynamic(stone).with_position(Vec3::Y * 2.0))?;
    /// let text = serde_json::to_string(&world.snapshot())?;
    ///
    /// // In another process, with the same assets.
    /// let mut loaded = World::new();
    /// loaded.restore_with(&serde_json::from_str(&text)?, |saved| match saved.collider_data {
    ///     17 => Some(rock.clone()),
    ///     _ => None,
    /// })?;
    /// assert_eq!(loaded.state_hash(), world.state_hash());
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Errors: a setting out of its bounds, a collider whose shape is missing or has another
    /// number of parts, or an inconsistent entry. [`WorldError::Inconsistent`] names the first
    /// such entry; for a shape its index is that of the body. On an error the world is not
    /// changed. Later steps do not panic, whatever the numbers of the snapshot are, if the shapes
    /// are those of its colliders (tests: `restoring::*`).
    pub fn restore_with(
        &mut self,
        snapshot: &Snapshot,
        shape_of: impl FnMut(&SavedCollider) -> Option<Shape>,
    ) -> Result<(), WorldError> {
        self.restore_on(B::default(), snapshot, shape_of)
    }
}

impl<B: BroadPhase> World<B> {
    /// Restores a world like [`World::restore_with`], on this broad phase, which must be empty as
    /// in [`World::with_broad_phase`]. Later steps have the same bits with any broad phase (test:
    /// `testbed::each_broad_phase_can_take_over_at_any_time`, carom-web).
    pub fn restore_on(
        &mut self,
        broad: B,
        snapshot: &Snapshot,
        shape_of: impl FnMut(&SavedCollider) -> Option<Shape>,
    ) -> Result<(), WorldError> {
        *self = World::restored(broad, snapshot, shape_of)?;
        Ok(())
    }

    fn restored(
        broad: B,
        snapshot: &Snapshot,
        mut shape_of: impl FnMut(&SavedCollider) -> Option<Shape>,
    ) -> Result<World<B>, WorldError> {
        snapshot.check()?;
        let mut world = World::with_broad_phase(broad, snapshot.settings);
        world.last.settings = snapshot.settings_in_force;
        world.bodies.generations = snapshot.generations.clone();
        world.bodies.free = snapshot.free.clone();
        world.bodies.traits = snapshot.traits.clone();
        // A number without a body has no traits, whatever is stored there.
        for &index in &snapshot.free {
            world.bodies.traits[index as usize] = Traits::NONE;
        }
        world.bodies.motions = snapshot.bodies.clone();
        world.bodies.exact_positions = snapshot.exact_positions.clone();
        world.bodies.weights = snapshot.weights.clone();
        world.bodies.steering = snapshot.steering.clone();
        world.bodies.force_fields = snapshot.force_fields.clone();
        world.bodies.is_stale = snapshot.is_stale.clone();
        world.bodies.moved = snapshot.moved.clone();
        world.bodies.detected_poses = snapshot.detected_poses.clone();
        world.budget.next_pair = Pair { a: snapshot.turn[0], b: snapshot.turn[1] };
        [world.budget.round_robin.next, world.budget.round_robin.lap] = snapshot.round_robin;
        world.joints = Joints::restored(&snapshot.joints, &snapshot.bodies, &snapshot.disabled);
        world.contacts.rules = snapshot.rules.clone();
        world.contacts.hooked.memory = snapshot.hook_memory.clone();
        world.contacts.hooked.apart = snapshot.hooks_apart.clone();
        world.contacts.touches = snapshot.touches.clone();
        world.bodies.collider_data = snapshot.collider_data.clone();
        world.bodies.part_materials = snapshot.part_materials.clone();
        world.contacts.belts = snapshot.belts.clone();
        world.bodies.active =
            ActiveBodies::of(&snapshot.bodies, &snapshot.sleepers, [&snapshot.suspended, &snapshot.disabled]);
        world.contacts.states = PairStates { list: snapshot.states.clone(), caches: snapshot.caches.clone() };
        world.contacts.pairs = world.contacts.states.iter().map(PairState::pair).collect();
        (world.contacts.is_unsettled, world.contacts.is_renumbered) = (snapshot.is_unsettled, true);
        world.budget.cost_model.n_deferred = snapshot.n_deferred;
        world.contacts.sleeping = SleepingManifolds::of(&snapshot.manifolds, &mut world.contacts.states);
        world.contacts.events = snapshot.events.clone();
        world.contacts.pushes = Pushes::restored(&snapshot.pushes);
        world.solver.restore(&snapshot.solver);
        // The next detection finds all pairs again, even if nothing moved.
        world.contacts.is_changed = true;
        world.last.dt = snapshot.dt;
        #[cfg(feature = "soft")]
        {
            world.soft = snapshot.soft.restored()?;
        }
        world.restore_shapes(snapshot, &mut shape_of)?;
        Ok(world)
    }

    /// Restores the shapes of all bodies, and their boxes in the broad phase.
    fn restore_shapes(
        &mut self,
        snapshot: &Snapshot,
        shape_of: &mut dyn FnMut(&SavedCollider) -> Option<Shape>,
    ) -> Result<(), WorldError> {
        let n = self.bodies.motions.len();
        let nothing = (Aabb { min: Vec3::ZERO, max: Vec3::ZERO }, Filter::default());
        self.bodies.shapes.resize(n, None);
        self.bodies.sizes.resize(n, Size::Other);
        self.bodies.roundness.resize(n, Roundness::Sharp);
        self.bodies.girths.resize(n, Girth::NONE);
        let mut boxes = Vec::with_capacity(n);
        for index in 0..n {
            if self.bodies.generations[index].is_multiple_of(2) {
                boxes.push(nothing);
                continue;
            }
            let mut shape = snapshot.shape_of(index, shape_of)?;
            let stored = snapshot.deforming.binary_search_by_key(&(index as u32), StoredSheet::body);
            if let Ok(place) = stored {
                let what = "a deformed mesh whose shape has other vertices";
                let deformed = self.bodies.deforming.restore(&snapshot.deforming[place], &shape);
                shape = deformed.ok_or(Inconsistency { what, index })?;
            }
            let traits = core::mem::replace(&mut self.bodies.traits[index], Traits::NONE);
            if let Some(slots) = snapshot.slots_of(index as u32) {
                let composite = Composite::restored(slots.to_vec(), &shape);
                let composite = composite.map_err(|fault| Inconsistency { index, ..fault })?;
                let what = "the properties of a body, which differ from those of its colliders";
                demand(composite.summary(&traits) == traits, what, index)?;
                self.bodies.composites.set(index as u32, Some(composite));
            }
            self.bodies.replace_traits(index, traits);
            self.bodies.put_shape(index, Some(shape.clone()));
            boxes.push((self.box_of(index, &shape), self.bodies.proxy_filter(index)));
            self.bodies.n_live += 1;
        }
        for (body, slot, n) in self.bodies.part_materials.counts() {
            let shape = self.bodies.solids([&[], &[]]).shape(body as usize, Part::Slot(slot));
            let fits = shape.is_some_and(|shape| shape.n_parts() as usize == n);
            demand(fits, "a shape with another number of parts than its materials", body as usize)?;
        }
        let mut proxies = Vec::with_capacity(n);
        self.broad.insert_batch(&boxes, &mut proxies)?;
        self.bodies.proxies = proxies.iter().copied().map(Some).collect();
        // Freed in the original order, so that numbers are reused in the same order.
        for &index in &self.bodies.free {
            if let Some(proxy) = self.bodies.proxies[index as usize].take() {
                self.broad.remove(proxy)?;
            }
        }
        Ok(())
    }
}

impl Snapshot {
    /// Returns the colliders of a body that has a composite.
    fn slots_of(&self, body: u32) -> Option<&[Slot]> {
        let place = self.colliders.binary_search_by_key(&body, |&(body, _)| body).ok()?;
        Some(&self.colliders[place].1)
    }

    /// Returns the shape of a body: as saved, completed by the shapes that `shape_of` returns.
    fn shape_of(
        &self,
        index: usize,
        shape_of: &mut dyn FnMut(&SavedCollider) -> Option<Shape>,
    ) -> Result<Shape, Inconsistency> {
        let body = BodyId { index: index as u32, generation: self.generations[index] };
        let slots = self.slots_of(body.index);
        let supply = |slot: ColliderSlot| {
            let collider_data = match slots {
                Some(slots) => slots[usize::from(slot.index)].collider.as_ref()?.traits.user_data,
                None => {
                    let place = self.collider_data.binary_search_by_key(&body.index, |&(body, _)| body);
                    place.map_or(0, |place| self.collider_data[place].1)
                }
            };
            let body_data = self.traits[index].user_data;
            shape_of(&SavedCollider { body, collider: slot.on(body), body_data, collider_data })
        };
        let saved = self.shapes.get(index).unwrap_or(&SavedShape::Missing);
        saved.complete(slots, supply).map_err(|what| Inconsistency { what, index })
    }

    /// Checks all invariants that steps rely on.
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        self.settings.check()?;
        self.settings_in_force.check()?;
        self.exact_positions.check()?;
        self.check_bodies()?;
        let is_live: Vec<bool> = self.generations.iter().map(|generation| generation % 2 == 1).collect();
        self.joints.check(&is_live)?;
        self.rules.check(&is_live)?;
        check_memory(&self.hook_memory, &self.hooks_apart, &is_live)?;
        self.check_colliders(&is_live)?;
        touches::check(&self.touches, self.bodies.len())?;
        self.belts.check(&is_live)?;
        StoredSheet::check(&self.deforming, &is_live)?;
        for (index, push) in self.pushes.iter().enumerate() {
            demand(push.is_valid(), "a push", index)?;
        }
        self.check_pairs()?;
        self.solver.validate(self.bodies.len())?;
        #[cfg(feature = "soft")]
        self.soft.restored()?;
        demand(self.dt.is_finite() && 0.0 <= self.dt, "the time step", 0)?;
        demand(
            self.round_robin[1] < LAPS_OF_SLOW_BODIES && self.n_deferred <= MAX_DEFERRED_CALLS,
            "the round-robin state or the number of deferred calls",
            0,
        )?;
        Ok(())
    }

    /// Checks the colliders of bodies that have several. These bodies must exist, and have the
    /// properties that follow from their colliders.
    fn check_colliders(&self, is_live: &[bool]) -> Result<(), Inconsistency> {
        let lives = |body: u32| is_live.get(body as usize) == Some(&true);
        let is_marked = |body: u32| self.traits.get(body as usize).is_some_and(|traits| traits.is_composite);
        let is_good = |k: usize| {
            let (body, slots) = &self.colliders[k];
            lives(*body) && is_marked(*body) && composites::are_sound(slots)
        };
        check_list(&self.colliders, is_good, "the colliders of a body")?;
        let is_plain = |k: usize| lives(self.collider_data[k].0) && !is_marked(self.collider_data[k].0);
        check_list(&self.collider_data, is_plain, "the number of a collider")?;
        let has_slot = |body: u32, slot: u16| match self.slots_of(body) {
            Some(slots) => slots.get(usize::from(slot)).is_some_and(|slot| slot.collider.is_some()),
            None => slot == ColliderSlot::FIRST.index,
        };
        self.part_materials.check(|body, slot| lives(body) && has_slot(body, slot))?;
        for (index, traits) in self.traits.iter().enumerate().filter(|(index, _)| is_live[*index]) {
            let is_known = traits.has_part_materials == self.part_materials.are_on(index as u32);
            demand(is_known, "whether parts have materials", index)?;
        }
        let has_none = |body: usize| {
            is_live[body] && self.traits[body].is_composite && self.slots_of(body as u32).is_none()
        };
        match (0..self.traits.len()).find(|&body| has_none(body)) {
            Some(index) => Err(Inconsistency { what: "a body whose colliders are missing", index }),
            None => Ok(()),
        }
    }

    /// Checks the tables of bodies: their lengths, and whether they describe the same bodies.
    fn check_bodies(&self) -> Result<(), Inconsistency> {
        let n = self.bodies.len();
        let lengths = [
            (self.generations.len(), "the table of generations"),
            (self.traits.len(), "the table of materials"),
            (self.weights.len(), "the table of masses"),
            (self.is_stale.len(), "the table of changed bodies"),
        ];
        for (length, what) in lengths {
            demand(length == n, what, length.min(n))?;
        }
        // Bodies inserted since the last detection are not in these.
        demand(self.moved.len() <= n, "the table of moved bodies", n)?;
        demand(self.detected_poses.len() <= n, "the table of earlier poses", n)?;
        let mut is_free = alloc::vec![false; n];
        for (slot, &index) in self.free.iter().enumerate() {
            let flag = is_free.get_mut(index as usize).filter(|flag| !**flag);
            let flag = flag.ok_or(Inconsistency { what: "a free number", index: slot })?;
            *flag = true;
        }
        for (index, (body, traits)) in self.bodies.iter().zip(&self.traits).enumerate() {
            let is_live = self.generations[index] % 2 == 1;
            demand(
                is_live != is_free[index],
                "a number that is neither free nor that of a body, or both",
                index,
            )?;
            body.validate().map_err(|what| Inconsistency { what, index })?;
            demand(is_live || body.kind == BodyKind::Fixed, "a removed body that moves", index)?;
            let stands = [body.linear_velocity, body.angular_velocity] == [Vec3::ZERO; 2];
            demand(stands || body.kind != BodyKind::Fixed, "a static body with a velocity", index)?;
            let mobility = match body.kind {
                BodyKind::Fixed => Mobility::Fixed,
                BodyKind::Kinematic => Mobility::Kinematic,
                BodyKind::Dynamic => Mobility::Dynamic,
            };
            demand(
                traits.filter.mobility == mobility,
                "a body that moves in another way than its filter says",
                index,
            )?;
            let is_amount = |x: f32| 0.0 <= x && x.is_finite();
            let is_known = traits.is_composite || traits.has_sensor == traits.is_sensor;
            demand(is_known, "whether a body has a sensor", index)?;
            demand(is_amount(traits.friction), "a friction", index)?;
            demand(is_amount(traits.restitution), "a restitution", index)?;
            demand(is_amount(traits.rolling_friction), "a rolling friction", index)?;
            demand(is_amount(traits.spinning_friction), "a spinning friction", index)?;
            demand(is_amount(traits.impulse_threshold), "an impulse threshold", index)?;
        }
        if let Some(index) = self.weights.iter().position(|weight| !weight.is_sound()) {
            return Err(Inconsistency { what: "where a mass comes from", index });
        }
        self.steering.check(&self.bodies)?;
        self.force_fields.check()?;
        self.sleepers.validate(&self.bodies)?;
        let mut last = None;
        for &number in &self.suspended {
            let is_active = |body: &&Body| body.kind == BodyKind::Dynamic && !body.is_sleeping;
            let is_in_order = last < Some(number);
            let body = self.bodies.get(number as usize).filter(is_active).filter(|_| is_in_order);
            demand(body.is_some(), "a suspended body that cannot move, or out of order", number as usize)?;
            last = Some(number);
        }
        let mut last = None;
        for &number in &self.disabled {
            let is_live = self.generations.get(number as usize).is_some_and(|generation| generation % 2 == 1);
            let is_right = last < Some(number) && is_live && !self.bodies[number as usize].is_sleeping;
            demand(is_right, "a disabled body that was removed, sleeps or is out of order", number as usize)?;
            last = Some(number);
        }
        let is_pose = |pose: &Pose| Pose::try_new(pose.rotation, pose.translation).is_ok();
        match self.detected_poses.iter().position(|pose| pose.as_ref().is_some_and(|pose| !is_pose(pose))) {
            Some(index) => Err(Inconsistency { what: "an earlier pose", index }),
            None => Ok(()),
        }
    }

    /// Checks the pairs, their manifolds and the events: each list must be in the order of the
    /// pairs.
    fn check_pairs(&self) -> Result<(), Inconsistency> {
        demand(self.caches.len() == self.states.len(), "the table of caches", self.caches.len())?;
        let n = self.bodies.len();
        let is_pair = |a: BodyId, b: BodyId| a.index < b.index && (b.index as usize) < n;
        let (mut last, mut n_manifolds) = (None, 0);
        // Indexed by body, to find quickly which pairs are joined.
        let joints = Joints::restored(&self.joints, &self.bodies, &self.disabled);
        for (index, state) in self.states.iter().enumerate() {
            demand(is_pair(state.a, state.b), "a pair that is not of two bodies", index)?;
            demand(last < Some(state.pair()), "a pair out of order", index)?;
            last = Some(state.pair());
            let has_lived = |id: BodyId| id.generation % 2 == 1;
            demand(has_lived(state.a) && has_lived(state.b), "a pair with a body that never was", index)?;
            demand(0.0 <= state.drift && state.drift.is_finite(), "the drift of a pair", index)?;
            demand(state.first as usize == n_manifolds, "the first manifold of a pair", index)?;
            n_manifolds += state.n as usize;
            demand(n_manifolds <= self.manifolds.len(), "the number of manifolds of a pair", index)?;
            demand(!state.is_sensor || state.n == 0, "a pair of a sensor with manifolds", index)?;
            let is_live = |id: BodyId| self.generations[id.index as usize] == id.generation;
            if !(is_live(state.a) && is_live(state.b)) {
                // It ends at the next detection.
                continue;
            }
            let [a, b] = [state.a, state.b].map(|id| id.index as usize);
            let is_sensor = self.traits[a].is_sensor || self.traits[b].is_sensor;
            // A response rule may have changed since, or a body may have been edited.
            let is_edited = self.is_stale[a] || self.is_stale[b];
            demand(state.is_sensor || !is_sensor || is_edited, "whether a pair has a sensor", index)?;
            let is_wanted = narrow::is_wanted(state.pair(), &self.traits, &self.bodies, &joints);
            let is_filtered = [a, b].iter().any(|&k| self.traits[k].hooks.contains(ActiveHooks::FILTER));
            let is_known = state.is_wanted == is_wanted || is_filtered && !state.is_wanted;
            demand(is_known, "whether a pair is wanted", index)?;
            let can_move = |body: usize| self.bodies[body].kind != BodyKind::Fixed;
            // If its bodies were made fixed, it ends at the next detection.
            demand(can_move(a) || can_move(b) || is_edited, "a pair of which nothing can move", index)?;
        }
        demand(n_manifolds == self.manifolds.len(), "a manifold of no pair", n_manifolds)?;
        if let Some(index) = self.manifolds.iter().position(|manifold| !manifold.is_sound()) {
            return Err(Inconsistency { what: "a manifold", index });
        }
        let mut last = None;
        for (index, event) in self.events.iter().enumerate() {
            demand(is_pair(event.a, event.b), "an event that is not of two bodies", index)?;
            demand(last <= Some((event.a, event.b)), "an event out of order", index)?;
            last = Some((event.a, event.b));
        }
        Ok(())
    }
}

/// Fails with the entry if the condition does not hold.
fn demand(holds: bool, what: &'static str, index: usize) -> Result<(), Inconsistency> {
    if holds { Ok(()) } else { Err(Inconsistency { what, index }) }
}
