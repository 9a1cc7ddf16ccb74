//! A tree that is built on demand by its queries.
//!
//! At first there are only the boxes. The first query that enters a large part cuts it into
//! sixteen or more unopened parts. A small part is built at once as a normal tree. Parts that no
//! query enters stay lists of numbers. Each part is opened once, by the first thread; other
//! threads wait. The result depends only on the part, so trees are the same for any order of
//! queries (test: `lazy::threads_build_the_same`).
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.1 (lazy creation, for CAD
//! and path planning).

use crate::build::{BuildSettings, Builder};
use crate::counters::{Counters, Visit};
use crate::tree::{Bvh, BvhError, TreeVolume, check_box};
use crate::visit_pairs::visit_leaf_pairs;
use carom_bounds::Aabb;
use carom_math::WidePose;
use core::ops::ControlFlow;
use glam::DVec3;
use std::sync::OnceLock;

/// The maximum number of primitives of a part that is built at once.
const MAX_WHOLE_PRIMITIVES: usize = 1024;

/// A larger part is cut until each new part has at most this fraction (1 / CUT) of its primitives.
const MIN_CUT_PARTS: usize = 16;

/// A tree that is built on demand, by queries through `&self`, from any number of threads.
///
/// Callbacks get leaves as lists of primitives. Leaves have no numbers, because the tree is not
/// complete.
#[derive(Debug)]
pub struct LazyBvh<V: TreeVolume = Aabb> {
    boxes: Vec<Aabb>,
    settings: BuildSettings,
    all: Vec<u32>,
    root: OnceLock<Opened<V>>,
}

/// A part that a query has entered.
#[derive(Debug)]
struct Opened<V: TreeVolume> {
    tree: Bvh<V>,
    /// For each leaf of the tree, the part in it. Empty if the tree is finished: its leaves then
    /// hold primitives.
    parts: Vec<OnceLock<Opened<V>>>,
}

/// A part, opened or not, with its primitives.
type Part<'a, V> = (&'a OnceLock<Opened<V>>, &'a [u32]);

/// How much of a [`LazyBvh`] has been built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Built {
    /// Parts that queries have entered.
    pub parts: usize,
    /// Nodes of eight in them.
    pub nodes: usize,
    /// Primitives that are in leaves.
    pub primitives: usize,
}

impl<V: TreeVolume> LazyBvh<V> {
    /// Creates an unbuilt tree over primitives with these bounds. The first box that is not
    /// finite, inverted or too large is refused with its number.
    pub fn new(boxes: Vec<Aabb>, settings: &BuildSettings) -> Result<LazyBvh<V>, BvhError> {
        if 1 << 28 <= boxes.len() {
            return Err(BvhError::TooMany);
        }
        for (i, aabb) in boxes.iter().enumerate() {
            check_box(aabb, i)?;
        }
        let all = (0..boxes.len() as u32).collect();
        Ok(LazyBvh { boxes, settings: *settings, all, root: OnceLock::new() })
    }

    /// The number of primitives.
    pub fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Whether there is no primitive.
    pub fn is_empty(&self) -> bool {
        self.boxes.is_empty()
    }

    /// How much has been built until now.
    pub fn built(&self) -> Built {
        let mut built = Built::default();
        let mut stack = vec![&self.root];
        while let Some(part) = stack.pop() {
            let Some(opened) = part.get() else { continue };
            built.parts += 1;
            built.nodes += opened.tree.n_nodes();
            if opened.parts.is_empty() {
                built.primitives += opened.tree.len();
            }
            stack.extend(&opened.parts);
        }
        built
    }

    /// As [`Bvh::visit_box`].
    pub fn visit_box(&self, aabb: &Aabb, mut leaf: impl FnMut(&[u32]) -> ControlFlow<()>) -> Visit {
        let mut total = Counters::default();
        let mut stack: Vec<Part<'_, V>> = vec![(&self.root, &self.all)];
        while let Some(part) = stack.pop() {
            let opened = self.open(part);
            let visit = opened.tree.visit_box(aabb, |found| {
                if opened.is_finished() {
                    return leaf(found.primitives);
                }
                stack.extend(opened.part(found.index));
                ControlFlow::Continue(())
            });
            opened.count(&mut total, &visit);
            if visit.stopped {
                return Visit { stopped: true, counters: total };
            }
        }
        Visit { stopped: false, counters: total }
    }

    /// As [`Bvh::visit_ray`].
    pub fn visit_ray(
        &self,
        origin: DVec3,
        direction: DVec3,
        t_min: f64,
        t_max: f64,
        mut leaf: impl FnMut(&[u32], f64) -> ControlFlow<(), f64>,
    ) -> Visit {
        let visit = |tree: &Bvh<V>, bound: f64, each: &mut LeafCallback<'_>| {
            tree.visit_ray(origin, direction, t_min, bound, |found, t| each(found.index, t))
        };
        self.nearest_first((&self.root, &self.all), t_max, &visit, &mut leaf).0
    }

    /// As [`Bvh::visit_near`].
    pub fn visit_near(
        &self,
        point: DVec3,
        max_distance: f64,
        mut leaf: impl FnMut(&[u32], f64) -> ControlFlow<(), f64>,
    ) -> Visit {
        let visit = |tree: &Bvh<V>, bound: f64, each: &mut LeafCallback<'_>| {
            tree.visit_near(point, bound, |found, d| each(found.index, d))
        };
        self.nearest_first((&self.root, &self.all), max_distance, &visit, &mut leaf).0
    }

    /// Visits all pairs of leaves whose volumes may touch, each pair once. `b_in_a` is the pose of
    /// the other tree in the frame of this one. `pair` may stop the visit.
    pub fn visit_leaf_pairs(
        &self,
        other: &LazyBvh<V>,
        b_in_a: &WidePose,
        mut pair: impl FnMut(&[u32], &[u32]) -> ControlFlow<()>,
    ) -> Visit {
        let mut total = Counters::default();
        let mut stack: Vec<(Part<'_, V>, Part<'_, V>)> =
            vec![((&self.root, &self.all), (&other.root, &other.all))];
        let mut visited = Vec::new();
        while let Some((part_a, part_b)) = stack.pop() {
            let (a, b) = (self.open(part_a), other.open(part_b));
            let both = a.is_finished() && b.is_finished();
            // If only one of the two trees has parts in its leaves, each of these parts is paired
            // with the whole other tree, once.
            visited.clear();
            visited.resize(a.parts.len().max(b.parts.len()), false);
            let visit = visit_leaf_pairs(&a.tree, &b.tree, b_in_a, |leaf_a, leaf_b| {
                if both {
                    return pair(leaf_a.primitives, leaf_b.primitives);
                }
                let inside_a = a.part(leaf_a.index).unwrap_or(part_a);
                let inside_b = b.part(leaf_b.index).unwrap_or(part_b);
                let one = if a.is_finished() { leaf_b.index } else { leaf_a.index } as usize;
                let is_new = match visited.get_mut(one) {
                    Some(visited) if a.is_finished() || b.is_finished() => !core::mem::replace(visited, true),
                    _ => true,
                };
                if is_new {
                    stack.push((inside_a, inside_b));
                }
                ControlFlow::Continue(())
            });
            let finished = if a.is_finished() { b } else { a };
            finished.count(&mut total, &visit);
            if visit.stopped {
                return Visit { stopped: true, counters: total };
            }
        }
        Visit { stopped: false, counters: total }
    }

    /// Opens parts in the order of the query, as its bound shrinks. It recurses once for each
    /// level of parts. There are at most six levels: of 2^28 primitives, a part has at most a
    /// sixteenth on each further level.
    fn nearest_first(
        &self,
        part: Part<'_, V>,
        bound: f64,
        visit: &dyn Fn(&Bvh<V>, f64, &mut LeafCallback<'_>) -> Visit,
        leaf: &mut PrimitivesCallback<'_>,
    ) -> (Visit, f64) {
        let opened = self.open(part);
        let mut total = Counters::default();
        let mut least = bound;
        let found = visit(&opened.tree, bound, &mut |index, bound| {
            let answer = match opened.part(index) {
                None => leaf(opened.tree.leaf(index).primitives, bound),
                Some(part) => {
                    let (inside, bound) = self.nearest_first(part, bound, visit, leaf);
                    total += inside.counters;
                    if inside.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(bound) }
                }
            };
            if let ControlFlow::Continue(bound) = answer {
                least = least.min(bound);
            }
            answer
        });
        opened.count(&mut total, &found);
        (Visit { stopped: found.stopped, counters: total }, least)
    }

    /// Returns the opened part, and builds it first if necessary.
    fn open<'a>(&self, (part, primitives): Part<'a, V>) -> &'a Opened<V> {
        part.get_or_init(|| {
            let boxes: Vec<Aabb> =
                primitives.iter().filter_map(|&i| self.boxes.get(i as usize)).copied().collect();
            let mut tree = Bvh::empty();
            let mut builder = Builder::default();
            let is_whole = primitives.len() <= MAX_WHOLE_PRIMITIVES;
            // The boxes have been checked, so nothing is refused.
            let _ = if is_whole {
                builder.rebuild(&mut tree, &boxes, &self.settings)
            } else {
                builder.rebuild_coarse(&mut tree, &boxes, primitives.len().div_ceil(MIN_CUT_PARTS) as u32)
            };
            for entry in &mut tree.primitives {
                *entry = primitives.get(*entry as usize).copied().unwrap_or_default();
            }
            let n_parts = if is_whole { 0 } else { tree.n_leaves() };
            Opened { tree, parts: (0..n_parts).map(|_| OnceLock::new()).collect() }
        })
    }
}

/// The callback for the number of each leaf, nearest first. It returns the new bound.
type LeafCallback<'a> = dyn FnMut(u32, f64) -> ControlFlow<(), f64> + 'a;

/// The callback for the primitives of each leaf, nearest first. It returns the new bound.
type PrimitivesCallback<'a> = dyn FnMut(&[u32], f64) -> ControlFlow<(), f64> + 'a;

impl<V: TreeVolume> Opened<V> {
    fn is_finished(&self) -> bool {
        self.parts.is_empty()
    }

    /// The part inside a leaf; `None` if the leaf is one of the finished tree.
    fn part(&self, leaf: u32) -> Option<Part<'_, V>> {
        Some((self.parts.get(leaf as usize)?, self.tree.leaf(leaf).primitives))
    }

    /// Adds the cost of a visit. Leaves that are parts do not count as leaves.
    fn count(&self, total: &mut Counters, visit: &Visit) {
        let mut counters = visit.counters;
        if !self.is_finished() {
            (counters.leaves, counters.primitives) = (0, 0);
        }
        *total += counters;
    }
}
