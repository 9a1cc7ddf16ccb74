//! Fields as bytes, and back. Each number is checked when it is read, and no more memory is taken
//! than the bytes fill.
//!
//! All numbers are little-endian. Eight bytes name the kind and version; then come grid, band,
//! sign and accuracy; then the values. A sparse field has the kind of each block before them:
//! outside, inside or stored.
//!
//! Reference: M. Jones, J. Baerentzen, M. Sramek, 3D Distance Fields: A Survey of Techniques and
//! Applications, IEEE TVCG 12(4), 2006.

use crate::bake::{Accuracy, Header, N_BLOCK_NODES};
use crate::dense::{SdfGrid, check_size};
use crate::error::SdfError;
use crate::grid::Grid;
use crate::sign::SignMethod;
use crate::sparse::{FIRST, INSIDE, OUTSIDE, SparseSdf, check_blocks, n_blocks};
use alloc::vec;
use alloc::vec::Vec;
use glam::{IVec3, UVec3};

const DENSE: [u8; 8] = *b"carSDFd1";
const SPARSE: [u8; 8] = *b"carSDFs1";

impl SdfGrid {
    /// The field as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = write_header(&DENSE, &self.header);
        write_values(&mut out, &self.values);
        out
    }

    /// Reads a field that [`SdfGrid::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<SdfGrid, SdfError> {
        let (header, mut rest) = read_header(&DENSE, bytes)?;
        check_size(&header.grid, u64::MAX)?;
        let values = read_values(&mut rest, &header, header.grid.n_nodes())?;
        end(rest)?;
        Ok(SdfGrid { header, values })
    }
}

impl SparseSdf {
    /// The field as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = write_header(&SPARSE, &self.header);
        out.extend(self.blocks.iter().map(|&index| match index {
            OUTSIDE => 0_u8,
            INSIDE => 1,
            _ => 2,
        }));
        write_values(&mut out, &self.values[FIRST as usize..]);
        out
    }

    /// Reads a field that [`SparseSdf::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<SparseSdf, SdfError> {
        let (header, mut rest) = read_header(&SPARSE, bytes)?;
        let cells = header.grid.cells();
        check_blocks(&cells, u64::MAX)?;
        let kinds = take(&mut rest, n_blocks(cells).to_array().into_iter().map(u64::from).product())?;
        let n_stored = kinds.iter().filter(|kind| **kind == 2).count();
        if i32::MAX as usize / N_BLOCK_NODES - 2 < n_stored {
            return Err(SdfError::BadBytes { why: "too many blocks" });
        }
        if header.band.is_infinite() && n_stored < kinds.len() {
            return Err(SdfError::BadBytes { why: "a field without a band has a block without values" });
        }
        if !header.sign.is_signed() && kinds.contains(&1) {
            return Err(SdfError::BadBytes { why: "a block inside of a field that has no inside" });
        }
        let stored = read_values(&mut rest, &header, (n_stored * N_BLOCK_NODES) as u64)?;
        end(rest)?;
        let mut values = vec![header.band; FIRST as usize];
        values[INSIDE as usize..].fill(-header.band);
        values.extend_from_slice(&stored);
        let mut blocks = Vec::with_capacity(kinds.len());
        let mut next = FIRST;
        for kind in kinds {
            blocks.push(match kind {
                0 => OUTSIDE,
                1 => INSIDE,
                2 => {
                    next += N_BLOCK_NODES as u32;
                    next - N_BLOCK_NODES as u32
                }
                _ => return Err(SdfError::BadBytes { why: "an unknown kind of block" }),
            });
        }
        Ok(SparseSdf { header, blocks, values })
    }
}

fn write_header(kind: &[u8; 8], header: &Header) -> Vec<u8> {
    let mut out = kind.to_vec();
    out.extend(header.grid.cell().to_le_bytes());
    out.extend(header.grid.first().to_array().into_iter().flat_map(i32::to_le_bytes));
    out.extend(header.grid.cells().to_array().into_iter().flat_map(u32::to_le_bytes));
    out.extend(header.band.to_le_bytes());
    let (sign, doubtful) = match header.sign {
        SignMethod::WindingExact => (0_u32, 0.0),
        SignMethod::Parity => (1, 0.0),
        SignMethod::Winding { doubtful } => (2, doubtful),
        SignMethod::Unsigned => (3, 0.0),
        SignMethod::Given => (4, 0.0),
    };
    let accuracy = match header.accuracy {
        Accuracy::Exact => 0_u32,
        Accuracy::Bound => 1,
        Accuracy::Estimate => 2,
    };
    out.extend(sign.to_le_bytes());
    out.extend(doubtful.to_le_bytes());
    out.extend(accuracy.to_le_bytes());
    out
}

fn read_header<'a>(kind: &[u8; 8], bytes: &'a [u8]) -> Result<(Header, &'a [u8]), SdfError> {
    let mut rest = bytes;
    if take(&mut rest, 8)? != kind {
        return Err(SdfError::BadBytes { why: "they begin as no field of this kind does" });
    }
    let cell = f32::from_bits(word(&mut rest)?);
    let first = [word(&mut rest)?, word(&mut rest)?, word(&mut rest)?].map(u32::cast_signed);
    let cells = [word(&mut rest)?, word(&mut rest)?, word(&mut rest)?];
    let grid = Grid::new(cell, IVec3::from_array(first), UVec3::from_array(cells))?;
    let band = f32::from_bits(word(&mut rest)?);
    if !(2.0 * cell <= band) {
        return Err(SdfError::BadBand { band: band / cell });
    }
    let sign = match (word(&mut rest)?, f32::from_bits(word(&mut rest)?)) {
        (2, doubtful) if 0.0 <= doubtful && doubtful <= 0.5 => SignMethod::Winding { doubtful },
        (0, 0.0) => SignMethod::WindingExact,
        (1, 0.0) => SignMethod::Parity,
        (3, 0.0) => SignMethod::Unsigned,
        (4, 0.0) => SignMethod::Given,
        _ => return Err(SdfError::BadBytes { why: "an unknown sign method" }),
    };
    let accuracy = match word(&mut rest)? {
        0 => Accuracy::Exact,
        1 => Accuracy::Bound,
        2 => Accuracy::Estimate,
        _ => return Err(SdfError::BadBytes { why: "an unknown accuracy" }),
    };
    Ok((Header { grid, band, sign, accuracy }, rest))
}

fn write_values(out: &mut Vec<u8>, values: &[f32]) {
    out.reserve(4 * values.len());
    out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

fn read_values(rest: &mut &[u8], header: &Header, n: u64) -> Result<Vec<f32>, SdfError> {
    let bytes = take(rest, n.saturating_mul(4))?;
    let values: Vec<f32> =
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let least = if header.sign.is_signed() { -header.band } else { 0.0 };
    if !values.iter().all(|v| v.is_finite() && least <= *v && *v <= header.band) {
        return Err(SdfError::BadBytes { why: "a value is not finite, or beyond the band" });
    }
    Ok(values)
}

fn word(rest: &mut &[u8]) -> Result<u32, SdfError> {
    let mut word = [0; 4];
    word.copy_from_slice(take(rest, 4)?);
    Ok(u32::from_le_bytes(word))
}

/// Returns the next `n` bytes, or an error if there are fewer.
fn take<'a>(rest: &mut &'a [u8], n: u64) -> Result<&'a [u8], SdfError> {
    let found = usize::try_from(n).ok().and_then(|n| rest.split_at_checked(n));
    let Some((taken, after)) = found else { return Err(SdfError::BadBytes { why: "they end too early" }) };
    *rest = after;
    Ok(taken)
}

fn end(rest: &[u8]) -> Result<(), SdfError> {
    if rest.is_empty() { Ok(()) } else { Err(SdfError::BadBytes { why: "they go on after the end" }) }
}
