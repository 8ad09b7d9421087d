#[cfg(test)]
mod tests {
    use super::super::{pen, stack, states, tape};
    use crate::model::architecture::*;
    use crate::model::zoo;
    use crate::model::{Mode, Optimizer, Precision, parameters};
    use crate::names::Named;
    fn col<'a>(h: &[&str], r: &[&'a str], n: &str) -> &'a str {
        h.iter().position(|x| *x == n).and_then(|i| r.get(i).copied()).unwrap_or("")
    }
    #[test]
    fn dev() {
        let text = std::fs::read_to_string("/work/shared/oracles/vram_cases.csv").unwrap();
        let mut lines = text.lines();
        let h: Vec<&str> = lines.next().unwrap().split(',').collect();
        for line in lines {
            let r: Vec<&str> = line.split(',').collect();
            let g = |n: &str| col(&h, &r, n);
            let f = |n: &str| g(n).parse::<f64>().unwrap_or(0.0);
            if g("mode") != "train" {
                continue;
            }
            let Some(t) = zoo::entry(g("model")).and_then(|e| zoo::shape::shape(&e)) else { continue };
            run(
                g("id"),
                g("model"),
                &t,
                g("precision"),
                g("optimizer"),
                f("batch_size"),
                f("seq_len"),
                f("tgt_len"),
                f("image_size"),
                g("attention") == "eager",
                g("grad_checkpointing") == "yes",
                f("grad_accum"),
                [f("peak_fwd"), f("peak_bwd"), f("peak_opt"), f("fwd_start"), f("fwd_end"), f("peak_bytes")],
            );
        }
    }
    #[test]
    fn dev3() {
        let text = std::fs::read_to_string("/work/shared/oracles/vram_cases.csv").unwrap();
        let mut lines = text.lines();
        let h: Vec<&str> = lines.next().unwrap().split(',').collect();
        for line in lines {
            let r: Vec<&str> = line.split(',').collect();
            let g = |n: &str| col(&h, &r, n);
            let f = |n: &str| g(n).parse::<f64>().unwrap_or(0.0);
            if g("mode") != "lora" {
                continue;
            }
            let Some(t) = zoo::entry(g("model")).and_then(|e| zoo::shape::shape(&e)) else { continue };
            let q = g("precision") == "qlora-nf4";
            let pure = g("precision") == "pure-bf16";
            let math = if q { pen::Arithmetic::Amp } else { pen::Arithmetic::Half };
            let width = if pure { tape::Width::Half } else { tape::Width::Full };
            let rank = f("lora_rank").max(1.0);
            let rank = if f("lora_rank") == 0.0 { 8.0 } else { rank };
            let set = stack::Setting {
                batch: f("batch_size"),
                seq: f("seq_len"),
                target: 0.0,
                image: 0.0,
                math,
                eager: false,
                checkpointing: g("grad_checkpointing") == "yes",
                adapters: Some(pen::Adapters {
                    rank,
                    queries_and_values: g("lora_targets") == "qv",
                    width,
                    packed: q,
                }),
                gradients: tape::Gradients { bytes: width.bytes(), exist: false },
                last_token: false,
            };
            let pass = stack::train(&t, &set);
            let fs = f("fwd_start");
            let e = |a: f64, b: f64| 100.0 * (a / b - 1.0);
            let pf = fs + pass.forward;
            let pb = fs + pass.backward;
            println!(
                "{} {} {} ck{} tot {:+6.2} fwd {:+.2} bwd {:+.2} kept {:+.2}",
                g("id"),
                g("model"),
                g("precision"),
                g("grad_checkpointing"),
                e(pf.max(pb), f("peak_bytes")),
                e(pf, f("peak_fwd")),
                e(pb, f("peak_bwd")),
                e(pass.kept, f("fwd_end") - fs)
            );
        }
    }
    #[test]
    fn dev4() {
        let path = std::env::var("CASES").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut out = Vec::new();
        crate::cli::vram::cases::answer(std::path::Path::new(&path), &text, &mut out).unwrap().unwrap();
        print!("{}", String::from_utf8(out).unwrap());
    }
    #[test]
    fn dev2() {
        let text = std::fs::read_to_string(std::env::var("UNSEEN").unwrap_or("/tmp/vw/unseen.jsonl".into()))
            .unwrap();
        for (i, line) in text.lines().enumerate() {
            let v: serde_json::Value = serde_json::from_str(line).unwrap();
            let mt = v["model_type"].as_str().unwrap();
            let mut c = v["defaults"].as_object().cloned().unwrap_or_default();
            for (k, x) in v["config"].as_object().unwrap() {
                c.insert(k.clone(), x.clone());
            }
            c.insert("model_type".into(), mt.into());
            let arch = match v["head"].as_str().unwrap() {
                "clm" => "XForCausalLM",
                "mlm" => "XForMaskedLM",
                "cls" => "XForSequenceClassification",
                "img" => "XForImageClassification",
                _ => "XForConditionalGeneration",
            };
            c.insert("architectures".into(), serde_json::json!([arch]));
            let src = crate::read::Source::new(mt, serde_json::to_string(&c).unwrap());
            let cfg = match crate::model::config::read(&src) {
                Ok(c) => c,
                Err(e) => {
                    println!("{mt} {e}");
                    continue;
                }
            };
            let n = |k: &str| v[k].as_f64().unwrap_or(0.0);
            let t = cfg.transformer;
            let p = parameters::count(&t).total;
            if (p - n("params")).abs() > 0.5 {
                println!("c PARAMS {mt} {p} {} {}", n("params"), p - n("params"));
            }
            run(
                &format!("c{i}"),
                mt,
                &t,
                v["precision"].as_str().unwrap(),
                v["opt"].as_str().unwrap(),
                n("batch"),
                n("seq"),
                n("tgt"),
                n("img"),
                v["attn"] == "eager",
                v["ckpt"] == true,
                n("accum"),
                [n("peak_fwd"), n("peak_bwd"), n("peak_opt"), n("fwd_start"), n("fwd_end"), n("peak_bytes")],
            );
        }
    }
    fn run(
        id: &str,
        name: &str,
        t: &Transformer,
        prec: &str,
        opt: &str,
        b: f64,
        s: f64,
        tgt: f64,
        img: f64,
        eager: bool,
        ck: bool,
        acc: f64,
        truth: [f64; 6],
    ) {
        let p = match prec {
            "pure-bf16" => Precision::Bf16,
            "pure-fp16" => Precision::Fp16,
            o => Precision::from_name(o).unwrap(),
        };
        let o = match opt {
            "adamw8bit" => Optimizer::AdamW8bit,
            o => Optimizer::from_name(o).unwrap(),
        };
        let st = states::Storage::of(p, Mode::Train, true);
        let count = parameters::count(t);
        let (s, tgt) = if t.class == "whisper" { (1500.0, s) } else { (s, if tgt > 0.0 { tgt } else { s }) };
        let set = stack::Setting {
            batch: b,
            seq: s,
            target: tgt,
            image: img,
            math: st.math,
            eager,
            checkpointing: ck,
            adapters: None,
            gradients: tape::Gradients { bytes: st.trained, exist: acc > 1.0 },
            last_token: false,
        };
        let pass = stack::train(t, &set);
        let P = count.total;
        let waste: f64 = parameters::tensors(t)
            .iter()
            .map(|(n, c)| c * (super::super::allocator::allocated(n * st.trained) - n * st.trained))
            .sum();
        let g = if acc > 1.0 { P * st.trained + waste } else { 0.0 };
        let copies = 1.0
            + match o {
                Optimizer::Adam | Optimizer::AdamW | Optimizer::AdamWFused => 2.0,
                Optimizer::SgdMomentum => 1.0,
                _ => 0.0,
            };
        let s0 = P * (st.trained + states::state(o, st.trained, false)) + pass.batch + waste * copies;
        let fs = s0 + g;
        let ws = 8.2 * 1048576.0;
        let pf = fs + pass.forward + ws;
        let pb = fs + pass.backward + ws;
        let po = s0
            + P * st.trained
            + waste
            + states::step(o, P + waste / st.trained, st.trained, count.largest)
            + ws;
        let fe = fs + pass.kept + ws * 0.0;
        let est = pf.max(pb).max(po);
        let e = |a: f64, b: f64| 100.0 * (a / b - 1.0);
        println!(
            "{id:6} {name:16} {prec:10} {opt:12} ck{} eag{} acc{acc} | tot {:+6.2} fwd {:+6.2} bwd {:+6.2} opt {:+6.2} | start {:+6.2} kept {:+7.2} | G {:+.2}",
            u8::from(ck),
            u8::from(eager),
            e(est, truth[5]),
            e(pf, truth[0]),
            e(pb, truth[1]),
            e(po, truth[2]),
            e(fs, truth[3]),
            e(pass.kept, truth[4] - truth[3]),
            e(pass.gradients, P * st.trained)
        );
    }
}
