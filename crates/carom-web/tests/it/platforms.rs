//! Characters on the platforms of the scene of this name.

use carom_web::scenes::platforms::platforms;
use carom_web::scenes::walkers::Plan;
use carom_web::scenes::{Actors, Request, Roles, STEP};
use carom_world::{StepOptions, World};

/// The characters on platforms, the last of which jumps up through a ledge. No other one roams.
const COUNT: usize = 10;

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
    assert!(worst < 0.001, "{worst} m off");
}

/// A character that jumps up through the ledge lands on it each time, whether it left it by a walk
/// or by a drop.
#[test]
fn the_ledge_holds_on_every_landing() {
    let mut scene = Scene::new();
    let (mut n_up, mut n_passed, mut n_drops, mut was_above, mut was_dropping) = (0, 0, 0, false, false);
    for _ in 0..3600 {
        scene.step();
        let walker = &scene.actors.walkers[COUNT - 1];
        let Plan::Hop { ledge, top, n_landings, is_dropping, .. } = walker.plan() else { panic!("it hops") };
        let is_above = top < walker.hero.character().feet().y;
        n_passed += usize::from(is_above && !was_above);
        n_drops += usize::from(is_dropping && !was_dropping);
        n_up = n_landings;
        (was_above, was_dropping) = (is_above, is_dropping);
        let feet = walker.hero.character().feet();
        // At the end of the ledge the cap hangs below the top.
        assert!(walker.hero.ground() != Some(ledge) || top - 0.15 < feet.y, "{feet}");
    }
    println!("{n_up} landings after {n_passed} jumps, {n_drops} drops");
    assert!(10 < n_passed && n_up.abs_diff(n_passed) <= 1, "{n_up} landings after {n_passed} jumps");
    assert!(n_up / 2 - 1 <= n_drops && n_drops <= n_up / 2, "{n_drops} drops of {n_up} landings");
}
