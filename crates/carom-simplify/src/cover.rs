//! Keeps a surface within a distance of its original, both ways, collapse by collapse.
//!
//! - From new to old: new triangles must lie within the limit of the original surface.
//! - From old to new: every original triangle has a few proof triangles. These are triangles of
//!   the current surface that prove the original one to be near. If a collapse changes one of
//!   them, the proof is repeated with the new triangles.
//! - A collapse without a proof is refused. So after every step both one-sided Hausdorff distances
//!   are proven to be within the limit (test: `simplify::a_largest_error_is_kept`).
//!
//! Reference: J. Cohen, D. Manocha, M. Olano, Simplifying Polygonal Models Using Successive
//! Mappings, IEEE Visualization 1997 (a local bound for every collapse).
//! Differs: distances to the original surface itself, not sums over the steps.

use crate::patch::{Collapse, Patch};
use crate::reach::is_within;
use crate::surface::{Surface, distance};
use alloc::vec;
use alloc::vec::Vec;
use glam::DVec3;

/// A polygon counts as too far if a proof would cut it into more pieces than this. For a new
/// triangle the number is larger by two for each affected original triangle.
const BASE_PIECES: usize = 32;
/// The maximum number of pieces for a new triangle.
const MAX_PIECES: usize = 256;

/// The current proof triangles of each original triangle.
pub(crate) struct Cover<'a> {
    original: &'a Surface,
    limit: f64,
    /// For each original triangle, its proof triangles: faces of the current surface.
    by: Vec<Vec<u32>>,
    /// For each face, the original triangles that it is a proof triangle of.
    of: Vec<Vec<u32>>,
}

/// New proofs: original triangles, each with its proof triangles.
pub(crate) type Proofs = Vec<(u32, Vec<u32>)>;

impl<'a> Cover<'a> {
    /// At first each face, with the same number, proves its original triangle. If that face is not
    /// alive, it is part of one that is, which then is the proof triangle.
    pub(crate) fn new(original: &'a Surface, patch: &Patch, limit: f64) -> Cover<'a> {
        let n = patch.faces.len();
        let mut cover = Cover { original, limit, by: vec![Vec::new(); n], of: vec![Vec::new(); n] };
        for number in 0..n as u32 {
            let t = &patch.faces[number as usize];
            let mut face = number;
            if !patch.is_alive[number as usize] {
                let mut holders = patch.around[t[0] as usize].iter();
                face = holders.find(|&&f| t.iter().all(|&v| patch.has(f, v))).copied().unwrap_or(number);
            }
            cover.by[number as usize].push(face);
            cover.of[face as usize].push(number);
        }
        cover
    }

    /// Returns the proofs that a collapse changes; `None` if the surface might not be within the
    /// limit after it.
    pub(crate) fn check(&self, patch: &Patch, collapse: &Collapse) -> Option<Proofs> {
        if self.limit < self.original.nearest(collapse.position).distance {
            return None;
        }
        let dies = |face: u32| patch.has(face, collapse.keep) && patch.has(face, collapse.gone);
        let changed: Vec<u32> = patch.changed(collapse).collect();
        let fan: Vec<(u32, [DVec3; 3])> = changed
            .iter()
            .filter(|&&face| !dies(face))
            .map(|&face| (face, patch.corners_after(face, collapse)))
            .collect();
        let mut affected: Vec<u32> =
            changed.iter().flat_map(|&face| &self.of[face as usize]).copied().collect();
        affected.sort_unstable();
        affected.dedup();
        // A new triangle over many old ones in its plane needs as many pieces.
        let most_pieces = (BASE_PIECES + 2 * affected.len()).min(MAX_PIECES);
        let mut nearest = |p: DVec3| {
            let number = self.original.nearest(p).triangle;
            Some((number, self.original.triangle(number)))
        };
        let mut unused = Vec::new();
        if !fan.iter().all(|(_, t)| is_within(t, self.limit, most_pieces, &mut nearest, &mut unused)) {
            return None;
        }
        let mut proofs = Vec::with_capacity(affected.len());
        let mut candidates = Vec::new();
        for number in affected {
            candidates.clear();
            candidates.extend_from_slice(&fan);
            let kept = self.by[number as usize].iter().filter(|face| !changed.contains(face));
            candidates.extend(kept.map(|&face| (face, patch.corners(face))));
            let mut nearest = |p: DVec3| {
                let distances = candidates.iter().map(|c| (distance(p, &c.1), c));
                let best = distances.min_by(|x, y| x.0.total_cmp(&y.0))?.1;
                Some((best.0, &best.1))
            };
            let mut used = Vec::new();
            if !is_within(self.original.triangle(number), self.limit, BASE_PIECES, &mut nearest, &mut used) {
                return None;
            }
            used.sort_unstable();
            used.dedup();
            proofs.push((number, used));
        }
        Some(proofs)
    }

    /// Returns the faces that prove an original triangle to be near.
    pub(crate) fn faces(&self, number: u32) -> &[u32] {
        &self.by[number as usize]
    }

    /// Stores the proofs of a collapse that was made.
    pub(crate) fn store_proofs(&mut self, proofs: Proofs) {
        for (number, faces) in proofs {
            let before = core::mem::take(&mut self.by[number as usize]);
            for &face in before.iter().filter(|face| !faces.contains(face)) {
                self.of[face as usize].retain(|&other| other != number);
            }
            for &face in faces.iter().filter(|face| !before.contains(face)) {
                self.of[face as usize].push(number);
            }
            self.by[number as usize] = faces;
        }
    }
}
