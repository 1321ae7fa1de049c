//! Simplices (lines, triangles and tetrahedra), and the location of a point in them.

use std::cmp::Ordering;

use crate::cell::CellKind;
use crate::measure::{Vec3, dot, minus, norm};
use crate::{Mesh, Points};

/// The location of a point relative to a simplex.
pub(crate) struct Place {
    /// Non-negative weights of the corners, with sum one.
    pub(crate) weights: [f64; 4],
    /// Distance of the point from the weighted mean of the corners; zero inside.
    pub(crate) distance: f64,
}

/// The simplices that fill the cells of a mesh.
///
/// A cell is split from its first node in the order of coordinates: this node is joined to each
/// face that does not contain it, and the face is split from its own first node. Two neighbouring
/// cells thus split their common face in the same way, and the order of points and cells does not
/// matter.
pub(crate) struct Simplices {
    /// t + 1 nodes per simplex.
    nodes: Vec<usize>,
    per: usize,
}

impl Simplices {
    pub(crate) fn new(mesh: &Mesh) -> Self {
        let mut nodes = Vec::new();
        for block in mesh.cells() {
            for cell in block.iter() {
                match block.kind().dimension() {
                    1 => nodes.extend(cell),
                    2 => nodes.extend(fan(mesh.points(), cell).flatten()),
                    _ => split_volume(mesh.points(), block.kind(), cell, &mut nodes),
                }
            }
        }
        let per = mesh.dimension() + 1;
        Self { nodes, per }
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &[usize]> {
        self.nodes.chunks_exact(self.per)
    }

    pub(crate) fn get(&self, simplex: usize) -> &[usize] {
        &self.nodes[simplex * self.per..][..self.per]
    }
}

/// Position among `nodes` of the first node in the order of coordinates.
fn first(points: &Points, nodes: &[usize]) -> usize {
    let row = |&i: &usize| points.rows()[nodes[i]];
    let order = |a: &usize, b: &usize| row(a).partial_cmp(&row(b)).unwrap_or(Ordering::Equal);
    (0..nodes.len()).min_by(order).unwrap_or(0)
}

/// Triangles that join the first node of a face to its other edges.
fn fan(points: &Points, face: &[usize]) -> impl Iterator<Item = [usize; 3]> {
    let apex = first(points, face);
    let at = move |k: usize| face[(apex + k) % face.len()];
    (2..face.len()).map(move |k| [at(0), at(k - 1), at(k)])
}

fn split_volume(points: &Points, kind: CellKind, cell: &[usize], nodes: &mut Vec<usize>) {
    let apex = first(points, cell);
    for face in kind.faces().iter().filter(|face| !face.contains(&apex)) {
        let face: Vec<usize> = face.iter().map(|&corner| cell[corner]).collect();
        for triangle in fan(points, &face) {
            nodes.push(cell[apex]);
            nodes.extend(triangle);
        }
    }
}

/// The location from barycentric coordinates, with negative ones set to zero and the others scaled
/// to sum one.
pub(crate) fn place(corners: &[Vec3], x: Vec3) -> Place {
    let mut weights = barycentric(corners, x);
    weights.iter_mut().for_each(|w| *w = w.max(0.0));
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= sum);
    let mut mean = [0.0; 3];
    for (corner, weight) in corners.iter().zip(weights) {
        for axis in 0..3 {
            mean[axis] += weight * (corner[axis] - x[axis]);
        }
    }
    let distance = norm(mean);
    // A flat simplex has no such coordinates and is never the nearest.
    let distance = if distance.is_nan() {
        f64::INFINITY
    } else {
        distance
    };
    Place { weights, distance }
}

/// Barycentric coordinates of the point closest to x in the plane of the simplex.
///
/// Computed by Gram-Schmidt on the edges from the first corner: cells of a boundary layer are thin,
/// and normal equations would square their condition number.
fn barycentric(corners: &[Vec3], x: Vec3) -> [f64; 4] {
    let t = corners.len() - 1;
    let mut q = [[0.0; 3]; 3];
    let mut r = [[0.0; 3]; 3];
    for j in 0..t {
        q[j] = minus(corners[j + 1], corners[0]);
        for i in 0..j {
            r[i][j] = dot(q[i], q[j]);
            let along = q[i].map(|v| r[i][j] * v);
            q[j] = minus(q[j], along);
        }
        r[j][j] = norm(q[j]).max(f64::MIN_POSITIVE);
        q[j] = q[j].map(|v| v / r[j][j]);
    }
    let offset = minus(x, corners[0]);
    let mut weights = [0.0; 4];
    for j in (0..t).rev() {
        let above: f64 = (j + 1..t).map(|k| r[j][k] * weights[k + 1]).sum();
        weights[j + 1] = (dot(q[j], offset) - above) / r[j][j];
    }
    weights[0] = 1.0 - weights[1..].iter().sum::<f64>();
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_reproduce_a_point_inside() {
        let corners = [[0.0; 3], [2.0, 0.1, 0.0], [0.3, 1.0, 0.2], [0.1, 0.2, 3.0]];
        let place = place(&corners, [0.5, 0.3, 0.6]);
        assert!(place.distance < 1e-15);
        assert!(place.weights.iter().all(|w| *w > 0.0));
    }

    #[test]
    fn a_point_outside_keeps_weights_between_zero_and_one() {
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let place = place(&corners, [0.5, -2.0, 0.0]);
        assert!(place.weights.iter().all(|w| (0.0..=1.0).contains(w)));
        assert!((place.distance - 2.0).abs() < 0.1);
    }
}
