//! Hard discs, exactly and simply: every pair's time by its formula, velocities exchanged along the line of centres. Shares no code
//! with the integrator.

/// Equal discs of mass one in the box `[0, width]^2`.
pub(crate) struct HardDiscs {
    pub(crate) width: f64,
    pub(crate) radius: f64,
    pub(crate) x: Vec<[f64; 2]>,
    pub(crate) v: Vec<[f64; 2]>,
    pub(crate) time: f64,
    /// The next impact of each disc: when, and with which disc, or with a wall (`n` to `n + 3`: left, right, below, above).
    next: Vec<(f64, usize)>,
}

impl HardDiscs {
    pub(crate) fn new(width: f64, radius: f64, x: Vec<[f64; 2]>, v: Vec<[f64; 2]>) -> Self {
        let n = x.len();
        let mut all = HardDiscs { width, radius, x, v, time: 0.0, next: vec![(f64::INFINITY, 0); n] };
        for i in 0..n {
            all.next[i] = all.first_of(i);
        }
        all
    }

    /// How long until discs `i` and `j` touch.
    fn pair(&self, i: usize, j: usize) -> f64 {
        let (mut b, mut vv, mut rr) = (0.0, 0.0, 0.0);
        for k in 0..2 {
            let (r, v) = (self.x[i][k] - self.x[j][k], self.v[i][k] - self.v[j][k]);
            b += r * v;
            vv += v * v;
            rr += r * r;
        }
        let root = b * b - vv * (rr - 4.0 * self.radius * self.radius);
        if b >= 0.0 || root < 0.0 { f64::INFINITY } else { ((-b - root.sqrt()) / vv).max(0.0) }
    }

    fn wall(&self, i: usize, wall: usize) -> f64 {
        let (k, upper) = (wall / 2, wall % 2 == 1);
        let (x, v) = (self.x[i][k], self.v[i][k]);
        match upper {
            true if v > 0.0 => ((self.width - self.radius - x) / v).max(0.0),
            false if v < 0.0 => ((self.radius - x) / v).max(0.0),
            _ => f64::INFINITY,
        }
    }

    fn first_of(&self, i: usize) -> (f64, usize) {
        let n = self.x.len();
        let discs = (0..n).filter(|j| *j != i).map(|j| (self.pair(i, j), j));
        let walls = (0..4).map(|w| (self.wall(i, w), n + w));
        let first = discs.chain(walls).fold((f64::INFINITY, 0), |m, e| if e.0 < m.0 { e } else { m });
        (self.time + first.0, first.1)
    }

    /// Makes the next impact; returns who met.
    pub(crate) fn step(&mut self) -> (usize, usize) {
        let n = self.x.len();
        let i = (0..n).min_by(|a, b| self.next[*a].0.total_cmp(&self.next[*b].0)).unwrap();
        let (time, j) = self.next[i];
        let passed = time - self.time;
        for (x, v) in self.x.iter_mut().zip(&self.v) {
            *x = [x[0] + passed * v[0], x[1] + passed * v[1]];
        }
        self.time = time;
        if j >= n {
            let k = (j - n) / 2;
            self.v[i][k] = -self.v[i][k];
        } else {
            let apart = [self.x[i][0] - self.x[j][0], self.x[i][1] - self.x[j][1]];
            let length = apart[0].hypot(apart[1]);
            let line = apart.map(|a| a / length);
            let exchanged: f64 = (0..2).map(|k| (self.v[i][k] - self.v[j][k]) * line[k]).sum();
            for k in 0..2 {
                self.v[i][k] -= exchanged * line[k];
                self.v[j][k] += exchanged * line[k];
            }
        }
        // Whoever waited for one of them waits anew.
        for k in 0..n {
            if k == i || k == j || self.next[k].1 == i || self.next[k].1 == j && j < n {
                self.next[k] = self.first_of(k);
            }
        }
        for k in [i, j].into_iter().filter(|k| *k < n) {
            for other in 0..n {
                let when = self.time + if other == k { f64::INFINITY } else { self.pair(other, k) };
                if when < self.next[other].0 {
                    self.next[other] = (when, k);
                }
            }
        }
        (i.min(j), i.max(j))
    }
}
