//! The drives of a step: surface velocities and contact settings, in lanes beside the groups that
//! have such contacts. Other groups read nothing.
//!
//! Reference: E. Catto, Modeling and Solving Constraints, GDC 2009 (velocity bias).

use crate::contact::Contacts;
use crate::contact_details::ContactDetails;
use crate::group::{Drive, Group, NO_DRIVE};
use crate::lane_vec::Lanes;
use crate::mass::MassData;
use alloc::vec::Vec;
use carom_math::{Real, Vec3};

/// The input for the drives of a step.
#[derive(Clone, Copy)]
pub(crate) struct Driven<'a> {
    pub(crate) details: &'a ContactDetails,
    pub(crate) contacts: &'a Contacts<'a>,
    /// The contacts that are solved, and the lane of each among all groups.
    pub(crate) active: &'a [u32],
    pub(crate) places: &'a [u32],
    pub(crate) masses: &'a [MassData],
    /// Length of a substep, and its part of the step.
    pub(crate) substep: (Real, Real),
}

impl Driven<'_> {
    /// Writes the drives of groups that are already loaded, and sets the drive index of these
    /// groups. Calls `mark` with the slots of the two bodies of each contact that may give them
    /// energy.
    pub(crate) fn load(&self, groups: &mut [Group], drives: &mut Vec<Drive>, mut mark: impl FnMut([u32; 2])) {
        drives.clear();
        if self.details.surfaces.is_empty() && self.details.settings.is_empty() {
            return;
        }
        for (&contact, &place) in self.active.iter().zip(self.places) {
            let (surface, settings) = (self.details.surface(contact), self.details.settings(contact));
            if surface.is_none() && settings.is_none() {
                continue;
            }
            let (group, lane) = (&mut groups[place as usize / 8], place as usize % 8);
            if group.drive == NO_DRIVE {
                group.drive = drives.len() as u32;
                drives.push(Drive::NONE);
                group.rolling_impulse = Drive::NONE.slide;
            }
            let drive = &mut drives[group.drive as usize];
            let n = self.contacts.get(contact as usize).manifold.contacts().len();
            let slots = [group.body_a[lane], group.body_b[lane]];
            if let Some(settings) = settings
                && settings.load((group, lane), drive, n, self.substep)
            {
                mark(slots);
            }
            let Some(surface) = surface else { continue };
            let vector = |lanes: &[Lanes; 3]| Vec3::new(lanes[0][lane], lanes[1][lane], lanes[2][lane]);
            let (normal, tangent_1) = (vector(&group.normal), vector(&group.tangent));
            let center_a = self.masses[group.body_a[lane] as usize].center;
            let away = center_a + vector(&group.friction_a) - surface.point;
            let slide = surface.slide + normal.cross(away) * surface.spin;
            drive.slide[0][lane] = slide.dot(tangent_1);
            drive.slide[1][lane] = slide.dot(normal.cross(tangent_1));
            drive.spin[lane] = surface.spin;
            for (lanes, speed) in drive.part.iter_mut().zip(surface.part).take(n) {
                lanes[lane] = speed;
            }
            mark(slots);
        }
    }
}
