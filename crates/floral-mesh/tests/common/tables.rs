//! Arrays in memory, like those listed by the reader of a NetCDF file.
#![allow(dead_code, reason = "every test file takes what it needs")]

use std::collections::BTreeMap;
use std::ops::Range;

use floral_mesh::{Arrays, Attribute, Dimension, Error, Mesh, Variable};

/// Named arrays with their values.
#[derive(Clone, Default)]
pub struct Tables {
    pub variables: Vec<Variable>,
    pub values: Vec<Vec<f64>>,
    pub texts: BTreeMap<String, Vec<String>>,
}

impl Tables {
    /// Adds an array with these dimensions and text attributes.
    pub fn add(
        &mut self,
        name: &str,
        dimensions: &[(&str, usize)],
        attributes: &[(&str, &str)],
        values: Vec<f64>,
    ) -> &mut Variable {
        let dimension = |(name, length): &(&str, usize)| Dimension {
            name: (*name).to_owned(),
            length: *length,
        };
        let attribute =
            |(name, text): &(&str, &str)| ((*name).to_owned(), Attribute::Text((*text).to_owned()));
        self.values.push(values);
        self.variables.push(Variable {
            name: name.to_owned(),
            dimensions: dimensions.iter().map(dimension).collect(),
            attributes: attributes.iter().map(attribute).collect(),
        });
        self.variables.last_mut().expect("one was added")
    }

    /// The values of an array.
    pub fn of(&mut self, name: &str) -> &mut Vec<f64> {
        let at = self.variables.iter().position(|own| own.name == name);
        &mut self.values[at.expect("the array is there")]
    }
}

impl Arrays for Tables {
    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn read(&self, variable: usize, ranges: &[Range<usize>]) -> Result<Vec<f64>, Error> {
        let lengths: Vec<usize> = self.variables[variable]
            .dimensions
            .iter()
            .map(|own| own.length)
            .collect();
        assert_eq!(ranges.len(), lengths.len());
        let mut places = vec![0];
        for (range, length) in ranges.iter().zip(&lengths) {
            assert!(range.end <= *length, "{range:?} of {length}");
            let inner = |place: &usize| {
                let place = *place;
                range.clone().map(move |i| place * length + i)
            };
            places = places.iter().flat_map(inner).collect();
        }
        Ok(places
            .into_iter()
            .map(|place| self.values[variable][place])
            .collect())
    }

    fn texts(&self, name: &str) -> Vec<String> {
        self.texts.get(name).cloned().unwrap_or_default()
    }
}

fn coordinates(mesh: &Mesh, axis: usize) -> Vec<f64> {
    mesh.points().rows().iter().map(|row| row[axis]).collect()
}

/// A mesh in UGRID form, with cells of one kind, and u [time, node] at three times.
pub fn ugrid(mesh: &Mesh, start: f64) -> Tables {
    let (n, block) = (mesh.points().count(), &mesh.cells()[0]);
    let place = ["edge", "face", "volume"][block.kind().dimension() - 1];
    let names = ["node_x", "node_y", "node_z"];
    let mut tables = Tables::default();
    let list = names[..mesh.points().dimension()].join(" ");
    let connectivity = format!("{place}_node_connectivity");
    let topology = [
        ("cf_role", "mesh_topology"),
        ("node_coordinates", list.as_str()),
        (connectivity.as_str(), "corners"),
    ];
    let own = tables.add("mesh", &[], &topology, vec![0.0]);
    let dimension = Attribute::Numbers(vec![block.kind().dimension() as f64]);
    own.attributes
        .insert("topology_dimension".into(), dimension);
    for (axis, name) in names[..mesh.points().dimension()].iter().enumerate() {
        tables.add(name, &[("node", n)], &[], coordinates(mesh, axis));
    }
    let nodes = block.nodes().iter().map(|node| *node as f64 + start);
    let shape = [("cell", block.count()), ("corner", block.kind().nodes())];
    let own = tables.add("corners", &shape, &[], nodes.collect());
    own.attributes
        .insert("start_index".into(), Attribute::Numbers(vec![start]));
    let located = [("mesh", "mesh"), ("location", "node")];
    tables.add("u", &[("time", 3), ("node", n)], &located, times(mesh));
    tables.add("load", &[], &[], vec![2.5]);
    tables
}

/// A mesh in Exodus form, with one block of elements per kind, and u [time, node] at three times.
pub fn exodus(mesh: &Mesh) -> Tables {
    let n = mesh.points().count();
    let mut tables = Tables::default();
    for axis in 0..mesh.points().dimension() {
        let name = ["coordx", "coordy", "coordz"][axis];
        tables.add(name, &[("num_nodes", n)], &[], coordinates(mesh, axis));
    }
    for (i, block) in mesh.cells().iter().enumerate() {
        let kind = [
            "BAR2", "TRI3", "QUAD4", "TETRA4", "HEX8", "WEDGE6", "PYRAMID5",
        ];
        let position = floral_mesh::CellKind::ALL
            .iter()
            .position(|own| *own == block.kind());
        let kind = kind[position.expect("a kind")];
        let nodes = block.nodes().iter().map(|node| *node as f64 + 1.0);
        let shape = [("elements", block.count()), ("nodes", block.kind().nodes())];
        let name = format!("connect{}", i + 1);
        tables.add(&name, &shape, &[("elem_type", kind)], nodes.collect());
    }
    let shape = [("time_step", 3), ("num_nodes", n)];
    tables.add("vals_nod_var1", &shape, &[], times(mesh));
    tables
        .texts
        .insert("name_nod_var".into(), vec!["u\0\0".into()]);
    let shape = [("time_step", 3), ("num_glo_var", 1)];
    tables.add("vals_glo_var", &shape, &[], vec![0.5, 1.5, 2.5]);
    tables
        .texts
        .insert("name_glo_var".into(), vec!["load".into()]);
    tables
}

/// A mesh in XDMF with inline numbers, and u at three times. Several kinds give a mixed topology.
pub fn xdmf(mesh: &Mesh) -> String {
    let words =
        |values: &[f64]| -> String { values.iter().map(|value| format!("{value:?} ")).collect() };
    let mut mixed = Vec::new();
    for block in mesh.cells() {
        let position = floral_mesh::CellKind::ALL
            .iter()
            .position(|own| *own == block.kind());
        let number = [2.0, 4.0, 5.0, 6.0, 9.0, 8.0, 7.0][position.expect("a kind")];
        for nodes in block.iter() {
            mixed.push(number);
            if number == 2.0 {
                mixed.push(2.0);
            }
            mixed.extend(nodes.iter().map(|node| *node as f64));
        }
    }
    let d = mesh.points().dimension();
    let n = mesh.points().count();
    let body = format!(
        "<Topology TopologyType=\"Mixed\"><DataItem Dimensions=\"{}\">{}</DataItem></Topology>\
         <Geometry GeometryType=\"{}\"><DataItem Dimensions=\"{n} {d}\">{}</DataItem></Geometry>",
        mixed.len(),
        words(&mixed),
        &"XYZ"[..d],
        words(&mesh.points().coordinates()),
    );
    let step = |time: usize| {
        let u = words(&times(mesh)[time * n..][..n]);
        let include = "<xi:include xpointer=\"xpointer(//Grid[@Name='all']/Grid[1]/*[self::Topology or \
                       self::Geometry])\"/>";
        format!(
            "<Grid Name=\"u\">{}<Attribute Name=\"u\" Center=\"Node\"><DataItem Dimensions=\"{n}\">{u}\
             </DataItem></Attribute></Grid>",
            if time == 0 { body.as_str() } else { include }
        )
    };
    let steps: String = (0..3).map(step).collect();
    format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n\
         <Xdmf xmlns:xi=\"http://www.w3.org/2001/XInclude\"><Domain><Information Name=\"load\" Value=\"2.5\"/>\
         <Grid Name=\"all\" GridType=\"Collection\" CollectionType=\"Temporal\">{steps}</Grid></Domain></Xdmf>"
    )
}

/// u at three times, one after another: 1, 2 and 3 times the linear field.
pub fn times(mesh: &Mesh) -> Vec<f64> {
    let rows = mesh.points().rows();
    (1..4)
        .flat_map(|time| rows.iter().map(move |x| f64::from(time) * super::linear(x)))
        .collect()
}
