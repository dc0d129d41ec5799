#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Boost.Compute's test of shared virtual memory, from its source, which CONCLAVE_BOOST_COMPUTE names.
. "$(dirname "$0")/checks.sh"
if [ -z "${CONCLAVE_BOOST_COMPUTE:-}" ]; then
  echo "skipped: CONCLAVE_BOOST_COMPUTE does not name the source of Boost.Compute"
  exit 77
fi
if ! command -v g++ > /dev/null || [ ! -e /usr/include/boost/test/unit_test.hpp ]; then
  echo "skipped: g++ or Boost.Test (libboost-test-dev) is not installed"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
run 0 g++ -std=c++14 -w -DCL_TARGET_OPENCL_VERSION=210 -DBOOST_TEST_DYN_LINK \
  -I"$CONCLAVE_BOOST_COMPUTE/include" "$CONCLAVE_BOOST_COMPUTE/test/test_svm_ptr.cpp" \
  -o "$folder/test_svm_ptr" -lOpenCL -lboost_unit_test_framework
run 0 "$folder/test_svm_ptr" --log_level=all --color_output=no
expect 'No errors detected'
expect 'Leaving test case "sum_svm_kernel"'
expect_no 'skipping'
