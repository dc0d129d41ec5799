# SPDX-License-Identifier: Apache-2.0
"""Makes up the films in which Rodinia's heartwall and leukocyte follow something."""

import math
import random
import struct


def chunk(name, *parts):
    """A piece of a file of the kind RIFF."""
    body = b"".join(parts)
    return name + struct.pack("<I", len(body)) + body + bytes(len(body) % 2)


def write_film(path, width, height, frames):
    """Grey frames, bottom row first, in an AVI file that is not compressed."""
    stream = b"vids" + struct.pack("<8I", 0, 0, 0, 0, 1, 25, 0, len(frames)) + bytes(20)
    sizes = struct.pack("<3i", 40, width, height) + bytes(28)
    header = chunk(b"LIST", b"hdrl", chunk(b"strh", stream), chunk(b"strf", sizes))
    films = chunk(b"LIST", b"movi", *(chunk(b"00db", frame) for frame in frames))
    path.write_bytes(chunk(b"RIFF", b"AVI ", header, films))


def draw_frame(width, height, spots, radius):
    """Bright spots with dark edges, on a grey ground with some noise."""
    frame = bytearray(random.choices(range(96, 104), k=width * height))
    for x, y in spots:
        for j in range(-radius, radius + 1):
            for i in range(-radius, radius + 1):
                distance = math.hypot(i, j)
                if distance <= radius:
                    grey = 200 if distance < radius - 4 else 40
                    frame[(height - 1 - y - j) * width + x + i] = grey
    return bytes(frame)


def ring(radius, count):
    angles = [2 * math.pi * i / count for i in range(count)]
    return [(int(330 + radius * math.cos(angle)), int(370 + radius * math.sin(angle)))
            for angle in angles]


def make_films(folder):
    """Cells in a vein, and the inner and the outer wall of a heart; they move to the right."""
    cells = [(x, y) for x in range(60, 600, 60) for y in (150, 220, 290)]
    write_film(folder / "cells.avi", 640, 480,
               [draw_frame(640, 480, [(x + i, y) for x, y in cells], 12) for i in range(6)])
    inner, outer = ring(100, 20), ring(160, 31)
    write_film(folder / "heart.avi", 656, 744,
               [draw_frame(656, 744, [(x + i, y) for x, y in inner + outer], 14) for i in range(3)])
    rows = [" ".join(str(point[axis]) for point in points)
            for points in (inner, outer) for axis in (1, 0)]
    (folder / "heart.txt").write_text("\n".join(["25 40 10 0.87", "20 31", *rows, ""]))
