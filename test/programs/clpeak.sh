#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clpeak builds all its kernels, whichever of them it runs.
. "$(dirname "$0")/checks.sh"

run 0 clpeak --kernel-latency --transfer-bandwidth --global-bandwidth
expect 'Platform: Conclave'
expect 'Compute units   : [1-9]'
expect 'float   +: [0-9.]+'
expect 'float16 +: [0-9.]+'
expect 'enqueueReadBuffer +: [0-9.]+'
expect 'Kernel launch latency : [0-9.]+ us'
expect_no '[Ee]rror|[Ff]ailed|Tests skipped'
