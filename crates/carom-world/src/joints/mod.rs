//! Handles of joints, the table of joints, and the joints of each body.
//!
//! Reference: D. E. Knuth, The Art of Computer Programming 3, 6.5 (retrieval on secondary keys:
//! joints by body).

pub(crate) mod desc;

use crate::bodies::active_bodies::ActiveBodies;
use crate::bodies::id::BodyId;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use carom_response::{Body, GearParts, Inconsistency, Joint, JointImpulse, JointLoad};

/// A handle of a joint. After the joint or one of its bodies is removed, each use of the handle is
/// an error.
///
/// A handle does not identify its world: see [`BodyId`](crate::BodyId).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointId(pub(crate) u64);

impl JointId {
    /// Returns the number of the joint. Joints are numbered in the order of their insertion.
    #[inline]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// A joint that broke in the last step, and was removed. The gears that coupled it were removed
/// too. They are listed only if they were overloaded themselves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct JointBroken {
    /// The handle that the joint had.
    pub joint: JointId,
    /// Body A.
    pub a: BodyId,
    /// Body B.
    pub b: BodyId,
    /// The force at which it broke, as the mean over the step: mass times length per time squared
    /// (newtons).
    pub force: f32,
    /// The torque at which it broke, as the mean over the step: force times length.
    pub torque: f32,
    /// The user data of the joint: see
    /// [`JointDesc::with_user_data`](crate::JointDesc::with_user_data).
    pub user_data: u64,
}

/// The joints in the order of insertion, as the solver takes them, and their handles.
///
/// A removed joint leaves a gap. Gaps are closed when they are half of the table, so the removal of
/// one of many joints moves no other.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Joints {
    list: Vec<Joint>,
    /// The handles, ascending.
    ids: Vec<JointId>,
    next: u64,
    n_gaps: usize,
    /// The gears, ascending, each with the two joints that it couples.
    gears: Vec<(JointId, [JointId; 2])>,
    /// The joints that broke in the last step.
    pub(crate) broken: Vec<JointBroken>,
    /// The joints that the user disabled, ascending.
    disabled: Vec<JointId>,
    /// The joints that do not act: disabled ones, those of disabled bodies, and gears of such
    /// joints.
    #[cfg_attr(feature = "serde", serde(skip))]
    idle: BTreeSet<JointId>,
    /// The joints that act, and those that do not.
    #[cfg_attr(feature = "serde", serde(skip))]
    by_body: ByBody,
    #[cfg_attr(feature = "serde", serde(skip))]
    idle_by_body: ByBody,
}

/// Joints by body: the other body and the handle of each, in the order of insertion.
#[derive(Clone, Debug, Default)]
struct ByBody(BTreeMap<u32, Vec<(u32, JointId)>>);

impl ByBody {
    fn add(&mut self, joint: &Joint, id: JointId) {
        for (own, other) in [(joint.body_a, joint.body_b), (joint.body_b, joint.body_a)] {
            let list = self.0.entry(own).or_default();
            let place = list.partition_point(|&(_, known)| known < id);
            list.insert(place, (other, id));
        }
    }

    fn remove(&mut self, joint: &Joint, id: JointId) {
        for body in [joint.body_a, joint.body_b] {
            if let Some(own) = self.0.get_mut(&body) {
                own.retain(|&(_, other)| other != id);
                if own.is_empty() {
                    self.0.remove(&body);
                }
            }
        }
    }

    fn of(&self, body: u32) -> &[(u32, JointId)] {
        self.0.get(&body).map_or(&[], Vec::as_slice)
    }
}

/// Up to this number of gaps the table is not compacted.
const MAX_OPEN_GAPS: usize = 64;

impl Joints {
    pub(crate) fn insert(&mut self, joint: Joint) -> JointId {
        let id = JointId(self.next);
        self.next += 1;
        self.by_body.add(&joint, id);
        self.list.push(joint);
        self.ids.push(id);
        id
    }

    /// Inserts a gear that couples two joints. It is removed with either of them.
    pub(crate) fn insert_gear(&mut self, gear: Joint, coupled: [JointId; 2]) -> JointId {
        let id = self.insert(gear);
        self.gears.push((id, coupled));
        id
    }

    /// Returns the gears that couple a joint, each with both joints.
    pub(crate) fn gears_of(&self, id: JointId) -> Vec<(JointId, [JointId; 2])> {
        self.gears.iter().filter(|(_, coupled)| coupled.contains(&id)).copied().collect()
    }

    /// Whether the user has not disabled the joint.
    pub(crate) fn is_enabled(&self, id: JointId) -> bool {
        self.disabled.binary_search(&id).is_err()
    }

    /// Whether the joint acts on its bodies.
    pub(crate) fn acts(&self, id: JointId) -> bool {
        !self.idle.contains(&id)
    }

    /// Enables or disables a joint. Call [`Joints::update_idle`] then.
    pub(crate) fn set_enabled(&mut self, id: JointId, is_enabled: bool) {
        match (self.disabled.binary_search(&id), is_enabled) {
            (Ok(place), true) => _ = self.disabled.remove(place),
            (Err(place), false) => self.disabled.insert(place, id),
            _ => {}
        }
    }

    /// Updates whether these joints act, and the gears that couple them, after the joints or their
    /// bodies were enabled, disabled or inserted. Returns the joints that changed. A gear that
    /// begins to act keeps its present angles.
    ///
    /// The cost is that of these joints, and of a walk over the gears for each.
    pub(crate) fn update_idle(
        &mut self,
        mut due: Vec<JointId>,
        bodies: &[Body],
        is_disabled: impl Fn(u32) -> bool,
    ) -> Vec<JointId> {
        for place in 0..if self.gears.is_empty() { 0 } else { due.len() } {
            due.extend(self.gears_of(due[place]).into_iter().map(|(gear, _)| gear));
        }
        // A gear is newer than the joints that it couples.
        due.sort_unstable();
        due.dedup();
        due.retain(|&id| self.update_one(id, bodies, &is_disabled));
        due
    }

    /// Updates whether a joint acts, after the joints that it couples. Returns whether it changed.
    fn update_one(&mut self, id: JointId, bodies: &[Body], is_disabled: &impl Fn(u32) -> bool) -> bool {
        let Some(position) = self.position(id) else { return false };
        let joint = self.list[position];
        let coupled = self.gears.binary_search_by_key(&id, |(gear, _)| *gear);
        let acts = self.is_enabled(id)
            && ![joint.body_a, joint.body_b].into_iter().any(is_disabled)
            && coupled.map_or(true, |place| self.gears[place].1.iter().all(|id| self.acts(*id)));
        if acts == self.acts(id) {
            return false;
        }
        let [from, to] = match acts {
            true => [&mut self.idle_by_body, &mut self.by_body],
            false => [&mut self.by_body, &mut self.idle_by_body],
        };
        from.remove(&joint, id);
        to.add(&joint, id);
        if acts {
            self.idle.remove(&id);
            if let Some(parts) = self.gear_at_present(id, bodies) {
                self.list[position].gear = Some(parts);
            }
        } else {
            self.idle.insert(id);
            self.list[position].impulse = JointImpulse::default();
            self.list[position].load = JointLoad::default();
        }
        true
    }

    /// Returns the parts of a gear at the present angles of its bodies; `None` for other joints.
    fn gear_at_present(&self, id: JointId, bodies: &[Body]) -> Option<GearParts> {
        let place = self.gears.binary_search_by_key(&id, |(gear, _)| *gear).ok()?;
        let [one, other] = self.gears[place].1.map(|id| self.get(id));
        let coupled = [one?, other?];
        let ends = coupled.map(|joint| [joint.body_a, joint.body_b].map(|body| &bodies[body as usize]));
        Joint::gear(self.get(id)?.kind, coupled, ends).ok()?.gear
    }

    /// Whether some joints do not act.
    pub(crate) fn has_idle(&self) -> bool {
        !self.idle.is_empty()
    }

    fn position(&self, id: JointId) -> Option<usize> {
        let position = self.ids.binary_search(&id).ok()?;
        is_there(&self.list[position]).then_some(position)
    }

    pub(crate) fn get(&self, id: JointId) -> Option<&Joint> {
        self.position(id).map(|position| &self.list[position])
    }

    pub(crate) fn get_mut(&mut self, id: JointId) -> Option<&mut Joint> {
        self.position(id).map(|position| &mut self.list[position])
    }

    /// Returns all joints, in the order of insertion.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (JointId, &Joint)> + '_ {
        self.ids.iter().copied().zip(&self.list).filter(|(_, joint)| is_there(joint))
    }

    /// Returns all joints for changes, including the entries of gaps.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Joint> + '_ {
        self.list.iter_mut()
    }

    /// Returns the handles of all joints of a body, in the order of insertion, also of those that
    /// do not act.
    pub(crate) fn all_of(&self, body: u32) -> Vec<JointId> {
        let mut all: Vec<JointId> =
            self.of(body).iter().chain(self.idle_of(body)).map(|&(_, id)| id).collect();
        all.sort_unstable();
        all
    }

    /// Returns the joints of a body that act, each with the other body.
    pub(crate) fn of(&self, body: u32) -> &[(u32, JointId)] {
        self.by_body.of(body)
    }

    /// Returns the joints of a body that do not act, each with the other body.
    pub(crate) fn idle_of(&self, body: u32) -> &[(u32, JointId)] {
        self.idle_by_body.of(body)
    }

    /// Removes a joint, and returns it. Remove the gears that couple it first.
    pub(crate) fn remove(&mut self, id: JointId) -> Option<Joint> {
        let position = self.position(id)?;
        let joint = self.list[position];
        for joints in [&mut self.by_body, &mut self.idle_by_body] {
            joints.remove(&joint, id);
        }
        self.idle.remove(&id);
        self.set_enabled(id, true);
        self.gears.retain(|(gear, _)| *gear != id);
        self.list[position].body_b = joint.body_a;
        self.n_gaps += 1;
        if MAX_OPEN_GAPS + self.list.len() / 2 < self.n_gaps {
            self.close_gaps();
        }
        Some(joint)
    }

    /// Removes the joints of a body with the gears that couple them. Returns the pairs of bodies
    /// that they joined. The body is usually in all of them, but not in those of gears.
    pub(crate) fn remove_of(&mut self, body: u32) -> Vec<[u32; 2]> {
        let mut parted = Vec::new();
        for id in self.all_of(body) {
            let gears = self.gears_of(id).into_iter().map(|(gear, _)| gear);
            let removed = gears.chain([id]).filter_map(|id| self.remove(id));
            parted.extend(removed.map(|joint| [joint.body_a, joint.body_b]));
        }
        parted
    }

    fn close_gaps(&mut self) {
        let mut stays = self.list.iter().map(is_there);
        self.ids.retain(|_| stays.next().unwrap_or(true));
        self.list.retain(is_there);
        self.n_gaps = 0;
    }

    /// Whether a joint that acts connects the two bodies.
    pub(crate) fn connects(&self, a: u32, b: u32) -> bool {
        self.of(a).iter().any(|&(other, _)| other == b)
    }

    /// Whether a joint that acts connects the two bodies and allows no contacts between them.
    pub(crate) fn separates(&self, a: u32, b: u32) -> bool {
        let forbids = |id| self.get(id).is_some_and(|joint| !joint.has_contacts);
        self.of(a).iter().any(|&(other, id)| other == b && forbids(id))
    }

    /// The joints as the solver takes them, with gaps, which it must pass over.
    pub(crate) fn list_mut(&mut self) -> &mut [Joint] {
        &mut self.list
    }

    /// Returns the joint at a place.
    pub(crate) fn at(&self, index: u32) -> &Joint {
        &self.list[index as usize]
    }

    /// Returns the handle of the joint at a place.
    pub(crate) fn id_at(&self, index: u32) -> JointId {
        self.ids[index as usize]
    }

    /// Finds the places of the joints that act on moving bodies, ascending.
    pub(crate) fn find_moving(&self, active: &ActiveBodies, indices: &mut Vec<u32>) {
        indices.clear();
        if self.list.len() <= active.moving().len() {
            let moves = |joint: &Joint| active.moves(joint.body_a) || active.moves(joint.body_b);
            let own = (0..).zip(&self.list).filter(|(_, joint)| is_there(joint) && moves(joint));
            indices.extend(own.map(|(index, _)| index));
            if self.has_idle() {
                indices.retain(|&index| self.acts(self.id_at(index)));
            }
            return;
        }
        for &body in if self.by_body.0.is_empty() { &[] } else { active.moving() } {
            // A joint of two moving bodies is listed for the smaller number.
            let own = self.of(body).iter().filter(|(other, _)| body < *other || !active.moves(*other));
            indices.extend(own.filter_map(|(_, id)| self.position(*id)).map(|index| index as u32));
        }
        indices.sort_unstable();
    }

    /// Returns the table for a snapshot: without gaps and index.
    pub(crate) fn stored(&self) -> Joints {
        let (ids, list) = self.iter().map(|(id, joint)| (id, *joint)).unzip();
        let (gears, broken, disabled) = (self.gears.clone(), self.broken.clone(), self.disabled.clone());
        Joints { list, ids, next: self.next, gears, broken, disabled, ..Joints::default() }
    }

    /// Returns the table of a restored world with these bodies, of which some are disabled.
    pub(crate) fn restored(stored: &Joints, bodies: &[Body], disabled: &[u32]) -> Joints {
        let mut joints = stored.clone();
        for (id, joint) in stored.iter() {
            joints.by_body.add(joint, id);
        }
        let is_disabled = |body: u32| disabled.binary_search(&body).is_ok();
        for id in stored.ids.iter().copied() {
            joints.update_one(id, bodies, &is_disabled);
        }
        joints
    }

    /// Checks a stored table: as many handles as joints, ascending, without gaps, and each joint
    /// between two living bodies.
    pub(crate) fn check(&self, is_live: &[bool]) -> Result<(), Inconsistency> {
        let bad = |index, what| Err(Inconsistency { what, index });
        if self.ids.len() != self.list.len() || self.n_gaps != 0 {
            return bad(self.ids.len().min(self.list.len()), "the table of joints and that of their handles");
        }
        if let Some(index) = self.ids.windows(2).position(|ids| ids[1] <= ids[0]) {
            return bad(index + 1, "a handle of a joint out of order");
        }
        if self.next == u64::MAX || self.ids.last().is_some_and(|id| self.next <= id.0) {
            return bad(self.ids.len(), "the next handle of a joint");
        }
        let is_unknown = |id: &JointId| self.get(*id).is_none();
        if !self.disabled.is_sorted_by(|one, other| one < other) || self.disabled.iter().any(is_unknown) {
            return bad(self.disabled.len(), "the table of disabled joints");
        }
        for (index, joint) in self.list.iter().enumerate() {
            joint.validate(is_live.len()).map_err(|what| Inconsistency { what, index })?;
            let mounts = joint.gear.map_or([joint.body_a; 2], |gear| gear.mounts);
            let mut bodies = [joint.body_a, joint.body_b].into_iter().chain(mounts);
            if !bodies.all(|body| is_live[body as usize]) {
                return bad(index, "a joint of a body that was removed");
            }
        }
        self.check_gears()
    }

    /// Checks that the gears are ascending, are the joints with parts of a gear, and couple two
    /// joints that are there.
    fn check_gears(&self) -> Result<(), Inconsistency> {
        let bad = |index, what| Err(Inconsistency { what, index });
        let n_gears = self.list.iter().filter(|joint| joint.gear.is_some()).count();
        if n_gears != self.gears.len() || !self.gears.is_sorted_by(|one, other| one.0 < other.0) {
            return bad(n_gears.min(self.gears.len()), "the table of gears");
        }
        for (index, (id, coupled)) in self.gears.iter().enumerate() {
            let Some(gear) = self.get(*id).and_then(|joint| joint.gear) else {
                return bad(index, "a gear without its parts");
            };
            let mounts = coupled.map(|id| self.get(id).filter(|joint| joint.gear.is_none()));
            if mounts.map(|joint| joint.map(|joint| joint.body_a)) != gear.mounts.map(Some) {
                return bad(index, "a gear that couples other joints than its parts say");
            }
        }
        Ok(())
    }
}

/// Whether there is a joint: a gap connects a body with itself.
fn is_there(joint: &Joint) -> bool {
    joint.body_a != joint.body_b
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_math::{Pose, Vec3};
    use carom_response::{Body, BodyKind, JointKind, Sleepers};
    use proptest::prelude::*;

    /// Each `nth` body moves. The edits insert a joint of two bodies, or remove a joint or all
    /// joints of a body.
    fn script() -> impl Strategy<Value = (usize, Vec<(u32, u32, u8)>)> {
        (1usize..12, prop::collection::vec((0u32..24, 0u32..24, 0u8..8), 0..300))
    }

    proptest! {
        #[test]
        fn joints_by_body_match_a_walk_over_all((nth, script) in script()) {
            let bodies: Vec<Body> = (0..24)
                .map(|k| {
                    let mut body = Body::fixed(Pose::IDENTITY);
                    if k % nth == 0 {
                        body.kind = BodyKind::Dynamic;
                    }
                    body
                })
                .collect();
            let mut active = ActiveBodies::of(&bodies, &Sleepers::default(), [&[], &[]]);
            active.apply_changes(&bodies);
            let mut joints = Joints::default();
            let mut model: Vec<(JointId, u32, u32)> = Vec::new();
            for (a, b, what) in script {
                match what {
                    0 => {
                        let was = model.iter().any(|&(_, x, y)| x == a || y == a);
                        prop_assert_eq!(!joints.remove_of(a).is_empty(), was);
                        model.retain(|&(_, x, y)| x != a && y != a);
                    }
                    1 | 2 => {
                        if let Some(index) = (!model.is_empty()).then(|| b as usize % model.len()) {
                            let (id, x, y) = model.remove(index);
                            let joint = joints.remove(id).unwrap();
                            prop_assert_eq!((joint.body_a, joint.body_b), (x, y));
                            prop_assert!(joints.remove(id).is_none() && joints.get(id).is_none());
                        }
                    }
                    _ if a != b => {
                        let joint = Joint::at(JointKind::Weld, &bodies, a, b, Vec3::ZERO, Vec3::X).unwrap();
                        model.push((joints.insert(joint), a, b));
                    }
                    _ => {}
                }
                let all: Vec<_> = joints.iter().map(|(id, joint)| (id, joint.body_a, joint.body_b)).collect();
                prop_assert_eq!(&all, &model);
                let connected = model.iter().any(|&(_, x, y)| (x, y) == (a, b) || (y, x) == (a, b));
                prop_assert_eq!(joints.connects(a, b), connected);
                let mut indices = Vec::new();
                joints.find_moving(&active, &mut indices);
                prop_assert!(indices.is_sorted_by(|x, y| x < y));
                let ends = |joint: &Joint| (joint.body_a, joint.body_b);
                let moving: Vec<_> = indices.iter().map(|&index| ends(joints.at(index))).collect();
                let expected: Vec<_> =
                    model.iter().filter(|&&(_, x, y)| active.moves(x) || active.moves(y)).map(|&(_, x, y)| (x, y)).collect();
                prop_assert_eq!(moving, expected);
                let stored = joints.stored();
                prop_assert_eq!(stored.check(&[true; 24]), Ok(()));
                let restored = Joints::restored(&stored, &bodies, &[]);
                prop_assert_eq!(restored.of(a), joints.of(a));
                prop_assert!(joints.list.len() <= 2 * (model.len() + MAX_OPEN_GAPS) + 2);
            }
        }
    }

    /// The cost of a change is that of its joints. A walk over all finds the same joints that act.
    #[test]
    fn r_a_change_tests_its_own_joints_only() {
        let n = 100;
        let bodies: Vec<Body> = (0..n).map(|_| Body::fixed(Pose::IDENTITY)).collect();
        let mut joints = Joints::default();
        for a in 0..n - 1 {
            let joint = Joint::at(JointKind::Weld, &bodies, a, a + 1, Vec3::ZERO, Vec3::X).unwrap();
            joints.insert(joint);
        }
        let n_tests = core::cell::Cell::new(0);
        let mut disabled = alloc::collections::BTreeSet::new();
        for step in 0..200 {
            let body = step * 37 % n;
            if !disabled.remove(&body) {
                disabled.insert(body);
            }
            let is_disabled = |body: u32| {
                n_tests.set(n_tests.get() + 1);
                disabled.contains(&body)
            };
            let changed = joints.update_idle(joints.all_of(body), &bodies, is_disabled);
            assert!(changed.len() <= 2);
            let acts =
                |joint: &Joint| [joint.body_a, joint.body_b].iter().all(|body| !disabled.contains(body));
            assert!(joints.iter().all(|(id, joint)| joints.acts(id) == acts(joint)), "{step}");
            let n_acting = joints.iter().filter(|(_, joint)| acts(joint)).count();
            let listed = |list: &ByBody| list.0.values().map(Vec::len).sum::<usize>() / 2;
            assert_eq!(listed(&joints.by_body), n_acting);
            assert_eq!(listed(&joints.idle_by_body), joints.list.len() - n_acting);
        }
        assert!(n_tests.get() <= 200 * 4, "{}", n_tests.get());
    }
}
