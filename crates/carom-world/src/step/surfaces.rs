//! Passes the velocities of moving surfaces (belts, deforming meshes) and the rolling and
//! spinning friction of contacts to the solver.
//!
//! Reference: Jolt Physics, `ContactSettings::mRelativeLinearSurfaceVelocity` and its angular
//! counterpart.

use crate::bodies::solids::mean_over;
use crate::contacts::ContactSet;
use crate::contacts::pair_state::NOT_SOLVED;
use crate::contacts::surface_velocity::{Sheet, belt_at, middle_of};
use crate::{BodyId, World};
use carom_broad::BroadPhase;
use carom_geom::Contact;
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_response::{ContactSettings, SurfaceVelocity};

impl<B: BroadPhase> World<B> {
    /// Passes the surface velocities at the contacts of this step to the solver.
    pub(crate) fn hand_over_surfaces(&mut self) {
        let out = self.solver.surface_velocities_mut();
        out.clear();
        let ContactSet { belts, pairs_by_body, pairs, states, manifolds, sleeping, .. } = &mut self.contacts;
        let solids = self.bodies.solids([&[], &[]]);
        for &(body, _) in belts.of_bodies() {
            pairs_by_body.visit(pairs, body, |index| {
                let state = &states[index];
                let [a, b] = [state.a.index, state.b.index];
                // A pair of two belts is handled with the first of them.
                if state.first_solved == NOT_SOLVED || (body == b && belts.of(a).is_some()) {
                    return;
                }
                let found = sleeping.manifolds_of(state).unwrap_or_else(|| &manifolds[state.range()]);
                for (number, manifold) in (state.first_solved..).zip(found) {
                    let point = middle_of(manifold);
                    let [body_a, body_b] = [a, b].map(|body| &self.bodies.motions[body as usize]);
                    // Half a step ahead: with the velocity at the start, a body on a turntable
                    // would leave its circle along the tangent.
                    let ahead =
                        (body_b.velocity_at(point) - body_a.velocity_at(point)) * (0.5 * self.last.dt);
                    // The velocity of the surface at a part of a body.
                    let at = |body: u32, part: u32, pose: &Pose, ahead: Vec3| {
                        belt_at((&solids, belts), (body, part), pose, point + ahead)
                    };
                    let of = |body: u32, part_of: fn(&Contact) -> u32, pose: &Pose, ahead: Vec3| {
                        if !self.bodies.traits[body as usize].has_part_materials {
                            let first = manifold.contacts().first();
                            return at(body, first.map_or(0, part_of), pose, ahead);
                        }
                        let [x, y, z, u, v, w] = mean_over(manifold, |contact| {
                            let [velocity, spin] = at(body, part_of(contact), pose, ahead);
                            [velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z]
                        });
                        [Vec3::new(x, y, z), Vec3::new(u, v, w)]
                    };
                    let [own, own_spin] = of(b, |contact| contact.part_b, &body_b.pose, -ahead);
                    let [other, other_spin] = of(a, |contact| contact.part_a, &body_a.pose, ahead);
                    let mut surface = SurfaceVelocity::new(number, point);
                    surface.slide = own - other;
                    surface.spin = (own_spin - other_spin).dot(manifold.normal());
                    if surface.is_finite() {
                        out.push(surface);
                    }
                }
            });
        }

        let deforming = &self.bodies.deforming;
        for body in deforming.pending() {
            let (Some(Some(Shape::Mesh(now))), Some(next)) =
                (self.bodies.shapes.get(body as usize), deforming.next_of(body))
            else {
                continue;
            };
            let pose = self.bodies.motions[body as usize].pose;
            let sheet = Sheet { meshes: [now, next], pose, rate: 1.0 / self.last.dt };
            pairs_by_body.visit(pairs, body, |index| {
                let state = &states[index];
                if state.first_solved == NOT_SOLVED {
                    return;
                }
                let found = sleeping.manifolds_of(state).unwrap_or_else(|| &manifolds[state.range()]);
                for (number, manifold) in (state.first_solved..).zip(found) {
                    let surface = sheet.velocity(number, manifold, state.b.index == body);
                    if surface.is_finite() {
                        out.push(surface);
                    }
                }
            });
        }
        // A stable sort keeps the order in which two entries of a mesh with a belt are added.
        out.sort_by_key(|surface| surface.contact);
        out.dedup_by(|later, kept| {
            let is_same = later.contact == kept.contact;
            if is_same {
                kept.slide += later.slide;
                kept.spin += later.spin;
                kept.part.iter_mut().zip(later.part).for_each(|(kept, later)| *kept += later);
            }
            is_same
        });
    }

    /// Passes the rolling and the spinning friction of the contacts of this step to the solver.
    pub(crate) fn hand_over_rotation_friction(&mut self) {
        let out = self.solver.contact_settings_mut();
        out.clear();
        if self.bodies.n_resisting_rotation == 0 {
            return;
        }
        let ContactSet { active_pairs, states, manifolds, sleeping, .. } = &self.contacts;
        let (traits, solids) = (&self.bodies.traits, self.bodies.solids([&[], &[]]));
        let resists = |body: BodyId| traits[body.index as usize].resists_rotation();
        let solved = active_pairs.iter().map(|&index| &states[index as usize]);
        let solved = solved.filter(|state| state.first_solved != NOT_SOLVED);
        for state in solved.filter(|state| resists(state.a) || resists(state.b)) {
            let bodies = [state.a.index as usize, state.b.index as usize];
            let found = sleeping.manifolds_of(state).unwrap_or_else(|| &manifolds[state.range()]);
            for (contact, manifold) in (state.first_solved..).zip(found) {
                let mut settings = ContactSettings::new(contact);
                let lengths = solids.mixed_rotation(bodies, manifold);
                [settings.rolling_friction, settings.spinning_friction] = lengths;
                if lengths != [0.0; 2] {
                    out.push(settings);
                }
            }
        }
    }
}
