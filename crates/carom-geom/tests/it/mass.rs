//! Masses: round shapes against fine polyhedra of the same shape, polyhedra against each other,
//! shifting and turning.

use carom_geom::f64::{
    Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, MassProperties, Sphere, Tetrahedron,
};
use carom_geom::{SupportMap, f64 as geom};
use carom_math::f64::Pose;
use glam::{DMat3, DQuat, DVec3};
use proptest::prelude::*;

fn largest(m: DMat3) -> f64 {
    m.to_cols_array().iter().fold(0.0, |most, x| most.max(x.abs()))
}

fn close(a: &MassProperties, b: &MassProperties, share: f64) {
    let size = (largest(a.inertia) / a.mass).sqrt() + a.center.length();
    assert!((a.mass - b.mass).abs() <= share * a.mass, "{} {}", a.mass, b.mass);
    assert!((a.center - b.center).length() <= share * size, "{} {}", a.center, b.center);
    assert!(largest(a.inertia - b.inertia) <= share * largest(a.inertia), "{:?} {:?}", a.inertia, b.inertia);
}

/// A fine polyhedron inscribed in a shape: supports in many directions, margin added.
fn polyhedron(shape: &dyn SupportMap) -> ConvexHull {
    let mut points = Vec::new();
    let n = 60;
    for i in 0..=n {
        let v = f64::from(i) * std::f64::consts::PI / f64::from(n);
        for j in 0..2 * n {
            let u = f64::from(j) * std::f64::consts::PI / f64::from(n);
            let d = DVec3::new(v.sin() * u.cos(), v.cos(), v.sin() * u.sin());
            points.push(shape.support(d).point + d * shape.margin());
        }
    }
    ConvexHull::from_points(&points).unwrap()
}

#[test]
fn round_shapes_weigh_what_their_polyhedra_do() {
    let density = 2.5;
    let sphere = Sphere::new(0.7).unwrap();
    close(&sphere.mass_properties(density), &polyhedron(&sphere).mass_properties(density), 6e-3);
    let capsule = Capsule::new(0.4, 0.3).unwrap();
    close(&capsule.mass_properties(density), &polyhedron(&capsule).mass_properties(density), 6e-3);
    let cylinder = Cylinder::new(0.4, 0.3).unwrap();
    close(&cylinder.mass_properties(density), &polyhedron(&cylinder).mass_properties(density), 6e-3);
    let cone = Cone::new(0.4, 0.3).unwrap();
    close(&cone.mass_properties(density), &polyhedron(&cone).mass_properties(density), 6e-3);
    let ellipsoid = Ellipsoid::new(DVec3::new(0.4, 0.3, 1.0)).unwrap();
    close(&ellipsoid.mass_properties(density), &polyhedron(&ellipsoid).mass_properties(density), 6e-3);
    let cuboid = Cuboid::new(DVec3::new(0.4, 0.3, 1.0)).unwrap();
    let corners: Vec<DVec3> = (0..8).map(|i| cuboid.vertex(i).unwrap()).collect();
    let hull = ConvexHull::from_points(&corners).unwrap();
    close(&cuboid.mass_properties(density), &hull.mass_properties(density), 1e-14);
    assert!((cuboid.mass_properties(density).mass - density * 0.96).abs() < 1e-14);
}

#[test]
fn known_numbers() {
    let unit = Tetrahedron::new(DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z).unwrap().mass_properties(6.0);
    assert!((unit.mass - 1.0).abs() < 1e-15);
    assert!((unit.center - DVec3::splat(0.25)).length() < 1e-15);
    // By hand: the integral of x^2 is 1/10, of x y 1/20; shifted to the centre 3/80 and -1/80.
    let expected =
        DMat3::from_cols(DVec3::new(6.0, 1.0, 1.0), DVec3::new(1.0, 6.0, 1.0), DVec3::new(1.0, 1.0, 6.0))
            * (1.0 / 80.0);
    assert!(largest(unit.inertia - expected) < 1e-16);
    let flat = Tetrahedron::new(DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y).unwrap();
    assert_eq!(flat.mass_properties(1.0), MassProperties::ZERO);
    assert_eq!(Sphere::new(1.0).unwrap().mass_properties(f64::NAN), MassProperties::ZERO);
    assert_eq!(Sphere::new(1.0).unwrap().mass_properties(-1.0), MassProperties::ZERO);
    let far = carom_geom::Sphere::new(1e18).unwrap().mass_properties(1.0);
    assert!(!far.inertia.is_nan() && far.mass == f32::INFINITY);
}

#[test]
fn a_hollow_in_a_mesh_counts_negative() {
    let cube = |half: f64, turn: bool| {
        let corner = |i: u32| {
            let s = |bit| if i & bit == 0 { half } else { -half };
            DVec3::new(s(1), s(2), s(4)) + DVec3::new(100.0, 0.0, 0.0)
        };
        let hull = ConvexHull::from_points(&(0..8).map(corner).collect::<Vec<_>>()).unwrap();
        let mut triangles = Vec::new();
        for face in 0..6 {
            let ring: Vec<DVec3> =
                hull.face_vertices(face).iter().map(|&v| hull.vertices()[v as usize]).collect();
            for i in 1..3 {
                let t = [ring[0], ring[i], ring[i + 1]];
                triangles.push(if turn { [t[0], t[2], t[1]] } else { t });
            }
        }
        triangles
    };
    let mut shell = cube(1.0, false);
    shell.extend(cube(0.5, true));
    let mass = MassProperties::of_closed_surface(shell, 1.0);
    assert!((mass.mass - 7.0).abs() < 1e-12);
    assert!((mass.center - DVec3::X * 100.0).length() < 1e-12);
    let expected = 8.0 * 2.0 / 3.0 - 1.0 * 2.0 / 3.0 * 0.25;
    assert!(largest(mass.inertia - DMat3::from_diagonal(DVec3::splat(expected))) < 1e-12);
    let inside_out = MassProperties::of_closed_surface(cube(1.0, true), 1.0);
    assert!((inside_out.mass + 8.0).abs() < 1e-12);
}

/// Volumes that are nearly nothing, or nothing at all, or more than a number can be, give no NaN.
#[test]
fn masses_at_the_ends_of_the_range_are_finite() {
    let tetrahedron = |s: f64| {
        let [a, b, c, d] = [DVec3::ZERO, DVec3::X * s, DVec3::Y * s, DVec3::Z * s];
        [[a, c, b], [a, b, d], [b, c, d], [c, a, d]]
    };
    let whole = MassProperties::of_closed_surface(tetrahedron(1.0), 1.0);
    let mut n_massive = 0;
    for exponent in -1074..1024_i32 {
        let s = 2.0_f64.powi(exponent / 2) * 2.0_f64.powi(exponent - exponent / 2);
        let mass = MassProperties::of_closed_surface(tetrahedron(s), 1.0);
        assert!(
            mass.mass.is_finite() && mass.center.is_finite() && mass.inertia.is_finite(),
            "{s:e} {mass:?}"
        );
        n_massive += usize::from(mass.mass != 0.0);
        if mass.mass != 0.0 && s < 1.0 {
            assert!((mass.center - whole.center * s).length() <= 1e-15 * s, "{s:e} {mass:?}");
        }
        // Open, flat for all but the last digits.
        let open = [[DVec3::ZERO, DVec3::new(s, s * 0.3, 0.0), DVec3::new(s * 0.7, 5e-324, s)]];
        let mass = MassProperties::of_closed_surface(open, 1.0);
        assert!(
            mass.mass.is_finite() && mass.center.is_finite() && mass.inertia.is_finite(),
            "{s:e} {mass:?}"
        );
    }
    assert!(500 < n_massive, "{n_massive}");
}

proptest! {
    #[test]
    fn placed_and_combined(
        (x, y, z) in (-3.0..3.0_f64, -3.0..3.0_f64, -3.0..3.0_f64),
        (a, b, c) in (0.1..2.0_f64, 0.1..2.0_f64, 0.1..2.0_f64),
        t in (-10.0..10.0_f64, -10.0..10.0_f64, -10.0..10.0_f64),
    ) {
        let cuboid = Cuboid::new(DVec3::new(a, b, c)).unwrap();
        let pose = Pose::new(DQuat::from_euler(glam::EulerRot::XYZ, x, y, z).normalize(), DVec3::from(t));
        let placed = cuboid.mass_properties(1.5).placed(&pose);
        // The same as of a hull that was placed first.
        let corners: Vec<DVec3> = (0..8).map(|i| pose.transform_point(cuboid.vertex(i).unwrap())).collect();
        let hull = geom::ConvexHull::from_points(&corners).unwrap();
        close(&placed, &hull.mass_properties(1.5), 1e-12);
        // Two halves make a whole.
        let half = Cuboid::new(DVec3::new(a * 0.5, b, c)).unwrap().mass_properties(1.5);
        let shift = |s: f64| half.placed(&(pose * Pose::from_translation(DVec3::X * (s * 0.5 * a))));
        let (left, right) = (shift(-1.0), shift(1.0));
        close(&placed, &MassProperties::combined([&left, &right]), 1e-12);
        // The principal axes are those of the box.
        let (moments, axes) = placed.principal();
        let expected = cuboid.mass_properties(1.5).inertia.to_cols_array_2d();
        let mut sorted = [expected[0][0], expected[1][1], expected[2][2]];
        sorted.sort_by(f64::total_cmp);
        prop_assert!((moments - DVec3::from_array(sorted)).length() <= 1e-12 * moments.length());
        let back = DMat3::from_quat(axes) * DMat3::from_diagonal(moments) * DMat3::from_quat(axes).transpose();
        prop_assert!(largest(back - placed.inertia) <= 1e-12 * moments.length());
    }
}

fn close_to_polyhedron(shape: &dyn SupportMap, mass: &MassProperties) {
    close(mass, &polyhedron(shape).mass_properties(2.5), 6e-3);
}

#[test]
fn tapered_and_rounded_shapes_weigh_what_their_polyhedra_do() {
    use geom::{Rounded, TaperedCapsule, Triangle};
    for (h, upper, lower) in
        [(0.4, 0.1, 0.3), (0.4, 0.3, 0.1), (0.4, 0.3, 0.0), (0.4, 0.2, 0.2), (0.05, 0.1, 0.3)]
    {
        let shape = TaperedCapsule::new(h, upper, lower).unwrap();
        close_to_polyhedron(&shape, &shape.mass_properties(2.5));
        let rounded = Rounded::new(shape, 0.05).unwrap();
        close_to_polyhedron(&rounded, &rounded.mass_properties(2.5));
    }
    for r in [0.0, 0.01, 0.2, 3.0] {
        let shape = Rounded::new(Sphere::new(0.3).unwrap(), r).unwrap();
        close_to_polyhedron(&shape, &shape.mass_properties(2.5));
        let shape = Rounded::new(Capsule::new(0.4, 0.3).unwrap(), r).unwrap();
        close_to_polyhedron(&shape, &shape.mass_properties(2.5));
        let shape = Rounded::new(Cylinder::new(0.4, 0.3).unwrap(), r).unwrap();
        close_to_polyhedron(&shape, &shape.mass_properties(2.5));
        let shape = Rounded::new(Cone::new(0.4, 0.3).unwrap(), r).unwrap();
        close_to_polyhedron(&shape, &shape.mass_properties(2.5));
        let shape = Rounded::new(Ellipsoid::new(DVec3::new(0.4, 0.3, 1.0)).unwrap(), r).unwrap();
        close_to_polyhedron(&shape, &shape.mass_properties(2.5));
        let shape = Rounded::new(Cuboid::new(DVec3::new(0.4, 0.3, 1.0)).unwrap(), r).unwrap();
        close_to_polyhedron(&shape, &shape.mass_properties(2.5));
        let corners = [
            DVec3::new(5.0, 0.1, 0.0),
            DVec3::new(6.0, 0.0, 0.3),
            DVec3::new(5.2, 1.0, 0.1),
            DVec3::new(5.5, 0.4, 2.0),
            DVec3::new(6.0, 0.9, 0.9),
        ];
        let shape = Rounded::new(ConvexHull::from_points(&corners).unwrap(), r).unwrap();
        close_to_polyhedron(&shape, &shape.mass_properties(2.5));
        if 0.0 < r {
            let shape = Tetrahedron::new(corners[0], corners[1], corners[2], corners[3]).unwrap();
            let shape = Rounded::new(shape, r).unwrap();
            close_to_polyhedron(&shape, &shape.mass_properties(2.5));
            let shape = Rounded::new(Triangle::new(corners[0], corners[1], corners[3]).unwrap(), r).unwrap();
            close_to_polyhedron(&shape, &shape.mass_properties(2.5));
        }
    }
}

/// Closed forms of the same solid, to rounding.
#[test]
fn rounded_shapes_that_are_others_weigh_the_same() {
    use geom::{Rounded, TaperedCapsule};
    let ball = Sphere::new(0.7).unwrap().mass_properties(2.0);
    let point = Rounded::new(Cuboid::new(DVec3::ZERO).unwrap(), 0.7).unwrap();
    close(&ball, &point.mass_properties(2.0), 1e-13);
    for radii in [DVec3::ZERO, DVec3::splat(0.4)] {
        let round = Rounded::new(Ellipsoid::new(radii).unwrap(), 0.7 - radii.x).unwrap();
        close(&ball, &round.mass_properties(2.0), 1e-13);
    }
    close(&ball, &Rounded::new(Sphere::new(0.3).unwrap(), 0.4).unwrap().mass_properties(2.0), 1e-13);
    close(&ball, &TaperedCapsule::new(0.0, 0.7, 0.2).unwrap().mass_properties(2.0), 1e-13);
    let nested = TaperedCapsule::new(0.25, 0.7, 0.1).unwrap().mass_properties(2.0);
    close(&ball.placed(&Pose::from_translation(DVec3::Y * 0.25)), &nested, 1e-13);
    let capsule = Capsule::new(0.4, 0.7).unwrap().mass_properties(2.0);
    close(&capsule, &TaperedCapsule::new(0.4, 0.7, 0.7).unwrap().mass_properties(2.0), 1e-13);
    let thread = Rounded::new(Cuboid::new(DVec3::Y * 0.4).unwrap(), 0.7).unwrap();
    close(&capsule, &thread.mass_properties(2.0), 1e-13);
    close(
        &capsule,
        &Rounded::new(Cylinder::new(0.4, 0.0).unwrap(), 0.7).unwrap().mass_properties(2.0),
        1e-13,
    );
    // A box is a box, also as a hull, and so are the two with round edges.
    let cuboid = Cuboid::new(DVec3::new(0.4, 0.3, 1.0)).unwrap();
    let corners: Vec<DVec3> = (0..8).map(|i| cuboid.vertex(i).unwrap() + DVec3::X * 3.0).collect();
    let hull = ConvexHull::from_points(&corners).unwrap();
    for r in [0.0, 0.2] {
        let as_box = Rounded::new(cuboid, r).unwrap().mass_properties(2.0);
        let as_hull = Rounded::new(hull.clone(), r).unwrap().mass_properties(2.0);
        close(&as_box.placed(&Pose::from_translation(DVec3::X * 3.0)), &as_hull, 1e-13);
    }
    close(&cuboid.mass_properties(2.0), &Rounded::new(cuboid, 0.0).unwrap().mass_properties(2.0), 1e-14);
    // Steiner: volume, area times r, mean width, ball.
    let (a, b, c, r) = (0.8, 0.6, 2.0, 0.2);
    let volume = a * b * c
        + 2.0 * (a * b + b * c + c * a) * r
        + (a + b + c) * std::f64::consts::PI * r * r
        + 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
    let mass = Rounded::new(cuboid, r).unwrap().mass_properties(1.0).mass;
    assert!((mass - volume).abs() <= 1e-14 * volume, "{mass} {volume}");
    let plate = geom::Triangle::new(DVec3::ZERO, DVec3::X * 3.0, DVec3::Y * 4.0).unwrap();
    let mass = Rounded::new(plate, r).unwrap().mass_properties(1.0).mass;
    let volume = 2.0 * 6.0 * r
        + 12.0 * 0.5 * std::f64::consts::PI * r * r
        + 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
    assert!((mass - volume).abs() <= 1e-14 * volume, "{mass} {volume}");
}

/// The ellipsoid itself, and by Steiner a volume that is a cubic in the radius, with that of the
/// ball before the cube.
#[test]
fn rounded_ellipsoids_are_as_good_as_they_say() {
    for (radii, share) in [
        (DVec3::new(1.0, 2.0, 3.0), 1e-13),
        (DVec3::new(0.2, 2.0, 1.0), 1e-13),
        (DVec3::new(1e-3, 1.0, 0.1), 1e-12),
        (DVec3::new(1.0, 1e-6, 1e-6), 2e-6),
    ] {
        let ellipsoid = Ellipsoid::new(radii).unwrap();
        let round = |r: f64| geom::Rounded::new(ellipsoid, r).unwrap().mass_properties(1.0);
        close(&ellipsoid.mass_properties(1.0), &round(0.0), share);
        let third = round(3.0).mass - 3.0 * round(2.0).mass + 3.0 * round(1.0).mass - round(0.0).mass;
        let ball = 6.0 * 4.0 / 3.0 * std::f64::consts::PI;
        assert!((third - ball).abs() <= 100.0 * share * ball, "{radii} {third} {ball}");
    }
    // A needle with a radius is a capsule, a disc with one a plate.
    let needle =
        geom::Rounded::new(Ellipsoid::new(DVec3::Y * 0.4).unwrap(), 0.7).unwrap().mass_properties(2.0);
    close(&Capsule::new(0.4, 0.7).unwrap().mass_properties(2.0), &needle, 1e-5);
    let disc = geom::Rounded::new(Ellipsoid::new(DVec3::new(0.3, 0.0, 0.3)).unwrap(), 0.1).unwrap();
    let plate = geom::Rounded::new(Cylinder::new(0.0, 0.3).unwrap(), 0.1).unwrap();
    close(&plate.mass_properties(2.0), &disc.mass_properties(2.0), 1e-5);
}

#[test]
fn a_frustum_is_the_hull_of_its_corners() {
    for (near, far, x, y) in [(0.5, 2.0, 0.3, 0.7), (0.0, 1.0, 1.0, 0.2)] {
        let frustum = geom::Frustum::new(near, far, x, y).unwrap();
        let hull = ConvexHull::from_points(&frustum.corners()).unwrap();
        close(&hull.mass_properties(2.0), &frustum.mass_properties(2.0), 1e-13);
        // A pyramid without its tip.
        let pyramid = |depth: f64| 4.0 * x * y * depth * depth * depth / 3.0;
        assert!((frustum.mass_properties(1.0).mass - (pyramid(far) - pyramid(near))).abs() < 1e-14);
    }
    assert_eq!(geom::Frustum::new(1.0, 1.0, 1.0, 1.0).unwrap().mass_properties(1.0), MassProperties::ZERO);
}

/// Hulls and meshes of whole coordinates, far from the origin, against fractions: every sum is one
/// of whole numbers.
#[test]
fn polyhedra_weigh_what_fractions_say() {
    let mut random = carom_testkit::random::Random::new(4);
    for round in 0..200 {
        let shift = DVec3::new(1000.0, -700.0, 300.0) * f64::from(round % 3);
        let points: Vec<DVec3> = (0..5 + round % 40).map(|_| random.grid_point(12) + shift).collect();
        let Ok(hull) = ConvexHull::from_points(&points) else { continue };
        let mut indices = Vec::new();
        for face in 0..hull.n_faces() as u32 {
            let ring = hull.face_vertices(face);
            indices.extend(ring[1..].windows(2).map(|pair| [ring[0], pair[0], pair[1]]));
        }
        let mesh = geom::TriMesh::new(hull.vertices().to_vec(), indices).unwrap();
        // Six volumes; 24 integrals of x; 120 integrals of x x^T.
        let (mut volume, mut first, mut second) = (0_i128, [0_i128; 3], [[0_i128; 3]; 3]);
        for corners in mesh.iter_corners() {
            let [a, b, c] = corners.map(|p| p.to_array().map(|x| x as i128));
            let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
            let six: i128 = (0..3).map(|i| a[i] * cross[i]).sum();
            let sum = [0, 1, 2].map(|i| a[i] + b[i] + c[i]);
            volume += six;
            for i in 0..3 {
                first[i] += six * sum[i];
                for j in 0..3 {
                    second[i][j] += six * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + sum[i] * sum[j]);
                }
            }
        }
        // About the centre: second / 120 - first first^T / (96 volume).
        let spread = |i: usize, j: usize| {
            (4 * second[i][j] * volume - 5 * first[i] * first[j]) as f64 / (480 * volume) as f64
        };
        let trace = spread(0, 0) + spread(1, 1) + spread(2, 2);
        let entry = |i: usize, j: usize| if i == j { trace - spread(i, j) } else { -spread(i, j) };
        let row = |i: usize| DVec3::new(entry(i, 0), entry(i, 1), entry(i, 2));
        let center = DVec3::from_array(first.map(|x| x as f64 / (4 * volume) as f64));
        let exact =
            MassProperties::new(volume as f64 / 6.0, center, DMat3::from_cols(row(0), row(1), row(2)));
        close(&exact, &hull.mass_properties(1.0), 5e-14);
        close(&exact, &mesh.mass_properties(1.0), 5e-14);
        let round = geom::Rounded::new(hull, 0.0).unwrap();
        close(&exact, &round.mass_properties(1.0), 5e-13);
    }
}

/// Halving the angles between samples quarters what is missing: the closed forms are the limit.
#[test]
fn polyhedra_converge_to_the_round_shapes() {
    let shape = geom::TaperedCapsule::new(0.4, 0.3, 0.1).unwrap();
    let exact = shape.mass_properties(1.0).mass;
    let missing = |n: usize| {
        let mut points = Vec::new();
        for i in 0..=n {
            let v = i as f64 * std::f64::consts::PI / n as f64;
            for j in 0..2 * n {
                let u = j as f64 * std::f64::consts::PI / n as f64;
                let d = DVec3::new(v.sin() * u.cos(), v.cos(), v.sin() * u.sin());
                points.push(shape.support(d).point + d * shape.margin());
            }
        }
        exact - ConvexHull::from_points(&points).unwrap().mass_properties(1.0).mass
    };
    let (coarse, fine) = (missing(16), missing(32));
    assert!(0.0 < fine && (3.0..5.0).contains(&(coarse / fine)), "{coarse:e} {fine:e}");
}

/// A density that is none gives no mass, whatever the shape.
#[test]
fn r_bad_densities_weigh_nothing() {
    let torus = geom::Torus::new(0.5, 0.2).unwrap();
    let sphere = Sphere::new(0.5).unwrap();
    for density in [f64::NAN, f64::INFINITY, -1.0] {
        assert_eq!(torus.mass_properties(density), MassProperties::ZERO, "torus, {density}");
        assert_eq!(sphere.mass_properties(density), MassProperties::ZERO, "sphere, {density}");
    }
    assert!(0.0 < torus.mass_properties(1.0).mass);
}
