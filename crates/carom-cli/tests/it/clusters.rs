//! Octrees and point clouds: in questions about two shapes, rays, sweeps and checks.

use crate::run::{carom, error, folder, json, stdout};
use std::sync::LazyLock;

/// Two occupied cells of size 0.5 from 0 along x, and a cloud of three points. They are written
/// once: another test may be reading them.
pub(crate) fn files() -> String {
    static FOLDER: LazyLock<String> = LazyLock::new(write_files);
    FOLDER.clone()
}

fn write_files() -> String {
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
fn two_shapes_are_queried() {
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
    // Points in the box of the mesh, but outside of it.
    std::fs::write(format!("{at}/outer.xyz"), "1.5 1.5 1.5\n-0.9 1 1\n9 9 9\n").unwrap();
    let (d, status) = json(&format!("check {at}/case.obj {at}/outer.xyz --point-radius 0.001 --json"));
    assert_eq!((status, d["clear"].as_bool()), (0, Some(true)), "{d}");
    let text = stdout(&carom(&format!("check {at}/bar.obj {at}/map.bt")));
    assert!(text.contains("bar and map collide: as solids"), "{text}");
    let text = error(&format!("check {at}/bar.obj {at}/scan.xyz"));
    assert!(text.contains("--point-radius is needed"), "{text}");
}

/// Writes the cells of a cube of 16 cells from 0 on as an octree whose leaves are single cells.
fn unmerged_octree(is_occupied: &dyn Fn([u16; 3]) -> bool) -> Vec<u8> {
    /// Writes the node of this first cell and size; words go to the end.
    fn node(first: [u16; 3], size: u16, is_occupied: &dyn Fn([u16; 3]) -> bool, words: &mut Vec<u16>) {
        let start = |child: u16| core::array::from_fn(|axis| first[axis] + size / 2 * (child >> axis & 1));
        let ends = |child: u16| is_occupied(start(child));
        let is_any = |child: u16| {
            let [x, y, z] = start(child);
            (0..size / 2)
                .any(|i| (0..size / 2).any(|j| (0..size / 2).any(|k| is_occupied([x + i, y + j, z + k]))))
        };
        let code = |child: u16| match size {
            2 => 2 * u16::from(ends(child)),
            _ => 3 * u16::from(is_any(child)),
        };
        words.push((0..8).fold(0, |bits, child| bits | code(child) << (2 * child)));
        for child in (0..8).filter(|child| 2 < size && is_any(*child)) {
            node(start(child), size / 2, is_occupied, words);
        }
    }
    // From the root down to the cube: the child at +x, +y, +z, then lowest children.
    let mut words = vec![0b11_u16 << 14];
    words.extend([0b11; 11]);
    node([0; 3], 16, is_occupied, &mut words);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Leaves are merged when a file is read. Distances, touches and rays from outside are those of
/// single cells.
#[test]
fn merged_leaves_answer_as_single_cells() {
    use carom_math::f64::{Interval, Pose, Ray};
    use carom_query::f64::{Shape, VoxelBox, Voxels, cast_ray, distance, intersects, project_point};
    use glam::{DQuat, DVec3};
    use std::sync::Arc;
    let mut random = carom_testkit::random::Random::new(5);
    for round in 0..6 {
        // A ball, a wall, and some cells by chance.
        let chance: Vec<bool> = (0..4096).map(|_| random.below(30) == 0).collect();
        let is_occupied = move |cell: [u16; 3]| {
            let at = DVec3::from_array(cell.map(f64::from)) - 8.0;
            let is_solid = if round % 2 == 0 { at.length() < 6.5 } else { at.x.abs() < 2.5 };
            let [x, y, z] = cell.map(usize::from);
            is_solid || chance[256 * x + 16 * y + z]
        };
        let data = unmerged_octree(&is_occupied);
        let tree = carom_io::parse_octree_data(&data, 0.25, carom_io::UnknownCells::Free).unwrap();
        let merged: Vec<VoxelBox> =
            tree.leaves.iter().map(|leaf| VoxelBox { first: leaf.first, last: leaf.last }).collect();
        let all = (0..4096_u16).map(|i| [i / 256, i / 16 % 16, i % 16]).filter(|cell| is_occupied(*cell));
        let single: Vec<VoxelBox> = all.map(|cell| VoxelBox::cell(cell.map(|k| k + 32768))).collect();
        assert!(2 * merged.len() < single.len(), "{} and {}", merged.len(), single.len());
        let shape = |boxes: Vec<VoxelBox>| {
            Shape::Voxels(Arc::new(
                Voxels::new(DVec3::splat(tree.origin()), DVec3::splat(0.25), boxes).unwrap(),
            ))
        };
        let (few, many) = (shape(merged), shape(single));
        let mut unit = || random.below(2001) as f64 / 1000.0 - 1.0;
        let (mut n_touching, mut n_hits) = (0, 0);
        for k in 0..300 {
            let other = match k % 3 {
                0 => Shape::sphere(0.3).unwrap(),
                1 => Shape::cuboid(DVec3::new(0.2, 0.7, 0.1)).unwrap(),
                _ => Shape::cone(0.4, 0.3).unwrap(),
            };
            let turn = DQuat::from_xyzw(unit(), unit(), unit(), unit() + 3.0).normalize();
            let pose = Pose::new(turn, 2.0 + 4.0 * DVec3::new(unit(), unit(), unit()));
            let [x, y] = [&few, &many].map(|map| distance(map, &Pose::IDENTITY, &other, &pose).distance);
            assert!((x - y).abs() < 1e-9, "{x} {y}");
            let [x, y] = [&few, &many].map(|map| intersects(map, &Pose::IDENTITY, &other, &pose));
            assert_eq!(x, y);
            n_touching += usize::from(x);
            // A ray that begins in a part ends where it leaves that part.
            if project_point(&few, &Pose::IDENTITY, pose.translation).is_some_and(|near| near.is_inside) {
                continue;
            }
            let ray = Ray::new(pose.translation, DVec3::new(unit(), unit(), unit() + 0.01));
            let all = Interval::new(0.0, f64::INFINITY);
            let [x, y] = [&few, &many].map(|map| cast_ray(map, &Pose::IDENTITY, &ray, all).map(|hit| hit.t));
            match (x, y) {
                (Some(x), Some(y)) => assert!((x - y).abs() < 1e-9, "{x} {y}"),
                (x, y) => assert_eq!(x, y),
            }
            n_hits += usize::from(x.is_some());
        }
        assert!(15 < n_touching && n_touching < 270 && 15 < n_hits, "{n_touching} {n_hits}");
    }
}

/// An arm of 2 m turns towards a point, at an angle in closed form; a cloud on its hand meets a
/// cell, at another.
#[test]
fn a_trajectory_meets_clouds_and_carries_them() {
    let at = files();
    std::fs::write(
        format!("{at}/boom.urdf"),
        r#"<robot name="boom"><link name="foot"/><link name="boom"><collision><origin xyz="1 0 5"/>
        <geometry><box size="2 0.2 0.2"/></geometry></collision></link>
        <joint name="turn" type="revolute"><parent link="foot"/><child link="boom"/><axis xyz="0 0 1"/>
        <limit lower="-4" upper="4"/></joint></robot>"#,
    )
    .unwrap();
    std::fs::write(format!("{at}/turn.csv"), "time,turn\n0,-1\n2,1\n").unwrap();
    std::fs::write(format!("{at}/post.xyz"), "0 1.5 5\n1.2 0.3 5\n").unwrap();
    let check = format!("check {at}/boom.urdf --trajectory {at}/turn.csv --point-radius 0.05");
    let (d, status) = json(&format!("{check} {at}/post.xyz --json"));
    assert_eq!((status, d["parts"].clone()), (1, serde_json::json!(["boom", "post"])), "{d}");
    // The second point meets the side of the boom.
    let (angle, far) = (0.3_f64.atan2(1.2), 0.3_f64.hypot(1.2));
    let time = 1.0 + angle - (0.15 / far).asin();
    let found = d["pairs"][0]["time"].as_f64().unwrap();
    assert!(found <= time && time - found < 1e-5, "{found} {time}");
    // A cloud on the boom, at its height 0 and 2.5 from the axis, turns into the first cell, whose
    // nearest edge is at x = 1 and y = 0, from below.
    std::fs::write(format!("{at}/load.xyz"), "0.9 0 0.25\n").unwrap();
    let (d, status) = json(&format!("{check} {at}/map.bt --attach boom={at}/load.xyz --json"));
    assert_eq!((status, d["parts"].clone()), (1, serde_json::json!(["boom", "map", "load"])), "{d}");
    let pairs = d["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 1, "{d}");
    assert_eq!((pairs[0]["a"].as_str(), pairs[0]["b"].as_str()), (Some("map"), Some("load")));
    // The centre of the ball reaches y = -0.05 below the cells, which are from 0 to 1 along x.
    let time = 1.0 - (0.05_f64 / 0.9).asin();
    let found = pairs[0]["time"].as_f64().unwrap();
    assert!(found <= time && time - found < 1e-5, "{found} {time}");
    // The same load in a check of one pose; and a mesh on the link.
    let (d, _) = json(&format!(
        "check {at}/boom.urdf {at}/map.bt --attach boom={at}/load.xyz --point-radius 0.05 --joint turn=0.1 --json"
    ));
    assert_eq!(d["pairs"].as_array().unwrap().len(), 1, "{d}");
    let (d, status) =
        json(&format!("check {at}/boom.urdf --attach boom=cube.obj --trajectory {at}/turn.csv --json"));
    assert_eq!((status, d["parts"][1].as_str(), d["clear"].as_bool()), (0, Some("cube"), Some(true)), "{d}");
    let text = error(&format!("{check} --attach arm={at}/load.xyz"));
    assert!(text.contains("--attach arm: no robot has this link"), "{text}");
    let text = error(&format!("{check} --attach boom"));
    assert!(text.contains("not LINK=FILE"), "{text}");
}

/// The page has boxes for a cloud of many points, but not many; the picture shows them.
#[test]
fn a_page_draws_clusters_with_few_boxes() {
    let at = files();
    let mut text = String::new();
    let mut random = carom_testkit::random::Random::new(9);
    for _ in 0..60_000 {
        let mut on = |n: usize| random.below(n) as f64 * 0.001;
        let [x, y] = [on(6000), on(6000)];
        text += &format!("{x} {y} {}\n", 0.3 * (x - 3.0) * (y - 3.0) / 9.0);
    }
    std::fs::write(format!("{at}/ground.xyz"), text).unwrap();
    carom(&format!("check cube.obj {at}/ground.xyz {at}/map.bt --point-radius 0.01 --html {at}/scan.html"));
    let page = folder().join("clusters/scan.html");
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.len() < 1_500_000, "{} bytes", html.len());
    let text = crate::many_parts::description(&html).to_string();
    assert!(text.contains("ground: 60000 parts are drawn as "), "{text}");
    let picture = crate::player::screenshot(&page, "frame=0", &folder().join("clusters/scan.png"));
    let Some(picture) = picture else { return };
    // The ground touches the cube: both are red.
    let n_red = crate::player::n_of_hue(&picture, [214.0, 62.0, 62.0]);
    assert!(20_000 < n_red, "{n_red} red pixels");
}
