//! The page itself: base64 data, a program that evaluates them, and a statement of the deviations.

use base64::prelude::{BASE64_STANDARD, Engine};
use floral::Quantity;
use floral::predict::Predictor;
use serde_json::{Value, json};

use super::{Deviation, Live, NAMES};
use crate::draw::escaped;

const PAGE: &str = include_str!("page.html");
const PROGRAM: &str = include_str!("page.js");
const STYLE: &str = include_str!("page.css");

impl Live {
    /// One HTML file that needs no other file.
    pub fn to_html(&self, predictor: &Predictor) -> String {
        let title = predictor.header().title.clone();
        let title = title.unwrap_or_else(|| "Predictions of a model of parameters".into());
        // A name could contain the end tag of the script element, so `<` is written as a JSON
        // escape.
        let data = self.data(predictor).to_string().replace('<', "\\u003c");
        let parts = [
            ("@TITLE@", escaped(&title)),
            ("@HEADING@", escaped(&title)),
            ("@STYLE@", STYLE.into()),
            ("@STATEMENT@", self.statement(predictor)),
            ("@DATA@", data),
            ("@PROGRAM@", PROGRAM.into()),
        ];
        let fill = |page: String, (mark, text): &(&str, String)| page.replacen(mark, text, 1);
        parts.iter().fold(PAGE.to_owned(), fill)
    }

    /// States what the page is, and how far it deviates from `floral sample`.
    fn statement(&self, predictor: &Predictor) -> String {
        let percent = |share: f64| match share {
            share if share < 5e-4 => "below 0.05 %".to_owned(),
            share => format!("{:.2} %", 100.0 * share),
        };
        let row = |(name, deviation): (&&str, &Deviation)| {
            let [typical, largest] = [deviation.typical, deviation.largest].map(percent);
            format!("<tr><td>{name}</td><td>{typical}</td><td>{largest}</td></tr>")
        };
        let rows: String = NAMES.iter().zip(&self.deviations).map(row).collect();
        let far = self.far();
        let warning = match far.is_empty() {
            true => String::new(),
            false => format!(
                "<p class=\"warning\">This page deviates by more than 1 % of the width of the 90 % interval in: {}. \
                 Use floral sample where that matters.</p>",
                far.join(", ")
            ),
        };
        format!(
            "{warning}<p>Interpolated from {} predictions by {}, each of {} realizations. At {} other random \
             parameters, its deviation from <code>floral sample</code> in units of the width of the 90 % interval \
             (the largest over the domain) was:</p><table><tr><th></th><th>root mean square</th>\
             <th>largest</th></tr>{rows}</table><p>Sliders end where the training inputs do.</p>",
            self.predictions,
            predictor.method(),
            self.realizations,
            super::TESTS,
        )
    }

    fn data(&self, predictor: &Predictor) -> Value {
        let header = predictor.header();
        let quantities = &header.quantities;
        let parameters = quantities.input.iter().zip(&self.bounds.bounds);
        let parameter = |(i, (quantity, [from, to])): (usize, (&Quantity, &[f64; 2]))| {
            let named = named(quantity, "parameter", i);
            json!({"name": named[0], "units": named[1], "from": from, "to": to})
        };
        let channel = |(i, quantity): (usize, &Quantity)| {
            let named = named(quantity, "solution", i);
            json!({"name": named[0], "units": named[1]})
        };
        let grid = &header.grid;
        let axes = grid.axes.iter().map(|axis| {
            let units = axis.units.clone().unwrap_or_default();
            json!({"name": axis.name, "units": units, "coordinates": axis.coordinates})
        });
        let mesh = grid.mesh().map(|mesh| {
            let corners = mesh.surface().triangles;
            json!({
                "dimension": mesh.points().dimension(),
                "points": doubles(mesh.points().rows().iter().flatten()),
                "triangles": corners,
            })
        });
        let widths: Vec<f64> = (0..self.basis.mean().len())
            .map(|i| self.basis.width(i))
            .collect();
        json!({
            "parameters": parameters.enumerate().map(parameter).collect::<Vec<_>>(),
            "channels": quantities.solution.iter().enumerate().map(channel).collect::<Vec<_>>(),
            "axes": axes.collect::<Vec<_>>(),
            "mesh": mesh,
            "rightward": grid.rightward(),
            "outside": self.outside,
            "ranges": self.ranges,
            "scales": self.interpolant.scales,
            "places": doubles(self.interpolant.places.iter().flatten()),
            "weights": doubles(self.interpolant.weights.iter().flatten()),
            "members": singles(self.basis.members.iter().flatten()),
            "count": self.basis.members.len(),
            "mean": doubles(self.basis.mean()),
            "widths": singles(&widths),
        })
    }
}

/// The full name of a quantity, or its kind and index, and its units.
fn named(quantity: &Quantity, kind: &str, index: usize) -> [String; 2] {
    let name = quantity.title().map(str::to_owned);
    let name = name.unwrap_or_else(|| format!("{kind} {index}"));
    [name, quantity.units.clone().unwrap_or_default()]
}

fn doubles<'a>(values: impl IntoIterator<Item = &'a f64>) -> String {
    let bytes: Vec<u8> = values.into_iter().flat_map(|v| v.to_le_bytes()).collect();
    BASE64_STANDARD.encode(bytes)
}

fn singles<'a>(values: impl IntoIterator<Item = &'a f64>) -> String {
    let bytes = values.into_iter().flat_map(|v| (*v as f32).to_le_bytes());
    BASE64_STANDARD.encode(bytes.collect::<Vec<u8>>())
}
