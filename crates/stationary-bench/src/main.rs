//! Times integrators against hand-written C in one run and reports ratios.
fn main() {
    stationary_bench::run();
}
