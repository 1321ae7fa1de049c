//! Cost of a training step on many ranks: arithmetic, bytes sent, time and efficiency.
//!
//! A step's samples are divided into blocks of a fixed size, which ranks share. Each rank adds one
//! segment of the gradient: it receives that segment from all other ranks, and the sums are
//! gathered again. Every rank then updates all weights. With N ranks, B blocks, W bytes of weights,
//! and latency l and bandwidth b of a rank's link:
//!
//! | part | seconds |
//! |---|---|
//! | computing | ceil(B / N) blocks |
//! | exchange | 2 ((N - 1) l + W (N - 1) / (N b)), nothing for one rank |
//! | update | weights / rate, on every rank |
//!
//! A step stops getting faster once every rank has one block (N = B), or earlier if W / b exceeds
//! the time of a block.

/// Performance figures of a machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Useful operations per second of a rank in training.
    pub training: f64,
    /// Weights per second that a rank's optimiser updates.
    pub update: f64,
    /// Latency of a message, in seconds.
    pub latency: f64,
    /// Bandwidth of a rank, in bytes per second.
    pub bandwidth: f64,
}

/// A training step, independent of the number of ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Useful operations of all samples.
    pub flops: f64,
    /// Blocks into which the samples are divided.
    pub blocks: usize,
    /// Number of weights.
    pub weights: f64,
}

/// Cost of a step on some number of ranks.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct StepCost {
    /// Number of ranks.
    pub ranks: usize,
    /// Seconds to compute gradients, on the rank with the most blocks.
    pub computing: f64,
    /// Seconds to exchange messages.
    pub exchange: f64,
    /// Seconds of the optimiser.
    pub update: f64,
    /// Bytes that a rank sends.
    pub bytes: f64,
}

const BYTES: f64 = 4.0;

impl Step {
    /// Cost of the step on this number of ranks.
    pub fn on(&self, ranks: usize, rates: &Rates) -> StepCost {
        let ranks = ranks.max(1);
        let block = self.flops / self.blocks.max(1) as f64 / rates.training;
        let others = (ranks - 1) as f64;
        let bytes = 2.0 * BYTES * self.weights * others / ranks as f64;
        StepCost {
            ranks,
            computing: self.blocks.div_ceil(ranks) as f64 * block,
            exchange: 2.0 * others * rates.latency + bytes / rates.bandwidth,
            update: self.weights / rates.update,
            bytes,
        }
    }
}

impl StepCost {
    /// Total seconds; the parts follow one another.
    pub fn seconds(&self) -> f64 {
        self.computing + self.exchange + self.update
    }

    /// Parallel efficiency relative to `alone`, the cost on one rank: 1 if N ranks take 1/N of its
    /// time.
    pub fn efficiency(&self, alone: &Self) -> f64 {
        alone.seconds() / (self.ranks as f64 * self.seconds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Step = Step {
        flops: 8e9,
        blocks: 8,
        weights: 1e6,
    };
    const RATES: Rates = Rates {
        training: 1e9,
        update: 1e9,
        latency: 1e-5,
        bandwidth: 1e9,
    };

    #[test]
    fn one_rank_sends_nothing_and_is_fully_efficient() {
        let alone = STEP.on(1, &RATES);
        assert_eq!((alone.bytes, alone.exchange), (0.0, 0.0));
        assert_eq!(alone.efficiency(&alone), 1.0);
        assert_eq!(alone.seconds(), 8.0 + 1e-3);
    }

    #[test]
    fn more_ranks_than_blocks_gain_nothing() {
        let all = STEP.on(8, &RATES);
        let more = STEP.on(16, &RATES);
        assert_eq!(all.computing, 1.0);
        assert_eq!(more.computing, all.computing);
        assert!(more.seconds() > all.seconds());
    }

    #[test]
    fn a_rank_sends_at_most_twice_the_weights_whatever_their_number() {
        let bytes = |ranks| STEP.on(ranks, &RATES).bytes;
        assert_eq!(bytes(2), 4e6);
        assert!(bytes(1000) > bytes(2) && bytes(1000) < 8e6);
    }

    #[test]
    fn three_ranks_wait_for_the_one_with_three_of_eight_blocks() {
        assert_eq!(STEP.on(3, &RATES).computing, 3.0);
    }

    #[test]
    fn a_link_slower_than_the_blocks_costs_its_share_of_efficiency() {
        let slow = Rates {
            bandwidth: 4e6,
            latency: 0.0,
            ..RATES
        };
        // Two ranks: 4 s of blocks, 1 s of 4 MB.
        let two = STEP.on(2, &slow);
        let efficiency = two.efficiency(&STEP.on(1, &slow));
        assert!((efficiency - 8.001 / (2.0 * 5.001)).abs() < 1e-12);
    }
}
