// SPDX-License-Identifier: Apache-2.0
// Lists every platform and device that the loader finds.
#include <CL/opencl.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "common/command_line.h"

namespace {

constexpr char kUsage[] = "Usage: platforms [-h]\nLists the OpenCL platforms and their devices.";

std::string type_names(cl_device_type type) {
  std::string names;
  const auto add = [&](cl_device_type bit, const char* name) {
    if (type & bit) names += (names.empty() ? "" : ", ") + std::string(name);
  };
  add(CL_DEVICE_TYPE_CPU, "CPU");
  add(CL_DEVICE_TYPE_GPU, "GPU");
  add(CL_DEVICE_TYPE_ACCELERATOR, "ACCELERATOR");
  add(CL_DEVICE_TYPE_CUSTOM, "CUSTOM");
  return names;
}

void print_kilobytes(const char* name, cl_ulong bytes) {
  std::printf("      %s: %7llu KB\n", name, static_cast<unsigned long long>(bytes >> 10));
}

void print(const cl::Device& device) {
  std::printf("    DEVICE: %s\n", device.getInfo<CL_DEVICE_NAME>().c_str());
  std::printf("      Type       : %s\n", type_names(device.getInfo<CL_DEVICE_TYPE>()).c_str());
  std::printf("      CompUnits  : %u\n", device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
  std::printf("      Frequency  : %g GHz\n",
              device.getInfo<CL_DEVICE_MAX_CLOCK_FREQUENCY>() / 1000.0);
  print_kilobytes("Glb Mem    ", device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>());
  print_kilobytes("Loc Mem    ", device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>());
  print_kilobytes("Max Alloc  ", device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>());
}

size_t run(int argc, char** argv) {
  bool help = false;
  examples::for_each_option(argc, argv, "h", [&](char, const char*) { help = true; });
  if (help) {
    std::printf("%s\n", kUsage);
    return 0;
  }
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  for (const cl::Platform& platform : platforms) {
    std::printf("PLATFORM: %s\n", platform.getInfo<CL_PLATFORM_NAME>().c_str());
    std::printf("  Version: %s\n", platform.getInfo<CL_PLATFORM_VERSION>().c_str());
    std::printf("  Vendor : %s\n", platform.getInfo<CL_PLATFORM_VENDOR>().c_str());
    std::printf("  Profile: %s\n", platform.getInfo<CL_PLATFORM_PROFILE>().c_str());
    std::vector<cl::Device> devices;
    try {
      platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    } catch (const cl::Error& error) {
      if (error.err() != CL_DEVICE_NOT_FOUND) throw;
    }
    for (const cl::Device& device : devices) print(device);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example("platforms", kUsage, [&] { return run(argc, argv); });
}
