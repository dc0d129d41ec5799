# SPDX-License-Identifier: Apache-2.0
"""Makes up input for Parboil's programs."""

import array
import math
import random
import struct


def uniform(low, high, count):
    return [random.uniform(low, high) for _ in range(count)]


def write_binary(path, integers, *floats):
    with open(path, "wb") as file:
        array.array("i", integers).tofile(file)
        for some in floats:
            array.array("f", some).tofile(file)


def make_streets(path):
    """A graph like those of cities' streets: crossings of which each has up to four neighbours."""
    side = 512
    edges = []
    for i in range(side * side):
        x, y = i % side, i // side
        near = ((i - 1, x > 0), (i + 1, x + 1 < side), (i - side, y > 0), (i + side, y + 1 < side))
        edges.append([to for to, inside in near if inside and random.random() < 0.9])
    start = 0
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{side * side}\n")
        for some in edges:
            file.write(f"{start} {len(some)}\n")
            start += len(some)
        file.write(f"0\n{start}\n")
        file.writelines(f"{to} 1\n" for some in edges for to in some)


def make_matrix(path):
    """Each row has as many numbers: the program reads those of shorter ones out of bounds."""
    rows = 1 << 17
    steps = [(4 * random.randrange(rows // 4) + 1, 2 * random.randrange(rows // 2) + 1)
             for _ in range(8)]
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"%%MatrixMarket matrix coordinate real symmetric\n{rows} {rows} {8 * rows}\n")
        for i in range(rows):
            columns = [(factor * i + step) % rows + 1 for factor, step in steps]
            file.writelines(f"{i + 1} {column} {random.uniform(-1, 1):.4f}\n" for column in columns)
    write_binary(path.with_name("vector.bin"), [], uniform(0, 1, rows))


def make_parboil_data(folder):
    make_streets(folder / "streets.txt")
    make_matrix(folder / "matrix.mtx")
    (folder / "atoms.pqr").write_text("".join(
        f"ATOM  {i} O WAT {i // 3} " + " ".join(f"{place:.3f}" for place in uniform(0, 60, 3))
        + f" {random.uniform(-1, 1):.3f}\n" for i in range(20000)))
    write_binary(folder / "fft.bin", [], uniform(-1, 1, 2 * 512 * 4096))
    # Bins in the middle of all, as the program expects.
    write_binary(folder / "histo.bin", [1024, 1024, 1024, 1024, *(
        min(max(int(random.gauss(1 << 19, 10000)), 0), (1 << 20) - 1) for _ in range(1 << 20))])
    # One character for each cell: x is an obstacle.
    rows = ["".join(random.choices(".x", [99, 1], k=120)) + "\n" for _ in range(120 * 150)]
    (folder / "lbm.txt").write_text("".join("".join(rows[i:i + 120]) + "\n"
                                            for i in range(0, len(rows), 120)))
    samples = 500000
    (folder / "gridding.uks").write_text(
        f"aquisition.numsamples={samples}\naquisition.kmax=1 1 1\naquisition.matrixSize=64 64 64\n"
        "reconstruction.matrixSize=64 64 64\ngridding.matrixSize=64 64 64\n"
        "gridding.oversampling=2\nkernel.width=4\nkernel.useLUT=1\n")
    write_binary(folder / "gridding.uks.data", [], uniform(-1, 1, 6 * samples))
    samples, points = 2048, 1 << 18
    write_binary(folder / "mri-q.bin", [samples, points], uniform(-0.5, 0.5, 3 * samples),
                 uniform(-1, 1, 3 * points + 2 * samples))
    for name in ("reference", "frame"):
        pixels = array.array("h", random.choices(range(256), k=704 * 576))
        (folder / f"{name}.bin").write_bytes(struct.pack("<HH", 704, 576) + pixels.tobytes())
    numbers = " ".join(f"{random.random():.4f}" for _ in range(1536 * 1536))
    (folder / "matrix.txt").write_text(f"1536 1536 {numbers}\n")
    write_binary(folder / "stencil.bin", [], uniform(0, 1, 256 * 256 * 64))
    for i in range(5):
        (folder / f"stars{i}.txt").write_text("".join(
            f"{random.uniform(0, 360):.5f} {math.degrees(math.asin(random.uniform(-1, 1))):.5f}\n"
            for _ in range(2048)))
