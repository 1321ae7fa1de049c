//! Interpolation of fields from one mesh to other points.

use crate::boxes::{Bounds, BoxTree};
use crate::fit::gradient_coefficients;
use crate::measure::{Vec3, minus};
use crate::points::corners;
use crate::simplex::{Place, Simplices, place};
use crate::tree::Tree;
use crate::weights::nearest_count;
use crate::{Error, Mesh, Points, Sparse};

/// A point counts as inside a simplex if its distance is at most this share of the simplex's size.
const INSIDE: f64 = 1e-9;

/// Number of nearest mesh points whose simplices are tried for a point outside.
const TRIED: usize = 8;

/// The interpolation of fields on a mesh to other points.
#[derive(Clone, Debug, PartialEq)]
pub struct Interpolation {
    /// Values on the mesh `[n]` to values at the points `[m]`: [m, n], rows sum to one.
    pub matrix: Sparse,
    /// Number of points outside the mesh.
    pub outside: usize,
    /// Largest distance between a point and the location on the mesh whose value it takes, in units
    /// of the coordinates.
    pub farthest: f64,
}

/// Linear interpolation from a mesh to points, exact for linear functions inside the mesh.
///
/// With cells, the interpolation is barycentric; quads and volume cells are split into simplices. A
/// point outside takes the value at a nearby location on the border, so that no value is
/// extrapolated; `outside` counts these points and `farthest` is their largest distance.
///
/// Without cells, a linear function is fitted to the nearest points, with weights 1 / distance^2. A
/// point is outside if it is farther from its nearest point than that point is from its neighbours;
/// it then takes the mean of the nearest points with the same weights.
///
/// # Errors
/// If the mesh and the points have different numbers of coordinates.
pub fn interpolation(from: &Mesh, to: &Points) -> Result<Interpolation, Error> {
    if from.points().dimension() != to.dimension() {
        return Err(Error::DimensionsDiffer {
            from: from.points().dimension(),
            to: to.dimension(),
        });
    }
    let rows: Vec<Row> = if from.cells().is_empty() {
        let cloud = Cloud::new(from);
        to.rows().iter().map(|&x| cloud.row(x)).collect()
    } else {
        let cells = Located::new(from);
        to.rows().iter().map(|&x| cells.row(x)).collect()
    };
    Ok(Interpolation {
        outside: rows.iter().filter(|row| row.outside).count(),
        farthest: rows.iter().map(|row| row.distance).fold(0.0, f64::max),
        matrix: Sparse::from_rows(from.points().count(), rows.into_iter().map(|r| r.entries)),
    })
}

/// One row of the matrix.
struct Row {
    entries: Vec<(usize, f64)>,
    outside: bool,
    distance: f64,
}

/// The simplices of a mesh, found by their boxes or by their corners.
struct Located<'a> {
    points: &'a Points,
    simplices: Simplices,
    boxes: BoxTree,
    tree: Tree,
    /// The simplices that have each point as a corner.
    at: Vec<Vec<u32>>,
}

impl<'a> Located<'a> {
    fn new(mesh: &'a Mesh) -> Self {
        let points = mesh.points();
        let simplices = Simplices::new(mesh);
        let bounds = |nodes| Bounds::of(&corners(points, nodes)).inflated(INSIDE);
        let boxes = BoxTree::new(simplices.iter().map(bounds).collect());
        let mut at = vec![Vec::new(); points.count()];
        for (i, nodes) in simplices.iter().enumerate() {
            nodes.iter().for_each(|&node| at[node].push(i as u32));
        }
        let tree = Tree::new(points);
        Self {
            points,
            simplices,
            boxes,
            tree,
            at,
        }
    }

    fn row(&self, x: Vec3) -> Row {
        let inside = self.boxes.containing(x).find_map(|simplex| {
            let place = self.place(simplex, x);
            (place.distance <= INSIDE * self.size(simplex)).then(|| self.found(simplex, &place))
        });
        inside.unwrap_or_else(|| self.beyond(x))
    }

    /// The nearest location to a point outside, among the simplices at the nearest points.
    fn beyond(&self, x: Vec3) -> Row {
        let near = self.tree.nearest(x, TRIED);
        let nearest = near
            .iter()
            .flat_map(|n| &self.at[n.point])
            .map(|&simplex| (simplex as usize, self.place(simplex as usize, x)))
            .min_by(|a, b| a.1.distance.total_cmp(&b.1.distance));
        match nearest {
            // The clamped location on a thin simplex can be farther away than a mesh point.
            Some((simplex, place)) if place.distance <= near[0].distance => Row {
                outside: true,
                distance: place.distance,
                ..self.found(simplex, &place)
            },
            _ => Row {
                entries: vec![(near[0].point, 1.0)],
                outside: true,
                distance: near[0].distance,
            },
        }
    }

    fn place(&self, simplex: usize, x: Vec3) -> Place {
        place(&corners(self.points, self.simplices.get(simplex)), x)
    }

    fn size(&self, simplex: usize) -> f64 {
        let bounds = Bounds::of(&corners(self.points, self.simplices.get(simplex)));
        (0..3)
            .map(|a| bounds.high[a] - bounds.low[a])
            .fold(0.0, f64::max)
    }

    fn found(&self, simplex: usize, place: &Place) -> Row {
        let nodes = self.simplices.get(simplex).iter().copied();
        let entries = nodes.zip(place.weights).filter(|(_, w)| *w > 0.0).collect();
        Row {
            entries,
            outside: false,
            distance: 0.0,
        }
    }
}

/// A mesh without cells.
struct Cloud<'a> {
    mesh: &'a Mesh,
    tree: Tree,
    nearest: usize,
}

impl<'a> Cloud<'a> {
    fn new(mesh: &'a Mesh) -> Self {
        let tree = Tree::new(mesh.points());
        let nearest = nearest_count(mesh.points().dimension()) + 1;
        Self {
            mesh,
            tree,
            nearest,
        }
    }

    fn row(&self, x: Vec3) -> Row {
        let near = self.tree.nearest_with_ties(x, self.nearest);
        let closest = near[0];
        let own = self
            .tree
            .nearest(self.mesh.points().rows()[closest.point], self.nearest);
        let spacing = own.last().map_or(0.0, |n| n.distance);
        if closest.distance <= INSIDE * spacing {
            let entries = vec![(closest.point, 1.0)];
            return Row {
                entries,
                outside: false,
                distance: 0.0,
            };
        }
        let weights: Vec<f64> = near
            .iter()
            .map(|n| (closest.distance / n.distance).powi(2))
            .collect();
        let sum: f64 = weights.iter().sum();
        let mean = near.iter().zip(&weights).map(|(n, w)| (n.point, w / sum));
        let mut entries: Vec<(usize, f64)> = mean.collect();
        let outside = closest.distance > spacing;
        if !outside {
            self.add_slope(&mut entries, x);
        }
        let distance = if outside { closest.distance } else { 0.0 };
        Row {
            entries,
            outside,
            distance,
        }
    }

    /// Extends the weighted mean of the points to x along the fitted gradient.
    fn add_slope(&self, entries: &mut [(usize, f64)], x: Vec3) {
        let rows = self.mesh.points().rows();
        let mut mean = [0.0; 3];
        for &(point, weight) in entries.iter() {
            // Relative to x: far from the origin, digits would cancel.
            let e = minus(rows[point], x);
            (0..3).for_each(|axis| mean[axis] += weight * e[axis]);
        }
        let offsets: Vec<_> = entries
            .iter()
            .map(|e| minus(minus(rows[e.0], x), mean))
            .collect();
        let weights: Vec<_> = entries.iter().map(|e| e.1).collect();
        let slopes = gradient_coefficients(&offsets, &weights, self.mesh.dimension());
        for (entry, slope) in entries.iter_mut().zip(slopes) {
            entry.1 -= (0..3).map(|axis| slope[axis] * mean[axis]).sum::<f64>();
        }
    }
}
