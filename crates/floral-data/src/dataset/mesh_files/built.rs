//! A dataset under construction, from mesh files read one after another.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use floral_mesh::MeshFile;

use super::low_files::{LowFiles, LowMesh, Outside};
use super::point_data::{advice_on_cells, array, components, names_of, numbers, quantities};
use super::table::Table;
use super::{MeshOptions, read_mesh};
use crate::dataset::import::Pick;
use crate::dataset::{Arrays, parameters};
use crate::{Error, Field, Grid, Quantity, Result, counted};

/// The inputs read so far, and the current one.
pub(super) struct Built {
    first: PathBuf,
    mesh: floral_mesh::Mesh,
    /// Units of the fields, by name.
    units: BTreeMap<String, String>,
    /// Numbers of components of solution and input in the first file, by name.
    components: BTreeMap<String, usize>,
    grid: Grid,
    names: Names,
    pub(super) arrays: Arrays,
    current: Option<Current>,
    /// The mesh of low fidelity read last, if it has separate files.
    low: Option<LowMesh>,
    /// Points outside the meshes of low fidelity.
    pub(super) outside: Outside,
}

/// Names of point data and parameters.
struct Names {
    high: Vec<Pick>,
    input: Vec<Pick>,
    low: Vec<Pick>,
    /// Whether low fidelity has separate files.
    low_file: bool,
    parameters: Vec<String>,
}

struct Current {
    input: Field,
    low: Option<Field>,
    parameters: Vec<f64>,
    high: Vec<Field>,
}

impl Built {
    pub(super) fn new(
        path: &Path,
        file: &MeshFile,
        options: &MeshOptions,
        table: Option<&Table>,
    ) -> Result<Self> {
        let high = solution(path, file, options)?;
        let parameters = parameter_names(file, table);
        if parameters.is_empty() && options.input.is_empty() {
            return Err(Error::bad_file(
                path,
                "has no field data with one number, which would be a parameter of the input; give \
                 --parameters FILE.csv, or point data with --input",
            ));
        }
        // A separate file of low fidelity uses the same names unless others are given.
        let low = match (&options.low_pattern, &options.low[..]) {
            (Some(_), []) => high.clone(),
            _ => options.low.clone(),
        };
        let names = Names {
            high,
            input: options.input.clone(),
            low,
            low_file: options.low_pattern.is_some(),
            parameters,
        };
        let mut grid = Grid::on_mesh(file.mesh.clone());
        grid.axes[0].units = file.length.clone();
        let mut kept = BTreeMap::new();
        for pick in names.high.iter().chain(&names.input) {
            let own = components(array(path, file, pick)?, file.mesh.points().dimension());
            kept.insert(pick.to_string(), own);
        }
        let of = |picks: &[Pick]| -> Result<Vec<Quantity>> {
            let mut all = Vec::new();
            for pick in picks {
                all.extend(quantities(&pick.name, array(path, file, pick)?, file));
            }
            Ok(all)
        };
        let mut input = of(&names.input)?;
        input.extend(names.parameters.iter().map(|name| {
            Quantity {
                units: file.units.get(name).cloned().filter(|_| table.is_none()),
                ..Quantity::named(name)
            }
            .as_parameter()
        }));
        let arrays = Arrays::new(grid.clone()).quantities(input, of(&names.high)?);
        Ok(Self {
            first: path.to_owned(),
            mesh: file.mesh.clone(),
            units: file.units.clone(),
            components: kept,
            grid,
            names,
            arrays,
            current: None,
            low: None,
            outside: Outside::default(),
        })
    }

    /// Refuses a file whose mesh or units differ from those of the first file.
    pub(super) fn check(&self, path: &Path, file: &MeshFile) -> Result<()> {
        let names = &self.names;
        for pick in names.high.iter().chain(&names.input) {
            self.check_units(path, pick, file, pick)?;
        }
        let (one, other) = (&self.mesh, &file.mesh);
        if one.points() == other.points() && one.cells() == other.cells() {
            return Ok(());
        }
        Err(Error::bad_file(
            path,
            format!(
                "its mesh ({} points) is not that of {} ({} points); bring all files to one mesh first",
                other.points().count(),
                self.first.display(),
                one.points().count()
            ),
        ))
    }

    /// Refuses the field `own` if its units differ from those of the field `other` in the first
    /// file.
    fn check_units(&self, path: &Path, own: &Pick, file: &MeshFile, other: &Pick) -> Result<()> {
        let unit = file.units.get(&own.to_string());
        let known = self.units.get(&other.to_string());
        match (unit, known) {
            (Some(unit), Some(known)) if unit != known => Err(Error::bad_file(
                path,
                format!(
                    "{own} is in {unit}, but {other} in {} is in {known}; convert one of them first",
                    self.first.display()
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Refuses low fidelity in other units than the solution.
    fn check_low_units(&self, path: &Path, file: &MeshFile) -> Result<()> {
        let mut pairs = self.names.low.iter().zip(&self.names.high);
        pairs.try_for_each(|(low, high)| self.check_units(path, low, file, high))
    }

    /// Begins an input, given its first file.
    pub(super) fn begin(
        &mut self,
        label: &str,
        path: &Path,
        file: &MeshFile,
        table: Option<&Table>,
    ) -> Result<()> {
        let parameters = match table {
            Some(table) => table.row(label)?,
            None => numbers(path, file, &self.names.parameters)?,
        };
        let mut values = self.fields((path, file), &self.names.input)?;
        values.extend(parameters::channels(&parameters, self.grid.len()));
        let channels = values.len() / self.grid.len();
        let low = match &self.names.low_file {
            true => Vec::new(),
            false => {
                self.check_low_units(path, file)?;
                self.low_fields(path, file)?
            }
        };
        let low_channels = low.len() / self.grid.len();
        let shape = self.grid.shape();
        let low = (low_channels > 0).then(|| Field::from_values(low_channels, &shape, low));
        self.current = Some(Current {
            input: Field::from_values(channels, &shape, values)?,
            low: low.transpose()?,
            parameters: if table.is_some() {
                Vec::new()
            } else {
                parameters
            },
            high: Vec::new(),
        });
        Ok(())
    }

    /// Reads low fidelity from its separate file and interpolates it to the mesh.
    pub(super) fn take_low(&mut self, lows: &LowFiles, label: &str) -> Result<()> {
        let Some(path) = lows.of_input(label)? else {
            return Ok(());
        };
        let file = read_mesh(path, &self.names.low)?;
        self.check_low_units(path, &file)?;
        let values = self.low_fields(path, &file)?;
        let is_known = self.low.as_ref().is_some_and(|low| low.mesh == file.mesh);
        if !is_known {
            let found = floral_mesh::interpolation(&file.mesh, self.mesh.points());
            let found = found.map_err(|error| Error::bad_file(path, error.to_string()))?;
            self.outside.add(&found);
            self.low = Some(LowMesh {
                mesh: file.mesh,
                found,
            });
        }
        if let (Some(low), Some(current)) = (&self.low, &mut self.current) {
            let fields = values.chunks_exact(low.mesh.points().count());
            let brought: Vec<f64> = fields.flat_map(|f| low.found.matrix.apply(f)).collect();
            let channels = brought.len() / self.grid.len();
            current.low = Some(Field::from_values(channels, &self.grid.shape(), brought)?);
        }
        Ok(())
    }

    /// Adds a realization to the current input.
    pub(super) fn add(&mut self, path: &Path, file: &MeshFile) -> Result<()> {
        let values = self.fields((path, file), &self.names.high)?;
        let channels = values.len() / self.grid.len();
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let point = at % self.grid.len();
            return Err(Error::bad_file(
                path,
                format!("the solution is {} at point {point}", values[at]),
            ));
        }
        let field = Field::from_values(channels, &self.grid.shape(), values)?;
        let Some(current) = &mut self.current else {
            return Ok(());
        };
        if !current.parameters.is_empty() {
            let own = numbers(path, file, &self.names.parameters)?;
            let odd = own
                .iter()
                .zip(&current.parameters)
                .position(|(a, b)| a != b);
            if let Some(i) = odd {
                let name = &self.names.parameters[i];
                return Err(Error::bad_file(
                    path,
                    format!(
                        "{name} is {}, but {} in the first file of the same input; give --pattern so that \
                         each input has its own files",
                        own[i], current.parameters[i]
                    ),
                ));
            }
        }
        current.high.push(field);
        Ok(())
    }

    pub(super) fn end(&mut self) -> Result<()> {
        match self.current.take() {
            Some(current) => self
                .arrays
                .push(&current.input, current.low.as_ref(), &current.high),
            None => Ok(()),
        }
    }

    /// Point data by name: [channel, point].
    fn fields(&self, (path, file): (&Path, &MeshFile), picks: &[Pick]) -> Result<Vec<f64>> {
        let mut values = Vec::new();
        for pick in picks {
            self.push_field((path, file), pick, pick, &mut values)?;
        }
        Ok(values)
    }

    /// Low fidelity: [channel, point]. Fields in the order of the solution have its components.
    fn low_fields(&self, path: &Path, file: &MeshFile) -> Result<Vec<f64>> {
        let (low, high) = (&self.names.low, &self.names.high);
        let likes = if low.len() == high.len() { high } else { low };
        let mut values = Vec::new();
        for (pick, like) in low.iter().zip(likes) {
            self.push_field((path, file), pick, like, &mut values)?;
        }
        Ok(values)
    }

    /// Adds the components of a field, as many as the field `like` has in the first file.
    fn push_field(
        &self,
        (path, file): (&Path, &MeshFile),
        pick: &Pick,
        like: &Pick,
        values: &mut Vec<f64>,
    ) -> Result<()> {
        let array = array(path, file, pick)?;
        let own = components(array, file.mesh.points().dimension());
        let kept = self.components.get(&like.to_string()).copied();
        let kept = kept.unwrap_or(own);
        // A third component that is zero here may be needed in the first file.
        if kept != own && kept != array.components {
            return Err(Error::bad_file(
                path,
                format!(
                    "{pick} has {} other than zero, but {like} in {} has {kept}; write the same \
                     components in all files",
                    counted(own, "component"),
                    self.first.display()
                ),
            ));
        }
        for component in 0..kept {
            let own = array.values.iter().skip(component);
            values.extend(own.step_by(array.components).copied());
        }
        Ok(())
    }
}

/// The fields of the solution: the named ones, or the only one.
fn solution(path: &Path, file: &MeshFile, options: &MeshOptions) -> Result<Vec<Pick>> {
    if !options.high.is_empty() {
        return Ok(options.high.clone());
    }
    match &file.fields[..] {
        [one] => Ok(vec![Pick::all(&one.name)]),
        _ => Err(Error::bad_file(
            path,
            format!(
                "has the point data ({}){}; name the solution with --high",
                names_of(file),
                advice_on_cells(file)
            ),
        )),
    }
}

/// The parameters of the table, or the single numbers in the field data.
fn parameter_names(file: &MeshFile, table: Option<&Table>) -> Vec<String> {
    if let Some(table) = table {
        return table.names.clone();
    }
    let parameters = file.parameters.iter();
    let single = parameters.filter(|array| array.values.len() == 1);
    single.map(|array| array.name.clone()).collect()
}
