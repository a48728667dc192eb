//! A film in a checkpoint: a run that goes on from there ends with the film of an unbroken one.

use super::{Film, Frame, Mark, Pose};
use stationary::archive::{Archive, Persist};

impl Persist for Pose {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.at).pass(&mut self.angle);
    }
}

impl Persist for Frame {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.number).pass(&mut self.t);
    }
}

impl Persist for Mark {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.t).pass(&mut self.at);
    }
}

impl Persist for Film {
    fn pass(&mut self, archive: &mut Archive) {
        archive.fixed(&mut self.steady).pass(&mut self.turning).pass(&mut self.frames);
        archive.pass(&mut self.poses).pass(&mut self.decimator).pass(&mut self.last);
        archive.pass(&mut self.marks).pass(&mut self.refused);
        let last = self.last.as_ref().map_or(self.width, |(_, poses)| poses.len());
        if self.poses.len() != self.frames.len() * self.width || last != self.width {
            archive.refuse("a film whose frames are not of its figures".into());
        }
        if self.turning.iter().any(|k| *k >= self.width) {
            archive.refuse("a figure of a film that it does not have".into());
        }
    }
}
