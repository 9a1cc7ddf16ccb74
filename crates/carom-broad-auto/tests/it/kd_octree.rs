//! Tests of static boxes in one finder and moving ones in another: conformance, and the cost of
//! static ground.

use carom_bounds::Aabb;
use carom_broad::{
    BroadPhase, BruteForce, EveryPair, Filter, FromFinder, Mobility, Pair, PairFinder, PointFilter, ProxyId,
    SpatialIndex, StaticDynamic,
};
use carom_broad_auto::KdOctree;
use carom_broad_grid::{DenseGrid, Flat, Hashed, Hierarchical, Loose, SparseGrid, Uniform};
use carom_broad_sap::{
    AxisPruner, ColumnPruner, RegionAxes, RegionPruner, Regions, SapSettings, SortedAxes, Sweep,
};
use carom_broad_tree::{PlaneTree, TreeMaker};
use carom_testkit::conform::{broad_phase, cliffs, dice::Dice, spatial_index, threads};
use glam::Vec3;

#[test]
fn conforms_to_broad_phase() {
    broad_phase::check(KdOctree::new);
}

#[test]
fn conforms_to_spatial_index() {
    spatial_index::check(KdOctree::new);
}

/// Finders that have no index, on either side or on both.
#[test]
fn finders_without_an_index_conform() {
    broad_phase::check(FromFinder::<StaticDynamic<AxisPruner, SparseGrid<Loose>>>::new);
    broad_phase::check(FromFinder::<StaticDynamic<AxisPruner, AxisPruner>>::new);
}

#[test]
fn one_two_and_seven_threads_give_the_same() {
    threads::check("kd-octree", KdOctree::new);
}

#[test]
fn resting_static_ground_costs_nothing() {
    cliffs::static_ground_costs_nothing(&mut KdOctree::new());
}

fn filter(is_static: bool) -> Filter {
    Filter::new(if is_static { Mobility::Fixed } else { Mobility::Dynamic })
}

/// The same boxes in a broad phase and in brute force.
struct Beside<S, D> {
    broad: FromFinder<StaticDynamic<S, D>>,
    brute: BruteForce,
    ids: Vec<ProxyId>,
}

impl<S: PairFinder, D: PairFinder> Beside<S, D> {
    fn new(broad: FromFinder<StaticDynamic<S, D>>) -> Beside<S, D> {
        Beside { broad, brute: BruteForce::new(), ids: Vec::new() }
    }

    fn insert(&mut self, aabb: Aabb, is_static: bool) {
        let id = self.broad.insert(aabb, filter(is_static)).unwrap();
        assert_eq!(self.brute.insert(aabb, filter(is_static)), Ok(id));
        self.ids.push(id);
    }

    fn remove(&mut self, i: usize) {
        let id = self.ids.swap_remove(i);
        self.broad.remove(id).unwrap();
        self.brute.remove(id).unwrap();
    }

    fn set_side(&mut self, i: usize, is_static: bool) {
        self.broad.set_filter(self.ids[i], filter(is_static)).unwrap();
        self.brute.set_filter(self.ids[i], filter(is_static)).unwrap();
    }

    fn place(&mut self, i: usize, aabb: Aabb) {
        self.broad.update(&[(self.ids[i], aabb)]).unwrap();
        self.brute.update(&[(self.ids[i], aabb)]).unwrap();
    }

    /// Compares the boxes that touch this one, then all pairs. Returns the number of pairs with a
    /// static box.
    fn compare(&mut self, query: &Aabb, what: &str) -> usize {
        self.broad.validate().unwrap();
        let (mut found, mut wanted) = (Vec::new(), Vec::new());
        self.broad.overlapping(query, &mut found);
        self.brute.overlapping(query, &mut wanted);
        assert_eq!(found, wanted, "{what}");
        let (mut pairs, mut expected): (Vec<Pair>, Vec<Pair>) = (Vec::new(), Vec::new());
        self.broad.pairs(&mut pairs);
        self.brute.pairs(&mut expected);
        assert_eq!(pairs, expected, "{what}");
        self.broad.validate().unwrap();
        let filters = self.broad.proxies().filters();
        let is_static = |slot: u32| filters[slot as usize].mobility == Mobility::Fixed;
        pairs.iter().filter(|pair| is_static(pair.a) || is_static(pair.b)).count()
    }
}

/// Boxes become static, or cease to be, come, go and move between searches, also before the first.
fn change_sides<S: PairFinder, D: PairFinder>(
    broad: FromFinder<StaticDynamic<S, D>>,
    n: usize,
    what: &str,
) -> Beside<S, D> {
    let mut dice = Dice::new(31);
    let mut beside = Beside::new(broad);
    for i in 0..n {
        beside.insert(dice.aabb(8.0, 2.0), i % 4 != 0);
    }
    let mut n_static_pairs = 0;
    for frame in 0..40 {
        for _ in 0..dice.below(12) {
            let (i, is_static) = (dice.below(beside.ids.len()), dice.one_in(2));
            beside.set_side(i, is_static);
            if dice.one_in(3) {
                beside.place(i, dice.aabb(8.0, 2.0));
            }
            if dice.one_in(3) {
                beside.remove(dice.below(beside.ids.len()));
                beside.insert(dice.aabb(8.0, 2.0), dice.one_in(2));
            }
        }
        n_static_pairs += beside.compare(&dice.aabb(8.0, 4.0), &format!("{what}, frame {frame}"));
    }
    assert!(n < n_static_pairs, "{what}: {n_static_pairs} pairs with a static box");
    beside
}

#[test]
fn boxes_that_change_sides() {
    let Beside { mut broad, ids, .. } = change_sides(KdOctree::new(), 600, "kd-octree");
    // Frames in which only other boxes are moved, inserted and removed do not refresh the static
    // ones.
    let mut dice = Dice::new(32);
    let mut pairs = Vec::new();
    let before = broad.finder().n_static_refreshes();
    for _ in 0..5 {
        let moves: Vec<_> = ids
            .iter()
            .filter(|id| broad.proxies().filters()[id.index() as usize].mobility == Mobility::Dynamic)
            .map(|&id| (id, dice.aabb(8.0, 2.0)))
            .collect();
        assert!(50 < moves.len());
        broad.update(&moves).unwrap();
        let id = broad.insert(dice.aabb(8.0, 2.0), filter(false)).unwrap();
        broad.pairs(&mut pairs);
        broad.remove(id).unwrap();
        broad.pairs(&mut pairs);
    }
    assert_eq!(broad.finder().n_static_refreshes(), before);
}

fn regions() -> Regions {
    let bounds = Aabb { min: Vec3::splat(-6.0), max: Vec3::new(6.0, 5.0, 9.0) };
    Regions::grid(&bounds, [3, 2, 4]).unwrap()
}

/// Any finder as either side, and as both.
#[test]
fn any_finder_holds_boxes_that_change_sides() {
    fn check<F: PairFinder>(name: &str, make: impl Fn() -> F) {
        let other = AxisPruner::default;
        let statics = FromFinder::with_finder(StaticDynamic::new(make(), other()));
        change_sides(statics, 400, &format!("{name} of the static boxes"));
        let dynamics = FromFinder::with_finder(StaticDynamic::new(other(), make()));
        change_sides(dynamics, 400, &format!("{name} of the others"));
        let both = FromFinder::with_finder(StaticDynamic::new(make(), make()));
        change_sides(both, 400, &format!("{name} of both"));
    }
    check("every pair", EveryPair::default);
    check("axis pruner", AxisPruner::default);
    check("column pruner", ColumnPruner::default);
    check("sweep", Sweep::default);
    check("region pruner", || RegionPruner::new(regions()));
    check("sorted axes", SortedAxes::default);
    check("two sorted axes", || SortedAxes::new(SapSettings::default().with_skipped_axis(1)));
    check("region axes", || RegionAxes::new(regions(), SapSettings::default()));
    check("region axes without regions", RegionAxes::default);
    check("uniform grid", DenseGrid::<Uniform>::default);
    check("hierarchical grid", DenseGrid::<Hierarchical>::default);
    check("spatial hash", SparseGrid::<Hashed>::default);
    check("loose octree", SparseGrid::<Loose>::default);
    check("loose quadtree", SparseGrid::<Flat>::default);
    check("rebuilt tree", TreeMaker::default);
    check("plane tree", PlaneTree::default);
    check("point filter", || PointFilter::new(AxisPruner::default()));
    check("point filter of sorted axes", || PointFilter::new(SortedAxes::default()));
    check("nested", || StaticDynamic::new(SortedAxes::default(), SortedAxes::default()));
}

/// A box that became static before the first search was sorted among the moving ones, for ever.
#[test]
fn r_a_box_that_becomes_static_leaves_the_moving_ones() {
    fn check<D: PairFinder>(dynamics: D, what: &str) {
        let cube = |x: f32| Aabb { min: Vec3::new(x, 0.0, 0.0), max: Vec3::new(x + 1.0, 1.0, 1.0) };
        let near = cube(0.0);
        let finder = StaticDynamic::new(AxisPruner::default(), dynamics);
        let mut beside = Beside::new(FromFinder::with_finder(finder));
        beside.insert(cube(0.0), true);
        beside.insert(cube(0.5), false);
        beside.insert(cube(0.6), false);
        beside.set_side(1, true);
        beside.set_side(2, true);
        beside.insert(cube(0.7), false);
        assert_eq!(beside.compare(&near, what), 3, "{what}: each static box and the moving one");
        beside.place(1, cube(5.0));
        assert_eq!(beside.compare(&near, what), 2, "{what}: moved away");
        beside.remove(2);
        assert_eq!(beside.compare(&near, what), 1, "{what}: removed");
        beside.insert(cube(0.1), false);
        assert_eq!(beside.compare(&near, what), 2, "{what}: its slot is reused");
        // The same at a later time.
        beside.set_side(2, true);
        beside.compare(&near, what);
        beside.set_side(2, false);
        beside.compare(&near, what);
    }
    check(SortedAxes::default(), "sorted axes");
    check(RegionAxes::default(), "region axes");
    check(RegionAxes::new(regions(), SapSettings::default()), "region axes with regions");
}

/// The finder of static boxes searches no pairs, so what it notes of changes must not pile up.
#[test]
fn r_static_boxes_that_come_and_go_take_no_more_memory() {
    fn check<S: PairFinder>(statics: S, what: &str) {
        let finder = StaticDynamic::new(statics, AxisPruner::default());
        let mut broad = FromFinder::with_finder(finder);
        let aabb = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
        let (mut pairs, mut bytes) = (Vec::new(), 0);
        for frame in 0..2000 {
            let id = broad.insert(aabb, filter(true)).unwrap();
            broad.pairs(&mut pairs);
            broad.remove(id).unwrap();
            broad.pairs(&mut pairs);
            bytes = if frame < 10 { broad.finder().bytes() } else { bytes };
        }
        assert_eq!(broad.finder().bytes(), bytes, "{what}");
    }
    check(SortedAxes::default(), "sorted axes");
    check(RegionAxes::default(), "region axes");
    check(PointFilter::new(SortedAxes::default()), "point filter");
    check(SparseGrid::<Loose>::default(), "loose octree");
}
