#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Two processes share the device.
. "$(dirname "$0")/checks.sh"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$examples/sgemm" -M 1024 -K 2000 -N 1000 -r >"$folder/first" 2>&1 &
first=$!
"$examples/sgemm" -M 1000 -K 2000 -N 1024 -r >"$folder/second" 2>&1 &
second=$!
failed=""
wait "$first" || failed="$failed first: exit status $?"
wait "$second" || failed="$failed second: exit status $?"
cat "$folder/first" "$folder/second"
[ -z "$failed" ] || fail "$failed"
grep -q '^PASS!$' "$folder/first" || fail "the first sgemm did not pass"
grep -q '^PASS!$' "$folder/second" || fail "the second sgemm did not pass"
