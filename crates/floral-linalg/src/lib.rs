//! Dense linear algebra in double precision: faer's generic algorithms as plain functions.
//!
//! A separate crate, because faer's generic algorithms are compiled where they are called: here
//! once, and not again with every change of a calling library. All are sequential, so that results
//! do not depend on the number of threads.

mod cholesky;
mod complex;
mod eigen;
mod matern;
mod product;

pub use cholesky::{cholesky, solve_positive, solve_positive_in_place};
pub use complex::{hermitian_eigen, inverse};
pub use eigen::symmetric_eigen;
pub use faer::{Accum, Mat, MatMut, MatRef, c64};
pub use matern::matern52;
pub use product::product;
