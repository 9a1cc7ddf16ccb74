//! Bytes read as numbers. Most are small and round, so that points coincide and edges align. Some
//! repeat earlier numbers, and some are any pattern of bits.

use glam::{DQuat, DVec3, Quat, Vec3};

/// Numbers that often reveal faults.
const SPECIAL: [f64; 32] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.0 / 3.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    f64::MAX,
    f64::MIN,
    f64::EPSILON,
    1.0 + f64::EPSILON,
    1.0 - f64::EPSILON,
    f32::EPSILON as f64,
    1.0 + f32::EPSILON as f64,
    f32::MIN_POSITIVE as f64,
    1e-45,
    f32::MAX as f64,
    f32::MIN as f64,
    1e38,
    1e-38,
    1e300,
    1e-300,
    1e19,
    1e-19,
    1e-7,
    1e-12,
    16_777_217.0,
];

/// Reads numbers from the front of the bytes. After the end all are zero.
pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
    recent: [f64; 8],
    n_read: usize,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        Self { rest, recent: [0.0; 8], n_read: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        *first
    }

    /// Returns a number in `0..n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.byte())
    }

    fn earlier(&mut self) -> f64 {
        self.recent[self.below(8)]
    }

    /// Returns a small whole number, a fraction, a power of two, an earlier number or one near it,
    /// or any pattern of bits.
    pub(crate) fn float(&mut self) -> f64 {
        let x = match self.byte() % 32 {
            0..=11 => f64::from(self.byte() as i8 % 9),
            12..=15 => f64::from(i16::from_le_bytes(self.bytes())) / 256.0,
            16 | 17 => 2f64.powi(i32::from(self.byte() as i8 / 4)),
            18 => 2f64.powi(i32::from(self.byte() as i8)),
            19 => SPECIAL[self.below(SPECIAL.len())],
            20..=22 => self.earlier(),
            23 | 24 => -self.earlier(),
            25 => self.earlier().next_up(),
            26 => f64::from((self.earlier() as f32).next_down()),
            27 => self.earlier() * 0.5,
            28 => self.earlier() + f64::from(self.byte() as i8) * 2f64.powi(-40),
            29 => f64::from(i32::from_le_bytes(self.bytes())) * 2f64.powi(-30),
            30 => f64::from(f32::from_le_bytes(self.bytes())),
            _ => f64::from_le_bytes(self.bytes()),
        };
        self.recent[self.n_read % 8] = x;
        self.n_read += 1;
        x
    }

    /// Returns a number that is usually valid as a size.
    pub(crate) fn size(&mut self) -> f64 {
        let x = self.float();
        // Sometimes it stays negative, which a constructor must refuse.
        if self.rest.len() % 16 == 15 { x } else { x.abs() }
    }

    pub(crate) fn sizes(&mut self) -> DVec3 {
        DVec3::new(self.size(), self.size(), self.size())
    }

    pub(crate) fn point(&mut self) -> DVec3 {
        DVec3::new(self.float(), self.float(), self.float())
    }

    pub(crate) fn point_f32(&mut self) -> Vec3 {
        self.point().as_vec3()
    }

    /// Returns a rotation by a quarter or a third of a turn, about an axis, any unit quaternion,
    /// or a quaternion that is no rotation.
    pub(crate) fn rotation(&mut self) -> DQuat {
        const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;
        let part = |byte: u8| f64::from(byte as i8);
        let q = match self.byte() % 8 {
            0 | 1 => return DQuat::IDENTITY,
            2 => return DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5),
            3 => return DQuat::from_xyzw(0.0, HALF, 0.0, HALF),
            4 => return DQuat::from_xyzw(HALF, 0.0, 0.0, HALF),
            5 => return DQuat::from_rotation_z(self.float()),
            6 => DQuat::from_xyzw(part(self.byte()), 0.0, 0.0, part(self.byte())),
            _ => DQuat::from_xyzw(part(self.byte()), part(self.byte()), part(self.byte()), part(self.byte())),
        };
        if q.length_squared() == 0.0 { DQuat::IDENTITY } else { q.normalize() }
    }

    pub(crate) fn rotation_f32(&mut self) -> Quat {
        self.rotation().as_quat()
    }
}
