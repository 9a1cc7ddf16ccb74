//! One-way ledges: a character jumps up through them, stands on them, walks off them, and drops
//! through them on purpose, again and again.

use crate::in_world::{cuboid, floor, hero};
use crate::worlds::figures;
use carom_character::{CharacterBody, OneWay};
use carom_math::glam::{DVec3, Vec3};
use carom_math::{Pose, ops};
use carom_scenes::Rng;
use carom_world::{BodyDesc, BodyId, ColliderRef, World};

/// Half the size of a ledge.
const HALF: Vec3 = Vec3::new(2.0, 0.1, 1.0);

/// The height of the top of a ledge at a time, and its speed along x.
type Course = fn(f64) -> [f64; 2];

struct Scene {
    world: World,
    ledge: BodyId,
    hero: CharacterBody,
    course: Course,
    seconds: f64,
    dt: f64,
    /// Whether the character passes the ledge on its way down.
    is_dropping: bool,
}

impl Scene {
    fn top(&self) -> f64 {
        f64::from(self.world.body(self.ledge).unwrap().position().y + HALF.y)
    }

    fn above(&self) -> f64 {
        self.hero.character().feet().y - self.top()
    }

    fn step(&mut self, wish: f64) {
        self.seconds += self.dt;
        let [y, x] = (self.course)(self.seconds);
        let pose = Pose::from_translation(Vec3::new(x as f32, y as f32 - HALF.y, 0.0));
        self.world.body_mut(self.ledge).unwrap().move_to(pose).unwrap();
        self.world.step(self.dt as f32).unwrap();
        let (ledge, dt) = (self.ledge, self.dt);
        let (one_way, is_dropping) = (OneWay::new(&self.hero, dt), self.is_dropping);
        let is_solid = |collider: &ColliderRef<'_>| {
            collider.body().id() != ledge || !is_dropping && one_way.is_solid(collider)
        };
        self.hero.walk_where(&mut self.world, DVec3::X * wish, dt, is_solid).unwrap();
        self.is_dropping &= 0.0 < self.above();
    }

    fn is_on_ledge(&self) -> bool {
        self.hero.ground() == Some(self.ledge)
    }
}

/// A ledge that rose past the feet within a step let the character fall through, so a lift held it
/// on some landings only.
#[test]
fn r_ledges_hold_on_every_landing() {
    let courses: [(&str, Course); 3] = [
        ("still", |_| [1.5, 0.0]),
        ("lift", |t| [1.5 + 0.6 * ops::sin_cos(3.0 * t).0, 0.0]),
        ("shuttle", |t| [1.5, 0.5 * ops::sin_cos(t).0]),
    ];
    for (name, course) in courses {
        for hertz in [30.0, 60.0, 144.0, 240.0] {
            for (kind, figure) in figures() {
                if hertz != 60.0 && kind != "capsule" {
                    continue;
                }
                let mut world = World::new();
                world.insert(floor()).unwrap();
                let ledge = world.insert(BodyDesc::kinematic(cuboid(HALF))).unwrap();
                let hero = hero(&mut world, figure, DVec3::ZERO);
                let dt = 1.0 / hertz;
                let mut scene = Scene { world, ledge, hero, course, seconds: 0.0, dt, is_dropping: false };
                let mut rng = Rng::new(5);
                let (mut n_landings, mut n_jumps) = (0, 0);
                (0..10).for_each(|_| scene.step(0.0));
                let n_rounds = if hertz == 60.0 && kind == "capsule" { 20 } else { 6 };
                for round in 0..n_rounds {
                    let what = format!("{name}, {kind}, {hertz} Hz, round {round}");
                    // Up through the ledge, and down on it.
                    (0..rng.below(hertz as usize)).for_each(|_| scene.step(0.0));
                    assert!(!scene.is_on_ledge() && scene.hero.ground().is_some(), "{what}");
                    assert!(scene.hero.character_mut().jump(rng.range(7.5, 9.0)), "{what}");
                    (0..(1.7 * hertz) as usize).for_each(|_| scene.step(0.0));
                    assert!(scene.is_on_ledge() && scene.above().abs() < 0.02, "{what}: {}", scene.above());
                    n_landings += 1;
                    // Small jumps on it.
                    for _ in 0..2 {
                        (0..rng.below(20)).for_each(|_| scene.step(0.0));
                        assert!(scene.hero.character_mut().jump(rng.range(0.5, 5.0)), "{what}");
                        (0..(1.7 * hertz) as usize).for_each(|_| scene.step(0.0));
                        assert!(scene.is_on_ledge(), "{what}, after a jump: {}", scene.above());
                        n_jumps += 1;
                    }
                    // Off it, by a walk or a drop.
                    let x = scene.hero.character().position().x;
                    if round % 2 == 0 {
                        while scene.is_on_ledge() {
                            scene.step(3.0);
                        }
                        while 0.1 < scene.hero.character().position().x {
                            scene.step(-3.0);
                        }
                    } else {
                        scene.is_dropping = true;
                        (0..(1.5 * hertz) as usize).for_each(|_| scene.step(0.0));
                        assert!((scene.hero.character().position().x - x).abs() < 1.0, "{what}");
                    }
                    (0..hertz as usize).for_each(|_| scene.step(0.0));
                    assert!(scene.hero.character().feet().y < 0.01, "{what}: {}", scene.above());
                }
                assert_eq!([n_landings, n_jumps], [n_rounds, 2 * n_rounds]);
            }
        }
    }
}
