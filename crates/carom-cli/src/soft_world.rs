//! The loop that moves a soft body and lets no pair of triangles cross.
//!
//! 1. Pairs of features that are within reach at the start of a step become contacts: half spaces, with friction.
//! 2. The integrator predicts positions, and solves links and contacts together.
//! 3. All ways from the start to the prediction are searched for a touch, those of obstacles too. Points of pairs that
//!    touch are stopped before it, or held where they are, and the search is made again.
//! 4. If some still touch after a few rounds, the whole step is cut to the part that is free of touches.
//!
//! To touch is to come nearer than a fiftieth of the gap, or half as near as at the start: rounding is far smaller.
//!
//! A step is accepted only if the search proves that nothing touches on the straight ways between the numbers that are
//! kept. So what does not cross at the start never crosses, however badly the integrator does.
//!
//! Reference: R. Bridson, R. Fedkiw, J. Anderson, Robust Treatment of Collisions, Contact and Friction for Cloth
//! Animation, 2002, 7 (repulsions, then collisions, then a fail-safe).
//! Differs: points are stopped on their ways instead of by impulses, and the fail-safe is the free step.

use crate::player::FaceState;
use crate::touches::{Touches, features_of};
use carom_deform::{DeformError, DeformableMesh, FeatureImpact, FeatureSearch, NearPair, RefitTree};
use carom_math::Vec3;
use carom_scenes::soft::{ObstacleSpec, SoftContact, SoftScene};
use glam::DVec3;

/// Seconds of a frame.
pub const FRAME: f64 = 1.0 / 60.0;

/// Metres per second squared, downwards.
pub const GRAVITY: f64 = 9.81;

/// Steps of a frame.
const STEPS: u32 = 4;

/// How often links, tetrahedra and contacts are gone through in a step.
const ITERATIONS: u32 = 12;

/// In gaps: how near features are that become contacts.
const REACH: f64 = 1.6;

/// In gaps: how far a contact pushes apart in a step what is too near. Less than all, so that it brings no energy.
const PUSH: f64 = 0.1;

/// The part of the way to a touch that a stopped point goes.
const STOP: f64 = 0.8;

/// In gaps: how near features may come in a step, unless they start nearer than twice that. Then half of the start.
const NEAREST: f64 = 0.02;

/// Rounds in which points are stopped before they touch.
const STOP_ROUNDS: u32 = 6;

/// Rounds after these, in which points that touch do not move at all.
const HOLD_ROUNDS: u32 = 4;

/// Rounds in all; the last ones cut the whole step. After these it is not made.
const ROUNDS: u32 = 14;

/// The coefficient of friction of a soft body with itself.
const SELF_FRICTION: f64 = 0.4;

/// A soft body and what is in its way, as they move.
pub struct SoftWorld {
    scene: SoftScene,
    mesh: DeformableMesh<RefitTree>,
    obstacles: Vec<Obstacle>,
    search: FeatureSearch,
    /// Of the step that is under way.
    contacts: Vec<SoftContact>,
    hits: Vec<Hit>,
    near: Vec<NearPair>,
    impacts: Vec<FeatureImpact>,
    start: Vec<Vec3>,
    end: Vec<Vec3>,
    touches: Touches,
    seconds: f64,
    counters: SoftCounters,
}

/// What the steps were like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SoftCounters {
    /// Steps.
    pub steps: u64,
    /// Contacts of all steps.
    pub contacts: u64,
    /// Steps in which points were stopped before they touched.
    pub stopped: u64,
    /// Steps in which points were held where they were.
    pub held: u64,
    /// Steps that were cut as a whole.
    pub cut: u64,
    /// Steps that were not made.
    pub refused: u64,
}

/// A thing in the way, as it moves.
struct Obstacle {
    spec: ObstacleSpec,
    mesh: DeformableMesh<RefitTree>,
    start: Vec<Vec3>,
    end: Vec<Vec3>,
    /// How far it moves in a whole step.
    carried: DVec3,
}

impl Obstacle {
    /// Sets the end of the step.
    fn move_to(&mut self, seconds: f64) {
        let offset = self.spec.path.offset(seconds);
        self.end.clear();
        self.end.extend(self.spec.mesh.vertices.iter().map(|vertex| (*vertex + offset).as_vec3()));
    }
}

/// Points of the soft body that may go this part of their way.
#[derive(Clone, Copy)]
struct Hit {
    points: [u32; 4],
    until: f64,
    /// How far what they touch moves in a whole step, if it is an obstacle.
    carried: DVec3,
}

impl SoftWorld {
    /// The scene at the time 0; `Err` if positions are not finite or triangles have no such vertices.
    pub fn new(mut scene: SoftScene) -> Result<SoftWorld, DeformError> {
        // What is kept are numbers that the search knows exactly.
        for position in &mut scene.body.positions {
            *position = position.as_vec3().as_dvec3();
        }
        let start: Vec<Vec3> = scene.body.positions.iter().map(|p| p.as_vec3()).collect();
        let mesh = DeformableMesh::from_triangles(&start, scene.body.triangles.clone())?.with_trees();
        let mut obstacles = Vec::new();
        for spec in &scene.obstacles {
            let start = spec.mesh.vertices_f32();
            let mesh = DeformableMesh::from_triangles(&start, spec.mesh.triangles.clone())?.with_trees();
            obstacles.push(Obstacle {
                spec: spec.clone(),
                mesh,
                end: start.clone(),
                start,
                carried: DVec3::ZERO,
            });
        }
        let touches = Touches::new(&mesh);
        Ok(SoftWorld {
            scene,
            mesh,
            obstacles,
            search: FeatureSearch::default(),
            contacts: Vec::new(),
            hits: Vec::new(),
            near: Vec::new(),
            impacts: Vec::new(),
            end: start.clone(),
            start,
            touches,
            seconds: 0.0,
            counters: SoftCounters::default(),
        })
    }

    /// The scene as it is now.
    pub fn scene(&self) -> &SoftScene {
        &self.scene
    }

    /// The positions of the vertices: metres.
    pub fn positions(&self) -> &[Vec3] {
        self.mesh.positions()
    }

    /// The faces.
    pub fn faces(&self) -> &[[u32; 3]] {
        self.mesh.faces()
    }

    /// The time: less than that of the frames if steps were cut.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// What the steps were like.
    pub fn counters(&self) -> SoftCounters {
        self.counters
    }

    /// Moves on by a frame.
    pub fn frame(&mut self) -> Result<(), DeformError> {
        for _ in 0..STEPS {
            self.step(FRAME / f64::from(STEPS))?;
        }
        Ok(())
    }

    /// Pairs of faces that have a point in common, decided exactly: of the body with itself, and with
    /// obstacles.
    pub fn crossings(&mut self) -> [usize; 2] {
        let own = self.search.crossings(&mut self.mesh).finish().pairs.len();
        let mut others = 0;
        for obstacle in &mut self.obstacles {
            others += self.search.crossings((&mut self.mesh, &mut obstacle.mesh)).finish().pairs.len();
        }
        [own, others]
    }

    /// What each face touches: comes as near as the gap, and a tenth more.
    pub fn touches(&mut self) -> Vec<FaceState> {
        let reach = (1.1 * self.scene.gap) as f32;
        self.touches.add_own(&mut self.search, &mut self.mesh, reach);
        for obstacle in &mut self.obstacles {
            self.touches.add_other(&mut self.search, &mut self.mesh, &mut obstacle.mesh, reach);
        }
        self.touches.take()
    }

    fn step(&mut self, seconds: f64) -> Result<(), DeformError> {
        self.counters.steps += 1;
        self.start.clear();
        self.start.extend_from_slice(self.mesh.positions());
        for obstacle in &mut self.obstacles {
            let path = obstacle.spec.path;
            obstacle.carried = path.offset(self.seconds + seconds) - path.offset(self.seconds);
        }
        self.find_contacts()?;
        let wind = self.scene.air.wind_at(self.seconds);
        let body = &mut self.scene.body;
        body.predict(seconds, DVec3::NEG_Y * GRAVITY, wind, self.scene.air.drag);
        body.solve(seconds, ITERATIONS, &self.contacts);
        self.end.clear();
        self.end.extend(body.predicted.iter().map(|p| p.as_vec3()));

        let mut part = 1.0;
        let mut is_free = false;
        for round in 0..ROUNDS {
            for obstacle in &mut self.obstacles {
                obstacle.move_to(self.seconds + part * seconds);
            }
            let free = self.find_hits()?;
            is_free = self.hits.is_empty();
            if is_free {
                break;
            }
            self.counters.stopped += u64::from(round == 0);
            self.counters.held += u64::from(round == STOP_ROUNDS);
            self.counters.cut += u64::from(round == STOP_ROUNDS + HOLD_ROUNDS);
            if round < STOP_ROUNDS {
                self.stop_points(STOP);
            } else if round < STOP_ROUNDS + HOLD_ROUNDS {
                self.stop_points(0.0);
            } else {
                part *= STOP * free;
                for (start, end) in self.start.iter().zip(&mut self.end) {
                    *end = between(*start, *end, STOP * free, DVec3::ZERO);
                }
            }
        }
        if !is_free {
            self.counters.refused += 1;
            part = 0.0;
            self.end.copy_from_slice(&self.start);
            self.mesh.set_positions(&self.end)?;
            for obstacle in &mut self.obstacles {
                obstacle.mesh.set_positions(&obstacle.start)?;
            }
        }
        for (predicted, end) in self.scene.body.predicted.iter_mut().zip(&self.end) {
            *predicted = end.as_dvec3();
        }
        self.scene.body.accept(seconds);
        self.seconds += part * seconds;
        for obstacle in &mut self.obstacles {
            obstacle.start.clear();
            obstacle.start.extend_from_slice(obstacle.mesh.positions());
        }
        Ok(())
    }

    /// Contacts for what is within reach at the start; and how near things may come until the end.
    fn find_contacts(&mut self) -> Result<(), DeformError> {
        self.contacts.clear();
        let gap = self.scene.gap;
        // The thickness is of the last step, and counts too.
        let reach = (REACH * gap) as f32;
        let mesh = &mut self.mesh;
        let mut nearest = f64::INFINITY;
        self.near.clear();
        self.near.extend_from_slice(self.search.within(&mut *mesh, reach).finish().pairs);
        for near in &self.near {
            nearest = nearest.min(near.distance);
            let stencil = near.stencil(mesh, mesh);
            self.contacts.push(SoftContact {
                points: stencil.vertices,
                weights: stencil.weights,
                normal: normal_of(near),
                at_least: gap.min(near.distance + PUSH * gap),
                carried: DVec3::ZERO,
                friction: SELF_FRICTION,
            });
        }
        for obstacle in &mut self.obstacles {
            self.near.clear();
            let found = self.search.within((&mut *mesh, &mut obstacle.mesh), reach).finish();
            self.near.extend_from_slice(found.pairs);
            for near in &self.near {
                nearest = nearest.min(near.distance);
                let stencil = near.stencil(mesh, &obstacle.mesh);
                // What moves by itself is no point of the body.
                let (mut points, mut weights) = ([0; 4], [0.0; 4]);
                points[..stencil.n_first].copy_from_slice(&stencil.vertices[..stencil.n_first]);
                weights[..stencil.n_first].copy_from_slice(&stencil.weights[..stencil.n_first]);
                let normal = normal_of(near);
                let apart = gap.min(near.distance + PUSH * gap);
                self.contacts.push(SoftContact {
                    points,
                    weights,
                    normal,
                    at_least: normal.dot(near.point_b + obstacle.carried) + apart,
                    carried: obstacle.carried,
                    friction: obstacle.spec.friction,
                });
            }
        }
        self.counters.contacts += self.contacts.len() as u64;
        let nearest = (NEAREST * gap).min(0.5 * nearest) as f32;
        self.mesh.set_thickness(nearest)?;
        self.obstacles.iter_mut().try_for_each(|obstacle| obstacle.mesh.set_thickness(nearest))
    }

    /// What touches on the ways from the start to the end. Returns the part of the step that is free of it.
    fn find_hits(&mut self) -> Result<f64, DeformError> {
        self.hits.clear();
        let mesh = &mut self.mesh;
        mesh.set_positions(&self.start)?;
        mesh.set_positions(&self.end)?;
        self.impacts.clear();
        let found = self.search.impacts(&mut *mesh).finish();
        let mut free = found.free_step().fraction;
        self.impacts.extend_from_slice(found.pairs);
        for impact in &self.impacts {
            let [a, b] = features_of(&impact.pair, mesh, mesh);
            let mut points = [a.corners()[0]; 4];
            for (slot, point) in points.iter_mut().zip(a.corners().iter().chain(b.corners())) {
                *slot = *point;
            }
            self.hits.push(Hit { points, until: impact.time.safe_until(1.0), carried: DVec3::ZERO });
        }
        for obstacle in &mut self.obstacles {
            obstacle.mesh.set_positions(&obstacle.start)?;
            obstacle.mesh.set_positions(&obstacle.end)?;
            self.impacts.clear();
            let found = self.search.impacts((&mut *mesh, &mut obstacle.mesh)).finish();
            free = free.min(found.free_step().fraction);
            self.impacts.extend_from_slice(found.pairs);
            for impact in &self.impacts {
                let [a, _] = features_of(&impact.pair, mesh, &obstacle.mesh);
                let mut points = [a.corners()[0]; 4];
                for (slot, point) in points.iter_mut().zip(a.corners()) {
                    *slot = *point;
                }
                self.hits.push(Hit { points, until: impact.time.safe_until(1.0), carried: obstacle.carried });
            }
        }
        Ok(free)
    }

    /// Points of pairs that touch go this part of their ways to it; those that an obstacle touches, as seen from it.
    fn stop_points(&mut self, part: f64) {
        // The earliest touch of a point counts.
        self.hits.sort_by(|a, b| a.until.total_cmp(&b.until));
        let mut is_stopped = vec![false; self.end.len()];
        for hit in &self.hits {
            for point in hit.points.map(|point| point as usize) {
                if !is_stopped[point] {
                    is_stopped[point] = true;
                    self.end[point] =
                        between(self.start[point], self.end[point], part * hit.until, hit.carried);
                }
            }
        }
    }
}

/// A part of the way from the start to the end, as seen from a frame that moves by this.
fn between(start: Vec3, end: Vec3, part: f64, frame: DVec3) -> Vec3 {
    let (start, end) = (start.as_dvec3(), end.as_dvec3());
    (start + frame * (1.0 - part) + (end - start) * part).as_vec3()
}

fn normal_of(near: &NearPair) -> DVec3 {
    (near.point_a - near.point_b).normalize_or(DVec3::Y)
}
