//! Pairs that touch during a step, against fractions and published queries.

use crate::scenes::{all_pairs, all_pairs_of_two, grid, is_beside, scenes, vertices_of, waves};
use carom_ccd::{Proof, TimeOfImpact};
use carom_deform::{DeformableMesh, FeatureImpact, FeaturePair, FeatureSearch, PairKind};
use carom_testkit::conform::element_ccd::{self, Kind, Query};
use carom_testkit::random::Random;
use glam::{DVec3, Vec3};
use std::collections::HashMap;

fn query(pair: &FeaturePair, a: &DeformableMesh, b: &DeformableMesh) -> Query {
    let [first, second] = vertices_of(pair, a, b);
    let at = |moment: fn(&DeformableMesh) -> &[Vec3]| -> [DVec3; 4] {
        let of = |mesh: &DeformableMesh, vertices: &[u32]| -> Vec<DVec3> {
            vertices.iter().map(|&v| moment(mesh)[v as usize].as_dvec3()).collect()
        };
        let mut all = [of(a, &first), of(b, &second)];
        if pair.kind == PairKind::FaceVertex {
            all.reverse();
        }
        all.concat().try_into().unwrap()
    };
    let kind = if pair.kind == PairKind::EdgeEdge { Kind::EdgeEdge } else { Kind::VertexFace };
    Query { kind, start: at(DeformableMesh::before), end: at(DeformableMesh::positions) }
}

/// One in this many pairs is tested in fractions; all pairs if `CAROM_SLOW` is set.
fn stride() -> usize {
    if std::env::var_os("CAROM_SLOW").is_some() { 1 } else { 20 }
}

/// The boxes of the whole step are farther apart than `reach`.
fn is_far(query: &Query, reach: f64) -> bool {
    let n = if query.kind == Kind::EdgeEdge { 2 } else { 1 };
    let a = [&query.start[..n], &query.end[..n]].concat();
    let b = [&query.start[n..], &query.end[n..]].concat();
    is_beside(&a, &b, reach)
}

/// Checks that pairs that were left out do not touch, and that the times found are right. Returns
/// the numbers of clear, hit and undecided pairs.
fn check(
    found: &[FeatureImpact],
    all: &[FeaturePair],
    a: &DeformableMesh,
    b: &DeformableMesh,
    reach: f64,
    name: &str,
    stride: usize,
) -> [usize; 3] {
    let times: HashMap<FeaturePair, TimeOfImpact> =
        found.iter().map(|impact| (impact.pair, impact.time)).collect();
    assert_eq!(times.len(), found.len(), "{name}: each pair once");
    assert!(found.is_sorted_by_key(|impact| impact.pair), "{name}");
    let mut counts = [0; 3];
    for pair in all.iter().step_by(stride) {
        let query = query(pair, a, b);
        let time = times.get(pair);
        if is_far(&query, reach) {
            assert!(time.is_none(), "{name}: {pair:?}");
            counts[0] += 1;
            continue;
        }
        let until = time.map_or(1.0, |time| time.safe_until(1.0));
        for part in [0.0, 0.37, 1.0] {
            let t = part * until;
            // At the time itself there may be a contact.
            assert!(
                (t == until && time.is_some()) || !query.is_within(t, reach),
                "{name}: {pair:?} touches at {t}"
            );
        }
        match time {
            None | Some(TimeOfImpact::Clear(_)) => counts[0] += 1,
            Some(TimeOfImpact::Hit(hit)) => {
                counts[1] += 1;
                let near = match hit.proof {
                    Proof::Within(distance) => distance,
                    _ => 1e-9 * query.size(),
                };
                assert!(
                    query.is_within(hit.t_hi, near) || query.is_within(hit.t_lo, near),
                    "{name}: {hit:?}"
                );
            }
            Some(TimeOfImpact::Undecided(undecided)) => {
                counts[2] += 1;
                assert!(query.is_within(undecided.t_safe, undecided.distance), "{name}: {undecided:?}");
            }
        }
    }
    counts
}

#[test]
fn every_contact_is_found() {
    let mut search = FeatureSearch::default();
    let mut sums = [0; 3];
    let (mut by_axis, mut by_sign) = (0, 0);
    for mut scene in scenes() {
        let original = scene.mesh.clone();
        let found = search.impacts(&mut scene.mesh).finish();
        (by_axis, by_sign) = (by_axis + found.counters.apart_by_axis, by_sign + found.counters.apart_by_sign);
        let reach = f64::from(original.thickness());
        let counts =
            check(found.pairs, &all_pairs(&original), &original, &original, reach, scene.name, stride());
        sums = [0, 1, 2].map(|i| sums[i] + counts[i]);
    }
    // A fair mix: clear, hit, undecided, and each way to be clear.
    assert!(
        sums.iter().all(|&n| 100 / stride() < n) && 1000 < by_axis && 100 < by_sign,
        "{sums:?} {by_axis} {by_sign}"
    );
}

#[test]
fn every_contact_of_two_meshes_is_found() {
    let mut search = FeatureSearch::default();
    let all = scenes();
    for (i, j) in [(0, 5), (10, 3), (11, 6), (9, 4)] {
        let (mut a, mut b) = (all[i].mesh.clone(), all[j].mesh.clone());
        let reach = 0.5 * (f64::from(a.thickness()) + f64::from(b.thickness()));
        let found = search.impacts((&mut a, &mut b)).finish();
        let pairs = all_pairs_of_two(&all[i].mesh, &all[j].mesh);
        check(found.pairs, &pairs, &all[i].mesh, &all[j].mesh, reach, all[i].name, stride());
    }
}

/// Up to the free step nothing touches, and soon after something does.
#[test]
fn the_free_step_is_free_and_ends_at_a_contact() {
    let mut search = FeatureSearch::default();
    let mut n_stopped = 0;
    for mut scene in scenes() {
        let original = scene.mesh.clone();
        let step = search.impacts(&mut scene.mesh).finish().free_step();
        let reach = f64::from(original.thickness());
        let all: Vec<FeaturePair> = all_pairs(&original)
            .into_iter()
            .filter(|pair| !is_far(&query(pair, &original, &original), reach))
            .step_by(stride())
            .collect();
        for part in [0.5, 1.0 - 2f64.powi(-20)] {
            let t = part * step.fraction;
            let touching = all.iter().find(|pair| query(pair, &original, &original).is_within(t, reach));
            assert!(step.fraction == 0.0 || touching.is_none(), "{}: {touching:?} at {t}", scene.name);
        }
        let Some(pair) = step.pair else {
            assert_eq!((step.fraction, step.n_at_start), (1.0, 0));
            continue;
        };
        n_stopped += 1;
        assert_eq!(step.n_at_start == 0, 0.0 < step.fraction, "{}", scene.name);
        let query = query(&pair, &original, &original);
        assert!(query.is_within(step.fraction, reach + 1e-9 * query.size()), "{}: {step:?}", scene.name);
    }
    assert!(6 <= n_stopped, "{n_stopped}");
}

/// Cheap proofs leave no contact out, even if a vertex ends a few numbers above or below a face.
#[test]
fn nothing_is_lost_at_the_border() {
    let mut random = Random::new(5);
    let mut search = FeatureSearch::default();
    let mut n_touching = 0;
    for _ in 0..300 {
        // A vertex that ends on a moving face, or a few numbers above or below it. A third of the
        // cases are far from the origin.
        let far = if random.below(3) == 0 { Vec3::splat(100.0) } else { Vec3::ZERO };
        let mut point = || random.cube_point().as_vec3() + far;
        let (start, end): ([Vec3; 3], [Vec3; 3]) = ([point(), point(), point()], [point(), point(), point()]);
        let tip = point();
        let middle = (end[0] + end[1] + end[2]) / 3.0;
        let mut positions = [start[0], start[1], start[2], tip, tip + Vec3::X, tip + Vec3::Y];
        let mut mesh = DeformableMesh::from_triangles(&positions, vec![[0, 1, 2], [3, 3, 3]]).unwrap();
        let n_steps = random.below(5) as i32 - 2;
        let mut at = middle;
        for axis in 0..3 {
            for _ in 0..n_steps.abs() {
                at[axis] = if n_steps < 0 { at[axis].next_down() } else { at[axis].next_up() };
            }
        }
        positions[..3].copy_from_slice(&end);
        positions[3] = at;
        mesh.set_positions(&positions).unwrap();
        let original = mesh.clone();
        let found = search.impacts(&mut mesh).finish();
        let counts = check(found.pairs, &all_pairs(&original), &original, &original, 0.0, "border", 1);
        n_touching += counts[1] + counts[2];
    }
    assert!(100 < n_touching, "{n_touching}");
}

/// The published queries whose numbers are `f32`, each in a mesh with a hundred others: no contact
/// is missed.
#[test]
fn no_published_contact_is_missed_in_a_mesh() {
    let Some(all) = element_ccd::published() else { return };
    let is_f32 = |query: &Query| {
        query.start.iter().chain(&query.end).all(|p| p.to_array().iter().all(|&x| f64::from(x as f32) == x))
    };
    let mut search = FeatureSearch::default();
    let (mut n_contacts, mut n_rounded, mut n_found) = (0, 0, 0);
    for kind in [Kind::EdgeEdge, Kind::VertexFace] {
        let queries: Vec<(bool, Query)> =
            all.iter().filter(|(_, query)| query.kind == kind).cloned().collect();
        for chunk in queries.chunks(100) {
            let positions = |moment: fn(&Query) -> [DVec3; 4]| -> Vec<Vec3> {
                chunk.iter().flat_map(|(_, query)| moment(query).map(|p| p.as_vec3())).collect()
            };
            let (start, end) = (positions(|query| query.start), positions(|query| query.end));
            let ids = 0..chunk.len() as u32;
            let mut mesh = match kind {
                Kind::EdgeEdge => {
                    let segments = ids.flat_map(|i| [[4 * i, 4 * i + 1], [4 * i + 2, 4 * i + 3]]).collect();
                    DeformableMesh::from_segments(&start, segments).unwrap()
                }
                Kind::VertexFace => {
                    let triangles =
                        ids.flat_map(|i| [[4 * i; 3], [4 * i + 1, 4 * i + 2, 4 * i + 3]]).collect();
                    DeformableMesh::from_triangles(&start, triangles).unwrap()
                }
            };
            mesh.set_positions(&end).unwrap();
            let original = mesh.clone();
            let found: std::collections::HashSet<FeaturePair> =
                search.impacts(&mut mesh).finish().pairs.iter().map(|impact| impact.pair).collect();
            for (i, (touches, published)) in (0_u32..).zip(chunk) {
                let pair = match kind {
                    Kind::EdgeEdge => {
                        let edge = |v: u32| original.edges().iter().position(|e| e[0] == v || e[1] == v);
                        let (Some(a), Some(b)) = (edge(4 * i), edge(4 * i + 2)) else { continue };
                        FeaturePair { kind: PairKind::EdgeEdge, a: a as u32, b: b as u32 }
                    }
                    Kind::VertexFace => FeaturePair { kind: PairKind::VertexFace, a: 4 * i, b: 2 * i + 1 },
                };
                let is_found = found.contains(&pair);
                n_found += usize::from(is_found);
                if is_f32(published) {
                    n_contacts += usize::from(*touches);
                    assert!(is_found || !touches, "{published:?}");
                } else {
                    n_rounded += 1;
                }
                // The rounded query, at some times.
                let rounded = query(&pair, &original, &original);
                for t in [0.0, 0.25, 0.5, 0.75, 1.0].into_iter().skip(i as usize % stride()).step_by(stride())
                {
                    assert!(is_found || !rounded.is_within(t, 0.0), "{rounded:?} at {t}");
                }
            }
        }
    }
    println!("{n_contacts} contacts, {n_found} pairs found; {n_rounded} queries are no f32");
    assert!(100 < n_contacts, "{n_contacts}");
}

/// A cloth that folds through itself is stopped, and nothing crosses after the free step, decided
/// exactly.
#[test]
fn a_cloth_that_moves_by_free_steps_never_crosses_itself() {
    let mut search = FeatureSearch::default();
    let n = 9;
    let start = waves(n, 0.05, 0.0);
    let mut cloth = DeformableMesh::from_triangles(&start, grid(n)).unwrap().with_thickness(0.0625).unwrap();
    let mut now = start;
    let mut n_short = 0;
    for _ in 0..24 {
        // All vertices move towards one line.
        let wanted: Vec<Vec3> =
            now.iter().map(|p| *p + (Vec3::new(2.0, 0.3 * p.x, p.z) - *p) * 0.25).collect();
        cloth.set_positions(&wanted).unwrap();
        let step = search.impacts(&mut cloth).finish().free_step();
        n_short += u32::from(step.fraction < 1.0);
        // A little less, as the positions are rounded.
        let part = 0.9 * step.fraction as f32;
        let next: Vec<Vec3> = now.iter().zip(&wanted).map(|(p, q)| *p + (*q - *p) * part).collect();
        cloth.set_positions(&now).unwrap();
        cloth.set_positions(&next).unwrap();
        assert!(search.crossings(&mut cloth).finish().pairs.is_empty());
        now = next;
    }
    assert!(3 <= n_short, "{n_short}");
}
