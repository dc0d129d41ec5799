// SPDX-License-Identifier: Apache-2.0
// What can be done with a buffer without a kernel: writing, reading, copying, filling, mapping, and
// a buffer that is a part of another one.
#include <CL/opencl.hpp>
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#include "common/example.h"

namespace {

constexpr size_t kElements = 4096;
constexpr size_t kBytes = kElements * sizeof(cl_int);

using Numbers = std::vector<cl_int>;

class Checks {
 public:
  void expect(const char* what, const Numbers& expected) {
    Numbers contents(kElements);
    accelerator_.queue.enqueueReadBuffer(buffer_, CL_TRUE, 0, kBytes, contents.data());
    const bool right = contents == expected;
    std::printf("%-12s: %s\n", what, right ? "ok" : "wrong");
    errors_ += !right;
  }

  size_t run() {
    const cl::CommandQueue& queue = accelerator_.queue;
    Numbers numbers(kElements);
    std::iota(numbers.begin(), numbers.end(), 0);
    queue.enqueueWriteBuffer(buffer_, CL_TRUE, 0, kBytes, numbers.data());
    expect("write, read", numbers);

    // The first half over the second one.
    queue.enqueueCopyBuffer(buffer_, buffer_, 0, kBytes / 2, kBytes / 2);
    std::copy_n(numbers.begin(), kElements / 2, numbers.begin() + kElements / 2);
    expect("copy", numbers);

    cl_buffer_region region{kBytes / 4, kBytes / 2};
    cl::Buffer middle = buffer_.createSubBuffer(0, CL_BUFFER_CREATE_TYPE_REGION, &region);
    queue.enqueueFillBuffer(middle, cl_int{7}, 0, region.size);
    std::fill_n(numbers.begin() + kElements / 4, kElements / 2, 7);
    expect("sub-buffer", numbers);

    auto* mapped =
        static_cast<cl_int*>(queue.enqueueMapBuffer(buffer_, CL_TRUE, CL_MAP_WRITE, 0, kBytes));
    std::reverse(mapped, mapped + kElements);
    queue.enqueueUnmapMemObject(buffer_, mapped);
    std::reverse(numbers.begin(), numbers.end());
    expect("map", numbers);

    // A column of a matrix of 64 rows of 64 numbers.
    const Numbers column(64, -1);
    const size_t row = 64 * sizeof(cl_int);
    queue.enqueueWriteBufferRect(buffer_, CL_TRUE, {5 * sizeof(cl_int), 0, 0}, {0, 0, 0},
                                 {sizeof(cl_int), 64, 1}, row, 0, sizeof(cl_int), 0, column.data());
    for (size_t i = 0; i < 64; ++i) numbers[64 * i + 5] = -1;
    expect("rectangle", numbers);
    return examples::report(errors_, "Passed!");
  }

 private:
  examples::Accelerator accelerator_;
  cl::Buffer buffer_{accelerator_.context, CL_MEM_READ_WRITE, kBytes};
  size_t errors_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return examples::run_simple_example(argc, argv, "buffer", "Checks operations on buffers.",
                                      [] { return Checks().run(); });
}
