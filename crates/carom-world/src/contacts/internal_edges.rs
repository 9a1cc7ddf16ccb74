//! Smooths internal edges: contacts with edges inside a floor of many pieces become those of the
//! floor.
//!
//! Contacts of a moving body with all its pieces of floor are taken together. Only pieces that
//! contacts do not move count, so piles cost nothing. A body is left as it is if all of its
//! contacts were kept from the last detection: they were smoothed when they were found. Bodies are
//! processed in the order of their numbers, on one thread.
//!
//! Reference: [`carom_query::smooth_internal_edges`].

use crate::contacts::record::Record;
use crate::contacts::scene::Scene;
use alloc::vec::Vec;
use carom_geom::Manifold;
use carom_query::{Neighbour, smooth_internal_edges};
use carom_response::BodyKind;

/// A piece that stands out of the floor by less than this part of the slop is no step.
const MAX_STEP_RATIO: f32 = 0.25;

/// A moving body in contact with something that contacts do not move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resting {
    pub(crate) body: u32,
    /// The number of the record of their pair.
    pub(crate) record: u32,
    /// Its contacts were found in this detection, not kept from the last one.
    pub(crate) is_found_anew: bool,
}

/// Smooths the contacts of the bodies in `resting`. Returns how many manifolds became empty and
/// were removed. Records refer to their manifolds before and after.
pub(crate) fn smooth(
    scene: &Scene<'_>,
    records: &mut [Record],
    found: &mut [Manifold],
    mut resting: Vec<Resting>,
) -> usize {
    resting.sort_unstable_by_key(|rest| (rest.body, rest.record));
    let mut has_gone = false;
    let mut neighbours: Vec<Neighbour<'_>> = Vec::new();
    for group in resting.chunk_by(|x, y| x.body == y.body) {
        let body = group[0].body as usize;
        let Some(shape) = scene.solids.whole(body) else { continue };
        let of_group = || group.iter().map(|rest| rest.record as usize);
        let first = &records[group[0].record as usize];
        if !group.iter().any(|rest| rest.is_found_anew)
            || !of_group().any(|record| differ(found, &records[record], first))
        {
            continue;
        }
        neighbours.clear();
        let mut prediction = 0.0_f32;
        for record in of_group() {
            let record = &records[record];
            let (a, b) = (record.a.index as usize, record.b.index as usize);
            let other = if a == body { b } else { a };
            let Some(shape) = scene.solids.whole(other) else { continue };
            neighbours.push(Neighbour::new(shape, &scene.bodies[other].pose, other == a, record.range()));
            prediction = prediction.max(scene.reach(a, b));
        }
        let pose = &scene.bodies[body].pose;
        if smooth_internal_edges(shape, pose, &neighbours, found, prediction, MAX_STEP_RATIO * scene.slop)
            == 0
        {
            continue;
        }
        for record in of_group() {
            let record = &mut records[record];
            let manifolds = &found[record.range()];
            has_gone |= manifolds.iter().any(Manifold::is_empty);
            record.is_touching = manifolds.iter().any(|manifold| scene.touches(manifold));
        }
    }
    if !has_gone {
        return 0;
    }
    let mut n_gone = 0;
    for record in records {
        let own = &mut found[record.range()];
        let mut n = 0;
        for k in 0..own.len() {
            if !own[k].is_empty() {
                own.swap(n, k);
                n += 1;
            }
        }
        n_gone += own.len() - n;
        record.n = n as u32;
    }
    n_gone
}

/// Returns the moving body of a record, if contacts do not move the other one.
pub(crate) fn resting_body(scene: &Scene<'_>, record: &Record) -> Option<u32> {
    let (a, b) = (record.a.index, record.b.index);
    if record.n == 0 || record.is_sensor || record.is_deferred {
        return None;
    }
    let is_dynamic = |body: u32| scene.bodies[body as usize].kind == BodyKind::Dynamic;
    let is_moving = |body: u32| is_dynamic(body) && !scene.bodies[body as usize].is_sleeping;
    if is_moving(a) && !is_dynamic(b) {
        Some(a)
    } else if is_moving(b) && !is_dynamic(a) {
        Some(b)
    } else {
        None
    }
}

/// Whether a manifold of `record` has another normal than the first one of `first`, both seen from
/// A.
fn differ(found: &[Manifold], record: &Record, first: &Record) -> bool {
    let normal = found[first.range()].first().map(Manifold::normal);
    let is_turned = |manifold: &Manifold| {
        normal.is_some_and(|normal| !(manifold.normal() - normal).abs().max_element().le(&0.0))
    };
    found[record.range()].iter().any(is_turned)
}
