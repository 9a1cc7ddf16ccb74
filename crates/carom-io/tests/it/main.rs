//! Files that are right are read to the last bit; files that are wrong are refused in one line,
//! whatever is in them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bad_files;
mod formats;
mod gltf_document;
mod gltf_oracle;
mod hostile;
mod left_out;
mod maps;
mod motion;
mod polygons;
mod products;
mod random_bytes;
mod real_data;
mod robots;
mod scenes;
mod stl;

use carom_io::{Format, Model, RawMesh, ReadError};
use std::path::{Path, PathBuf};

/// Parses bytes that lie in no folder.
fn parse(bytes: &[u8], format: Format) -> Result<Model, ReadError> {
    carom_io::parse(bytes, format, Path::new("file.x"))
}

fn mesh(bytes: &[u8], format: Format) -> RawMesh {
    parse(bytes, format).expect("a good file").parts[0].world_mesh().unwrap()
}

fn refusal(bytes: &[u8], format: Format) -> String {
    let message = parse(bytes, format).expect_err("a bad file").to_string();
    assert!(!message.contains('\n'), "one line: {message}");
    message
}

/// Returns an empty folder for the files of one test.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("carom-io-{test}"));
    // Files of an earlier run.
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Small good files of each format: a tetrahedron.
mod samples {
    pub(crate) const OBJ: &[u8] =
        b"# a tetrahedron\no tetra\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nf 1/1 3/1 2/1\nf 1 2 4\nf 1 4 3\nf -3 -2 -1\n";

    pub(crate) fn stl_text() -> Vec<u8> {
        let mut text = String::from("solid tetra\n");
        for t in triangles() {
            text += "facet normal 0 0 0\nouter loop\n";
            for v in t {
                text += &format!("vertex {} {} {}\n", v[0], v[1], v[2]);
            }
            text += "endloop\nendfacet\n";
        }
        (text + "endsolid tetra\n").into_bytes()
    }

    pub(crate) fn stl_binary() -> Vec<u8> {
        let mut bytes = b"solid in name only".to_vec();
        bytes.resize(80, 0);
        bytes.extend(4u32.to_le_bytes());
        for t in triangles() {
            bytes.extend([0; 12]);
            bytes.extend(t.iter().flatten().flat_map(|x| x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    pub(crate) const PLY_TEXT: &[u8] = b"ply\nformat ascii 1.0\ncomment hello\nelement vertex 4\nproperty double x\nproperty double y\nproperty double z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";

    pub(crate) fn ply_binary(is_big: bool) -> Vec<u8> {
        let order = if is_big { "binary_big_endian" } else { "binary_little_endian" };
        let mut bytes = format!(
            "ply\nformat {order} 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\nproperty list uchar uint vertex_index\nend_header\n"
        )
        .into_bytes();
        let f = |x: f32| if is_big { x.to_be_bytes() } else { x.to_le_bytes() };
        let i = |x: u32| if is_big { x.to_be_bytes() } else { x.to_le_bytes() };
        bytes.extend(POINTS.iter().flatten().flat_map(|x| f(*x)));
        for face in FACES {
            bytes.push(3);
            bytes.extend(face.iter().flat_map(|x| i(*x)));
        }
        bytes
    }

    /// Two nodes with the same mesh, the second moved and half as large, its buffer in the text.
    pub(crate) fn gltf() -> Vec<u8> {
        use base64::Engine;
        let data = base64::engine::general_purpose::STANDARD.encode(buffer());
        document(&format!(r#""uri":"data:application/octet-stream;base64,{data}","#)).into_bytes()
    }

    pub(crate) fn glb() -> Vec<u8> {
        let mut json = document("").into_bytes();
        while !json.len().is_multiple_of(4) {
            json.push(b' ');
        }
        let binary = buffer();
        let mut bytes = b"glTF".to_vec();
        bytes.extend(2u32.to_le_bytes());
        bytes.extend((12 + 8 + json.len() as u32 + 8 + binary.len() as u32).to_le_bytes());
        bytes.extend((json.len() as u32).to_le_bytes());
        bytes.extend(b"JSON");
        bytes.extend(json);
        bytes.extend((binary.len() as u32).to_le_bytes());
        bytes.extend(b"BIN\0");
        bytes.extend(binary);
        bytes
    }

    fn buffer() -> Vec<u8> {
        let mut bytes: Vec<u8> = POINTS.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        bytes.extend(FACES.iter().flatten().flat_map(|x| (*x as u16).to_le_bytes()));
        bytes
    }

    fn document(uri: &str) -> String {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
"nodes":[{{"name":"a","mesh":0,"children":[1]}},{{"name":"b","mesh":0,"translation":[1,2,3],"scale":[0.5,0.5,0.5]}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[1,1,1]}},
{{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}}],
"bufferViews":[{{"buffer":0,"byteOffset":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":24}}],
"buffers":[{{{uri}"byteLength":72}}]}}"#
        )
    }

    pub(crate) const URDF: &[u8] = br#"<?xml version="1.0"?><robot name="r">
<link name="base"><collision><geometry><box size="2 2 2"/></geometry></collision></link>
<link name="arm"><collision><origin xyz="0 0 1" rpy="0 0 0"/><geometry><cylinder radius="0.5" length="2"/></geometry></collision></link>
<joint name="j" type="revolute"><origin xyz="1 0 0" rpy="0 1.5707963267948966 0"/><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="0" velocity="1"/></joint>
</robot>"#;

    const POINTS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

    fn triangles() -> impl Iterator<Item = [[f32; 3]; 3]> {
        FACES.iter().map(|f| f.map(|v| POINTS[v as usize]))
    }
}
