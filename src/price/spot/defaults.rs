//! What is assumed where nothing is known: each a stated default, shown as such.

use super::{Hazard, Scenarios, Wait};
use crate::units::{Bytes, BytesPerSecond, Hours};

/// Kind of machine, as far as spot capacity differs by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    /// Without an accelerator.
    Cpu,
    /// With accelerators, which are scarcer.
    Gpu,
}

/// Rate of writing a checkpoint to durable storage where none is given, bytes per second. A guess.
const CHECKPOINT_RATE: f64 = 1e9;
/// The shortest time that a checkpoint takes, seconds. A guess.
const CHECKPOINT_FLOOR: f64 = 5.0;
/// Standard deviation of a wait over its mean; 1.3 to 3.9 on public preemption traces.
const WAIT_VARIATION: f64 = 2.0;

/// Time of every launch before work goes on: provision, boot, image, data, loading the checkpoint. 5 minutes
/// without an accelerator (a guess); 10 with one, where launchers report 5 to 10 for a 14 B model on 8 GPUs.
pub fn default_restart(machine: Machine) -> Hours {
    Hours::from_secs(match machine {
        Machine::Cpu => 300.0,
        Machine::Gpu => 600.0,
    })
}

/// Time of writing a checkpoint of `state` (weights and optimizer states): size over bandwidth, 1 GB/s where the
/// bandwidth is unknown, at least 5 s.
pub fn checkpoint_time(state: Bytes, rate: Option<BytesPerSecond>) -> Hours {
    let rate = rate.map_or(CHECKPOINT_RATE, BytesPerSecond::get);
    Hours::from_secs((state.as_f64() / rate).max(CHECKPOINT_FLOOR))
}

/// Hazards where the catalog has none. GPU: 0.05, 0.3 and 1 per hour, the span of traced types; CPU: 0.005, 0.05
/// and 0.3, a guess on fewer traces.
pub fn unknown_hazard(machine: Machine) -> Scenarios<Hazard> {
    let (optimistic, default, pessimistic) = match machine {
        Machine::Cpu => (0.005, 0.05, 0.3),
        Machine::Gpu => (0.05, 0.3, 1.0),
    };
    Scenarios { optimistic, default, pessimistic }.map(|rate| Hazard::per_hour(rate).unwrap_or_default())
}

/// Waits for capacity after an interruption, where nothing is known. GPU: 0.1, 1 and 3 h; CPU: 0.05, 0.25 and
/// 1 h; traced means run from 0.3 to 3.9 h.
pub fn unknown_wait(machine: Machine) -> Scenarios<Wait> {
    let (optimistic, default, pessimistic) = match machine {
        Machine::Cpu => (0.05, 0.25, 1.0),
        Machine::Gpu => (0.1, 1.0, 3.0),
    };
    Scenarios { optimistic, default, pessimistic }.map(|mean| Wait::varying(Hours::new(mean), WAIT_VARIATION))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_optimizer_state_takes_its_time() {
        // 7 B parameters with 12 bytes of fp32 weight and Adam states each: 84 GB, 84 s at 1 GB/s.
        assert!((checkpoint_time(Bytes::from_gb(84.0), None).as_secs() - 84.0).abs() < 1e-9);
        let fast = BytesPerSecond::from_gb(4.0);
        assert!((checkpoint_time(Bytes::from_gb(84.0), fast).as_secs() - 21.0).abs() < 1e-9);
        assert!((checkpoint_time(Bytes::from_gb(0.1), None).as_secs() - 5.0).abs() < 1e-9);
    }
}
