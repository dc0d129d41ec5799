#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The file with kernels' names for profilers lies in /tmp, where others can make one of its name first:
# hostile_perf_map.sh EXAMPLES
. "$(dirname "$0")/checks.sh"

folder=$(mktemp -d -p /tmp)
trap 'rm -rf "$folder"' EXIT

# after <shell command>: runs a program for whose map $map the command has prepared the place; what the
# map holds then is in $content.
after() {
  # The shell becomes the program, so that the map's name is known.
  run 0 timeout 60 env CONCLAVE_PERF_MAP=1 precious="$folder/precious" map_file="$folder/map" \
    sh -c 'map=/tmp/perf-$$.map; echo $map > "$map_file"; rm -f $map; eval "$1"; exec "$2"' \
    sh "$1" "$examples/vecadd"
  local map
  map=$(cat "$folder/map")
  content=$(cat "$map")
  rm -f "$map"
}

after ':'
grep -q vecadd <<<"$content" || fail "the map does not name the kernel: $content"

echo mine > "$folder/precious"
# Any file of the user's, on the same file system.
after 'ln "$precious" $map'
[ "$(cat "$folder/precious")" = mine ] || fail "another file was written by a hard link"
after 'ln -s "$precious" $map'
[ "$(cat "$folder/precious")" = mine ] || fail "another file was written by a symbolic link"

[ "$(id -u)" -eq 0 ] || exit 0
after ': > $map; chown 65534 $map; chmod 666 $map'
[ -z "$content" ] || fail "another user was told: $content"
