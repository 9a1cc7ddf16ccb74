//! Exact numbers, for signs of polynomials that plain `f64` cannot decide.
//!
//! A number is a sign and an array of 64-bit digits that starts at some power of 2^64. Sums and
//! products use the schoolbook algorithms. Nothing is truncated, up to products of six `f64` of
//! any size. An operation uses no heap, but is slow; use it only after a filter.
//!
//! Reference: D. E. Knuth, The Art of Computer Programming, volume 2, 4.3.1 (algorithms A, S and
//! M).

use core::cmp::Ordering;
use core::ops::{Add, Mul, Neg, Sub};
use glam::DVec3;

/// All digits of products of six numbers from 2^-1074 to 2^1024 each, with room for sums.
const N_DIGITS: usize = 6 * 34 + 4;

/// The base of the digits.
const DIGIT: f64 = (1_u128 << 64) as f64;

/// An exact number. Products may have up to six `f64` factors; sums may have any number of terms.
#[derive(Clone)]
pub struct ExactNumber {
    is_negative: bool,
    /// Digits, the lowest first; the first and the last are not zero.
    digits: [u64; N_DIGITS],
    n_digits: usize,
    /// The power of 2^64 of the first digit.
    lowest: i32,
}

impl ExactNumber {
    /// Zero.
    pub const ZERO: ExactNumber =
        ExactNumber { is_negative: false, digits: [0; N_DIGITS], n_digits: 0, lowest: 0 };

    /// Returns the sign: -1, 0 or 1.
    #[inline]
    pub fn sign(&self) -> f64 {
        match (self.n_digits, self.is_negative) {
            (0, _) => 0.0,
            (_, true) => -1.0,
            (_, false) => 1.0,
        }
    }

    /// Returns the absolute value.
    #[inline]
    pub fn abs(mut self) -> ExactNumber {
        self.is_negative = false;
        self
    }

    /// Returns the square of the number.
    #[inline]
    pub fn squared(&self) -> ExactNumber {
        self * self
    }

    /// Returns the quotient, right to about 1e-15. 0 over 0, overflow and underflow behave as in
    /// `f64`.
    pub fn quotient(&self, other: &ExactNumber) -> f64 {
        let ((p, p_end), (q, q_end)) = (self.leading(), other.leading());
        let mut value = p / q;
        // After 40 steps the result is 0 or infinity, which further steps do not change.
        let step = if q_end < p_end { DIGIT } else { 1.0 / DIGIT };
        for _ in 0..(p_end - q_end).unsigned_abs().min(40) {
            value *= step;
        }
        value
    }

    /// Returns the two highest digits as a number with sign, and one past the first digit's power
    /// of 2^64.
    fn leading(&self) -> (f64, i32) {
        let end = self.end();
        let (high, low) = (self.digit(end - 1) as f64, self.digit(end - 2) as f64);
        let magnitude = high + low / DIGIT;
        (if self.is_negative { -magnitude } else { magnitude }, end)
    }

    /// Removes zeros at both ends.
    fn trimmed(mut self) -> ExactNumber {
        while 0 < self.n_digits && self.digits[self.n_digits - 1] == 0 {
            self.n_digits -= 1;
        }
        let n_zeros = self.digits[..self.n_digits].iter().take_while(|&&d| d == 0).count();
        if 0 < n_zeros {
            self.digits.copy_within(n_zeros..self.n_digits, 0);
            self.digits[self.n_digits - n_zeros..self.n_digits].fill(0);
            self.n_digits -= n_zeros;
            self.lowest += n_zeros as i32;
        }
        self
    }

    /// Returns the digit of this power of 2^64.
    #[inline]
    fn digit(&self, power: i32) -> u64 {
        usize::try_from(power - self.lowest).ok().and_then(|i| self.digits.get(i)).copied().unwrap_or(0)
    }

    /// Returns one more than the highest power of 2^64.
    #[inline]
    fn end(&self) -> i32 {
        self.lowest + self.n_digits as i32
    }

    /// Compares without signs.
    fn magnitude_cmp(&self, other: &ExactNumber) -> Ordering {
        if self.n_digits == 0 || other.n_digits == 0 {
            return self.n_digits.cmp(&other.n_digits);
        }
        let (low, end) = (self.lowest.min(other.lowest), self.end().max(other.end()));
        for power in (low..end).rev() {
            match self.digit(power).cmp(&other.digit(power)) {
                Ordering::Equal => {}
                unequal => return unequal,
            }
        }
        Ordering::Equal
    }

    /// Returns the sum of the magnitudes, or their difference `self - other`. `self` must not be
    /// the smaller one then.
    fn merged(&self, other: &ExactNumber, is_difference: bool) -> ExactNumber {
        if other.n_digits == 0 {
            return self.clone();
        }
        if self.n_digits == 0 {
            return other.clone();
        }
        let low = self.lowest.min(other.lowest);
        let n = (self.end().max(other.end()) - low).unsigned_abs() as usize + 1;
        debug_assert!(n <= N_DIGITS, "more than six factors");
        let mut sum = ExactNumber { is_negative: self.is_negative, lowest: low, ..ExactNumber::ZERO };
        sum.n_digits = n.min(N_DIGITS);
        let mut carry = false;
        for (i, digit) in sum.digits[..sum.n_digits].iter_mut().enumerate() {
            let (a, b) = (self.digit(low + i as i32), other.digit(low + i as i32));
            let (first, carry0, second, carry1);
            if is_difference {
                (first, carry0) = a.overflowing_sub(b);
                (second, carry1) = first.overflowing_sub(u64::from(carry));
            } else {
                (first, carry0) = a.overflowing_add(b);
                (second, carry1) = first.overflowing_add(u64::from(carry));
            }
            *digit = second;
            carry = carry0 | carry1;
        }
        sum.trimmed()
    }
}

impl core::fmt::Debug for ExactNumber {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            f,
            "{}{:x?} * 2^{}",
            if self.is_negative { "-" } else { "" },
            &self.digits[..self.n_digits],
            64 * self.lowest
        )
    }
}

impl From<f64> for ExactNumber {
    /// Converts exactly. Infinity counts as the next power of two past the range, NaN as a number
    /// beyond it.
    fn from(x: f64) -> ExactNumber {
        let bits = x.to_bits();
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, exponent) = match (bits >> 52 & 0x7ff) as i32 {
            0 => (fraction, -1074),
            exponent => (fraction | 1 << 52, exponent - 1075),
        };
        let wide = u128::from(mantissa) << exponent.rem_euclid(64);
        let mut number = ExactNumber {
            is_negative: x.is_sign_negative(),
            n_digits: 2,
            lowest: exponent.div_euclid(64),
            ..ExactNumber::ZERO
        };
        number.digits[0] = wide as u64;
        number.digits[1] = (wide >> 64) as u64;
        number.trimmed()
    }
}

impl Neg for ExactNumber {
    type Output = ExactNumber;
    #[inline]
    fn neg(mut self) -> ExactNumber {
        self.is_negative = !self.is_negative;
        self
    }
}

impl Add for &ExactNumber {
    type Output = ExactNumber;
    fn add(self, other: &ExactNumber) -> ExactNumber {
        if self.is_negative == other.is_negative {
            return self.merged(other, false);
        }
        match self.magnitude_cmp(other) {
            Ordering::Less => other.merged(self, true),
            Ordering::Equal => ExactNumber::ZERO,
            Ordering::Greater => self.merged(other, true),
        }
    }
}

impl Sub for &ExactNumber {
    type Output = ExactNumber;
    fn sub(self, other: &ExactNumber) -> ExactNumber {
        self + &-other.clone()
    }
}

impl Mul for &ExactNumber {
    type Output = ExactNumber;
    fn mul(self, other: &ExactNumber) -> ExactNumber {
        let n = self.n_digits + other.n_digits;
        debug_assert!(n <= N_DIGITS, "more than six factors");
        let mut product = ExactNumber {
            is_negative: self.is_negative != other.is_negative,
            n_digits: n.min(N_DIGITS),
            lowest: self.lowest + other.lowest,
            ..ExactNumber::ZERO
        };
        for (i, &a) in self.digits[..self.n_digits].iter().enumerate() {
            let mut carry = 0;
            for (j, &b) in other.digits[..other.n_digits].iter().chain(&[0]).enumerate() {
                let Some(digit) = product.digits.get_mut(i + j) else { break };
                let sum = u128::from(a) * u128::from(b) + u128::from(*digit) + u128::from(carry);
                *digit = sum as u64;
                carry = (sum >> 64) as u64;
            }
        }
        product.trimmed()
    }
}

/// Three exact numbers.
#[derive(Clone, Debug)]
pub struct ExactVec3([ExactNumber; 3]);

impl ExactVec3 {
    /// Returns the vector of these numbers.
    pub fn new(x: ExactNumber, y: ExactNumber, z: ExactNumber) -> ExactVec3 {
        ExactVec3([x, y, z])
    }

    /// Returns `a - b`.
    pub fn difference(a: DVec3, b: DVec3) -> ExactVec3 {
        &ExactVec3::from(a) - &ExactVec3::from(b)
    }

    /// Returns the inner product.
    pub fn dot(&self, other: &ExactVec3) -> ExactNumber {
        let [x, y, z] = [0, 1, 2].map(|i| &self.0[i] * &other.0[i]);
        &(&x + &y) + &z
    }

    /// Returns the vector product.
    pub fn cross(&self, other: &ExactVec3) -> ExactVec3 {
        let (a, b) = (&self.0, &other.0);
        ExactVec3([(1, 2), (2, 0), (0, 1)].map(|(i, j)| &(&a[i] * &b[j]) - &(&a[j] * &b[i])))
    }

    /// Returns the squared length.
    pub fn length_squared(&self) -> ExactNumber {
        self.dot(self)
    }

    /// Whether all three are zero.
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|x| x.n_digits == 0)
    }
}

impl From<DVec3> for ExactVec3 {
    fn from(v: DVec3) -> ExactVec3 {
        ExactVec3(v.to_array().map(ExactNumber::from))
    }
}

impl Add for &ExactVec3 {
    type Output = ExactVec3;
    fn add(self, other: &ExactVec3) -> ExactVec3 {
        ExactVec3([0, 1, 2].map(|i| &self.0[i] + &other.0[i]))
    }
}

impl Sub for &ExactVec3 {
    type Output = ExactVec3;
    fn sub(self, other: &ExactVec3) -> ExactVec3 {
        ExactVec3([0, 1, 2].map(|i| &self.0[i] - &other.0[i]))
    }
}
