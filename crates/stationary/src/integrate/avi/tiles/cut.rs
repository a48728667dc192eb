//! Elements cut into tiles that lie together, and what they have to know of each other.

use crate::model::Potentials;

/// How elements are divided.
#[derive(Debug, Clone, Default)]
pub(super) struct Cut {
    /// The tile of each element.
    pub home: Vec<u32>,
    /// The elements of each tile.
    pub tiles: Vec<Vec<u32>>,
    /// The number of each element among those that share a node with another tile's, or [`INSIDE`].
    pub border: Vec<u32>,
    /// Elements of other tiles that share a node with element number `b` of the border: `across[start[b]..start[b + 1]]`.
    pub start: Vec<u32>,
    pub across: Vec<u32>,
    /// Tiles with elements across the border of each tile.
    pub beside: Vec<Vec<u32>>,
}

/// An element all of whose neighbours are in its own tile.
pub(super) const INSIDE: u32 = u32::MAX;

impl Cut {
    /// So many tiles of equal work: bisection where the elements that straddle cost least. Elements of steps `step` lie where
    /// `x` says.
    pub fn new<P: Potentials>(potentials: &P, x: &[f64], step: &[f64], tiles: usize) -> Self {
        let mut cut = Cut { home: vec![0; step.len()], border: vec![INSIDE; step.len()], ..Cut::default() };
        let mut saw = Saw { potentials, x, step, marks: vec![[0; 2]; x.len() / 3], cuts: 0 };
        saw.divide((0..step.len() as u32).collect(), tiles.clamp(1, step.len().max(1)), &mut cut.tiles);
        for (tile, own) in cut.tiles.iter_mut().enumerate() {
            own.sort_unstable();
            own.iter().for_each(|k| cut.home[*k as usize] = tile as u32);
        }
        cut.meet(potentials, x.len() / 3);
        cut
    }

    /// Finds the borders.
    fn meet<P: Potentials>(&mut self, potentials: &P, nodes: usize) {
        const NOBODY: u32 = u32::MAX;
        const SEVERAL: u32 = u32::MAX - 1;
        let mut owner = vec![NOBODY; nodes];
        for (k, home) in self.home.iter().enumerate() {
            for a in potentials.nodes(k) {
                let owner = &mut owner[*a as usize];
                *owner = if *owner == NOBODY || owner == home { *home } else { SEVERAL };
            }
        }
        let shared = |a: &u32| owner[*a as usize] == SEVERAL;
        let mut around: Vec<(u32, u32)> = Vec::new();
        for k in 0..self.home.len() {
            around.extend(potentials.nodes(k).iter().filter(|a| shared(a)).map(|a| (*a, k as u32)));
        }
        around.sort_unstable();
        self.beside = vec![Vec::new(); self.tiles.len()];
        self.start = vec![0];
        let mut own = Vec::new();
        for (k, home) in self.home.iter().enumerate() {
            own.clear();
            for a in potentials.nodes(k).iter().filter(|a| shared(a)) {
                let from = around.partition_point(|(b, _)| b < a);
                let here = around[from..].iter().take_while(|(b, _)| b == a).map(|(_, other)| *other);
                own.extend(here.filter(|other| self.home[*other as usize] != *home));
            }
            if own.is_empty() {
                continue;
            }
            own.sort_unstable();
            own.dedup();
            self.border[k] = self.start.len() as u32 - 1;
            self.across.extend(&own);
            self.start.push(self.across.len() as u32);
            self.beside[*home as usize].extend(own.iter().map(|other| self.home[*other as usize]));
        }
        for beside in &mut self.beside {
            beside.sort_unstable();
            beside.dedup();
        }
    }

    /// Bytes it takes.
    pub fn memory(&self) -> usize {
        let tiles = self.tiles.iter().chain(&self.beside);
        let numbers = [&self.home, &self.border, &self.start, &self.across].into_iter().chain(tiles);
        numbers.map(|list| size_of::<u32>() * list.capacity()).sum()
    }
}

struct Saw<'a, P> {
    potentials: &'a P,
    x: &'a [f64],
    step: &'a [f64],
    /// The last cut that had a node on either side.
    marks: Vec<[u32; 2]>,
    cuts: u32,
}

impl<P: Potentials> Saw<'_, P> {
    fn divide(&mut self, elements: Vec<u32>, tiles: usize, out: &mut Vec<Vec<u32>>) {
        if tiles <= 1 {
            out.push(elements);
            return;
        }
        let part = (tiles / 2) as f64 / tiles as f64;
        let mut best: Option<(f64, [Vec<u32>; 2])> = None;
        for axis in 0..3 {
            let halves = self.split(&elements, axis, part, [tiles / 2, tiles - tiles / 2]);
            let cost = self.cost(&halves);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, halves));
            }
        }
        let Some((_, [low, high])) = best else { return };
        self.divide(low, tiles / 2, out);
        self.divide(high, tiles - tiles / 2, out);
    }

    /// The elements in order along an axis, cut where the work of the first `part` ends; at least so many on either side.
    fn split(&self, elements: &[u32], axis: usize, part: f64, least: [usize; 2]) -> [Vec<u32>; 2] {
        let place = |k: u32| {
            let nodes = self.potentials.nodes(k as usize);
            nodes.iter().map(|a| self.x[3 * *a as usize + axis]).sum::<f64>() / nodes.len().max(1) as f64
        };
        let mut order: Vec<(f64, u32)> = elements.iter().map(|k| (place(*k), *k)).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let work = |(_, k): &(f64, u32)| 1.0 / self.step[*k as usize];
        let mut left = part * order.iter().map(work).sum::<f64>();
        let mut at = 0;
        while at < order.len() - least[1] && (at < least[0] || left > 0.0) {
            left -= work(&order[at]);
            at += 1;
        }
        let numbers = |list: &[(f64, u32)]| list.iter().map(|(_, k)| *k).collect();
        [numbers(&order[..at]), numbers(&order[at..])]
    }

    /// The updates of elements that have a node on the other side.
    fn cost(&mut self, halves: &[Vec<u32>; 2]) -> f64 {
        self.cuts += 1;
        for (side, half) in halves.iter().enumerate() {
            for a in half.iter().flat_map(|k| self.potentials.nodes(*k as usize)) {
                self.marks[*a as usize][side] = self.cuts;
            }
        }
        let both = |a: &u32| self.marks[*a as usize] == [self.cuts; 2];
        let straddles = |k: &&u32| self.potentials.nodes(**k as usize).iter().any(both);
        halves.iter().flatten().filter(straddles).map(|k| 1.0 / self.step[*k as usize]).sum()
    }
}
