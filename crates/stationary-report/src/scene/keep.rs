//! Frames in checkpoints: the page of a resumed run has those from before it, too.

use super::{Frame, Scene};
use crate::checkpoint::Checkpoint;
use stationary::error::Error;

impl Scene {
    /// Puts the frames so far into a checkpoint.
    pub fn save(&self, checkpoint: &mut Checkpoint) {
        let mut counts = vec![self.offered, self.stride, self.refused, u64::from(self.last.is_some())];
        counts.extend(self.reel().flat_map(|f| [f.number, f.data.len() as u64]));
        let floats: Vec<f64> = self
            .reel()
            .flat_map(|f| [f.t].into_iter().chain(f.ranges.as_flattened().iter().copied()))
            .collect();
        let data: Vec<u8> = self.reel().flat_map(|f| f.data.iter().copied()).collect();
        checkpoint.counts("scene.frames", &counts).floats("scene.ranges", &floats).bytes("scene.data", &data);
    }

    /// Goes on after the frames of a checkpoint.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), Error> {
        let counts = checkpoint.take_counts("scene.frames", None)?;
        let floats = checkpoint.take_floats("scene.ranges", None)?;
        let data = checkpoint.take_bytes("scene.data", None)?;
        let fault = || checkpoint.fault("the moments of its picture are not what such a run writes");
        let (head, list) = counts.split_first_chunk::<4>().ok_or_else(fault)?;
        let width = 1 + 2 * (3 + self.fields.len());
        let sizes = list.iter().skip(1).step_by(2);
        let bytes = sizes.fold(0u64, |sum, n| sum.saturating_add(*n));
        let whole = list.len().is_multiple_of(2) && floats.len() == list.len() / 2 * width;
        let [offered, stride, refused, extra] = *head;
        if !whole || bytes != data.len() as u64 || !stride.is_power_of_two() || extra > 1 {
            return Err(fault());
        }
        let mut rest = &data[..];
        let frames = list.chunks_exact(2).zip(floats.chunks_exact(width)).map(|(count, numbers)| {
            let (own, after) = rest.split_at(count[1] as usize);
            rest = after;
            let ranges = numbers[1..].as_chunks::<2>().0.to_vec();
            Frame { number: count[0], t: numbers[0], ranges, data: own.to_vec() }
        });
        self.frames = frames.collect();
        (self.offered, self.stride, self.refused) = (offered, stride, refused);
        self.last = if extra == 1 { Some(self.frames.pop().ok_or_else(fault)?) } else { None };
        Ok(())
    }
}
