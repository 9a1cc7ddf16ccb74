//! Replaces comments, strings and tests of Rust source by spaces, so that rules see only code.

/// Returns `text` with comments, strings and characters replaced by spaces. Line breaks stay in
/// place.
pub(super) fn without_comments_and_strings(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let end = match bytes[i] {
            b'/' if bytes.get(i + 1) == Some(&b'/') => line_end(bytes, i),
            b'/' if bytes.get(i + 1) == Some(&b'*') => block_comment_end(bytes, i),
            b'"' => string_end(bytes, i),
            b'r' | b'b' | b'c' if !is_word(bytes, i.wrapping_sub(1)) => prefixed_string_end(bytes, i),
            b'\'' => character_end(bytes, i),
            _ => i,
        };
        if end == i {
            out.push(bytes[i]);
            i += 1;
        } else {
            out.extend(bytes[i..end].iter().map(|&byte| if byte == b'\n' { b'\n' } else { b' ' }));
            i = end;
        }
    }
    // Only whole characters were replaced, each byte by a space, so this is still UTF-8.
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns `code` (already without comments and strings) with the items under `#[cfg(test)]`
/// replaced by spaces.
pub(super) fn without_tests(code: &str) -> String {
    let mut out = code.to_string();
    while let Some(start) = out.find("#[cfg(test)]") {
        let bytes = out.as_bytes();
        let mut end = start;
        let mut depth = 0_u32;
        while end < bytes.len() {
            match bytes[end] {
                b'{' => depth += 1,
                b'}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break;
                    }
                }
                b';' if depth == 0 => break,
                _ => {}
            }
            end += 1;
        }
        let end = (end + 1).min(bytes.len());
        let blank: String = out[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        out.replace_range(start..end, &blank);
    }
    out
}

fn is_word(bytes: &[u8], i: usize) -> bool {
    bytes.get(i).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

fn line_end(bytes: &[u8], start: usize) -> usize {
    bytes[start..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |length| start + length)
}

fn block_comment_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0;
    let mut i = start;
    while i < bytes.len() {
        if bytes[i..].starts_with(b"/*") {
            depth += 1;
            i += 2;
        } else if bytes[i..].starts_with(b"*/") {
            depth -= 1;
            i += 2;
            if depth == 0 {
                return i;
            }
        } else {
            i += 1;
        }
    }
    bytes.len()
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut i = start + 1;
    while i < bytes.len() {
        match bytes[i] {
            b'\\' => i += 2,
            b'"' => return i + 1,
            _ => i += 1,
        }
    }
    bytes.len()
}

/// Returns the end of `r"..."`, `r#"..."#`, `b"..."`, `br"..."`, `b'.'`, `c"..."`; `start` if it
/// is none of them.
fn prefixed_string_end(bytes: &[u8], start: usize) -> usize {
    let mut i = start;
    if matches!(bytes[i], b'b' | b'c') {
        i += 1;
    }
    match bytes.get(i) {
        Some(b'"') if i > start => return string_end(bytes, i),
        Some(b'\'') if i > start => return character_end(bytes, i),
        Some(b'r') => i += 1,
        _ => return start,
    }
    let hashes = bytes[i..].iter().take_while(|&&byte| byte == b'#').count();
    if bytes.get(i + hashes) != Some(&b'"') {
        return start;
    }
    let mut close = vec![b'"'];
    close.resize(1 + hashes, b'#');
    let body = i + hashes + 1;
    bytes[body..]
        .windows(close.len())
        .position(|window| window == close)
        .map_or(bytes.len(), |length| body + length + close.len())
}

/// Returns the end of a character literal; `start` if the tick opens a lifetime.
fn character_end(bytes: &[u8], start: usize) -> usize {
    if bytes.get(start + 1) == Some(&b'\\') {
        let mut i = start + 3;
        while i < bytes.len() && bytes[i] != b'\'' {
            i += 1;
        }
        return (i + 1).min(bytes.len());
    }
    // One character, of up to four bytes, and the closing tick.
    for length in 1..=4 {
        let is_whole =
            std::str::from_utf8(bytes.get(start + 1..start + 1 + length).unwrap_or_default()).is_ok();
        if is_whole {
            return if bytes.get(start + 1 + length) == Some(&b'\'') { start + 2 + length } else { start };
        }
    }
    start
}
