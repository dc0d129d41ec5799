#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# CLBlast tests its axpy routines against OpenBLAS, in all precisions that the device has.
. "$(dirname "$0")/checks.sh"

run 0 clblast_test_xaxpy
output=$(sed 's/\x1b\[[0-9;]*m//g' <<<"$output")
for routine in SAXPY DAXPY CAXPY ZAXPY; do
  expect "Starting tests for the '$routine' routine"
done
expect '^   [1-9][0-9]* test\(s\) passed'
expect_no '^   [1-9][0-9]* test\(s\) failed'
# Half precision is the only one that may be skipped.
results=$(grep -cE '^   0 test\(s\) skipped' <<<"$output")
[ "$results" -ge 4 ] || fail "only $results routines ran without skipping tests"
