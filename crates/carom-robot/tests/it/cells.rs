//! Parts of a cell: their poses, and which of them touch.

use crate::{joint, limits, robot};
use carom_geom::f64::TriMesh;
use carom_math::f64::Pose;
use carom_query::f64::{Compound, CompoundPart, MeshShape, Shape, VoxelBox, Voxels, distance};
use carom_robot::Workcell;
use carom_scenes::Rng;
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// A mesh of boxes, given by their middles and sizes. Each has `n_faces` of its twelve triangles;
/// the last two are those at the end of x.
pub(crate) fn boxes(all: &[[f64; 6]], n_faces: usize) -> Shape {
    const FACES: [[u32; 3]; 12] = [
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for [x, y, z, a, b, c] in all {
        let first = vertices.len() as u32;
        for i in 0..8 {
            let side = |bit: u32, size: f64| if i >> bit & 1 == 0 { -0.5 * size } else { 0.5 * size };
            vertices.push(DVec3::new(x + side(0, *a), y + side(1, *b), z + side(2, *c)));
        }
        faces.extend(FACES[..n_faces].iter().map(|face| face.map(|v| v + first)));
    }
    let mesh = TriMesh::new(vertices, faces).unwrap().oriented().0;
    Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()))
}

#[test]
fn a_piece_inside_of_a_solid_touches_it() {
    let cave = boxes(&[[0.0, 0.0, 0.0, 4.0, 4.0, 4.0]], 12);
    // Two pieces: the first far outside, the second at the origin.
    let pair = boxes(&[[9.0, 0.0, 0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]], 12);
    let open = boxes(&[[0.0, 0.0, 0.0, 4.0, 4.0, 4.0]], 10);
    let mut cell = Workcell::new(Vec::new());
    let mut rng = Rng::new(11);
    for _ in 0..50 {
        let turn = DQuat::from_xyzw(
            rng.range(-1.0, 1.0),
            rng.range(-1.0, 1.0),
            rng.range(-1.0, 1.0),
            rng.range(-1.0, 1.0),
        )
        .normalize();
        let pose = Pose::new(turn, DVec3::new(rng.range(-99.0, 99.0), 5.0, -7.0));
        let at = |x: f64| pose * Pose::from_translation(DVec3::new(x, 0.0, 0.0));
        let (a, b, c) = (
            cell.push_fixed(cave.clone(), pose),
            cell.push_fixed(pair.clone(), pose),
            cell.push_fixed(open.clone(), at(0.0)),
        );
        let poses = cell.part_poses(&[]);
        assert!(cell.is_touching([a, b], &poses) && cell.is_touching([b, a], &poses));
        // A mesh with a hole has no inside: it is not known, and only false would be certain.
        for pair in [[b, c], [c, b]] {
            assert_eq!((cell.touches(pair, &poses), cell.is_touching(pair, &poses)), (None, true));
            let nearest = cell.nearest(&[pair], &poses).unwrap();
            assert_eq!((nearest.distance, nearest.is_decided), (0.0, false));
        }
        // A piece that reaches out of the box through the hole, or is beside it, does not lie in
        // it.
        for x in [2.0, -20.0] {
            let mut moved = poses.clone();
            moved[b] = at(x);
            for pair in [[b, c], [c, b]] {
                assert_eq!(
                    (cell.touches(pair, &moved), cell.is_touching(pair, &moved)),
                    (Some(false), false)
                );
            }
        }
        // Between the pieces, and beyond them.
        for (x, is_touching) in [(4.75, false), (-20.0, false), (-2.6, false), (-2.4, true), (-9.0, true)] {
            let mut moved = poses.clone();
            moved[b] = at(x);
            assert_eq!(cell.is_touching([a, b], &moved), is_touching, "{x}");
        }
    }
}

#[test]
fn parts_follow_their_links() {
    let model = robot(
        &[("base", &[[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]]), ("sled", &[[3.0, 0.0, 0.0, 1.0, 1.0, 1.0]])],
        &[joint("slide", "prismatic", ["base", "sled"], &limits(-9.0, 9.0))],
    );
    let mut cell = Workcell::of_model(&model).unwrap();
    let post =
        cell.push_fixed(boxes(&[[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]], 12), Pose::from_translation(DVec3::X * 8.0));
    let robot = &cell.robots()[0];
    let touching = |x: f64| {
        let poses = cell.part_poses(&[robot.values(&[("slide", x)]).unwrap()]);
        [cell.is_touching([0, 1], &poses), cell.is_touching([1, post], &poses)]
    };
    assert_eq!(touching(0.0), [false, false]);
    assert_eq!(touching(-2.5), [true, false]);
    assert_eq!(touching(4.5), [false, true]);
    assert_eq!(
        (cell.link_of(1).map(|(robot, link, _)| (robot, link)), cell.link_of(post)),
        (Some((0, 1)), None)
    );
}

/// Points, cells, balls and bars in a closed mesh touch it, and the same in a compound.
#[test]
fn pieces_of_any_shape_in_a_solid_touch_it() {
    let cave = boxes(&[[0.0, 0.0, 0.0, 4.0, 4.0, 4.0]], 12);
    let cloud = Shape::point_cloud(vec![DVec3::X * 50.0, DVec3::X * 40.0], 0.1).unwrap();
    let cell = VoxelBox::cell([80, 0, 0]);
    let voxels = Voxels::new(DVec3::ZERO, DVec3::splat(0.5), vec![cell]).unwrap();
    let ball = Shape::sphere(0.2).unwrap();
    let ball_at_40 =
        vec![CompoundPart { shape: ball.clone(), pose: Pose::from_translation(DVec3::X * 40.0) }];
    let cases = [
        (cloud, 40.0),
        (Shape::Voxels(Arc::new(voxels)), 40.0),
        (Shape::torus(0.5, 0.1).unwrap(), 0.0),
        (Shape::Compound(Arc::new(Compound::new(ball_at_40).unwrap())), 40.0),
        (ball, 0.0),
    ];
    let caves = [
        cave.clone(),
        Shape::Compound(Arc::new(
            Compound::new(vec![CompoundPart { shape: cave, pose: Pose::IDENTITY }]).unwrap(),
        )),
    ];
    for cave in caves {
        for (inner, at) in cases.clone() {
            let mut cell = Workcell::new(Vec::new());
            let solid = cell.push_fixed(cave.clone(), Pose::IDENTITY);
            let held = cell.push_fixed(inner.clone(), Pose::from_translation(DVec3::X * -at));
            let mut poses = cell.part_poses(&[]);
            assert!(
                cell.is_touching([solid, held], &poses) && cell.is_touching([held, solid], &poses),
                "{inner:?}"
            );
            let nearest = cell.nearest(&[[solid, held]], &poses).unwrap();
            assert_eq!((nearest.parts, nearest.distance), ([solid, held], 0.0));
            poses[held] = Pose::from_translation(DVec3::new(-at, 9.0, 0.0));
            assert!(!cell.is_touching([solid, held], &poses), "{inner:?}");
            cell.remove(solid);
            assert_eq!(cell.n_parts(), 1);
        }
    }
}

/// A pair that may touch does not hide one that surely touches, wherever that is in the list, and
/// is marked if there is none.
#[test]
fn r_a_sure_contact_is_nearer_than_a_possible_one() {
    let mut cell = Workcell::new(Vec::new());
    let at = |x: f64| Pose::from_translation(DVec3::X * x);
    let open = cell.push_fixed(boxes(&[[0.0, 0.0, 0.0, 4.0, 4.0, 4.0]], 10), at(0.0));
    let held = cell.push_fixed(Shape::sphere(0.2).unwrap(), at(0.0));
    // Its surface is 0.4 from that of the ball in the open mesh.
    let near = cell.push_fixed(Shape::sphere(0.2).unwrap(), at(0.8));
    let [one, other] = [30.0, 30.9].map(|x| cell.push_fixed(Shape::sphere(0.5).unwrap(), at(x)));
    let solid = cell.push_fixed(boxes(&[[0.0, 0.0, 0.0, 4.0, 4.0, 4.0]], 12), at(60.0));
    let inside = cell.push_fixed(Shape::sphere(0.2).unwrap(), at(60.0));
    let poses = cell.part_poses(&[]);
    let (possible, beside) = ([open, held], [held, near]);
    for sure in [[one, other], [solid, inside]] {
        for pairs in [[possible, sure, beside], [sure, beside, possible], [beside, possible, sure]] {
            let found = cell.nearest(&pairs, &poses).unwrap();
            assert_eq!((found.parts, found.distance, found.is_decided), (sure, 0.0, true), "{pairs:?}");
        }
    }
    for pairs in [[possible, beside], [beside, possible]] {
        let found = cell.nearest(&pairs, &poses).unwrap();
        assert_eq!((found.parts, found.distance, found.is_decided), (possible, 0.0, false), "{pairs:?}");
        assert!(((found.points[0] - found.points[1]).length() - 1.8).abs() < 1e-9, "the surfaces");
    }
    let found = cell.nearest(&[beside], &poses).unwrap();
    assert!((found.distance - 0.4).abs() < 1e-9 && found.is_decided);
}

/// The nearest of many pairs against all distances one by one.
#[test]
fn the_nearest_pair_is_that_of_all_distances() {
    let mut rng = Rng::new(5);
    let mut at =
        |size: f64| DVec3::new(rng.range(-size, size), rng.range(-size, size), rng.range(-size, size));
    let (mut n_apart, mut n_touching) = (0, 0);
    for _ in 0..60 {
        let mut cell = Workcell::new(Vec::new());
        for number in 0..8 {
            let shape = match number % 4 {
                0 => Shape::sphere(0.2).unwrap(),
                1 => boxes(&[[0.0, 0.0, 0.0, 0.5, 0.6, 0.7]], 12),
                2 => Shape::point_cloud((0..40).map(|_| at(0.5)).collect(), 0.05).unwrap(),
                _ => Shape::cuboid(DVec3::new(0.1, 0.2, 0.9)).unwrap(),
            };
            cell.push_fixed(shape, Pose::from_translation(at(3.0)));
        }
        cell.push_fixed(Shape::half_space(DVec3::Z).unwrap(), Pose::from_translation(DVec3::Z * -4.0));
        let poses = cell.part_poses(&[]);
        let pairs: Vec<[usize; 2]> = (0..9).flat_map(|a| (a + 1..9).map(move |b| [a, b])).collect();
        let least = pairs
            .iter()
            .map(|[a, b]| distance(cell.shape(*a), &poses[*a], cell.shape(*b), &poses[*b]).distance);
        let least = least.fold(f64::INFINITY, f64::min);
        let found = cell.nearest(&pairs, &poses).unwrap();
        if cell.is_touching(found.parts, &poses) {
            assert_eq!(found.distance, 0.0);
            n_touching += 1;
        } else {
            assert_eq!(found.distance, least);
            assert!(((found.points[0] - found.points[1]).length() - least).abs() < 1e-9);
            n_apart += 1;
        }
        assert_eq!(cell.nearest(&[], &poses), None);
    }
    assert!(10 < n_apart && 5 < n_touching, "{n_apart} {n_touching}");
}

/// A robot of a base with some collision elements, and a ball of radius 0.1 on a link at `at`.
fn robot_with_ball(elements: &[&str], at: [f64; 3]) -> Workcell {
    let element = |e: &&str| format!("<collision>{e}</collision>");
    let base: String = elements.iter().map(element).collect();
    let [x, y, z] = at;
    let urdf = format!(
        r#"<robot name="r"><link name="base">{base}</link>
        <link name="p"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
        <joint name="j" type="fixed"><parent link="base"/><child link="p"/><origin xyz="{x} {y} {z}"/></joint>
        </robot>"#
    );
    let model = carom_io::parse(urdf.as_bytes(), carom_io::Format::Urdf, "r.urdf".as_ref()).unwrap();
    Workcell::of_model(&model).unwrap()
}

/// A link is the union of its collision elements, which overlap, share faces and edges, or lie in
/// each other.
#[test]
fn r_a_link_is_the_union_of_its_elements() {
    const CUBE: &str = r#"<geometry><box size="1 1 1"/></geometry>"#;
    const CORE: &str = r#"<geometry><sphere radius="0.3"/></geometry>"#;
    const SMALL: &str = r#"<geometry><box size="0.5 0.5 0.5"/></geometry>"#;
    const BAR: &str = r#"<geometry><cylinder radius="0.3" length="2"/></geometry>"#;
    const TOP: &str = r#"<origin xyz="0 0 1"/><geometry><sphere radius="0.3"/></geometry>"#;
    const BOTTOM: &str = r#"<origin xyz="0 0 -1"/><geometry><sphere radius="0.3"/></geometry>"#;
    const BESIDE: &str = r#"<origin xyz="1 0 0"/><geometry><box size="1 1 1"/></geometry>"#;
    const AT_EDGE: &str = r#"<origin xyz="1 1 0"/><geometry><box size="1 1 1"/></geometry>"#;
    const ACROSS: &str = r#"<origin xyz="0.5 0 0"/><geometry><box size="1 1 1"/></geometry>"#;
    let cases: [(&str, &[&str], [f64; 3], bool); 12] = [
        ("a ball in a box in a box", &[CUBE, SMALL], [0.0; 3], true),
        ("the same, the other order", &[SMALL, CUBE], [0.0; 3], true),
        ("a ball in a ball in a box", &[CUBE, CORE], [0.0; 3], true),
        ("three in each other", &[CORE, CUBE, SMALL], [0.0; 3], true),
        ("in the wall of both", &[CUBE, CORE], [0.38, 0.0, 0.0], true),
        ("beside a capsule of three", &[BAR, TOP, BOTTOM], [0.5, 0.0, 0.9], false),
        ("in its box, beside its round end", &[BAR, TOP, BOTTOM], [0.29, 0.29, 1.29], false),
        ("in a capsule of three", &[BAR, TOP, BOTTOM], [0.0, 0.0, 0.5], true),
        ("in the common face of two boxes", &[CUBE, BESIDE], [0.5, 0.0, 0.0], true),
        ("in one of two boxes with a common face", &[CUBE, BESIDE], [1.0, 0.0, 0.0], true),
        ("in the corner of two boxes with a common edge", &[CUBE, AT_EDGE], [1.0, 0.0, 0.0], false),
        ("in what two boxes share", &[CUBE, ACROSS], [0.25, 0.0, 0.0], true),
    ];
    for (name, elements, at, expected) in cases {
        let cell = robot_with_ball(elements, at);
        let poses = cell.part_poses(&[Vec::new()]);
        assert_eq!(cell.touches([0, 1], &poses), Some(expected), "{name}");
        assert_eq!(cell.is_touching([0, 1], &poses), expected, "{name}");
    }
}

/// Two halves of a shell, each open, bound a solid together.
#[test]
fn open_elements_bound_a_solid_together() {
    let halves = [[0, 6], [6, 12]].map(|[from, to]| {
        let Shape::Mesh(mesh) = boxes(&[[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]], 12) else { unreachable!() };
        let piece = carom_io::RawMesh {
            vertices: mesh.mesh().vertices().to_vec(),
            triangles: mesh.mesh().indices()[from..to].to_vec(),
        };
        carom_io::Part::new("half", piece).pieces.remove(0)
    });
    let pieces: Vec<_> = (0..).zip(halves).map(|(solid, piece)| carom_io::Piece { solid, ..piece }).collect();
    let part = carom_io::Part { name: "shell".to_owned(), pieces };
    assert_eq!(part.solid_meshes().unwrap().len(), 2);
    let (mesh, n_turned) = carom_robot::outward_mesh(&part).unwrap();
    assert_eq!((mesh.ambiguity(), n_turned), (None, 0));
}
