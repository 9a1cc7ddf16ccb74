//! Trees that change between queries: parts are inserted and removed, all boxes move, parts are
//! built on demand. Searches are interrupted, too.

use crate::bvh::{boxes, check_queries, is_good};
use crate::bytes::Bytes;
use carom_bounds::{Aabb, BoundingVolume};
use carom_bvh::{
    AdaptiveBvh, AnytimeGoal, AnytimeOrder, AnytimePair, AnytimeSearch, AnytimeSettings, BuildSettings, Bvh,
    EditError, EditedBvh, LazyBvh, PartId, Until,
};
use carom_math::WidePose;
use glam::DVec3;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Runs a script on one of these trees. After each step, queries are compared with a plain list of
/// boxes.
pub fn changing(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    match bytes.byte() % 4 {
        0 => edited(&mut bytes),
        1 => watched(&mut bytes),
        2 => lazy(&mut bytes),
        _ => timed(&mut bytes),
    }
}

/// Returns more boxes than the bytes describe: a few boxes that are repeated with a shift.
fn crowd(bytes: &mut Bytes<'_>) -> Vec<Aabb> {
    let mut few = Vec::new();
    for _ in 0..1 + bytes.below(12) {
        few.extend(boxes(bytes, 1).into_iter().filter(is_good));
    }
    let (n, step) = ([1, 30, 300, 1500][bytes.below(4)], bytes.point_f32());
    let all = (0..n).filter_map(|i| {
        let (aabb, by) = (few.get(i % few.len().max(1))?, step * (i / few.len().max(1)) as f32);
        Some(Aabb { min: aabb.min + by, max: aabb.max + by })
    });
    all.filter(is_good).collect()
}

/// Returns a box for a query.
fn probe(bytes: &mut Bytes<'_>) -> Aabb {
    let (p, q) = (bytes.point_f32(), bytes.point_f32());
    Aabb { min: p.min(q), max: p.max(q) }
}

/// Checks that all boxes that overlap the probe were found.
fn none_missed<'a>(found: &BTreeSet<u32>, all: impl IntoIterator<Item = (u32, &'a Aabb)>, probe: &Aabb) {
    for (number, aabb) in all {
        assert!(found.contains(&number) || !aabb.overlaps(probe), "{probe:?} missed {number} {aabb:?}");
    }
}

fn edited(bytes: &mut Bytes<'_>) {
    let start = crowd(bytes);
    let start = &start[..start.len().min(300)];
    let mut tree = EditedBvh::build(start).unwrap();
    let mut parts: Vec<(PartId, Aabb)> =
        start.iter().enumerate().map(|(i, aabb)| (tree.part(i as u32).unwrap(), *aabb)).collect();
    let mut gone: Vec<PartId> = Vec::new();
    while !bytes.is_empty() {
        let aabb = boxes(bytes, 1)[0];
        let chosen = bytes.below(parts.len().max(1));
        match bytes.byte() % 8 {
            0..=2 => match tree.insert(aabb) {
                Ok(part) => {
                    assert!(is_good(&aabb), "{aabb:?} was taken");
                    parts.push((part, aabb));
                }
                Err(error) => assert!(!is_good(&aabb) && matches!(error, EditError::Refused(_)), "{error}"),
            },
            3 | 4 if !parts.is_empty() => {
                let (part, _) = parts.swap_remove(chosen);
                assert_eq!(tree.remove(part), Ok(()));
                gone.push(part);
            }
            5 | 6 if !parts.is_empty() => match tree.update(parts[chosen].0, aabb) {
                Ok(()) => {
                    assert!(is_good(&aabb), "{aabb:?} was taken");
                    parts[chosen].1 = aabb;
                }
                Err(error) => assert!(!is_good(&aabb) && matches!(error, EditError::Refused(_)), "{error}"),
            },
            _ => {
                if let Some(&part) = gone.get(chosen % gone.len().max(1)) {
                    assert_eq!(tree.remove(part), Err(EditError::Removed { part }));
                    assert!(tree.update(part, aabb).is_err() && tree.aabb(part).is_err());
                }
                if chosen == 0 {
                    tree.rebuild();
                }
            }
        }
        assert_eq!(tree.validate(), Ok(()));
        assert_eq!(tree.len(), parts.len());
        let probe = probe(bytes);
        let mut found = BTreeSet::new();
        tree.tree().visit_box(&probe, |leaf| {
            leaf.primitives.iter().for_each(|&p| assert!(found.insert(p), "{p} twice"));
            ControlFlow::Continue(())
        });
        none_missed(&found, parts.iter().map(|(part, aabb)| (part.number(), aabb)), &probe);
        let is_there = |number: &u32| tree.part(*number).is_some_and(|part| tree.aabb(part).is_ok());
        assert!(found.iter().all(is_there), "{found:?}");
    }
}

fn watched(bytes: &mut Bytes<'_>) {
    let mut now = crowd(bytes);
    let mut tree = AdaptiveBvh::build(&now, &BuildSettings::default()).unwrap();
    let mut n_steps = 0;
    while !bytes.is_empty() && n_steps < 24 {
        n_steps += 1;
        let mut next = now.clone();
        let n = next.len().max(1);
        // A range of boxes that move, swap places, or are replaced.
        let (from, length) = (bytes.below(256) * n / 256, 1 + bytes.below(256) * n / 256);
        let stretch = next.get_mut(from..(from + length).min(n)).unwrap_or(&mut []);
        let by = bytes.point_f32();
        match bytes.byte() % 4 {
            0 => stretch.iter_mut().for_each(|b| *b = Aabb { min: b.min + by, max: b.max + by }),
            1 if !stretch.is_empty() => {
                let k = 7 * bytes.below(37) % stretch.len();
                stretch.rotate_left(k);
            }
            2 => stretch.reverse(),
            _ => stretch.iter_mut().take(4).for_each(|b| *b = boxes(bytes, 1)[0]),
        }
        match tree.follow(&next) {
            Ok(followed) => {
                assert!(next.iter().all(is_good) && 1.0 <= followed.growth, "{followed:?}");
                let renewed = followed.renewed;
                assert!(renewed == next.len() || (!followed.rebuilt && 2 * renewed <= next.len()));
                now = next;
            }
            Err(error) => assert!(!next.iter().all(is_good), "{error}"),
        }
        check_queries(tree.tree(), &now, bytes);
    }
}

fn lazy(bytes: &mut Bytes<'_>) {
    let inserted = crowd(bytes);
    let settings = BuildSettings::default().with_max_leaf(u32::from(bytes.byte() % 10));
    let tree = LazyBvh::<Aabb>::new(inserted.clone(), &settings).unwrap();
    let numbered = || (0..).zip(&inserted);
    for _ in 0..8 {
        let probe = probe(bytes);
        let mut found = BTreeSet::new();
        tree.visit_box(&probe, |primitives| {
            primitives.iter().for_each(|&p| assert!(found.insert(p), "{p} twice"));
            ControlFlow::Continue(())
        });
        none_missed(&found, numbered(), &probe);
        let (point, limit) = (bytes.point(), bytes.float());
        let mut nearest = f64::INFINITY;
        tree.visit_near(point, limit, |primitives, bound| {
            for &p in primitives {
                nearest = nearest.min(away(&inserted[p as usize], point));
            }
            ControlFlow::Continue(bound.min(nearest))
        });
        let truth = inserted.iter().map(|aabb| away(aabb, point)).fold(f64::INFINITY, f64::min);
        if point.is_finite() && truth <= limit {
            assert_eq!(nearest, truth, "{point} within {limit}");
        }
    }
    // A part is tested with the whole, so that one tree is built further than the other.
    let few = &inserted[..inserted.len().min(40)];
    let other = LazyBvh::<Aabb>::new(few.to_vec(), &settings).unwrap();
    let pose = WidePose::from_quat(bytes.rotation(), bytes.point());
    let mut met = BTreeSet::new();
    tree.visit_leaf_pairs(&other, &pose, |a, b| {
        for &i in a {
            b.iter().for_each(|&j| assert!(met.insert((i, j)), "{i} and {j} twice"));
        }
        ControlFlow::Continue(())
    });
    for (j, b) in (0..).zip(few) {
        let inside = pose.transform_point(b.min.as_dvec3() * 0.5 + b.max.as_dvec3() * 0.5);
        for (i, a) in numbered() {
            let is_shared =
                inside.is_finite() && (a.min.as_dvec3().cmple(inside) & inside.cmple(a.max.as_dvec3())).all();
            assert!(!is_shared || met.contains(&(i, j)), "{i} {a:?} and {j} {b:?} at {pose:?}");
        }
    }
}

/// Returns the distance of a point from a box.
fn away(aabb: &Aabb, point: DVec3) -> f64 {
    point.clamp(aabb.min.as_dvec3(), aabb.max.as_dvec3()).distance(point)
}

fn timed(bytes: &mut Bytes<'_>) {
    let settings = BuildSettings::default().with_max_leaf(1 + u32::from(bytes.byte() % 4));
    let mut body = || -> Vec<Aabb> {
        let n = bytes.below(40);
        boxes(bytes, n).into_iter().filter(is_good).collect()
    };
    let (a, b) = (body(), body());
    let (tree_a, tree_b) =
        (Bvh::<Aabb>::build(&a, &settings).unwrap(), Bvh::<Aabb>::build(&b, &settings).unwrap());
    let pose = WidePose::from_quat(bytes.rotation(), bytes.point());
    if !(pose.translation.abs().max_element() <= 1e30) {
        return;
    }
    // A corner of each box represents its primitive, so that distances are simple.
    let gap = |i: u32, j: u32| {
        let there = pose.transform_point(b[j as usize].max.as_dvec3());
        a[i as usize].min.as_dvec3().distance(there)
    };
    let each = (0..a.len() as u32).flat_map(|i| (0..b.len() as u32).map(move |j| (i, j)));
    let truth = each.map(|(i, j)| gap(i, j)).fold(f64::INFINITY, f64::min);
    let room = if truth.is_finite() { truth * 1e-12 } else { 0.0 };
    let orders = [AnytimeOrder::BreadthFirst, AnytimeOrder::DepthFirst, AnytimeOrder::Priority];
    let settings = AnytimeSettings::default()
        .with_goal(AnytimeGoal::Distance)
        .with_order(orders[bytes.below(3)])
        .with_max_distance(f64::INFINITY)
        .with_max_queue([2, 20, 100_000][bytes.below(3)]);
    let mut pair =
        AnytimePair::new(&tree_a, &tree_b, &pose, |i, j, bound| Some(gap(i, j)).filter(|&d| d <= bound));
    let mut search = AnytimeSearch::default();
    search.start(1, &settings);
    let mut before = search.answer(0);
    loop {
        let run = search.run(&mut pair, Until::done().with_steps(1 + u64::from(bytes.byte()))).unwrap();
        let now = search.answer(0);
        assert!(now.lower <= truth + room && truth <= now.upper + room, "{now:?}, truth {truth}");
        assert!(before.lower <= now.lower && now.upper <= before.upper, "{now:?} after {before:?}");
        before = now;
        if run.is_done() {
            assert_eq!((now.lower, now.upper), (truth, truth), "{now:?}");
            assert_eq!(now.found, truth.is_finite().then_some(truth));
            return;
        }
    }
}
