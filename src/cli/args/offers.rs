//! `plan offers` as typed.

use super::{CatalogOptions, quantity, sold, whole, word};
use crate::offers::Sort;
use crate::render::offers::ListFormat;
use crate::terms::{Class, Purchase};
use crate::units::number::Count;
use crate::units::{Bytes, Currency, Date, HourlyPrice, NominalMemory, Range};
use clap::Args;

/// `plan offers`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "A RANGE is A..B, A.., ..B or one value; both ends belong to it. Rows are sorted by --sort, then by \
                        price, provider, instance, region, zone and way of buying; what has no price comes last. \
                        Exit status: 0 something matches; 1 nothing does; 2 bad input or usage."
)]
pub struct OffersArgs {
    /// With this GPU, and so many of it where a number is given: T4, A100-80GB:8, 8xA100-80GB (repeatable: any of them)
    #[arg(long, value_name = "NAME[:COUNT]")]
    pub gpu: Vec<String>,
    /// With so many GPUs; 0.. includes CPU instances
    #[arg(long, value_name = "RANGE", value_parser = quantity::<Range<Count>>, allow_negative_numbers = true)]
    pub gpus: Option<Range<Count>>,
    /// With so much memory per GPU, as cards are sold: 24.., "16..48 GB"
    #[arg(long, value_name = "RANGE", value_parser = quantity::<Range<NominalMemory>>, allow_negative_numbers = true)]
    pub vram: Option<Range<NominalMemory>>,
    /// With so many vCPUs
    #[arg(long, value_name = "RANGE", value_parser = quantity::<Range<Count>>, allow_negative_numbers = true)]
    pub vcpus: Option<Range<Count>>,
    /// With so much main memory: "64 GiB..", "..500 GB"
    #[arg(long, value_name = "RANGE", value_parser = quantity::<Range<Bytes>>, allow_negative_numbers = true)]
    pub memory: Option<Range<Bytes>>,
    /// Of this provider (repeatable: any of them)
    #[arg(long, value_name = "NAME")]
    pub provider: Vec<String>,
    /// In this region, as us-east-1 or aws/us-east-1 (repeatable: any of them)
    #[arg(long, value_name = "NAME")]
    pub region: Vec<String>,
    /// With GPUs or without
    #[arg(long, value_name = "CLASS", value_parser = word::<Class>())]
    pub class: Option<Class>,
    /// At a price per hour within this range, in the listing's currency (USD unless --currency or the range names
    /// another); prepaid terms count by their hours (730 a month)
    #[arg(long, value_name = "RANGE", value_parser = quantity::<Range<HourlyPrice>>, allow_negative_numbers = true)]
    pub price: Option<Range<HourlyPrice>>,
    /// Bought this way, where it is sold so (repeatable); without it on-demand prices are listed
    #[arg(long, value_name = "HOW", value_parser = sold())]
    pub purchase: Vec<Purchase>,
    /// Sort by this, rising (dates: the newest first)
    #[arg(long, value_name = "KEY", default_value = "price", value_parser = word::<Sort>())]
    pub sort: Sort,
    /// Sort the other way round; what has no price stays last
    #[arg(long)]
    pub reverse: bool,
    /// Show at most so many rows; 0 for all [default: 20 in a table, all otherwise]
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    pub limit: Option<u32>,
    /// How to write the answer
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = word::<ListFormat>())]
    pub format: ListFormat,
    /// Which prices to use.
    #[command(flatten)]
    pub prices: CatalogOptions,
    /// Currency of the listing, such as CNY; prices in others are converted at the dated rates [default: USD]
    #[arg(long, value_name = "CODE", value_parser = quantity::<Currency>)]
    pub currency: Option<Currency>,
    /// Leave out prices older than so many months unless a provider or a region is named [default: 36]
    #[arg(long, value_name = "MONTHS", value_parser = whole, allow_negative_numbers = true)]
    pub stale_after: Option<u32>,
    /// Count ages from this day instead of today
    #[arg(long, value_name = "DATE", value_parser = quantity::<Date>)]
    pub today: Option<Date>,
}
