//! The little of HDF5 that frames need: a file with one group of named arrays, each in one piece.
//!
//! Written from the HDF Group's "HDF5 File Format Specification", version 0 of the superblock and version 1 of object
//! headers, which every reader knows and which need no checksums. In the order of the file:
//!
//! ```text
//! superblock       96 bytes; ends with the entry of the root group
//! root header      one message: where tree and heap are
//! tree             one node with one child
//! heap             names of the arrays
//! leaf             one entry for each array, in the order of their names
//! headers          of the arrays: shape, type, place
//! data             of the arrays
//! ```

use std::io::{self, Write};

/// An array of the file.
pub(super) struct Array<'a> {
    /// Its name, without `/`.
    pub name: &'static str,
    /// Its dimensions: the first varies slowest.
    pub shape: Vec<u64>,
    pub data: Data<'a>,
}

/// Where the numbers of an array come from.
pub(super) enum Data<'a> {
    /// Double precision.
    Floats(Box<dyn Iterator<Item = f64> + 'a>),
    /// Signed, with eight bytes.
    Whole(Box<dyn Iterator<Item = i64> + 'a>),
}

/// Where nothing is.
const NOWHERE: u64 = u64::MAX;
/// Half of the entries that a leaf holds.
const HALF_LEAF: u16 = 16;
/// Half of the children of a node of the tree.
const HALF_NODE: u16 = 16;

const SUPERBLOCK: u64 = 96;
const GROUP_HEADER: u64 = 16 + 8 + 16;
const TREE: u64 = 24 + 8 * (4 * HALF_NODE as u64 + 1);
const HEAP: u64 = 32;
const LEAF: u64 = 8 + 40 * 2 * HALF_LEAF as u64;

/// Writes a file.
///
/// # Panics
/// If there are more arrays than a leaf holds, or an array has no number, or its data are not as many as its shape says.
pub(super) fn write(out: &mut impl Write, mut arrays: Vec<Array<'_>>) -> io::Result<()> {
    assert!(!arrays.is_empty() && arrays.len() <= 2 * HALF_LEAF as usize, "{} arrays", arrays.len());
    arrays.sort_by_key(|a| a.name);
    let mut names = vec![0; 8];
    let mut name_at = Vec::new();
    for array in &arrays {
        name_at.push(names.len() as u64);
        names.extend(array.name.as_bytes());
        names.resize((names.len() + 1).next_multiple_of(8), 0);
    }
    let heap = SUPERBLOCK + GROUP_HEADER + TREE;
    let leaf = heap + HEAP + names.len() as u64;
    let mut at = leaf + LEAF;
    let headers: Vec<u64> = arrays.iter().map(|a| next(&mut at, header(a, 0).len() as u64)).collect();
    let places: Vec<u64> = arrays.iter().map(|a| next(&mut at, a.bytes())).collect();

    out.write_all(&superblock(heap, at))?;
    out.write_all(&group_header(heap))?;
    out.write_all(&tree(leaf, name_at[name_at.len() - 1]))?;
    let mut block = b"HEAP\0\0\0\0".to_vec();
    // 1 means that no part of it is free.
    words(&mut block, &[names.len() as u64, 1, heap + HEAP]);
    out.write_all(&block)?;
    out.write_all(&names)?;
    let mut block = b"SNOD\x01\0".to_vec();
    block.extend((arrays.len() as u16).to_le_bytes());
    for (name, header) in name_at.iter().zip(&headers) {
        words(&mut block, &[*name, *header, 0, 0, 0]);
    }
    block.resize(LEAF as usize, 0);
    out.write_all(&block)?;
    for (array, place) in arrays.iter().zip(&places) {
        out.write_all(&header(array, *place))?;
    }
    arrays.into_iter().try_for_each(|array| array.write(out))
}

/// The present place, which then moves on.
fn next(at: &mut u64, bytes: u64) -> u64 {
    let here = *at;
    *at += bytes;
    here
}

fn words(block: &mut Vec<u8>, words: &[u64]) {
    block.extend(words.iter().flat_map(|w| w.to_le_bytes()));
}

fn superblock(heap: u64, end: u64) -> Vec<u8> {
    // Versions, then the bytes of addresses and lengths.
    let mut block = b"\x89HDF\r\n\x1a\n\0\0\0\0\0\x08\x08\0".to_vec();
    block.extend([HALF_LEAF, HALF_NODE, 0, 0].iter().flat_map(|n| n.to_le_bytes()));
    words(&mut block, &[0, NOWHERE, end, NOWHERE]);
    // The root group: no name, its header, and (1) tree and heap as well.
    words(&mut block, &[0, SUPERBLOCK, 1, SUPERBLOCK + GROUP_HEADER, heap]);
    block
}

fn group_header(heap: u64) -> Vec<u8> {
    let mut content = Vec::new();
    words(&mut content, &[SUPERBLOCK + GROUP_HEADER, heap]);
    object(&[(0x11, content)])
}

/// A header of messages; each is filled up to whole words.
fn object(messages: &[(u16, Vec<u8>)]) -> Vec<u8> {
    let mut all = Vec::new();
    for (kind, content) in messages {
        let length = content.len().next_multiple_of(8);
        all.extend([*kind, length as u16].iter().flat_map(|n| n.to_le_bytes()));
        all.extend([0; 4]);
        all.extend(content);
        all.resize(all.len().next_multiple_of(8), 0);
    }
    let mut block = vec![1, 0];
    block.extend((messages.len() as u16).to_le_bytes());
    block.extend([1, all.len() as u32, 0].iter().flat_map(|n| n.to_le_bytes()));
    block.extend(all);
    block
}

/// The only node: names up to the last are in its one leaf.
fn tree(leaf: u64, last: u64) -> Vec<u8> {
    let mut block = b"TREE\0\0\x01\0".to_vec();
    words(&mut block, &[NOWHERE, NOWHERE, 0, leaf, last]);
    block.resize(TREE as usize, 0);
    block
}

/// The header of an array whose data begin at a place.
fn header(array: &Array<'_>, place: u64) -> Vec<u8> {
    let mut shape = vec![1, array.shape.len() as u8, 0, 0, 0, 0, 0, 0];
    words(&mut shape, &array.shape);
    let number = match array.data {
        // Little endian, sign in bit 63, exponent of 11 bits from 52 on with bias 1023, mantissa of 52 with the first implied.
        Data::Floats(_) => {
            let mut number = vec![0x11, 0x20, 63, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52];
            number.extend(1023_u32.to_le_bytes());
            number
        }
        Data::Whole(_) => vec![0x10, 0x08, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0],
    };
    let mut layout = vec![3, 1];
    words(&mut layout, &[place, array.bytes()]);
    // Between them that nothing is filled in.
    object(&[(0x01, shape), (0x03, number), (0x05, vec![2, 1, 0, 0]), (0x08, layout)])
}

impl Array<'_> {
    fn count(&self) -> u64 {
        self.shape.iter().product()
    }

    fn bytes(&self) -> u64 {
        8 * self.count()
    }

    fn write(self, out: &mut impl Write) -> io::Result<()> {
        let (expected, mut written) = (self.count(), 0);
        let mut put = |bytes: [u8; 8]| {
            written += 1;
            out.write_all(&bytes)
        };
        match self.data {
            Data::Floats(mut x) => x.try_for_each(|x| put(x.to_le_bytes()))?,
            Data::Whole(mut n) => n.try_for_each(|n| put(n.to_le_bytes()))?,
        }
        assert!(written == expected && written > 0, "array `{}`: {written} of {expected}", self.name);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(file: &[u8], at: u64) -> u64 {
        u64::from_le_bytes(file[at as usize..at as usize + 8].try_into().unwrap())
    }

    /// As a reader goes: superblock, tree, leaf, names, headers, data.
    #[test]
    fn a_reader_finds_what_was_written() {
        let numbers = [0.5, -0.0, f64::NAN, 1e300, 2.0, 3.0];
        let arrays = vec![
            Array { name: "zeta", shape: vec![2, 3], data: Data::Floats(Box::new(numbers.into_iter())) },
            Array { name: "cells", shape: vec![2], data: Data::Whole(Box::new([-7, 1 << 62].into_iter())) },
        ];
        let mut file = Vec::new();
        write(&mut file, arrays).unwrap();
        assert!(file.starts_with(b"\x89HDF\r\n\x1a\n"));
        assert_eq!(word(&file, 40), file.len() as u64, "the end of the file");
        let (tree, heap) = (word(&file, 80), word(&file, 88));
        assert_eq!((&file[tree as usize..][..4], &file[heap as usize..][..4]), (&b"TREE"[..], &b"HEAP"[..]));
        let (leaf, names) = (word(&file, tree + 32), word(&file, heap + 24));
        assert_eq!(&file[leaf as usize..][..8], b"SNOD\x01\0\x02\0");
        let name = |at: u64| {
            let bytes = &file[(names + at) as usize..];
            String::from_utf8(bytes[..bytes.iter().position(|b| *b == 0).unwrap()].to_vec()).unwrap()
        };
        assert_eq!(name(word(&file, leaf + 8)), "cells");
        assert_eq!(name(word(&file, leaf + 48)), "zeta");
        assert_eq!(name(word(&file, tree + 40)), "zeta", "the last name of the tree");
        let header = word(&file, leaf + 56);
        // Prefix, then the message of the shape: 2 by 3.
        assert_eq!((word(&file, header + 32), word(&file, header + 40)), (2, 3));
        // The place is in the last message.
        let data = file.len() as u64 - 48;
        let found: Vec<u64> = (0..6).map(|k| word(&file, data + 8 * k)).collect();
        assert_eq!(found, numbers.map(f64::to_bits));
        let place = data.to_le_bytes();
        assert!(file[header as usize..data as usize].windows(8).any(|w| w == place), "the header says where");
    }
}
