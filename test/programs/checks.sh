# SPDX-License-Identifier: Apache-2.0
# What the program tests share; to be sourced. A test is called with the directory of the examples.
set -euo pipefail
examples=${1:?usage: $0 <directory of the example programs>}

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# run <expected exit status> <command...>: runs it, with its output shown and in $output.
run() {
  local expected=$1 status=0
  shift
  echo "\$ $*"
  output=$("$@" 2>&1) || status=$?
  echo "$output"
  [ "$status" -eq "$expected" ] || fail "exit status $status, not $expected: $*"
}

# run_twice <command...>: runs it twice at the same time, as programs that share the device.
run_twice() {
  local others other
  others=$(mktemp)
  "$@" >"$others" 2>&1 &
  other=$!
  run 0 "$@"
  wait "$other" || {
    cat "$others"
    fail "a second program at the same time: $*"
  }
  rm -f "$others"
}

# expect <extended regular expression>: a line of the last output has to match.
expect() {
  grep -qE -- "$1" <<<"$output" || fail "no line matches: $1"
}

# expect_no <extended regular expression>: no line of the last output may match.
expect_no() {
  ! grep -qE -- "$1" <<<"$output" || fail "a line matches: $1"
}

# discard <folder>: for the end of a test. A compiler that outlives its program may still write to a cache
# in the folder.
discard() {
  for _ in $(seq 20); do
    rm -rf "$1" 2>/dev/null && return
    sleep 0.5
  done
}
