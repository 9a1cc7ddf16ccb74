//! The contract of every broad phase: random scripts, compared with brute force after every step.

use super::dice::Dice;
use crate::oracle::pairs::touching;
use alloc::collections::BTreeSet;
use carom_bounds::{Aabb, BoundsError};
use carom_broad::{BroadPhase, BroadPhaseError, Filter, Groups, Mobility, Pair, ProxyId};
use glam::Vec3;

/// Runs the whole suite. Panics at the first difference, with the script and the step.
pub fn check<B: BroadPhase>(make: impl Fn() -> B) {
    check_at_scales(|_| make());
}

/// Does the same as [`check`] for a structure whose settings depend on the world's scale.
/// `make_for` gets the factor by which the world is larger than usual.
pub fn check_at_scales<B: BroadPhase>(make_for: impl Fn(f32) -> B) {
    let make = || make_for(1.0);
    for (number, script) in scripts().iter().enumerate() {
        run(&mut make(), script, 0xca40 + number as u64);
    }
    errors_leave_it_unharmed(&mut make());
    reused_index_is_another_body(&mut make());
    pair_filter_is_obeyed(&mut make());
    extreme_boxes(&mut make());
    scaling_changes_nothing(&make_for);
}

/// A kind of world and its motion.
#[derive(Clone, Copy, Debug)]
pub struct Script {
    /// For messages.
    pub name: &'static str,
    /// Boxes at the start.
    pub n: usize,
    /// Half the side of the world.
    pub world: f32,
    /// Extents up to this.
    pub size: f32,
    /// Sizes are multiplied by powers of two up to 2^this; large ones are rare.
    pub doublings: usize,
    /// The spacing of a grid to which boxes snap, so that they touch exactly; 0 for none.
    pub grid: f32,
    /// The length of a usual move.
    pub step: f32,
    /// One box in this many is moved in a frame.
    pub one_moves_in: usize,
    /// One move in this many is a teleport; 0 for none.
    pub one_jumps_in: usize,
    /// The number of random insertions and removals in a frame, at most.
    pub churn: usize,
    /// One in this many is static; 0 for none.
    pub one_static_in: usize,
    /// Random groups.
    pub groups: bool,
    /// Frames.
    pub frames: usize,
}

/// A calm world; the scripts vary it.
pub const CALM: Script = Script {
    name: "calm",
    n: 400,
    world: 8.0,
    size: 2.0,
    doublings: 0,
    grid: 0.0,
    step: 0.02,
    one_moves_in: 1,
    one_jumps_in: 0,
    churn: 0,
    one_static_in: 0,
    groups: false,
    frames: 40,
};

/// The scripts of the suite.
pub fn scripts() -> Vec<Script> {
    vec![
        CALM,
        Script { name: "few move", one_moves_in: 10, ..CALM },
        Script { name: "jump", one_jumps_in: 1, frames: 12, ..CALM },
        Script { name: "some fast", n: 600, one_jumps_in: 40, ..CALM },
        Script { name: "many fast", one_jumps_in: 8, ..CALM },
        Script { name: "fast, then not", step: 1.0, one_jumps_in: 300, ..CALM },
        Script { name: "churn", churn: 40, one_jumps_in: 50, ..CALM },
        Script { name: "touching", grid: 0.5, step: 0.5, one_moves_in: 4, churn: 5, ..CALM },
        Script { name: "rest", step: 0.0, churn: 3, ..CALM },
        Script { name: "one place", n: 120, world: 0.1, churn: 8, frames: 15, ..CALM },
        Script { name: "same point", n: 70, world: 0.0, size: 0.0, churn: 4, frames: 8, step: 0.0, ..CALM },
        Script { name: "sizes", doublings: 12, world: 60.0, churn: 5, one_jumps_in: 100, ..CALM },
        Script { name: "static", one_static_in: 2, churn: 5, one_moves_in: 3, ..CALM },
        Script { name: "groups", groups: true, one_static_in: 3, churn: 10, one_jumps_in: 60, ..CALM },
        Script { name: "few boxes", n: 12, churn: 6, world: 2.0, one_jumps_in: 10, frames: 80, ..CALM },
        Script { name: "flat world", grid: 0.25, doublings: 6, world: 20.0, step: 0.25, ..CALM },
    ]
}

/// The model: what the structure should hold.
struct Model {
    slots: Vec<Option<(Aabb, Filter, ProxyId)>>,
    free: Vec<u32>,
    stale: Vec<ProxyId>,
    reported: BTreeSet<(Pair, u32, u32)>,
}

impl Model {
    fn new() -> Model {
        Model { slots: Vec::new(), free: Vec::new(), stale: Vec::new(), reported: BTreeSet::new() }
    }

    /// Records an insertion, and checks the rule of indices for the returned handle.
    fn insert(&mut self, id: ProxyId, aabb: Aabb, filter: Filter) {
        let expected = self.free.pop().unwrap_or(self.slots.len() as u32);
        assert_eq!(id.index(), expected, "the index freed last, else the next");
        if id.index() as usize == self.slots.len() {
            self.slots.push(None);
        }
        self.slots[id.index() as usize] = Some((aabb, filter, id));
    }

    fn remove(&mut self, id: ProxyId) {
        self.slots[id.index() as usize] = None;
        self.free.push(id.index());
        self.stale.push(id);
    }

    fn live(&self) -> Vec<ProxyId> {
        self.slots.iter().flatten().map(|&(_, _, id)| id).collect()
    }

    fn pairs(&self) -> Vec<Pair> {
        let boxes: Vec<_> =
            self.slots.iter().map(|slot| slot.map(|(aabb, filter, _)| (aabb, filter))).collect();
        touching(&boxes)
    }

    /// Compares the answers to all queries.
    fn compare<B: BroadPhase>(&mut self, broad: &mut B, with_events: bool, what: &dyn Fn() -> String) {
        if let Err(message) = broad.validate() {
            panic!("{}: before the search: {message}", what());
        }
        let expected = self.pairs();
        let mut pairs = vec![Pair { a: 7, b: 9 }];
        broad.pairs(&mut pairs);
        if pairs != expected {
            let (got, want): (BTreeSet<_>, BTreeSet<_>) = (pairs.iter().collect(), expected.iter().collect());
            let missed: Vec<_> = want.difference(&got).take(5).collect();
            let invented: Vec<_> = got.difference(&want).take(5).collect();
            let n_repeated = pairs.len() - got.len();
            panic!(
                "{}: {} pairs for {}; missed {missed:?}, invented {invented:?}, {n_repeated} repeated; if all of \
                 these are none, out of order",
                what(),
                pairs.len(),
                expected.len()
            );
        }
        if let Err(message) = broad.validate() {
            panic!("{}: after the search: {message}", what());
        }
        assert_eq!(broad.len(), self.live().len(), "{}", what());
        assert_eq!(broad.counters().pairs, expected.len() as u64, "{}", what());
        if with_events {
            let lives = |pair: &Pair| {
                let life = |index: u32| self.slots[index as usize].map_or(0, |(_, _, id)| id.generation());
                (*pair, life(pair.a), life(pair.b))
            };
            let current: BTreeSet<_> = expected.iter().map(lives).collect();
            let only = |from: &BTreeSet<_>, without: &BTreeSet<_>| -> Vec<Pair> {
                from.difference(without).map(|&(pair, _, _)| pair).collect()
            };
            let (mut begun, mut ended) = (pairs.clone(), pairs);
            broad.events(&mut begun, &mut ended);
            assert_eq!(begun, only(&current, &self.reported), "{}: begun", what());
            assert_eq!(ended, only(&self.reported, &current), "{}: ended", what());
            self.reported = current;
        }
    }
}

fn snap(x: Vec3, grid: f32) -> Vec3 {
    if grid == 0.0 { x } else { (x / grid).round() * grid }
}

fn random_box(script: &Script, dice: &mut Dice) -> Aabb {
    let mut size = script.size;
    for _ in 0..script.doublings {
        if !dice.one_in(2) {
            break;
        }
        size *= 2.0;
    }
    let aabb = dice.aabb(script.world, size);
    Aabb { min: snap(aabb.min, script.grid), max: snap(aabb.max, script.grid) }
}

fn random_filter(script: &Script, dice: &mut Dice) -> Filter {
    let is_static = script.one_static_in != 0 && dice.one_in(script.one_static_in);
    let mobility = match (is_static, dice.one_in(5)) {
        (true, _) => Mobility::Fixed,
        (false, true) => Mobility::Kinematic,
        (false, false) => Mobility::Dynamic,
    };
    let filter = Filter::new(mobility);
    if !script.groups {
        return filter;
    }
    let membership = Groups::from_bits_retain(dice.bits() as u32 & 7);
    filter.with_groups(membership, Groups::from_bits_retain(dice.bits() as u32 | !7))
}

/// Runs one script and compares after every step.
pub fn run<B: BroadPhase>(broad: &mut B, script: &Script, seed: u64) {
    let mut dice = Dice::new(seed);
    let mut model = Model::new();
    let boxes: Vec<_> =
        (0..script.n).map(|_| (random_box(script, &mut dice), random_filter(script, &mut dice))).collect();
    let mut ids = Vec::new();
    broad.insert_batch(&boxes, &mut ids).unwrap();
    for (&id, &(aabb, filter)) in ids.iter().zip(&boxes) {
        model.insert(id, aabb, filter);
    }
    let mut n_pairs = 0;
    for frame in 0..script.frames {
        let what = || format!("script {:?}, seed {seed}, frame {frame}", script.name);
        model.compare(broad, frame % 3 != 1, &what);
        n_pairs += broad.counters().pairs;

        let mut moves = Vec::new();
        for id in model.live() {
            if !dice.one_in(script.one_moves_in) {
                continue;
            }
            let aabb = if script.one_jumps_in != 0 && dice.one_in(script.one_jumps_in) {
                random_box(script, &mut dice)
            } else {
                let (old, _, _) = model.slots[id.index() as usize].unwrap();
                let step = snap(dice.point(1.0) * script.step, script.grid);
                Aabb { min: old.min + step, max: old.max + step }
            };
            moves.push((id, aabb));
            if dice.one_in(50) {
                // A box that is moved twice in one batch: the last move counts.
                moves.push((id, random_box(script, &mut dice)));
            }
        }
        // In one batch, or in two.
        let (first, second) = moves.split_at(if dice.one_in(3) { dice.below(moves.len()) } else { 0 });
        for batch in [first, second] {
            broad.update(batch).unwrap();
            for (id, aabb) in batch {
                if let Some(slot) = &mut model.slots[id.index() as usize] {
                    slot.0 = *aabb;
                }
            }
        }
        if 0 < script.churn {
            churn(broad, &mut model, script, &mut dice);
        }
        if script.groups && dice.one_in(2) {
            for id in model.live() {
                if dice.one_in(20) {
                    let filter = random_filter(script, &mut dice);
                    broad.set_filter(id, filter).unwrap();
                    if let Some(slot) = &mut model.slots[id.index() as usize] {
                        slot.1 = filter;
                    }
                }
            }
        }
        if dice.one_in(4) {
            broad.refresh();
        }
        if dice.one_in(9) {
            // Another structure of the same kind continues from this state.
            let contents = broad.take_state();
            assert!(broad.is_empty() && broad.id_at(0).is_none());
            broad.take_over(contents);
        }
        match frame {
            // In the middle everything is removed and inserted again.
            _ if frame == script.frames / 2 => {
                let live = model.live();
                broad.remove_batch(&live).unwrap();
                live.into_iter().for_each(|id| model.remove(id));
                model.compare(broad, true, &what);
                ids.clear();
                broad.insert_batch(&boxes, &mut ids).unwrap();
                for (&id, &(aabb, filter)) in ids.iter().zip(&boxes) {
                    model.insert(id, aabb, filter);
                }
            }
            // Half is removed at once.
            _ if frame == script.frames * 3 / 4 => {
                let half: Vec<_> = model.live().into_iter().filter(|id| id.index() % 2 == 0).collect();
                broad.remove_batch(&half).unwrap();
                half.into_iter().for_each(|id| model.remove(id));
            }
            _ => {}
        }
    }
    assert!(0 < n_pairs, "script {:?} tests nothing", script.name);
}

/// Removes some boxes and inserts others, one by one. Stale handles must be refused.
fn churn<B: BroadPhase>(broad: &mut B, model: &mut Model, script: &Script, dice: &mut Dice) {
    for _ in 0..dice.below(script.churn + 1) {
        let live = model.live();
        if let Some(&id) = live.get(dice.below(live.len())) {
            broad.remove(id).unwrap();
            model.remove(id);
        }
    }
    for _ in 0..dice.below(script.churn + 1) {
        let (aabb, filter) = (random_box(script, dice), random_filter(script, dice));
        let id = broad.insert(aabb, filter).unwrap();
        model.insert(id, aabb, filter);
    }
    if let Some(&stale) = model.stale.get(dice.below(model.stale.len())) {
        assert_eq!(broad.remove(stale), Err(BroadPhaseError::Stale { position: 0, id: stale }));
        assert!(broad.aabb(stale).is_err());
        assert!(broad.set_filter(stale, Filter::default()).is_err());
    }
}

fn cube(x: f32, y: f32, z: f32, side: f32) -> Aabb {
    Aabb { min: Vec3::new(x, y, z), max: Vec3::new(x + side, y + side, z + side) }
}

/// Bad boxes and bad handles, alone and in batches, give a typed error with the first offender. The
/// structure stays as it was.
fn errors_leave_it_unharmed<B: BroadPhase>(broad: &mut B) {
    let good = |i: usize| cube(0.7 * i as f32, 0.0, 0.0, 1.0);
    let mut model = Model::new();
    for i in 0..100 {
        let id = broad.insert(good(i), Filter::default()).unwrap();
        model.insert(id, good(i), Filter::default());
    }
    let stale = model.live()[50];
    broad.remove(stale).unwrap();
    model.remove(stale);
    let live = model.live();
    let what = || String::from("errors");
    model.compare(broad, true, &what);

    let with = |axis: usize, is_max: bool, value: f32| {
        let mut aabb = good(3);
        if is_max {
            aabb.max[axis] = value;
        } else {
            aabb.min[axis] = value;
        }
        aabb
    };
    for axis in 0..3 {
        let not_finite = BoundsError::NotFinite { axis };
        let cases = [
            (with(axis, false, f32::NAN), not_finite),
            (with(axis, true, f32::NAN), not_finite),
            (with(axis, false, f32::NEG_INFINITY), not_finite),
            (with(axis, true, f32::INFINITY), not_finite),
            (with(axis, false, f32::INFINITY), not_finite),
            (with(axis, true, f32::NEG_INFINITY), not_finite),
            (with(axis, false, 1e9), BoundsError::Inverted { axis }),
        ];
        for (bad, error) in cases {
            let at = |position| Err(BroadPhaseError::Box { position, error });
            assert_eq!(broad.insert(bad, Filter::default()), at(0).map(|()| live[0]));
            let batch =
                [(good(0), Filter::default()), (good(1), Filter::default()), (bad, Filter::default())];
            let mut ids = Vec::new();
            assert_eq!(broad.insert_batch(&batch, &mut ids), at(2));
            assert!(ids.is_empty(), "a refused batch gives no handles");
            assert_eq!(broad.update(&[(live[0], good(90)), (live[1], bad), (live[2], bad)]), at(1));
            model.compare(broad, true, &what);
        }
    }
    let refused = |position| Err(BroadPhaseError::Stale { position, id: stale });
    assert_eq!(broad.update(&[(live[0], good(90)), (stale, good(1))]), refused(1));
    assert_eq!(broad.remove_batch(&[live[0], live[1], stale]), refused(2));
    let twice = Err(BroadPhaseError::Stale { position: 2, id: live[4] });
    assert_eq!(broad.remove_batch(&[live[4], live[5], live[4]]), twice, "removed twice in one batch");
    assert_eq!(broad.set_filter(stale, Filter::default()), refused(0));
    assert_eq!(broad.aabb(stale).map(|_| ()), refused(0));
    model.compare(broad, true, &what);
    assert_eq!(broad.aabb(live[4]), Ok(good(4)));
    assert_eq!(broad.id_at(live[4].index()), Some(live[4]));
    assert_eq!(broad.id_at(stale.index()), None);
}

/// When another body reuses an index, the pairs of the old body end and its own begin.
fn reused_index_is_another_body<B: BroadPhase>(broad: &mut B) {
    let (mut begun, mut ended) = (Vec::new(), Vec::new());
    let a = broad.insert(cube(0.0, 0.0, 0.0, 1.0), Filter::default()).unwrap();
    let b = broad.insert(cube(0.5, 0.0, 0.0, 1.0), Filter::default()).unwrap();
    broad.events(&mut begun, &mut ended);
    broad.remove(b).unwrap();
    let c = broad.insert(cube(0.25, 0.0, 0.0, 1.0), Filter::default()).unwrap();
    assert_eq!(c.index(), b.index());
    assert_ne!(c, b);
    broad.events(&mut begun, &mut ended);
    let pair = Pair::new(a.index(), c.index());
    assert_eq!((begun, ended), (vec![pair], vec![pair]));
}

/// The caller's own filter, set and cleared.
fn pair_filter_is_obeyed<B: BroadPhase>(broad: &mut B) {
    let mut dice = Dice::new(1);
    let boxes: Vec<_> = (0..200).map(|_| (dice.aabb(4.0, 2.0), Filter::default())).collect();
    broad.insert_batch(&boxes, &mut Vec::new()).unwrap();
    let (mut all, mut even) = (Vec::new(), Vec::new());
    broad.pairs(&mut all);
    broad.set_pair_filter(Some(Box::new(|pair: Pair| (pair.a + pair.b).is_multiple_of(2))));
    broad.pairs(&mut even);
    let expected: Vec<_> = all.iter().copied().filter(|pair| (pair.a + pair.b).is_multiple_of(2)).collect();
    assert!(!even.is_empty() && even.len() < all.len());
    assert_eq!(even, expected);
    broad.set_pair_filter(None);
    broad.pairs(&mut even);
    assert_eq!(even, all);
}

/// The largest, the smallest and the farthest boxes of `f32`, among ordinary ones.
fn extreme_boxes<B: BroadPhase>(broad: &mut B) {
    let mut dice = Dice::new(2);
    let mut model = Model::new();
    let big = Vec3::splat(f32::MAX);
    let tiny = Vec3::splat(f32::from_bits(1));
    let mut boxes = vec![
        Aabb { min: -big, max: big },
        Aabb { min: -big, max: Vec3::new(f32::MAX, 0.0, f32::MAX) },
        Aabb { min: big, max: big },
        Aabb { min: -big, max: -big },
        Aabb { min: Vec3::ZERO, max: Vec3::ZERO },
        // From 0 to -0, which is not below it.
        Aabb { min: Vec3::ZERO, max: -Vec3::ZERO },
        Aabb { min: -tiny, max: tiny },
        Aabb { min: Vec3::ZERO, max: Vec3::new(1e30, 0.0, 0.0) },
        Aabb { min: Vec3::splat(1e7), max: Vec3::splat(1e7 + 1.0) },
    ];
    boxes.extend((0..200).map(|_| dice.aabb(5.0, 1.0)));
    // A crowd within a crowd within a crowd.
    for scale in [1e-3, 1e-6, 1e-9] {
        boxes.extend((0..150).map(|_| dice.aabb(scale, scale * 0.3)));
    }
    let batch: Vec<_> = boxes.iter().map(|&aabb| (aabb, Filter::default())).collect();
    let mut ids = Vec::new();
    broad.insert_batch(&batch, &mut ids).unwrap();
    for (&id, &(aabb, filter)) in ids.iter().zip(&batch) {
        model.insert(id, aabb, filter);
    }
    for frame in 0..10 {
        let what = || format!("extreme boxes, frame {frame}");
        model.compare(broad, true, &what);
        let mut moves = Vec::new();
        for &id in &ids {
            let aabb = match dice.below(20) {
                0 => boxes[dice.below(boxes.len())],
                1..4 => Aabb { min: -big, max: dice.point(1.0) },
                _ => {
                    let (old, _, _) = model.slots[id.index() as usize].unwrap();
                    let step = dice.point(1e-3);
                    let moved = Aabb { min: old.min + step, max: old.max + step };
                    if moved.check().is_ok() { moved } else { old }
                }
            };
            // In odd frames only the giants move.
            if frame % 2 == 0 || id.index() < 8 {
                moves.push((id, aabb));
            }
        }
        broad.update(&moves).unwrap();
        for (id, aabb) in moves {
            if let Some(slot) = &mut model.slots[id.index() as usize] {
                slot.0 = aabb;
            }
        }
    }
}

/// The same script, scaled by a power of two, gives the same pairs in every frame.
fn scaling_changes_nothing<B: BroadPhase>(make_for: &impl Fn(f32) -> B) {
    let run = |scale: f32| {
        let mut dice = Dice::new(3);
        let mut broad = make_for(scale);
        let mut boxes: Vec<_> = (0..300).map(|_| dice.aabb(6.0, 2.0)).collect();
        let scaled = |aabb: &Aabb| Aabb { min: aabb.min * scale, max: aabb.max * scale };
        let mut ids = Vec::new();
        let batch: Vec<_> = boxes.iter().map(|aabb| (scaled(aabb), Filter::default())).collect();
        broad.insert_batch(&batch, &mut ids).unwrap();
        let mut all = Vec::new();
        let mut pairs = Vec::new();
        for _ in 0..10 {
            broad.pairs(&mut pairs);
            all.push((pairs.clone(), broad.counters()));
            for aabb in &mut boxes {
                let step = dice.point(0.01);
                *aabb = Aabb { min: aabb.min + step, max: aabb.max + step };
            }
            let moves: Vec<_> = ids.iter().copied().zip(boxes.iter().map(scaled)).collect();
            broad.update(&moves).unwrap();
        }
        all
    };
    let plain = run(1.0);
    for exponent in [-60, -20, 30, 100] {
        for (frame, (scaled, plain)) in run(2.0f32.powi(exponent)).iter().zip(&plain).enumerate() {
            assert!(scaled.0 == plain.0, "scaled by 2^{exponent}, frame {frame}: pairs differ");
            assert_eq!(scaled.1, plain.1, "scaled by 2^{exponent}, frame {frame}: work");
        }
    }
}
