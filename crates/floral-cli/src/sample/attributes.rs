//! The attributes of stored predictions, and the summary line that is printed.

use floral::kl::Innovation;
use floral::predict::Stored;
use floral::predict::interest::Interest;
use floral::{Checksum, Points, counted};
use serde_json::{Map, Value, json};

use super::Arguments;
use super::task::Task;

impl Task {
    /// All that the result depends on: where it is the same, an unfinished result is continued.
    pub fn attributes(
        &self,
        arguments: &Arguments,
        data: Checksum,
        innovation: Option<&Innovation>,
    ) -> Map<String, Value> {
        let header = self.predictor.header();
        let is_flow = self.predictor.method().is_flow();
        let along = |points: &Points| {
            let axes = points.axes.iter();
            let sum = axes.fold(Checksum::default(), |sum, (_, along)| sum.numbers(along));
            sum.to_string()
        };
        let facts = json!({
            "title": match &header.title {
                Some(title) => format!("{title}: predictions of {}", self.predictor.method()),
                None => format!("predictions of {}", self.predictor.method()),
            },
            "floral_version": env!("CARGO_PKG_VERSION"),
            "run": arguments.run,
            "run_version": header.floral,
            "run_checksum": self.predictor.checksum().to_string(),
            "method": self.predictor.method(),
            "epoch": header.config.method.recipe().is_none().then_some(header.progress.epoch),
            "validation_loss": header.progress.best.map(|(loss, _)| loss),
            "data": arguments.source(),
            "data_checksum": data.to_string(),
            "inputs": format!("{}..{}", self.inputs.start, self.inputs.end),
            "problem": header.data.problem,
            "grid": self.cases.grid().shape(),
            "points": arguments.points,
            "points_checksum": self.points.as_ref().map(along),
            "realizations_per_input": self.realizations,
            "realizations_kept": self.kept,
            "standard_error": self.standard_error,
            "quantiles": self.wanted.quantiles,
            "thresholds": self.wanted.thresholds,
            "threshold_channels": self.threshold_channels(),
            "seed": arguments.seed,
            "quantities_of_interest": self.interest_texts(),
            "solver": is_flow.then(|| self.solver.to_string()),
            "moments": self.moment_source().to_string(),
            "observations": arguments.observations.observe,
            "observations_checksum": self.cases.observations().map(|all| all.checksum().to_string()),
            "observed_readings": innovation.map(|found| found.readings),
            "observed_chi_square": innovation.map(|found| found.chi_square),
            "observed_p_value": innovation.map(|found| found.p_value),
            "observed_effective_runs": innovation.map(|found| found.effective_runs),
            "observed_smoothing": innovation.map(|found| found.smoothing),
        });
        match facts {
            Value::Object(facts) => facts
                .into_iter()
                .filter(|(_, fact)| !fact.is_null())
                .collect(),
            _ => Map::new(),
        }
    }

    /// The channel of each threshold, where there are several channels.
    fn threshold_channels(&self) -> Option<Vec<usize>> {
        let has_several = self.predictor.header().quantities.solution.len() > 1;
        let has_any = has_several && !self.thresholds.is_empty();
        has_any.then(|| self.thresholds.iter().map(|t| t.channel).collect())
    }

    /// The definitions of quantities of interest, if there are any.
    fn interest_texts(&self) -> Option<Vec<String>> {
        let all = self.interests.as_ref()?.all().iter();
        let text = |one: &Interest| format!("{} = {}", one.quantity.name(), one.quantity.text());
        Some(all.map(text).collect())
    }

    pub fn described(&self, stored: &Stored, seconds: f64) -> String {
        let Stored {
            resumed,
            resumed_realizations,
            computed,
            evaluations,
            ..
        } = *stored;
        let inputs = self.inputs.len() - resumed;
        let kept = match (resumed, resumed_realizations) {
            (0, 0) => String::new(),
            (0, n) => format!(", {} kept from an earlier call", counted(n, "realization")),
            (m, 0) => format!(", {} kept from an earlier call", counted(m, "input")),
            (m, n) => {
                let (m, n) = (counted(m, "input"), counted(n, "realization"));
                format!(", {m} and {n} kept from an earlier call")
            }
        };
        let each = evaluations as f64 / computed.max(1) as f64;
        let cost = if self.predictor.method().is_flow() && computed > 0 {
            format!(", {each:.0} evaluations of the network each")
        } else {
            String::new()
        };
        let (inputs, computed) = (counted(inputs, "input"), counted(computed, "realization"));
        format!("{inputs}, {computed} computed in {seconds:.1} s{cost}{kept}")
    }
}
