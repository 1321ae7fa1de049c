//! The discrete operator: central differences of -(K lap p + grad K . grad p) at the nodes.
//!
//! Every equation is multiplied by h^2 / K of its node. The diagonal is then 4 everywhere, an
//! interior neighbour at distance +-h along an axis has -1 -+ (K(+h) - K(-h)) / 4K, and a node on a
//! wall counts its one neighbour twice, because the ghost node behind the wall mirrors it.

use pulp::Simd;

use super::lanes::zero;

/// The coefficient of a node in its own equation.
pub const DIAGONAL: f64 = 4.0;

/// The scaled equations of every node, one realization per lane.
pub struct Stencil<S: Simd> {
    /// For each node, the coefficients of its neighbours at x - h, x + h, y - h, y + h.
    pub couplings: Vec<[S::f64s; 4]>,
    /// For each node, h^2 / K, by which right-hand sides are multiplied.
    pub scale: Vec<S::f64s>,
}

impl<S: Simd> Stencil<S> {
    /// A stencil without nodes.
    pub fn empty() -> Self {
        Self {
            couplings: Vec::new(),
            scale: Vec::new(),
        }
    }

    /// Computes the coefficients from the permeability at n x n nodes.
    #[inline(always)]
    pub fn assemble(&mut self, simd: S, permeability: &[S::f64s], n: usize) {
        self.couplings.clear();
        self.scale.clear();
        let square_step = simd.splat_f64s(1.0 / ((n - 1) * (n - 1)) as f64);
        for (node, &k) in permeability.iter().enumerate() {
            let [west, east] = pair(simd, permeability, node, k, n, node / n, n);
            let [south, north] = pair(simd, permeability, node, k, 1, node % n, n);
            self.couplings.push([west, east, south, north]);
            self.scale.push(simd.div_f64s(square_step, k));
        }
    }

    /// The entry of a right-hand side at a node, scaled like its equation.
    #[inline(always)]
    pub fn scaled(&self, simd: S, value: f64, node: usize) -> S::f64s {
        simd.mul_f64s(simd.splat_f64s(value), self.scale[node])
    }
}

/// The coefficients of the two neighbours along one axis.
#[inline(always)]
fn pair<S: Simd>(
    simd: S,
    permeability: &[S::f64s],
    node: usize,
    k: S::f64s,
    step: usize,
    position: usize,
    n: usize,
) -> [S::f64s; 2] {
    let (none, twice) = (zero(simd), simd.splat_f64s(-2.0));
    if position == 0 {
        return [none, twice];
    }
    if position == n - 1 {
        return [twice, none];
    }
    let difference = simd.sub_f64s(permeability[node + step], permeability[node - step]);
    let slope = simd.div_f64s(difference, simd.mul_f64s(simd.splat_f64s(4.0), k));
    let minus_one = simd.splat_f64s(-1.0);
    [
        simd.add_f64s(minus_one, slope),
        simd.sub_f64s(minus_one, slope),
    ]
}
