//! Union, intersection, difference and offset.

use crate::bake::{brute, nodes};
use crate::scenes::{closed, cuboid, mesh, moved, open_box};
use carom_geom::TriMesh;
use carom_geom::ray_mesh::{Placement, point_in_mesh};
use carom_math::Ray;
use carom_scenes::mesh::{icosphere, terrain};
use carom_sdf::{Accuracy, BakeSettings, Field, Grid, RayOutcome, SdfError, SdfGrid, SignMethod, SparseSdf};
use glam::{DVec3, IVec3, UVec3, Vec3};

fn settings(band: f32) -> BakeSettings {
    let grid = Grid::new(1.0 / 8.0, IVec3::splat(-20), UVec3::splat(40)).unwrap();
    BakeSettings::default().with_grid(grid).with_band(band)
}

fn pair() -> [TriMesh; 2] {
    let ball = mesh(&icosphere(320));
    [cuboid([-1.5, -0.5, -0.75], [0.5, 0.5, 0.75]), moved(&ball, |v| v + Vec3::new(0.5, 0.25, 0.0))]
}

#[test]
fn sets_are_those_of_the_shapes() {
    for band in [3.0, f32::INFINITY] {
        let [a, b] = pair().map(|mesh| SdfGrid::from_mesh(&mesh, &settings(band)).unwrap());
        let [c, d] = pair().map(|mesh| SparseSdf::from_mesh(&mesh, &settings(band)).unwrap());
        let sets = [a.union(&b), a.intersection(&b), a.difference(&b)].map(Result::unwrap);
        let sparse = [c.union(&d), c.intersection(&d), c.difference(&d)].map(Result::unwrap);
        for node in nodes(a.grid()) {
            let (in_a, in_b) = (a.value(node) < 0.0, b.value(node) < 0.0);
            let wanted = [in_a || in_b, in_a && in_b, in_a && !in_b];
            for (i, set) in sets.iter().enumerate() {
                // On the border of one shape the value is 0.
                if a.value(node) != 0.0 && b.value(node) != 0.0 {
                    assert_eq!(set.value(node) < 0.0, wanted[i], "{node} {i}");
                }
                assert_eq!(set.value(node), sparse[i].value(node), "{node} {i}");
            }
        }
        for set in &sets {
            assert_eq!((set.accuracy(), set.sign_method()), (Accuracy::Bound, SignMethod::WindingExact));
        }
        if band == 3.0 {
            assert!(sparse.iter().all(|set| set.n_stored_blocks() < set.n_blocks()));
        }
    }
}

/// A box of space, by its lowest and its highest corner.
type Block = [[f64; 3]; 2];

/// Whether a point is in a set, if it is in the one box and in the other.
type IsInSet = fn(bool, bool) -> bool;

/// The signed distance of a set of points that is made of two boxes, from its definition: their
/// sides cut space into smaller boxes, and the surface is all between one in the set and one that
/// is not.
fn set_distance([a, b]: [Block; 2], is_in_set: IsInSet) -> impl Fn(DVec3) -> f64 {
    // The coordinates of all sides, and of two far away.
    let cuts = [0, 1, 2].map(|axis| {
        let mut cuts = vec![-100.0, a[0][axis], a[1][axis], b[0][axis], b[1][axis], 100.0];
        cuts.sort_by(f64::total_cmp);
        cuts
    });
    let holds = move |block: &Block, p: [f64; 3]| (0..3).all(|i| block[0][i] < p[i] && p[i] < block[1][i]);
    let middle = |i: [usize; 3]| [0, 1, 2].map(|axis| 0.5 * (cuts[axis][i[axis]] + cuts[axis][i[axis] + 1]));
    let is_in = move |p: [f64; 3]| is_in_set(holds(&a, p), holds(&b, p));
    let mut rectangles: Vec<[DVec3; 2]> = Vec::new();
    for axis in 0..3 {
        for number in 0..100 {
            let mut low = [number % 5, number / 5 % 5, number / 25 % 4];
            low.swap(axis, 2);
            let mut next = low;
            next[axis] += 1;
            if is_in(middle(low)) != is_in(middle(next)) {
                let corner =
                    |end: usize| [0, 1, 2].map(|i| cuts[i][low[i] + if i == axis { 1 } else { end }]);
                rectangles.push([0, 1].map(|end| DVec3::from_array(corner(end))));
            }
        }
    }
    move |point| {
        let distances = rectangles.iter().map(|[low, high]| (point.clamp(*low, *high) - point).length());
        let nearest = distances.fold(f64::INFINITY, f64::min);
        if is_in(point.to_array()) { -nearest } else { nearest }
    }
}

/// The surface of a combination is nowhere nearer than a value says, and the side is the true one.
#[test]
fn combined_values_are_bounds_of_the_true_distance() {
    let (mut n_near, mut n_exact, mut n_outside) = (0, 0, 0);
    // Across each other, one in the other, apart, and with a side in one plane.
    let first = [[-1.5, -0.5, -0.75], [0.5, 0.5, 0.75]];
    for second in [
        [[-0.3, -1.2, -0.4], [1.1, 0.3, 1.3]],
        [[-1.1, -0.3, -0.6], [0.2, 0.3, 0.4]],
        [[0.9, -0.4, -0.6], [1.7, 0.8, 0.9]],
        [[-0.6, -0.5, -1.1], [0.5, 0.9, 0.2]],
    ] {
        let blocks: [Block; 2] = [first, second];
        let meshes = blocks.map(|[low, high]| cuboid(low.map(|x| x as f32), high.map(|x| x as f32)));
        // The coordinates as the meshes have them.
        let blocks = blocks.map(|block| block.map(|corner| corner.map(|x| f64::from(x as f32))));
        for band in [3.0, f32::INFINITY] {
            let [a, b] = [0, 1].map(|i| SdfGrid::from_mesh(&meshes[i], &settings(band)).unwrap());
            let sets: [(SdfGrid, IsInSet); 3] = [
                (a.union(&b).unwrap(), |a, b| a || b),
                (a.intersection(&b).unwrap(), |a, b| a && b),
                (a.difference(&b).unwrap(), |a, b| a && !b),
            ];
            for (set, is_in_set) in &sets {
                let truth = set_distance(blocks, *is_in_set);
                for node in nodes(set.grid()).step_by(23) {
                    let point = set.grid().node(node);
                    let (value, wanted) = (f64::from(set.value(node)), truth(point));
                    // Rounded once.
                    assert!(value.abs() <= wanted.abs() * (1.0 + 1e-7), "{node}: {value} {wanted}");
                    assert!(value == 0.0 || (value < 0.0) == (wanted < 0.0), "{node}: {value} {wanted}");
                    n_exact += usize::from((value - wanted).abs() <= 1e-6);
                    n_near += usize::from(wanted.abs() < 0.2);
                    let point = point + DVec3::new(0.03, -0.05, 0.01);
                    let (found, wanted) = (set.bounds(point), truth(point));
                    assert!(found.least <= wanted && wanted <= found.greatest, "{point}: {found:?} {wanted}");
                }
                for point in around(set.grid(), 1.5) {
                    let (found, wanted) = (set.bounds(point), truth(point));
                    assert!(found.least <= wanted && wanted <= found.greatest, "{point}: {found:?} {wanted}");
                    n_outside += usize::from(found.is_outside());
                }
            }
        }
    }
    assert!(1000 < n_near && 10_000 < n_exact && 1000 < n_outside, "{n_near} {n_exact} {n_outside}");
}

/// Nodes of both sides are no nearer to each other than the values say.
#[test]
fn combined_values_change_no_faster_than_the_point_moves() {
    let [a, b] = pair().map(|mesh| SdfGrid::from_mesh(&mesh, &settings(f32::INFINITY)).unwrap());
    for set in [a.union(&b), a.intersection(&b), a.difference(&b)].map(Result::unwrap) {
        let all: Vec<(DVec3, f64)> =
            nodes(set.grid()).step_by(7).map(|n| (set.grid().node(n), f64::from(set.value(n)))).collect();
        for (p, from) in all.iter().step_by(5) {
            for (q, to) in &all {
                assert!((from - to).abs() <= (*p - *q).length() * (1.0 + 1e-6) + 1e-6);
            }
        }
        for (p, value) in all {
            let found = set.bounds(p);
            assert!(found.least <= value + 1e-6 && value - 1e-6 <= found.greatest);
        }
    }
}

#[test]
fn an_offset_moves_the_surface() {
    for (name, mesh) in closed() {
        let settings = BakeSettings::default().with_resolution(14).with_padding(5);
        let field = SdfGrid::from_mesh(&mesh, &settings).unwrap();
        let by = 1.5 * field.grid().cell();
        for by in [by, -by] {
            let moved = field.offset(by).unwrap();
            assert_eq!((moved.accuracy(), moved.band()), (Accuracy::Bound, f32::INFINITY));
            for node in nodes(field.grid()) {
                let wanted = f64::from(field.value(node)) - f64::from(by);
                let value = f64::from(moved.value(node));
                assert!(value.abs() <= wanted.abs() && (value - wanted).abs() < 1e-5, "{name} {node}");
            }
        }
        let cut = SdfGrid::from_mesh(&mesh, &settings.with_band(4.0)).unwrap();
        let moved = cut.offset(by).unwrap();
        assert!(moved.band() <= 2.5 * field.grid().cell() && moved.values().contains(&moved.band()));
        assert_eq!(cut.offset(2.0 * by), Err(SdfError::BadOffset { offset: 2.0 * by }), "{name}");
        let sparse = SparseSdf::from_mesh(&mesh, &settings.with_band(4.0)).unwrap().offset(by).unwrap();
        assert!(nodes(field.grid()).all(|node| sparse.value(node) == moved.value(node)), "{name}");
    }
    let [a, _] = pair().map(|mesh| SdfGrid::from_mesh(&mesh, &settings(3.0)).unwrap());
    assert!(matches!(a.offset(f32::NAN), Err(SdfError::BadOffset { .. })));
    assert!(matches!(a.offset(f32::INFINITY), Err(SdfError::BadOffset { .. })));
}

/// Points around a grid: on a box that is larger by some cells on all sides.
fn around(grid: &Grid, cells: f64) -> Vec<DVec3> {
    let (min, max) = grid.wide_bounds();
    let by = DVec3::splat(cells * f64::from(grid.cell()));
    let (min, max) = (min - by, max + by);
    let at = |i: i32, axis: usize| min[axis] + (max[axis] - min[axis]) * f64::from(i) / 4.0;
    (0..125)
        .map(|i| [i % 5, i / 5 % 5, i / 25])
        .filter(|i| i.iter().any(|i| i % 4 == 0))
        .map(|[x, y, z]| DVec3::new(at(x, 0), at(y, 1), at(z, 2)))
        .collect()
}

/// Checks points and rays around a field whose surface is at a distance from a shape's.
fn check_around(name: &str, field: &impl Field, distance: impl Fn(DVec3) -> f64, offset: f64) {
    for cells in [0.0, 1.0] {
        for point in around(field.grid(), cells) {
            let (found, wanted) = (field.bounds(point), distance(point) - offset);
            assert!(
                found.least <= wanted && (wanted < 0.0 || wanted <= found.greatest),
                "{name}, by {offset}: {point} {found:?} {wanted}"
            );
            // Past the grid, along a side of it.
            let direction = DVec3::new(point.y - point.z, point.z - point.x, point.x - point.y);
            let ray = Ray::new(point.as_vec3(), direction.as_vec3());
            if field.cast_ray(&ray, 1.0).outcome == RayOutcome::Miss {
                let along = |i: i32| ray.origin.as_dvec3() + ray.direction.as_dvec3() * (f64::from(i) / 4.0);
                assert!((0..=4).all(|i| offset < distance(along(i))), "{name}, by {offset}: {ray:?}");
            }
        }
    }
}

#[test]
fn an_offset_keeps_the_surface_in_the_grid_or_is_refused() {
    let (mut n_moved, mut n_refused) = (0, 0);
    for (name, mesh) in closed() {
        let distance = |p: DVec3| match point_in_mesh(p, mesh.iter_corners()) {
            Placement::Inside => -brute(&mesh, p),
            _ => brute(&mesh, p),
        };
        for (padding, band) in [(2, f32::INFINITY), (2, 8.0), (0, f32::INFINITY), (4, 8.0)] {
            let settings = BakeSettings::default().with_resolution(10).with_padding(padding).with_band(band);
            let field = SdfGrid::from_mesh(&mesh, &settings).unwrap();
            let sparse = SparseSdf::from_mesh(&mesh, &settings).unwrap();
            for cells in [-5.0, -1.0, 0.5, 1.0, 1.5, 1.8, 2.5, 3.0, 5.0] {
                let by = cells * field.grid().cell();
                let moved = field.offset(by);
                let other = sparse.offset(by);
                if let (Ok(moved), Ok(other)) = (&moved, &other) {
                    n_moved += 1;
                    check_around(name, moved, distance, f64::from(by));
                    assert!(nodes(moved.grid()).all(|node| moved.value(node) == other.value(node)));
                    assert!(cells < padding as f32 + 1.0, "{name} {padding} {cells}");
                } else {
                    n_refused += 1;
                    let Err(SdfError::OffsetLeavesGrid { offset, allowed }) = moved else {
                        panic!("{name} {padding} {cells}")
                    };
                    assert_eq!(other, Err(SdfError::OffsetLeavesGrid { offset, allowed }));
                    assert!(offset == by && 0.0 <= allowed && allowed < by);
                    assert!(padding as f32 - 1.0 < cells, "{name} {padding} {cells}");
                    assert!(allowed == 0.0 || field.offset(allowed).is_ok());
                }
            }
        }
    }
    assert!(40 < n_moved && 40 < n_refused, "{n_moved} {n_refused}");
}

#[test]
fn offsets_add_up_to_the_padding() {
    let ball = mesh(&icosphere(320));
    let field = SdfGrid::from_mesh(&ball, &BakeSettings::default().with_resolution(14)).unwrap();
    let by = 0.7 * field.grid().cell();
    let twice = field.offset(by).unwrap().offset(by).unwrap();
    check_around(
        "ball",
        &twice,
        |p| if p.length() < 0.9 { -0.1 } else { brute(&ball, p) },
        2.0 * f64::from(by),
    );
    assert!(matches!(twice.offset(2.0 * by), Err(SdfError::OffsetLeavesGrid { .. })));
    // And back again.
    assert!(twice.offset(-2.0 * by).unwrap().offset(by).is_ok());
}

#[test]
fn a_shell_and_a_room_keep_their_surface_in_the_grid() {
    let sheet = moved(&mesh(&terrain(2.0, 0.3, 6, 3)), |v| v * 0.5);
    let field = SdfGrid::from_mesh(&sheet, &BakeSettings::default().with_resolution(16)).unwrap();
    assert_eq!(field.sign_method(), SignMethod::Unsigned);
    let cell = field.grid().cell();
    check_around("shell", &field.offset(cell).unwrap(), |p| brute(&sheet, p), f64::from(cell));
    assert!(matches!(field.offset(5.0 * cell), Err(SdfError::OffsetLeavesGrid { .. })));
    // All but a ball, or all but a box: the solid shrinks towards the border.
    let room = |p: DVec3| 1.0 - p.length();
    let hall = |p: DVec3| 1.0 - p.abs().max_element();
    let (low, high) = (DVec3::splat(-1.0), DVec3::ONE);
    for padding in [0, 2] {
        let settings = BakeSettings::default().with_cell(0.125).with_padding(padding);
        for all_but in [room as fn(DVec3) -> f64, hall] {
            let field = SdfGrid::from_function(low, high, &settings, Accuracy::Bound, all_but).unwrap();
            assert!(matches!(field.offset(-0.625), Err(SdfError::OffsetLeavesGrid { .. })), "{padding}");
            for field in [field.offset(-0.125), field.offset(0.25), Ok(field)].into_iter().flatten() {
                for point in around(field.grid(), 1.0) {
                    assert!(!field.bounds(point).is_outside(), "{padding} {point}");
                }
            }
        }
    }
}

#[test]
fn fields_that_do_not_fit_are_refused() {
    let [a, b] = pair().map(|mesh| SdfGrid::from_mesh(&mesh, &settings(3.0)).unwrap());
    let other = SdfGrid::from_mesh(&pair()[0], &settings(4.0)).unwrap();
    assert_eq!(a.union(&other), Err(SdfError::OtherGrid));
    let sheet = moved(&mesh(&terrain(2.0, 0.3, 6, 3)), |v| v * 0.5);
    let sheet = SdfGrid::from_mesh(&sheet, &settings(3.0)).unwrap();
    assert_eq!(sheet.sign_method(), SignMethod::Unsigned);
    for result in [a.union(&sheet), sheet.union(&a), sheet.intersection(&sheet), a.difference(&sheet)] {
        assert_eq!(result, Err(SdfError::Unsigned));
    }
    // The union of a sheet with itself, and an offset of a sheet.
    let both = sheet.union(&sheet).unwrap();
    assert_eq!((both.values(), both.accuracy()), (sheet.values(), Accuracy::Exact));
    let thick = sheet.offset(0.125).unwrap();
    assert_eq!((thick.sign_method(), thick.accuracy()), (SignMethod::Given, Accuracy::Bound));
    assert!(thick.values().iter().any(|v| *v < 0.0));
    // The side of a point of an open mesh is not proved.
    let open = SdfGrid::from_mesh(&open_box(), &settings(3.0)).unwrap();
    let cut = b.difference(&open).unwrap();
    assert!(matches!(cut.sign_method(), SignMethod::Winding { .. }) && cut.accuracy() == Accuracy::Estimate);
    assert_eq!(cut.bounds(DVec3::ZERO), carom_sdf::DistanceBounds::UNKNOWN);
}
