//! Meshes as Wavefront OBJ.

use carom_math::Vec3;
use core::fmt::Write;
use glam::DVec3;

/// Adds an object to a Wavefront OBJ file; `first` counts the vertices of all objects. Vertices are
/// relative to `origin`.
pub(crate) fn write_object(
    text: &mut String,
    name: &str,
    origin: DVec3,
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    first: &mut u32,
) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "o {name}");
    for v in vertices {
        // The text of an `f32` is shorter than that of the same `f64`.
        let _ = if origin == DVec3::ZERO {
            writeln!(text, "v {} {} {}", v.x, v.y, v.z)
        } else {
            let v = v.as_dvec3() + origin;
            writeln!(text, "v {} {} {}", v.x, v.y, v.z)
        };
    }
    for t in triangles {
        let [a, b, c] = t.map(|i| *first + i + 1);
        let _ = writeln!(text, "f {a} {b} {c}");
    }
    *first += vertices.len() as u32;
}
