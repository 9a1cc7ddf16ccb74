//! Bytes as lines of `carom batch`: every line that is not blank gets one answer in JSON, of numbers or an error.
#![no_main]

use std::io::BufReader;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // Files of the machine are no part of the question.
    if bytes.windows(4).any(|w| w == b"file") || bytes.contains(&b'\\') {
        return;
    }
    let mut answers = Vec::new();
    if carom_cli::command::batch::answer_all(&mut BufReader::new(bytes), &mut answers).is_err() {
        panic!("writing to memory failed");
    }
    let n_questions = bytes.split(|&b| b == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
    let mut n_answers = 0;
    for line in answers.split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
        let Ok(answer) = serde_json::from_slice::<serde_json::Value>(line) else {
            panic!("an answer is no JSON: {}", String::from_utf8_lossy(line));
        };
        assert!(answer.get("id").is_some(), "an answer without id: {answer}");
        n_answers += 1;
    }
    assert_eq!(n_questions, n_answers);
});
