// SPDX-License-Identifier: Apache-2.0
// Heaps in buffers that kernels allocate from, one in DDR memory and one on the chip (MSMC).
#include <CL/opencl.hpp>
#include <algorithm>
#include <cstdio>
#include <set>
#include <vector>

#include "common/example.h"
#include "dspheap.cl.h"

namespace {

// TI's extensions; Khronos' headers do not have them.
constexpr cl_device_info kDeviceMsmcMemSize = 0x4060;
constexpr cl_mem_flags kMemUseMsmc = 1 << 20;

constexpr size_t kDdrHeap = 16 << 20, kMsmcHeap = 1 << 20;
constexpr size_t kItems = 8;
constexpr cl_int kBlock = 1024;

using Blocks = std::vector<cl_ulong>;

class Heaps {
 public:
  explicit Heaps(size_t msmc_bytes)
      : ddr_heap_(accelerator_.context, CL_MEM_READ_WRITE, kDdrHeap),
        msmc_heap_(accelerator_.context, CL_MEM_READ_WRITE | kMemUseMsmc, msmc_bytes) {
    run("heap_init_ddr", 1, ddr_heap_, cl_ulong{kDdrHeap});
    std::printf("[host  ] DDR  heap init'ed, %zuk\n", kDdrHeap / 1024);
    run("heap_init_msmc", 1, msmc_heap_, cl_ulong{msmc_bytes});
    std::printf("[host  ] MSMC heap init'ed, %zuk\n\n", msmc_bytes / 1024);
  }

  // The blocks that all work-items got, of both heaps.
  Blocks allocate() {
    run("alloc_only", kItems, kBlock, ddr_blocks_, msmc_blocks_);
    Blocks blocks(2 * kItems);
    constexpr size_t kBytes = kItems * sizeof(cl_ulong);
    accelerator_.queue.enqueueReadBuffer(ddr_blocks_, CL_TRUE, 0, kBytes, &blocks[0]);
    accelerator_.queue.enqueueReadBuffer(msmc_blocks_, CL_TRUE, 0, kBytes, &blocks[kItems]);
    for (size_t i = 0; i < blocks.size(); ++i)
      std::printf("%s alloc pointer is 0x%llx\n", i < kItems ? "DDR " : "MSMC",
                  static_cast<unsigned long long>(blocks[i]));
    std::printf("\n");
    return blocks;
  }

  // Frees the blocks that were allocated last; returns how many held something else by now.
  size_t free() {
    run("free_only", kItems, ddr_blocks_, msmc_blocks_, right_);
    std::vector<cl_int> right(kItems);
    accelerator_.queue.enqueueReadBuffer(right_, CL_TRUE, 0, kItems * sizeof(cl_int), right.data());
    return kItems - static_cast<size_t>(std::count(right.begin(), right.end(), 1));
  }

 private:
  template <class... Arguments>
  void run(const char* name, size_t items, const Arguments&... arguments) {
    cl::Kernel kernel(program_, name);
    cl_uint index = 0;
    (kernel.setArg(index++, arguments), ...);
    accelerator_.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items),
                                            cl::NDRange(1));
    accelerator_.queue.finish();
  }

  examples::Accelerator accelerator_;
  cl::Program program_ = accelerator_.build(kDspheapSource);
  cl::Buffer ddr_heap_, msmc_heap_;
  cl::Buffer ddr_blocks_{accelerator_.context, CL_MEM_READ_WRITE, kItems * sizeof(cl_ulong)};
  cl::Buffer msmc_blocks_{accelerator_.context, CL_MEM_READ_WRITE, kItems * sizeof(cl_ulong)};
  cl::Buffer right_{accelerator_.context, CL_MEM_READ_WRITE, kItems * sizeof(cl_int)};
};

size_t run() {
  cl_ulong msmc_bytes = 0;
  const cl::Device device = examples::choose_accelerator();
  if (device.getInfo(kDeviceMsmcMemSize, &msmc_bytes) != CL_SUCCESS || msmc_bytes == 0) {
    std::printf("[host  ] MSMC unavailable\n");
    return 0;
  }
  Heaps heaps(std::min<size_t>(msmc_bytes / 4, kMsmcHeap));
  size_t errors = 0;
  const Blocks first = heaps.allocate();
  errors += heaps.free();
  const Blocks second = heaps.allocate();  // what was freed is used again
  const Blocks third = heaps.allocate();   // and what was not, is not
  errors += heaps.free();

  const std::set<cl_ulong> freed(first.begin(), first.end()), kept(second.begin(), second.end()),
      other(third.begin(), third.end());
  errors += freed != kept || kept.size() != first.size() || kept.contains(0);
  for (cl_ulong block : other) errors += block == 0 || kept.contains(block);
  return examples::report(errors, "Done!");
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_simple_example(argc, argv, "dspheap",
                                      "Allocates memory in kernels, from heaps in buffers.", run);
}
