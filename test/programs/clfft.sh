#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A 256 x 256 transform, which the client checks itself.
. "$(dirname "$0")/checks.sh"

# The library leaves files in the working directory.
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
run 0 clFFT-client -c -x 256 -y 256
expect 'Internal Client Test \*\*\*\*\*PASS\*\*\*\*\*'
run 0 clFFT-client -c --double -x 64 -y 32
expect 'Internal Client Test \*\*\*\*\*PASS\*\*\*\*\*'
