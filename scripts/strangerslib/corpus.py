# SPDX-License-Identifier: Apache-2.0
"""Which groups of programs there are, and what the corpus tells of them."""

import shlex

from strangerslib import applications, libraries, suites
from strangerslib.sources import fetch

BUILDERS = {
    "shoc": suites.build_shoc,
    "rodinia": suites.build_rodinia,
    "parboil": suites.build_parboil,
    "polybench": suites.build_polybench,
    "boost": libraries.build_boost,
    "babelstream": applications.build_babelstream,
    "chai": suites.build_chai,
    "clblast": libraries.build_clblast,
    "clfft": libraries.build_clfft,
    "minibude": applications.build_minibude,
    "lulesh": applications.build_lulesh,
    "comd": applications.build_comd,
    "xsbench": applications.build_xsbench,
    "cloverleaf": applications.build_cloverleaf,
    "hashcat": applications.build_hashcat,
}


def build_group(top, group):
    """The lines of the corpus for the programs of a group that can be built."""
    folder = fetch(top, group)
    for name, where, command in BUILDERS[group](folder, top / "data") if folder else []:
        if (where / shlex.split(command)[0]).exists():
            print(f"strangers: {group}/{name}", flush=True)
            yield f"{group}\t{name}\t{where}\t{command}\n"
        else:
            print(f"strangers: {group}/{name} is not built; see {where}/strangers.log")
