#!/usr/bin/env python3
"""Makes the figures of the theory page from runs of the program, as plain SVG.

    docs/figures.py                 writes docs/src/figures/*.svg; the program must be built (cargo build --release)
"""

import csv
import math
import os
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("STATIONARY", ROOT / "target/release/stationary")
OUT = ROOT / "docs/src/figures"
BLUE, ORANGE, GREY = "#1f5fa8", "#d1701d", "#b8b8b8"

PENDULUM = """\
coordinates = ["a"]
lagrangian = "0.5*va^2 + cos(a)"
step = {step}
end = {end}
integrator = "{method}"
output = {{ every = {every} }}
initial = {{ position = [{q}], velocity = [{v}] }}
"""


def run(**settings):
    """The columns of `series.csv` of a pendulum, by name."""
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        (work / "pendulum.toml").write_text(PENDULUM.format(**{"every": 1, "v": 0} | settings))
        subprocess.run([PROGRAM, "run", "pendulum.toml", "--quiet", "--out", "out"], cwd=work, check=True)
        with open(work / "out/series.csv") as file:
            rows = list(csv.DictReader(file))
    return {key: [float(row[key]) for row in rows] for key in ("t", "a", "pa", "energy")}


class Plot:
    """Axes with a frame: data in, SVG out."""

    def __init__(self, box, x, y):
        self.left, self.top, self.width, self.height = box
        self.x, self.y, self.parts = x, y, []

    def place(self, x, y):
        across = self.left + self.width * (x - self.x[0]) / (self.x[1] - self.x[0])
        down = self.top + self.height * (self.y[1] - y) / (self.y[1] - self.y[0])
        return across, down

    def line(self, xs, ys, colour, width=1.5):
        points = " ".join("{:.1f},{:.1f}".format(*self.place(x, y)) for x, y in zip(xs, ys))
        self.parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>')

    def dots(self, xs, ys, colour, radius=1.6):
        for x, y in zip(xs, ys):
            across, down = self.place(x, y)
            self.parts.append(f'<circle cx="{across:.1f}" cy="{down:.1f}" r="{radius}" fill="{colour}"/>')

    def text(self, x, y, words, anchor="middle", colour="#222"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{words}</text>')

    def frame(self, label_x, label_y, ticks_x, ticks_y):
        right, bottom = self.left + self.width, self.top + self.height
        self.parts.append(f'<rect x="{self.left}" y="{self.top}" width="{self.width}" height="{self.height}"'
                          ' fill="none" stroke="#555"/>')
        for value, words in ticks_x:
            self.text(self.place(value, 0)[0], bottom + 16, words)
        for value, words in ticks_y:
            self.text(self.left - 6, self.place(self.x[0], value)[1] + 4, words, "end")
        self.text((self.left + right) / 2, bottom + 34, label_x)
        self.text(self.left, self.top - 8, label_y, "start")


def write(name, width, height, *plots):
    body = "\n".join(part for plot in plots for part in plot.parts)
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            ' font-family="sans-serif" font-size="13">\n<rect width="100%" height="100%" fill="#fff"/>\n')
    OUT.mkdir(exist_ok=True)
    (OUT / f"{name}.svg").write_text(head + body + "\n</svg>\n")


def energy():
    """Verlet's method and RK4 with the same number of force evaluations, on a pendulum released at 2 rad."""
    plot = Plot((70, 30, 600, 220), (0, 2000), (-0.5, 0.08))
    for method, step, every, colour in [("rk4", 0.4, 5, ORANGE), ("verlet", 0.1, 13, BLUE)]:
        series = run(method=method, step=step, every=every, end=2000, q=2)
        start = series["energy"][0]
        plot.line(series["t"], [(e - start) / abs(start) for e in series["energy"]], colour, 1)
    plot.frame("time", "relative change of the energy", [(t, t) for t in range(0, 2001, 500)],
               [(e, f"{e:.2f}") for e in (-0.4, -0.2, 0.0)])
    plot.text(660, 90, "Verlet, h = 0.1", "end", BLUE)
    plot.text(330, 120, "RK4, h = 0.4", "start", ORANGE)
    write("energy", 690, 300, plot)


def phase():
    """Exact curves of constant energy, Verlet's steps on nearby curves, and an RK4 run with large steps that spirals inward."""
    plot = Plot((60, 30, 600, 300), (-math.pi, math.pi), (-2.6, 2.6))
    for level in (-0.75, -0.25, 0.25, 0.75, 1.0, 1.6):
        reach = math.acos(-level) if level < 1 else math.pi
        angles = [reach * math.sin(math.pi * (k / 200 - 0.5)) for k in range(201)]
        momenta = [math.sqrt(max(0.0, 2 * (level + math.cos(q)))) for q in angles]
        plot.line(angles, momenta, GREY, 1)
        plot.line(angles, [-p for p in momenta], GREY, 1)
    for q in (0.7, 1.3, 1.9, 2.5):
        series = run(method="verlet", step=0.5, end=80, q=q)
        plot.dots(series["a"], series["pa"], BLUE, 1.2)
    series = run(method="rk4", step=1, end=150, q=2.5)
    plot.dots(series["a"], series["pa"], ORANGE)
    plot.frame("angle q", "momentum p", [(-3, "−3"), (-1.5, "−1.5"), (0, "0"), (1.5, "1.5"), (3, "3")],
               [(-2, "−2"), (0, "0"), (2, "2")])
    write("phase", 690, 385, plot)


def spacetime():
    """Events in space and time: horizontal lines are element updates, vertical lines are nodes."""
    nodes = [0, 0.35, 0.7, 1.7, 2.7, 4.7]
    steps = [0.5, 0.5, 1, 1, 2]
    plots = []
    for left, title, used in [(60, "one step for all", [0.5] * 5), (400, "local time steps", steps)]:
        plot = Plot((left, 40, 270, 240), (-0.3, 5.0), (0, 4))
        for x in nodes:
            plot.line([x, x], [0, 4], GREY, 1)
        count = 0
        for a, b, step in zip(nodes, nodes[1:], used):
            for j in range(1, round(4 / step) + 1):
                plot.line([a, b], [j * step] * 2, BLUE, 2)
                plot.dots([a, b], [j * step] * 2, BLUE, 2.4)
                count += 1
        plot.frame("position along the bar", f"time ({title}: {count} updates)", [], [(0, "0"), (2, "2"), (4, "4")])
        plots.append(plot)
    write("spacetime", 690, 335, *plots)


if __name__ == "__main__":
    energy()
    phase()
    spacetime()
