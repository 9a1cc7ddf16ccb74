//! A character jumps up through a ledge from below, stands on it, and leaves it: by a walk and by a
//! drop in turn.
//!
//! `cargo run -p carom --example one_way_ledge`

use carom::character::{Character, CharacterBody, CharacterSettings, Figure, OneWay};
use carom::glam::DVec3;
use carom::world::{Filter, WorldError};
use carom::{BodyDesc, BodyId, Shape, Vec3, World};

const DT: f64 = 1.0 / 60.0;
const TOP: f64 = 2.4;

struct Game {
    world: World,
    hero: CharacterBody,
    ledge: BodyId,
    is_dropping: bool,
}

impl Game {
    fn frame(&mut self, wish: DVec3) -> Result<(), WorldError> {
        self.world.step(DT as f32)?;
        let (one_way, ledge) = (OneWay::new(&self.hero, DT), self.ledge);
        let is_ignored = self.is_dropping;
        self.hero.walk_where(&mut self.world, wish, DT, |collider| {
            collider.body().id() != ledge || !is_ignored && one_way.is_solid(collider)
        })?;
        // A drop ends when the feet are below the top. Then the ledge lets the figure pass anyway.
        self.is_dropping &= TOP < self.hero.character().feet().y;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    let ledge = BodyDesc::fixed(Shape::cuboid(Vec3::new(1.5, 0.1, 1.0))?);
    let ledge = world.insert(ledge.with_position(Vec3::Y * (TOP as f32 - 0.1)))?;
    let character =
        Character::new(Figure::capsule(1.8, 0.3)?, CharacterSettings::default(), DVec3::Y * 0.91)?;
    let hero = CharacterBody::insert(&mut world, character, Filter::default())?;
    let mut game = Game { world, hero, ledge, is_dropping: false };
    (0..10).try_for_each(|_| game.frame(DVec3::ZERO))?;

    for round in 0..10 {
        assert!(game.hero.character_mut().jump(7.5), "it stands on the floor");
        (0..90).try_for_each(|_| game.frame(DVec3::ZERO))?;
        assert_eq!(game.hero.ground(), Some(ledge), "round {round}: it stands on the ledge");
        println!("round {round}: up at {:.3} m", game.hero.character().feet().y);
        if round % 2 == 0 {
            game.is_dropping = true;
            (0..60).try_for_each(|_| game.frame(DVec3::ZERO))?;
        } else {
            // Off at the end, and back below the ledge.
            (0..90).try_for_each(|_| game.frame(DVec3::X * 2.0))?;
            (0..90).try_for_each(|_| game.frame(DVec3::X * -2.0))?;
        }
        (0..10).try_for_each(|_| game.frame(DVec3::ZERO))?;
        let feet = game.hero.character().feet();
        assert!(feet.y < 0.01 && feet.x.abs() < 0.5, "round {round}: it is below the ledge again: {feet}");
    }
    Ok(())
}
