//! What a run of the blade left in its folder.

use std::f64::consts::TAU;
use std::path::Path;

/// The series and the frames of a run.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    /// Times of the frames.
    pub frame_times: Vec<f64>,
    /// Displacements in each frame, three numbers a node.
    pub frames: Vec<Vec<f64>>,
    /// Seconds that the run took.
    pub wall: f64,
}

impl Recorded {
    /// Reads a folder of results.
    pub fn read(folder: &Path) -> Result<Recorded, String> {
        let text = |name: &str| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
        };
        let mut recorded = Recorded::default();
        recorded.series(&text("series.csv")?)?;
        let summary = text("summary.json")?;
        recorded.wall =
            after(&summary, "\"wall_seconds\": ", ",").and_then(|s| s.parse().ok()).unwrap_or(f64::NAN);
        for line in text("frames.pvd").unwrap_or_default().lines().filter(|l| l.contains("<DataSet")) {
            let time = after(line, "timestep=\"", "\"").and_then(|s| s.parse().ok());
            let (Some(time), Some(file)) = (time, after(line, "file=\"", "\"")) else {
                return Err(format!("frames.pvd: unexpected line {line}"));
            };
            let path = folder.join(file);
            let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            recorded.frame_times.push(time);
            recorded.frames.push(displacement(&bytes).ok_or_else(|| format!("{file}: no displacements"))?);
        }
        Ok(recorded)
    }

    fn series(&mut self, text: &str) -> Result<(), String> {
        let mut lines = text.lines();
        self.names = lines.next().unwrap_or_default().split(',').map(String::from).collect();
        self.columns = vec![Vec::new(); self.names.len()];
        for line in lines {
            for (column, value) in self.columns.iter_mut().zip(line.split(',')) {
                column.push(value.parse().map_err(|_| format!("series.csv: `{value}` is not a number"))?);
            }
        }
        Ok(())
    }

    /// A column of the series; none of this name is a fault of ours.
    pub fn column(&self, name: &str) -> &[f64] {
        let i = self.names.iter().position(|n| n == name).expect("a column of the scenario");
        &self.columns[i]
    }

    /// Revolutions so far, from the angle of the end of the joint.
    pub fn revolutions(&self) -> Vec<f64> {
        let mut turned = vec![0.0];
        for pair in self.column("angle").windows(2) {
            let step = (pair[1] - pair[0]) / TAU;
            turned.push(turned[turned.len() - 1] + step - step.round());
        }
        turned
    }

    /// Seconds a revolution in the last `count` whole revolutions, or in all of the run where it has fewer.
    pub fn period(&self, count: f64) -> f64 {
        let (t, turned) = (self.column("t"), self.revolutions());
        let last = turned.len() - 1;
        if turned[last] < count {
            return t[last] / turned[last];
        }
        // The moment when so many were still to come, between two rows.
        let goal = turned[last] - count;
        let k = turned.iter().rposition(|r| *r <= goal).unwrap_or(0).min(last - 1);
        let start = t[k] + (goal - turned[k]) / (turned[k + 1] - turned[k]) * (t[k + 1] - t[k]);
        (t[last] - start) / count
    }

    /// Moments of inertia about the axis in the frames.
    pub fn inertia(&self, points: &[f64], mass: &[f64]) -> Vec<f64> {
        let at = |u: &[f64], i: usize| (points[i] + u[i]).powi(2);
        let of = |u: &Vec<f64>| (0..mass.len()).map(|a| mass[a] * (at(u, 3 * a) + at(u, 3 * a + 1))).sum();
        self.frames.iter().map(of).collect()
    }

    /// The period that follows from the angular momentum: from some time on, `2 pi` over the mean of `L/I` by the trapezoidal rule.
    pub fn period_by_momentum(&self, points: &[f64], mass: &[f64], from: f64) -> f64 {
        let momentum = self.column("momentum.angular.z")[0];
        let inertia = self.inertia(points, mass);
        let late: Vec<usize> = (0..inertia.len()).filter(|k| self.frame_times[*k] >= from).collect();
        let (mut angle, mut time) = (0.0, 0.0);
        for pair in late.windows(2) {
            let passed = self.frame_times[pair[1]] - self.frame_times[pair[0]];
            angle += 0.5 * passed * (momentum / inertia[pair[0]] + momentum / inertia[pair[1]]);
            time += passed;
        }
        TAU * time / angle
    }
}

/// The text between a mark and the next end mark.
fn after<'a>(text: &'a str, mark: &str, end: &str) -> Option<&'a str> {
    let rest = &text[text.find(mark)? + mark.len()..];
    rest.find(end).map(|at| &rest[..at])
}

/// The displacements in a frame: a block of raw doubles after the header, with its length before it.
fn displacement(bytes: &[u8]) -> Option<Vec<f64>> {
    let mark = b"<AppendedData encoding=\"raw\">\n_";
    let start = bytes.windows(mark.len()).position(|w| w == mark)? + mark.len();
    let header = std::str::from_utf8(&bytes[..start]).ok()?;
    let array = after(header, "Name=\"displacement\"", "/>")?;
    let offset: usize = after(array, "offset=\"", "\"")?.parse().ok()?;
    let (length, data) = bytes.get(start + offset..)?.split_first_chunk::<8>()?;
    let data = data.get(..u64::from_le_bytes(*length) as usize)?;
    Some(data.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blade_period_is_that_of_the_angle() {
        let mut text = String::from("t,angle,momentum.angular.z");
        for k in 0..=100 {
            let t = 0.01 * f64::from(k);
            let angle = 0.3 + 17.0 * t;
            text += &format!("\n{t},{},5", angle.sin().atan2(angle.cos()));
        }
        let mut recorded = Recorded::default();
        recorded.series(&text).unwrap();
        for count in [1.0, 2.0, 50.0] {
            assert!((recorded.period(count) - TAU / 17.0).abs() < 1e-12);
        }
        // A point mass of 2 at distance 0.5 with momentum 5 turns at 10 rad/s.
        recorded.frame_times = vec![0.0, 0.1, 0.3];
        recorded.frames = vec![vec![0.1, 0.0, 7.0]; 3];
        let period = recorded.period_by_momentum(&[0.2, 0.4, 0.0], &[2.0], 0.05);
        assert!((period - TAU / 10.0).abs() < 1e-12);
    }
}
