//! Correct files are read to the last bit, and wrong files are refused in one line.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bad_files;
mod collada;
mod formats;
mod gltf_document;
mod gltf_oracle;
mod hostile;
mod left_out;
mod maps;
mod merging;
mod motion;
mod octrees;
mod off;
mod point_clouds;
mod polygons;
mod products;
mod random_bytes;
mod real_data;
mod robots;
mod scenes;
mod stl;
mod three_mf;

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
    // Remove the files of an earlier run.
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

    pub(crate) const OFF: &[u8] =
        b"COFF # colours\n\n4 4 6\n0 0 0 1 0 0 1\n1 0 0 1 0 0 1\n0 1 0 1 0 0 1\n0 0 1 1 0 0 1\n3 0 2 1\n3 0 1 3 0.5 0.5 0.5\n3 0 3 2\n3 1 2 3\n";

    /// Two nodes with the same mesh, the second moved and half as large.
    pub(crate) const COLLADA: &str = r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.001" name="millimeter"/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id="g" name="tetra"><mesh>
<source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common><accessor source="#a" count="4" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="a"><instance_geometry url="#g"/><node id="b"><translate>1 2 3</translate>
<scale>0.5 0.5 0.5</scale><instance_geometry url="#g"/></node></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"##;

    /// Two items of the same object, the second moved and half as large.
    pub(crate) const THREE_MF: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<model unit="inch" xml:lang="en-US" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>
<object id="7" name="tetra" type="model"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/>
<vertex x="0" y="1" z="0"/><vertex x="0" y="0" z="1"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/>
<triangle v1="0" v2="1" v3="3"/><triangle v1="0" v2="3" v3="2"/><triangle v1="1" v2="2" v3="3"/></triangles></mesh></object></resources>
<build><item objectid="7"/><item objectid="7" transform="0.5 0 0 0 0.5 0 0 0 0.5 1 2 3"/></build></model>"#;

    /// A package of entries, packed or only stored.
    pub(crate) fn package(entries: &[(&str, &[u8])], is_packed: bool) -> Vec<u8> {
        use std::io::Write;
        let mut bytes = Vec::new();
        let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
        let method =
            if is_packed { rawzip::CompressionMethod::DEFLATE } else { rawzip::CompressionMethod::STORE };
        for (name, content) in entries {
            let (mut entry, config) = archive.new_file(*name).compression_method(method).start().unwrap();
            if is_packed {
                let encoder = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::best());
                let mut writer = config.wrap(encoder);
                writer.write_all(content).unwrap();
                let (encoder, descriptor) = writer.finish().unwrap();
                encoder.finish().unwrap();
                entry.finish(descriptor).unwrap();
            } else {
                let mut writer = config.wrap(&mut entry);
                writer.write_all(content).unwrap();
                let (_, descriptor) = writer.finish().unwrap();
                entry.finish(descriptor).unwrap();
            }
        }
        archive.finish().unwrap();
        bytes
    }

    pub(crate) const RELATIONSHIPS: &[u8] = br#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Target="/3D/model.model" Id="r" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>"#;

    /// A 3MF file with this model.
    pub(crate) fn three_mf(model: &str, is_packed: bool) -> Vec<u8> {
        package(&[("_rels/.rels", RELATIONSHIPS), ("3D/model.model", model.as_bytes())], is_packed)
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
