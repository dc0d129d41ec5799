#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The messages that docs/guides/messages.md explains are those of the sources.

usage: check_messages.py SOURCE
"""
import pathlib
import re
import sys

FOLDERS = ["compiler", "icd", "monitor", "platform", "xrt"]


def texts_of(source):
    """All literals of the sources, those of one expression joined as far as they stand together."""
    text = ""
    for folder in FOLDERS:
        for path in sorted((source / folder).rglob("*.cc")):
            text += path.read_text() + "\n"
    return re.sub(r'"\s*\n?\s*"', "", text)


def main():
    source = pathlib.Path(sys.argv[1])
    texts = texts_of(source)
    page = (source / "docs/guides/messages.md").read_text()
    messages = re.findall(r"^### `(.+)`$", page, re.MULTILINE)
    missing = [(message, part) for message in messages for part in message.split("...")
               if len(part.strip(" ,;:")) > 2 and part.strip(" ,;:") not in texts]
    for message, part in missing:
        print(f"FAILED: no source says '{part.strip()}' of '{message}'")
    print(f"{len(messages)} messages, {len(missing)} failures")
    return 1 if missing or len(messages) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
