//! What comes from outside: impulses and moments of loads and supports, and their work [AVI03 3.5 (52)-(57)].

use crate::linalg::cross;

use std::collections::BTreeMap;

/// A sum that does not lose small terms (Neumaier): millions of impulses are to balance to rounding.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Sum {
    value: f64,
    lost: f64,
}

impl Sum {
    pub fn add(&mut self, x: f64) {
        let sum = self.value + x;
        self.lost +=
            if self.value.abs() >= x.abs() { (self.value - sum) + x } else { (x - sum) + self.value };
        self.value = sum;
    }

    pub fn get(&self) -> f64 {
        self.value + self.lost
    }
}

/// Impulses and work so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Accounts {
    pub load: [Sum; 3],
    pub load_moment: [Sum; 3],
    /// Of each support.
    pub reaction: Vec<[Sum; 3]>,
    pub reaction_moment: [Sum; 3],
    pub work: Sum,
    /// Positions and forces at the last event of each element under pressure, six numbers a node.
    pressed: Vec<f64>,
    /// Where the numbers of an element begin there.
    place: BTreeMap<u32, usize>,
}

impl Accounts {
    /// For so many supports, and pressures on these elements with so many nodes each.
    pub fn new(supports: usize, pressed: &[(usize, usize)]) -> Self {
        let mut accounts = Accounts { reaction: vec![[Sum::default(); 3]; supports], ..Accounts::default() };
        for (k, nodes) in pressed {
            accounts.place.insert(*k as u32, accounts.pressed.len());
            accounts.pressed.resize(accounts.pressed.len() + 6 * nodes, 0.0);
        }
        accounts
    }

    /// The work of the forces that follow element `k` since its last event, if they have come to `force` on the way
    /// to `x`: the trapezoidal rule along the path. Velocities would not do: at an event those of a node have
    /// had the kicks of some elements for times ahead and of others not yet.
    pub fn pressing(&self, k: usize, nodes: &[u32], x: &[f64], force: &[f64]) -> f64 {
        let Some(at) = self.place.get(&(k as u32)) else { return 0.0 };
        let mut work = 0.0;
        for (n, a) in nodes.iter().enumerate() {
            let last = &self.pressed[at + 6 * n..][..6];
            for i in 0..3 {
                let way = x[3 * *a as usize + i] - last[i];
                work += 0.5 * (last[3 + i] + force[3 * n + i]) * way;
            }
        }
        work
    }

    /// An event of an element under pressure: books the work since the last, unless it is the first.
    pub fn press(&mut self, k: usize, nodes: &[u32], x: &[f64], force: &[f64], first: bool) {
        if !first {
            self.work.add(self.pressing(k, nodes, x, force));
        }
        let Some(at) = self.place.get(&(k as u32)) else { return };
        for (n, a) in nodes.iter().enumerate() {
            let last = &mut self.pressed[at + 6 * n..][..6];
            last[..3].copy_from_slice(&x[3 * *a as usize..][..3]);
            last[3..].copy_from_slice(&force[3 * n..][..3]);
        }
    }

    /// A load's impulse on a node at `x`.
    pub fn load(&mut self, x: &[f64], impulse: &[f64; 3]) {
        add(&mut self.load, impulse);
        add(&mut self.load_moment, &cross(x, impulse));
    }

    /// A support's impulse on one component, and its moment.
    pub fn reaction(&mut self, owner: usize, direction: usize, impulse: f64, moment: &[f64; 3]) {
        self.reaction[owner][direction].add(impulse);
        add(&mut self.reaction_moment, moment);
    }

    /// Every number of the accounts, for checkpoints.
    fn sums(&mut self) -> impl Iterator<Item = &mut Sum> {
        let moments = self.load.iter_mut().chain(&mut self.load_moment).chain(&mut self.reaction_moment);
        moments.chain(self.reaction.as_flattened_mut()).chain([&mut self.work])
    }

    pub fn save(&self) -> Vec<f64> {
        let mut sums: Vec<f64> = self.clone().sums().flat_map(|s| [s.value, s.lost]).collect();
        sums.extend(&self.pressed);
        sums
    }

    /// Puts back what [`save`](Self::save) gave for as many supports.
    pub fn restore(&mut self, saved: &[f64]) {
        let (sums, pressed) = saved.split_at(saved.len() - self.pressed.len());
        for (sum, pair) in self.sums().zip(sums.chunks_exact(2)) {
            *sum = Sum { value: pair[0], lost: pair[1] };
        }
        self.pressed.copy_from_slice(pressed);
    }
}

pub(super) fn add(sums: &mut [Sum; 3], terms: &[f64; 3]) {
    sums.iter_mut().zip(terms).for_each(|(sum, x)| sum.add(*x));
}
