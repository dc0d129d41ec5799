#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Mesa's tests of OpenCL (Debian's package piglit). docs/programs.md says why the tests fail that are
# named here.
. "$(dirname "$0")/checks.sh"
if ! command -v piglit > /dev/null; then
  echo "skipped: piglit is not installed"
  exit 77
fi
known='api/clcreateprogramwithbinary
api/clgetcommandqueueinfo
api/clgetdeviceinfo
api/clgetextensionfunctionaddressforplatform
api/clgetkernelarginfo
api/clgetmemobjectinfo/cl_mem_uses_svm_pointer
program/build/include-directories'

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
run 0 piglit run --no-concurrency -l quiet cl "$folder/results"
run 0 piglit summary console "$folder/results"
passed=$(sed -nE 's/^ +pass: +([0-9]+)$/\1/p' <<< "$output")
[ "${passed:-0}" -gt 600 ] || fail "only ${passed:-0} tests pass"
others=$(grep -E ': (fail|crash|timeout|incomplete|warn)$' <<< "$output" | sed 's/: .*//' |
  grep -vxF "$known" || true)
[ -z "$others" ] || fail "$others"
