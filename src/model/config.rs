//! A Hugging Face `config.json` as a transformer. Keys have several spellings; the kind (`model_type`) fills in what
//! the file leaves out. A kind that is not known is read from its keys alone.

mod block;
mod guess;
mod keys;

use crate::diag::{Code, Diagnostic};
use crate::model::Family;
use crate::model::architecture::{Dims, Experts, Head, Patches, Stacks, Transformer};
use crate::model::class::{CLASSES, Kind, kind};
use crate::read::{Source, json};
use keys::{Keys, Wrong};
use serde_json::Value;

/// What a configuration says, and what had to be supposed.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelConfig {
    /// The transformer.
    pub transformer: Transformer,
    /// Its `model_type`, as the file writes it.
    pub model_type: String,
    /// Whether that kind is known; if not, its layer was read off the keys.
    pub known: bool,
    /// The format in which the file says the weights are stored: `float32`, `bfloat16`, ….
    pub stored: Option<String>,
}

/// Spellings of the number of attention heads.
const HEADS: &[&str] = &["num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads"];
/// Spellings of the number of heads of keys and values.
const KEY_VALUE_HEADS: &[&str] = &["num_key_value_heads", "num_kv_heads", "n_head_kv"];

/// Reads a configuration: what is wrong with it is told in one run, each with its place.
pub fn read(source: &Source) -> Result<ModelConfig, Vec<Diagnostic>> {
    let value: Value = serde_json::from_str(source.text()).map_err(|error| {
        let place = crate::diag::Place {
            file: std::sync::Arc::clone(source.name()),
            line: u32::try_from(error.line()).unwrap_or(u32::MAX).max(1),
            column: u32::try_from(error.column()).unwrap_or(u32::MAX).max(1),
        };
        vec![Diagnostic::error(Code::Syntax, place, "not valid JSON")]
    })?;
    let Value::Object(map) = &value else {
        let message = "a model configuration is a JSON object";
        return Err(vec![Diagnostic::error(Code::WrongType, source.place(0), message)]);
    };
    // Models of text and images keep the text part in a table of its own.
    let (inner, begins) = match map.get("text_config") {
        Some(Value::Object(text)) if !map.contains_key("hidden_size") => {
            let key = json::key(source.text(), 0, "text_config").unwrap_or(0);
            (text, key + "\"text_config\"".len())
        }
        _ => (map, 0),
    };
    let text = source.text();
    let place = |wrong: &Wrong| {
        let key = wrong.key.as_ref();
        let found = key.and_then(|key| json::key(text, begins, key).or_else(|| json::key(text, 0, key)));
        source.place(found.or_else(|| text.find('{')).unwrap_or(0))
    };
    let told = |wrong: Wrong| Diagnostic::error(wrong.code, place(&wrong), wrong.message);
    Keys { map: inner, outer: map }.transformer().map_err(|wrong| wrong.into_iter().map(told).collect())
}

impl Keys<'_> {
    fn transformer(&self) -> Result<ModelConfig, Vec<Wrong>> {
        let model_type = self
            .text(&["model_type"])
            .or_else(|| self.outer.get("model_type").and_then(Value::as_str))
            .unwrap_or_default()
            .to_owned();
        let found = kind(&model_type);
        if found.is_none() && !self.looks_like_a_transformer() {
            let message = format!(
                "`model_type` is {model_type:?} and the configuration has no `hidden_size`; known kinds: {}",
                CLASSES.join(", ")
            );
            return Err(vec![Wrong::value(Some("model_type"), message)]);
        }
        let kind = found.unwrap_or_else(|| self.guess());
        let transformer = self.assemble(&kind, found.is_some())?;
        let stored = self
            .text(&["torch_dtype", "dtype"])
            .or_else(|| self.outer.get("torch_dtype").and_then(Value::as_str))
            .map(str::to_owned);
        Ok(ModelConfig { transformer, model_type, known: found.is_some(), stored })
    }

    fn looks_like_a_transformer(&self) -> bool {
        self.value(&["hidden_size", "n_embd", "d_model", "dim"]).is_some()
            && self
                .value(&["num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads"])
                .is_some()
    }

    #[expect(clippy::too_many_lines, reason = "one statement per part of a layer")]
    fn assemble(&self, kind: &Kind, known: bool) -> Result<Transformer, Vec<Wrong>> {
        let class = kind.class;
        let vision = kind.family == Family::Vit;
        let sizes = [
            self.size(&["hidden_size", "n_embd", "d_model", "dim"]),
            self.size(&["num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers"]),
            self.size(HEADS),
            if vision {
                Ok(self.number(&["num_labels"]).unwrap_or_else(|| self.labels()))
            } else {
                self.size(&["vocab_size"])
            },
        ];
        let [Ok(hidden), Ok(layers), Ok(heads), Ok(vocab)] = sizes else {
            // All that is wrong with them, not only the first.
            return Err(sizes.into_iter().filter_map(Result::err).collect());
        };
        let stated_head = self.number(&["head_dim", "d_kv", "kv_channels"]);
        let head_dim = match stated_head {
            Some(width) if width >= 1.0 => width,
            _ if (hidden / heads).fract() != 0.0 => {
                let message = format!(
                    "`hidden_size` {hidden} is not a multiple of `num_attention_heads` {heads}, and there is no `head_dim`"
                );
                return Err(vec![Wrong::value(self.spelling(HEADS), message)]);
            }
            _ => hidden / heads,
        };
        let multi_query = match class {
            // Old Falcon and StarCoder share one key and value head among all queries.
            "falcon" if self.flag(&["new_decoder_architecture"]) != Some(true) => {
                self.flag(&["multi_query"]) != Some(false)
            }
            "gpt_bigcode" => self.flag(&["multi_query"]) != Some(false),
            _ => false,
        };
        let kv_heads = if multi_query { 1.0 } else { self.number(KEY_VALUE_HEADS).unwrap_or(heads) };
        if kv_heads < 1.0 || (heads / kv_heads).fract() != 0.0 {
            let message = format!(
                "`num_attention_heads` {heads} is not a multiple of `num_key_value_heads` {kv_heads}"
            );
            return Err(vec![Wrong::value(self.spelling(KEY_VALUE_HEADS), message)]);
        }
        let experts = self.experts(kind).map_err(|wrong| vec![wrong])?;
        let ffn_names: &[&str] = match (experts, class) {
            (Some(_), _) => &["moe_intermediate_size", "intermediate_size", "ffn_dim"],
            (None, "gpt2" | "openai-gpt" | "gptj" | "gpt_neo" | "codegen" | "gpt_bigcode") => {
                &["n_inner", "intermediate_size"]
            }
            (None, _) => &[
                "intermediate_size",
                "ffn_dim",
                "d_ff",
                "encoder_ffn_dim",
                "hidden_dim",
                "ffn_hidden_size",
                "n_inner",
            ],
        };
        let ffn = match self.number(ffn_names) {
            Some(ffn) if ffn >= 1.0 => ffn,
            _ => match class {
                "gpt2" | "openai-gpt" | "gptj" | "gpt_neo" | "codegen" | "gpt_bigcode" | "bloom"
                | "falcon" | "mpt" | "dinov2" => {
                    hidden * self.number(&["expansion_ratio", "mlp_ratio"]).unwrap_or(4.0)
                }
                // Files that write widths as GPT-2 does leave the usual factor of four out.
                "unknown" if self.map.contains_key("n_embd") => 4.0 * hidden,
                _ => self.size(ffn_names).map_err(|wrong| vec![wrong])?,
            },
        };
        let block = self.block(kind, known);
        let head = self.head(kind);
        let tied_default = kind.tied;
        let tied = self
            .flag(&["tie_word_embeddings"])
            .or_else(|| self.outer.get("tie_word_embeddings").and_then(Value::as_bool))
            .unwrap_or(tied_default);
        let positions = match kind.extra_positions {
            Some(extra) => {
                let stated =
                    self.number(&["max_position_embeddings", "n_positions", "n_ctx", "max_target_positions"]);
                stated.unwrap_or(kind.usual_positions) + extra
            }
            None => 0.0,
        };
        let patches = if vision {
            let patch = self.number(&["patch_size"]).unwrap_or(16.0);
            let image = self.number(&["image_size"]).unwrap_or(224.0);
            Some(Patches { image, patch, extra: 1.0 })
        } else {
            None
        };
        let two_stacks = matches!(kind.family, Family::EncoderDecoder | Family::Speech);
        let stacks = two_stacks.then(|| Stacks {
            decoder_layers: self.number(&["decoder_layers", "num_decoder_layers"]).unwrap_or(layers),
            decoder_ffn: self.number(&["decoder_ffn_dim"]).unwrap_or(ffn),
            mels: (kind.family == Family::Speech).then(|| self.number(&["num_mel_bins"]).unwrap_or(80.0)),
            frames: self.number(&["max_source_positions"]).unwrap_or(1500.0),
        });
        let embedding = self.number(&["embedding_size", "word_embed_proj_dim"]).unwrap_or(hidden);
        Ok(Transformer {
            class,
            family: if experts.is_some() { Family::Moe } else { kind.family },
            dims: Dims {
                layers,
                hidden,
                heads,
                kv_heads,
                head_dim,
                ffn,
                vocab,
                positions,
                types: if kind.types > 0.0 {
                    self.number(&["type_vocab_size"]).unwrap_or(kind.types)
                } else {
                    0.0
                },
                embedding,
            },
            block,
            experts,
            head,
            tied,
            head_bias: self.flag(&["lm_head_bias"]).unwrap_or(kind.head_bias),
            constant_bias: kind.constant_bias,
            wide_loss: kind.wide_loss,
            logit_softcap: self.number(&["final_logit_softcapping"]).map_or(block.softcap, |cap| cap > 0.0),
            shared_layers: class == "albert",
            embedding_norm: self
                .flag(&["normalize_embedding", "layernorm_embedding"])
                .unwrap_or(kind.embedding_norm),
            final_norm: kind.final_norm,
            patches,
            stacks,
            window: self.window(),
            global_every: self.number(&["sliding_window_pattern", "global_attn_every_n_layers"]).or(
                match class {
                    "gemma2" => Some(2.0),
                    "gemma3_text" => Some(6.0),
                    _ => None,
                },
            ),
            latent: self
                .number(&["kv_lora_rank"])
                .map(|rank| rank + self.number(&["qk_rope_head_dim"]).unwrap_or(0.0)),
        })
    }

    fn labels(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a count of labels")]
        let labels = self.map.get("id2label").and_then(Value::as_object).map(|labels| labels.len() as f64);
        labels.unwrap_or(2.0)
    }

    fn window(&self) -> Option<f64> {
        if self.flag(&["use_sliding_window"]) == Some(false) {
            return None;
        }
        self.number(&["sliding_window", "local_attention"]).filter(|window| *window >= 1.0)
    }

    fn experts(&self, kind: &Kind) -> Result<Option<Experts>, Wrong> {
        let Some(count) =
            self.number(&["num_local_experts", "num_experts", "n_routed_experts"]).filter(|n| *n > 1.0)
        else {
            return if kind.family == Family::Moe {
                self.size(&["num_local_experts", "num_experts"]).map(|_| None)
            } else {
                Ok(None)
            };
        };
        let names = ["num_experts_per_tok", "num_experts_per_token", "moe_top_k"];
        let top = self.number(&names).unwrap_or(2.0);
        if top < 1.0 || top > count {
            let message = format!("`num_experts_per_tok` is {top} of {count} experts");
            return Err(Wrong::value(self.spelling(&names), message));
        }
        let shared = self.number(&["shared_expert_intermediate_size"]).unwrap_or_else(|| {
            self.number(&["n_shared_experts"]).unwrap_or(0.0)
                * self.number(&["moe_intermediate_size"]).unwrap_or(0.0)
        });
        Ok(Some(Experts { count, top, shared }))
    }

    /// What stands on top, by the class that the file was saved from.
    fn head(&self, kind: &Kind) -> Head {
        let saved = self
            .map
            .get("architectures")
            .or_else(|| self.outer.get("architectures"))
            .and_then(Value::as_array)
            .and_then(|names| names.first())
            .and_then(Value::as_str)
            .unwrap_or_default();
        if saved.contains("Classification") || saved.contains("MultipleChoice") {
            Head::Classify
        } else if saved.contains("MaskedLM")
            || saved.contains("PreTraining") && kind.family == Family::Encoder
        {
            Head::Masked
        } else if saved.contains("CausalLM") || saved.contains("LMHead") {
            Head::Causal
        } else if saved.contains("QuestionAnswering") {
            Head::None
        } else {
            kind.head
        }
    }
}
