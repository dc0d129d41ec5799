#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# containers.sh EXAMPLES TOOL: programs in containers of their own share a device if they have the runtime
# directory and the pid namespace in common, and have one each otherwise. Exit status 77: no namespaces
# can be made here.
. "$(dirname "$0")/checks.sh"
tool=$2
unshare --mount --pid --fork true 2>/dev/null || exit 77
work=$(mktemp -d)
trap 'kill -KILL $(jobs -p) 2>/dev/null; wait; rm -rf "$work"' EXIT
export XDG_RUNTIME_DIR=$work CONCLAVE_SEGMENT=conclave-containers.$$
unset CONCLAVE_CONFIG

# in_container NAMESPACES: a program that goes on until the end of this test, in new namespaces.
in_container() {
  unshare "$@" "$examples/mandelbrot" -f 1000000 >/dev/null &
}
# Waits until the tool sees so many programs.
expect_programs() {
  for _ in $(seq 100); do
    output=$("$tool" examine -r contexts)
    [ "$(grep -c /mandelbrot <<<"$output")" -ne "$1" ] || return 0
    sleep 0.1
  done
  fail "not $1 programs: $output"
}

in_container --mount --uts --ipc
in_container --mount --uts --ipc
expect_programs 2
in_container --mount --uts --ipc --pid --kill-child --mount-proc
# It has a segment, and it is another one.
for _ in $(seq 100); do
  [ "$(ls -d "$work"/conclave/* | wc -l)" -eq 2 ] && break
  sleep 0.1
done
[ "$(ls -d "$work"/conclave/* | wc -l)" -eq 2 ] || fail "the third program has no segment: $(ls -R "$work")"
expect_programs 2
