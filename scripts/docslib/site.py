# SPDX-License-Identifier: Apache-2.0
"""What mkdocs.yml cannot say: pages that lie outside docs/, and links as they are in the repository."""
import pathlib
import posixpath
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Path in the repository, which is that in the site too.
OUTSIDE = ["README.md", "CONTRIBUTING.md", "examples/README.md"]
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def on_files(files, config):
    for path in OUTSIDE:
        files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    return files


def site_path(path):
    """The page of a path of the repository; None if there is none."""
    if (ROOT / path).is_dir():
        path = posixpath.join(path, "README.md")
    if path in OUTSIDE:
        return path
    return path[len("docs/"):] if path.startswith("docs/") and (ROOT / path).is_file() else None


def on_page_markdown(markdown, page, config, files):
    source = page.file.src_uri
    folder = posixpath.dirname(source if source in OUTSIDE else "docs/" + source)

    def changed(link):
        mark, text, target = link.groups()
        path, hash_, anchor = target.partition("#")
        if not path or "://" in path:
            return link[0]
        path = posixpath.normpath(posixpath.join(folder, path))
        there = site_path(path)
        if there:
            return f"{mark}[{text}]({posixpath.relpath(there, posixpath.dirname(source) or '.')}{hash_}{anchor})"
        # Sources are not in the site. What does not exist stays a broken link, which is an error.
        return f"{text} (`{path}`)" if (ROOT / path).is_file() else link[0]

    # Blocks of code are left alone.
    parts = re.split(r"(^```.*?^```)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if i % 2 else LINK.sub(changed, part) for i, part in enumerate(parts))
