//! Nodes and cells in an order in which neighbours in space are neighbours in memory.

use super::{Cells, Mesh};

/// Cells of one kind below which a mesh fits into the caches in any order.
const FITS: usize = 16_384;

/// Where nodes and cells were before they were put in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// Of each node.
    pub nodes: Vec<u32>,
    /// Of each cell, by block.
    pub cells: Vec<Vec<u32>>,
}

/// Bits of a coordinate on the curve.
const BITS: u32 = 16;

impl Mesh {
    /// Whether the order of nodes and cells matters for the speed of what is made of it.
    pub fn is_large(&self) -> bool {
        self.cells.iter().any(|c| c.len() > FITS)
    }

    /// Puts the nodes along a curve that fills space (Hilbert's), and the cells by their first node on it. The groups name the same
    /// nodes and cells, and [`point_tags`](Mesh::point_tags) and [`Cells::tags`] keep the numbers of the file.
    ///
    /// ```
    /// let text = "*NODE\n 1, 0, 0\n 2, 9, 0\n 3, 1, 0\n*ELEMENT, TYPE=T2D2\n 7, 3, 2\n 8, 1, 3\n";
    /// let mut mesh = stationary::mesh::Mesh::read("bars.inp", text.as_bytes())?;
    /// let places = mesh.order();
    /// assert_eq!((&places.nodes[..], &places.cells[0][..]), (&[0, 2, 1][..], &[1, 0][..]));
    /// assert_eq!((mesh.point_tags, &mesh.cells[0].tags), (vec![1, 3, 2], &vec![8, 7]));
    /// # Ok::<(), stationary::error::Error>(())
    /// ```
    pub fn order(&mut self) -> Places {
        let nodes = along_the_curve(&self.points);
        let mut new = vec![0; nodes.len()];
        (0..).zip(&nodes).for_each(|(a, old)| new[*old as usize] = a);
        self.points = nodes.iter().map(|a| self.points[*a as usize]).collect();
        self.point_tags = nodes.iter().map(|a| self.point_tags[*a as usize]).collect();
        let moved: Vec<Vec<u32>> = self.cells.iter_mut().map(|cells| cells.order(&new)).collect();
        for group in &mut self.groups {
            group.nodes.iter_mut().for_each(|a| *a = new[*a as usize]);
            group.nodes.sort_unstable();
            group.cells.iter_mut().for_each(|(b, k)| *k = moved[*b as usize][*k as usize]);
            group.cells.sort_unstable();
        }
        let inverse = |moved: &Vec<u32>| {
            let mut places = vec![0; moved.len()];
            (0..).zip(moved).for_each(|(old, k)| places[*k as usize] = old);
            places
        };
        Places { nodes, cells: moved.iter().map(inverse).collect() }
    }
}

impl Cells {
    /// Takes the new numbers of the nodes, and puts the cells by the lowest; returns the new place of each.
    fn order(&mut self, new: &[u32]) -> Vec<u32> {
        let (n, count) = (self.kind.nodes(), self.len());
        self.nodes.iter_mut().for_each(|a| *a = new[*a as usize]);
        let lowest = |k: usize| self.nodes[k * n..][..n].iter().copied().min().unwrap_or(0) as usize;
        // Counted into place: the cells of a node follow each other.
        let mut next = vec![0u32; new.len() + 1];
        (0..count).for_each(|k| next[lowest(k) + 1] += 1);
        (0..new.len()).for_each(|a| next[a + 1] += next[a]);
        let place = |k: usize| {
            let slot = &mut next[lowest(k)];
            *slot += 1;
            *slot - 1
        };
        let moved: Vec<u32> = (0..count).map(place).collect();
        let (mut nodes, mut tags) = (vec![0; self.nodes.len()], vec![0; count]);
        for (k, to) in moved.iter().map(|to| *to as usize).enumerate() {
            nodes[to * n..][..n].copy_from_slice(&self.nodes[k * n..][..n]);
            tags[to] = self.tags[k];
        }
        (self.nodes, self.tags) = (nodes, tags);
        moved
    }
}

/// Points in the order of Hilbert's curve through the cube that holds them; those that it does not tell apart stay as they are.
fn along_the_curve(points: &[[f64; 3]]) -> Vec<u32> {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for x in points {
        for i in 0..3 {
            (low[i], high[i]) = (low[i].min(x[i]), high[i].max(x[i]));
        }
    }
    let widest = (0..3).map(|i| high[i] - low[i]).fold(0.0, f64::max);
    let scale = f64::from((1u32 << BITS) - 1) / widest;
    let whole = |x: &[f64; 3]| std::array::from_fn(|i| ((x[i] - low[i]) * scale) as u32);
    let mut keyed: Vec<(u64, u32)> = points.iter().zip(0..).map(|(x, a)| (hilbert(whole(x)), a)).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, a)| a).collect()
}

/// How far along the curve a place lies. From the coarsest bit to the finest, each eighth of a cube holds a turned and mirrored
/// copy of the whole curve, which is undone before the next bit is looked at (Skilling, 2004).
fn hilbert(mut x: [u32; 3]) -> u64 {
    let mut bit = 1 << (BITS - 1);
    while bit > 1 {
        let below = bit - 1;
        for i in 0..3 {
            if x[i] & bit != 0 {
                x[0] ^= below;
            } else {
                let swapped = (x[0] ^ x[i]) & below;
                x[0] ^= swapped;
                x[i] ^= swapped;
            }
        }
        bit >>= 1;
    }
    // Gray's code of the eighths, then its inverse.
    x[1] ^= x[0];
    x[2] ^= x[1];
    let mut flip = 0;
    for bit in (1..BITS).rev() {
        if x[2] & (1 << bit) != 0 {
            flip ^= (1 << bit) - 1;
        }
    }
    let mut key = 0;
    for bit in (0..BITS).rev() {
        for i in x {
            key = key << 1 | u64::from((i ^ flip) >> bit & 1);
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::{FILES, mesh};
    use std::collections::BTreeMap;

    #[test]
    fn space_filling_curve_connects_neighbouring_cells() {
        // The finest eight by eight by eight places of a corner: all met, each beside the last.
        let place = |i: u32| [i & 7, i >> 3 & 7, i >> 6];
        let mut keyed: Vec<(u64, [u32; 3])> = (0..512).map(|i| (hilbert(place(i)), place(i))).collect();
        keyed.sort_unstable();
        for (at, pair) in keyed.windows(2).enumerate() {
            assert_eq!((pair[0].0, pair[1].0), (at as u64, at as u64 + 1));
            let apart: u32 = (0..3).map(|i| pair[0].1[i].abs_diff(pair[1].1[i])).sum();
            assert_eq!(apart, 1, "{pair:?}");
        }
    }

    /// Everything by the numbers of the file.
    type Told =
        (BTreeMap<u64, [u64; 3]>, BTreeMap<(usize, u64), Vec<u64>>, Vec<(String, Vec<u64>, Vec<u64>)>);

    fn told(mesh: &Mesh) -> Told {
        let node = |a: &u32| mesh.point_tags[*a as usize];
        let points = mesh.point_tags.iter().copied().zip(mesh.points.iter().map(|x| x.map(f64::to_bits)));
        let cells = mesh.cells.iter().flat_map(|c| {
            (0..c.len()).map(|k| ((c.kind as usize, c.tags[k]), c.nodes_of(k).iter().map(node).collect()))
        });
        let groups = mesh.groups.iter().map(|g| {
            let mut nodes: Vec<u64> = g.nodes.iter().map(node).collect();
            let mut cells: Vec<u64> =
                g.cells.iter().map(|(b, k)| mesh.cells[*b as usize].tags[*k as usize]).collect();
            nodes.sort_unstable();
            cells.sort_unstable();
            (g.name.clone(), nodes, cells)
        });
        (points.collect(), cells.collect(), groups.collect())
    }

    #[test]
    fn reordered_mesh_is_the_same_mesh() {
        for (name, _) in FILES {
            let (mut ordered, plain) = (mesh(name), mesh(name));
            let places = ordered.order();
            assert_eq!(told(&ordered), told(&plain), "{name}");
            ordered.validate().unwrap();
            for (a, old) in places.nodes.iter().enumerate() {
                assert_eq!(ordered.points[a], plain.points[*old as usize]);
            }
            for ((cells, plain), places) in ordered.cells.iter().zip(&plain.cells).zip(&places.cells) {
                for (k, old) in places.iter().enumerate() {
                    assert_eq!(cells.tags[k], plain.tags[*old as usize]);
                }
            }
            for cells in &ordered.cells {
                let lowest = |k: usize| cells.nodes_of(k).iter().min();
                assert!((1..cells.len()).all(|k| lowest(k - 1) <= lowest(k)));
            }
            assert!(ordered.groups.iter().all(|g| g.nodes.is_sorted() && g.cells.is_sorted()));
            // Once in order, nothing moves.
            let again = ordered.order();
            assert!(again.nodes.is_sorted() && again.cells.iter().all(|c| c.is_sorted()));
        }
    }
}
