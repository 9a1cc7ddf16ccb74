//! Response rules: responses other than a collision, of single bodies and of pairs.
//!
//! Reference: J. Hahn, Realistic Animation of Rigid Bodies, SIGGRAPH 1988 (responses other than a
//! bounce).

use crate::bodies::id::BodyId;
use crate::contacts::events::{Event, EventKind};
use crate::joints::JointId;
use alloc::vec::Vec;
use carom_broad::Pair;
use carom_math::Vec3;
use carom_response::{Inconsistency, Response};

/// An event of a response rule: its effect on two bodies that touched.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ResponseEvent {
    /// The body with the smaller number.
    pub a: BodyId,
    /// The body with the larger number.
    pub b: BodyId,
    /// The response: stick or knock.
    pub response: Response,
    /// The weld joint of bodies that stick.
    pub joint: Option<JointId>,
    /// The impulse of a knock on B, in the world frame, mass times speed; zero for bodies that
    /// stick.
    pub impulse: Vec3,
    /// Kinetic energy that was lost in the impact; negative if some was added. If bodies stick, it
    /// is computed from the velocities before their first impulse.
    pub energy_lost: f64,
}

/// The rules, sorted by body and by pair. Most worlds have none.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Rules {
    pub(crate) of_bodies: Vec<(u32, Response)>,
    pub(crate) of_pairs: Vec<([u32; 2], Response)>,
    /// Pairs that are about to stick, with the energy that this removes.
    pub(crate) approaching: Vec<([u32; 2], f64)>,
    /// Pairs that touch, and whose contact began in an earlier detection, after the last step in
    /// which time passed. A knock of them is still due.
    pub(crate) begun: Vec<([u32; 2], ())>,
    /// Whether the rules were not applied to the events of the last detection.
    pub(crate) is_unanswered: bool,
}

impl Rules {
    pub(crate) fn is_empty(&self) -> bool {
        self.of_bodies.is_empty() && self.of_pairs.is_empty()
    }

    pub(crate) fn of_body(&self, body: u32) -> Response {
        let found = self.of_bodies.binary_search_by_key(&body, |&(number, _)| number);
        found.map_or(Response::Collide, |index| self.of_bodies[index].1)
    }

    /// Returns the response of a pair.
    pub(crate) fn of(&self, Pair { a, b }: Pair) -> Response {
        match self.of_pairs.binary_search_by_key(&[a, b], |&(pair, _)| pair) {
            Ok(index) => self.of_pairs[index].1,
            Err(_) if self.of_bodies.is_empty() => Response::Collide,
            Err(_) => Response::of_pair(self.of_body(a), self.of_body(b)),
        }
    }

    /// Whether any pair could pass.
    pub(crate) fn has_pass(&self) -> bool {
        self.of_bodies.iter().any(|rule| rule.1 == Response::Pass)
            || self.of_pairs.iter().any(|rule| rule.1 == Response::Pass)
    }

    pub(crate) fn set_body(&mut self, body: u32, response: Response) {
        let response = Some(response).filter(|&response| response != Response::Collide);
        set(&mut self.of_bodies, body, response);
    }

    /// Drops the rules of a body that is removed.
    pub(crate) fn forget(&mut self, body: u32) {
        set(&mut self.of_bodies, body, None);
        self.of_pairs.retain(|(pair, _)| !pair.contains(&body));
        self.approaching.retain(|(pair, _)| !pair.contains(&body));
        self.begun.retain(|(pair, ())| !pair.contains(&body));
    }

    /// Checks that rules are sorted, belong to living bodies, and are within their bounds.
    pub(crate) fn check(&self, is_live: &[bool]) -> Result<(), Inconsistency> {
        let lives = |body: u32| is_live.get(body as usize) == Some(&true);
        let are_bodies = |k: usize| lives(self.of_bodies[k].0) && self.of_bodies[k].1.is_sound();
        let is_pair = |[a, b]: [u32; 2]| a < b && lives(a) && lives(b);
        let are_pairs = |k: usize| is_pair(self.of_pairs[k].0) && self.of_pairs[k].1.is_sound();
        let are_near = |k: usize| is_pair(self.approaching[k].0) && self.approaching[k].1.is_finite();
        check_list(&self.of_bodies, are_bodies, "a response of a body")?;
        check_list(&self.of_pairs, are_pairs, "a response of a pair")?;
        check_list(&self.approaching, are_near, "a pair that is about to stick")?;
        check_list(&self.begun, |k| is_pair(self.begun[k].0), "a pair that began to touch")
    }
}

/// Returns the pairs of bodies that touch and push each other, in their order, and whether their
/// contact began. It began in these events, or as an entry of `begun` says.
///
/// Bodies of several colliders have several events. Their contact begins with that of the first
/// colliders.
pub(crate) fn touching_pairs<'a>(
    events: &'a [Event],
    begun: &'a [([u32; 2], ())],
) -> impl Iterator<Item = (BodyId, BodyId, bool)> + 'a {
    let pairs = events.chunk_by(|x, y| (x.a, x.b) == (y.a, y.b));
    pairs.filter_map(move |events| {
        let kinds = events.iter().filter(|event| !event.is_sensor).map(|event| event.kind);
        let (a, b) = (events[0].a, events[0].b);
        let is_noted = || begun.binary_search_by_key(&[a.index, b.index], |(pair, ())| *pair).is_ok();
        let touches = kinds.clone().any(|kind| kind != EventKind::Ended);
        touches.then(|| (a, b, kinds.clone().all(|kind| kind == EventKind::Began) || is_noted()))
    })
}

/// Sets or removes an entry of a sorted list.
pub(crate) fn set<K: Ord, V>(list: &mut Vec<(K, V)>, key: K, value: Option<V>) {
    match (list.binary_search_by(|(other, _)| other.cmp(&key)), value) {
        (Ok(index), Some(value)) => list[index].1 = value,
        (Ok(index), None) => drop(list.remove(index)),
        (Err(index), Some(value)) => list.insert(index, (key, value)),
        (Err(_), None) => {}
    }
}

/// Checks that a list is sorted, and each of its entries sound.
pub(crate) fn check_list<K: Ord, V>(
    list: &[(K, V)],
    is_sound: impl Fn(usize) -> bool,
    what: &'static str,
) -> Result<(), Inconsistency> {
    let is_good = |k: usize| is_sound(k) && (k == 0 || list[k - 1].0 < list[k].0);
    (0..list.len()).find(|&k| !is_good(k)).map_or(Ok(()), |index| Err(Inconsistency { what, index }))
}
