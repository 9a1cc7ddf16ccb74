//! Octrees and point clouds: in questions about two shapes, rays, sweeps and checks.

use crate::run::{carom, error, folder, json, stdout};

/// Two occupied cells of size 0.5 from 0 along x, and a cloud of three points.
fn files() -> String {
    let folder = folder().join("clusters");
    std::fs::create_dir_all(&folder).unwrap();
    // The root's child at +x, +y, +z, then 14 times the lowest child, and two cells beside each
    // other.
    let mut data = vec![0b11_u16 << 14];
    data.extend([0b11; 14]);
    data.push(0b1010);
    let head = format!("# Octomap OcTree binary file\nid OcTree\nsize {}\nres 0.5\ndata\n", data.len() + 2);
    let bytes = data.iter().flat_map(|word| word.to_le_bytes());
    std::fs::write(folder.join("map.bt"), head.bytes().chain(bytes).collect::<Vec<u8>>()).unwrap();
    std::fs::write(folder.join("scan.xyz"), "2 0.25 0.25\n3 0.25 0.25\n9 9 9\n").unwrap();
    std::fs::write(folder.join("cut.bt"), "# Octomap OcTree binary file\nid OcTree\nsize 1\n").unwrap();
    folder.display().to_string()
}

#[test]
fn two_shapes_are_asked() {
    let at = files();
    let (d, _) = json(&format!("distance {at}/map.bt points:0.1:{at}/scan.xyz --json"));
    assert!((d["distance"].as_f64().unwrap() - 0.9).abs() < 1e-12, "{d}");
    let (d, _) =
        json(&format!("distance octree:{at}/map.bt sphere:0.25 --pose-b 1.5,0.25,0.25,0,0,0,1 --json"));
    assert!((d["distance"].as_f64().unwrap() - 0.25).abs() < 1e-12, "{d}");
    let (d, _) = json(&format!("ray {at}/map.bt --from 3,0.25,0.25 --dir -1,0,0 --json"));
    assert!(d.to_string().contains("2.0"), "{d}");
    let text = error(&format!("distance points:0:{at}/scan.xyz sphere:1"));
    assert!(text.contains("the radius must be finite and above 0"), "{text}");
    let text = error(&format!("distance {at}/cut.bt sphere:1"));
    assert!(text.contains("cut.bt") && text.contains("no line"), "{text}");
}

#[test]
fn parts_are_checked_against_clouds_and_maps() {
    let at = files();
    std::fs::write(
        format!("{at}/bar.obj"),
        "v 0.9 0 0\nv 1.95 0 0\nv 0.9 0.4 0\nv 0.9 0 0.4\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    )
    .unwrap();
    let (d, status) =
        json(&format!("check {at}/bar.obj {at}/map.bt {at}/scan.xyz --point-radius 0.1 --json"));
    assert_eq!((status, d["parts"].clone()), (1, serde_json::json!(["bar", "map", "scan"])));
    assert_eq!(d["pairs"].as_array().unwrap().len(), 1, "{d}");
    assert_eq!((d["pairs"][0]["a"].as_str(), d["pairs"][0]["b"].as_str()), (Some("bar"), Some("map")));
    assert_eq!(d["pairs"][0]["contact"], "overlapping");
    let (d, _) = json(&format!(
        "check {at}/bar.obj {at}/map.bt {at}/scan.xyz --point-radius 0.1 --json --clearance 0.5"
    ));
    assert_eq!(d["pairs"].as_array().unwrap().len(), 2, "{d}");
    // A point in a closed mesh, whose surface it does not reach.
    let (d, status) = json(&format!("check cube.obj {at}/scan.xyz --point-radius 0.001 --json"));
    assert_eq!((status, d["clear"].as_bool()), (0, Some(true)), "{d}");
    std::fs::write(format!("{at}/inner.xyz"), "0.01 0.02 0.03\n9 9 9\n").unwrap();
    std::fs::write(
        format!("{at}/case.obj"),
        "v -1 -1 -1\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    )
    .unwrap();
    let (d, status) = json(&format!("check {at}/case.obj {at}/inner.xyz --point-radius 0.001 --json"));
    assert_eq!((status, d["pairs"][0]["intersects"].as_bool()), (1, Some(true)), "{d}");
    let text = stdout(&carom(&format!("check {at}/bar.obj {at}/map.bt")));
    assert!(text.contains("bar and map collide: as solids"), "{text}");
    let text = error(&format!("check {at}/bar.obj {at}/scan.xyz"));
    assert!(text.contains("--point-radius is needed"), "{text}");
}
