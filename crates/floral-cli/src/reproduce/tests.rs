//! Tests of a reproduction with a tiny experiment.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use floral::ranks::Alone;
use floral::train::Method;
use floral::{Observer, device};

use super::experiment::Experiment;
use super::figures::figures;
use super::plan::{Choice, ReproductionPlan, Target};
use super::publish;
use super::results::Store;
use super::tables::{PaperTable, Provenance};
use super::testing::tiny;
use super::work::{State, States, work};
use crate::step_log::StepLog;
use crate::workers::Workers;

const TWO: Workers = Workers {
    count: 2,
    threads: 1,
};

fn provenance() -> Provenance {
    Provenance {
        command: "floral reproduce".into(),
        floral: "0".into(),
        method_version: 1,
        cores: 2,
        jobs: 2,
    }
}

fn plan(change: impl FnOnce(&mut Experiment)) -> ReproductionPlan {
    let mut experiment = tiny();
    change(&mut experiment);
    ReproductionPlan::new(vec![experiment], "tiny", &Choice::default()).unwrap()
}

/// Requests a stop after this number of polls.
struct Patience(AtomicUsize);

impl Observer for Patience {
    fn should_stop(&self) -> bool {
        let left = |n: usize| n.checked_sub(1);
        let update = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, left);
        update.is_err()
    }
}

/// The states, and the steps that were started.
fn tried(root: &Path, plan: &ReproductionPlan, patience: Option<usize>) -> (States, Vec<String>) {
    let patience = Patience(AtomicUsize::new(patience.unwrap_or(usize::MAX)));
    let log = StepLog::silent(&patience);
    let device = device::named("cpu").unwrap();
    let alone = Alone::default();
    let states = work(plan, &Store::new(root), &device, TWO, (&alone, &log)).unwrap();
    let mut began = log.lines();
    began.retain(|line| !line.ends_with(" s)"));
    (states, began)
}

fn done(states: &States) -> usize {
    let mut states = states.values().collect::<Vec<_>>();
    states.retain(|state| matches!(state, State::Done(_)));
    states.len()
}

#[test]
fn finished_work_is_reused_by_content_and_only_what_changed_is_done_again() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let (states, began) = tried(root, &plan(|_| ()), None);
    assert_eq!((done(&states), began.len()), (18, 19));
    let (again, began) = tried(root, &plan(|_| ()), None);
    assert_eq!((again, began.len()), (states, 0));
    // Another name for the same content changes nothing.
    let (_, began) = tried(root, &plan(|e| e.name = "other".into()), None);
    assert_eq!(began.len(), 0);
    let (states, began) = tried(root, &plan(|e| e.training.stopping.epochs = 3), None);
    assert_eq!(
        (done(&states), began.len()),
        (18, 12),
        "the dataset is kept, and so are regressions, which have no epochs"
    );
    let (_, began) = tried(root, &plan(|e| e.evaluation.realizations = 9), None);
    assert_eq!(began.len(), 18);
    // Everything is evaluated again, but networks are trained only once per number of epochs.
    let runs = std::fs::read_dir(root.join("runs")).unwrap().count();
    assert_eq!(runs, 2 * 12 + 6);
}

#[test]
fn an_interrupted_plan_says_so_and_goes_on_where_it_stopped() {
    let (cut, whole) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let plan = plan(|_| ());
    let (first, _) = tried(cut.path(), &plan, Some(15));
    assert!(done(&first) < 18);
    let table = |states: &States, root: &Path| {
        let store = Store::new(root);
        PaperTable::new(Target::Table1, &plan, &store, states, &provenance())
    };
    let text = publish::text(&table(&first, cut.path()));
    assert!(text.contains("(not run)"), "{text}");
    let (second, began) = tried(cut.path(), &plan, None);
    assert_eq!(began.len(), 18 - done(&first));
    assert_eq!(done(&second), 18);
    let (undisturbed, _) = tried(whole.path(), &plan, None);
    let errors = |states: &States| -> Vec<f64> {
        let mean = |state: &State| match state {
            State::Done(record) => record.evaluation.prediction.mean.mean_l2,
            _ => f64::NAN,
        };
        states.values().map(mean).collect()
    };
    assert_eq!(errors(&second), errors(&undisturbed));
}

#[test]
fn a_table_shows_the_papers_value_beside_ours_on_the_papers_grid() {
    let root = tempfile::tempdir().unwrap();
    let plan = plan(|_| ());
    let (states, _) = tried(root.path(), &plan, None);
    let store = Store::new(root.path());
    let table = PaperTable::new(Target::Table1, &plan, &store, &states, &provenance());
    assert_eq!(table.missing(), 0);
    let numbers = table.numbers(&table.systems[0]);
    let names: Vec<&str> = numbers.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names[..3], ["Low-fidelity", "FNO 4", "FNO 8"]);
    assert_eq!(names.len(), 13);
    // The paper's grid has four times our number of points, so its norms are twice as large.
    let ours = &table.systems[0].cells[0].ours[0];
    let fno = &numbers.rows[1].values;
    assert_eq!(fno[0], Some(2.0 * ours.evaluation.prediction.mean.mean_l2));
    assert_eq!((fno[2], fno[5], fno[7]), (Some(1.5), Some(0.125), None));
    assert_eq!((fno[6], fno[8]), (None, None), "one field has no variance");
    assert!(numbers.rows[8].values[8].is_some());
    let best = &numbers.rows[11];
    assert_eq!((&best.name[..], best.values[2]), ("FLORAL-KL 4", Some(1.5)));
    for text in [
        publish::text(&table),
        publish::markdown(&table),
        publish::html(&table),
        publish::json(&table),
    ] {
        assert!(
            text.contains("tiny") && text.contains("exact moments"),
            "{text}"
        );
        assert!(!text.contains("NaN"));
    }
    let times = PaperTable::new(Target::Table2, &plan, &store, &states, &provenance());
    assert_eq!(times.numbers(&times.systems[0]).rows.len(), 6);
    let figures = figures(&plan, &store, &states);
    let pages = figures.iter().map(|page| (&page.name[..], page.runs.len()));
    let expected = [("tiny-4", 6), ("tiny-8", 6), ("tiny-8-r8", 6), ("tiny", 18)];
    assert_eq!(pages.collect::<Vec<_>>(), expected);
    assert!(figures.iter().all(|page| page.missing == 0));
}

#[test]
fn seeds_are_summarized_as_mean_and_deviation() {
    let root = tempfile::tempdir().unwrap();
    let plan = plan(|e| {
        e.data.seeds = 2;
        e.protocol.methods = vec![Method::FloralKl];
    });
    let (states, _) = tried(root.path(), &plan, None);
    assert_eq!(done(&states), 2 * 3);
    let store = Store::new(root.path());
    let table = PaperTable::new(Target::Table1, &plan, &store, &states, &provenance());
    assert_eq!(table.systems.len(), 1);
    let row = &table.numbers(&table.systems[0]).rows[1];
    let records = &table.systems[0].cells[0].ours;
    let errors: Vec<f64> = records
        .iter()
        .map(|record| 2.0 * record.evaluation.prediction.mean.mean_l2)
        .collect();
    let deviation = (errors[0] - errors[1]).abs() / 2f64.sqrt();
    assert!((row.values[0].unwrap() - (errors[0] + errors[1]) / 2.0).abs() < 1e-12);
    assert!((row.values[1].unwrap() - deviation).abs() < 1e-12);
    assert!(publish::text(&table).contains("Means over 2 seeds"));
    let mut partial = table.clone();
    partial.systems[0].cells[0].ours.truncate(1);
    let text = publish::text(&partial);
    assert!(text.contains("Means over 1 to 2 of 2 seeds"), "{text}");
}

#[test]
fn a_cell_that_fails_says_why_and_leaves_the_others_alone() {
    let root = tempfile::tempdir().unwrap();
    let plan = plan(|_| ());
    let store = Store::new(root.path());
    let broken = store.run(&plan.cells[0]);
    std::fs::create_dir_all(&broken).unwrap();
    std::fs::write(broken.join("config.toml"), "seed = 'x'").unwrap();
    let (states, _) = tried(root.path(), &plan, None);
    assert_eq!(done(&states), 17);
    let table = PaperTable::new(Target::Table1, &plan, &store, &states, &provenance());
    let all = publish::text(&table);
    let state = &states[&plan.cells[0].evaluation_name()];
    assert!(state.is_failed());
    assert!(
        all.contains("(failed)") && all.contains("config.toml"),
        "{all}"
    );
}

#[test]
fn two_processes_do_not_work_in_the_same_folder() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::new(root.path());
    let occupied = store.occupy().unwrap();
    let error = store.occupy().unwrap_err().to_string();
    assert!(error.contains("another process"), "{error}");
    drop(occupied);
    assert!(store.occupy().is_ok());
}

#[test]
fn a_recorded_evaluation_of_another_recipe_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let plan = plan(|_| ());
    let (states, _) = tried(root.path(), &plan, None);
    let store = Store::new(root.path());
    let cell = &plan.cells[0];
    let State::Done(record) = &states[&cell.evaluation_name()] else {
        panic!("it is done");
    };
    let mut record = record.as_ref().clone();
    record.recipe["seed"] = 9.into();
    store.write_record(cell, &record).unwrap();
    let error = store.record(cell).unwrap_err().to_string();
    assert!(error.contains("other settings"), "{error}");
}
