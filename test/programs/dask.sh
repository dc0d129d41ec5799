#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dask.sh TOOL: workers of Dask, from PyPI, share the device by PyOpenCL (dask_workers.py). Exit status
# 77, with a reason: there is no PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CONCLAVE_SEGMENT=conclave-dask.$$ XDG_RUNTIME_DIR=$folder CONCLAVE_COMPUTE_UNITS=2

/usr/bin/python3 -m venv "$folder/environment" || { echo "SKIPPED: no virtual environments"; exit 77; }
pip=$folder/environment/bin/pip
timeout 30 "$pip" download -q --no-deps --retries 0 -d "$folder/probe" pyopencl >/dev/null 2>&1 || {
  echo "SKIPPED: PyPI does not answer"
  exit 77
}
"$pip" install -q distributed pyopencl numpy
workers=$(realpath "$(dirname "$0")/dask_workers.py")
cd "$folder"
"$folder/environment/bin/python" "$workers" "$1"
