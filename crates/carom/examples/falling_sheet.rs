//! A sheet of cloth falls towards a ball, and stops before it passes through. carom says how far a
//! step may go; the program moves the vertices.
//!
//! `cargo run -p carom --example falling_sheet`

use carom::Vec3;
use carom::deform::{DeformableMesh, FeatureSearch};

/// An octahedron, each face split into `n` by `n`, blown up to a ball of this radius.
fn ball(radius: f32, n: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for octant in 0..8 {
        let sign = |bit: u32| if octant >> bit & 1 == 0 { 1.0 } else { -1.0 };
        let corner = |i: u32, j: u32| {
            let (x, y) = (i as f32, j as f32);
            Vec3::new(x * sign(0), y * sign(1), (n as f32 - x - y) * sign(2)).normalize() * radius
        };
        for (i, j) in (0..n).flat_map(|i| (0..n - i).map(move |j| (i, j))) {
            let mut add = |corners: [Vec3; 3]| {
                let first = vertices.len() as u32;
                vertices.extend(corners);
                faces.push([first, first + 1, first + 2]);
            };
            add([corner(i, j), corner(i + 1, j), corner(i, j + 1)]);
            if i + j + 2 <= n {
                add([corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)]);
            }
        }
    }
    (vertices, faces)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A sheet of 20 by 20 squares of 5 cm, 1 mm thick, 30 cm above the top of the ball.
    let n = 21;
    let at = |v: u32| Vec3::new((v % n) as f32 - 10.0, 0.0, (v / n) as f32 - 10.0) * 0.05 + Vec3::Y * 0.8;
    let mut now: Vec<Vec3> = (0..n * n).map(at).collect();
    let corners = (0..n * (n - 1)).filter(|v| v % n < n - 1);
    let faces = corners.flat_map(|v| [[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]).collect();
    let mut sheet = DeformableMesh::from_triangles(&now, faces)?.with_thickness(0.001)?;
    let (vertices, faces) = ball(0.5, 8);
    let mut obstacle = DeformableMesh::from_triangles(&vertices, faces)?;
    let mut search = FeatureSearch::default();

    for step in 1..=8 {
        // All vertices want to fall by 5 cm.
        let wanted: Vec<Vec3> = now.iter().map(|p| *p - Vec3::Y * 0.05).collect();
        sheet.set_positions(&wanted)?;
        let free = search.impacts((&mut sheet, &mut obstacle)).finish().free_step();
        for (p, q) in now.iter_mut().zip(&wanted) {
            *p += (*q - *p) * (0.9 * free.fraction as f32);
        }
        sheet.set_positions(&now)?;
        let near = search.within((&mut sheet, &mut obstacle), 0.01).finish().pairs.len();
        println!(
            "step {step}: {:3.0} % is free, {near} pairs of features within 1 cm",
            100.0 * free.fraction
        );
    }
    let lowest = now.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
    println!("the sheet hangs {:.1} mm above the ball", 1000.0 * (lowest - 0.5));
    assert!(0.5 < lowest && lowest < 0.51, "it came near, and did not pass");
    Ok(())
}
