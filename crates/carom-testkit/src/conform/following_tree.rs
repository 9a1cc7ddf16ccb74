//! Trees that follow a deforming mesh: after any motion or edit, the answers are those of brute
//! force, bit for bit.

use crate::random::Random;
use carom_bounds::{Aabb, BoundingVolume};
use carom_deform::{
    DeformableMesh, FeaturePair, FeatureSearch, FollowingTree, NearPair, PairKind, RefitTree, TreeWork,
};
use glam::Vec3;

/// The largest set of candidates that is tested further. Larger sets are only compared with brute
/// force.
const MAX_TESTED: usize = 3000;

/// Runs random sequences of motions, edits and queries over each mesh. Compares with brute force,
/// and with trees that are refitted in each step. Panics at the first difference, with the mesh and
/// the step.
pub fn check<T: FollowingTree>(name: &str, meshes: &[DeformableMesh], seed: u64) {
    let (mut done, mut n_pairs) = ([0; 9], 0);
    for (i, mesh) in meshes.iter().enumerate() {
        let mut random = Random::new(seed + i as u64);
        let mut both = Both {
            ours: mesh.clone().with_trees::<T>(),
            reference: mesh.clone().with_trees(),
            home: mesh.positions().to_vec(),
            search: FeatureSearch::default(),
        };
        for step in 0..28 {
            let what = format!("{name}, mesh {i}, step {step}");
            let kind = random.below(9);
            done[kind] += 1;
            match kind {
                0..3 => both.motion(&mut random),
                3..5 => both.edit(&mut random, &what),
                5..7 => both.query_boxes(&mut random, &what),
                7 => n_pairs += both.query_candidates(&what),
                _ => n_pairs += both.query_pairs(&mut random, &what),
            }
        }
        n_pairs += both.query_candidates(name) + both.query_pairs(&mut random, name);
    }
    assert!(
        done.iter().all(|&n| meshes.len() < n) && 100 * meshes.len() < n_pairs,
        "{name}: {done:?} {n_pairs}"
    );
}

/// Checks that answers and work of the trees on two and seven threads equal those on one. The mesh
/// must be large enough for threads.
pub fn check_threads<T: FollowingTree>(name: &str, mesh: &DeformableMesh) {
    let with = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| frames(mesh.clone().with_trees::<T>()))
    };
    let one = with(1);
    for n in [2, 7] {
        assert!(with(n) == one, "{name}, {n} threads");
    }
}

/// Returns the answers and the work of some frames of motion, tears and searches.
fn frames<T: FollowingTree>(mut mesh: DeformableMesh<T>) -> Vec<(Vec<NearPair>, Vec<u32>, [TreeWork; 3])> {
    let mut random = Random::new(3);
    let (mut search, mut frames) = (FeatureSearch::default(), Vec::new());
    for frame in 0..3 {
        let moved: Vec<Vec3> =
            mesh.positions().iter().map(|p| *p + (random.cube_point() * 0.002).as_vec3()).collect();
        mesh.set_positions(&moved).unwrap();
        let torn: Vec<[u32; 2]> =
            (0..200 * frame).map(|_| mesh.edges()[random.below(mesh.edges().len())]).collect();
        mesh.tear(&torn).unwrap();
        let mut faces = Vec::new();
        mesh.collect_faces_touching(&Aabb { min: Vec3::splat(-1.0), max: Vec3::ONE }, &mut faces);
        let pairs = search.within(&mut mesh, 0.01).finish().pairs.to_vec();
        frames.push((pairs, faces, mesh.tree_work()));
    }
    frames
}

/// Checks that frames of motion and queries allocate nothing after warming up, even after an edit.
/// Frames that rebuild a tree or a part of one are left out; they are rare here. `allocations`
/// returns the number of allocations in its argument.
pub fn check_warm<T: FollowingTree>(
    name: &str,
    mesh: &DeformableMesh,
    frames: &[Vec<Vec3>],
    allocations: impl Fn(&mut dyn FnMut()) -> u64,
) {
    let mut mesh = mesh.clone().with_trees::<T>();
    let (mut search, mut faces) = (FeatureSearch::default(), Vec::new());
    for what in ["as built", "torn"] {
        let torn = mesh.edges()[..if what == "torn" { 40 } else { 0 }].to_vec();
        let made = mesh.tear(&torn).unwrap();
        assert_eq!(made.is_empty(), what == "as built");
        let frames: Vec<Vec<Vec3>> = frames
            .iter()
            .map(|frame| frame.iter().copied().chain(made.iter().map(|&from| frame[from as usize])).collect())
            .collect();
        let mut n_still = 0;
        for (i, frame) in frames.iter().cycle().take(80).enumerate() {
            let before = mesh.tree_work().map(|work| work.rebuilds);
            let n_allocations = allocations(&mut || {
                mesh.set_positions(frame).unwrap();
                faces.clear();
                mesh.collect_faces_touching(&Aabb { min: Vec3::ZERO, max: Vec3::splat(0.5) }, &mut faces);
                let mut n_found = search.candidates_within(&mut mesh, 0.1).finish().pairs.len();
                n_found += search.within(&mut mesh, 0.1).finish().pairs.len();
                n_found += search.impacts(&mut mesh).finish().pairs.len();
                n_found += search.crossings(&mut mesh).finish().pairs.len();
                assert!(0 < n_found + faces.len());
            });
            if 20 <= i && mesh.tree_work().map(|work| work.rebuilds) == before {
                assert_eq!(n_allocations, 0, "{name}, {what}, frame {i}");
                n_still += 1;
            }
        }
        assert!(30 < n_still, "{name}, {what}: {n_still}");
    }
}

/// The mesh with the trees under test, and one with the reference trees.
struct Both<T> {
    ours: DeformableMesh<T>,
    reference: DeformableMesh<RefitTree>,
    /// The initial positions.
    home: Vec<Vec3>,
    search: FeatureSearch,
}

impl<T: FollowingTree> Both<T> {
    /// Moves all vertices, sometimes in a degenerate way.
    fn motion(&mut self, random: &mut Random) {
        let now = self.reference.positions();
        let next: Vec<Vec3> = match random.below(8) {
            // Back to the initial positions.
            0 => self.home.clone(),
            1 => now.iter().map(|_| Vec3::splat(0.25)).collect(),
            // The shift is so large that neighbours coincide after rounding.
            2 => now.iter().map(|p| *p + Vec3::new(2_f32.powi(70), 0.0, -1000.0)).collect(),
            // Some jump to the positions of others.
            3 => {
                let mut next = now.to_vec();
                for _ in 0..now.len().div_ceil(8) {
                    next[random.below(now.len())] = now[random.below(now.len())];
                }
                next
            }
            4 => now.to_vec(),
            kind => {
                let size = [0.01, 0.3, 3.0][kind - 5];
                now.iter().map(|p| *p + (random.cube_point() * size).as_vec3()).collect()
            }
        };
        self.ours.set_positions(&next).unwrap();
        self.reference.set_positions(&next).unwrap();
    }

    /// Makes one or several edits, which the trees see at the next query.
    fn edit(&mut self, random: &mut Random, what: &str) {
        for _ in 0..1 + random.below(3) {
            let made = match random.below(5) {
                0..2 => self.part(random),
                2 => self.remove(random),
                3 => self.add(random),
                _ => {
                    let origins = self.reference.remove_unused_vertices();
                    assert_eq!(self.ours.remove_unused_vertices(), origins, "{what}");
                    self.home = origins.iter().map(|&from| self.home[from as usize]).collect();
                    Vec::new()
                }
            };
            for from in made {
                self.home.push(self.home[from as usize]);
            }
        }
        assert_eq!(self.ours.positions(), self.reference.positions(), "{what}");
        assert_eq!(self.ours.edges(), self.reference.edges(), "{what}");
        assert_eq!(self.ours.faces(), self.reference.faces(), "{what}");
    }

    fn part(&mut self, random: &mut Random) -> Vec<u32> {
        let n = 1 + random.below(4);
        let (mesh, ours) = (&mut self.reference, &mut self.ours);
        if !mesh.segments().is_empty() {
            let all = mesh.segments();
            let cut: Vec<u32> = (0..n).map(|_| all[random.below(all.len())][0]).collect();
            ours.cut(&cut).unwrap();
            return mesh.cut(&cut).unwrap();
        }
        if !mesh.tetrahedra().is_empty() {
            let all = mesh.tetrahedra();
            let broken: Vec<[u32; 3]> =
                (0..n).map(|_| all[random.below(all.len())]).map(|[a, _, b, c]| [a, b, c]).collect();
            ours.fracture(&broken).unwrap();
            return mesh.fracture(&broken).unwrap();
        }
        let torn: Vec<[u32; 2]> =
            (0..4 * n).map(|_| mesh.edges()[random.below(mesh.edges().len())]).collect();
        ours.tear(&torn).unwrap();
        mesh.tear(&torn).unwrap()
    }

    /// Removes some elements, and keeps enough.
    fn remove(&mut self, random: &mut Random) -> Vec<u32> {
        let (mesh, ours) = (&mut self.reference, &mut self.ours);
        let all = mesh.segments().len() + mesh.tetrahedra().len();
        let all = if all == 0 { mesh.faces().len() } else { all };
        if all < 12 {
            return Vec::new();
        }
        let gone: Vec<u32> = (0..all / 6).map(|_| random.below(all) as u32).collect();
        if !mesh.segments().is_empty() {
            assert_eq!((mesh.remove_segments(&gone), ours.remove_segments(&gone)), (Ok(()), Ok(())));
        } else if !mesh.tetrahedra().is_empty() {
            assert_eq!((mesh.remove_tetrahedra(&gone), ours.remove_tetrahedra(&gone)), (Ok(()), Ok(())));
        } else {
            assert_eq!((mesh.remove_faces(&gone), ours.remove_faces(&gone)), (Ok(()), Ok(())));
        }
        Vec::new()
    }

    /// Adds elements of old and new vertices.
    fn add(&mut self, random: &mut Random) -> Vec<u32> {
        let (mesh, ours) = (&mut self.reference, &mut self.ours);
        if 200 < mesh.edges().len() {
            return Vec::new();
        }
        let positions: Vec<Vec3> = (0..random.below(4)).map(|_| random.cube_point().as_vec3()).collect();
        let n_vertices = mesh.positions().len() + positions.len();
        let most = [3, 20][random.below(2)];
        let n = 1 + random.below(most);
        let mut any = || random.below(n_vertices) as u32;
        if !mesh.segments().is_empty() {
            let added: Vec<[u32; 2]> = (0..n).map(|_| [any(), any()]).collect();
            assert_eq!(mesh.add_segments(&positions, &added), ours.add_segments(&positions, &added));
        } else if !mesh.tetrahedra().is_empty() {
            let added: Vec<[u32; 4]> = (0..n).map(|_| [any(), any(), any(), any()]).collect();
            assert_eq!(mesh.add_tetrahedra(&positions, &added), ours.add_tetrahedra(&positions, &added));
        } else {
            let added: Vec<[u32; 3]> = (0..n).map(|_| [any(), any(), any()]).collect();
            assert_eq!(mesh.add_faces(&positions, &added), ours.add_faces(&positions, &added));
        }
        self.home.extend(positions);
        Vec::new()
    }

    /// Compares box queries with all boxes.
    fn query_boxes(&mut self, random: &mut Random, what: &str) {
        for _ in 0..1 + random.below(12) {
            let (middle, half) = ((random.cube_point() * 4.0).as_vec3(), random.range(0.0, 0.5) as f32);
            let query = Aabb { min: middle - half, max: middle + half };
            // The previous content of the list must stay.
            let (mut faces, mut edges) = (vec![7], Vec::new());
            self.ours.collect_faces_touching(&query, &mut faces);
            self.ours.collect_edges_touching(&query, &mut edges);
            let mesh = &self.ours;
            let touches = |vertices: &[u32]| aabb(vertices, &[mesh.positions()], 0.0).overlaps(&query);
            let all = (0..).zip(mesh.faces()).filter(|(_, t)| touches(&t[..]));
            assert_eq!(faces[1..], all.map(|(i, _)| i).collect::<Vec<u32>>(), "{what}");
            let all = (0..).zip(mesh.edges()).filter(|(_, e)| touches(&e[..]));
            assert_eq!(edges, all.map(|(i, _)| i).collect::<Vec<u32>>(), "{what}");
        }
    }

    /// Compares the pairs with touching swept boxes with all pairs.
    fn query_candidates(&mut self, what: &str) -> usize {
        let expected = candidates(&self.ours);
        let found = self.search.candidates_over_step(&mut self.ours).finish().pairs;
        assert_eq!(found, expected, "{what}");
        expected.len()
    }

    /// Compares the answers of searches with those of the reference trees.
    fn query_pairs(&mut self, random: &mut Random, what: &str) -> usize {
        let distance = [0.0, 0.125, 0.5][random.below(3)];
        let step = self.search.candidates_over_step(&mut self.reference).finish().pairs.len();
        let near = self.search.candidates_within(&mut self.reference, distance).finish().pairs.len();
        if MAX_TESTED < step.max(near) {
            // If all are at one point, each exact test has its highest cost.
            return 0;
        }
        let expected = self.search.within(&mut self.reference, distance).finish().pairs.to_vec();
        assert_eq!(self.search.within(&mut self.ours, distance).finish().pairs, expected, "{what}");
        let n_pairs = expected.len();
        let expected = self.search.impacts(&mut self.reference).finish().pairs.to_vec();
        assert_eq!(self.search.impacts(&mut self.ours).finish().pairs, expected, "{what}");
        let expected = self.search.crossings(&mut self.reference).finish().pairs.to_vec();
        assert_eq!(self.search.crossings(&mut self.ours).finish().pairs, expected, "{what}");
        n_pairs
    }
}

/// Returns the box of vertices at these moments, grown by half of a thickness and rounded outwards.
fn aabb(vertices: &[u32], moments: &[&[Vec3]], thickness: f32) -> Aabb {
    let mut all = Aabb::EMPTY;
    for moment in moments {
        for &vertex in vertices {
            all = all.merged(&Aabb::from_point(moment[vertex as usize]));
        }
    }
    if thickness == 0.0 {
        return all;
    }
    let (low, high) = (all.min - 0.5 * thickness, all.max + 0.5 * thickness);
    Aabb {
        min: Vec3::from_array(low.to_array().map(f32::next_down)),
        max: Vec3::from_array(high.to_array().map(f32::next_up)),
    }
}

/// Returns all pairs of features without a common vertex whose swept boxes touch, in the order of
/// answers.
fn candidates<T: FollowingTree>(mesh: &DeformableMesh<T>) -> Vec<FeaturePair> {
    let moments = [mesh.before(), mesh.positions()];
    let of = |vertices: &[u32]| aabb(vertices, &moments, mesh.thickness());
    let faces: Vec<Aabb> = mesh.faces().iter().map(|t| of(t)).collect();
    let edges: Vec<Aabb> = mesh.edges().iter().map(|e| of(e)).collect();
    let mut all = Vec::new();
    for &vertex in mesh.surface_vertices() {
        let own = of(&[vertex]);
        for (face, corners) in (0..).zip(mesh.faces()) {
            if faces[face as usize].overlaps(&own) && !corners.contains(&vertex) {
                all.push(FeaturePair { kind: PairKind::VertexFace, a: vertex, b: face });
            }
        }
    }
    for (i, e) in (0..).zip(mesh.edges()) {
        for (j, f) in (0..).zip(mesh.edges()).skip(i as usize + 1) {
            if edges[i as usize].overlaps(&edges[j as usize]) && !e.contains(&f[0]) && !e.contains(&f[1]) {
                all.push(FeaturePair { kind: PairKind::EdgeEdge, a: i, b: j });
            }
        }
    }
    all
}
