//! Which source a value came from: candidates in their order of precedence, and the record of each choice.

use crate::diag::Diagnostics;
use crate::job::{Origin, Setting};
use crate::names::Named;
use crate::read::Located;
use crate::units::number::thousands;
use crate::units::{Bytes, BytesPerSecond, Currency, Date, Hours};

/// A value and where it came from; none where that source says nothing.
pub(super) type Found<T> = Option<(T, Origin)>;

/// A default with its reason.
#[derive(Debug, Clone, Copy)]
pub struct Preset<T> {
    /// The value.
    pub value: T,
    /// Why this one; begins with "a guess" where it is one.
    pub reason: &'static str,
}

impl<T: Copy> Preset<T> {
    /// As the last candidate.
    pub(super) fn found(&self) -> Found<T> {
        preset(self.value, self.reason)
    }
}

/// What the file says.
pub(super) fn file<T: Clone>(stated: Option<&Located<T>>) -> Found<T> {
    stated.map(|s| (s.value.clone(), Origin::File(s.place.clone())))
}

/// What a flag says.
pub(super) fn flag<T>(stated: Option<T>) -> Found<T> {
    stated.map(|value| (value, Origin::Flag))
}

/// A default whose reason depends on the case.
#[expect(clippy::unnecessary_wraps, reason = "a candidate like the others, always there")]
pub(super) fn preset<T>(value: T, reason: impl Into<String>) -> Found<T> {
    Some((value, Origin::Default(reason.into())))
}

/// The settings recorded so far and the mistakes found so far.
#[derive(Debug)]
pub(super) struct Ledger<'d> {
    pub(super) settings: Vec<Setting>,
    pub(super) diags: &'d mut Diagnostics,
}

impl<'d> Ledger<'d> {
    pub(super) const fn new(diags: &'d mut Diagnostics) -> Self {
        Self { settings: Vec::new(), diags }
    }

    /// Records a value and hands it on.
    pub(super) fn settle<T: Shown>(&mut self, key: impl Into<String>, found: Found<T>) -> Option<T> {
        let (value, origin) = found?;
        self.record(key, value.shown(), origin);
        Some(value)
    }

    /// The same for a value that always has a default.
    pub(super) fn settle_or<T: Shown + Copy>(
        &mut self,
        key: impl Into<String>,
        found: Found<T>,
        default: &Preset<T>,
    ) -> T {
        self.settle(key, found.or_else(|| default.found())).unwrap_or(default.value)
    }

    /// Records a value that is already text.
    pub(super) fn record(&mut self, key: impl Into<String>, value: impl Into<String>, origin: Origin) {
        self.settings.push(Setting { key: key.into(), value: value.into(), origin });
    }
}

/// A value as the explanation shows it: exact where it is a number.
pub(super) trait Shown {
    fn shown(&self) -> String;
}

impl<T: Named> Shown for T {
    fn shown(&self) -> String {
        self.name().to_owned()
    }
}

impl Shown for f64 {
    fn shown(&self) -> String {
        match self.abs() {
            size if size > 1e15 => format!("{self:e}"),
            size if size >= 1000.0 && self.fract() == 0.0 => thousands(*self),
            _ => self.to_string(),
        }
    }
}

impl Shown for u32 {
    fn shown(&self) -> String {
        if *self == crate::job::Stage::NO_LIMIT { "no limit".to_owned() } else { f64::from(*self).shown() }
    }
}

impl Shown for bool {
    fn shown(&self) -> String {
        self.to_string()
    }
}

macro_rules! shown_by_display {
    ($($type:ty),+) => { $(impl Shown for $type {
        fn shown(&self) -> String {
            self.to_string()
        }
    })+ };
}
shown_by_display!(String, Bytes, BytesPerSecond, Hours, Currency, Date);

/// A number as messages show it.
pub(super) fn shown(value: f64) -> String {
    value.shown()
}

/// What to type where a share was written in percent.
pub(super) fn percent(key: &str, value: f64) -> Option<String> {
    (value > 1.0 && value < 100.0).then(|| format!("did you mean `{key} = {}`?", value / 100.0))
}
