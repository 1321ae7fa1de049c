//! Tests of a comparison with tiny networks.

use std::sync::atomic::{AtomicUsize, Ordering};

use floral::dataset::SplitConfig;
use floral::device::Device;
use floral::predict::{Cases, Predictor, Sampling};
use floral::sample::OdeSolver;
use floral::train::{Method, RunFolder, TrainConfig};
use floral::{Arrays, Axis, Error, Event, Field, Grid, Observer, Silent, evaluate, fit};

use super::testing::{Play, of_parameters, play};
use super::*;

pub fn options() -> Options {
    Options {
        evaluation: evaluate::Options {
            sampling: Sampling {
                realizations: 12,
                solver: OdeSolver::named("euler", Some(2)).unwrap(),
                ..Sampling::default()
            },
            reference: 40,
            ..evaluate::Options::default()
        },
        shown: 1,
        kept: 3,
        band: Band::default(),
        through: Vec::new(),
        found: Found::default(),
        build: "test".into(),
    }
}

/// Counts predictions.
#[derive(Default)]
struct Counter(AtomicUsize);

impl Observer for Counter {
    fn observe(&self, event: &Event<'_>) {
        if let Event::Prediction { progress, .. } = event {
            let is_last = progress.is_some_and(|p| p.done == p.total);
            self.0.fetch_add(usize::from(is_last), Ordering::SeqCst);
        }
    }
}

/// The comparison, and the number of predictions made for it.
pub fn compared(play: &Play, runs: &[RunFolder], options: &Options) -> (Comparison, usize) {
    let counter = Counter::default();
    let comparison = compare(runs, &play.dataset, options, &Device::flex(), &counter);
    (comparison.unwrap(), counter.0.into_inner())
}

fn refused(play: &Play, runs: &[RunFolder], options: &Options) -> Error {
    compare(runs, &play.dataset, options, &Device::flex(), &Silent).unwrap_err()
}

#[test]
fn scores_are_those_of_an_evaluation() {
    let play = play();
    let run = play.run(Method::Floral);
    let (comparison, _) = compared(&play, std::slice::from_ref(&run), &options());
    let options = options().evaluation;
    let predictor = Predictor::load(&run, &Device::flex()).unwrap();
    let evaluation = evaluate::evaluate(&predictor, &play.dataset, &options, &Silent).unwrap();
    let own = comparison.runs[0].channels[0].prediction.as_ref().unwrap();
    let expected = &evaluation.prediction;
    assert_eq!(own.mean.mean_l2, expected.mean.mean_l2);
    assert_eq!(own.evaluations, expected.evaluations);
    let crps =
        |p: &evaluate::Prediction| p.spread.as_ref().unwrap().observed.as_ref().unwrap().crps;
    assert!((crps(own) - crps(expected)).abs() < 1e-12);
    assert_eq!(comparison.setting.inputs, evaluation.inputs);
    assert_eq!(
        comparison.channels[0].low.as_ref().unwrap().errors.rmse,
        evaluation.low.unwrap().rmse
    );
}

#[test]
fn means_and_scores_are_those_that_a_method_knows_however_many_are_drawn() {
    let play = play();
    let run = play.run(Method::Kriging);
    let of = |realizations: usize| {
        let mut options = options();
        options.evaluation.sampling.realizations = realizations;
        compared(&play, std::slice::from_ref(&run), &options).0
    };
    let (few, many) = (of(3), of(40));
    let mean = |c: &Comparison| c.shown[0].runs[0].mean.clone();
    let deviation = |c: &Comparison| c.shown[0].runs[0].deviation.clone();
    assert_eq!(
        (mean(&few), deviation(&few)),
        (mean(&many), deviation(&many))
    );
    let error = |c: &Comparison| {
        c.runs[0].channels[0]
            .prediction
            .clone()
            .unwrap()
            .mean
            .mean_l2
    };
    assert_eq!(error(&few), error(&many));
    assert_eq!(few.runs[0].epoch, None, "closed form");
}

#[test]
fn new_inputs_are_shown_without_a_truth() {
    let play = play();
    let data = play.dataset.path();
    let runs = [Method::Floral, Method::Kriging].map(|method| play.run(method));
    let new = |run: &RunFolder| {
        let predictor = Predictor::load(run, &Device::flex()).unwrap();
        let file = |inputs| NewFile {
            path: data.to_owned(),
            cases: Cases::open(data, &predictor, None).unwrap(),
            inputs,
            notes: vec!["one of them is far away".into()],
        };
        NewRun {
            files: vec![file(1..3), file(4..5)],
            folder: run.clone(),
            predictor,
            solver: OdeSolver::named("euler", Some(2)).unwrap(),
        }
    };
    let comparison = predicted(runs.iter().map(new).collect(), &options(), &Silent).unwrap();
    let names: Vec<&str> = comparison.shown.iter().map(|s| &s.name[..]).collect();
    assert_eq!(names, ["curve.zarr 1", "curve.zarr 2", "curve.zarr 4"]);
    assert!(comparison.setting.truth.is_none());
    let note = "curve.zarr: one of them is far away";
    assert_eq!(comparison.setting.notes, [note], "each once");
    for shown in &comparison.shown {
        assert_eq!(shown.runs.len(), 2);
        assert!(shown.truth.is_none() && shown.low.is_some());
        let known: Vec<bool> = shown.certainty.iter().map(Option::is_some).collect();
        let expected: Vec<bool> = comparison
            .runs
            .iter()
            .map(|run| run.epoch.is_none())
            .collect();
        assert_eq!(known, expected, "kriging knows how sure it is");
    }
    let html = page(&comparison).unwrap().to_html();
    assert!(html.contains("novelty") && html.contains("3 new inputs predicted by"));
    assert!(!html.contains("CRPS") && !html.contains(">NaN"));
    let exports = exports(&comparison);
    let names: Vec<&str> = exports.iter().map(|(name, _)| &name[..]).collect();
    for wanted in ["predictions", "mean-0-0", "samples-2-1"] {
        assert!(names.contains(&wanted), "{wanted} in {names:?}");
    }
    let twice = [&runs[0], &runs[0]].map(new).into();
    let words = predicted(twice, &options(), &Silent)
        .unwrap_err()
        .to_string();
    assert!(words.contains("named twice"), "{words}");
    let none = predicted(Vec::new(), &options(), &Silent).unwrap_err();
    assert!(none.to_string().contains("no run"));
}

#[test]
fn new_inputs_of_a_run_with_points_outside_of_the_domain_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let grid = Grid::new(vec![Axis::closed("x", 4)]);
    let mut arrays = Arrays::new(grid.clone());
    for i in 0..4 {
        let solution = |r: f64| {
            let values = vec![f64::from(i) + r, 1.0 + r, f64::from(i * i) - r, f64::NAN];
            Field::scalar(&grid, values)
        };
        let input = Field::scalar(&grid, vec![f64::from(i); 4]);
        let high = [0.0, 0.1, 0.3].map(solution);
        arrays.push(&input, None, &high).unwrap();
    }
    let dataset = arrays.write(folder.path().join("masked.zarr")).unwrap();
    let config = TrainConfig {
        method: Method::Kriging,
        split: SplitConfig::new(0, 0, None),
        ..TrainConfig::default()
    };
    let path = folder.path().join("run");
    let predictor = fit(&dataset, &path, &config, &Silent).unwrap();
    let run = NewRun {
        files: vec![NewFile {
            path: dataset.path().to_owned(),
            cases: Cases::open(dataset.path(), &predictor, None).unwrap(),
            inputs: 0..1,
            notes: Vec::new(),
        }],
        folder: RunFolder::open(&path).unwrap(),
        predictor,
        solver: OdeSolver::default(),
    };
    let words = predicted(vec![run], &options(), &Silent)
        .unwrap_err()
        .to_string();
    assert!(words.contains("1 points outside of the domain"), "{words}");
}

#[test]
fn a_run_of_kriging_leaves_kriging_as_a_baseline_of_the_others() {
    let play = play();
    let runs = [Method::Kriging, Method::FloralKl].map(|method| play.run(method));
    let (comparison, _) = compared(&play, &runs, &options());
    let has_kriging = |method: Method| {
        let run = comparison.runs.iter().find(|run| run.method == method);
        run.unwrap().channels[0].kriging.is_some()
    };
    assert!(!has_kriging(Method::Kriging) && has_kriging(Method::FloralKl));
}

#[test]
fn what_was_predicted_once_is_not_predicted_again() {
    let play = play();
    let runs = [Method::Fno, Method::Floral].map(|method| play.run(method));
    let (first, predicted) = compared(&play, &runs, &options());
    assert_eq!(predicted, 4, "two runs, two test inputs");
    let (again, predicted) = compared(&play, &runs, &options());
    assert_eq!(predicted, 0);
    let html = |c: &Comparison| page(c).unwrap().to_html();
    assert_eq!(html(&first), html(&again));
    let mut more = options();
    more.evaluation.sampling.realizations = 13;
    let (_, predicted) = compared(&play, &runs, &more);
    assert_eq!(
        predicted, 2,
        "regression does not depend on the number of realizations"
    );
    let another = Options {
        build: "another program".into(),
        ..options()
    };
    assert_eq!(compared(&play, &runs, &another).1, 4);
}

#[test]
fn a_page_refers_to_nothing_outside_itself() {
    let play = play();
    let runs = Method::ALL.map(|method| play.run(method));
    let (comparison, _) = compared(&play, &runs, &options());
    let html = page(&comparison).unwrap().to_html();
    // The namespace of SVG is only a name; nothing is fetched from it.
    let html = html.replace("http://www.w3.org/2000/svg", "");
    for reference in ["http:", "https:", " src=", "@import", "<link"] {
        assert!(!html.contains(reference), "{reference}");
    }
    for method in Method::ALL {
        assert!(html.contains(method.title()), "{method}");
    }
}

#[test]
fn every_figure_and_table_has_a_name_of_its_own() {
    let play = play();
    let runs = Method::ALL.map(|method| play.run(method));
    let (comparison, _) = compared(&play, &runs, &options());
    let exports = exports(&comparison);
    let mut names: Vec<&String> = exports.iter().map(|(name, _)| name).collect();
    for wanted in [
        "scores",
        "speed",
        "mean-0-0",
        "joint-residual",
        "ranks",
        "spectra",
    ] {
        assert!(names.contains(&&wanted.to_owned()), "{wanted}");
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), exports.len());
    for (name, exported) in &exports {
        let text = match exported {
            Exported::Curves(figure) => figure.to_svg(),
            Exported::Maps(panels) => panels.to_svg(),
            Exported::Bars(bars) => bars.to_svg(),
            Exported::Table(table) => table.to_latex(),
        };
        assert!(!text.contains("NaN") && !text.contains("inf"), "{name}");
    }
}

#[test]
fn a_run_without_a_log_has_no_training_curve() {
    let play = play();
    let run = play.run(Method::Flora);
    std::fs::remove_file(run.path().join("epochs.csv")).unwrap();
    let (comparison, _) = compared(&play, &[run], &options());
    assert!(comparison.runs[0].epochs.is_empty());
    assert!(comparison.runs[0].training_seconds > 0.0);
    assert!(!page(&comparison).unwrap().to_html().contains(">Training<"));
}

#[test]
fn what_cannot_be_compared_is_refused_with_the_reason() {
    let play = play();
    let run = play.run(Method::Fno);
    let message = |runs: &[RunFolder], options: &Options| refused(&play, runs, options).to_string();
    assert!(message(&[], &options()).contains("no run"));
    assert!(message(&[run.clone(), run.clone()], &options()).contains("twice"));
    let mut beyond = options();
    beyond.evaluation.inputs = Some(3..9);
    assert!(message(std::slice::from_ref(&run), &beyond).contains("0..5"));
    let mut single = options();
    single.evaluation.sampling.realizations = 1;
    assert!(message(&[run], &single).contains("two realizations"));
}

#[test]
fn of_many_runs_pictures_show_the_last_of_each_method() {
    let play = play();
    let runs = [play.run(Method::Fno), play.run(Method::Floral)];
    let (few, _) = compared(&play, &runs, &options());
    assert_eq!(few.drawn().runs.len(), 2);
    let mut many = few.clone();
    for (i, of) in [0, 0, 0, 0, 1, 1, 1, 1, 1].into_iter().enumerate() {
        many.runs.push(few.runs[of].clone());
        many.runs[i + 2].label = format!("run {i}");
        for (shown, own) in many.shown.iter_mut().zip(&few.shown) {
            shown.runs.push(own.runs[of].clone());
            shown.certainty.push(None);
        }
    }
    let drawn = many.drawn();
    let labels: Vec<&str> = drawn.runs.iter().map(|run| &run.label[..]).collect();
    assert_eq!(labels, ["run 3", "run 8"]);
    assert_eq!(drawn.shown[0].runs, few.shown[0].runs);
    let page = page(&many).unwrap().to_html();
    assert!(page.contains("Figures show, for each method"));
}

#[test]
fn meshes_and_single_numbers_have_tables_of_parameters_and_no_explorer() {
    use floral::mesh::{CellKind, Cells, Mesh, Points};
    let points = Points::new(&[0.0, 0.0, 2.0, 0.0, 2.0, 1.0, 0.0, 1.0], 2).unwrap();
    let cells = Cells::new(CellKind::Triangle, vec![0, 1, 2, 0, 2, 3]).unwrap();
    let mesh = Grid::on_mesh(Mesh::new(points, vec![cells]).unwrap());
    for (grid, maps) in [(mesh, 6), (Grid::single(), 0)] {
        let play = of_parameters(&grid);
        let run = play.run(Method::FloralKl);
        let mut options = options();
        options.evaluation.reference = 0;
        let (comparison, _) = compared(&play, &[run], &options);
        let html = page(&comparison).unwrap().to_html();
        assert!(html.contains("stiffness") && !html.contains("id=\"data\""));
        assert_eq!(comparison.shown[0].parameters, [0.0, 1.0]);
        let names: Vec<String> = exports(&comparison)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names.iter().any(|name| name == "fields-0"), maps > 0);
        assert!(!names.iter().any(|name| name.starts_with("spectra")));
        assert!(html.matches("data:image/png").count() >= maps);
    }
}

#[test]
fn quantities_are_shown_beside_the_truth_and_scored_as_an_evaluation_does() {
    let play = play();
    let run = play.run(Method::Kriging);
    let mut options = options();
    options.evaluation.interests = floral::predict::interest::Asked {
        quantities: vec!["peak = max(u)".into(), "middle = mean(u)".into()],
        thresholds: vec!["peak: 1".into()],
    };
    let (comparison, _) = compared(&play, std::slice::from_ref(&run), &options);
    let [peak, middle] = &comparison.questions.quantities[..] else {
        panic!("two quantities are asked for");
    };
    assert_eq!(
        (peak.label.name.as_str(), peak.thresholds[0]),
        ("peak", 1.0)
    );
    assert_eq!((peak.inputs.len(), peak.inputs[0].truth.len()), (1, 6));
    assert_eq!(middle.runs[0].draws[0].len(), 12);
    let predictor = Predictor::load(&run, &Device::flex()).unwrap();
    let evaluated = options.evaluation.clone();
    let evaluation = evaluate::evaluate(&predictor, &play.dataset, &evaluated, &Silent).unwrap();
    assert_eq!(peak.runs[0].scores, evaluation.interests[0].scores);
    let html = page(&comparison).unwrap().to_html();
    for words in [
        "Quantities of interest",
        "density of peak",
        "exceedance of middle",
    ] {
        assert!(html.contains(words), "{words}");
    }
    let names: Vec<String> = exports(&comparison).into_iter().map(|one| one.0).collect();
    for name in ["quantity-peak", "quantity-peak-scores", "quantity-peak-0"] {
        assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
    }
}

#[test]
fn what_other_commands_have_found_is_shown() {
    let play = play();
    let run = play.run(Method::Kriging);
    let estimate = serde_json::json!({ "value": 0.4, "interval": [0.2, 0.6] });
    let found = serde_json::json!({
        "parameters": ["load"],
        "inputs": 8,
        "quantities": [{
            "name": "peak", "expression": "max(u)", "units": null, "draws": 32, "statistics": [],
            "exceedances": [],
            "variance": { "total": 2.0, "input": 0.5, "inherent": 0.3, "ignorance": 0.2 },
            "indices": [{ "name": "load", "first": estimate, "total": estimate }],
        }],
    });
    let asking = |runs: usize| serde_json::json!({ "inputs": [], "runs": runs, "std": 0.1, "expected": null, "mean": 1.0 });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("found.json");
    std::fs::write(&path, found.to_string()).unwrap();
    let curve = serde_json::json!([asking(5), asking(6)]);
    std::fs::write(folder.path().join("curve.json"), curve.to_string()).unwrap();
    let mut options = options();
    options.found = Found {
        sensitivity: vec![SensitivityShown::read(&path, None).unwrap()],
        learned: vec![Learned::read(folder.path()).unwrap()],
    };
    let (comparison, _) = compared(&play, &[run], &options);
    let html = page(&comparison).unwrap().to_html();
    for words in [
        "Shares of the variance",
        "Indices of peak",
        "Uncertainty over cost",
    ] {
        assert!(html.contains(words), "{words}");
    }
    let absent = folder.path().join("absent");
    assert!(Learned::read(&absent).is_err() && SensitivityShown::read(&absent, None).is_err());
}
