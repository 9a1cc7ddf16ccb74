//! Files in which two lists multiply: memory and time stay in proportion to the sum of their
//! lengths.

use super::folder;
use super::hostile::{bounded, bounded_with};
use base64::Engine;
use carom_io::{Format, Options};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A glTF document; `lists` has nodes, meshes, accessors, buffer views and buffers.
fn gltf(lists: &str) -> String {
    format!(r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],{lists}}}"#)
}

/// The list of one buffer in the text.
fn buffers(bytes: &[u8]) -> String {
    let data = base64::engine::general_purpose::STANDARD.encode(bytes);
    format!(r#""buffers":[{{"byteLength":{},"uri":"data:;base64,{data}"}}]"#, bytes.len())
}

fn list(n: usize, item: impl Fn(usize) -> String) -> String {
    (0..n).map(item).collect::<Vec<_>>().join(",")
}

fn floats(numbers: impl IntoIterator<Item = f32>) -> Vec<u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes).collect()
}

const CORNERS: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

/// A robot of one link with a mesh in `n` places.
fn robot(n: usize, mesh: &str) -> String {
    let mut all = String::new();
    for i in 0..n {
        let _ = write!(
            all,
            r#"<collision><origin xyz="{i} 0 0"/><geometry><mesh filename="{mesh}"/></geometry></collision>"#
        );
    }
    format!(r#"<robot name="r"><link name="a">{all}</link></robot>"#)
}

/// A scene of `n` parts.
fn scene(n: usize, mesh: &str) -> String {
    format!(r#"{{"parts":[{}]}}"#, list(n, |i| format!(r#"{{"mesh":"{mesh}","name":"{i}"}}"#)))
}

/// Reads a document in a folder, and places all its parts, one after the other.
fn placed(name: &str, text: &str, format: Format, path: &Path) -> Result<(), String> {
    let size: u64 =
        fs::read_dir(path.parent().unwrap()).unwrap().map(|f| f.unwrap().metadata().unwrap().len()).sum();
    bounded_with(name, size + text.len() as u64, || {
        let model = carom_io::parse(text.as_bytes(), format, path).map_err(|e| e.to_string())?;
        for part in &model.parts {
            let _ = part.world_mesh();
        }
        Ok(())
    })
}

#[test]
fn meshes_with_loose_vertices_are_placed_often() {
    let folder = folder("loose");
    let mut text = String::from("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for i in 0..60_000 {
        let _ = writeln!(text, "v {i} 0 1");
    }
    fs::write(folder.join("loose.obj"), text).unwrap();
    let ply = "ply\nformat ascii 1.0\nelement vertex 60003\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n";
    fs::write(folder.join("loose.ply"), ply.to_owned() + &"1 1 1\n".repeat(60_000) + "3 0 1 2\n").unwrap();
    for mesh in ["loose.obj", "loose.ply"] {
        placed(mesh, &robot(1000, mesh), Format::Urdf, &folder.join("r.urdf")).unwrap();
        placed(mesh, &scene(1000, mesh), Format::Scene, &folder.join("s.json")).unwrap();
    }
    // A file that is read alone keeps them.
    assert_eq!(carom_io::read_mesh(&folder.join("loose.obj")).unwrap().vertices.len(), 60_003);
}

/// A mesh of many pieces, each of one triangle.
fn pieces(n: usize, more: &str, more_views: &str, bytes: &[u8]) -> String {
    let primitives = list(n, |i| format!(r#"{{"attributes":{{"POSITION":{}}}}}"#, i + 1));
    let accessors = list(n + 1, |i| {
        let (view, count) = if i == 0 { (1, bytes.len() / 12 - 3) } else { (0, 3) };
        format!(r#"{{"bufferView":{view},"componentType":5126,"count":{count},"type":"VEC3"}}"#)
    });
    gltf(&format!(
        r#""nodes":[{{"mesh":0{more}}}],"meshes":[{{"primitives":[{primitives}]}}],"accessors":[{accessors}],"bufferViews":[{{"buffer":0,"byteLength":36}}{more_views}],{}"#,
        buffers(bytes)
    ))
}

#[test]
fn meshes_of_many_pieces_are_placed_often() {
    let folder = folder("pieces");
    let one = floats(CORNERS);
    fs::write(folder.join("pieces.gltf"), pieces(2000, "", "", &[&one[..], &one].concat())).unwrap();
    let text = robot(2000, "pieces.gltf");
    let message = placed("robot", &text, Format::Urdf, &folder.join("r.urdf")).unwrap_err();
    assert!(message.contains("--max-triangles"), "{message}");
    let text = scene(2000, "pieces.gltf");
    let message = placed("scene", &text, Format::Scene, &folder.join("s.json")).unwrap_err();
    assert!(message.contains("--max-triangles"), "{message}");
    let instances = 20_000;
    let moves = floats(CORNERS.into_iter().chain((0..3 * instances).map(|i| i as f32)));
    let view = format!(r#",{{"buffer":0,"byteOffset":36,"byteLength":{}}}"#, 12 * instances);
    let more = r#","extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":0}}}"#;
    let text = pieces(2000, more, &view, &moves);
    let message = bounded("instances", text.as_bytes(), Format::Gltf, Path::new("g.gltf")).unwrap_err();
    assert!(message.contains("--max-triangles"), "{message}");
}

#[test]
fn long_names_are_given_to_many_parts() {
    let name = "n".repeat(50_000);
    let n = 5000;
    let nodes = list(n, |i| format!(r#"{{"mesh":0,"translation":[{i},0,0]}}"#));
    let children = list(n, |i| (i + 1).to_string());
    let rest = format!(
        r#""accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}}],"bufferViews":[{{"buffer":0,"byteLength":36}}],{}"#,
        buffers(&floats(CORNERS))
    );
    let text = gltf(&format!(
        r#""nodes":[{{"children":[{children}]}},{nodes}],"meshes":[{{"name":"{name}","primitives":[{{"attributes":{{"POSITION":0}}}}]}}],{rest}"#
    ));
    let model = bounded("mesh", text.as_bytes(), Format::Gltf, Path::new("g.gltf")).unwrap();
    assert_eq!(model.parts.len(), n);
    assert!(model.notes.iter().any(|note| note.contains("name")), "{:?}", model.notes);
    assert_ne!(model.parts[0].name, model.parts[1].name);
    let moves = floats(CORNERS.into_iter().chain((0..3 * n).map(|i| i as f32)));
    let text = gltf(&format!(
        r#""nodes":[{{"name":"{name}","mesh":0,"extensions":{{"EXT_mesh_gpu_instancing":{{"attributes":{{"TRANSLATION":1}}}}}}}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],"accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}},{{"bufferView":1,"componentType":5126,"count":{n},"type":"VEC3"}}],"bufferViews":[{{"buffer":0,"byteLength":36}},{{"buffer":0,"byteOffset":36,"byteLength":{}}}],{}"#,
        12 * n,
        buffers(&moves)
    ));
    let model = bounded("node", text.as_bytes(), Format::Gltf, Path::new("g.gltf")).unwrap();
    assert_eq!(model.parts.len(), n);
}

#[test]
fn buffers_of_one_file_grow() {
    let folder = folder("growing");
    fs::write(folder.join("big.bin"), vec![0; 2 << 20]).unwrap();
    let n = 1000;
    let sizes = list(n, |i| format!(r#"{{"byteLength":{},"uri":"big.bin"}}"#, 2000 * (i + 1)));
    let views = list(n, |i| format!(r#"{{"buffer":{i},"byteLength":36}}"#));
    let accessors =
        list(n, |i| format!(r#"{{"bufferView":{i},"componentType":5126,"count":3,"type":"VEC3"}}"#));
    let primitives = list(n, |i| format!(r#"{{"attributes":{{"POSITION":{i}}}}}"#));
    let text = gltf(&format!(
        r#""nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{primitives}]}}],"accessors":[{accessors}],"bufferViews":[{views}],"buffers":[{sizes}]"#
    ));
    placed("growing", &text, Format::Gltf, &folder.join("g.gltf")).unwrap();
    // All accessors exceed the buffer, and each mesh is tried.
    let sizes = list(n, |i| format!(r#"{{"byteLength":{},"uri":"big.bin"}}"#, (3 << 20) + i));
    let meshes = list(n, |i| format!(r#"{{"primitives":[{{"attributes":{{"POSITION":{i}}}}}]}}"#));
    let nodes = list(n, |i| format!(r#"{{"mesh":{i}}}"#));
    let children = list(n, |i| (i + 1).to_string());
    let text = gltf(&format!(
        r#""nodes":[{{"children":[{children}]}},{nodes}],"meshes":[{meshes}],"accessors":[{accessors}],"bufferViews":[{views}],"buffers":[{sizes}]"#
    ));
    let options = Options::default().with_keep_going(true);
    let path = folder.join("g.gltf");
    bounded_with("short", (2 << 20) + text.len() as u64, || {
        carom_io::parse_with(text.as_bytes(), Format::Gltf, &path, &options).map_err(|e| e.to_string())
    })
    .unwrap_err();
}

#[test]
fn sparse_values_are_used_often() {
    let n = 40_000;
    let mut bytes = floats(CORNERS);
    bytes.extend((0..3 * n).map(|i| i as f32).flat_map(f32::to_le_bytes));
    bytes.extend((0..n as u32).flat_map(u32::to_le_bytes));
    bytes.extend([0, 1, 2, 0]);
    let indices = 36 + 16 * n;
    let sparse = format!(
        r#"{{"componentType":5126,"count":{n},"type":"VEC3","sparse":{{"count":{n},"indices":{{"bufferView":1,"componentType":5125}},"values":{{"bufferView":0}}}}}}"#
    );
    let uses = 3000;
    let index =
        list(uses, |_| r#"{"bufferView":2,"componentType":5121,"count":3,"type":"SCALAR"}"#.to_owned());
    let primitives = list(uses, |i| format!(r#"{{"attributes":{{"POSITION":0}},"indices":{}}}"#, i + 1));
    let text = gltf(&format!(
        r#""nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{primitives}]}}],"accessors":[{sparse},{index}],"bufferViews":[{{"buffer":0,"byteOffset":36,"byteLength":{}}},{{"buffer":0,"byteOffset":{},"byteLength":{}}},{{"buffer":0,"byteOffset":{indices},"byteLength":3}}],{}"#,
        12 * n,
        36 + 12 * n,
        4 * n,
        buffers(&bytes)
    ));
    let message = bounded("sparse", text.as_bytes(), Format::Gltf, Path::new("g.gltf")).unwrap_err();
    assert!(message.contains("sparse accessors are applied to more than"), "{message}");
}

/// Reads a document of moving parts, at rest, at a time and as a scene, and poses all of it.
fn posed(name: &str, text: &str) -> Result<(), String> {
    let (bytes, path) = (text.as_bytes(), Path::new("g.gltf"));
    let mut answers = Vec::new();
    for time in [None, Some(0.5)] {
        let options = Options::default().with_time(time);
        answers.push(bounded_with(name, bytes.len() as u64, || {
            let model = carom_io::parse_with(bytes, Format::Gltf, path, &options);
            model.map(drop).map_err(|e| e.to_string())
        }));
    }
    answers.push(bounded_with(name, bytes.len() as u64, || {
        let model = carom_io::parse_animated(bytes, path, &Options::default()).map_err(|e| e.to_string())?;
        let (pose, mut positions) = (model.pose_at(0.5), Vec::new());
        (0..model.parts().len()).for_each(|part| model.positions_into(&pose, part, &mut positions));
        Ok(())
    }));
    answers.into_iter().collect()
}

/// The lists of a mesh of `n` vertices with targets, in some nodes.
fn morphs(n: usize, primitive: &str, nodes: &str, more: &str) -> String {
    let points: Vec<f32> = (0..3 * n).map(|i| (i % 97) as f32).collect();
    let size = 12 * n;
    let one = format!(r#"{{"bufferView":0,"componentType":5126,"count":{n},"type":"VEC3"}}"#);
    gltf(&format!(
        r#""nodes":[{nodes}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0{primitive}}}]}}],"accessors":[{one}{more}],"bufferViews":[{{"buffer":0,"byteLength":{size}}}],{}"#,
        buffers(&floats(points))
    ))
}

#[test]
fn targets_and_vertices_multiply() {
    // Each target moves all vertices, by one accessor or by accessors of the same bytes.
    let refused = "skins, morph targets and animations have more than";
    let targets = list(3000, |_| r#"{"POSITION":0}"#.to_owned());
    let text = morphs(3000, &format!(r#"}},"targets":[{targets}]"#), r#"{"mesh":0}"#, "");
    let message = posed("one accessor", &text).unwrap_err();
    assert!(message.contains(refused), "{message}");
    let others = list(3000, |_| {
        r#","#.to_owned() + r#"{"bufferView":0,"componentType":5126,"count":3000,"type":"VEC3"}"#
    })
    .replace(",,", ",");
    let targets = list(3000, |i| format!(r#"{{"POSITION":{}}}"#, i + 1));
    let text = morphs(3000, &format!(r#"}},"targets":[{targets}]"#), r#"{"mesh":0}"#, &others);
    let message = posed("many accessors", &text).unwrap_err();
    assert!(message.contains(refused), "{message}");
    // Many targets of few vertices, in many nodes: each node has its own weights, so each is
    // deformed.
    let children = list(3000, |i| (i + 1).to_string());
    let nodes = list(3000, |i| format!(r#"{{"mesh":0,"translation":[{i},0,0]}}"#));
    let nodes = format!(r#"{{"children":[{children}]}},{nodes}"#);
    for targets in [list(20_000, |_| "{}".to_owned()), list(20_000, |_| r#"{"POSITION":0}"#.to_owned())] {
        let text = morphs(3, &format!(r#"}},"targets":[{targets}]"#), &nodes, "");
        let message = posed("many nodes", &text).unwrap_err();
        assert!(message.contains(refused), "{message}");
    }
    // Ten times a hundred is within the bounds.
    let targets = list(100, |_| r#"{"POSITION":0}"#.to_owned());
    let nodes = list(10, |_| r#"{"mesh":0}"#.to_owned());
    let nodes = format!(r#"{{"children":[{}]}},{nodes}"#, list(10, |i| (i + 1).to_string()));
    posed("few nodes", &morphs(300, &format!(r#"}},"targets":[{targets}]"#), &nodes, "")).unwrap();
}

#[test]
fn skins_and_joints_multiply() {
    let n = 2000;
    let children = list(n, |i| (i + 1).to_string());
    let joints = list(n, |i| (i + 1).to_string());
    // Each skin has all nodes as its joints, and each node has one of the skins.
    let nodes = list(n, |i| format!(r#"{{"mesh":0,"skin":{i}}}"#));
    let nodes = format!(r#"{{"children":[{children}]}},{nodes}"#);
    let skins = list(n / 10, |_| format!(r#"{{"joints":[{joints}]}}"#));
    let primitive = r#","JOINTS_0":1,"WEIGHTS_0":2}"#;
    let accessors = r#",{"bufferView":0,"componentType":5121,"count":3,"type":"VEC4"},{"bufferView":0,"componentType":5121,"count":3,"type":"VEC4","normalized":true}"#;
    let text = morphs(3, primitive, &nodes, accessors)
        .replace(r#""meshes""#, &format!(r#""skins":[{skins}],"meshes""#));
    posed("skins", &text).unwrap_err();
    // One skin with many sets of joints at each vertex.
    let sets = list(3000, |i| format!(r#""JOINTS_{i}":1,"WEIGHTS_{i}":2"#));
    let accessors = accessors.replace(r#""count":3"#, r#""count":3000"#);
    let text = morphs(3000, &format!(",{sets}}}"), r#"{"mesh":0,"skin":0}"#, &accessors)
        .replace(r#""meshes""#, r#""skins":[{"joints":[0]}],"meshes""#);
    let message = posed("sets", &text).unwrap_err();
    assert!(message.contains("skins, morph targets and animations have more than"), "{message}");
}

#[test]
fn channels_and_keys_multiply() {
    let n = 3000;
    let accessors =
        list(n, |_| r#"{"bufferView":0,"componentType":5126,"count":9000,"type":"SCALAR"}"#.to_owned());
    let samplers = list(n, |i| format!(r#"{{"input":{},"output":0}}"#, i + 1));
    let nodes = list(n, |i| format!(r#"{{"mesh":0,"translation":[{i},0,0]}}"#));
    let nodes = format!(r#"{{"children":[{}]}},{nodes}"#, list(n, |i| (i + 1).to_string()));
    let channels = list(n, |i| format!(r#"{{"sampler":{i},"target":{{"node":{},"path":"scale"}}}}"#, i + 1));
    let text = morphs(3000, "}", &nodes, &format!(",{accessors}")).replace(
        r#""meshes""#,
        &format!(r#""animations":[{{"channels":[{channels}],"samplers":[{samplers}]}}],"meshes""#),
    );
    posed("channels", &text).unwrap_err();
    // Many animations, each with a channel of the same node.
    let one = r#"{"channels":[{"sampler":0,"target":{"node":0,"path":"scale"}}],"samplers":[{"input":1,"output":0}]}"#;
    let animations = list(20_000, |_| one.to_owned());
    let times = r#",{"bufferView":0,"componentType":5121,"count":3,"type":"SCALAR"}"#;
    let text = morphs(3, "}", r#"{"mesh":0}"#, times)
        .replace(r#""meshes""#, &format!(r#""animations":[{animations}],"meshes""#));
    posed("animations", &text).unwrap();
}

#[test]
fn many_polygons_cross_themselves() {
    // Random corners from a fixed sequence.
    let mut state = 1_u32;
    let mut random = |n: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % n
    };
    for (n_vertices, n_corners, n_faces) in [(99, 60, 3000), (99, 90, 1500), (999, 1500, 100), (99, 20, 1000)]
    {
        let mut text = String::new();
        for _ in 0..n_vertices {
            let _ = writeln!(text, "v {} {} 0", random(10_000), random(10_000));
        }
        for _ in 0..n_faces {
            text += "f";
            for _ in 0..n_corners {
                let _ = write!(text, " {}", 1 + random(n_vertices));
            }
            text += "\n";
        }
        let name = format!("{n_faces} polygons of {n_corners} corners");
        let _ = bounded(&name, text.as_bytes(), Format::Obj, Path::new("p.obj"));
    }
}
