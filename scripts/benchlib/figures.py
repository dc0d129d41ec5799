# SPDX-License-Identifier: Apache-2.0
"""Medians, ratios and the table of figures, one figure a line."""

import statistics

LESS_IS_BETTER = ("ns", "us", "ms", "MB", "yes=1", "lost")
BEST = "best"  # heads the column of ratios to the best of several others
OF_LIMIT = "_of_limit"  # ends the name of a kernel's speed relative to that of its version by hand


def number(value):
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:.0f}"


def less_is_better(unit):
    return unit.startswith(LESS_IS_BETTER)


def typical(options, unit, values):
    if not options.best or unit == "x":  # of two times, either of which may have been disturbed
        return statistics.median(values)
    return min(values) if less_is_better(unit) else max(values)


def best_of(options, key, results):
    """Round by round, the best figure of the others."""
    better = min if less_is_better(key[1]) else max
    rounds = [results[who][key] for who in options.best_of if key in results[who]]
    return [better(values) for values in zip(*rounds)]


def ratios(options, unit, ours, others):
    """Of ours to theirs, one a round, or that of the best rounds."""
    if options.best:
        ours, others = [typical(options, unit, ours)], [typical(options, unit, others)]
    return [a / b for a, b in zip(ours, others) if b]


def cells(options, key, ours, others, failed):
    """A figure of another implementation and the ratio to it, as the table shows them."""
    if not others:  # what has not failed and is missing all the same does not apply to them
        has_failed = any(key[0].startswith(one) for one in failed)
        return f"  {'failed' if has_failed else '-':>12}  {'':>7}"
    cell = f"  {number(typical(options, key[1], others)):>12}"
    found = ratios(options, key[1], ours, others)
    cell += f"  {number(statistics.median(found)) if found else '':>7}"
    if found and len(options.contestants) == 2:
        cell += f"  {f'{min(found):.3g}..{max(found):.3g}':>17}"
    return cell


def print_table(options, results, failures):
    ours = results["ours"]
    others = [who for who in results if who != "ours"]
    width = max(len(f"{name} [{unit}]") for name, unit in ours)
    heading = f"{'':{width}}  {'ours':>10}"
    for who in others:
        heading += f"  {who[:12]:>12}  {'ours/..':>7}"
    if len(others) == 1:
        heading += f"  {'min..max':>17}"
    elif others:
        heading += f"  {f'ours/{BEST}':>9}"
    print(heading)
    for key, values in ours.items():
        name, unit = key
        line = f"{f'{name} [{unit}]':{width}}  {number(typical(options, unit, values)):>10}"
        for who in others:
            line += cells(options, key, values, results[who].get(key), failures[who])
        if len(others) > 1:
            found = ratios(options, unit, values, best_of(options, key, results) or [0])
            line += f"  {number(statistics.median(found)) if found else '-':>9}"
        if others:
            line += f"  ({'less' if less_is_better(unit) else 'more'} is better)"
        print(line.rstrip())


def print_summary(title, figures):
    """The geometric mean of {name: value}, and its smallest value."""
    if figures:
        smallest = min(figures, key=figures.get)
        print(f"{title}: geometric mean {statistics.geometric_mean(figures.values()):.3g} over "
              f"{len(figures)} kernels, smallest {figures[smallest]:.3g} ({smallest})")


def print_kernel_summary(options, results):
    ours = results["ours"]
    kernels = [(name, unit) for name, unit in ours if (name + OF_LIMIT, "x") in ours]
    others = {who: results[who] for who in results if who != "ours"}
    if len(others) > 1:
        title = f"{BEST} of {', '.join(options.best_of)}"
        others[title] = {key: best_of(options, key, results) for key in kernels}
    for who, theirs in others.items():
        compared = {key: ratios(options, key[1], ours[key], theirs.get(key) or [0])
                    for key in kernels}
        print_summary(f"kernels, ours/{who}", {key[0]: statistics.median(found)
                                               for key, found in compared.items() if found})
    print_summary("kernels, ours/limit", {name: typical(options, "x", ours[name + OF_LIMIT, "x"])
                                          for name, _ in kernels})
