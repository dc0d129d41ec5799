#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# darktable takes GPUs only, and builds its 30 programs when it starts.
. "$(dirname "$0")/checks.sh"
if ! command -v darktable-cltest > /dev/null; then
  echo "skipped: darktable is not installed"
  exit 77
fi

# It keeps programs of its own there, which would be used instead.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CONCLAVE_DEVICE_TYPE=gpu
run 0 darktable-cltest --configdir "$folder/config" --cachedir "$folder/cache"
expect 'opencl_init\] OpenCL successfully initialized'
expect "opencl_init\].*0[[:space:]]+'Conclave"
expect 'FINALLY: opencl is AVAILABLE'
expect_no 'failed to (compile|load)|could not compile|error'
