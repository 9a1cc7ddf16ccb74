//! A tree that is edited, against a list of boxes.

use carom_bounds::{Aabb, BoundingVolume};
use carom_bvh::{BuildSettings, Bvh, BvhError, EditError, EditedBvh, PartId};
use carom_testkit::conform::bvh::{bvh, many};
use carom_testkit::conform::dice::Dice;
use core::ops::ControlFlow;
use glam::{DVec3, Vec3};
use std::collections::{BTreeMap, BTreeSet};

fn inserted(boxes: &[Aabb]) -> Result<EditedBvh, EditError> {
    let mut edited = EditedBvh::new();
    for &aabb in boxes {
        edited.insert(aabb)?;
    }
    Ok(edited)
}

#[test]
fn the_tree_answers_as_any_other() {
    bvh(|boxes| {
        let edited = inserted(boxes).map_err(|e| match e {
            EditError::Refused(error) => error,
            _ => panic!("nothing was removed"),
        })?;
        edited.validate().unwrap();
        Ok(edited.tree().clone())
    });
    // As many parts again are inserted, and removed.
    bvh(|boxes| {
        let mut edited = EditedBvh::build(boxes)?;
        let mut dice = Dice::new(3);
        let guests: Vec<PartId> =
            boxes.iter().map(|_| edited.insert(dice.aabb(20.0, 3.0)).unwrap()).collect();
        for guest in guests {
            edited.remove(guest).unwrap();
        }
        edited.validate().unwrap();
        Ok(edited.tree().clone())
    });
}

fn query(edited: &EditedBvh, probe: &Aabb) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    edited.tree().visit_box(probe, |leaf| {
        found.extend(leaf.primitives.iter().copied());
        ControlFlow::Continue(())
    });
    found
}

/// Random edits around a number of parts that rises and falls, with a check after every one.
#[test]
fn any_edits_in_any_order() {
    let steps = if std::env::var_os("CAROM_SLOW").is_some() { 200_000 } else { 4_000 };
    let mut dice = Dice::new(1);
    let mut edited = EditedBvh::new();
    let mut parts: BTreeMap<PartId, Aabb> = BTreeMap::new();
    let mut gone: Vec<PartId> = Vec::new();
    let mut kinds = [0; 4];
    for step in 0..steps {
        let any = |dice: &mut Dice, parts: &BTreeMap<PartId, Aabb>| {
            *parts.keys().nth(dice.below(parts.len())).unwrap()
        };
        // Sizes over three decades; one box in ten is always the same.
        let size = [0.01, 0.1, 1.0, 10.0][dice.below(4)];
        let aabb =
            if dice.one_in(10) { Aabb { min: Vec3::ZERO, max: Vec3::ONE } } else { dice.aabb(10.0, size) };
        let growing = (step / 700) % 2 == 0;
        let kind = if parts.is_empty() { 0 } else { [0, usize::from(!growing), 2, 3][dice.below(4)] };
        kinds[kind] += 1;
        match kind {
            0 => {
                parts.insert(edited.insert(aabb).unwrap(), aabb);
            }
            1 => {
                let part = any(&mut dice, &parts);
                edited.remove(part).unwrap();
                parts.remove(&part);
                gone.push(part);
            }
            2 => {
                let part = any(&mut dice, &parts);
                edited.update(part, aabb).unwrap();
                parts.insert(part, aabb);
            }
            _ => {
                let part = any(&mut dice, &parts);
                let step = dice.point(0.2);
                let old = parts[&part];
                let moved = Aabb { min: old.min + step, max: old.max + step };
                edited.update(part, moved).unwrap();
                parts.insert(part, moved);
            }
        }
        assert_eq!(edited.validate(), Ok(()), "step {step}");
        assert_eq!(edited.len(), parts.len());
        for (&part, &aabb) in &parts {
            assert_eq!(edited.aabb(part), Ok(aabb));
        }
        if let Some(&part) = gone.get(dice.below(gone.len())) {
            assert_eq!(edited.update(part, aabb), Err(EditError::Removed { part }));
            assert_eq!(edited.remove(part), Err(EditError::Removed { part }));
            assert_eq!(edited.aabb(part), Err(EditError::Removed { part }));
        }
        let probe = dice.aabb(10.0, 3.0);
        let found = query(&edited, &probe);
        for (part, aabb) in &parts {
            assert_eq!(edited.part(part.number()), Some(*part));
            assert!(!aabb.overlaps(&probe) || found.contains(&part.number()), "step {step}");
        }
        let point = dice.point(12.0).as_dvec3();
        let distance =
            |b: &Aabb| (b.min.as_dvec3() - point).max(point - b.max.as_dvec3()).max(DVec3::ZERO).length();
        let nearest = edited.tree().nearest(point, f64::INFINITY, |number, _| {
            edited.part(number).map(|part| distance(&parts[&part]))
        });
        let least = parts.values().map(distance).fold(f64::INFINITY, f64::min);
        assert_eq!(nearest.0.map_or(f64::INFINITY, |found| found.1), least, "step {step}");
    }
    assert!(kinds.iter().all(|&n| steps / 10 < n), "{kinds:?}");
    let all: Vec<PartId> = parts.keys().copied().collect();
    for part in all {
        edited.remove(part).unwrap();
        assert_eq!(edited.validate(), Ok(()));
    }
    assert!(edited.is_empty() && edited.tree().is_empty());
}

#[test]
fn bad_boxes_are_refused_and_change_nothing() {
    let good = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
    let nan = Aabb { min: Vec3::splat(f32::NAN), max: Vec3::ONE };
    let mut edited = EditedBvh::build(&[good]).unwrap();
    let error = EditError::Refused(BvhError::NotFinite { primitive: 1 });
    assert_eq!(edited.insert(nan), Err(error));
    let part = edited.part(0).unwrap();
    assert_eq!(
        edited.update(part, nan).map_err(|e| e.to_string()),
        Err("primitive 0 has a bound that is NaN or infinite".into())
    );
    assert_eq!((edited.len(), edited.aabb(part)), (1, Ok(good)));
    edited.validate().unwrap();
    assert_eq!(edited.part(1), None);
    assert!(EditedBvh::build(&[good, nan]).is_err());
    edited.remove(part).unwrap();
    // The number is used again, but the old handle stays invalid.
    let again = edited.insert(good).unwrap();
    assert_eq!((again.number(), again == part), (0, false));
    assert_eq!(edited.remove(part).map_err(|e| e.to_string()), Err("part 0 has been removed".into()));
}

/// Each larger box displaces the others; none of them may become deeper each time.
#[test]
fn boxes_around_boxes_do_not_make_a_chain() {
    let n = if std::env::var_os("CAROM_SLOW").is_some() { 200_000 } else { 12_000 };
    for (name, mut boxes) in [many(n).swap_remove(1), many(n).swap_remove(0)] {
        let mut edited = inserted(&boxes).unwrap();
        boxes.reverse();
        for (i, aabb) in boxes.into_iter().enumerate().step_by(3) {
            let part = edited.part(i as u32).unwrap();
            edited.remove(part).unwrap();
            edited.insert(aabb).unwrap();
            assert!(i % 999 != 0 || edited.validate().is_ok(), "{name}, {i}");
        }
        let depth = edited.tree().quality().depth;
        println!("{name}: depth {depth}");
        assert!(depth <= 4 + (n as u32).ilog2(), "{name}: {depth}");
    }
}

/// The cost of a newly built tree over the same boxes.
fn fresh(edited: &EditedBvh) -> f64 {
    let boxes: Vec<Aabb> =
        (0..).map_while(|i| edited.part(i)).map(|part| edited.aabb(part).unwrap()).collect();
    assert_eq!(boxes.len(), edited.len());
    Bvh::<Aabb>::build(&boxes, &BuildSettings::default().with_max_leaf(1)).unwrap().quality().sah_cost
}

#[test]
fn insertion_alone_keeps_trees_good_and_shallow() {
    let mut dice = Dice::new(8);
    let mut sets = many(3000);
    let cloud: Vec<Aabb> = (0..3000).map(|_| dice.aabb(10.0, 0.5)).collect();
    let mut sorted = cloud.clone();
    sorted.sort_by(|a, b| a.min.x.total_cmp(&b.min.x));
    sets.push(("a cloud", cloud));
    sets.push(("a sorted cloud", sorted));
    let mut costs = Vec::new();
    for (name, boxes) in sets {
        let edited = inserted(&boxes).unwrap();
        edited.validate().unwrap();
        let quality = edited.tree().quality();
        let fresh = fresh(&edited);
        println!(
            "{name:24} cost {:8.2}, fresh {fresh:8.2}, depth {}, {} rebuilds",
            quality.sah_cost,
            quality.depth,
            edited.rebuilds()
        );
        assert!(quality.sah_cost <= 1.5 * fresh, "{name}: {} against {fresh}", quality.sah_cost);
        assert!(quality.depth <= 4 + (boxes.len() as u32).ilog2(), "{name}: {}", quality.depth);
        costs.push(quality.sah_cost);
    }
    // The same boxes in random order and in the order of x: random order helps.
    let [.., random, sorted] = costs[..] else { panic!("two clouds") };
    assert!(1.1 * random < sorted, "{random} against {sorted}");
}
