//! Dormand-Prince 5(4) with separate error control for every row of a block.

use super::control::Control;
use super::failure::Failure;
use super::first_step::{self, first_steps};
use super::step::Stepper;
use super::tableau::DORMAND_PRINCE;
use super::{Cost, Scalar, Velocity};
use crate::{Error, Result};

/// Adaptive steps, as long as the tolerance allows.
///
/// Each row has its own time and step, so that its trajectory does not depend on the other rows; a
/// row that has arrived idles until the last one arrives. A step is accepted if the root mean
/// square over the row of error / (atol + rtol max(|old|, |new|)) is at most 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adaptive {
    rtol: f64,
    atol: f64,
    max_evaluations: usize,
}

impl Default for Adaptive {
    /// The paper's tolerances.
    fn default() -> Self {
        Self {
            rtol: 1e-5,
            atol: 1e-5,
            max_evaluations: 10_000,
        }
    }
}

impl Adaptive {
    /// A solver with these relative and absolute tolerances.
    pub fn new(rtol: f64, atol: f64) -> Result<Self> {
        let valid = |tolerance: f64| tolerance.is_finite() && tolerance > 0.0;
        if !valid(rtol) || !valid(atol) {
            return Err(Error::config(
                "tolerances of dopri5",
                format!("rtol is {rtol} and atol {atol}, but both must be positive"),
            ));
        }
        Ok(Self {
            rtol,
            atol,
            ..Self::default()
        })
    }

    /// Sets the number of evaluations that no row may exceed.
    #[must_use]
    pub fn with_max_evaluations(self, max_evaluations: usize) -> Self {
        Self {
            max_evaluations,
            ..self
        }
    }

    /// Relative tolerance.
    pub fn rtol(&self) -> f64 {
        self.rtol
    }

    /// Absolute tolerance.
    pub fn atol(&self) -> f64 {
        self.atol
    }

    /// Largest number of evaluations of the velocity for a row.
    pub fn max_evaluations(&self) -> usize {
        self.max_evaluations
    }

    /// Integrates every row of `states`, [row, value], from time 0 to 1.
    pub fn integrate<T: Scalar>(
        &self,
        velocity: &(impl Velocity<T> + ?Sized),
        states: &mut [T],
    ) -> Result<Cost> {
        let mut stepper = Stepper::new(&DORMAND_PRINCE, velocity, states)?;
        let mut rows = self.start(&mut stepper, states)?;
        while !rows.iter().all(Control::arrived) {
            self.check_evaluations(&rows)?;
            let times: Vec<f64> = rows.iter().map(|row| row.time).collect();
            let steps: Vec<f64> = rows.iter().map(Control::trial).collect();
            stepper.step(&times, &steps, states)?;
            let scale = |old: f64, new: f64| self.scale(old.abs().max(new.abs()));
            let errors = stepper.error_norms(&steps, states, scale);
            let moving = rows.iter_mut().zip(errors).enumerate();
            for (i, (row, error)) in moving.filter(|(_, (row, _))| !row.arrived()) {
                let verdict = row.judge(error, Self::STEP_EVALUATIONS);
                if verdict.map_err(|failure| failure.at(i, times[i]))? {
                    stepper.accept(i, states);
                }
            }
        }
        Ok(Cost::new(rows.iter().map(|row| row.cost).collect()))
    }

    /// Evaluations per step: the first stage is the last one of the previous step.
    const STEP_EVALUATIONS: usize = DORMAND_PRINCE.nodes.len() - 1;

    fn start<T: Scalar, V: Velocity<T> + ?Sized>(
        &self,
        stepper: &mut Stepper<'_, T, V>,
        states: &[T],
    ) -> Result<Vec<Control>> {
        let rows = states.len() / stepper.row_len();
        stepper.first_stage(&vec![0.0; rows], states)?;
        let scale = |value: f64| self.scale(value.abs());
        let steps = first_steps(stepper, states, DORMAND_PRINCE.order, scale)?.into_iter();
        let spent = 1 + first_step::EVALUATIONS;
        Ok(steps.map(|step| Control::new(step, spent)).collect())
    }

    /// The tolerated error of a value of this magnitude.
    fn scale(&self, size: f64) -> f64 {
        self.atol + self.rtol * size
    }

    fn check_evaluations(&self, rows: &[Control]) -> Result<()> {
        let limit = self.max_evaluations;
        let exceeds = |row: &Control| row.cost.evaluations + Self::STEP_EVALUATIONS > limit;
        let mut moving = rows.iter().enumerate().filter(|(_, row)| !row.arrived());
        match moving.find(|(_, row)| exceeds(row)) {
            Some((i, row)) => Err(Failure::TooManyEvaluations(limit).at(i, row.time)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::super::Fixed;
    use super::super::tableau::RK4;
    use super::super::testing::{Pointwise, analytic_fields, pointwise};
    use super::*;

    fn with(tolerance: f64) -> Adaptive {
        Adaptive::new(tolerance, tolerance).unwrap()
    }

    #[test]
    fn the_error_falls_in_proportion_to_the_tolerance() {
        for field in analytic_fields() {
            for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
                let error = field.error(|v, states| with(tolerance).integrate(v, states));
                let name = field.name;
                assert!(
                    error < 20.0 * tolerance,
                    "{name}: {error:e} at {tolerance:e}"
                );
                assert!(
                    error > 1e-4 * tolerance,
                    "{name}: {error:e} at {tolerance:e}"
                );
            }
        }
    }

    /// dw/dt = rate (sin(2 pi t) - w), with a different stiffness in every row.
    fn chase(rates: &[f64]) -> Pointwise<f64, impl Fn(usize, f64, f64) -> f64> {
        let rates = rates.to_vec();
        Pointwise::by_row(rates.len(), 3, move |row, t: f64, w| {
            rates[row] * ((TAU * t).sin() - w)
        })
    }

    const RATES: [f64; 5] = [0.1, 1.0, 300.0, 0.0, 17.0];

    fn starts() -> Vec<f64> {
        (0..15).map(|i| (f64::from(i) * 0.7).sin()).collect()
    }

    #[test]
    fn a_row_gives_the_same_bits_alone_and_beside_others() {
        let mut together = starts();
        let cost = with(1e-5).integrate(&chase(&RATES), &mut together).unwrap();
        for (row, rate) in RATES.iter().enumerate() {
            let mut alone = starts()[3 * row..3 * row + 3].to_vec();
            let own = with(1e-5).integrate(&chase(&[*rate]), &mut alone).unwrap();
            assert_eq!(alone, together[3 * row..3 * row + 3]);
            assert_eq!(own.rows[0], cost.rows[row]);
        }
        let stiff = cost.rows[2];
        assert!(cost.rows[1].evaluations * 4 < stiff.evaluations);
        assert_eq!(cost.block, stiff.evaluations);
    }

    #[test]
    fn it_agrees_with_many_steps_of_a_fixed_method() {
        let (mut adaptive, mut fixed) = (starts(), starts());
        with(1e-9).integrate(&chase(&RATES), &mut adaptive).unwrap();
        let many = Fixed::new(&RK4, 4000).unwrap();
        many.integrate(&chase(&RATES), &mut fixed).unwrap();
        for (a, b) in adaptive.iter().zip(&fixed) {
            assert!((a - b).abs() < 1e-8, "{a} {b}");
        }
    }

    #[test]
    fn every_step_costs_six_evaluations_after_the_start() {
        // A velocity that becomes stiff shortly after the start makes the first step too long.
        let field = pointwise(1, 3, |t: f64, w| if t < 0.01 { -w } else { 40.0 * (t - w) });
        let cost = with(1e-6).integrate(&field, &mut [1.0, 0.5, 0.0]).unwrap();
        let row = cost.rows[0];
        assert_eq!(row.evaluations, 2 + 6 * (row.accepted + row.rejected));
        assert_eq!(
            (row.evaluations, cost.block),
            (field.calls(), field.calls())
        );
        assert!(row.rejected > 0, "{row:?}");
    }

    #[test]
    fn a_row_at_rest_stays_where_it_is() {
        let mut states = vec![0.25f32, -3.0];
        let rest = pointwise(1, 2, |_, _: f32| 0.0);
        let cost = with(1e-5).integrate(&rest, &mut states).unwrap();
        assert_eq!(states, [0.25, -3.0]);
        assert!(cost.block < 60);
    }

    #[test]
    fn single_precision_meets_the_default_tolerance() {
        let decay = pointwise(1, 2, |_, w: f32| -w);
        let mut states = vec![1.0f32, -2.0];
        let cost = Adaptive::default().integrate(&decay, &mut states).unwrap();
        assert!((f64::from(states[0]) - (-1.0f64).exp()).abs() < 1e-5);
        assert!(cost.block < 60);
    }

    fn message(result: Result<Cost>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn failures_name_the_row_and_say_what_to_try() {
        let bad = Pointwise::by_row(
            3,
            1,
            |row, t, w: f64| {
                if row == 1 && t > 0.5 { f64::NAN } else { w }
            },
        );
        let text = message(with(1e-5).integrate(&bad, &mut [1.0; 3]));
        assert!(
            text.contains("row 1 at time 0.") && text.contains("not finite"),
            "{text}"
        );

        let few = with(1e-3).with_max_evaluations(200);
        let text = message(few.integrate(&chase(&RATES), &mut starts()));
        assert!(
            text.contains("row 2") && text.contains("more than 200 times"),
            "{text}"
        );
        assert!(text.contains("loosen the tolerance"), "{text}");

        let rough = pointwise(1, 1, |t, _| if t < 0.3 { 1.0 } else { 1e9 });
        let text = message(with(1e-5).integrate(&rough, &mut [0.0f64]));
        assert!(text.contains("the step has shrunk"), "{text}");
    }

    #[test]
    fn tolerances_must_be_positive() {
        for (rtol, atol) in [(0.0, 1e-5), (1e-5, 0.0), (f64::NAN, 1e-5), (1e-5, -1.0)] {
            assert!(Adaptive::new(rtol, atol).is_err());
        }
    }
}
