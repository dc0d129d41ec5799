#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Four processes share a device of eight compute units: two the same four, two other pairs.
. "$(dirname "$0")/checks.sh"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CONCLAVE_COMPUTE_UNITS=8
cd "$examples"
TI_OCL_COMPUTE_UNIT_LIST="0,1,2,3" ./sgemm -M 1024 -K 2000 -N 1000 -r >"$folder/1" 2>&1 &
pids[1]=$!
TI_OCL_COMPUTE_UNIT_LIST="0,1,2,3" ./sgemm -M 1000 -K 2000 -N 1024 -r >"$folder/2" 2>&1 &
pids[2]=$!
TI_OCL_COMPUTE_UNIT_LIST="4,5" ./sgemm -M 1000 -K 2048 -N 1024 -r >"$folder/3" 2>&1 &
pids[3]=$!
TI_OCL_COMPUTE_UNIT_LIST="6,7" ./sgemm -M 1024 -K 2048 -N 1000 -r >"$folder/4" 2>&1 &
pids[4]=$!
units=(0 4 4 2 2)

failed=""
for i in 1 2 3 4; do
  wait "${pids[$i]}" || failed="$failed number $i: exit status $?;"
done
for i in 1 2 3 4; do
  echo "--- $i"
  output=$(cat "$folder/$i")
  echo "$output"
  [ -z "$failed" ] || continue
  expect "^ *${units[$i]} CUs : "
  expect '^PASS!$'
done
[ -z "$failed" ] || fail "$failed"
