#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# hashcat finds passwords; before it begins, it tests its kernels by hashes that it knows.
. "$(dirname "$0")/checks.sh"
if ! command -v hashcat > /dev/null; then
  echo "skipped: hashcat is not installed"
  exit 77
fi

# It keeps files in the home directory.
HOME=$(mktemp -d)
export HOME XDG_DATA_HOME=$HOME XDG_CACHE_HOME=$HOME
trap 'rm -rf "$HOME"' EXIT
cd "$HOME"

# crack <mode> <hash> <password>: by all passwords of its length that digits make.
crack() {
  local mask=${3//?/?d}
  # It takes a CPU for unfit, and its own idea of a driver's version, unless it is forced.
  run 0 hashcat --force -D 1,2,3 --potfile-disable --quiet -a 3 -m "$1" "$2" "$mask"
  expect "^$2:$3$"
  expect_no 'self-test failed|CL_[A-Z_]+|not a native intel'
}
crack 0 "$(printf 4711 | md5sum | cut -d' ' -f1)" 4711
crack 1400 "$(printf 90210 | sha256sum | cut -d' ' -f1)" 90210
