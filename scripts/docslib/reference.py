#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/configuration.md and docs/tools.md from what the tools say of themselves.

usage: reference.py BIN DIRECTORY
"""
import json
import pathlib
import re
import subprocess
import sys

NOTE = "<!-- Written by scripts/docs-reference; a test compares it with the tools. -->\n"

CONFIGURATION = """# Configuration

{note}
Which keys and variables are there, and what do they mean? Conclave reads a JSON file,
`/etc/ti-mctd/ti_mctd_config.json` or the one that `CONCLAVE_CONFIG` names. `xrt.ini` overrides the file, and the
environment overrides both. Values are strings, as in TI's files, or integers; a comma before the closing brace is
allowed.

`conclave check-config` prints each key with its value and the value's source, and what is wrong;
`conclave check-config --describe` prints this page's tables.
"""

TOOLS = """# Tools

{note}
What does each tool take? These are the texts of `--help`; each tool has a manual page besides. All exit with 0 if all
is well. Colours and progress are for terminals only, and `NO_COLOR` turns colours off.
"""


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def linked(text):
    """Paths of pages become links."""
    return re.sub(r"docs/([a-z-]+\.md)(#[a-z0-9-]+)?", lambda m: f"[{m[1]}]({m[1]}{m[2] or ''})", text)


CODE = re.compile(r"(?<![\w/])(CONCLAVE_\w+|CL_\w+|/\S+/\S+|~/\S+|\$\w+\S*\w|\[\w+ N\]|\[Runtime\])")


def cell(text):
    """A text for a cell of a table, in which names of variables and files are code."""
    parts = CODE.sub(r"`\1`", text.replace("|", "\\|")).split("`")
    return linked("`".join(part if i % 2 else part.replace("<", "&lt;") for i, part in enumerate(parts)))


def configuration(bin_directory):
    keys = json.loads(output_of(str(bin_directory / "conclave"), "check-config", "--describe", "--json"))
    text = CONFIGURATION.format(note=NOTE)
    part = None
    for key in keys:
        if key["part"] != part:
            part = key["part"]
            text += f"\n## {part}\n\n| key | environment | default | meaning |\n|---|---|---|---|\n"
        code = {name: f"`{key[name]}`" if key[name] else "" for name in ("key", "variable")}
        # A value is one word; a text is several.
        standard = key["default"]
        one_word = " " not in standard and standard not in ("all", "none")
        text += f"| {code['key']} | {code['variable']} | {f'`{standard}`' if one_word else cell(standard)} " \
                f"| {cell(key['meaning'])} |\n"
    return text


def block(text):
    return f"```text\n{text.rstrip()}\n```\n"


def tools(bin_directory):
    text = TOOLS.format(note=NOTE)
    conclave = str(bin_directory / "conclave")
    overview = output_of(conclave, "--help")
    text += f"\n## conclave\n\n{block(overview)}"
    for command in re.findall(r"^  (\S+)  ", overview.partition("Subcommands:")[2], re.MULTILINE):
        text += f"\n### conclave {command}\n\n{block(output_of(conclave, command, '--help'))}"
    for tool in ("clocl", "ti-mctd", "ti-mct-heap-check"):
        text += f"\n## {tool}\n\n{block(output_of(str(bin_directory / tool), '--help'))}"
    return text


def main():
    bin_directory, directory = map(pathlib.Path, sys.argv[1:])
    (directory / "configuration.md").write_text(configuration(bin_directory))
    (directory / "tools.md").write_text(tools(bin_directory))


if __name__ == "__main__":
    main()
