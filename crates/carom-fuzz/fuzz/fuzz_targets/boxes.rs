//! Bytes as a recording of boxes: refused with one line, or frames of boxes that hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    match carom_io::boxes_csv::parse(bytes, "boxes.csv".as_ref()) {
        Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
        Ok(frames) => {
            assert!(frames.windows(2).all(|pair| pair[0].number < pair[1].number));
            for (_, sides) in frames.iter().flat_map(|frame| &frame.boxes) {
                assert!((0..3).all(|k| sides[k] <= sides[3 + k]) && sides.iter().all(|x| x.is_finite()));
            }
        }
    }
});
