//! Quadratic functions on the line, and their products on the square and cube, at Gauss's three points: one direction after the other, which for 27 nodes is a
//! tenth of the operations of a sum over all nodes at every point.
//!
//! With the values `m, p, c` at -1, 1 and 0 a function on the line is `c + o x + e x^2`, `o = (p - m)/2`, `e = (p + m)/2 - c`. Grids have the
//! nodes in this order, x fastest; those of points run from -1 to 1.

use super::super::lanes::Lanes;
use super::super::shape::zero;
use super::Slopes;
use super::gauss::G3;

/// `o`, `e` and `c`.
#[derive(Clone, Copy)]
struct Line<L> {
    o: L,
    e: L,
    c: L,
}

impl<L: Lanes> Line<L> {
    /// From the nodes `STRIDE` apart.
    #[inline(always)]
    fn of<const STRIDE: usize>(nodes: &[L], at: usize) -> Self {
        let (m, p, c) = (nodes[at], nodes[at + STRIDE], nodes[at + 2 * STRIDE]);
        let half = L::splat(0.5);
        Line { o: half.mul(p.sub(m)), e: half.mul(p.add(m)).sub(c), c }
    }

    /// The values at the three points.
    #[inline(always)]
    fn values(self) -> [L; 3] {
        let odd = L::splat(G3).mul(self.o);
        let even = L::splat(G3 * G3).mul(self.e).add(self.c);
        [even.sub(odd), self.c, even.add(odd)]
    }

    /// The slopes there.
    #[inline(always)]
    fn slopes(self) -> [L; 3] {
        let change = L::splat(2.0 * G3).mul(self.e);
        [self.o.sub(change), self.o, self.o.add(change)]
    }

    /// The transpose of [`values`](Self::values).
    #[inline(always)]
    fn by_values([a, b, c]: [L; 3]) -> Self {
        let sum = a.add(c);
        Line { o: L::splat(G3).mul(c.sub(a)), e: L::splat(G3 * G3).mul(sum), c: b.add(sum) }
    }

    /// The transpose of [`slopes`](Self::slopes).
    #[inline(always)]
    fn by_slopes([a, b, c]: [L; 3]) -> Self {
        Line { o: a.add(b).add(c), e: L::splat(2.0 * G3).mul(c.sub(a)), c: zero() }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Line { o: self.o.add(other.o), e: self.e.add(other.e), c: self.c.add(other.c) }
    }

    /// The transpose of [`of`](Self::of).
    #[inline(always)]
    fn put<const STRIDE: usize>(self, nodes: &mut [L], at: usize) {
        let half = L::splat(0.5);
        nodes[at] = half.mul(self.e.sub(self.o));
        nodes[at + STRIDE] = half.mul(self.e.add(self.o));
        nodes[at + 2 * STRIDE] = self.c.sub(self.e);
    }
}

/// Writes three numbers `STRIDE` apart.
#[inline(always)]
fn put<const STRIDE: usize, L: Lanes>(to: &mut [L], at: usize, numbers: [L; 3]) {
    for k in 0..3 {
        to[at + STRIDE * k] = numbers[k];
    }
}

/// Reads three numbers `STRIDE` apart.
#[inline(always)]
fn three<const STRIDE: usize, L: Lanes>(from: &[L], at: usize) -> [L; 3] {
    [from[at], from[at + STRIDE], from[at + 2 * STRIDE]]
}

/// The slopes of a function on the square at nine points.
#[inline(always)]
pub(super) fn square_slopes<L: Lanes>(u: &[L; 9], to: &mut impl Slopes<L>) {
    let (mut value, mut slope) = ([zero::<L>(); 9], [zero::<L>(); 9]);
    for j in 0..3 {
        let line = Line::of::<1>(u, 3 * j);
        put::<1, L>(&mut value, 3 * j, line.values());
        put::<1, L>(&mut slope, 3 * j, line.slopes());
    }
    for i in 0..3 {
        let (along, across) = (Line::of::<3>(&slope, i).values(), Line::of::<3>(&value, i).slopes());
        for j in 0..3 {
            to.put(i + 3 * j, 0, along[j]);
            to.put(i + 3 * j, 1, across[j]);
        }
    }
}

/// Its transpose.
#[inline(always)]
pub(super) fn square_loads<L: Lanes>(from: &impl Slopes<L>, out: &mut [L; 9]) {
    let (mut value, mut slope) = ([zero::<L>(); 9], [zero::<L>(); 9]);
    for i in 0..3 {
        let (mut along, mut across) = ([zero::<L>(); 3], [zero::<L>(); 3]);
        for j in 0..3 {
            along[j] = from.get(i + 3 * j, 0);
            across[j] = from.get(i + 3 * j, 1);
        }
        Line::by_values(along).put::<3>(&mut slope, i);
        Line::by_slopes(across).put::<3>(&mut value, i);
    }
    for j in 0..3 {
        let values = Line::by_values(three::<1, L>(&value, 3 * j));
        let slopes = Line::by_slopes(three::<1, L>(&slope, 3 * j));
        values.add(slopes).put::<1>(out, 3 * j);
    }
}

/// The values of a function on the square at nine points.
#[inline(always)]
pub(super) fn square_values<L: Lanes>(u: &[L; 9]) -> [L; 9] {
    let (mut value, mut out) = ([zero::<L>(); 9], [zero::<L>(); 9]);
    for j in 0..3 {
        put::<1, L>(&mut value, 3 * j, Line::of::<1>(u, 3 * j).values());
    }
    for i in 0..3 {
        put::<3, L>(&mut out, i, Line::of::<3>(&value, i).values());
    }
    out
}

/// Its transpose.
#[inline(always)]
pub(super) fn square_value_loads<L: Lanes>(from: &[L; 9], out: &mut [L; 9]) {
    let mut value = [zero::<L>(); 9];
    for i in 0..3 {
        Line::by_values(three::<3, L>(from, i)).put::<3>(&mut value, i);
    }
    for j in 0..3 {
        Line::by_values(three::<1, L>(&value, 3 * j)).put::<1>(out, 3 * j);
    }
}

/// The slopes of a function on the cube at 27 points.
#[inline(always)]
pub(super) fn cube_slopes<L: Lanes>(u: &[L; 27], to: &mut impl Slopes<L>) {
    let mut x = [[zero::<L>(); 27]; 2];
    for line in 0..9 {
        let of_line = Line::of::<1>(u, 3 * line);
        put::<1, L>(&mut x[0], 3 * line, of_line.values());
        put::<1, L>(&mut x[1], 3 * line, of_line.slopes());
    }
    // Values in both directions, slopes in the first, slopes in the second.
    let mut xy = [[zero::<L>(); 27]; 3];
    for k in 0..3 {
        for i in 0..3 {
            let at = i + 9 * k;
            let values = Line::of::<3>(&x[0], at);
            put::<3, L>(&mut xy[0], at, values.values());
            put::<3, L>(&mut xy[1], at, Line::of::<3>(&x[1], at).values());
            put::<3, L>(&mut xy[2], at, values.slopes());
        }
    }
    for at in 0..9 {
        let slopes = [
            Line::of::<9>(&xy[1], at).values(),
            Line::of::<9>(&xy[2], at).values(),
            Line::of::<9>(&xy[0], at).slopes(),
        ];
        for k in 0..3 {
            for c in 0..3 {
                to.put(at + 9 * k, c, slopes[c][k]);
            }
        }
    }
}

/// Its transpose.
#[inline(always)]
pub(super) fn cube_loads<L: Lanes>(from: &impl Slopes<L>, out: &mut [L; 27]) {
    let mut xy = [[zero::<L>(); 27]; 3];
    for at in 0..9 {
        let mut slopes = [[zero::<L>(); 3]; 3];
        for k in 0..3 {
            for c in 0..3 {
                slopes[c][k] = from.get(at + 9 * k, c);
            }
        }
        Line::by_values(slopes[0]).put::<9>(&mut xy[1], at);
        Line::by_values(slopes[1]).put::<9>(&mut xy[2], at);
        Line::by_slopes(slopes[2]).put::<9>(&mut xy[0], at);
    }
    let mut x = [[zero::<L>(); 27]; 2];
    for k in 0..3 {
        for i in 0..3 {
            let at = i + 9 * k;
            let values = Line::by_values(three::<3, L>(&xy[0], at));
            let slopes = Line::by_slopes(three::<3, L>(&xy[2], at));
            values.add(slopes).put::<3>(&mut x[0], at);
            Line::by_values(three::<3, L>(&xy[1], at)).put::<3>(&mut x[1], at);
        }
    }
    for line in 0..9 {
        let values = Line::by_values(three::<1, L>(&x[0], 3 * line));
        let slopes = Line::by_slopes(three::<1, L>(&x[1], 3 * line));
        values.add(slopes).put::<1>(out, 3 * line);
    }
}

/// Where each node of the square of nine is in the grid.
const SQUARE: [usize; 9] = [0, 1, 4, 3, 2, 7, 5, 6, 8];
/// Where each node of the cube of 27 is.
pub(super) const CUBE: [usize; 27] =
    [0, 1, 4, 3, 9, 10, 13, 12, 2, 7, 5, 6, 11, 16, 14, 15, 18, 19, 22, 21, 24, 25, 20, 23, 8, 17, 26];

/// The grid of the nodes of the square; without the middle, that of the serendipity function.
#[inline(always)]
pub(super) fn square_grid<L: Lanes>(u: &[L]) -> [L; 9] {
    let mut grid = [zero(); 9];
    for a in 0..u.len() {
        grid[SQUARE[a]] = u[a];
    }
    if u.len() == 8 {
        grid[8] = middle([u[0], u[1], u[2], u[3]], [u[4], u[5], u[6], u[7]]);
    }
    grid
}

/// The transpose of [`square_grid`].
#[inline(always)]
pub(super) fn square_nodes<L: Lanes>(mut grid: [L; 9], out: &mut [L]) {
    if out.len() == 8 {
        let [corner, side] = middle_loads(grid[8]);
        for a in 0..8 {
            grid[SQUARE[a]] = grid[SQUARE[a]].add(if a < 4 { corner } else { side });
        }
    }
    for a in 0..out.len() {
        out[a] = grid[SQUARE[a]];
    }
}

/// The middle of a face of a serendipity function: minus a quarter of the corners and half of the sides.
#[inline(always)]
pub(super) fn middle<L: Lanes>(corners: [L; 4], sides: [L; 4]) -> L {
    let ([a, b, c, d], [e, f, g, h]) = (corners, sides);
    let corners = a.add(b).add(c.add(d));
    let sides = e.add(f).add(g.add(h));
    L::splat(0.5).mul(sides).sub(L::splat(0.25).mul(corners))
}

/// What it makes of a load on the middle: on each corner, and on each side.
#[inline(always)]
pub(super) fn middle_loads<L: Lanes>(load: L) -> [L; 2] {
    [L::splat(-0.25).mul(load), L::splat(0.5).mul(load)]
}
