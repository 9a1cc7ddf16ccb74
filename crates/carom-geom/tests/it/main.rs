//! Integration tests of carom-geom.

mod mesh;
mod tri_tri;
