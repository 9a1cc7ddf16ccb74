//! Reads a glTF document that is made in memory: a flag with two joints. Prints its bounds as it
//! bends, then the part that a reader without a time returns.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use base64::Engine;
use carom_io::{Format, Options};
use glam::DVec3;
use std::error::Error;
use std::path::Path;

/// The bytes of a buffer, and the JSON text of its views and accessors.
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
}

impl Buffer {
    /// Adds a view and an accessor of these numbers. `kind` is `SCALAR`, `VEC3`, `VEC4` or `MAT4`,
    /// whose elements have `width` floats.
    fn push(&mut self, numbers: &[f32], kind: &str, width: usize) {
        let (start, length, count) = (self.bytes.len(), 4 * numbers.len(), numbers.len() / width);
        self.bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        let number = self.views.len();
        self.views.push(format!(r#"{{"buffer":0,"byteOffset":{start},"byteLength":{length}}}"#));
        let of = format!(r#""bufferView":{number},"componentType":5126,"count":{count},"type":"{kind}""#);
        self.accessors.push(format!("{{{of}}}"));
    }
}

/// A strip along x, 2 m long. Its outer half follows a joint that turns up by 90 degrees in a
/// second, and back in another.
fn flag() -> String {
    let mut b = Buffer { bytes: Vec::new(), views: Vec::new(), accessors: Vec::new() };
    // Two triangles for each half, whose corners are written out.
    let quad = |x: f32| [[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 0.0], [x + 1.0, 1.0], [x, 1.0]];
    let corners: Vec<[f32; 2]> = quad(0.0).into_iter().chain(quad(1.0)).collect();
    b.push(&corners.iter().flat_map(|[x, z]| [*x, 0.0, *z]).collect::<Vec<_>>(), "VEC3", 3);
    let outer = |[x, _]: &[f32; 2]| [1.0 - (x - 1.0).max(0.0), (x - 1.0).max(0.0), 0.0, 0.0];
    b.push(&corners.iter().flat_map(outer).collect::<Vec<_>>(), "VEC4", 4);
    let at = |x: f32| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, 0.0, 0.0, 1.0];
    b.push(&[at(0.0), at(-1.0)].concat(), "MAT4", 16);
    b.push(&[0.0, 1.0, 2.0], "SCALAR", 1);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    b.push(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half, 0.0, 0.0, 0.0, 1.0], "VEC4", 4);
    // Joints are whole numbers: four bytes for each vertex.
    let (start, n) = (b.bytes.len(), corners.len());
    b.bytes.extend(corners.iter().flat_map(|_| [0, 1, 0, 0]));
    b.views.push(format!(r#"{{"buffer":0,"byteOffset":{start},"byteLength":{}}}"#, 4 * n));
    b.accessors.push(format!(r#"{{"bufferView":5,"componentType":5121,"count":{n},"type":"VEC4"}}"#));
    let data = base64::engine::general_purpose::STANDARD.encode(&b.bytes);
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0,1]}}],
"nodes":[{{"name":"flag","mesh":0,"skin":0}},{{"children":[2]}},{{"translation":[1,0,0]}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"WEIGHTS_0":1,"JOINTS_0":5}}}}]}}],
"skins":[{{"joints":[1,2],"inverseBindMatrices":2}}],
"animations":[{{"channels":[{{"sampler":0,"target":{{"node":2,"path":"rotation"}}}}],"samplers":[{{"input":3,"output":4}}]}}],
"accessors":[{}],"bufferViews":[{}],"buffers":[{{"byteLength":{},"uri":"data:;base64,{data}"}}]}}"#,
        b.accessors.join(","),
        b.views.join(","),
        b.bytes.len()
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    let (text, path) = (flag(), Path::new("flag.gltf"));
    let model = carom_io::parse_animated(text.as_bytes(), path, &Options::default())?;
    let mut positions = Vec::new();
    for step in 0..=8 {
        let seconds = model.end() * f64::from(step) / 8.0;
        model.positions_into(&model.pose_at(seconds), 0, &mut positions);
        let low = positions.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = positions.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        println!("{seconds:.2} s: {} from {low:.3} to {high:.3}", model.parts()[0].name());
    }
    // Without a time the same file is at rest.
    let rest = carom_io::parse(text.as_bytes(), Format::Gltf, path)?;
    println!("at rest: {} triangles; {}", rest.parts[0].n_triangles(), rest.notes.join("; "));
    Ok(())
}
