#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws speeds beside other implementations, from the JSON of scripts/bench, as SVG: a row for each
kernel, sorted, and a dot for each implementation where our speed relative to it lies.

usage: speed_plot.py FIGURES.json >FILE
"""
import html
import json
import math
import pathlib
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from benchlib.figures import OF_LIMIT, less_is_better  # noqa: E402

LABELS, WIDTH, ROW, TOP, MARGIN = 170, 560, 18, 50, 14
INK, PAPER, GRID = "#222222", "#ffffff", "#d8d8d8"
# Okabe and Ito's, which people with any kind of colour vision can tell apart; and a shape for each.
COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]
SHAPES = ['<circle cx="{x:.1f}" cy="{y}" r="5" fill="{c}"/>',
          '<rect x="{l:.1f}" y="{t}" width="9" height="9" fill="{c}"/>',
          '<path d="M{x:.1f} {t}l5 9h-10z" fill="{c}"/>',
          '<path d="M{x:.1f} {t}l5 5l-5 5l-5 -5z" fill="{c}"/>']


def best(unit, values):
    return min(values) if less_is_better(unit) else max(values)


def speeds_of(figures):
    """{kernel: {implementation: our speed relative to it}} of the best rounds."""
    kernels = {one["name"] for one in figures if one["name"] + OF_LIMIT in {x["name"] for x in figures}}
    speeds = {}
    for one in figures:
        if one["name"] not in kernels:
            continue
        rounds = {who: best(one["unit"], values) for who, values in one["rounds"].items()}
        for who, value in rounds.items():
            if who != "ours" and value and rounds["ours"]:
                ratio = rounds["ours"] / value
                speeds.setdefault(one["name"], {})[who] = 1 / ratio if less_is_better(one["unit"]) else ratio
    return speeds


def mark(number, x, y):
    return SHAPES[number % len(SHAPES)].format(x=x, y=y, l=x - 4.5, t=y - 5, c=COLORS[number % len(COLORS)])


def text(x, y, words, anchor="start", weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" '
            f'fill="{INK}">{html.escape(words)}</text>')


def draw(speeds):
    others = sorted({who for found in speeds.values() for who in found})
    rows = sorted(speeds, key=lambda kernel: min(speeds[kernel].values()))
    values = [value for found in speeds.values() for value in found.values()]
    low, high = math.log(min(0.8, *values)), math.log(max(2.0, *values))
    place = lambda value: LABELS + (math.log(value) - low) / (high - low) * WIDTH  # noqa: E731
    height, width = TOP + len(rows) * ROW + 2 * MARGIN, LABELS + WIDTH + 3 * MARGIN
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
             f'height="{height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="{PAPER}"/>']
    for number, who in enumerate(others):
        mean = statistics.geometric_mean(found[who] for found in speeds.values() if who in found)
        lines.append(mark(number, LABELS + 230 * number, MARGIN))
        lines.append(text(LABELS + 230 * number + 10, MARGIN + 4, f"{who}: geometric mean {mean:.2f}", weight="bold"))
    for tick in (0.5, 0.7, 1, 2, 5, 10, 20, 50, 100):
        if low <= math.log(tick) <= high:
            lines.append(f'<path d="M{place(tick):.1f} {TOP - 8}V{height - MARGIN}" '
                         f'stroke="{INK if tick == 1 else GRID}"/>')
            lines.append(text(place(tick), TOP - 12, f"{tick:g} x", "middle"))
    for row, kernel in enumerate(rows):
        y = TOP + row * ROW + 8
        lines.append(text(LABELS - 10, y + 4, kernel, "end"))
        lines += [mark(number, place(speeds[kernel][who]), y)
                  for number, who in enumerate(others) if who in speeds[kernel]]
    return "\n".join([*lines, "</svg>"])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    speeds = speeds_of(json.loads(pathlib.Path(sys.argv[1]).read_text())["figures"])
    if not speeds:
        sys.exit(f"speed_plot: {sys.argv[1]} has no kernel beside another implementation: "
                 "scripts/bench --suite kernels --vs DIR --json FILE writes one")
    print(draw(speeds))


if __name__ == "__main__":
    main()
