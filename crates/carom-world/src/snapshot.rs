//! The state of a world, to be stored and put back: the same bits from there on.
//!
//! Everything but the shapes, which are shared and large, and of which the caller knows how to store his own. The broad
//! phase is made anew: its numbers follow from the order in which they are given out, and nothing else of it is seen.
//!
//! Reference: G. Fiedler, Networked Physics: Deterministic Lockstep, gafferongames.com, 2014 (what a state must hold).

use crate::body::{BodyId, Traits};
use crate::events::Event;
use crate::guard::Girth;
use crate::joint::Joints;
use crate::movers::Movers;
use crate::narrow::Record;
use crate::records::Records;
use crate::recycling::Size;
use crate::rest::Rest;
use crate::{World, WorldError, WorldSettings};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter, Pair};
use carom_geom::Manifold;
use carom_math::{Pose, Vec3};
use carom_query::{ManifoldCache, Shape};
use carom_response::{Body, SolverMemory};

/// The state of a world without its shapes.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Snapshot {
    settings: WorldSettings,
    generations: Vec<u32>,
    free: Vec<u32>,
    traits: Vec<Traits>,
    bodies: Vec<Body>,
    is_stale: Vec<bool>,
    #[cfg_attr(feature = "serde", serde(default))]
    moved: Vec<bool>,
    seen: Vec<Option<Pose>>,
    turn: [u32; 2],
    /// Whose turn it is to move, and the lap.
    #[cfg_attr(feature = "serde", serde(default))]
    turn_to_move: [u32; 2],
    #[cfg_attr(feature = "serde", serde(default = "yes"))]
    is_unsettled: bool,
    /// Calls in a row in which nothing moved.
    n_held: u32,
    joints: Joints,
    records: Vec<Record>,
    caches: Vec<ManifoldCache>,
    manifolds: Vec<Manifold>,
    events: Vec<Event>,
    solver: SolverMemory,
    dt: f32,
}

impl<B: BroadPhase> World<B> {
    /// The state now.
    pub fn snapshot(&self) -> Snapshot {
        // All manifolds in the order of the pairs, whether something moves in them or not.
        let (mut records, mut manifolds) = (Vec::with_capacity(self.records.len()), Vec::new());
        let mut caches = Vec::with_capacity(self.records.len());
        let all = self.records.list.iter().zip(&self.records.caches);
        for (own, cache) in all.filter(|(record, _)| !record.is_gap()) {
            let mut record = *own;
            (record.first, record.is_at_rest) = (manifolds.len() as u32, false);
            records.push(record);
            caches.push(if record.has_cache { *cache } else { ManifoldCache::new() });
            manifolds.extend_from_slice(self.manifolds_of(own));
        }
        Snapshot {
            settings: self.settings,
            generations: self.generations.clone(),
            free: self.free.clone(),
            traits: self.traits.clone(),
            bodies: self.bodies.clone(),
            is_stale: self.is_stale.clone(),
            moved: self.moved.clone(),
            seen: self.seen.clone(),
            turn: [self.turn.a, self.turn.b],
            turn_to_move: [self.turns.next, self.turns.lap],
            is_unsettled: self.is_unsettled,
            n_held: self.pace.n_held,
            joints: self.joints.stored(),
            records,
            caches,
            manifolds,
            events: self.events.clone(),
            solver: self.solver.memory(),
            dt: self.dt,
        }
    }

    /// All shapes, with their bodies: what [`World::restored`](crate::World::restored) asks for.
    pub fn shapes(&self) -> impl Iterator<Item = (BodyId, &Shape)> + '_ {
        let shapes = self.shapes.iter().enumerate();
        shapes.filter_map(|(index, shape)| Some((self.id_at(index as u32), shape.as_ref()?)))
    }
}

impl<B: BroadPhase + Default> World<B> {
    /// A world in the state of the snapshot, each body with the shape that `shape_of` gives for it.
    ///
    /// Errors: a body without a shape, or a snapshot that does not fit together.
    pub fn restored(
        snapshot: &Snapshot,
        mut shape_of: impl FnMut(BodyId) -> Option<Shape>,
    ) -> Result<World<B>, WorldError> {
        snapshot.check()?;
        let mut world = World::with_broad_phase(B::default(), snapshot.settings);
        world.generations = snapshot.generations.clone();
        world.free = snapshot.free.clone();
        world.traits = snapshot.traits.clone();
        world.bodies = snapshot.bodies.clone();
        world.is_stale = snapshot.is_stale.clone();
        world.moved = snapshot.moved.clone();
        world.seen = snapshot.seen.clone();
        world.turn = Pair { a: snapshot.turn[0], b: snapshot.turn[1] };
        [world.turns.next, world.turns.lap] = snapshot.turn_to_move;
        world.joints = Joints::restored(&snapshot.joints);
        world.movers = Movers::of(&snapshot.bodies);
        world.records = Records { list: snapshot.records.clone(), caches: snapshot.caches.clone() };
        world.pairs = world.records.iter().map(Record::pair).collect();
        (world.is_unsettled, world.is_renumbered) = (snapshot.is_unsettled, true);
        world.pace.n_held = snapshot.n_held;
        world.rest = Rest::of(&snapshot.manifolds, &mut world.records);
        world.events = snapshot.events.clone();
        world.solver.restore(&snapshot.solver);
        // Which pairs count is found again, also where nothing moved since.
        world.is_changed = true;
        world.dt = snapshot.dt;

        let n = world.bodies.len();
        let nothing = (Aabb { min: Vec3::ZERO, max: Vec3::ZERO }, Filter::default());
        world.shapes.resize(n, None);
        world.sizes.resize(n, Size::Other);
        world.girths.resize(n, Girth::NONE);
        let mut boxes = Vec::with_capacity(n);
        for index in 0..n {
            if world.generations[index] % 2 == 0 {
                boxes.push(nothing);
                continue;
            }
            let shape = shape_of(world.id_at(index as u32));
            let shape = shape.ok_or(WorldError::BadSnapshot("a body has no shape"))?;
            world.put_shape(index, Some(shape.clone()));
            boxes.push((world.box_of(index, &shape), world.traits[index].filter));
            world.n_bodies += 1;
            world.n_sensors += usize::from(world.traits[index].is_sensor);
        }
        let mut proxies = Vec::with_capacity(n);
        world.broad.insert_batch(&boxes, &mut proxies)?;
        world.proxies = proxies.iter().copied().map(Some).collect();
        // Freed in the order in which they were: so they will be given out in the same order again.
        for &index in &world.free {
            if let Some(proxy) = world.proxies[index as usize].take() {
                world.broad.remove(proxy)?;
            }
        }
        Ok(world)
    }
}

/// Of a snapshot that does not say: so nothing that is due is left out.
#[cfg(feature = "serde")]
const fn yes() -> bool {
    true
}

impl Snapshot {
    /// All parts speak of the same bodies.
    fn check(&self) -> Result<(), WorldError> {
        let bad = |place| Err(WorldError::BadSnapshot(place));
        let n = self.bodies.len();
        if [self.generations.len(), self.traits.len(), self.is_stale.len()] != [n; 3] {
            return bad("tables of different length");
        }
        let mut is_free = alloc::vec![false; n];
        for &index in &self.free {
            match is_free.get_mut(index as usize) {
                Some(flag) if !*flag && self.generations[index as usize].is_multiple_of(2) => *flag = true,
                _ => return bad("the list of free numbers"),
            }
        }
        let n_dead = self.generations.iter().filter(|generation| generation.is_multiple_of(2)).count();
        if n_dead != self.free.len() {
            return bad("a number that is neither a body's nor free");
        }
        let is_finite = |body: &Body| {
            body.pose.is_finite() && body.linear_velocity.is_finite() && body.angular_velocity.is_finite()
        };
        if !self.bodies.iter().all(is_finite) {
            return bad("a body that is not finite");
        }
        if !self.seen.iter().flatten().all(Pose::is_finite) {
            return bad("a place that is not finite");
        }
        if !self.joints.is_sound(n) {
            return bad("the joints");
        }
        let is_known = |id: BodyId| (id.index as usize) < n;
        let in_order = self.records.is_sorted_by(|a, b| a.pair() < b.pair());
        let fits = |record: &Record| {
            is_known(record.a)
                && is_known(record.b)
                && record.a.index < record.b.index
                && !record.is_gap()
                && 0.0 <= record.way
                && record.first.checked_add(record.n).is_some_and(|end| end as usize <= self.manifolds.len())
        };
        let has_caches = self.caches.len() == self.records.len();
        if !(in_order && has_caches && self.records.iter().all(fits)) {
            return bad("the pairs");
        }
        if !(self.dt.is_finite() && 0.0 <= self.dt) {
            return bad("the time step");
        }
        Ok(())
    }
}
