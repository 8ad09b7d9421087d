//! What a whole run takes beyond its steps, where the time was worked out from steps.

/// Evaluation, checkpoints and data lists of a training run: the time of 90 epochs over samples ÷ throughput, median of 58
/// published pairs 1.06 (10th to 90th percentile 0.99 to 1.14).
pub(super) const WHOLE_RUN: f64 = 1.06;

/// The same for long runs over many nodes, which also lose work to failures and restarts: whole published pre-training
/// bills lie at 0.75 (A100) and 0.68 (H100) of the benchmark's utilisation, of which the network takes a part.
pub(super) const LONG_RUN: f64 = 1.2;

/// Part of a measured training job that neither more nor faster cards shorten: start, data lists, evaluation, the last
/// checkpoint. Of published hours to train, eight cards keep 68 % of linear (10th to 90th percentile 37 to 95 %) where
/// throughputs keep 95 %; the difference is some five minutes per job, whatever its length, and at most a tenth of it.
pub(super) fn fixed(measured: crate::units::Hours) -> crate::units::Hours {
    crate::units::Hours::new(FIXED_HOURS.min(0.1 * measured.get()))
}

const FIXED_HOURS: f64 = 1.0 / 12.0;

/// Beyond so many cards a run spans nodes.
const MANY_CARDS: f64 = 16.0;
/// Beyond so many card-hours it is a long run on many nodes, however few cards are asked about: a month on 8 cards.
const LONG_CARD_HOURS: f64 = 5000.0;

/// Factor on the steps' time. `long` says that the model's kind is trained for so long; `card_hours` is the time on one
/// card.
pub(super) fn factor(whole_job: bool, trains: bool, long: bool, cards: f64, card_hours: f64) -> f64 {
    match () {
        () if !whole_job || !trains => 1.0,
        () if long && (cards > MANY_CARDS || card_hours > LONG_CARD_HOURS) => LONG_RUN,
        () => WHOLE_RUN,
    }
}
