//! Integration tests of carom-sat.

mod box_box;
