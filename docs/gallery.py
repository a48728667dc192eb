#!/usr/bin/env python3
"""Makes the gallery: runs every shipped scenario, opens its page in Chromium and keeps its picture.

    docs/gallery.py [NAME ...]      pictures go to docs/src/gallery, the page to docs/src/gallery.md; the program
                                    must be built (cargo build --release)
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target/release/stationary"
PICTURES = ROOT / "docs/src/gallery"
WIDTH = 760

# Runs that would take long are cut short; the moment is a part of the film, the colour a field of the solid.
SHORT = {
    **dict.fromkeys(["blade-1", "blade-2", "blade-3"], ['integrator={ method = "avi" }', "claim=[]", "end=0.01"]),
    "disc-box": ["end_impacts=20000"],
}
COLOUR = {"graded-cube": "log10 of element step", "l-beam": "stress (von Mises)", "block": "speed",
          "necking": "stress (von Mises)", "mixed-mesh": "stress (von Mises)"}
PART = {"necking": 1.0, "mixed-mesh": 0.99}


class Browser:
    """Chromium on a pipe: JSON messages that end with a zero byte."""

    def __init__(self, profile):
        names = ["chromium", "chromium-browser", "google-chrome"]
        program = next(filter(None, map(shutil.which, names)), None) or sys.exit("Chromium is needed")
        (there, self.to), (self.source, here) = os.pipe(), os.pipe()
        command = ["sh", "-c", f'exec "$@" 3<&{there} 4>&{here}', "sh", program, "--headless=new", "--no-sandbox",
                   "--remote-debugging-pipe", "--use-gl=angle", "--use-angle=swiftshader",
                   "--enable-unsafe-swiftshader", f"--user-data-dir={profile}"]
        quiet = subprocess.DEVNULL
        self.child = subprocess.Popen(command, pass_fds=[there, here], stdout=quiet, stderr=quiet)
        self.asked, self.session, self.rest = 0, None, b""

    def call(self, method, **parameters):
        self.asked += 1
        message = {"id": self.asked, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                self.rest += os.read(self.source, 1 << 16)
            answer, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(answer)
            if answer.get("id") == self.asked:
                return answer["result"]

    def eval(self, script):
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        return answer["result"].get("value")

    def open(self, page):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=900, deviceScaleFactor=1, mobile=False)
        calm = [{"name": "prefers-reduced-motion", "value": "reduce"}]
        self.call("Emulation.setEmulatedMedia", features=calm)
        self.call("Page.navigate", url=page.as_uri())
        ready = ("document.readyState === 'complete' && location.protocol === 'file:'"
                 " && [...document.querySelectorAll('.scene')].every(s => s.dataset.state)")
        while not self.eval(ready):
            pass

    def picture(self, colour, part=0.5, form="webp"):
        """The animation at a part of the run, half way unless told, else the first plot."""
        self.eval("""(async () => {
            const slider = document.querySelector('.scene input[type=range], .film input[type=range]');
            if (slider) { slider.value = %d; slider.dispatchEvent(new Event('input')); }
            const menu = document.querySelector('.scene-field');
            const wanted = menu && [...menu.options].find(o => o.textContent === %s);
            if (wanted) { menu.value = wanted.value; }
            if (menu) menu.dispatchEvent(new Event('change'));
            await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        })()""" % (round(10000 * part), json.dumps(colour)))
        box = self.eval("""(() => {
            const seen = document.querySelector('.scene canvas, .film canvas, .film svg, figure svg, svg');
            const box = seen.getBoundingClientRect();
            return { x: box.left, y: box.top + scrollY, width: box.width, height: box.height, scale: 0.75 };
        })()""")
        shot = self.shot(box, form)
        self.session = None
        return shot

    def shot(self, box, form="webp"):
        quality = {"quality": 80} if form == "webp" else {}
        answer = self.call("Page.captureScreenshot", format=form, clip=box, captureBeyondViewport=True, **quality)
        return base64.b64decode(answer["data"])


HEAD = """# Gallery

The shipped scenarios: the animation of each report half way through the run, or its first plot. `docs/gallery.py` makes the pictures
from runs of the program. The blades are shown in their first 0.01 s with the default steps, the discs in their first 20,000
impacts.
"""


def page(shipped):
    """All pictures, with the titles and the first sentences of the scenarios."""
    parts = [HEAD]
    for name in shipped:
        scenario = tomllib.loads((ROOT / f"scenarios/{name}.toml").read_text())
        words = " ".join(scenario["description"].split()).split(". ")[0].rstrip(".") + "."
        parts.append(f"## {scenario['title']}\n\n![{scenario['title']}](gallery/{name}.webp)\n\n"
                     f"`stationary run {name}`: {words}\n")
    return "\n".join(parts)


def main():
    listed = subprocess.run([PROGRAM, "list"], capture_output=True, text=True, check=True).stdout
    shipped = [path.stem for path in sorted((ROOT / "scenarios").glob("*.toml")) if path.stem in listed]
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
        browser = Browser(Path(work) / "profile")
        for name in sys.argv[1:] or shipped:
            out = Path(work) / name
            command = [PROGRAM, "run", name, "--quiet", "--out", out]
            for setting in SHORT.get(name, []):
                command += ["--set", setting]
            subprocess.run(command, capture_output=True, cwd=work)
            browser.open(out / "report.html")
            picture = browser.picture(COLOUR.get(name, ""), PART.get(name, 0.5))
            (PICTURES / f"{name}.webp").write_bytes(picture)
            print(f"{name}: {len(picture)} bytes", flush=True)
        (ROOT / "docs/src/gallery.md").write_text(page(shipped))
        browser.child.kill()
        browser.child.wait()


if __name__ == "__main__":
    main()
