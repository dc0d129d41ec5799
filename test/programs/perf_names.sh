#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# perf names kernels in its report: perf_names.sh EXAMPLES. Exit status 77: perf cannot be used here.
. "$(dirname "$0")/checks.sh"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
perf record -o probe.data true >/dev/null 2>&1 || exit 77

# The shell becomes the example, so that its map's name is known.
CONCLAVE_PERF_MAP=1 perf record -o kernels.data \
  sh -c 'echo $$ >pid; exec "$1" -M 1000 -K 1000 -N 1000 -d' sh "$examples/sgemm" >output 2>&1 ||
  fail "$(cat output)"
map=/tmp/perf-$(cat pid).map
report=$(perf report -i kernels.data --stdio --sort symbol 2>/dev/null) || true
rm -f "$map"
grep -qE '\[\.\] multiply' <<<"$report" || fail "no kernel's name in perf's report: $report"
