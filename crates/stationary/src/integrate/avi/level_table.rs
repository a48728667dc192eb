//! The levels of harmonic time steps as a table.

use crate::model::Potentials;

/// The levels of harmonic time steps, one row a level, the smallest time step first.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelTable {
    /// The rows.
    pub rows: Vec<LevelRow>,
}

/// The elements of one level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelRow {
    /// The level: the time step is the smallest one times two to this power.
    pub level: u32,
    /// The time step.
    pub step: f64,
    /// The number of elements.
    pub elements: u64,
    /// How many of them share a node with an element of a smaller time step.
    pub at_boundary: u64,
    /// Part of all updates that elements of this level make.
    pub updates_share: f64,
}

impl LevelTable {
    /// The table of time steps; none if they are not powers of two times the smallest.
    ///
    /// ```
    /// use stationary::integrate::avi::LevelTable;
    /// # struct Springs;
    /// # impl stationary::model::Potentials for Springs {
    /// #     fn count(&self) -> usize { 3 }
    /// #     fn nodes(&self, k: usize) -> &[u32] { &[0, 1, 2, 3][k..k + 2] }
    /// #     fn gradient(&self, _: usize, _: f64, _: &[f64], _: &mut [f64]) -> Result<f64, stationary::model::PotentialFault> { Ok(0.0) }
    /// # }
    /// # let springs = Springs; // a chain of three
    /// let table = LevelTable::new(&springs, &[0.5, 1.0, 1.0]).unwrap();
    /// assert_eq!((table.rows[1].level, table.rows[1].elements, table.rows[1].at_boundary), (1, 2, 1));
    /// assert_eq!(table.rows[0].updates_share, 0.5);
    /// assert_eq!(table.boundary_share(), 1.0 / 3.0);
    /// assert!(LevelTable::new(&springs, &[0.5, 0.7, 1.0]).is_none());
    /// ```
    pub fn new<P: Potentials + ?Sized>(potentials: &P, steps: &[f64]) -> Option<Self> {
        let levels = levels(steps)?;
        let at_boundary = touching_faster(potentials, steps);
        let mut rows: Vec<LevelRow> = Vec::new();
        let top = levels.iter().max().copied()?;
        let smallest = steps.iter().copied().fold(f64::INFINITY, f64::min);
        for level in 0..=top {
            let step = smallest * f64::from(level).exp2();
            rows.push(LevelRow { level, step, elements: 0, at_boundary: 0, updates_share: 0.0 });
        }
        for (level, at_boundary) in levels.iter().zip(&at_boundary) {
            let row = &mut rows[*level as usize];
            row.elements += 1;
            row.at_boundary += u64::from(*at_boundary);
        }
        let updates = |row: &LevelRow| row.elements as f64 * (-f64::from(row.level)).exp2();
        let total: f64 = rows.iter().map(updates).sum();
        for row in &mut rows {
            row.updates_share = updates(row) / total;
        }
        rows.retain(|row| row.elements > 0);
        Some(LevelTable { rows })
    }

    /// Part of the elements that share a node with an element of a smaller time step.
    pub fn boundary_share(&self) -> f64 {
        let elements: u64 = self.rows.iter().map(|row| row.elements).sum();
        let at_boundary: u64 = self.rows.iter().map(|row| row.at_boundary).sum();
        at_boundary as f64 / elements as f64
    }

    /// Part of the updates that are those of such elements.
    pub fn boundary_updates_share(&self) -> f64 {
        let share = |row: &LevelRow| row.updates_share * row.at_boundary as f64 / row.elements as f64;
        self.rows.iter().map(share).sum()
    }
}

/// Largest level of a table: steps that differ by more are no levels but an accident.
const MOST: f64 = 64.0;

/// The level of each time step over the smallest, if all of them are powers of two of it.
pub fn levels(steps: &[f64]) -> Option<Vec<u32>> {
    let smallest = steps.iter().copied().fold(f64::INFINITY, f64::min);
    let level = |h: &f64| {
        let level = (h / smallest).log2().round();
        ((0.0..=MOST).contains(&level) && smallest * level.exp2() == *h).then_some(level as u32)
    };
    steps.iter().map(level).collect()
}

/// Whether each element shares a node with an element of a smaller time step.
pub fn touching_faster<P: Potentials + ?Sized>(potentials: &P, steps: &[f64]) -> Vec<bool> {
    let nodes = (0..steps.len()).flat_map(|k| potentials.nodes(k)).max().map_or(0, |a| *a as usize + 1);
    let mut least = vec![f64::INFINITY; nodes];
    for (k, h) in steps.iter().enumerate() {
        for a in potentials.nodes(k) {
            least[*a as usize] = least[*a as usize].min(*h);
        }
    }
    let touches = |k: usize| potentials.nodes(k).iter().any(|a| least[*a as usize] < steps[k]);
    (0..steps.len()).map(touches).collect()
}
