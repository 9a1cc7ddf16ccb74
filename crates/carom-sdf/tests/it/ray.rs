//! Rays: thick walls are not passed, and misses are certain.

use crate::bake::brute;
use crate::scenes::{closed, cuboid, mesh, open_box};
use carom_geom::TriMesh;
use carom_geom::ray_mesh::line_touches;
use carom_math::Ray;
use carom_scenes::Rng;
use carom_scenes::mesh::terrain;
use carom_sdf::{Accuracy, BakeSettings, Field, RayOutcome, SdfGrid, SparseSdf};
use glam::{DVec3, Vec3};

/// The first point of a ray on a mesh.
fn first_hit(mesh: &TriMesh, ray: &Ray) -> Option<f64> {
    let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
    mesh.iter_corners()
        .filter_map(|t| line_touches(origin, direction, &t).map(|hit| hit.t))
        .filter(|t| 0.0 <= *t)
        .reduce(f64::min)
}

fn rays(field: &impl Field, n: usize, seed: u64) -> Vec<Ray> {
    let mut rng = Rng::new(seed);
    let bounds = field.grid().aabb();
    let middle = 0.5 * (bounds.min + bounds.max);
    let mut unit = || Vec3::new(rng.unit() as f32, rng.unit() as f32, rng.unit() as f32) - 0.5;
    (0..n)
        .map(|i| {
            let (from, to) = (middle + unit() * bounds.extents() * 3.0, middle + unit() * bounds.extents());
            let direction = match i % 10 {
                0 => Vec3::X,
                1 => Vec3::NEG_Y,
                2 => (to - from) * 100.0,
                _ => to - from,
            };
            Ray::new(if i % 10 < 2 { to - direction * 4.0 } else { from }, direction)
        })
        .collect()
}

#[test]
fn hits_are_near_the_surface_and_misses_are_certain() {
    let (mut n_hits, mut n_misses, mut n_undecided) = (0, 0, 0);
    for (name, mesh) in closed() {
        for band in [2.0, f32::INFINITY] {
            let settings = BakeSettings::default().with_resolution(18).with_band(band);
            let field = SdfGrid::from_mesh(&mesh, &settings).unwrap();
            let sparse = SparseSdf::from_mesh(&mesh, &settings).unwrap();
            for ray in rays(&field, 150, 21) {
                let found = field.cast_ray(&ray, f64::INFINITY);
                assert_eq!(found, sparse.cast_ray(&ray, f64::INFINITY), "{name}");
                let truth = first_hit(&mesh, &ray);
                if let Some(t) = truth {
                    assert!(found.clear_until <= t * (1.0 + 1e-9), "{name}: {found:?} {t}");
                }
                match found.outcome {
                    RayOutcome::Hit(hit) => {
                        n_hits += 1;
                        assert!(found.clear_until <= hit.t);
                        assert!(brute(&mesh, hit.point) <= field.error_bound(), "{name}: {hit:?}");
                        assert!((hit.normal.length() - 1.0).abs() < 1e-9);
                    }
                    RayOutcome::Miss => {
                        n_misses += 1;
                        assert_eq!((truth, found.clear_until), (None, f64::INFINITY), "{name}");
                    }
                    _ => n_undecided += 1,
                }
            }
        }
    }
    assert!(400 < n_hits && 200 < n_misses && n_undecided < n_hits / 2, "{n_hits} {n_misses} {n_undecided}");
}

#[test]
fn no_wall_thicker_than_twice_the_error_is_passed() {
    let mut rng = Rng::new(5);
    for _ in 0..40 {
        let field = |thickness: f32| {
            let wall = cuboid([0.0, -1.0, -1.0], [thickness, 1.0, 1.0]);
            SdfGrid::from_mesh(&wall, &BakeSettings::default().with_cell(0.125)).unwrap()
        };
        let thick = field(0.0625);
        let bound = 2.0 * thick.error_bound() as f32;
        let shift = rng.unit() as f32 * 0.125;
        let wall = cuboid([shift, -1.0, -1.0], [shift + bound, 1.0, 1.0]);
        let field = SdfGrid::from_mesh(&wall, &BakeSettings::default().with_cell(0.125)).unwrap();
        let from = Vec3::new(-2.0, rng.unit() as f32 - 0.5, rng.unit() as f32 - 0.5);
        let to = Vec3::new(2.0, rng.unit() as f32 - 0.5, rng.unit() as f32 - 0.5);
        let found = field.cast_ray(&Ray::new(from, to - from), 1.0);
        assert!(found.hit().is_some(), "{found:?}");
        // A thin wall between nodes may be passed, and that is not called a miss.
        let found = thick.cast_ray(&Ray::new(from, to - from), 1.0);
        assert!(found.outcome != RayOutcome::Miss, "{found:?}");
    }
}

#[test]
fn a_ray_stands_still_begins_inside_or_is_none() {
    let mesh = cuboid([-1.0; 3], [1.0; 3]);
    let field = SdfGrid::from_mesh(&mesh, &BakeSettings::default().with_cell(0.25)).unwrap();
    let cast =
        |origin: Vec3, direction: Vec3, max_t: f64| field.cast_ray(&Ray::new(origin, direction), max_t);
    assert_eq!(cast(Vec3::ZERO, Vec3::X, 9.0).hit().map(|hit| hit.t), Some(0.0));
    assert_eq!(cast(Vec3::ZERO, Vec3::ZERO, 9.0).hit().map(|hit| hit.t), Some(0.0));
    assert_eq!(cast(Vec3::splat(1.4), Vec3::ZERO, f64::INFINITY).outcome, RayOutcome::Miss);
    assert_eq!(cast(Vec3::splat(50.0), Vec3::X, 9.0).outcome, RayOutcome::Miss);
    let short = cast(Vec3::new(-3.0, 0.0, 0.0), Vec3::X, 1.5);
    assert_eq!((short.outcome, short.clear_until), (RayOutcome::Miss, 1.5));
    let hit = cast(Vec3::new(-3.0, 0.0, 0.0), Vec3::X, 9.0).hit().unwrap();
    assert!((hit.t - 2.0).abs() < 1e-9 && hit.normal == DVec3::NEG_X);
    for ray in [
        cast(Vec3::NAN, Vec3::X, 9.0),
        cast(Vec3::ZERO, Vec3::INFINITY, 9.0),
        cast(Vec3::ZERO, Vec3::X, f64::NAN),
        cast(Vec3::ZERO, Vec3::X, -1.0),
    ] {
        assert_eq!((ray.outcome, ray.clear_until), (RayOutcome::Undecided, 0.0));
    }
}

#[test]
fn what_is_not_proved_is_not_called_a_miss() {
    let sheet = mesh(&terrain(2.0, 0.3, 8, 3));
    let field = SdfGrid::from_mesh(&sheet, &BakeSettings::default()).unwrap();
    let mut n_crossing = 0;
    for ray in rays(&field, 300, 4) {
        let truth = first_hit(&sheet, &ray);
        let found = field.cast_ray(&ray, f64::INFINITY);
        if let Some(t) = truth {
            n_crossing += 1;
            assert!(found.clear_until <= t * (1.0 + 1e-9) && found.outcome != RayOutcome::Miss);
        }
    }
    assert!(100 < n_crossing);
    // For a combination with an open mesh nothing is proved.
    let field = SdfGrid::from_mesh(&open_box(), &BakeSettings::default().with_resolution(16)).unwrap();
    let estimate = field.union(&field).unwrap();
    assert_eq!(estimate.accuracy(), Accuracy::Estimate);
    for ray in rays(&estimate, 100, 5) {
        let found = estimate.cast_ray(&ray, f64::INFINITY);
        if first_hit(&open_box(), &ray).is_some() {
            assert!(found.outcome != RayOutcome::Miss);
        }
    }
}
