//! `carom.Shape`: any shape, with its frame.
//!
//! The crates have axes along y. Users of Python expect z, so a shape with an axis keeps the
//! rotation from the frame of the crate to its own. Queries put it before the pose.

use crate::array::{self, Rows};
use crate::recipe::{Recipe, recipe};
use crate::{error, pose};
use carom_geom::f64::{ConvexHull, HeightField, TaperedCapsule, TriMesh};
use carom_io::{Octree, UnknownCells};
use carom_math::f64::Pose;
use carom_query::f64::{
    Compound, CompoundPart, ConvexShape, HeightFieldShape, MeshShape, RoundedShape, Shape, VoxelBox, Voxels,
};
use glam::{DQuat, DVec3};
use numpy::{PyArray1, PyArray2, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// Any shape: a primitive, a hull, a mesh, a compound. It does not change, and may be shared.
///
/// Shapes are centred on the origin. Lengths have no fixed unit. A shape with an axis has it along
/// `axis`: "x", "y" or "z".
#[pyclass(frozen, name = "Shape", module = "carom")]
#[derive(Clone)]
pub(crate) struct PyShape {
    /// The shape in the frame of the crates.
    pub(crate) shape: Shape,
    /// The frame of the crates in that of Python; `None` if they are one.
    pub(crate) frame: Option<Pose>,
}

impl PyShape {
    /// A shape whose frame is that of the crates.
    pub(crate) fn plain(shape: Shape) -> PyShape {
        PyShape { shape, frame: None }
    }

    /// Returns the pose that queries of the crates take.
    #[inline]
    pub(crate) fn placed(&self, pose: &Pose) -> Pose {
        match &self.frame {
            None => *pose,
            Some(frame) => *pose * *frame,
        }
    }

    /// Whether a query may take long, so that it is worth to release the interpreter's lock.
    #[inline]
    pub(crate) fn is_large(&self) -> bool {
        matches!(
            self.shape,
            Shape::Mesh(_)
                | Shape::HeightField(_)
                | Shape::Compound(_)
                | Shape::PointCloud(_)
                | Shape::Voxels(_)
                | Shape::Field(_)
                | Shape::Torus(_)
        )
    }

    /// Returns the mesh, or an error that names the argument.
    pub(crate) fn mesh_or(&self, name: &str) -> PyResult<&Arc<MeshShape>> {
        match &self.shape {
            Shape::Mesh(mesh) => Ok(mesh),
            other => Err(error::value(name, format!("must be a mesh, not a {}", other.name()))),
        }
    }
}

/// Mass, centre and inertia as Python has them.
type Mass<'py> = (f64, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>);

/// Returns the rotation that takes y to an axis, from a letter.
fn frame_of(axis: &str) -> PyResult<Option<Pose>> {
    let half = core::f64::consts::FRAC_1_SQRT_2;
    let rotation = match axis {
        "x" => DQuat::from_xyzw(0.0, 0.0, -half, half),
        "y" => return Ok(None),
        "z" => DQuat::from_xyzw(half, 0.0, 0.0, half),
        _ => return Err(error::value("axis", format!("must be \"x\", \"y\" or \"z\", not {axis:?}"))),
    };
    Ok(Some(Pose::from_rotation(rotation)))
}

/// Returns a shape with an axis.
fn along(axis: &str, kind: &str, shape: Result<Shape, impl core::fmt::Display>) -> PyResult<PyShape> {
    let shape = shape.map_err(|e| error::shape(kind, e))?;
    Ok(PyShape { frame: frame_of(axis)?, ..PyShape::plain(shape) })
}

#[pymethods]
impl PyShape {
    /// A ball around the origin.
    #[staticmethod]
    fn sphere(radius: f64) -> PyResult<PyShape> {
        Ok(PyShape::plain(Shape::sphere(radius).map_err(|e| error::shape("sphere", e))?))
    }

    /// A box around the origin, from its sizes along the axes.
    #[staticmethod]
    fn r#box(extents: &Bound<'_, PyAny>) -> PyResult<PyShape> {
        let half = array::vector(extents, "extents")? * 0.5;
        Ok(PyShape::plain(Shape::cuboid(half).map_err(|e| error::shape("box", e))?))
    }

    /// All points within `radius` of a segment of the length `height` along the axis.
    #[staticmethod]
    #[pyo3(signature = (radius, height, axis = "z"))]
    fn capsule(radius: f64, height: f64, axis: &str) -> PyResult<PyShape> {
        along(axis, "capsule", Shape::capsule(0.5 * height, radius))
    }

    /// The hull of two balls whose centres are `height` apart along the axis.
    #[staticmethod]
    #[pyo3(signature = (radius_bottom, radius_top, height, axis = "z"))]
    fn tapered_capsule(radius_bottom: f64, radius_top: f64, height: f64, axis: &str) -> PyResult<PyShape> {
        let shape = TaperedCapsule::new(0.5 * height, radius_top, radius_bottom).map(Shape::TaperedCapsule);
        along(axis, "tapered_capsule", shape)
    }

    /// A cylinder along the axis.
    #[staticmethod]
    #[pyo3(signature = (radius, height, axis = "z"))]
    fn cylinder(radius: f64, height: f64, axis: &str) -> PyResult<PyShape> {
        along(axis, "cylinder", Shape::cylinder(0.5 * height, radius))
    }

    /// A cone along the axis. Its apex is at + height / 2, its base at - height / 2.
    #[staticmethod]
    #[pyo3(signature = (radius, height, axis = "z"))]
    fn cone(radius: f64, height: f64, axis: &str) -> PyResult<PyShape> {
        along(axis, "cone", Shape::cone(0.5 * height, radius))
    }

    /// An ellipsoid around the origin, from its radii along the axes.
    #[staticmethod]
    fn ellipsoid(radii: &Bound<'_, PyAny>) -> PyResult<PyShape> {
        let radii = array::vector(radii, "radii")?;
        Ok(PyShape::plain(Shape::ellipsoid(radii).map_err(|e| error::shape("ellipsoid", e))?))
    }

    /// All points within `minor_radius` of a circle of the radius `major_radius` around the axis.
    #[staticmethod]
    #[pyo3(signature = (major_radius, minor_radius, axis = "z"))]
    fn torus(major_radius: f64, minor_radius: f64, axis: &str) -> PyResult<PyShape> {
        along(axis, "torus", Shape::torus(major_radius, minor_radius))
    }

    /// All points x with `normal . x <= offset * |normal|`.
    #[staticmethod]
    #[pyo3(signature = (normal, offset = 0.0))]
    fn half_space(normal: &Bound<'_, PyAny>, offset: f64) -> PyResult<PyShape> {
        let normal = array::vector(normal, "normal")?;
        half_space_of(normal, offset)
    }

    /// The convex hull of points of the shape (n, 3).
    #[staticmethod]
    fn hull(points: &Bound<'_, PyAny>) -> PyResult<PyShape> {
        let points = Rows::points(points, "points")?.numbers()?.vectors();
        let hull = ConvexHull::from_points(&points).map_err(|e| error::shape("hull", e))?;
        Ok(PyShape::plain(Shape::Hull(Arc::new(hull))))
    }

    /// The surface of triangles: vertices of the shape (n, 3), and three vertex indices for each of
    /// m faces, counter-clockwise seen from outside.
    ///
    /// With `keep_orientation` the triangles are taken to face outwards as they are. By default
    /// those of a closed mesh are oriented from their neighbours and the volume.
    #[staticmethod]
    #[pyo3(signature = (vertices, faces, keep_orientation = false))]
    fn mesh(
        py: Python<'_>,
        vertices: &Bound<'_, PyAny>,
        faces: &Bound<'_, PyAny>,
        keep_orientation: bool,
    ) -> PyResult<PyShape> {
        let vertices = Rows::points(vertices, "vertices")?.numbers()?.vectors();
        let faces = array::triangles(faces, "faces", vertices.len())?;
        py.detach(|| mesh_of(vertices, faces, keep_orientation))
    }

    /// The surface over a grid of heights along z, of the shape (n_x, n_y). It is centred in x and
    /// y; `spacing` is the distance of neighbours along x and y. It has no inside.
    #[staticmethod]
    fn height_field(heights: &Bound<'_, PyAny>, spacing: (f64, f64)) -> PyResult<PyShape> {
        let heights = array::as_floats(heights, "heights")?.extract::<PyReadonlyArray2<'_, f64>>()?;
        let [n_x, n_y] = [heights.shape()[0], heights.shape()[1]];
        let numbers = heights.as_slice()?;
        // The crate's heights are along y, and its z is the negative y of Python.
        let rows = (0..n_y).rev().flat_map(|j| (0..n_x).map(move |i| numbers[i * n_y + j])).collect();
        let sizes = [n_x, n_y].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        let field = HeightField::new(sizes, [spacing.0, spacing.1], rows);
        let field = field.map_err(|e| error::shape("height_field", e))?;
        let shape = HeightFieldShape::new(field).map_err(|e| error::shape("height_field", e))?;
        Ok(PyShape { frame: frame_of("z")?, ..PyShape::plain(Shape::HeightField(Arc::new(shape))) })
    }

    /// All points within `radius` of n points, (n, 3). A part of an answer is the index of a point.
    #[staticmethod]
    fn point_cloud(py: Python<'_>, points: &Bound<'_, PyAny>, radius: f64) -> PyResult<PyShape> {
        let points = Rows::points(points, "points")?.numbers()?.vectors();
        let shape = py.detach(|| Shape::point_cloud(points, radius));
        Ok(PyShape::plain(shape.map_err(|e| error::shape("point_cloud", e))?))
    }

    /// The occupied cells of a grid: flags of the shape (n_x, n_y, n_z), and the size of a cell,
    /// one number or one for each axis. The grid begins at `origin`. Cells are merged to larger
    /// boxes, which are the parts of answers.
    #[staticmethod]
    #[pyo3(signature = (occupancy, cell, origin = None))]
    fn voxels(
        occupancy: &Bound<'_, PyAny>,
        cell: &Bound<'_, PyAny>,
        origin: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyShape> {
        let flags = occupancy.py().import("numpy")?.call_method1("ascontiguousarray", (occupancy, "bool"));
        let flags = flags.map_err(|e| error::value("occupancy", e))?;
        let Ok(flags) = flags.extract::<PyReadonlyArray3<'_, bool>>() else {
            return Err(error::value("occupancy", "must have the shape (n_x, n_y, n_z)"));
        };
        let n = [flags.shape()[0], flags.shape()[1], flags.shape()[2]];
        let origin = array::vector_or_zero(origin, "origin")?;
        let shape = Shape::voxels(n, flags.as_slice()?, origin, cell_size(cell)?);
        Ok(PyShape::plain(shape.map_err(|e| error::shape("voxels", e))?))
    }

    /// Boxes of whole cells, of the shape (n, 6): the first cell along x, y and z, and the last.
    /// Cell 0 of an axis begins at `origin`.
    #[staticmethod]
    #[pyo3(signature = (boxes, cell, origin = None))]
    fn voxel_boxes(
        boxes: &Bound<'_, PyAny>,
        cell: &Bound<'_, PyAny>,
        origin: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyShape> {
        let rows = Rows::read(boxes, "boxes", 6)?;
        let numbers = rows.numbers()?;
        let n = numbers.n_rows(6);
        let mut made = Vec::with_capacity(n);
        for i in 0..n {
            let mut row = [0_u16; 6];
            for (k, number) in row.iter_mut().enumerate() {
                let value = numbers.at(6 * i + k);
                if !(0.0..=65535.0).contains(&value) || value.fract() != 0.0 {
                    return Err(error::value(
                        "boxes",
                        format!("row {i} has {value}, not a cell from 0 to 65535"),
                    ));
                }
                *number = value as u16;
            }
            let [a, b, c, d, e, f] = row;
            made.push(VoxelBox { first: [a, b, c], last: [d, e, f] });
        }
        let origin = array::vector_or_zero(origin, "origin")?;
        let voxels =
            Voxels::new(origin, cell_size(cell)?, made).map_err(|e| error::shape("voxel_boxes", e))?;
        Ok(PyShape::plain(Shape::Voxels(Arc::new(voxels))))
    }

    /// The occupied cells of an OctoMap file, `.bt`. With `unknown_occupied` the cells that the map
    /// does not know are occupied, too.
    #[staticmethod]
    #[pyo3(signature = (path, unknown_occupied = false))]
    fn octree(path: PathBuf, unknown_occupied: bool) -> PyResult<PyShape> {
        let tree = carom_io::read_octree(&path, unknown_cells(unknown_occupied));
        octree(&tree.map_err(|e| error::shape("octree", e))?)
    }

    /// The same from the bytes behind the header, and the size of the smallest cell.
    #[staticmethod]
    #[pyo3(signature = (data, resolution, unknown_occupied = false))]
    fn octree_data(data: &[u8], resolution: f64, unknown_occupied: bool) -> PyResult<PyShape> {
        let tree = carom_io::parse_octree_data(data, resolution, unknown_cells(unknown_occupied));
        octree(&tree.map_err(|e| error::shape("octree", e))?)
    }

    /// Shapes with fixed relative poses, as one: a list of pairs (shape, pose).
    #[staticmethod]
    fn compound(parts: Vec<(Bound<'_, PyShape>, Bound<'_, PyAny>)>) -> PyResult<PyShape> {
        let mut list = Vec::with_capacity(parts.len());
        for (i, (part, part_pose)) in parts.iter().enumerate() {
            let part = part.get();
            let part_pose = (!part_pose.is_none()).then_some(part_pose);
            let part_pose = part.placed(&pose::pose(part_pose, &format!("parts[{i}]"))?);
            list.push(CompoundPart { shape: part.shape.clone(), pose: part_pose });
        }
        let compound = Compound::new(list).map_err(|e| error::shape("compound", e))?;
        Ok(PyShape::plain(Shape::Compound(Arc::new(compound))))
    }

    /// A convex shape with a radius all around: its edges are rounded, and it grows by the radius.
    #[staticmethod]
    fn rounded(shape: &Bound<'_, PyShape>, radius: f64) -> PyResult<PyShape> {
        let inner = shape.get();
        let core = ConvexShape::new(inner.shape.clone()).map_err(|e| error::shape("rounded", e))?;
        let shape = RoundedShape::new(core, radius).map_err(|e| error::shape("rounded", e))?;
        Ok(PyShape { shape: Shape::Rounded(Arc::new(shape)), ..inner.clone() })
    }

    /// The shape with each coordinate times a factor, one for each axis or one for all. A negative
    /// factor mirrors.
    fn scaled(&self, factors: &Bound<'_, PyAny>) -> PyResult<PyShape> {
        let factors = match factors.extract::<f64>() {
            Ok(factor) => DVec3::splat(factor),
            Err(_) => array::vector(factors, "factors")?,
        };
        if let Shape::HalfSpace(plane) = &self.shape {
            if !factors.is_finite() || factors.min_element() == 0.0 || factors.max_element() == 0.0 {
                return Err(error::shape("scaled", "a factor is 0, NaN or infinite"));
            }
            let offset = self.frame.map_or(0.0, |frame| frame.translation.dot(plane.normal()));
            let normal = plane.normal() / factors;
            return half_space_of(normal, offset / normal.length());
        }
        let factors = match &self.frame {
            None => factors,
            // The frame takes the y of the crate to an axis and another to it, up to signs.
            Some(frame) => {
                let axis = |v: DVec3| (frame.rotation * v).abs().round();
                DVec3::new(
                    axis(DVec3::X).dot(factors),
                    axis(DVec3::Y).dot(factors),
                    axis(DVec3::Z).dot(factors),
                )
            }
        };
        let shape = self.shape.scaled(factors).map_err(|e| error::shape("scaled", e))?;
        Ok(PyShape { shape, ..self.clone() })
    }

    /// The name of the kind of shape, such as "box" or "mesh".
    #[getter]
    fn kind(&self) -> &'static str {
        self.shape.name()
    }

    /// Whether the shape is convex and bounded.
    #[getter]
    fn is_convex(&self) -> bool {
        self.shape.is_convex()
    }

    /// Whether the inside is known: false for open meshes and height fields.
    #[getter]
    fn is_solid(&self) -> bool {
        match &self.shape {
            Shape::Mesh(mesh) => mesh.ambiguity().is_none(),
            Shape::HeightField(_) => false,
            _ => true,
        }
    }

    /// The volume, a length cubed. Infinite for a half-space, 0 for a height field. That of a mesh
    /// is only valid if it is closed.
    #[getter]
    fn volume(&self) -> f64 {
        match &self.shape {
            Shape::HalfSpace(_) => f64::INFINITY,
            shape => shape.mass_properties(1.0).mass,
        }
    }

    /// The number of triangles; 0 if the shape is no mesh.
    #[getter]
    fn n_faces(&self) -> usize {
        match &self.shape {
            Shape::Mesh(mesh) => mesh.mesh().n_triangles(),
            Shape::HeightField(field) => field.mesh().mesh().n_triangles(),
            _ => 0,
        }
    }

    /// The vertices of a mesh or a hull, a new array of the shape (n, 3).
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let vertices = match &self.shape {
            Shape::Mesh(mesh) => mesh.mesh().vertices(),
            Shape::Hull(hull) => hull.vertices(),
            other => return Err(error::shape("vertices", format!("a {} has none", other.name()))),
        };
        array::array_rows(py, vertices.iter().map(|v| v.to_array()).collect())
    }

    /// The triangles of a mesh or a hull, a new array of the shape (m, 3). Flat faces of a hull are
    /// cut into triangles.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let faces = match &self.shape {
            Shape::Mesh(mesh) => mesh.mesh().indices().iter().map(|t| t.map(i64::from)).collect(),
            Shape::Hull(hull) => hull_faces(hull),
            other => return Err(error::shape("faces", format!("a {} has none", other.name()))),
        };
        array::array_rows(py, faces)
    }

    /// The box around the shape at a pose: least and greatest coordinates, an array of the shape
    /// (2, 3). It is rounded outwards to `float32`.
    #[pyo3(signature = (pose = None))]
    fn bounds<'py>(
        &self,
        py: Python<'py>,
        pose: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let aabb = self.shape.aabb(&self.placed(&pose::pose(pose, "pose")?));
        array::array_rows(py, vec![aabb.min.as_dvec3().to_array(), aabb.max.as_dvec3().to_array()])
    }

    /// Mass, centre of mass (3,), and the inertia tensor about it (3, 3), for a density.
    #[pyo3(signature = (density = 1.0))]
    fn mass_properties<'py>(&self, py: Python<'py>, density: f64) -> PyResult<Mass<'py>> {
        if !(0.0 <= density && density.is_finite()) {
            return Err(error::value("density", "must be finite and not negative"));
        }
        let mass = self.shape.mass_properties(density);
        let frame = self.frame.unwrap_or(Pose::IDENTITY);
        let turn = frame.wide().rotation;
        let inertia = turn * mass.inertia * turn.transpose();
        let rows = (0..3).map(|i| inertia.row(i).to_array()).collect();
        let center = array::array3(py, frame.transform_point(mass.center));
        Ok((mass.mass, center, array::array_rows(py, rows)?))
    }

    fn _recipe<'py>(&self, py: Python<'py>) -> PyResult<Recipe<'py>> {
        recipe(py, self)
    }

    fn __repr__(&self) -> String {
        let kind = self.shape.name();
        match &self.shape {
            Shape::Mesh(mesh) => format!("<carom.Shape mesh, {} faces>", mesh.mesh().n_triangles()),
            Shape::Hull(hull) => format!("<carom.Shape hull, {} vertices>", hull.vertices().len()),
            Shape::PointCloud(cloud) => format!("<carom.Shape point cloud, {} points>", cloud.points().len()),
            Shape::Voxels(voxels) => format!("<carom.Shape voxels, {} boxes>", voxels.boxes().len()),
            Shape::Compound(parts) => format!("<carom.Shape compound, {} parts>", parts.parts().len()),
            _ => format!("<carom.Shape {kind}>"),
        }
    }
}

/// Reads the size of a cell: one number, or one for each axis.
fn cell_size(cell: &Bound<'_, PyAny>) -> PyResult<DVec3> {
    match cell.extract::<f64>() {
        Ok(size) => Ok(DVec3::splat(size)),
        Err(_) => array::vector(cell, "cell"),
    }
}

fn unknown_cells(are_occupied: bool) -> UnknownCells {
    if are_occupied { UnknownCells::Occupied } else { UnknownCells::Free }
}

fn octree(tree: &Octree) -> PyResult<PyShape> {
    let boxes = tree.leaves.iter().map(|leaf| VoxelBox { first: leaf.first, last: leaf.last }).collect();
    let (origin, cell) = (DVec3::splat(tree.origin()), DVec3::splat(tree.resolution));
    let voxels = Voxels::new(origin, cell, boxes).map_err(|e| error::shape("octree", e))?;
    Ok(PyShape::plain(Shape::Voxels(Arc::new(voxels))))
}

/// Builds a half-space from the normal and the distance of its plane from the origin.
fn half_space_of(normal: DVec3, offset: f64) -> PyResult<PyShape> {
    if !offset.is_finite() {
        return Err(error::shape("half_space", "the offset is not finite"));
    }
    let shape = Shape::half_space(normal).map_err(|e| error::shape("half_space", e))?;
    let Shape::HalfSpace(plane) = &shape else { return Ok(PyShape::plain(shape)) };
    let frame = (offset != 0.0).then(|| Pose::from_translation(plane.normal() * offset));
    Ok(PyShape { frame, ..PyShape::plain(shape) })
}

/// Builds a mesh.
pub(crate) fn mesh_of(
    vertices: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
    keep_orientation: bool,
) -> PyResult<PyShape> {
    let mesh = TriMesh::new(vertices, faces).map_err(|e| error::shape("mesh", e))?;
    let mesh = MeshShape::new(mesh).map_err(|e| error::shape("mesh", e))?;
    let mesh = if keep_orientation { mesh.with_kept_orientation() } else { mesh };
    Ok(PyShape::plain(Shape::Mesh(Arc::new(mesh))))
}

/// Returns the faces of a hull, each cut into triangles from its first corner.
pub(crate) fn hull_faces(hull: &ConvexHull) -> Vec<[i64; 3]> {
    let faces = (0..hull.n_faces() as u32).map(|face| hull.face_vertices(face));
    let cut = |corners: &[u32]| -> Vec<[i64; 3]> {
        let first = corners[0];
        corners[1..].windows(2).map(|edge| [first, edge[0], edge[1]].map(i64::from)).collect()
    };
    faces.flat_map(cut).collect()
}
