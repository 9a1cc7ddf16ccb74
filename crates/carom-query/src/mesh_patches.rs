//! Reduction of the many contacts of two meshes to a few manifolds.
//!
//! 1. Duplicates are removed. A corner inside a solid keeps the nearest face as its way out. In a
//!    fold it keeps all faces of the fold.
//! 2. The deepest contact starts a patch, and takes all contacts with normals within a few degrees.
//!    The deepest of the rest starts the next patch.
//! 3. A patch keeps its first contact and three more that span the largest area.
//!
//! Each patch gives a separating translation along its normal. If the translation of one patch also
//! separates the contacts of a deeper patch, the deeper one is removed. So bodies that are convex
//! near the contact have one manifold, that of the least depth. A plate that has sunk into a table
//! is not pushed sideways.
//!
//! Reference: A. Moravanszky, P. Terdiman, Fast Contact Reduction for Dynamics Simulation, Game
//! Programming Gems 4, 2004; E. Catto, Contact Manifolds, GDC 2007.

use crate::manifold_sink::ManifoldSink;
use crate::workspace::{ContactMemory, Facing, MeshContact, Patch};
use alloc::vec::Vec;
use carom_geom::FeatureId;
use carom_math::tol;
use glam::DVec3;

/// The most contacts of a patch.
const MAX_CONTACTS: usize = 4;

/// Writes the manifolds of these contacts, those of the least depth first.
pub(crate) fn write_patches(memory: &mut ContactMemory, out: &mut impl ManifoldSink) {
    let ContactMemory { found, order, patch_of, patches, points } = memory;
    keep_once(found);
    keep_exits(found, |c| c.feature_a, Facing::CornerOfA);
    keep_exits(found, |c| c.feature_b, Facing::CornerOfB);
    found.sort_unstable_by(|x, y| x.distance.total_cmp(&y.distance).then(key(x).cmp(&key(y))));
    patches.clear();
    patch_of.clear();
    for contact in found.iter() {
        let like = patches.iter().position(|p| tol::PATCH_COSINE <= p.normal.dot(contact.normal));
        patch_of.push(like.unwrap_or(patches.len()) as u32);
        let (top_a, low_b) = (f64::NEG_INFINITY, f64::INFINITY);
        let patch = match like {
            Some(patch) => patch,
            None => {
                let (normal, is_strict) = (contact.normal, contact.is_strict);
                patches.push(Patch { normal, top_a, low_b, is_strict, first: 0, n: 0 });
                patches.len() - 1
            }
        };
        let patch = &mut patches[patch];
        patch.top_a = patch.top_a.max(patch.normal.dot(contact.point_a));
        patch.low_b = patch.low_b.min(patch.normal.dot(contact.point_b));
        patch.n += 1;
    }
    let mut n_before = 0;
    for patch in patches.iter_mut() {
        patch.first = n_before;
        n_before += patch.n;
    }
    order.clear();
    order.extend(0..found.len() as u32);
    // Within a patch the order by depth is kept.
    order.sort_unstable_by_key(|&i| (patch_of[i as usize], i));
    // The patch with the least depth first.
    patches.sort_unstable_by(|p, q| {
        (p.top_a - p.low_b).total_cmp(&(q.top_a - q.low_b)).then(p.first.cmp(&q.first))
    });
    drop_parted(patches, order, found);
    for patch in patches.iter() {
        let (contacts, normal) = (contacts_of(patch, order), patch.normal);
        points.clear();
        for &i in contacts {
            let contact = &found[i as usize];
            points.push((normal.dot(contact.point_b - contact.point_a), contact.point_a, i));
        }
        let mut chosen = spread(points);
        chosen.sort_unstable_by_key(|&i| found.get(i as usize).map(key));
        out.start(normal);
        for contact in chosen.iter().filter_map(|&i| found.get(i as usize)) {
            let MeshContact { point_a, point_b, part_a, part_b, feature_a, feature_b, .. } = *contact;
            let distance = normal.dot(point_b - point_a);
            out.add([point_a, point_b], distance, [part_a, part_b], [feature_a, feature_b]);
        }
        out.end();
    }
}

fn key(c: &MeshContact) -> (FeatureId, FeatureId, Facing) {
    (c.feature_a, c.feature_b, c.facing)
}

/// Keeps one contact for each pair of features. For a corner over several triangles of one facet
/// the first one counts.
fn keep_once(found: &mut Vec<MeshContact>) {
    found.sort_unstable_by(|x, y| {
        let parts = |c: &MeshContact| (c.part_a, c.part_b);
        let all = |c: &MeshContact| (key(c), c.is_beyond, parts(c));
        all(x).cmp(&all(y)).then(x.distance.total_cmp(&y.distance))
    });
    found.dedup_by(|later, earlier| key(later) == key(earlier) && 0.0 < later.normal.dot(earlier.normal));
}

/// Reduces the faces that a corner is deep under. The nearest one that it is directly under is
/// kept, and all nearer ones whose edge it is beyond.
fn keep_exits(found: &mut Vec<MeshContact>, corner: impl Fn(&MeshContact) -> FeatureId, facing: Facing) {
    let is_deep = |c: &MeshContact| c.facing == facing && c.distance < 0.0;
    found.sort_unstable_by(|x, y| {
        let rank = |c: &MeshContact| (!is_deep(c), corner(c));
        rank(x).cmp(&rank(y)).then(y.distance.total_cmp(&x.distance)).then(key(x).cmp(&key(y)))
    });
    // The corner, and whether a face that it is directly under was kept.
    let mut last: Option<(FeatureId, bool)> = None;
    found.retain(|c| {
        let is_out = last.is_some_and(|(vertex, is_out)| vertex == corner(c) && is_out);
        if is_deep(c) {
            last = Some((corner(c), is_out || !c.is_beyond));
        }
        !(is_deep(c) && is_out)
    });
}

/// Removes the patches whose contacts other patches separate. Patches with the least depth are kept
/// first.
fn drop_parted(patches: &mut Vec<Patch>, order: &[u32], found: &[MeshContact]) {
    let mut n_kept = 0;
    for index in 0..patches.len() {
        let patch = patches[index];
        let is_parted = |i: &u32| patches[..n_kept].iter().any(|less| parts(less, *i, found));
        if !contacts_of(&patch, order).iter().all(is_parted) {
            patches[n_kept] = patch;
            n_kept += 1;
        }
    }
    patches.truncate(n_kept);
    // A patch with less depth that separates fewer contacts, as at a corner beside the relevant
    // one.
    for index in (0..patches.len()).rev() {
        let contacts = contacts_of(&patches[index], order);
        if patches[index + 1..].iter().any(|more| contacts.iter().all(|i| parts(more, *i, found))) {
            patches.remove(index);
        }
    }
}

/// Returns the indices of the contacts of a patch.
fn contacts_of<'a>(patch: &Patch, order: &'a [u32]) -> &'a [u32] {
    order.get(patch.first as usize..(patch.first + patch.n) as usize).unwrap_or(&[])
}

/// Whether moving the bodies apart along the patch's normal also separates them at this contact.
/// The tolerance is an eighth of its depth.
fn parts(patch: &Patch, contact: u32, found: &[MeshContact]) -> bool {
    let Some(contact) = found.get(contact as usize) else { return false };
    let slack = 0.125 * contact.distance.abs();
    // If a feature is only nearly extreme along the normal, the body has points beyond the plane.
    patch.is_strict
        && patch.normal.dot(contact.point_a) <= patch.top_a + slack
        && patch.low_b - slack <= patch.normal.dot(contact.point_b)
}

/// Chooses up to four of the points, by index: the first, the one farthest from it, and the
/// farthest from their line on either side. Unused entries are `u32::MAX`.
fn spread(points: &[(f64, DVec3, u32)]) -> [u32; MAX_CONTACTS] {
    let mut chosen = [u32::MAX; MAX_CONTACTS];
    let Some(&(_, origin, first)) = points.first() else { return chosen };
    chosen[0] = first;
    let most = |key: &dyn Fn(&DVec3) -> f64| {
        let mut best = (0.0, u32::MAX, origin);
        for (_, point, number) in points {
            let value = key(point);
            if best.0 < value {
                best = (value, *number, *point);
            }
        }
        best
    };
    let (length_sq, second, end) = most(&|p| (*p - origin).length_squared());
    if second == u32::MAX {
        return chosen;
    }
    chosen[1] = second;
    let line = end - origin;
    // Perpendicular to the line, towards the point that is farthest from it.
    let away = |p: &DVec3| (*p - origin) - line * ((*p - origin).dot(line) / length_sq);
    let (off_sq, third, far) = most(&|p| away(p).length_squared());
    // On the line, up to rounding.
    if third == u32::MAX || off_sq <= tol::OVER_FACE * tol::OVER_FACE * length_sq {
        return chosen;
    }
    chosen[2] = third;
    let side = away(&far);
    // The point that adds the most area to the triangle, beyond any of its sides.
    let corners = [origin, end, far];
    let up = line.cross(side);
    let (area, fourth, _) = most(&|p| {
        (0..3).fold(0.0_f64, |area, k| {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            area.max(-up.dot((to - from).cross(*p - from)))
        })
    });
    if tol::OVER_FACE * up.length_squared() < area {
        chosen[3] = fourth;
    }
    chosen
}
