//! Heavy bodies on light links: joints hold together and add no energy, whatever hangs on them.

use crate::scenes::{CheckedStep, DT, ball, cuboid, ground};
use carom_geom::Capsule;
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, BodyId, JointDesc, JointId, JointKind, World, WorldSettings};
use core::f32::consts::{FRAC_PI_2, PI};

const GRAVITY: f32 = 9.81;
const FREE: JointKind = JointKind::Spherical { cone: 10.0, twist: None };
const HINGE: JointKind = JointKind::FREE_REVOLUTE;

/// The speed at which a kinematic end is moved, and for how many steps.
const PULL: (f32, usize) = (5.0, 60);

/// Bodies that joints hold together.
struct Rig {
    world: World,
    gravity: f32,
    movable: Vec<BodyId>,
    joints: Vec<(JointId, BodyId, BodyId)>,
}

/// The result of a run.
#[derive(Debug)]
struct Run {
    /// Widest gap of a joint.
    gap: f32,
    /// The largest kinetic and potential energy of all bodies, less that at the start.
    energy: f32,
    speed: f32,
}

impl Rig {
    fn new(gravity: f32) -> Rig {
        let mut settings = WorldSettings::default();
        settings.solver = settings.solver.with_gravity(Vec3::NEG_Y * gravity);
        let world = World::with_settings(settings);
        Rig { world, gravity, movable: Vec::new(), joints: Vec::new() }
    }

    /// Inserts a body of this mass. Bodies of a rig do not collide with each other.
    fn insert(&mut self, shape: Shape, mass: f32, pose: Pose) -> BodyId {
        let density = mass / carom_world::mass_of(&shape, 1.0).mass;
        let desc = BodyDesc::dynamic(shape).with_density(density).with_pose(pose).with_family(1);
        let id = self.world.insert(desc).unwrap();
        self.movable.push(id);
        id
    }

    fn join(&mut self, a: BodyId, b: BodyId, kind: JointKind, point: Vec3) {
        let joint = self
            .world
            .insert_joint(JointDesc::new(a, b, kind).with_anchor(point).with_axis(Vec3::Z))
            .unwrap();
        self.joints.push((joint, a, b));
    }

    /// A chain of links of this length from `at` along `along`, which is x or -y, with a load at
    /// its end.
    fn chain(
        &mut self,
        (from, at): (BodyId, Vec3),
        along: Vec3,
        kind: JointKind,
        (n, length, mass): (usize, f32, f32),
        (shape, load, reach): (Shape, f32, f32),
    ) -> BodyId {
        let rotation = if along == Vec3::X { Quat::from_rotation_z(FRAC_PI_2) } else { Quat::IDENTITY };
        let mut last = from;
        for k in 0..n {
            let position_of = |links: f32| at + along * (length * links);
            let link = Shape::Capsule(Capsule::new(0.4 * length, 0.1 * length).unwrap());
            let id = self.insert(link, mass, Pose::new(rotation, position_of(k as f32 + 0.5)));
            self.join(last, id, kind, position_of(k as f32));
            last = id;
        }
        let end = at + along * (length * n as f32);
        let id = self.insert(shape, load, Pose::from_translation(end + along * reach));
        self.join(last, id, kind, end);
        id
    }

    fn kinematic_box(&mut self) -> BodyId {
        let desc = BodyDesc::kinematic(cuboid(Vec3::splat(0.2))).with_family(1);
        self.world.insert(desc).unwrap()
    }

    fn widest_gap(&self) -> f32 {
        let gap = |&(joint, a, b): &(JointId, BodyId, BodyId)| {
            let (joint, a, b) = (
                self.world.joint(joint),
                self.world.body(a).map(|body| body.pose()),
                self.world.body(b).map(|body| body.pose()),
            );
            let (joint, a, b) = (joint.unwrap().data(), a.unwrap(), b.unwrap());
            let [a, b] = [(a, joint.frame_a), (b, joint.frame_b)]
                .map(|(body, frame)| body.transform_point(frame.translation));
            let length = a.distance(b);
            match joint.kind {
                JointKind::Distance { min, max } => (length - max).max(min - length),
                _ => length,
            }
        };
        self.joints.iter().map(gap).fold(0.0, f32::max)
    }

    fn energy(&self) -> f32 {
        let energy = |&id: &BodyId| {
            let body = self.world.body(id).unwrap().motion();
            body.kinetic_energy() + self.gravity * body.world_center().y / body.inverse_mass
        };
        self.movable.iter().map(energy).sum()
    }

    /// Steps for `seconds`. `before` is called before each step with its number.
    fn run(&mut self, seconds: usize, mut before: impl FnMut(&mut World, usize)) -> Run {
        let start = self.energy();
        let mut run = Run { gap: 0.0, energy: 0.0, speed: 0.0 };
        for step in 0..60 * seconds {
            before(&mut self.world, step);
            self.world.checked_step(DT).unwrap();
            run.gap = run.gap.max(self.widest_gap());
            run.energy = run.energy.max(self.energy() - start);
            for &id in &self.movable {
                run.speed = run.speed.max(self.world.body(id).unwrap().linear_velocity().length());
            }
        }
        run
    }

    /// Moves a kinematic body aside for a while, and stops it.
    fn pull(&mut self, end: BodyId, seconds: usize) -> Run {
        self.run(seconds, |world, step| {
            let speed = if step < PULL.1 { PULL.0 } else { 0.0 };
            world
                .body_mut(end)
                .unwrap()
                .set_linear_velocity(Vec3::X * speed)
                .unwrap()
                .set_angular_velocity(Vec3::ZERO)
                .unwrap();
        })
    }
}

/// The most energy that a load has by an end that is pulled and stopped: twice the speed of the
/// end.
fn most_pulled(load: f32) -> f32 {
    0.5 * load * (2.0 * PULL.0) * (2.0 * PULL.0)
}

/// The heavier loads run for a minute, in which an error can grow.
fn seconds(load: f32) -> usize {
    if load < 400.0 { 15 } else { 60 }
}

fn assert_held(run: &Run, gap: f32, energy: f32, what: &str) {
    assert!(run.gap < gap && run.energy <= energy && run.speed < 100.0, "{what}: {run:?}, {gap}, {energy}");
}

/// A load of this mass on a chain whose upper end is moved aside.
fn pulled_chain(kind: JointKind, links: (usize, f32, f32), load: f32) -> Run {
    let mut rig = Rig::new(GRAVITY);
    let end = rig.kinematic_box();
    rig.chain((end, Vec3::ZERO), Vec3::NEG_Y, kind, links, (cuboid(Vec3::splat(0.4)), load, 0.4));
    rig.pull(end, seconds(load))
}

#[test]
fn a_cube_on_one_link_follows_a_moved_end() {
    for (load, links) in [(8.0, 1.0), (512.0, 5.0)] {
        let run = pulled_chain(FREE, (1, 0.5, 0.008), load);
        assert_held(&run, 0.5 * links, 1.02 * most_pulled(load), &format!("{load} kg on a link"));
    }
}

#[test]
fn a_cube_on_twenty_links_follows_a_moved_end() {
    for (load, links) in [(10.0, 1.0), (500.0, 5.0)] {
        let run = pulled_chain(FREE, (20, 0.2, 0.01), load);
        assert_held(&run, 0.2 * links, 1.02 * most_pulled(load), &format!("{load} kg on 20 links"));
    }
}

#[test]
fn a_chain_of_hinges_follows_a_moved_end() {
    for (load, links) in [(10.0, 1.0), (600.0, 5.0)] {
        let run = pulled_chain(HINGE, (8, 0.2, 0.01), load);
        assert_held(&run, 0.2 * links, 1.02 * most_pulled(load), &format!("{load} kg on 8 hinges"));
    }
}

/// A chain that is let go level swings to and fro under a ball of iron.
#[test]
fn a_wrecking_ball_swings_no_higher_than_it_began() {
    for (load, links) in [(20.0, 1.0), (1200.0, 5.0)] {
        let mut rig = Rig::new(GRAVITY);
        let crane = rig.world.insert(BodyDesc::fixed(ball(0.1)).with_family(1)).unwrap();
        let (chain, iron) = ((10, 0.3, 0.02), (ball(0.5), load, 0.5));
        rig.chain((crane, Vec3::ZERO), Vec3::X, FREE, chain, iron);
        let run = rig.run(seconds(load), |_, _| {});
        assert_held(&run, 0.3 * links, 0.01 * load * GRAVITY * 3.5, &format!("a ball of {load} kg"));
    }
}

/// Rods and ropes between small balls, with a load at the end.
#[test]
fn rods_and_ropes_hold_a_load_under_a_moved_end() {
    for (load, lengths) in [(10.0, 1.0), (600.0, 5.0)] {
        for min in [0.5, 0.0] {
            let mut rig = Rig::new(GRAVITY);
            let end = rig.kinematic_box();
            let mut last = end;
            for k in 1..=6 {
                let at = Pose::from_translation(Vec3::NEG_Y * (0.5 * k as f32));
                let (shape, mass) = if k < 6 { (ball(0.05), 0.01) } else { (ball(0.4), load) };
                let id = rig.insert(shape, mass, at);
                let kind = JointKind::Distance { min, max: 0.5 };
                let joint = rig
                    .world
                    .insert_joint(JointDesc::new(last, id, kind).with_frames(Pose::IDENTITY, Pose::IDENTITY))
                    .unwrap();
                rig.joints.push((joint, last, id));
                last = id;
            }
            let run = rig.pull(end, seconds(load));
            let what = format!("{load} kg on lengths from {min}");
            assert_held(&run, 0.5 * lengths, 1.02 * most_pulled(load), &what);
        }
    }
}

/// A body that hangs by one hand from a trolley, with an anvil in the other.
#[test]
fn a_ragdoll_holds_an_anvil() {
    for (load, links) in [(300.0, 1.0), (18_000.0, 5.0)] {
        let mut rig = Rig::new(GRAVITY);
        let end = rig.kinematic_box();
        let cone = JointKind::Spherical { cone: 0.6 * PI, twist: None };
        let elbow = JointKind::Revolute { limits: Some([-0.1, 2.4]), motor: None };
        let limb = |half: f32| Shape::Capsule(Capsule::new(half, 0.08).unwrap());
        let y = |y: f32| Pose::from_translation(Vec3::NEG_Y * y);
        // Hand, forearm, upper arm, chest, and the same downwards.
        let (mut last, mut top) = (end, 0.0);
        let parts = [(0.1, 0.3), (0.3, 1.0), (0.3, 2.0), (0.5, 30.0), (0.3, 2.0), (0.3, 1.0), (0.1, 0.3)];
        for (k, (length, mass)) in parts.into_iter().enumerate() {
            let id = rig.insert(limb(0.5 * length), mass, y(top + 0.5 * length));
            let kind = if k == 2 || k == 5 { elbow } else { cone };
            rig.join(last, id, kind, Vec3::NEG_Y * top);
            (last, top) = (id, top + length);
        }
        let chest = rig.movable[3];
        for side in [-1.0, 1.0] {
            let at = Vec3::new(0.2 * side, -1.2, 0.0);
            let leg = rig.insert(limb(0.4), 8.0, Pose::from_translation(at - Vec3::Y * 0.4));
            rig.join(chest, leg, cone, at);
        }
        let anvil = rig.insert(cuboid(Vec3::splat(0.4)), load, y(top + 0.4));
        rig.join(last, anvil, JointKind::Weld, Vec3::NEG_Y * top);
        let run = rig.pull(end, seconds(load));
        let most = 1.02 * most_pulled(load + 52.6);
        assert_held(&run, 0.3 * links, most, &format!("an anvil of {load} kg"));
    }
}

/// Two heavy balls on a light chain turn about each other in free space.
#[test]
fn a_bola_keeps_its_momentum_and_gains_no_energy() {
    for load in [10.0, 600.0] {
        let mut rig = Rig::new(0.0);
        let first = rig.insert(ball(0.3), load, Pose::IDENTITY);
        let from = (first, Vec3::X * 0.3);
        let last = rig.chain(from, Vec3::X, FREE, (10, 0.2, 0.01), (ball(0.3), load, 0.3));
        rig.world
            .body_mut(first)
            .unwrap()
            .set_linear_velocity(Vec3::NEG_Y * 3.0)
            .unwrap()
            .set_angular_velocity(Vec3::ZERO)
            .unwrap();
        rig.world
            .body_mut(last)
            .unwrap()
            .set_linear_velocity(Vec3::Y * 3.0)
            .unwrap()
            .set_angular_velocity(Vec3::ZERO)
            .unwrap();
        let start = rig.energy();
        let run = rig.run(seconds(load), |_, _| {});
        assert_held(&run, 0.2, 1e-3 * start, &format!("a bola of {load} kg"));
        let [a, b] = [first, last].map(|id| rig.world.body(id).unwrap().linear_velocity());
        assert!((a + b).length() < 0.05, "{load} kg: {a} and {b}");
    }
}

/// A load on a chain whose upper end is led in a circle.
#[test]
fn an_end_that_is_led_in_a_circle_adds_no_more_than_it_moves() {
    let mut rig = Rig::new(GRAVITY);
    let end = rig.kinematic_box();
    let load = (cuboid(Vec3::splat(0.4)), 500.0, 0.4);
    rig.chain((end, Vec3::ZERO), Vec3::NEG_Y, FREE, (5, 0.4, 0.01), load);
    let run = rig.run(60, |world, step| {
        let angle = step as f32 * DT * 4.0;
        let velocity = Vec3::new(angle.cos(), 0.0, angle.sin()) * 2.0;
        world
            .body_mut(end)
            .unwrap()
            .set_linear_velocity(velocity)
            .unwrap()
            .set_angular_velocity(Vec3::ZERO)
            .unwrap();
    });
    // The load is led at 4 radians per second: far above its own rate, so it moves less than its
    // end does.
    assert_held(&run, 5.0 * 0.4, 0.5 * 500.0 * 36.0, "a circle");
}

/// A chain with a load falls on the floor and comes to rest there.
#[test]
fn a_chain_with_a_load_falls_on_the_floor() {
    for (load, links) in [(10.0, 1.0), (600.0, 5.0)] {
        let mut rig = Rig::new(GRAVITY);
        rig.world.insert(ground()).unwrap();
        let first = rig.insert(ball(0.1), 0.01, Pose::from_translation(Vec3::Y * 3.0));
        let from = (first, Vec3::new(0.1, 3.0, 0.0));
        rig.chain(from, Vec3::X, FREE, (10, 0.3, 0.01), (cuboid(Vec3::splat(0.3)), load, 0.3));
        let run = rig.run(10, |_, _| {});
        assert_held(&run, 0.3 * links, 0.01 * load * GRAVITY * 3.0, &format!("{load} kg on the floor"));
        let fastest = rig.movable.iter().map(|&id| rig.world.body(id).unwrap().linear_velocity().length());
        assert!(fastest.fold(0.0, f32::max) < 0.1, "{load} kg still moves");
    }
}
