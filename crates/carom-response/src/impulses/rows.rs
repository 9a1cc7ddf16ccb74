//! Loads manifolds into the lanes of a group. Eight rows of numbers, one for each manifold, are
//! transposed.
//!
//! Friction of a manifold acts at the centre of pressure: the mean of its contacts, weighted by
//! their cached impulses. At a body that cannot be pushed, it acts on each surface and not in the
//! middle between them, if their distance is not small beside the lever
//! ([`acts_on_surfaces`]). So a ball that comes fast gets the lever that it has when it touches.

use crate::bodies::active::ActiveBodies;
use crate::bodies::mass::{MassData, held_center};
use crate::contacts::contact::{ContactImpulse, ContactInput, Contacts};
use crate::contacts::summary::AHEAD;

use crate::impulses::classes::ColorClasses;
use crate::impulses::color::EMPTY_LANE;
use crate::impulses::damping::{Damping, Normal};
use crate::impulses::group::{Group, NO_DETAILS, NO_ROUND};
use crate::impulses::impulse_list::{ImpulseList, ManifoldKey};
use crate::impulses::lane_vec::{Lanes, V3};
use crate::impulses::load::LoadScale;
use crate::sleep::rest::DEEP_SLOPS;
use carom_geom::{Contact, MAX_CONTACTS};
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, U32Lanes};
use carom_math::{Real, Vec3};

/// The input of loading manifolds.
#[derive(Clone, Copy)]
pub(crate) struct Manifolds<'a> {
    pub(crate) contacts: &'a Contacts<'a>,
    /// Indices of the contacts that are solved.
    pub(crate) active: &'a [u32],
    /// For each of these contacts, its position in `cached`.
    pub(crate) matched: &'a [u32],
    /// The pairs of the last step.
    pub(crate) cached: &'a ImpulseList,
    /// Indices into `active`, eight for each group; [`EMPTY_LANE`] for an empty lane.
    pub(crate) order: &'a [u32],
    pub(crate) bodies: &'a ActiveBodies,
    pub(crate) masses: &'a [MassData],
    pub(crate) warm_start: WarmStart,
    pub(crate) load: LoadScale,
}

/// Loads groups of eight manifolds, beginning with group `first`, and writes their keys. Returns
/// the number of warm started contacts, and of all contacts.
///
/// Tried: the warm start in the same pass, storing in the last pass, and each thread loading the
/// groups that it solves. None was faster.
pub(crate) fn load_groups(
    from: &Manifolds<'_>,
    _colors: &ColorClasses,
    first: usize,
    groups: &mut [Group],
    manifold_keys: &mut [ManifoldKey],
) -> (usize, usize) {
    carom_lanes::dispatch(Loader { from, first, groups, manifold_keys })
}

struct Loader<'a> {
    from: &'a Manifolds<'a>,
    first: usize,
    groups: &'a mut [Group],
    manifold_keys: &'a mut [ManifoldKey],
}

impl Kernel for Loader<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let Loader { from, first, groups, manifold_keys } = self;
        let mut rows = Rows::NONE;
        let (mut n_warm, mut n_contacts) = (0, 0);
        for (k, (group, manifold_keys)) in groups.iter_mut().zip(manifold_keys.chunks_mut(8)).enumerate() {
            let (warm, all) = from.read(first + k, group, &mut rows, manifold_keys);
            (n_warm, n_contacts) = (n_warm + warm, n_contacts + all);
            rows.write(simd, group, from.warm_start.slop, &from.load);
        }
        (n_warm, n_contacts)
    }
}

impl Manifolds<'_> {
    /// Reads the manifolds of a group. Returns the number of warm started contacts, and of all
    /// contacts.
    fn read(
        &self,
        group_number: usize,
        group: &mut Group,
        rows: &mut Rows,
        manifold_keys: &mut [ManifoldKey],
    ) -> (usize, usize) {
        let still = (self.masses.len() - 1) as u32;
        let first = 8 * group_number;
        let members = &self.order[first..first + 8];
        if members[7] == EMPTY_LANE {
            *rows = Rows::NONE;
            (group.body_a, group.body_b) = ([still; 8], [still; 8]);
        }
        (group.n_points, group.movable_a, group.movable_b) = (0, 0, 0);
        (group.details, group.round) = (NO_DETAILS, NO_ROUND);
        let (mut n_warm, mut n_contacts) = (0, 0);
        let members = members.iter().take_while(|&&member| member != EMPTY_LANE);
        for (lane, (&member, manifold_key)) in members.zip(manifold_keys).enumerate() {
            if let Some(&later) = self.order.get(first + lane + AHEAD).filter(|&&later| later != EMPTY_LANE) {
                self.contacts.prefetch(self.active[later as usize] as usize);
                self.cached.prefetch(self.matched[later as usize]);
            }
            let pair = self.contacts.get(self.active[member as usize] as usize);
            let index = self.matched[member as usize] as usize;
            let cached = self.cached.manifold_keys.get(index).zip(self.cached.impulses.get(index));
            let [a, b] = [pair.body_a, pair.body_b].map(|body| self.bodies.slot(body));
            (group.body_a[lane], group.body_b[lane]) = (a as u32, b as u32);
            let masses = [&self.masses[a], &self.masses[b]];
            n_warm += rows.read(lane, &pair, masses, cached, self.warm_start, manifold_key);
            let n = pair.manifold.contacts().len();
            n_contacts += n;
            group.n_points = group.n_points.max(n as u8);
            group.movable_a |= u8::from(self.bodies.is_movable()[a]) << lane;
            group.movable_b |= u8::from(self.bodies.is_movable()[b]) << lane;
        }
        (n_warm, n_contacts)
    }
}

/// The conversion of cached impulses to the warm start of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WarmStart {
    /// The length of the substep divided by that of the cached impulses.
    pub(crate) ratio: Real,
    pub(crate) damping: Damping,
    /// Overlap that is not corrected.
    pub(crate) slop: Real,
}

/// The input of eight manifolds as rows of eight numbers. A transpose turns eight rows into lanes,
/// which is faster than writing single numbers.
#[derive(Debug)]
struct Rows {
    /// Inverse mass, inverse inertia, and rest weight.
    mass_a: [Lanes; 8],
    mass_b: [Lanes; 8],
    /// The centres of mass of A and B, a flag, and the number of contacts. The flag is 1 if
    /// contacts act on the centre of A, and 2 for B.
    centers: [Lanes; 8],
    /// The normal, the coefficient of friction, the cached friction, and its torque about the
    /// normal.
    pairs: [Lanes; 8],
    /// For each contact: the point on A, the point on B, the distance, the cached impulse.
    points: [[Lanes; 8]; MAX_CONTACTS],
}

impl Rows {
    /// Eight empty rows.
    const NONE: Rows = Rows {
        mass_a: [[0.0; 8]; 8],
        mass_b: [[0.0; 8]; 8],
        centers: [[0.0; 8]; 8],
        pairs: [[0.0; 8]; 8],
        points: [[[0.0; 8]; 8]; MAX_CONTACTS],
    };

    /// Reads a manifold and writes its key. Returns how many of its contacts were matched by
    /// features.
    ///
    /// `masses` are those of the two bodies.
    fn read(
        &mut self,
        lane: usize,
        pair: &ContactInput<'_>,
        masses: [&MassData; 2],
        cached: Option<(&ManifoldKey, &ContactImpulse)>,
        warm_start: WarmStart,
        manifold_key: &mut ManifoldKey,
    ) -> usize {
        let [a, b] = masses;
        let WarmStart { ratio, damping, slop } = warm_start;
        let normal = pair.manifold.normal();
        let contacts = pair.manifold.contacts();
        let mut n_known = 0;
        let mut normals = [Normal::NONE; MAX_CONTACTS];
        let (mut friction, mut twist) = (Vec3::ZERO, 0.0);
        // If the normal was reversed, the contact is on another side of the body.
        let is_good = |(old, impulse): &(&ManifoldKey, &ContactImpulse)| {
            0.0 < old.normal.dot(normal) && is_finite(impulse)
        };
        if let Some((old, impulse)) = cached.filter(is_good) {
            let is_deep = contacts.iter().any(|contact| contact.distance < -DEEP_SLOPS * slop);
            let damped = |k: usize| damping.apply(impulse.normal[k] * ratio, old.means[k] * ratio, is_deep);
            let damped = core::array::from_fn(damped);
            n_known = old.hand_over(&damped, contacts, a.center, &mut normals);
            (friction, twist) = (impulse.friction * ratio, impulse.twist * ratio);
        }
        *manifold_key = ManifoldKey::new(pair.key(), normal, contacts, a.center, &normals);
        self.mass_a[lane] = a.row();
        self.mass_b[lane] = b.row();
        let (center_a, center_b) = (a.center, b.center);
        let n = contacts.len() as Real;
        let held = held_center(masses, normal, contacts, slop).map_or(0.0, |side| 1.0 + side as Real);
        self.centers[lane] =
            [center_a.x, center_a.y, center_a.z, center_b.x, center_b.y, center_b.z, held, n];
        self.pairs[lane] =
            [normal.x, normal.y, normal.z, pair.friction, friction.x, friction.y, friction.z, twist];
        for (k, c) in contacts.iter().enumerate() {
            let (p, q) = (c.point_a, c.point_b);
            self.points[k][lane] = [p.x, p.y, p.z, q.x, q.y, q.z, c.distance, normals[k].impulse];
        }
        n_known
    }

    /// Writes the lanes of a group. `group.n_points` is the largest number of contacts of a lane.
    ///
    /// Tried: friction always at the middle of the touching contacts; stacks with irregular
    /// substeps swayed ten times as fast. Figures: `benches/notes/carom-world.md`.
    #[inline(always)]
    fn write<S: Simd>(&self, simd: S, group: &mut Group, slop: Real, load: &LoadScale) {
        let (one, half) = (S::F32x8::splat(simd, 1.0), S::F32x8::splat(simd, 0.5));
        let mass_a = transposed(simd, &self.mass_a);
        let mass_b = transposed(simd, &self.mass_b);
        mass_a[0].store(&mut group.inverse_mass_a);
        mass_b[0].store(&mut group.inverse_mass_b);
        // Calm bodies have up to twice the slop. In a pile, the removal of the overlap of one
        // resting body moves others, so the pile would keep creeping.
        let rest_weight = mass_a[7].min(mass_b[7]);
        (S::F32x8::splat(simd, slop) * (one + rest_weight)).store(&mut group.slop);
        let mut k = 0;
        while k < 6 {
            mass_a[k + 1].store(&mut group.inverse_inertia_a[k]);
            mass_b[k + 1].store(&mut group.inverse_inertia_b[k]);
            k += 1;
        }
        let c = transposed(simd, &self.centers);
        let (center_a, center_b) = (V3 { x: c[0], y: c[1], z: c[2] }, V3 { x: c[3], y: c[4], z: c[5] });
        let (held, n_contacts) = (c[6], c[7]);
        let one_and_half = S::F32x8::splat(simd, 1.5);
        let (holds_one, holds_b) = (half.lt(held), one_and_half.lt(held));
        let p = transposed(simd, &self.pairs);
        let (normal, friction) = (V3 { x: p[0], y: p[1], z: p[2] }, V3 { x: p[4], y: p[5], z: p[6] });
        // The same formula as `Vec3::any_orthonormal_vector`.
        let sign_bit = S::U32x8::splat(simd, 1 << 31);
        let sign = ((normal.z.to_bits() & sign_bit) | one.to_bits()).as_f32_bits();
        let a = -one / (sign + normal.z);
        let tangent = V3 { x: normal.x * normal.y * a, y: sign + normal.y * normal.y * a, z: -normal.y };
        normal.store(&mut group.normal);
        tangent.store(&mut group.tangent);
        p[3].store(&mut group.friction);
        friction.dot(tangent).store(&mut group.tangent_impulse[0]);
        friction.dot(normal.cross(tangent)).store(&mut group.tangent_impulse[1]);
        p[7].store(&mut group.twist_impulse);
        (group.tangent_total, group.twist_total) = ([[0.0; 8]; 2], [0.0; 8]);

        let points = self.write_points(simd, group, n_contacts);
        load.write(simd, group, points.carried);
        let center = points.center_of_pressure(simd, group, slop);
        let at_center = (holds_one, V3::select(holds_b, center_b, center_a));
        let half_gap = points.half_gap(simd, group, center, [center_a, center_b], slop);
        points.write_anchors(simd, group, (center, half_gap), at_center, [center_a, center_b]);
    }

    /// Writes the contacts of a group, without anchors. Lanes with fewer contacts have zero mass in
    /// the unused ones.
    #[inline(always)]
    fn write_points<S: Simd>(&self, simd: S, group: &mut Group, n_contacts: S::F32x8) -> Points<S> {
        let (zero, one) = (S::F32x8::splat(simd, 0.0), S::F32x8::splat(simd, 1.0));
        let half = S::F32x8::splat(simd, 0.5);
        let mut middles = [V3 { x: zero, y: zero, z: zero }; MAX_CONTACTS];
        let mut nearest = S::F32x8::splat(simd, Real::INFINITY);
        let mut largest = zero;
        let mut carried = zero;
        let mut k = 0;
        while k < usize::from(group.n_points).min(MAX_CONTACTS) {
            let point = &mut group.points[k];
            let is_there = S::F32x8::splat(simd, k as Real).lt(n_contacts);
            let c = transposed(simd, &self.points[k]);
            middles[k] = (V3 { x: c[0], y: c[1], z: c[2] } + V3 { x: c[3], y: c[4], z: c[5] }) * half;
            nearest = S::F32x8::select(is_there, c[6].min(nearest), nearest);
            let impulse = S::F32x8::select(is_there, c[7], zero);
            largest = largest.max(impulse);
            carried = carried + impulse;
            S::F32x8::select(is_there, c[6], zero).store(&mut point.distance);
            impulse.store(&mut point.impulse);
            S::F32x8::select(is_there, one, zero).store(&mut point.normal_mass);
            k += 1;
        }
        Points { n_contacts, middles, nearest, largest, carried }
    }
}

/// The contacts of eight manifolds, while they are written.
struct Points<S: Simd> {
    n_contacts: S::F32x8,
    /// For each contact, the middle of its two points.
    middles: [V3<S::F32x8>; MAX_CONTACTS],
    /// The least distance.
    nearest: S::F32x8,
    /// The largest cached impulse, and the sum of all.
    largest: S::F32x8,
    carried: S::F32x8,
}

impl<S: Simd> Points<S> {
    /// Returns the mean of the contacts, weighted by their cached impulses. If there are none, the
    /// contacts within `slop` of the nearest one have equal weights.
    #[inline(always)]
    fn center_of_pressure(&self, simd: S, group: &Group, slop: Real) -> V3<S::F32x8> {
        let (zero, one) = (S::F32x8::splat(simd, 0.0), S::F32x8::splat(simd, 1.0));
        // Weights are relative to the largest impulse, because a denormal impulse has no finite
        // inverse.
        let is_pressed = S::F32x8::splat(simd, Real::MIN_POSITIVE).le(self.largest);
        let touching = self.nearest + S::F32x8::splat(simd, slop);
        let mut center = V3 { x: zero, y: zero, z: zero };
        let mut weight_sum = zero;
        let mut k = 0;
        while k < usize::from(group.n_points).min(MAX_CONTACTS) {
            let point = &group.points[k];
            let is_there = S::F32x8::splat(simd, k as Real).lt(self.n_contacts);
            let impulse = S::F32x8::load(simd, &point.impulse);
            let touches = S::F32x8::load(simd, &point.distance).le(touching);
            let by_touch = S::F32x8::select(touches, one, zero);
            let weight = S::F32x8::select(is_pressed, impulse / self.largest, by_touch);
            center = V3::select(is_there, center + self.middles[k] * weight, center);
            weight_sum = S::F32x8::select(is_there, weight_sum + weight, weight_sum);
            k += 1;
        }
        V3::select(zero.lt(self.n_contacts), center * (one / weight_sum), center)
    }

    /// Returns half the distance of the surfaces in lanes in which friction acts on each of them,
    /// and 0 in the others. Marks these lanes. See [`acts_on_surfaces`]. `center` is the centre of
    /// pressure.
    #[inline(always)]
    fn half_gap(
        &self,
        simd: S,
        group: &mut Group,
        center: V3<S::F32x8>,
        [center_a, center_b]: [V3<S::F32x8>; 2],
        slop: Real,
    ) -> S::F32x8 {
        let (zero, one) = (S::F32x8::splat(simd, 0.0), S::F32x8::splat(simd, 1.0));
        let normal = V3::load(simd, &group.normal);
        let mass_a = S::F32x8::load(simd, &group.inverse_mass_a);
        let mass_b = S::F32x8::load(simd, &group.inverse_mass_b);
        let lever_a = (center - center_a).dot(normal).abs();
        let lever_b = (center - center_b).dot(normal).abs();
        let lever = S::F32x8::select(mass_a.le(zero), lever_b, lever_a);
        let least = (lever * S::F32x8::splat(simd, MIN_GAP_RATIO)).max(S::F32x8::splat(simd, slop));
        let is_far = S::F32x8::select(least.lt(self.nearest.abs()), one, zero);
        let is_far = S::F32x8::select(mass_a.min(mass_b).le(zero), is_far, zero);
        // An empty lane is infinitely far.
        let is_far = S::F32x8::select(zero.lt(self.n_contacts), is_far, zero);
        let is_far = zero.lt(is_far);
        group.on_surfaces = is_far.bits() as u8;
        S::F32x8::select(is_far, self.nearest * S::F32x8::splat(simd, 0.5), zero)
    }

    /// Writes the anchors and levers. `center` is the centre of pressure, with the distance of the
    /// friction points from it along the normal. In the lanes of the mask `at_center`, contacts
    /// act at the point given with it.
    #[inline(always)]
    fn write_anchors(
        &self,
        simd: S,
        group: &mut Group,
        (center, half_gap): (V3<S::F32x8>, S::F32x8),
        at_center: (<S::F32x8 as F32Lanes<8>>::Mask, V3<S::F32x8>),
        [center_a, center_b]: [V3<S::F32x8>; 2],
    ) {
        let zero = S::F32x8::splat(simd, 0.0);
        let nowhere = V3 { x: zero, y: zero, z: zero };
        let (is_held, held_center) = at_center;
        let normal = V3::load(simd, &group.normal);
        let at = V3::select(is_held, held_center, center);
        let half_gap = normal * S::F32x8::select(is_held, zero, half_gap);
        (at - half_gap - center_a).store(&mut group.friction_a);
        (at + half_gap - center_b).store(&mut group.friction_b);
        let mut k = 0;
        while k < usize::from(group.n_points).min(MAX_CONTACTS) {
            let point = &mut group.points[k];
            let is_there = S::F32x8::splat(simd, k as Real).lt(self.n_contacts);
            let at = V3::select(is_held, held_center, self.middles[k]);
            V3::select(is_there, at - center_a, nowhere).store(&mut point.anchor_a);
            V3::select(is_there, at - center_b, nowhere).store(&mut point.anchor_b);
            let lever = self.middles[k] - center;
            let across = lever - normal * lever.dot(normal);
            S::F32x8::select(is_there, across.dot(across).sqrt(), zero).store(&mut point.lever);
            point.total = [0.0; 8];
            k += 1;
        }
    }
}

/// The least distance of surfaces at which friction acts on each of them, as a fraction of the
/// lever along the normal. At this distance the lever of the middle is wrong by half of it.
const MIN_GAP_RATIO: Real = 1.0 / 16.0;

/// Whether friction acts on each surface, and not in the middle between them. Between two bodies
/// that can be pushed, it acts in the middle, because impulses at two points would change the
/// angular momentum of the pair.
pub(crate) fn acts_on_surfaces([a, b]: [&MassData; 2], normal: Vec3, contact: &Contact, slop: Real) -> bool {
    let center = if a.inverse_mass <= 0.0 { b.center } else { a.center };
    let lever = ((contact.point_a + contact.point_b) * 0.5 - center).dot(normal).abs();
    a.inverse_mass.min(b.inverse_mass) <= 0.0 && (MIN_GAP_RATIO * lever).max(slop) < contact.distance.abs()
}

#[inline(always)]
fn transposed<S: Simd>(simd: S, rows: &[Lanes; 8]) -> [S::F32x8; 8] {
    simd.transpose8([
        S::F32x8::load(simd, &rows[0]),
        S::F32x8::load(simd, &rows[1]),
        S::F32x8::load(simd, &rows[2]),
        S::F32x8::load(simd, &rows[3]),
        S::F32x8::load(simd, &rows[4]),
        S::F32x8::load(simd, &rows[5]),
        S::F32x8::load(simd, &rows[6]),
        S::F32x8::load(simd, &rows[7]),
    ])
}

/// Whether the impulse can be used. After an overflow in the step before it is dropped.
fn is_finite(impulse: &ContactImpulse) -> bool {
    let ContactImpulse { normal, friction, twist } = impulse;
    normal.iter().all(|impulse| impulse.is_finite()) && friction.is_finite() && twist.is_finite()
}
