//! From a name, from dimensions or from parameters alone to what is run.

use super::images::ImageModel;
use super::request::{Basis, Request, Subject};
use crate::model::architecture::Transformer;
use crate::model::class::{Kind, kind};
use crate::model::zoo::{self, Entry, Table};
use crate::model::{Family, Model, parameters};

/// What is run, and what is native to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Described {
    /// What is run.
    pub subject: Subject,
    /// Its family.
    pub family: Family,
    /// How sure that is.
    pub basis: Basis,
    /// Native tokens per sample.
    pub length: Option<f64>,
    /// Native edge of the image.
    pub edge: Option<f64>,
    /// Parameters.
    pub params: f64,
    /// The architecture that stands in, where only family and parameters are known.
    pub stands_in: Option<&'static str>,
}

/// An architecture of the zoo.
pub fn named(name: &str) -> Option<Described> {
    described(zoo::entry(name)?)
}

fn described(entry: &Entry) -> Option<Described> {
    if entry.table() == Table::Transformers {
        let t = zoo::shape::shape(entry)?;
        return Some(Described { length: entry.number("length"), ..transformer(t, Basis::Known) });
    }
    let image = ImageModel::of(entry)?;
    let family = zoo::family(entry)?;
    Some(Described {
        subject: Subject::Image(image),
        family,
        basis: Basis::Known,
        length: None,
        edge: Some(image.native),
        params: image.params,
        stands_in: None,
    })
}

/// A transformer with known dimensions.
pub fn transformer(t: Transformer, basis: Basis) -> Described {
    Described {
        subject: Subject::Transformer(t),
        family: t.family,
        basis,
        length: None,
        edge: t.patches.map(|patches| patches.image),
        params: parameters::count(&t).total,
        stands_in: None,
    }
}

/// A model of which only the family and the number of parameters are known. The architecture of that family whose
/// size is nearest stands in, `except` one; a network without layers that matter needs its parameters only.
pub fn sized(family: Family, params: f64, except: Option<&str>) -> Described {
    let plain = Described {
        subject: Subject::Plain,
        family,
        basis: Basis::Family,
        length: None,
        edge: None,
        params,
        stands_in: None,
    };
    match family {
        Family::Cnn => {
            let subject = Subject::Image(ImageModel::typical(params, 224.0));
            Described { subject, edge: Some(224.0), ..plain }
        }
        Family::Mlp | Family::Linear => Described {
            subject: Subject::Mlp { layers: 1.0, hidden: params.sqrt().clamp(1.0, 4096.0) },
            ..plain
        },
        Family::BoostedTrees | Family::Recsys => plain,
        Family::Vit
        | Family::Encoder
        | Family::Decoder
        | Family::EncoderDecoder
        | Family::Moe
        | Family::Diffusion
        | Family::Speech => {
            // Between models of about one size the commonest layer, Llama's, is likelier.
            let rare = |entry: &Entry| match entry.text("class") {
                None | Some("llama" | "bert" | "vit_timm" | "t5" | "mixtral") => 0.0,
                Some(_) => 0.15,
            };
            let distance = |entry: &Entry| {
                let own = entry.number("params").unwrap_or(1.0);
                (own / params.max(1.0)).ln().abs() + rare(entry)
            };
            let nearest = zoo::entries()
                .filter(|entry| zoo::family(entry) == Some(family))
                .filter(|entry| except.is_none_or(|name| entry.name() != name))
                .min_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.name().cmp(b.name())))
                .and_then(|entry| Some((entry.name(), described(entry)?)));
            match nearest {
                Some((name, found)) => Described {
                    subject: resized(&found.subject, found.params, params),
                    basis: Basis::Family,
                    params,
                    stands_in: Some(name),
                    ..found
                },
                None => plain,
            }
        }
    }
}

/// The same architecture with more or fewer layers of more or less width, so that its parameters come near.
fn resized(subject: &Subject, own: f64, wanted: f64) -> Subject {
    let Subject::Transformer(mut t) = *subject else { return *subject };
    let ratio = wanted / own.max(1.0);
    // Widths grow with the cube root of the parameters, as depths do.
    if (ratio - 1.0).abs() > 0.02 {
        let by = ratio.cbrt();
        let d = &mut t.dims;
        d.layers *= by;
        d.hidden *= by;
        d.ffn *= by;
        d.head_dim *= by;
        d.embedding *= by;
    }
    Subject::Transformer(t)
}

/// A stage's model as a request to one of `devices`: its architecture where the zoo has it, else its family and size.
pub fn request_of(model: &Model, devices: f64) -> Request {
    let found = model
        .architecture
        .as_deref()
        .and_then(named)
        .unwrap_or_else(|| sized(model.family, model.params, None));
    let mut request = Request::new(found.subject, model.family, found.basis);
    let whole = model.trainable >= model.params;
    request.params = (whole && model.params > 0.0).then_some(model.params);
    request.batch = model.micro_batch_on(devices);
    if let Some(seq) = model.seq_len.or(found.length) {
        request.seq = seq;
        request.target = seq;
    }
    if let Some(edge) = model.image_size.or(found.edge) {
        request.pixels = edge * edge;
    }
    Request {
        precision: model.precision,
        optimizer: model.optimizer,
        mode: model.mode,
        checkpointing: model.gradient_checkpointing,
        accumulate: model.accumulation.max(1.0),
        widened: model.gradient_checkpointing,
        devices,
        sharding: model.sharding,
        ..request
    }
}

/// A transformer of which the dimensions are known but not the kind: the usual kind of its family.
pub fn shaped(
    family: Family,
    name: &str,
    fill: impl FnOnce(&Kind) -> Option<Transformer>,
) -> Option<Described> {
    let plain = name.to_lowercase();
    // A name often begins with its kind: `qwen3-0.6b`, `phi-2`, `roberta-large`.
    let hinted = HINTS.iter().find(|(start, _)| plain.starts_with(start)).map(|(_, class)| *class);
    let usual = match family {
        Family::Encoder => "bert",
        Family::EncoderDecoder => "bart",
        Family::Speech => "whisper",
        Family::Vit => "vit_timm",
        Family::Moe => "mixtral",
        Family::Decoder => "llama",
        _ => return None,
    };
    let kind = kind(hinted.unwrap_or(usual))?;
    let t = fill(&kind)?;
    Some(transformer(t, if hinted.is_some() { Basis::Known } else { Basis::Keys }))
}

/// Beginnings of names and the kinds that they mean, longer ones first.
const HINTS: &[(&str, &str)] = &[
    ("xlm-roberta", "roberta"),
    ("camembert", "roberta"),
    ("distilroberta", "roberta"),
    ("roberta", "roberta"),
    ("distilbert", "distilbert"),
    ("distilgpt2", "gpt2"),
    ("electra", "electra"),
    ("albert", "albert"),
    ("mpnet", "mpnet"),
    ("bert", "bert"),
    ("gpt2", "gpt2"),
    ("gpt-neox", "gpt_neox"),
    ("gpt-neo", "gpt_neo"),
    ("gpt-j", "gptj"),
    ("pythia", "gpt_neox"),
    ("opt-", "opt"),
    ("bloom", "bloom"),
    ("mpt", "mpt"),
    ("falcon", "falcon"),
    ("phi-3", "phi3"),
    ("phi-4", "phi3"),
    ("phi", "phi"),
    ("qwen3", "qwen3"),
    ("qwen", "qwen2"),
    ("gemma-3", "gemma3_text"),
    ("gemma-2-", "gemma2"),
    ("gemma", "gemma"),
    ("olmo-2", "olmo2"),
    ("olmo", "olmo"),
    ("stablelm", "stablelm"),
    ("starcoder2", "starcoder2"),
    ("granite", "granite"),
    ("smollm3", "smollm3"),
    ("tinyllama", "llama"),
    ("llama", "llama"),
    ("smollm", "llama"),
    ("mixtral", "mixtral"),
    ("mistral", "mistral"),
    ("mbart", "mbart"),
    ("bart", "bart"),
    ("pegasus", "pegasus"),
    ("opus-mt", "marian"),
    ("t5", "t5"),
    ("whisper", "whisper"),
    ("timm:", "vit_timm"),
    ("deit", "vit_timm"),
    ("vit_", "vit_torch"),
    ("dinov2", "dinov2"),
];
