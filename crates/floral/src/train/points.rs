//! The parts of a checkpoint's header that concern networks of points.

use super::Header;
use super::config::NetworkKind;
use crate::Grid;
use floral_flow::network::Nodes;

impl Header {
    /// Whether the model is a network that takes points by their coordinates, rather than a full
    /// grid.
    pub fn is_of_points(&self) -> bool {
        self.is_network() && self.config.network.kind == NetworkKind::Slices
    }

    fn is_fno(&self) -> bool {
        self.is_network() && self.config.network.kind == NetworkKind::Fno
    }

    fn is_network(&self) -> bool {
        self.config.method.recipe().is_none()
    }

    /// The points of a grid in the form that the network takes; `None` for other models.
    #[cfg_attr(not(feature = "networks"), allow(dead_code))]
    pub(crate) fn nodes(&self, grid: &Grid) -> Option<Nodes> {
        self.is_of_points()
            .then(|| Nodes::of(grid, self.mask.as_ref()))
    }

    /// Refuses a wrong number of coordinate channels, and Fourier layers on a mesh.
    pub(super) fn check_points(&self) -> Result<(), String> {
        let own = self.is_of_points().then(|| Nodes::channels_of(&self.grid));
        let found = self.shapes.coordinates;
        if found != own {
            return Err(format!(
                "its network is fed with {found:?} coordinates, which its grid does not have; use another one"
            ));
        }
        match self.grid.mesh().is_some() && self.is_fno() {
            true => Err(
                "its network needs a grid, and its fields live on a mesh; use another one".into(),
            ),
            false => Ok(()),
        }
    }
}
