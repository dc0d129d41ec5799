#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs examples at the same time, as processes of different kinds that share a device do.
#   many_examples.sh <directory> <name>...
. "$(dirname "$0")/checks.sh"
shift

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CONCLAVE_COMPUTE_UNITS=4
declare -A pids
for name in "$@"; do
  "$examples/$name" >"$folder/$name" 2>&1 &
  pids[$name]=$!
done
failed=""
for name in "$@"; do
  wait "${pids[$name]}" || failed="$failed $name (exit status $?)"
done
for name in "$@"; do
  echo "--- $name"
  tail -n 5 "$folder/$name"
done
[ -z "$failed" ] || fail "$failed"
