//! Errors in, medians and shares out.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of rows"
)]

/// Predicted and published values with the predicted band.
#[derive(Default)]
pub(crate) struct Errors {
    /// |predicted ÷ published − 1|.
    relative: Vec<f64>,
    /// Predicted over published.
    pub(crate) ratio: Vec<f64>,
    inside: usize,
    /// Factor from the expected value to the end of the band.
    widths: Vec<f64>,
}

impl Errors {
    /// Adds one: a published value, and the prediction with its band.
    pub(crate) fn add(&mut self, published: f64, low: f64, predicted: f64, high: f64) {
        self.relative.push((predicted / published - 1.0).abs());
        self.ratio.push(predicted / published);
        self.inside += usize::from((low..=high).contains(&published));
        self.widths.push((high / low).sqrt());
    }

    pub(crate) const fn len(&self) -> usize {
        self.relative.len()
    }

    pub(crate) fn median(&self) -> f64 {
        quantile(&self.relative, 0.5)
    }

    /// Share inside the band.
    pub(crate) fn inside(&self) -> f64 {
        self.inside as f64 / self.len().max(1) as f64
    }

    /// Share within a factor.
    pub(crate) fn within(&self, factor: f64) -> f64 {
        let good = self.ratio.iter().filter(|r| r.ln().abs() <= factor.ln()).count();
        good as f64 / self.len().max(1) as f64
    }

    pub(crate) fn width(&self) -> f64 {
        quantile(&self.widths, 0.5)
    }

    /// One line of the report.
    pub(crate) fn print(&self, name: &str) {
        println!(
            "{name:<44} n={:<5} median {:>5.1} %  p90 {:>6.1} %  in band {:>5.1} %  median width ×/÷{:.2}  within ×2 {:.1} %",
            self.len(),
            100.0 * self.median(),
            100.0 * quantile(&self.relative, 0.9),
            100.0 * self.inside(),
            self.width(),
            100.0 * self.within(2.0),
        );
    }
}

/// The value below which a share of the values lies; NaN of none.
pub(crate) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = ((sorted.len() as f64) * share) as usize;
    if (share - 0.5).abs() < 1e-9 && sorted.len().is_multiple_of(2) && at > 0 {
        return f64::midpoint(sorted[at - 1], sorted[at]);
    }
    sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}
