//! Where the real data is, for tests that run where it is present.

use carom_bounds::{Aabb, BoundingVolume};
use glam::Vec3;
use std::path::{Path, PathBuf};

/// The file or folder `name` of the real data set: under `CAROM_DATA` if that is set, else under
/// `shared/data` beside the workspace. `None`, with a printed line, where it is not present, so
/// that a test can return early.
pub fn find(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("CAROM_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let path = root.join(name);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: no {name} in the data folder");
    None
}

/// The JSON file `name` of the real data set; `None`, with a printed line, where it is not present.
pub fn json(name: &str) -> Option<serde_json::Value> {
    let text = std::fs::read_to_string(find(name)?).ok()?;
    serde_json::from_str(&text).ok()
}

/// The 32,006 boxes of `broadphase/aabbs_32006.txt`, as their file says them: six numbers a line.
pub fn boxes() -> Option<Vec<Aabb>> {
    let text = std::fs::read_to_string(find("broadphase/aabbs_32006.txt")?).ok()?;
    text.lines()
        .map(|line| {
            let sides: Vec<f32> = numbers(line)?;
            let [a, b, c, d, e, f] = sides.try_into().ok()?;
            Some(Aabb { min: Vec3::new(a, b, c), max: Vec3::new(d, e, f) })
        })
        .collect()
}

/// The boxes of the brushes of `levels/<name>.brushes.txt`: those around the vertices that the file
/// lists of each.
pub fn brush_boxes(name: &str) -> Option<Vec<Aabb>> {
    let text = std::fs::read_to_string(find(&format!("levels/{name}.brushes.txt"))?).ok()?;
    let mut brushes: Vec<Vec<Vec3>> = Vec::new();
    for line in text.lines() {
        if line.starts_with("brush ") {
            brushes.push(Vec::new());
        } else if let Some(vertex) = line.strip_prefix("v ") {
            let [x, y, z] = numbers(vertex)?.try_into().ok()?;
            brushes.last_mut()?.push(Vec3::new(x, y, z));
        }
    }
    Some(brushes.iter().map(|vertices| Aabb::from_points(vertices)).collect())
}

fn numbers(line: &str) -> Option<Vec<f32>> {
    line.split_whitespace().map(|word| word.parse().ok()).collect()
}
