//! The pages of the book and the README, so that each of their Rust blocks is a test.

macro_rules! pages {
    ($($name:ident $path:literal)*) => {
        $(#[doc = include_str!(concat!("../../../", $path))] pub struct $name;)*
    };
}

pages! {
    Readme "README.md"
    Index "docs/src/index.md"
    Tutorial "docs/src/tutorial.md"
    Solids "docs/src/solids.md"
    Statics "docs/src/statics.md"
    Modes "docs/src/modes.md"
    Bodies "docs/src/bodies.md"
    Start "docs/src/start.md"
    View "docs/src/view.md"
    Compare "docs/src/compare.md"
    Watch "docs/src/watch.md"
    Gallery "docs/src/gallery.md"
    Theory "docs/src/theory.md"
    Scenario "docs/src/scenario.md"
    Elements "docs/src/elements.md"
    Materials "docs/src/materials.md"
    Formulas "docs/src/formulas.md"
    Impacts "docs/src/impacts.md"
    Results "docs/src/results.md"
    Sweeps "docs/src/sweeps.md"
    Integrators "docs/src/integrators.md"
    Energy "docs/src/energy.md"
    Cost "docs/src/cost.md"
    Kernels "docs/src/kernels.md"
    LocalSteps "docs/src/local-steps.md"
    Errors "docs/src/errors.md"
    Python "docs/src/python.md"
    Rust "docs/src/rust.md"
    NewDiscreteLagrangian "docs/src/new-discrete-lagrangian.md"
    Notation "docs/src/notation.md"
    Glossary "docs/src/glossary.md"
}
