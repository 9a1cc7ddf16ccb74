//! Writes a page that shows the boxes that each tree computed for a small query, and spheres of
//! vibrations: `tree_boxes [FILE]`.
//!
//! - A sheet waves, and a query (red) moves over it. A refit computes all boxes. The scheme of the
//!   book computes the upper half, and the lower half near the query. The lazy tree computes boxes
//!   near the query alone.
//! - Loose triangles are stirred. After a refit the boxes are large; the rebuilt tree has small
//!   ones.
//! - A bar vibrates in two modes. The spheres follow from the two amplitudes.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_bounds::{Aabb, Sphere};
use carom_deform::{
    AutoTree, DeformableMesh, FollowingTree, HybridTree, LazyTree, ModalTree, RebuiltTree, RefitTree,
};
use glam::Vec3;
use std::error::Error;
use std::fmt::Write as _;

/// Vertices along a side.
const N: u16 = 33;

/// A sheet in the plane of x and y with sides of 2 m, wider than high by a factor.
fn sheet(factor: f32, position_of: impl Fn(Vec3) -> Vec3) -> Vec<Vec3> {
    let at = |i: u16| 2.0 * f32::from(i) / f32::from(N - 1) - 1.0;
    (0..N * N).map(|i| position_of(Vec3::new(at(i % N), at(i / N) / factor, 0.0))).collect()
}

fn grid() -> Vec<[u32; 3]> {
    let n = u32::from(N);
    let corners = (0..n * (n - 1)).filter(|vertex| vertex % n < n - 1);
    corners.flat_map(|v| [[v, v + 1, v + n], [v + 1, v + n + 1, v + n]]).collect()
}

/// A picture of the region from -1.3 to 1.3 along x and y, and what is below it.
fn picture(title: &str, shapes: &str) -> String {
    format!(
        "<figure><svg viewBox='-1.3 -1.3 2.6 2.6' width='240'><g transform='scale(1 -1)'>{shapes}</g></svg>\
         <figcaption>{title}</figcaption></figure>"
    )
}

fn triangles(positions: &[Vec3], faces: &[[u32; 3]]) -> String {
    let corner = |v: u32| format!("{:.3} {:.3}", positions[v as usize].x, positions[v as usize].y);
    let path: String =
        faces.iter().map(|[a, b, c]| format!("M{}L{}L{}Z", corner(*a), corner(*b), corner(*c))).collect();
    format!("<path d='{path}' fill='#dde6f2' stroke='#b9c8dd' stroke-width='.004'/>")
}

fn rectangle(aabb: &Aabb, style: &str) -> String {
    let (min, size) = (aabb.min, aabb.max - aabb.min);
    format!("<rect x='{:.3}' y='{:.3}' width='{:.3}' height='{:.3}' {style}/>", min.x, min.y, size.x, size.y)
}

/// Steps of a mesh with one query in each; a picture of each step.
fn row<T: FollowingTree>(
    name: &str,
    steps: &[Vec<Vec3>],
    faces: &[[u32; 3]],
) -> Result<String, Box<dyn Error>> {
    let mut mesh = DeformableMesh::from_triangles(&steps[0], faces.to_vec())?.with_trees::<T>();
    let mut pictures = format!("<h3>{name}</h3>");
    for (step, positions) in steps.iter().enumerate().skip(1) {
        mesh.set_positions(positions)?;
        let middle = Vec3::new(0.4 * step as f32 - 0.8, 0.3, 0.0);
        let query = Aabb { min: middle - 0.08, max: middle + 0.08 };
        let before = mesh.tree_work()[2];
        let mut found = Vec::new();
        mesh.collect_faces_touching(&query, &mut found);
        let (mut shapes, mut n) = (triangles(positions, faces), 0);
        mesh.visit_fresh_boxes(|aabb| {
            n += 1;
            shapes += &rectangle(aabb, "fill='none' stroke='#1c63b7' stroke-width='.006'");
        });
        shapes += &rectangle(&query, "fill='none' stroke='#d03030' stroke-width='.02'");
        let work = mesh.tree_work()[2];
        let (tests, renewed) = (work.box_tests - before.box_tests, work.renewed - before.renewed);
        let built =
            if renewed == 0 { String::new() } else { format!(", {renewed} faces in parts built anew") };
        let answers = found.len();
        let title = format!("step {step}: {n} boxes, {tests} tests, {answers} faces found{built}");
        println!("{name}, {title}");
        pictures += &picture(&title, &shapes);
    }
    Ok(pictures)
}

fn main() -> Result<(), Box<dyn Error>> {
    let file =
        std::env::args_os().nth(1).map_or_else(|| std::env::temp_dir().join("tree_boxes.html"), Into::into);
    let mut page = "<!doctype html><meta charset='utf-8'><title>Boxes that trees compute</title><style>body{font:14px \
        sans-serif;margin:20px}figure{display:inline-block;margin:4px;width:240px;vertical-align:top}svg{background:\
        #f7f9fc}</style><h1>Boxes that trees compute</h1>"
        .to_string();

    page += "<h2>A sheet waves; the query is red</h2>";
    let wave = |phase: f32| {
        move |p: Vec3| p + 0.1 * Vec3::new((4.0 * p.y + phase).sin(), (5.0 * p.x - phase).cos(), 0.0)
    };
    let steps: Vec<Vec<Vec3>> = (0..5_u8).map(|i| sheet(1.0, wave(0.04 * f32::from(i)))).collect();
    page += &row::<RefitTree>("Refit: all, from the leaves up", &steps, &grid())?;
    page += &row::<HybridTree>("Hybrid: upper half from below, lower half near the query", &steps, &grid())?;
    page += &row::<LazyTree>("Lazy: near the query alone", &steps, &grid())?;
    page += &row::<AutoTree>("Auto", &steps, &grid())?;

    page += "<h2>Loose triangles are stirred</h2>";
    // Triangles turn at seven different rates.
    let rest = sheet(1.0, |p| 0.9 * p);
    let loose: Vec<Vec3> = grid().iter().flatten().map(|&v| rest[v as usize]).collect();
    let stirred = |turns: f32| -> Vec<Vec3> {
        let turned = |(i, p): (usize, &Vec3)| {
            let rate = turns * ((i / 3) % 7) as f32 / 7.0;
            glam::Quat::from_rotation_z(rate) * *p
        };
        loose.iter().enumerate().map(turned).collect()
    };
    let steps: Vec<Vec<Vec3>> = (0..5_u8).map(|i| stirred(0.6 * f32::from(i))).collect();
    let own: Vec<[u32; 3]> = (0..loose.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    page += &row::<RefitTree>("Refit: boxes wear", &steps, &own)?;
    page += &row::<RebuiltTree>("Rebuilt: worn parts are built anew", &steps, &own)?;

    page += "<h2>A bar vibrates: spheres that follow from two amplitudes</h2>";
    let rest = sheet(5.0, |p| p);
    let bend = |k: f32| rest.iter().map(|p| Vec3::Y * (k * p.x).cos()).collect::<Vec<Vec3>>();
    let mut bar = ModalTree::new(&rest, &[bend(2.0), bend(5.0)], grid())?;
    let mut positions = Vec::new();
    for amplitudes in [[0.0, 0.0], [0.3, 0.0], [0.3, 0.1], [-0.2, 0.2]] {
        bar.set_amplitudes(&amplitudes)?;
        bar.positions_into(&mut positions);
        let (mut shapes, mut n) = (triangles(&positions, bar.faces()), 0);
        bar.visit_volumes(|sphere: &Sphere, faces| {
            // Those of a few faces each, else the picture is full of lines.
            if (1..=64).contains(&faces.len()) {
                n += 1;
                let (c, r) = (sphere.center, sphere.radius);
                let _ = write!(
                    shapes,
                    "<circle cx='{:.3}' cy='{:.3}' r='{r:.3}' fill='none' stroke='#1c63b7' stroke-width='.005'/>",
                    c.x, c.y
                );
            }
        });
        page += &picture(&format!("amplitudes {amplitudes:?}: {n} spheres"), &shapes);
    }
    std::fs::write(&file, page)?;
    println!("{}", file.display());
    Ok(())
}
