use super::*;
use crate::testing::Scratch;
use std::fs::OpenOptions;

const STEPS: u64 = 10_000;
const EVERY: u64 = 7;

fn names() -> (Vec<String>, Vec<String>) {
    (["t", "x"].map(String::from).to_vec(), ["E", "hit"].map(String::from).to_vec())
}

/// Some steps of a run; only every seventh is written, and one column has no value most of the time.
fn drive(series: &mut Series, steps: std::ops::Range<u64>) {
    for step in steps {
        let t = step as f64 * 0.01;
        let hit = if step % 997 == 5 { t.cos() } else { f64::NAN };
        let row = [t, (1.7 * t).sin(), (t * t).cos(), hit];
        if step.is_multiple_of(EVERY) {
            series.push(&row).unwrap();
        }
        series.record(step, &row);
    }
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// Everything a report may ask.
fn record(series: &Series) -> (Vec<Vec<u64>>, u64, u64) {
    let mut record: Vec<_> = series.columns().iter().map(|c| bits(series.opening(c).unwrap())).collect();
    for name in ["E", "hit"] {
        let (t, x) = series.whole(name).unwrap();
        record.extend([bits(&t), bits(&x)]);
    }
    (record, series.rows(), series.last_time().to_bits())
}

#[test]
fn a_resumed_series_is_that_of_an_unbroken_run_to_the_bit() {
    let scratch = Scratch::new("series-resume");
    let (state, observed) = names();
    let whole_path = scratch.0.join("whole.csv");
    let mut whole = Series::create(&whole_path, state.clone(), observed.clone()).unwrap();
    drive(&mut whole, 0..STEPS);
    whole.flush().unwrap();
    let expected = std::fs::read(&whole_path).unwrap();
    // Before the first step, within the opening, at a written step, and after the stretches have doubled twice.
    for at in [0, 1, 1234, 3999, 4096, 4097, 8193, STEPS - 1, STEPS] {
        let (path, saved) = (scratch.0.join("cut.csv"), scratch.0.join("cut.checkpoint"));
        let mut series = Series::create(&path, state.clone(), observed.clone()).unwrap();
        drive(&mut series, 0..at);
        let mut checkpoint = Checkpoint::new(0);
        series.save(&mut checkpoint).unwrap();
        checkpoint.save(&saved).unwrap();
        // It goes on, and is killed in the middle of a row.
        drive(&mut series, at..STEPS);
        drop(series);
        let file = OpenOptions::new().append(true).open(&path).unwrap();
        (&file).write_all(b"1.5,0.2").unwrap();
        let checkpoint = Checkpoint::load(&saved).unwrap();
        let mut series = Series::resume(&path, state.clone(), observed.clone(), &checkpoint).unwrap();
        drive(&mut series, at..STEPS);
        series.flush().unwrap();
        assert!(std::fs::read(&path).unwrap() == expected, "file resumed at step {at}");
        assert!(record(&series) == record(&whole), "record resumed at step {at}");
    }
}

#[test]
fn a_series_that_is_not_the_checkpoint_s_is_left_as_it_is() {
    let scratch = Scratch::new("series-other");
    let (state, observed) = names();
    let path = scratch.0.join("series.csv");
    let mut series = Series::create(&path, state.clone(), observed.clone()).unwrap();
    drive(&mut series, 0..50);
    let mut checkpoint = Checkpoint::new(0);
    series.save(&mut checkpoint).unwrap();
    let whole = std::fs::read_to_string(&path).unwrap();
    let cut = &whole[..whole.len() - 3];
    let files = [
        (cut.to_string(), "the checkpoint knows 8 rows"),
        (whole.replacen('\n', "\r\n", 1), "expected the columns t,x,E,hit"),
        (whole.replace("x,E", "y,E"), "expected the columns t,x,E,hit"),
        (String::new(), "expected the columns t,x,E,hit"),
        // As many bytes, but not at the end of a row.
        (whole.trim_end().to_string() + "1\n", "of which 7 rows"),
        (whole.replacen(",\n", ",,", 1), "of which 7 rows"),
    ];
    for (text, expected) in files {
        std::fs::write(&path, &text).unwrap();
        let resumed = Series::resume(&path, state.clone(), observed.clone(), &checkpoint);
        let message = resumed.err().unwrap().to_string();
        assert!(message.contains(expected) && message.contains("series.csv"), "{message}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "nothing is cut before all is checked");
    }
    std::fs::write(&path, &whole).unwrap();
    let fewer = Series::resume(&path, state, vec!["E".into()], &checkpoint).err().unwrap();
    assert!(fewer.to_string().contains("series."), "{fewer}");
    std::fs::remove_file(&path).unwrap();
    let (state, observed) = names();
    assert!(Series::resume(&path, state, observed, &checkpoint).is_err());
}

#[test]
fn a_record_that_no_series_can_have_is_refused() {
    let scratch = Scratch::new("series-record");
    let (state, observed) = names();
    let path = scratch.0.join("series.csv");
    let mut series = Series::create(&path, state.clone(), observed.clone()).unwrap();
    series.flush().unwrap();
    let resume = |stride: u64, opening: usize, envelope: usize| {
        let mut checkpoint = Checkpoint::new(0);
        checkpoint
            .counts("series.written", &[series.bytes, 0])
            .floats("series.last", &[0.0])
            .floats("series.opening", &vec![0.0; opening])
            .counts("series.stride", &[stride])
            .floats("series.envelope", &vec![0.0; envelope]);
        Series::resume(&path, state.clone(), observed.clone(), &checkpoint).map(|_| ())
    };
    // Four columns; a time and two extremes of two observers.
    resume(2, 8, 5 * 4096).unwrap();
    for (stride, opening, envelope) in [(0, 8, 10), (3, 8, 10), (1, 7, 10), (1, 8, 11), (1, 8, 5 * 4097)] {
        let message = resume(stride, opening, envelope).unwrap_err().to_string();
        assert!(message.contains("section `series."), "{message}");
    }
}
