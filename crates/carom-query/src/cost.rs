//! The cost of a query in counts, counted only on request.
//!
//! A query is compiled once for `()`, which counts nothing, and once for [`Counting`]. So ordinary
//! queries contain no counting.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.3,
//! t = n_v c_v + n_p c_p + n_u c_u.

use carom_bvh::Counters;
use carom_geom::{Crossing, DistanceField, DistanceSample, LinearFloor, SolidMoments};
use carom_sat::Tally;
use core::cell::Cell;
use core::ops::ControlFlow;
use glam::DVec3;

/// The cost of queries in counts.
///
/// Counts depend on the input alone: they are the same for any number of threads (test:
/// `cost::counts_are_the_same_on_any_thread`). A closed form, such as that of two balls, counts
/// only in [`pair_tests`](QueryCost::pair_tests). Each query adds to the existing counts.
///
/// ```
/// use carom_geom::Cuboid;
/// use carom_math::{Pose, Vec3};
/// use carom_query::{QueryCost, Shape, intersects_counted};
///
/// let cube = Shape::Cuboid(Cuboid::new(Vec3::splat(0.5))?);
/// let (here, there) = (Pose::IDENTITY, Pose::from_translation(Vec3::Y * 3.0));
/// let mut cost = QueryCost::default();
/// assert!(!intersects_counted(&cube, &here, &cube, &there, &mut cost));
/// // The second axis separates them.
/// assert_eq!((cost.pair_tests, cost.axes, cost.iterations), (1, 2, 0));
/// # Ok::<(), carom_geom::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryCost {
    /// Nodes of trees opened.
    pub nodes: u64,
    /// Volumes tested (n_v): boxes in trees, boxes around parts of compounds, and boxes with a
    /// lower bound from a field.
    pub volume_tests: u64,
    /// Leaves of trees, or pairs of leaves, that were visited.
    pub leaves: u64,
    /// Primitives (n_p) in these leaves, or pairs of primitives: a triangle against a triangle, a
    /// ray, a point or a convex shape.
    pub primitives: u64,
    /// Pairs that no cheaper test decided: two convex shapes, a triangle and a shape, two
    /// triangles.
    pub pair_tests: u64,
    /// Axes that were tested for two boxes. A search ends at the first axis with a gap; see
    /// [`carom_sat::Counters::axes`].
    pub axes: u64,
    /// Pairs of features that a walk over two hulls compared.
    pub feature_pairs: u64,
    /// Iterations of distance searches (GJK).
    pub iterations: u64,
    /// Iterations of depth searches (EPA).
    pub depth_iterations: u64,
    /// Pairs of support points in both searches, and support points against planes.
    pub supports: u64,
    /// Samples of distance fields.
    pub samples: u64,
}

impl core::ops::AddAssign for QueryCost {
    fn add_assign(&mut self, other: QueryCost) {
        self.nodes += other.nodes;
        self.volume_tests += other.volume_tests;
        self.leaves += other.leaves;
        self.primitives += other.primitives;
        self.pair_tests += other.pair_tests;
        self.axes += other.axes;
        self.feature_pairs += other.feature_pairs;
        self.iterations += other.iterations;
        self.depth_iterations += other.depth_iterations;
        self.supports += other.supports;
        self.samples += other.samples;
    }
}

/// A counter of work; `()` counts nothing.
pub(crate) trait Count: Tally {
    /// Adds work that was done.
    fn add(self, add: impl FnOnce(&mut QueryCost));

    /// Passes the field to `run`, with its samples counted.
    fn with_field<R>(self, field: &dyn DistanceField, run: impl FnOnce(&dyn DistanceField) -> R) -> R;

    /// Adds the cost of a walk through a tree.
    #[inline(always)]
    fn add_walk(self, walk: &Counters) {
        self.add(|cost| {
            cost.nodes += walk.nodes;
            cost.volume_tests += walk.volume_tests;
            cost.leaves += walk.leaves;
            cost.primitives += walk.primitives;
        });
    }

    /// Adds the cost of a search by support points.
    #[inline(always)]
    fn add_search(self, search: &carom_gjk::Counters) {
        self.add(|cost| {
            cost.iterations += u64::from(search.iterations);
            cost.depth_iterations += u64::from(search.depth_iterations);
            cost.supports += u64::from(search.supports);
        });
    }

    /// Adds one pair test.
    #[inline(always)]
    fn add_pair(self) {
        self.add(|cost| cost.pair_tests += 1);
    }
}

impl Count for () {
    #[inline(always)]
    fn add(self, _add: impl FnOnce(&mut QueryCost)) {}

    #[inline(always)]
    fn with_field<R>(self, field: &dyn DistanceField, run: impl FnOnce(&dyn DistanceField) -> R) -> R {
        run(field)
    }
}

/// Adds to a cost.
#[derive(Clone, Copy)]
pub(crate) struct Counting<'c>(&'c Cell<QueryCost>);

impl<'c> Counting<'c> {
    pub(crate) fn new(cost: &'c mut QueryCost) -> Counting<'c> {
        Counting(Cell::from_mut(cost))
    }
}

impl Count for Counting<'_> {
    fn add(self, add: impl FnOnce(&mut QueryCost)) {
        let mut cost = self.0.get();
        add(&mut cost);
        self.0.set(cost);
    }

    fn with_field<R>(self, field: &dyn DistanceField, run: impl FnOnce(&dyn DistanceField) -> R) -> R {
        run(&CountedField { field, count: self })
    }
}

impl Tally for Counting<'_> {
    fn count(self, add: impl FnOnce(&mut carom_sat::Counters)) {
        let mut counters = carom_sat::Counters::default();
        add(&mut counters);
        self.add(|cost| {
            cost.axes += u64::from(counters.axes);
            cost.feature_pairs += u64::from(counters.feature_pairs);
        });
    }
}

/// A field whose samples are counted.
struct CountedField<'f> {
    field: &'f dyn DistanceField,
    count: Counting<'f>,
}

impl DistanceField for CountedField<'_> {
    fn bounds(&self) -> [DVec3; 2] {
        self.field.bounds()
    }

    fn search_box(&self) -> [DVec3; 2] {
        self.field.search_box()
    }

    fn resolution(&self) -> f64 {
        self.field.resolution()
    }

    fn error_bound(&self) -> f64 {
        self.field.error_bound()
    }

    fn least_unsampled(&self) -> f64 {
        self.field.least_unsampled()
    }

    fn has_inside(&self) -> bool {
        self.field.has_inside()
    }

    fn ring(&self) -> Option<[f64; 2]> {
        self.field.ring()
    }

    fn sample(&self, point: DVec3) -> Option<DistanceSample> {
        self.count.add(|cost| cost.samples += 1);
        self.field.sample(point)
    }

    fn floor(&self, center: DVec3, half: DVec3) -> LinearFloor {
        self.count.add(|cost| cost.volume_tests += 1);
        self.field.floor(center, half)
    }

    fn moments(&self) -> Option<SolidMoments> {
        self.field.moments()
    }

    fn visit_crossings(
        &self,
        line: [DVec3; 2],
        from: f64,
        to: f64,
        visit: &mut dyn FnMut(Crossing) -> ControlFlow<()>,
    ) {
        self.field.visit_crossings(line, from, to, visit);
    }
}
