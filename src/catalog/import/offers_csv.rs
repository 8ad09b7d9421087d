//! CSV with one offer per row → rows. A wrong row is reported at its field and left out; the others stay.

use super::memory::Stated;
use super::price::{Undated, refusal, times};
use super::{Context, offers_csv::columns::Column};
use crate::catalog::parts::{Parts, ProviderPart, Row, Spec};
use crate::catalog::{
    Confidence, Hazard, InstanceId, Listing, OfferEntry, OfferGpu, Provenance, Terms, Tier, Tiers,
};
use crate::diag::{Code, Diagnostic, Diagnostics, Place};
use crate::names::Named;
use crate::read::{Located, Source};
use crate::units::{Bytes, Currency, Date, Money, PerHour, Quantity};
use columns::Columns;
use csv::{ReaderBuilder, StringRecord};

mod columns;

/// Hours from which Tencent's second and third price hold, as the column names say.
const STEPS: [f64; 2] = [96.0, 360.0];

/// Reads a file.
pub(super) fn offers(source: &Source, parts: &mut Parts, context: &mut Context<'_>, diags: &mut Diagnostics) {
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).from_reader(source.text().as_bytes());
    let mut record = StringRecord::new();
    let Ok(true) = reader.read_record(&mut record) else {
        diags.push(
            Diagnostic::error(Code::Syntax, source.place(0), "an empty file").allowed(Column::allowed()),
        );
        return;
    };
    let Some(columns) = Columns::read(source, &record, diags) else { return };
    let mut undated = Undated::default();
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
        let row = Line { source, columns: &columns, record: &record };
        if let Some((row, offer)) = row.read(&mut undated, context, diags) {
            if !parts.providers.iter().rev().any(|part| part.name == row.provider) {
                parts.providers.push(ProviderPart::bare(row.provider.clone(), offer.currency));
            }
            parts.push(row, offer);
        }
    }
    undated.report("fill in the columns `as_of` and `source`", diags);
}

/// One row of the file.
#[derive(Clone, Copy)]
struct Line<'a> {
    source: &'a Source,
    columns: &'a Columns,
    record: &'a StringRecord,
}

impl<'a> Line<'a> {
    fn read(
        self,
        undated: &mut Undated,
        context: &mut Context<'_>,
        diags: &mut Diagnostics,
    ) -> Option<(Row, OfferEntry)> {
        if self.record.len() != self.columns.len() {
            let message =
                format!("a row of {} fields under a header of {}", self.record.len(), self.columns.len());
            diags.push(Diagnostic::error(Code::Syntax, self.place(), message));
            return None;
        }
        // Every field is looked at before the row is given up, so that one run shows all its mistakes.
        let provider = self.required(Column::Provider, diags);
        let instance = self.required(Column::Instance, diags);
        let region = self.required(Column::Region, diags);
        let currency = self.quantity::<Currency>(Column::Currency, true, diags);
        let spec = self.spec(context, diags);
        let confidence = self.named::<Confidence>(Column::Confidence, diags);
        let hazard = self.quantity::<Hazard>(Column::Interruption, false, diags);
        let as_of = self.quantity::<Date>(Column::AsOf, false, diags);
        let prices = self.prices(spec.ok().and_then(|spec| spec.gpu), diags);
        let (provider, instance, region) = (provider?, instance?, region?);
        let (currency, spec, prices) = (currency.ok()??, spec.ok()?, prices.ok()?);
        let (confidence, hazard, as_of) = (confidence.ok()?, hazard.ok()?, as_of.ok()?);
        let source = self.text(Column::Source);
        let (Some(as_of), false) = (as_of, source.is_empty()) else {
            let what = if as_of.is_none() { "date" } else { "source" };
            undated.note(Located { value: what, place: self.place() });
            return None;
        };
        let zone = Some(self.text(Column::Zone)).filter(|zone| !zone.is_empty());
        let row = Row {
            place: Some(self.place()),
            listed: false,
            provider: context.name(provider),
            instance: context.name(instance),
            spec,
        };
        let source = context.name(source);
        let provenance = context.provenance(Provenance {
            source,
            as_of: Some(as_of),
            confidence: confidence.unwrap_or(Confidence::Read),
        });
        let listing = Listing {
            region: context.name(region),
            zone: zone.map(|zone| context.name(zone)),
            currency,
            provenance,
            hazard_provenance: None,
        };
        let offer = OfferEntry {
            instance: InstanceId(0),
            listing: context.listing(listing),
            on_demand: prices.on_demand,
            spot: prices.spot,
            terms: (prices.terms != Terms::default()).then(|| Box::new(prices.terms)),
            hazard,
            free: prices.free,
        };
        Some((row, offer))
    }

    fn spec(self, context: &mut Context<'_>, diags: &mut Diagnostics) -> Result<Spec, ()> {
        let vcpus = self.number(Column::Vcpus, diags);
        let memory = self.number(Column::MemoryGib, diags);
        let count = self.number(Column::GpuCount, diags);
        let gpu_memory = self.number(Column::GpuMemoryGib, diags);
        for (number, column) in [(vcpus, Column::Vcpus), (memory, Column::MemoryGib)] {
            if number == Ok(None) {
                self.missing(column, diags);
            }
        }
        let name = self.text(Column::Gpu);
        let (vcpus, memory) = (vcpus?.ok_or(())?, Bytes::from_gib(memory?.ok_or(())?));
        let (count, gpu_memory) = (count?, gpu_memory?);
        if name.is_empty() {
            if count.is_some() {
                self.wrong(Column::GpuCount, Code::MissingKey, "GPUs without a model".to_owned(), diags);
                return Err(());
            }
            return Ok(Spec { vcpus, memory, gpu: None });
        }
        let id = if let super::Found::Card(id) = context.cards.find(name) {
            *id
        } else {
            let text = Located { value: name.to_owned(), place: self.place_of(Column::Gpu) };
            context.cards.resolve("gpu", &text, diags).ok_or(())?
        };
        let count = count.unwrap_or(1.0);
        if let (Some(card), Some(gib)) = (context.cards.table.get(id), gpu_memory) {
            let stated = Bytes::from_gib(gib);
            if !super::memory::agrees(stated, card, count) {
                let one = Located { value: stated, place: self.place_of(Column::GpuMemoryGib) };
                Stated { key: "gpu_memory_gib", one: Some(&one), all: None }.check(card, count, diags);
            }
        }
        Ok(Spec { vcpus, memory, gpu: Some(OfferGpu { accelerator: id, count }) })
    }

    fn prices(self, gpu: Option<OfferGpu>, diags: &mut Diagnostics) -> Result<Prices, ()> {
        let free = self.named::<YesNo>(Column::Free, diags)? == Some(YesNo::Yes);
        let per_gpu = self.named::<super::price::PriceUnit>(Column::PriceUnit, diags)?
            == Some(super::price::PriceUnit::Gpu);
        if per_gpu && gpu.is_none() {
            self.wrong(Column::PriceUnit, Code::Conflict, "a price per GPU without GPUs".to_owned(), diags);
            return Err(());
        }
        let count = gpu.filter(|_| per_gpu).map_or(1.0, |gpu| gpu.count);
        let total = |column, diags: &mut Diagnostics| {
            let Some(money) = self.money(column, free, diags)?.map(|money| times(money, count)) else {
                return Ok(None);
            };
            let nanos = i64::try_from(money.nanos()).map_err(|_| {
                self.wrong(column, Code::BadPrice, format!("`{column}` is out of range"), diags);
            })?;
            Ok::<_, ()>(Some((money, nanos)))
        };
        let hourly = |column, diags: &mut Diagnostics| {
            Ok::<_, ()>(total(column, diags)?.map(|(_, n)| PerHour::from_nanos(n)))
        };
        let term =
            |column, diags: &mut Diagnostics| Ok::<_, ()>(total(column, diags)?.map(|(money, _)| money));
        let hours = [
            hourly(Column::OnDemand, diags),
            hourly(Column::OnDemandAfter96, diags),
            hourly(Column::OnDemandAfter360, diags),
        ];
        let spot = hourly(Column::Spot, diags);
        let month = term(Column::Month, diags);
        let (year, three_years) = (term(Column::Year, diags), term(Column::ThreeYears, diags));
        let [first, second, third] = hours;
        let (first, later) = (first?.or(free.then_some(PerHour::from_nanos(0))), [second?, third?]);
        let (spot, month, year, three_years) = (spot?, month?, year?, three_years?);
        if first.is_none() && spot.is_none() && month.or(year).or(three_years).is_none() {
            diags.push(
                Diagnostic::error(Code::MissingKey, self.place(), "a row without a price")
                    .allowed("on_demand_h, spot_h, month, year or three_years"),
            );
            return Err(());
        }
        let on_demand = first.map_or_else(Tiers::default, |first| steps(first, later));
        let terms = Terms { month, sustained_month: None, year, three_years, provenance: None };
        Ok(Prices { on_demand, spot, terms, free })
    }

    /// Where the row begins.
    fn place(self) -> Place {
        self.record
            .position()
            .map_or_else(|| self.source.place(0), |at| self.source.row(at.byte(), at.line()))
    }

    /// Where a field begins.
    fn place_of(self, column: Column) -> Place {
        let (Some(position), Some(at)) = (self.record.position(), self.columns.at(column)) else {
            return self.place();
        };
        let start = usize::try_from(position.byte()).unwrap_or(0);
        self.source.field(start, at)
    }

    fn wrong(self, column: Column, code: Code, message: String, diags: &mut Diagnostics) {
        diags.push(Diagnostic::error(code, self.place_of(column), message));
    }

    /// The field; empty where the file has no such column.
    fn text(self, column: Column) -> &'a str {
        self.columns.at(column).and_then(|at| self.record.get(at)).map_or("", str::trim)
    }

    fn required(self, column: Column, diags: &mut Diagnostics) -> Option<&'a str> {
        let text = self.text(column);
        if text.is_empty() {
            self.missing(column, diags);
            return None;
        }
        Some(text)
    }

    fn missing(self, column: Column, diags: &mut Diagnostics) {
        self.wrong(column, Code::MissingKey, format!("`{column}` is empty"), diags);
    }

    /// A number above zero; none where the field is empty.
    fn number(self, column: Column, diags: &mut Diagnostics) -> Result<Option<f64>, ()> {
        let text = self.text(column);
        if text.is_empty() {
            return Ok(None);
        }
        match text.parse::<f64>() {
            Ok(number) if number > 0.0 && number.is_finite() => Ok(Some(number)),
            _ => {
                let error = Diagnostic::error(
                    Code::BadValue,
                    self.place_of(column),
                    format!("`{column}` is {text:?}"),
                );
                diags.push(error.allowed("a number above zero"));
                Err(())
            }
        }
    }

    fn money(self, column: Column, free: bool, diags: &mut Diagnostics) -> Result<Option<Money>, ()> {
        let text = self.text(column);
        if text.is_empty() {
            return Ok(None);
        }
        let money = Money::from_decimal(text);
        let reason = match money {
            Some(money) => refusal(money, free),
            None => Some("no finite number"),
        };
        let Some(reason) = reason else { return Ok(money) };
        let error = Diagnostic::error(
            Code::BadPrice,
            self.place_of(column),
            format!("`{column}` is {text:?}: {reason}"),
        );
        diags.push(error.allowed("a price above zero; empty where it is not known"));
        Err(())
    }

    fn quantity<T: Quantity>(
        self,
        column: Column,
        required: bool,
        diags: &mut Diagnostics,
    ) -> Result<Option<T>, ()> {
        let text = self.text(column);
        if text.is_empty() {
            if required {
                self.missing(column, diags);
            }
            return Ok(None);
        }
        T::parse(text).map(Some).map_err(|error| {
            let wrong =
                Diagnostic::error(Code::BadValue, self.place_of(column), format!("`{column}` is {text:?}"))
                    .allowed(error.allowed);
            diags.push(match error.suggestion {
                Some(text) => wrong.hint(format!("did you mean {text:?}?")),
                None => wrong,
            });
        })
    }

    fn named<T: Named>(self, column: Column, diags: &mut Diagnostics) -> Result<Option<T>, ()> {
        let text = self.text(column);
        if text.is_empty() {
            return Ok(None);
        }
        T::from_name(text).map(Some).ok_or_else(|| {
            let wrong =
                Diagnostic::error(Code::BadValue, self.place_of(column), format!("`{column}` is {text:?}"));
            diags.push(wrong.allowed(T::allowed()));
        })
    }
}

/// The prices of a row.
struct Prices {
    on_demand: Tiers,
    spot: Option<PerHour>,
    terms: Terms,
    free: bool,
}

/// The price of the first hours and what it falls to; a price that stays the same is no step.
fn steps(first: PerHour, later: [Option<PerHour>; 2]) -> Tiers {
    let mut last = first;
    let mut tiers = Vec::new();
    for (from_hours, price) in STEPS.into_iter().zip(later) {
        if let Some(price) = price.filter(|price| *price != last) {
            tiers.push(Tier { from_hours, price });
            last = price;
        }
    }
    if tiers.is_empty() {
        return first.into();
    }
    tiers.insert(0, Tier { from_hours: 0.0, price: first });
    tiers.into()
}

crate::names::named! {
    /// The column `free`.
    enum YesNo {
        /// It costs nothing.
        Yes = "true",
        /// It has a price.
        No = "false",
    }
}
