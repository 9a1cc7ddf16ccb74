//! Worlds in which broad phases degrade, and their work in counted box tests.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1.1 (sizes and crowds in cells);
//! P. Terdiman, Sweep-and-prune, 2007 (the same on sorted axes).

use super::dice::Dice;
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter, Mobility};
use glam::Vec3;

/// The number of boxes of each world.
pub const N: usize = 20_000;

/// A world that is the worst case of some structure.
#[derive(Clone, Debug)]
pub struct World {
    /// For messages and limits; see [`worlds`].
    pub name: &'static str,
    /// Its boxes.
    pub boxes: Vec<Aabb>,
}

fn uniform() -> Vec<Aabb> {
    let mut dice = Dice::new(1);
    (0..N).map(|_| dice.aabb(24.0, 2.0)).collect()
}

/// `uniform`, which is the measure; `outlier` (three worlds); `far` from the origin (three);
/// `clusters` within clusters; `crowd`, a thousand in one place; `giants` among ants; `decades` of
/// size; `line` and `plane`; `needles` along all axes.
pub fn worlds() -> Vec<World> {
    let mut all = vec![World { name: "uniform", boxes: uniform() }];
    let mut add = |name, boxes| all.push(World { name, boxes });
    for far in [1e7, 1e20, 3e38] {
        let mut boxes = uniform();
        boxes[77] = Aabb::from_point(Vec3::new(far, -far, 0.0));
        add("outlier", boxes);
    }
    for far in [1e4, 1e6, -1e7] {
        let shift = Vec3::new(far, 0.5 * far, -far);
        let moved = |aabb: &Aabb| Aabb { min: aabb.min + shift, max: aabb.max + shift };
        add("far", uniform().iter().map(moved).collect());
    }
    let mut dice = Dice::new(2);
    // A whole cluster lies in those boxes of the others that contain the origin. These are its true
    // pairs.
    let cluster = |i: usize| {
        let scale = [1.0, 1e-3, 1e-6, 1e-9][i % 4];
        dice.aabb(20.0 * scale, 2.0 * scale)
    };
    add("clusters", (0..N).map(cluster).collect());
    let mut dice = Dice::new(3);
    let mut boxes = uniform();
    boxes[..1000].iter_mut().for_each(|aabb| *aabb = dice.aabb(0.01, 2.0));
    add("crowd", boxes);
    let mut boxes = uniform();
    for (i, aabb) in boxes[..20].iter_mut().enumerate() {
        *aabb = Aabb { min: Vec3::splat(-1e6 - i as f32), max: Vec3::splat(1e6) };
    }
    add("giants", boxes);
    let mut dice = Dice::new(4);
    // Density s^-3 from 0.1 up.
    let mut any_size = || {
        let size = 0.1 / dice.range(0.0, 1.0).max(1e-10).sqrt();
        dice.aabb(12.0, size)
    };
    add("decades", (0..N).map(|_| any_size()).collect());
    let mut dice = Dice::new(5);
    let mut cube = |x: f32, z: f32, half: f32| {
        let point = Vec3::new(dice.range(0.0, x), 0.0, dice.range(0.0, z));
        Aabb { min: point - half, max: point + half }
    };
    add("line", (0..N).map(|_| cube(1e4, 0.0, 0.25)).collect());
    add("plane", (0..N).map(|_| cube(200.0, 200.0, 0.5)).collect());
    let mut dice = Dice::new(6);
    let needle = |i: usize| {
        let mut aabb = dice.aabb(30.0, 0.1);
        aabb.max[i % 3] += 8.0;
        aabb
    };
    add("needles", (0..N).map(needle).collect());
    all
}

/// Returns the box tests of a first search, divided by boxes and pairs. If `has_statics`, every
/// third box is static.
pub fn work(broad: &mut impl BroadPhase, boxes: &[Aabb], has_statics: bool) -> f64 {
    let filter = |i: usize| {
        Filter::new(if has_statics && i.is_multiple_of(3) { Mobility::Fixed } else { Mobility::Dynamic })
    };
    let batch: Vec<_> = boxes.iter().enumerate().map(|(i, &aabb)| (aabb, filter(i))).collect();
    broad.insert_batch(&batch, &mut Vec::new()).unwrap();
    let mut pairs = Vec::new();
    broad.pairs(&mut pairs);
    let tests = broad.counters().tests;
    assert!(0 < tests);
    tests as f64 / (boxes.len() + pairs.len()) as f64
}

/// Checks that the work in every world is below its limit.
pub fn check<B: BroadPhase>(name: &str, make: impl Fn() -> B, limit: impl Fn(&str) -> f64) {
    for World { name: world, boxes } in worlds() {
        let work = work(&mut make(), &boxes, false);
        println!("{name}, {world}: {work:.1} tests per box and pair");
        assert!(work < limit(world), "{name}, {world}: {work} tests per box and pair");
    }
}

/// Checks that static boxes that all overlap are not tested against each other, with one body on
/// them.
pub fn static_ground_costs_nothing(broad: &mut impl BroadPhase) {
    let mut dice = Dice::new(6);
    let ground: Vec<_> = (0..N).map(|_| (dice.aabb(15.0, 2.0), Filter::new(Mobility::Fixed))).collect();
    broad.insert_batch(&ground, &mut Vec::new()).unwrap();
    broad.insert(dice.aabb(1.0, 2.0), Filter::default()).unwrap();
    let mut pairs = Vec::new();
    broad.pairs(&mut pairs);
    assert!(!pairs.is_empty());
    assert!(broad.counters().tests < N as u64, "{} tests", broad.counters().tests);
}
