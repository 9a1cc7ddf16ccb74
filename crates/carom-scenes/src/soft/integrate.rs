//! Points with masses, held together by links and tetrahedra, that move by position-based dynamics.
//!
//! - A step has three parts: [`SoftBody::predict`], [`SoftBody::solve`], [`SoftBody::accept`]. The caller may look at the
//!   predicted positions between them, and accept other ones.
//! - Links keep distances, tetrahedra keep volumes. Each has a compliance: how much it gives way to a force.
//! - Contacts are given by the caller, as plain data. They push and rub, and never pull.
//! - Velocities are the displacements over the time of the step, so that a point that was stopped loses its speed.
//!
//! Reference: M. Macklin, M. Mueller, N. Chentanez, XPBD: Position-Based Simulation of Compliant Constrained
//! Dynamics, 2016; M. Mueller et al., Position Based Dynamics, 2007, 3.4 (the gradient of a volume).
//! Differs: friction is taken per iteration, in proportion to the push of that iteration.

use alloc::vec::Vec;
use carom_math::ops::sqrt;
use glam::DVec3;

/// A body of points that links and tetrahedra hold together.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SoftBody {
    /// Where the points are: metres.
    pub positions: Vec<DVec3>,
    /// Metres per second.
    pub velocities: Vec<DVec3>,
    /// One over the kilograms of each point; 0 for a point that is held in place.
    pub inverse_masses: Vec<f64>,
    /// The surface: three vertices each. Air pushes on it if there are no tetrahedra.
    pub triangles: Vec<[u32; 3]>,
    /// Pairs of points that keep their distance.
    pub links: Vec<SoftLink>,
    /// Fours of points that keep their volume.
    pub tetrahedra: Vec<Tetrahedron>,
    /// Where the points want to be at the end of the step.
    pub predicted: Vec<DVec3>,
    /// How hard links and tetrahedra have pulled in this step.
    multipliers: Vec<f64>,
}

/// Two points that keep their distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftLink {
    /// The two points.
    pub ends: [u32; 2],
    /// Metres.
    pub rest: f64,
    /// Metres per newton: 0 for a link that does not give way.
    pub compliance: f64,
    /// The link breaks beyond this length; infinite if it never does.
    pub breaks_at: f64,
}

/// Four points that keep their volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tetrahedron {
    /// The four points; the volume is positive.
    pub corners: [u32; 4],
    /// Cubic metres.
    pub rest: f64,
    /// Cubic metres per pascal.
    pub compliance: f64,
}

/// Two features, up to four points in all, that must stay apart; or one of them and a thing that moves by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftContact {
    /// The points; those that are not needed have the weight 0.
    pub points: [u32; 4],
    /// The sum of weight times position is the way from the second feature to the first. If the second is a thing that
    /// moves by itself, it is the place on the first.
    pub weights: [f64; 4],
    /// Unit vector from the second to the first.
    pub normal: DVec3,
    /// The least value of that sum along the normal: metres.
    pub at_least: f64,
    /// How far the thing moves in the step; 0 if the second feature is one of points.
    pub carried: DVec3,
    /// The coefficient of friction.
    pub friction: f64,
}

impl SoftBody {
    /// Predicts where the points are after `seconds`, without links: by velocity, gravity, wind and drag. The wind is a
    /// velocity in metres per second, `drag` is a rate per second.
    pub fn predict(&mut self, seconds: f64, gravity: DVec3, wind: DVec3, drag: f64) {
        self.blow(seconds, wind);
        let keep = 1.0 / (1.0 + drag * seconds);
        self.predicted.clear();
        for ((velocity, position), inverse_mass) in
            self.velocities.iter_mut().zip(&self.positions).zip(&self.inverse_masses)
        {
            *velocity =
                if *inverse_mass == 0.0 { DVec3::ZERO } else { (*velocity + gravity * seconds) * keep };
            self.predicted.push(*position + *velocity * seconds);
        }
        self.multipliers.clear();
        self.multipliers.resize(self.links.len() + self.tetrahedra.len(), 0.0);
    }

    /// Air pushes on each triangle of a sheet along its normal, in proportion to the area and the speed against it.
    fn blow(&mut self, seconds: f64, wind: DVec3) {
        /// Newton seconds per cubic metre.
        const PUSH: f64 = 0.6;
        if !self.tetrahedra.is_empty() {
            return;
        }
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|point| self.positions[point as usize]);
            let normal = (b - a).cross(c - a);
            let area_twice = sqrt(normal.length_squared());
            if area_twice == 0.0 {
                continue;
            }
            let [u, v, w] = triangle.map(|point| self.velocities[point as usize]);
            let against = (wind - (u + v + w) / 3.0).dot(normal) / area_twice;
            // Half the area of the normal's length, a third of it for each corner.
            let impulse = normal * (against * PUSH * seconds / 6.0);
            for point in triangle.map(|point| point as usize) {
                self.velocities[point] += impulse * self.inverse_masses[point];
            }
        }
    }

    /// Moves the predicted positions until links, tetrahedra and contacts are nearly content.
    pub fn solve(&mut self, seconds: f64, iterations: u32, contacts: &[SoftContact]) {
        let per_time = 1.0 / (seconds * seconds);
        for _ in 0..iterations {
            for (link, multiplier) in self.links.iter().zip(&mut self.multipliers) {
                let [a, b] = link.ends.map(|end| end as usize);
                let masses = self.inverse_masses[a] + self.inverse_masses[b];
                let way = self.predicted[a] - self.predicted[b];
                let length = sqrt(way.length_squared());
                if masses == 0.0 || length == 0.0 {
                    continue;
                }
                let softness = link.compliance * per_time;
                let step = -(length - link.rest + softness * *multiplier) / (masses + softness);
                *multiplier += step;
                let push = way * (step / length);
                self.predicted[a] += push * self.inverse_masses[a];
                self.predicted[b] -= push * self.inverse_masses[b];
            }
            for (cell, multiplier) in self.tetrahedra.iter().zip(&mut self.multipliers[self.links.len()..]) {
                let corners = cell.corners.map(|corner| corner as usize);
                let [a, b, c, d] = corners.map(|corner| self.predicted[corner]);
                let (u, v, w) = (b - a, c - a, d - a);
                let gradients = [v.cross(w) / 6.0, w.cross(u) / 6.0, u.cross(v) / 6.0];
                let gradients =
                    [-(gradients[0] + gradients[1] + gradients[2]), gradients[0], gradients[1], gradients[2]];
                let mut sum = cell.compliance * per_time;
                let softness = sum;
                for (gradient, corner) in gradients.iter().zip(corners) {
                    sum += self.inverse_masses[corner] * gradient.length_squared();
                }
                if sum == 0.0 {
                    continue;
                }
                let off = u.cross(v).dot(w) / 6.0 - cell.rest;
                let step = -(off + softness * *multiplier) / sum;
                *multiplier += step;
                for (gradient, corner) in gradients.iter().zip(corners) {
                    self.predicted[corner] += *gradient * (step * self.inverse_masses[corner]);
                }
            }
            for contact in contacts {
                self.push(contact);
            }
        }
    }

    /// One contact: the points are pushed apart, and rub.
    fn push(&mut self, contact: &SoftContact) {
        let points = contact.points.map(|point| point as usize);
        let (mut sum, mut way, mut moved) = (0.0, DVec3::ZERO, -contact.carried);
        for (weight, point) in contact.weights.iter().zip(points) {
            sum += weight * weight * self.inverse_masses[point];
            way += self.predicted[point] * *weight;
            moved += (self.predicted[point] - self.positions[point]) * *weight;
        }
        let missing = contact.at_least - way.dot(contact.normal);
        if sum == 0.0 || !(0.0 < missing) {
            return;
        }
        let aside = moved - contact.normal * moved.dot(contact.normal);
        let length = sqrt(aside.length_squared());
        // No more than stops it, and no more than the push allows.
        let rub = if 0.0 < length { (contact.friction * missing / length).min(1.0) } else { 0.0 };
        let push = (contact.normal * missing - aside * rub) / sum;
        for (weight, point) in contact.weights.iter().zip(points) {
            self.predicted[point] += push * (*weight * self.inverse_masses[point]);
        }
    }

    /// Ends the step of `seconds` at the predicted positions: they become the positions, and give the velocities. Links
    /// that are too long break.
    pub fn accept(&mut self, seconds: f64) {
        for ((position, predicted), velocity) in
            self.positions.iter_mut().zip(&self.predicted).zip(&mut self.velocities)
        {
            *velocity = (*predicted - *position) / seconds;
            *position = *predicted;
        }
        let positions = &self.positions;
        self.links.retain(|link| {
            let [a, b] = link.ends.map(|end| positions[end as usize]);
            (a - b).length_squared() <= link.breaks_at * link.breaks_at
        });
    }

    /// The energy, in joules: kinetic, that of height above 0 under a gravity along y, and that of links and tetrahedra
    /// that give way. Those that do not give way hold none.
    pub fn energy(&self, gravity: f64) -> [f64; 3] {
        let (mut kinetic, mut height, mut elastic) = (0.0, 0.0, 0.0);
        for ((position, velocity), inverse_mass) in
            self.positions.iter().zip(&self.velocities).zip(&self.inverse_masses)
        {
            if 0.0 < *inverse_mass {
                kinetic += 0.5 * velocity.length_squared() / inverse_mass;
                height += gravity * position.y / inverse_mass;
            }
        }
        for link in self.links.iter().filter(|link| 0.0 < link.compliance) {
            let [a, b] = link.ends.map(|end| self.positions[end as usize]);
            let off = sqrt((a - b).length_squared()) - link.rest;
            elastic += 0.5 * off * off / link.compliance;
        }
        for cell in self.tetrahedra.iter().filter(|cell| 0.0 < cell.compliance) {
            let [a, b, c, d] = cell.corners.map(|corner| self.positions[corner as usize]);
            let off = (b - a).cross(c - a).dot(d - a) / 6.0 - cell.rest;
            elastic += 0.5 * off * off / cell.compliance;
        }
        [kinetic, height, elastic]
    }

    /// Adds a link of the present length.
    pub(crate) fn link(&mut self, a: u32, b: u32, compliance: f64) {
        let way = self.positions[a as usize] - self.positions[b as usize];
        let rest = sqrt(way.length_squared());
        self.links.push(SoftLink { ends: [a, b], rest, compliance, breaks_at: f64::INFINITY });
    }
}
