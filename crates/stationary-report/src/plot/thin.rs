//! Reduction of long series to the resolution of a plot: the extremes of every pixel column for functions, the cells that are inked
//! for curves and markers.

/// A vertex in tenths of a pixel.
pub(super) type Vertex = (i32, i32);

/// Columns of a thinned function of x; each keeps its first, lowest, highest and last point.
const COLUMNS: f64 = 500.0;
/// Lines up to this many points are drawn as they are.
const FEW: usize = 2000;
/// A curve that turns back on itself may need more vertices than a function.
const CURVE_BUDGET: usize = 5000;
/// Isolated markers.
const POINT_BUDGET: usize = 4000;

/// A thinned line.
pub(super) struct Thinned {
    pub strokes: Vec<Vec<Vertex>>,
    /// Set when the strokes are rows of inked cells: the height of a row, in pixels.
    pub rows: Option<f64>,
}

/// The strokes of a line through `points` (pixels); a non-finite point is a gap.
pub(super) fn line(points: &[(f64, f64)]) -> Thinned {
    let runs: Vec<&[(f64, f64)]> =
        points.split(|p| !drawable(p)).filter(|run: &&[(f64, f64)]| !run.is_empty()).collect();
    let (strokes, rows) = if runs.iter().map(|run| run.len()).sum::<usize>() <= FEW {
        (runs.iter().map(|run| run.to_vec()).collect(), None)
    } else if points.iter().filter(|p| drawable(p)).is_sorted_by(|a, b| a.0 <= b.0) {
        (columns(points), None)
    } else {
        curve(&runs)
    };
    Thinned { strokes: strokes.iter().map(|stroke| rounded(stroke)).collect(), rows }
}

/// Markers: of those that fall into the same small cell only the first is kept.
pub(super) fn points(points: &[(f64, f64)]) -> Vec<Vertex> {
    let drawn: Vec<_> = points.iter().copied().filter(drawable).collect();
    if drawn.len() <= FEW {
        return drawn.iter().map(vertex).collect();
    }
    let mut cell = 1.0;
    loop {
        let mut grid = Grid::over(&drawn, cell);
        let kept: Vec<_> = drawn.iter().filter(|p| grid.visit(p, 1)).map(vertex).collect();
        if kept.len() <= POINT_BUDGET {
            return kept;
        }
        cell *= 1.5;
    }
}

fn drawable(p: &(f64, f64)) -> bool {
    p.0.is_finite() && p.1.is_finite()
}

fn vertex(p: &(f64, f64)) -> Vertex {
    ((p.0 * 10.0).round() as i32, (p.1 * 10.0).round() as i32)
}

fn rounded(stroke: &[(f64, f64)]) -> Vec<Vertex> {
    let mut vertices: Vec<Vertex> = stroke.iter().map(vertex).collect();
    vertices.dedup();
    vertices
}

/// Smallest and largest x and y.
fn bounds(points: &[(f64, f64)]) -> [f64; 4] {
    points
        .iter()
        .filter(|p| drawable(p))
        .fold([f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY], |b, p| {
            [b[0].min(p.0), b[1].max(p.0), b[2].min(p.1), b[3].max(p.1)]
        })
}

/// Thins a function of x. Gaps narrower than a column are below what can be seen and are bridged.
fn columns(points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    let [left, right, ..] = bounds(points);
    let width = ((right - left) / COLUMNS).max(1.0);
    let mut strokes = vec![Vec::new()];
    let mut column = Column::default();
    let mut gap = false;
    for p in points {
        if !drawable(p) {
            gap = true;
            continue;
        }
        let index = ((p.0 - left) / width) as usize;
        let parted = gap && column.points.last().is_some_and(|last| p.0 - last.0 > width);
        if index != column.index || parted {
            column.flush(strokes.last_mut().expect("never empty"));
            column.index = index;
        }
        if parted {
            strokes.push(Vec::new());
        }
        gap = false;
        column.push(*p);
    }
    column.flush(strokes.last_mut().expect("never empty"));
    strokes
}

/// The points of one pixel column in order: first, the extremes, last.
#[derive(Default)]
struct Column {
    index: usize,
    points: Vec<(f64, f64)>,
}

impl Column {
    fn push(&mut self, p: (f64, f64)) {
        self.points.push(p);
    }

    fn flush(&mut self, stroke: &mut Vec<(f64, f64)>) {
        let n = self.points.len();
        let by_y = |a: &usize, b: &usize| self.points[*a].1.total_cmp(&self.points[*b].1);
        if let (Some(low), Some(high)) = ((0..n).min_by(by_y), (0..n).max_by(by_y)) {
            let mut kept = [0, low.min(high), low.max(high), n - 1].to_vec();
            kept.dedup();
            stroke.extend(kept.iter().map(|&i| self.points[i]));
        }
        self.points.clear();
    }
}

/// Thins a curve in the plane (orbit, phase portrait): a stretch is dropped when every cell it crosses has
/// been inked by an earlier passage, so that a thousand turns of a closed orbit cost one. A curve that fills an
/// area is still too long then; it is drawn as the rows of cells it inks, which is all that can be seen of it.
fn curve(runs: &[&[(f64, f64)]]) -> (Vec<Vec<(f64, f64)>>, Option<f64>) {
    let all: Vec<_> = runs.concat();
    let mut cell = 1.0;
    let mut grid = Grid::over(&all, cell);
    let strokes = inked(runs, &mut grid);
    if strokes.iter().map(Vec::len).sum::<usize>() <= CURVE_BUDGET {
        return (strokes, None);
    }
    loop {
        let rows = grid.rows();
        if rows.len() <= CURVE_BUDGET {
            return (rows, Some(cell));
        }
        cell *= 1.25;
        grid = Grid::over(&all, cell);
        inked(runs, &mut grid);
    }
}

fn inked(runs: &[&[(f64, f64)]], grid: &mut Grid) -> Vec<Vec<(f64, f64)>> {
    let mut strokes = Vec::new();
    let mut passage = 1;
    for run in runs {
        let mut stroke: Vec<(f64, f64)> = Vec::new();
        let mut here = run[0];
        let mut at = usize::MAX;
        for (i, &next) in run.iter().enumerate() {
            let length = (next.0 - here.0).hypot(next.1 - here.1);
            let last = i + 1 == run.len();
            if i > 0 && !last && length < grid.cell / 3.0 {
                continue;
            }
            let samples = (2.0 * length / grid.cell).ceil().max(1.0);
            let mut fresh = false;
            for s in 0..=samples as usize {
                let part = s as f64 / samples;
                let p = (here.0 + part * (next.0 - here.0), here.1 + part * (next.1 - here.1));
                let index = grid.index(&p);
                // Cells entered again get a new passage number; staying inside a cell keeps the old one.
                passage += u32::from(index != at);
                at = index;
                fresh |= grid.visit(&p, passage);
            }
            if fresh {
                if stroke.is_empty() {
                    stroke.push(here);
                }
                stroke.push(next);
            } else if !stroke.is_empty() {
                strokes.push(std::mem::take(&mut stroke));
            }
            here = next;
        }
        if !stroke.is_empty() {
            strokes.push(stroke);
        }
    }
    strokes
}

/// Square cells over the bounding box, each remembering the passage that inked it first.
struct Grid {
    left: f64,
    top: f64,
    cell: f64,
    wide: usize,
    inked_by: Vec<u32>,
}

impl Grid {
    fn over(points: &[(f64, f64)], cell: f64) -> Grid {
        let [left, right, top, bottom] = bounds(points);
        let wide = ((right - left) / cell) as usize + 2;
        let high = ((bottom - top) / cell) as usize + 2;
        Grid { left, top, cell, wide, inked_by: vec![0; wide * high] }
    }

    /// Neighbouring inked cells of a row, joined from the middle of the first to that of the last.
    fn rows(&self) -> Vec<Vec<(f64, f64)>> {
        let mut rows = Vec::new();
        for (row, cells) in self.inked_by.chunks(self.wide).enumerate() {
            let middle = |i: usize, from: f64| from + (i as f64 + 0.5) * self.cell;
            let mut column = 0;
            for stretch in cells.chunk_by(|a, b| (*a == 0) == (*b == 0)) {
                let last = column + stretch.len() - 1;
                if stretch[0] != 0 {
                    let y = middle(row, self.top);
                    rows.push(vec![(middle(column, self.left), y), (middle(last, self.left), y)]);
                }
                column = last + 1;
            }
        }
        rows
    }

    fn index(&self, p: &(f64, f64)) -> usize {
        let column = ((p.0 - self.left) / self.cell) as usize;
        let row = ((p.1 - self.top) / self.cell) as usize;
        row * self.wide + column
    }

    /// True when this passage is the one that inks the cell of `p`.
    ///
    /// Markers all come as passage 1 and must find the cell empty.
    fn visit(&mut self, p: &(f64, f64), passage: u32) -> bool {
        let index = self.index(p);
        let first = &mut self.inked_by[index];
        let empty = *first == 0;
        if empty {
            *first = passage;
        }
        empty || (passage > 1 && *first == passage)
    }
}
