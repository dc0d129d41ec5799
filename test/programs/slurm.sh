#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# slurm.sh EXAMPLES PACKAGING TOOL: jobs of two Slurm nodes on this machine get the compute units that
# Slurm has allocated to them, and the metrics name them. Exit status 77, with a reason: there is no Slurm that can do this.
. "$(dirname "$0")/checks.sh"
prolog=$2/conclave-task-prolog metrics=$2/conclave-slurm-metrics tool=$3
skip() {
  echo "SKIPPED: $*"
  exit 77
}
[ "$(id -u)" -eq 0 ] || skip "Slurm's daemons need root"
for program in slurmctld slurmd srun scontrol; do
  command -v $program >/dev/null || skip "$program is not installed"
done

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$work"' EXIT
export SLURM_CONF=$work/slurm.conf CONCLAVE_COMPUTE_UNITS=4 XDG_RUNTIME_DIR=$work CONCLAVE_SEGMENT=conclave-slurm.$$
mkdir "$work/state"
touch "$work"/cu{0,1,2,3}
port=$((20000 + RANDOM % 10000))
cat >"$SLURM_CONF" <<END
ClusterName=conclave
SlurmctldHost=localhost
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/none
CredType=cred/none
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TaskProlog=$prolog
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
GresTypes=cu
NodeName=node[1-2] NodeHostname=localhost Port=[$((port + 1))-$((port + 2))] CPUs=$(nproc) Gres=cu:4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe=FORCE:4
END
echo "NodeName=node[1-2] Name=cu File=$work/cu[0-3]" >"$work/gres.conf"
slurmctld -D >"$work/slurmctld.log" 2>&1 &
slurmd -D -N node1 >"$work/node1.log" 2>&1 &
slurmd -D -N node2 >"$work/node2.log" 2>&1 &
for _ in $(seq 100); do
  [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ] && break
  sleep 0.1
done
[ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ] || skip "Slurm does not start: $(tail -n 3 "$work"/*.log)"

job() {
  timeout 60 srun --export=ALL "$@"
}
# Two nodes, two compute units on each: the programs run there and see no more.
run 0 job -N2 --gres=cu:2 sh -c 'echo "$SLURMD_NODENAME has $TI_OCL_COMPUTE_UNIT_LIST"; "$0"/vecadd' "$examples"
expect '^node1 has 0,1$'
expect '^node2 has 0,1$'
[ "$(grep -c '^Success!$' <<<"$output")" -eq 2 ] || fail "two programs"
# Two jobs on one node: different compute units. The first waits for the second.
touch "$work/list"
show='echo "$TI_OCL_COMPUTE_UNIT_LIST" >>"$0/list"; for i in $(seq 100); do [ "$(wc -l <"$0/list")" -ge 2 ] && break; sleep 0.1; done'
job -N1 -w node1 --gres=cu:1 sh -c "$show" "$work" &
first=$!
job -N1 -w node1 --gres=cu:3 sh -c "$show" "$work"
wait $first
[ "$(tr ',' '\n' <"$work/list" | sort | tr '\n' ' ')" = "0 1 2 3 " ] || fail "two jobs had $(cat "$work/list")"
# A job without the resource is left as it is.
run 0 job -N1 sh -c 'echo "list: ${TI_OCL_COMPUTE_UNIT_LIST:-none}"; "$0"/sgemm -M 64 -K 64 -N 64' "$examples"
expect '^list: none$'
expect '^ *4 CUs : '
run 0 job -N1 --gres=cu:3 "$examples/sgemm" -M 64 -K 64 -N 64
expect '^ *3 CUs : '
# What a job uses is in the metrics under its number. No epilog: what it held is free even if it is killed.
PATH=$PATH:$(dirname "$tool")  # behind: an example is called timeout
job -N1 --gres=cu:1 sh -c 'echo "$SLURM_JOB_ID" >"$0/id"; exec "$1" -f 1000000 >/dev/null' "$work" "$examples/mandelbrot" &
first=$!
busy='conclave_process_busy_seconds_total{slurm_job="[0-9]*",.*name="mandelbrot"} [0-9.]*[1-9]'
for _ in $(seq 100); do
  "$metrics" 2>/dev/null | grep -q "$busy" && break
  sleep 0.1
done
run 0 "$metrics"
expect "^conclave_process_busy_seconds_total\{slurm_job=\"$(cat "$work/id")\",share=\"user-0\",pid=.* [0-9.]*[1-9]"
! command -v promtool >/dev/null || promtool check metrics <<<"$output" || fail "promtool does not take them"
kill -KILL "$(sed -n 's/^conclave_process_launches_total.*pid="\([0-9]*\)".*name="mandelbrot".*/\1/p' <<<"$output")"
! wait $first || fail "a killed job ends well"
run 0 "$tool" examine -r contexts
expect_no 'sgemm|vecadd|mandelbrot'
