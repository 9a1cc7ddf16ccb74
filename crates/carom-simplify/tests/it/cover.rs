//! No point of a solid is left out by the hulls that cover it.
//!
//! The inside is found in whole numbers, by code that shares nothing with the decomposition. A
//! hull contains a point if the point is on or below every face, by exact signs without a
//! tolerance.

use carom_geom::{ConvexHull, TriMesh};
use carom_math::predicates::orient3d;
use carom_scenes::Rng;
use carom_simplify::{CoverCell, DecomposeSettings, Decomposition, decompose};
use carom_testkit::meshes;
use glam::{DVec3, Vec3};

type Int3 = [i64; 3];

/// A solid whose corners are whole numbers.
struct Solid {
    corners: Vec<Int3>,
    triangles: Vec<[u32; 3]>,
}

impl Solid {
    fn new() -> Solid {
        Solid { corners: Vec::new(), triangles: Vec::new() }
    }

    fn mesh(&self, scale: f32) -> TriMesh {
        let position_of = |p: &Int3| Vec3::from_array(p.map(|x| x as f32)) * scale;
        TriMesh::new(self.corners.iter().map(position_of).collect(), self.triangles.clone()).unwrap()
    }

    fn add(&mut self, corners: &[Int3], triangles: &[[u32; 3]]) {
        let first = self.corners.len() as u32;
        self.corners.extend(corners);
        self.triangles.extend(triangles.iter().map(|t| t.map(|v| v + first)));
    }

    /// A quadrilateral, counter-clockwise seen from outside.
    fn add_quad(&mut self, corners: [Int3; 4]) {
        self.add(&corners, &[[0, 1, 2], [0, 2, 3]]);
    }

    /// A prism over an outline, from one height to another. From `middle`, all of the outline is
    /// visible.
    fn prism(outline: &[[i64; 2]], middle: [i64; 2], heights: [i64; 2]) -> Solid {
        let mut solid = Solid::new();
        let at = |p: [i64; 2], height: i64| [p[0], p[1], height];
        for (i, &p) in outline.iter().enumerate() {
            let q = outline[(i + 1) % outline.len()];
            let [low, high] = heights;
            solid.add(&[at(middle, high), at(p, high), at(q, high)], &[[0, 1, 2]]);
            solid.add(&[at(middle, low), at(q, low), at(p, low)], &[[0, 1, 2]]);
            solid.add_quad([at(p, low), at(q, low), at(q, high), at(p, high)]);
        }
        solid
    }

    /// A solid of the full cells of a grid, without their common faces.
    fn of_cells(n: i64, size: i64, is_full: impl Fn(Int3) -> bool) -> Solid {
        let mut solid = Solid::new();
        let is_full = |c: Int3| c.iter().all(|x| (0..n).contains(x)) && is_full(c);
        for number in 0..n * n * n {
            let cell = [number % n, number / n % n, number / n / n];
            if !is_full(cell) {
                continue;
            }
            for axis in 0..3 {
                for side in [0, 1] {
                    let mut beyond = cell;
                    beyond[axis] += 2 * side - 1;
                    if is_full(beyond) {
                        continue;
                    }
                    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                    let corner = |i: i64, k: i64| {
                        let mut p = cell;
                        p[axis] += side;
                        p[u] += i;
                        p[v] += k;
                        p.map(|x| x * size)
                    };
                    let quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    solid.add_quad(if side == 1 { quad } else { [quad[3], quad[2], quad[1], quad[0]] });
                }
            }
        }
        solid
    }

    /// The winding number around a point, given in quarters of a unit; `None` on the surface.
    fn winding(&self, point: Int3) -> Option<i64> {
        let sub = |p: Int3, q: Int3| [0, 1, 2].map(|k| i128::from(p[k] - q[k]));
        let cross = |u: [i128; 3], v: [i128; 3]| {
            [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        };
        let dot = |u: [i128; 3], v: [i128; 3]| u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
        // A ray in an oblique direction. If it meets an edge, the next direction is tried.
        'ray: for turn in 0.. {
            let offset = [7919 + 13 * turn, -104_729 + 7 * turn, 1_299_709 - 5 * turn];
            let mut winding = 0;
            for t in &self.triangles {
                let [a, b, c] = t.map(|v| sub(self.corners[v as usize].map(|x| 4 * x), point));
                let normal = cross(sub3(b, a), sub3(c, a));
                let sides = [(a, b), (b, c), (c, a)].map(|(p, q)| dot(offset, cross(p, q)).signum());
                let (height, speed) = (dot(normal, a), dot(normal, offset).signum());
                if speed != 0 && sides.iter().all(|side| *side == speed) {
                    if height == 0 {
                        return None;
                    }
                    winding += if height.signum() == speed { i64::try_from(speed).unwrap() } else { 0 };
                } else if sides.iter().all(|side| *side == 0 || *side == speed) || speed == 0 {
                    // The ray meets the rim, or runs along the plane. Another direction decides,
                    // unless the point is in the triangle.
                    if height == 0 && is_in_flat(a, b, c, normal) {
                        return None;
                    }
                    if speed != 0 {
                        continue 'ray;
                    }
                    if height == 0 && normal != [0; 3] {
                        continue 'ray;
                    }
                }
            }
            return Some(winding);
        }
        None
    }
}

fn sub3(u: [i128; 3], v: [i128; 3]) -> [i128; 3] {
    [u[0] - v[0], u[1] - v[1], u[2] - v[2]]
}

/// Whether the origin, which is in the plane of a triangle with this normal, is in the closed
/// triangle.
fn is_in_flat(a: [i128; 3], b: [i128; 3], c: [i128; 3], normal: [i128; 3]) -> bool {
    let axis = (0..3).find(|&k| normal[k] != 0).unwrap_or(0);
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let sides = [(a, b), (b, c), (c, a)].map(|(p, q)| (p[u] * q[v] - p[v] * q[u]).signum());
    let sign = normal[axis].signum();
    sides.iter().all(|side| *side == 0 || *side == sign)
}

/// Whether the point is on or below every face, by exact signs.
fn contains(hull: &ConvexHull, p: DVec3) -> bool {
    let position_of = |v: u32| hull.vertices()[v as usize].as_dvec3();
    (0..hull.n_faces() as u32).all(|face| {
        let ring = hull.face_vertices(face);
        (2..ring.len())
            .all(|i| 0.0 <= orient3d(position_of(ring[0]), position_of(ring[i - 1]), position_of(ring[i]), p))
    })
}

/// Whether the hull of the point's cell contains the point. For a point between cells, the hull of
/// one of them is enough.
fn is_covered(found: &Decomposition, p: DVec3) -> bool {
    let cells = || {
        found
            .cells
            .iter()
            .filter(|cell| cell.min.as_dvec3().cmple(p).all() && p.cmple(cell.max.as_dvec3()).all())
    };
    cells().any(|cell| contains(&found.hulls[cell.hull], p))
}

/// Checks that the cells have the volume of the box around the mesh, and that no two overlap.
fn check_tiling(mesh: &TriMesh, found: &Decomposition) {
    let (low, high) = mesh.wide_bounds();
    let size = |cell: &CoverCell| (cell.max - cell.min).as_dvec3();
    let total: f64 = found.cells.iter().map(|cell| (size(cell) / (high - low)).element_product()).sum();
    assert!((total - 1.0).abs() < 1e-6, "{total}");
    for (i, a) in found.cells.iter().enumerate() {
        for b in &found.cells[..i] {
            assert!((a.min.cmpge(b.max) | b.min.cmpge(a.max)).any(), "{a:?} {b:?}");
        }
    }
}

/// Returns the number of points of a lattice that are inside the solid and not covered, and the
/// number of those inside.
fn left_out(solid: &Solid, scale: f32, found: &Decomposition, step: usize) -> (usize, usize) {
    let ends = |pick: fn(i64, i64) -> i64| {
        [0, 1, 2].map(|k| solid.corners.iter().map(|p| 4 * p[k]).reduce(pick).unwrap())
    };
    let (low, high) = (ends(i64::min), ends(i64::max));
    let (mut n_inside, mut n_left_out) = (0, 0);
    for x in (low[0]..=high[0]).step_by(step) {
        for y in (low[1]..=high[1]).step_by(step) {
            for z in (low[2]..=high[2]).step_by(step) {
                if !matches!(solid.winding([x, y, z]), Some(winding) if winding != 0) {
                    continue;
                }
                n_inside += 1;
                let p = DVec3::new(x as f64, y as f64, z as f64) * 0.25 * f64::from(scale);
                n_left_out += usize::from(!is_covered(found, p));
            }
        }
    }
    (n_left_out, n_inside)
}

fn check(name: &str, solid: &Solid, scale: f32, settings: &DecomposeSettings, step: usize) -> usize {
    let mesh = solid.mesh(scale);
    let found = decompose(&mesh, settings).unwrap();
    assert!(found.is_solid, "{name}");
    check_tiling(&mesh, &found);
    let (n_left_out, n_inside) = left_out(solid, scale, &found, step);
    assert_eq!(n_left_out, 0, "{name}: of {n_inside} points inside, in {} hulls", found.hulls.len());
    n_inside
}

/// A block with two slots through it.
fn two_slots() -> Solid {
    let mut solid = Solid::new();
    let plan =
        [[6, 6], [6, 0], [0, 0], [0, 6], [2, 1], [3, 1], [3, 4], [2, 4], [4, 4], [4, 1], [5, 1], [5, 4]];
    solid.corners = [0, 4].iter().flat_map(|&z| plan.iter().map(move |&[x, y]| [x, y, z])).collect();
    let triangles = [
        [9, 10, 6],
        [3, 5, 11],
        [2, 3, 11],
        [1, 2, 11],
        [5, 3, 4],
        [8, 5, 4],
        [7, 8, 4],
        [9, 6, 7],
        [1, 11, 12],
        [4, 1, 12],
        [9, 7, 4],
        [12, 9, 4],
        [18, 22, 21],
        [23, 17, 15],
        [23, 15, 14],
        [23, 14, 13],
        [16, 15, 17],
        [16, 17, 20],
        [16, 20, 19],
        [19, 18, 21],
        [24, 23, 13],
        [24, 13, 16],
        [16, 19, 21],
        [16, 21, 24],
        [13, 14, 1],
        [1, 14, 2],
        [14, 15, 2],
        [2, 15, 3],
        [16, 13, 4],
        [4, 13, 1],
        [15, 16, 3],
        [3, 16, 4],
        [18, 19, 6],
        [6, 19, 7],
        [20, 17, 8],
        [8, 17, 5],
        [19, 20, 7],
        [7, 20, 8],
        [22, 18, 10],
        [10, 18, 6],
        [21, 22, 9],
        [9, 22, 10],
        [17, 23, 5],
        [5, 23, 11],
        [24, 21, 12],
        [12, 21, 9],
        [23, 24, 11],
        [11, 24, 12],
    ];
    solid.triangles = triangles.iter().map(|t: &[u32; 3]| t.map(|v| v - 1)).collect();
    solid
}

#[test]
fn a_block_with_two_slots_is_covered() {
    let is_slow = std::env::var_os("CAROM_SLOW").is_some();
    let mut n_inside = 0;
    for max_hulls in [2, 5, 16] {
        for concavity in [0.0, 0.02, 0.05] {
            let settings = DecomposeSettings::default().with_max_hulls(max_hulls).with_concavity(concavity);
            let is_dense = concavity == 0.02 && (is_slow || max_hulls == 16);
            n_inside += check("two slots", &two_slots(), 0.5, &settings, if is_dense { 1 } else { 4 });
        }
    }
    assert!(if is_slow { 15_000 } else { 4_500 } < n_inside, "{n_inside}");
}

/// A prism over a star, with whole numbers as coordinates.
fn star(rng: &mut Rng) -> Solid {
    let n = 5 + rng.below(6);
    let outline: Vec<[i64; 2]> = (0..n)
        .map(|i| {
            let turn = core::f64::consts::TAU * (i as f64 + 0.4 * rng.unit()) / n as f64;
            let far = if i % 2 == 0 { 12.0 } else { 3.0 + 4.0 * rng.unit() };
            [turn.cos(), turn.sin()].map(|x| (x * far).round() as i64)
        })
        .collect();
    Solid::prism(&outline, [0, 0], [0, 12])
}

/// Tetrahedra that overlap, some of them inside out.
fn heap(rng: &mut Rng) -> Solid {
    let mut solid = Solid::new();
    for _ in 0..2 + rng.below(4) {
        let corners = [0; 4].map(|_| [0; 3].map(|_| rng.below(13) as i64));
        solid.add(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]);
    }
    solid
}

/// Solids with faces, edges and corners in the planes at which cuts are made.
#[test]
fn generated_solids_are_covered() {
    let is_slow = std::env::var_os("CAROM_SLOW").is_some();
    let mut rng = Rng::new(71);
    let mut n_inside = 0;
    for round in 0..if is_slow { 1000 } else { 8 } {
        let (name, solid) = match round % 4 {
            0 => {
                let n = [3, 4, 6][rng.below(if is_slow { 3 } else { 2 })];
                let is_full: Vec<bool> = (0..n * n * n).map(|_| rng.unit() < 0.6).collect();
                let at = |c: Int3| is_full[(c[0] + n * (c[1] + n * c[2])) as usize];
                ("cells", Solid::of_cells(n, 12 / n, at))
            }
            1 => ("star", star(&mut rng)),
            2 => ("heap", heap(&mut rng)),
            _ => {
                // Walls with windows, of whole cells.
                let holes: Vec<[i64; 4]> = (0..3)
                    .map(|_| {
                        let (x, y) = (rng.below(5) as i64, rng.below(5) as i64);
                        [x, y, x + 1 + rng.below(3) as i64, y + 1 + rng.below(3) as i64]
                    })
                    .collect();
                let is_hole = move |c: Int3| {
                    holes.iter().any(|h| (h[0]..h[2]).contains(&c[0]) && (h[1]..h[3]).contains(&c[1]))
                };
                ("wall", Solid::of_cells(6, 2, move |c| c[2] < 2 && !is_hole(c)))
            }
        };
        if solid.triangles.is_empty() {
            continue;
        }
        let settings = DecomposeSettings::default()
            .with_max_hulls([1, 3, 8, 16][rng.below(4)])
            .with_concavity([0.03, 0.1, 0.0][rng.below(if matches!(round % 4, 1 | 2) { 2 } else { 3 })])
            .with_max_vertices([8, 16, 64][rng.below(3)]);
        // The scale is a power of two, so that scaled samples are exact.
        let scale = [1.0, 0.0625, 1024.0][rng.below(3)];
        n_inside += check(name, &solid, scale, &settings, 2);
    }
    assert!(if is_slow { 100_000 } else { 600 } < n_inside, "{n_inside}");
}

/// Every closed mesh of the collection: points inside it are in a hull.
#[test]
fn real_solids_are_covered() {
    let is_slow = std::env::var_os("CAROM_SLOW").is_some();
    let mut rng = Rng::new(72);
    let names = [
        "cray_left",
        "hilbert_cube",
        "nut_big",
        "oloid",
        "screw_big",
        "offset2",
        "hammer",
        "quad_knot",
        "spot",
        "tray_bottom",
        "so101_moving_jaw",
        "ycb_scissors",
        "ycb_power_drill",
        "twin7081_left",
        "twin7081_right",
        "so101_wrist_roll_pitch",
    ];
    for name in &names[..if is_slow { names.len() } else { 4 }] {
        let Some(data) = meshes::mesh(name) else { return };
        let mesh = TriMesh::new(data.vertices.iter().map(|v| v.as_vec3()).collect(), data.indices).unwrap();
        let settings = DecomposeSettings::default().with_max_hulls(16).with_concavity(0.01);
        let found = decompose(&mesh, &settings).unwrap();
        let (low, high) = mesh.wide_bounds();
        let (mut n_inside, mut n_left_out) = (0, 0);
        for round in 0..if is_slow { 1000 } else { 200 } {
            // Half of the points are anywhere in the box, half close behind a triangle, because
            // some solids are thin.
            let mut p = rng.in_box(low, high);
            if round % 2 == 0 {
                let [a, b, c] = mesh.corners(rng.below(mesh.n_triangles()) as u32);
                let out = (b - a).cross(c - a).normalize_or_zero();
                p = (a + b + c) / 3.0 - out * 1e-3 * (b - a).length();
            }
            if crate::oracle::winding(&mesh, p).is_some_and(|w| w != 0) {
                n_inside += 1;
                n_left_out += usize::from(!is_covered(&found, p));
            }
        }
        assert!(!found.is_solid || 0 < n_inside, "{name}");
        if found.is_solid {
            assert_eq!(n_left_out, 0, "{name}: of {n_inside} points inside");
        }
    }
}
