//! Small files that describe very much: memory and time stay in proportion to the size of the
//! files, and each refusal is one line.

use super::folder;
use base64::Engine;
use carom_io::{Format, Options};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Bytes of memory that any document may take, and those for each byte of it.
const FREE: u64 = 64 << 20;
const PER_BYTE: u64 = 100;

/// Reads a document within the bounds of memory and time. Returns the model or the refusal.
pub(crate) fn bounded(
    name: &str,
    bytes: &[u8],
    format: Format,
    path: &Path,
) -> Result<carom_io::Model, String> {
    bounded_with(name, bytes.len() as u64, || carom_io::parse(bytes, format, path).map_err(|e| e.to_string()))
}

/// Reads files of `bytes` bytes in all within the bounds. A refusal is one line.
pub(crate) fn bounded_with<T>(
    name: &str,
    n_bytes: u64,
    read: impl FnOnce() -> Result<T, String>,
) -> Result<T, String> {
    let mut answer = None;
    let start = Instant::now();
    let counted = allocation_counter::measure(|| answer = Some(read()));
    let bound = FREE + PER_BYTE * n_bytes;
    assert!(counted.bytes_max <= bound, "{name}: {} bytes for {n_bytes}", counted.bytes_max);
    assert!(start.elapsed() < Duration::from_secs(10), "{name}: {:?}", start.elapsed());
    let answer = answer.unwrap();
    if let Err(message) = &answer {
        assert_eq!(message.lines().count(), 1, "{name}");
        assert!(message.len() < 1000, "{name}: {message}");
    }
    answer
}

fn alone(name: &str, bytes: &[u8], format: Format) -> Result<carom_io::Model, String> {
    bounded(name, bytes, format, Path::new("no-such-folder/file.x"))
}

/// A robot of one link.
fn robot(collisions: impl Iterator<Item = String>) -> String {
    let all: String = collisions.map(|c| format!("<collision>{c}</collision>")).collect();
    format!(r#"<robot name="r"><link name="a">{all}</link></robot>"#)
}

#[test]
fn equal_shapes_of_a_robot_are_shared() {
    let ball = |_| r#"<geometry><sphere radius="1"/></geometry>"#.to_owned();
    let model = alone("1000 equal spheres", robot((0..1000).map(ball)).as_bytes(), Format::Urdf).unwrap();
    assert_eq!(model.parts[0].pieces.len(), 1);
    assert!(model.notes.iter().any(|n| n.starts_with("999 shapes repeat others")), "{:?}", model.notes);
    // In different places, or of different sizes, they share the triangles; all placed they are too
    // many.
    let options = Options::default().with_max_triangles(Some(u64::MAX));
    let placed =
        |i: usize| format!(r#"<origin xyz="{i} 0 0"/><geometry><sphere radius="{}"/></geometry>"#, i + 1);
    let text = robot((0..1000).map(placed));
    let message = alone("1000 spheres", text.as_bytes(), Format::Urdf).unwrap_err();
    assert!(message.contains("--max-triangles"), "{message}");
    let mut model = None;
    let path = Path::new("file.x");
    let counted = allocation_counter::measure(|| {
        model = carom_io::parse_with(text.as_bytes(), Format::Urdf, path, &options).ok();
    });
    assert_eq!(model.unwrap().parts[0].pieces.len(), 1000);
    assert!(counted.bytes_max < 8 << 20, "{}", counted.bytes_max);
    for shape in [
        r#"<cylinder radius="1" length="N"/>"#,
        r#"<capsule radius="1" length="N"/>"#,
        r#"<capsule radius="N" length="1"/>"#,
        r#"<box size="1 1 N"/>"#,
    ] {
        let one = |i: usize| format!("<geometry>{}</geometry>", shape.replace('N', &(i + 1).to_string()));
        let _ = alone(shape, robot((0..3000).map(one)).as_bytes(), Format::Urdf);
    }
    // Few shapes keep their usual fineness, and many are made coarser.
    let triangles = |n: usize| {
        alone("spheres", robot((0..n).map(placed)).as_bytes(), Format::Urdf).unwrap().parts[0].n_triangles()
            / n
    };
    assert!(16_000 < triangles(3) && 3_900 < triangles(12) && 900 < triangles(40));
}

/// A glTF document with a buffer in its text.
fn gltf(lists: &str, buffer: &[u8]) -> String {
    let data = base64::engine::general_purpose::STANDARD.encode(buffer);
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],{lists},"buffers":[{{"byteLength":{},"uri":"data:;base64,{data}"}}]}}"#,
        buffer.len()
    )
}

/// Vertices on a line and more, and a list of accessors on them.
fn points(n: usize) -> Vec<u8> {
    (0..n).flat_map(|i| [i as f32, (i * i % 97) as f32, (i % 5) as f32]).flat_map(f32::to_le_bytes).collect()
}

#[test]
fn primitives_and_nodes_share_their_triangles() {
    let buffer = points(30_000);
    let views = format!(r#""bufferViews":[{{"buffer":0,"byteLength":{}}}]"#, buffer.len());
    let accessor = r#"{"bufferView":0,"componentType":5126,"count":30000,"type":"VEC3"}"#;
    let primitive = |accessor: usize| format!(r#"{{"attributes":{{"POSITION":{accessor}}}}}"#);
    let list = |n: usize, item: &dyn Fn(usize) -> String| (0..n).map(item).collect::<Vec<_>>().join(",");
    // The same primitive many times.
    let equal = list(1000, &|_| primitive(0));
    let lists = format!(
        r#""nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{equal}]}}],"accessors":[{accessor}],{views}"#
    );
    let model = alone("equal primitives", gltf(&lists, &buffer).as_bytes(), Format::Gltf).unwrap();
    assert_eq!(model.parts[0].n_triangles(), 10_000);
    assert!(model.notes[0].contains("999 primitives repeat"), "{:?}", model.notes);
    // Different accessors to the same bytes.
    let many = list(1000, &primitive);
    let accessors = list(1000, &|_| accessor.to_owned());
    let lists = format!(
        r#""nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{many}]}}],"accessors":[{accessors}],{views}"#
    );
    let message = alone("many accessors", gltf(&lists, &buffer).as_bytes(), Format::Gltf).unwrap_err();
    assert!(message.contains("--max-triangles"), "{message}");
    // Many nodes with one mesh, and many meshes with one primitive.
    let children = list(1000, &|i| (i + 1).to_string());
    let nodes = list(1000, &|i| format!(r#"{{"mesh":0,"translation":[{i},0,0]}}"#));
    let one = primitive(0);
    let lists = format!(
        r#""nodes":[{{"children":[{children}]}},{nodes}],"meshes":[{{"primitives":[{one}]}}],"accessors":[{accessor}],{views}"#
    );
    let message = alone("many nodes", gltf(&lists, &buffer).as_bytes(), Format::Gltf).unwrap_err();
    assert!(message.contains("--max-triangles"), "{message}");
    let text = gltf(&lists, &buffer);
    let options = Options::default().with_max_triangles(Some(1 << 40));
    let counted = allocation_counter::measure(|| {
        let model = carom_io::parse_with(text.as_bytes(), Format::Gltf, Path::new("a"), &options).unwrap();
        assert_eq!(model.parts.len(), 1000);
    });
    assert!(counted.bytes_max < 8 << 20, "{}", counted.bytes_max);
}

#[test]
fn accessors_without_data_are_short() {
    let lists = |count: &str, more: &str| {
        format!(
            r#""nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],"accessors":[{{"componentType":5126,"count":{count},"type":"VEC3"{more}}}],"bufferViews":[{{"buffer":0,"byteLength":12}}]"#
        )
    };
    for count in ["100000000", "18446744073709551615", "4000000"] {
        let message = alone("zeros", gltf(&lists(count, ""), &[0; 12]).as_bytes(), Format::Gltf).unwrap_err();
        assert!(message.contains("and no data"), "{message}");
        let sparse = r#","sparse":{"count":1000000,"indices":{"bufferView":0,"componentType":5121},"values":{"bufferView":0}}"#;
        alone("sparse", gltf(&lists(count, sparse), &[0; 12]).as_bytes(), Format::Gltf).unwrap_err();
    }
    // Instances whose count no data confirms.
    let nodes = r#""nodes":[{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":1}}}}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},{"componentType":5126,"count":50000000,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":36}]"#;
    alone("instances", gltf(nodes, &points(3)).as_bytes(), Format::Gltf).unwrap_err();
}

#[test]
fn long_lists_of_documents_cost_what_their_text_is() {
    let list = |item: &str, n: usize| vec![item; n].join(",");
    let nothing = r#""nodes":[{}],"meshes":[]"#;
    for (name, lists) in [
        ("materials", format!(r#"{nothing},"materials":[{}]"#, list("{}", 300_000))),
        ("numbers", format!(r#"{nothing},"extras":[{}]"#, list("0", 500_000))),
        ("lists", format!(r#"{nothing},"extras":[{}]"#, list("[]", 300_000))),
        ("nodes", format!(r#""nodes":[{{"mesh":0}},{}],"meshes":[]"#, list("{}", 300_000))),
        ("accessors", format!(r#"{nothing},"accessors":[{}]"#, list("{}", 300_000))),
        ("extensions", format!(r#"{nothing},"extensionsUsed":[{}]"#, list("\"\"", 300_000))),
        (
            "primitives",
            format!(
                r#""nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{}]}}]"#,
                list(r#"{"attributes":{}}"#, 100_000)
            ),
        ),
        ("children", format!(r#""nodes":[{{"children":[{}]}}]"#, list("0", 500_000))),
        (
            "chain",
            format!(
                r#""nodes":[{}]"#,
                (1..50_001).map(|i| format!(r#"{{"children":[{i}]}}"#)).collect::<Vec<_>>().join(",")
            ),
        ),
        ("deep", format!(r#""nodes":[{{"extras":{}{}}}]"#, "[".repeat(200_000), "]".repeat(200_000))),
    ] {
        alone(name, gltf(&lists, &[]).as_bytes(), Format::Gltf).unwrap_err();
    }
    for (name, text) in [
        ("parts", format!(r#"{{"parts":[{}]}}"#, list("{}", 300_000))),
        ("zeros", format!(r#"{{"parts":[{}]}}"#, list("0", 500_000))),
        ("one pose", format!(r#"{{"parts":[{{"mesh":"a.obj","pose":[{}]}}]}}"#, list("0", 500_000))),
        ("other members", format!(r#"{{"parts":[],"more":[{}]}}"#, list("{\"a\":0}", 200_000))),
    ] {
        alone(name, text.as_bytes(), Format::Scene).unwrap_err();
    }
}

#[test]
fn robots_are_read_in_linear_time_and_memory() {
    let attributes: String = (0..100_000).map(|i| format!(r#" a{i}="1""#)).collect();
    let message = alone("attributes", format!("<robot{attributes}/>").as_bytes(), Format::Urdf).unwrap_err();
    assert!(message.contains("more than 256 attributes"), "{message}");
    let equal = r#" a="1""#.repeat(100_000);
    alone("equal attributes", format!("<robot{equal}/>").as_bytes(), Format::Urdf).unwrap_err();
    let many = |element: &str, n: usize| format!(r#"<robot name="r">{}</robot>"#, element.repeat(n));
    for element in ["<a/>", "<link/>", "<material name=\"\"/>", "<gazebo><a/></gazebo>", "&amp;", "<!---->"] {
        alone(element, many(element, 100_000).as_bytes(), Format::Urdf).unwrap_err();
    }
    let links: String = (0..50_000).map(|i| format!(r#"<link name="{i}"/>"#)).collect();
    let chain: String = (1..50_000)
        .map(|i| {
            format!(r#"<joint name="{i}" type=""><parent link="{}"/><child link="{i}"/></joint>"#, i - 1)
        })
        .collect();
    alone("links", format!("<robot>{links}{chain}</robot>").as_bytes(), Format::Urdf).unwrap_err();
    alone("shapes", many(r#"<link name="a"><visual/></link>"#, 50_000).as_bytes(), Format::Urdf).unwrap_err();
    let visuals = format!(r#"<robot><link name="a">{}</link></robot>"#, "<visual/>".repeat(100_000));
    alone("visuals", visuals.as_bytes(), Format::Urdf).unwrap_err();
    let entities = r#"<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><robot name="&b;"/>"#;
    alone("entities", entities.as_bytes(), Format::Urdf).unwrap_err();
}

#[test]
fn meshes_are_read_in_linear_time_and_memory() {
    let fan = |n: usize| {
        let mut text = String::new();
        for i in 0..n {
            text += &format!("v {} {} 0\n", i, (i * i) % 1009);
        }
        text + "f" + &(1..=n).map(|i| format!(" {i}")).collect::<String>() + "\n"
    };
    let _ = alone("a long polygon", fan(50_000).as_bytes(), Format::Obj);
    let mut comb = String::from("v 0 0 0\nv 50000 0 0\n");
    for i in (0..25_000).rev() {
        comb += &format!("v {} 9 0\nv {} 1 0\n", 2 * i + 1, 2 * i);
    }
    comb += &format!("f{}\n", (1..=50_002).map(|i| format!(" {i}")).collect::<String>());
    assert_eq!(alone("a comb", comb.as_bytes(), Format::Obj).unwrap().parts[0].n_triangles(), 50_000);
    let one = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let repeated = format!("{one}f{}\n", " 1 2 3".repeat(50_000));
    let _ = alone("a repeated corner", repeated.as_bytes(), Format::Obj);
    for (name, line, n) in [
        ("faces", "f 1 2 3\n", 200_000),
        ("quads", "f 1 2 3 1\n", 100_000),
        ("vertices", "v 0 0 0\n", 300_000),
        ("groups", "g a\n", 300_000),
        ("words", "junk\n", 300_000),
        ("empty lines", "\n", 1_000_000),
        ("continued", "# \\\n", 300_000),
        ("joined", "g a\\\n", 100_000),
    ] {
        let text = format!("{one}f 1 2 3\n{}", line.repeat(n));
        let _ = alone(name, text.as_bytes(), Format::Obj);
    }
    let _ = alone("facets", format!("solid a\n{}", "facet\n".repeat(300_000)).as_bytes(), Format::Stl);
    let solids = "solid a\nendsolid\n".repeat(100_000);
    let _ = alone("solids", solids.as_bytes(), Format::Stl);
    let tiny = "solid\nfacet outer loop vertex 0 0 0 vertex 0 0 0 vertex 0 0 0 endloop endfacet endsolid\n";
    let _ = alone("tiny solids", tiny.repeat(20_000).as_bytes(), Format::Stl);
    let header = |elements: &str| format!("ply\nformat binary_little_endian 1.0\n{elements}end_header\n");
    let vertex = "element vertex 3\nproperty char x\nproperty char y\nproperty char z\n";
    let other = format!(
        "{vertex}element face 0\nproperty list uchar char vertex_index\nelement a 1000000\nproperty char b\n"
    );
    let _ = alone("small elements", &[header(&other).as_bytes(), &[0; 1_000_009]].concat(), Format::Ply);
    let faces = format!("{vertex}element face 250000\nproperty list uchar char vertex_index\n");
    let _ = alone(
        "small faces",
        &[header(&faces).as_bytes(), &[0; 9], &[3, 0, 1, 2].repeat(250_000)].concat(),
        Format::Ply,
    );
    let list = format!("{vertex}element face 1\nproperty list uint char vertex_index\n");
    let long = alone(
        "a long list",
        &[header(&list).as_bytes(), &[0; 9], &[0xff; 4], &[0; 100]].concat(),
        Format::Ply,
    );
    assert!(long.unwrap_err().contains("end of file"));
    let elements: String = (0..30_000).map(|i| format!("element e{i} 0\n")).collect();
    let _ = alone("elements", header(&format!("{elements}{vertex}")).as_bytes(), Format::Ply);
}

#[test]
fn one_file_is_read_once() {
    let folder = folder("once");
    let ball: String = (0..2000).map(|i| format!("v {i} {} 0\n", i * i)).collect();
    fs::write(folder.join("big.obj"), ball + &"f 1 2 3\n".repeat(2000)).unwrap();
    let names = |i: usize| format!("{}big.obj", "./".repeat(i % 50));
    let scene: Vec<String> = (0..1000).map(|i| format!(r#"{{"mesh":"{}"}}"#, names(i))).collect();
    let scene = format!(r#"{{"parts":[{}]}}"#, scene.join(","));
    let path = folder.join("s.json");
    let message = bounded("parts", scene.as_bytes(), Format::Scene, &path).unwrap_err();
    assert!(message.contains("--max-triangles"), "{message}");
    let options = Options::default().with_max_triangles(Some(1 << 40));
    let model = carom_io::parse_with(scene.as_bytes(), Format::Scene, &path, &options).unwrap();
    let first = &model.parts[0].pieces[0].mesh;
    assert!(model.parts.iter().all(|p| std::sync::Arc::ptr_eq(&p.pieces[0].mesh, first)));
    // A robot that names one mesh a thousand times, and a buffer that is named sixty times.
    let mesh =
        |i: usize| format!(r#"<origin xyz="{i} 0 0"/><geometry><mesh filename="{}"/></geometry>"#, names(i));
    let _ = bounded("meshes", robot((0..1000).map(mesh)).as_bytes(), Format::Urdf, &folder.join("r.urdf"));
    fs::write(folder.join("big.bin"), vec![0; 4 << 20]).unwrap();
    let buffers = vec![r#"{"byteLength":4000000,"uri":"big.bin"}"#; 60].join(",");
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],"accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}}],"bufferViews":[{{"buffer":59,"byteLength":36}}],"buffers":[{buffers}]}}"#
    );
    let model = bounded("buffers", text.as_bytes(), Format::Gltf, &folder.join("g.gltf")).unwrap();
    assert_eq!(model.parts[0].n_triangles(), 1);
}

/// A document of each format that names a file.
fn naming(file: &str) -> [(&'static str, String); 3] {
    let uri = file.replace(' ', "%20");
    [
        ("s.json", format!(r#"{{"parts":[{{"mesh":"{file}"}}]}}"#)),
        (
            "r.urdf",
            format!(
                r#"<robot name="r"><link name="a"><visual><geometry><mesh filename="{file}"/></geometry></visual></link></robot>"#
            ),
        ),
        (
            "g.gltf",
            format!(
                r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],"accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}}],"bufferViews":[{{"buffer":0,"byteLength":36}}],"buffers":[{{"byteLength":36,"uri":"{uri}"}}]}}"#
            ),
        ),
    ]
}

#[test]
fn documents_name_files_inside_of_their_folder() {
    let outer = folder("outside");
    let inner = outer.join("inner");
    fs::create_dir_all(inner.join("sub")).unwrap();
    let mesh = super::samples::OBJ;
    fs::write(outer.join("t.obj"), mesh).unwrap();
    fs::write(inner.join("t.obj"), mesh).unwrap();
    fs::write(inner.join("sub/t.obj"), mesh).unwrap();
    let absolute = outer.join("t.obj").display().to_string();
    let free = Options::default().with_allow_outside(true);
    for name in ["../t.obj", "sub/../../t.obj", &absolute, "package://inner/../t.obj"] {
        for (document, text) in naming(name) {
            if name.starts_with("package") && document != "r.urdf" {
                continue;
            }
            let path = inner.join(document);
            fs::write(&path, text).unwrap();
            let message = carom_io::read(&path).unwrap_err().to_string();
            assert!(message.contains("--allow-outside"), "{document} {name}: {message}");
            // A mesh is no buffer of a glTF file, but it is read.
            if document != "g.gltf" {
                assert!(carom_io::read_with(&path, &free).is_ok(), "{document} {name}");
            }
        }
    }
    for name in ["t.obj", "sub/t.obj", "sub/../t.obj"] {
        let (document, text) = &naming(name)[0];
        fs::write(inner.join(document), text).unwrap();
        assert!(carom_io::read(&inner.join(document)).is_ok(), "{name}");
    }
    // Names of files that are not there are refused as well.
    let (document, text) = &naming("none.obj")[0];
    fs::write(inner.join(document), text).unwrap();
    assert!(carom_io::read(&inner.join(document)).unwrap_err().to_string().contains("none.obj"));
}

#[cfg(unix)]
#[test]
fn devices_pipes_and_folders_are_no_files() {
    let folder = folder("devices");
    let pipe = folder.join("pipe.obj");
    if !pipe.exists() {
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if !made.is_ok_and(|status| status.success()) {
            println!("skipped: no mkfifo");
            return;
        }
    }
    let link = folder.join("zero.obj");
    let _ = fs::remove_file(&link);
    std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
    fs::create_dir_all(folder.join("dir.obj")).unwrap();
    let free = Options::default().with_allow_outside(true);
    for name in ["/dev/zero", "/dev/null", "zero.obj", "pipe.obj", "dir.obj"] {
        for (document, text) in naming(name) {
            let path = folder.join(document);
            fs::write(&path, text).unwrap();
            for options in [Options::default(), free] {
                let message = carom_io::read_with(&path, &options).unwrap_err().to_string();
                let is_refused = ["not a regular file", "--allow-outside", "unknown format"]
                    .iter()
                    .any(|w| message.contains(w));
                assert!(is_refused, "{document} {name}: {message}");
            }
        }
    }
    for file in [&pipe, &link] {
        assert!(carom_io::read(file).unwrap_err().to_string().contains("not a regular file"));
    }
}

#[test]
fn packages_are_found_around_the_robot() {
    let folder = folder("packages");
    for inner in ["arm/urdf", "arm/meshes", "hand/meshes", "other/meshes"] {
        fs::create_dir_all(folder.join(inner)).unwrap();
    }
    for inner in ["arm/meshes", "hand/meshes", "other/meshes"] {
        fs::write(folder.join(inner).join("t.obj"), super::samples::OBJ).unwrap();
    }
    fs::write(folder.join("hand/package.xml"), "<package/>").unwrap();
    let file = folder.join("arm/urdf/r.urdf");
    let read = |name: &str| {
        fs::write(&file, &naming(name)[1].1).unwrap();
        carom_io::read(&file).map_err(|e| e.to_string())
    };
    for name in [
        "package://arm/meshes/t.obj",
        "../meshes/t.obj",
        "package://hand/meshes/t.obj",
        "package://renamed/meshes/t.obj",
    ] {
        assert!(read(name).is_ok(), "{name}");
    }
    // A folder beside that is no package.
    assert!(read("../../other/meshes/t.obj").unwrap_err().contains("--allow-outside"));
    fs::remove_file(folder.join("arm/meshes/t.obj")).unwrap();
    assert!(read("package://other/meshes/t.obj").is_err());
}

#[test]
fn given_files_are_bounded() {
    let Some(folder) = carom_testkit::data::find("reports/hostile") else { return };
    let mut n = 0;
    for file in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        let Some(format) = Format::of(&file) else { continue };
        let _ = bounded(&file.display().to_string(), &fs::read(&file).unwrap(), format, &file);
        n += 1;
    }
    assert!(10 <= n, "{n}");
}
