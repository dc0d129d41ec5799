#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pyopencl's own tests, which CONCLAVE_PYOPENCL_TESTS names: the folder `test` of pyopencl's source, of
# the version that is installed (Debian's python3-pyopencl, with python3-pytest).
# CONCLAVE_PYOPENCL=whole runs all of them, for many minutes.
. "$(dirname "$0")/checks.sh"
python=/usr/bin/python3
if [ -z "${CONCLAVE_PYOPENCL_TESTS:-}" ]; then
  echo "skipped: CONCLAVE_PYOPENCL_TESTS does not name the tests of pyopencl's source"
  exit 77
fi
if ! "$python" -c 'import pyopencl, pytest' 2> /dev/null; then
  echo "skipped: $python has no pyopencl or no pytest (python3-pyopencl, python3-pytest)"
  exit 77
fi
tests=(test_wrapper test_arrays_in_structs test_enqueue_copy test_clrandom test_clmath)
[ "${CONCLAVE_PYOPENCL:-}" != whole ] || tests+=(test_algorithm test_array)
cd "$CONCLAVE_PYOPENCL_TESTS"
export PYOPENCL_TEST=conclave
run 0 "$python" -m pytest -q -p no:cacheprovider "${tests[@]/%/.py}"
expect '^(=+ )?[1-9][0-9]* passed'
expect_no '[0-9] failed'
