//! Drags of cloth, soft bodies and particles.

use carom_math::Vec3;
use carom_web::scenes::{Request, scene};
use carom_web::{Action, DragTarget, ReplayOutcome, Testbed};
use carom_world::{ParticlesId, SoftBodyId, SoftThing};

fn start(name: &str, count: usize) -> Testbed {
    Testbed::start(scene(name).unwrap(), Request { count, seed: 1 }, "dynamic-bvh").unwrap()
}

fn run(bed: &mut Testbed, n_steps: usize) {
    (0..n_steps).for_each(|_| bed.step().unwrap());
}

/// A grab by a ray from above at a place.
fn grab_at(position: Vec3) -> Action {
    Action::Grab { origin: (position + Vec3::Y * 4.0).to_array(), direction: [0.0, -1.0, 0.0] }
}

fn soft_bodies(bed: &Testbed) -> Vec<SoftBodyId> {
    let ids = bed.world().soft_things().filter_map(|thing| match thing {
        SoftThing::Body(id) => Some(id),
        SoftThing::Particles(_) => None,
    });
    ids.collect()
}

fn water(bed: &Testbed) -> ParticlesId {
    let mut ids = bed.world().soft_things().filter_map(|thing| match thing {
        SoftThing::Particles(id) => Some(id),
        SoftThing::Body(_) => None,
    });
    ids.next().unwrap()
}

/// A vertex at a corner of the cloth follows the pull. The rest of the cloth hangs from it, and
/// falls when the vertex is released. A replay has the same bits.
#[test]
fn a_corner_of_a_cloth_is_pulled() {
    let mut bed = start("cloth", 12);
    run(&mut bed, 90);
    let cloth = soft_bodies(&bed)[0];
    let position_of =
        |bed: &Testbed, vertex: u32| bed.world().soft_body(cloth).unwrap().positions()[vertex as usize];
    bed.record().unwrap();
    let from = position_of(&bed, 0);
    let to = from + Vec3::new(0.0, 1.6, 0.0);
    // The ray passes beside the corner by less than the tolerance.
    bed.act(&grab_at(from + Vec3::new(-0.01, 0.0, 0.0))).unwrap();
    bed.act(&Action::Drag { to: to.to_array() }).unwrap();
    run(&mut bed, 1);
    // If the cloth lies in folds, a vertex above the corner is taken.
    let held: Vec<u32> = bed.world().soft_body(cloth).unwrap().pinned().collect();
    let &[held] = &held[..] else { panic!("{held:?} are held") };
    let aside = (position_of(&bed, held) - from).with_y(0.0).length();
    assert!(aside < 0.1, "vertex {held}, {aside} aside");
    run(&mut bed, 89);
    assert!(position_of(&bed, held).distance(to) < 0.02, "{} to {to}", position_of(&bed, held));
    let heights = bed.world().soft_body(cloth).unwrap().positions().iter();
    let n_lifted = heights.filter(|position| 1.2 < position.y).count();
    assert!(5 < n_lifted, "{n_lifted} vertices are lifted");
    bed.act(&Action::Release).unwrap();
    assert_eq!(bed.world().soft_body(cloth).unwrap().pinned().count(), 0);
    run(&mut bed, 90);
    assert!(position_of(&bed, held).y < to.y - 0.5, "it falls");
    bed.end_recording().unwrap();
    bed.start_replay().unwrap();
    run(&mut bed, 180);
    assert_eq!(bed.replay(), Some(ReplayOutcome::Same));
}

/// A drag does not take vertices that the scene holds, but a free one beside them.
#[test]
fn pinned_and_attached_vertices_are_not_taken() {
    let mut bed = start("playground", 4);
    run(&mut bed, 30);
    let bound = |bed: &Testbed| -> Vec<Vec<u32>> {
        let bodies = soft_bodies(bed);
        let of = |id: &SoftBodyId| {
            let body = bed.world().soft_body(*id).unwrap();
            body.pinned().chain(body.attached().map(|(vertex, _)| vertex)).collect()
        };
        bodies.iter().map(of).collect()
    };
    let before = bound(&bed);
    let mut n_taken = 0;
    for (id, held) in soft_bodies(&bed).into_iter().zip(&before) {
        for vertex in held {
            let at = bed.world().soft_body(id).unwrap().positions()[*vertex as usize];
            bed.act(&grab_at(at)).unwrap();
            n_taken += usize::from(bound(&bed) != before);
            run(&mut bed, 3);
            bed.act(&Action::Release).unwrap();
            assert_eq!(bound(&bed), before);
        }
    }
    assert_eq!(n_taken, 0, "a grab alone pins nothing");
    assert!(5 <= before.iter().flatten().count(), "{before:?}");
}

/// Water is lifted out of the tank, and falls back.
#[test]
fn some_water_is_lifted() {
    let mut bed = start("raft", 1);
    run(&mut bed, 30);
    let water = water(&bed);
    let positions = |bed: &Testbed| bed.world().particles(water).unwrap().positions().to_vec();
    let top = positions(&bed).into_iter().filter(|p| p.x.abs().max(p.z.abs()) < 0.4);
    let top = top.max_by(|a, b| a.y.total_cmp(&b.y)).unwrap();
    bed.act(&grab_at(top)).unwrap();
    bed.act(&Action::Drag { to: (top + Vec3::Y).to_array() }).unwrap();
    run(&mut bed, 60);
    let n_lifted = positions(&bed).iter().filter(|p| top.y + 0.5 < p.y).count();
    assert!(5 < n_lifted, "{n_lifted} particles are lifted");
    bed.act(&Action::Release).unwrap();
    run(&mut bed, 90);
    let n_left = positions(&bed).iter().filter(|p| top.y + 0.5 < p.y).count();
    assert!(n_left == 0, "{n_left} of {n_lifted} have not fallen");
}

/// An eye outside of a tank or a pit is in the half-space of a wall. A drag still takes hold of
/// things inside.
#[test]
fn walls_that_the_eye_is_in_hide_nothing() {
    for name in ["raft", "pile"] {
        let mut bed = start(name, 40);
        run(&mut bed, 60);
        let (origin, to) = (Vec3::new(40.0, 30.0, 40.0), Vec3::Y * 0.25);
        let grab = Action::Grab { origin: origin.to_array(), direction: (to - origin).to_array() };
        bed.act(&grab).unwrap();
        assert!(bed.drag().is_some(), "{name}");
    }
}

/// The first thing on a ray is taken: the cloth over the ball, the ball below its edge.
#[test]
fn the_first_thing_on_the_ray_is_taken() {
    let mut bed = start("cloth", 12);
    run(&mut bed, 90);
    let taken = |bed: &mut Testbed, origin: [f32; 3], direction: [f32; 3]| {
        bed.act(&Action::Grab { origin, direction }).unwrap();
        let held = bed.drag().map(|drag| drag.held.clone());
        bed.act(&Action::Release).unwrap();
        held
    };
    let above = taken(&mut bed, [0.1, 5.0, 0.0], [0.0, -1.0, 0.0]);
    assert!(matches!(above, Some(DragTarget::Vertex { .. })), "{above:?}");
    // From below the floor the ball is met before the cloth. The floor is a half-space, so the ray
    // starts above it.
    let below = taken(&mut bed, [0.0, 0.02, 0.05], [0.0, 1.0, 0.0]);
    assert!(matches!(below, Some(DragTarget::Body { .. })), "{below:?}");
    assert!(taken(&mut bed, [30.0, 5.0, 0.0], [0.0, -1.0, 0.0]).is_none(), "the floor");
    assert!(taken(&mut bed, [0.0, 5.0, 0.0], [0.0, 1.0, 0.0]).is_none(), "the sky");
}

/// A recording that is started during a replay ends the replay, and with it the drag that the
/// replay repeats: no pointer could release it.
#[test]
fn a_recording_during_a_replay_holds_nothing() {
    let mut bed = start("cloth", 12);
    run(&mut bed, 90);
    let cloth = soft_bodies(&bed)[0];
    let corner = bed.world().soft_body(cloth).unwrap().positions()[0];
    bed.record().unwrap();
    bed.act(&grab_at(corner)).unwrap();
    bed.act(&Action::Drag { to: (corner + Vec3::Y).to_array() }).unwrap();
    run(&mut bed, 30);
    bed.end_recording().unwrap();
    bed.start_replay().unwrap();
    run(&mut bed, 10);
    assert!(bed.drag().is_some());
    bed.record().unwrap();
    assert!(bed.drag().is_none() && bed.replay().is_none());
    assert_eq!(bed.world().soft_body(cloth).unwrap().pinned().count(), 0);
    run(&mut bed, 10);
    bed.end_recording().unwrap();
}
