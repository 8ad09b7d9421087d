//! GPU memory as a price list states it, against the accelerator table.

use crate::catalog::Accelerator;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::read::Located;
use crate::units::Bytes;
use crate::units::number::significant;

/// Lists mix what is sold, what the driver reports and GB with GiB: up to 7.4 % apart, all of the same card.
const TOLERANCE: f64 = 0.08;

/// How far the stated total may be from count × the stated memory of one.
const TOTAL_TOLERANCE: f64 = 0.02;

/// Whether a stated memory may be that of one card, or of the share of one that is sold.
pub(super) fn agrees(stated: Bytes, card: &Accelerator, count: f64) -> bool {
    let nominal = card.memory.as_f64();
    near(stated.as_f64(), nominal, TOLERANCE) || near(stated.as_f64(), nominal * count.min(1.0), TOLERANCE)
}

/// Memory of one card and of all, as far as stated.
pub(super) struct Stated<'a> {
    pub(super) one: Option<&'a Located<Bytes>>,
    pub(super) all: Option<&'a Located<Bytes>>,
}

impl Stated<'_> {
    /// Reports what contradicts the card.
    pub(super) fn check(&self, card: &Accelerator, count: f64, diags: &mut Diagnostics) {
        let nominal = card.memory.as_f64();
        let cards = || format!("{} × {} of {} each", significant(count, 4), card.name, card.memory.gib());
        if let Some(one) = self.one {
            let stated = one.value.as_f64();
            if !agrees(one.value, card, count) {
                let error = wrong("gpu_memory", one, &cards());
                diags.push(if count > 1.0 && near(stated, nominal * count, TOLERANCE) {
                    error.hint("this is the total: write it as `gpu_memory_total`")
                } else {
                    hinted(error, stated, nominal)
                });
            }
        }
        if let Some(all) = self.all {
            let stated = all.value.as_f64();
            let (each, tolerance) =
                self.one.map_or((nominal, TOLERANCE), |o| (o.value.as_f64(), TOTAL_TOLERANCE));
            if !near(stated, each * count, tolerance) {
                let error = wrong("gpu_memory_total", all, &cards());
                diags.push(if count > 1.0 && near(stated, nominal, TOLERANCE) {
                    error.hint("this is the memory of one: write it as `gpu_memory`")
                } else {
                    hinted(error, stated, nominal * count)
                });
            }
        }
    }
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * b
}

fn wrong(key: &str, stated: &Located<Bytes>, cards: &str) -> Diagnostic {
    let message = format!("`{key}` is {}, but there are {cards}", stated.value.gib());
    Diagnostic::error(Code::WrongSpec, stated.place.clone(), message)
}

/// A slip of the unit shows as a factor of about 1024.
fn hinted(error: Diagnostic, stated: f64, right: f64) -> Diagnostic {
    let factor = right / stated;
    let slip = [1024.0, 1024.0 * 1024.0].iter().any(|f| near(factor, *f, 0.1) || near(1.0 / factor, *f, 0.1));
    if slip { error.hint("is the unit right?") } else { error }
}
