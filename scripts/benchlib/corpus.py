# SPDX-License-Identifier: Apache-2.0
"""A corpus: a file that names one program in each line, its fields parted by tabs."""

import json
import re
import sys


def read_lines(options, names, optional=0):
    """The fields of all lines of options.corpus that options.filter wants. The last `optional` of
    the named fields may be missing, and are empty then. Lines that begin with # are comments."""
    lines = []
    for line_number, line in enumerate(options.corpus.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        if not len(names) - optional <= len(fields) <= len(names):
            sys.exit(f"bench: {options.corpus}:{line_number}: {len(fields)} fields; it takes "
                     f"{', '.join(names)}, with tabs between them"
                     + (f" (the last {optional} may be missing)" if optional else ""))
        fields += [""] * (len(names) - len(fields))
        if re.search(options.filter, "/".join(fields[:2])):
            lines.append(fields)
    if not lines:
        sys.exit(f"bench: --corpus {options.corpus}: no program whose name matches {options.filter}")
    return lines[:2] if options.quick else lines


def write_json(options, results, failures):
    """Writes what each implementation made of each program, and why it made nothing of some."""
    if options.json:
        options.json.write_text(json.dumps({"programs": results, "failures": failures}, indent=1) + "\n")
