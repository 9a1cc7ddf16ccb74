//! The contract of a list that is rebuilt over several frames, or narrowed. The pairs stay right
//! for each kind of change meanwhile, and no frame does all the work.

use super::dice::Dice;
use alloc::collections::BTreeMap;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{BroadPhase, BruteForce, Filter, Groups, Mobility, ProxyId, SpatialIndex};
use carom_broad_coherent::{FatIndex, VerletList, VerletListSettings};
use glam::Vec3;

/// Runs the whole suite. Panics with the frame of the first failure.
pub fn check<I: FatIndex>(name: &str, make: impl Fn(VerletListSettings) -> VerletList<I>) {
    every_change_meets_every_step(name, &make);
    no_frame_does_it_all(name, &make);
    what_jitters_keeps_a_narrow_list(name, &make);
    few_move_in_turns(name, &make);
    every_change_meets_every_part(name, &make);
}

/// A change that happens while a list is being rebuilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Nothing,
    Insert,
    Remove,
    /// Some boxes are removed, and others reuse their slots.
    Replace,
    SetGroups,
    /// Some boxes become static, and some static ones dynamic.
    SetMobility,
    MoveStatics,
    /// All boxes become smaller: they stay in their fat boxes and may cease to touch.
    Shrink,
    TeleportSome,
    /// All boxes teleport: both the list in use and the next one are useless.
    TeleportAll,
    /// All boxes move so far that the list in use is useless. Then they stay nearer than the next
    /// list's fat boxes allow.
    Lurch,
    HandOver,
    RemoveMost,
    RefreshOnly,
    QueryTwice,
}

const CHANGES: [Change; 15] = [
    Change::Nothing,
    Change::Insert,
    Change::Remove,
    Change::Replace,
    Change::SetGroups,
    Change::SetMobility,
    Change::MoveStatics,
    Change::Shrink,
    Change::TeleportSome,
    Change::TeleportAll,
    Change::Lurch,
    Change::HandOver,
    Change::RemoveMost,
    Change::RefreshOnly,
    Change::QueryTwice,
];

/// The number of boxes of the first world.
const N: usize = 500;

/// The structure under test, brute force, and the input of both.
struct Both<I> {
    ours: VerletList<I>,
    brute: BruteForce,
    boxes: BTreeMap<ProxyId, (Aabb, Vec3)>,
    dice: Dice,
}

impl<I: FatIndex> Both<I> {
    fn insert(&mut self, n: usize) {
        let batch: Vec<_> = (0..n)
            .map(|_| {
                let is_static = self.dice.one_in(8);
                (
                    self.dice.aabb(7.0, 2.0),
                    Filter::new(if is_static { Mobility::Fixed } else { Mobility::Dynamic }),
                )
            })
            .collect();
        self.put(batch);
    }

    fn put(&mut self, batch: Vec<(Aabb, Filter)>) {
        let (mut ids, mut same) = (Vec::new(), Vec::new());
        self.ours.insert_batch(&batch, &mut ids).unwrap();
        self.brute.insert_batch(&batch, &mut same).unwrap();
        assert_eq!(ids, same);
        for (id, (aabb, _)) in ids.into_iter().zip(batch) {
            let velocity = self.dice.point(1.0).normalize_or(Vec3::X) * 0.01;
            self.boxes.insert(id, (aabb, velocity));
        }
    }

    /// Returns `n` random handles.
    fn some(&mut self, n: usize) -> Vec<ProxyId> {
        let all: Vec<_> = self.boxes.keys().copied().collect();
        let mut some: Vec<_> = (0..n).map(|_| all[self.dice.below(all.len())]).collect();
        some.sort_unstable();
        some.dedup();
        some
    }

    fn remove(&mut self, ids: &[ProxyId]) {
        self.ours.remove_batch(ids).unwrap();
        self.brute.remove_batch(ids).unwrap();
        self.boxes.retain(|id, _| !ids.contains(id));
    }

    fn set_filter(&mut self, id: ProxyId, filter: Filter) {
        self.ours.set_filter(id, filter).unwrap();
        self.brute.set_filter(id, filter).unwrap();
    }

    fn is_static(&self, id: ProxyId) -> bool {
        self.brute.proxies().filters()[id.index() as usize].mobility == Mobility::Fixed
    }

    fn update(&mut self, moves: &[(ProxyId, Aabb)]) {
        self.ours.update(moves).unwrap();
        self.brute.update(moves).unwrap();
        for (id, aabb) in moves {
            if let Some(own) = self.boxes.get_mut(id) {
                own.0 = *aabb;
            }
        }
    }

    /// Moves these boxes by a function.
    fn moved(&mut self, ids: &[ProxyId], mut next_box: impl FnMut(&mut Dice, Aabb, Vec3) -> Aabb) {
        let moves: Vec<_> = ids
            .iter()
            .map(|id| {
                let (aabb, velocity) = self.boxes[id];
                (*id, next_box(&mut self.dice, aabb, velocity))
            })
            .collect();
        self.update(&moves);
    }

    /// Moves the dynamic boxes by one frame of the usual motion, times `factor`.
    fn drift(&mut self, factor: f32) {
        let ids: Vec<_> = self.boxes.keys().copied().filter(|&id| !self.is_static(id)).collect();
        self.moved(&ids, |_, aabb, velocity| shifted(aabb, velocity * factor));
    }

    fn change(&mut self, change: Change) {
        match change {
            Change::Nothing => {}
            Change::Insert => self.insert(12),
            Change::Remove => {
                let some = self.some(12);
                self.remove(&some);
            }
            Change::Replace => {
                let some = self.some(12);
                self.remove(&some);
                self.insert(some.len());
            }
            Change::SetGroups => {
                for id in self.some(12) {
                    let groups = Groups::from_bits_retain(self.dice.bits() as u32 & 3);
                    let mobility = if self.is_static(id) { Mobility::Fixed } else { Mobility::Kinematic };
                    self.set_filter(id, Filter::new(mobility).with_groups(groups, Groups::all()));
                }
            }
            Change::SetMobility => {
                for id in self.some(12) {
                    let mobility = if self.is_static(id) { Mobility::Dynamic } else { Mobility::Fixed };
                    self.set_filter(id, Filter::new(mobility));
                }
            }
            Change::MoveStatics => {
                let some: Vec<_> = self.some(60).into_iter().filter(|&id| self.is_static(id)).collect();
                self.moved(&some, |dice, aabb, _| shifted(aabb, dice.point(0.4)));
            }
            Change::Shrink => {
                let all: Vec<_> = self.boxes.keys().copied().collect();
                self.moved(&all, |_, aabb, _| {
                    let center = aabb.center();
                    Aabb { min: center + (aabb.min - center) * 0.9, max: center + (aabb.max - center) * 0.9 }
                });
            }
            Change::TeleportSome => {
                let some = self.some(8);
                self.moved(&some, |dice, _, _| dice.aabb(7.0, 2.0));
            }
            Change::TeleportAll => {
                let all: Vec<_> = self.boxes.keys().copied().collect();
                self.moved(&all, |dice, _, _| dice.aabb(7.0, 2.0));
            }
            Change::Lurch => {
                self.drift(3.5);
            }
            Change::HandOver => {
                let contents = self.ours.take_state();
                assert!(!self.ours.is_renewing());
                self.ours.take_over(contents);
            }
            Change::RemoveMost => {
                let most = self.some(3 * N);
                self.remove(&most);
                self.compare("with few left");
                self.insert(N - self.boxes.len());
            }
            Change::RefreshOnly => {
                self.drift(1.0);
                self.ours.refresh();
            }
            Change::QueryTwice => self.compare("asked once"),
        }
    }

    fn compare(&mut self, what: &str) {
        self.ours.validate().unwrap_or_else(|message| panic!("{what}, before the search: {message}"));
        let (mut ours, mut expected) = (Vec::new(), Vec::new());
        let query = self.dice.aabb(6.0, 3.0);
        self.ours.overlapping(&query, &mut ours);
        self.brute.overlapping(&query, &mut expected);
        assert_eq!(ours, expected, "{what}: {query:?}");
        let (mut ours, mut expected) = (Vec::new(), Vec::new());
        self.ours.pairs(&mut ours);
        self.brute.pairs(&mut expected);
        assert!(ours == expected, "{what}: {} pairs, not {}", ours.len(), expected.len());
        self.ours.validate().unwrap_or_else(|message| panic!("{what}, after the search: {message}"));
    }
}

fn shifted(aabb: Aabb, step: Vec3) -> Aabb {
    Aabb { min: aabb.min + step, max: aabb.max + step }
}

/// Makes each kind of change after each step of a rebuild. All later frames must be right.
fn every_change_meets_every_step<I: FatIndex>(
    name: &str,
    make: &impl Fn(VerletListSettings) -> VerletList<I>,
) {
    let ours = make(VerletListSettings::default().with_spread_from(100));
    let mut both = Both { ours, brute: BruteForce::new(), boxes: BTreeMap::new(), dice: Dice::new(17) };
    both.insert(N);
    let (mut met, mut n_pairs, mut step, mut n_adopted) = (BTreeMap::new(), 0, 0, 0);
    let mut frame = 0;
    while met.len() < 2 * CHANGES.len() {
        frame += 1;
        assert!(frame < 3000, "{name}: {met:?} in {frame} frames");
        let mut what = format!("{name}, frame {frame}, step {step}");
        both.drift(1.0);
        if 0 < step {
            // The change that was made least often after this step.
            let least =
                CHANGES.into_iter().min_by_key(|&change| met.get(&(change, step)).copied().unwrap_or(0));
            let change = least.unwrap_or(Change::Nothing);
            *met.entry((change, step)).or_insert(0) += 1;
            what = format!("{what}, {change:?}");
            both.change(change);
        }
        let rebuilds = both.ours.counters().rebuilds;
        both.compare(&what);
        n_pairs += both.ours.counters().pairs;
        let was_at = step;
        step = if both.ours.is_renewing() { was_at + 1 } else { 0 };
        assert!(step <= 2, "{what}: a third frame begins and it is not done");
        n_adopted += usize::from(was_at == 2 && step == 0 && rebuilds < both.ours.counters().rebuilds);
        // The world is rebuilt now and then, so that it does not thin out.
        if frame % 40 == 0 {
            let n = N.saturating_sub(both.boxes.len());
            both.insert(n);
            let away: Vec<_> = both.boxes.keys().copied().filter(|&id| !both.is_static(id)).collect();
            both.moved(&away, |_, aabb, _| {
                let clamp = |center: Vec3| center.clamp(Vec3::splat(-7.0), Vec3::splat(7.0));
                shifted(aabb, clamp(aabb.center()) - aabb.center())
            });
        }
    }
    println!("{name}: {frame} frames, {n_pairs} pairs, {n_adopted} lists took over in the third frame");
    assert!(CHANGES.len() / 2 < n_adopted && 100 * frame < n_pairs);
}

/// A trembling heap: the list is narrowed in place, and none is rebuilt. Insertions, removals and
/// jumps meanwhile give the right pairs, and so does the drift that follows.
fn what_jitters_keeps_a_narrow_list<I: FatIndex>(
    name: &str,
    make: &impl Fn(VerletListSettings) -> VerletList<I>,
) {
    const SIDE: usize = 9;
    let ours = make(VerletListSettings::default());
    let mut both = Both { ours, brute: BruteForce::new(), boxes: BTreeMap::new(), dice: Dice::new(19) };
    // They touch along one axis, and nearly touch along the others.
    let jittered = |dice: &mut Dice, i: usize| {
        let at = Vec3::new((i % SIDE) as f32, (i / SIDE % SIDE) as f32, (i / SIDE / SIDE) as f32);
        let center = at * Vec3::new(0.999, 1.02, 1.02) + dice.point(0.002);
        Aabb { min: center - 0.5, max: center + 0.5 }
    };
    let heap = (0..SIDE * SIDE * SIDE).map(|i| (jittered(&mut both.dice, i), Filter::default())).collect();
    both.put(heap);
    let ids: Vec<_> = both.boxes.keys().copied().collect();
    let (mut first, mut rebuilds) = (0, 0);
    for frame in 0..70 {
        if frame < 60 {
            let moves: Vec<_> =
                ids.iter().enumerate().map(|(i, &id)| (id, jittered(&mut both.dice, i))).collect();
            both.update(&moves);
            if 30 <= frame && frame % 5 == 0 {
                both.moved(&ids[frame..frame + 4], |dice, _, _| dice.aabb(7.0, 2.0));
                both.set_filter(ids[frame + 20], Filter::new(Mobility::Fixed));
            }
        } else {
            both.moved(&ids, |_, aabb, velocity| shifted(aabb, velocity));
        }
        both.compare(&format!("{name}, trembling, frame {frame}"));
        let counters = both.ours.counters();
        match frame {
            // The first frame showed no motion yet.
            1 => (first, rebuilds) = (counters.candidates, counters.rebuilds),
            29 => {
                println!("{name}, trembling: {first} candidates at first, then {}", counters.candidates);
                assert!(2 * counters.candidates < first, "{name}: {first}, {}", counters.candidates);
                assert_eq!(counters.rebuilds, rebuilds, "{name}");
            }
            _ => {}
        }
    }
}

/// A few boxes move in each frame, different ones each time. Lists last long, and are rebuilt over
/// many frames. Then each kind of change happens during a rebuild.
fn few_move_in_turns<I: FatIndex>(name: &str, make: &impl Fn(VerletListSettings) -> VerletList<I>) {
    const CALM: usize = 300;
    let ours = make(VerletListSettings::default().with_spread_from(100));
    let mut both = Both { ours, brute: BruteForce::new(), boxes: BTreeMap::new(), dice: Dice::new(20) };
    both.insert(2 * N);
    let (mut n_renewing, mut longest, mut rebuilds, mut turn) = (0, 0, [0; 2], 0);
    let (mut at_once, mut most) = (0, 0);
    for frame in 0..CALM + 20 * CHANGES.len() {
        let ids: Vec<_> = both.boxes.keys().copied().filter(|&id| !both.is_static(id)).collect();
        let in_turn: Vec<_> = (0..ids.len() / 24).map(|i| ids[(turn + i) % ids.len()]).collect();
        turn += in_turn.len();
        both.moved(&in_turn, |_, aabb, velocity| shifted(aabb, velocity * 4.0));
        let mut what = format!("{name}, in turns, frame {frame}");
        if CALM <= frame && frame % 3 == 0 {
            let change = CHANGES[frame / 3 % CHANGES.len()];
            what = format!("{what}, {change:?}");
            both.change(change);
            let n = (2 * N).saturating_sub(both.boxes.len());
            both.insert(n);
        }
        both.compare(&what);
        n_renewing = if both.ours.is_renewing() { n_renewing + 1 } else { 0 };
        longest = longest.max(n_renewing);
        match frame {
            0 => at_once = work(&both.ours),
            // At first the structure cannot know that few will move.
            60..CALM => most = most.max(work(&both.ours)),
            _ => {}
        }
        match frame {
            40 => rebuilds[0] = both.ours.counters().rebuilds,
            CALM => rebuilds[1] = both.ours.counters().rebuilds,
            _ => {}
        }
    }
    let n_made = rebuilds[1] - rebuilds[0];
    println!(
        "{name}, in turns: {n_made} lists, over {longest} frames at most; {at_once} at once, {most} at most"
    );
    assert!(4 * most < at_once, "{name}: {most} in a frame, {at_once} at once");
    assert!((1..10).contains(&n_made) && 8 <= longest, "{name}: {n_made} lists, {longest} frames");
}

/// Makes each kind of change after each of the first parts of a rebuild in a world with few moves.
/// All later frames must be right.
fn every_change_meets_every_part<I: FatIndex>(
    name: &str,
    make: &impl Fn(VerletListSettings) -> VerletList<I>,
) {
    const PARTS: usize = 5;
    let ours = make(VerletListSettings::default().with_spread_from(100));
    let mut both = Both { ours, brute: BruteForce::new(), boxes: BTreeMap::new(), dice: Dice::new(21) };
    both.insert(N);
    let (mut met, mut part, mut turn, mut n_adopted, mut frame) = (BTreeMap::new(), 0, 0, 0, 0);
    while met.len() < PARTS * CHANGES.len() {
        frame += 1;
        assert!(frame < 9000, "{name}: {met:?} in {frame} frames");
        let ids: Vec<_> = both.boxes.keys().copied().filter(|&id| !both.is_static(id)).collect();
        let in_turn: Vec<_> = (0..ids.len() / 24).map(|i| ids[(turn + i) % ids.len()]).collect();
        turn += in_turn.len();
        both.moved(&in_turn, |_, aabb, velocity| shifted(aabb, velocity * 4.0));
        let mut what = format!("{name}, frame {frame}, after {part} parts");
        if (1..=PARTS).contains(&part) {
            // The change that was made least often after this part.
            let least =
                CHANGES.into_iter().min_by_key(|&change| met.get(&(change, part)).copied().unwrap_or(0));
            let change = least.unwrap_or(Change::Nothing);
            *met.entry((change, part)).or_insert(0) += 1;
            what = format!("{what}, {change:?}");
            both.change(change);
        }
        let rebuilds = both.ours.counters().rebuilds;
        both.compare(&what);
        let was_at = part;
        part = if both.ours.is_renewing() { part + 1 } else { 0 };
        n_adopted += usize::from(8 <= was_at && part == 0 && rebuilds < both.ours.counters().rebuilds);
        if part == 0 {
            let n = N.saturating_sub(both.boxes.len());
            both.insert(n);
            let away = |both: &Both<I>, id: &ProxyId| 7.0 < both.boxes[id].0.center().abs().max_element();
            let away: Vec<_> =
                ids.iter().copied().filter(|id| both.boxes.contains_key(id) && away(&both, id)).collect();
            both.moved(&away, |dice, _, _| dice.aabb(7.0, 2.0));
        }
    }
    println!("{name}, part by part: {frame} frames, {n_adopted} lists took over that were made in parts");
    assert!(PARTS < n_adopted, "{name}: {n_adopted} lists");
}

/// Returns the box tests plus eight times the sorted items: sorting a box into a cell, or a pair,
/// takes as long as eight tests.
fn work<I: FatIndex>(broad: &VerletList<I>) -> u64 {
    broad.counters().tests + 8 * broad.counters().sorted
}

/// Checks that no frame of a calm world does two thirds of the work of a whole rebuild. Lists must
/// not be rebuilt much more often for that.
fn no_frame_does_it_all<I: FatIndex>(name: &str, make: &impl Fn(VerletListSettings) -> VerletList<I>) {
    const CROWD: usize = 6000;
    let mut dice = Dice::new(18);
    let mut boxes: Vec<_> = (0..CROWD).map(|_| dice.aabb(16.0, 2.0)).collect();
    let velocity: Vec<_> = (0..CROWD).map(|_| dice.point(1.0).normalize_or(Vec3::X) * 0.01).collect();
    let batch: Vec<_> = boxes.iter().map(|&aabb| (aabb, Filter::default())).collect();
    let settings = VerletListSettings::default();
    let [mut spread, mut at_once] = [settings, settings.with_spread_from(usize::MAX)].map(make);
    let (mut ids, mut worst) = (Vec::new(), [0; 2]);
    spread.insert_batch(&batch, &mut ids).unwrap();
    at_once.insert_batch(&batch, &mut Vec::new()).unwrap();
    let mut before = [0; 2];
    for frame in 0..90 {
        for (aabb, velocity) in boxes.iter_mut().zip(&velocity) {
            *aabb = shifted(*aabb, *velocity);
        }
        let moves: Vec<_> = ids.iter().copied().zip(boxes.iter().copied()).collect();
        let (mut pairs, mut expected) = (Vec::new(), Vec::new());
        spread.update(&moves).unwrap();
        at_once.update(&moves).unwrap();
        spread.pairs(&mut pairs);
        at_once.pairs(&mut expected);
        assert!(pairs == expected, "{name}, frame {frame}");
        // The first frames have no history.
        if frame < 3 {
            before = [&spread, &at_once].map(|broad| broad.counters().rebuilds);
        } else {
            worst = [worst[0].max(work(&spread)), worst[1].max(work(&at_once))];
        }
    }
    let after = [&spread, &at_once].map(|broad| broad.counters().rebuilds);
    let n_made = [after[0] - before[0], after[1] - before[1]];
    println!("{name}: {worst:?} at worst, {n_made:?} lists");
    assert!(3 * worst[0] < 2 * worst[1], "{name}: {worst:?}");
    assert!(3 < n_made[1] && 2 * n_made[0] < 3 * n_made[1], "{name}: {n_made:?} lists");
}
