//! Point clouds: XYZ text, PLY with vertices, and PCD as text or binary.
//!
//! 1. XYZ: three or more numbers on a line, separated by blanks, commas or semicolons. Numbers
//!    after the third, such as colours, are dropped with a note. Decimal commas are refused.
//! 2. PCD: fields x, y and z of 4 or 8 bytes. A point with a NaN has no measurement; it is left
//!    out with a note.
//! 3. The counts of a header must be those of the file. No memory is reserved for them.
//!
//! Reference: R. Rusu, S. Cousins, 3D is here: Point Cloud Library (PCL), ICRA 2011; the PCD file
//! format, version 0.7.
//! Differs: compressed PCD files are refused.

use crate::error::{Location, ReadError};
use crate::files::{self, Files};
use crate::limits::Options;
use crate::ply;
use glam::DVec3;
use std::path::Path;

/// The points of a file.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Points {
    /// Finite positions in the order of the file, at least one.
    pub points: Vec<DVec3>,
    /// Notes about parts of the file that were left out.
    pub notes: Vec<String>,
}

/// Reads the points of an `.xyz`, `.ply` or `.pcd` file.
pub fn read_points(path: &Path) -> Result<Points, ReadError> {
    let options = Options::default();
    let bytes = Files::new(&options).read(path)?;
    parse_points(&bytes, path)
}

/// Reads the bytes of a point cloud. The format is that of the extension of `path`, which also
/// appears in messages.
pub fn parse_points(bytes: &[u8], path: &Path) -> Result<Points, ReadError> {
    let bytes = files::without_mark(bytes).map_err(|e| ReadError::at(path, Location::File, e))?;
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let found = match ending.as_str() {
        "xyz" | "txt" | "asc" => xyz(bytes, path)?,
        "ply" => {
            let (points, notes) = ply::parse_vertices(bytes, path)?;
            Points { points, notes }
        }
        "pcd" => pcd(bytes, path)?,
        _ => return Err(ReadError::UnknownFormat { path: path.to_path_buf() }),
    };
    if let Some(i) = found.points.iter().position(|p| !p.is_finite()) {
        let location = Location::Item(format!("point {i}"));
        return Err(ReadError::at(path, location, format!("{} is not finite", found.points[i])));
    }
    if found.points.is_empty() {
        return Err(ReadError::at(path, Location::File, "no point"));
    }
    Ok(found)
}

fn xyz(bytes: &[u8], path: &Path) -> Result<Points, ReadError> {
    let (mut found, mut n_longer) = (Points::default(), 0_usize);
    for (number, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let at = |reason: String| ReadError::at(path, Location::Line(number + 1), reason);
        let line = core::str::from_utf8(line).map_err(|_| at("not text".to_owned()))?.trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
            continue;
        }
        if let Some(word) = decimal_comma(line) {
            let point = word.replace(',', ".");
            return Err(at(format!(
                "{word:?} may be one number or two: a decimal point is needed ({point})"
            )));
        }
        let mut words = line.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';'));
        let mut next = || words.by_ref().find(|word| !word.is_empty());
        let mut point = [0.0; 3];
        for value in &mut point {
            let word = next().ok_or_else(|| at("fewer than three numbers".to_owned()))?;
            *value = word.parse().map_err(|_| at(format!("{word:?} is no number")))?;
        }
        n_longer += usize::from(next().is_some());
        found.points.push(DVec3::from_array(point));
    }
    if 0 < n_longer {
        found.notes.push(format!("{n_longer} lines have more than three numbers; the others are not read"));
    }
    Ok(found)
}

/// Returns the first word of a line that may be a number with a decimal comma.
///
/// A comma between two digits separates numbers if it does so alone, as in `1,2,3`. Blanks or
/// semicolons beside it, as in `1,5 2 3`, leave it open what the comma is.
fn decimal_comma(line: &str) -> Option<&str> {
    let words = || line.split(|c: char| c.is_whitespace() || c == ';').filter(|word| !word.is_empty());
    let n_commas = |word: &str| word.matches(',').count();
    let is_between = |word: &str| {
        let [before, after] = word.split_once(',').map_or(["", ""], |(before, after)| [before, after]);
        before.ends_with(|c: char| c.is_ascii_digit()) && after.starts_with(|c: char| c.is_ascii_digit())
    };
    // Two commas in a word cannot both be decimal, and a comma at an end of a word separates.
    let is_open = |word: &str| n_commas(word) == 0 || (n_commas(word) == 1 && is_between(word));
    if words().nth(1).is_none() || !words().take(3).all(is_open) {
        return None;
    }
    words().take(3).find(|word| n_commas(word) == 1)
}

/// The position of a field within a point.
#[derive(Clone, Copy)]
struct Field {
    /// The number of its first value, among all values of a point.
    value: usize,
    /// The number of its first byte.
    byte: usize,
    size: usize,
}

fn whole(path: &Path, reason: &str) -> ReadError {
    ReadError::at(path, Location::File, reason)
}

/// The header of a PCD file, and the bytes after it.
struct Pcd<'a> {
    path: &'a Path,
    n_points: usize,
    /// The fields x, y and z.
    axes: [Field; 3],
    /// The number of values of a point, and of its bytes.
    n_values: usize,
    n_bytes: usize,
    /// The word after DATA.
    data: String,
    rest: &'a [u8],
}

impl<'a> Pcd<'a> {
    fn read(bytes: &'a [u8], path: &'a Path) -> Result<Pcd<'a>, ReadError> {
        let whole = |reason: &str| whole(path, reason);
        let (mut rest, mut number) = (bytes, 0);
        let mut header: Vec<(String, Vec<String>)> = Vec::new();
        let data = loop {
            let n = rest.iter().take(1 << 16).position(|b| *b == b'\n');
            let Some(n) = n else { return Err(whole("the header has no line DATA")) };
            let line = core::str::from_utf8(&rest[..n]).map_err(|_| whole("the header is not text"))?.trim();
            rest = &rest[n + 1..];
            number += 1;
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_whitespace().map(str::to_owned);
            let key = words.next().unwrap_or_default().to_ascii_uppercase();
            let words: Vec<String> = words.collect();
            if key == "DATA" {
                break words.first().cloned().unwrap_or_default();
            }
            if !["VERSION", "FIELDS", "SIZE", "TYPE", "COUNT", "WIDTH", "HEIGHT", "VIEWPOINT", "POINTS"]
                .contains(&key.as_str())
            {
                let reason = format!("{key:?} is not known in a header");
                return Err(ReadError::at(path, Location::Line(number), reason));
            }
            header.push((key, words));
        };
        let words =
            |key: &str| header.iter().find(|(name, _)| name == key).map(|(_, words)| words.as_slice());
        let counts = |key: &str| -> Result<Option<Vec<usize>>, ReadError> {
            let Some(words) = words(key) else { return Ok(None) };
            let count = |word: &String| {
                let n = word.parse::<u32>().ok().map(|n| n as usize);
                n.ok_or_else(|| whole(&format!("{key}: {word:?} is no count")))
            };
            words.iter().map(count).collect::<Result<_, _>>().map(Some)
        };
        let missing = |key: &str| whole(&format!("the header has no {key}"));
        let fields = words("FIELDS").ok_or_else(|| missing("FIELDS"))?;
        let sizes = counts("SIZE")?.ok_or_else(|| missing("SIZE"))?;
        let types = words("TYPE").ok_or_else(|| missing("TYPE"))?;
        let each = counts("COUNT")?.unwrap_or_else(|| vec![1; fields.len()]);
        if [sizes.len(), types.len(), each.len()] != [fields.len(); 3] {
            return Err(whole("FIELDS, SIZE, TYPE and COUNT have different lengths"));
        }
        let n_points = match counts("POINTS")?.as_deref() {
            Some([n]) => *n,
            _ => return Err(missing("POINTS")),
        };
        let mut axes: [Option<Field>; 3] = [None; 3];
        let (mut value, mut byte) = (0_usize, 0_usize);
        for (k, name) in fields.iter().enumerate() {
            if let Some(axis) = ["x", "y", "z"].iter().position(|axis| axis == name) {
                if types[k] != "F" || !matches!(sizes[k], 4 | 8) || each[k] != 1 {
                    return Err(whole(&format!("field {name} is not one number of 4 or 8 bytes")));
                }
                axes[axis] = Some(Field { value, byte, size: sizes[k] });
            }
            value = value.saturating_add(each[k]);
            byte = byte.saturating_add(sizes[k].saturating_mul(each[k]));
        }
        let [Some(x), Some(y), Some(z)] = axes else { return Err(whole("fields x, y and z are needed")) };
        Ok(Pcd { path, n_points, axes: [x, y, z], n_values: value, n_bytes: byte, data, rest })
    }

    /// Reads points as lines of text.
    fn read_text(&self, push: &mut dyn FnMut([f64; 3])) -> Result<(), ReadError> {
        let n = self.n_points;
        let whole = |reason: &str| whole(self.path, reason);
        let mut lines = self.rest.split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty());
        for read in 0..n {
            let line = lines.next().ok_or_else(|| whole(&format!("{n} points announced, {read} there")))?;
            let at = |reason: &str| ReadError::at(self.path, Location::Item(format!("point {read}")), reason);
            let line = core::str::from_utf8(line).map_err(|_| at("not text"))?;
            let words: Vec<&str> = line.split_whitespace().collect();
            if words.len() != self.n_values {
                let n_values = self.n_values;
                return Err(at(&format!("{} values, but a point has {n_values}", words.len())));
            }
            let mut point = [0.0; 3];
            for (slot, field) in point.iter_mut().zip(self.axes) {
                let word = words[field.value];
                *slot = word.parse().map_err(|_| at(&format!("{word:?} is no number")))?;
            }
            push(point);
        }
        if lines.next().is_some() {
            return Err(whole("a line behind the points that are announced"));
        }
        Ok(())
    }

    /// Reads points as bytes.
    fn read_binary(&self, push: &mut dyn FnMut([f64; 3])) -> Result<(), ReadError> {
        let Pcd { n_points, n_bytes, rest, .. } = *self;
        if n_points.checked_mul(n_bytes) != Some(rest.len()) {
            let there = rest.len();
            let reason = format!("{n_points} points of {n_bytes} bytes announced, {there} bytes there");
            return Err(whole(self.path, &reason));
        }
        for point in rest.chunks_exact(n_bytes.max(1)) {
            push(self.axes.map(|field| {
                let bytes = &point[field.byte..field.byte + field.size];
                match bytes {
                    [a, b, c, d] => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
                    _ => bytes.try_into().map_or(f64::NAN, f64::from_le_bytes),
                }
            }));
        }
        Ok(())
    }
}

fn pcd(bytes: &[u8], path: &Path) -> Result<Points, ReadError> {
    let pcd = Pcd::read(bytes, path)?;
    let mut found = Points::default();
    let mut n_empty = 0_usize;
    let mut push = |point: [f64; 3]| {
        let point = DVec3::from_array(point);
        if point.is_nan() { n_empty += 1 } else { found.points.push(point) }
    };
    match pcd.data.as_str() {
        "ascii" => pcd.read_text(&mut push)?,
        "binary" => pcd.read_binary(&mut push)?,
        "binary_compressed" => {
            return Err(whole(
                path,
                "a compressed file: write it as binary, for example with pcl_convert_pcd_ascii_binary",
            ));
        }
        other => return Err(whole(path, &format!("DATA {other:?} is not ascii or binary"))),
    }
    if 0 < n_empty {
        found.notes.push(format!("{n_empty} points without a measurement (NaN) are left out"));
    }
    Ok(found)
}
