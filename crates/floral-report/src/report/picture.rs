//! A mesh as pixels: which points each pixel of a map shows.
//!
//! Triangles are filled by linear interpolation. Of a volume the surface is seen from above and one side,
//! the nearest triangle in front; points without cells are dots. Whatever the size of the mesh, a map has
//! as many pixels.

use floral::mesh::Mesh;

use crate::draw::SLENDEREST;

/// The root of the number of pixels.
const SIDE: f64 = 180.0;

/// From where a mesh in space is seen: degrees from its first axis towards the second, and above both.
const AZIMUTH: f64 = -60.0;
const ELEVATION: f64 = 30.0;

/// Dots are this share of the root of the area that a point has, and this share of the domain is left
/// free around them.
const DOT: f64 = 0.45;
const MARGIN: f64 = 0.03;

/// Up to three points and their shares.
type Pixel = [(u32, f32); 3];

/// A raster of a mesh.
#[derive(Debug, Clone)]
pub struct Picture {
    /// Pixels to the right, and upwards.
    pub columns: usize,
    /// The same upwards.
    pub rows: usize,
    /// The ends of the horizontal and of the vertical axis.
    pub ends: [[f64; 2]; 2],
    /// Whether it is a view of something in space, whose axes are no coordinates.
    pub is_projected: bool,
    /// Row by row upwards; none outside of the mesh.
    pixels: Vec<Option<Pixel>>,
}

/// Points as they are seen: to the right, upwards, towards the eye.
type Seen = [f64; 3];

impl Picture {
    /// Of a mesh in the plane or in space.
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
            // Room for whole dots.
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

    /// Height over width.
    pub fn aspect(&self) -> f64 {
        let [width, height] = self.ends.map(|[from, to]| to - from);
        height / width
    }

    /// The values of a field at all pixels, row by row upwards; not a number outside.
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

/// The ends of values; of a single one a little around it.
fn span(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| {
        [low.min(v), high.max(v)]
    });
    if high > low {
        return [low, high];
    }
    let around = 0.5 * low.abs().max(1.0);
    [low - around, low + around]
}

/// As seen from far away.
fn projected([x, y, z]: [f64; 3]) -> Seen {
    let [(sin, cos), (up, flat)] = [AZIMUTH, ELEVATION].map(|angle| angle.to_radians().sin_cos());
    let towards = cos * x + sin * y;
    [
        cos * y - sin * x,
        flat * z - up * towards,
        flat * towards + up * z,
    ]
}

/// Pixels with the nearest of what covers each.
struct Canvas {
    columns: usize,
    rows: usize,
    from: [f64; 2],
    /// Pixels a unit of length.
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

    /// A place in pixels; the centre of pixel i is at i + 1/2.
    fn place(&self, seen: Seen) -> [f64; 2] {
        [0, 1].map(|k| (seen[k] - self.from[k]) * self.scale[k])
    }

    /// The pixels whose centres lie between two places along an axis.
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

    /// A disc around a point, where no other point is nearer.
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

    /// Two triangles of a square of 2 x 1, without a third that would make it convex.
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
        // The corner at the far end, x = 0, y = 1, z = 0, is hidden.
        let hidden: Vec<f64> = (0..8).map(|i| f64::from(u8::from(i == 2))).collect();
        let shown: Vec<f64> = (0..8).map(|i| f64::from(u8::from(i == 5))).collect();
        let most = |field: &[f64]| picture.of(field).into_iter().fold(0.0, f64::max);
        assert!(most(&hidden) < 0.02 && most(&shown) > 0.9);
    }
}
