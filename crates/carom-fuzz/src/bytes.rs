//! Bytes read as numbers: mostly of ordinary size, sometimes any bit pattern.

use glam::{DQuat, DVec3};

/// Reads numbers off the front of the bytes; after the end all are zero.
pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        *first
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.byte())
    }

    /// A small whole number, a fraction, or any pattern of bits.
    pub(crate) fn float(&mut self) -> f64 {
        match self.byte() % 4 {
            0 => f64::from(self.byte() as i8),
            1 => f64::from(i16::from_le_bytes(self.bytes())) / 256.0,
            2 => f64::from(f32::from_le_bytes(self.bytes())),
            _ => f64::from_le_bytes(self.bytes()),
        }
    }

    pub(crate) fn point(&mut self) -> DVec3 {
        DVec3::new(self.float(), self.float(), self.float())
    }

    /// A unit quaternion where the numbers allow one.
    pub(crate) fn rotation(&mut self) -> DQuat {
        let part = |byte: u8| f64::from(byte as i8);
        let q = DQuat::from_xyzw(part(self.byte()), part(self.byte()), part(self.byte()), part(self.byte()));
        if q.length_squared() == 0.0 { DQuat::IDENTITY } else { q.normalize() }
    }
}
