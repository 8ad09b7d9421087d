//! Price lists with the columns that SkyPilot gives its catalogs (`InstanceType`, `AcceleratorName`, `Price`, `Region` …) →
//! rows. They come from scripts and are not written by hand: a row that cannot be an offer is left out and counted, with
//! one warning per reason, and the rest is used. A cell that is no number where one belongs is named with its place.
//!
//! The lists name no provider, currency, date or source: the provider stands in the file's name, prices are US dollars an
//! hour, and an offer stays undated.

mod columns;
mod left_out;

use super::memory::agrees;
use super::{Context, Found};
use crate::catalog::parts::{Parts, ProviderPart, Row, Spec};
use crate::catalog::{Confidence, InstanceId, Listing, Name, OfferEntry, OfferGpu, Provenance, Tiers};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::read::Source;
use crate::units::{Bytes, Currency, PerHour};
use columns::Columns;
pub(super) use columns::is_one;
use csv::{ReaderBuilder, StringRecord};
use left_out::{LeftOut, Omitted};
use std::collections::BTreeMap;
use std::path::Path;

/// Reads a list.
pub(super) fn offers(source: &Source, parts: &mut Parts, context: &mut Context<'_>, diags: &mut Diagnostics) {
    let Some(provider) = provider(source.name()) else {
        let error = Diagnostic::error(
            Code::MissingKey,
            source.place(0),
            "a price list without a column for the provider, whose file does not name it either",
        );
        diags.push(error.hint("call the file `PROVIDER_vms.csv`"));
        return;
    };
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).from_reader(source.text().as_bytes());
    let mut record = StringRecord::new();
    let header = reader.read_record(&mut record).ok();
    let Some(columns) = header.and_then(|_| Columns::read(source, &record, diags)) else { return };
    let provider = context.name(&provider);
    parts.providers.push(ProviderPart::bare(Name::clone(&provider), Currency::USD));
    let origin = context.name(&format!("{}, undated", source.name()));
    let provenance =
        context.provenance(Provenance { source: origin, as_of: None, confidence: Confidence::Read });
    let mut list = List { columns, machine: None, omitted: Omitted::default(), taken_for: BTreeMap::new() };
    let lines = source.text().bytes().filter(|byte| *byte == b'\n').count();
    parts.rows.reserve(lines);
    parts.offers.reserve(lines);
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                let at = error.position().map_or(0, csv::Position::byte);
                let place = source.place(usize::try_from(at).unwrap_or(0));
                diags.push(Diagnostic::error(Code::Syntax, place, format!("not valid CSV: {error}")));
                break;
            }
        }
        match list.read(&record, context) {
            Ok(read) => {
                let row = Row {
                    place: record.position().map(|at| source.row(at.byte(), at.line())),
                    listed: true,
                    provider: Name::clone(&provider),
                    instance: read.machine.name,
                    spec: read.machine.spec,
                };
                let listing = context.listing(Listing {
                    region: read.region,
                    zone: read.zone,
                    currency: Currency::USD,
                    provenance: provenance.clone(),
                    hazard_provenance: None,
                });
                let offer = OfferEntry {
                    instance: InstanceId(0),
                    listing,
                    on_demand: read.price.map_or_else(Tiers::default, Tiers::from),
                    spot: read.spot,
                    terms: None,
                    hazard: None,
                    free: false,
                };
                parts.push(row, offer);
            }
            Err(why) => list.omitted.push(why, &record),
        }
    }
    list.report(source, diags);
}

/// The provider that a file's name begins with: `azure` of `azure_vms.csv` and of `azure/vms.csv`.
fn provider(file: &str) -> Option<String> {
    let path = Path::new(file);
    let stem = path.file_stem()?.to_str()?;
    let name = if stem == "vms" {
        path.parent()?.file_name()?.to_str()?
    } else {
        stem.split(['_', '.', '-']).next()?
    };
    let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    plain.then(|| name.to_lowercase())
}

/// What a row says.
struct Read {
    machine: Machine,
    region: Name,
    zone: Option<Name>,
    price: Option<PerHour>,
    spot: Option<PerHour>,
}

/// An instance type: rows of one follow one another.
#[derive(Debug, Clone)]
struct Machine {
    name: Name,
    spec: Spec,
}

/// A list while it is read.
struct List {
    columns: Columns,
    /// What the last row says of its machine, and what was made of it.
    machine: Option<([String; 6], Result<Machine, LeftOut>)>,
    omitted: Omitted,
    /// Names that fit several cards: what each was taken for, in how many rows.
    taken_for: BTreeMap<String, (String, usize)>,
}

impl List {
    fn read(&mut self, record: &StringRecord, context: &mut Context<'_>) -> Result<Read, LeftOut> {
        let text = |at: Option<usize>| at.and_then(|at| record.get(at)).map_or("", str::trim);
        let Columns { instance, region, price, vcpus, memory, spot, zone, gpu, gpu_count, gpu_info } =
            self.columns;
        let said = [Some(instance), Some(vcpus), Some(memory), gpu, gpu_count, gpu_info].map(text);
        if self.machine.as_ref().is_none_or(|(last, _)| *last != said) {
            let machine = self.machine_of(said, context);
            self.machine = Some((said.map(str::to_owned), machine));
        }
        let machine =
            self.machine.as_ref().map_or(Err(LeftOut::NoInstance), |(_, machine)| machine.clone())?;
        if let Some((_, rows)) = self.taken_for.get_mut(text(gpu)) {
            *rows += 1;
        }
        let region = text(Some(region));
        if region.is_empty() {
            return Err(LeftOut::Incomplete);
        }
        let price = hourly(text(Some(price))).map_err(|()| LeftOut::Bad("Price", price))?;
        let spot = match spot {
            Some(at) => hourly(text(spot)).map_err(|()| LeftOut::Bad("SpotPrice", at))?,
            None => None,
        };
        // A zero is no price, and a row that says so is not trusted for the other one.
        if [price, spot].into_iter().flatten().any(|price| price.nanos() <= 0) {
            return Err(LeftOut::NoPrice);
        }
        if price.is_none() && spot.is_none() {
            return Err(LeftOut::NoPrice);
        }
        let zone = Some(text(zone)).filter(|zone| !zone.is_empty()).map(|zone| context.name(zone));
        Ok(Read { machine, region: context.name(region), zone, price, spot })
    }

    fn machine_of(
        &mut self,
        [instance, vcpus, memory, gpu, count, info]: [&str; 6],
        context: &mut Context<'_>,
    ) -> Result<Machine, LeftOut> {
        if instance.is_empty() {
            return Err(LeftOut::NoInstance);
        }
        let stated = |text, name, column| match number(text) {
            None if !text.is_empty() => Err(LeftOut::Bad(name, column)),
            found => found.ok_or(LeftOut::Incomplete),
        };
        let vcpus = stated(vcpus, "vCPUs", self.columns.vcpus)?;
        let memory = Bytes::from_gib(stated(memory, "MemoryGiB", self.columns.memory)?);
        let name = context.name(instance);
        if gpu.is_empty() {
            // Hosts whose accelerators are listed apart would be far too cheap.
            if number(count).is_some() || is_host_of_cards(instance) {
                return Err(LeftOut::WithoutCards);
            }
            return Ok(Machine { name, spec: Spec { vcpus, memory, gpu: None } });
        }
        let count = match self.columns.gpu_count {
            Some(column) => stated(count, "AcceleratorCount", column)?,
            None => return Err(LeftOut::Incomplete),
        };
        let found = context.cards.find(gpu);
        if let Found::Ambiguous { meaning, .. } = found {
            self.taken_for.entry(gpu.to_owned()).or_insert_with(|| (meaning.clone(), 0));
        }
        let id = found.id().ok_or_else(|| LeftOut::UnknownCard(gpu.to_owned()))?;
        if let Some((stated, card)) = memory_of(info).zip(context.cards.table.get(id))
            && !agrees(stated, card, count)
        {
            return Err(LeftOut::OtherMemory(gpu.to_owned()));
        }
        Ok(Machine { name, spec: Spec { vcpus, memory, gpu: Some(OfferGpu { accelerator: id, count }) } })
    }

    fn report(self, source: &Source, diags: &mut Diagnostics) {
        self.omitted.report(source, diags);
        for (gpu, (meaning, rows)) in self.taken_for {
            let message = format!("`AcceleratorName` is {gpu:?}: {meaning}; rows: {rows}");
            diags.push(Diagnostic::warning(Code::AmbiguousName, source.place(0), message));
        }
    }
}

/// Google's families that are sold with accelerators, whose prices stand in rows of their own; and hosts of TPUs.
fn is_host_of_cards(instance: &str) -> bool {
    let family = instance.split('-').next().unwrap_or_default();
    matches!(family, "a2" | "a3" | "a4" | "a4x" | "g2" | "g4") || instance.ends_with("-tpu")
}

/// `SizeInMiB` of one card in the column `GpuInfo`, which holds a Python dictionary.
fn memory_of(info: &str) -> Option<Bytes> {
    let (_, rest) = info.split_once("'SizeInMiB':")?;
    let digits = rest.trim_start();
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
    number(digits.get(..end)?).map(Bytes::from_mib)
}

/// A number above zero.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0)
}

/// A price of zero or more; none where the field is empty.
fn hourly(text: &str) -> Result<Option<PerHour>, ()> {
    if text.is_empty() {
        return Ok(None);
    }
    PerHour::from_decimal(text).filter(|price| price.nanos() >= 0).map(Some).ok_or(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_provider_stands_in_the_name() {
        for (file, name) in [
            ("azure_vms.csv", Some("azure")),
            ("prices/v7/gcp/vms.csv", Some("gcp")),
            ("/tmp/Lambda_vms.csv", Some("lambda")),
            ("vms.csv", None),
            ("_vms.csv", None),
        ] {
            assert_eq!(provider(file).as_deref(), name, "{file}");
        }
    }

    #[test]
    fn memory_is_that_of_one_card() {
        let info = "{'Gpus': [{'Name': 'B200', 'Count': 8, 'MemoryInfo': {'SizeInMiB': 184320}}], \
                    'TotalGpuMemoryInMiB': 1474560}";
        assert_eq!(memory_of(info), Some(Bytes::from_gib(180.0)));
        assert_eq!(memory_of("A10"), None);
    }
}
