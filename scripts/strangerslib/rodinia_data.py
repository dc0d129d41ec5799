# SPDX-License-Identifier: Apache-2.0
"""Makes up input for Rodinia's programs."""

import random
import struct

from strangerslib.films import make_films


def write_numbers(path, low, high, count):
    path.write_text("".join(f"{random.uniform(low, high):.6f}\n" for _ in range(count)))


def make_mesh(path):
    """Squares with their neighbours and normals; the flow comes from the left and meets a wall."""
    side = 312
    normals = ("-1 0 0", "1 0 0", "0 -1 0", "0 1 0")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{side * side}\n")
        for i in range(side * side):
            x, y = i % side, i // side
            wall = 0 if side < 3 * y < 2 * side else -2
            neighbours = [i if x > 0 else -2, i + 2 if x + 1 < side else wall,
                          i + 1 - side if y > 0 else -2, i + 1 + side if y + 1 < side else -2]
            file.write("1 " + " ".join(f"{neighbour} {normal}" for neighbour, normal
                                       in zip(neighbours, normals)) + "\n")


def make_rodinia_data(folder):
    nodes = 1 << 18
    edges = [random.randint(2, 10) for _ in range(nodes)]
    starts = [0]
    for count in edges:
        starts.append(starts[-1] + count)
    with open(folder / "graph.txt", "w", encoding="utf-8") as file:
        file.write(f"{nodes}\n")
        file.writelines(f"{start} {count}\n" for start, count in zip(starts, edges))
        file.write(f"\n0\n\n{starts[-1]}\n")
        file.writelines(f"{random.randrange(nodes)} {random.randint(1, 10)}\n"
                        for _ in range(starts[-1]))
    for suffix, count in (("1024", 1 << 20), ("512x8", 512 * 512 * 8)):
        write_numbers(folder / f"temp_{suffix}", 323, 341, count)
        write_numbers(folder / f"power_{suffix}", 0, 0.01, count)
    rows = "".join(" ".join(str(random.randint(1, 254)) for _ in range(458)) + "\n"
                   for _ in range(502))
    (folder / "image.pgm").write_text(f"P2\n458 502\n255\n{rows}")
    keys = 1000000
    (folder / "mil.txt").write_text(
        f"{keys}\n" + "".join(f"{random.randrange(keys)}\n" for _ in range(keys)))
    (folder / "command.txt").write_text("j 6000 3000\n\nk 10000\n\n")
    width = 1024
    size = 3 * width * width
    header = b"BM" + struct.pack("<IHHI", 54 + size, 0, 0, 54)
    header += struct.pack("<IiiHHIIiiII", 40, width, width, 1, 24, 0, size, 2835, 2835, 0, 0)
    (folder / "rgb.bmp").write_bytes(header + random.randbytes(size))
    with open(folder / "features.txt", "w", encoding="utf-8") as file:
        for point in range(102400):
            numbers = " ".join(f"{random.random():.4f}" for _ in range(34))
            file.write(f"{point} {numbers}\n")
    # A place in columns 28 to 37 of records of 48 characters.
    records = "".join(f"{'':28}{random.uniform(10, 60):5.1f}{random.uniform(20, 99):5.1f}{'':10}\n"
                      for _ in range(1 << 18))
    (folder / "places.txt").write_text(records)
    (folder / "nn.txt").write_text("places.txt\n")
    make_mesh(folder / "mesh.txt")
    make_films(folder)
