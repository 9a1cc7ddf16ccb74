//! Pushes: the impulses of the pairs that record them, in the last step and before.
//!
//! A pair is recorded if one of its bodies records pushes, or has an impulse threshold. Each is
//! stored once, and found from both bodies by a sorted list.

use crate::BodyId;
use crate::bodies::shift::Shift;
#[cfg(feature = "soft")]
use crate::soft::id::SoftThing;
use alloc::vec::Vec;
use carom_math::Vec3;
use core::ops::Range;

/// A push on a body in a step: [`BodyRef::pushes`](crate::BodyRef::pushes).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Push {
    /// The body that pushed. `None` for impulses that were applied to a kinematic body, and for
    /// soft things.
    pub by: Option<BodyId>,
    /// The soft thing that pushed, if it was one.
    #[cfg(feature = "soft")]
    pub thing: Option<SoftThing>,
    /// The impulse on the pushed body, friction included: mass times speed, in the world frame.
    pub impulse: Vec3,
    /// The mean of the contact points, weighted by their impulses, in the world frame.
    pub point: Vec3,
    /// The largest speed of approach at a contact before the step, length per time. It is 0 if the
    /// bodies did not approach each other. For a soft thing it is that of its fastest particle.
    pub approach_speed: f32,
}

impl Push {
    /// Whether it is an impulse that was applied to a kinematic body: neither a body nor a soft
    /// thing pushed.
    pub fn is_applied(&self) -> bool {
        #[cfg(feature = "soft")]
        let is_soft = self.thing.is_some();
        #[cfg(not(feature = "soft"))]
        let is_soft = false;
        self.by.is_none() && !is_soft
    }
}

/// The maximum number of later detections for which the pushes on a kinematic body are kept.
const MAX_PUSH_AGE: u32 = 15;

/// The age of a push that was removed. It stays in the list until the next detection.
const REMOVED: u32 = u32::MAX;

/// The impulse of a pair of colliders in a step.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PairPush {
    pub(crate) a: BodyId,
    /// `None` for an impulse that was applied to the kinematic body A, and for a soft thing.
    pub(crate) b: Option<BodyId>,
    /// On A.
    pub(crate) impulse: Vec3,
    pub(crate) point: Vec3,
    pub(crate) approach_speed: f32,
    /// The number of later detections.
    pub(crate) age: u32,
    /// The soft thing that pushed A.
    #[cfg(feature = "soft")]
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) thing: Option<SoftThing>,
}

impl PairPush {
    /// Whether its numbers are such as a step records.
    pub(crate) fn is_valid(&self) -> bool {
        let are_finite = self.impulse.is_finite() && self.point.is_finite();
        are_finite && (0.0..f32::INFINITY).contains(&self.approach_speed) && self.age <= MAX_PUSH_AGE
    }

    /// Returns the push on a body of the pair.
    fn on(&self, body: BodyId) -> Push {
        let PairPush { a, b, impulse, point, approach_speed, .. } = *self;
        let (by, impulse) = if a == body { (b, impulse) } else { (Some(a), -impulse) };
        Push {
            by,
            #[cfg(feature = "soft")]
            thing: self.thing,
            impulse,
            point,
            approach_speed,
        }
    }
}

/// The pushes of the last step, and those on kinematic bodies of the steps before.
#[derive(Default)]
pub(crate) struct Pushes {
    /// The oldest first. Those of a step are in the order of their pairs.
    list: Vec<PairPush>,
    /// The pushes on each body, by their places in `list`, ascending.
    by_body: Vec<(BodyId, u32)>,
}

impl Pushes {
    /// At the start of a detection: removes all pushes except those on kinematic bodies, which are
    /// kept for a while.
    pub(crate) fn age(&mut self, is_kinematic: impl Fn(BodyId) -> bool) {
        self.list.retain_mut(|push| {
            push.age = push.age.saturating_add(1);
            push.age <= MAX_PUSH_AGE && (is_kinematic(push.a) || push.b.is_some_and(&is_kinematic))
        });
        self.index();
    }

    /// Appends pushes of this step.
    pub(crate) fn record(&mut self, pushes: Vec<PairPush>) {
        if !pushes.is_empty() {
            self.list.extend(pushes);
            self.index();
        }
    }

    /// Returns the pushes on a body of the last step, or of all steps, the oldest first.
    pub(crate) fn on(&self, body: BodyId, is_recent: bool) -> impl Iterator<Item = Push> + '_ {
        let max_age = if is_recent { MAX_PUSH_AGE } else { 0 };
        let places = self.by_body[self.range_of(body)].iter();
        let pushes = places.map(|&(_, place)| &self.list[place as usize]);
        pushes.filter(move |push| push.age <= max_age).map(move |push| push.on(body))
    }

    /// Removes the pushes on a body.
    pub(crate) fn remove(&mut self, body: BodyId) {
        for &(_, place) in &self.by_body[self.range_of(body)] {
            self.list[place as usize].age = REMOVED;
        }
    }

    pub(crate) fn shift(&mut self, shift: Shift) {
        self.list.iter_mut().for_each(|push| shift.apply(&mut push.point));
    }

    /// Returns the pushes for a snapshot.
    pub(crate) fn stored(&self) -> Vec<PairPush> {
        self.list.iter().filter(|push| push.age != REMOVED).copied().collect()
    }

    /// Returns the pushes of a snapshot.
    pub(crate) fn restored(list: &[PairPush]) -> Pushes {
        let mut pushes = Pushes { list: list.to_vec(), by_body: Vec::new() };
        pushes.index();
        pushes
    }

    /// Returns the range of a body in `by_body`.
    fn range_of(&self, body: BodyId) -> Range<usize> {
        let first = self.by_body.partition_point(|&(known, _)| known < body);
        first..first + self.by_body[first..].partition_point(|&(known, _)| known == body)
    }

    fn index(&mut self) {
        self.by_body.clear();
        for (place, push) in (0..).zip(&self.list) {
            self.by_body.extend([Some(push.a), push.b].into_iter().flatten().map(|body| (body, place)));
        }
        self.by_body.sort_unstable();
    }
}
