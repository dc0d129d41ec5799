#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tells which passes of compiler/passes.def no test of this folder runs by name.

usage: check_passes.py ROOT
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
definitions = (root / "compiler/passes.def").read_text()
passes = re.findall(r'^(?:MODULE|FUNCTION|LOOP)_PASS\("([^"]+)"', definitions, re.MULTILINE)
run = set()
for test in (root / "test/lit").rglob("*.ll"):
    for pipeline in re.findall(r"^; RUN:.*--passes=(\S+)", test.read_text(), re.MULTILINE):
        # A name with its parameters: packetize<lanes=8>, print<shapes><lanes=8>.
        run.update(re.findall(r"(print<[^>]*>|[\w-]+)(?:<[^>]*>)?", pipeline))
missing = [name for name in passes if name not in run]
for name in missing:
    print(f"no test in test/lit runs the pass {name}", file=sys.stderr)
if not passes:
    print("compiler/passes.def lists no passes", file=sys.stderr)
sys.exit(bool(missing) or not passes)
