//! A step: substeps of prediction, neighbours, iterations over all constraints, and velocities.
//!
//! - Neighbours are found once in a substep, at the predicted positions.
//! - An iteration solves density, contacts, the constraints of solids, and boundaries, in this
//!   order. So at its end no particle is deep in a boundary.
//! - The correction of a particle's position, over the time of the substep, is added to its
//!   velocity.
//!
//! Reference: M. Macklin et al., Unified Particle Physics, 2014, algorithm 1; M. Macklin et al.,
//! Small Steps in Physics Simulation, SCA 2019 (substeps).

use crate::parting::parting;
use crate::solver::body_state::BodyState;
use crate::solver::boundary::{Candidates, add_field_walls, add_plane_walls, find_near_plane, project_still};
use crate::solver::chunks::{for_contacts, for_slots};
use crate::solver::clusters::Clusters;
use crate::solver::contact::Contacts;
use crate::solver::density::{Corrections, Density, Multipliers};
use crate::solver::group::Group;
use crate::solver::holders::{HeldAt, Hold, Holders, find_lags, pin_held, sort_attachments};
use crate::solver::paths::{Boundary, Obstacle, Paths, Stage};
use crate::solver::restitution::Restitution;
use crate::solver::rows::Neighbours;
use crate::solver::settings::ParticleSettings;
use crate::solver::smoothing::Smoothing;
use crate::solver::store::{Row, Store, vector};
use crate::solver::supports::Stacks;
use crate::solver::surroundings::{AccelerationFn, ParticleMotion, Plane, SolidPass, Surroundings};
use crate::solver::touch::{BodyImpulse, ContactTarget, ParticleContact, Touches};
use crate::solver::velocity::{Flow, Mixing, confine};
use crate::solver::wall::Wall;
use crate::{HeldParticle, ParticleError, TautParticle};
use alloc::vec::Vec;
use carom_lanes::dispatch;
use carom_math::ops::sqrt;
use core::sync::atomic::{AtomicBool, Ordering};
use glam::Vec3;

/// Memory of a step, kept from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    contacts: Contacts,
    multipliers: Vec<f32>,
    corrections: Vec<Row>,
    flow: Vec<[Row; 2]>,
    /// Velocities with which particles went into the substep, if something bounces.
    incoming: Vec<Row>,
    coefficients: Vec<Row>,
    planes: Vec<Candidates>,
    fields: Vec<Candidates>,
    bodies: Vec<Candidates>,
    states: Vec<BodyState>,
    stacks: Stacks,
    paths: Paths,
    clusters: Clusters,
    walls: Vec<Wall>,
    solid_positions: Vec<Vec3>,
    solid_masses: Vec<f32>,
    /// The particles that tethers hold.
    taut: Vec<TautParticle>,
    /// Their slots, with the directions away from the pins.
    taut_slots: Vec<(u32, Vec3)>,
    held: Vec<HeldParticle>,
    holds: Vec<Hold>,
    n_held: Vec<u32>,
    /// See [`Holders`].
    attachments: Vec<HeldAt>,
    /// Positions and velocities at the beginning, for steps that fail.
    before: [Vec<Row>; 2],
}

/// The parts of a solver that a step uses.
pub(crate) struct Step<'a> {
    pub(crate) settings: &'a ParticleSettings,
    pub(crate) smoothing: Smoothing,
    pub(crate) store: &'a mut Store,
    pub(crate) planes: &'a [Plane],
    pub(crate) neighbours: &'a mut Neighbours,
    pub(crate) touches: &'a mut Touches,
    pub(crate) work: &'a mut Workspace,
}

/// The kinds of particles present, which decide about passes.
#[derive(Clone, Copy, Debug)]
struct Kinds {
    has_fluid: bool,
    has_contacts: bool,
    /// Something bounces.
    has_restitution: bool,
    has_flow: bool,
    has_vorticity: bool,
    /// Whether all are of one liquid, which has no cohesion and no vorticity.
    is_plain: bool,
    /// The inverse mass of all particles, if it is one.
    inverse_mass: Option<f32>,
}

impl Step<'_> {
    /// Makes a step of `dt` seconds, which is greater than 0. On an error positions and velocities
    /// are as before.
    pub(crate) fn run(
        &mut self,
        dt: f32,
        surroundings: &mut Surroundings<'_, '_>,
    ) -> Result<(), ParticleError> {
        let order = self.neighbours.order(self.store)?;
        self.store.reorder(order);
        let kinds = self.kinds(surroundings);
        self.work.before[0].clone_from(&self.store.positions);
        self.work.before[1].clone_from(&self.store.velocities);
        self.work.states.clear();
        self.work.states.extend(surroundings.bodies.iter().map(|body| BodyState::new(body)));
        self.work.stacks.connect(&mut self.work.states, surroundings.bodies);
        self.set_coefficients();
        sort_attachments(surroundings.attachments, self.store, &mut self.work.attachments);
        self.touches.begin();
        for _ in 0..self.settings.substeps {
            if let Err(error) = self.substep(dt / self.settings.substeps as f32, kinds, surroundings) {
                self.store.positions.clone_from(&self.work.before[0]);
                self.store.velocities.clone_from(&self.work.before[1]);
                self.touches.undo();
                return Err(error);
            }
        }
        self.touches.finish();
        for (body, state) in surroundings.bodies.iter_mut().zip(&self.work.states) {
            (body.impulse, body.angular_impulse) = (state.impulse, state.angular_impulse);
            body.taken = state.impulse_taken;
            [body.travel, body.angular_travel] = state.travel;
        }
        Ok(())
    }

    fn kinds(&self, surroundings: &Surroundings<'_, '_>) -> Kinds {
        let groups = &self.store.groups;
        let first = self.store.positions.first().map(|row| row[3]);
        let inverse_mass = first.filter(|&w| self.store.positions.iter().all(|row| row[3] == w));
        let has_fluid = groups.iter().any(|group| group.is_fluid());
        let flows = |group: &Group| 0.0 < group.viscosity || 0.0 < group.cohesion || 0.0 < group.vorticity;
        Kinds {
            has_fluid,
            has_restitution: {
                let surfaces = self.planes.iter().map(|plane| plane.surface);
                let surfaces = surfaces.chain(surroundings.fields.iter().map(|field| field.surface));
                let mut surfaces = surfaces.chain(surroundings.bodies.iter().map(|body| body.surface));
                surfaces.any(|surface| 0.0 < surface.restitution)
                    || surroundings.bodies.iter().any(|body| body.surface_at.is_some())
                    || groups.iter().any(|group| 0.0 < group.restitution)
            },
            has_contacts: groups.iter().any(|group| !group.is_fluid()),
            has_flow: has_fluid && (0.0 < self.settings.smoothing || groups.iter().any(flows)),
            is_plain: matches!(&groups[..], [one] if one.cohesion == 0.0 && one.vorticity == 0.0),
            has_vorticity: groups.iter().any(|group| 0.0 < group.vorticity),
            inverse_mass,
        }
    }

    /// The coefficients of each slot that the passes over velocities read.
    fn set_coefficients(&mut self) {
        let store = &*self.store;
        self.work.coefficients.clear();
        self.work.coefficients.extend((0..store.len()).map(|slot| {
            let group = store.group(slot);
            let viscosity = if group.is_fluid() { group.viscosity } else { -1.0 };
            [viscosity, group.cohesion, group.vorticity, 0.0]
        }));
    }

    fn substep(
        &mut self,
        dt: f32,
        kinds: Kinds,
        surroundings: &mut Surroundings<'_, '_>,
    ) -> Result<(), ParticleError> {
        let strongest = self.predict(dt, surroundings.acceleration);
        self.find_candidates(surroundings, dt);
        find_lags(&mut self.work.attachments, self.store, &self.work.states);
        if kinds.has_fluid {
            self.add_walls(surroundings);
        }
        let max_pairs = self.store.len().saturating_mul(self.settings.max_neighbours as usize).div_ceil(2);
        self.neighbours.find(self.store, &self.store.predicted, max_pairs)?;
        if kinds.has_contacts {
            self.work.contacts.find(self.store, self.neighbours.rows());
        }
        self.work.taut_slots.clear();
        for iteration in 0..self.settings.iterations {
            if kinds.has_fluid {
                self.project_density(kinds, iteration == 0);
            }
            if kinds.has_contacts && !self.work.contacts.is_empty() {
                self.project_contacts();
            }
            if let Some(constraints) = &mut surroundings.constraints {
                self.project_solids(constraints, dt, iteration);
            }
            self.project_boundaries(surroundings);
        }
        self.bend_paths(surroundings, Stage::End);
        self.work.stacks.pass_on(&mut self.work.states, BodyState::take_load);
        if kinds.has_restitution {
            self.work.incoming.clone_from(&self.store.velocities);
        }
        self.finish(dt)?;
        self.work.states.iter_mut().for_each(|state| state.finish(dt));
        if kinds.has_restitution {
            self.bounce(dt, strongest)?;
        }
        for (body, state) in self.work.states.iter().enumerate() {
            if !state.is_finite() {
                return Err(ParticleError::BadBody { body });
            }
        }
        if kinds.has_flow {
            self.change_velocities(dt, kinds)?;
        }
        if self.settings.collects_contacts {
            self.collect_contacts(dt);
        }
        Ok(())
    }

    /// Moves particles by gravity, other accelerations and their velocities. Returns the strongest
    /// acceleration.
    fn predict(&mut self, dt: f32, acceleration: Option<AccelerationFn<'_>>) -> f32 {
        let (store, gravity) = (&mut *self.store, self.settings.gravity);
        let mut strongest = gravity.length();
        for slot in 0..store.ids.len() {
            let group = &store.groups[store.phases[slot].group()];
            let row = store.positions[slot];
            let mut velocity = vector(&store.velocities[slot]);
            if 0.0 < row[3] {
                match acceleration {
                    None => velocity += gravity * (group.gravity_scale * dt),
                    Some(acceleration) => {
                        let (particle, position) = (store.ids[slot], vector(&row));
                        let found = acceleration(&ParticleMotion { particle, position, velocity, dt });
                        let sum = found.gravity * group.gravity_scale + found.other;
                        strongest = strongest.max(sum.length());
                        velocity += sum * dt;
                    }
                }
                velocity *= (1.0 - group.drag * dt).max(0.0);
            }
            store.velocities[slot] = velocity.extend(0.0).to_array();
            store.predicted[slot] = free_position(&row, velocity, dt).extend(row[3]).to_array();
        }
        strongest
    }

    /// Finds the particles near each boundary, and moves bodies by their velocities.
    fn find_candidates(&mut self, surroundings: &mut Surroundings<'_, '_>, dt: f32) {
        let work = &mut *self.work;
        work.planes.resize_with(self.planes.len(), Vec::new);
        work.fields.resize_with(surroundings.fields.len(), Vec::new);
        work.bodies.resize_with(surroundings.bodies.len(), Vec::new);
        for (plane, candidates) in self.planes.iter().zip(&mut work.planes) {
            find_near_plane(self.store, plane.normal, plane.offset, candidates);
        }
        work.stacks.predict(&mut work.states, dt);
        self.bend_paths(surroundings, Stage::Begin);
    }

    /// Bends the paths of fast particles at each field, then at each body.
    fn bend_paths(&mut self, surroundings: &Surroundings<'_, '_>, stage: Stage) {
        let Workspace { fields, bodies, states, paths, clusters, .. } = &mut *self.work;
        let n_fields = surroundings.fields.len();
        let all = |index: usize| match surroundings.fields.get(index) {
            Some(field) => Boundary { distance: field.distance, met_by: None, is_met: true },
            None => {
                let body = &surroundings.bodies[index - n_fields];
                Boundary { distance: body.distance, met_by: body.meets, is_met: body.is_met }
            }
        };
        paths.begin(n_fields, states);
        if paths.has_round() {
            clusters.update(self.store);
        }
        while paths.has_round() {
            paths.begin_round(all, states, clusters);
            for index in 0..n_fields + states.len() {
                let (state, candidates) = match index.checked_sub(n_fields) {
                    None => (&mut BodyState::still(), &mut fields[index]),
                    Some(body) => (&mut states[body], &mut bodies[body]),
                };
                let boundary = all(index);
                if !boundary.is_met {
                    candidates.clear();
                    paths.skip();
                    continue;
                }
                let obstacle = Obstacle { boundary, all: &all, clusters };
                paths.visit(self.store, &obstacle, state, candidates, stage);
                clusters.include(self.store, &paths.bends);
            }
        }
    }

    /// Finds each boundary's contribution to the density of the liquids near it.
    fn add_walls(&mut self, surroundings: &Surroundings<'_, '_>) {
        let Workspace { planes, fields, bodies, states, walls, .. } = &mut *self.work;
        let (store, smoothing) = (&*self.store, &self.smoothing);
        walls.clear();
        walls.extend(store.predicted.iter().map(|row| Wall::none(vector(row))));
        for (plane, candidates) in self.planes.iter().zip(planes) {
            add_plane_walls(store, |point| plane.distance(point), smoothing, candidates, walls);
        }
        for (field, candidates) in surroundings.fields.iter().zip(fields) {
            add_field_walls(store, field.distance, smoothing, candidates, walls);
        }
        for ((body, state), candidates) in surroundings.bodies.iter().zip(states).zip(bodies) {
            state.add_walls(store, body, smoothing, candidates, walls);
        }
    }

    fn project_density(&mut self, kinds: Kinds, is_first: bool) {
        let work = &mut *self.work;
        work.multipliers.resize(self.store.len(), 0.0);
        work.corrections.resize(self.store.len(), [0.0; 4]);
        let has_coincident = AtomicBool::new(false);
        let mut multipliers = core::mem::take(&mut work.multipliers);
        let mut corrections = core::mem::take(&mut work.corrections);
        let density = self.density(kinds);
        for_slots(&mut multipliers, |slots, out| {
            if dispatch(Multipliers { density, slots, out }) {
                has_coincident.store(true, Ordering::Relaxed);
            }
        });
        for_slots(&mut corrections, |slots, out| {
            dispatch(Corrections { density, multipliers: &multipliers, slots, out });
        });
        let relaxation = self.settings.relaxation;
        for (row, correction) in self.store.predicted.iter_mut().zip(&corrections) {
            for axis in 0..3 {
                row[axis] += relaxation * correction[axis];
            }
        }
        for (state, candidates) in self.work.states.iter_mut().zip(&mut self.work.bodies) {
            state.take_pressure(self.store, candidates, &multipliers, relaxation);
        }
        self.work.multipliers = multipliers;
        self.work.corrections = corrections;
        if is_first && has_coincident.into_inner() {
            self.part_coincident();
        }
    }

    fn density(&self, kinds: Kinds) -> Density<'_> {
        Density {
            smoothing: self.smoothing,
            predicted: &self.store.predicted,
            phases: &self.store.phases,
            rows: self.neighbours.rows(),
            walls: &self.work.walls,
            inverse_mass: kinds.inverse_mass,
        }
    }

    /// Moves liquid particles that are at one place a little apart: by a part of their radius.
    #[cold]
    fn part_coincident(&mut self) {
        let rows = self.neighbours.rows();
        let (store, travel) = (&mut *self.store, self.settings.radius / 8.0);
        self.work.corrections.iter_mut().for_each(|row| *row = [0.0; 4]);
        let limit = self.smoothing.reach * carom_math::tol::COINCIDENT_PARTICLES * 4.0;
        for slot in 0..store.len() {
            let own = vector(&store.predicted[slot]);
            let (mut sum, mut n) = (Vec3::ZERO, 0.0);
            for &other in rows.of(slot) {
                let [a, b] = [store.phases[slot], store.phases[other as usize]];
                if a.is_fluid()
                    && b.is_fluid()
                    && own.distance_squared(vector(&store.predicted[other as usize])) < limit * limit
                {
                    sum += parting(slot as u32, other);
                    n += 1.0;
                }
            }
            if 0.0 < n && 0.0 < store.predicted[slot][3] {
                self.work.corrections[slot] = (sum * (travel / n)).extend(0.0).to_array();
            }
        }
        for (row, correction) in store.predicted.iter_mut().zip(&self.work.corrections) {
            for axis in 0..3 {
                row[axis] += correction[axis];
            }
        }
    }

    fn project_contacts(&mut self) {
        let work = &mut *self.work;
        work.corrections.resize(self.store.len(), [0.0; 4]);
        let (pass, contacts) = work.contacts.pass(self.store);
        for_contacts(pass.starts, contacts, &mut work.corrections, |first, contacts, out| {
            pass.run(first, contacts, out);
        });
        for (row, correction) in self.store.predicted.iter_mut().zip(&work.corrections) {
            for axis in 0..3 {
                row[axis] += correction[axis];
            }
        }
    }

    fn project_solids(&mut self, constraints: &mut dyn FnMut(&mut SolidPass<'_>), dt: f32, iteration: u32) {
        let (work, store) = (&mut *self.work, &mut *self.store);
        let rows = store.solid_slots.iter().map(|&slot| &store.predicted[slot as usize]);
        work.solid_positions.clear();
        work.solid_positions.extend(rows.clone().map(vector));
        work.solid_masses.clear();
        work.solid_masses.extend(rows.map(|row| row[3]));
        work.taut.clear();
        pin_held(&work.attachments, &work.states, &mut work.solid_positions, &mut work.solid_masses);
        constraints(&mut SolidPass {
            positions: &mut work.solid_positions,
            inverse_masses: &work.solid_masses,
            dt,
            iteration,
            taut: &mut work.taut,
            holders: Holders {
                states: &mut work.states,
                attachments: &work.attachments,
                held: &mut work.held,
                holds: &mut work.holds,
                n_held: &mut work.n_held,
            },
        });
        let slot_of = |taut: &TautParticle| Some((*store.solid_slots.get(taut.particle)?, taut.outward));
        let taut = work.taut.iter().filter_map(slot_of);
        work.taut_slots.clear();
        work.taut_slots.extend(taut);
        for (&slot, position) in store.solid_slots.iter().zip(&work.solid_positions) {
            let row = &mut store.predicted[slot as usize];
            *row = position.extend(row[3]).to_array();
        }
    }

    fn project_boundaries(&mut self, surroundings: &Surroundings<'_, '_>) {
        let work = &mut *self.work;
        for ((body, state), candidates) in
            surroundings.bodies.iter().zip(&mut work.states).zip(&mut work.bodies)
        {
            state.project(self.store, body, &work.taut_slots, candidates);
        }
        work.stacks.pass_on(&mut work.states, BodyState::take_load);
        for &HeldAt { attachment, lag, .. } in &work.attachments {
            let slot = self.store.slots[attachment.particle as usize] as usize;
            let row = &mut self.store.predicted[slot];
            let mut position = vector(row);
            work.states[attachment.body as usize].hold(&mut position, row[3], attachment.point, lag);
            *row = position.extend(row[3]).to_array();
        }
        for (field, candidates) in surroundings.fields.iter().zip(&mut work.fields) {
            project_still(self.store, field.distance, &field.surface, candidates);
        }
        for (plane, candidates) in self.planes.iter().zip(&mut work.planes) {
            project_still(self.store, |point| plane.distance(point), &plane.surface, candidates);
        }
    }

    /// Applies the predicted positions, and adds the corrections to the velocities. The velocity is
    /// not computed from the positions alone: their rounding would swallow small changes of it.
    fn finish(&mut self, dt: f32) -> Result<(), ParticleError> {
        let store = &mut *self.store;
        let rest = self.settings.sleep_speed * dt;
        let per_dt = 1.0 / dt;
        for slot in 0..store.ids.len() {
            let (from, to) = (vector(&store.positions[slot]), vector(&store.predicted[slot]));
            if store.positions[slot][3] == 0.0 && to.is_finite() {
                // Fixed, or moved by the caller, which sets its velocity.
                store.positions[slot] = store.predicted[slot];
                continue;
            }
            let offset = to - from;
            if offset.length_squared() < rest * rest && !store.phases[slot].is_fluid() {
                store.velocities[slot] = [0.0; 4];
                continue;
            }
            let velocity = vector(&store.velocities[slot]);
            let corrected = to - free_position(&store.positions[slot], velocity, dt);
            let velocity = velocity + corrected * per_dt;
            if !(to.is_finite() && velocity.is_finite()) {
                return Err(ParticleError::Exploded { particle: store.ids[slot] });
            }
            store.velocities[slot] = velocity.extend(0.0).to_array();
            store.positions[slot] = store.predicted[slot];
        }
        Ok(())
    }

    /// Lets contacts that pushed bounce. `strongest` is the strongest acceleration in the substep.
    fn bounce(&mut self, dt: f32, strongest: f32) -> Result<(), ParticleError> {
        let (work, store) = (&mut *self.work, &mut *self.store);
        let least_speed = 2.0 * strongest * dt;
        let restitution = Restitution { incoming: &work.incoming, least_speed };
        if !work.contacts.is_empty() {
            restitution.between(store, &work.contacts);
        }
        for (state, candidates) in work.states.iter_mut().zip(&mut work.bodies) {
            restitution.on_body(store, state, dt, candidates);
        }
        work.stacks.pass_on(&mut work.states, BodyState::apply_load);
        for candidates in work.fields.iter().chain(&work.planes) {
            restitution.on_still(store, candidates);
        }
        match store.velocities.iter().position(|row| !vector(row).is_finite()) {
            Some(slot) => Err(ParticleError::Exploded { particle: store.ids[slot] }),
            None => Ok(()),
        }
    }

    fn change_velocities(&mut self, dt: f32, kinds: Kinds) -> Result<(), ParticleError> {
        let work = &mut *self.work;
        work.flow.resize(self.store.len(), [[0.0; 4]; 2]);
        let flow = Flow {
            smoothing: self.smoothing,
            positions: &self.store.positions,
            velocities: &self.store.velocities,
            coefficients: &work.coefficients,
            rows: self.neighbours.rows(),
            dt,
            min_mixing: self.settings.smoothing,
            is_plain: kinds.is_plain,
        };
        for_slots(&mut work.flow, |slots, out| dispatch(Mixing { flow, slots, out }));
        if kinds.has_vorticity {
            work.corrections.resize(self.store.len(), [0.0; 4]);
            let curls = &work.flow;
            for_slots(&mut work.corrections, |slots, out| {
                for (slot, out) in slots.zip(out) {
                    *out = confine(&flow, curls, slot).extend(0.0).to_array();
                }
            });
        }
        for (slot, row) in self.store.velocities.iter_mut().enumerate() {
            for axis in 0..3 {
                row[axis] += work.flow[slot][0][axis];
                if kinds.has_vorticity {
                    row[axis] += work.corrections[slot][axis];
                }
            }
            if !vector(row).is_finite() {
                return Err(ParticleError::Exploded { particle: self.store.ids[slot] });
            }
        }
        Ok(())
    }

    /// Adds the contacts that pushed in this substep.
    fn collect_contacts(&mut self, dt: f32) {
        let (work, store) = (&*self.work, &*self.store);
        let lists = (0..).map(ContactTarget::Plane).zip(&work.planes);
        let lists = lists.chain((0..).map(ContactTarget::Field).zip(&work.fields));
        for (touched, candidates) in lists.chain((0..).map(ContactTarget::Body).zip(&work.bodies)) {
            for candidate in candidates.iter().filter(|candidate| 0.0 < candidate.push) {
                let (slot, normal) = (candidate.slot as usize, candidate.normal);
                let impulse = candidate.push / dt;
                let point = vector(&store.positions[slot]) - normal * store.radius(slot);
                let particle = store.ids[slot];
                self.touches.add(ParticleContact { particle, touched, impulse, point, normal });
            }
        }
        for (body, candidates) in (0..).zip(&work.bodies) {
            for candidate in candidates.iter().filter(|candidate| candidate.on_body != Vec3::ZERO) {
                let slot = candidate.slot as usize;
                let point = vector(&store.positions[slot]) - candidate.normal * store.radius(slot);
                let (particle, impulse) = (store.ids[slot], candidate.on_body / dt);
                self.touches.impulses.push(BodyImpulse { body, particle, point, impulse });
            }
        }
        if work.contacts.is_empty() {
            return;
        }
        for slot in 0..store.len() {
            let contacts = &work.contacts.all[work.contacts.start(slot)..work.contacts.start(slot + 1)];
            for contact in contacts.iter().filter(|contact| 0.0 < contact.push) {
                let other = contact.other as usize;
                let [a, b] = [store.ids[slot], store.ids[other]];
                if a < b && store.phases[slot].group() != store.phases[other].group() {
                    let difference = vector(&store.positions[slot]) - vector(&store.positions[other]);
                    let normal = difference / sqrt(difference.length_squared()).max(f32::MIN_POSITIVE);
                    let point = vector(&store.positions[slot]) - normal * store.radius(slot);
                    let (touched, impulse) = (ContactTarget::Particle(b), contact.push / dt);
                    self.touches.add(ParticleContact { particle: a, touched, impulse, point, normal });
                }
            }
        }
    }
}

/// Returns the position of a particle after moving by its velocity alone. The same bits each time.
#[inline(always)]
fn free_position(row: &Row, velocity: Vec3, dt: f32) -> Vec3 {
    vector(row) + velocity * dt
}
