//! Surfaces that move otherwise than their body: belts, turntables, meshes that change their shape.
//!
//! - Along the surface it is a target for the friction: it pulls the other body to the speed of the
//!   surface.
//! - Along the normal it is a target for the contact: the other body may not come nearer than the
//!   surface goes.
//! - Both are written once per step into lanes beside the groups that have such a contact; the
//!   others read nothing.
//! - A motor moves the surface, so such a contact may give energy. Both bodies get opposite
//!   impulses.
//!
//! Reference: E. Catto, Modeling and Solving Constraints, GDC 2009 (velocity bias); Box2D,
//! `b2Contact::SetTangentSpeed`.

use crate::body::{Body, BodyKind};
use crate::contact::Contacts;
use crate::group::{Drive, Group, NO_DRIVE};
use crate::lane_vec::Lanes;
use crate::mass::MassData;
use crate::rest::Touch;
use crate::summary::Summary;
use alloc::vec::Vec;
use carom_geom::MAX_CONTACTS;
use carom_math::{Real, Vec3};

/// A body that moves along with a surface, at this part of its speed or faster, is carried: it is
/// not at rest.
const CARRIED_PART: Real = 1.0 / 16.0;

/// The velocity of the surface of B against that of A at one contact, beyond the motion of the two
/// bodies.
///
/// All vectors are in the world frame. The velocity of a surface of A counts with the opposite
/// sign.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct SurfaceVelocity {
    /// Number of the contact among those of the step.
    pub contact: u32,
    /// The point where `slide` holds.
    pub point: Vec3,
    /// Velocity along the surfaces; what it has along the normal does not count. Length per time.
    pub slide: Vec3,
    /// Angular velocity of the surface about the normal, in radians per time.
    pub spin: Real,
    /// For each contact of the manifold, the speed at which the surfaces part along the normal.
    /// Length per time.
    pub part: [Real; MAX_CONTACTS],
}

impl SurfaceVelocity {
    /// A surface at a contact that has this number, and does not move yet.
    pub const fn new(contact: u32, point: Vec3) -> SurfaceVelocity {
        SurfaceVelocity { contact, point, slide: Vec3::ZERO, spin: 0.0, part: [0.0; MAX_CONTACTS] }
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.point.is_finite()
            && self.slide.is_finite()
            && self.spin.is_finite()
            && self.part.iter().all(|speed| speed.is_finite())
    }

    /// The velocity of the surface of B at the point, for a contact with so many places and this
    /// normal.
    pub(crate) fn mean_velocity(&self, normal: Vec3, n_contacts: usize) -> Vec3 {
        let n = n_contacts.clamp(1, MAX_CONTACTS);
        let part = self.part[..n].iter().sum::<Real>() / n as Real;
        self.slide + normal * (part - self.slide.dot(normal))
    }

    /// Whether the surface pushes bodies away, or they move along with it.
    fn carries(&self, a: &Body, b: &Body) -> bool {
        let velocity = |body: &Body| match body.kind {
            BodyKind::Fixed => Vec3::ZERO,
            _ => body.velocity_at(self.point),
        };
        let along = (velocity(a) - velocity(b)).dot(self.slide);
        let moves = self.slide != Vec3::ZERO || self.spin != 0.0;
        self.part.iter().any(|&speed| speed != 0.0)
            || moves && CARRIED_PART * self.slide.length_squared() <= along
    }
}

/// The surface of a contact; the list is sorted by the contacts.
pub(crate) fn of_contact(surfaces: &[SurfaceVelocity], contact: u32) -> Option<&SurfaceVelocity> {
    let place = surfaces.binary_search_by_key(&contact, |surface| surface.contact).ok()?;
    surfaces.get(place)
}

/// The first surface that is not of one of `n_contacts` contacts, not after the one before, or not
/// finite.
pub(crate) fn find_bad(surfaces: &[SurfaceVelocity], n_contacts: usize) -> Option<usize> {
    let is_good = |(place, surface): (usize, &SurfaceVelocity)| {
        let is_after = place == 0 || surfaces[place - 1].contact < surface.contact;
        is_after && (surface.contact as usize) < n_contacts && surface.is_finite()
    };
    surfaces.iter().enumerate().position(|row| !is_good(row))
}

/// Adds the numbers of bodies that a surface carries: they are not at rest.
pub(crate) fn find_carried(
    surfaces: &[SurfaceVelocity],
    summaries: &[Summary],
    bodies: &[Body],
    out: &mut Vec<u32>,
) {
    for surface in surfaces {
        let Summary { key, touch, .. } = summaries[surface.contact as usize];
        let [a, b] = [key.body_a, key.body_b];
        if touch != Touch::Apart && surface.carries(&bodies[a as usize], &bodies[b as usize]) {
            let is_dynamic = |body: &u32| bodies[*body as usize].kind == BodyKind::Dynamic;
            out.extend([a, b].into_iter().filter(is_dynamic));
        }
    }
}

/// What the drives of a step are made of.
#[derive(Clone, Copy)]
pub(crate) struct Driven<'a> {
    pub(crate) surfaces: &'a [SurfaceVelocity],
    pub(crate) contacts: &'a Contacts<'a>,
    /// The contacts that are solved, and the place of each among the lanes of all groups.
    pub(crate) active: &'a [u32],
    pub(crate) places: &'a [u32],
    pub(crate) masses: &'a [MassData],
}

impl Driven<'_> {
    /// Writes the drives of groups that are loaded already, and gives these groups their numbers.
    /// Calls `mark` with the slots of the two bodies of each such contact.
    pub(crate) fn load(&self, groups: &mut [Group], drives: &mut Vec<Drive>, mut mark: impl FnMut([u32; 2])) {
        drives.clear();
        if self.surfaces.is_empty() {
            return;
        }
        for (&contact, &place) in self.active.iter().zip(self.places) {
            let Some(surface) = of_contact(self.surfaces, contact) else { continue };
            let (group, lane) = (&mut groups[place as usize / 8], place as usize % 8);
            if group.drive == NO_DRIVE {
                group.drive = drives.len() as u32;
                drives.push(Drive::NONE);
            }
            let drive = &mut drives[group.drive as usize];
            let vector = |lanes: &[Lanes; 3]| Vec3::new(lanes[0][lane], lanes[1][lane], lanes[2][lane]);
            let (normal, tangent_1) = (vector(&group.normal), vector(&group.tangent));
            let center_a = self.masses[group.body_a[lane] as usize].center;
            let away = center_a + vector(&group.friction_a) - surface.point;
            let slide = surface.slide + normal.cross(away) * surface.spin;
            drive.slide[0][lane] = slide.dot(tangent_1);
            drive.slide[1][lane] = slide.dot(normal.cross(tangent_1));
            drive.spin[lane] = surface.spin;
            let n = self.contacts.get(contact as usize).manifold.contacts().len();
            for (lanes, speed) in drive.part.iter_mut().zip(surface.part).take(n) {
                lanes[lane] = speed;
            }
            mark([group.body_a[lane], group.body_b[lane]]);
        }
    }
}
