//! The supports of bodies among soft things, so that a light crate on a floor bears a heavy sack.
//!
//! - In the particle solver, pushes of particles move dynamic bodies. If it did not know the
//!   floor, a light body would give way and sink.
//! - So it gets the contacts of these bodies with fixed and kinematic bodies, and with dynamic
//!   ones below. The bodies of a stack that are not near soft things are included.
//! - A hinge or a ball joint to a body that is not dynamic bears its point; a weld bears the whole
//!   body. A slider at its limit bears the body along the axis, and holds it in all other ways.
//! - If a body has more contact points than count, those that span the most are kept.
//!
//! Reference: E. Guendelman, R. Bridson, R. Fedkiw, Nonconvex Rigid Bodies with Stacking, 2003, 7
//! (shock propagation).

use crate::World;
use crate::contacts::surface_velocity::belt_at;
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_math::{Pose, Vec3};
use carom_particles::{Bearer, MAX_SUPPORTS, Support};
use carom_response::{Body, BodyKind, Joint, JointKind};

/// A body lies below another one if the normal of their contact points up by at least this cosine.
const MIN_UP_COSINE: f32 = 0.17;

/// The largest number of bodies that only bear others. The nearest ones count.
const MAX_BEARERS: usize = 64;

/// The things that bear a body.
#[derive(Default)]
pub(crate) struct Borne {
    /// Whether it does not move at all.
    pub(crate) is_held: bool,
    pub(crate) supports: Vec<Support>,
}

/// The bodies in a step of soft things.
pub(crate) struct NearBodies {
    /// Those near soft things, or with vertices attached to them, then those that only bear others.
    pub(crate) bodies: Vec<u32>,
    /// The number of the former.
    pub(crate) n_met: usize,
    /// The contact points of each body with others.
    pub(crate) contacts: Vec<Vec<ContactOf>>,
}

impl<B: BroadPhase> World<B> {
    /// Adds the dynamic bodies that lie below these.
    pub(crate) fn with_bearers(&mut self, mut bodies: Vec<u32>) -> NearBodies {
        let n_met = bodies.len();
        let mut known: Vec<u32> = bodies.clone();
        known.sort_unstable();
        let mut contacts = Vec::with_capacity(n_met);
        while contacts.len() < bodies.len() {
            let found = self.contacts_of(bodies[contacts.len()]);
            if bodies.len() < n_met + MAX_BEARERS {
                for contact in &found {
                    if self.bears(contact)
                        && let Err(at) = known.binary_search(&contact.other)
                    {
                        known.insert(at, contact.other);
                        bodies.push(contact.other);
                    }
                }
            }
            contacts.push(found);
        }
        NearBodies { bodies, n_met, contacts }
    }

    /// Whether the other body of a contact is dynamic and lies below.
    fn bears(&self, contact: &ContactOf) -> bool {
        let up = -self.settings.solver.gravity.normalize_or_zero();
        self.bodies.motions[contact.other as usize].kind == BodyKind::Dynamic
            && MIN_UP_COSINE < contact.support.normal.dot(up)
    }

    /// Returns what bears a body with these contacts. `place_of` returns the place of another one
    /// in the step.
    pub(crate) fn borne(
        &self,
        number: u32,
        contacts: &[ContactOf],
        place_of: impl Fn(u32) -> Option<u32>,
    ) -> Borne {
        let mut borne = Borne::default();
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
                for normal in [Vec3::X, Vec3::Y, Vec3::Z] {
                    borne.supports.push(Support {
                        point,
                        normal,
                        velocity,
                        friction: 0.0,
                        by: Bearer::Joint,
                    });
                }
            }
            if joint.spring.is_none() {
                borne.supports.extend(self.at_limit(number, other, joint));
            }
        }
        // Those of joints that hold both ways come first.
        borne.supports.sort_by_key(|support| support.by == Bearer::Limit);
        for contact in contacts {
            let by = if self.bodies.motions[contact.other as usize].kind != BodyKind::Dynamic {
                Bearer::Firm
            } else if self.bears(contact)
                && let Some(index) = place_of(contact.other)
            {
                Bearer::Body(index)
            } else {
                continue;
            };
            borne.supports.push(Support { by, ..contact.support });
        }
        reduce(&mut borne.supports, body.world_center());
        borne
    }

    /// Returns what a slider does for a body at a limit: it bears the body at points around it, and
    /// holds it in all other ways. Empty for other joints, and between the limits.
    fn at_limit(&self, number: u32, other: u32, joint: &Joint) -> Vec<Support> {
        let JointKind::Prismatic { limits: Some([least, most]), .. } = joint.kind else {
            return Vec::new();
        };
        let motions = &self.bodies.motions;
        let a = motions[joint.body_a as usize].pose * joint.frame_a;
        let b = motions[joint.body_b as usize].pose * joint.frame_b;
        let axis = a.transform_vector(Vec3::X);
        let position = (b.translation - a.translation).dot(axis);
        let slop = self.settings.solver.slop * self.settings.solver.length_unit;
        let outward = if position <= least + slop {
            axis
        } else if most - slop <= position {
            -axis
        } else {
            return Vec::new();
        };
        let normal = if joint.body_b == number { outward } else { -outward };
        let [across, up] = [Vec3::Y, Vec3::Z].map(|direction| a.transform_vector(direction));
        let bounds = self.solid_among_soft(number).map(|shape| shape.aabb(&Pose::IDENTITY));
        let reach = bounds.map_or(0.0, |bounds| (bounds.max - bounds.min).length());
        let center = motions[number as usize].world_center();
        let support = |offset: Vec3, normal: Vec3, by: Bearer| {
            let point = center + offset * reach;
            let velocity = motions[other as usize].velocity_at(point);
            Support { point, normal, velocity, friction: 0.0, by }
        };
        // Two points along the axis hold four motions across it, a third point the spin.
        let across_axis = [axis, -axis].into_iter().flat_map(|at| [across, up].map(|n| (at, n)));
        let held = across_axis.chain([(across, up)]);
        let held = held.map(|(offset, normal)| support(offset, normal, Bearer::Joint));
        let around = [across, -across, up, -up].map(|offset| support(offset, normal, Bearer::Limit));
        held.chain(around).collect()
    }

    /// Returns the contact points of a dynamic body with others.
    fn contacts_of(&mut self, number: u32) -> Vec<ContactOf> {
        let mut all = Vec::new();
        if self.bodies.motions[number as usize].kind != BodyKind::Dynamic {
            return all;
        }
        let mut indices = Vec::new();
        let (pairs, states) = (&self.contacts.pairs, &self.contacts.states);
        self.contacts.pairs_by_body.visit(pairs, number, |index| {
            let state = &states[index];
            if state.is_touching && !state.is_sensor && !state.is_disabled {
                indices.push(index);
            }
        });
        let slop = self.settings.solver.slop * self.settings.solver.length_unit;
        let (solids, belts) = (self.bodies.solids([&[], &[]]), &self.contacts.belts);
        for index in indices {
            let pair = self.contacts.pairs[index];
            let (other, sign) = if pair.a == number { (pair.b, -1.0) } else { (pair.a, 1.0) };
            for manifold in self.contacts.manifolds_of(&self.contacts.states[index]) {
                let normal = manifold.normal() * sign;
                let [friction, _] = solids.mixed([pair.a as usize, pair.b as usize], manifold);
                for contact in manifold.contacts().iter().filter(|contact| contact.distance <= slop) {
                    let (point, parts) = if sign < 0.0 {
                        (contact.point_a, [contact.part_a, contact.part_b])
                    } else {
                        (contact.point_b, [contact.part_b, contact.part_a])
                    };
                    let belt = |body: u32, part: u32| {
                        let motion: &Body = &self.bodies.motions[body as usize];
                        let has_belt = belts.of(body).is_some();
                        let belt = || belt_at((&solids, belts), (body, part), &motion.pose, point)[0];
                        if has_belt { belt() } else { Vec3::ZERO }
                    };
                    let velocity = self.bodies.motions[other as usize].velocity_at(point);
                    let velocity = velocity + belt(other, parts[1]) - belt(number, parts[0]);
                    let by = Bearer::Firm;
                    let support = Support { point, normal, velocity, friction, by };
                    all.push(ContactOf { other, support });
                }
            }
        }
        all
    }
}

/// Keeps as many supports as count. Those of joints come first, and then the contacts that are
/// farthest from the centre of mass and from each other. Contacts with other normals count as far
/// apart.
fn reduce(supports: &mut Vec<Support>, center: Vec3) {
    if supports.len() <= MAX_SUPPORTS {
        return;
    }
    let is_joint = |support: &&Support| matches!(support.by, Bearer::Joint | Bearer::Limit);
    let n_joint = supports.iter().take_while(is_joint).count();
    let mut left = supports.split_off(n_joint.min(MAX_SUPPORTS));
    let from_center = |support: &Support| support.point.distance_squared(center);
    let extent_sq = left.iter().map(from_center).fold(0.0, f32::max);
    let apart_sq = |a: &Support, b: &Support| {
        a.point.distance_squared(b.point) + extent_sq * a.normal.distance_squared(b.normal)
    };
    while supports.len() < MAX_SUPPORTS {
        let nearest = |support: &Support| {
            supports.iter().map(|kept| apart_sq(support, kept)).fold(from_center(support), f32::min)
        };
        let mut best = (0, f32::NEG_INFINITY);
        for (index, support) in left.iter().enumerate() {
            let distance_sq = nearest(support);
            if best.1 < distance_sq {
                best = (index, distance_sq);
            }
        }
        supports.push(left.remove(best.0));
    }
    // As [`BodyBoundary::supports`](carom_particles::BodyBoundary::supports) wants it.
    supports.sort_by_key(|support| matches!(support.by, Bearer::Body(_)));
}

/// A contact point of a body, as a support by the other one.
pub(crate) struct ContactOf {
    other: u32,
    support: Support,
}
