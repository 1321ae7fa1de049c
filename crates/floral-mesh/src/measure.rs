//! Lengths, areas and volumes of cells, by one quadrature for every kind.
//!
//! A cell is the image of the unit line, square or cube [0, 1]^t under x(s) = sum_c phi_c(s) x_c,
//! where phi_c is the product of s_a or 1 - s_a over the axes. Corners that share a node give
//! triangles, tetrahedra, wedges and pyramids. If faces are flat, two Gauss points per axis
//! integrate phi_c |dx/ds| exactly for all kinds.

use crate::cell::CellKind;

pub(crate) type Vec3 = [f64; 3];

pub(crate) fn minus(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|i| a[i] - b[i])
}

pub(crate) fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn norm(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

pub(crate) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Position of each corner along the axes of the unit cube: around the bottom square, then the top.
const CORNERS: [[usize; 3]; 8] = [
    [0, 0, 0],
    [1, 0, 0],
    [1, 1, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 0, 1],
    [1, 1, 1],
    [0, 1, 1],
];

/// (1 - 1/sqrt 3) / 2: the first of two Gauss points on [0, 1].
const GAUSS: f64 = 0.211_324_865_405_187_13;

/// Smallest cosine between a normal of a surface cell and the mean normal; beyond this angle (75
/// degrees) the cell is folded.
const LEAST_COSINE: f64 = 0.25;

/// The 2^t quadrature points of a cell.
pub(crate) struct Quadrature {
    /// phi_c of every corner, at every quadrature point.
    basis: Vec<[f64; 8]>,
    /// The signed |dx/ds| divided by the number of quadrature points, at every quadrature point.
    pub(crate) densities: Vec<f64>,
    corners: &'static [usize],
}

impl Quadrature {
    /// `nodes` are the points of a cell, `dimension` is the number of coordinates of all points.
    ///
    /// Densities are signed where orientation has a meaning, that is in cells of the dimension of
    /// the points. On a surface in space they are positive, except where the cell folds.
    pub(crate) fn new(kind: CellKind, nodes: &[Vec3], dimension: usize) -> Self {
        let axes = kind.dimension();
        let corners = kind.corners();
        let count = 1 << axes;
        let mut basis = Vec::with_capacity(count);
        let mut elements = Vec::with_capacity(count);
        for corner in &CORNERS[..count] {
            let s: Vec3 = corner.map(gauss_point);
            basis.push(std::array::from_fn(|c| {
                (0..axes).map(|a| factor(c, a, s)).product()
            }));
            let tangents: [Vec3; 3] = std::array::from_fn(|a| tangent(corners, nodes, axes, a, s));
            elements.push(element(axes, tangents));
        }
        let (reference, least) = if axes == dimension {
            (positive(axes), 0.0)
        } else {
            (mean_direction(&elements), LEAST_COSINE)
        };
        let sign = |e: Vec3| dot(e, reference) - least * norm(e);
        let density = |&e: &Vec3| norm(e).copysign(sign(e)) / count as f64;
        let densities = elements.iter().map(density).collect();
        Self {
            basis,
            densities,
            corners,
        }
    }

    /// The signed measure of the cell.
    pub(crate) fn measure(&self) -> f64 {
        self.densities.iter().sum()
    }

    /// Adds the integral of each node's basis function to its entry of `weights`.
    pub(crate) fn lump(&self, nodes: &[usize], weights: &mut [f64]) {
        for (basis, density) in self.basis.iter().zip(&self.densities) {
            for (&corner, phi) in self.corners.iter().zip(basis) {
                weights[nodes[corner]] += density.abs() * phi;
            }
        }
    }
}

fn gauss_point(side: usize) -> f64 {
    if side == 0 { GAUSS } else { 1.0 - GAUSS }
}

/// s_a at corners on the far side of axis a, 1 - s_a on the near side.
fn factor(corner: usize, axis: usize, s: Vec3) -> f64 {
    if CORNERS[corner][axis] == 1 {
        s[axis]
    } else {
        1.0 - s[axis]
    }
}

/// dx/ds_axis at s.
fn tangent(corners: &[usize], nodes: &[Vec3], axes: usize, axis: usize, s: Vec3) -> Vec3 {
    let mut sum = [0.0; 3];
    if axis >= axes {
        return sum;
    }
    for (c, &node) in corners.iter().enumerate() {
        let others: f64 = (0..axes)
            .filter(|&a| a != axis)
            .map(|a| factor(c, a, s))
            .product();
        let sign = if CORNERS[c][axis] == 1 { 1.0 } else { -1.0 };
        // Relative to the first node: far from the origin, digits would cancel.
        let x = minus(nodes[node], nodes[0]);
        for i in 0..3 {
            sum[i] += sign * others * x[i];
        }
    }
    sum
}

/// A vector of length |dx/ds| whose direction is the orientation.
fn element(axes: usize, t: [Vec3; 3]) -> Vec3 {
    match axes {
        1 => t[0],
        2 => cross(t[0], t[1]),
        _ => [dot(t[0], cross(t[1], t[2])), 0.0, 0.0],
    }
}

/// The unit vector along the sum, or zero.
fn mean_direction(elements: &[Vec3]) -> Vec3 {
    let sum = |axis: usize| elements.iter().map(|e| e[axis]).sum::<f64>();
    let sum = [sum(0), sum(1), sum(2)];
    sum.map(|x| x / norm(sum).max(f64::MIN_POSITIVE))
}

/// The direction of [`element`] for a cell of positive orientation.
fn positive(axes: usize) -> Vec3 {
    if axes == 2 {
        [0.0, 0.0, 1.0]
    } else {
        [1.0, 0.0, 0.0]
    }
}
