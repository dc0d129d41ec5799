#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# OpenMM, molecular dynamics: openmm.sh <directory of the programs> <python>. A package of Python, which
# CONCLAVE_OPENMM_PYTHON may have, if the <python> has not:
#   python3 -m venv DIR; DIR/bin/pip install openmm; CONCLAVE_OPENMM_PYTHON=DIR/bin/python
. "$(dirname "$0")/checks.sh"
python=${CONCLAVE_OPENMM_PYTHON:-$2}
if ! "$python" -c 'import openmm' 2> /dev/null; then
  echo "skipped: $python has no openmm (pip install openmm)"
  exit 77
fi
run_twice "$python" "$(dirname "$0")/openmm_chains.py"
expect '^platform Conclave$'
