//! `[[accelerator]]` → a card of the table.

use crate::catalog::intern::Interner;
use crate::catalog::{Accelerator, Confidence, MigProfile};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::read::table::Fields;
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond};

/// Reads the cards of a file into the table; one of the same name is replaced where it stands.
pub(super) fn cards(
    file: &mut Fields<'_>,
    cards: &mut Vec<Accelerator>,
    names: &mut Interner,
    diags: &mut Diagnostics,
) {
    let mut here: Vec<String> = Vec::new();
    for table in file.tables("accelerator", diags) {
        let place = table.place().clone();
        let Some(card) = card(table, names, diags) else { continue };
        if here.iter().any(|name| **name == *card.name) {
            diags.push(Diagnostic::error(
                Code::Duplicate,
                place,
                format!("accelerator {} is stated twice", card.name),
            ));
            continue;
        }
        here.push(card.name.to_string());
        match cards.iter_mut().find(|c| c.name == card.name) {
            Some(old) => *old = card,
            None => cards.push(card),
        }
    }
}

fn card(mut table: Fields<'_>, names: &mut Interner, diags: &mut Diagnostics) -> Option<Accelerator> {
    let name = table.text("name", diags);
    let name = table.require(name, "name", "\"A100-80GB\"", diags);
    let aliases = table.texts("aliases", diags).unwrap_or_default();
    let vendor = table.text("vendor", diags);
    let vendor = table.require(vendor, "vendor", "\"nvidia\"", diags);
    let stack = table.named("stack", diags);
    let stack = table.require(stack, "stack", "\"cuda\"", diags);
    let memory = table.quantity::<Bytes>("memory", diags);
    let memory = table.require(memory, "memory", "\"80 GiB\"", diags);
    let driver_total = table.quantity::<Bytes>("driver_total", diags).map(|m| m.value);
    let cuda_visible = table.quantity::<Bytes>("cuda_visible", diags).map(|m| m.value);
    let bandwidth = table.number_within("bandwidth_gb_s", (1.0, 1e6), diags);
    let bandwidth = table.require(bandwidth, "bandwidth_gb_s", "2039", diags);
    let mut peak =
        |key| table.number_within(key, (0.1, 1e6), diags).and_then(|n| FlopsPerSecond::from_tflops(n.value));
    let (fp32, tf32, half) = (peak("fp32_tflops"), peak("tf32_tflops"), peak("half_tflops"));
    let (fp8, int8) = (peak("fp8_tflops"), peak("int8_tops"));
    let watts = table.whole("watts", (1, 65_535), diags).and_then(|n| u16::try_from(n.value).ok());
    let form = table.text("form", diags).map(|text| text.value).unwrap_or_default();
    let year = table.whole("year", (2000, 2100), diags).and_then(|n| u16::try_from(n.value).ok());
    let mig = mig(&mut table, names, diags);
    let mut engines = |key| table.whole(key, (0, 255), diags).and_then(|n| u8::try_from(n.value).ok());
    let (nvenc, nvdec) = (engines("nvenc"), engines("nvdec"));
    let source = table.text("source", diags);
    let source = table.require(source, "source", "\"data sheet\"", diags);
    let note = table.text("note", diags);
    let confidence = table.named("confidence", diags).map_or(Confidence::Read, |c| c.value);
    table.finish(diags);
    let source = source?.value;
    let notes = note.map_or_else(|| source.clone(), |note| format!("{}; {source}", note.value));
    let memory = memory?;
    check_memory(&memory, driver_total, cuda_visible, diags);
    Some(Accelerator {
        name: names.name(&name?.value),
        vendor: names.name(&vendor?.value),
        stack: stack?.value,
        memory: memory.value,
        driver_total,
        cuda_visible,
        bandwidth: BytesPerSecond::from_gb(bandwidth?.value)?,
        fp32,
        tf32,
        half,
        fp8,
        int8,
        watts,
        form: names.name(&form),
        year: year.unwrap_or(0),
        mig,
        nvenc,
        nvdec,
        aliases: aliases.iter().map(|alias| names.name(&alias.value)).collect(),
        confidence,
        notes: names.name(&notes),
    })
}

/// Slips of the unit: a card has between 1 GiB and 1 TiB, and no more is usable than was sold.
fn check_memory(
    memory: &crate::read::Located<Bytes>,
    driver_total: Option<Bytes>,
    cuda_visible: Option<Bytes>,
    diags: &mut Diagnostics,
) {
    let gib = memory.value.as_gib();
    if !(1.0..=1024.0).contains(&gib) {
        diags.push(
            Diagnostic::warning(
                Code::WrongSpec,
                memory.place.clone(),
                format!("an accelerator with {} of memory", memory.value.gib()),
            )
            .hint("is the unit right?"),
        );
    }
    for usable in [driver_total, cuda_visible].into_iter().flatten() {
        if usable.as_f64() > memory.value.as_f64() * 1.02 || usable.as_f64() < memory.value.as_f64() * 0.8 {
            diags.push(Diagnostic::error(
                Code::WrongSpec,
                memory.place.clone(),
                format!("{} usable of {} sold", usable.gib(), memory.value.gib()),
            ));
        }
    }
}

/// `mig = { "1g.10gb" = 7 }`: how many slices of each profile a card gives at once.
fn mig(table: &mut Fields<'_>, names: &mut Interner, diags: &mut Diagnostics) -> Vec<MigProfile> {
    let Some(profiles) = table.table("mig", diags) else { return Vec::new() };
    let mut out = Vec::new();
    for key in profiles.keys() {
        let count = profiles.number_named(&key.value, (1.0, 7.0), diags);
        let parsed = profile(&key.value);
        if parsed.is_none() {
            diags.push(
                Diagnostic::error(Code::BadValue, key.place, format!("{:?} is no MIG profile", key.value))
                    .allowed("slices and memory, such as \"1g.10gb\""),
            );
        }
        if let (Some((slices, gib)), Some(count)) = (parsed, count) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 7")]
            let count = count.value as u8;
            out.push(MigProfile {
                name: names.name(&key.value),
                slices,
                memory: Bytes::from_gib(gib),
                count,
            });
        }
    }
    out.sort_by(|a, b| (a.slices, a.memory, &a.name).cmp(&(b.slices, b.memory, &b.name)));
    out
}

fn profile(text: &str) -> Option<(u8, f64)> {
    let (slices, memory) = text.split_once("g.")?;
    let gib = memory.strip_suffix("gb")?.parse::<u16>().ok().filter(|gib| *gib > 0)?;
    let slices = slices.parse().ok().filter(|n| (1..=7).contains(n))?;
    Some((slices, f64::from(gib)))
}
