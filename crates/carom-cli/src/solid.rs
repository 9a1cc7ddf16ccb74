//! Builds shapes for queries from descriptions: reads, scales, places and checks them.
//!
//! Meshes are baked into world coordinates: `((r0 x + r1 y) + r2 z) + t` in `f64` without fused
//! operations. So any other tool that rounds in the same way has the same exact counts. Convex
//! shapes keep their pose.

use crate::remarks::Remarks;
use carom_geom::Ambiguity;
use carom_geom::f64::{
    Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, HullError, Sphere, TaperedCapsule, Torus, TriMesh,
};
use carom_io::{Options, Part, Piece, Placement, RawMesh};
use carom_math::f64::Pose;
use carom_math::tol;
use carom_query::f64::{ConvexShape, MeshShape, RoundedShape, Shape};
use glam::{DQuat, DVec3};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A shape as it was described.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeSpec {
    /// Radius.
    Sphere(f64),
    /// Half extents.
    Box([f64; 3]),
    /// Half the straight part, radius.
    Capsule([f64; 2]),
    /// Half the distance of the centres, radius at +y, radius at -y.
    Tapered([f64; 3]),
    /// Half extents of the inner box, and the radius of the edges, which is added to them.
    RoundBox([f64; 4]),
    /// Half the height, radius.
    Cylinder([f64; 2]),
    /// Half the height, radius of the base.
    Cone([f64; 2]),
    /// A torus around y: the radii of its circle and of its ball.
    Torus([f64; 2]),
    /// Radii.
    Ellipsoid([f64; 3]),
    /// The hull of points.
    Hull(Vec<DVec3>),
    /// The hull of a file's vertices.
    HullFile(PathBuf),
    /// The triangles of a file.
    File(PathBuf),
    /// Triangles.
    Mesh(RawMesh),
}

/// A shape in its place in the world.
#[derive(Clone, Debug)]
pub struct Solid {
    /// The shape.
    pub shape: Shape,
    /// Its pose; the identity for a mesh, which is baked.
    pub pose: Pose,
    /// The origin of the frame of its description, in the frame of the shape: the place of a baked
    /// mesh, else zero.
    pub origin: DVec3,
    /// Its name in notes; empty for a convex shape.
    pub name: String,
    /// Remarks on its file and on how its triangles are turned.
    pub remarks: Remarks,
}

/// The treatment of triangles of a closed mesh that face inwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Winding {
    /// They are turned over, with a note.
    #[default]
    Outwards,
    /// They stay as the file has them; the inside is known only if they agree with their
    /// neighbours.
    Kept,
}

impl Solid {
    /// Builds a part as a mesh in world coordinates; `name` stands before notes and errors.
    pub fn of_part(part: &Part, name: &str, winding: Winding) -> Result<Solid, String> {
        let world = part.world_mesh().map_err(|e| format!("{name}: {e}"))?;
        let mesh = TriMesh::new(world.vertices, world.triangles).map_err(|e| format!("{name}: {e}"))?;
        let n_triangles = mesh.n_triangles();
        let mut remarks = Remarks::default();
        let mut note = |n_turned: usize, what: &str| {
            if 0 < n_turned {
                remarks.note(format!("{name}: {n_turned} of {n_triangles} triangles {what}"));
            }
        };
        let built = match winding {
            Winding::Kept => {
                let n_turned = mesh.orientation().turned().map_or(0, <[u32]>::len);
                note(n_turned, "face inwards and are kept so");
                MeshShape::new(mesh).map(MeshShape::with_kept_orientation)
            }
            Winding::Outwards => {
                let (mesh, orientation) = mesh.oriented();
                note(orientation.turned().map_or(0, <[u32]>::len), "turned to face outwards");
                MeshShape::new(mesh)
            }
        };
        let shape = Shape::Mesh(Arc::new(built.map_err(|e| format!("{name}: {e}"))?));
        Ok(Solid { shape, pose: Pose::IDENTITY, origin: DVec3::ZERO, name: name.to_owned(), remarks })
    }

    /// Returns a shape without remarks.
    fn alone(shape: Shape, pose: Pose) -> Solid {
        Solid { shape, pose, origin: DVec3::ZERO, name: String::new(), remarks: Remarks::default() }
    }

    /// Returns a note on why answers that depend on an inside are not known. Returns `None` for a
    /// shape that is no mesh, and for a mesh that tells inside from outside.
    pub fn ambiguity(&self) -> Option<String> {
        Some(ambiguity_note(&self.name, self.mesh()?.ambiguity()?))
    }

    /// Returns the mesh, for exact counts; `None` for any other shape.
    pub fn mesh(&self) -> Option<&MeshShape> {
        match &self.shape {
            Shape::Mesh(mesh) => Some(mesh),
            _ => None,
        }
    }
}

/// Returns the note on a mesh of this name without an inside.
pub fn ambiguity_note(name: &str, why: Ambiguity) -> String {
    format!("{name}: inside and outside cannot be told apart ({why})")
}

/// Reads, scales and places a shape; an error names what is wrong.
pub fn build(spec: &ShapeSpec, scale: f64, placement: &Placement, winding: Winding) -> Result<Solid, String> {
    build_with(spec, scale, placement, winding, &Options::default())
}

/// Does the same as [`build`], with options for files.
pub fn build_with(
    spec: &ShapeSpec,
    scale: f64,
    placement: &Placement,
    winding: Winding,
    options: &Options,
) -> Result<Solid, String> {
    let pose = placement.pose();
    let alone = |shape| Ok(Solid::alone(shape, pose));
    match spec {
        ShapeSpec::Sphere(r) => alone(Shape::Sphere(Sphere::new(r * scale).map_err(said("sphere"))?)),
        ShapeSpec::Box(h) => {
            alone(Shape::Cuboid(Cuboid::new(DVec3::from_array(*h) * scale).map_err(said("box"))?))
        }
        ShapeSpec::Capsule([h, r]) => {
            alone(Shape::Capsule(Capsule::new(h * scale, r * scale).map_err(said("capsule"))?))
        }
        ShapeSpec::Tapered([h, upper, lower]) => {
            let shape = TaperedCapsule::new(h * scale, upper * scale, lower * scale);
            alone(Shape::TaperedCapsule(shape.map_err(said("tapered"))?))
        }
        ShapeSpec::RoundBox([x, y, z, r]) => {
            let core = Cuboid::new(DVec3::new(*x, *y, *z) * scale).map_err(said("round-box"))?;
            let core = ConvexShape::new(Shape::Cuboid(core)).map_err(said("round-box"))?;
            let shape = RoundedShape::new(core, r * scale).map_err(said("round-box"))?;
            alone(Shape::Rounded(Arc::new(shape)))
        }
        ShapeSpec::Cylinder([h, r]) => {
            alone(Shape::Cylinder(Cylinder::new(h * scale, r * scale).map_err(said("cylinder"))?))
        }
        ShapeSpec::Cone([h, r]) => alone(Shape::Cone(Cone::new(h * scale, r * scale).map_err(said("cone"))?)),
        ShapeSpec::Torus([major, minor]) => {
            let torus = Torus::new(major * scale, minor * scale).map_err(said("torus"))?;
            alone(Shape::Torus(torus))
        }
        ShapeSpec::Ellipsoid(r) => {
            let radii = DVec3::from_array(*r) * scale;
            alone(Shape::Ellipsoid(Ellipsoid::new(radii).map_err(said("ellipsoid"))?))
        }
        ShapeSpec::Hull(points) => alone(hull(points, scale).map_err(said("hull"))?),
        ShapeSpec::HullFile(file) => {
            let (mesh, remarks) = read_file(file, options)?;
            let name = file.display();
            let shape = hull(&mesh.vertices, scale).map_err(|e| format!("{name}: hull: {e}"))?;
            Ok(Solid { remarks, ..Solid::alone(shape, pose) })
        }
        ShapeSpec::File(file) => {
            let (mesh, mut remarks) = read_file(file, options)?;
            let mesh = Arc::new(mesh);
            let solid = bake(&file.display().to_string(), mesh, scale, placement, winding)?;
            remarks.add(&solid.remarks);
            Ok(Solid { remarks, ..solid })
        }
        ShapeSpec::Mesh(mesh) => bake("mesh", Arc::new(mesh.clone()), scale, placement, winding),
    }
}

/// Reads the mesh of a file, and the remarks on it.
pub fn read_file(file: &Path, options: &Options) -> Result<(RawMesh, Remarks), String> {
    let whole = carom_io::read_mesh_with(file, options).map_err(|e| e.to_string())?;
    Ok((whole.mesh, Remarks::of_file(file, whole.notes, whole.unread)))
}

/// Returns a function that puts the kind of a shape before an error.
fn said<E: core::fmt::Display>(kind: &'static str) -> impl Fn(E) -> String {
    move |e| format!("{kind}: {e}")
}

fn hull(points: &[DVec3], scale: f64) -> Result<Shape, HullError> {
    let scaled: Vec<DVec3> = points.iter().map(|p| *p * scale).collect();
    Ok(Shape::Hull(Arc::new(ConvexHull::from_points(&scaled)?)))
}

/// Bakes a mesh into world coordinates. Notes and errors use this name for it.
pub fn bake(
    name: &str,
    mesh: Arc<RawMesh>,
    scale: f64,
    placement: &Placement,
    winding: Winding,
) -> Result<Solid, String> {
    let piece = Piece { mesh, scale: [scale; 3], placement: *placement };
    let part = Part { name: name.to_owned(), pieces: vec![piece] };
    let solid = Solid::of_part(&part, name, winding)?;
    Ok(Solid { origin: placement.pose().translation, ..solid })
}

/// Returns the matrix of a pose given as x, y, z, qx, qy, qz, qw.
pub fn placement_of_pose(numbers: &[f64; 7]) -> Result<Placement, String> {
    let [x, y, z, qx, qy, qz, qw] = *numbers;
    let pose =
        Pose::try_new(DQuat::from_xyzw(qx, qy, qz, qw), DVec3::new(x, y, z)).map_err(|e| e.to_string())?;
    let r = pose.rotation_matrix();
    let row = |i: usize| [r.x_axis[i], r.y_axis[i], r.z_axis[i], pose.translation[i]];
    let rows = [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]];
    Placement::checked(core::array::from_fn(|e| rows[e / 4][e % 4]))
}

/// Checks that a row-major matrix is rigid, and returns it as a placement.
pub fn rigid_placement(matrix: &[f64; 16]) -> Result<Placement, String> {
    let placement = Placement::checked(*matrix)?;
    let error = placement.rigidity_error();
    if tol::MATRIX_RIGIDITY < error {
        let what = if placement.determinant() < 0.0 { "mirrors" } else { "scales or shears" };
        return Err(format!(
            "the matrix is not rigid, it {what} (R^T R differs from 1 by {error:.1e}); use a scale to convert units"
        ));
    }
    Ok(placement)
}
