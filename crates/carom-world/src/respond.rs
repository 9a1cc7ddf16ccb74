//! The second half of a step: the solver moves the bodies, and fast ones go no farther than to what they meet.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., figure 25.2 (collision handling).

use crate::bodies::BodySet;
use crate::budget::course::Course;
use crate::budget::time_critical::Plan;
use crate::contacts::handed::{self, Handed, Part};
use crate::contacts::{ContactSet, Work};
#[cfg(feature = "parallel")]
use crate::par::{CARRIED, is_little};
use crate::{World, WorldError};
#[cfg(feature = "parallel")]
use alloc::vec::Vec;
#[cfg(feature = "parallel")]
use carom_bounds::Aabb;
use carom_broad::BroadPhase;
#[cfg(feature = "parallel")]
use carom_broad::ProxyId;
use carom_response::{ContactLink, Contacts};
#[cfg(feature = "parallel")]
use rayon::prelude::*;

impl<B: BroadPhase> World<B> {
    /// Wakes what was touched, and moves the bodies that are awake by `dt`.
    pub(crate) fn respond(&mut self, dt: f32, plan: &Plan) -> Result<Course, WorldError> {
        let mut course = plan.course();
        if 0.0 < dt {
            self.stop_unknown();
            self.wake_deformed();
            self.wake_touched(dt);
            self.keep_awake(dt);
            self.note_approaching();
        } else {
            self.joints.find_moving(&self.bodies.movers, &mut self.contacts.work.joints);
        }
        self.hand_over_contacts();
        self.hand_over_surfaces();
        self.note_starts();
        let n_planned = plan.substeps(self.stats.n_tested, self.contacts.work.contacts.len());
        let World { settings, solver, bodies, joints, contacts, .. } = self;
        let BodySet { motions, movers, .. } = bodies;
        let ContactSet { work, manifolds, rest, records, busy, .. } = contacts;
        let links = Contacts::Links(&work.contacts, [manifolds, rest.manifolds()]);
        let factor = if plan.is_free() { settings.solver.max_load_factor } else { 1 };
        *solver.settings_mut() = settings.solver.with_substeps(n_planned).with_max_load_factor(factor);
        let (joints, moving_joints) = (joints.list_mut(), &work.joints[..]);
        let mut hurry = |left| course.substeps(plan.since_start(), left);
        let solved =
            solver.step_awake(motions, movers.list(), &links, (joints, moving_joints), dt, &mut hurry);
        if solved.is_err() {
            handed::take_back(records, busy, &work.contacts);
        }
        self.stats.solver = solved?;
        // Mostly nobody did, and the bodies are another thread's in part.
        if 0 < self.stats.solver.n_fallen {
            movers.note_sleepers(motions);
        }
        if 0.0 < dt {
            let n_substeps = self.settings.solver.substeps;
            self.stats.undone.n_substeps = n_substeps.saturating_sub(self.stats.solver.n_substeps);
        }
        Ok(course)
    }

    /// Fast bodies go no farther than to what they meet, and the others stay on their side of surfaces.
    pub(crate) fn resolve_fast(&mut self) {
        self.tell_struck();
        self.stop_fast();
        self.guard_deformed();
        self.guard_bodies();
        self.report_passes();
    }

    /// The manifolds in which something moves, as the solver takes them.
    pub(crate) fn hand_over_contacts(&mut self) {
        let BodySet { motions, movers, traits, .. } = &self.bodies;
        let ContactSet { records, busy, rules, manifolds, work, .. } = &mut self.contacts;
        let Work { is_active, solved, parts, contacts, .. } = work;
        movers.tell_active(motions, is_active);
        let handed = Handed { is_active, traits, rules, n_manifolds: manifolds.len() as u32 };
        // What is there already is written over, here and below.
        solved.resize(busy.len(), 0);
        #[cfg(feature = "parallel")]
        let n_parts = crate::par::n_parts(busy.len());
        #[cfg(not(feature = "parallel"))]
        let n_parts = 1;
        parts.resize(n_parts, Part::default());
        #[cfg(feature = "parallel")]
        crate::contacts::handed::choose_in_parts(&handed, (records, 0), busy, solved, parts);
        #[cfg(not(feature = "parallel"))]
        parts.fill(handed.choose((records, 0), busy, solved));
        let n_contacts = parts.iter().map(|part| part.n_contacts as usize).sum();
        contacts.resize(n_contacts, ContactLink::new(0, 0, 0, 0.0, 0.0));
        #[cfg(feature = "parallel")]
        crate::contacts::handed::hand_over_in_parts(
            &handed,
            (records, 0),
            (busy, solved),
            (parts, 0),
            contacts,
        );
        #[cfg(not(feature = "parallel"))]
        handed.hand_over((records, 0), &solved[..parts[0].n_solved as usize], 0, contacts);
    }

    pub(crate) fn refit_moved(&mut self, is_free: bool) {
        let mut moves = core::mem::take(&mut self.contacts.work.moves);
        moves.clear();
        let placing = self.placing();
        let refit = |&body: &u32| {
            let (proxy, shape) =
                (self.bodies.proxies[body as usize]?, self.bodies.shapes[body as usize].as_ref()?);
            Some((proxy, placing.box_of(body as usize, shape)))
        };
        #[cfg(feature = "parallel")]
        refit_in_parts(self.bodies.movers.list(), &refit, &mut moves);
        #[cfg(not(feature = "parallel"))]
        moves.extend(self.bodies.movers.list().iter().filter_map(refit));
        for &body in self.bodies.movers.list() {
            self.bodies.is_stale[body as usize] = true;
        }
        self.contacts.is_changed |= !moves.is_empty();
        // Every box is sound: `boxed` sees to it.
        let updated = self.broad.update(&moves);
        debug_assert!(updated.is_ok(), "a box of the world was refused: {updated:?}");
        if is_free {
            // Otherwise the next step does, before it is chosen what is done.
            self.broad.refresh();
        }
        self.contacts.work.moves = moves;
    }
}

/// The boxes of what moved, in the order of the bodies.
#[cfg(feature = "parallel")]
fn refit_in_parts(
    movers: &[u32],
    refit: &(impl Fn(&u32) -> Option<(ProxyId, Aabb)> + Sync),
    out: &mut Vec<(ProxyId, Aabb)>,
) {
    let first = if is_little(movers.len()) { None } else { refit(&movers[0]) };
    let Some(any) = first else {
        out.extend(movers.iter().filter_map(refit));
        return;
    };
    // Each where it stays: lists that are put together afterwards took as long as was gained.
    out.resize(movers.len(), any);
    let fill = |(movers, out): (&[u32], &mut [(ProxyId, Aabb)])| {
        movers.iter().zip(out).all(|(mover, out)| refit(mover).map(|new| *out = new).is_some())
    };
    let has_all =
        movers.par_chunks(CARRIED).zip(out.par_chunks_mut(CARRIED)).map(fill).reduce(|| true, |a, b| a & b);
    if !has_all {
        // Somebody has no box: what follows moves up.
        out.clear();
        out.extend(movers.iter().filter_map(refit));
    }
}
