//! The errors that the tolerances of `carom_math::tol` must cover: the largest error of each one's
//! computation.
//!
//! A tolerance that covers rounding is compared with the difference of the computation and a better
//! one: `f32` with its `f64` twin, `f64` with numbers of 106 bits or rationals. A stopping rule is
//! compared with its effect on the answer.
//!
//! Each row tests one random case. The largest result of many cases must stay below the constant.
//! The constant must be in proportion to it, or have a reason.
//!
//! `cargo xtask truth tolerances` tests a million cases, a test of carom-query a few thousand.

mod bodies;
mod features;
mod precise;
pub(crate) mod rounding;
mod sizes;
pub mod twins;

use crate::random::Random;
use carom_math::tol;

/// One test of one constant.
pub struct Row {
    /// The name of the constant.
    pub constant: &'static str,
    /// Its value.
    pub value: f64,
    /// The measured computation, and its reference.
    pub what: &'static str,
    /// One requested case in this many is tested, because some rows are slow.
    pub one_in: u64,
    /// The reason why the constant may exceed [`ROOM`] times the largest result; empty if it may
    /// not.
    pub reason: &'static str,
    /// Returns the least constant that one random case needs.
    pub case: fn(&mut Random) -> f64,
}

/// The factor beyond which a constant needs a reason.
pub const ROOM: f64 = 1000.0;

/// The results of one row.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowResult {
    /// The largest need of a case; infinite if one was NaN.
    pub most: f64,
    /// The number of tested cases.
    pub n_cases: u64,
}

impl RowResult {
    /// Tests more cases.
    pub fn test_cases(&mut self, row: &Row, random: &mut Random, n_cases: u64) {
        for _ in 0..n_cases {
            let need = (row.case)(random);
            self.most = self.most.max(if need.is_nan() { f64::INFINITY } else { need });
        }
        self.n_cases += n_cases;
    }

    /// Adds the results of another.
    pub fn add(&mut self, other: &RowResult) {
        self.most = self.most.max(other.most);
        self.n_cases += other.n_cases;
    }

    /// Whether the constant covers all results.
    pub fn is_covered(&self, row: &Row) -> bool {
        self.most <= row.value
    }

    /// Whether the constant is in proportion to the results, or has a reason.
    pub fn is_in_proportion(&self, row: &Row) -> bool {
        row.value <= ROOM * self.most || !row.reason.is_empty()
    }
}

/// All rows, in the order of the constants.
pub const ROWS: &[Row] = &[
    Row {
        constant: "QUATERNION_LENGTH",
        value: tol::QUATERNION_LENGTH,
        what: "length of a quaternion printed with four digits, less 1",
        one_in: 1,
        reason: "",
        case: rounding::printed_quaternion,
    },
    Row {
        constant: "SAT_TIE",
        value: tol::SAT_TIE,
        what: "difference of two overlaps of boxes along an axis, against 106 bits",
        one_in: 32,
        reason: "",
        case: bodies::box_overlap,
    },
    Row {
        constant: "SAT_TIE",
        value: tol::SAT_TIE,
        what: "depth of boxes above the least overlap of all axes in 106 bits",
        one_in: 32,
        reason: "",
        case: bodies::box_depth,
    },
    Row {
        constant: "WITNESS_KEPT",
        value: tol::WITNESS_KEPT,
        what: "deepest clipped contact of f32 boxes against their depth",
        one_in: 16,
        reason: "",
        case: bodies::clipped_depth,
    },
    Row {
        constant: "WITNESS_KEPT_F64",
        value: tol::WITNESS_KEPT_F64,
        what: "deepest clipped contact of f64 boxes against their depth",
        one_in: 16,
        reason: "",
        case: bodies::clipped_depth_f64,
    },
    Row {
        constant: "OVER_EACH_OTHER",
        value: tol::OVER_EACH_OTHER,
        what: "sine between an f32 normal and the way between the closest points of boxes",
        one_in: 16,
        reason: "",
        case: bodies::normal_of_edges,
    },
    Row {
        constant: "CLIP_ON_PLANE",
        value: tol::CLIP_ON_PLANE,
        what: "height of a placed corner of a box above a plane, against 106 bits",
        one_in: 1,
        reason: "",
        case: rounding::corner_height,
    },
    Row {
        constant: "CLIP_ON_PLANE",
        value: tol::CLIP_ON_PLANE,
        what: "height of a corner cut at a plane above it",
        one_in: 1,
        reason: "",
        case: rounding::cut_height,
    },
    Row {
        constant: "PLAIN_SINE_SQ",
        value: tol::PLAIN_SINE_SQ,
        what: "closest points of segments displaced by less than 1e-11, against 106 bits",
        one_in: 1,
        reason: "",
        case: features::plain_angle,
    },
    Row {
        constant: "PLAIN_DISTANCE_SQ",
        value: tol::PLAIN_DISTANCE_SQ,
        what: "distance of segments that displaced points change by less than 1e-16",
        one_in: 1,
        reason: "it follows from the 1e-11 that PLAIN_SINE_SQ leaves, not from what was seen: (1e-22 / 2e-16)^2 is 2.5e-13",
        case: features::plain_distance,
    },
    Row {
        constant: "CLOSEST_POINTS_ERROR",
        value: tol::CLOSEST_POINTS_ERROR,
        what: "distance of triangles, segments and points, against rationals",
        one_in: 64,
        reason: "",
        case: features::triangle_distance,
    },
    Row {
        constant: "GJK_DISTANCE",
        value: tol::GJK_DISTANCE,
        what: "distance of curved shapes, against a search that goes on",
        one_in: 64,
        reason: "",
        case: bodies::curved_distance,
    },
    Row {
        constant: "GJK_DISTANCE",
        value: tol::GJK_DISTANCE,
        what: "distance of boxes, needles and plates too, as a part of their reach, against 106 bits",
        one_in: 32,
        reason: "",
        case: bodies::box_distance,
    },
    Row {
        constant: "GJK_TOUCHING",
        value: tol::GJK_TOUCHING,
        what: "signed distance of boxes that nearly touch, against 106 bits",
        one_in: 32,
        reason: "",
        case: bodies::box_distance_near_touching,
    },
    Row {
        constant: "GJK_TOUCHING",
        value: tol::GJK_TOUCHING,
        what: "distance in 106 bits of boxes that are said to touch",
        one_in: 32,
        reason: "",
        case: bodies::box_touching,
    },
    Row {
        constant: "GJK_ROUNDING",
        value: tol::GJK_ROUNDING,
        what: "height of a point of the Minkowski difference, against 106 bits",
        one_in: 1,
        reason: "",
        case: rounding::minkowski_height,
    },
    Row {
        constant: "EPA_DEPTH",
        value: tol::EPA_DEPTH,
        what: "depth of curved shapes, against a search that goes on",
        one_in: 256,
        reason: "",
        case: bodies::curved_depth,
    },
    Row {
        constant: "EPA_FLAT",
        value: tol::EPA_FLAT,
        what: "thickness of the Minkowski difference of plates in one plane",
        one_in: 1,
        reason: "",
        case: rounding::flat_thickness,
    },
    Row {
        constant: "EPA_THIN",
        value: tol::EPA_THIN,
        what: "depth of boxes thinner than it, or a little thicker, against 106 bits",
        one_in: 64,
        reason: "it chooses the start of the search, and the answer is as good either way",
        case: bodies::thin_depth,
    },
    Row {
        constant: "HULL_COPLANAR",
        value: tol::HULL_COPLANAR,
        what: "corner of a face of a turned box off the plane of three others, turned in f64, rounded to f32",
        one_in: 1,
        reason: "",
        case: rounding::rounded_box,
    },
    Row {
        constant: "HULL_COPLANAR",
        value: tol::HULL_COPLANAR,
        what: "the same, turned in f32",
        one_in: 1,
        reason: "",
        case: rounding::box_turned_in_f32,
    },
    Row {
        constant: "CUT_ROUNDING",
        value: tol::CUT_ROUNDING,
        what: "corner of a triangle cut by twenty planes in turn off the triangle",
        one_in: 16,
        reason: "",
        case: features::cut_corner,
    },
    Row {
        constant: "COLLAPSE_MARGIN",
        value: tol::COLLAPSE_MARGIN,
        what: "point rounded to f32, along a normal",
        one_in: 1,
        reason: "",
        case: rounding::rounded_point,
    },
    Row {
        constant: "SURFACE_TOUCHES",
        value: tol::SURFACE_TOUCHES,
        what: "corner of a polygon cut at the side of a prism off that side",
        one_in: 1,
        reason: "",
        case: features::prism_side,
    },
    Row {
        constant: "RAY_REACHES",
        value: tol::RAY_REACHES,
        what: "ray at a rounded capsule by steps, against the capsule by roots, across the surface",
        one_in: 64,
        reason: "",
        case: bodies::cast_by_steps,
    },
    Row {
        constant: "RAY_PARAMETER_CONDITION",
        value: tol::RAY_PARAMETER_CONDITION,
        what: "parameter of a ray on a sliver, in 1e-15 of its distance, against exact numbers",
        one_in: 4,
        reason: "",
        case: features::ray_parameter,
    },
    Row {
        constant: "MATRIX_RIGIDITY",
        value: tol::MATRIX_RIGIDITY,
        what: "rotation printed with six digits: R^T R - 1",
        one_in: 1,
        reason: "",
        case: rounding::printed_matrix,
    },
    Row {
        constant: "BALL_HOLDS",
        value: tol::BALL_HOLDS,
        what: "square of the radius of a ball through four points, at one of them",
        one_in: 1,
        reason: "",
        case: sizes::ball_through_points,
    },
    Row {
        constant: "INERTIA_ROUND",
        value: tol::INERTIA_ROUND as f64,
        what: "inverse inertia of a turned cube with corners in f32, off that of a ball",
        one_in: 16,
        reason: "",
        case: sizes::cube_inertia,
    },
    Row {
        constant: "AXIS_LENGTH",
        value: tol::AXIS_LENGTH as f64,
        what: "squared length of an axis printed with four digits, less 1",
        one_in: 1,
        reason: "",
        case: rounding::printed_axis,
    },
    Row {
        constant: "POLYGON_FLAT",
        value: tol::POLYGON_FLAT,
        what: "corner of a turned polygon, rounded to f32, off the plane of its area",
        one_in: 4,
        reason: "",
        case: rounding::turned_polygon,
    },
    Row {
        constant: "BSP_ROOM",
        value: tol::BSP_ROOM,
        what: "cone between planes meant to be one or to meet in one line, of faces from f32, a hundredth of the level in size",
        one_in: 1,
        reason: "",
        case: features::sliver_of_planes,
    },
];
