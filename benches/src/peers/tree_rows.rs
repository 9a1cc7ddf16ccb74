//! The rows that the benches `trees` and `threads` share: builds and refits, carom and the peers.
// The programs of these rows unwrap too: boxes of the scenes are finite, and their number does not
// change.
#![allow(clippy::expect_used)]

use crate::peers::{bvh as bvh_peer, obvhs as obvhs_peer, parry};
use crate::trees::{found, queries};
use crate::{Answers, Comparison, Row, Runner, Unit};
use bvh::bvh::Bvh as BvhTree;
use carom_bounds::Aabb;
use carom_bvh::{BuildMethod, BuildQuality, BuildSettings, Builder, Bvh};
use obvhs::BvhBuildParams;
use obvhs::bvh2::Bvh2;
use parry3d::partitioning::{Bvh as ParryBvh, BvhBuildStrategy, BvhWorkspace};
use std::cell::RefCell;

/// The threads that do the work, and the functions that peers have for them.
#[derive(Clone, Copy)]
pub struct Executor<'a> {
    /// Runs work on these threads.
    pub run: &'a dyn Fn(&mut (dyn FnMut() + Send)),
    /// Whether wall-clock time is measured instead of CPU time of this thread.
    pub wall_clock: bool,
    /// parry's refit.
    pub parry_refit: fn(&mut ParryBvh, &mut BvhWorkspace),
    /// bvh's build.
    pub bvh_build: fn(&mut [bvh_peer::Leaf]) -> BvhTree<f32, 3>,
}

impl Executor<'_> {
    /// The calling thread.
    pub const HERE: Executor<'static> = Executor {
        run: &|work| work(),
        wall_clock: false,
        parry_refit: ParryBvh::refit,
        bvh_build: bvh_peer::build,
    };

    fn get<T: Send>(&self, mut work: impl FnMut() -> T + Send) -> T {
        let mut result = None;
        (self.run)(&mut || result = Some(work()));
        result.expect("the work was done")
    }

    fn comparison<'c>(&self, answers: Answers) -> Comparison<'c> {
        let comparison = Comparison::new(answers);
        if self.wall_clock { comparison.wall_clock() } else { comparison }
    }
}

/// A build over boxes: carom in new memory and in memory that is kept, and the peers.
pub fn build(
    runner: &mut Runner,
    executor: Executor<'_>,
    workload: &str,
    boxes: &[Aabb],
    quality: BuildQuality,
    params: BvhBuildParams,
) {
    let settings = BuildSettings::default().with_quality(quality);
    let parry_boxes: Vec<_> = boxes.iter().map(parry::aabb).collect();
    let obvhs_boxes: Vec<_> = boxes.iter().map(obvhs_peer::aabb).collect();
    let mut bvh_leaves = bvh_peer::leaves(boxes);
    let build_ours =
        || executor.get(|| Bvh::<Aabb>::build(boxes, &settings).expect("boxes of a scene are finite"));
    let build_parrys = || executor.get(|| ParryBvh::from_leaves(BvhBuildStrategy::Binned, &parry_boxes));
    let build_obvhss = || executor.get(|| obvhs_peer::build(&obvhs_boxes, params));
    let build_bvhs = |leaves: &mut [bvh_peer::Leaf]| executor.get(|| (executor.bvh_build)(leaves));

    let (ours, parrys, obvhss) = (build_ours(), build_parrys(), build_obvhss());
    let bvhs = build_bvhs(&mut bvh_leaves);
    let mut answers = Answers::new();
    for query in queries() {
        let own = found(&ours, boxes, &query);
        answers.equal("bvh finds", &own, &bvh_peer::found(&bvhs, &bvh_leaves, &query));
        answers.equal("parry finds", &own, &parry::found(&parrys, &query));
        answers.equal("obvhs finds", &own, &obvhs_peer::found(&obvhss, boxes, &query));
    }
    println!("    SAH cost of carom's tree, {workload}: {:.1}", ours.quality().sah_cost);

    let in_one_pass = settings.with_method(BuildMethod::OnePass);
    if quality == BuildQuality::Fast {
        let other = Bvh::<Aabb>::build(boxes, &in_one_pass).expect("boxes of a scene are finite");
        for query in queries() {
            answers.equal("one pass", &found(&ours, boxes, &query), &found(&other, boxes, &query));
        }
        println!("    SAH cost of carom's tree in one pass: {:.1}", other.quality().sah_cost);
    }

    let (mut builder, mut other_builder) = (Builder::default(), Builder::default());
    let (mut kept, mut other_kept) = (ours.clone(), ours);
    let row = Row { workload, size: boxes.len() as u64, unit: Unit::Ms, per_call: 1 };
    let mut comparison = executor
        .comparison(answers)
        .entry("carom", || {
            std::hint::black_box(build_ours());
        })
        .entry("carom kept", || {
            std::hint::black_box(executor.get(|| builder.rebuild(&mut kept, boxes, &settings).is_ok()));
        });
    if quality == BuildQuality::Fast {
        comparison = comparison
            .entry("carom one pass", || {
                let tree = executor.get(|| Bvh::<Aabb>::build(boxes, &in_one_pass));
                std::hint::black_box(tree.is_ok());
            })
            .entry("carom one pass, kept", || {
                let done =
                    executor.get(|| other_builder.rebuild(&mut other_kept, boxes, &in_one_pass).is_ok());
                std::hint::black_box(done);
            });
    }
    let comparison = comparison
        .entry("parry", || {
            std::hint::black_box(build_parrys());
        })
        .entry("obvhs", || {
            std::hint::black_box(build_obvhss());
        })
        .entry("bvh", || {
            std::hint::black_box(build_bvhs(&mut bvh_leaves));
        });
    runner.compare(row, comparison);
}

/// Refits to other boxes. Calls alternate between two poses, so that every refit has work.
pub fn refit(runner: &mut Runner, executor: Executor<'_>, workload: &str, both: [&[Aabb]; 2]) {
    let parry_boxes = both.map(|boxes| boxes.iter().map(parry::aabb).collect::<Vec<_>>());
    let obvhs_boxes = both.map(|boxes| boxes.iter().map(obvhs_peer::aabb).collect::<Vec<_>>());
    let settings = BuildSettings::default();
    let ours = RefCell::new(Bvh::<Aabb>::build(both[0], &settings).expect("boxes of a scene are finite"));
    let parrys = RefCell::new(ParryBvh::from_leaves(BvhBuildStrategy::Binned, &parry_boxes[0]));
    let obvhss = RefCell::new(obvhs_peer::build(&obvhs_boxes[0], BvhBuildParams::fastest_build()));
    let mut workspace = BvhWorkspace::default();
    let refit_ours = |turn: usize| {
        let tree = &mut *ours.borrow_mut();
        executor.get(|| tree.refit(both[turn]).expect("as many boxes as before"));
    };
    let refit_parrys = |turn: usize| {
        let (tree, workspace) = (&mut *parrys.borrow_mut(), &mut workspace);
        executor.get(|| {
            for (i, aabb) in parry_boxes[turn].iter().enumerate() {
                tree.insert_or_update_partially(*aabb, i as u32, 0.0);
            }
            (executor.parry_refit)(tree, workspace);
        });
    };
    let refit_obvhss = |turn: usize| {
        let tree = &mut *obvhss.borrow_mut();
        executor.get(|| obvhs_peer::refit(tree, &obvhs_boxes[turn]));
    };

    let row = Row { workload, size: both[0].len() as u64, unit: Unit::Ms, per_call: 1 };
    let trees = Trees { ours: &ours, parrys: &parrys, obvhss: &obvhss };
    refits_in_turn(runner, executor, row, trees, both[1], refit_ours, refit_parrys, refit_obvhss);
}

/// One tree of each program.
#[derive(Clone, Copy)]
pub struct Trees<'a> {
    /// carom's.
    pub ours: &'a RefCell<Bvh<Aabb>>,
    /// parry's.
    pub parrys: &'a RefCell<ParryBvh>,
    /// obvhs's.
    pub obvhss: &'a RefCell<Bvh2>,
}

/// Compares refits that alternate between two poses. Each function takes the index of a pose.
/// `boxes` are those of pose 1, at which all trees must find the same primitives.
pub fn refits_in_turn(
    runner: &mut Runner,
    executor: Executor<'_>,
    row: Row<'_>,
    trees: Trees<'_>,
    boxes: &[Aabb],
    refit_ours: impl Fn(usize),
    mut refit_parrys: impl FnMut(usize),
    refit_obvhss: impl Fn(usize),
) {
    refit_ours(1);
    refit_parrys(1);
    refit_obvhss(1);
    let Trees { ours, parrys, obvhss } = trees;
    let mut answers = Answers::new();
    for query in queries() {
        let own = found(&ours.borrow(), boxes, &query);
        answers.equal("parry finds", &own, &parry::found(&parrys.borrow(), &query));
        answers.equal("obvhs finds", &own, &obvhs_peer::found(&obvhss.borrow(), boxes, &query));
    }
    let (mut a, mut b, mut c) = (0, 0, 0);
    let comparison = executor
        .comparison(answers)
        .entry("carom", || {
            refit_ours(a);
            a = 1 - a;
        })
        .entry("parry", || {
            refit_parrys(b);
            b = 1 - b;
        })
        .entry("obvhs", || {
            refit_obvhss(c);
            c = 1 - c;
        });
    runner.compare(row, comparison);
}
