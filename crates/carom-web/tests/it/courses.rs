//! The castle and the road, with boxes to push.

use carom_broad::Mobility;
use carom_math::Vec3;
use carom_web::scenes::walkers::Plan;
use carom_web::scenes::{Actors, Error, Request, Roles, STEP, car, level};
use carom_world::{BodyId, StepOptions, World};

struct Course {
    world: World,
    actors: Actors,
    n_steps: u64,
}

impl Course {
    fn new(fill: fn(&mut World, &Request) -> Result<Actors, Error>, count: usize, seed: u64) -> Course {
        let mut world = World::new();
        let actors = fill(&mut world, &Request { count, seed }).unwrap();
        Course { world, actors, n_steps: 0 }
    }

    fn step(&mut self) {
        self.n_steps += 1;
        self.actors.before(&mut self.world, self.n_steps).unwrap();
        self.world.step_with(STEP as f32, StepOptions::new().with_hooks(&Roles)).unwrap();
        self.actors.after(&mut self.world).unwrap();
    }

    /// The dynamic bodies, without the chassis of the car.
    fn boxes(&self) -> Vec<(BodyId, Vec3)> {
        let chassis = self.actors.car.as_ref().map(|car| car.chassis());
        let all = self.world.body_ids().map(|id| (id, self.world.body(id).unwrap()));
        let boxes = all.filter(|(id, body)| body.mobility() == Mobility::Dynamic && Some(*id) != chassis);
        boxes.map(|(id, body)| (id, body.position())).collect()
    }

    /// The number of boxes that are no longer where they were.
    fn n_moved(&self, before: &[(BodyId, Vec3)]) -> usize {
        let now = self.boxes();
        assert_eq!(now.len(), before.len());
        now.iter().zip(before).filter(|(now, old)| 0.5 < now.1.distance(old.1)).count()
    }
}

/// The first character goes in at the gate, and pushes the crates there. The others stay inside.
#[test]
fn characters_walk_the_castle_and_push_crates() {
    let mut course = Course::new(level, 12, 1);
    let boxes = course.boxes();
    for _ in 0..300 {
        course.step();
        for walker in &course.actors.walkers {
            let feet = walker.hero.character().feet();
            assert!(-0.01 < feet.y && feet.x.abs().max(feet.z.abs()) < 23.5, "{feet}");
        }
    }
    let first = &course.actors.walkers[0];
    let Plan::Follow { n_reached, .. } = first.plan() else { panic!("the first follows the path") };
    println!("{n_reached} points, {} moved", course.n_moved(&boxes));
    assert!(2 <= n_reached && 1 <= course.n_moved(&boxes), "{n_reached}");
    course.world.validate().unwrap();
}

/// The car pushes the crates away, also those that it carries into the entrance of the tunnel.
#[test]
fn the_car_reaches_the_end_of_the_road() {
    for seed in 1..=8 {
        let mut course = Course::new(car, 30, seed);
        let boxes = course.boxes();
        assert_eq!(boxes.len(), 30);
        let chassis = course.actors.car.as_ref().unwrap().chassis();
        let mut highest = 0.0f32;
        for _ in 0..1500 {
            course.step();
            let body = course.world.body(chassis).unwrap();
            highest = highest.max(body.position().y);
            assert!(0.7 < (body.rotation() * Vec3::Y).y, "seed {seed}: it lies at {}", body.position());
        }
        let at = course.world.body(chassis).unwrap().position();
        println!("seed {seed}: {at}, {highest} m, {} moved", course.n_moved(&boxes));
        assert!(120.0 < at.x && at.z.abs() < 5.0 && 2.5 < highest, "seed {seed}: {at}, {highest}");
        assert!(course.actors.car.as_ref().unwrap().speed().abs() < 0.1, "seed {seed}");
        assert!(20 <= course.n_moved(&boxes), "seed {seed}");
        course.world.validate().unwrap();
    }
}
