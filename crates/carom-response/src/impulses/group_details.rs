//! Loads the details of contacts into lanes: surface velocities, and contact settings such as
//! springs. Most groups have no details, so details are stored apart from the groups.
//!
//! Reference: E. Catto, Modeling and Solving Constraints, GDC 2009 (velocity bias).

use crate::bodies::mass::MassData;
use crate::contacts::step_contacts::StepContacts;
use crate::impulses::group::{Group, GroupDetails, NO_DETAILS};
use crate::impulses::lane_vec::Lanes;
use crate::step::context::StepContext;
use alloc::vec::Vec;
use carom_math::Vec3;

/// The input for the details of the groups of a step.
#[derive(Clone, Copy)]
pub(crate) struct DetailsLoader<'a> {
    pub(crate) context: &'a StepContext<'a>,
    pub(crate) contacts: &'a StepContacts,
    /// For each active contact, its lane among the lanes of all groups.
    pub(crate) lanes: &'a [u32],
    pub(crate) masses: &'a [MassData],
}

impl DetailsLoader<'_> {
    /// Writes the details of loaded groups, and sets the index `details` of these groups. Calls
    /// `mark` with the slots of the bodies of each contact that may add energy.
    pub(crate) fn load(
        &self,
        groups: &mut [Group],
        all: &mut Vec<GroupDetails>,
        mut mark: impl FnMut([u32; 2]),
    ) {
        all.clear();
        let StepContacts { details: details_of, active, .. } = self.contacts;
        let &StepContext { contacts, dt, h, .. } = self.context;
        if details_of.surfaces.is_empty() && details_of.settings.is_empty() {
            return;
        }
        for (&contact, &index) in active.iter().zip(self.lanes) {
            let (surface, settings) = (details_of.surface(contact), details_of.settings(contact));
            if surface.is_none() && settings.is_none() {
                continue;
            }
            let (group, lane) = (&mut groups[index as usize / 8], index as usize % 8);
            if group.details == NO_DETAILS {
                group.details = all.len() as u32;
                all.push(GroupDetails::NONE);
                group.rotation_impulse = [GroupDetails::NONE.spin; 3];
            }
            let details = &mut all[group.details as usize];
            let n = contacts.get(contact as usize).manifold.contacts().len();
            let slots = [group.body_a[lane], group.body_b[lane]];
            if let Some(settings) = settings
                && settings.load((group, lane), details, n, (h, h / dt))
            {
                mark(slots);
            }
            let Some(surface) = surface else { continue };
            let vector = |lanes: &[Lanes; 3]| Vec3::new(lanes[0][lane], lanes[1][lane], lanes[2][lane]);
            let (normal, tangent_1) = (vector(&group.normal), vector(&group.tangent));
            let center_a = self.masses[group.body_a[lane] as usize].center;
            let away = center_a + vector(&group.friction_a) - surface.point;
            let slide = surface.slide + normal.cross(away) * surface.spin;
            details.slide[0][lane] = slide.dot(tangent_1);
            details.slide[1][lane] = slide.dot(normal.cross(tangent_1));
            details.spin[lane] = surface.spin;
            for (lanes, speed) in details.part.iter_mut().zip(surface.part).take(n) {
                lanes[lane] = speed;
            }
            mark(slots);
        }
    }
}
