// SPDX-License-Identifier: Apache-2.0
// What most examples begin and end with.
#ifndef CONCLAVE_EXAMPLES_COMMON_EXAMPLE_H_
#define CONCLAVE_EXAMPLES_COMMON_EXAMPLE_H_

#include <CL/opencl.hpp>
#include <functional>
#include <string>

#include "common/command_line.h"
#include "common/device_choice.h"

namespace examples {

// An accelerator with a context and an in-order queue.
struct Accelerator {
  const cl::Device device = choose_accelerator();
  const cl::Context context{device};
  cl::CommandQueue queue{context, device, CL_QUEUE_PROFILING_ENABLE};

  cl::Program build(const std::string& source, const char* options = "") const;
  cl::Program build(const void* binary, size_t size) const;
};

// Runs an example that has no options but -h, which prints `purpose`; see run_example.
int run_simple_example(int argc, char** argv, const char* name, const char* purpose,
                       const std::function<size_t()>& body);

// Prints how long a command was queued, submitted and running, as TI's ocl_event_times does.
void print_times(const cl::Event& event, const char* name);

// The last line of an example: `success`, or how many errors there were. Returns `errors`.
size_t report(size_t errors, const char* success);

}  // namespace examples

#endif  // CONCLAVE_EXAMPLES_COMMON_EXAMPLE_H_
