//! The time of impact of two convex bodies that only translate: the ray of their relative motion
//! against their difference.
//!
//! - Relative to A, B moves by v t, so they touch when the ray -v t meets D = B - A.
//! - A portal is a triangle of points of D that the ray passes through. Contact begins no later
//!   than the ray reaches it.
//! - The support plane along the portal's normal gives a time before which there is no contact. So
//!   every iteration has a proved bracket.
//! - The support point replaces one corner of the portal until the two times agree. On a polytope
//!   that is at one of its faces.
//! - The first portal starts at the support point where the ray would hit a ball in place of D. If
//!   the ray misses D, an axis perpendicular to it proves that.
//!
//! A portal is accepted if the ray passes inside all its edges by more than rounding. Closer cases,
//! contact at the start, and bodies without relative motion are left to the general search.
//!
//! Reference: G. Snethen, XenoCollide: Complex Collision Made Simple, Game Programming Gems 7, 2008
//! (portals); G. van den Bergen, Ray Casting against General Convex Objects with Application to
//! Continuous Collision Detection, 2004 (the ray).
//! Differs: the ray may start outside. Both ends are proved, rounding included. Margins and the
//! target distance are a ball around D.

use crate::body_pair::BodyPair;
use crate::chord::UNIT;
use crate::search::{Contact, Search};
use crate::{Clear, Proof, Tally, TimeOfImpact};
use carom_geom::{SupportMap, SupportPoint};
use carom_lanes::{Kernel, Simd, dispatch};
use carom_math::{ops::sqrt, scaling};
use glam::{DMat3, DVec3};

/// In units of the rounding of a relative position: the error of a point of D in A's frame, with
/// one more matrix product. It includes the error of its height over a plane chosen for it.
const POINTS: f64 = 4.0;

/// In the same units: the margin by which the ray passes inside an edge. It covers the points, the
/// sides, and the direction of the ray.
const INSIDE: f64 = 8.0;

/// The most support points. Hulls of 8 and 128 vertices need 6 and 10.
const MAX_POINTS: u32 = 40;

/// How far support directions around the ray lean towards the expected contact, as a ratio to their
/// sideways part. Figures for other ratios are in `benches/notes/carom-ccd.md`.
const LEAN: f64 = 1.7;

/// The radius of the ball in place of D that gives the first support point, in radii of both
/// bodies. From 0.65 to 1 the cost changes by less than 2 %.
const BALL: f64 = 0.8;

/// A point of the difference of the bodies at the time 0, in A's orientation.
#[derive(Clone, Copy)]
struct Corner {
    /// The point of the difference, with the ball of the margins and the target around it.
    w: DVec3,
    /// The support point of each core, in its own frame.
    from: [SupportPoint; 2],
}

const NO_CORNER: Corner = {
    let blank = SupportPoint { point: DVec3::ZERO, vertex: 0 };
    Corner { w: DVec3::ZERO, from: [blank; 2] }
};

/// A plane with the whole difference beyond it. Its distance falls linearly with time.
struct Plane {
    /// Unit vector from A to B, in A's orientation.
    normal: DVec3,
    /// The gap of the bodies minus the target, at the time 0: a lower bound.
    apart: f64,
    /// The decrease of the gap per unit of time.
    rate: f64,
}

impl Plane {
    fn at(&self, t: f64) -> f64 {
        self.apart - self.rate * t
    }
}

/// The ray of the relative motion, and the bounds of the search.
struct Ray<'p, 's, A: ?Sized, B: ?Sized, T> {
    pair: &'p BodyPair<'s, A, B>,
    /// The orientation of B in A's frame.
    turn: DMat3,
    /// From A's pivot to B's.
    between: DVec3,
    /// The motion of the origin relative to the difference, per unit of time.
    displacement: DVec3,
    /// The sum of margins and target.
    radius: f64,
    rounding: f64,
    climbs: bool,
    start: f64,
    end: f64,
    /// The largest accepted distance of the portal from the plane.
    tolerance: f64,
    tally: &'p T,
}

/// Returns the first contact of bodies that do not rotate, between two times. `None` if only the
/// general search can decide.
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

/// The search compiled for each instruction set. It uses no lanes, but needs fewer instructions
/// with newer sets.
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
            displacement: to_a * -pair.velocity,
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

/// Returns the contact of the last portal, between two times.
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
        let mut gap = ray.displacement * -t_hi;
        for (corner, share) in portal.iter().zip(shares) {
            let [at_a, at_b] = ray.points_of(&corner.from);
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
    // The points of contact lie on the surfaces along the normal, from the common point or from
    // the nearest point of A.
    let [far_a, far_b] = ray.points_of(&farthest.from);
    let height_a = normal.dot(far_a) + margin_a;
    let height_b = normal.dot(far_b - ray.displacement * t_hi) - margin_b;
    let on = |height: f64| pair.a.rotation * (a + normal * (height - normal.dot(a)));
    let placed = pair.at(t_hi);
    let points = [on(height_a), on(height_b)];
    // A matrix with rounded columns has a larger error than a unit vector may have.
    let normal = scaling::unit(pair.a.rotation * normal)?;
    let contact = Contact { points, normal, proof };
    Some(TimeOfImpact::Hit(search.impact([t_lo, t_hi], &placed, &contact)))
}

/// The purpose of the next support point.
#[derive(Clone, Copy)]
enum Stage {
    /// The pole, about which the portal is rotated.
    Pole,
    /// The farthest point on the other side of the ray.
    Across,
    /// The third corner, then points beyond a side that the ray misses.
    Around,
    /// A portal farther out.
    Refined,
}

impl<A: SupportMap + ?Sized, B: SupportMap + ?Sized, T: Tally> Ray<'_, '_, A, B, T> {
    /// Returns nearly the farthest point of the difference against a direction.
    #[inline(always)]
    fn farthest(&self, normal: DVec3) -> Corner {
        let (a, b) = (&self.pair.a, &self.pair.b);
        let near_a = a.shape.support(normal);
        let near_b = b.shape.support(self.turn.transpose() * -normal);
        self.corner(normal, [near_a, near_b])
    }

    /// Returns the same point, exact to rounding. The search starts at a near one.
    #[inline]
    fn exact(&self, normal: DVec3, near: &Corner) -> Corner {
        let (a, b) = (&self.pair.a, &self.pair.b);
        let far_a = a.shape.support_exact(normal, near.from[0]);
        let far_b = b.shape.support_exact(self.turn.transpose() * -normal, near.from[1]);
        self.corner(normal, [far_a, far_b])
    }

    #[inline(always)]
    fn corner(&self, normal: DVec3, from: [SupportPoint; 2]) -> Corner {
        let [a, b] = self.points_of(&from);
        let mut w = b - a;
        if 0.0 < self.radius {
            w -= normal * (self.radius / sqrt(normal.length_squared()));
        }
        Corner { w, from }
    }

    /// Returns a point of each core at the time 0, from A's pivot, in A's orientation.
    #[inline(always)]
    fn points_of(&self, from: &[SupportPoint; 2]) -> [DVec3; 2] {
        let (a, b) = (&self.pair.a, &self.pair.b);
        [from[0].point - a.pivot, self.between + self.turn * (from[1].point - b.pivot)]
    }

    /// Returns the plane with this normal, of any length, and the difference beyond it. `farthest`
    /// is the support point.
    #[inline(always)]
    fn plane(&self, normal: DVec3, farthest: &Corner) -> Plane {
        let normal = normal * (1.0 / sqrt(normal.length_squared()));
        let [a, b] = self.points_of(&farthest.from);
        Plane {
            normal,
            apart: normal.dot(b - a) - self.radius - self.rounding,
            rate: normal.dot(self.displacement),
        }
    }

    /// Returns the normal at which the ray would enter the difference if that were a ball, or at
    /// its nearest point. It has any length, and is only a guess.
    #[inline(always)]
    fn outwards(&self) -> DVec3 {
        let (displacement, displacement_sq) = (self.displacement, self.displacement.length_squared());
        let beside = self.between * displacement_sq - displacement * self.between.dot(displacement);
        let radius = BALL * (self.pair.a.reach + self.pair.b.reach);
        let along_sq = radius * radius * displacement_sq * displacement_sq - beside.length_squared();
        let outwards = beside + displacement * sqrt((along_sq / displacement_sq).max(0.0));
        if outwards != DVec3::ZERO && outwards.is_finite() { outwards } else { displacement }
    }

    /// Follows the ray to the difference. Returns a plane with the whole difference beyond it, at
    /// all times. Or returns a portal, and the plane just before it with its support point. One
    /// call site computes all support points, because that code is large.
    #[inline(always)]
    fn meet(&self, portal: &mut [Corner; 3]) -> Option<(Plane, Option<Corner>)> {
        let displacement = self.displacement;
        let mut stage = Stage::Pole;
        // The expected contact, which gives the first support point.
        let outwards = self.outwards();
        let mut normal = outwards;
        // The highest corner of the portal along its normal.
        let mut high = 0.0;
        // The portal is three points around the ray. Until it is found, it holds the pole and
        // points to the right and left of the ray. That is as seen from the pole, with `up`
        // upwards.
        let (mut up, mut has_left) = (displacement, false);
        // Support directions around the ray lean ahead as much as sideways. Such points are closer
        // to the final portal.
        let lean_scale = LEAN / outwards.abs().element_sum();
        let mut leans = false;
        for _ in 0..MAX_POINTS {
            let lean = if leans { normal.abs().element_sum() * lean_scale } else { 0.0 };
            self.tally.count(|counters| {
                counters.iterations += 1;
                counters.supports += 1;
            });
            let mut corner = self.farthest(normal + outwards * lean);
            match stage {
                Stage::Pole => {
                    portal[0] = corner;
                    normal =
                        corner.w * displacement.length_squared() - displacement * displacement.dot(corner.w);
                    if normal == DVec3::ZERO {
                        normal = displacement.any_orthogonal_vector();
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
                            up = -displacement;
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
                    if up != displacement {
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
                    // Keep that one of the three portals with the new corner that the ray passes
                    // through.
                    let side = displacement.cross(corner.w);
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
            let rate = normal.dot(displacement);
            // The ray passes the portal before the start: contact at the start, no contact, or a
            // later one. False for NaN.
            if !(0.0 < rate && rate * self.start < high) {
                return None;
            }
        }
        None
    }

    /// Whether the plane through the support point is within the tolerance of the portal, or beyond
    /// the end of the time.
    #[inline(always)]
    fn is_last(&self, normal: DVec3, high: f64, farthest: &Corner) -> bool {
        let low = normal.dot(farthest.w);
        let gap = high - low;
        normal.dot(self.displacement) * self.end < low
            || gap * gap <= self.tolerance * self.tolerance * normal.length_squared()
    }

    #[inline(always)]
    fn exact_plane(&self, normal: DVec3, near: &Corner) -> Plane {
        let corner = if self.climbs { self.exact(normal, near) } else { *near };
        self.plane(normal, &corner)
    }

    /// Returns the weights of the corners at the point where the ray passes the portal. `None` if
    /// it passes an edge within rounding.
    #[inline(always)]
    fn shares(&self, portal: &[Corner; 3]) -> Option<[f64; 3]> {
        let [x, y, z] = portal.each_ref().map(|corner| corner.w);
        let displacement_sq = self.displacement.length_squared();
        let mut is_inside = true;
        let mut volume = |u: DVec3, v: DVec3| {
            let edge = v - u;
            let volume = self.displacement.dot(u.cross(edge));
            let least = INSIDE * self.pair.rounding;
            is_inside &=
                0.0 < volume && least * least * (edge.length_squared() * displacement_sq) < volume * volume;
            volume
        };
        let parts = [volume(y, z), volume(z, x), volume(x, y)];
        let sum = parts[0] + parts[1] + parts[2];
        is_inside.then(|| parts.map(|part| part / sum))
    }
}
