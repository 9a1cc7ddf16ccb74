//! Benches of carom against its peers: answers are compared before anything is timed.
#![forbid(unsafe_code)]
