//! Figures from published sources and from the closed forms evaluated elsewhere with 50 digits.

use super::job;
use plan::price::breakeven::{break_even_discount, break_even_hazard, compare_spot};
use plan::price::spot::{
    Hazard, Machine, ReclaimBucket, SpotVerdict, assess, checkpoint_time, daly_interval, default_restart,
    evaluate, exact_interval, segments_every, young_interval,
};
use plan::units::{Bytes, Hours, PerHour};

/// A pull request of an AI platform (`Boise-State-Development/agentcore-public-stack` #1025, 2026) states 0.15
/// interruptions an hour, jobs of 3.3, 10.5 and 48.5 h and, without checkpoints, 1.4, 8.4 and 3,198 h as
/// on-demand equivalents at a third of the price. (e^{rT} − 1)/r is 4.27, 25.5 and 9,618 h.
#[test]
fn long_jobs_without_checkpoints_never_end() {
    for (work, billed, digits) in [(3.3, "4.27", 2), (10.5, "25.5", 1), (48.5, "9618", 0)] {
        let job = job(work, 1, 0.0, 0.0, 0.15);
        assert_eq!(format!("{:.digits$}", evaluate(&job).billed.get()), billed);
        let verdict = assess(&job);
        let refused = matches!(verdict, SpotVerdict::Refuse { .. });
        assert_eq!(refused, work > 10.0, "{work}: {verdict:?}");
    }
}

/// The same jobs with a checkpoint every half hour are accepted, and the bill is that of on-demand plus a little.
#[test]
fn checkpoints_make_the_same_jobs_possible() {
    for work in [3.3, 10.5, 48.5] {
        let job = job(work, segments_every(Hours::new(work), Hours::new(0.5)), 30.0, 300.0, 0.15);
        assert!(matches!(assess(&job), SpotVerdict::Accept { .. }));
        assert!(evaluate(&job).billed.get() < 1.12 * work);
    }
}

#[test]
fn verdicts_at_their_borders() {
    let at = |exposure: f64| assess(&job(10.0 - 1.0 / 12.0, 1, 0.0, 300.0, exposure / 10.0));
    assert!(matches!(at(0.199), SpotVerdict::Accept { .. }));
    assert!(matches!(at(0.201), SpotVerdict::Warn { .. }));
    assert!(matches!(at(0.999), SpotVerdict::Warn { .. }));
    assert!(matches!(at(1.001), SpotVerdict::Refuse { .. }));
    // A checkpoint that dies with the instance is none.
    let long = job(48.0, 96, 30.0, 300.0, 0.3);
    assert!(matches!(assess(&long), SpotVerdict::Accept { .. }));
    assert!(matches!(assess(&long.without_durable_checkpoints()), SpotVerdict::Refuse { .. }));
    // An interval of 8 h at one interruption every 2 h is warned about, an endless one refused.
    assert!(matches!(assess(&job(48.0, 6, 30.0, 300.0, 0.5)), SpotVerdict::Warn { .. }));
    assert!(matches!(assess(&job(48_000.0, 6, 30.0, 300.0, 0.5)), SpotVerdict::Refuse { .. }));
}

/// Daly (FGCS 22, 2006): a checkpoint of 5 minutes, and mean times to interrupt of 24 h, 6 h and 15 min.
#[test]
fn intervals_as_daly_published_them() {
    let five = Hours::from_secs(300.0);
    for (mean_hours, minutes) in [(24.0, "117"), (6.0, "57"), (0.25, "9.1")] {
        let hazard = Hazard::per_hour(1.0 / mean_hours).unwrap();
        let digits = usize::from(mean_hours < 1.0);
        let daly = daly_interval(five, hazard).as_secs() / 60.0;
        assert_eq!(format!("{daly:.digits$}"), minutes);
        // His expansion is close to the exact optimum throughout; Young's, which lacks "− C", is not.
        let exact = exact_interval(five, hazard).as_secs() / 60.0;
        assert!((daly - exact).abs() < 0.04, "{daly} {exact}");
        assert!(young_interval(five, hazard).as_secs() / 60.0 - exact > 3.0);
    }
}

/// W h, N, C s, R s, λ, then mean billed hours, its standard deviation, interruptions, shortest time and the
/// chance of none: the closed forms in 50-digit arithmetic, rounded to 15.
const FORMULA: [(f64, u32, f64, f64, f64, [f64; 5]); 10] = [
    (
        1.0,
        1,
        0.0,
        300.0,
        0.1,
        [
            1.144_191_565_333_49,
            0.217_387_334_714_148,
            0.114_419_156_533_349,
            1.083_333_333_333_33,
            0.897_328_437_094_284,
        ],
    ),
    (
        4.0,
        1,
        0.0,
        300.0,
        0.3,
        [
            8.013_886_942_636_06,
            4.997_932_701_945_52,
            2.404_166_082_790_82,
            4.083_333_333_333_33,
            0.293_757_700_323_533,
        ],
    ),
    (
        10.0,
        10,
        60.0,
        300.0,
        0.1,
        [
            10.856_084_207_961_7,
            0.702_197_811_558_230,
            1.085_608_420_796_17,
            10.233_333_333_333_3,
            0.359_394_958_120_350,
        ],
    ),
    (
        48.0,
        96,
        5.0,
        60.0,
        0.3,
        [
            52.217_347_364_013_3,
            1.249_353_741_215_38,
            15.665_204_209_204_0,
            48.148_611_111_111_1,
            5.330_858_622_605_12e-7,
        ],
    ),
    (
        200.0,
        600,
        60.0,
        300.0,
        0.3,
        [
            227.091_976_234_608,
            2.351_191_016_650_41,
            68.127_592_870_382_4,
            210.066_666_666_667,
            4.273_283_938_196_70e-28,
        ],
    ),
    (
        48.0,
        8,
        600.0,
        900.0,
        0.05,
        [
            58.534_394_482_970_4,
            6.949_018_759_060_92,
            2.926_719_724_148_52,
            49.416_666_666_666_7,
            0.084_514_400_980_649_5,
        ],
    ),
    (
        12.0,
        3,
        600.0,
        900.0,
        0.01,
        [
            12.872_286_741_950_5,
            0.931_279_197_643_824,
            0.128_722_867_419_505,
            12.583_333_333_333_3,
            0.881_761_794_836_544,
        ],
    ),
    (
        100.0,
        100,
        60.0,
        300.0,
        0.001,
        [
            101.793_493_558_840,
            0.210_657_326_330_542,
            0.101_793_493_558_840,
            101.733_333_333_333,
            0.903_270_391_659_893,
        ],
    ),
    (
        24.0,
        48,
        30.0,
        600.0,
        1.0,
        [
            37.733_344_506_952_1,
            3.129_215_974_211_99,
            37.733_344_506_952_1,
            24.558_333_333_333_3,
            2.159_988_050_708_06e-11,
        ],
    ),
    (
        0.5,
        1,
        0.0,
        60.0,
        0.000_001,
        [
            0.516_666_800_138_912,
            0.000_214_414_992_911_451,
            5.166_668_001_389_12e-7,
            0.516_666_666_666_667,
            0.999_999_483_333_467,
        ],
    ),
];

#[test]
fn means_and_deviations_to_fourteen_digits() {
    for (work, segments, checkpoint, restart, rate, expected) in FORMULA {
        let o = evaluate(&job(work, segments, checkpoint, restart, rate));
        let shortest = o.shortest.get();
        let found = [o.billed.get(), o.billed_variance.sqrt(), o.interruptions, shortest, o.p_uninterrupted];
        for (found, expected) in found.iter().zip(expected) {
            // A chance of e⁻⁶³ carries the rounding of its exponent.
            assert!((found / expected - 1.0).abs() < 5e-14, "{found} for {expected} of {work} h at {rate}/h");
        }
        assert_eq!((o.completion, o.completion_variance), (o.billed, o.billed_variance));
    }
}

/// 60 s checkpoints and 5 min restarts, 50-digit values: a 70 % discount pays up to 7.8 interruptions an hour.
#[test]
fn a_discount_and_the_hazard_that_eats_it() {
    let (c, r) = (Hours::from_secs(60.0), Hours::from_secs(300.0));
    let hazard = break_even_hazard(c, r, 0.7).unwrap();
    assert!((hazard.get() / 7.773_833_370_75 - 1.0).abs() < 1e-11);
    assert!((break_even_discount(c, r, hazard) - 0.7).abs() < 1e-12);
    let rare = Hazard::per_hour(0.001).unwrap();
    assert!((break_even_discount(c, r, rare) / 0.005_845_246_612_21 - 1.0).abs() < 1e-11);
    assert_eq!(break_even_hazard(c, r, 0.0), Some(Hazard::NONE));
    assert_eq!(break_even_hazard(c, r, 1.0), None);
    assert_eq!(break_even_hazard(Hours::ZERO, Hours::ZERO, 0.5), None);
}

/// The authors of `SkyPilot` (answer on Reddit, November 2022): fine-tuning BERT on one V100 took 20 h and 61.2
/// dollars on-demand, 21 h and 18.4 dollars on managed spot. Their example (`bert_qa.yaml`: 50 epochs of `SQuAD` in
/// batches of 12, saved every 1,000 steps) writes some 369 checkpoints of 110 M parameters with Adam states.
/// The number of interruptions is not stated; one in 6 to 10 h is assumed.
#[test]
fn bert_on_spot_lands_where_it_was_measured() {
    let checkpoint = checkpoint_time(Bytes::from_gb(0.11 * 12.0), None).as_secs();
    let restart = default_restart(Machine::Gpu).as_secs();
    for hours_between in [6.0, 8.0, 10.0] {
        let job = job(20.0, 369, checkpoint, restart, 1.0 / hours_between);
        let spot = PerHour::from_f64(18.4 / 21.0).unwrap();
        let both = compare_spot(&job, PerHour::from_decimal("3.06").unwrap(), spot, PerHour::from_nanos(0));
        let billed = evaluate(&job).billed.get();
        assert!((billed / 21.0 - 1.0).abs() < 0.1, "{billed}");
        assert!((both.spot.unwrap().as_f64() / 18.4 - 1.0).abs() < 0.1);
        assert!(both.spot_wins);
    }
}

/// AWS's shares, read over a run of 24 h: 0.0021, 0.0044, 0.0068 and 0.0093 an hour.
#[test]
fn published_shares_become_hazards() {
    for (index, default) in [(0, 0.00214), (1, 0.00439), (2, 0.00677), (3, 0.00930), (4, 0.3)] {
        let three = ReclaimBucket::from_index(index).unwrap().scenarios();
        assert!((three.default.get() - default).abs() < 5e-6, "{index}");
    }
}
