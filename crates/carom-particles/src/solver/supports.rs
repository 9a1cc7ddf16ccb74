//! Supports of the bodies among particles, so that a light crate on a floor bears a heavy heap.
//!
//! - A support is a contact with friction, or an axis along which a joint or its limit holds a
//!   point. It transmits a push of particles on a body at once, even if the body is light.
//! - A body may rest on another one, which counts as a support if it is itself supported. So the
//!   bodies of a stack bear from the lowest one upwards, and pushes go down to the floor (shock
//!   propagation).
//! - A body that rises from its supports may be pushed back as if nothing supported it. So a light
//!   crate that tips under a heavy block does not lift the block.
//! - The parts of pushes that contacts transmit are summed. The owner of the body omits this sum,
//!   because its own solver would sink a light body under such a force.
//!
//! Reference: E. Guendelman, R. Bridson, R. Fedkiw, Nonconvex Rigid Bodies with Stacking, 2003, 7
//! (shock propagation).

use crate::solver::body_state::BodyState;
use crate::solver::boundary::Slip;
use crate::solver::contact::Friction;
use crate::solver::surroundings::{Bearer, BodyBoundary, Support};
use alloc::vec::Vec;
use carom_math::Pose;
use glam::Vec3;

/// The largest number of supports of a body that count: see
/// [`BodyBoundary::supports`](crate::BodyBoundary::supports).
pub const MAX_SUPPORTS: usize = 12;

/// The largest number of passes over the supports of a body, for each push.
const SUPPORT_PASSES: u32 = 64;

/// The passes end if none changes a push by more than this part of the largest one.
const SUPPORT_TOLERANCE: f32 = 1.0 / 65536.0;

/// A body bears another one if a push moves it by at most this part of how far it would go freely.
const FIRM_PART: f32 = 0.01;

/// The largest number of bodies on each other.
const MAX_LEVELS: u32 = 32;

/// A support of a body in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rest {
    /// In the body's frame.
    point: Vec3,
    normal: Vec3,
    friction: f32,
    by: Bearer,
    /// The velocity of what bears the body at the point.
    velocity: Vec3,
    /// The point in the frame of the body that bears it.
    of_bearer: Vec3,
    /// The place at which the point rests in this substep.
    anchor: Vec3,
    /// The sum of its answers to pushes in this substep, in mass times length.
    push: Vec3,
    /// The part of its answers that the body below has not got yet.
    reaction: Vec3,
}

impl Rest {
    pub(crate) const NONE: Rest = Rest {
        point: Vec3::ZERO,
        normal: Vec3::ZERO,
        friction: 0.0,
        by: Bearer::Joint,
        velocity: Vec3::ZERO,
        of_bearer: Vec3::ZERO,
        anchor: Vec3::ZERO,
        push: Vec3::ZERO,
        reaction: Vec3::ZERO,
    };

    /// Returns the twist of a push at the point, about a centre of mass in the body's frame.
    fn twist(&self, pose: &Pose, center: Vec3, push: Vec3) -> Vec3 {
        (pose.transform_point(self.point) - pose.transform_point(center)).cross(push)
    }
}

/// A support while a push is borne.
#[derive(Clone, Copy)]
struct Row {
    at: Vec3,
    gap: Vec3,
    /// How far a unit push along the normal moves the point.
    softness: f32,
}

/// A motion of a body as its supports let it be, and what each of them does for that.
struct Borne {
    /// A displacement and a rotation, or velocities.
    moved: [Vec3; 2],
    pushes: [Vec3; MAX_SUPPORTS],
}

impl BodyState {
    /// Adds a support.
    pub(super) fn add_support(&mut self, support: &Support) {
        if self.n_supports < MAX_SUPPORTS {
            let Support { point, normal, velocity, friction, by } = *support;
            let point = self.motion.end.inverse_transform_point(point);
            self.supports[self.n_supports] = Rest { point, normal, friction, by, velocity, ..Rest::NONE };
            self.n_supports += 1;
        }
    }

    /// Whether it hardly yields to a push by a body that rests on it.
    fn is_firm(&self, support: &Support) -> bool {
        let Support { point, normal, .. } = *support;
        self.softness_on_supports(point, normal) <= FIRM_PART * self.free_softness(point, normal)
    }

    /// Whether something bears it.
    pub(crate) fn is_supported(&self) -> bool {
        0 < self.n_supports
    }

    /// Begins a substep: finds where the points rest. `lift_of` returns how far a body that bears
    /// others is lifted.
    pub(super) fn set_anchors(&mut self, lift_of: impl Fn(u32) -> f32) {
        self.lift = 0.0;
        for rest in &mut self.supports[..self.n_supports] {
            let lift = match rest.by {
                Bearer::Body(bearer) => lift_of(bearer),
                Bearer::Joint => rest.velocity.dot(rest.normal).abs() * self.dt,
                Bearer::Limit | Bearer::Firm => rest.velocity.dot(rest.normal) * self.dt,
            };
            self.lift = self.lift.max(lift);
            rest.anchor = self.motion.start.transform_point(rest.point) + rest.velocity * self.dt;
            (rest.push, rest.reaction) = (Vec3::ZERO, Vec3::ZERO);
        }
    }

    /// Returns how far a unit push at a point, against the direction, moves the body.
    pub(super) fn softness_on_supports(&self, point: Vec3, direction: Vec3) -> f32 {
        let softness = self.free_softness(point, direction);
        if self.n_supports == 0 || !(0.0 < softness) {
            return softness;
        }
        let pushed = self.response_at(point, -direction);
        let Borne { moved, .. } = self.bear(pushed, [Vec3::ZERO; MAX_SUPPORTS], |_, _| Vec3::ZERO, 0.0);
        (-self.displacement_at(&moved, point).dot(direction)).clamp(0.0, softness)
    }

    /// Returns how far a point has moved along a direction in this substep, beyond how far what
    /// bears the body lifts it. A push against the direction can take that back.
    pub(super) fn rise_from_supports(&self, point: Vec3, direction: Vec3) -> f32 {
        if self.n_supports == 0 { 0.0 } else { self.motion.of_point(point).dot(direction) - self.lift }
    }

    /// Returns how far friction moves the body along it, over the push, while `share` contacts do
    /// the same. Supports under a load hold it by their own friction.
    pub(super) fn slip_softness_on_supports(&self, point: Vec3, slip: &Slip, share: f32) -> f32 {
        let Slip { change, direction, push } = *slip;
        let softness = self.free_softness(point, direction);
        let all = share * push;
        if self.n_supports == 0 || !(0.0 < softness && 0.0 < all && all < f32::INFINITY) {
            return softness;
        }
        let pushed = self.response_at(point, direction * all - change * share);
        let before = self.supports.map(|rest| rest.push);
        let Borne { moved, .. } = self.bear(pushed, before, |_, _| Vec3::ZERO, 1.0);
        (self.displacement_at(&moved, point).dot(direction) / all).clamp(0.0, softness)
    }

    /// Moves the body by a displacement and a rotation, as far as its supports let it.
    pub(super) fn go_on_supports(&mut self, [displacement, turn]: [Vec3; 2], is_pushed: bool) {
        if self.n_supports == 0 || (displacement == Vec3::ZERO && turn == Vec3::ZERO) {
            return self.move_by(displacement, turn);
        }
        let before = self.supports.map(|rest| rest.push);
        let Borne { moved, pushes } =
            self.bear([displacement, turn], before, |rest, at| at - rest.anchor, 1.0);
        let pose = self.motion.end;
        for (rest, sum) in self.supports[..self.n_supports].iter_mut().zip(pushes) {
            let push = sum - rest.push;
            let twist = rest.twist(&pose, self.center, push);
            (self.borne[0], self.borne[1]) = (self.borne[0] + push, self.borne[1] + twist);
            if is_pushed {
                rest.push = sum;
            }
            if is_pushed && rest.by.is_contact() {
                (self.taken[0], self.taken[1]) = (self.taken[0] + push, self.taken[1] + twist);
                rest.reaction += push;
            }
        }
        self.move_by(moved[0], moved[1]);
    }

    /// Changes the velocities by an impulse and an angular impulse, as far as supports let them.
    pub(super) fn kick_on_supports(&mut self, impulse: Vec3, twist: Vec3) {
        let [change, turn] = self.response(impulse, twist);
        let velocities = [self.linear_velocity + change, self.angular_velocity + turn];
        if self.n_supports == 0 {
            [self.linear_velocity, self.angular_velocity] = velocities;
            return;
        }
        let none = [Vec3::ZERO; MAX_SUPPORTS];
        let Borne { moved, pushes } = self.bear(velocities, none, |rest, _| -rest.velocity, 1.0);
        [self.linear_velocity, self.angular_velocity] = moved;
        let pose = self.motion.end;
        for (rest, push) in self.supports[..self.n_supports].iter_mut().zip(pushes) {
            if rest.by.is_contact() {
                let twist = rest.twist(&pose, self.center, push);
                self.impulse_taken[0] += push;
                self.impulse_taken[1] += twist;
                rest.reaction += push;
            }
        }
    }

    /// Finds what the supports do against a motion. `pushes` are their sums before, which may get
    /// less. `gap` is how far the point of a support is from where it rests. `friction` scales the
    /// coefficients.
    ///
    /// It is linear: a light body under a heavy particle would move far before it is put back.
    fn bear(
        &self,
        mut moved: [Vec3; 2],
        mut pushes: [Vec3; MAX_SUPPORTS],
        gap: impl Fn(&Rest, Vec3) -> Vec3,
        friction: f32,
    ) -> Borne {
        let mut rows = [Row { at: Vec3::ZERO, gap: Vec3::ZERO, softness: 0.0 }; MAX_SUPPORTS];
        for (row, rest) in rows.iter_mut().zip(&self.supports[..self.n_supports]) {
            let at = self.motion.end.transform_point(rest.point);
            *row = Row { at, gap: gap(rest, at), softness: self.free_softness(at, rest.normal) };
        }
        for _ in 0..SUPPORT_PASSES {
            let (mut largest, mut change_of_pass) = (0.0_f32, 0.0_f32);
            let rests = self.supports[..self.n_supports].iter().zip(&rows).zip(&mut pushes);
            for ((rest, &Row { at, gap, softness }), push) in rests {
                if !(0.0 < softness) {
                    continue;
                }
                let before = *push;
                let held = before.dot(rest.normal);
                let left = (gap + self.displacement_at(&moved, at)).dot(rest.normal);
                // A joint pulls, too.
                let least = if rest.by == Bearer::Joint { f32::NEG_INFINITY } else { 0.0 };
                let held_now = (held - left / softness).max(least);
                let mut step = rest.normal * (held_now - held);
                moved = self.moved_by(moved, at, step);
                let coefficient = friction * rest.friction;
                if 0.0 < coefficient {
                    let slid = gap + self.displacement_at(&moved, at);
                    let along = slid - rest.normal * slid.dot(rest.normal);
                    let length = along.length();
                    let softness = if 0.0 < length { self.free_softness(at, along / length) } else { 0.0 };
                    let limits = Friction { at_rest: coefficient, sliding: coefficient };
                    let old = before - rest.normal * held;
                    let wanted = if 0.0 < softness { old - along / softness } else { old };
                    let change = limits.limit(wanted, held_now) - old;
                    moved = self.moved_by(moved, at, change);
                    step += change;
                }
                *push += step;
                largest = largest.max(push.abs().max_element());
                change_of_pass = change_of_pass.max(step.abs().max_element());
            }
            if change_of_pass <= SUPPORT_TOLERANCE * largest {
                break;
            }
        }
        Borne { moved, pushes }
    }

    /// Returns a displacement and a rotation, and those by a push at a point.
    fn moved_by(&self, [displacement, turn]: [Vec3; 2], at: Vec3, push: Vec3) -> [Vec3; 2] {
        let [more, more_turn] = self.response_at(at, push);
        [displacement + more, turn + more_turn]
    }
}

/// The bodies that rest on others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stacks {
    /// From below.
    order: Vec<u32>,
    /// A body, one that may bear it, and the number of the support; workspace.
    left: Vec<[u32; 3]>,
}

impl Stacks {
    /// Finds the bodies that bear others, and by which supports.
    pub(crate) fn connect(&mut self, states: &mut [BodyState], bodies: &[BodyBoundary<'_>]) {
        let Stacks { order, left } = self;
        order.clear();
        left.clear();
        for (body, boundary) in (0..).zip(bodies) {
            for (number, support) in (0..).zip(boundary.supports) {
                if let Bearer::Body(bearer) = support.by {
                    left.push([body, bearer, number]);
                }
            }
        }
        for _ in 0..MAX_LEVELS {
            let n_left = left.len();
            left.retain(|&[body, bearer, number]| {
                let support = &bodies[body as usize].supports[number as usize];
                let own = &states[bearer as usize];
                let is_firm = own.is_firm(support);
                if is_firm {
                    let of_bearer = own.motion.end.inverse_transform_point(support.point);
                    let level = own.level + 1;
                    let state = &mut states[body as usize];
                    let index = state.n_supports;
                    state.add_support(support);
                    if index < state.n_supports {
                        state.supports[index].of_bearer = of_bearer;
                        state.level = state.level.max(level);
                    }
                }
                !is_firm
            });
            if left.len() == n_left {
                break;
            }
        }
        order.extend((0..states.len() as u32).filter(|&body| 0 < states[body as usize].level));
        order.sort_by_key(|&body| states[body as usize].level);
    }

    /// Moves the bodies by their velocities, at the start of a substep: what bears a body before
    /// it.
    pub(crate) fn predict(&self, states: &mut [BodyState], dt: f32) {
        for state in states.iter_mut().filter(|state| state.level == 0) {
            state.begin_substep(dt, |_| 0.0);
            state.go_by_velocity();
        }
        for &body in &self.order {
            let mut state = states[body as usize];
            state.begin_substep(dt, |bearer| states[bearer as usize].lift);
            follow(&mut state, states);
            state.go_by_velocity();
            states[body as usize] = state;
        }
    }

    /// Passes what supports did on to the bodies that bear, from above. `take` lets a body move by
    /// its load. Then the supports follow these bodies.
    pub(crate) fn pass_on(&self, states: &mut [BodyState], take: impl Fn(&mut BodyState, [Vec3; 2])) {
        if self.order.is_empty() {
            return;
        }
        for &body in self.order.iter().rev() {
            let body = body as usize;
            take_load_of(&mut states[body], &take);
            for k in 0..states[body].n_supports {
                let rest = &mut states[body].supports[k];
                let (reaction, point) = (core::mem::take(&mut rest.reaction), rest.point);
                if let Bearer::Body(bearer) = rest.by {
                    let at = states[body].motion.end.transform_point(point);
                    let bearer = &mut states[bearer as usize];
                    bearer.load[0] -= reaction;
                    bearer.load[1] -= bearer.arm(at).cross(reaction);
                }
            }
        }
        states.iter_mut().for_each(|state| take_load_of(state, &take));
        for &body in &self.order {
            let mut state = states[body as usize];
            follow(&mut state, states);
            states[body as usize] = state;
        }
    }
}

/// Lets a body take what bodies that rest on it have left for it, all at once: a load that is
/// divided equally among its supports is borne in one pass.
fn take_load_of(state: &mut BodyState, take: &impl Fn(&mut BodyState, [Vec3; 2])) {
    let load = core::mem::take(&mut state.load);
    if load != [Vec3::ZERO; 2] {
        take(state, load);
    }
}

/// Brings the supports of a body to where the bodies that bear it are now.
fn follow(state: &mut BodyState, states: &[BodyState]) {
    for rest in &mut state.supports[..state.n_supports] {
        if let Bearer::Body(bearer) = rest.by {
            let bearer = &states[bearer as usize];
            let start = state.motion.start.transform_point(rest.point);
            let [_, velocity] = bearer.velocities_at(start);
            // The gap at the start of the substep does not count.
            let gap = start - bearer.motion.start.transform_point(rest.of_bearer);
            (rest.velocity, rest.anchor) =
                (velocity, bearer.motion.end.transform_point(rest.of_bearer) + gap);
        }
    }
}
