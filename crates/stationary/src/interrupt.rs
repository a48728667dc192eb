//! Long work that the user may end: a step of thousands of unknowns, a mesh of millions of cells.
//!
//! Who starts a run says how to learn that its end is wanted ([`listen`]). Loops that may take long ask now and then
//! ([`requested`]) and give up however is easiest: with an error, or with a result that means nothing. Whoever began that work made an
//! [`attempt`], throws the result away, and goes back to the state from before. So an interruption never shows in a state or a file, and
//! a resumed run has the bits of an unbroken one.
//!
//! The question is kept for each thread, not handed down: formulas, linear algebra and meshes know nothing of runs, and what a
//! question decides is not what is computed, only whether it is. Outside of an attempt the answer is always no.
//!
//! ```
//! use stationary::interrupt::{Interrupted, attempt, listen, requested};
//! use std::rc::Rc;
//!
//! let sum = || (1..=10).take_while(|_| !requested()).sum::<u32>();
//! assert_eq!(attempt(sum), Ok(55));
//! listen(Rc::new(|| true), || {
//!     assert_eq!(sum(), 55);
//!     assert_eq!(attempt(sum), Err(Interrupted));
//! });
//! ```

use crate::error::Error;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Whether the end is wanted. Once it says so, it should go on to.
pub type Question = Rc<dyn Fn() -> bool>;

/// An attempt was given up; its result means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted;

impl From<Interrupted> for Error {
    fn from(_: Interrupted) -> Self {
        Error::Interrupted
    }
}

/// What the work of this thread is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    /// Nothing that may be given up.
    None,
    UnderWay,
    GivenUp,
}

thread_local! {
    static QUESTION: RefCell<Option<Question>> = const { RefCell::new(None) };
    static ATTEMPT: Cell<Attempt> = const { Cell::new(Attempt::None) };
}

/// Puts back what it holds, also when the work panics.
struct Restore<T: 'static, C: Fn(T)>(Option<T>, C);

impl<T, C: Fn(T)> Drop for Restore<T, C> {
    fn drop(&mut self) {
        if let Some(before) = self.0.take() {
            (self.1)(before);
        }
    }
}

/// Does some work on this thread, in which attempts ask this question.
pub fn listen<R>(question: Question, work: impl FnOnce() -> R) -> R {
    let before = QUESTION.replace(Some(question));
    let _restore = Restore(Some(before), |before| _ = QUESTION.replace(before));
    work()
}

/// Whether attempts on this thread may be given up at all.
pub fn is_heard() -> bool {
    QUESTION.with_borrow(Option::is_some)
}

/// Does some work that may be given up. Its result means something only if it was not.
pub fn attempt<R>(work: impl FnOnce() -> R) -> Result<R, Interrupted> {
    let before = ATTEMPT.replace(if is_heard() { Attempt::UnderWay } else { Attempt::None });
    let _restore = Restore(Some(before), |before| ATTEMPT.set(before));
    let result = work();
    if ATTEMPT.get() == Attempt::GivenUp { Err(Interrupted) } else { Ok(result) }
}

/// Whether the present attempt is to be given up. What asks must then come to its end.
#[inline]
pub fn requested() -> bool {
    match ATTEMPT.get() {
        Attempt::None => false,
        Attempt::UnderWay => ask(),
        Attempt::GivenUp => true,
    }
}

/// The same for work that returns the errors of this library.
pub fn check() -> Result<(), Error> {
    if requested() { Err(Error::Interrupted) } else { Ok(()) }
}

#[cold]
fn ask() -> bool {
    // The question may itself ask for an attempt: it is not borrowed while it is asked.
    let question = QUESTION.with_borrow(Clone::clone);
    let wanted = question.is_some_and(|question| question());
    if wanted {
        ATTEMPT.set(Attempt::GivenUp);
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A question that is answered yes from a number of times on.
    fn from(times: u32) -> Question {
        let asked = Cell::new(0);
        Rc::new(move || {
            asked.set(asked.get() + 1);
            asked.get() >= times
        })
    }

    #[test]
    fn interruption_has_no_effect_outside_of_an_attempt_or_without_a_request() {
        assert!(!requested());
        assert_eq!(attempt(requested), Ok(false));
        listen(from(1), || assert!(!requested()));
        listen(from(1), || assert_eq!(attempt(requested), Err(Interrupted)));
        assert_eq!(attempt(requested), Ok(false));
    }

    #[test]
    fn interrupted_attempt_stays_interrupted_and_the_next_one_asks_again() {
        listen(from(3), || {
            assert_eq!(attempt(|| (0..2).map(|_| requested()).collect::<Vec<_>>()), Ok(vec![false; 2]));
            assert_eq!(attempt(|| assert!(requested() && requested())), Err(Interrupted));
            assert_eq!(attempt(|| ()), Ok(()), "work that never asks is never given up");
            assert_eq!(attempt(|| assert!(requested())), Err(Interrupted));
        });
    }

    #[test]
    fn panic_within_an_attempt_ends_the_attempt() {
        let broken = std::panic::catch_unwind(|| listen(from(1), || attempt(|| panic!("on purpose"))));
        assert!(broken.is_err());
        assert!(!requested());
        assert_eq!(attempt(requested), Ok(false));
    }
}
