//! A broad phase as its caller has it: the list of what moved, one call to tell it, one to get the pairs.

use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter, Pair, ProxyId};
use carom_broad_auto::catalogue::{ALGORITHMS, Listed};
use carom_scenes::Crowd;

/// The algorithms of carom by their names in reports; the first is carom itself.
pub fn algorithms() -> Vec<(&'static str, &'static Listed)> {
    let name = |i: usize, listed: &Listed| match i {
        0 => "carom".to_string(),
        _ => format!("carom {}", listed.name),
    };
    // A few dozen names, for as long as the program runs.
    ALGORITHMS.iter().enumerate().map(|(i, listed)| (&*name(i, listed).leak(), listed)).collect()
}

/// One of carom's broad phases, with the lists of its caller.
pub struct Subject {
    broad: Box<dyn BroadPhase>,
    ids: Vec<ProxyId>,
    moves: Vec<(ProxyId, Aabb)>,
    pairs: Vec<Pair>,
    tests: u64,
    found: u64,
}

impl Subject {
    /// Told nothing yet.
    pub fn new(broad: Box<dyn BroadPhase>) -> Self {
        Self { broad, ids: Vec::new(), moves: Vec::new(), pairs: Vec::new(), tests: 0, found: 0 }
    }

    /// Tells boxes that come, all at once; they get the next numbers.
    pub fn add(&mut self, boxes: &[Aabb]) {
        let batch: Vec<_> = boxes.iter().map(|&aabb| (aabb, Filter::default())).collect();
        let is_told = self.broad.insert_batch(&batch, &mut self.ids);
        debug_assert!(is_told.is_ok(), "boxes of a scene are finite");
    }

    /// Removes all that have a number from this on, all at once.
    pub fn truncate(&mut self, n: usize) {
        let is_told = self.broad.remove_batch(&self.ids[n..]);
        debug_assert!(is_told.is_ok(), "all proxies are live");
        self.ids.truncate(n);
    }

    /// Notes what moved: a caller has this list.
    pub fn take(&mut self, crowd: &Crowd) {
        let boxes = crowd.boxes();
        self.take_moves(crowd.moved().iter().map(|&i| (i as usize, boxes[i as usize])));
    }

    /// The same, of bodies by their numbers.
    pub fn take_moves(&mut self, moves: impl Iterator<Item = (usize, Aabb)>) {
        self.moves.clear();
        self.moves.extend(moves.map(|(i, aabb)| (self.ids[i], aabb)));
    }

    /// One frame: what moved is told, and all pairs are asked for.
    pub fn frame(&mut self) -> &[Pair] {
        let is_told = self.broad.update(&self.moves);
        debug_assert!(is_told.is_ok(), "all proxies are live");
        self.broad.pairs(&mut self.pairs);
        self.tests += self.broad.counters().tests;
        self.found += self.pairs.len() as u64;
        &self.pairs
    }

    /// Gives back the room of the caller's own lists of moves and pairs; the answer is the bytes of the list that stays.
    pub fn forget(&mut self) -> usize {
        self.moves = Vec::new();
        self.pairs = Vec::new();
        self.ids.capacity() * size_of::<ProxyId>()
    }

    /// Pairs found in all frames together.
    pub fn n_found(&self) -> u64 {
        self.found
    }

    /// Tests of two boxes for each pair found, over all frames.
    pub fn tests_per_pair(&self) -> f64 {
        self.tests as f64 / self.found.max(1) as f64
    }
}
