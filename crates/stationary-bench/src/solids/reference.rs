//! The same body in vector C (`solids.c`).

use super::cube::{Cube, LAME};

/// A body in C.
type Body = std::ffi::c_void;

/// The functions of one instruction set.
struct Set {
    new: unsafe extern "C" fn(*const f64, *const f64, i64, *const u32, i64, i64, *const f64) -> *mut Body,
    start: unsafe extern "C" fn(*mut Body, *const f64),
    run: unsafe extern "C" fn(*mut Body, f64, i64),
    positions: unsafe extern "C" fn(*const Body) -> *const f64,
    free: unsafe extern "C" fn(*mut Body),
}

macro_rules! set {
    ($new:ident $start:ident $run:ident $positions:ident $free:ident) => {{
        unsafe extern "C" {
            fn $new(
                points: *const f64,
                mass: *const f64,
                nodes: i64,
                list: *const u32,
                elements: i64,
                corners: i64,
                lame: *const f64,
            ) -> *mut Body;
            fn $start(body: *mut Body, x: *const f64);
            fn $run(body: *mut Body, h: f64, steps: i64);
            fn $positions(body: *const Body) -> *const f64;
            fn $free(body: *mut Body);
        }
        Set { new: $new, start: $start, run: $run, positions: $positions, free: $free }
    }};
}

impl Set {
    /// The widest that this processor has.
    fn detect() -> Set {
        #[cfg(target_arch = "x86_64")]
        {
            let third = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            if third && crate::machine::fourth() {
                return set!(solid_new_v4 solid_start_v4 solid_run_v4 solid_positions_v4 solid_free_v4);
            }
            if third {
                return set!(solid_new_v3 solid_start_v3 solid_run_v3 solid_positions_v3 solid_free_v3);
            }
        }
        set!(solid_new_plain solid_start_plain solid_run_plain solid_positions_plain solid_free_plain)
    }
}

/// The same body in C.
pub struct SolidReference {
    set: Set,
    body: *mut Body,
    nodes: usize,
}

impl SolidReference {
    /// A body on a mesh, with the masses of its nodes, sheared.
    pub fn new(cube: &Cube, mass: &[f64]) -> Self {
        let set = Set::detect();
        let (nodes, each) = (cube.points.len(), cube.kind.nodes());
        let points = cube.points.as_flattened();
        let elements = cube.nodes.len() / each;
        // SAFETY: the lists have the lengths that are handed over, node numbers are below the count of points, and the
        // functions keep no pointer into them.
        let body = unsafe {
            let body = (set.new)(
                points.as_ptr(),
                mass.as_ptr(),
                nodes as i64,
                cube.nodes.as_ptr(),
                elements as i64,
                each as i64,
                LAME.as_ptr(),
            );
            (set.start)(body, cube.sheared().as_ptr());
            body
        };
        SolidReference { set, body, nodes }
    }

    /// Makes steps.
    pub fn advance(&mut self, h: f64, steps: u64) {
        // SAFETY: the body is ours alone.
        unsafe { (self.set.run)(self.body, h, steps as i64) }
    }

    /// Positions, three numbers a node.
    pub fn positions(&self) -> Vec<f64> {
        // SAFETY: the body has four numbers a node.
        let all = unsafe { std::slice::from_raw_parts((self.set.positions)(self.body), 4 * self.nodes) };
        all.chunks_exact(4).flat_map(|x| [x[0], x[1], x[2]]).collect()
    }
}

impl Drop for SolidReference {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and not used afterwards.
        unsafe { (self.set.free)(self.body) }
    }
}
