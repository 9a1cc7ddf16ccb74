//! Shapes and bodies of the corpus, and their values after a library has rounded its input.

use carom_math::WidePose;
use carom_math::f64::{Pose, Quat};
use glam::{DMat3, DQuat, DVec3};
use serde::Deserialize;

/// A shape, with lengths in any unit. Round shapes stand along y, centred at the origin of their
/// frame.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// Radius.
    Sphere(f64),
    /// Half the length of the segment, and the radius.
    Capsule(f64, f64),
    /// Half extents.
    Cuboid([f64; 3]),
    /// Half the height, and the radius.
    Cylinder(f64, f64),
    /// Points, of which some may lie inside.
    Hull(Vec<[f64; 3]>),
    /// A surface.
    Mesh(Mesh),
}

/// Vertices and triangles. The triangles of a closed mesh face outwards.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mesh {
    /// Positions.
    pub vertices: Vec<[f64; 3]>,
    /// Vertex indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// A shape with its pose.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The shape in its own frame.
    pub shape: Shape,
    /// The position of the frame.
    #[serde(default)]
    pub at: [f64; 3],
    /// The rotation of the frame: a quaternion x, y, z, w of any length.
    #[serde(default)]
    pub turn: Option<[f64; 4]>,
    /// The rotation of the frame, as the rows of a matrix; for threads that print one.
    #[serde(default)]
    pub rows: Option<[[f64; 3]; 3]>,
    /// Whether round shapes stand along z in the thread. Then the shape is turned from y to z
    /// first.
    #[serde(default)]
    pub is_z_up: bool,
}

/// The precision in which a library stores its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `f32`.
    Single,
    /// `f64`.
    Double,
}

/// Returns a vector of three numbers.
pub fn point(p: [f64; 3]) -> DVec3 {
    DVec3::from_array(p)
}

impl Precision {
    /// Returns the number as it is stored.
    pub fn round(self, x: f64) -> f64 {
        match self {
            Precision::Single => f64::from(x as f32),
            Precision::Double => x,
        }
    }

    /// Returns the point as it is stored.
    pub fn point(self, p: [f64; 3]) -> DVec3 {
        DVec3::from_array(p.map(|x| self.round(x)))
    }
}

impl Mesh {
    /// Returns the corners of every triangle as they are stored.
    pub fn corners(&self, precision: Precision) -> Vec<[DVec3; 3]> {
        self.triangles.iter().map(|t| t.map(|v| precision.point(self.vertices[v as usize]))).collect()
    }
}

impl Body {
    /// Returns a body whose frame is that of the world.
    pub fn new(shape: Shape) -> Body {
        Body { shape, at: [0.0; 3], turn: None, rows: None, is_z_up: false }
    }

    /// Sets the position.
    #[must_use]
    pub fn at(mut self, at: DVec3) -> Body {
        self.at = at.to_array();
        self
    }

    /// Sets the rotation.
    #[must_use]
    pub fn turned(mut self, turn: DQuat) -> Body {
        self.turn = Some(turn.to_array());
        self
    }

    /// Returns the rotation as a unit quaternion, not yet rounded.
    pub fn rotation(&self) -> DQuat {
        let rotation = match (self.turn, self.rows) {
            (Some(turn), _) => DQuat::from_array(turn),
            (None, Some(rows)) => DQuat::from_mat3(&DMat3::from_cols_array_2d(&rows).transpose()),
            (None, None) => DQuat::IDENTITY,
        };
        // A quaternion of length 1 is not normalized again, so that the simplest ones keep their
        // numbers.
        let rotation = if rotation.length_squared() == 1.0 { rotation } else { rotation.normalize() };
        let up =
            if self.is_z_up { DQuat::from_rotation_x(core::f64::consts::FRAC_PI_2) } else { DQuat::IDENTITY };
        if self.is_z_up { (rotation * up).normalize() } else { rotation }
    }

    /// Returns the pose as it is stored.
    pub fn pose(&self, precision: Precision) -> Pose {
        let q = self.rotation().to_array().map(|x| precision.round(x));
        Pose::new(Quat::from_array(q), precision.point(self.at))
    }

    /// Returns the stored pose with a matrix in `f64`: the rounding of the quaternion does not
    /// deform the shape.
    pub fn wide(&self, precision: Precision) -> WidePose {
        self.pose(precision).wide()
    }
}
