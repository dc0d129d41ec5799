#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tinygrad, whose kernels its own compiler writes: tinygrad.sh <directory of the programs> <python>. A
# package of Python, which CONCLAVE_TINYGRAD_PYTHON may have, if the <python> has not:
#   python3 -m venv DIR; DIR/bin/pip install tinygrad numpy; CONCLAVE_TINYGRAD_PYTHON=DIR/bin/python
. "$(dirname "$0")/checks.sh"
python=${CONCLAVE_TINYGRAD_PYTHON:-$2}
if ! "$python" -c 'import tinygrad, numpy' 2> /dev/null; then
  echo "skipped: $python has no tinygrad (pip install tinygrad numpy)"
  exit 77
fi
# tinygrad keeps what it has built.
XDG_CACHE_HOME=$(mktemp -d)
export XDG_CACHE_HOME DEV=CL
trap 'discard "$XDG_CACHE_HOME"' EXIT
here=$(dirname "$0")
run 0 "$python" "$here/tinygrad_functions.py"
expect '^device CL$'
run_twice "$python" "$here/tinygrad_functions.py"
