# SPDX-License-Identifier: Apache-2.0
"""Tables as Markdown has them."""

import statistics


def number(value):
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def mean(values):
    """The geometric mean of what is above 0."""
    values = [value for value in values if value > 0]
    return number(statistics.geometric_mean(values)) if values else "-"


def row(cells):
    print("| " + " | ".join(cells) + " |")


def heading(cells):
    row(cells)
    print("|" + "---|" * len(cells))
