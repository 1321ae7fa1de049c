//! Quantities of interest of a field: expressions, their values on realizations, and their
//! distributions.
//!
//! A [`Quantity`] is an expression such as `peak = max(u)`. [`Quantity::on`] prepares it for one
//! input; [`Prepared::of`] is its value on a realization. A [`Distribution`] summarises the values
//! over draws, each statistic with its standard error, and a [`Calibration`] stretches intervals to
//! their nominal coverage.
//!
//! Processing of an expression: `token` and `syntax` parse it, `check` resolves names and kinds of
//! values to a `term`, `prepare` folds everything that does not depend on the solution into a
//! `node`, and `functional` derives the coefficients of linear quantities. A domain is a [`Space`]:
//! [`GridSpace`], or a mesh defined elsewhere.
//!
//! # The language
//! Names are channels of the solution, the input and the low-fidelity solution, and axes: see
//! [`Names`]. Names with characters other than letters, digits and `_` are put between backquotes.
//!
//! | expression | value |
//! |---|---|
//! | `mean(f)`, `integral(f)` | int f dx / int dx, int f dx |
//! | `std(f)`, `norm(f)` | root of mean((f - mean(f))^2), root of int f^2 dx |
//! | `max(f)`, `min(f)`, `range(f)` | over points; `range` is `max - min` |
//! | `argmax(f, x)`, `argmin(f, x)` | the coordinate x of the first point with the extreme |
//! | `fraction(f > 0.8)` | share of the measure where a condition holds |
//! | `at(f, 0.3, 0.7)`, `at(f, x == 0.3, y == 0.7)` | interpolated at a place; by position in the order of the axes |
//! | `d(f, x)` | derivative of a field along an axis |
//! | `abs sqrt exp log log10 sin cos tan tanh`, `max(a, b)`, `min(a, b)` | of numbers, or of fields point by point |
//! | `+ - * / ^`, `< <= > >= == !=`, `and or not`, `pi` | as usual; `**` is `^` |
//!
//! Reductions take a region as their last argument: `mean(u, x < 0.5 and k > 2)`. Bounds of
//! coordinates cut cells of a grid, so that `integral(1, x < 0.5)` is exactly the volume of that
//! half; any other condition selects whole points. `x == 1` is the plane of grid points there, and
//! integrals over it have one dimension less: `flux = integral(-k * d(u, x), x == 1)`.
//!
//! A quantity is one number: an expression that is a field is refused. A condition counts as 1
//! where it holds, so that the mean of `max(u) > 0.8` over draws is its probability.
//!
//! ```
//! use floral_quantities::{Distribution, Given, GridAxis, GridSpace, Name, Names, Quantity};
//! let names = Names {
//!     axes: vec![Name::new("x").with_unit("m")],
//!     solution: vec![Name::new("temperature").with_unit("K")],
//!     ..Names::default()
//! };
//! let peak = Quantity::define("peak = max(u, x > 0.2)", &names)?;
//! assert_eq!(peak.unit(), Some("K"));
//!
//! let grid = GridSpace::new(vec![GridAxis::closed("x", vec![0.0, 0.5, 1.0])?])?;
//! let prepared = peak.on(&grid, Given::default())?;
//! let draws = prepared.of_each(&[9.0, 1.0, 2.0, 0.0, 5.0, 4.0])?;
//! assert_eq!(Distribution::new(draws)?.mean().value, 3.5);
//!
//! let error = Quantity::parse("peak", "max(v)", &names).unwrap_err();
//! assert_eq!(error.to_string(), "max(v): column 5: unknown name `v`; known: temperature, x");
//! # Ok::<(), floral_quantities::Error>(())
//! ```

mod calibration;
mod check;
mod distribution;
mod error;
mod functional;
mod grid;
mod names;
mod node;
mod operator;
mod prepare;
mod prepared;
mod quantity;
mod space;
mod sparse;
mod syntax;
mod term;
mod token;

pub use calibration::{Calibration, Judged};
pub use distribution::{Distribution, Estimate, VarianceParts};
pub use error::{Error, Result};
pub use grid::{GridAxis, GridSpace};
pub use names::{Name, Names};
pub use prepare::Given;
pub use prepared::Prepared;
pub use quantity::Quantity;
pub use space::{Cut, Section, Space};
pub use sparse::{Entry, Sparse};
