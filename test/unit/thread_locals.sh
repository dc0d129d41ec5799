#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The library's thread-local variables come out of what the C library keeps for libraries that are loaded
# later: about 1,500 bytes for all of them. A library that finds no room there cannot be loaded.
#   thread_locals.sh LIBRARY
set -euo pipefail

most=512
size=$(readelf -lW "$1" | awk '$1 == "TLS" {print $6}')
[ -n "$size" ] || { echo "$1 has no thread-local variables" >&2; exit 1; }
echo "$((size)) bytes of thread-local variables, at most $most"
[ $((size)) -le $most ]
