//! Chunks of sharded arrays, presented as a store of the Zarr library in which every chunk is a
//! separate file.
//!
//! Only the index of a shard and the wanted chunk are read. The index is not trusted: offsets
//! beyond the file are refused.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use zarrs::array::{Array, ArrayMetadata};
use zarrs::storage::byte_range::ByteRangeIterator;
use zarrs::storage::{
    Bytes, MaybeBytes, MaybeBytesIterator, ReadableStorageTraits, StorageError, StoreKey,
};

use super::sharding::{NOWHERE, Place, Sharding};
use crate::{Error, Result};

/// Location of the bytes of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub path: PathBuf,
    pub offset: u64,
    pub bytes: u64,
}

impl Piece {
    /// A whole file; none if it is absent.
    pub fn whole(path: PathBuf) -> Result<Option<Self>> {
        let facts = facts(&path)?;
        Ok(facts.map(|facts| Self {
            path,
            offset: 0,
            bytes: facts.len(),
        }))
    }

    /// Its bytes, at most `most`.
    pub fn read(&self, most: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = File::open(&self.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.offset))?;
            file.take(self.bytes.min(most)).read_to_end(&mut bytes)
        });
        read.map_err(Error::io(&self.path))?;
        Ok(bytes)
    }
}

/// The shards of an array.
pub(super) struct ShardStore {
    folder: PathBuf,
    /// The array at the level of shards: each of its chunks is a shard.
    shards: Array<dyn ReadableStorageTraits>,
    sharding: Sharding,
    /// The index read last.
    last: Mutex<Option<Index>>,
}

#[derive(Clone)]
struct Index {
    path: PathBuf,
    facts: Metadata,
    places: Arc<Vec<Place>>,
}

impl ShardStore {
    /// Opens an array in the group `folder` at the level of its chunks, with the store that finds
    /// them in shards. An array without shards is returned unchanged, without a store.
    pub fn open(
        shards: Array<dyn ReadableStorageTraits>,
        folder: &Path,
    ) -> std::result::Result<Opened, String> {
        let metadata = serde_json::to_value(shards.metadata()).unwrap_or_default();
        let Some((sharding, chunks)) = Sharding::of(&metadata)? else {
            return Ok((shards, None));
        };
        let name = shards.path().as_str().to_owned();
        let store = Arc::new(Self {
            folder: folder.to_owned(),
            shards,
            sharding,
            last: Mutex::default(),
        });
        let storage: Arc<dyn ReadableStorageTraits> = store.clone();
        let chunks: ArrayMetadata =
            serde_json::from_value(chunks).map_err(|error| error.to_string())?;
        let chunks = Array::new_with_metadata(storage, &name, chunks);
        Ok((chunks.map_err(|error| error.to_string())?, Some(store)))
    }

    pub fn sharding(&self) -> &Sharding {
        &self.sharding
    }

    /// The file of a shard.
    pub fn path(&self, shard: &[u64]) -> PathBuf {
        self.folder.join(self.shards.chunk_key(shard).as_str())
    }

    /// The file that contains a chunk.
    pub fn file(&self, chunk: &[u64]) -> PathBuf {
        self.path(&self.sharding.locate(chunk).0)
    }

    /// The location of a chunk; none if it is absent.
    pub fn piece(&self, chunk: &[u64]) -> Result<Option<Piece>> {
        let (shard, number) = self.sharding.locate(chunk);
        let path = self.path(&shard);
        let Some(facts) = facts(&path)? else {
            return Ok(None);
        };
        let length = facts.len();
        let index = self.index(&path, facts)?;
        let place = index.get(number).copied().unwrap_or(NOWHERE);
        let [offset, bytes] = place;
        match offset.checked_add(bytes) {
            _ if place == NOWHERE => Ok(None),
            Some(end) if end <= length => Ok(Some(Piece {
                path,
                offset,
                bytes,
            })),
            _ => Err(Error::bad_file(
                path,
                format!(
                    "its index places a chunk at {offset} with {bytes} bytes, but the file has \
                     {length}; restore it"
                ),
            )),
        }
    }

    fn index(&self, path: &Path, facts: Metadata) -> Result<Arc<Vec<Place>>> {
        let is_same = |index: &&Index| {
            let age = |facts: &Metadata| (facts.len(), facts.modified().ok());
            index.path == path && age(&index.facts) == age(&facts)
        };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = last.as_ref().filter(is_same) {
            return Ok(index.places.clone());
        }
        let reach = self.sharding.reach().min(facts.len());
        let end = Piece {
            path: path.to_owned(),
            offset: match self.sharding.index_is_first {
                true => 0,
                false => facts.len() - reach,
            },
            bytes: reach,
        };
        let places = self.sharding.index(&end.read(reach)?);
        let places = Arc::new(places.map_err(|reason| {
            Error::bad_file(
                path,
                format!("the index of this shard cannot be read ({reason}); restore it"),
            )
        })?);
        *last = Some(Index {
            path: path.to_owned(),
            facts,
            places: places.clone(),
        });
        Ok(places)
    }

    fn bytes(&self, key: &StoreKey) -> std::result::Result<MaybeBytes, StorageError> {
        let piece = chunk_of_key(key).map(|chunk| self.piece(&chunk));
        let bytes = match piece.transpose().map(Option::flatten) {
            Ok(Some(piece)) => piece.read(u64::MAX).map(Some),
            other => other.map(|_| None),
        };
        let bytes = bytes.map_err(|error| StorageError::Other(error.to_string()))?;
        Ok(bytes.map(Bytes::from))
    }
}

/// The array of chunks, and the store for chunks in shards.
pub(super) type Opened = (Array<dyn ReadableStorageTraits>, Option<Arc<ShardStore>>);

/// The metadata of a file; none if it is absent.
fn facts(path: &Path) -> Result<Option<Metadata>> {
    match path.metadata() {
        // A file without permission is not absent: its values would be taken as missing.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(path)(error)),
        Ok(facts) if facts.is_file() => Ok(Some(facts)),
        Ok(_) => Err(Error::bad_file(path, "is not a regular file")),
    }
}

/// The chunk index in a key such as `high/c.5.0.0`.
fn chunk_of_key(key: &StoreKey) -> Option<Vec<u64>> {
    let name = key.as_str().rsplit('/').next()?;
    let numbers = name.split('.').skip(1).map(str::parse);
    numbers.collect::<std::result::Result<_, _>>().ok()
}

impl ReadableStorageTraits for ShardStore {
    fn get(&self, key: &StoreKey) -> std::result::Result<MaybeBytes, StorageError> {
        self.bytes(key)
    }

    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        ranges: ByteRangeIterator<'a>,
    ) -> std::result::Result<MaybeBytesIterator<'a>, StorageError> {
        let Some(bytes) = self.bytes(key)? else {
            return Ok(None);
        };
        let length = bytes.len() as u64;
        let parts = ranges.map(move |range| {
            let (start, end) = (range.start(length), range.end(length));
            match start <= end && end <= length {
                true => Ok(bytes.slice(start as usize..end as usize)),
                false => Err(StorageError::Other("a range beyond a chunk".into())),
            }
        });
        Ok(Some(Box::new(parts)))
    }

    fn size_key(&self, key: &StoreKey) -> std::result::Result<Option<u64>, StorageError> {
        Ok(self.bytes(key)?.map(|bytes| bytes.len() as u64))
    }

    fn supports_get_partial(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path of a chunk within a file cannot be looked up, which also holds for a superuser.
    #[test]
    fn a_chunk_that_cannot_be_looked_up_is_an_error_and_not_absent() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(Piece::whole(folder.path().join("c.0")).unwrap().is_none());
        assert!(Piece::whole(file.clone()).unwrap().is_some());
        assert!(Piece::whole(file.join("c.0")).is_err());
    }
}
