//! Devices by name: the processor, or a graphics card if the build has a backend for it.
//!
//! `gpu` is the first adapter of the build's backend (CUDA before wgpu), `gpu:1` the second. Real
//! cards precede software drivers that emulate one on the processor.

pub use burn::tensor::Device;
use burn::tensor::Tensor;

use crate::{Error, Result};

/// Accepted device names, for help texts.
pub const NAMES: &str = "cpu, gpu, gpu:1, ...";

/// Opens the device of this name.
pub fn named(name: &str) -> Result<Device> {
    if name == "cpu" {
        return Ok(Device::flex());
    }
    let Some(place) = place(name) else {
        return Err(Error::unknown_name("device", name, NAMES));
    };
    adapter(place).map_err(|reason| Error::config(format!("device {name}"), reason))
}

/// The number of the card in `gpu` or `gpu:1`.
fn place(name: &str) -> Option<usize> {
    match name.strip_prefix("gpu")? {
        "" => Some(0),
        number => number.strip_prefix(':')?.parse().ok(),
    }
}

/// Properties that a device reports.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Adapter {
    /// The name of the card, or of the software driver that emulates one.
    pub name: String,
    /// Size of its largest buffer, in bytes.
    pub largest_buffer: u64,
    /// Size of its memory in bytes, if the backend reports it.
    pub memory: Option<u64>,
}

impl std::fmt::Display for Adapter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            name,
            largest_buffer,
            memory,
        } = self;
        write!(f, "{name}, buffers up to {} MB", largest_buffer / 1_000_000)?;
        match memory {
            Some(memory) => write!(f, ", {:.1} GB of memory", *memory as f64 / 1e9),
            None => Ok(()),
        }
    }
}

/// Properties of a device; none for the processor.
pub fn adapter_of(device: &Device) -> Option<Adapter> {
    described(device.as_dispatch())
}

/// Whether a device is the processor, which has the fused operations.
pub fn is_processor(device: &Device) -> bool {
    device.clone().inner() == Device::flex()
}

/// The values of a tensor, last dimension fastest; not copied if nothing else refers to them.
///
/// A card computes asynchronously: errors are reported when a result is read.
pub fn read<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>> {
    tensor.try_into_vec_as().map_err(|error| Error::Device {
        reason: first_cause(&error.to_string()).to_owned(),
    })
}

/// The last cause in a driver's message, from which the others follow.
fn first_cause(words: &str) -> &str {
    let last = words.rsplit("Caused by:").next().unwrap_or(words);
    let mut lines = last.lines().map(str::trim);
    lines
        .find(|line| !line.is_empty())
        .unwrap_or("no reason is given")
}

#[cfg(not(any(feature = "cuda", feature = "wgpu")))]
fn adapter(_: usize) -> std::result::Result<Device, String> {
    Err(
        "this build does not support graphics cards; build with `cargo build --release \
         --features wgpu`, or `--features cuda`"
            .into(),
    )
}

#[cfg(not(any(feature = "cuda", feature = "wgpu")))]
fn described(_: &burn::backend::DispatchDevice) -> Option<Adapter> {
    None
}

#[cfg(any(feature = "cuda", feature = "wgpu"))]
pub use graphics::adapters;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
use graphics::{adapter, described};

#[cfg(any(feature = "cuda", feature = "wgpu"))]
mod graphics {
    //! Graphics cards that a backend finds.

    use std::panic::catch_unwind;

    use burn::backend::{Device as _, DispatchDevice};
    use burn::tensor::{Device, DeviceType};

    use super::{Adapter, adapter_of};

    /// The backends of this build, fastest first.
    const BACKENDS: &[DeviceType] = &[
        #[cfg(feature = "cuda")]
        DeviceType::Cuda,
        #[cfg(feature = "wgpu")]
        DeviceType::Wgpu,
    ];

    /// wgpu's number for a software adapter.
    const SOFTWARE: u16 = 3;

    /// The adapters of the first backend that finds any, software last.
    pub fn adapters() -> Vec<Device> {
        let found = BACKENDS.iter().map(|backend| {
            let listed = quietly(|| Device::enumerate(backend.clone()).into_iter().collect());
            let mut listed: Vec<Device> = listed.unwrap_or_default();
            listed.sort_by_key(is_software);
            listed
        });
        found
            .into_iter()
            .find(|list| !list.is_empty())
            .unwrap_or_default()
    }

    fn is_software(device: &Device) -> bool {
        cfg!(feature = "wgpu") && device.as_dispatch().to_id().type_id & 0xff == SOFTWARE
    }

    pub(super) fn adapter(place: usize) -> Result<Device, String> {
        let all = adapters();
        let Some(device) = all.get(place) else {
            return Err(match all.len() {
                0 => {
                    "no graphics card is found; its driver may be missing, check with `vulkaninfo \
                      --summary` or `nvidia-smi`"
                        .into()
                }
                1 => "this machine has only gpu:0".into(),
                count => format!("this machine has gpu:0 to gpu:{}", count - 1),
            });
        };
        match quietly(|| adapter_of(device)) {
            Some(_) => Ok(device.clone()),
            None => Err("its driver cannot open it; use cpu".into()),
        }
    }

    pub(super) fn described(device: &DispatchDevice) -> Option<Adapter> {
        match device {
            DispatchDevice::Cube(cube) => {
                let client = cube.client();
                let properties = client.properties();
                Some(Adapter {
                    name: properties.identity.name.clone(),
                    largest_buffer: properties.memory.max_page_size,
                    memory: properties.memory.max_memory(),
                })
            }
            DispatchDevice::Autodiff(device) => described(device),
            _ => None,
        }
    }

    /// The result of `ask`, or none if a driver panics; the panic is not printed.
    fn quietly<T>(ask: impl FnOnce() -> T + std::panic::UnwindSafe) -> Option<T> {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let answer = catch_unwind(ask).ok();
        std::panic::set_hook(hook);
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_cpu_gpu_or_a_numbered_gpu() {
        assert_eq!(place("gpu"), Some(0));
        assert_eq!(place("gpu:3"), Some(3));
        for name in ["gpu:", "gpu:one", "gpu1", "tpu", "gpu:-1", ""] {
            assert_eq!(place(name), None, "{name}");
            let words = named(name).unwrap_err().to_string();
            assert!(words.contains(NAMES), "{words}");
        }
        assert!(is_processor(&named("cpu").unwrap().autodiff()));
    }

    #[cfg(not(any(feature = "cuda", feature = "wgpu")))]
    #[test]
    fn a_build_without_a_backend_names_the_feature_to_build_with() {
        let words = named("gpu:1").unwrap_err().to_string();
        assert!(
            words.contains("device gpu:1") && words.contains("--features wgpu"),
            "{words}"
        );
    }

    #[test]
    fn the_last_cause_of_a_drivers_message_is_reported() {
        let words = "An error happened\nCaused by:\n  skipped a kernel\nCaused by:\n  can't allocate \
                     buffer of size: 268435456\nNo backtrace available";
        assert_eq!(
            first_cause(words),
            "can't allocate buffer of size: 268435456"
        );
        assert_eq!(first_cause("lost"), "lost");
        assert_eq!(first_cause(""), "no reason is given");
    }

    #[test]
    fn a_missing_card_is_refused_in_one_line() {
        let words = named("gpu:1000").unwrap_err().to_string();
        assert!(
            words.starts_with("device gpu:1000: ") && !words.contains('\n'),
            "{words}"
        );
    }
}
