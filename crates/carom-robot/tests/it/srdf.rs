//! SRDF files are written and read back.

use carom_io::read_srdf;
use carom_robot::srdf_text;

#[test]
fn odd_names_come_back() {
    let names = ["base", "a b", "<&>\"'", "tab\there", "line\nfeed", "\u{e9}\u{4e16}", ""];
    let pairs: Vec<([&str; 2], &str)> = names.windows(2).map(|pair| ([pair[0], pair[1]], pair[0])).collect();
    let file = std::env::temp_dir().join(format!("carom-robot-{}.srdf", std::process::id()));
    std::fs::write(&file, srdf_text("r\"<1>", pairs.iter().copied())).unwrap();
    let read = read_srdf(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let read: Vec<([&str; 2], &str)> =
        read.iter().map(|pair| (pair.links.each_ref().map(String::as_str), pair.reason.as_str())).collect();
    assert_eq!(read, pairs);
}
