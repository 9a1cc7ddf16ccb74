//! The active bodies, kept from step to step, so that sleeping bodies cost nothing.
//!
//! A body that is not fixed is in one of these states:
//!
//! | state | meaning | queries |
//! |---|---|---|
//! | moving | moves in this step | `moving`, `moves` |
//! | suspended | awake, but left out of this step by a budget | `is_suspended` |
//! | sleeping | left out of steps until something wakes it | `sleepers` |
//! | disabled | left out of steps until the user enables it | `is_disabled` |
//!
//! Moving and suspended bodies together are awake (`awake`, `is_awake`).
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (sleeping islands are stored
//! separately).

use alloc::vec::Vec;
use carom_response::{Body, BodyKind, Sleepers, Solver};

/// The bodies that are awake, including kinematic ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActiveBodies {
    /// Numbers of the awake bodies, ascending. Later additions wait in `pending` for
    /// `apply_changes`.
    awake: Vec<u32>,
    pending: Vec<u32>,
    /// By number: whether the body is in `awake` or `pending`.
    is_listed: Vec<bool>,
    /// Whether a budget suspends some bodies. If it does, `moving` lists the others, ascending,
    /// and `is_moving` has them by number.
    has_suspended: bool,
    moving: Vec<u32>,
    is_moving: Vec<bool>,
    /// The kinematic bodies of `awake`.
    kinematic: Vec<u32>,
    /// Whether a body was added, fell asleep or was removed since the last call of `apply_changes`.
    has_changes: bool,
    /// The groups of sleeping bodies.
    sleepers: Sleepers,
    /// The numbers of the disabled bodies, ascending. None of them is awake or sleeps.
    disabled: Vec<u32>,
}

fn may_move(body: &Body) -> bool {
    body.kind != BodyKind::Fixed && !body.is_sleeping
}

impl ActiveBodies {
    /// Returns the active bodies of a restored world. The lists are the numbers of the suspended
    /// and of the disabled ones.
    pub(crate) fn of(
        bodies: &[Body],
        sleepers: &Sleepers,
        [suspended, disabled]: [&[u32]; 2],
    ) -> ActiveBodies {
        let (sleepers, disabled) = (sleepers.clone(), disabled.to_vec());
        let mut active = ActiveBodies { sleepers, disabled, ..ActiveBodies::default() };
        for (number, body) in bodies.iter().enumerate() {
            if may_move(body) {
                active.add(number);
            }
        }
        active.has_suspended = !suspended.is_empty();
        if active.has_suspended {
            active.is_moving = bodies.iter().map(may_move).collect();
            active.disabled.iter().for_each(|&number| active.is_moving[number as usize] = false);
            suspended.iter().for_each(|&number| active.is_moving[number as usize] = false);
            active.moving =
                (0..).zip(&active.is_moving).filter(|(_, moves)| **moves).map(|(number, _)| number).collect();
        }
        active
    }

    /// Whether the user disabled the body.
    #[inline]
    pub(crate) fn is_disabled(&self, body: u32) -> bool {
        self.has_disabled() && self.disabled.binary_search(&body).is_ok()
    }

    /// Whether a body is disabled.
    #[inline]
    pub(crate) fn has_disabled(&self) -> bool {
        !self.disabled.is_empty()
    }

    /// Returns the numbers of the disabled bodies, ascending.
    pub(crate) fn disabled(&self) -> &[u32] {
        &self.disabled
    }

    /// Disables a body that does not sleep: leaves it out of all lists.
    pub(crate) fn disable(&mut self, body: u32) {
        if let Err(place) = self.disabled.binary_search(&body) {
            self.disabled.insert(place, body);
        }
        let ActiveBodies { awake, pending, moving, kinematic, is_listed, is_moving, .. } = self;
        for list in [awake, pending, moving, kinematic] {
            list.retain(|&number| number != body);
        }
        for flags in [is_listed, is_moving] {
            flags.get_mut(body as usize).into_iter().for_each(|flag| *flag = false);
        }
        self.has_changes = true;
    }

    /// Makes a body that was disabled awake, if it may move.
    pub(crate) fn enable(&mut self, bodies: &[Body], body: u32) {
        if let Ok(place) = self.disabled.binary_search(&body) {
            self.disabled.remove(place);
            if may_move(&bodies[body as usize]) {
                self.add(body as usize);
            }
        }
    }

    /// Adds a body that was inserted or that wakes. A disabled one stays out.
    pub(crate) fn add(&mut self, body: usize) {
        if self.is_disabled(body as u32) {
            return;
        }
        if self.is_listed.len() <= body {
            self.is_listed.resize(body + 1, false);
        }
        if !self.is_listed[body] {
            self.is_listed[body] = true;
            self.pending.push(body as u32);
            self.has_changes = true;
        }
    }

    /// Records that a body was removed.
    pub(crate) fn note_removal(&mut self) {
        self.has_changes = true;
    }

    /// Wakes a body and the bodies that fell asleep with it, and resets its rest time, even if it
    /// was awake.
    pub(crate) fn wake(&mut self, bodies: &mut [Body], body: usize) {
        let sleepers = core::mem::take(&mut self.sleepers);
        sleepers.wake_each(bodies, body, |woken| self.add(woken));
        self.sleepers = sleepers;
    }

    /// Puts the islands to sleep that are at rest. Call it after a step. Returns how many bodies
    /// fell asleep.
    pub(crate) fn fall_asleep(&mut self, bodies: &mut [Body], solver: &Solver) -> usize {
        let n_fallen = self.sleepers.fall_asleep(bodies, solver);
        self.has_changes |= 0 < n_fallen;
        n_fallen
    }

    /// Puts a dynamic body to sleep, as a group of its own.
    pub(crate) fn put_to_sleep(&mut self, bodies: &mut [Body], body: usize) {
        self.sleepers.put_to_sleep(bodies, body);
        self.has_changes = true;
    }

    /// Returns the groups of sleeping bodies.
    pub(crate) fn sleepers(&self) -> &Sleepers {
        &self.sleepers
    }

    /// Applies pending changes: drops bodies that sleep or were removed, and inserts new ones in
    /// order. While bodies are suspended, the new ones are suspended too.
    pub(crate) fn apply_changes(&mut self, bodies: &[Body]) {
        if !core::mem::take(&mut self.has_changes) {
            return;
        }
        let ActiveBodies { awake, pending, is_listed, has_suspended, moving, is_moving, kinematic, .. } =
            self;
        let mut stays = |number: &u32| {
            let stays = may_move(&bodies[*number as usize]);
            is_listed[*number as usize] = stays;
            stays
        };
        awake.retain(&mut stays);
        pending.retain(&mut stays);
        is_listed.resize(bodies.len(), false);
        if *has_suspended {
            moving.retain(|&number| is_listed[number as usize]);
            is_moving.resize(bodies.len(), false);
            for (moves, is_listed) in is_moving.iter_mut().zip(&*is_listed) {
                *moves &= *is_listed;
            }
        }
        if !pending.is_empty() {
            awake.append(pending);
            awake.sort_unstable();
        }
        kinematic.clear();
        let is_kinematic = |number: &u32| bodies[*number as usize].kind == BodyKind::Kinematic;
        kinematic.extend(awake.iter().copied().filter(is_kinematic));
    }

    /// Suspends all bodies, except the chosen ones and kinematic ones.
    pub(crate) fn suspend_others(&mut self, is_chosen: impl Fn(u32) -> bool) {
        self.has_suspended = true;
        self.moving.clear();
        self.is_moving.clear();
        self.is_moving.resize(self.is_listed.len(), false);
        self.moving.extend(self.awake.iter().copied().filter(|&number| is_chosen(number)));
        if !self.kinematic.is_empty() {
            self.moving.extend_from_slice(&self.kinematic);
            self.moving.sort_unstable();
        }
        for &number in &self.moving {
            self.is_moving[number as usize] = true;
        }
    }

    /// Ends the suspension, so that all awake bodies move again. Returns whether some were
    /// suspended.
    pub(crate) fn resume(&mut self) -> bool {
        core::mem::take(&mut self.has_suspended)
    }

    /// Whether the body is awake, but left out of this step by a budget.
    pub(crate) fn is_suspended(&self, body: u32) -> bool {
        self.has_suspended && self.is_awake(body) && !self.moves(body)
    }

    /// Returns the number of suspended bodies.
    pub(crate) fn n_suspended(&self) -> usize {
        if self.has_suspended { self.awake.len() - self.moving.len() } else { 0 }
    }

    /// Whether some bodies are suspended.
    pub(crate) fn has_suspended(&self) -> bool {
        self.has_suspended
    }

    /// Returns the numbers of the bodies that move in this step, ascending. Valid after
    /// `apply_changes`.
    pub(crate) fn moving(&self) -> &[u32] {
        if self.has_suspended { &self.moving } else { &self.awake }
    }

    /// Returns the kinematic bodies among the awake ones.
    pub(crate) fn kinematic(&self) -> &[u32] {
        &self.kinematic
    }

    /// Returns the numbers of the awake bodies: moving or suspended.
    pub(crate) fn awake(&self) -> &[u32] {
        &self.awake
    }

    /// Returns the numbers of the awake bodies, ascending, also before `apply_changes`.
    pub(crate) fn awake_now(&self, bodies: &[Body]) -> Vec<u32> {
        let listed = self.awake.iter().chain(&self.pending).copied();
        let mut now: Vec<u32> = listed.filter(|&number| may_move(&bodies[number as usize])).collect();
        now.sort_unstable();
        now
    }

    /// Returns, by number, whether the body moves in this step. May be shorter than the table of
    /// bodies.
    fn flags(&self) -> &[bool] {
        if self.has_suspended { &self.is_moving } else { &self.is_listed }
    }

    /// Whether the body moves in this step.
    #[inline]
    pub(crate) fn moves(&self, body: u32) -> bool {
        self.flags().get(body as usize).is_some_and(|moves| *moves)
    }

    /// Writes, by number, whether the solver moves the body, because it is moving and dynamic.
    /// Valid after `apply_changes`.
    pub(crate) fn write_dynamic(&self, bodies: &[Body], out: &mut Vec<bool>) {
        out.clear();
        out.extend_from_slice(self.flags());
        out.resize(bodies.len(), false);
        self.kinematic.iter().for_each(|&number| out[number as usize] = false);
        let is_active = |body: &Body| body.kind == BodyKind::Dynamic && !body.is_sleeping;
        debug_assert!(
            out.iter().zip(bodies).all(|(out, body)| !*out || is_active(body)),
            "changes are pending"
        );
    }

    /// Whether the body is moving or suspended.
    #[inline]
    pub(crate) fn is_awake(&self, body: u32) -> bool {
        self.is_listed.get(body as usize).is_some_and(|is_listed| *is_listed)
    }
}
