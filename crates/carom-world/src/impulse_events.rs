//! Impulse events: how hard two bodies pushed each other in a step.
//!
//! A body has a threshold ([`BodyDesc::impulse_threshold`](crate::BodyDesc::impulse_threshold)).
//! A pair is reported if the sum of its normal impulses in a step is above the lower threshold of
//! the two. The speed of approach is noted before the solver changes the velocities.
//!
//! Reference: E. Catto, Box2D 3.1, `b2ContactHitEvent`, 2025; rapier 0.36, `ContactForceEvent`.

use crate::World;
use crate::contacts::ContactSet;
use crate::contacts::events::ImpulseEvent;
use carom_broad::BroadPhase;
use carom_math::Vec3;

impl<B: BroadPhase> World<B> {
    /// Returns the pairs that pushed each other in the last step by more than a threshold, sorted
    /// by the bodies. Not a part of a snapshot.
    ///
    /// A fast body that strikes something is stopped there; the impulse acts in the next step.
    pub fn impulse_events(&self) -> &[ImpulseEvent] {
        &self.contacts.impulse_events
    }

    /// Before the solver: lists the pairs with a threshold, and the speed at which each approaches.
    pub(crate) fn note_approach_speeds(&mut self) {
        let ContactSet { approaches, records, active_pairs, manifolds, sleeping, .. } = &mut self.contacts;
        approaches.clear();
        if self.bodies.n_with_threshold == 0 {
            return;
        }
        let (traits, motions) = (&self.bodies.traits, &self.bodies.motions);
        for &place in active_pairs.iter() {
            let record = &records[place as usize];
            let (a, b) = (record.a.index as usize, record.b.index as usize);
            let threshold = traits[a].impulse_threshold.min(traits[b].impulse_threshold);
            if record.n == 0 || !record.may_push() || threshold == f32::MAX {
                continue;
            }
            let mut speed = 0.0_f32;
            let own = sleeping.manifolds_of(record).unwrap_or_else(|| &manifolds[record.range()]);
            for manifold in own {
                for contact in manifold.contacts() {
                    let point = contact.point_a * 0.5 + contact.point_b * 0.5;
                    let apart = motions[b].velocity_at(point) - motions[a].velocity_at(point);
                    speed = speed.max(-apart.dot(manifold.normal()));
                }
            }
            approaches.push((place, speed));
        }
    }

    /// After the solver: reports those of these pairs whose impulses were above the threshold.
    pub(crate) fn report_impulses(&mut self) {
        let ContactSet { impulse_events, approaches, records, manifolds, sleeping, .. } = &mut self.contacts;
        let (traits, impulses) = (&self.bodies.traits, self.solver.contact_impulses());
        for &(place, approach_speed) in approaches.iter() {
            let record = &records[place as usize];
            let first = record.first_solved as usize;
            let Some(own) = impulses.get(first..first.saturating_add(record.n as usize)) else { continue };
            let [a, b] = [record.a, record.b];
            let mut event = ImpulseEvent {
                a,
                b,
                total: 0.0,
                largest: 0.0,
                point: Vec3::ZERO,
                normal: Vec3::Y,
                approach_speed,
            };
            let touching = sleeping.manifolds_of(record).unwrap_or_else(|| &manifolds[record.range()]);
            for (manifold, impulse) in touching.iter().zip(own) {
                event.total += impulse.total_normal();
                for (contact, &impulse) in manifold.contacts().iter().zip(&impulse.normal) {
                    if event.largest < impulse {
                        event.largest = impulse;
                        event.point = contact.point_a * 0.5 + contact.point_b * 0.5;
                        event.normal = manifold.normal();
                    }
                }
            }
            let thresholds = [a, b].map(|body| traits[body.index as usize].impulse_threshold);
            if thresholds[0].min(thresholds[1]) < event.total {
                impulse_events.push(event);
            }
        }
    }
}
