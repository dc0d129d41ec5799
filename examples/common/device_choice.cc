// SPDX-License-Identifier: Apache-2.0
#include "common/device_choice.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace examples {
namespace {

// The first device of that type, which is called `name` in the message if there is none.
cl::Device choose(cl_device_type type, const std::string& name) {
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error&) {
    // The loader's error for "no platform at all"; the message below says it better.
  }
  std::string names;
  for (const cl::Platform& platform : platforms) {
    std::vector<cl::Device> devices;
    try {
      platform.getDevices(type, &devices);
    } catch (const cl::Error& error) {
      if (error.err() != CL_DEVICE_NOT_FOUND) throw;
    }
    if (!devices.empty()) return devices.front();
    names += (names.empty() ? "" : ", ") + platform.getInfo<CL_PLATFORM_NAME>();
  }
  throw std::runtime_error(names.empty() ? "no OpenCL platform found: is an .icd file where the "
                                           "loader looks (/etc/OpenCL/vendors, OCL_ICD_VENDORS)?"
                                         : "no " + name + " on any platform (" + names + ")");
}

}  // namespace

cl::Device choose_accelerator() {
  return choose(CL_DEVICE_TYPE_ACCELERATOR, "accelerator device");
}

cl::Device choose_device() {
  return choose(CL_DEVICE_TYPE_ALL, "device");
}

std::string describe(const cl::Error& error) {
  std::string text = std::string(error.what()) + ": OpenCL error " + std::to_string(error.err());
  if (const auto* build_error = dynamic_cast<const cl::BuildError*>(&error))
    for (const auto& [device, log] : build_error->getBuildLog()) text += "\n" + log;
  return text;
}

}  // namespace examples
