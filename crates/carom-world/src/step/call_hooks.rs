//! Calls the hooks within a step.
//!
//! 1. After the broad phase: `filter_pair`, for the active pairs with the flag. It decides which
//!    pairs the narrow phase tests.
//! 2. After the narrow phase, before anything moves: `combine` and `modify_contact`. After sleeping
//!    bodies were woken, they are called for the pairs of these bodies too.
//! 3. With the input of the solver: the changes are passed to it.
//!
//! Hooks are called on chunks of the pairs, on several threads. All results are collected before
//! any is written to the world. So the order of the calls does not matter, and a panic in a hook
//! leaves the world unchanged.
//!
//! Reference: rapier 0.36, `PhysicsHooks`.

use crate::bodies::BodySet;
use crate::bodies::active_hooks::ActiveHooks;
use crate::bodies::id::ColliderSlot;
use crate::bodies::solids::{ColliderPair, Part, Solids};
use crate::bodies::traits::Traits;
use crate::contacts::ContactSet;
use crate::contacts::hook_input::{MixedMaterial, PairSide};
use crate::contacts::hooked::{Answers, Change, PairAnswer, Verdict, inverse_mass_of};
use crate::contacts::narrow;
use crate::contacts::pair_state::{NOT_SOLVED, PairState};
use crate::contacts::surface_velocity::middle_of;
use crate::contacts::touches::is_sensor_pair;
use crate::hooks::{ContactMut, Hooks, PairView, Side};
use crate::{BodyId, World};
use alloc::vec::Vec;
use carom_broad::{BroadPhase, Pair};
use carom_geom::Manifold;
use carom_math::Vec3;
use carom_response::{ContactSettings, SurfaceVelocity};
#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// The number of pairs of a chunk.
const CHUNK_PAIRS: usize = 64;

/// The input for calls of hooks.
struct Caller<'a> {
    hooks: &'a dyn Hooks,
    bodies: &'a BodySet,
    contacts: &'a ContactSet,
}

impl<'a> Caller<'a> {
    /// Returns the view of a pair of colliders; `None` if one of them does not exist.
    fn view(&self, state: &PairState, slots: [ColliderSlot; 2]) -> Option<PairView<'a>> {
        let solids = self.solids();
        let side = |id: BodyId, slot: ColliderSlot| {
            let index = id.index as usize;
            Some(Side {
                id,
                collider: slot.on(id),
                body: &self.bodies.motions[index],
                shape: solids.shape(index, Part::Slot(slot.index))?,
                body_data: self.bodies.traits[index].user_data,
                collider_data: self.bodies.data_of(index, slot),
            })
        };
        Some(PairView { a: side(state.a, slots[0])?, b: side(state.b, slots[1])? })
    }

    fn solids(&self) -> Solids<'a> {
        self.bodies.solids([&self.contacts.hooked.apart, &[]])
    }

    /// Calls the filter for a pair of bodies. Appends the pairs of colliders that it rejects to
    /// `apart`. Returns whether any pair remains.
    fn verdict(&self, index: u32, apart: &mut Vec<ColliderPair>) -> bool {
        let state = &self.contacts.states[index as usize];
        let bodies = [state.a.index as usize, state.b.index as usize];
        let mut meets = false;
        if !self.solids().is_composite(bodies[0], bodies[1]) {
            let view = self.view(state, [ColliderSlot::FIRST; 2]);
            return view.is_none_or(|view| self.hooks.filter_pair(&view));
        }
        // Earlier decisions of the filter are ignored.
        for [own, other] in self.bodies.solids([&[], &[]]).allowed_pairs(bodies[0], bodies[1]) {
            let (slots, hooks) = ([own.0, other.0], own.1.hooks | other.1.hooks);
            let view = self.view(state, slots).filter(|_| hooks.contains(ActiveHooks::FILTER));
            let is_met = view.is_none_or(|view| self.hooks.filter_pair(&view));
            meets |= is_met;
            if !is_met {
                apart.push(ColliderPair { bodies: [state.a.index, state.b.index], slots });
            }
        }
        meets
    }

    /// Calls the hooks for the contacts of a pair of bodies.
    fn call(&self, index: u32, out: &mut Answers) {
        let state = &self.contacts.states[index as usize];
        let (bodies, manifolds) =
            ([state.a.index as usize, state.b.index as usize], self.contacts.manifolds_of(state));
        let solids = self.solids();
        if !solids.is_composite(bodies[0], bodies[1]) {
            return self.call_for_colliders(index, [ColliderSlot::FIRST; 2], (manifolds, 0), out);
        }
        let slots_of = |manifold: &Manifold| solids.slots_of(bodies, manifold);
        let (mut first, mut called) = (0, Vec::new());
        for own in manifolds.chunk_by(|x, y| slots_of(x) == slots_of(y)) {
            called.push(slots_of(&own[0]));
            self.call_for_colliders(index, slots_of(&own[0]), (own, first), out);
            first += own.len() as u32;
        }
        // Colliders without contacts may meet in the step if a body travels far.
        for [own, other] in solids.allowed_pairs(bodies[0], bodies[1]) {
            let slots = [own.0, other.0];
            if !called.contains(&slots) && !is_sensor_pair(state, &solids, slots) {
                self.call_for_colliders(index, slots, (&[], 0), out);
            }
        }
    }

    /// Calls the hooks for manifolds of a pair of colliders, of which the first is number
    /// `first_number` of the pair state.
    fn call_for_colliders(
        &self,
        index: u32,
        slots: [ColliderSlot; 2],
        (manifolds, first_number): (&[Manifold], u32),
        out: &mut Answers,
    ) {
        let state = &self.contacts.states[index as usize];
        let solids = self.solids();
        let Some(pair) = self.view(state, slots) else { return };
        let of = |id: BodyId, slot| solids.traits_of(id.index as usize, slot);
        let [a, b] = [of(state.a, slots[0]), of(state.b, slots[1])];
        let hooks = a.hooks | b.hooks;
        if !hooks.intersects(ActiveHooks::COMBINE | ActiveHooks::MODIFY) {
            return;
        }
        let bodies = [state.a.index as usize, state.b.index as usize];
        // The material by the combine rules, and as the hook changed it.
        let materials = |by_rules: MixedMaterial| {
            let mut material = by_rules;
            if hooks.contains(ActiveHooks::COMBINE) && !manifolds.is_empty() {
                self.hooks.combine(&pair, &mut material);
                material = material.or(by_rules);
            }
            (by_rules, material)
        };
        let by_part = solids.has_part_materials(bodies[0], bodies[1]);
        let mixed = |manifold| {
            MixedMaterial::of(solids.mixed(bodies, manifold), solids.mixed_rotation(bodies, manifold))
        };
        let by_rules = || MixedMaterial::of(a.mixed_with(b), a.mixed_rotation_with(b));
        let common = (!by_part).then(|| materials(by_rules()));
        let key = ColliderPair { bodies: [state.a.index, state.b.index], slots };
        let known = &self.contacts.hooked.memory;
        let known = known.binary_search_by_key(&key, |(key, _)| *key).map_or(0, |at| known[at].1);
        let mut answer = PairAnswer { index, key, tag: 0, is_disabled: false };
        let none = Manifold::new(Vec3::ZERO);
        let each = if manifolds.is_empty() { core::slice::from_ref(&none) } else { manifolds };
        let (first, mut n_points, mut is_enabled) = (out.changes.len(), 0, false);
        let mut tag = if manifolds.is_empty() { 0 } else { known };
        for (number, manifold) in (first_number..).zip(each) {
            let (by_rules, material) = common.unwrap_or_else(|| materials(mixed(manifold)));
            let mut change = Change::none(index, number, material, manifold);
            if hooks.contains(ActiveHooks::MODIFY) {
                let mut contact = ContactMut { pair, manifolds, manifold, tag: &mut tag, change };
                self.hooks.modify_contact(&mut contact);
                change = contact.change;
            }
            change.has_other_rotation = change.material.rotation() != by_rules.rotation();
            n_points += change.solved_points().count();
            is_enabled |= change.is_enabled;
            if !manifolds.is_empty() && change.is_change(by_rules) {
                out.changes.push(change);
            }
        }
        out.changes[first..].iter_mut().for_each(|change| change.n_points_of_pair = n_points);
        answer.tag = if manifolds.is_empty() { 0 } else { tag };
        answer.is_disabled = !is_enabled;
        out.pairs.push(answer);
    }
}

impl<B: BroadPhase> World<B> {
    /// Calls the filter for the active pairs with the flag, and stores which of them are tested.
    pub(crate) fn filter_pairs(&mut self, hooks: &dyn Hooks) {
        let World { bodies, joints, contacts, .. } = self;
        let mut indices = core::mem::take(&mut contacts.hooked.indices);
        let mut verdicts = core::mem::take(&mut contacts.hooked.verdicts);
        let is_filtered = |pair: &Pair| {
            has_hooks(&bodies.traits, *pair, ActiveHooks::FILTER)
                && narrow::is_wanted(*pair, &bodies.traits, &bodies.motions, joints)
        };
        find_active_pairs(contacts, &mut indices, |_, state| is_filtered(&state.pair()));
        verdicts.clear();
        verdicts.resize_with(indices.len(), || (true, Vec::new()));
        let caller = Caller { hooks, bodies, contacts };
        fill_verdicts(&caller, &indices, &mut verdicts);
        let mut apart = core::mem::take(&mut contacts.hooked.apart);
        for (&index, (is_wanted, parted)) in indices.iter().zip(&mut verdicts) {
            let state = &mut contacts.states[index as usize];
            let bodies_of = [state.a.index, state.b.index];
            let several = [state.a, state.b].iter().any(|id| bodies.traits[id.index as usize].is_composite);
            let first = apart.partition_point(|pair| pair.bodies < bodies_of);
            let n = apart[first..].iter().take_while(|pair| pair.bodies == bodies_of).count();
            let is_other = several && apart[first..first + n] != parted[..];
            if state.is_wanted != *is_wanted || is_other {
                state.is_wanted = *is_wanted;
                state.forget();
                if state.is_touching && (!*is_wanted || is_other) {
                    contacts.hooked.parted.extend([state.a, state.b]);
                }
            }
            if several {
                apart.splice(first..first + n, parted.drain(..));
            }
        }
        contacts.hooked.apart = apart;
        (contacts.hooked.indices, contacts.hooked.verdicts) = (indices, verdicts);
    }

    /// Calls the hooks for the contacts of the active pairs, and stores their changes.
    pub(crate) fn call_hooks(&mut self, hooks: Option<&dyn Hooks>) {
        let hooked = &mut self.contacts.hooked;
        hooked.changes.clear();
        hooked.disabled.clear();
        if self.bodies.n_hooked == 0 {
            hooked.memory.clear();
            return;
        }
        let mut indices = core::mem::take(&mut self.contacts.hooked.indices);
        find_active_pairs(&self.contacts, &mut indices, |_, state| may_change(&self.bodies.traits, state));
        let answers = self.answers_for(&indices, hooks);
        // From here on nothing can panic.
        let ContactSet { hooked, pairs, states, active_pairs, .. } = &mut self.contacts;
        // Only pairs in which nothing moves keep their memory without a call. That of a pair with
        // a removed body is dropped.
        hooked.memory.retain(|(ColliderPair { bodies: [a, b], .. }, _)| {
            let pair = Pair { a: *a, b: *b };
            let first = pairs.partition_point(|other| *other < pair);
            let mut same = (first..pairs.len()).take_while(|&slot| pairs[slot] == pair);
            same.find(|&slot| !states[slot].is_gap())
                .is_some_and(|slot| active_pairs.binary_search(&(slot as u32)).is_err())
        });
        self.put_answers(&indices, answers);
        self.contacts.hooked.indices = indices;
    }

    /// After sleeping bodies were woken: calls the hooks for the contacts of the pairs that became
    /// active.
    pub(crate) fn call_hooks_of_woken(&mut self, hooks: Option<&dyn Hooks>) {
        if self.bodies.n_hooked == 0 {
            return;
        }
        let (mut indices, called) = (Vec::new(), &self.contacts.hooked.indices);
        find_active_pairs(&self.contacts, &mut indices, |index, state| {
            may_change(&self.bodies.traits, state) && called.binary_search(&index).is_err()
        });
        if indices.is_empty() {
            return;
        }
        let answers = self.answers_for(&indices, hooks);
        // From here on nothing can panic.
        let ContactSet { hooked, pairs, .. } = &mut self.contacts;
        let is_called = |[a, b]: [u32; 2]| {
            indices.binary_search_by_key(&Pair { a, b }, |&slot| pairs[slot as usize]).is_ok()
        };
        hooked.memory.retain(|(key, _)| !is_called(key.bodies));
        self.put_answers(&indices, answers);
        self.contacts.hooked.changes.sort_by_key(|change| (change.index, change.number));
    }

    /// Calls the hooks for the contacts of the pairs with these indices.
    fn answers_for(&mut self, indices: &[u32], hooks: Option<&dyn Hooks>) -> Vec<Answers> {
        let World { bodies, contacts, continuous, .. } = self;
        let mut answers = core::mem::take(&mut contacts.hooked.answers);
        let called: Vec<u32> = match hooks {
            None => Vec::new(),
            Some(_) => {
                let goes_far = |index: u32| {
                    bodies.traits[index as usize].is_fast
                        || continuous.swift.get(index as usize).is_some_and(|is_swift| *is_swift)
                };
                let is_called = |slot: &&u32| {
                    let state = &contacts.states[**slot as usize];
                    let is_near = 0 < state.n || goes_far(state.a.index) || goes_far(state.b.index);
                    !state.is_sensor && state.is_wanted && is_near
                };
                indices.iter().filter(is_called).copied().collect()
            }
        };
        answers.resize_with(called.len().div_ceil(CHUNK_PAIRS), Answers::default);
        if let Some(hooks) = hooks {
            fill_answers(&Caller { hooks, bodies, contacts }, &called, &mut answers);
        }
        answers
    }

    /// Stores the answers of the hooks for the pairs with these indices.
    fn put_answers(&mut self, indices: &[u32], answers: Vec<Answers>) {
        let World { bodies, contacts, .. } = self;
        for &slot in indices {
            contacts.states[slot as usize].is_disabled = false;
        }
        for answer in answers.iter().flat_map(|chunk| &chunk.pairs) {
            let several = answer.key.bodies.iter().any(|&body| bodies.traits[body as usize].is_composite);
            if several {
                contacts.hooked.disabled.extend(answer.is_disabled.then_some(answer.key));
            } else {
                contacts.states[answer.index as usize].is_disabled = answer.is_disabled;
            }
        }
        contacts.hooked.disabled.sort_unstable();
        let hooked = &mut contacts.hooked;
        hooked.changes.extend(answers.iter().flat_map(|chunk| &chunk.changes));
        let tagged = answers.iter().flat_map(|chunk| &chunk.pairs).filter(|answer| answer.tag != 0);
        hooked.memory.extend(tagged.map(|answer| (answer.key, answer.tag)));
        hooked.memory.sort_unstable_by_key(|(key, _)| *key);
        hooked.answers = answers;
    }

    /// Before the solver's input is collected: appends copies of the manifolds whose points a hook
    /// changed. Returns how many manifolds there were before.
    pub(crate) fn add_changed_manifolds(&mut self) -> usize {
        let ContactSet { hooked, states, manifolds, sleeping, .. } = &mut self.contacts;
        let n = manifolds.len();
        for change in hooked.changes.iter().filter(|change| change.has_other_points()) {
            let state = &states[change.index as usize];
            let found = sleeping.manifolds_of(state).unwrap_or_else(|| &manifolds[state.range()]);
            let manifold = change.manifold(&found[change.number as usize]);
            manifolds.push(manifold);
        }
        n
    }

    /// After the solver's input was collected: passes the changes of hooks to the solver. The
    /// changed copies begin at `first_manifold`.
    pub(crate) fn hand_over_changes(&mut self, first_manifold: usize) {
        let World { bodies, contacts, solver, last, .. } = self;
        let ContactSet { hooked, states, manifolds, sleeping, scratch, .. } = contacts;
        let mut next_manifold = first_manifold as u32;
        let mut surfaces = Vec::new();
        for change in &hooked.changes {
            let manifold = next_manifold;
            next_manifold += u32::from(change.has_other_points());
            let state = &states[change.index as usize];
            let Some(contact) = contact_of(state, change) else { continue };
            let Some(link) = scratch.contacts.get_mut(contact as usize) else { continue };
            let [friction, restitution] = [change.material.friction, change.material.restitution];
            let found = sleeping.manifolds_of(state).unwrap_or_else(|| &manifolds[state.range()]);
            let found = &found[change.number as usize];
            let indices = [link.body_a as usize, link.body_b as usize];
            if bodies.solids([&[], &[]]).mixed(indices, found) != [friction, restitution] {
                (link.friction, link.restitution) = (friction, restitution);
            }
            if change.has_other_points() {
                link.manifold = manifold;
            }
            let [body_a, body_b] = [link.body_a, link.body_b].map(|body| &bodies.motions[body as usize]);
            let settings = change.settings(contact, [inverse_mass_of(body_a), inverse_mass_of(body_b)]);
            if let Some(settings) = settings.filter(|settings| settings.is_sound()) {
                put_settings(solver.contact_settings_mut(), settings);
            }
            if change.has_other_rotation {
                put_rotation(solver.contact_settings_mut(), contact, change.material.rotation());
            }
            if let Some(wanted) = change.surface {
                let point = middle_of(found);
                // Half a step ahead: with the velocity at the start, a body on a turntable would
                // leave its circle along the tangent.
                let travel = (body_b.velocity_at(point) - body_a.velocity_at(point)) * (0.5 * last.dt);
                let (travel, sign) = if wanted.of == PairSide::A { (travel, -1.0) } else { (-travel, 1.0) };
                let mut surface = SurfaceVelocity::new(contact, point);
                surface.slide = (wanted.velocity + wanted.spin.cross(travel)) * sign;
                surface.spin = wanted.spin.dot(found.normal()) * sign;
                surfaces.extend(Some(surface).filter(SurfaceVelocity::is_finite));
            }
        }
        // They replace the surface velocities of the bodies, but not those of deforming meshes.
        let all = solver.surface_velocities_mut();
        for mut surface in surfaces {
            match all.binary_search_by_key(&surface.contact, |known| known.contact) {
                Ok(index) => {
                    surface.part = all[index].part;
                    all[index] = surface;
                }
                Err(index) => all.insert(index, surface),
            }
        }
    }

    /// After the solver: drops the changed copies, and maps their impulses back to the original
    /// points.
    pub(crate) fn take_back_changes(&mut self, first_manifold: usize) {
        let World { contacts: ContactSet { hooked, states, manifolds, .. }, solver, .. } = self;
        manifolds.truncate(first_manifold);
        let impulses = solver.contact_impulses_mut();
        for change in hooked.changes.iter().filter(|change| change.has_other_points()) {
            let contact = contact_of(&states[change.index as usize], change);
            let Some(impulse) = contact.and_then(|contact| impulses.get_mut(contact as usize)) else {
                continue;
            };
            let solved = core::mem::take(&mut impulse.normal);
            for ((index, _), normal) in change.solved_points().zip(solved) {
                impulse.normal[index] = normal;
            }
        }
    }
}

/// Returns the index of a changed contact in the input of the solver, if it is solved.
fn contact_of(state: &PairState, change: &Change) -> Option<u32> {
    (state.first_solved != NOT_SOLVED).then(|| state.first_solved + change.number)
}

/// Whether a body of the pair has one of these hooks.
fn has_hooks(traits: &[Traits], pair: Pair, hooks: ActiveHooks) -> bool {
    (traits[pair.a as usize].hooks | traits[pair.b as usize].hooks).intersects(hooks)
}

/// Whether hooks may change the contacts of a pair.
fn may_change(traits: &[Traits], state: &PairState) -> bool {
    has_hooks(traits, state.pair(), ActiveHooks::COMBINE | ActiveHooks::MODIFY)
}

/// Lists the positions of the active pairs for which `is_it` holds.
fn find_active_pairs(contacts: &ContactSet, indices: &mut Vec<u32>, is_it: impl Fn(u32, &PairState) -> bool) {
    indices.clear();
    let is_it = |index: &u32| {
        let state = &contacts.states[*index as usize];
        !state.is_gap() && is_it(*index, state)
    };
    indices.extend(contacts.active_pairs.iter().copied().filter(is_it));
}

fn fill_verdicts(caller: &Caller<'_>, indices: &[u32], verdicts: &mut [Verdict]) {
    let fill = |(indices, verdicts): (&[u32], &mut [Verdict])| {
        indices.iter().zip(verdicts).for_each(|(&index, (meets, apart))| {
            apart.clear();
            *meets = caller.verdict(index, apart);
        });
    };
    #[cfg(feature = "parallel")]
    if CHUNK_PAIRS < indices.len() && 1 < rayon::current_num_threads() {
        indices.par_chunks(CHUNK_PAIRS).zip(verdicts.par_chunks_mut(CHUNK_PAIRS)).for_each(fill);
        return;
    }
    fill((indices, verdicts));
}

fn fill_answers(caller: &Caller<'_>, indices: &[u32], answers: &mut [Answers]) {
    let fill = |(indices, out): (&[u32], &mut Answers)| {
        out.pairs.clear();
        out.changes.clear();
        indices.iter().for_each(|&index| caller.call(index, out));
    };
    #[cfg(feature = "parallel")]
    if 1 < answers.len() && 1 < rayon::current_num_threads() {
        indices.par_chunks(CHUNK_PAIRS).zip(answers.par_iter_mut()).for_each(fill);
        return;
    }
    indices.chunks(CHUNK_PAIRS).zip(answers).for_each(fill);
}

/// Sets the rolling and spinning friction of a contact in a list that is sorted by contact.
fn put_rotation(list: &mut Vec<ContactSettings>, contact: u32, lengths: [f32; 2]) {
    let place = match list.binary_search_by_key(&contact, |known| known.contact) {
        Ok(place) => place,
        Err(place) => {
            list.insert(place, ContactSettings::new(contact));
            place
        }
    };
    [list[place].rolling_friction, list[place].spinning_friction] = lengths;
}

/// Puts settings into a list that is sorted by contact. An existing entry keeps its rolling
/// and spinning friction.
fn put_settings(list: &mut Vec<ContactSettings>, settings: ContactSettings) {
    match list.binary_search_by_key(&settings.contact, |known| known.contact) {
        Ok(index) => {
            let known = core::mem::replace(&mut list[index], settings);
            list[index].rolling_friction = known.rolling_friction;
            list[index].spinning_friction = known.spinning_friction;
        }
        Err(index) => list.insert(index, settings),
    }
}
