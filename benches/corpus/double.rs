//! parry's crate for `f64`.

mod num {
    pub(super) use parry3d_f64 as peer;

    pub(super) fn wide(x: f64) -> f64 {
        x
    }

    pub(super) fn real(x: f64) -> f64 {
        x
    }
}

#[path = "parry.rs"]
pub(crate) mod parry;
