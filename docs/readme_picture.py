#!/usr/bin/env python3
"""Makes the picture of the README from a run: the graded cube at three times, coloured by element step and by stress.

    docs/readme_picture.py          writes docs/graded-cube.webp; the program must be built (cargo build --release)
"""

import base64
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import gallery

# The part of the run, the colour, and the caption of each panel.
PANELS = [
    (0.0, "log10 of element step", "time step of each element"),
    (0.35, "stress (von Mises)", "von Mises stress, 0.035 s"),
    (0.8, "stress (von Mises)", "von Mises stress, 0.08 s"),
]


def main():
    form = sys.argv[1] if len(sys.argv) > 1 else "webp"
    program = os.environ.get("STATIONARY", gallery.PROGRAM)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
        work = Path(work)
        subprocess.run([program, "run", "graded-cube", "--quiet", "--out", work / "cube"], check=True)
        browser = gallery.Browser(work / "profile")
        panels = []
        for part, colour, caption in PANELS:
            browser.open(work / "cube/report.html")
            shown = base64.b64encode(browser.picture(colour, part, "png")).decode()
            panels.append(f'<figure><img src="data:image/png;base64,{shown}"><figcaption>{caption}</figcaption></figure>')
        style = ("body{margin:0;background:#fff;font:15px sans-serif;color:#222;display:flex}"
                 "figure{margin:0;flex:0 0 320px;overflow:hidden}img{width:320px;height:250px;object-fit:cover;transform:scale(1.15)}"
                 "figcaption{position:relative;text-align:center;padding:2px;background:#fff}")
        (work / "row.html").write_text(f"<style>{style}</style>{''.join(panels)}")
        browser.open(work / "row.html")
        browser.eval("Promise.all([...document.images].map(i => i.decode()))")
        picture = browser.shot({"x": 0, "y": 0, "width": 960, "height": 275, "scale": 1}, form)
        browser.child.kill()
        browser.child.wait()
    out = gallery.ROOT / f"docs/graded-cube.{form}"
    out.write_bytes(picture)
    print(f"{out.name}: {len(picture)} bytes")


if __name__ == "__main__":
    main()
