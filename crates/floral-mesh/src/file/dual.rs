//! The dual mesh of face centres, on which values of faces are exact.
//!
//! The centres of the faces around a node form a polygon, also for a node on the border if it has
//! three faces or more. A strip of about half a face along the border lies outside.

use crate::CellKind::Triangle;
use crate::Error;
use crate::error::format;
use crate::file::polygon;
use crate::file::raw::Raw;
use crate::measure::{Vec3, dot};

/// Replaces the points by the centres of the faces and joins them by triangles. `faces` holds the
/// nodes of each face.
///
/// If some face shares no node with two others, as in a single row of faces, the centres become
/// points without cells.
pub(crate) fn take(raw: &mut Raw, faces: &[Vec<usize>]) -> Result<(), Error> {
    let each = faces.iter().enumerate();
    let centres = each.map(|(face, nodes)| centre(&raw.points, face, nodes));
    let centres = centres.collect::<Result<Vec<_>, _>>()?.concat();
    let nodes = std::mem::replace(&mut raw.points, centres);
    let triangles: Vec<[usize; 3]> = around_nodes(faces)
        .filter_map(|(node, around)| triangles(&nodes, &raw.points, faces, node, &around))
        .flatten()
        .collect();
    let mut is_joined = vec![false; faces.len()];
    triangles
        .iter()
        .flatten()
        .for_each(|&i| is_joined[i] = true);
    let alone = is_joined.iter().filter(|is_joined| !**is_joined).count();
    if alone == 0 {
        let cells = triangles.into_iter();
        cells.for_each(|triangle| raw.cells.push(Triangle, triangle));
        raw.note(
            "values of faces are taken at their centres, joined by triangles; about half a face along the \
             border is left out of integrals",
        );
    } else {
        raw.note(format!(
            "values of faces are taken at their centres, as points without cells: {alone} of them have no \
             neighbours to be joined with"
        ));
    }
    Ok(())
}

/// The centroid of a face.
fn centre(points: &[f64], face: usize, nodes: &[usize]) -> Result<Vec3, Error> {
    polygon::check(points, face, nodes)?;
    let at = |node: usize| [0, 1, 2].map(|axis| points[3 * node + axis]);
    let parts = nodes.windows(2).skip(1);
    let parts = parts.map(|pair| [nodes[0], pair[0], pair[1]]);
    let whole = normal(points, nodes);
    let square = dot(whole, whole);
    if square.is_nan() || square <= 0.0 {
        return Err(format(format!("face {face} has no area; remove it")));
    }
    // A triangle of opposite orientation, at a dent, counts negative.
    let moments = parts.map(|part| {
        let share = dot(polygon::normal(points, part), whole) / square;
        polygon::sum(part.map(at).into_iter()).map(|x| x * share / 3.0)
    });
    Ok(polygon::sum(moments))
}

/// The faces around every node, in no particular order.
fn around_nodes(faces: &[Vec<usize>]) -> impl Iterator<Item = (usize, Vec<usize>)> {
    let each = faces.iter().enumerate();
    let pairs = each.flat_map(|(face, nodes)| nodes.iter().map(move |node| (*node, face)));
    let mut rest: Vec<(usize, usize)> = pairs.collect();
    rest.sort_unstable();
    std::iter::from_fn(move || {
        let (node, _) = *rest.last()?;
        let first = rest.partition_point(|(own, _)| *own < node);
        Some((node, rest.drain(first..).map(|(_, face)| face).collect()))
    })
}

/// Triangles of the polygon of centres around a node, if there is one.
fn triangles(
    nodes: &[f64],
    centres: &[f64],
    faces: &[Vec<usize>],
    node: usize,
    around: &[usize],
) -> Option<Vec<[usize; 3]>> {
    let (mut ring, is_closed) = ring(faces, node, around)?;
    // Oriented like the first of the faces.
    if dot(normal(centres, &ring), normal(nodes, &faces[ring[0]])) < 0.0 {
        ring.reverse();
    }
    let fan = polygon::fan(centres, &ring)?;
    // Around a node on the border, the polygon may lie on the other side of the centres.
    let at = |place: usize| [0, 1, 2].map(|axis| centres[3 * place + axis]);
    let own = [0, 1, 2].map(|axis| nodes[3 * node + axis]);
    let star = ring.windows(2).map(|pair| {
        let corners = [own, at(pair[0]), at(pair[1])].concat();
        polygon::normal(&corners, [0, 1, 2])
    });
    let is_inside = dot(normal(centres, &ring), polygon::sum(star)) > 0.0;
    (is_closed || is_inside).then_some(fan)
}

/// The normal of a polygon, with twice its area as length.
fn normal(points: &[f64], nodes: &[usize]) -> Vec3 {
    let parts = nodes.windows(2).skip(1);
    polygon::sum(parts.map(|pair| polygon::normal(points, [nodes[0], pair[0], pair[1]])))
}

/// The faces around a node, each next to the following one, and whether they close around it.
fn ring(faces: &[Vec<usize>], node: usize, around: &[usize]) -> Option<(Vec<usize>, bool)> {
    if !(3..=polygon::MOST_NODES).contains(&around.len()) {
        return None;
    }
    // For each face, its two nodes next to this node.
    let sides = |face: &usize| {
        let nodes = &faces[*face];
        let at = nodes.iter().position(|n| *n == node)?;
        let before = nodes[(at + nodes.len() - 1) % nodes.len()];
        Some([before, nodes[(at + 1) % nodes.len()]])
    };
    let all: Vec<[usize; 2]> = around.iter().map(sides).collect::<Option<_>>()?;
    let count = |side: usize| all.iter().filter(|own| own.contains(&side)).count();
    let is_end = |own: &[usize; 2]| own.iter().any(|side| count(*side) == 1);
    let first = all.iter().position(is_end);
    let [a, b] = all[first.unwrap_or(0)];
    let mut side = if first.is_some() && count(b) == 1 {
        a
    } else {
        b
    };
    let mut order = vec![first.unwrap_or(0)];
    while order.len() < all.len() {
        let is_next = |i: &usize| !order.contains(i) && all[*i].contains(&side);
        let next = (0..all.len()).find(is_next)?;
        let [a, b] = all[next];
        side = if a == side { b } else { a };
        order.push(next);
    }
    let ring = order.iter().map(|i| around[*i]).collect();
    Some((ring, first.is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quads of a square of `side` by `side` unit squares, whose node lists start at different
    /// corners.
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
    fn triangles_in_corners_are_joined_too() {
        let (mut raw, quads) = squares(4);
        let halves = quads.iter().map(|quad| {
            let mut quad = quad.clone();
            quad.sort_unstable();
            [[quad[0], quad[1], quad[3]], [quad[0], quad[3], quad[2]]]
        });
        let faces: Vec<Vec<usize>> = halves.flatten().map(|face| face.to_vec()).collect();
        take(&mut raw, &faces).unwrap();
        let mesh = raw.into_file().unwrap().mesh;
        assert_eq!((mesh.points().count(), mesh.reoriented()), (32, 0));
        let covered: f64 = mesh.weights().iter().sum();
        assert!((10.0..16.0).contains(&covered), "{covered}");
    }

    #[test]
    fn a_row_of_faces_is_points_alone() {
        let (mut raw, faces) = squares(3);
        take(&mut raw, &faces[..3]).unwrap();
        let file = raw.into_file().unwrap();
        // Centres on a line are joined along it, like points without cells.
        let is_face = file.mesh.cells().iter().any(|own| own.kind() == Triangle);
        assert!(file.mesh.points().count() == 3 && !is_face);
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
