//! Tests of runs that are continued or refused.

use std::path::Path;

use super::{Checkpoint, Method, Opening, Outcome, RunFolder, TrainConfig, Training, train};
use crate::operator::Device;
use crate::predict::testing::{Play, play};
use crate::ranks::Alone;
use crate::{Error, Result, Silent};

fn trained(run: &RunFolder, play: &Play) -> Result<Outcome> {
    train(run, &play.dataset, &Device::flex(), &Silent)
}

fn started(play: &Play, name: &str, config: &TrainConfig) -> RunFolder {
    RunFolder::create(&play.folder.path().join(name), config).unwrap()
}

/// Weights and second moments of a checkpoint, sorted by name, since the order in a file is
/// arbitrary.
fn state(checkpoint: Checkpoint) -> Vec<(String, Vec<f32>, Vec<f32>)> {
    let arrays = checkpoint.weights.into_iter().zip(checkpoint.adam.second);
    let mut arrays: Vec<_> = arrays.map(|(w, v)| (w.name, w.values, v)).collect();
    arrays.sort_by(|a, b| a.0.cmp(&b.0));
    arrays
}

fn epochs(run: &RunFolder) -> Vec<usize> {
    let records = run.epochs().unwrap();
    records.iter().map(|record| record.epoch).collect()
}

#[test]
fn without_its_last_checkpoint_a_run_goes_on_from_the_best() {
    let play = play();
    let mut config = Play::config(Method::Floral);
    config.stopping.epochs = 5;
    let run = started(&play, "run", &config);
    trained(&run, &play).unwrap();
    let states = || {
        let last = run.last().unwrap().unwrap();
        (state(last), state(run.best().unwrap()))
    };
    let whole = states();
    std::fs::remove_file(run.last_path()).unwrap();
    let progress = run.last().unwrap().unwrap().header.progress;
    assert_eq!(Some(progress.epoch), progress.best.map(|(_, epoch)| epoch));
    trained(&run, &play).unwrap();
    assert!(states() == whole, "the same weights");
    assert_eq!(epochs(&run), [1, 2, 3, 4, 5]);
}

#[test]
fn more_epochs_on_a_finished_run_come_to_the_weights_of_all_at_once() {
    let play = play();
    let config = |epochs: usize| {
        let mut config = Play::config(Method::Floral);
        config.stopping.epochs = epochs;
        config
    };
    let path = play.folder.path().join("longer");
    let asked = |epochs: usize| RunFolder::create_or_continue(&path, &config(epochs));
    for epochs in [2, 4] {
        let outcome = trained(&asked(epochs).unwrap(), &play).unwrap();
        assert_eq!(outcome, Outcome::AllEpochs);
    }
    let (longer, at_once) = (asked(4).unwrap(), started(&play, "at-once", &config(4)));
    trained(&at_once, &play).unwrap();
    assert_eq!(epochs(&longer), [1, 2, 3, 4]);
    let last = |run: &RunFolder| run.last().unwrap().unwrap();
    assert!(
        state(last(&longer)) == state(last(&at_once)),
        "the same weights"
    );
    let kept = |run: &RunFolder| state(run.best().unwrap());
    assert!(kept(&longer) == kept(&at_once), "the same best");
    assert_eq!(last(&longer).header.config, last(&at_once).header.config);
    let words = asked(3).unwrap_err().to_string();
    assert!(words.contains("stopping.epochs 4, not 3"), "{words}");
}

#[test]
fn settings_edited_after_the_start_are_refused_by_name() {
    let play = play();
    let run = play.run(Method::Floral);
    let before = run.best_bytes().unwrap();
    let path = run.path().join("config.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("batch = 4\n", "batch = 5\n")).unwrap();
    let words = trained(&run, &play).unwrap_err().to_string();
    assert!(words.starts_with(&path.display().to_string()), "{words}");
    assert!(words.contains("optimiser.batch 4, not 5"), "{words}");
    assert_eq!(run.best_bytes().unwrap(), before);
    std::fs::write(&path, text).unwrap();
    assert_eq!(trained(&run, &play).unwrap(), Outcome::AllEpochs);
}

#[test]
fn a_run_that_another_process_trains_is_left_alone() {
    let play = play();
    let run = started(&play, "run", &Play::config(Method::Fno));
    let held = run.lock().unwrap();
    let words = trained(&run, &play).unwrap_err().to_string();
    assert!(words.contains("another process"), "{words}");
    assert!(!run.last_path().exists());
    drop(held);
    assert_eq!(trained(&run, &play).unwrap(), Outcome::AllEpochs);
    assert_eq!(
        names(run.path()),
        [
            "best.safetensors",
            "config.toml",
            "epochs.csv",
            "last.safetensors",
            "lock",
        ]
    );
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn modes_that_are_not_one_for_each_axis_are_refused() {
    let play = play();
    for modes in [vec![], vec![4, 4]] {
        let mut config = Play::config(Method::Floral);
        config.network.n_modes = Some(modes);
        let (alone, folder) = (Alone::default(), play.folder.path().join("refused"));
        let opening = Opening::default();
        let refusal = Training::open(&alone, &play.dataset, &folder, &config, opening, &Silent);
        assert!(
            matches!(refusal.err(), Some(Error::Config { context, .. }) if context.contains("n_modes"))
        );
        assert!(!folder.exists());
    }
}
