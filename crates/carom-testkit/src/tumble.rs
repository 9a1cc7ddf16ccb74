//! Ragdolls that are thrown down stairs, with checks in every step that nothing explodes.
//!
//! A fall is right if it gains no energy and tears no joint. No limb may be much faster than its
//! fall, too deep in a stair, or under the floor. Falls that do not come to rest are counted too.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.9 (response); the first law
//! of thermodynamics (the bounds on energy).

use crate::scene_world::fill;
use carom_math::Vec3;
use carom_response::Body;
use carom_scenes::{JointSpec, stairs};
use carom_world::World;

/// Seconds of a step.
const DT: f32 = 1.0 / 60.0;

/// A fall that has not come to rest after this many steps counts as restless.
const MAX_STEPS: u32 = 1800;

/// The largest rise of the energy above its least value so far, relative to the energy at the
/// start. Overlapping bodies are pushed apart and thereby lifted.
const MAX_RISE: f64 = 0.2;

/// The largest rise of the energy above its start, relative to it. It covers rounding alone.
const MAX_GAIN: f64 = 1e-3;

/// The largest gap of a joint, in metres. A limb that hits a stair at ten metres a second strains
/// its joint for a step; beyond this the joint is torn.
const MAX_GAP: f64 = 0.4;

/// The largest speed of a limb, relative to the speed that it can gain by falling. The end of a
/// whip is faster than its middle.
const FASTEST: f64 = 2.5;

/// The largest depth of a contact, in metres: more than a limb moves in a step.
const DEEPEST: f64 = 0.4;

/// Counts and extremes of falls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TumbleTally {
    /// The number of falls.
    pub falls: u64,
    /// The number of steps of all falls.
    pub steps: u64,
    /// The largest rise of the energy above its least value before, relative to that at the start.
    pub rise: f64,
    /// The largest distance between the two points of a joint, in metres.
    pub gap: f64,
    /// The largest rise of the energy above that at the start, relative to it.
    pub gain: f64,
    /// The largest angle beyond a limit, in radians.
    pub bend: f64,
    /// The deepest contact with stairs or floor, in metres.
    pub depth: f64,
    /// The largest speed of a limb, relative to the speed that it can gain by falling.
    pub speed: f64,
    /// The number of falls that were not at rest at the end.
    pub restless: u64,
    /// The number of falls in which a check failed.
    pub wrong: u64,
    /// The first failure.
    pub first: Option<String>,
}

impl TumbleTally {
    /// Adds the counts of another tally.
    pub fn add(&mut self, other: &TumbleTally) {
        self.falls += other.falls;
        self.steps += other.steps;
        self.rise = self.rise.max(other.rise);
        self.gain = self.gain.max(other.gain);
        self.gap = self.gap.max(other.gap);
        self.bend = self.bend.max(other.bend);
        self.depth = self.depth.max(other.depth);
        self.speed = self.speed.max(other.speed);
        // Failures take precedence over falls that do not come to rest.
        if self.first.is_none() || self.wrong == 0 && 0 < other.wrong {
            self.first.clone_from(&other.first);
        }
        self.restless += other.restless;
        self.wrong += other.wrong;
    }

    /// Whether no check failed, and at most one of a hundred falls did not come to rest.
    pub fn is_right(&self) -> bool {
        self.wrong == 0 && self.restless * 100 <= self.falls
    }
}

/// Returns the gap between the two points of a joint, and the angle beyond its limits.
fn strain(joint: &JointSpec, bodies: &[Body]) -> (f64, f64) {
    let turned = |body: usize, v: Vec3| bodies[body].pose.transform_vector(v).as_dvec3();
    match *joint {
        JointSpec::Ball { a, b, anchor_a, anchor_b, axis_a, axis_b, cone } => {
            let gap = bodies[a].pose.transform_point(anchor_a) - bodies[b].pose.transform_point(anchor_b);
            let bend = turned(a, axis_a).angle_between(turned(b, axis_b)) - f64::from(cone);
            (f64::from(gap.length()), bend.max(0.0))
        }
        JointSpec::Hinge { a, b, anchor_a, anchor_b, axis_a, axis_b, min, max } => {
            let gap = bodies[a].pose.transform_point(anchor_a) - bodies[b].pose.transform_point(anchor_b);
            let axis = turned(a, axis_a);
            let off = axis.angle_between(turned(b, axis_b));
            // Any direction across the axis, the same in both frames, because limbs start without
            // relative rotation.
            let across = axis_a.any_orthonormal_vector();
            let (from, to) = (turned(a, across), turned(b, across));
            let angle = axis.dot(from.cross(to)).atan2(from.dot(to));
            let beyond = (f64::from(min) - angle).max(angle - f64::from(max));
            (f64::from(gap.length()), off.max(beyond).max(0.0))
        }
        ref other => panic!("{other:?} is in no ragdoll"),
    }
}

/// Simulates one fall of `n_dolls` until all are at rest. `is_fast` turns continuous collision
/// detection on for the limbs.
pub fn tumble(n_dolls: usize, is_fast: bool, seed: u64, tally: &mut TumbleTally) {
    let mut scene = stairs(n_dolls, seed);
    for body in &mut scene.bodies {
        body.uses_ccd = is_fast && !body.is_fixed();
    }
    let mut world = World::new();
    let ids = fill(&mut world, &scene);
    let gravity = -world.settings().solver.gravity;
    let mut own_tally = TumbleTally { falls: 1, ..TumbleTally::default() };
    let energy_of = |bodies: &[Body]| -> f64 {
        let moving = bodies.iter().filter(|body| 0.0 < body.inverse_mass);
        moving
            .map(|body| {
                let height = f64::from(gravity.dot(body.world_center()));
                f64::from(body.kinetic_energy()) + height / f64::from(body.inverse_mass)
            })
            .sum()
    };
    let bodies_of =
        |world: &World| -> Vec<Body> { ids.iter().map(|id| *world.body(*id).unwrap().motion()).collect() };
    let mut bodies = bodies_of(&world);
    let start = energy_of(&bodies);
    let mut least = start;
    // The most speed that a limb can have: its start and the fall from the greatest height, half
    // v^2 = g h.
    let top = bodies.iter().map(|body| f64::from(body.pose.translation.y)).fold(0.0, f64::max) + 1.0;
    let thrown = bodies.iter().map(|body| f64::from(body.linear_velocity.length())).fold(0.0, f64::max);
    let fastest = (thrown * thrown + 2.0 * f64::from(gravity.y) * top).sqrt();
    let mut is_resting = false;
    let mut wrong = Vec::new();
    while !is_resting && (own_tally.steps as u32) < MAX_STEPS {
        if let Err(error) = world.step(DT) {
            wrong.push(error.to_string());
            break;
        }
        own_tally.steps += 1;
        bodies = bodies_of(&world);
        if let Some(lost) = bodies.iter().position(|body| {
            !(body.pose.is_finite() && body.linear_velocity.is_finite() && -1.0 < body.pose.translation.y)
                && 0.0 < body.inverse_mass
        }) {
            wrong.push(format!("limb {lost} is lost at {}", bodies[lost].pose.translation));
            break;
        }
        let energy = energy_of(&bodies);
        least = least.min(energy);
        own_tally.rise = own_tally.rise.max((energy - least) / start);
        own_tally.gain = own_tally.gain.max((energy - start) / start);
        for joint in &scene.joints {
            let (gap, bend) = strain(joint, &bodies);
            own_tally.gap = own_tally.gap.max(gap);
            own_tally.bend = own_tally.bend.max(bend);
        }
        let speeds = bodies.iter().map(|body| f64::from(body.linear_velocity.length()));
        own_tally.speed = own_tally.speed.max(speeds.fold(0.0, f64::max) / fastest);
        let contacts = world.contacts();
        let depths = contacts.flat_map(|view| view.manifolds).flat_map(|manifold| manifold.contacts());
        own_tally.depth =
            own_tally.depth.max(depths.map(|contact| -f64::from(contact.distance)).fold(0.0, f64::max));
        is_resting = bodies.iter().all(|body| body.is_sleeping || body.inverse_mass == 0.0);
    }
    own_tally.restless = u64::from(!is_resting);
    let bounds = [
        ("energy rises", own_tally.rise, MAX_RISE),
        ("energy comes from nowhere", own_tally.gain, MAX_GAIN),
        ("a joint is torn", own_tally.gap, MAX_GAP),
        ("a limb is too deep", own_tally.depth, DEEPEST),
        ("a limb is too fast", own_tally.speed, FASTEST),
    ];
    wrong.extend(bounds.iter().filter(|b| !(b.1 <= b.2)).map(|b| format!("{}: {:.4}", b.0, b.1)));
    if !is_resting && wrong.is_empty() {
        own_tally.first = Some(format!("seed {seed}: not at rest after {} steps", own_tally.steps));
    }
    if !wrong.is_empty() {
        own_tally.wrong = 1;
        own_tally.first = Some(format!("seed {seed}: {}", wrong.join(", ")));
    }
    tally.add(&own_tally);
}
