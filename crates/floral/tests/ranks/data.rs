//! Generation of datasets by several ranks.

use std::fs;
use std::sync::atomic::AtomicUsize;

use floral::dataset::Outcome;
use floral::ranks::Threads;
use floral::{Error, Silent};

use super::{After, CREWS, files, generated, generated_in_shards, well};

#[test]
fn any_number_of_ranks_generates_the_same_dataset() {
    for shard in [1, 2, 3] {
        let folder = tempfile::tempdir().unwrap();
        let mut first = None;
        for (size, threads) in CREWS {
            let path = folder.path().join(format!("{size}-{threads}.zarr"));
            let ends = Threads::run(size, threads, |ranks| {
                generated_in_shards(ranks, (&path, shard), &Silent)
            });
            for outcome in well(ends) {
                let expected = Outcome::Generated {
                    computed: 7,
                    resumed: 0,
                    redraws: 0,
                };
                assert_eq!(outcome, expected);
            }
            let found = files(&path);
            assert_eq!(first.get_or_insert(found.clone()), &found, "{size} ranks");
            let partial = format!("{size}-{threads}.zarr.partial");
            assert!(!folder.path().join(partial).exists());
        }
    }
}

/// Ranks are stopped once rank 0 has finished an input, or a shard.
#[test]
fn a_dataset_that_one_crew_left_is_finished_by_another() {
    for (shard, limit) in [(1, 1), (2, 2)] {
        let folder = tempfile::tempdir().unwrap();
        let [whole, cut] = ["whole.zarr", "cut.zarr"].map(|name| folder.path().join(name));
        well(Threads::run(1, 1, |ranks| {
            generated_in_shards(ranks, (&whole, shard), &Silent)
        }));
        let count = AtomicUsize::new(0);
        let ends = Threads::run(3, 1, |ranks| {
            let observer = After {
                count: &count,
                limit,
                stops: ranks.is_first(),
            };
            generated_in_shards(ranks, (&cut, shard), &observer)
        });
        assert!(
            ends.iter()
                .all(|end| matches!(end, Err(Error::Interrupted)))
        );
        let ends = Threads::run(2, 1, |ranks| {
            generated_in_shards(ranks, (&cut, shard), &Silent)
        });
        for outcome in well(ends) {
            assert!(matches!(outcome, Outcome::Generated { resumed: 1.., .. }));
        }
        assert_eq!(files(&cut), files(&whole));
    }
}

#[test]
fn a_rank_that_fails_ends_all_and_names_its_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.zarr");
    fs::write(&path, "no dataset").unwrap();
    let ends = Threads::run(3, 1, |ranks| generated(ranks, &path, &Silent));
    let words = ends[0].as_ref().unwrap_err().to_string();
    assert!(words.contains("not a dataset"), "{words}");
    for end in &ends[1..] {
        assert!(matches!(end, Err(Error::Elsewhere { rank: 0 })));
    }
}
