//! What comes from outside: impulses and moments of loads and supports, and their work [AVI03 3.5 (52)-(57)].

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

/// Impulses so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Accounts {
    pub load: [Sum; 3],
    pub load_moment: [Sum; 3],
    /// Of each support.
    pub reaction: Vec<[Sum; 3]>,
    pub reaction_moment: [Sum; 3],
    pub work: Sum,
}

impl Accounts {
    pub fn new(supports: usize) -> Self {
        Accounts { reaction: vec![[Sum::default(); 3]; supports], ..Accounts::default() }
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
        self.clone().sums().flat_map(|s| [s.value, s.lost]).collect()
    }

    /// Puts back what [`save`](Self::save) gave for as many supports.
    pub fn restore(&mut self, saved: &[f64]) {
        for (sum, pair) in self.sums().zip(saved.chunks_exact(2)) {
            *sum = Sum { value: pair[0], lost: pair[1] };
        }
    }
}

pub(super) fn add(sums: &mut [Sum; 3], terms: &[f64; 3]) {
    sums.iter_mut().zip(terms).for_each(|(sum, x)| sum.add(*x));
}

pub(super) fn cross(a: &[f64], b: &[f64]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
