//! `--device`: where networks are computed.

use floral::Result;
use floral::device::{self, Device};

use crate::output;

/// The device that a command computes on.
#[derive(clap::Args)]
pub struct Arguments {
    /// Where networks compute: cpu, gpu, or gpu:1 for the second GPU; a GPU needs a build with the
    /// feature wgpu or cuda
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: String,
}

impl Arguments {
    /// Notes how many samples a GPU computes at a time, or that a regression does not use it.
    pub fn note_rows(&self, device: &Device, rows: Option<usize>) {
        if device::is_processor(device) {
            return;
        }
        output::note(&match rows {
            Some(rows) => format!("{} computes {rows} samples at a time", self.device),
            None => "this method is a regression and computes on the CPU".into(),
        });
    }

    /// Opens the device, and notes which GPU it is.
    pub fn open(&self) -> Result<Device> {
        let device = device::named(&self.device)?;
        if let Some(adapter) = device::adapter_of(&device) {
            output::note(&format!("{} is {adapter}", self.device));
        }
        Ok(device)
    }
}
