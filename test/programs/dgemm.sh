#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/checks.sh"

run 0 "$examples/dgemm"
expect '^Generating random data \.\.\. Done\. Starting Dgemm\. $'
expect '^cMaj C\[1024,1024\] = A\[1024,1024\] \* B\[1024,1024\]: $'
expect '^ *[0-9]+ CUs : [0-9.]+ Gflops \([0-9.]+s\)$'
expect '^   1 CPU : [0-9.]+ Gflops \([0-9.]+s\) with OpenBLAS library$'
expect '^PASS!$'

run 0 "$examples/dgemm" -M 130 -K 77 -N 33 -or -a -b -x
expect '^rMaj C\[130,33\] = A\[130,77\] \* B\[77,33\]: $'
expect '^Extended check: 320 products \.\.\.Complete$'
expect '^PASS!$'

# The last -o counts.
run 0 "$examples/dgemm" -M 8 -K 8 -N 8 -or -oc
expect '^cMaj '
