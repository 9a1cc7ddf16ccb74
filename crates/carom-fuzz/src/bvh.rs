//! Trees of volumes: a query finds all boxes that it touches.

use crate::bytes::Bytes;
use carom_bounds::{Aabb, BoundingVolume, Obb, Sphere};
use carom_bvh::{BuildQuality, BuildSettings, Bvh, BvhError, MAX_COORDINATE, TreeVolume, visit_pairs};
use carom_math::WidePose;
use glam::DVec3;
use std::ops::ControlFlow;

/// A tree is refused with the index of the first bad box, or its queries miss nothing, before and
/// after a refit.
pub fn bvh(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    match bytes.byte() % 4 {
        0 => drop(check::<Obb>(&mut bytes)),
        1 => drop(check::<Sphere>(&mut bytes)),
        _ => {
            let (tree, inserted) = check::<Aabb>(&mut bytes);
            refit(tree, &inserted, &mut bytes);
        }
    }
}

/// Refits a tree to other boxes for the same primitives. A refused refit changes nothing.
fn refit(mut tree: Bvh, inserted: &[Aabb], bytes: &mut Bytes<'_>) {
    let moved = boxes(bytes, inserted.len());
    match tree.refit(&moved) {
        Ok(()) => check_query_list(&tree, &moved, bytes),
        Err(_) => {
            assert!(!moved.iter().all(is_good));
            check_query_list(&tree, inserted, bytes);
        }
    }
    assert!(tree.refit(&inserted[..inserted.len() / 2]).is_err() || inserted.is_empty());
}

/// Returns boxes, some of which no tree accepts.
pub(crate) fn boxes(bytes: &mut Bytes<'_>, n: usize) -> Vec<Aabb> {
    (0..n)
        .map(|_| {
            let min = bytes.point_f32();
            match bytes.byte() % 16 {
                0 => Aabb { min, max: bytes.point_f32() },
                1..=4 => Aabb { min, max: min },
                _ => Aabb { min, max: min + bytes.sizes().as_vec3() },
            }
        })
        .collect()
}

/// Whether a tree accepts the box.
pub(crate) fn is_good(aabb: &Aabb) -> bool {
    aabb.check().is_ok() && aabb.min.abs().max(aabb.max.abs()).max_element() <= MAX_COORDINATE
}

fn check<V: TreeVolume>(bytes: &mut Bytes<'_>) -> (Bvh<V>, Vec<Aabb>) {
    let n = bytes.below(80);
    let quality = [BuildQuality::default(), BuildQuality::Fast][bytes.below(2)];
    let settings = BuildSettings::default().with_quality(quality).with_max_leaf(u32::from(bytes.byte() % 10));
    let mut inserted = boxes(bytes, n);
    let tree = match Bvh::<V>::build(&inserted, &settings) {
        Ok(tree) => tree,
        Err(
            BvhError::NotFinite { primitive }
            | BvhError::Inverted { primitive }
            | BvhError::TooLarge { primitive },
        ) => {
            assert!(!is_good(&inserted[primitive]), "{primitive} {:?}", inserted[primitive]);
            assert!(inserted[..primitive].iter().all(is_good), "{primitive} is not the first");
            inserted.retain(is_good);
            Bvh::build(&inserted, &settings).unwrap()
        }
        Err(error) => panic!("{error:?}"),
    };
    check_query_list(&tree, &inserted, bytes);
    (tree, inserted)
}

fn check_query_list<V: TreeVolume>(tree: &Bvh<V>, boxes: &[Aabb], bytes: &mut Bytes<'_>) {
    check_queries(tree, boxes, bytes);
    query_pairs(tree, boxes, bytes);
}

/// Queries the boxes that touch a box, those on a ray, and the one nearest to a point.
pub(crate) fn check_queries<V: TreeVolume>(tree: &Bvh<V>, boxes: &[Aabb], bytes: &mut Bytes<'_>) {
    assert_eq!(tree.validate(boxes), Ok(()));
    assert_eq!(tree.len(), boxes.len());
    let (p, q) = (bytes.point_f32(), bytes.point_f32());
    let query = Aabb { min: p.min(q), max: p.max(q) };
    let mut is_found = vec![false; boxes.len()];
    tree.visit_box(&query, |leaf| {
        leaf.primitives.iter().for_each(|&p| is_found[p as usize] = true);
        ControlFlow::Continue(())
    });
    for (i, aabb) in boxes.iter().enumerate() {
        let is_missed = !p.is_nan() && !q.is_nan() && !is_found[i] && aabb.overlaps(&query);
        assert!(!is_missed, "{query:?} missed {i} {aabb:?}");
    }
    // A ray that is aimed at a corner of a box meets that box.
    if let Some(target) = boxes.get(bytes.below(boxes.len().max(1))) {
        let from = bytes.point_f32().as_dvec3();
        let aim = if bytes.byte().is_multiple_of(2) { target.min } else { target.max };
        let direction = aim.as_dvec3() - from;
        if direction.is_finite() && direction != DVec3::ZERO && aim.as_dvec3() - direction == from {
            let mut is_found = vec![false; boxes.len()];
            tree.visit_ray(from, direction, 0.0, 2.0, |leaf, _| {
                leaf.primitives.iter().for_each(|&p| is_found[p as usize] = true);
                ControlFlow::Continue(2.0)
            });
            for (i, aabb) in boxes.iter().enumerate() {
                assert!(is_found[i] || !aabb.contains_point(aim), "from {from} to {aim} missed {i} {aabb:?}");
            }
        }
    }
    // The nearest box, by its distance in f64.
    let point = bytes.point();
    let gap = |aabb: &Aabb| {
        let p = point.clamp(aabb.min.as_dvec3(), aabb.max.as_dvec3());
        p.distance(point)
    };
    let limit = bytes.float();
    let (nearest, _) = tree.nearest(point, limit, |primitive, bound| {
        let d = gap(&boxes[primitive as usize]);
        (d < bound).then_some(d)
    });
    if point.is_finite() && 0.0 <= limit {
        let expected = boxes
            .iter()
            .enumerate()
            .map(|(i, aabb)| (i as u32, gap(aabb)))
            // An infinite distance is within no bound.
            .filter(|(_, d)| *d <= limit && *d < f64::INFINITY)
            .min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        assert_eq!(nearest, expected, "{point} within {limit}");
    } else {
        assert_eq!(nearest, None);
    }
}

/// Queries the pairs of the tree with itself, at another pose and in place.
fn query_pairs<V: TreeVolume>(tree: &Bvh<V>, boxes: &[Aabb], bytes: &mut Bytes<'_>) {
    let pose = WidePose::from_quat(bytes.rotation(), bytes.point());
    let mut pairs = std::collections::HashSet::new();
    visit_pairs(tree, tree, &pose, |a, b| {
        pairs.insert((a, b));
        ControlFlow::Continue(())
    });
    let mut own = std::collections::HashSet::new();
    tree.visit_self_pairs(|a, b| {
        assert!(own.insert((a.min(b), a.max(b))), "{a} {b} twice");
        ControlFlow::Continue(())
    });
    let middle = |aabb: &Aabb| aabb.min.as_dvec3() * 0.5 + aabb.max.as_dvec3() * 0.5;
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in boxes.iter().enumerate() {
            let inside = pose.transform_point(middle(b));
            let is_shared =
                inside.is_finite() && (a.min.as_dvec3().cmple(inside) & inside.cmple(a.max.as_dvec3())).all();
            assert!(!is_shared || pairs.contains(&(i as u32, j as u32)), "{i} {a:?} {j} {b:?} {pose:?}");
            assert!(i >= j || !a.overlaps(b) || own.contains(&(i as u32, j as u32)), "{i} {a:?} {j} {b:?}");
        }
    }
}
