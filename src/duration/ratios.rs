//! Measured ratios between cards: how much faster or slower than the formula of [`super::cards`] a card was in
//! published training rates, by family and precision.
//!
//! `ratios.csv` was distilled from published rates of the same model, code, precision and number of cards (NVIDIA
//! DeepLearningExamples, Lambda's deeplearning-benchmark of 2022, 2024 and 2025, MosaicML llm-foundry, StyleGAN3,
//! ml-engineering): within each such group the rate over the formula, then alternately the median of each group and of
//! each card. The factor of a card that `n` models were measured on is pulled to 1 by `n ÷ (n + 2)`, since models of
//! one family differ more among themselves than the table knows.

use crate::model::Family;
use crate::names::Named;
use std::borrow::Cow;
use std::collections::BTreeMap;

const EMBEDDED: &str = include_str!("ratios.csv");

/// A table of measured ratios, as text with the columns `family,precision,card,factor,models`.
#[derive(Debug, Clone)]
pub struct Ratios(Cow<'static, str>);

/// One measured ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ratio {
    /// Speed over what the formula says.
    pub factor: f64,
    /// Models from which it is known.
    pub models: u16,
}

impl Ratios {
    /// The table that comes with the program.
    pub const fn embedded() -> Self {
        Self(Cow::Borrowed(EMBEDDED))
    }

    /// Another table, for instance one that leaves a model out.
    pub const fn from_text(text: String) -> Self {
        Self(Cow::Owned(text))
    }

    /// The factors by family, precision and card, with the number of models: of a table that was made anew, whether it is
    /// still this one.
    pub fn entries(&self) -> BTreeMap<&str, (f64, u16)> {
        let entry = |line: &'_ str| -> Option<(usize, f64, u16)> {
            let (rest, models) = line.rsplit_once(',')?;
            let (cell, factor) = rest.rsplit_once(',')?;
            Some((cell.len(), factor.parse().ok()?, models.parse().ok()?))
        };
        let lines = self.0.lines().filter_map(|line| Some((line, entry(line)?)));
        lines.filter_map(|(line, (end, factor, models))| Some((line.get(..end)?, (factor, models)))).collect()
    }

    /// The entries of one family and precision, with their cards.
    pub(super) fn of(&self, family: Family, half: bool) -> impl Iterator<Item = (&str, Ratio)> {
        let (family, precision) = (family.name(), if half { "half" } else { "single" });
        self.0.lines().filter_map(move |line| {
            let mut fields = line
                .strip_prefix(family)?
                .strip_prefix(',')?
                .strip_prefix(precision)?
                .strip_prefix(',')?
                .split(',');
            let card = fields.next()?;
            let factor = fields.next()?.parse().ok().filter(|f| (0.2..5.0).contains(f))?;
            Some((card, Ratio { factor, models: fields.next()?.parse().ok()? }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_read() {
        let mut lines = EMBEDDED.lines();
        assert_eq!(lines.next(), Some("family,precision,card,factor,models"));
        let table = Ratios::embedded();
        let read: usize =
            Family::ALL.iter().flat_map(|(f, _)| [true, false].map(|half| table.of(*f, half).count())).sum();
        assert_eq!(read, lines.count());
    }
}
