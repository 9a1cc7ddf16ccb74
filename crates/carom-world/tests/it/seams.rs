//! Bodies that slide over a flat floor of many pieces, and over what is not flat.

use crate::scenes::{CheckedStep, DT, ball, cuboid, thousand_triangles};
use carom_geom::{Capsule, ConvexHull, HeightField};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{Compound, CompoundPart, HeightFieldShape, MeshShape, Shape, VoxelBox, Voxels};
use carom_world::{BodyDesc, World, WorldSettings};
use std::sync::Arc;

const FLOORS: [&str; 6] = ["voxels", "triangles", "tiles", "height fields", "compound", "slabs on a plane"];
const BODIES: [&str; 4] = ["box", "ball", "capsule", "hull"];

/// Flat at height 0, from -2 to 18 along x and from -2 to 2 along z.
fn floor(name: &str) -> Vec<BodyDesc> {
    let tile = |x: [f32; 2], z: [f32; 2]| {
        let half = Vec3::new(0.5 * (x[1] - x[0]), 0.25, 0.5 * (z[1] - z[0]));
        (cuboid(half), Vec3::new(0.5 * (x[0] + x[1]), -0.25, 0.5 * (z[0] + z[1])))
    };
    // Rows of tiles whose seams lie elsewhere in each row: corners in the middle of others' sides.
    let tiles = || {
        let mut tiles = Vec::new();
        for (row, length) in [0.9, 0.7, 1.3, 1.1].into_iter().enumerate() {
            let z = [row as f32 - 2.0, row as f32 - 1.0];
            let mut x = -2.0;
            while x < 18.0 {
                tiles.push(tile([x, x + length], z));
                x += length;
            }
        }
        tiles
    };
    match name {
        "triangles" => {
            let mesh = thousand_triangles();
            assert_eq!(mesh.n_triangles(), 1000);
            vec![BodyDesc::fixed(Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap())))]
        }
        "tiles" => tiles().into_iter().map(|(shape, at)| BodyDesc::fixed(shape).with_position(at)).collect(),
        "height fields" => [(0.5, 3.0), (0.8, 13.0)]
            .into_iter()
            .map(|(spacing, x)| {
                let n = [(10.0 / spacing) as u32, (4.0 / spacing) as u32];
                let exact = [10.0 / n[0] as f32, 4.0 / n[1] as f32];
                let heights = vec![0.0; ((n[0] + 1) * (n[1] + 1)) as usize];
                let field = HeightField::new([n[0] + 1, n[1] + 1], exact, heights).unwrap();
                let shape = Shape::HeightField(Arc::new(HeightFieldShape::new(field).unwrap()));
                BodyDesc::fixed(shape).with_position(Vec3::new(x, 0.0, 0.0))
            })
            .collect(),
        "compound" => {
            let parts = tiles().into_iter();
            let parts = parts.map(|(shape, at)| CompoundPart { shape, pose: Pose::from_translation(at) });
            let compound = Compound::new(parts.collect()).unwrap();
            vec![BodyDesc::fixed(Shape::Compound(Arc::new(compound)))]
        }
        // Single cells, not merged.
        "voxels" => {
            let cells = (0..320).map(|k| VoxelBox::cell([k / 8, 0, k % 8])).collect();
            let voxels = Voxels::new(Vec3::new(-2.0, -0.3, -2.0), Vec3::new(0.5, 0.3, 0.5), cells);
            vec![BodyDesc::fixed(Shape::Voxels(Arc::new(voxels.unwrap())))]
        }
        // Every other tile, sunk flush in a plane.
        _ => {
            let mut pieces = vec![crate::scenes::ground()];
            let tiles = tiles().into_iter().step_by(2);
            pieces.extend(tiles.map(|(shape, at)| BodyDesc::fixed(shape).with_position(at)));
            pieces
        }
    }
}

fn body(name: &str) -> (Shape, f32, Quat) {
    let aslant = Quat::from_rotation_y(0.4);
    match name {
        "box" => (cuboid(Vec3::new(0.4, 0.3, 0.5)), 0.3, aslant),
        "ball" => (ball(0.35), 0.35, Quat::IDENTITY),
        // Lying, aslant to its way.
        "capsule" => {
            let lying = Quat::from_rotation_x(core::f32::consts::FRAC_PI_2);
            (Shape::Capsule(Capsule::new(0.4, 0.25).unwrap()), 0.25, aslant * lying)
        }
        // It stands on a face of five corners.
        _ => {
            let ring = |k: usize, r: f32, y: f32| {
                let angle = k as f32 * core::f32::consts::TAU / 5.0;
                Vec3::new(r * angle.cos(), y, r * angle.sin())
            };
            let points: Vec<Vec3> = (0..5).flat_map(|k| [ring(k, 0.45, -0.3), ring(k, 0.6, 0.3)]).collect();
            (Shape::Hull(Arc::new(ConvexHull::from_points(&points).unwrap())), 0.3, aslant)
        }
    }
}

/// How far normals lean, what of the speed is lost or turned aside, and how far the body has left
/// its height, on the way.
fn slide(floor_name: &str, body_name: &str, speed: f32, smooths: bool) -> [f32; 3] {
    let mut world = World::with_settings(WorldSettings::default().with_internal_edges_smoothed(smooths));
    for piece in floor(floor_name) {
        world.insert(piece.with_friction(0.0)).unwrap();
    }
    let (shape, height, turn) = body(body_name);
    let start = Pose::new(turn, Vec3::new(0.0, height - 0.002, 0.13));
    let sliding = BodyDesc::dynamic(shape)
        .with_pose(start)
        .with_linear_velocity(Vec3::new(speed, 0.0, 0.0))
        .with_damping(0.0, 0.0)
        .with_friction(0.0)
        .with_can_sleep(false);
    let id = world.insert(sliding).unwrap();
    let (mut lean, mut loss, mut drop) = (0.0_f32, 0.0_f32, 0.0_f32);
    while world.body(id).unwrap().position().x < 16.0 && world.stats().n_bodies < 1000 {
        world.checked_step(DT).unwrap();
        let n_manifolds = world.contacts().map(|pair| pair.manifolds.len()).sum::<usize>();
        assert!(!smooths || 0 < n_manifolds, "{body_name} on {floor_name} at {speed}: it hovers");
        for manifold in world.contacts().flat_map(|pair| pair.manifolds) {
            let normal = manifold.normal();
            lean = lean.max(normal.x.abs()).max(normal.z.abs());
        }
        let motion = world.body(id).unwrap().motion();
        let velocity = motion.linear_velocity - Vec3::new(speed, 0.0, 0.0);
        loss = loss.max(velocity.x.abs().max(velocity.z.abs()) / speed);
        drop = drop.max((motion.pose.translation.y - height).abs());
        if 0.5 < loss {
            break;
        }
    }
    [lean, loss, drop]
}

#[test]
fn a_flat_floor_of_pieces_is_one_floor() {
    let (mut n_caught, mut worst) = (0, [0.0_f32; 3]);
    for floor in FLOORS {
        for body in BODIES {
            for speed in [0.7, 3.0, 11.0] {
                let [lean, loss, drop] = slide(floor, body, speed, true);
                println!("{floor:16} {body:8} {speed:4}: lean {lean:.1e}, loss {loss:.1e}, drop {drop:.4}");
                worst = [worst[0].max(lean), worst[1].max(loss), worst[2].max(drop)];
            }
            let [lean, loss, _] = slide(floor, body, 3.0, false);
            n_caught += usize::from(1e-2 < lean);
            println!("{floor:16} {body:8} as found: lean {lean:.1e}, loss {loss:.1e}");
        }
    }
    println!(
        "worst: lean {:.1e}, loss {:.1e}, drop {:.4}; caught as found: {n_caught}",
        worst[0], worst[1], worst[2]
    );
    assert!(worst[0] <= 1e-4, "a normal leans by {}", worst[0]);
    assert!(worst[1] <= 1.2e-4, "{} of the speed is lost or turned aside", worst[1]);
    assert!(worst[2] <= 0.02, "{} from its height", worst[2]);
    // The scenes are hard: as the contacts are found, bodies catch.
    assert!(5 < n_caught, "only {n_caught} of 20 lean as found");
}

/// Returns how far and how high a box slides on a floor of tiles with an obstacle on it. The
/// obstacle still stops it.
fn run_into(obstacle: BodyDesc) -> [f32; 2] {
    let mut world = World::new();
    for piece in floor("tiles") {
        world.insert(piece.with_friction(0.0)).unwrap();
    }
    world.insert(obstacle.with_friction(0.0)).unwrap();
    let sliding = BodyDesc::dynamic(cuboid(Vec3::new(0.4, 0.3, 0.4)))
        .with_position(Vec3::new(0.0, 0.298, 0.13))
        .with_linear_velocity(Vec3::new(2.0, 0.0, 0.0))
        .with_friction(0.0)
        .with_can_sleep(false);
    let id = world.insert(sliding).unwrap();
    let (mut far, mut high) = (0.0_f32, 0.0_f32);
    for _ in 0..180 {
        world.checked_step(DT).unwrap();
        let at = world.body(id).unwrap().position();
        (far, high) = (far.max(at.x), high.max(at.y));
    }
    [far, high]
}

#[test]
fn steps_walls_and_slopes_are_none_of_it() {
    // A wall, its foot below the floor; a kerb of 2 cm; one of 4 mm, more than a floor may be badly
    // fitted.
    for (half, height) in [(2.0, 1.9), (0.25, -0.23), (0.25, -0.246)] {
        let wall = cuboid(Vec3::new(0.3, half, 2.0));
        let [far, _] = run_into(BodyDesc::fixed(wall).with_position(Vec3::new(3.0, height, 0.0)));
        // Over a kerb it leans forward before it falls back.
        assert!(2.28 < far && far < 2.5, "{half} {height}: {far}");
    }
    // A slope whose foot lies in the floor's plane carries the box up.
    let slope = Quat::from_rotation_z(0.3);
    let up = slope * Vec3::Y;
    let at = Vec3::new(3.0, 0.0, 0.0) + slope * Vec3::new(3.0, 0.0, 0.0) - up * 0.25;
    let ramp = BodyDesc::fixed(cuboid(Vec3::new(3.0, 0.25, 2.0))).with_pose(Pose::new(slope, at));
    let [far, high] = run_into(ramp);
    assert!(2.6 < far && 0.38 < high && high < 0.6, "{far} {high}");
    // Flush with the floor: nothing there.
    let [far, high] = run_into(
        BodyDesc::fixed(cuboid(Vec3::new(0.3, 0.25, 2.0))).with_position(Vec3::new(3.0, -0.25, 0.0)),
    );
    assert!((far - 6.0).abs() < 0.01 && (high - 0.3).abs() < 0.005, "{far} {high}");
}

/// A ball that rolls over the last edge of a floor falls off it, the sooner for no reason.
#[test]
fn the_rim_of_a_floor_is_an_edge() {
    let fall = |smooths: bool| {
        let mut world = World::with_settings(WorldSettings::default().with_internal_edges_smoothed(smooths));
        for x in [0.0, 1.0, 2.0] {
            let tile =
                BodyDesc::fixed(cuboid(Vec3::new(0.5, 0.25, 0.5))).with_position(Vec3::new(x, -0.25, 0.0));
            world.insert(tile).unwrap();
        }
        let rolling = BodyDesc::dynamic(ball(0.3))
            .with_position(Vec3::new(2.0, 0.298, 0.0))
            .with_linear_velocity(Vec3::new(0.4, 0.0, 0.0))
            .with_friction(0.0)
            .with_can_sleep(false);
        let id = world.insert(rolling).unwrap();
        let mut path = Vec::new();
        while -1.0 < world.body(id).unwrap().position().y && path.len() < 400 {
            world.checked_step(DT).unwrap();
            path.push(world.body(id).unwrap().position());
        }
        path
    };
    let path = fall(true);
    assert_eq!(path, fall(false), "one piece at a time is left alone");
    assert!(path.len() < 300 && 2.8 < path[path.len() - 1].x, "{:?}", path.last());
}

/// Adjacent blocks pushed a body that was deep in both into each other, and it stayed there.
#[test]
fn a_body_deep_in_several_blocks_comes_out() {
    let bodies = [
        ("ball", ball(0.06)),
        ("capsule", Shape::Capsule(Capsule::new(0.08, 0.05).unwrap())),
        ("box", cuboid(Vec3::new(0.05, 0.09, 0.07))),
    ];
    let two = |step: f32| vec![(Vec3::new(-0.5, step, 0.0), 1.0), (Vec3::new(0.5, 0.0, 0.0), 1.0)];
    let four = [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)].map(|(x, z)| (Vec3::new(x, 0.0, z), 0.5));
    let places = [(-0.03, -0.14), (-0.01, -0.1), (0.0, -0.12), (0.01, -0.1), (0.03, -0.14)];
    for (floor, blocks) in [("stairs", two(0.127)), ("two", two(0.0)), ("four", four.to_vec())] {
        for (name, body) in &bodies {
            for (x, y) in places {
                let mut world = World::new();
                for &(top, half_width) in &blocks {
                    // Down to the same depth.
                    let half = Vec3::new(0.5, 0.5 + 0.5 * top.y, half_width);
                    let block = BodyDesc::fixed(cuboid(half)).with_position(top - half.y * Vec3::Y);
                    world.insert(block).unwrap();
                }
                let pose = Pose::new(Quat::from_rotation_z(0.2), Vec3::new(x, y, 0.012));
                let id = world.insert(BodyDesc::dynamic(body.clone()).with_pose(pose)).unwrap();
                let mut highest = f32::NEG_INFINITY;
                for _ in 0..60 {
                    world.checked_step(DT).unwrap();
                    highest = highest.max(world.body(id).unwrap().position().y);
                }
                let at = world.body(id).unwrap().position();
                assert!(0.04 < at.y && highest < 0.2, "{name} in {floor} from {x} {y}: {at}, {highest}");
            }
        }
    }
}
