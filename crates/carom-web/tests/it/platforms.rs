//! Characters on the platforms of the scene of this name.

use carom_web::scenes::platforms::platforms;
use carom_web::scenes::{Actors, Request, Roles, STEP};
use carom_world::{StepOptions, World};

/// The characters that stand on platforms. No other one roams.
const COUNT: usize = 9;

struct Scene {
    world: World,
    actors: Actors,
    n_steps: u64,
}

impl Scene {
    fn new() -> Scene {
        let mut world = World::new();
        let actors = platforms(&mut world, &Request { count: COUNT, seed: 1 }).unwrap();
        Scene { world, actors, n_steps: 0 }
    }

    fn step(&mut self) {
        self.n_steps += 1;
        self.actors.before(&mut self.world, self.n_steps).unwrap();
        self.world.step_with(STEP as f32, StepOptions::new().with_hooks(&Roles)).unwrap();
        self.actors.after(&mut self.world).unwrap();
    }
}

/// The escalator carries a character from its foot to the landing by its speed, from step to step.
#[test]
fn the_escalator_carries_up() {
    let mut scene = Scene::new();
    let feet = |scene: &Scene| scene.actors.walkers[1].hero.character().feet();
    (0..60).for_each(|_| scene.step());
    let start = feet(&scene);
    let (mut seconds, mut worst) = (0.0, 0.0f64);
    while feet(&scene).y < 1.5 {
        scene.step();
        seconds += STEP;
        assert!(seconds < 6.0, "{start}, {}", feet(&scene));
        worst = worst.max((feet(&scene).x - start.x - 0.8 * seconds).abs());
    }
    let top = feet(&scene);
    println!("{seconds} s, from {start} to {top}, {worst} m off");
    assert!(2.5 < top.x - start.x && (top.z - start.z).abs() < 0.01, "{start} {top}");
    assert!(worst < 0.01 * (top.x - start.x), "{worst} m off");
}
