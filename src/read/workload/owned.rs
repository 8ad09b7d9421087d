//! What the user knows beyond the catalog: machines that are owned, and how spot capacity behaves.

use crate::diag::{Diagnostics, Place};
use crate::read::Located;
use crate::read::table::Fields;
use crate::units::Hours;

/// One entry of `owned` in `[where]`.
#[derive(Debug, Clone)]
pub struct RawOwned {
    /// Where it stands.
    pub place: Place,
    /// Keys that it states.
    pub stated: Vec<String>,
    /// `instance`: the type, as name or provider/name.
    pub instance: Option<Located<String>>,
    /// `count`: how many there are.
    pub count: Option<Located<u32>>,
    /// `region`: where they are, as region or provider/region.
    pub region: Option<Located<String>>,
}

impl RawOwned {
    pub(super) fn read(mut fields: Fields<'_>, diags: &mut Diagnostics) -> Self {
        let mut raw = Self {
            place: fields.place().clone(),
            stated: Vec::new(),
            instance: fields.text("instance", diags),
            count: fields.whole("count", (1, 100_000), diags),
            region: fields.text("region", diags),
        };
        raw.stated = fields.finish(diags);
        raw
    }
}

/// `spot` of a stage: what is known of spot capacity for it.
#[derive(Debug, Clone)]
pub struct RawSpot {
    /// `interruptions_per_hour`: how often one instance is lost, per hour of running.
    pub interruptions_per_hour: Option<Located<f64>>,
    /// `lifetime`: age at which an instance is always taken back.
    pub lifetime: Option<Located<Hours>>,
    /// `protection`: age before which it is not.
    pub protection: Option<Located<Hours>>,
}

impl RawSpot {
    pub(super) fn read(mut fields: Fields<'_>, diags: &mut Diagnostics) -> Self {
        let raw = Self {
            interruptions_per_hour: fields.number_within("interruptions_per_hour", (0.0, 1000.0), diags),
            lifetime: fields.quantity("lifetime", diags),
            protection: fields.quantity("protection", diags),
        };
        fields.finish(diags);
        raw
    }
}
