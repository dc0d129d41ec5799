#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a terminal's screen, text with escape sequences for colours (tmux capture-pane -e), as SVG.

usage: terminal_svg.py <SCREEN >FILE
"""
import html
import re
import sys
import unicodedata

COLUMN, ROW, MARGIN = 8.43, 17, 10  # a column is 0.602 of the font size in DejaVu Sans Mono
INK, PAPER = "#e0e0e0", "#1c1c1c"
BASIC = ["#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5",
         "#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff"]
SEQUENCE = re.compile(r"\x1b\[([\d;]*)m|\x1b\([AB0]|\x1b\[[\d;?]*[A-Za-z]|[\x0e\x0f]")


def color(number):
    """One of a terminal's 256 colours."""
    if number < 16:
        return BASIC[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    number -= 16
    return "#" + "".join(f"{0 if c == 0 else 55 + 40 * c:02x}" for c in (number // 36, number // 6 % 6, number % 6))


class Style:
    def __init__(self):
        self.ink = self.paper = None
        self.bold = self.dim = self.reverse = False

    def change(self, codes):
        codes = [int(code or 0) for code in codes.split(";")] if codes else [0]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.__init__()
            elif code in (1, 2, 7):
                setattr(self, {1: "bold", 2: "dim", 7: "reverse"}[code], True)
            elif code == 22:
                self.bold = self.dim = False
            elif code == 27:
                self.reverse = False
            elif code in (38, 48) and codes[:1] == [5]:
                self.set(code - 30 >= 10, color(codes[1]))
                del codes[:2]
            elif code in (38, 48) and codes[:1] == [2]:
                self.set(code - 30 >= 10, "#%02x%02x%02x" % tuple(codes[1:4]))
                del codes[:4]
            elif code in (39, 49):
                self.set(code == 49, None)
            elif 30 <= code < 38 or 40 <= code < 48:
                self.set(code >= 40, BASIC[code % 10])
            elif 90 <= code < 98 or 100 <= code < 108:
                self.set(code >= 100, BASIC[8 + code % 10])

    def set(self, is_paper, value):
        setattr(self, "paper" if is_paper else "ink", value)

    def colors(self):
        ink, paper = self.ink or INK, self.paper or PAPER
        return (paper, ink) if self.reverse else (ink, paper)


def width_of(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def main():
    lines = sys.stdin.read().rstrip("\n").split("\n")
    shapes, widest, style = [], 0, Style()
    for row, line in enumerate(lines):
        column = at = 0
        pieces = []
        for match in SEQUENCE.finditer(line):
            pieces.append((line[at:match.start()], match[1]))
            at = match.end()
        for text, codes in pieces + [(line[at:], None)]:
            if text:
                ink, paper = style.colors()
                x, y, width = MARGIN + column * COLUMN, MARGIN + row * ROW, width_of(text) * COLUMN
                if paper != PAPER:
                    shapes.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW}" fill="{paper}"/>')
                if text.strip():
                    look = (' font-weight="bold"' if style.bold else "") + (' opacity="0.7"' if style.dim else "")
                    shapes.append(f'<text x="{x:.1f}" y="{y + 13}" textLength="{width:.1f}" fill="{ink}"{look} '
                                  f'xml:space="preserve">{html.escape(text)}</text>')
                column += width_of(text)
            if codes is not None:
                style.change(codes)
        widest = max(widest, column)
    width, height = 2 * MARGIN + widest * COLUMN, 2 * MARGIN + len(lines) * ROW
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
          f'height="{height}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">')
    print(f'<rect width="{width:.0f}" height="{height}" rx="6" fill="{PAPER}"/>')
    print("\n".join(shapes))
    print("</svg>")


if __name__ == "__main__":
    main()
