//! Damaged files end in a mesh or one message, never a panic, and cost no more than their size.

use super::super::Mesh;
use super::FILES;
use super::programs::{ENDINGS, NAMES, bytes};
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Damage {
    Cut(usize),
    Flip(usize, u8),
    Replace(usize, &'static str),
    Splice(usize, usize, usize, usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = 0..4000usize;
    let word = prop::sample::select(vec![
        "0",
        "-1",
        "99999999999",
        "18446744073709551615",
        "9223372036854775808",
        "1e400",
        "nan",
        "$",
        "$EndNodes",
        "<",
        ">",
        "\"",
        ",",
        "\n",
        "\n*",
        "=",
        "é",
    ]);
    prop_oneof![
        at.clone().prop_map(Damage::Cut),
        (at.clone(), any::<u8>()).prop_map(|(i, b)| Damage::Flip(i, b)),
        (at.clone(), word).prop_map(|(i, w)| Damage::Replace(i, w)),
        (0..FILES.len(), at.clone(), 0..200usize, at).prop_map(|(f, i, n, to)| Damage::Splice(f, i, n, to)),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    let place = |i: usize| i % (bytes.len() + 1);
    match damage {
        Damage::Cut(i) => bytes.truncate(place(*i)),
        Damage::Flip(i, b) => {
            let i = place(*i);
            if let Some(byte) = bytes.get_mut(i) {
                *byte ^= b;
            }
        }
        Damage::Replace(i, word) => {
            let i = place(*i);
            let blank = |b: &u8| b.is_ascii_whitespace() || matches!(b, b',' | b'"');
            let n = bytes[i..].iter().position(blank).unwrap_or(0);
            bytes.splice(i..i + n, word.bytes());
        }
        Damage::Splice(f, i, n, to) => {
            let other = FILES[*f].1;
            let i = i % other.len();
            let piece = &other[i..(i + n).min(other.len())];
            let to = place(*to);
            bytes.splice(to..to, piece.iter().copied());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn readers_of_damaged_mesh_files_never_panic(file in 0..FILES.len(), damages in prop::collection::vec(damage(), 1..4)) {
        let mut bytes = FILES[file].1.to_vec();
        damages.iter().for_each(|d| apply(&mut bytes, d));
        match Mesh::read("damaged", &bytes) {
            Ok(mesh) => {
                mesh.validate().unwrap();
                for group in &mesh.groups {
                    prop_assert!(group.nodes.iter().all(|a| (*a as usize) < mesh.points.len()));
                    let _ = mesh.boundary_faces(group);
                }
            }
            Err(error) => {
                let told = error.to_string();
                prop_assert!(!told.is_empty() && told.len() < 2000, "{}", told);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Files with all kinds of cells; what can be read can be refined and surveyed.
    #[test]
    fn readers_of_damaged_files_with_all_cells_never_panic(
        file in 0..6 * NAMES.len(),
        damages in prop::collection::vec(damage(), 1..3),
    ) {
        let mut bytes = bytes(&format!("{}{}", NAMES[file / 6], ENDINGS[file % 6]));
        damages.iter().for_each(|d| apply(&mut bytes, d));
        if let Ok(mesh) = Mesh::read("damaged", &bytes) {
            mesh.validate().unwrap();
            for group in &mesh.groups {
                let _ = mesh.boundary_faces(group);
            }
            let survey = mesh.survey();
            prop_assert!(survey.worst.iter().all(|(_, q)| *q <= 1.0 + 1e-12));
            let fine = mesh.refined();
            prop_assert_eq!(mesh.refined_count(1), fine.cells.iter().map(|c| c.len() as u64).sum::<u64>());
        }
    }
}

#[test]
fn truncated_mesh_files_are_refused_or_complete() {
    for (name, bytes) in FILES {
        for n in 0..bytes.len() {
            if let Ok(mesh) = Mesh::read(name, &bytes[..n]) {
                assert_eq!(mesh.points.len(), 14, "{name} cut to {n} bytes");
            }
        }
    }
}
