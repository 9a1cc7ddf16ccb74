//! Many rays through one tree, several of them interleaved.
//!
//! A single ray waits for memory most of the time, because each node is far from the last. So
//! [`IN_FLIGHT`] rays take turns. At the end of its turn a ray prefetches its next data. A leaf
//! may take several turns, while the caller fetches data. Each ray takes the same steps as alone,
//! so results do not depend on the interleaving.
//!
//! Reference: J. Pharr, C. Kolb, R. Gershbein, P. Hanrahan, Rendering Complex Scenes with
//! Memory-Coherent Ray Tracing, 1997 (rays that wait); S. Chen, A. Ailamaki, P. Gibbons, T. Mowry,
//! Improving Hash Join Performance through Prefetching, 2004 (group prefetching).

use crate::counters::{Counters, Visit};
use crate::ray::{RayLine, RayTraversal};
use crate::tree::{Bvh, LEAF, Leaf, TreeVolume};
use crate::wide::WideNode;
use carom_lanes::{Kernel, Simd, dispatch};
use core::ops::ControlFlow;

/// The number of interleaved rays. With 16 a batch took 1.03 to 1.15 times as long as with 8: see
/// benches/notes.
pub const IN_FLIGHT: usize = 8;

/// The state of a ray in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RayTurn {
    /// The number of the ray in the batch.
    pub ray: usize,
    /// The slot of the ray, below [`IN_FLIGHT`], for data of the caller.
    pub slot: usize,
    /// The number of earlier calls with this leaf for this ray.
    pub turn: u32,
}

/// The result of a leaf callback.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LeafAnswer {
    /// The leaf is requested again, after the turns of the other rays.
    Again,
    /// The leaf is done; only t up to this counts from now on.
    UpTo(f64),
}

/// The rays, and the callback for the leaves that they meet.
pub trait RayBatch {
    /// The next ray, with its own number, which takes this slot. The previous ray in the slot is
    /// done. `None` if there are no more rays.
    fn next(&mut self, slot: usize) -> Option<(usize, RayLine)>;

    /// Announces the leaf of a ray's next turn, by its number, so that its data can be prefetched.
    /// The start of its primitives is prefetched already; their numbers are not. The leaf may be
    /// skipped if the ray is shortened.
    fn ahead(&mut self, leaf: u32) {
        let _ = leaf;
    }

    /// A leaf that a ray may meet up to this t. `Break` ends this ray only.
    fn leaf(&mut self, turn: RayTurn, leaf: Leaf<'_>, t_max: f64) -> ControlFlow<(), LeafAnswer>;
}

struct Batch<'a, V: TreeVolume, N, R> {
    tree: &'a Bvh<V, N>,
    rays: &'a mut R,
}

/// The state of an interleaved ray.
struct Flight<S: Simd> {
    descent: RayTraversal<S>,
    ray: usize,
    /// The current child, or [`NOWHERE`].
    at: u32,
    /// The number of calls with the current leaf.
    turn: u32,
}

/// No child; leaf numbers are smaller.
const NOWHERE: u32 = u32::MAX;

impl<V: TreeVolume, N: WideNode<V::Volumes8>> Bvh<V, N> {
    /// [`Bvh::visit_ray`] for many rays: each ray meets the same leaves in the same order as
    /// alone. Several rays are interleaved in an unspecified order. A ray meets nothing in the
    /// cases of [`Bvh::visit_ray`].
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
        let idle = || Flight::<S> { descent: RayTraversal::new(simd, tree), ray: 0, at: NOWHERE, turn: 0 };
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
                    let ray_turn = RayTurn { ray: flight.ray, slot, turn: flight.turn };
                    let found = tree.leaf(at & !LEAF);
                    if flight.turn == 0 {
                        counters.count_leaf(&found);
                    }
                    match self.rays.leaf(ray_turn, found, flight.descent.t_max) {
                        ControlFlow::Break(()) => flight.descent.stop(),
                        ControlFlow::Continue(LeafAnswer::UpTo(t)) => flight.descent.shorten(t),
                        ControlFlow::Continue(LeafAnswer::Again) => {
                            flight.turn += 1;
                            continue;
                        }
                    }
                    flight.turn = 0;
                }
                // The next node is known and prefetched during the turns of the other rays.
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
    /// Starts the next ray that may meet something, at the root. Returns false if there is none.
    #[inline(always)]
    fn start<S: Simd>(&mut self, simd: S, slot: usize, flight: &mut Flight<S>) -> bool {
        flight.at = NOWHERE;
        while let Some((ray, line)) = self.rays.next(slot) {
            if line.is_valid() {
                flight.descent.begin::<V::Volumes8>(simd, &line);
                (flight.ray, flight.at) = (ray, 0);
                return true;
            }
        }
        false
    }
}
