//! A road of ice and asphalt: each triangle has its own material and user data.
//!
//! The crate stops at the place at which friction has taken its energy.
//!
//! `cargo run --example icy_road -p carom-world`

use carom_math::{Interval, Ray, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, ColliderDesc, Material, PartMaterial, QueryFilter, World};
use std::error::Error;

/// User data of the two kinds of ground.
const ICE: u64 = 1;
const ASPHALT: u64 = 2;

/// A road along x of stretches of 5 m, two triangles each. Every other stretch is ice.
fn road() -> Result<ColliderDesc, Box<dyn Error>> {
    let (mut vertices, mut triangles, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    // With the crate's 1 the geometric means are 0.1 and 0.8.
    let ice = PartMaterial::new(Material::new(0.01, 0.0)).with_user_data(ICE);
    let asphalt = PartMaterial::new(Material::new(0.64, 0.0)).with_user_data(ASPHALT);
    for stretch in 0..8_u32 {
        let (x, first) = (5.0 * stretch as f32, 2 * stretch);
        vertices.extend([-4.0, 4.0].map(|z| Vec3::new(x, 0.0, z)));
        triangles.extend([[first, first + 1, first + 2], [first + 2, first + 1, first + 3]]);
        parts.extend([if stretch % 2 == 0 { asphalt } else { ice }; 2]);
    }
    vertices.extend([-4.0, 4.0].map(|z| Vec3::new(40.0, 0.0, z)));
    Ok(ColliderDesc::new(Shape::mesh(vertices, triangles)?).with_part_materials(parts))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(road()?))?;
    // A crate fell off a lorry at 60 km/h.
    let crate_of_beer = BodyDesc::dynamic(Shape::cuboid(Vec3::new(0.4, 0.2, 0.3))?).with_friction(1.0);
    let start = Vec3::new(1.0, 0.2, 0.0);
    let body = world.insert(crate_of_beer.with_position(start).with_linear_velocity(Vec3::X * 16.7))?;
    let mut last = 0;
    for step in 0..600 {
        world.step(1.0 / 60.0)?;
        let (at, speed) = (world.body(body)?.position(), world.body(body)?.linear_velocity().length());
        // The ground below the middle of the crate.
        let filter = QueryFilter::default().without(core::slice::from_ref(&body));
        let hit = world.query(&filter).cast_ray(&Ray::new(at, Vec3::NEG_Y), Interval::FORWARD);
        let Some(hit) = hit else { break };
        let kind = world.collider(hit.collider)?.part_material(hit.hit.part).map_or(0, |part| part.user_data);
        if kind != last {
            let name = if kind == ICE { "ice" } else { "asphalt" };
            println!("{:.2} s: {name} at {:5.2} m, {speed:5.2} m/s", step as f32 / 60.0, at.x);
            last = kind;
        }
        if speed < 0.01 {
            println!("{:.2} s: stops at {:.2} m", step as f32 / 60.0, at.x);
            break;
        }
    }
    // v^2 / 2g is the sum of friction times length: of 4, 5 and 5 m of asphalt, of three stretches
    // of ice, and of the rest on asphalt.
    let rest = (16.7 * 16.7 / (2.0 * 9.81) - 14.0 * 0.8 - 15.0 * 0.1) / 0.8;
    let x = world.body(body)?.position().x;
    assert!((x - 30.0 - rest).abs() < 0.3, "it stops at {x} m, not {} m", 30.0 + rest);
    Ok(())
}
