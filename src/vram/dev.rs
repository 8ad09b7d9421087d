#[cfg(test)]
mod tests {
    use crate::model::zoo;
    use crate::model::architecture::*;
    use crate::model::{Mode, Optimizer, Precision, parameters};
    use super::super::{stack, states, pen, tape};
    use crate::names::Named;
    fn col<'a>(h: &[&str], r: &[&'a str], n: &str) -> &'a str { h.iter().position(|x| *x == n).and_then(|i| r.get(i).copied()).unwrap_or("") }
    #[test]
    fn dev() {
        let text = std::fs::read_to_string("/work/shared/oracles/vram_cases.csv").unwrap();
        let mut lines = text.lines();
        let h: Vec<&str> = lines.next().unwrap().split(',').collect();
        for line in lines {
            let r: Vec<&str> = line.split(',').collect();
            let g = |n: &str| col(&h, &r, n);
            let f = |n: &str| g(n).parse::<f64>().unwrap_or(0.0);
            if g("mode") != "train" { continue; }
            let Some(t) = zoo::entry(g("model")).and_then(|e| zoo::shape::shape(&e)) else { continue };
            run(g("id"), g("model"), &t, g("precision"), g("optimizer"), f("batch_size"), f("seq_len"), f("tgt_len"), f("image_size"), g("attention")=="eager", g("grad_checkpointing")=="yes", f("grad_accum"), [f("peak_fwd"), f("peak_bwd"), f("peak_opt"), f("fwd_start"), f("fwd_end"), f("peak_bytes")]);
        }
    }
    fn run(id: &str, name: &str, t: &Transformer, prec: &str, opt: &str, b: f64, s: f64, tgt: f64, img: f64, eager: bool, ck: bool, acc: f64, truth: [f64; 6]) {
        let p = match prec { "pure-bf16" => Precision::Bf16, "pure-fp16" => Precision::Fp16, o => Precision::from_name(o).unwrap() };
        let o = match opt { "adamw8bit" => Optimizer::AdamW8bit, o => Optimizer::from_name(o).unwrap() };
        let st = states::Storage::of(p, Mode::Train);
        let count = parameters::count(t);
        let (s, tgt) = if t.class == "whisper" { (1500.0, s) } else { (s, if tgt > 0.0 { tgt } else { s }) };
        let set = stack::Setting { batch: b, seq: s, target: tgt, image: img, math: st.math, eager, checkpointing: ck, adapters: None, gradients: tape::Gradients { bytes: st.trained, exist: acc > 1.0 } };
        let pass = stack::train(t, &set);
        let P = count.total;
        let g = if acc > 1.0 { P * st.trained } else { 0.0 };
        let s0 = P * (st.trained + states::state(o, st.trained, false)) + pass.batch;
        let fs = s0 + g;
        let ws = 8.2 * 1048576.0;
        let pf = fs + pass.forward + ws; let pb = fs + pass.backward + ws;
        let po = s0 + P * st.trained + states::step(o, P, st.trained, count.largest) + ws;
        let fe = fs + pass.kept + ws*0.0;
        let est = pf.max(pb).max(po);
        let e = |a: f64, b: f64| 100.0 * (a / b - 1.0);
        println!("{id:6} {name:16} {prec:10} {opt:12} ck{} eag{} acc{acc} | tot {:+6.2} fwd {:+6.2} bwd {:+6.2} opt {:+6.2} | start {:+6.2} kept {:+7.2} | G {:+.2}", u8::from(ck), u8::from(eager), e(est, truth[5]), e(pf, truth[0]), e(pb, truth[1]), e(po, truth[2]), e(fs, truth[3]), e(pass.kept, truth[4]-truth[3]), e(pass.gradients, P*st.trained));
    }
}
