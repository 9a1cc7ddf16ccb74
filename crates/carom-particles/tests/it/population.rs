//! Particles that come and go while a solver runs.

use crate::blocks::{add_tank, block, positions, velocities};
use carom_math::Vec3;
use carom_particles::{
    ContactTarget, Gas, Grains, Liquid, ParticleBody, ParticleError, ParticleEvent, ParticleSettings,
    ParticleSolver, Rope, RopeSettings, ShapeMatching, Solid, SolidPass, Surface, Surroundings,
};

const DT: f32 = 1.0 / 60.0;

fn step(solver: &mut ParticleSolver, bodies: &mut [Box<dyn ParticleBody>]) {
    let mut constraints = |pass: &mut SolidPass<'_>| {
        bodies.iter_mut().for_each(|body| pass.project(&mut **body).unwrap());
    };
    let mut around = Surroundings { constraints: Some(&mut constraints), ..Surroundings::default() };
    solver.step_in(DT, &mut around).unwrap();
}

/// Water, sand, a rope and a rigid block; half of the water and the rope are removed. The rest
/// has its positions and velocities, its new numbers, its contacts, and goes on.
#[test]
fn what_is_left_after_a_removal_goes_on() {
    let spacing = 0.1;
    let settings = ParticleSettings::new(0.5 * spacing).with_contacts(true);
    let mut solver = ParticleSolver::new(settings).unwrap();
    add_tank(&mut solver, 1.0, 0.6, &Surface::default());
    let water = solver.add_liquid(&Liquid::default(), &block([4, 3, 6], spacing, Vec3::ZERO)).unwrap();
    let line = block([6, 1, 1], spacing, Vec3::new(0.2, 0.5, 0.2));
    let line_added = solver.add_solid(&Solid::default(), &line, &[2.0; 6]).unwrap();
    let sand =
        solver.add_grains(&Grains::default(), &block([3, 2, 3], spacing, Vec3::new(0.6, 0.0, 0.3))).unwrap();
    let stone = block([2, 2, 2], spacing, Vec3::new(0.65, 0.3, 0.1));
    let stone_added = solver.add_solid(&Solid::default(), &stone, &[0.5; 8]).unwrap();
    let rope = Rope::new(line_added.indices.start as usize, &line, &RopeSettings::default()).unwrap();
    let rigid = ShapeMatching::rigid(stone_added.indices.start as usize, &stone).unwrap();
    let mut bodies: Vec<Box<dyn ParticleBody>> = vec![Box::new(rope), Box::new(rigid)];
    (0..40).for_each(|_| step(&mut solver, &mut bodies));

    let before = solver.save();
    let refused = solver.remove_where(|id| id == line_added.ids.start + 2).unwrap_err();
    assert_eq!(refused, ParticleError::PartOfSolid { particle: line_added.ids.start + 2 });
    assert!(solver.save() == before, "nothing has changed");
    let nothing = solver.remove_where(|_| false).unwrap();
    assert!(solver.save() == before && nothing.ids.iter().zip(0..).all(|(new, old)| *new == Some(old)));

    let old = [positions(&solver), velocities(&solver)];
    let old_contacts = solver.contacts().to_vec();
    let is_removed = |id: u32| line_added.ids.contains(&id) || water.contains(&id) && id.is_multiple_of(2);
    let removed = solver.remove_where(is_removed).unwrap();
    let new = [positions(&solver), velocities(&solver)];
    assert_eq!(new[0].len(), old[0].len() - 6 - water.len() / 2);
    let mut next = 0;
    for id in 0..old[0].len() {
        match removed.ids[id] {
            Some(number) => {
                assert_eq!(number, next, "without gaps, in order");
                assert_eq!(new.each_ref().map(|all| all[number as usize]), old.each_ref().map(|all| all[id]));
                next += 1;
            }
            None => assert!(is_removed(id as u32)),
        }
    }
    let indices: Vec<Option<u32>> = (0..6).map(|_| None).chain((0..8).map(Some)).collect();
    assert_eq!(removed.indices, indices);
    // Contacts of the step before are those of what is left.
    let kept = old_contacts.iter().filter(|contact| {
        let other = if let ContactTarget::Particle(other) = contact.touched { other } else { u32::MAX };
        !is_removed(contact.particle) && !is_removed(other)
    });
    assert_eq!(solver.contacts().len(), kept.count());
    assert!(solver.contacts().is_sorted_by_key(|contact| (contact.particle, contact.touched)));

    bodies.remove(0);
    let first = removed.indices[stone_added.indices.start as usize].unwrap();
    bodies[0].move_to(first as usize);
    assert_eq!(bodies[0].particles(), 0..8);
    let mut loaded = ParticleSolver::load(&solver.save()).unwrap();
    let mut other_bodies: Vec<Box<dyn ParticleBody>> =
        vec![Box::new(ShapeMatching::rigid(0, &stone).unwrap())];
    for i in 0..60 {
        step(&mut solver, &mut bodies);
        if i == 0 {
            step(&mut loaded, &mut other_bodies);
            // Contacts that last do not begin again.
            let n_began = solver.events().iter().filter(|e| matches!(e, ParticleEvent::Began(..))).count();
            assert!(n_began < solver.contacts().len() / 4, "{n_began} of {}", solver.contacts().len());
        }
    }
    let points = positions(&solver);
    let of_stone: Vec<Vec3> =
        stone_added.ids.map(|id| points[removed.ids[id as usize].unwrap() as usize]).collect();
    let mut off = 0.0_f32;
    for i in 0..8 {
        for j in 0..i {
            off = off.max((of_stone[i].distance(of_stone[j]) - stone[i].distance(stone[j])).abs());
        }
    }
    let of_sand = sand.map(|id| removed.ids[id as usize].unwrap());
    let lowest = of_sand.map(|id| points[id as usize].y).fold(1.0, f32::min);
    println!("the block is off by {off}, the lowest grain at {lowest}");
    assert!(off < 0.01 && 0.04 < lowest);
}

/// A tap: rows of water come at a steady rate and go below a height, for as many steps as one
/// likes. The group stays when all of its particles are gone.
#[test]
fn a_tap_runs_on_few_particles() {
    let spacing = 0.1;
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.5 * spacing)).unwrap();
    let first = solver.add_liquid(&Liquid::default(), &[Vec3::ZERO]).unwrap().start;
    let water = solver.group_of(first).unwrap();
    solver.remove_where(|_| true).unwrap();
    assert_eq!((solver.n_particles(), solver.group_of(first)), (0, None));
    let nozzle = block([3, 1, 3], spacing, Vec3::new(-0.15, -0.05, -0.15));
    // A row has left the nozzle when the next one comes.
    let (speed, mut most, mut n_emitted, mut worst) = (3.0_f32, 0, 0, [0.0_f32; 2]);
    let down = vec![Vec3::Y * -speed; nozzle.len()];
    for frame in 0..240 {
        if frame % 2 == 0 {
            let ids = solver.emit(water, &nozzle, &down).unwrap();
            assert_eq!(ids.len(), 9);
            assert_eq!(solver.velocity(ids.start), Some(down[0]));
            n_emitted += ids.len();
        }
        solver.step(DT).unwrap();
        let points = positions(&solver);
        for (position, velocity) in points.iter().zip(velocities(&solver)) {
            let wanted = (speed * speed - 2.0 * 9.81 * position.y).max(0.0).sqrt();
            let aside = Vec3::new(position.x, 0.0, position.z).length();
            worst = [worst[0].max((velocity.length() - wanted).abs()), worst[1].max(aside)];
        }
        solver.remove_where(|id| points[id as usize].y < -1.5).unwrap();
        most = most.max(solver.n_particles());
    }
    println!("{n_emitted} came, at most {most} at a time; {worst:?} off free fall and the axis");
    assert_eq!(n_emitted, 1080);
    assert!(80 < most && most < 120, "{most}");
    // It falls freely, and stays a jet.
    assert!(worst[0] < 0.3 && worst[1] < 0.3, "{worst:?}");
}

#[test]
fn emission_into_nothing_is_refused() {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
    let rope = solver.add_solid(&Solid::default(), &[Vec3::ZERO], &[1.0]).unwrap();
    assert_eq!(solver.group_of(rope.ids.start), None);
    let mut other = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
    other.add_grains(&Grains::default(), &[]).unwrap();
    let gas = other.add_gas(&Gas::default(), &[Vec3::ZERO]).unwrap().start;
    let gas = other.group_of(gas).unwrap();
    let refused = solver.emit(gas, &[Vec3::ZERO], &[Vec3::ZERO]);
    assert_eq!(refused, Err(ParticleError::NoSuchGroup));
    let before = other.save();
    let refused = other.emit(gas, &[Vec3::ZERO; 2], &[Vec3::ZERO]);
    assert_eq!(refused, Err(ParticleError::WrongCount { expected: 2, given: 1 }));
    let refused = other.emit(gas, &[Vec3::ONE, Vec3::NAN], &[Vec3::ZERO; 2]);
    assert_eq!(refused, Err(ParticleError::BadParticle { particle: 1 }));
    let refused = other.emit(gas, &[Vec3::ONE; 2], &[Vec3::INFINITY, Vec3::ZERO]);
    assert_eq!(refused, Err(ParticleError::BadParticle { particle: 0 }));
    assert!(other.save() == before);
}

/// A group that lost all particles has the same number after a restore, and is that of the next
/// ones.
#[test]
fn a_group_without_particles_is_found_by_its_number() {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
    solver.add_solid(&Solid::default(), &[Vec3::Y], &[1.0]).unwrap();
    let first = solver.add_liquid(&Liquid::default(), &[Vec3::ZERO]).unwrap().start;
    let group = solver.group_of(first).unwrap();
    solver.remove_where(|particle| particle == first).unwrap();
    let mut same = ParticleSolver::load(&solver.save()).unwrap();
    for solver in [&mut solver, &mut same] {
        assert_eq!(solver.group(group.number()), Some(group));
        assert_eq!((solver.group(0), solver.group(2), solver.group(u32::MAX)), (None, None, None));
        let next = solver.emit(group, &[Vec3::X], &[Vec3::Y]).unwrap().start;
        assert_eq!(solver.group_of(next), Some(group));
    }
    assert_eq!(solver.save(), same.save());
}
