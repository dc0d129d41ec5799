#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs an example: example.sh <directory> <a line of its output, as a regular expression> <name>
# [<arguments>...]
. "$(dirname "$0")/checks.sh"
line=$2 name=$3
shift 3

run 0 "$examples/$name" "$@"
expect "$line"
# Nobody but the platforms' lister and the matrix products has more to say than -h.
run 0 "$examples/$name" -h
expect "^Usage: $name "
run 1 "$examples/$name" -?
