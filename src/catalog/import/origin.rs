//! Dates and sources of figures: stated once for a file, or beside a figure.

use super::Context;
use crate::catalog::{Confidence, Name, Provenance};
use crate::diag::Diagnostics;
use crate::read::table::Fields;
use crate::units::Date;
use std::collections::BTreeMap;

/// Date, source and confidence as far as they are stated.
#[derive(Debug, Clone, Default)]
pub(super) struct Origin {
    pub(super) as_of: Option<Date>,
    pub(super) source: Option<Name>,
    pub(super) confidence: Option<Confidence>,
}

impl Origin {
    /// What is stated here, else what is stated there.
    pub(super) fn or(&self, default: &Self) -> Self {
        Self {
            as_of: self.as_of.or(default.as_of),
            source: self.source.clone().or_else(|| default.source.clone()),
            confidence: self.confidence.or(default.confidence),
        }
    }

    /// The same, except that a source of its own does not take over a date that belongs to another source.
    pub(super) fn with_own_date(&self, default: &Self) -> Self {
        if self.source.is_some() { self.clone() } else { self.or(default) }
    }

    /// A provenance, if there is a source.
    pub(super) fn provenance(self) -> Option<Provenance> {
        let confidence = self.confidence.unwrap_or(Confidence::Read);
        self.source.map(|source| Provenance { source, as_of: self.as_of, confidence })
    }

    /// A provenance, if there are a source and a date.
    pub(super) fn dated(self) -> Option<Provenance> {
        self.as_of.and(self.provenance_ref())
    }

    fn provenance_ref(&self) -> Option<Provenance> {
        self.clone().provenance()
    }
}

/// The `[sources]` of a file: short keys for long names.
#[derive(Debug, Default)]
pub(super) struct Sources(BTreeMap<String, Name>);

impl Sources {
    /// Reads the table.
    pub(super) fn read(file: &mut Fields<'_>, context: &mut Context<'_>, diags: &mut Diagnostics) -> Self {
        let Some(table) = file.table("sources", diags) else { return Self::default() };
        let texts = table.keys().into_iter().filter_map(|key| {
            let text = table.text_named(&key.value, diags)?;
            Some((key.value, context.name(&text.value)))
        });
        Self(texts.collect())
    }

    /// The date, source and confidence beside a figure, under the usual keys.
    pub(super) fn origin(
        &self,
        fields: &mut Fields<'_>,
        context: &mut Context<'_>,
        diags: &mut Diagnostics,
    ) -> Origin {
        let confidence = fields.named("confidence", diags).map(|c| c.value);
        Origin { confidence, ..self.origin_at(fields, ["as_of", "source"], context, diags) }
    }

    /// Date and source under other keys.
    pub(super) fn origin_at(
        &self,
        fields: &mut Fields<'_>,
        [as_of, source]: [&'static str; 2],
        context: &mut Context<'_>,
        diags: &mut Diagnostics,
    ) -> Origin {
        let source = fields.text(source, diags).map(|text| match self.0.get(&text.value) {
            Some(name) => name.clone(),
            None => context.name(&text.value),
        });
        Origin { as_of: fields.quantity(as_of, diags).map(|date| date.value), source, confidence: None }
    }
}
