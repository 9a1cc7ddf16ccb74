//! Scenes that several tests share.

use crate::of_unit_density;
use carom_broad::BroadPhase;
use carom_geom::{Capsule, Cuboid, HalfSpace, Sphere, TriMesh};
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_testkit::conform::dice::Dice;
use carom_world::{
    BodyDesc, BodyId, Budget, JointDesc, JointKind, Snapshot, StepStats, World, WorldError, WorldSettings,
};

pub(crate) const DT: f32 = 1.0 / 60.0;

/// Worlds of more bodies than this are not checked after each step: a check copies the state.
const MAX_CHECKED_BODIES: usize = 64;

/// Steps after which the world is checked.
pub(crate) trait CheckedStep {
    /// [`World::step`], then [`World::validate`].
    fn checked_step(&mut self, dt: f32) -> Result<&StepStats, WorldError>;

    /// [`World::step_with_budget`], then [`World::validate`].
    fn checked_step_within(&mut self, dt: f32, budget: Budget) -> Result<&StepStats, WorldError>;
}

impl<B: BroadPhase> CheckedStep for World<B> {
    fn checked_step(&mut self, dt: f32) -> Result<&StepStats, WorldError> {
        self.checked_step_within(dt, Budget::Unlimited)
    }

    fn checked_step_within(&mut self, dt: f32, budget: Budget) -> Result<&StepStats, WorldError> {
        self.step_with_budget(dt, budget)?;
        if self.len() <= MAX_CHECKED_BODIES {
            self.validate()?;
        }
        Ok(self.stats())
    }
}

/// Whether a call was refused because of the number of this name, with this value. NaN is NaN.
pub(crate) fn is_bad<T>(result: Result<T, WorldError>, name: &str, bad: f32) -> bool {
    let is_same = |value: f32| value == bad || (value.is_nan() && bad.is_nan());
    matches!(result, Err(WorldError::BadValue { what, value }) if what == name && is_same(value))
}

pub(crate) fn cuboid(half: Vec3) -> Shape {
    Shape::Cuboid(Cuboid::new(half).unwrap())
}

pub(crate) fn ball(radius: f32) -> Shape {
    Shape::Sphere(Sphere::new(radius).unwrap())
}

pub(crate) fn ground() -> BodyDesc {
    BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap()))
}

pub(crate) fn world_on<B: BroadPhase + Default>() -> World<B> {
    World::with_broad_phase(B::default(), WorldSettings::default())
}

/// A world in the state of a snapshot. Shapes that the snapshot does not have are those of `own`.
pub(crate) fn restored<B: BroadPhase + Default>(
    snapshot: &Snapshot,
    own: &World<impl BroadPhase>,
) -> Result<World<B>, WorldError> {
    let mut world = world_on::<B>();
    world.restore_with(snapshot, |saved| own.collider(saved.collider).ok().map(|found| found.shape()))?;
    Ok(world)
}

/// The snapshot, written as text and read again.
#[cfg(feature = "serde")]
pub(crate) fn reread(snapshot: &Snapshot) -> Snapshot {
    serde_json::from_str(&serde_json::to_string(snapshot).unwrap()).unwrap()
}

/// A stack of unit boxes on the ground.
pub(crate) fn stack<B: BroadPhase>(world: &mut World<B>, n: usize) -> Vec<BodyId> {
    world.insert(ground()).unwrap();
    let at = |i: usize| Vec3::new(0.0, 0.5 + i as f32, 0.0);
    (0..n)
        .map(|i| world.insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_position(at(i))).unwrap())
        .collect()
}

/// Boxes, balls and capsules dropped in a heap between walls, and a chain of capsules among them.
pub(crate) fn heap<B: BroadPhase>(world: &mut World<B>, n: usize, seed: u64) -> Vec<BodyId> {
    let mut dice = Dice::new(seed);
    world.insert(ground()).unwrap();
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let half = if x == 0.0 { Vec3::new(7.0, 20.0, 0.5) } else { Vec3::new(0.5, 20.0, 7.0) };
        world.insert(BodyDesc::fixed(cuboid(half)).with_position(Vec3::new(x, 0.0, z) * 6.0)).unwrap();
    }
    let mut bodies = Vec::new();
    for i in 0..n {
        let (layer, cell) = (i / 36, i % 36);
        let jitter = dice.point(0.1);
        let at =
            Vec3::new((cell % 6) as f32 * 1.7 - 4.2, 1.0 + layer as f32 * 1.5, (cell / 6) as f32 * 1.7 - 4.2);
        let turn = Quat::from_scaled_axis(dice.point(1.5));
        let shape = match i % 4 {
            0 => ball(dice.range(0.3, 0.6)),
            1 => Shape::Capsule(Capsule::new(0.3, 0.25).unwrap()),
            _ => cuboid(Vec3::new(dice.range(0.3, 0.6), dice.range(0.3, 0.6), dice.range(0.3, 0.6))),
        };
        let desc = of_unit_density(shape).with_pose(Pose::new(turn, at + jitter));
        bodies.push(world.insert(desc.with_restitution(if i % 7 == 0 { 0.3 } else { 0.0 })).unwrap());
    }
    let top = 2.0 + (n / 36 + 1) as f32 * 1.5;
    let positions = (0..6).map(|i| Vec3::new(0.0, top + i as f32 * 0.95, 0.0));
    bodies.extend(upright_chain(world, positions, |link| link.with_family(1)));
    bodies
}

/// Adds a chain of upright capsules at these places, each 0.95 above the one before, and returns
/// its links.
pub(crate) fn upright_chain<B: BroadPhase>(
    world: &mut World<B>,
    positions: impl Iterator<Item = Vec3>,
    finish: impl Fn(BodyDesc) -> BodyDesc,
) -> Vec<BodyId> {
    let mut links: Vec<BodyId> = Vec::new();
    for at in positions {
        let link = of_unit_density(Shape::Capsule(Capsule::new(0.25, 0.2).unwrap())).with_position(at);
        let link = world.insert(finish(link)).unwrap();
        if let Some(&last) = links.last() {
            let joint = JointDesc::new(last, link, JointKind::Spherical { cone: 1.0, twist: None });
            let joint = joint.with_anchor(at - Vec3::Y * 0.475).with_axis(Vec3::Y);
            world.insert_joint(joint).unwrap();
        }
        links.push(link);
    }
    links
}

/// A thousand triangles at height 0, from -2 to 18 along x and from -2 to 2 along z, their corners
/// a little off the lines of a grid.
pub(crate) fn thousand_triangles() -> TriMesh {
    let mut dice = Dice::new(3);
    let (n_x, n_z) = (50, 10);
    let mut vertices = Vec::new();
    for i in 0..=n_x {
        for j in 0..=n_z {
            let is_inside = 0 < i && i < n_x && 0 < j && j < n_z;
            let off = if is_inside { dice.point(0.1) } else { Vec3::ZERO };
            vertices.push(Vec3::new(0.4 * i as f32 - 2.0 + off.x, 0.0, 0.4 * j as f32 - 2.0 + off.z));
        }
    }
    let at = |i: usize, j: usize| (i * (n_z + 1) + j) as u32;
    let cells = (0..n_x * n_z).flat_map(|c| {
        let (i, j) = (c / n_z, c % n_z);
        [[at(i, j), at(i, j + 1), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i + 1, j)]]
    });
    TriMesh::new(vertices, cells.collect()).unwrap()
}

/// Kinetic and potential energy of all bodies.
pub(crate) fn energy<B: BroadPhase>(world: &World<B>) -> f64 {
    let gravity = -world.settings().solver.gravity;
    let of = |id: BodyId| {
        let body = world.body(id).unwrap().motion();
        if body.inverse_mass == 0.0 {
            return 0.0;
        }
        f64::from(body.kinetic_energy())
            + f64::from(gravity.dot(body.world_center())) / f64::from(body.inverse_mass)
    };
    world.body_ids().map(of).sum()
}
