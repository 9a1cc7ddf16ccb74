//! Soft things in a snapshot: the particles as the solver saves them, and the description of each
//! thing. Constraints are rebuilt from it. Between steps their only state is the rotations of
//! tetrahedra, and the tensions and directions of the links of ropes.
//!
//! Settings are stored as bits, because a stiffness may be infinite.
//!
//! Reference: G. Fiedler, Networked Physics: Deterministic Lockstep, gafferongames.com, 2014.

use crate::BodyId;
use crate::soft::desc::{CollisionRules, ParticlePhase, SoftBodyKind, SoftSettings};
use crate::soft::id::SoftThing;
use crate::soft::load::SoftLoad;
use crate::soft::resting::{Push, Resting};
use crate::soft::set::{Slot, Soft, SoftEvent, SoftSet, Thing, ThingKind};
use crate::soft::soft_body::{Constraint, Held, SoftPart, constraint_of, mesh_of};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use carom_math::{Quat, Vec3};
use carom_particles::{ClothSettings, Gas, Grains, Liquid, ParticleSolver, RopeSettings, SoftBodySettings};
use carom_response::Inconsistency;

/// The soft things of a world.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct StoredSoft {
    settings: SoftSettings,
    set: Option<StoredSet>,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct StoredSet {
    solver: Vec<u8>,
    generations: Vec<u32>,
    free: Vec<u32>,
    things: Vec<StoredThing>,
    touching: Vec<(SoftThing, BodyId)>,
    events: Vec<SoftEvent>,
    resting: Resting,
    pushes: Vec<Push>,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct StoredThing {
    index: u32,
    radius: f32,
    collision: CollisionRules,
    ids: Vec<[u32; 2]>,
    kind: Kind,
    /// The group in the solver of particles that were all removed.
    group: Option<u32>,
    /// The bits of the settings.
    numbers: Vec<u32>,
    part: Option<StoredPart>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Kind {
    Cloth,
    Rope,
    Volume,
    Liquid,
    Gas,
    Grains,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct StoredPart {
    rest: Vec<Vec3>,
    /// Vertices of triangles or tetrahedra.
    elements: Vec<u32>,
    masses: Vec<f32>,
    pins: Vec<(u32, Vec3)>,
    held: Vec<Held>,
    force: Vec3,
    /// The loads in the next step, and those of the last one.
    loads: [Vec<SoftLoad>; 2],
    friction: f32,
    restitution: f32,
    /// The rotations of tetrahedra.
    rotations: Vec<[f32; 4]>,
    /// The stored state of the links of a rope.
    links: Vec<[f64; 7]>,
}

impl Soft {
    /// Returns the state for a snapshot.
    pub(crate) fn stored(&self) -> StoredSoft {
        let stored = |set: &SoftSet| StoredSet {
            solver: set.solver.save(),
            generations: set.slots.iter().map(|slot| slot.generation).collect(),
            free: set.free.clone(),
            things: set.things_with_ids().map(|(id, thing)| StoredThing::of(id.index(), thing)).collect(),
            touching: set.touching.clone(),
            events: set.events.clone(),
            resting: set.resting.clone(),
            pushes: set.pushes.clone(),
        };
        StoredSoft { settings: self.settings, set: self.set.as_deref().map(stored) }
    }
}

impl StoredThing {
    fn of(index: u32, thing: &Thing) -> StoredThing {
        let group = match &thing.kind {
            ThingKind::Particles(_, Some(group)) if thing.ids.is_empty() => Some(group.number()),
            ThingKind::Particles(..) | ThingKind::Body(_) => None,
        };
        let (kind, numbers, part) = match &thing.kind {
            ThingKind::Particles(phase, _) => {
                let (kind, numbers) = numbers_of(phase);
                (kind, numbers, None)
            }
            ThingKind::Body(part) => {
                let (kind, numbers, elements) = match &part.kind {
                    SoftBodyKind::Cloth { triangles, settings: s } => {
                        let numbers =
                            alloc::vec![s.stretch_stiffness, s.bend_stiffness, s.damping, s.tear_strain];
                        (Kind::Cloth, numbers, triangles.as_flattened().to_vec())
                    }
                    SoftBodyKind::Rope(s) => {
                        let numbers = alloc::vec![s.stretch_stiffness, s.bend_stiffness, s.damping];
                        (Kind::Rope, numbers, Vec::new())
                    }
                    SoftBodyKind::Volume { tetrahedra, settings: s } => {
                        let numbers = alloc::vec![s.youngs_modulus, s.poisson_ratio, s.damping];
                        (Kind::Volume, numbers, tetrahedra.as_flattened().to_vec())
                    }
                };
                let SoftPart { rest, masses, pins, held, force, friction, restitution, .. } = &**part;
                let rotations = match &part.constraint {
                    Constraint::Volume(body) => body.rotations().map(|turn| turn.to_array()).collect(),
                    _ => Vec::new(),
                };
                let links = match &part.constraint {
                    Constraint::Rope(rope) => rope.memory().collect(),
                    _ => Vec::new(),
                };
                let part = StoredPart {
                    rotations,
                    links,
                    rest: rest.clone(),
                    elements,
                    masses: masses.clone(),
                    pins: pins.clone(),
                    held: held.clone(),
                    force: *force,
                    loads: [part.loads.clone(), part.last_loads.clone()],
                    friction: *friction,
                    restitution: *restitution,
                };
                (kind, numbers, Some(part))
            }
        };
        StoredThing {
            index,
            radius: thing.radius,
            collision: thing.collision,
            ids: thing.ids.iter().map(|range| [range.start, range.end]).collect(),
            kind,
            group,
            numbers: numbers.into_iter().map(f32::to_bits).collect(),
            part,
        }
    }

    /// Rebuilds the thing. `first` is the index of its first particle among those of soft bodies.
    fn restored(&self, solver: &ParticleSolver, first: usize) -> Result<Thing, &'static str> {
        let mut ids = Vec::new();
        let n_all = solver.n_particles() as u32;
        for &[start, end] in &self.ids {
            if !(start < end && end <= n_all) {
                return Err("the particles of a soft thing");
            }
            ids.push(start..end);
        }
        if !(0.0 < self.radius && self.radius < f32::INFINITY) {
            return Err("the radius of a soft thing");
        }
        let groups = ids.iter().cloned().flatten().map(|id| solver.group_of(id));
        let kind = match &self.part {
            None => {
                let phase = phase_of(self.kind, &self.numbers).ok_or("the kind of particles")?;
                let group = groups.clone().next().flatten();
                if groups.clone().any(|other| other.is_none() || other != group) {
                    return Err("a particle of another kind than its thing");
                }
                let empty = match self.group.filter(|_| ids.is_empty()) {
                    Some(number) => Some(solver.group(number).ok_or("the group of particles")?),
                    None => None,
                };
                ThingKind::Particles(phase, group.or(empty))
            }
            Some(part) => {
                let n = part.rest.len();
                let is_whole = matches!(&ids[..], [range] if range.len() == n);
                if !is_whole || part.masses.len() != n || groups.clone().any(|group| group.is_some()) {
                    return Err("the particles of a soft body");
                }
                ThingKind::Body(Box::new(self.restored_part(part, solver, ids[0].start, first)?))
            }
        };
        let (radius, collision) = (self.radius, self.collision);
        Ok(Thing { kind, radius, collision, ids, positions: Vec::new(), velocities: Vec::new() })
    }

    /// Returns the kind of a soft body with these elements.
    fn kind_of(&self, elements: &[u32]) -> Result<SoftBodyKind, &'static str> {
        let numbers: Vec<f32> = self.numbers.iter().map(|bits| f32::from_bits(*bits)).collect();
        Ok(match (self.kind, &numbers[..]) {
            (Kind::Cloth, &[stretch, bend, damping, tear]) => {
                let settings = ClothSettings::default()
                    .with_stretch_stiffness(stretch)
                    .with_bend_stiffness(bend)
                    .with_damping(damping)
                    .with_tear_strain(tear);
                SoftBodyKind::Cloth { triangles: elements.as_chunks().0.to_vec(), settings }
            }
            (Kind::Rope, &[stretch, bend, damping]) => SoftBodyKind::Rope(
                RopeSettings::default()
                    .with_stretch_stiffness(stretch)
                    .with_bend_stiffness(bend)
                    .with_damping(damping),
            ),
            (Kind::Volume, &[modulus, ratio, damping]) => {
                let settings = SoftBodySettings::default()
                    .with_youngs_modulus(modulus)
                    .with_poisson_ratio(ratio)
                    .with_damping(damping);
                SoftBodyKind::Volume { tetrahedra: elements.as_chunks().0.to_vec(), settings }
            }
            _ => return Err("the kind of a soft body"),
        })
    }

    fn restored_part(
        &self,
        stored: &StoredPart,
        solver: &ParticleSolver,
        first_id: u32,
        first: usize,
    ) -> Result<SoftPart, &'static str> {
        let StoredPart { rest, elements, masses, pins, held, force, friction, restitution, loads, .. } =
            stored;
        let is_in = |vertex: u32| (vertex as usize) < rest.len();
        let is_ascending = |mut list: &mut dyn Iterator<Item = u32>| {
            let mut last = None;
            Iterator::all(&mut list, |vertex| last.replace(vertex) < Some(vertex) && is_in(vertex))
        };
        let are_pins = is_ascending(&mut pins.iter().map(|(vertex, _)| *vertex))
            && pins.iter().all(|(_, position)| position.is_finite());
        let are_held = is_ascending(&mut held.iter().map(|held| held.vertex))
            && held.iter().all(|held| held.point.is_finite());
        let are_masses = masses.iter().all(|mass| 0.0 < *mass && mass.is_finite() && 0.0 < 1.0 / mass);
        if !(are_pins
            && are_held
            && are_masses
            && force.is_finite()
            && loads.iter().flatten().all(|load| load.check().is_ok())
            && 0.0 <= *friction
            && (0.0..=1.0).contains(restitution))
        {
            return Err("a number of a soft body");
        }
        let kind = self.kind_of(elements)?;
        let mut constraint = constraint_of(&kind, rest, first).map_err(|_| "the elements of a soft body")?;
        match &mut constraint {
            Constraint::Volume(body) => {
                let rotations = stored.rotations.iter().map(|turn| Quat::from_array(*turn));
                let rotations: Vec<Quat> = rotations.collect();
                body.set_rotations(&rotations).map_err(|_| "the rotations of a soft body")?;
            }
            Constraint::Rope(rope) if !stored.links.is_empty() => {
                rope.set_memory(&stored.links).map_err(|_| "the links of a rope")?;
            }
            _ => {}
        }
        let positions: Vec<Vec3> = (first_id..).zip(rest).filter_map(|(id, _)| solver.position(id)).collect();
        let mesh = mesh_of(&kind, &positions).map_err(|_| "the mesh of a soft body")?;
        let part = SoftPart {
            kind,
            rest: rest.clone(),
            constraint,
            masses: masses.clone(),
            pins: pins.clone(),
            held: held.clone(),
            force: *force,
            loads: loads[0].clone(),
            last_loads: loads[1].clone(),
            friction: *friction,
            restitution: *restitution,
            mesh,
        };
        if part.loads.iter().any(|load| part.check_triangle(load).is_err()) {
            return Err("a load on a triangle of a soft body");
        }
        let is_mass = |vertex: u32| solver.inverse_mass(first_id + vertex) == Some(part.inverse_mass(vertex));
        if (0..rest.len() as u32).all(is_mass) { Ok(part) } else { Err("the mass of a vertex") }
    }
}

impl StoredSoft {
    /// Rebuilds the soft things.
    ///
    /// Errors: names the first entry that is not consistent with others.
    pub(crate) fn restored(&self) -> Result<Soft, Inconsistency> {
        let set = self.set.as_ref().map(|set| set.restored().map(Box::new)).transpose()?;
        Ok(Soft { settings: self.settings, set })
    }
}

impl StoredSet {
    fn restored(&self) -> Result<SoftSet, Inconsistency> {
        let bad = |what: &'static str, index: usize| Inconsistency { what, index };
        let solver = ParticleSolver::load(&self.solver).map_err(|_| bad("the particles", 0))?;
        let mut slots: Vec<Slot> =
            self.generations.iter().map(|&generation| Slot { generation, thing: None }).collect();
        let mut order: Vec<usize> = (0..self.things.len()).collect();
        order.sort_by_key(|&place| self.things[place].ids.first().map_or(0, |ids| ids[0]));
        let mut first = 0;
        for place in order {
            let stored = &self.things[place];
            let slot = slots.get_mut(stored.index as usize);
            let slot = slot.filter(|slot| slot.generation % 2 == 1 && slot.thing.is_none());
            let slot = slot.ok_or(bad("the number of a soft thing", place))?;
            let thing = stored.restored(&solver, first).map_err(|what| bad(what, place))?;
            first += thing.soft_part().map_or(0, |part| part.rest.len());
            slot.thing = Some(thing);
        }
        let n = slots.len();
        let mut is_free: Vec<bool> = slots.iter().map(|slot| slot.thing.is_some()).collect();
        for (place, &index) in self.free.iter().enumerate() {
            let flag = is_free.get_mut(index as usize).filter(|flag| !**flag);
            *flag.ok_or(bad("a free number of a soft thing", place))? = true;
        }
        if let Some(index) =
            (0..n).find(|&k| !is_free[k] || (slots[k].generation % 2 == 1) != slots[k].thing.is_some())
        {
            return Err(bad("a number that is neither free nor that of a soft thing", index));
        }
        let mut set = SoftSet {
            solver,
            slots,
            free: self.free.clone(),
            owners: Arc::default(),
            touching: self.touching.clone(),
            events: self.events.clone(),
            resting: self.resting.clone(),
            are_bodies_changed: false,
            pushes: self.pushes.clone(),
        };
        let n_owned: usize = set.things().flat_map(|thing| &thing.ids).map(|ids| ids.len()).sum();
        set.find_owners();
        if n_owned != set.owners.len() || set.owners.contains(&u32::MAX) {
            return Err(bad("a particle of no soft thing", n_owned));
        }
        let has_slot = |thing: &SoftThing| (thing.index() as usize) < n;
        let pairs = self.touching.windows(2).all(|pair| pair[0] < pair[1]);
        if !(pairs && self.touching.iter().all(|(thing, _)| has_slot(thing))) {
            return Err(bad("what soft things touch", 0));
        }
        let is_good = |push: &Push| push.mean.iter().chain(&push.missed).all(|v| v.is_finite());
        let are_sorted = self.pushes.windows(2).all(|pair| pair[0].body < pair[1].body);
        if !(are_sorted && self.pushes.iter().all(is_good)) {
            return Err(bad("a push of soft things", 0));
        }
        let is_time = 0.0 <= self.resting.time && self.resting.time.is_finite();
        if is_time { Ok(set) } else { Err(bad("the rest of soft things", 0)) }
    }
}

fn numbers_of(phase: &ParticlePhase) -> (Kind, Vec<f32>) {
    match phase {
        ParticlePhase::Liquid(l) => {
            (Kind::Liquid, alloc::vec![l.density, l.viscosity, l.cohesion, l.vorticity, l.friction])
        }
        ParticlePhase::Gas(g) => {
            (Kind::Gas, alloc::vec![g.density, g.lift, g.drag, g.viscosity, g.vorticity])
        }
        ParticlePhase::Grains(g) => {
            let radius = g.radius.unwrap_or(0.0);
            (Kind::Grains, alloc::vec![g.density, g.friction, g.static_friction, g.restitution, radius])
        }
    }
}

fn phase_of(kind: Kind, bits: &[u32]) -> Option<ParticlePhase> {
    let &[a, b, c, d, e] = bits else { return None };
    let [a, b, c, d, e] = [a, b, c, d, e].map(f32::from_bits);
    Some(match kind {
        Kind::Liquid => {
            let mut liquid = Liquid::default();
            (liquid.density, liquid.viscosity, liquid.cohesion) = (a, b, c);
            (liquid.vorticity, liquid.friction) = (d, e);
            ParticlePhase::Liquid(liquid)
        }
        Kind::Gas => {
            let mut gas = Gas::default();
            (gas.density, gas.lift, gas.drag, gas.viscosity, gas.vorticity) = (a, b, c, d, e);
            ParticlePhase::Gas(gas)
        }
        Kind::Grains => {
            let mut grains = Grains::default();
            (grains.density, grains.friction, grains.static_friction) = (a, b, c);
            (grains.restitution, grains.radius) = (d, Some(e));
            ParticlePhase::Grains(grains)
        }
        _ => return None,
    })
}
