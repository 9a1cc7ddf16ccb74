//! A ring as a distance field against a ball and a box, beside the answers of its mesh:
//! `field_as_shape [CELLS]`.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_geom::{Cuboid, Sphere, TriMesh};
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{ImpactSettings, MeshShape, Shape, cast, cast_ray, contact, distance, motion_of};
use carom_scenes::mesh::torus;
use carom_sdf::{BakeSettings, Field, FieldShape, SparseSdf};
use std::error::Error;
use std::f32::consts::{FRAC_PI_4, SQRT_2};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let cells: u32 = std::env::args().nth(1).map_or(Ok(64), |word| word.parse())?;
    // It lies flat. The tube has a radius of 0.4 m, and its middle is 1 m from the axis.
    let ring = torus(1.0, 0.4, 20_000);
    let mesh = TriMesh::new(ring.vertices_f32(), ring.triangles)?;
    let settings = BakeSettings::default().with_resolution(cells).with_band(3.0);
    let field = SparseSdf::from_mesh(&mesh, &settings)?;
    println!("{} cells of {} m, {:?}", field.grid().cells(), field.grid().cell(), field.sign_method());
    println!("an answer of the field is off by at most {:.4} m\n", field.error_bound());
    let shapes = [
        ("field", Shape::Field(Arc::new(FieldShape::new(field)))),
        ("mesh", Shape::Mesh(Arc::new(MeshShape::new(mesh)?))),
    ];

    let ball = Shape::Sphere(Sphere::new(0.25)?);
    let brick = Shape::Cuboid(Cuboid::new(Vec3::splat(0.2))?);
    let at = |x: f32, y: f32| Pose::from_translation(Vec3::new(x, y, 0.0));
    // The box stands on an edge along z, which is so far below its center.
    let on_edge = |y: f32| Pose::new(Quat::from_rotation_z(FRAC_PI_4), Vec3::new(1.0, y, 0.0));
    let reach = 0.2 * SQRT_2;
    println!("{:<36}{:>8}{:>9}{:>9}", "metres, seconds", "exact", "field", "mesh");
    let row = |what: &str, exact: f32, query: &dyn Fn(&Shape) -> Option<f32>| {
        let [by_field, by_mesh] = [0, 1].map(|i| query(&shapes[i].1).unwrap_or(f32::NAN));
        println!("{what:<36}{exact:>8.4}{by_field:>9.4}{by_mesh:>9.4}");
    };
    let origin = Pose::IDENTITY;
    for (what, body, pose, exact) in [
        ("distance of a ball above", &ball, at(1.0, 0.75), 0.1),
        ("distance of a ball in the hole", &ball, at(0.0, 0.0), 0.35),
        ("distance of a box high above", &brick, on_edge(3.0), 2.6 - reach),
    ] {
        row(what, exact, &|ring| Some(distance(ring, &origin, body, &pose).distance));
    }
    // A field is as deep as its deepest point, a mesh as deep as one of its triangles.
    for (what, body, pose, exact) in [
        ("contact of a ball, negative: deep", &ball, at(1.0, 0.6), -0.05),
        ("contact of a box on its edge", &brick, on_edge(0.6), 0.2 - reach),
    ] {
        let query =
            |ring: &Shape| contact(ring, &origin, body, &pose, 0.0).map(|found| found.contact.distance);
        row(what, exact, &query);
    }
    let ray = Ray::new(Vec3::X * -3.0, Vec3::X);
    row("length of a ray from the side", 1.6, &|ring| {
        cast_ray(ring, &origin, &ray, Interval::BOTH).map(|hit| hit.t)
    });
    let still = motion_of(&origin, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO)?;
    for (what, body, pose, exact) in [
        ("fall of the ball at 2 m/s", &ball, at(1.0, 0.75), 0.05),
        ("fall of the box at 2 m/s", &brick, on_edge(1.4), 0.5 * (1.0 - reach)),
    ] {
        let falling = motion_of(&pose, Vec3::ZERO, Vec3::NEG_Y * 2.0, Vec3::ZERO)?;
        row(what, exact, &|ring| {
            let found = cast(ring, &still, body, &falling, &ImpactSettings::default());
            found.hit().map(|impact| impact.t_hi as f32)
        });
    }
    Ok(())
}
