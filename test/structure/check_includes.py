#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom against includes.txt, and that README.md of each folder says the same.

usage: check_includes.py ROOT
"""
import pathlib
import re
import sys

SOURCES = {".cc", ".h", ".c", ".inc"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def read_rules(path):
    """Folder -> the folders that it may include, in the order of the file."""
    rules = {}
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            folder, _, allowed = line.partition(":")
            rules[folder.strip()] = allowed.split()
    return rules


def folder_of(path, rules):
    """The longest listed folder that the path is in; None where there is none."""
    parts = path.split("/")[:-1]
    while parts and "/".join(parts) not in rules:
        parts.pop()
    return "/".join(parts) or None


def check_order(rules):
    """The compiler's folders include those that come before them only, so there is no cycle."""
    seen = set()
    for folder, allowed in rules.items():
        for other in allowed:
            if other not in rules:
                yield f"includes.txt: {folder}: there is no rule for {other}"
            elif other.startswith("compiler/") and other not in seen:
                yield f"includes.txt: {folder} may not include {other}, which comes later"
        seen.add(folder)


def check_sources(root, rules):
    used = {folder: set() for folder in rules}
    tops = sorted({folder.split("/")[0] for folder in rules})
    for path in sorted(p for top in tops for p in (root / top).rglob("*") if p.suffix in SOURCES):
        name = path.relative_to(root).as_posix()
        folder = folder_of(name, rules)
        if folder is None:
            yield f"{name}: its folder has no rule in includes.txt"
            continue
        for header in INCLUDE.findall(path.read_text()):
            other = folder_of(header, rules)
            if other is None or other == folder:
                continue
            used[folder].add(other)
            if other not in rules[folder]:
                yield f"{name}: includes {header}, but {folder} may not include {other}"
    for folder, allowed in rules.items():
        for other in allowed:
            if other not in used[folder]:
                yield f"includes.txt: {folder} may include {other}, but does not"


def check_readmes(root, rules):
    for folder, allowed in rules.items():
        path = root / folder / "README.md"
        lines = path.read_text().splitlines() if path.exists() else []
        line = next((text for text in lines if text.startswith("May include")), None)
        if line is None:
            yield f"{folder}/README.md: no line says what the folder may include"
            continue
        said = {word.rstrip("/") for word in re.findall(r"`([^`]+)`", line)} & rules.keys()
        if said != set(allowed):
            yield (f"{folder}/README.md: may include {' '.join(sorted(said))}; "
                   f"includes.txt: {' '.join(sorted(allowed))}")


def main():
    root = pathlib.Path(sys.argv[1])
    rules = read_rules(pathlib.Path(__file__).parent / "includes.txt")
    errors = [*check_order(rules), *check_sources(root, rules), *check_readmes(root, rules)]
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


sys.exit(main())
