//! Contact recycling: the contacts of a pair that has hardly moved since it was looked at are moved along with its bodies.
//!
//! In a heap at rest nearly all pairs are such, and the narrow phase would find the same contacts again; or others, where features are
//! nearly level, and the heap would creep. What the two have moved against each other since they were looked at is summed up, not
//! measured from where they were, so that trembling counts too; and each step counts for something, so that all are looked at anew after
//! [`LONGEST`] steps at the latest, and not all in the same one.
//!
//! In the fifth second the boxes of four heaps of 10,000 move by 0.00014 in the mean, and by 0.0018 where nothing is recycled; contacts
//! take a fifth of the time. Recycled for 2 or 4 mm instead of 1 they move by 0.0003 and 0.0004, and single pairs come 5 cm deep into each
//! other; so too where the normal stays, or turns with the body that turns less (November 2026).
//!
//! Reference: rapier 0.32, `contact_recycling` (contacts are kept while the poses of a pair hardly change).
//! Differs: the sum of the ways, at most in proportion to the size of the smaller body, so that what is kept is off by a millimetre and
//! heals by itself.

use crate::bodies::size::smaller;
use crate::contacts::record::Record;
use crate::contacts::scene::Scene;
use crate::contacts::sink::Sink;
use carom_geom::{Contact, FeatureId, FeatureKind, Manifold};
use carom_math::{Pose, Quat, Vec3, rotation};

/// So many steps contacts are kept at most.
const LONGEST: f32 = 64.0;

/// The way after which a pair is looked at anew is at most this share of the radius of the smaller body.
const SHARE: f32 = 1.0 / 64.0;

/// How a body moved from one detection to the next: turned about its origin, then moved along.
#[derive(Clone, Copy)]
struct Motion {
    origin: Vec3,
    way: Vec3,
    turn: Quat,
}

impl Motion {
    // Not inlined these hand over their answers in memory, in pieces that the processor reads back late: half a millisecond of 10 for 46,000
    // pairs (EPYC, November 2026). To find them once for each body, which is in nine pairs, gained nothing: pairs wait for memory.
    #[inline]
    fn between(from: &Pose, to: &Pose) -> Motion {
        let turn = if from.rotation == to.rotation {
            Quat::IDENTITY
        } else {
            rotation::mul(to.rotation, from.rotation.conjugate())
        };
        Motion { origin: from.translation, way: to.translation - from.translation, turn }
    }

    /// Where a direction that turns with the body goes, less where it was: no difference of large numbers.
    #[inline]
    fn turned(&self, direction: Vec3) -> Vec3 {
        let axis = self.turn.xyz();
        let across = axis.cross(direction);
        2.0 * (self.turn.w * across + axis.cross(across))
    }

    /// How far a point of the body went.
    #[inline]
    fn way_of(&self, point: Vec3) -> Vec3 {
        self.way + self.turned(point - self.origin)
    }

    /// Twice the sine of half the angle that the other turned more or less: the angle, as long as it is small.
    #[inline]
    fn turned_against(&self, other: &Motion) -> f32 {
        2.0 * rotation::mul(other.turn.conjugate(), self.turn).xyz().length()
    }
}

/// How the two bodies of a pair moved.
#[derive(Clone, Copy)]
pub(crate) struct Motions {
    a: Motion,
    b: Motion,
}

impl Scene<'_> {
    /// Moves the contacts of a pair along.
    pub(crate) fn recycle(&self, record: &mut Record, (motions, way): &(Motions, f32), out: &mut impl Sink) {
        record.way = *way;
        let known = self.known(record);
        let roundings = [record.a, record.b].map(|body| self.sizes[body.index as usize].rounding());
        record.is_touching = false;
        out.make_room(known.len());
        for manifold in known {
            let carried = out.push(manifold);
            motions.carry(manifold, roundings, carried);
            record.is_touching |= self.touches(carried);
        }
    }

    /// How the bodies of a pair that is due moved, and the way it has made since it was looked at, if that is so short that its contacts are
    /// kept.
    #[inline]
    pub(crate) fn recycles(&self, record: &Record) -> Option<(Motions, f32)> {
        if record.is_new || record.is_put_off {
            return None;
        }
        let Room { a_is_smaller, radius, way: longest } = self.room(record)?;
        let motion = |body: u32| {
            let seen = self.seen.get(body as usize).copied().flatten()?;
            Some(Motion::between(&seen, &self.bodies[body as usize].pose))
        };
        let motions = Motions { a: motion(record.a.index)?, b: motion(record.b.index)? };
        let (own, other) = if a_is_smaller { (&motions.a, &motions.b) } else { (&motions.b, &motions.a) };
        // How far a point of the smaller went at most, as the larger sees it.
        let way = (own.way - other.way_of(own.origin)).length() + own.turned_against(other) * radius;
        let way = record.way + way + longest * (1.0 / LONGEST);
        // NaN, of numbers out of range, is looked at.
        (way <= longest).then_some((motions, way))
    }

    /// A pair that has just been looked at has made no way; but they are not all looked at again in the same step.
    pub(crate) fn way_at_first(&self, record: &Record) -> f32 {
        let turn = (record.a.index.wrapping_mul(7)).wrapping_add(record.b.index) % 32;
        self.room(record).map_or(0.0, |room| turn as f32 * (1.0 / LONGEST) * room.way)
    }

    /// How far the bodies of a pair may move before it is looked at anew; `None` where its contacts are not recycled.
    fn room(&self, record: &Record) -> Option<Room> {
        let (a, b) = (record.a.index as usize, record.b.index as usize);
        if record.is_sensor || !(0.0 < self.recycling) || self.swift[a] || self.swift[b] {
            return None;
        }
        let size = |body: u32| self.sizes[body as usize];
        let (a_is_smaller, radius) = smaller(size(record.a.index), size(record.b.index))?;
        Some(Room { a_is_smaller, radius, way: self.recycling.min(SHARE * radius) })
    }
}

/// What a pair may do before it is looked at anew.
struct Room {
    a_is_smaller: bool,
    /// Of the smaller body, about its origin.
    radius: f32,
    way: f32,
}

impl Motions {
    /// Makes a copy of the manifold what it is where its bodies are now. The normal goes with the
    /// body whose face touches, or else with both by half; a half-space names no feature. A point
    /// on what is rounded goes with the core, and that of the other is opposite: turned with a
    /// rolling ball it would be behind the ball.
    ///
    /// The copy is changed where it stays: what has just been written in pieces the processor reads late as a whole. Copied once more from here it
    /// took 0.4 of 3.6 milliseconds of contacts, for 115,000 pairs on one thread (EPYC, November 2026).
    fn carry(&self, manifold: &Manifold, [round_a, round_b]: [f32; 2], carried: &mut Manifold) {
        let Motions { a, b } = self;
        let normal = manifold.normal();
        let is_face =
            |feature: FeatureId| matches!(feature.kind(), FeatureKind::Face(_) | FeatureKind::Unknown);
        // What is rounded turns under its normal.
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
        // From the core of what is rounded to its surface, before and after.
        let (skin_a, skin_b) = (normal * round_a, normal * -round_b);
        let normal = carried.normal();
        let (turned_a, turned_b) = (normal * round_a - skin_a, normal * -round_b - skin_b);
        for contact in carried.contacts_mut() {
            let way_a = a.way_of(contact.point_a - skin_a) + turned_a;
            let way_b = b.way_of(contact.point_b - skin_b) + turned_b;
            contact.point_a += way_a;
            contact.point_b += way_b;
            contact.distance += (way_b - way_a).dot(normal);
            if round_a < round_b {
                contact.point_a = contact.point_b - normal * contact.distance;
            } else if 0.0 < round_a {
                contact.point_b = contact.point_a + normal * contact.distance;
            }
        }
    }
}
