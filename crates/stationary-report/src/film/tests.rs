use super::super::html::Page;
use super::*;
use crate::testing::check_well_formed;
use serde_json::Value;
use std::f64::consts::TAU;

fn at(x: f64, y: f64, z: f64, angle: f64) -> Pose {
    Pose { at: [x, y, z], angle }
}

fn disc(name: &str, radius: f64) -> Figure {
    Figure { name: name.into(), outline: Outline::Disc { radius } }
}

fn segment() -> Figure {
    Figure { name: String::new(), outline: Outline::Segment }
}

/// What the player gets.
fn player(film: &Film) -> Value {
    let html = &film.section().plots[0].0;
    let json = html.split("<script type=\"application/json\">").nth(1).unwrap();
    serde_json::from_str(json.split("</script>").next().unwrap()).unwrap()
}

/// The bytes of a film, read as its player does.
fn bytes(json: &Value) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => panic!("{c}"),
    };
    let text = json["data"].as_str().unwrap().trim_end_matches('=').as_bytes();
    let mut bytes = Vec::new();
    for group in text.chunks(4) {
        let bits =
            group.iter().fold(0u32, |bits, c| bits << 6 | u32::from(digit(*c))) << (6 * (4 - group.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    bytes
}

fn count(json: &Value, key: &str) -> usize {
    json[key].as_u64().unwrap() as usize
}

/// Times, angles of the turning poses, and places, all frame by frame.
fn unpack(film: &Film) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let json = player(film);
    let bytes = bytes(&json);
    let (frames, poses, space) = (count(&json, "frames"), count(&json, "poses"), count(&json, "space"));
    let turning: Vec<usize> =
        json["turning"].as_array().unwrap().iter().map(|k| k.as_u64().unwrap() as usize).collect();
    let float = |k: usize| f64::from(f32::from_le_bytes(bytes[4 * k..4 * k + 4].try_into().unwrap()));
    let (start, end) = (json["start"].as_f64().unwrap(), json["end"].as_f64().unwrap());
    let times = (0..frames).map(|k| start + (end - start) * float(k)).collect();
    let mut angles: Vec<f64> = Vec::new();
    for k in 0..frames * turning.len() {
        let before = match k.checked_sub(turning.len()) {
            Some(before) => angles[before],
            None => json["angles"][turning[k]].as_f64().unwrap_or(0.0),
        };
        angles.push(before + float(frames + k));
    }
    let base = 4 * (frames * (1 + turning.len()) + count(&json, "marks"));
    let place = |k: usize| {
        let part = u16::from_le_bytes(bytes[base + 2 * k..base + 2 * k + 2].try_into().unwrap());
        json["origin"][k % space].as_f64().unwrap() + json["unit"].as_f64().unwrap() * f64::from(part)
    };
    let places = (0..frames * poses * space).map(place).collect();
    assert_eq!(bytes.len(), base + 2 * (frames * poses + count(&json, "marks")) * space);
    (times, angles, places)
}

#[test]
fn a_short_film_keeps_every_frame_to_a_pixel() {
    let mut film = Film::new(2, vec![disc("a", 0.1), segment()], Vec::new());
    let pose = |k: usize| {
        let t = 0.01 * k as f64;
        // Far from the origin, and turned often: neither may cost digits.
        [
            at(1e6 + t.cos(), t.sin(), 0.0, 30.0 * t),
            at(1e6, 0.0, 0.0, 0.0),
            at(1e6 + t.cos(), t.sin(), 0.0, 0.0),
        ]
    };
    (0..5000).for_each(|k| film.push(0.01 * k as f64, &pose(k)));
    let (times, angles, places) = unpack(&film);
    assert_eq!((times.len(), angles.len(), places.len()), (5000, 5000, 5000 * 6));
    for k in 0..5000 {
        assert!((times[k] - 0.01 * k as f64).abs() < 1e-5);
        assert!((angles[k] - pose(k)[0].angle).abs() < 1e-5, "{k}");
        for (j, pose) in pose(k).iter().enumerate() {
            for i in 0..2 {
                assert!((places[6 * k + 2 * j + i] - pose.at[i]).abs() < 2.0e-5, "{k} {j} {i}");
            }
        }
    }
    assert!(film.caption() == "To scale." && film.open_until().is_none());
}

#[test]
fn a_long_film_keeps_its_opening_and_a_regular_part_of_the_rest() {
    let mut film = Film::new(2, vec![disc("a", 0.1)], Vec::new());
    let offered = 100_001;
    for k in 0..offered {
        assert!(film.frames.len() <= FRAMES);
        film.push(k as f64, &[at(k as f64, 0.0, 0.0, 0.0)]);
    }
    let numbers: Vec<u64> = film.frames.iter().map(|f| f.number).collect();
    let half = FRAMES as u64 / 2;
    assert!((0..half).eq(numbers[..half as usize].iter().copied()));
    let rest = &numbers[half as usize..];
    let stride = film.decimator.stride();
    assert!(rest.iter().all(|n| n.is_multiple_of(stride)) && rest.windows(2).all(|w| w[1] - w[0] == stride));
    assert!(rest.len() > FRAMES / 4 && rest[0] - half < stride);
    assert!(film.frames.iter().zip(&film.poses).all(|(f, p)| p.at[0] == f.t));
    // The last moment is there although it was not retained, and every frame is the one offered at its time.
    let (times, _, places) = unpack(&film);
    assert_eq!((times[times.len() - 1], places[places.len() - 2].round()), (1e5, 1e5));
    assert!(film.caption().contains("The first 4000 of 100001 moments, to t = 3999,"), "{}", film.caption());
    assert!(film.section().plots[0].0.contains("film-range"));
}

#[test]
fn the_frames_of_a_decimated_film_depend_only_on_the_frames_offered() {
    let made = |skipping: bool| {
        let mut film = Film::new(3, vec![disc("a", 0.1), disc("b", 0.2)], Vec::new());
        for k in 0..30_000 {
            let t = f64::from(k) * 1e-3;
            if skipping && !film.retains_next() && k < 29_999 {
                film.skip();
            } else {
                film.push(t, &[at(t.sin(), t.cos(), t, 0.0), at(t, 0.0, 0.0, 0.0)]);
            }
            film.mark(t, [t, t, t]);
        }
        film.section()
    };
    let section = made(false);
    assert_eq!(section, made(false));
    assert_eq!(section, made(true));
    assert!(section.plots[0].1.contains("impacts"));
}

#[test]
fn a_thousand_discs_stay_within_the_budget() {
    let figures = (0..1000).map(|_| disc("disc", 0.01)).collect();
    let mut film = Film::new(2, figures, Vec::new());
    let push = |film: &mut Film, k: u32| {
        let angle = if k > 2000 { f64::from(k) } else { 0.0 };
        let poses: Vec<Pose> = (0..1000).map(|j| at(f64::from(k), f64::from(j), 0.0, angle)).collect();
        film.push(f64::from(k), &poses);
        (0..50).for_each(|_| film.mark(f64::from(k), [f64::from(k), 0.0, 0.0]));
    };
    (0..2000).for_each(|k| push(&mut film, k));
    let (still, frames) = (film.section().plots[0].0.len(), film.frames.len());
    assert!((3_000_000..4_800_000).contains(&still), "{still} bytes");
    assert!(frames > 500, "{frames}");
    // Once they turn, a frame takes more bytes, and there is room for fewer.
    (2000..3000).for_each(|k| push(&mut film, k));
    let turning = film.section().plots[0].0.len();
    assert!((3_000_000..4_800_000).contains(&turning) && film.frames.len() < frames, "{turning} bytes");
    assert!(film.marks.len() <= MARKS && film.caption().contains("Of 150000 impacts"), "{}", film.caption());
}

#[test]
fn no_name_can_become_code() {
    let evil = "</script><script>alert(1)</script><!-- \"'&\u{0}";
    let mut film = Film::new(2, vec![disc(evil, 1.0)], Vec::new());
    film.push(0.0, &[Pose::default()]);
    let page = Page { title: "t".into(), sections: vec![film.section()], ..Page::default() };
    let html = page.to_html();
    check_well_formed(&html).unwrap();
    assert!(!html.contains("alert(1)</script") && !html.contains("<!--"));
    // The page's own, the numbers, the player.
    assert_eq!(html.matches("<script").count(), 3);
    assert_eq!(html.matches("</script").count(), 3);
    // The player itself must not end its own element.
    assert!(!PLAYER.contains("</") && !PLAYER.contains("<!"));
    for outside in ["http:", "https:", "//", "fetch", "import", "eval", "innerHTML"] {
        let code: String = PLAYER.lines().filter(|l| !l.trim_start().starts_with("//")).collect();
        assert!(!code.contains(outside), "{outside}");
    }
}

#[test]
fn moments_that_cannot_be_drawn_are_counted() {
    let mut film = Film::new(2, vec![disc("a", 0.1)], Vec::new());
    assert!(film.section().plots.is_empty() && !film.section().text.is_empty());
    film.push(0.0, &[at(f64::NAN, 0.0, 0.0, 0.0)]);
    film.push(f64::INFINITY, &[at(0.0, 0.0, 0.0, 0.0)]);
    film.push(0.0, &[at(0.0, 0.0, 0.0, f64::NAN)]);
    assert!(film.section().plots.is_empty());
    film.push(1.0, &[at(0.0, 0.0, f64::NAN, 0.0)]);
    film.mark(1.0, [f64::NAN, 0.0, 0.0]);
    let json = player(&film);
    assert_eq!((count(&json, "frames"), count(&json, "marks")), (1, 0));
    assert!(film.caption().ends_with("3 moments with values that are not finite are left out."));
    // Extreme lengths leave numbers, not nulls.
    for size in [1e-290, 1e299, 1e308] {
        let mut film = Film::new(3, vec![disc("a", size)], Vec::new());
        film.push(0.0, &[at(size.min(1e300), 0.0, 0.0, 0.0)]);
        film.push(1.0, &[at(0.0, -size.min(1e300), 0.0, 0.0)]);
        let mut json = player(&film);
        json["open"] = 0.into();
        let positive = |key: &str| json[key].as_f64().is_some_and(|x| x > 0.0);
        assert!(positive("radius") && positive("unit") && !json.to_string().contains("null"), "{json}");
    }
    // A thing that neither moves nor has a size is still drawn at some scale.
    let mut point = Film::new(3, vec![disc("a", 0.0)], Vec::new());
    point.push(0.0, &[at(5.0, 5.0, 5.0, 0.0)]);
    assert_eq!(player(&point)["bounds"], serde_json::json!([[4.5, 4.5, 4.5], [5.5, 5.5, 5.5]]));
}

#[test]
fn figures_of_one_name_share_a_colour() {
    let figures = vec![disc("a", 1.0), segment(), disc("b", 1.0), disc("a", 1.0), disc("", 1.0)];
    let film = Film::new(2, figures, Vec::new());
    assert_eq!(film.colours(), [Some(0), None, Some(1), Some(0), Some(2)]);
    assert_eq!(film.names(), [("a", 0), ("b", 1)]);
}

#[test]
fn the_speed_of_play_suits_the_motion() {
    let speed = |period: f64| {
        let mut film = Film::new(2, vec![disc("a", 0.1)], Vec::new());
        for k in 0..4000 {
            let a = TAU * f64::from(k) / 100.0;
            film.push(a / TAU * period, &[at(a.cos(), a.sin(), 0.0, 0.0)]);
        }
        pack::Packed::of(&film).speed
    };
    assert_eq!(speed(4.0), 1.0);
    assert!(speed(1e-6) > 1e-8 && speed(1e-6) < 1e-6);
    assert!(speed(1e9) > 1e7 && speed(1e9) < 1e9);
}

/// A box of discs, shapes of every kind, and space: left behind for the eye, as the page of plots is.
#[test]
fn the_demonstration_films_are_well_formed() {
    let mut many = Film::new(2, (0..1000).map(|k| disc(&format!("disc {}", k % 5), 0.011)).collect(), {
        let corners = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
        vec![Backdrop::Loop(corners.to_vec())]
    });
    let mirror = |x: f64| 0.98 * (2.0 / TAU * 2.0 * (x * TAU / 4.0).sin().asin());
    for k in 0..500 {
        let t = 0.01 * f64::from(k);
        let go = |j: u32| {
            let (u, v) = ((f64::from(j) * 0.618).fract() - 0.5, (f64::from(j) * 0.755).fract() - 0.5);
            at(mirror(4.0 * u + 2.0 * v * t), mirror(4.0 * v + 2.0 * u * t), 0.0, 3.0 * t)
        };
        let poses: Vec<Pose> = (0..1000).map(go).collect();
        many.push(t, &poses);
        many.mark(t, [1.0, (3.0 * t).sin(), 0.0]);
    }
    let star = (0..10).map(|k| {
        let (r, a) = (if k % 2 == 0 { 0.4 } else { 0.18 }, TAU * f64::from(k) / 10.0);
        [r * a.cos(), r * a.sin()]
    });
    let shapes = vec![
        Figure { name: "star".into(), outline: Outline::Polygon(star.collect()) },
        Figure { name: "ellipse".into(), outline: Outline::Ellipse { semi_axes: [0.5, 0.25] } },
        segment(),
        disc("bob", 0.12),
    ];
    let ground = Backdrop::Line { from: [-2.5, 0.0, 0.0], to: [2.5, 0.0, 0.0] };
    let mut few = Film::new(2, shapes.clone(), vec![ground]);
    let mut deep =
        Film::new(3, shapes, vec![Backdrop::Loop(vec![[-2.0; 3], [2.0, -2.0, -2.0], [2.0, 2.0, -2.0]])]);
    for k in 0..20_000 {
        let t = 0.01 * f64::from(k);
        let (y, bob) = (0.4 + (2.0 * t).sin().abs(), (t.sin(), 1.7 - t.cos()));
        let poses = |z: f64| {
            let turned = at(1.6 * (0.3 * t).cos(), y, z, -t);
            let end = at(2.0 + bob.0 * 0.5, bob.1, -z, 0.0);
            [at(-1.5 + 0.2 * (0.1 * t).sin(), y, 0.0, t), turned, at(2.0, 1.7, z, 0.0), end, end]
        };
        few.push(t, &poses(0.0));
        deep.push(t, &poses((0.7 * t).sin()));
        if k % 157 == 0 {
            few.mark(t, [-1.5, 0.0, 0.0]);
        }
    }
    let sections = vec![few.section(), deep.section(), many.section()];
    let html = Page { title: "films".into(), sections, ..Page::default() }.to_html();
    let _ = std::fs::write(std::env::temp_dir().join("stationary-film-demo.html"), &html);
    check_well_formed(&html).unwrap();
    assert!(html.len() < 10_000_000, "{} bytes", html.len());
}
