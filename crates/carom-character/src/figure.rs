//! The shape of a character: a capsule, a cylinder, a box or an ellipsoid that stands upright and
//! does not turn.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5, eq. 25.8 to 25.10 (the
//! reach of a body along a normal).

use carom_geom::f64::{Capsule, Cuboid, Cylinder, Ellipsoid};
use carom_geom::{ShapeError, SupportMap, SupportPoint};
use carom_math::f64::rotation;
use carom_math::{ops, scaling};
use glam::{DMat3, DVec3};

/// The geometry of a figure, in its own frame: along y, with its middle at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Form {
    /// A segment along y with a radius all around.
    Capsule(Capsule),
    /// A cylinder along y.
    Cylinder(Cylinder),
    /// A box.
    Cuboid(Cuboid),
    /// An ellipsoid.
    Ellipsoid(Ellipsoid),
}

/// An upright shape. Its position is that of its middle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "StoredFigure", into = "StoredFigure"))]
pub struct Figure {
    form: Form,
    /// From the frame of the form to the world.
    rotation: DMat3,
    up: DVec3,
}

/// A figure as it is stored.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct StoredFigure {
    form: Form,
    #[serde(deserialize_with = "crate::stored::unit")]
    up: DVec3,
}

#[cfg(feature = "serde")]
impl From<StoredFigure> for Figure {
    fn from(StoredFigure { form, up }: StoredFigure) -> Figure {
        Figure::of(form, up)
    }
}

#[cfg(feature = "serde")]
impl From<Figure> for StoredFigure {
    fn from(Figure { form, up, .. }: Figure) -> StoredFigure {
        StoredFigure { form, up }
    }
}

impl Figure {
    /// Returns a capsule of this height, caps included, and radius. If it is not higher than wide,
    /// it is a ball. Both are lengths, finite and not negative.
    ///
    /// Errors: a number out of its range, by name.
    pub fn capsule(height: f64, radius: f64) -> Result<Figure, ShapeError> {
        let straight = 0.5 * height - radius;
        // A NaN stays, and is refused below.
        let straight = if straight < 0.0 { 0.0 } else { straight };
        Ok(Figure::of(Form::Capsule(Capsule::new(straight, radius)?), DVec3::Y))
    }

    /// Returns a cylinder of this height and radius, lengths that are finite and not negative.
    ///
    /// Errors: a number out of its range, by name.
    pub fn cylinder(height: f64, radius: f64) -> Result<Figure, ShapeError> {
        Ok(Figure::of(Form::Cylinder(Cylinder::new(0.5 * height, radius)?), DVec3::Y))
    }

    /// Returns a box with these edge lengths, finite and not negative.
    ///
    /// Errors: a number out of its range, by name.
    pub fn cuboid(size: DVec3) -> Result<Figure, ShapeError> {
        Ok(Figure::of(Form::Cuboid(Cuboid::new(size * 0.5)?), DVec3::Y))
    }

    /// Returns an ellipsoid of this height, as wide as twice the radius. Both are lengths, finite
    /// and not negative.
    ///
    /// Errors: a number out of its range, by name.
    pub fn ellipsoid(height: f64, radius: f64) -> Result<Figure, ShapeError> {
        Ok(Figure::of(Form::Ellipsoid(Ellipsoid::new(DVec3::new(radius, 0.5 * height, radius))?), DVec3::Y))
    }

    /// `up` is a unit vector.
    fn of(form: Form, up: DVec3) -> Figure {
        Figure { form, rotation: DMat3::from_quat(rotation::arc(DVec3::Y, up)), up }
    }

    /// Returns the same shape with another up direction, by the shortest rotation from y.
    /// Unchanged for a vector without direction.
    #[must_use]
    pub fn with_up(self, up: DVec3) -> Figure {
        match scaling::unit(up) {
            Some(up) => Figure::of(self.form, up),
            None => self,
        }
    }

    /// Returns the shape.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// Returns the up direction, a unit vector.
    pub fn up(&self) -> DVec3 {
        self.up
    }

    /// Returns the rotation from the frame of the shape to the world.
    pub fn rotation(&self) -> &DMat3 {
        &self.rotation
    }

    /// Returns its extent from its middle along a unit vector of the world.
    #[inline]
    pub fn reach(&self, normal: DVec3) -> f64 {
        let n = self.rotation.transpose() * normal;
        let across = || ops::sqrt(n.x * n.x + n.z * n.z);
        match &self.form {
            Form::Capsule(s) => s.half_height() * n.y.abs() + s.radius(),
            Form::Cylinder(s) => s.half_height() * n.y.abs() + s.radius() * across(),
            Form::Cuboid(s) => s.half_extents().dot(n.abs()),
            Form::Ellipsoid(s) => (s.radii() * n).length(),
        }
    }

    /// Returns the point of the surface that is farthest along a unit vector of the world,
    /// relative to the middle.
    pub fn farthest(&self, normal: DVec3) -> DVec3 {
        self.rotation * self.support(self.rotation.transpose() * normal).point + normal * self.margin()
    }

    /// Returns the distance from its middle to the ground that it stands on.
    pub fn stature(&self) -> f64 {
        self.reach(-self.up)
    }

    /// Returns half of its least width, a length.
    pub fn half_width(&self) -> f64 {
        match &self.form {
            Form::Capsule(s) => s.radius(),
            Form::Cylinder(s) => s.radius(),
            Form::Cuboid(s) => s.half_extents().x.min(s.half_extents().z),
            Form::Ellipsoid(s) => s.radii().x.min(s.radii().z),
        }
    }

    /// Whether it lies within another figure that stands at the same place. False if the forms
    /// differ, and for ellipsoids: a lower one may be wider near the ground.
    pub(crate) fn lies_within(&self, other: &Figure) -> bool {
        let is_lower = self.up == other.up && self.stature() <= other.stature();
        is_lower
            && match (&self.form, &other.form) {
                (Form::Capsule(own), Form::Capsule(other)) => own.radius() <= other.radius(),
                (Form::Cylinder(own), Form::Cylinder(other)) => own.radius() <= other.radius(),
                (Form::Cuboid(own), Form::Cuboid(other)) => {
                    own.half_extents().cmple(other.half_extents()).all()
                }
                _ => false,
            }
    }

    /// Returns the minimum and maximum of the swept box of the figure from `from` to
    /// `from + displacement`.
    #[cfg(feature = "query")]
    pub(crate) fn swept_box(&self, from: DVec3, displacement: DVec3) -> (DVec3, DVec3) {
        let reach = DVec3::new(self.reach(DVec3::X), self.reach(DVec3::Y), self.reach(DVec3::Z));
        let end = from + displacement;
        (from.min(end) - reach, from.max(end) + reach)
    }

    /// Returns the shape as a support map, in its own frame.
    fn map(&self) -> &dyn SupportMap {
        match &self.form {
            Form::Capsule(s) => s,
            Form::Cylinder(s) => s,
            Form::Cuboid(s) => s,
            Form::Ellipsoid(s) => s,
        }
    }
}

impl SupportMap for Figure {
    fn support(&self, direction: DVec3) -> SupportPoint {
        self.map().support(direction)
    }

    fn vertex(&self, number: u32) -> Option<DVec3> {
        self.map().vertex(number)
    }

    fn center(&self) -> DVec3 {
        self.map().center()
    }

    fn radius(&self) -> f64 {
        self.map().radius()
    }

    fn margin(&self) -> f64 {
        self.map().margin()
    }
}

#[cfg(feature = "bsp")]
impl carom_bsp::Body for Figure {
    #[inline]
    fn reach(&self, normal: DVec3) -> f64 {
        Figure::reach(self, normal)
    }
}
