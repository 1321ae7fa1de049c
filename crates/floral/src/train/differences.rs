//! Differences between two configurations, in words. A run folder and a checkpoint refuse to
//! continue with settings other than their own.

use std::collections::{BTreeMap, BTreeSet};

use super::TrainConfig;

/// Largest number of differences that are named; further ones are only counted.
const MOST_NAMED: usize = 4;

/// Every setting that differs, as `key old value, not new value`; `None` if all are the same.
pub(super) fn differences(there: &TrainConfig, asked: &TrainConfig) -> Option<String> {
    let (there, asked) = (settings(there), settings(asked));
    let keys: BTreeSet<&String> = there.keys().chain(asked.keys()).collect();
    let words: Vec<String> = keys
        .into_iter()
        .filter(|key| there.get(*key) != asked.get(*key))
        .map(|key| format!("{key} {}, not {}", shown(&there, key), shown(&asked, key)))
        .collect();
    match words.len() {
        0 => None,
        n if n > MOST_NAMED => Some(format!(
            "{}; and {} more settings",
            words[..MOST_NAMED].join("; "),
            n - MOST_NAMED
        )),
        _ => Some(words.join("; ")),
    }
}

/// Whether a run can continue under the settings asked for: they may differ only by more epochs or
/// more patience. Neither affects the epochs themselves, since learning rate and draws depend on
/// the number of the epoch alone. A continued run therefore reaches the same weights as one that
/// was started with all epochs.
pub(super) fn goes_on(there: &TrainConfig, asked: &TrainConfig) -> bool {
    let (before, after) = (&there.stopping, &asked.stopping);
    let mut longer = there.clone();
    longer.stopping.epochs = after.epochs;
    longer.stopping.patience = after.patience;
    after.epochs >= before.epochs
        && after.patience >= before.patience
        && differences(&longer, asked).is_none()
}

/// The settings by their dotted keys.
fn settings(config: &TrainConfig) -> BTreeMap<String, String> {
    let table = toml::Table::try_from(config).expect("a configuration of numbers and strings");
    let mut flat = BTreeMap::new();
    flatten("", &table, &mut flat);
    // The timeout decides whether a solver is stopped, not what it returns.
    flat.remove("low.timeout");
    flat
}

fn flatten(prefix: &str, table: &toml::Table, flat: &mut BTreeMap<String, String>) {
    for (key, value) in table {
        match value {
            toml::Value::Table(inner) => flatten(&format!("{prefix}{key}."), inner, flat),
            other => {
                flat.insert(format!("{prefix}{key}"), other.to_string());
            }
        }
    }
}

fn shown<'a>(settings: &'a BTreeMap<String, String>, key: &str) -> &'a str {
    settings.get(key).map_or("absent", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_does_not_differ_from_itself() {
        let config = TrainConfig::default();
        assert_eq!(differences(&config, &config.clone()), None);
    }

    #[test]
    fn every_setting_that_differs_is_named_with_both_values() {
        let there = TrainConfig::default();
        let mut asked = there.clone();
        asked.stopping.epochs = 7;
        asked.resolution = Some(vec![8]);
        let words = differences(&there, &asked).unwrap();
        assert_eq!(
            words,
            "resolution absent, not [8]; stopping.epochs 300, not 7"
        );
    }

    #[test]
    fn more_epochs_or_patience_go_on_and_nothing_else_does() {
        let there = TrainConfig::default();
        let with = |change: fn(&mut TrainConfig)| {
            let mut asked = there.clone();
            change(&mut asked);
            goes_on(&there, &asked)
        };
        assert!(with(|_| {}));
        assert!(with(|asked| asked.stopping.epochs += 1));
        assert!(with(|asked| asked.stopping.patience += 1));
        assert!(!with(|asked| asked.stopping.epochs -= 1));
        assert!(!with(|asked| asked.stopping.patience -= 1));
        assert!(!with(|asked| {
            asked.stopping.epochs += 1;
            asked.optimiser.batch += 1;
        }));
        assert!(!with(|asked| asked.stopping.least_improvement = 0.5));
    }

    #[test]
    fn many_differences_are_counted() {
        let there = TrainConfig::default();
        let mut asked = there.clone();
        asked.seed = 1;
        asked.split.test = Some(1);
        asked.split.validation = Some(1);
        asked.network.layers = 1;
        asked.optimiser.batch = 1;
        asked.stopping.patience = 1;
        let words = differences(&there, &asked).unwrap();
        assert!(words.ends_with("; and 2 more settings"), "{words}");
    }
}
