//! Times of trees over the triangles of a knot. There are fast builds, builds of two higher
//! qualities, refits from boxes and from vertices, and boxes that jump. Closest hits of rays are
//! timed with each kind of nodes. Other rows build trees for few queries, or for queries in few
//! places.
//!
//! A new tree is built in memory that the system has just mapped: `cargo xtask bench` sets the
//! thresholds of the allocator for that. Without them, builds of 100,000 triangles reuse the
//! memory of the previous build, and all programs are up to twice as fast.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::tree_rows::{Executor, Trees, build, refit, refits_in_turn};
use carom_benches::peers::{bvh as bvh_peer, obvhs as obvhs_peer, parry};
use carom_benches::trees::{boxes, found, queries};
use carom_benches::{Answers, Comparison, Facts, Row, Runner, Unit};
use carom_bounds::{Aabb, Aabb8, BoundingVolume as _};
use carom_bvh::{
    AdaptiveBvh, BuildMethod, BuildQuality, BuildSettings, Builder, Bvh, Bvh4, LazyBvh, QuantizedBvh,
    QuantizedBvh4, WideNode,
};
use carom_geom::TriMesh;
use carom_math::{Interval, Pose, Ray};
use carom_query::{MeshShape, Shape, cast_ray, cast_ray_batch};
use carom_scenes::Rng;
use carom_scenes::mesh::{Knot, torus_knot};
use glam::{DVec3, Vec3};
use obvhs::BvhBuildParams;
use parry3d::partitioning::{Bvh as ParryBvh, BvhBuildStrategy, BvhWorkspace};
use parry3d::query::RayCast as _;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;

fn main() {
    let mut runner = Runner::new("trees");
    let sizes: &[usize] = if runner.is_quick() { &[100_000] } else { &[100_000, 1_000_000] };
    for &n in sizes {
        let knot = torus_knot(&Knot::default(), n);
        let vertices = knot.vertices_f32();
        let boxes = boxes(&vertices, &knot.triangles);
        if runner.wants("build") {
            build(
                &mut runner,
                Executor::HERE,
                "build fast",
                &boxes,
                BuildQuality::Fast,
                BvhBuildParams::fastest_build(),
            );
            build(
                &mut runner,
                Executor::HERE,
                "build good",
                &boxes,
                BuildQuality::Balanced,
                BvhBuildParams::medium_build(),
            );
            build(
                &mut runner,
                Executor::HERE,
                "build best",
                &boxes,
                BuildQuality::High,
                BvhBuildParams::medium_build(),
            );
        }
        if runner.wants("refit") {
            let moved: Vec<Vec3> = vertices.iter().map(|v| *v + 0.01 * (*v * 7.0).map(f32::sin)).collect();
            let boxes_of_moved = self::boxes(&moved, &knot.triangles);
            refit(&mut runner, Executor::HERE, "refit", [&boxes, &boxes_of_moved]);
            refit_mesh(&mut runner, [&vertices, &moved], &knot.triangles, [&boxes, &boxes_of_moved]);
        }
        if runner.wants("follow") {
            follow(&mut runner, n / 10);
        }
        if runner.wants("rays") {
            rays(&mut runner, &vertices, &knot.triangles);
        }
        if runner.wants("nodes") {
            nodes(&mut runner, &vertices, &knot.triangles, &boxes);
        }
        if runner.wants("ways") {
            special_trees(&mut runner, &boxes);
        }
    }
}

/// Refits from moved vertices. carom reads the triangles in the order of its leaves and needs no
/// boxes in between. The peers need boxes, which are timed too.
fn refit_mesh(runner: &mut Runner, vertices: [&[Vec3]; 2], triangles: &[[u32; 3]], both: [&[Aabb]; 2]) {
    let settings = BuildSettings::default();
    let ours = RefCell::new(Bvh::<Aabb>::build(both[0], &settings).expect("boxes of a scene are finite"));
    let sorted: Vec<[u32; 3]> = ours.borrow().primitives().iter().map(|&i| triangles[i as usize]).collect();
    let parry_boxes = both[0].iter().map(parry::aabb).collect::<Vec<_>>();
    let obvhs_boxes = both[0].iter().map(obvhs_peer::aabb).collect::<Vec<_>>();
    let parrys = RefCell::new(ParryBvh::from_leaves(BvhBuildStrategy::Binned, &parry_boxes));
    let obvhss = RefCell::new(obvhs_peer::build(&obvhs_boxes, BvhBuildParams::fastest_build()));
    let obvhs_boxes = RefCell::new(obvhs_boxes);
    let mut workspace = BvhWorkspace::default();
    let around = |turn: usize, [a, b, c]: [u32; 3]| {
        let [a, b, c] = [a, b, c].map(|i| vertices[turn][i as usize]);
        Aabb { min: a.min(b).min(c), max: a.max(b).max(c) }
    };
    let refit_ours = |turn: usize| {
        ours.borrow_mut().refit_points(vertices[turn], &sorted).expect("vertices of a scene are finite");
    };
    let refit_parrys = |turn: usize| {
        let mut tree = parrys.borrow_mut();
        for (i, &triangle) in triangles.iter().enumerate() {
            tree.insert_or_update_partially(parry::aabb(&around(turn, triangle)), i as u32, 0.0);
        }
        tree.refit(&mut workspace);
    };
    let refit_obvhss = |turn: usize| {
        let mut boxes = obvhs_boxes.borrow_mut();
        for (aabb, &triangle) in boxes.iter_mut().zip(triangles) {
            *aabb = obvhs_peer::aabb(&around(turn, triangle));
        }
        obvhs_peer::refit(&mut obvhss.borrow_mut(), &boxes);
    };

    let row = Row { workload: "refit mesh", size: triangles.len() as u64, unit: Unit::Ms, per_call: 1 };
    let trees = Trees { ours: &ours, parrys: &parrys, obvhss: &obvhss };
    refits_in_turn(runner, Executor::HERE, row, trees, both[1], refit_ours, refit_parrys, refit_obvhss);
}

/// Boxes that jump anywhere in every frame, with queries in between. Trees that are only refitted
/// become worse.
fn follow(runner: &mut Runner, n: usize) {
    let mut rng = Rng::new(14);
    let mut cloud = || -> Vec<Aabb> {
        let size = 0.5 * (n as f64).cbrt().recip();
        (0..n)
            .map(|_| {
                let center = rng.in_box(DVec3::splat(-1.0), DVec3::ONE);
                Aabb::around(center - DVec3::splat(size), center + DVec3::splat(size))
            })
            .collect()
    };
    let frames: Vec<Vec<Aabb>> = (0..4).map(|_| cloud()).collect();
    let parry_frames: Vec<Vec<_>> =
        frames.iter().map(|boxes| boxes.iter().map(parry::aabb).collect()).collect();
    let queries = queries();
    let settings = BuildSettings::default();
    let watched =
        RefCell::new(AdaptiveBvh::build(&frames[0], &settings).expect("boxes of a scene are finite"));
    let refitted = RefCell::new(watched.borrow().tree().clone());
    let build_parrys = |frame: usize| ParryBvh::from_leaves(BvhBuildStrategy::Binned, &parry_frames[frame]);
    let parrys = RefCell::new(build_parrys(0));
    let mut workspace = BvhWorkspace::default();
    let count = |tree: &Bvh, frame: usize| -> usize {
        queries.iter().map(|query| found(tree, &frames[frame], query).len()).sum()
    };
    let count_parrys =
        |tree: &ParryBvh| -> usize { queries.iter().map(|query| parry::found(tree, query).len()).sum() };
    let by_watched = |frame: usize| {
        let mut tree = watched.borrow_mut();
        tree.follow(&frames[frame]).expect("as many boxes as before");
        count(tree.tree(), frame)
    };
    let by_refit = |frame: usize| {
        let mut tree = refitted.borrow_mut();
        tree.refit(&frames[frame]).expect("as many boxes as before");
        count(&tree, frame)
    };
    let mut by_parry = |frame: usize| {
        let mut tree = parrys.borrow_mut();
        for (i, aabb) in parry_frames[frame].iter().enumerate() {
            tree.insert_or_update_partially(*aabb, i as u32, 0.0);
        }
        tree.refit(&mut workspace);
        count_parrys(&tree)
    };
    let mut answers = Answers::new();
    for frame in 0..frames.len() {
        let own = by_watched(frame);
        answers.equal("refit only finds", &own, &by_refit(frame));
        answers.equal("parry finds", &own, &by_parry(frame));
        answers.equal("parry rebuilt finds", &own, &count_parrys(&build_parrys(frame)));
    }
    let row = Row { workload: "follow", size: n as u64, unit: Unit::Ms, per_call: 1 };
    let next = |turn: &mut usize| {
        *turn = (*turn + 1) % frames.len();
        *turn
    };
    let mut turns = [0; 4];
    let [a, b, c, d] = &mut turns;
    let comparison = Comparison::new(answers)
        .entry("carom", || {
            std::hint::black_box(by_watched(next(a)));
        })
        .entry("carom refit only", || {
            std::hint::black_box(by_refit(next(b)));
        })
        .entry("parry refit only", || {
            std::hint::black_box(by_parry(next(c)));
        })
        .entry("parry rebuilt", || {
            std::hint::black_box(count_parrys(&build_parrys(next(d))));
        });
    runner.compare(row, comparison);
}

/// Returns rays from a ball around the knot, aimed at points of its box.
fn rays_at_the_knot() -> Vec<Ray> {
    let mut rng = Rng::new(13);
    (0..20_000)
        .map(|_| {
            let origin = rng.in_ball() * 1.5;
            let target = rng.in_box(DVec3::new(-0.9, -0.9, -0.4), DVec3::new(0.9, 0.9, 0.4));
            Ray { origin: origin.as_vec3(), direction: (target - origin).normalize_or(DVec3::X).as_vec3() }
        })
        .collect()
}

/// Closest hits of rays.
fn rays(runner: &mut Runner, vertices: &[Vec3], triangles: &[[u32; 3]]) {
    let rays = rays_at_the_knot();
    let mesh = TriMesh::new(vertices.to_vec(), triangles.to_vec()).expect("a scene's mesh is in order");
    let mesh = Shape::Mesh(Arc::new(MeshShape::new(mesh).expect("a scene's mesh has a tree")));
    let parrys = parry::mesh(vertices, triangles).expect("parry takes the mesh");
    let obvhss = obvhs_peer::Rays::new(vertices, triangles);
    let corners: Vec<[Vec3; 3]> = triangles.iter().map(|t| t.map(|i| vertices[i as usize])).collect();
    let mut bvh_leaves = bvh_peer::leaves(&boxes(vertices, triangles));
    let bvhs = bvh_peer::build(&mut bvh_leaves);
    let by_bvh = |ray: &Ray| bvh_peer::closest(&bvhs, &bvh_leaves, ray, |i| hit(&corners[i as usize], ray));

    let ours = |ray: &Ray| {
        cast_ray(&mesh, &Pose::IDENTITY, ray, Interval::FORWARD).map_or(f32::INFINITY, |hit| hit.t)
    };
    let theirs = |ray: &Ray| {
        let ray = parry3d::query::Ray::new(parry::vector(ray.origin), parry::vector(ray.direction));
        parrys.cast_local_ray(&ray, f32::MAX, true).unwrap_or(f32::INFINITY)
    };
    let mut answers = Answers::new();
    for (i, ray) in rays.iter().enumerate() {
        let own = ours(ray);
        for (name, their) in [("parry", theirs(ray)), ("obvhs", obvhss.closest(ray)), ("bvh", by_bvh(ray))] {
            // Two misses agree.
            let both = [own, their].map(|t| f64::from(if t.is_finite() { t } else { -1.0 }));
            answers.number(&format!("ray {i}, {name}"), both[0], both[1], 1e-4);
        }
    }
    let mut batch = Vec::new();
    cast_ray_batch(&mesh, &Pose::IDENTITY, &rays, Interval::FORWARD, &mut batch);
    for (i, (ray, hit)) in rays.iter().zip(&batch).enumerate() {
        let alone = cast_ray(&mesh, &Pose::IDENTITY, ray, Interval::FORWARD);
        answers.equal(&format!("ray {i}, in a batch and alone"), hit, &alone);
    }
    let size = triangles.len() as u64;
    let row = Row { workload: "rays", size, unit: Unit::Ns, per_call: rays.len() as u64 };
    let comparison = Comparison::new(answers)
        .entry("carom", || {
            for ray in &rays {
                std::hint::black_box(ours(ray));
            }
        })
        .entry("carom in batches", || {
            batch.clear();
            cast_ray_batch(&mesh, &Pose::IDENTITY, &rays, Interval::FORWARD, &mut batch);
            std::hint::black_box(&batch);
        })
        .entry("parry", || {
            for ray in &rays {
                std::hint::black_box(theirs(ray));
            }
        })
        .entry("obvhs", || {
            for ray in &rays {
                std::hint::black_box(obvhss.closest(ray));
            }
        })
        .entry("bvh", || {
            for ray in &rays {
                std::hint::black_box(by_bvh(ray));
            }
        });
    runner.compare(row, comparison);
}

/// Returns the hit of a ray and a triangle (T. Moeller, B. Trumbore, Fast, Minimum Storage
/// Ray-Triangle Intersection, 1997): one test for all trees, so that only these differ.
fn hit([a, b, c]: &[Vec3; 3], ray: &Ray) -> Option<f32> {
    let (e, f) = (*b - *a, *c - *a);
    let p = ray.direction.cross(f);
    let inverse = 1.0 / e.dot(p);
    let s = ray.origin - *a;
    let q = s.cross(e);
    let (u, v, t) = (s.dot(p) * inverse, ray.direction.dot(q) * inverse, f.dot(q) * inverse);
    (0.0 <= u && 0.0 <= v && u + v <= 1.0 && 0.0 <= t).then_some(t)
}

fn closest_hit<N: WideNode<Aabb8>>(tree: &Bvh<Aabb, N>, corners: &[[Vec3; 3]], ray: &Ray) -> f64 {
    let mut nearest = f64::INFINITY;
    let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
    let _ = tree.visit_ray(origin, direction, 0.0, f64::INFINITY, |leaf, _| {
        for &i in leaf.primitives {
            nearest = hit(&corners[i as usize], ray).map_or(nearest, |t| nearest.min(f64::from(t)));
        }
        ControlFlow::Continue(nearest)
    });
    nearest
}

fn n_in_boxes<N: WideNode<Aabb8>>(tree: &Bvh<Aabb, N>, boxes: &[Aabb], queries: &[Aabb]) -> usize {
    let mut n = 0;
    for query in queries {
        let _ = tree.visit_box(query, |leaf| {
            n += leaf.primitives.iter().filter(|&&i| boxes[i as usize].overlaps(query)).count();
            ControlFlow::Continue(())
        });
    }
    n
}

/// Closest hits, and triangles in boxes, through nodes of eight and of four, of floats and of
/// bytes.
fn nodes(runner: &mut Runner, vertices: &[Vec3], triangles: &[[u32; 3]], boxes: &[Aabb]) {
    let (rays, queries) = (rays_at_the_knot(), queries());
    let corners: Vec<[Vec3; 3]> = triangles.iter().map(|t| t.map(|i| vertices[i as usize])).collect();
    let settings = BuildSettings::default().with_quality(BuildQuality::High);
    let eight = Bvh::<Aabb>::build(boxes, &settings).expect("boxes of a scene are finite");
    let bytes = QuantizedBvh::from(&eight);
    let four = Bvh4::packed(boxes, &settings).expect("boxes of a scene are finite");
    let bytes4 = QuantizedBvh4::packed(boxes, &settings).expect("boxes of a scene are finite");
    let kinds = [
        ("carom", eight.quality()),
        ("carom in bytes", bytes.quality()),
        ("carom by fours", four.quality()),
        ("carom by fours in bytes", bytes4.quality()),
    ];
    let facts = |name: &str| {
        let quality = kinds.iter().find(|kind| kind.0 == name).map(|kind| kind.1);
        // The bodies are triangles here.
        Facts { bytes_per_body: quality.map(|quality| quality.bytes_per_primitive), ..Facts::default() }
    };
    let mut answers = Answers::new();
    for ray in &rays {
        let own = closest_hit(&eight, &corners, ray).to_bits();
        answers.equal("eight in bytes", &own, &closest_hit(&bytes, &corners, ray).to_bits());
        answers.equal("four", &own, &closest_hit(&four, &corners, ray).to_bits());
        answers.equal("four in bytes", &own, &closest_hit(&bytes4, &corners, ray).to_bits());
    }
    let row = Row {
        workload: "nodes, rays",
        size: triangles.len() as u64,
        unit: Unit::Ns,
        per_call: rays.len() as u64,
    };
    fn all<N: WideNode<Aabb8>>(tree: &Bvh<Aabb, N>, corners: &[[Vec3; 3]], rays: &[Ray]) {
        for ray in rays {
            std::hint::black_box(closest_hit(tree, corners, ray));
        }
    }
    let comparison = Comparison::new(answers)
        .entry(kinds[0].0, || all(&eight, &corners, &rays))
        .entry(kinds[1].0, || all(&bytes, &corners, &rays))
        .entry(kinds[2].0, || all(&four, &corners, &rays))
        .entry(kinds[3].0, || all(&bytes4, &corners, &rays));
    runner.compare_with_facts(row, comparison, facts);

    let mut answers = Answers::new();
    let own = n_in_boxes(&eight, boxes, &queries);
    answers.equal("eight in bytes", &own, &n_in_boxes(&bytes, boxes, &queries));
    answers.equal("four", &own, &n_in_boxes(&four, boxes, &queries));
    answers.equal("four in bytes", &own, &n_in_boxes(&bytes4, boxes, &queries));
    let row = Row {
        workload: "nodes, boxes",
        size: triangles.len() as u64,
        unit: Unit::Ns,
        per_call: queries.len() as u64,
    };
    let comparison = Comparison::new(answers)
        .entry(kinds[0].0, || {
            std::hint::black_box(n_in_boxes(&eight, boxes, &queries));
        })
        .entry(kinds[1].0, || {
            std::hint::black_box(n_in_boxes(&bytes, boxes, &queries));
        })
        .entry(kinds[2].0, || {
            std::hint::black_box(n_in_boxes(&four, boxes, &queries));
        })
        .entry(kinds[3].0, || {
            std::hint::black_box(n_in_boxes(&bytes4, boxes, &queries));
        });
    runner.compare_with_facts(row, comparison, facts);
}

/// Box queries of trees built for special cases: by volume, by use, and for the places of queries.
fn special_trees(runner: &mut Runner, boxes: &[Aabb]) {
    let settings = BuildSettings::default().with_quality(BuildQuality::High);
    let build =
        |method| Bvh::build(boxes, &settings.with_method(method)).expect("boxes of a scene are finite");
    let lazy = || LazyBvh::<Aabb>::new(boxes.to_vec(), &settings).expect("boxes of a scene are finite");
    // Boxes around the first primitive, a fourth of the size of other queries.
    let near = boxes.first().map_or(Vec3::ZERO, Aabb::center);
    let queries: Vec<Aabb> =
        queries().iter().map(|q| Aabb { min: near + q.min / 4.0, max: near + q.max / 4.0 }).collect();
    let (area, volume) = (build(BuildMethod::Sah), build(BuildMethod::Volume));
    let mut uses = vec![0_u32; boxes.len()];
    for query in &queries {
        let _ = area.visit_box(query, |leaf| {
            leaf.primitives.iter().for_each(|&i| uses[i as usize] += 1);
            ControlFlow::Continue(())
        });
    }
    let mut by_use = Bvh::<Aabb>::empty();
    Builder::default()
        .rebuild_query_driven(&mut by_use, boxes, &uses, &settings)
        .expect("boxes of a scene are finite");
    let warm = lazy();
    let n_of_lazy = |tree: &LazyBvh, queries: &[Aabb]| {
        let mut n = 0;
        for query in queries {
            let _ = tree.visit_box(query, |primitives| {
                n += primitives.iter().filter(|&&i| boxes[i as usize].overlaps(query)).count();
                ControlFlow::Continue(())
            });
        }
        n
    };
    let own = n_in_boxes(&area, boxes, &queries);
    let agree = || {
        let mut answers = Answers::new();
        answers.equal("volume", &own, &n_in_boxes(&volume, boxes, &queries));
        answers.equal("by use", &own, &n_in_boxes(&by_use, boxes, &queries));
        answers.equal("lazy", &own, &n_of_lazy(&warm, &queries));
        answers
    };
    let n = boxes.len() as u64;
    let row = Row { workload: "ways, near boxes", size: n, unit: Unit::Ns, per_call: queries.len() as u64 };
    let comparison = Comparison::new(agree())
        .entry("carom by area", || {
            std::hint::black_box(n_in_boxes(&area, boxes, &queries));
        })
        .entry("carom by volume", || {
            std::hint::black_box(n_in_boxes(&volume, boxes, &queries));
        })
        .entry("carom by use", || {
            std::hint::black_box(n_in_boxes(&by_use, boxes, &queries));
        })
        .entry("carom lazy, built", || {
            std::hint::black_box(n_of_lazy(&warm, &queries));
        });
    runner.compare_with_facts(row, comparison, |_| Facts::default());

    let row = Row { workload: "ways, build and near boxes", size: n, unit: Unit::Ms, per_call: 1 };
    let comparison = Comparison::new(agree())
        .entry("carom by area", || {
            std::hint::black_box(n_in_boxes(&build(BuildMethod::Sah), boxes, &queries));
        })
        .entry("carom along the curve", || {
            std::hint::black_box(n_in_boxes(&build(BuildMethod::Morton), boxes, &queries));
        })
        .entry("carom lazy", || {
            std::hint::black_box(n_of_lazy(&lazy(), &queries));
        });
    runner.compare_with_facts(row, comparison, |_| Facts::default());
}
