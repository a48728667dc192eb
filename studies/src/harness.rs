//! What a study is, and the list of all of them.

use crate::{avi03, fet03, local_steps, resonance, sem99, sur04, vti04};
use std::fmt;

/// How much of a study to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Seconds: short times, fewer steps. The claims still hold.
    Reduced,
    /// The whole figure, minutes at most.
    Full,
}

impl Scale {
    /// One of two values.
    pub fn pick<T>(self, reduced: T, full: T) -> T {
        match self {
            Scale::Reduced => reduced,
            Scale::Full => full,
        }
    }
}

/// A statement of the paper, and what was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The statement.
    pub text: String,
    /// What was measured.
    pub value: f64,
    low: f64,
    high: f64,
}

impl Claim {
    /// The value must be below a bound.
    pub fn below(text: impl Into<String>, value: f64, bound: f64) -> Self {
        Claim { text: text.into(), value, low: f64::NEG_INFINITY, high: bound }
    }

    /// The value must be above a bound.
    pub fn above(text: impl Into<String>, value: f64, bound: f64) -> Self {
        Claim { text: text.into(), value, low: bound, high: f64::INFINITY }
    }

    /// The value must lie between two bounds.
    pub fn between(text: impl Into<String>, value: f64, low: f64, high: f64) -> Self {
        Claim { text: text.into(), value, low, high }
    }

    /// Whether it does. A value that is not finite never does.
    pub fn holds(&self) -> bool {
        self.value.is_finite() && self.low < self.value && self.value < self.high
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.holds() { "holds" } else { "FAILS" };
        write!(f, "{mark}  {}: {:.4e} ", self.text, self.value)?;
        match (self.low.is_finite(), self.high.is_finite()) {
            (true, true) => write!(f, "(between {:?} and {:?})", self.low, self.high),
            (true, false) => write!(f, "(above {:?})", self.low),
            _ => write!(f, "(below {:?})", self.high),
        }
    }
}

/// What a study gives.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The figure as SVG.
    pub plot: String,
    /// The numbers behind it, as lines of text.
    pub table: Vec<String>,
    /// The paper's statements.
    pub claims: Vec<Claim>,
}

/// An entry of the list of studies.
#[derive(Debug)]
pub struct Study {
    /// The folder of the paper.
    pub paper: &'static str,
    /// The figure, which names the plot.
    pub figure: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Runs it.
    pub run: fn(Scale) -> Result<Outcome, String>,
}

impl Study {
    /// The name on the command line, such as `vti04-fig1`.
    pub fn name(&self) -> String {
        format!("{}-{}", self.paper, self.figure)
    }
}

/// All studies.
pub const STUDIES: &[Study] = &[
    Study { paper: "vti04", figure: "fig1", title: "heat of a nonlinear lattice", run: vti04::fig1::run },
    Study {
        paper: "vti04",
        figure: "fig2",
        title: "error of the heat of the harmonic lattice",
        run: vti04::fig2::run,
    },
    Study { paper: "vti04", figure: "fig3", title: "energy under friction", run: vti04::fig3::run },
    Study { paper: "vti04", figure: "fig4", title: "energy of Newmark and of RK4", run: vti04::fig4::run },
    Study {
        paper: "vti04",
        figure: "fig5",
        title: "pendulum: phase portrait and modified energy",
        run: vti04::fig5::run,
    },
    Study { paper: "vti04", figure: "table1", title: "rotating blade: periods", run: vti04::table1::run },
    Study {
        paper: "vti04",
        figure: "table2",
        title: "rotating blade: updates and speed-up",
        run: vti04::table2::run,
    },
    Study { paper: "vti04", figure: "fig9", title: "rotating blade, case 1", run: vti04::snapshots::case_1 },
    Study { paper: "vti04", figure: "fig10", title: "rotating blade, case 2", run: vti04::snapshots::case_2 },
    Study { paper: "vti04", figure: "fig11", title: "rotating blade, case 3", run: vti04::snapshots::case_3 },
    Study {
        paper: "vti04",
        figure: "fig12",
        title: "rotating blade: updates over the mesh",
        run: vti04::fig12::run,
    },
    Study { paper: "vti04", figure: "fig13", title: "rotating blade: energy", run: vti04::fig13::run },
    Study {
        paper: "vti04",
        figure: "fig18",
        title: "rotating blade: balance of energy of an element",
        run: vti04::fig18::run,
    },
    Study {
        paper: "vti04",
        figure: "fig15",
        title: "clamped slab: error against cost, AVI and Newmark",
        run: vti04::fig15::run,
    },
    Study {
        paper: "sur04",
        figure: "fig2-2-left",
        title: "energy of a particle in the plane",
        run: sur04::fig2_2_left::run,
    },
    Study {
        paper: "sur04",
        figure: "fig2-2-right",
        title: "energy of the same particle under friction",
        run: sur04::fig2_2_right::run,
    },
    Study {
        paper: "sur04",
        figure: "fig3-2",
        title: "largest residual of the local balance of energy of each element",
        run: sur04::fig3_2::run,
    },
    Study {
        paper: "avi03",
        figure: "table1",
        title: "block: updates of its elements",
        run: avi03::table1::run,
    },
    Study { paper: "avi03", figure: "fig6", title: "block: snapshots", run: avi03::fig6::run },
    Study { paper: "avi03", figure: "fig7", title: "block: AVI and Newmark at 16 ms", run: avi03::fig7::run },
    Study { paper: "avi03", figure: "fig8", title: "block: updates over the mesh", run: avi03::fig8::run },
    Study { paper: "avi03", figure: "fig9", title: "block: energy over eight swings", run: avi03::fig9::run },
    Study { paper: "avi03", figure: "fig10", title: "block: local energy residual", run: avi03::fig10::run },
    Study { paper: "avi03", figure: "fig12", title: "L-beam: snapshots", run: avi03::fig12::run },
    Study { paper: "avi03", figure: "fig13", title: "L-beam: energy and updates", run: avi03::fig13::run },
    Study { paper: "avi03", figure: "fig14", title: "L-beam: local energy residual", run: avi03::fig14::run },
    Study {
        paper: "sur04",
        figure: "fig2-3",
        title: "Poincare section of four point vortices",
        run: sur04::fig2_3::run,
    },
    Study { paper: "sem99", figure: "fig8-1", title: "double well: orbits", run: sem99::fig8_1::run },
    Study { paper: "sem99", figure: "fig8-2", title: "double well: energy error", run: sem99::fig8_2::run },
    Study { paper: "sem99", figure: "fig8-3", title: "coupled wells: orbit", run: sem99::fig8_3::run },
    Study { paper: "sem99", figure: "fig8-4", title: "coupled wells: energy error", run: sem99::fig8_4::run },
    Study {
        paper: "sem99",
        figure: "fig8-5",
        title: "coupled wells: lengths of the steps",
        run: sem99::fig8_5::run,
    },
    Study {
        paper: "sem99",
        figure: "turning",
        title: "ways past places where no step keeps the energy",
        run: sem99::turning::run,
    },
    Study {
        paper: "fet03",
        figure: "fig5-1",
        title: "energy of a bouncing particle, to a million impacts",
        run: fet03::fig5_1::run,
    },
    Study {
        paper: "fet03",
        figure: "fig5-3",
        title: "energy of the bouncing star: bounded or a random walk",
        run: fet03::fig5_3::run,
    },
    Study { paper: "fet03", figure: "fig5-4", title: "order through an impact", run: fet03::fig5_4::run },
    Study {
        paper: "resonance",
        figure: "pair",
        title: "two springs of unequal steps: tongues",
        run: resonance::pair::run,
    },
    Study {
        paper: "resonance",
        figure: "triple",
        title: "three springs: what lies between fast and slow",
        run: resonance::triple::run,
    },
    Study {
        paper: "resonance",
        figure: "chains",
        title: "chains under every rule of steps",
        run: resonance::chains::run,
    },
    Study {
        paper: "resonance",
        figure: "meshes",
        title: "growth of energy on the shipped meshes",
        run: resonance::meshes::run,
    },
    Study {
        paper: "resonance",
        figure: "long",
        title: "energy of long runs by the former default steps",
        run: resonance::long::run,
    },
    Study {
        paper: "resonance",
        figure: "limits",
        title: "rules of steps against the true limit",
        run: resonance::limits::run,
    },
    Study {
        paper: "local-steps",
        figure: "slab",
        title: "slab: total error over time, one step and local steps",
        run: local_steps::slab,
    },
    Study {
        paper: "local-steps",
        figure: "cube",
        title: "the same of the graded cube",
        run: local_steps::cube,
    },
    Study {
        paper: "local-steps",
        figure: "bracket",
        title: "the same of a bracket",
        run: local_steps::bracket,
    },
    Study { paper: "local-steps", figure: "blade", title: "the same of the blade", run: local_steps::blade },
];

/// Plots of one size in a row.
pub fn side_by_side(plots: &[String], width: u32, height: u32) -> String {
    let total = width * plots.len() as u32;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{total}\" height=\"{height}\" viewBox=\"0 0 {total} {height}\">"
    );
    for (i, plot) in plots.iter().enumerate() {
        svg.push_str(&plot.replacen("<svg", &format!("<svg x=\"{}\"", width * i as u32), 1));
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn study_claim_with_a_wrong_value_fails() {
        assert!(Claim::below("", 1.0, 2.0).holds() && !Claim::below("", 2.0, 2.0).holds());
        assert!(Claim::above("", 3.0, 2.0).holds() && !Claim::above("", 2.0, 2.0).holds());
        assert!(!Claim::between("", 5.0, 1.0, 2.0).holds() && !Claim::between("", 0.0, 1.0, 2.0).holds());
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!Claim::below("", value, 1.0).holds() && !Claim::above("", value, 1.0).holds());
        }
    }
}
