use std::sync::Mutex;

use super::*;
use crate::device;
use crate::report::Row;

/// Writes down what happens.
#[derive(Default)]
struct Diary(Mutex<Vec<String>>);

impl Observer for Diary {
    fn ended(&self, result: &str, _seconds: f64) {
        self.0.lock().unwrap().push(result.into());
    }
}

fn play(path: &Path, plan: &Plan) -> (Result<Outcome>, Vec<String>) {
    let diary = Diary::default();
    let device = device::named("cpu").unwrap();
    let outcome = quickstart(path, plan, &device, &diary, &AtomicBool::new(false));
    (outcome, diary.0.into_inner().unwrap())
}

#[test]
fn a_quickstart_ends_with_a_report_and_does_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan::tiny(3);
    let (first, _) = play(folder.path(), &plan);
    let first = first.unwrap();
    let names: Vec<&str> = first.table.rows.iter().map(|r: &Row| &*r.name).collect();
    assert_eq!(
        names,
        ["cheap solver", "FNO", "Residual FNO", "FLORA", "FLORAL"]
    );
    let report = std::fs::read_to_string(&first.report).unwrap();
    assert_eq!(report.matches("<svg").count(), 12);
    assert!(!report.contains("NaN"));

    let (second, diary) = play(folder.path(), &plan);
    assert_eq!(second.unwrap(), first);
    assert_eq!(diary.iter().filter(|l| l.contains("already")).count(), 5);
}

#[test]
fn other_settings_in_the_same_folder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    play(folder.path(), &Plan::tiny(0)).0.unwrap();
    let changed = Plan {
        epochs: 3,
        ..Plan::tiny(0)
    };
    let error = play(folder.path(), &changed).0.unwrap_err().to_string();
    assert!(error.contains("other settings"), "{error}");
}

#[test]
fn a_request_to_stop_is_heard_and_the_next_call_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let device = device::named("cpu").unwrap();
    let stop = AtomicBool::new(true);
    let stopped = quickstart(folder.path(), &Plan::tiny(0), &device, &(), &stop);
    assert!(matches!(stopped, Err(Error::Interrupted { .. })));
    play(folder.path(), &Plan::tiny(0)).0.unwrap();
}
