//! The corpus of public failures: questions that users of collision libraries published because an
//! answer was wrong, with the exact answers, as data.
//!
//! One JSON file per family beside this one; `generated` adds the families whose threads describe
//! inputs without listing them, from stated seeds. [`entries`] gives all, [`judge`] says whether an
//! answer is right, and, with the feature `query`, [`carom`] answers. Facts and inputs are those of
//! the threads named; threads are written `repository#number`, tests of a repository `repository
//! path`.

#[cfg(feature = "query")]
pub mod carom;
mod exact;
mod generated;
mod judge;
mod shape;

pub use exact::{Exactly, exactly, size};
pub use judge::{Answer, HullAnswer, PairAnswer, PointAnswer, RayAnswer, judge};
pub use shape::{Body, Mesh, Precision, Shape, point};

use serde::Deserialize;

/// One row of the table: a published failure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Where it was published: `repository#number`, several with commas, or a repository and the
    /// path of a test.
    pub thread: String,
    /// What was asked, and what went wrong.
    pub what: String,
    /// How the exact answer was obtained.
    pub by: String,
    /// The questions; more than one where the thread has more, or where a seed made them.
    pub cases: Vec<Case>,
    /// The file that it stands in; not in the file.
    #[serde(skip)]
    pub family: &'static str,
}

/// A question with its exact answer. All numbers are meant as `f64`.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum Case {
    /// How far apart, or how deep, are two bodies?
    Pair {
        /// The first body.
        a: Body,
        /// The second body.
        b: Body,
        /// Distance, or minus the depth; 0 is touching.
        distance: f64,
        /// From A to B, where it is unique and the thread is about it.
        #[serde(default)]
        normal: Option<[f64; 3]>,
    },
    /// Do two triangles share a point, in whatever order their corners are given? How far apart are
    /// they?
    Triangles {
        /// Corners.
        a: [[f64; 3]; 3],
        /// Corners.
        b: [[f64; 3]; 3],
        /// Touching counts.
        meets: bool,
        /// 0 where they meet.
        distance: f64,
    },
    /// Where does a ray first meet a surface, from outside or inside?
    Ray {
        /// Its surface is asked about.
        on: Body,
        /// Where t is 0.
        origin: [f64; 3],
        /// Any length; t counts in it.
        direction: [f64; 3],
        /// `None` where the ray misses.
        t: Option<f64>,
    },
    /// How far is a point from a surface?
    Point {
        /// Its surface is asked about.
        on: Body,
        /// In the world.
        point: [f64; 3],
        /// Negative inside; a mesh has an inside where it is closed.
        distance: f64,
    },
    /// What is the convex hull?
    Hull {
        /// In any order, duplicates allowed.
        points: Vec<[f64; 3]>,
        /// How many corners, where the thread is about it; 0 where there is no volume, which must
        /// be told, not assumed.
        corners: Option<usize>,
        /// How many flat sides, likewise.
        faces: Option<usize>,
    },
    /// Which boxes touch after these steps?
    Boxes {
        /// In order.
        steps: Vec<Step>,
        /// How many pairs touch.
        n_pairs: usize,
    },
}

/// What happens to a set of boxes. Boxes are numbered in the order of their insertion, refused ones
/// too.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Least and greatest corner; null is NaN. A library may refuse a box that is no box; then it
    /// takes part in nothing.
    Insert([[Option<f64>; 3]; 2]),
    /// Another box for the number given. A box that is no box: refused, or ignored from then on.
    Move(usize, [[Option<f64>; 3]; 2]),
    /// The number given.
    Remove(usize),
    /// The pairs are asked for, and not looked at.
    Ask,
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

/// The whole corpus, family by family.
pub fn entries() -> Vec<Entry> {
    let mut all = Vec::new();
    for (family, text) in FILES {
        let read: Vec<Entry> = serde_json::from_str(text).unwrap_or_else(|error| panic!("{family}: {error}"));
        all.extend(read.into_iter().map(|entry| Entry { family, ..entry }));
        all.extend(generated::entries().into_iter().filter(|entry| entry.family == family));
    }
    all
}
