#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A command line that makes no sense: a message with the option and the value, the usage, status 1.
. "$(dirname "$0")/checks.sh"

# refused <part of the message> <command...>
refused() {
  local message=$1
  shift
  run 1 "$@"
  expect "$message"
  expect '^Usage: '
}

refused "option -M: '0' is no whole number" "$examples/sgemm" -M 0
refused "option -N: '-5' is no whole number" "$examples/sgemm" -N -5
refused "option -K: '12x' is no whole number" "$examples/sgemm" -K 12x
refused "option -K: '99999999999999999999' is no whole number" "$examples/sgemm" -K 99999999999999999999
refused "option -M: '' is no whole number" "$examples/dgemm" -M ''
refused "option -o: 'diagonal' is neither r" "$examples/dgemm" -o diagonal
refused "option -M needs a value" "$examples/sgemm" -M
refused "unknown option -q" "$examples/sgemm" -q
refused "unexpected argument '7'" "$examples/dgemm" 7
refused "unknown option -z" "$examples/vecadd" -z
refused "unexpected argument 'all'" "$examples/platforms" all

# No platform at all.
empty=$(mktemp -d)
trap 'rmdir "$empty"' EXIT
run 1 env OCL_ICD_VENDORS="$empty/" "$examples/vecadd"
expect 'no OpenCL platform found'

# More memory than any device has.
run 1 "$examples/dgemm" -M 1000000 -N 1000000 -K 1
expect 'C\[1000000,1000000\] takes 8000000000000 bytes'
run 1 "$examples/sgemm" -M 1 -N 1000000 -K 1000000
expect 'B\[1000000,1000000\] takes 4000000000000 bytes'
