use super::*;
use crate::testing::check_well_formed;

fn ramp(n: usize) -> Vec<f64> {
    (0..n).map(|i| i as f64).collect()
}

/// All the numbers in the path data of the first element of a class, as absolute places.
fn places(svg: &str, class: &str) -> Vec<(f64, f64)> {
    let start = svg.find(&format!("class=\"{class}\"")).expect("series is drawn");
    let data = svg[start..].split(" d=\"").nth(1).and_then(|d| d.split('"').next()).expect("has a path");
    let mut all = Vec::new();
    for stroke in data.split('M').skip(1) {
        let spaced = stroke.replace("h0", "").replace('-', " -").replace('l', " ");
        let numbers: Vec<f64> = spaced.split_whitespace().map(|n| n.parse().unwrap()).collect();
        let mut at = (0.0, 0.0);
        for step in numbers.chunks(2) {
            at = (at.0 + step[0], at.1 + step[1]);
            all.push(at);
        }
    }
    all
}

#[test]
fn a_straight_line_lands_where_it_should() {
    let svg = Plot::new("").line("a", &[0.0, 1.0, 2.0], &[0.0, 1.0, 2.0]).to_svg(400, 300);
    let at = places(&svg, "sp-s0");
    assert_eq!(at.len(), 3);
    assert!(
        (at[0].0 + at[2].0 - 2.0 * at[1].0).abs() < 0.25 && (at[0].1 + at[2].1 - 2.0 * at[1].1).abs() < 0.25
    );
    assert!(at[2].0 > at[0].0 && at[2].1 < at[0].1, "y grows upwards: {at:?}");
}

#[test]
fn thinning_keeps_the_extremes() {
    let n = 300_000;
    let t = ramp(n);
    let mut y: Vec<f64> = t.iter().map(|t| (0.3 * t).sin()).collect();
    (y[123_456], y[222_222]) = (5.0, -7.0);
    let at = places(&Plot::new("").line("", &t, &y).to_svg(600, 400), "sp-s0");
    assert!(at.len() <= 2100, "{} vertices", at.len());
    let (x0, x1) = (at[0].0, at[at.len() - 1].0);
    let peak = at.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    let pit = at.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    for (found, index) in [(peak, 123_456.0), (pit, 222_222.0)] {
        assert!(((found.0 - x0) / (x1 - x0) - index / n as f64).abs() < 1e-3, "{found:?}");
    }
    // The spikes reach the full height of the data (4% margins) and the rest stays in its band.
    let band = at.iter().filter(|p| (p.1 - 0.5 * (peak.1 + pit.1)).abs() > 0.35 * (pit.1 - peak.1)).count();
    assert_eq!(band, 2, "only the spikes stand out");
}

#[test]
fn a_closed_orbit_costs_one_turn() {
    // Steps far below a pixel, and far above.
    for (step, size) in [(0.001, (480, 330)), (0.001, (330, 480)), (0.05, (480, 330))] {
        let angle: Vec<f64> = ramp(400_000).iter().map(|i| step * i).collect();
        let x: Vec<f64> = angle.iter().map(|a| a.cos()).collect();
        let y: Vec<f64> = angle.iter().map(|a| a.sin()).collect();
        let svg = Plot::new("").equal_aspect().line("", &x, &y).to_svg(size.0, size.1);
        assert!(svg.len() < 40_000, "{} bytes", svg.len());
        let at = places(&svg, "sp-s0");
        let middle = |f: fn(&(f64, f64)) -> f64| {
            let (lo, hi) = at.iter().map(f).fold((f64::MAX, f64::MIN), |b, v| (b.0.min(v), b.1.max(v)));
            (0.5 * (lo + hi), 0.5 * (hi - lo))
        };
        let ((cx, rx), (cy, ry)) = (middle(|p| p.0), middle(|p| p.1));
        assert!((rx - ry).abs() < 0.4, "round: {rx} {ry}");
        let mut angles: Vec<f64> = at.iter().map(|p| (p.1 - cy).atan2(p.0 - cx)).collect();
        angles.sort_by(f64::total_cmp);
        assert!(angles.windows(2).all(|w| w[1] - w[0] < 0.06), "no holes");
        let path = svg.split("class=\"sp-s0\"").nth(1).and_then(|s| s.split(" d=\"").nth(1)).unwrap();
        let path = path.split('"').next().unwrap();
        let longest = path.split('M').map(str::len).max().unwrap();
        assert!(step > 0.01 || 2 * longest > path.len(), "the first turn is one stroke, not dashes");
    }
}

#[test]
fn a_curve_that_fills_an_area_covers_it() {
    // Incommensurate frequencies: the curve comes near every place of the square.
    let t: Vec<f64> = ramp(300_000).iter().map(|i| 0.02 * i).collect();
    let x: Vec<f64> = t.iter().map(|t| t.sin().asin()).collect();
    let y: Vec<f64> = t.iter().map(|t| (1.618_033_988_7 * t).sin().asin()).collect();
    let svg = Plot::new("").line("", &x, &y).to_svg(480, 330);
    assert!(svg.len() < 100_000, "{} bytes", svg.len());
    let path = svg.split("class=\"sp-s0\"").nth(1).and_then(|s| s.split(" d=\"").nth(1)).unwrap();
    let rows: Vec<Vec<f64>> = path
        .split('"')
        .next()
        .unwrap()
        .split('M')
        .skip(1)
        .map(|r| r.split([' ', 'h']).map(|v| v.parse().unwrap()).collect())
        .collect();
    let width: f64 = svg.split("class=\"sp-s0\"").nth(1).unwrap().split('"').nth(3).unwrap().parse().unwrap();
    let (lo, hi) = (
        rows.iter().map(|r| r[0]).fold(f64::MAX, f64::min),
        rows.iter().map(|r| r[0] + r[2]).fold(0.0, f64::max),
    );
    let (top, bottom) = (rows[0][1], rows[rows.len() - 1][1]);
    let inked: f64 = rows.iter().map(|r| (r[2] + width) * width).sum();
    assert!(inked > 0.9 * (hi - lo) * (bottom - top), "{inked} of {}", (hi - lo) * (bottom - top));
}

#[test]
fn a_gap_parts_the_line() {
    let mut y = ramp(10);
    y[4] = f64::NAN;
    let svg = Plot::new("").line("", &ramp(10), &y).to_svg(400, 300);
    assert_eq!(places(&svg, "sp-s0").len(), 9);
    let path = svg.split("class=\"sp-s0\"").nth(1).unwrap().split(" d=\"").nth(1).unwrap();
    assert_eq!(path.split('"').next().unwrap().matches('M').count(), 2);
    assert!(svg.contains("1 value not drawn (not finite)."));
    // Half of a long series missing must not blow up the file.
    let t = ramp(100_000);
    let y: Vec<f64> = t.iter().map(|&t| if t % 2.0 == 0.0 { f64::NAN } else { t.sin() }).collect();
    assert!(Plot::new("").line("", &t, &y).to_svg(400, 300).len() < 40_000);
}

#[test]
fn plots_of_extreme_missing_and_constant_data_are_well_formed() {
    let huge = f64::MAX;
    let cases: [(&[f64], &[f64]); 14] = [
        (&[], &[]),
        (&[1.0], &[2.0]),
        (&[0.0], &[0.0]),
        (&[0.0, 1.0, 2.0], &[3.0, 3.0, 3.0]),
        (&[0.0, 1.0], &[0.0, 0.0]),
        (&[0.0, 1.0, 2.0], &[f64::NAN; 3]),
        (&[f64::NAN, f64::INFINITY], &[f64::NEG_INFINITY, 1.0]),
        (&[0.0, 1.0], &[-huge, huge]),
        (&[0.0, 1.0], &[-1e300, 1e300]),
        (&[5e-324, 1e-310], &[5e-324, 1e-320]),
        (&[1.0, 1.0 + f64::EPSILON], &[1e15, 1e15 + 0.125]),
        (&[1e-300, 1e300], &[1e-300, 1e300]),
        (&[1.0, 2.0, 3.0], &[1.0]),
        (&[-1.0, -2.0], &[-1e-16, -2e-16]),
    ];
    for (x, y) in cases {
        for axes in 0..8 {
            let mut plot = Plot::new("t").x_label("x").y_label("y");
            plot.log_x = axes & 1 > 0;
            plot.log_y = axes & 2 > 0;
            plot.equal_aspect = axes & 4 > 0;
            let plot = plot.line("l", x, y).points("p", x, y).dashed_line("d", y, &[1.0]);
            for level in [0.0, 1.0, f64::NAN, f64::INFINITY] {
                for size in [(0, 0), (480, 330), (u32::MAX, 1)] {
                    let svg = plot.clone().horizontal("h", level).to_svg(size.0, size.1);
                    check_well_formed(&svg).unwrap();
                    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{x:?} {y:?} {axes}: {svg}");
                    assert!(svg.len() < 200_000, "{x:?} {y:?} {axes}: {} bytes", svg.len());
                }
            }
        }
    }
}

#[test]
fn a_log_axis_says_what_it_dropped() {
    let svg = Plot::new("").log_y().line("zeros", &ramp(4), &[0.0; 4]).to_svg(400, 300);
    assert!(
        svg.contains("4 values not drawn (zero or negative: no place on a log axis).")
            && svg.contains("no data")
    );
    let svg = Plot::new("").log_y().line("some", &ramp(4), &[0.0, 1.0, 10.0, 100.0]).to_svg(600, 300);
    assert!(svg.contains("1 value not drawn") && !svg.contains("no data"));
    assert_eq!(places(&svg, "sp-s0").len(), 3);
}

#[test]
fn all_text_is_escaped() {
    let evil = "</text><script>&\"'\u{0}";
    let svg = Plot::new(evil)
        .x_label(evil)
        .y_label(evil)
        .note(evil)
        .line(evil, &[1.0], &[1.0])
        .horizontal(format!("{evil}2"), 1.0)
        .to_svg(900, 500);
    check_well_formed(&svg).unwrap();
    assert!(!svg.contains("<script") && svg.matches("&lt;script&gt;").count() == 7);
}

#[test]
fn line_and_points_of_one_name_share_colour_and_key() {
    let (x, y) = (ramp(3), ramp(3));
    let svg = Plot::new("").line("a", &x, &y).points("a", &x, &y).line("b", &x, &y).to_svg(480, 330);
    assert_eq!((svg.matches(">a</text>").count(), svg.matches(">b</text>").count()), (1, 1));
    // Line, points, and the two halves of the key.
    assert_eq!((svg.matches("sp-s0").count(), svg.matches("sp-s1").count()), (4, 2));
}

#[test]
fn a_long_legend_grows_the_plot_instead_of_squeezing_it() {
    let plot =
        (0..60).fold(Plot::new("many"), |p, i| p.line(format!("series number {i}"), &ramp(3), &ramp(3)));
    let svg = plot.to_svg(200, 160);
    check_well_formed(&svg).unwrap();
    assert!(svg.contains("and 46 more"));
    let height: f64 =
        svg.split("height=\"").nth(1).and_then(|h| h.split('"').next()).unwrap().parse().unwrap();
    assert!(height > 300.0);
}

#[test]
fn marks_are_thinned_and_do_not_widen_the_axis() {
    let (t, y) = (ramp(101), ramp(101));
    let plain = Plot::new("").line("y", &t, &y).to_svg(480, 330);
    let strokes = |svg: &str| {
        svg.split("class=\"sp-mark\"").nth(1).unwrap().split("/>").next().unwrap().matches('M').count()
    };
    let few =
        Plot::new("").line("y", &t, &y).marks("impacts", &[10.0, 20.0, 20.0, f64::NAN, 1e6]).to_svg(480, 330);
    check_well_formed(&few).unwrap();
    assert_eq!(strokes(&few), 2);
    let across = |svg: &str| places(svg, "sp-s0").iter().map(|at| at.0).collect::<Vec<_>>();
    assert_eq!(across(&few), across(&plain));
    // Below the curve, and once in the key.
    assert!(few.find("sp-mark") < few.find("sp-s0") && few.matches("sp-mark").count() == 2);
    let many: Vec<f64> = (0..1_000_000).map(|k| 1e-4 * f64::from(k)).collect();
    let many = Plot::new("").line("y", &t, &y).marks("impacts", &many).to_svg(480, 330);
    assert!(strokes(&many) > 300 && strokes(&many) < 480, "{}", strokes(&many));
    assert!(many.len() < plain.len() + 10_000);
}
