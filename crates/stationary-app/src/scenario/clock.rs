//! Clocks of doubles: times far from zero lie apart.

/// The distance of a time from the next one away from zero that a double can hold.
pub(crate) fn spacing(time: f64) -> f64 {
    time.abs().next_up() - time.abs()
}

/// Whether a step moves a clock that shows `time` each time it is made. A step below the spacing is rounded to nothing or to more than
/// itself, by turns.
pub(crate) fn moves_clock(step: f64, time: f64) -> bool {
    step >= spacing(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_below_the_spacing_of_times_does_not_move_the_clock() {
        assert!(moves_clock(1.0, 1e15) && moves_clock(1e-300, 0.0) && moves_clock(2.0, -1e16));
        // 1e16 + 1 is 1e16, though 1e16 + 10 + 1 is 1e16 + 12.
        assert!(!moves_clock(1.0, 1e16) && !moves_clock(1.0, 1e16 + 10.0) && !moves_clock(1.0, -1e16));
    }
}
