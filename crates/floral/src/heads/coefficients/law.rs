//! The law of coefficients: Gaussian, or a flow where held-out inputs say that it is better.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::choice::{Scored, normal};
use super::example::{Example, check, whitened};
use super::flow::{Flow, Matter};
use super::projection::Projection;
use crate::observer::Observer;
use crate::operator::Weight;
use crate::{Error, Result};

/// Energy scores at inputs held out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Of standard normal coefficients.
    pub gaussian: f64,
    /// Of the better flow.
    pub flow: f64,
    /// The standard error of their difference.
    pub error: f64,
}

/// Everything about a law but its weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LawHeader {
    /// Number of coefficients.
    pub dimension: usize,
    /// Features to components, if the law is a flow.
    pub projection: Option<Projection>,
    /// What the choice was made by; none without inputs held out.
    pub scores: Option<Scores>,
}

/// A law of coefficients of mean zero and unit variance.
#[derive(Debug, Clone)]
pub struct Law {
    /// What it is.
    pub header: LawHeader,
    flow: Option<Flow>,
}

impl Law {
    /// Independent standard normal numbers.
    pub fn gaussian(dimension: usize) -> Self {
        Self {
            header: LawHeader {
                dimension,
                projection: None,
                scores: None,
            },
            flow: None,
        }
    }

    /// Fits flows with and without features, and takes the better one if its energy score at inputs
    /// held out is below the Gaussian's by more than the standard error.
    pub fn fit(
        train: &[Example],
        held_out: &[Example],
        dimension: usize,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let all: Vec<&Example> = train.iter().chain(held_out).collect();
        check(&all, dimension)?;
        let mut law = Self::gaussian(dimension);
        let is_empty = |part: &[Example]| part.iter().all(|e| e.coefficients.is_empty());
        if is_empty(train) || is_empty(held_out) {
            return Ok(law);
        }
        let features: Vec<&[f64]> = train.iter().map(|e| e.features.as_slice()).collect();
        let mut candidates = vec![Projection::none(features[0].len())];
        let projection = Projection::new(&features);
        if projection.components() > 0 {
            candidates.push(projection);
        }
        let race = Race::new([train, held_out], dimension, seed);
        let gaussian = race.score(None)?;
        let mut best: Option<(Flow, Scored)> = None;
        for projection in candidates {
            let flow = race.fit(projection, observer)?;
            let scored = race.score(Some(&flow))?;
            if best.as_ref().is_none_or(|b| scored.mean() < b.1.mean()) {
                best = Some((flow, scored));
            }
        }
        if let Some((flow, scored)) = best {
            let (gain, error) = gaussian.above(&scored);
            law.header.scores = Some(Scores {
                gaussian: gaussian.mean(),
                flow: scored.mean(),
                error,
            });
            if gain > error {
                law.header.projection = Some(flow.projection.clone());
                law.flow = Some(flow);
            }
        }
        Ok(law)
    }

    /// A law from its header and weights, as they were stored.
    pub fn from_parts(header: LawHeader, weights: Vec<Weight>) -> Result<Self> {
        let flow = match header.projection.clone() {
            Some(projection) => Some(Flow::from_parts(projection, header.dimension, weights)?),
            None => None,
        };
        Ok(Self { header, flow })
    }

    /// The weights to be stored beside the header; none of a Gaussian.
    pub fn weights(&self) -> Vec<Weight> {
        let flow = self.flow.as_ref();
        flow.map_or_else(Vec::new, |flow| flow.weights.clone())
    }

    /// Whether coefficients are plain normal numbers.
    pub fn is_gaussian(&self) -> bool {
        self.flow.is_none()
    }

    /// Coefficients for an input, a draw from each stream: out is [draw, dimension].
    ///
    /// A draw depends on its own stream alone, whatever is drawn beside it.
    pub fn draw<R: Rng>(&self, features: &[f64], rngs: &mut [R], out: &mut [f32]) -> Result<()> {
        let expected = self.header.projection.as_ref().map(Projection::features);
        let needed = rngs.len() * self.header.dimension;
        if out.len() != needed || expected.is_some_and(|count| count != features.len()) {
            return Err(Error::Shape {
                what: "features and draws".into(),
                found: vec![features.len(), out.len()],
                expected: vec![expected.unwrap_or(features.len()), needed],
            });
        }
        match &self.flow {
            Some(flow) => flow.draw(features, rngs, out),
            None => normal(rngs, self.header.dimension, out),
        }
        Ok(())
    }
}

/// What candidates are fitted to and scored by.
struct Race<'a> {
    examples: [&'a [Example]; 2],
    whitened: [Vec<Vec<f32>>; 2],
    dimension: usize,
    seed: u64,
}

impl<'a> Race<'a> {
    fn new(examples: [&'a [Example]; 2], dimension: usize, seed: u64) -> Self {
        Self {
            examples,
            whitened: examples.map(|part| whitened(part, dimension)),
            dimension,
            seed,
        }
    }

    fn fit(&self, projection: Projection, observer: &dyn Observer) -> Result<Flow> {
        let [train, held_out] = [0, 1].map(|part| Matter {
            coefficients: &self.whitened[part],
            components: self.components(part, &projection),
            dimension: self.dimension,
        });
        Flow::matched(projection, [&train, &held_out], self.seed, observer)
    }

    fn components(&self, part: usize, projection: &Projection) -> Vec<Vec<f32>> {
        let examples = self.examples[part].iter();
        examples.map(|e| projection.apply(&e.features)).collect()
    }

    fn score(&self, flow: Option<&Flow>) -> Result<Scored> {
        let features = self.examples[1].iter().map(|e| e.features.as_slice());
        let features: Vec<&[f64]> = features.collect();
        let constants = (self.dimension, self.seed);
        Scored::new(flow, &self.whitened[1], &features, constants)
    }
}
