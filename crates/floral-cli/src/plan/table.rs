//! A plan as text and as JSON.

use anyhow::Result;
use floral::cost::{Memory, Rates, StepCost};
use floral::counted;
use serde_json::json;

use super::training::Training;
use crate::duration::readable;

/// The efficiency above which further ranks are worthwhile.
const FAIR: f64 = 0.8;

impl Training {
    /// The plan as text and a table.
    pub fn text(&self, rates: &Rates, rows: &[StepCost], price: Option<f64>) -> String {
        let size = self.grid.iter().map(usize::to_string).collect::<Vec<_>>();
        let gigabytes = |bytes: f64| bytes / 1e9;
        let Memory {
            parameters,
            context,
            activations,
            data,
        } = self.memory;
        let mut text = format!(
            "{} on {}, {} with {}: {:.3} million weights\n\
             one step of {} samples: {:.3} TFLOP in {}; {} steps per epoch, at most {} epochs\n\
             memory per rank: {:.2} GB (weights {:.2}, conditions {:.2}, layers {:.2}, data {:.2})\n\
             speed per rank: {:.0} GFLOP/s in training, {:.0} million weight updates per second; \
             messages: {:.1} us, {:.3} GB/s\n\n",
            self.config.method,
            size.join("x"),
            counted(self.inputs, "input"),
            counted(self.realizations, "realization"),
            self.step.weights / 1e6,
            self.config.optimiser.batch,
            self.step.flops / 1e12,
            counted(self.step.blocks, "block"),
            self.steps,
            self.epochs(),
            gigabytes(self.memory.total()),
            gigabytes(parameters),
            gigabytes(context),
            gigabytes(activations),
            gigabytes(data),
            rates.training / 1e9,
            rates.update / 1e6,
            1e6 * rates.latency,
            rates.bandwidth / 1e9,
        );
        text += &format!(
            "{:>6} {:>11} {:>11} {:>11} {:>11} {:>10} {:>10} {:>11}{}\n",
            "ranks",
            "s per step",
            "computing",
            "messages",
            "GB sent",
            "efficiency",
            "all epochs",
            "rank-hours",
            if price.is_some() { "       price" } else { "" }
        );
        for row in rows {
            text += &self.line(row, &rows[0], price);
        }
        text + &self.verdict(rows)
    }

    fn line(&self, row: &StepCost, alone: &StepCost, price: Option<f64>) -> String {
        let hours = row.ranks as f64 * self.seconds(row) / 3600.0;
        format!(
            "{:>6} {:>11.4} {:>11.4} {:>11.4} {:>11.3} {:>8.0} % {:>10} {:>11.1}{}\n",
            row.ranks,
            row.seconds(),
            row.computing,
            row.exchange,
            row.bytes / 1e9,
            100.0 * row.efficiency(alone),
            readable(self.seconds(row)),
            hours,
            price.map_or(String::new(), |price| format!(" {:>11.2}", price * hours))
        )
    }

    /// How many ranks are worthwhile.
    fn verdict(&self, rows: &[StepCost]) -> String {
        let fair = rows
            .iter()
            .rfind(|row| row.efficiency(&rows[0]) >= FAIR)
            .map_or(1, |row| row.ranks);
        format!(
            "\nUp to {fair} {} at {:.0} % or more of the efficiency of one rank; a step is divided into {}, \
             and ranks beyond that are idle\n",
            if fair == 1 {
                "rank works"
            } else {
                "ranks work"
            },
            100.0 * FAIR,
            counted(self.step.blocks, "block"),
        )
    }

    /// The plan as JSON.
    pub fn json(&self, rates: &Rates, rows: &[StepCost]) -> Result<String> {
        let rows = rows.iter().map(|row| {
            json!({
                "step": row,
                "seconds": row.seconds(),
                "efficiency": row.efficiency(&rows[0]),
                "all_epochs_seconds": self.seconds(row),
            })
        });
        let report = json!({
            "method": self.config.method.name(),
            "grid": self.grid,
            "inputs": self.inputs,
            "realizations": self.realizations,
            "weights": self.step.weights,
            "step_flops": self.step.flops,
            "blocks": self.step.blocks,
            "steps": self.steps,
            "epochs": self.epochs(),
            "memory": self.memory,
            "training_gflops": rates.training / 1e9,
            "update_rate": rates.update,
            "latency": rates.latency,
            "bandwidth": rates.bandwidth,
            "rows": rows.collect::<Vec<_>>(),
        });
        Ok(serde_json::to_string_pretty(&report)?)
    }
}
