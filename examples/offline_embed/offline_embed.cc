// SPDX-License-Identifier: Apache-2.0
// A program that was compiled before, with `clocl -t vadd.cl`, and is part of this one.
#include "common/vector_sum.h"
#include "vadd.dsp_h"

int main(int argc, char** argv) {
  return examples::run_simple_example(
      argc, argv, "offline_embed", "Adds two vectors with an embedded program binary.", [] {
        return examples::add_vectors([](const examples::Accelerator& accelerator) {
          return accelerator.build(vadd_dsp_bin, vadd_dsp_bin_len);
        });
      });
}
