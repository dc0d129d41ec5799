# SPDX-License-Identifier: Apache-2.0
"""What is fetched, and how it is changed and built."""

import pathlib
import shutil
import subprocess

LENIENT = "-fcommon -fpermissive -w"  # much of this code is older than today's compilers
COMPUTE_APPS = ("AMDComputeLibraries/ComputeApps", "5e2fc6f426f2598d0abca31ca5465db9955c2aa5")
SOURCES = {
    "shoc": ("vetter/shoc", "0aea03beba2f09fcb5935cc11737372fe4de9ec0"),
    "rodinia": ("yuhc/gpu-rodinia", "9c10d3ea16ddba2ba057cc3951a9efc4c2cc18a4"),
    "parboil": ("abduld/Parboil", "a4c63da28f45699e9a274cbc49af3e067162aa2b"),
    "polybench": ("cavazos-lab/PolyBench-ACC", "70ea4ca9047dc4ec9c3ca79b4c91b3b2cc1510e7"),
    "boost": ("boostorg/compute", "cf7907574d6159cd43e6cf687a7b656278c61dd0"),
    "babelstream": ("UoB-HPC/BabelStream", "57637d572532fc028b6c0964944f1afc27ff5436"),
    "chai": ("chai-benchmarks/chai", "1ad38e3607a59905c5edc4f6ae11f676a769f3d9"),
    "clblast": ("CNugteren/CLBlast", "eeff251463434753470bccc16f2879437c220808"),
    "clfft": ("clMathLibraries/clFFT", "c59712e136fa6207956af22f5c0e4cee7d05340e"),
    "minibude": ("UoB-HPC/miniBUDE", "570f66c1fd0c29b7f3ab6fa96fba87f4561aa44c"),
    "lulesh": COMPUTE_APPS,
    "comd": COMPUTE_APPS,
    "xsbench": COMPUTE_APPS,
    "cloverleaf": ("UK-MAC/CloverLeaf_OpenCL", "6cb745d2f333ebfd4e146d7f70bb8e2ad60cda9c"),
    "hashcat": ("hashcat/hashcat", "d3983edaf22f5370d1bb136c930460bcad2d9f6e"),
}


def run(words, folder):
    """Whether the command succeeds; its output goes to a file beside what it works on."""
    with open(folder / "strangers.log", "a", encoding="utf-8") as log:
        return subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=log,
                              stderr=subprocess.STDOUT, check=False).returncode == 0


def fetch(top, name):
    """A fresh copy of the sources to build in, or None."""
    repository, commit = SOURCES[name]
    source = top / "src" / name
    if not source.exists():
        source.mkdir(parents=True)
        url = f"https://github.com/{repository}"
        words = [["git", "init", "-q"], ["git", "fetch", "-q", "--depth", "1", url, commit],
                 ["git", "checkout", "-q", "FETCH_HEAD"]]
        if not all(run(one, source) for one in words):
            print(f"strangers: {url} cannot be fetched (see {source}/strangers.log); "
                  f"put its files into {source} for another try")
            return None
    copy = top / "build" / name
    shutil.rmtree(copy, ignore_errors=True)
    return pathlib.Path(shutil.copytree(source, copy, symlinks=True))


def edit(path, *changes):
    """Replaces text of a file, which may be missing."""
    if path.exists():
        text = path.read_text()
        for old, new in changes:
            text = text.replace(old, new)
        path.write_text(text)


def write_script(path, text):
    path.write_text(text)
    path.chmod(0o755)
