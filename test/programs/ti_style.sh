#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A program in the style of TI's: ti_style.sh <directory of the program>
. "$(dirname "$0")/checks.sh"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
run 0 timeout 60 "$examples/ti_style"
expect '^Kernel Exec : Queue  to Submit: [0-9]+ us$'
expect '^Kernel Exec : Submit to Start : [0-9]+ us$'
expect '^Kernel Exec : Start  to End   : [0-9]+ us$'
expect '^Relative 0 [0-9]+ [0-9]+ [0-9]+$'
expect '^ocl_read_binary: cannot read /nonexistent: No such file or directory$'
expect '^ocl_read_binary: cannot read ti_style.fifo: is no regular file$'
expect '^ERROR: clEnqueueNDRangeKernel\(-[0-9]+, Invalid work (group|item) size\)$'
expect '^PASS!$'
