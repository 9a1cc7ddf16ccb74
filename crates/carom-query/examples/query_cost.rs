//! The cost of queries in counts, for shapes that are apart and that overlap, and the proof of
//! each "no".

use carom_geom::{ConvexHull, Cuboid, Cylinder, HalfSpace, Sphere, TriMesh};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{
    MeshShape, QueryCost, Shape, Workspace, contact_counted, distance_counted, intersects_counted,
    separating_plane,
};
use carom_scenes::mesh::torus;
use std::error::Error;
use std::sync::Arc;

/// The counts that are not 0.
fn line(cost: &QueryCost) -> String {
    let counts = [
        (cost.nodes, "nodes"),
        (cost.volume_tests, "volume tests"),
        (cost.leaves, "leaves"),
        (cost.primitives, "primitives"),
        (cost.pair_tests, "pair tests"),
        (cost.axes, "axes"),
        (cost.feature_pairs, "pairs of features"),
        (cost.iterations, "rounds of GJK"),
        (cost.depth_iterations, "rounds of EPA"),
        (cost.supports, "supports"),
    ];
    let counts = counts.iter().filter(|(count, _)| 0 < *count);
    let counts: Vec<String> = counts.map(|(count, name)| format!("{count} {name}")).collect();
    if counts.is_empty() { "nothing: their bounds are apart".to_owned() } else { counts.join(", ") }
}

fn main() -> Result<(), Box<dyn Error>> {
    let points: Vec<Vec3> = (0..24)
        .map(|i| {
            let (angle, height) = (i as f32 * 2.4, (i as f32 - 11.5) / 24.0);
            let radius = (0.25 - height * height).max(0.0).sqrt();
            Vec3::new(radius * angle.cos(), height, radius * angle.sin())
        })
        .collect();
    let ring = torus(0.4, 0.15, 2000);
    let ring = TriMesh::new(ring.vertices_f32(), ring.triangles)?;
    let shapes = [
        ("ball", Shape::Sphere(Sphere::new(0.5)?)),
        ("box", Shape::Cuboid(Cuboid::new(Vec3::new(0.4, 0.3, 0.5))?)),
        ("hull", Shape::Hull(Arc::new(ConvexHull::from_points(&points)?))),
        ("cylinder", Shape::Cylinder(Cylinder::new(0.4, 0.3)?)),
        ("floor", Shape::HalfSpace(HalfSpace::new(Vec3::Y)?)),
        ("mesh", Shape::Mesh(Arc::new(MeshShape::new(ring)?))),
    ];
    let here = Pose::IDENTITY;
    let mut memory = Workspace::default();
    for (name, shape) in &shapes {
        // Each against the box, first apart, then in each other.
        let cube = &shapes[1].1;
        for height in [1.5, 0.3] {
            let there = Pose::new(Quat::from_rotation_z(0.3), Vec3::new(0.2, height, 0.1));
            let mut costs = [QueryCost::default(); 3];
            let meet = intersects_counted(shape, &here, cube, &there, &mut costs[0]);
            let gap = distance_counted(shape, &here, cube, &there, &mut memory, &mut costs[1]);
            let contact = contact_counted(shape, &here, cube, &there, 0.0, &mut memory, &mut costs[2]);
            assert!(meet == (gap.distance == 0.0) && meet == contact.is_some());
            println!("{name} and box, {}", if meet { "in each other" } else { "apart" });
            for (question, cost) in ["intersects", "distance", "contact"].iter().zip(&costs) {
                println!("    {question:10} {}", line(cost));
            }
            if let Some(plane) = separating_plane(shape, &here, cube, &there) {
                println!("    a plane leaves {:.3} m between them", plane.gap());
            }
            if let Some(bound) = gap.at_least().filter(|_| !meet) {
                println!("    they are apart by at least {bound:.3} m");
            }
        }
    }
    Ok(())
}
