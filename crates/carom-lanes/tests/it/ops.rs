//! A kernel that runs every operation, and records the results as bits.

use carom_lanes::{F32Lanes, Kernel, Line, MaskLanes, SharedLine, Simd, U32Lanes};

/// Runs all operations on these lanes, and records every result.
pub(crate) struct AllOps<'a> {
    pub(crate) a: &'a [f32; 16],
    pub(crate) b: &'a [f32; 16],
    pub(crate) u: &'a [u32; 16],
    pub(crate) v: &'a [u32; 16],
    pub(crate) bits: u32,
}

/// The results: the name of an operation, and the bits of each lane. All NaNs are equal.
pub(crate) type Answers = Vec<(&'static str, Vec<u32>)>;

fn floats(lanes: &[f32]) -> Vec<u32> {
    lanes.iter().map(|x| if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() }).collect()
}

#[inline(always)]
fn record<const N: usize, F, U, M>(simd: F::Token, input: &AllOps<'_>, out: &mut Answers)
where
    F: F32Lanes<N, Mask = M, U32 = U>,
    U: U32Lanes<N, Token = F::Token, Mask = M, F32 = F>,
    M: MaskLanes<N, Token = F::Token>,
{
    let (ar, br) = (input.a.first_chunk::<N>().unwrap(), input.b.first_chunk::<N>().unwrap());
    let (ur, vr) = (input.u.first_chunk::<N>().unwrap(), input.v.first_chunk::<N>().unwrap());
    let (a, b) = (F::load(simd, ar), F::load(simd, br));
    let (u, v) = (U::load(simd, ur), U::load(simd, vr));
    let m = M::from_bits(simd, input.bits);
    out.push(("splat", floats(&F::splat(simd, ar[1]).to_array())));
    out.push(("add", floats(&(a + b).to_array())));
    out.push(("sub", floats(&(a - b).to_array())));
    out.push(("mul", floats(&(a * b).to_array())));
    out.push(("div", floats(&(a / b).to_array())));
    out.push(("neg", (-a).to_array().iter().map(|x| x.to_bits()).collect()));
    out.push(("abs", a.abs().to_array().iter().map(|x| x.to_bits()).collect()));
    out.push(("min", a.min(b).to_array().iter().map(|x| x.to_bits()).collect()));
    out.push(("max", a.max(b).to_array().iter().map(|x| x.to_bits()).collect()));
    out.push(("sqrt", floats(&a.sqrt().to_array())));
    out.push(("lt", vec![a.lt(b).bits()]));
    out.push(("le", vec![a.le(b).bits()]));
    out.push(("gt", vec![a.gt(b).bits()]));
    out.push(("ge", vec![a.ge(b).bits()]));
    out.push(("eq", vec![a.eq(b).bits()]));
    out.push(("select", F::select(m, a, b).to_array().iter().map(|x| x.to_bits()).collect()));
    out.push(("to_bits", a.to_bits().to_array().to_vec()));
    out.push(("trunc", a.trunc_to_u32().to_array().to_vec()));
    out.push(("swap", a.swap_halves().to_array().iter().map(|x| x.to_bits()).collect()));
    out.push(("gather", F::gather(&input.a[..5], u).to_array().iter().map(|x| x.to_bits()).collect()));
    let mut stored = [0.0; N];
    a.store(&mut stored);
    out.push(("store", stored.iter().map(|x| x.to_bits()).collect()));
    for at in [0, 3, 15, 16, 17, usize::MAX] {
        out.push(("load_or f32", floats(&F::load_or(simd, input.a, at, 7.0).to_array())));
        out.push(("load_or u32", U::load_or(simd, input.u, at, 7).to_array().to_vec()));
    }
    out.push(("reduce_min", floats(&[a.reduce_min()])));
    out.push(("reduce_max", floats(&[a.reduce_max()])));
    out.push(("reduce_sum", floats(&[a.reduce_sum()])));
    out.push(("u splat", U::splat(simd, ur[2]).to_array().to_vec()));
    out.push(("u add", (u + v).to_array().to_vec()));
    out.push(("u sub", (u - v).to_array().to_vec()));
    out.push(("u mul", (u * v).to_array().to_vec()));
    out.push(("u and", (u & v).to_array().to_vec()));
    out.push(("u or", (u | v).to_array().to_vec()));
    out.push(("u xor", (u ^ v).to_array().to_vec()));
    out.push(("u eq", vec![u.eq(v).bits()]));
    out.push(("u lt", vec![u.lt(v).bits()]));
    out.push(("u min", u.min(v).to_array().to_vec()));
    out.push(("u max", u.max(v).to_array().to_vec()));
    out.push(("u select", U::select(m, u, v).to_array().to_vec()));
    out.push(("u shl", u.shl::<0>().to_array().iter().chain(&u.shl::<7>().to_array()).copied().collect()));
    out.push(("u shr", u.shr::<31>().to_array().iter().chain(&u.shr::<9>().to_array()).copied().collect()));
    out.push(("u to_f32", floats(&u.to_f32().to_array())));
    out.push(("u as_f32_bits", floats(&u.as_f32_bits().to_array())));
    out.push(("u iota", U::iota(simd).to_array().to_vec()));
    out.push(("u replace", u.replace(vr).to_array().to_vec()));
    let mut stored = [0; N];
    u.store(&mut stored);
    out.push(("u store", stored.to_vec()));
    let kept = m.count();
    out.push(("compress", u.compress(m).to_array()[..kept].to_vec()));
    out.push((
        "compress_bits",
        u.compress_bits(simd, m.bits() | !((1 << N) - 1)).to_array()[..kept].to_vec(),
    ));
    out.push(("permute", u.permute(v).to_array().to_vec()));
    out.push(("sorted_down", u.sorted_down().to_array().to_vec()));
    for room in [kept, kept + 1, 40] {
        let mut list = vec![99; room];
        let n = u.compress_store(m, &mut list);
        list.truncate(n);
        out.push(("compress_store", list));
    }
    out.push(("m bits", vec![m.bits(), u32::from(m.any()), u32::from(m.all()), kept as u32]));
    let n = M::from_bits(simd, input.bits >> 5);
    out.push(("m ops", vec![(m & n).bits(), (m | n).bits(), (m ^ n).bits(), (!m).bits()]));
    for n in [0, 1, N - 1, N, N + 1, usize::MAX] {
        out.push(("m first", vec![M::first(simd, n).bits()]));
    }
}

impl Kernel for AllOps<'_> {
    type Output = Answers;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Answers {
        let mut out = Vec::new();
        record::<4, S::F32x4, S::U32x4, S::Mask4>(simd, &self, &mut out);
        record::<8, S::F32x8, S::U32x8, S::Mask8>(simd, &self, &mut out);
        record::<16, S::F32x16, S::U32x16, S::Mask16>(simd, &self, &mut out);
        let rows = core::array::from_fn(|i| {
            S::F32x8::load(simd, &core::array::from_fn(|j| self.a[(3 * i + j) % 16] + (8 * i + j) as f32))
        });
        for row in simd.transpose8(rows) {
            out.push(("transpose8", floats(&row.to_array())));
        }
        let mut lines = [Line { front: [0.0; 8], back: [1.0; 8] }; 3];
        let shared = SharedLine::of(&mut lines);
        simd.store_shared(&shared[1], rows[5]);
        out.push(("store_shared", floats(&shared[1].front())));
        out.push(("load_shared", floats(&simd.load_shared(&shared[1]).to_array())));
        simd.store_shared(&shared[1], simd.load_shared(&shared[0]));
        out.push(("load_shared", floats(&lines.map(|line| [line.front, line.back]).concat().concat())));
        simd.prefetch(self.a, 3);
        simd.prefetch(self.a, 300);
        out
    }
}
