#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpi.sh EXAMPLES UNITS: two ranks share the device, with UNITS compute units of their own each (0: all
# of them together). Exit status 77: there is no mpirun.
. "$(dirname "$0")/checks.sh"
units=$2
command -v mpirun >/dev/null || exit 77
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 CONCLAVE_COMPUTE_UNITS=4
options=()
[ "$units" -eq 0 ] || options=(-u "$units")
ranks=(mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n 2)

run 0 "${ranks[@]}" "$examples/mpi_stencil" -r 203 -c 150 -s 40 "${options[@]}"
expect '^PASS!$'
[ "$(grep -cE '^ +[12] .* right$' <<<"$output")" -eq 4 ] || fail "not four right results"
[ "$units" -eq 0 ] || expect "40 steps, $units CUs for each rank$"
run 0 "${ranks[@]}" "$examples/mpi_sgemm" -M 301 -K 97 -N 130 "${options[@]}"
expect '^PASS!$'
[ "$(grep -cE '^ +[12] .* right$' <<<"$output")" -eq 4 ] || fail "not four right results"

# An error of one rank ends the others.
run 1 env TI_OCL_COMPUTE_UNIT_LIST=nonsense timeout 60 "${ranks[@]}" "$examples/mpi_stencil"
run 0 "$examples/mpi_stencil" --help
expect '^Usage: mpirun -n ranks mpi_stencil '
run 0 "$examples/mpi_sgemm" -h
expect '^Usage: mpirun -n ranks mpi_sgemm '
