//! Places in a JSON text: where an object has a key. The text is read by another reader; this one only finds.

/// Byte offset of a key of the object that begins at or after `from`, its first where it has several; keys of objects within it do
/// not count.
pub fn key(text: &str, from: usize, name: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (from, 0_u32);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => return None,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let end = end_of_string(bytes, at)?;
                let is_key = bytes.get(end + 1..)?.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b':');
                if depth == 1 && is_key && text.get(at + 1..end) == Some(name) {
                    return Some(at);
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The closing quote of the string that begins at `start`.
fn end_of_string(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_keys_of_the_object_and_not_of_those_within() {
        let text = r#"{ "a": {"b": 1, "c": "d"}, "e\"": "b", "x": ["b"], "b" : 2, "t": {"b": 3} }"#;
        let at = |from: usize, name: &str| key(text, from, name);
        assert_eq!(at(0, "b"), text.find("\"b\" : 2"));
        assert_eq!(at(0, "c"), None);
        let inner = at(0, "a").unwrap() + 3;
        assert_eq!(at(inner, "b"), text.find("\"b\": 1"));
        assert_eq!(at(inner, "e"), None);
        assert_eq!(at(0, "d"), None);
        assert_eq!(key("{\"a", 0, "a"), None);
        assert_eq!(key("", 0, "a"), None);
    }
}
