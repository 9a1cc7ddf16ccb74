//! Contact recycling: a pair that hardly moved since its last test is not tested. Its contacts are
//! moved along with its bodies.
//!
//! In a pile at rest nearly all pairs hardly move. A new test would find the same contacts. If
//! features are nearly parallel it could find others, and the pile would creep.
//!
//! - The relative motion of the pair is summed up from step to step (the *drift* of the pair
//!   state), so vibration counts too.
//! - Each step adds a fixed amount, so a pair is tested again after [`MAX_RECYCLED_STEPS`] steps at
//!   the latest.
//! - The sum starts at a value that depends on the pair, so that not all pairs are tested in one
//!   step.
//! - The limit of the drift is `WorldSettings::recycling`, and a fraction of the radius of the
//!   smaller body. So recycled contacts are off by at most about a millimetre.
//!
//! Reference: rapier 0.32, `contact_recycling` (contacts are reused while the poses of a pair
//! hardly change).
//! Differs: the motion is summed up, and limited in proportion to the size of the smaller body.
//! Tried: 2 and 4 mm instead of 1; pairs overlap by 5 cm. See `benches/notes/carom-world.md`.

use crate::bodies::size::smaller;
use crate::contacts::pair_state::PairState;
use crate::contacts::scene::Scene;
use crate::contacts::sink::Sink;
use carom_geom::{Contact, FeatureId, FeatureKind, Manifold};
use carom_math::{Pose, Quat, Vec3, rotation};

/// Contacts are recycled for at most this many steps.
const MAX_RECYCLED_STEPS: f32 = 64.0;

/// The largest drift, as a fraction of the radius of the smaller body.
const MAX_DRIFT_RATIO: f32 = 1.0 / 64.0;

/// The motion of a body between two detections: a rotation about its origin, then a translation.
#[derive(Clone, Copy)]
struct Motion {
    origin: Vec3,
    translation: Vec3,
    turn: Quat,
}

impl Motion {
    // Inlined, because a result that is returned through memory is read back late.
    // Tried: computing them once for each body; not faster, because pairs wait for memory.
    #[inline]
    fn between(from: &Pose, to: &Pose) -> Motion {
        let turn = if from.rotation == to.rotation {
            Quat::IDENTITY
        } else {
            rotation::mul(to.rotation, from.rotation.conjugate())
        };
        Motion { origin: from.translation, translation: to.translation - from.translation, turn }
    }

    /// Returns the change of a direction that turns with the body, without cancellation.
    #[inline]
    fn turned(&self, direction: Vec3) -> Vec3 {
        let axis = self.turn.xyz();
        let across = axis.cross(direction);
        2.0 * (self.turn.w * across + axis.cross(across))
    }

    /// Returns the displacement of a point of the body.
    #[inline]
    fn displacement_of(&self, point: Vec3) -> Vec3 {
        self.translation + self.turned(point - self.origin)
    }

    /// Returns the angle between the rotations of two bodies, if it is small. Exactly it is twice
    /// the sine of half the angle.
    #[inline]
    fn turned_against(&self, other: &Motion) -> f32 {
        2.0 * rotation::mul(other.turn.conjugate(), self.turn).xyz().length()
    }
}

/// The motions of the two bodies of a pair.
#[derive(Clone, Copy)]
pub(crate) struct Motions {
    a: Motion,
    b: Motion,
}

impl Scene<'_> {
    /// Writes the contacts of a pair, moved along with its bodies.
    pub(crate) fn recycle(
        &self,
        state: &mut PairState,
        (motions, drift): &(Motions, f32),
        out: &mut impl Sink,
    ) {
        state.drift = *drift;
        let known = self.known(state);
        let roundings = [state.a, state.b].map(|body| self.roundness[body.index as usize].of_core());
        state.is_touching = false;
        out.make_room(known.len());
        for manifold in known {
            let carried = out.push(manifold);
            motions.carry(manifold, roundings, carried);
            state.is_touching |= self.touches(carried);
        }
    }

    /// Returns the motions of the bodies of a due pair, and its new drift. `None` if the pair has
    /// to be tested.
    #[inline]
    pub(crate) fn recycles(&self, state: &PairState) -> Option<(Motions, f32)> {
        if state.is_new || state.is_deferred {
            return None;
        }
        let DriftLimit { a_is_smaller, radius, drift: limit } = self.drift_limit(state)?;
        let motion = |body: u32| {
            let seen = self.detected_poses.get(body as usize).copied().flatten()?;
            Some(Motion::between(&seen, &self.bodies[body as usize].pose))
        };
        let motions = Motions { a: motion(state.a.index)?, b: motion(state.b.index)? };
        let (own, other) = if a_is_smaller { (&motions.a, &motions.b) } else { (&motions.b, &motions.a) };
        // An upper bound of the displacement of a point of the smaller body, relative to the larger
        // one.
        let drift = (own.translation - other.displacement_of(own.origin)).length()
            + own.turned_against(other) * radius;
        let drift = state.drift + drift + limit * (1.0 / MAX_RECYCLED_STEPS);
        // NaN, from numbers out of range, is tested.
        (drift <= limit).then_some((motions, drift))
    }

    /// Returns the initial drift after a test. It varies, so that pairs are not all tested again in
    /// the same step.
    pub(crate) fn first_drift(&self, state: &PairState) -> f32 {
        let turn = (state.a.index.wrapping_mul(7)).wrapping_add(state.b.index) % 32;
        self.drift_limit(state)
            .map_or(0.0, |drift_limit| turn as f32 * (1.0 / MAX_RECYCLED_STEPS) * drift_limit.drift)
    }

    /// Returns how far the bodies of a pair may move before it is tested again; `None` if its
    /// contacts are not recycled.
    fn drift_limit(&self, state: &PairState) -> Option<DriftLimit> {
        let (a, b) = (state.a.index as usize, state.b.index as usize);
        if state.is_sensor || !(0.0 < self.recycling) || self.swift[a] || self.swift[b] {
            return None;
        }
        let size = |body: u32| self.sizes[body as usize];
        let (a_is_smaller, radius) = smaller(size(state.a.index), size(state.b.index))?;
        Some(DriftLimit { a_is_smaller, radius, drift: self.recycling.min(MAX_DRIFT_RATIO * radius) })
    }
}

/// The motion of a pair that is allowed before its next test.
struct DriftLimit {
    a_is_smaller: bool,
    /// Radius of the smaller body about its origin.
    radius: f32,
    drift: f32,
}

impl Motions {
    /// Updates `carried`, a copy of the manifold, to the present poses.
    ///
    /// - The normal turns with the body whose face touches. Without a face, it turns by the mean of
    ///   both rotations. A half-space has no features and counts as a face.
    /// - A point on a rounded body moves with the core, and the other body's point is opposite to
    ///   it. If it turned with a rolling ball, it would end up behind the ball.
    ///
    /// The copy is changed in place, because a second copy would be slow (store forwarding).
    fn carry(&self, manifold: &Manifold, [round_a, round_b]: [f32; 2], carried: &mut Manifold) {
        let Motions { a, b } = self;
        let normal = manifold.normal();
        let is_face =
            |feature: FeatureId| matches!(feature.kind(), FeatureKind::Face(_) | FeatureKind::Unknown);
        // The normal of a rounded body does not turn with it.
        let turned = match (0.0 < round_a, 0.0 < round_b, manifold.contacts()) {
            (true, true, _) => Vec3::ZERO,
            (false, true, _) => a.turned(normal),
            (true, false, _) => b.turned(normal),
            (_, _, [Contact { feature_a, .. }, ..]) if is_face(*feature_a) => a.turned(normal),
            (_, _, [Contact { feature_b, .. }, ..]) if is_face(*feature_b) => b.turned(normal),
            _ => 0.5 * (a.turned(normal) + b.turned(normal)),
        };
        if turned != Vec3::ZERO {
            carried.set_normal((normal + turned).normalize_or(normal));
        }
        // The vectors from the core of a rounded body to its surface, before and after.
        let (skin_a, skin_b) = (normal * round_a, normal * -round_b);
        let normal = carried.normal();
        let (turned_a, turned_b) = (normal * round_a - skin_a, normal * -round_b - skin_b);
        for contact in carried.contacts_mut() {
            let moved_a = a.displacement_of(contact.point_a - skin_a) + turned_a;
            let moved_b = b.displacement_of(contact.point_b - skin_b) + turned_b;
            contact.point_a += moved_a;
            contact.point_b += moved_b;
            contact.distance += (moved_b - moved_a).dot(normal);
            if round_a < round_b {
                contact.point_a = contact.point_b - normal * contact.distance;
            } else if 0.0 < round_a {
                contact.point_b = contact.point_a + normal * contact.distance;
            }
        }
    }
}
