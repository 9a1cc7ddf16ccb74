//! A broad phase with the lists of its caller: moved boxes in, pairs out.

use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter, Pair, ProxyId};
use carom_broad_auto::catalogue::{ALGORITHMS, CatalogueEntry};
use carom_math::ops::sqrt;
use carom_scenes::{Crowd, CrowdKind, Rng};
use glam::DVec3;

/// Returns the algorithms of carom with their names in reports. The first is carom itself.
pub fn algorithms() -> Vec<(&'static str, &'static CatalogueEntry)> {
    let name = |i: usize, listed: &CatalogueEntry| match i {
        0 => "carom".to_string(),
        _ => format!("carom {}", listed.name),
    };
    // A few dozen names are leaked, which live as long as the program.
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
    /// Returns a broad phase without boxes.
    pub fn new(broad: Box<dyn BroadPhase>) -> Self {
        Self { broad, ids: Vec::new(), moves: Vec::new(), pairs: Vec::new(), tests: 0, found: 0 }
    }

    /// Inserts boxes, all at once; they get the next numbers.
    pub fn add(&mut self, boxes: &[Aabb]) {
        self.add_filtered(boxes, |_| Filter::default());
    }

    /// Does the same as [`Subject::add`], each with the filter of its number.
    pub fn add_filtered(&mut self, boxes: &[Aabb], filter: impl Fn(usize) -> Filter) {
        let batch: Vec<_> = boxes.iter().enumerate().map(|(i, &aabb)| (aabb, filter(i))).collect();
        let is_done = self.broad.insert_batch(&batch, &mut self.ids);
        debug_assert!(is_done.is_ok(), "boxes of a scene are finite");
    }

    /// Removes all boxes from number `n` on, all at once.
    pub fn truncate(&mut self, n: usize) {
        // The number freed last is reused first. So the next boxes get the numbers in order.
        self.ids[n..].reverse();
        let is_done = self.broad.remove_batch(&self.ids[n..]);
        debug_assert!(is_done.is_ok(), "all proxies are live");
        self.ids.truncate(n);
    }

    /// Stores the list of moved boxes, untimed: a caller has this list.
    pub fn take(&mut self, crowd: &Crowd) {
        let boxes = crowd.boxes();
        self.take_moves(crowd.moved().iter().map(|&i| (i as usize, boxes[i as usize])));
    }

    /// Does the same as [`Subject::take`], for bodies by their numbers.
    pub fn take_moves(&mut self, moves: impl Iterator<Item = (usize, Aabb)>) {
        self.moves.clear();
        self.moves.extend(moves.map(|(i, aabb)| (self.ids[i], aabb)));
    }

    /// Runs one frame: updates the moved boxes and returns all pairs.
    pub fn frame(&mut self) -> &[Pair] {
        let is_done = self.broad.update(&self.moves);
        debug_assert!(is_done.is_ok(), "all proxies are live");
        self.broad.pairs(&mut self.pairs);
        self.tests += self.broad.counters().tests;
        self.found += self.pairs.len() as u64;
        &self.pairs
    }

    /// Frees the caller's lists of moves and pairs. Returns the bytes of the list that stays.
    pub fn forget(&mut self) -> usize {
        self.moves = Vec::new();
        self.pairs = Vec::new();
        self.ids.capacity() * size_of::<ProxyId>()
    }

    /// Returns the number of pairs found in all frames together.
    pub fn n_found(&self) -> u64 {
        self.found
    }

    /// Returns the tests of two boxes for each pair found, over all frames.
    pub fn tests_per_pair(&self) -> f64 {
        self.tests as f64 / self.found.max(1) as f64
    }
}

/// A recorded scene that is played forth and back, with boxes that may be static.
pub struct Recording {
    /// The boxes before the first frame.
    pub first: Vec<Aabb>,
    /// Whether each box may move, by number.
    pub moves: Vec<bool>,
    /// The boxes that moved in each frame: their numbers and new bounds.
    pub frames: Vec<Vec<(u32, Aabb)>>,
}

impl Recording {
    /// Frames recorded.
    const N_FRAMES: usize = 24;

    /// Returns a flat world: boxes of 0.5 to 1.5 along each axis on a square, within a height of
    /// 2. There are about two for each square of side 2, and each moves 0.01 per frame on the
    /// plane.
    pub fn flat(n: usize, seed: u64) -> Recording {
        let mut rng = Rng::new(seed);
        let side = sqrt(2.0 * n as f64);
        let mut bodies: Vec<(DVec3, DVec3, DVec3)> = (0..n)
            .map(|_| {
                let half = rng.in_box(DVec3::splat(0.25), DVec3::splat(0.75));
                let center = rng.in_box(DVec3::ZERO, DVec3::new(side, 2.0, side));
                (center, half, rng.direction() * DVec3::new(0.01, 0.0, 0.01))
            })
            .collect();
        let aabb = |center: DVec3, half: DVec3| Aabb {
            min: (center - half).as_vec3(),
            max: (center + half).as_vec3(),
        };
        let first = bodies.iter().map(|&(center, half, _)| aabb(center, half)).collect();
        let frames = (0..Self::N_FRAMES)
            .map(|_| {
                bodies.iter_mut().for_each(|(center, _, velocity)| *center += *velocity);
                (0..).zip(&bodies).map(|(i, &(center, half, _))| (i, aabb(center, half))).collect()
            })
            .collect();
        Recording { first, moves: vec![true; n], frames }
    }

    /// Returns a crowd in which every tenth box moves. The others are marked static.
    pub fn static_ground(n: usize, seed: u64) -> Recording {
        let mut recording = Recording::of_crowd(CrowdKind::Static90, n, seed);
        recording.moves.fill(false);
        for &(i, _) in recording.frames.iter().flatten() {
            recording.moves[i as usize] = true;
        }
        recording
    }

    /// Returns a crowd in which all boxes may move.
    pub fn of_crowd(kind: CrowdKind, n: usize, seed: u64) -> Recording {
        let mut crowd = Crowd::new(kind, n, seed);
        let first = crowd.boxes().to_vec();
        let frames: Vec<Vec<(u32, Aabb)>> = (0..Self::N_FRAMES)
            .map(|_| {
                crowd.step();
                crowd.moved().iter().map(|&i| (i, crowd.boxes()[i as usize])).collect()
            })
            .collect();
        Recording { first, moves: vec![true; n], frames }
    }

    /// Returns the index of the recorded frame that is played as this one: forth, back, forth.
    pub fn turn(&self, frame: usize) -> usize {
        let n = self.frames.len();
        let at = frame % (2 * n);
        if at < n { at } else { 2 * n - 1 - at }
    }
}
