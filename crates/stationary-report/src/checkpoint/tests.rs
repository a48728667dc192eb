use super::*;
use crate::testing::Scratch;
use proptest::prelude::*;

fn sample() -> Checkpoint {
    let mut checkpoint = Checkpoint::new(identity(&[b"scenario"]));
    checkpoint
        .floats(
            "q",
            &[1.5, -0.0, f64::from_bits(0x7ff0_0000_0000_0001), f64::from_bits(0xfff8_0000_dead_beef)],
        )
        .counts("updates", &[0, u64::MAX])
        .bytes("note", b"eleven byte")
        .floats("empty", &[])
        .bytes("θ", &[]);
    checkpoint
}

fn sealed(body: &[u8]) -> Vec<u8> {
    let words = [VERSION, body.len() as u64, absorb(SEED, body)];
    [MAGIC.as_slice(), words.map(u64::to_le_bytes).as_flattened(), body].concat()
}

fn load(bytes: &[u8]) -> Result<Checkpoint, String> {
    let body = body(bytes.to_vec())?;
    let (identity, sections) = sections(&body)?;
    Ok(Checkpoint { name: "checkpoint".into(), identity, body, sections })
}

#[test]
fn a_checkpoint_comes_back_to_the_bit() {
    let scratch = Scratch::new("checkpoint");
    let path = scratch.0.join("run.checkpoint");
    let written = sample();
    written.save(&path).unwrap();
    let back = Checkpoint::load(&path).unwrap();
    back.expect_identity(identity(&[b"scenario"])).unwrap();
    let bits = |c: &Checkpoint| c.take_floats("q", Some(4)).unwrap().iter().map(|x| x.to_bits()).collect();
    let found: Vec<u64> = bits(&back);
    assert_eq!(found, [0x3ff8 << 48, 1 << 63, 0x7ff0_0000_0000_0001, 0xfff8_0000_dead_beef]);
    assert_eq!(found, bits(&written), "before it is written it reads the same");
    assert_eq!(back.take_counts("updates", Some(2)).unwrap(), [0, u64::MAX]);
    assert_eq!(back.take_bytes("note", None).unwrap(), b"eleven byte");
    assert!(back.take_floats("empty", Some(0)).unwrap().is_empty());
    assert!(back.take_bytes("θ", None).unwrap().is_empty());
    assert!(back.has("θ") && !back.has("x"));
    // What was read is written as the same bytes.
    let first = std::fs::read(&path).unwrap();
    back.save(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), first);
    assert_eq!(first, sealed(&written.body));
}

#[test]
fn a_save_that_fails_leaves_the_old_checkpoint() {
    let scratch = Scratch::new("checkpoint-old");
    let path = scratch.0.join("run.checkpoint");
    sample().save(&path).unwrap();
    std::fs::create_dir(scratch.0.join("run.partial")).unwrap();
    assert!(Checkpoint::new(0).save(&path).is_err());
    Checkpoint::load(&path).unwrap().expect_identity(identity(&[b"scenario"])).unwrap();
}

#[test]
fn every_cut_and_every_changed_bit_is_seen() {
    let whole = sealed(&sample().body);
    assert!(load(&whole).is_ok());
    for end in 0..whole.len() {
        let message = load(&whole[..end]).unwrap_err();
        let expected = if end == 0 { "not a checkpoint" } else { "cut short" };
        assert!(message.contains(expected), "{end}: {message}");
    }
    for bit in 0..8 * whole.len() {
        let mut changed = whole.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(load(&changed).is_err(), "bit {bit}");
    }
    // Sign bits are the highest of their words, which a bare product of words would lose in pairs.
    for (i, j) in (0..whole.len() / 8).flat_map(|i| (0..i).map(move |j| (8 * i + 7, 8 * j + 7))) {
        let mut changed = whole.clone();
        changed[i] ^= 0x80;
        changed[j] ^= 0x80;
        assert!(load(&changed).is_err(), "bytes {i} and {j}");
    }
}

#[test]
fn each_fault_has_its_message() {
    let whole = sealed(&sample().body);
    let mut newer = whole.clone();
    newer[16] = 3;
    let mut changed = whole.clone();
    changed[60] ^= 1;
    let files: [(&[u8], &str); 6] = [
        (b"t,q\n0,1\n", "this is not a checkpoint of stationary"),
        (b"", "this is not a checkpoint of stationary"),
        (&newer, "written by format version 3, this program reads 1"),
        (&whole[..30], "cut short: 30 bytes, its head alone has 40"),
        (&[whole.as_slice(), b"!"].concat(), "damaged: "),
        (&changed, "damaged: its checksum does not fit"),
    ];
    let scratch = Scratch::new("checkpoint-faults");
    let path = scratch.0.join("run.checkpoint");
    for (bytes, expected) in files {
        std::fs::write(&path, bytes).unwrap();
        let message = Checkpoint::load(&path).unwrap_err().to_string();
        assert!(message.contains(expected) && message.contains("run.checkpoint"), "{message}");
    }
    let missing = Checkpoint::load(&scratch.0.join("none")).unwrap_err().to_string();
    assert!(missing.contains("cannot read the checkpoint"), "{missing}");
    let c = sample();
    let faults = [
        (c.take_floats("q", Some(15)).unwrap_err(), "section `q` has 4 numbers, expected 15"),
        (c.take_counts("q", None).unwrap_err(), "section `q` holds numbers, expected counts"),
        (c.take_bytes("notes", None).unwrap_err(), "no section `notes`; it has `note`"),
        (c.expect_identity(1).unwrap_err(), "belongs to another scenario"),
    ];
    for (fault, expected) in faults {
        assert!(fault.to_string().contains(expected), "{fault}");
    }
}

#[test]
fn identities_tell_parts_apart() {
    let parts: [&[&[u8]]; 9] = [
        &[],
        &[b""],
        &[b"", b""],
        &[b"a"],
        &[b"a\0"],
        &[b"a", b""],
        &[b"", b"a"],
        &[b"12345678"],
        &[b"1234567", b"8"],
    ];
    let mut all: Vec<u64> = parts.iter().map(|p| identity(p)).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), parts.len());
    // Of the format: a checkpoint must still be known after the program is built anew.
    assert_eq!(identity(&[b"scenario", b"mesh"]), 0x86fc_b91e_d9d5_4a5a);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Bodies with words changed and a checksum that fits: no panic, and nothing larger than the file.
    #[test]
    fn bodies_that_lie_end_in_a_message(
        changes in prop::collection::vec((0..40usize, prop_oneof![
            0..20u64,
            any::<u64>(),
            prop::sample::select(vec![u64::MAX, u64::MAX - 7, 1 << 61, 1 << 63, usize::MAX as u64 - 48]),
        ]), 1..4),
        cut in prop::option::of(0..300usize),
    ) {
        let mut body = sample().body;
        body.truncate(cut.unwrap_or(body.len()));
        for (at, word) in changes {
            if let Some(place) = body.get_mut(8 * at..8 * at + 8) {
                place.copy_from_slice(&word.to_le_bytes());
            }
        }
        look(&sealed(&body));
    }

    #[test]
    fn any_bytes_end_in_a_message(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        look(&bytes);
        look(&sealed(&bytes));
        look(&[MAGIC.as_slice(), &bytes].concat());
    }
}

fn look(bytes: &[u8]) {
    if let Ok(c) = load(bytes) {
        let mut total = 0;
        for s in &c.sections {
            total += s.name.len() + s.data.len();
            let taken = [
                c.take_floats(&s.name, None).is_ok(),
                c.take_counts(&s.name, None).is_ok(),
                c.take_bytes(&s.name, None).is_ok(),
            ];
            assert_eq!(taken.iter().filter(|ok| **ok).count(), 1);
        }
        assert!(total <= bytes.len() && c.sections.capacity() <= bytes.len());
    }
}
