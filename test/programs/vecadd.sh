#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/checks.sh"

run 0 "$examples/vecadd"
expect '^Kernel Exec : Start to End +: [0-9]+ us$'
expect '^Success!$'
