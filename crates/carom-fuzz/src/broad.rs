//! Scripts for broad phases, with the answers of brute force as reference.

use crate::bytes::Bytes;
use carom_bounds::{Aabb, Frustum};
use carom_broad::{BroadPhase, BruteForce, Filter, Groups, Mobility, ProxyId, SpatialIndex};
use carom_broad_auto::catalogue::{ALGORITHMS, SpatialBroadPhase, WorldHints};
use carom_math::{Interval, Plane, Ray};
use glam::Vec3;

/// Runs a script on an algorithm that the bytes choose. The same calls give the same answers and
/// the same errors as brute force, and a refused call changes nothing.
pub fn broad(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let listed = &ALGORITHMS[bytes.below(ALGORITHMS.len())];
    // The number of boxes is so large that algorithms with regions make several.
    let bounds = Aabb { min: Vec3::splat(-8.0), max: Vec3::splat(8.0) };
    run(&mut bytes, &mut *listed.make(&WorldHints { bounds, n_boxes: 10_000 }));
}

/// Returns a box, which may be invalid.
pub(crate) fn aabb(bytes: &mut Bytes<'_>) -> Aabb {
    let min = bytes.point_f32();
    match bytes.byte() % 8 {
        0 => Aabb { min, max: bytes.point_f32() },
        1 => Aabb { min, max: min },
        _ => Aabb { min, max: min + bytes.sizes().as_vec3() },
    }
}

/// Returns any filter.
pub(crate) fn filter(bytes: &mut Bytes<'_>) -> Filter {
    let mobility =
        [Mobility::Dynamic, Mobility::Dynamic, Mobility::Fixed, Mobility::Kinematic][bytes.below(4)];
    match bytes.byte() % 4 {
        0 => {
            let groups = |byte: u8| Groups::from_bits_retain(u32::from(byte % 4));
            Filter::new(mobility).with_groups(groups(bytes.byte()), groups(bytes.byte()))
        }
        _ => Filter::new(mobility),
    }
}

fn run(bytes: &mut Bytes<'_>, broad: &mut dyn SpatialBroadPhase) {
    let mut brute = BruteForce::new();
    // All handles, including stale ones, which are used too.
    let mut ids: Vec<ProxyId> = Vec::new();
    let mut n_steps = 0;
    while !bytes.is_empty() && n_steps < 200 {
        n_steps += 1;
        let id = |bytes: &mut Bytes<'_>, ids: &[ProxyId]| ids.get(bytes.below(ids.len().max(1))).copied();
        match bytes.byte() % 16 {
            0..=4 => {
                let (aabb, filter) = (aabb(bytes), filter(bytes));
                let (ours, theirs) = (broad.insert(aabb, filter), brute.insert(aabb, filter));
                assert_eq!(ours, theirs);
                ids.extend(ours);
            }
            5 => {
                let batch: Vec<_> = (0..bytes.below(12)).map(|_| (aabb(bytes), filter(bytes))).collect();
                let (mut ours, mut theirs) = (Vec::new(), Vec::new());
                assert_eq!(broad.insert_batch(&batch, &mut ours), brute.insert_batch(&batch, &mut theirs));
                assert_eq!(ours, theirs);
                ids.extend(ours);
            }
            6..=8 => {
                let moves: Vec<_> =
                    (0..1 + bytes.below(6)).filter_map(|_| Some((id(bytes, &ids)?, aabb(bytes)))).collect();
                assert_eq!(broad.update(&moves), brute.update(&moves));
            }
            9 => {
                let gone: Vec<_> = (0..1 + bytes.below(3)).filter_map(|_| id(bytes, &ids)).collect();
                assert_eq!(broad.remove_batch(&gone), brute.remove_batch(&gone));
            }
            10 => {
                let Some(id) = id(bytes, &ids) else { continue };
                let filter = filter(bytes);
                assert_eq!(broad.set_filter(id, filter), brute.set_filter(id, filter));
            }
            11 => broad.refresh(),
            12 => {
                let (mut ours, mut theirs) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
                broad.events(&mut ours.0, &mut ours.1);
                brute.events(&mut theirs.0, &mut theirs.1);
                assert_eq!(ours, theirs);
            }
            13 => {
                let query = aabb(bytes);
                let (mut ours, mut theirs) = (Vec::new(), Vec::new());
                broad.overlapping(&query, &mut ours);
                brute.overlapping(&query, &mut theirs);
                assert_eq!(ours, theirs, "{query:?}");
                let (point, limit) = (bytes.point_f32(), bytes.float() as f32);
                assert_eq!(broad.nearest(point, limit), brute.nearest(point, limit), "{point} {limit}");
                // The same box as six planes.
                let side = |normal: Vec3, d: f32| Plane { normal, d };
                let frustum = Frustum::new([
                    side(Vec3::X, -query.max.x),
                    side(Vec3::Y, -query.max.y),
                    side(Vec3::Z, -query.max.z),
                    side(Vec3::NEG_X, query.min.x),
                    side(Vec3::NEG_Y, query.min.y),
                    side(point, limit),
                ]);
                if let Ok(frustum) = frustum {
                    broad.in_frustum(&frustum, &mut ours);
                    brute.in_frustum(&frustum, &mut theirs);
                    assert_eq!(ours, theirs, "{frustum:?}");
                }
            }
            14 => {
                let ray = Ray::new(bytes.point_f32(), bytes.point_f32());
                let interval = Interval::new(bytes.float() as f32, bytes.float() as f32);
                let (mut ours, mut theirs) = (Vec::new(), Vec::new());
                broad.ray_hits(&ray, interval, &mut ours);
                brute.ray_hits(&ray, interval, &mut theirs);
                assert_eq!(ours, theirs, "{ray:?} {interval:?}");
            }
            _ => {
                let (mut ours, mut theirs) = (Vec::new(), Vec::new());
                broad.pairs(&mut ours);
                brute.pairs(&mut theirs);
                assert_eq!(ours, theirs);
            }
        }
        broad.validate().unwrap();
        assert_eq!(broad.len(), brute.len());
    }
}
