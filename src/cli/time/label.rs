//! Names of models as benchmarks and people write them in, architectures and families out.

use crate::diag::{Code, Diagnostic};
use crate::model::Family;
use crate::model::zoo::{self, Known};
use crate::names::Named;
use crate::units::{Quantity, number::Count};

/// The zoo's entry that a label means: `resnet50`, `ConvNets/resnet50v1.5[PyTorch]`, `bert_large_squad[PyTorch]`.
/// Paths, frameworks in brackets, version numbers and the data set at the end do not count; nothing else is guessed.
pub fn architecture(label: &str) -> Option<Known> {
    let plain = label.split('[').next().unwrap_or(label).trim();
    let inner = plain.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    let last = plain.rsplit('/').next().unwrap_or(plain);
    let of_a_benchmark = label.contains(['/', '[']);
    [Some(label), inner, Some(last)].into_iter().flatten().find_map(|text| spelled(text, of_a_benchmark))
}

/// Networks of which the zoo has no memory figures: parameters and forward operations per image at a native size, as
/// their authors publish them (timm, torchvision, Ultralytics, DETR). SSD300 on ResNet-50 is counted by layer here.
const NETWORKS: [(&str, f64, f64, f64); 10] = [
    ("resnext101-32x4d", 44.2e6, 16.0e9, 224.0),
    ("se-resnext101-32x4d", 49.0e6, 16.1e9, 224.0),
    ("ssd300-resnet50", 23.0e6, 42.0e9, 300.0),
    ("maskrcnn-resnet50-fpn", 44.4e6, 268.8e9, 800.0),
    ("detr-r50", 41.0e6, 172.0e9, 800.0),
    ("yolov5n", 1.9e6, 4.5e9, 640.0),
    ("yolov5s", 7.2e6, 16.5e9, 640.0),
    ("yolov5m", 21.2e6, 49.0e9, 640.0),
    ("yolov5l", 46.5e6, 109.1e9, 640.0),
    ("yolov5x", 86.7e6, 205.7e9, 640.0),
];

/// The network of [`NETWORKS`] with this name.
fn network(name: &str) -> Option<Known> {
    let (name, params, flops, size) = NETWORKS.iter().find(|(known, ..)| *known == name)?;
    Some(Known {
        name,
        family: Family::Cnn,
        params: *params,
        active: *params,
        forward_flops: Some(*flops),
        seq_len: None,
        image_size: Some(*size),
    })
}

/// What benchmarks call entries of the zoo.
const ALIASES: [(&str, &str); 18] = [
    ("rn50", "resnet50"),
    ("rn50v1.5", "resnet50"),
    ("bert", "bert-large"), // what NVIDIA pre-trains and fine-tunes under that name
    ("bart", "bart-large"),
    ("faster-r-cnn-r50-fpn", "fasterrcnn_resnet50_fpn"),
    ("retinanet-r50", "retinanet_resnet50_fpn"),
    ("efficientnet-widese-b0", "efficientnet_b0"),
    ("efficientnet-quant-b0", "efficientnet_b0"),
    ("efficientnet-widese-b4", "efficientnet_b4"),
    ("efficientnet-quant-b4", "efficientnet_b4"),
    ("mobilenetv2-100", "mobilenet_v2"),
    ("mobilenetv3-large-100", "mobilenet_v3_large"),
    ("mnasnet-100", "mnasnet1_0"),
    ("swin-tiny-patch4-window7-224", "swin_t"),
    ("deit-b", "timm:deit_base_patch16_224"),
    ("ssd", "ssd300-resnet50"), // NVIDIA's stands on a ResNet-50
    ("maskrcnn", "maskrcnn-resnet50-fpn"),
    ("mask-r-cnn-r50-fpn", "maskrcnn-resnet50-fpn"),
];

fn spelled(text: &str, of_a_benchmark: bool) -> Option<Known> {
    let text = text.trim().to_lowercase().replace([' ', '_'], "-");
    let mut name = text.as_str();
    loop {
        let alias = ALIASES.iter().find(|(other, _)| of_a_benchmark && *other == name).map(|(_, name)| *name);
        let timm = format!("timm:{}", name.replace('-', "_"));
        let name_here = alias.unwrap_or(name);
        let found = [name_here, &name.replace('-', "_"), &timm].into_iter().find_map(zoo::lookup);
        let found = network(name_here).or(found);
        if found.is_some() {
            return found;
        }
        name = shorter(name)?;
    }
}

/// Without a version number or the name of a data set or a step at the end.
fn shorter(name: &str) -> Option<&str> {
    const ENDS: [&str; 10] = [
        "-squad",
        "-train",
        "-pretraining",
        "-pretrain",
        "-finetuning",
        "-finetune",
        "-fine-tuning",
        "-imagenet",
        "-coco",
        "-100",
    ];
    if let Some(short) = ENDS.iter().find_map(|end| name.strip_suffix(end)) {
        return Some(short);
    }
    let (short, version) = name.rsplit_once('v')?;
    let is_version = version.contains('.') && version.chars().all(|c| c.is_ascii_digit() || c == '.');
    is_version.then_some(short.trim_end_matches('-'))
}

/// Edge of the images on which a network is trained by design, where the zoo's figures are for another.
pub fn native_image_size(known: &Known) -> Option<f64> {
    // The EfficientNet paper scales resolution with depth and width.
    match known.name {
        "efficientnet_b1" => Some(240.0),
        "efficientnet_b2" => Some(260.0),
        "efficientnet_b3" => Some(300.0),
        "efficientnet_b4" => Some(380.0),
        _ => known.image_size,
    }
}

/// The family that a text names: its own spelling or one that benchmarks use. `Err` for no family at all; `Ok(None)`
/// for work whose family is not told apart (`other`).
pub fn family(text: &str) -> Result<Option<Family>, Diagnostic> {
    let text = text.trim().to_lowercase();
    Ok(Some(match text.as_str() {
        "" | "other" | "gnn/other" | "gnn" | "classic-ml" | "transcode" | "preprocess" => return Ok(None),
        "llm" | "decoder" | "gpt" | "transformer" => Family::Decoder,
        "encoder" | "bert" | "nlp" => Family::Encoder,
        "seq2seq" | "seq2seq/transformer-xl" | "transformer-xl" | "rnn" => Family::EncoderDecoder,
        "speech/tts" | "tts" => Family::Speech,
        "detector" | "segmentation" | "gan" => Family::Cnn,
        "gbm" | "gbdt" | "trees" => Family::BoostedTrees,
        "rl" => Family::Mlp,
        other => {
            return Family::from_name(other).map(Some).ok_or_else(|| {
                Diagnostic::error(Code::UnknownName, None, "no model family")
                    .allowed(Family::allowed())
                    .did_you_mean(other, Family::ALL.iter().map(|(_, name)| *name))
            });
        }
    }))
}

/// The parameters that a label states: 7 thousand million in `Llama-2-7B`, 124 million in `GPT-2-124M`.
pub fn stated_params(label: &str) -> Option<f64> {
    label.split(['-', '_', ' ', '/', '[', '(', ']', ')']).rev().find_map(|word| {
        let digits = word.get(..word.len().checked_sub(1)?)?;
        let unit = word.get(digits.len()..)?.to_uppercase();
        let number = digits.chars().all(|c| c.is_ascii_digit() || c == '.') && !digits.is_empty();
        (number && (unit == "B" || unit == "M"))
            .then(|| Count::parse(&format!("{digits}{unit}")).ok())
            .flatten()
            .map(Count::get)
    })
}

/// The nearest architectures to a misspelt one.
pub fn suggestion(label: &str) -> Option<&'static str> {
    crate::names::closest(label, zoo::names())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_benchmarks_mean() {
        for (label, name) in [
            ("resnet50", "resnet50"),
            ("ConvNets/resnet50v1.5[PyTorch]", "resnet50"),
            ("Classification/RN50v1.5[MxNet]", "resnet50"),
            ("ConvNets/efficientnet(efficientnet-b0)[PyTorch]", "efficientnet_b0"),
            ("Classification/ConvNets(resnet50)[PyTorch]", "resnet50"),
            ("bert_large_squad[PyTorch]", "bert-large"),
            ("vit_small_patch16_224[timm]", "timm:vit_small_patch16_224"),
            ("mobilenetv2_100[timm]", "mobilenet_v2"),
            ("Llama-2-7B", "llama-2-7b"),
            ("Pythia-1.0B", ""),
            ("transformerxlbase[PyTorch]", ""),
            ("ssd[PyTorch]", "ssd300-resnet50"),
            ("ssd", "ssd300_vgg16"),
            ("ConvNets/se-resnext101-32x4d[TensorFlow]", "se-resnext101-32x4d"),
            ("YOLOv5s", "yolov5s"),
            ("efficientnet-widese-b4", ""),
            ("ConvNets/efficientnet(efficientnet-widese-b4)[PyTorch]", "efficientnet_b4"),
        ] {
            assert_eq!(architecture(label).map_or("", |k| k.name), name, "{label}");
        }
    }

    #[test]
    fn reads_sizes_from_names() {
        for (label, params) in [
            ("MPT-1b", Some(1e9)),
            ("GPT-2-124M", Some(124e6)),
            ("Llama 2 7 B LoRA", None),
            ("LLaMA-65B", Some(65e9)),
        ] {
            assert_eq!(stated_params(label), params, "{label}");
        }
        assert_eq!(family("seq2seq/transformer-xl"), Ok(Some(Family::EncoderDecoder)));
        assert_eq!(family("other"), Ok(None));
        assert!(family("cnnn").unwrap_err().to_string().contains("did you mean `cnn`?"));
    }
}
