//! Generated data declare the symmetries and quantities of their problem.

use serde_json::Value;

use crate::dataset::Dataset;
use crate::random::{Purpose, stream};
use crate::{Origin, Request, catalogue, generate};
use floral_data::Silent;
use floral_data::dataset::layout::SYMMETRIES;

/// Sets the attribute of the group at `path`, or removes it.
fn rewrite(path: &std::path::Path, written: Option<Value>) -> Dataset {
    let file = path.join("zarr.json");
    let mut root: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let attributes = root["attributes"].as_object_mut().unwrap();
    attributes.remove(SYMMETRIES);
    attributes.extend(written.map(|written| (SYMMETRIES.to_owned(), written)));
    std::fs::write(&file, root.to_string()).unwrap();
    Dataset::open(path).unwrap()
}

fn texts(dataset: &Dataset) -> Vec<String> {
    let symmetries = dataset.symmetries().unwrap();
    symmetries.iter().map(ToString::to_string).collect()
}

#[test]
fn generated_data_declare_what_their_problem_does_and_so_do_older_ones() {
    let folder = tempfile::tempdir().unwrap();
    for name in catalogue::NAMES {
        let path = folder.path().join(name);
        let constants = "resolution = 16".parse().unwrap();
        let problem = catalogue::build(name, constants, "test").unwrap();
        let request = Request::new(1, 1, 0);
        generate(problem.as_ref(), &request, &path, &Silent).unwrap();
        let dataset = Dataset::open(&path).unwrap();
        assert_eq!(texts(&dataset), problem.symmetries());
        let found: Vec<&str> = dataset.attributes().keys().map(String::as_str).collect();
        let before = "title floral_format floral_version problem constants seed";
        assert_eq!(found.join(" "), format!("{before} {SYMMETRIES}"));
        assert_eq!(texts(&rewrite(&path, None)), problem.symmetries());
        // A dataset without the attribute counts as the same, so that it need not be generated
        // again.
        generate(problem.as_ref(), &request, &path, &Silent).unwrap();
    }
}

#[test]
fn built_in_problems_name_their_channels_and_claim_no_units() {
    let folder = tempfile::tempdir().unwrap();
    for name in catalogue::NAMES {
        let constants = "resolution = 32".parse().unwrap();
        let problem = catalogue::build(name, constants, "test").unwrap();
        let request = Request::new(1, 1, 0);
        let path = folder.path().join(name);
        generate(problem.as_ref(), &request, &path, &Silent).unwrap();
        let dataset = Dataset::open(&path).unwrap();
        assert_eq!(dataset.quantities(), &problem.quantities());
        let found = dataset.input_quantities().iter();
        for quantity in found.chain(dataset.solution_quantities()) {
            assert!(
                quantity.name.is_some() && quantity.units.is_none(),
                "{name}"
            );
        }
    }
}

#[test]
fn an_output_of_another_length_is_refused_by_every_problem() {
    for name in catalogue::NAMES {
        let constants = "resolution = 32".parse().unwrap();
        let problem = catalogue::build(name, constants, "test").unwrap();
        let input = problem.draw_input(&mut stream(1, Purpose::Input, 0, 0));
        let input = input.unwrap();
        let points = problem.grid().len();
        for length in [points, 2 * points - 1, 2 * points + 1] {
            let mut streams = [0, 1].map(|i| stream(1, Purpose::Realization, 0, i));
            let mut out = vec![0.0; length];
            let solved = problem.high_fidelity(&input, &mut streams, &mut out);
            let refusal = solved.unwrap_err().to_string();
            assert!(refusal.contains("output"), "{name}: {refusal}");
        }
    }
}
