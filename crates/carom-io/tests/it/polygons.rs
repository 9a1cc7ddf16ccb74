//! Polygons of any shape keep their area, their winding and their corners, from each first corner.

use super::{parse, refusal};
use carom_io::{Format, RawMesh};
use glam::DVec3;

/// An OBJ file with one polygon.
fn polygon(points: &[[f64; 3]]) -> String {
    let mut text = String::new();
    for [x, y, z] in points {
        text += &format!("v {x} {y} {z}\n");
    }
    let corners: Vec<String> = (1..=points.len()).map(|i| i.to_string()).collect();
    text + &format!("f {}\n", corners.join(" "))
}

fn read(points: &[[f64; 3]]) -> (RawMesh, Vec<String>) {
    let model = parse(polygon(points).as_bytes(), Format::Obj).unwrap();
    (model.parts[0].world_mesh().unwrap(), model.notes)
}

/// Returns half the sum of the cross products of the edges: the signed area along each axis.
fn vector_area(mesh: &RawMesh) -> DVec3 {
    mesh.triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
            (b - a).cross(c - a) * 0.5
        })
        .sum()
}

fn area(mesh: &RawMesh) -> f64 {
    mesh.triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
            (b - a).cross(c - a).length() * 0.5
        })
        .sum()
}

fn flat(points: &[[f64; 2]]) -> Vec<[f64; 3]> {
    points.iter().map(|[x, y]| [*x, *y, 0.0]).collect()
}

/// Returns the sorted positions of the triangles. They are equal if two surfaces are cut alike.
fn surface(mesh: &RawMesh) -> Vec<[[u64; 3]; 3]> {
    let mut triangles: Vec<[[u64; 3]; 3]> = mesh
        .triangles
        .iter()
        .map(|t| {
            let mut corners = t.map(|v| mesh.vertices[v as usize].to_array().map(|x| (x + 0.0).to_bits()));
            let least = (0..3).min_by_key(|i| corners[*i]).unwrap();
            corners.rotate_left(least);
            corners
        })
        .collect();
    triangles.sort_unstable();
    triangles
}

/// The area is right with its sign, for every first corner, every plane and both directions.
fn check(points: &[[f64; 2]], true_area: f64) {
    let n = points.len();
    let mut reference = None;
    for first in 0..n {
        let mut turned = points.to_vec();
        turned.rotate_left(first);
        let (mesh, notes) = read(&flat(&turned));
        assert!(notes.is_empty(), "{notes:?}");
        assert!((vector_area(&mesh).z - true_area).abs() <= 1e-12 * true_area, "{}", vector_area(&mesh));
        assert!((area(&mesh) - true_area).abs() <= 1e-12 * true_area, "{}", area(&mesh));
        let found = surface(&mesh);
        assert_eq!(*reference.get_or_insert_with(|| found.clone()), found, "first corner {first}");
        turned.reverse();
        assert!((vector_area(&read(&flat(&turned)).0).z + true_area).abs() <= 1e-12 * true_area);
    }
    // Tilted, in each of the planes.
    for axis in 0..3 {
        let tilted: Vec<[f64; 3]> = points
            .iter()
            .map(|[x, y]| {
                let mut p = [0.0; 3];
                (p[(axis + 1) % 3], p[(axis + 2) % 3], p[axis]) = (*x, *y, 0.5 * x - 0.25 * y);
                p
            })
            .collect();
        let (mesh, notes) = read(&tilted);
        assert!(notes.is_empty(), "{notes:?}");
        assert!((vector_area(&mesh)[axis] - true_area).abs() <= 1e-12 * true_area);
        let slope = (1.0f64 + 0.25 + 0.0625).sqrt();
        assert!((area(&mesh) - true_area * slope).abs() <= 1e-12 * true_area * slope);
    }
}

const CHANNEL: [[f64; 2]; 8] =
    [[0.0, 0.0], [6.0, 0.0], [6.0, 4.0], [4.0, 4.0], [4.0, 1.0], [2.0, 1.0], [2.0, 4.0], [0.0, 4.0]];

#[test]
fn concave_polygons_keep_their_area_and_winding() {
    check(&CHANNEL, 18.0);
    // A letter L, an arrow with a concave corner, a comb, a spiral.
    check(&[[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]], 5.0);
    check(&[[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [0.5, 1.0]], 1.5);
    let mut comb = vec![[0.0, 0.0], [20.0, 0.0]];
    for tooth in (0..10).rev() {
        let x = 2.0 * f64::from(tooth);
        comb.extend([[x + 2.0, 5.0], [x + 1.5, 1.0], [x + 0.5, 1.0], [x, 5.0]]);
    }
    comb.dedup();
    let comb_area = 20.0 + 10.0 * 2.0;
    check(&comb, comb_area);
    #[rustfmt::skip]
    let spiral = [
        [0.0, 0.0], [7.0, 0.0], [7.0, 7.0], [1.0, 7.0], [1.0, 2.0], [5.0, 2.0], [5.0, 5.0], [3.0, 5.0], [3.0, 4.0],
        [4.0, 4.0], [4.0, 3.0], [2.0, 3.0], [2.0, 6.0], [6.0, 6.0], [6.0, 1.0], [0.0, 1.0],
    ];
    check(&spiral, 32.0 - 4.0);
}

#[test]
fn corners_on_a_straight_line_are_kept() {
    let points =
        [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 4.0], [0.0, 4.0], [0.0, 3.0]];
    check(&points, 16.0);
    let (mesh, _) = read(&flat(&points));
    let used: std::collections::HashSet<u32> = mesh.triangles.iter().flatten().copied().collect();
    assert_eq!(used.len(), points.len());
    // No triangle without area.
    assert!(mesh.triangles.iter().all(|t| {
        let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
        0.0 < (b - a).cross(c - a).length()
    }));
    // Corners that are there twice.
    let (mesh, _) = read(&flat(&[[0.0, 0.0], [0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [2.0, 2.0], [0.0, 2.0]]));
    assert_eq!(area(&mesh), 4.0);
}

#[test]
fn a_hole_reached_by_a_bridge_stays_open() {
    // The outline counter-clockwise, the bridge to the hole, the hole clockwise, the bridge back.
    let keyhole = [
        [0.0, 0.0],
        [6.0, 0.0],
        [6.0, 6.0],
        [0.0, 6.0],
        [0.0, 0.0],
        [2.0, 2.0],
        [2.0, 4.0],
        [4.0, 4.0],
        [4.0, 2.0],
        [2.0, 2.0],
    ];
    let (mesh, notes) = read(&flat(&keyhole));
    assert!(notes.is_empty(), "{notes:?}");
    assert_eq!((area(&mesh), vector_area(&mesh).z), (32.0, 32.0));
    let covers = |p: DVec3| {
        mesh.triangles.iter().any(|t| {
            let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
            let side = |u: DVec3, v: DVec3| (v - u).cross(p - u).z;
            0.0 < side(a, b) && 0.0 < side(b, c) && 0.0 < side(c, a)
        })
    };
    assert!(!covers(DVec3::new(3.1, 2.9, 0.0)) && covers(DVec3::new(1.1, 3.3, 0.0)));
}

#[test]
fn polygons_that_cross_themselves_are_noted() {
    // A bow tie: two triangles that meet in the middle.
    let (mesh, notes) = read(&flat(&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]]));
    assert_eq!(notes, ["1 polygon crosses itself, the first at line 5"]);
    assert_eq!((area(&mesh), vector_area(&mesh).z), (2.0, 0.0));
    // A star of five points: its middle is inside twice and covered once.
    let star: Vec<[f64; 2]> = (0..5)
        .map(|i| {
            let a = core::f64::consts::TAU * 2.0 * f64::from(i) / 5.0;
            [a.cos(), a.sin()]
        })
        .collect();
    let (mesh, notes) = read(&flat(&star));
    assert_eq!(notes.len(), 1);
    let a = core::f64::consts::PI / 5.0;
    let inner = (2.0 * a).cos() / a.cos();
    assert!((area(&mesh) - 5.0 * inner * a.sin()).abs() < 1e-12, "{}", area(&mesh));
    // Two loops that meet in a corner, turned against each other.
    let eight = [[0.0, 0.0], [1.0, 1.0], [2.0, 0.0], [2.0, 2.0], [1.0, 1.0], [0.0, 2.0]];
    let (mesh, _) = read(&flat(&eight));
    assert_eq!(area(&mesh), 2.0);
    // More crossings than a real file has.
    let scribble: Vec<[f64; 2]> =
        (0..3000).map(|i| [f64::from(i * 7919 % 3001), f64::from(i * 104729 % 2999)]).collect();
    assert!(refusal(polygon(&flat(&scribble)).as_bytes(), Format::Obj).contains("crosses itself"));
}

#[test]
fn polygons_that_are_not_flat_are_noted() {
    let (_, notes) = read(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.1], [0.0, 1.0, 0.0]]);
    assert!(notes[0].starts_with("1 polygon is not flat, the first at line 5, by 2"), "{notes:?}");
    // The cut is the same for every first corner.
    let saddle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.4], [1.0, 1.0, 0.0], [0.5, 0.4, 0.3], [0.0, 1.0, 0.4]];
    let surfaces: Vec<_> = (0..5)
        .map(|first| {
            let mut turned = saddle;
            turned.rotate_left(first);
            surface(&read(&turned).0)
        })
        .collect();
    assert!(surfaces.iter().all(|other| *other == surfaces[0]));
    // Positions written with six digits are flat enough: no note.
    let rounded = [
        [0.333333, 0.0, 0.333333],
        [0.666667, 0.0, 0.666667],
        [0.666667, 1.0, 0.666667],
        [0.333333, 1.0, 0.333334],
    ];
    assert!(read(&rounded).1.is_empty());
}

#[test]
fn sizes_do_not_matter() {
    for scale in [1e-300, 1e-30, 1e-6, 1e6, 1e30, 1e150] {
        let scaled: Vec<[f64; 3]> = CHANNEL.iter().map(|[x, y]| [x * scale, 0.0, y * scale]).collect();
        let (mesh, notes) = read(&scaled);
        assert_eq!((mesh.triangles.len(), notes.len()), (6, 0), "{scale:e}");
        let unit = RawMesh { vertices: mesh.vertices.iter().map(|v| *v / scale).collect(), ..mesh };
        assert!((area(&unit) - 18.0).abs() < 1e-9);
    }
    // A small polygon far away.
    let far: Vec<[f64; 3]> = CHANNEL.iter().map(|[x, y]| [1048576.0 + x, 1048576.0 + y, 0.0]).collect();
    assert_eq!(area(&read(&far).0), 18.0);
}

/// Polygons on a small grid touch and cross themselves in many ways. Those that are cut without a
/// note keep their signed area.
#[test]
fn random_polygons_are_cut_or_noted() {
    let mut state = 1_u64;
    let mut next = |n: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    let (mut n_simple, mut n_crossing, mut n_empty) = (0, 0, 0);
    for _ in 0..3000 {
        let n = 4 + next(7);
        let points: Vec<[f64; 2]> = (0..n).map(|_| [next(5) as f64, next(5) as f64]).collect();
        let model = match parse(polygon(&flat(&points)).as_bytes(), Format::Obj) {
            Ok(model) => model,
            // The edges run forth and back alone, so there is no triangle.
            Err(error) => {
                assert_eq!(error.to_string(), "file.x: the mesh is empty: no triangle", "{points:?}");
                n_empty += 1;
                continue;
            }
        };
        let mesh = model.parts[0].world_mesh().unwrap();
        let signed: f64 = (0..points.len())
            .map(|i| {
                let ([a, b], [c, d]) = (points[i], points[(i + 1) % points.len()]);
                0.5 * (a * d - b * c)
            })
            .sum();
        if model.notes.is_empty() {
            assert!((vector_area(&mesh).z - signed).abs() < 1e-9, "{points:?}");
            assert!((area(&mesh) - signed.abs()).abs() < 1e-9, "{points:?}");
            n_simple += 1;
        } else {
            n_crossing += 1;
        }
    }
    assert!(300 < n_simple && 300 < n_crossing && n_empty < 300, "{n_simple} {n_crossing} {n_empty}");
}

#[test]
fn ply_polygons_are_cut_alike() {
    let mut text = String::from(
        "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n",
    );
    for [x, y] in CHANNEL {
        text += &format!("{x} {y} 0\n");
    }
    let obj = surface(&read(&flat(&CHANNEL)).0);
    for corners in ["0 1 2 3 4 5 6 7", "5 6 7 0 1 2 3 4"] {
        let model = parse(format!("{text}8 {corners}\n").as_bytes(), Format::Ply).unwrap();
        assert_eq!(surface(&model.parts[0].world_mesh().unwrap()), obj);
    }
}

#[test]
fn given_polygons_have_their_area() {
    let Some(file) = carom_testkit::data::find("reports/wallhole.obj") else { return };
    let model = carom_io::read(&file).unwrap();
    let found = area(&model.parts[0].world_mesh().unwrap());
    assert!((found - 721.42).abs() < 0.01, "{found}");
    for file in ["channel_ngon.obj", "channel_ngon2.obj"] {
        let model = carom_io::read(&carom_testkit::data::find("reports").unwrap().join(file)).unwrap();
        let mesh = model.parts[0].world_mesh().unwrap();
        assert_eq!(area(&mesh), 2.0 * 18.0 + 4.0 * 26.0, "{file}");
    }
}

#[test]
fn edges_that_coincide_are_cut_alike() {
    // Few corners, so that a polygon runs along an edge several times, in both directions.
    let mut state = 7_u64;
    let mut next = |n: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    let mut n_cut = 0;
    for _ in 0..400 {
        let corners: Vec<[f64; 2]> = (0..9).map(|_| [next(10_000) as f64, next(10_000) as f64]).collect();
        let n = 6 + next(15);
        let points: Vec<[f64; 2]> = (0..n).map(|_| corners[next(9) as usize]).collect();
        let model = match parse(polygon(&flat(&points)).as_bytes(), Format::Obj) {
            Ok(model) => model,
            Err(error) => {
                assert_eq!(error.to_string(), "file.x: the mesh is empty: no triangle", "{points:?}");
                continue;
            }
        };
        n_cut += usize::from(!model.notes.is_empty());
        // No triangle is larger than the square of all corners, and none lies twice.
        assert!(area(&model.parts[0].world_mesh().unwrap()) <= 1e8 * (1.0 + 1e-9), "{points:?}");
    }
    assert!(300 < n_cut, "{n_cut}");
}

#[test]
fn bent_polygons_keep_their_corners() {
    // Seen along the axis of the normal, an edge lies on another, or two corners coincide.
    for corners in [
        [[-5.0, 0.0, 5.0], [5.0, 0.0, 5.0], [5.0, 0.0, -5.0], [-5.0, 0.0, -5.0], [0.0, 5.0, -5.0]],
        [[-5.0, 0.0, 5.0], [5.0, 0.0, 5.0], [5.0, 0.0, -5.0], [-5.0, 0.0, -5.0], [-5.0, 3.0, -5.0]],
        [[-5.0, 0.0, 5.0], [5.0, 0.0, 5.0], [5.0, 1.0, -5.0], [-5.0, 0.0, -5.0], [4.0, 2.0, -5.0]],
    ] {
        for first in 0..5 {
            let mut turned = corners;
            turned.rotate_left(first);
            let model = parse(polygon(&turned).as_bytes(), Format::Obj).unwrap();
            let mesh = &model.parts[0].pieces[0].mesh;
            assert_eq!(mesh.triangles.len(), 3, "{turned:?}");
            let mut used: Vec<u32> = mesh.triangles.as_flattened().to_vec();
            used.sort_unstable();
            used.dedup();
            assert_eq!(used.len(), 5, "{turned:?}");
            assert!(model.notes[0].contains("not flat"), "{:?}", model.notes);
        }
    }
}
