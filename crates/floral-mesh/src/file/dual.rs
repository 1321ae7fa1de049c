//! The mesh of the centres of faces, on which values of faces are exact.
//!
//! The centres around an inner node are a polygon of it. Half a face along the border lies outside.

use crate::CellKind::Triangle;
use crate::Error;
use crate::error::format;
use crate::file::polygon;
use crate::file::raw::Raw;
use crate::measure::{Vec3, dot};

/// Replaces the points by the centres of the faces, whose nodes they are, joined by triangles.
///
/// Where some face has no inner node, as in a row of faces, the centres are points without cells.
pub(crate) fn take(raw: &mut Raw, faces: &[Vec<usize>]) -> Result<(), Error> {
    let each = faces.iter().enumerate();
    let centres = each.map(|(face, nodes)| centre(&raw.points, face, nodes));
    raw.points = centres.collect::<Result<Vec<_>, _>>()?.concat();
    let triangles: Vec<[usize; 3]> = rings(faces)
        .filter_map(|ring| polygon::fan(&raw.points, &ring))
        .flatten()
        .collect();
    let mut is_joined = vec![false; faces.len()];
    triangles
        .iter()
        .flatten()
        .for_each(|&i| is_joined[i] = true);
    if is_joined.iter().all(|is_joined| *is_joined) {
        let cells = triangles.into_iter();
        cells.for_each(|triangle| raw.cells.push(Triangle, triangle));
        raw.note(
            "values of faces are taken at their centres, joined by triangles; half a face along the border \
             is left out of integrals",
        );
    } else {
        raw.note("values of faces are taken at their centres, as points without cells");
    }
    Ok(())
}

/// The centre of the area of a face.
fn centre(points: &[f64], face: usize, nodes: &[usize]) -> Result<Vec3, Error> {
    polygon::check(points, face, nodes)?;
    let at = |node: usize| [0, 1, 2].map(|axis| points[3 * node + axis]);
    let parts = || {
        nodes
            .windows(2)
            .skip(1)
            .map(|pair| [nodes[0], pair[0], pair[1]])
    };
    let whole = polygon::sum(parts().map(|part| polygon::normal(points, part)));
    let square = dot(whole, whole);
    if square.is_nan() || square <= 0.0 {
        return Err(format(format!("face {face} has no area; remove it")));
    }
    // A part that turns the other way, at a dent, counts negative.
    let moments = parts().map(|part| {
        let share = dot(polygon::normal(points, part), whole) / square;
        polygon::sum(part.map(at).into_iter()).map(|x| x * share / 3.0)
    });
    Ok(polygon::sum(moments))
}

/// The faces around each inner node, each beside the next.
fn rings(faces: &[Vec<usize>]) -> impl Iterator<Item = Vec<usize>> {
    let each = faces.iter().enumerate();
    let of = |(face, nodes): (usize, &Vec<usize>)| {
        nodes.iter().map(move |n| (*n, face)).collect::<Vec<_>>()
    };
    let mut incident: Vec<(usize, usize)> = each.flat_map(of).collect();
    incident.sort_unstable();
    let mut rest = incident;
    std::iter::from_fn(move || {
        let (node, _) = *rest.last()?;
        let first = rest.partition_point(|(own, _)| *own < node);
        let around: Vec<usize> = rest.drain(first..).map(|(_, face)| face).collect();
        Some(ring(faces, node, &around).unwrap_or_default())
    })
    .filter(|ring| !ring.is_empty())
}

/// Faces around a node in their order; none at the border.
fn ring(faces: &[Vec<usize>], node: usize, around: &[usize]) -> Option<Vec<usize>> {
    if !(3..=polygon::MOST_NODES).contains(&around.len()) {
        return None;
    }
    let sides = |face: usize| {
        let nodes = &faces[face];
        let at = nodes.iter().position(|n| *n == node)?;
        let before = nodes[(at + nodes.len() - 1) % nodes.len()];
        Some([before, nodes[(at + 1) % nodes.len()]])
    };
    let [first, mut side] = sides(around[0])?;
    let mut ring = vec![around[0]];
    while ring.len() < around.len() {
        let others = around.iter().filter(|face| !ring.contains(face));
        let found = others.map(|face| (*face, sides(*face)));
        let (next, [a, b]) = found
            .filter_map(|(face, sides)| Some((face, sides?)))
            .find(|(_, sides)| sides.contains(&side))?;
        ring.push(next);
        side = if a == side { b } else { a };
    }
    (side == first).then_some(ring)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quads of a square of `side` by `side` unit squares, each turned by another number of nodes.
    fn squares(side: usize) -> (Raw, Vec<Vec<usize>>) {
        let mut raw = Raw::default();
        let points = (0..=side).flat_map(|j| (0..=side).map(move |i| [i as f64, j as f64, 0.0]));
        raw.points = points.flatten().collect();
        let corner = |i: usize, j: usize| j * (side + 1) + i;
        let places = (0..side).flat_map(|j| (0..side).map(move |i| (i, j)));
        let faces = places.enumerate().map(|(turn, (i, j))| {
            let mut face = vec![
                corner(i, j),
                corner(i + 1, j),
                corner(i + 1, j + 1),
                corner(i, j + 1),
            ];
            face.rotate_left(turn % 4);
            if turn % 3 == 0 {
                face.reverse();
            }
            face
        });
        (raw, faces.collect())
    }

    #[test]
    fn centres_are_joined_across_every_inner_node() {
        let (mut raw, faces) = squares(4);
        take(&mut raw, &faces).unwrap();
        assert_eq!(raw.points[..6], [0.5, 0.5, 0.0, 1.5, 0.5, 0.0]);
        let mesh = raw.into_file().unwrap().mesh;
        assert_eq!((mesh.points().count(), mesh.cells()[0].count()), (16, 18));
        assert!((mesh.weights().iter().sum::<f64>() - 9.0).abs() < 1e-12);
    }

    #[test]
    fn a_row_of_faces_is_points_alone() {
        let (mut raw, faces) = squares(3);
        take(&mut raw, &faces[..3]).unwrap();
        let file = raw.into_file().unwrap();
        assert_eq!(
            (file.mesh.points().count(), file.mesh.cells().len()),
            (3, 0)
        );
        assert!(file.notes[0].contains("points without cells"));
    }

    #[test]
    fn the_centre_of_a_dented_face_is_that_of_its_area() {
        // A square of side 2 without its upper right quarter.
        let corners = [
            [0.0, 0.0],
            [2.0, 0.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [0.0, 2.0],
        ];
        let points: Vec<f64> = corners.iter().flat_map(|[x, y]| [*x, *y, 0.0]).collect();
        let found = centre(&points, 0, &[0, 1, 2, 3, 4, 5]).unwrap();
        assert!((found[0] - 2.5 / 3.0).abs() < 1e-12 && (found[1] - 2.5 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn faces_without_area_or_nodes_are_refused() {
        let (raw, _) = squares(2);
        let refusal = |nodes: &[usize]| centre(&raw.points, 7, nodes).unwrap_err().to_string();
        assert!(refusal(&[0, 1, 2]).contains("face 7 has no area"));
        assert!(refusal(&[0, 1, 99]).contains("face 7 has node 99, but there are 9 points"));
        assert!(refusal(&[0, 1]).contains("face 7 has 2 nodes"));
    }
}
