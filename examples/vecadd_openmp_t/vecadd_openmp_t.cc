// SPDX-License-Identifier: Apache-2.0
// A vector sum in C: tasks of OpenMP.
#include "vecadd_openmp_t.dsp_h"
#include "common/example.h"
#include "common/openmp_sum.h"

int main(int argc, char** argv) {
  return examples::run_simple_example(argc, argv, "vecadd_openmp_t",
                                      "Adds two vectors by tasks of OpenMP.", [] {
                                        return examples::add_vectors_with_openmp(
                                            vecadd_openmp_t_dsp_bin, vecadd_openmp_t_dsp_bin_len);
                                      });
}
