//! What bears the bodies among soft things, so that a light crate on a floor bears a heavy sack.
//!
//! - The particle solver moves dynamic bodies by the pushes of particles. Without the floor under
//!   it, a light body would give way, and all would sink.
//! - So it knows the contacts with fixed and kinematic bodies. A crate on another crate is not
//!   borne by it: in a stack only the lowest one is.
//! - A hinge or a ball joint on a body that is not dynamic bears its point; a weld bears the whole
//!   body.
//!
//! Reference: E. Catto, Iterative Dynamics with Temporal Coherence, GDC 2005 (accumulated
//! impulses).

use crate::World;
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_math::Vec3;
use carom_particles::Support;
use carom_response::{BodyKind, JointKind};

/// What bears a body.
#[derive(Default)]
pub(crate) struct Borne {
    /// Whether it does not move at all.
    pub(crate) is_held: bool,
    pub(crate) supports: Vec<Support>,
}

impl<B: BroadPhase> World<B> {
    /// Returns what bears a dynamic body.
    pub(crate) fn borne(&mut self, number: u32) -> Borne {
        let mut borne = Borne::default();
        let slop = self.settings.solver.slop * self.settings.solver.length_unit;
        let motions = &self.bodies.motions;
        let body = &motions[number as usize];
        if body.kind != BodyKind::Dynamic {
            return borne;
        }
        for &(other, id) in self.joints.of(number) {
            let Some(joint) = self.joints.get(id) else { continue };
            if motions[other as usize].kind == BodyKind::Dynamic {
                continue;
            }
            borne.is_held |= joint.kind == JointKind::Weld && joint.spring.is_none();
            if joint.kind.holds_point() && joint.spring.is_none() {
                let frame = if joint.body_a == number { joint.frame_a } else { joint.frame_b };
                let point = body.pose.transform_point(frame.translation);
                let velocity = motions[other as usize].velocity_at(point);
                for normal in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]) {
                    borne.supports.push(Support { point, normal, speed: velocity.dot(normal) });
                }
            }
        }
        let mut places = Vec::new();
        let (pairs, states) = (&self.contacts.pairs, &self.contacts.states);
        self.contacts.pairs_by_body.visit(pairs, number, |place| {
            let state = &states[place];
            if state.is_touching && !state.is_sensor {
                places.push(place);
            }
        });
        for place in places {
            let pair = self.contacts.pairs[place];
            let (other, sign) = if pair.a == number { (pair.b, -1.0) } else { (pair.a, 1.0) };
            let other = &motions[other as usize];
            if other.kind == BodyKind::Dynamic {
                continue;
            }
            for manifold in self.contacts.manifolds_of(&self.contacts.states[place]) {
                let normal = manifold.normal() * sign;
                for contact in manifold.contacts().iter().filter(|contact| contact.distance <= slop) {
                    let point = if sign < 0.0 { contact.point_a } else { contact.point_b };
                    let speed = other.velocity_at(point).dot(normal);
                    borne.supports.push(Support { point, normal, speed });
                }
            }
        }
        borne
    }
}
