#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pictures in docs/pictures are well-formed, small and used, and a terminal's screen becomes what
it shows.

usage: check_pictures.py SOURCE
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

MOST_BYTES = 64 * 1024
SVG = "{http://www.w3.org/2000/svg}"
SCREEN = "\x1b[1mCU 0\x1b[0m \x1b[38;5;214m▆▆\x1b(B\x1b[m a<b\n\x1b[7mPID\x1b[27m \x1b[31mred\x1b[39m\x0f end\n"


def pictures(source):
    pages = "".join(path.read_text() for path in (source / "docs").rglob("*.md"))
    found = sorted((source / "docs/pictures").glob("*.svg"))
    if len(found) < 5:
        yield f"there are only {len(found)} pictures"
    for picture in found:
        if picture.stat().st_size > MOST_BYTES:
            yield f"{picture}: more than {MOST_BYTES} bytes"
        if f"pictures/{picture.name})" not in pages:
            yield f"{picture}: no page shows it"
        if "/work" in picture.read_text() or "/home" in picture.read_text():
            yield f"{picture}: shows a path of the machine that made it"
        root = xml.parse(picture).getroot()
        if root.tag != SVG + "svg" or len(list(root.iter(SVG + "text"))) < 3:
            yield f"{picture}: shows nothing"


def screen(source):
    text = subprocess.run([sys.executable, source / "scripts/docslib/terminal_svg.py"], input=SCREEN, text=True,
                          capture_output=True, check=True).stdout
    root = xml.fromstring(text)
    texts = {node.text: node.attrib for node in root.iter(SVG + "text")}
    for shown, key, value in (("CU 0", "font-weight", "bold"), ("▆▆", "fill", "#ffaf00"), (" a<b", "fill", "#e0e0e0"),
                              ("PID", "fill", "#1c1c1c"), ("red", "fill", "#cd3131"), (" end", "fill", "#e0e0e0")):
        if texts.get(shown, {}).get(key) != value:
            yield f"'{shown}' has {texts.get(shown)}, not {key}={value}"
    if not any(node.attrib["fill"] == "#e0e0e0" for node in root.iter(SVG + "rect")):
        yield "nothing is in reverse"
    if "\x1b" in text or "\x0f" in text:
        yield "a sequence is left"


def plot(source):
    """Twice as fast is to the right of as fast, and a figure of which less is better is turned round."""
    figures = [{"name": name, "unit": unit, "rounds": {"ours": [ours], "theirs": [theirs]}}
               for name, unit, ours, theirs in (("same", "GB/s", 3, 3), ("twice", "ms", 2, 4),
                                                ("same_of_limit", "x", 1, 1), ("twice_of_limit", "x", 1, 1))]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"figures": figures}, file)
        file.flush()
        text = subprocess.run([sys.executable, source / "scripts/docslib/speed_plot.py", file.name], text=True,
                              capture_output=True, check=True).stdout
    root = xml.fromstring(text)
    places = [float(node.attrib["cx"]) for node in root.iter(SVG + "circle")][1:]  # the first is the legend's
    if len(places) != 2 or places[0] >= places[1]:
        yield f"two kernels, as fast and twice as fast, have their dots at {places}"
    if not any("geometric mean 1.41" in (node.text or "") for node in root.iter(SVG + "text")):
        yield "the mean of 1 and 2 is not 1.41"


def main():
    source = pathlib.Path(sys.argv[1])
    failures = list(pictures(source)) + list(screen(source)) + list(plot(source))
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
