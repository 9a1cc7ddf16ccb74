//! Contacts and manifolds. They are plain data, so a solver alone needs no detection crate.
//!
//! Reference: E. Catto, Contact Manifolds, Game Developers Conference, 2007 (feature ids that match
//! points from frame to frame).

use super::super::num::{Real, Vec3, narrow, widen};
use crate::FeatureId;
use carom_math::WidePose;

/// A point where two bodies touch, overlap, or are near each other.
///
/// Points and normal are in one frame, which the returning function states.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Contact {
    /// On the surface of A.
    pub point_a: Vec3,
    /// On the surface of B.
    pub point_b: Vec3,
    /// Unit vector from A towards B: moving B along it separates the bodies.
    pub normal: Vec3,
    /// `(point_b - point_a) . normal`: negative for penetration.
    pub distance: Real,
    /// The number of a triangle of a mesh or of a part of a compound; 0 for a single convex shape.
    pub part_a: u32,
    /// The number of a triangle of a mesh or of a part of a compound; 0 for a single convex shape.
    pub part_b: u32,
    /// Feature of A.
    pub feature_a: FeatureId,
    /// Feature of B.
    pub feature_b: FeatureId,
}

impl Contact {
    /// Returns the point half way between the two contact points. It is finite if both are.
    #[inline]
    pub fn middle(&self) -> Vec3 {
        // Halved before the sum, which may overflow.
        self.point_a * 0.5 + self.point_b * 0.5
    }

    /// Creates a contact of two single shapes, features unknown.
    #[inline]
    pub const fn new(point_a: Vec3, point_b: Vec3, normal: Vec3, distance: Real) -> Contact {
        Contact {
            point_a,
            point_b,
            normal,
            distance,
            part_a: 0,
            part_b: 0,
            feature_a: FeatureId::UNKNOWN,
            feature_b: FeatureId::UNKNOWN,
        }
    }

    /// Returns the same contact with these features.
    #[inline]
    pub const fn with_features(mut self, feature_a: FeatureId, feature_b: FeatureId) -> Contact {
        self.feature_a = feature_a;
        self.feature_b = feature_b;
        self
    }

    /// Returns the same contact with these parts.
    #[inline]
    pub const fn with_parts(mut self, part_a: u32, part_b: u32) -> Contact {
        self.part_a = part_a;
        self.part_b = part_b;
        self
    }

    /// Returns the contact with A and B exchanged.
    #[inline]
    pub fn swapped(&self) -> Contact {
        Contact {
            point_a: self.point_b,
            point_b: self.point_a,
            normal: -self.normal,
            distance: self.distance,
            part_a: self.part_b,
            part_b: self.part_a,
            feature_a: self.feature_b,
            feature_b: self.feature_a,
        }
    }
}

/// The most contacts that a manifold keeps.
pub const MAX_CONTACTS: usize = 4;

/// Up to four contacts of one pair of convex parts, with one normal.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Manifold {
    normal: Vec3,
    contacts: [Contact; MAX_CONTACTS],
    n_contacts: u8,
}

impl Manifold {
    /// Creates an empty manifold; `normal` is a unit vector from A to B.
    #[inline]
    pub const fn new(normal: Vec3) -> Manifold {
        let none = Contact::new(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, 0.0);
        Manifold { normal, contacts: [none; MAX_CONTACTS], n_contacts: 0 }
    }

    /// Returns the common normal, from A to B.
    #[inline]
    pub fn normal(&self) -> Vec3 {
        self.normal
    }

    /// Returns the contacts.
    #[inline]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts[..usize::from(self.n_contacts)]
    }

    /// Returns the contacts, for changes.
    #[inline]
    pub fn contacts_mut(&mut self) -> &mut [Contact] {
        &mut self.contacts[..usize::from(self.n_contacts)]
    }

    /// Sets the common normal, also of the contacts. Use it to move the manifold to another frame.
    #[inline]
    pub fn set_normal(&mut self, normal: Vec3) {
        self.normal = normal;
        for contact in self.contacts_mut() {
            contact.normal = normal;
        }
    }

    /// Adds a contact and returns whether there was room.
    #[inline]
    pub fn push(&mut self, contact: Contact) -> bool {
        let n = usize::from(self.n_contacts);
        if n == MAX_CONTACTS {
            return false;
        }
        self.contacts[n] = contact;
        self.n_contacts += 1;
        true
    }

    /// Whether there is no contact.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.n_contacts == 0
    }

    /// Whether the number of contacts is in range, and all numbers are finite. A manifold from a
    /// file may be invalid; its other methods may then panic.
    pub fn is_sound(&self) -> bool {
        let is_finite = |c: &Contact| {
            c.point_a.is_finite() && c.point_b.is_finite() && c.normal.is_finite() && c.distance.is_finite()
        };
        usize::from(self.n_contacts) <= MAX_CONTACTS
            && self.normal.is_finite()
            && self.contacts().iter().all(is_finite)
    }

    /// Transforms the manifold by `frame`: the pose of its frame in an outer one. Computed in
    /// `f64`, then rounded.
    pub fn transform(&mut self, frame: &WidePose) {
        self.set_normal(narrow(frame.transform_vector(widen(self.normal))));
        for contact in self.contacts_mut() {
            contact.point_a = narrow(frame.transform_point(widen(contact.point_a)));
            contact.point_b = narrow(frame.transform_point(widen(contact.point_b)));
        }
    }

    /// Returns the same manifold with these parts in each contact.
    #[must_use]
    pub fn with_parts(mut self, part_a: u32, part_b: u32) -> Manifold {
        for contact in self.contacts_mut() {
            (contact.part_a, contact.part_b) = (part_a, part_b);
        }
        self
    }

    /// Returns the contact with the least distance.
    pub fn deepest(&self) -> Option<&Contact> {
        self.contacts().iter().min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    /// Returns the manifold with A and B exchanged.
    pub fn swapped(&self) -> Manifold {
        let mut swapped = Manifold::new(-self.normal);
        for contact in self.contacts() {
            swapped.push(contact.swapped());
        }
        swapped
    }
}
