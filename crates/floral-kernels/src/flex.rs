//! Values of the `flex` backend's tensors as slices.

use burn::backend::DType;
use burn::backend::flex::FlexTensor;
use burn::tensor::{Device, Tensor, TensorData};

/// Whether the kernels support a tensor: f32 on the `flex` backend, tracked or not.
pub fn takes<const D: usize>(x: &Tensor<D>) -> bool {
    x.dtype() == DType::F32 && x.device().inner() == Device::flex()
}

/// The tensor with its values in order and nothing else in its storage.
///
/// Takes ownership, so that unshared storage can be written in place.
pub fn contiguous(x: FlexTensor) -> FlexTensor {
    let ordered = x.to_contiguous();
    drop(x);
    ordered
}

/// A tensor of these values, in the shape of another.
pub fn tensor_like(values: Vec<f32>, other: &FlexTensor) -> FlexTensor {
    tensor(values, other.layout().shape().to_vec())
}

/// A tensor of these values.
pub fn tensor(values: Vec<f32>, shape: Vec<usize>) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, shape))
}
