//! A character stands on a mattress, walks off it, and is thrown by a trampoline.
//!
//! `cargo run -p carom --example trampoline --release`

use carom::prelude::*;

const DT: f64 = 1.0 / 60.0;

/// A mattress of 2 m by 2 m, 0.4 m thick: cells of six tetrahedra. Its bottom is pinned.
fn mattress() -> SoftBodyDesc {
    let (mut vertices, mut tetrahedra) = (Vec::new(), Vec::new());
    let at = |x: u32, y: u32, z: u32| (x * 3 + y) * 11 + z;
    for (x, y, z) in (0..363).map(|i| (i / 33, i / 11 % 3, i % 11)) {
        vertices.push(Vec3::new(x as f32 - 5.0, y as f32, z as f32 - 5.0) * 0.2);
        if x < 10 && y < 2 && z < 10 {
            let around = [(1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1), (1, 0, 1)];
            let around = around.map(|(i, j, k)| at(x + i, y + j, z + k));
            let (first, last) = (at(x, y, z), at(x + 1, y + 1, z + 1));
            tetrahedra.extend((0..6).map(|i| [first, around[i], around[(i + 1) % 6], last]));
        }
    }
    let pinned: Vec<u32> = (0..363).filter(|i| i / 11 % 3 == 0).collect();
    let foam = SoftBodySettings::default().with_youngs_modulus(3e4).with_damping(10.0);
    SoftBodyDesc::volume(&vertices, &tetrahedra, foam).with_density(50.0).with_pinned(&pinned)
}

/// A trampoline of 3 m by 3 m, pinned along its border.
fn trampoline() -> SoftBodyDesc {
    let border: Vec<u32> = (0..169).filter(|i| [i % 13, i / 13].iter().any(|i| i % 12 == 0)).collect();
    let mat = ClothSettings::default().with_stretch_stiffness(6e4);
    SoftBodyDesc::grid([3.0, 3.0], [12, 12], mat).with_density(2.0).with_pinned(&border)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    let mattress = world.insert_soft_body(mattress().with_thickness(0.04))?;
    let trampoline = trampoline().with_thickness(0.04).with_position(Vec3::new(5.0, 1.0, 0.0));
    let trampoline = world.insert_soft_body(trampoline)?;
    let character =
        Character::new(Figure::capsule(1.8, 0.3)?, CharacterSettings::default(), DVec3::Y * 1.35)?;
    let mut hero = CharacterBody::insert(&mut world, character, Filter::default())?;

    let walk = |world: &mut World, hero: &mut CharacterBody, wish: DVec3, seconds: f64| {
        let mut highest = f64::MIN;
        for _ in 0..(seconds / DT) as u32 {
            world.step(DT as f32)?;
            hero.walk(world, wish, DT)?;
            highest = highest.max(hero.character().feet().y);
        }
        Ok::<f64, WorldError>(highest)
    };
    walk(&mut world, &mut hero, DVec3::ZERO, 3.0)?;
    let feet = hero.character().feet();
    println!("on the mattress of 0.42 m the feet are at {:.3} m", feet.y);
    assert_eq!(hero.soft_ground(&world), Some(mattress));
    assert!(0.3 < feet.y && feet.y < 0.41, "it sags: {feet}");

    walk(&mut world, &mut hero, DVec3::X, 2.0)?;
    println!("it walked off, to {:.2}", hero.character().feet());
    assert!(hero.character().feet().y < 0.01 && hero.ground().is_some());

    world.remove_soft_body(mattress)?;
    // From 1 m above the trampoline. Without more substeps its light mat would stretch too much
    // under a heavy character.
    world.set_soft_settings(SoftSettings::default().with_substeps(16))?;
    hero.set_position(&mut world, DVec3::new(5.0, 2.9, 0.0))?;
    walk(&mut world, &mut hero, DVec3::ZERO, 0.6)?;
    assert_eq!(hero.soft_ground(&world), Some(trampoline));
    println!("it fell 1 m, and presses the trampoline to {:.2} m", hero.character().feet().y);
    let highest = walk(&mut world, &mut hero, DVec3::ZERO, 1.5)?;
    println!("it is thrown up to {highest:.2} m");
    assert!(1.1 < highest && highest < 2.0);
    Ok(())
}
