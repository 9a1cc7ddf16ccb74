//! Trees of joints with springs or long levers, solved directly: arms that motors hold, chains of
//! soft joints, gantries.
//!
//! The impulse of a spring is found together with the impulses that hold the links. If rows are
//! solved one after the other, the spring uses the inertia of its two bodies, but it moves a whole
//! arm. Its impulse then lags behind the motion by many substeps. A stiff damper that lags pushes
//! along the motion and adds energy (test: `spring_chains::no_chain_gains_energy`).
//!
//! A body on a long lever turns far under a small impulse. If it has two joints, each of them
//! undoes most of what the other one does. So even rigid joints converge in seconds, not in a
//! substep, and three sliders give energy (test:
//! `long_levers::chains_on_long_levers_stay_at_rest`).
//!
//! 1. All joints but rigid ropes and rods, pulleys, gears and screws form trees. Sprung ones come
//!    first, so that a rigid joint closes a loop if there is one. A tree is solved directly if it
//!    has two joints and a spring: a torsion spring, a motor with a target, or a soft joint. A
//!    single joint is if it is soft, has two position motors, or is a hinge that a motor turns. A
//!    tree also is if two joints hold the rotation of one body, one of them on a lever beyond
//!    [`MAX_LEVER_RATIO`]. All other joints keep their own rows.
//! 2. The velocities `v` and impulses `x` of a substep satisfy `M v = M u + J^T x` and
//!    `J v + C x = r`. C is zero for rigid rows and the compliance of springs. Elimination from
//!    the leaves to the root needs linear time: the joint of a leaf adds `J^T D^-1 J` to the mass
//!    of its parent, with `D = J M^-1 J^T + C`.
//! 3. A limit that would be passed is added, and one that would pull is released. Then the tree is
//!    solved again.
//! 4. A motor at its largest force, or a spring that passes [`MAX_TURN`], becomes a row of given
//!    impulse or speed in the same way.
//! 5. The stiffness of a spring of a frequency follows from the mass of all that lies behind it,
//!    as if that were one body: see `rows`.
//! 6. A torsion spring that is soft for its two bodies uses the mean of three angles, as a single
//!    hinge does. A stiff one uses the angle at the end of the substep, which loses energy.
//! 7. A sprung joint that closes a loop is a tree of its own. These trees are solved in turn.
//!
//! [`MAX_TURN`]: crate::joints::torsion_spring::MAX_TURN
//!
//! Reference: D. Baraff, Linear-Time Dynamics Using Lagrange Multipliers, SIGGRAPH 1996.
//! Differs: bodies and joints are eliminated in pairs, so that every matrix is positive definite.

mod elimination;
mod rows;
mod tree;

use crate::bodies::free::{motion, set_motion};
use crate::bodies::mass::MassData;
use crate::joints::joint::Joint;
use crate::joints::kind::JointKind;
use crate::joints::mass::{JointMass, inverse_at};
use crate::joints::motor::Motor;
use crate::joints::rows::{JointStep, Jointed, Solver, Substep};
use crate::joints::six::{Six, Square, add, shifted};
use crate::joints::spring_trees::elimination::System;
use crate::joints::spring_trees::rows::Row;
use crate::joints::spring_trees::tree::{Link, Node, mass_of};
use crate::sleep::island::DisjointSets;
use alloc::vec::Vec;
use carom_math::glam::DVec3;
use carom_math::{Real, Vec3};
use core::ops::Range;

/// The largest inverse mass of a body at the end of a lever, per inverse mass of the body, with
/// which joints converge one after the other. A rod that is held at its end has 1. A cube of half
/// side `a` on a lever `r` has `r^2 / (2 a^2)`.
const MAX_LEVER_RATIO: Real = 10.0;

/// Trees that are solved together, by their joints and their bodies.
#[derive(Clone, Debug)]
struct Forest {
    links: Range<usize>,
    nodes: Range<usize>,
}

/// The findings of the search for a tree.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    n_joints: u32,
    has_spring: bool,
    /// Whether a joint needs a direct solution even alone, or a body has a long lever.
    is_needed: bool,
}

/// The joints that hold the rotation of a body.
#[derive(Clone, Copy, Debug, Default)]
struct Holders {
    n_joints: u32,
    /// Whether one of them acts at the end of a long lever.
    is_long: bool,
}

impl Holders {
    /// Whether they need a direct solution.
    fn disagree(self) -> bool {
        1 < self.n_joints && self.is_long
    }
}

/// The trees of a step. A parent comes before its children.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpringTrees {
    sets: DisjointSets,
    /// The two ends of each joint: a vertex, the place of the joint, the other vertex.
    ends: Vec<(u32, u32, u32)>,
    /// The sprung joints that close loops.
    closing: Vec<u32>,
    /// By vertex: its node, or [`NO_NODE`].
    node_of: Vec<u32>,
    /// By node: its tree.
    tree_of: Vec<u32>,
    counts: Vec<Count>,
    /// By slot.
    holders: Vec<Holders>,
    queue: Vec<u32>,
    /// Whether a joint that is part of no tree acts on the bodies of one.
    is_attached: bool,
    /// The joints that close loops, and at last all trees.
    forests: Vec<Forest>,
    links: Vec<Link>,
    nodes: Vec<Node>,
    rows: Vec<Row>,
    factors: Vec<f64>,
}

const NO_NODE: u32 = u32::MAX;

/// Whether a joint may be part of a tree.
fn is_edge(joint: &Joint) -> bool {
    match joint.kind {
        JointKind::Weld | JointKind::Revolute { .. } | JointKind::Spherical { .. } => true,
        JointKind::Prismatic { .. } | JointKind::SixDof(_) => true,
        JointKind::Distance { .. } => joint.spring.is_some(),
        JointKind::Pulley { .. } | JointKind::Gear { .. } | JointKind::RackAndPinion { .. } => false,
        JointKind::Screw { .. } => false,
    }
}

/// Whether a joint of a tree has a spring, or a motor that acts as one. A motor of a speed is
/// among them: it moves an arm, too (test: `spring_chains::motors_in_a_row_have_their_speeds`).
fn is_sprung(joint: &Joint) -> bool {
    // A torsion spring without stiffness and damping counts turns.
    let turns = joint.torsion_spring.is_some_and(|spring| 0.0 < spring.stiffness.max(spring.damping));
    is_edge(joint) && (joint.spring.is_some() || turns || joint.kind.motors().any(|motor| motor.is_driving()))
}

/// Whether a joint needs a direct solution even alone: its springs would be solved one after the
/// other (test: `spring_chains::no_chain_of_any_kind_gains_energy`). A hinge would be held after
/// its motor, which changes its speed (test: `spring_chains::motors_in_a_row_have_their_speeds`).
fn is_needed_alone(joint: &Joint) -> bool {
    let mut motors = joint.kind.motors();
    let is_driven = match joint.kind {
        JointKind::Revolute { .. } => motors.any(|motor| motor.turns()),
        _ => motors.filter(Motor::is_position).nth(1).is_some(),
    };
    is_edge(joint) && (joint.spring.is_some() || is_driven)
}

impl SpringTrees {
    /// Finds the trees of a step, and marks their joints.
    pub(crate) fn find(
        &mut self,
        steps: &mut [JointStep],
        (joints, indices): (&[Joint], &[u32]),
        masses: &[MassData],
    ) {
        let n = masses.len();
        self.links.clear();
        self.nodes.clear();
        self.forests.clear();
        let joint = |k: usize| &joints[indices[k] as usize];
        self.find_holders(steps, &joint, masses);
        let is_any_long = self.holders.iter().any(|holders| holders.disagree());
        if !is_any_long && !(0..steps.len()).any(|k| !steps[k].is_idle && is_sprung(joint(k))) {
            return;
        }
        // One vertex stands for all bodies that forces do not move.
        let ground = n as u32;
        self.sets.reset(n + 1);
        self.ends.clear();
        self.closing.clear();
        for with_springs in [true, false] {
            for (k, step) in steps.iter().enumerate() {
                if step.is_idle || !is_edge(joint(k)) || is_sprung(joint(k)) != with_springs {
                    continue;
                }
                let vertex = |slot: usize, movable: bool| if movable { slot as u32 } else { ground };
                let (a, b) = (vertex(step.slots.0, step.movable.0), vertex(step.slots.1, step.movable.1));
                if self.sets.root(a) != self.sets.root(b) {
                    self.sets.join(a, b);
                    self.ends.extend([(a, k as u32, b), (b, k as u32, a)]);
                } else if with_springs {
                    self.closing.push(k as u32);
                }
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
                let is_needed = self.holders[vertex as usize].disagree();
                self.counts.push(Count { is_needed, ..Count::default() });
                let root = self.nodes.len() as u32;
                self.node_of[vertex as usize] = root;
                self.add_node(vertex, true, self.counts.len() as u32 - 1);
                self.search(vertex, Some(root), ground, steps, &joint);
            }
        }
        self.keep_sprung();
        for link in &self.links {
            steps[link.step as usize].solver = Solver::Tree;
        }
        self.node_of.fill(NO_NODE);
        for node in &self.nodes {
            self.node_of[node.slot as usize] = node.slot;
        }
        let all = Forest { links: 0..self.links.len(), nodes: 0..self.nodes.len() };
        self.add_closing(steps);
        self.forests.push(all);
        let is_node = |slot: usize| self.node_of[slot] != NO_NODE;
        let mut others = steps.iter().filter(|step| !step.is_idle && step.solver != Solver::Tree);
        self.is_attached = others.any(|step| is_node(step.slots.0) || is_node(step.slots.1));
    }

    /// Finds the joints that hold the rotation of each body.
    fn find_holders<'a>(
        &mut self,
        steps: &[JointStep],
        joint: &impl Fn(usize) -> &'a Joint,
        masses: &[MassData],
    ) {
        self.holders.clear();
        self.holders.resize(masses.len(), Holders::default());
        for (k, step) in steps.iter().enumerate() {
            if step.is_idle || !is_edge(joint(k)) || !joint(k).kind.holds_rotation() {
                continue;
            }
            // The impulses of axes act at B's joint point, which may be far from A's.
            let arms = [(step.slots.0, step.between + step.anchor_b), (step.slots.1, step.anchor_b)];
            for (slot, arm) in arms {
                let (mass, holders) = (&masses[slot], &mut self.holders[slot]);
                let max = MAX_LEVER_RATIO * mass.inverse_mass;
                holders.n_joints += 1;
                holders.is_long |= 0.0 < max && max < inverse_at(arm, &mass.inertia_matrix());
            }
        }
    }

    /// Adds a tree for each sprung joint that closes a loop.
    fn add_closing(&mut self, steps: &mut [JointStep]) {
        for index in 0..self.closing.len() {
            let k = self.closing[index];
            let step = &mut steps[k as usize];
            step.solver = Solver::Closing;
            let (first, first_link) = (self.nodes.len(), self.links.len());
            let (a, b) = (step.slots.0 as u32, step.slots.1 as u32);
            let root = (step.movable == (true, true)).then_some(first as u32);
            if root.is_some() {
                self.add_node(a, true, 0);
            }
            let child = self.nodes.len() as u32;
            self.add_node(if step.movable.1 { b } else { a }, false, 0);
            self.add_link(k, root, child, step.movable.1, root);
            self.forests.push(Forest { links: first_link..self.links.len(), nodes: first..self.nodes.len() });
        }
    }

    /// Whether a joint that is part of no tree acts on the bodies of one. Trees have no warm
    /// start, so they are then solved before such joints, too.
    pub(crate) fn is_attached(&self) -> bool {
        self.is_attached && !self.links.is_empty()
    }

    /// Removes the trees that need no direct solution.
    fn keep_sprung(&mut self) {
        let SpringTrees { links, nodes, counts, tree_of, queue, .. } = self;
        let is_kept = |node: u32| {
            let Count { n_joints, has_spring, is_needed } = counts[tree_of[node as usize] as usize];
            is_needed || (1 < n_joints && has_spring)
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
        self.tree_of.push(tree);
        self.nodes.push(Node {
            slot: vertex,
            is_root,
            center: DVec3::ZERO,
            mass: Square::default(),
            inverse: Square::default(),
            push: Six::default(),
            change: Six::default(),
            composite: Square::default(),
        });
    }

    fn add_link(
        &mut self,
        step: u32,
        parent: Option<u32>,
        child: u32,
        child_is_b: bool,
        free_root: Option<u32>,
    ) {
        let link =
            Link { step, parent, child, child_is_b, free_root, first_row: 0, n_rows: 0, first_factor: 0 };
        self.links.push(link);
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
                    self.counts.push(Count::default());
                }
                let (count, joint) = (&mut self.counts[tree as usize], joint(step as usize));
                count.n_joints += 1;
                count.has_spring |= is_sprung(joint);
                count.is_needed |= is_needed_alone(joint) || self.holders[other as usize].disagree();
                let child_is_b = steps[step as usize].slots.1 == other as usize;
                let child = self.nodes.len() as u32;
                self.add_link(step, parent, child, child_is_b, free_root);
                self.node_of[other as usize] = child;
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
        for k in 0..self.forests.len() {
            let SpringTrees { forests, links, nodes, rows, factors, .. } = self;
            let Forest { links: own_links, nodes: own } = forests[k].clone();
            let links = &mut links[own_links];
            rows.clear();
            let mut n_factors = 0;
            for link in links.iter_mut() {
                let (step, joint) =
                    (&steps[link.step as usize], &joints[indices[link.step as usize] as usize]);
                link.load((nodes, rows), step, joint, bodies.states, substep, may_spring);
                link.first_factor = n_factors;
                n_factors += link.n_rows * link.n_rows;
            }
            factors.resize(n_factors.max(factors.len()), 0.0);
            System { links, nodes, own: own.clone(), rows, factors }.solve(masses);
            for link in links.iter() {
                link.add_impulses(
                    &rows[link.rows()],
                    &mut joints[indices[link.step as usize] as usize].impulse,
                );
            }
            for node in &nodes[own] {
                node.apply(&masses[node.slot as usize], bodies);
            }
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
            node.composite = mass_of(&masses[node.slot as usize]);
        }
        for link in links.iter().rev() {
            let Some(parent) = link.parent else { continue };
            let (child, center) = (&nodes[link.child as usize], nodes[parent as usize].center);
            let behind = shifted(&child.composite, child.center - center);
            for (sum, row) in nodes[parent as usize].composite.iter_mut().zip(&behind) {
                add(sum, row, 1.0);
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
