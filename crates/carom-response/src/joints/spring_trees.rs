//! Trees of joints with springs, solved directly: arms that motors hold, chains of sprung hinges.
//!
//! The impulse of a spring is found together with the impulses that hold the links. If rows are
//! solved one after the other, the spring uses the inertia of its two bodies, but it moves a whole
//! arm. Its impulse then lags behind the motion by many substeps. A stiff damper that lags pushes
//! along the motion and adds energy (test: `spring_chains::no_chain_gains_energy`).
//!
//! 1. Hinges, welds and spherical joints without limits form trees. A joint that closes a loop is
//!    no part of one. A tree is solved directly if it has two joints and a torsion spring or a
//!    position motor on a hinge. All other joints keep their own rows.
//! 2. The velocities `v` and impulses `x` of a substep satisfy `M v = M u + J^T x` and
//!    `J v + C x = r`. C is zero for rigid rows and the compliance of springs. Elimination from
//!    the leaves to the root needs linear time: the joint of a leaf adds `J^T D^-1 J` to the mass
//!    of its parent, with `D = J M^-1 J^T + C`.
//! 3. A limit that would be passed is added, and one that would pull is released. Then the tree is
//!    solved again.
//! 4. A motor at its largest force, or a spring that passes [`MAX_TURN`], becomes a row of given
//!    impulse or speed in the same way.
//! 5. The stiffness of a position motor follows from the inertia about its hinge of all that lies
//!    behind it, as if that were one body.
//! 6. A torsion spring that is soft for its two bodies uses the mean of three angles, as a single
//!    hinge does. A stiff one uses the angle at the end of the substep, which loses energy.
//!
//! Reference: D. Baraff, Linear-Time Dynamics Using Lagrange Multipliers, SIGGRAPH 1996.
//! Differs: bodies and joints are eliminated in pairs, so that every matrix is positive definite.

use crate::bodies::free::{motion, set_motion};
use crate::impulses::lane_vec::State;
use crate::joints::joint::Joint;
use crate::joints::kind::{JointAxis, JointKind};
use crate::joints::load::JointImpulse;
use crate::joints::mass::JointMass;
use crate::joints::motor::{Drive, Motor};
use crate::joints::rows::{JointStep, Jointed, Moving, Rows, Substep, angle_near};
use crate::joints::six::{Six, Square, add, dot, inverse, times};
use crate::joints::softness::Softness;
use crate::joints::torsion_spring::MAX_TURN;
use crate::sleep::island::DisjointSets;
use alloc::vec::Vec;
use carom_math::glam::{DMat3, DVec3};
use carom_math::{Real, Vec3};

/// The rows of a hinge: three of its point, two across its axis, two limits, a motor, a spring.
const MAX_ROWS: usize = 9;

/// The number of solutions after which limits are added. Later ones only release rows, so they end.
const MAX_ADDING_ROUNDS: u32 = 4;

/// A body that does not turn or move along an axis counts as heavier by this factor than along
/// its other axes.
const MAX_ANISOTROPY: f64 = 1e10;

/// A pivot below this fraction of the largest entry of its kind is zero, up to the rounding of
/// inputs in `f32`: no body moves there.
const MIN_PIVOT: f64 = 1e-9;

/// A speed is beyond its bound if it exceeds it by this part of itself: more than the rounding of
/// the solution in `f64`.
const ROUNDING: f64 = 1e-9;

/// The index of the axis of a hinge among the six axes.
const ABOUT_X: usize = JointAxis::AngX as usize;

/// The behaviour of the row of a spring or a motor at its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bound {
    /// The row follows its law.
    Inside,
    /// The change of the impulse is given.
    Impulse(f64),
    /// The speed is given, and the impulse is free.
    Speed(f64),
}

/// The part of a joint to which an impulse belongs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RowKind {
    Point,
    Turn,
    Lower,
    Upper,
    Motor,
    Spring,
}

/// One row of a joint.
#[derive(Clone, Copy, Debug)]
struct Row {
    kind: RowKind,
    /// The direction of the impulse, or the axis of the angular impulse, in the world frame.
    direction: Vec3,
    /// The velocity that a row measures: of the parent and of the child.
    parent: Six,
    child: Six,
    /// The compliance, and the right side without the present velocities.
    compliance: f64,
    right: f64,
    /// The speed before the solution.
    speed: f64,
    bound: Bound,
    /// The bounds of the change of the impulse.
    range: [f64; 2],
    /// The largest speed that the row may cause.
    max_speed: f64,
    change: f64,
}

impl Row {
    const EMPTY: Row = Row {
        kind: RowKind::Point,
        direction: Vec3::ZERO,
        parent: [0.0; 6],
        child: [0.0; 6],
        compliance: 0.0,
        right: 0.0,
        speed: 0.0,
        bound: Bound::Inside,
        range: [f64::NEG_INFINITY, f64::INFINITY],
        max_speed: f64::INFINITY,
        change: 0.0,
    };

    /// Whether the change of the impulse is given.
    fn is_given(&self) -> bool {
        matches!(self.bound, Bound::Impulse(_))
    }
}

/// A joint of a tree.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// The place of the joint among the joints that are solved.
    step: u32,
    /// The parent is `None` if it is not moved by forces.
    parent: Option<u32>,
    child: u32,
    child_is_b: bool,
    /// The root of the tree, if no fixed body holds it.
    free_root: Option<u32>,
    rows: [Row; MAX_ROWS],
    n_rows: usize,
    /// D, decomposed: L below the diagonal, and the inverse pivots on it.
    factors: [[f64; MAX_ROWS]; MAX_ROWS],
    right: [f64; MAX_ROWS],
}

/// The mass of all bodies behind a joint, as if they were one, about the origin.
#[derive(Clone, Copy, Debug, Default)]
struct Composite {
    mass: f64,
    moment: DVec3,
    inertia: DMat3,
}

/// A body of a tree.
#[derive(Clone, Debug)]
struct Node {
    slot: u32,
    is_root: bool,
    center: DVec3,
    /// The mass with that of the children.
    mass: Square,
    inverse: Square,
    /// The impulse of the children.
    push: Six,
    /// The change of the velocity.
    change: Six,
    composite: Composite,
}

/// The trees of a step. A parent comes before its children.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpringTrees {
    sets: DisjointSets,
    /// The two ends of each joint: a vertex, the place of the joint, the other vertex.
    ends: Vec<(u32, u32, u32)>,
    /// By vertex: its node, or [`NO_NODE`].
    node_of: Vec<u32>,
    /// By node: its tree.
    tree_of: Vec<u32>,
    /// By tree: the number of joints, and whether one of them has a spring.
    counts: Vec<(u32, bool)>,
    queue: Vec<u32>,
    /// Whether a joint that is part of no tree acts on the bodies of one.
    is_attached: bool,
    links: Vec<Link>,
    nodes: Vec<Node>,
}

const NO_NODE: u32 = u32::MAX;

/// Whether a joint may be part of a tree.
fn is_rigid(joint: &Joint) -> bool {
    let is_free = match joint.kind {
        JointKind::Weld | JointKind::Revolute { .. } => true,
        JointKind::Spherical { cone, twist } => core::f32::consts::PI <= cone && twist.is_none(),
        _ => false,
    };
    is_free && joint.spring.is_none()
}

/// Whether a hinge has a spring, or a motor that acts as one.
fn is_sprung(joint: &Joint) -> bool {
    let JointKind::Revolute { motor, .. } = joint.kind else { return false };
    joint.torsion_spring.is_some() || motor.is_some_and(|motor| motor.is_position())
}

impl SpringTrees {
    /// Finds the trees of a step, and marks their joints.
    pub(crate) fn find(&mut self, steps: &mut [JointStep], joints: &[Joint], indices: &[u32], n: usize) {
        self.links.clear();
        self.nodes.clear();
        let joint = |k: usize| &joints[indices[k] as usize];
        if !(0..steps.len()).any(|k| !steps[k].is_idle && is_sprung(joint(k))) {
            return;
        }
        // One vertex stands for all bodies that forces do not move.
        let ground = n as u32;
        self.sets.reset(n + 1);
        self.ends.clear();
        for (k, step) in steps.iter().enumerate() {
            if step.is_idle || !is_rigid(joint(k)) {
                continue;
            }
            let vertex = |slot: usize, movable: bool| if movable { slot as u32 } else { ground };
            let (a, b) = (vertex(step.slots.0, step.movable.0), vertex(step.slots.1, step.movable.1));
            if self.sets.root(a) != self.sets.root(b) {
                self.sets.join(a, b);
                self.ends.extend([(a, k as u32, b), (b, k as u32, a)]);
            }
        }
        self.ends.sort_unstable();
        self.node_of.clear();
        self.node_of.resize(n + 1, NO_NODE);
        self.tree_of.clear();
        self.counts.clear();
        self.search(ground, None, ground, steps, &joint);
        for k in 0..self.ends.len() {
            let vertex = self.ends[k].0;
            if vertex != ground && self.node_of[vertex as usize] == NO_NODE {
                self.counts.push((0, false));
                let root = self.nodes.len() as u32;
                self.add_node(vertex, true, self.counts.len() as u32 - 1);
                self.search(vertex, Some(root), ground, steps, &joint);
            }
        }
        self.keep_sprung();
        for link in &self.links {
            steps[link.step as usize].is_in_tree = true;
        }
        self.node_of.fill(NO_NODE);
        for node in &self.nodes {
            self.node_of[node.slot as usize] = node.slot;
        }
        let is_node = |slot: usize| self.node_of[slot] != NO_NODE;
        let mut others = steps.iter().filter(|step| !step.is_idle && !step.is_in_tree);
        self.is_attached = others.any(|step| is_node(step.slots.0) || is_node(step.slots.1));
    }

    /// Whether a joint that is part of no tree acts on the bodies of one. Trees have no warm start,
    /// so they are then solved before such joints, too.
    pub(crate) fn is_attached(&self) -> bool {
        self.is_attached && !self.links.is_empty()
    }

    /// Removes the trees that need no direct solution.
    fn keep_sprung(&mut self) {
        let SpringTrees { links, nodes, counts, tree_of, queue, .. } = self;
        let is_kept = |node: u32| {
            let (n_joints, has_spring) = counts[tree_of[node as usize] as usize];
            1 < n_joints && has_spring
        };
        // The new place of each node.
        queue.clear();
        let mut n_kept = 0;
        for node in 0..nodes.len() as u32 {
            queue.push(n_kept);
            n_kept += u32::from(is_kept(node));
        }
        let mut node = 0;
        nodes.retain(|_| {
            node += 1;
            is_kept(node - 1)
        });
        links.retain(|link| is_kept(link.child));
        for link in links.iter_mut() {
            link.child = queue[link.child as usize];
            for node in [&mut link.parent, &mut link.free_root].into_iter().flatten() {
                *node = queue[*node as usize];
            }
        }
    }

    fn add_node(&mut self, vertex: u32, is_root: bool, tree: u32) {
        self.node_of[vertex as usize] = self.nodes.len() as u32;
        self.tree_of.push(tree);
        self.nodes.push(Node {
            slot: vertex,
            is_root,
            center: DVec3::ZERO,
            mass: Square::default(),
            inverse: Square::default(),
            push: Six::default(),
            change: Six::default(),
            composite: Composite::default(),
        });
    }

    /// Adds the joints of the part of a vertex, breadth first.
    fn search<'a>(
        &mut self,
        from: u32,
        free_root: Option<u32>,
        ground: u32,
        steps: &[JointStep],
        joint: &impl Fn(usize) -> &'a Joint,
    ) {
        self.queue.clear();
        self.queue.push(from);
        let mut next = 0;
        while next < self.queue.len() {
            let vertex = self.queue[next];
            next += 1;
            let first = self.ends.partition_point(|end| end.0 < vertex);
            for k in first..self.ends.len() {
                let (start, step, other) = self.ends[k];
                if start != vertex {
                    break;
                }
                if other == ground || self.node_of[other as usize] != NO_NODE {
                    continue;
                }
                let parent = (vertex != ground).then(|| self.node_of[vertex as usize]);
                let tree = parent.map_or(self.counts.len() as u32, |parent| self.tree_of[parent as usize]);
                if parent.is_none() {
                    self.counts.push((0, false));
                }
                let count = &mut self.counts[tree as usize];
                *count = (count.0 + 1, count.1 || is_sprung(joint(step as usize)));
                self.links.push(Link {
                    step,
                    parent,
                    child: self.nodes.len() as u32,
                    child_is_b: steps[step as usize].slots.1 == other as usize,
                    free_root,
                    rows: [Row::EMPTY; MAX_ROWS],
                    n_rows: 0,
                    factors: Default::default(),
                    right: Default::default(),
                });
                self.add_node(other, false, tree);
                self.queue.push(other);
            }
        }
    }

    /// Solves all trees. Springs act only if `may_spring`; positions are corrected with them.
    pub(crate) fn solve(
        &mut self,
        (steps, joints, indices): (&[JointStep], &mut [Joint], &[u32]),
        masses: &[JointMass],
        bodies: &mut Jointed<'_>,
        substep: &Substep,
        may_spring: bool,
    ) {
        if self.links.is_empty() {
            return;
        }
        if may_spring {
            self.find_composites(steps, masses);
        }
        let SpringTrees { links, nodes, .. } = self;
        for link in links.iter_mut() {
            let (step, joint) = (&steps[link.step as usize], &joints[indices[link.step as usize] as usize]);
            link.load(nodes, step, joint, bodies.states, substep, may_spring);
        }
        let mut round = 0;
        loop {
            eliminate(links, nodes, masses);
            substitute(links, nodes);
            round += 1;
            let may_add = round < MAX_ADDING_ROUNDS;
            let mut has_changed = false;
            for link in links.iter_mut() {
                has_changed |= link.check(nodes, may_add);
            }
            if !has_changed {
                break;
            }
        }
        for link in links.iter() {
            link.add_impulses(&mut joints[indices[link.step as usize] as usize].impulse);
        }
        for node in nodes.iter() {
            node.apply(&masses[node.slot as usize], bodies);
        }
    }

    /// Sums up the masses behind each joint.
    fn find_composites(&mut self, steps: &[JointStep], masses: &[JointMass]) {
        let SpringTrees { links, nodes, .. } = self;
        for link in links.iter() {
            let rows = &steps[link.step as usize].rows;
            let [a, b] = [rows.points[0] - rows.anchor_a, rows.points[1] - rows.anchor_b].map(Vec3::as_dvec3);
            let [parent, child] = if link.child_is_b { [a, b] } else { [b, a] };
            nodes[link.child as usize].center = child;
            if let Some(node) = link.parent {
                nodes[node as usize].center = parent;
            }
        }
        for node in nodes.iter_mut() {
            let (mass, turning) = inertia_of(&masses[node.slot as usize]);
            let x = node.center;
            let outer = DMat3::from_cols(x * x.x, x * x.y, x * x.z);
            let inertia = turning + (DMat3::from_diagonal(DVec3::splat(x.length_squared())) - outer) * mass;
            node.composite = Composite { mass, moment: x * mass, inertia };
        }
        for link in links.iter().rev() {
            let Some(parent) = link.parent else { continue };
            let child = nodes[link.child as usize].composite;
            let sum = &mut nodes[parent as usize].composite;
            sum.mass += child.mass;
            sum.moment += child.moment;
            sum.inertia += child.inertia;
        }
    }
}

impl Composite {
    /// Returns the moment of inertia about an axis through a point.
    fn about(&self, axis: DVec3, point: DVec3) -> f64 {
        let (across, moment) = (axis.cross(point), axis.cross(self.moment));
        axis.dot(self.inertia * axis) + self.mass * across.length_squared() - 2.0 * moment.dot(across)
    }
}

/// Returns the mass and the inertia of a body. Directions in which it cannot move or turn are
/// heavy.
fn inertia_of(mass: &JointMass) -> (f64, DMat3) {
    let turning = mass.turning.as_dmat3();
    let trace = turning.x_axis.x + turning.y_axis.y + turning.z_axis.z;
    let moving = f64::from(mass.moving);
    let least = trace.max(moving).max(f64::MIN_POSITIVE) / MAX_ANISOTROPY;
    (1.0 / moving.max(least), (turning + DMat3::from_diagonal(DVec3::splat(least))).inverse())
}

impl Link {
    /// Computes the rows of the joint.
    fn load(
        &mut self,
        nodes: &[Node],
        step: &JointStep,
        joint: &Joint,
        states: &[State],
        substep: &Substep,
        may_spring: bool,
    ) {
        let rows = step.load(states);
        let has_bias = may_spring && !rows.whirl(&joint.kind, substep);
        let rate = if has_bias { substep.softness.bias_rate } else { 0.0 };
        self.n_rows = 0;
        for direction in Vec3::AXES {
            let (speed, error) = (direction.dot(rows.velocity()), direction.dot(rows.offset()));
            self.add(&rows, RowKind::Point, direction, speed, f64::from(-rate * error));
        }
        let turning = rows.w_b - rows.w_a;
        let mut hold = |direction: Vec3| {
            let error = direction.dot(rows.turn_error);
            self.add(&rows, RowKind::Turn, direction, direction.dot(turning), f64::from(-rate * error));
        };
        match joint.kind {
            JointKind::Weld => Vec3::AXES.into_iter().for_each(hold),
            JointKind::Revolute { limits, motor } => {
                let (p, q) = rows.limited.0.any_orthonormal_pair();
                hold(p);
                hold(q);
                if let Some(limits) = limits {
                    self.add_limits(&rows, limits, &joint.impulse, (rate, substep.h));
                }
                if let Some(motor) = motor.filter(|motor| may_spring || !motor.is_position()) {
                    let near = |[low, high]: [Real; 2]| angle_near(rows.limited.1, 0.5 * (low + high));
                    let within = |limits| motor.within(near(limits), limits, substep.h);
                    self.add_motor(&rows, nodes, &limits.map_or(motor, within), &joint.impulse, substep.h);
                }
                if may_spring {
                    self.add_spring(&rows, step, joint, substep.h);
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, rows: &Rows, kind: RowKind, direction: Vec3, speed: Real, right: f64) -> &mut Row {
        let (linear, turns) = match kind {
            RowKind::Point => (direction, [rows.anchor_a.cross(direction), rows.anchor_b.cross(direction)]),
            _ => (Vec3::ZERO, [direction; 2]),
        };
        let six = |x: Vec3, y: Vec3| [x.x, x.y, x.z, y.x, y.y, y.z].map(f64::from);
        let (of_a, of_b) = (six(-linear, -turns[0]), six(linear, turns[1]));
        let (parent, child) = if self.child_is_b { (of_a, of_b) } else { (of_b, of_a) };
        self.rows[self.n_rows] =
            Row { kind, direction, parent, child, right, speed: f64::from(speed), ..Row::EMPTY };
        self.n_rows += 1;
        &mut self.rows[self.n_rows - 1]
    }

    /// Adds the row of a torsion spring.
    fn add_spring(&mut self, rows: &Moving<'_>, step: &JointStep, joint: &Joint, h: Real) {
        let Some(spring) = joint.torsion_spring else { return };
        let axis = rows.limited.0;
        let [k, c, h] = [spring.stiffness, spring.damping, h].map(f64::from);
        let stiffness = h * h * k * f64::from(rows.inverse_effective_inertia(axis));
        let share = stiffness / (1.0 + stiffness);
        let (end, start) = (0.25 + 0.75 * share, 0.25 * (1.0 - share));
        let resistance = h * (h * k * end + c);
        if !(0.0 < resistance) {
            return;
        }
        let deviation = f64::from(joint.deviation(&spring)) - start * h * f64::from(step.start_speed);
        let old = f64::from(joint.impulse.spring);
        let right = -(h * k * deviation + old) / resistance;
        let speed = rows.hinge_speed();
        let row = self.add(rows, RowKind::Spring, axis, speed, right);
        row.compliance = 1.0 / resistance;
        row.max_speed = (f64::from(MAX_TURN) / h).max(f64::from(speed).abs());
    }

    /// Adds the rows of limits. Those that are far, and had no impulse, are released at first.
    fn add_limits(
        &mut self,
        rows: &Moving<'_>,
        [low, high]: [Real; 2],
        i: &JointImpulse,
        (rate, h): (Real, Real),
    ) {
        let angle = angle_near(rows.limited.1, 0.5 * (low + high));
        let (axis, speed) = (rows.limited.0, rows.hinge_speed());
        let sides =
            [(RowKind::Lower, 1.0, angle - low, i.lower), (RowKind::Upper, -1.0, high - angle, i.upper)];
        for (kind, sign, room, old) in sides {
            let bias = if 0.0 < room { room / h } else { room * rate };
            let row = self.add(rows, kind, axis * sign, sign * speed, f64::from(-bias));
            row.range[0] = f64::from(-old);
            if 0.0 < room && old == 0.0 {
                row.bound = Bound::Impulse(row.range[0]);
            }
        }
    }

    /// Adds the row of a motor.
    fn add_motor(&mut self, rows: &Moving<'_>, nodes: &[Node], motor: &Motor, i: &JointImpulse, h: Real) {
        let axis = rows.limited.0;
        let old = f64::from(i.motors[ABOUT_X]);
        let (compliance, right) = match motor.drive {
            Drive::Velocity(speed) => (0.0, f64::from(speed)),
            Drive::Position(target, spring) => {
                let angle = angle_near(rows.limited.1, motor.middle());
                let Softness { bias_rate, mass_scale, impulse_scale } = spring.softness(h);
                let inertia = self.inertia_behind(nodes, axis.as_dvec3(), rows.points[1].as_dvec3());
                let compliance = f64::from(impulse_scale) / (f64::from(mass_scale) * inertia);
                (compliance, -f64::from(bias_rate) * f64::from(angle - target) - compliance * old)
            }
        };
        let max = f64::from(motor.max_force) * f64::from(h);
        let row = self.add(rows, RowKind::Motor, axis, rows.hinge_speed(), right);
        row.compliance = compliance;
        row.range = [-max - old, max - old];
    }

    /// Returns the moment of inertia that a motor turns. A tree that is held moves its outer part
    /// only.
    fn inertia_behind(&self, nodes: &[Node], axis: DVec3, point: DVec3) -> f64 {
        let outer = nodes[self.child as usize].composite;
        let behind = outer.about(axis, point);
        let Some(root) = self.free_root else { return behind };
        let whole = nodes[root as usize].composite;
        let inner = Composite {
            mass: whole.mass - outer.mass,
            moment: whole.moment - outer.moment,
            inertia: whole.inertia - outer.inertia,
        };
        1.0 / (1.0 / behind + 1.0 / inner.about(axis, point))
    }

    /// Decomposes D, from the mass of the child with its own children.
    fn decompose(&mut self, child: &Node) {
        let n = self.n_rows;
        let rows = &self.rows[..n];
        let mut matrix = [[0.0; MAX_ROWS]; MAX_ROWS];
        for (i, row) in rows.iter().enumerate() {
            let moved = times(&child.inverse, &row.child);
            for (k, other) in rows.iter().enumerate() {
                matrix[i][k] = dot(&moved, &other.child);
            }
            let without = dot(&row.child, &times(&child.inverse, &child.push));
            self.right[i] = row.right - row.speed - without;
        }
        for (i, row) in rows.iter().enumerate() {
            match row.bound {
                Bound::Inside => matrix[i][i] += row.compliance,
                Bound::Speed(speed) => self.right[i] += speed - row.right,
                Bound::Impulse(_) => {
                    for k in 0..n {
                        (matrix[i][k], matrix[k][i]) = (0.0, 0.0);
                    }
                    (matrix[i][i], self.right[i]) = (1.0, 0.0);
                }
            }
        }
        // A row along which neither body can move has almost nothing on its diagonal.
        let most = |is_point: bool| {
            let of_kind = |row: &Row| (row.kind == RowKind::Point) == is_point;
            let entries = rows
                .iter()
                .enumerate()
                .filter(|(_, row)| of_kind(row) && row.compliance == 0.0 && !row.is_given());
            entries.fold(0.0f64, |most, (i, _)| most.max(matrix[i][i]))
        };
        let least = [most(false), most(true)].map(|most| MIN_PIVOT * most);
        let mut pivots = [0.0; MAX_ROWS];
        for i in 0..n {
            let floor = least[usize::from(rows[i].kind == RowKind::Point)];
            for k in 0..=i {
                let before: f64 = (0..k).map(|j| self.factors[i][j] * self.factors[k][j] * pivots[j]).sum();
                let rest = matrix[i][k] - before;
                if k < i {
                    self.factors[i][k] = rest * self.factors[k][k];
                } else {
                    let is_free = floor < rest && MIN_PIVOT * matrix[i][i] < rest;
                    (pivots[i], self.factors[i][i]) = if is_free { (rest, 1.0 / rest) } else { (0.0, 0.0) };
                }
            }
        }
    }

    /// Solves D x = side.
    fn solve(&self, mut x: [f64; MAX_ROWS]) -> [f64; MAX_ROWS] {
        let n = self.n_rows;
        for i in 0..n {
            let before: f64 = (0..i).map(|k| self.factors[i][k] * x[k]).sum();
            x[i] -= before;
        }
        for i in (0..n).rev() {
            let after: f64 = (i + 1..n).map(|k| self.factors[k][i] * x[k]).sum();
            x[i] = x[i] * self.factors[i][i] - after;
        }
        x
    }

    /// Adds the mass and the push of the child, as the joint passes them on, to the parent.
    fn pass_on(&self, parent: &mut Node) {
        let free = |(_, row): &(usize, &Row)| !row.is_given();
        let rows = &self.rows[..self.n_rows];
        let pushes = self.solve(self.right);
        for (k, row) in rows.iter().enumerate().filter(free) {
            add(&mut parent.push, &row.parent, pushes[k]);
            let mut unit = [0.0; MAX_ROWS];
            unit[k] = 1.0;
            let answer = self.solve(unit);
            let mut column = Six::default();
            for (j, other) in rows.iter().enumerate().filter(free) {
                add(&mut column, &other.parent, answer[j]);
            }
            for i in 0..6 {
                add(&mut parent.mass[i], &row.parent, column[i]);
            }
        }
    }

    /// Makes rows beyond their bounds rows of given impulse or speed. If `may_add`, limits that
    /// are passed act again. Returns whether a row has changed.
    fn check(&mut self, nodes: &[Node], may_add: bool) -> bool {
        let (parent, child) = (self.parent, self.child);
        let mut is_any = false;
        for row in &mut self.rows[..self.n_rows] {
            let moved = dot(&row.child, &nodes[child as usize].change)
                + parent.map_or(0.0, |node| dot(&row.parent, &nodes[node as usize].change));
            let speed = row.speed + moved;
            let clamped = row.change.max(row.range[0]).min(row.range[1]);
            let old = row.bound;
            match old {
                Bound::Inside if clamped != row.change => row.bound = Bound::Impulse(clamped),
                Bound::Inside if row.max_speed * (1.0 + ROUNDING) < speed.abs() => {
                    row.bound = Bound::Speed(speed.signum() * row.max_speed);
                }
                Bound::Impulse(_)
                    if may_add
                        && matches!(row.kind, RowKind::Lower | RowKind::Upper)
                        && speed < row.right - ROUNDING * (row.right.abs() + row.speed.abs()) =>
                {
                    row.bound = Bound::Inside;
                }
                _ => {}
            }
            is_any |= row.bound != old;
        }
        is_any
    }

    /// Adds the changes to the impulses of the joint.
    fn add_impulses(&self, i: &mut JointImpulse) {
        for row in &self.rows[..self.n_rows] {
            let change = row.change as Real;
            match row.kind {
                RowKind::Point => i.linear += row.direction * change,
                RowKind::Turn => i.angular += row.direction * change,
                RowKind::Lower => i.lower += change,
                RowKind::Upper => i.upper += change,
                RowKind::Motor => i.motors[ABOUT_X] += change,
                RowKind::Spring => i.spring += change,
            }
        }
    }
}

impl Node {
    /// Adds the change to the velocity of the body. A large impulse that others nearly cancel
    /// would lose digits, so impulses are not applied one by one.
    fn apply(&self, mass: &JointMass, bodies: &mut Jointed<'_>) {
        let slot = self.slot as usize;
        let turns = [0, 1, 2].map(|k| mass.turning.col(k) != Vec3::ZERO);
        let moves = 0.0 < mass.moving;
        let (mut v, mut w) = motion(&bodies.states[slot]);
        let old = (v, w);
        for k in 0..3 {
            if moves {
                v[k] += self.change[k] as Real;
            }
            if turns[k] {
                w[k] += self.change[k + 3] as Real;
            }
        }
        bodies.pushes[slot].0 += v - old.0;
        bodies.pushes[slot].1 += w - old.1;
        set_motion(&mut bodies.states[slot], v, w);
    }
}

/// Eliminates all joints and bodies, leaves first.
fn eliminate(links: &mut [Link], nodes: &mut [Node], masses: &[JointMass]) {
    for node in nodes.iter_mut() {
        let (mass, inertia) = inertia_of(&masses[node.slot as usize]);
        node.mass = Square::default();
        node.push = Six::default();
        for i in 0..3 {
            node.mass[i][i] = mass;
            for k in 0..3 {
                node.mass[i + 3][k + 3] = 0.5 * (inertia.col(k)[i] + inertia.col(i)[k]);
            }
        }
    }
    for link in links.iter() {
        for row in &link.rows[..link.n_rows] {
            let Bound::Impulse(given) = row.bound else { continue };
            add(&mut nodes[link.child as usize].push, &row.child, given);
            if let Some(parent) = link.parent {
                add(&mut nodes[parent as usize].push, &row.parent, given);
            }
        }
    }
    for link in links.iter_mut().rev() {
        let child = &mut nodes[link.child as usize];
        child.inverse = inverse(&child.mass);
        link.decompose(child);
        if let Some(parent) = link.parent {
            link.pass_on(&mut nodes[parent as usize]);
        }
    }
}

/// Finds the impulses and the velocities, roots first.
fn substitute(links: &mut [Link], nodes: &mut [Node]) {
    for node in nodes.iter_mut().filter(|node| node.is_root) {
        node.change = times(&inverse(&node.mass), &node.push);
    }
    for link in links.iter_mut() {
        let parent = link.parent.map_or(Six::default(), |node| nodes[node as usize].change);
        let mut side = link.right;
        for (side, row) in side.iter_mut().zip(&link.rows[..link.n_rows]) {
            if !row.is_given() {
                *side -= dot(&row.parent, &parent);
            }
        }
        let solved = link.solve(side);
        let child = &mut nodes[link.child as usize];
        let mut push = child.push;
        for (row, solved) in link.rows[..link.n_rows].iter_mut().zip(solved) {
            if let Bound::Impulse(given) = row.bound {
                row.change = given;
            } else {
                row.change = solved;
                add(&mut push, &row.child, solved);
            }
        }
        child.change = times(&child.inverse, &push);
    }
}
