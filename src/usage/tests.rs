//! Figures by hand, and which advice speaks when.

use super::cost::RentedGpus;
use super::*;
use crate::read::usage::LoggedGpu;
use crate::units::{Currency, Money, PerHour};

/// A log of GPUs by their utilisation in percent, each with a peak of memory in GiB.
fn log(gpus: &[(&[f64], Option<f64>)]) -> UsageLog {
    let of = |(gpu, (percents, gib)): (usize, &(&[f64], Option<f64>))| {
        let memory = gib.map(Bytes::from_gib);
        percents
            .iter()
            .map(move |percent| Sample { gpu, at: None, utilisation: Some(percent / 100.0), memory })
            .collect::<Vec<_>>()
    };
    UsageLog {
        file: "log".into(),
        gpus: (0..gpus.len()).map(|n| LoggedGpu { label: n.to_string(), name: None, memory: None }).collect(),
        samples: gpus.iter().enumerate().flat_map(of).collect(),
        unread: Vec::new(),
        told_apart: true,
        headed: None,
    }
}

fn rent(price: &str, gpu: Option<(f64, f64)>) -> Rent {
    Rent {
        what: Some("aws x".to_owned()),
        gpu: gpu.map(|(count, gib)| RentedGpus {
            name: "T4".into(),
            count,
            memory: Some(Bytes::from_gib(gib)),
        }),
        per_hour: PerHour::from_decimal(price).unwrap(),
        currency: Currency::USD,
        as_of: None,
        age_months: None,
        source: None,
        confidence: None,
    }
}

fn read(log: &UsageLog, rent: Option<Rent>) -> Usage {
    usage(log, rent, &Thresholds::default())
}

fn rules(usage: &Usage) -> Vec<&'static str> {
    usage.advice.iter().map(|advice| advice.rule).collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn mean_median_and_shares() {
    let load = |percents: &[f64]| read(&log(&[(percents, None)]), None).gpus[0].load.unwrap();
    let odd = load(&[0.0, 100.0, 50.0]);
    assert!(close(odd.mean, 0.5) && close(odd.median, 0.5));
    // 50 % is not below 50 %, 5 % is not idle.
    assert!(close(odd.low, 1.0 / 3.0) && close(odd.idle, 1.0 / 3.0));
    let even = load(&[5.0, 4.9, 60.0, 80.0]);
    assert!(close(even.mean, 0.374_75) && close(even.median, 0.325));
    assert!(close(even.low, 0.5) && close(even.idle, 0.25));
    let one = load(&[42.0]);
    assert!(close(one.mean, 0.42) && close(one.median, 0.42) && one.readings == 1);
}

#[test]
fn the_idle_share_is_priced_by_the_gpus_that_were_logged() {
    // Two GPUs, idle 100 % and 50 %: 75 % of the machine at 4 an hour is 3, × 24 = 72, × 730 = 2190.
    let two = log(&[(&[0.0, 0.0], None), (&[0.0, 90.0], None)]);
    let cost = read(&two, Some(rent("4", Some((2.0, 15.0))))).cost.unwrap();
    assert!(close(cost.idle, 0.75) && close(cost.logged, 1.0));
    assert_eq!(
        [cost.per_hour, cost.per_day, cost.per_month].map(Money::amount),
        ["3.00", "72.00", "2,190.00"]
    );
    // The same two of eight bear a quarter of the price.
    let cost = read(&two, Some(rent("4", Some((8.0, 15.0))))).cost.unwrap();
    assert!(close(cost.logged, 0.25));
    assert_eq!(cost.per_hour.amount(), "0.75");
    // A price alone is that of what was logged; half a card bears its whole price.
    assert_eq!(read(&two, Some(rent("4", None))).cost.unwrap().per_hour.amount(), "3.00");
    let half = log(&[(&[0.0], None)]);
    assert_eq!(read(&half, Some(rent("0.4", Some((0.5, 15.0))))).cost.unwrap().per_hour.amount(), "0.40");
}

#[test]
fn nothing_is_priced_that_is_not_known() {
    let mut unknown = log(&[(&[10.0], None), (&[20.0], None)]);
    unknown.samples[1].utilisation = None;
    let usage = read(&unknown, Some(rent("4", None)));
    assert_eq!((usage.cost, usage.gpus[1].load), (None, None));
    assert!(usage.advice.iter().any(|advice| advice.text.contains("no utilisation")));
}

#[test]
fn low_utilisation_is_named_from_half_of_the_time_on() {
    let busy = [80.0; 100];
    let mut low = busy;
    low[..51].fill(30.0);
    assert!(!rules(&read(&log(&[(&busy, Some(10.0))]), None)).contains(&"A-U1"));
    assert_eq!(rules(&read(&log(&[(&low, Some(10.0))]), None)), ["A-U1", "A-U4"]);
    low[50] = 80.0;
    assert_eq!(rules(&read(&log(&[(&low, Some(10.0))]), None)), Vec::<&str>::new());
    // The threshold is that of the workload's rules.
    let mut strict = Thresholds::default();
    strict.set(Threshold::MinGpuUtilisation, 0.9);
    assert!(rules(&usage(&log(&[(&busy, Some(10.0))]), None, &strict)).contains(&"A-U1"));
}

#[test]
fn an_idle_gpu_is_to_be_released_not_fed() {
    let usage =
        read(&log(&[(&[95.0; 60], Some(10.0)), (&[0.0; 60], Some(0.4))]), Some(rent("2", Some((2.0, 15.0)))));
    assert_eq!(rules(&usage), ["B-C3"]);
    assert_eq!(usage.advice[0].gpu.as_deref(), Some("1"));
}

#[test]
fn memory_left_unused_is_named_where_both_figures_are_known() {
    let with = |peak, memory: Option<f64>| {
        rules(&read(&log(&[(&[95.0; 60], peak)]), Some(rent("2", memory.map(|gib| (1.0, gib))))))
    };
    // 7.4 of 15 GiB: more than half stays free; 7.6 does not.
    assert_eq!(with(Some(7.4), Some(15.0)), ["A-V5"]);
    assert_eq!(with(Some(7.6), Some(15.0)), Vec::<&str>::new());
    assert_eq!(with(Some(7.4), None), Vec::<&str>::new());
    assert_eq!(with(None, Some(15.0)), ["A-U4"]);
}

#[test]
fn few_readings_say_little() {
    assert_eq!(rules(&read(&log(&[(&[95.0; 59], Some(10.0))]), None)), ["A-U4"]);
    assert_eq!(rules(&read(&log(&[(&[95.0; 60], Some(10.0))]), None)), Vec::<&str>::new());
}

#[test]
fn gpus_are_in_the_order_of_their_index() {
    let mut mixed = log(&[(&[1.0], None), (&[2.0], None), (&[3.0], None)]);
    for (gpu, label) in mixed.gpus.iter_mut().zip(["10", "9", "2"]) {
        label.clone_into(&mut gpu.label);
    }
    let usage = read(&mixed, None);
    let labels: Vec<&str> = usage.gpus.iter().map(|gpu| gpu.label.as_str()).collect();
    assert_eq!(labels, ["2", "9", "10"]);
    assert!(close(usage.gpus[0].load.unwrap().mean, 0.03));
}
