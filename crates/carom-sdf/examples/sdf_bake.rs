//! A torus as a field. It is baked, sampled with certain bounds, and cut by a ball: `sdf_bake
//! [RESOLUTION]`.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_math::Ray;
use carom_scenes::mesh::{icosphere, torus};
use carom_sdf::{BakeSettings, Field, SdfGrid, SparseSdf};
use glam::{UVec3, Vec3};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let resolution: u32 = std::env::args().nth(1).map_or(Ok(64), |word| word.parse())?;
    let ring = torus(1.0, 0.4, 20_000);
    let settings = BakeSettings::default().with_resolution(resolution).with_band(3.0).with_padding(4);
    let field = SparseSdf::from_triangles(&ring.vertices_f32(), &ring.triangles, &settings)?;
    let cells = field.grid().cells();
    println!("{cells} cells of {}, {:?}", field.grid().cell(), field.sign_method());
    println!("{} of {} blocks hold values", field.n_stored_blocks(), field.n_blocks());

    // A point near the surface: the truth, the sample, and what is certain.
    let point = Vec3::new(1.0, 0.43, 0.0);
    let (sample, bounds) = (field.sample(point), field.bounds(point.as_dvec3()));
    println!("0.03 from a round ring; sampled {:.4}", sample.distance);
    println!("certainly from {:.4} to {:.4}", bounds.least, bounds.greatest);
    let foot = field.closest_point(point.as_dvec3());
    println!("closest point of the surface: {:.3}", foot.point);

    // A ball on the same grid takes a bite.
    let ball = icosphere(2000).scaled(0.5);
    let bite: Vec<Vec3> = ball.vertices_f32().iter().map(|v| *v + Vec3::X * 0.8).collect();
    let bite = SparseSdf::from_triangles(&bite, &ball.triangles, &settings.with_grid(*field.grid()))?;
    let bitten = field.difference(&bite)?;
    let ray = Ray::new(Vec3::new(0.8, 2.0, 0.0), Vec3::NEG_Y);
    for (name, field) in [("whole", &field), ("bitten", &bitten)] {
        let cast = field.cast_ray(&ray, 4.0);
        let hit = cast.hit().map_or("nothing".to_string(), |hit| format!("y = {:.3}", hit.point.y));
        println!("a ray from above meets, {name}: {hit}, in {} steps", cast.steps);
    }

    // Dense values, for a slice in letters: inside, near, far.
    let settings = settings.with_resolution(30);
    let dense = SdfGrid::from_triangles(&ring.vertices_f32(), &ring.triangles, &settings)?;
    let nodes = dense.grid().nodes();
    for z in (0..nodes.z).step_by(2) {
        let letter = |x| match dense.value(UVec3::new(x, nodes.y / 2, z)) {
            v if v < 0.0 => '#',
            v if v < dense.band() => '.',
            _ => ' ',
        };
        println!("{}", (0..nodes.x).map(letter).collect::<String>());
    }
    Ok(())
}
