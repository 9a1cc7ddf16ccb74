//! The corpus of public failures: questions that users of collision libraries published because an
//! answer was wrong, with the exact answers, as data.
//!
//! Each family has one JSON file beside this one. `generated` adds the families whose threads
//! describe inputs without listing them, from stated seeds. [`entries`] returns all, and [`judge`]
//! judges an answer. With the feature `query`, [`carom`] answers. Facts and inputs are those of the
//! named threads. Threads are written `repository#number`, tests of a repository `repository path`.

#[cfg(feature = "query")]
pub mod carom;
mod exact;
mod generated;
mod judge;
mod shape;

pub use exact::{ExactAnswer, exact_answer, size};
pub use judge::{Answer, HullAnswer, PairAnswer, PointAnswer, RayAnswer, judge};
pub use shape::{Body, Mesh, Precision, Shape, point};

use serde::Deserialize;

/// One row of the table: a published failure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The source: `repository#number`, several with commas, or a repository and the path of a
    /// test.
    pub thread: String,
    /// The query, and what went wrong.
    pub what: String,
    /// The method that gave the exact answer.
    pub by: String,
    /// The cases; more than one if the thread has more, or if a seed made them.
    pub cases: Vec<Case>,
    /// The name of its file; not a field of the file.
    #[serde(skip)]
    pub family: &'static str,
}

/// A query with its exact answer. All numbers are meant as `f64`.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum Case {
    /// The distance or depth of two bodies.
    Pair {
        /// The first body.
        a: Body,
        /// The second body.
        b: Body,
        /// Distance, or minus the depth; 0 is touching.
        distance: f64,
        /// From A to B, if it is unique and the thread is about it.
        #[serde(default)]
        normal: Option<[f64; 3]>,
    },
    /// The intersection and distance of two triangles, for any order of their corners.
    Triangles {
        /// Corners.
        a: [[f64; 3]; 3],
        /// Corners.
        b: [[f64; 3]; 3],
        /// Whether they share a point; touching counts.
        meets: bool,
        /// The distance; 0 if they meet.
        distance: f64,
    },
    /// The first hit of a ray on a surface, from outside or inside.
    Ray {
        /// The body of the queried surface.
        on: Body,
        /// The start of the ray, at t = 0.
        origin: [f64; 3],
        /// The direction, of any length; t is in this length.
        direction: [f64; 3],
        /// `None` if the ray misses.
        t: Option<f64>,
    },
    /// The distance of a point from a surface.
    Point {
        /// The body of the queried surface.
        on: Body,
        /// The point, in the world.
        point: [f64; 3],
        /// Negative inside; only a closed mesh has an inside.
        distance: f64,
    },
    /// The convex hull of points.
    Hull {
        /// The points, in any order; duplicates are allowed.
        points: Vec<[f64; 3]>,
        /// The number of corners, if the thread is about it; 0 without a volume, which the library
        /// must report.
        corners: Option<usize>,
        /// The number of flat sides, likewise.
        faces: Option<usize>,
    },
    /// The pairs of boxes that touch after some steps.
    Boxes {
        /// The steps, in order.
        steps: Vec<Step>,
        /// The number of touching pairs.
        n_pairs: usize,
    },
}

/// A change of a set of boxes. Boxes have indices in the order of their insertion, refused ones
/// included.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// The minimum and maximum corner; null is NaN. A library may refuse an invalid box, which then
    /// takes part in nothing.
    Insert([[Option<f64>; 3]; 2]),
    /// Another box for an index. An invalid box is refused, or ignored from then on.
    Move(usize, [[Option<f64>; 3]; 2]),
    /// The index of the box.
    Remove(usize),
    /// Queries the pairs, and ignores the answer.
    #[serde(rename = "ask")]
    Query,
}

const FILES: [(&str, &str); 9] = [
    ("rays", include_str!("rays.json")),
    ("casts at a moment", include_str!("casts.json")),
    ("touching boxes", include_str!("touching.json")),
    ("distance", include_str!("gjk.json")),
    ("depth", include_str!("epa.json")),
    ("hulls", include_str!("hulls.json")),
    ("triangles and meshes", include_str!("meshes.json")),
    ("boxes and trees", include_str!("trees.json")),
    ("points and segments", include_str!("closest.json")),
];

/// Returns the whole corpus, family by family.
pub fn entries() -> Vec<Entry> {
    let mut all = Vec::new();
    for (family, text) in FILES {
        let read: Vec<Entry> = serde_json::from_str(text).unwrap_or_else(|error| panic!("{family}: {error}"));
        all.extend(read.into_iter().map(|entry| Entry { family, ..entry }));
        all.extend(generated::entries().into_iter().filter(|entry| entry.family == family));
    }
    all
}
