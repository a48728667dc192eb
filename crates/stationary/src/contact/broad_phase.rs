//! The broad phase: which bodies may meet at all. The boxes that bodies sweep lie in the cells of a uniform grid.

use crate::archive::{Archive, Persist};
use crate::linalg::{Vec3, Vector};

/// A box with sides along the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reach {
    pub low: Vec3,
    pub high: Vec3,
}

impl Reach {
    fn meets(&self, other: &Reach) -> bool {
        (0..3).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }
}

impl Persist for Reach {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.low).pass(&mut self.high);
    }
}

/// Bodies by cell. What lies outside of the grid counts to the cells at its rim.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    low: Vec3,
    /// Cells per length.
    per: Vec3,
    count: [usize; 3],
    cells: Vec<Vec<u32>>,
    pub boxes: Vec<Reach>,
    /// The last query in which a body was met: it is told once.
    seen: Vec<u64>,
    query: u64,
}

impl Grid {
    /// A grid for these boxes.
    pub fn rebuild(&mut self, boxes: Vec<Reach>, dimension: usize) {
        let n = boxes.len();
        let mut low = Vector([f64::MAX; 3]);
        let mut high = Vector([f64::MIN; 3]);
        let mut extent = Vec3::ZERO;
        for b in &boxes {
            for k in 0..3 {
                low[k] = low[k].min(b.low[k]);
                high[k] = high[k].max(b.high[k]);
                extent[k] += (b.high[k] - b.low[k]) / n as f64;
            }
        }
        // About a cell for each body, and none much smaller than a box.
        let most = (2.0 * n as f64).powf(1.0 / dimension as f64).ceil().max(1.0);
        self.low = low;
        for k in 0..3 {
            let width = high[k] - low[k];
            let cells =
                if k < dimension && extent[k] > 0.0 { (width / extent[k]).min(most).floor() } else { 1.0 };
            self.count[k] = cells.max(1.0) as usize;
            self.per[k] = if width > 0.0 { self.count[k] as f64 / width } else { 0.0 };
        }
        self.cells.iter_mut().for_each(Vec::clear);
        self.cells.resize_with(self.count.iter().product(), Vec::new);
        self.seen.resize(n, 0);
        self.boxes = boxes;
        for i in 0..n {
            self.insert(i);
        }
    }

    fn cell(&self, k: usize, x: f64) -> usize {
        // A number out of range saturates.
        (((x - self.low[k]) * self.per[k]) as usize).min(self.count[k] - 1)
    }

    fn each_cell(&self, b: &Reach, mut visit: impl FnMut(usize)) {
        let range = |k: usize| self.cell(k, b.low[k])..=self.cell(k, b.high[k]);
        for x in range(0) {
            for y in range(1) {
                for z in range(2) {
                    visit((z * self.count[1] + y) * self.count[0] + x);
                }
            }
        }
    }

    fn insert(&mut self, i: usize) {
        let b = self.boxes[i];
        let mut cells = std::mem::take(&mut self.cells);
        self.each_cell(&b, |c| cells[c].push(i as u32));
        self.cells = cells;
    }

    /// Gives a body a new box.
    pub fn replace(&mut self, i: usize, b: Reach) {
        let old = self.boxes[i];
        let mut cells = std::mem::take(&mut self.cells);
        self.each_cell(&old, |c| {
            if let Some(at) = cells[c].iter().position(|j| *j == i as u32) {
                cells[c].swap_remove(at);
            }
        });
        self.cells = cells;
        self.boxes[i] = b;
        self.insert(i);
    }

    /// The bodies whose boxes meet that of body `i`, in the order of their numbers.
    pub fn near(&mut self, i: usize, into: &mut Vec<u32>) {
        into.clear();
        self.query += 1;
        let b = self.boxes[i];
        let mut seen = std::mem::take(&mut self.seen);
        seen[i] = self.query;
        self.each_cell(&b, |c| {
            for &j in &self.cells[c] {
                if seen[j as usize] != self.query {
                    seen[j as usize] = self.query;
                    if b.meets(&self.boxes[j as usize]) {
                        into.push(j);
                    }
                }
            }
        });
        self.seen = seen;
        into.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_boxes_that_meet_is_found_also_after_boxes_moved() {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut boxed = |spread: f64| {
            let low: Vec3 = Vec3::from_fn(|_| spread * random());
            Reach { low, high: low.map(|x| x + 0.7 * random()) }
        };
        let mut grid = Grid::default();
        for round in 0..4 {
            grid.rebuild((0..60).map(|_| boxed(4.0 + f64::from(round))).collect(), 3);
            for moved in 0..30 {
                // Some leave the grid.
                grid.replace(moved, boxed(20.0));
            }
            let mut found = Vec::new();
            for i in 0..60 {
                grid.near(i, &mut found);
                let all: Vec<u32> = (0..60)
                    .filter(|j| *j != i && grid.boxes[i].meets(&grid.boxes[*j]))
                    .map(|j| j as u32)
                    .collect();
                assert_eq!(found, all);
            }
        }
    }
}
