# SPDX-License-Identifier: Apache-2.0
"""Makes up input for the programs that come with none."""

import random

from strangerslib.parboil_data import make_parboil_data
from strangerslib.rodinia_data import make_rodinia_data


def make_data(folder):
    """Input of the sizes that the programs come with, the same each time."""
    random.seed(7)
    folder.mkdir(parents=True, exist_ok=True)
    make_rodinia_data(folder)
    make_parboil_data(folder)
