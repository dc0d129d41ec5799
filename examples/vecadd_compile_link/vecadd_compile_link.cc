// SPDX-License-Identifier: Apache-2.0
// A program that is compiled in two parts and linked.
#include "common/linked_sum.h"
#include "common/vector_sum.h"

int main(int argc, char** argv) {
  return examples::run_simple_example(argc, argv, "vecadd_compile_link",
                                      "Adds two vectors with a program linked of two parts.",
                                      [] { return examples::add_vectors(examples::link_sum); });
}
