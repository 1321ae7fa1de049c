//! Constants of a grid: coordinates and Fourier matrices, computed once.

use std::sync::{Arc, Mutex, PoisonError};

use burn::tensor::{Device, Tensor, TensorData};
use floral_kernels::FourierBasis;

/// Constants of one grid on one device.
#[derive(Debug)]
pub struct GridConstants {
    /// Points along z, y and x; a plane has one layer, a line one row.
    pub shape: [usize; 3],
    /// i/n along each dimension: [1, row, x, dimension].
    pub coordinates: Tensor<4>,
    pub basis: FourierBasis,
}

impl GridConstants {
    /// `dimensions` is the number of axes with a coordinate: x alone on a line, y and x on a plane.
    pub fn new(shape: [usize; 3], dimensions: usize, n_modes: [usize; 3], device: &Device) -> Self {
        Self {
            shape,
            coordinates: coordinates(shape, dimensions, device),
            basis: FourierBasis::new(shape, n_modes, device),
        }
    }
}

fn coordinates([nz, ny, nx]: [usize; 3], dimensions: usize, device: &Device) -> Tensor<4> {
    let point = |i: usize| {
        let places = [(i / (ny * nx), nz), (i / nx % ny, ny), (i % nx, nx)];
        places.map(|(i, n)| i as f32 / n as f32)
    };
    let values: Vec<f32> = (0..nz * ny * nx)
        .flat_map(|i| point(i).into_iter().skip(3 - dimensions))
        .collect();
    let shape = [1, nz * ny, nx, dimensions];
    Tensor::from_data(TensorData::new(values, shape), device)
}

/// The grids that a network has used, shared by its clones.
#[derive(Debug, Clone, Default)]
pub struct GridCache(Arc<Mutex<Grids>>);

type Grids = Vec<(Device, Arc<GridConstants>)>;

impl GridCache {
    /// The constants of a grid, computed on first use.
    pub fn constants(
        &self,
        shape: [usize; 3],
        device: &Device,
        make: impl FnOnce(&Device) -> GridConstants,
    ) -> Arc<GridConstants> {
        // The device without autodiff: constants serve training and inference alike.
        let device = device.clone().inner();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known
            .iter()
            .find(|(d, grid)| *d == device && grid.shape == shape);
        if let Some((_, grid)) = found {
            return grid.clone();
        }
        let grid = Arc::new(make(&device));
        known.push((device, grid.clone()));
        grid
    }
}
