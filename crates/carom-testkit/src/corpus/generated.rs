//! Families whose threads describe their inputs without listing them. Each has one entry, made
//! from a stated seed.

use super::shape::{Body, Mesh, Precision, Shape};
use super::{Case, Entry, ExactAnswer, Step, exact_answer};
use crate::random::Random;
use glam::{DMat3, DQuat, DVec3};

const FEATURES: &str = "every pair of features of the two polytopes, in f64";
const ONE_BY_ONE: &str = "all pairs, one by one";

/// Returns all entries, in the order of the families.
pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry {
            family: "rays",
            thread: "dimforge/parry#444, jbikker/tinybvh#168".to_string(),
            what: "300 rays from inside a tessellated ball at random points of its edges (seed 444): about one in ten leaks out."
                .to_string(),
            by: "rational arithmetic on the coordinates as stored".to_string(),
            cases: rays_at_edges(),
        },
        Entry {
            family: "rays",
            thread: "dimforge/parry#242".to_string(),
            what: "200 rays at the centres of a ball and of turned boxes (seed 242): some miss, or hit with a wrong normal."
                .to_string(),
            by: "closed form: the least t of the three slabs, or of the sphere".to_string(),
            cases: rays_at_centres(),
        },
        Entry {
            family: "casts at a moment",
            thread: "dimforge/parry#70".to_string(),
            what: "A capsule sunk into a box of 100 m in 60 steps, and one of length 0: some steps are said to be apart."
                .to_string(),
            by: "every pair of features of the core segment and the box, in f64".to_string(),
            cases: sinking_capsules(),
        },
        Entry {
            family: "touching boxes",
            thread: "flexible-collision-library/fcl#493, flexible-collision-library/fcl#494".to_string(),
            what: "Cubes of five sizes stacked in the tilted frame of the thread, from 1e-15 deep to 1e-15 apart."
                .to_string(),
            by: FEATURES.to_string(),
            cases: kissing_cubes(),
        },
        Entry {
            family: "touching boxes",
            thread: "flexible-collision-library/fcl#495, RobotLocomotion/drake#18704".to_string(),
            what: "200 pairs of boxes stacked face to face in random frames (seed 495), touching or a little apart or deep: \
                   depths of metres, or an exception."
                .to_string(),
            by: FEATURES.to_string(),
            cases: stacked_boxes(),
        },
        Entry {
            family: "distance",
            thread: "MattiaMontanari/openGJK#13".to_string(),
            what: "200 pairs of cubes of 8 points that overlap deeply (seed 13): 2 in 10,000 are tens of centimetres apart."
                .to_string(),
            by: FEATURES.to_string(),
            cases: overlapping_cubes(),
        },
        Entry {
            family: "distance",
            thread: "dimforge/parry#17, at a millimetre".to_string(),
            what: "120 pairs of boxes of 8 points, a millimetre and a micrometre large, a thousandth of that apart or deep \
                   (seed 17): a tolerance of fixed length decides."
                .to_string(),
            by: FEATURES.to_string(),
            cases: tiny_boxes(),
        },
        Entry {
            family: "depth",
            thread: "coal-library/coal#779".to_string(),
            what: "A flat cylinder that slides over another: the depth jumps.".to_string(),
            by: "closed form: the lesser of the heights and of the overlap across".to_string(),
            cases: sliding_cylinders(),
        },
        Entry {
            family: "hulls",
            thread: "OskarSigvardsson/unity-quickhull#7".to_string(),
            what: "30,000 points in one plane: a hang.".to_string(),
            by: "no volume: an error that says so, or an empty answer".to_string(),
            cases: vec![Case::Hull {
                points: (0..30_000).map(|i| [f64::from(i % 200), 0.25, f64::from(i / 200)]).collect(),
                corners: Some(0),
                faces: Some(0),
            }],
        },
        Entry {
            family: "boxes and trees",
            thread: "dimforge/rapier#106".to_string(),
            what: "200 bodies at one place: a first step of 47 s.".to_string(),
            by: ONE_BY_ONE.to_string(),
            cases: vec![crowd(200)],
        },
        Entry {
            family: "boxes and trees",
            thread: "jrouwe/JoltPhysics#1235, godotengine/godot#107366".to_string(),
            what: "500 boxes at one place, and a chain: the tree runs out of nodes, or its stack fills and hits are missed."
                .to_string(),
            by: ONE_BY_ONE.to_string(),
            cases: vec![crowd(500), chain(400)],
        },
        Entry {
            family: "boxes and trees",
            thread: "dimforge/parry#367, DGriffin91/obvhs#12".to_string(),
            what: "300 insertions, moves and removals at random (seed 367): a corrupt tree.".to_string(),
            by: ONE_BY_ONE.to_string(),
            cases: vec![churn()],
        },
    ]
}

/// Returns the case with its number computed exactly.
fn computed(mut case: Case) -> Case {
    let exact = exact_answer(&case, Precision::Double);
    match (&mut case, exact) {
        (Case::Pair { distance, .. }, ExactAnswer::Distance(exact)) => *distance = exact,
        (Case::Ray { t, .. }, ExactAnswer::Ray(exact)) => *t = exact,
        (Case::Boxes { n_pairs, .. }, ExactAnswer::Pairs(exact)) => *n_pairs = exact.len(),
        _ => {}
    }
    case
}

fn pair(a: Body, b: Body) -> Case {
    computed(Case::Pair { a, b, distance: 0.0, normal: None })
}

fn rotation(random: &mut Random) -> DQuat {
    loop {
        let q = DQuat::from_xyzw(
            random.range(-1.0, 1.0),
            random.range(-1.0, 1.0),
            random.range(-1.0, 1.0),
            random.range(-1.0, 1.0),
        );
        if (0.1..1.0).contains(&q.length_squared()) {
            return q.normalize();
        }
    }
}

fn corners(half: DVec3) -> Shape {
    Shape::Hull(crate::oracle::sat::box_corners(half, |p| p).iter().map(|p| p.to_array()).collect())
}

/// Returns the mesh of a ball with 12 slices and 12 rings.
fn ball() -> Mesh {
    let n = 12_u32;
    let mut vertices = vec![[0.0, 1.0, 0.0]];
    for ring in 1..n {
        let (s, c) = (f64::from(ring) * core::f64::consts::PI / f64::from(n)).sin_cos();
        for slice in 0..n {
            let (z, x) = (f64::from(slice) * core::f64::consts::TAU / f64::from(n)).sin_cos();
            vertices.push([s * x, c, s * z]);
        }
    }
    vertices.push([0.0, -1.0, 0.0]);
    let last = vertices.len() as u32 - 1;
    let at = |ring: u32, slice: u32| 1 + (ring - 1) * n + slice % n;
    let mut triangles = Vec::new();
    for slice in 0..n {
        triangles.push([0, at(1, slice + 1), at(1, slice)]);
        for ring in 1..n - 1 {
            let (a, b) = (at(ring, slice), at(ring, slice + 1));
            let (c, d) = (at(ring + 1, slice + 1), at(ring + 1, slice));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
        triangles.push([last, at(n - 1, slice), at(n - 1, slice + 1)]);
    }
    Mesh { vertices, triangles }
}

fn rays_at_edges() -> Vec<Case> {
    let mut random = Random::new(444);
    let mesh = ball();
    let on = Body::new(Shape::Mesh(mesh.clone()));
    (0..300)
        .map(|i| {
            let origin = random.cube_point() * 0.3;
            let t = mesh.triangles[random.below(mesh.triangles.len())];
            let [p, q] = [t[0], t[1]].map(|v| DVec3::from_array(mesh.vertices[v as usize]));
            // Every third ray at the middle, every tenth at a corner.
            let along = if i % 10 == 0 {
                0.0
            } else if i % 3 == 0 {
                0.5
            } else {
                random.unit()
            };
            let direction = (p.lerp(q, along) - origin).normalize();
            let (origin, direction) = (origin.to_array(), direction.to_array());
            computed(Case::Ray { on: on.clone(), origin, direction, t: None })
        })
        .collect()
}

fn rays_at_centres() -> Vec<Case> {
    let mut random = Random::new(242);
    let shapes = [
        Shape::Sphere(1.0),
        Shape::Cuboid([1.0; 3]),
        Shape::Cuboid([1.0, 1.0, 0.5]),
        Shape::Cuboid([0.5, 1.0, 0.5]),
    ];
    let mut cases = Vec::new();
    for i in 0..200 {
        let shape = shapes[i % 4].clone();
        let on = Body::new(shape.clone());
        let on = if i % 20 < 4 { on } else { on.turned(rotation(&mut random)) };
        let origin = (random.cube_point().abs() + 0.01).normalize() * 5.0;
        let local = on.wide(Precision::Double).inverse_transform_point(origin);
        // The origin is 5 from the centre, at t = 1.
        let t = match &shape {
            Shape::Cuboid(half) => {
                let slabs = [0, 1, 2].map(|k| 1.0 - half[k] / local[k].abs());
                slabs.into_iter().fold(0.0, f64::max)
            }
            _ => 1.0 - 1.0 / 5.0,
        };
        let (origin, direction) = (origin.to_array(), (-origin).to_array());
        cases.push(Case::Ray { on, origin, direction, t: Some(t) });
    }
    cases
}

fn sinking_capsules() -> Vec<Case> {
    let ground = Body::new(Shape::Cuboid([50.0; 3])).at(DVec3::new(0.0, -50.0, 0.0));
    let mut cases = Vec::new();
    for step in 0..60 {
        let y = -0.5 + f64::from(step) / 60.0;
        for shape in [Shape::Capsule(0.5, 0.5), Shape::Sphere(0.5)] {
            cases.push(pair(Body::new(shape).at(DVec3::new(0.0, y, 0.0)), ground.clone()));
        }
    }
    cases
}

// Numbers stand as they were published.
#[allow(clippy::excessive_precision)]
fn kissing_cubes() -> Vec<Case> {
    let rows = [
        [0.94096063217417758029, 0.29296840037289501035, 0.16959541586174811667],
        [-0.23569836841299879326, 0.92661523595848427348, -0.29296840037289506586],
        [-0.2429801799032638987, 0.23569836841299884878, 0.94096063217417758029],
    ];
    let frame = DMat3::from_cols_array_2d(&rows).transpose();
    let mut cases = Vec::new();
    for size in [0.01, 0.25, 0.5, 10.0, 1000.0] {
        for gap in [-1e-15, -2.5e-16, -1e-16, 0.0, 1e-16, 2.5e-16, 1e-15] {
            let below = DVec3::new(0.0, 0.0, 5.0 * size);
            let above = below + frame * DVec3::new(0.0, size + gap * f64::max(1.0, size), 0.0);
            let cube =
                |at: DVec3| Body { rows: Some(rows), ..Body::new(Shape::Cuboid([0.5 * size; 3])).at(at) };
            cases.push(pair(cube(below), cube(above)));
        }
    }
    cases
}

fn stacked_boxes() -> Vec<Case> {
    let mut random = Random::new(495);
    let mut cases = Vec::new();
    for i in 0..200 {
        let frame = rotation(&mut random);
        let origin = random.cube_point() * 2.0;
        let half = |random: &mut Random| (random.cube_point().abs() + 0.05) * 0.5;
        let (a, b) = (half(&mut random), half(&mut random));
        let turn = [0.0, core::f64::consts::FRAC_PI_4, random.range(0.0, 3.0)][i % 3];
        let gap = [0.0, -1e-9, 1e-9, 1e-6, -1e-6, 1e-3, -1e-3][i % 7];
        let beside = random.cube_point() * 0.2;
        let offset = frame * DVec3::new(beside.x, beside.y, a.z + b.z + gap);
        let below = Body::new(corners(a)).at(origin).turned(frame);
        let above = Body::new(corners(b)).at(origin + offset).turned(frame * DQuat::from_rotation_z(turn));
        cases.push(pair(below, above));
    }
    cases
}

fn overlapping_cubes() -> Vec<Case> {
    let mut random = Random::new(13);
    let cube = |random: &mut Random| {
        Body::new(corners(DVec3::ONE)).at(random.cube_point() * 0.4).turned(rotation(random))
    };
    (0..200).map(|_| pair(cube(&mut random), cube(&mut random))).collect()
}

fn tiny_boxes() -> Vec<Case> {
    let mut random = Random::new(17);
    let mut cases = Vec::new();
    for i in 0..120 {
        let size = [1e-3, 1e-6][i % 2];
        let gap = [1e-3, -1e-3, 0.1, -0.1][i / 2 % 4];
        let (a, b) = (DVec3::new(0.5, 0.4, 0.3), DVec3::new(0.3, 0.6, 0.2));
        let beside = random.cube_point() * 0.2;
        let offset = DVec3::new(beside.x, a.y + b.y + gap, beside.z);
        let turn = DQuat::from_rotation_y(random.range(0.0, 6.0));
        let frame = rotation(&mut random);
        let below = Body::new(corners(a * size)).turned(frame);
        cases.push(pair(below, Body::new(corners(b * size)).at(frame * offset * size).turned(frame * turn)));
    }
    cases
}

fn sliding_cylinders() -> Vec<Case> {
    (0..=40)
        .map(|i| {
            let x = -1.0 + f64::from(i) / 20.0;
            let cylinder = || Body::new(Shape::Cylinder(0.05, 0.25));
            let across = x.abs() - 0.5;
            let distance = if across < 0.0 { across.max(-0.1) } else { across };
            Case::Pair { a: cylinder(), b: cylinder().at(DVec3::new(x, 0.0, 0.0)), distance, normal: None }
        })
        .collect()
}

fn insert(low: DVec3, size: f64) -> Step {
    Step::Insert([low.to_array().map(Some), (low + size).to_array().map(Some)])
}

fn boxes(steps: Vec<Step>) -> Case {
    computed(Case::Boxes { steps, n_pairs: 0 })
}

fn crowd(n: usize) -> Case {
    let mut steps: Vec<Step> = (0..n).map(|_| insert(DVec3::ZERO, 1.0)).collect();
    steps.push(Step::Query);
    boxes(steps)
}

fn chain(n: usize) -> Case {
    let mut steps = Vec::new();
    for i in 0..n {
        steps.push(insert(DVec3::new(0.75 * i as f64, 0.0, 0.0), 1.0));
        if i % 50 == 0 {
            steps.push(Step::Query);
        }
    }
    boxes(steps)
}

fn churn() -> Case {
    let mut random = Random::new(367);
    let mut steps = Vec::new();
    let mut live: Vec<usize> = Vec::new();
    let mut n = 0;
    for _ in 0..300 {
        let low = random.cube_point() * 5.0;
        match random.below(if live.is_empty() { 1 } else { 4 }) {
            0 | 1 => {
                steps.push(insert(low, 1.5));
                live.push(n);
                n += 1;
            }
            2 => steps.push(Step::Remove(live.swap_remove(random.below(live.len())))),
            _ => {
                let number = live[random.below(live.len())];
                steps.push(Step::Move(number, [low.to_array().map(Some), (low + 1.5).to_array().map(Some)]));
            }
        }
        if random.below(4) == 0 {
            steps.push(Step::Query);
        }
    }
    boxes(steps)
}
