//! Builds shapes for queries from descriptions: reads, scales, places and checks them.
//!
//! Meshes are baked into world coordinates: `((r0 x + r1 y) + r2 z) + t` in `f64` without fused
//! operations. So any other tool that rounds in the same way has the same exact counts. Convex
//! shapes keep their pose.

use crate::remarks::Remarks;
use carom_bounds::Aabb;
use carom_geom::Ambiguity;
use carom_geom::f64::{
    Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, HullError, Sphere, TaperedCapsule, Torus, TriMesh,
};
use carom_geom::ray_mesh::Placement as Side;
use carom_io::{Options, Part, Piece, Placement, RawMesh, UnknownCells, scale_on_robot};
use carom_math::f64::Pose;
use carom_math::tol;
use carom_query::f64::{
    ConvexShape, MeshShape, RoundedShape, Shape, ShapeKind, VoxelBox, Voxels, solid_placement,
};
use carom_robot::outward_mesh;
use glam::{DQuat, DVec3};
use std::ops::ControlFlow;
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
    /// The occupied cells of an OctoMap file.
    Octree(PathBuf),
    /// The points of a file, with this radius.
    Points(f64, PathBuf),
    /// Points, with this radius.
    PointList(f64, Vec<DVec3>),
    /// The origin, the size of a cell, and boxes of whole cells.
    Voxels(DVec3, DVec3, Vec<VoxelBox>),
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
        let said = |e: String| format!("{name}: {e}");
        let n_triangles = part.n_triangles();
        let mut remarks = Remarks::default();
        let mut note = |n_turned: usize, what: &str| {
            if 0 < n_turned {
                remarks.note(format!("{name}: {n_turned} of {n_triangles} triangles {what}"));
            }
        };
        let mesh = match winding {
            Winding::Kept => {
                let world = part.world_mesh().map_err(said)?;
                let mesh = TriMesh::new(world.vertices, world.triangles).map_err(|e| said(e.to_string()))?;
                let n_turned = mesh.orientation().turned().map_or(0, <[u32]>::len);
                note(n_turned, "face inwards and are kept so");
                MeshShape::new(mesh).map_err(|e| said(e.to_string()))?.with_kept_orientation()
            }
            Winding::Outwards => {
                let (mesh, n_turned) = outward_mesh(part).map_err(said)?;
                note(n_turned, "turned to face outwards");
                mesh
            }
        };
        let shape = Shape::Mesh(Arc::new(mesh));
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

    /// Returns the corners of a box around the solid.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        match &self.shape {
            Shape::Mesh(mesh) => mesh.mesh().wide_bounds(),
            shape => {
                let aabb = shape.aabb(&self.pose);
                (aabb.min.as_dvec3(), aabb.max.as_dvec3())
            }
        }
    }

    /// Whether a part of a point cloud or of voxels has its middle in this mesh. False if this is
    /// no mesh or the other is no cluster; `None` if the mesh does not tell inside from outside.
    pub fn holds_part_of(&self, other: &Solid) -> Option<bool> {
        let (Shape::Mesh(mesh), ShapeKind::Cluster(cluster)) = (&self.shape, other.shape.kind()) else {
            return Some(false);
        };
        if mesh.ambiguity().is_some() {
            return None;
        }
        let middle = |number| other.pose.wide().transform_point(cluster.part(number).1);
        let is_inside =
            |&number: &u32| solid_placement(mesh, &self.pose, middle(number)) != Some(Side::Outside);
        // A part outside of the mesh's box is outside of the mesh.
        let (low, high) = mesh.mesh().wide_bounds();
        let near = Aabb::around(low, high).placed(&self.pose.wide().relative_to(&other.pose.wide()));
        let walk = cluster.tree().visit_box(&near, |leaf| match leaf.primitives.iter().any(is_inside) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
        Some(walk.stopped)
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
            Ok(Solid { remarks: remarks.placed(scale, placement), ..Solid::alone(shape, pose) })
        }
        ShapeSpec::File(file) => {
            let (mesh, remarks) = read_file(file, options)?;
            let mesh = Arc::new(mesh);
            let solid = bake(&file.display().to_string(), mesh, scale, placement, winding)?;
            let mut remarks = remarks.placed(scale, placement);
            remarks.add(&solid.remarks);
            Ok(Solid { remarks, ..solid })
        }
        ShapeSpec::Octree(file) => octree(file, scale, pose),
        ShapeSpec::Points(radius, file) => points(file, radius * scale, scale, pose),
        ShapeSpec::PointList(radius, points) => {
            let points = points.iter().map(|p| *p * scale).collect();
            alone(Shape::point_cloud(points, radius * scale).map_err(said("points"))?)
        }
        ShapeSpec::Voxels(origin, cell, boxes) => {
            let voxels =
                Voxels::new(*origin * scale, *cell * scale, boxes.clone()).map_err(said("voxels"))?;
            alone(Shape::Voxels(Arc::new(voxels)))
        }
        ShapeSpec::Mesh(mesh) => bake("mesh", Arc::new(mesh.clone()), scale, placement, winding),
    }
}

/// Returns what a file without a kind is: an octree by its extension, else triangles.
pub fn spec_of_file(file: &Path) -> ShapeSpec {
    match has_extension(file, &["bt"]) {
        true => ShapeSpec::Octree(file.to_path_buf()),
        false => ShapeSpec::File(file.to_path_buf()),
    }
}

/// Whether a file has one of these extensions, in upper or lower case.
pub(crate) fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    extensions.iter().any(|one| one.eq_ignore_ascii_case(ending))
}

fn octree(file: &Path, scale: f64, pose: Pose) -> Result<Solid, String> {
    let tree = carom_io::read_octree(file, UnknownCells::Free).map_err(|e| e.to_string())?;
    let boxes = tree.leaves.iter().map(|leaf| VoxelBox { first: leaf.first, last: leaf.last }).collect();
    let (origin, cell) = (DVec3::splat(tree.origin() * scale), DVec3::splat(tree.resolution * scale));
    let voxels = Voxels::new(origin, cell, boxes).map_err(|e| format!("{}: {e}", file.display()))?;
    let name = file.display().to_string();
    Ok(Solid { name, ..Solid::alone(Shape::Voxels(Arc::new(voxels)), pose) })
}

fn points(file: &Path, radius: f64, scale: f64, pose: Pose) -> Result<Solid, String> {
    let found = carom_io::read_points(file).map_err(|e| e.to_string())?;
    let points = found.points.iter().map(|p| *p * scale).collect();
    let shape = Shape::point_cloud(points, radius).map_err(|e| format!("{}: {e}", file.display()))?;
    let remarks = Remarks::of_file(file, found.notes, Vec::new());
    Ok(Solid { name: file.display().to_string(), remarks, ..Solid::alone(shape, pose) })
}

/// Reads the mesh of a file, and the remarks on it.
pub fn read_file(file: &Path, options: &Options) -> Result<(RawMesh, Remarks), String> {
    let whole = carom_io::read_mesh_with(file, options).map_err(|e| e.to_string())?;
    let remarks = Remarks::of_file(file, whole.notes, whole.unread);
    Ok((whole.mesh, remarks.with_frame(file, (whole.unit, whole.metres), whole.up)))
}

/// Reads a mesh on a robot: in metres, by the unit that its file states.
pub(crate) fn build_on_robot(
    file: &Path,
    placement: &Placement,
    winding: Winding,
    options: &Options,
) -> Result<Solid, String> {
    let whole = carom_io::read_mesh_with(file, options).map_err(|e| e.to_string())?;
    let (scale, on_frame) = scale_on_robot(whole.metres, whole.up);
    let mut remarks = Remarks::of_file(file, [whole.notes, on_frame].concat(), whole.unread);
    let solid = bake(&file.display().to_string(), Arc::new(whole.mesh), scale, placement, winding)?;
    remarks.add(&solid.remarks);
    Ok(Solid { remarks, ..solid })
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
    let piece = Piece { mesh, scale: [scale; 3], placement: *placement, solid: 0 };
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
