//! One shape of every kind, of size about one.

use carom_geom::{
    Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, HalfSpace, HeightField, Sphere, SupportMap,
    SupportPoint, TaperedCapsule, TriMesh,
};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{Compound, CompoundPart, ConvexShape, HeightFieldShape, MeshShape, RoundedShape, Shape};
use carom_scenes::mesh::torus;
use carom_sdf::{BakeSettings, FieldShape, SdfGrid};
use glam::DVec3;
use std::sync::Arc;

/// A diamond, as a user would bring it.
#[derive(Debug)]
struct Diamond;

impl SupportMap for Diamond {
    fn support(&self, direction: DVec3) -> SupportPoint {
        let a = direction.abs();
        let axis = if a.y <= a.x && a.z <= a.x {
            0
        } else if a.z <= a.y {
            1
        } else {
            2
        };
        let mut point = DVec3::ZERO;
        point[axis] = if direction[axis] < 0.0 { -0.5 } else { 0.5 };
        SupportPoint { point, vertex: 2 * axis as u32 + u32::from(direction[axis] < 0.0) }
    }

    fn vertex(&self, number: u32) -> Option<DVec3> {
        let mut point = DVec3::ZERO;
        point[(number as usize / 2).min(2)] = if number % 2 == 1 { -0.5 } else { 0.5 };
        (number < 6).then_some(point)
    }

    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    fn radius(&self) -> f64 {
        0.5
    }
}

/// The corners and the outward triangles of a box.
pub(crate) fn box_mesh(h: Vec3) -> TriMesh {
    let corner = |i: u32| {
        let s = |bit: u32, x: f32| if i & bit == 0 { -x } else { x };
        Vec3::new(s(1, h.x), s(2, h.y), s(4, h.z))
    };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let indices = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    TriMesh::new((0..8).map(corner).collect(), indices).unwrap()
}

/// A shape with a radius around it.
pub(crate) fn rounded(core: Shape, radius: f32) -> Shape {
    Shape::Rounded(Arc::new(RoundedShape::new(ConvexShape::new(core).unwrap(), radius).unwrap()))
}

/// Six by five samples, and a hole.
pub(crate) fn hills() -> HeightField {
    let height = |k: u32| ((k % 6) as f32 * 1.3).sin() * 0.2 + ((k / 6) as f32 * 0.9).cos() * 0.15;
    HeightField::new([6, 5], [0.25, 0.3], (0..30).map(height).collect()).unwrap().with_holes(&[7]).unwrap()
}

/// A thick ring, 20 cells wide.
pub(crate) fn ring() -> SdfGrid {
    let mesh = torus(0.35, 0.25, 300);
    let settings = BakeSettings::default().with_resolution(20);
    SdfGrid::from_triangles(&mesh.vertices_f32(), &mesh.triangles, &settings).unwrap()
}

/// Fifty points on a spiral, their balls apart.
pub(crate) fn cloud() -> Shape {
    let point = |k: i32| {
        let angle = 0.8 * k as f32;
        let radius = 0.1 + 0.008 * k as f32;
        Vec3::new(radius * angle.cos(), 0.02 * (k - 25) as f32, radius * angle.sin())
    };
    Shape::point_cloud((0..50).map(point).collect(), 0.04).unwrap()
}

/// Some boxes of cells that do not touch.
pub(crate) fn blocks() -> Shape {
    let is_occupied = |k: usize| {
        let (x, y, z) = (k / 25, k / 5 % 5, k % 5);
        x % 2 == 0 && y % 2 == 0 && (z % 3 != 2)
    };
    let flags: Vec<bool> = (0..125).map(is_occupied).collect();
    Shape::voxels([5; 3], &flags, Vec3::splat(-0.5), Vec3::new(0.2, 0.15, 0.2)).unwrap()
}

/// Every kind of shape, with its name.
pub(crate) fn shapes() -> Vec<(&'static str, Shape)> {
    let hull: Vec<Vec3> = (0..12)
        .map(|i| {
            let a = i as f32 * 2.4;
            let y = (i as f32 - 5.5) / 12.0;
            let r = (0.25 - y * y).max(0.0).sqrt();
            Vec3::new(r * a.cos(), y, r * a.sin())
        })
        .collect();
    let parts = vec![
        CompoundPart {
            shape: Shape::Cuboid(Cuboid::new(Vec3::new(0.4, 0.1, 0.1)).unwrap()),
            pose: Pose::from_translation(Vec3::new(0.0, -0.2, 0.0)),
        },
        CompoundPart {
            shape: Shape::Sphere(Sphere::new(0.2).unwrap()),
            pose: Pose::new(Quat::from_rotation_x(0.3), Vec3::new(0.1, 0.2, 0.0)),
        },
        CompoundPart {
            shape: Shape::Mesh(Arc::new(MeshShape::new(box_mesh(Vec3::splat(0.15))).unwrap())),
            pose: Pose::from_translation(Vec3::new(-0.3, 0.2, 0.1)),
        },
    ];
    vec![
        ("sphere", Shape::Sphere(Sphere::new(0.5).unwrap())),
        ("capsule", Shape::Capsule(Capsule::new(0.3, 0.2).unwrap())),
        ("cuboid", Shape::Cuboid(Cuboid::new(Vec3::new(0.5, 0.4, 0.3)).unwrap())),
        ("cylinder", Shape::Cylinder(Cylinder::new(0.4, 0.3).unwrap())),
        ("cone", Shape::Cone(Cone::new(0.4, 0.3).unwrap())),
        ("ellipsoid", Shape::Ellipsoid(Ellipsoid::new(Vec3::new(0.5, 0.3, 0.2)).unwrap())),
        ("hull", Shape::Hull(Arc::new(ConvexHull::from_points(&hull).unwrap()))),
        ("half-space", Shape::HalfSpace(HalfSpace::new(Vec3::new(0.2, 1.0, -0.1)).unwrap())),
        ("mesh", Shape::Mesh(Arc::new(MeshShape::new(box_mesh(Vec3::new(0.4, 0.3, 0.5))).unwrap()))),
        ("compound", Shape::Compound(Arc::new(Compound::new(parts).unwrap()))),
        ("user", Shape::User(Arc::new(Diamond))),
        ("tapered capsule", Shape::TaperedCapsule(TaperedCapsule::new(0.3, 0.1, 0.25).unwrap())),
        ("rounded cone", rounded(Shape::Cone(Cone::new(0.3, 0.25).unwrap()), 0.1)),
        ("rounded hull", rounded(Shape::Hull(Arc::new(ConvexHull::from_points(&hull[4..]).unwrap())), 0.15)),
        ("height field", Shape::HeightField(Arc::new(HeightFieldShape::new(hills()).unwrap()))),
        ("torus", Shape::torus(0.4, 0.15).unwrap()),
        ("point cloud", cloud()),
        ("voxels", blocks()),
        ("field", Shape::Field(Arc::new(FieldShape::new(ring())))),
    ]
}
