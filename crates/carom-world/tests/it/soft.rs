//! Soft things and bodies: their effects on each other.

use crate::scenes::{CheckedStep, DT, ball, cuboid, ground};
use carom_geom::{Capsule, ConvexHull, Cylinder, HeightField, TriMesh};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{Compound, CompoundPart, HeightFieldShape, MeshShape, Shape};
use carom_world::{
    BodyDesc, BodyId, ClothSettings, ColliderDesc, Grains, Liquid, ParticlePhase, ParticlesDesc, ParticlesId,
    RopeSettings, SoftBodyDesc, SoftBodyId, SoftBodySettings, SoftEvent, SoftSettings, SoftThing, World,
    WorldSettings,
};
use std::sync::Arc;

const GRAVITY: f32 = 9.81;

fn water(radius: f32) -> ParticlesDesc {
    ParticlesDesc::new(ParticlePhase::Liquid(Liquid::default()), radius)
}

fn sand(radius: f32) -> ParticlesDesc {
    ParticlesDesc::new(ParticlePhase::Grains(Grains::default()), radius)
}

/// Walls at this distance from the middle, and a floor at 0.
fn add_tank(world: &mut World, half: f32) {
    world.insert(ground()).unwrap();
    for inward in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        let wall = Shape::HalfSpace(carom_geom::HalfSpace::new(inward).unwrap());
        world.insert(BodyDesc::fixed(wall).with_position(inward * -half)).unwrap();
    }
}

/// Momentum of a soft body of equal cells whose vertices have these masses.
fn momentum_of(positions: &[Vec3], velocities: &[Vec3], masses: &[f32]) -> [Vec3; 2] {
    let all = positions.iter().zip(velocities).zip(masses);
    all.fold([Vec3::ZERO; 2], |[p, l], ((at, v), m)| [p + *v * *m, l + at.cross(*v * *m)])
}

/// Momentum and angular momentum about the origin of a body.
fn body_momentum(world: &World, id: BodyId) -> [Vec3; 2] {
    let body = world.body(id).unwrap().motion();
    let p = body.linear_velocity / body.inverse_mass;
    let spin = body.world_inverse_inertia().inverse() * body.angular_velocity;
    [p, body.world_center().cross(p) + spin]
}

/// A body gains the momentum that particles lose: a rope and grains hit a box that floats freely.
/// Linear momentum is kept to 1e-4 of what was exchanged, angular momentum to a tenth: particles do
/// not spin, so friction is 0 here.
#[test]
fn bodies_gain_what_particles_lose() {
    let mut world = World::with_settings(WorldSettings::default());
    world.solver_settings_mut().gravity = Vec3::ZERO;
    let half = Vec3::new(0.3, 0.2, 0.25);
    let turn = Quat::from_scaled_axis(Vec3::new(0.3, 0.5, 0.1));
    let desc = BodyDesc::dynamic(cuboid(half)).with_density(200.0).with_pose(Pose::new(turn, Vec3::X * 0.2));
    let desc = desc
        .with_friction(0.0)
        .with_linear_velocity(Vec3::new(0.0, 0.1, 0.0))
        .with_angular_velocity(Vec3::Z * 0.2);
    let id = world.insert(desc).unwrap();
    let radius = 0.04;
    let positions: Vec<Vec3> = (0..60)
        .map(|i| Vec3::new(-0.8 - 0.1 * (i / 20) as f32, 0.09 * (i % 5) as f32, 0.09 * (i / 5 % 4) as f32))
        .collect();
    let smooth = ParticlePhase::Grains(Grains::default().with_friction(0.0));
    let grains = ParticlesDesc::new(smooth, radius).with_positions(&positions).with_velocity(Vec3::X * 3.0);
    let grains = world.insert_particles(grains).unwrap();
    let grain_mass = 1600.0 * (2.0 * radius) * (2.0 * radius) * (2.0 * radius);
    let rope: Vec<Vec3> = (0..9).map(|i| Vec3::new(0.9, 0.0, 0.08 * (i as f32 - 4.0))).collect();
    let rope_desc =
        SoftBodyDesc::rope(&rope, RopeSettings::default()).with_thickness(0.06).with_density(20.0);
    let rope_desc = rope_desc.with_friction(0.0).with_velocity(Vec3::X * -2.5);
    let rope = world.insert_soft_body(rope_desc).unwrap();
    let rope_masses: Vec<f32> = (0..9).map(|i| if i % 8 == 0 { 0.8 } else { 1.6 }).collect();
    assert!((world.soft_body(rope).unwrap().mass() - rope_masses.iter().sum::<f32>()).abs() < 1e-4);
    let total = |world: &World| {
        let (grains, rope) = (world.particles(grains).unwrap(), world.soft_body(rope).unwrap());
        let masses = [grain_mass; 60];
        let parts = [
            body_momentum(world, id),
            momentum_of(grains.positions(), grains.velocities(), &masses),
            momentum_of(rope.positions(), rope.velocities(), &rope_masses),
        ];
        parts.iter().fold([Vec3::ZERO; 2], |[p, l], part| [p + part[0], l + part[1]])
    };
    let start = total(&world);
    let own = body_momentum(&world, id);
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
    }
    let (end, now) = (total(&world), body_momentum(&world, id));
    let exchanged = [now[0].distance(own[0]), now[1].distance(own[1])];
    let lost = [end[0].distance(start[0]), end[1].distance(start[1])];
    println!("exchanged {exchanged:?}, lost {lost:?}");
    assert!(5.0 < exchanged[0] && 1.0 < exchanged[1]);
    assert!(lost[0] < 1e-4 * exchanged[0], "{lost:?}");
    assert!(lost[1] < 0.1 * exchanged[1], "{lost:?}");
}

/// A box floats where Archimedes says, to 4 % of its height, light and heavy.
#[test]
fn boxes_float_at_their_depth() {
    let (half_tank, half, radius) = (0.3, 0.1, 0.02);
    for density in [300.0_f32, 700.0] {
        let mut world = World::new();
        add_tank(&mut world, half_tank);
        let pool = cuboid(Vec3::new(half_tank, 0.14, half_tank));
        let pool = water(radius).with_filling(&pool, &Pose::from_translation(Vec3::Y * 0.14));
        world.insert_particles(pool).unwrap();
        let id =
            BodyDesc::dynamic(cuboid(Vec3::splat(half))).with_density(density).with_position(Vec3::Y * 0.4);
        let id = world.insert(id).unwrap();
        let (mut sum, mut n) = (0.0, 0);
        for step in 0..240 {
            world.step(DT).unwrap();
            if 180 <= step {
                (sum, n) = (sum + world.body(id).unwrap().position().y, n + 1);
            }
        }
        let part = density / 1000.0;
        let level = 0.28 + part * 8.0 * half * half * half / (4.0 * half_tank * half_tank);
        let depth = level - (sum / n as f32 - half);
        println!("density {density}: {depth:.4} m deep, {:.4} m expected", part * 2.0 * half);
        assert!((depth - part * 2.0 * half).abs() < 0.04 * 2.0 * half, "{depth}");
    }
}

/// A box that lies on the floor under water stays there: no particle fits below it, so nothing
/// pushes it up. On feet of more than a particle's diameter it floats.
#[test]
fn a_box_on_the_floor_floats_if_water_gets_below_it() {
    let (half_tank, half, radius) = (0.3_f32, 0.1_f32, 0.02_f32);
    for foot in [0.0, 2.5 * radius] {
        let mut world = World::new();
        add_tank(&mut world, half_tank);
        let middle = Vec3::Y * (foot + half);
        let mut raft = BodyDesc::dynamic(cuboid(Vec3::splat(half))).with_density(300.0).with_position(middle);
        for corner in 0..if foot == 0.0 { 0 } else { 4 } {
            let side = |bit: i32| half * if corner >> bit & 1 == 0 { -0.9 } else { 0.9 };
            let at = Vec3::new(side(0), -half - 0.5 * foot, side(1));
            let leg = ColliderDesc::new(cuboid(Vec3::new(0.01, 0.5 * foot, 0.01))).with_density(300.0);
            raft = raft.with_collider(leg.with_pose(Pose::from_translation(at)));
        }
        let raft = world.insert(raft).unwrap();
        let spot = |k: i32| (k as f32 + 0.5) * 2.0 * radius;
        let drops = (0..7).flat_map(|j| (-7..7).flat_map(move |i| (-7..7).map(move |k| [i, j, k])));
        let drops = drops.map(|[i, j, k]| Vec3::new(spot(i), spot(j), spot(k)));
        let is_free = |p: &Vec3| (half + radius) < (*p - middle).abs().max_element();
        let drops: Vec<Vec3> = drops.filter(is_free).collect();
        world.insert_particles(water(radius).with_positions(&drops)).unwrap();
        for _ in 0..180 {
            world.step(DT).unwrap();
        }
        let height = world.body(raft).unwrap().position().y;
        println!("on feet of {foot} m: at {height:.3} m");
        assert!(if foot == 0.0 { (height - half).abs() < 0.01 } else { 0.2 < height }, "{height}");
    }
}

/// A box ten times as heavy as a cloth lies in it, held at the four corners, above the floor.
#[test]
fn a_cloth_carries_a_heavy_box() {
    let mut world = World::new();
    world.set_soft_settings(SoftSettings::default().with_iterations(16)).unwrap();
    assert_eq!(*world.soft_settings(), SoftSettings::default().with_iterations(16));
    world.insert(ground()).unwrap();
    let n = 16;
    let row = n + 1;
    let sheet = SoftBodyDesc::grid([1.0, 1.0], [n, n], ClothSettings::default().with_damping(2.0));
    let sheet = sheet.with_position(Vec3::Y).with_density(1.0).with_pinned(&[0, n, row * n, row * row - 1]);
    let sheet = world.insert_soft_body(sheet).unwrap();
    let half = Vec3::new(0.2, 0.1, 0.2);
    let mass = 10.0 * world.soft_body(sheet).unwrap().mass();
    let density = mass / (8.0 * half.x * half.y * half.z);
    let id = BodyDesc::dynamic(cuboid(half)).with_density(density).with_position(Vec3::Y * 1.2);
    let id = world.insert(id.with_damping(1.0, 1.0)).unwrap();
    for _ in 0..480 {
        world.checked_step(DT).unwrap();
    }
    let before = world.body(id).unwrap().position();
    for _ in 0..60 {
        world.step(DT).unwrap();
    }
    let at = world.body(id).unwrap().position();
    let lowest = world.soft_body(sheet).unwrap().positions().iter().map(|p| p.y).fold(9.0, f32::min);
    println!("the box of {mass:.0} kg is at {at}, and was at {before}; the cloth is down to {lowest}");
    assert!(0.3 < at.y - half.y && at.y < 1.1, "{at}");
    assert!(at.distance(before) < 0.02);
    assert!(lowest < at.y - half.y);
    let corners = world.soft_body(sheet).unwrap().positions();
    assert_eq!(corners[0], Vec3::new(-0.5, 1.0, -0.5));
}

/// Plates of every kind of shape, the top of each at height 0 or a little above.
fn plates() -> Vec<(&'static str, Shape, Pose)> {
    let at = Pose::from_translation;
    let corners = [-1.0, 1.0].map(|x| [-1.0, 1.0].map(|z| Vec3::new(x, 0.0, z)));
    let [[a, b], [c, d]] = corners;
    let open = TriMesh::new(vec![a, b, c, d], vec![[0, 1, 2], [1, 3, 2]]).unwrap();
    let open = Shape::Mesh(Arc::new(MeshShape::new(open).unwrap()));
    let heights = (0..81).map(|i| 0.03 * ((i * 7 % 5) as f32)).collect();
    let field = HeightField::new([9, 9], [0.25, 0.25], heights).unwrap();
    let field = Shape::HeightField(Arc::new(HeightFieldShape::new(field).unwrap()));
    let thick = cuboid(Vec3::new(1.0, 0.2, 1.0));
    let hull: Vec<Vec3> =
        (0..8).map(|i| Vec3::new([-1.0, 1.0][i & 1], [-0.4, 0.0][i >> 1 & 1], [-1.0, 1.0][i >> 2])).collect();
    let hull = Shape::Hull(Arc::new(ConvexHull::from_points(&hull).unwrap()));
    let part = cuboid(Vec3::new(0.5, 0.2, 1.0));
    let halves = [-0.5, 0.5].map(|x| CompoundPart { shape: part.clone(), pose: at(Vec3::X * x) });
    let lying = Pose::new(Quat::from_rotation_z(core::f32::consts::FRAC_PI_2), Vec3::Y * -0.4);
    vec![
        ("half-space", Shape::HalfSpace(carom_geom::HalfSpace::new(Vec3::Y).unwrap()), Pose::IDENTITY),
        ("cuboid", thick.clone(), at(Vec3::Y * -0.2)),
        ("thin cuboid", cuboid(Vec3::new(1.0, 0.005, 1.0)), at(Vec3::Y * -0.005)),
        ("hull", hull, Pose::IDENTITY),
        ("open mesh", open, Pose::IDENTITY),
        ("height field", field, Pose::IDENTITY),
        ("compound", Shape::Compound(Arc::new(Compound::new(halves.to_vec()).unwrap())), at(Vec3::Y * -0.2)),
        ("cylinder", Shape::Cylinder(Cylinder::new(0.2, 1.0).unwrap()), at(Vec3::Y * -0.2)),
        ("capsule", Shape::Capsule(Capsule::new(1.0, 0.4).unwrap()), lying),
    ]
}

/// Cloth, grains and water that fall at up to 10 m/s: none gets to the other side of a plate that
/// does not move. Water that flows over the edge falls past it.
#[test]
fn nothing_passes_a_fixed_floor() {
    for (name, shape, pose) in plates() {
        let mut world = World::new();
        world.insert(BodyDesc::fixed(shape).with_pose(pose)).unwrap();
        let cloth = SoftBodyDesc::grid([0.5, 0.5], [8, 8], ClothSettings::default());
        let cloth = cloth.with_position(Vec3::Y * 0.5).with_velocity(Vec3::Y * -10.0);
        let cloth = world.insert_soft_body(cloth).unwrap();
        let block = |y: f32| Pose::from_translation(Vec3::Y * y);
        let drop = cuboid(Vec3::new(0.15, 0.06, 0.15));
        let drops = [
            water(0.03).with_filling(&drop, &block(0.8)).with_velocity(Vec3::Y * -4.0),
            sand(0.03).with_filling(&drop, &block(1.1)).with_velocity(Vec3::Y * -6.0),
        ];
        let drops = drops.map(|desc| world.insert_particles(desc).unwrap());
        let mut lowest = f32::INFINITY;
        for _ in 0..60 {
            world.step(DT).unwrap();
            let cloth = world.soft_body(cloth).unwrap().positions();
            let particles = drops.iter().flat_map(|id| world.particles(*id).unwrap().positions());
            for p in cloth.iter().chain(particles) {
                // Above the plate, and not near its edge.
                if p.x.abs() < 0.9
                    && p.z.abs() < 0.9
                    && !(name == "capsule" && 0.3 < p.z.abs())
                    && !(name == "cylinder" && 0.9 < p.length())
                {
                    lowest = lowest.min(p.y);
                }
            }
        }
        println!("{name}: down to {lowest:.4} m");
        // The capsule curves down by 0.14 m at 0.3 m from its line.
        let bound = if name == "capsule" { -0.15 } else { 0.0 };
        assert!(bound < lowest && lowest < 0.2, "{name}: {lowest}");
    }
}

/// A rope that is pinned at one end carries a ball of 50 times its mass: it hangs straight down.
/// Then it is let go, and the ball falls as a free one does.
#[test]
fn a_rope_carries_a_ball() {
    let mut world = World::new();
    let points: Vec<Vec3> = (0..11).map(|i| Vec3::new(0.1 * i as f32, 2.0, 0.0)).collect();
    let rope = SoftBodyDesc::rope(&points, RopeSettings::default().with_damping(5.0)).with_pinned(&[0]);
    let rope = world.insert_soft_body(rope).unwrap();
    let radius = 0.2;
    let density = 5.0 / (4.0 / 3.0 * core::f32::consts::PI * radius * radius * radius);
    let load = BodyDesc::dynamic(ball(radius)).with_density(density).with_damping(1.0, 1.0);
    let load = world.insert(load.with_position(points[10] + Vec3::X * 0.25)).unwrap();
    world.soft_body_mut(rope).unwrap().attach(10, load).unwrap();
    assert_eq!(world.soft_body(rope).unwrap().attached().collect::<Vec<_>>(), [(10, load)]);
    for _ in 0..900 {
        world.checked_step(DT).unwrap();
    }
    let at = world.body(load).unwrap().position();
    let end = world.soft_body(rope).unwrap().positions()[10];
    println!("the load is at {at}, the end of the rope at {end}");
    assert!(at.x.abs() < 0.05 && at.z.abs() < 0.05, "{at}");
    // The rope does not give way.
    assert!((end.y - 1.0).abs() < 1e-3 && (end.distance(at) - 0.25).abs() < 0.02, "{end} {at}");
    world.soft_body_mut(rope).unwrap().release(10).unwrap();
    let before = world.body(load).unwrap().linear_velocity();
    for _ in 0..10 {
        world.step(DT).unwrap();
    }
    let gained = world.body(load).unwrap().linear_velocity() - before;
    println!("gained {gained} in 10 steps");
    // Damping takes 8 % of it.
    assert!(gained.y < -0.85 * GRAVITY * 10.0 * DT && -1.01 * GRAVITY * 10.0 * DT < gained.y, "{gained}");
}

/// The cells of a block, each as six tetrahedra around its diagonal.
pub(crate) fn tetrahedra(n: [u32; 3], size: f32) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let at = |i: u32, j: u32, k: u32| (i * (n[1] + 1) + j) * (n[2] + 1) + k;
    let (mut vertices, mut cells) = (Vec::new(), Vec::new());
    for i in 0..=n[0] {
        for j in 0..=n[1] {
            for k in 0..=n[2] {
                vertices.push(Vec3::new(i as f32, j as f32, k as f32) * size);
            }
        }
    }
    for i in 0..n[0] {
        for j in 0..n[1] {
            for k in 0..n[2] {
                let [first, last] = [at(i, j, k), at(i + 1, j + 1, k + 1)];
                let [x, y, z] = [at(i + 1, j, k), at(i, j + 1, k), at(i, j, k + 1)];
                let [xy, yz, zx] = [at(i + 1, j + 1, k), at(i, j + 1, k + 1), at(i + 1, j, k + 1)];
                for [a, b] in [[x, xy], [xy, y], [y, yz], [yz, z], [z, zx], [zx, x]] {
                    cells.push([first, a, b, last]);
                }
            }
        }
    }
    (vertices, cells)
}

/// A block of jelly carries a box, and is pressed by it.
#[test]
fn a_box_rests_on_jelly() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let (vertices, cells) = tetrahedra([4, 2, 4], 0.1);
    let settings = SoftBodySettings::default().with_youngs_modulus(2e4).with_damping(5.0);
    let jelly = SoftBodyDesc::volume(&vertices, &cells, settings).with_thickness(0.05);
    let jelly = world.insert_soft_body(jelly.with_position(Vec3::new(-0.2, 0.03, -0.2))).unwrap();
    let mass = world.soft_body(jelly).unwrap().mass();
    assert!((mass - 32.0).abs() < 0.01, "{mass}");
    let mesh = world.soft_body(jelly).unwrap().mesh().unwrap();
    // Two triangles for each face of a cell on the surface.
    assert_eq!(mesh.mesh().indices().len(), 2 * (2 * 16 + 4 * 8));
    assert!(mesh.is_solid());
    let half = Vec3::new(0.15, 0.05, 0.15);
    let id = BodyDesc::dynamic(cuboid(half)).with_density(800.0).with_position(Vec3::Y * 0.5);
    let id = world.insert(id).unwrap();
    for _ in 0..300 {
        world.step(DT).unwrap();
    }
    let at = world.body(id).unwrap().position();
    println!("the box is at {at}");
    // The block is 0.2 m high, with 2.5 cm around it on both sides.
    assert!(0.2 < at.y && at.y < 0.05 + 0.25 + 0.005, "{at}");
    assert!(at.x.abs() < 0.03 && at.z.abs() < 0.03, "{at}");
    assert!(world.body(id).unwrap().linear_velocity().length() < 0.05);
}

/// A cloth falls on a sleeping box: the box wakes, bears it, and sleeps again, and so does the
/// cloth. A push on the box wakes both; so does the removal of the floor.
#[test]
fn soft_things_and_bodies_wake_each_other_and_sleep() {
    let mut world = World::new();
    let floor = world.insert(ground()).unwrap();
    let box_ = BodyDesc::dynamic(cuboid(Vec3::new(0.3, 0.1, 0.3))).with_density(100.0);
    let box_ = world.insert(box_.with_position(Vec3::Y * 0.1)).unwrap();
    for _ in 0..120 {
        world.checked_step(DT).unwrap();
    }
    assert!(world.body(box_).unwrap().is_sleeping());
    let cloth = SoftBodyDesc::grid([1.2, 1.2], [12, 12], ClothSettings::default().with_damping(5.0));
    let cloth = cloth.with_density(2.0).with_position(Vec3::Y * 0.4);
    let cloth = world.insert_soft_body(cloth).unwrap();
    world.set_soft_settings(SoftSettings::default().with_rest_speed(0.02)).unwrap();
    let (mut was_woken, mut n_steps) = (false, 0);
    let mut events: Vec<SoftEvent> = Vec::new();
    while !(world.soft_body(cloth).unwrap().is_sleeping() && world.body(box_).unwrap().is_sleeping()) {
        world.checked_step(DT).unwrap();
        events.extend(world.soft_events());
        was_woken |= !world.body(box_).unwrap().is_sleeping();
        n_steps += 1;
        assert!(n_steps < 900, "after 15 s both sleep");
    }
    println!("asleep after {n_steps} steps, {} events", events.len());
    assert!(was_woken);
    let thing = SoftThing::Body(cloth);
    assert_eq!(events[0], SoftEvent { thing, body: box_, began: true });
    assert!(events.contains(&SoftEvent { thing, body: floor, began: true }));
    assert_eq!(world.soft_body(cloth).unwrap().touching().collect::<Vec<_>>(), [floor, box_]);
    // Nothing moves while they sleep.
    let state = world.state_hash();
    for _ in 0..5 {
        world.checked_step(DT).unwrap();
    }
    assert_eq!(state, world.state_hash());
    world.body_mut(box_).unwrap().apply_impulse_at(Vec3::X * 10.0, Vec3::Y * 0.1).unwrap();
    world.checked_step(DT).unwrap();
    assert!(!world.soft_body(cloth).unwrap().is_sleeping());
    for _ in 0..600 {
        world.checked_step(DT).unwrap();
    }
    assert!(world.soft_body(cloth).unwrap().is_sleeping());
    world.remove(floor).unwrap();
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
    }
    let highest = world.soft_body(cloth).unwrap().positions().iter().map(|p| p.y).fold(-9.0, f32::max);
    assert!(highest < -1.0, "it falls: {highest}");
}

/// A body that is moved by its owner, and a conveyor of pins: soft things follow what moves.
#[test]
fn kinematic_bodies_and_pins_move_soft_things() {
    let mut world = World::new();
    let lift = world.insert(BodyDesc::kinematic(cuboid(Vec3::new(0.5, 0.1, 0.5)))).unwrap();
    let heap = sand(0.03).with_filling(&cuboid(Vec3::splat(0.1)), &Pose::from_translation(Vec3::Y * 0.21));
    let heap = world.insert_particles(heap).unwrap();
    let line: Vec<Vec3> = (0..6).map(|i| Vec3::new(3.0, -0.1 * i as f32, 0.0)).collect();
    let rope = SoftBodyDesc::rope(&line, RopeSettings::default()).with_pinned(&[0]).with_thickness(0.05);
    let rope = world.insert_soft_body(rope).unwrap();
    for step in 1..=120 {
        let height = Vec3::Y * (0.01 * step as f32);
        world.body_mut(lift).unwrap().move_to(Pose::from_translation(height)).unwrap();
        let target = line[0] + height;
        world.soft_body_mut(rope).unwrap().pin(0, target).unwrap();
        world.checked_step(DT).unwrap();
        assert_eq!(world.soft_body(rope).unwrap().positions()[0], target);
    }
    let on_top = world.particles(heap).unwrap().positions();
    assert!(on_top.iter().all(|p| 1.2 + 0.1 + 0.02 < p.y), "the lift carries the sand");
    let end = world.soft_body(rope).unwrap().positions()[5];
    assert!((end.y - 0.7).abs() < 0.05, "{end}");
}

/// The handles and numbers that the tests of states need.
pub(crate) struct Mixed {
    pub(crate) bodies: Vec<BodyId>,
    pub(crate) soft: Vec<SoftBodyId>,
    pub(crate) particles: Vec<ParticlesId>,
}

/// Some of everything: water, sand, a cloth, a rope that holds a ball, jelly, boxes, in a tank.
pub(crate) fn mixed<B: carom_broad::BroadPhase>(world: &mut World<B>) -> Mixed {
    world.insert(ground()).unwrap();
    for inward in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        let wall = Shape::HalfSpace(carom_geom::HalfSpace::new(inward).unwrap());
        world.insert(BodyDesc::fixed(wall).with_position(inward * -0.4)).unwrap();
    }
    let at = Pose::from_translation;
    let cloth = SoftBodyDesc::grid([0.6, 0.6], [8, 8], ClothSettings::default().with_damping(1.0));
    let cloth = world.insert_soft_body(cloth.with_position(Vec3::Y * 0.6)).unwrap();
    let radius = 0.04;
    let pool =
        water(radius).with_filling(&cuboid(Vec3::new(0.4, 0.12, 0.2)), &at(Vec3::new(0.0, 0.12, -0.2)));
    let heap =
        sand(radius).with_filling(&cuboid(Vec3::new(0.12, 0.12, 0.12)), &at(Vec3::new(0.1, 0.13, 0.25)));
    let particles = [pool, heap].map(|desc| world.insert_particles(desc).unwrap());
    let line: Vec<Vec3> = (0..6).map(|i| Vec3::new(-0.3 + 0.08 * i as f32, 1.0, 0.1)).collect();
    let rope = SoftBodyDesc::rope(&line, RopeSettings::default()).with_pinned(&[0]);
    let rope = world.insert_soft_body(rope).unwrap();
    let (vertices, cells) = tetrahedra([1, 1, 1], 0.1);
    let jelly = SoftBodyDesc::volume(&vertices, &cells, SoftBodySettings::default());
    let jelly = world.insert_soft_body(jelly.with_position(Vec3::new(-0.3, 0.3, 0.2))).unwrap();
    let mut bodies = Vec::new();
    for (k, shape) in
        [ball(0.08), cuboid(Vec3::splat(0.07)), cuboid(Vec3::new(0.1, 0.04, 0.06))].into_iter().enumerate()
    {
        let position = Vec3::new(0.2 - 0.2 * k as f32, 0.8 + 0.1 * k as f32, -0.1);
        bodies.push(
            world.insert(BodyDesc::dynamic(shape).with_density(400.0).with_position(position)).unwrap(),
        );
    }
    let load = BodyDesc::dynamic(ball(0.06)).with_density(300.0).with_position(line[5] + Vec3::X * 0.1);
    let load = world.insert(load).unwrap();
    world.soft_body_mut(rope).unwrap().attach(5, load).unwrap();
    bodies.push(load);
    Mixed { bodies, soft: vec![cloth, rope, jelly], particles: particles.to_vec() }
}

/// Single particles get velocities. An index without a particle, or a velocity that is not finite,
/// changes nothing.
#[test]
fn particles_get_velocities() {
    let mut world = World::new();
    world.solver_settings_mut().gravity = Vec3::ZERO;
    let positions: Vec<Vec3> = (0..4).map(|k| Vec3::X * k as f32).collect();
    let id = world.insert_particles(sand(0.05).with_positions(&positions)).unwrap();
    let set = |world: &mut World, changes: &[(u32, Vec3)]| {
        world.particles_mut(id).unwrap().set_velocities(changes).map(|_| ()).is_ok()
    };
    assert!(!set(&mut world, &[(0, Vec3::Y), (4, Vec3::Y)]) && !set(&mut world, &[(1, Vec3::Y * f32::NAN)]));
    assert!(world.particles(id).unwrap().velocities().iter().all(|v| *v == Vec3::ZERO));
    assert!(set(&mut world, &[(3, Vec3::Y), (1, Vec3::Z * 2.0)]));
    assert_eq!(world.particles(id).unwrap().velocities(), [Vec3::ZERO, Vec3::Z * 2.0, Vec3::ZERO, Vec3::Y]);
    (0..60).for_each(|_| world.checked_step(DT).map(|_| ()).unwrap());
    let at = world.particles(id).unwrap().positions();
    assert!(
        at[0].distance(positions[0]) < 1e-3 && (at[1].z - 2.0).abs() < 0.05 && (at[3].y - 1.0).abs() < 0.05
    );
}

/// The times of soft things and of continuous detection are parts of the response.
#[test]
fn times_of_parts_fit_into_the_response() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let cloth = SoftBodyDesc::grid([1.0; 2], [8; 2], ClothSettings::default());
    world.insert_soft_body(cloth.with_position(Vec3::Y * 0.3)).unwrap();
    let bullet = BodyDesc::dynamic(ball(0.05)).with_ccd(true).with_position(Vec3::Y * 3.0);
    world.insert(bullet.with_linear_velocity(Vec3::Y * -300.0)).unwrap();
    let times = world.checked_step(DT).unwrap().times;
    assert!(0.0 < times.soft && 0.0 < times.continuous, "{times:?}");
    assert!(times.soft + times.continuous <= times.response, "{times:?}");
    let alone = World::new().checked_step(DT).unwrap().times;
    assert_eq!((alone.soft, alone.continuous), (0.0, 0.0));
}

/// A rope, a cloth and a soft body that move as a whole with their pins do not change their shape,
/// so damping takes nothing from their velocity, however strong it is.
#[test]
fn r_damping_does_not_hold_what_moves_with_its_pins() {
    let line: Vec<Vec3> = (0..11).map(|k| Vec3::X * (0.1 * k as f32)).collect();
    let (vertices, cells) = tetrahedra([3, 1, 1], 0.2);
    for damping in [10.0, 1000.0] {
        let rope = RopeSettings::default().with_damping(damping);
        let elastic = rope.with_stretch_stiffness(500.0);
        let jelly = SoftBodySettings::default().with_damping(damping);
        let bodies = [
            SoftBodyDesc::rope(&line, rope),
            SoftBodyDesc::rope(&line, elastic),
            SoftBodyDesc::grid([1.0, 1.0], [8, 8], ClothSettings::default().with_damping(damping)),
            SoftBodyDesc::volume(&vertices, &cells, jelly),
        ];
        for (k, desc) in bodies.into_iter().enumerate() {
            let mut world = World::new();
            world.solver_settings_mut().gravity = Vec3::ZERO;
            let velocity = Vec3::new(5.0, 0.0, 1.0);
            let id = world.insert_soft_body(desc.with_pinned(&[0, 1]).with_velocity(velocity)).unwrap();
            let starts = world.soft_body(id).unwrap().positions().to_vec();
            for step in 1..=60 {
                let offset = velocity * (DT * step as f32);
                for vertex in [0, 1] {
                    let mut body = world.soft_body_mut(id).unwrap();
                    body.pin(vertex, starts[vertex as usize] + offset).unwrap();
                }
                world.checked_step(DT).unwrap();
                let body = world.soft_body(id).unwrap();
                for (vertex, (v, p)) in body.velocities().iter().zip(body.positions()).enumerate().skip(2) {
                    let name = format!("body {k}, damping {damping}, step {step}, vertex {vertex}");
                    assert!((*v - velocity).length() < 0.01, "{name}: {v}");
                    assert!((*p - starts[vertex] - offset).length() < 1e-3, "{name}: {p}");
                }
            }
        }
    }
}
