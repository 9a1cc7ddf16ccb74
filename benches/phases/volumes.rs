//! Trees of each bounding volume on mesh against mesh, the prediction of the cost function, and the
//! orders of the descent.
//!
//! Every tree has the same splits and leaves, except for two trees of oriented boxes that split
//! along their own axes. The test of two leaves is the same, and each volume is fitted to the
//! triangles. The terms of t = n_v c_v + n_p c_p + n_u c_u (Akenine-Moller et al., Real-Time
//! Rendering, 4th ed., eq. 25.3): n_v tests of two volumes, n_p pairs of triangles in the leaves
//! that were handed out, n_u volumes that were brought into the other frame. Their constants are
//! measured for each volume on one scene, with the walk alone, the leaves alone, and the placing
//! alone. The report has the prediction for the other scenes beside the measurement.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::mesh_pairs::{Body, MeshPair, SCENES, mesh_pair};
use carom_benches::peers::parry;
use carom_benches::{Answers, Comparison, Facts, Row, Runner, Times, Unit, Work, median, thread_ns};
use carom_bounds::{Aabb, BoundingVolume, KDop, Lss, Obb, Rss, Sphere};
use carom_bvh::{
    BoxAxes, BuildSettings, Bvh, Counters, Descent, Leaf, OwnAxes, PairSearch, PairSettings, Relative,
    SplitAt, TreeVolume, Volumes8, visit_leaf_pairs, visit_leaf_pairs_with,
};
use carom_geom::tri_tri_lanes::TriBlock8;
use carom_geom::{TriMesh, tri_distance, tri_tri};
use carom_lanes::{Kernel, Simd, dispatch};
use carom_math::{Pose, WidePose};
use carom_query::{distance, intersects, triangle_pairs};
use glam::{DVec3, Vec3};
use std::cell::RefCell;
use std::hint::black_box;
use std::ops::ControlFlow;

/// The number of triangles in a leaf, which are tested at once.
const MAX_LEAF: u32 = 8;
/// Poses of the distance rows: parry's distance of two meshes takes up to a second.
const DISTANCE_POSES: usize = 3;
/// The scene on which the constants are measured, and the distance within which leaves are gathered
/// there.
const CALIBRATION: &str = "shallow";
const CALIBRATION_POSES: usize = 10;
const CALIBRATION_WITHIN: f64 = 0.01;

/// One mesh with a tree.
struct Side<V: TreeVolume> {
    mesh: TriMesh,
    tree: Bvh<V>,
    /// The triangles of each leaf.
    blocks: Vec<TriBlock8>,
    build_ns: f64,
}

/// Nanoseconds: for a test of two volumes, for a pair of triangles, and for bringing a volume into
/// another frame.
#[derive(Clone, Copy, Debug, Default)]
struct Constants {
    volume: f64,
    primitive: f64,
    transform: f64,
}

impl Constants {
    fn work(&self, counters: &Counters, calls: usize, unit: Unit) -> Work {
        let per = |count: u64| count as f64 / calls.max(1) as f64;
        let (n_v, n_p, n_u) = (per(counters.volume_tests), per(counters.primitives), per(counters.nodes));
        let ns = n_v * self.volume + n_p * self.primitive + n_u * self.transform;
        Work { volume_tests: n_v, primitive_pairs: n_p, volumes_placed: n_u, predicted: ns / unit.ns() }
    }
}

/// Two meshes with trees of one volume.
trait Subject {
    fn name(&self) -> &'static str;
    /// Whether two triangles meet.
    fn meets(&self, pose: &WidePose) -> (bool, Counters);
    /// Finds all pairs that meet, sorted, by the default descent or by another.
    fn pairs(&self, pose: &WidePose, how: Option<&PairSettings>, out: &mut Vec<(u32, u32)>) -> Counters;
    fn distance(&self, pose: &WidePose, search: &mut PairSearch) -> (f64, Counters);
    /// Milliseconds for the first mesh's tree, and its bytes per triangle.
    fn build(&self) -> (f64, f64);
    /// The constants of the overlap and of the distance.
    fn constants(&self, poses: &[WidePose]) -> [Constants; 2];
}

struct Trees<V: TreeVolume> {
    name: &'static str,
    a: Side<V>,
    b: Side<V>,
}

impl<V: TreeVolume> Side<V> {
    fn new(body: &Body, build: impl Fn(&[[Vec3; 3]]) -> Bvh<V>) -> Side<V> {
        let mesh = body.mesh.mesh().clone();
        let triangles: Vec<[Vec3; 3]> = mesh.iter_corners().map(|t| t.map(|p| p.as_vec3())).collect();
        let start = thread_ns();
        let tree = build(&triangles);
        let build_ns = thread_ns() - start;
        let block = |leaf: Leaf<'_>| {
            let corners: Vec<[DVec3; 3]> = leaf.primitives.iter().map(|&t| mesh.corners(t)).collect();
            TriBlock8::new(&corners)
        };
        let blocks = tree.leaves().map(block).collect();
        Side { mesh, tree, blocks, build_ns }
    }

    /// Calls a function with the pairs of triangles of two leaves that may be within a distance,
    /// both in A's frame.
    fn near_pairs(
        &self,
        leaf_a: &Leaf<'_>,
        b: &Side<V>,
        leaf_b: &Leaf<'_>,
        pose: &WidePose,
        within: f64,
        mut pair: impl FnMut((u32, u32), &[DVec3; 3], &[DVec3; 3]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut corners_b = [[DVec3::ZERO; 3]; MAX_LEAF as usize];
        let mut lanes = [0; MAX_LEAF as usize];
        let n = leaf_b.primitives.len();
        for (corners, &triangle) in corners_b.iter_mut().zip(leaf_b.primitives) {
            *corners = b.mesh.corners(triangle).map(|p| pose.transform_point(p));
        }
        self.blocks[leaf_a.index as usize].may_be_near(&corners_b[..n], within, &mut lanes);
        for (i, &triangle_b) in leaf_b.primitives.iter().enumerate() {
            while lanes[i] != 0 {
                let triangle_a = leaf_a.primitives[lanes[i].trailing_zeros() as usize];
                lanes[i] &= lanes[i] - 1;
                pair((triangle_a, triangle_b), &self.mesh.corners(triangle_a), &corners_b[i])?;
            }
        }
        ControlFlow::Continue(())
    }
}

impl<V: TreeVolume> Trees<V> {
    fn new(name: &'static str, pair: &MeshPair, build: impl Fn(&[[Vec3; 3]]) -> Bvh<V>) -> Trees<V> {
        Trees { name, a: Side::new(&pair.a, &build), b: Side::new(&pair.b, &build) }
    }

    /// Adds the pairs of triangles of two leaves that meet.
    fn touching_pairs(
        &self,
        leaves: (&Leaf<'_>, &Leaf<'_>),
        pose: &WidePose,
        mut found: impl FnMut((u32, u32)) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.a.near_pairs(leaves.0, &self.b, leaves.1, pose, 0.0, |numbers, a, b| {
            if tri_tri::intersects(a, b) { found(numbers) } else { ControlFlow::Continue(()) }
        })
    }

    /// Returns the least of `best` and the distances of triangles in two leaves.
    fn nearest(&self, leaves: (&Leaf<'_>, &Leaf<'_>), pose: &WidePose, mut best: f64) -> f64 {
        let _ = self.a.near_pairs(leaves.0, &self.b, leaves.1, pose, best, |_, a, b| {
            best = best.min(tri_distance::closest_points(a, b).distance);
            ControlFlow::Continue(())
        });
        best
    }
}

/// Brings volumes into another frame, as a walk does.
struct TransformVolumes<'a, V: TreeVolume> {
    eights: &'a [V::Volumes8],
    relative: &'a Relative<<V::Volumes8 as Volumes8>::Turn>,
}

impl<V: TreeVolume> Kernel for TransformVolumes<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for volumes in self.eights {
            for lane in 0..8 {
                black_box(volumes.placed(simd, lane, self.relative));
            }
        }
    }
}

/// The median time of one call over five rounds of some milliseconds, for the constants.
fn time(mut work: impl FnMut()) -> f64 {
    let mut once = || {
        let start = thread_ns();
        work();
        (thread_ns() - start).max(1.0)
    };
    let repeats = (4e6 / once().min(once())).ceil().clamp(1.0, 1e4) as u32;
    let mut samples: Vec<f64> =
        (0..5).map(|_| (0..repeats).map(|_| once()).sum::<f64>() / f64::from(repeats)).collect();
    median(&mut samples)
}

impl<V: TreeVolume> Subject for Trees<V> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn meets(&self, pose: &WidePose) -> (bool, Counters) {
        let visit = visit_leaf_pairs(&self.a.tree, &self.b.tree, pose, |leaf_a, leaf_b| {
            self.touching_pairs((&leaf_a, &leaf_b), pose, |_| ControlFlow::Break(()))
        });
        (visit.stopped, visit.counters)
    }

    fn pairs(&self, pose: &WidePose, how: Option<&PairSettings>, out: &mut Vec<(u32, u32)>) -> Counters {
        out.clear();
        let mut leaf = |leaf_a: Leaf<'_>, leaf_b: Leaf<'_>| {
            self.touching_pairs((&leaf_a, &leaf_b), pose, |numbers| {
                out.push(numbers);
                ControlFlow::Continue(())
            })
        };
        let visit = match how {
            None => visit_leaf_pairs(&self.a.tree, &self.b.tree, pose, &mut leaf),
            Some(settings) => visit_leaf_pairs_with(&self.a.tree, &self.b.tree, pose, settings, &mut leaf),
        };
        out.sort_unstable();
        visit.counters
    }

    fn distance(&self, pose: &WidePose, search: &mut PairSearch) -> (f64, Counters) {
        let mut best = f64::INFINITY;
        let (a, b) = (&self.a.tree, &self.b.tree);
        let visit = search.visit_near_leaf_pairs(a, b, pose, f64::INFINITY, |leaf_a, leaf_b, _| {
            best = self.nearest((&leaf_a, &leaf_b), pose, best);
            if best <= 0.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(best) }
        });
        (best, visit.counters)
    }

    fn build(&self) -> (f64, f64) {
        (self.a.build_ns / Unit::Ms.ns(), self.a.tree.quality().bytes_per_primitive)
    }

    fn constants(&self, poses: &[WidePose]) -> [Constants; 2] {
        let (a, b) = (&self.a.tree, &self.b.tree);
        let relative =
            Relative::both_of::<V::Volumes8>(&poses[0], &a.bounds().to_aabb(), &b.bounds().to_aabb()).0;
        let volumes: Vec<V> = (0..4096).map(|lane| a.volume(lane)).filter(|v| *v != V::EMPTY).collect();
        let eights: Vec<V::Volumes8> = volumes
            .chunks_exact(8)
            .map(|chunk| {
                let mut eight = V::Volumes8::EMPTY;
                chunk.iter().enumerate().for_each(|(lane, volume)| eight.set(lane, volume));
                eight
            })
            .collect();
        let transform = time(|| dispatch(TransformVolumes::<V> { eights: &eights, relative: &relative }))
            / (8 * eights.len()) as f64;

        let mut search = PairSearch::default();
        let mut walk = |within: Option<f64>, leaves: &mut dyn FnMut(usize, u32, u32)| {
            let mut sum = Counters::default();
            for (i, pose) in poses.iter().enumerate() {
                sum += match within {
                    None => visit_leaf_pairs(a, b, pose, |leaf_a, leaf_b| {
                        leaves(i, leaf_a.index, leaf_b.index);
                        ControlFlow::Continue(())
                    }),
                    Some(d) => search.visit_near_leaf_pairs(a, b, pose, d, |leaf_a, leaf_b, _| {
                        leaves(i, leaf_a.index, leaf_b.index);
                        ControlFlow::Continue(d)
                    }),
                }
                .counters;
            }
            sum
        };
        [None, Some(CALIBRATION_WITHIN)].map(|within| {
            let mut found = Vec::new();
            let counters = walk(within, &mut |pose, leaf_a, leaf_b| found.push((pose, leaf_a, leaf_b)));
            let walk_ns = time(|| {
                walk(within, &mut |_, leaf_a, _| {
                    black_box(leaf_a);
                });
            });
            let leaves_ns = time(|| {
                for &(pose, leaf_a, leaf_b) in &found {
                    let leaves = (&a.leaf(leaf_a), &b.leaf(leaf_b));
                    match within {
                        None => {
                            let _ = self.touching_pairs(leaves, &poses[pose], |numbers| {
                                black_box(numbers);
                                ControlFlow::Continue(())
                            });
                        }
                        Some(d) => {
                            black_box(self.nearest(leaves, &poses[pose], d));
                        }
                    }
                }
            });
            Constants {
                volume: (walk_ns - counters.nodes as f64 * transform) / counters.volume_tests.max(1) as f64,
                primitive: leaves_ns / counters.primitives.max(1) as f64,
                transform,
            }
        })
    }
}

/// Trees of every volume, each fitted to the triangles below.
fn subjects(pair: &MeshPair) -> Vec<Box<dyn Subject>> {
    let settings = BuildSettings::default().with_max_leaf(MAX_LEAF);
    let boxes = |triangles: &[[Vec3; 3]]| triangles.iter().map(|t| Aabb::from_points(t)).collect::<Vec<_>>();
    let in_boxes =
        |triangles: &[[Vec3; 3]]| Bvh::<Aabb>::build(&boxes(triangles), &settings).expect("finite");
    let in_oriented = |triangles: &[[Vec3; 3]]| {
        Bvh::<Obb>::from_triangles(triangles.len(), |i| triangles[i as usize], &settings).expect("finite")
    };
    let along_own_axes = |triangles: &[[Vec3; 3]], at| {
        let settings = OwnAxes::default().with_split(at).with_max_leaf(MAX_LEAF);
        Bvh::along_own_axes(triangles.len(), |i| triangles[i as usize], &settings).expect("finite")
    };
    fn fitted<V: TreeVolume>(triangles: &[[Vec3; 3]], boxes: &[Aabb], settings: &BuildSettings) -> Bvh<V> {
        let mut points = Vec::new();
        Bvh::fitted(boxes, settings, |primitives| {
            points.clear();
            points.extend(primitives.iter().flat_map(|&i| triangles[i as usize]));
            V::from_points(&points)
        })
        .expect("finite")
    }
    vec![
        Box::new(Trees::new("carom AABB", pair, in_boxes)),
        Box::new(Trees::new("carom OBB", pair, in_oriented)),
        Box::new(Trees::new("carom OBB, own axes", pair, |t| along_own_axes(t, SplitAt::Mean))),
        Box::new(Trees::new("carom OBB, own halves", pair, |t| along_own_axes(t, SplitAt::Median))),
        Box::new(Trees::new("carom 18-DOP", pair, |t| fitted::<KDop<18>>(t, &boxes(t), &settings))),
        Box::new(Trees::new("carom RSS", pair, |t| fitted::<Rss>(t, &boxes(t), &settings))),
        Box::new(Trees::new("carom LSS", pair, |t| fitted::<Lss>(t, &boxes(t), &settings))),
        Box::new(Trees::new("carom sphere", pair, |t| fitted::<Sphere>(t, &boxes(t), &settings))),
    ]
}

fn main() {
    let mut runner = Runner::new("volumes");
    let n_poses = if runner.is_quick() { 10 } else { 100 };
    if !SCENES.iter().any(|scene| runner.wants(scene)) {
        return;
    }
    let mut known: Vec<(&'static str, [Constants; 2])> = Vec::new();
    // The constants are measured first.
    let scenes = [CALIBRATION].into_iter().chain(SCENES.into_iter().filter(|name| *name != CALIBRATION));
    for scene in scenes {
        let is_first = known.is_empty();
        if !(is_first || runner.wants(scene)) {
            continue;
        }
        let mut pair = mesh_pair(scene, n_poses).expect("a scene of that name");
        if scene == "shell" {
            pair.poses.truncate(if runner.is_quick() { 2 } else { 5 });
        }
        let subjects = subjects(&pair);
        if is_first {
            build(&mut runner, &pair, &subjects);
            let poses: Vec<WidePose> = pair.poses.iter().take(CALIBRATION_POSES).map(Pose::wide).collect();
            println!("    {:<16} ns: c_v, c_p, c_u to overlap; c_v, c_p for a distance", CALIBRATION);
            for subject in &subjects {
                let [overlap, distance] = subject.constants(&poses);
                println!(
                    "    {:<16} {:.2}, {:.2}, {:.2}; {:.2}, {:.2}",
                    subject.name(),
                    overlap.volume,
                    overlap.primitive,
                    overlap.transform,
                    distance.volume,
                    distance.primitive
                );
                known.push((subject.name(), [overlap, distance]));
            }
        }
        if runner.wants(scene) {
            comparisons(&mut runner, &pair, &subjects, &known);
            walks(&mut runner, &pair, &subjects, &known);
        }
    }
}

fn constants(known: &[(&'static str, [Constants; 2])], name: &str, query: usize) -> Constants {
    known.iter().find(|(own, _)| *own == name).map(|(_, all)| all[query]).unwrap_or_default()
}

/// Reports the build time and the bytes of each tree.
fn build(runner: &mut Runner, pair: &MeshPair, subjects: &[Box<dyn Subject>]) {
    let times: Vec<Times> = subjects
        .iter()
        .map(|subject| {
            let ns = subject.build().0 * Unit::Ms.ns();
            Times { name: subject.name(), typical: ns, worst: ns }
        })
        .collect();
    let size = pair.a.mesh.mesh().n_triangles() as u64;
    let bytes =
        |name: &str| subjects.iter().find(|subject| subject.name() == name).map(|subject| subject.build().1);
    for subject in subjects {
        println!("    {:<16} {:.1} bytes per triangle", subject.name(), subject.build().1);
    }
    let row = Row { workload: "build, fitted", size, unit: Unit::Ms, per_call: 1 };
    runner.write(row, &Answers::new(), &times, |name| Facts {
        bytes_per_body: bytes(name),
        ..Facts::default()
    });
}

/// Yes or no, all pairs, distance: carom's own query, each volume, and parry.
fn comparisons(
    runner: &mut Runner,
    pair: &MeshPair,
    subjects: &[Box<dyn Subject>],
    known: &[(&'static str, [Constants; 2])],
) {
    let MeshPair { name: scene, a, b, poses } = pair;
    let wide: Vec<WidePose> = poses.iter().map(Pose::wide).collect();
    let peer = |body: &Body| {
        parry::mesh(&body.data.vertices_f32(), &body.data.triangles).expect("parry takes the mesh")
    };
    let (peer_a, peer_b) = (peer(a), peer(b));
    let peer_poses: Vec<_> = poses.iter().map(parry::pose).collect();
    let size = a.mesh.mesh().n_triangles() as u64;
    let here = Pose::IDENTITY;
    let (ours, theirs) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));

    let (mut yes_no, mut all, mut far) = (Answers::new(), Answers::new(), Answers::new());
    let mut work = vec![[Counters::default(); 3]; subjects.len()];
    let n_far = DISTANCE_POSES.min(poses.len());
    let search = RefCell::new(PairSearch::default());
    for (i, pose) in poses.iter().enumerate() {
        let mut expected = Vec::new();
        triangle_pairs(&a.mesh, &here, &b.mesh, pose, &mut expected);
        expected.sort_unstable();
        let away = f64::from(distance(&a.shape, &here, &b.shape, pose).distance);
        for (subject, work) in subjects.iter().zip(&mut work) {
            let what = format!("{scene}, pose {i}, {}", subject.name());
            let found = &mut *ours.borrow_mut();
            work[1] += subject.pairs(&wide[i], None, found);
            all.pairs(&what, &expected, found);
            let (meets, counters) = subject.meets(&wide[i]);
            work[0] += counters;
            yes_no.equal(&what, &!expected.is_empty(), &meets);
            if i < n_far {
                let (found, counters) = subject.distance(&wide[i], &mut search.borrow_mut());
                work[2] += counters;
                far.number(&what, away, found, 1e-6);
            }
        }
        parry::mesh_pairs(&peer_a, &peer_b, &peer_poses[i], false, &mut theirs.borrow_mut());
        let theirs = theirs.borrow();
        yes_no.equal(&format!("{scene}, pose {i}, parry"), &!expected.is_empty(), &!theirs.is_empty());
        // parry's test finds more; the true pairs must be among them.
        let missed = expected.iter().filter(|found| !theirs.contains(found)).count();
        all.equal(&format!("{scene}, pose {i}, missed by parry"), &0, &missed);
    }

    let facts = |query: usize, calls: usize| {
        let work = &work;
        move |name: &str| {
            let i = subjects.iter().position(|subject| subject.name() == name);
            let cost = constants(known, name, usize::from(query == 2));
            Facts { work: i.map(|i| cost.work(&work[i][query], calls, Unit::Us)), ..Facts::default() }
        }
    };
    let row = |workload, n: usize| Row { workload, size, unit: Unit::Us, per_call: n as u64 };

    let name = format!("{scene} yes/no");
    let mut comparison = Comparison::new(yes_no).entry("carom", || {
        for pose in poses {
            black_box(intersects(&a.shape, &here, &b.shape, pose));
        }
    });
    for subject in subjects {
        comparison = comparison.entry(subject.name(), || {
            for pose in &wide {
                black_box(subject.meets(pose));
            }
        });
    }
    let comparison = comparison.entry("parry", || {
        for pose in &peer_poses {
            parry::mesh_pairs(&peer_a, &peer_b, pose, true, &mut theirs.borrow_mut());
        }
    });
    runner.compare_with_facts(row(&name, poses.len()), comparison, facts(0, poses.len()));

    let name = format!("{scene} all pairs");
    let mut comparison = Comparison::new(all).entry("carom", || {
        for pose in poses {
            let found = &mut *ours.borrow_mut();
            found.clear();
            triangle_pairs(&a.mesh, &here, &b.mesh, pose, found);
        }
    });
    for subject in subjects {
        comparison = comparison.entry(subject.name(), || {
            for pose in &wide {
                black_box(subject.pairs(pose, None, &mut ours.borrow_mut()));
            }
        });
    }
    let comparison = comparison.entry("parry", || {
        for pose in &peer_poses {
            parry::mesh_pairs(&peer_a, &peer_b, pose, false, &mut theirs.borrow_mut());
        }
    });
    runner.compare_with_facts(row(&name, poses.len()), comparison, facts(1, poses.len()));

    let name = format!("{scene} distance");
    let mut comparison = Comparison::new(far).entry("carom", || {
        for pose in &poses[..n_far] {
            black_box(distance(&a.shape, &here, &b.shape, pose));
        }
    });
    for subject in subjects {
        comparison = comparison.entry(subject.name(), || {
            for pose in &wide[..n_far] {
                black_box(subject.distance(pose, &mut search.borrow_mut()));
            }
        });
    }
    let identity = parry3d::math::Pose::IDENTITY;
    let comparison = comparison.entry("parry", || {
        for pose in &peer_poses[..n_far] {
            black_box(parry3d::query::distance(&identity, &peer_a, pose, &peer_b).is_ok());
        }
    });
    runner.compare_with_facts(row(&name, n_far), comparison, facts(2, n_far));
}

/// Orders of the descent, with six axes and with fifteen, for the volumes that have axes.
fn walks(
    runner: &mut Runner,
    pair: &MeshPair,
    subjects: &[Box<dyn Subject>],
    known: &[(&'static str, [Constants; 2])],
) {
    const DESCENTS: [(&str, Descent, BoxAxes); 8] = [
        ("carom larger, 6 axes", Descent::Larger, BoxAxes::Faces),
        ("carom larger, 15 axes", Descent::Larger, BoxAxes::FacesAndEdges),
        ("carom alternate, 6 axes", Descent::Alternate, BoxAxes::Faces),
        ("carom alternate, 15 axes", Descent::Alternate, BoxAxes::FacesAndEdges),
        ("carom A first, 6 axes", Descent::AFirst, BoxAxes::Faces),
        ("carom A first, 15 axes", Descent::AFirst, BoxAxes::FacesAndEdges),
        ("carom B first, 6 axes", Descent::BFirst, BoxAxes::Faces),
        ("carom B first, 15 axes", Descent::BFirst, BoxAxes::FacesAndEdges),
    ];
    let wide: Vec<WidePose> = pair.poses.iter().map(Pose::wide).collect();
    for subject in subjects {
        if !matches!(subject.name(), "carom OBB" | "carom AABB") {
            continue;
        }
        let mut answers = Answers::new();
        let mut work = [Counters::default(); DESCENTS.len()];
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        for (i, pose) in wide.iter().enumerate() {
            subject.pairs(pose, None, &mut expected);
            for ((name, descent, axes), work) in DESCENTS.iter().zip(&mut work) {
                let settings = PairSettings::default().with_descent(*descent).with_axes(*axes);
                *work += subject.pairs(pose, Some(&settings), &mut found);
                answers.pairs(&format!("pose {i}, {name}"), &expected, &found);
            }
        }
        let found = RefCell::new(found);
        let mut comparison = Comparison::new(answers);
        for (name, descent, axes) in DESCENTS {
            let settings = PairSettings::default().with_descent(descent).with_axes(axes);
            let (found, wide) = (&found, &wide);
            comparison = comparison.entry(name, move || {
                for pose in wide {
                    black_box(subject.pairs(pose, Some(&settings), &mut found.borrow_mut()));
                }
            });
        }
        let kind = subject.name().trim_start_matches("carom ");
        let name = format!("{} all pairs, walks of {kind}", pair.name);
        let size = pair.a.mesh.mesh().n_triangles() as u64;
        let row = Row { workload: &name, size, unit: Unit::Us, per_call: wide.len() as u64 };
        // The constants are those of the default descent. For the others the prediction has the
        // effect of the counts alone.
        let cost = constants(known, subject.name(), 0);
        runner.compare_with_facts(row, comparison, |entry| Facts {
            work: DESCENTS
                .iter()
                .position(|(name, ..)| *name == entry)
                .map(|i| cost.work(&work[i], wide.len(), Unit::Us)),
            ..Facts::default()
        });
    }
}
