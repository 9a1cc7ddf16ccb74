//! The folder of the real data, for tests that run if it is present.

use carom_bounds::{Aabb, BoundingVolume};
use glam::Vec3;
use std::path::{Path, PathBuf};

/// Returns the path of the file or folder `name` of the real data set. The set is at `CAROM_DATA`
/// if that is set, else at `shared/data` beside the workspace. If the path does not exist, prints a
/// line and returns `None`, so that a test can return early.
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

/// Reads the JSON file `name` of the real data set. Prints a line and returns `None` if it does not
/// exist.
pub fn json(name: &str) -> Option<serde_json::Value> {
    let text = std::fs::read_to_string(find(name)?).ok()?;
    serde_json::from_str(&text).ok()
}

/// Reads the 32,006 boxes of `broadphase/aabbs_32006.txt`, six numbers in each line: minimum, then
/// maximum.
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

/// Reads the bounding boxes of the brushes of `levels/<name>.brushes.txt`, from the vertices of
/// each.
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
