//! VTI04 Figs. 9-11: the blade at the beginning and at the end of a run, one figure a case.

use super::blade::draw::{Canvas, View, colour};
use super::blade::recorded::Recorded;
use super::blade::{Body, CASES, Case};
use crate::{Claim, Outcome, Scale, series};
use stationary_report::plot::Plot;

/// Fig. 9.
pub fn case_1(scale: Scale) -> Result<Outcome, String> {
    run(&CASES[0], scale)
}

/// Fig. 10.
pub fn case_2(scale: Scale) -> Result<Outcome, String> {
    run(&CASES[1], scale)
}

/// Fig. 11.
pub fn case_3(scale: Scale) -> Result<Outcome, String> {
    run(&CASES[2], scale)
}

/// Size of the figure; the upper part is for the pictures.
const SIZE: [u32; 2] = [1120, 780];
const UPPER: u32 = 410;
/// Pictures in each fan, and revolutions between them: both arms together fill the circle.
const PICTURES: usize = 5;
const APART: f64 = 0.1;

/// How the blade changes its shape.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Distance that the centre of mass moves (m).
    pub centre: f64,
    /// Longest radius of the tip over that at rest, less one.
    pub longest: f64,
    /// Mean of the radius in the last revolution over that at rest, less one.
    pub late: f64,
    /// Half the range of the radius (m) in the last revolution.
    pub breathing: f64,
    /// Largest deflection of the tip (m): in the whole run, and in the last revolution.
    pub deflection: [f64; 2],
    /// Largest twist of the tip out of the plane (degrees), likewise.
    pub twist: [f64; 2],
}

fn run(case: &Case, scale: Scale) -> Result<Outcome, String> {
    let (body, recorded) = (case.body()?, case.long_run(scale)?);
    let shape = shape(&body, recorded);
    let turned = recorded.revolutions();
    let t = recorded.column("t");
    let end = [t[t.len() - 1], turned[turned.len() - 1]];
    let table = vec![
        format!("run to {:.4} s, {:.2} revolutions, {:.0} s of computing", end[0], end[1], recorded.wall),
        format!(
            "radius of the tip: at most {:+.3} %, mean of the last revolution {:+.3} % ± {:.3} m",
            100.0 * shape.longest,
            100.0 * shape.late,
            shape.breathing
        ),
        format!(
            "out of the plane: deflection of the tip up to {:.3} m, last revolution {:.3} m; twist up to {:.1}°, last {:.1}°",
            shape.deflection[0], shape.deflection[1], shape.twist[0], shape.twist[1]
        ),
        format!("the centre of mass moves by {:.1e} m", shape.centre),
    ];
    // By the clock: the end of the joint, which the angle is taken of, sways.
    let clock: Vec<f64> = t.iter().map(|t| t * end[1] / end[0]).collect();
    let plot = Plot::new("")
        .x_label("revolutions")
        .y_label("m")
        .line(
            "radius of the tip, less 7.2 m",
            &clock,
            &recorded.column("tip").iter().map(|r| r - 7.2).collect::<Vec<_>>(),
        )
        .line("deflection of the tip along the axis", &clock, recorded.column("deflection"));
    let mut canvas = Canvas::new(SIZE[0], SIZE[1]);
    draw(&mut canvas, &body, recorded, &turned)?;
    canvas.embed([0, UPPER], &plot.to_svg(SIZE[0], SIZE[1] - UPPER));
    Ok(Outcome { plot: canvas.finish(), table, claims: claims(case, &shape, scale) })
}

fn shape(body: &Body, recorded: &Recorded) -> Shape {
    let (points, mass) = (body.solid.points(), body.solid.mass());
    let whole: f64 = mass.iter().sum();
    let centre = |u: &Vec<f64>| {
        let along = |i: usize| (0..mass.len()).map(|a| mass[a] * u[3 * a + i]).sum::<f64>() / whole;
        (0..3).map(|i| along(i).powi(2)).sum::<f64>().sqrt()
    };
    let edges = [-0.2665, 0.2665].map(|y| nearest(points, [7.2, y, 0.0]));
    let twist = |u: &Vec<f64>| {
        let d: [f64; 3] = std::array::from_fn(|i| {
            let at = |a: usize| points[3 * a + i] + u[3 * a + i];
            at(edges[1]) - at(edges[0])
        });
        (d[2] / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()).asin().to_degrees().abs()
    };
    let largest = |values: &mut dyn Iterator<Item = f64>| {
        values.fold(0.0, |a: f64, b| if b.is_nan() || a.is_nan() { f64::NAN } else { a.max(b) })
    };
    let t = recorded.column("t");
    let last = t[t.len() - 1] - recorded.period(1.0);
    let late = t.iter().position(|t| *t >= last).unwrap_or(0);
    let late_frame = recorded.frame_times.iter().position(|t| *t >= last).unwrap_or(0);
    let (tip, z) = (recorded.column("tip"), recorded.column("deflection"));
    let (low, high) = series::range(&tip[late..]);
    Shape {
        centre: largest(&mut recorded.frames.iter().map(centre)),
        longest: series::range(tip).1 / tip[0] - 1.0,
        late: series::mean(&tip[late..]) / tip[0] - 1.0,
        breathing: 0.5 * (high - low),
        deflection: [0, late].map(|k| largest(&mut z[k..].iter().map(|z| z.abs()))),
        twist: [0, late_frame].map(|k| largest(&mut recorded.frames[k..].iter().map(twist))),
    }
}

fn nearest(points: &[f64], to: [f64; 3]) -> usize {
    let distance = |a: &usize| (0..3).map(|i| (points[3 * a + i] - to[i]).powi(2)).sum::<f64>();
    (0..points.len() / 3).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
}

/// Two fans of pictures, from the first and from the last revolution.
fn draw(canvas: &mut Canvas, body: &Body, recorded: &Recorded, turned: &[f64]) -> Result<(), String> {
    let mut faces = Vec::new();
    for group in ["skin", "tips"] {
        let group = body.mesh.group(group).map_err(|e| e.to_string())?;
        faces.extend(body.mesh.boundary_faces(group).map_err(|e| e.to_string())?);
    }
    let (t, end) = (recorded.column("t"), turned[turned.len() - 1]);
    for (column, title) in ["(a) at the beginning", "(b) at the end"].into_iter().enumerate() {
        let middle = f64::from(SIZE[0]) * (0.25 + 0.5 * column as f64);
        canvas.text([middle, 20.0], "middle", 14, title);
        let view = View { scale: f64::from(SIZE[0]) / 37.0, origin: [middle, 214.0], elevation: 38.0 };
        for k in 0..PICTURES {
            let goal = if column == 0 { APART * k as f64 } else { end - APART * (PICTURES - 1 - k) as f64 };
            if !(0.0..=end).contains(&goal) {
                continue;
            }
            let row = turned.iter().position(|r| *r >= goal).unwrap_or(t.len() - 1);
            let away = |f: &usize| (recorded.frame_times[*f] - t[row]).abs();
            let frame = (0..recorded.frames.len())
                .min_by(|a, b| away(a).total_cmp(&away(b)))
                .ok_or("the run has no frames")?;
            let at = |a: u32| -> [f64; 3] {
                std::array::from_fn(|i| {
                    body.mesh.points[a as usize][i] + recorded.frames[frame][3 * a as usize + i]
                })
            };
            let triangles: Vec<[[f64; 3]; 3]> =
                faces.iter().map(|f| std::array::from_fn(|i| at(f.nodes()[i]))).collect();
            let fill = colour(0.25 + 0.7 * k as f64 / (PICTURES - 1) as f64);
            canvas.surface(&view, triangles.iter(), &fill);
            let place = [middle - 270.0, 320.0 + 17.0 * k as f64];
            canvas.rectangle([place[0], place[1] - 9.0], [12.0, 9.0], &fill);
            canvas.text(
                [place[0] + 17.0, place[1]],
                "start",
                11,
                &format!("t = {:.4} s", recorded.frame_times[frame]),
            );
        }
    }
    Ok(())
}

fn claims(case: &Case, shape: &Shape, scale: Scale) -> Vec<Claim> {
    let mut claims = vec![Claim::below("the centre of mass moves (m)", shape.centre, 1e-10)];
    if scale == Scale::Full {
        // Case 1 "negligible", 2 "non-negligible", 3 "large" elongation.
        let (low, high) = [(0.0, 0.01), (0.005, 0.02), (0.05, 0.2)][case.number - 1];
        claims.push(Claim::between("mean elongation in the last revolution", shape.late, low, high));
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vti04_snapshots_claims_hold() {
        for case in &CASES {
            let (body, recorded) = (case.body().unwrap(), case.long_run(Scale::Reduced).unwrap());
            let shape = shape(&body, recorded);
            for claim in claims(case, &shape, Scale::Reduced) {
                assert!(claim.holds(), "{claim}");
            }
            let wrong = Shape { centre: 1e-3, late: 0.5, ..shape };
            assert!(claims(case, &wrong, Scale::Full).iter().all(|claim| !claim.holds()));
        }
    }

    #[test]
    fn blade_snapshot_comparison_detects_rotation_and_translation() {
        let body = CASES[0].body().unwrap();
        let mut recorded = CASES[0].long_run(Scale::Reduced).unwrap().clone();
        // The tip twisted by 0.1 rad about the span, all of it raised by 2 mm.
        let (sin, cos) = 0.1f64.sin_cos();
        let turn =
            |x: &[f64; 3]| [0.0, x[1] * (cos - 1.0) - x[2] * sin, x[1] * sin + x[2] * (cos - 1.0) + 2e-3];
        recorded.frames[1] = body.mesh.points.iter().flat_map(turn).collect();
        let shape = shape(&body, &recorded);
        assert!((shape.twist[0] - 0.1f64.to_degrees()).abs() < 1e-3, "{shape:?}");
        assert!((shape.centre - 2e-3).abs() < 1e-6, "{shape:?}");
    }
}
