//! Frames in checkpoints: the page of a resumed run has those from before it, too.

use super::{Frame, Scene};
use stationary::archive::{Archive, Persist};

impl Persist for Frame {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.number).pass(&mut self.t).pass(&mut self.ranges).bytes(&mut self.data);
    }
}

impl Persist for Scene {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.decimator).pass(&mut self.refused);
        archive.pass(&mut self.frames).pass(&mut self.last);
        let ranges = 3 + self.fields.len();
        let fit = self.reel().all(|frame| frame.ranges.len() == ranges);
        archive.require(fit, "the moments of its picture are not what such a run writes");
    }
}
