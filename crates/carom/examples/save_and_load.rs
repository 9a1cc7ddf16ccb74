//! A world is saved in a text file. Another process loads it, and goes on with the same bits.
//!
//! The file has the shapes of a few numbers, such as balls and boxes. Hulls and meshes are assets
//! of the game: their colliders have the number of the asset as user data, and the game returns the
//! asset for the number.
//!
//! `cargo run -p carom --example save_and_load --features serde`

use carom::prelude::*;
use carom::world::SavedCollider;
use std::error::Error;
use std::process::Command;

const DT: f32 = 1.0 / 60.0;
const TERRAIN: u64 = 1;
const ANVIL: u64 = 2;

/// Returns the shape with a number, as a game does that reads its assets.
fn asset(number: u64) -> Result<Shape, Box<dyn Error>> {
    let height = |k: i32| 0.1 * (k % 9 - 4).abs() as f32;
    let horn = [Vec3::X * 0.6, Vec3::new(0.0, 0.2, 0.2), Vec3::new(0.0, 0.2, -0.2), Vec3::NEG_Y * 0.2];
    match number {
        TERRAIN => Ok(Shape::height_field([9, 9], [1.0, 1.0], (0..81).map(height).collect())?),
        ANVIL => Ok(Shape::hull(&horn)?),
        _ => Err(format!("no asset has the number {number}").into()),
    }
}

fn new_game() -> Result<World, Box<dyn Error>> {
    let collider = |number| Ok::<_, Box<dyn Error>>(ColliderDesc::new(asset(number)?).with_user_data(number));
    let mut world = World::new();
    world.insert(BodyDesc::fixed(collider(TERRAIN)?))?;
    for i in 0..8 {
        // A body of two colliders, at different poses in it.
        let handle = Pose::from_translation(Vec3::NEG_X * 0.3);
        let tool = BodyDesc::dynamic(ColliderDesc::new(Shape::capsule(0.2, 0.1)?).with_pose(handle));
        let tool = tool.with_collider(collider(ANVIL)?.with_position(Vec3::X * 0.2));
        world.insert(tool.with_position(Vec3::new(0.5 * i as f32 - 2.0, 1.0 + 0.5 * i as f32, 0.0)))?;
    }
    Ok(world)
}

fn load(path: &str) -> Result<World, Box<dyn Error>> {
    let snapshot: Snapshot = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let shape_of = |saved: &SavedCollider| asset(saved.collider_data).ok();
    let mut world = World::new();
    world.restore_with(&snapshot, shape_of)?;
    Ok(world)
}

/// Plays for a second, and returns the hash of the state.
fn play(world: &mut World) -> Result<String, Box<dyn Error>> {
    for _ in 0..60 {
        world.step(DT)?;
    }
    Ok(format!("{:016x}", world.state_hash()))
}

fn main() -> Result<(), Box<dyn Error>> {
    if let Ok(path) = std::env::var("CAROM_SAVED_GAME") {
        println!("{}", play(&mut load(&path)?)?);
        return Ok(());
    }
    let mut world = new_game()?;
    play(&mut world)?;
    let path = std::env::temp_dir().join(format!("carom-saved-game-{}.json", std::process::id()));
    std::fs::write(&path, serde_json::to_string(&world.snapshot())?)?;
    let other = Command::new(std::env::current_exe()?).env("CAROM_SAVED_GAME", &path).output();
    std::fs::remove_file(&path)?;
    let here = play(&mut world)?;
    let there = String::from_utf8(other?.stdout)?;
    println!("this process: {here}\nanother one:  {}", there.trim());
    assert_eq!(there.trim(), here, "the same bits");
    Ok(())
}
