//! The partition of the elements into connected subdomains, and the borders between them.

use crate::model::Potentials;

/// The partition of the elements.
#[derive(Debug, Clone, Default)]
pub(super) struct Partition {
    /// The subdomain of each element.
    pub subdomain_of: Vec<u32>,
    /// The elements of each subdomain.
    pub subdomains: Vec<Vec<u32>>,
    /// The number of each element among those that share a node with another subdomain, or [`INSIDE`].
    pub border: Vec<u32>,
    /// Where the entries of border element `b` in `across` begin: they are `across[start[b]..start[b + 1]]`.
    pub start: Vec<u32>,
    /// The elements of other subdomains that share a node with each border element.
    pub across: Vec<u32>,
    /// The subdomains that share a node with each subdomain.
    pub neighbours: Vec<Vec<u32>>,
}

/// Marks an element all of whose neighbours are in its own subdomain.
pub(super) const INSIDE: u32 = u32::MAX;

impl Partition {
    /// A partition into so many subdomains of equal work, by recursive bisection with the least work of elements at the border. `x` are
    /// the positions of the nodes, `step` the time steps of the elements.
    pub fn new<P: Potentials>(potentials: &P, x: &[f64], step: &[f64], subdomains: usize) -> Self {
        let mut partition = Partition {
            subdomain_of: vec![0; step.len()],
            border: vec![INSIDE; step.len()],
            ..Partition::default()
        };
        let mut bisection = Bisection { potentials, x, step, marks: vec![[0; 2]; x.len() / 3], cuts: 0 };
        bisection.divide(
            (0..step.len() as u32).collect(),
            subdomains.clamp(1, step.len().max(1)),
            &mut partition.subdomains,
        );
        for (subdomain, own) in partition.subdomains.iter_mut().enumerate() {
            own.sort_unstable();
            own.iter().for_each(|k| partition.subdomain_of[*k as usize] = subdomain as u32);
        }
        partition.find_borders(potentials, x.len() / 3);
        partition
    }

    /// Finds the elements at the borders and their neighbours.
    fn find_borders<P: Potentials>(&mut self, potentials: &P, nodes: usize) {
        const NOBODY: u32 = u32::MAX;
        const SEVERAL: u32 = u32::MAX - 1;
        let mut owner = vec![NOBODY; nodes];
        for (k, subdomain) in self.subdomain_of.iter().enumerate() {
            for a in potentials.nodes(k) {
                let owner = &mut owner[*a as usize];
                *owner = if *owner == NOBODY || owner == subdomain { *subdomain } else { SEVERAL };
            }
        }
        let shared = |a: &u32| owner[*a as usize] == SEVERAL;
        let mut around: Vec<(u32, u32)> = Vec::new();
        for k in 0..self.subdomain_of.len() {
            around.extend(potentials.nodes(k).iter().filter(|a| shared(a)).map(|a| (*a, k as u32)));
        }
        around.sort_unstable();
        self.neighbours = vec![Vec::new(); self.subdomains.len()];
        self.start = vec![0];
        let mut own = Vec::new();
        for (k, subdomain) in self.subdomain_of.iter().enumerate() {
            own.clear();
            for a in potentials.nodes(k).iter().filter(|a| shared(a)) {
                let from = around.partition_point(|(b, _)| b < a);
                let here = around[from..].iter().take_while(|(b, _)| b == a).map(|(_, other)| *other);
                own.extend(here.filter(|other| self.subdomain_of[*other as usize] != *subdomain));
            }
            if own.is_empty() {
                continue;
            }
            own.sort_unstable();
            own.dedup();
            self.border[k] = self.start.len() as u32 - 1;
            self.across.extend(&own);
            self.start.push(self.across.len() as u32);
            self.neighbours[*subdomain as usize]
                .extend(own.iter().map(|other| self.subdomain_of[*other as usize]));
        }
        for neighbours in &mut self.neighbours {
            neighbours.sort_unstable();
            neighbours.dedup();
        }
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        let subdomains = self.subdomains.iter().chain(&self.neighbours);
        let numbers =
            [&self.subdomain_of, &self.border, &self.start, &self.across].into_iter().chain(subdomains);
        numbers.map(|list| size_of::<u32>() * list.capacity()).sum()
    }
}

/// Recursive coordinate bisection.
struct Bisection<'a, P> {
    potentials: &'a P,
    x: &'a [f64],
    step: &'a [f64],
    /// For each node the last bisection that had an element with this node on either side.
    marks: Vec<[u32; 2]>,
    cuts: u32,
}

impl<P: Potentials> Bisection<'_, P> {
    fn divide(&mut self, elements: Vec<u32>, subdomains: usize, out: &mut Vec<Vec<u32>>) {
        if subdomains <= 1 {
            out.push(elements);
            return;
        }
        let part = (subdomains / 2) as f64 / subdomains as f64;
        let mut best: Option<(f64, [Vec<u32>; 2])> = None;
        for axis in 0..3 {
            let halves = self.split(&elements, axis, part, [subdomains / 2, subdomains - subdomains / 2]);
            let cost = self.cost(&halves);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, halves));
            }
        }
        let Some((_, [low, high])) = best else { return };
        self.divide(low, subdomains / 2, out);
        self.divide(high, subdomains - subdomains / 2, out);
    }

    /// The elements sorted along an axis and divided after the part `part` of the work, with at least so many on either side.
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

    /// The rate of updates of the elements that have a node on the other side.
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
