//! Cloth that falls on itself and on obstacles, looked at by exact tests for crossings.

use crate::connected::{Particles, sheet};
use carom_deform::{DeformableMesh, FeatureSearch};
use carom_math::Vec3;
use carom_particles::{
    Cloth, ClothSettings, ConstraintError, FeatureContacts, NearFeatures, SmallSteps, StepMemory,
};
use carom_scenes::Rng;
use carom_scenes::mesh::icosphere;

/// Pairs of features by the exact search of carom-deform.
#[derive(Default)]
struct Finder {
    search: FeatureSearch,
    near: Vec<NearFeatures>,
    n_searches: u32,
}

impl Finder {
    /// All pairs of the cloth, and of the cloth and the obstacle, within a reach.
    fn find(
        &mut self,
        positions: &[Vec3],
        reach: f32,
        cloth: &mut DeformableMesh,
        obstacle: Option<&mut DeformableMesh>,
    ) -> &[NearFeatures] {
        self.n_searches += 1;
        self.near.clear();
        cloth.set_positions(positions).unwrap();
        let found = self.search.within(&mut *cloth, reach).finish().pairs.to_vec();
        for pair in found {
            let stencil = pair.stencil(cloth, cloth);
            self.near.push(NearFeatures {
                particles: stencil.vertices,
                weights: stencil.weights.map(|weight| weight as f32),
                point: Vec3::ZERO,
                is_obstacle: false,
                normal: ((pair.point_a - pair.point_b) / pair.distance).as_vec3(),
                distance: pair.distance as f32,
            });
        }
        let Some(obstacle) = obstacle else { return &self.near };
        let found = self.search.within((&mut *cloth, &mut *obstacle), reach).finish().pairs.to_vec();
        for pair in found {
            let stencil = pair.stencil(cloth, obstacle);
            // A particle without weight stands for each vertex of the obstacle.
            let own = |i: usize| if i < stencil.n_first { i } else { 0 };
            let weight = |i: usize| if i < stencil.n_first { stencil.weights[i] as f32 } else { 0.0 };
            self.near.push(NearFeatures {
                particles: [0, 1, 2, 3].map(|i| stencil.vertices[own(i)]),
                weights: [0, 1, 2, 3].map(weight),
                point: pair.point_b.as_vec3(),
                is_obstacle: true,
                normal: ((pair.point_a - pair.point_b) / pair.distance).as_vec3(),
                distance: pair.distance as f32,
            });
        }
        &self.near
    }

    /// How many pairs of triangles cross, decided exactly.
    fn crossings(
        &mut self,
        positions: &[Vec3],
        cloth: &mut DeformableMesh,
        obstacle: Option<&mut DeformableMesh>,
    ) -> usize {
        cloth.set_positions(positions).unwrap();
        let own = self.search.crossings(&mut *cloth).finish().pairs.len();
        let Some(obstacle) = obstacle else { return own };
        own + self.search.crossings((cloth, obstacle)).finish().pairs.len()
    }
}

/// The outcome of a fall.
struct Fall {
    particles: Particles,
    n_searches: u32,
    /// The most pairs of features of the cloth that were nearer than the thickness.
    n_contacts: usize,
}

/// Lets a cloth fall, and looks for crossings in each frame.
fn fall(
    (mut particles, triangles, settings): (Particles, Vec<[u32; 3]>, ClothSettings),
    spacing: f32,
    n_frames: u32,
    mut obstacle: Option<DeformableMesh>,
    drag: f32,
) -> Fall {
    let rest = particles.positions.clone();
    let mut body = Cloth::new(0, &rest, &triangles, &settings).unwrap();
    let mut mesh = DeformableMesh::from_triangles(&rest, triangles).unwrap();
    let (thickness, reach) = (0.3 * spacing, 0.6 * spacing);
    let mut contacts = FeatureContacts::new(0..rest.len(), thickness, reach, 0.3).unwrap();
    let (mut finder, mut memory) = (Finder::default(), StepMemory::default());
    assert_eq!(finder.crossings(&rest, &mut mesh, obstacle.as_mut()), 0);
    let masses = particles.inverse_masses.clone();
    let mut n_contacts = 0;
    for _ in 0..n_frames {
        let (positions, velocities) = (&mut particles.positions, &mut particles.velocities);
        let collide = |before: &[Vec3], positions: &mut [Vec3]| {
            let drift = |contacts: &FeatureContacts, positions: &[Vec3], is_alone: bool| {
                if is_alone { contacts.mean_motion(positions).unwrap() } else { Vec3::ZERO }
            };
            let is_alone = obstacle.is_none();
            let wanted = drift(&contacts, positions, is_alone);
            if contacts.needs_search(before, positions, wanted).unwrap() {
                let near = finder.find(before, reach, &mut mesh, obstacle.as_mut());
                let is_touching = |pair: &&NearFeatures| !pair.is_obstacle && pair.distance < thickness;
                n_contacts = n_contacts.max(near.iter().filter(is_touching).count());
                contacts.set(before, near).unwrap();
            }
            contacts.project(before, positions, &masses).unwrap();
            let wanted = drift(&contacts, positions, is_alone);
            contacts.limit(positions, wanted).unwrap();
        };
        SmallSteps::default()
            .with_drag(drag)
            .advance(positions, velocities, &masses, 1.0 / 60.0, &mut [&mut body], &mut memory, collide)
            .unwrap();
        assert!(particles.is_finite());
        assert_eq!(finder.crossings(&particles.positions, &mut mesh, obstacle.as_mut()), 0);
    }
    Fall { particles, n_searches: finder.n_searches, n_contacts }
}

/// A square cloth above the origin.
fn cloth_above(n: u32, side: f32, height: f32) -> (Particles, Vec<[u32; 3]>, ClothSettings) {
    let (mut points, triangles) = sheet(n, n, side / (n - 1) as f32);
    points.iter_mut().for_each(|p| *p += Vec3::new(-0.5 * side, height, -0.5 * side));
    let settings = ClothSettings::default().with_bend_stiffness(1e-5).with_damping(2.0);
    (Particles::new(points, 0.2 * side * side / (n * n) as f32), triangles, settings)
}

#[test]
fn cloth_never_crosses_itself_or_a_ball() {
    let n = if std::env::var_os("CAROM_SLOW").is_some() { 41 } else { 17 };
    let ball = icosphere(320).scaled(0.25);
    let obstacle = DeformableMesh::from_triangles(&ball.vertices_f32(), ball.triangles).unwrap();
    let fall = fall(cloth_above(n, 1.0, 0.3), 1.0 / (n - 1) as f32, 60, Some(obstacle), 0.5);
    let lowest = fall.particles.positions.iter().fold(0.0_f32, |low, p| low.min(p.y));
    let middle = fall.particles.positions[(n * n / 2) as usize].y;
    println!("{} searches in 480 substeps, middle at {middle}, lowest at {lowest}", fall.n_searches);
    assert!(0.24 < middle && lowest < 0.0);
}

#[test]
fn cloth_never_passes_over_the_corner_of_a_box() {
    // A box on its corner: no particle need meet the upper corner for an edge of the cloth to.
    let n = if std::env::var_os("CAROM_SLOW").is_some() { 41 } else { 17 };
    let turn = carom_math::Quat::from_rotation_arc(Vec3::ONE.normalize(), Vec3::Y);
    let corners: Vec<Vec3> = (0..8)
        .map(|i| turn * (Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) * 0.4 - 0.2))
        .collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let obstacle = DeformableMesh::from_triangles(&corners, triangles).unwrap();
    let top = corners.iter().fold(0.0_f32, |top, p| top.max(p.y));
    let (mut particles, triangles, settings) = cloth_above(n, 1.0, 0.37);
    // The corner meets the inside of a triangle.
    particles.positions.iter_mut().for_each(|p| *p += Vec3::new(0.011, 0.0, 0.017));
    let fall = fall((particles, triangles, settings), 1.0 / (n - 1) as f32, 60, Some(obstacle), 0.5);
    let lowest = fall.particles.positions.iter().fold(0.0_f32, |low, p| low.min(p.y));
    let highest = fall.particles.positions.iter().fold(-1.0_f32, |high, p| high.max(p.y));
    println!("{} searches, from {lowest} to {highest}, the corner at {top}", fall.n_searches);
    assert!(lowest < 0.0 && top - 0.1 < highest);
}

#[test]
fn a_cloth_that_is_dropped_on_its_edge_folds_onto_itself() {
    let n = if std::env::var_os("CAROM_SLOW").is_some() { 41 } else { 17 };
    let (mut particles, triangles, settings) = cloth_above(n, 1.0, 0.0);
    // Upright and a little bent, above a floor.
    for p in &mut particles.positions {
        *p = Vec3::new(p.x, 0.55 + p.z, 0.02 * (9.0 * p.z).sin() + 0.01 * p.x * p.x);
    }
    let corners = [[-9, -9], [-9, 9], [9, 9], [9, -9]].map(|[x, z]| Vec3::new(x as f32, 0.0, z as f32));
    let floor = DeformableMesh::from_triangles(&corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let fall = fall((particles, triangles, settings), 1.0 / (n - 1) as f32, 60, Some(floor), 1.0);
    let highest = fall.particles.positions.iter().fold(0.0_f32, |high, p| high.max(p.y));
    println!("{} searches in 480 substeps, {} contacts, {highest} high", fall.n_searches, fall.n_contacts);
    assert!(10 < fall.n_contacts && highest < 0.7);
}

/// At speeds of many cells in a substep pushes alone would not do.
#[test]
fn a_cloth_that_is_shot_at_a_ball_does_not_pass() {
    let ball = icosphere(80).scaled(0.25);
    let obstacle = DeformableMesh::from_triangles(&ball.vertices_f32(), ball.triangles).unwrap();
    let (mut particles, triangles, settings) = cloth_above(17, 1.0, 0.3);
    particles.stir(&mut Rng::new(3), 20.0);
    particles.velocities.iter_mut().for_each(|v| v.y -= 40.0);
    let fall = fall((particles, triangles, settings), 1.0 / 16.0, 30, Some(obstacle), 0.5);
    let middle = fall.particles.positions[8 * 17 + 8];
    println!("{} searches, {} contacts, middle at {middle}", fall.n_searches, fall.n_contacts);
    assert!(0.1 < middle.y);
}

/// A cloth far from all else is searched once, as all of it drifts together.
#[test]
fn a_cloth_in_free_fall_is_searched_once() {
    let (particles, triangles, settings) = cloth_above(9, 1.0, 1.0);
    let fall = fall((particles, triangles, settings), 0.125, 30, None, 0.0);
    println!("{} searches", fall.n_searches);
    assert!(fall.n_searches == 1 && fall.particles.positions[0].y < 0.0);
}

#[test]
fn bad_contacts_are_refused_by_name() {
    for (thickness, reach, friction) in
        [(-1.0, 1.0, 0.0), (1.0, 1.0, 0.0), (f32::NAN, 1.0, 0.0), (0.0, f32::INFINITY, 0.0), (0.0, 1.0, -1.0)]
    {
        let refused = FeatureContacts::new(0..4, thickness, reach, friction);
        assert!(matches!(refused, Err(ConstraintError::BadSetting { .. })));
    }
    let mut contacts = FeatureContacts::new(1..5, 0.1, 0.2, 0.5).unwrap();
    let mut positions = vec![Vec3::ZERO; 5];
    let refused = contacts.limit(&mut positions, Vec3::ZERO);
    assert_eq!(refused, Err(ConstraintError::WrongCount { expected: 4, given: 0 }));
    let good = NearFeatures {
        particles: [1, 2, 3, 4],
        weights: [1.0, -0.5, -0.25, -0.25],
        point: Vec3::ZERO,
        is_obstacle: false,
        normal: Vec3::ZERO,
        distance: 0.0,
    };
    let refused = contacts.set(&positions, &[good, NearFeatures { particles: [0, 1, 2, 3], ..good }]);
    assert_eq!(refused, Err(ConstraintError::NoSuchParticle { element: 1 }));
    let refused = contacts.set(&positions, &[NearFeatures { distance: f32::NAN, ..good }]);
    assert_eq!(refused, Err(ConstraintError::BadLink { link: 0 }));
    let refused = contacts.set(&positions[..4], &[]);
    assert_eq!(refused, Err(ConstraintError::WrongCount { expected: 5, given: 4 }));
    // Vertices that touch stay in place; those that are not finite go back; none drifts.
    contacts.set(&positions, &[good]).unwrap();
    contacts.project(&positions.clone(), &mut positions, &[1.0; 5]).unwrap();
    positions[2] = Vec3::NAN;
    positions[3] = Vec3::X;
    positions[4] = Vec3::splat(f32::INFINITY);
    assert_eq!(contacts.limit(&mut positions, Vec3::Y), Ok(3));
    assert!(positions.iter().all(|p| *p == Vec3::ZERO));
}
