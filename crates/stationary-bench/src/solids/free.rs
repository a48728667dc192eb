//! Free steps, every element with its own, against C with a calendar queue (`free_steps.c`).

use super::cube::{Cube, LAME};
use super::runs::{free, free_steps, lambda, largest};
use crate::measure::{seconds, take_turns};
use crate::row::BenchOutcome;
use stationary::model::solid::ElementKind;

/// The grading of the mesh.
const POWER: f64 = 0.5;
/// Updates of a repetition, about.
const UPDATES: f64 = 4e4;
/// Pairs of repetitions.
const REPETITIONS: u64 = 60;
/// Updates of each element, about, after which the positions are compared.
const COMPARED: f64 = 20.0;
/// Largest difference of positions.
const AGREEMENT: f64 = 1e-10;

/// A body in C.
type Body = std::ffi::c_void;

/// The functions of one instruction set.
struct Set {
    new: unsafe extern "C" fn(
        *const f64,
        *const f64,
        *const f64,
        i64,
        *const u32,
        *const f64,
        i64,
        *const f64,
    ) -> *mut Body,
    run: unsafe extern "C" fn(*mut Body, f64),
    positions: unsafe extern "C" fn(*const Body, *mut f64),
    updates: unsafe extern "C" fn(*const Body) -> i64,
    free: unsafe extern "C" fn(*mut Body),
}

macro_rules! set {
    ($new:ident $run:ident $positions:ident $updates:ident $free:ident) => {{
        unsafe extern "C" {
            fn $new(
                points: *const f64,
                velocities: *const f64,
                mass: *const f64,
                nodes: i64,
                list: *const u32,
                steps: *const f64,
                elements: i64,
                lame: *const f64,
            ) -> *mut Body;
            fn $run(body: *mut Body, until: f64);
            fn $positions(body: *const Body, to: *mut f64);
            fn $updates(body: *const Body) -> i64;
            fn $free(body: *mut Body);
        }
        Set { new: $new, run: $run, positions: $positions, updates: $updates, free: $free }
    }};
}

impl Set {
    /// The widest that this processor has.
    fn detect() -> Set {
        #[cfg(target_arch = "x86_64")]
        {
            let third = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            if third && crate::machine::fourth() {
                return set!(free_new_v4 free_run_v4 free_positions_v4 free_updates_v4 free_free_v4);
            }
            if third {
                return set!(free_new_v3 free_run_v3 free_positions_v3 free_updates_v3 free_free_v3);
            }
        }
        set!(free_new_plain free_run_plain free_positions_plain free_updates_plain free_free_plain)
    }
}

/// The same body in C.
struct FreeReference {
    set: Set,
    body: *mut Body,
    nodes: usize,
}

impl FreeReference {
    /// At rest in shape, with the velocities of the cube.
    fn new(cube: &Cube, mass: &[f64], steps: &[f64]) -> Self {
        let set = Set::detect();
        let nodes = cube.points.len();
        assert_eq!((mass.len(), 4 * steps.len()), (nodes, cube.nodes.len()));
        // SAFETY: the lists have the lengths that are handed over, node numbers are below the count of points, and the
        // function keeps no pointer into them.
        let body = unsafe {
            (set.new)(
                cube.points.as_flattened().as_ptr(),
                cube.shaken().as_ptr(),
                mass.as_ptr(),
                nodes as i64,
                cube.nodes.as_ptr(),
                steps.as_ptr(),
                steps.len() as i64,
                LAME.as_ptr(),
            )
        };
        FreeReference { set, body, nodes }
    }

    /// Executes all events up to a time.
    fn advance(&mut self, until: f64) {
        // SAFETY: the body is ours alone.
        unsafe { (self.set.run)(self.body, until) }
    }

    /// Positions, three numbers a node, each at its own time.
    fn positions(&self) -> Vec<f64> {
        let mut x = vec![0.0; 3 * self.nodes];
        // SAFETY: room for three numbers a node.
        unsafe { (self.set.positions)(self.body, x.as_mut_ptr()) };
        x
    }

    /// Number of events so far.
    fn updates(&self) -> u64 {
        // SAFETY: the body lives.
        unsafe { (self.set.updates)(self.body) as u64 }
    }
}

impl Drop for FreeReference {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and not used afterwards.
        unsafe { (self.set.free)(self.body) }
    }
}

/// An update of free steps over one of C, on a cube of so many cells a side.
pub fn over_c(cells: usize) -> Result<BenchOutcome, String> {
    let cube = Cube::graded(cells, ElementKind::Tet4, POWER);
    let problem = cube.problem();
    let steps = free_steps(&problem)?;
    let mut reference = FreeReference::new(&cube, problem.solid().mass(), &steps);
    let mut ours = free(&cube, problem, &steps)?;
    let rate: f64 = steps.iter().map(|h| 1.0 / h).sum();
    let mut time = COMPARED * steps.len() as f64 / rate;
    reference.advance(time);
    ours.advance(time).map_err(|e| e.fault.why)?;
    if reference.updates() != ours.updates() {
        return Err(format!("{} updates, {} in C", ours.updates(), reference.updates()));
    }
    let theirs = reference.positions();
    let off = theirs.iter().zip(ours.positions()).map(|(a, b)| (a - b).abs()).fold(0.0, super::keep);
    if !(off < AGREEMENT) {
        return Err(format!("positions differ from those of C by {off}"));
    }
    let span = UPDATES / rate;
    let before = ours.updates();
    let best = take_turns(REPETITIONS, |which| {
        if which == 0 {
            time += span;
            return seconds(|| reference.advance(time));
        }
        seconds(|| ours.advance(time).expect("a run of ours"))
    });
    let each = (ours.updates() - before) as f64 / REPETITIONS as f64;
    let [theirs, own] = best.map(|best| 1e9 * best / each);
    Ok(BenchOutcome::ns(own)
        .over(theirs)
        .counts(cube.elements() as u64, each.round() as u64, REPETITIONS)
        .with("lambda", lambda(&steps))
        .with("longest_step", largest(&steps)))
}
