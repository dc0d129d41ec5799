#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# stray_compiler.sh EXAMPLES LIBRARY: a library in a directory such as /tmp/x/y looks for its compiler
# in /tmp/bin, too, where anybody can put a program. Exit status 77: root alone can play another user.
. "$(dirname "$0")/checks.sh"
library=$2
[ "$(id -u)" -eq 0 ] || exit 77

folder=$(mktemp -d)
trap 'discard "$folder"' EXIT
chmod 1777 "$folder"
mkdir -p "$folder/x/y" "$folder/bin" "$folder/vendors"
cp "$library" "$folder/x/y/libconclave.so"
echo "$folder/x/y/libconclave.so" > "$folder/vendors/conclave.icd"
printf '#!/bin/sh\ntouch "%s/started"\n' "$folder" > "$folder/bin/clocl"
chmod 755 "$folder/bin/clocl"
export OCL_ICD_VENDORS=$folder/vendors/ CONCLAVE_CACHE_DIR=$folder/cache CONCLAVE_LOG=warn
unset CONCLAVE_CLOCL

chown -R 65534 "$folder/bin"
output=$(timeout 60 "$examples/vecadd" 2>&1) && fail "a program was built without a compiler"
[ ! -e "$folder/started" ] || fail "a program of another user was started: $output"
expect "the compiler $folder/bin/clocl is not used: $folder/bin belongs to user 65534"

# The same program would be started if the library's owner had put it there.
chown -R 0 "$folder/bin"
timeout 60 "$examples/vecadd" > /dev/null 2>&1 && fail "a program was built by a shell script"
[ -e "$folder/started" ] || fail "the library's own compiler was not started"
