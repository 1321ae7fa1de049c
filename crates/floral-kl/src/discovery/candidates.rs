//! The symmetries that a lattice and its fields allow.

use crate::case::{Case, Framed};
use crate::symmetry::{Signs, Symmetries, Symmetry};
use crate::{Lattice, LatticeAxis};

/// Numbers of equal parts by which a periodic axis may repeat.
const PARTS: [usize; 3] = [2, 3, 4];

/// Candidate exponents of the solution under a scaling of the input.
const EXPONENTS: [f64; 2] = [1.0, -1.0];

/// Least ratio of largest to smallest input size at which a scaling can be tested.
const SPAN: f64 = 1.5;

/// All symmetries to try, each by itself.
pub(super) fn candidates(lattice: &Lattice, cases: &[Case<'_>]) -> Vec<Symmetry> {
    let mut all: Vec<Symmetry> = lattice.axes.iter().flat_map(along).collect();
    all.push(Symmetry::Sign(Signs::minus()));
    for (i, a) in lattice.axes.iter().enumerate() {
        for b in &lattice.axes[i + 1..] {
            if (a.len, a.periodic, a.even) == (b.len, b.periodic, true) {
                let axes = [a.name.clone(), b.name.clone()];
                all.push(Symmetry::Transpose { axes });
            }
        }
    }
    if span_of_sizes(lattice, cases) > SPAN {
        all.extend(EXPONENTS.map(|exponent| Symmetry::Scale { exponent }));
    }
    all
}

fn along(axis: &LatticeAxis) -> Vec<Symmetry> {
    if !axis.even || axis.len < 2 {
        return Vec::new();
    }
    let name = || axis.name.clone();
    let reflect = |signs| Symmetry::Reflect {
        axis: name(),
        signs,
    };
    let mut all = vec![reflect(Signs::plus()), reflect(Signs::minus())];
    if axis.periodic {
        all.push(Symmetry::Roll { axis: name() });
        let parts = PARTS.into_iter().filter(|p| axis.len.is_multiple_of(*p));
        let part = |parts| Symmetry::RollPart {
            axis: name(),
            parts,
        };
        all.extend(parts.map(part));
    }
    all
}

/// The ratio of the largest to the smallest size of an input.
fn span_of_sizes(lattice: &Lattice, cases: &[Case<'_>]) -> f64 {
    let channels = cases[0].query.input.len() / lattice.len();
    let linear = Symmetries {
        scale: Some(1.0),
        ..Symmetries::none(lattice, channels, channels)
    };
    let sizes = cases
        .iter()
        .map(|case| Framed::new(&case.query, &linear).size);
    let (least, most) = sizes.fold((f64::INFINITY, 0.0_f64), |(a, b), s| (a.min(s), b.max(s)));
    most / least
}
