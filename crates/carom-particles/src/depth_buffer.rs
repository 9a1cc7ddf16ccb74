//! The depth buffer of a camera: for each pixel the depth of the nearest surface, and its normal.
//!
//! The buffer is drawn from triangles, or filled with a renderer's depths. These have no normals,
//! so normals are estimated from neighbouring pixels. Across the edge of an object, the difference
//! of depths does not describe its surface. So on each axis the smaller of the two differences is
//! used.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.10.1 (particles against the
//! depth buffer).

use crate::camera::Camera;
use crate::{ParticleError, raster};
use alloc::vec::Vec;
use carom_math::Pose;
use carom_math::scaling::unit;
use glam::{DVec2, DVec3, Vec3};

/// The maximum number of pixels along a side of a buffer.
pub const MAX_SIDE: u32 = 16_384;

/// The normals of the caller may differ from unit length by this fraction.
const NORMAL_TOLERANCE: f32 = 0.01;

/// Depths and normals of the nearest surfaces that a camera sees.
#[derive(Clone, Debug)]
pub struct DepthBuffer {
    pub(crate) camera: Camera,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Row by row from the top; infinite where nothing is seen.
    pub(crate) depths: Vec<f32>,
    /// In the world, toward the camera; zero where nothing is seen.
    pub(crate) normals: Vec<Vec3>,
}

impl DepthBuffer {
    /// Returns an empty buffer of `width` by `height` pixels.
    ///
    /// # Errors
    /// If a side is not from 1 to [`MAX_SIDE`].
    pub fn new(camera: Camera, width: u32, height: u32) -> Result<DepthBuffer, ParticleError> {
        let n = count(width, height)?;
        let (depths, normals) = (alloc::vec![f32::INFINITY; n], alloc::vec![Vec3::ZERO; n]);
        Ok(DepthBuffer { camera, width, height, depths, normals })
    }

    /// Clears the buffer, and moves the camera. Keeps the memory.
    pub fn clear(&mut self, camera: Camera) {
        self.camera = camera;
        self.depths.fill(f32::INFINITY);
        self.normals.fill(Vec3::ZERO);
    }

    /// Draws triangles, placed by `pose` in the world. The nearest surface wins; of two at the same
    /// depth, the first.
    ///
    /// A pixel is covered if the ray through its middle meets the triangle, edges included: no ray
    /// passes between two triangles that share an edge (test:
    /// `drawing::no_ray_passes_between_triangles`). Both sides are drawn.
    ///
    /// # Errors
    /// If a vertex is not finite, a triangle names a vertex that does not exist, or the pose is not
    /// finite. Then nothing is drawn.
    pub fn draw(
        &mut self,
        vertices: &[Vec3],
        triangles: &[[u32; 3]],
        pose: &Pose,
    ) -> Result<(), ParticleError> {
        if !pose.is_finite() {
            return Err(ParticleError::BadPose);
        }
        if let Some(vertex) = vertices.iter().position(|v| !v.is_finite()) {
            return Err(ParticleError::BadVertex { vertex });
        }
        if let Some(triangle) = triangles.iter().position(|t| t.iter().any(|&v| vertices.len() <= v as usize))
        {
            return Err(ParticleError::NoSuchVertex { triangle });
        }
        let to_camera = pose.wide().relative_to(&self.camera.pose);
        for t in triangles {
            let corners = t.map(|v| to_camera.transform_point(vertices[v as usize].as_dvec3()));
            raster::draw(self, &corners);
        }
        Ok(())
    }

    /// Sets the depths that a renderer has drawn, row by row from the top: linear, along the
    /// direction of view, infinite in empty pixels. Depths out of the camera's range count as
    /// empty. Normals are estimated.
    ///
    /// # Errors
    /// If the number of depths is not that of the pixels, or one is NaN. Nothing changes then.
    pub fn set_depths(&mut self, depths: &[f32]) -> Result<(), ParticleError> {
        self.check_depths(depths)?;
        self.take_depths(depths);
        for y in 0..self.height {
            for x in 0..self.width {
                let (pixel, normal) = (self.pixel(x, y), self.estimated_normal(x, y).as_vec3());
                self.normals[pixel] = normal;
            }
        }
        Ok(())
    }

    /// Sets depths and normals that a renderer has drawn, as [`DepthBuffer::set_depths`]. Normals
    /// are unit vectors in the world. Those that point away from the camera are flipped.
    ///
    /// # Errors
    /// Those of [`DepthBuffer::set_depths`]; a different number of normals; a normal that is not a
    /// unit vector in a pixel with a surface.
    pub fn set_depths_and_normals(&mut self, depths: &[f32], normals: &[Vec3]) -> Result<(), ParticleError> {
        self.check_depths(depths)?;
        if normals.len() != depths.len() {
            return Err(ParticleError::WrongCount { expected: depths.len(), given: normals.len() });
        }
        let is_bad = |(depth, normal): (&f32, &Vec3)| {
            let is_unit = (normal.length_squared() - 1.0).abs() <= 2.0 * NORMAL_TOLERANCE;
            self.is_in_range(*depth) && !is_unit
        };
        if let Some(pixel) = depths.iter().zip(normals).position(is_bad) {
            return Err(ParticleError::BadNormal { pixel });
        }
        self.take_depths(depths);
        for y in 0..self.height {
            for x in 0..self.width {
                let pixel = self.pixel(x, y);
                let (_, direction) = self.camera.ray(self.middle(x, y));
                let normal = self.camera.pose.inverse_transform_vector(normals[pixel].as_dvec3());
                let is_away = 0.0 < normal.dot(direction);
                let is_seen = self.depths[pixel] < f32::INFINITY;
                let facing = if is_away { -normals[pixel] } else { normals[pixel] };
                self.normals[pixel] = if is_seen { facing } else { Vec3::ZERO };
            }
        }
        Ok(())
    }

    /// Returns the number of columns.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the number of rows.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the camera.
    pub fn camera(&self) -> &Camera {
        &self.camera
    }

    /// Returns the depths row by row from the top, in units of length; infinite in empty pixels.
    pub fn depths(&self) -> &[f32] {
        &self.depths
    }

    /// Returns the normals row by row from the top: unit vectors in the world toward the camera;
    /// zero in empty pixels.
    pub fn normals(&self) -> &[Vec3] {
        &self.normals
    }

    /// Returns the visible point at the centre of a pixel, in the world; `None` in an empty pixel.
    /// Columns begin on the left, rows at the top.
    pub fn surface(&self, column: u32, row: u32) -> Option<Vec3> {
        if self.width <= column || self.height <= row {
            return None;
        }
        let point = self.visible_point(column, row)?;
        Some(self.camera.pose.transform_point(point).as_vec3())
    }

    fn check_depths(&self, depths: &[f32]) -> Result<(), ParticleError> {
        if depths.len() != self.depths.len() {
            return Err(ParticleError::WrongCount { expected: self.depths.len(), given: depths.len() });
        }
        match depths.iter().position(|depth| depth.is_nan()) {
            Some(pixel) => Err(ParticleError::BadDepth { pixel }),
            None => Ok(()),
        }
    }

    fn take_depths(&mut self, depths: &[f32]) {
        for pixel in 0..depths.len() {
            self.depths[pixel] = if self.is_in_range(depths[pixel]) { depths[pixel] } else { f32::INFINITY };
        }
    }

    pub(crate) fn is_in_range(&self, depth: f32) -> bool {
        self.camera.near <= depth && depth <= self.camera.far
    }

    pub(crate) fn pixel(&self, column: u32, row: u32) -> usize {
        row as usize * self.width as usize + column as usize
    }

    /// Returns the picture coordinates of the centre of a pixel, see [`Camera::ray`].
    pub(crate) fn middle(&self, column: u32, row: u32) -> DVec2 {
        DVec2::new(
            (2.0 * f64::from(column) + 1.0) / f64::from(self.width) - 1.0,
            1.0 - (2.0 * f64::from(row) + 1.0) / f64::from(self.height),
        )
    }

    /// Returns the visible point at the centre of a pixel, in the camera's frame.
    fn visible_point(&self, column: u32, row: u32) -> Option<DVec3> {
        let depth = self.depths[self.pixel(column, row)];
        let (origin, direction) = self.camera.ray(self.middle(column, row));
        (depth < f32::INFINITY).then(|| origin + direction * f64::from(depth))
    }

    /// Estimates the normal of the surface in a pixel from the depths around it: in the world,
    /// toward the camera. Zero in an empty pixel.
    fn estimated_normal(&self, column: u32, row: u32) -> DVec3 {
        let Some(here) = self.visible_point(column, row) else { return DVec3::ZERO };
        let (_, direction) = self.camera.ray(self.middle(column, row));
        // Along the row to the right, and along the column upwards.
        let right =
            self.difference(here, [(column.checked_sub(1), Some(row)), (column.checked_add(1), Some(row))]);
        let up =
            self.difference(here, [(Some(column), row.checked_add(1)), (Some(column), row.checked_sub(1))]);
        let normal = match (right, up) {
            (Some(right), Some(up)) => unit(right.cross(up)),
            _ => None,
        };
        let normal = normal.unwrap_or(DVec3::Z);
        let facing = if 0.0 < normal.dot(direction) { -normal } else { normal };
        self.camera.pose.transform_vector(facing)
    }

    /// Returns the vector from the previous pixel to `here`, or from `here` to the next pixel. The
    /// one with the smaller difference of depths is used.
    fn difference(&self, here: DVec3, sides: [(Option<u32>, Option<u32>); 2]) -> Option<DVec3> {
        let [before, behind] = sides.map(|(column, row)| {
            let (column, row) = (column?, row?);
            if self.width <= column || self.height <= row {
                return None;
            }
            self.visible_point(column, row)
        });
        match (before.map(|p| here - p), behind.map(|p| p - here)) {
            (Some(p), Some(q)) => Some(if q.z.abs() < p.z.abs() { q } else { p }),
            (one, other) => one.or(other),
        }
    }
}

/// Returns the number of pixels, if both sides are in range.
fn count(width: u32, height: u32) -> Result<usize, ParticleError> {
    let is_side = |side: u32| 1 <= side && side <= MAX_SIDE;
    if is_side(width) && is_side(height) {
        Ok(width as usize * height as usize)
    } else {
        Err(ParticleError::BadSize { width, height })
    }
}
