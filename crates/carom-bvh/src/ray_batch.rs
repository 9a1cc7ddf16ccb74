//! Many rays through one tree, several of them on their way at the same time.
//!
//! One ray waits for memory most of its time: each node is far from the last. So [`IN_FLIGHT`] rays
//! take turns; what a ray needs next is asked for when its turn ends, and is there when it comes up
//! again. A leaf may take several turns too, for what the caller has to fetch. Each ray does
//! exactly what it would do alone, so answers depend neither on how many are on their way nor on
//! their order.
//!
//! Reference: J. Pharr, C. Kolb, R. Gershbein, P. Hanrahan, Rendering Complex Scenes with
//! Memory-Coherent Ray Tracing, 1997 (rays that wait); S. Chen, A. Ailamaki, P. Gibbons, T. Mowry,
//! Improving Hash Join Performance through Prefetching, 2004 (group prefetching).

use crate::counters::{Counters, Visit};
use crate::ray::{Descent, RayLine};
use crate::tree::{Bvh, LEAF, Leaf, TreeVolume};
use crate::wide::WideNode;
use carom_lanes::{Kernel, Simd, dispatch};
use core::ops::ControlFlow;

/// So many rays are on their way. With 16 the least times were 1.03 to 1.1 of those with 8 over the
/// knot's 100,000 triangles, and 1.03 to 1.15 over a million (AMD EPYC, 2026-11-22); an early
/// experiment, whose rays kept less, found 16 a tenth faster there.
pub const IN_FLIGHT: usize = 8;

/// Where a ray of a batch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RayTurn {
    /// The number of the ray in the batch.
    pub ray: usize,
    /// Its place among those on their way, below [`IN_FLIGHT`]: for what the caller keeps about it.
    pub slot: usize,
    /// How often this leaf has been given to the caller for this ray before.
    pub turn: u32,
}

/// What a batch says about a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LeafAnswer {
    /// The leaf is wanted once more, after the other rays have had their turns.
    Again,
    /// Done; nothing beyond this t is of interest any more.
    UpTo(f64),
}

/// Rays, and what is done with the leaves that they meet.
pub trait RayBatch {
    /// The next ray, with a number of its own, and from now on in this slot; the one that was there
    /// before is done. `None` when there are no more.
    fn next(&mut self, slot: usize) -> Option<(usize, RayLine)>;

    /// A ray comes to this leaf, by its number, on its next turn, unless it is shortened before:
    /// what it needs there can be asked for. Where the numbers of its primitives begin is asked
    /// for; the numbers are not.
    fn ahead(&mut self, leaf: u32) {
        let _ = leaf;
    }

    /// A leaf that a ray may meet up to this t. Breaking off ends that one ray.
    fn leaf(&mut self, turn: RayTurn, leaf: Leaf<'_>, t_max: f64) -> ControlFlow<(), LeafAnswer>;
}

struct Batch<'a, V: TreeVolume, N, R> {
    tree: &'a Bvh<V, N>,
    rays: &'a mut R,
}

/// A ray on its way.
struct Flight<S: Simd> {
    descent: Descent<S>,
    ray: usize,
    /// The child that it is at, or [`NOWHERE`].
    at: u32,
    /// How often a leaf was given.
    turn: u32,
}

/// No child: there are fewer leaves.
const NOWHERE: u32 = u32::MAX;

impl<V: TreeVolume, N: WideNode<V::Volumes8>> Bvh<V, N> {
    /// [`Bvh::visit_ray`] for many rays: what each meets, in the order in which it would meet it
    /// alone. Several rays are on their way at a time, in no order that is promised. A ray with a
    /// NaN, or without an interval, meets nothing.
    pub fn visit_rays(&self, rays: &mut impl RayBatch) -> Visit {
        if self.is_empty() {
            return Visit::default();
        }
        dispatch(Batch { tree: self, rays })
    }
}

impl<V: TreeVolume, N: WideNode<V::Volumes8>, R: RayBatch> Kernel for Batch<'_, V, N, R> {
    type Output = Visit;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> Visit {
        let mut counters = Counters::default();
        let tree = self.tree;
        let idle = || Flight::<S> { descent: Descent::new(simd, tree), ray: 0, at: NOWHERE, turn: 0 };
        let mut flights = [idle(), idle(), idle(), idle(), idle(), idle(), idle(), idle()];
        let mut n_flying = 0;
        for slot in 0..IN_FLIGHT {
            n_flying += usize::from(self.start(simd, slot, &mut flights[slot]));
        }
        while 0 < n_flying {
            for (slot, flight) in flights.iter_mut().enumerate() {
                let at = flight.at;
                if at & LEAF == 0 {
                    if let Some(node) = tree.nodes.get(at as usize) {
                        flight.descent.open(simd, node, &mut counters);
                    }
                } else if at == NOWHERE {
                    continue;
                } else {
                    let place = RayTurn { ray: flight.ray, slot, turn: flight.turn };
                    let found = tree.leaf(at & !LEAF);
                    if flight.turn == 0 {
                        counters.leaves += 1;
                        counters.primitives += found.primitives.len() as u64;
                    }
                    match self.rays.leaf(place, found, flight.descent.t_max) {
                        ControlFlow::Break(()) => flight.descent.stop(),
                        ControlFlow::Continue(LeafAnswer::UpTo(t)) => flight.descent.shorten(t),
                        ControlFlow::Continue(LeafAnswer::Again) => {
                            flight.turn += 1;
                            continue;
                        }
                    }
                    flight.turn = 0;
                }
                // Where it goes next is known now, and asked for: the others have their turns
                // meanwhile.
                match flight.descent.next() {
                    Some(next) => {
                        flight.at = next;
                        if next & LEAF == 0 {
                            simd.prefetch(&tree.nodes, next as usize);
                        } else {
                            simd.prefetch(&tree.leaf_starts, (next & !LEAF) as usize);
                            self.rays.ahead(next & !LEAF);
                        }
                    }
                    None => n_flying -= usize::from(!self.start(simd, slot, flight)),
                }
            }
        }
        Visit { stopped: false, counters }
    }
}

impl<V: TreeVolume, N, R: RayBatch> Batch<'_, V, N, R> {
    /// The next ray that may meet something, at the root; false when there is none.
    #[inline(always)]
    fn start<S: Simd>(&mut self, simd: S, slot: usize, flight: &mut Flight<S>) -> bool {
        flight.at = NOWHERE;
        while let Some((ray, line)) = self.rays.next(slot) {
            if line.is_somewhere() {
                flight.descent.begin::<V::Volumes8>(simd, &line);
                (flight.ray, flight.at) = (ray, 0);
                return true;
            }
        }
        false
    }
}
