// SPDX-License-Identifier: Apache-2.0
#include "soak_roles.h"

#include <CL/cl_ext_conclave.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "process_roles.h"
#include "test/common/spin_kernel.h"

namespace conclave::test {
namespace {

constexpr char kSource[] = R"(
kernel void faulty(global uint* out, uint where, uint how) {
  size_t i = get_global_id(0);
  if (i == where) {
    if (how == 0) *(volatile global uint*)0 = 1;
    if (how == 1) *(volatile global uint*)0xc012345000ul = 1;  // not ThreadSanitizer's memory either
    if (how == 2) *(volatile global uint*)0x1234567890abcdeful = 1;
    if (how == 3) __builtin_trap();
  }
  out[i] = i;
}
// No work-group gets on before all have come.
kernel void __attribute__((annotate("conclave.gang"))) meet(global uint* out,
                                                            volatile global uint* here, uint seed) {
  atomic_inc(here);
  while (*here < get_num_groups(0)) {}
  out[get_group_id(0)] = seed + get_group_id(0);
}
)";

cl::Program build(const SpinKernel& beside) {
  cl::Program program(beside.context(), kSource);
  program.build({beside.device()});
  return program;
}

// What is computed beside the role's own kernels.
void check_health(SpinKernel& kernel, uint32_t groups, uint32_t seed) {
  const SpinKernel::Launch launch = {groups, 2000, seed};
  kernel.run(launch);
  kernel.check(launch);
}

void faults(const Arguments& arguments) {
  constexpr uint32_t kItems = 1024, kMostGroups = 16;
  std::mt19937 random(static_cast<uint32_t>(std::stoul(arguments.at(0))));
  SharedPage& page = shared_page();
  SpinKernel healthy(kMostGroups, page.progress);
  cl::Kernel faulty(build(healthy), "faulty");
  const cl::Buffer out(healthy.context(), CL_MEM_READ_WRITE, kItems * sizeof(cl_uint));
  faulty.setArg(0, out);
  while (page.stop == 0) {
    faulty.setArg(1, static_cast<cl_uint>(random() % kItems));
    faulty.setArg(2, static_cast<cl_uint>(random() % 4));
    cl::Event event;
    healthy.queue().enqueueNDRangeKernel(faulty, cl::NullRange, cl::NDRange(kItems),
                                         cl::NDRange(64), nullptr, &event);
    try {
      event.wait();
    } catch (const cl::Error&) {  // its code says that one event has failed
    }
    const cl_int status = event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
    if (status != CL_ERROR_KERNEL_FAULT_CONCLAVE)
      throw std::runtime_error("a faulty kernel ended with status " + std::to_string(status));
    check_health(healthy, kMostGroups, static_cast<uint32_t>(random()));
  }
}

void gangs(const Arguments& arguments) {
  std::mt19937 random(static_cast<uint32_t>(std::stoul(arguments.at(0))));
  SharedPage& page = shared_page();
  SpinKernel beside(1, page.progress);
  const auto units = static_cast<uint32_t>(beside.device().getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
  cl::Kernel meet(build(beside), "meet");
  const cl::Buffer out(beside.context(), CL_MEM_READ_WRITE, units * sizeof(cl_uint));
  const cl::Buffer here(beside.context(), CL_MEM_READ_WRITE, sizeof(cl_uint));
  meet.setArg(0, out);
  meet.setArg(1, here);
  while (page.stop == 0) {
    const auto seed = static_cast<cl_uint>(random());
    meet.setArg(2, seed);
    beside.queue().enqueueFillBuffer(here, cl_uint{0}, 0, sizeof(cl_uint));
    beside.queue().enqueueNDRangeKernel(meet, cl::NullRange, cl::NDRange(units), cl::NDRange(1));
    std::vector<cl_uint> found(units);
    beside.queue().enqueueReadBuffer(out, CL_TRUE, 0, units * sizeof(cl_uint), found.data());
    for (uint32_t i = 0; i < units; ++i)
      if (found[i] != seed + i) throw std::runtime_error("a gang has a wrong result");
    check_health(beside, 1, seed);
  }
}

}  // namespace

const std::map<std::string, Role>& soak_roles() {
  static const std::map<std::string, Role> all = [] {
    std::map<std::string, Role> roles = process_roles();
    roles.insert({{"faults", faults}, {"gangs", gangs}});
    return roles;
  }();
  return all;
}

}  // namespace conclave::test
