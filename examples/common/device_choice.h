// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_EXAMPLES_COMMON_DEVICE_CHOICE_H_
#define CONCLAVE_EXAMPLES_COMMON_DEVICE_CHOICE_H_

#include <CL/opencl.hpp>

namespace examples {

// The first accelerator of the first platform that has one. Throws std::runtime_error if there
// is none, naming the platforms that were looked at.
cl::Device choose_accelerator();

// The first device of any type, on the first platform that has one: for programs in which a library may
// have looked at the devices before. Throws std::runtime_error if there is none.
cl::Device choose_device();

// The build log, for a program that failed to build; the error's own text otherwise.
std::string describe(const cl::Error& error);

}  // namespace examples

#endif  // CONCLAVE_EXAMPLES_COMMON_DEVICE_CHOICE_H_
