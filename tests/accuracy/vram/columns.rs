//! Rows of an oracle, and how each becomes a question.

use plan::diag::Diagnostics;
use std::collections::BTreeMap;

/// A table.
pub(super) struct Rows {
    header: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// A row by column.
#[derive(Clone)]
pub(super) struct Row(BTreeMap<String, String>);

impl Rows {
    pub(super) fn read(name: &str) -> Self {
        let path = super::super::oracles().join(name);
        let mut reader = csv::Reader::from_path(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        let rows = reader
            .records()
            .map(|record| {
                let record = record.unwrap();
                Row(header.iter().cloned().zip(record.iter().map(str::to_owned)).collect())
            })
            .collect();
        Self { header, rows }
    }

    pub(super) fn only(&self, keep: impl Fn(&Row) -> bool) -> Self {
        Self {
            header: self.header.clone(),
            rows: self.rows.iter().filter(|row| keep(row)).cloned().collect(),
        }
    }
}

impl Rows {
    /// The same rows changed, with the columns that they have then.
    pub(super) fn with(&self, change: impl Fn(&Row) -> Row) -> Self {
        let rows: Vec<Row> = self.rows.iter().map(change).collect();
        let header = rows.first().map_or_else(Vec::new, |row| row.0.keys().cloned().collect());
        Self { header, rows }
    }
}

impl Row {
    /// A line of the table of image models as a training step of 32 images with plain SGD.
    pub(super) fn image_case(&self) -> Self {
        let mut row = self.clone();
        let n = |column: &str| self.number(column).unwrap();
        let model = self.get("model");
        let convolutional = !["vit_", "swin", "maxvit", "timm:"].iter().any(|start| model.starts_with(start));
        let images = 3.0 * n("image_size") * n("image_size") * 4.0;
        let peak =
            n("param_bytes") + n("peak_fixed_fp32") + 32.0 * (n("peak_bytes_per_sample_fp32") + images);
        row.set("id", model);
        row.set("family", if convolutional { "cnn" } else { "vit" });
        for (column, value) in
            [("batch_size", "32"), ("precision", "fp32"), ("optimizer", "sgd"), ("mode", "train")]
        {
            row.set(column, value);
        }
        row.set("peak_bytes", format!("{peak}"));
        row
    }

    pub(super) fn get(&self, column: &str) -> &str {
        self.0.get(column).map_or("", String::as_str)
    }

    pub(super) fn number(&self, column: &str) -> Option<f64> {
        self.get(column).parse().ok()
    }

    fn set(&mut self, column: &str, value: impl Into<String>) {
        self.0.insert(column.to_owned(), value.into());
    }

    /// As it stands.
    pub(super) fn keep_all(&self) -> Self {
        self.clone()
    }

    /// By a configuration file instead of a name; dimensions and parameters come from the file alone.
    pub(super) fn with_configuration(&self, named: bool) -> Self {
        let mut row = self.clone();
        let (kind, json) = configuration(self, named).unwrap();
        let folder = std::env::temp_dir().join(format!("plan-vram-configs-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let name = self.get("model").replace(['/', ':'], "_");
        let path = folder.join(format!("{name}-{kind}-{named}.json"));
        std::fs::write(&path, json).unwrap();
        row.set("config", path.display().to_string());
        for column in ["model", "params", "layers", "hidden", "heads", "kv_heads", "ffn", "vocab"] {
            row.set(column, "");
        }
        row
    }

    /// Family, parameters, batch and lengths; the name stays so that the model itself can be left out.
    pub(super) fn only_parameters(&self) -> Self {
        let mut row = self.clone();
        for column in ["layers", "hidden", "heads", "kv_heads", "ffn", "vocab"] {
            row.set(column, "");
        }
        row.set("without", self.get("model"));
        row.set("model", "");
        row
    }

    /// A published row: names as tables of other projects write them.
    pub(super) fn published(&self) -> Self {
        self.clone()
    }
}

/// The answers of the program, by id: allocated, low, high, needed, shown, message.
pub(super) fn estimates(rows: &Rows, question: impl Fn(&Row) -> Row) -> BTreeMap<String, (Vec<f64>, String)> {
    let mut header = rows.header.clone();
    header.extend(["config".to_owned(), "without".to_owned()]);
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&header).unwrap();
    for row in &rows.rows {
        let row = question(row);
        writer.write_record(header.iter().map(|column| row.get(column))).unwrap();
    }
    let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
    let mut out = Vec::new();
    let source = plan::read::Source::new("cases.csv", text);
    plan::cli::vram::cases::answer(&source, &mut out, &mut Diagnostics::new()).unwrap();
    csv::Reader::from_reader(out.as_slice())
        .records()
        .map(|record| {
            let record = record.unwrap();
            let figures = (1..6).filter_map(|at| record[at].parse().ok()).collect();
            (record[0].to_owned(), (figures, record[7].to_owned()))
        })
        .collect()
}

/// A `config.json` for a row whose model is a transformer of a kind that has one, as that kind's file would read; or
/// the same with a kind that nobody knows.
pub(super) fn configuration(row: &Row, named: bool) -> Option<(&'static str, String)> {
    let n = |column: &str| row.number(column);
    let (layers, hidden, heads) = (n("layers")?, n("hidden")?, n("heads")?);
    let (ffn, vocab) = (n("ffn")?, n("vocab")?);
    let kv = n("kv_heads").unwrap_or(heads);
    let model = row.get("model");
    let begins = |starts: &[&str]| starts.iter().any(|start| model.starts_with(start));
    let tied = |tied: bool| if tied { "true" } else { "false" };
    let llama = |kind: &str, tie: bool, extra: &str| {
        format!(
            r#"{{"model_type":"{kind}","architectures":["XForCausalLM"],"hidden_size":{hidden},"num_hidden_layers":{layers},
            "num_attention_heads":{heads},"num_key_value_heads":{kv},"intermediate_size":{ffn},"vocab_size":{vocab},
            "hidden_act":"silu","rms_norm_eps":1e-5,"rope_theta":10000.0,"tie_word_embeddings":{}{extra}}}"#,
            tied(tie)
        )
    };
    let (kind, text) = if begins(&["llama", "tinyllama"]) {
        (
            "llama",
            llama("llama", model.starts_with("llama-3.2"), r#","attention_bias":false,"mlp_bias":false"#),
        )
    } else if begins(&["mistral"]) {
        ("mistral", llama("mistral", false, r#","sliding_window":4096"#))
    } else if begins(&["qwen2.5"]) {
        (
            "qwen2",
            llama(
                "qwen2",
                model.contains("-0.5b") || model.contains("-1.5b"),
                r#","use_sliding_window":false"#,
            ),
        )
    } else if begins(&["gemma"]) {
        let text = llama("gemma", true, r#","head_dim":256"#).replace(r#""silu""#, r#""gelu_pytorch_tanh""#);
        ("gemma", text)
    } else if begins(&["mixtral"]) {
        ("mixtral", llama("mixtral", false, r#","num_local_experts":8,"num_experts_per_tok":2"#))
    } else if begins(&["pythia"]) {
        let text = format!(
            r#"{{"model_type":"gpt_neox","architectures":["GPTNeoXForCausalLM"],"hidden_size":{hidden},"num_hidden_layers":{layers},
            "num_attention_heads":{heads},"intermediate_size":{ffn},"vocab_size":{vocab},"hidden_act":"gelu","rotary_pct":0.25,
            "layer_norm_eps":1e-5,"use_parallel_residual":true,"hidden_dropout":0.0,"attention_dropout":0.0,"tie_word_embeddings":false}}"#
        );
        ("gpt_neox", text)
    } else if begins(&["opt"]) {
        let text = format!(
            r#"{{"model_type":"opt","architectures":["OPTForCausalLM"],"hidden_size":{hidden},"num_hidden_layers":{layers},
            "num_attention_heads":{heads},"ffn_dim":{ffn},"vocab_size":{vocab},"activation_function":"relu","dropout":0.1,
            "attention_dropout":0.0,"max_position_embeddings":2048,"do_layer_norm_before":true,"enable_bias":true,"tie_word_embeddings":true}}"#
        );
        ("opt", text)
    } else if begins(&["gpt2"]) {
        let text = format!(
            r#"{{"model_type":"gpt2","architectures":["GPT2LMHeadModel"],"n_embd":{hidden},"n_layer":{layers},"n_head":{heads},
            "n_positions":1024,"vocab_size":{vocab},"activation_function":"gelu_new","attn_pdrop":0.1,"resid_pdrop":0.1,
            "embd_pdrop":0.1,"layer_norm_epsilon":1e-5}}"#
        );
        ("gpt2", text)
    } else if begins(&["bert", "roberta", "distilbert"]) {
        let head = if model.ends_with("-cls") { "XForSequenceClassification" } else { "XForMaskedLM" };
        let kind = if begins(&["roberta"]) {
            "roberta"
        } else if begins(&["distil"]) {
            "distilbert"
        } else {
            "bert"
        };
        let rest = match kind {
            "distilbert" => {
                r#""max_position_embeddings":512,"activation":"gelu","dropout":0.1,"attention_dropout":0.1"#
            }
            "roberta" => {
                r#""max_position_embeddings":514,"type_vocab_size":1,"hidden_act":"gelu","hidden_dropout_prob":0.1,"attention_probs_dropout_prob":0.1"#
            }
            _ => {
                r#""max_position_embeddings":512,"type_vocab_size":2,"hidden_act":"gelu","hidden_dropout_prob":0.1,"attention_probs_dropout_prob":0.1"#
            }
        };
        let text = format!(
            r#"{{"model_type":"{kind}","architectures":["{head}"],"hidden_size":{hidden},"num_hidden_layers":{layers},
            "num_attention_heads":{heads},"intermediate_size":{ffn},"vocab_size":{vocab},"layer_norm_eps":1e-12,{rest}}}"#
        );
        (kind, text)
    } else if begins(&["t5"]) {
        let text = format!(
            r#"{{"model_type":"t5","architectures":["T5ForConditionalGeneration"],"is_encoder_decoder":true,"d_model":{hidden},
            "d_kv":64,"d_ff":{ffn},"num_layers":{layers},"num_decoder_layers":{layers},"num_heads":{heads},"vocab_size":{vocab},
            "dropout_rate":0.1,"feed_forward_proj":"relu","relative_attention_num_buckets":32,"layer_norm_epsilon":1e-6}}"#
        );
        ("t5", text)
    } else {
        return None;
    };
    Some((
        kind,
        if named {
            text
        } else {
            text.replacen(&format!(r#""model_type":"{kind}""#), r#""model_type":"never-seen""#, 1)
        },
    ))
}
