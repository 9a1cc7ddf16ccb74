//! Real meshes, assemblies and robots.

use carom_io::{Model, Part, Placement};
use carom_testkit::data;
use serde_json::Value;
use std::collections::HashMap;

fn json(path: &std::path::Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The folders below `name` in the data, sorted.
fn folders(name: &str) -> Vec<std::path::PathBuf> {
    let Some(root) = data::find(name) else { return Vec::new() };
    let mut folders: Vec<_> =
        std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()).collect();
    folders.sort();
    folders
}

#[test]
fn meshes_have_the_counts_of_their_list() {
    let Some(list) = data::find("meshes/meshes.json") else { return };
    let folder = list.parent().unwrap().to_path_buf();
    let list = json(&list);
    let entries: Vec<&Value> = match &list {
        Value::Array(entries) => entries.iter().collect(),
        _ => list.get("meshes").and_then(Value::as_array).map(|m| m.iter().collect()).unwrap_or_default(),
    };
    let mut n_checked = 0;
    for file in std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()) {
        if carom_io::Format::of(&file).is_none() || file.extension().unwrap() == "json" {
            continue;
        }
        let mesh = carom_io::read_mesh(&file).unwrap();
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let entry = entries.iter().find(|e| {
            ["name", "mesh", "file"]
                .iter()
                .any(|k| e.get(k).and_then(Value::as_str).is_some_and(|v| v.split('.').next() == Some(&stem)))
        });
        if let Some(n) = entry.and_then(|e| e.get("triangles").or(e.get("tri"))).and_then(Value::as_u64) {
            assert_eq!(mesh.triangles.len() as u64, n, "{stem}");
            n_checked += 1;
        }
    }
    assert!(30 < n_checked, "{n_checked}");
}

#[test]
fn numbers_beyond_single_precision_are_kept() {
    let Some(file) = data::find("meshes/cray_right.obj") else { return };
    let mesh = carom_io::read_mesh(&file).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let numbers: Vec<f64> = text
        .lines()
        .filter_map(|l| l.strip_prefix("v "))
        .flat_map(|l| l.split_whitespace().map(|x| x.parse::<f64>().unwrap()))
        .collect();
    let read: Vec<f64> = mesh.vertices.iter().flat_map(|v| v.to_array()).collect();
    assert_eq!(read, numbers);
    assert!(read.iter().any(|x| x.abs() > 1e38));
}

#[test]
fn assemblies_have_their_parts() {
    for folder in folders("assemblies") {
        let list = json(&folder.join("assembly.json"));
        let model = carom_io::read(&folder.join("assembly.json")).unwrap();
        assert_eq!(model.parts.len(), list["parts"].as_array().unwrap().len());
        let n: usize = model.parts.iter().map(Part::n_triangles).sum();
        assert_eq!(n as u64, list["triangles_placed"].as_u64().unwrap(), "{folder:?}");
    }
}

/// Each piece of each link, by mesh file size and triangle count, stands where the list of the
/// robot says.
#[test]
fn robots_stand_at_their_zero_pose() {
    for folder in folders("robots") {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let robot: Model = carom_io::read(&folder.join(format!("{name}.urdf"))).unwrap();
        let list = carom_io::read(&folder.join("assembly_zero_pose.json")).unwrap();
        let truth = json(&folder.join("assembly_zero_pose.json"));
        let mut by_link: HashMap<&str, Vec<&Part>> = HashMap::new();
        for (part, entry) in list.parts.iter().zip(truth["parts"].as_array().unwrap()) {
            by_link.entry(entry["link"].as_str().unwrap()).or_default().push(part);
        }
        let n_pieces: usize = robot.parts.iter().map(|p| p.pieces.len()).sum();
        assert_eq!(n_pieces, list.parts.len(), "{name}");
        for part in &robot.parts {
            let expected = &by_link[part.name.as_str()];
            assert_eq!(part.pieces.len(), expected.len());
            for (piece, other) in part.pieces.iter().zip(expected) {
                let other = &other.pieces[0];
                assert_eq!(piece.mesh, other.mesh);
                assert_eq!(piece.scale, other.scale);
                let Placement(a) = piece.placement;
                let Placement(b) = other.placement;
                let worst = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(worst < 1e-14, "{name} {}: {worst}", part.name);
            }
        }
    }
}

#[test]
fn prosthetic_hand_is_binary_stl() {
    let Some(folder) = data::find("hulls/mpl_hand") else { return };
    let mut n = 0;
    for file in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if file.extension().is_some_and(|e| e.eq_ignore_ascii_case("stl")) {
            assert!(!carom_io::read_mesh(&file).unwrap().triangles.is_empty());
            n += 1;
        }
    }
    assert_eq!(n, 14);
}
