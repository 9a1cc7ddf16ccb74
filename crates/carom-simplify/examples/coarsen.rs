//! Makes a knot of 70,000 triangles coarser: `coarsen [either|outside|inside] [TRIANGLES]
//! [FILE.obj]`.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_geom::TriMesh;
use carom_scenes::mesh::{Knot, torus_knot};
use carom_simplify::{Side, SimplifySettings, simplify};
use std::error::Error;
use std::io::Write;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let side = match words.first().map(String::as_str) {
        None | Some("either") => Side::Either,
        Some("outside") => Side::Outside,
        Some("inside") => Side::Inside,
        Some(other) => return Err(format!("{other} is no side: either, outside or inside").into()),
    };
    let max_triangles = words.get(1).map_or(Ok(2000), |word| word.parse())?;
    let knot = torus_knot(&Knot::default(), 70_000);
    let knot = TriMesh::new(knot.vertices_f32(), knot.triangles)?;
    let settings = SimplifySettings::default().with_max_triangles(max_triangles).with_side(side);
    let start = Instant::now();
    let coarse = simplify(&knot, &settings)?;
    println!("{} of {} triangles in {:?}", coarse.mesh.n_triangles(), knot.n_triangles(), start.elapsed());
    println!("new to old {:.5}, old to new {:.5}", coarse.new_to_old, coarse.old_to_new);
    if let Some(path) = words.get(2) {
        let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
        for v in coarse.mesh.vertices() {
            writeln!(file, "v {} {} {}", v.x, v.y, v.z)?;
        }
        for [a, b, c] in coarse.mesh.indices() {
            writeln!(file, "f {} {} {}", a + 1, b + 1, c + 1)?;
        }
        file.flush()?;
    }
    Ok(())
}
