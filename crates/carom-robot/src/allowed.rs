//! The allowed collisions of a robot: pairs of links that need no check.
//!
//! - Adjacent: one joint connects their links, or they are on one link. Links without parts in
//!   between do not count.
//! - Default: they touch in the default pose. In it each joint is at zero, or in the middle of its
//!   limits if these exclude zero.
//! - Always: they touch in nearly all random poses within the limits.
//! - Never: they touch in none of these poses. That is no proof: ten thousand poses are likely to
//!   miss a pair that touches in one of a million.
//!
//! A pair with a floating or planar joint between its links is never allowed, because no sample
//! moves that joint. Neither is a pair of which it is not known, in the default pose or in a
//! sample, whether it touches: see [`Workcell::touches`]. Adjacent pairs are allowed all the same.
//!
//! The first reason counts. A sample depends on its number and the seed alone, so threads do not
//! change the answer. A pair is dropped as soon as it can be neither Always nor Never.
//!
//! Reference: S. Chitta, I. Sucan, S. Cousins, MoveIt!, IEEE Robotics and Automation Magazine,
//! 2012; MoveIt, Setup Assistant (the reasons and their order, 10,000 samples, a share of 0.95).
//! Differs: two children of one link without geometry, such as fingers, are not adjacent. Always
//! takes the same samples as Never.

use crate::workcell::Workcell;
use carom_io::{Robot, RobotJointKind};
use carom_math::f64::Pose;
use carom_math::splitmix;
use core::f64::consts::PI;
use core::fmt;
use core::ops::Range;
use std::collections::HashSet;

/// The number of samples of a round. Pairs are dropped after each round.
const ROUND_SAMPLES: u32 = 64;

/// Settings of a search for allowed collisions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AllowedSettings {
    /// The number of random poses. With 0 no pair is Always or Never. Default: 10,000.
    pub samples: u32,
    /// The seed of the poses. Default: 1.
    pub seed: u64,
    /// A pair that touches in at least this share of the poses is Always. Above 0, at most 1.
    /// Default: 0.95.
    pub always_share: f64,
}

impl Default for AllowedSettings {
    fn default() -> AllowedSettings {
        AllowedSettings { samples: 10_000, seed: 1, always_share: 0.95 }
    }
}

impl AllowedSettings {
    /// Sets the number of random poses.
    pub fn with_samples(self, samples: u32) -> AllowedSettings {
        AllowedSettings { samples, ..self }
    }

    /// Sets the seed of the poses.
    pub fn with_seed(self, seed: u64) -> AllowedSettings {
        AllowedSettings { seed, ..self }
    }

    /// Sets the least share of poses in which an Always pair touches, above 0 and at most 1.
    pub fn with_always_share(self, always_share: f64) -> AllowedSettings {
        AllowedSettings { always_share, ..self }
    }
}

/// Why collisions of a pair do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AllowedReason {
    /// One joint connects the links, or both parts are on one link.
    Adjacent,
    /// They touch in the default pose.
    Default,
    /// They touch in nearly all poses.
    Always,
    /// They touch in none of the poses.
    Never,
}

impl AllowedReason {
    /// The reasons, in the order in which they count.
    pub const ALL: [AllowedReason; 4] =
        [AllowedReason::Adjacent, AllowedReason::Default, AllowedReason::Always, AllowedReason::Never];

    /// Returns the name in SRDF files.
    pub fn name(self) -> &'static str {
        match self {
            AllowedReason::Adjacent => "Adjacent",
            AllowedReason::Default => "Default",
            AllowedReason::Always => "Always",
            AllowedReason::Never => "Never",
        }
    }
}

/// A pair of parts whose collisions do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllowedPair {
    /// The parts, low index first.
    pub parts: [usize; 2],
    /// The reason.
    pub reason: AllowedReason,
}

/// Why allowed collisions cannot be searched.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AllowedError {
    /// The joint slides and has no limits.
    NoLimits {
        /// The name of the joint.
        joint: String,
    },
    /// The limits are not a range of finite numbers.
    BadLimits {
        /// The name of the joint.
        joint: String,
        /// The limits.
        limits: [f64; 2],
    },
    /// The share is not above 0 and at most 1.
    BadShare(f64),
    /// The workcell has no robot with this index.
    NoSuchRobot {
        /// The index.
        robot: usize,
        /// The number of robots.
        n_robots: usize,
    },
}

impl fmt::Display for AllowedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AllowedError::NoLimits { joint } => {
                write!(f, "joint {joint} slides and has no limits: its values cannot be sampled")
            }
            AllowedError::BadLimits { joint, limits: [low, high] } => {
                write!(f, "joint {joint}: the limits {low} and {high} are no range")
            }
            AllowedError::BadShare(share) => write!(f, "a share of {share} is not above 0 and at most 1"),
            AllowedError::NoSuchRobot { robot, n_robots } => {
                write!(f, "there is no robot {robot}: the workcell has {n_robots}")
            }
        }
    }
}

impl core::error::Error for AllowedError {}

/// A pair that may still be Always or Never.
struct OpenPair {
    parts: [usize; 2],
    n_touching: u32,
    /// Whether it is not known in some sample whether the parts touch.
    is_unknown: bool,
}

/// A search for allowed collisions, round by round: the samples of a round may be tested on
/// several threads.
///
/// ```
/// use carom_robot::{AllowedError, AllowedPair, AllowedSearch, AllowedSettings, Workcell};
///
/// fn pairs(cell: &Workcell) -> Result<Vec<AllowedPair>, AllowedError> {
///     let mut search = AllowedSearch::new(cell, 0, &AllowedSettings::default())?;
///     while let Some(samples) = search.round() {
///         let touching: Vec<Vec<bool>> = samples.map(|sample| search.test(sample)).collect();
///         search.add(&touching);
///     }
///     Ok(search.finish())
/// }
/// ```
pub struct AllowedSearch<'a> {
    cell: &'a Workcell,
    robot: usize,
    settings: AllowedSettings,
    /// The joints with values of their own, and the range of each.
    ranges: Vec<(usize, [f64; 2])>,
    found: Vec<AllowedPair>,
    open: Vec<OpenPair>,
    n_done: u32,
}

impl<'a> AllowedSearch<'a> {
    /// Begins a search for pairs of parts of one robot: finds those that are Adjacent or Default.
    ///
    /// Errors: a robot that does not exist, a sliding joint without limits, limits that are no
    /// range, or a share that is not above 0 and at most 1.
    pub fn new(
        cell: &'a Workcell,
        robot: usize,
        settings: &AllowedSettings,
    ) -> Result<AllowedSearch<'a>, AllowedError> {
        if !(0.0 < settings.always_share && settings.always_share <= 1.0) {
            return Err(AllowedError::BadShare(settings.always_share));
        }
        let n_robots = cell.robots().len();
        let of = cell.robots().get(robot).ok_or(AllowedError::NoSuchRobot { robot, n_robots })?;
        let ranges: Result<Vec<_>, AllowedError> =
            of.free_joints().map(|joint| Ok((joint, range(of, joint)?))).collect();
        let mut search = AllowedSearch {
            cell,
            robot,
            settings: *settings,
            ranges: ranges?,
            found: Vec::new(),
            open: Vec::new(),
            n_done: 0,
        };
        let parts: Vec<(usize, usize)> =
            (0..cell.n_parts()).filter_map(|part| search.on_robot(part)).collect();
        let adjacent = adjacent_links(of);
        let is_zero_within = |[low, high]: [f64; 2]| low <= 0.0 && 0.0 <= high;
        let poses = search.poses(|_, range| if is_zero_within(range) { 0.0 } else { middle(range) });
        for (i, &(b, link_b)) in parts.iter().enumerate() {
            for &(a, link_a) in &parts[..i] {
                let links = [link_a.min(link_b), link_a.max(link_b)];
                let reason = if link_a == link_b || adjacent.contains(&links) {
                    AllowedReason::Adjacent
                } else if unread_joint_above(of, link_a) != unread_joint_above(of, link_b) {
                    continue;
                } else {
                    match cell.touches([a, b], &poses) {
                        Some(true) => AllowedReason::Default,
                        Some(false) => {
                            search.open.push(OpenPair { parts: [a, b], n_touching: 0, is_unknown: false });
                            continue;
                        }
                        None => continue,
                    }
                };
                search.found.push(AllowedPair { parts: [a, b], reason });
            }
        }
        Ok(search)
    }

    /// Returns a part and its link, if it is on the robot.
    fn on_robot(&self, part: usize) -> Option<(usize, usize)> {
        self.cell.link_of(part).filter(|(robot, ..)| *robot == self.robot).map(|(_, link, _)| (part, link))
    }

    /// Returns the poses of all parts. `value` returns the value of a free joint, given its index
    /// among the free joints and its range.
    fn poses(&self, value: impl Fn(usize, [f64; 2]) -> f64) -> Vec<Pose> {
        let mut values = vec![Vec::new(); self.cell.robots().len()];
        let robot = &self.cell.robots()[self.robot];
        let mut own = vec![0.0; robot.joints().len()];
        for (number, (joint, range)) in self.ranges.iter().enumerate() {
            own[*joint] = value(number, *range);
        }
        robot.set_followers(&mut own);
        values[self.robot] = own;
        self.cell.part_poses(&values)
    }

    /// Returns the next samples to test; `None` at the end.
    pub fn round(&self) -> Option<Range<u32>> {
        let end = self.settings.samples.min(self.n_done.saturating_add(ROUND_SAMPLES));
        (self.n_done < end && !self.open.is_empty()).then_some(self.n_done..end)
    }

    /// Tests one sample: whether each pair that is still open touches, and then for each of them
    /// whether that is not known. Samples of a round may be tested in any order, on any thread.
    pub fn test(&self, sample: u32) -> Vec<bool> {
        let n_joints = self.ranges.len() as u64;
        let poses = self.poses(|number, [low, high]| {
            let share = share_of(self.settings.seed, u64::from(sample) * n_joints + number as u64);
            low + (high - low) * share
        });
        let answers: Vec<Option<bool>> =
            self.open.iter().map(|pair| self.cell.touches(pair.parts, &poses)).collect();
        let touching = answers.iter().map(|answer| *answer == Some(true));
        touching.chain(answers.iter().map(Option::is_none)).collect()
    }

    /// Adds the answers of [`AllowedSearch::test`] for all samples of a round, in any order.
    pub fn add(&mut self, round: &[Vec<bool>]) {
        for answers in round {
            debug_assert_eq!(answers.len(), 2 * self.open.len(), "answers of another round");
            let (touching, unknown) = answers.split_at(answers.len() / 2);
            for ((pair, is_touching), is_unknown) in self.open.iter_mut().zip(touching).zip(unknown) {
                pair.n_touching += u32::from(*is_touching);
                pair.is_unknown |= *is_unknown;
            }
        }
        self.n_done += round.len() as u32;
        let (most, n_done) = (self.settings.samples.saturating_sub(self.least_always()), self.n_done);
        let is_open =
            |pair: &OpenPair| !pair.is_unknown && (pair.n_touching == 0 || n_done - pair.n_touching <= most);
        self.open.retain(is_open);
    }

    /// Runs all rounds and returns the pairs that were found, sorted. `test` returns the answers
    /// of [`AllowedSearch::test`] for the samples of a round, in any order, on one thread or
    /// several.
    ///
    /// Errors: the first one of `test`, which ends the search.
    pub fn run<E>(
        mut self,
        mut test: impl FnMut(&AllowedSearch<'a>, Range<u32>) -> Result<Vec<Vec<bool>>, E>,
    ) -> Result<Vec<AllowedPair>, E> {
        while let Some(samples) = self.round() {
            let answers = test(&self, samples)?;
            self.add(&answers);
        }
        Ok(self.finish())
    }

    /// Returns the least number of samples in which an Always pair touches.
    fn least_always(&self) -> u32 {
        let least = (f64::from(self.settings.samples) * self.settings.always_share).ceil();
        (least as u32).clamp(1, self.settings.samples.max(1))
    }

    /// Returns the number of samples that were tested, and the number of all samples.
    pub fn progress(&self) -> (u32, u32) {
        (self.n_done, self.settings.samples)
    }

    /// Returns the pairs that were found, sorted. After all rounds they are complete.
    pub fn finish(mut self) -> Vec<AllowedPair> {
        let is_complete = self.n_done == self.settings.samples && 0 < self.n_done;
        let least = self.least_always();
        for pair in self.open.iter().filter(|_| is_complete) {
            let reason = match pair.n_touching {
                0 => AllowedReason::Never,
                n if least <= n => AllowedReason::Always,
                _ => continue,
            };
            self.found.push(AllowedPair { parts: pair.parts, reason });
        }
        self.found.sort_unstable_by_key(|pair| pair.parts);
        self.found
    }
}

/// Returns the pairs of parts of a robot whose collisions do not count, sorted, found on one
/// thread.
///
/// Errors: those of [`AllowedSearch::new`].
pub fn allowed_pairs(
    cell: &Workcell,
    robot: usize,
    settings: &AllowedSettings,
) -> Result<Vec<AllowedPair>, AllowedError> {
    let search = AllowedSearch::new(cell, robot, settings)?;
    search.run(|search, samples| Ok(samples.map(|sample| search.test(sample)).collect()))
}

/// Returns the pairs of links whose parts are adjacent, low index first.
fn adjacent_links(robot: &Robot) -> HashSet<[usize; 2]> {
    let links: Vec<usize> = robot.part_links().collect();
    let pair = |[a, b]: [usize; 2]| [links[a].min(links[b]), links[a].max(links[b])];
    robot.adjacent_parts().into_iter().map(pair).collect()
}

/// Returns the nearest joint above a link whose motion is not read.
fn unread_joint_above(robot: &Robot, mut link: usize) -> Option<usize> {
    loop {
        let at = robot.joint_above(link)?;
        if robot.joints()[at].kind == RobotJointKind::Other {
            return Some(at);
        }
        link = robot.joints()[at].links[0];
    }
}

/// Returns the range in which a joint is sampled. For a joint that turns without limits it is a
/// whole turn.
fn range(robot: &Robot, joint: usize) -> Result<[f64; 2], AllowedError> {
    let joint = &robot.joints()[joint];
    match (joint.limits, joint.kind) {
        (Some([low, high]), _) if low <= high && (high - low).is_finite() => Ok([low, high]),
        (Some(limits), _) => Err(AllowedError::BadLimits { joint: joint.name.clone(), limits }),
        (None, RobotJointKind::Revolute) => Ok([-PI, PI]),
        (None, _) => Err(AllowedError::NoLimits { joint: joint.name.clone() }),
    }
}

fn middle([low, high]: [f64; 2]) -> f64 {
    0.5 * low + 0.5 * high
}

/// Returns the random number in [0, 1) with this index.
fn share_of(seed: u64, index: u64) -> f64 {
    let mut state = splitmix::mixed(seed).wrapping_add(index.wrapping_mul(splitmix::GAMMA));
    (splitmix::next(&mut state) >> 11) as f64 / (1_u64 << 53) as f64
}
