//! The surface of a liquid: closed, outward, without degenerate triangles, and of its volume.

use crate::blocks::{add_tank, block};
use carom_math::Vec3;
use carom_particles::{Liquid, ParticleError, ParticleSettings, ParticleSolver, SurfaceMesh, liquid_surface};
use carom_scenes::Rng;
use std::collections::HashMap;

/// Checks that a mesh is closed, that no triangle is degenerate, and that normals are unit vectors.
/// Returns its volume.
fn check(mesh: &SurfaceMesh, cell: f32) -> f64 {
    let mut edges: HashMap<[u32; 2], i32> = HashMap::new();
    let (mut volume, mut least_area) = (0.0, f32::INFINITY);
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|i| mesh.vertices[i as usize]);
        volume += a.as_dvec3().cross(b.as_dvec3()).dot(c.as_dvec3()) / 6.0;
        least_area = least_area.min((b - a).cross(c - a).length() / (cell * cell));
        for i in 0..3 {
            *edges.entry([triangle[i], triangle[(i + 1) % 3]]).or_default() += 1;
        }
    }
    for (&[a, b], &n) in &edges {
        assert_eq!(edges.get(&[b, a]), Some(&n), "an edge has as many triangles on both sides");
    }
    assert!(1e-5 < least_area, "{least_area}");
    assert_eq!(mesh.normals.len(), mesh.vertices.len());
    assert!(mesh.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-5));
    let mut is_used = vec![false; mesh.vertices.len()];
    mesh.triangles.as_flattened().iter().for_each(|&i| is_used[i as usize] = true);
    assert!(is_used.iter().all(|&is_used| is_used));
    volume
}

/// Particles of a ball on a lattice, of a cube of water, and of one drop. On all sizes of cells.
#[test]
fn surfaces_have_the_volume_of_their_particles() {
    let spacing = 0.1_f32;
    let mut ball = block([12, 12, 12], spacing, Vec3::splat(-0.6));
    ball.retain(|p| p.length() < 0.5);
    let cube = block([10, 10, 10], spacing, Vec3::new(3.0, -7.0, 1.0));
    for (cell, least_part) in [(0.025, 0.92), (0.05, 0.92), (0.1, 0.87)] {
        let wanted = ball.len() as f64 * f64::from(spacing).powi(3);
        let mesh = liquid_surface(&ball, 0.5 * spacing, cell).unwrap();
        let of_ball = check(&mesh, cell) / wanted;
        let outward = mesh.vertices.iter().zip(&mesh.normals).filter(|(p, n)| 0.5 < n.dot(p.normalize()));
        assert_eq!(outward.count(), mesh.vertices.len());
        let radii = mesh.vertices.iter().map(|p| p.length());
        let [least, most] = [radii.clone().fold(1.0, f32::min), radii.fold(0.0, f32::max)];
        let of_cube = check(&liquid_surface(&cube, 0.5 * spacing, cell).unwrap(), cell);
        let drop = check(&liquid_surface(&[Vec3::ONE], 0.5 * spacing, cell).unwrap(), cell);
        let of_drop = drop / (4.0 / 3.0 * core::f64::consts::PI * 0.05_f64.powi(3));
        println!(
            "cell {cell}: ball {of_ball:.3} of its volume, radii {least:.3} to {most:.3}, cube {of_cube:.3}, \
             one drop {of_drop:.3} of a ball; {} triangles",
            mesh.triangles.len()
        );
        assert!((least_part..1.0).contains(&of_ball) && 0.42 < least && most < 0.56);
        assert!((least_part..1.0).contains(&of_cube), "{of_cube}");
        // A drop of one node is smaller.
        assert!(0.0 < of_drop && of_drop < 1.1, "{of_drop}");
    }
    // Flat sides are where the particles end: a slab of 1.2 by 1.2, through its middle.
    let slab = block([12, 6, 12], spacing, Vec3::ZERO);
    let mesh = liquid_surface(&slab, 0.5 * spacing, 0.05).unwrap();
    let top =
        mesh.vertices.iter().filter(|p| (p.x - 0.6).abs() < 0.2 && (p.z - 0.6).abs() < 0.2 && 0.3 < p.y);
    let heights: Vec<f32> = top.map(|p| p.y).collect();
    let mean = heights.iter().sum::<f32>() / heights.len() as f32;
    println!("the top of a slab of 0.6 is at {mean}");
    assert!((mean - 0.6).abs() < 0.02, "{mean}");
}

/// Drops that are apart are apart, and near ones are one. A far one costs nothing.
#[test]
fn drops_are_apart_or_one() {
    let parts = |positions: &[Vec3]| {
        let mesh = liquid_surface(positions, 0.05, 0.05).unwrap();
        check(&mesh, 0.05);
        // The lowest vertex that each one is connected with.
        let mut least: Vec<u32> = (0..mesh.vertices.len() as u32).collect();
        loop {
            let before = least.clone();
            for triangle in &mesh.triangles {
                let lowest = triangle.map(|i| least[i as usize]).into_iter().min().unwrap();
                triangle.iter().for_each(|&i| least[i as usize] = lowest);
            }
            if least == before {
                break;
            }
        }
        least.iter().zip(0..).filter(|&(&lowest, i)| lowest == i).count()
    };
    assert_eq!(parts(&[Vec3::ZERO, Vec3::X * 0.08]), 1);
    for distance in [0.3, 0.35, 0.4, 0.5, 1.0, 1e3] {
        assert_eq!(parts(&[Vec3::ZERO, Vec3::X * distance]), 2, "{distance}");
    }
    assert_eq!(parts(&[Vec3::splat(0.1); 9]), 1);
}

/// The same set of triangles for any number of threads and any order of particles, of splashes,
/// too.
#[test]
fn surfaces_are_closed_and_the_same_on_any_number_of_threads() {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.03)).unwrap();
    let ids = solver.add_liquid(&Liquid::default(), &block([8, 12, 8], 0.06, Vec3::ZERO)).unwrap();
    add_tank(&mut solver, 1.2, 0.48, &Default::default());
    let water = solver.group_of(ids.start).unwrap();
    for frame in 0..40 {
        solver.step(1.0 / 60.0).unwrap();
        if frame % 10 != 9 {
            continue;
        }
        let with = |n_threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            pool.install(|| solver.surface(water, 0.03).unwrap())
        };
        let mesh = with(1);
        let volume = check(&mesh, 0.03) / (768.0 * 0.06_f64.powi(3));
        println!("frame {frame}: {} triangles, {volume:.3} of the volume", mesh.triangles.len());
        assert!((0.85..1.15).contains(&volume), "{volume}");
        assert!(with(2) == mesh && with(7) == mesh);
        let mut positions = Vec::new();
        solver.collect_positions(&mut positions);
        assert!(liquid_surface(&positions, 0.03, 0.03).unwrap() == mesh);
    }
    // Anything: random clouds, in which surfaces touch.
    let mut rng = Rng::new(7);
    for n in [2, 10, 100, 400] {
        let cloud: Vec<Vec3> =
            (0..n).map(|_| Vec3::from_array([0; 3].map(|_: i32| rng.range(-1.0, 1.0) as f32))).collect();
        check(&liquid_surface(&cloud, 0.08, 0.06).unwrap(), 0.06);
    }
}

#[test]
fn no_particles_have_no_surface_and_bad_input_is_refused() {
    assert_eq!(liquid_surface(&[], 0.1, 0.1), Ok(SurfaceMesh::default()));
    for bad in [Vec3::NAN, Vec3::INFINITY, Vec3::X * 1e30, Vec3::Y * f32::MAX] {
        let refused = liquid_surface(&[Vec3::ZERO, bad], 0.1, 0.1);
        assert_eq!(refused, Err(ParticleError::BadParticle { particle: 1 }));
    }
    for radius in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let refused = liquid_surface(&[], radius, 0.1).unwrap_err();
        assert!(matches!(refused, ParticleError::BadSetting { name: "radius", .. }));
    }
    for cell in [0.0, 0.049, 0.201, f32::NAN, f32::INFINITY] {
        let refused = liquid_surface(&[], 0.1, cell).unwrap_err();
        assert!(matches!(refused, ParticleError::BadSetting { name: "cell", .. }));
    }
    // Tiny and huge lengths.
    for scale in [1e-15, 1e15] {
        let mesh = liquid_surface(&[Vec3::ZERO], scale, scale).unwrap();
        assert!(!mesh.triangles.is_empty() && mesh.vertices.iter().all(|p| p.is_finite()), "{scale}");
    }
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
    let id = solver.add_liquid(&Liquid::default(), &[Vec3::ZERO]).unwrap().start;
    let water = solver.group_of(id).unwrap();
    assert!(!solver.surface(water, 0.05).unwrap().triangles.is_empty());
    let other = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
    assert_eq!(other.surface(water, 0.05), Err(ParticleError::NoSuchGroup));
}
