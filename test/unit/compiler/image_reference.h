// SPDX-License-Identifier: Apache-2.0
// Images as the OpenCL specification describes them, by its own formulas and one element at a time.
#ifndef CONCLAVE_TEST_UNIT_COMPILER_IMAGE_REFERENCE_H_
#define CONCLAVE_TEST_UNIT_COMPILER_IMAGE_REFERENCE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "conclave/kernel_abi.h"

namespace conclave::test {

struct Format {
  uint32_t order;  // CL_RGBA, ...
  uint32_t type;   // CL_UNORM_INT8, ...

  size_t channels() const;  // that are stored
  size_t element_size() const;
  char letter() const;  // of the functions for it: f of read_imagef, i or u
  std::string name() const;
};

// Each of the types with each of the orders that go with it.
std::vector<Format> all_formats();

using Color = std::array<double, 4>;

// What reading an element gives; exact, not rounded to float.
Color decode(const Format& format, const std::byte* element);
// What writing a color stores.
void encode(const Format& format, const Color& color, std::byte* element);

// Elements with some bytes between the rows and the slices.
class TestImage {
 public:
  struct Size {
    uint32_t width = 1, height = 1, depth = 1, layers = 1;
  };
  TestImage(const Format& format, Size size);

  const abi::Image* address() const { return &image_; }
  const Format& format() const { return format_; }
  const Size& size() const { return size_; }
  std::vector<std::byte>& bytes() { return bytes_; }
  // A 3-D image's slice or an array's layer is z.
  std::byte* element(size_t x, size_t y, size_t z);
  void fill(uint32_t seed);

  // What a read with a sampler gives. Coordinates are x, y and z; an array's layer is z.
  Color sample(uint32_t sampler, const std::array<float, 3>& coordinates, int dimensions) const;

 private:
  Color at(uint32_t sampler, std::array<int, 3> index, int dimensions) const;

  Format format_;
  Size size_;
  size_t row_pitch_, slice_pitch_;
  std::vector<std::byte> bytes_;
  abi::Image image_;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_UNIT_COMPILER_IMAGE_REFERENCE_H_
