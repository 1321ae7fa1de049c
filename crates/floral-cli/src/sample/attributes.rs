//! The attributes of stored predictions, and the summary line that is printed.

use floral::kl::Innovation;
use floral::predict::Stored;
use floral::predict::interest::Interest;
use floral::{Checksum, Points, counted};
use serde_json::{Map, Value, json};

use super::Arguments;
use super::task::Task;

impl Task<'_> {
    /// Everything that determines the result. An unfinished result with the same attributes is
    /// continued.
    pub fn attributes(
        &self,
        arguments: &Arguments,
        innovation: Option<&Innovation>,
    ) -> Map<String, Value> {
        let (session, predictor) = (&self.session, self.session.predictor());
        let (header, cases) = (predictor.header(), session.cases());
        let is_flow = predictor.method().is_flow();
        let along = |points: &Points| {
            let axes = points.axes.iter();
            let sum = axes.fold(Checksum::default(), |sum, (_, along)| sum.numbers(along));
            sum.to_string()
        };
        let facts = json!({
            "title": match &header.title {
                Some(title) => format!("{title}: predictions of {}", predictor.method()),
                None => format!("predictions of {}", predictor.method()),
            },
            "floral_version": env!("CARGO_PKG_VERSION"),
            "run": arguments.run,
            "run_version": header.floral,
            "run_checksum": predictor.checksum().to_string(),
            "method": predictor.method(),
            "epoch": header.config.method.recipe().is_none().then_some(header.progress.epoch),
            "validation_loss": header.progress.best.map(|(loss, _)| loss),
            "data": arguments.source(),
            "data_checksum": session.checksum().to_string(),
            "inputs": format!("{}..{}", session.inputs().start, session.inputs().end),
            "problem": header.data.problem,
            "grid": cases.grid().shape(),
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
            "quantity_stretches": self.interest_stretches(),
            "solver": is_flow.then(|| self.solver.to_string()),
            "moments": session.moment_source().to_string(),
            "observations": arguments.observations.observe,
            "observations_checksum": cases.observations().map(|all| all.checksum().to_string()),
            "observed_readings": innovation.map(|found| found.readings),
            "observed_chi_square": innovation.map(|found| found.chi_square),
            "observed_p_value": innovation.map(|found| found.p_value),
            "observed_effective_runs": innovation.map(|found| found.effective_runs),
            "observed_smoothing": innovation.map(|found| found.smoothing),
            "observed_stretch": innovation.map(|found| found.stretch),
        });
        match facts {
            Value::Object(facts) => facts
                .into_iter()
                .filter(|(_, fact)| !fact.is_null())
                .collect(),
            _ => Map::new(),
        }
    }

    /// The channel of each threshold, if there are several channels.
    fn threshold_channels(&self) -> Option<Vec<usize>> {
        let has_several = self.session.predictor().header().quantities.solution.len() > 1;
        let has_any = has_several && !self.thresholds.is_empty();
        has_any.then(|| self.thresholds.iter().map(|t| t.channel).collect())
    }

    /// The definitions of quantities of interest, if there are any.
    fn interest_texts(&self) -> Option<Vec<String>> {
        let all = self.interests.as_ref()?.all().iter();
        let text = |one: &Interest| format!("{} = {}", one.quantity.name(), one.quantity.text());
        Some(all.map(text).collect())
    }

    /// The factors by which quantities are calibrated, if any is calibrated.
    fn interest_stretches(&self) -> Option<Vec<Option<f64>>> {
        let all = self.interests.as_ref()?.calibrations();
        let all: Vec<Option<f64>> = all.map(|by| Some(by?.factor)).collect();
        all.iter().any(Option::is_some).then_some(all)
    }

    pub fn described(&self, stored: &Stored, seconds: f64) -> String {
        let Stored {
            resumed,
            resumed_realizations,
            computed,
            evaluations,
            ..
        } = *stored;
        let inputs = self.session.inputs().len() - resumed;
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
        let cost = if self.session.predictor().method().is_flow() && computed > 0 {
            format!(", {each:.0} evaluations of the network each")
        } else {
            String::new()
        };
        let (inputs, computed) = (counted(inputs, "input"), counted(computed, "realization"));
        format!("{inputs}, {computed} computed in {seconds:.1} s{cost}{kept}")
    }
}
