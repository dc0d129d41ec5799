// SPDX-License-Identifier: Apache-2.0
// A program that is compiled in two parts and linked; its binary makes the program that runs.
#include "common/linked_sum.h"
#include "common/vector_sum.h"

namespace {

cl::Program reload(const examples::Accelerator& accelerator) {
  const cl::Program linked = examples::link_sum(accelerator);
  std::printf("Getting program binary from linked program..\n\n");
  const auto binaries = linked.getInfo<CL_PROGRAM_BINARIES>();
  return accelerator.build(binaries[0].data(), binaries[0].size());
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_simple_example(argc, argv, "vecadd_compile_link_loadbinary",
                                      "Adds two vectors with the binary of a linked program.",
                                      [] { return examples::add_vectors(reload); });
}
