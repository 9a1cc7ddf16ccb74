//! Joints of six axes, three of translation and three of rotation. Each axis is free, locked or
//! limited.
//!
//! - Translation is the position of B's joint point along A's axes. The impulses of translation
//!   act at that point on both bodies, so they keep the angular momentum.
//! - Rotation is measured in Euler angles: about A's x axis, the middle y axis, and B's z axis.
//!   The row of an angle is the dual vector of its axis, so that it does not change the other two
//!   angles.
//! - All locked axes are solved at once, by an L D L^T decomposition of at most 6x6 in `f64`.
//! - A limit or a motor is a single row. Its impulse is applied together with the response of the
//!   locked axes. So its effective mass is that of the free motion (Schur complement).
//! - Locked axes yield a little to their impulses, so they also yield to this response. Otherwise a
//!   limit that stops a body would leave a part of the response behind, which turns a light body on
//!   a long lever.
//! - Limits that act at the same time are solved together: see `axis_limits.rs`.
//! - The locked axis x of a screw is that beside its thread: the travel less `thread * angle`. So a
//!   screw turns about its axis like a wheel with limits and a motor.
//! - While the bodies turn, B's joint point leaves its tangent by a term of second order in the
//!   substep. On a long lever a soft row would lag behind, so it is added to the speed.
//!
//! Reference: E. Catto, Modeling and Solving Constraints, GDC 2009; G. H. Golub, C. F. Van Loan,
//! Matrix Computations, 4th ed., 2013, 4.1 (L D L^T).

use crate::joints::axis_limits::{HeldAxis, solve_together};
use crate::joints::axis_matrix::{AxisMatrix, HeldSystem, MIN_PIVOT};
use crate::joints::kind::{AxisLimit, JointAxis, SixDof};
use crate::joints::load::JointImpulse;
use crate::joints::motor::Motor;
use crate::joints::rows::{Moving, Rows, angle_near, limit};
use crate::joints::softness::Softness;
use carom_math::{Quat, Real, Vec3, ops, rotation};

/// The least cosine of the angle about y that rows of rotation use. It belongs to an angle beyond
/// [`SixDof::MAX_ANGLE_Y`], so it acts only if that limit is passed.
const MIN_COSINE: Real = 0.05;

/// The largest turn of a body in a substep, in radians, for which the terms of second order are
/// used. Beyond it they would give energy to bodies that whirl about a far joint (test:
/// `whirl::joints_of_what_whirls_give_no_energy`).
const MAX_FORESEEN_TURN: Real = 0.1;

/// The six rows of a joint in one iteration. Row k is the velocity of B relative to A along or
/// about axis k: `linear . (v_b - v_a) + turn_b . w_b - turn_a . w_a`.
pub(crate) struct Axes {
    pub(crate) linear: [Vec3; 6],
    turn_a: [Vec3; 6],
    turn_b: [Vec3; 6],
    /// The coordinates: the position along each axis, and the angle about it.
    pub(crate) coordinates: [Real; 6],
    /// The speeds that the rotation of the bodies adds within the substep: see [`Axes::swerve`].
    pub(crate) ahead: [Real; 6],
    /// The travel of a screw per radian; 0 for other kinds.
    thread: Real,
}

impl Axes {
    pub(crate) fn of(rows: &Rows) -> Axes {
        let offset = rows.offset();
        let arm_a = rows.anchor_a + offset;
        let own = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| rotation::rotate(rows.rotation_a, axis));
        let (first, last) = (own[0], rotation::rotate(rows.rotation_b, Vec3::Z));
        let middle = last.cross(first).try_normalize().unwrap_or(own[1]);
        let z = rotation::rotate_back(rows.rotation_a, last);
        let inverse_cosine = 1.0 / ops::sqrt(z.y * z.y + z.z * z.z).max(MIN_COSINE);
        let angles = euler_angles(rows.rotation_a, rows.rotation_b);
        let turns = [middle.cross(last) * inverse_cosine, middle, first.cross(middle) * inverse_cosine];
        let [x, y, z] = own;
        let mut axes = Axes {
            linear: [x, y, z, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO],
            turn_a: [arm_a.cross(x), arm_a.cross(y), arm_a.cross(z), turns[0], turns[1], turns[2]],
            turn_b: [
                rows.anchor_b.cross(x),
                rows.anchor_b.cross(y),
                rows.anchor_b.cross(z),
                turns[0],
                turns[1],
                turns[2],
            ],
            coordinates: [offset.dot(x), offset.dot(y), offset.dot(z), angles[0], angles[1], angles[2]],
            ahead: [0.0; 6],
            thread: rows.thread,
        };
        if axes.thread != 0.0 {
            axes.cut_thread();
        }
        axes
    }

    /// Makes the axis x that of the distance from the thread of a screw, and counts full turns.
    fn cut_thread(&mut self) {
        let (x, about_x, thread) = (JointAxis::X as usize, JointAxis::AngX as usize, self.thread);
        self.coordinates[about_x] = turns_of_screw(self.coordinates[about_x], self.coordinates[x], thread);
        self.coordinates[x] -= thread * self.coordinates[about_x];
        self.turn_a[x] -= self.turn_a[about_x] * thread;
        self.turn_b[x] -= self.turn_b[about_x] * thread;
    }

    /// Returns the turning parts of row k, for A and B.
    pub(crate) fn turns(&self, k: usize) -> [Vec3; 2] {
        [self.turn_a[k], self.turn_b[k]]
    }

    /// Computes the speeds that the rotation of the bodies adds within a time `h`.
    pub(crate) fn look_ahead(&mut self, rows: &Moving<'_>, h: Real) {
        let swerve = self.swerve(rows, h);
        self.ahead[..3].copy_from_slice(&swerve);
    }

    /// Returns the speed of row k.
    pub(crate) fn speed(&self, rows: &Moving<'_>, k: usize) -> Real {
        self.linear[k].dot(rows.v_b - rows.v_a) + self.turn_b[k].dot(rows.w_b) - self.turn_a[k].dot(rows.w_a)
    }

    /// Returns the position along an axis, or the angle about it that is nearest to `middle`. The
    /// angle of a screw is the counted one.
    pub(crate) fn coordinate_near(&self, k: usize, middle: Real) -> Real {
        if k < 3 || self.thread != 0.0 {
            self.coordinates[k]
        } else {
            angle_near(self.coordinates[k], middle)
        }
    }

    /// Returns, for each axis of translation, the mean speed that the rotation of the bodies adds
    /// in a time `h`: the terms of second order of the position, divided by `h`. It is 0 for bodies
    /// that turn far.
    fn swerve(&self, rows: &Moving<'_>, h: Real) -> [Real; 3] {
        let inwards = |w: Vec3, arm: Vec3| w.cross(w.cross(arm));
        let (w_a, w_b) = (rows.w_a, rows.w_b);
        let max_rate = MAX_FORESEEN_TURN / h;
        if max_rate * max_rate < w_a.length_squared().max(w_b.length_squared()) {
            return [0.0; 3];
        }
        let (offset, velocity) = (rows.offset(), rows.velocity());
        let bend = inwards(w_b, rows.anchor_b) - inwards(w_a, rows.anchor_a);
        [0, 1, 2].map(|k| {
            let axis = self.linear[k];
            h * (w_a.cross(axis).dot(velocity) + 0.5 * (inwards(w_a, axis).dot(offset) + axis.dot(bend)))
        })
    }

    /// Applies impulses, by axis.
    fn push(&self, rows: &mut Moving<'_>, impulses: &[Real; 6]) {
        let (mut linear, mut turn_a, mut turn_b) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        for (k, &impulse) in impulses.iter().enumerate() {
            linear += self.linear[k] * impulse;
            turn_a += self.turn_a[k] * impulse;
            turn_b += self.turn_b[k] * impulse;
        }
        rows.v_a -= linear * rows.mass_a;
        rows.w_a -= rows.inertia_a * turn_a;
        rows.v_b += linear * rows.mass_b;
        rows.w_b += rows.inertia_b * turn_b;
    }

    /// Applies all impulses of a joint.
    pub(crate) fn push_all(&self, rows: &mut Moving<'_>, i: &JointImpulse) {
        self.push(rows, &total(i));
    }

    /// Returns the impulse on B, in the world: at B's joint point, and the angular impulse about
    /// it.
    pub(crate) fn load(&self, i: &JointImpulse) -> (Vec3, Vec3) {
        let impulses = total(i);
        let sum = |axes: &[Vec3], impulses: &[Real]| axes.iter().zip(impulses).map(|(&v, &x)| v * x).sum();
        let force = sum(&self.linear[..3], &impulses[..3]);
        let torque = sum(&self.turn_b[3..], &impulses[3..]);
        if self.thread == 0.0 {
            return (force, torque);
        }
        let of_thread = -self.thread * impulses[JointAxis::X as usize];
        (force, torque + self.turn_b[JointAxis::AngX as usize] * of_thread)
    }

    /// Applies an impulse along or about an axis, together with the response of the locked axes.
    /// Returns the impulses of all axes.
    fn push_locked(
        &self,
        rows: &mut Moving<'_>,
        system: &LockedSystem,
        k: usize,
        impulse: Real,
    ) -> [Real; 6] {
        let mut impulses = system.response(k).map(|response| response as Real * impulse);
        impulses[k] = impulse;
        self.push(rows, &impulses);
        impulses
    }
}

/// Returns the angles about A's x axis, the middle y axis and B's z axis that turn A's frame into
/// B's. They are in radians, within pi, and the one about y is within a right angle.
pub(crate) fn euler_angles(rotation_a: Quat, rotation_b: Quat) -> [Real; 3] {
    let z = rotation::rotate_back(rotation_a, rotation::rotate(rotation_b, Vec3::Z));
    let x = rotation::rotate_back(rotation_b, rotation::rotate(rotation_a, Vec3::X));
    let across = ops::sqrt(z.y * z.y + z.z * z.z);
    [ops::atan2(-z.y, z.z), ops::atan2(z.x, across), ops::atan2(-x.y, x.x)]
}

/// Returns the angle of a screw with full turns, as near to its travel as possible.
pub(crate) fn turns_of_screw(angle: Real, travel: Real, thread: Real) -> Real {
    angle_near(angle, travel / thread)
}

/// Returns the impulses of all axes.
fn total(i: &JointImpulse) -> [Real; 6] {
    let locked = [i.linear.x, i.linear.y, i.linear.z, i.angular.x, i.angular.y, i.angular.z];
    let mut sum = [0.0; 6];
    for (k, sum) in sum.iter_mut().enumerate() {
        *sum = locked[k] + i.limits[k][0] - i.limits[k][1] + i.motors[k];
    }
    sum
}

/// Returns the impulse of a locked axis.
fn held_impulse(i: &JointImpulse, k: usize) -> Real {
    if k < 3 { i.linear[k] } else { i.angular[k - 3] }
}

fn add_held(i: &mut JointImpulse, more: &[Real; 6], locked: &[usize]) {
    for &k in locked {
        if k < 3 {
            i.linear[k] += more[k];
        } else {
            i.angular[k - 3] += more[k];
        }
    }
}

/// Returns the response of the axes of a joint.
fn matrix_of(axes: &Axes, rows: &Rows) -> AxisMatrix {
    let mass = rows.mass_a + rows.mass_b;
    let mut matrix = [[0.0; 6]; 6];
    for k in 0..6 {
        let (a, b) = (rows.inertia_a * axes.turn_a[k], rows.inertia_b * axes.turn_b[k]);
        for i in k..6 {
            let turning = axes.turn_a[i].dot(a) + axes.turn_b[i].dot(b);
            let entry = f64::from(axes.linear[i].dot(axes.linear[k]) * mass + turning);
            (matrix[i][k], matrix[k][i]) = (entry, entry);
        }
    }
    AxisMatrix(matrix)
}

/// The locked axes of a joint.
struct LockedSystem {
    matrix: AxisMatrix,
    held: HeldSystem,
    /// The part of a rigid axis's response that a locked axis gives.
    share: f64,
}

impl LockedSystem {
    fn new(axes: &Axes, rows: &Rows, soft: Softness, is_locked: impl Fn(usize) -> bool) -> LockedSystem {
        let matrix = matrix_of(axes, rows);
        let held = matrix.hold(1.0, is_locked, |_| false);
        LockedSystem { matrix, held, share: f64::from(soft.mass_scale) }
    }

    /// Returns, by axis, the response of the locked axes to a unit impulse along axis k.
    fn response(&self, k: usize) -> [f64; 6] {
        let mut sides = [0.0; 6];
        for &axis in self.held.axes() {
            sides[axis] = -self.matrix.0[axis][k] * self.share;
        }
        let mut response = [0.0; 6];
        self.held.solve_into(&sides, &mut response);
        response
    }

    /// Returns the effective mass along an axis while the locked axes hold; 0 if no body can move.
    fn mass(&self, k: usize) -> Real {
        let own = self.matrix.0[k][k];
        let inverse = own + self.matrix.speed(k, &self.response(k));
        if MIN_PIVOT * own < inverse { (1.0 / inverse) as Real } else { 0.0 }
    }
}

/// Does one iteration of a prismatic joint, a screw, or a joint of six degrees of freedom. The
/// springs of position motors act only if `may_spring`.
pub(crate) fn solve(
    kind: &SixDof,
    rows: &mut Moving<'_>,
    i: &mut JointImpulse,
    (soft, may_spring): (Softness, bool),
    h: Real,
) {
    let mut axes = Axes::of(rows);
    if may_spring {
        axes.look_ahead(rows, h);
    }
    let system = LockedSystem::new(&axes, rows, soft, |k| kind.limits[k] == AxisLimit::Locked);
    let locked = system.held.axes();
    let mut side = [0.0; 6];
    for (side, &k) in side.iter_mut().zip(locked) {
        *side = f64::from(axes.speed(rows, k) + axes.ahead[k] + axes.coordinates[k] * soft.bias_rate);
    }
    let (solved, mut change) = (system.held.solve(side), [0.0; 6]);
    for (solved, &k) in solved.iter().zip(locked) {
        change[k] = -(*solved as Real) * soft.mass_scale - held_impulse(i, k) * soft.impulse_scale;
    }
    axes.push(rows, &change);
    add_held(i, &change, locked);

    for k in 0..6 {
        let Some(motor) = kind.motors[k].filter(|_| kind.limits[k] != AxisLimit::Locked) else { continue };
        let motor = match kind.limits[k] {
            AxisLimit::Between(low, high) => {
                motor.within(axes.coordinate_near(k, 0.5 * (low + high)), [low, high], h)
            }
            _ => motor,
        };
        let coordinate = axes.coordinate_near(k, motor.middle());
        let row = (coordinate, axes.speed(rows, k), system.mass(k));
        let change = motor.change(i.motors[k], row, may_spring, h);
        i.motors[k] += change;
        let answer = axes.push_locked(rows, &system, k, change);
        add_held(i, &answer, locked);
    }
    let rooms = |k: usize| match kind.limits[k] {
        AxisLimit::Between(low, high) => {
            let coordinate = axes.coordinate_near(k, 0.5 * (low + high));
            Some([coordinate - low, high - coordinate])
        }
        _ => None,
    };
    let mut n_acting = 0;
    for k in 0..6 {
        let Some(rooms) = rooms(k) else { continue };
        let mass = system.mass(k);
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let speed = sign * (axes.speed(rows, k) + axes.ahead[k]);
            let change = sign * limit(&mut i.limits[k][side], rooms[side], speed, mass, soft, h);
            if change != 0.0 {
                let answer = axes.push_locked(rows, &system, k, change);
                add_held(i, &answer, locked);
            }
        }
        n_acting += u32::from(i.limits[k] != [0.0; 2]);
    }
    if n_acting < 2 {
        return;
    }
    let held: [Option<HeldAxis>; 6] = core::array::from_fn(|k| {
        let speed = axes.speed(rows, k) + axes.ahead[k];
        if kind.limits[k] == AxisLimit::Locked {
            let row = (speed, held_impulse(i, k));
            return Some(HeldAxis::locked(k, row, axes.coordinates[k], soft));
        }
        let row = (speed, i.limits[k][0] - i.limits[k][1]);
        rooms(k).map(|rooms| HeldAxis::limited(k, row, rooms, soft, h))
    });
    let Some(changes) = solve_together(&system.matrix, system.share, &held) else { return };
    let changes = changes.map(|change| change as Real);
    axes.push(rows, &changes);
    add_held(i, &changes, locked);
    for k in (0..6).filter(|&k| rooms(k).is_some()) {
        let impulse = i.limits[k][0] - i.limits[k][1] + changes[k];
        i.limits[k] = [impulse.max(0.0), (-impulse).max(0.0)];
    }
}

/// Turns a revolute joint towards the target of its motor, while its point and axis are held.
pub(crate) fn turn_to(motor: &Motor, rows: &mut Moving<'_>, i: &mut JointImpulse, h: Real) {
    const AXIS: usize = JointAxis::AngX as usize;
    let axes = Axes::of(rows);
    let system = LockedSystem::new(&axes, rows, Softness::RIGID, |k| k != AXIS);
    let (mass, speed) = (system.mass(AXIS), axes.speed(rows, AXIS));
    let angle = angle_near(rows.limited.1, motor.middle());
    let change = motor.change(i.motors[AXIS], (angle, speed, mass), true, h);
    i.motors[AXIS] += change;
    let answer = system.response(AXIS).map(|answer| answer as Real * change);
    // A revolute joint stores its impulses in the world frame, and pushes each body at its own
    // joint point.
    let sum = |axes: &[Vec3], impulses: &[Real]| -> Vec3 {
        axes.iter().zip(impulses).map(|(&axis, &impulse)| axis * impulse).sum()
    };
    let (linear, angular) = (sum(&axes.linear[..3], &answer[..3]), sum(&axes.turn_b[3..], &answer[3..]));
    let axis = rows.limited.0;
    rows.push(linear);
    rows.twist(angular + axis * change);
    i.linear += linear;
    i.angular += angular;
}
