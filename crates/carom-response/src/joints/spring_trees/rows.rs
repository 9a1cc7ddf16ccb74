//! The rows of a joint of a tree.
//!
//! 1. A row measures a velocity of the child and of the parent. Rigid rows correct their error at
//!    the rate of the solver settings.
//! 2. The rows that a soft joint holds together are a block with a compliance matrix. For a spring
//!    of a frequency it is the response of the bodies on both sides, divided by the resistance per
//!    mass. All directions of translation have the same compliance, the mean one. Otherwise the
//!    force would not be along the error, and its torque would add energy to a joint that is open.
//! 3. Position motors and soft limits are blocks of one row, with the mass that they move while
//!    the held rows are rigid.
//! 4. A limit of a rotation keeps its direction within a substep, while links turn. So the torque
//!    of a soft limit resists rotation across it, too.
//! 5. All that lies behind a joint counts as one rigid body for this response.

use crate::impulses::lane_vec::State;
use crate::joints::axes::Axes;
use crate::joints::axis_matrix::AxisMatrix;
use crate::joints::joint::Joint;
use crate::joints::kind::{AxisLimit, JointAxis, JointKind, SixDof};
use crate::joints::load::JointImpulse;
use crate::joints::motor::{Drive, Implicit, Motor};
use crate::joints::rows::{JointStep, Moving, Substep, angle_near};
use crate::joints::six::{Six, Square, dot, inverse, shifted, times};
use crate::joints::spring_trees::tree::{Link, Node};
use crate::joints::torsion_spring::MAX_TURN;
use alloc::vec::Vec;
use carom_math::{Real, Vec3, ops, rotation};
use core::f32::consts::PI;

/// The rows of six limited axes with motors: two limits and a motor for each.
pub(super) const MAX_ROWS: usize = 18;

/// The largest damping that is added to a limit or a rod, in substeps times its stiffness. The
/// error then decays at the rate of rigid joints.
const MAX_DAMPED_SUBSTEPS: f64 = 2.5;

/// The index of the axis of a hinge among the six axes.
const ABOUT_X: usize = JointAxis::AngX as usize;

/// The behaviour of a row at its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Bound {
    /// The row follows its law.
    Inside,
    /// The change of the impulse is given.
    Impulse(f64),
    /// The speed is given, and the impulse is free.
    Speed(f64),
}

/// The part of a joint to which an impulse belongs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RowKind {
    Point,
    Turn,
    /// A rod: the impulse of the lower limit minus that of the upper one.
    Rod,
    Lower,
    Upper,
    Cone,
    /// A locked axis of six.
    Locked(usize),
    /// A limit of an axis of six, and its side.
    Limit(usize, usize),
    Motor(usize),
    Spring,
}

impl RowKind {
    pub(super) fn is_limit(self) -> bool {
        matches!(self, RowKind::Lower | RowKind::Upper | RowKind::Cone | RowKind::Limit(..))
    }
}

/// One row of a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) kind: RowKind,
    pub(super) is_linear: bool,
    /// The direction of the impulse, or the axis of the angular impulse, in the world frame.
    direction: Vec3,
    /// The velocity that a row measures: of the parent and of the child.
    pub(super) parent: Six,
    pub(super) child: Six,
    /// The first row of the block of this row, and the compliance by place in the block.
    block: usize,
    compliance: Six,
    /// The right side without the present velocities.
    pub(super) right: f64,
    /// The speed before the solution.
    pub(super) speed: f64,
    pub(super) bound: Bound,
    /// The bounds of the change of the impulse.
    pub(super) range: [f64; 2],
    /// The largest speed that the row may cause.
    pub(super) max_speed: f64,
    /// The right side of the elimination.
    pub(super) side: f64,
    pub(super) change: f64,
    /// The force or torque of the spring of a limit at the start of the substep.
    force: f64,
}

impl Row {
    const EMPTY: Row = Row {
        kind: RowKind::Point,
        is_linear: true,
        direction: Vec3::ZERO,
        parent: [0.0; 6],
        child: [0.0; 6],
        block: 0,
        compliance: [0.0; 6],
        right: 0.0,
        speed: 0.0,
        bound: Bound::Inside,
        range: [f64::NEG_INFINITY, f64::INFINITY],
        max_speed: f64::INFINITY,
        side: 0.0,
        change: 0.0,
        force: 0.0,
    };

    /// Whether the change of the impulse is given.
    pub(super) fn is_given(&self) -> bool {
        matches!(self.bound, Bound::Impulse(_))
    }

    /// Returns the compliance for the impulse of a row of the same joint.
    pub(super) fn compliance(&self, row: usize) -> f64 {
        self.compliance.get(row.wrapping_sub(self.block)).copied().unwrap_or(0.0)
    }

    /// Returns the compliance of a row that is a block of its own.
    pub(super) fn own_compliance(&self) -> f64 {
        self.compliance[0]
    }
}

/// The velocity that an impulse gives to all that lies behind a joint, on each side.
struct Response {
    /// The inverse mass behind the child.
    outer: Square,
    /// That behind the parent; `None` if it is held.
    inner: Option<Square>,
}

impl Response {
    /// A tree that is held moves its outer part only.
    fn of(link: &Link, nodes: &[Node]) -> Response {
        let child = &nodes[link.child as usize];
        let inner = link.parent.zip(link.free_root).map(|(parent, root)| {
            let (parent, root) = (&nodes[parent as usize], &nodes[root as usize]);
            let mut inner = shifted(&root.composite, root.center - parent.center);
            let outer = shifted(&child.composite, child.center - parent.center);
            for (inner, outer) in inner.as_flattened_mut().iter_mut().zip(outer.as_flattened()) {
                *inner -= outer;
            }
            inverse(&inner)
        });
        Response { outer: inverse(&child.composite), inner }
    }

    /// Returns the speed that a unit impulse along row `b` gives to row `a`.
    fn entry(&self, a: &Row, b: &Row) -> f64 {
        let outer = dot(&a.child, &times(&self.outer, &b.child));
        self.inner.map_or(outer, |inner| outer + dot(&a.parent, &times(&inner, &b.parent)))
    }

    /// Returns the mean effective mass of rows: the inverse of their mean response.
    fn mean_mass<const N: usize>(&self, rows: [Row; N]) -> f64 {
        N as f64 / rows.iter().map(|row| self.entry(row, row)).sum::<f64>()
    }

    /// Returns the effective mass of a row while others are rigid; 0 if nothing can move.
    fn mass(&self, held: &[Row], row: &Row) -> f64 {
        let n = held.len();
        let at = |k: usize| held.get(k).unwrap_or(row);
        let mut matrix = [[0.0; 6]; 6];
        for i in 0..=n {
            for k in 0..=i {
                matrix[i][k] = self.entry(at(i), at(k));
                matrix[k][i] = matrix[i][k];
            }
        }
        AxisMatrix(matrix).effective_mass(n, |k| k < n)
    }
}

/// The rows of a joint while they are computed.
struct Loading<'a> {
    link: &'a Link,
    moving: &'a Moving<'a>,
    i: &'a JointImpulse,
    h: Real,
    /// Whether rows correct errors, and the rate at which rigid ones do.
    has_bias: bool,
    rate: Real,
    /// The spring of a soft joint.
    soft: Option<Implicit>,
    /// Computed for joints with springs only.
    response: Option<Response>,
    rows: &'a mut Vec<Row>,
    /// The number of rows that are always rigid, or always soft.
    n_held: usize,
}

impl Link {
    /// Computes the rows of the joint, and appends them.
    pub(super) fn load(
        &mut self,
        (nodes, rows): (&[Node], &mut Vec<Row>),
        step: &JointStep,
        joint: &Joint,
        states: &[State],
        substep: &Substep,
        may_spring: bool,
    ) {
        self.first_row = rows.len();
        let spring = joint.spring.map(|spring| spring.implicit(substep.h));
        // A soft joint is not relaxed: that would make it rigid.
        if spring.is_none_or(|spring| may_spring && 0.0 < spring.resistance) {
            let moving = step.load(states);
            let has_bias = may_spring && !moving.whirl(&joint.kind, substep);
            let rate = if has_bias { substep.softness.bias_rate } else { 0.0 };
            let soft = spring.filter(|_| has_bias);
            let needs = soft.is_some() || joint.kind.motors().any(|motor| motor.is_position());
            let response = (may_spring && needs).then(|| Response::of(self, nodes));
            let mut loading = Loading {
                link: self,
                moving: &moving,
                i: &joint.impulse,
                h: substep.h,
                has_bias,
                rate,
                soft,
                response,
                rows,
                n_held: 0,
            };
            loading.add_rows(joint);
            if may_spring {
                loading.add_spring(step, joint);
            }
        }
        self.n_rows = rows.len() - self.first_row;
    }

    /// Adds the changes to the impulses of the joint.
    pub(super) fn add_impulses(&self, rows: &[Row], i: &mut JointImpulse) {
        for row in rows {
            let change = row.change as Real;
            match row.kind {
                RowKind::Point => i.linear += row.direction * change,
                RowKind::Turn => i.angular += row.direction * change,
                RowKind::Rod => {
                    let new = i.lower - i.upper + change;
                    (i.lower, i.upper) = (new.max(0.0), (-new).max(0.0));
                }
                RowKind::Lower => i.lower += change,
                RowKind::Upper | RowKind::Cone => i.upper += change,
                RowKind::Locked(k) if k < 3 => i.linear[k] += change,
                RowKind::Locked(k) => i.angular[k - 3] += change,
                RowKind::Limit(k, side) => i.limits[k][side] += change,
                RowKind::Motor(k) => i.motors[k] += change,
                RowKind::Spring => i.spring += change,
            }
        }
    }
}

impl Loading<'_> {
    fn add_rows(&mut self, joint: &Joint) {
        if let Some(axes) = joint.kind.axes() {
            return self.add_axes(&axes);
        }
        if let JointKind::Distance { min, max } = joint.kind {
            return self.add_distance(min, max);
        }
        let moving = self.moving;
        self.hold(|this| {
            for direction in Vec3::AXES {
                let (speed, error) = (direction.dot(moving.velocity()), direction.dot(moving.offset()));
                this.add_held(RowKind::Point, direction, speed, error);
            }
        });
        let turning = moving.w_b - moving.w_a;
        let hold = |this: &mut Self, direction: Vec3| {
            let error = direction.dot(moving.turn_error);
            this.add_held(RowKind::Turn, direction, direction.dot(turning), error);
        };
        match joint.kind {
            JointKind::Weld => {
                self.hold(|this| Vec3::AXES.into_iter().for_each(|direction| hold(this, direction)));
            }
            JointKind::Spherical { cone, twist } => {
                let (bend, angle) = moving.limited;
                if joint.kind.locks_bend() {
                    self.hold_across(hold);
                } else if cone < PI {
                    let row = self.turning_row(RowKind::Cone, -bend, -bend.dot(turning));
                    let torque = self.push_limit(row, cone - angle, self.i.upper);
                    self.resist_cone((bend, angle), torque);
                }
                if let Some(limits) = twist {
                    let (axis, angle) = moving.twist_row();
                    let of = |side| RowKind::Limit(ABOUT_X, side);
                    let old = self.i.limits[ABOUT_X];
                    let torque = self.add_limits([of(0), of(1)], (axis, angle), limits, old);
                    if let Some(axis) = axis.try_normalize().filter(|_| 0.0 < torque) {
                        let (p, q) = axis.any_orthonormal_pair();
                        self.resist(p, torque);
                        self.resist(q, torque);
                    }
                }
            }
            JointKind::Revolute { limits, motor } => {
                self.hold_across(hold);
                let (axis, angle) = moving.limited;
                let near = |[low, high]: [Real; 2]| angle_near(angle, 0.5 * (low + high));
                if let Some(limits) = limits {
                    let old = [self.i.lower, self.i.upper];
                    self.add_limits([RowKind::Lower, RowKind::Upper], (axis, near(limits)), limits, old);
                }
                if let Some(motor) = motor {
                    let within = |limits| motor.within(near(limits), limits, self.h);
                    let motor = limits.map_or(motor, within);
                    let row = self.turning_row(RowKind::Motor(ABOUT_X), axis, moving.hinge_speed());
                    self.add_motor(row, &motor, angle_near(angle, motor.middle()));
                }
            }
            _ => {}
        }
    }

    /// Adds the rows across the axis of a hinge.
    fn hold_across(&mut self, hold: impl Fn(&mut Self, Vec3)) {
        let (p, q) = self.moving.limited.0.any_orthonormal_pair();
        self.hold(|this| {
            hold(this, p);
            hold(this, q);
        });
    }

    fn add_distance(&mut self, min: Real, max: Real) {
        let moving = self.moving;
        let (length, along) = (moving.offset().length(), moving.along());
        let speed = along.dot(moving.velocity());
        if min == max {
            let mut row = self.point_row(RowKind::Rod, along, speed);
            match self.soft {
                Some(soft) => {
                    let old = f64::from(self.i.lower - self.i.upper);
                    self.soften_limit(&mut row, soft, f64::from(length - min), old);
                }
                None => row.right = f64::from(-self.rate * (length - min)),
            }
            return self.rows.push(row);
        }
        let [lower, upper] = [(RowKind::Lower, 1.0), (RowKind::Upper, -1.0)]
            .map(|(kind, sign)| self.point_row(kind, along * sign, sign * speed));
        self.push_limit(lower, length - min, self.i.lower);
        self.push_limit(upper, max - length, self.i.upper);
    }

    fn add_axes(&mut self, kind: &SixDof) {
        let moving = self.moving;
        let mut axes = Axes::of(moving);
        if self.has_bias {
            axes.look_ahead(moving, self.h);
        }
        let row = |this: &Self, row: RowKind, k: usize, sign: Real| {
            let (linear, [turn_a, turn_b]) = (axes.linear[k] * sign, axes.turns(k).map(|turn| turn * sign));
            this.row(row, k < 3, (linear, linear, turn_a, turn_b), sign * axes.speed(moving, k))
        };
        self.hold(|this| {
            for k in (0..6).filter(|&k| kind.limits[k] == AxisLimit::Locked) {
                let mut locked = row(this, RowKind::Locked(k), k, 1.0);
                locked.right = f64::from(-axes.ahead[k]);
                this.push_held(locked, axes.coordinates[k]);
            }
        });
        for k in 0..6 {
            let limits = match kind.limits[k] {
                AxisLimit::Locked => continue,
                AxisLimit::Free => None,
                AxisLimit::Between(low, high) => Some([low, high]),
            };
            let near = |[low, high]: [Real; 2]| axes.coordinate_near(k, 0.5 * (low + high));
            if let Some([low, high]) = limits {
                let coordinate = near([low, high]);
                for (side, sign, room) in [(0, 1.0, coordinate - low), (1, -1.0, high - coordinate)] {
                    let mut limit = row(self, RowKind::Limit(k, side), k, sign);
                    limit.right = f64::from(-sign * axes.ahead[k]);
                    self.push_limit(limit, room, self.i.limits[k][side]);
                }
            }
            if let Some(motor) = kind.motors[k] {
                let motor = limits.map_or(motor, |limits| motor.within(near(limits), limits, self.h));
                let row = row(self, RowKind::Motor(k), k, 1.0);
                self.add_motor(row, &motor, axes.coordinate_near(k, motor.middle()));
            }
        }
    }

    /// Returns a row. `linear` has the directions for both bodies, and `turn` the axes.
    fn row(
        &self,
        kind: RowKind,
        is_linear: bool,
        (linear_a, linear_b, turn_a, turn_b): (Vec3, Vec3, Vec3, Vec3),
        speed: Real,
    ) -> Row {
        let six = |x: Vec3, y: Vec3| [x.x, x.y, x.z, y.x, y.y, y.z].map(f64::from);
        let (of_a, of_b) = (six(-linear_a, -turn_a), six(linear_b, turn_b));
        let (parent, child) = if self.link.child_is_b { (of_a, of_b) } else { (of_b, of_a) };
        Row { kind, is_linear, parent, child, speed: f64::from(speed), ..Row::EMPTY }
    }

    /// Returns a row for the relative velocity of the joint points along a direction.
    fn point_row(&self, kind: RowKind, direction: Vec3, speed: Real) -> Row {
        let turn = |anchor: Vec3| anchor.cross(direction);
        let turns = (turn(self.moving.anchor_a), turn(self.moving.anchor_b));
        let row = self.row(kind, true, (direction, direction, turns.0, turns.1), speed);
        Row { direction, ..row }
    }

    /// Returns a row for the relative angular velocity about an axis.
    fn turning_row(&self, kind: RowKind, axis: Vec3, speed: Real) -> Row {
        let row = self.row(kind, false, (Vec3::ZERO, Vec3::ZERO, axis, axis), speed);
        Row { direction: axis, ..row }
    }

    /// Adds the rows of a block, and makes them soft if the joint is.
    fn hold(&mut self, add: impl FnOnce(&mut Self)) {
        let start = self.rows.len();
        add(self);
        let end = self.rows.len();
        self.n_held += end - start;
        let (Some(soft), Some(response)) = (&self.soft, &self.response) else { return };
        let block = start - self.link.first_row;
        let rows = &mut self.rows[start..];
        let n_linear = rows.iter().filter(|row| row.is_linear).count().max(1) as f64;
        let own = |row: &Row| if row.is_linear { response.entry(row, row) } else { 0.0 };
        let mean = rows.iter().map(own).sum::<f64>() / n_linear;
        let compliance = |a: &Row, b: &Row, is_same: bool| match (a.is_linear, b.is_linear) {
            _ if soft.is_absolute => f64::from(u8::from(is_same)),
            (true, true) if is_same => mean,
            (false, false) => response.entry(a, b),
            _ => 0.0,
        };
        let mut old = Six::default();
        for (old, row) in old.iter_mut().zip(rows.iter()) {
            *old = old_impulse(row.kind, row.direction, self.i);
        }
        for i in 0..rows.len() {
            let mut own = Six::default();
            for (k, own) in own.iter_mut().enumerate().take(rows.len()) {
                *own = compliance(&rows[i], &rows[k], i == k) / soft.resistance;
            }
            rows[i].right -= dot(&own, &old);
            (rows[i].block, rows[i].compliance) = (block, own);
        }
    }

    fn add_held(&mut self, kind: RowKind, direction: Vec3, speed: Real, error: Real) {
        let row = match kind {
            RowKind::Turn => self.turning_row(kind, direction, speed),
            _ => self.point_row(kind, direction, speed),
        };
        self.push_held(row, error);
    }

    fn push_held(&mut self, mut row: Row, error: Real) {
        row.right += match &self.soft {
            Some(soft) => -soft.rate * f64::from(error),
            None => f64::from(-self.rate * error),
        };
        self.rows.push(row);
    }

    /// Adds the rows that resist rotation across the torque of a soft cone: about the axis that
    /// turns the plane of the bend, and about the middle of the x axes. The first one follows from
    /// the second derivative of the angle.
    fn resist_cone(&mut self, (bend, angle): (Vec3, Real), torque: f64) {
        let [a, b] = [self.moving.rotation_a, self.moving.rotation_b].map(|of| rotation::rotate(of, Vec3::X));
        let Some(middle) = (a + b).try_normalize().filter(|_| 0.0 < torque) else { return };
        let (sine, cosine) = ops::sin_cos(0.5 * angle);
        self.resist(middle.cross(bend), 0.5 * torque * f64::from(cosine / sine));
        self.resist(middle, torque);
    }

    /// Adds a row that resists rotation about an axis as a spring of `torque` per radian does,
    /// whose rest angle is the present one. A torque that keeps its direction for a substep would
    /// otherwise add energy to light links (test:
    /// `spring_chains::no_chain_of_any_kind_gains_energy`).
    fn resist(&mut self, axis: Vec3, torque: f64) {
        let compliance = 1.0 / (f64::from(self.h * self.h) * torque);
        if !(0.0 < compliance && compliance.is_finite()) {
            return;
        }
        let speed = axis.dot(self.moving.w_b - self.moving.w_a);
        let mut row = self.turning_row(RowKind::Turn, axis, speed);
        (row.block, row.compliance[0]) = (self.rows.len() - self.link.first_row, compliance);
        row.right = -compliance * f64::from(axis.dot(self.i.angular));
        self.rows.push(row);
    }

    /// Adds the rows of the two limits of an angle. Returns the larger torque of their springs.
    fn add_limits(
        &mut self,
        kinds: [RowKind; 2],
        (axis, angle): (Vec3, Real),
        [low, high]: [Real; 2],
        old: [Real; 2],
    ) -> f64 {
        let speed = axis.dot(self.moving.w_b - self.moving.w_a);
        let [lower, upper] = [(0, 1.0, angle - low), (1, -1.0, high - angle)].map(|(k, sign, room)| {
            let row = self.turning_row(kinds[k], axis * sign, sign * speed);
            self.push_limit(row, room, old[k])
        });
        lower.max(upper)
    }

    /// Adds the row of a limit. If it is far, and had no impulse, it is released at first. Returns
    /// the force or torque of its spring.
    fn push_limit(&mut self, mut row: Row, room: Real, old: Real) -> f64 {
        // A soft rope becomes taut without a jerk. Limits of other kinds stop a body at first:
        // otherwise soft cones would give energy.
        let is_elastic = room <= 0.0 || (row.is_linear && !matches!(row.kind, RowKind::Limit(..)));
        match self.soft {
            Some(soft) if is_elastic => self.soften_limit(&mut row, soft, f64::from(room), f64::from(old)),
            _ if 0.0 < room => row.right += f64::from(-(room / self.h)),
            _ => row.right += f64::from(-(room * self.rate)),
        }
        row.range[0] = f64::from(-old);
        if 0.0 < room && old == 0.0 {
            row.bound = Bound::Impulse(row.range[0]);
        }
        self.rows.push(row);
        row.force
    }

    /// Adds the row of a motor.
    fn add_motor(&mut self, mut row: Row, motor: &Motor, coordinate: Real) {
        let RowKind::Motor(k) = row.kind else { return };
        let old = f64::from(self.i.motors[k]);
        match motor.drive {
            Drive::Velocity(speed) => row.right = f64::from(speed),
            // Springs act in the first of the two passes of a substep only.
            Drive::Position(..) if self.response.is_none() => return,
            Drive::Position(target, spring) => {
                let spring = spring.implicit(self.h);
                self.soften(&mut row, spring, f64::from(coordinate - target), old);
                if row.own_compliance() == 0.0 {
                    return;
                }
            }
        }
        let max = f64::from(motor.max_force) * f64::from(self.h);
        row.range = [-max - old, max - old];
        self.rows.push(row);
    }

    /// Makes a limit or a rod a spring. One that is too stiff for a substep is damped more: it
    /// would push back in one substep what bodies have passed by turning, and no pass takes this
    /// speed back (test: `spring_chains::no_stiff_chain_gains_energy`).
    fn soften_limit(&self, row: &mut Row, mut spring: Implicit, error: f64, old: f64) {
        let stiff = spring.resistance * spring.rate * f64::from(self.h);
        let mass = match &self.response {
            Some(response) if spring.is_absolute => self.mass_of_spring(response, row),
            _ => 1.0,
        };
        let more = stiff * (stiff / mass).min(MAX_DAMPED_SUBSTEPS);
        spring.rate *= spring.resistance / (spring.resistance + more);
        spring.resistance += more;
        self.soften(row, spring, error, old);
        if row.own_compliance() != 0.0 {
            row.force = -error * spring.rate / row.own_compliance() / f64::from(self.h);
        }
    }

    /// Makes a row that follows the present ones a spring. Its compliance stays 0 if nothing can
    /// move along it.
    fn soften(&self, row: &mut Row, spring: Implicit, error: f64, old: f64) {
        let mass = match &self.response {
            Some(response) if !spring.is_absolute => self.mass_of_spring(response, row),
            _ => 1.0,
        };
        let compliance = 1.0 / (mass * spring.resistance);
        if compliance.is_finite() {
            (row.block, row.compliance[0]) = (self.rows.len() - self.link.first_row, compliance);
            row.right += -spring.rate * error - compliance * old;
        }
    }

    /// Returns the mass of a spring of a frequency. It must not change as the direction of the
    /// spring turns: a spring that stiffens while it is under tension gives energy (test:
    /// `spring_chains::no_chain_of_any_kind_gains_energy`).
    fn mass_of_spring(&self, response: &Response, row: &Row) -> f64 {
        let held = &self.rows[self.link.first_row..][..self.n_held];
        match row.kind {
            RowKind::Rod | RowKind::Lower | RowKind::Upper if row.is_linear => {
                response.mean_mass(Vec3::AXES.map(|axis| self.point_row(RowKind::Point, axis, 0.0)))
            }
            RowKind::Cone => {
                let axis = rotation::rotate(self.moving.rotation_b, Vec3::X);
                let (p, q) = axis.any_orthonormal_pair();
                let inverse = |axis| {
                    let inertia = response.mass(held, &self.turning_row(RowKind::Turn, axis, 0.0));
                    if 0.0 < inertia { 1.0 / inertia } else { 0.0 }
                };
                2.0 / (inverse(p) + inverse(q))
            }
            _ => response.mass(held, row),
        }
    }

    /// Adds the row of a torsion spring.
    fn add_spring(&mut self, step: &JointStep, joint: &Joint) {
        let Some(spring) = joint.torsion_spring else { return };
        let moving = self.moving;
        let axis = moving.limited.0;
        let [k, c, h] = [spring.stiffness, spring.damping, self.h].map(f64::from);
        let stiffness = h * h * k * f64::from(moving.inverse_effective_inertia(axis));
        let share = stiffness / (1.0 + stiffness);
        let (end, start) = (0.25 + 0.75 * share, 0.25 * (1.0 - share));
        let resistance = h * (h * k * end + c);
        if !(0.0 < resistance) {
            return;
        }
        let deviation = f64::from(joint.deviation(&spring)) - start * h * f64::from(step.start_speed);
        let old = f64::from(self.i.spring);
        let speed = moving.hinge_speed();
        let mut row = self.turning_row(RowKind::Spring, axis, speed);
        row.right = -(h * k * deviation + old) / resistance;
        (row.block, row.compliance[0]) = (self.rows.len() - self.link.first_row, 1.0 / resistance);
        row.max_speed = (f64::from(MAX_TURN) / h).max(f64::from(speed).abs());
        self.rows.push(row);
    }
}

/// Returns the impulse of a row that holds.
fn old_impulse(kind: RowKind, direction: Vec3, i: &JointImpulse) -> f64 {
    f64::from(match kind {
        RowKind::Point => direction.dot(i.linear),
        RowKind::Turn => direction.dot(i.angular),
        RowKind::Rod => i.lower - i.upper,
        RowKind::Locked(k) if k < 3 => i.linear[k],
        RowKind::Locked(k) => i.angular[k - 3],
        _ => 0.0,
    })
}
