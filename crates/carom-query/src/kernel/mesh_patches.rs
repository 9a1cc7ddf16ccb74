//! Contacts of two meshes, many, into manifolds, few.
//!
//! What was found twice is kept once. Of a corner that is in a solid the nearest face is the way out; where faces meet in a fold it has sunk
//! into, all of them are. Then patches: the deepest contact begins one, and takes all whose normals are within a few degrees; the deepest of
//! those that are left begins the next. A patch keeps the contact that it began with and three that span most.
//!
//! Reference: A. Moravanszky, P. Terdiman, Fast Contact Reduction for Dynamics Simulation, Game Programming Gems 4, 2004;
//! E. Catto, Contact Manifolds, GDC 2007.

use super::super::num::geom::{Contact, FeatureId, MAX_CONTACTS, Manifold};
use super::super::num::{Real, narrow, narrow_real};
use crate::workspace::{ContactMemory, Facing, MeshContact};
use alloc::vec::Vec;
use carom_math::tol;
use glam::DVec3;

/// Appends the manifolds of these contacts, in the order of their parts.
pub(super) fn push_patches(memory: &mut ContactMemory, prediction: Real, out: &mut Vec<Manifold>) {
    let first = out.len();
    let ContactMemory { found, order, normals, patches, points } = memory;
    keep_once(found);
    keep_ways_out(found, |c| c.feature_a, Facing::CornerOfA);
    keep_ways_out(found, |c| c.feature_b, Facing::CornerOfB);
    found.sort_unstable_by(|x, y| x.distance.total_cmp(&y.distance).then(key(x).cmp(&key(y))));
    normals.clear();
    patches.clear();
    for contact in found.iter() {
        let like = normals.iter().position(|n| tol::PATCH_COSINE <= n.dot(contact.normal));
        patches.push(like.unwrap_or(normals.len()) as u32);
        if like.is_none() {
            normals.push(contact.normal);
        }
    }
    order.clear();
    order.extend(0..found.len() as u32);
    // Within a patch the order by depth stays.
    order.sort_unstable_by_key(|&i| (patches[i as usize], i));
    for patch in order.chunk_by(|&i, &j| patches[i as usize] == patches[j as usize]) {
        let normal = normals[patches[patch[0] as usize] as usize];
        points.clear();
        for &i in patch {
            let contact = &found[i as usize];
            points.push((normal.dot(contact.point_b - contact.point_a), contact.point_a, i));
        }
        let mut chosen = spread(points);
        chosen.sort_unstable_by_key(|&i| found.get(i as usize).map(key));
        let mut manifold = Manifold::new(narrow(normal));
        for &i in &chosen {
            let Some(c) = found.get(i as usize) else { continue };
            let distance = narrow_real(normal.dot(c.point_b - c.point_a));
            if !(distance <= prediction) {
                continue;
            }
            let contact = Contact::new(narrow(c.point_a), narrow(c.point_b), narrow(normal), distance);
            let contact = contact.with_parts(c.part_a, c.part_b);
            manifold.push(contact.with_features(c.feature_a, c.feature_b));
        }
        if !manifold.is_empty() {
            out.push(manifold);
        }
    }
    out[first..].sort_unstable_by_key(|m| {
        m.contacts().first().map(|c| (c.part_a, c.part_b, c.feature_a, c.feature_b))
    });
}

fn key(c: &MeshContact) -> (FeatureId, FeatureId, Facing) {
    (c.feature_a, c.feature_b, c.facing)
}

/// The same features meet once; of a corner over several triangles of one facet the first counts.
fn keep_once(found: &mut Vec<MeshContact>) {
    found.sort_unstable_by(|x, y| {
        let parts = |c: &MeshContact| (c.part_a, c.part_b);
        let all = |c: &MeshContact| (key(c), c.is_beyond, parts(c));
        all(x).cmp(&all(y)).then(x.distance.total_cmp(&y.distance))
    });
    found.dedup_by(|later, earlier| key(later) == key(earlier) && 0.0 < later.normal.dot(earlier.normal));
}

/// Of the faces that a corner is deep under, the nearest that it is truly under; all it is beyond, if there is none.
fn keep_ways_out(found: &mut Vec<MeshContact>, corner: impl Fn(&MeshContact) -> FeatureId, facing: Facing) {
    let is_deep = |c: &MeshContact| c.facing == facing && c.distance < 0.0;
    found.sort_unstable_by(|x, y| {
        let rank = |c: &MeshContact| (!is_deep(c), corner(c), c.is_beyond);
        rank(x).cmp(&rank(y)).then(y.distance.total_cmp(&x.distance)).then(key(x).cmp(&key(y)))
    });
    let mut last: Option<(FeatureId, bool)> = None;
    found.retain(|c| {
        if !is_deep(c) {
            return true;
        }
        match last {
            Some((vertex, is_beyond)) if vertex == corner(c) => is_beyond,
            _ => {
                last = Some((corner(c), c.is_beyond));
                true
            }
        }
    });
}

/// Up to four of the points, by their numbers: the first, the one farthest from it, and the farthest from their line on
/// either side. Free places are `u32::MAX`.
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
    // Across the line, towards the point that is farthest from it.
    let away = |p: &DVec3| (*p - origin) - line * ((*p - origin).dot(line) / length_sq);
    let (off_sq, third, far) = most(&|p| away(p).length_squared());
    // On the line but for rounding.
    if third == u32::MAX || off_sq <= tol::OVER_FACE * tol::OVER_FACE * length_sq {
        return chosen;
    }
    chosen[2] = third;
    let side = away(&far);
    // The corner that adds most to the triangle, beyond any of its sides.
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
