//! The header of a `.safetensors` file: eight bytes with its length, then JSON. Nothing else of the file is read, so
//! that a file of a hundred gigabytes costs a few kilobytes.

use super::Source;
use super::source::reason;
use crate::diag::{Code, Diagnostic};
use std::io::Read;
use std::path::Path;

/// The largest header that the format allows.
const LONGEST: u64 = 100_000_000;

/// A header and how many bytes of tensors follow it.
#[derive(Debug, Clone)]
pub struct Header {
    /// Its JSON.
    pub text: Source,
    /// Bytes after it.
    pub data: u64,
}

/// Reads the header of a file.
pub fn header(path: &Path) -> Result<Header, Diagnostic> {
    let name = path.display().to_string();
    let fail = |message: String| Diagnostic::error(Code::Unreadable, None, format!("{name}: {message}"));
    let io = |error: &std::io::Error| fail(reason(error));
    let mut file = std::fs::File::open(path).map_err(|error| io(&error))?;
    let size = file.metadata().map_err(|error| io(&error))?.len();
    let mut length = [0_u8; 8];
    file.read_exact(&mut length).map_err(|_| {
        fail(format!("not a safetensors file: {size} bytes are less than the 8 of its length"))
    })?;
    let length = u64::from_le_bytes(length);
    let rest = size.saturating_sub(8);
    if length > LONGEST {
        return Err(fail(format!("not a safetensors file: a header of {length} bytes; allowed: {LONGEST}")));
    }
    if length > rest {
        return Err(fail(format!(
            "cut off: the header has {length} bytes, the file {rest} after its length"
        )));
    }
    let mut text = Vec::new();
    file.take(length).read_to_end(&mut text).map_err(|error| io(&error))?;
    let text = String::from_utf8(text).map_err(|_| fail("the header is not UTF-8 text".to_owned()))?;
    Ok(Header { text: Source::new(name, text), data: rest - length })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_lies_about_its_length_is_refused() {
        let folder = std::env::temp_dir().join(format!("plan-safetensors-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let mut good = 2_u64.to_le_bytes().to_vec();
        good.extend(b"{}abc");
        assert_eq!(header(&write("good", &good)).unwrap().data, 3);
        for (name, bytes) in [
            ("short", &b"abc"[..]),
            ("cut", &[200, 0, 0, 0, 0, 0, 0, 0, b'{'][..]),
            ("huge", &[255, 255, 255, 255, 255, 255, 255, 255, b'{'][..]),
            ("binary", &[2, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfe][..]),
        ] {
            assert!(header(&write(name, bytes)).is_err(), "{name}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
