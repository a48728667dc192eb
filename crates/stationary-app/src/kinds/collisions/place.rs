//! Where many bodies are put: on a lattice, or by chance.

use crate::scenario::Placement;
use stationary::linalg::{Vec2, Vec3};

/// Numbers that look random, from a generator of our own: the same seed gives the same numbers everywhere.
pub(super) struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    /// At least 0, less than 1; a counter whose bits are mixed.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A direction of the plane or of space, all alike.
    pub fn direction(&mut self, space: usize) -> Vec3 {
        let (sin, cos) = (std::f64::consts::TAU * self.unit()).sin_cos();
        if space == 2 {
            return Vec3::new(cos, sin, 0.0);
        }
        let z = 2.0 * self.unit() - 1.0;
        let r = (1.0 - z * z).max(0.0).sqrt();
        Vec3::new(r * cos, r * sin, z)
    }
}

/// Why there is no place: how many bodies there is room for.
pub(super) struct NoRoom(pub usize);

/// Sites of a lattice for `count` bodies of this reach, the first axis fastest.
pub(super) fn lattice(
    placement: &Placement,
    space: usize,
    reach: f64,
    count: usize,
) -> Result<Vec<Vec3>, NoRoom> {
    let [low, high] = placement.within;
    let width = |k: usize| high[k] - low[k];
    // Sites may touch.
    let most = |k: usize| ((width(k) / (2.0 * reach)) * (1.0 + 1e-12)).floor().min(1e6) as usize;
    let room = (0..space).map(most).fold(1_usize, |a, b| a.saturating_mul(b));
    if room < count {
        return Err(NoRoom(room));
    }
    let volume: f64 = (0..space).map(width).product();
    let spacing = (volume / count as f64).powf(1.0 / space as f64);
    let mut sites = [1_usize; 3];
    for (k, n) in sites.iter_mut().enumerate().take(space) {
        *n = ((width(k) / spacing) as usize).clamp(1, most(k));
    }
    while sites.iter().product::<usize>() < count {
        let loose = |k: &usize| sites[*k] < most(*k);
        let widest = (0..space).filter(loose).max_by(|a, b| {
            let spacing = |k: usize| width(k) / sites[k] as f64;
            spacing(*a).total_cmp(&spacing(*b)).then(b.cmp(a))
        });
        match widest {
            Some(k) => sites[k] += 1,
            None => return Err(NoRoom(room)),
        }
    }
    let site = |number: usize| {
        let at = [number % sites[0], number / sites[0] % sites[1], number / sites[0] / sites[1]];
        Vec3::from_fn(|k| {
            if k < space { low[k] + (at[k] as f64 + 0.5) * width(k) / sites[k] as f64 } else { 0.0 }
        })
    };
    Ok((0..count).map(site).collect())
}

/// Tries for one body, after which there is no room.
const TRIES: usize = 5_000;

/// Circles (or balls) that were placed, in cells for a quick look around.
pub(super) struct Taken {
    low: Vec3,
    cell: f64,
    largest: f64,
    cells: std::collections::BTreeMap<[i64; 3], Vec<(Vec3, f64)>>,
}

impl Taken {
    pub fn new(placement: &Placement, reach: f64) -> Self {
        Taken { low: placement.within[0], cell: 2.0 * reach, largest: 0.0, cells: Default::default() }
    }

    fn cell_of(&self, x: Vec3) -> [i64; 3] {
        std::array::from_fn(|k| ((x[k] - self.low[k]) / self.cell).floor() as i64)
    }

    pub fn add(&mut self, at: Vec3, reach: f64) {
        self.largest = self.largest.max(reach);
        self.cells.entry(self.cell_of(at)).or_default().push((at, reach));
    }

    fn free(&self, at: Vec3, reach: f64, space: usize) -> bool {
        let far = (((reach + self.largest) / self.cell).ceil() as i64).min(1_000_000);
        let meets = |(other, r): &(Vec3, f64)| (at - *other).norm() < reach + r;
        let around = (2 * far + 1).saturating_pow(space as u32);
        if around as usize > self.cells.len() {
            return !self.cells.values().flatten().any(meets);
        }
        let [x, y, z] = self.cell_of(at);
        let deep = if space == 3 { far } else { 0 };
        for i in x - far..=x + far {
            for j in y - far..=y + far {
                for k in z - deep..=z + deep {
                    if self.cells.get(&[i, j, k]).is_some_and(|all| all.iter().any(meets)) {
                        return false;
                    }
                }
            }
        }
        true
    }
}

/// A place by chance where a body of this reach meets nothing.
pub(super) fn random(
    placement: &Placement,
    space: usize,
    reach: f64,
    taken: &Taken,
    chance: &mut Chance,
    fits: impl Fn(Vec3) -> bool,
) -> Option<Vec3> {
    let [low, high] = placement.within;
    if (0..space).any(|k| high[k] - low[k] < 2.0 * reach) {
        return None;
    }
    (0..TRIES).find_map(|_| {
        let at = Vec3::from_fn(|k| {
            if k < space { low[k] + reach + (high[k] - low[k] - 2.0 * reach) * chance.unit() } else { 0.0 }
        });
        (taken.free(at, reach, space) && fits(at)).then_some(at)
    })
}

/// Distance of a point from a segment.
pub(super) fn from_segment(at: Vec3, ends: &[Vec2; 2]) -> f64 {
    let [a, b] = ends.map(|end| end.extend(0.0));
    let (along, arm) = (b - a, at - a);
    let part = (arm.dot(along) / along.dot(along)).clamp(0.0, 1.0);
    (arm - part * along).norm()
}
