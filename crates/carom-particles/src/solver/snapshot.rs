//! Snapshots: the state of a solver as bytes, from which it continues with the same bits.
//!
//! - Numbers are little-endian. The length of a list precedes it, and is checked against the
//!   remaining bytes, so invalid input does not allocate much memory.
//! - Particles are stored by slot, because the order of slots decides how sums are rounded.
//!
//! Reference: G. Fiedler, Snapshots and Deterministic Lockstep, Gaffer on Games, 2014.

use crate::solver::group::{Group, MAX_GROUPS, Phase};
use crate::solver::store::{NO_SOLID, Store};
use crate::solver::surroundings::{Plane, Surface};
use crate::solver::touch::{ContactTarget, ParticleContact, order};
use crate::{ParticleError, ParticleSettings, ParticleSolver};
use alloc::vec::Vec;
use glam::Vec3;

/// The first bytes of a snapshot, with its version.
const MAGIC: &[u8; 8] = b"carompt2";

impl ParticleSolver {
    /// Returns the state as bytes: settings, groups, planes, particles, and the contacts that
    /// events are compared with. A solver from [`ParticleSolver::load`] goes on with the same bits.
    pub fn save(&self) -> Vec<u8> {
        let mut out = Writer(MAGIC.to_vec());
        let settings = &self.settings;
        out.numbers(&[settings.radius, settings.relaxation, settings.smoothing, settings.sleep_speed]);
        out.numbers(&settings.gravity.to_array());
        out.word(settings.substeps);
        out.word(settings.iterations);
        out.word(settings.max_neighbours);
        out.word(u32::from(settings.collects_contacts));
        let store = &self.store;
        out.word(store.groups.len() as u32);
        for group in &store.groups {
            out.word(group.flags);
            out.numbers(&group.numbers());
        }
        out.word(self.planes.len() as u32);
        for plane in &self.planes {
            out.numbers(&plane.normal.extend(plane.offset).to_array());
            let Surface { friction, static_friction, restitution } = plane.surface;
            out.numbers(&[friction, static_friction, restitution]);
        }
        out.word(store.len() as u32);
        out.word(store.n_solid() as u32);
        for slot in 0..store.len() {
            out.word(store.ids[slot]);
            out.word(store.phases[slot].0);
            out.word(store.solids[slot]);
            out.numbers(&store.positions[slot]);
            out.numbers(&store.velocities[slot][..3]);
        }
        store.rest.iter().for_each(|position| out.numbers(&position.to_array()));
        out.word(self.touches.now.len() as u32);
        for contact in &self.touches.now {
            let (kind, number) = match contact.touched {
                ContactTarget::Plane(i) => (0, i),
                ContactTarget::Field(i) => (1, i),
                ContactTarget::Body(i) => (2, i),
                ContactTarget::Particle(i) => (3, i),
            };
            [contact.particle, kind, number].into_iter().for_each(|word| out.word(word));
            out.numbers(&contact.normal.extend(contact.impulse).to_array());
            out.numbers(&contact.point.to_array());
        }
        out.0
    }

    /// Returns the solver that was saved.
    ///
    /// # Errors
    /// [`ParticleError::BadSnapshot`] if the bytes are not a whole snapshot, or their content is
    /// invalid.
    pub fn load(bytes: &[u8]) -> Result<ParticleSolver, ParticleError> {
        let mut reader = Reader(bytes);
        let solver = read(&mut reader).ok_or(ParticleError::BadSnapshot)?;
        if reader.0.is_empty() { Ok(solver) } else { Err(ParticleError::BadSnapshot) }
    }
}

fn read(from: &mut Reader<'_>) -> Option<ParticleSolver> {
    if from.take(MAGIC.len())? != MAGIC {
        return None;
    }
    let [radius, relaxation, smoothing, sleep_speed] = from.numbers()?;
    let gravity = Vec3::from_array(from.numbers()?);
    let [substeps, iterations, max_neighbours, flag] = from.words()?;
    let collects_contacts = flag == 1;
    let settings = ParticleSettings {
        radius,
        gravity,
        substeps,
        iterations,
        relaxation,
        smoothing,
        max_neighbours,
        sleep_speed,
        collects_contacts,
    };
    let mut solver = ParticleSolver::new(settings).ok()?;
    for _ in 0..from.count(4 + 4 * Group::N_NUMBERS, MAX_GROUPS)? {
        let [flags] = from.words()?;
        let group = Group::from_numbers(flags, from.numbers()?);
        if group.flags & !(Phase::FLUID | Phase::SELF | Phase::RESTS) != 0 {
            return None;
        }
        group.check(radius).ok()?;
        solver.put_group(solver.store.groups.len(), group).ok()?;
    }
    for _ in 0..from.count(28, usize::MAX)? {
        let [x, y, z, offset, friction, static_friction, restitution] = from.numbers()?;
        let (normal, surface) = (Vec3::new(x, y, z), Surface { friction, static_friction, restitution });
        solver.add_plane(normal, offset, &surface).ok()?;
        // Bit for bit as it was saved.
        *solver.planes.last_mut()? = Plane { normal, offset, surface };
    }
    let n = from.count(40, crate::MAX_PARTICLES)?;
    let n_solid = from.count(12, n)?;
    read_particles(from, &mut solver.store, n, n_solid)?;
    for _ in 0..from.count(40, usize::MAX)? {
        let [particle, kind, number] = from.words()?;
        let [x, y, z, impulse] = from.numbers()?;
        let point = Vec3::from_array(from.numbers()?);
        let touched = match kind {
            0 => ContactTarget::Plane(number),
            1 => ContactTarget::Field(number),
            2 => ContactTarget::Body(number),
            3 => ContactTarget::Particle(number),
            _ => return None,
        };
        let normal = Vec3::new(x, y, z);
        let contact = ParticleContact { particle, touched, impulse, point, normal };
        let is_next = solver.touches.now.last().is_none_or(|last| order(last, &contact).is_lt());
        if !(is_next && is_contact(&contact, n)) {
            return None;
        }
        solver.touches.now.push(contact);
    }
    Some(solver)
}

/// Whether a contact is one of `n` particles, and its numbers are finite.
fn is_contact(contact: &ParticleContact, n: usize) -> bool {
    let ParticleContact { particle, touched, impulse, point, normal } = *contact;
    let last = match touched {
        ContactTarget::Particle(other) if other <= particle => return false,
        ContactTarget::Particle(other) => other,
        ContactTarget::Plane(_) | ContactTarget::Field(_) | ContactTarget::Body(_) => particle,
    };
    (last as usize) < n && (0.0..f32::INFINITY).contains(&impulse) && point.is_finite() && normal.is_finite()
}

/// Reads particles into a store whose groups are set.
fn read_particles(from: &mut Reader<'_>, store: &mut Store, n: usize, n_solid: usize) -> Option<()> {
    store.slots.resize(n, u32::MAX);
    store.solid_slots.resize(n_solid, u32::MAX);
    store.predicted.resize(n, [0.0; 4]);
    for slot in 0..n {
        let [id, phase, solid] = from.words()?;
        let (row, phase): ([f32; 4], Phase) = (from.numbers()?, Phase(phase));
        let [x, y, z]: [f32; 3] = from.numbers()?;
        let group = store.groups.get(phase.group())?;
        let is_known = phase.0 == group.flags | phase.group() as u32;
        let is_solid = group.flags & Phase::RESTS != 0;
        let is_mass = 0.0 <= row[3];
        let is_finite = row.iter().chain(&[x, y, z]).all(|x| x.is_finite());
        if !(is_known && is_solid == (solid != NO_SOLID) && is_mass && is_finite) {
            return None;
        }
        let slot_of_id = store.slots.get_mut(id as usize)?;
        if core::mem::replace(slot_of_id, slot as u32) != u32::MAX {
            return None;
        }
        if is_solid {
            let slot_of_solid = store.solid_slots.get_mut(solid as usize)?;
            if core::mem::replace(slot_of_solid, slot as u32) != u32::MAX {
                return None;
            }
        }
        store.solids.push(solid);
        store.ids.push(id);
        store.phases.push(phase);
        store.positions.push(row);
        store.velocities.push([x, y, z, 0.0]);
    }
    if store.solid_slots.contains(&u32::MAX) {
        return None;
    }
    for _ in 0..n_solid {
        let position = Vec3::from_array(from.numbers()?);
        store.rest.push(if position.is_finite() { position } else { return None });
    }
    Some(())
}

/// A buffer to write to.
struct Writer(Vec<u8>);

impl Writer {
    fn word(&mut self, word: u32) {
        self.0.extend_from_slice(&word.to_le_bytes());
    }

    fn numbers(&mut self, numbers: &[f32]) {
        numbers.iter().for_each(|x| self.word(x.to_bits()));
    }
}

/// The bytes that are left to read.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take(&mut self, n: usize) -> Option<&[u8]> {
        let (taken, left) = self.0.split_at_checked(n)?;
        self.0 = left;
        Some(taken)
    }

    fn words<const N: usize>(&mut self) -> Option<[u32; N]> {
        let bytes = self.take(4 * N)?;
        let (words, _) = bytes.as_chunks::<4>();
        Some(core::array::from_fn(|i| u32::from_le_bytes(words[i])))
    }

    fn numbers<const N: usize>(&mut self) -> Option<[f32; N]> {
        self.words().map(|words| words.map(f32::from_bits))
    }

    /// Reads the length of a list of items with `item` bytes each; `None` if it is above `limit` or
    /// beyond the bytes left.
    fn count(&mut self, item: usize, limit: usize) -> Option<usize> {
        let [n] = self.words()?;
        let n = n as usize;
        (n <= limit && n.checked_mul(item)? <= self.0.len()).then_some(n)
    }
}
