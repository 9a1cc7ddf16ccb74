//! Riders of an escalator in a world of bodies: steps that rise beside them, and turn over at the
//! ends.

use crate::in_world::cuboid;
use crate::worlds::figures;
use carom_character::{Character, CharacterBody, CharacterSettings, Figure};
use carom_math::Pose;
use carom_math::glam::{DVec3, Vec3};
use carom_world::{BodyDesc, BodyId, Filter, World};

/// The speed of the steps along x, in metres per second.
const SPEED: f64 = 0.5;

/// Metres along x from end to end. The first and the last metre are level, and a slope of 30
/// degrees is between them.
const RUN: f64 = 6.0;

/// Half the length of a step, and half its height.
const HALF: [f64; 2] = [0.2, 0.15];

/// The steps, and the seconds in which each goes round. It sinks and rises in half a second each.
const N_STEPS: usize = 38;
const PERIOD: f64 = N_STEPS as f64 * 2.0 * HALF[0] / SPEED;
const TURNING: f64 = 0.5;

/// Returns the height of the tops of the steps at a distance along x.
fn top(x: f64) -> f64 {
    (x - 1.0).clamp(0.0, RUN - 2.0) * core::f64::consts::FRAC_PI_6.tan()
}

struct Escalator {
    world: World,
    steps: Vec<BodyId>,
    /// 1 for up, and -1 for down.
    direction: f64,
    seconds: f64,
}

impl Escalator {
    fn new(direction: f64) -> Escalator {
        let mut world = World::new();
        let shape = cuboid(Vec3::new(HALF[0] as f32, HALF[1] as f32, 0.8));
        let steps = (0..N_STEPS).map(|_| world.insert(BodyDesc::kinematic(shape.clone())).unwrap()).collect();
        // Landings, on which the steps set down the rider.
        for (x, y) in [(-0.8, 0.0), (RUN + 0.8, top(RUN))] {
            let landing = BodyDesc::fixed(cuboid(Vec3::new(1.0, 0.5, 0.8)));
            world.insert(landing.with_position(Vec3::new(x as f32, y as f32 - 0.52, 0.0))).unwrap();
        }
        let mut escalator = Escalator { world, steps, direction, seconds: 0.0 };
        for k in 0..N_STEPS {
            let pose = escalator.pose_of(k);
            escalator.world.body_mut(escalator.steps[k]).unwrap().set_pose(pose).unwrap();
        }
        escalator
    }

    /// Returns the pose of a step: along the course, down, back below the others, and up.
    fn pose_of(&self, k: usize) -> Pose {
        let ahead = k as f64 * 2.0 * HALF[0] / SPEED;
        let time = (ahead + self.direction * self.seconds).rem_euclid(PERIOD);
        let (there, back) = (RUN / SPEED, PERIOD - RUN / SPEED - 2.0 * TURNING);
        let (x, sunk) = if time < there {
            (SPEED * time, 0.0)
        } else if time < there + TURNING {
            (RUN, (time - there) / TURNING)
        } else if time < there + TURNING + back {
            (RUN * (1.0 - (time - there - TURNING) / back), 1.0)
        } else {
            (0.0, (PERIOD - time) / TURNING)
        };
        Pose::from_translation(DVec3::new(x, top(x) - HALF[1] - 0.6 * sunk, 0.0).as_vec3())
    }

    fn advance(&mut self, hero: &mut CharacterBody, dt: f64) {
        self.seconds += dt;
        for k in 0..N_STEPS {
            let pose = self.pose_of(k);
            self.world.body_mut(self.steps[k]).unwrap().move_to(pose).unwrap();
        }
        self.world.step(dt as f32).unwrap();
        hero.walk(&mut self.world, DVec3::ZERO, dt).unwrap();
    }
}

/// Rides from `x` on the first or last level metre to the landing at the other end.
fn ride(kind: &str, figure: Figure, direction: f64, x: f64, hertz: f64) {
    let dt = 1.0 / hertz;
    let what = format!("{kind}, from {x}, direction {direction}, {hertz} Hz");
    let mut escalator = Escalator::new(direction);
    let position = DVec3::new(x, top(x) + figure.stature() + 0.004, 0.0);
    let character = Character::new(figure, CharacterSettings::default(), position).unwrap();
    let mut hero = CharacterBody::insert(&mut escalator.world, character, Filter::default()).unwrap();
    // The steps are still at first, so that the figure lands.
    for _ in 0..10 {
        escalator.world.step(dt as f32).unwrap();
        hero.walk(&mut escalator.world, DVec3::ZERO, dt).unwrap();
    }
    assert!(hero.ground().is_some_and(|ground| escalator.steps.contains(&ground)), "{what}");
    let (mut gone, mut worst) = (0.0_f64, 0.0_f64);
    while gone < 4.7 {
        escalator.advance(&mut hero, dt);
        gone += SPEED * dt;
        let off = hero.character().feet().x - x - direction * gone;
        worst = worst.max(off.abs());
        assert!(off.abs() <= 0.01 * gone, "{what}, after {gone} m: {off} m off");
        let walked = hero.character().walked();
        assert!(hero.ground().is_some() && walked.freed == DVec3::ZERO, "{what}, {gone} m: {walked:?}");
    }
    assert!(worst < 1e-3, "{what}: {worst} m off");
    let feet = hero.character().feet();
    assert!((feet.y - top(feet.x)).abs() < 0.2, "{what}: {feet}");
    // The landing is at rest, and takes the rider.
    while gone < 8.0 {
        escalator.advance(&mut hero, dt);
        gone += SPEED * dt;
    }
    let feet = hero.character().feet();
    let end = if direction < 0.0 { 0.0 } else { RUN };
    assert!(0.1 < direction * (feet.x - end) && (feet.y - top(end)).abs() < 0.03, "{what}: {feet}");
}

/// The next step rose beside a round figure, which slid off its steep edge by up to 7 cm: it was 2
/// cm behind after 42 steps of a world, and 6 cm at the top.
#[test]
fn r_riders_stay_on_their_step() {
    for direction in [1.0, -1.0] {
        for (kind, figure) in figures() {
            for hertz in [30.0, 60.0, 144.0, 240.0] {
                let n = if hertz == 30.0 { 5 } else { 1 };
                for x in [0.67, 0.6, 0.47, 0.5, 0.55].into_iter().take(n) {
                    ride(kind, figure, direction, if direction < 0.0 { RUN - x } else { x }, hertz);
                }
            }
        }
    }
}
