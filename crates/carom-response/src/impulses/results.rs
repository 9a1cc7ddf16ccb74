//! Reads the impulses of solved groups: for the cache, and for the report of the step.

use crate::contacts::contact::ContactImpulse;
use crate::impulses::classes::ColorClasses;
use crate::impulses::group::Group;
use crate::impulses::lane_vec::{Lanes, V3};
use carom_geom::MAX_CONTACTS;
use carom_lanes::{F32Lanes, Kernel, Simd};
use carom_math::{Real, Vec3};

/// Reads solved groups: the impulses to cache and those to report, eight of each group.
pub(crate) fn store_groups(
    _colors: &ColorClasses,
    groups: &[Group],
    cached: &mut [ContactImpulse],
    reports: &mut [ContactImpulse],
) {
    carom_lanes::dispatch(Storer { groups, cached, reports });
}

struct Storer<'a> {
    groups: &'a [Group],
    cached: &'a mut [ContactImpulse],
    reports: &'a mut [ContactImpulse],
}

impl Kernel for Storer<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let out = self.cached.chunks_mut(8).zip(self.reports.chunks_mut(8));
        for (group, (cached, reports)) in self.groups.iter().zip(out) {
            store(simd, group, cached, reports);
        }
    }
}

/// Reorders reports from the order of lanes to the order of contacts.
pub(crate) fn sort_reports(lanes: &[u32], reports: &[ContactImpulse], impulses: &mut [ContactImpulse]) {
    for (&lane, impulse) in lanes.iter().zip(impulses) {
        *impulse = reports[lane as usize];
    }
}

/// Reads the impulses of eight solved manifolds: those of one substep for the cache, and those of
/// the whole step for the report.
#[inline(always)]
fn store<S: Simd>(simd: S, group: &Group, cached: &mut [ContactImpulse], reports: &mut [ContactImpulse]) {
    let zero = S::F32x8::splat(simd, 0.0);
    let normal = V3::<S::F32x8>::load(simd, &group.normal);
    let tangent_1 = V3::load(simd, &group.tangent);
    let tangent_2 = normal.cross(tangent_1);
    let (mut impulses, mut totals) = ([zero; MAX_CONTACTS], [zero; MAX_CONTACTS]);
    let n_points = usize::from(group.n_points).min(MAX_CONTACTS);
    let mut k = 0;
    while k < n_points {
        impulses[k] = S::F32x8::load(simd, &group.points[k].impulse);
        totals[k] = S::F32x8::load(simd, &group.points[k].total);
        k += 1;
    }
    let tangents = [tangent_1, tangent_2];
    write(rows(simd, impulses, tangents, &group.tangent_impulse, &group.twist_impulse), cached);
    // After an overflow zero is reported. Friction overflows long before the normals do.
    let max_finite = S::F32x8::splat(simd, Real::MAX);
    let mut reported = rows(simd, totals, tangents, &group.tangent_total, &group.twist_total);
    let mut k = 0;
    while k < reported.len() {
        reported[k] = S::F32x8::select(reported[k].abs().le(max_finite), reported[k], zero);
        k += 1;
    }
    write(reported, reports);
}

/// Returns one row per manifold: the normal impulses, the friction in the world frame, the torque.
/// Not a closure: closures would be compiled without the SIMD target features.
#[inline(always)]
fn rows<S: Simd>(
    simd: S,
    n: [S::F32x8; MAX_CONTACTS],
    tangents: [V3<S::F32x8>; 2],
    along: &[Lanes; 2],
    twist: &Lanes,
) -> [S::F32x8; 8] {
    let f = tangents[0] * S::F32x8::load(simd, &along[0]) + tangents[1] * S::F32x8::load(simd, &along[1]);
    simd.transpose8([n[0], n[1], n[2], n[3], f.x, f.y, f.z, S::F32x8::load(simd, twist)])
}

#[inline(always)]
fn write<V: F32Lanes<8>>(rows: [V; 8], out: &mut [ContactImpulse]) {
    for (row, out) in rows.iter().zip(out) {
        let [a, b, c, d, x, y, z, twist] = row.to_array();
        *out = ContactImpulse { normal: [a, b, c, d], friction: Vec3::new(x, y, z), twist };
    }
}
