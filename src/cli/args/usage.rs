//! `plan usage` as typed.

use super::{CatalogOptions, quantity, sold};
use crate::render::Format;
use crate::terms::Purchase;
use crate::units::{Currency, Date, HourlyPrice};
use clap::Args;
use std::path::PathBuf;

/// `plan usage`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Write a log with `nvidia-smi dmon -s pucm -o DT > dmon.log`, or with \
                        `nvidia-smi --query-gpu=timestamp,index,name,utilization.gpu,memory.used,memory.total \
                        --format=csv -l 1 > gpus.csv`. Exit status: 0 a report; 1 no price for what --on names; \
                        2 bad input or usage.")]
pub struct UsageArgs {
    /// The log; - reads standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What was rented: says what the idle share costs
    #[arg(long, value_name = "PROVIDER/INSTANCE", conflicts_with = "price")]
    pub on: Option<String>,
    /// Where it was rented; without it, the cheapest region counts
    #[arg(long, value_name = "NAME", requires = "on")]
    pub region: Option<String>,
    /// How it was bought [default: on-demand]
    #[arg(long, value_name = "HOW", requires = "on", value_parser = sold())]
    pub purchase: Option<Purchase>,
    /// What an hour of the machine costs, such as "2.10 USD"
    #[arg(long, value_name = "AMOUNT", value_parser = quantity::<HourlyPrice>, allow_negative_numbers = true)]
    pub price: Option<HourlyPrice>,
    /// How to write the answer
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: Format,
    /// Which prices to use.
    #[command(flatten)]
    pub prices: CatalogOptions,
    /// Currency of the answer, such as CNY [default: that of the price]
    #[arg(long, value_name = "CODE", requires = "on", value_parser = quantity::<Currency>)]
    pub currency: Option<Currency>,
    /// Count ages from this day instead of today
    #[arg(long, value_name = "DATE", value_parser = quantity::<Date>)]
    pub today: Option<Date>,
}
