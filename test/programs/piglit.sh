#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Mesa's tests of OpenCL (Debian's package piglit). docs/programs.md says why the tests fail that are
# named here. CONCLAVE_PIGLIT=whole also runs the hundreds of programs that try the functions of OpenCL
# C, which are built in many minutes.
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
parts=(-t '^api' -t '^custom' -t '^program/build') least=60
[ "${CONCLAVE_PIGLIT:-}" != whole ] || parts=() least=4000
run 0 piglit run --no-concurrency -l quiet "${parts[@]}" cl "$folder/results"
run 0 piglit summary console "$folder/results"
passed=$(sed -nE 's/^ +pass: +([0-9]+)$/\1/p' <<< "$output")
[ "${passed:-0}" -gt "$least" ] || fail "only ${passed:-0} tests pass"
others=$(grep -E ': (fail|crash|timeout|incomplete|warn)$' <<< "$output" | sed 's/: .*//' |
  grep -vxF "$known" || true)
[ -z "$others" ] || fail "$others"
