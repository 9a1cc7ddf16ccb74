//! Skins, morph targets and animations: vertices agree with the specification, and refusals name
//! the fault.

use super::gltf_document::{As, Document};
use super::gltf_oracle::Oracle;
use carom_io::{AnimatedModel, Format, Options};
use carom_testkit::data;
use carom_testkit::random::Random;
use glam::DVec3;
use serde_json::{Value, json};
use std::path::Path;

fn animated(document: &Value) -> Result<AnimatedModel, String> {
    let bytes = document.to_string().into_bytes();
    let model = carom_io::parse_animated(&bytes, Path::new("file.gltf"), &Options::default());
    model.map_err(|e| e.to_string())
}

fn refusal(document: &Value) -> String {
    let message = animated(document).expect_err("a bad file");
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

/// The vertices at these times are those of the oracle, read as an animated scene and as a model.
fn check(name: &str, bytes: &[u8], path: &Path, times: &[f64]) {
    let oracle = Oracle::new(bytes, path.parent().unwrap_or(Path::new("")));
    let options = Options::default();
    let model = carom_io::parse_animated(bytes, path, &options).unwrap();
    let mut positions = Vec::new();
    for time in times.iter().copied().map(Some).chain([None]) {
        let pose = time.map_or_else(|| model.rest_pose(), |seconds| model.pose_at(seconds));
        let truth = oracle.positions(time);
        let posed = carom_io::parse_with(bytes, Format::Gltf, path, &options.with_time(time)).unwrap();
        assert_eq!(model.parts().len(), posed.parts.len());
        for (i, part) in model.parts().iter().enumerate() {
            model.positions_into(&pose, i, &mut positions);
            let truth = &truth[&model.nodes()[part.node()].number()];
            let size = truth.iter().map(|p| p.length()).fold(1e-3, f64::max);
            assert_eq!(positions.len(), truth.len(), "{name}");
            for (vertex, (p, q)) in positions.iter().zip(truth).enumerate() {
                let off = p.distance(*q) / size;
                assert!(off < 1e-9, "{name}: {time:?} s, {}, vertex {vertex}: {p}, not {q}", part.name());
            }
            assert_eq!(posed.parts[i].name, part.name());
            assert_eq!(posed.parts[i].world_mesh().unwrap().vertices, positions, "{name}");
        }
    }
}

/// Gives a node a random transform.
fn transform(random: &mut Random, node: &mut Value) {
    let three = |random: &mut Random, low: f64, high: f64| [0; 3].map(|_| random.range(low, high));
    if random.below(4) != 0 {
        node["translation"] = json!(three(random, -2.0, 2.0));
    }
    if random.below(3) != 0 {
        node["rotation"] = json!(rotation(random));
    }
    if random.below(3) == 0 {
        let sign = if random.below(4) == 0 { -1.0 } else { 1.0 };
        node["scale"] = json!(three(random, 0.3, 2.0).map(|x| x * sign));
    }
}

fn rotation(random: &mut Random) -> [f64; 4] {
    let q = glam::DVec4::from_array([0; 4].map(|_| random.range(-1.0, 1.0)));
    q.normalize_or(glam::DVec4::W).to_array()
}

/// Adds channels of all kinds for some nodes. `weights` holds the nodes with morph targets, and
/// the number of targets of each.
fn animate(random: &mut Random, document: &mut Document, weights: &[(usize, usize)]) {
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    for node in 0..document.nodes.len() {
        for path in ["translation", "rotation", "scale", "weights"] {
            let n_targets = weights.iter().find(|(of, _)| *of == node).map(|(_, n)| *n);
            let width = match (path, n_targets) {
                ("rotation", _) => 4,
                ("weights", Some(n)) => n,
                ("weights", None) => continue,
                _ => 3,
            };
            if random.below(2) == 0 || (path != "weights" && document.nodes[node].get("matrix").is_some()) {
                continue;
            }
            let n = 1 + random.below(5);
            let mut time = random.range(0.0, 0.5);
            let times: Vec<f64> = (0..n)
                .map(|_| {
                    time += random.range(0.05, 1.0);
                    time
                })
                .collect();
            let way = ["STEP", "LINEAR", "CUBICSPLINE", ""][random.below(4)];
            let n_values = if way == "CUBICSPLINE" { 3 * n } else { n };
            let mut previous = [0.0, 0.0, 0.0, 1.0];
            let mut numbers = Vec::new();
            for _ in 0..n_values {
                match path {
                    "rotation" => {
                        // Successive keys are equal, opposite or unrelated.
                        previous = match random.below(4) {
                            0 => previous,
                            1 => previous.map(|x| -x),
                            _ => rotation(random),
                        };
                        numbers.extend(previous);
                    }
                    "scale" => numbers.extend((0..width).map(|_| random.range(0.4, 1.6))),
                    _ => numbers.extend((0..width).map(|_| random.range(-1.0, 1.0))),
                }
            }
            let how = match (path, random.below(3)) {
                ("rotation", 0) => As::UnitI16,
                ("rotation", 1) => As::UnitI8,
                ("weights", 0) => As::UnitI8,
                ("weights", 1) => As::UnitI16,
                _ => As::F32,
            };
            let input = document.accessor(&times, 1, As::F32);
            let output = document.accessor(&numbers, if path == "weights" { 1 } else { width }, how);
            let mut sampler = json!({"input": input, "output": output});
            if !way.is_empty() {
                sampler["interpolation"] = json!(way);
            }
            channels.push(json!({"sampler": samplers.len(), "target": {"node": node, "path": path}}));
            samplers.push(sampler);
        }
    }
    // Two animations, which drive different things.
    let half = channels.len() / 2;
    for channels in [&channels[..half], &channels[half..]] {
        document.animations.push(json!({"channels": channels, "samplers": samplers}));
    }
}

/// A tree of nodes with three meshes: one rigid, one with morph targets, and one skinned that has
/// targets, too.
fn random_scene(random: &mut Random) -> Document {
    let mut document = Document::default();
    let n_joints = 1 + random.below(5);
    let n_nodes = n_joints + 3;
    for node in 0..n_nodes {
        let mut item = json!({"name": format!("n{node}")});
        if random.below(6) == 0 {
            let [x, y, z] = [0; 3].map(|_| random.range(-1.0, 1.0));
            item["matrix"] =
                json!([1.0, 0.2, 0.0, 0.0, -0.3, 1.1, 0.0, 0.0, 0.0, 0.1, 0.9, 0.0, x, y, z, 1.0]);
        } else {
            transform(random, &mut item);
        }
        document.nodes.push(item);
    }
    // Each hangs from an earlier one, so that meshes hang from joints and joints from meshes.
    let mut children = vec![Vec::new(); n_nodes];
    for node in 1..n_nodes {
        children[random.below(node)].push(node);
    }
    for (node, children) in children.into_iter().enumerate().filter(|(_, children)| !children.is_empty()) {
        document.nodes[node]["children"] = json!(children);
    }
    let mut order: Vec<usize> = (0..n_nodes).collect();
    for i in 0..n_nodes {
        order.swap(i, random.below(n_nodes));
    }
    let (meshes, joints) = order.split_at(3);
    let mut weighted = Vec::new();
    for (mesh, node) in meshes.iter().enumerate() {
        let n_targets = if mesh == 0 { 0 } else { random.below(4) };
        let mut primitives = Vec::new();
        for _ in 0..1 + random.below(2) {
            let n = 3 * (1 + random.below(4));
            let points: Vec<f64> = (0..3 * n).map(|_| random.range(-1.0, 1.0)).collect();
            let position = document.accessor(&points, 3, As::F32);
            let mut primitive = json!({"attributes": {"POSITION": position}});
            let targets: Vec<Value> = (0..n_targets)
                .map(|_| match random.below(4) {
                    0 => json!({}),
                    1 => {
                        let some: Vec<(usize, [f64; 3])> =
                            (0..n).step_by(2).map(|v| (v, random.cube_point().to_array())).collect();
                        json!({"POSITION": document.sparse(n, &some)})
                    }
                    how => {
                        let how = if how == 2 { As::UnitI16 } else { As::F32 };
                        let moves: Vec<f64> = (0..3 * n).map(|_| random.range(-1.0, 1.0)).collect();
                        json!({"POSITION": document.accessor(&moves, 3, how), "NORMAL": position})
                    }
                })
                .collect();
            if 0 < n_targets {
                primitive["targets"] = json!(targets);
            }
            if mesh == 2 {
                for set in 0..1 + random.below(2) {
                    let numbers: Vec<f64> = (0..4 * n).map(|_| random.below(n_joints) as f64).collect();
                    let how = [As::U8, As::U16][random.below(2)];
                    let joints = document.accessor(&numbers, 4, how);
                    primitive["attributes"][format!("JOINTS_{set}")] = json!(joints);
                    let mut weights = Vec::new();
                    for _ in 0..n {
                        let some = [0; 4].map(|_| random.below(3) as f64 * random.range(0.1, 1.0));
                        let some = if set == 0 && some == [0.0; 4] { [1.0, 0.0, 0.0, 0.0] } else { some };
                        let sum: f64 = some.iter().sum::<f64>().max(1.0);
                        weights.extend(some.map(|weight| weight / sum));
                    }
                    let how = [As::F32, As::UnitU8, As::UnitU16][random.below(3)];
                    let weights = document.accessor(&weights, 4, how);
                    primitive["attributes"][format!("WEIGHTS_{set}")] = json!(weights);
                }
            }
            primitives.push(primitive);
        }
        let mut item = json!({"primitives": primitives});
        let some_weights =
            |random: &mut Random| -> Vec<f64> { (0..n_targets).map(|_| random.range(-1.0, 1.0)).collect() };
        if 0 < n_targets {
            weighted.push((*node, n_targets));
            if random.below(2) == 0 {
                item["weights"] = json!(some_weights(random));
            }
            if random.below(2) == 0 {
                document.nodes[*node]["weights"] = json!(some_weights(random));
            }
        }
        document.meshes.push(item);
        document.nodes[*node]["mesh"] = json!(mesh);
    }
    document.nodes[meshes[2]]["skin"] = json!(0);
    // A skin at a node without a mesh has nothing to move, so it is not read.
    document.nodes[joints[0]]["skin"] = json!(0);
    let mut skin = json!({"joints": joints});
    if random.below(4) != 0 {
        let mut numbers = Vec::new();
        for _ in joints {
            let [x, y, z] = [0; 3].map(|_| random.range(-1.0, 1.0));
            numbers.extend([0.9, 0.1, 0.0, 0.0, 0.0, 1.2, -0.3, 0.0, 0.2, 0.0, 1.0, 0.0, x, y, z, 1.0]);
        }
        skin["inverseBindMatrices"] = json!(document.accessor(&numbers, 16, As::F32));
    }
    document.skins.push(skin);
    animate(random, &mut document, &weighted);
    document
}

#[test]
fn vertices_are_those_of_the_specification() {
    let n = if std::env::var_os("CAROM_SLOW").is_some() { 3000 } else { 100 };
    let (mut n_morphed, mut n_moved) = (0, 0);
    for seed in 0..n {
        let mut random = Random::new(seed);
        let document = random_scene(&mut random);
        let bytes = document.json().to_string().into_bytes();
        let times: Vec<f64> =
            [-1.0, 0.0, 9.0].into_iter().chain((0..5).map(|_| random.range(0.0, 4.0))).collect();
        check(&format!("seed {seed}"), &bytes, Path::new("file.gltf"), &times);
        let model = animated(&document.json()).unwrap();
        n_morphed += usize::from(model.parts().iter().any(|part| !part.pieces()[0].targets().is_empty()));
        n_moved += usize::from(model.pose_at(0.7) != model.pose_at(1.1));
    }
    assert!(n / 2 < n_morphed as u64 && n / 2 < n_moved as u64, "{n_morphed}, {n_moved} of {n}");
}

/// The frames of a real sequence are morph targets of the first frame, each with full weight at
/// its time.
#[test]
fn a_real_sequence_is_played_frame_by_frame() {
    let folder = "sequences/cesium_man_walk";
    let Some((meta, path)) = data::json(&format!("{folder}/meta.json")).zip(data::find(folder)) else {
        println!("skipped: no {folder}");
        return;
    };
    let n = meta["vertices"].as_u64().unwrap() as usize;
    let words = |file: &str| {
        let bytes = std::fs::read(path.join(file)).unwrap();
        bytes.chunks_exact(4).map(|b| [b[0], b[1], b[2], b[3]]).collect::<Vec<_>>()
    };
    let numbers: Vec<f64> =
        words("positions.f32").into_iter().map(|b| f64::from(f32::from_le_bytes(b))).collect();
    let indices: Vec<f64> =
        words("triangles.u32").into_iter().map(|b| f64::from(u32::from_le_bytes(b))).collect();
    let frames: Vec<&[f64]> = numbers.chunks_exact(3 * n).step_by(6).collect();
    let mut document = Document::default();
    let position = document.accessor(frames[0], 3, As::F32);
    let indices = document.accessor(&indices, 1, As::U16);
    let targets: Vec<Value> = frames[1..]
        .iter()
        .map(|frame| {
            let moves: Vec<f64> = frame.iter().zip(frames[0]).map(|(x, y)| x - y).collect();
            json!({"POSITION": document.accessor(&moves, 3, As::F32)})
        })
        .collect();
    let n_targets = targets.len();
    document.meshes.push(json!({"primitives": [
        {"attributes": {"POSITION": position}, "indices": indices, "targets": targets}
    ]}));
    document.nodes.push(json!({"mesh": 0}));
    let times: Vec<f64> = (0..frames.len()).map(|i| 0.25 * i as f64).collect();
    let weights: Vec<f64> = (0..frames.len())
        .flat_map(|frame| (0..n_targets).map(move |target| f64::from(u8::from(target + 1 == frame))))
        .collect();
    let (input, output) = (document.accessor(&times, 1, As::F32), document.accessor(&weights, 1, As::UnitU8));
    document.animations.push(json!({
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
        "samplers": [{"input": input, "output": output}],
    }));
    let model = animated(&document.json()).unwrap();
    let mut positions = Vec::new();
    for (frame, time) in frames.iter().zip(&times) {
        model.positions_into(&model.pose_at(*time), 0, &mut positions);
        let truth = frame.chunks_exact(3).map(DVec3::from_slice);
        let off = positions.iter().zip(truth).map(|(p, q)| p.distance(q)).fold(0.0, f64::max);
        assert!(positions.len() == n && off < 1e-6, "at {time} s: {off}");
    }
}

/// A strip that two joints bend, with one morph target: nodes 0 (mesh), 1 and 2 (joints).
pub(crate) fn strip() -> Document {
    let mut document = Document::default();
    let points: Vec<f64> = (0..4).flat_map(|i| [f64::from(i), 0.0, 0.0, f64::from(i), 1.0, 0.0]).collect();
    let position = document.accessor(&points, 3, As::F32);
    let corners: Vec<f64> =
        (0..3).flat_map(|i| [0, 2, 1, 1, 2, 3].map(|corner| f64::from(2 * i + corner))).collect();
    let indices = document.accessor(&corners, 1, As::U16);
    let target = document.sparse(8, &[(6, [0.0, 0.0, 1.0]), (7, [0.0, 0.0, 1.0])]);
    let joints: Vec<f64> = (0..8).flat_map(|_| [0.0, 1.0, 0.0, 0.0]).collect();
    let joints = document.accessor(&joints, 4, As::U8);
    let weights: Vec<f64> =
        (0..8).map(|vertex| f64::from(vertex / 2) / 3.0).flat_map(|w| [1.0 - w, w, 0.0, 0.0]).collect();
    let weights = document.accessor(&weights, 4, As::F32);
    let identity = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let mut inverse = [identity; 2].concat();
    inverse[16 + 12] = -1.5;
    let inverse = document.accessor(&inverse, 16, As::F32);
    let times = document.accessor(&[0.0, 1.0, 2.0], 1, As::F32);
    let turn = document.accessor(
        &[[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.6, 0.8], [0.0, 0.0, 0.0, 1.0]].concat(),
        4,
        As::F32,
    );
    let weight = document.accessor(&[0.0, 1.0, 0.5], 1, As::F32);
    document.meshes.push(json!({"primitives": [{
        "attributes": {"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights},
        "indices": indices, "targets": [{"POSITION": target}],
    }]}));
    document.nodes = vec![
        json!({"name": "strip", "mesh": 0, "skin": 0, "translation": [5.0, 0.0, 0.0]}),
        json!({"name": "root", "children": [2]}),
        json!({"name": "tip", "translation": [1.5, 0.0, 0.0]}),
    ];
    document.roots = vec![0, 1];
    document.skins.push(json!({"joints": [1, 2], "inverseBindMatrices": inverse}));
    document.animations.push(json!({
        "name": "bend",
        "channels": [
            {"sampler": 0, "target": {"node": 2, "path": "rotation"}},
            {"sampler": 1, "target": {"node": 0, "path": "weights"}},
        ],
        "samplers": [{"input": times, "output": turn}, {"input": times, "output": weight}],
    }));
    document
}

#[test]
fn a_skin_ignores_its_node_and_rest_is_noted() {
    let document = strip().json();
    let bytes = document.to_string().into_bytes();
    let path = Path::new("file.gltf");
    check("strip", &bytes, path, &[0.25, 1.0, 1.7]);
    let model = animated(&document).unwrap();
    assert_eq!((model.end(), model.played(), model.notes().len()), (2.0, &[0][..], 0));
    assert_eq!(model.animations()[0].name(), Some("bend"));
    assert_eq!(model.parts()[0].pieces()[0].influences(7), [(1, 1.0)]);
    // At rest the strip is at its vertices: its node is 5 away, but a skin ignores its node.
    let rest = carom_io::parse(&bytes, Format::Gltf, path).unwrap();
    assert_eq!(rest.parts[0].world_mesh().unwrap().vertices[1].to_array(), [0.0, 1.0, 0.0]);
    assert_eq!(rest.notes, ["the file has animations: its nodes stand as at rest; check --time poses them"]);
    let posed = carom_io::parse_with(&bytes, Format::Gltf, path, &Options::default().with_time(Some(1.0)));
    let posed = posed.unwrap();
    // A rotation about the tip at 1.5, whose cosine is 0.28.
    let tip = posed.parts[0].world_mesh().unwrap().vertices[6];
    assert!(tip.distance(DVec3::new(1.5 + 1.5 * 0.28, 1.5 * 0.96, 1.0)) < 1e-7, "{tip}");
    assert!(posed.notes.is_empty(), "{:?}", posed.notes);
}

#[test]
fn animations_that_drive_the_same_are_not_mixed() {
    let mut document = strip();
    let times = document.accessor(&[0.0, 4.0], 1, As::F32);
    let n_slots = document.accessor(&[0.0, 0.0, 0.0, 4.0, 0.0, 0.0], 3, As::F32);
    let samplers = json!([{"input": times, "output": n_slots}]);
    let channel = |node: usize, path: &str| json!({"sampler": 0, "target": {"node": node, "path": path}});
    let first = document.animations[0].clone();
    document.animations.extend([
        json!({"name": "again", "channels": first["channels"], "samplers": first["samplers"]}),
        json!({"channels": [channel(1, "translation"), {"sampler": 0, "target": {"path": "scale"}}], "samplers": samplers}),
        json!({"channels": [channel(1, "pointer")], "samplers": samplers}),
    ]);
    let model = animated(&document.json()).unwrap();
    assert_eq!((model.played(), model.end()), (&[0, 2, 3][..], 4.0));
    assert_eq!(
        model.notes(),
        [
            "animations[2]: 1 channels drive no node of the scene and are left out",
            "animations[3].channels[0]: the path \"pointer\" is not read",
            "animations[1] (again) drives what animations[0] (bend) drives, and is not played",
        ]
    );
    // All joints hang from the root.
    let (mut together, mut bent) = (Vec::new(), Vec::new());
    model.positions_into(&model.pose_at(1.0), 0, &mut together);
    model.positions_into(&model.pose_of(&[1], 1.0), 0, &mut bent);
    for (p, q) in together.iter().zip(&bent) {
        assert!(p.distance(*q + DVec3::X) < 1e-12, "{p} {q}");
    }
    assert_eq!(model.pose_of(&[7], 1.0), model.rest_pose());
}

#[test]
fn weights_are_divided_by_their_sum() {
    let mut document = strip().json();
    // Bytes that are not marked as normalized.
    let mut other = strip();
    let weights: Vec<f64> = (0..8).flat_map(|_| [0.5, 0.5, 0.0, 0.0]).collect();
    let bytes = other.accessor(&weights, 4, As::UnitU8);
    let halves = other.accessor(&weights.iter().map(|w| 0.5 * w).collect::<Vec<_>>(), 4, As::F32);
    for (accessor, note) in [
        (bytes, None),
        (
            halves,
            Some(
                "meshes[0].primitives[0]: the joints of 8 vertices have weights whose sum is not 1, and are divided by it",
            ),
        ),
    ] {
        document = other.json();
        document["accessors"][accessor]["normalized"] = json!(false);
        document["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = json!(accessor);
        let model = animated(&document).unwrap();
        assert_eq!(model.parts()[0].pieces()[0].influences(3), [(0, 0.5), (1, 0.5)]);
        assert_eq!(model.notes().first().map(String::as_str), note);
    }
    assert!(document["skins"].is_array());
}

/// A refusal names the first wrong item by its list and index.
#[test]
fn motion_that_is_not_sound_is_refused_by_name() {
    let primitive = "/meshes/0/primitives/0";
    let cases = [
        ("/nodes/0/skin".to_owned(), json!(4), "nodes[0] (strip): skins[4] of 1"),
        (
            "/skins/0/joints".to_owned(),
            json!([1]),
            "nodes[0] (strip): vertex 2 has the joint 1 of 1 of skins[0]",
        ),
        ("/skins/0/joints".to_owned(), json!([1, 7]), "skins[0]: the joint nodes[7] is not in the scene"),
        (
            "/skins/0/joints".to_owned(),
            json!([2, 2]),
            "nodes[0] (strip): skins[0]: the joint nodes[2] is listed twice",
        ),
        (
            "/skins/0/inverseBindMatrices".to_owned(),
            json!(0),
            "nodes[0] (strip): skins[0]: accessors[0] has no matrices of 16 floats",
        ),
        (
            "/accessors/5/count".to_owned(),
            json!(1),
            "nodes[0] (strip): skins[0]: accessors[5] has 1 matrices for 2 joints",
        ),
        (
            "/skins/0/inverseBindMatrices".to_owned(),
            json!(99),
            "nodes[0] (strip): skins[0]: accessors[99] of 9",
        ),
        (
            format!("{primitive}/attributes/JOINTS_0"),
            json!(0),
            "nodes[0] (strip): meshes[0].primitives[0]: accessors[0] has elements of 3 numbers, not 4",
        ),
        (
            format!("{primitive}/attributes/JOINTS_0"),
            json!(4),
            "nodes[0] (strip): meshes[0].primitives[0]: accessors[4]: joints are not whole numbers",
        ),
        (
            format!("{primitive}/attributes"),
            json!({"POSITION": 0}),
            "nodes[0] (strip): meshes[0].primitives[0]: a skin, and no JOINTS_0",
        ),
        (
            format!("{primitive}/attributes"),
            json!({"POSITION": 0, "WEIGHTS_1": 0}),
            "nodes[0] (strip): meshes[0].primitives[0]: WEIGHTS_1 without JOINTS_1",
        ),
        (
            "/accessors/4/count".to_owned(),
            json!(7),
            "nodes[0] (strip): meshes[0].primitives[0]: accessors[4] has 7 elements, not 8",
        ),
        (
            format!("{primitive}/targets"),
            json!([{"POSITION": 1}]),
            "nodes[0] (strip): meshes[0].primitives[0]: targets[0]: accessors[1] has elements of 1 numbers, not 3",
        ),
        (
            format!("{primitive}/targets"),
            json!([{}, {"POSITION": 55}]),
            "nodes[0] (strip): meshes[0].primitives[0]: targets[1]: accessors[55] of 9",
        ),
        (
            "/meshes/0/weights".to_owned(),
            json!([0.5, 1]),
            "nodes[0] (strip): meshes[0]: 2 weights for 1 morph targets",
        ),
        ("/nodes/0/weights".to_owned(), json!([]), "nodes[0] (strip): 0 weights for 1 morph targets"),
        (
            "/animations/0/channels/0/sampler".to_owned(),
            json!(2),
            "animations[0]: channels[0]: samplers[2] of 2",
        ),
        (
            "/animations/0/channels/1/target/node".to_owned(),
            json!(1),
            "animations[0]: channels[1]: nodes[1] (root) has no morph targets",
        ),
        (
            "/animations/0/channels/1/target".to_owned(),
            json!({"node": 2, "path": "rotation"}),
            "animations[0]: channels[1]: drives the rotation of nodes[2] (tip) once more",
        ),
        (
            "/nodes/2".to_owned(),
            json!({"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}),
            "animations[0]: channels[0]: drives nodes[2], which has a matrix",
        ),
        (
            "/animations/0/samplers/0/interpolation".to_owned(),
            json!("BEZIER"),
            "animations[0]: channels[0]: the interpolation \"BEZIER\" is not known",
        ),
        (
            "/animations/0/samplers/0/interpolation".to_owned(),
            json!("CUBICSPLINE"),
            "animations[0]: channels[0]: accessors[7] has 12 numbers for 3 keys, which need 36",
        ),
        (
            "/animations/0/samplers/0/input".to_owned(),
            json!(8),
            "animations[0]: channels[0]: accessors[8]: key 2 at 0.5 is before the last one",
        ),
        (
            "/animations/0/samplers/0/output".to_owned(),
            json!(0),
            "animations[0]: channels[0]: accessors[0] has elements of 3 numbers, not 4",
        ),
        (
            "/animations/0/samplers/1/output".to_owned(),
            json!(1),
            "animations[0]: channels[1]: accessors[1] has 18 numbers for 3 keys, which need 3",
        ),
    ];
    for (pointer, value, message) in cases {
        let mut document = strip().json();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = document.pointer_mut(parent).unwrap();
        match name.parse::<usize>() {
            Ok(item) => parent[item] = value,
            Err(_) => parent[name] = value,
        }
        assert_eq!(refusal(&document), format!("file.gltf: {message}"), "{pointer}");
        let options = Options::default().with_keep_going(true);
        let bytes = document.to_string().into_bytes();
        // With the option to keep going, the wrong item is listed if the rest can be read.
        if let Ok(model) = carom_io::parse_animated(&bytes, Path::new("file.gltf"), &options) {
            assert_eq!(model.unread(), [message]);
        }
    }
}

#[test]
fn numbers_that_are_not_finite_are_refused_by_name() {
    for (accessor, number, message) in [
        (4, f32::NAN, "meshes[0].primitives[0]: vertex 0 has the weight NaN"),
        (4, -0.25, "meshes[0].primitives[0]: vertex 0 has the weight -0.25"),
        (5, f32::INFINITY, "skins[0]: accessors[5]: matrix 0: number 0 of the matrix, inf, is not finite"),
        (6, f32::NAN, "accessors[6]: NaN of element 0 is not finite"),
        (7, f32::INFINITY, "accessors[7]: inf of element 0 is not finite"),
        (8, f32::NEG_INFINITY, "accessors[8]: -inf of element 0 is not finite"),
    ] {
        let mut document = strip();
        document.overwrite(accessor, number);
        let said = refusal(&document.json());
        assert!(said.contains(message), "{said}");
    }
    let mut document = strip();
    let far = document.sparse(8, &[(5, [0.0, f64::NAN, 0.0])]);
    document.meshes[0]["primitives"][0]["targets"] = json!([{"POSITION": far}]);
    let said = refusal(&document.json());
    assert!(said.contains("targets[0]: accessors[9]: vertex 5: [0, NaN, 0] is not finite"), "{said}");
    // Weights of 0 alone, and a joint whose vertices overflow.
    let mut document = strip();
    let zeros = document.accessor(&[0.0; 32], 4, As::F32);
    document.meshes[0]["primitives"][0]["attributes"]["WEIGHTS_0"] = json!(zeros);
    assert!(refusal(&document.json()).contains("vertex 0 has no joint with a weight above 0"));
    let mut document = strip().json();
    document["nodes"][1]["scale"] = json!([1e300, 1.0, 1.0]);
    document["nodes"][2]["scale"] = json!([1e300, 1.0, 1.0]);
    let options = Options::default();
    let said =
        carom_io::parse_with(document.to_string().as_bytes(), Format::Gltf, Path::new("f.x"), &options);
    let said = said.unwrap_err().to_string();
    assert_eq!(said, "f.x: nodes[0] (strip): vertex 2 overflows when it is displaced");
}

#[test]
fn parts_beside_a_bad_skin_are_kept_on_demand() {
    let mut document = strip();
    document.skins[0]["joints"] = json!([1, 7]);
    document.nodes[2]["mesh"] = json!(0);
    let bytes = document.json().to_string().into_bytes();
    let options = Options::default().with_keep_going(true).with_time(Some(0.5));
    let model = carom_io::parse_with(&bytes, Format::Gltf, Path::new("file.gltf"), &options).unwrap();
    assert_eq!((model.parts.len(), model.parts[0].name.as_str()), (1, "tip"));
    assert_eq!(model.unread, ["skins[0]: the joint nodes[7] is not in the scene"]);
    // An animation that is not sound is left out likewise.
    let mut document = strip().json();
    document["animations"][0]["samplers"] = json!([]);
    let bytes = document.to_string().into_bytes();
    let model = carom_io::parse_with(&bytes, Format::Gltf, Path::new("file.gltf"), &options).unwrap();
    assert_eq!(model.unread, ["animations[0]: channels[0]: samplers[0] of 0"]);
    assert_eq!(model.parts.len(), 1);
}

#[test]
fn a_mirrored_skin_keeps_its_outside_and_has_no_instances() {
    let mut document = strip();
    let read = |document: &Document| {
        let bytes = document.json().to_string().into_bytes();
        carom_io::parse(&bytes, Format::Gltf, Path::new("file.gltf")).unwrap()
    };
    let mesh = read(&document).parts[0].world_mesh().unwrap();
    document.nodes[1]["scale"] = json!([-1.0, 1.0, 1.0]);
    let mirrored = read(&document).parts[0].world_mesh().unwrap();
    assert_eq!(mirrored.vertices[6], mesh.vertices[6] * DVec3::new(-1.0, 1.0, 1.0));
    let [a, b, c] = mesh.triangles[0];
    assert_eq!(mirrored.triangles[0], [a, c, b]);
    let moves = document.accessor(&[9.0, 0.0, 0.0, 0.0, 9.0, 0.0], 3, As::F32);
    document.nodes[0]["extensions"] =
        json!({"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": moves}}});
    let model = read(&document);
    assert_eq!(model.unread, ["nodes[0] (strip): instances of a skinned mesh are not read"]);
    assert_eq!((model.parts.len(), model.parts[0].world_mesh().unwrap()), (1, mirrored));
}
