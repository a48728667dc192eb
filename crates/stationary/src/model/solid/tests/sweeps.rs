//! Sweeps against single elements, bit by bit, for every kind of element, material and vector width.

use super::super::lanes::Isa;
use super::super::sweep::FORCED;
use super::*;
use crate::model::{EventHistory, HistoryEnergy, NodalKicks, Past};
use std::ops::Range;

fn bits(v: &[f64]) -> Vec<u64> {
    v.iter().map(|x| x.to_bits()).collect()
}

/// Every body with the instructions of each width.
fn with_every_width(mut check: impl FnMut(&str, &Mesh, &Solid)) {
    for isa in Isa::available() {
        FORCED.set(Some(isa));
        for (label, mesh, solid) in bodies() {
            check(&format!("{isa:?} {label}"), &mesh, &solid);
        }
    }
    FORCED.set(None);
}

/// Adds the gradients of a range, each times a weight, one element at a time.
fn singly(
    block: &dyn Elements,
    range: Range<usize>,
    x: &[f64],
    weight: impl Fn(usize) -> f64,
    out: &mut [f64],
) -> Result<f64, ElementFault> {
    let mut total = 0.0;
    for k in range {
        let mut gradient = [0.0; 3 * MAX_NODES];
        total += block.gradient(k, 0.0, x, &mut gradient)?;
        for (a, gradient) in block.nodes(k).iter().zip(gradient.chunks_exact(3)) {
            (0..3).for_each(|i| out[3 * *a as usize + i] += weight(k) * gradient[i]);
        }
    }
    Ok(total)
}

#[test]
fn sweeps_of_every_element_and_material_have_the_bits_of_one_element_at_a_time() {
    with_every_width(|label, mesh, solid| {
        let x = deformed(mesh, solid);
        for block in solid.blocks() {
            let n = block.len();
            for range in [0..n, 1..n, 0..n - 1, n / 2..n / 2] {
                let (mut want, mut out) = (vec![0.0; x.len()], vec![0.0; x.len()]);
                let energy = singly(&**block, range.clone(), &x, |_| 1.0, &mut want).unwrap();
                let swept = block.add_gradient(range.clone(), 0.0, &x, &mut out).unwrap();
                assert_eq!(
                    (swept.to_bits(), bits(&out)),
                    (energy.to_bits(), bits(&want)),
                    "{label} {range:?}"
                );
                let (mut want, mut out) = (vec![0.0; x.len()], vec![0.0; x.len()]);
                singly(&**block, range.clone(), &x, |_| -1.0, &mut want).unwrap();
                block.forces(range.clone(), 0.0, &x, &mut out).unwrap();
                assert_eq!(bits(&out), bits(&want), "{label} {range:?}: forces");
            }
            let weights: Vec<f64> = (0..n).map(|k| 1.0 / (k as f64 + 3.0)).collect();
            let (mut want, mut out) = (vec![0.0; x.len()], vec![0.0; x.len()]);
            singly(&**block, 0..n, &x, |k| weights[k], &mut want).unwrap();
            block.add_weighted_gradient(&weights, 0.0, &x, &mut out).unwrap();
            assert_eq!(bits(&out), bits(&want), "{label}: weighted");
        }
    });
}

/// The updates of a block one by one: energies, gradients, histories.
fn updated_singly(block: &dyn Elements, x: &[f64], past: Past<'_>) -> (HistoryEnergy, Vec<f64>, Vec<f64>) {
    let size = block.history_size();
    let (mut total, mut out, mut after) =
        (HistoryEnergy::default(), vec![0.0; x.len()], past.history.to_vec());
    for k in 0..block.len() {
        let own: Vec<f64> = block.nodes(k).iter().flat_map(|a| &x[3 * *a as usize..][..3]).copied().collect();
        let numbers = k * size..(k + 1) * size;
        let past = Past { history: &past.history[numbers.clone()], dt: past.dt };
        let mut gradient = [0.0; 3 * MAX_NODES];
        total.add(1.0, block.update(k, &own, past, &mut gradient, Some(&mut after[numbers])).unwrap());
        for (a, gradient) in block.nodes(k).iter().zip(gradient.chunks_exact(3)) {
            (0..3).for_each(|i| out[3 * *a as usize + i] += gradient[i]);
        }
    }
    (total, out, after)
}

#[test]
fn sweeps_with_memory_have_the_bits_of_one_element_at_a_time() {
    let mut seen = 0;
    with_every_width(|label, mesh, solid| {
        let x = deformed(mesh, solid);
        for block in solid.blocks().iter().filter(|block| block.history_size() > 0) {
            seen += 1;
            let mut history = vec![0.0; block.len() * block.history_size()];
            for (k, own) in history.chunks_exact_mut(block.history_size()).enumerate() {
                block.first_history(k, own);
            }
            // The second increment starts from a history, and goes half of the way back.
            for back in [0.0, 0.5] {
                let x: Vec<f64> =
                    x.iter().zip(solid.points()).map(|(x, first)| x + back * (first - x)).collect();
                let past = Past { history: &history, dt: 0.1 };
                let (want, gradient, after) = updated_singly(&**block, &x, past);
                for commits in [true, false] {
                    let (mut total, mut out) = (HistoryEnergy::default(), vec![0.0; x.len()]);
                    let mut written = history.clone();
                    let to = (&mut out[..], commits.then_some(&mut written[..]));
                    block.add_update(&x, past, to, &mut total).unwrap();
                    assert_eq!((total, bits(&out)), (want, bits(&gradient)), "{label}");
                    assert_eq!(bits(&written), bits(if commits { &after } else { &history }), "{label}");
                }
                history = after;
            }
        }
    });
    assert!(seen > 100, "{seen}");
}

/// Positions and numbers of all nodes, as kicks use them.
fn placed(x: &[f64]) -> Vec<[f64; 4]> {
    x.chunks_exact(3).enumerate().map(|(a, x)| [x[0], x[1], x[2], 0.5 + 0.1 * a as f64]).collect()
}

#[test]
fn compiled_elements_kick_and_commit_with_the_bits_of_one_element_at_a_time() {
    with_every_width(|label, mesh, solid| {
        let x = deformed(mesh, solid);
        let (at, weight, t) = (placed(&x), 0.01, 0.3);
        for block in solid.blocks() {
            let (n, size) = (block.len() as u32, block.history_size());
            // In no order that helps, and some elements twice.
            let list: Vec<u32> = (0..n + 3).map(|i| (7 * i + 3) % n).collect();
            // The histories of all elements, each after the time of its commit.
            let first: Vec<usize> = (0..=n as usize).map(|k| k * (size + 1)).collect();
            let mut history = vec![0.05; first[n as usize]];
            if size > 0 {
                for (k, own) in history.chunks_exact_mut(size + 1).enumerate() {
                    block.first_history(k, &mut own[1..]);
                }
            }
            for own in [(|_| true) as fn(u32) -> bool, |a| a % 3 != 0] {
                let Some(compiled) = block.compile(&list, &own) else { panic!("{label}: not compiled") };
                for range in [0..list.len(), 2..list.len() - 1] {
                    let (mut want, mut after) = (vec![0.1; x.len()], history.clone());
                    for k in list[range.clone()].iter().map(|k| *k as usize) {
                        let mut gradient = [0.0; 3 * MAX_NODES];
                        if size == 0 {
                            block.gradient(k, 0.0, &x, &mut gradient).unwrap();
                        } else {
                            let own_x: Vec<f64> = block
                                .nodes(k)
                                .iter()
                                .flat_map(|a| &x[3 * *a as usize..][..3])
                                .copied()
                                .collect();
                            let numbers = first[k] + 1..first[k + 1];
                            let past = Past { history: &history[numbers.clone()], dt: t - history[first[k]] };
                            let to = own(block.nodes(k)[0]).then(|| {
                                after[first[k]] = t;
                                &mut after[numbers]
                            });
                            block.update(k, &own_x, past, &mut gradient, to).unwrap();
                        }
                        for (a, gradient) in block.nodes(k).iter().zip(gradient.chunks_exact(3)) {
                            let weight = weight * at[*a as usize][3];
                            if own(*a) {
                                (0..3).for_each(|i| want[3 * *a as usize + i] -= weight * gradient[i]);
                            }
                        }
                    }
                    let (mut v, mut written) = (vec![0.1; x.len()], history.clone());
                    let mut kicks = NodalKicks::new(&at, weight, &mut v);
                    if size > 0 {
                        let numbers = (history.as_ptr(), Some(written.as_mut_ptr()));
                        // SAFETY: the arrays of this test, of the lengths that are asked for.
                        kicks.history = Some(unsafe { EventHistory::new(t, &list, first.as_ptr(), numbers) });
                    }
                    // SAFETY: no other thread.
                    let done = unsafe { compiled.kick(range.clone(), &kicks) };
                    assert_eq!(done, range.end, "{label}");
                    assert_eq!(bits(&v), bits(&want), "{label} {range:?}");
                    assert_eq!(bits(&written), bits(&after), "{label} {range:?}");
                }
            }
        }
    });
}

#[test]
fn sweeps_of_every_vector_width_name_the_faulty_element() {
    let mut faults = 0;
    for isa in Isa::available() {
        FORCED.set(Some(isa));
        for (kind, ring) in kinds().flat_map(|kind| [(kind, false), (kind, kind.dimension() == 2)]) {
            let plane = if ring { PlaneAssumption::Axisymmetric } else { PlaneAssumption::Strain };
            for (name, law) in
                laws().into_iter().filter(|(name, _)| ["mooney-rivlin", "linear"].contains(name))
            {
                let solid = Mesh::new(kind, 3, 0.2, 0.0).build(&law, plane);
                for block in solid.blocks() {
                    for (at, value) in [(0, f64::NAN), (block.len() / 2, -40.0), (block.len() - 1, 1e200)] {
                        let mut x = solid.points().to_vec();
                        let node = block.nodes(at)[kind.corners() - 1] as usize;
                        (0..kind.dimension()).for_each(|i| x[3 * node + i] = value);
                        let label = format!("{isa:?} {} {name} {plane:?} {value}", kind.name());
                        let (mut want, mut out) = (vec![0.0; x.len()], vec![0.0; x.len()]);
                        let first = singly(&**block, 0..block.len(), &x, |_| 1.0, &mut want);
                        let swept = block.add_gradient(0..block.len(), 0.0, &x, &mut out);
                        faults += usize::from(first.is_err());
                        assert_eq!(swept.map(f64::to_bits), first.map(f64::to_bits), "{label}");
                        assert_eq!(bits(&out), bits(&want), "{label}: the sum up to the element at fault");
                    }
                }
            }
        }
    }
    FORCED.set(None);
    assert!(faults > 50, "{faults}");
}
