//! Loss and gradient do not depend on where samples are stored or which rank reads them.

use std::sync::Arc;

use super::{Line, POINTS, draws, shapes};
use crate::flow::Path;
use crate::operator::Device;
use crate::ranks::Threads;
use crate::train::Method;
use crate::train::config::Rows;
use crate::train::model::initial;
use crate::train::samples::Reader;
use floral_networks::training::gradient::Loss;

#[test]
fn samples_in_a_file_teach_what_samples_in_memory_teach() {
    let line = Line::new();
    let folder = tempfile::tempdir().unwrap();
    let device = Device::flex().autodiff();
    for method in [Method::Floral, Method::ResidualFno] {
        let config = Line::config(method, 1);
        let reader = Arc::new(Reader::new(&line.dataset, &config).unwrap());
        let scaling = reader.scaling(5..20).unwrap();
        let model = initial(method, &config.network, shapes(), 4, &device).unwrap();
        let prior = config.prior.on(&reader.grid()).unwrap();
        let read = |scratch, on_demand| match on_demand {
            true => reader.samples_on_demand(scratch, 0..3, Rows::Realizations, &scaling),
            false => reader.samples_in(scratch, 0..3, Rows::Realizations, &scaling),
        };
        let file = Some(folder.path());
        let places = [(None, false), (file, false), (None, true), (file, true)];
        let found = places.map(|(scratch, on_demand)| {
            let samples = read(scratch, on_demand).unwrap();
            let loss = Loss {
                samples: &samples,
                path: method.is_flow().then(|| Path {
                    config: &config.path,
                    prior: prior.as_ref(),
                    points: POINTS,
                }),
                stream: &draws,
            };
            let batch: Vec<usize> = (0..samples.len()).rev().step_by(2).collect();
            let gradient = loss.gradient(&model, &batch, &device).unwrap();
            (gradient.loss.to_bits(), gradient.arrays)
        });
        assert!(found.iter().all(|one| *one == found[0]));
    }
}

#[test]
fn an_input_is_read_when_it_is_first_wanted() {
    let line = Line::new();
    let config = Line::config(Method::Floral, 1);
    let reader = Arc::new(Reader::new(&line.dataset, &config).unwrap());
    let scaling = reader.scaling(5..20).unwrap();
    let samples = reader.samples_on_demand(None, 2..8, Rows::Realizations, &scaling);
    let samples = samples.unwrap();
    assert_eq!(samples.held(), 0);
    samples.target_of(samples.of_input(4).start).unwrap();
    samples.condition_of(4, 1).unwrap();
    assert_eq!(samples.held(), 1);
    samples
        .fetch(samples.of_input(0).start..samples.of_input(1).end)
        .unwrap();
    assert_eq!(samples.held(), 3);
}

#[test]
fn any_number_of_ranks_comes_to_the_same_scales() {
    let line = Line::new();
    let config = Line::config(Method::Floral, 1);
    let expected = Reader::new(&line.dataset, &config)
        .unwrap()
        .scales(5..20)
        .unwrap();
    for size in [2, 3, 16] {
        let ends = Threads::run(size, 1, |ranks| {
            Reader::new(&line.dataset, &config)?.scales_across(ranks, 5..20)
        });
        for end in ends {
            assert_eq!(end.unwrap(), expected, "{size} ranks");
        }
    }
}
