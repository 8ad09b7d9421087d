//! A Hugging Face `config.json` as a transformer. Keys have several spellings; the kind (`model_type`) fills in what
//! the file leaves out. A kind that is not known is read from its keys alone.

use crate::diag::{Code, Diagnostic};
use crate::model::Family;
use crate::model::architecture::{
    Activation, Block, Dims, Experts, Gate, Head, Norm, Order, Patches, Position, QkNorm, Softmax, Stacks,
    Transformer,
};
use crate::model::class::{CLASSES, FALLBACK, Kind, kind};
use crate::read::Source;
use serde_json::{Map, Value};

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

/// Reads a configuration.
pub fn read(source: &Source) -> Result<ModelConfig, Diagnostic> {
    let fail = |code, message: String| Diagnostic::error(code, source.place(0), message);
    let value: Value = serde_json::from_str(source.text()).map_err(|error| {
        let place = crate::diag::Place {
            file: std::sync::Arc::clone(source.name()),
            line: u32::try_from(error.line()).unwrap_or(u32::MAX).max(1),
            column: u32::try_from(error.column()).unwrap_or(u32::MAX).max(1),
        };
        Diagnostic::error(Code::Syntax, place, "not valid JSON")
    })?;
    let Value::Object(map) = &value else {
        return Err(fail(Code::WrongType, "a model configuration is a JSON object".to_owned()));
    };
    // Models of text and images keep the text part in a table of its own.
    let inner = match map.get("text_config") {
        Some(Value::Object(text)) if !map.contains_key("hidden_size") => text,
        _ => map,
    };
    Keys { map: inner, outer: map }.transformer().map_err(|message| fail(Code::MissingKey, message))
}

struct Keys<'a> {
    map: &'a Map<String, Value>,
    outer: &'a Map<String, Value>,
}

impl Keys<'_> {
    fn value(&self, names: &[&str]) -> Option<&Value> {
        names.iter().find_map(|name| self.map.get(*name).filter(|value| !value.is_null()))
    }

    fn number(&self, names: &[&str]) -> Option<f64> {
        self.value(names)?.as_f64()
    }

    fn flag(&self, names: &[&str]) -> Option<bool> {
        self.value(names)?.as_bool()
    }

    fn text(&self, names: &[&str]) -> Option<&str> {
        self.value(names)?.as_str()
    }

    /// A probability of dropout: whether it is above zero.
    fn dropout(&self, names: &[&str]) -> Option<bool> {
        Some(self.number(names)? > 0.0)
    }

    /// A size that must be there and be a whole number above zero.
    fn size(&self, names: &[&str]) -> Result<f64, String> {
        let first = names.first().copied().unwrap_or_default();
        match self.number(names) {
            Some(n) if n >= 1.0 && n.fract() == 0.0 && n <= 1e9 => Ok(n),
            Some(n) => Err(format!("`{first}` is {n}; allowed: a whole number above zero")),
            None => {
                let spellings: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                Err(format!("the configuration lacks `{first}` (spellings: {})", spellings.join(", ")))
            }
        }
    }

    fn transformer(&self) -> Result<ModelConfig, String> {
        let model_type = self
            .text(&["model_type"])
            .or_else(|| self.outer.get("model_type").and_then(Value::as_str))
            .unwrap_or_default()
            .to_owned();
        let found = kind(&model_type);
        if found.is_none() && !self.looks_like_a_transformer() {
            return Err(format!(
                "`model_type` is {model_type:?} and the configuration has no `hidden_size`; known kinds: {}",
                CLASSES.join(", ")
            ));
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
    fn assemble(&self, kind: &Kind, known: bool) -> Result<Transformer, String> {
        let class = kind.class;
        let hidden = self.size(&["hidden_size", "n_embd", "d_model", "dim"])?;
        let layers =
            self.size(&["num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers"])?;
        let heads =
            self.size(&["num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads"])?;
        let vision = kind.family == Family::Vit;
        let vocab = if vision {
            self.number(&["num_labels"]).unwrap_or_else(|| self.labels())
        } else {
            self.size(&["vocab_size"])?
        };
        let stated_head = self.number(&["head_dim", "d_kv", "kv_channels"]);
        let head_dim = match stated_head {
            Some(width) if width >= 1.0 => width,
            _ if (hidden / heads).fract() != 0.0 => {
                return Err(format!(
                    "`hidden_size` {hidden} is not a multiple of `num_attention_heads` {heads}, and there is no `head_dim`"
                ));
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
        let kv_heads = if multi_query {
            1.0
        } else {
            self.number(&["num_key_value_heads", "num_kv_heads", "n_head_kv"]).unwrap_or(heads)
        };
        if kv_heads < 1.0 || (heads / kv_heads).fract() != 0.0 {
            return Err(format!(
                "`num_attention_heads` {heads} is not a multiple of `num_key_value_heads` {kv_heads}"
            ));
        }
        let experts = self.experts(kind)?;
        let ffn_names: &[&str] = match (experts, class) {
            (Some(_), _) => &["moe_intermediate_size", "intermediate_size", "ffn_dim"],
            (None, "gpt2" | "gptj" | "gpt_neo" | "codegen" | "gpt_bigcode") => {
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
                "gpt2" | "gptj" | "gpt_neo" | "codegen" | "gpt_bigcode" | "bloom" | "falcon" | "mpt"
                | "dinov2" => hidden * self.number(&["expansion_ratio", "mlp_ratio"]).unwrap_or(4.0),
                // Files that write widths as GPT-2 does leave the usual factor of four out.
                "unknown" if self.map.contains_key("n_embd") => 4.0 * hidden,
                _ => self.size(ffn_names)?,
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
            Some(Patches {
                image,
                patch,
                extra: if self.map.contains_key("num_register_tokens") || class != "deit" {
                    1.0
                } else {
                    1.0
                },
            })
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

    fn experts(&self, kind: &Kind) -> Result<Option<Experts>, String> {
        let Some(count) =
            self.number(&["num_local_experts", "num_experts", "n_routed_experts"]).filter(|n| *n > 1.0)
        else {
            return if kind.family == Family::Moe {
                self.size(&["num_local_experts", "num_experts"]).map(|_| None)
            } else {
                Ok(None)
            };
        };
        let top = self.number(&["num_experts_per_tok", "num_experts_per_token", "moe_top_k"]).unwrap_or(2.0);
        if top < 1.0 || top > count {
            return Err(format!("`num_experts_per_tok` is {top} of {count} experts"));
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

    fn activation(&self) -> Option<Activation> {
        let name = self.text(&[
            "hidden_act",
            "hidden_activation",
            "activation_function",
            "activation",
            "feed_forward_proj",
        ])?;
        Some(match name {
            "relu" => Activation::Relu,
            "gelu_new" | "gelu_fast" | "gated-gelu" => Activation::GeluPlain,
            "silu" | "swish" => Activation::Silu,
            "quick_gelu" => Activation::GeluQuick,
            "relu2" => Activation::ReluSquared,
            _ if name.contains("gelu") => Activation::Gelu,
            _ => return None,
        })
    }

    /// The kind's layer with what the file says otherwise.
    fn block(&self, kind: &Kind, known: bool) -> Block {
        let class = kind.class;
        let mut block = kind.block;
        // Gemma's first files name an activation that the code never used; BLOOM's and MPT's is their own.
        if !matches!(class, "gemma" | "bloom" | "mpt" | "modernbert" | "gpt_bigcode") {
            if let Some(activation) = self.activation() {
                block.activation = activation;
            }
        }
        if self.text(&["feed_forward_proj"]).is_some_and(|name| name.starts_with("gated")) {
            block.gate = Gate::Separate;
        }
        if let Some(share) = self.rotary_share(block.rotary) {
            block.rotary = share;
        }
        let named = |names: &[&str], slot: &mut bool| {
            if let Some(value) = self.flag(names) {
                *slot = value;
            }
        };
        match class {
            "falcon" => {
                named(&["bias"], &mut block.qkv_bias);
                block.out_bias = block.qkv_bias;
                block.mlp_bias = block.qkv_bias;
                if self.flag(&["new_decoder_architecture"]) == Some(true) {
                    block.order = Order::ParallelTwo;
                } else if self.flag(&["parallel_attn"]) == Some(false) {
                    block.order = Order::Pre;
                }
            }
            "starcoder2" => {
                named(&["use_bias"], &mut block.qkv_bias);
                block.out_bias = block.qkv_bias;
                block.mlp_bias = block.qkv_bias;
            }
            "stablelm" => {
                named(&["use_qkv_bias"], &mut block.qkv_bias);
                if self.flag(&["qk_layernorm"]) == Some(true) {
                    block.qk_norm = QkNorm::Head;
                }
                if self.flag(&["use_parallel_residual"]) == Some(true) {
                    block.order = Order::Parallel;
                }
            }
            "gpt_neox" if self.flag(&["use_parallel_residual"]) == Some(false) => block.order = Order::Pre,
            "opt" if self.flag(&["do_layer_norm_before"]) == Some(false) => block.order = Order::Post,
            "persimmon" if self.flag(&["qk_layernorm"]) == Some(false) => block.qk_norm = QkNorm::None,
            "cohere" if self.flag(&["use_qk_norm"]) == Some(true) => block.qk_norm = QkNorm::Head,
            // Qwen 2 has biases on queries, keys and values whatever the file says.
            "qwen2" | "qwen2_moe" => {}
            "glm" | "glm4" => named(&["attention_bias"], &mut block.qkv_bias),
            _ => {
                if let Some(bias) = self.flag(&["attention_bias", "qkv_bias", "use_bias"]) {
                    block.qkv_bias = bias;
                    block.out_bias = bias;
                }
                named(&["mlp_bias"], &mut block.mlp_bias);
            }
        }
        if let Some(on) = self.dropout(&[
            "hidden_dropout_prob",
            "hidden_dropout",
            "resid_pdrop",
            "resid_dropout",
            "dropout",
            "dropout_rate",
            "residual_dropout",
        ]) {
            // DistilBERT has dropout on the output of its feed-forward part only.
            block.residual_dropout = on && class != "distilbert";
            block.output_dropout = on && class != "albert";
            block.embedding_dropout = on && class != "opt";
        }
        if matches!(class, "whisper" | "bart" | "mbart" | "pegasus" | "marian" | "m2m_100") {
            block.inner_dropout = self.dropout(&["activation_dropout"]).unwrap_or(false);
        }
        if class == "t5" {
            block.inner_dropout = block.residual_dropout;
            block.attention_dropout = block.residual_dropout;
        }
        if let Some(on) = self.dropout(&["embd_pdrop", "embed_dropout", "embd_dropout"]) {
            block.embedding_dropout = on;
        }
        if let Some(on) =
            self.dropout(&["attention_probs_dropout_prob", "attention_dropout", "attn_pdrop", "attn_dropout"])
        {
            block.attention_dropout = on;
        }
        if !known && self.map.contains_key("qk_norm") || self.flag(&["use_qk_norm"]) == Some(true) {
            block.qk_norm = QkNorm::Head;
        }
        block
    }

    fn rotary_share(&self, default: f64) -> Option<f64> {
        let nested = |table: &str| {
            self.map
                .get(table)
                .and_then(Value::as_object)
                .and_then(|t| t.get("partial_rotary_factor"))
                .and_then(Value::as_f64)
        };
        if let Some(dim) = self.number(&["rotary_dim"]) {
            let hidden = self.number(&["n_embd", "hidden_size"])?;
            let heads = self.number(&["n_head", "num_attention_heads"])?;
            return Some((dim / (hidden / heads)).clamp(0.0, 1.0));
        }
        self.number(&["partial_rotary_factor", "rotary_pct", "rope_pct"])
            .or_else(|| nested("rope_parameters"))
            .or_else(|| nested("rope_scaling"))
            .or(Some(default))
            .map(|share| share.clamp(0.0, 1.0))
    }

    /// A kind nobody named, from the keys that its file has: RMSNorm or LayerNorm by the name of its epsilon, a gate
    /// where the activation is SiLU, rotary positions where there is a base for them.
    fn guess(&self) -> Kind {
        let has = |name: &str| self.map.contains_key(name);
        let seq2seq = self.outer.get("is_encoder_decoder").and_then(Value::as_bool) == Some(true)
            || has("decoder_layers")
            || has("num_decoder_layers");
        let image = has("patch_size") && !has("vocab_size");
        let architectures = self.map.get("architectures").and_then(Value::as_array).and_then(|a| a.first());
        let masked = architectures.and_then(Value::as_str).is_some_and(|name| {
            name.contains("MaskedLM") || name.contains("Classification") || name.contains("PreTraining")
        });
        let encoder = has("type_vocab_size") || masked && !has("rope_theta") && !has("use_cache");
        let base = if image {
            "vit"
        } else if seq2seq && (has("relative_attention_num_buckets") || has("d_kv")) {
            "t5"
        } else if seq2seq {
            "bart"
        } else if encoder {
            "bert"
        } else if has("rms_norm_eps") || has("rms_norm_epsilon") || has("norm_eps") {
            "llama"
        } else if has("rope_theta") || has("rotary_dim") || has("rotary_pct") || has("partial_rotary_factor")
        {
            "starcoder2"
        } else {
            "opt"
        };
        let mut kind = kind(base).unwrap_or(FALLBACK);
        kind.class = "unknown";
        let rotary = has("rope_theta")
            || has("rope_parameters")
            || has("rotary_pct")
            || has("rotary_dim")
            || has("partial_rotary_factor");
        if base == "starcoder2" || base == "opt" {
            // LayerNorm: with a gate where the activation is SiLU.
            let silu = self.activation() == Some(Activation::Silu);
            kind.block.gate = if silu { Gate::Separate } else { Gate::None };
            kind.tied = false;
            kind.block.norm = Norm::Layer;
            kind.block.position = if rotary { Position::Rotary } else { Position::Embedding };
            kind.block.softmax = Softmax::Wide;
            if self.flag(&["parallel_attn", "parallel_residual", "use_parallel_residual"]) == Some(true) {
                kind.block.order = Order::Parallel;
            }
        }
        kind
    }
}
