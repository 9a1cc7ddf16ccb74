//! The scenes of mesh against mesh: two meshes and the poses of the second.

use crate::scenes::rounded;
use carom_geom::TriMesh;
use carom_math::Pose;
use carom_query::{MeshShape, Shape, distance};
use carom_scenes::mesh::{Knot, MeshData, bumpy_icosphere, torus_knot};
use carom_scenes::{HULL_RADII, Rng};
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// Half the height of the bumps, relative to the radius of the sphere.
const BUMP: f64 = 0.05;

/// Triangles of the sphere and of the knot.
const SIZES: (usize, usize) = (81_920, 70_000);

/// A mesh as data and as a shape.
pub struct Body {
    /// Vertices and triangles; every program takes the vertices rounded to `f32`.
    pub data: MeshData,
    /// The mesh with carom's trees.
    pub mesh: Arc<MeshShape>,
    /// The mesh as a shape.
    pub shape: Shape,
}

impl Body {
    /// Returns the body; `None` for a mesh that is refused, which does not happen in the scenes.
    pub fn new(data: MeshData) -> Option<Self> {
        let mesh = TriMesh::new(data.vertices_f32(), data.triangles.clone()).ok()?;
        let mesh = Arc::new(MeshShape::new(mesh).ok()?);
        Some(Self { data, shape: Shape::Mesh(mesh.clone()), mesh })
    }
}

/// Two meshes, and poses of the second in the frame of the first.
pub struct MeshPair {
    /// The name of the scene.
    pub name: &'static str,
    /// The first mesh.
    pub a: Body,
    /// The second.
    pub b: Body,
    /// B in A's frame.
    pub poses: Vec<Pose>,
}

/// The names of the scenes: meshes near each other, meshes that overlap a little, and one mesh
/// inside the other and close everywhere.
pub const SCENES: [&str; 3] = ["close", "shallow", "shell"];

/// Returns the scene of this name with `n_poses` poses, or at most 20 for `shell`. `None` if there
/// is no such scene.
pub fn mesh_pair(name: &str, n_poses: usize) -> Option<MeshPair> {
    let name = *SCENES.iter().find(|known| **known == name)?;
    let ball = bumpy_icosphere(SIZES.0, BUMP, 3);
    if name == "shell" {
        let (a, b) = (Body::new(ball.clone().scaled(1.02))?, Body::new(ball)?);
        let mut rng = Rng::new(4);
        let poses = (0..n_poses.min(20))
            .map(|_| {
                let turn = DQuat::from_axis_angle(rng.direction(), rng.range(0.0, 0.2_f64.to_radians()));
                rounded(turn, DVec3::ZERO)
            })
            .collect();
        return Some(MeshPair { name, a, b, poses });
    }
    let (a, b) = (Body::new(ball)?, Body::new(torus_knot(&Knot::default(), SIZES.1))?);
    let poses = apart(&a, &b, n_poses, if name == "close" { 0.02 } else { -0.03 });
    Some(MeshPair { name, a, b, poses })
}

/// Returns poses of `b` with random rotations. Each is moved in along a random direction until it
/// is `gap` from `a`; for a negative `gap`, until it touches, and then by `-gap`.
fn apart(a: &Body, b: &Body, n: usize, gap: f64) -> Vec<Pose> {
    let mut rng = Rng::new(8);
    (0..n)
        .map(|_| {
            let (turn, direction) = (rng.rotation(), rng.direction());
            // Both lie within 1.2 of their origins, or at most as far as the longest radius of the
            // hulls' scenes.
            let mut along = 2.4 * HULL_RADII.max_element();
            let target = gap.max(0.0);
            // A step by the remaining distance does not pass the first pose within the gap.
            for _ in 0..200 {
                let pose = rounded(turn, direction * along);
                let left = f64::from(distance(&a.shape, &Pose::IDENTITY, &b.shape, &pose).distance) - target;
                if left <= 1e-5 {
                    break;
                }
                along -= left;
            }
            rounded(turn, direction * (along + gap.min(0.0)))
        })
        .collect()
}
