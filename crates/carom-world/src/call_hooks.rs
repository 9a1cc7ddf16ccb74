//! The calls of hooks within a step.
//!
//! 1. After the broad phase: `filter_pair`, for the active pairs with the flag. Their records are
//!    wanted or not; the narrow phase does the rest.
//! 2. After the narrow phase, before anything moves: `combine` and `modify_contact`.
//! 3. With the input of the solver: what they changed is handed over.
//!
//! Hooks are called on chunks of the pairs. The answers of all chunks are collected first, and only
//! then written to the world. So the order of the calls does not matter, and a panic in a hook
//! leaves nothing half done.
//!
//! Reference: rapier 0.36, `PhysicsHooks`.

use crate::World;
use crate::bodies::BodySet;
use crate::bodies::active_hooks::ActiveHooks;
use crate::bodies::body::Traits;
use crate::contacts::ContactSet;
use crate::contacts::hook_input::{MixedMaterial, Which};
use crate::contacts::hooked::{Answers, Change, PairAnswer, inverse_mass_of};
use crate::contacts::narrow;
use crate::contacts::record::{NOT_SOLVED, Record};
use crate::contacts::surface_velocity::{middle_of, velocity_at};
use crate::hooks::{ContactMut, Hooks, PairView, Side};
use alloc::vec::Vec;
use carom_broad::{BroadPhase, Pair};
use carom_geom::Manifold;
use carom_math::Vec3;
use carom_response::SurfaceVelocity;
#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Pairs of a chunk.
const CHUNK_PAIRS: usize = 64;

/// The input of hooks, beside the records.
struct Caller<'a> {
    hooks: &'a dyn Hooks,
    bodies: &'a BodySet,
    contacts: &'a ContactSet,
}

impl<'a> Caller<'a> {
    /// Returns the view of a pair; `None` if a body of it has no shape.
    fn view(&self, record: &Record) -> Option<PairView<'a>> {
        let [a, b] = [record.a, record.b].map(|id| {
            let index = id.index as usize;
            let (body, user_data) = (&self.bodies.motions[index], self.bodies.traits[index].user_data);
            self.bodies.shapes[index].as_ref().map(|shape| Side { id, body, shape, user_data })
        });
        Some(PairView { a: a?, b: b? })
    }

    /// Calls the filter for a pair.
    fn verdict(&self, place: u32) -> bool {
        let view = self.view(&self.contacts.records[place as usize]);
        view.is_none_or(|view| self.hooks.filter_pair(&view))
    }

    /// Calls the hooks for the contacts of a pair.
    fn ask(&self, place: u32, out: &mut Answers) {
        let record = &self.contacts.records[place as usize];
        let Some(pair) = self.view(record) else { return };
        let [a, b] = [record.a, record.b].map(|id| &self.bodies.traits[id.index as usize]);
        let hooks = a.hooks | b.hooks;
        let manifolds = self.contacts.manifolds_of(record);
        let [friction, restitution] = a.mixed_with(b);
        let by_rules = MixedMaterial { friction, restitution };
        let mut material = by_rules;
        if hooks.contains(ActiveHooks::COMBINE) && !manifolds.is_empty() {
            self.hooks.combine(&pair, &mut material);
            material = material.or(by_rules);
        }
        let key = [record.a.index, record.b.index];
        let known = &self.contacts.hooked.memory;
        let known = known.binary_search_by_key(&key, |(key, _)| *key).map_or(0, |at| known[at].1);
        let mut answer = PairAnswer { place, key, tag: 0, is_disabled: false };
        let none = Manifold::new(Vec3::ZERO);
        let each = if manifolds.is_empty() { core::slice::from_ref(&none) } else { manifolds };
        let (first, mut n_points, mut is_enabled) = (out.changes.len(), 0, false);
        let mut tag = if manifolds.is_empty() { 0 } else { known };
        for (number, manifold) in (0..).zip(each) {
            let mut change = Change::none(place, number, material, manifold);
            if hooks.contains(ActiveHooks::MODIFY) {
                let mut contact = ContactMut { pair, manifolds, manifold, tag: &mut tag, change };
                self.hooks.modify_contact(&mut contact);
                change = contact.change;
            }
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
    /// Calls the filter for the active pairs with the flag, and notes which of them count.
    pub(crate) fn filter_pairs(&mut self, hooks: &dyn Hooks) {
        let World { bodies, joints, contacts, .. } = self;
        let mut places = core::mem::take(&mut contacts.hooked.places);
        let mut verdicts = core::mem::take(&mut contacts.hooked.verdicts);
        let asks = |pair: &Pair| {
            has_hooks(&bodies.traits, *pair, ActiveHooks::FILTER)
                && narrow::is_wanted(*pair, &bodies.traits, &bodies.motions, joints)
        };
        find_places(contacts, &mut places, |record| asks(&record.pair()));
        verdicts.clear();
        verdicts.resize(places.len(), true);
        let caller = Caller { hooks, bodies, contacts };
        fill_verdicts(&caller, &places, &mut verdicts);
        for (&place, &is_wanted) in places.iter().zip(&verdicts) {
            let record = &mut contacts.records[place as usize];
            if record.is_wanted != is_wanted {
                record.is_wanted = is_wanted;
                record.forget();
                if record.is_touching && !is_wanted {
                    contacts.hooked.parted.extend([record.a, record.b]);
                }
            }
        }
        (contacts.hooked.places, contacts.hooked.verdicts) = (places, verdicts);
    }

    /// Calls the hooks for the contacts of the active pairs, and notes what they changed.
    pub(crate) fn call_hooks(&mut self, hooks: Option<&dyn Hooks>) {
        self.contacts.hooked.changes.clear();
        if self.bodies.n_hooked == 0 {
            return;
        }
        let World { bodies, contacts, continuous, .. } = self;
        let mut places = core::mem::take(&mut contacts.hooked.places);
        let mut answers = core::mem::take(&mut contacts.hooked.answers);
        let flags = ActiveHooks::COMBINE | ActiveHooks::MODIFY;
        find_places(contacts, &mut places, |record| has_hooks(&bodies.traits, record.pair(), flags));
        let asked: Vec<u32> = match hooks {
            None => Vec::new(),
            Some(_) => {
                let goes_far = |index: u32| {
                    bodies.traits[index as usize].is_fast
                        || continuous.swift.get(index as usize).is_some_and(|is_swift| *is_swift)
                };
                let is_asked = |place: &&u32| {
                    let record = &contacts.records[**place as usize];
                    let is_near = 0 < record.n || goes_far(record.a.index) || goes_far(record.b.index);
                    !record.is_sensor && record.is_wanted && is_near
                };
                places.iter().filter(is_asked).copied().collect()
            }
        };
        answers.resize_with(asked.len().div_ceil(CHUNK_PAIRS), Answers::default);
        if let Some(hooks) = hooks {
            fill_answers(&Caller { hooks, bodies, contacts }, &asked, &mut answers);
        }
        // From here on nothing can panic.
        for &place in &places {
            contacts.records[place as usize].is_disabled = false;
        }
        for answer in answers.iter().flat_map(|chunk| &chunk.pairs) {
            contacts.records[answer.place as usize].is_disabled = answer.is_disabled;
        }
        let ContactSet { hooked, pairs, records, .. } = contacts;
        hooked.changes.extend(answers.iter().flat_map(|chunk| &chunk.changes));
        // Pairs of which a body is removed, or that are apart, are new when they meet again.
        let keeps = |&([a, b], _): &([u32; 2], u32)| {
            let pair = Pair { a, b };
            let first = pairs.partition_point(|other| *other < pair);
            let mut same = (first..pairs.len()).take_while(|&place| pairs[place] == pair);
            same.find(|&place| !records[place].is_gap())
                .is_some_and(|place| places.binary_search(&(place as u32)).is_err())
        };
        hooked.memory.retain(keeps);
        let told = answers.iter().flat_map(|chunk| &chunk.pairs).filter(|answer| answer.tag != 0);
        hooked.memory.extend(told.map(|answer| (answer.key, answer.tag)));
        hooked.memory.sort_unstable_by_key(|(key, _)| *key);
        (hooked.places, hooked.answers) = (places, answers);
    }

    /// Before the solver's input is collected: adds the manifolds with other points behind all
    /// others. Returns how many there were before.
    pub(crate) fn add_changed_manifolds(&mut self) -> usize {
        let ContactSet { hooked, records, manifolds, sleeping, .. } = &mut self.contacts;
        let n = manifolds.len();
        for change in hooked.changes.iter().filter(|change| change.has_other_points()) {
            let record = &records[change.place as usize];
            let found = sleeping.manifolds_of(record).unwrap_or_else(|| &manifolds[record.range()]);
            let manifold = change.manifold(&found[change.number as usize]);
            manifolds.push(manifold);
        }
        n
    }

    /// After the solver's input was collected: hands over what hooks changed. The manifolds with
    /// other points begin at `first_manifold`.
    pub(crate) fn hand_over_changes(&mut self, first_manifold: usize) {
        let World { bodies, contacts, solver, last, .. } = self;
        let ContactSet { hooked, records, manifolds, sleeping, scratch, .. } = contacts;
        let mut next_manifold = first_manifold as u32;
        let mut surfaces = Vec::new();
        for change in &hooked.changes {
            let manifold = next_manifold;
            next_manifold += u32::from(change.has_other_points());
            let record = &records[change.place as usize];
            let Some(contact) = contact_of(record, change) else { continue };
            let Some(link) = scratch.contacts.get_mut(contact as usize) else { continue };
            let [friction, restitution] = [change.material.friction, change.material.restitution];
            let of = |index: u32| &bodies.traits[index as usize];
            if of(link.body_a).mixed_with(of(link.body_b)) != [friction, restitution] {
                (link.friction, link.restitution) = (friction, restitution);
            }
            if change.has_other_points() {
                link.manifold = manifold;
            }
            let [body_a, body_b] = [link.body_a, link.body_b].map(|body| &bodies.motions[body as usize]);
            let settings = change.settings(contact, [inverse_mass_of(body_a), inverse_mass_of(body_b)]);
            solver.contact_settings_mut().extend(settings.filter(|settings| settings.is_sound()));
            if let Some(given) = change.surface {
                let found = sleeping.manifolds_of(record).unwrap_or_else(|| &manifolds[record.range()]);
                let found = &found[change.number as usize];
                let point = middle_of(found);
                // In the middle of the step: at its start a body on a circle would leave it along
                // the tangent.
                let travel = (velocity_at(body_b, point) - velocity_at(body_a, point)) * (0.5 * last.dt);
                let (travel, sign) = if given.of == Which::A { (travel, -1.0) } else { (-travel, 1.0) };
                let mut surface = SurfaceVelocity::new(contact, point);
                surface.slide = (given.velocity + given.spin.cross(travel)) * sign;
                surface.spin = given.spin.dot(found.normal()) * sign;
                surfaces.extend(Some(surface).filter(SurfaceVelocity::is_finite));
            }
        }
        // They are in place of those of the bodies. Meshes that deform push as well.
        let all = solver.surface_velocities_mut();
        for mut surface in surfaces {
            match all.binary_search_by_key(&surface.contact, |known| known.contact) {
                Ok(place) => {
                    surface.part = all[place].part;
                    all[place] = surface;
                }
                Err(place) => all.insert(place, surface),
            }
        }
    }

    /// After the solver: drops the manifolds with other points, and gives each impulse to the point
    /// that it belongs to.
    pub(crate) fn take_back_changes(&mut self, first_manifold: usize) {
        let World { contacts: ContactSet { hooked, records, manifolds, .. }, solver, .. } = self;
        manifolds.truncate(first_manifold);
        let impulses = solver.contact_impulses_mut();
        for change in hooked.changes.iter().filter(|change| change.has_other_points()) {
            let contact = contact_of(&records[change.place as usize], change);
            let Some(impulse) = contact.and_then(|contact| impulses.get_mut(contact as usize)) else {
                continue;
            };
            let solved = core::mem::take(&mut impulse.normal);
            for ((place, _), normal) in change.solved_points().zip(solved) {
                impulse.normal[place] = normal;
            }
        }
    }
}

/// The number of the contact of a change in the input of the solver, if it is solved.
fn contact_of(record: &Record, change: &Change) -> Option<u32> {
    (record.first_solved != NOT_SOLVED).then(|| record.first_solved + change.number)
}

/// Whether a body of the pair asks for one of these hooks.
fn has_hooks(traits: &[Traits], pair: Pair, hooks: ActiveHooks) -> bool {
    (traits[pair.a as usize].hooks | traits[pair.b as usize].hooks).intersects(hooks)
}

/// Lists the places of the active pairs for which `is_it` holds.
fn find_places(contacts: &ContactSet, places: &mut Vec<u32>, is_it: impl Fn(&Record) -> bool) {
    places.clear();
    let is_it = |place: &u32| {
        let record = &contacts.records[*place as usize];
        !record.is_gap() && is_it(record)
    };
    places.extend(contacts.active_pairs.iter().copied().filter(is_it));
}

fn fill_verdicts(caller: &Caller<'_>, places: &[u32], verdicts: &mut [bool]) {
    let fill = |(places, verdicts): (&[u32], &mut [bool])| {
        places.iter().zip(verdicts).for_each(|(&place, verdict)| *verdict = caller.verdict(place));
    };
    #[cfg(feature = "parallel")]
    if CHUNK_PAIRS < places.len() && 1 < rayon::current_num_threads() {
        places.par_chunks(CHUNK_PAIRS).zip(verdicts.par_chunks_mut(CHUNK_PAIRS)).for_each(fill);
        return;
    }
    fill((places, verdicts));
}

fn fill_answers(caller: &Caller<'_>, places: &[u32], answers: &mut [Answers]) {
    let fill = |(places, out): (&[u32], &mut Answers)| {
        out.pairs.clear();
        out.changes.clear();
        places.iter().for_each(|&place| caller.ask(place, out));
    };
    #[cfg(feature = "parallel")]
    if 1 < answers.len() && 1 < rayon::current_num_threads() {
        places.par_chunks(CHUNK_PAIRS).zip(answers.par_iter_mut()).for_each(fill);
        return;
    }
    places.chunks(CHUNK_PAIRS).zip(answers).for_each(fill);
}
