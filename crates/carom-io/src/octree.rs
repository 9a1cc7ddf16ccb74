//! OctoMap `.bt`: the occupied leaves of a binary occupancy octree.
//!
//! 1. A header of lines: the magic comment, `id`, `size` (the number of nodes), `res` (the edge of
//!    the smallest cell), and `data`. Bytes follow, depth first.
//! 2. A node takes two bytes, two bits for each of eight children: 0 unknown, 1 free, 2 occupied, 3
//!    a node of its own. Bits 0, 1 and 2 of a child's number are its side along x, y and z.
//! 3. A cell at depth 16 has the size `res`. Cell 32768 of an axis begins at 0.
//! 4. Eight occupied leaves that fill a cube become one leaf while the file is read. The leaves
//!    below a node are read in one run, so these eight are the last ones read.
//! 5. Counts, depths and the end of the file are checked; a leaf takes no memory before its bits
//!    are read.
//!
//! Reference: A. Hornung, K. Wurm, M. Bennewitz, C. Stachniss, W. Burgard, OctoMap: An Efficient
//! Probabilistic 3D Mapping Framework, Autonomous Robots 34, 2013; the OctoMap library,
//! `OccupancyOcTreeBase::readBinaryNode` and `AbstractOcTree::readHeader`.
//! Differs: a node without children, other than the root, is an error. So are bytes behind the
//! tree.

use crate::error::{Location, ReadError};
use crate::files::Files;
use crate::limits::Options;
use std::path::Path;

/// The depth of the smallest cells.
const MAX_DEPTH: u32 = 16;

/// The longest header in bytes.
const MAX_HEADER_BYTES: usize = 1 << 16;

/// The first words of a file.
const MAGIC: &str = "# Octomap OcTree binary file";

/// A cube of occupied cells: the numbers of its first and last cell along each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OctreeLeaf {
    /// The first cell.
    pub first: [u16; 3],
    /// The last cell.
    pub last: [u16; 3],
}

/// The occupied leaves of an octree of 65,536 cells along each axis.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Octree {
    /// The edge of a cell, finite and above 0.
    pub resolution: f64,
    /// The occupied leaves, depth first. They do not overlap, and no eight of them fill a larger
    /// leaf (test: `octrees::full_cubes_are_one_leaf`).
    pub leaves: Vec<OctreeLeaf>,
    /// The number of nodes, inner ones and free leaves included.
    pub n_nodes: u64,
}

impl Octree {
    /// Returns the coordinate at which cell 0 begins, the same on each axis.
    pub fn origin(&self) -> f64 {
        -32768.0 * self.resolution
    }
}

/// Whether cells that the map does not know count as free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownCells {
    /// They are free.
    #[default]
    Free,
    /// They are occupied: all space that was not seen, up to the ends of the tree.
    Occupied,
}

/// Reads a `.bt` file.
pub fn read_octree(path: &Path, unknown: UnknownCells) -> Result<Octree, ReadError> {
    let options = Options::default();
    let bytes = Files::new(&options).read(path)?;
    parse_octree(&bytes, path, unknown)
}

/// Reads the bytes of a `.bt` file. `path` appears in messages.
pub fn parse_octree(bytes: &[u8], path: &Path, unknown: UnknownCells) -> Result<Octree, ReadError> {
    let whole = |reason: &str| ReadError::at(path, Location::File, reason);
    let (mut rest, mut number) = (bytes, 0);
    let (mut size, mut resolution, mut id) = (None, None, false);
    loop {
        let n = rest.iter().take(MAX_HEADER_BYTES).position(|b| *b == b'\n');
        let Some(n) = n else { return Err(whole("the header has no line \"data\"")) };
        let line = core::str::from_utf8(&rest[..n]).map_err(|_| whole("the header is not text"))?.trim();
        rest = &rest[n + 1..];
        number += 1;
        let at = |reason: String| ReadError::at(path, Location::Line(number), reason);
        if number == 1 && !line.starts_with(MAGIC) {
            return Err(at(if line.starts_with("# Octomap OcTree file") {
                "a map with probabilities (.ot): write it as .bt, for example with ot2bt".to_owned()
            } else {
                format!("not an octree: it does not begin with {MAGIC:?}")
            }));
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (key, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let value = value.trim();
        match key {
            "data" => break,
            "id" if matches!(value, "OcTree" | "ColorOcTree" | "OcTreeStamped") => id = true,
            "id" => return Err(at(format!("id {value:?} is not OcTree"))),
            "size" => {
                let n = value.parse::<u64>().map_err(|_| at(format!("size {value:?} is no count")))?;
                size = Some(n);
            }
            "res" => {
                let edge = value.parse::<f64>().ok().filter(|edge| edge.is_finite() && 0.0 < *edge);
                resolution = Some(edge.ok_or_else(|| at(format!("res {value:?} is no length above 0")))?);
            }
            _ => return Err(at(format!("{key:?} is not known in a header"))),
        }
    }
    let missing = |what: &str| whole(&format!("the header has no {what}"));
    let (size, resolution) =
        (size.ok_or_else(|| missing("size"))?, resolution.ok_or_else(|| missing("res"))?);
    if !id {
        return Err(missing("id"));
    }
    let mut tree = Octree { resolution, leaves: Vec::new(), n_nodes: 0 };
    if 0 < size || !rest.is_empty() {
        tree.read(rest, unknown).map_err(|reason| whole(&reason))?;
    }
    if tree.n_nodes != size {
        return Err(whole(&format!("{size} nodes announced, {} there", tree.n_nodes)));
    }
    Ok(tree)
}

/// Reads the bytes of a tree alone, without a header. The reason of an error has no file.
pub fn parse_octree_data(data: &[u8], resolution: f64, unknown: UnknownCells) -> Result<Octree, String> {
    if !(resolution.is_finite() && 0.0 < resolution) {
        return Err(format!("the resolution {resolution} is no length above 0"));
    }
    let mut tree = Octree { resolution, leaves: Vec::new(), n_nodes: 0 };
    tree.read(data, unknown)?;
    Ok(tree)
}

impl Octree {
    /// Reads the nodes, depth first.
    fn read(&mut self, data: &[u8], unknown: UnknownCells) -> Result<(), String> {
        let mut words = data.chunks_exact(2);
        // Each node by its first cell and its depth, the next one last.
        let mut waiting = vec![([0_u16; 3], 0_u32)];
        self.n_nodes = 1;
        while let Some((first, depth)) = waiting.pop() {
            let Some(word) = words.next() else {
                return Err(format!("truncated: the data ends within node {}", self.n_nodes));
            };
            let bits = u16::from_le_bytes([word[0], word[1]]);
            if bits == 0 {
                if 0 < depth {
                    return Err(format!("a node at depth {depth} has no children"));
                }
                // The root is itself a leaf. A binary map has such a root only if it is occupied.
                self.push(first, depth);
                continue;
            }
            if MAX_DEPTH <= depth {
                return Err(format!("a node at depth {depth} has children, which are deeper than 16"));
            }
            // The size of the children, in cells; the depth is below 16.
            let size = 1_u16 << (MAX_DEPTH - 1 - depth);
            let before = waiting.len();
            for child in 0..8_u16 {
                let start = core::array::from_fn(|axis| first[axis] + size * (child >> axis & 1));
                match bits >> (2 * child) & 3 {
                    0 if unknown == UnknownCells::Occupied => self.push(start, depth + 1),
                    0 => {}
                    1 => self.n_nodes += 1,
                    2 => {
                        self.n_nodes += 1;
                        self.push(start, depth + 1);
                    }
                    _ => {
                        self.n_nodes += 1;
                        waiting.push((start, depth + 1));
                    }
                }
            }
            waiting[before..].reverse();
        }
        let left = words.len() * 2 + words.remainder().len();
        if 0 < left { Err(format!("{left} bytes behind the tree")) } else { Ok(()) }
    }

    fn push(&mut self, first: [u16; 3], depth: u32) {
        // One less than the number of cells, which may be 2^16.
        let more = ((1_u32 << (MAX_DEPTH - depth)) - 1) as u16;
        self.leaves.push(OctreeLeaf { first, last: first.map(|k| k + more) });
        while let Some(parent) = self.full_parent() {
            self.leaves.truncate(self.leaves.len() - 8);
            self.leaves.push(parent);
        }
    }

    /// Returns the cube that the last eight leaves fill, if they do.
    fn full_parent(&self) -> Option<OctreeLeaf> {
        let eight = self.leaves.last_chunk::<8>()?;
        let size = |leaf: &OctreeLeaf| u32::from(leaf.last[0] - leaf.first[0]) + 1;
        // The size of the parent; 2^17 for the root, which has none.
        let whole = 2 * size(&eight[7]);
        if 1 << MAX_DEPTH < whole {
            return None;
        }
        let start = |leaf: &OctreeLeaf| leaf.first.map(|k| (u32::from(k) & !(whole - 1)) as u16);
        let first = start(&eight[7]);
        // Leaves do not overlap, so eight leaves of this size fill the parent.
        let is_full = eight.iter().all(|leaf| 2 * size(leaf) == whole && start(leaf) == first);
        is_full.then(|| OctreeLeaf { first, last: first.map(|k| k + (whole - 1) as u16) })
    }
}
