//! Arrays of numbers as little-endian bytes, for `#[serde(with = ...)]`.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};

/// A number of a fixed size in bytes.
pub(super) trait Number: Copy {
    const SIZE: usize;
    fn write(self, out: &mut Vec<u8>);
    fn read(bytes: &[u8]) -> Option<Self>;
}

impl Number for f64 {
    const SIZE: usize = 8;

    fn write(self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        Some(Self::from_le_bytes(bytes.try_into().ok()?))
    }
}

impl Number for u8 {
    const SIZE: usize = 1;

    fn write(self, out: &mut Vec<u8>) {
        out.push(self);
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        bytes.first().copied()
    }
}

impl Number for f32 {
    const SIZE: usize = 4;

    fn write(self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        Some(Self::from_le_bytes(bytes.try_into().ok()?))
    }
}

pub(super) fn serialize<T: Number, S: Serializer>(
    values: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut bytes = Vec::with_capacity(values.len() * T::SIZE);
    values.iter().for_each(|value| value.write(&mut bytes));
    serializer.serialize_bytes(&bytes)
}

pub(super) fn deserialize<'de, T: Number, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_byte_buf(Numbers(PhantomData))
}

struct Numbers<T>(PhantomData<T>);

impl<T: Number> Visitor<'_> for Numbers<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bytes of numbers of {} bytes each", T::SIZE)
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<T>, E> {
        if !bytes.len().is_multiple_of(T::SIZE) {
            return Err(E::invalid_length(bytes.len(), &self));
        }
        let numbers = bytes.chunks_exact(T::SIZE).map(T::read);
        let numbers: Option<Vec<T>> = numbers.collect();
        numbers.ok_or_else(|| E::invalid_length(bytes.len(), &self))
    }

    fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Vec<T>, E> {
        self.visit_bytes(&bytes)
    }
}
