// SPDX-License-Identifier: Apache-2.0
// What the tests of XRT's C++ interface share: a device with an xclbin on it, alone or beside a
// worker process.
#ifndef CONCLAVE_TEST_SHARE_XRT_FIXTURE_H_
#define CONCLAVE_TEST_SHARE_XRT_FIXTURE_H_

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "test/common/worker_process.h"
#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_exception.h"
#include "xrt/xrt_kernel.h"
#include "xrt_api_roles.h"
#include "xrt_error_of.h"

namespace conclave::test {

inline constexpr int kCount = 1000;
inline constexpr size_t kHeapMiB = 48;  // of the device's global memory

inline std::vector<char> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class XrtApi : public testing::Test {
 protected:
  // No context of a test is open any more, so that the next one may load what it likes.
  XrtApi() : device_(0), uuid_(device_.load_xclbin(xrt_xclbin_file("A"))) {}

  xrt::bo ints(int count, int step = 1) {
    xrt::bo bo(device_, static_cast<size_t>(count) * sizeof(int), 0);
    for (int i = 0; i < count; ++i) bo.map<int*>()[i] = i * step;
    return bo;
  }
  xrt::kernel kernel(const std::string& name,
                     xrt::kernel::cu_access_mode mode = xrt::kernel::cu_access_mode::shared) {
    return {device_, uuid_, name, mode};
  }
  static void expect_sums(const xrt::bo& sums, int step) {
    std::vector<int> values(sums.size() / sizeof(int));
    xrt::bo(sums).read(values.data());
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], static_cast<int>(i) * step) << "at " << i;
  }

  xrt::device device_;
  xrt::uuid uuid_;
};

class XrtProcesses : public XrtApi {
 protected:
  static std::string ask(WorkerProcess& worker, const std::string& line) {
    worker.send(line);
    return worker.receive();
  }
  WorkerProcess worker_{"xrt", {}};
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_SHARE_XRT_FIXTURE_H_
