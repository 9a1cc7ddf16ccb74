//! Self-intersections of a part, for `info --self` and `check --self`.

use crate::report::{counted, list, spaced};
use carom_geom::tri_intersection::Intersection;
use carom_query::f64::MeshShape;
use carom_query::{SelfIntersection, intersection_curves, self_intersections};
use glam::DVec3;
use serde_json::{Map, Value, json};

/// The pairs of triangles of one part that meet beyond their common corners and edges.
pub(crate) struct SelfReport {
    pairs: Vec<SelfIntersection>,
    /// Polylines; a closed one ends with its first point.
    curves: Vec<Vec<DVec3>>,
}

impl SelfReport {
    /// Returns the report on a mesh.
    pub(crate) fn new(mesh: &MeshShape) -> SelfReport {
        let pairs = self_intersections(mesh);
        let curves = intersection_curves(&pairs);
        SelfReport { pairs, curves }
    }

    /// Whether no pair meets.
    pub(crate) fn is_clear(&self) -> bool {
        self.pairs.is_empty()
    }

    fn count(&self, is_counted: impl Fn(&SelfIntersection) -> bool) -> usize {
        self.pairs.iter().filter(|pair| is_counted(pair)).count()
    }

    /// The number of pairs with a common corner, in one plane, and in a point.
    fn counts(&self) -> [usize; 3] {
        [
            self.count(|pair| 0 < pair.n_shared),
            self.count(|pair| matches!(pair.intersection, Intersection::Polygon { .. })),
            self.count(|pair| matches!(pair.intersection, Intersection::Point(_))),
        ]
    }

    /// A point of the first pair.
    fn point(&self) -> Option<DVec3> {
        self.pairs.first().and_then(|pair| pair.intersection.points().first().copied())
    }

    /// Returns the report as members of a JSON document.
    pub(crate) fn members(&self) -> Map<String, Value> {
        let [neighbours, coplanar, points] = self.counts();
        let mut members = Map::new();
        let triangles: Vec<[u32; 2]> = self.pairs.iter().map(|pair| [pair.a, pair.b]).collect();
        let curves: Vec<Vec<Value>> =
            self.curves.iter().map(|curve| curve.iter().map(|p| json!(list(*p))).collect()).collect();
        members.insert("pairs".to_owned(), json!(self.pairs.len()));
        members.insert("neighbours".to_owned(), json!(neighbours));
        members.insert("coplanar".to_owned(), json!(coplanar));
        members.insert("in_points".to_owned(), json!(points));
        members.insert("point".to_owned(), json!(self.point().map(list)));
        members.insert("triangles".to_owned(), json!(triangles));
        members.insert("curves".to_owned(), json!(curves));
        members
    }

    /// Returns the report as a sentence without its subject, as in `crosses itself: ...`.
    pub(crate) fn text(&self) -> String {
        let Some(point) = self.point() else { return "does not cross itself".to_owned() };
        let [neighbours, coplanar, points] = self.counts();
        let mut kinds = Vec::new();
        for (n, what) in [(neighbours, "of neighbours"), (coplanar, "in one plane"), (points, "in points")] {
            if 0 < n {
                kinds.push(format!("{n} {what}"));
            }
        }
        let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
        let pairs = counted(self.pairs.len(), "pair of triangles", "pairs of triangles");
        let curves = counted(self.curves.len(), "curve", "curves");
        format!("crosses itself: {pairs}{kinds}, {curves}, near {}", spaced(point))
    }
}
