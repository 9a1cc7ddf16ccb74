//! Times of impact against what is slower and obviously right.

mod motion;
