//! Runs that are continued, refused and kept.

use std::path::Path;

use super::{Method, Outcome, RunFolder, TrainConfig, check, train};
use crate::operator::Device;
use crate::predict::testing::{Play, play};
use crate::{Error, Result, Silent};

fn trained(run: &RunFolder, play: &Play) -> Result<Outcome> {
    train(run, &play.dataset, &Device::flex(), &Silent)
}

fn started(play: &Play, name: &str, config: &TrainConfig) -> RunFolder {
    RunFolder::create(&play.folder.path().join(name), config).unwrap()
}

/// Weights and moments of the newest checkpoint, by name.
fn state(run: &RunFolder) -> Vec<(String, Vec<f32>, Vec<f32>)> {
    let last = run.last().unwrap().unwrap();
    let arrays = last.weights.into_iter().zip(last.adam.second);
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
    let (whole, best) = (state(&run), run.best_bytes().unwrap());
    std::fs::remove_file(run.last_path()).unwrap();
    let header = run.last().unwrap().unwrap().header;
    assert_eq!(
        Some(header.progress.epoch),
        header.progress.best.map(|b| b.1)
    );
    trained(&run, &play).unwrap();
    assert_eq!(state(&run), whole);
    assert_eq!(
        run.best().unwrap().weights,
        checkpoint(&play, &best).weights
    );
    assert_eq!(epochs(&run), [1, 2, 3, 4, 5]);
}

fn checkpoint(play: &Play, bytes: &[u8]) -> super::Checkpoint {
    let path = play.folder.path().join("copy.safetensors");
    std::fs::write(&path, bytes).unwrap();
    super::Checkpoint::read(&path).unwrap()
}

#[test]
fn settings_edited_after_the_start_are_refused_by_name() {
    let play = play();
    let run = play.run(Method::Floral);
    let before = run.best_bytes().unwrap();
    let path = run.path().join("config.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("epochs = 2\n", "epochs = 3\n")).unwrap();
    let words = trained(&run, &play).unwrap_err().to_string();
    assert!(words.starts_with(&path.display().to_string()), "{words}");
    assert!(words.contains("stopping.epochs 2, not 3"), "{words}");
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
fn a_run_that_diverges_keeps_its_best_and_does_not_diverge_again() {
    let play = play();
    let mut config = Play::config(Method::Floral);
    config.optimiser.learning_rate = 30.0;
    config.stopping.epochs = 50;
    let run = started(&play, "run", &config);
    let words = trained(&run, &play).unwrap_err().to_string();
    let best = run.best().unwrap().header.progress.epoch;
    let diverged = run.last().unwrap().unwrap().header.progress.epoch + 1;
    assert!(diverged > 1 && best < diverged, "{words}");
    assert!(
        words.contains(&format!("diverged in epoch {diverged}:")),
        "{words}"
    );
    assert!(
        words.contains(&format!("of epoch {best}, is kept")),
        "{words}"
    );
    assert!(words.contains("learning_rate"), "{words}");
    let last = std::fs::read(run.last_path()).unwrap();
    assert_eq!(trained(&run, &play).unwrap_err().to_string(), words);
    assert_eq!(std::fs::read(run.last_path()).unwrap(), last);
}

#[test]
fn modes_that_are_not_one_for_each_axis_are_refused() {
    let play = play();
    for modes in [vec![], vec![4, 4]] {
        let mut config = Play::config(Method::Floral);
        config.network.n_modes = Some(modes);
        let refusal = check(&config, &play.dataset);
        assert!(
            matches!(&refusal, Err(Error::Config { context, .. }) if context.contains("n_modes"))
        );
    }
}
