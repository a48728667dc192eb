//! Times integrators against hand-written C in one run and reports ratios.

use stationary_bench::cases::cases;
use stationary_bench::measure::{HEADER, Outcome, measure};
use stationary_bench::solids;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut json, mut check) = (false, false);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--json" => json = true,
            "--check" => check = true,
            other => {
                eprintln!("unknown argument `{other}`: expected `--json` or `--check`");
                return ExitCode::from(2);
            }
        }
    }
    if !json {
        println!("{HEADER}");
    }
    let mut outcomes: Vec<Outcome> = Vec::new();
    let all = cases().into_iter().map(|case| measure(case, check));
    for outcome in all.chain(solids::outcomes(check)) {
        if !json {
            println!("{}", outcome.line());
        }
        outcomes.push(outcome);
    }
    if json {
        println!("{:#}", outcomes.iter().map(Outcome::json).collect::<serde_json::Value>());
    }
    ExitCode::from(u8::from(check && !outcomes.iter().all(Outcome::ok)))
}
