//! parry's crate for `f32`.

mod num {
    pub(super) use parry3d as peer;

    pub(super) fn wide(x: f32) -> f64 {
        f64::from(x)
    }

    pub(super) fn real(x: f64) -> f32 {
        x as f32
    }
}

#[path = "parry.rs"]
pub(crate) mod parry;
