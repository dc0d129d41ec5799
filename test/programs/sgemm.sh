#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/checks.sh"

run 0 "$examples/sgemm" -M 100 -K 300 -N 70
expect '^C\[100,70\] = alpha \* A\[100,300\] \* B\[300,70\] \+ beta \* C\[100,70\], use col-major storage$'
expect '^alpha=[-0-9.]+, beta=[-0-9.]+$'
expect '^Generating Input Data \.\.\.Complete$'
expect '^ *[0-9]+ CUs : [0-9.]+ Gflops \([0-9.]+ s\) $'
expect '^   1 CPU : [0-9.]+ Gflops \([0-9.]+ s\) with OpenBLAS library$'
expect '^PASS!$'

# Small matrices are printed; the extended check multiplies every awkward shape.
run 0 "$examples/sgemm" -M 4 -K 3 -N 2 -or -r -x
expect 'use row-major storage$'
expect '^Extended check: 80 products \.\.\.Complete$'
expect '^PASS!$'
[ "$(grep -cE '^( +-?[0-9]+\.[0-9]{3})+ $' <<<"$output")" -eq 11 ] ||
  fail "A, B and C do not have 4 + 3 + 4 printed rows"

run 0 "$examples/sgemm" -M 64 -K 64 -N 64 -d
expect ' CUs : '
expect_no '1 CPU|PASS'

run 0 "$examples/sgemm" -h
expect '^Usage: sgemm '
