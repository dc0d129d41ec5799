#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/checks.sh"

run 0 "$examples/platforms"
expect '^PLATFORM: Conclave'
expect '^  Version: OpenCL 3\.0 '
expect '^  Profile: FULL_PROFILE$'
expect '^    DEVICE: .'
expect '^      Type       : .*CPU'
expect '^      CompUnits  : [1-9][0-9]*$'
expect '^      Frequency  : [0-9.]+ GHz$'
expect '^      Glb Mem    : +[1-9][0-9]* KB$'
expect '^      Loc Mem    : +[1-9][0-9]* KB$'
expect '^      Max Alloc  : +[1-9][0-9]* KB$'
