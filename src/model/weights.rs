//! What the header of a `.safetensors` file, or the index of a model in several of them, says about a model's weights:
//! how many there are and how many bytes they take. Tensors are not read.

use crate::diag::{Code, Diagnostic, Place};
use crate::read::safetensors::{Header, header};
use crate::read::{Source, json};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Weights as they are stored.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Weights {
    /// Elements of all tensors. Packed 4-bit tensors count their packed elements.
    pub params: f64,
    /// Bytes of all tensors.
    pub bytes: f64,
    /// How many tensors.
    pub tensors: usize,
}

/// Reads the header of a file, or the headers that an index names; an index whose files are not there answers with its
/// total size alone, two bytes per parameter.
pub fn read(path: &Path) -> Result<Weights, Diagnostic> {
    if path.extension().is_some_and(|ending| ending == "json") {
        return index(path);
    }
    count(&header(path)?)
}

/// A mistake at a byte offset of a text; lines and columns of a header count from its first brace.
fn fail(source: &Source, at: usize, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Code::BadValue, source.place(at), message)
}

/// A text that is not JSON.
fn not_json(source: &Source, what: &str, error: &serde_json::Error) -> Diagnostic {
    let place = Place {
        file: Arc::clone(source.name()),
        line: u32::try_from(error.line()).unwrap_or(u32::MAX).max(1),
        column: u32::try_from(error.column()).unwrap_or(u32::MAX).max(1),
    };
    Diagnostic::error(Code::Syntax, place, format!("{what}not valid JSON"))
}

/// Checks a header against the bytes that follow it and adds up its tensors.
fn count(header: &Header) -> Result<Weights, Diagnostic> {
    let source = &header.text;
    let value: Value =
        serde_json::from_str(source.text()).map_err(|error| not_json(source, "the header is ", &error))?;
    let Value::Object(tensors) = value else {
        return Err(fail(source, 0, "the header is not a JSON object"));
    };
    let mut sum = Weights::default();
    for (name, tensor) in tensors.iter().filter(|(name, _)| *name != "__metadata__") {
        let wrong = |what: &str| {
            let at = json::key(source.text(), 0, name).unwrap_or(0);
            fail(source, at, format!("tensor `{name}` of the header: {what}"))
        };
        let width = tensor
            .get("dtype")
            .and_then(Value::as_str)
            .and_then(width)
            .ok_or_else(|| wrong("no `dtype`, or one that is not known"))?;
        let shape = tensor.get("shape").and_then(Value::as_array).ok_or_else(|| wrong("no `shape`"))?;
        let elements = shape
            .iter()
            .try_fold(1_u64, |product, size| product.checked_mul(size.as_u64()?))
            .ok_or_else(|| wrong("a shape that is not of whole numbers, or too large"))?;
        let ends: Vec<u64> = tensor
            .get("data_offsets")
            .and_then(Value::as_array)
            .map(|ends| ends.iter().filter_map(Value::as_u64).collect())
            .unwrap_or_default();
        let &[start, end] = ends.as_slice() else { return Err(wrong("no `data_offsets`")) };
        if start > end || end > header.data {
            return Err(wrong(&format!(
                "bytes {start} to {end} of a file with {} bytes of tensors: cut off, or a header that lies",
                header.data
            )));
        }
        #[expect(clippy::cast_precision_loss, reason = "sizes stay below 2⁵³")]
        let (elements, bytes) = (elements as f64, (end - start) as f64);
        if (elements * width - bytes).abs() > 1.0 {
            return Err(wrong(&format!(
                "its shape needs {} bytes, its offsets span {bytes}",
                elements * width
            )));
        }
        sum.params += elements;
        sum.bytes += bytes;
        sum.tensors += 1;
    }
    if sum.tensors == 0 {
        return Err(fail(source, 0, "the header names no tensors"));
    }
    Ok(sum)
}

/// Bytes of an element.
fn width(dtype: &str) -> Option<f64> {
    Some(match dtype {
        "F64" | "I64" | "U64" => 8.0,
        "F32" | "I32" | "U32" => 4.0,
        "F16" | "BF16" | "I16" | "U16" => 2.0,
        "F8_E4M3" | "F8_E5M2" | "F8_E8M0" | "I8" | "U8" | "BOOL" => 1.0,
        "F4" => 0.5,
        _ => return None,
    })
}

fn index(path: &Path) -> Result<Weights, Diagnostic> {
    let source = Source::open(path)?;
    let value: Value = serde_json::from_str(source.text()).map_err(|error| not_json(&source, "", &error))?;
    let files: BTreeSet<&str> = value
        .get("weight_map")
        .and_then(Value::as_object)
        .ok_or_else(|| {
            let at = json::key(source.text(), 0, "weight_map").unwrap_or(0);
            fail(&source, at, "an index of weights has a `weight_map`, an object of tensors and files")
        })?
        .values()
        .filter_map(Value::as_str)
        .collect();
    let folder = path.parent().unwrap_or(Path::new(""));
    if files.iter().all(|file| folder.join(file).exists()) && !files.is_empty() {
        let mut sum = Weights::default();
        for file in files {
            let part = count(&header(&folder.join(file))?)?;
            sum.params += part.params;
            sum.bytes += part.bytes;
            sum.tensors += part.tensors;
        }
        return Ok(sum);
    }
    let metadata = value.get("metadata");
    let number = |key: &str| metadata.and_then(|m| m.get(key)).and_then(Value::as_f64).filter(|n| *n > 0.0);
    let bytes = number("total_size").ok_or_else(|| {
        let at = json::key(source.text(), 0, "metadata").unwrap_or(0);
        fail(&source, at, "its files are not beside it, and it has no `metadata.total_size` above 0")
    })?;
    Ok(Weights { params: number("total_parameters").unwrap_or(bytes / 2.0), bytes, tensors: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str, data: u64) -> Result<Weights, Diagnostic> {
        count(&Header { text: Source::new("model.safetensors", json), data })
    }

    #[test]
    fn adds_up_tensors() {
        let json = r#"{"__metadata__":{"format":"pt"},"a":{"dtype":"BF16","shape":[3,4],"data_offsets":[0,24]},
            "b":{"dtype":"F32","shape":[5],"data_offsets":[24,44]}}"#;
        assert_eq!(of(json, 44).unwrap(), Weights { params: 17.0, bytes: 44.0, tensors: 2 });
    }

    #[test]
    fn a_lying_header_is_refused_with_one_message() {
        for (json, data, part) in [
            (r#"{"a":{"dtype":"F32","shape":[5],"data_offsets":[0,20]}}"#, 10, "lies"),
            (r#"{"a":{"dtype":"F32","shape":[6],"data_offsets":[0,20]}}"#, 20, "needs 24 bytes"),
            (r#"{"a":{"dtype":"F33","shape":[5],"data_offsets":[0,20]}}"#, 20, "dtype"),
            (
                r#"{"a":{"dtype":"F32","shape":[99999999999,99999999999],"data_offsets":[0,20]}}"#,
                20,
                "too large",
            ),
            (r#"{"a":{"dtype":"F32","shape":[5]}}"#, 20, "data_offsets"),
            ("{}", 20, "no tensors"),
            ("[1]", 20, "object"),
            ("{", 20, "not valid JSON"),
        ] {
            let message = of(json, data).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
            assert!(message.starts_with("model.safetensors:1:"), "{message}");
        }
        // The place is that of the tensor.
        let json =
            "{\"a\":{\"dtype\":\"F32\",\"shape\":[5],\"data_offsets\":[0,20]},\n \"b\":{\"dtype\":\"F33\"}}";
        let place = of(json, 20).unwrap_err().place.unwrap();
        assert_eq!((place.line, place.column), (2, 2));
    }
}
