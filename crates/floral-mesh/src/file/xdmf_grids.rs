//! The grids of an XDMF file: single grids, and those of a collection over time.

use roxmltree::Node;

use crate::Error;
use crate::error::format;
use crate::file::arrays::shown;
use crate::file::xdmf_items::Items;

/// Deepest nesting of grids.
const DEEPEST: usize = 8;

/// The grids of a collection over time, or a single grid; there is at least one.
pub(crate) struct Series<'a, 'b> {
    pub(crate) steps: Vec<Node<'a, 'b>>,
}

impl<'a, 'b> Series<'a, 'b> {
    pub(crate) fn last(&self) -> Node<'a, 'b> {
        self.steps[self.steps.len() - 1]
    }

    /// Refuses a grid whose mesh differs from that of `other`.
    pub(crate) fn check_mesh(&self, grid: Node, other: Node, items: Items) -> Result<(), Error> {
        if grid == other {
            return Ok(());
        }
        let (own, known) = (parts(grid)?, parts(other)?);
        let pairs = [(own.0, known.0), (own.1, known.1)];
        for (own, known) in pairs {
            if own != known && numbers(own, items)? != numbers(known, items)? {
                return Err(format(
                    "the mesh differs between times; bring all fields to one mesh first",
                ));
            }
        }
        Ok(())
    }
}

/// All numbers below an element.
fn numbers(node: Node, items: Items) -> Result<Vec<Vec<f64>>, Error> {
    let each = named(node, "DataItem").map(|item| items.numbers(item));
    each.collect()
}

/// The collections over time, or otherwise the only grid.
pub(crate) fn series<'a, 'b>(domain: Node<'a, 'b>) -> Result<Vec<Series<'a, 'b>>, Error> {
    let over_time: Vec<Node> = named(domain, "Grid")
        .filter(|grid| is_over_time(*grid))
        .collect();
    let mut found = Vec::new();
    for collection in over_time {
        let steps = named(collection, "Grid").map(|grid| uniform(grid, 0));
        let steps: Vec<Node> = steps.collect::<Result<_, _>>()?;
        if !steps.is_empty() {
            found.push(Series { steps });
        }
    }
    if found.is_empty() {
        let steps = vec![single(domain, 0)?];
        found.push(Series { steps });
    }
    Ok(found)
}

fn is_over_time(grid: Node) -> bool {
    let is_attribute =
        |name: &str, value: &str| attribute(grid, &[name]).is_some_and(|own| is(own, value));
    is_attribute("GridType", "Collection") && is_attribute("CollectionType", "Temporal")
}

/// The only grid inside an element.
fn single<'a, 'b>(parent: Node<'a, 'b>, depth: usize) -> Result<Node<'a, 'b>, Error> {
    let grids: Vec<Node> = named(parent, "Grid").collect();
    match grids[..] {
        [one] => uniform(one, depth),
        [] => Err(format("has no Grid; export the mesh with its geometry")),
        [first, second, ..] => {
            let name = |grid: Node| shown(attribute(grid, &["Name"]).unwrap_or("unnamed"));
            Err(format(format!(
                "has the grids {} and {} side by side; merge them, or keep one",
                name(first),
                name(second)
            )))
        }
    }
}

/// A grid that has its own mesh: this one, or the only one inside it.
fn uniform<'a, 'b>(grid: Node<'a, 'b>, depth: usize) -> Result<Node<'a, 'b>, Error> {
    if depth > DEEPEST {
        return Err(format("has grids within grids without end; it is damaged"));
    }
    match attribute(grid, &["GridType"]).unwrap_or("Uniform") {
        kind if is(kind, "Uniform") => Ok(grid),
        kind if is(kind, "Collection") || is(kind, "Tree") => single(grid, depth + 1),
        kind => Err(format(format!(
            "has a grid of type {}, which is not supported; write it as Uniform",
            shown(kind)
        ))),
    }
}

/// Topology and geometry of a grid: its own, or those of a grid that it includes.
pub(crate) fn parts<'a, 'b>(grid: Node<'a, 'b>) -> Result<(Node<'a, 'b>, Node<'a, 'b>), Error> {
    let mut grid = grid;
    for _ in 0..DEEPEST {
        let own = |name| named(grid, name).next();
        if let (Some(topology), Some(geometry)) = (own("Topology"), own("Geometry")) {
            return Ok((topology, geometry));
        }
        let include = own("include").ok_or_else(|| {
            format("has a Grid without Topology or Geometry; export the mesh with its geometry")
        })?;
        grid = included(include)?;
    }
    Err(format(
        "has grids that include each other without end; it is damaged",
    ))
}

/// The grid of this file to whose topology and geometry an XInclude refers, in the form written by
/// FEniCS and meshio: `xpointer(//Grid[@Name="f"]/Grid[1]/*[self::Topology or self::Geometry])`.
fn included<'a, 'b>(include: Node<'a, 'b>) -> Result<Node<'a, 'b>, Error> {
    let refused = || {
        format(
            "includes another file, or a part of itself that is no mesh; write what it includes in its \
             place",
        )
    };
    if include
        .attribute("href")
        .is_some_and(|href| !href.trim().is_empty())
    {
        return Err(refused());
    }
    let pointer = include.attribute("xpointer").ok_or_else(refused)?;
    let inner = pointer.trim().strip_prefix("xpointer(//Grid[");
    let end = "/*[self::Topology or self::Geometry])";
    let inner = inner.and_then(|inner| inner.strip_suffix(end));
    let mut steps = inner.ok_or_else(refused)?.split("/Grid[");
    let mut step = || Some(steps.next()?.strip_suffix(']').unwrap_or_default());
    let name = step().and_then(quoted).ok_or_else(refused)?;
    let mut grids = include.document().descendants();
    let is_it = |grid: &Node| grid.has_tag_name("Grid") && grid.attribute("Name") == Some(name);
    let mut found = grids.find(is_it).ok_or_else(refused)?;
    while let Some(step) = step() {
        let mut inner = named(found, "Grid");
        let next = match (quoted(step), step.parse::<usize>()) {
            (Some(name), _) => inner.find(|grid| grid.attribute("Name") == Some(name)),
            (None, Ok(place)) => place.checked_sub(1).and_then(|place| inner.nth(place)),
            (None, Err(_)) => None,
        };
        found = next.ok_or_else(refused)?;
    }
    Ok(found)
}

/// The name in `@Name="f"`.
fn quoted(step: &str) -> Option<&str> {
    let value = step.strip_prefix("@Name=")?;
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value.strip_prefix(quote)?.strip_suffix(quote)
}

/// The child elements of this name, in any namespace.
pub(crate) fn named<'a, 'b>(
    parent: Node<'a, 'b>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'b>> {
    parent
        .children()
        .filter(move |child| child.tag_name().name() == name)
}

/// The first of these attributes that is present: versions 2 and 3 use different names.
pub(crate) fn attribute<'a>(node: Node<'a, '_>, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| node.attribute(*name))
}

/// Whether two words are equal, ignoring case.
pub(crate) fn is(word: &str, other: &str) -> bool {
    word.trim().eq_ignore_ascii_case(other)
}
