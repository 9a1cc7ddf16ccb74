//! Each scene of the list.

use carom_math::Vec3;
use carom_web::Testbed;
use carom_web::scenes::{
    Actors, Error, Request, Role, Roles, SCENES, STEP, bridge, crane, playground, scene, walkers,
};
use carom_world::{BodyId, SoftThing, StepOptions, World};

/// Each scene, with the count and seed that the list has, steps and stays consistent.
#[test]
fn each_scene_runs() {
    for scene in SCENES {
        let request = Request { count: scene.count.usual.min(200), seed: 1 };
        let mut bed = Testbed::start(scene, request, "dynamic-bvh").unwrap();
        let hash = bed.state_hash();
        for step in 0..20 {
            bed.step().unwrap_or_else(|error| panic!("{}, step {step}: {error}", scene.name));
        }
        bed.world().validate().unwrap_or_else(|error| panic!("{}: {error}", scene.name));
        assert_ne!(bed.state_hash(), hash, "{}: something moves", scene.name);
    }
}

/// The rings have no joints: each stays in the one above while they swing.
#[test]
fn a_chain_of_rings_holds() {
    let request = Request { count: 12, seed: 1 };
    let mut bed = Testbed::start(scene("links").unwrap(), request, "dynamic-bvh").unwrap();
    let rings: Vec<BodyId> = bed.world().body_ids().skip(1).collect();
    assert_eq!(rings.len(), 12);
    for step in 0..900 {
        bed.step().unwrap();
        let at = |id: &BodyId| bed.world().body(*id).unwrap().position();
        for pair in rings.windows(2) {
            let gap = at(&pair[0]).distance(at(&pair[1]));
            assert!((0.3..0.65).contains(&gap), "step {step}, {pair:?}: {gap}");
        }
    }
}

#[test]
fn names_are_unique_and_are_found() {
    for (k, one) in SCENES.iter().enumerate() {
        assert!(SCENES[k + 1..].iter().all(|other| other.name != one.name), "{}", one.name);
        assert_eq!(scene(one.name).unwrap().title, one.title);
        assert!(0 < one.count.usual && one.count.usual <= one.count.most, "{}", one.name);
    }
    assert!(scene("none").is_none());
}

/// The count of a scene changes its bodies, if the list says that it can be chosen.
#[test]
fn counts_count() {
    for scene in SCENES.iter().filter(|scene| scene.count.usual < scene.count.most) {
        let n = |count| {
            let bed = Testbed::start(scene, Request { count, seed: 1 }, "dynamic-bvh").unwrap();
            let vertices: usize = bed
                .world()
                .soft_things()
                .map(|thing| match thing {
                    carom_world::SoftThing::Body(id) => bed.world().soft_body(id).unwrap().positions().len(),
                    _ => 0,
                })
                .sum();
            bed.world().len() + vertices
        };
        let (few, many) = (n(scene.count.usual / 2), n(scene.count.usual));
        assert!(few < many, "{}: {few} and {many}", scene.name);
    }
}

/// A world with a scene of actors in it.
struct Played {
    world: World,
    actors: Actors,
    n_steps: u64,
}

impl Played {
    fn new(fill: fn(&mut World, &Request) -> Result<Actors, Error>, count: usize, seed: u64) -> Played {
        let mut world = World::new();
        let actors = fill(&mut world, &Request { count, seed }).unwrap();
        Played { world, actors, n_steps: 0 }
    }

    fn run(&mut self, n_steps: usize) {
        for _ in 0..n_steps {
            self.n_steps += 1;
            self.actors.before(&mut self.world, self.n_steps).unwrap();
            self.world.step_with(STEP as f32, StepOptions::new().with_hooks(&Roles)).unwrap();
            self.actors.after(&mut self.world).unwrap();
        }
    }

    fn position(&self, id: BodyId) -> Vec3 {
        self.world.body(id).unwrap().position()
    }
}

/// Both crates are carried to the stack, and then back to where they were.
#[test]
fn the_crane_carries_crates_to_the_stack_and_back() {
    let mut played = Played::new(crane, 2, 1);
    let in_stack = |played: &Played| played.actors.crane.as_ref().unwrap().n_in_stack(&played.world);
    let crates = played.actors.crane.as_ref().unwrap().crates().to_vec();
    let homes: Vec<Vec3> = crates.iter().map(|id| played.position(*id)).collect();
    let mut seconds = 0;
    while in_stack(&played) < 2 {
        played.run(60);
        seconds += 1;
        let crane = played.actors.crane.as_ref().unwrap();
        let position = played.position(crane.crates()[crane.next()]);
        println!("{seconds} s: {:?} {} {position}", crane.phase(), crane.next());
        assert!(seconds < 60, "the stack is not built");
    }
    while in_stack(&played) != 0 || played.actors.crane.as_ref().unwrap().is_returning() {
        played.run(60);
        seconds += 1;
        assert!(seconds < 120, "the crates are not carried back");
    }
    for (id, home) in crates.iter().zip(homes) {
        let away = played.position(*id) - home;
        assert!(away.length() < 0.3, "{away}");
    }
}

/// The car drives to the other bank and back again, and the bridge looks whole.
#[test]
fn the_car_drives_over_the_bridge_and_back() {
    let mut played = Played::new(bridge, 24, 1);
    let car = played.actors.car.as_ref().unwrap().chassis();
    let start = played.position(car).x;
    let (mut most, mut back) = (start, f32::MAX);
    for _ in 0..20 {
        played.run(60);
        let position = played.position(car);
        most = most.max(position.x);
        if -start - 3.0 < most {
            back = back.min(position.x);
        }
        let gap = played.world.joints().map(|joint| joint.error()).fold(0.0, f32::max);
        assert!(-1.5 < position.y && gap < 0.05, "{position}, gap {gap}");
    }
    assert!(-start - 3.0 < most, "from {start} to {most} only");
    assert!(back < start + 3.0, "from {start} to {most} and back to {back}");
}

/// The boxes on its way do not stop the car (several seeds).
#[test]
fn the_car_on_hills_comes_round() {
    for seed in 1..=6 {
        let mut played = Played::new(walkers::vehicle, 48, seed);
        let car = played.actors.car.as_ref().unwrap().chassis();
        let angle = |played: &Played| {
            let at = played.position(car);
            f64::from(-at.z).atan2(f64::from(at.x))
        };
        let (mut total, mut last) = (0.0, angle(&played));
        for _ in 0..30 {
            played.run(60);
            let now = angle(&played);
            let turned = now - last + std::f64::consts::PI;
            total += turned.rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
            last = now;
        }
        assert!(6.0 < total, "seed {seed}: {total} radians in 30 s");
    }
}

/// Each part of the playground has its effect.
#[test]
fn each_part_of_the_playground_does_what_it_is_for() {
    let mut played = Played::new(playground, 16, 1);
    played.run(400);
    played.world.validate().unwrap();
    let with_role = |role: Role| {
        let mut ids = played.world.body_ids();
        ids.find(|id| played.world.body(*id).unwrap().user_data() == role as u64).unwrap()
    };
    let touching = |role: Role| played.world.body(with_role(role)).unwrap().touching().collect::<Vec<_>>();
    let is_ball =
        |id: BodyId| matches!(played.world.body(id).unwrap().shape(), carom_query::Shape::Sphere(_));
    // Three balls rose through the platform and lie on it.
    let platform = played.position(with_role(Role::OneWay));
    let on_platform = touching(Role::OneWay);
    assert!(on_platform.len() == 3 && on_platform.iter().all(|id| platform.y < played.position(*id).y));
    // Boxes lie on the gate, and balls do not.
    let on_gate = touching(Role::BallGate);
    assert!(on_gate.len() == 2 && !on_gate.iter().any(|id| is_ball(*id)), "{on_gate:?}");
    assert_eq!(touching(Role::SoftGround).len(), 3);
    // The water is in its tank, which floats its rafts; no soft thing has left the playground.
    for thing in played.world.soft_things() {
        match thing {
            SoftThing::Body(id) => {
                let positions = played.world.soft_body(id).unwrap().positions();
                assert!(positions.iter().all(|p| -0.1 < p.y && p.length() < 20.0));
            }
            SoftThing::Particles(id) => {
                let positions = played.world.particles(id).unwrap().positions();
                let n_out =
                    positions.iter().filter(|p| 1.4 < (**p - Vec3::new(11.0, p.y, -5.0)).abs().max_element());
                assert!(n_out.count() < positions.len() / 50);
            }
        }
    }
    // Three moons circle the planet, and the wind holds balls up.
    let near = |center: Vec3, radius: f32| {
        let ids = played.world.body_ids();
        ids.filter(|id| (played.position(*id) - center).length() < radius && played.position(*id) != center)
            .count()
    };
    assert_eq!(near(Vec3::new(11.0, 4.0, 12.0), 3.2), 3);
    let blown = played.world.body_ids().filter(|id| {
        let at = played.position(*id);
        (at - Vec3::new(0.0, at.y, 15.0)).length() < 1.5 && 1.0 < at.y
    });
    assert!(2 <= blown.count());
}
