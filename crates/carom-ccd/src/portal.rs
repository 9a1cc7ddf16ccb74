//! When two convex bodies that only translate touch: where the ray of their way meets their
//! difference.
//!
//! Seen from A, B moves by v t, so they touch where the ray -v t meets D = B - A. A triangle of
//! points of D through which the ray passes, the portal, is a contact no later than the ray passes
//! it; the plane beyond which D lies along the portal's normal is a time before which there is
//! none. So every round has a bracket that is proved, and the point of D that is farthest along the
//! normal replaces one corner of the portal, until the two times agree: on a polytope at one of its
//! faces. The first portal is found across the ray, from the point of D that is farthest outwards
//! where a ball would be met; where the ray passes beside, an axis across it proves that it does.
//!
//! A portal is believed where the ray passes inside all its edges by more than rounding; whatever
//! is nearer, touches at the start or does not move is left to the general search.
//!
//! Reference: G. Snethen, XenoCollide: Complex Collision Made Simple, Game Programming Gems 7, 2008
//! (portals); G. van den Bergen, Ray Casting against General Convex Objects with Application to
//! Continuous Collision Detection, 2004 (the ray).
//! Differs: the ray need not come from inside; both ends are proved, with rounding; margins and the
//! target distance are a ball around D.

use crate::body_pair::BodyPair;
use crate::chord::UNIT;
use crate::search::{Contact, Search};
use crate::{Clear, Proof, Tally, TimeOfImpact};
use carom_geom::{SupportMap, SupportPoint};
use carom_lanes::{Kernel, Simd, dispatch};
use carom_math::{ops::sqrt, scaling};
use glam::{DMat3, DVec3};

/// In units of what rounding does to the place of a point relative to another: a point of the
/// difference as A sees it, with one more product of matrices, and its height over a plane that is
/// chosen for it.
const POINTS: f64 = 4.0;

/// In the same units: the ray passes inside an edge. Points, the sides, and the direction of the
/// ray.
const INSIDE: f64 = 8.0;

/// Most points of the difference that are looked for; hulls of 8 and 128 vertices need 6 and 10.
const MAX_POINTS: u32 = 40;

/// How much ahead points are looked for that are around the ray, in as much beside, where ahead is
/// where a ball would be met. Hulls of 8, 32 and 128 vertices take 5.6, 6.7 and 9.0 points; with 1
/// of it 5.6, 7.8 and 10.2, with 2.5 6.2, 6.7 and 8.2. Along the way itself, with 1 of it, and the
/// first point along the way too, they took 5.9, 7.9 and 10.2.
const LEAN: f64 = 1.7;

/// The radius of that ball, in those of both bodies; from 0.65 to 1 makes no difference of a
/// fiftieth.
const BALL: f64 = 0.8;

/// A point of the difference of the bodies at the time 0, in A's orientation.
#[derive(Clone, Copy)]
struct Corner {
    /// Of the difference with the ball of the margins and the target around it.
    w: DVec3,
    /// Of each core, in its own frame.
    from: [SupportPoint; 2],
}

const NO_CORNER: Corner = {
    let blank = SupportPoint { point: DVec3::ZERO, vertex: 0 };
    Corner { w: DVec3::ZERO, from: [blank; 2] }
};

/// All of the difference lies beyond a plane, whose distance from B's place falls with the time.
struct Plane {
    /// Unit, from A to B, in A's orientation.
    normal: DVec3,
    /// How far the bodies are apart, less the target, at the time 0: a lower bound.
    apart: f64,
    /// By how much less for each unit of time.
    rate: f64,
}

impl Plane {
    fn at(&self, t: f64) -> f64 {
        self.apart - self.rate * t
    }
}

/// What is asked: when the way meets the difference.
struct Ray<'p, 's, A: ?Sized, B: ?Sized, T> {
    pair: &'p BodyPair<'s, A, B>,
    /// B's orientation in A's.
    turn: DMat3,
    /// From A's pivot to B's.
    between: DVec3,
    /// Where the origin goes, seen from the difference, in a unit of time.
    way: DVec3,
    /// Margins and target.
    radius: f64,
    rounding: f64,
    climbs: bool,
    start: f64,
    end: f64,
    /// How far the portal may be from the plane.
    tolerance: f64,
    tally: &'p T,
}

/// The first contact of bodies that do not turn, between two times, `None` where only the general
/// search can tell.
///
/// Before and after these times the bodies are apart by `least`.
#[inline]
pub(crate) fn first_contact<A: SupportMap + ?Sized, B: SupportMap + ?Sized, T: Tally>(
    search: &Search<'_, A, B>,
    start: f64,
    end: f64,
    least: f64,
    tally: &T,
) -> Option<TimeOfImpact> {
    dispatch(FirstContact { search, start, end, least, tally })
}

/// All of it compiled for each instruction set: not for its lanes, but its instructions are fewer.
struct FirstContact<'k, 's, A: ?Sized, B: ?Sized, T> {
    search: &'k Search<'s, A, B>,
    start: f64,
    end: f64,
    least: f64,
    tally: &'k T,
}

impl<A: SupportMap + ?Sized, B: SupportMap + ?Sized, T: Tally> Kernel for FirstContact<'_, '_, A, B, T> {
    type Output = Option<TimeOfImpact>;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Option<TimeOfImpact> {
        let FirstContact { search, start, end, least, tally } = self;
        let pair = &search.pair;
        let to_a = pair.a.rotation.transpose();
        let ray = Ray {
            pair,
            turn: to_a * pair.b.rotation,
            between: to_a * pair.between,
            way: to_a * -pair.velocity,
            radius: pair.margins() + search.target,
            rounding: POINTS * pair.rounding,
            climbs: pair.a.climbs || pair.b.climbs,
            start,
            end,
            tolerance: search.first_tolerance(),
            tally,
        };
        let mut portal = [NO_CORNER; 3];
        let (plane, farthest) = ray.meet(&mut portal)?;
        let Some(farthest) = farthest else {
            let distance = search.target + plane.at(start).min(plane.at(end));
            return (search.target < distance).then(|| TimeOfImpact::Clear(Clear::new(least.min(distance))));
        };
        hit(search, &ray, &portal, &plane, &farthest)
    }
}

/// The contact of the last portal, between two times.
#[inline(always)]
fn hit<A: SupportMap + ?Sized, B: SupportMap + ?Sized, T: Tally>(
    search: &Search<'_, A, B>,
    ray: &Ray<'_, '_, A, B, T>,
    portal: &[Corner; 3],
    plane: &Plane,
    farthest: &Corner,
) -> Option<TimeOfImpact> {
    let (pair, normal) = (ray.pair, plane.normal);
    let (start, end) = (ray.start, ray.end);
    let beside = ray.rounding / plane.rate;
    let t_lo = (plane.apart / plane.rate).min(end) * (1.0 - 4.0 * UNIT);
    let t_lo = if 0.0 < plane.at(t_lo) { t_lo } else { t_lo - beside };
    if !(start <= t_lo && 0.0 < plane.at(start) && 0.0 < plane.at(t_lo)) {
        return None;
    }
    let high = portal.iter().fold(f64::NEG_INFINITY, |high, corner| high.max(normal.dot(corner.w)));
    let t_hi = ((high + ray.rounding) / plane.rate * (1.0 + 4.0 * UNIT)).max(t_lo);
    let shares = ray.shares(portal)?;
    if !(t_hi <= end) {
        return None;
    }
    let mut a = DVec3::ZERO;
    for (corner, share) in portal.iter().zip(shares) {
        a += (corner.from[0].point - pair.a.pivot) * share;
    }
    let [margin_a, margin_b] = [pair.a.margin, pair.b.margin];
    let mut proof = Proof::Overlap;
    if 0.0 < ray.radius {
        let mut gap = ray.way * -t_hi;
        for (corner, share) in portal.iter().zip(shares) {
            let [at_a, at_b] = ray.places(&corner.from);
            gap += (at_b - at_a) * share;
        }
        let distance = sqrt(gap.length_squared());
        let above = distance + ray.rounding - (margin_a + margin_b);
        if !(above <= search.target) {
            return None;
        }
        if 0.0 < above {
            proof = Proof::Within(above);
        }
    }
    // From the common point, or the nearest of A, to the surfaces along the normal.
    let [far_a, far_b] = ray.places(&farthest.from);
    let height_a = normal.dot(far_a) + margin_a;
    let height_b = normal.dot(far_b - ray.way * t_hi) - margin_b;
    let on = |height: f64| pair.a.rotation * (a + normal * (height - normal.dot(a)));
    let placed = pair.at(t_hi);
    let points = [on(height_a), on(height_b)];
    // A matrix with rounded columns may be off a rotation by more than a unit vector may.
    let normal = scaling::unit(pair.a.rotation * normal)?;
    let contact = Contact { points, normal, proof };
    Some(TimeOfImpact::Hit(search.impact([t_lo, t_hi], &placed, &contact)))
}

/// What the next point is looked for: where it is put.
#[derive(Clone, Copy)]
enum Stage {
    /// From where the portal is turned about.
    Pole,
    /// The farthest on the other side of the ray.
    Across,
    /// The third corner, and then what is beyond the side that the ray passes.
    Around,
    /// A portal farther out.
    Refined,
}

impl<A: SupportMap + ?Sized, B: SupportMap + ?Sized, T: Tally> Ray<'_, '_, A, B, T> {
    /// Of all points of the difference nearly the one that is farthest towards the back of a
    /// direction.
    #[inline(always)]
    fn farthest(&self, normal: DVec3) -> Corner {
        let (a, b) = (&self.pair.a, &self.pair.b);
        let near_a = a.shape.support(normal);
        let near_b = b.shape.support(self.turn.transpose() * -normal);
        self.corner(normal, [near_a, near_b])
    }

    /// The same, exact to rounding, from one that is nearly so.
    #[inline]
    fn exact(&self, normal: DVec3, near: &Corner) -> Corner {
        let (a, b) = (&self.pair.a, &self.pair.b);
        let far_a = a.shape.support_exact(normal, near.from[0]);
        let far_b = b.shape.support_exact(self.turn.transpose() * -normal, near.from[1]);
        self.corner(normal, [far_a, far_b])
    }

    #[inline(always)]
    fn corner(&self, normal: DVec3, from: [SupportPoint; 2]) -> Corner {
        let [a, b] = self.places(&from);
        let mut w = b - a;
        if 0.0 < self.radius {
            w -= normal * (self.radius / sqrt(normal.length_squared()));
        }
        Corner { w, from }
    }

    /// A point of each core at the time 0, from A's pivot, in A's orientation.
    #[inline(always)]
    fn places(&self, from: &[SupportPoint; 2]) -> [DVec3; 2] {
        let (a, b) = (&self.pair.a, &self.pair.b);
        [from[0].point - a.pivot, self.between + self.turn * (from[1].point - b.pivot)]
    }

    /// The plane with this normal, of any length, beyond which the difference lies, given its
    /// farthest point.
    #[inline(always)]
    fn plane(&self, normal: DVec3, farthest: &Corner) -> Plane {
        let normal = normal * (1.0 / sqrt(normal.length_squared()));
        let [a, b] = self.places(&farthest.from);
        Plane { normal, apart: normal.dot(b - a) - self.radius - self.rounding, rate: normal.dot(self.way) }
    }

    /// The normal where the ray would enter the difference if that were a ball, or is nearest it:
    /// of any length, and no more than a guess.
    #[inline(always)]
    fn outwards(&self) -> DVec3 {
        let (way, way_sq) = (self.way, self.way.length_squared());
        let beside = self.between * way_sq - way * self.between.dot(way);
        let radius = BALL * (self.pair.a.reach + self.pair.b.reach);
        let along_sq = radius * radius * way_sq * way_sq - beside.length_squared();
        let outwards = beside + way * sqrt((along_sq / way_sq).max(0.0));
        if outwards != DVec3::ZERO && outwards.is_finite() { outwards } else { way }
    }

    /// Follows the ray to the difference: to a plane beyond which all of that lies, the time
    /// through, or to a portal and the plane that it passes not much earlier, with its farthest
    /// point. Points are looked for in one place, which is the larger part of the code.
    #[inline(always)]
    fn meet(&self, portal: &mut [Corner; 3]) -> Option<(Plane, Option<Corner>)> {
        let way = self.way;
        let mut stage = Stage::Pole;
        // Where the first contact should be, and so the first point.
        let outwards = self.outwards();
        let mut normal = outwards;
        // The highest corner of the portal over a plane with its normal.
        let mut high = 0.0;
        // The portal is three points around the ray. Before they are: the pole, and what is to the
        // right and to the left of the ray, as seen from the pole and with `up` upwards.
        let (mut up, mut has_left) = (way, false);
        // Points around the ray are looked for as much ahead as beside: those are nearer the portal
        // that is wanted.
        let per_way = LEAN / outwards.abs().element_sum();
        let mut leans = false;
        for _ in 0..MAX_POINTS {
            let lean = if leans { normal.abs().element_sum() * per_way } else { 0.0 };
            self.tally.count(|counters| {
                counters.iterations += 1;
                counters.supports += 1;
            });
            let mut corner = self.farthest(normal + outwards * lean);
            match stage {
                Stage::Pole => {
                    portal[0] = corner;
                    normal = corner.w * way.length_squared() - way * way.dot(corner.w);
                    if normal == DVec3::ZERO {
                        normal = way.any_orthogonal_vector();
                    }
                    (stage, leans) = (Stage::Across, true);
                    continue;
                }
                Stage::Across | Stage::Around => {
                    if 0.0 < normal.dot(corner.w) {
                        if leans {
                            leans = false;
                            continue;
                        }
                        return Some((self.exact_plane(normal, &corner), None));
                    }
                    leans = true;
                    let pole = portal[0].w;
                    if let Stage::Across = stage {
                        stage = Stage::Around;
                        if up.dot(pole.cross(corner.w)) < 0.0 {
                            up = -way;
                        }
                        portal[1] = corner;
                    } else if 0.0 < up.dot(pole.cross(corner.w)) {
                        portal[1] = corner;
                    } else {
                        portal[2] = corner;
                        has_left = true;
                    }
                    let (right, left) = (portal[1].w, portal[2].w);
                    if !has_left {
                        normal = (right - pole).cross(up);
                        continue;
                    }
                    if up.dot(right.cross(left)) < 0.0 {
                        normal = up.cross(left - right);
                        continue;
                    }
                    if up != way {
                        portal.swap(1, 2);
                    }
                    (stage, leans) = (Stage::Refined, false);
                }
                Stage::Refined => {
                    if self.is_last(normal, high, &corner) {
                        if self.climbs {
                            corner = self.exact(normal, &corner);
                        }
                        if self.is_last(normal, high, &corner) {
                            let plane = self.plane(normal, &corner);
                            let is_later = 0.0 < plane.at(self.end);
                            return Some((plane, (!is_later).then_some(corner)));
                        }
                    }
                    // Of the three portals with the new corner the one that the ray passes through.
                    let side = way.cross(corner.w);
                    let [x, y, z] = portal.each_ref().map(|corner| side.dot(corner.w));
                    let replaced = if 0.0 <= x && y <= 0.0 {
                        2
                    } else if 0.0 <= y && z <= 0.0 {
                        0
                    } else if 0.0 <= z && x <= 0.0 {
                        1
                    } else {
                        return None;
                    };
                    portal[replaced] = corner;
                }
            }
            let [x, y, z] = portal.each_ref().map(|corner| corner.w);
            normal = (y - x).cross(z - x);
            high = normal.dot(x).max(normal.dot(y)).max(normal.dot(z));
            let rate = normal.dot(way);
            // The ray passes it before the time begins: contact at the start, or none, or a later
            // one. Not so for NaN.
            if !(0.0 < rate && rate * self.start < high) {
                return None;
            }
        }
        None
    }

    /// The plane through the farthest point is as near the portal as was asked for, or beyond the
    /// end of the time.
    #[inline(always)]
    fn is_last(&self, normal: DVec3, high: f64, farthest: &Corner) -> bool {
        let low = normal.dot(farthest.w);
        let gap = high - low;
        normal.dot(self.way) * self.end < low
            || gap * gap <= self.tolerance * self.tolerance * normal.length_squared()
    }

    #[inline(always)]
    fn exact_plane(&self, normal: DVec3, near: &Corner) -> Plane {
        let corner = if self.climbs { self.exact(normal, near) } else { *near };
        self.plane(normal, &corner)
    }

    /// How much each corner counts in the point where the ray passes the portal; `None` where it
    /// passes an edge, for all that rounding tells.
    #[inline(always)]
    fn shares(&self, portal: &[Corner; 3]) -> Option<[f64; 3]> {
        let [x, y, z] = portal.each_ref().map(|corner| corner.w);
        let way_sq = self.way.length_squared();
        let mut is_inside = true;
        let mut volume = |u: DVec3, v: DVec3| {
            let edge = v - u;
            let volume = self.way.dot(u.cross(edge));
            let least = INSIDE * self.pair.rounding;
            is_inside &= 0.0 < volume && least * least * (edge.length_squared() * way_sq) < volume * volume;
            volume
        };
        let parts = [volume(y, z), volume(z, x), volume(x, y)];
        let sum = parts[0] + parts[1] + parts[2];
        is_inside.then(|| parts.map(|part| part / sum))
    }
}
