//! Sums of products of three `f64`, without any rounding, for every finite input.
//!
//! A double is an integer times a power of two. So is a product of three, with at most 159 bits. A
//! fixed-point number for the whole range of such products takes a hundred words, and sums in it
//! are exact. Two such numbers, one for each sign, keep the carries short. It is the last step of
//! [`predicates`](crate::predicates), after the filters and expansions. It is slow but has no
//! range limit.
//!
//! Reference: U. Kulisch, W. Miranker, The Arithmetic of the Digital Computer: A New Approach,
//! SIAM Review 28, 1986.
//! Differs: products of three numbers instead of two; only the sign and the leading digits of the
//! sum are needed.

use core::cmp::Ordering;
use glam::DVec3;

/// Exponent of the lowest bit: three times that of the least subnormal.
const MIN_EXPONENT: i32 = -3222;

/// 6294 bits of products, and room for 2^64 of them.
const N_WORDS: usize = 100;

/// An exact sum of products of three finite numbers.
pub(crate) struct ExactSum {
    positive: [u64; N_WORDS],
    negative: [u64; N_WORDS],
}

impl ExactSum {
    /// Returns the empty sum.
    pub(crate) const fn new() -> ExactSum {
        ExactSum { positive: [0; N_WORDS], negative: [0; N_WORDS] }
    }

    /// Adds `a * b * c`. The numbers should be finite. The bits of others are read in the same way:
    /// infinity counts as 2^1024, and NaN as a larger number.
    pub(crate) fn add(&mut self, a: f64, b: f64, c: f64) {
        let ((ma, ea), (mb, eb), (mc, ec)) = (parts(a), parts(b), parts(c));
        let ab = u128::from(ma) * u128::from(mb);
        let (low, high) = (ab as u64, (ab >> 64) as u64);
        let low = u128::from(low) * u128::from(mc);
        let high = u128::from(high) * u128::from(mc) + (low >> 64);
        let digits = [low as u64, high as u64, (high >> 64) as u64];
        if digits == [0; 3] {
            return;
        }
        let shift = (ea + eb + ec - MIN_EXPONENT).unsigned_abs();
        let (word, bit) = ((shift / 64) as usize, shift % 64);
        let is_negative = a.is_sign_negative() ^ b.is_sign_negative() ^ c.is_sign_negative();
        let sum = if is_negative { &mut self.negative } else { &mut self.positive };
        let mut carry = false;
        for i in 0..N_WORDS - word {
            let digit = match i {
                0 => digits[0] << bit,
                1 | 2 => digits[i] << bit | (digits[i - 1] >> 1) >> (63 - bit),
                3 => (digits[2] >> 1) >> (63 - bit),
                _ if carry => 0,
                _ => break,
            };
            let (s, c0) = sum[word + i].overflowing_add(digit);
            let (s, c1) = s.overflowing_add(u64::from(carry));
            sum[word + i] = s;
            carry = c0 | c1;
        }
    }

    /// Adds `s` times the determinant of the rows `u`, `v`, `w`.
    pub(crate) fn add_determinant(&mut self, s: f64, u: [f64; 3], v: [f64; 3], w: [f64; 3]) {
        for (i, j, k) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
            self.add(s * u[i], v[j], w[k]);
            self.add(-s * u[i], v[k], w[j]);
        }
    }

    /// Returns the sign of the sum: -1, 0 or 1.
    pub(crate) fn sign(&self) -> f64 {
        match self.positive.iter().rev().cmp(self.negative.iter().rev()) {
            Ordering::Less => -1.0,
            Ordering::Equal => 0.0,
            Ordering::Greater => 1.0,
        }
    }

    /// Returns the sum without its sign.
    fn magnitude(&self) -> [u64; N_WORDS] {
        let (large, small) = if self.sign() < 0.0 {
            (&self.negative, &self.positive)
        } else {
            (&self.positive, &self.negative)
        };
        let mut digits = *large;
        let mut borrow = false;
        for (digit, s) in digits.iter_mut().zip(small) {
            let (d, b0) = digit.overflowing_sub(*s);
            let (d, b1) = d.overflowing_sub(u64::from(borrow));
            *digit = d;
            borrow = b0 | b1;
        }
        digits
    }
}

/// Returns the sum of the products `p x q` of successive corners, last and first included. The sum
/// is twice the area of a polygon times its normal. It is exact up to one rounding per coordinate.
/// A power of 2 scales it so that the largest coordinate is between 2^128 and 2^192. It is zero
/// exactly if the true sum is.
pub fn area_direction(n_corners: usize, corner: impl Fn(usize) -> DVec3) -> DVec3 {
    let mut sums = [const { ExactSum::new() }; 3];
    for i in 0..n_corners {
        let (p, q) = (corner(i).to_array(), corner((i + 1) % n_corners).to_array());
        for (sum, (j, k)) in sums.iter_mut().zip([(1, 2), (2, 0), (0, 1)]) {
            sum.add(p[j], q[k], 1.0);
            sum.add(-p[k], q[j], 1.0);
        }
    }
    let magnitudes = sums.each_ref().map(ExactSum::magnitude);
    let top = (0..N_WORDS).rev().find(|&i| magnitudes.iter().any(|m| m[i] != 0)).unwrap_or(0).max(2);
    // 2^64 exactly.
    let word = 2.0 * (1_u64 << 63) as f64;
    let mut coordinates = [0.0; 3];
    for ((coordinate, digits), sum) in coordinates.iter_mut().zip(&magnitudes).zip(&sums) {
        // Adds from the lowest digit up. The digits do not overlap, so each sum is rounded to
        // nearest, or nearly so.
        let rest = digits[top - 2] as f64 + digits[top - 1] as f64 * word;
        *coordinate = sum.sign() * (rest + digits[top] as f64 * word * word);
    }
    DVec3::from_array(coordinates)
}

/// Returns the mantissa and the exponent in `|x| = mantissa * 2^exponent`.
fn parts(x: f64) -> (u64, i32) {
    let bits = x.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let exponent = (bits >> 52 & 0x7ff) as i32;
    if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) }
}
