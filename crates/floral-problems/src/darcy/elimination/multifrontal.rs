//! Direct solution on the nested dissection, one realization per SIMD lane.
//!
//! The bordered system [A q; q' 0][p; l] = [f; 0] is solved exactly. A annihilates constants, so
//! that the coefficient of the last pressure vanishes once all other nodes are eliminated: the last
//! equation is 0 p + q* l = f*. It gives the multiplier l, and the last pressure is free until the
//! zero mean fixes it. The border q is therefore carried as a second right-hand side.

use pulp::Simd;

use super::assembly::{Sides, assemble, join};
use super::dissection::Dissection;
use super::front::DenseFront;
use super::lanes::zero;
use super::stencil::Stencil;

/// Memory of an elimination, reused from one block of lanes to the next.
pub struct Multifrontal<S: Simd> {
    /// For each depth of the dissection, the fronts of two halves, kept until they are added to the
    /// front of the whole.
    fronts: Vec<[DenseFront<S>; 2]>,
    /// The pivots' rows, starting at the diagonal, front by front.
    upper: Vec<S::f64s>,
    local: Vec<S::f64s>,
    /// The pressure.
    pub pressure: Vec<S::f64s>,
    /// The multiplier.
    pub multiplier: S::f64s,
}

impl<S: Simd> Multifrontal<S> {
    /// Empty memory that grows on first use.
    pub fn new(simd: S) -> Self {
        Self {
            fronts: Vec::new(),
            upper: Vec::new(),
            local: Vec::new(),
            pressure: Vec::new(),
            multiplier: zero(simd),
        }
    }

    /// Solves for the pressure of zero mean and the multiplier.
    #[inline(always)]
    pub fn solve(&mut self, simd: S, plan: &Dissection, stencil: &Stencil<S>, sides: Sides) {
        self.fronts.resize_with(plan.depth() + 1, || {
            [DenseFront::empty(), DenseFront::empty()]
        });
        self.upper.clear();
        self.upper.reserve(plan.stored());
        for front in &plan.fronts {
            let (wholes, halves) = self.fronts.split_at_mut(front.depth + 1);
            let dense = &mut wholes[front.depth][front.side];
            dense.reset(front.height(), front.width(), front.pivots);
            join(simd, dense, front, halves);
            assemble(simd, dense, front, stencil, sides);
            dense.eliminate(simd);
            for row in 0..front.pivots {
                self.upper.extend_from_slice(&dense.row(row)[row..]);
            }
        }
        // The only row left in the last front is 0 p + q* l = f*.
        let last = self.fronts[0][0].complement(0);
        self.multiplier = simd.div_f64s(last[1], last[2]);
        self.substitute_back(simd, plan);
        self.remove_mean(simd, sides.border);
    }

    #[inline(always)]
    fn substitute_back(&mut self, simd: S, plan: &Dissection) {
        self.pressure.clear();
        self.pressure.resize(plan.n * plan.n, zero(simd));
        let mut end = self.upper.len();
        for front in plan.fronts.iter().rev() {
            let nodes = front.nodes.iter();
            self.local.clear();
            self.local.extend(nodes.map(|&node| self.pressure[node]));
            for pivot in (0..front.pivots).rev() {
                let row = &self.upper[end + pivot - front.width()..end];
                end -= row.len();
                let value = solved_row(simd, row, &self.local[pivot + 1..], self.multiplier);
                self.local[pivot] = value;
                self.pressure[front.nodes[pivot]] = value;
            }
        }
    }

    #[inline(always)]
    fn remove_mean(&mut self, simd: S, border: &[f64]) {
        let mut mean = zero(simd);
        for (&pressure, &weight) in self.pressure.iter().zip(border) {
            mean = simd.mul_add_e_f64s(pressure, simd.splat_f64s(weight), mean);
        }
        for pressure in &mut self.pressure {
            *pressure = simd.sub_f64s(*pressure, mean);
        }
    }
}

/// The unknown of a row [1/u, U..., f, q] of the triangular system, given the later unknowns.
#[inline(always)]
fn solved_row<S: Simd>(simd: S, row: &[S::f64s], known: &[S::f64s], l: S::f64s) -> S::f64s {
    let couplings = &row[1..=known.len()];
    let [f, q] = [row[known.len() + 1], row[known.len() + 2]];
    // Four independent sums: a single one would stall on its own latency at every term.
    let mut sums = [
        simd.negate_mul_add_e_f64s(l, q, f),
        zero(simd),
        zero(simd),
        zero(simd),
    ];
    let (quads, rest) = couplings.as_chunks::<4>();
    let (known_quads, known_rest) = known.as_chunks::<4>();
    for (u, p) in quads.iter().zip(known_quads) {
        for i in 0..4 {
            sums[i] = simd.negate_mul_add_e_f64s(u[i], p[i], sums[i]);
        }
    }
    for (&u, &p) in rest.iter().zip(known_rest) {
        sums[0] = simd.negate_mul_add_e_f64s(u, p, sums[0]);
    }
    let [a, b, c, d] = sums;
    let sum = simd.add_f64s(simd.add_f64s(a, b), simd.add_f64s(c, d));
    simd.mul_f64s(sum, row[0])
}
