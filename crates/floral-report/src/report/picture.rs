//! A mesh as pixels: the mesh points that each pixel of a map shows.
//!
//! Triangles are filled by linear interpolation. A volume is shown by its surface, seen from above
//! and one side, with hidden triangles removed. Points without cells are drawn as dots. A map has
//! the same number of pixels for any size of the mesh.

use floral::mesh::Mesh;

use crate::draw::{SLENDEREST, extremes};

/// The square root of the number of pixels.
const SIDE: f64 = 180.0;

/// The direction from which a mesh in space is seen, in degrees: from its first axis towards the
/// second, and above their plane.
const AZIMUTH: f64 = -60.0;
const ELEVATION: f64 = 30.0;

/// The radius of dots as a fraction of the square root of the area per point, and the margin around
/// them as a fraction of the domain.
const DOT: f64 = 0.45;
const MARGIN: f64 = 0.03;

/// Up to three points with their weights.
type Pixel = [(u32, f32); 3];

/// A raster of a mesh.
#[derive(Debug, Clone)]
pub struct Picture {
    /// Number of pixels to the right.
    pub columns: usize,
    /// Number of pixels upwards.
    pub rows: usize,
    /// The ends of the horizontal and the vertical axis.
    pub ends: [[f64; 2]; 2],
    /// Whether the picture is a view of a body in space, whose axes are not coordinates.
    pub is_projected: bool,
    /// Pixels row by row upwards; `None` outside the mesh.
    pixels: Vec<Option<Pixel>>,
}

/// A point as seen: coordinates to the right, upwards, and towards the eye.
type Seen = [f64; 3];

impl Picture {
    /// The picture of a mesh in the plane or in space.
    pub fn new(mesh: &Mesh) -> Self {
        let is_projected = mesh.points().dimension() == 3;
        let view = |point: &[f64; 3]| match is_projected {
            true => projected(*point),
            false => *point,
        };
        let seen: Vec<Seen> = mesh.points().rows().iter().map(view).collect();
        let triangles = mesh.surface().triangles;
        let ends = [0, 1].map(|axis| {
            let [from, to] = span(seen.iter().map(|place| place[axis]));
            // Leave room for whole dots.
            let room = if triangles.is_empty() { MARGIN } else { 0.0 } * (to - from);
            [from - room, to + room]
        });
        let [width, height] = ends.map(|[from, to]| to - from);
        let aspect = (height / width).clamp(1.0 / SLENDEREST, SLENDEREST);
        let [columns, rows] = [SIDE / aspect.sqrt(), SIDE * aspect.sqrt()];
        let mut picture = Self {
            columns: columns.round().max(1.0) as usize,
            rows: rows.round().max(1.0) as usize,
            ends,
            is_projected,
            pixels: Vec::new(),
        };
        let mut canvas = Canvas::new(&picture);
        for corners in &triangles {
            canvas.triangle(corners, corners.map(|point| seen[point]));
        }
        if triangles.is_empty() {
            let radius = DOT * (SIDE * SIDE / seen.len() as f64).sqrt();
            for (point, place) in seen.iter().enumerate() {
                canvas.dot(point, *place, radius.clamp(0.7, 0.1 * SIDE));
            }
        }
        picture.pixels = canvas.pixels;
        picture
    }

    /// Height divided by width.
    pub fn aspect(&self) -> f64 {
        let [width, height] = self.ends.map(|[from, to]| to - from);
        height / width
    }

    /// The values of a field at all pixels, row by row upwards; NaN outside the mesh.
    pub fn of(&self, field: &[f64]) -> Vec<f64> {
        let value = |pixel: &Option<Pixel>| {
            let parts = pixel.as_ref().map(|pixel| {
                let parts = pixel.iter().filter(|(_, share)| *share != 0.0);
                parts.map(|(point, share)| field[*point as usize] * f64::from(*share))
            });
            parts.map_or(f64::NAN, Iterator::sum)
        };
        self.pixels.iter().map(value).collect()
    }
}

/// The smallest and largest value, or an interval around a single value.
fn span(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let [low, high] = extremes(values).unwrap_or_default();
    if high > low {
        return [low, high];
    }
    let around = 0.5 * low.abs().max(1.0);
    [low - around, low + around]
}

/// A parallel projection: the view from far away.
fn projected([x, y, z]: [f64; 3]) -> Seen {
    let [(sin, cos), (up, flat)] = [AZIMUTH, ELEVATION].map(|angle| angle.to_radians().sin_cos());
    let towards = cos * x + sin * y;
    [
        cos * y - sin * x,
        flat * z - up * towards,
        flat * towards + up * z,
    ]
}

/// Pixels, each with the nearest object that covers it.
struct Canvas {
    columns: usize,
    rows: usize,
    from: [f64; 2],
    /// Pixels per unit of length.
    scale: [f64; 2],
    depths: Vec<f64>,
    pixels: Vec<Option<Pixel>>,
}

impl Canvas {
    fn new(picture: &Picture) -> Self {
        let [columns, rows] = [picture.columns, picture.rows];
        let [width, height] = picture.ends.map(|[from, to]| to - from);
        Self {
            columns,
            rows,
            from: picture.ends.map(|[from, _]| from),
            scale: [columns as f64 / width, rows as f64 / height],
            depths: vec![f64::NEG_INFINITY; columns * rows],
            pixels: vec![None; columns * rows],
        }
    }

    /// A position in pixels; the centre of pixel i is at i + 1/2.
    fn place(&self, seen: Seen) -> [f64; 2] {
        [0, 1].map(|k| (seen[k] - self.from[k]) * self.scale[k])
    }

    /// The pixels whose centres lie between two positions along an axis.
    fn between(&self, axis: usize, from: f64, to: f64) -> std::ops::Range<usize> {
        let count = if axis == 0 { self.columns } else { self.rows };
        let first = (from - 0.5).ceil().clamp(0.0, count as f64) as usize;
        let last = (to - 0.5).floor() + 1.0;
        first..(last.clamp(0.0, count as f64) as usize).max(first)
    }

    fn put(&mut self, at: usize, depth: f64, pixel: Pixel) {
        if depth >= self.depths[at] {
            self.depths[at] = depth;
            self.pixels[at] = Some(pixel);
        }
    }

    fn triangle(&mut self, corners: &[usize; 3], seen: [Seen; 3]) {
        let [a, b, c] = seen.map(|place| self.place(place));
        let across = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| {
            (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        };
        let area = across(a, b, c);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let ends = |k: usize| span([a[k], b[k], c[k]].into_iter());
        let [[left, right], [low, high]] = [ends(0), ends(1)];
        for row in self.between(1, low, high) {
            for column in self.between(0, left, right) {
                let p = [column as f64 + 0.5, row as f64 + 0.5];
                let shares = [across(b, c, p), across(c, a, p), across(a, b, p)];
                let shares = shares.map(|part| part / area);
                if shares.iter().all(|share| *share >= -1e-6) {
                    let depth = (0..3).map(|k| shares[k] * seen[k][2]).sum();
                    let pixel = std::array::from_fn(|k| (corners[k] as u32, shares[k] as f32));
                    self.put(row * self.columns + column, depth, pixel);
                }
            }
        }
    }

    /// Draws a disc around a point, except where another point is nearer.
    fn dot(&mut self, point: usize, seen: Seen, radius: f64) {
        let [x, y] = self.place(seen);
        for row in self.between(1, y - radius, y + radius) {
            for column in self.between(0, x - radius, x + radius) {
                let square = (column as f64 + 0.5 - x).powi(2) + (row as f64 + 0.5 - y).powi(2);
                if square <= radius * radius {
                    let pixel = [(point as u32, 1.0), (0, 0.0), (0, 0.0)];
                    self.put(row * self.columns + column, seen[2] - 1e-9 * square, pixel);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use floral::mesh::{CellKind, Cells, Points};

    use super::*;

    /// A rectangle of 2 x 1 with these triangles.
    fn mesh(cells: &[usize]) -> Mesh {
        let points = Points::new(&[0.0, 0.0, 2.0, 0.0, 2.0, 1.0, 0.0, 1.0], 2).unwrap();
        let cells = match cells {
            [] => Vec::new(),
            nodes => vec![Cells::new(CellKind::Triangle, nodes.to_vec()).unwrap()],
        };
        Mesh::new(points, cells).unwrap()
    }

    #[test]
    fn a_linear_field_is_drawn_exactly_and_fills_the_square() {
        let picture = Picture::new(&mesh(&[0, 1, 2, 0, 2, 3]));
        assert!((picture.aspect() - 0.5).abs() < 1e-12);
        let drawn = picture.of(&[0.0, 2.0, 5.0, 3.0]);
        for (at, value) in drawn.iter().enumerate() {
            let x = 2.0 * ((at % picture.columns) as f64 + 0.5) / picture.columns as f64;
            let y = ((at / picture.columns) as f64 + 0.5) / picture.rows as f64;
            assert!((value - (x + 3.0 * y)).abs() < 1e-5, "{x} {y}: {value}");
        }
    }

    #[test]
    fn points_without_cells_are_dots_of_one_value_on_an_empty_ground() {
        let drawn = Picture::new(&mesh(&[])).of(&[1.0, 2.0, 3.0, 4.0]);
        let known: Vec<f64> = drawn.iter().copied().filter(|v| !v.is_nan()).collect();
        assert!(known.len() < drawn.len() / 2 && !known.is_empty());
        for value in [1.0, 2.0, 3.0, 4.0] {
            assert!(known.contains(&value));
        }
    }

    #[test]
    fn of_a_body_the_faces_in_front_are_seen() {
        let corner = |i: usize| [(i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64];
        let all: Vec<f64> = (0..8).flat_map(corner).collect();
        let points = Points::new(&all, 3).unwrap();
        let nodes = vec![0, 1, 3, 2, 4, 5, 7, 6];
        let cells = Cells::new(CellKind::Hexahedron, nodes).unwrap();
        let picture = Picture::new(&Mesh::new(points, vec![cells]).unwrap());
        // The farthest corner, x = 0, y = 1, z = 0, is hidden.
        let hidden: Vec<f64> = (0..8).map(|i| f64::from(u8::from(i == 2))).collect();
        let shown: Vec<f64> = (0..8).map(|i| f64::from(u8::from(i == 5))).collect();
        let most = |field: &[f64]| picture.of(field).into_iter().fold(0.0, f64::max);
        assert!(most(&hidden) < 0.02 && most(&shown) > 0.9);
    }
}
