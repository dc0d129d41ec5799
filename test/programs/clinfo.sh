#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/checks.sh"

run 0 clinfo -l
expect '^Platform #0: Conclave'
expect 'Device #0: .'

# The raw form has one property a line: [platform/device] NAME VALUE.
run 0 clinfo --raw
expect 'CL_PLATFORM_VERSION +OpenCL 3\.0'
expect 'CL_DEVICE_TYPE +.*CL_DEVICE_TYPE_CPU'
expect 'CL_DEVICE_TYPE +.*CL_DEVICE_TYPE_CPU'
expect 'CL_DEVICE_VERSION +OpenCL 3\.0'
expect 'CL_DEVICE_MAX_COMPUTE_UNITS +[1-9]'
expect 'CL_DEVICE_COMPILER_AVAILABLE +CL_TRUE'
expect 'CL_DEVICE_EXTENSIONS .*cl_khr_fp64'
# clinfo reports a query that fails as an error where the property should be.
expect_no 'error -[0-9]+|failed'

# The other form says "(n/a)" of what the device does not offer: kernels that enqueue kernels, kernels
# that are built in, and SPIR-V where the programs that it needs are not installed.
run 0 clinfo
expect 'Number of devices +1$'
expect_no 'not available|error -[0-9]|failed'
absent=$(grep -F '(n/a)' <<< "$output" |
  grep -vE '^ +(Device enqueue capabilities|Built-in kernels|ILs? )' || true)
[ -z "$absent" ] || fail "$absent"
