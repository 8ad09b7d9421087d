//! A line of the zoo as a transformer.

use super::{Entry, Table};
use crate::model::Family;
use crate::model::architecture::{Dims, Experts, Gate, Head, Patches, Stacks, Transformer};
use crate::model::class::{Kind, kind};

/// The transformer of a line of the table of transformers; `None` for other lines.
pub fn shape(entry: &Entry) -> Option<Transformer> {
    if entry.table() != Table::Transformers {
        return None;
    }
    let kind = kind(match entry.text("class")? {
        "roberta" => "roberta",
        other => other,
    })?;
    let n = |column| entry.number(column);
    let extra = |key| entry.extra_number(key);
    let (hidden, heads) = (n("hidden")?, n("heads")?);
    let vocab = n("vocab")?;
    let mut block = kind.block;
    if let Some(rotary) = extra("rotary") {
        block.rotary = rotary;
    }
    if entry.extra("gated") == Some("yes") {
        block.gate = Gate::Separate;
        block.activation = crate::model::architecture::Activation::GeluPlain;
    }
    if entry.extra("qkv_bias") == Some("yes") {
        block.qkv_bias = true;
    }
    if entry.extra("norms") == Some("2") {
        block.order = crate::model::architecture::Order::ParallelTwo;
    }
    let layers = n("layers")?;
    let ffn = n("ffn")?;
    let two_stacks = matches!(kind.family, Family::EncoderDecoder | Family::Speech);
    Some(Transformer {
        class: kind.class,
        family: if extra("experts").is_some() { Family::Moe } else { kind.family },
        dims: Dims {
            layers,
            hidden,
            heads,
            kv_heads: n("kv_heads").unwrap_or(heads),
            head_dim: n("head_dim").unwrap_or(hidden / heads),
            ffn,
            vocab,
            positions: positions(&kind, n("positions")),
            types: kind.types,
            embedding: extra("embedding").unwrap_or(hidden),
        },
        block,
        experts: extra("experts").map(|count| Experts {
            count,
            top: extra("top").unwrap_or(1.0),
            shared: 0.0,
        }),
        head: match entry.extra("head") {
            Some("classify") => Head::Classify,
            Some("pool") => Head::Pool,
            Some("none") => Head::None,
            _ => kind.head,
        },
        tied: entry.extra("tied").map_or(kind.tied, |tied| tied == "yes"),
        head_bias: kind.head_bias,
        constant_bias: kind.constant_bias,
        wide_loss: kind.wide_loss && entry.extra("loss") != Some("own"),
        logit_softcap: block.softcap,
        shared_layers: kind.class == "albert",
        embedding_norm: kind.embedding_norm,
        final_norm: kind.final_norm,
        patches: extra("image").zip(extra("patch")).map(|(image, patch)| Patches {
            image,
            patch,
            extra: 1.0,
        }),
        stacks: two_stacks.then_some(Stacks {
            decoder_layers: layers,
            decoder_ffn: ffn,
            mels: extra("mels"),
            frames: 1500.0,
        }),
        window: extra("window"),
        global_every: extra("global_every"),
        latent: None,
    })
}

/// Rows of the table of positions: what is stated, plus what the kind reserves.
fn positions(kind: &Kind, stated: Option<f64>) -> f64 {
    match (kind.extra_positions, stated) {
        (Some(extra), Some(stated)) => stated + extra,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::parameters::count;
    use crate::model::zoo;

    /// The published count is reproduced exactly, or to the digits in which it is stated.
    #[test]
    fn published_parameter_counts_are_reproduced() {
        let mut checked = 0;
        let mut wrong = Vec::new();
        for entry in zoo::entries().filter(|entry| entry.table() == Table::Transformers) {
            let stated = entry.text("params").unwrap();
            let counted = count(&shape(entry).unwrap_or_else(|| panic!("{}", entry.name()))).total;
            let close = match (stated.strip_suffix('B'), stated.strip_suffix('M')) {
                (Some(digits), _) | (_, Some(digits)) => {
                    let decimals = digits.split_once('.').map_or(0, |(_, d)| d.len());
                    let scale = if stated.ends_with('B') { 1e9 } else { 1e6 };
                    format!("{:.decimals$}", counted / scale) == digits
                }
                _ => stated.parse::<f64>().is_ok_and(|stated| (stated - counted).abs() < 0.5),
            };
            checked += 1;
            if !close {
                wrong.push(format!("{} {stated} {counted}", entry.name()));
            }
        }
        assert!(checked >= 80);
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
