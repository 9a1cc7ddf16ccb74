//! Trees of meshes against winding numbers, and against trees of the brushes from which the meshes
//! come.

use carom_bsp::{Ball, Bevels, BspError, BspSettings, BspTree, Contents, Point};
use carom_geom::winding::winding_number;
use carom_testkit::meshes::mesh;
use carom_testkit::oracle::brush::{generated_level, real_level, rotation, soup};
use carom_testkit::random::Random;
use glam::{DMat3, DVec3};

type Soup = (Vec<DVec3>, Vec<[u32; 3]>);

fn build((vertices, triangles): &Soup) -> Result<BspTree, BspError> {
    BspTree::from_mesh(vertices, triangles, Contents::SOLID, &BspSettings::default())
}

/// A torus of radii 2 and 1, with n corners around each circle.
fn ring(n: u32) -> Soup {
    let mut vertices = Vec::new();
    for i in 0..n {
        for j in 0..n {
            let (u, v) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
            let (u, v) = (u * core::f64::consts::TAU, v * core::f64::consts::TAU);
            let radius = 2.0 + v.cos();
            vertices.push(DVec3::new(radius * u.cos(), radius * u.sin(), v.sin()));
        }
    }
    let at = |i: u32, j: u32| (i % n) * n + j % n;
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..n {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    (vertices, triangles)
}

fn corners((vertices, triangles): &Soup) -> Vec<[DVec3; 3]> {
    triangles.iter().map(|t| t.map(|v| vertices[v as usize])).collect()
}

#[test]
fn a_mesh_is_solid_where_it_winds() {
    let mut random = Random::new(51);
    for (n, seed) in [(5, 0), (24, 1), (48, 2)] {
        let mut ring = ring(n);
        let turn = DMat3::from_quat(if seed == 0 { glam::DQuat::IDENTITY } else { rotation(&mut random) });
        for vertex in &mut ring.0 {
            *vertex = turn * *vertex + DVec3::new(0.3, 0.0, 5.0);
        }
        let tree = build(&ring).unwrap();
        let report = tree.report();
        println!("{} triangles: {report:?}", ring.1.len());
        assert!(report.depth < 60 && report.leaves == report.nodes + 1);
        let triangles = corners(&ring);
        let mut n_solid = 0;
        for _ in 0..2000 {
            let point = turn * (random.cube_point() * DVec3::new(3.2, 3.2, 1.2)) + DVec3::new(0.3, 0.0, 5.0);
            let winding = winding_number(point, triangles.iter().copied());
            n_solid += u32::from(winding > 0.5);
            assert_eq!(tree.contents_at(point) == Contents::SOLID, winding > 0.5, "{point}, {winding}");
        }
        assert!(n_solid > 400, "{n_solid}");
    }
}

#[test]
fn a_mesh_of_brushes_is_what_the_brushes_are() {
    let mut random = Random::new(52);
    for (seed, n) in [(1, 1), (2, 10), (3, 60)] {
        let brushes = generated_level(seed, n);
        let of_mesh = build(&soup(&brushes)).unwrap();
        let settings = BspSettings::default().with_bevels(Bevels::None);
        let of_brushes = BspTree::from_brushes(&brushes, &settings).unwrap();
        println!("{n} brushes: {:?}, {:?}", of_mesh.report(), of_brushes.report());
        let (mut n_hits, mut n_balls) = (0, 0);
        for _ in 0..3000 {
            let (from, to) = (random.cube_point() * 16.0, random.cube_point() * 14.0);
            assert_eq!(of_mesh.contents_at(from), of_brushes.contents_at(from), "{from} of level {seed}");
            let trace = |tree: &BspTree| tree.trace(&Point, from, to - from, Contents::SOLID);
            let (a, b) = (trace(&of_mesh), trace(&of_brushes));
            assert_eq!(a.is_some(), b.is_some(), "{from} {to}");
            if let (Some(a), Some(b)) = (a, b) {
                n_hits += 1;
                assert!((a.t - b.t).abs() < 1e-8 && a.starts_inside == b.starts_inside, "{a:?} {b:?}");
            }
            // A ball is no later than the point at its centre.
            let ball = of_mesh.trace(&Ball { radius: 0.25 }, from, to - from, Contents::SOLID);
            if let Some(a) = a {
                n_balls += 1;
                assert!(ball.is_some_and(|ball| ball.t <= a.t + 1e-9));
            }
        }
        assert!(n == 1 || (n_hits > 300 && n_balls > 300));
    }
}

/// A box of six sides of two triangles each, rotated and translated.
fn cuboid(half: DVec3, turn: DMat3, position: DVec3) -> Soup {
    let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 2.0 - 1.0;
    let vertices = (0..8).map(|i| turn * (corner(i) * half) + position).collect();
    let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    (vertices, sides.iter().flat_map(|s| [[s[0], s[1], s[2]], [s[0], s[2], s[3]]]).collect())
}

/// The winding number inside still exceeds a half, so solid space would extend to the outside.
#[test]
fn a_box_without_a_side_or_with_a_turned_one_is_refused_with_a_point() {
    let mut random = Random::new(56);
    for half in [DVec3::ONE, DVec3::new(3.0, 1.0, 0.5), DVec3::new(0.1, 4.0, 4.0), DVec3::splat(1e-3)] {
        for turn in [DMat3::IDENTITY, DMat3::from_quat(rotation(&mut random))] {
            let whole = cuboid(half, turn, random.cube_point());
            build(&whole).unwrap();
            for side in 0..6 {
                let mut open = whole.clone();
                open.1.drain(2 * side..2 * side + 2);
                let mut turned = whole.clone();
                turned.1[2 * side..2 * side + 2].iter_mut().for_each(|t| t.swap(1, 2));
                for (name, mesh) in [("without", open), ("turned", turned)] {
                    for bevels in [Bevels::None, Bevels::Edges, Bevels::All] {
                        let settings = BspSettings::default().with_bevels(bevels);
                        let made = |settings| BspTree::from_mesh(&mesh.0, &mesh.1, Contents::SOLID, settings);
                        let Some(BspError::Open(at)) = made(&settings).err() else {
                            panic!("{half} {turn} side {side} {name} {bevels:?} has a tree");
                        };
                        let off = (turn.transpose() * (at - whole.0[0]) / half - 1.0).abs().max_element();
                        assert!(off <= 1.0 + 1e-6, "{half} side {side} {name}: {at} is not at the box");
                        assert!(made(&settings.with_max_open(1.0)).is_ok());
                    }
                }
            }
        }
    }
    // A drawer: a box in a box, both without a lid.
    let mut drawer = cuboid(DVec3::new(2.0, 2.0, 1.0), DMat3::IDENTITY, DVec3::ZERO);
    drawer.1.truncate(10);
    assert!(matches!(build(&drawer), Err(BspError::Open(_))));
    let mut inner = cuboid(DVec3::new(1.9, 1.9, 1.0), DMat3::IDENTITY, DVec3::Z * 0.1);
    inner.1.truncate(10);
    inner.1.iter_mut().for_each(|t| t.swap(1, 2));
    drawer.1.extend(inner.1.iter().map(|t| t.map(|v| v + 8)));
    drawer.0.extend(inner.0);
    assert!(matches!(build(&drawer), Err(BspError::Open(_))));
}

#[test]
fn a_surface_that_is_open_or_inside_out_is_refused_with_a_point() {
    let brushes = generated_level(1, 1);
    let closed = soup(&brushes);
    build(&closed).unwrap();
    let mut inside_out = closed.clone();
    inside_out.1.iter_mut().for_each(|t| t.swap(1, 2));
    for open in [inside_out, (closed.0.clone(), closed.1[2..].to_vec())] {
        let Err(BspError::Open(at)) = build(&open) else { panic!("{:?}", build(&open)) };
        let size = closed.0.iter().fold(0.0_f64, |size, v| size.max(v.abs().max_element()));
        assert!(at.abs().max_element() <= size, "{at}");
        println!("{}", BspError::Open(at));
    }
    // With `max_open` 1 the tree follows the winding numbers, except in the cells of the opening.
    let settings = BspSettings::default().with_max_open(1.0);
    let mut ring = ring(24);
    ring.1.drain(0..4);
    let tree = BspTree::from_mesh(&ring.0, &ring.1, Contents::SOLID, &settings).unwrap();
    let triangles = corners(&ring);
    let mut random = Random::new(55);
    let n_other = (0..1000)
        .map(|_| random.cube_point() * DVec3::new(3.2, 3.2, 1.2))
        .filter(|point| {
            let winding = winding_number(*point, triangles.iter().copied());
            (winding > 0.5) != (tree.contents_at(*point) == Contents::SOLID)
        })
        .count();
    println!("{n_other} of 1000 points other than they wind");
    assert!(n_other < 20, "{n_other}");
}

#[test]
fn what_is_no_mesh_is_refused_by_number() {
    let (vertices, mut triangles) = ring(4);
    let settings = BspSettings::default();
    let mut broken = vertices.clone();
    broken[7].y = f64::NAN;
    let refused = |vertices: &[DVec3], triangles: &[[u32; 3]], contents| {
        BspTree::from_mesh(vertices, triangles, contents, &settings).unwrap_err()
    };
    assert_eq!(refused(&broken, &triangles, Contents::SOLID), BspError::NotFinite(7));
    assert_eq!(refused(&vertices, &triangles, Contents::empty()), BspError::NoContents);
    triangles[3][1] = 16;
    assert_eq!(refused(&vertices, &triangles, Contents::SOLID), BspError::NoVertex(3));
    // No triangles at all, or triangles of no area, give an empty level.
    for (vertices, triangles) in [(vec![], vec![]), (vertices, vec![[0, 0, 1], [2, 2, 2]])] {
        let tree = BspTree::from_mesh(&vertices, &triangles, Contents::SOLID, &settings).unwrap();
        assert_eq!(tree.contents_at(DVec3::ZERO), Contents::empty());
        assert!(tree.trace(&Point, DVec3::splat(9.0), DVec3::splat(-18.0), Contents::all()).is_none());
    }
}

#[test]
fn real_levels_as_meshes() {
    // Only a long run tests more than the first level.
    let is_long = std::env::var_os("CAROM_SLOW").is_some();
    let names: &[&str] = if is_long { &["start_e0", "slope", "lqdm13", "lq_e0m1"] } else { &["start_e0"] };
    for name in names {
        let Some(brushes) = real_level(name) else { return };
        let soup = soup(&brushes);
        let start = std::time::Instant::now();
        let of_mesh = build(&soup).unwrap();
        println!(
            "{name}: {} triangles in {:.2} s: {:?}",
            soup.1.len(),
            start.elapsed().as_secs_f64(),
            of_mesh.report()
        );
        let of_brushes = BspTree::from_brushes(&brushes, &BspSettings::default()).unwrap();
        println!("of its brushes: {:?}", of_brushes.report());
        let (low, high) = of_brushes.bounds();
        let mut random = Random::new(53);
        let mut n_solid = 0;
        for _ in 0..20_000 {
            let point = low + (high - low) * (random.cube_point() * 0.55 + 0.5);
            let contents = of_mesh.contents_at(point);
            n_solid += u32::from(contents == Contents::SOLID);
            assert_eq!(contents, of_brushes.contents_at(point), "{point} of {name}");
        }
        assert!(n_solid > 500, "{n_solid}");
    }
}

#[test]
fn real_meshes_are_solid_where_they_wind_or_open() {
    // Closed, dirty and open meshes; large ones only in a long run.
    let mut names = vec!["spot", "oloid", "hammer", "angle_block", "triangle_soup_100"];
    if std::env::var_os("CAROM_SLOW").is_some() {
        names.extend([
            "so101_moving_jaw",
            "quad_knot",
            "tray_bottom",
            "cray_left",
            "offset1",
            "offset2",
            "screw_big",
            "nut_big",
            "lego",
            "chair_duplicates",
            "caterpillar",
            "lamp",
            "featuretype",
            "openscad_logo",
            "voro_sphere",
            "fcl_rob",
        ]);
    }
    let mut random = Random::new(54);
    let mut n_trees = 0;
    for name in names {
        let Some(mesh) = mesh(name) else { return };
        let start = std::time::Instant::now();
        let tree = build(&(mesh.vertices.clone(), mesh.indices.clone()));
        let seconds = start.elapsed().as_secs_f64();
        let tree = match tree {
            Ok(tree) => tree,
            Err(error) => {
                println!("{name}, {} triangles, {seconds:.2} s: {error}", mesh.indices.len());
                assert!(matches!(error, BspError::Open(_)));
                continue;
            }
        };
        n_trees += 1;
        println!("{name}, {} triangles, {seconds:.2} s: {:?}", mesh.indices.len(), tree.report());
        let triangles = mesh.corners();
        let (low, high) = tree.bounds();
        let (mut n_solid, mut n_doubtful, mut n_other) = (0, 0, 0);
        for _ in 0..400 {
            let point = low + (high - low) * (random.cube_point() * 0.55 + 0.5);
            let winding = winding_number(point, triangles.iter().copied());
            let is_solid = tree.contents_at(point) == Contents::SOLID;
            n_solid += u32::from(is_solid);
            if (winding - winding.round()).abs() > 0.1 {
                // A point beside an opening.
                n_doubtful += 1;
            } else {
                n_other += u32::from(is_solid != (winding > 0.5));
            }
        }
        println!("{n_solid} solid of 400, {n_doubtful} beside openings, {n_other} other than they wind");
        assert_eq!(n_other, 0, "{name}");
    }
    assert!(n_trees >= 4, "{n_trees}");
}
