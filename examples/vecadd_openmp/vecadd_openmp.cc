// SPDX-License-Identifier: Apache-2.0
// A vector sum in C: a loop that OpenMP shares out.
#include "vecadd_openmp.dsp_h"
#include "common/example.h"
#include "common/openmp_sum.h"

int main(int argc, char** argv) {
  return examples::run_simple_example(
      argc, argv, "vecadd_openmp", "Adds two vectors by a loop that OpenMP shares out.", [] {
        return examples::add_vectors_with_openmp(vecadd_openmp_dsp_bin, vecadd_openmp_dsp_bin_len);
      });
}
