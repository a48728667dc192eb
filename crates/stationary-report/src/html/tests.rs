use super::super::plot::Plot;
use super::*;
use crate::testing::check_well_formed;

fn series(n: usize, dt: f64, f: impl Fn(f64) -> f64) -> Vec<f64> {
    (0..n).map(|i| f(i as f64 * dt)).collect()
}

/// A repeatable stand-in for rounding noise in -0.5..0.5.
fn noise(n: usize) -> Vec<f64> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    (0..n).map(|_| next()).collect()
}

fn motion() -> Section {
    let (n, dt) = (200_000, 0.013);
    let (w, h) = PLOT_SIZE;
    let e = 0.6f64;
    let x = series(n, dt, |t| t.cos() - e);
    let y = series(n, dt, |t| (1.0 - e * e).sqrt() * t.sin());
    let turn = |t: f64| (0.01 * t).cos();
    let side = |t: f64| (0.01 * t).sin();
    let rx = series(n, dt, |t| (t.cos() - e) * turn(t) - 0.8 * t.sin() * side(t));
    let ry = series(n, dt, |t| (t.cos() - e) * side(t) + 0.8 * t.sin() * turn(t));
    let kepler = Plot::new("Orbit").x_label("x").y_label("y").equal_aspect();
    let rosette = Plot::new("Precessing orbit").x_label("x").y_label("y").equal_aspect();
    let mut phase = Plot::new("Phase portrait").x_label("angle (rad)").y_label("momentum");
    for amplitude in [0.5f64, 1.0, 2.0, 3.0] {
        let angle = series(700, 0.01, |t| amplitude * t.cos());
        let momentum = series(700, 0.01, |t| -amplitude * t.sin());
        phase = phase.line(format!("amplitude {amplitude}"), &angle, &momentum);
    }
    let scatter = (noise(60_000), noise(60_001)[1..].to_vec());
    Section {
        heading: "Motion".into(),
        text: "Two bodies under their mutual attraction, e < 1.\n\nA second paragraph & its ampersand."
            .into(),
        plots: vec![
            (
                kepler.line("body", &x, &y).points("centre", &[0.0], &[0.0]).to_svg(w, h),
                "The ellipse, 400 times over.".into(),
            ),
            (rosette.line("y", &rx, &ry).to_svg(w, h), "A curve that fills a ring.".into()),
            (phase.to_svg(w, h), "Four level sets.".into()),
            (
                Plot::new("Section").points("", &scatter.0, &scatter.1).to_svg(w, h),
                "60,000 crossings.".into(),
            ),
        ],
    }
}

fn invariants() -> Section {
    let (n, dt) = (1_000_000, 0.01);
    let (w, h) = PLOT_SIZE;
    let t = series(n, dt, |t| t);
    let energy = series(n, dt, |t| 2.3e-9 * (1.0 - (1.7 * t).cos()) * (0.6 + 0.4 * (0.001 * t).sin()) - 1e-9);
    let drift: Vec<f64> =
        noise(n).iter().scan(0.0, |sum, d| Some(std::mem::replace(sum, *sum + 1e-17 * d))).collect();
    let momentum: Vec<f64> =
        drift.iter().map(|d| 0.8 + (d * 0.2 / f64::EPSILON).round() * f64::EPSILON).collect();
    let steps: Vec<f64> = (0..7).map(|k| 0.2 * 0.5f64.powi(k)).collect();
    let error = |order: i32| steps.iter().map(|h| 0.3 * h.powi(order)).collect::<Vec<_>>();
    let slope = |order: i32| steps.iter().map(|h| 0.15 * h.powi(order)).collect::<Vec<_>>();
    let convergence = Plot::new("Convergence").x_label("step").y_label("error at the end").log_x().log_y();
    let growth = series(n, dt, |t| 1e-12 * (1.0 + t).powf(1.5) * (1.1 + (0.3 * t).sin()));
    Section {
        heading: "Invariants".into(),
        text: String::new(),
        plots: vec![
            (
                Plot::new("Energy error")
                    .x_label("time")
                    .y_label("ΔE / E₀")
                    .line("ΔE / E₀", &t, &energy)
                    .to_svg(w, h),
                "Signed; bounded, with no drift.".into(),
            ),
            (
                Plot::new("Angular momentum: drift")
                    .x_label("time")
                    .y_label("J − J₀")
                    .line("J − J₀", &t, &drift)
                    .horizontal("rounding unit", f64::EPSILON)
                    .to_svg(w, h),
                "A random walk of rounding.".into(),
            ),
            (
                convergence
                    .line("Gauss 1", &steps, &error(2))
                    .points("Gauss 1", &steps, &error(2))
                    .line("Gauss 2", &steps, &error(4))
                    .points("Gauss 2", &steps, &error(4))
                    .dashed_line("slope 2", &steps, &slope(2))
                    .dashed_line("slope 4", &steps, &slope(4))
                    .note("Slopes fitted without the points at rounding level.")
                    .to_svg(w, h),
                "Errors against step size.".into(),
            ),
            (
                Plot::new("Angular momentum: value")
                    .x_label("time")
                    .y_label("J")
                    .line("J", &t, &momentum)
                    .to_svg(w, h),
                "Offset notation.".into(),
            ),
            (
                Plot::new("Growth of the error")
                    .x_label("time")
                    .y_label("|ΔE|")
                    .log_x()
                    .log_y()
                    .line("RK4", &t, &growth)
                    .horizontal("tolerance", 1e-8)
                    .to_svg(w, h),
                String::new(),
            ),
        ],
    }
}

fn demo() -> Page {
    let row = |quantity: &str, initial: &str, change: &str, verdict: &str| ConservationRow {
        quantity: quantity.into(),
        initial: initial.into(),
        change: change.into(),
        verdict: verdict.into(),
    };
    Page {
        title: "kepler <e = 0.6>".into(),
        subtitle: "The plane two-body problem by velocity Verlet, one million steps".into(),
        facts: [
            ("integrator", "newmark (beta = 0, gamma = 1/2)"),
            ("step", "0.01"),
            ("time", "0 to 10000"),
            ("moves", "1,000,000"),
            ("Newton iterations", "0 (explicit)"),
            ("wall time", "0.021 s"),
        ]
        .map(|(a, b)| (a.to_string(), b.to_string()))
        .to_vec(),
        conservation: vec![
            row("energy", "-0.5", "1.8e-9", "relative error 3.6e-9"),
            row("discrete energy", "-0.500012", "5.5e-5", "relative error 1.1e-4"),
            row("momentum rotation", "0.8", "4.4e-15", "relative error 5.5e-15, rounding level"),
        ],
        claims: vec![
            ClaimRow {
                text: "energy.max_relative_error < 1e-3".into(),
                outcome: true,
                measured: "3.6e-9".into(),
            },
            ClaimRow {
                text: "momentum.rotation.max_abs_drift < 1e-15".into(),
                outcome: false,
                measured: "4.4e-15".into(),
            },
        ],
        warnings: vec!["The step exceeds a tenth of the shortest period & more.".into()],
        sections: vec![motion(), invariants()],
        tables: Vec::new(),
        scenario_text:
            "# a scenario\nname = \"kepler\"\nlagrangian = \"0.5*(vx^2 + vy^2) + 1/sqrt(x^2 + y^2)\"\n".into(),
    }
}

#[test]
fn the_demonstration_page_is_well_formed_and_small() {
    let html = demo().to_html();
    // Left behind for the eye; whether it can be written is not what is tested.
    let _ = std::fs::write(std::env::temp_dir().join("stationary-report-demo.html"), &html);
    check_well_formed(&html).unwrap();
    assert!(html.len() < 500_000, "{} bytes", html.len());
    for outside in ["http://", "https://", "src=", "url(", "@import", "<script", "<link"] {
        let rest = html.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        assert!(!rest.contains(outside), "{outside}");
    }
    for part in ["viewport", "utf-8", "✓ holds", "✗ fails", "<details>", "kepler &lt;e = 0.6&gt;"] {
        assert!(html.contains(part), "{part}");
    }
}

#[test]
fn every_field_is_escaped() {
    let evil = || "</td><script>&\"'".to_string();
    let page = Page {
        title: evil(),
        subtitle: evil(),
        facts: vec![(evil(), evil())],
        conservation: vec![ConservationRow {
            quantity: evil(),
            initial: evil(),
            change: evil(),
            verdict: evil(),
        }],
        claims: vec![ClaimRow { text: evil(), outcome: false, measured: evil() }],
        warnings: vec![evil()],
        sections: vec![Section {
            heading: evil(),
            text: evil(),
            plots: vec![(Plot::new(evil()).to_svg(480, 330), evil())],
        }],
        tables: vec![TextTable {
            heading: evil(),
            heads: vec![evil()],
            rows: vec![vec![("number", evil())]],
        }],
        scenario_text: evil(),
    };
    let html = page.to_html();
    check_well_formed(&html).unwrap();
    assert!(!html.contains("<script"));
    // Title twice, plot title twice (label and text), what is kept in words too, the head of a table in each row too, every other field once.
    assert_eq!(html.matches("&lt;script&gt;").count(), 2 + 1 + 2 + 4 + 2 + 2 + 1 + 2 + 2 + 1 + 4 + 1);
}

#[test]
fn an_empty_page_shows_no_empty_parts() {
    let html = Page { title: "nothing".into(), ..Page::default() }.to_html();
    check_well_formed(&html).unwrap();
    for absent in ["<table", "<dl", "<ul", "<details", "<h2"] {
        assert!(!html.contains(absent), "{absent}");
    }
}

#[test]
fn a_fragment_has_table_and_plots_but_nothing_that_runs_or_reaches_out() {
    let plot = Plot::new("x").x_label("t").line("x", &[0.0, 1.0], &[0.0, 1.0]).to_page();
    assert!(plot.contains("<metadata>"));
    let section =
        Section { heading: "Motion".into(), plots: vec![(plot, "a < b".into())], ..Section::default() };
    let row = ConservationRow { quantity: "energy".into(), verdict: "kept".into(), ..Default::default() };
    let page = Page {
        title: "<script>".into(),
        conservation: vec![row],
        sections: vec![section],
        ..Page::default()
    };
    let html = page.to_fragment();
    check_well_formed(&html).unwrap();
    for part in ["<svg", "<td class=\"\" data-label=\"quantity\">energy</td>", "a &lt; b"] {
        assert!(html.contains(part), "{part}");
    }
    for part in ["<script", "<metadata>", "</metadata>", "<html", "<body"] {
        assert!(!html.contains(part), "{part}");
    }
    // Rules for other people's pages would change these.
    let style = html.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
    assert!(style.trim().lines().all(|line| line.starts_with(".stationary-run")));
}
