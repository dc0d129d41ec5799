// SPDX-License-Identifier: Apache-2.0
// conclave-opencl-probe: an ordinary OpenCL program, which `conclave doctor` runs to see whether such
// programs work. It writes lines "name: value" about the platforms that the loader finds and about
// a kernel on Conclave's.
#include <CL/opencl.hpp>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr char kKernel[] = "kernel void doctor(global int* x) { *x = 42; }";

void say(const char* name, const std::string& value) {
  std::printf("%s: %s\n", name, value.c_str());
  std::fflush(stdout);  // a platform may crash next
}

// Runs a kernel on the first device.
void compute(const cl::Platform& platform) {
  std::vector<cl::Device> devices;
  platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
  const cl::Device& device = devices.at(0);
  say("device", device.getInfo<CL_DEVICE_NAME>());
  say("driver", device.getInfo<CL_DRIVER_VERSION>());
  say("compute-units", std::to_string(device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>()));
  say("available", device.getInfo<CL_DEVICE_AVAILABLE>() ? "yes" : "no");
  say("compiler", device.getInfo<CL_DEVICE_COMPILER_AVAILABLE>() ? "yes" : "no");
  say("il", device.getInfo<CL_DEVICE_IL_VERSION>());
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  cl::Program program(context, kKernel);
  try {
    program.build();
  } catch (const cl::Error&) {
    std::fprintf(stderr, "%s\n", program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device).c_str());
    throw;
  }
  cl::Kernel kernel(program, "doctor");
  const cl::Buffer result(context, CL_MEM_READ_WRITE, sizeof(cl_int));
  kernel.setArg(0, result);
  queue.enqueueNDRangeKernel(kernel, cl::NullRange, 1);
  cl_int value = 0;
  queue.enqueueReadBuffer(result, CL_TRUE, 0, sizeof value, &value);
  say("result", std::to_string(value));
}

}  // namespace

int main() {
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
    for (const cl::Platform& platform : platforms)
      say("platform",
          platform.getInfo<CL_PLATFORM_NAME>() + ", " + platform.getInfo<CL_PLATFORM_VERSION>());
    for (const cl::Platform& platform : platforms)
      if (platform.getInfo<CL_PLATFORM_NAME>() == "Conclave") compute(platform);
    return 0;
  } catch (const cl::Error& error) {
    say("error", std::string(error.what()) + " " + std::to_string(error.err()));
  } catch (const std::exception& error) {
    say("error", error.what());
  }
  return 1;
}
