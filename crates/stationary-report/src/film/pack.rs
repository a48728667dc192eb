//! The numbers of a film for its player, no finer than a pixel can show.

use super::{Backdrop, Film, HUGE, Outline, Pose};
use crate::encode::{base64, rounded};
use serde_json::{Value, json};

/// Places are counted in this many parts of the scene: an error of 0.8e-5 of its size.
const PARTS: f64 = 65_535.0;

/// A film as text for its player.
pub(super) struct Packed {
    /// The least and the largest coordinates that are to be seen.
    pub bounds: [[f64; 3]; 2],
    /// How far from their middle there is something to be seen, from wherever one looks.
    pub radius: f64,
    /// Time of the film in a second of play at which its motion is easy to follow.
    pub speed: f64,
    /// Where places are counted from, and the unit.
    origin: [f64; 3],
    unit: f64,
    times: (f64, f64),
    frames: usize,
    turning: Vec<usize>,
    angles: Vec<f64>,
    /// In base64, first 32-bit floats, then 16-bit whole numbers, the least byte first: times of frames, increments of
    /// angles, times of marks; places of frames, places of marks.
    pub data: String,
}

impl Packed {
    pub fn of(film: &Film) -> Packed {
        let (times, poses) = film.reel();
        let marks = film.marks.iter().map(|m| m.at);
        let [lo, hi] = hull(poses.iter().map(|p| p.at).chain(marks));
        let size = (0..film.space).map(|i| hi[i] - lo[i]).fold(0.0, f64::max);
        let unit = if size > 1.0 / HUGE { size / PARTS } else { 1.0 };
        let (first, last) = (times[0], times[times.len() - 1]);
        let mut turning = film.turning.clone();
        turning.sort_unstable();

        let mut bytes = Vec::new();
        let mut float = |x: f64| bytes.extend_from_slice(&(x as f32).to_le_bytes());
        let part = |t: f64| if last > first { (t - first) / (last - first) } else { 0.0 };
        times.iter().for_each(|t| float(part(*t)));
        // Increments of what the player has added up so far: no error grows, however often a figure has turned.
        let mut sums: Vec<f64> = turning.iter().map(|k| poses[*k].angle).collect();
        for frame in poses.chunks(film.width.max(1)) {
            for (k, sum) in turning.iter().zip(&mut sums) {
                let increment = (frame[*k].angle - *sum) as f32;
                *sum += f64::from(increment);
                float(f64::from(increment));
            }
        }
        film.marks.iter().for_each(|m| float(part(m.t)));
        let mut place = |at: &[f64; 3]| {
            for i in 0..film.space {
                let count = ((at[i] - lo[i]) / unit).round() as u16;
                bytes.extend_from_slice(&count.to_le_bytes());
            }
        };
        poses.iter().for_each(|p| place(&p.at));
        film.marks.iter().for_each(|m| place(&m.at));

        let bounds = bounds(film, &poses);
        Packed {
            radius: radius(film, &poses, &bounds),
            bounds,
            speed: speed(film, &times, &poses, extent(film.space, &bounds)),
            origin: lo,
            unit,
            times: (first, last),
            frames: times.len(),
            turning,
            angles: poses[..film.width].iter().map(|p| p.angle).collect(),
            data: base64(&bytes),
        }
    }

    /// Everything for the player. There are numbers only: nothing that a scenario names is part of it.
    pub fn to_json(&self, film: &Film) -> String {
        let number = |x: &f64| json!(rounded(*x, 7));
        let place = |at: &[f64; 3]| at[..film.space].iter().map(number).collect::<Value>();
        let colours = film.colours();
        let figures = film.figures.iter().zip(&colours).map(|(figure, colour)| {
            let colour = colour.map_or(-1, |c| c as i64);
            match &figure.outline {
                Outline::Disc { radius } | Outline::Sphere { radius } => json!([0, colour, number(radius)]),
                Outline::Ellipse { semi_axes: [a, b] } => json!([1, colour, number(a), number(b)]),
                Outline::Polygon(points) => {
                    let points: Value =
                        points.iter().map(|p| p.iter().map(number).collect::<Value>()).collect();
                    json!([2, colour, points])
                }
                Outline::Segment => json!([3, colour]),
            }
        });
        let backdrop = film.backdrop.iter().map(|b| match b {
            Backdrop::Line { from, to } => json!([0, [place(from), place(to)]]),
            Backdrop::Loop(points) => json!([1, points.iter().map(place).collect::<Value>()]),
        });
        let angles = if self.angles.iter().all(|a| *a == 0.0) { &[][..] } else { &self.angles[..] };
        json!({
            "space": film.space,
            "figures": figures.collect::<Value>(),
            "backdrop": backdrop.collect::<Value>(),
            "bounds": [place(&self.bounds[0]), place(&self.bounds[1])],
            "radius": number(&self.radius),
            "origin": self.origin[..film.space],
            "unit": self.unit,
            "start": self.times.0,
            "end": self.times.1,
            "open": film.open_until(),
            "frames": self.frames,
            "poses": film.width,
            "marks": film.marks.len(),
            "turning": self.turning,
            "angles": angles.iter().map(number).collect::<Value>(),
            "data": self.data,
        })
        .to_string()
    }
}

/// The least and the largest of each coordinate.
fn hull(places: impl Iterator<Item = [f64; 3]>) -> [[f64; 3]; 2] {
    let start = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    places.fold(start, |[lo, hi], at| {
        [std::array::from_fn(|i| lo[i].min(at[i])), std::array::from_fn(|i| hi[i].max(at[i]))]
    })
}

/// What is to be seen: every figure wherever it comes, and what stands behind.
fn bounds(film: &Film, poses: &[Pose]) -> [[f64; 3]; 2] {
    let moving = seen(film, poses).flat_map(|(at, r)| [at.map(|x| x - r), at.map(|x| x + r)]);
    let [lo, hi] = hull(moving);
    // Something that neither moves nor has a size still has a place.
    let room = if extent(film.space, &[lo, hi]) > 1.0 / HUGE { 0.0 } else { 0.5 };
    [lo.map(|x| x - room), hi.map(|x| x + room)]
}

/// Every place, and how far something reaches from it.
fn seen(film: &Film, poses: &[Pose]) -> impl Iterator<Item = ([f64; 3], f64)> {
    let reach = reach(film);
    let moving = poses.iter().enumerate().map(move |(k, pose)| (pose.at, reach[k % reach.len()]));
    let fixed = film.backdrop.iter().flat_map(|b| match b {
        Backdrop::Line { from, to } => vec![*from, *to],
        Backdrop::Loop(points) => points.clone(),
    });
    moving.chain(fixed.filter(|at| at.iter().all(|x| x.abs() <= HUGE)).map(|at| (at, 0.0)))
}

/// How far each pose reaches.
fn reach(film: &Film) -> Vec<f64> {
    film.figures.iter().flat_map(|f| vec![f.outline.reach(); f.outline.poses()]).collect()
}

fn radius(film: &Film, poses: &[Pose], [lo, hi]: &[[f64; 3]; 2]) -> f64 {
    // Relative to the size: squares of extreme lengths would leave the range of numbers.
    let size = extent(film.space, &[*lo, *hi]);
    let far = |(at, r): ([f64; 3], f64)| {
        let part = |i: usize| (at[i] - 0.5 * (lo[i] + hi[i])) / size;
        size * (0..film.space).map(|i| part(i).powi(2)).sum::<f64>().sqrt() + r
    };
    let far = seen(film, poses).map(far).fold(0.0, f64::max);
    if far > 0.0 { far } else { 1.0 }
}

fn extent(space: usize, [lo, hi]: &[[f64; 3]; 2]) -> f64 {
    (0..space).map(|i| hi[i] - lo[i]).fold(0.0, f64::max)
}

/// Time in a second of play. One, if that can be followed: most times are seconds. Otherwise so much that the fastest
/// figure goes through a third of the scene in a second, rounded.
fn speed(film: &Film, times: &[f64], poses: &[Pose], size: f64) -> f64 {
    let opening = film.open_until().map_or(times.len(), |until| times.partition_point(|t| *t <= until));
    let duration = times[opening - 1] - times[0];
    if duration <= 0.0 || film.width == 0 {
        return 1.0;
    }
    let frames: Vec<&[Pose]> = poses.chunks(film.width).take(opening).collect();
    let reach = reach(film);
    let step = |pair: &[&[Pose]]| {
        let moved = pair[0].iter().zip(pair[1]).zip(&reach).map(|((a, b), r)| {
            let square: f64 = (0..film.space).map(|i| ((b.at[i] - a.at[i]) / size).powi(2)).sum();
            square.sqrt() + (b.angle - a.angle).abs() * r / size
        });
        moved.fold(0.0, f64::max)
    };
    let way: f64 = frames.windows(2).map(step).sum();
    // At least four seconds for the whole.
    let wanted = (duration / way / 3.0).min(duration / 4.0);
    if (1.0 / 3.0..=3.0).contains(&wanted) || !(wanted > 0.0 && wanted.is_finite()) {
        return 1.0;
    }
    let power = wanted.log10().floor() as i32;
    let lead = wanted / 10f64.powi(power);
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().rfind(|m| *m <= lead * 1.3).unwrap_or(1.0);
    rounded(round * 10f64.powi(power), 3)
}
