//! The tape as machine code, by Cranelift. No contraction, no reassociation, and the same functions as the
//! interpreter: results agree to the last bit.

use super::program::{Step, Tape};
use super::scope::Var;
use cranelift_codegen::ir::{AbiParam, InstBuilder, MemFlagsData, SigRef, Signature, Value, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, default_libcall_names};
use std::fmt;

type Entry = unsafe extern "C" fn(f64, *const f64, *const f64, *const f64, *mut f64);

/// Offsets in machine code are 32-bit numbers of bytes.
const MAX_ENTRIES: usize = 1 << 27;

fn offset(entry: usize) -> i32 {
    8 * entry as i32
}

/// Frames of more than a page are probed: a long program may spill more than the guard page of a thread's stack.
const FLAGS: [(&str, &str); 6] = [
    ("opt_level", "speed"),
    ("is_pic", "false"),
    ("use_colocated_libcalls", "false"),
    ("enable_verifier", "false"),
    ("enable_probestack", "true"),
    ("probestack_strategy", "inline"),
];

/// Machine code and the memory it lives in.
pub(super) struct Code {
    entry: Entry,
    /// `None` only while being dropped.
    module: Option<JITModule>,
}

// SAFETY: after `compile` the module is not touched until `drop`, which has exclusive access; the code itself is
// read-only memory and keeps no state.
unsafe impl Send for Code {}
// SAFETY: as above; `call` reads `entry` only.
unsafe impl Sync for Code {}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Code({:p})", self.entry as *const u8)
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: nobody can call `entry` any more, since calling needs a reference to this value.
            unsafe { module.free_memory() };
        }
    }
}

impl Code {
    /// Runs the code.
    ///
    /// # Safety
    /// The pointers must be valid for the tape's `lengths`.
    #[inline]
    pub(super) unsafe fn call(&self, t: f64, q: *const f64, v: *const f64, p: *const f64, out: *mut f64) {
        // SAFETY: the entry has this signature, and the caller vouches for the pointers.
        unsafe { (self.entry)(t, q, v, p, out) }
    }

    /// Machine code for a tape, or nothing on a machine the compiler does not know.
    pub(super) fn compile(tape: &Tape) -> Option<Code> {
        if tape.lengths.iter().any(|n| *n > MAX_ENTRIES) {
            return None;
        }
        let mut flags = settings::builder();
        for (key, value) in FLAGS {
            flags.set(key, value).ok()?;
        }
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        match build(&mut module, tape) {
            Some(entry) => Some(Code { entry, module: Some(module) }),
            None => {
                // SAFETY: nothing was finalised, so there is no code anybody could call.
                unsafe { module.free_memory() };
                None
            }
        }
    }
}

fn build(module: &mut JITModule, tape: &Tape) -> Option<Entry> {
    let pointer = module.target_config().pointer_type();
    let mut context = module.make_context();
    context.func.signature.params.push(AbiParam::new(types::F64));
    context.func.signature.params.extend([AbiParam::new(pointer); 4]);
    let id = module.declare_function("formula", Linkage::Local, &context.func.signature).ok()?;
    let signature = |arguments: usize, results: usize| {
        let mut s: Signature = module.make_signature();
        s.params.extend(vec![AbiParam::new(types::F64); arguments]);
        s.returns.extend(vec![AbiParam::new(types::F64); results]);
        s
    };
    let signatures = [signature(1, 1), signature(2, 1), signature(1, 2)];
    let mut frontend = FunctionBuilderContext::new();
    let mut builder = FunctionBuilder::new(&mut context.func, &mut frontend);
    let block = builder.create_block();
    builder.append_block_params_for_function_params(block);
    builder.switch_to_block(block);
    let signatures = signatures.map(|s| builder.import_signature(s));
    emit(&mut builder, tape, block, signatures);
    builder.seal_all_blocks();
    builder.finalize(module.target_config());
    module.define_function(id, &mut context).ok()?;
    module.clear_context(&mut context);
    module.finalize_definitions().ok()?;
    let address = module.get_finalized_function(id);
    // SAFETY: the function was defined with this signature and the platform's C calling convention.
    Some(unsafe { std::mem::transmute::<*const u8, Entry>(address) })
}

fn emit(
    b: &mut FunctionBuilder<'_>,
    tape: &Tape,
    block: cranelift_codegen::ir::Block,
    [one, two, pair]: [SigRef; 3],
) {
    let inputs = b.block_params(block).to_vec();
    let pointer = b.func.dfg.value_type(inputs[1]);
    let flags = MemFlagsData::trusted();
    let mut values: Vec<Value> = tape.constants.iter().map(|c| b.ins().f64const(*c)).collect();
    let mut cosine = None;
    for step in &tape.steps {
        let r = |at: u32| values[at as usize];
        let load = |b: &mut FunctionBuilder<'_>, bank: usize, i: u32| {
            b.ins().load(types::F64, flags.with_readonly(), inputs[bank], offset(i as usize))
        };
        let value = match *step {
            Step::Load(Var::T) => inputs[0],
            Step::Load(Var::Q(i)) => load(b, 1, i),
            Step::Load(Var::V(i)) => load(b, 2, i),
            Step::Load(Var::P(i)) => load(b, 3, i),
            Step::Neg(x) => b.ins().fneg(r(x)),
            Step::Add(x, y) => b.ins().fadd(r(x), r(y)),
            Step::Sub(x, y) => b.ins().fsub(r(x), r(y)),
            Step::Mul(x, y) => b.ins().fmul(r(x), r(y)),
            Step::Div(x, y) => b.ins().fdiv(r(x), r(y)),
            Step::Sqrt(x) => b.ins().sqrt(r(x)),
            Step::Abs(x) => b.ins().fabs(r(x)),
            Step::Unary(f, x) => {
                let f = b.ins().iconst(pointer, f as usize as i64);
                let call = b.ins().call_indirect(one, f, &[r(x)]);
                b.inst_results(call)[0]
            }
            Step::Binary(f, x, y) => {
                let f = b.ins().iconst(pointer, f as usize as i64);
                let call = b.ins().call_indirect(two, f, &[r(x), r(y)]);
                b.inst_results(call)[0]
            }
            Step::SinCos(f, x) => {
                let f = b.ins().iconst(pointer, f as usize as i64);
                let call = b.ins().call_indirect(pair, f, &[r(x)]);
                cosine = Some(b.inst_results(call)[1]);
                b.inst_results(call)[0]
            }
            Step::Cosine => cosine.expect("a sine stands before its cosine"),
        };
        values.push(value);
    }
    store(b, tape, &values, inputs[4]);
    b.ins().return_(&[]);
}

/// Neighbours are stored as pairs: a caller compiled to read two numbers at once would otherwise wait for both
/// stores to leave the store buffer, which takes longer than most formulas.
fn store(b: &mut FunctionBuilder<'_>, tape: &Tape, values: &[Value], out: Value) {
    let flags = MemFlagsData::new().with_notrap();
    let mut outputs = tape.outputs.as_slice();
    while let [(register, slot), rest @ ..] = outputs {
        let (mut value, mut rest) = (values[*register as usize], rest);
        if let [(next, place), after @ ..] = rest
            && *place == slot + 1
        {
            let first = b.ins().scalar_to_vector(types::F64X2, value);
            value = b.ins().insertlane(first, values[*next as usize], 1);
            rest = after;
        }
        b.ins().store(flags, value, out, offset(*slot));
        outputs = rest;
    }
}
