//! Integration tests of carom-query.

mod mesh_cases;
