//! Integration tests of carom-geom.

mod hull;
mod mesh;
mod tri_tri;
