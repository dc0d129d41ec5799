#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Programs that know nothing of each other share the device, and each is right: the tests of single
# programs, at the same time. Those whose program is not installed are skipped.
. "$(dirname "$0")/checks.sh"

here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
declare -A pids
begin() {
  local name=$1
  shift
  "$@" > "$folder/$name" 2>&1 &
  pids[$name]=$!
}
for name in clfft clblast_xaxpy ffmpeg hashcat; do begin "$name" "$here/$name.sh" "$examples"; done
begin pyopencl /usr/bin/python3 "$here/pyopencl_kernel.py"
begin opencv /usr/bin/python3 "$here/opencv.py"

failed=""
ran=0
for name in "${!pids[@]}"; do
  status=0
  wait "${pids[$name]}" || status=$?
  echo "--- $name: exit status $status"
  tail -n 5 "$folder/$name"
  case $status in
    0) ran=$((ran + 1)) ;;
    77) ;;
    *) failed="$failed $name" ;;
  esac
done
[ -z "$failed" ] || fail "$failed"
[ "$ran" -ge 3 ] || fail "only $ran programs ran"
