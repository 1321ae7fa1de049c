//! Reads a box of an array whose numbers lie in a file at constant strides.

use std::io;
use std::ops::Range;

use super::bytes::Bytes;
use crate::storage::Number;

/// Largest span of bytes read at once, including unwanted bytes in between.
const LONGEST_SPAN: u64 = 1 << 26;

/// Location of the numbers of an array.
#[derive(Debug, Clone)]
pub(super) struct Strided {
    /// The storage type of a number.
    pub number: Number,
    /// Offset of the first number.
    pub start: u64,
    /// Bytes between successive indices along each dimension.
    pub strides: Vec<u64>,
}

impl Strided {
    /// Contiguous numbers: the last index varies fastest, or with `is_fortran` the first.
    pub fn dense(number: Number, start: u64, shape: &[usize], is_fortran: bool) -> Self {
        let mut strides = vec![0; shape.len()];
        let mut stride = number.size() as u64;
        let mut place = |i: usize| {
            strides[i] = stride;
            stride = stride.saturating_mul(shape[i] as u64);
        };
        if is_fortran {
            (0..shape.len()).for_each(&mut place);
        } else {
            (0..shape.len()).rev().for_each(&mut place);
        }
        Self {
            number,
            start,
            strides,
        }
    }

    /// The values of a box, last dimension fastest.
    pub fn read(&self, bytes: &Bytes, ranges: &[Range<usize>]) -> io::Result<Vec<f64>> {
        let mut values = Vec::new();
        if ranges.iter().any(Range::is_empty) {
            return Ok(values);
        }
        let size = self.number.size() as u64;
        let along = ranges.iter().zip(&self.strides);
        let first = along.fold(self.start, |at, (range, stride)| {
            at + range.start as u64 * stride
        });
        let along = ranges.iter().zip(&self.strides);
        let span = along.fold(size, |n, (range, stride)| {
            n + (range.len() as u64 - 1) * stride
        });
        if span <= LONGEST_SPAN {
            let mut block = vec![0; span as usize];
            bytes.read(first, &mut block)?;
            self.walk(&Bytes::Memory(block), 0, ranges, &mut values)?;
        } else {
            self.walk(bytes, first, ranges, &mut values)?;
        }
        Ok(values)
    }

    /// Reads the values of a box that begins at offset `at`, recursing over dimensions.
    fn walk(
        &self,
        bytes: &Bytes,
        at: u64,
        ranges: &[Range<usize>],
        values: &mut Vec<f64>,
    ) -> io::Result<()> {
        if let Some(count) = self.dense_run(ranges) {
            let mut run = vec![0; count * self.number.size()];
            bytes.read(at, &mut run)?;
            self.number.append(&run, values);
            return Ok(());
        }
        let [range, inner @ ..] = ranges else {
            return Ok(());
        };
        let stride = self.strides[self.strides.len() - ranges.len()];
        (0..range.len() as u64).try_for_each(|i| self.walk(bytes, at + i * stride, inner, values))
    }

    /// The number of values in a box of these last dimensions, if they are contiguous.
    fn dense_run(&self, ranges: &[Range<usize>]) -> Option<usize> {
        let strides = &self.strides[self.strides.len() - ranges.len()..];
        let mut count = 1;
        for (range, &stride) in ranges.iter().zip(strides).rev() {
            if range.len() > 1 && stride != (count * self.number.size()) as u64 {
                return None;
            }
            count *= range.len();
        }
        Some(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shorts(values: impl IntoIterator<Item = i16>) -> Bytes {
        Bytes::Memory(values.into_iter().flat_map(i16::to_le_bytes).collect())
    }

    #[test]
    fn a_box_is_the_same_from_both_orders() {
        let number = Number::numpy("<i2").unwrap();
        let shape = [3, 4, 5];
        let rows = shorts(0..60);
        let columns = shorts((0..60).map(|k| {
            let (i, j, l) = (k % 3, k / 3 % 4, k / 12);
            (i * 4 + j) * 5 + l
        }));
        let c = Strided::dense(number, 0, &shape, false);
        let fortran = Strided::dense(number, 0, &shape, true);
        for ranges in [[0..3, 0..4, 0..5], [1..2, 0..4, 0..5], [0..3, 1..3, 2..4]] {
            let mut expected = Vec::new();
            for i in ranges[0].clone() {
                for j in ranges[1].clone() {
                    expected.extend(ranges[2].clone().map(|l| ((i * 4 + j) * 5 + l) as f64));
                }
            }
            assert_eq!(c.read(&rows, &ranges).unwrap(), expected);
            assert_eq!(fortran.read(&columns, &ranges).unwrap(), expected);
        }
        assert!(c.read(&rows, &[0..0, 0..4, 0..5]).unwrap().is_empty());
    }

    #[test]
    fn a_single_number_and_the_end_of_the_file_are_known() {
        let number = Number::numpy("<i2").unwrap();
        let scalar = Strided::dense(number, 2, &[], false);
        assert_eq!(scalar.read(&shorts([7, 8]), &[]).unwrap(), [8.0]);
        assert!(scalar.read(&shorts([7]), &[]).is_err());
    }
}
