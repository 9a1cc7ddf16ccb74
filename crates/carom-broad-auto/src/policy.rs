//! Chooses the algorithm for the present motion; a switch needs more than one frame.
//!
//! A few boxes need no structure. If motion is small, a tree, or a grid for many boxes, keeps a
//! list of candidates from frame to frame. So few pairs are tested. If boxes jump, there is
//! nothing to keep. A plain grid then finds all pairs from scratch, even for moderate numbers.
//!
//! Reference: A. Karlin, M. Manasse, L. Rudolph, D. Sleator, Competitive snoopy caching, 1988
//! (switching once the loss equals the switching cost: at most twice the best in hindsight).

use crate::features::Features;
use core::fmt;

/// The algorithms that [`Auto`](crate::Auto) chooses among.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// [`BruteForce`](carom_broad::BruteForce).
    BruteForce,
    /// [`DynamicBvh`](carom_broad_tree::DynamicBvh).
    Tree,
    /// [`CoherentGrid`](carom_broad_grid::CoherentGrid).
    CoherentGrid,
    /// [`UniformGrid`](carom_broad_grid::UniformGrid).
    Grid,
}

/// The limits at which the choice changes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AutoSettings {
    /// Up to this many boxes are tested by brute force. Once in use, it stays up to half more.
    /// Default: 32.
    pub few: usize,
    /// From this many boxes on a grid takes over, a plain one if boxes jump. Below half as many
    /// the tree returns. Default: 4096.
    pub many: usize,
}

impl Default for AutoSettings {
    fn default() -> AutoSettings {
        AutoSettings { few: 32, many: 4096 }
    }
}

impl AutoSettings {
    /// Returns the settings with brute force up to this number.
    pub const fn with_few(mut self, few: usize) -> AutoSettings {
        self.few = few;
        self
    }

    /// Returns the settings with a grid from this number.
    pub const fn with_many(mut self, many: usize) -> AutoSettings {
        self.many = many;
        self
    }
}

/// If a larger share of the boxes jumps, a frame is wild. A list is dropped if more than one in 32
/// jump, but a sample of 64 moves cannot measure so little.
const MIN_JUMPING_RATIO: f64 = 0.125;

/// Successive frames with jumps after which the plain grid takes over. Lists lived only a few
/// frames by then. At the start two are enough, before any frame has favoured a list.
const WILD_FRAMES: u32 = 3;
const FIRST_WILD_FRAMES: u32 = 2;

/// From this many boxes on, the grid beats the tree if all boxes jump. Sorting dominates both, and
/// the grid sorts less.
const WILD_FROM: usize = 256;

/// Frames in a row without jumps after which a list is kept again. The first frames with a list
/// cost two or three grid frames.
const CALM_FRAMES: u32 = 6;

/// The choice and its reason.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The features at the time of the choice.
    pub features: Features,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, why) = match self.algorithm {
            Algorithm::BruteForce => ("each against each", "too few for a structure to pay"),
            Algorithm::Tree => ("tree", "its list of candidates lives for many frames"),
            Algorithm::CoherentGrid => ("coherent grid", "its list of candidates lives for many frames"),
            Algorithm::Grid => ("grid", "nothing is worth keeping for the next frame"),
        };
        write!(f, "{name}: {}; {why}", self.features)
    }
}

/// The state of the choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policy {
    settings: AutoSettings,
    pub(crate) choice: Choice,
    /// Frames in a row in which boxes jumped.
    wild: u32,
    /// Frames in a row in which they did not.
    calm: u32,
    /// Whether there was a frame in which boxes moved without jumps.
    was_calm: bool,
}

impl Policy {
    pub(crate) fn new(settings: AutoSettings) -> Policy {
        let choice = Choice { algorithm: Algorithm::BruteForce, features: Features::default() };
        Policy { settings, choice, wild: 0, calm: 0, was_calm: false }
    }

    /// Returns the algorithm for the next search.
    pub(crate) fn decide(&mut self, features: Features) -> Algorithm {
        let AutoSettings { few, many } = self.settings;
        let is_wild = MIN_JUMPING_RATIO < features.jumped;
        self.was_calm |= !is_wild && 0.0 < features.motion;
        (self.wild, self.calm) =
            if is_wild { (self.wild.saturating_add(1), 0) } else { (0, self.calm.saturating_add(1)) };
        let now = self.choice.algorithm;
        let n = features.n_boxes;
        let is_few = n <= few || (now == Algorithm::BruteForce && n <= few + few / 2);
        let is_on_grid = matches!(now, Algorithm::Grid | Algorithm::CoherentGrid);
        let is_many = if is_on_grid { many / 2 <= n } else { many <= n };
        let is_listless = match now {
            Algorithm::Grid => self.calm < CALM_FRAMES,
            _ => (if self.was_calm { WILD_FRAMES } else { FIRST_WILD_FRAMES }) <= self.wild,
        };
        let next = match (is_many, is_listless) {
            _ if is_few => Algorithm::BruteForce,
            (_, true) if is_many || WILD_FROM <= n => Algorithm::Grid,
            (true, _) => Algorithm::CoherentGrid,
            (false, _) => Algorithm::Tree,
        };
        if next != now {
            self.choice = Choice { algorithm: next, features };
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(n_boxes: usize, motion: f64) -> Features {
        let all_if = |it_is: bool| f64::from(u8::from(it_is));
        Features { n_boxes, moved: all_if(0.0 < motion), motion, jumped: all_if(0.1 < motion) }
    }

    #[test]
    fn few_need_no_structure() {
        let mut policy = Policy::new(AutoSettings::default());
        assert_eq!(policy.decide(features(20, 1.0)), Algorithm::BruteForce);
        assert_eq!(policy.decide(features(45, 0.0)), Algorithm::BruteForce, "not at once");
        assert_eq!(policy.decide(features(49, 0.0)), Algorithm::Tree);
        assert_eq!(policy.decide(features(45, 0.0)), Algorithm::Tree, "nor back at once");
        assert_eq!(policy.decide(features(32, 0.0)), Algorithm::BruteForce);
    }

    #[test]
    fn jumps_go_to_the_grid_and_calm_comes_back() {
        let mut policy = Policy::new(AutoSettings::default());
        let mut run = |n: usize, motion: f64, frames: usize| {
            (0..frames).map(|_| policy.decide(features(n, motion))).last().unwrap()
        };
        assert_eq!(run(10_000, 0.01, 5), Algorithm::CoherentGrid);
        assert_eq!(run(10_000, 0.9, 2), Algorithm::CoherentGrid, "two frames are an accident");
        assert_eq!(run(10_000, 0.9, 1), Algorithm::Grid);
        assert_eq!(run(10_000, 0.01, 5), Algorithm::Grid);
        assert_eq!(run(10_000, 0.01, 1), Algorithm::CoherentGrid);
        assert_eq!(run(3000, 0.01, 1), Algorithm::CoherentGrid, "nor back at once");
        assert_eq!(run(2000, 0.01, 1), Algorithm::Tree);
        assert_eq!(run(200, 0.9, 20), Algorithm::Tree, "too few for a grid");
        assert_eq!(run(1000, 0.9, 20), Algorithm::Grid);
        assert_eq!(run(1000, 0.01, 6), Algorithm::Tree);
        assert!(
            std::string::ToString::to_string(&policy.choice)
                .starts_with("tree: 1000 boxes, 100 % of them moving 1.0 %")
        );
    }

    #[test]
    fn a_flickering_world_is_left_alone() {
        let mut policy = Policy::new(AutoSettings::default());
        policy.decide(features(10_000, 0.0));
        for frame in 0..100 {
            assert_eq!(
                policy.decide(features(10_000, if frame % 2 == 0 { 1.0 } else { 0.0 })),
                Algorithm::CoherentGrid
            );
        }
    }
}
